"""Shapes that are given by their two ends: which can be, and which other attributes are not allowed then."""

from __future__ import annotations

from math import dist
from typing import Any

from polybody.validation.rules.mjcf.sizes import GEOM, SITE
from polybody.validation.scene import Scene

NODES = (GEOM, SITE)
LONG = ("capsule", "cylinder", "ellipsoid", "box")
"""The shapes that can have `fromto`."""
NEAREST = 2e-14
"""Minimum distance between the ends, in m."""


def check(scene: Scene) -> None:
    """Report `fromto` of other shapes, equal ends, and positions in addition to `fromto`."""
    for key in NODES:
        meshes = ("mesh",) if "mesh" in scene.names(key) else ()
        for node, ends, kind, place, *mesh in scene.rules.giving(key, "fromto", "type", "pos", *meshes):
            # Most have none of the faults, and there may be many.
            near = abs(ends[0] - ends[3]) < NEAREST and abs(ends[1] - ends[4]) < NEAREST
            if near or any(mesh) or any(place) or kind.value not in LONG:
                _ends(scene, node, ends)


def _ends(scene: Scene, node: Any, ends: tuple[float, ...]) -> None:
    at = "fromto" if node.fromto is not None else None
    given = "`fromto`" if at else "`fromto` from the defaults"
    kind = scene.value(node, "type").value
    if kind not in LONG:
        scene.report("PB024", node, at, f"a {kind} cannot have {given}; only {', '.join(LONG)} can")
    elif any(scene.value(node, "pos")):
        at, place = ("pos", "`pos`") if node.pos is not None else (at, "`pos` from the defaults")
        scene.report("PB022", node, at, f"{place} and {given} are mutually exclusive", "keep one of them")
    elif node.TAG == "geom" and scene.value(node, "mesh") is not None:
        scene.report("PB022", node, at, f"`mesh` and {given} are mutually exclusive", "keep one of them")
    elif dist(ends[:3], ends[3:]) < NEAREST:
        scene.report("PB024", node, at, f"the two ends in {given} are the same point")
