"""The elements that a format's own rules look at: see kept.pyx."""

from cpython.object cimport PyObject

from polybody.validation.effective cimport Effective
from polybody.validation.rule_layout cimport Mask

cdef struct Seen:  # a kept element; the document keeps what is borrowed here
    PyObject* node
    PyObject* chain  # the Chain that fills it, or NULL
    PyObject* parent
    Mask given  # what is written or comes from defaults

cdef struct Kind:  # the elements of one kind
    Seen* seen
    Py_ssize_t count, capacity
    bint wanted

cdef class Kept(Effective):
    cdef readonly dict nodes
    cdef Kind* kept
    cdef int kinds
    cdef Seen** places  # the same by their nodes, once somebody asks: open addressing, at most half full
    cdef size_t mask
    cdef dict classes  # id of another node of interest -> the defaults class that those around it give

    cdef int keep(self, Kind* kind, PyObject* node, PyObject* chain, PyObject* parent, Mask given) except -1
    cdef list nodes_of(self, int index)
    cdef int asked(self, str key) except -1
    cdef PyObject* found(self, int index, Seen* element, int place) noexcept
    cdef Seen* seen(self, node) except? NULL
    cdef int lay_places(self) except -1
    cdef PyObject* parent_of(self, node) except NULL
    cdef PyObject* chain_at(self, int index, node) except? NULL
