"""ModelBuilder: a Model, body by body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.errors import ModelError
from polybody.generated.model import JOINT_SIZES, Integrator, JointType, ShapeType, WrapType
from polybody.model.flags import DISABLE
from polybody.model.model import Model
from polybody.rotations import of_matrix, product, unit

Reals = NDArray[np.float64]
IDENTITY = (1.0, 0.0, 0.0, 0.0)
ORIGIN = (0.0, 0.0, 0.0)
ROUNDING = 4e-16
"""A vector whose length differs from 1 by less than this is already normalised and is left unchanged."""
WHITE = (1.0, 1.0, 1.0, 1.0)


class _Body(NamedTuple):
    name: str
    parent: int
    pos: Reals
    quat: Reals
    mass: float
    ipos: Reals
    iquat: Reals
    inertia: Reals


class _Joint(NamedTuple):
    body: int
    name: str
    type: JointType
    pos: Reals
    axis: Reals
    pitch: float
    dofs: Reals  # (3, nv): armature, damping, stiffness
    coordinates: Reals  # (2, nq): qpos0, qpos_spring


class _Geom(NamedTuple):
    body: int
    name: str
    type: ShapeType
    pos: Reals
    quat: Reals
    size: Reals
    rgba: Reals
    mass: float


class _Tendon(NamedTuple):
    name: str
    joints: list[tuple[int, float]]  # rows in order of addition, coefficients
    stiffness: float
    damping: float
    springlength: Reals


class ModelBuilder:
    """Builds a :class:`Model` body by body; row 0, the world, exists from the start.

    Units are SI, angles radians, quaternions w first; they and axes are normalised. An invalid argument (a
    vector of the wrong length, an unknown joint type) is refused immediately; the whole Model is checked by
    :meth:`build`.

        b = ModelBuilder(timestep=1e-3)
        arm = b.body(name="arm", mass=1, ipos=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
        b.joint(arm, "hinge", axis=(0, 1, 0), name="shoulder", damping=0.1)
        model = b.build()

    Args:
        name: name of the Model.
        timestep: length of a step, s.
        gravity: acceleration of a falling body in world axes, m/s^2.
        integrator: "Euler" (semi-implicit) or "RK4".
        regularization: added to the mass matrix's diagonal wherever accelerations are solved for.
        implicit_damping: whether Euler takes the dampers' force at the end of the step.
    """

    def __init__(
        self,
        name: str = "",
        *,
        timestep: float = 0.002,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        integrator: str | Integrator = "Euler",
        regularization: float = 0.0,
        implicit_damping: bool = True,
    ) -> None:
        self.name = name
        self._options: dict[str, Any] = {
            "opt_timestep": _number(timestep, "timestep"),
            "opt_gravity": _vector(gravity, 3, "gravity"),
            "opt_integrator": _member(Integrator, integrator, "integrator"),
            "opt_regularization": _number(regularization, "regularization"),
            "opt_disableflags": 0 if implicit_damping else DISABLE["eulerdamp"],
        }
        nothing, upright = np.zeros(3), np.array(IDENTITY)
        self._bodies = [_Body("world", 0, nothing, upright, 0.0, nothing, upright, nothing)]
        self._joints: list[_Joint] = []
        self._geoms: list[_Geom] = []
        self._tendons: list[_Tendon] = []

    def body(
        self,
        parent: int = 0,
        *,
        name: str = "",
        pos: ArrayLike = ORIGIN,
        quat: ArrayLike = IDENTITY,
        mass: float = 0.0,
        ipos: ArrayLike = ORIGIN,
        iquat: ArrayLike = IDENTITY,
        inertia: ArrayLike = ORIGIN,
    ) -> int:
        """Add a body and return its row. Without joints it is welded to its parent.

        Args:
            parent: row of its parent body; 0 is the world.
            name: unique among bodies, or "".
            pos, quat: its frame in its parent's, joints at rest, m.
            mass: kg.
            ipos: centre of mass in its frame, m.
            iquat: orientation of the axes of ``inertia`` in its frame.
            inertia: about the centre of mass, kg m^2: 3 principal moments, 6 numbers xx yy zz xy xz yz, or
                a 3x3 matrix.

        Raises:
            ModelError: an argument of the wrong kind or length, an asymmetric inertia, a parent that does not
                exist yet.
        """
        what = f"body {len(self._bodies)}" + (f" {name!r}" if name else "")
        if not 0 <= parent < len(self._bodies):
            raise ModelError([f"{what}: its parent {parent} does not exist yet; bodies: {len(self._bodies)}"])
        frame = _quaternion(iquat, f"{what}: iquat")
        moments, frame = _principal(inertia, frame, f"{what}: inertia")
        self._bodies.append(
            _Body(
                name,
                parent,
                _vector(pos, 3, f"{what}: pos"),
                _quaternion(quat, f"{what}: quat"),
                _number(mass, f"{what}: mass"),
                _vector(ipos, 3, f"{what}: ipos"),
                frame,
                moments,
            )
        )
        return len(self._bodies) - 1

    def joint(
        self,
        body: int,
        type: str | JointType,
        *,
        name: str = "",
        axis: ArrayLike = (0.0, 0.0, 1.0),
        pos: ArrayLike = ORIGIN,
        pitch: float = 0.0,
        armature: ArrayLike = 0.0,
        damping: ArrayLike = 0.0,
        stiffness: ArrayLike = 0.0,
        spring: ArrayLike | None = None,
        qpos0: ArrayLike | None = None,
    ) -> None:
        """Add a joint to a body; a body's joints act in the order in which they were added.

        Args:
            body: row of the body that it moves.
            type: "free", "ball", "slide", "hinge" or "screw".
            name: unique among joints, or "".
            axis: direction in the body's frame; of any length but zero.
            pos: a point of the axis in the body's frame, m.
            pitch: translation of a screw along its axis, m per radian.
            armature, damping, stiffness: a number per degree of freedom, or one for all.
            spring: coordinates at which the springs rest; zeros and the identity rotation, for a free joint
                the body's pose.
            qpos0: initial coordinates; the same default.

        Raises:
            ModelError: an argument of the wrong kind or length, an axis of length zero, a body that does not
                exist or never moves.
        """
        what = f"joint {len(self._joints)}" + (f" {name!r}" if name else "")
        if not 0 < body < len(self._bodies):
            raise ModelError([f"{what}: body {body} is not one of 1 to {len(self._bodies) - 1}"])
        kind = _member(JointType, type, f"{what}: type")
        nq, nv = JOINT_SIZES[kind]
        direction, place = _direction(axis, what), _vector(pos, 3, f"{what}: pos")
        rest = self._rest(body, kind)
        coordinates = [
            rest if given is None else _coordinates(given, nq, nv, f"{what}: {word}")
            for word, given in (("qpos0", qpos0), ("spring", spring))
        ]
        dofs = [
            _vector(np.broadcast_to(given, nv) if np.ndim(given) == 0 else given, nv, f"{what}: {word}")
            for word, given in (("armature", armature), ("damping", damping), ("stiffness", stiffness))
        ]
        along = _number(pitch, f"{what}: pitch")
        self._joints.append(
            _Joint(body, name, kind, place, direction, along, np.stack(dofs), np.stack(coordinates))
        )

    def geom(
        self,
        body: int,
        type: str | ShapeType,
        *,
        size: ArrayLike,
        name: str = "",
        pos: ArrayLike = ORIGIN,
        quat: ArrayLike = IDENTITY,
        rgba: ArrayLike = WHITE,
        mass: float = 0.0,
    ) -> None:
        """Add a shape to a body. It does not change mass and inertia, which are arguments of :meth:`body`.

        Args:
            body: row of the body that carries it; 0 is the world.
            type: a shape of physics.xml: "sphere", "capsule", "ellipsoid", "cylinder", "box"...
            size: up to 3 numbers: radius, half length along z; half edges; half axes, m.
            name: unique among geoms, or "".
            pos, quat: its frame in the body's, m.
            rgba: colour and opacity, 0 to 1.
            mass: its part of the body's mass, kg.

        Raises:
            ModelError: an argument of the wrong kind or length, a body that does not exist.
        """
        what = f"geom {len(self._geoms)}" + (f" {name!r}" if name else "")
        if not 0 <= body < len(self._bodies):
            raise ModelError([f"{what}: body {body} does not exist"])
        sizes = np.atleast_1d(np.asarray(size, dtype=np.float64))
        if sizes.ndim != 1 or len(sizes) > 3:
            raise ModelError([f"{what}: size must be up to 3 numbers, not {size!r}"])
        self._geoms.append(
            _Geom(
                body,
                name,
                _member(ShapeType, type, f"{what}: type"),
                _vector(pos, 3, f"{what}: pos"),
                _quaternion(quat, f"{what}: quat"),
                np.pad(sizes, (0, 3 - len(sizes))),
                _vector(rgba, 4, f"{what}: rgba"),
                _number(mass, f"{what}: mass"),
            )
        )

    def tendon(
        self,
        joints: Mapping[str, float],
        *,
        name: str = "",
        stiffness: float = 0.0,
        damping: float = 0.0,
        springlength: ArrayLike = (-1.0, -1.0),
    ) -> None:
        """Add a tendon whose length is a sum of joints' coordinates (MuJoCo's fixed tendons).

        Args:
            joints: coefficients by the names of existing hinges, slides and screws.
            name: unique among tendons, or "".
            stiffness: of its spring, N/m or N m/rad.
            damping: force against its velocity, N s/m or N m s/rad.
            springlength: lengths between which the spring exerts no force, m or rad; (-1, -1): the length
                where the joints' springs rest.

        Raises:
            ModelError: an argument of the wrong kind or length, no joint, or none of that name with one
                degree of freedom.
        """
        what = f"tendon {len(self._tendons)}" + (f" {name!r}" if name else "")
        if not isinstance(joints, Mapping):
            raise ModelError([f"{what}: joints must be a mapping of names to coefficients, not {joints!r}"])
        known = {
            joint.name: row
            for row, joint in enumerate(self._joints)
            if joint.name and JOINT_SIZES[joint.type] == (1, 1)
        }
        unknown = [word for word in joints if word not in known]
        if unknown or not joints:
            listed = ", ".join(map(repr, known)) or "none"
            wrong = f"{unknown[0]!r} is not one of the joints" if unknown else "it needs joints"
            raise ModelError([f"{what}: {wrong} with one degree of freedom that exist: {listed}"])
        self._tendons.append(
            _Tendon(
                name,
                [(known[word], _number(factor, f"{what}: {word}")) for word, factor in joints.items()],
                _number(stiffness, f"{what}: stiffness"),
                _number(damping, f"{what}: damping"),
                _vector(springlength, 2, f"{what}: springlength"),
            )
        )

    def build(self) -> Model:
        """The Model.

        Raises:
            ModelError: the Model is invalid: negative or non-finite masses, inertias against the triangle
                inequality, duplicate names... Every problem is listed.
        """
        order = sorted(
            range(len(self._joints)), key=lambda row: self._joints[row].body
        )  # within a body, in order of addition
        joints = [self._joints[row] for row in order]
        geoms = sorted(self._geoms, key=lambda geom: geom.body)
        columns = dict(self._options)
        columns |= _gather("body_", self._bodies, ("pos", "quat", "mass", "ipos", "iquat", "inertia"), _Body)
        for name in ("geom_contype", "geom_conaffinity"):
            columns[name] = np.zeros(len(geoms), dtype=np.int32)
        columns["body_parentid"] = np.array([body.parent for body in self._bodies], dtype=np.int32)
        columns |= _gather("jnt_", joints, ("pos", "axis", "pitch"), _Joint)
        columns |= _gather("geom_", geoms, ("pos", "quat", "size", "rgba", "mass"), _Geom)
        for prefix, rows in (("jnt_", joints), ("geom_", geoms)):
            columns[prefix + "type"] = np.array([int(row.type) for row in rows], dtype=np.int32)
            columns[prefix + "bodyid"] = np.array([row.body for row in rows], dtype=np.int32)
        dofs = np.concatenate([joint.dofs for joint in joints], axis=1) if joints else np.zeros((3, 0))
        columns |= dict(zip(("dof_armature", "dof_damping", "dof_stiffness"), dofs, strict=True))
        coordinates = np.concatenate([j.coordinates for j in joints], axis=1) if joints else np.zeros((2, 0))
        columns |= dict(zip(("qpos0", "qpos_spring"), coordinates, strict=True))
        columns |= self._paths({added: row for row, added in enumerate(order)})
        names = {
            "body": [body.name for body in self._bodies],
            "joint": [joint.name for joint in joints],
            "geom": [geom.name for geom in geoms],
            "tendon": [tendon.name for tendon in self._tendons],
        }
        return Model(columns, names, name=self.name)

    def _paths(self, rows: Mapping[int, int]) -> dict[str, Any]:
        """The columns of tendons; ``rows`` gives the row of each joint by its order of addition."""
        tendons = self._tendons
        counts = np.array([len(tendon.joints) for tendon in tendons], dtype=np.int32)
        wraps = [(rows[joint], factor) for tendon in tendons for joint, factor in tendon.joints]
        return {
            "tendon_adr": (np.cumsum(counts) - counts).astype(np.int32),
            "tendon_num": counts,
            "tendon_stiffness": np.array([tendon.stiffness for tendon in tendons], dtype=np.float64),
            "tendon_damping": np.array([tendon.damping for tendon in tendons], dtype=np.float64),
            "tendon_springlength": np.array([t.springlength for t in tendons]).reshape(-1, 2),
            "wrap_type": np.full(len(wraps), int(WrapType.joint), dtype=np.int32),
            "wrap_objid": np.array([joint for joint, _ in wraps], dtype=np.int32),
            "wrap_prm": np.array([factor for _, factor in wraps], dtype=np.float64),
        }

    def _rest(self, body: int, kind: JointType) -> Reals:
        """Coordinates of a joint with which the body has the pose of ``body_pos`` and ``body_quat``."""
        nq, nv = JOINT_SIZES[kind]
        if kind is JointType.free:
            return np.concatenate([self._bodies[body].pos, self._bodies[body].quat])
        rest = np.zeros(nq)
        if nq > nv:
            rest[-4] = 1.0
        return rest


def _gather(prefix: str, rows: Any, fields: tuple[str, ...], row_type: Any) -> dict[str, Reals]:
    """Columns from rows; without rows, empty columns of the right width."""
    widths = {"pos": 3, "quat": 4, "ipos": 3, "iquat": 4, "inertia": 3, "axis": 3, "size": 3, "rgba": 4}
    columns = {}
    for field in fields:
        place = row_type._fields.index(field)
        values = np.array([row[place] for row in rows], dtype=np.float64)
        columns[prefix + field] = values.reshape(-1, widths[field]) if field in widths else values
    return columns


def _number(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ModelError([f"{what} must be a number, not {value!r}"]) from None


def _direction(axis: ArrayLike, what: str) -> Reals:
    """An axis (3,), normalised."""
    given = _vector(axis, 3, f"{what}: axis")
    length = float(np.linalg.norm(given))
    if not (np.isfinite(length) and length > 0):
        raise ModelError([f"{what}: the axis {given.tolist()} has zero length"])
    return given if abs(length - 1) <= ROUNDING else given / length


def _vector(value: ArrayLike, length: int, what: str) -> Reals:
    numbers = "1 number" if length == 1 else f"{length} numbers"
    try:
        vector = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError([f"{what} must be {numbers}, not {value!r}"]) from None
    if vector.shape != (length,):
        raise ModelError([f"{what} must be {numbers}, not of shape {vector.shape}"])
    return vector


def _quaternion(value: ArrayLike, what: str) -> Reals:
    try:
        return unit(_vector(value, 4, what))
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError([f"{what}: {error}"]) from None


def _coordinates(value: ArrayLike, nq: int, nv: int, what: str) -> Reals:
    coordinates = np.atleast_1d(_vector(np.atleast_1d(np.asarray(value)), nq, what))
    if nq > nv:
        coordinates[-4:] = _quaternion(coordinates[-4:], what)
    return coordinates


def _member(kind: Any, value: Any, what: str) -> Any:
    try:
        return kind[value] if isinstance(value, str) else kind(value)
    except (KeyError, ValueError):
        raise ModelError([f"{what}: {value!r} is not one of {', '.join(kind.__members__)}"]) from None


def _principal(value: ArrayLike, frame: Reals, what: str) -> tuple[Reals, Reals]:
    """Principal moments of an inertia given in ``frame``, and the quaternion of its principal axes."""
    given = np.asarray(value, dtype=np.float64)
    if given.shape == (3,):
        return given.copy(), frame
    if given.shape == (6,):
        xx, yy, zz, xy, xz, yz = given
        given = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if given.shape != (3, 3):
        raise ModelError([f"{what} must be 3 or 6 numbers or 3x3, not of shape {given.shape}"])
    if not np.isfinite(given).all():
        raise ModelError([f"{what} is not finite: {given.tolist()}"])
    if np.abs(given - given.T).max() > 1e-9 * np.abs(given).max():
        raise ModelError([f"{what} is not symmetric: {given.tolist()}"])
    if not np.any(given - np.diag(np.diag(given))):
        return np.diag(given).copy(), frame
    moments, axes = np.linalg.eigh((given + given.T) / 2)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    return moments, unit(product(frame, of_matrix(axes)))
