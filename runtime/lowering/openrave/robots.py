"""Manipulators and sensors of robots, and sensors of scenes."""

from __future__ import annotations

from math import copysign
from typing import TYPE_CHECKING, Any

from polybody.base import children_of
from polybody.lowering.openrave.parts import Link, ManipulatorPart, SensorPart, last
from polybody.lowering.openrave.poses import direction, own_pose

if TYPE_CHECKING:
    from polybody.lowering.openrave.reading import Reader


def put_before(rows: list[Any], begin: int, end: int) -> None:
    """Put the rows from ``end`` on before those of a file, which start at ``begin``, in reverse order."""
    rows[begin:] = [*reversed(rows[end:]), *rows[begin:end]]


def read_manipulator(reader: Reader, node: Any, scale: float) -> None:
    """Add the manipulator of an element."""
    base, effector = (None if end is None else reader.find(end) for end in (node.base, node.effector))
    if reader.kin.partial and any(
        end is not None and link is None for end, link in ((node.base, base), (node.effector, effector))
    ):
        return
    along = last(node, "direction", "palmdirection")
    name = node.name or f"manip{len(reader.kin.manipulators)}"
    part = ManipulatorPart(
        node,
        name,
        base,
        effector,
        own_pose(children_of(node), scale),
        (along is not None and along.text is not None and direction(along.text)) or (0.0, 0.0, 1.0),
    )
    named = last(node, "joints", "gripperjoints")
    signs = last(node, "closingdirection", "closingdir", "chuckingdirection")
    speeds = () if signs is None else signs.text or ()
    for place, joint in enumerate(() if named is None else named.text or ()):
        found = reader.joints.get(joint)
        speed = speeds[place] if place < len(speeds) else 0.0
        if found is None and reader.kin.partial:
            reader.kin.left_out += 1
        elif found is None:
            reader.notes.differs(named, f"<{named.TAG}>: there is no joint `{joint}` so far; it is left out")
        elif not found.indexed:
            reader.notes.differs(
                named, f"`{joint}` is passive and therefore not a joint of the gripper, as in OpenRAVE"
            )
        else:
            part.gripper.append((found, copysign(1.0, speed) if speed else 0.0))
    while reader.manipulators.setdefault(part.name, part) is not part:
        part.name += "_"
    if part.name != name:
        message = f"the manipulator name `{name}` is already used: this one is `{part.name}`"
        reader.notes.differs(node, message)
    reader.kin.manipulators.append(part)


def read_sensor(reader: Reader, node: Any, scale: float) -> None:
    """Add the robot sensor of an element, or modify the one with its name."""
    kin = reader.kin
    link: Link | None = None if node.link is None else reader.find(node.link)
    known = None if node.name is None else reader.sensors.get(node.name)
    if known is None and link is None and node.link is not None and kin.partial:
        return  # it is on a link of a missing file
    if known is None:
        known = SensorPart(node, node.name or f"sensor{len(kin.sensors)}", None, own_pose(()))
        kin.sensors.append(known)
        reader.sensors.setdefault(known.name, known)
    known.pose = own_pose(children_of(node), scale, known.pose)
    known.link = link or known.link
    known.type = sensor_type(node.sensor) or known.type


def sensor_type(node: Any) -> str:
    """The plugin of a <sensor>, given in the element or in its file."""
    while node is not None:
        if node.type:
            return str(node.type)
        node = node.content
    return ""


def settle(reader: Reader) -> None:
    """Attach sensors without a link to the first link."""
    kin = reader.kin
    for part in kin.sensors:
        if part.link is None and kin.links:
            reader.notes.differs(
                part.node,
                f"the sensor `{part.name}` names no link: it is attached to the first, `{kin.links[0].name}`",
            )
            part.link = kin.links[0]
