# cython: language_level=3
"""Poses of frames, and quaternions, vectors and symmetric tensors, as tuples of numbers."""

from math import hypot

from cpython.object cimport PyTypeObject
from libc.math cimport cos, isfinite, sin, sqrt

from polybody.base.fields cimport Field, value_of
from polybody.base.slots cimport allocate_items, first_item, new_reference

cdef tuple UPRIGHT = (1.0, 0.0, 0.0, 0.0), ORIGIN = (0.0, 0.0, 0.0)
cdef object new = tuple.__new__
cdef Field XYZ = Field("xyz"), RPY = Field("rpy"), QUAT = Field("quat_xyzw")


class Pose(tuple):
    """The pose of a frame relative to another. ``a @ b`` composes: ``b`` is relative to ``a``, the result
    relative to ``a``'s parent.
    """

    __slots__ = ()

    def __new__(cls, pos=ORIGIN, quat=UPRIGHT):
        return new(cls, (pos, quat))  # like any tuple, also for subclasses

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

    def __matmul__(self, other):
        return composed(self, other)

    def inverse(self):
        """The pose of the parent frame relative to this one."""
        return inverted(self)

    def point(self, point):
        """Coordinates in the parent frame of a point of this frame."""
        return _point(self[0], self[1], point)

    def vector(self, vector):
        """Components in the parent frame of a vector of this frame."""
        return turned(self[1], vector)


cdef object IDENTITY = Pose()
cdef PyTypeObject* pose_class = <PyTypeObject*> Pose


cdef object _pose(pos, quat):
    """A new Pose; `tuple.__new__` would create a temporary tuple first."""
    made = allocate_items(pose_class, 2)
    first_item(made)[0], first_item(made)[1] = new_reference(pos), new_reference(quat)
    return made


cdef object composed(one, other):
    """Where the frame of the other pose, a pose in the one's frame, is in the frame around."""
    cdef double a, b, c
    if one is IDENTITY:
        return other
    pos, quat = halves(one)
    if is_identity(pos, quat):
        return other
    if other is IDENTITY:
        a, b, c = pos
        return _pose((a + 0.0, b + 0.0, c + 0.0), quat)  # 0 has no sign, as in any sum
    point, turn = halves(other)
    return _pose(_point(pos, quat, point), product(quat, turn))


cdef object inverted(pose):
    """The pose of the other frame in this one."""
    cdef double w, x, y, z, a, b, c
    if pose is IDENTITY:
        return pose
    pos, quat = halves(pose)
    if is_identity(pos, quat):
        return pose
    w, x, y, z = quat
    back = (w, -x, -y, -z)
    a, b, c = turned(back, pos)
    return _pose((0.0 - a, 0.0 - b, 0.0 - c), back)


cpdef pose_of_origin(origin, bint quaternions=False):
    """The pose of an element with ``xyz``, m, and ``rpy``, rad, each optional; the identity for None.

    Args:
        origin: the element.
        quaternions: whether its ``quat_xyzw`` counts, if it has one.
    """
    return IDENTITY if origin is None else _pose(position_of(origin), rotation_of(origin, quaternions))


cdef object position_of(origin):
    """The position of such an element."""
    pos = None if origin is None else value_of(XYZ, origin)
    return ORIGIN if pos is None else pos


cdef object rotation_of(origin, bint quaternions):
    """The rotation of such an element; a quaternion of length zero is none."""
    if quaternions and origin is not None:
        given = value_of(QUAT, origin)
        if given is not None:
            x, y, z, w = given  # w last
            return unit((w, x, y, z))
    angles = None if origin is None else value_of(RPY, origin)
    return UPRIGHT if angles is None else roll_pitch_yaw(angles)


cdef inline bint is_identity(pos, quat) except -1:
    return (quat is UPRIGHT or quat == UPRIGHT) and (pos is ORIGIN or pos == ORIGIN)


cdef tuple _point(pos, quat, point):
    cdef double x, y, z, a, b, c
    x, y, z = turned(quat, point)
    a, b, c = pos
    return a + x, b + y, c + z


cpdef product(a, b):
    """The product of two rotations (b first) as a unit quaternion."""
    cdef double aw, ax, ay, az, bw, bx, by, bz, w, x, y, z, length
    bw, bx, by, bz = b
    if bw == 1 and bx == 0 and by == 0 and bz == 0:
        return a
    aw, ax, ay, az = a
    w, x, y, z = hamilton(aw, ax, ay, az, bw, bx, by, bz)
    length = sqrt(w * w + x * x + y * y + z * z)
    return w / length, x / length, y / length, z / length


