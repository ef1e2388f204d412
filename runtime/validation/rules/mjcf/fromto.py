"""Shapes that are given by their two ends: which can be, and what has no place beside."""

from __future__ import annotations

from math import dist
from typing import Any

from polybody.validation.rules.mjcf.sizes import GEOM, SITE
from polybody.validation.scene import Scene

NODES = (GEOM, SITE)
LONG = ("capsule", "cylinder", "ellipsoid", "box")
"""The shapes that have ends."""
NEAREST = 2e-14
"""How far apart these are at least, in m."""


def check(scene: Scene) -> None:
    """Report ends of shapes without any, ends that are one point, and positions beside them."""
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
        scene.report("PB024", node, at, f"a {kind} has no ends for {given}; {', '.join(LONG)} have")
    elif any(scene.value(node, "pos")):
        at, place = ("pos", "`pos`") if node.pos is not None else (at, "`pos` from the defaults")
        scene.report("PB022", node, at, f"{place} and {given} exclude each other", "keep one of them")
    elif node.TAG == "geom" and scene.value(node, "mesh") is not None:
        scene.report("PB022", node, at, f"`mesh` and {given} exclude each other", "keep one of them")
    elif dist(ends[:3], ends[3:]) < NEAREST:
        scene.report("PB024", node, at, f"the two ends in {given} are the same point")
