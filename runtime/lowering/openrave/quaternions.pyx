# cython: language_level=3
"""Poses and quaternions with OpenRAVE's composition, as tuples of numbers: w x y z, active."""

from libc.math cimport fabs, sqrt

cdef tuple UPRIGHT = (1.0, 0.0, 0.0, 0.0), ZERO = (0.0, 0.0, 0.0)
cdef object new = tuple.__new__


class Pose(tuple):
    """The pose of a frame relative to another: a rotation, then a translation."""

    __slots__ = ()

    def __new__(cls, pos=ZERO, quat=UPRIGHT):
        return new(cls, (pos, quat))

    def __getnewargs__(self):
        return tuple(self)

    def __repr__(self):
        return f"Pose(pos={self[0]!r}, quat={self[1]!r})"

    @property
    def pos(self):
        return self[0]

    @property
    def quat(self):
        return self[1]

    def then(self, inner):
        """The pose of a frame whose pose relative to this one is ``inner``."""
        pos, quat = self
        point, turn = inner
        return new(Pose, (_point(pos, quat, point), product(quat, turn)))

    def inverse(self):
        """The pose of the other frame relative to this one."""
        cdef double w, x, y, z
        pos, quat = self
        w, x, y, z = quat
        back = (w, -x, -y, -z)
        x, y, z = turned(back, pos)
        return new(Pose, ((-x, -y, -z), back))

    def point(self, point):
        """Coordinates in the other frame of a point of this frame."""
        return _point(self[0], self[1], point)


cdef tuple _point(pos, quat, point):
    cdef double x, y, z, a, b, c
    x, y, z = turned(quat, point)
    a, b, c = pos
    return a + x, b + y, c + z


def product(a, b):
    """The product of two rotations (b first), normalised."""
    cdef double aw, ax, ay, az, bw, bx, by, bz
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return _unit(
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def unit(quat):
    """A quaternion normalised; the identity if its length is zero."""
    cdef double w, x, y, z
    w, x, y, z = quat
    return _unit(w, x, y, z)


cdef tuple _unit(double w, double x, double y, double z):
    cdef double greatest = fabs(w), length
    greatest = fabs(x) if fabs(x) > greatest else greatest
    greatest = fabs(y) if fabs(y) > greatest else greatest
    greatest = fabs(z) if fabs(z) > greatest else greatest
    if greatest == 0.0:
        return UPRIGHT
    # Scaled first so that the squares do not overflow.
    w, x, y, z = w / greatest, x / greatest, y / greatest, z / greatest
    length = sqrt(w * w + x * x + y * y + z * z)
    return w / length, x / length, y / length, z / length


def turned(quat, vector):
    """A vector, rotated."""
    cdef double w, x, y, z, a, b, c, d, e, f
    w, x, y, z = quat
    a, b, c = vector
    d, e, f = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * d + (y * f - z * e), b + w * e + (z * d - x * f), c + w * f + (x * e - y * d)
