"""Derived data of all instances of a batch, computed at once: the same as each instance's Model has."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from numpy.typing import NDArray
from polybody.collision import collision_table
from polybody.collision.table import PLACES as OF_COLLISION
from polybody.constraints.lane_models import why_one_by_one
from polybody.constraints.solver import DTYPES, MODEL
from polybody.constraints.solver import PLACES as OF_TABLES
from polybody.errors import ModelError
from polybody.generated.kernels.layout import PLACES
from polybody.model.checks import UNIT
from polybody.model.model import Model
from polybody.model.variants import Variants, invalid
from polybody.simulation.batch.memory import parameters

Array = NDArray[Any]
COUNT, STEPS = 6, 20
RESULTS = ("sensordata", "xpos", "qfrc_passive", "actuator_force")


@cache
def _model() -> Model:
    return pb.load(Path(__file__).with_name("varied.xml"))


INERT = ("tendon_armature", "actuator_armature")
"""Parameters that only a Model can have in which something is not 0."""
PRESENT = tuple(name for name in parameters() if _model()._column(name).size and name not in INERT)
SLOW = frozenset(("wrap_prm",))
"""Parameters for which each instance builds its Model."""


def _varied(model: Model, name: str, seed: int = 3) -> Array:
    """Valid values of a column for each instance, near the Model's; those of the first are the Model's."""
    rng = np.random.default_rng(seed)
    base = model._column(name)
    by_row = (COUNT, len(base), 1) if name == "body_inertia" else (COUNT, *base.shape)
    found = np.array(base * rng.uniform(0.95, 1.05, size=by_row))
    if name in UNIT:
        found /= np.linalg.norm(found, axis=-1, keepdims=True)
    if name in ("qpos0", "qpos_spring"):
        for first in (3, 12):
            found[:, first : first + 4] /= np.linalg.norm(found[:, first : first + 4], axis=1, keepdims=True)
    if name in ("body_pos", "body_quat"):
        found[:, 0] = base[0]
    if name == "wrap_prm":
        found[...] = base
        found[1:, base > 0] *= 1.5
    found[0] = base
    return found


# --- the data themselves ---------------------------------------------------------------------------


def _at(address: int, like: Array) -> Array:
    if not like.nbytes:
        return like
    memory: Any = (ctypes.c_char * like.nbytes).from_address(address)
    return np.frombuffer(memory, like.dtype).reshape(like.shape)


def _pointer(struct: int, place: int) -> int:
    return int(ctypes.c_uint64.from_address(struct + place).value)


def _data(batch: pb.BatchStepper, row: int, model: Model) -> Iterator[tuple[str, Array, Array]]:
    """What an instance's structs point to, and the same of its Model."""
    own: Any = batch._models
    if own is not None and own.kernels is not None:
        kernel = int(own.kernels[row])
        for name, column in model.kernel.arrays.items():
            if name != "link":
                yield name, _at(_pointer(kernel, PLACES[name]), column), column
    if own is None or own.tables is None:
        return
    tables = int(own.tables[row])
    for name, kind in MODEL:
        column = np.ascontiguousarray(model._column(name), DTYPES[kind]).reshape(-1)
        yield name, _at(_pointer(tables, OF_TABLES[name]), column), column
    collision, table = _pointer(tables, OF_TABLES["collision"]), collision_table(model)
    geoms = _at(_pointer(collision, OF_COLLISION["geom"]), table.geoms)
    softened = bool((model.geom_stiffness > 0).any())
    for field in table.geoms.dtype.names or ():
        if field != "weight" or softened:  # otherwise nothing reads it
            yield f"geom {field}", geoms[field], table.geoms[field]
    listed = _at(_pointer(collision, OF_COLLISION["listed"]), table.listed)
    for field in ("bodies", "order", "reach", "geom", "plane"):
        yield f"candidate {field}", listed[field], table.listed[field]
    first = np.zeros(int(listed["manner"].max()) + 1, table.manners.dtype)
    manners = _at(_pointer(collision, OF_COLLISION["manner"]), first)
    for field in table.manners.dtype.names or ():
        mine, expected = manners[field], table.manners[field]
        yield f"manner {field}", mine[listed["manner"]], expected[table.listed["manner"]]
    for field in ("timestep", "tolerance"):
        value = np.zeros(1)
        expected_place = table.address + OF_COLLISION[field]
        yield field, _at(collision + OF_COLLISION[field], value), _at(expected_place, value)


