"""Rotations represented as products of elementary rotations.

They have the interface of a Mat3, so algorithms need no changes. Applying a rotation about one coordinate
axis to vectors and inertias takes a fraction of the operations of a full matrix, and rotations by multiples
of 90 degrees take none.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..staging.scalars import Expr
from ..staging.value_classes import Scalar
from .spatial import Mat3, Sym3, Vec3

Turn = tuple[int, Scalar, Scalar]  # about axis 0, 1 or 2: cosine, sine
ROUNDING = 2e-15  # of a rotation's entries
SMALL = 1e-8  # angles whose cosine is 1 to the last digit


class Turns:
    """A product of elementary rotations, outermost first."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = tuple(turns)

    def __matmul__(self, x: Any) -> Any:
        """The product with a vector or a matrix."""
        if isinstance(x, Mat3):
            columns = [self @ x.column(k) for k in range(3)]
            return Mat3(*[Vec3(*[c[k] for c in columns]) for k in range(3)])
        for turn in reversed(self.turns):
            x = Vec3(*turned(turn, x.flat()))
        return x

    def left(self, v: Vec3) -> Vec3:
        """The inverse rotation of v."""
        for k, c, s in self.turns:
            v = Vec3(*turned((k, c, -s), v.flat()))
        return v

    def around(self, x: Any) -> Any:
        """R x R^T of a matrix x."""
        symmetric = isinstance(x, Sym3)
        rows = [list(row.flat()) for row in (x.full() if symmetric else x).row]
        for turn in reversed(self.turns):
            rows = symmetric_around(turn, rows) if symmetric else matrix_around(turn, rows)
        if symmetric:
            return Sym3(*[rows[i][j] for i in range(3) for j in range(i + 1)])
        return Mat3(*[Vec3(*row) for row in rows])

    def about_z(self, c: Scalar, s: Scalar) -> Turns:
        """Multiplied by a rotation about z."""
        if self.turns and self.turns[-1][0] == 2:
            _, c0, s0 = self.turns[-1]
            return Turns((*self.turns[:-1], (2, c0 * c - s0 * s, s0 * c + c0 * s)))
        return Turns((*self.turns, (2, c, s)))

    def flat(self) -> list[Any]:
        """The entries of the matrix."""
        return Mat3(
            *[Vec3(*row) for row in zip(*[self.column(k).flat() for k in range(3)], strict=True)]
        ).flat()

    def mapped(self, f: Callable[[Any], Any]) -> Turns:
        """The same product with f applied to the cosines and sines."""
        return Turns([(k, f(c), f(s)) for k, c, s in self.turns])

    @staticmethod
    def beside(rotations: Sequence[Any], join: Callable[[Sequence[Any]], Any]) -> Any:
        """Several rotations at once, as products about the same axes; missing factors become identities."""
        if not all(isinstance(r, Turns) for r in rotations):
            return Mat3.beside(rotations, join)
        aligned = align([r.turns for r in rotations])
        return Turns([(turns[0][0], *[join([t[n] for t in turns]) for n in (1, 2)]) for turns in aligned])

    def column(self, k: int) -> Vec3:
        return self @ Vec3(*[float(i == k) for i in range(3)])


def align(rows: Sequence[Sequence[Turn]]) -> list[list[Turn]]:
    """Products as products about the same axes, with as few added identities as possible."""
    if not any(rows):
        return []
    options = []
    for axis in {row[0][0] for row in rows if row}:
        taken = [row[0] if row and row[0][0] == axis else (axis, 1.0, 0.0) for row in rows]
        options.append([taken, *align([row[1:] if row and row[0][0] == axis else row for row in rows])])
    return min(options, key=len)


def plane(k: int) -> tuple[int, int]:
    """The axes mixed by a rotation about axis k."""
    return (k + 1) % 3, (k + 2) % 3


def turned(turn: Turn, v: Sequence[Scalar]) -> list[Scalar]:
    k, c, s = turn
    i, j = plane(k)
    out = list(v)
    out[i], out[j] = c * v[i] - s * v[j], s * v[i] + c * v[j]
    return out


def symmetric_around(turn: Turn, A: list[list[Scalar]]) -> list[list[Scalar]]:
    """T A T^T of a symmetric A, using the double angle."""
    k, c, s = turn
    i, j = plane(k)
    out = [list(row) for row in A]
    out[i][k], out[j][k] = c * A[i][k] - s * A[j][k], s * A[i][k] + c * A[j][k]
    out[k][i], out[k][j] = out[i][k], out[j][k]
    if quarter(c, s):
        if number(c) == 0.0:
            out[i][i], out[j][j] = A[j][j], A[i][i]
            out[i][j] = out[j][i] = -A[i][j]
        return out
    across, off = A[i][i] - A[j][j], A[i][j]
    mixed = c * across - (s + s) * off
    first = A[j][j] + c * mixed
    out[i][i], out[j][j] = first, A[i][i] + A[j][j] - first
    out[i][j] = out[j][i] = off + s * mixed
    return out


