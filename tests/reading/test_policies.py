"""Policies: what is an error under each, format by format, and the one warning of a call."""

from __future__ import annotations

import warnings
from pathlib import Path

import polybody as pb
import pytest
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
    "mjcf, no value": ("PB086", mjcf('<geom rgba="" size="1"/>')),
    "x_xy, below a geom": ("PB011", x_xy(BOX.replace("/>", "><omc/></geom>"))),
    "x_xy, a mass": ("PB019", x_xy(BOX.replace('"1"', '"-1"', 1))),
    "openrave, an element unknown": ("PB011", '<kinbody name="k"><body name="a"><blorp/></body></kinbody>'),
}
"""What home engines take: an error under `strict`, and a warning beyond it."""
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
    "x_xy, an element unknown": ("PB011", x_xy("<blorp/>")),
    "x_xy, a size": ("PB019", x_xy('<geom type="box" mass="1" dim="-1 1 1"/>')),
}
"""What home engines refuse, or end of: errors under `warn`, too."""


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


def test_an_element_that_counts_for_nothing_leaves_what_it_was_meant_for_missing() -> None:
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


# --- the one warning of a call -----------------------------------------------------------------------------


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
    document.worldbody.body[0].quat = (2.0, 0.0, 0.0, 0.0)  # what was not read is not there any more
    with pytest.warns(pb.ModelWarning, match=r"m\.xml: 1 warning;") as told:
        pb.lower(document)
    assert (len(told), told[0].filename) == (1, __file__)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pb.check(path)
        pb.validate(document)
        pb.read("m.xml", text=x_xy(BOX))
