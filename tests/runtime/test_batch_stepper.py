"""Batches: the same numbers as single simulations, whatever stands beside; views, reset, recording, failures.

The loop kernels and a program written by hand, in several widths, move the same point on a rail.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import weakref
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import polybody as pb
import pytest
from numpy.typing import NDArray
from polybody.batch import stepper
from polybody.builder import ModelBuilder
from polybody.compiled.binder import Program
from polybody.model import Model

from tests.runtime.models import everything, pendulum
from tests.runtime.programs import spring

WIDTHS = ("loop", "1", "2", "4", "8")
COUNTS = (1, 7, 8, 9, 33)


def rail(stiffness: float = 4.0, timestep: float = 0.01) -> Model:
    """What programs.spring moves."""
    b = ModelBuilder("rail", timestep=timestep, gravity=(0, 0, 0))
    point = b.body(name="point", mass=1.0, inertia=(1, 1, 1))
    b.joint(point, "slide", axis=(0, 0, 1), name="rail", stiffness=stiffness)
    return b.build()


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Batches of rails are moved by the loop kernels, or by a program of so many lanes."""
    by_hand(monkeypatch, request.param)
    return request.param


def by_hand(monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    if width == "loop":
        monkeypatch.setattr(stepper, "mover", lambda *_: (None, "loop", "asked for"))
        return

    def mover(model: Model, kernels: str, precision: str, names: tuple[str, ...]) -> tuple[Any, str, str]:
        assert not names
        library = spring(
            lanes=int(width),
            real={"float64": "double", "float32": "float"}[precision],
            stiffness=float(model.dof_stiffness[0]),
            timestep=model.opt.timestep,
        )
        return Program(library), "specialized", "written by hand"

    monkeypatch.setattr(stepper, "mover", mover)


def states(n: int, nq: int = 1, nv: int = 1) -> tuple[NDArray[np.float64], ...]:
    """Positions, velocities, forces: row i is the same for every n."""
    rows = [np.random.default_rng(i).normal(size=nq + 2 * nv) for i in range(n)]
    return tuple(np.split(np.array(rows), [nq, nq + nv], axis=1))


def started(n: int, model: Model | None = None, **options: Any) -> pb.BatchStepper:
    batch = pb.BatchStepper(model or rail(), n, **options)
    batch.qpos, batch.qvel, batch.qfrc_applied = states(n)
    return batch


# --- the same numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize("n", COUNTS)
def test_like_single_simulations(width: str, n: int) -> None:
    batch = started(n)
    batch.step(100)
    for i in range(n):
        sim = pb.Stepper(rail(), kernels="loop")
        for name, values in zip(("qpos", "qvel", "qfrc_applied"), states(n), strict=True):
            setattr(sim.data, name, values[i])
        sim.step(100)
        for name in ("qpos", "qvel", "qacc"):
            np.testing.assert_allclose(
                getattr(batch, name)[i], getattr(sim.data, name), rtol=1e-12, atol=1e-14
            )
        assert batch.time[i] == sim.data.time


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_same_bits_for_every_number_place_and_thread(width: str, threads: int) -> None:
    alone = [started(1 + i) for i in range(33)]
    for batch in alone:
        batch.step(50)
    expected = np.array([batch.get_state()[-1] for batch in alone])
    for n in COUNTS:
        batch = started(n, threads=threads)
        batch.step(50)
        assert batch.get_state().tobytes() == expected[:n].tobytes()
        turned = started(n, threads=threads)
        for name, values in zip(("qpos", "qvel", "qfrc_applied"), states(n), strict=True):
            setattr(turned, name, values[::-1])
        for _ in range(25):
            turned.step(2)
        assert turned.get_state()[::-1].tobytes() == expected[:n].tobytes()


def test_every_joint_by_the_loop_kernels() -> None:
    model = everything()
    batch = pb.BatchStepper(model, 5, threads=2, kernels="loop")
    _, qvel, force = states(5, model.nq, model.nv)
    batch.qvel, batch.qfrc_applied = qvel, force
    batch.step(40)
    for i in range(5):
        sim = pb.Stepper(model, kernels="loop")
        sim.data.qvel, sim.data.qfrc_applied = qvel[i], force[i]
        sim.step(40)
        assert batch.get_state()[i].tobytes() == sim.data.get_state().tobytes()
        assert batch.instance(i).get_state().tobytes() == sim.data.get_state().tobytes()


def test_single_precision(width: str) -> None:
    single, double = started(9, precision="float32"), started(9)
    for batch in (single, double):
        batch.step(100)
    assert single.qpos.dtype == single.qvel.dtype == np.float32
    assert single.time.dtype == np.float64
    assert single.time.tobytes() == double.time.tobytes()
    assert 0 < np.abs(single.qpos - double.qpos).max() < 1e-4
    assert single.get_state().dtype == np.float64


@pytest.mark.parametrize("seed", range(5))
def test_whatever_is_done_to_it(width: str, seed: int) -> None:
    """A batch, and its instances one by one in batches of their own, through the same random calls."""
    random = np.random.default_rng(seed)
    n, model = 11, rail(stiffness=400.0, timestep=0.1)  # a step that is too long for some forces
    together = pb.BatchStepper(model, n, threads=2)
    alone = [pb.BatchStepper(model, 1) for _ in range(n)]
    for _ in range(40):
        rows = np.flatnonzero(random.random(n) < 0.3)
        match random.integers(6):
            case 0:
                values = random.normal(size=(n, 1)) * 10.0 ** random.integers(0, 200)
                together.qpos[rows] = values[rows]
                for i in rows:
                    alone[i].qpos = values[i]
            case 1:
                together.qfrc_applied[rows] = np.inf
                for i in rows:
                    alone[i].qfrc_applied = np.inf
            case 2:
                together.reset(rows, qvel=[0.5])
                for i in rows:
                    alone[i].reset(qvel=[0.5])
            case 3:
                together.failed[rows] = False
                for i in rows:
                    alone[i].failed = False
            case _:
                steps, every = int(random.integers(60)), int(random.integers(1, 20))
                out = together.step(steps, every=every)
                for i in range(n):
                    own = alone[i].step(steps, every=every)
                    assert out is not None
                    assert own is not None
                    for name, values in out.items():
                        assert values[:, i : i + 1].tobytes() == own[name].tobytes()
        assert together.get_state().tobytes() == np.concatenate([b.get_state() for b in alone]).tobytes()
        assert together.failed.tolist() == [bool(b.failed[0]) for b in alone]


# --- views -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", COUNTS)
def test_columns_are_views_of_the_usual_shape(width: str, n: int) -> None:
    batch = pb.BatchStepper(rail(), n)
    for name in ("qpos", "qvel", "qacc", "qfrc_applied"):
        view = getattr(batch, name)
        assert isinstance(view, np.ndarray)
        assert view.shape == (n, 1)
        view[n - 1] = 7.0
        assert getattr(batch, name)[n - 1, 0] == 7.0
    assert batch.time.shape == batch.failed.shape == (n,)
    kept = batch.qpos
    batch.qvel[:] = 1.0
    batch.step(3)
    assert kept[0, 0] == batch.qpos[0, 0] != 0.0


def test_writing_whole_columns() -> None:
    batch = pb.BatchStepper(pendulum(), 3, kernels="loop")
    batch.qpos = 0.5
    assert batch.qpos.tolist() == [[0.5]] * 3
    batch.qpos = [0.25]
    assert batch.qpos.tolist() == [[0.25]] * 3
    batch.qpos = [[1], [2], [3]]
    assert batch.qpos.tolist() == [[1.0], [2.0], [3.0]]
    batch.qpos[batch.qpos > 1.5] = 0
    assert batch.qpos.tolist() == [[1.0], [0.0], [0.0]]
    batch.qvel += 2
    assert batch.qvel.tolist() == [[2.0]] * 3
    with pytest.raises(
        ValueError, match=r"qpos has shape \(3, 1\), or \(1,\) for all, what was given \(1, 3\)"
    ):
        batch.qpos = [[1, 2, 3]]
    with pytest.raises(ValueError, match="qvel has numbers, what was given is <U3"):
        batch.qvel = "one"  # type: ignore[assignment]
    with pytest.raises(ValueError, match=r"time has shape \(3,\) what was given \(2,\)"):
        batch.time = [0, 1]  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        batch.qacc = 0.0  # type: ignore[misc]


def test_states_put_back(width: str) -> None:
    batch = started(9)
    batch.step(10)
    before = batch.get_state()
    assert before.shape == (9, 4)
    batch.step(10)
    after = batch.get_state()
    batch.set_state(before)
    batch.step(10)
    assert batch.get_state().tobytes() == after.tobytes()
    with pytest.raises(ValueError, match=r"the state has shape \(9, 4\), what was given \(9, 3\)"):
        batch.set_state(before[:, :3])


# --- reset -----------------------------------------------------------------------------------------

MASK = np.arange(9) % 3 == 1


@pytest.mark.parametrize(
    ("instances", "expected"),
    [
        (None, range(9)),
        (2, [2]),
        (-1, [8]),
        ([1, 4, 7], [1, 4, 7]),
        ((0, -9), [0]),
        (slice(1, None, 3), [1, 4, 7]),
        (MASK, [1, 4, 7]),
        (MASK.tolist(), [1, 4, 7]),
        (np.array([], int), []),
        ([], []),
        (~np.ones(9, bool), []),
    ],
)
def test_some_start_anew(width: str, instances: Any, expected: Any) -> None:
    batch = started(9)
    batch.step(5)
    before = batch.get_state()
    batch.reset(instances)
    after = batch.get_state()
    reset = np.isin(np.arange(9), list(expected))
    assert (after[reset] == 0).all()
    assert after[~reset].tobytes() == before[~reset].tobytes()
    batch.step(5)
    assert batch.time[reset] == pytest.approx(0.05)
    assert batch.time[~reset] == pytest.approx(0.1)


def test_where_they_start() -> None:
    model = everything()
    batch = pb.BatchStepper(model, 4, kernels="loop")
    batch.step(10)
    batch.reset([0, 2], qvel=np.ones(model.nv), time=[1.0, 2.0])
    assert batch.qpos[[0, 2]].tolist() == [model.qpos0.tolist()] * 2
    assert batch.qvel[[0, 2]].tolist() == [[1.0] * model.nv] * 2
    assert batch.time[[0, 2]].tolist() == [1.0, 2.0]
    places = model.qpos0 + np.array([[0.1], [0.2]])
    batch.reset([3, 1], qpos=places)
    assert batch.qpos[[3, 1]].tolist() == places.tolist()
    before = batch.get_state()
    with pytest.raises(ValueError, match="qvel has shape"):
        batch.reset([3, 1], qpos=places, qvel=[1.0, 2.0])
    with pytest.raises(ValueError, match="time has shape"):
        batch.reset([3, 1], qpos=places, time=[1.0, 2.0, 3.0])
    assert batch.get_state().tobytes() == before.tobytes()


@pytest.mark.parametrize(
    ("instances", "words"),
    [
        (9, "instances are 0 to 8, not 9 to 9"),
        ([0, -10], "not -10 to 0"),
        ([True, False], r"a mask of instances has shape \(9,\), not \(2,\)"),
        ([0.5], "whole numbers or a mask, not float64"),
        ([[1]], r"of shape \(1, 1\)"),
        ("all", "whole numbers or a mask, not <U3"),
    ],
)
def test_no_such_instances(instances: Any, words: str) -> None:
    batch = pb.BatchStepper(rail(), 9, kernels="loop")
    with pytest.raises(IndexError, match=words):
        batch.reset(instances)


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
    """So that Ctrl-C ends them; it does not show otherwise."""
    expected, batch = started(9), started(9)
    whole = expected.step(100, every=7)
    monkeypatch.setattr(stepper, "UNINTERRUPTED", {"loop": 9 * 2 * 5, "specialized": 9 * 2 * 5})
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
        ({"qpos": np.zeros((3, 9, 2))}, ValueError, r"out.* has shape \(3, 9, 2\), what"),
        ({"qpos": np.zeros((2, 9, 1))}, ValueError, r"what is recorded \(3, 9, 1\)"),
        ({"time": np.zeros((3, 9, 1))}, ValueError, r"what is recorded \(3, 9\)"),
        ({"qpos": np.zeros((3, 9, 1), "f4")}, TypeError, "an array of float64, not float32"),
        ({"qpos": [0.0]}, TypeError, "an array of float64, not list"),
        ({"xpos": np.zeros((3, 9, 1))}, ValueError, "what is recorded are time, qpos, .* not 'xpos'"),
        ({"qpos": np.broadcast_to(np.zeros((9, 1)), (3, 9, 1))}, ValueError, "cannot be written to"),
        ([np.zeros((3, 9, 1))], TypeError, "out has arrays by name, not list"),
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
    model = rail(stiffness=6.0, timestep=1.0)  # too long a step: all run away, some not far enough
    qpos = 1e-100 * np.arange(17.0)[:, None]
    batch, calm = (pb.BatchStepper(model, 17, threads=threads) for _ in range(2))
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
    sim = pb.Stepper(model, kernels="loop")
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
    assert "qpos was not finite" in str(batch.failure(16))


def test_recording_of_one_that_fails(width: str) -> None:
    batch = pb.BatchStepper(rail(stiffness=6.0, timestep=1.0), 3)
    batch.qpos[1] = 1e300
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
    with pytest.raises(pb.SimulationError, match="qvel was not finite before the step") as caught:
        batch.step(3)
    error = caught.value
    assert (error.instance, error.joint, error.steps, error.time) == (5, "rail", 0, pytest.approx(0.02))
    assert "instance 5" in str(error)
    assert pickle.loads(pickle.dumps(error)).instance == 5
    assert batch.time[0] == pytest.approx(0.05), "the others took all steps"
    batch.step(3)  # nothing new


# --- parameters ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names", [("body_mass", "dof_damping"), ("opt_gravity",), ("opt_timestep",), ("body_inertia", "body_pos")]
)
def test_parameters_by_the_loop_kernels(names: tuple[str, ...]) -> None:
    model = everything()
    batch = pb.BatchStepper(model, 5, threads=2, kernels="loop", parameters=names)
    assert tuple(batch.parameters) == names
    random = np.random.default_rng(1)
    for name, values in batch.parameters.items():
        assert values.shape == (5, *model.columns[name].shape)
        assert (values == model.columns[name]).all()
        values *= random.uniform(0.9, 1.1, (5,) + (1,) * (values.ndim - 1))
    batch.step(10)
    batch.parameters[names[0]][3] *= 1.05
    batch.step(10)
    for i in range(5):
        own = {name: values[i].copy() for name, values in batch.parameters.items()}
        earlier = own | ({names[0]: own[names[0]] / 1.05} if i == 3 else {})
        sim = pb.Stepper(model.replace(**earlier), kernels="loop")
        sim.step(10)
        onward = pb.Stepper(model.replace(**own), kernels="loop")
        onward.data.set_state(sim.data.get_state())
        onward.step(10)
        np.testing.assert_allclose(batch.get_state()[i], onward.data.get_state(), rtol=1e-9, atol=1e-12)
        assert batch.instance_model(i) == model.replace(**own)


