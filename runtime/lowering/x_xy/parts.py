"""The parts of a Model from the bodies and geoms of an x_xy document; poses and masses all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.assembly import parts
from polybody.assembly.mass_properties import MassProperties, Parts, compose
from polybody.base import Node
from polybody.errors import ModelError, Problem
from polybody.generated.formats.x_xy import GeomType, Joint
from polybody.generated.model import JointType, ShapeType
from polybody.geometry import shapes
from polybody.lowering.x_xy.geom_colours import Rgba
from polybody.lowering.x_xy.joints import BLOCKS, FREE, PIECES, Piece
from polybody.rotations import arrays as rotations

Reals = NDArray[np.float64]
Vector = Sequence[float]

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
_SHAPES = {kind: ShapeType[kind.value] for kind in _HALVED}
_ANY_AXIS = (0.0, 0.0, 1.0)
"""The Model's axis of joints without one."""
_START = {
    JointType.hinge: (0.0,),
    JointType.slide: (0.0,),
    JointType.screw: (0.0,),
    JointType.ball: parts.IDENTITY,
}
"""Initial coordinates; a free joint starts at the body's pose."""


class _Primitive(NamedTuple):
    """A primitive joint of a joint type."""

    name: str
    """What follows the body's name in its own."""
    type: JointType
    axis: Vector | None
    """None: it is drawn."""
    start: Vector | None
    nq: int
    nv: int


def _primitives(kind: str, pieces: Sequence[Piece]) -> list[_Primitive]:
    names = [kind] if len(pieces) == 1 else [f"{kind}.{place}" for place in range(len(pieces))]
    axes = [
        piece.axis if piece.type in (JointType.hinge, JointType.slide) else piece.axis or _ANY_AXIS
        for piece in pieces
    ]
    return [
        _Primitive(name, piece.type, axis, _START.get(piece.type), piece.nq, piece.nv)
        for name, piece, axis in zip(names, pieces, axes, strict=True)
    ]


_PRIMITIVES = {joint: _primitives(joint.value, pieces) for joint, pieces in PIECES.items()}
_MERGED = {
    joint: _primitives(joint.value, (Piece(JointType.free), *pieces[len(FREE) :]))
    for joint, pieces in PIECES.items()
    if pieces[: len(FREE)] == FREE
}
"""The same where three slides and a ball are one free joint."""
_NATIVE = {
    joint: (order.tolist(), block.q_sign[order].tolist(), np.argsort(block.qd).tolist())
    for joint, block in BLOCKS.items()
    for order in [np.argsort(block.q)]
}
"""For each coordinate of the Model its place in the document's, and its sign; the places of velocities."""


class Placed(NamedTuple):
    """Pose of a body or geom in its parent: position in m, and a passive quaternion or else angles in
    degrees.
    """

    pos: Vector
    quat: Vector | None
    euler: Vector


class BodyRow(NamedTuple):
    """A body as given in the document; the world has no row."""

    node: Node
    name: str
    parent: int
    place: Placed
    joint: Joint
    armature: Vector
    damping: Vector
    stiffness: Vector
    spring: Vector
    axes: Reals
    """(n, 3): axes of the joints whose axes the document does not give."""


class GeomRow(NamedTuple):
    """A geom as given in the document, and the index of its body."""

    node: Node
    body: int
    type: GeomType
    mass: float
    dim: Vector
    place: Placed
    rgba: Rgba


def placed(places: Sequence[Placed]) -> tuple[Reals, Reals]:
    """Positions (n, 3), and orientations as active quaternions (n, 4), which a Model normalises."""
    pos = np.array([place.pos for place in places], dtype=np.float64).reshape(-1, 3)
    angles = np.array([place.euler for place in places], dtype=np.float64).reshape(-1, 3)
    quat = rotations.euler(np.deg2rad(angles[:, ::-1]), "zyx")
    given = [row for row, place in enumerate(places) if place.quat is not None]
    passive = np.array([places[row].quat for row in given], dtype=np.float64).reshape(-1, 4)
    quat[given] = rotations.conjugate(rotations.unit(passive))
    return pos, quat


# --- geoms --------------------------------------------------------------------------------------------------


