"""Data: views onto the kernels' memory, state, copies, files."""

from __future__ import annotations

import copy
import gc
import pickle
from pathlib import Path

import numpy as np
import pytest
from polybody import engine
from polybody.engine.data import KEPT, Data
from polybody.errors import ModelError
from polybody.generated.model import TABLES
from polybody.model import model as model_module
from polybody.model import npz
from polybody.model.model import Model

from tests.runtime.models import everything, pendulum


@pytest.fixture(scope="module")
def model() -> Model:
    return everything()


def moving(model: Model, seed: int = 0) -> Data:
    rng = np.random.default_rng(seed)
    data = Data(model)
    data.qvel = rng.normal(size=model.nv)
    data.qfrc_applied = rng.normal(size=model.nv)
    engine.step(model, data, 7)
    engine.forward(model, data)
    return data


def test_it_starts_at_qpos0(model: Model) -> None:
    data = Data(model)
    assert data.time == 0.0
    assert isinstance(data.time, float)
    assert data.qpos.tolist() == model.qpos0.tolist()
    assert not data.qvel.any()
    assert not data.qfrc_applied.any()


def test_every_public_column_has_its_shape(model: Model) -> None:
    data = moving(model)
    engine.mass_matrix(model, data)
    for table in TABLES:
        if table.owner == "data":
            for column in table.columns:
                rows = (getattr(model, table.size),) if table.size else ()
                assert np.shape(getattr(data, column.name)) == (*rows, *column.shape), column.name


def test_views_show_the_present(model: Model) -> None:
    data = Data(model)
    qpos, xpos = data.qpos, data.xpos
    assert data.qpos is qpos
    engine.step(model, data, 3)
    engine.forward(model, data)
    assert np.shares_memory(qpos, data.qpos)
    assert qpos.tolist() != model.qpos0.tolist()
    assert xpos[1] == pytest.approx(qpos[:3])


def test_views_outlive_their_data(model: Model) -> None:
    qpos = moving(model).qpos
    gc.collect()
    held = qpos.copy()
    others = [moving(model, seed) for seed in range(20)]
    assert qpos.tolist() == held.tolist()
    assert len(others) == 20


def test_assigning_copies_in(model: Model) -> None:
    data = Data(model)
    view, given = data.qvel, np.arange(model.nv, dtype=float)
    data.qvel = given
    given[0] = 99
    assert view.tolist() == list(range(model.nv))
    data.qvel = 2
    assert view.tolist() == [2.0] * model.nv
    data.qvel[3] = 5
    assert view[3] == 5
    data.time = 3.5
    assert data.time == 3.5
    data.joint("turn").qpos = 0.25
    assert data.joint("turn").qpos.tolist() == [0.25]
    data.joint("root").qvel = np.arange(6)
    assert data.qvel[:6].tolist() == list(range(6))


def test_assigning_what_does_not_fit(model: Model) -> None:
    data = Data(model)
    for wrong in (np.zeros(model.nv + 1), np.zeros((1, model.nv)), np.zeros((model.nv, 1))):
        with pytest.raises(ValueError, match=r"qvel must have shape \(13,\)"):
            data.qvel = wrong
    with pytest.raises(ValueError, match="could not convert"):
        data.qpos = "here"
    with pytest.raises(ValueError, match="time must have shape"):
        data.time = [1.0, 2.0]
    with pytest.raises(AttributeError):
        data.qops = 3  # type: ignore[attr-defined]


def test_rows_by_name(model: Model) -> None:
    data = moving(model)
    hand = data.body("hand")
    assert hand.xpos.tolist() == data.xpos[4].tolist()
    assert hand.xmat.shape == (9,)
    assert data.joint("root").qpos.shape == (7,)
    assert data.joint("turn").qacc.tolist() == [data.qacc[10]]
    with pytest.raises(KeyError, match="did you mean 'shoulder'"):
        data.joint("sholder")


def test_reset_is_a_new_simulation(model: Model) -> None:
    data, new = moving(model), Data(model)
    data.reset()
    for name in KEPT:
        assert np.array_equal(getattr(data, name), getattr(new, name), equal_nan=True), name
    assert np.array_equal(data.qM, new.qM)


def test_a_state_put_back_has_the_same_future(model: Model) -> None:
    data = moving(model)
    state = data.get_state()
    assert state.shape == (1 + model.nq + 3 * model.nv + 6 * model.nbody,)
    engine.step(model, data, 20)
    future = data.get_state()
    data.set_state(state)
    engine.step(model, data, 20)
    assert data.get_state().tolist() == future.tolist()
    other = Data(model)
    other.set_state(state.tolist())
    engine.step(model, other, 20)
    assert other.get_state().tolist() == future.tolist()
    with pytest.raises(ValueError, match="a state of this Model must have shape"):
        data.set_state(state[:-1])


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, Data.copy, lambda d: pickle.loads(pickle.dumps(d))]
)
def test_copies_are_equal_and_independent(model: Model, copied: object) -> None:
    data = moving(model)
    other = copied(data)  # type: ignore[operator]
    assert other.model == model
    for name in KEPT:
        assert np.array_equal(getattr(other, name), getattr(data, name), equal_nan=True), name
    engine.step(other.model, other, 5)
    assert other.time > data.time


def test_pickled_together_they_share_a_model(model: Model) -> None:
    first, second = pickle.loads(pickle.dumps([moving(model, 1), moving(model, 2)]))
    assert first.model is second.model


def test_save_and_load(model: Model, tmp_path: Path) -> None:
    data = moving(model)
    data.save(tmp_path / "data.npz")
    alone = Data.load(tmp_path / "data.npz")
    assert alone.model == model
    shared = Data.load(tmp_path / "data.npz", model)
    assert shared.model is model
    for name in KEPT:
        assert np.array_equal(getattr(alone, name), getattr(data, name), equal_nan=True), name
    engine.step(model, data, 5)
    engine.step(alone.model, alone, 5)
    assert alone.get_state().tolist() == data.get_state().tolist()
    with pytest.raises(ModelError, match="a simulation of another Model"):
        Data.load(tmp_path / "data.npz", pendulum())
    with pytest.raises(ModelError, match="contains no saved model"):
        Model.load(tmp_path / "data.npz")
    model.save(tmp_path / "model.npz")
    with pytest.raises(ModelError, match="contains no saved data"):
        Data.load(tmp_path / "model.npz")


def test_what_another_version_saved_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data.npz"
    with monkeypatch.context() as older:
        older.setattr(npz, "SCHEMA_VERSION", "0")
        older.setattr(model_module, "SCHEMA_VERSION", "0")
        Data(pendulum()).save(path)
        pickled = pickle.dumps(Data(pendulum()))
    with pytest.raises(ModelError, match=r"data\.npz is of version 0 of the model's schema"):
        Data.load(path)
    with pytest.raises(ModelError, match="the pickled Model is of version 0"):
        pickle.loads(pickled)


def test_another_models_data_is_refused(model: Model) -> None:
    data = Data(pendulum())
    for function in (engine.forward, engine.step, engine.inverse, engine.mass_matrix, engine.energy):
        with pytest.raises(ValueError, match="the data simulate"):
            function(model, data)
    twin = everything()
    engine.forward(twin, Data(model))  # an equal Model counts as the same Model
