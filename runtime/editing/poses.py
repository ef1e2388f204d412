"""Poses in the notations of the formats, read and written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from polybody.generated.formats import openrave, sdf, urdf
from polybody.lowering.openrave.poses import TRANSFORMS, own_pose
from polybody.lowering.sdf.values import pose_from
from polybody.rotations.poses import IDENTITY, Pose, Quaternion, about_x_y_z, columns_of, roll_pitch_yaw

SIX, SEVEN = 6, 7


def given_pose(pose: Sequence[float] | None) -> Pose:
    """The pose that a caller gives.

    Args:
        pose: x y z, m, and roll pitch yaw, rad: Rz(yaw) Ry(pitch) Rx(roll); or x y z and a quaternion, w
            first.

    Raises:
        ValueError: it has another number of values, one is not finite, or the quaternion has length zero.
    """
    if pose is None:
        return IDENTITY
    numbers = [float(number) for number in pose]
    if len(numbers) not in (SIX, SEVEN) or not all(map(math.isfinite, numbers)):
        raise ValueError(
            "pose must be six finite numbers, x y z roll pitch yaw, or seven, x y z and a quaternion with w "
            f"first, not {pose!r:.80}"
        )
    x, y, z, *rest = numbers
    if len(rest) == SIX - 3:
        return Pose((x, y, z), roll_pitch_yaw(rest))
    length = math.hypot(*rest)
    if length == 0.0:
        raise ValueError("the quaternion of pose has length zero")
    w, a, b, c = (number / length for number in rest)
    return Pose((x, y, z), (w, a, b, c))


def tidy(numbers: Sequence[float]) -> tuple[float, ...]:
    """Computed numbers without the last digits, in which rounding errors are."""
    return tuple(0.0 if abs(number) < 1e-15 else float(f"{number:.15g}") for number in numbers)


def rpy_of(quat: Quaternion) -> tuple[float, float, float]:
    """Roll, pitch and yaw, rad, of a rotation: Rz(yaw) Ry(pitch) Rx(roll)."""
    x, y, z = columns_of(quat)
    across = math.hypot(x[0], x[1])
    pitch = math.atan2(-x[2], across)
    if across < 1e-12:  # only the sum or difference of roll and yaw is determined
        return (0.0, pitch, math.atan2(-y[0], y[1]))
    yaw = math.atan2(x[1], x[0])
    # Near there, neither is known well, but what remains after the other one is.
    sine, cosine = math.sin(yaw), math.cos(yaw)
    return (math.atan2(sine * z[0] - cosine * z[1], cosine * y[1] - sine * y[0]), pitch, yaw)


def xyz_angles_of(quat: Quaternion) -> tuple[float, float, float]:
    """The angles, rad, of a rotation Rx(a) Ry(b) Rz(c)."""
    w, x, y, z = quat
    a, b, c = rpy_of((w, -x, -y, -z))  # the inverse is Rz(-c) Ry(-b) Rx(-a)
    return (-a, -b, -c)


def origin_of(node: Any) -> Any:
    """The <origin> of an element of URDF; None if there is none."""
    return getattr(node, "origin", None)


def set_origin(node: Any, pose: Pose, origin: Any = None) -> None:
    """Write a pose as an <origin>."""
    if origin is None:
        node.origin = origin = urdf.Origin()
    xyz, rpy = tidy(pose.pos), tidy(rpy_of(pose.quat))
    origin.xyz = xyz if any(xyz) or origin.xyz is not None else None
    origin.rpy = rpy if any(rpy) or origin.rpy is not None else None
    origin.quat_xyzw = None


def set_sdf_pose(node: Any, pose: Pose, relative_to: str | None = None) -> None:
    """Write a pose as a <pose>."""
    if node.pose is None:
        node.pose = sdf.Pose()
    node.pose.text = tidy((*pose.pos, *rpy_of(pose.quat)))
    node.pose.degrees = node.pose.rotation_format = None
    node.pose.relative_to = relative_to


def sdf_pose(node: Any) -> Pose:
    """The values of a <pose>, in its frame."""
    return IDENTITY if node.pose is None or node.pose.text is None else pose_from(node.pose)


def transformation(numbers: Sequence[float] | None) -> Pose:
    """The pose of a `transformation` of SKEL."""
    if numbers is None:
        return IDENTITY
    x, y, z, *angles = numbers
    return Pose((x, y, z), about_x_y_z(angles))


def as_transformation(pose: Pose) -> tuple[float, ...]:
    """A pose as a `transformation` of SKEL."""
    return tidy((*pose.pos, *xyz_angles_of(pose.quat)))


def rave_pose(node: Any) -> Pose:
    """The pose that the transforms of an element of OpenRAVE give, in the unit of the element."""
    return own_pose(node.children)


def set_rave_pose(node: Any, pose: Pose) -> None:
    """Replace the transforms of an element of OpenRAVE."""
    node.children[:] = [child for child in node.children if not isinstance(child, TRANSFORMS)]
    place = next((at for at, child in enumerate(node.children) if child.TAG not in ("mass",)), 0)
    made: list[Any] = []
    where: Any = tidy(pose.pos)
    turn: Any = tidy(pose.quat)
    if any(pose.pos):
        made.append(openrave.Translation(text=where))
    if any(tidy(pose.quat[1:])):
        made.append(openrave.Quat(text=turn))
    node.children[place:place] = made
