"""Flexible bodies that the compiler makes: number and spacing of points, and which points form an element."""

from __future__ import annotations

from typing import Any

from polybody.validation.rules.mjcf.assets import FLEXCOMP
from polybody.validation.scene import Scene

NODES = (FLEXCOMP,)
LEAST = 1e-15
"""Minimum value that MuJoCo accepts as positive."""
SOLID = ("box", "cylinder", "ellipsoid")
FROM_FILES = ("mesh", "gmsh")
SPACED = ("grid", *SOLID, "square", "disc", "circle")
"""Types whose points have a given spacing."""


def check(scene: Scene) -> None:
    """Report flexible bodies that MuJoCo rejects."""
    for flex in scene.nodes(FLEXCOMP):
        kind = ("grid" if flex.mesh is None else "mesh") if flex.type is None else flex.type.value
        _amounts(scene, flex)
        corners = max(1, scene.value(flex, "dim") + 1)  # a wrong dimension is reported separately
        if flex.element is not None and len(flex.element) % corners:
            message = f"`element` has {len(flex.element)} numbers; each element needs {corners}"
            scene.report("PB024", flex, "element", message)
        if kind not in FROM_FILES and flex.mesh is not None:
            scene.report("PB022", flex, "mesh", f"a flexcomp of type `{kind}` has no `mesh`")
        if kind in SPACED:
            _points(scene, flex, kind)
        elif kind in FROM_FILES and flex.file is None and flex.mesh is None:
            scene.report("PB023", flex, "type", f"a flexcomp of type `{kind}` needs `file`")
        elif kind == "direct":
            _elements(scene, flex)


def _amounts(scene: Scene, flex: Any) -> None:
    for name in ("mass", "inertiabox", "scale"):
        value = scene.value(flex, name)
        least = min(value) if isinstance(value, tuple) else value
        if least < LEAST:
            scene.report("PB019", flex, name, f"`{name}` of a flexcomp must be greater than 0")


def _points(scene: Scene, flex: Any, kind: str) -> None:
    counts, dim = scene.value(flex, "count"), scene.value(flex, "dim")
    least = 2 if kind in SOLID else 1
    if min(counts) < least:
        said = f"a flexcomp of type `{kind}` needs {least} or more points per side"
        scene.report("PB019", flex, "count", said)
    elif kind == "grid" and any(count < 2 for count in counts[:dim]):
        message = f"a grid of dimension {dim} needs 2 or more points along each of its sides"
        scene.report("PB019", flex, "count", message)
    elif kind == "grid" and dim == 2 and counts[2] != 1:
        scene.report("PB019", flex, "count", "a grid of dimension 2 must have 1 point along its third side")
    elif kind == "circle" and counts[0] < 3:
        scene.report("PB019", flex, "count", "a circle needs 3 or more points")
    apart, radius = min(scene.value(flex, "spacing")), scene.value(flex, "radius")
    if apart < 2 * radius:
        message = f"`spacing` of {apart:g} is less than twice the `radius` of {radius:g}: the points overlap"
        scene.report("PB019", flex, "spacing", message)


def _elements(scene: Scene, flex: Any) -> None:
    if flex.point is None or flex.element is None:
        scene.report("PB023", flex, "type", "a flexcomp of type `direct` needs `point` and `element`")
        return
    points = len(flex.point) // 3
    wrong = next((index for index in flex.element if not 0 <= index < points), None)
    if wrong is not None:
        scene.report(
            "PB019", flex, "element", f"`element` refers to point {wrong}; there are {points} points"
        )
