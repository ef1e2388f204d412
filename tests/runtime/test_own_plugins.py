"""User-defined plugins: their results have the same effect as MuJoCo's equivalent built-in laws."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody import plugins

OFF = ("constraint", "contact")
BODY = """<worldbody><body pos="0 0 1"><joint name="j" type="slide" axis="1 0 0" {}/><geom size=".1"/>{}
<site name="s"/></body></worldbody>"""
EXTENSION = '<extension><plugin plugin="{}"/></extension>'


class Spring(plugins.Plugin):
    """A spring at the degrees of freedom of a body, which counts its steps."""

    name = "tests.spring"
    keys = ("stiffness",)

    def problems(self, config: plugins.Config) -> Iterator[str]:
        try:
            plugins.number(config, "stiffness")
        except ValueError as error:
            yield str(error)

    def states(self, config: plugins.Config) -> int:
        return 1

    def compute(self, model: Any, data: Any, instance: int) -> None:
        stiffness = plugins.number(plugins.configuration(model, instance), "stiffness")
        for body in np.flatnonzero(model.body_plugin == instance).tolist():
            for dof in np.flatnonzero(model.dof_bodyid == body).tolist():
                data.qfrc_passive[dof] -= stiffness * data.qpos[dof]

    def advance(self, model: Any, data: Any, instance: int) -> None:
        data.plugin_state[model.plugin_stateadr[instance]] += 1


class Servo(plugins.Plugin):
    """An actuator whose force is twice the error."""

    name = "tests.servo"
    capability = "actuator"

    def compute(self, model: Any, data: Any, instance: int) -> None:
        for row in np.flatnonzero(model.actuator_plugin == instance).tolist():
            data.actuator_force[row] = 2 * (data.ctrl[row] - data.actuator_length[row])


class Pair(plugins.Plugin):
    """A sensor with two numbers: time, and the acceleration."""

    name = "tests.pair"
    capability = "sensor"

    def dim(self, config: plugins.Config) -> int:
        return 2

    def compute(self, model: Any, data: Any, instance: int) -> None:
        for row in np.flatnonzero(model.sensor_plugin == instance).tolist():
            first = int(model.sensor_adr[row])
            data.sensordata[first : first + 2] = data.time, data.qacc[0]


for made in (Spring(), Servo(), Pair()):
    plugins.register(made)


def _model(inside: str, **options: Any) -> pb.Model:
    document = pb.read("m.xml", text=f"<mujoco>{inside}</mujoco>", policy="lenient", format="mjcf")
    return pb.lower(document, disable=options.pop("disable", OFF))


def _sprung(stiffness: str = "3") -> str:
    config = f'<config key="stiffness" value="{stiffness}"/>'
    used = f'<plugin plugin="tests.spring">{config}</plugin>'
    return EXTENSION.format("tests.spring") + BODY.format("", used)


def _moved(model: pb.Model, steps: int = 30) -> pb.Data:
    data = pb.Data(model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = 0.3, -0.2, 0.7
    pb.step(model, data, steps)
    return data


def test_a_force_of_ones_own_acts_like_a_spring() -> None:
    ours, plain = _moved(_model(_sprung())), _moved(_model(BODY.format('stiffness="3"', "")))
    for name in ("qpos", "qvel", "qacc"):
        np.testing.assert_allclose(getattr(ours, name), getattr(plain, name), rtol=1e-12, err_msg=name)
    spring = -3.0 * (plain.qpos - plain.qvel * plain.model.opt.timestep)  # at the step's evaluation
    np.testing.assert_allclose(ours.qfrc_passive, spring, rtol=1e-12)
    for data in (ours, plain):
        pb.forward(data.model, data)
    np.testing.assert_allclose(ours.qfrc_passive, plain.qfrc_passive, rtol=1e-12)
    assert ours.plugin_state.tolist() == [30]
    assert not ours.qfrc_applied.any()
    again = ours.copy()
    assert again.plugin_state.tolist() == [30]


def test_an_actuator_of_ones_own_acts_like_a_servo() -> None:
    head = EXTENSION.format("tests.servo") + BODY.format("", "")
    ours = _moved(_model(f'{head}<actuator><plugin joint="j" plugin="tests.servo"/></actuator>'))
    plain = _moved(_model(f'{BODY.format("", "")}<actuator><position joint="j" kp="2"/></actuator>'))
    for name in ("qpos", "qvel", "actuator_force", "qfrc_actuator"):
        np.testing.assert_allclose(getattr(ours, name), getattr(plain, name), rtol=1e-12, err_msg=name)


def test_a_sensor_of_ones_own_measures_where_a_step_begins() -> None:
    text = EXTENSION.format("tests.pair") + BODY.format('stiffness="3"', "")
    model = _model(f'{text}<sensor><clock/><plugin plugin="tests.pair" objtype="site" objname="s"/></sensor>')
    data = _moved(model, 2)
    np.testing.assert_allclose(data.sensordata, [0.002, 0.002, data.qacc[0]])


def test_flags_switch_them_off() -> None:
    data = _moved(_model(_sprung(), disable=(*OFF, "passive")))
    assert not data.qfrc_passive.any()
    assert data.plugin_state.tolist() == [0]


def test_what_has_no_plugins_of_ones_own_says_so() -> None:
    model = _model(_sprung())
    with pytest.raises(pb.ModelError, match="user plugin in a Stepper or a batch is not simulated yet"):
        pb.Stepper(model)
    with pytest.raises(pb.ModelError, match="RK4 needs four evaluations"):
        pb.step(model.replace(opt_integrator=1), pb.Data(model.replace(opt_integrator=1)))


def test_a_force_that_is_not_finite_is_an_error() -> None:
    model = _model(_sprung("1e300"))
    data = pb.Data(model)
    data.qpos[:] = 1e20
    with (
        np.errstate(over="ignore"),
        pytest.raises(pb.ModelError, match="the force of a plugin is NaN or infinite"),
    ):
        pb.forward(model, data)


def test_a_configuration_of_ones_own_is_checked_with_its_line() -> None:
    with pytest.raises(pb.ValidationError, match=r"tests\.spring: `stiffness` is 'soft'"):
        _model(_sprung("soft"))


def test_names_are_taken_once() -> None:
    with pytest.raises(ValueError, match=r"the plugin 'tests\.spring' already exists"):
        plugins.register(Spring())
    with pytest.raises(ValueError, match="needs a name"):
        plugins.register(plugins.Plugin())


def test_packages_register_plugins_by_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("spring", f"{__name__}:Spring", plugins.GROUP)
    found = {plugins.GROUP: [point]}
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found.get(group, []))
    plugins._known.cache_clear()
    try:
        assert type(plugins.find("tests.spring")).__name__ == "Spring"
        assert "tests.spring" in plugins.names()
    finally:
        monkeypatch.undo()
        plugins._known.cache_clear()
