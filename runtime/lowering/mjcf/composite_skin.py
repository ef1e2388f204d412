"""Skins of composites: a two-sided sheet over the elements of a grid or the bodies of a cable.

Between elements there may be further lines, whose vertices are on the bicubic surface through the elements;
its slopes are differences of neighbours.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.lowering.mjcf.elements import Values
from polybody.lowering.mjcf.references import Reference
from polybody.lowering.mjcf.values import schema_defaults

if TYPE_CHECKING:
    from polybody.lowering.mjcf.composite import Composite

Reals = NDArray[np.float64]
HERMITE = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [-3, 3, -2, -1], [2, -2, 1, 1]], dtype=np.float64)
"""Coefficients of a cubic over [0, 1], by powers, from its values and its slopes at both ends."""
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))
"""The corners of a square, in cyclic order."""
NEIGHBOURS = 4
"""Number of elements along a side that a square depends on: its own two and one more at each end."""


class Bone(NamedTuple):
    """A body that moves vertices of a skin, with the attributes of a document's bone."""

    bindpos: tuple[float, float, float]
    bindquat: tuple[float, float, float, float]
    vertid: list[int]
    vertweight: list[float]


def grid_skin(made: Composite, values: Values) -> None:
    """The skin of a two-dimensional grid."""
    nx, ny, _ = made.count
    finer, spacing = values["subgrid"], made.values["spacing"]
    places = list(product(range(nx), range(ny)))
    names = [f"B{x}_{y}" for x, y in places]
    if finer:
        poses = [(x * spacing, y * spacing, 0.0) for x, y in places]
    else:
        poses = [(0.0, 0.0, 0.0)] * len(places)
    _add(made, values, (nx, ny), names, poses, spacing if finer else 0.0, values["inflate"])


def cable_skin(made: Composite, values: Values) -> None:
    """The skin of a cable of boxes: a strip with the width of the boxes, inflated to their height."""
    count, (length, width, height) = made.count[0], made.geom["size"]
    sides = (-width, 0.0, width) if values["subgrid"] else (-width, width)
    names, poses = [], []
    for number in range(count):
        label = "first" if number == 0 else "last" if number >= count - 2 else str(number)
        end = -2 * length if number == count - 1 else 0.0
        names += [f"B_{label}"] * len(sides)
        poses += [(end, side, 0.0) for side in sides]
    _add(made, values, (count, len(sides)), names, poses, 0.0, 2 * height)


def _add(
    made: Composite,
    values: Values,
    count: tuple[int, int],
    names: list[str],
    poses: list[tuple[float, float, float]],
    spacing: float,
    inflate: float,
) -> None:
    """Add a skin over elements, given their names and bind poses."""
    finer = values["subgrid"]
    nx, ny = ((number - 1) * (1 + finer) + 1 for number in count)
    step, sides = spacing / (1 + finer), range(2)
    vertices = [(x * step, y * step, 0.0) for _ in sides for x in range(nx) for y in range(ny)]
    texcoords: list[float] = []
    if values["texcoord"]:
        ends = (max(nx - 1, 1), max(ny - 1, 1))
        texcoords = [
            n / end
            for _ in sides
            for at in product(range(nx), range(ny))
            for n, end in zip(at, ends, strict=True)
        ]
    bones = _weights(count, finer) if finer else [([number], [1.0]) for number in range(len(names))]
    whole = nx * ny
    upright = (1.0, 0.0, 0.0, 0.0)
    held = [
        Bone(
            pose, upright, [v + side for v in ids for side in (0, whole)], [w for w in weights for _ in sides]
        )
        for pose, (ids, weights) in zip(poses, bones, strict=True)
    ]
    skin = schema_defaults("skin") | {
        "name": made.prefix + "Skin",
        "vertex": [number for vertex in vertices for number in vertex],
        "texcoord": texcoords,
        "face": _faces(nx, ny),
        "bones": held,
        "references": [Reference("body", made.prefix + name) for name in names],
        "inflate": inflate,
    }
    made.add_listed("skin", skin | {name: values[name] for name in ("material", "rgba", "group")})


