"""An SRDF that is given with a URDF: its document, and what in it does not fit the robot."""

from __future__ import annotations

import os
from typing import Any

from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.document.registry import format_named
from polybody.document.robots import Names
from polybody.document.sources import LIMITS, SourceError, load, make_source
from polybody.errors import OptionError
from polybody.generated.formats.srdf import Robot as Semantics
from polybody.validation.rules.srdf import compare
from polybody.validation.validate import read_source

Srdf = str | os.PathLike[str] | Semantics
"""An SRDF: its file, or its document."""


def fitting(given: Srdf, robot: Any, findings: Findings) -> Semantics | None:
    """The document of an SRDF, with findings about it and about names that a robot does not have. None after
    errors that leave none, and if it is for another robot.

    Args:
        given: the SRDF.
        robot: the document of the URDF.
        findings: receives findings.

    Raises:
        OptionError: it is neither a path nor an SRDF.
    """
    with findings.about("srdf"):
        found = given if isinstance(given, Semantics) else _read(given, findings)
        if found is None:
            return None

        def tell(code: str, node: Node, attribute: str | None, message: str, hint: str | None) -> None:
            span = node.span if attribute is None else node.attribute_span(attribute)
            findings.add(code, span, message, hint=hint, source=node.source)

        return found if compare(found, [_names(robot)], tell) else None


def _read(given: str | os.PathLike[str], findings: Findings) -> Semantics | None:
    if not isinstance(given, str | os.PathLike):
        raise OptionError(f"srdf must be a path or a document of SRDF, not {given!r:.60}")
    path = os.fsdecode(given)
    try:
        source = make_source(path, load(path, LIMITS), LIMITS)
    except SourceError as error:
        findings.add(error.code, error.span, error.message, hint=error.hint)
        return None
    found: Any = read_source(source, format_named("srdf"), LIMITS, findings)
    return found if isinstance(found, Semantics) else None


def _names(robot: Any) -> Names:
    """The names in a URDF."""
    joints = [*robot.joint, *robot.drake_joint]
    ends = [(joint.child, joint.parent) for joint in joints]
    parents = {child.link: parent.link for child, parent in ends if child and parent}
    links = frozenset(link.name for link in robot.link if link.name)
    named = frozenset(joint.name for joint in joints if joint.name)
    return Names((robot.name or "").strip(), links, named, parents)
