"""Mass properties of shapes against integrals, and of composed bodies against their parts."""

from __future__ import annotations

import numpy as np
import pytest
from polybody import rotations
from polybody.lowering.mass_properties import MOMENTS, Part, compose

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def revolved(radius, pieces):
    """Moments per mass of a body of revolution about z, by quadrature over discs of radius(z)."""
    volume = across = along = 0.0
    for low, high in pieces:
        z = (low + high) / 2 + (high - low) / 2 * NODES
        weight = WEIGHTS * (high - low) / 2 * np.pi * radius(z) ** 2
        volume += weight.sum()
        across += (weight * (radius(z) ** 2 / 4 + z**2)).sum()
        along += (weight * radius(z) ** 2 / 2).sum()
    return np.array([across, across, along]) / volume


def capsule(size):
    r, h = size
    return revolved(
        lambda z: np.sqrt(np.maximum(r**2 - np.maximum(np.abs(z) - h, 0) ** 2, 0)),
        [(-h - r, -h), (-h, h), (h, h + r)],
    )


def box(size):
    second = [half**2 / 2 * (WEIGHTS * NODES**2).sum() for half in size]  # mean of x^2, y^2, z^2
    return sum(second) - np.array(second)


INTEGRALS = {
    "sphere": lambda s: revolved(lambda z: np.sqrt(s[0] ** 2 - z**2), [(-s[0], s[0])]),
    "cylinder": lambda s: revolved(lambda z: np.full_like(z, s[0]), [(-s[1], s[1])]),
    "capsule": capsule,
    "box": box,
    "ellipsoid": lambda s: box(s) * 3 / 5,
}
SIZES = {"sphere": 1, "cylinder": 2, "capsule": 2, "box": 3, "ellipsoid": 3}


@pytest.mark.parametrize("shape", sorted(MOMENTS))
def test_moments_are_the_integrals(shape):
    rng = np.random.default_rng(0)
    for _ in range(5):
        size = rng.uniform(0.1, 2, SIZES[shape])
        np.testing.assert_allclose(MOMENTS[shape](size), INTEGRALS[shape](size), rtol=1e-13)


def test_ellipsoid_of_equal_axes_is_a_sphere():
    np.testing.assert_allclose(MOMENTS["ellipsoid"]((0.3, 0.3, 0.3)), MOMENTS["sphere"]((0.3,)), rtol=1e-15)


def test_capsule_without_a_middle_is_a_sphere_and_a_thin_one_a_rod():
    np.testing.assert_allclose(MOMENTS["capsule"]((0.3, 0.0)), MOMENTS["sphere"]((0.3,)), rtol=1e-15)
    np.testing.assert_allclose(MOMENTS["capsule"]((1e-9, 0.5)), (1 / 12, 1 / 12, 0), atol=1e-8)


def test_a_box_is_what_its_eight_octants_make():
    size, turn = np.array([0.3, 0.5, 0.7]), rotations.unit([0.3, -0.2, 0.5, 0.7])
    at = np.array([1.0, -2.0, 0.5])
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    octants = [
        Part("box", size / 2, 0.25, at + rotations.matrix(turn) @ (sign * size / 2), turn) for sign in signs
    ]
    whole, parts = compose([Part("box", size, 2.0, at, turn)]), compose(octants)
    assert parts.mass == whole.mass == 2.0
    np.testing.assert_allclose(parts.centre, whole.centre, rtol=1e-14)
    np.testing.assert_allclose(parts.inertia, whole.inertia, rtol=1e-13, atol=1e-15)


def test_parts_without_mass_change_nothing():
    ball = Part("sphere", (0.1,), 1.5, np.array([0.1, 0.2, 0.3]), np.array([1.0, 0, 0, 0]))
    ghost = Part("box", (9.0, 9.0, 9.0), 0.0, np.array([5.0, 5.0, 5.0]), np.array([1.0, 0, 0, 0]))
    for a, b in zip(compose([ghost, ball]), compose([ball]), strict=True):
        np.testing.assert_array_equal(a, b)
    assert compose([ghost]).mass == 0.0
    assert not compose([]).inertia.any()


def test_euler_is_the_product_of_elementary_rotations():
    def elementary(axis, angle):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        m = np.eye(3)
        m[i, i] = m[j, j] = np.cos(angle)
        m[j, i], m[i, j] = np.sin(angle), -np.sin(angle)
        return m

    a, b, c = 0.3, -1.2, 2.5
    expected = elementary(2, a) @ elementary(1, b) @ elementary(0, c)
    np.testing.assert_allclose(rotations.matrix(rotations.euler((a, b, c), "zyx")), expected, atol=1e-15)