def _faces(nx: int, ny: int) -> list[int]:
    """Triangles of both sides of a sheet, then of its four thin edges."""
    whole = nx * ny

    def at(side: int, x: int, y: int) -> int:
        return side * whole + x * ny + y

    found: list[int] = []
    for side, x, y in product(range(2), range(nx - 1), range(ny - 1)):
        near, far, right, left = (
            at(side, x, y),
            at(side, x + 1, y + 1),
            at(side, x + 1, y),
            at(side, x, y + 1),
        )
        found += (near, right, far, near, far, left) if side == 0 else (near, far, right, near, left, far)
    for y, turned in ((0, False), (ny - 1, True)):
        for x in range(nx - 1):
            one, other, below, beyond = at(0, x, y), at(0, x + 1, y), at(1, x, y), at(1, x + 1, y)
            found += (
                (one, other, beyond, one, beyond, below)
                if turned
                else (one, beyond, other, one, below, beyond)
            )
    for x, turned in ((0, True), (nx - 1, False)):
        for y in range(ny - 1):
            one, other, below, beyond = at(0, x, y), at(0, x, y + 1), at(1, x, y), at(1, x, y + 1)
            found += (
                (one, other, beyond, one, beyond, below)
                if turned
                else (one, beyond, other, one, below, beyond)
            )
    return found


def _bicubic() -> Reals:
    """The coefficients of a bicubic over a square, (16, 16).

    One row per product of powers, those of the second coordinate first. One column per corner, in cyclic
    order, for values, for slopes along both coordinates, and for mixed slopes.
    """
    found = np.zeros((16, 16))
    for kind, (corner, (x, y)) in product(range(4), enumerate(CORNERS)):
        along, across = HERMITE[:, x + 2 * (kind in (1, 3))], HERMITE[:, y + 2 * (kind in (2, 3))]
        found[:, 4 * kind + corner] = np.outer(along, across).ravel()
    return found


def _differences(place: tuple[int, int], count: tuple[int, int]) -> Reals:
    """Values and slopes at a square's corners, as in _bicubic, from the surrounding 4 x 4 elements, (16,
    16).
    """
    values = np.eye(NEIGHBOURS)[1:3]
    slopes = []
    for at, number in zip(place, count, strict=True):
        both = np.array([[-0.5, 0.0, 0.5, 0.0], [0.0, -0.5, 0.0, 0.5]])
        if at == 0:
            both[0] = (0.0, -1.0, 1.0, 0.0)
        elif at == number - 2:
            both[1] = (0.0, -1.0, 1.0, 0.0)
        slopes.append(both)
    rows = []
    for kind, (x, y) in product(range(4), CORNERS):
        along = (slopes[0] if kind in (1, 3) else values)[x]
        across = (slopes[1] if kind in (2, 3) else values)[y]
        rows.append(np.outer(along, across).ravel())
    return np.array(rows)


def _products(one: Reals, other: Reals) -> Reals:
    """A product of matrices, summed in the order of the columns.

    MuJoCo keeps weights that are nonzero only due to rounding, so the order matters.
    """
    found = np.zeros((len(one), other.shape[1]))
    for column, row in zip(one.T, other, strict=True):
        found += np.outer(column, row)
    return found


def _powers(finer: int) -> Reals:
    """Products of powers of both coordinates, at the vertices of a square, (vertices, 16)."""
    steps = [place * (1.0 / (1 + finer)) for place in range(2 + finer)]
    rows = []
    for x, y in product(steps, steps):
        row = []
        for along in range(4):
            number = 1.0
            for _ in range(along):
                number *= x
            for _ in range(4):
                row.append(number)
                number *= y
        rows.append(row)
    return np.array(rows)


def _weights(count: tuple[int, int], finer: int) -> list[tuple[list[int], list[float]]]:
    """For each element the vertices of one side that it moves, and their weights."""
    coefficients = _products(_powers(finer), _bicubic())
    columns = (count[1] - 1) * (1 + finer) + 1
    found: list[tuple[list[int], list[float]]] = [([], []) for _ in range(count[0] * count[1])]
    for x, y in product(range(count[0] - 1), range(count[1] - 1)):
        weights = _products(coefficients, _differences((x, y), count)).astype(np.float32)
        ends = [1 + finer + (at == number - 2) for at, number in zip((x, y), count, strict=True)]
        for i, j in product(*map(range, ends)):
            vertex = (x * (1 + finer) + i) * columns + y * (1 + finer) + j
            for (a, b), weight in zip(
                product(range(NEIGHBOURS), repeat=2), weights[i * (2 + finer) + j].tolist(), strict=True
            ):
                if weight:
                    ids, all_weights = found[(x + a - 1) * count[1] + y + b - 1]
                    ids.append(vertex)
                    all_weights.append(weight)
    return found
