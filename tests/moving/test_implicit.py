"""Fluid forces and the implicit integrators, compared with MuJoCo and between all kinds of kernels."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.base.releases import is_in
from polybody.generated.formats.mjcf.tables import FORMAT

from tests.amounts import some
from tests.moving.workshop import away, put

mujoco = pytest.importorskip("mujoco")
PATH = Path(__file__).with_name("pool.xml")
ROPES = Path(__file__).with_name("ropes.xml")
INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast")
IMPLICIT = INTEGRATORS[2:]
INPUTS = ("qpos", "qvel", "act", "ctrl")
FIELDS = ("qfrc_fluid", "qfrc_passive", "qfrc_damper", "qfrc_actuator", "qfrc_smooth", "qacc", "sensordata")
Array = np.ndarray[Any, Any]


def pool(integrator: str, path: Path = PATH, **columns: Any) -> pb.Model:
    return pb.load(path, disable="constraint").replace(opt_integrator=integrator, **columns)


def peer(integrator: str, path: Path = PATH) -> tuple[Any, Any]:
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.integrator = INTEGRATORS.index(integrator)
    return model, mujoco.MjData(model)


def state(seed: int, path: Path = PATH) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    theirs, data = peer("Euler", path)
    data.qpos[:] += 0.5 * rng.normal(size=theirs.nq)
    mujoco.mj_normalizeQuat(theirs, data.qpos)
    data.qvel[:] = rng.normal(size=theirs.nv)
    data.act[:], data.ctrl[:] = (rng.normal(size=n) for n in (theirs.na, theirs.nu))
    return {name: np.array(getattr(data, name)) for name in INPUTS}


def their_derivative(model: Any, data: Any) -> Array:
    """MuJoCo's qDeriv after a step, as a dense matrix."""
    dense = np.zeros((model.nv, model.nv))
    for row in range(model.nv):
        entries = slice(data.D_rowadr[row], data.D_rowadr[row] + data.D_rownnz[row])
        dense[row, data.D_colind[entries]] = data.qDeriv[entries]
    return dense


def pairs(model: Any) -> Array:
    """Which pairs of degrees of freedom are ancestor and descendant, or the same."""
    found = np.eye(model.nv, dtype=bool)
    for row in range(model.nv):
        above = model.dof_parentid[row]
        while above >= 0:
            found[row, above] = found[above, row] = True
            above = model.dof_parentid[above]
    return found


def test_forces_of_the_medium() -> None:
    """At random states, at rest, and with density or viscosity alone."""
    for density, viscosity in ((1.2, 0.3), (900.0, 0.0), (0.0, 0.5)):
        model = pool("Euler", opt_density=density, opt_viscosity=viscosity)
        theirs, other = peer("Euler")
        theirs.opt.density, theirs.opt.viscosity = density, viscosity
        data = pb.Data(model)
        for seed in range(10):
            values = state(seed)
            values["qvel"] *= seed / 3
            put(data, values)
            put(other, values)
            pb.forward(model, data)
            mujoco.mj_forward(theirs, other)
            for name in FIELDS:
                assert away(getattr(data, name), getattr(other, name)) < 1e-12, (seed, name)
        assert np.abs(data.qfrc_fluid).max() > 0.1


@pytest.mark.parametrize("part", range(1, 6))
def test_each_coefficient_alone(part: int) -> None:
    """Coefficients of the ellipsoid model: blunt, slender, angular, Kutta, Magnus."""
    model = pool("implicit")
    coefficients = model.geom_fluid.copy()
    coefficients[:, 1:] *= np.arange(1, 12) == part
    model = model.replace(geom_fluid=coefficients)
    theirs, other = peer("implicit")
    theirs.geom_fluid[:] = coefficients
    data = pb.Data(model)
    for values in map(state, range(3)):
        put(data, values)
        put(other, values)
        pb.forward(model, data)
        found = data.qDeriv
        mujoco.mj_step(theirs, other)
        assert away(data.qfrc_fluid, other.qfrc_fluid) < 1e-12
        assert away(found, their_derivative(theirs, other)) < 1e-12


def test_flags() -> None:
    model = pb.load(PATH, disable=("constraint", "passive")).replace(opt_integrator="implicitfast")
    data = pb.Data(model)
    put(data, state(1))
    pb.forward(model, data)
    assert not data.qfrc_fluid.any()
    assert not data.qfrc_passive.any()
    calm = model.replace(opt_disableflags=1, opt_wind=(0, 0, 0))
    assert (calm.opt_fluid_acts, calm.opt_wind_acts) == (1, 0)
    still = pb.Data(calm)
    pb.forward(calm, still)
    assert np.abs(still.qfrc_fluid).max() < 1e-12


