"""Triangles of flexes that are separated by a side are at least as far apart, by exact distances.

Coordinates are small integers, for which the compiled function is exact as well.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.amounts import amount
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
Point = tuple[Fraction, ...]
Triangle = tuple[Point, Point, Point]
Apart = Callable[[Triangle, Triangle, int], bool]
KINDS = ("coplanar", "parallel", "anywhere", "flattened")


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Apart:
    built = tmp_path_factory.mktemp("triangles") / "triangles.so"
    command = [os.environ.get("CC", "cc"), "-std=c99", "-O1", "-shared", "-fPIC", "-Wno-psabi"]
    command += [
        f"-I{ROOT / 'runtime/native'}",
        f"-I{ROOT / 'generated/kernels'}",
        str(ROOT / "tests/collision/triangles.c"),
    ]
    command += ["-o", str(built), "-lm"]
    subprocess.run(command, check=True, timeout=PATIENCE)
    compiled = ctypes.CDLL(str(built)).apart
    compiled.argtypes = [ctypes.POINTER(ctypes.c_double), ctypes.c_double]

    def ask(one: Triangle, other: Triangle, reach: int) -> bool:
        numbers = [float(number) for corner in (*one, *other) for number in corner]
        return bool(compiled((ctypes.c_double * 18)(*numbers), reach))

    return ask


def minus(a: Point, b: Point) -> Point:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def dot(a: Point, b: Point) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def cross(a: Point, b: Point) -> Point:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def along(a: Point, share: Fraction, direction: Point) -> Point:
    return tuple(x + share * y for x, y in zip(a, direction, strict=True))


def to_segment(p: Point, a: Point, b: Point) -> Fraction:
    """The squared distance of a point and a segment."""
    edge = minus(b, a)
    square = dot(edge, edge)
    share = min(max(dot(minus(p, a), edge) / square, Fraction(0)), Fraction(1)) if square else Fraction(0)
    gap = minus(p, along(a, share, edge))
    return dot(gap, gap)


def of_segments(a: Point, b: Point, c: Point, d: Point) -> Fraction:
    u, v, direction = minus(b, a), minus(d, c), minus(c, a)
    uu, uv, vv = dot(u, u), dot(u, v), dot(v, v)
    found = [to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b)]
    det = uu * vv - uv * uv
    if det:
        s = (vv * dot(u, direction) - uv * dot(v, direction)) / det
        t = (uv * dot(u, direction) - uu * dot(v, direction)) / det
        if 0 <= s <= 1 and 0 <= t <= 1:
            gap = minus(along(c, t, v), along(a, s, u))
            found.append(dot(gap, gap))
    return min(found)


def contains(triangle: Triangle, normal: Point, p: Point) -> bool:
    """Whether the projection of a point is in the triangle."""
    sides = zip(triangle, (*triangle[1:], triangle[0]), strict=True)
    return all(dot(cross(minus(b, a), minus(p, a)), normal) >= 0 for a, b in sides)


def to_face(triangle: Triangle, others: Triangle) -> list[Fraction]:
    """Squared distances to another triangle's corners and sides, if the nearest point is within this one."""
    normal, found = cross(minus(triangle[1], triangle[0]), minus(triangle[2], triangle[0])), []
    square = dot(normal, normal)
    if not square:
        return []
    heights = [dot(minus(p, triangle[0]), normal) for p in others]
    found = [h * h / square for h, p in zip(heights, others, strict=True) if contains(triangle, normal, p)]
    for (h, p), (k, q) in combinations(zip(heights, others, strict=True), 2):
        if h * k < 0 and contains(triangle, normal, along(p, h / (h - k), minus(q, p))):
            found.append(Fraction(0))  # the side passes through the triangle
    return found


def distance(one: Triangle, other: Triangle) -> Fraction:
    """The squared distance of two triangles."""
    sides = product(combinations(one, 2), combinations(other, 2))
    found = [of_segments(*a, *b) for a, b in sides]
    return min(found + to_face(one, other) + to_face(other, one))


def exact(corners: NDArray[np.int64]) -> Triangle:
    a, b, c = (tuple(Fraction(int(number)) for number in corner) for corner in corners)
    return a, b, c


def triangles(kind: str, draw: np.random.Generator) -> tuple[Triangle, Triangle]:
    corners = draw.integers(-4, 5, (6, 3))
    corners[3:] += draw.integers(-6, 7, 3)
    if kind in ("coplanar", "parallel"):
        height = draw.integers(0, 3) if kind == "parallel" else 0
        corners[:, 2] = [0, 0, 0, height, height, height]
        corners = corners @ draw.integers(-2, 3, (3, 3))
    if kind == "flattened":
        corners[2] = corners[0] + draw.integers(-1, 2) * (corners[1] - corners[0])
    return exact(corners[:3]), exact(corners[3:])


@pytest.mark.parametrize("kind", KINDS)
def test_separated_triangles_are_farther_apart(kind: str, apart: Apart) -> None:
    draw, separated, near = np.random.default_rng([*map(ord, kind)]), 0, 0
    for _ in range(amount(5_000, 120)):
        one, other = triangles(kind, draw)
        reach = int(draw.integers(0, 4))
        square = distance(one, other)
        if apart(one, other, reach):
            assert square > reach**2
            separated += 1
        near += square <= reach**2
    assert separated > 5
    assert near > 5


def test_coplanar_triangles_that_do_not_meet_are_separated(apart: Apart) -> None:
    draw, met, unmet = np.random.default_rng(6), 0, 0
    for _ in range(amount(5_000, 120)):
        one, other = triangles("coplanar", draw)
        areas = [cross(minus(t[1], t[0]), minus(t[2], t[0])) for t in (one, other)]
        if not all(dot(area, area) for area in areas):
            continue
        square = distance(one, other)
        assert apart(one, other, 0) == (square > 0)
        met, unmet = met + (square == 0), unmet + (square > 0)
    assert met > 5
    assert unmet > 5


def test_the_reach_is_a_length(apart: Apart) -> None:
    """Two triangles of one plane, 15 apart along a side that is 25 long."""
    one = exact(np.array([[0, 0, 0], [20, 15, 0], [-15, 20, 0]]))
    other = exact(np.array([[9, -12, 0], [13, -9, 0], [12, -16, 0]]))
    assert distance(one, other) == 15**2
    assert apart(one, other, 14)
    assert not apart(one, other, 15)
