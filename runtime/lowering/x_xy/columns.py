"""The columns of a Model from the bodies and geoms of an x_xy document, all of a kind at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody import rotations
from polybody.assembly.mass_properties import MassProperties, Parts, compose, principal
from polybody.errors import ModelError, Problem
from polybody.generated.formats.x_xy import Body, GeomType, Joint
from polybody.generated.model import JointType, ShapeType
from polybody.geometry import shapes
from polybody.lowering.x_xy.geom_colours import Rgba
from polybody.lowering.x_xy.joints import BLOCKS, FREE, PIECES, Piece

Reals = NDArray[np.float64]
Columns = dict[str, Any]
Vector = Sequence[float]

WORLD = "world"
"""The name of a Model's body 0."""
_ALONG_X = rotations.about((0.0, 1.0, 0.0), np.pi / 2)
_HALVED = {
    GeomType.BOX: (0.5, 0.5, 0.5),
    GeomType.SPHERE: (1.0, 1.0, 1.0),
    GeomType.CYLINDER: (1.0, 0.5, 1.0),
    GeomType.CAPSULE: (1.0, 0.5, 1.0),
}
"""Factors from the document's sizes to the Model's half lengths."""
_REVOLVED = (GeomType.CYLINDER, GeomType.CAPSULE)
"""Shapes whose axis is x in the document, and z in the Model."""
_ANY_AXIS = (0.0, 0.0, 1.0)
"""The Model's axis of joints without one."""


class Placed(NamedTuple):
    """Pose of a body or geom in its parent: position in m, and a passive quaternion or else angles in
    degrees.
    """

    pos: Vector
    quat: Vector | None
    euler: Vector


class BodyRow(NamedTuple):
    """A body as given in the document; the world has no row."""

    node: Body
    name: str
    parent: int
    place: Placed
    joint: Joint
    armature: Vector
    damping: Vector
    stiffness: Vector
    spring: Vector
    axes: Reals
    """(n, 3): axes of the joints whose axes the document does not give"""


class GeomRow(NamedTuple):
    """A geom as given in the document, and the index of its body."""

    body: int
    type: GeomType
    mass: float
    dim: Vector
    place: Placed
    rgba: Rgba


def placed(places: Sequence[Placed]) -> tuple[Reals, Reals]:
    """Positions (n, 3), and orientations as active unit quaternions (n, 4)."""
    pos = np.array([place.pos for place in places], dtype=np.float64).reshape(-1, 3)
    angles = np.array([place.euler for place in places], dtype=np.float64).reshape(-1, 3)
    quat = rotations.euler(np.deg2rad(angles[:, ::-1]), "zyx")
    given = [row for row, place in enumerate(places) if place.quat is not None]
    passive = np.array([places[row].quat for row in given], dtype=np.float64).reshape(-1, 4)
    quat[given] = rotations.conjugate(rotations.unit(passive))
    return pos, rotations.unit(quat)


# --- geoms --------------------------------------------------------------------------------------------------


def geom_columns(rows: Sequence[GeomRow], nbody: int) -> tuple[Columns, MassProperties]:
    """The columns of geoms, in the order of their bodies, and the mass that they give to these."""
    pos, quat = placed([row.place for row in rows])
    types = [row.type for row in rows]
    size = np.array([(*row.dim, 0.0, 0.0)[:3] for row in rows], dtype=np.float64).reshape(-1, 3)
    size *= np.array([_HALVED[kind] for kind in types]).reshape(-1, 3)
    revolved = np.array([kind in _REVOLVED for kind in types], dtype=bool)
    quat[revolved] = rotations.product(quat[revolved], _ALONG_X)
    mass = np.array([row.mass for row in rows], dtype=np.float64)
    body = np.array([row.body for row in rows], dtype=np.intp)
    moments = np.zeros((len(rows), 3))
    with np.errstate(all="ignore"):  # on overflow the bodies are rejected
        for kind in set(types):
            alike = np.array([other is kind for other in types])
            moments[alike] = np.stack(shapes.moments(kind.value, size[alike].T, mass[alike]), axis=-1)
    codes = {kind: ShapeType[kind.value].value for kind in _HALVED}
    columns: Columns = {
        "geom_type": np.array([codes[kind] for kind in types], dtype=np.int32),
        "geom_bodyid": body.astype(np.int32),
        "geom_pos": pos,
        "geom_quat": rotations.unit(quat),
        "geom_size": size,
        "geom_rgba": np.array([row.rgba for row in rows], dtype=np.float64).reshape(-1, 4),
        "geom_mass": mass,
        "geom_contype": np.zeros(len(rows), dtype=np.int32),
        "geom_conaffinity": np.zeros(len(rows), dtype=np.int32),
    }
    parts = Parts(body, mass, pos, quat, moments)
    return columns, compose(parts.where(body > 0), nbody)


