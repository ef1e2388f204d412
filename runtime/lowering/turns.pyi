from collections.abc import Sequence

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Tensor = tuple[float, float, float, float, float, float]

def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The unit quaternion that turns by b, then by a."""

def turned(quat: Quaternion, vector: Sequence[float]) -> Vector:
    """A vector (3,) turned by a unit quaternion."""

def roll_pitch_yaw(angles: Sequence[float]) -> Quaternion:
    """Rz(yaw) Ry(pitch) Rx(roll), of angles in rad about fixed axes."""

def columns_of(quat: Quaternion) -> tuple[Vector, Vector, Vector]:
    """The axes of a frame, one after the other, in the other frame's axes."""

def rotated_tensor(quat: Quaternion, tensor: Sequence[float]) -> Tensor:
    """R I R^T of a symmetric tensor xx yy zz xy xz yz, whose axes a unit quaternion turns to others."""
