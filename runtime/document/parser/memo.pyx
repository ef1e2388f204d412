# cython: language_level=3, boundscheck=False, wraparound=False
"""Cache of parsed values: documents are repetitive, and parsed values are immutable."""

from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

from polybody.document.parser.numbers cimport hash_bytes
from polybody.base.slots cimport new_reference
from polybody.document.parser.forms cimport Field, Form, parse_field

cdef enum:
    FEWEST = 256
    MOST = 4096
    PER_SLOT = 64  # bytes of text per slot: a larger table would evict other data from the processor's cache
    LONGEST = 16  # longer texts are mostly numbers that do not repeat

cdef struct Remembered:
    Form* form
    PyObject* value
    uint32_t hash
    int length
    char text[LONGEST]


cdef class Memo:
    """The last short texts of one parse and their values; `length` is the size of the whole text in bytes."""

    def __cinit__(self, Py_ssize_t length):
        cdef unsigned int size = FEWEST
        while size < MOST and <Py_ssize_t> size * PER_SLOT < length:
            size *= 2
        self.mask = size - 1
        self.slots = <Remembered*> calloc(size, sizeof(Remembered))
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef unsigned int index
        if self.slots != NULL:
            for index in range(self.mask + 1):
                Py_XDECREF(self.slots[index].value)
            free(self.slots)

    cdef PyObject* parse(self, Field* field, const char* text, Py_ssize_t length) except? NULL:
        """The value of an attribute's text in the first form that matches, as a new reference, or NULL."""
        cdef uint32_t hash = 0
        cdef Remembered* slot = NULL
        cdef PyObject* value
        if length <= LONGEST and not field.unique:
            hash = hash_bytes(text, length)
            slot = &self.slots[(hash ^ <uint32_t> (<size_t> field.forms >> 4)) & self.mask]
            if slot.form == field.forms and slot.hash == hash and slot.length == length and (
                    memcmp(slot.text, text, length) == 0):
                return new_reference(<object> slot.value)
        value = parse_field(field, text, length)
        if value != NULL and slot != NULL:
            Py_XDECREF(slot.value)
            slot.value = new_reference(<object> value)
            slot.form, slot.hash, slot.length = field.forms, hash, <int> length
            memcpy(slot.text, text, length)
        return value
