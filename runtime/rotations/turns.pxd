"""Poses, quaternions, vectors and tensors: see turns.pyx."""

from cpython.tuple cimport PyTuple_Check

cpdef pose_of_origin(origin, bint quaternions=*)
cdef object position_of(origin)
cdef object rotation_of(origin, bint quaternions)
cpdef product(a, b)
cpdef unit(quat)
cpdef turned(quat, vector)
cpdef unit_vector(vector)
cpdef roll_pitch_yaw(angles)
cpdef columns_of(quat)
cpdef rotated_tensor(quat, tensor)
cdef object composed(one, other)
cdef object inverted(pose)


cdef inline (double, double, double, double) hamilton(
    double aw, double ax, double ay, double az, double bw, double bx, double by, double bz
) noexcept:
    """The product of two quaternions, not normalised."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


cdef inline tuple halves(pose):
    """Position and rotation: unpacking an instance of a subclass of tuple would create an iterator."""
    return <tuple> pose if PyTuple_Check(pose) else tuple(pose)
