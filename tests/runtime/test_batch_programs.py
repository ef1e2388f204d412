"""Batches moved by programs that are compiled for their Model."""

from __future__ import annotations

import os
import pickle
import warnings
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polybody as pb
import pytest
from numpy.typing import NDArray
from polybody.generated.kernels import dynamics
from polybody.model.model import Model
from polybody.programs import target
from polybody.simulation.batch import programs, stepper

from tests.hostile.scenes import scene
from tests.programs.caches import built
from tests.runtime.models import chain, everything, pendulum
from tests.waiting import in_a_fork

COUNTS = (1, 7, 8, 9, 33)


@cache
def model_of(name: str) -> Model:
    return everything().replace(opt_integrator=name.removeprefix("every joint, "))


MODELS = ("every joint, Euler", "every joint, RK4")


def processor(monkeypatch: pytest.MonkeyPatch, vector: int) -> None:
    """Pretend that this machine's vector registers hold so many bytes."""
    native = target.native()
    other = replace(native, processor=replace(native.processor, vector=vector))
    monkeypatch.setattr(programs, "native", lambda: other)


def states(model: Model, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Row i is the same for every n."""
    rows = [np.random.default_rng(i).normal(size=model.nq + 2 * model.nv) for i in range(n)]
    qpos, qvel, force = np.split(np.array(rows), [model.nq, model.nq + model.nv], axis=1)
    return qpos, qvel, force


def started(model: Model, n: int, *, at: slice = slice(None), **options: Any) -> pb.BatchStepper:
    batch = pb.BatchStepper(model, n, **{"kernels": "specialized"} | options)
    assert batch.kernels == "specialized"
    batch.qpos, batch.qvel, batch.qfrc_applied = (x[at] for x in states(model, n))
    return batch


def single(model: Model, state: NDArray[np.float64], steps: int) -> pb.Data:
    sim = pb.Stepper(model, kernels="loop")
    sim.data.set_state(state)
    sim.step(steps)
    return sim.data


@pytest.mark.parametrize("name", MODELS)
def test_like_single_simulations(name: str) -> None:
    batch = started(model_of(name), 11, threads=2)
    before = batch.get_state()
    batch.step(50)
    for i in range(11):
        data = single(model_of(name), before[i], 50)
        assert batch.time[i] == data.time
        np.testing.assert_allclose(batch.get_state()[i], data.get_state(), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(batch.qacc[i], data.qacc, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("width", [16, 32, 64])
def test_registers_of_other_processors(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors wider than the registers work as well: the compiler splits them."""
    processor(monkeypatch, width)
    model = model_of(MODELS[0])
    batch = started(model, 11, threads=2)
    assert batch._blocks.lanes * 8 == width
    before = batch.get_state()
    batch.step(20)
    for i in range(11):
        data = single(model, before[i], 20)
        np.testing.assert_allclose(batch.get_state()[i], data.get_state(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize(("n", "every"), [(1, 1), (5, 3), (16, 1), (31, 7)])
def test_recorded_values_are_those_of_the_columns(
    n: int, every: int, precision: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For whole and half-full blocks, rows with others between them, and instances that fail on the way."""
    processor(monkeypatch, width)
    recorded, by_hand = (
        started(model_of(MODELS[0]), n, precision=precision, results=("qacc",)) for _ in range(2)
    )
    for batch in (recorded, by_hand):
        batch.qvel[n // 2] = 1e300 if precision == "float64" else 1e30
        batch.qpos[-1, 0] = np.nan
    model, frames = recorded.model, 40 // every
    wider = np.full((frames, n, model.nv + 3), np.nan, precision)
    out = {
        "time": np.empty((frames, n)),
        "qpos": np.empty((frames, n, model.nq), precision),
        "qvel": wider[..., : model.nv],
        "qacc": np.empty((frames, n, model.nv), precision),
    }
    recorded.step(40, every=every, out=out)
    for frame in range(frames):
        by_hand.step(every)
        moving = ~by_hand.failed
        for name in ("time", "qpos", "qvel"):
            assert out[name][frame].tobytes() == getattr(by_hand, name).tobytes(), (name, frame)
        assert out["qacc"][frame][moving].tobytes() == by_hand.qacc[moving].tobytes(), frame
    assert np.isnan(wider[..., model.nv :]).all()
    assert (recorded.failed == by_hand.failed).all()
    assert recorded.failed[-1]
    assert n == 1 or not recorded.failed.all()


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_same_bits_for_every_number_place_and_thread(threads: int, precision: str) -> None:
    model = model_of(MODELS[0])
    whole = started(model, 33, precision=precision)
    whole.step(50)
    expected = whole.get_state()
    for n in COUNTS:
        batch = started(model, n, threads=threads, precision=precision)
        batch.step(50)
        assert batch.get_state().tobytes() == expected[:n].tobytes()
    turned = started(model, 33, at=slice(None, None, -1), threads=threads, precision=precision)
    for _ in range(10):
        turned.step(5)
    assert turned.get_state()[::-1].tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_single_precision(name: str) -> None:
    model = model_of(name)
    batch = started(model, 9, precision="float32")
    before = batch.get_state()
    batch.step(20)
    for i in range(9):
        data = single(model, before[i], 20)
        assert batch.time[i] == data.time
        np.testing.assert_allclose(batch.qvel[i], data.qvel, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(batch.qpos[i], data.qpos, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_what_fails_beside_them_does_not_disturb_the_others(name: str, value: float) -> None:
    model = model_of(name)
    alone, together = started(model, 33), started(model, 33)
    failing = np.arange(33) % 5 == 3
    together.qvel[failing, 7] = value
    together.qpos[0, 12] += 1e6  # far around a hinge, where sines need another algorithm
    alone.qpos[0, 12] += 1e6
    for batch in (alone, together):
        batch.step(40)
    assert together.failed.tolist() == failing.tolist()
    assert not alone.failed.any()
    assert together.get_state()[~failing].tobytes() == alone.get_state()[~failing].tobytes()
    assert (together.time[failing] < 0.001 * 39).all()
    where = (3, 18, 28)
    assert all(together.failure(i).instance == i for i in where)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_stays_so(name: str, value: float) -> None:
    """Therefore one check of the state after several steps suffices."""
    model = model_of(name)
    program = built(model).program
    assert program is not None
    data = pb.Data(model)
    bound = program.bind("step", data.kernel.arrays)
    for column, k in [("qpos", k) for k in range(model.nq)] + [("qvel", k) for k in range(model.nv)]:
        data.reset()
        getattr(data, column)[k] = value
        for _ in range(16):
            bound.call()
            assert not np.isfinite(np.concatenate([data.qpos, data.qvel])).all(), (column, k)


# --- parameters ------------------------------------------------------------------------------------

SETS = (
    ("body_mass",),
    ("opt_gravity", "opt_timestep", "dof_damping"),
    ("body_ipos", "body_inertia", "body_mass", "body_pos", "dof_armature", "dof_stiffness"),
)


def varied(batch: pb.BatchStepper, seed: int = 0) -> None:
    """Different parameters for each instance, all of them small changes; the world is unchanged."""
    random = np.random.default_rng(seed)
    for values in batch.parameters.values():
        values *= random.uniform(0.9, 1.1, (*values.shape[:2], 1)[: values.ndim])


@pytest.mark.parametrize("names", SETS)
def test_parameters_like_models_made_with_them(names: tuple[str, ...]) -> None:
    model = model_of(MODELS[0])
    batch = started(model, 11, threads=2, parameters=names)
    for name, values in batch.parameters.items():
        assert values.shape == (11, *model.columns[name].shape)
        assert (values == model.columns[name]).all()
    varied(batch)
    before = batch.get_state()
    batch.step(50)
    for i in range(11):
        data = single(batch.instance_model(i), before[i], 50)
        assert batch.time[i] == data.time
        np.testing.assert_allclose(batch.get_state()[i], data.get_state(), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_parameters_have_the_same_bits_everywhere(precision: str) -> None:
    model, names = model_of(MODELS[0]), SETS[0]
    whole = started(model, 33, parameters=names, precision=precision)
    varied(whole)
    for n in COUNTS:
        batch = started(model, n, parameters=names, precision=precision, threads=2)
        for name in names:
            batch.parameters[name][...] = whole.parameters[name][:n]
        batch.step(20)
        again = pb.BatchStepper(model, 33, parameters=names, precision=precision, kernels="specialized")
        again.set_state(whole.get_state())
        again.parameters[names[0]][...] = whole.parameters[names[0]]
        again.step(20)
        assert batch.get_state().tobytes() == again.get_state()[:n].tobytes()


def test_parameters_that_cannot_be() -> None:
    batch = started(model_of(MODELS[0]), 9, parameters=SETS[1])
    batch.parameters["opt_timestep"][2] = 0.0
    batch.parameters["dof_damping"][3, 4] = -1e-9
    batch.parameters["opt_gravity"][4, 1] = np.nan
    before = batch.get_state()
    batch.step(5)
    assert np.flatnonzero(batch.failed).tolist() == [2, 3, 4]
    assert batch.get_state()[2:5].tobytes() == before[2:5].tobytes()
    assert "instance 2: option: timestep 0.0 is not above 0" in str(batch.failure(2))
    assert "instance 3: " in str(batch.failure(3))
    assert "damping -1e-09 is below 0" in str(batch.failure(3))
    assert "gravity is not finite" in str(batch.failure(4))


# --- functions of states ----------------------------------------------------------------------------


def computed(kernel: str, data: pb.Data) -> None:
    """Computed in ``data`` by the loop kernels."""
    model = data.model
    if kernel == "mass_matrix":
        pb.mass_matrix(model, data)
    elif kernel == "energy":
        pb.energy(model, data)
    elif kernel in ("inverse", "jacobian"):
        getattr(dynamics, kernel)(model.kernel, data.kernel)
    else:
        pb.forward(model, data)


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
@pytest.mark.parametrize("kernel", stepper.COMPUTED)
def test_what_is_computed_of_states(kernel: str, kernels: str) -> None:
    model = model_of(MODELS[0])
    batch = pb.BatchStepper(model, 11, threads=2, kernels=kernels)
    batch.qpos, batch.qvel, batch.qfrc_applied = states(model, 11)
    batch._memory.view("qacc")[...] = batch.qvel
    before = batch.get_state()
    batch.failed[3] = True
    results = batch.compute(kernel)
    assert batch.get_state().tobytes() == before.tobytes()
    assert np.flatnonzero(batch.failed).tolist() == [3]
    for i in range(11):
        data = batch.instance(i)
        data.qacc = data.qvel
        computed(kernel, data)
        data.computed(*(name for name in results if name != "qM"))
        for name, values in results.items():
            expected = data.kernel.array(name) if name == "qM" else getattr(data, name)  # the sparse one
            assert values.shape == (11, *expected.shape)
            np.testing.assert_allclose(values[i], expected, rtol=1e-11, atol=1e-11)
    batch.qpos += 0.1
    again = batch.compute(kernel)
    assert all(again[name] is values for name, values in results.items())


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_what_is_computed_with_parameters(kernels: str) -> None:
    batch = pb.BatchStepper(model_of(MODELS[0]), 5, parameters=SETS[0], kernels=kernels)
    varied(batch)
    energy = batch.compute("energy")["energy"].copy()
    batch.step(3)
    for i in range(5):
        data = pb.Data(batch.instance_model(i))
        np.testing.assert_allclose(energy[i], pb.energy(data.model, data), rtol=1e-11, atol=1e-11)
    with pytest.raises(ValueError, match=r"a kernel must be one of forward_kinematics, .*, not 'jump'"):
        batch.compute("jump")


# --- choice of kernels ------------------------------------------------------------------------------


def test_what_was_chosen() -> None:
    model = pendulum()
    batch = pb.BatchStepper(model, 8, kernels="specialized")
    assert batch.kernels == "specialized"
    assert "compiled for this model" in batch.reason
    assert pb.BatchStepper(model, 8, kernels="loop").reason == "asked for"
    assert pb.BatchStepper(model, 8).kernels == "loop", "POLYBODY_KERNELS says so in tests"
    with pytest.raises(ValueError, match="kernels must be one of auto, loop, specialized, not 'switch'"):
        pb.BatchStepper(model, 8, kernels="switch")


def test_auto_waits_for_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLYBODY_KERNELS")
    assert pb.BatchStepper(pendulum(damping=0.25), 8).kernels == "specialized"


def test_models_that_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLYBODY_KERNELS")
    batch = pb.BatchStepper(chain(101), 3)
    assert batch.kernels == "loop"
    assert "101 degrees of freedom" in batch.reason
    batch.step(2)
    assert batch.time == pytest.approx(2e-3)


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLYBODY_KERNELS")
    monkeypatch.setenv("CC", "/no/such/compiler")
    model = pendulum(damping=0.125)
    with pytest.raises(pb.CompileError, match="/no/such/compiler"):
        pb.BatchStepper(model, 9, kernels="specialized")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        first = pb.BatchStepper(model, 9)
        second = pb.BatchStepper(model, 9, precision="float32", parameters=("body_mass",))
    assert sum(issubclass(warning.category, pb.CompileWarning) for warning in said) <= 1
    assert first.kernels == second.kernels == "loop"
    assert "compilation failed" in first.reason
    for batch in (first, second):
        batch.step(10)
        assert batch.time == pytest.approx(0.01)
    np.testing.assert_allclose(first.qpos, second.qpos, rtol=1e-5)


def test_registers() -> None:
    lanes = pb.BatchStepper(pendulum(), 8, kernels="specialized")._blocks.lanes
    assert lanes * 8 == target.native().processor.vector in (16, 32, 64)


def test_sensors_of_contacts_without_constraints() -> None:
    """The loop kernels, with which a program is compared, ask a solver that the program does not need."""
    model = scene("everything").replace(opt_disableflags=1)  # constraint
    batch = pb.BatchStepper(model, 3, kernels="specialized")
    batch.step(3)
    data = pb.Data(model)
    pb.step(model, data, 3)
    np.testing.assert_allclose(batch.qpos, np.tile(data.qpos, (3, 1)), rtol=1e-12, atol=1e-12)


def test_a_copy_by_pickle_goes_on() -> None:
    batch = started(model_of(MODELS[0]), 9, parameters=SETS[0])
    varied(batch)
    batch.step(5)
    os.environ["POLYBODY_KERNELS"], before = "auto", os.environ["POLYBODY_KERNELS"]
    try:
        other = pickle.loads(pickle.dumps(batch))
    finally:
        os.environ["POLYBODY_KERNELS"] = before
    assert other.kernels == "specialized"
    for copy in (batch, other):
        copy.step(5)
    assert other.get_state().tobytes() == batch.get_state().tobytes()
    assert other.parameters["body_mass"].tobytes() == batch.parameters["body_mass"].tobytes()


@pytest.mark.concurrent
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_after_loading() -> None:
    batch = started(model_of(MODELS[0]), 33, threads=2)
    batch.step(10)

    def child() -> bytes:
        batch.step(10)
        return batch.get_state()[-1].tobytes()

    theirs = in_a_fork(child)
    batch.step(10)
    assert theirs == batch.get_state()[-1].tobytes()


TRACKED = """<mujoco><option gravity="0 0 0"/><worldbody>
  <body><freejoint/><geom size=".1"/>
    <camera name="c" mode="trackcom" pos="1 0 0"/><light mode="trackcom" pos="0 0 1"/>
    <body pos=".5 0 0"><joint pos="-.5 0 0"/><geom size=".1"/></body></body>
</worldbody><sensor><framepos objtype="camera" objname="c"/></sensor></mujoco>"""


@pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
@pytest.mark.parametrize("results", [("cam_xpos", "light_xpos"), ("sensordata",), ("xpos",)])
def test_cameras_follow_the_masses_of_an_instance(results: tuple[str, ...]) -> None:
    """They are inputs of a program only if a result shows them."""
    model = pb.lower(pb.read("tracked.xml", text=TRACKED))
    batch = pb.BatchStepper(model, 2, parameters=("body_mass",), results=results, kernels="specialized")
    assert ("cam_poscom0" in batch._inputs) == (results != ("xpos",))
    batch.parameters["body_mass"][1, 2] = 50.0
    batch.qpos[:, 7] = 1.0
    data = pb.Data(batch.instance_model(1))
    data.qpos = batch.qpos[1]
    batch.step()
    pb.forward(data.model, data)
    for name in results:
        np.testing.assert_allclose(batch.results[name][1], getattr(data, name), atol=1e-12)
        assert name == "xpos" or abs(batch.results[name][1] - batch.results[name][0]).max() > 0.1
