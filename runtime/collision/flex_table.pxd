"""What collision detection knows of flexes in C."""


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
    """The flexes of a Model, and what may touch them: made once, never changed."""

    cdef Flexes f
    cdef readonly dict kept  # the arrays that `f` points into
