from collections.abc import Sequence
from typing import Any, NamedTuple

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Tensor = tuple[float, float, float, float, float, float]

class Pose(NamedTuple):
    """Where a frame is in another: ``a @ b`` is where ``b``, a pose in ``a``, is in the frame around."""

    pos: Vector = ...
    """m"""
    quat: Quaternion = ...
    """w first: turns vectors of the frame to the other one's axes."""

    def __matmul__(self, other: Pose) -> Pose: ...
    def inverse(self) -> Pose:
        """The pose of the other frame in this one."""

    def point(self, point: Sequence[float]) -> Vector:
        """A point of the frame, in the other one."""

    def vector(self, vector: Sequence[float]) -> Vector:
        """A vector of the frame, in the other one's axes."""

def pose_of_origin(origin: Any) -> Pose:
    """The pose of an element with ``xyz``, m, and ``rpy``, rad, either of them None; of None the identity."""

def unit_vector(vector: Sequence[float]) -> Vector:
    """A vector of length 1 along another.

    Raises:
        ValueError: it has no direction.
    """

def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The unit quaternion that turns by b, then by a."""

def turned(quat: Quaternion, vector: Sequence[float]) -> Vector:
    """A vector (3,) turned by a unit quaternion."""

def roll_pitch_yaw(angles: Sequence[float]) -> Quaternion:
    """Rz(yaw) Ry(pitch) Rx(roll), of angles in rad about fixed axes."""

def about_x_y_z(angles: Sequence[float]) -> Quaternion:
    """Rx(a) Ry(b) Rz(c), of angles in rad."""

def columns_of(quat: Quaternion) -> tuple[Vector, Vector, Vector]:
    """The axes of a frame, one after the other, in the other frame's axes."""

def rotated_tensor(quat: Quaternion, tensor: Sequence[float]) -> Tensor:
    """R I R^T of a symmetric tensor xx yy zz xy xz yz, whose axes a unit quaternion turns to others."""
