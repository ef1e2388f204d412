"""Loop, specialised and batch kernels with controls, results, recording and forces on bodies."""

from __future__ import annotations

import pickle

import numpy as np
import polybody as pb
import pytest
from polybody.model.observable import OBSERVABLE

from tests.moving.workshop import INPUTS, away, put, state, workshop

STATE = ("qpos", "qvel", "act")


def started(model: pb.Model, kernels: str, results: tuple[str, ...] = (), seed: int = 0) -> pb.Stepper:
    sim = pb.Stepper(model, kernels, results=results)
    put(sim.data, state(model, seed, external=False))
    return sim


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_specialized_steps_leave_what_loops_do(integrator: str) -> None:
    model = workshop(integrator)
    loop, made = (started(model, kernels, OBSERVABLE) for kernels in ("loop", "specialized"))
    for sim in (loop, made):
        sim.step(4)
    for name in (*STATE, *OBSERVABLE):
        assert away(getattr(made.data, name), getattr(loop.data, name)) < 1e-12, name


def test_results_are_of_the_instant_at_which_a_step_begins() -> None:
    model = workshop()
    sim, data = started(model, "loop", ("xpos", "cacc", "energy")), pb.Data(model)
    sim.step(3)
    sim.step(1)
    other = started(model, "loop")
    other.step(3)
    data.set_state(other.data.get_state())
    pb.forward(model, data)
    for name in ("xpos", "cacc", "energy"):
        assert np.array_equal(getattr(sim.data, name), getattr(data, name)), name


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_a_batch_is_its_instances(kernels: str) -> None:
    model = workshop()
    batch = pb.BatchStepper(model, 5, kernels=kernels, results=("xpos", "cfrc_int", "actuator_force"))
    controls = np.random.default_rng(1).normal(size=(7, 5, model.nu))
    for row in range(5):
        values = state(model, row, external=False)
        for name in ("qpos", "qvel", "act", "qfrc_applied", "mocap_pos", "mocap_quat"):
            getattr(batch, name)[row] = values[name]
    batch.step(7, ctrl=controls)
    assert np.array_equal(batch.ctrl, controls[-1])
    for row in range(5):
        sim = started(model, "loop", ("xpos", "cfrc_int", "actuator_force"), seed=row)
        given = iter(controls[:, row])
        sim.step(7, control=lambda model, data, given=given: put(data, {"ctrl": next(given)}))
        for name in (*STATE, "ctrl"):
            assert away(getattr(batch, name)[row], getattr(sim.data, name)) < 1e-12, name
        for name, values in batch.results.items():
            assert away(values[row], getattr(sim.data, name)) < 1e-12, name


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_forces_on_the_bodies_of_a_batch(kernels: str) -> None:
    model = workshop()
    batch = pb.BatchStepper(model, 3, kernels=kernels)
    values = [state(model, seed) for seed in range(3)]
    for name in INPUTS:
        getattr(batch, name)[...] = [each[name] for each in values]
    again = pickle.loads(pickle.dumps(batch))
    batch.step(5)
    again.step(5)
    assert away(again.qpos, batch.qpos) < 1e-12
    for row, each in enumerate(values):
        data = pb.Data(model)
        put(data, each)
        pb.step(model, data, 5)
        for name in STATE:
            assert away(getattr(batch, name)[row], getattr(data, name)) < 1e-12, name


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_actuators_are_parameters_of_a_batch(kernels: str) -> None:
    model = workshop()
    names = ("actuator_gainprm", "actuator_gear", "body_mass", "body_ipos", "body_iquat", "body_inertia")
    batch = pb.BatchStepper(model, 3, kernels=kernels, parameters=names)
    for name, factor, row in (("actuator_gainprm", 1.5, 1), ("actuator_gear", 0.7, 2), ("body_mass", 1.2, 0)):
        batch.parameters[name][row] *= factor
    for row in range(3):
        values = state(model, row, external=False)
        for name in ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "mocap_pos", "mocap_quat"):
            getattr(batch, name)[row] = values[name]
    batch.step(5)
    for row in range(3):
        own = batch.instance_model(row)
        data = pb.Data(own)
        put(data, state(model, row, external=False))
        pb.step(own, data, 5)
        for name in STATE:
            assert away(getattr(batch, name)[row], getattr(data, name)) < 1e-12, name


