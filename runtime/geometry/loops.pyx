# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Loops over the vertices and faces of meshes whose result depends on the order of the operations.

Products of differences of vertices are 64-bit. Differences and means of 32-bit vertices are rounded to 32 bits, as in
MuJoCo 3.2.7; those of 64-bit ones are not, as in MuJoCo 4.0. So mass properties agree with MuJoCo's to rounding. The
caller checks indices.
"""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

import numpy as np

ctypedef fused Real:
    float
    double

cdef double SMALL = 1e-15  # limit for the norm of the cross product of two edges: a face below it has no area
cdef double LEAST = 1e-7  # limit for twice an area, or a sum of such, m^2: a smaller one has no direction


def merge_vertices(const float[:, ::1] corners):
    """The distinct points of an (n, 3) array: the first row of each, (m,), and the index of the point of each
    row, (n,).

    Two points are the same if they are bitwise equal, apart from the sign of zero.
    """
    cdef Py_ssize_t count = corners.shape[0], row, found = 0
    cdef uint64_t size = 16, slot, mask
    cdef int32_t known
    while size < 2 * <uint64_t> count:
        size *= 2
    mask = size - 1
    table_array = np.full(size, -1, dtype=np.int32)
    first_array, index_array = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    cdef int32_t[::1] table = table_array, first = first_array, index = index_array
    cdef float x, y, z
    with nogil:
        for row in range(count):
            x, y, z = corners[row, 0], corners[row, 1], corners[row, 2]
            slot = _hash(x, y, z) & mask
            while True:
                known = table[slot]
                if known < 0:
                    table[slot] = first[found] = <int32_t> row
                    index[row] = <int32_t> found
                    found += 1
                    break
                if corners[known, 0] == x and corners[known, 1] == y and corners[known, 2] == z:
                    index[row] = index[known]
                    break
                slot = (slot + 1) & mask
    return first_array[:found].copy(), index_array


cdef inline uint64_t _hash(float x, float y, float z) noexcept nogil:
    cdef uint32_t a, b, c
    x, y, z = x + 0, y + 0, z + 0  # -0 becomes 0
    a, b, c = (<uint32_t*> &x)[0], (<uint32_t*> &y)[0], (<uint32_t*> &z)[0]
    cdef uint64_t mixed = a * <uint64_t> 0x9E3779B97F4A7C15
    mixed = (mixed ^ (mixed >> 29) ^ b) * <uint64_t> 0xBF58476D1CE4E5B9
    mixed = (mixed ^ (mixed >> 32) ^ c) * <uint64_t> 0x94D049BB133111EB
    return mixed ^ (mixed >> 31)


cdef inline double _face(const Real* a, const Real* b, const Real* c, double* normal) noexcept nogil:
    """The area of a triangle and its unit normal; both zero if it is degenerate."""
    cdef double u[3]
    cdef double v[3]
    cdef double length
    cdef int k
    for k in range(3):
        u[k] = b[k] - a[k]
        v[k] = c[k] - a[k]
    normal[0] = u[1] * v[2] - u[2] * v[1]
    normal[1] = u[2] * v[0] - u[0] * v[2]
    normal[2] = u[0] * v[1] - u[1] * v[0]
    length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2])
    if length < SMALL:
        normal[0] = normal[1] = normal[2] = 0
        return 0
    for k in range(3):
        normal[k] /= length
    return length / 2


def centroid(const Real[:, ::1] vertices, const int32_t[:, ::1] faces):
    """The mean of the faces' centroids weighted by area, (3,), and the total area."""
    cdef Py_ssize_t row
    cdef double area, total = 0
    cdef double normal[3]
    cdef const Real* corner[3]
    cdef int k
    result = np.zeros(3)
    cdef double[::1] sums = result
    with nogil:
        for row in range(faces.shape[0]):
            for k in range(3):
                corner[k] = &vertices[faces[row, k], 0]
            area = _face(corner[0], corner[1], corner[2], normal)
            total += area
            for k in range(3):
                sums[k] += area * ((corner[0][k] + corner[1][k] + corner[2][k]) / <Real> 3)
    if total > 0:
        result /= total
    return result, total


SIGNED, ABSOLUTE, AREA = 0, 1, 2


