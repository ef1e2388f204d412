"""The C data of collision detection, for callers within a step."""

from polybody.generated.kernels.contract.records cimport Collision


cdef class CollisionTable:
    """The candidate pairs of a Model with their contact parameters. Immutable; shared by all simulations."""

    cdef Collision c
    cdef readonly size_t work_bytes  # size of the work memory of `collide`
    cdef readonly bint searched  # whether there are pairs for which searches take iterations
    cdef int most  # number of contacts for which `contacts` allocates memory
    cdef dict kept  # the arrays that `c` points into
    cdef object trees  # rows that `c.tree` points to
