"""Names: unique in their scope, none of those that are reserved."""

from __future__ import annotations

import re
from typing import Any

from polybody.base import children_of, held
from polybody.diagnostics import Findings
from polybody.document.parser.tables import version_number
from polybody.document.parser.value_faults import clip
from polybody.validation.rules.sdf.scopes import DELIMITER, IN_WORLDS, KINDS, WORLD, Named, Scope

SHARED_SINCE = version_number("1.7")
"""The version from which links, joints, frames and models of a scope share their names."""
PLAIN_SINCE = version_number("1.8")
"""The version from which no name has `::` in it."""
_RESERVED = re.compile(r"__.*__", re.DOTALL)
APART = {
    "link": (
        "collision",
        "visual",
        "drake_visual",
        "sensor",
        "light",
        "projector",
        "particle_emitter",
        "battery",
    ),
    "joint": ("sensor",),
    "world": ("physics", "road", "population"),
    "actor": ("animation",),
}
"""By the tag of an element: the fields whose elements differ in their names, each field apart."""
OWN_NAMES = {"plugin", *(kind.replace("_", ":") for kind in (*KINDS, *IN_WORLDS))}
"""The tags in a model or world that share no name with links and their like, or are of their like."""


def check_scope(scope: Scope, version: int, findings: Findings) -> None:
    for later, earlier in scope.again:
        second, first = later, earlier
        if second.node.source is first.node.source:  # kinds were met one after the other
            first, second = sorted((second, first), key=lambda each: each.node._position or 0)
        _twice(second, first, version, findings)
    for named in scope.names.values():
        if named.node.source is scope.node.source:
            _reserved(named, version, findings)
    for child in children_of(scope.node):
        name = getattr(child, "name", None)
        if name in scope.names and child.TAG not in OWN_NAMES:
            _refused(child, scope.names[name], findings)


def check_apart(node: Any, findings: Findings) -> None:
    """Report elements of one kind in an element that have a name in common."""
    for kind in APART.get(node.TAG, ()):
        met: dict[str, Any] = {}
        for child in held(node, kind):  # a state's <joint> has the tag, but not the children
            first = child if child.name is None else met.setdefault(child.name, child)
            if first is not child:
                name = clip(child.name)
                _report(findings, "PB031", child, first, f"the {child.TAG} name `{name}` is taken")


def _twice(second: Named, first: Named, version: int, findings: Findings) -> None:
    if version and version < SHARED_SINCE and second.kind != first.kind:
        _refused(second.node, first, findings)
    else:
        name = clip(second.name)
        what = f"the name `{name}` is that of a <{first.node.TAG}>"
        _report(findings, "PB031", second.node, first.node, what)


def _refused(node: Any, first: Named, findings: Findings) -> None:
    """A name that the version of the document allows twice, and what Drake reads documents with does not."""
    what = (
        f"the name `{clip(first.name)}` of <{node.TAG}>, which Drake refuses, is that of a <{first.node.TAG}>"
    )
    _report(findings, "PB083", node, first.node, what)


def _report(findings: Findings, code: str, node: Any, first: Any, message: str) -> None:
    """A finding about a name that two elements have."""
    if not findings.takes(code):
        return
    place = first.span
    where = "" if place is None or first.source is not node.source else f" at line {place.line}"
    findings.add(code, _span(node), message + where, source=node.source, related=_span(first))


def _reserved(named: Named, version: int, findings: Findings) -> None:
    name, node = named.name, named.node
    if name == WORLD or _RESERVED.fullmatch(name):
        message = f"the name `{clip(name)}` of <{node.TAG}> is reserved"
    elif DELIMITER in name and not 0 < version < PLAIN_SINCE:
        message = (
            f"`{clip(name)}`: `::` stands between the names of models and what is in them, not in a name"
        )
    else:
        return
    findings.add("PB026", _span(node), message, source=node.source)


def _span(node: Any) -> Any:
    return node.child_span("name") if node.TAG == "include" else node.attribute_span("name")
