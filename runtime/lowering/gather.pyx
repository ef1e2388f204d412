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

from polybody.base.source import COLUMN_BITS, COLUMN_MASK
from polybody.generated.model import ShapeType
from polybody.geometry.shapes import FAR

from polybody.base.fields cimport Field, value_of

cdef extern from "Python.h":
    object PySequence_Fast(object, const char*)
    Py_ssize_t PySequence_Fast_GET_SIZE(object)
    PyObject** PySequence_Fast_ITEMS(object)
    PyTypeObject* Py_TYPE(object) noexcept

cdef object ndarray = np.ndarray
cdef object DOUBLE = np.dtype(np.float64), SINGLE = np.dtype(np.float32)
cdef object INTEGER = np.dtype(np.int32), BYTE = np.dtype(np.uint8)
cdef double UNLIMITED = 1e10, ENDLESS = float("inf"), DISTANT = FAR
cdef int PLANE = ShapeType.plane, SPHERE = ShapeType.sphere, CAPSULE = ShapeType.capsule
cdef int CYLINDER = ShapeType.cylinder, ELLIPSOID = ShapeType.ellipsoid, BOX = ShapeType.box
cdef int BITS = COLUMN_BITS
cdef long long MASK = COLUMN_MASK
cdef Field SOURCE = Field("_source"), POSITION = Field("_position")
cdef dict fields = {}  # by the class of the parts and the name


def reals(parts, str field, Py_ssize_t width=0):
    """A column of doubles, (n, width), or (n,) for scalars."""
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
    shape = row, width
    return ndarray(shape if width else shape[:1], DOUBLE, whole)


def singles(parts, str field, Py_ssize_t width=0):
    """A column of 32-bit floats, (n, width), or (n,) for scalars."""
    wide = reals(parts, field, width)
    cdef Py_ssize_t place, count = wide.size
    whole = PyBytes_FromStringAndSize(NULL, count * sizeof(float))
    cdef float* numbers = <float*> PyBytes_AS_STRING(whole)
    cdef const double* exact = <const double*> PyBytes_AS_STRING(wide.base)
    for place in range(count):
        numbers[place] = <float> exact[place]
    return ndarray(wide.shape, SINGLE, whole)


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
    shape = row, width
    return ndarray(shape if width else shape[:1], INTEGER, whole)


def flags(parts, str field):
    """A column of flags as bytes, (n,)."""
    cdef Field asked = asking(parts, field)
    cdef Py_ssize_t row = 0
    whole = _buffer(parts, 1)
    cdef uint8_t* numbers = <uint8_t*> PyBytes_AS_STRING(whole)
    for part in parts:
        numbers[row] = 1 if value_of(asked, part) else 0
        row += 1
    return ndarray((row,), BYTE, whole)


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
    return ndarray((row,), DOUBLE, whole) if any_given else None


def units(parts, str field):
    """A column of unit quaternions, (n, 4): the parts' quaternions, normalised.

    Raises:
        ValueError: one is zero, NaN or infinite.
    """
    found = reals(parts, field, 4)
    cdef Py_ssize_t row, place
    cdef double greatest, length
    cdef double* quat = <double*> PyBytes_AS_STRING(found.base)
    for row in range(len(parts)):
        if quat[0] != 1 or quat[1] != 0 or quat[2] != 0 or quat[3] != 0:
            greatest = 0
            for place in range(4):
                if not isfinite(quat[place]):
                    raise ValueError(f"{found[row].tolist()} is not a rotation")
                greatest = max(greatest, fabs(quat[place]))
            if greatest == 0:
                raise ValueError(f"{found[row].tolist()} is not a rotation")
            for place in range(4):
                quat[place] /= greatest  # avoids overflow of the squares
            length = sqrt((quat[0] * quat[0] + quat[2] * quat[2]) + (quat[1] * quat[1] + quat[3] * quat[3]))
            for place in range(4):
                quat[place] /= length
        quat += 4
    return found


