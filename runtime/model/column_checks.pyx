# cython: language_level=3, boundscheck=False, wraparound=False
"""Takes over all given columns of a Model, and checks their values in the same pass.

A column of the right type and shape is copied to read-only memory, or used as it is if its memory is
read-only already. Its values are checked against the schema. The result is only which columns may be wrong
and which have to be converted: `polybody.model.checks` then reports which rows are wrong and why.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_Check, PyBytes_FromStringAndSize
from cpython.long cimport PyLong_AsLongLongAndOverflow
from cpython.object cimport PyObject
from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np

from polybody.base.arrays cimport (
    array_at, array_over, data_of, dimensions_of, is_plain, load_arrays, number_of_type, owner_of, rows_over, shape_of,
    size_of,
)

load_arrays()

cdef object ndarray = np.ndarray
cdef int64_t UNBOUNDED = 2**63 - 1
cdef double LARGEST = 1.7976931348623157e308
cdef enum: REFERS = 5  # index in CHECKS of the check that depends on the sizes
cdef enum: COUNTED = 6  # and of the one that depends on all rows together
cdef enum:
    SHARED_ROWS = 256  # Models share columns of defaults with at most this many rows
    SHARED = 256  # and at most this many sets of such columns
CHECKS = ("finite", "codes", "flag", "bounded", "unit", "refers", "counted")


cdef class Rule:
    """The requirements for a given column.

    Attributes:
        name, axis: of the column, and of its table.
        dtype: the type of its numbers; ``letter`` is its character, ``number`` that of the type.
        shape: of one row; None if it depends on other columns in another way than ``wide``.
        wide: the axis whose number of rows is the length of a row; "*" if any length is allowed; otherwise
            "".
        default: the bytes of a default row; None if there is no default; zeros for wide rows.
        unsaid: the column used if it is not given and there are no rows; or None.
        codes: bit mask of allowed values below 64; all bits if it has no codes.
        least, open: the minimum of its values, and whether it is exclusive.
        most: the maximum of integers.
        unit: the size of vectors whose length must be 1 within ``tolerance``; 0 if none.
        refers: the axis whose rows its values refer to, or "".
        count, total: of integers that are counts, the maximum of one, and of all rows together.
    """

    cdef readonly str name, axis, wide, refers
    cdef object dtype, shape, default, unsaid
    cdef char letter
    cdef int number
    cdef bint single, flag, bounded, open
    cdef int unit
    cdef uint64_t codes
    cdef double least, most, tolerance
    cdef bint counted
    cdef int64_t count, total

    def __init__(
        self, name, axis, dtype, shape, wide, default, unsaid, codes, bint flag, least, most, bint open, int unit,
        refers, tolerance, count=None, total=None,
    ):
        self.name, self.axis, self.wide, self.refers = name, axis, wide, refers
        self.dtype, self.shape, self.default, self.unsaid = dtype, shape, default, unsaid
        self.letter = ord(dtype.char)
        if self.letter not in b"dfiB":
            raise TypeError(f"{name} is of type {dtype}, of which nothing is known here")
        self.number = number_of_type(dtype)
        self.single = axis == "one"
        self.codes = ~<uint64_t> 0
        if codes is not None:
            self.codes = 0
            for code in codes:
                if 0 <= code < 64:
                    self.codes |= <uint64_t> 1 << <int> code
        self.flag, self.open, self.unit, self.tolerance = flag, open, unit, tolerance
        self.bounded = least is not None or most is not None
        self.least = -float("inf") if least is None else least
        self.most = float("inf") if most is None else most
        self.counted = count is not None
        self.count = UNBOUNDED if count is None else count
        self.total = UNBOUNDED if total is None else total


cdef class Taken:
    """The columns of a Model, taken from those that were given.

    Attributes:
        arrays: read-only columns by name.
        lengths: the number of rows of each axis, from the first of its columns that is given.
        missing: required columns that are not given, although their axis has rows.
        others: given columns that do not have the type and shape in the schema, or whose shape depends on
            others; they are not in ``arrays``.
        suspects: for each of CHECKS the columns that may fail it.
    """

    cdef readonly dict arrays, lengths, suspects
    cdef readonly list missing, others

    def __init__(self):
        self.arrays, self.lengths, self.missing, self.others = {}, {"one": 1}, [], []
        self.suspects = {check: [] for check in CHECKS}


cdef class ColumnChecks:
    """The requirements for all given columns."""

    cdef list rules
    cdef dict by_name  # index of a rule by name
    cdef dict unsaid  # columns used if they are not given and have no rows
    cdef list open  # rules of columns without such a column
    cdef dict by_axis  # rules of the columns with one, by axis
    cdef dict blank  # columns of defaults, by axis and number of rows, or by name and shape; shared by Models

    def __init__(self, rules):
        cdef Rule rule
        self.rules = list(rules)
        self.by_name = {rule.name: place for place, rule in enumerate(self.rules)}
        self.unsaid = {rule.name: rule.unsaid for rule in self.rules if rule.unsaid is not None}
        self.open = [rule for rule in self.rules if rule.unsaid is None]
        self.by_axis, self.blank = {}, {}
        for rule in self.rules:
            if rule.unsaid is not None and not rule.single:
                self.by_axis.setdefault(rule.axis, []).append(rule)

    def take(self, dict columns):
        """The given columns by name, and defaults for the others: a :class:`Taken`."""
        cdef Rule rule
        cdef Taken taken = Taken()
        cdef dict lengths = taken.lengths
        taken.arrays = self.unsaid.copy()
        cdef list values = [None] * len(self.rules)  # in the order of the rules
        cdef Py_ssize_t place
        for name, value in columns.items():
            place = self.by_name[name]
            values[place] = value if type(value) is ndarray else _number(self.rules[place], value)
        given = [place for place in range(len(values)) if values[place] is not None]
        for place in given:
            rule = self.rules[place]
            if not rule.single and rule.axis not in lengths:
                value = values[place]
                lengths[rule.axis] = shape_of(value)[0] if dimensions_of(value) else 0
        for axis, rows in lengths.items():
            if rows and axis in self.by_axis:
                self._fill(axis, rows, columns, taken)
        for place in given:
            rule = self.rules[place]
            if not self._take(rule, values[place], 1 if rule.single else lengths[rule.axis], taken):
                taken.others.append(rule.name)
        for rule in self.open:
            if rule.name not in columns:
                self._unsaid(rule, lengths.get(rule.axis, 0), taken)
        taken.missing.sort(key=self.by_name.__getitem__)
        taken.others.sort(key=self.by_name.__getitem__)
        return taken

    cdef int _fill(self, axis, Py_ssize_t rows, dict columns, Taken taken) except -1:
        """Fill in the defaults of an axis of which no column is given."""
        cdef Rule rule
        cdef dict made = self.blank.get((axis, rows))
        if made is None:
            made = {rule.name: _blank(rule, rows) for rule in self.by_axis[axis] if rule.default is not None}
            if rows <= SHARED_ROWS:
                if len(self.blank) >= SHARED:
                    self.blank.clear()
                self.blank[axis, rows] = made
        taken.arrays.update(made)
        for rule in self.by_axis[axis]:
            if rule.default is None and rule.name not in columns:
                taken.missing.append(rule.name)

    cdef int _unsaid(self, Rule rule, Py_ssize_t rows, Taken taken) except -1:
        """Fill in the default of a column that is not given."""
        if rule.default is None and rows:
            taken.missing.append(rule.name)
        elif rule.shape is None:
            taken.others.append(rule.name)
        elif rule.wide:
            taken.arrays[rule.name] = self._zeros(rule, rows, taken.lengths.get(rule.wide, 0))
        elif rows:
            taken.arrays[rule.name] = _blank(rule, rows)

    cdef object _zeros(self, Rule rule, Py_ssize_t rows, Py_ssize_t width):
        """Wide rows of zeros."""
        if rows * width > SHARED_ROWS:
            return ndarray((rows, width), rule.dtype, bytes(rows * width * rule.dtype.itemsize))
        made = self.blank.get((rule.name, rows, width))
        if made is None:
            if len(self.blank) >= SHARED:
                self.blank.clear()
            made = ndarray((rows, width), rule.dtype, bytes(rows * width * rule.dtype.itemsize))
            self.blank[rule.name, rows, width] = made
        return made

    cdef bint _take(self, Rule rule, value, Py_ssize_t rows, Taken taken) except -1:
        """Take over a column if it has the right type and shape; returns whether it does."""
        cdef const Py_ssize_t* shape
        cdef const char* data
        cdef PyObject* owner
        cdef Py_ssize_t size, width
        cdef int place = 0 if rule.single else 1, part, dimensions
        if rule.shape is None or not is_plain(value, rule.number):
            return False
        shape, dimensions, size = shape_of(value), dimensions_of(value), size_of(value)
        if dimensions != place + len(<tuple> rule.shape) or (place and shape[0] != rows):
            return False
        for part in range(place, dimensions):
            width = (<tuple> rule.shape)[part - place]
            if rule.wide and rule.wide != "*":
                width = taken.lengths.get(rule.wide, 0)
            if shape[part] != width and rule.wide != "*":
                return False
        if not size:
            taken.arrays[rule.name] = array_over(rule.dtype, dimensions, shape, b"") if rule.unsaid is None else rule.unsaid
            return True
        data, owner = <const char*> data_of(value), owner_of(value)
        if owner != NULL and PyBytes_Check(<object> owner):  # read-only memory
            taken.arrays[rule.name] = array_at(rule.dtype, dimensions, shape, data, <object> owner)
            _look(rule, data, size, taken)
        else:
            kept = PyBytes_FromStringAndSize(data, size * <Py_ssize_t> rule.dtype.itemsize)
            taken.arrays[rule.name] = array_over(rule.dtype, dimensions, shape, kept)
            _look(rule, PyBytes_AS_STRING(kept), size, taken)
        return True

    def add(self, Taken taken, name, array):
        """Add a column: a read-only array of the schema's type."""
        cdef Rule rule = self.rules[self.by_name[name]]
        if type(array) is not ndarray or not is_plain(array, rule.number):
            raise TypeError(f"{name} is not such an array")
        _look(rule, <const char*> data_of(array), size_of(array), taken)
        taken.arrays[name] = array


