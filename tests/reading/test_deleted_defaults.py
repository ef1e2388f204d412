"""What defaults give is written into the elements that had it, when they are deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
FIELDS = (
    *("dof_damping", "dof_armature", "jnt_range", "jnt_type", "geom_type", "geom_size", "geom_rgba"),
    *("geom_quat", "geom_contype", "geom_friction", "geom_pos", "body_mass", "actuator_gainprm"),
    *("actuator_ctrlrange", "actuator_ctrllimited", "site_size", "tendon_width", "eq_solref", "mat_rgba"),
)  # fmt: skip
NESTED = """<mujoco>
  <default>
    <geom rgba="1 0 0 1" contype="2"/>
    <position kp="7"/>
    <default class="arm">
      <joint damping="3" range="-40 40"/>
      <geom type="capsule" size=".02" euler="10 20 30" friction=".7 .1 .1"/>
      <general ctrlrange="-1 1"/>
      <site size=".3"/>
      <tendon width=".02"/>
      <equality solref=".1 1"/>
      <material rgba="0 1 0 1"/>
      <default class="finger">
        <joint armature=".1"/>
        <geom contype="4" quat=".6 .8 0 0"/>
      </default>
    </default>
    <default class="other"><geom rgba="0 0 1 1" density="50"/><joint damping="9"/></default>
  </default>
  <asset><material name="m" class="arm"/></asset>
  <worldbody>
    <body name="a" childclass="arm">
      <joint name="j"/><geom fromto="0 0 0 0 0 .2"/><geom class="finger" size=".03 .1"/>
      <site name="s" class="main"/><site name="t" pos="1 0 0"/>
      <body name="b" childclass="finger">
        <joint name="k" axis="0 1 0"/><geom size=".02 .1"/><geom class="other" size=".1"/>
        <geom size=".01 .1" axisangle="1 0 0 20" friction=".9"/>
      </body>
      <body name="c" childclass="other">
        <joint name="l"/><geom size=".1"/><geom class="arm" size=".1 .1"/>
      </body>
    </body>
  </worldbody>
  <tendon><spatial class="arm" name="x"><site site="s"/><site site="t"/></spatial></tendon>
  <equality><joint class="arm" joint1="j" joint2="l"/></equality>
  <actuator><position class="finger" joint="j"/><motor class="arm" joint="k"/></actuator>
</mujoco>"""
ARM, FINGER = "//default[@class='arm']", "//default[@class='finger']"
DELETED = (
    *(ARM, FINGER, "//default[@class='other']", "/mujoco/default", "//default/geom", f"{ARM}/geom"),
    *(f"{ARM}/joint", f"{FINGER}/geom", "//default/position", "//default/general", "//default/site"),
    "//default/equality",
)


def compiled(document: Any) -> Any:
    return mujoco.MjModel.from_xml_string(pb.write(document))


@pytest.mark.parametrize("path", DELETED)
def test_deleting_defaults_leaves_the_model_as_it_was(path: str) -> None:
    document: Any = pb.read("m.xml", text=NESTED)
    before = compiled(document)
    gone = pb.xpath(document, path)[0]
    assert pb.delete(document, gone)[0] is gone
    after = compiled(document)
    for field in FIELDS:
        assert np.allclose(getattr(after, field), getattr(before, field), atol=1e-12), field
    assert after.actuator_biasprm[0] == pytest.approx(before.actuator_biasprm[0])  # of a motor it is not used
    assert pb.validate(document) == []
    ours, theirs = pb.lower(document), pb.lower(pb.read("m.xml", text=NESTED))
    assert ours.geom_rgba.tolist() == theirs.geom_rgba.tolist()


def test_users_of_a_deleted_class_have_the_class_around_it() -> None:
    document: Any = pb.read("m.xml", text=NESTED)
    pb.delete(document, pb.xpath(document, "//default[@class='finger']")[0])
    assert document.find("body", "b").childclass == "arm"
    assert pb.xpath(document, "//geom[@class='arm']/@size") == ["0.03 0.1", "0.1 0.1"]
    pb.delete(document, pb.xpath(document, "//default[@class='arm']")[0])
    assert document.find("body", "a").childclass is None
    assert document.find("joint", "k").damping == 3
    inner = pb.xpath(document, "//body[@name='c']/geom[@class]/@class")
    assert inner == ["main"]  # not that of the body around it


def test_defaults_of_x_xy() -> None:
    text = """<x_xy model="m"><options gravity="0 0 9.81" dt="0.01"/>
      <defaults><geom type="box" mass="2" dim="1 1 1"/><body damping="3"/></defaults>
      <worldbody><body name="b" joint="ry"><geom pos="0 0 0"/></body></worldbody></x_xy>"""
    for path in ("/x_xy/defaults", "//defaults/geom", "//defaults/body"):
        document: Any = pb.read("m.xml", text=text)
        before = pb.lower(document)
        pb.delete(document, pb.xpath(document, path)[0])
        after = pb.lower(document)
        assert after.body_mass.tolist() == before.body_mass.tolist()
        assert after.dof_damping.tolist() == before.dof_damping.tolist() == [3.0]


def test_users_in_included_files(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text('<mujocoinclude><body><joint/><geom size=".1"/></body></mujocoinclude>')
    (tmp_path / "m.xml").write_text(
        '<mujoco><default><geom density="5"/></default><worldbody><geom size="1"/><include file="arm.xml"/>'
        "</worldbody></mujoco>"
    )
    document: Any = pb.read(tmp_path / "m.xml")
    with pytest.raises(ValueError, match=r"the `density` of <geom> at .*arm\.xml:1:\d+, in an included file"):
        pb.delete(document, document.find("default"))
    assert document.find("default").geom.density == 5