def ranges(parts, str field):
    """Whether parts have bounds, (n,), and the bounds, (n, 2).

    An infinite bound is replaced by a large number if the other one is finite; None, and two infinite bounds,
    mean no bounds.
    """
    cdef Field asked = asking(parts, field)
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
                flag[row] = 1
                for place in range(2):
                    if pair[place] < -UNLIMITED:
                        number[2 * row + place] = -UNLIMITED
                    else:
                        number[2 * row + place] = UNLIMITED if pair[place] > UNLIMITED else pair[place]
        row += 1
    return ndarray((row,), BYTE, limited), ndarray((row, 2), DOUBLE, bounds)


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
    cdef list found = []
    cdef list numbers = counts if type(counts) is list else list(counts)
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
    whole, moments, axes = (_buffer(parts, n * sizeof(double)) for n in (9, 3, 4))
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
    inertia = ndarray((row, 3, 3), DOUBLE, whole)
    if not plain:
        return inertia, None, None
    return inertia, ndarray((row, 3), DOUBLE, moments), ndarray((row, 4), DOUBLE, axes)


def extents(geoms):
    """Sizes (n, 3), bounding boxes (n, 6: centre and half widths), and radii of bounding spheres about the
    origin (n,) of shapes, m; see `polybody.geometry.bounds`.
    """
    cdef Py_ssize_t row = 0, place, count
    cdef int kind
    cdef double a, b, c
    cdef double low[3]
    cdef double high[3]
    sizes, boxes, balls = (_buffer(geoms, n * sizeof(double)) for n in (3, 6, 1))
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
    return ndarray((row, 3), DOUBLE, sizes), ndarray((row, 6), DOUBLE, boxes), ndarray((row,), DOUBLE, balls)


def values(parts, str field):
    """The unconverted values of a field."""
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


def written(nodes):
    """The data from which the locations of elements are computed, without references to the elements: for
    each the path and the position, or the complete location and None.
    """
    cdef Field source_of = SOURCE, position_of = POSITION
    cdef list paths = [], positions = []
    cdef PyTypeObject* known = NULL
    last = path = None
    for node in nodes:
        if node is None:
            paths.append("")
            positions.append(None)
            continue
        if Py_TYPE(node) != known:
            if not hasattr(node, "_source"):  # part of a model directive
                paths.append(node.place)
                positions.append(None)
                continue
            known = Py_TYPE(node)
        source, at = value_of(source_of, node), value_of(position_of, node)
        if source is None or at is None:
            paths.append("")
            positions.append(None)
            continue
        if source is not last:
            last, path = source, source.path
        paths.append(path)
        positions.append(at)
    return paths, positions


def numbered(parts):
    """The row of each part."""
    cdef dict found = {}
    cdef Py_ssize_t row = 0
    for part in parts:
        found[part] = row
        row += 1
    return found


def depth_first(bodies, world):
    """The world and all its descendants, parents before children, siblings in their order."""
    cdef Field parent_of = asking(bodies, "parent")
    cdef dict children = {}
    cdef list found = [], todo = [world], own
    for body in bodies:
        parent = value_of(parent_of, body)
        if parent is None:
            parent = world
        own = children.get(parent)
        if own is None:
            own = children[parent] = []
        own.append(body)
    while todo:
        body = todo.pop()
        found.append(body)
        own = children.get(body)
        if own is not None:
            own.reverse()
            todo.extend(own)
    return found


def owners(parts, str field):
    """The row of the owner of each part in a field of parts, (n,)."""
    cdef Field asked = asking(parts, field)
    cdef list found = []
    cdef Py_ssize_t row = 0, place
    for part in parts:
        for place in range(len(value_of(asked, part))):
            found.append(row)
        row += 1
    cdef Py_ssize_t count = len(found)
    whole = PyBytes_FromStringAndSize(NULL, count * sizeof(int32_t))
    cdef int32_t* numbers = <int32_t*> PyBytes_AS_STRING(whole)
    for place in range(count):
        numbers[place] = found[place]
    return ndarray((count,), INTEGER, whole)


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
    return ndarray((row,), DOUBLE, whole)


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