def is_frozen(array):
    """Whether an array's memory is a bytes object."""
    cdef PyObject* owner = owner_of(array)
    return owner != NULL and PyBytes_Check(<object> owner)


cdef object _blank(Rule rule, Py_ssize_t rows):
    """A column of defaults."""
    shape = rule.shape if rule.single else (rows, *rule.shape)
    return ndarray(shape, rule.dtype, rule.default * rows)


cdef object _number(Rule rule, value):
    """A scalar as an array of its column's type, if it has that type; any other value as an array."""
    cdef double real
    cdef int32_t whole
    cdef int overflow = 0
    cdef long long found
    if rule.single and rule.shape == ():
        if rule.letter == b"d" and type(value) is float:
            real = value
            return array_over(rule.dtype, 0, NULL, PyBytes_FromStringAndSize(<char*> &real, sizeof(double)))
        if rule.letter == b"i" and type(value) is int:
            found = PyLong_AsLongLongAndOverflow(value, &overflow)
            whole = <int32_t> found
            if not overflow and whole == found:
                return array_over(rule.dtype, 0, NULL, PyBytes_FromStringAndSize(<char*> &whole, sizeof(int32_t)))
    return np.asarray(value)


cdef int _look(Rule rule, const char* data, Py_ssize_t size, Taken taken) except -1:
    """Record which checks the values of a column may fail."""
    cdef Py_ssize_t rows = 0
    cdef unsigned int found
    if rule.refers:
        rows = taken.lengths.get(rule.refers, 0)
    if rule.letter == b"d":
        found = _of_reals(rule, <const double*> data, size)
    elif rule.letter == b"f":
        found = _of_reals(rule, <const float*> data, size)
    elif rule.letter == b"i":
        found = _of_integers(rule, <const int32_t*> data, size, rows)
    else:
        found = _of_integers(rule, <const uint8_t*> data, size, rows)
    if found:
        for place, check in enumerate(CHECKS):
            if found >> <int> place & 1:
                taken.suspects[check].append(rule.name)


