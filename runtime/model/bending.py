"""Shells: flexes of triangles that resist bending, by instances of a plugin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.model.flexes import COUNTS, ranges
from polybody.model.instances import Instance, instances
from polybody.plugins import Shell, number

Columns = Mapping[str, NDArray[Any]]
Reals = NDArray[np.float64]


def bending(known: Columns) -> dict[str, NDArray[Any]]:
    """flexbend_vertex, flexbend_other and flexbend_stiffness of all shells, sorted by vertex.

    The force on a vertex is the sum over other vertices of stiffness times displacement.
    """
    found = [_of_flex(known, flex, instance) for flex, instance in shells(known)]
    vertex, other, stiffness = (np.concatenate(parts) for parts in zip(_none(), *found, strict=True))
    return {
        "flexbend_vertex": vertex.astype(np.int32),
        "flexbend_other": other.astype(np.int32),
        "flexbend_stiffness": stiffness,
    }


def shells(known: Columns) -> list[tuple[int, Instance]]:
    """Flexes of triangles whose bodies have an instance of the plugin, with the first such instance."""
    plugins = known["body_plugin"]
    if not len(known["flex_dim"]) or not (plugins >= 0).any():
        return []
    made, found = instances(known), []
    for flex, rows in enumerate(ranges(known, "vert", len(known["flex_vertbodyid"]))):
        used = plugins[known["flex_vertbodyid"][rows]]
        numbers = [row for row in np.unique(used[used >= 0]).tolist() if isinstance(made[row].plugin, Shell)]
        if known["flex_dim"][flex] == 2 and numbers:
            found.append((flex, made[numbers[0]]))
    return found


def _none() -> tuple[NDArray[Any], NDArray[Any], Reals]:
    return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)


def _of_flex(known: Columns, flex: int, instance: Instance) -> tuple[NDArray[Any], NDArray[Any], Reals]:
    """Stiffness of the quadratic bending energy of pairs of triangles with a common edge (Wardetzky et al.,
    Discrete Quadratic Curvature Energies, 2007), from the rest positions of the vertices in the frame that
    they move in.
    """
    young, poisson, thickness = (number(instance.config, key) for key in ("young", "poisson", "thickness"))
    rigidity = young / (2 * (1 + poisson)) * thickness**3 / 12 if poisson > -1 else 0.0
    corners, edges = _elements(known, flex)
    _, first = np.unique(edges.ravel(), return_index=True)
    _, last = np.unique(edges.ravel()[::-1], return_index=True)
    last = edges.size - 1 - last
    shared = first != last
    (one, far), (other, beyond) = (np.divmod(place[shared], COUNTS[2]) for place in (first, last))
    c, d = corners[one, far], corners[other, beyond]  # edge k is opposite to corner k
    a, b = corners[one, (far + 1) % 3], corners[one, (far + 2) % 3]
    flap = np.stack([a, b, c, d], axis=1)
    rows = ranges(known, "vert", len(known["flex_vertbodyid"]))[flex]
    bodies = known["flex_vertbodyid"][rows]
    offset = np.where((known["body_plugin"][bodies] >= 0)[:, None], known["body_pos"][bodies], 0.0)
    x = (offset + known["flex_vert"][rows])[flap]
    with np.errstate(divide="ignore", invalid="ignore"):
        at_a, at_b = _cotangents(x, 0, 1), _cotangents(x, 1, 0)
        weights = np.stack([at_b.sum(1), at_a.sum(1), -at_a[:, 0] - at_b[:, 0], -at_a[:, 1] - at_b[:, 1]], 1)
        scale = 1.5 * rigidity / (_area(x, 2) + _area(x, 3))
        matrix = scale[:, None, None] * weights[:, :, None] * weights[:, None, :]
    kept = np.isfinite(matrix).all(axis=(1, 2))
    matrix, flap = matrix[kept], flap[kept] + rows.start
    count = len(known["flex_vertbodyid"])
    keys = flap[:, :, None].astype(np.int64) * count + flap[:, None, :]
    unique, which = np.unique(keys, return_inverse=True)
    total = np.bincount(which.reshape(-1), matrix.ravel(), len(unique))
    vertex, along = np.divmod(unique, count)
    apart = (vertex != along) & (total != 0)
    return vertex[apart], along[apart], total[apart]


def _elements(known: Columns, flex: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Vertices and edges of a flex's triangles, (nelem, 3) each."""
    rows = ranges(known, "elem", len(known["flex_stiffness"]))[flex]
    number_of = (rows.stop - rows.start) * 3
    places = (int(known["flex_elemdataadr"][flex]), int(known["flex_elemedgeadr"][flex]))
    corners = known["flex_elem"][places[0] : places[0] + number_of].reshape(-1, 3)
    return corners, known["flex_elemedge"][places[1] : places[1] + number_of].reshape(-1, 3)


def _cotangents(x: Reals, at: int, to: int) -> Reals:
    """Cotangents of the angles at a corner, between the common edge and the other sides of both triangles,
    (n, 2).
    """
    along = x[:, to] - x[:, at]
    sides = x[:, 2:] - x[:, at, None]
    normal = np.linalg.norm(np.cross(along[:, None], sides), axis=2)
    found: Reals = np.einsum("ni,nki->nk", along, sides) / normal
    return found


def _area(x: Reals, corner: int) -> Reals:
    found: Reals = np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, corner] - x[:, 0]), axis=1) / 2
    return found