@pytest.mark.parametrize("path", [PATH, ROPES], ids=["pool", "ropes"])
@pytest.mark.parametrize("integrator", IMPLICIT)
def test_derivatives_and_steps(integrator: str, path: Path) -> None:
    model, (theirs, other) = pool(integrator, path), peer(integrator, path)
    data = pb.Data(model)
    for seed in range(6):
        values = state(seed, path)
        mujoco.mj_resetData(theirs, other)
        put(data, values)
        put(other, values)
        pb.forward(model, data)
        found = data.qDeriv
        mujoco.mj_step(theirs, other)
        pb.step(model, data)
        assert away(found, their_derivative(theirs, other)) < 1e-12
        assert np.abs(found).max() > 0.1
        for steps in (0, 99):
            mujoco.mj_step(theirs, other, steps)
            pb.step(model, data, steps)
            for name in ("qpos", "qvel", "act", "sensordata"):
                assert away(getattr(data, name), getattr(other, name)) < 1e-9, (seed, steps, name)


def test_derivatives_are_differences() -> None:
    """If MuJoCo truncates nothing: no clamped force or control, entries along the tree."""
    model = pool("implicit")
    flags = int(model.opt_disableflags) | mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL
    off = dict.fromkeys(("actuator_forcelimited", "actuator_actearly"), np.zeros(model.nu, np.uint8))
    model = model.replace(opt_disableflags=flags, **off)
    data, along, h = pb.Data(model), pairs(peer("implicit")[0]), 1e-6
    for seed in range(3):
        values = state(seed)
        put(data, values)
        pb.forward(model, data)
        found, differences = data.qDeriv, np.zeros((model.nv, model.nv))
        for dof in range(model.nv):
            ends = []
            for sign in (1, -1):
                data.qvel[...] = values["qvel"]
                data.qvel[dof] += sign * h
                pb.forward(model, data)
                ends.append(data.qfrc_smooth.copy())
            differences[:, dof] = (ends[0] - ends[1]) / (2 * h)
        assert away(found, differences * along) < 1e-6
        assert np.abs(found[~along]).max() == 0.0
        assert np.abs(differences[~along]).max() > 0.1  # tendons couple branches


def test_at_rest_nothing_is_infinite() -> None:
    for integrator in IMPLICIT:
        model, (theirs, other) = pool(integrator, opt_wind=(0, 0, 0)), peer(integrator)
        theirs.opt.wind[:] = 0
        data = pb.Data(model)
        found = data.qDeriv
        assert np.isfinite(found).all()
        mujoco.mj_step(theirs, other)
        assert away(found, their_derivative(theirs, other)) < 1e-12


@pytest.mark.parametrize("integrator", some(INTEGRATORS, 2))
def test_every_kernel_has_the_same_numbers(integrator: str) -> None:
    model = pool(integrator)
    results = ("sensordata", "qfrc_fluid", "qfrc_passive", "qfrc_actuator")
    loops, straight = (pb.Stepper(model, kernels=kind) for kind in ("loop", "specialized"))
    batches = [pb.BatchStepper(model, n=3, kernels=kind, results=results) for kind in ("loop", "specialized")]
    for seed in range(3):
        put(loops.data, state(seed))
        put(straight.data, state(seed))
        for name in INPUTS:
            for batch in batches:
                getattr(batch, name)[seed] = state(seed)[name]
    for stepper in (loops, straight, *batches):
        stepper.step(10)
    for name in ("qpos", "qvel", "act", "sensordata"):
        ours = getattr(loops.data, name)
        assert away(getattr(straight.data, name), ours) < 1e-12, name
        for batch in batches:
            found = batch.results[name] if name == "sensordata" else getattr(batch, name)
            assert away(found[2], ours) < 1e-12, name
    put(loops.data, state(2))
    loops.step(9)
    pb.forward(model, loops.data)
    for batch in batches if integrator != "RK4" else []:  # RK4 leaves some results of its last stage
        for name in results:
            assert away(batch.results[name][2], getattr(loops.data, name)) < 1e-11, name


@pytest.mark.parametrize("integrator", IMPLICIT)
def test_the_medium_is_a_parameter_of_a_batch(integrator: str) -> None:
    model = pool(integrator, opt_density=0, opt_viscosity=0, opt_wind=(0, 0, 0))
    assert not model.opt_fluid_acts
    batch = pb.BatchStepper(model, n=2, parameters=("opt_wind", "opt_density", "geom_fluid"))
    for name in INPUTS:
        getattr(batch, name)[:] = state(4)[name]
    other = {"opt_wind": np.array((1.0, 2.0, -1.0)), "opt_density": 3.0, "geom_fluid": 0.5 * model.geom_fluid}
    for name, value in other.items():
        batch.parameters[name][1] = value
    batch.step(5)
    for row, one in enumerate((model, model.replace(**other))):
        data = pb.Data(one)
        put(data, state(4))
        pb.step(one, data, 5)
        assert away(batch.qvel[row], data.qvel) < 1e-12


