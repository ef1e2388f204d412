"""Policies: which findings are errors under each, format by format, and the single warning of a call."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from polybody.base import Source
from polybody.diagnostics import Policy
from polybody.diagnostics.catalogue import CATALOGUE, HOMES, RANKS, severity
from polybody.diagnostics.catalogue.documents import mjcf
from polybody.diagnostics.catalogue.engines import Verdict
from polybody.document.registry import BUILT_IN

POLICIES: tuple[Policy, ...] = ("strict", "warn", "lenient")


def urdf(link: str = "", joint: str = "", more: str = "", kind: str = "continuous") -> str:
    return (
        f'<robot name="r">\n<link name="a"/>\n<link name="b">{link}</link>\n<joint name="j" type="{kind}">'
        f'<parent link="a"/><child link="b"/>{joint}</joint>\n{more}</robot>\n'
    )


def sdf(link: str = "", more: str = "") -> str:
    return f'<sdf version="1.9">\n<model name="m">\n<link name="a">{link}</link>\n{more}</model>\n</sdf>\n'


def fixed(name: str) -> str:
    return f'<joint name="{name}" type="fixed"><parent>a</parent><child>b</child></joint>'


def skel(body: str = "", joint: str = "") -> str:
    return (
        '<skel version="1.0">\n<world name="w">\n<physics><time_step>0.001</time_step>'
        f'<gravity>0 -9.81 0</gravity></physics>\n<skeleton name="s">\n<body name="a">{body}</body>\n'
        f'<joint type="free" name="j"><parent>world</parent><child>a</child>{joint}</joint>\n'
        "</skeleton>\n</world>\n</skel>\n"
    )


def x_xy(body: str = "", options: str = "") -> str:
    return (
        f'<x_xy>\n<options gravity="0 0 9.81" dt="0.01">{options}</options>\n<worldbody>\n'
        f'<body name="a" joint="rx">{body}</body>\n</worldbody>\n</x_xy>\n'
    )


BOX = '<geom type="box" mass="1" dim="1 1 1"/>'
LET_PASS = {
    "urdf, an element unknown": ("PB011", urdf("<blorp/>")),
    "urdf, an attribute unknown": ("PB012", urdf('<inertial><origin xzy="0 0 0"/></inertial>')),
    "urdf, no shape": ("PB015", urdf("<collision/>")),
    "urdf, a shape's number": ("PB016", urdf('<visual><geometry><sphere radius="big"/></geometry></visual>')),
    "urdf, an element twice": ("PB014", urdf(joint='<axis xyz="1 0 0"/><axis xyz="0 1 0"/>')),
    "urdf, two roots": ("PB035", urdf(more='<link name="c"/>')),
    "urdf, no limit": ("PB028", urdf(kind="revolute")),
    "urdf, an inertia": (
        "PB047",
        urdf('<inertial><mass value="1"/><inertia ixx="9" iyy="1" izz="1"/></inertial>'),
    ),
    "urdf, a mass": ("PB019", urdf('<inertial><mass value="-1"/></inertial>')),
    "sdf, an element twice": ("PB014", sdf("<pose>0 0 0 0 0 0</pose><pose>1 0 0 0 0 0</pose>")),
    "sdf, a mass": ("PB019", sdf("<inertial><mass>-1</mass></inertial>")),
    "skel, an element unknown": ("PB011", skel("<blorp/>")),
    "skel, an attribute unknown": ("PB012", skel('<inertia foo="1"><mass>1</mass></inertia>')),
    "skel, a mass": ("PB019", skel("<inertia><mass>-1</mass></inertia>")),
    "mjcf, an empty name": ("PB026", mjcf('<geom name="" size="1"/>')),
    "mjcf, a body beside the world": (
        "PB011",
        mjcf('<geom size="1"/>').replace("</mujoco>", '<body name="b"/></mujoco>'),
    ),
    "mjcf, no value": ("PB086", mjcf('<geom rgba="" size="1"/>')),
    "x_xy, below a geom": ("PB011", x_xy(BOX.replace("/>", "><omc/></geom>"))),
    "x_xy, a mass": ("PB019", x_xy(BOX.replace('"1"', '"-1"', 1))),
    "openrave, a camera twice": (
        "PB014",
        "<environment>" + "<camtrans>0 0 1</camtrans><camrotaxis>0 0 1 9</camrotaxis>" * 2 + "</environment>",
    ),
    "openrave, an element unknown": ("PB011", '<kinbody name="k"><body name="a"><blorp/></body></kinbody>'),
}
"""Input that formats' engines accept: an error under `strict`, a warning otherwise."""
REFUSED = {
    "urdf, no parent": ("PB015", urdf().replace("parent", "paernt")),
    "urdf, a number": ("PB016", urdf('<inertial><mass value="one"/></inertial>')),
    "urdf, bounds": ("PB044", urdf(joint='<limit lower="1" upper="0"/>', kind="revolute")),
    "urdf, no such link": ("PB032", urdf().replace('<child link="b"', '<child link="c"')),
    "urdf, a link that nobody knows": ("PB032", urdf().replace('<link name="b"></link>', '<Link name="b"/>')),
    "sdf, an element unknown": ("PB011", sdf("<blorp/>")),
    "sdf, a loop": ("PB083", sdf(more='<link name="b"/>' + fixed("j") + fixed("k"))),
    "mjcf, an attribute unknown": ("PB012", mjcf('<geom size="1" blorp="1"/>')),
    "mjcf, a size": ("PB019", mjcf('<geom size="-1"/>')),
    "skel, a shape without size": (
        "PB028",
        skel("<collision_shape><geometry><box/></geometry></collision_shape>"),
    ),
    "skel, no world": ("PB075", '<skel version="1.0"><skeleton name="s"><body name="a"/></skeleton></skel>'),
    "openrave, a joint of three bodies": (
        "PB014",
        '<kinbody><body name="a"/><body name="b"/><joint name="j" type="hinge"><body>a</body><body>b</body>'
        "<body>a</body></joint></kinbody>",
    ),
    "x_xy, an element unknown": ("PB011", x_xy("<blorp/>")),
    "x_xy, a size": ("PB019", x_xy('<geom type="box" mass="1" dim="-1 1 1"/>')),
}
"""Input that formats' engines reject or crash on: errors under `warn` as well."""


