"""What in an SRDF that is given with a URDF does not fit the robot."""

from __future__ import annotations

import os
from typing import Any

from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.document.robots import Names
from polybody.generated.formats.srdf import Robot as Semantics
from polybody.validation.rules.srdf import compare

Srdf = str | os.PathLike[str] | Semantics
"""An SRDF: its file, or its document."""


def fits(semantics: Semantics, robot: Any, findings: Findings) -> bool:
    """Whether an SRDF is for a robot, with findings about names that the robot does not have.

    Args:
        semantics: the document of the SRDF.
        robot: the document of the URDF.
        findings: receives findings.
    """

    def tell(code: str, node: Node, attribute: str | None, message: str, hint: str | None) -> None:
        span = node.span if attribute is None else node.attribute_span(attribute)
        findings.add(code, span, message, hint=hint, source=node.source)

    return compare(semantics, [_names(robot)], tell)


def _names(robot: Any) -> Names:
    """The names in a URDF."""
    joints = [*robot.joint, *robot.drake_joint]
    ends = [(joint.child, joint.parent) for joint in joints]
    parents = {child.link: parent.link for child, parent in ends if child and parent}
    links = frozenset(link.name for link in robot.link if link.name)
    named = frozenset(joint.name for joint in joints if joint.name)
    return Names((robot.name or "").strip(), links, named, parents)
