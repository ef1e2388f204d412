"""The C data of flexes for collision detection."""

from polybody.generated.kernels.contract.records cimport Flexes


cdef class FlexTable:
    """The flexes of a Model and the geoms and flexes that may touch them. Immutable."""

    cdef Flexes f
    cdef readonly dict kept  # the arrays that `f` points into