def found(text: str, code: str, policy: Policy) -> set[str]:
    return {each.severity for each in pb.check("m.xml", policy, text=text) if each.code == code}


@pytest.mark.parametrize(("code", "text"), LET_PASS.values(), ids=LET_PASS)
def test_what_the_engine_takes_is_a_warning(code: str, text: str) -> None:
    assert found(text, code, "strict") == {"error"}
    assert found(text, code, "warn") == {"warning"}
    assert [str(each) for each in pb.check("m.xml", "warn", text=text) if each.severity == "error"] == []
    with pytest.raises(pb.ValidationError):
        pb.read("m.xml", policy="strict", text=text)
    with pytest.warns(pb.ModelWarning):
        pb.read("m.xml", text=text)


@pytest.mark.parametrize(("code", "text"), REFUSED.values(), ids=REFUSED)
def test_what_the_engine_refuses_is_an_error(code: str, text: str) -> None:
    assert found(text, code, "warn") == {"error"}
    with pytest.raises(pb.ValidationError, match=code):
        pb.read("m.xml", text=text)


def test_an_ignored_element_does_not_count_as_the_required_one() -> None:
    text = urdf().replace("parent", "paernt")
    strict, warn = (
        [(each.code, each.severity) for each in pb.check("m.urdf", policy, text=text)]
        for policy in POLICIES[:2]
    )
    assert strict == [("PB011", "error")]
    assert warn == [("PB015", "error"), ("PB011", "warning")]


# --- the table ---------------------------------------------------------------------------------------------

VERDICTS = [(form, row) for form, home in HOMES.items() for row in home.verdicts]


def test_every_format_of_ours_has_an_engine() -> None:
    assert set(HOMES) == set(BUILT_IN)


