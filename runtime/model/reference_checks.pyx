# cython: language_level=3, boundscheck=False, wraparound=False
"""Checks references between the rows of a Model whose axis several columns determine, in one pass.

As for single columns (`polybody.model.column_checks`), the result is only what may be wrong:
`polybody.model.references` then reports which rows are wrong and why.
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from polybody.base.arrays cimport data_of, is_plain, load_arrays, number_of_type, size_of

load_arrays()

cdef object ndarray = np.ndarray
cdef int INTEGER = number_of_type(np.dtype(np.int32))
cdef int64_t MOST = 2**31 - 1
cdef enum: FREE = -1  # with these codes the number is not used
NOWHERE = "nowhere"
"""The axis that has no rows: with these codes, every number is wrong."""


cdef class Screened:
    """What is examined, and the function that reports it."""

    cdef object report
    cdef str axis

    cdef bint suspect(self, dict arrays, dict lengths, const int64_t* ends) except -1:
        raise NotImplementedError


cdef class Run(Screened):
    """Numbers of consecutive rows of another axis, and the first of them. Without that axis the rows are places in
    an array that has as many as all numbers together.
    """

    cdef str count, first, of

    def __init__(self, report, axis, count, first, of):
        self.report, self.axis, self.count, self.first, self.of = report, axis, count, first, of

    cdef bint suspect(self, dict arrays, dict lengths, const int64_t* ends) except -1:
        cdef Py_ssize_t rows = lengths[self.axis], row
        cdef const int32_t* number = _integers(arrays[self.count], rows)
        cdef const int32_t* start = _integers(arrays[self.first], rows)
        cdef int64_t end = 0
        cdef bint wrong = False
        if number == NULL or start == NULL:
            return True
        if self.of:
            end = lengths.get(self.of, 0)
        else:
            for row in range(rows):
                wrong |= number[row] < 0
                end += number[row]
            wrong |= end > MOST
        for row in range(rows):
            wrong |= number[row] > 0 and start[row] < 0
            wrong |= (number[row] > 0 or not self.of) and <int64_t> start[row] + number[row] > end
        return wrong


cdef class Pointers(Screened):
    """Numbers of rows of an axis that depends on one or two codes."""

    cdef str column, codes, kinds
    cdef Py_ssize_t place, most, width
    cdef bytes table

    def __init__(self, report, axis, column, Py_ssize_t place, codes, kinds, Py_ssize_t most, Py_ssize_t width, table):
        self.report, self.axis, self.column, self.place = report, axis, column, place
        self.codes, self.kinds, self.most, self.width = codes, kinds, most, width
        self.table = np.ascontiguousarray(table, np.int32).tobytes()
        if len(self.table) != 4 * most * width:
            raise ValueError(f"the table of {column} does not have {most} x {width} cells")

    cdef bint suspect(self, dict arrays, dict lengths, const int64_t* ends) except -1:
        cdef Py_ssize_t rows = lengths[self.axis], row, wide, kind = 0
        column = arrays[self.column]
        wide = size_of(column) // rows if rows else 1
        cdef const int32_t* found = _integers(column, rows * wide)
        cdef const int32_t* code = _integers(arrays[self.codes], rows)
        cdef const int32_t* other = NULL
        cdef const int32_t* cells = <const int32_t*> <const char*> self.table
        cdef int32_t cell
        cdef bint wrong = False
        if self.kinds:
            other = _integers(arrays[self.kinds], rows)
        if found == NULL or code == NULL or self.place >= wide or (self.kinds and other == NULL):
            return True
        for row in range(rows):
            if other != NULL:
                kind = other[row]
            if code[row] < 0 or not 0 <= kind < self.width:
                return True
            if code[row] >= self.most:
                continue
            cell = cells[code[row] * self.width + kind]
            if cell != FREE:  # the axis, and whether -1 means none
                wrong |= not -(cell & 1) <= found[row * wide + self.place] < ends[cell >> 1]
        return wrong


cdef class Widths(Screened):
    """Sizes that a code determines."""

    cdef str column, codes
    cdef Py_ssize_t most
    cdef bytes table

    def __init__(self, report, axis, column, codes, table):
        self.report, self.axis, self.column, self.codes, self.most = report, axis, column, codes, len(table)
        self.table = np.ascontiguousarray(table, np.int32).tobytes()

    cdef bint suspect(self, dict arrays, dict lengths, const int64_t* ends) except -1:
        cdef Py_ssize_t rows = lengths[self.axis], row
        cdef const int32_t* found = _integers(arrays[self.column], rows)
        cdef const int32_t* code = _integers(arrays[self.codes], rows)
        cdef const int32_t* widths = <const int32_t*> <const char*> self.table
        cdef bint wrong = False
        if found == NULL or code == NULL:
            return True
        for row in range(rows):
            if code[row] < 0:
                return True
            if code[row] < self.most:
                wrong |= widths[code[row]] != FREE and widths[code[row]] != found[row]
        return wrong


cdef class Arrays(Screened):
    """Arrays in one axis: the place of the first number, and extents whose product is how many there are."""

    cdef str first, of
    cdef tuple extents

    def __init__(self, report, axis, first, extents, of):
        self.report, self.axis, self.first, self.extents, self.of = report, axis, first, tuple(extents), of

    cdef bint suspect(self, dict arrays, dict lengths, const int64_t* ends) except -1:
        cdef Py_ssize_t rows = lengths[self.axis], row, end = lengths.get(self.of, 0)
        cdef const int32_t* start = _integers(arrays[self.first], rows)
        cdef const int32_t* extent
        cdef double product  # of integers of 32 bits it may exceed 64 bits; rounding keeps the order
        if start == NULL:
            return True
        for row in range(rows):
            product = 1
            for name in self.extents:
                extent = _integers(arrays[name], rows)
                if extent == NULL or extent[row] < 0:
                    return True
                product *= extent[row]
            if start[row] + product > end:
                return True
        return False


cdef class Signatures(Screened):
    """Numbers of two rows in one, in the upper and the lower 16 bits, of an axis with at most so many rows."""

    cdef str column, of
    cdef int64_t most

    def __init__(self, report, axis, column, of, int64_t most):
        self.report, self.axis, self.column, self.of, self.most = report, axis, column, of, most

    cdef bint suspect(self, dict arrays, dict lengths, const int64_t* ends) except -1:
        cdef Py_ssize_t rows = lengths[self.axis], row, end = lengths.get(self.of, 0)
        cdef const int32_t* found = _integers(arrays[self.column], rows)
        cdef bint wrong = found == NULL
        if wrong or end > self.most:
            return wrong
        for row in range(rows):
            wrong |= found[row] < 0 or found[row] >> 16 >= end or (found[row] & 0xFFFF) >= end
        return wrong


cdef class Absent(Screened):
    """Numbers that most rows do not have: negative ones."""

    cdef str column

    def __init__(self, report, axis, column):
        self.report, self.axis, self.column = report, axis, column

    cdef bint suspect(self, dict arrays, dict lengths, const int64_t* ends) except -1:
        cdef Py_ssize_t rows = lengths[self.axis], row
        cdef const int32_t* found = _integers(arrays[self.column], rows)
        cdef bint given = found == NULL
        for row in range(0 if found == NULL else rows):
            given |= found[row] >= 0
        return given


cdef class ReferenceChecks:
    """All such references of a Model."""

    cdef list rows, axes

    def __init__(self):
        self.rows, self.axes = [], [NOWHERE]

    def run(self, report, axis, count, first, of=""):
        """Examine consecutive rows; see `Run`."""
        self.rows.append(Run(report, axis, count, first, of))

    def pointers(self, report, axis, column, codes, cells, place=0, kinds=""):
        """Examine numbers of rows.

        Args:
            report: reports what is wrong.
            axis: of the rows that have the numbers.
            column: the numbers.
            codes, kinds: the columns of codes; the latter may be missing.
            cells: by code, or by code and kind, the axis and whether -1 means none; NOWHERE if the codes are
                wrong. With other codes the number is not used.
            place: of the number in a row of the column.
        """
        pairs = {code if kinds else (code, 0): cell for code, cell in cells.items()}
        most, width = (max(each[part] for each in pairs) + 1 for part in (0, 1))
        table = np.full((most, width), FREE, np.int32)
        for each, (of, optional) in pairs.items():
            if of not in self.axes:
                self.axes.append(of)
            table[each] = self.axes.index(of) << 1 | bool(optional)
        self.rows.append(Pointers(report, axis, column, place, codes, kinds, most, width, table))

    def widths(self, report, axis, column, codes, widths):
        """Examine sizes, given by code."""
        table = [widths.get(code, FREE) for code in range(max(widths) + 1)]
        self.rows.append(Widths(report, axis, column, codes, table))

    def arrays(self, report, axis, first, extents, of):
        """Examine arrays in an axis; see `Arrays`."""
        self.rows.append(Arrays(report, axis, first, extents, of))

    def signatures(self, report, axis, column, of, most):
        """Examine numbers of two rows; see `Signatures`."""
        self.rows.append(Signatures(report, axis, column, of, most))

    def absent(self, report, axis, column):
        """Report as soon as a row has a number, which is not negative."""
        self.rows.append(Absent(report, axis, column))

    @property
    def reports(self):
        """All these functions, each once."""
        cdef Screened each
        return list(dict.fromkeys([each.report for each in self.rows]))

    def suspects(self, dict arrays, dict lengths):
        """The functions that report what may be wrong, each once.

        Args:
            arrays: the given columns.
            lengths: the number of rows of each axis that has rows.
        """
        cdef Screened each
        cdef int64_t[64] ends
        cdef Py_ssize_t place
        if len(self.axes) > 64:
            raise AssertionError("there are more axes than are examined")
        for place, of in enumerate(self.axes):
            ends[place] = lengths.get(of, 0)
        found = {}
        for each in self.rows:
            if lengths.get(each.axis) and each.suspect(arrays, lengths, ends):
                found[each.report] = None
        return list(found)


cdef const int32_t* _integers(array, Py_ssize_t count) except? NULL:
    """The data of a plain array with so many integers; NULL if it is none."""
    if type(array) is not ndarray or not is_plain(array, INTEGER) or size_of(array) != count:
        return NULL
    return <const int32_t*> data_of(array)
