"""Every sensor compared with MuJoCo 3.2.7, for and relative to every object with a frame, with and without a
cutoff.
"""

from __future__ import annotations

import functools
from itertools import product
from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest

from tests.amounts import some

TREE = """
<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.01" magnetic="0.1 -0.5 0.3"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <site name="of world" pos="1 2 3" euler="1 2 0.5"/>
    <camera name="of world" pos="-3 0.1 0.4" euler="0.3 1 0.2" fovy="70" resolution="640 480"/>
    <body name="mocap" mocap="true" pos="1 2 3" quat="1 1 0 0">
      <geom size="0.1"/>
      <body pos="0.1 0 0" euler="0.2 0.1 0">
        <geom size="0.1"/>
        <site name="of mocap" pos="0.1 0.2 0" euler="0 1 0"/>
      </body>
    </body>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <geom name="of base" type="box" size="0.1 0.2 0.3" pos="0.1 0.2 0.1" euler="0.3 0.2 0.1"/>
      <site name="of base" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3"/>
      <camera name="fixed" pos="0.5 0.2 0.3" euler="1.3 0.1 0.5" resolution="640 480" focal="0.012 0.013"
              sensorsize="0.02 0.011"/>
      <camera name="track" pos="1 1 1" mode="track" resolution="100 50"/>
      <camera name="trackcom" pos="1 0 0" mode="trackcom"/>
      <camera name="targetbody" pos="0 1 1" mode="targetbody" target="hand" resolution="7 9"/>
      <camera name="targetbodycom" pos="0 1 1" mode="targetbodycom" target="upper"/>
      <body name="upper" pos="0.3 0.1 0" euler="0.3 0.2 0.1">
        <joint name="hinge" axis="1 2 3" pos="0.1 0 0.1" damping="0.3" stiffness="2" ref="0.2"/>
        <joint name="slide" type="slide" axis="0 1 1" ref="0.1" armature="0.1" damping="0.4"/>
        <geom name="of upper" type="capsule" size="0.1 0.2" pos="0 0.1 0" euler="1 1 0"/>
        <site name="of upper" pos="0.1 0 0" euler="1 0.5 0"/>
        <body name="welded" pos="0 0 0.2" euler="0 1 0">
          <geom size="0.1" pos="0.1 0 0"/>
          <site name="of welded" pos="0.1 0.1 0" euler="0 0.5 1"/>
          <body name="hand" pos="0.1 0.2 0.3" euler="0.3 0 1" gravcomp="1">
            <joint name="ball" type="ball" damping="0.1"/>
            <geom type="ellipsoid" size="0.1 0.2 0.15"/>
            <site name="of hand" pos="0 0.3 0" euler="0 0 1"/>
          </body>
        </body>
      </body>
    </body>
    <body name="door" pos="1 0 0">
      <joint name="door" axis="0 1 0" actuatorfrcrange="-0.2 0.2" damping="0.2"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.2 0 0"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="motor" joint="hinge" gear="3"/>
    <position name="servo" joint="slide" kp="20" kv="3" forcerange="-1 1"/>
    <general name="filter" joint="door" dyntype="filter" dynprm="0.1" gainprm="3"/>
    <general name="at site" site="of hand" refsite="of base" gear="1 2 3 0 0 0" biastype="affine"
             biasprm="0 -1 -1"/>
  </actuator>
  <sensor>{}</sensor>
</mujoco>
"""
BODIES = ("world", "mocap", "base", "upper", "welded", "hand", "door")
SITES = ("of world", "of mocap", "of base", "of upper", "of welded", "of hand")
MODES = ("track", "trackcom", "targetbody", "targetbodycom")
CAMERAS = ("of world", "fixed", *MODES)
SCALAR = ("hinge", "slide", "door")
ACTUATORS = ("motor", "servo", "filter", "at site")
CUTOFF = 0.2
FRAMES = (
    *(f'{{0}}type="{kind}" {{0}}name="{body}"' for kind in ("body", "xbody") for body in BODIES),
    *(f'{{0}}type="geom" {{0}}name="{name}"' for name in ("of base", "of upper")),
    *(f'{{0}}type="site" {{0}}name="{name}"' for name in SITES),
    *(f'{{0}}type="camera" {{0}}name="{name}"' for name in CAMERAS),
)
FRAMED = ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel")
UNBOUNDED = ("ballquat", "framequat", "framexaxis", "frameyaxis", "framezaxis")
ATTACHED: dict[str, list[str]] = {
    **{
        name: [f'site="{site}"' for site in SITES]
        for name in ("touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer")
    },
    "camprojection": [f'site="{site}" camera="{cam}"' for site, cam in product(SITES, CAMERAS)],
    **{
        name: [f'joint="{joint}"' for joint in SCALAR]
        for name in ("jointpos", "jointvel", "jointactuatorfrc")
    },
    **{
        name: [f'actuator="{actuator}"' for actuator in ACTUATORS]
        for name in ("actuatorpos", "actuatorvel", "actuatorfrc")
    },
    **{name: ['joint="ball"'] for name in ("ballquat", "ballangvel")},
    **{name: [frame.format("obj") for frame in FRAMES] for name in ("framelinacc", "frameangacc")},
    **{
        name: [
            f"{frame.format('obj')} {other.format('ref')}" if other else frame.format("obj")
            for frame, other in product(FRAMES, (*FRAMES, ""))
        ]
        for name in FRAMED
    },
    **{
        name: [f'body="{body}"' for body in BODIES]
        for name in ("subtreecom", "subtreelinvel", "subtreeangmom")
    },
    "clock": [""],
    "user": ['dim="3"'],
}
"""Objects for which each kind of sensor is tested."""
INPUTS = ("time", "qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")


