"""A step whose result would be NaN or infinite stops, keeps the previous state and reports the cause."""

from __future__ import annotations

import pickle

import numpy as np
import polybody as pb
import pytest
from polybody import engine
from polybody.assembly.builder import ModelBuilder
from polybody.engine.data import Data
from polybody.engine.divergence import explain
from polybody.errors import ModelError, SimulationError
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
    b = ModelBuilder(timestep=0.0078125, integrator=integrator)
    b.joint(b.body(name="calm", mass=1, inertia=(1, 1, 1)), "slide", name="rail")
    b.joint(b.body(name="wild", mass=1, inertia=(1, 1, 1)), "slide", name="spring", stiffness=1e6, qpos0=0.1)
    model = b.build()
    data = Data(model)
    with pytest.raises(SimulationError) as caught:
        engine.step(model, data, 10_000)
    error = caught.value
    assert (error.body, error.joint) == ("wild", "spring")
    assert error.time == data.time == error.steps / 128
    assert 0 < error.steps < 10_000
    assert "diverged" in error.reason
    assert np.isfinite(data.get_state()).all()
    held = data.get_state()
    with pytest.raises(SimulationError) as again:
        engine.step(model, data)
    assert again.value.steps == 0
    assert data.get_state().tolist() == held.tolist()


def test_an_implicit_step_without_solution_is_not_said_to_be_of_some_velocity() -> None:
    """The mass equals the time step times the derivative of the force at the end of the step."""
    body = '<body pos="{} 0 0"><joint name="{}" type="slide"/><geom size="0.1" mass="1"/></body>'
    actuator = '<general joint="{}" dyntype="integrator" gaintype="affine" gainprm="1 0 1" actearly="true"/>'
    text = (
        '<mujoco><option timestep="1" integrator="implicitfast"/><worldbody>'
        f"{body.format(0, 'j')}{body.format(1, 'k')}</worldbody>"
        f"<actuator>{actuator.format('j')}</actuator></mujoco>"
    )
    data = Data(pb.lower(pb.read("m.xml", text=text, release="4.0")))
    data.ctrl[:] = 1
    with pytest.raises(SimulationError, match="joint 0 'j'; it became NaN or infinite") as caught:
        engine.step(data.model, data)
    assert caught.value.quantity == "qvel"


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
    data.ctrl[1] = 1e-40
    with pytest.raises(SimulationError, match="act of actuator 1 'filter'; it diverged, to") as caught:
        engine.step(model, data, 10_000)
    assert caught.value.steps > 10
    data = Data(model)
    data.ctrl[2] = 1e200
    with pytest.raises(SimulationError, match="actuator_force of actuator 2 'strong'; its force became NaN"):
        engine.step(model, data)


def overshooting(timestep: float = 1e-6) -> tuple[Model, float, float]:
    """A spring whose force exceeds the limit for about two steps, after about ten, and the start of it."""
    b = ModelBuilder(timestep=timestep, gravity=(0, 0, 0))
    b.joint(b.body(name="ball", mass=1, inertia=(1, 1, 1)), "slide", name="spring", stiffness=1e10)
    return b.build(), 1.0275 * np.cos(1.0), 1.0275e5 * np.sin(1.0)


