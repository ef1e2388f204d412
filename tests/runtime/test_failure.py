"""A step whose result would be NaN or infinite stops, keeps the previous state and reports the cause."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from polybody import engine
from polybody.engine.divergence import explain
from polybody.errors import ModelError, SimulationError
from polybody.model.builder import ModelBuilder
from polybody.model.data import Data
from polybody.model.model import Model
from polybody.simulation.batch.stepper import BatchStepper
from polybody.simulation.stepper import Stepper

from tests.runtime import mjcf
from tests.runtime.models import everything, pendulum


def massless_tip(*, armature: float = 0.0, regularization: float = 0.0, integrator: str = "Euler") -> Model:
    b = ModelBuilder(regularization=regularization, integrator=integrator)
    arm = b.body(name="arm", mass=1, ipos=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    b.joint(arm, "hinge", axis=(0, 1, 0), name="shoulder")
    tip = b.body(arm, name="tip", pos=(0, 0, -1))
    b.joint(tip, "hinge", axis=(0, 1, 0), name="wrist", armature=armature)
    b.joint(b.body(name="other", mass=1, inertia=(1, 1, 1)), "slide", name="rail")
    return b.build()


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_a_singular_mass_matrix_is_refused(kernels: str) -> None:
    model = massless_tip()
    message = "no inertia resists a motion of body 2 'tip'; give them"
    for attempt in (
        lambda: engine.step(model, Data(model)),
        lambda: engine.step2(model, Data(model)),
        lambda: Stepper(model, kernels),
        lambda: BatchStepper(model, 2),
    ):
        with pytest.raises(ModelError, match=message):
            attempt()


def test_what_a_singular_mass_matrix_leaves_undefined() -> None:
    model = massless_tip()
    data = Data(model)
    data.qvel = [1.0, 2.0, 3.0]
    engine.forward(model, data)
    assert np.isnan(data.qacc[:2]).all()
    assert data.qacc[2] == -9.81
    assert np.isnan(data.cacc[[1, 2]]).all()
    assert np.isnan(data.cfrc_int[[1, 2]]).all()
    for name in ("xpos", "xquat", "qfrc_bias", "qfrc_passive", "qfrc_smooth", "cvel", "energy"):
        assert np.isfinite(getattr(data, name)).all(), name
    assert np.linalg.matrix_rank(engine.mass_matrix(model, data)) == 2


def test_a_motion_that_nothing_resists() -> None:
    """As in a batch, whose parameters can remove a body's mass."""
    data = Data(massless_tip())
    engine.forward(data.model, data)
    error = explain(data, 0)
    assert (error.body, error.joint, error.quantity, error.time, error.steps) == (
        "tip",
        "wrist",
        "qacc",
        0.0,
        0,
    )
    assert "no inertia" in error.reason
    assert "body 2 'tip', joint 1 'wrist'" in str(error)
    other = pickle.loads(pickle.dumps(error))
    assert str(other) == str(error)
    assert (other.body, other.joint_id, other.time) == ("tip", 1, 0.0)


def test_it_moves_once_something_resists() -> None:
    for model in (massless_tip(armature=0.01), massless_tip(regularization=1e-6)):
        data = Data(model)
        engine.step(model, data, 10)
        assert np.isfinite(data.qpos).all()


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_a_simulation_that_runs_away(integrator: str) -> None:
    b = ModelBuilder(timestep=1.0, integrator=integrator)
    b.joint(b.body(name="calm", mass=1, inertia=(1, 1, 1)), "slide", name="rail")
    b.joint(b.body(name="wild", mass=1, inertia=(1, 1, 1)), "slide", name="spring", stiffness=1e6, qpos0=0.1)
    model = b.build()
    data = Data(model)
    with pytest.raises(SimulationError) as caught:
        engine.step(model, data, 10_000)
    error = caught.value
    assert (error.body, error.joint) == ("wild", "spring")
    assert error.time == data.time == error.steps
    assert 0 < error.steps < 10_000
    assert "diverged" in error.reason
    assert np.isfinite(data.get_state()).all()
    held = data.get_state()
    with pytest.raises(SimulationError) as again:
        engine.step(model, data)
    assert again.value.steps == 0
    assert data.get_state().tolist() == held.tolist()


