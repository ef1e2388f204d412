# cython: language_level=3, boundscheck=False, wraparound=False
"""Whether edges between names close a loop: most documents have none, and need no way round to be looked for."""

from libc.stdlib cimport free, malloc


def is_forest(list a, list b):
    """Whether edges, each from a name of one list to that of the other at its place, close no loop."""
    cdef Py_ssize_t place, count = len(a)
    cdef Py_ssize_t first, second
    cdef dict numbers = {}
    if len(b) != count:
        raise ValueError(f"{count} beginnings, {len(b)} ends")
    cdef Py_ssize_t* above = <Py_ssize_t*> malloc((2 * count + 1) * sizeof(Py_ssize_t))
    if above == NULL:
        raise MemoryError
    try:
        for place in range(2 * count):
            above[place] = place
        for place in range(count):
            first = root(above, <Py_ssize_t> numbers.setdefault(a[place], len(numbers)))
            second = root(above, <Py_ssize_t> numbers.setdefault(b[place], len(numbers)))
            if first == second:
                return False
            above[second] = first
        return True
    finally:
        free(above)


cdef Py_ssize_t root(Py_ssize_t* above, Py_ssize_t place) noexcept:
    """The number that stands for all that one is connected with; the way to it is halved as it is gone."""
    while above[place] != place:
        above[place] = above[above[place]]
        place = above[place]
    return place