# --- bodies -------------------------------------------------------------------------------------------------


def body_columns(rows: Sequence[BodyRow], heavy: MassProperties) -> Columns:
    """The columns of bodies, the world first.

    Raises:
        ModelError: a body's mass or inertia overflows.
    """
    mass, centre, inertia = heavy
    with np.errstate(over="ignore", invalid="ignore"):
        reach = np.hypot(np.hypot(centre[:, 0], centre[:, 1]), centre[:, 2])
        far = ~np.isfinite(mass * reach * reach)
    for body in np.flatnonzero(far | ~np.isfinite(inertia).all(axis=(1, 2))).tolist()[:1]:
        what = "masses and places" if far[body] else "sizes"
        name = WORLD if body == 0 else rows[body - 1].name
        raise ModelError([Problem(f"its geoms' {what} overflow", "body", body, name)])
    moments, frame = principal(inertia)
    world = Placed((0.0, 0.0, 0.0), None, (0.0, 0.0, 0.0))
    pos, quat = placed([world, *(row.place for row in rows)])
    return {
        "body_parentid": np.array([0, *(row.parent for row in rows)], dtype=np.int32),
        "body_pos": pos,
        "body_quat": quat,
        "body_mass": mass,
        "body_ipos": centre,
        "body_iquat": frame,
        "body_inertia": moments,
    }


# --- joints -------------------------------------------------------------------------------------------------


class _Group(NamedTuple):
    """Joints of bodies whose joint types have the same primitives, one row per body."""

    joint: Joint
    pieces: tuple[Piece, ...]
    bodies: NDArray[np.intp]
    axes: Reals
    """(n, k, 3): axes of the pieces whose axes the document does not give"""
    dofs: Reals
    """(n, nv, 3): armature, damping, stiffness"""
    coordinates: Reals
    """(n, nq, 2): qpos0, qpos_spring"""


def joint_columns(rows: Sequence[BodyRow], pos: Reals, quat: Reals) -> tuple[Columns, list[str]]:
    """The columns of joints with their degrees of freedom and coordinates, and the joints' names.

    Args:
        rows: the bodies.
        pos, quat: their poses (nbody, 3), (nbody, 4), the world first.
    """
    members: dict[Joint, list[int]] = {}
    for body, row in enumerate(rows, 1):
        members.setdefault(row.joint, []).append(body)
    groups = [
        part
        for joint, bodies in members.items()
        if PIECES[joint]
        for part in _parts(_group(joint, np.array(bodies), rows), pos, quat)
    ]
    owners = [np.repeat(group.bodies, len(group.pieces)) for group in groups]
    types = [np.tile([piece.type.value for piece in group.pieces], len(group.bodies)) for group in groups]
    owner, order = _ordered(owners)
    names = [name for group in groups for name in _names(group, rows)]
    dofs = _sorted([(group.bodies, group.dofs) for group in groups], 3)
    coordinates = _sorted([(group.bodies, group.coordinates) for group in groups], 2)
    columns: Columns = {
        "jnt_type": np.concatenate([np.zeros(0, np.int32), *types]).astype(np.int32)[order],
        "jnt_bodyid": owner.astype(np.int32),
        "jnt_pos": np.zeros((len(owner), 3)),
        "jnt_axis": np.concatenate([np.zeros((0, 3)), *map(_axes, groups)])[order],
        "jnt_pitch": np.zeros(len(owner)),
    }
    columns |= dict(zip(("dof_armature", "dof_damping", "dof_stiffness"), dofs.T, strict=True))
    columns |= dict(zip(("qpos0", "qpos_spring"), coordinates.T, strict=True))
    return columns, [names[place] for place in order.tolist()]


