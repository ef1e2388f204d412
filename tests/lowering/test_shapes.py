"""Mass properties of shapes compared with integrals, and of composite bodies with their parts."""

from __future__ import annotations

import numpy as np
import pytest
from polybody.assembly.mass_properties import Parts, compose, principal
from polybody.geometry import shapes
from polybody.rotations import arrays as rotations

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


def moments(shape, size):
    """Per mass."""
    return shapes.moments(shape, size, 1.0)


def composed(*pieces):
    """The mass properties of one body, given shape, sizes, mass and pose of each part."""
    rows = [
        (0, mass, pos, quat, shapes.moments(shape, size, mass)) for shape, size, mass, pos, quat in pieces
    ]
    columns = (
        [np.array(column) for column in zip(*rows, strict=True)]
        if rows
        else [np.zeros((0, n)) for n in range(5)]
    )
    return compose(Parts(*columns), 1)


@pytest.mark.parametrize("shape", sorted(INTEGRALS))
def test_moments_are_the_integrals(shape):
    rng = np.random.default_rng(0)
    for _ in range(5):
        size = rng.uniform(0.1, 2, SIZES[shape])
        np.testing.assert_allclose(moments(shape, size), INTEGRALS[shape](size), rtol=1e-13)


def test_ellipsoid_of_equal_axes_is_a_sphere():
    np.testing.assert_allclose(moments("ellipsoid", (0.3, 0.3, 0.3)), moments("sphere", (0.3,)), rtol=1e-15)


def test_capsule_without_a_middle_is_a_sphere_and_a_thin_one_a_rod():
    np.testing.assert_allclose(moments("capsule", (0.3, 0.0)), moments("sphere", (0.3,)), rtol=1e-15)
    np.testing.assert_allclose(moments("capsule", (1e-9, 0.5)), (1 / 12, 1 / 12, 0), atol=1e-8)


def test_a_box_is_what_its_eight_octants_make():
    size, turn = np.array([0.3, 0.5, 0.7]), rotations.unit([0.3, -0.2, 0.5, 0.7])
    at = np.array([1.0, -2.0, 0.5])
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    octants = [
        ("box", size / 2, 0.25, at + rotations.matrix(turn) @ (sign * size / 2), turn) for sign in signs
    ]
    whole, parts = composed(("box", size, 2.0, at, turn)), composed(*octants)
    assert parts.mass[0] == whole.mass[0] == 2.0
    np.testing.assert_allclose(parts.centre, whole.centre, rtol=1e-14)
    np.testing.assert_allclose(parts.inertia, whole.inertia, rtol=1e-13, atol=1e-15)


def test_parts_without_mass_change_nothing():
    ball = "sphere", (0.1,), 1.5, np.array([0.1, 0.2, 0.3]), np.array([1.0, 0, 0, 0])
    ghost = "box", (9.0, 9.0, 9.0), 0.0, np.array([5.0, 5.0, 5.0]), np.array([1.0, 0, 0, 0])
    for a, b in zip(composed(ghost, ball), composed(ball), strict=True):
        np.testing.assert_array_equal(a, b)
    for nothing in (composed(ghost), composed(ghost, ghost)):
        assert nothing.mass[0] == 0.0
        assert not nothing.centre.any()
        assert not nothing.inertia.any()


def test_bodies_are_composed_as_each_alone():
    rng = np.random.default_rng(0)
    pieces = [
        (
            "box",
            rng.uniform(0.1, 1, 3),
            rng.uniform(0, 2),
            rng.normal(size=3),
            rotations.unit(rng.normal(size=4)),
        )
        for _ in range(9)
    ]
    owner = np.array([4, 0, 0, 2, 4, 4, 2, 5, 0])
    rows = [(mass, pos, quat, shapes.moments(shape, size, mass)) for shape, size, mass, pos, quat in pieces]
    together = compose(Parts(owner, *(np.array(column) for column in zip(*rows, strict=True))), 6)
    assert together.mass[[1, 3]].tolist() == [0, 0]
    for body in (0, 2, 4, 5):
        alone = composed(*(piece for piece, of in zip(pieces, owner, strict=True) if of == body))
        for whole, one in zip(together, alone, strict=True):
            np.testing.assert_allclose(whole[body], one[0], rtol=1e-14, atol=1e-15)


def test_principal_axes_make_the_inertia_again():
    rng = np.random.default_rng(1)
    turns = rotations.matrix(rotations.unit(rng.normal(size=(20, 4))))
    inertia = turns @ (rng.uniform(1, 2, (20, 1, 3)) * np.eye(3)) @ np.swapaxes(turns, 1, 2)
    inertia[3] = np.diag([3.0, 1.0, 2.0])
    found, quat = principal(inertia)
    axes = rotations.matrix(quat)
    np.testing.assert_allclose(
        axes * found[:, None] @ np.swapaxes(axes, 1, 2), inertia, rtol=1e-13, atol=1e-14
    )
    assert (found[3].tolist(), quat[3].tolist()) == ([3.0, 1.0, 2.0], [1.0, 0.0, 0.0, 0.0])
    assert (np.diff(np.delete(found, 3, axis=0), axis=1) > 0).all()


def test_rotations_of_many_are_those_of_each():
    rng = np.random.default_rng(2)
    a, b, angles = rng.normal(size=(7, 4)), rotations.unit(rng.normal(size=(7, 4))), rng.normal(size=(7, 3))
    many = rotations.unit(a), rotations.euler(angles, "zyx"), rotations.product(b, b[0])
    each = [
        (rotations.unit(p), rotations.euler(t, "zyx"), rotations.product(q, b[0]))
        for p, q, t in zip(a, b, angles, strict=True)
    ]
    for whole, rows in zip(many, zip(*each, strict=True), strict=True):
        np.testing.assert_array_equal(whole, rows)
    np.testing.assert_allclose(rotations.of_matrix(rotations.matrix(b)), b * np.sign(b[:, :1]), atol=1e-15)
    for wrong in (
        [0.0, 0.0, 0.0, 0.0],
        [np.nan, 0.0, 0.0, 1.0],
        [[1.0, 0.0, 0.0, 0.0], [0.0, np.inf, 0.0, 0.0]],
    ):
        with pytest.raises(ValueError, match="is not a rotation"):
            rotations.unit(wrong)


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
