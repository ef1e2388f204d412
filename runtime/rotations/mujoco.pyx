# cython: language_level=3
"""Vectors, quaternions and poses as tuples of numbers, with the thresholds of MuJoCo's compiler.

A vector or quaternion whose length is sufficiently near 1 is not changed.
"""

from libc.math cimport atan2, cos, fabs, sin, sqrt

from polybody.rotations.turns cimport hamilton

EPS = 1e-14
cdef double NEAR = EPS
cdef double PARALLEL = 1e-10  # below this the cross product with z has no direction
cdef tuple FIRST = (1.0, 0.0, 0.0)


def normalised(vector):
    """A vector normalised, and its length; if it is too short, unchanged and 0."""
    cdef double x, y, z, square, length
    x, y, z = vector
    square = x * x + y * y + z * z
    if square < NEAR:
        return (x, y, z), 0.0
    length = sqrt(square)
    if fabs(length - 1) <= NEAR:
        return (x, y, z), length
    return (x / length, y / length, z / length), length


def unit(quat):
    """A quaternion normalised; if it is too short, unchanged."""
    cdef double w, x, y, z, square, length
    w, x, y, z = quat
    square = w * w + x * x + y * y + z * z
    if square < NEAR:
        return quat
    length = sqrt(square)
    if fabs(length - 1) <= NEAR:
        return quat
    return w / length, x / length, y / length, z / length


def product(a, b):
    """The product of two rotations (b first), normalised."""
    cdef double aw, ax, ay, az, bw, bx, by, bz
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return unit(hamilton(aw, ax, ay, az, bw, bx, by, bz))


def matrix(quat):
    """The rows of a quaternion's rotation matrix; a quaternion that is not of unit length also scales."""
    cdef double w, x, y, z, ww, xx, yy, zz, wx, wy, wz, xy, xz, yz
    w, x, y, z = quat
    if x == 0 and y == 0 and z == 0 and w == 1:
        return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    ww, xx, yy, zz = w * w, x * x, y * y, z * z
    wx, wy, wz, xy, xz, yz = w * x, w * y, w * z, x * y, x * z, y * z
    return (
        (ww + xx - yy - zz, 2 * (xy - wz), 2 * (xz + wy)),
        (2 * (xy + wz), ww - xx + yy - zz, 2 * (yz - wx)),
        (2 * (xz - wy), 2 * (yz + wx), ww - xx - yy + zz),
    )


def rotated(vector, quat):
    """A vector rotated by a quaternion's matrix."""
    cdef double w, x, y, z, a, b, c, d, e, f, g, h, i
    w, x, y, z = quat
    if w == 1 and x == 0 and y == 0 and z == 0:
        return vector
    (a, b, c), (d, e, f), (g, h, i) = matrix(quat)
    x, y, z = vector
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


def composed(outer, inner):
    """The pose `inner`, given relative to `outer`, in the frame of `outer`'s parent."""
    cdef double x, y, z, a, b, c
    (x, y, z), turn = outer
    a, b, c = rotated(inner[0], turn)
    return (x + a, y + b, z + c), product(turn, inner[1])


def along(vector):
    """The shortest rotation from z to a direction of unit length."""
    cdef double x, y, z, sine, half, s
    x, y, z = vector
    axis, sine = normalised((0.0 * z - 1.0 * y, 1.0 * x - 0.0 * z, 0.0 * y - 0.0 * x))
    if sine < PARALLEL:
        axis = FIRST
    half = atan2(sine, z) / 2
    s = sin(half)
    x, y, z = axis
    return cos(half), x * s, y * s, z * s