ctypedef fused Real:
    double
    float

ctypedef fused Whole:
    int32_t
    uint8_t


cdef unsigned int _of_reals(Rule rule, const Real* numbers, Py_ssize_t size) noexcept:
    """The checks that may fail, as bits."""
    cdef unsigned int infinite = 0, low = 0, stretched = 0
    cdef Py_ssize_t place, row
    cdef double square
    for place in range(size):
        infinite |= not fabs(numbers[place]) <= LARGEST
    if rule.bounded and rule.open:
        for place in range(size):
            low |= numbers[place] <= rule.least
    elif rule.bounded:
        for place in range(size):
            low |= numbers[place] < rule.least
    if rule.unit:
        for row in range(size // rule.unit):
            square = 0
            for place in range(rule.unit * row, rule.unit * (row + 1)):
                square += <double> numbers[place] * numbers[place]
            stretched |= not fabs(sqrt(square) - 1) <= rule.tolerance / 2
    return infinite | low << 3 | stretched << 4


cdef unsigned int _of_integers(Rule rule, const Whole* numbers, Py_ssize_t size, Py_ssize_t rows) noexcept:
    """The checks that may fail, as bits."""
    cdef unsigned int unknown = 0, flagged = 0, low = 0, outside = 0, many = 0
    cdef Py_ssize_t place
    cdef int64_t together = 0
    if ~rule.codes:
        for place in range(size):
            unknown |= not (0 <= <int> numbers[place] < 64 and rule.codes >> <int> numbers[place] & 1)
    if rule.flag:
        for place in range(size):
            flagged |= numbers[place] > 1
    if rule.bounded:
        for place in range(size):
            low |= not rule.least <= numbers[place] <= rule.most
    if rule.refers:
        for place in range(size):
            outside |= not -1 <= <int> numbers[place] < rows
    if rule.counted:
        for place in range(size):
            many |= numbers[place] > rule.count
            if <int> numbers[place] > 0:
                together += numbers[place]
        many |= together > rule.total
    return unknown << 1 | flagged << 2 | low << 3 | outside << REFERS | many << COUNTED