def test_forces_on_bodies_while_kernels_are_specialized() -> None:
    model = workshop()
    sims = [pb.Stepper(model, kernels) for kernels in ("loop", "specialized")]
    for sim in sims:
        put(sim.data, state(model, 3))
        sim.step(5)
        sim.data.xfrc_applied = 0.0
        sim.step(5)
    for name in STATE:
        assert away(*[getattr(sim.data, name) for sim in sims]) < 1e-12, name


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_recording(kernels: str) -> None:
    model = workshop()
    sim, other = started(model, kernels, ("xpos",)), started(model, kernels, ("xpos",))
    frames = sim.step(11, every=3)
    assert frames is not None
    assert frames["xpos"].shape == (3, model.nbody, 3)
    for frame in range(3):
        other.step(3)
        for name in ("time", "qpos", "qvel", "act", "xpos"):
            assert np.array_equal(frames[name][frame], getattr(other.data, name)), name
    other.step(2)
    assert np.array_equal(sim.data.qpos, other.data.qpos)
    out = {"cvel": np.empty((2, model.nbody, 6)), "ctrl": np.empty((2, model.nu))}
    assert sim.step(2, every=1, out=out) is out
    for wrong, said in (({"xps": out["cvel"]}, "recorded columns"), ({"ctrl": out["cvel"]}, "shape")):
        with pytest.raises(ValueError, match=said):
            sim.step(2, every=1, out=wrong)


def test_a_control_finds_everything_of_its_instant() -> None:
    model = workshop()
    sim, seen = started(model, "loop"), []

    def control(model: pb.Model, data: pb.Data) -> None:
        other = pb.Data(model)
        other.set_state(data.get_state())
        pb.forward(model, other)
        assert np.array_equal(other.site_xpos, data.site_xpos)
        assert np.array_equal(other.qacc, data.qacc)
        seen.append(data.time)
        data.ctrl = data.time

    sim.step(3, control=control)
    assert seen == pytest.approx([0.0, 0.002, 0.004])
    assert (sim.data.ctrl == seen[-1]).all()


def test_batches_begin_with_a_key_frame() -> None:
    model = workshop()
    batch = pb.BatchStepper(model, 3, kernels="loop", results=("xpos",))
    batch.reset([1], key="raised", ctrl=0.5)
    key = model.key("raised")
    assert batch.time.tolist() == [0.0, key.time, 0.0]
    for name in ("qpos", "qvel", "act"):
        assert np.array_equal(getattr(batch, name)[1], getattr(key, name)), name
    assert (batch.ctrl[1] == 0.5).all()
    assert np.array_equal(batch.mocap_pos[1].ravel(), key.mpos)
    with pytest.raises(KeyError, match="raised"):
        batch.reset(key="rised")


def test_results_that_a_step_does_not_keep() -> None:
    model = workshop()
    with pytest.raises(ValueError, match="did you mean `xpos`"):
        pb.Stepper(model, "loop", results=("xpso",))
    with pytest.raises(TypeError, match="a sequence of names"):
        pb.BatchStepper(model, 2, kernels="loop", results="xpos")
    with pytest.raises(AttributeError, match="sensordata"):
        _ = pb.BatchStepper(model, 2, kernels="loop").sensordata
    with pytest.raises(ValueError, match="ctrl must be numbers of shape"):
        pb.BatchStepper(model, 2, kernels="loop").step(3, ctrl=np.zeros((2, 2, model.nu)))


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_what_is_computed_of_a_batch_knows_forces_and_mocap_bodies(kernels: str) -> None:
    model = workshop()
    batch = pb.BatchStepper(model, 3, kernels=kernels)
    for late in (False, True):  # programs are compiled again once there are forces on bodies
        for row in range(3):
            values = state(model, row, external=late)
            for name in (*INPUTS[:5], *INPUTS[6:], *(["xfrc_applied"] if late else [])):
                getattr(batch, name)[row] = values[name]
        for kernel, names in (
            ("forward_kinematics", ("xpos", "xmat")),
            ("energy", ("energy",)),
            ("acceleration", ("qacc",)),
        ):
            found = batch.compute(kernel)
            for row in range(3):
                data = pb.Data(model)
                put(data, state(model, row, external=late))
                pb.forward(model, data)
                for name in names:
                    assert away(found[name][row], getattr(data, name)) < 1e-11, (late, name)


def test_a_failure_says_how_many_steps_were_taken_whatever_is_observed() -> None:
    model = workshop()
    steps = []
    for results in ((), ("xpos",)):
        sim = pb.Stepper(model, "loop", results=results, limit=np.inf)
        put(sim.data, state(model, 0, external=False))
        sim.data.qvel *= 1e5
        with pytest.raises(pb.SimulationError) as error:
            sim.step(500)
        steps.append(error.value.steps)
    assert steps[0] == steps[1] > 0


def test_what_looks_at_its_own_place_looks_along_x() -> None:
    """The direction is undefined; the result is as in MuJoCo."""
    text = """<mujoco><worldbody><body name="b"><joint/><geom size=".1" contype="0"/>
      <light mode="targetbody" target="b"/><camera mode="targetbody" target="b"/>
      </body></worldbody></mujoco>"""
    model = pb.lower(pb.read("m.xml", text=text, format="mjcf"))
    data = pb.Data(model)
    pb.forward(model, data)
    assert data.light_xdir.tolist() == [[1.0, 0.0, 0.0]]
    assert np.isfinite(data.cam_xmat).all()
    assert np.linalg.det(data.cam_xmat.reshape(3, 3)) == pytest.approx(1.0)
