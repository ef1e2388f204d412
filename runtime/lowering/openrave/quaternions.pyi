from collections.abc import Sequence
from typing import NamedTuple

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

class Pose(NamedTuple):
    """The pose of a frame relative to another: a rotation, then a translation."""

    pos: Vector = ...
    quat: Quaternion = ...

    def then(self, inner: Pose) -> Pose:
        """The pose of a frame whose pose relative to this one is ``inner``."""

    def inverse(self) -> Pose:
        """The pose of the other frame relative to this one."""

    def point(self, point: Sequence[float]) -> Vector:
        """Coordinates in the other frame of a point of this frame."""

def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The product of two rotations (b first), normalised."""

def unit(quat: Sequence[float]) -> Quaternion:
    """A quaternion normalised; the identity if its length is zero."""

def turned(quat: Quaternion, vector: Sequence[float]) -> Vector:
    """A vector, rotated."""