def matrix_around(turn: Turn, A: list[list[Scalar]]) -> list[list[Scalar]]:
    """T A T^T; the antisymmetric part of the rotated 2 x 2 block is invariant."""
    k, c, s = turn
    i, j = plane(k)
    out = [list(row) for row in A]
    out[i][k], out[j][k] = c * A[i][k] - s * A[j][k], s * A[i][k] + c * A[j][k]
    out[k][i], out[k][j] = c * A[k][i] - s * A[k][j], s * A[k][i] + c * A[k][j]
    if quarter(c, s):
        if number(c) == 0.0:
            out[i][i], out[j][j], out[i][j], out[j][i] = A[j][j], A[i][i], -A[j][i], -A[i][j]
        return out
    mixed = c * (A[i][i] - A[j][j]) - s * (A[i][j] + A[j][i])
    first, more = A[j][j] + c * mixed, s * mixed
    out[i][i], out[j][j] = first, A[i][i] + A[j][j] - first
    out[i][j], out[j][i] = A[i][j] + more, A[j][i] + more
    return out


def quarter(c: Scalar, s: Scalar) -> bool:
    """Whether this is known to be a multiple of a rotation by 90 degrees."""
    return number(c) == 0.0 or number(s) == 0.0


def number(x: Scalar) -> Any:
    """The value of a scalar if it is known, else None."""
    return x.value if isinstance(x, Expr) else x


def elementary(R: np.ndarray[Any, Any]) -> list[Turn]:
    """The cheapest product of elementary rotations for a rotation matrix.

    A last rotation about z costs little, as it can be merged with that of the joint; multiples of 90 degrees
    cost nothing.
    """
    made = [alone(R, k) for k in range(3) if stays(R, k)]
    made += [two(R, a, b) for a in range(3) for b in range(3) if a != b and abs(R[a, b]) < ROUNDING]
    if not made:
        tilt = math.hypot(R[0, 2], R[1, 2])
        made = [ending(R, [*split(2, R[0, 2], -R[1, 2]), *split(0, tilt, R[2, 2])], 2)]
    return min(made, key=cost)


def stays(R: np.ndarray[Any, Any], k: int) -> bool:
    """Whether axis k is invariant. A small tilt changes the diagonal only in second order, so the other
    entries are tested.
    """
    return R[k, k] > 0.0 and all(abs(R[i, k]) < ROUNDING and abs(R[k, i]) < ROUNDING for i in plane(k))


def cost(turns: Sequence[Turn]) -> int:
    """The approximate number of operations on a vector."""
    last = 2 if turns and turns[-1][0] == 2 else 4
    each = [0 if quarter(c, s) else 2 if c == 1.0 else 4 for _, c, s in turns]
    return sum(each[:-1]) + min(last, each[-1]) if turns else 0


def alone(R: np.ndarray[Any, Any], k: int) -> list[Turn]:
    i, j = plane(k)
    return split(k, R[j, i], R[i, i])


def two(R: np.ndarray[Any, Any], a: int, b: int) -> list[Turn]:
    """R as rotations about a and then b, for which column b of R has no component along a."""
    i, j = plane(a)
    first = split(a, R[j, b], R[i, b]) if b == i else split(a, -R[i, b], R[j, b])
    return ending(R, first, b)


def ending(R: np.ndarray[Any, Any], first: list[Turn], k: int) -> list[Turn]:
    """R as some rotations and the remaining one about axis k, which also corrects their rounding.

    If a rotation tilts the axis only slightly, the angles of both rotations about it are inaccurate, but
    their sum is accurate.
    """
    i, j = plane(k)
    along = Turns(first).left(Vec3(*R[:, i].tolist())).flat()
    return [*first, *split(k, along[j], along[i])]


def split(k: int, s: float, c: float) -> list[Turn]:
    """A rotation about axis k; if it is nearly 90 degrees, exactly that and the small remainder."""
    length = math.hypot(s, c)
    s, c = float(s) / length, float(c) / length
    turns, whole = [], (float(round(c)), float(round(s)))
    if min(abs(s), abs(c)) < SMALL:
        c, s = c * whole[0] + s * whole[1], s * whole[0] - c * whole[1]
        turns = [(k, *whole)] if whole[0] != 1.0 else []
        c = 1.0
        if abs(s) < ROUNDING:
            return turns
    return [*turns, (k, c, s)]
