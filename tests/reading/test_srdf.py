"""SRDF: reading, names that the URDF does not have, files that belong together."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.base import Source
from polybody.cli import app
from polybody.document.access import Access, declared
from polybody.document.robots import names_in, srdf_files, urdf_files

URDF = """<robot name="arm">
  <link name="base"/><link name="upper"/><link name="hand"/><link name="apart"/>
  <joint name="lift" type="continuous"><parent link="base"/><child link="upper"/></joint>
  <joint name="grip" type="continuous"><parent link="upper"/><child link="hand"/></joint>
</robot>
"""
RUN = CliRunner().invoke


def srdf(*inside: str, name: str = "arm") -> str:
    return f'<robot name="{name}">\n' + "\n".join(inside) + "\n</robot>\n"


def pair(one: str, other: str) -> str:
    return f'<disable_collisions link1="{one}" link2="{other}"/>'


@pytest.fixture
def found(tmp_path: Path) -> Any:
    """A function that gives the codes of the findings about an SRDF beside the URDF."""
    (tmp_path / "urdf").mkdir()
    (tmp_path / "srdf").mkdir()
    (tmp_path / "package.xml").write_text("<package><name>arm</name></package>")
    (tmp_path / "urdf" / "arm.urdf").write_text(URDF)

    def codes(*inside: str, name: str = "arm", policy: Any = "strict") -> list[str]:
        path = tmp_path / "srdf" / "arm.srdf"
        path.write_text(srdf(*inside, name=name))
        return [f"{each.code} {each.severity}" for each in pb.check(path, policy)]

    codes.folder = tmp_path  # type: ignore[attr-defined]
    return codes


WHOLE = (
    '<virtual_joint name="anchor" type="fixed" parent_frame="world" child_link="base"/>',
    '<group name="arm"><chain base_link="base" tip_link="hand"/><link name="upper"/></group>',
    '<group name="all"><group name="arm"/><joint name="lift"/><joint name="anchor"/></group>',
    '<group_state name="home" group="arm"><joint name="lift" value="0.5"/></group_state>',
    '<end_effector name="tool" parent_link="hand" group="arm" parent_group="all"/>',
    '<link_sphere_approximation link="hand"><sphere center="0 0 1" radius="1"/></link_sphere_approximation>',
    '<disable_default_collisions link="base"/>',
    '<enable_collisions link1="base" link2="hand"/>',
    '<disable_collisions link1="base" link2="upper" reason="Adjacent"/>',
    '<passive_joint name="grip"/>',
    '<joint_property joint_name="lift" property_name="angular_distance_weight" value="2"/>',
    '<gripper name="g" clearance="0.1"><position>0 0 0</position></gripper>',
)


def test_every_element_is_read(found: Any) -> None:
    assert found(*WHOLE) == []
    document = pb.read(found.folder / "srdf" / "arm.srdf")
    assert type(document).__module__.startswith("polybody.generated.formats.srdf")
    assert document.find("group_state", "home").joint[0].value == (0.5,)
    assert document.disable_collisions[0].reason == "Adjacent"
    assert pb.read("a.srdf", text=pb.write(document)) == document


def test_a_robot_of_links_is_a_urdf_and_one_of_groups_an_srdf() -> None:
    assert pb.read("a.xml", text='<robot name="r"><link name="a"/></robot>') == pb.read_urdf(
        "a.xml", text='<robot name="r"><link name="a"/></robot>'
    )
    for inside in (pair("a", "b"), '<group name="g"><link name="a"/></group>'):
        assert isinstance(pb.read("a.xml", text=srdf(inside)), pb.srdf.Robot)


def test_it_is_no_model() -> None:
    with pytest.raises(pb.ValidationError, match="load the URDF with `srdf=`"):
        pb.load("a.srdf", text=srdf(pair("a", "b")))


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        (pair("base", "hnad"), "PB130"),
        (pair("base", "base"), "PB045"),
        ('<group name="g"><link name="upper"/><joint name="lit"/></group>', "PB130"),
        ('<group name="g"><chain base_link="base" tip_link="apart"/></group>', "PB130"),
        ('<group name="g"><chain base_link="upper" tip_link="tip"/></group>', "PB130"),
        ('<group name="g"><group name="h"/></group>', "PB032"),
        ('<group name="g"/>', "PB023"),
        ('<group name="g"><link name="hand"/></group><group name="g"><link name="base"/></group>', "PB031"),
        ('<group_state name="s" group="g"/>', "PB032"),
        ('<disable_collision link1="base" link2="hand"/>', "PB011"),
        ('<passive_joint name="wheel"/><passive_joint name="grip"/>', "PB130"),
        ('<virtual_joint name="v" type="weld" parent_frame="w" child_link="base"/>', "PB018"),
    ],
)
def test_what_moveit_reports_is_an_error_only_under_strict(found: Any, inside: str, code: str) -> None:
    assert found(inside) == [f"{code} error"]
    assert found(inside, policy="warn") == [f"{code} warning"]
    assert pb.read(found.folder / "srdf" / "arm.srdf") is not None


def test_a_group_that_contains_itself(found: Any) -> None:
    inside = [f'<group name="{a}"><group name="{b}"/></group>' for a, b in ("gh", "hi", "ih")]
    assert found(*inside) == ["PB033 error"] * 3


def test_a_name_is_reported_once_with_a_suggestion(found: Any) -> None:
    found(pair("base", "hnad"), pair("upper", "hnad"))
    (finding,) = pb.check(found.folder / "srdf" / "arm.srdf")
    assert (finding.line, finding.xpath) == (2, "/robot/disable_collisions[1]/@link2")
    assert "no link `hnad`" in finding.message
    assert "2 times" in finding.message
    assert finding.suggestion == "did you mean `hand`?"


def test_an_srdf_of_another_robot(found: Any) -> None:
    assert found(pair("trunk", "leg"), name="dog") == ["PB131 error"]
    assert found(pair("trunk", "leg"), name="dog", policy="lenient") == ["PB131 error"]
    assert found(pair("base", "hand"), name="dog") == ["PB132 warning"]


def test_without_a_urdf_names_are_not_compared(tmp_path: Path) -> None:
    (tmp_path / "arm.srdf").write_text(srdf(pair("anything", "else")))
    assert pb.check(tmp_path / "arm.srdf") == []
    assert pb.check("a.srdf", text=srdf(pair("anything", "else"))) == []


def test_files_that_belong_together(found: Any) -> None:
    found()
    folder, urdf = found.folder, found.folder / "urdf" / "arm.urdf"
    (folder / "config").mkdir()
    (folder / "config" / "planning.srdf").write_text(srdf())
    (folder / "config" / "dog.srdf").write_text(srdf(name="dog"))
    (folder / "config" / "torn.srdf").write_text("<robot")
    assert [path.name for path in srdf_files(Source(str(urdf), b""))] == ["arm.srdf", "planning.srdf"]
    planning = Source(str(folder / "config" / "planning.srdf"), b"")
    assert [path.name for path in urdf_files(planning, "arm")] == ["arm.urdf"]
    names = names_in(urdf)
    assert names is not None
    assert names.joints == {"lift", "grip"}
    assert dict(names.parents) == {"upper": "base", "hand": "upper"}
    assert srdf_files(Source(str(folder / "none.urdf"), b"")) == []


def test_packages_of_moveit(tmp_path: Path) -> None:
    for package in ("arm_description", "arm_moveit_config", "dog_moveit_config", "dog_description"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "package.xml").write_text(f"<package><name>{package}</name></package>")
    urdf = tmp_path / "arm_description/robots/main.urdf"
    semantic = tmp_path / "arm_moveit_config/config/a.srdf"
    other = tmp_path / "dog_moveit_config/config/main.srdf"
    dog = tmp_path / "dog_description/urdf/a.urdf"
    for path, text in (
        (urdf, URDF),
        (semantic, srdf(pair("base", "hnad"))),
        (other, srdf(pair("trunk", "leg"), name="dog")),
        (dog, '<robot name="dog"><link name="trunk"/></robot>'),
    ):
        path.parent.mkdir()
        path.write_text(text)
    assert srdf_files(Source(str(urdf), b"")) == [semantic]
    assert urdf_files(Source(str(semantic), b""), "arm") == [urdf]
    assert [each.code for each in pb.check(semantic)] == ["PB130"]
    confined = Source(str(urdf), b"", access=Access(str(urdf), declared(confined=True), is_text=False))
    assert srdf_files(confined) == []
    (tmp_path / "arm_moveit_config" / "package.xml").unlink()
    assert srdf_files(Source(str(urdf), b"")) == []


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_a_folder_that_leads_elsewhere_is_not_looked_into(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "arm.srdf").write_text(srdf())
    package = tmp_path / "arm"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>arm</name></package>")
    (package / "urdf" / "arm.urdf").write_text(URDF)
    (package / "srdf").symlink_to(tmp_path / "secret")
    assert srdf_files(Source(str(package / "urdf" / "arm.urdf"), b"")) == []


def test_hostile_files_are_no_urdf(tmp_path: Path) -> None:
    path = tmp_path / "a.urdf"
    entity = '<!DOCTYPE robot [<!ENTITY a "b">]><robot name="a"/>'
    for text in ("", "<sdf/>", "<robot name='a'><link", entity):
        path.write_text(text)
        assert names_in(path) is None
    path.write_text("<robot name='a'>" + "<a>" * 20_000 + "</a>" * 20_000 + "</robot>")
    assert names_in(path) is None
    assert names_in(tmp_path) is None


# --- with a URDF -------------------------------------------------------------------------------------------


def test_checking_a_urdf_with_its_srdf(found: Any) -> None:
    found(pair("base", "hnad"))
    urdf, beside = found.folder / "urdf" / "arm.urdf", found.folder / "srdf" / "arm.srdf"
    codes = [each.code for each in pb.check(urdf, srdf=beside) if each.path == str(beside)]
    assert codes == ["PB130"]
    result = RUN(app, ["check", str(urdf), "--srdf", str(beside), "--output-format", "concise"])
    assert result.exit_code == 1
    assert "arm.srdf:2:" in result.output
    with pytest.raises(TypeError, match="only a URDF has an SRDF"):
        pb.check("a.xml", text="<mujoco/>", srdf=beside)
    assert RUN(app, ["check", str(urdf), "--srdf", "none.srdf"]).exit_code == 1


def test_a_missing_srdf_is_a_missing_file(found: Any) -> None:
    found()
    with pytest.raises(FileNotFoundError, match=r"none\.srdf"):
        pb.load(found.folder / "urdf" / "arm.urdf", srdf="none.srdf")
    with pytest.raises(ValueError, match="srdf must be a path"):
        pb.load(found.folder / "urdf" / "arm.urdf", srdf=3)


def test_another_robot_is_an_error_of_load(found: Any) -> None:
    found(pair("trunk", "leg"))
    with pytest.raises(pb.ValidationError, match="none of the 2 links and joints that are named here"):
        pb.load(found.folder / "urdf" / "arm.urdf", srdf=found.folder / "srdf" / "arm.srdf")
