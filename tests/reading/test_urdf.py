"""URDF: findings of its tables and rules, and preserved extensions of others; it cannot be simulated yet."""

from __future__ import annotations

import copy
import os
import pickle
import random
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.base import Untyped
from polybody.cli import app
from polybody.cli.schema import describe
from polybody.document.registry import format_named
from polybody.geometry.inertia import inertia_fault

from tests.oracles.loading import refusal

DRAKE = ' xmlns:drake="http://drake.mit.edu"'
TWO = '<link name="base"/><link name="arm"/>'
ENDS = '<parent link="base"/><child link="arm"/>'


def robot(inside: str, head: str = DRAKE) -> str:
    return f'<robot name="r"{head}>\n{inside}\n</robot>\n'


def jointed(inside: str = "", kind: str = "continuous", more: str = "") -> str:
    return robot(f'{TWO}<joint name="j" type="{kind}">{ENDS}{inside}</joint>{more}')


def codes(text: str) -> list[str]:
    return [finding.code for finding in pb.check("r.urdf", text=text)]


def link(inside: str) -> str:
    return robot(f'<link name="base">{inside}</link>')


def dated(version: str, text: str) -> str:
    """A document that states its version."""
    return text.replace("<robot ", f'<robot version="{version}" ')


QUATERNION = '<origin quat_xyzw="0.6 0 0.8 0"/>'
LIMITED = "<limit lower='0' upper='1' effort='1' velocity='1' {}/>"
INERTIA = '<inertia ixx="{}" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
VISUAL = "<visual><geometry>{}</geometry></visual>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (jointed(), []),
        (robot("", ""), []),
        # the tree
        (robot(TWO), ["PB035"]),
        (jointed().replace('link="arm"', 'link="base"'), ["PB033"]),
        (jointed(more=f'<joint name="k" type="fixed">{ENDS}</joint>'), ["PB083", "PB034"]),
        (
            jointed(more='<joint name="k" type="fixed"><parent link="arm"/><child link="base"/></joint>'),
            ["PB033"],
        ),
        (robot(TWO + f'<joint name="j" type="fixed">{ENDS}</joint>').replace('"base"', '"world"'), []),
        (jointed().replace('parent link="base"', 'parent link="bse"'), ["PB032"]),
        (jointed().replace('link name="base"', 'lnk name="base"'), ["PB011"]),
        (jointed().replace('link name="base"', 'link nam="base"'), ["PB012"]),
        # joints
        (jointed(kind="revolute"), ["PB028"]),
        (jointed('<limit effort="1" velocity="1" lower="2" upper="1"/>', "revolute"), ["PB044"]),
        (jointed('<limit lower="-1" upper="1"/>', "revolute"), ["PB028", "PB028"]),
        (jointed('<limit effort="INF" velocity="inf"/>', "revolute"), ["PB020", "PB020"]),
        (jointed('<limit effort="1" velocity="1e400" upper="-INF"/>', "revolute"), ["PB020", "PB020"]),
        (jointed('<limit effort="1" velocity="1" drake:acceleration="2"/>', "revolute"), []),
        (jointed('<axis xyz="0 0 0"/>'), ["PB046"]),
        (jointed('<axis xyz="0 0 0"/>', "fixed"), []),
        (jointed('<mimic joint="j"/>'), ["PB033"]),
        (jointed('<mimic joint="k"/>'), ["PB032"]),
        (jointed('<dynamics damping="1 1 1"/>'), ["PB024"]),
        (jointed('<dynamics damping="1 1 1"/>', "planar"), []),
        (jointed(kind="ball"), ["PB018"]),
        (jointed().replace("joint", "drake:joint").replace("continuous", "ball"), []),
        (jointed().replace("joint", "drake:joint").replace("continuous", "screw"), ["PB021"]),
        (robot("<loop_joint/>"), ["PB054"]),
        # links
        (link("<inertial><mass value='-1'/>" + INERTIA.format(1) + "</inertial>"), ["PB019"]),
        (link("<inertial><mass value='1'/>" + INERTIA.format(1) + "</inertial>"), []),
        (link("<inertial><mass value='1'/>" + INERTIA.format(3) + "</inertial>"), ["PB047"]),
        (link("<inertial><mass value='1'/>" + INERTIA.format(-1) + "</inertial>"), ["PB047"]),
        (link("<inertial><mass value='1'/></inertial>"), ["PB028"]),
        (link(VISUAL.format("<box size='1 1 1'/>")), []),
        (link(VISUAL.format("<box size='1 1 1'/><sphere radius='1'/>")), ["PB022"]),
        (link(VISUAL.format("")), ["PB023"]),
        (link(VISUAL.format("<bx size='1 1 1'/>")), ["PB011"]),
        (link(VISUAL.format("<drake:ellipsoid a='1' b='1' c='0'/>")), ["PB019"]),
        (link(VISUAL.format("<box size='1 1 1'/>").replace("</v", "<material name='red'/></v")), ["PB032"]),
        (link(VISUAL.format("<box size='1 1 1'/>").replace("</v", "<material/></v")), ["PB023"]),
        # prefixes, templates, versions
        (
            jointed().replace("joint", "drake:joint").replace("continuous", "ball").replace(DRAKE, ""),
            ["PB071"],
        ),
        (robot("<xacro:macro/><xacro:arm/>"), ["PB072"]),
        (robot("", ' version="2.0"'), ["PB073"]),
        (robot("", ' version="1.3"'), ["PB073"]),
        (robot("", ' version="one"'), ["PB073"]),
        *((robot("", f' version="{version}"'), ["PB073"]) for version in ("", "1", "1.1.1", " 1.1")),
        *((robot("", f' version="{version}"'), []) for version in ("1.0", "1.1", "1.2")),
        (link(VISUAL.format("<capsule radius='1' length='2'/>")), ["PB081"]),
        (dated("1.0", jointed(QUATERNION)), ["PB081", "PB067"]),
        (dated("1.1", jointed(QUATERNION)), ["PB088"]),
        (dated("1.2", jointed(QUATERNION)), ["PB088"]),
        (dated("1.1", jointed(QUATERNION.replace("<origin", '<origin rpy="0 0 0"'))), ["PB088", "PB022"]),
        (dated("1.1", jointed(QUATERNION.replace("0.6", "6"))), ["PB042", "PB088"]),
        (dated("1.1", jointed(QUATERNION.replace("0.6 ", ""))), ["PB017"]),
        (dated("1.1", link(VISUAL.format("<capsule radius='1' length='2'/>"))), []),
        (dated("1.1", jointed(LIMITED.format("acceleration='3' jerk='0'"), "revolute")), ["PB081", "PB081"]),
        (dated("1.2", jointed(LIMITED.format("acceleration='3' jerk='0'"), "revolute")), []),
        (dated("1.2", jointed(LIMITED.format("deceleration='-3'"), "revolute")), ["PB019"]),
        (dated("1.1", jointed("<limit/>")), ["PB028", "PB028"]),
        (dated("1.2", jointed("<limit/>")), []),
        (dated("1.2", jointed("<limit/>", "revolute")), ["PB028", "PB028"]),
        # transmissions
        (robot("<transmission name='t'><type>SimpleTransmission</type></transmission>"), ["PB015", "PB015"]),
        (robot("<transmission name='t'><type>Other</type></transmission>"), []),
    ],
)
def test_findings(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_a_cycle_is_reported_by_its_names() -> None:
    more = '<joint name="k" type="fixed"><parent link="arm"/><child link="base"/></joint>'
    (found,) = pb.check("r.urdf", text=jointed(more=more))
    assert found.message == "this <joint> closes a cycle: `base` -> `arm` -> `base`"
    assert found.xpath == "/robot/joint[2]/child/@link"


EXTENSION = """<gazebo reference="base"><a b="1">text<c/>tail</a><d/></gazebo>
<ros2_control name="x"><hardware><plugin> p </plugin></hardware></ros2_control>"""


def test_extensions_of_others_are_kept_unchanged() -> None:
    document: Any = pb.read("r.urdf", text=robot(TWO.replace('<link name="arm"/>', "") + EXTENSION))
    (gazebo,) = document.gazebo
    assert gazebo.reference == "base"
    a, d = gazebo.elements
    assert (a.tag, a.attributes, a.text) == ("a", {"b": "1"}, "text")
    assert (a.elements[0].tag, a.elements[0].tail, d.tag) == ("c", "tail", "d")
    assert document.ros2_control[0].elements[0].elements[0].text == " p "
    text = pb.write(document)
    assert '<a b="1">text<c/>tail</a>' in text
    again: Any = pb.read("r.urdf", text=text)
    assert again == document == copy.deepcopy(document) == pickle.loads(pickle.dumps(document))
    again.gazebo[0].elements[0].attributes["b"] = "2"
    assert again != document
    twin: Any = copy.deepcopy(document)
    twin.gazebo[0].elements[0].attributes["b"] = "2"
    assert document.gazebo[0].elements[0].attributes == {"b": "1"}
    gazebo.children = [Untyped(tag="new", elements=[Untyped(tag="inner")])]
    assert "<new>\n      <inner/>\n    </new>" in pb.write(document, layout="canonical")


def test_prefixes_are_written_as_they_are_declared() -> None:
    text = jointed().replace("joint", "drake:joint").replace("continuous", "ball")
    document: Any = pb.read("r.urdf", text=text)
    assert document.xmlns_drake == "http://drake.mit.edu"
    assert document.drake_joint[0].name == "j"
    assert pb.read("r.urdf", text=pb.write(document)) == document
    document.xmlns_drake = None
    assert codes(pb.write(document)) == ["PB071"]


def test_listings_show_every_place() -> None:
    described = describe(format_named("urdf"))
    paths = [element["path"] for element in described["elements"]]
    assert len(paths) == len(set(paths))
    for shape in ("visual", "collision"):
        assert f"robot/link/{shape}/geometry/drake:ellipsoid" in paths
    assert "robot/drake:joint/limit" in paths


@pytest.mark.parametrize(
    ("name", "expected", "told"),
    [
        ("arm.obj", [], ""),
        ("../meshes/leg.obj", [], ""),
        ("package://robots/meshes/leg.obj", [], ""),
        ("package://others/hand.obj", [], ""),
        ("no.obj", ["PB036"], "searched for "),
        ("package://robots/no.obj", ["PB036"], "searched for "),
        ("package://nowhere/no.obj", ["PB037"], "package.xml"),
        ("../../../secret.obj", ["PB010"], ""),
        ("/etc/hostname", ["PB010"], ""),
        ("https://example.org/a.obj", ["PB010"], ""),
    ],
)
def test_files_are_looked_for(tmp_path: Path, name: str, expected: list[str], told: str) -> None:
    package = tmp_path / "sources" / "robots_description"
    for folder in ("urdf", "meshes"):
        (package / folder).mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>robots</name></package>")
    (tmp_path / "sources" / "others").mkdir()
    (tmp_path / "sources" / "others" / "package.xml").write_text("<package><name>others</name></package>")
    (tmp_path / "secret.obj").touch()
    for file in ("urdf/arm.obj", "meshes/leg.obj", "../others/hand.obj"):
        (package / file).touch()
    path = package / "urdf" / "r.urdf"
    path.write_text(link(VISUAL.format(f'<mesh filename="{name}"/>')))
    found = pb.check(path)
    assert [finding.code for finding in found] == expected
    assert all(told in (finding.suggestion or "") for finding in found)


def test_a_default_namespace_means_nothing() -> None:
    text = '<robot name="r"><link name="a"/></robot>'
    declared = text.replace("<robot", '<robot xmlns="http://www.ros.org"')
    assert pb.check("r.urdf", text=declared) == pb.check("r.urdf", text=text) == []
    assert pb.read("r.urdf", text=declared) == pb.read("r.urdf", text=text)


def test_every_finding_has_its_xpath() -> None:
    """Also those of the format's own rules: a transmission, a material, a mimic, damping."""
    text = f"""<robot name="r" version="2">{TWO}
  <joint name="j" type="revolute">{ENDS}<limit lower="0" upper="1" effort="1" velocity="1"/>
    <dynamics damping="1 2 3"/></joint>
  <transmission name="t"><type>SimpleTransmission</type></transmission>
  <link name="c"><visual><geometry><box size="1 1 1"/></geometry><material name="m"/></visual></link>
  <joint name="k" type="fixed"><parent link="arm"/><child link="c"/><mimic joint="j"/></joint>
</robot>"""
    found = {(d.code, d.xpath) for d in pb.check("r.urdf", text=text)}
    assert found >= {
        ("PB073", "/robot/@version"),
        ("PB024", "/robot/joint[1]/dynamics/@damping"),
        ("PB015", "/robot/transmission[1]"),
        ("PB032", "/robot/link[3]/visual[1]/material/@name"),
        ("PB048", "/robot/joint[2]/mimic/@joint"),
    }
    assert all(xpath for _, xpath in found)


def test_packages_can_be_declared(tmp_path: Path) -> None:
    """By name, or by a folder that contains them; the command line accepts both."""
    meshes = tmp_path / "share" / "group" / "arm_meshes" / "visual"
    meshes.mkdir(parents=True)
    (meshes / "arm.stl").write_bytes(b"solid\n")
    (meshes.parent / "package.xml").write_text("<package><name>arm_description</name></package>")
    path = tmp_path / "robot" / "arm.urdf"
    path.parent.mkdir()
    mesh = '<mesh filename="package://arm_description/visual/arm.stl"/>'
    path.write_text(
        f'<robot name="r"><link name="a"><visual><geometry>{mesh}</geometry></visual></link></robot>'
    )
    (unknown,) = pb.check(path)
    assert unknown.code == "PB037"
    assert "--package NAME=DIR" in str(unknown.suggestion)
    assert pb.check(path, packages={"arm_description": meshes.parent}) == []
    assert pb.check(path, package_path=[tmp_path / "share"]) == []
    (elsewhere,) = pb.check(path, package_path=[tmp_path / "robot"])
    assert str(tmp_path / "robot") in str(elsewhere.suggestion)
    (missing,) = pb.check(path, packages={"arm_description": tmp_path})
    assert missing.code == "PB036"
    with pytest.raises(ValueError, match="does not exist"):
        pb.read(path, packages={"arm_description": tmp_path / "none"})
    runner = CliRunner()
    for options in (
        ["--package", f"arm_description={meshes.parent}"],
        ["--package-path", f"{tmp_path / 'robot'}{os.pathsep}{tmp_path / 'share'}"],
    ):
        assert runner.invoke(app, ["check", "--no-model", *options, str(path)]).exit_code == 0
    assert runner.invoke(app, ["check", "--package", "arm", str(path)]).exit_code == 2
    assert runner.invoke(app, ["check", "--package", "arm=none", str(path)]).exit_code == 2


def test_an_unknown_package_is_reported_once(tmp_path: Path) -> None:
    mesh = '<visual><geometry><mesh filename="package://{}/{}.stl"/></geometry></visual>'
    meshes = "".join(mesh.format(package, name) for package in ("arms", "legs") for name in "abc")
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="r"><link name="a">{meshes}</link></robot>')
    arms, legs = pb.check(path)
    assert (arms.code, legs.code) == ("PB037", "PB037")
    assert (
        "`package://arms/a.stl`: package `arms` is not known, so the files of 3 elements cannot be"
        in arms.message
    )
    assert "`package://legs/a.stl`: package `legs` is not known" in legs.message


def test_what_simulators_pass_over_is_said() -> None:
    text = f"""<robot name="r">{TWO}
  <joint name="j" type="continuous">{ENDS}<calibration rising="1"/>
    <safety_controller k_velocity="1"/></joint>
  <link name="b"><collision><geometry><box size="1 1 1"/></geometry><verbose value="no"/></collision></link>
  <joint name="k" type="fixed"><parent link="arm"/><child link="b"/></joint>
</robot>"""
    found = [(d.code, d.severity, d.line) for d in pb.check("r.urdf", text=text)]
    assert [row for row in found if row[0] == "PB078"] == [("PB078", "info", n) for n in (2, 3, 4)]


def test_moments_are_judged_as_by_their_eigenvalues() -> None:
    """Most inertias are recognised as valid without their principal moments: the verdict never differs."""
    draw = random.Random(7)
    bodies = []
    for _ in range(400):
        diagonal = [draw.choice((1.0, draw.uniform(-0.1, 2), 0.0)) for _ in range(3)]
        off = [draw.choice((0.0, draw.uniform(-0.6, 0.6), 1e-9)) for _ in range(3)]
        bodies.append([*diagonal, *off])
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    lines = [
        f'<link name="l{number}"><inertial><mass value="1"/><inertia '
        + " ".join(f'{name}="{value!r}"' for name, value in zip(names, moments, strict=True))
        + "/></inertial></link>"
        for number, moments in enumerate(bodies)
    ]
    text = '<robot name="r">\n' + "\n".join(lines) + "</robot>"
    found = {each.line for each in pb.check("r.urdf", text=text) if each.code == "PB047"}
    wrong = {line for line, moments in enumerate(bodies, 2) if inertia_fault(moments) is not None}
    assert found == wrong
    assert 50 < len(wrong) < 350


def test_a_nameless_material_of_the_robot_is_no_suggestion() -> None:
    text = '<robot name="r"><material/><link name="l"><visual><geometry><sphere radius="1"/></geometry>'
    text += '<material name="rde"/></visual></link></robot>'
    found = {finding.code for finding in pb.check("r.urdf", text=text)}
    assert "PB032" in found
    assert "PB099" not in found


@pytest.mark.parametrize(
    ("materials", "lines"),
    [
        ('\n<material name="m"/>', [2]),
        ('<material name="m"><color rgba="1 0 0 1"/></material>\n<material name="n"/>', [2]),
        ('<material name="m"><color rgba="1 0 0 1"/></material>', []),
    ],
)
def test_a_material_of_the_robot_has_a_colour_or_a_texture(
    materials: str, lines: list[int], tmp_path: Path
) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(f'<robot name="r">{materials}<link name="a"/></robot>')
    assert (refusal("urdf", path) is not None) is bool(lines)
    found = pb.check(path, "warn")
    assert [(each.line, each.severity) for each in found if each.code == "PB083"] == [
        (line, "error") for line in lines
    ]
    if not lines:
        document = pb.read(path)
        with pytest.raises(ValueError, match="the material `m`: it has neither colour nor texture"):
            pb.delete(document, document.find("color"))
