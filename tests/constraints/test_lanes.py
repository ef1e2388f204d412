"""Constraints in batches: which Models are solved in all lanes at once, and how exactly."""

from __future__ import annotations

import numpy as np
import polybody as pb
import pytest
from numpy.typing import NDArray
from polybody.constraints.lane_models import why_one_by_one
from polybody.model.model import Model

from tests.constraints.scenes import STICKY, loaded, mixed

Reals = NDArray[np.float64]
HEAP = """
<mujoco>
  <option timestep="0.004" cone="{cone}" impratio="2"/>
  <default>
    <geom density="700" friction="0.7 0.03 0.01" condim="{condim}" solimp=".8 .97 .003 .4 {power}"/>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <geom type="box" size=".2 .2 .05" pos="0 0 .05" euler="0 8 0"/>
    {bodies}
  </worldbody>
</mujoco>
"""
"""Bodies that lie on a floor and on each other."""
SLIDING = """
<mujoco>
  <worldbody>
    <geom type="plane" size="9 9 .1" friction=".4"/>
    <body pos="0 0 .0999"><freejoint/><geom type="box" size=".1 .1 .1" friction=".4"/></body>
  </worldbody>
</mujoco>
"""
"""A box on a floor."""
SHAPES = ('type="sphere" size=".06"', 'type="capsule" size=".04 .07"', 'type="box" size=".06 .05 .04"')


def heap(cone: str, condim: int, count: int = 6, power: float = 2.0) -> Model:
    bodies = "".join(
        f'<body pos="{0.07 * (k % 3 - 1):g} {0.05 * (k % 2):g} {0.12 + 0.09 * k:g}"'
        f' euler="{30 * k} {50 * k} 10">'
        f"<freejoint/><geom {SHAPES[k % 3]}/></body>"
        for k in range(count)
    )
    return loaded(HEAP.format(cone=cone, condim=condim, power=power, bodies=bodies))


def settled(model: Model, n: int) -> tuple[Reals, Reals, Reals]:
    """States of a trajectory in which bodies fall onto each other: positions, velocities, warm starts."""
    data = pb.Data(model)
    data.qvel[:] = np.random.default_rng(5).normal(0, 0.3, model.nv)
    found = []
    for _ in range(n):
        pb.step(model, data, 7)
        found.append([data.qpos.copy(), data.qvel.copy(), data.qacc_warmstart.copy()])
    positions, velocities, warm = (np.array(column) for column in zip(*found, strict=True))
    return positions, velocities, warm


def batch_of(model: Model, states: tuple[Reals, ...], precision: str = "float64") -> pb.BatchStepper:
    batch = pb.BatchStepper(model, len(states[0]), kernels="specialized", precision=precision)
    for name, array in zip(("qpos", "qvel", "qacc_warmstart"), states, strict=True):
        batch._memory.view(name)[...] = array
    return batch


CASES = [
    *(("pyramidal", 3, 2.0), ("pyramidal", 6, 3.0)),
    *(("elliptic", 3, 1.0), ("elliptic", 4, 2.0), ("elliptic", 1, 2.0)),
]


@pytest.mark.parametrize(("cone", "condim", "power"), CASES)
def test_lanes_step_like_a_single_state(cone: str, condim: int, power: float) -> None:
    model = heap(cone, condim, power=power)
    assert not why_one_by_one(model)
    states = settled(model, 20)
    batch = batch_of(model, states)
    batch.step()
    single, nudged = pb.Data(model), pb.Data(model)
    contacts = 0
    for k in range(20):
        for data, change in ((single, lambda x: x), (nudged, lambda x: np.nextafter(x, np.inf))):
            data.qpos, data.qvel, data.qacc_warmstart = (change(column[k]) for column in states)
            pb.step(model, data)
        contacts = max(contacts, single.ncon)
        scale = 1 + np.abs(single.qacc).max()
        moved = np.abs(nudged.qacc - single.qacc).max()
        assert np.abs(batch.qacc[k] - single.qacc).max() < max(1e-11 * scale, 10 * moved)
        apart = np.abs(nudged.qpos - single.qpos).max()
        assert np.abs(batch.qpos[k] - single.qpos).max() < 1e-11 + 10 * apart
    assert contacts > 6


