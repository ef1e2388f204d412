Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Pose = tuple[Vector, Quaternion]

EPS: float

def normalised(vector: tuple[float, ...]) -> tuple[Vector, float]:
    """A vector normalised, and its length; if it is too short, unchanged and 0."""

def unit(quat: Quaternion) -> Quaternion:
    """A quaternion normalised; if it is too short, unchanged."""

def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The product of two rotations (b first), normalised."""

def matrix(quat: Quaternion) -> tuple[Vector, Vector, Vector]:
    """The rows of a quaternion's rotation matrix; a quaternion that is not of unit length also scales."""

def rotated(vector: Vector, quat: Quaternion) -> Vector:
    """A vector rotated by a quaternion's matrix."""

def composed(outer: Pose, inner: Pose) -> Pose:
    """The pose `inner`, given relative to `outer`, in the frame of `outer`'s parent."""

def along(vector: Vector) -> Quaternion:
    """The shortest rotation from z to a direction of unit length."""