cpdef unit(quat):
    """A quaternion, normalised; the identity if it has no direction."""
    cdef double w, x, y, z, length
    w, x, y, z = quat
    length = sqrt(w * w + x * x + y * y + z * z)
    if not (length > 0 and isfinite(length)):
        return UPRIGHT
    return w / length, x / length, y / length, z / length


cpdef turned(quat, vector):
    """A vector (3,) rotated by a unit quaternion."""
    cdef double w, a, b, c, x, y, z, d, e, f
    x, y, z = vector
    w, a, b, c = quat
    if w == 1 and a == 0 and b == 0 and c == 0:
        return x, y, z
    # v + 2 w (q x v) + 2 q x (q x v)
    d, e, f = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    return x + w * d + b * f - c * e, y + w * e + c * d - a * f, z + w * f + a * e - b * d


cpdef unit_vector(vector):
    """A vector, normalised.

    Raises:
        ValueError: its length is zero.
    """
    cdef double x, y, z, length
    x, y, z = vector
    length = hypot(x, y, z)
    if not (length > 0 and isfinite(length)):
        raise ValueError(f"{list(vector)} has zero length")
    return (x, y, z) if length == 1 else (x / length, y / length, z / length)


cpdef roll_pitch_yaw(angles):
    """Rz(yaw) Ry(pitch) Rx(roll): rotations in rad about fixed axes."""
    cdef double roll, pitch, yaw, cr, sr, cp, sp, cy, sy
    roll, pitch, yaw = angles
    if roll == 0 and pitch == 0 and yaw == 0:
        return UPRIGHT
    cr, sr = cos(roll / 2), sin(roll / 2)
    cp, sp = cos(pitch / 2), sin(pitch / 2)
    cy, sy = cos(yaw / 2), sin(yaw / 2)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def about_x_y_z(angles):
    """Rx(a) Ry(b) Rz(c): rotations in rad about moving axes."""
    cdef double angle
    cdef int place = 0
    quat = UPRIGHT
    for angle in angles:
        if angle != 0:
            c, s = cos(angle / 2), sin(angle / 2)
            quat = product(quat, (c, s, 0.0, 0.0) if place == 0 else (c, 0.0, s, 0.0) if place == 1 else (c, 0.0, 0.0, s))
        place += 1
    return quat


cpdef columns_of(quat):
    """The axes of a frame in the parent frame: the columns of the rotation matrix."""
    cdef double w, x, y, z, wx, wy, wz, xx, xy, xz, yy, yz, zz
    w, x, y, z = quat
    if w == 1 and x == 0 and y == 0 and z == 0:
        return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    wx, wy, wz = 2 * w * x, 2 * w * y, 2 * w * z
    xx, xy, xz, yy, yz, zz = 2 * x * x, 2 * x * y, 2 * x * z, 2 * y * y, 2 * y * z, 2 * z * z
    return (
        (1 - (yy + zz), xy + wz, xz - wy),
        (xy - wz, 1 - (xx + zz), yz + wx),
        (xz + wy, yz - wx, 1 - (xx + yy)),
    )


cpdef rotated_tensor(quat, tensor):
    """R I R^T for a symmetric tensor xx yy zz xy xz yz, with R the rotation of a unit quaternion."""
    cdef double xx, yy, zz, xy, xz, yz, ax, bx, cx, ay, by, cy, az, bz, cz
    cdef double pa, qa, ra, pb, qb, rb, pc, qc, rc, w, x, y, z
    xx, yy, zz, xy, xz, yz = tensor
    w, x, y, z = quat
    if w == 1 and x == 0 and y == 0 and z == 0:
        return xx, yy, zz, xy, xz, yz
    (ax, bx, cx), (ay, by, cy), (az, bz, cz) = columns_of(quat)  # R's rows are (ax, ay, az)...
    # The rows of R I, then their products with the rows of R.
    pa, qa, ra = ax * xx + ay * xy + az * xz, ax * xy + ay * yy + az * yz, ax * xz + ay * yz + az * zz
    pb, qb, rb = bx * xx + by * xy + bz * xz, bx * xy + by * yy + bz * yz, bx * xz + by * yz + bz * zz
    pc, qc, rc = cx * xx + cy * xy + cz * xz, cx * xy + cy * yy + cz * yz, cx * xz + cy * yz + cz * zz
    return (
        pa * ax + qa * ay + ra * az,
        pb * bx + qb * by + rb * bz,
        pc * cx + qc * cy + rc * cz,
        pa * bx + qa * by + ra * bz,
        pa * cx + qa * cy + ra * cz,
        pb * cx + qb * cy + rb * cz,
    )