@pytest.mark.parametrize(
    ("form", "row"), VERDICTS, ids=[f"{form}-{row.codes}-{row.at}" for form, row in VERDICTS]
)
def test_no_policy_is_stricter_than_the_one_before(form: str, row: Verdict) -> None:
    for code in row.codes or CATALOGUE:
        where = "/" + row.at[0].rstrip("/").replace("*", "x") if row.at else "/x"
        ranks = [RANKS.index(severity(code, policy, form, where)) for policy in POLICIES]
        assert ranks == sorted(ranks, reverse=True), (code, ranks)


def test_a_row_says_something_that_no_row_before_it_and_no_code_says() -> None:
    for form, home in HOMES.items():
        for place, row in enumerate(home.verdicts):
            where = "/" + row.at[0].rstrip("/").replace("*", "x") if row.at else "/x"
            for code in row.codes:
                assert not any(other.takes(code, where) for other in home.verdicts[:place]), (form, row)
                later = [other for other in home.verdicts[place + 1 :] if other.takes(code, where)]
                otherwise = later[0].severity if later else CATALOGUE[code].severities.warn
                assert row.severity != otherwise, (form, code, row)


@pytest.mark.parametrize(
    ("at", "xpath", "takes"),
    [
        ("visual/", "/robot/link[2]/visual[1]/geometry", True),
        ("visual/", "/robot/link[2]/visual[1]", True),
        ("visual/", "/robot/link[2]/drake:visual", False),
        ("limit/@lower", "/robot/joint[1]/limit/@lower", True),
        ("limit/@lower", "/robot/joint[1]/limit/@lower/x", False),
        ("geom/*", "/x_xy/worldbody/body[1]/geom[1]/body", True),
        ("geom/*", "/x_xy/worldbody/body[1]/geom[1]", False),
        ("@mass", "/x_xy/worldbody/body[1]/geom[1]/@mass", True),
    ],
)
def test_places_of_a_row(at: str, xpath: str, takes: bool) -> None:
    assert Verdict("warning", ("PB011",), (at,), "").takes("PB011", xpath) == takes


# --- the single warning of a call --------------------------------------------------------------------------


