"""Instances of a batch with their own parameters and equalities of constraints."""

from __future__ import annotations

import pickle

import numpy as np
import polybody as pb
import pytest
from numpy.typing import NDArray
from polybody.constraints.lane_models import why_one_by_one
from polybody.errors import ModelError

from tests.constraints.scenes import loaded

COUNT, STEPS = 5, 60
SCENE = """
<mujoco>
  <option timestep="0.004" cone="{cone}"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1" friction=".6 .005 .0001"/>
    <body name="box" pos="0 0 .12">
      <freejoint/>
      <geom type="box" size=".1 .08 .1" friction=".5 .005 .0001"/>
    </body>
    <body name="arm" pos="1 0 .6">
      <joint name="one" axis="0 1 0" range="-20 20" limited="true" frictionloss=".05"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
      <body pos=".3 0 0">
        <joint name="two" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
      </body>
    </body>
    <body name="anchored" pos="-1 0 .5">
      <freejoint/>
      <geom type="sphere" size=".05"/>
    </body>
  </worldbody>
  <equality>
    <connect name="rope" body1="anchored" anchor="0 0 .3"/>
    <joint name="together" joint1="one" joint2="two" polycoef="0 .5 0 0 0"/>
  </equality>
  <actuator><motor joint="one" gear="2"/></actuator>
</mujoco>
"""
SCALED = {
    "body_mass": (0.5, 2.0),
    "geom_friction": (0.2, 2.0),
    "dof_frictionloss": (0.5, 3.0),
    "jnt_range": (0.5, 1.0),
    "geom_solref": (0.8, 1.5),
    "opt_gravity": (0.5, 1.0),
    "actuator_gear": (0.5, 2.0),
    "eq_solref": (1.0, 2.0),
    "body_pos": (0.98, 1.02),
    "geom_pos": (0.98, 1.02),
}


def _model(cone: str = "pyramidal") -> pb.Model:
    return loaded(SCENE.format(cone=cone))


def _started(model: pb.Model, names: tuple[str, ...], kernels: str) -> pb.BatchStepper:
    batch = pb.BatchStepper(model, COUNT, parameters=names, kernels=kernels)
    rng = np.random.default_rng(7)
    batch.qvel = rng.normal(size=(COUNT, model.nv))
    batch.ctrl = rng.normal(size=(COUNT, model.nu))
    for name in names:
        values = batch.parameters[name]
        values *= rng.uniform(*SCALED[name], size=(COUNT,) + (1,) * (values.ndim - 1))
    return batch


def _alone(batch: pb.BatchStepper, row: int) -> pb.Data:
    """The same simulation on its own."""
    data = batch.instance(row)
    for _ in range(STEPS):
        pb.step(data.model, data)
    return data


def _away(found: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    return float(np.abs(found - expected).max() / (1 + np.abs(expected).max()))


AT_ONCE = ("body_mass", "geom_friction", "opt_gravity", "actuator_gear", "body_pos", "geom_pos")


@pytest.mark.parametrize("kernels", ["specialized", "loop"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("names", [tuple(SCALED), AT_ONCE], ids=["one by one", "at once"])
def test_instances_with_parameters_move_as_their_models_do(
    names: tuple[str, ...], cone: str, kernels: str
) -> None:
    batch = _started(_model(cone), names, kernels)
    assert bool(why_one_by_one(batch.model, names)) == (names != AT_ONCE)
    alone = [_alone(batch, row) for row in range(COUNT)]
    batch.step(STEPS)
    for row, data in enumerate(alone):
        assert _away(batch.qpos[row], data.qpos) < 1e-11
        assert _away(batch.qvel[row], data.qvel) < 1e-9
    assert not batch.failed.any()
    assert np.ptp(batch.qpos[:, 0]) > 1e-3  # in different ways


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
@pytest.mark.parametrize("kernels", ["specialized", "loop"])
def test_dampers_that_the_model_does_not_have_act_at_the_end_of_the_step(
    kernels: str, integrator: str
) -> None:
    model = loaded(SCENE.format(cone="pyramidal").replace("<option", f'<option integrator="{integrator}"'))
    assert not model.dof_damping.any()
    batch = pb.BatchStepper(model, 3, kernels=kernels, parameters=("dof_damping",))
    batch.parameters["dof_damping"][...] = np.array([[0.0], [0.5], [20.0]])  # the last diverges if explicit
    batch.qvel = np.full((3, model.nv), 0.5)
    batch.step(STEPS)
    for k in range(3):
        single = pb.Stepper(batch.instance_model(k), "loop")
        single.data.qvel = np.full(model.nv, 0.5)
        single.step(STEPS)
        np.testing.assert_allclose(batch.qpos[k], single.data.qpos, atol=1e-9)


@pytest.mark.parametrize("kernels", ["specialized", "loop"])
def test_what_constraints_do_not_read_leaves_them_at_once(kernels: str) -> None:
    batch = _started(_model(), ("opt_gravity", "actuator_gear"), kernels)
    assert batch._models is None or batch._models.tables is None
    alone = [_alone(batch, row) for row in range(COUNT)]
    batch.step(STEPS)
    for row, data in enumerate(alone):
        assert _away(batch.qpos[row], data.qpos) < 1e-11


@pytest.mark.parametrize(
    "names", [(), ("geom_friction",), ("jnt_range",)], ids=["shared", "at once", "one by one"]
)
@pytest.mark.parametrize("kernels", ["specialized", "loop"])
def test_equalities_hold_in_some_instances(kernels: str, names: tuple[str, ...]) -> None:
    batch = _started(_model(), names, kernels)
    assert (batch.eq_active == 1).all()
    batch.eq_active[1] = 0
    batch.eq_active[2, 0] = 0
    batch.eq_active[3, 1] = 0
    batch = pickle.loads(pickle.dumps(batch))
    alone = [_alone(batch, row) for row in range(COUNT)]
    batch.step(STEPS)
    for row, data in enumerate(alone):
        assert _away(batch.qpos[row], data.qpos) < 1e-11
    heights = batch.qpos[:, -5]
    assert (heights[[1, 2]] < heights[[0, 3, 4]].min() - 0.05).all()
    batch.reset([1])
    assert batch.eq_active.tolist() == [[1, 1], [1, 1], [0, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize("kernels", ["specialized", "loop"])
def test_accelerations_follow_from_states(kernels: str) -> None:
    batch = _started(_model(), ("geom_friction", "body_mass"), kernels)
    batch.step(STEPS)
    before = batch.get_state()
    found = batch.compute("acceleration")["qacc"].copy()
    np.testing.assert_array_equal(batch.get_state(), before)
    for row in range(COUNT):
        data = batch.instance(row)
        pb.forward(data.model, data)
        assert data.nefc > 0
        assert _away(found[row], data.qacc) < 1e-9


def test_an_instance_with_an_invalid_parameter_fails_alone() -> None:
    batch = _started(_model(), ("geom_friction",), "auto")
    batch.parameters["geom_friction"][2] = np.nan
    batch.step(3)
    assert batch.failed.tolist() == [False, False, True, False, False]
    assert "instance 2: geom 0 'floor': friction" in str(batch.failure(2))
    batch.parameters["geom_friction"][2] = 0.5
    batch.failed[2] = False
    batch.step(3)
    assert not batch.failed.any()


def test_dry_friction_needs_a_model_with_constraints() -> None:
    free = loaded("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>")
    with pytest.raises(ModelError, match="dry friction"):
        pb.BatchStepper(free, 2, parameters=("dof_frictionloss",))
