"""Small SKEL documents for tests."""

from __future__ import annotations

from typing import Any

import polybody as pb
from polybody.lowering import lowered
from polybody.lowering.result import Lowered
from polybody.lowering.skel import Native

PHYSICS = "<physics><time_step>0.002</time_step><gravity>0 -9.81 0</gravity></physics>"
HEAVY = (
    "<inertia><mass>2</mass><offset>0.1 0.2 0.3</offset><moment_of_inertia><ixx>0.5</ixx><iyy>0.6</iyy>"
    "<izz>0.7</izz><ixy>0.01</ixy><ixz>0.02</ixz><iyz>0.03</iyz></moment_of_inertia></inertia>"
)


def world(*skeletons: str, physics: str = PHYSICS) -> str:
    """A document of skeletons, each given by the content of its element, one per line."""
    inside = "\n".join(f'<skeleton name="s{n}">{text}</skeleton>' for n, text in enumerate(skeletons))
    return f'<skel version="1.0"><world name="w">\n{physics}\n{inside}\n</world></skel>\n'


def body(name: str = "b", inside: str = HEAVY) -> str:
    return f'<body name="{name}">{inside}</body>'


def joint(
    kind: str, inside: str = "", parent: str = "world", child: str = "b", name: str = "j", actuator: str = ""
) -> str:
    driven = f' actuator="{actuator}"' if actuator else ""
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}"{driven}>{ends}{inside}</joint>'


def axis(inside: str = "", xyz: str = "0 0 1", tag: str = "axis") -> str:
    return f"<{tag}><xyz>{xyz}</xyz>{inside}</{tag}>"


def made(*skeletons: str, **options: Any) -> Lowered[Native]:
    """The result of lowering a document of these skeletons, without constraints."""
    found: Lowered[Native] = lowered(
        pb.read("a.skel", text=world(*skeletons)), disable=("constraint",), **options
    )
    return found


def refused(*skeletons: str, **options: Any) -> list[tuple[int, str, str]]:
    """Line, code and message of each error of reading or lowering a document of these skeletons."""
    try:
        made(*skeletons, **options)
    except pb.ValidationError as error:
        return [(d.line, d.code, d.message) for d in error.diagnostics if d.severity == "error"]
    return []


def said(found: Lowered[Native], code: str) -> list[str]:
    """The messages of findings with a code."""
    return [finding.message for finding in found.findings if finding.code == code]
