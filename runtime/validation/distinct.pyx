# cython: language_level=3, boundscheck=False, wraparound=False
"""Whether names differ, by a table that takes a quarter of the memory of a set and never grows."""

from cpython.unicode cimport PyUnicode_Compare
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free

cdef extern from "Python.h":
    Py_hash_t PyObject_Hash(object) except -1


def distinct(list names) -> bool:
    cdef Py_ssize_t count = len(names), index
    cdef uint64_t size = 4, place, mask, spread
    cdef uint32_t mark
    cdef uint64_t* slots
    cdef object name
    if count >= 1 << 30:  # places have 32 bits
        return _set_distinct(names)
    while size < 2 * <uint64_t> count:
        size *= 2
    mask = size - 1
    slots = <uint64_t*> calloc(size, sizeof(uint64_t))  # half of a hash, and one more than the place of its name
    if slots == NULL:
        raise MemoryError
    try:
        for index in range(count):
            name = names[index]
            if name is None:
                continue
            if type(name) is not str:
                return _set_distinct(names)
            spread = <uint64_t> PyObject_Hash(name) * 0x9E3779B97F4A7C15u
            place, mark = (spread >> 16) & mask, <uint32_t> (spread >> 32)
            while slots[place]:
                if slots[place] >> 32 == mark and not PyUnicode_Compare(
                        name, names[<uint32_t> slots[place] - 1]):
                    return False
                place = (place + 1) & mask
            slots[place] = <uint64_t> mark << 32 | <uint32_t> (index + 1)
    finally:
        free(slots)
    return True


def _set_distinct(list names) -> bool:
    known = [name for name in names if name is not None]
    return len(set(known)) == len(known)
