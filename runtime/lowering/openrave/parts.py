"""What the reading of a body or robot gives: links, joints, manipulators and sensors, not yet a tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.formulas import Formula, Variable
from polybody.generated.formats.openrave import JointType
from polybody.lowering.openrave.poses import HERE, ZERO, Pose, Vector

Reals = NDArray[np.float64]


class MassProperties(NamedTuple):
    """Of a link, in its own axes."""

    mass: float
    """kg"""
    com: Vector
    """m"""
    inertia: Reals
    """(3, 3), kg m^2, about the centre of mass"""


class MeshFile(NamedTuple):
    """A file of triangles as an element names it."""

    name: str
    node: Any
    folders: tuple[str, ...]
    """Where it is looked for first, as seen from the naming file."""


@dataclass(slots=True, eq=False)
class Shape:
    """A geom of a link."""

    node: Any
    kind: str
    """box, sphere, cylinder, capsule, mesh; "" for one that has no row."""
    size: Vector = ZERO
    """Half lengths as the Model has them, m."""
    pose: Pose = HERE
    """In the link, with the axis of a cylinder along z."""
    colour: Vector = (1.0, 1.0, 1.0)
    alpha: float = 1.0
    shown: bool = True
    kept: bool = True
    """Whether it gets a row: not with `skipgeometry`, nor in a group of its own."""
    solid: tuple[str, Vector] | None = None
    """The shape and half lengths by which it weighs something."""
    file: MeshFile | None = None
    vertices: tuple[float, ...] | None = None
    scale: Vector = (1.0, 1.0, 1.0)


@dataclass(slots=True, eq=False)
class Link:
    """A rigid body; its pose is in the frame of the element that is being read, in the end the world."""

    node: Any
    name: str
    named: bool = True
    pose: Pose = HERE
    static: bool = False
    collides: bool = True
    mass: MassProperties | None = None
    shapes: list[Shape] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Dof:
    """One degree of freedom of a joint; of a spherical joint one of three without an axis of its own."""

    axis: Vector
    """In the first link's frame, unit length; zero where the joint has none."""
    low: float = -inf
    high: float = inf
    fixed: bool = False
    """Its bounds are equal: it stays at zero."""
    text: str = ""
    formula: Formula | None = None
    drivers: dict[Variable, tuple[JointPart, int]] = field(default_factory=dict)
    """The axes of other joints that its formula uses."""


@dataclass(slots=True, eq=False)
class JointPart:
    """A joint between two links.

    The second link is at ``first T(anchor) J(q) T(-anchor) rel``, J turning about the axes or moving along
    them.
    """

    node: Any
    name: str
    named: bool
    type: JointType
    first: Link
    second: Link
    rel: Pose
    """The second link in the first where all values are zero."""
    anchor: Vector
    """In the first link's frame, m."""
    dofs: list[Dof]
    circular: bool = False
    enabled: bool = True

    @property
    def rigid(self) -> bool:
        """Whether nothing of it moves."""
        return all(dof.fixed for dof in self.dofs)

    @property
    def mimics(self) -> bool:
        """Whether formulas give it values."""
        return any(dof.text for dof in self.dofs)

    @property
    def indexed(self) -> bool:
        """Whether its values are among the degrees of freedom that OpenRAVE counts."""
        return self.enabled and not self.mimics


@dataclass(slots=True, eq=False)
class ManipulatorPart:
    """A chain of joints with a tool frame."""

    node: Any
    name: str
    base: Link | None
    effector: Link | None
    pose: Pose
    """The tool frame in the effector."""
    direction: Vector
    gripper: list[tuple[JointPart, float]] = field(default_factory=list)
    """Joints and the signs of the velocities that close it."""


@dataclass(slots=True, eq=False)
class SensorPart:
    """A sensor, on a link or, without one, in the world."""

    node: Any
    name: str
    link: Link | None
    pose: Pose
    type: str = ""


@dataclass(slots=True, eq=False)
class Kin:
    """One body or robot of a scene."""

    node: Any
    name: str = ""
    links: list[Link] = field(default_factory=list)
    joints: list[JointPart] = field(default_factory=list)
    manipulators: list[ManipulatorPart] = field(default_factory=list)
    sensors: list[SensorPart] = field(default_factory=list)
    adjacent: list[tuple[Link, Link]] = field(default_factory=list)
    joined_adjacent: bool = True
    values: Any = None
    """The element that gives the joints values after loading."""


@dataclass(slots=True, eq=False)
class Scene:
    """What a document holds."""

    kins: list[Kin] = field(default_factory=list)
    sensors: list[SensorPart] = field(default_factory=list)
    gravity: Vector | None = None
    """m/s^2; None where no physics engine says it."""
    friction: float = 0.4
    """As of the ODE plugin, where the document says nothing."""
