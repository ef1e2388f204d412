"""Past samples of actuators and sensors: a part of the state, of files and copies; what is refused."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest

ARM = """<mujoco><option timestep="{h}"><flag sensor="{sensor}"/></option><worldbody>
<body><joint name="j" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
<actuator>{actuators}</actuator><sensor>{sensors}</sensor>{key}</mujoco>"""
KEY = '<keyframe><key time="3" ctrl="5"/></keyframe>'
MOTOR = '<motor name="m" joint="j" nsample="3" delay=".02"/>'
SENSOR = '<jointpos name="s" joint="j" nsample="3" interp="linear" delay=".015" interval=".03 -.01"/>'
WITH_PLUGIN = """<mujoco><option timestep="0.01"/><extension><plugin plugin="mujoco.pid"><instance name="p">
<config key="kp" value="10"/><config key="ki" value="3"/></instance></plugin></extension><worldbody><body>
<joint name="j" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></worldbody><actuator>
<plugin plugin="mujoco.pid" instance="p" joint="j" actdim="{}" {} nsample="3" delay="0.02"/></actuator>
</mujoco>"""

BALL = """<mujoco><option timestep="0.01" integrator="{}"/><worldbody><body>
<joint name="b" type="ball" armature=".1"/><geom type="box" size=".1 .2 .3" contype="0"/></body></worldbody>
<actuator><motor joint="b" gear="1 0 0" nsample="2"/>
<orientation joint="b" kp="9" kv="1" input="quat" nsample="3" interp="cubic" delay=".025"/>
<orientation joint="b" kp="2" nsample="2" delay=".01"/></actuator></mujoco>"""
TURNED = {
    "Euler": (0.14865529102107242, 0.01044867882932031, -0.33529002639409056),
    "RK4": (0.10003660940420886, -0.0924552572339427, -0.42473515774150133),
}
"""Velocities of BALL after six steps in MuJoCo 4.0.1, by integrator."""


def read(text: str, **how: Any) -> pb.Model:
    with warnings.catch_warnings(action="ignore", category=pb.ModelWarning):
        return pb.lower(pb.read("arm.xml", text=text, **{"release": "4.0", **how}))


def document(**parts: Any) -> str:
    usual = {"actuators": MOTOR, "sensors": SENSOR, "h": 0.01, "sensor": "enable", "key": ""}
    return ARM.format(**usual | parts)


def arm(release: str = "4.0", **parts: Any) -> pb.Model:
    return read(document(**parts), release=release)


def moved(data: pb.Data, steps: int, first: int = 0) -> pb.Data:
    for step in range(first, first + steps):
        data.ctrl = np.sin(step)
        pb.step(data.model, data)
    return data


def same(one: pb.Data, other: pb.Data) -> None:
    for name in ("time", "qpos", "qvel", "act", "history", "sensordata"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_a_control_acts_after_its_delay() -> None:
    data = pb.Data(arm())
    found = []
    for step in range(5):
        data.ctrl = step + 1.0
        pb.step(data.model, data)
        found.append(float(data.actuator_force[0]))
    assert found == [0.0, 0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("integrator", TURNED)
def test_the_first_samples_of_quaternions_are_the_identity(integrator: str) -> None:
    model = read(BALL.format(integrator))
    data = pb.Data(model)
    first = [0, 1, -0.02, -0.01, 0, 0, 0, 2, -0.03, -0.02, -0.01, *3 * (1, 0, 0, 0), 0, 1, -0.02, -0.01]
    np.testing.assert_array_equal(data.history, [*first, *6 * (0,)])
    batch = pb.BatchStepper(model, 3, kernels="loop")
    for step in range(6):
        data.ctrl = batch.ctrl = np.sin(step + np.arange(model.nu))
        pb.step(model, data)
        batch.step(1)
    for found in (data.qvel, *batch.qvel):
        np.testing.assert_allclose(found, TURNED[integrator], rtol=1e-10)
    pb.reset(model, data)
    batch.reset([1])
    for history in (data.history, batch.history[1]):
        np.testing.assert_array_equal(history, pb.Data(model).history)


def test_samples_are_a_part_of_the_state() -> None:
    model = arm()
    assert model.nhistory == 16
    data = moved(pb.Data(model), 7)
    for spec in ("full", "integration"):
        assert data.get_state(spec).size - pb.Data(arm(actuators="", sensors="")).get_state(
            spec
        ).size == 16 + (spec == "integration")
    kept = data.get_state()
    expected = moved(data, 5, 7)
    other = pb.Data(model)
    other.set_state(kept)
    same(moved(other, 5, 7), expected)


@pytest.mark.parametrize("way", ["copy", "pickle", "file"])
def test_copies_have_the_samples(way: str, tmp_path: Path) -> None:
    data = moved(pb.Data(arm()), 7)
    if way == "file":
        data.save(tmp_path / "arm.npz")
        other = pb.Data.load(tmp_path / "arm.npz")
    else:
        other = data.copy() if way == "copy" else pickle.loads(pickle.dumps(data))
    same(moved(other, 5, 7), moved(data, 5, 7))


def test_models_with_delays_are_saved_and_written(tmp_path: Path) -> None:
    model = arm()
    model.save(tmp_path / "arm.npz")
    expected = moved(pb.Data(model), 9)
    for other in (pb.Model.load(tmp_path / "arm.npz"), pb.Model.from_xml(model.to_xml())):
        assert other == model
        same(moved(pb.Data(other), 9), expected)


def test_models_and_simulations_of_before_there_were_delays_are_still_read() -> None:
    model = arm(actuators="<motor joint='j'/>", sensors="<jointpos joint='j'/>")
    later = {f"{kind}_{name}" for kind in ("actuator", "sensor") for name in ("history", "delay", "interval")}
    other = pb.Model(
        {name: x for name, x in model.given().items() if name not in later}, model.names, name=model.name
    )
    assert other == model
    assert other.nhistory == 0
    data = moved(pb.Data(model), 3)
    arrays = data._take()
    del arrays["history"]
    again = pb.Data(other)
    again._put(arrays)
    same(moved(again, 3, 3), moved(data, 3, 3))


def test_reset_forgets_the_samples() -> None:
    model = arm(key=KEY)
    data = moved(pb.Data(model), 7)
    pb.reset(model, data)
    same(moved(data, 4), moved(pb.Data(model), 4))
    pb.reset(model, data, 0)
    assert data.time == 3.0
    np.testing.assert_array_equal(data.history[:8], [0, 2, -0.03, -0.02, -0.01, 0, 0, 0])
    pb.step(model, data)
    np.testing.assert_allclose(data.history[:8], [0, 0, 3, -0.02, -0.01, 5, 0, 0])


@pytest.mark.parametrize("kernels", ["loop", pytest.param("auto", marks=pytest.mark.long)])
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_instances_of_a_batch_have_their_own_samples(kernels: str, precision: str) -> None:
    model = arm()
    batch = pb.BatchStepper(model, n=3, kernels=kernels, precision=precision)
    single = pb.Data(model)
    for step in range(9):
        batch.ctrl[0], batch.ctrl[1], batch.ctrl[2] = np.sin(step), 0.5, np.sin(step)
        batch.step(1)
    moved(single, 9)
    accuracy = 1e-12 if precision == "float64" else 1e-5
    np.testing.assert_allclose(batch.history[0], single.history, rtol=accuracy, atol=accuracy)
    np.testing.assert_allclose(batch.instance(2).qpos, single.qpos, rtol=accuracy, atol=accuracy)
    again = pickle.loads(pickle.dumps(batch))
    kept = batch.get_state()
    batch.reset([1])
    np.testing.assert_array_equal(batch.history[1], pb.Data(model).history)
    np.testing.assert_array_equal(batch.history[0], kept[0, 3:19])
    batch.set_state(kept)
    for other in (batch, again):
        other.ctrl[0] = np.sin(9)
        other.step(1)
        other.forward()
    np.testing.assert_array_equal(batch.history, again.history)
    moved(single, 1, 9)
    np.testing.assert_allclose(batch.qvel[0], single.qvel, rtol=accuracy, atol=accuracy)
    np.testing.assert_allclose(batch.history[0], single.history, rtol=accuracy, atol=accuracy)


def test_instances_with_timesteps_of_their_own_have_their_own_first_samples() -> None:
    model = arm()
    batch = pb.BatchStepper(model, n=2, kernels="loop", parameters=("opt_timestep",))
    batch.parameters["opt_timestep"][1] = 0.02
    batch.reset()
    for row, h in enumerate((0.01, 0.02)):
        np.testing.assert_array_equal(batch.history[row], pb.Data(model.replace(opt_timestep=h)).history)
    batch.step(4)
    np.testing.assert_array_equal(
        batch.history[1], moved_without(model.replace(opt_timestep=0.02), 4).history
    )


def moved_without(model: pb.Model, steps: int) -> pb.Data:
    data = pb.Data(model)
    pb.step(model, data, steps)
    return data


def test_a_failed_step_keeps_no_samples() -> None:
    model = arm()
    data = moved(pb.Data(model), 3)
    batch = pb.BatchStepper(model, n=1, kernels="loop")
    batch.set_state(data.get_state()[None])
    before = data.history.copy()
    data.qvel, batch.qvel = 1e9, 1e9
    data.qfrc_applied, batch.qfrc_applied = 1e15, 1e15
    with pytest.raises(pb.SimulationError):
        pb.step(model, data)
    batch.step(1)
    assert batch.failed[0]
    for found in (data, batch):
        np.testing.assert_array_equal(np.ravel(found.history), before)
        np.testing.assert_array_equal(np.ravel(found.ctrl), np.sin(2))


@pytest.mark.parametrize(
    ("dim", "dynamics", "expected"),
    [
        (1, "", [10.03, 20.033, 29.9835, 39.8557, 49.6244]),
        (2, 'dyntype="filter" dynprm=".1"', [0.0, -0.0314, -0.0942, 0.8146, 2.5954]),
    ],
)
def test_controllers_of_plugins_see_delays_only_through_dynamics(
    dim: int, dynamics: str, expected: list[float]
) -> None:
    """MuJoCo 4.0.1 was asked."""
    model = read(WITH_PLUGIN.format(dim, dynamics))
    data, found = pb.Data(model), []
    for step in range(5):
        data.ctrl = step + 1.0
        pb.step(model, data)
        found.append(float(data.actuator_force[0]))
    np.testing.assert_allclose(found, expected, atol=6e-5)


def test_states_that_the_model_cannot_have_are_refused() -> None:
    model = arm()
    data = pb.Data(model)
    state = data.get_state()
    with pytest.raises(ValueError, match=r"with 16 numbers of past samples, got \(9,\)"):
        data.set_state(state[16:25])
    place = 3
    for change, message in (
        (state[place + 1] + 0.5, "must be one of 0 to 2"),
        (np.nan, "must be one of 0 to 2"),
    ):
        wrong = state.copy()
        wrong[place + 1] = change
        with pytest.raises(ValueError, match=f"actuator 0 'm' {message}"):
            data.set_state(wrong)
        with pytest.raises(ValueError, match=message):
            pb.BatchStepper(model, n=1, kernels="loop").set_state(wrong[None])
    wrong = state.copy()
    wrong[place + 10] = 7.0
    with pytest.raises(ValueError, match="the times of the samples of sensor 0 's' must increase"):
        data.set_state(wrong)
    np.testing.assert_array_equal(data.get_state(), state)
    data.history = 7.5  # whatever is written there, no other memory is read
    pb.step(model, data)


def test_of_3_2_7_there_are_no_delays() -> None:
    with pytest.raises(pb.ValidationError, match="nsample"):
        arm(release="3.2.7")
    assert arm(actuators="<motor joint='j'/>", sensors="", release="3.2.7").nhistory == 0


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"actuators": MOTOR.replace("3", "0")}, r"arm.xml:3:\d+: .*a `delay` of 0.02 s needs a buffer"),
        (
            {"sensors": SENSOR.replace('nsample="3"', "")},
            r"arm.xml:3:\d+: .*a `delay` of 0.015 s needs a buffer",
        ),
        ({"h": 0.0}, "arm.xml:1:.*timestep"),
        (
            {"actuators": '<dcmotor joint="j" motorconst="1" resistance="1" input="none" nsample="3"/>'},
            r"arm.xml:3:\d+: .*past controls cannot be kept",
        ),
    ],
)
def test_what_mujoco_refuses_is_refused_at_its_line(how: dict[str, Any], message: str) -> None:
    with pytest.raises(pb.ValidationError, match=message):
        arm(**how)


def test_a_delay_beyond_its_samples_is_reported() -> None:
    text = document(actuators=MOTOR.replace(".02", ".05"), sensors="")
    with pytest.warns(pb.ModelWarning):
        pb.lower(pb.read("arm.xml", text=text, release="4.0"))
    found = [
        finding for finding in pb.check("arm.xml", text=text, release="4.0") if "longer" in finding.message
    ]
    assert [(finding.code, finding.line) for finding in found] == [("PB019", 3)]


def test_samples_of_disabled_sensors_are_refused() -> None:
    model = arm(sensor="disable")
    with pytest.raises(pb.ModelError, match="the flag `sensor` disabled is not simulated yet: sensor 0 's'"):
        pb.Stepper(model)


def test_histories_that_are_no_histories_are_refused() -> None:
    model = arm()
    for changes, message in (
        ({"actuator_history": [[3, 7]]}, "interpolation 7"),
        ({"sensor_history": [[-1, 0]]}, "-1 samples"),
        ({"sensor_history": [[0, 0]]}, "no past samples of it are kept"),
        ({"actuator_history": [[1 << 28, 0]]}, "more than 134,217,728"),
    ):
        with pytest.raises(pb.ModelError, match=message):
            pb.Data(model.replace(**changes))


def test_delays_are_not_parameters_of_a_batch() -> None:
    with pytest.raises(ValueError, match="'actuator_delay' is not a parameter of a batch"):
        pb.BatchStepper(arm(), n=2, kernels="loop", parameters=("actuator_delay",))


@pytest.mark.long
def test_programs_take_steps_of_rk4_with_delays_of_sensors() -> None:
    sensors = SENSOR + '<framepos objtype="geom" objname="g" nsample="3" delay=".02"/>'
    model = read(
        document(actuators='<motor joint="j"/>', sensors=sensors)
        .replace("<geom ", '<geom name="g" ')
        .replace("<flag", '<flag contact="disable"')
        .replace("<option ", '<option integrator="RK4" ')
    )
    assert model.nhistory > 0
    one, other = (pb.Stepper(model, kernels=kernels) for kernels in ("loop", "specialized"))
    for stepper in (one, other):
        for step in range(9):
            stepper.data.ctrl = np.sin(step)
            stepper.step()
    for name in ("qpos", "history", "sensordata"):
        np.testing.assert_allclose(getattr(one.data, name), getattr(other.data, name), rtol=1e-12, atol=1e-14)


def test_loops_step_where_only_they_know_the_controls_of_stages() -> None:
    stepper = pb.Stepper(arm().replace(opt_integrator="RK4"), kernels="switch")
    assert (stepper.kernels, "in each stage of RK4" in stepper.reason) == ("loop", True)