def test_parameters_that_cannot_be() -> None:
    batch = pb.BatchStepper(pendulum(), 4, kernels="loop", parameters=("body_mass",))
    batch.parameters["body_mass"][1, 1] = -2.0
    batch.parameters["body_mass"][2, 1] = np.nan
    batch.step(5)
    assert batch.failed.tolist() == [False, True, True, False]
    assert batch.time[:2].tolist() == [pytest.approx(0.005), 0.0]
    assert str(batch.failure(1)) == "instance 1: body 1 'bob': mass -2.0 is below 0"
    assert "instance 2: body 1 'bob': mass is not finite" in str(batch.failure(2))
    batch.reset(1)
    batch.step()
    assert batch.failed[1]
    batch.parameters["body_mass"][1, 1] = 2.0
    batch.reset(1)
    batch.step()
    assert batch.failed.tolist() == [False, False, True, False]
    strict = pb.BatchStepper(pendulum(), 2, kernels="loop", parameters=("body_mass",), on_failure="raise")
    strict.parameters["body_mass"][0] = -1
    with pytest.raises(pb.ModelError, match="instance 0: body 0 'world': mass"):
        strict.step()


# --- what is asked for wrongly ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n": 0}, ValueError, "a batch's n is at least 1"),
        ({"n": -5}, ValueError, "at least 1 .* not -5"),
        ({"n": 1 << 40}, ValueError, "at most 67108864"),
        ({"n": 2.5}, TypeError, "a batch's n is a whole number, not 2.5"),
        ({"n": "many"}, TypeError, "whole number, not 'many'"),
        ({"threads": 0}, ValueError, "threads is at least 1"),
        ({"threads": 10**9}, ValueError, "threads is at least 1 and at most"),
        ({"threads": None}, TypeError, "threads is a whole number"),
        ({"precision": "float16"}, ValueError, "precision is one of float64, float32, not 'float16'"),
        ({"on_failure": "ignore"}, ValueError, "on_failure is one of mark, raise, not 'ignore'"),
        ({"parameters": "body_mass"}, TypeError, r"a sequence of names: \('body_mass',\)"),
        ({"parameters": ("mass",)}, ValueError, "parameters are some of opt_timestep, .*, not 'mass'"),
        ({"parameters": ("geom_size",)}, ValueError, "not 'geom_size'"),
        ({"parameters": ("jnt_type",)}, ValueError, "not 'jnt_type'"),
        ({"parameters": ("body_mass",) * 2}, ValueError, "named twice"),
        ({"executor": 4}, TypeError, "an executor is one of concurrent.futures, not int"),
    ],
)
def test_arguments_that_cannot_be(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        pb.BatchStepper(**{"model": rail(), "n": 8, "kernels": "loop"} | options)


def test_other_arguments_that_cannot_be() -> None:
    with pytest.raises(TypeError, match="a batch simulates a Model, not str"):
        pb.BatchStepper("arm.xml", 8)  # type: ignore[arg-type]
    with ProcessPoolExecutor(1) as pool, pytest.raises(TypeError, match="threads must share memory"):
        pb.BatchStepper(rail(), 8, executor=pool, kernels="loop")
    batch = pb.BatchStepper(rail(), 8, kernels="loop")
    with pytest.raises(ValueError, match=r"steps is at least 0 .* not -1"):
        batch.step(-1)
    with pytest.raises(TypeError, match=r"steps is a whole number, not 1.5"):
        batch.step(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="every is at least 1"):
        batch.step(10, every=0)
    with pytest.raises(ValueError, match="say every how many"):
        batch.step(10, out={})
    with pytest.raises(TypeError):
        batch.instance("first")  # type: ignore[arg-type]
    with pytest.raises(IndexError):
        batch.instance(8)
    batch.step(0)
    assert (batch.time == 0).all()


# --- threads, processes, memory --------------------------------------------------------------------


def test_threads_of_somebody_else(width: str) -> None:
    expected = started(33)
    expected.step(10)
    with ThreadPoolExecutor(2) as pool:
        batch = started(33, threads=3, executor=pool)
        batch.step(10)
        assert batch.get_state().tobytes() == expected.get_state().tobytes()
        inside = started(33, threads=3, executor=pool)
        gate = threading.Event()
        busy = [pool.submit(gate.wait) for _ in range(8)]
        inside.step(10)  # nobody lends a thread: it takes the steps alone
        gate.set()
        assert all(task.result(10) for task in busy)
        assert inside.get_state().tobytes() == expected.get_state().tobytes()
        nested = started(33, threads=3, executor=pool)
        assert [task.result(30) for task in [pool.submit(nested.step, 10)]] == [None]
        assert nested.get_state().tobytes() == expected.get_state().tobytes()
        batch.close()
        assert pool.submit(int).result(10) == 0, "it is not ours to end"
    with pytest.raises(RuntimeError):
        batch.step()  # the executor was shut down


def test_own_threads_end() -> None:
    before = threading.active_count()
    with started(33, threads=3, kernels="loop") as batch:
        batch.step(10)
        assert before < threading.active_count() <= before + 2
    assert threading.active_count() == before
    batch.step()
    del batch
    gc.collect()
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_one_thread_at_a_time(width: str) -> None:
    batch = started(9)
    assert batch._busy.acquire()
    with pytest.raises(RuntimeError, match="belongs to one thread at a time"):
        batch.step()
    batch._busy.release()
    batch.step()


def test_other_threads_run_meanwhile() -> None:
    batch = started(2000, kernels="loop")
    done = threading.Event()

    def work() -> None:
        for _ in range(5):
            batch.step(300)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    ticks = 0
    while not done.wait(1e-3):
        ticks += 1
    thread.join()
    assert ticks > 5


def test_nothing_is_left_behind(width: str) -> None:
    batch = started(64, threads=2)
    watched = [weakref.ref(batch), weakref.ref(batch._memory), weakref.ref(batch._pool)]
    view = batch.qpos
    batch.step(3)
    del batch
    gc.collect()
    assert [seen() for seen in watched] == [None] * 3
    assert np.isfinite(view).all(), "a view keeps its own memory"


def test_steps_allocate_nothing(width: str) -> None:
    batch = started(1000)
    batch.step(10)
    tracemalloc.start()
    batch.step(10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5000, "some small Python objects, nothing that grows with n"


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_copy_by_pickle_goes_on(width: str, precision: str) -> None:
    batch = started(9, precision=precision, threads=2)
    batch.qvel[3] = np.nan
    batch.step(5)
    other = pickle.loads(pickle.dumps(batch))
    assert (other.n, other.threads, other.precision) == (9, 2, precision)
    batch.step(5)
    other.step(5)
    assert other.get_state().tobytes() == batch.get_state().tobytes()
    assert other.failed.tolist() == batch.failed.tolist()
    assert other.qacc.tobytes() == batch.qacc.tobytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_after_steps_with_threads(width: str) -> None:
    batch = started(33, threads=3)
    batch.step(10)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        batch.step(10)
        batch.close()
        os.write(writer, batch.get_state().tobytes())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:  # noqa: PTH123
        theirs = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    batch.step(10)
    assert theirs == batch.get_state().tobytes()


INTERRUPTED = """
import numpy as np, polybody as pb, sys
from tests.runtime.models import chain
batch = pb.BatchStepper(chain(20), 40, threads=2, kernels="loop")
print("ready", flush=True)
try:
    batch.step(1 << 40)
except KeyboardInterrupt:
    print(batch.time.min() > 0, batch.time.min() == batch.time.max(), np.isfinite(batch.qpos).all())
"""


def test_ctrl_c_ends_a_long_run_between_two_steps() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert said.split() == ["True", "True", "True"]
    assert process.returncode == 0


def test_a_model_that_does_not_move() -> None:
    b = ModelBuilder("statue")
    b.body(name="stone", mass=1.0)
    batch = pb.BatchStepper(b.build(), 3, kernels="loop")
    out = batch.step(4, every=2)
    assert out is not None
    assert (out["qpos"].shape, out["time"].shape) == ((2, 3, 0), (2, 3))
    assert batch.time == pytest.approx(0.002 * 4)
    assert batch.get_state().shape == (3, 1)
    assert not batch.failed.any()
