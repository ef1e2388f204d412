"""Bodies inside bodies, as in MJCF and x_xy: their poses in the world, and moving one to the world."""

from __future__ import annotations

import math
from typing import Any

from polybody.base import Node, children_of
from polybody.document.includes import expand
from polybody.document.references import References
from polybody.document.registry import format_of
from polybody.document.resolver import resolve
from polybody.editing.poses import tidy
from polybody.lowering.mjcf.poses import oriented, unit
from polybody.rotations.poses import IDENTITY, Pose, product, roll_pitch_yaw

ALTERNATIVES = ("axisangle", "xyaxes", "zaxis", "euler")
FRAMES = ("body", "frame")


class Compiler:
    """The settings of MJCF's compiler that poses depend on, also those of included files."""

    def __init__(self, root: Any) -> None:
        self.values: dict[str, Any] = {}
        root = expand(root, format_of(root))[0]
        for section in (node for node in children_of(root) if node.TAG == "compiler"):
            given = {name: getattr(section, name) for name in section.FIELDS}
            self.values |= {name: value for name, value in given.items() if value is not None}
        angle = self.values.get("angle")
        self.degrees = str(getattr(angle, "value", angle)) != "radian"
        sequence = self.values.get("eulerseq")
        self.sequence = str(getattr(sequence, "value", sequence) or "xyz")

    def get(self, name: str, default: Any) -> Any:
        value = self.values.get(name, default)
        return getattr(value, "value", value)


def mjcf_pose(node: Any, compiler: Compiler) -> Pose:
    """The pose of an element of MJCF, in the frame around it."""
    pos = tuple(node.pos or (0.0, 0.0, 0.0))
    for name in ALTERNATIVES:
        numbers = getattr(node, name, None)
        if numbers is not None:
            quat = oriented((name, tuple(numbers)), compiler.degrees, compiler.sequence)
            return Pose((pos[0], pos[1], pos[2]), quat)
    quat = node.quat
    return Pose((pos[0], pos[1], pos[2]), (1.0, 0.0, 0.0, 0.0) if quat is None else unit(tuple(quat)))


def set_mjcf_pose(node: Any, pose: Pose) -> None:
    """Write a pose as position and quaternion."""
    for name in ALTERNATIVES:
        if hasattr(node, name):
            setattr(node, name, None)
    node.pos = tidy(pose.pos) if any(pose.pos) else None
    node.quat = tidy(pose.quat) if any(tidy(pose.quat[1:])) else None


def x_xy_pose(node: Any, resolved: Any) -> Pose:
    """The pose of a body of x_xy: its quaternion rotates vectors into the body, its angles are degrees."""
    pos, quat = resolved.get(node, "pos"), resolved.given(node, "quat")
    if quat is not None:
        w, x, y, z = unit(tuple(quat))
        return Pose((pos[0], pos[1], pos[2]), (w, -x, -y, -z))
    angles = resolved.get(node, "euler")
    return Pose((pos[0], pos[1], pos[2]), roll_pitch_yaw([math.radians(angle) for angle in angles]))


def set_x_xy_pose(node: Any, pose: Pose) -> None:
    """Write a pose as position and quaternion, also where defaults give others."""
    w, x, y, z = tidy(pose.quat)
    node.euler, node.pos = None, tidy(pose.pos)
    node.quat = (w, -x, -y, -z)


def pose_in_world(references: References, node: Any) -> Pose:
    """The pose of a body in the world, as far as it does not depend on joints."""
    document, pose = references.document, IDENTITY
    is_mjcf = references.form.name == "mjcf"
    compiler, resolved = Compiler(document) if is_mjcf else None, resolve(document)
    current: Node | None = node
    while current is not None:
        if current.TAG in FRAMES:
            own = mjcf_pose(current, compiler) if compiler is not None else x_xy_pose(current, resolved)
            pose = Pose(*_composed(own, pose))
        current = references.parents.get(id(current))
    return pose


def _composed(outer: Pose, inner: Pose) -> Pose:
    x, y, z = outer.point(inner.pos)
    return Pose((x, y, z), product(outer.quat, inner.quat))


def class_around(references: References, node: Any) -> str | None:
    """The defaults class that the elements around a body give to it."""
    current = references.parents.get(id(node))
    while current is not None:
        if getattr(current, "childclass", None):
            return str(current.childclass)  # type: ignore[attr-defined]
        current = references.parents.get(id(current))
    return None


def hoist(references: References, node: Any, several: tuple[str, ...]) -> list[Any]:
    """Move a body to the world, with its pose in the world and the defaults class that it had.

    Returns:
        What else is in the world, which is to be deleted.

    Raises:
        ValueError: elements around it make several bodies of it.
    """
    parents = references.parents
    current = parents.get(id(node))
    world = None
    while current is not None:
        if current.TAG in several:
            raise ValueError(f"`{node.name}` is in a <{current.TAG}>, which makes several bodies of it")
        world = current if current.TAG == "worldbody" else world
        current = parents.get(id(current))
    assert world is not None
    parent: Any = parents[id(node)]
    others = [child for child in children_of(world) if child is not node]
    if parent is not world:
        pose, name = pose_in_world(references, node), class_around(references, node)
        parent.children[:] = [child for child in children_of(parent) if child is not node]
        world.children.append(node)
        if references.form.name == "mjcf":
            node.childclass = node.childclass or name
            set_mjcf_pose(node, pose)
        else:
            set_x_xy_pose(node, pose)
    worlds = [each for each in references.document.walk() if each.TAG == "worldbody" and each is not world]
    return [*others, *worlds]
