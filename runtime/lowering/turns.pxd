"""Poses, quaternions, vectors and tensors: see turns.pyx."""

from cpython.tuple cimport PyTuple_Check

cpdef pose_of_origin(origin)
cdef object position_of(origin)
cdef object rotation_of(origin)
cpdef product(a, b)
cpdef turned(quat, vector)
cpdef unit_vector(vector)
cpdef roll_pitch_yaw(angles)
cpdef columns_of(quat)
cpdef rotated_tensor(quat, tensor)
cdef object composed(one, other)
cdef object inverted(pose)


cdef inline tuple halves(pose):
    """Position and rotation: unpacking an instance of a subclass of tuple would create an iterator."""
    return <tuple> pose if PyTuple_Check(pose) else tuple(pose)
