"""ModelBuilder: a Model, body by body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from polybody.assembly.arguments import (
    called,
    checked,
    checked_as,
    coordinates,
    direction,
    member,
    number,
    pair,
    pairs,
    per_dof,
    principal,
    quaternion,
    up_to_three,
    vector,
)
from polybody.assembly.customs import Numeric, Text, Tuple
from polybody.assembly.parts import (
    IDENTITY,
    ORIGIN,
    Actuator,
    Assembly,
    Body,
    Element,
    Equality,
    Exclude,
    Follows,
    Geom,
    Joint,
    Key,
    Material,
    MeshAsset,
    Site,
    Tendon,
)
from polybody.errors import ModelError
from polybody.generated.model import (
    JOINT_SIZES,
    ElementType,
    EqualityType,
    Integrator,
    JointType,
    ObjectType,
    Prescription,
    ShapeType,
)
from polybody.model.flags import DISABLE
from polybody.model.model import Model
from polybody.rotations.arrays import unit

WHITE = (1.0, 1.0, 1.0, 1.0)
AUTOMATIC = (-1.0, -1.0)


class ModelBuilder:
    """Builds a :class:`Model` body by body; row 0, the world, exists from the start.

    Units are SI, angles radians, quaternions w first; they and axes are normalised. An invalid argument (a
    vector of the wrong length, an unknown joint type) is refused immediately; the whole Model is checked by
    :meth:`build`.

        b = ModelBuilder(timestep=1e-3)
        arm = b.body(name="arm", mass=1, ipos=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
        b.joint(arm, "hinge", axis=(0, 1, 0), name="shoulder", damping=0.1)
        b.actuator("shoulder", ctrlrange=(-1, 1))
        model = b.build()

    Args:
        name: name of the Model.
        timestep: length of a step, s.
        gravity: acceleration of a falling body in world axes, m/s^2.
        integrator: "Euler" (semi-implicit) or "RK4".
        regularization: added to the mass matrix's diagonal wherever accelerations are solved for.
        implicit_damping: whether Euler takes the dampers' force at the end of the step.
        solref, solref_limit: time constant (s) and damping ratio of all constraints except limits, and of
            limits; None: the Model's defaults.
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
        solref: ArrayLike | None = None,
        solref_limit: ArrayLike | None = None,
    ) -> None:
        numbers = checked("", timestep=timestep, gravity=gravity, regularization=regularization)
        options = {f"opt_{word}": value for word, value in numbers.items()} | {
            "opt_integrator": member(Integrator, integrator, "integrator"),
            "opt_disableflags": 0 if implicit_damping else DISABLE["eulerdamp"],
        }
        references = checked("", solref=solref, solref_limit=solref_limit)
        self.assembly = Assembly(name, options, **references, depth_first=False)
        """The parts so far, as in `polybody.assembly.parts`."""
        self._bodies: list[Body] = [self.assembly.world]
        self._joints: list[Joint] = []
        self._by_name: dict[str, Joint] = {}
        self._ngeom = self._nsite = 0

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
        gravcomp: float = 0.0,
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
            gravcomp: the fraction of its weight that is compensated.

        Raises:
            ModelError: an argument of the wrong kind or length, an asymmetric inertia, a parent that does not
                exist yet.
        """
        what = called("body", len(self._bodies), name)
        if not 0 <= parent < len(self._bodies):
            raise ModelError([f"{what}: its parent {parent} does not exist yet; bodies: {len(self._bodies)}"])
        frame = unit(quaternion(iquat, f"{what}: iquat"))
        moments, frame = principal(inertia, frame, f"{what}: inertia")
        fields = checked(what, pos=pos, quat=quat, mass=mass, ipos=ipos, gravcomp=gravcomp)
        axes = tuple(frame.tolist())
        added = Body(name, self._bodies[parent], **fields, inertia=np.diag(moments), iquat=axes)
        self._bodies.append(self.assembly.body(added))
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
        range: ArrayLike | None = None,
        armature: ArrayLike = 0.0,
        damping: ArrayLike = 0.0,
        stiffness: ArrayLike = 0.0,
        frictionloss: ArrayLike = 0.0,
        spring: ArrayLike | None = None,
        qpos0: ArrayLike | None = None,
        qvel0: ArrayLike | None = None,
        quat: ArrayLike = IDENTITY,
        offset: ArrayLike = ORIGIN,
        inparent: bool = False,
        vectorspring: bool = False,
        prescribed: str | Prescription = Prescription.nothing,
        servorange: Sequence[tuple[float, float]] | None = None,
    ) -> None:
        """Add a joint to a body; a body's joints act in the order in which they were added.

        Args:
            body: row of the body that it moves.
            type: "free", "ball", "slide", "hinge" or "screw".
            name: unique among joints, or "".
            axis: direction in the body's frame; of any length but zero.
            pos: a point of the axis in the body's frame, m.
            pitch: translation of a screw along its axis, m per radian.
            range: limits of the coordinate, rad or m; infinite ones are absent.
            armature, damping, stiffness, frictionloss: a number per degree of freedom, or one for all.
            spring: coordinates at which the springs rest; zeros and the identity rotation, for a free joint
                the body's pose.
            qpos0: initial coordinates; the same default.
            qvel0: initial velocities, 0 by default.
            quat, offset, inparent: the columns jnt_quat, jnt_offset and jnt_inparent: axes of springs,
                dampers and forces of ball and free joints.
            vectorspring: whether the spring of a ball joint acts on the difference of rotation vectors.
            prescribed: which quantity of its motion the actuators prescribe.
            servorange: limits of the force of a servo motor along each degree of freedom, N or N m.

        Raises:
            ModelError: an argument of the wrong kind or length, an axis of length zero, a body that does not
                exist or never moves.
        """
        what = called("joint", len(self._joints), name)
        if not 0 < body < len(self._bodies):
            raise ModelError([f"{what}: body {body} is not one of 1 to {len(self._bodies) - 1}"])
        kind = member(JointType, type, f"{what}: type")
        nq, nv = JOINT_SIZES[kind]
        added = Joint(
            name,
            kind,
            axis=direction(axis, what),
            **checked(what, pos=pos, pitch=pitch, quat=quat, offset=offset, range=range),
            **checked_as(per_dof, (nv,), what, armature=armature, damping=damping, stiffness=stiffness),
            **checked_as(per_dof, (nv,), what, frictionloss=frictionloss, qvel0=qvel0),
            **checked_as(coordinates, (nq, nv), what, qpos0=qpos0, spring=spring),
            inparent=inparent,
            vectorspring=vectorspring,
            prescribed=member(Prescription, prescribed, f"{what}: prescribed"),
            servorange=None if servorange is None else pairs(servorange, nv, f"{what}: servorange"),
            whole=True,
        )
        self._bodies[body].joints.append(added)
        self._joints.append(added)
        if name:
            self._by_name[name] = added

    def geom(
        self,
        body: int,
        type: str | ShapeType,
        *,
        size: ArrayLike = ORIGIN,
        name: str = "",
        pos: ArrayLike = ORIGIN,
        quat: ArrayLike = IDENTITY,
        rgba: ArrayLike = WHITE,
        mass: float = 0.0,
        mesh: MeshAsset | None = None,
        material: Material | None = None,
        group: int = 0,
        contype: int = 0,
        conaffinity: int = 0,
        condim: int = 3,
        friction: ArrayLike = (1.0, 0.005, 0.0001),
        stiffness: float | None = None,
        damping: float | None = None,
        dissipation: float | None = None,
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
            mesh: the mesh of a geom of type "mesh", which has no size.
            material: a named appearance.
            group: the number of a group.
            contype, conaffinity: bits that determine what it touches, as in MJCF; by default nothing.
            condim: dimension of its contacts: 1, 3, 4 or 6.
            friction: sliding, torsional (m), rolling (m).
            stiffness, damping, dissipation: of its contacts, N/m, N s/m, s/m; None: the time constant
                applies.

        Raises:
            ModelError: an argument of the wrong kind or length, a body that does not exist.
        """
        what = called("geom", self._ngeom, name)
        owner = self._body(body, what)
        added = Geom(
            name,
            member(ShapeType, type, f"{what}: type"),
            size=up_to_three(size, f"{what}: size"),
            **checked(what, pos=pos, quat=quat, rgba=rgba, mass=mass, friction=friction),
            **checked_as(number, (), what, stiffness=stiffness, damping=damping, dissipation=dissipation),
            mesh=mesh,
            material=material,
            group=group,
            contype=contype,
            conaffinity=conaffinity,
            condim=condim,
        )
        owner.geoms.append(added)
        self._ngeom += 1

    def site(self, body: int, *, name: str = "", pos: ArrayLike = ORIGIN, quat: ArrayLike = IDENTITY) -> None:
        """Add a frame to a body.

        Args:
            body: row of the body; 0 is the world.
            name: unique among sites, or "".
            pos, quat: its pose in the body's frame, m.

        Raises:
            ModelError: an argument of the wrong kind or length, a body that does not exist.
        """
        what = called("site", self._nsite, name)
        self._body(body, what).sites.append(Site(name, **checked(what, pos=pos, quat=quat)))
        self._nsite += 1

    def actuator(
        self,
        joint: str,
        *,
        name: str = "",
        gear: ArrayLike = 1.0,
        gain: float = 1.0,
        bias: ArrayLike | None = None,
        ctrlrange: ArrayLike | None = None,
        forcerange: ArrayLike | None = None,
        ctrl0: float = 0.0,
        in_parent: bool = False,
    ) -> None:
        """Add an actuator: its force is gain times control, plus bias, clamped; gear times that acts on a
        joint.

        Args:
            joint: name of an existing joint.
            name: unique among actuators, or "".
            gear: a number, or one per degree of freedom.
            gain: force per control.
            bias: a constant, and factors of the length and of the velocity: (0, -kp, -kv) and a gain kp for a
                position servo.
            ctrlrange, forcerange: limits of the control and of the force; infinite ones are absent.
            ctrl0: the initial control.
            in_parent: whether the gear of a ball or free joint is in the parent's axes.

        Raises:
            ModelError: an argument of the wrong kind or length, no such joint.
        """
        what = called("actuator", len(self.assembly.actuators), name)
        driven = self._joint(joint, what)
        nv = 1 if np.ndim(gear) == 0 else JOINT_SIZES[driven.type][1]
        added = Actuator(
            name,
            driven,
            gear=per_dof(gear, nv, f"{what}: gear"),
            **checked(what, gain=gain, bias=bias, ctrlrange=ctrlrange, forcerange=forcerange, ctrl0=ctrl0),
            in_parent=in_parent,
        )
        self.assembly.actuators.append(added)

    def tendon(
        self,
        joints: Mapping[str, float],
        *,
        name: str = "",
        range: ArrayLike | None = None,
        stiffness: float = 0.0,
        damping: float = 0.0,
        springlength: ArrayLike = AUTOMATIC,
    ) -> None:
        """Add a tendon whose length is a sum of joints' coordinates (MuJoCo's fixed tendons).

        Args:
            joints: coefficients by the names of existing hinges, slides and screws.
            name: unique among tendons, or "".
            range: limits of the length, m or rad; infinite ones are absent.
            stiffness: of its spring, N/m or N m/rad.
            damping: force against its velocity, N s/m or N m s/rad.
            springlength: lengths between which the spring exerts no force, m or rad; (-1, -1): the length
                where the joints' springs rest.

        Raises:
            ModelError: an argument of the wrong kind or length, no joint, or none of that name with one
                degree of freedom.
        """
        what = called("tendon", len(self.assembly.tendons), name)
        if not isinstance(joints, Mapping):
            raise ModelError([f"{what}: joints must be a mapping of names to coefficients, not {joints!r}"])
        known = {name: each for name, each in self._by_name.items() if JOINT_SIZES[each.type] == (1, 1)}
        unknown = [word for word in joints if word not in known]
        if unknown or not joints:
            listed = ", ".join(map(repr, known)) or "none"
            wrong = f"{unknown[0]!r} is not one of the joints" if unknown else "it needs joints"
            raise ModelError([f"{what}: {wrong} with one degree of freedom that exist: {listed}"])
        rest = pair(springlength, f"{what}: springlength")
        added = Tendon(
            [(known[word], number(factor, f"{what}: {word}")) for word, factor in joints.items()],
            **checked(what, range=range),
            **checked_as(number, (), what, stiffness=stiffness, damping=damping),
            rest=None if rest == AUTOMATIC else rest,
            name=name,
        )
        self.assembly.tendons.append(added)

    def equality(
        self,
        type: str | EqualityType,
        first: int | str,
        second: int | str | None = None,
        *,
        data: ArrayLike = (),
        other: ArrayLike = ORIGIN,
        name: str = "",
        active: bool = True,
        formula: Follows | None = None,
    ) -> None:
        """Add an equality constraint.

        Args:
            type: "connect": a point, ``data``, of a body and one, ``other``, of another body coincide, each
                in its frame, m. "weld": the relative pose of two bodies, ``data`` as in the column eq_data,
                is fixed. "joint": the coordinate of a joint is a polynomial with the coefficients ``data``
                of that of another joint, or a constant. "formula": it obeys ``formula``.
            first, second: rows of bodies, or names of joints.
            data, other: as described at ``type``; those of "joint" that are not given are 0.
            name: unique among equalities, or "".
            active: whether it is enabled.
            formula: a formula and its derivatives.

        Raises:
            ModelError: an argument of the wrong kind or length, no such body or joint.
        """
        what = called("equality", len(self.assembly.equalities), name)
        kind = member(EqualityType, type, f"{what}: type")
        if kind not in (EqualityType.connect, EqualityType.weld, EqualityType.joint, EqualityType.formula):
            raise ModelError([f"{what}: its type must be connect, weld, joint or formula, not {kind.name}"])
        widths = {EqualityType.connect: 3, EqualityType.weld: 11, EqualityType.formula: 0}
        width = widths.get(kind, np.size(data))
        if kind is EqualityType.joint and width > 5:
            raise ModelError([f"{what}: data has {width} numbers, which are too many"])
        added = Equality(
            kind,
            self._end(kind, first, what),
            None if second is None else self._end(kind, second, what),
            data=vector(data, width, f"{what}: data"),
            **checked(what, other=other),
            name=name,
            active=active,
            formula=formula,
        )
        self.assembly.equalities.append(added)

    def element(
        self,
        type: str | ElementType,
        body1: int,
        body2: int,
        *,
        name: str = "",
        pos1: ArrayLike = ORIGIN,
        quat1: ArrayLike = IDENTITY,
        pos2: ArrayLike = ORIGIN,
        quat2: ArrayLike = IDENTITY,
        stiffness: ArrayLike = ORIGIN,
        damping: ArrayLike = ORIGIN,
        torque_stiffness: ArrayLike = ORIGIN,
        torque_damping: ArrayLike = ORIGIN,
        length: float = 0.0,
    ) -> None:
        """Add a spring and damper between frames of two bodies.

        Args:
            type: a name of ElementType, such as "bushing".
            body1, body2: rows of the bodies; 0 is the world.
            name: unique among elements, or "".
            pos1, quat1, pos2, quat2: the frames in those of the bodies, m.
            stiffness, damping, torque_stiffness, torque_damping: 3 numbers each, along the axes, in SI units.
            length: of a spring at rest, m.

        Raises:
            ModelError: an argument of the wrong kind or length, no such body.
        """
        what = called("element", len(self.assembly.elements), name)
        factors = {"stiffness": stiffness, "damping": damping}
        factors |= {"torque_stiffness": torque_stiffness, "torque_damping": torque_damping}
        added = Element(
            member(ElementType, type, f"{what}: type"),
            self._body(body1, what),
            self._body(body2, what),
            **checked(what, pos1=pos1, quat1=quat1, pos2=pos2, quat2=quat2, length=length),
            **checked_as(vector, (3,), what, **factors),
            name=name,
        )
        self.assembly.elements.append(added)

    def exclude(self, body1: int, body2: int, *, name: str = "") -> None:
        """Let two bodies, given by their rows, not touch each other.

        Raises:
            ModelError: no such body.
        """
        what = called("exclude", len(self.assembly.excludes), name)
        self.assembly.excludes.append(Exclude(self._body(body1, what), self._body(body2, what), name))

    def key(
        self, name: str, qpos: ArrayLike | Mapping[str, ArrayLike], *, qvel: ArrayLike | None = None
    ) -> None:
        """Add a named state.

        Args:
            name: unique among keys, or "".
            qpos: all coordinates in the order of the Model, or those of some joints by their names, while the
                others are at their initial ones; then servos of these joints hold them.
            qvel: all velocities, 0 by default.

        Raises:
            ModelError: an argument of the wrong kind or length, no such joint.
        """
        what = called("key", len(self.assembly.keys), name)
        nq, nv = np.sum([(0, 0), *(JOINT_SIZES[joint.type] for joint in self._joints)], axis=0).tolist()
        velocities = None if qvel is None else vector(qvel, nv, f"{what}: qvel")
        if not isinstance(qpos, Mapping):
            self.assembly.keys.append(Key(name, vector(qpos, nq, f"{what}: qpos"), velocities))
            return
        poses = {self._joint(word, what): (word, given) for word, given in qpos.items()}
        some = {
            joint: coordinates(given, *JOINT_SIZES[joint.type], f"{what}: {word}")
            for joint, (word, given) in poses.items()
        }
        self.assembly.keys.append(Key(name, some, velocities))

    def custom(
        self, name: str, data: str | Sequence[float] | Sequence[tuple[str, int | str, float]]
    ) -> None:
        """Store data that the simulation does not use under a name.

        Args:
            name: unique among texts, among arrays of numbers, or among tuples.
            data: a text, numbers, or a tuple of objects: for each "body" and its row, or "joint" and its
                name, and a number.

        Raises:
            ModelError: no such body or joint, or an element that is neither.
        """
        if isinstance(data, str):
            self.assembly.texts.append(Text(name, data))
        elif data and isinstance(data[0], tuple):
            objects = [self._object(each, f"tuple {name!r}") for each in data]
            self.assembly.tuples.append(Tuple(name, objects))
        else:
            self.assembly.numerics.append(Numeric(name, vector(data, np.size(data), name).tolist()))

    def build(self) -> Model:
        """The Model.

        Raises:
            ModelError: the Model is invalid: negative or non-finite masses, inertias against the triangle
                inequality, duplicate names... Every problem is listed.
        """
        return self.assembly.build_alone()

    # --- references -----------------------------------------------------------------------------------------

    def _body(self, row: int, what: str) -> Body:
        if not 0 <= row < len(self._bodies):
            raise ModelError([f"{what}: body {row} does not exist"])
        return self._bodies[row]

    def _joint(self, name: str, what: str) -> Joint:
        if name not in self._by_name:
            listed = ", ".join(map(repr, self._by_name)) or "none"
            raise ModelError([f"{what}: {name!r} is not one of the joints that exist: {listed}"])
        return self._by_name[name]

    def _end(self, kind: EqualityType, given: int | str, what: str) -> Body | Joint:
        """What an equality constrains."""
        of_joints = kind in (EqualityType.joint, EqualityType.formula)
        if isinstance(given, str) is not of_joints:
            wanted = "names of joints" if of_joints else "rows of bodies"
            raise ModelError([f"{what}: {kind.name} needs {wanted}, not {given!r}"])
        if not isinstance(given, str):
            return self._body(given, what)
        joint = self._joint(given, what)
        if kind is EqualityType.joint and JOINT_SIZES[joint.type] != (1, 1):
            raise ModelError([f"{what}: {given!r} has more than one degree of freedom"])
        return joint

    def _object(self, item: Any, what: str) -> tuple[ObjectType, Body | Joint, float]:
        kind, given, value = item
        if kind == "body" and isinstance(given, int):
            return ObjectType.BODY, self._body(given, what), value
        if kind == "joint" and isinstance(given, str):
            return ObjectType.JOINT, self._joint(given, what), value
        raise ModelError([f"{what}: {kind!r} of {given!r} is neither a body's row nor a joint's name"])
