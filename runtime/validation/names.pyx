# cython: language_level=3, boundscheck=False, wraparound=False
"""Checks of many names: whether they are distinct, and the graph that edges between them form.

All use a hash table of indices, which takes a quarter of the memory of a set and never grows. Most documents
have no fault of this kind, so that no further lookup by name is needed.
"""

from cpython.unicode cimport PyUnicode_Compare
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

cdef extern from "Python.h":
    Py_hash_t PyObject_Hash(object) except -1


cdef struct Places:
    uint64_t* slots  # half of a hash, and the index of its name plus 1
    uint64_t mask


cdef int lay(Places* places, Py_ssize_t count) except -1:
    """Create an empty table for a number of names."""
    cdef uint64_t size = 4
    if count >= 1 << 30:  # indices have 32 bits
        raise OverflowError(f"{count:,} names are more than a table of 32 bits takes")
    while size < 2 * <uint64_t> count:
        size *= 2
    places.slots, places.mask = <uint64_t*> calloc(size, sizeof(uint64_t)), size - 1
    if places.slots == NULL:
        raise MemoryError
    return 0


cdef int32_t find(Places* places, list names, object name, Py_ssize_t index) except -2:
    """The index of the first equal name in the table; -1 if there is none. In that case its `index` in
    ``names`` is inserted, unless that is negative. None is never equal.
    """
    cdef uint64_t spread, at
    cdef uint32_t mark
    cdef int32_t place
    cdef object other
    if name is None:
        return -1
    spread = <uint64_t> PyObject_Hash(name) * 0x9E3779B97F4A7C15u
    at, mark = (spread >> 16) & places.mask, <uint32_t> (spread >> 32)
    while places.slots[at]:
        if places.slots[at] >> 32 == mark:
            place = <int32_t> (<uint32_t> places.slots[at] - 1)
            other = names[place]
            if other is name or (PyUnicode_Compare(other, name) == 0 if type(name) is str and type(other) is str
                                 else other == name):
                return place
        at = (at + 1) & places.mask
    if index >= 0:
        places.slots[at] = <uint64_t> mark << 32 | <uint32_t> (index + 1)
    return -1


def distinct(list names):
    """Whether names are distinct; None is ignored."""
    cdef Places places
    cdef Py_ssize_t index
    lay(&places, len(names))
    try:
        for index in range(len(names)):
            if find(&places, names, names[index], index) >= 0:
                return False
        return True
    finally:
        free(places.slots)


cdef class Edges:
    """The graph of edges between names, some of which are known.

    Attributes:
        count: the number of edges between known names; other edges are ignored below.
        is_forest: whether the graph has no cycle.
        differ: whether the targets are distinct.
        roots: the number of the first ``own`` known names that are not targets, plus the number of the other
            known names that are sources.
    """

    cdef readonly Py_ssize_t count, roots
    cdef readonly bint is_forest, differ

    def __init__(self, list known, Py_ssize_t own, list sources, list targets):
        cdef Places places
        cdef Py_ssize_t index, size = len(known)
        cdef int32_t* above = NULL
        cdef char* met = NULL
        if len(sources) != len(targets):
            raise ValueError(f"{len(sources)} beginnings, {len(targets)} ends")
        lay(&places, size)
        try:
            above, met = <int32_t*> malloc((size + 1) * sizeof(int32_t)), <char*> calloc(size + 1, 1)
            if above == NULL or met == NULL:
                raise MemoryError
            for index in range(size):
                find(&places, known, known[index], index)
                above[index] = <int32_t> index
            self.follow(&places, known, sources, targets, above, met)
            for index in range(size):
                self.roots += ((met[index] & BEGUN != 0) if index >= own else not met[index] & ENDED)
        finally:
            free(places.slots)
            free(above)
            free(met)

    cdef int follow(
        self, Places* places, list known, list sources, list targets, int32_t* above, char* met
    ) except -1:
        cdef Py_ssize_t index
        cdef int32_t source, target, first, second
        self.is_forest = self.differ = True
        for index in range(len(sources)):
            source = find(places, known, sources[index], -1)
            target = find(places, known, targets[index], -1) if source >= 0 else -1
            if target < 0:
                continue
            self.count += 1
            if met[target] & ENDED:
                self.differ = False
            met[target] |= ENDED
            met[source] |= BEGUN
            first, second = root(above, source), root(above, target)
            if first == second:
                self.is_forest = False
            above[second] = first
        return 0


cdef enum:
    BEGUN = 1
    ENDED = 2


cdef int32_t root(int32_t* above, int32_t place) noexcept:
    """The root of the tree that contains an index. The path to it is halved for later searches."""
    while above[place] != place:
        above[place] = above[above[place]]
        place = above[place]
    return place


def is_forest(list sources, list targets):
    """Whether the graph of edges, each from a source to the target at the same index, has no cycle."""
    return Edges([*sources, *targets], 0, sources, targets).is_forest
