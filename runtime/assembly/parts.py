"""Bodies, joints and other parts as a lowering or ModelBuilder assembles them, and the Model made from them.

    assembly = Assembly("arm", {"opt_timestep": 1e-3, "opt_gravity": (0, 0, -9.81)}, root=document)
    link = assembly.body(Body("link", mass=1.0, inertia=np.eye(3), node=element))
    link.joints.append(Joint("shoulder", JointType.hinge, axis=(0, 1, 0), node=other))
    model = assembly.build(findings)

The parts refer to each other as objects. Rows are numbered when the Model is built: bodies depth first,
children in the order in which they were added, or as they were added; a body's joints, geoms and sites in the
order of its lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.assembly.customs import Numeric, Text, Tuple
from polybody.base import Node
from polybody.base.slotted import record
from polybody.diagnostics import Findings
from polybody.generated.model import (
    ElementType,
    EqualityType,
    Integrator,
    JointType,
    Prescription,
    ShapeType,
)
from polybody.model.model import Model

if TYPE_CHECKING:
    from polybody.formulas import Formula, Rooted, Variable
    from polybody.geometry import Mesh

Reals = NDArray[np.float64]
Vector = Sequence[float] | Reals
ORIGIN = (0.0, 0.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0)
VISUAL, COLLISION = 1, 0
"""Groups of geoms."""
OPTIONS = {
    "opt_timestep": 1e-3,
    "opt_gravity": (0.0, 0.0, -9.81),
    "opt_integrator": int(Integrator.Euler),
}
"""Defaults for formats that define none: s, m/s^2."""


@record
@dataclass(slots=True, eq=False)
class Joint:
    """A primitive joint of a body. Values per degree of freedom are one for all, or a sequence."""

    name: str
    type: JointType
    pos: Vector = ORIGIN
    """A point of the axis in the body's frame, m."""
    axis: Vector = (0.0, 0.0, 1.0)
    """In the body's frame, unit length."""
    pitch: float = 0.0
    """m/rad, of a screw."""
    quat: Vector = IDENTITY
    """Axes of a ball joint in the body's frame, or as described at ``inparent``."""
    offset: Vector = ORIGIN
    """With ``inparent``, m."""
    inparent: bool = False
    """Whether springs, dampers and forces of a free joint act along those axes in the parent's frame
    (jnt_inparent).
    """
    vectorspring: bool = False
    """Whether the spring of a ball joint acts on the difference of rotation vectors."""
    range: tuple[float, float] | None = None
    """Limits of the coordinate, m or rad; infinite ones are absent."""
    limited: bool = True
    """Whether the limits are enabled."""
    armature: float | Vector = 0.0
    damping: float | Vector = 0.0
    stiffness: float | Vector = 0.0
    frictionloss: float | Vector = 0.0
    spring: Vector | None = None
    """Coordinates at which the springs are at rest; by default those for which the body has its given pose.
    """
    qpos0: Vector | None = None
    """Initial coordinates; the same default. Those of a free joint are in the parent's frame."""
    qvel0: Vector | None = None
    """Initial velocities; 0 by default."""
    prescribed: Prescription = Prescription.nothing
    """Which quantity of its motion the actuators prescribe."""
    whole: bool = False
    """Whether a free joint remains one if its values per degree of freedom differ."""
    servorange: Sequence[tuple[float, float]] | None = None
    """Limits of the force of a servo motor along each degree of freedom, N or N m; infinite ones are absent.
    """
    node: Node | None = None


@record
@dataclass(frozen=True, slots=True, eq=False)
class MeshAsset:
    """A mesh that any number of geoms share."""

    name: str
    mesh: Mesh
    scale: Vector = (1.0, 1.0, 1.0)


@record
@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """A named appearance that any number of geoms share."""

    name: str
    rgba: Vector


@record
@dataclass(slots=True, eq=False)
class Geom:
    """A shape of a body. Its pose is in the body's frame; for a mesh it is the pose of the file's frame."""

    name: str
    type: ShapeType
    size: Vector = ORIGIN
    """Half lengths, m; not used for meshes."""
    pos: Vector = ORIGIN
    quat: Vector = IDENTITY
    rgba: Vector = (0.5, 0.5, 0.5, 1.0)
    mesh: MeshAsset | None = None
    material: Material | None = None
    mass: float = 0.0
    """kg: its part of the body's mass, which the body's mass includes."""
    group: int = COLLISION
    contype: int = 0
    conaffinity: int = 0
    condim: int = 3
    """4 for a shape with torsional friction."""
    friction: Vector = (1.0, 0.005, 0.0001)
    """Sliding, torsional (m), rolling (m)."""
    stiffness: float | None = None
    """Contact stiffness, N/m; None: the time constant applies."""
    damping: float | None = None
    """N s/m, parallel to it."""
    dissipation: float | None = None
    """s/m, of Hunt and Crossley."""
    node: Node | None = None


@record
@dataclass(slots=True, eq=False)
class Site:
    """A named frame of a body."""

    name: str
    pos: Vector = ORIGIN
    quat: Vector = IDENTITY
    node: Node | None = None


@record
@dataclass(slots=True, eq=False)
class Body:
    """A rigid body."""

    name: str
    parent: Body | None = None
    """None: the world."""
    pos: Vector = ORIGIN
    quat: Vector = IDENTITY
    """Its frame in its parent's at zero joint coordinates, m."""
    mass: float = 0.0
    ipos: Vector = ORIGIN
    inertia: Sequence[Vector] | Vector | None = None
    """(3, 3), or xx yy zz xy xz yz, kg m^2: about the centre of mass, in the body's axes; None: zero."""
    iquat: Vector | None = None
    """The unit quaternion of other axes, in which ``inertia`` is given and diagonal."""
    joints: list[Joint] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    gravcomp: float = 0.0
    node: Node | None = None


