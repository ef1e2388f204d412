"""Deformable objects of lines, triangles or tetrahedra: their edges, surfaces, layers and stiffness.

The order of edges, of the surface and of pairs is that of MuJoCo 3.2.7.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Rows = NDArray[np.int32]

EDGES: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 1),),
    2: ((1, 2), (2, 0), (0, 1)),
    3: ((0, 1), (1, 2), (2, 0), (2, 3), (0, 3), (1, 3)),
}
"""The corners of an element's edges in order, by dimension."""
SIDES: dict[int, tuple[tuple[int, ...], ...]] = {
    1: ((0,), (1,)),
    2: ((0, 1), (1, 2), (2, 0)),
    3: ((0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)),
}
"""The corners of an element's sides, by dimension; those of a tetrahedron are counterclockwise seen from
outside.
"""
ACROSS: dict[int, tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]] = {
    2: (((2, 0), (0, 1)), ((0, 1), (1, 2)), ((1, 2), (2, 0))),
    3: (
        *(((1, 2, 3), (2, 0, 3)), ((0, 1, 3), (2, 0, 3)), ((1, 2, 3), (0, 1, 3))),
        *(((0, 1, 3), (2, 1, 0)), ((2, 1, 0), (1, 2, 3)), ((2, 1, 0), (2, 0, 3))),
    ),
}
"""For each edge, the two sides of the element that do not contain it, by dimension."""
STIFFNESS = 21
"""Number of entries of a symmetric matrix over the six edges of a tetrahedron."""


class Topology(NamedTuple):
    """Properties that follow from the elements alone."""

    edges: Rows
    """(nedge, 2): rows of vertices, the lower first, in the order of first occurrence in the elements."""
    element_edges: Rows
    """(nelem, edges of an element): rows of ``edges``."""
    shell: Rows
    """(nshell, dimension): the sides that belong to only one element."""
    layers: Rows
    """(nelem,): number of elements between an element and the surface; 0 except for tetrahedra."""
    pairs: Rows
    """(npair, 2): an element, and a vertex of a neighbour beyond their common side; none for tetrahedra."""


def topology(dimension: int, elements: Rows) -> Topology:
    """Edges, surface and neighbours of elements.

    Args:
        dimension: of the elements.
        elements: (nelem, dimension + 1), rows of vertices, no vertex twice in an element.
    """
    edges, element_edges = _edges(dimension, elements)
    sides = np.array(SIDES[dimension])
    as_written = elements[:, sides].reshape(-1, dimension)
    sorted_sides = np.sort(as_written, axis=1)
    owner = np.repeat(np.arange(len(elements), dtype=np.int32), len(sides))
    order = np.lexsort((owner, *sorted_sides.T[::-1]))
    as_written, sorted_sides, owner = as_written[order], sorted_sides[order], owner[order]
    same = (sorted_sides[1:] == sorted_sides[:-1]).all(axis=1)
    alone = ~np.append(same, False) & ~np.append(False, same)
    common = np.flatnonzero(same)
    border = np.zeros(len(elements), dtype=bool)
    border[owner[alone]] = True
    neighbours = np.stack([owner[common], owner[common + 1]], axis=1)
    layers = np.zeros(len(elements), dtype=np.int32)
    if dimension == 3:
        layers = _layers(border, neighbours)
    pairs = np.empty((0, 2), dtype=np.int32)
    if dimension < 3:
        pairs = _pairs(elements, neighbours, sorted_sides[common], border)
    shell = as_written[alone].astype(np.int32)
    return Topology(edges, element_edges, shell, layers, pairs)


