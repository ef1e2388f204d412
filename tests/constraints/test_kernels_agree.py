"""The same scenes with constraints by loop kernels, by programs specialised to one Model, and in batches."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import polybody as pb
import pytest
from numpy.typing import NDArray
from polybody.constraints.facts import unread
from polybody.model.model import Model

from tests.constraints.scenes import loaded, mixed

INTEGRATORS = ("Euler", "RK4", "implicitfast")
STATE = ("qpos", "qvel", "qacc_warmstart")
SENSORS = ("sensordata", "qfrc_constraint")


@cache
def scene(integrator: str = "Euler", cone: str = "pyramidal") -> Model:
    return loaded(mixed(cone, integrator=integrator))


def scattered(model: Model, n: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Positions and velocities of n instances in which shapes touch and limits are reached."""
    draw = np.random.default_rng(seed)
    data = pb.Data(model)
    positions, velocities = np.empty((n, model.nq)), draw.normal(0, 0.4, (n, model.nv))
    for k in range(n):
        data.reset()
        data.qvel[:] = draw.normal(0, 3, model.nv)
        pb.step(model, data, 5)
        positions[k] = data.qpos
    return positions, velocities


def alike(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The largest difference, relative to the largest number."""
    return float(np.abs(one - other).max(initial=0.0) / (1.0 + np.abs(other).max(initial=0.0)))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_program_steps_like_the_loops(integrator: str) -> None:
    model = scene(integrator, "elliptic" if integrator == "Euler" else "pyramidal")
    loop = pb.Stepper(model, "loop", results=SENSORS)
    nudged = pb.Stepper(model, "loop", results=SENSORS)
    compiled = pb.Stepper(model, "specialized", results=SENSORS)
    assert compiled.kernels == "specialized"
    rows = 0
    for qpos, qvel in zip(*scattered(model, 6), strict=True):
        loop.reset()
        loop.data.qpos, loop.data.qvel = qpos, qvel
        for _ in range(4):
            for name in STATE:
                setattr(compiled.data, name, getattr(loop.data, name))
                setattr(nudged.data, name, np.nextafter(getattr(loop.data, name), np.inf))
            for sim in (loop, nudged, compiled):
                sim.step()
            rows = max(rows, compiled.data.nefc)
            assert compiled.data.nefc == loop.data.nefc
            assert compiled.data.ncon == loop.data.ncon
            for name in ("qacc", "qpos", "qvel", *SENSORS):
                moved = alike(getattr(nudged.data, name), getattr(loop.data, name))  # by one ulp
                apart = alike(getattr(compiled.data, name), getattr(loop.data, name))
                assert apart < max(1e-11, 10 * moved), name
    assert rows > 30


@pytest.mark.parametrize("kernels", ["specialized", "loop"])
def test_an_instance_moves_like_a_single_state(kernels: str) -> None:
    model = scene()
    positions, velocities = scattered(model, 5)
    batch = pb.BatchStepper(model, 5, kernels=kernels, results=SENSORS)
    assert batch.kernels == kernels
    batch.qpos, batch.qvel = positions, velocities
    batch.step(3)
    for k in range(5):
        single = pb.Stepper(model, "specialized", results=SENSORS)
        single.data.qpos, single.data.qvel = positions[k], velocities[k]
        single.step(3)
        assert alike(batch.qpos[k], single.data.qpos) < 1e-12
        assert alike(batch.qacc[k], single.data.qacc) < 1e-10
        for name in SENSORS:
            assert alike(batch.results[name][k], getattr(single.data, name)) < 1e-10, name


@pytest.mark.parametrize("kernels", ["specialized", "loop"])
def test_bits_depend_on_no_neighbour_and_on_no_thread(kernels: str) -> None:
    model = scene()
    positions, velocities = scattered(model, 21)
    order = np.random.default_rng(1).permutation(21)[:19]
    one = pb.BatchStepper(model, 21, kernels=kernels)
    with pb.BatchStepper(model, 19, kernels=kernels, threads=3) as other:
        one.qpos, one.qvel = positions, velocities
        other.qpos, other.qvel = positions[order], velocities[order]
        for batch in (one, other):
            batch.step(20)
        for name in ("qpos", "qvel", "qacc"):
            assert np.array_equal(getattr(one, name)[order], getattr(other, name))


@pytest.mark.parametrize("kernels", ["specialized", "loop"])
def test_the_warm_start_of_every_instance_is_kept(kernels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYBODY_KERNELS", kernels)
    model = scene()
    positions, velocities = scattered(model, 3)
    batch = pb.BatchStepper(model, 3)
    assert batch.kernels == kernels
    batch.qpos, batch.qvel = positions, velocities
    batch.step(5)
    copy = pickle.loads(pickle.dumps(batch))
    alone = batch.instance(1)
    assert alone.qacc_warmstart.any()
    for moving in (batch, copy):
        moving.step(5)
    assert np.array_equal(copy.qpos, batch.qpos)
    pb.Stepper(model, data=alone).step(5)
    assert alike(alone.qpos, batch.qpos[1]) < 1e-12


@pytest.mark.parametrize("kernels", ["specialized", "loop"])
def test_an_instance_that_fails_leaves_the_others_alone(kernels: str) -> None:
    model = scene()
    positions, velocities = scattered(model, 9)
    whole = pb.BatchStepper(model, 9, kernels=kernels)
    hurt = pb.BatchStepper(model, 9, kernels=kernels)
    for batch in (whole, hurt):
        batch.qpos, batch.qvel = positions, velocities
    hurt.qvel[4, 0] = np.inf
    for batch in (whole, hurt):
        batch.step(10)
    assert hurt.failed.tolist() == [k == 4 for k in range(9)]
    others = [k for k in range(9) if k != 4]
    assert np.array_equal(hurt.qpos[others], whole.qpos[others])
    assert np.array_equal(hurt.qpos[4], positions[4])
    hurt.reset(4, qpos=positions[4], qvel=velocities[4])
    hurt.step(10)
    assert np.array_equal(hurt.qpos[4], whole.qpos[4])


TURNED = """<mujoco><option timestep="0.004"/><default><geom density="600"/></default><worldbody>
<geom type="plane" size="5 5 1" euler="3 2 0"/>
<body mocap="true" pos=".25 .1 .1" euler="10 20 30"><geom type="box" size=".1 .1 .1"/></body>
<body pos="0 0 .3" euler="20 30 40"><freejoint/>
  <geom type="capsule" size=".06 .15"/><site name="one" pos="0 0 .1"/>
  <body pos=".05 0 -.2" euler="40 0 10"><joint type="ball" pos="0 0 .05" range="0 5"/>
    <geom type="capsule" size=".04 .1"/>
    <body pos="0 .05 -.15" euler="0 25 90"><joint axis="1 2 0" range="-3 3" frictionloss=".1"/>
      <joint type="slide" axis="0 1 1" range="-.1 .1"/>
      <geom size=".06"/><geom type="box" size=".05 .03 .02" pos=".1 0 0"/>
    </body></body></body>
<site name="other" pos="0 0 1"/></worldbody>
<tendon><spatial range="0 .6" limited="true"><site site="one"/><site site="other"/></spatial></tendon>
</mujoco>"""
"""Bodies with every kind of joint, rotated; no constraint reads orientations as quaternions."""


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_poses_by_matrices_are_those_by_quaternions(integrator: str) -> None:
    model = loaded(TURNED).replace(opt_integrator=integrator)
    loop, compiled = (pb.Stepper(model, kernels, results=()) for kernels in ("loop", "specialized"))
    assert "xquat" in unread(model)
    kinds = set()
    for qpos, qvel in zip(*scattered(model, 8), strict=True):
        for sim in (loop, compiled):
            sim.reset()
            sim.data.qpos, sim.data.qvel = qpos, qvel
            sim.data.mocap_quat = [[0.8, 0.1, 0.5, 0.2]]
            sim.step(3)
        assert compiled.data.nefc == loop.data.nefc
        for name in ("qacc", "qpos", "qvel"):
            assert alike(getattr(compiled.data, name), getattr(loop.data, name)) < 1e-10, name
        kinds |= set(loop.data.efc_type.tolist())
    assert kinds == {1, 3, 4, 6}


SMALL = """<mujoco><worldbody><body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<joint type="{}" {}/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("kind", "limited"), [("slide", 'frictionloss="1"'), ("hinge", 'range="-5 5" limited="true"')]
)
def test_a_program_stores_what_the_solver_reads_before_it_asks(kind: str, limited: str) -> None:
    """Only inputs are read, so that the call of the solver is the first statement of the program."""
    model = loaded(SMALL.format(kind, limited))
    both = [pb.Stepper(model, kernels) for kernels in ("loop", "specialized")]
    for stepper in both:
        stepper.data.qvel[0], stepper.data.qfrc_applied[0] = 0.3, 2.5
        stepper.step(50)
    assert abs(both[0].data.qpos[0]) > 0.001
    np.testing.assert_allclose(both[1].data.qpos, both[0].data.qpos, rtol=1e-12)


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-14), ("float32", 1e-6)])
def test_a_batch_knows_the_time(precision: str, tolerance: float) -> None:
    text = SMALL.format("hinge", "").replace("</mujoco>", "<sensor><clock/></sensor></mujoco>")
    batch = pb.BatchStepper(
        loaded(text), 5, kernels="specialized", precision=precision, results=("sensordata",)
    )
    batch.step(7)
    np.testing.assert_allclose(batch.results["sensordata"][:, 0], 6 * 0.002, rtol=tolerance)
    np.testing.assert_allclose(batch.time, 7 * 0.002, rtol=1e-14)
