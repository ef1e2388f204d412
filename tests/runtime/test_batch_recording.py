"""Batches: recording, and instances that fail."""

from __future__ import annotations

import gc
import pickle
import weakref
from typing import Any

import numpy as np
import polybody as pb
import pytest

from tests.runtime.batches import rail, started
from tests.runtime.models import chain

# --- recording -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("steps", "every"), [(20, 1), (20, 5), (23, 5), (3, 5), (0, 1), (100, 33)])
@pytest.mark.parametrize("n", [1, 9])
def test_every_so_many_steps_are_written_down(width: str, n: int, steps: int, every: int) -> None:
    recorded, by_hand_ = started(n, threads=2), started(n)
    out = recorded.step(steps, every=every)
    assert out is not None
    assert set(out) == {"time", "qpos", "qvel"}
    assert len(out["qpos"]) == steps // every
    for frame in range(steps // every):
        by_hand_.step(every)
        for name in out:
            assert out[name][frame].tobytes() == getattr(by_hand_, name).tobytes(), (name, frame)
    by_hand_.step(steps % every)
    assert recorded.get_state().tobytes() == by_hand_.get_state().tobytes()


def test_long_calls_are_taken_in_pieces(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that Ctrl-C can end them; the results do not show it."""
    expected, batch = started(9), started(9)
    whole = expected.step(100, every=7)
    most = dict.fromkeys(("loop", "specialized"), 9 * 2 * 5)
    monkeypatch.setattr("polybody.simulation.batch.pieces.UNINTERRUPTED", most)
    calls: list[int] = []
    run = batch._pool.run
    monkeypatch.setattr(batch._pool, "run", lambda *given: (calls.append(1), run(*given)))
    pieces = batch.step(100, every=7)
    assert len(calls) == 20
    assert whole is not None
    assert pieces is not None
    assert all(pieces[name].tobytes() == whole[name].tobytes() for name in whole)
    assert batch.get_state().tobytes() == expected.get_state().tobytes()
    watched = weakref.ref(pieces["qpos"])
    del pieces
    gc.collect()
    assert watched() is None, "what was recorded is not kept"


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize(("n", "past"), [(43, 0), (43, 4), (64, 24)])
def test_what_is_too_large_for_caches(precision: str, n: int, past: int) -> None:
    """It is written past the caches, wherever in a cache line an array starts."""
    model, size = chain(7), 4 if precision == "float32" else 8
    batch, again = (
        pb.BatchStepper(model, n, precision=precision, threads=2, kernels="specialized") for _ in range(2)
    )
    rng = np.random.default_rng(0)
    start = rng.normal(size=(n, 7))
    batch.qvel[...] = again.qvel[...] = start
    steps = (1 << 22) // (n * 7 * size) + 1
    space = np.full(past + steps * n * 7 * size + 64, 255, dtype=np.uint8)
    qpos = space[past : past + steps * n * 7 * size].view(precision).reshape(steps, n, 7)
    batch.step(steps, every=1, out={"qpos": qpos})
    assert qpos.nbytes >= 1 << 22
    apart = np.empty((7, steps, n), dtype=precision).transpose(1, 2, 0)
    again.step(steps, every=1, out={"qpos": apart})
    assert np.array_equal(qpos, apart)
    assert (space[:past] == 255).all()
    assert (space[past + qpos.nbytes :] == 255).all()


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_into_arrays_of_any_strides(width: str, precision: str) -> None:
    batch, again = started(9, precision=precision), started(9, precision=precision)
    expected = batch.step(12, every=4)
    assert expected is not None
    shapes = {"qpos": (1, 9, 3), "time": (9, 3), "qacc": (1, 9, 3), "qfrc_applied": (1, 9, 3)}
    whole = {
        name: np.full((*shape[:-1], 6), np.nan, "f8" if name == "time" else precision)
        for name, shape in shapes.items()
    }
    out = {name: array[..., ::2].transpose(*reversed(range(array.ndim))) for name, array in whole.items()}
    assert again.step(12, every=4, out=out) is out
    assert out["qpos"].tobytes() == expected["qpos"].tobytes()
    assert out["time"].tobytes() == expected["time"].tobytes()
    assert out["qacc"][-1].tobytes() == again.qacc.tobytes()
    assert (out["qfrc_applied"] == again.qfrc_applied).all()
    for array in whole.values():
        assert np.isnan(array[..., 1::2]).all(), "nothing between was written to"


@pytest.mark.parametrize(
    ("out", "error", "words"),
    [
        ({"qpos": np.zeros((3, 9, 2))}, ValueError, r"out.* has shape \(3, 9, 2\), but the recorded"),
        ({"qpos": np.zeros((2, 9, 1))}, ValueError, r"the recorded column has \(3, 9, 1\)"),
        ({"time": np.zeros((3, 9, 1))}, ValueError, r"the recorded column has \(3, 9\)"),
        ({"qpos": np.zeros((3, 9, 1), "f4")}, TypeError, "an array of float64, not float32"),
        ({"qpos": [0.0]}, TypeError, "an array of float64, not list"),
        ({"xpos": np.zeros((3, 9, 1))}, ValueError, "recorded columns must be among time, qpos, "
        ".* not 'xpos'"),
        ({"qpos": np.broadcast_to(np.zeros((9, 1)), (3, 9, 1))}, ValueError, "cannot be written to"),
        ([np.zeros((3, 9, 1))], TypeError, "out must be a mapping of names to arrays, not list"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_to(out: Any, error: type[Exception], words: str) -> None:
    batch = started(9, kernels="loop")
    before = batch.get_state()
    with pytest.raises(error, match=words):
        batch.step(12, every=4, out=out)
    assert batch.get_state().tobytes() == before.tobytes()


# --- failures --------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("piece", [1, 7, 40])
def test_one_fails_and_the_others_go_on(width: str, piece: int, threads: int) -> None:
    model = rail(stiffness=6.0, timestep=1.0)  # too long a step: all diverge, some not far enough
    qpos = 1e-100 * np.arange(17.0)[:, None]
    batch, calm = (pb.BatchStepper(model, 17, threads=threads, limit=np.inf) for _ in range(2))
    calm.qpos = qpos
    qpos[3], qpos[11], qpos[16] = 1.0, 1e300, np.nan
    batch.qpos = qpos
    for _ in range(680 // piece):
        batch.step(piece)
        calm.step(piece)
    steps = 680 // piece * piece
    assert np.flatnonzero(batch.failed).tolist() == [3, 11, 16]
    assert not calm.failed.any()
    others = ~batch.failed
    assert batch.get_state()[others].tobytes() == calm.get_state()[others].tobytes()
    assert (batch.time[others] == steps).all()
    sim = pb.Stepper(model, kernels="loop", limit=np.inf)
    for i in (3, 11):
        sim.reset()
        sim.data.qpos = qpos[i]
        with pytest.raises(pb.SimulationError) as caught:
            sim.step(steps)
        assert batch.time[i] == sim.data.time
        np.testing.assert_allclose(batch.qpos[i], sim.data.qpos, rtol=1e-11)
        error = batch.failure(i)
        assert (error.instance, error.body, error.joint, error.time) == (i, "point", "rail", sim.data.time)
        assert str(error) == str(caught.value).replace("joint 0 'rail'", f"joint 0 'rail', instance {i}")
    assert batch.time[16] == 0
    assert "qpos was NaN or infinite" in str(batch.failure(16))


def test_recording_of_one_that_fails(width: str) -> None:
    batch = pb.BatchStepper(rail(stiffness=6.0, timestep=1.0), 3)
    batch.qpos[1] = 1e2
    out = batch.step(40, every=1)
    assert out is not None
    assert np.isfinite(out["qpos"]).all()
    end = int(batch.time[1])
    assert 0 < end < 40
    assert (out["qpos"][end - 1 :, 1] == batch.qpos[1]).all()
    assert out["time"][:, 1].tolist() == [min(k + 1.0, end) for k in range(40)]


def test_one_that_failed_moves_again_once_it_is_put_right(width: str) -> None:
    batch = started(9)
    batch.qvel[4] = np.inf
    batch.step(5)
    assert np.flatnonzero(batch.failed).tolist() == [4]
    batch.qvel[4] = 0.0
    batch.step(5)
    assert batch.time[4] == 0.0, "it stays as it is until that is asked for"
    batch.failed[4] = False
    batch.step(5)
    assert batch.time[4] == pytest.approx(0.05)
    batch.qfrc_applied[4] = np.nan
    batch.step(5)
    assert batch.failed[4]
    batch.reset(4)
    assert not batch.failed.any()
    batch.step(5)
    assert not batch.failed.any()
    with pytest.raises(ValueError, match="instance 4 has not failed"):
        batch.failure(4)


def test_raising(width: str) -> None:
    batch = started(9, on_failure="raise")
    batch.step(2)
    batch.qvel[[5, 7]] = np.nan
    with pytest.raises(pb.SimulationError, match="qvel was NaN or infinite before the step") as caught:
        batch.step(3)
    error = caught.value
    assert (error.instance, error.joint, error.steps, error.time) == (5, "rail", 0, pytest.approx(0.02))
    assert "instance 5" in str(error)
    assert pickle.loads(pickle.dumps(error)).instance == 5
    assert batch.time[0] == pytest.approx(0.05), "the others took all steps"
    batch.step(3)  # no new failures
