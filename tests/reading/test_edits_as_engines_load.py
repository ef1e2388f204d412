"""Edits after which engines refused documents, or bodies were elsewhere."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.editing.poses import rpy_of
from polybody.geometry.meshes import MeshesUnread
from polybody.rotations.poses import product, roll_pitch_yaw

from tests.edits import POSE, moved, places
from tests.oracles.loading import refusal

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
SOFT = (
    '<link name="soft"><drake:deformable_properties><drake:mass_density>1</drake:mass_density>'
    "</drake:deformable_properties></link>"
)
RIGID = '<link name="rigid"/>'
FLAT = """<sdf version="1.7"><world name="w"><model name="m"><link name="r"/>
  <frame name="n::__model__" attached_to="n::a"><pose relative_to="__model__">0 1 0 0 0 0</pose></frame>
  <frame name="n::f" attached_to="n::__model__"/>
  <link name="n::a"/><link name="n::b"><pose relative_to="n::f">1 0 0 0 0 0</pose></link>
</model></world></sdf>"""


def read(text: str, path: str = "m.xml") -> Any:
    return pb.read(path, text=text, policy="lenient")


def robot(links: str, joints: str) -> Any:
    made = "".join(f'<link name="{name}"/>' for name in links.split())
    return read(f'<robot name="r">{made}{joints}</robot>')


def urdf_joint(name: str, ends: str, origin: str = "", kind: str = "fixed", more: str = "") -> str:
    parent, child = ends.split()
    return (
        f'<joint name="{name}" type="{kind}"><origin {origin}/><parent link="{parent}"/>'
        f'<child link="{child}"/>{more}</joint>'
    )


@pytest.mark.parametrize(("parent", "other"), [("soft", RIGID), ("rigid", SOFT)])
def test_nothing_is_connected_to_a_deformable_link(parent: str, other: str) -> None:
    head = '<sdf version="1.9" xmlns:drake="http://drake.mit.edu"><model name="{}">{}</model></sdf>'
    document, attached = read(head.format("m", SOFT + RIGID)), read(head.format("o", other))
    before = pb.write(document)
    with pytest.raises(ValueError, match="the link `soft` is deformable; Drake can fix no joint to it"):
        pb.attach(document, attached, document.find("link", parent))
    assert pb.write(document) == before


def test_the_frame_of_a_flattened_model_goes_to_another_link(tmp_path: Path) -> None:
    document = read(FLAT)
    part = pb.subtree(document, document.find("link", "n::b"))
    was = places(document)
    pb.delete(document, document.find("link", "n::a"))
    for each in (document, part):
        assert each.find("frame", "n::__model__").attached_to == "n::b"
        np.testing.assert_allclose(places(each)["m::n::b"], was["m::n::b"])
        pb.write(each, tmp_path / "m.sdf")
        assert refusal("sdf", tmp_path / "m.sdf") is None


def test_a_flattened_model_goes_with_its_last_link(tmp_path: Path) -> None:
    document = read(FLAT)
    part = pb.subtree(document, document.find("link", "r"))
    for name in "ab":
        gone = pb.delete(document, document.find("link", f"n::{name}"))
    assert [node.name for node in gone] == ["n::b", "n::__model__", "n::f"]
    for each in (document, part):
        assert [node.name for node in each.find("model", "m").children] == ["r"]
        pb.write(each, tmp_path / "m.sdf")
        assert refusal("sdf", tmp_path / "m.sdf") is None


def test_renaming_parts_of_a_flattened_model(tmp_path: Path) -> None:
    frame = '<frame name="g" attached_to="m::n::b"/>'
    document = read(FLAT.replace("</world>", f"{frame}</world>"))
    assert pb.rename(document, document.find("link", "n::b"), "n::c") == 1
    assert pb.rename(document, document.find("model", "m"), "k") == 1
    assert document.find("frame", "g").attached_to == "k::n::c"
    pb.rename(document, prefix="p_")
    assert document.find("frame", "p_g").attached_to == "p_k::p_n::c"
    assert set(places(document)) == {"world", "p_k::p_r", "p_k::p_n::a", "p_k::p_n::c"}
    pb.write(document, tmp_path / "m.sdf")
    assert refusal("sdf", tmp_path / "m.sdf") is None


@pytest.mark.parametrize(
    ("tag", "old", "new", "message"),
    [
        ("link", "n::a", "a", "'n::a' is part of the model 'n'"),
        ("link", "n::a", "o::a", "'n::a' is part of the model 'n'"),
        ("link", "n::a", "n::", "'n::a' is part of the model 'n'"),
        ("link", "r", "n", "there is a model 'n'"),
        ("link", "r", "n::r", "'n::r' would be a part of another model"),
        ("model", "m", "::m", "'::m' would be a part of another model"),
        ("frame", "n::__model__", "n::f2", "'n::__model__' is the frame of the model 'n'"),
    ],
)
def test_names_that_would_leave_their_model(tag: str, old: str, new: str, message: str) -> None:
    document = read(FLAT)
    with pytest.raises(ValueError, match=message):
        pb.rename(document, document.find(tag, old), new)
    assert pb.write(document) == FLAT


def test_names_of_a_model_that_is_in_no_world_are_not_divided(tmp_path: Path) -> None:
    joint = '<joint name="n::j" type="fixed"><parent>r</parent><child>{}</child></joint>'
    links = "".join(f'<link name="{name}"/>' for name in ("r", "n::b", "c"))
    text = f'<sdf version="1.7"><model name="m">{links}{{}}</model></sdf>'
    document = pb.read("m.sdf", text=text.format(joint.format("c")))
    model = pb.lower(document)
    assert (model.names["body"], model.names["joint"]) == (("world", "r", "c", "n::b"), ("r", "n::b"))
    pb.write(document, tmp_path / "m.sdf")
    assert refusal("sdf", tmp_path / "m.sdf") is None
    with pytest.raises(pb.ValidationError, match="Drake looks for `n::b` in a model `n` and finds none"):
        pb.read("m.sdf", text=text.format(joint.format("n::b")))
    with pytest.raises(ValueError, match="`n::b` in a model `n`"):
        pb.delete(document, document.find("link", "r"))


def test_what_is_attached_is_not_multiplied_without_end() -> None:
    body = '<body name="{}"><geom size="1"/></body>'
    again = '<replicate count="{}">{}</replicate>'
    whole = "<mujoco><worldbody>{}</worldbody></mujoco>"
    document = read(whole.format(again.format(100, again.format(3, body.format("b"))) + body.format("c")))
    other = read(whole.format(again.format(2000, body.format("d"))))
    before = pb.write(document)
    with pytest.raises(ValueError, match="more than 250,000 copies of elements"):
        pb.attach(document, other, document.find("body", "b"))
    assert pb.write(document) == before
    pb.attach(document, other, document.find("body", "c"))


@pytest.mark.parametrize("mesh", ["", '<asset><mesh file="big.stl"/></asset>'])
def test_a_configuration_that_an_actuator_needs_stays(mesh: str, tmp_path: Path) -> None:
    (tmp_path / "big.stl").write_bytes(bytes(80) + b"\1\0\0\0" + bytes(50))
    document = read(
        f"""<mujoco>{mesh}<extension><plugin plugin="mujoco.pid"><instance name="i">
      <config key="kp" value="1"/><config key="ki" value="1"/></instance></plugin></extension>
      <worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
      <actuator><plugin joint="j" plugin="mujoco.pid" instance="i" actdim="1"/></actuator></mujoco>""",
        str(tmp_path / "m.xml"),
    )
    gain, integral = document.find_all("config")
    with pytest.raises(ValueError, match=r"`actdim` is 1; with this .* of mujoco\.pid it must be 0"):
        pb.delete(document, integral)
    pb.delete(document, gain)


def test_meshes_are_not_read_for_an_edit(tmp_path: Path) -> None:
    (tmp_path / "big.stl").write_bytes(bytes(80) + b"\1\0\0\0" + bytes(50))
    text = '<mujoco><asset><mesh file="big.stl"/></asset><worldbody>{}</worldbody></mujoco>'
    body = '<body name="{}"><joint/><geom type="mesh" mesh="big"/></body>'
    document = read(text.format(body.format("a") + body.format("b")), str(tmp_path / "m.xml"))
    with pytest.raises(pb.ValidationError, match=r"big\.stl"):
        pb.lower(document)
    pb.delete(document, document.find("body", "a"))
    with MeshesUnread():
        assert pb.lower(document).body_mass[1] == pytest.approx(8000)


@pytest.mark.parametrize("short", [0.0, 1e-13, 1e-11, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_angles_near_a_right_angle_of_pitch(short: float, sign: float) -> None:
    for roll, yaw in ((0.3, -2.0), (-1.57079632679, 0.0), (3.0, 1.0)):
        quat = roll_pitch_yaw((roll, sign * (np.pi / 2 - short), yaw))
        again = roll_pitch_yaw(rpy_of(quat))
        w, x, y, z = again
        np.testing.assert_allclose(np.abs(product(quat, (w, -x, -y, -z))), (1, 0, 0, 0), atol=2e-12)


def test_a_deleted_link_between_right_angles_moves_nothing() -> None:
    right = 'xyz="1 2 3" rpy="{} {} {}"'
    joints = urdf_joint("j", "a b", right.format(0, 1.57079632679, 0))
    joints += urdf_joint("k", "b c", right.format(-1.57079632679, 0, 0))
    document = robot("a b c", joints)
    edited = copy.deepcopy(document)
    pb.delete(edited, edited.find("link", "b"))
    np.testing.assert_allclose(places(edited)["c"], places(document)["c"], atol=1e-12)


def test_a_robot_without_its_first_link_begins_with_the_next() -> None:
    joints = urdf_joint("j", "world a", 'xyz="0 1 0" rpy="0.1 0 0"') + urdf_joint("k", "a b", 'xyz="2 0 0"')
    document = robot("world a b", joints)
    edited = copy.deepcopy(document)
    pb.delete(edited, edited.find("link", "world"))
    assert places(edited)["b"][:3, 3].tolist() == [2.0, 0.0, 0.0]
    assert moved(document, edited, "delete") == []
    edited.find("joint", "k").origin.xyz = (2.0, 0.0, 0.1)
    assert moved(document, edited, "delete") == ["b"]


def test_what_floats_is_at_the_origin_wherever_it_is_attached() -> None:
    joints = urdf_joint("j", "a b") + urdf_joint("k", "a c", kind="floating", more='<mimic joint="j"/>')
    document = robot("a b c", joints)
    for parent in "bc":
        edited = copy.deepcopy(document)
        pb.attach(edited, document, edited.find("link", parent), prefix="left_", pose=POSE)
        np.testing.assert_allclose(places(edited)["left_b"][:3, 3], POSE[:3])
        assert places(edited)["left_c"].tolist() == np.eye(4).tolist()
        assert moved(document, edited, "attach") == []
        edited.find("joint", f"left_{parent}_to_a").origin.xyz = None
        assert moved(document, edited, "attach") == ["what is attached"]


def test_a_skeleton_keeps_its_zero_position_without_a_body() -> None:
    """Poses of bodies are those at zero; an initial position belongs to the joint that is deleted."""
    inertia = "<inertia><mass>1</mass></inertia>"
    body = '<body name="{}"><transformation>{} 0 0 0 0 0</transformation>' + inertia + "</body>"
    joint = (
        '<joint type="revolute" name="{}"><parent>{}</parent><child>{}</child><axis><xyz>0 1 0</xyz></axis>'
        "<init_pos>{}</init_pos></joint>"
    )
    free = '<joint type="free" name="ja"><parent>world</parent><child>a</child></joint>'
    content = "".join(body.format(name, at) for at, name in enumerate("abc")) + free
    content += joint.format("jb", "a", "b", 0.5) + joint.format("jc", "b", "c", 0.25)
    skeleton = f'<skeleton name="s">{content}</skeleton>'
    document = read(f'<skel version="1.0"><world name="w">{skeleton}</world></skel>')
    edited = copy.deepcopy(document)
    pb.delete(edited, edited.find("body", "b"))
    part = pb.subtree(document, document.find("body", "c"))
    assert edited.find("joint", "jc").init_pos == (0.25,)
    assert moved(document, edited, "delete") == moved(document, part, "subtree") == []
    edited.find("body", "c").transformation = (2.0, 0.0, 0.1, 0.0, 0.0, 0.0)
    assert moved(document, edited, "delete") == ["c"]


def test_a_link_may_define_a_shared_material_anew() -> None:
    """Urdfdom takes the colour that a link gives, whatever the robot defines under that name."""
    ball = '<geometry><sphere radius=".1"/></geometry>'
    link = '<link name="{}"><visual>' + ball + '<material name="dark">{}</material></visual></link>'
    dark, other = '<color rgba=".2 .2 .2 1"/>', '<color rgba=".3 .2 .2 1"/>'
    text = f'''<robot name="r"><material name="dark">{dark}</material>
      {link.format("a", "")}{link.format("b", other)}
      <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'''
    document = read(text)
    pb.attach(document, read(text), document.link[0], prefix="x_")
    used = {each.name: each.visual[0].material for each in document.link}
    assert [used[name].name for name in ("a", "b", "x_a", "x_b")] == ["dark", "dark", "dark", "x_dark"]
    assert used["x_b"].color.rgba[0] == 0.3
    found = pb.check("r.urdf", "lenient", text=pb.write(document), model=False)
    assert [each.code for each in found] == ["PB076"]  # as before: the link defines it anew


def test_a_link_of_an_extension_is_no_parent() -> None:
    document = robot("a b", urdf_joint("j", "a b"))
    plugin = '<gazebo><plugin name="p" filename="p.so"><link>a</link></plugin></gazebo>'
    other = read(f'<robot name="r">{plugin}<link name="a"/></robot>')
    (named,) = [each for each in other.find_all("link") if type(each).__name__ == "Untyped"]
    with pytest.raises(ValueError, match="a <link> of an extension"):
        pb.attach(other, document, named)
