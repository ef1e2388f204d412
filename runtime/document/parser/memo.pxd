"""Cache of parsed values: see memo.pyx."""

from cpython.object cimport PyObject

from polybody.document.parser.forms cimport Field

cdef struct Remembered

cdef class Memo:
    cdef Remembered* slots
    cdef unsigned int mask

    cdef PyObject* parse(self, Field* field, const char* text, Py_ssize_t length) except? NULL
