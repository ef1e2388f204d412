"""Drake's model directives: YAML files that combine models.

documents     the content of a file, as dataclasses
yaml_nodes    YAML as nodes with positions, within limits
reader        dataclasses from nodes, with strict checks

description     the keys of model directives, as plain data in the form of `polybody schema FORMAT --json`
                for XML
writer          model directives as YAML that is read back as equal
"""

from polybody.document.directives.documents import (
    AddCollisionFilterGroup,
    AddDirectives,
    AddFrame,
    AddModel,
    AddModelInstance,
    AddWeld,
    AngleAxis,
    Directive,
    Directives,
    Rpy,
    Transform,
)

__all__ = [
    "AddCollisionFilterGroup",
    "AddDirectives",
    "AddFrame",
    "AddModel",
    "AddModelInstance",
    "AddWeld",
    "AngleAxis",
    "Directive",
    "Directives",
    "Rpy",
    "Transform",
]
