"""Sensors of distances between shapes, compared with MuJoCo at random poses."""

from __future__ import annotations

import numpy as np
import polybody as pb
import pytest

SCENE = """<mujoco><worldbody>
<geom name="floor" type="plane" size="5 5 .1"/>
<body name="a" pos="0 0 1"><freejoint/><geom name="ball" size=".1"/>
<geom name="rod" type="capsule" size=".05 .2" pos=".3 0 0"/></body>
<body name="b" pos=".6 0 1"><freejoint/><geom name="box" type="box" size=".1 .2 .1"/></body></worldbody>
<sensor>
<distance geom1="ball" geom2="box" cutoff="1"/><normal geom1="ball" geom2="box" cutoff="1"/>
<fromto geom1="ball" geom2="box" cutoff="1"/><distance body1="a" body2="b" cutoff=".5"/><clock/>
<fromto body1="a" body2="b" cutoff=".5"/><normal geom1="floor" geom2="rod" cutoff="2"/>
<distance geom1="rod" geom2="floor" cutoff="2"/></sensor></mujoco>""".replace("\n", " ")


def test_distances_are_mujocos() -> None:
    mujoco = pytest.importorskip("mujoco")
    model, theirs = pb.lower(pb.read("scene.xml", text=SCENE)), mujoco.MjModel.from_xml_string(SCENE)
    data, state = pb.Data(model), mujoco.MjData(theirs)
    chance = np.random.default_rng(0)
    near = 0
    for _ in range(200):
        state.qpos[:] = chance.normal(0, 0.4, 14)
        state.qpos[3:7] /= np.linalg.norm(state.qpos[3:7])
        state.qpos[10:] /= np.linalg.norm(state.qpos[10:])
        data.qpos[:] = state.qpos
        mujoco.mj_forward(theirs, state)
        pb.forward(model, data)
        near += state.sensordata[0] < 1
        np.testing.assert_allclose(data.sensordata, state.sensordata, rtol=0, atol=1e-11)
    assert near > 100


RANGES = SCENE.replace("<clock/>", "")
EYE = '<site name="eye" pos="0 0 -.3" euler="160 10 0"/>'
RANGES = RANGES.replace('<geom name="box"', f'{EYE}<geom name="box"')
RANGES = RANGES.replace(
    "</sensor>", '<rangefinder site="eye"/><rangefinder site="eye" cutoff=".1"/></sensor>'
)
OPTIONS = {
    "contacts": "",
    "nothing touches": "<option><flag contact='disable'/></option>",
    "RK4": "<option integrator='RK4'/>",
    "implicit": "<option integrator='implicit'><flag constraint='disable'/></option>",
}


@pytest.mark.parametrize("option", OPTIONS)
def test_steps_of_every_kind_measure_where_they_begin(option: str) -> None:
    model = pb.lower(pb.read("scene.xml", text=RANGES.replace("<mujoco>", f"<mujoco>{OPTIONS[option]}")))
    assert bool(model.opt_constrained) == (option in ("contacts", "RK4"))
    data, other = pb.Data(model), pb.Data(model)
    pb.step(model, other, 4)
    pb.forward(model, other)
    pb.step(model, data, 5)
    np.testing.assert_allclose(data.sensordata, other.sensordata, rtol=0, atol=1e-13)
    assert data.sensordata[-2] > 0.1
    assert data.sensordata[-1] == 0.1
    for kernels in ("loop", "specialized"):
        stepper = pb.Stepper(model, kernels=kernels)
        stepper.step(5)
        np.testing.assert_allclose(stepper.data.sensordata, data.sensordata, rtol=0, atol=1e-12)
        batch = pb.BatchStepper(model, n=5, kernels=kernels, threads=2, results=("sensordata",))
        batch.step(5)
        expected = np.tile(data.sensordata, (5, 1))
        np.testing.assert_allclose(batch.sensordata, expected, rtol=0, atol=1e-12)