def _edges(dimension: int, elements: Rows) -> tuple[Rows, Rows]:
    ends = np.sort(elements[:, np.array(EDGES[dimension])], axis=2)
    found, first, which = np.unique(ends.reshape(-1, 2), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return found[order].astype(np.int32), rank[which.reshape(-1)].reshape(len(elements), -1)


def _layers(border: NDArray[np.bool_], neighbours: Rows) -> Rows:
    """Number of elements between each element and the surface; more than the number of elements if the
    surface cannot be reached.
    """
    count = len(border)
    layers = np.where(border, 0, count + 1).astype(np.int32)
    while True:
        before = layers.copy()
        for one, other in ((0, 1), (1, 0)):
            np.minimum.at(layers, neighbours[:, one], layers[neighbours[:, other]] + 1)
        if (layers == before).all():
            return layers


def _pairs(elements: Rows, neighbours: Rows, common: Rows, border: NDArray[np.bool_]) -> Rows:
    """Pairs of elements at the border with a common side: each with the opposite vertex of the other."""
    near = border[neighbours].any(axis=1)
    neighbours, common = neighbours[near], common[near]
    found = np.empty((len(neighbours), 2, 2), dtype=np.int32)
    for one in (0, 1):
        corners = elements[neighbours[:, one]]
        shared = (corners[:, :, None] == common[:, None, :]).any(axis=2)
        opposite = corners[np.arange(len(corners)), np.argmin(shared, axis=1)]
        found[:, one] = np.stack([neighbours[:, 1 - one], opposite], axis=1)
    return found.reshape(-1, 2)


def outward(elements: Rows, points: Reals) -> Rows:
    """Tetrahedra whose sides, as in SIDES, are counterclockwise seen from outside.

    Args:
        elements: (nelem, 4).
        points: (nvert, 3), m.
    """
    a, b, c, d = np.moveaxis(points[elements], 1, 0)
    wrong = np.einsum("ni,ni->n", np.cross(b - a, c - a), d - a) > 0
    found = elements.copy()
    found[wrong, 1], found[wrong, 2] = elements[wrong, 2], elements[wrong, 1]
    return found


def stiffness(
    dimension: int, elements: Rows, points: Reals, young: float, poisson: float, thickness: float
) -> Reals:
    """The stiffness of elements against changes of their edges' squared lengths, (nelem, 21).

    The upper triangle, row by row, of a matrix over the edges, which has six entries for triangles, followed
    by zeros. Linear elements of a Saint Venant-Kirchhoff material, whose strain is a sum over edges of a
    symmetric matrix times the change of a squared length (Weischedel, A discrete geometric view on
    shear-deformable shell models, section 4.1).

    Args:
        dimension: of the elements, 2 or 3.
        elements: (nelem, dimension + 1).
        points: (nvert, 3), at rest, m.
        young: Young's modulus, Pa.
        poisson: Poisson's ratio.
        thickness: of triangles, m.
    """
    corners = points[elements]
    sides = corners[:, 1:] - corners[:, :1]
    normal = np.cross(sides[:, 0], sides[:, 1])
    if dimension == 2:
        measure = np.linalg.norm(normal, axis=1) / 2
        depth, scale = thickness, 8 * measure * measure
    else:
        measure = np.einsum("ni,ni->n", normal, sides[:, 2]) / 6
        depth, scale = 4.0, 72 * measure * measure
    basis = []
    for left, right in ACROSS[dimension]:
        one, other = _normals(corners, left, right)
        outer = one[:, :, None] * other[:, None, :]
        basis.append((outer + outer.transpose(0, 2, 1)) / scale[:, None, None])
    strains = np.stack(basis, axis=1)
    traces = np.trace(strains, axis1=2, axis2=3)
    products = np.einsum("neij,nfji->nef", strains, strains)
    size = np.abs(measure) / 4 * depth
    shear = young / (2 * (1 + poisson)) * size
    volume = young * poisson / ((1 + poisson) * (1 - 2 * poisson)) * size
    full = shear[:, None, None] * products + volume[:, None, None] * traces[:, :, None] * traces[:, None, :]
    rows, columns = np.triu_indices(len(EDGES[dimension]))
    found = np.zeros((len(elements), STIFFNESS))
    found[:, : len(rows)] = full[:, rows, columns]
    return found


def _normals(corners: Reals, left: tuple[int, ...], right: tuple[int, ...]) -> tuple[Reals, Reals]:
    """The cross products of two sides of each element; their lengths are proportional to the areas."""
    if len(left) == 3:
        one, other = (
            np.cross(
                corners[:, side[1]] - corners[:, side[0]],
                corners[:, side[2]] - corners[:, side[0]],
            )
            for side in (left, right)
        )
        return one, other
    first = corners[:, left[0]] - corners[:, left[1]]
    second = corners[:, right[1]] - corners[:, right[0]]
    normal = np.cross(second, first)
    with np.errstate(invalid="ignore"):
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    return np.cross(normal, first), np.cross(second, normal)
