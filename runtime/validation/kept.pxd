"""The elements that a format's own rules examine: see kept.pyx."""

from cpython.object cimport PyObject

from polybody.validation.effective cimport Effective
from polybody.validation.rule_layout cimport Mask

cdef struct Seen:  # a kept element; references are borrowed from the document
    PyObject* node
    PyObject* chain  # its Chain of defaults, or NULL
    PyObject* parent
    Mask given  # the attributes that are written or have a default

cdef struct Kind:  # the elements of one kind
    Seen* seen
    Py_ssize_t count, capacity
    bint wanted

cdef class Kept(Effective):
    cdef readonly dict nodes
    cdef Kind* kept
    cdef int kinds
    cdef Seen** places  # hash table of the same by node, at most half full; created on demand
                        # most half full
    cdef size_t mask
    cdef dict classes  # id of another node of interest -> the defaults class of its ancestors

    cdef int keep(self, Kind* kind, PyObject* node, PyObject* chain, PyObject* parent, Mask given) except -1
    cdef list nodes_of(self, int index)
    cdef int asked(self, str key) except -1
    cdef PyObject* found(self, int index, Seen* element, int place) noexcept
    cdef Seen* seen(self, node) except? NULL
    cdef int lay_places(self) except -1
    cdef PyObject* parent_of(self, node) except NULL
    cdef PyObject* chain_at(self, int index, node) except? NULL
