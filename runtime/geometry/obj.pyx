# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Wavefront OBJ files: vertices, normals, texture coordinates, and faces with any number of corners, split
into triangles.

Lines of other kinds (materials, smoothing groups, lines, points, curves) are skipped.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from polybody.geometry.errors import GeometryError
from polybody.geometry.triangles import limit

cdef extern from "Python.h":
    double PyOS_string_to_double(const char* text, char** end, object overflow) except? -1.0

cdef double[23] TENS
cdef int _power
TENS[0] = 1
for _power in range(1, 23):
    TENS[_power] = TENS[_power - 1] * 10

cdef float NEAR = 1.1920929e-07, HALF = 0.5

cdef enum Kind:
    OTHER, VERTEX, NORMAL, TEXCOORD, FACE, SHAPE

cdef struct Cursor:
    const char* at
    const char* end
    Py_ssize_t line


cdef inline bint _blank(char c) noexcept:
    return c == 32 or c == 9


cdef inline bint _ends(const char* at, const char* end) noexcept:
    return at >= end or at[0] == 10 or at[0] == 13


cdef inline void _skip(Cursor* c) noexcept:
    while c.at < c.end and _blank(c.at[0]):
        c.at += 1


cdef bint _next_line(Cursor* c) noexcept:
    """Move to the start of the next line; False if there is none."""
    while not _ends(c.at, c.end):
        c.at += 1
    if c.at < c.end and c.at[0] == 13:
        c.at += 1
        if c.at < c.end and c.at[0] == 10:
            c.at += 1
    elif c.at < c.end:
        c.at += 1
    c.line += 1
    return c.at < c.end


cdef Kind _kind(Cursor* c) noexcept:
    """What a line declares; moves the cursor past the keyword."""
    _skip(c)
    cdef Py_ssize_t left = c.end - c.at
    if left < 2:
        return OTHER
    cdef char first = c.at[0], second = c.at[1]
    cdef bint longer = left > 2 and _blank(c.at[2])
    if first == b"v" and _blank(second):
        c.at += 1
        return VERTEX
    if first == b"f" and _blank(second):
        c.at += 1
        return FACE
    if first == b"v" and longer and (second == b"n" or second == b"t"):
        c.at += 2
        return NORMAL if second == b"n" else TEXCOORD
    if (first == b"g" or first == b"o") and _blank(second):
        return SHAPE
    return OTHER


cdef object _wrong(Cursor* c, str what):
    return GeometryError(f"{what} in line {c.line}", line=c.line)


cdef str _word(Cursor* c):
    cdef const char* stop = c.at
    while not _ends(stop, c.end) and not _blank(stop[0]) and stop - c.at < 24:
        stop += 1
    return (<bytes> c.at[:stop - c.at]).decode("ascii", "replace")


cdef double _number(Cursor* c) except? -7.25:
    """Read the number at the cursor."""
    _skip(c)
    cdef const char* at = c.at
    cdef uint64_t digits = 0
    cdef int exponent = 0, count = 0, given = 0, any_digit = 0
    cdef bint minus = False, minus_exponent = False
    cdef double value
    cdef char* stop
    if at < c.end and (at[0] == b"-" or at[0] == b"+"):
        minus = at[0] == b"-"
        at += 1
    while at < c.end and 48 <= at[0] <= 57:
        if count < 19:
            digits = digits * 10 + <uint64_t> (at[0] - 48)
            count += digits != 0
        else:
            exponent += 1
        any_digit = 1
        at += 1
    if at < c.end and at[0] == b".":
        at += 1
        while at < c.end and 48 <= at[0] <= 57:
            if count < 19:
                digits = digits * 10 + <uint64_t> (at[0] - 48)
                count += digits != 0
                exponent -= 1
            any_digit = 1
            at += 1
    if any_digit and at < c.end and (at[0] == b"e" or at[0] == b"E"):
        at += 1
        if at < c.end and (at[0] == b"-" or at[0] == b"+"):
            minus_exponent = at[0] == b"-"
            at += 1
        any_digit = 0
        while at < c.end and 48 <= at[0] <= 57:
            given = given * 10 + (at[0] - 48) if given < 10000 else given
            any_digit = 1
            at += 1
        exponent += -given if minus_exponent else given
    if not any_digit or not (_ends(at, c.end) or _blank(at[0])):
        raise _wrong(c, f"has `{_word(c)}` where a number is expected")
    if count < 19 and digits <= <uint64_t> 1 << 53 and -22 <= exponent <= 22:
        value = digits * TENS[exponent] if exponent >= 0 else digits / TENS[-exponent]
        value = -value if minus else value
    else:
        value = PyOS_string_to_double(c.at, &stop, OverflowError)  # at the same position, as checked
                                                                   # above
    c.at = at
    return value


