"""Objects with slots, initialised without running their constructor.

A slot is a pointer at the offset stored in its member descriptor. `tables.Table` verifies the layout of each
class before these functions are used on it; if the layout is not as expected, the reader uses setattr.
"""

from cpython.object cimport PyObject, PyTypeObject

cdef extern from *:
    """
    #include <Python.h>
    #include <structmember.h>

    static Py_ssize_t slot_offset(PyObject *descriptor) {
        if (Py_TYPE(descriptor) != &PyMemberDescr_Type) return -1;
        PyMemberDef *member = ((PyMemberDescrObject *)descriptor)->d_member;
        return member->type == T_OBJECT_EX ? member->offset : -1;
    }
    #define new_reference(o) (Py_INCREF(o), (PyObject *)(o))
    static PyObject *allocate(PyTypeObject *type) { return type->tp_alloc(type, 0); }
    /* An uninitialised tuple of a class. */
    static PyObject *allocate_items(PyTypeObject *type, Py_ssize_t count) { return type->tp_alloc(type, count); }
    #define first_item(tuple) (((PyTupleObject *)(tuple))->ob_item)
    static inline PyObject **slot_at(PyObject *object, Py_ssize_t offset) {
        return (PyObject **)((char *)object + offset);
    }
    /* Sets empty slots to None, and adds all references at once. */
    static inline void fill_with_none(PyObject **slots, int count) {
        for (int i = 0; i < count; i++) slots[i] = Py_None;
        Py_SET_REFCNT(Py_None, Py_REFCNT(Py_None) + count);
    }
    /* Takes over the reference to `value`. */
    static inline void set_slot(PyObject *object, Py_ssize_t offset, PyObject *value) {
        PyObject **slot = slot_at(object, offset), *old = *slot;
        *slot = value;
        Py_XDECREF(old);
    }
    """
    Py_ssize_t slot_offset(object descriptor)
    PyObject* new_reference(object) noexcept
    PyObject* allocate(PyTypeObject*) except NULL
    object allocate_items(PyTypeObject*, Py_ssize_t)
    PyObject** first_item(object) noexcept
    PyObject** slot_at(PyObject*, Py_ssize_t) noexcept
    void set_slot(PyObject*, Py_ssize_t, PyObject*) noexcept
    void fill_with_none(PyObject**, int) noexcept