def weight_and_centre(const Real[:, ::1] vertices, const int32_t[:, ::1] faces, const double[::1] apex, int kind):
    """The volume (or area) of a mesh and its centroid, (3,), as the sum of the pyramids from an apex to the faces.

    kind: SIGNED or ABSOLUTE volumes of the pyramids, or AREA: the areas of the faces instead.
    """
    cdef Py_ssize_t row
    cdef double weight, total = 0
    cdef double normal[3]
    cdef double middle[3]
    cdef const Real* corner[3]
    cdef int k
    result = np.zeros(3)
    cdef double[::1] sums = result
    with nogil:
        for row in range(faces.shape[0]):
            for k in range(3):
                corner[k] = &vertices[faces[row, k], 0]
            weight = _face(corner[0], corner[1], corner[2], normal)
            for k in range(3):
                middle[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / <Real> 3
            if kind != 2:
                weight = ((middle[0] - apex[0]) * normal[0] + (middle[1] - apex[1]) * normal[1]
                          + (middle[2] - apex[2]) * normal[2]) * weight / 3
                if kind == 1:
                    weight = fabs(weight)
            total += weight
            for k in range(3):
                sums[k] += weight * (middle[k] * 3 / 4 + apex[k] / 4)
    if total != 0:
        result /= total
    return total, result


def weight_and_products(const Real[:, ::1] vertices, const int32_t[:, ::1] faces, double density, int kind):
    """Volume (or area), and density times the integrals of xx, yy, zz, xy, xz, yz, (6,), about the origin."""
    cdef Py_ssize_t row
    cdef double weight, total = 0
    cdef double normal[3]
    cdef double middle[3]
    cdef const Real* corner[3]
    cdef const Real* d
    cdef const Real* e
    cdef const Real* f
    cdef Real bracket, two = 2
    cdef int[6] left = [0, 1, 2, 0, 0, 1]
    cdef int[6] right = [0, 1, 2, 1, 2, 2]
    cdef int k, p, q
    result = np.zeros(6)
    cdef double[::1] sums = result
    cdef double parts = 12 if kind == 2 else 20
    with nogil:
        for row in range(faces.shape[0]):
            for k in range(3):
                corner[k] = &vertices[faces[row, k], 0]
            d, e, f = corner[0], corner[1], corner[2]
            weight = _face(d, e, f, normal)
            if kind != 2:
                for k in range(3):
                    middle[k] = (d[k] + e[k] + f[k]) / <Real> 3
                weight = (middle[0] * normal[0] + middle[1] * normal[1] + middle[2] * normal[2]) * weight / 3
                if kind == 1:
                    weight = fabs(weight)
            total += weight
            for k in range(6):
                p, q = left[k], right[k]
                bracket = (two * (d[p] * d[q] + e[p] * e[q] + f[p] * f[q]) + d[p] * e[q] + d[q] * e[p]
                           + d[p] * f[q] + d[q] * f[p] + e[p] * f[q] + e[q] * f[p])
                sums[k] += density * weight / parts * bracket
    return total, result


def vertex_normals(const Real[:, ::1] vertices, const int32_t[:, ::1] faces, bint smooth):
    """Normals of the vertices, (n, 3), not normalised: the sums of the adjacent faces' normals times twice
    their areas.

    Faces of less than 5e-8 m^2 are skipped; unless `smooth`, so are those whose normal has a cosine below 0.8
    with the sum.
    """
    cdef Py_ssize_t row, n = vertices.shape[0]
    cdef double double_area, length, cosine
    cdef double normal[3]
    cdef double mean[3]
    cdef int32_t at
    cdef int k, c
    sum_array = np.zeros((n, 3), dtype=np.float32)
    cdef float[:, ::1] sums = sum_array
    with nogil:
        for row in range(faces.shape[0]):
            double_area = 2 * _face(&vertices[faces[row, 0], 0], &vertices[faces[row, 1], 0], &vertices[faces[row, 2], 0], normal)
            if double_area < LEAST:
                continue
            for c in range(3):
                at = faces[row, c]
                for k in range(3):
                    sums[at, k] = <float> (sums[at, k] + normal[k] * double_area)
    if smooth:
        return sum_array
    away_array = np.zeros((n, 3), dtype=np.float32)
    cdef float[:, ::1] away = away_array
    with nogil:
        for row in range(faces.shape[0]):
            double_area = 2 * _face(&vertices[faces[row, 0], 0], &vertices[faces[row, 1], 0], &vertices[faces[row, 2], 0], normal)
            if double_area < LEAST:
                continue
            for c in range(3):
                at = faces[row, c]
                for k in range(3):
                    mean[k] = sums[at, k]
                length = sqrt(mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2])
                cosine = 0
                if length >= LEAST:
                    for k in range(3):
                        mean[k] /= length
                    cosine = normal[0] * mean[0] + normal[1] * mean[1] + normal[2] * mean[2]
                if cosine < 0.8:
                    for k in range(3):
                        away[at, k] = <float> (away[at, k] + normal[k] * double_area)
    sum_array -= away_array
    return sum_array


