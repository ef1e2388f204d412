"""Drake's model directives: YAML files that combine models.

documents     what a file says, as dataclasses
yaml_nodes    YAML as nodes with places, within bounds
reader        from the one to the other, strictly
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
