# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Loops over the vertices and faces of meshes whose result depends on the order of the operations.

Vertices are 32-bit. Differences and means of them are rounded to 32 bits, products of differences are 64-bit, as in
MuJoCo, so that mass properties agree with MuJoCo's to rounding. Indices must have been checked.
"""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

import numpy as np

cdef double SMALL = 1e-15  # of the cross product of two edges: such a face has no area
cdef double LEAST = 1e-7  # of twice an area, or a sum of such, m^2: what is smaller gives no direction


def merge_vertices(const float[:, ::1] corners):
    """The distinct points of an (n, 3) array: in which row each is first, (m,), and which of them a row is, (n,).

    Two points are the same if they are equal in every bit, 0 and -0 apart.
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


cdef inline double _face(const float* a, const float* b, const float* c, double* normal) noexcept nogil:
    """The area of a triangle, and its unit normal; both zero where it has none."""
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


def centroid(const float[:, ::1] vertices, const int32_t[:, ::1] faces):
    """The mean of the faces' centroids weighted by area, (3,), and the whole area."""
    cdef Py_ssize_t row
    cdef double area, total = 0
    cdef double normal[3]
    cdef const float* corner[3]
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
                sums[k] += area * ((corner[0][k] + corner[1][k] + corner[2][k]) / <float> 3)
    if total > 0:
        result /= total
    return result, total


SIGNED, ABSOLUTE, AREA = 0, 1, 2


def weight_and_centre(const float[:, ::1] vertices, const int32_t[:, ::1] faces, const double[::1] apex, int kind):
    """The volume (or area) of a mesh and its centroid, (3,), as the sum of the pyramids from an apex to the faces.

    kind: SIGNED or ABSOLUTE volumes of the pyramids, or AREA: the faces' areas in their place.
    """
    cdef Py_ssize_t row
    cdef double weight, total = 0
    cdef double normal[3]
    cdef double middle[3]
    cdef const float* corner[3]
    cdef int k
    result = np.zeros(3)
    cdef double[::1] sums = result
    with nogil:
        for row in range(faces.shape[0]):
            for k in range(3):
                corner[k] = &vertices[faces[row, k], 0]
            weight = _face(corner[0], corner[1], corner[2], normal)
            for k in range(3):
                middle[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / <float> 3
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


def weight_and_products(const float[:, ::1] vertices, const int32_t[:, ::1] faces, double density, int kind):
    """Volume (or area), and density times the integrals of xx, yy, zz, xy, xz, yz, (6,), about the origin."""
    cdef Py_ssize_t row
    cdef double weight, total = 0
    cdef double normal[3]
    cdef double middle[3]
    cdef const float* corner[3]
    cdef const float* d
    cdef const float* e
    cdef const float* f
    cdef float bracket, two = 2
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
                    middle[k] = (d[k] + e[k] + f[k]) / <float> 3
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


def vertex_normals(const float[:, ::1] vertices, const int32_t[:, ::1] faces, bint smooth):
    """Normals of the vertices, not of unit length: the sum of the adjacent faces' normals times twice their areas, (n, 3).

    Faces of less than 5e-8 m^2 are left out; unless smooth, so are those at an angle whose cosine is below 0.8 to the sum.
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
