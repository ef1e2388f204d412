"""NumPy arrays made and read by NumPy's C interface, most of them over bytes objects, which are immutable: a call of
`ndarray` takes longer than filling a column of a small model.

A module that uses them calls `load_arrays` first.
"""

from cpython.object cimport PyObject

cdef extern from *:
    """
    #define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
    #include <numpy/arrayobject.h>
    #undef I  /* of complex.h, which NumPy includes: structs have members of that name */

    static int load_arrays(void) { return _import_array(); }

    /* An array whose content is at `data`, in the memory of the object `owner`. */
    static PyObject *array_at(PyObject *dtype, int count, const Py_ssize_t *shape, const void *data, PyObject *owner) {
        Py_INCREF(dtype);  /* the array takes over the reference */
        PyObject *made = PyArray_NewFromDescr(&PyArray_Type, (PyArray_Descr *)dtype, count, (npy_intp const *)shape,
                                              NULL, (void *)data, NPY_ARRAY_CARRAY_RO, NULL);
        if (made == NULL) return NULL;
        Py_INCREF(owner);
        if (PyArray_SetBaseObject((PyArrayObject *)made, owner) < 0) {
            Py_DECREF(made);
            return NULL;
        }
        return made;
    }
    static PyObject *array_over(PyObject *dtype, int count, const Py_ssize_t *shape, PyObject *bytes) {
        return array_at(dtype, count, shape, PyBytes_AS_STRING(bytes), bytes);
    }
    /* A new array of float64, all 0. */
    static PyObject *zeros_of(int count, const Py_ssize_t *shape) {
        return PyArray_ZEROS(count, (npy_intp const *)shape, NPY_DOUBLE, 0);
    }
    static const Py_ssize_t *shape_of(PyObject *array) { return (Py_ssize_t *)PyArray_DIMS((PyArrayObject *)array); }
    static const void *data_of(PyObject *array) { return PyArray_DATA((PyArrayObject *)array); }
    static int dimensions_of(PyObject *array) { return PyArray_NDIM((PyArrayObject *)array); }
    static Py_ssize_t size_of(PyObject *array) { return PyArray_SIZE((PyArrayObject *)array); }
    static int number_of_type(PyObject *dtype) { return ((PyArray_Descr *)dtype)->type_num; }
    /* Whether an array has native numbers of a type, aligned and without gaps, in C's order. */
    static int is_plain(PyObject *array, int type) {
        return PyArray_TYPE((PyArrayObject *)array) == type && PyArray_ISCARRAY_RO((PyArrayObject *)array);
    }
    /* The object in whose memory an array is, borrowed; NULL if the memory is its own. */
    static PyObject *owner_of(PyObject *array) {
        PyObject *owner = array;
        while (owner != NULL && PyArray_Check(owner)) owner = PyArray_BASE((PyArrayObject *)owner);
        return owner;
    }
    """
    int load_arrays() except -1
    object array_at(object dtype, int count, const Py_ssize_t* shape, const void* data, object owner)
    object zeros_of(int count, const Py_ssize_t* shape)
    object array_over(object dtype, int count, const Py_ssize_t* shape, bytes memory)
    const Py_ssize_t* shape_of(object array) noexcept
    const void* data_of(object array) noexcept
    int dimensions_of(object array) noexcept
    Py_ssize_t size_of(object array) noexcept
    int number_of_type(object dtype) noexcept
    bint is_plain(object array, int type) noexcept
    PyObject* owner_of(object array) noexcept


cdef inline object rows_over(bytes memory, dtype, Py_ssize_t rows, Py_ssize_t width=0):
    """An array (rows, width), or (rows,) without a width, over bytes of that size."""
    cdef Py_ssize_t[2] shape = [rows, width]
    return array_over(dtype, 2 if width else 1, shape, memory)
