"""Of which instant each column of a simulation is: after a step those that MuJoCo leaves, on every machine;
others follow the state, or are NaN.
"""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest
from polybody.engine.data import OF_FORWARD, OF_STEP
from polybody.model.observable import OBSERVABLE

from tests.oracles.mujoco_stages import evaluated

FIRST = ("sensordata", "subtree_linvel", "subtree_angmom", "energy")
"""Columns that MuJoCo computes in the first stage of a step alone."""
INTEGRATORS = {"Euler": 0, "RK4": 1, "implicit": 2, "implicitfast": 3}
RESULTS = (*OBSERVABLE, "qacc")
MACHINES = ("loop", "specialized", "batch of loops", "batch")
SMOOTH = """<mujoco><option><flag energy="enable"/></option>
  <default><geom type="capsule" size=".03" contype="0" conaffinity="0"/></default><worldbody>
  <body pos="0 0 1"><joint axis="0 1 0" damping=".3" stiffness="1"/><geom fromto="0 0 0 0 0 -.5"/>
    <body pos="0 0 -.5"><joint type="ball" damping=".2"/><geom fromto="0 0 0 .1 0 -.5"/>
      <body pos=".2 0 -.5"><joint type="slide" axis="1 0 0" damping=".5"/><geom type="sphere" size=".05"/>
        <site name="tip" pos="0 0 .1"/></body></body></body>
  <body pos="1 1 2"><freejoint/><geom type="box" size=".1 .2 .3"/></body></worldbody>
  <sensor><accelerometer site="tip"/><subtreeangmom body="world"/></sensor></mujoco>"""
TOUCHING = """<mujoco><option><flag energy="enable"/></option>
  <default><geom friction=".7" type="capsule" size=".04"/></default><worldbody>
  <geom type="plane" size="2 2 1"/>
  <body mocap="true" pos="0 0 2"><geom type="sphere" contype="0" conaffinity="0"/></body>
  <body pos="0 0 .29"><freejoint/><geom type="box" size=".2 .2 .1"/>
    <body pos=".2 .2 0"><joint name="hip" axis="0 0 1" damping=".2" range="-40 40"/>
      <geom fromto="0 0 0 .3 0 -.1"/>
      <body pos=".3 0 -.1"><joint name="knee" axis="0 1 0" armature=".01"/>
        <geom fromto="0 0 0 .1 0 -.2"/></body></body>
    <body pos="-.2 -.2 0"><joint name="other" axis="1 1 0"/>
      <geom type="sphere" size=".1" pos="-.1 0 -.1"/></body></body></worldbody>
  <actuator><position joint="knee" kp="20"/>
    <general joint="hip" dyntype="filter" dynprm=".1" gainprm="5"/></actuator>
  <sensor><subtreelinvel body="world"/><jointactuatorfrc joint="hip"/></sensor></mujoco>"""
SCENES = {"smooth": SMOOTH, "touching": TOUCHING}


