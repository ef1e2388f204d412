"""Sensors of distances between shapes, against MuJoCo at random poses."""

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


def test_steps_measure_where_they_begin() -> None:
    model = pb.lower(pb.read("scene.xml", text=SCENE))
    data, other = pb.Data(model), pb.Data(model)
    pb.step(model, other, 4)
    pb.forward(model, other)
    pb.step(model, data, 5)
    assert data.sensordata[[0, 10]].tolist() == other.sensordata[[0, 10]].tolist()
    with pytest.raises(pb.ModelError, match="a sensor of distances in a Stepper or a batch is not"):
        pb.Stepper(model)
