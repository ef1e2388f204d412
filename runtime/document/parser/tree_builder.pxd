"""The elements that are open: see tree_builder.pyx."""

from cpython.object cimport PyObject

from polybody.document.parser.scan cimport Scan, Written
from polybody.base.slots cimport set_slot, slot_at
from polybody.document.parser.tables cimport Shape, Table

cdef struct Text:  # what was read of a text
    const char* begin  # where it is one piece of the source; NULL: nothing was read, or there is ``more``
    Py_ssize_t length
    PyObject* more  # bytearray of all pieces where there are several, or where they do not last; owned

cdef struct Level:  # an open element
    Shape* shape
    PyObject* node
    Text text
    int counts  # where the numbers of its children of each kind begin
    bint lost  # something below was not understood: what seems missing may be that
    bint merged  # the element was there already, and this is more of it
    long long first  # the position of a merged element, where it is first
    bint strayed  # stray text since the last tag was reported

cdef class Tree:
    cdef readonly object root
    cdef object source
    cdef Table table
    cdef bint direct
    cdef Level* levels
    cdef int capacity, depth
    cdef int* counts  # of the children of open elements, kind by kind, the outermost element's first
    cdef int counts_capacity
    cdef int branch  # of the parent, for the element that is about to be opened
    cdef PyObject* reopened  # the element that the next level is more of, borrowed
    cdef Scan scan  # also what expat found is put there
    cdef void* parser  # expat's, while it is at work
    cdef dict merged  # by the address of an element of which there was more: its counts when it was closed
    cdef dict steps  # by the index of an open element: itself, and its step
    cdef dict counted  # by the index of an open element: itself, how many children are counted, their tags

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