cdef int _numbers(Cursor* c, float[:, ::1] rows, Py_ssize_t row, int least) except -1:
    """Read a row of numbers; the last one is optional (0), and further ones are ignored."""
    cdef int k
    cdef double value
    for k in range(rows.shape[1]):
        _skip(c)
        if _ends(c.at, c.end) or c.at[0] == b"#":
            if k < least:
                raise _wrong(c, f"has {k} coordinates where {rows.shape[1]} are expected")
            rows[row, k] = 0
            continue
        try:
            value = _number(c)
        except OverflowError:
            raise _wrong(c, f"has the number {_word(c)}, which is too large,") from None
        if not -3.4e38 < value < 3.4e38:
            raise _wrong(c, f"has the number {value}, which is too large,")
        rows[row, k] = <float> value
    return 0


cdef int32_t _index(Cursor* c, Py_ssize_t count) except -2:
    """Convert an index from 1, or from the end if negative, to one from 0; -1 if there is none."""
    cdef bint minus = False
    cdef int64_t value = 0
    cdef const char* start
    if c.at < c.end and (c.at[0] == b"-" or c.at[0] == b"+"):
        minus = c.at[0] == b"-"
        c.at += 1
    elif _ends(c.at, c.end) or _blank(c.at[0]) or c.at[0] == b"/":
        return -1
    start = c.at
    while c.at < c.end and 48 <= c.at[0] <= 57:
        if value < 1 << 40:
            value = value * 10 + (c.at[0] - 48)
        c.at += 1
    if c.at == start:
        raise _wrong(c, f"has `{_word(c)}` where a corner of a face is expected")
    if value == 0:
        raise _wrong(c, "has index 0, but indices start at 1,")
    value = count - value if minus else value - 1
    if value < 0 or value > 0x7FFFFFF0:
        raise _wrong(c, "has a face with an index that does not exist")
    return <int32_t> value


cdef int _corner(Cursor* c, const Py_ssize_t* counts, int32_t* corner) except -1:
    """The indices of vertex, texture coordinate and normal of a corner: a, a/b, a//c or a/b/c."""
    corner[1] = corner[2] = -1
    corner[0] = _index(c, counts[0])
    if corner[0] < 0:
        raise _wrong(c, f"has `{_word(c)}` where a corner of a face is expected")
    if c.at < c.end and c.at[0] == b"/":
        c.at += 1
        corner[1] = _index(c, counts[1])
        if c.at < c.end and c.at[0] == b"/":
            c.at += 1
            corner[2] = _index(c, counts[2])
    if not (_ends(c.at, c.end) or _blank(c.at[0])):
        raise _wrong(c, f"has `{_word(c)}` after a corner of a face")
    return 0


cdef tuple _counts(bytes data):
    """The numbers of vertices, texture coordinates, normals, faces and corners, as upper bounds."""
    cdef Cursor c = Cursor(PyBytes_AS_STRING(data), PyBytes_AS_STRING(data) + PyBytes_GET_SIZE(data), 1)
    cdef Py_ssize_t vertices = 0, texcoords = 0, normals = 0, faces = 0, corners = 0
    cdef Kind kind
    while c.at < c.end:
        kind = _kind(&c)
        vertices += kind == VERTEX
        texcoords += kind == TEXCOORD
        normals += kind == NORMAL
        if kind == FACE:
            faces += 1
            while not _ends(c.at, c.end):
                corners += _blank(c.at[0]) and c.at + 1 < c.end and not _blank(c.at[1])
                c.at += 1
        _next_line(&c)
    return vertices, texcoords, normals, faces, corners