@pytest.mark.parametrize("integrator", IMPLICIT)
def test_halves_of_a_step(integrator: str) -> None:
    model = pool(integrator)
    whole, halves = pb.Data(model), pb.Data(model)
    for data in (whole, halves):
        put(data, state(2))
    for _ in range(3):
        pb.step(model, whole)
        pb.step1(model, halves)
        pb.step2(model, halves)
    for name in ("time", "qpos", "qvel", "act"):
        assert np.array_equal(getattr(whole, name), getattr(halves, name)), name


@pytest.mark.parametrize("integrator", ["Euler", *IMPLICIT])
def test_discrete_inverse_dynamics(integrator: str) -> None:
    """As in MuJoCo, and as a round trip: from accelerations over a step to the applied forces."""
    model, (theirs, other) = pool(integrator), peer(integrator)
    model = model.replace(opt_enableflags=8)
    theirs.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_INVDISCRETE
    rng, data = np.random.default_rng(3), pb.Data(model)
    for seed in range(3):
        values = state(seed)
        put(data, values)
        put(other, values)
        data.qacc[:] = other.qacc[:] = rng.normal(size=model.nv)
        pb.inverse(model, data)
        mujoco.mj_inverse(theirs, other)
        assert away(data.qfrc_inverse, other.qfrc_inverse) < 1e-12
        data.qfrc_applied[:] = rng.normal(size=model.nv)
        pb.step(model, data)
        acceleration = (data.qvel - values["qvel"]) / model.opt_timestep
        drive = data.qfrc_applied + data.qfrc_actuator
        put(data, values)
        data.qacc[:] = acceleration
        assert away(pb.inverse(model, data), drive) < 1e-9


def test_discrete_inverse_dynamics_needs_a_step_of_one_stage() -> None:
    model = pool("RK4").replace(opt_enableflags=8)
    with pytest.raises(pb.ModelError, match="invdiscrete has no meaning with the integrator RK4"):
        pb.inverse(model, pb.Data(model))


SERVOS = """
<mujoco>
  <option integrator="implicitfast"/>
  <default><geom size="0.1" density="300" contype="0" conaffinity="0"/></default>
  <worldbody>
    <body pos="0 0 1"><freejoint/><geom/><site name="s" pos=".1 0 0"/>
      <body pos=".3 0 0"><joint name="a" axis="1 2 0" damping=".3" range="-9 9"/>
        <geom type="box" size=".1 .2 .05"/>
        <body pos=".2 .1 0"><joint name="b" type="slide" axis="0 1 1" armature=".1"/><geom/></body>
      </body>
      <body pos="-.3 0 0"><joint name="c" type="ball" damping=".2"/><geom type="box" size=".1 .2 .05"/></body>
    </body>
  </worldbody>
  <actuator>
    <position name="x" joint="a" kp="20" kv="3" gear="2"/>
    <damper joint="b" kv="5" ctrlrange="0 9" gear="1.5"/>
    <motor joint="c" gear="1 2 3"/>
  </actuator>
  <sensor><accelerometer site="s"/><actuatorfrc actuator="x"/></sensor>
</mujoco>
"""


def servos(*, constrained: bool) -> tuple[pb.Model, Any, Any]:
    """Servo motors at single joints; `constrained`: one has active limits."""
    model = pb.lower(
        pb.read("m.xml", text=SERVOS, format="mjcf"), disable=() if constrained else "constraint"
    )
    theirs = mujoco.MjModel.from_xml_string(SERVOS)
    if not constrained:
        theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return model, theirs, mujoco.MjData(theirs)


def moving(theirs: Any, seed: int) -> dict[str, Array]:
    """A state of :func:`servos`, and controls."""
    rng, other = np.random.default_rng(seed), mujoco.MjData(theirs)
    mujoco.mj_integratePos(theirs, other.qpos, rng.normal(size=theirs.nv), 0.5)
    other.qvel[:], other.ctrl[:] = rng.normal(size=theirs.nv), rng.uniform(0, 3, theirs.nu)
    return {name: np.array(getattr(other, name)) for name in INPUTS}


