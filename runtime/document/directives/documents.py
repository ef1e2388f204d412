"""Model directives as dataclasses. Lengths are in m, angles of rotations in degrees, angles of joints in
radians.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from polybody.document.notations import Document, Part

Vector = tuple[float, float, float]
ORIGIN: Vector = (0.0, 0.0, 0.0)


@dataclass(kw_only=True, slots=True)
class Rpy(Part):
    """``!Rpy``: Rz(yaw) Ry(pitch) Rx(roll)."""

    deg: Vector = ORIGIN
    """Roll, pitch and yaw, degrees."""


@dataclass(kw_only=True, slots=True)
class AngleAxis(Part):
    """``!AngleAxis``: a rotation about an axis, whose length has no effect."""

    angle_deg: float = 0.0
    axis: Vector = (0.0, 0.0, 1.0)


@dataclass(kw_only=True, slots=True)
class Transform(Part):
    """The pose of a frame in a base frame."""

    base_frame: str | None = None
    """Its name, scoped if it is not unique; None if it is not given."""
    translation: Vector = ORIGIN
    rotation: Rpy | AngleAxis | None = None
    """None is the identity, like ``!Identity {}``."""


@dataclass(kw_only=True, slots=True)
class AddModel(Part):
    """Add the model of a file under a name."""

    KEY: ClassVar[str] = "add_model"
    file: str = ""
    """``package://``, ``model://`` or ``file://``."""
    name: str = ""
    """The model instance, within the namespace."""
    default_joint_positions: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Drake's coordinates of joints, by local name of the joint."""
    default_free_body_pose: dict[str, Transform] = field(default_factory=dict)
    """By local name of a link or frame; ``""`` stands for the only link."""
    content: Any = field(default=None, compare=False, repr=False)
    """The document in the file."""


@dataclass(kw_only=True, slots=True)
class AddModelInstance(Part):
    """Add an empty model instance, as the namespace of other directives."""

    KEY: ClassVar[str] = "add_model_instance"
    name: str = ""


@dataclass(kw_only=True, slots=True)
class AddFrame(Part):
    """Add a frame that is fixed to another."""

    KEY: ClassVar[str] = "add_frame"
    name: str = ""
    X_PF: Transform = field(default_factory=Transform)
    """Its pose in its base frame, which must be given."""


@dataclass(kw_only=True, slots=True)
class AddWeld(Part):
    """Add a fixed joint between two frames."""

    KEY: ClassVar[str] = "add_weld"
    NAMED_BY: ClassVar[str] = "child"
    parent: str = ""
    child: str = ""
    X_PC: Transform = field(default_factory=Transform)
    """The pose of the child in the parent, without a base frame."""


@dataclass(kw_only=True, slots=True)
class AddCollisionFilterGroup(Part):
    """Add a group of links, and the groups with which it does not collide."""

    KEY: ClassVar[str] = "add_collision_filter_group"
    name: str = ""
    members: tuple[str, ...] = ()
    member_groups: tuple[str, ...] = ()
    ignored_collision_filter_groups: tuple[str, ...] = ()
    model_namespace: str | None = None


@dataclass(kw_only=True, slots=True)
class AddDirectives(Part):
    """Add the directives of another file, whose names get a namespace as prefix."""

    KEY: ClassVar[str] = "add_directives"
    NAMED_BY: ClassVar[str] = "file"
    file: str = ""
    model_namespace: str | None = None
    content: Directives | None = field(default=None, compare=False, repr=False)


Directive = AddModel | AddModelInstance | AddFrame | AddWeld | AddCollisionFilterGroup | AddDirectives


@dataclass(kw_only=True, slots=True)
class Directives(Document):
    """A file of model directives, in the order of execution."""

    FORMAT: ClassVar[str] = "directives"
    directives: list[Directive] = field(default_factory=list)

    def take_contents(self, other: Directives) -> list[Any]:
        """Take over the documents of files from equal directives, each once."""
        found = {}
        for own, theirs in zip(self.directives, other.directives, strict=False):
            if isinstance(own, AddModel | AddDirectives) and isinstance(theirs, type(own)):
                own.content = theirs.content
                if own.content is not None:
                    found[id(own.content)] = own.content
        return list(found.values())
