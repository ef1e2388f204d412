"""Values of SDFormat's elements: poses, names, directions."""

from __future__ import annotations

import math
from typing import Any

from polybody.generated.formats.sdf.documents import RotationFormat
from polybody.rotations.poses import IDENTITY, Pose, roll_pitch_yaw, unit

ANGLES, QUATERNION = 6, 7


def pose_of(node: Any) -> Pose:
    """The values of an element's <pose>, in whatever frame it is given; the identity by default."""
    pose = node.pose
    return IDENTITY if pose is None or pose.text is None else pose_from(pose)


def pose_from(pose: Any) -> Pose:
    """The values of a <pose>: x y z and roll pitch yaw, or x y z and a quaternion with w last."""
    numbers = pose.text or (0.0,) * ANGLES
    pos = (float(numbers[0]), float(numbers[1]), float(numbers[2]))
    rest = numbers[3:]
    if pose.rotation_format is RotationFormat.QUAT_XYZW and len(numbers) == QUATERNION:
        x, y, z, w = rest
        return Pose(pos, unit((w, x, y, z)))  # one without a direction was reported when read
    angles = rest[:3]
    if pose.degrees:
        angles = tuple(math.radians(angle) for angle in angles)
    return Pose(pos, roll_pitch_yaw(angles))


def relative_of(node: Any) -> str:
    """The reference frame of an element's <pose>, if given; `frame` is the former name."""
    pose = node.pose
    if pose is None:
        return ""
    return said(pose, "relative_to") or said(pose, "frame")


def said(node: Any, name: str) -> str:
    """A text, without surrounding white space; "" if there is none."""
    value = getattr(node, name, None)
    return "" if value is None else value.strip()
