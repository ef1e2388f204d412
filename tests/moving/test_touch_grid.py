"""Touch grids compared with MuJoCo's."""

from __future__ import annotations

import mujoco
import numpy as np
import polybody as pb
import pytest
from numpy.typing import NDArray

GRID = "mujoco.sensor.touch_grid"
SCENE = """<mujoco><option cone="{cone}" tolerance="1e-15" iterations="300"/>
<extension><plugin plugin="{grid}"/></extension>
<worldbody><geom type="plane" size="1 1 1" condim="6"/>
  <body pos="0 0 .09"><freejoint/><geom type="box" size=".2 .2 .1" condim="6"/>
    <body pos=".1 .1 .1" euler="20 10 30"><geom type="capsule" size=".04 .1" condim="4"/>
      <site name="low" pos=".02 0 0" euler="170 15 0"/></body>
    <site name="top" pos="-.05 0 .3"/>
  </body>
  <body pos="-.05 -.1 .232"><freejoint/><geom size=".05" condim="6"/></body>
  <body pos="-.1 .08 .23"><freejoint/><geom type="capsule" size=".04 .05" euler="90 0 0" condim="4"/></body>
  <body pos=".1 -.1 .235"><freejoint/><geom type="box" size=".05 .05 .05" condim="3"/></body>
</worldbody>
<sensor><plugin plugin="{grid}" objtype="site" objname="top">
    <config key="size" value="5 4"/><config key="fov" value="70 60"/><config key="nchannel" value="6"/>
    <config key="gamma" value=".4"/></plugin>
  <plugin plugin="{grid}" objtype="site" objname="low" cutoff="3">
    <config key="size" value="1 2"/><config key="fov" value="180 90"/><config key="nchannel" value="0"/>
    <config key="gamma" value="0"/></plugin></sensor></mujoco>"""


def expected(model: mujoco.MjModel, data: mujoco.MjData) -> NDArray[np.float64]:
    """MuJoCo's numbers if every contact's first geom were on the body with the lower index.

    The order of a contact's geoms changes neither its position nor its force, so the contact is reversed
    here.
    """
    for contact in data.contact:
        if model.geom_bodyid[contact.geom1] > model.geom_bodyid[contact.geom2]:
            contact.frame[:] *= -1
    mujoco.mj_sensorAcc(model, data)
    return np.array(data.sensordata)


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_touch_grids_are_mujocos(cone: str) -> None:
    text = SCENE.format(cone=cone, grid=GRID)
    peer = mujoco.MjModel.from_xml_string(text)
    model = pb.lower(pb.read("m.xml", text=text, format="mjcf"))
    theirs, ours = mujoco.MjData(peer), pb.Data(model)
    rng = np.random.default_rng(0)
    touched = 0
    for _ in range(20):
        mujoco.mj_resetData(peer, theirs)
        theirs.qvel[:] = 0.3 * rng.normal(size=peer.nv)
        mujoco.mj_step(peer, theirs, 5 + int(rng.integers(20)))
        ours.qpos, ours.qvel = theirs.qpos, theirs.qvel
        mujoco.mj_forward(peer, theirs)
        pb.forward(model, ours)
        assert theirs.ncon == ours.ncon
        right = expected(peer, theirs)
        touched += np.count_nonzero(right)
        assert abs(ours.sensordata - right).max() < 1e-7 * max(1.0, abs(right).max())
    assert touched > 200, "cells that felt something"


def test_steppers_and_batches_measure_the_same() -> None:
    model = pb.lower(pb.read("m.xml", text=SCENE.format(cone="elliptic", grid=GRID), format="mjcf"))
    loop = pb.Stepper(model, "loop", results=("sensordata",))
    program = pb.Stepper(model, "specialized", results=("sensordata",))
    many = pb.BatchStepper(model, 3, results=("sensordata",))
    for sim in (loop, program):
        sim.step(20)
    many.step(20)
    measured = loop.data.sensordata
    assert np.count_nonzero(measured) > 10
    for found in (program.data.sensordata, *many.sensordata):
        assert abs(found - measured).max() < 1e-6 * abs(measured).max()


def test_a_grid_is_at_a_site() -> None:
    text = SCENE.format(cone="elliptic", grid=GRID)
    text = text.replace('objtype="site" objname="low"', 'objtype="geom" objname="g"')
    text = text.replace("<geom size", '<geom name="g" size')
    with pytest.raises(pb.ValidationError, match="touch_grid must be attached to a site"):
        pb.lower(pb.read("m.xml", text=text, format="mjcf"))
