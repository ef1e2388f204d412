# cython: language_level=3, boundscheck=False, wraparound=False
"""The attributes written on an element: its fields that are not None, read from the slots of its class."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject

from polybody.base.slots cimport slot_at, slot_offset

cdef dict known = {}  # by class


cdef class Fields:
    """The names of a class's fields and, if all are slots, their offsets."""

    cdef tuple names
    cdef Py_ssize_t* offsets
    cdef bint slots

    def __cinit__(self, cls):
        cdef Py_ssize_t place
        self.names = tuple(cls.FIELDS)
        self.offsets = <Py_ssize_t*> PyMem_Malloc((len(self.names) + 1) * sizeof(Py_ssize_t))
        if self.offsets == NULL:
            raise MemoryError
        self.slots = True
        for place in range(len(self.names)):
            self.offsets[place] = slot_offset(getattr(cls, self.names[place]))
            self.slots = self.slots and self.offsets[place] >= 0

    def __dealloc__(self):
        PyMem_Free(self.offsets)


cdef Fields fields_of(node):
    cdef Fields fields = known.get(type(node))
    if fields is None:
        fields = known[type(node)] = Fields(type(node))
    return fields


def written(node):
    cdef Fields fields = fields_of(node)
    cdef dict found = {}
    cdef Py_ssize_t place
    cdef PyObject* value
    if not fields.slots:
        return {name: given for name in fields.names if (given := getattr(node, name)) is not None}
    for place in range(len(fields.names)):
        value = slot_at(<PyObject*> node, fields.offsets[place])[0]
        if value != NULL and value != <PyObject*> None:
            found[fields.names[place]] = <object> value
    return found


def writes(node, names):
    cdef Fields fields = fields_of(node)
    cdef Py_ssize_t place
    cdef PyObject* value
    if not fields.slots:
        return any(name in names and getattr(node, name) is not None for name in fields.names)
    for place in range(len(fields.names)):
        value = slot_at(<PyObject*> node, fields.offsets[place])[0]
        if value != NULL and value != <PyObject*> None and fields.names[place] in names:
            return True
    return False


def containing(list nodes, str word):
    """Those of some elements without a schema whose text, or the value of an attribute, contains a word."""
    cdef list found = []
    for node in nodes:
        text = node.text
        if text is not None and word in text:
            found.append(node)
            continue
        for value in (<dict?> node.attributes).values():
            if word in value:
                found.append(node)
                break
    return found
