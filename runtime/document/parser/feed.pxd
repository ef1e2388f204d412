"""Delivers a text tag by tag: see feed.pyx."""

from polybody.document.parser.tree_builder cimport Tree

cdef class Feed(Tree):
    cdef object findings
    cdef readonly bint malformed
    cdef readonly bint given_up
    cdef bint stopped
    cdef int most_attributes  # of one element
    cdef object failure  # exception raised in a callback of expat
    cdef long long behind  # number of tags already delivered that expat parses again
    cdef bint restores  # whether the text that expat reads has signs for bare ampersands
    cdef list kept  # texts of the current tag in which they were put back
    cdef Py_ssize_t again  # number of bytes of text after them that it parses again

    cdef int start(self, const char* tag, Py_ssize_t length) except -1
    cdef int end(self) except -1
    cdef int characters(self, const char* text, Py_ssize_t length) except -1
    cdef bint keeps_text(self) noexcept
    cdef void feed(self) except *
    cdef void feed_expat(self) except *
    cdef bytes without_document_type(self, bytes data)
    cdef void report_malformed(self) except *
    cdef void restore(self) except *
    cdef object tag_span(self)
    cdef void refuse_attributes(self) except *
    cdef void give_up(self, str what) except *
