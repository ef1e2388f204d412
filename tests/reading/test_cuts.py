"""One fault in a valid file is an error at its line: faults made by people and programs, truncation, a
changed byte.
"""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import polybody as pb
import pytest
from polybody.generated.formats import mjcf

TEXT = (Path(__file__).parents[2] / "examples" / "inv_pendulum.xml").read_text(encoding="utf-8")

# Replacements of the mass of the cart, `1`.
NUMBERS = [
    "1kg", "1 kg", "1..0", "1.0.0", "0x1A", "１", "٣", "−1", "1\u00a0", "1,0", "1;", "[1]", "1_0", "1e",
    "1e1e1", "lO", "+-1", "- 1", "1e999", "nan", "-inf", "Infinity", "1/2", "2*1", "&quot;1&quot;",
    "&#0;1", "&pi;", "1&", "1<", "", " ", "None", "${mass}", "{{mass}}", "1 0", "-1", "9" * 400,
    "\ufeff1", "\ufffe1", "\x01", "<!-- 1 -->",
]  # fmt: skip

# Old text, new text: how people and programs corrupt files.
EDITS = [
    ('mass="1"', "mass=“1”"),
    ('mass="1"', "mass=1"),
    ('mass="1"', "mass='1\""),
    ('mass="1"', 'mass "1"'),
    ('mass="1"', 'mass:"1"'),
    ('mass="1"', 'mass="1'),
    ('mass="1"', 'mass="1",'),
    ('mass="1"', 'mass="1"<!-- -->'),
    ('mass="1" ', 'mass="1"'),
    ('mass="1"', 'Mass="1"'),
    ('mass="1"', 'm\u0430ss="1"'),
    ('mass="1"', ""),
    ('mass="1"', 'mass="1" mass="1"'),
    ('mass="1"', 'x:mass="1"'),
    ('mass="1"', 'mass="0.4 0.1 0.1"'),
    ('dim="0.4 0.1 0.1"/>', 'dim="0.4 0.1 0.1">'),
    ('dim="0.4 0.1 0.1"/>', 'dim="0.4 0.1 0.1"/'),
    ('dim="0.4 0.1 0.1"', 'dim="0.4,0.1,0.1"'),
    ('dim="0.4 0.1 0.1"', 'dim="0.40.1 0.1"'),
    ('dim="0.4 0.1 0.1"', 'size="0.4 0.1 0.1"'),
    ('dim="0.4 0.1 0.1"', 'dim="0.4 0 0.1"'),
    ('type="box" mass="1"', 'type="Box" mass="1"'),
    ('type="box" mass="1"', 'type="box"/> mass="1"'),
    ('joint="px"', 'joint="px py"'),
    ('joint="px"', 'joint="px\u200b"'),
    ('joint="px"', 'joint="prismatic"'),
    ('joint="px"', 'joint="p3d"'),
    ('joint="px"', 'joint="frozen"'),
    ('joint="px"', 'type="px"'),
    ('name="pendulum"', 'name="cart"'),
    ('euler="0 -90 0"', 'euler="0 -90 0" quat="1 0 0 0"'),
    ('dt="0.01"', 'dt="0"'),
    ('dt="0.01"', 'timestep="0.01"'),
    ('gravity="0 0 9.81"', 'gravity="9.81"'),
    ("<worldbody>", "<worldbody>x"),
    ("<worldbody>", "<worldbody>]]>"),
    ("<worldbody>", "<worldbody><!-- -- -->"),
    ("<worldbody>", "<worldbody>\ufeff"),
    ("<worldbody>", "< worldbody>"),
    ("<worldbody>", "worldbody>"),
    ("<worldbody>", '<worldbody><?xml version="1.0"?>'),
    ("<worldbody>", "<worldbody><![CDATA[<geom/>]]>"),
    ("<worldbody>", '<worldbody><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="/etc/passwd"/>'),
    ("<worldbody>", "<worldbody>\n<<<<<<< HEAD"),
    ("<worldbody>", "<worldbody/>"),
    ("</worldbody>", ""),
    ("</worldbody>", "<!--</worldbody>-->"),
    ("</worldbody>", "</body>"),
    ("</worldbody>", '</worldbody a="b">'),
    ("</worldbody>", "</worldbody><worldbody/>"),
    ("</x_xy>", "</x_xy>x"),
    ("</x_xy>", "</x_xy><x_xy/>"),
    ("</defaults>", '<joint damping="1"/></defaults>'),
    ("</defaults>", '<body quat="1 0 0 0"/></defaults>'),
    ("</defaults>", '<body armature="1 1"/></defaults>'),
    ("<x_xy", "x<x_xy"),
    ("<x_xy", '<x_xy xmlns="urn:x"'),
]


