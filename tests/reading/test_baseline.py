"""Baselines and fingerprints: what identifies a finding whatever its position."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.diagnostics.identity import Identities, Identity, without_lines
from polybody.files import Relative

LINK = '<link name="{}">\n  <visual><geometry><sphere radius="{}"/></geometry></visual>\n</link>\n'
ARM = (
    LINK.format("base", "-1")
    + LINK.format("tip", "-1")
    + '<joint name="j" type="fixed"><parent link="base"/><child link="tip"/><orgin/></joint>\n'
)
CHAIN = '<joint name="{0}" type="fixed"><parent link="tip"/><child link="{0}"/></joint>\n'


def robot(inside: str) -> str:
    return f'<robot name="r">\n{inside}</robot>\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "arm.urdf").write_text(robot(ARM), encoding="utf-8")
    return tmp_path


def run(*arguments: str, code: int) -> str:
    result = CliRunner().invoke(app, ["check", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def rows(*arguments: str) -> list[tuple[str, int]]:
    """The codes and lines of the findings."""
    result = CliRunner().invoke(app, ["check", "robots", "--output-format", "json", *arguments])
    assert result.exit_code in (0, 1), result.output
    return [(row["code"], row["line"]) for row in json.loads(result.stdout)]


def prints(text: str) -> list[str]:
    """The fingerprints of the findings about a text."""
    found = pb.check("arm.urdf", text=text)
    identities = Identities(lambda path: text.encode(), Relative("."))
    return identities.fingerprints(found)


# --- identity --------------------------------------------------------------------------------------------


def test_an_identity_names_elements_and_values() -> None:
    text = robot(ARM)
    identities = Identities(lambda path: text.encode(), Relative("."))
    found = {identities.of(finding) for finding in pb.check("arm.urdf", text=text)}
    shape = "visual/geometry/sphere"
    assert {each for each in found if each.code != "PB078"} == {
        Identity(
            "PB019",
            "arm.urdf",
            f"robot[r]/link[base]/{shape}",
            ('radius="-1"', "`radius`", "<sphere>", "-1", "0"),
        ),
        Identity(
            "PB019",
            "arm.urdf",
            f"robot[r]/link[tip]/{shape}",
            ('radius="-1"', "`radius`", "<sphere>", "-1", "0"),
        ),
        Identity("PB011", "arm.urdf", "robot[r]/joint[j]/orgin", ("<orgin>", "<joint>")),
    }


@pytest.mark.parametrize(
    "changed",
    [
        "\n\n<!-- moved -->\n" + ARM,
        LINK.format("first", 1) + CHAIN.format("first") + ARM,
        ARM + LINK.format("last", 1) + CHAIN.format("last"),
        "".join(LINK.format(name, "-1") for name in ("tip", "base")) + ARM[ARM.index("<joint") :],
        ARM.replace("\n", "\r\n").replace("<sphere radius=", "<sphere\n     radius="),
    ],
    ids=["lines", "link before", "link after", "order", "layout"],
)
def test_fingerprints_are_independent_of_positions(changed: str) -> None:
    assert sorted(prints(robot(changed))) == sorted(prints(robot(ARM)))
    assert len(set(prints(robot(ARM)))) == len(prints(robot(ARM))) > 2


@pytest.mark.parametrize(
    "changed",
    [
        ARM.replace("tip", "end"),
        ARM.replace('"-1"', '"-2"', 1),
        ARM.replace("orgin", "origen"),
    ],
    ids=["name", "value", "tag"],
)
def test_other_elements_and_values_have_other_fingerprints(changed: str) -> None:
    assert changed != ARM
    gone = set(prints(robot(ARM))) - set(prints(robot(changed)))
    assert len(gone) == 1 or "end" in changed


INERTIA = {
    "urdf": '<robot name="r"><link name="a"><inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="9"/></inertial></link></robot>',
    "sdf": '<sdf version="1.9"><model name="m"><link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx>'
    "<ixy>0.1</ixy><ixz>0.2</ixz><iyy>2</iyy><iyz>0.3</iyz><izz>9</izz></inertia></inertial></link></model>"
    "</sdf>",
    "openrave": '<kinbody name="k"><body name="a"><geom type="box"><extents>1 1 1</extents></geom>'
    '<mass type="custom"><total>1</total><inertia>1 .1 .2 .1 2 .3 .2 .3 9</inertia></mass></body></kinbody>',
    "skel": '<skel version="1.0"><world name="w"><skeleton name="s"><body name="a"><inertia><mass>1</mass>'
    "<moment_of_inertia><ixx>1</ixx><iyy>2</iyy><izz>9</izz><ixy>0.1</ixy><ixz>0.2</ixz><iyz>0.3</iyz>"
    '</moment_of_inertia></inertia></body><joint name="j" type="free"><parent>world</parent><child>a</child>'
    "</joint></skeleton></world></skel>",
}


def of_code(code: str, text: str) -> set[str]:
    """The fingerprints of the findings with a code."""
    found = [each for each in pb.check("a.xml", text=text, model=True) if each.code == code]
    assert found, text
    return set(Identities(lambda path: text.encode(), Relative(".")).fingerprints(found))


@pytest.mark.parametrize("form", INERTIA)
def test_an_impossible_inertia_is_identified_by_all_six_numbers(form: str) -> None:
    text = INERTIA[form]
    known = of_code("PB047", text)
    assert of_code("PB047", "<!-- a -->\n" + text.replace("><", ">\n <")) == known
    for one, other in ((".1", ".11"), (".2", ".21"), (".3", ".31"), ("2", "2.1"), ("9", "9000")):
        changed = re.sub(rf"""(?<=[ >"0]){re.escape(one)}(?=[ <"])""", other, text)
        assert changed != text
        assert not of_code("PB047", changed) & known, changed


def test_overlaps_are_identified_by_their_depths() -> None:
    ball = '<freejoint/><geom size=".1"/></body>'
    one, other = '<body name="{1}">', '<body name="b" pos="{0} 0 0">'
    text = f"<mujoco><worldbody>{one}{ball}{other}{ball}</worldbody></mujoco>"
    known = of_code("PB118", text.format("0.15", "a"))
    assert of_code("PB118", "\n" + text.format("0.1500000001", "a")) == known
    assert not of_code("PB118", text.format("0.01", "a")) & known
    unnamed = of_code("PB118", text.format("0.15", ""))
    ahead = f'<worldbody><body pos="9 9 9">{ball}'
    assert of_code("PB118", text.format("0.15", "").replace("<worldbody>", ahead)) == unnamed
    # A depth of 12.25 mm, give or take an error of rounding, has one identity.
    assert len({e for d in (0.18775, 0.18775 + 1e-15, 0.18775 - 1e-15) for e in of_code(
        "PB118", text.format(repr(d), "a"))}) == 1  # fmt: skip


def test_texts_of_elements_and_ends_of_long_values_count() -> None:
    inertial = "<inertial><mass>{}</mass></inertial>"
    mass = f'<sdf version="1.9"><model name="m"><link name="a">{inertial}</link></model></sdf>'
    assert not of_code("PB019", mass.format("-1")) & of_code("PB019", mass.format("-2"))
    long = "<mujoco><custom><numeric name='a' data='{} x{}'/></custom></mujoco>"
    zeros = "0 " * 100
    assert not of_code("PB016", long.format(zeros, 1)) & of_code("PB016", long.format(zeros, 2))


def test_bounds_are_identified_by_both() -> None:
    text = '<mujoco><worldbody><body><joint range="{}"/><geom size=".1"/></body></worldbody></mujoco>'
    assert not of_code("PB044", text.format("2 1")) & of_code("PB044", text.format("2 -9"))
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>'
        '<child link="b"/><limit lower="2" upper="{}" effort="1" velocity="1"/></joint></robot>'
    )
    assert not of_code("PB044", text.format(1)) & of_code("PB044", text.format(-9))


def test_findings_that_agree_are_numbered() -> None:
    unnamed = '<link name="base">' + 3 * "<visual><geometry><box/></geometry></visual>\n" + "</link>"
    three, two = prints(robot(unnamed)), prints(robot(unnamed.replace("<box/>", '<box size="1 1 1"/>', 1)))
    assert len(set(three)) == 3
    assert set(two) == set(three[:2])


def test_a_text_that_is_not_well_formed_has_identities() -> None:
    cut = robot(ARM)[:-20]
    (moved,) = set(prints("<!-- a -->\n" + cut)) - set(prints(robot(ARM)))
    assert moved in prints(cut)
    assert len(prints("<robot")) == 1
    assert len(prints("")) == 1


def test_places_in_messages_do_not_count() -> None:
    message = "no </a:1> for the `b:2` of line 12; the first is at parts/arm.xml:3:4"
    assert without_lines(message) == "no </a:1> for the `b:2` of ...; the first is at ..."
    double = robot(LINK.format("a", 1) + LINK.format("a", 1))
    assert prints(double) == prints(double.replace("\n", "\n\n"))


def test_a_finding_of_an_included_file_is_one(folder: Path) -> None:
    """Also if several documents include the file."""
    (folder / "part.xml").write_text("<mujoco><worldbody><gem/></worldbody></mujoco>", encoding="utf-8")
    for name in ("one", "two"):
        text = '<mujoco><include file="part.xml"/></mujoco>'
        (folder / f"{name}.xml").write_text(text, encoding="utf-8")
    run("one.xml", "--write-baseline", "known.json", code=0)
    (row,) = json.loads((folder / "known.json").read_text(encoding="utf-8"))["findings"]
    assert (row["path"], row["document"], "count" in row) == ("part.xml", "one.xml", False)
    assert "no longer occurs" not in run("one.xml", "two.xml", "--baseline", "known.json", code=0)
    (folder / "part.xml").write_text("<mujoco><worldbody/></mujoco>", encoding="utf-8")
    assert "no longer occurs" in run("one.xml", "two.xml", "--baseline", "known.json", code=0)
    assert "no longer occurs" not in run("two.xml", "--baseline", "known.json", code=0)


# --- baselines -------------------------------------------------------------------------------------------


def test_only_new_findings_are_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "robots" / "arm.urdf"
    known = len(rows())
    said = run("robots", "--write-baseline", "robots/known.json", code=0)
    assert said == f"wrote robots/known.json: {known} findings\n"
    assert rows("--baseline", "robots/known.json") == []
    shown = run("robots", "--baseline", "robots/known.json", code=0)
    assert shown == f"1 file checked: no findings; {known} more in the baseline\n"
    path.write_text(robot(LINK.format("new", "-3") + CHAIN.format("new") + ARM), encoding="utf-8")
    assert rows("--baseline", "robots/known.json") == [("PB019", 3)]
    run("robots", "--baseline", "robots/known.json", code=1)
    monkeypatch.chdir(folder / "robots")  # paths are relative to the baseline
    assert "1 error" in run("arm.urdf", "--baseline", "known.json", code=1)


def test_of_several_alike_the_last_is_new(folder: Path) -> None:
    path = folder / "robots" / "arm.urdf"
    shape = "<visual><geometry><box/></geometry></visual>\n"
    path.write_text(robot(f'<link name="base">\n{2 * shape}</link>'), encoding="utf-8")
    run("robots", "--write-baseline", "known.json", code=0)
    path.write_text(robot(f'<link name="base">\n{3 * shape}</link>'), encoding="utf-8")
    assert rows("--baseline", "known.json") == [("PB021", 5)]
    every = json.loads(run("robots", "--output-format", "json", code=1))
    (new,) = json.loads(run("robots", "--output-format", "json", "--baseline", "known.json", code=1))
    assert new in every


def test_findings_that_no_longer_occur_are_named(folder: Path) -> None:
    (folder / "other.urdf").write_text(robot(ARM), encoding="utf-8")
    run("robots", "other.urdf", "--write-baseline", "known.json", code=0)
    path = folder / "robots" / "arm.urdf"
    path.write_text(robot(ARM.replace("<orgin/>", "")), encoding="utf-8")
    said = run("robots", "--baseline", "known.json", code=0)
    assert "known.json lists 1 finding that no longer occurs; write it anew with --write-baseline:" in said
    assert "\n  robots/arm.urdf: PB011 at robot[r]/joint[j]/orgin\n" in said
    assert "other.urdf" not in said
    assert "no longer" not in run("other.urdf", "--baseline", "known.json", code=0)


def test_only_selected_findings_are_written(folder: Path) -> None:
    run("robots", "--write-baseline", "known.json", "--ignore", "PB011", code=0)
    written = json.loads((folder / "known.json").read_text(encoding="utf-8"))
    assert {row["code"] for row in written["findings"]} >= {"PB019"}
    assert [code for code, _ in rows("--baseline", "known.json")] == ["PB011"]
    again = (folder / "known.json").read_text(encoding="utf-8")
    run("robots", "--write-baseline", "known.json", "--ignore", "PB011", code=0)
    assert (folder / "known.json").read_text(encoding="utf-8") == again


def test_a_baseline_of_the_settings(folder: Path) -> None:
    run("robots", "--write-baseline", "ci.json", code=0)
    (folder / "polybody.toml").write_text('baseline = "ci.json"', encoding="utf-8")
    assert rows() == []
    (folder / "polybody.toml").write_text('baseline = "none.json"', encoding="utf-8")
    assert "none.json: cannot be read" in run("robots", code=2)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not a baseline: Expecting value"),
        ("[" * 100_000, "not a baseline"),
        ("[]", "it has no key 'polybody-baseline'"),
        ('{"findings": []}', "it has no key 'polybody-baseline'"),
        ('{"polybody-baseline": 3, "findings": []}', "version 3; this program reads version 2"),
        ('{"polybody-baseline": true, "findings": []}', "version True; this program reads version 2"),
        ('{"polybody-baseline": "2"}', "version '2'; this program reads version 2"),
        ('{"polybody-baseline": 2}', "'findings' must be a list"),
        ('{"polybody-baseline": 2, "findings": [1]}', "finding 1: expected an object with the keys code,"),
        (
            '{"polybody-baseline": 2, "findings": [{"code": "PB011", "path": "a"}]}',
            "finding 1: expected an object with the keys code,",
        ),
        (
            '{"polybody-baseline": 2, "findings": [{"code": 1, "path": "a", "element": "b"}]}',
            "finding 1: 'code' is invalid: 1",
        ),
        (
            '{"polybody-baseline": 2, "findings": '
            '[{"code": "PB011", "path": "a", "element": "b", "values": [1]}]}',
            "finding 1: 'values' is invalid: [1]",
        ),
        (
            '{"polybody-baseline": 2, "findings": '
            '[{"code": "PB011", "path": "a", "element": "b", "count": 0}]}',
            "finding 1: 'count' is invalid: 0",
        ),
    ],
)
def test_what_is_no_baseline_is_refused(folder: Path, content: str, said: str) -> None:
    (folder / "known.json").write_text(content, encoding="utf-8")
    shown = run("robots", "--baseline", "known.json", code=2)
    assert shown.startswith("polybody: --baseline known.json: ")
    assert said in shown
    assert shown.endswith("write it anew with --write-baseline\n")


def test_baselines_that_cannot_be_read_or_written(folder: Path) -> None:
    assert "--baseline none.json: cannot be read: No such file" in run(
        "robots", "--baseline", "none.json", code=2
    )
    assert "--baseline robots: cannot be read: not a file" in run("robots", "--baseline", "robots", code=2)
    said = run("robots", "--baseline", "a", "--write-baseline", "b", code=2)
    assert said == "polybody: give either --baseline or --write-baseline\n"
    result = CliRunner().invoke(app, ["check", "robots", "--write-baseline", "none/known.json"])
    assert isinstance(result.exception, FileNotFoundError)


# --- reports ---------------------------------------------------------------------------------------------


def test_json_and_sarif_have_the_fingerprints(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The paths in them are relative to the settings, so that the working directory does not matter."""
    (folder / "polybody.toml").write_text("", encoding="utf-8")
    listed = json.loads(run("robots", "--output-format", "json", code=1))
    log = json.loads(run("robots", "--output-format", "sarif", code=1))
    monkeypatch.chdir(folder / "robots")
    inside = json.loads(run("arm.urdf", "--output-format", "json", code=1))
    fingerprints = [row["fingerprint"] for row in listed]
    assert len(set(fingerprints)) == len(fingerprints) > 2
    assert all(len(each) == 32 and int(each, 16) >= 0 for each in fingerprints)
    results = log["runs"][0]["results"]
    assert [each["partialFingerprints"] for each in results] == [
        {"polybodyFinding/v2": each} for each in fingerprints
    ]
    assert [row["fingerprint"] for row in inside] == fingerprints