def _group(joint: Joint, bodies: NDArray[np.intp], rows: Sequence[BodyRow]) -> _Group:
    pieces, block = PIECES[joint], BLOCKS[joint]
    mine = [rows[body - 1] for body in bodies.tolist()]
    said = [(row.armature, row.damping, row.stiffness) for row in mine]
    dofs = np.empty((len(mine), len(block.qd), 3))
    dofs[:, block.qd] = np.swapaxes(np.array(said, dtype=np.float64), 1, 2)
    coordinates = np.zeros((len(mine), len(block.q), 2))
    coordinates[:, block.q, 1] = np.array([row.spring for row in mine], dtype=np.float64) * block.q_sign
    first = 0
    for piece in pieces:
        if piece.type is JointType.ball:
            coordinates[:, first, 0] = 1.0
            whole = slice(first, first + piece.nq)
            coordinates[:, whole, 1] = rotations.unit(coordinates[:, whole, 1])
        first += piece.nq
    return _Group(joint, pieces, bodies, np.array([row.axes for row in mine]), dofs, coordinates)


def _parts(group: _Group, pos: Reals, quat: Reals) -> list[_Group]:
    """A group split in two: bodies that start with a free joint, and the others.

    Three slides and a ball are one free joint if the body has no offset, and armature, damping and stiffness
    each have the same value for all their axes.
    """
    if group.pieces[: len(FREE)] != FREE:
        return [group]
    nq, nv = (sum(getattr(piece, size) for piece in FREE) for size in ("nq", "nv"))
    offset = pos[group.bodies].any(axis=1) | quat[group.bodies, 1:].any(axis=1)
    free = ~offset & (group.dofs[:, :nv] == group.dofs[:, :1]).all(axis=(1, 2))
    group.coordinates[free, :nq, 0] = np.hstack([pos, quat])[group.bodies[free]]
    pieces = (Piece(JointType.free), *group.pieces[len(FREE) :])
    halves = [
        _Group(group.joint, kinds, *(column[which] for column in group[2:]))
        for kinds, which in ((pieces, free), (group.pieces, ~free))
    ]
    return [half for half in halves if len(half.bodies)]


def _axes(group: _Group) -> Reals:
    """The axes of a group's joints, (n, 3)."""
    axes = np.empty((len(group.bodies), len(group.pieces), 3))
    axes[:] = [piece.axis or _ANY_AXIS for piece in group.pieces]
    turning = (JointType.hinge, JointType.slide)
    open_ = [place for place, p in enumerate(group.pieces) if p.axis is None and p.type in turning]
    if open_:
        axes[:, open_] = group.axes
    return axes.reshape(-1, 3)


def _names(group: _Group, rows: Sequence[BodyRow]) -> list[str]:
    kind, count = group.joint.value, len(group.pieces)
    kinds = [kind] if count == 1 else [f"{kind}.{place}" for place in range(count)]
    return [f"{rows[body - 1].name}:{kind}" for body in group.bodies.tolist() for kind in kinds]


def _ordered(owners: Sequence[NDArray[np.intp]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Owners in the order of the bodies, and the original index of each item."""
    owner = np.concatenate([np.zeros(0, dtype=np.intp), *owners])
    order = np.argsort(owner, kind="stable")
    return owner[order], order


def _sorted(groups: Sequence[tuple[NDArray[np.intp], Reals]], width: int) -> Reals:
    """Values (n, k, width) of bodies in the bodies' order, (n * k, width)."""
    _, order = _ordered([np.repeat(bodies, values.shape[1]) for bodies, values in groups])
    return np.concatenate([np.zeros((0, width)), *(v.reshape(-1, width) for _, v in groups)])[order]
