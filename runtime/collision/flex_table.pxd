"""The C data of flexes for collision detection."""


cdef extern from "collision/flex.h" nogil:
    ctypedef struct Flexes:
        int nflex, nmeeting, npair, nelem, nnode, nvert, most
        const void *flex
        const void *node
        const void *meeting
        const void *pair
        const int *corner
        const int *body
        const int *layer
        const int *beyond


cdef class FlexTable:
    """The flexes of a Model and the geoms and flexes that may touch them. Immutable."""

    cdef Flexes f
    cdef readonly dict kept  # the arrays that `f` points into
