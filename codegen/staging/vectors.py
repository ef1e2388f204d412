"""The C types and functions of straight-line code: vectors of N numbers, including N = 1.

Straight-line text uses real_8, where_8, sines_8; the prelude defines them by gcc's and clang's vector types
for any processor. So the same text is used for a single state (N = 1), a pair of subtrees (N = 2) and a batch
(N = lanes).

Sine and cosine are implemented here, because those of a library would be called number by number and differ
between machines. An angle is reduced to r + rest by subtracting the nearest multiple of pi/2 in parts: the
product of a part and the number of quadrants is exact up to `near`. Then two polynomials, minimax on that
interval (fitted by Remez' exchange in 60 digits, each coefficient rounded before the next are fitted). Beyond
`near`, and for NaN and infinity, the library's functions are called, number by number.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..render import render
from .operations import ROWS, Operation

TEMPLATE = "vectors.h.jinja"
Call = tuple[str, int]  # a function of vectors: its name without _N, and N


@dataclass(frozen=True)
class Precision:
    """A C type of real numbers, and the constants of its functions."""

    name: str  # in C
    bits: int
    suffix: str  # of literals and of the library's functions
    round: float  # 1.5 times the power of two from which on neighbouring numbers differ by 1
    near: float  # largest angle that is reduced in parts
    half_pi: tuple[float, ...]  # parts of pi/2, all but the last short enough for exact multiples
    sine: tuple[float, ...]  # sin r = r + r z p(z), z = r^2, from the lowest coefficient on
    cosine: tuple[float, ...]  # cos r = 1 - z/2 + z^2 p(z)
    arctangent: tuple[float, ...]  # atan u = u + u z p(z), z = u^2, |u| <= tan(pi/8)
    half_pi_rest: float  # pi/2 minus the nearest number of this precision
    two_over_pi: float = 2 / math.pi
    tan_pi_8: float = math.sqrt(2) - 1

    @property
    def half_pi_whole(self) -> float:
        return self.rounded(math.pi / 2)

    def rounded(self, x: float) -> float:
        """The nearest number of this precision; OverflowError if it is out of range."""
        return x if self.bits == 64 else float(struct.unpack("<f", struct.pack("<f", x))[0])

    def literal(self, x: float) -> str:
        """A C literal; raises ValueError if the number is not finite in this precision."""
        try:
            value = self.rounded(x)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise ValueError(f"a number that follows from the Model's is {x}, not finite, as {self.name}")
        text = repr(value) + self.suffix
        return f"({text})" if text.startswith("-") else text

    def polynomial(self, coefficients: tuple[float, ...], z: str) -> str:
        """In Horner's form."""
        text = self.literal(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            text = f"({text} * {z} + {self.literal(c)})"
        return text

    def soon(self, coefficients: tuple[float, ...], powers: tuple[str, ...]) -> str:
        """The same by independent halves (Estrin, Western Joint Computer Conference 1960); powers are z, z^2,
        z^4, ...
        """
        if len(coefficients) == 1:
            return self.literal(coefficients[0])
        rank = (len(coefficients) - 1).bit_length() - 1
        low, high = coefficients[: 2**rank], coefficients[2**rank :]
        return f"({self.soon(high, powers)} * {powers[rank]} + {self.soon(low, powers)})"

    def reduced(self, x: str, turns: str) -> str:
        """x minus the leading parts of pi/2."""
        for part in self.half_pi[:-2]:
            x = f"({x} - {turns} * {self.literal(part)})"
        return x


PRECISIONS = {
    "float64": Precision(
        "double",
        64,
        "",
        1.5 * 2.0**52,
        1e5,
        (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21),
        (
            -0.16666666666666632, 0.008333333333322488, -0.0001984126982985559,
            2.755731370603686e-06, -2.505076006565449e-08, 1.5896897835094147e-10,
        ),
        (
            0.0416666666666666, -0.0013888888888874472, 2.4801587289669257e-05,
            -2.7557314400171296e-07, 2.0875729142664032e-09, -1.1359926128228394e-11,
        ),
        (
            -0.33333333333333326, 0.19999999999997095, -0.1428571428531637, 0.11111111083741035,
            -0.09090907985562943, 0.07692279190737525, -0.06666174470644975, 0.05876513742387146,
            -0.05215159277754437, 0.04490455996541195, -0.03317196371353756, 0.014890265422635534,
        ),
        6.123233995736766e-17,
    ),
    "float32": Precision(
        "float",
        32,
        "f",
        1.5 * 2.0**23,
        1e4,
        (1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.563344151594519e-12),
        (-0.16666655242443085, 0.008332191966474056, -0.0001951878803083673),
        (0.04166664555668831, -0.00138873013202101, 2.4430670237052254e-05),
        (
            -0.33333316445350647, 0.1999853253364563, -0.14244510233402252, 0.10600165277719498,
            -0.060927070677280426,
        ),
        -4.371139000186241e-08,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Definition:
    """A function of vectors of N numbers that is computed number by number; see Operation."""

    name: str
    n: int
    operands: tuple[str, ...]
    text: str
    called: bool


def prelude(
    precision: str,
    widths: Iterable[int],
    calls: Iterable[Call] = (),
    texts: Sequence[Sequence[str]] = (),
) -> str:
    """C text that defines the types of these widths, what operators need, and the functions called.

    Args:
        precision: "float64" or "float32".
        widths: the N of real_N.
        calls: sines, and the functions of operations.
        texts: further functions, which call these.
    """
    p, found = PRECISIONS[precision], sorted(set(calls))
    rows = {row.function: row for row in ROWS}
    return render(
        TEMPLATE,
        p=p,
        widths=sorted({*widths, *(n for _, n in found)}),
        sines=[n for name, n in found if name == "sines"],
        arctangents=[n for name, n in found if name == "atan2"],
        texts=texts,
        definitions=[definition(rows[name], n, p) for name, n in found if name in rows and rows[name].define],
    )


def definition(row: Operation, n: int, p: Precision) -> Definition:
    operands = ("a", "b")[: len(row.operands)]
    return Definition(row.function, n, operands, row.define.format(f=p.suffix), row.called)