@functools.cache
def model(name: str, integrator: str = "Euler") -> tuple[Any, Any]:
    """MuJoCo's model and ours, with all sensors of a kind."""
    elements = [f"<{name} {attached}/>" for attached in ATTACHED[name]]
    if name not in UNBOUNDED:
        elements += [f'<{name} {attached} cutoff="{CUTOFF}"/>' for attached in ATTACHED[name]]
    text = TREE.format("".join(elements)).replace("<option", f'<option integrator="{integrator}"')
    theirs = mujoco.MjModel.from_xml_string(text)
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    document = pb.read("sensors.xml", text=text, format="mjcf")
    return theirs, pb.lower(document, disable=("constraint",))


def states(name: str, integrator: str, seed: int) -> tuple[Any, Any]:
    """The same random state in both."""
    theirs, ours = model(name, integrator)
    there, here, rng = mujoco.MjData(theirs), pb.Data(ours), np.random.default_rng(seed)
    there.time = 0.1 * seed
    there.qpos += 0.3 * rng.normal(size=theirs.nq)  # quaternions that are not normalised
    for column in INPUTS[2:]:
        array = getattr(there, column)
        array += rng.normal(size=array.shape)
    there.xfrc_applied[0] = 0.0
    for column in INPUTS:
        setattr(here, column, getattr(there, column))
    return there, here


def compare(theirs: Any, there: Any, here: Any) -> None:
    for z in range(theirs.nsensor):
        if turned_by_mode(theirs, z) or of_all_trees(theirs, z):
            continue
        numbers = slice(theirs.sensor_adr[z], theirs.sensor_adr[z] + theirs.sensor_dim[z])
        expected, found = there.sensordata[numbers], here.sensordata[numbers]
        assert np.abs(found - expected).max() < 1e-10 * (1 + np.abs(expected).max()), z


def turned_by_mode(theirs: Any, z: int) -> bool:
    """Whether MuJoCo ignores the mode of a camera whose quaternion it uses."""
    camera = mujoco.mjtObj.mjOBJ_CAMERA
    moving = [
        type_[z] == camera and theirs.cam_mode[row[z]] > 0
        for type_, row in (
            (theirs.sensor_objtype, theirs.sensor_objid),
            (theirs.sensor_reftype, theirs.sensor_refid),
        )
    ]
    return bool(theirs.sensor_type[z] == mujoco.mjtSensor.mjSENS_FRAMEQUAT and any(moving))


def of_all_trees(theirs: Any, z: int) -> bool:
    """Whether MuJoCo sums moments about the centres of several trees."""
    torque = theirs.sensor_type[z] == mujoco.mjtSensor.mjSENS_TORQUE
    return bool(torque and theirs.site_bodyid[theirs.sensor_objid[z]] == 0)


@pytest.mark.parametrize("seed", some(range(4), 1))
@pytest.mark.parametrize("name", ATTACHED)
def test_at_an_instant(name: str, seed: int) -> None:
    theirs, ours = model(name)
    there, here = states(name, "Euler", seed)
    mujoco.mj_forward(theirs, there)
    pb.forward(ours, here)
    compare(theirs, there, here)


@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
@pytest.mark.parametrize("name", ATTACHED)
def test_in_steps(name: str, integrator: str, steps: int) -> None:
    """They measure the state before the last step, with accelerations without implicit damping."""
    theirs, ours = model(name, integrator)
    there, here = states(name, integrator, steps)
    mujoco.mj_step(theirs, there, steps)
    pb.step(ours, here, steps)
    compare(theirs, there, here)


@pytest.mark.parametrize("mode", MODES)
def test_quaternions_of_cameras_are_their_axes(mode: str) -> None:
    """By their modes; MuJoCo computes the axes with the mode and the quaternion without."""
    frame = f'objtype="camera" objname="{mode}"'
    text = TREE.format("".join(f"<{name} {frame}/>" for name in FRAMED[1:5]))
    ours = pb.lower(pb.read("sensors.xml", text=text, format="mjcf"), disable="constraint")
    here = pb.Data(ours)
    for seed in range(5):
        here.qpos[:] += np.random.default_rng(seed).normal(size=ours.nq)
        pb.forward(ours, here)
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, here.sensordata[:4])
        assert np.abs(turn.reshape(3, 3).T.ravel() - here.sensordata[4:]).max() < 1e-12


def test_a_moment_on_the_world_is_of_all_trees() -> None:
    """About one point; MuJoCo sums moments about the centres of the trees."""
    theirs, ours = model("torque")
    there, here = states("torque", "Euler", 1)
    mujoco.mj_forward(theirs, there)
    pb.forward(ours, here)
    site = SITES.index("of world")
    assert theirs.site_bodyid[site] == 0 == theirs.sensor_objid[0] - site
    moment = np.zeros(3)
    for body in np.flatnonzero(theirs.body_parentid == 0)[1:]:
        arm = there.subtree_com[body] - there.site_xpos[site]
        moment += there.cfrc_int[body, :3] + np.cross(arm, there.cfrc_int[body, 3:])
    expected = there.site_xmat[site].reshape(3, 3).T @ moment
    assert np.abs(here.sensordata[:3] - expected).max() < 1e-10 * (1 + np.abs(expected).max())


def test_switched_off_they_keep_their_numbers() -> None:
    _, ours = model("framelinacc")
    off = ours.replace(opt_disableflags=int(ours.opt_disableflags) | mujoco.mjtDisableBit.mjDSBL_SENSOR)
    here = pb.Data(off)
    here.sensordata[:] = 7.0
    pb.forward(off, here)
    pb.step(off, here, 2)
    assert (here.sensordata == 7.0).all()
