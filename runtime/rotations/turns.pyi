from collections.abc import Sequence
from typing import Any, NamedTuple

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Tensor = tuple[float, float, float, float, float, float]

class Pose(NamedTuple):
    """The pose of a frame relative to another. ``a @ b`` composes: ``b`` is relative to ``a``, the result
    relative to ``a``'s parent.
    """

    pos: Vector = ...
    """m"""
    quat: Quaternion = ...
    """w first: rotates vectors from the frame to its parent."""

    def __matmul__(self, other: Pose) -> Pose: ...
    def inverse(self) -> Pose:
        """The pose of the parent frame relative to this one."""

    def point(self, point: Sequence[float]) -> Vector:
        """Coordinates in the parent frame of a point of this frame."""

    def vector(self, vector: Sequence[float]) -> Vector:
        """Components in the parent frame of a vector of this frame."""

def pose_of_origin(origin: Any, quaternions: bool = False) -> Pose:
    """The pose of an element with ``xyz``, m, and ``rpy``, rad, each optional; the identity for None.

    Args:
        origin: the element.
        quaternions: whether its ``quat_xyzw`` counts, if it has one.
    """

def unit_vector(vector: Sequence[float]) -> Vector:
    """A vector, normalised.

    Raises:
        ValueError: its length is zero.
    """

def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The product of two rotations (b first) as a unit quaternion."""

def unit(quat: Quaternion) -> Quaternion:
    """A quaternion, normalised; the identity if it has no direction."""

def turned(quat: Quaternion, vector: Sequence[float]) -> Vector:
    """A vector (3,) rotated by a unit quaternion."""

def roll_pitch_yaw(angles: Sequence[float]) -> Quaternion:
    """Rz(yaw) Ry(pitch) Rx(roll): rotations in rad about fixed axes."""

def about_x_y_z(angles: Sequence[float]) -> Quaternion:
    """Rx(a) Ry(b) Rz(c): rotations in rad about moving axes."""

def columns_of(quat: Quaternion) -> tuple[Vector, Vector, Vector]:
    """The axes of a frame in the parent frame: the columns of the rotation matrix."""

def rotated_tensor(quat: Quaternion, tensor: Sequence[float]) -> Tensor:
    """R I R^T for a symmetric tensor xx yy zz xy xz yz, with R the rotation of a unit quaternion."""
