"""Poses, quaternions, vectors and tensors: see turns.pyx."""

cpdef pose_of_origin(origin)
cpdef product(a, b)
cpdef turned(quat, vector)
cpdef unit_vector(vector)
cpdef roll_pitch_yaw(angles)
cpdef columns_of(quat)
cpdef rotated_tensor(quat, tensor)
cdef object composed(one, other)
cdef object inverted(pose)
