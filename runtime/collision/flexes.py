"""Data of a Model's flexes for collision detection: elements, bounding volume trees, and candidates for
contacts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.collision.flex_table import FlexTable, tree
from polybody.errors import ModelError, Problem
from polybody.generated.kernels.contract.records import FLEX, FLEX_MEETING, FLEX_NODE
from polybody.generated.model import ShapeType
from polybody.model.flags import DISABLE
from polybody.model.flexes import ranges
from polybody.model.model import Columns, Model
from polybody.rotations.arrays import matrix, product

Rows = NDArray[Any]
Reals = NDArray[np.float64]


def flex_table(model: Model) -> FlexTable:
    """The flexes of a Model in the form that collision detection uses.

    Raises:
        ModelError: a flex refers to elements, vertices or pairs that do not exist.
    """
    flexes = _flexes(model)
    boxes, nodes, made = _boxes(model, flexes), [], 0
    midphase = not int(model.opt_disableflags) & DISABLE["midphase"]
    for row in flexes:
        first, count = int(row["elem"]), int(row["nelem"])
        active = model.flex_elemlayer[first : first + count] < row["layers"]
        if row["dim"] < 3 or not midphase or not active.any():
            active[:] = True
        grown = tree(boxes[first : first + count], np.flatnonzero(active))
        row["node"], row["nnode"] = made, len(grown)
        made += len(grown)
        nodes.append(grown)
    meetings, pairs = _meetings(model, midphase), _pairs(model)
    rows = (model.flex_elem, model.flex_vertbodyid, model.flex_elemlayer, model.flex_evpair)
    together = np.concatenate([np.zeros(0, FLEX_NODE), *nodes])
    return FlexTable(flexes, together, meetings, pairs, *rows, int(model.nconmax))


def _flexes(model: Model) -> Rows:
    rows = np.zeros(model.nflex, FLEX)
    collider = rows["collider"]
    for name in ("contype", "conaffinity", "condim", "priority", "margin", "gap", "solmix"):
        collider[name] = getattr(model, f"flex_{name}")
    for name in ("solref", "solimp", "friction"):
        collider[name] = getattr(model, f"flex_{name}")
    for name in ("radius", "dim", "rigid", "internal", "selfcollide"):
        rows[name] = getattr(model, f"flex_{name}")
    rows["layers"], rows["corner"] = model.flex_activelayers, model.flex_elemdataadr
    rows["pair"] = np.where(model.flex_evpairnum > 0, model.flex_evpairadr, 0)
    rows["npair"] = model.flex_evpairnum
    known = Columns(model)
    for kind, bound in (("vert", model.nflexvert), ("elem", model.nflexelem)):
        parts = ranges(known, kind, bound)
        rows[kind] = [part.start for part in parts]
        rows[f"n{kind}"] = [part.stop - part.start for part in parts]
    for flex, row in enumerate(rows):
        _check(model, flex, row)
    return rows


def _check(model: Model, flex: int, row: Any) -> None:
    """Check that all parts of a flex exist."""
    if not 1 <= row["dim"] <= 3:
        raise ModelError([Problem(f"flex_dim is {row['dim']}, not 1, 2 or 3", "flex", flex)])
    start, end = int(row["corner"]), int(row["corner"]) + int(row["nelem"]) * (int(row["dim"]) + 1)
    corners = model.flex_elem[max(0, start) : end]
    outside = start < 0 or end > len(model.flex_elem)
    if outside or (corners.size and not 0 <= corners.min() <= corners.max() < row["nvert"]):
        raise ModelError([Problem("flex_elem refers to vertices that the flex does not have", "flex", flex)])
    start, end = int(row["pair"]), int(row["pair"]) + int(row["npair"])
    pairs = model.flex_evpair[max(0, start) : max(0, end)]
    outside = start < 0 or end < start or end > len(model.flex_evpair)
    most = (row["nelem"], row["nvert"])
    if outside or (pairs.size and ((pairs < 0).any() or (pairs >= most).any())):
        raise ModelError(
            [Problem("flex_evpair refers to elements or vertices that the flex does not have", "flex", flex)]
        )


def _boxes(model: Model, flexes: Rows) -> Reals:
    """Centres and half sizes of the boxes around elements at rest, (nflexelem, 6), m."""
    turns, origins = np.zeros((model.nbody, 4)), np.zeros((model.nbody, 3))
    turns[:, 0] = 1
    for body, parent in enumerate(model.body_parentid.tolist()):
        if body:
            turns[body] = product(turns[parent], model.body_quat[body])
            origins[body] = origins[parent] + matrix(turns[parent]) @ model.body_pos[body]
    bodies = model.flex_vertbodyid
    places = origins[bodies] + np.einsum("nij,nj->ni", matrix(turns[bodies]), model.flex_vert)
    found = np.zeros((model.nflexelem, 6))
    for row in flexes:
        width, first = int(row["dim"]) + 1, int(row["corner"])
        elements = model.flex_elem[first : first + int(row["nelem"]) * width].reshape(-1, width)
        corners = places[int(row["vert"]) + elements]
        rows = slice(int(row["elem"]), int(row["elem"]) + int(row["nelem"]))
        low, high = corners.min(axis=1), corners.max(axis=1)
        found[rows, :3], found[rows, 3:] = 0.5 * (high + low), 0.5 * (high - low) + row["radius"]
    return found


def _meetings(model: Model, midphase: bool) -> Rows:
    """Geoms that may touch flexes.

    As in MuJoCo, planes of static bodies touch a flex whatever their own bits are, if other geoms of their
    body could touch it and the midphase is enabled.
    """
    body, found = model.geom_bodyid, [np.zeros(0, FLEX_MEETING)]
    plane = model.geom_type == ShapeType.plane
    static = model.body_dofnum[model.body_weldid[body]] == 0
    for flex in range(model.nflex):
        seek, accept = int(model.flex_contype[flex]), int(model.flex_conaffinity[flex])
        bodies = ((model.body_contype & accept) | (model.body_conaffinity & seek)) != 0
        meets = ((model.geom_contype & accept) | (model.geom_conaffinity & seek)) != 0
        geoms = np.flatnonzero(bodies[body] & (np.where(plane, static, True)) & (meets | (plane & midphase)))
        rows = np.zeros(len(geoms), FLEX_MEETING)
        rows["geom"], rows["flex"], rows["plane"] = geoms, flex, plane[geoms]
        found.append(rows)
    every = np.concatenate(found)
    order: Rows = every[np.lexsort((every["geom"], every["flex"], body[every["geom"]]))]
    return order


def _pairs(model: Model) -> Rows:
    """Flexes that may touch each other, (npair, 2)."""
    seek, accept = model.flex_contype, model.flex_conaffinity
    meets = ((seek[:, None] & accept) | (seek & accept[:, None])) != 0
    return np.argwhere(np.triu(meets, 1)).astype(np.int32)
