"""The scanner of plain XML: see scan.pyx."""

cimport cython

cdef enum Found:
    START, END, TEXT, FINISHED, STRANGE, CROWDED

cdef struct Written:  # an attribute as written
    const char* name
    const char* text
    Py_ssize_t length  # of the text
    int name_length
    bint spaced  # contains white space other than spaces

cdef struct Opened:  # the tag of an open element
    const char* tag
    Py_ssize_t length

@cython.final
cdef class Scan:
    cdef bytes data  # keeps the memory of all pointers alive
    cdef const char* place
    cdef const char* end
    cdef const char* line_start
    cdef long long line
    cdef const char* tag  # of the last result: the tag, or the text
    cdef Py_ssize_t length
    cdef const char* begin  # its start
    cdef long long begin_line
    cdef const char* begin_line_start
    cdef bint empty  # the element ends with its start tag
    cdef bint rooted  # the root was found
    cdef long long tags  # number of start and end tags so far; an empty element has two
    cdef Written* attributes
    cdef int count, slots
    cdef int most_attributes  # of one element
    cdef Opened* opened
    cdef Py_ssize_t depth, deep
    cdef char* spare  # attributes with normalised white space
    cdef Py_ssize_t spare_size

    cdef bint begin_at(self, bytes data) except -1
    cdef Found advance(self, bint keeps) except *
    cdef Found text(self, const char* p, bint keeps) noexcept
    cdef Found end_tag(self, const char* p) noexcept
    cdef Found crowd(self, const char* p) except *
    cdef Found start_tag(self, const char* p) except *
    cdef const char* attribute(self, const char* p) except? NULL
    cdef const char* comment(self, const char* p) noexcept
    cdef const char* spaces(self, const char* p) noexcept
    cdef Written* more(self) except NULL
    cdef int take(self, const char** attributes) except -1
    cdef int normalise(self) except -1
    cdef bint repeats(self) noexcept

cdef bint is_declaration(Written* written) noexcept
cdef str name_of(Written* written)
cdef str text_of(Written* written)