@pytest.mark.parametrize("name", PRESENT)
def test_the_data_of_instances_are_those_of_their_models(name: str) -> None:
    batch = pb.BatchStepper(_model(), COUNT, parameters=(name,), kernels="loop", threads=2)
    own: Any = batch._models
    assert own is None or (bool(own.one_by_one) == (name in SLOW))
    batch.parameters[name] = _varied(_model(), name)
    if own is not None:
        own.refresh()
    assert not batch.failed.any()
    for row in range(COUNT):
        for what, found, expected in _data(batch, row, batch.instance_model(row)):
            finite = np.isfinite(expected)
            np.testing.assert_array_equal(found[~finite], expected[~finite], err_msg=what)
            away = np.abs(found[finite] - expected[finite]).max(initial=0)
            assert away <= 1e-13 * np.abs(expected[finite]).max(initial=0), (what, row)


def test_no_instance_builds_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    names = tuple(name for name in PRESENT if name not in SLOW)
    batch = pb.BatchStepper(_model(), COUNT, parameters=names, kernels="loop")
    for name in names:
        batch.parameters[name] = _varied(_model(), name)
    batch._models.refresh()  # type: ignore[union-attr]  # the kinds of instances are known from now on
    batch.parameters["body_mass"] *= 1.1
    batch.parameters["geom_friction"] *= 0.9
    batch.parameters["jnt_range"] *= 0.9
    monkeypatch.setattr(Model, "replace", lambda *_, **__: pytest.fail("a Model was built"))
    batch.step(2)
    assert not batch.failed.any()


# --- checks ----------------------------------------------------------------------------------------


def _spoiled(base: Array, rng: np.random.Generator) -> Array:
    """A column with one unusual number: whether it is valid depends on the column."""
    found = np.array(base)
    place = tuple(int(rng.integers(n)) for n in base.shape)
    unusual = (np.nan, np.inf, 0.0, -1.0, -found[place], 1e308, 3 * found[place] + 1e-3, 1.0, 1e-7)
    found[place] = unusual[int(rng.integers(len(unusual)))]
    return found


def _refused(model: Model, **columns: Any) -> bool:
    try:
        model.replace(**columns)
    except ModelError:
        return True
    return False


@pytest.mark.parametrize("name", PRESENT)
def test_invalid_parameters_are_those_that_models_refuse(name: str) -> None:
    model, rng = _model(), np.random.default_rng(PRESENT.index(name))
    values = np.stack([_spoiled(model._column(name), rng) for _ in range(60)])
    found = invalid(Variants(model, len(values), {name: values}), (name,))
    assert found.tolist() == [_refused(model, **{name: each}) for each in values]
    assert found.any()


def test_masses_and_inertias_are_checked_together() -> None:
    model, rng = _model(), np.random.default_rng(0)
    names = ("body_mass", "body_inertia", "body_ipos")
    values = {name: np.stack([_spoiled(model._column(name), rng) for _ in range(200)]) for name in names}
    found = invalid(Variants(model, 200, values), names)
    each = [{name: array[k] for name, array in values.items()} for k in range(200)]
    assert found.tolist() == [_refused(model, **columns) for columns in each]
    assert 20 < found.sum() < 200


@pytest.mark.parametrize("kernels", ["specialized", "loop"])
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_an_invalid_instance_is_named_and_the_others_go_on(precision: str, kernels: str) -> None:
    names = ("body_mass", "body_inertia", "geom_friction")
    given: Any = {"parameters": names, "precision": precision, "kernels": kernels}
    batch, sound = (pb.BatchStepper(_model(), COUNT, **given) for _ in range(2))
    batch.parameters["body_mass"][1, 2] = -1
    batch.parameters["body_inertia"][2, 3] = (1, 1, 3)
    batch.parameters["geom_friction"][3] = np.nan
    for each in (batch, sound):
        each.step(3)
    assert batch.failed.tolist() == [False, True, True, True, False, False]
    others = [0, 4, 5]
    assert batch.qpos[others].tobytes() == sound.qpos[others].tobytes()
    assert "instance 1: body 2 'box': mass -1.0 is below 0" in str(batch.failure(1))
    assert "instance 2: body 3 'arm': impossible principal moments" in str(batch.failure(2))
    assert "instance 3: geom 0 'floor': friction" in str(batch.failure(3))
    for name in names:
        batch.parameters[name] = _model()._column(name)
    batch.reset([1, 2, 3])
    batch.step(3)
    assert not batch.failed.any()
    assert batch.qpos[1].tobytes() == sound.qpos[0].tobytes()


