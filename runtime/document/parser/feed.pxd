"""A text handed over tag by tag: see feed.pyx."""

from polybody.document.parser.tree_builder cimport Tree

cdef class Feed(Tree):
    cdef object findings
    cdef readonly bint malformed
    cdef readonly bint given_up
    cdef bint stopped
    cdef int most_attributes  # of one element
    cdef object failure  # what was raised while expat was at work
    cdef long long behind  # tags that expat meets once more
    cdef Py_ssize_t again  # bytes of text behind them that it meets once more

    cdef int start(self, const char* tag, Py_ssize_t length) except -1
    cdef int end(self) except -1
    cdef int characters(self, const char* text, Py_ssize_t length) except -1
    cdef bint keeps_text(self) noexcept
    cdef void feed(self) except *
    cdef void feed_expat(self) except *
    cdef void report_malformed(self) except *
    cdef object tag_span(self)
    cdef void refuse_attributes(self) except *
    cdef void give_up(self, str what) except *