@pytest.mark.parametrize(("old", "new"), [*(('mass="1"', f'mass="{n}"') for n in NUMBERS), *EDITS])
def test_a_fault_is_an_error_at_its_line(old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    line = TEXT.count("\n", 0, TEXT.index(old)) + 1
    lines = range(line - 1, line + new.count("\n") + 2)
    errors = [d for d in pb.check("fault.xml", text=TEXT.replace(old, new)) if d.severity == "error"]
    assert errors
    if "<body " in new:  # an invalid default is also reported at the first body that it applies to
        assert {d.line for d in errors} - set(lines)
    else:
        assert any(d.line in lines for d in errors[:3]), list(map(str, errors))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_are_no_fault(end: str) -> None:
    assert pb.check("ends.xml", text=TEXT.replace("\n", end)) == []


def test_a_file_cut_anywhere_is_one_error_where_it_ends() -> None:
    whole = TEXT.encode()
    end = len(whole.rstrip())
    for size in range(end):
        found = pb.check("cut.xml", text=whole[:size])
        assert [d.severity for d in found] == ["error"], size
        assert abs(found[0].line - whole.count(b"\n", 0, size) - 1) <= 1, size


def test_a_wrong_byte_anywhere_is_read_or_an_error_at_its_line() -> None:
    whole = TEXT.encode()
    for place in range(len(whole)):
        for byte in {whole[place] ^ 1 << bit for bit in (0, 2, 5, 7)} | {0, 0xFF, ord("<"), ord("&")}:
            text = whole[:place] + bytes([byte]) + whole[place + 1 :]
            errors = [d.line for d in pb.check("byte.xml", text=text) if d.severity == "error"]
            line = whole.count(b"\n", 0, place) + 1
            assert not errors or any(abs(found - line) <= 1 for found in errors[:3]), (place, byte)


def test_dashes_in_a_comment_are_reported_at_their_position() -> None:
    (found,) = (d for d in pb.check("a.xml", text="<x_xy>\n<!-- run --fast -->\n</x_xy>") if d.line == 2)
    assert (found.code, found.severity) == ("PB091", "error")
    assert (found.column, found.end_column) == (10, 12)
    assert "inside a comment" in found.message


WORLD = "<worldbody><geom size='1'/></worldbody>"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (f"<mujoco>\n<!-- run --fast and --far --><!-- é -->{WORLD}</mujoco>", [(2, 10)]),
        (f"<mujoco>\n<!-- a --->{WORLD}<!--- b -->\n<!---->\n</mujoco>", [(2, 8)]),
        (f"<mujoco>\n<!-- a ---- b ------>{WORLD}<!--\n--\n--></mujoco>", [(2, 8), (3, 1)]),
        (f"<!-- --a --><mujoco>{WORLD}</mujoco><!-- --b -->", [(1, 6), (1, 74)]),
        (f"\n  <?xml version='1.0'\n?>\n<mujoco><!-- a --b -->{WORLD}</mujoco>", [(2, 3), (4, 16)]),
        (f"<?xml version='1.0'?>\n <?xml version='1.0'?><mujoco>{WORLD}</mujoco>", [(2, 2)]),
        (f"<mujoco><!-- é --><size nkey='0'njmax='9'nconmax='9'/>{WORLD}</mujoco>", [(1, 33), (1, 42)]),
        (
            f"<mujoco>\n<asset><texture\n  type='2d'builtin=\n'flat'width='9'\n height='9'name='é'/></asset>"
            f"{WORLD}</mujoco>",
            [(3, 12), (4, 7), (5, 12)],
        ),
    ],
)
def test_what_tinyxml_tolerates_is_reported_and_read(text: str, places: list[tuple[int, int]]) -> None:
    """The rest of the document is at its place, and the text is written as it was."""
    mujoco.MjModel.from_xml_string(text)
    strict = pb.check("a.xml", text=text)
    assert [(d.code, d.severity, d.line, d.column) for d in strict] == [
        ("PB091", "error", *place) for place in places
    ]
    assert {d.severity for d in pb.check("a.xml", "warn", text=text)} == {"warning"}
    with pytest.warns(pb.ModelWarning, match=r"\d warning"):
        document = pb.read_mjcf("a.xml", text=text, policy="warn")
    assert pb.write(document) == text
    geom = document.worldbody.geom[0]
    before = text[: text.index("<geom")]
    assert geom.span.line == before.count("\n") + 1
    assert geom.span.column == len(before) - before.rfind("\n")


