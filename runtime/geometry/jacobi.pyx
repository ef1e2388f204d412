# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Principal axes of inertia, in MuJoCo's order and with its signs.

The axes are computed by Jacobi rotations accumulated in a quaternion. Their signs, and the axes of equal
moments, follow from the order of the rotations. The moments are then sorted in decreasing order by rotations
of 90 degrees.
"""

from libc.math cimport fabs, sqrt

import numpy as np

cdef double SMALL = 1e-12
cdef double ROUNDING = 4e-15  # of products of inertia, relative to the largest entry
cdef int MOST = 500  # maximum number of rotations


def principal_axes(inertia, tolerance=None):
    """Principal moments, (3,), decreasing, and the quaternion, (4,), from their axes to those of the tensor.

    Args:
        inertia: a symmetric 3x3 tensor, kg m^2.
        tolerance: products of inertia below this part of the largest entry are treated as zero, and so are
            differences of moments, as in MuJoCo 4.0; 0 for what exceeds rounding errors: 4e-15 and 1e-12 of
            the largest entry. None: as in MuJoCo 3.2.7, which treats those below 1e-12 kg m^2 as zero. The
            axes of a body with such small moments are those of the tensor.
    """
    cdef const double[:, ::1] tensor = np.ascontiguousarray(inertia, dtype=np.float64)
    if tensor.shape[0] != 3 or tensor.shape[1] != 3:
        raise ValueError("a tensor of inertia is 3x3")
    moment_array, quat_array = np.empty(3), np.array([1.0, 0.0, 0.0, 0.0])
    cdef double[::1] moments = moment_array, quat = quat_array
    cdef double[4] by
    cdef double[3][3] turned
    cdef double off, tau, tangent, cosine, kept, sine
    cdef double least = SMALL, apart = SMALL
    cdef bint converged = tolerance is not None
    cdef int row, column, axis, step, k
    cdef double half = 0.707106781186548  # with as many digits as in MuJoCo
    if converged:
        least, apart = max(ROUNDING, tolerance), max(SMALL, tolerance)
        off = _largest(tensor)
        least, apart = least * off, apart * off
    for step in range(MOST):
        _turn(tensor, quat, turned)
        row, column = 1, 2
        if fabs(turned[0][2]) > fabs(turned[row][column]):
            row = 0
        if fabs(turned[0][1]) > fabs(turned[row][column]):
            row, column = 0, 1
        off = turned[row][column]
        if not (fabs(off) > least if converged else fabs(off) >= least):
            break
        tau = (turned[column][column] - turned[row][row]) / (2 * off)
        tangent = 1 / (tau + sqrt(1 + tau * tau)) if tau >= 0 else -1 / (sqrt(1 + tau * tau) - tau)
        axis = 3 - row - column
        if converged:  # of half the angle, exact for small ones
            sine = fabs(tangent / (1 + sqrt(1 + tangent * tangent)))
            cosine = 1 / sqrt(1 + sine * sine)
            sine = sine * cosine
        else:
            cosine = 1 / sqrt(1 + tangent * tangent)
            if not cosine <= 1 - SMALL:
                break
            sine = sqrt(0.5 - 0.5 * cosine)
            cosine = sqrt(1 - sine * sine)
        by = [cosine, 0, 0, 0]
        by[axis + 1] = sine if (tangent > 0) == (axis == 1) else -sine
        _append(quat, by)
    for k in range(3):
        moments[k] = turned[k][k]
    for k in (0, 1, 0):
        if moments[k] + apart < moments[k + 1]:
            kept = moments[k]
            moments[k] = moments[k + 1]
            moments[k + 1] = kept
            by = [half, 0, 0, 0]
            by[(k + 2) % 3 + 1] = half
            _append(quat, by)
    return moment_array, quat_array


cdef double _largest(const double[:, ::1] tensor) noexcept:
    """The largest absolute value of a 3x3 matrix."""
    cdef double found = 0
    cdef int i, j
    for i in range(3):
        for j in range(3):
            found = max(found, fabs(tensor[i, j]))
    return found


cdef void _turn(const double[:, ::1] tensor, double[::1] quat, double[3][3] turned) noexcept:
    """R^T A R, R the rotation of the quaternion."""
    cdef double w = quat[0], x = quat[1], y = quat[2], z = quat[3]
    cdef double[3][3] turn
    cdef double[3][3] half
    cdef int i, j
    turn[0] = [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)]
    turn[1] = [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)]
    turn[2] = [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]
    for i in range(3):
        for j in range(3):
            half[i][j] = turn[0][i] * tensor[0, j] + turn[1][i] * tensor[1, j] + turn[2][i] * tensor[2, j]
    for i in range(3):
        for j in range(3):
            turned[i][j] = half[i][0] * turn[0][j] + half[i][1] * turn[1][j] + half[i][2] * turn[2][j]


cdef void _append(double[::1] quat, double* by) noexcept:
    """Set quat to the normalised product of quat and by."""
    cdef double w = quat[0], x = quat[1], y = quat[2], z = quat[3]
    cdef double a = w * by[0] - x * by[1] - y * by[2] - z * by[3]
    cdef double b = w * by[1] + x * by[0] + y * by[3] - z * by[2]
    cdef double c = w * by[2] - x * by[3] + y * by[0] + z * by[1]
    cdef double d = w * by[3] + x * by[2] - y * by[1] + z * by[0]
    cdef double length = sqrt(a * a + b * b + c * c + d * d)
    if fabs(length - 1) > 1e-14:
        a, b, c, d = a / length, b / length, c / length, d / length
    quat[0], quat[1], quat[2], quat[3] = a, b, c, d
