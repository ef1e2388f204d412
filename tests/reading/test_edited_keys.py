"""Key frames of MJCF after edits: what an element adds to a key is what MuJoCo begins with (`qpos0`)."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
GEOM = '<geom size=".1"/>'
TURNS = {
    "euler": 'euler="90 20 -30"',
    "axisangle": 'axisangle="1 2 3 40"',
    "xyaxes": 'xyaxes="0 1 0 -1 0 1"',
    "zaxis": 'zaxis="1 1 1"',
    "quat": 'quat="2 0 0 1"',
}


def with_joints(angle: str, turn: str, sequence: str = "xyz") -> str:
    """A document with joints of all types, in one unit of angles."""
    unit = f'<compiler {angle} eulerseq="{sequence}"/>'
    return f"""<mujoco>{unit}
      <default><default class="c"><joint type="slide" ref=".25"/></default></default>
      <worldbody>
        <frame pos="0 2 0" {turn}><body pos="1 0 0" {turn}><freejoint/>{GEOM}
          <body><joint type="hinge" ref="5"/>{GEOM}</body>
          <body><joint class="c"/>{GEOM}<body><joint type="ball" ref="3"/>{GEOM}</body></body>
        </body></frame>
        <body mocap="true" pos="1 2 3" {turn}>{GEOM}</body>
      </worldbody></mujoco>"""


KEY = """<mujoco><worldbody><body name="w"><joint name="x"/><geom size=".1"/></body></worldbody>
  <keyframe><key name="z" qpos=".3"/></keyframe></mujoco>"""


def read(text: str) -> Any:
    return pb.read("m.xml", text=text)


def compiled(document: Any) -> Any:
    return mujoco.MjModel.from_xml_string(pb.write(document))


@pytest.mark.parametrize("angle", ["", 'angle="degree"', 'angle="radian"'])
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("sequence", ["xyz", "ZYX"])
def test_initial_coordinates_in_the_key_of_another_document(angle: str, turn: str, sequence: str) -> None:
    """Whichever of two documents has the key, the coordinates of the other one are its own `qpos0`."""
    text = with_joints(angle, TURNS[turn], sequence)
    own = mujoco.MjModel.from_xml_string(text)
    host, guest = read(text), read(text)
    pb.attach(host, read(KEY), host.worldbody, prefix="p_")
    model = compiled(host)
    assert model.key_qpos[0] == pytest.approx([*own.qpos0, 0.3], abs=1e-12)
    assert model.key_mquat[0] == pytest.approx(own.body_quat[own.body_mocapid >= 0][0], abs=1e-12)
    document = read(KEY)
    pb.attach(document, guest, document.worldbody, prefix="p_", pose=(1, 0, 0, 0, 0, 1))
    model = compiled(document)
    assert model.key_qpos[0] == pytest.approx([0.3, *model.qpos0[1:]], abs=1e-12)
    assert abs(model.qpos0[1:8] - own.qpos0[:7]).max() > 0.1  # moved, and
    assert model.qpos0[8:] == pytest.approx(own.qpos0[7:], abs=1e-12)  # not moved


def test_keys_of_what_is_in_the_world_move_with_it() -> None:
    text = f"""<mujoco><worldbody><body name="b"><freejoint/>{GEOM}</body>
      <body mocap="true">{GEOM}</body></worldbody>
      <keyframe><key qpos="1 2 3 .6 .8 0 0" qvel="1 0 0 0 0 1" mpos="1 0 0"/></keyframe></mujoco>"""
    host = read('<mujoco><worldbody><frame name="f" pos="0 0 1"/></worldbody></mujoco>')
    pb.attach(host, read(text), host.find("frame", "f"), pose=(0, 0, 0, 0, 0, np.pi / 2))
    model = compiled(host)
    half = np.sqrt(0.5)
    turned = [half * 0.6, half * 0.8, half * 0.8, half * 0.6]
    assert model.key_qpos[0] == pytest.approx([-2, 1, 4, *turned])
    assert model.key_qvel[0] == pytest.approx([0, 1, 0, 0, 0, 1], abs=1e-12)
    assert model.key_mpos[0] == pytest.approx([0, 1, 1], abs=1e-12)


def test_the_unit_may_be_that_of_an_included_file(tmp_path: Any) -> None:
    (tmp_path / "unit.xml").write_text('<mujocoinclude><compiler angle="radian"/></mujocoinclude>')
    (tmp_path / "m.xml").write_text(
        '<mujoco><include file="unit.xml"/><worldbody><body name="b"><joint ref="0.5"/>'
        f"{GEOM}</body></worldbody></mujoco>"
    )
    host = pb.read(tmp_path / "m.xml")
    pb.attach(host, read(KEY), host.worldbody, prefix="p_")
    assert host.keyframe.key[0].qpos == (0.5, 0.3)
