"""Effective values over a whole document: see effective.pyx."""

from cpython.object cimport PyObject

from polybody.validation.rule_layout cimport Mask, Slot, Suite, Suites, Test
from polybody.document.parser.tables cimport Shape, Table

cdef enum:
    MAX_LOOKED_FOR = 64  # number of kinds of children covered by the bit mask

cdef class Chain:
    cdef PyObject** values  # the defaults of the element's attributes, then of its text; borrowed from the document
    cdef int count
    cdef readonly tuple own  # the defaults elements of the nearest class, the last one first
    cdef readonly Chain above  # the defaults of the parent class, or None
    cdef Mask mask  # the attributes with a default

cdef Mask hidden(Suite* suite, Mask nearer, int count) noexcept

cdef class Effective:
    cdef readonly object format
    cdef readonly object filling
    cdef Table table
    cdef Suites laid
    cdef Suite* suites
    cdef list chains  # by kind of element: dict from defaults classes to Chain or None; None: not computed
                      # yet
    cdef int root_index
    cdef bint direct
    cdef bint unfilled  # the document has no defaults elements
    cdef PyObject* looked  # the element whose children were examined last
    cdef unsigned long long present  # the kinds of its children, as bits

    cdef Mask written_mask(self, Shape* shape, PyObject* node) noexcept
    cdef PyObject* held(self, PyObject* node, Py_ssize_t offset, PyObject* name) noexcept
    cdef PyObject* written(self, Shape* shape, PyObject* node, int index) noexcept
    cdef PyObject* text(self, Shape* shape, PyObject* node) noexcept
    cdef PyObject* chain_of(self, int index, PyObject* node, PyObject* below) except? NULL
    cdef object lay_chain(self, int index, object name)
    cdef PyObject* given(self, Shape* shape, PyObject* node, int index, PyObject* chain) noexcept
    cdef PyObject* at(self, Shape* shape, PyObject* node, Slot slot, PyObject* chain) noexcept
    cdef PyObject* effective(self, Shape* shape, PyObject* node, int index, PyObject* chain) noexcept
    cdef PyObject* fallback(self, Shape* shape, PyObject* node, int index, PyObject* chain) noexcept
    cdef bint has_child(self, Shape* shape, PyObject* node, int branch) noexcept
    cdef bint holds(self, Shape* shape, PyObject* node, Test* test, PyObject* chain) except -1
    cdef bint is_written(self, Shape* shape, PyObject* node, Slot slot) except -1
