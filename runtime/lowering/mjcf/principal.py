"""Moments of inertia: tensors of parts, and the principal axes of their sum.

Principal moments stand in decreasing order. The iteration is a Jacobi method that keeps its rotation as a
quaternion; it stops at an absolute 1e-12, so that bodies whose moments are smaller keep their axes. Which of
the possible signs and orders comes out is part of the compiled model, and this is MuJoCo's choice.
"""

from __future__ import annotations

from math import sqrt

from polybody.lowering.mjcf.poses import EPS, UPRIGHT, Quaternion, Six, Vector, matrix, product

SMALL = 1e-12
"""Off-diagonal elements (kg m^2) and differences of moments below this are nothing."""
SWEEPS = 500
HALF = 0.707106781186548
"""Cosine and sine of 45 degrees, with as many digits as MuJoCo has."""
_PLANES = ((0, 1, 2), (0, 2, 1), (1, 2, 0))
"""Row, column, and axis of the rotation."""


class NotPositiveError(ValueError):
    """A tensor is not the inertia of anything."""


def turned(moments: Vector, quat: Quaternion) -> Six:
    """xx yy zz xy xz yz of a tensor that has these moments about a frame's axes."""
    a, b, c = matrix(quat)
    i, j, k = moments
    return (
        a[0] * a[0] * i + a[1] * a[1] * j + a[2] * a[2] * k,
        b[0] * b[0] * i + b[1] * b[1] * j + b[2] * b[2] * k,
        c[0] * c[0] * i + c[1] * c[1] * j + c[2] * c[2] * k,
        a[0] * b[0] * i + a[1] * b[1] * j + a[2] * b[2] * k,
        a[0] * c[0] * i + a[1] * c[1] * j + a[2] * c[2] * k,
        b[0] * c[0] * i + b[1] * c[1] * j + b[2] * c[2] * k,
    )


def of_point(mass: float, at: Vector) -> Six:
    """xx yy zz xy xz yz of a point mass about the origin (parallel axes)."""
    x, y, z = at
    return (
        mass * (y * y + z * z),
        mass * (x * x + z * z),
        mass * (x * x + y * y),
        -mass * x * y,
        -mass * x * z,
        -mass * y * z,
    )


def added(tensors: list[Six]) -> Six:
    """The sum of tensors."""
    total = [0.0] * 6
    for tensor in tensors:
        for place in range(6):
            total[place] += tensor[place]
    return (total[0], total[1], total[2], total[3], total[4], total[5])


def principal(tensor: Six) -> tuple[Vector, Quaternion]:
    """The principal moments of a tensor xx yy zz xy xz yz, in decreasing order, and the frame of their axes.

    Raises:
        NotPositiveError: a moment is less than 1e-14.
    """
    quat, moments = _diagonalised(tensor)
    for lead in (0, 1, 0):
        if moments[lead] + SMALL < moments[lead + 1]:
            moments[lead], moments[lead + 1] = moments[lead + 1], moments[lead]
            turn = [HALF, 0.0, 0.0, 0.0]
            turn[(lead + 2) % 3 + 1] = HALF
            quat = product(quat, (turn[0], turn[1], turn[2], turn[3]))
    if moments[2] < EPS:
        raise NotPositiveError(f"a principal moment is {moments[2]:g}")
    return (moments[0], moments[1], moments[2]), quat


def _diagonalised(tensor: Six) -> tuple[Quaternion, list[float]]:
    """A frame in which a tensor has no off-diagonal elements that matter, and its diagonal there."""
    xx, yy, zz, xy, xz, yz = tensor
    full = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    quat = UPRIGHT
    diagonal = [xx, yy, zz]
    for _ in range(SWEEPS):
        seen = _seen_from(full, quat)
        diagonal = [seen[0][0], seen[1][1], seen[2][2]]
        sizes = [abs(seen[row][column]) for row, column, _ in _PLANES]
        greatest = 0 if sizes[0] > sizes[1] and sizes[0] > sizes[2] else 1 if sizes[1] > sizes[2] else 2
        if sizes[greatest] < SMALL:
            break
        row, column, axis = _PLANES[greatest]
        ratio = (diagonal[column] - diagonal[row]) / (2 * seen[row][column])
        tangent = 1 / (abs(ratio) + sqrt(1 + ratio * ratio))
        cosine = 1 / sqrt(1 + tangent * tangent)
        if cosine > 1 - SMALL:
            break
        half = sqrt(0.5 - 0.5 * cosine)
        if (ratio >= 0) != (axis == 1):
            half = -half
        turn = [sqrt(1 - half * half), 0.0, 0.0, 0.0]
        turn[axis + 1] = half
        quat = product(quat, (turn[0], turn[1], turn[2], turn[3]))
    return quat, diagonal


def _seen_from(full: tuple[Vector, Vector, Vector], quat: Quaternion) -> list[list[float]]:
    """A symmetric tensor in the axes of a frame: R^T T R."""
    turn = matrix(quat)
    columns = list(zip(*turn, strict=True))
    half = [
        [left[0] * full[0][j] + left[1] * full[1][j] + left[2] * full[2][j] for j in range(3)]
        for left in columns
    ]
    return [[row[0] * right[0] + row[1] * right[1] + row[2] * right[2] for right in columns] for row in half]
