"""Derived columns: derivations declare what they read, and replaced Models reuse columns that are still
valid.
"""

import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.model.checks import AXES, GIVEN
from polybody.model.derived import ROLES, depends_on, derivation
from polybody.model.model import EMPTY, PRESENT, Columns

from tests.moving.workshop import workshop

DERIVED = tuple(name for name, role in ROLES.items() if role == "derived")
COMPUTED = tuple(name for name, role in ROLES.items() if role == "computed")
FREE = frozenset(
    (
        *("opt_gravity", "opt_timestep", "dof_damping", "dof_stiffness", "actuator_biasprm", "geom_friction"),
        *("sensor_cutoff", "jnt_solref"),
    )
)
"""Given columns that may have any numbers, apart from their sign."""


class Seen(Mapping[str, Any]):
    """A Model's columns, with a record of those that were read."""

    def __init__(self, model: pb.Model) -> None:
        self.columns, self.names = Columns(model), set[str]()

    def __getitem__(self, name: str) -> Any:
        self.names.add(name)
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("a derivation reads every column")

    def __len__(self) -> int:
        return len(self.columns)


def test_columns_without_rows_are_what_their_derivations_make() -> None:
    """Nothing is computed of axes in which a Model has no rows."""
    model = pb.load("m.xml", text="<mujoco/>")
    empty = [name for name in EMPTY if not len(getattr(model, PRESENT[AXES[name]]))]
    assert {"actuator", "flexedge", "ten_J", "wrap"} <= {AXES[name] for name in empty}
    for name in empty:
        made = derivation(name).make(model if ROLES[name] == "computed" else Columns(model))[name]
        assert (made.shape, made.dtype) == (EMPTY[name].shape, EMPTY[name].dtype), name
        assert model._column(name).shape == EMPTY[name].shape


@pytest.mark.parametrize("name", DERIVED)
def test_a_derivation_reads_what_it_says(name: str) -> None:
    seen = Seen(workshop())
    derived = derivation(name)
    assert set(derived.make(seen)) == set(derived.names)
    assert seen.names <= set(derived.reads)
    assert depends_on(name) <= GIVEN.keys()


@pytest.mark.parametrize("name", COMPUTED)
def test_what_kernels_compute_reads_what_it_says(name: str) -> None:
    model = workshop()
    others, rng = {}, np.random.default_rng(1)
    for column in sorted(FREE - depends_on(name)):
        values = np.array(model._column(column))
        others[column] = values + rng.uniform(0.1, 0.2, values.shape)
    assert len(others) >= 6
    other = pb.Model(model.given() | others, model.names)
    assert _bits(other, name) == _bits(model, name)
    heavy = model.replace(body_mass=2 * model.body_mass, body_inertia=2 * model.body_inertia)
    assert _bits(heavy, name) == _bits(pb.Model(heavy.given(), model.names), name)


def test_another_model_keeps_what_does_not_change() -> None:
    model = workshop()
    weights, spatial = model.dof_invweight0, model.body_spatial
    slower = model.replace(opt_timestep=0.1, body_mass=model.body_mass.copy())
    assert slower.dof_invweight0 is weights
    assert slower.body_spatial is spatial
    heavy = model.replace(body_mass=2 * model.body_mass)
    assert (heavy.body_spatial[:, 0] == 2 * spatial[:, 0]).all()
    assert not np.array_equal(heavy.dof_invweight0, weights)
    assert heavy.jnt_qposadr is model.jnt_qposadr


def test_what_was_computed_is_saved(tmp_path: Path) -> None:
    model = workshop()
    weights, length = model.dof_invweight0, model.actuator_length0
    model.save(tmp_path / "model.npz")
    for other in (pickle.loads(pickle.dumps(model)), pb.Model.load(tmp_path / "model.npz")):
        assert other == model
        assert {"dof_invweight0", "actuator_length0"} <= other._late.keys()
        assert (other.dof_invweight0 == weights).all()
        assert (other.actuator_length0 == length).all()


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 2)), np.array(["a"]), np.full(200, np.inf)])
def test_what_was_not_computed_of_such_a_model_is_refused(tmp_path: Path, wrong: Any) -> None:
    model = workshop()
    _ = model.dof_invweight0
    model._late["dof_invweight0"] = wrong
    model.save(tmp_path / "model.npz")
    with pytest.raises(pb.ModelError, match="dof_invweight0 is infinite, or does not have shape"):
        pb.Model.load(tmp_path / "model.npz")


def _bits(model: pb.Model, name: str) -> bytes:
    return model._column(name).tobytes()