def test_a_call_gives_one_warning_with_the_number_of_findings(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(x_xy(BOX.replace("/>", "><omc/></geom>") + BOX, "<geom/>"))
    for call in (pb.read, pb.load):
        with pytest.warns(
            pb.ModelWarning, match=r"m\.xml: 2 warnings; `polybody check .*m\.xml` lists"
        ) as told:
            call(path)
        assert len(told) == 1
        assert told[0].filename == __file__
    with pytest.warns(pb.ModelWarning) as told:
        document = pb.read(path)
    document.worldbody.body[0].quat = (2.0, 0.0, 0.0, 0.0)  # the unread value is gone
    with pytest.warns(pb.ModelWarning, match=r"m\.xml: 1 warning;") as told:
        pb.lower(document)
    assert (len(told), told[0].filename) == (1, __file__)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pb.check(path)
        pb.validate(document)
        pb.read("m.xml", text=x_xy(BOX))


# --- false positives and negatives found with real files ---------------------------------------------------

ROS_CONTROL = urdf(
    more="""<transmission name="t"><type>transmission_interface/DifferentialTransmission</type>
<actuator name="m1"><role>actuator1</role><mechanicalReduction>-1.0</mechanicalReduction></actuator>
<actuator name="m2"><role>actuator2</role><mechanicalReduction>1.0</mechanicalReduction></actuator>
<joint name="j"><role>joint1</role><offset>0.0</offset><mechanicalReduction>1.0</mechanicalReduction>
<hardwareInterface>a</hardwareInterface><hardwareInterface>b</hardwareInterface></joint>
</transmission>"""
)
SOUND = {
    "a transmission of ros_control": ROS_CONTROL,
    "what rounding leaves of an inertia": urdf(
        '<inertial><mass value="1"/>'
        '<inertia ixx="0" ixy="0" ixz="2.4e-35" iyy="0" iyz="0" izz="0"/></inertial>'
    ),
    "a plane without end": mjcf('<geom type="plane" size="0 0 .1"/>'),
    "a site of the usual size": mjcf('<site/><site type="capsule" size=".1"/>'),
}
MISSED = {
    "a plane without size": ("PB024", mjcf('<geom type="plane"/>')),
    "a plane without a grid": ("PB024", mjcf('<geom type="plane" size="1 1"/>')),
    "a site of size 0": ("PB024", mjcf('<site size="0"/>')),
    "a site that is flat": ("PB024", mjcf('<site type="box" size="1 1 0"/>')),
    "global coordinates": ("PB018", '<mujoco><compiler coordinate="global"/><worldbody/></mujoco>'),
    "a fixed joint that follows": (
        "PB048",
        urdf(
            more='<link name="c"/><joint name="k" type="fixed"><parent link="b"/><child link="c"/>'
            '<mimic joint="j"/></joint>'
        ),
    ),
}


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_sound_documents_have_no_errors(text: str) -> None:
    assert [str(each) for each in pb.check("m.xml", text=text) if each.severity != "info"] == []


@pytest.mark.parametrize(("code", "text"), MISSED.values(), ids=MISSED)
def test_what_engines_refuse_is_found(code: str, text: str) -> None:
    for policy in POLICIES[:2]:
        errors = [each.code for each in pb.check("m.xml", policy, text=text) if each.severity == "error"]
        assert errors == [code]


def test_a_number_with_a_suffix_of_c_is_read() -> None:
    map_ = '<metal><light_map uv_set="1u">a.png</light_map></metal>'
    text = sdf(
        f'<visual name="v"><geometry><empty/></geometry><material><pbr>{map_}</pbr></material></visual>'
    )
    assert [(each.code, each.severity) for each in pb.check("m.sdf", text=text)] == [("PB074", "warning")]
    with pytest.warns(pb.ModelWarning):
        document = pb.read("m.sdf", text=text)
    assert document.model.link[0].visual[0].material.pbr.metal.light_map.uv_set == 1


@pytest.mark.parametrize("word", ["True", "FALSE"])
def test_true_and_false_are_read_in_any_case_where_engines_do(word: str) -> None:
    value = word == "True"
    text = sdf().replace('<link name="a">', f'<static>{word}</static><link name="a">')
    assert [(each.code, each.severity) for each in pb.check("m.sdf", text=text)] == [("PB074", "warning")]
    with pytest.warns(pb.ModelWarning):
        assert pb.read("m.sdf", text=text).model.static is value
    text = skel(f"<self_collide>{word}</self_collide>")
    with pytest.warns(pb.ModelWarning):
        assert pb.read("m.skel", text=text).world.skeleton[0].body[0].self_collide is value
    text = f'<mujoco><compiler autolimits="{word}"/></mujoco>'
    assert found(text, "PB016", "warn") == {"error"}  # MuJoCo takes only lower case


def test_bodies_of_a_file_that_others_include_are_perhaps_theirs() -> None:
    text = '<kinbody name="k"><body name="arm"><offsetfrom>base</offsetfrom></body></kinbody>'
    for policy, expected in (("strict", "error"), ("warn", "warning"), ("lenient", "warning")):
        (found,) = pb.check("k.xml", policy, text=text)  # type: ignore[arg-type]
        assert (found.code, found.severity) == ("PB089", expected)
    misspelt = text.replace("<body", '<body name="bass"/><body', 1)
    assert [each.code for each in pb.check("k.xml", text=misspelt)] == ["PB032"]
    alone = text.replace("kinbody", "robot")
    assert "PB089" not in [each.code for each in pb.check("k.xml", text=alone)]


def test_one_finding_names_both_places_of_a_name() -> None:
    text = x_xy("").replace("</worldbody>", '<body name="a" joint="ry"/>\n</worldbody>')
    (found,) = [each for each in pb.check("m.xml", text=text) if each.code == "PB031"]
    assert (found.line, found.related) == (5, ("m.xml:4:7",))


@pytest.mark.parametrize(
    ("text", "about"),
    [
        (urdf('<inertial><mass value="one"/></inertial>'), "link `b`"),
        (urdf(joint='<limit effort="x"/>'), "joint `j`"),
        (urdf("<blorp/>"), "link `b`"),
        (urdf(more='<material name="m" colour="red"/>'), "material `m`"),
        (skel("<inertia><mass>one</mass></inertia>"), "body `a`"),
        (sdf("<inertial><mass>one</mass></inertial>"), "link `a`"),
        (mjcf('<body name="arm"><geom size="x"/><geom name="g"/></body>'), "body `arm`"),
        (mjcf('<body name="arm"><geom size="1"/><geom name="g" size="x"/></body>'), "geom `g`"),
    ],
)
def test_a_finding_names_what_it_is_about(text: str, about: str) -> None:
    errors = [each for each in pb.check("m.xml", text=text) if each.severity == "error"]
    assert errors[0].about == about
    assert all(each.xpath for each in errors)


# --- files beside a document -------------------------------------------------------------------------------


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """A robot whose mesh is outside its folder, without a package.xml."""
    (tmp_path / "meshes").mkdir()
    (tmp_path / "urdf").mkdir()
    (tmp_path / "meshes" / "arm.stl").write_bytes(b"solid\n")
    shape = '<visual><geometry><mesh filename="../meshes/arm.stl"/></geometry></visual>'
    (tmp_path / "urdf" / "arm.urdf").write_text(urdf(shape))
    return tmp_path


def test_a_root_widens_what_may_be_opened(beside: Path) -> None:
    path = beside / "urdf" / "arm.urdf"
    assert pb.check(path) == []
    (beside / "urdf" / "pyproject.toml").touch()  # the folder is a project
    (found,) = pb.check(path)
    assert (found.code, found.severity) == ("PB010", "error")
    assert found.suggestion is not None
    assert "--root DIR" in found.suggestion
    assert [each.severity for each in pb.check(path, "warn")] == ["warning"]  # a mesh file is not opened
    assert pb.check(path, roots=[beside]) == []
    (beside / "package.xml").write_text("<package><name>arm</name></package>")
    assert pb.check(path) == []
    with pytest.raises(ValueError, match="does not exist"):
        pb.check(path, roots=[beside / "none"])


def test_a_package_path_may_be_the_package_itself(beside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = beside / "urdf" / "arm.urdf"
    path.write_text(path.read_text().replace("../meshes/", "package://arm_description/meshes/"))
    assert [each.code for each in pb.check(path)] == ["PB037"]
    (beside / "package").mkdir()
    (beside / "package" / "package.xml").write_text("<package><name>arm_description</name></package>")
    (beside / "meshes").rename(beside / "package" / "meshes")
    assert pb.check(path, package_path=[beside / "package"]) == []
    monkeypatch.chdir(beside / "package")
    assert pb.check(path, package_path=["."]) == []


def test_the_name_of_a_package_may_not_be_empty(beside: Path) -> None:
    path = beside / "urdf" / "arm.urdf"
    path.write_text(path.read_text().replace("../meshes/", "package:///meshes/"))
    (found,) = pb.check(path)
    assert "the name of the package is empty" in found.message


def test_mjcf_takes_packages(beside: Path) -> None:
    path = beside / "urdf" / "arm.xml"
    (beside / "meshes" / "part.xml").write_text('<mujoco><worldbody><geom size="1"/></worldbody></mujoco>')
    text = """<mujoco><compiler meshdir="elsewhere"/><include file="package://arm/part.xml"/>
<asset><mesh name="m" file="package://arm/arm.obj"/></asset></mujoco>"""
    (beside / "meshes" / "arm.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    path.write_text(text)
    assert [each.code for each in pb.check(path)] == ["PB001", "PB036"]
    assert pb.check(path, packages={"arm": beside / "meshes"}) == []
    path.write_text(text.replace("//arm", "//"))
    assert all("the name of the package is empty" in each.message for each in pb.check(path))
    path.write_text(text.replace("elsewhere", "package://arm").replace("package://arm/arm.obj", "arm.obj"))
    assert pb.check(path, packages={"arm": beside / "meshes"}) == []
    assert pb.load(path, packages={"arm": beside / "meshes"}).nmesh == 1
    path.write_text(text)
    assert pb.load(path, packages={"arm": beside / "meshes"}).ngeom == 1  # that of the included file
    (beside / "meshes" / "arm.obj").unlink()
    (found,) = pb.check(path, packages={"arm": beside / "meshes"})
    assert "package://arm/arm.obj" in found.message


def test_mjcf_takes_the_same_places(beside: Path) -> None:
    path = beside / "urdf" / "arm.xml"
    asset = '<asset><mesh name="m" file="../meshes/arm.stl"/></asset>'
    path.write_text(f'<mujoco>{asset}<worldbody><geom size="1"/></worldbody></mujoco>')
    assert [each.code for each in pb.check(path, confined=True)] == ["PB010"]
    assert [each.code for each in pb.check(path)] == ["PB084"]  # it was opened
    assert [each.code for each in pb.check(path, roots=[beside], confined=True)] == ["PB084"]
    (beside / "part.xml").write_text('<mujoco><worldbody><geom size="1"/></worldbody></mujoco>')
    path.write_text('<mujoco><include file="../part.xml"/></mujoco>')
    assert [each.code for each in pb.check(path, confined=True)] == ["PB010"]
    assert pb.check(path) == pb.check(path, roots=[beside], confined=True) == []


# --- the page ----------------------------------------------------------------------------------------------


def test_the_page_has_the_table() -> None:
    from tools.policies import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page(), "python tools/policies.py"


PAGE = Path(__file__).resolve().parents[2] / "docs" / "policies.md"
JOINT = '<body name="a"/><body name="b"/><joint name="j" type="hinge"><body>a</body><body>b</body>%s</joint>'
AROUND = {
    "body": "<kinbody><body>%s</body></kinbody>",
    "kinbody": f"<robot><kinbody>{JOINT % ''}%s</kinbody></robot>",
    "joint": f"<kinbody>{JOINT}</kinbody>",
    "robot": f"<robot><kinbody>{JOINT % ''}</kinbody>%s</robot>",
    "environment": "<environment>%s</environment>",
}


def rules_of_openrave() -> list[list[str]]:
    """The rows of the page: rule, position, example, code, severity under `strict` and `warn`, what OpenRAVE
    does.
    """
    section = (
        PAGE.read_text(encoding="utf-8").partition("### OpenRAVE XML, rule by rule")[2].partition("\n#")[0]
    )
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    return [
        [cell.strip(" `").replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows
    ]


def test_every_rule_of_openrave_is_judged_as_the_page_says() -> None:
    rows = rules_of_openrave()
    assert len(rows) > 50
    for rule, place, example, code, strict, warn, _ in rows:
        text = AROUND[place] % example
        assert pb.check("k.xml", text=AROUND[place] % "") == [], place
        for policy, degree in zip(POLICIES, (strict, warn), strict=False):
            found = {(each.code, str(each.severity)) for each in pb.check("k.xml", policy, text=text)}
            assert found - {("PB040", "warning")} == {(code, degree)}, (rule, policy)


@pytest.mark.parametrize(
    "again",
    ['<link name="l%d" zz="1"/>', '<link name="l%d"><zz/></link>'],
)
def test_warnings_that_nobody_sees_are_not_worked_out(again: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    between = Source.between

    def counting(self: Source, start: int, end: int) -> Any:
        nonlocal asked
        asked += 1
        return between(self, start, end)

    monkeypatch.setattr(Source, "between", counting)
    text = '<robot name="r">' + "".join(again % place for place in range(5000)) + "</robot>"
    findings = pb.check("r.urdf", "lenient", text=text)
    assert [each.code for each in findings].count("PB009") == 1
    assert asked < 1500
