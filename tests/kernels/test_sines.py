"""Sine, cosine and arctangent of straight-line code, compared with 60 digits and with wider numbers."""

from __future__ import annotations

import ctypes
import os
import subprocess
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest
from polybody.codegen.staging.vectors import PRECISIONS, prelude

from tests.waiting import PATIENCE

from .trees import Array

CC = os.environ.get("CC", "cc")
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
FACE = """
void sines(int count, void *angle, void *sine, void *cosine) {{ sines_{n}(count, angle, sine, cosine); }}
void arctangents(int count, const stored_{n} *y, const stored_{n} *x, stored_{n} *angle)
{{
    for (int k = 0; k < count; k++)
        angle[k] = atan2_{n}(y[k], x[k]);
}}
"""


class Functions:
    """Functions compiled for one precision and width, with or without machine-specific instructions."""

    def __init__(self, precision: str, n: int, folder: Path, native: bool = True) -> None:
        self.dtype, self.n = np.dtype(precision), n
        text, library = folder / "f.c", folder / f"f{n}{native}.so"
        text.write_text(
            prelude(precision, [n], [("sines", n), ("atan2", n)]) + FACE.format(n=n), encoding="utf-8"
        )
        flags = ["-O2", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-Wall", "-Werror"]
        flags += ["-march=native"] if native else []
        subprocess.run(
            [CC, *flags, "-fPIC", "-shared", "-o", library, text, "-lm"], check=True, timeout=PATIENCE
        )
        self.library = ctypes.CDLL(str(library))

    def aligned(self, x: Array) -> Array:
        space = np.zeros(x.size * self.dtype.itemsize + 128, np.uint8)
        start = -space.ctypes.data % 128
        found = space[start : start + x.size * self.dtype.itemsize].view(self.dtype)
        found[:] = x
        return found

    def __call__(self, name: str, *given: Array, results: int = 1) -> list[Array]:
        """The results for arrays whose length is a multiple of the width."""
        arrays = [self.aligned(x) for x in (*given, *[np.zeros(given[0].size)] * results)]
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in arrays]
        getattr(self.library, name)(given[0].size // self.n, *pointers)
        return arrays[len(given) :]

    def sines(self, x: Array) -> list[Array]:
        return self("sines", x, results=2)


def exact(x: float) -> tuple[Decimal, Decimal]:
    """Sine and cosine to 60 digits."""
    with localcontext() as context:
        context.prec = 60
        r = Decimal(x).remainder_near(2 * PI)
        sums = [Decimal(0), Decimal(0)]
        term, k = Decimal(1), 0
        while abs(term) > Decimal(10) ** -58:
            sums[k % 2] += term if k % 4 < 2 else -term
            k += 1
            term = term * r / k
        return sums[1], sums[0]


def ulps(found: Array, wanted: Array) -> float:
    """The largest distance in units of the last place; `wanted` has wider numbers."""
    unit = np.spacing(np.abs(wanted.astype(found.dtype))).astype(wanted.dtype)
    return float(np.max(np.abs(found.astype(wanted.dtype) - wanted) / unit))


def angles(precision: str, n: int) -> Array:
    """Angles of every magnitude up to `near`, half of them next to a multiple of pi/2."""
    rng = np.random.default_rng(0)
    near = 0.99 * PRECISIONS[precision].near
    x = rng.uniform(-1, 1, n) * near ** rng.uniform(0, 1, n)
    x[::2] = np.round(x[::2] / (np.pi / 2)) * (np.pi / 2) * (1 + 1e-9 * rng.normal(size=x[::2].size))
    return x.astype(precision)


CASES = [
    ("float64", 1, True), ("float64", 8, True), ("float64", 4, False), ("float32", 16, True),
    ("float32", 1, False),
]  # fmt: skip


@pytest.mark.parametrize(("precision", "n", "native"), CASES)
def test_sines_are_within_one_unit_of_the_last_place(
    precision: str, n: int, native: bool, tmp_path: Path
) -> None:
    x = angles(precision, 1 << 16)
    sine, cosine = Functions(precision, n, tmp_path, native).sines(x)
    wide = x.astype(np.longdouble)
    assert np.finfo(np.longdouble).nmant > 60
    assert ulps(sine, np.sin(wide)) < 0.9
    assert ulps(cosine, np.cos(wide)) < 0.9


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_sines_against_sixty_digits(precision: str, tmp_path: Path) -> None:
    """A few hundred angles, so that the reference above does not rely on the library alone."""
    x = angles(precision, 256)
    found = Functions(precision, 8, tmp_path).sines(x)
    for k, angle in enumerate(x):
        for f, wanted in zip(found, exact(float(angle)), strict=True):
            assert abs(Decimal(float(f[k])) - wanted) < Decimal("0.9") * Decimal(float(np.spacing(abs(f[k]))))


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_bits_do_not_depend_on_the_position(precision: str, tmp_path: Path) -> None:
    f = Functions(precision, 8, tmp_path)
    x = angles(precision, 256)
    x[[7, 100]] = 3e9, np.nan  # neighbours of arguments that the library computes
    straight = f.sines(x)
    for shift in (1, 3, 8):
        for a, b in zip(straight, f.sines(np.roll(x, shift)), strict=True):
            assert np.roll(a, shift).tobytes() == b.tobytes()


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_angles_out_of_the_common(precision: str, tmp_path: Path) -> None:
    f = Functions(precision, 8, tmp_path)
    tiny = float(np.finfo(precision).smallest_subnormal)
    x = np.array([np.inf, -np.inf, np.nan, 1e30, -1e8, 0.0, tiny, -tiny], precision)
    sine, cosine = f.sines(x)
    assert np.isnan(sine[:3]).all()
    assert np.isnan(cosine[:3]).all()
    assert sine[5:].tolist() == x[5:].tolist()
    assert cosine[5:].tolist() == [1.0, 1.0, 1.0]
    for k in (3, 4):
        for found, wanted in zip((sine[k], cosine[k]), exact(float(x[k])), strict=True):
            assert abs(float(found) - float(wanted)) < np.finfo(precision).eps


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_arctangents(precision: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y, x = ((rng.normal(size=1 << 14) * 10.0 ** rng.uniform(-6, 6, 1 << 14)).astype(precision) for _ in "yx")
    y[:4], x[:4] = [0, 0, 1, -1], [0, -1, 0, 0]
    (found,) = Functions(precision, 8, tmp_path)("arctangents", y, x)
    assert found[:2].tolist() == [0.0, np.dtype(precision).type(np.pi)]
    assert ulps(found[1:], np.arctan2(y[1:].astype(np.longdouble), x[1:].astype(np.longdouble))) < 2


def test_what_is_no_number_has_no_literal() -> None:
    for precision in PRECISIONS.values():
        for x in (np.nan, np.inf, -np.inf):
            with pytest.raises(ValueError, match="not finite, as"):
                precision.literal(float(x))
    assert PRECISIONS["float32"].literal(0.1) == "0.10000000149011612f"
    with pytest.raises(ValueError, match="is 1e\\+39, not finite, as float"):
        PRECISIONS["float32"].literal(1e39)
