"""Fast access to an attribute of many objects that are mostly of one class: see fields.pyx."""

cimport cython
from cpython.object cimport PyObject, PyTypeObject

from polybody.base.children cimport Py_TYPE, Single
from polybody.base.slots cimport slot_at

cdef extern from "Python.h":
    bint PyFloat_CheckExact(PyObject*) noexcept
    double PyFloat_AS_DOUBLE(PyObject*) noexcept


@cython.final
cdef class Field:
    cdef readonly str name
    cdef object owner  # the class of the last object
    cdef PyTypeObject* known  # the same, as a borrowed pointer
    cdef Py_ssize_t slot  # the offset of the slot in its instances; negative: it has no slot
    cdef Single child  # finds the child element if the attribute is one; else None

    cdef object otherwise(self, part)


cdef inline object value_of(Field field, part):
    """The attribute of an object."""
    cdef PyObject* value
    if Py_TYPE(<PyObject*> part) == field.known:
        if field.slot >= 0:
            value = slot_at(<PyObject*> part, field.slot)[0]
            if value != NULL:
                return <object> value
        elif field.child is not None:
            return field.child.within(part)
    return field.otherwise(part)


cdef inline double number_in(Field field, part, double default) except? -1.0:
    """The attribute of an object as a number; None means the default."""
    value = value_of(field, part)
    if PyFloat_CheckExact(<PyObject*> value):
        return PyFloat_AS_DOUBLE(<PyObject*> value)
    return default if value is None else <double> value