# --- steps -----------------------------------------------------------------------------------------

AT_ONCE = ("body_mass", "body_inertia", "body_ipos", "dof_armature", "geom_friction", "pair_friction")
PATHS = {
    "masses and frictions": AT_ONCE,
    "poses": ("body_pos", "jnt_axis", "jnt_pos", "qpos0", "site_pos", "cam_pos", "light_pos"),
    "constraints": ("jnt_range", "geom_solref", "geom_margin", "geom_size", "tendon_range", "opt_timestep"),
    "forces": ("actuator_gear", "actuator_biasprm", "tendon_stiffness", "dof_damping", "body_gravcomp"),
}


@pytest.mark.parametrize("kernels", ["specialized", "loop"])
@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-10), ("float32", 2e-3)])
@pytest.mark.parametrize("names", PATHS.values(), ids=PATHS)
def test_instances_move_as_their_models(
    names: tuple[str, ...], precision: str, tolerance: float, kernels: str
) -> None:
    given: Any = {"results": RESULTS, "precision": precision}
    batch = pb.BatchStepper(_model(), COUNT, parameters=names, kernels=kernels, threads=2, **given)
    assert bool(why_one_by_one(_model(), names)) == (names not in (AT_ONCE, PATHS["forces"]))
    for name in names:
        batch.parameters[name] = _varied(_model(), name)
    rng = np.random.default_rng(7)
    batch.qvel = rng.normal(size=batch.qvel.shape) * 0.3
    batch.ctrl = rng.uniform(size=batch.ctrl.shape)
    alone = [pb.BatchStepper(batch.instance_model(k), 1, kernels="loop", **given) for k in range(COUNT)]
    for k, one in enumerate(alone):
        one.set_state(batch.get_state()[k : k + 1])
        one.step(STEPS)
    batch.step(STEPS)
    assert not batch.failed.any()
    for name in ("qpos", "qvel", *RESULTS):
        found, expected = (_column(batch, name), np.concatenate([_column(one, name) for one in alone]))
        assert np.abs(found - expected).max() < tolerance * (1 + np.abs(expected).max()), name


def _column(batch: pb.BatchStepper, name: str) -> Array:
    return np.asarray(batch.results[name] if name in RESULTS else getattr(batch, name))


ABSENT: dict[str, tuple[tuple[int, ...], float]] = {
    "body_gravcomp": ((4,), 0.5),
    "tendon_stiffness": ((0,), 4.0),
    "tendon_damping": ((0,), 2.0),
    "dof_stiffness": ((6,), 1.0),
    "dof_frictionloss": ((7,), 0.2),
    "opt_density": ((), 20.0),
}
"""Parameters that are zero in a Model, but not in some of its instances."""


@pytest.mark.parametrize("kernels", ["specialized", "loop"])
@pytest.mark.parametrize("name", ABSENT)
def test_instances_have_forces_that_the_model_does_not_have(name: str, kernels: str) -> None:
    zero: dict[str, Any] = {each: np.zeros_like(_model()._column(each)) for each in ABSENT}
    model = _model().replace(**zero)
    batch = pb.BatchStepper(model, 3, parameters=(name,), kernels=kernels)
    place, number = ABSENT[name]
    batch.parameters[name][(1, *place)] = number
    batch.qvel = np.full(batch.qvel.shape, 0.3)
    alone = [pb.BatchStepper(batch.instance_model(k), 1, kernels="loop") for k in range(3)]
    for one in alone:
        one.qvel = np.full(one.qvel.shape, 0.3)
        one.step(STEPS)
    batch.step(STEPS)
    np.testing.assert_allclose(batch.qvel, np.concatenate([one.qvel for one in alone]), atol=1e-9)
    assert batch.qpos[0].tobytes() == batch.qpos[2].tobytes()
    assert np.abs(batch.qvel[0] - batch.qvel[1]).max() > 1e-4
