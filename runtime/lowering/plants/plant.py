"""The result of Drake's parsers before a tree is chosen: instances with links, frames and joints.

URDF, SDFormat and model directives fill a Plant; `forest` makes bodies in trees from it. Names of instances
are full (``outer::inner``), all others are local to their instance. Links, frames and joints are identified
by their rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

from polybody.assembly.gather import named_rows
from polybody.base.slotted import record
from polybody.rotations.poses import IDENTITY, Pose, Vector

WORLD_INSTANCE = "WorldModelInstance"
WORLD = "world"
Tensor = tuple[float, float, float, float, float, float]
"""xx yy zz xy xz yz"""


class JointKind(Enum):
    """Drake's joints, with the names of their coordinates and velocities."""

    revolute = ("q", "w")
    prismatic = ("x", "v")
    curvilinear = ("q", "v")
    screw = ("q", "w", "screw")
    universal = ("qx qy", "wx wy")
    planar = ("x y qz", "vx vy wz")
    ball = ("qx qy qz", "wx wy wz")
    floating = ("qw qx qy qz x y z", "wx wy wz vx vy vz")
    weld = ("", "")

    __hash__ = object.__hash__  # members are single objects, and Enum's own is slow
    coordinates: tuple[str, ...]
    """The suffixes of the names of coordinates."""
    velocities: tuple[str, ...]
    """The suffixes of the names of velocities."""

    def __init__(self, coordinates: str, velocities: str, kind: str = "") -> None:
        self.coordinates, self.velocities = tuple(coordinates.split()), tuple(velocities.split())


PLANAR, SCREW, BALL = JointKind.planar, JointKind.screw, JointKind.ball
FLOATING, WELD = JointKind.floating, JointKind.weld
"""Types compared for each joint: looking up a member of an enumeration is slow."""
REVERSIBLE = frozenset((JointKind.revolute, JointKind.prismatic, WELD))
"""Joints that Drake reverses if the child is nearer to the world than the parent."""
CLOSABLE = frozenset((JointKind.revolute, BALL, WELD))
"""Joints that equality constraints can replace."""
BOUNDED = frozenset((JointKind.revolute, JointKind.prismatic))
"""Joints whose limits Drake uses."""


@record
@dataclass(slots=True, eq=False)
class Link:
    """A rigid body. ``geoms`` are :class:`polybody.assembly.parts.Geom` in the link's frame."""

    name: str
    instance: int
    mass: float = 0.0
    centre: Vector = (0.0, 0.0, 0.0)
    """m, in the link's frame"""
    inertia: Tensor = (0.0,) * 6
    """kg m^2, about the centre of mass, along the link's axes"""
    pose: Pose = IDENTITY
    """The initial pose in the world, unless something else determines it."""
    geoms: list[Any] = field(default_factory=list)
    gravity: bool = True
    touches_own: bool = True
    """Whether it touches the other links of its instance; for a pair, one of them suffices."""
    floats: bool = False
    """Whether a joint of the document makes it float, even if bases are fixed."""
    node: Any = None


@record
@dataclass(slots=True, eq=False)
class Frame:
    """A frame that is fixed to a link."""

    name: str
    instance: int
    link: int
    pose: Pose = IDENTITY
    """In the link's frame."""
    node: Any = None


@record
@dataclass(slots=True, eq=False)
class Joint:
    """A joint between frame F of the parent and frame M of the child; both coincide at zero coordinates."""

    name: str
    instance: int
    kind: JointKind
    parent: int
    child: int
    in_parent: Pose = IDENTITY
    """F in the parent."""
    in_child: Pose = IDENTITY
    """M in the child."""
    axis: Vector = (0.0, 0.0, 1.0)
    """A unit vector in F and M, for joints with an axis."""
    pitch: float = 0.0
    """m/rad, of a screw."""
    damping: tuple[float, ...] = ()
    """A number for each velocity, or empty."""
    stiffness: float = 0.0
    reference: float = 0.0
    """Coordinate at which the spring is at rest."""
    armature: float = 0.0
    """Added to its inertia, in addition to the reflected inertia of actuators."""
    friction: tuple[float, ...] = ()
    """Coulomb friction, N or N m: a number for each velocity, or empty; Drake has no such friction."""
    lumped: bool = False
    """Whether Gazebo merges the links of this fixed joint."""
    lower: float = -math.inf
    upper: float = math.inf
    start: tuple[float, ...] = ()
    """Drake's initial coordinates; zeros if empty."""
    node: Any = None
    effort: float = math.inf
    """The greatest force or torque of an actuator, N or N m; known if the caller chooses the actuators."""
    turning: float = 0.0
    """rad/m, of a curvilinear joint: its coordinate is a length along the x axis, or on a circle about z."""

    @property
    def acts(self) -> bool:
        """Whether it does more than connect: it has limits, a spring, a damper, friction or inertia."""
        limited = math.isfinite(self.lower) or math.isfinite(self.upper)
        return limited or any((self.stiffness, self.armature, *self.damping, *self.friction))