def test_bits_of_elliptic_contacts_depend_on_no_neighbour() -> None:
    model = heap("elliptic", 4)
    states = settled(model, 18)
    order = np.random.default_rng(3).permutation(18)[:13]
    one, other = batch_of(model, states), batch_of(model, tuple(column[order] for column in states))
    for batch in (one, other):
        batch.step(25)
    for name in ("qpos", "qvel", "qacc"):
        assert np.array_equal(getattr(one, name)[order], getattr(other, name))


def test_memory_grows_where_lanes_touch_in_many_places() -> None:
    model = heap("pyramidal", 3, count=12)
    states = settled(model, 16)
    batch = batch_of(model, states)
    batch.step(5)
    single = pb.Stepper(model, "loop")
    single.data.qpos, single.data.qvel, single.data.qacc_warmstart = (column[11] for column in states)
    single.step(5)
    assert np.abs(batch.qpos[11] - single.data.qpos).max() < 1e-9


def test_numbers_of_half_the_size_are_solved_in_lanes() -> None:
    model = heap("pyramidal", 3)
    states = settled(model, 20)
    whole, half = batch_of(model, states), batch_of(model, states, "float32")
    for batch in (whole, half):
        batch.step(3)
    assert np.abs(half.qpos - whole.qpos).max() < 1e-4


def test_friction_and_contacts_act_in_lanes() -> None:
    """A sliding box decelerates as Coulomb's law says, and a resting one stays at rest."""
    model = loaded(SLIDING)
    batch = pb.BatchStepper(model, 9, kernels="specialized")
    speed = np.linspace(0, 2, 9)
    batch.qvel[:, 0] = speed
    batch.step(250)
    distance = speed**2 / (2 * 0.4 * 9.81)
    assert np.allclose(batch.qpos[:, 0], distance, atol=0.03 * distance.max())
    assert np.abs(batch.qvel[:, 0][speed < 1.5]).max() < 0.02
    assert np.abs(batch.qpos[:, 2] - 0.1).max() < 1e-3


REASONS = {
    "Newton": mixed(solver="CG"),
    "slip": mixed(noslip=3),
    "adhesion": STICKY.format(cone="pyramidal", shape="box"),
}


@pytest.mark.parametrize("word", list(REASONS))
def test_what_lanes_cannot_do_is_solved_one_state_after_the_other(word: str) -> None:
    model = loaded(REASONS[word])
    assert word in why_one_by_one(model)
    batch = pb.BatchStepper(model, 3, kernels="specialized")
    single = pb.Stepper(model, "specialized")
    batch.step(4)
    single.step(4)
    assert np.abs(batch.qpos - single.data.qpos).max() < 1e-12


UNCONSTRAINED = """
<mujoco><option><flag constraint="disable"/></option><worldbody>
<geom type="plane" size="1 1 1" pos="0 0 .05"/>
<body><joint name="j" axis="0 1 0" stiffness="3" frictionloss=".2" limited="true" range="0 1"/>
<geom size=".1" pos=".1 0 0"/>
<body pos=".3 0 0"><joint name="k" axis="0 0 1"/><geom size=".1" pos=".1 0 0"/></body></body></worldbody>
<tendon><fixed armature="1" frictionloss=".1" limited="true" range="0 .1">
<joint joint="j" coef=".5"/><joint joint="k" coef="-1"/></fixed></tendon>
<equality><joint joint1="j" joint2="k"/></equality></mujoco>
"""


def test_without_constraints_no_row_acts_in_lanes() -> None:
    """The flag also disables what has a flag of its own. Tendons with inertia still need the solver. The
    numbers are those of MuJoCo 4.0.
    """
    model = pb.lower(pb.read("model.xml", text=UNCONSTRAINED, release="4.0"))
    assert not why_one_by_one(model)
    batch = pb.BatchStepper(model, 3, kernels="specialized")
    batch.qpos[...], batch.qvel[...] = [0.4, 0.5], [1.0, -0.5]
    batch.step(3)
    assert np.abs(batch.qvel - [1.1398021405722805, -0.4388166760309102]).max() < 1e-12