def read(bytes data, bint all_shapes=False, bint comments=False, bint shorter=False):
    """Vertices, texture coordinates, normals, (n, 3 or 2) in 32 bits, and per triangle the rows of each, (n, 3).

    A row is -1 where a corner has no texture coordinate or normal.

    Args:
        data: the file's content.
        all_shapes: whether to read the faces of all groups and objects; otherwise only those of the first one
            that has faces.
        comments: whether a comment may follow a face on its line.
        shorter: whether faces of four corners are split along their shorter diagonal, as in MuJoCo 4.0, not
            as all others.

    Raises:
        GeometryError: a line cannot be read, with its number. Whether the indices exist is not checked here.
    """
    vertices_n, texcoords_n, normals_n, faces_n, corners_n = _counts(data)
    for count, what in ((vertices_n, "vertices"), (texcoords_n, "texture coordinates"), (normals_n, "normals"),
                        (corners_n // 3, "faces")):
        limit(count, what)
    vertices_array = np.empty((vertices_n, 3), dtype=np.float32)
    texcoords_array = np.empty((texcoords_n, 2), dtype=np.float32)
    normals_array = np.empty((normals_n, 3), dtype=np.float32)
    corners_array = np.empty((corners_n, 3), dtype=np.int32)
    starts_array = np.zeros(faces_n + 1, dtype=np.int64)
    cdef float[:, ::1] vertices = vertices_array, texcoords = texcoords_array, normals = normals_array
    cdef int32_t[:, ::1] corners = corners_array
    cdef int64_t[::1] starts = starts_array
    cdef Cursor c = Cursor(PyBytes_AS_STRING(data), PyBytes_AS_STRING(data) + PyBytes_GET_SIZE(data), 1)
    cdef Py_ssize_t[3] counts = [0, 0, 0]
    cdef Py_ssize_t faces = 0, found = 0, triangles = 0, size
    cdef bint over = False
    cdef Kind kind
    while c.at < c.end:
        kind = _kind(&c)
        if kind == VERTEX:
            _numbers(&c, vertices, counts[0], 3)
            counts[0] += 1
        elif kind == TEXCOORD:
            _numbers(&c, texcoords, counts[1], 1)
            counts[1] += 1
        elif kind == NORMAL:
            _numbers(&c, normals, counts[2], 3)
            counts[2] += 1
        elif kind == SHAPE:
            over = over or (triangles > 0 and not all_shapes)
        elif kind == FACE:
            found = starts[faces]
            while True:
                _skip(&c)
                if _ends(c.at, c.end) or (comments and c.at[0] == b"#"):
                    break
                _corner(&c, counts, &corners[found, 0])
                found += 1
            size = found - starts[faces]
            if size > 2 and not over:
                triangles += size - 2
                faces += 1
                starts[faces] = found
        _next_line(&c)
    return vertices_array, texcoords_array, normals_array, *_triangles(vertices, corners, starts[:faces + 1],
                                                                       triangles, shorter)


cdef long MAX_LOOKS = 1 << 29  # maximum number of corners examined while splitting faces: a few seconds


cdef tuple _triangles(float[:, ::1] vertices, int32_t[:, ::1] corners, int64_t[::1] starts, Py_ssize_t count,
                      bint shorter):
    """The rows of vertices, texture coordinates and normals, (n, 3) each, of faces split into triangles."""
    rows_array = np.empty((3, count, 3), dtype=np.int32)
    cdef int32_t[:, :, ::1] rows = rows_array
    cdef Py_ssize_t face, made = 0, k, j, size, i
    cdef long looks = MAX_LOOKS
    left_array = np.empty(max(np.diff(starts).max(initial=0), 1), dtype=np.int64)
    ears_array = np.empty((left_array.size, 3), dtype=np.int64)
    cdef int64_t[::1] left = left_array
    cdef int64_t[:, ::1] ears = ears_array
    for face in range(starts.shape[0] - 1):
        size = starts[face + 1] - starts[face]
        for k in range(size):
            left[k] = starts[face] + k
            if size > 3 and corners[left[k], 0] >= vertices.shape[0]:
                raise GeometryError(
                    f"has face {face} with vertex {corners[left[k], 0] + 1}; there are {vertices.shape[0]} vertices")
        if size == 3:
            for k in range(3):
                ears[0, k] = left[k]
            k = 1
        elif size == 4 and shorter:
            k = _halves(vertices, corners, left, ears)
        else:
            k = _ears(vertices, corners, left, size, ears, &looks)
            if looks <= 0:
                raise GeometryError(f"has face {face} of {size} corners, which takes too long to triangulate")
        for i in range(k):
            for j in range(3):
                rows[0, made, j] = corners[ears[i, j], 0]
                rows[1, made, j] = corners[ears[i, j], 1]
                rows[2, made, j] = corners[ears[i, j], 2]
            made += 1
    return tuple(np.ascontiguousarray(rows_array[:, :made]))


cdef Py_ssize_t _halves(float[:, ::1] vertices, int32_t[:, ::1] corners, int64_t[::1] left,
                        int64_t[:, ::1] ears) noexcept:
    """Split a polygon of four corners along the shorter diagonal, in single precision; returns 2."""
    cdef float first = _square(vertices, corners, left[0], left[2])
    cdef float second = _square(vertices, corners, left[1], left[3])
    cdef int[6] order = [0, 1, 2, 0, 2, 3]
    cdef int k
    if not first < second:
        order = [0, 1, 3, 1, 2, 3]
    for k in range(6):
        ears[k // 3, k % 3] = left[order[k]]
    return 2


cdef float _square(float[:, ::1] vertices, int32_t[:, ::1] corners, int64_t one, int64_t other) noexcept:
    """The squared distance of two corners."""
    cdef float* a = &vertices[corners[one, 0], 0]
    cdef float* b = &vertices[corners[other, 0], 0]
    cdef float x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2]
    return x * x + y * y + z * z


cdef Py_ssize_t _ears(float[:, ::1] vertices, int32_t[:, ::1] corners, int64_t[::1] left, Py_ssize_t size,
                      int64_t[:, ::1] ears, long* looks) noexcept:
    """Triangulate a polygon by ear clipping; returns the number of triangles.

    An ear is a triangle of three consecutive corners with the orientation of the polygon and no other corner
    inside. The search starts at the first corner, in the coordinate plane with the largest projection of the
    first nondegenerate corner. All computations are in single precision: for nearly collinear corners the
    triangles depend on it. A polygon without ears is not split further.
    """
    cdef int p = 1, q = 2
    cdef float x, y, z, area = 0, cross
    cdef const float* a
    cdef const float* b
    cdef const float* d
    cdef Py_ssize_t k, at = 0, made = 0, tries = size, before = size
    cdef bint inside
    for k in range(size):
        a = &vertices[corners[left[k], 0], 0]
        b = &vertices[corners[left[(k + 1) % size], 0], 0]
        d = &vertices[corners[left[(k + 2) % size], 0], 0]
        x = (b[1] - a[1]) * (d[2] - b[2]) - (b[2] - a[2]) * (d[1] - b[1])
        y = (b[2] - a[2]) * (d[0] - b[0]) - (b[0] - a[0]) * (d[2] - b[2])
        z = (b[0] - a[0]) * (d[1] - b[1]) - (b[1] - a[1]) * (d[0] - b[0])
        x, y, z = abs(x), abs(y), abs(z)
        if x > NEAR or y > NEAR or z > NEAR:
            if not (x > y and x > z):
                p = 0
                if z > x and z > y:
                    q = 1
            break
    for k in range(size):
        a = &vertices[corners[left[k], 0], 0]
        b = &vertices[corners[left[(k + 1) % size], 0], 0]
        area += (a[p] * b[q] - a[q] * b[p]) * HALF
    while size > 3 and tries > 0:
        if at >= size:
            at -= size
        if before != size:
            before = tries = size
        else:
            tries -= 1
        a = &vertices[corners[left[at], 0], 0]
        b = &vertices[corners[left[(at + 1) % size], 0], 0]
        d = &vertices[corners[left[(at + 2) % size], 0], 0]
        cross = (b[p] - a[p]) * (d[q] - b[q]) - (b[q] - a[q]) * (d[p] - b[p])
        inside = cross * area < 0
        k = 3
        while k < size and not inside:
            inside = _inside(a, b, d, &vertices[corners[left[(at + k) % size], 0], 0], p, q)
            k += 1
        looks[0] -= k
        if looks[0] <= 0:
            return made
        if inside:
            at += 1
            continue
        for k in range(3):
            ears[made, k] = left[(at + k) % size]
        made += 1
        for k in range((at + 1) % size, size - 1):
            left[k] = left[k + 1]
        size -= 1
    if size == 3:
        for k in range(3):
            ears[made, k] = left[k]
        made += 1
    return made


cdef inline bint _inside(const float* a, const float* b, const float* d, const float* point, int p, int q) noexcept:
    """Whether a ray from the point crosses the triangle's edges an odd number of times."""
    return _crosses(a, d, point, p, q) ^ _crosses(b, a, point, p, q) ^ _crosses(d, b, point, p, q)


cdef inline bint _crosses(const float* end, const float* start, const float* point, int p, int q) noexcept:
    return ((end[q] > point[q]) != (start[q] > point[q])
            and point[p] < (start[p] - end[p]) * (point[q] - end[q]) / (start[q] - end[q]) + end[p])