@record
@dataclass(slots=True, eq=False)
class Actuator:
    """A force or torque along a joint."""

    name: str
    joint: int
    effort: float = math.inf
    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0
    gains: tuple[float, float] | None = None
    """Gains for position and velocity of a controller that acts once a desired state is given."""
    node: Any = None

    @property
    def reflected_inertia(self) -> float:
        """The inertia that the rotor adds to that of the joint."""
        return self.rotor_inertia * self.gear_ratio**2


@record
@dataclass(slots=True, eq=False)
class Coupler:
    """A joint that follows another: q = multiplier q' + offset."""

    joint: int
    other: int
    multiplier: float = 1.0
    offset: float = 0.0
    node: Any = None


@record
@dataclass(slots=True, eq=False)
class Bushing:
    """Springs and dampers between a frame A of a link and a frame C of another."""

    link_a: int
    pose_a: Pose
    link_c: int
    pose_c: Pose
    torque_stiffness: Vector
    torque_damping: Vector
    force_stiffness: Vector
    force_damping: Vector
    name: str = ""
    node: Any = None


@record
@dataclass(slots=True, eq=False)
class Pair:
    """Points of two links: of a ball constraint, or the ends of a spring and damper."""

    link_a: int
    point_a: Vector
    link_b: int
    point_b: Vector
    node: Any = None


@record
@dataclass(slots=True, eq=False)
class SpringDamper(Pair):
    """A force along the line between two points: stiffness (length - free_length) + damping rate."""

    free_length: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0


@record
@dataclass(slots=True, eq=False)
class Tendon:
    """Limits of a weighted sum of joint positions."""

    joints: tuple[tuple[int, float], ...]
    offset: float
    lower: float
    upper: float
    stiffness: float
    damping: float
    node: Any = None


@record
@dataclass(slots=True, eq=False)
class FilterGroup:
    """Links, and names of groups, that do not collide with those of other groups."""

    name: str
    """The full name, with the instance that contains it."""
    links: list[int] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    """Full names of groups whose links belong to it."""
    ignored: list[str] = field(default_factory=list)
    """Full names of groups with which it does not collide."""
    node: Any = None


Driving = Literal["as-is", "motor", "position", "none"]
"""Which actuators the joints have: those of the documents, a motor or a position servo each, or none."""
Apart = tuple[int, int, Any]
"""The rows of two links that do not collide, and the element that excludes the pair."""


@record
@dataclass(slots=True, eq=False)
class State:
    """A named state of some joints."""

    name: str
    values: dict[int, tuple[float, ...]]
    """Coordinates of joints with one of them, by the joints' rows."""


