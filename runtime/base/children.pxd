"""Children of document nodes: see children.pyx."""

from cpython.object cimport PyObject, PyTypeObject

cdef extern from "Python.h":
    PyTypeObject* Py_TYPE(PyObject*) noexcept

cdef enum:
    LATEST = 32

cdef class Kinds:
    cdef readonly str tag
    cdef readonly tuple tags
    cdef readonly tuple fields
    cdef readonly tuple many
    cdef readonly bint ordered
    cdef readonly tuple ranks
    cdef dict places
    cdef dict by_field
    cdef dict known  # from a class to the index of its kind
    cdef PyTypeObject* latest[LATEST]  # cache of the classes looked up last, by address
    cdef int latest_places[LATEST]

    cdef int look_up(self, PyObject* child, int slot) except -2
    cdef int place_of_tag(self, tag) except -2
    cdef int admit(self, child) except -1
    cdef int place_for(self, children, int kind) except -1


cdef inline int kind_of(Kinds kinds, PyObject* child) except -2:
    """The index of the kind of a child; -1: of no kind."""
    cdef size_t address = <size_t> Py_TYPE(child)
    cdef int slot = (address >> 4 ^ address >> 9) & (LATEST - 1)
    if kinds.latest[slot] == Py_TYPE(child):
        return kinds.latest_places[slot]
    return kinds.latest_places[slot ^ 1] if kinds.latest[slot ^ 1] == Py_TYPE(child) else kinds.look_up(child, slot)


cdef class EditedList(list):
    pass

cdef class Children(EditedList):
    cdef Kinds kinds
    cdef ChildList views  # head of the list of views

    cdef ChildList view(self, int kind)
    cdef int replace(self, list made) except -1
    cdef int settle(self, int kind, list cells) except -1

cdef class ChildList(EditedList):
    cdef PyObject* home  # the Children that it is a view of, borrowed; NULL: an ordinary list
    cdef Kinds kinds
    cdef int kind
    cdef ChildList next

    cdef list cells(self)
    cdef object fresh(self, node)
    cdef int settle(self, list cells) except -1

cdef class Single:
    cdef int kind

    cdef object of(self, node)
    cdef object within(self, node)
    cdef Py_ssize_t find(self, node) except -2

cdef Children new_children(Kinds kinds)