@record
@dataclass(slots=True, eq=False)
class Actuator:
    """A force on a joint: gain times control, plus bias, clamped, times gear."""

    name: str
    joint: Joint
    gear: float | Vector = 1.0
    gain: float = 1.0
    bias: Vector | None = None
    """Constant, and factors of length and of velocity."""
    ctrlrange: tuple[float, float] | None = None
    forcerange: tuple[float, float] | None = None
    """N or N m."""
    ctrl0: float = 0.0
    """The initial control."""
    in_parent: bool = False
    """Whether the gear of a ball or free joint is in the parent's axes instead of the child's."""
    node: Node | None = None


class Follows(NamedTuple):
    """A formula that a coordinate obeys."""

    formula: Formula
    drivers: Mapping[Variable, Joint | float]
    """The joint of each value that it uses, which has one coordinate; a number if it is constant."""
    partials: Sequence[tuple[Joint, Formula]]
    """Its derivative with respect to each joint."""
    roots: Rooted | None = None
    """The formula, split, if it has roots of a polynomial; the derivatives then use that root."""


@record
@dataclass(slots=True, eq=False)
class Equality:
    """An equality constraint.

    joint: the first joint's coordinate is a polynomial, ``data``, of the second's, or a constant.
    formula: the first joint's coordinate obeys ``formula``.
    connect: a point, ``data``, of the first body and one, ``other``, of the second coincide, each in its
    frame, m.
    """

    type: EqualityType
    first: Body | Joint | None
    second: Body | Joint | None = None
    data: Vector = ()
    other: Vector = ORIGIN
    name: str = ""
    active: bool = True
    node: Node | None = None
    formula: Follows | None = None


@record
@dataclass(slots=True, eq=False)
class Element:
    """A spring and damper between two frames of bodies; see the Model's ElementType. None is the world."""

    type: ElementType
    body1: Body | None
    body2: Body | None
    pos1: Vector = ORIGIN
    quat1: Vector = IDENTITY
    pos2: Vector = ORIGIN
    quat2: Vector = IDENTITY
    stiffness: Vector = ORIGIN
    damping: Vector = ORIGIN
    torque_stiffness: Vector = ORIGIN
    torque_damping: Vector = ORIGIN
    length: float = 0.0
    """m, length of a spring at rest."""
    name: str = ""
    node: Node | None = None


@record
@dataclass(slots=True, eq=False)
class Tendon:
    """Limits of a weighted sum of joint coordinates, or a spring beyond them."""

    joints: Sequence[tuple[Joint, float]]
    """Joints with one coordinate, and their weights."""
    range: tuple[float, float] | None = None
    stiffness: float = 0.0
    """Of the spring, N/m or N m/rad."""
    damping: float = 0.0
    """N s/m or N m s/rad."""
    rest: tuple[float, float] | None = (0.0, 0.0)
    """Interval in which the spring exerts no force; None: the length where the joints' springs rest."""
    name: str = ""
    node: Node | None = None


@record
@dataclass(slots=True, eq=False)
class Exclude:
    """Two bodies that cannot touch each other; None is the world."""

    body1: Body | None
    body2: Body | None
    name: str = ""
    node: Node | None = None


@record
@dataclass(slots=True, eq=False)
class Key:
    """A named state: all coordinates, or those of some joints while the others are at their initial ones;
    then servos, whose control is a coordinate of their joint, hold it.
    """

    name: str
    qpos: Vector | Mapping[Joint, Vector]
    qvel: Vector | None = None


@record
@dataclass(slots=True, eq=False)
class Assembly:
    """The content of a document, before a Model is made of it."""

    name: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    """Columns ``opt_*``; missing ones are as in ``OPTIONS``."""
    solref: tuple[float, float] | None = None
    """Time constant (s) and damping ratio of every constraint except limits; by default the Model's."""
    solref_limit: tuple[float, float] | None = None
    """The same for limits."""
    impedance_friction: float | None = None
    """Fraction of a velocity that dry friction of joints removes in a step, if it can; by default the
    Model's.
    """
    bodies: list[Body] = field(default_factory=list)
    actuators: list[Actuator] = field(default_factory=list)
    equalities: list[Equality] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    tendons: list[Tendon] = field(default_factory=list)
    excludes: list[Exclude] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    numerics: list[Numeric] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    tuples: list[Tuple] = field(default_factory=list)
    """Of bodies, joints and sites."""
    world: Body = field(default_factory=lambda: Body("world"))
    """Body with only geoms and sites."""
    depth_first: bool = True
    """Whether bodies are numbered depth first; otherwise in their order, in which parents come first."""
    root: Node | None = None
    """Where problems that belong to no element are reported."""

    def body(self, body: Body) -> Body:
        """Add a body and return it."""
        self.bodies.append(body)
        return body

    def build(self, findings: Findings) -> Model:
        """The Model of a document.

        Args:
            findings: receives errors, at the elements that they are about.

        Raises:
            ValidationError: there is no such Model; carries all findings.
            ValueError: the parents of bodies form a cycle, an error of the caller.
        """
        model: Model = _rows()(self).model(findings)
        return model

    def build_alone(self) -> Model:
        """The Model of parts that belong to no document.

        Raises:
            ModelError: there is no such Model.
        """
        model: Model = _rows()(self).made()
        return model


@cache
def _rows() -> Any:
    """The class of the rows, whose module refers to this one."""
    from polybody.assembly.rows import Rows

    return Rows
