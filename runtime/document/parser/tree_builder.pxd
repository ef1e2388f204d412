"""The open elements: see tree_builder.pyx."""

from cpython.object cimport PyObject

from polybody.document.parser.scan cimport Scan, Written
from polybody.base.slots cimport set_slot, slot_at
from polybody.document.parser.tables cimport Shape, Table

cdef struct Text:  # a text that is being read
    const char* begin  # if it is one piece of the source; NULL: nothing was read, or ``more`` is used
    Py_ssize_t length
    PyObject* more  # bytearray of all pieces, if there are several or they are temporary; owned

cdef struct Level:  # an open element
    Shape* shape
    PyObject* node
    Text text
    int counts  # start of its numbers of children by kind
    bint lost  # some descendant is unknown or invalid: missing children may be due to that
    bint merged  # a further part of an element that is merged into an earlier one
    long long first  # the position of the first part of a merged element
    bint strayed  # stray text was reported since the last tag

cdef class Tree:
    cdef readonly object root
    cdef object source
    cdef Table table
    cdef bint direct
    cdef Level* levels
    cdef int capacity, depth
    cdef int* counts  # of the children of open elements by kind, outermost element first
    cdef int counts_capacity
    cdef int branch  # in the parent, of the element that is about to be opened
    cdef PyObject* reopened  # the earlier element that the next level is merged into, borrowed
    cdef Scan scan  # expat's results are stored there as well
    cdef void* parser  # expat's, while it runs
    cdef object added  # columns of spaces, by line, that expat's text has and the source does not
    cdef dict merged  # from the address of a merged element to its counts when it was last closed
    cdef dict steps  # from the index of an open element to that element and its step
    cdef dict counted  # likewise to that element, its number of counted children, and their tags
                       # and their tags

    cdef long long position(self) noexcept
    cdef str xpath(self, str tag=*)
    cdef str step(self, int index)
    cdef str spelt(self, bytes name)
    cdef object open_tags(self)
    cdef object count_in(self, int index, str step)
    cdef object count_untyped(self, int index, node)
    cdef int* count(self, Level* level, int branch) noexcept
    cdef int open_level(self, Shape* shape, const char* tag, Py_ssize_t length) except -1
    cdef int close_level(self) except -1
    cdef Level* push_level(self, Shape* shape, PyObject* node) except NULL
    cdef int open_again(self, Shape* shape) except -1
    cdef int grow(self) except -1
    cdef int grow_counts(self, int size) except -1
    cdef PyObject* held(self, PyObject* node, Py_ssize_t offset, PyObject* name) noexcept
    cdef int put(self, PyObject* node, Py_ssize_t offset, PyObject* name, PyObject* value) except -1
    cdef int place(self, PyObject* node) except -1
    cdef int finish_untyped_text(self, int index) except -1
    cdef void keep_attribute(self, Written* written) except *
    cdef void keep_foreign(self, Written* written) except *

cdef int add_piece(Text* text, const char* piece, Py_ssize_t length, bint lasts) except -1
cdef const char* read_text(Text* text, Py_ssize_t* length) noexcept
cdef void forget_text(Text* text) noexcept
