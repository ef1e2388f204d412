# cython: language_level=3, boundscheck=False, wraparound=False
"""Fast access to an attribute of many objects that are mostly of one class.

A `Field` is for compiled modules. It looks up the offset of the attribute's slot in the class of the first object, and
again whenever the class changes. It also finds the single child elements of document nodes.
"""

cimport cython

from polybody.base.slotted import member

from polybody.base.slots cimport slot_offset


@cython.final
cdef class Field:
    """An attribute by name, of objects or, as a key, of dicts.

    Args:
        name: the name of the attribute.
    """

    def __cinit__(self, str name):
        self.name, self.known, self.slot = name, NULL, -1

    cdef object otherwise(self, part):
        """The attribute of an object whose class differs from the last one's, or has no such slot."""
        cdef PyObject* value
        cdef Py_ssize_t slot
        if Py_TYPE(<PyObject*> part) != self.known:
            cls = type(part)
            found = member(cls, self.name) if hasattr(cls, self.name) else None
            child = getattr(cls, self.name, None)
            slot = -1 if found is None else slot_offset(found)
            if isinstance(child, Single):
                (<Single> child).of(part)  # raises if instances of the class are not elements
            # No other code runs between these assignments, so that they always agree.
            self.owner, self.child = cls, child if isinstance(child, Single) else None
            self.known, self.slot = <PyTypeObject*> cls, slot
        if self.child is not None:
            return self.child.of(part)
        if self.slot >= 0:
            value = slot_at(<PyObject*> part, self.slot)[0]
            if value != NULL:
                return <object> value
        return (<dict> part)[self.name] if type(part) is dict else getattr(part, self.name)