@record
@dataclass(slots=True, eq=False)
class Plant:
    """Model instances, their links, frames, joints and the forces between them."""

    driving: Driving = "as-is"
    self_collide: bool | None = None
    """Whether links of one robot touch each other; None: as the documents say."""
    apart: list[Apart] = field(default_factory=list)
    """Pairs of links that do not collide, in addition to those of joints and groups."""
    passive: set[int] = field(default_factory=set)
    """The rows of joints that no actuator drives."""
    states: list[State] = field(default_factory=list)
    instances: list[str] = field(default_factory=lambda: [WORLD_INSTANCE])
    links: list[Link] = field(default_factory=lambda: [Link(WORLD, 0)])
    frames: list[Frame] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    actuators: list[Actuator] = field(default_factory=list)
    couplers: list[Coupler] = field(default_factory=list)
    bushings: list[Bushing] = field(default_factory=list)
    springs: list[SpringDamper] = field(default_factory=list)
    balls: list[Pair] = field(default_factory=list)
    tendons: list[Tendon] = field(default_factory=list)
    groups: list[FilterGroup] = field(default_factory=list)
    meshes: Any = None
    """The :class:`polybody.lowering.plants.mesh_files.MeshFiles` of all its documents."""
    _links: dict[tuple[int, str], int] = field(default_factory=lambda: {(0, WORLD): 0})
    _frames: dict[tuple[int, str], int] = field(default_factory=dict)
    _joints: dict[tuple[int, str], int] = field(default_factory=dict)

    def add_instance(self, name: str) -> int:
        """Add a model instance with its full name, or find the existing one; returns its row."""
        if name in self.instances:
            return self.instances.index(name)
        self.instances.append(name)
        return len(self.instances) - 1

    def add_link(self, link: Link) -> int:
        """Add a link; returns its row."""
        self._links.setdefault((link.instance, link.name), len(self.links))
        self.links.append(link)
        return len(self.links) - 1

    def add_links(self, links: list[Link]) -> None:
        """Add links in their order."""
        named_rows(links, len(self.links), self._links)
        self.links += links

    def add_frame(self, frame: Frame) -> int:
        """Add a frame; returns its row."""
        self._frames.setdefault((frame.instance, frame.name), len(self.frames))
        self.frames.append(frame)
        return len(self.frames) - 1

    def add_joint(self, joint: Joint) -> int:
        """Add a joint; returns its row."""
        self._joints.setdefault((joint.instance, joint.name), len(self.joints))
        self.joints.append(joint)
        return len(self.joints) - 1

    def add_joints(self, joints: list[Joint]) -> None:
        """Add joints in their order."""
        named_rows(joints, len(self.joints), self._joints)
        self.joints += joints

    def fix(self, joints: Iterable[Joint]) -> None:
        """Make joints fixed; forces along them are removed."""
        still = set(joints)
        for joint in still:
            joint.kind = WELD
        self.release(still)

    def related(self) -> set[int]:
        """The rows of joints that follow others, are followed, or are part of a sum with limits."""
        rows = {row for each in self.couplers for row in (each.joint, each.other)}
        return rows | {row for tendon in self.tendons for row, _ in tendon.joints}

    def release(self, still: set[Joint]) -> None:
        """Remove forces along joints without coordinates."""
        rows = {row for row, joint in enumerate(self.joints) if joint in still}
        self.actuators = [each for each in self.actuators if each.joint not in rows]
        self.couplers = [each for each in self.couplers if not {each.joint, each.other} & rows]
        for tendon in self.tendons:
            tendon.joints = tuple([pair for pair in tendon.joints if pair[0] not in rows])
        self.tendons = [each for each in self.tendons if each.joints]

    def link(self, instance: int, name: str) -> int | None:
        """The row of a link of an instance, by its local name; ``world`` is in every instance."""
        return 0 if name == WORLD else self._links.get((instance, name))

    def links_by_name(self, instance: int) -> dict[str, int]:
        """The rows of an instance's links, and of the world, by their local names."""
        return {name: row for (owner, name), row in self._links.items() if owner == instance} | {WORLD: 0}

    def joint(self, instance: int, name: str) -> int | None:
        """The row of a joint of an instance, by its local name."""
        return self._joints.get((instance, name))

    def frame(self, instance: int, name: str) -> tuple[int, Pose] | None:
        """The link to which a frame is fixed, and its pose there; a link's own frame has the link's name."""
        row = self._frames.get((instance, name))
        if row is not None:
            return self.frames[row].link, self.frames[row].pose
        link = self.link(instance, name)
        return None if link is None else (link, IDENTITY)

    def robot(self, instance: int) -> str:
        """The full name of the outermost model that contains an instance."""
        return self.instances[instance].partition("::")[0]

    def links_of(self, instance: int) -> Iterator[int]:
        """The rows of an instance's links."""
        return (row for row, link in enumerate(self.links) if row and link.instance == instance)

    def scoped(self, instance: int, name: str) -> str:
        """A name as in messages and in a Model of several instances."""
        return f"{self.instances[instance]}::{name}"