def orient(const float[:, ::1] points, const int32_t[:, ::1] facets, const int32_t[:, ::1] beside,
           const double[:, ::1] planes):
    """Facets of a hull, (m, 3), oriented counterclockwise as seen from outside; degenerate ones consistently
    with their neighbours.

    Args:
        points: (n, 3), indexed by the facets.
        facets: (m, 3), in any orientation.
        beside: (m, 3), the facets opposite to the corners.
        planes: (m, 4); the first three columns are outward normals.
    """
    cdef Py_ssize_t row, count = facets.shape[0], other, left = 0, before
    cdef double[3] u
    cdef double[3] v
    cdef double along, scale
    cdef const float* a
    cdef const float* b
    cdef const float* c
    cdef int k
    result = np.empty((count, 3), dtype=np.int32)
    state_array = np.empty(count, dtype=np.int8)  # 0 as listed, 1 swapped, -1 unknown
    cdef int32_t[:, ::1] faces = result
    cdef signed char[::1] state = state_array
    with nogil:
        for row in range(count):
            a, b, c = &points[facets[row, 0], 0], &points[facets[row, 1], 0], &points[facets[row, 2], 0]
            for k in range(3):
                u[k] = <double> b[k] - a[k]
                v[k] = <double> c[k] - a[k]
            along = ((u[1] * v[2] - u[2] * v[1]) * planes[row, 0] + (u[2] * v[0] - u[0] * v[2]) * planes[row, 1]
                     + (u[0] * v[1] - u[1] * v[0]) * planes[row, 2])
            scale = sqrt((u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]))
            state[row] = -1 if fabs(along) <= 1e-9 * scale else along < 0
            left += state[row] < 0
        before = left + 1
        while 0 < left < before:
            before = left
            for row in range(count):
                if state[row] >= 0:
                    continue
                for k in range(3):
                    other = beside[row, k]
                    if state[other] >= 0:
                        state[row] = state[other] ^ _alike(facets, row, other, k)
                        left -= 1
                        break
        for row in range(count):
            k = state[row] > 0
            faces[row, 0], faces[row, 1], faces[row, 2] = facets[row, k], facets[row, 1 - k], facets[row, 2]
    return result


cdef inline bint _alike(const int32_t[:, ::1] facets, Py_ssize_t row, Py_ssize_t other, int opposite) noexcept nogil:
    """Whether two facets run in the same direction along the edge opposite to a corner of the first."""
    cdef int32_t start = facets[row, (opposite + 1) % 3], end = facets[row, (opposite + 2) % 3]
    cdef int k
    for k in range(3):
        if facets[other, k] == start:
            return facets[other, (k + 1) % 3] == end
    return False


def adjacency(const int32_t[:, ::1] facets, Py_ssize_t count):
    """The start of the neighbours of each vertex, (count,), and the neighbours in the order of the facets,
    (count + 3 m,).

    Each list is terminated by -1. The facets, (m, 3), form a closed surface: each vertex has as many
    neighbours as facets.
    """
    cdef Py_ssize_t row, at, start
    cdef int i, j
    cdef int32_t one, other
    offset_array = np.zeros(count, dtype=np.int32)
    result = np.full(count + 3 * facets.shape[0], -1, dtype=np.int32)
    cdef int32_t[::1] offsets = offset_array, neighbours = result
    degrees = np.bincount(np.asarray(facets).ravel(), minlength=count) + 1
    offset_array[1:] = np.cumsum(degrees)[:-1]
    if offset_array.size and degrees.sum() != result.size:
        raise ValueError("the facets are not those of a closed surface")
    cdef int64_t[::1] most = degrees.astype(np.int64)
    with nogil:
        for row in range(facets.shape[0]):
            for i in range(3):
                one = facets[row, i]
                start = offsets[one]
                for j in range(3):
                    other = facets[row, j]
                    if other == one:
                        continue
                    at = start
                    while at < start + most[one] - 1 and neighbours[at] >= 0 and neighbours[at] != other:
                        at += 1
                    if at < start + most[one] - 1:
                        neighbours[at] = other
    return offset_array, result


