"""Drake's model directives: YAML files that combine models.

documents     the content of a file, as dataclasses
yaml_nodes    YAML as nodes with positions, within limits
reader        dataclasses from nodes, with strict checks
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
