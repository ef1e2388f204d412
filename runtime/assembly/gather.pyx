# cython: language_level=3, boundscheck=False, wraparound=False
"""Columns of a Model from a field of parts, one row per part: read, converted and stored in one pass.

Parts are objects with that attribute, or dicts with that key. Numbers are stored in bytes objects, which are
immutable: a Model uses these arrays without copying them.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.object cimport PyObject, PyTypeObject
from libc.math cimport fabs, isfinite, sqrt
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

import numpy as np

from polybody.base import Node
from polybody.base.slotted import member
from polybody.base.source import COLUMN_BITS, COLUMN_MASK
from polybody.generated.model import ShapeType
from polybody.geometry.shapes import FAR

from polybody.base.arrays cimport array_over, load_arrays, rows_over
from polybody.base.fields cimport Field, value_of
from polybody.base.slots cimport slot_at, slot_offset

cdef extern from "Python.h":
    object PySequence_Fast(object, const char*)
    Py_ssize_t PySequence_Fast_GET_SIZE(object)
    PyObject** PySequence_Fast_ITEMS(object)
    PyTypeObject* Py_TYPE(object) noexcept
    bint PyObject_TypeCheck(object, PyTypeObject*) noexcept

load_arrays()

cdef object DOUBLE = np.dtype(np.float64), SINGLE = np.dtype(np.float32)
cdef object INTEGER = np.dtype(np.int32), BYTE = np.dtype(np.uint8)
cdef double UNLIMITED = 1e10, ENDLESS = float("inf"), DISTANT = FAR
cdef int PLANE = ShapeType.plane, SPHERE = ShapeType.sphere, CAPSULE = ShapeType.capsule
cdef int CYLINDER = ShapeType.cylinder, ELLIPSOID = ShapeType.ellipsoid, BOX = ShapeType.box
cdef int BITS = COLUMN_BITS
cdef long long MASK = COLUMN_MASK
cdef PyTypeObject* element = <PyTypeObject*> Node
cdef Py_ssize_t SOURCE = slot_offset(member(Node, "_source")), POSITION = slot_offset(member(Node, "_position"))
cdef dict fields = {}  # by the class of the parts and the name


def reals(parts, str field, Py_ssize_t width=0):
    """A column of doubles, (n, width), or (n,) for scalars."""
    return rows_over(_reals(parts, field, width), DOUBLE, len(parts), width)


cdef bytes _reals(parts, str field, Py_ssize_t width):
    """The doubles of such a column."""
    cdef Field asked = asking(parts, field)
    cdef Py_ssize_t row = 0
    whole = _buffer(parts, max(width, 1) * sizeof(double))
    cdef double* numbers = <double*> PyBytes_AS_STRING(whole)
    for part in parts:
        if width:
            _row(value_of(asked, part), numbers + row * width, width)
        else:
            numbers[row] = value_of(asked, part)
        row += 1
    return whole


def singles(parts, str field, Py_ssize_t width=0):
    """A column of 32-bit floats, (n, width), or (n,) for scalars."""
    wide = _reals(parts, field, width)
    cdef Py_ssize_t place, count = len(wide) // sizeof(double)
    whole = PyBytes_FromStringAndSize(NULL, count * sizeof(float))
    cdef float* numbers = <float*> PyBytes_AS_STRING(whole)
    cdef const double* exact = <const double*> PyBytes_AS_STRING(wide)
    for place in range(count):
        numbers[place] = <float> exact[place]
    return rows_over(whole, SINGLE, len(parts), width)


def integers(parts, str field, Py_ssize_t width=0):
    """A column of 32-bit integers, (n, width), or (n,) for scalars.

    Raises:
        OverflowError: a number has more than 32 bits.
    """
    cdef Field asked = asking(parts, field)
    cdef Py_ssize_t row = 0, place
    whole = _buffer(parts, max(width, 1) * sizeof(int32_t))
    cdef int32_t* numbers = <int32_t*> PyBytes_AS_STRING(whole)
    for part in parts:
        value = value_of(asked, part)
        if width:
            if len(value) != width:
                raise ValueError(f"{value!r} does not have {width} numbers")
            for place in range(width):
                numbers[row * width + place] = value[place]
        else:
            numbers[row] = value
        row += 1
    return rows_over(whole, INTEGER, row, width)


def flags(parts, str field):
    """A column of flags as bytes, (n,)."""
    cdef Field asked = asking(parts, field)
    cdef Py_ssize_t row = 0
    whole = _buffer(parts, 1)
    cdef uint8_t* numbers = <uint8_t*> PyBytes_AS_STRING(whole)
    for part in parts:
        numbers[row] = 1 if value_of(asked, part) else 0
        row += 1
    return rows_over(whole, BYTE, row)


def given(parts, str field):
    """A column of numbers, 0 for None; None if all of them are 0."""
    cdef Field asked = asking(parts, field)
    cdef Py_ssize_t row = 0
    cdef bint any_given = False
    whole = _buffer(parts, sizeof(double))
    cdef double* numbers = <double*> PyBytes_AS_STRING(whole)
    for part in parts:
        value = value_of(asked, part)
        numbers[row] = 0.0 if value is None or not value else value
        any_given |= numbers[row] != 0
        row += 1
    return rows_over(whole, DOUBLE, row) if any_given else None


def units(parts, str field):
    """A column of unit quaternions, (n, 4): the parts' quaternions, normalised.

    Raises:
        ValueError: one is zero, NaN or infinite.
    """
    whole = _reals(parts, field, 4)
    cdef Py_ssize_t row, place
    cdef double greatest, length
    cdef double* quat = <double*> PyBytes_AS_STRING(whole)
    for row in range(len(parts)):
        if quat[0] != 1 or quat[1] != 0 or quat[2] != 0 or quat[3] != 0:
            greatest = 0
            for place in range(4):
                greatest = max(greatest, fabs(quat[place])) if isfinite(quat[place]) else ENDLESS
            if not 0 < greatest < ENDLESS:
                raise ValueError(f"{[quat[0], quat[1], quat[2], quat[3]]} is not a rotation")
            for place in range(4):
                quat[place] /= greatest  # avoids overflow of the squares
            length = sqrt((quat[0] * quat[0] + quat[2] * quat[2]) + (quat[1] * quat[1] + quat[3] * quat[3]))
            for place in range(4):
                quat[place] /= length
        quat += 4
    return rows_over(whole, DOUBLE, len(parts), 4)


def ranges(parts, str field, str enabled=None):
    """Whether parts have bounds, (n,), and the bounds, (n, 2). ``enabled``: a field that tells whether they count.

    An infinite bound is replaced by a large number if the other one is finite; None, and two infinite bounds,
    mean no bounds.
    """
    cdef Field asked = asking(parts, field), counts = None if enabled is None else asking(parts, enabled)
    cdef Py_ssize_t row = 0, place
    cdef double pair[2]
    limited, bounds = _buffer(parts, 1), _buffer(parts, 2 * sizeof(double))
    cdef uint8_t* flag = <uint8_t*> PyBytes_AS_STRING(limited)
    cdef double* number = <double*> PyBytes_AS_STRING(bounds)
    memset(flag, 0, len(limited))
    memset(number, 0, len(bounds))
    for part in parts:
        value = value_of(asked, part)
        if value is not None:
            _row(value, pair, 2)
            if isfinite(pair[0]) or isfinite(pair[1]):
                flag[row] = counts is None or bool(value_of(counts, part))
                for place in range(2):
                    if pair[place] < -UNLIMITED:
                        number[2 * row + place] = -UNLIMITED
                    else:
                        number[2 * row + place] = UNLIMITED if pair[place] > UNLIMITED else pair[place]
        row += 1
    return rows_over(limited, BYTE, row), rows_over(bounds, DOUBLE, row, 2)


def listed(parts, str field, otherwise):
    """The numbers of all parts, concatenated, (n,); if a part has None, those that ``otherwise`` returns."""
    cdef Field asked = asking(parts, field)
    cdef list found = []
    for part in parts:
        value = value_of(asked, part)
        if value is None:
            value = otherwise(part)
        if type(value) is float:
            found.append(value)
        else:
            found.extend(value)
    return _flat(found)


def per_dof(joints, str field, counts, otherwise):
    """The numbers of joints by degree of freedom, (n,).

    counts: the number of degrees of freedom of each joint. A joint with a single number has it for all of
        them, None means 0; otherwise ``otherwise`` returns the numbers.
    """
    cdef Field asked = asking(joints, field)
    cdef list numbers = counts if type(counts) is list else list(counts)
    cdef Py_ssize_t place = 0, count, every = sum(numbers)
    cdef double value
    whole = PyBytes_FromStringAndSize(NULL, every * sizeof(double))
    cdef double* at = <double*> PyBytes_AS_STRING(whole)
    for joint in joints:
        given = value_of(asked, joint)
        if given is not None and type(given) is not float:
            return _per_dof(joints, field, numbers, otherwise)
        value, count = 0.0 if given is None else given, numbers[place]
        for _ in range(count):
            at[0] = value
            at += 1
        place += 1
    return rows_over(whole, DOUBLE, every)


cdef object _per_dof(joints, str field, list numbers, otherwise):
    """The same, if a joint has several numbers."""
    cdef Field asked = asking(joints, field)
    cdef list found = []
    cdef Py_ssize_t place = 0, count
    for joint in joints:
        value = value_of(asked, joint)
        if value is None:
            value = 0.0
        if type(value) is float:
            count = numbers[place]
            for _ in range(count):
                found.append(value)
        else:
            found.extend(otherwise(joint, field))
        place += 1
    return _flat(found)


def inertias(parts):
    """Inertia matrices of bodies, (n, 3, 3), from matrices, six numbers, or None for zeros. If all matrices
    are diagonal and nonnegative, also the principal moments (n, 3) and the quaternions (n, 4) of their axes;
    otherwise None twice.
    """
    cdef Py_ssize_t row = 0, place
    cdef bint plain = True
    cdef double* own
    cdef double[6] six
    whole, moments = _buffer(parts, 9 * sizeof(double)), _buffer(parts, 3 * sizeof(double))
    axes = _buffer(parts, 4 * sizeof(double))
    cdef double* numbers = <double*> PyBytes_AS_STRING(whole)
    cdef double* moment = <double*> PyBytes_AS_STRING(moments)
    cdef double* axis = <double*> PyBytes_AS_STRING(axes)
    memset(numbers, 0, len(whole))
    memset(axis, 0, len(axes))
    cdef Field asked = asking(parts, "inertia")
    for part in parts:
        matrix = value_of(asked, part)
        own = numbers + 9 * row
        if matrix is not None and len(matrix) == 6:
            _row(matrix, six, 6)
            own[0], own[4], own[8] = six[0], six[1], six[2]
            own[1] = own[3] = six[3]
            own[2] = own[6] = six[4]
            own[5] = own[7] = six[5]
        elif matrix is not None:
            place = 0
            for line in matrix:
                if place == 3:
                    raise ValueError("an inertia has three rows")
                _row(line, own + 3 * place, 3)
                place += 1
        for place in range(9):
            plain &= (own[place] == 0) if place % 4 else (isfinite(own[place]) and own[place] >= 0)
        for place in range(3):
            moment[3 * row + place] = own[4 * place]
        axis[4 * row] = 1
        row += 1
    cdef Py_ssize_t[3] shape = [row, 3, 3]
    inertia = array_over(DOUBLE, 3, shape, whole)
    if not plain:
        return inertia, None, None
    return inertia, rows_over(moments, DOUBLE, row, 3), rows_over(axes, DOUBLE, row, 4)


def extents(geoms):
    """Sizes (n, 3), bounding boxes (n, 6: centre and half widths), and radii of bounding spheres about the
    origin (n,) of shapes, m; see `polybody.geometry.bounds`.
    """
    cdef Py_ssize_t row = 0, place, count
    cdef int kind
    cdef double a, b, c
    cdef double low[3]
    cdef double high[3]
    sizes, boxes = _buffer(geoms, 3 * sizeof(double)), _buffer(geoms, 6 * sizeof(double))
    balls = _buffer(geoms, sizeof(double))
    cdef double* size = <double*> PyBytes_AS_STRING(sizes)
    cdef double* box = <double*> PyBytes_AS_STRING(boxes)
    cdef double* ball = <double*> PyBytes_AS_STRING(balls)
    cdef Field sizes_of = asking(geoms, "size"), kind_of = asking(geoms, "type")
    for geom in geoms:
        given_size = value_of(sizes_of, geom)
        count = min(len(given_size), 3)
        size[0] = size[1] = size[2] = 0
        for place in range(count):
            size[place] = given_size[place]
        a, b, c = size[0], size[1], size[2]
        kind = value_of(kind_of, geom)
        ball[row] = 0
        low[0], low[1], low[2] = -a, -b, -c
        high[0], high[1], high[2] = a, b, c
        if kind == PLANE:
            low[0] = low[1] = low[2] = -DISTANT
            high[0] = high[1] = DISTANT
            high[2] = 0
        elif kind == SPHERE:
            low[1] = low[2] = -a
            high[1] = high[2] = ball[row] = a
        elif kind == CAPSULE:
            low[1], low[2] = -a, -(a + b)
            high[1], high[2] = a, a + b
            ball[row] = a + b
        elif kind == CYLINDER:
            low[1], low[2] = -a, -b
            high[1], high[2] = a, b
            ball[row] = sqrt(a * a + b * b)
        elif kind == ELLIPSOID:
            ball[row] = a
            if b > ball[row]:
                ball[row] = b
            if c > ball[row]:
                ball[row] = c
        elif kind == BOX:
            ball[row] = sqrt(a * a + b * b + c * c)
        for place in range(3):
            box[place] = (low[place] + high[place]) / 2
            box[3 + place] = (high[place] - low[place]) / 2
        size, box, row = size + 3, box + 6, row + 1
    return rows_over(sizes, DOUBLE, row, 3), rows_over(boxes, DOUBLE, row, 6), rows_over(balls, DOUBLE, row)


def values(parts, str field):
    """The unconverted values of a field."""
    if not parts:
        return ()
    cdef Field asked = asking(parts, field)
    return tuple([value_of(asked, part) for part in parts])


def places(nodes):
    """The locations of elements, as path:line:column; "" for None and for elements without a file."""
    return texts(*written(nodes))


def texts(list paths, list positions):
    """The locations, from the result of `written`."""
    cdef list found = []
    cdef long long position
    for path, at in zip(paths, positions):
        if at is None:
            found.append(path)
        else:
            position = at
            found.append(f"{path}:{position >> BITS}:{(position & MASK) + 1}")
    return tuple(found)


def having(parts, str field):
    """The parts whose field is true."""
    cdef Field asked = asking(parts, field)
    return [part for part in parts if value_of(asked, part)]


def repeated(values, Py_ssize_t count):
    """A column of doubles of which all rows are the same, (n, width)."""
    cdef Py_ssize_t row, width = len(values)
    cdef Py_ssize_t[2] shape = [count, width]
    whole = PyBytes_FromStringAndSize(NULL, count * width * sizeof(double))
    cdef double* numbers = <double*> PyBytes_AS_STRING(whole)
    for row in range(count):
        _row(values, numbers + row * width, width)
    return array_over(DOUBLE, 2, shape, whole)


def written(nodes):
    """The data from which the locations of elements are computed, without references to the elements: for
    each the path and the position, or the complete location and None.
    """
    cdef list paths = [], positions = []
    cdef PyObject* source
    cdef PyObject* at
    cdef PyObject* last = NULL
    path = None
    for node in nodes:
        if node is None:
            paths.append("")
            positions.append(None)
            continue
        if SOURCE < 0 or POSITION < 0 or not PyObject_TypeCheck(node, element):  # such as a part of a model directive
            paths.append(node.place)
            positions.append(None)
            continue
        source, at = slot_at(<PyObject*> node, SOURCE)[0], slot_at(<PyObject*> node, POSITION)[0]
        if source == NULL or source == <PyObject*> None or at == NULL or at == <PyObject*> None:
            paths.append("")
            positions.append(None)
            continue
        if source != last:  # the elements keep it alive
            last, path = source, (<object> source).path
        paths.append(path)
        positions.append(<object> at)
    return paths, positions


def named_rows(list parts, Py_ssize_t begin, dict found):
    """Add the rows of parts, from ``begin`` on, by their ``instance`` and ``name``; earlier ones of that name
    remain.
    """
    cdef Field instance = asking(parts, "instance"), name = asking(parts, "name")
    cdef Py_ssize_t row = begin
    for part in parts:
        found.setdefault((value_of(instance, part), value_of(name, part)), row)
        row += 1


def numbered(parts):
    """The row of each part."""
    cdef dict found = {}
    cdef Py_ssize_t row = 0
    for part in parts:
        found[part] = row
        row += 1
    return found


def depth_first(bodies, world):
    """The world and all its descendants, parents before children, siblings in their order; and the row of the
    parent of each, (n,); the world's is 0.
    """
    cdef Field parent_of = asking(bodies, "parent")
    cdef dict children = {}
    cdef list found = [], todo = [world], own
    cdef Py_ssize_t row, count = 0
    whole = PyBytes_FromStringAndSize(NULL, (len(bodies) + 1) * sizeof(int32_t))
    cdef int32_t* parents = <int32_t*> PyBytes_AS_STRING(whole)
    cdef list rows = [0]  # of the parents of those to do
    for body in bodies:
        parent = value_of(parent_of, body)
        if parent is None:
            parent = world
        own = children.get(parent)
        if own is None:
            own = children[parent] = []
        own.append(body)
    while todo:
        body, row = todo.pop(), rows.pop()
        if count > len(bodies):
            raise ValueError("a body is its own ancestor")
        parents[count] = <int32_t> row
        found.append(body)
        own = children.get(body)
        if own is not None:
            own.reverse()
            todo.extend(own)
            rows.extend([count] * len(own))
        count += 1
    return found, rows_over(whole, INTEGER, count)


def owners(parts, str field):
    """The row of the owner of each part in a field of parts, (n,)."""
    cdef Field asked = asking(parts, field)
    cdef list counts = [len(value_of(asked, part)) for part in parts]
    cdef Py_ssize_t row = 0, count, every = sum(counts)
    whole = PyBytes_FromStringAndSize(NULL, every * sizeof(int32_t))
    cdef int32_t* numbers = <int32_t*> PyBytes_AS_STRING(whole)
    for count in counts:
        for _ in range(count):
            numbers[0] = <int32_t> row
            numbers += 1
        row += 1
    return rows_over(whole, INTEGER, every)


def flattened(parts, str field):
    """The parts in a field of all parts, concatenated."""
    cdef Field asked = asking(parts, field)
    cdef list found = []
    for part in parts:
        found.extend(value_of(asked, part))
    return found


cdef Field asking(parts, str name):
    """A field of parts, which mostly are of one class."""
    cdef Field found
    if not parts:
        return Field(name)
    key = type(parts[0]), name
    found = fields.get(key)
    if found is None:
        found = fields.setdefault(key, Field(name))
    return found


cdef bytes _buffer(parts, Py_ssize_t size):
    """Uninitialised bytes for one row per part."""
    return PyBytes_FromStringAndSize(NULL, len(parts) * size)


cdef object _flat(list values):
    cdef Py_ssize_t row = 0
    whole = _buffer(values, sizeof(double))
    cdef double* numbers = <double*> PyBytes_AS_STRING(whole)
    for value in values:
        numbers[row] = value
        row += 1
    return rows_over(whole, DOUBLE, row)


cdef int _row(value, double* numbers, Py_ssize_t width) except -1:
    """Store the numbers of a sequence.

    Raises:
        ValueError: it has another length.
    """
    cdef Py_ssize_t place
    fast = PySequence_Fast(value, "a column's row is a sequence")
    if PySequence_Fast_GET_SIZE(fast) != width:
        raise ValueError(f"{value!r} does not have {width} numbers")
    cdef PyObject** items = PySequence_Fast_ITEMS(fast)
    for place in range(width):
        numbers[place] = <object> items[place]
    return 0