def order_of_vertices(const int32_t[:, ::1] facets, const double[:, ::1] planes, Py_ssize_t count):
    """The vertices of a hull in the order in which Qhull last used them, (n,). count: the number of all
    points.

    Facets are listed in the order of their creation. Those created for one new point have it as their first
    corner. Facets with more than three corners are split into triangles of the same plane at the very end.
    """
    cdef Py_ssize_t row, total = facets.shape[0], step = 0, found = 0
    cdef int k
    cdef int32_t vertex
    cdef bint cut, before = False
    step_array = np.empty(total, dtype=np.int64)
    last_array = np.full(count, -1, dtype=np.int64)
    cdef int64_t[::1] steps = step_array, last = last_array
    cdef int32_t[::1] vertices
    for row in range(total):
        cut = row + 1 < total and _one_plane(planes, row, row + 1)
        if cut or before:
            steps[row] = total + 1
        else:
            step += row == 0 or facets[row, 0] != facets[row - 1, 0]
            steps[row] = step
        before = cut
        for k in range(3):
            vertex = facets[row, k]
            found += last[vertex] < 0
            if steps[row] > last[vertex]:
                last[vertex] = steps[row]
    # Steps increase with the rows, except that those of split facets come last.
    result = np.empty(found, dtype=np.int32)
    vertices = result
    found = 0
    for step in range(2):
        for row in range(total):
            if (steps[row] > total) != step:
                continue
            for k in range(3):
                vertex = facets[row, k]
                if last[vertex] == steps[row]:
                    last[vertex] = -1
                    vertices[found] = vertex
                    found += 1
    return result


cdef inline bint _one_plane(const double[:, ::1] planes, Py_ssize_t one, Py_ssize_t other) noexcept nogil:
    cdef int k
    for k in range(4):
        if planes[one, k] != planes[other, k]:
            return False
    return True


cdef int WORDS = 312, AHEAD = 156


def random_marks(Py_ssize_t count, double share):
    """A random subset of points, (count,) bool: those whose random number, from 0 to 1, is below `share`.

    The numbers are those of the 64-bit Mersenne Twister (Nishimura, Tables of 64-bit Mersenne Twisters, ACM
    TOMACS 10, 2000) with seed 42, divided by 2^64, as in MuJoCo.
    """
    cdef uint64_t[312] state
    cdef uint64_t x
    cdef int k, at = WORDS
    cdef Py_ssize_t point
    result = np.empty(count, dtype=np.bool_)
    cdef unsigned char[::1] marks = result.view(np.uint8)
    state[0] = 42
    for k in range(1, WORDS):
        state[k] = <uint64_t> 6364136223846793005 * (state[k - 1] ^ (state[k - 1] >> 62)) + <uint64_t> k
    with nogil:
        for point in range(count):
            if at == WORDS:
                for k in range(WORDS - AHEAD):
                    state[k] = state[k + AHEAD] ^ _twisted(state[k], state[k + 1])
                for k in range(WORDS - AHEAD, WORDS - 1):
                    state[k] = state[k + AHEAD - WORDS] ^ _twisted(state[k], state[k + 1])
                state[WORDS - 1] = state[AHEAD - 1] ^ _twisted(state[WORDS - 1], state[0])
                at = 0
            x = state[at]
            at += 1
            x ^= (x >> 29) & <uint64_t> 0x5555555555555555
            x ^= (x << 17) & <uint64_t> 0x71D67FFFEDA60000
            x ^= (x << 37) & <uint64_t> 0xFFF7EEE000000000
            x ^= x >> 43
            marks[point] = <double> x * 5.421010862427522e-20 < share  # by 2^64
    return result


cdef inline uint64_t _twisted(uint64_t high, uint64_t low) noexcept nogil:
    """The upper bits of one word and the lower ones of the next, shifted, and mixed if the last bit is set."""
    cdef uint64_t x = (high & <uint64_t> 0xFFFFFFFF80000000) | (low & <uint64_t> 0x7FFFFFFF)
    return (x >> 1) ^ (<uint64_t> 0xB5026F5AA96619E9 & -(x & 1))


def mixed(const double[:, ::1] place, const double[::1] one, const double[::1] two):
    """Two colours blended by a position from -1 (two) to 1 (one), on an S-shaped curve: (n, m, 3) bytes,
    truncated.
    """
    cdef Py_ssize_t rows = place.shape[0], columns = place.shape[1], row, column
    cdef double at, share, value
    cdef int k
    result = np.empty((rows, columns, 3), dtype=np.uint8)
    cdef unsigned char[:, :, ::1] found = result
    with nogil:
        for row in range(rows):
            for column in range(columns):
                at = place[row, column]
                share = 0.5 * (1 + at / sqrt(1 + at * at) / (1 / sqrt(2.0)))
                if share < 0:
                    share = 0
                elif share > 1:
                    share = 1
                for k in range(3):
                    value = 255 * (share * one[k] + (1 - share) * two[k])
                    if value >= 255:
                        found[row, column, k] = 255
                    elif value >= 0:
                        found[row, column, k] = <unsigned char> value
                    else:  # also if NaN
                        found[row, column, k] = 0
    return result