def add_geoms(rows: Sequence[GeomRow], bodies: Sequence[parts.Body]) -> MassProperties:
    """Add geoms to their bodies, the world first; returns the mass properties that they give to these."""
    pos, quat = placed([row.place for row in rows])
    quat = rotations.unit(quat)
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
    numbers = zip(rows, size.tolist(), pos.tolist(), quat.tolist(), strict=True)
    for row, sizes, place, turn in numbers:
        made = parts.Geom(
            "", _SHAPES[row.type], sizes, place, turn, row.rgba, mass=row.mass, group=0, node=row.node
        )
        bodies[row.body].geoms.append(made)
    homogeneous = Parts(body, mass, pos, quat, moments)
    return compose(homogeneous.where(body > 0), len(bodies))


# --- bodies -------------------------------------------------------------------------------------------------


def made_bodies(rows: Sequence[BodyRow], world: parts.Body) -> list[parts.Body]:
    """The bodies with their joints, the world first."""
    pos, quat = placed([row.place for row in rows])
    bodies = [world]
    turning: list[list[float]] = []
    for row, place, turn in zip(rows, pos.tolist(), quat.tolist(), strict=True):
        body = parts.Body(row.name, bodies[row.parent], place, turn, node=row.node)
        if PIECES[row.joint]:
            _add_joints(body, row, turning)
        bodies.append(body)
    if turning:
        rest = rotations.unit([spring[-4:] for spring in turning])
        for spring, quaternion in zip(turning, rest.tolist(), strict=True):
            spring[-4:] = quaternion
    return bodies


def set_masses(heavy: MassProperties, bodies: Sequence[parts.Body]) -> None:
    """Give bodies, the world first, their mass properties.

    Raises:
        ModelError: a mass or an inertia overflows.
    """
    mass, centre, inertia = heavy
    with np.errstate(over="ignore", invalid="ignore"):
        reach = np.hypot(np.hypot(centre[:, 0], centre[:, 1]), centre[:, 2])
        far = ~np.isfinite(mass * reach * reach)
    for body in np.flatnonzero(far | ~np.isfinite(inertia).all(axis=(1, 2))).tolist()[:1]:
        what = "masses and places" if far[body] else "sizes"
        raise ModelError([Problem(f"its geoms' {what} overflow", "body", body, bodies[body].name)])
    numbers = zip(mass.tolist(), centre.tolist(), inertia.tolist(), strict=True)
    for each, own in zip(bodies, numbers, strict=True):
        each.mass, each.ipos, each.inertia = own


# --- joints -------------------------------------------------------------------------------------------------


def _add_joints(body: parts.Body, row: BodyRow, turning: list[list[float]]) -> None:
    """Add the primitive joints of a body's joint type. Coordinates of springs that end in a quaternion are
    added to ``turning``.
    """
    q, signs, qd = _NATIVE[row.joint]
    dofs = [[given[place] for place in qd] for given in (row.armature, row.damping, row.stiffness)]
    spring = [row.spring[place] * sign for place, sign in zip(q, signs, strict=True)]
    primitives = _PRIMITIVES[row.joint]
    if row.joint in _MERGED and _is_free(body, dofs):
        primitives = _MERGED[row.joint]
    drawn = iter(row.axes.tolist())
    dof = begin = 0
    for name, kind, axis, start, nq, nv in primitives:
        rest = spring[begin : begin + nq]
        made = parts.Joint(
            f"{row.name}:{name}",
            kind,
            axis=next(drawn) if axis is None else axis,
            spring=rest,
            qpos0=start,
            node=row.node,
        )
        values = [own[dof] if nv == 1 else own[dof : dof + nv] for own in dofs]
        made.armature, made.damping, made.stiffness = values
        body.joints.append(made)
        if nq != nv:
            turning.append(rest)
        dof, begin = dof + nv, begin + nq


def _is_free(body: parts.Body, dofs: Sequence[Sequence[float]]) -> bool:
    """Whether three slides and a ball are one free joint: the body has no offset, and armature, damping and
    stiffness each have the same value for all their axes.
    """
    offset = any(body.pos) or any(body.quat[1:])
    return not offset and all(len(set(own[:6])) == 1 for own in dofs)