def test_what_runs_away_is_not_said_to_be_loose() -> None:
    b = ModelBuilder(timestep=0.001, integrator="RK4")
    arm = b.body(name="arm", mass=1, ipos=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    b.joint(arm, "slide", name="stiff", damping=1e6)
    b.joint(b.body(arm, name="hand", mass=1, inertia=(1, 1, 1)), "ball", name="wrist", damping=1e6)
    sim = Stepper(b.build())
    sim.data.qvel = np.full(4, 1e-3)
    with pytest.raises(SimulationError, match="diverged"):
        sim.step(1000)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(
    ("column", "row", "joint"), [("qpos", 11, "reach"), ("qvel", 10, "turn"), ("qfrc_applied", 11, "drill")]
)
def test_what_was_not_finite_before(column: str, row: int, joint: str, value: float) -> None:
    model = everything()
    data = Data(model)
    engine.step(model, data, 5)
    getattr(data, column)[row] = value
    with pytest.raises(SimulationError) as caught:
        engine.step(model, data)
    assert caught.value.joint == joint
    assert caught.value.quantity == column
    assert caught.value.time == pytest.approx(0.005)


DRIVEN = """<mujoco><worldbody><body name="goal" mocap="true"/>
<body name="arm"><joint name="hinge" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
<actuator><motor name="limited" joint="hinge" ctrlrange="-1 1"/>
<general name="filter" joint="hinge" dyntype="filter" dynprm="1e-4"/>
<motor name="strong" joint="hinge" gear="1e200"/></actuator></mujoco>"""


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
@pytest.mark.parametrize(
    ("column", "row", "value", "actuator", "body"),
    [
        ("ctrl", 0, np.nan, "limited", ""),
        ("ctrl", 1, np.inf, "filter", ""),
        ("ctrl", 2, -np.inf, "strong", ""),
        ("act", 0, np.nan, "filter", ""),
        ("xfrc_applied", (2, 3), np.nan, "", "arm"),
    ],
)
def test_what_acts_and_is_not_finite(
    column: str, row: int | tuple[int, int], value: float, actuator: str, body: str, integrator: str
) -> None:
    model = mjcf.model(DRIVEN).replace(opt_integrator=integrator)
    data = Data(model)
    engine.step(model, data, 3)
    getattr(data, column)[row] = value
    before = data.get_state()
    with pytest.raises(SimulationError) as caught:
        engine.step(model, data, 3)
    error = caught.value
    assert (error.quantity, error.actuator, error.body, error.joint) == (column, actuator, body, "")
    assert f"{column} of " + (f"actuator {error.actuator_id}" if actuator else "body 2") in str(error)
    assert np.array_equal(data.get_state(), before, equal_nan=True)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_an_infinite_control_that_is_limited_acts_as_its_limit() -> None:
    model = mjcf.model(DRIVEN)
    one, other = Data(model), Data(model)
    one.ctrl[0], other.ctrl[0] = np.inf, 1
    for data in (one, other):
        engine.step(model, data, 3)
    assert one.qpos.tolist() == other.qpos.tolist()
    one.act[0] = np.nan
    with pytest.raises(SimulationError, match="act of actuator 1 'filter'"):
        engine.step(model, one)


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_actuators_that_run_away(integrator: str) -> None:
    """A filter whose time constant is below the step; a force that overflows."""
    model = mjcf.model(DRIVEN).replace(opt_integrator=integrator)
    data = Data(model)
    data.ctrl[1] = 1
    with pytest.raises(SimulationError, match="act of actuator 1 'filter'; it diverged, to") as caught:
        engine.step(model, data, 10_000)
    assert caught.value.steps > 10
    data = Data(model)
    data.ctrl[2] = 1e200
    with pytest.raises(SimulationError, match="actuator_force of actuator 2 'strong'; its force became NaN"):
        engine.step(model, data)


def test_rows_without_names_are_named_by_number() -> None:
    b = ModelBuilder()
    b.joint(b.body(mass=1, inertia=(1, 1, 1)), "hinge")
    sim = Stepper(b.build())
    sim.data.qvel[0] = np.nan
    with pytest.raises(SimulationError, match="body 1, joint 0; "):
        sim.step()


def test_stepper() -> None:
    model = pendulum()
    sim = Stepper(model)
    assert (sim.kernels, sim.reason) == ("loop", "POLYBODY_KERNELS=loop")
    assert Stepper(model, kernels="loop").reason == "asked for"
    sim.step(100)
    assert sim.data.time == pytest.approx(0.1)
    assert "t = 0.1 s" in repr(sim)
    onward = Stepper(model, data=sim.data.copy())
    sim.step(10)
    onward.step(10)
    assert onward.data.get_state().tolist() == sim.data.get_state().tolist()
    sim.reset()
    assert sim.data.get_state().tolist() == Data(model).get_state().tolist()
    with pytest.raises(ValueError, match="one of auto, loop, specialized"):
        Stepper(model, kernels="fast")
    with pytest.raises(ValueError, match="the data simulate"):
        Stepper(everything(), data=sim.data)