JOINED = {
    "urdf": (
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j"type="fixed"><parent link="a"/>'
        '<child link="b"/></joint></robot>'
    ),
    "sdf": '<sdf version="1.9"><model name="m"><link name="a"/><frame name="f"attached_to="a"/></model>'
    "</sdf>",
    "skel": (
        '<skel version="1.0"><world name="w"><skeleton name="s"><body name="a"/><joint name="j"type="free">'
        "<parent>world</parent><child>a</child></joint></skeleton></world></skel>"
    ),
    "x_xy": '<x_xy><worldbody><body name="a"joint="rx"/></worldbody></x_xy>',
    "openrave": '<kinbody name="k"><body name="a"type="dynamic"/></kinbody>',
}


@pytest.mark.parametrize("form", JOINED)
def test_attributes_without_a_space_are_read_where_the_engine_does(form: str) -> None:
    text = JOINED[form]
    found = [(d.code, d.severity) for d in pb.check("a.xml", "warn", text=text, model=False)]
    apart = re.sub(r'"(?=[a-z_]+=)', '" ', text)
    sound = [(d.code, d.severity) for d in pb.check("a.xml", "warn", text=apart, model=False)]
    assert sorted(found) == sorted(
        [*sound, ("PB091", "error" if form in ("x_xy", "openrave") else "warning")]
    )


def test_a_text_with_quotes_has_no_attributes_without_a_space() -> None:
    plugin = "<plugin name='p' filename='f'>a='b'c='d' é</plugin>"
    text = f"<sdf version='1.9'><model name='m'><link name='l'/>{plugin}</model></sdf>"
    assert "PB091" not in [d.code for d in pb.check("a.sdf", text=text)]


def test_edits_beside_attributes_without_a_space() -> None:
    text = '<mujoco><worldbody><geom size=".1"contype="1"name="g"/></worldbody></mujoco>'
    with pytest.warns(pb.ModelWarning):
        document = pb.read_mjcf("a.xml", text=text)
    document.worldbody.geom[0].contype = 3
    edited = pb.write(document)
    assert edited == text.replace('"1"', '"3"', 1)
    document.worldbody.geom[0].contype = None
    document.worldbody.geom[0].group = 2
    assert mujoco.MjModel.from_xml_string(pb.write(document)).geom_group[0] == 2


def test_dashes_in_comments_are_errors_where_the_engine_refuses_them() -> None:
    for text in ("<x_xy><!-- a --b --><worldbody/></x_xy>", "<kinbody><!-- a --b --></kinbody>"):
        assert ("PB091", "error") in [(d.code, d.severity) for d in pb.check("a.xml", "warn", text=text)]


def test_dashes_outside_comments_are_content() -> None:
    text = "<mujoco><?a --b?><custom><text name='a' data='<![CDATA['/></custom></mujoco>"
    assert "PB091" not in [d.code for d in pb.check("a.xml", text=text)]
    head = "<sdf version='1.9'><model name='m'><link name='l'/><plugin name='p' filename='f'>"
    text = head + "<![CDATA[<!-- a --b -->]]></plugin></model></sdf>"
    assert "PB091" not in [d.code for d in pb.check("a.sdf", text=text)]


def test_an_unfinished_comment_with_dashes_is_malformed() -> None:
    (found,) = pb.check("a.xml", "warn", text="<mujoco>\n<!-- run --fast </mujoco>")
    assert (found.code, found.severity, found.line, found.column) == ("PB005", "error", 2, 10)


def test_a_declaration_after_something_else_is_reported() -> None:
    (found,) = pb.check("late.xml", text='<!-- a -->\n<?xml version="1.0"?>\n<x_xy/>')
    assert (found.code, found.line, found.column) == ("PB005", 2, 1)
    assert "beginning" in found.message


IGNORED = (
    "</mujoco>",
    "</a b='1'> & < anything",
    "<!-- a --><b/></c>",
    "<mujoco><option timestep='x'/></mujoco>",
    "<a><b c='<'/>d</a><e/>\n",
    "words <a/>",
    "<![CDATA[ <a> ]]>",
)
REFUSED = (
    "words",
    "<a>",
    "<a></b>",
    "<!-- a",
    "<?xml version='1.0'?>",
    "<a b/>",
    "</>",
    "<",
    "</1>",
)


