"""Columns gathered from fields of parts: the same numbers as with NumPy, for any class of parts."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from polybody.assembly import gather
from polybody.base.source import COLUMN_BITS, Source
from polybody.generated.formats.urdf import Joint, Link
from polybody.generated.model import ShapeType
from polybody.geometry import bounds
from polybody.model.column_checks import is_frozen
from polybody.rotations.arrays import unit

RNG = np.random.default_rng(5)


def parts(*values: Any) -> list[Any]:
    """Parts of each kind with these values."""
    return [SimpleNamespace(field=value) if row % 2 else {"field": value} for row, value in enumerate(values)]


def test_numbers_of_rows_of_any_kind() -> None:
    rows = [(1.0, 2, 3.5), [4, 5.0, -0.0], np.array([6.0, 7.0, 8.0]), RNG.normal(size=3)]
    for make, kind in ((gather.reals, np.float64), (gather.singles, np.float32)):
        found = make(parts(*rows), "field", 3)
        assert found.dtype == kind
        assert found.tobytes() == np.array(rows, dtype=kind).tobytes()
        assert is_frozen(found)
        assert make([], "field", 3).shape == (0, 3)
        assert make([], "field").shape == (0,)
    assert gather.integers(parts(3, ShapeType.box, True), "field").tolist() == [3, int(ShapeType.box), 1]
    assert gather.integers(parts((1, 2), [3, 4]), "field", 2).tolist() == [[1, 2], [3, 4]]
    assert gather.flags(parts(None, 0, 2, "x"), "field").tolist() == [0, 0, 1, 1]


def test_what_is_no_row_is_refused() -> None:
    with pytest.raises(ValueError, match="does not have 3 numbers"):
        gather.reals(parts((1.0, 2.0)), "field", 3)
    with pytest.raises(ValueError, match="does not have 2 numbers"):
        gather.integers(parts((1, 2, 3)), "field", 2)
    with pytest.raises(OverflowError):
        gather.integers(parts(1 << 31), "field")
    with pytest.raises(TypeError):
        gather.reals(parts("x"), "field")
    with pytest.raises(KeyError):
        gather.reals([{}], "field")
    with pytest.raises(ValueError, match="not a rotation"):
        gather.units(parts((0.0, 0.0, 0.0, 0.0)), "field")


def test_numbers_that_may_be_missing() -> None:
    assert gather.given(parts(None, 0.0, None), "field") is None
    found = gather.given(parts(None, 2.0), "field")
    assert found is not None
    assert found.tolist() == [0.0, 2.0]
    assert gather.listed(parts(None, (1.0, 2.0), 3.0), "field", lambda part: [7.0]).tolist() == [7.0, 1, 2, 3]
    each = gather.per_dof(parts(2.0, None, (3.0, 4.0)), "field", (3, 1, 2), lambda part, name: part[name])
    assert each.tolist() == [2.0, 2.0, 2.0, 0.0, 3.0, 4.0]


def test_ranges() -> None:
    infinite = float("inf")
    limited, bounds_ = gather.ranges(
        parts(None, (-infinite, infinite), (-1.0, infinite), (-infinite, 2.0), (-1e30, 3.0)), "field"
    )
    assert limited.tolist() == [0, 0, 1, 1, 1]
    assert bounds_.tolist() == [[0, 0], [0, 0], [-1, 1e10], [-1e10, 2], [-1e10, 3]]


def test_unit_quaternions_are_left_and_others_normalised() -> None:
    found = gather.units(parts((1.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0)), "field")
    assert found.tolist() == [[1, 0, 0, 0], [1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5]]


def test_inertias_that_are_all_diagonal_have_moments() -> None:
    plain = [SimpleNamespace(inertia=None), SimpleNamespace(inertia=np.diag([1.0, 2.0, 2.5]))]
    inertia, moments, axes = gather.inertias(plain)
    assert inertia.tolist() == [np.zeros((3, 3)).tolist(), np.diag([1.0, 2.0, 2.5]).tolist()]
    assert moments is not None
    assert axes is not None
    assert moments.tolist() == [[0, 0, 0], [1, 2, 2.5]]
    assert axes.tolist() == [[1, 0, 0, 0]] * 2
    for number, place in ((0.1, (0, 1)), (-1.0, (1, 1)), (np.nan, (2, 2))):
        other = np.eye(3)
        other[place] = number
        _, moments, axes = gather.inertias([*plain, SimpleNamespace(inertia=other)])
        assert moments is None
        assert axes is None


def test_extents_are_the_bounds_of_shapes() -> None:
    geoms = [
        SimpleNamespace(type=shape, size=tuple(RNG.uniform(0.1, 2, size=count).tolist()))
        for shape in ShapeType
        for count in (1, 2, 3)
    ]
    sizes, boxes, balls = gather.extents(geoms)
    for geom, size, box, ball in zip(geoms, sizes, boxes, balls, strict=True):
        assert size.tolist() == [*geom.size, 0.0, 0.0][:3]
        low, high, radius = bounds(geom.type.name, (size[0], size[1], size[2]))
        assert box.tolist() == [
            *[(a + b) / 2 for a, b in zip(low, high, strict=True)],
            *[(b - a) / 2 for a, b in zip(low, high, strict=True)],
        ]
        assert ball == radius


def test_places() -> None:
    here, made, part = Link(name="a"), Joint(name="b"), SimpleNamespace(place="b.dmd.yaml:2:1")
    here._source, here._position = Source("a.xml", b""), (7 << COLUMN_BITS) + 3
    assert gather.places([here, None, made, part]) == ("a.xml:7:4", "", "", "b.dmd.yaml:2:1")


def test_unit_quaternions() -> None:
    given = RNG.normal(size=(50, 4)) * 10.0 ** RNG.integers(-300, 300, size=(50, 1))
    found = gather.units(parts(*given), "field")
    assert found == pytest.approx(unit(given), abs=4e-16)
    assert is_frozen(found)
    for wrong in (float("nan"), float("inf"), -float("inf")):
        with pytest.raises(ValueError, match="is not a rotation"):
            gather.units(parts((1.0, wrong, 2.0, 0.0)), "field")


def test_fields_in_slots_as_in_others() -> None:
    @dataclass(slots=True)
    class Slotted:
        field: Any

    @dataclass(slots=True)
    class Other:
        first: int
        field: Any

    mixed = [
        Slotted(1.5),
        Slotted(2.5),
        Other(0, 3.5),
        {"field": 4.5},
        SimpleNamespace(field=5.5),
        Slotted(6.5),
    ]
    assert gather.values(mixed, "field") == (1.5, 2.5, 3.5, 4.5, 5.5, 6.5)
    assert gather.reals(mixed, "field").tolist() == [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    empty = Slotted(1.0)
    del empty.field
    with pytest.raises(AttributeError, match="field"):
        gather.values([Slotted(1.0), empty], "field")


def test_inertias_of_six_numbers_are_those_of_matrices() -> None:
    xx, yy, zz, xy, xz, yz = six = (1.0, 2.0, 2.5, 0.1, -0.2, 0.3)
    matrix = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    found, moments, axes = gather.inertias([SimpleNamespace(inertia=each) for each in (six, matrix, None)])
    assert found.tolist() == [[list(line) for line in matrix]] * 2 + [[[0.0] * 3] * 3]
    assert (moments, axes) == (None, None)
    _, moments, axes = gather.inertias([SimpleNamespace(inertia=(1.0, 2.0, 2.5, 0.0, 0.0, 0.0))])
    assert moments is not None
    assert axes is not None
    assert (moments.tolist(), axes.tolist()) == ([[1.0, 2.0, 2.5]], [[1.0, 0.0, 0.0, 0.0]])


class Carried:
    """A body that is attached to another body or to the world."""

    def __init__(self, parent: Carried | None) -> None:
        self.parent = parent


def test_bodies_come_depth_first() -> None:
    world, a, b = Carried(None), Carried(None), Carried(None)
    c, d = Carried(a), Carried(a)
    lost = Carried(Carried(None))
    found, parents = gather.depth_first([a, b, c, d, lost], world)
    assert found == [world, a, c, d, b]
    assert parents.tolist() == [0, *(found.index(body.parent or world) for body in found[1:])]
    assert gather.numbered([world, a, c]) == {world: 0, a: 1, c: 2}


def test_rows_by_instance_and_name() -> None:
    named = [SimpleNamespace(instance=owner, name=name) for owner, name in ((1, "a"), (2, "a"), (1, "a"))]
    found = {(2, "a"): 0}
    gather.named_rows(named, 7, found)
    assert found == {(2, "a"): 0, (1, "a"): 7}


def test_bodies_that_carry_themselves_end() -> None:
    world, body = Carried(None), Carried(None)
    with pytest.raises(ValueError, match="its own ancestor"):
        gather.depth_first([body, world], world)


def test_bounds_count_if_they_are_enabled() -> None:
    given = [SimpleNamespace(range=(0.0, 1.0), limited=on) for on in (True, False)]
    limited, bounds = gather.ranges(given, "range", "limited")
    assert (limited.tolist(), bounds.tolist()) == ([1, 0], [[0.0, 1.0]] * 2)
    assert gather.ranges(given, "range")[0].tolist() == [1, 1]


def test_equal_rows() -> None:
    assert gather.repeated((1, 2.5), 3).tolist() == [[1.0, 2.5]] * 3
    assert gather.repeated((1.0,), 0).shape == (0, 1)
    assert is_frozen(gather.repeated((1.0,), 2))
    assert gather.having(parts(0, 1, None, "x"), "field") == [*parts(None, 1)[1:], *parts(None, "x")[1:]]


def test_numbers_by_degree_of_freedom() -> None:
    joints = [SimpleNamespace(damping=value) for value in (0.5, None, 2.0)]
    found = gather.per_dof(joints, "damping", [1, 2, 3], lambda joint, name: [9.0])
    assert found.tolist() == [0.5, 0.0, 0.0, 2.0, 2.0, 2.0]
    joints[1].damping = (3.0, 4.0)
    found = gather.per_dof(joints, "damping", [1, 2, 3], lambda joint, name: list(getattr(joint, name)))
    assert found.tolist() == [0.5, 3.0, 4.0, 2.0, 2.0, 2.0]
