# cython: language_level=3, boundscheck=False, wraparound=False
"""Checks several columns of a Model together, in one pass: the tree, its coordinates, its inertia.

As for single columns (`polybody.model.column_checks`), the result is only whether something may be wrong;
`polybody.model.checks` then reports which rows are wrong and why.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport fabs, fmax, sqrt
from libc.stdint cimport int32_t

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object)
    Py_ssize_t PyUnicode_GET_LENGTH(object)
    const unsigned char* PyUnicode_1BYTE_DATA(object)

cdef enum: KINDS = 16
TREE, COORDINATES, PHYSICS = 1, 2, 4
cdef double LARGEST = 1e300
"""Larger inertias are checked in detail: about another point they may overflow."""


cdef class TreeChecks:
    """The requirements for the columns of the tree.

    Attributes:
        nq, nv: the numbers of coordinates and velocities of the primitive joints, by code.
        free: the code of the free joint.
        triangle: tolerance of the triangle inequality of the moments, relative to their sum.
        unit: tolerance of the length of a quaternion.
    """

    cdef int nq[KINDS]
    cdef int nv[KINDS]
    cdef int kinds, free
    cdef double triangle, unit

    def __init__(self, sizes, int free, double triangle, double unit):
        self.kinds = len(sizes)
        if self.kinds > KINDS:
            raise ValueError(f"{self.kinds} kinds of joints, of which {KINDS} fit")
        for kind, (nq, nv) in enumerate(sizes):
            self.nq[kind], self.nv[kind] = nq, nv
        self.free, self.triangle, self.unit = free, triangle, unit

    def suspects(self, dict arrays):
        """Which of TREE, COORDINATES and PHYSICS the columns may violate; all of them if the tree is
        invalid.
        """
        cdef Py_ssize_t nbody, njnt, ngeom, nq, nspring, ndof, row, first = 0, dofs = 0
        cdef const int32_t* parent = _integers(arrays["body_parentid"], &nbody)
        cdef const int32_t* owner = _integers(arrays["jnt_bodyid"], &njnt)
        cdef const int32_t* carrier = _integers(arrays["geom_bodyid"], &ngeom)
        cdef const int32_t* kind = _integers(arrays["jnt_type"], &njnt)
        cdef const double* start = _reals(arrays["qpos0"], &nq)
        cdef const double* rest = _reals(arrays["qpos_spring"], &nspring)
        cdef int everything = TREE | COORDINATES | PHYSICS
        cdef bint wrong
        _reals(arrays["dof_armature"], &ndof)
        if nbody == 0 or parent[0] != 0:
            return everything
        wrong = False
        for row in range(1, nbody):
            wrong |= parent[row] < 0 or parent[row] >= row
        if wrong or not _in_order(owner, njnt, 1, nbody) or not _in_order(carrier, ngeom, 0, nbody):
            return everything
        for row in range(njnt):
            if not 0 <= kind[row] < self.kinds:
                return everything
            dofs += self.nv[kind[row]]
            first += self.nq[kind[row]]
        if first != nq or first != nspring or dofs != ndof:
            return COORDINATES | PHYSICS
        first = 0
        for row in range(njnt):
            wrong |= kind[row] == self.free and row > 0 and owner[row] == owner[row - 1]
            first += self.nq[kind[row]]
            if self.nq[kind[row]] == self.nv[kind[row]] + 1:
                wrong |= not _is_unit(start + first - 4, self.unit) or not _is_unit(rest + first - 4, self.unit)
        return PHYSICS if wrong or not self._realisable(arrays, nbody) else 0

    cdef bint _realisable(self, dict arrays, Py_ssize_t nbody) except -1:
        """Whether all inertias are physically possible, and the world has an identity pose."""
        cdef Py_ssize_t row, size
        cdef const double* inertia = _reals(arrays["body_inertia"], &size)
        cdef const double* mass = _reals(arrays["body_mass"], &size)
        cdef const double* centre = _reals(arrays["body_ipos"], &size)
        cdef const double* pos = _reals(arrays["body_pos"], &size)
        cdef const double* quat = _reals(arrays["body_quat"], &size)
        cdef double a, b, c, total, far
        cdef bint wrong = pos[0] != 0 or pos[1] != 0 or pos[2] != 0
        wrong |= quat[0] != 1 or quat[1] != 0 or quat[2] != 0 or quat[3] != 0
        for row in range(nbody):
            a, b, c = inertia[3 * row], inertia[3 * row + 1], inertia[3 * row + 2]
            total = a + b + c
            wrong |= not 2 * fmax(a, fmax(b, c)) - total <= self.triangle / 2 * total
            a, b, c = centre[3 * row], centre[3 * row + 1], centre[3 * row + 2]
            far = total + mass[row] * (a * a + b * b + c * c)
            wrong |= not fabs(far) <= LARGEST
        return not wrong


def rows_by_name(rows):
    """The rows of a kind by name; None if a name may be invalid or occurs twice.

    rows: the names of all rows, "" for unnamed ones.
    """
    cdef dict found = {}
    cdef Py_ssize_t row = 0, named = 0, place
    cdef const unsigned char* text
    for name in rows:
        if type(name) is not str or not PyUnicode_IS_ASCII(name):
            return None
        if PyUnicode_GET_LENGTH(name):
            text = PyUnicode_1BYTE_DATA(name)
            for place in range(PyUnicode_GET_LENGTH(name)):
                if text[place] < 32 or text[place] == 127:
                    return None
            found[name] = row
            named += 1
        row += 1
    return found if len(found) == named else None


cdef const int32_t* _integers(array, Py_ssize_t* count) except? NULL:
    return <const int32_t*> _memory(array, count, sizeof(int32_t))


cdef const double* _reals(array, Py_ssize_t* count) except? NULL:
    return <const double*> _memory(array, count, sizeof(double))


cdef const void* _memory(array, Py_ssize_t* count, Py_ssize_t size) except? NULL:
    """The data of a contiguous array, valid as long as the array is."""
    cdef Py_buffer buffer
    PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE)
    count[0] = buffer.len // size
    PyBuffer_Release(&buffer)
    return buffer.buf


cdef bint _in_order(const int32_t* owner, Py_ssize_t count, int least, Py_ssize_t below) noexcept:
    """Whether rows are sorted by body, with body indices in the range least <= index < below."""
    cdef Py_ssize_t row
    cdef bint wrong = False
    for row in range(count):
        wrong |= owner[row] < least or owner[row] >= below or (row > 0 and owner[row] < owner[row - 1])
    return not wrong


cdef bint _is_unit(const double* quat, double tolerance) noexcept:
    cdef double square = quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]
    return fabs(sqrt(square) - 1) <= tolerance / 2
