"""Parts of a body or robot as read: links, joints, manipulators and sensors, before the tree is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.base import children_of
from polybody.formulas import Formula, Variable
from polybody.generated.formats.openrave import JointType
from polybody.rotations.poses import IDENTITY, ORIGIN, Pose, Vector

Reals = NDArray[np.float64]


def last(node: Any, *tags: str) -> Any:
    """The last child of an element with one of these tags; None if there is none."""
    found = [child for child in children_of(node) if child.TAG in tags]
    return found[-1] if found else None


class MassProperties(NamedTuple):
    """Mass properties of a link, in its own frame."""

    mass: float
    """kg"""
    com: Vector
    """m"""
    inertia: Reals
    """(3, 3), kg m^2, about the centre of mass"""


class MeshFile(NamedTuple):
    """A mesh file that an element names."""

    name: str
    node: Any
    folders: tuple[str, ...]
    """The folder where it is looked for first, relative to the file that names it."""


@dataclass(slots=True, eq=False)
class Shape:
    """A shape of a link."""

    node: Any
    kind: str
    """box, sphere, cylinder, capsule or mesh; "" if it makes no geom."""
    size: Vector = ORIGIN
    """Half lengths as in the Model, m."""
    pose: Pose = IDENTITY
    """The pose in the link; the axis of a cylinder is z."""
    colour: Vector = (1.0, 1.0, 1.0)
    alpha: float = 1.0
    shown: bool = True
    kept: bool = True
    """Whether it makes a geom: not with `skipgeometry`, nor in a group of its own."""
    solid: tuple[str, Vector] | None = None
    """The shape and half lengths that determine its mass."""
    file: MeshFile | None = None
    vertices: tuple[float, ...] | None = None
    scale: Vector = (1.0, 1.0, 1.0)


@dataclass(slots=True, eq=False)
class Link:
    """A rigid body. Its pose is in the frame of the element being read, at the end in the world."""

    node: Any
    name: str
    named: bool = True
    pose: Pose = IDENTITY
    static: bool = False
    collides: bool = True
    mass: MassProperties | None = None
    shapes: list[Shape] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Dof:
    """One degree of freedom of a joint; for a spherical joint one of three, without an axis of its own."""

    axis: Vector
    """In the first link's frame, unit length; zero if it has no axis."""
    low: float = -inf
    high: float = inf
    fixed: bool = False
    """Its limits are equal, so it stays at zero."""
    text: str = ""
    formula: Formula | None = None
    drivers: dict[Variable, tuple[JointPart, int]] = field(default_factory=dict)
    """The axes of other joints that occur in its formula."""


@dataclass(slots=True, eq=False)
class JointPart:
    """A joint between two links.

    The second link is at ``first T(anchor) J(q) T(-anchor) rel``. J is a rotation about the axes or a
    translation along them.
    """

    node: Any
    name: str
    named: bool
    type: JointType
    first: Link
    second: Link
    rel: Pose
    """The pose of the second link in the first if all values are zero."""
    anchor: Vector
    """In the first link's frame, m."""
    dofs: list[Dof]
    circular: bool = False
    enabled: bool = True

    @property
    def rigid(self) -> bool:
        """Whether it has no moving axis."""
        return all(dof.fixed for dof in self.dofs)

    @property
    def mimics(self) -> bool:
        """Whether it is a mimic joint."""
        return any(dof.text for dof in self.dofs)

    @property
    def indexed(self) -> bool:
        """Whether its values are among OpenRAVE's degrees of freedom."""
        return self.enabled and not self.mimics


@dataclass(slots=True, eq=False)
class ManipulatorPart:
    """A chain of joints with a tool frame."""

    node: Any
    name: str
    base: Link | None
    effector: Link | None
    pose: Pose
    """The tool frame in the effector's frame."""
    direction: Vector
    gripper: list[tuple[JointPart, float]] = field(default_factory=list)
    """Joints of the gripper, with the signs of the velocities that close it."""


@dataclass(slots=True, eq=False)
class SensorPart:
    """A sensor, attached to a link or to the world."""

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
    """The element that sets the joint values after loading."""
    lost: list[tuple[Any, str]] = field(default_factory=list)
    """Elements whose files are missing, with the files."""
    partial: bool = False
    """Some file of a body or robot was not read, which is reported: names that are not found are in it, and
    what refers to them is left out.
    """
    left_out: int = 0
    """Number of elements, or references of elements, that were left out."""


@dataclass(slots=True, eq=False)
class Scene:
    """The bodies, sensors and settings of a document."""

    kins: list[Kin] = field(default_factory=list)
    sensors: list[SensorPart] = field(default_factory=list)
    gravity: Vector | None = None
    """m/s^2; None if no physics engine sets it."""
    friction: float = 0.4
    """The default of the ODE plugin."""
