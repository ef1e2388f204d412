Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Pose = tuple[Vector, Quaternion]

EPS: float

def normalised(vector: tuple[float, ...]) -> tuple[Vector, float]:
    """A vector of length 1, and the length it had; too short a one as it is, with length 0."""

def unit(quat: Quaternion) -> Quaternion:
    """A quaternion of length 1; too short a one as it is."""

def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation by b, then by a, normalised."""

def matrix(quat: Quaternion) -> tuple[Vector, Vector, Vector]:
    """The rows of a quaternion's rotation matrix; a quaternion that is not of unit length also scales."""

def rotated(vector: Vector, quat: Quaternion) -> Vector:
    """A vector turned by a quaternion's matrix."""

def composed(outer: Pose, inner: Pose) -> Pose:
    """A pose that is given in another."""

def along(vector: Vector) -> Quaternion:
    """The shortest rotation from z to a direction of unit length."""
