# cython: language_level=3, boundscheck=False, wraparound=False
"""Whether the names in the scope of one element are plain: each is new, and each reference is to an earlier
name.

If so, as in most documents, there is nothing to report, and no other rule has to check them.
"""

from cpython.object cimport PyObject, PyTypeObject
from libc.stdlib cimport calloc, free

from polybody.base.children cimport Kinds, kind_of
from polybody.base.slots cimport slot_at
from polybody.document.parser.tables cimport Shape, Table

cdef extern from "Python.h":
    Py_ssize_t PyList_GET_SIZE(PyObject*) noexcept
    PyObject* PyList_GET_ITEM(PyObject*, Py_ssize_t) noexcept
    PyTypeObject* Py_TYPE(PyObject*) noexcept

cdef enum:
    DEEPEST = 64  # maximum nesting depth

cdef enum Role:
    PASSED = 0  # its content is ignored
    HOLDER  # its content belongs to the same scope
    NAMED  # likewise, and it declares a name
    REFERRING  # its text contains names
    UNKNOWN  # not decided here

cdef struct Part:  # the role of an element
    Role role
    int among  # the kind of the name declared, or of those referred to
    Py_ssize_t name  # the slot of the declared name
    Py_ssize_t* bars  # slots that must be None in a plain element
    int bar_count


cdef class PlainNames:
    """The roles of a format's elements for its names."""

    cdef Table table
    cdef Part* parts
    cdef int kinds

    def __cinit__(self, Table table, int kinds, holders, named, referring, unknown, bars):
        cdef int index
        self.table, self.kinds = table, kinds
        self.parts = <Part*> calloc(table.shape_count, sizeof(Part))
        if self.parts == NULL:
            raise MemoryError
        for key in holders:
            self.parts[<int> table.indices[key]].role = HOLDER
        for key in unknown:
            self.parts[<int> table.indices[key]].role = UNKNOWN
        for key, kind in referring.items():
            index = table.indices[key]
            self.parts[index].role, self.parts[index].among = REFERRING, kind
        for key, kind in named.items():
            index = table.indices[key]
            self.parts[index].role, self.parts[index].among = NAMED, kind
            self.parts[index].name = table.shapes[index].fields[table.place_of(index, "name")].offset
        for key, names in bars.items():
            self.lay_bars(table.indices[key], names)

    def __dealloc__(self):
        cdef int index
        if self.parts != NULL:
            for index in range(self.table.shape_count):
                free(self.parts[index].bars)
            free(self.parts)

    cdef int lay_bars(self, int index, names) except -1:
        cdef Part* part = &self.parts[index]
        part.bars = <Py_ssize_t*> calloc(len(names) + 1, sizeof(Py_ssize_t))
        if part.bars == NULL:
            raise MemoryError
        for name in names:
            part.bars[part.bar_count] = self.table.shapes[index].fields[self.table.place_of(index, name)].offset
            part.bar_count += 1
        return 0

    def hold(self, str key, node):
        """Whether all names in a node are plain."""
        return self.table.direct and self.look(self.table.indices[key], <PyObject*> node, self.tables(), 0)

    cdef list tables(self):
        cdef int kind
        return [set() for kind in range(self.kinds)]

    cdef bint look(self, int index, PyObject* node, list known, int depth) except -1:
        """Check the content of a holder or of a named element, in the document's order."""
        cdef Shape* shape = &self.table.shapes[index]
        cdef Part* part = &self.parts[index]
        cdef PyObject* children
        cdef PyObject* name
        cdef Py_ssize_t place
        cdef int bar, kind
        if depth == DEEPEST or Py_TYPE(node) != shape.cls:
            return False
        for bar in range(part.bar_count):
            if slot_at(node, part.bars[bar])[0] != <PyObject*> None:
                return False
        children = self.table.children_of(node)
        if children != NULL:
            for place in range(PyList_GET_SIZE(children)):
                kind = kind_of(<Kinds> shape.kinds, PyList_GET_ITEM(children, place))
                if kind < 0 or not self.look_at(
                        part, shape.branches[kind].shape, PyList_GET_ITEM(children, place), known, depth):
                    return False
        if part.role == NAMED:
            name = slot_at(node, part.name)[0]
            if name != <PyObject*> None:
                if <object> name in <set> known[part.among]:
                    return False
                (<set> known[part.among]).add(<object> name)
        return True

    cdef bint look_at(self, Part* around, int index, PyObject* child, list known, int depth) except -1:
        """Check a child of such an element."""
        cdef Part* part = &self.parts[index]
        cdef PyObject* text
        if part.role == PASSED:
            return True
        if part.role == REFERRING:
            if Py_TYPE(child) != self.table.shapes[index].cls:
                return False
            text = slot_at(child, self.table.shapes[index].text.offset)[0]
            return text == <PyObject*> None or self.leads(<object> text, <set> known[part.among])
        if part.role == UNKNOWN or around.role == NAMED:
            return False
        return self.look(index, child, known, depth + 1)

    cdef bint leads(self, text, set names) except -1:
        if type(text) is not tuple:
            return text in names
        for name in <tuple> text:
            if name not in names:
                return False
        return True