def start(text: str, integrator: int) -> tuple[Any, Any]:
    """A random state of a model of MuJoCo, some steps after its initial one."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.integrator = integrator
    state, random = mujoco.MjData(model), np.random.default_rng(integrator)
    state.ctrl[:] = random.uniform(-0.5, 0.5, model.nu)
    for _ in range(30):
        mujoco.mj_step(model, state)
    state.qvel[:] += random.normal(size=model.nv)
    return model, state


def loaded(text: str, folder: Path, integrator: int) -> pb.Model:
    path = folder / "scene.xml"
    path.write_text(text)
    model = pb.load(path).replace(opt_integrator=integrator)
    assert bool(model.opt_constrained) == (text == TOUCHING)
    return model


def moved(model: pb.Model, machine: str, state: Any) -> dict[str, Any]:
    """All columns after a step from a state of MuJoCo."""
    names = ("time", "qpos", "qvel", "act", "ctrl", "qacc_warmstart")
    if machine.startswith("batch"):
        kernels = "loop" if "loops" in machine else "specialized"
        batch = pb.BatchStepper(model, 3, results=RESULTS, kernels=kernels)
        whole = pb.Data(model)
        for name in names:
            setattr(whole, name, getattr(state, name))
        batch.set_state(np.tile(whole.get_state(), (3, 1)))
        batch.step(1)
        found = {name: batch.results[name][1] for name in RESULTS if name != "qacc"}
        return found | {"qacc": batch.qacc[1], "qpos": batch.qpos[1], "qvel": batch.qvel[1]}
    stepper = pb.Stepper(model, kernels=machine, results=RESULTS)
    for name in names:
        setattr(stepper.data, name, getattr(state, name))
    stepper.step(1)
    return {name: np.array(getattr(stepper.data, name)) for name in (*RESULTS, "qpos", "qvel")}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("scene", SCENES)
def test_columns_after_a_step_are_those_of_mujoco(
    scene: str, integrator: str, machine: str, tmp_path: Path
) -> None:
    peer, state = start(SCENES[scene], INTEGRATORS[integrator])
    model = loaded(SCENES[scene], tmp_path, INTEGRATORS[integrator])
    first = copy.copy(state)
    mujoco.mj_forward(peer, first)
    mujoco.mj_subtreeVel(peer, first)
    after, results = evaluated(peer, state)
    ours = moved(model, machine, state)
    compared = 0
    for name, values in ours.items():
        source = first if name in FIRST else after if name in ("qpos", "qvel") else results
        if values.size and hasattr(source, name):
            expected = np.asarray(getattr(source, name)).reshape(values.shape)
            scale = max(1.0, float(np.abs(expected).max()))
            assert np.abs(values - expected).max() <= 1e-11 * scale, name
            compared += 1
    assert compared > 30


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
@pytest.mark.parametrize("scene", SCENES)
def test_what_the_state_determines_follows_it(scene: str, kernels: str, tmp_path: Path) -> None:
    model = loaded(SCENES[scene], tmp_path, 0)
    stepper = pb.Stepper(model, kernels=kernels)
    data, other = stepper.data, pb.Data(model)
    data.qvel = np.random.default_rng(0).normal(size=model.nv)
    for _ in range(2):
        stepper.step(10)
        other.set_state(data.get_state())
        pb.forward(model, other)
        for name in OBSERVABLE:
            if name in OF_FORWARD | OF_STEP or not getattr(data, name).size:
                continue
            found, expected = getattr(data, name), getattr(other, name)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=name)
        data.qpos[0] += 0.1  # read again, they follow
    before = data.xpos.copy()
    other.set_state(data.get_state())
    pb.forward(model, other)
    np.testing.assert_allclose(before, other.xpos, atol=1e-14)


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
@pytest.mark.parametrize("scene", SCENES)
def test_what_a_step_computes_stays(scene: str, kernels: str, tmp_path: Path) -> None:
    model = loaded(SCENES[scene], tmp_path, 0)
    stepper, whole = pb.Stepper(model, kernels=kernels), pb.Data(model)
    whole.qvel = stepper.data.qvel = np.random.default_rng(0).normal(size=model.nv)
    whole.ctrl = stepper.data.ctrl = 0.3
    pb.forward(model, whole)
    stepper.step(1)
    stepper.data.ctrl = 7.0  # what follows belongs to the evaluation before
    for name in (*OF_STEP, "sensordata"):
        expected = getattr(whole, name)
        scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
        found = getattr(stepper.data, name)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * scale, err_msg=name)
    assert stepper.data.ncon == whole.ncon


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_the_rest_is_nan(kernels: str, tmp_path: Path) -> None:
    model = loaded(TOUCHING, tmp_path, 0)
    stepper = pb.Stepper(model, kernels=kernels)
    data = stepper.data
    for name in (*OF_FORWARD, *(OF_STEP - {"qacc"})):
        assert np.isnan(getattr(data, name)).all(), name
    assert not data.qacc.any()  # an input of inverse()
    stepper.step(2)
    for name in OF_FORWARD - {"sensordata"}:
        assert np.isnan(getattr(data, name)).all(), name
    pb.forward(model, data)
    for name in OF_FORWARD - {"qfrc_inverse"}:
        assert np.isfinite(getattr(data, name)).all(), name
    data.reset()
    for name in (*OF_FORWARD, *(OF_STEP - {"qacc"})):
        assert np.isnan(getattr(data, name)).all(), name
    assert data.xpos[2] == pytest.approx([0, 0, 0.29])


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_older_views_are_nan_after_a_step(kernels: str, tmp_path: Path) -> None:
    model = loaded(TOUCHING, tmp_path, 0)
    stepper = pb.Stepper(model, kernels=kernels, results=("cvel",))
    data = stepper.data
    pb.forward(model, data)
    older = {name: getattr(data, name) for name in ("xpos", "cacc", "qfrc_smooth", "cinert", "cvel", "qpos")}
    stepper.step(1)
    for name in ("xpos", "cacc", "qfrc_smooth", "cinert"):
        assert np.isnan(older[name]).all(), name
    assert np.isfinite(older["cvel"]).all()
    assert np.isfinite(data.xpos).all()
    assert np.shares_memory(data.xpos, older["xpos"])
    assert np.isfinite(older["xpos"]).all()
    stepper.step(1)
    assert np.isnan(older["xpos"]).all()


def test_kernels_read_no_result_before_they_write_it(tmp_path: Path) -> None:
    for text in SCENES.values():
        model = loaded(text, tmp_path, 0)
        clean, spoilt = pb.Data(model), pb.Data(model)
        for name in (*OBSERVABLE, "qacc_smooth", "dof_xaxis", "dof_xanchor"):
            if model.opt_constrained or name != "qfrc_constraint":
                spoilt.kernel.array(name)[...] = np.nan
        for data in (clean, spoilt):
            data.qvel = 0.3
            pb.step(model, data, 3)
            pb.forward(model, data)
        for name in (*OBSERVABLE, "qacc"):
            np.testing.assert_array_equal(getattr(clean, name), getattr(spoilt, name), err_msg=name)


def test_a_forward_keeps_its_instant(tmp_path: Path) -> None:
    model = loaded(TOUCHING, tmp_path, 0)
    data = pb.Data(model)
    pb.forward(model, data)
    before = {name: getattr(data, name).copy() for name in ("xpos", "qfrc_bias", "cfrc_int", "qfrc_passive")}
    data.qpos[7:] += 0.3
    data.qvel[:] = 1.0
    data.qDeriv, data.qM, data.ten_J, data.cinert  # noqa: B018  (computed from the new state, on request)
    pb.energy(model, data)
    for name, values in before.items():
        np.testing.assert_array_equal(getattr(data, name), values, err_msg=name)


def test_copies_and_files_keep_what_is_known(tmp_path: Path) -> None:
    model = loaded(TOUCHING, tmp_path, 0)
    stepper = pb.Stepper(model, results=("cfrc_ext",), kernels="loop")
    stepper.step(3)
    other = stepper.data.copy()
    np.testing.assert_array_equal(other.cfrc_ext, stepper.data.cfrc_ext)
    np.testing.assert_array_equal(other.qacc, stepper.data.qacc)
    np.testing.assert_array_equal(other.xpos, stepper.data.xpos)
    assert np.isnan(other.cacc).all()
    pb.forward(model, other)
    other.save(tmp_path / "data.npz")
    again = pb.Data.load(tmp_path / "data.npz", model)
    for name in ("cacc", "xpos", "qfrc_smooth", "cinert"):
        np.testing.assert_array_equal(getattr(again, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("scene", SCENES)
def test_forward_of_a_batch(scene: str, integrator: str, kernels: str, tmp_path: Path) -> None:
    model = loaded(SCENES[scene], tmp_path, INTEGRATORS[integrator])
    batch = pb.BatchStepper(model, 11, results=OBSERVABLE, kernels=kernels)
    assert all(np.isnan(batch.results[name]).all() for name in OBSERVABLE if batch.results[name].size)
    batch.qvel = np.random.default_rng(0).normal(size=(11, model.nv))
    batch.step(20)
    batch.reset([2, 5])
    others = [k for k in range(11) if k not in (2, 5, 7)]
    assert np.isnan(batch.results["xpos"][[2, 5]]).all()
    before = {name: batch.results[name][others].copy() for name in OBSERVABLE}
    states = batch.get_state()
    batch.forward([2, 5, 7])
    for name in OBSERVABLE:
        np.testing.assert_array_equal(batch.results[name][others], before[name], err_msg=name)
    for k in (2, 5, 7):
        data = pb.Data(model)
        data.set_state(states[k])
        pb.forward(model, data)
        for name in (*OBSERVABLE, "qacc"):
            expected = getattr(data, name)
            found = (batch.qacc if name == "qacc" else batch.results[name])[k]
            scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * scale, err_msg=name)
    for name in ("qpos", "qvel", "time"):
        np.testing.assert_array_equal(getattr(batch, name), states_of(batch, states, name))


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "implicit"])
def test_accelerations_of_a_damped_model(integrator: str, kernels: str, tmp_path: Path) -> None:
    """A step needs only those with the dampers at its end. Copies, other results and kept arrays agree."""
    peer, state = start(SMOOTH, INTEGRATORS[integrator])
    model = loaded(SMOOTH, tmp_path, INTEGRATORS[integrator])
    after, _ = evaluated(peer, state)
    for results in ((), ("xpos",), ("qfrc_smooth",), ("cacc",), ("qacc",)):
        stepper = pb.Stepper(model, kernels, results=results)
        stepper.data.qpos, stepper.data.qvel = state.qpos, state.qvel
        stepper.step(1)
        copies = [stepper.data.copy(), pickle.loads(pickle.dumps(stepper)).data, stepper.data]
        for data in copies:
            np.testing.assert_allclose(data.qacc, after.qacc, rtol=1e-9, atol=1e-9)
    batch = pb.BatchStepper(model, 3, kernels=kernels)
    kept = batch.qacc
    batch.qpos, batch.qvel = state.qpos, state.qvel
    batch.step(1)
    assert np.isnan(kept).all()
    np.testing.assert_allclose(batch.qacc, np.tile(after.qacc, (3, 1)), rtol=1e-9, atol=1e-9)
    assert np.isfinite(kept).all()
    recorded = {"qacc": np.empty((1, 3, model.nv))}
    batch.qpos, batch.qvel = state.qpos, state.qvel
    batch.step(1, every=1, out=recorded)
    np.testing.assert_allclose(recorded["qacc"][0], np.tile(after.qacc, (3, 1)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_accelerations_do_not_depend_on_where_a_mocap_body_is_later(
    integrator: str, kernels: str, tmp_path: Path
) -> None:
    carried = '<body mocap="true" pos="0 0 1"><body><joint axis="0 1 0"'
    text = SMOOTH.replace('<body pos="0 0 1"><joint axis="0 1 0"', carried).replace(
        "</body></body></body>", "</body></body></body></body>"
    )
    model = loaded(text, tmp_path, INTEGRATORS[integrator])
    found = []
    for results in (("qacc",), ()):
        stepper = pb.Stepper(model, kernels, results=results)
        batch = pb.BatchStepper(model, 3, results=results, kernels=kernels)
        qvel = np.linspace(-1, 1, model.nv)
        stepper.data.qvel, batch.qvel = qvel, np.tile(qvel, (3, 1))
        stepper.step(2)
        batch.step(2)
        batch.failed[1] = True
        stepper.data.mocap_quat[:] = batch.mocap_quat[:] = [0.6, 0.8, 0, 0]
        batch.step(0)
        found.append(np.vstack([stepper.data.qacc, batch.qacc]))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_accelerations_of_failed_instances_stay(kernels: str, tmp_path: Path) -> None:
    """Also after further steps of the other instances, and if they are computed only when they are read."""
    text = SMOOTH.replace('<joint axis="0 1 0"', '<joint name="hinge" axis="0 1 0"')
    text = text.replace("<sensor>", '<actuator><motor joint="hinge"/></actuator><sensor>')
    model = loaded(text, tmp_path, 0)
    batches = [pb.BatchStepper(model, 9, results=x, kernels=kernels) for x in (("qacc",), ())]
    ctrl = np.zeros((33, 9, 1))
    for row, step in enumerate((1, 1, 5, 16, 17, 33)):  # rows 6 to 8 go on
        ctrl[step - 1, row] = 1e12
    for batch in batches:
        batch.qvel = np.random.default_rng(0).normal(size=(9, model.nv))
        batch.failed[8] = True
    for n in (4, 17, 0, 12, 16):
        for batch in batches:
            batch.step(n, ctrl=ctrl[:n])
        ctrl = ctrl[n:] if len(ctrl) > n else np.zeros((33, 9, 1))
        if n != 12:  # once, two calls without reading between them
            scale = np.maximum(1.0, np.abs(batches[0].qacc).max(axis=1, keepdims=True))
            np.testing.assert_allclose(batches[1].qacc / scale, batches[0].qacc / scale, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(batches[1].failed, batches[0].failed)
    assert batches[1].failed.tolist() == [True] * 6 + [False, False, True]
    assert (np.abs(batches[1].qacc[:6]).max(axis=1) > 1e10).all()
    assert not batches[1].qacc[8].any()


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_results_of_another_state_or_of_invalid_parameters_are_nan(kernels: str, tmp_path: Path) -> None:
    model = loaded(TOUCHING, tmp_path, 0)
    batch = pb.BatchStepper(model, 4, results=("xpos", "cvel"), parameters=("body_mass",), kernels=kernels)
    states = batch.get_state()
    batch.step(2)
    assert np.isfinite(batch.results["xpos"]).all()
    batch.set_state(states)
    assert np.isnan(batch.results["xpos"]).all()
    batch.parameters["body_mass"][2, 2] = -1.0
    batch.forward()
    assert np.isnan(batch.results["xpos"][2]).all()
    assert np.isnan(batch.qacc[2]).all()
    assert np.isfinite(batch.results["xpos"][[0, 1, 3]]).all()
    assert np.isnan(batch.compute("mass_matrix")["qM"][2]).all()


def test_an_instance_starts_from_its_own_coordinates() -> None:
    model = pb.load("examples/arm.xml")
    batch = pb.BatchStepper(model, 3, parameters=("qpos0",), kernels="loop")
    batch.parameters["qpos0"][1] = 0.25
    batch.reset()
    assert (batch.qpos[1] == 0.25).all()
    assert (batch.qpos[0] == model.qpos0).all()


def states_of(batch: Any, states: Any, name: str) -> Any:
    nq = batch.model.nq
    places = {"time": 0, "qpos": slice(1, 1 + nq), "qvel": slice(1 + nq, 1 + nq + batch.model.nv)}
    return states[:, places[name]]


def test_energy_is_of_the_current_state(tmp_path: Path) -> None:
    model = loaded(SMOOTH.replace('<flag energy="enable"/>', ""), tmp_path, 0)
    stepper = pb.Stepper(model, kernels="loop")
    stepper.step()
    for data in (pb.Data(model), stepper.data):
        pb.energy(model, data)
        data.qvel[:] += 1.0
        np.testing.assert_array_equal(data.energy, pb.energy(model, data.copy()))


def test_user_sensors_are_zero_unless_they_are_written() -> None:
    body = '<body><joint/><geom size="1"/></body>'
    text = f'<mujoco><worldbody>{body}</worldbody><sensor><user dim="2"/><clock/></sensor></mujoco>'
    model = pb.lower(pb.read("model.xml", text=text))
    data = pb.Data(model)
    pb.step(model, data)
    data.sensordata[:2] = 5.0, 6.0
    pb.step(model, data)
    assert data.sensordata[:2].tolist() == [5.0, 6.0]
    pb.reset(model, data)
    assert data.sensordata[:2].tolist() == [0.0, 0.0]
    pb.forward(model, data)
    assert data.sensordata.tolist() == [0.0, 0.0, 0.0]
