"""SDFormat: reading, names and frames, included files, versions, other namespaces, writing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from polybody.generated.formats.sdf import Include, Joint, JointType, Link, Model, Pose, Sdf

LINKS = '<link name="a"/><link name="b"/>'
JOINT = (
    '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>'
)
STATE = '<model_state name="m"><joint_state name="j">{}</joint_state></model_state>'
FRAME_ID = '<link name="a"><sensor name="s" type="imu"><frame_id>f</frame_id></sensor></link>'
DECLARED = ' xmlns:drake="http://drake.mit.edu"'
SHADER = (
    '<link name="a"><drake:visual name="v"><drake:geometry><drake:capsule><drake:radius>1</drake:radius>'
    "<drake:length>1</drake:length></drake:capsule></drake:geometry><drake:material>"
    '<drake:shader type="{}">{}</drake:shader></drake:material></drake:visual></link>'
)
PLANAR = """<drake:joint name="k" type="planar"><drake:parent>a</drake:parent><drake:child>{}</drake:child>
<drake:damping>1 1 1</drake:damping></drake:joint>"""
HEAD = '<sdf version="{}" xmlns:drake="http://drake.mit.edu">\n<model name="m">\n'
TAIL = "\n</model>\n</sdf>\n"


def model(inside: str, version: str = "1.9") -> str:
    """A document with the content of a model, which starts in line 3."""
    return HEAD.format(version) + inside + TAIL


def found(text: str) -> list[Any]:
    return [each for each in pb.check("m.sdf", text=text) if each.severity != "info"]


def codes(text: str) -> list[str]:
    return sorted(each.code for each in found(text))


def jointed(inside: str, kind: str = "revolute") -> str:
    return model(LINKS + f'<joint name="j" type="{kind}"><parent>a</parent><child>b</child>{inside}</joint>')


def read(inside: str, version: str = "1.9") -> Any:
    return pb.read("m.sdf", text=model(inside, version)).model


def test_texts_alone_are_fields() -> None:
    link = read(
        '<link name="a"><inertial><mass>2</mass><inertia><ixx>1.5</ixx></inertia></inertial></link>'
    ).link[0]
    assert (link.inertial.mass, link.inertial.inertia.ixx, link.inertial.inertia.iyy) == (2.0, 1.5, None)
    joint = read(LINKS + JOINT).joint[0]
    assert (joint.parent, joint.type, joint.axis.xyz.text) == ("a", JointType.REVOLUTE, (0.0, 0.0, 1.0))


def test_a_document_made_in_python() -> None:
    made = Sdf(version="1.9", model=Model(name="m"))
    made.model.link = [Link(name="a", pose=Pose(text=(0.0, 0.0, 1.0, 0.0, 0.0, 0.0))), Link(name="b")]
    made.model.joint = [Joint(name="j", type=JointType.FIXED, parent="a", child="b")]
    text = pb.write(made)
    assert pb.read("m.sdf", text=text) == made
    assert "<parent>a</parent>" in text


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (LINKS, []),
        (LINKS + JOINT, []),
        ('<link name="a"/><link name="a"/>', ["PB031"]),
        ('<link name="a"/><frame name="a"/>', ["PB031"]),
        ('<link name="world"/>', ["PB026"]),
        ('<link name="__a__"/>', ["PB026"]),
        ('<link name="a::b"/>', ["PB026"]),
        ('<link name="a"><collision name="c"><geometry><empty/></geometry></collision>'
         '<collision name="c"><geometry><empty/></geometry></collision></link>', ["PB031"]),
        ("", ["PB015"]),
        ("<static>true</static>", []),
        (LINKS + '<frame name="f" attached_to="c"/>', ["PB032"]),
        (LINKS + '<frame name="f" attached_to="__model__"/>', []),
        (LINKS + '<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>', ["PB033"]),
        ('<link name="a"><pose relative_to="b"/></link><link name="b"/>', []),
        ('<link name="a"><pose relative_to="b"/></link><link name="b"><pose relative_to="a"/></link>',
         ["PB033"]),
        ('<pose relative_to="a"/>' + LINKS, ["PB032"]),
        ('<link name="a"><pose/></link>', ["PB027"]),
        ('<link name="a"><pose>0 0 0</pose></link>', ["PB017"]),
        ('<link name="a"><pose>0 0 0 0 0 0 1</pose></link>', ["PB024"]),
        ('<link name="a"><pose rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose></link>', []),
        ('<link name="a"><pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose></link>', ["PB041"]),
        ('<link name="a"><inertial><mass>-1</mass></inertial></link>', ["PB019"]),
        ('<link name="a"><inertial><mass></mass></inertial></link>', ["PB086"]),
        ('<link name="a"><inertial><mass>1</mass><mass>2</mass></inertial></link>', ["PB014"]),
        ('<link name="a"><inertial><mass x="1">1</mass></inertial></link>', ["PB012"]),
        ('<link name="a"><inertial><mass>1<b/></mass></inertial></link>', ["PB011"]),
        ('<link name="a"><inertial><inertia><ixx>9</ixx></inertia></inertial></link>', ["PB047"]),
        ('<link name="a"><visual name="v"/></link>', ["PB028"]),
        ('<link name="a"><visual name="v"><geometry><box/></geometry></visual></link>', ["PB028"]),
        ('<link name="a"/><model name="n"><link name="b"/></model><frame name="f" attached_to="n::b"/>', []),
        ('<link name="a"/><model name="n"><link name="b"/></model><frame name="f" attached_to="n::c"/>',
         ["PB032"]),
        ('<link name="a"/><model name="n"><frame name="f" attached_to="a"/><link name="b"/></model>',
         ["PB032"]),
        (LINKS + PLANAR.format("b"), []),
        (LINKS + PLANAR.format("c"), ["PB032"]),
        (LINKS + PLANAR.format("b").replace("<drake:damping>", "<pose>0</pose><drake:damping>"), ["PB054"]),
        (LINKS + '<drake:collision_filter_group name="g"><drake:member>c</drake:member>'
         "</drake:collision_filter_group>", ["PB032"]),
        (LINKS + '<drake:collision_filter_group name="g"/>', ["PB023"]),
        (LINKS + "<drake:nothing/>", ["PB011"]),
        (SHADER.format("normal_map_tangent_space", ""), ["PB023"]),
        (SHADER.format("normal_map_tangent_space", "<drake:normal_map>a.png</drake:normal_map>"), []),
        (SHADER.format("vertex", ""), []),
        ('<link name="a"><drake:deformable_properties><x>1</x></drake:deformable_properties></link>',
         ["PB054"]),
        ('<link name="a"/><plugin name="p" filename="f"><any thing="1">at <b>all</b></any></plugin>', []),
        (LINKS + "<include><uri>https://x/y</uri></include>", ["PB010"]),
    ],
)  # fmt: skip
def test_findings(inside: str, expected: list[str]) -> None:
    assert codes(model(inside)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (jointed("", "fixed"), []),
        (jointed(""), ["PB021"]),
        (jointed("<axis/>"), ["PB028"]),
        (jointed("<axis><xyz>0 0 0</xyz></axis>"), ["PB046"]),
        (jointed('<axis><xyz expressed_in="c">0 0 1</xyz></axis>'), ["PB032"]),
        (jointed("<axis><xyz>0 0 1</xyz><limit><lower>1</lower><upper>0</upper></limit></axis>"), ["PB044"]),
        (jointed("<axis><xyz>0 0 1</xyz><limit><lower>-inf</lower></limit></axis>"), ["PB074"]),
        (jointed("<axis><xyz>0 0 1</xyz><limit><lower>NaN</lower></limit></axis>"), ["PB020"]),
        (jointed("<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"), ["PB027"]),
        (jointed("", "fixed").replace("<child>b", "<child>a"), ["PB045"]),
        (jointed("", "fixed").replace("<child>b", "<child>world"), ["PB048"]),
        (jointed("", "fixed").replace("<parent>a", "<parent>world"), []),
        (jointed("", "fixed").replace("<parent>a", "<parent>j"), ["PB033"]),
        (jointed("", "fixed").replace("<parent>a</parent>", ""), ["PB015"]),
        (jointed("", "fixed").replace("<parent>a</parent>", "<parrent>a</parrent>"), ["PB011"]),
        (jointed("", "hinge"), ["PB018"]),
        (jointed('<axis><xyz>0 0 1</xyz></axis><drake:mimic joint="j" multiplier="1" offset="0"/>'),
         ["PB045"]),
        (jointed('<axis><xyz>0 0 1</xyz></axis><drake:mimic joint="k" multiplier="1" offset="0"/>'),
         ["PB032"]),
        (jointed("<drake:rotor_inertia>-1</drake:rotor_inertia>", "fixed"), ["PB019"]),
        ('<sdf version="1.9"/>', ["PB023"]),
        ('<sdf version="1.9"><world name="w"/><world name="v"/></sdf>', ["PB083"]),
        ("<sdf/>", ["PB021", "PB023"]),
        (model(LINKS).replace(DECLARED, ""), []),
        (jointed("<drake:gear_ratio>1</drake:gear_ratio>", "fixed").replace(DECLARED, ""),
         ["PB071"]),
    ],
)  # fmt: skip
def test_findings_of_joints_and_roots(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("inside", "version", "expected"),
    [
        ('<link name="a"><pose frame="b"/></link><link name="b"/>', "1.6", []),
        ('<link name="a"><pose frame="b"/></link><link name="b"/>', "1.9", ["PB082"]),
        ('<link name="a"><pose relative_to="b"/></link><link name="b"/>', "1.6", ["PB081"]),
        ('<link name="a"><frame name="f"/></link>', "1.5", ["PB083"]),
        ('<link name="a"><frame name="f"/></link>', "1.9", ["PB082"]),
        ('<link name="a"/><frame name="a"/>', "1.6", ["PB083"]),
        ('<link name="a"/><link name="a::b"/>', "1.7", []),
        (LINKS, "1.3", ["PB073"]),
        (LINKS, "1.4", []),
        (LINKS, "1.10", []),
        (LINKS, "1.11", []),
        (LINKS, "1.12", []),
        (LINKS, "1.13", ["PB073", "PB083"]),
        (LINKS, "new", ["PB073", "PB083"]),
        (LINKS, "1.1", ["PB073", "PB083"]),
        (LINKS, "1", ["PB073", "PB083"]),
        (LINKS, "1.04", ["PB083"]),
        (
            JOINT.replace("</joint>", "<screw_thread_pitch>1</screw_thread_pitch></joint>") + LINKS,
            "1.9",
            ["PB081"],
        ),
        (LINKS + STATE.format("<angle axis='0'>1</angle>"), "1.12", ["PB074"]),
        (LINKS + STATE.format("<axis_state><position degrees='true'>9</position></axis_state>"), "1.12", []),
        (LINKS + STATE.format("<axis3_state/>"), "1.12", ["PB011"]),
        (LINKS + STATE.format(""), "1.11", ["PB081"]),
        (FRAME_ID, "1.12", []),
        (FRAME_ID, "1.11", ["PB081"]),
        (LINKS + "<plugin filename='f'/>", "1.9", []),
    ],
)
def test_versions(inside: str, version: str, expected: list[str]) -> None:
    assert codes(model(inside, version)) == expected


def test_states_of_a_world_have_other_elements_since_a_version() -> None:
    """Drake ignores states, and refuses the elements that they had before."""
    text = '<sdf version="{}"><world name="w"><state world_name="w"><{}/></state></world></sdf>'
    for version, part, expected in (
        ("1.12", 'model_state name="m"', []),
        ("1.12", 'light_state name="m"', []),
        ("1.12", 'joint_state name="m"', []),
        ("1.11", 'model_state name="m"', ["PB081"]),
        ("1.12", 'model name="m"', ["PB082"]),
        ("1.12", 'light name="m"', ["PB082"]),
        ("1.11", 'model name="m"', ["PB083"]),
    ):
        assert codes(text.format(version, part)) == expected, (version, part)


def test_the_state_of_a_world_with_positions_of_joints_is_checked() -> None:
    """Positions have `degrees`, as poses do, and are single numbers."""
    state = STATE.format("<axis_state><position>400</position><velocity>2</velocity></axis_state>")
    axis = "<axis><xyz>0 0 1</xyz></axis>"
    joint = f'<joint name="j" type="revolute"><parent>a</parent><child>b</child>{axis}</joint>'
    world = f'<model name="m">{LINKS}{joint}</model><state world_name="w">{state}</state>'
    assert codes(f'<sdf version="1.12"><world name="w">{world}</world></sdf>') == []


@pytest.mark.parametrize("name", ["gz_frame_id", "ignition_frame_id"])
def test_names_that_gazebo_gave_the_frame_of_a_sensor_lead_to_that_of_the_format(name: str) -> None:
    (finding,) = found(model(FRAME_ID.replace("frame_id", name), "1.12"))
    assert (finding.code, finding.suggestion) == ("PB011", "did you mean `frame_id`?")


def test_what_came_or_went_with_a_version_is_named() -> None:
    (found,) = pb.check("a.sdf", text=model('<link name="a"><frame name="f"/></link>', "1.9"))
    assert found.message.startswith("<frame> exists up to sdf 1.6, ")
    assert found.xpath == "/sdf/model/link[1]/frame"


def test_a_finding_has_the_position_of_the_element_with_the_text() -> None:
    text = jointed(
        "\n<axis><xyz>0 0 1</xyz>\n<limit>\n<!-- <lower> --><lower>2</lower>\n<upper>1</upper></limit></axis>"
    )
    (finding,) = found(text)
    assert (finding.line, finding.xpath) == (6, "/sdf/model/joint[1]/axis/limit/lower")
    (finding,) = found(model(LINKS + "\n" + JOINT.replace("<child>b", "\n<child>c")))
    assert (finding.line, finding.suggestion) == (5, "did you mean `a`?")


def test_names_of_other_namespaces_are_kept() -> None:
    text = model('<link name="a" my:kind="1"><my:part x="2">t<b/></my:part></link>').replace(
        "xmlns:drake", 'xmlns:my="http://my" xmlns:drake'
    )
    document = pb.read("m.sdf", text=text)
    link = document.model.link[0]
    assert (link.attributes, link.elements[0].tag, link.elements[0].text) == (
        {"my:kind": "1"},
        "my:part",
        "t",
    )
    assert pb.read("m.sdf", text=pb.write(document)) == document
    assert codes(text.replace('xmlns:my="http://my" ', "")) == ["PB071"]
    assert codes(model('<link name="a"><part/></link>')) == ["PB011"]


# --- files -------------------------------------------------------------------------------------------------

INNER = model(LINKS).replace('name="m"', 'name="inner"')


def included(folder: Path, uri: str, more: str = "", inside: str = "") -> list[Any]:
    path = folder / "outer.sdf"
    path.write_text(
        model(f'<link name="l"/><include><uri>{uri}</uri>{more}</include>{inside}'), encoding="utf-8"
    )
    return [each for each in pb.check(path) if each.severity != "info"]


def test_an_included_model_is_content_and_a_scope(tmp_path: Path) -> None:
    (tmp_path / "inner.sdf").write_text(INNER, encoding="utf-8")
    assert included(tmp_path, "inner.sdf", inside='<frame name="f" attached_to="inner::a"/>') == []
    document = pb.read(tmp_path / "outer.sdf")
    assert document.model.include[0].content.model.name == "inner"
    assert pb.read(tmp_path / "outer.sdf", text=pb.write(document)) == document
    (finding,) = included(tmp_path, "inner.sdf", inside='<frame name="f" attached_to="inner::c"/>')
    assert finding.code == "PB032"
    assert included(tmp_path, "inner.sdf", "<name>x</name>", '<frame name="f" attached_to="x::a"/>') == []


def test_a_merged_model_gives_its_names(tmp_path: Path) -> None:
    (tmp_path / "inner.sdf").write_text(INNER, encoding="utf-8")
    path = tmp_path / "outer.sdf"
    path.write_text(
        model('<include merge="true"><uri>inner.sdf</uri></include><frame name="f" attached_to="b"/>')
    )
    assert pb.check(path) == []


def test_a_folder_of_a_model(tmp_path: Path) -> None:
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "model.sdf").write_text(INNER, encoding="utf-8")
    names = '<sdf version="1.4">old.sdf</sdf><sdf version="1.9">model.sdf</sdf>'
    (folder / "model.config").write_text(f"<model><name>robot</name>{names}</model>", encoding="utf-8")
    assert included(tmp_path, "model://robot") == []
    assert included(tmp_path, "robot") == []
    (folder / "model.config").write_text("<model><sdf>../outer.sdf</sdf></model>", encoding="utf-8")
    assert [each.code for each in included(tmp_path, "robot")] == ["PB010"]
    (folder / "model.config").unlink()
    assert [each.code for each in included(tmp_path, "robot")] == ["PB001"]


def test_a_urdf_is_included(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text('<robot name="arm"><link name="hand"/></robot>', encoding="utf-8")
    assert included(tmp_path, "arm.urdf", inside='<frame name="f" attached_to="arm::hand"/>') == []


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("outer.sdf", "PB039"),
        ("none.sdf", "PB001"),
        ("../../etc/passwd", "PB010"),
        ("file:///etc/passwd", "PB010"),
        ("https://example.org/a.sdf", "PB010"),
        ("model://unknown_model", "PB001"),
    ],
)
def test_files_that_are_not_read(tmp_path: Path, uri: str, code: str) -> None:
    (finding,) = included(tmp_path, uri, inside='<frame name="f" attached_to="x::y"/>')[:1]
    assert (finding.code, finding.line) == (code, 3)


def test_a_finding_in_an_included_file_names_the_including_file(tmp_path: Path) -> None:
    (tmp_path / "inner.sdf").write_text(INNER.replace('name="b"', 'name="b" x="1"'), encoding="utf-8")
    (finding,) = included(tmp_path, "inner.sdf")
    assert (finding.code, Path(finding.path).name, len(finding.include_stack)) == ("PB012", "inner.sdf", 1)
    (tmp_path / "inner.sdf").write_text(model("<include><uri>outer.sdf</uri></include>"), encoding="utf-8")
    assert [each.code for each in included(tmp_path, "inner.sdf")] == ["PB039"]


def test_placement_needs_a_pose(tmp_path: Path) -> None:
    (tmp_path / "inner.sdf").write_text(INNER, encoding="utf-8")
    place = "<placement_frame>a</placement_frame>"
    assert [each.code for each in included(tmp_path, "inner.sdf", place)] == ["PB023"]
    assert included(tmp_path, "inner.sdf", place + "<pose>0 0 1 0 0 0</pose>") == []
    lost = place.replace("a<", "c<") + "<pose>0 0 1 0 0 0</pose>"
    assert [each.code for each in included(tmp_path, "inner.sdf", lost)] == ["PB032"]


def test_an_include_made_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file is read, as that of the text that would be written."""
    monkeypatch.chdir(tmp_path)
    made = Sdf(version="1.9", model=Model(name="m"))
    made.model.include = [Include(uri="other.sdf", name="n")]
    assert [each.code for each in pb.validate(made, "warn")] == ["PB001"]
    (tmp_path / "other.sdf").write_text(INNER)
    assert pb.read("m.sdf", text=pb.write(made)) == made
    assert pb.validate(made, "warn") == []
    assert pb.lower(made).nbody == pb.load("m.sdf", text=pb.write(made)).nbody > 1


