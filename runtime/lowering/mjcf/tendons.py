"""Tendons and the elements of their paths: their columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from polybody.assembly.columns import BYTE, DOUBLE, INTEGER, SINGLE, Columns
from polybody.lowering.mjcf.body_columns import materials
from polybody.lowering.mjcf.codes import WRAPS
from polybody.lowering.mjcf.columns import Field, gather, given, polynomials, split, users
from polybody.lowering.mjcf.elements import Element
from polybody.lowering.mjcf.joints import limited, upwards
from polybody.lowering.mjcf.numbering import Numbered, of_lists
from polybody.lowering.mjcf.references import Reference, Wrap

TENDON: tuple[Field, ...] = (
    ("tendon_group", "group", 0, INTEGER),
    ("tendon_width", "width", 0, DOUBLE),
    ("tendon_solref_lim", "solreflimit", 2, DOUBLE),
    ("tendon_solimp_lim", "solimplimit", 5, DOUBLE),
    ("tendon_solref_fri", "solreffriction", 2, DOUBLE),
    ("tendon_solimp_fri", "solimpfriction", 5, DOUBLE),
    ("tendon_range", "range", 2, DOUBLE),
    ("tendon_margin", "margin", 0, DOUBLE),
    ("tendon_stiffness", "stiffness", 0, DOUBLE),
    ("tendon_damping", "damping", 0, DOUBLE),
    ("tendon_frictionloss", "frictionloss", 0, DOUBLE),
    ("tendon_lengthspring", "springlength", 2, DOUBLE),
    ("tendon_rgba", "rgba", 4, SINGLE),
)
ACTUATED: tuple[Field, ...] = (
    ("tendon_armature", "armature", 0, DOUBLE),
    ("tendon_actfrclimited", "force_limited", 0, BYTE),
    ("tendon_actfrcrange", "actuatorfrcrange", 2, DOUBLE),
)
YIELDING: tuple[Field, ...] = (("tendon_springyield", "springyield", 0, DOUBLE),)
"""Columns of releases in which springs yield."""
"""Columns of releases in which tendons have inertia and limits of actuator forces."""
ROUND = ("sphere", "cylinder")
"""Shapes that a tendon can wrap around."""


def compile_tendon(numbered: Numbered, tendon: Element) -> None:
    """Check a tendon, and resolve its path: "wraps" has rows of type, element, number."""
    values = tendon.values
    path: list[Wrap] = values["path"]
    spatial = not path or path[0].tag != "joint"
    if len(path) < (2 if spatial else 1):
        what = (
            "the path of a spatial tendon needs at least two elements"
            if path
            else "the path of the tendon is empty"
        )
        numbered.problems.add(tendon.node, what)
    if spatial and not values["width"] > 0:
        numbered.problems.add(tendon.node, "`width` of a tendon must be positive", "width")
    _check_path(numbered, tendon, path, spatial)
    values["wraps"] = [_wrapped(numbered, tendon, wrap) for wrap in path]
    split(values, "stiffness", "damping")
    if "actuatorfrclimited" in values:
        values["force_limited"] = limited(tendon, "actuatorfrcrange", "actuatorfrclimited", numbered.problems)
        if values["force_limited"]:
            upwards(tendon, "actuatorfrcrange", numbered.problems)
    values["is_limited"] = limited(tendon, "range", "limited", numbered.problems)
    if values["is_limited"]:
        upwards(tendon, "range", numbered.problems)
    low, high = values["springlength"]
    if low > high:
        numbered.problems.add(
            tendon.node, f"`springlength` from {low:g} to {high:g} is decreasing", "springlength"
        )


def _wrapped(
    numbered: Numbered, tendon: Element, wrap: Wrap
) -> tuple[str, Element | None, float, Element | None]:
    """An element of a path: its type, the object, its number, the side site."""
    if wrap.tag == "pulley":
        if wrap.number < 0:
            numbered.problems.add(wrap.node, "`divisor` must not be negative", "divisor")
        elif wrap.number == 0:
            message = "with a `divisor` of 0 the branch has no length here; in MuJoCo it is infinite"
            numbered.problems.remark(wrap.node, message, "divisor")
        return "pulley", None, wrap.number, None
    found = numbered.resolve(tendon, Reference(wrap.tag, wrap.name))
    if wrap.tag != "geom":
        return wrap.tag, found, wrap.number, None
    side = numbered.resolve(tendon, Reference("site", wrap.side)) if wrap.side else None
    kind = "sphere" if found is None else found.values["type"].value
    if kind not in ROUND:
        message = f"a tendon can wrap around a sphere or a cylinder, not around a geom of type `{kind}`"
        numbered.problems.add(wrap.node, message, "geom")
        kind = "sphere"
    return kind, found, 0.0, side


def _check_path(numbered: Numbered, tendon: Element, path: list[Wrap], spatial: bool) -> None:
    """Check that each branch goes from site to site, and around a geom only between two sites."""
    last = len(path) - 1
    for place, wrap in enumerate(path):
        before = path[place - 1] if place else None
        after = path[place + 1] if place < last else None
        ends = [one is None or one.tag == "pulley" for one in (before, after)]
        fault = ""
        if (wrap.tag == "joint") == spatial:
            fault = "the path of a tendon must consist either of joints, or of sites and geoms"
        elif wrap.tag == "pulley" and (after is None or (before is not None and before.tag == "pulley")):
            fault = "a pulley must be followed by a branch of the tendon"
        elif wrap.tag == "site" and all(ends):
            fault = "a branch of the tendon needs two sites"
        elif wrap.tag == "site" and after is not None and (after.tag, after.name) == ("site", wrap.name):
            fault = "the path of a tendon must not repeat a site"
        elif wrap.tag == "geom" and not (
            before is not None and after is not None and before.tag == after.tag == "site"
        ):
            fault = "a geom of a tendon must be between two sites"
        if fault:
            numbered.problems.add(wrap.node if wrap.node is not None else tendon.node, fault)


@of_lists("tendon")
def tendon_columns(numbered: Numbered) -> Columns:
    """The columns of tendons and wraps."""
    tendons = numbered.spec.lists["tendon"]
    columns = gather(tendons, TENDON)
    if tendons and "armature" in tendons[0].values:
        columns |= gather(tendons, ACTUATED)
    columns |= given(tendons, YIELDING)
    columns |= polynomials(tendons, stiffness="tendon_stiffnesspoly", damping="tendon_dampingpoly")
    counts = np.array([len(tendon.values["wraps"]) for tendon in tendons], dtype=np.int64)
    columns["tendon_num"] = counts.astype(INTEGER)
    columns["tendon_adr"] = (np.cumsum(counts) - counts).astype(INTEGER)
    columns["tendon_matid"] = materials(numbered, tendons)
    columns["tendon_limited"] = np.array([t.values["is_limited"] for t in tendons], dtype=np.uint8)
    columns["tendon_user"] = users(tendons, numbered.widths["tendon"])
    wraps: list[Any] = [wrap for tendon in tendons for wrap in tendon.values["wraps"]]
    columns["wrap_type"] = np.array([WRAPS[kind] for kind, *_ in wraps], dtype=INTEGER)
    columns["wrap_objid"] = np.array(
        [-1 if found is None else found.id for _, found, _, _ in wraps], dtype=INTEGER
    )
    columns["wrap_prm"] = np.array([_number(*wrap) for wrap in wraps], dtype=DOUBLE)
    return columns


def _number(kind: str, _: Element | None, number: float, side: Element | None) -> float:
    """A pulley's divisor, a joint's coefficient, or the index of a geom's side site."""
    if kind in ROUND:
        return -1.0 if side is None else float(side.id)
    return number