@pytest.mark.parametrize("rest", IGNORED)
def test_what_tinyxml_ignores_after_the_root(rest: str) -> None:
    """It has no effect, is reported at its place with the line that closed the root, and is kept."""
    root = f"<mujoco>\n{WORLD}\n</mujoco>\n"
    text = f"{root}<!-- b -->\n{rest}"
    assert mujoco.MjModel.from_xml_string(text).ngeom == 1
    (found,) = pb.check("a.xml", "warn", text=text)
    shift = len("<!-- a --><b/>") if rest.startswith("<!--") else 0
    assert (found.code, found.severity, found.line) == ("PB091", "warning", 5)
    assert found.column <= shift + 1
    assert "which line 3 closes" in found.message
    assert [each.code for each in pb.check("a.xml", text=text)] == ["PB091"]
    with pytest.warns(pb.ModelWarning):
        document = pb.read_mjcf("a.xml", text=text)
    assert pb.write(document) == text
    document.worldbody.geom[0].size = (2.0,)
    document.worldbody.geom.append(mjcf.Geom(size=(3.0,)))
    edited = pb.write(document)
    assert edited.endswith(f"</mujoco>\n<!-- b -->\n{rest}")
    assert mujoco.MjModel.from_xml_string(edited).ngeom == 2


@pytest.mark.parametrize("rest", REFUSED)
def test_what_tinyxml_refuses_after_the_root(rest: str) -> None:
    text = f"<mujoco>{WORLD}</mujoco>{rest}"
    with pytest.raises(ValueError, match="XML parse error"):
        mujoco.MjModel.from_xml_string(text)
    assert {each.code for each in pb.check("a.xml", "lenient", text=text)} <= {"PB005", "PB006"}
    assert pb.check("a.xml", "lenient", text=text) != []


def test_content_after_the_root_is_an_error_where_the_engine_refuses_it() -> None:
    for text in ("<x_xy><worldbody/></x_xy></x_xy>", "<kinbody/></kinbody>"):
        found = [(d.code, d.severity) for d in pb.check("a.xml", "warn", text=text)]
        assert ("PB091", "error") in found
    for text in (
        '<robot name="r"><link name="a"/></robot></robot>',
        "<skel version='1.0'><world/></skel></skel>",
    ):
        found = [(d.code, d.severity) for d in pb.check("a.xml", "warn", text=text)]
        assert ("PB091", "warning") in found


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("a&b", "a&b"),
        ("&", "&"),
        ("R&D é", "R&D é"),
        ("&foo;", "&foo;"),
        ("a && b&", "a && b&"),
        ("&lt;a&b&gt;", "<a&b>"),
        ("&#65;&", "A&"),
    ],
)
def test_a_bare_ampersand_is_one(written: str, name: str) -> None:
    body = f"<body name='{written}'><geom size='1' name=\"g\"/></body>"
    text = f"<mujoco>\n<!-- & -->\n<worldbody>{body}</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    if "&lt;" not in written and "#" not in written:  # after an entity TinyXML loses characters
        assert model.body(1).name == name
    found = pb.check("a.xml", "warn", text=text)
    assert {each.code for each in found} == {"PB091"}
    assert all((each.severity, each.line) == ("warning", 3) for each in found)
    column = (
        text.split("\n")[2].index(written)
        + written.replace("&lt;", "xxxx").replace("&#", "xx").index("&")
        + 1
    )
    assert found[0].column == column
    with pytest.warns(pb.ModelWarning):
        document = pb.read_mjcf("a.xml", text=text)
    assert document.worldbody.body[0].name == name
    assert pb.write(document) == text
    document.worldbody.body[0].geom[0].name = "h"
    assert pb.write(document) == text.replace('"g"', '"h"')
    assert pb.load("a.xml", text=text).names["body"][1] == name


def test_a_bare_ampersand_in_a_text() -> None:
    plugin = "<plugin name='p' filename='f'>a & b<c>&d</c></plugin>"
    text = f"<sdf version='1.9'><model name='m'><link name='l'/>{plugin}</model></sdf>"
    with pytest.warns(pb.ModelWarning):
        document = pb.read_sdf("a.sdf", text=text)
    assert [child.text for child in document.model.plugin[0].elements] == ["&d"]


def test_a_bare_ampersand_beside_its_substitute() -> None:
    (found,) = pb.check("a.xml", "warn", text="<mujoco model='a&b\x7f'/>")
    assert (found.code, found.severity) == ("PB005", "error")