def test_it_is_known_by_its_root_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "m.any"
    path.write_text(model(LINKS), encoding="utf-8")
    assert type(pb.read(path)) is Sdf
    assert pb.load(path).nbody > 1


def test_a_chain_of_frames_can_be_long() -> None:
    links = "".join(f'<link name="l{n}"/>' for n in range(3000))
    frames = "".join(f'<frame name="f{n}" attached_to="f{n + 1}"/>' for n in range(2000))
    assert codes(model(links + frames + '<frame name="f2000"/>')) == []


def test_a_name_that_includes_bring_twice(tmp_path: Path) -> None:
    """Neither <include> has the name: it is that of the model in the file."""
    (tmp_path / "a.sdf").write_text('<sdf version="1.9"><model name="a"><link name="l"/></model></sdf>')
    inside = "<include><uri>a.sdf</uri></include>" * 2
    (tmp_path / "m.sdf").write_text(f'<sdf version="1.9"><model name="m">{inside}</model></sdf>')
    found = pb.check(tmp_path / "m.sdf")
    assert [finding.code for finding in found] == ["PB031"]
    assert "`a`" in found[0].message


def test_a_quaternion_without_length_is_mended_in_the_order_of_the_format() -> None:
    (finding,) = found(model('<link name="a"><pose rotation_format="quat_xyzw">1 2 3 0 0 0 0</pose></link>'))
    assert (finding.code, finding.suggestion) == ("PB041", "`0 0 0 1` is the identity rotation")


def test_a_newer_version_is_reported_once(tmp_path: Path) -> None:
    (tmp_path / "part.sdf").write_text('<sdf version="1.13"><model name="p"><link name="l"/></model></sdf>')
    (tmp_path / "old.sdf").write_text('<sdf version="1.3"><model name="o"><link name="l"/></model></sdf>')
    names = ("part.sdf", "part.sdf", "old.sdf", "old.sdf")
    parts = [f"<include><uri>{name}</uri><name>n{n}</name></include>" for n, name in enumerate(names)]
    path = tmp_path / "w.sdf"
    path.write_text(f'<sdf version="1.13"><world name="w">{"".join(parts)}</world></sdf>')
    found = [each for each in pb.check(path) if each.code == "PB073"]
    assert [Path(each.path).name for each in found] == ["old.sdf", "w.sdf"]
    assert "1.13 is newer than 1.12; the document is read" in found[1].message