def test_what_decides_whether_slopes_are_a_diagonal() -> None:
    model, *_ = servos(constrained=False)
    assert model.opt_slopes == 1
    still = {name: np.zeros_like(getattr(model, name)) for name in ("actuator_gainprm", "actuator_biasprm")}
    assert model.replace(**still).opt_slopes == 0
    assert model.replace(opt_viscosity=0.1).opt_slopes == 2
    assert model.replace(opt_disableflags=int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)).opt_slopes == 0
    kinds = model.actuator_biastype.copy()
    kinds[2] = kinds[0]  # of the actuator at a ball joint
    slopes = model.actuator_biasprm.copy()
    slopes[2, 2] = -1.0
    assert model.replace(actuator_biastype=kinds, actuator_biasprm=slopes).opt_slopes == 2
    assert pool("implicitfast", ROPES).opt_slopes == 2  # tendons have dampers


@pytest.mark.parametrize("constrained", [False, True])
def test_diagonal_slopes(constrained: bool) -> None:
    """The step solves (M - h qDeriv) qacc = qfrc_smooth + qfrc_constraint, sensors measure the acceleration
    before the step. All results are as in MuJoCo, for every kind of kernel, and with gains as parameters, for
    which the step uses the whole matrix.
    """
    model, theirs, other = servos(constrained=constrained)
    assert bool(model.opt_constrained) == constrained
    loops, straight = (pb.Stepper(model, kernels=kind) for kind in ("loop", "specialized"))
    options: dict[str, Any] = {"n": 1, "results": ("sensordata",)}
    batches = [pb.BatchStepper(model, kernels=kind, **options) for kind in ("loop", "specialized")]
    if not constrained:
        batches.append(pb.BatchStepper(model, parameters=("actuator_biasprm",), **options))
    for seed in range(4):
        values = moving(theirs, seed)
        for one in (loops.data, straight.data, other):
            put(one, values)
        for batch in batches:
            for name, value in values.items():
                getattr(batch, name)[0] = value
        pb.forward(model, loops.data)
        derivative, force = loops.data.qDeriv, loops.data.qfrc_smooth + loops.data.qfrc_constraint
        acceleration = np.linalg.solve(loops.data.qM - model.opt_timestep * derivative, force)
        slow = np.linalg.solve(loops.data.qM, force)
        for one in (loops, straight, *batches):
            one.step(1)
        mujoco.mj_step(theirs, other)
        found = (loops.data.qvel - values["qvel"]) / model.opt_timestep
        assert away(found, acceleration) < 1e-9
        assert away(found, slow) > 1e-3
        for name in ("qpos", "qvel", "sensordata"):
            ours = getattr(loops.data, name)
            assert away(ours, getattr(other, name)) < 1e-10, name
            assert away(getattr(straight.data, name), ours) < 1e-11, name
            for batch in batches:
                same = batch.results[name] if name == "sensordata" else getattr(batch, name)
                assert away(same[0], ours) < 1e-11, name


GENERAL = """
<mujoco>
  <option integrator="{}" gravity="0 0 0"/>
  <worldbody><body><joint name="slide" type="slide"/><geom size=".1" mass="1"/></body></worldbody>
  <actuator>
    <general joint="slide" lengthrange="-1 1" gaintype="{}" gainprm="{}" biastype="{}" biasprm="{}"/>
  </actuator>
</mujoco>
"""
NUMBERS = ".7 1.2 9 200 .5 1.6 1.5 1.3 1.2"


def simulated(words: type[StrEnum]) -> list[Any]:
    """The keywords of the release that is simulated."""
    dates = dict((FORMAT.whole or FORMAT).keywords)
    return [word for word in words if is_in(FORMAT.version, *dates.get(word, ("", "")))]


@pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
@pytest.mark.parametrize("bias", simulated(pb.mjcf.BiasType), ids=lambda bias: f"bias-{bias.value}")
@pytest.mark.parametrize("gain", simulated(pb.mjcf.GainType), ids=lambda gain: f"gain-{gain.value}")
def test_every_gain_and_bias_is_differentiated(gain: pb.mjcf.GainType, bias: pb.mjcf.BiasType) -> None:
    """For a single slide both implicit integrators take the same step, that of the difference quotient of the
    force.
    """
    found = []
    for integrator in IMPLICIT:
        text = GENERAL.format(integrator, gain.value, NUMBERS, bias.value, NUMBERS)
        simulation = pb.Stepper(pb.lower(pb.read("actuator.xml", text=text)), "loop")
        data = simulation.data
        data.qpos[:], data.qvel[:], data.ctrl[:] = 0.1, -0.2, 0.8
        pb.forward(simulation.model, data)
        force = data.actuator_force[0]
        data.qvel[:] = -0.2 + 1e-6
        pb.forward(simulation.model, data)
        slope = (data.actuator_force[0] - force) / 1e-6
        data.qvel[:] = -0.2
        simulation.step()
        h = simulation.model.opt_timestep
        assert abs(data.qvel[0] + 0.2 - h * force / (1 - h * slope)) < 1e-8
        found.append(data.qvel[0])
    assert found[0] == pytest.approx(found[1], abs=1e-14)
