from collections.abc import Sequence
from typing import NamedTuple

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

class Pose(NamedTuple):
    """Where a frame is in another: a rotation, then a translation."""

    pos: Vector = ...
    quat: Quaternion = ...

    def then(self, inner: Pose) -> Pose:
        """The pose of a frame that is at ``inner`` in this one."""

    def inverse(self) -> Pose:
        """The pose of the outer frame in this one."""

    def point(self, point: Sequence[float]) -> Vector:
        """A point of this frame, in the outer one."""

def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation by b, then by a, of length 1."""

def unit(quat: Sequence[float]) -> Quaternion:
    """A quaternion of length 1; no rotation where it has no length."""

def turned(quat: Quaternion, vector: Sequence[float]) -> Vector:
    """A vector, turned."""