def stepped(how: str, piece: int, **options: float) -> tuple[int, SimulationError | None, np.ndarray]:
    """Steps that were completed of at most 40, the error, and the state afterwards."""
    model, qpos, qvel = overshooting()
    machine, _, kernels = how.partition(" ")
    if machine != "batch":
        sim = Stepper(model, kernels or "loop", **options)
        sim.data.qpos[0], sim.data.qvel[0] = qpos, qvel
        take = (
            (lambda: engine.step(model, sim.data, piece)) if machine == "engine" else lambda: sim.step(piece)
        )
        error = None
        for _ in range(40 // piece):
            try:
                take()
            except SimulationError as caught:
                error = caught
                break
        return round(sim.data.time / 1e-6), error, sim.data.get_state(("qpos", "qvel"))
    kernels, precision = kernels.split()
    batch = BatchStepper(model, 20, kernels=kernels, precision=precision, **options)
    batch.qpos[3], batch.qvel[3] = qpos, qvel
    for _ in range(40 // piece):
        batch.step(piece)
    assert batch.failed.sum() == batch.failed[3]
    found = batch.failure(3) if batch.failed[3] else None
    assert not isinstance(found, ModelError)
    return round(batch.time[3] / 1e-6), found, np.append(batch.qpos[3], batch.qvel[3])


MACHINES = [
    "engine", "stepper loop", "stepper specialized", *(f"batch {kernels} {precision}"
    for kernels in ("loop", "specialized") for precision in ("float64", "float32")),
]  # fmt: skip


@pytest.mark.parametrize("how", MACHINES)
def test_what_exceeds_the_limit_and_would_return(how: str) -> None:
    """The step that fails does not depend on the kernels, or on how many steps are taken at a time."""
    expected, _, state = stepped("engine", 1)
    assert 7 < expected < 12
    for piece in (1, 5, 40):
        done, error, kept = stepped(how, piece)
        assert done == expected
        assert error is not None
        assert (error.quantity, error.joint, error.body) == ("qacc", "spring", "ball")
        assert "an acceleration of -1e+10, beyond 1e+10" in str(error)
        assert kept == pytest.approx(state, rel=1e-5 if "float32" in how else 1e-12)


@pytest.mark.parametrize("how", MACHINES[1:])
def test_other_limits(how: str) -> None:
    assert stepped(how, 40, limit=np.inf)[:2] == (40, None)
    assert stepped(how, 40, limit=1.1e10)[:2] == (40, None)
    done, error, _ = stepped(how, 40, limit=1e9)
    assert (done, str(error).partition(";")[2]) == (
        0, " it diverged, with an acceleration of -5.55e+09, beyond 1e+09 (too long a time step?)"
    )  # fmt: skip
    model, *_ = overshooting()
    for wrong in (0, -1.0, np.nan):
        with pytest.raises(ValueError, match="limit must be positive"):
            Stepper(model, limit=wrong)
        with pytest.raises(ValueError, match="limit must be positive"):
            BatchStepper(model, 2, limit=wrong)
    again = pickle.loads(pickle.dumps(Stepper(model, "loop", limit=5.0)))
    assert again.limit == 5.0
    assert pickle.loads(pickle.dumps(BatchStepper(model, 2, limit=7.0))).limit == 7.0


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_limits_whose_squares_the_precision_does_not_hold(kernels: str, precision: str) -> None:
    b = ModelBuilder(gravity=(0, 0, 0))
    b.joint(b.body(mass=1, inertia=(1, 1, 1)), "slide")
    model = b.build()
    for limit in (1e-24, 1e19, 1.5e19, 1e30) if precision == "float32" else (1e-170, 1e154, 1.2e154, 1e200):
        batch = BatchStepper(model, 3, kernels=kernels, precision=precision, limit=limit)
        batch.qvel = limit * np.array([[0.999], [1.001], [1.2]])
        batch.step()
        assert batch.failed.tolist() == [False, True, True]


@pytest.mark.parametrize("how", ["loop", "specialized", "batch"])
@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("qpos", 2e10, "qpos was 2e+10 before the step, beyond 1e+10"),
        ("qvel", -3e10, "qvel was -3e+10 before the step, beyond 1e+10"),
        ("qvel", 9.9999e9, "it diverged, with a velocity of 1e+10, beyond 1e+10"),
        ("qpos", 9.9e9, "it diverged, with a coordinate of 1.08e+10, beyond 1e+10"),
    ],
)
def test_coordinates_and_velocities_are_limited(how: str, column: str, value: float, said: str) -> None:
    b = ModelBuilder(timestep=0.1, gravity=(0, 0, 0))
    b.joint(b.body(name="ball", mass=1, inertia=(1, 1, 1)), "slide", name="rail")
    model = b.build()
    sim = BatchStepper(model, 3) if how == "batch" else Stepper(model, how)
    data = sim.instance(0) if isinstance(sim, BatchStepper) else sim.data
    data.qvel[0], data.qfrc_applied[0] = 9e9, 1e7
    getattr(data, column)[0] = value
    if isinstance(sim, BatchStepper):
        sim.qpos[1], sim.qvel[1], sim.qfrc_applied[1] = data.qpos, data.qvel, data.qfrc_applied
        sim.step(1)
        error: Exception = sim.failure(1)
        assert (sim.qpos[1], sim.qvel[1]) == (data.qpos, data.qvel)
    else:
        before = data.get_state()
        with pytest.raises(SimulationError) as caught:
            sim.step()
        error = caught.value
        assert data.get_state().tolist() == before.tolist()
    assert said in str(error)
    assert f"{column} of body 1 'ball', joint 0 'rail'" in str(error)


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
