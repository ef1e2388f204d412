"""Numbers in the syntax of XML Schema: no locale, no ``1_0``, no hexadecimal; ``INF`` and ``NaN`` in this
spelling.
"""

from cpython.object cimport PyObject

cdef extern from "numbers.h":
    bint is_space(char) noexcept nogil
    bint is_digit(char) noexcept nogil
    const char* read_real(const char*, const char*, double*) noexcept
    PyObject* read_int(const char*, const char*, const char**) noexcept
    unsigned int hash_bytes(const char*, Py_ssize_t) noexcept nogil
    bint is_folded(const char*, const char*, Py_ssize_t) noexcept nogil
    unsigned int hash_folded(const char*, Py_ssize_t) noexcept nogil
    PyObject* shared_float(double) except NULL
