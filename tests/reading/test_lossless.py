"""Documents that were read keep their text except where they were edited."""

from __future__ import annotations

import copy
import difflib
import random
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from polybody.base import Node, Untyped

from tests.amounts import some
from tests.lossless import CORPORA, ROOT, answer, files, main

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
FILES = [path for folder in ("tests", "examples", "benchmarks") for path in files(ROOT / folder)]

ARM = """\
<?xml version="1.0"?>
<!-- an arm -->
<mujoco model='arm'>

  <option gravity="0 0 -9.810"  timestep="1e-3"/>   <!-- as on earth -->
\t<worldbody>
\t\t<body name="upper" pos="0 0 .50">
\t\t\t<joint name="shoulder" axis="0 1 0"
\t\t\t       range="-1.50 1.50"/>  <!-- of the motor -->
\t\t\t<geom size=".10 .2" type="capsule"/>

\t\t\t<body name="lower" pos="0 0 .4"><geom size=".1"/><site name="tip"/></body>
\t\t</body>
\t\t<light pos="0 0 3"/>
\t</worldbody>
  <!-- the end -->
</mujoco>
<!-- behind -->
"""


def arm() -> Any:
    return pb.read("arm.xml", text=ARM)


def changed(document: Any, before: str = ARM) -> list[str]:
    """The removed and the added lines."""
    found = difflib.unified_diff(before.split("\n"), pb.write(document).split("\n"), n=0, lineterm="")
    return [line for line in found if not line.startswith(("---", "+++", "@@"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_an_unedited_file_keeps_its_bytes_and_one_edit_changes_one_line(path: Path) -> None:
    found = answer(path)
    assert (found.unreadable, found.faults) == ("", ())


@pytest.mark.skipif(CORPORA is None, reason="no corpora next to the checkout")
def test_files_of_public_repositories() -> None:
    assert CORPORA is not None
    found = [answer(path) for path in some(files(CORPORA), 200)]
    assert [(each.path, each.faults) for each in found if each.faults] == []
    assert sum(not each.unreadable for each in found) > len(found) / 2


def test_the_command_reports_each_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arm.xml").write_text(ARM)
    (tmp_path / "package.xml").write_text("<package/>")
    assert main([str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert f"cannot be read, PB007: 1\n  {tmp_path / 'package.xml'}" in shown
    assert "1 files read and written, 0 of them with errors, 4 values changed" in shown
    assert "(keyword 1, number 1, text 1, vector 1)" in shown
    (tmp_path / "arm.xml").unlink()
    assert main([str(tmp_path)]) == 1  # nothing was verified


def test_a_change_of_more_than_a_line_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "arm.xml").write_text(ARM)
    write = pb.write
    monkeypatch.setattr(pb, "write", lambda document, path=None: write(document, path, layout="canonical"))
    assert main([str(tmp_path)]) == 1
    assert "arm.xml: not the same bytes" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1"])
def test_the_encoding_is_preserved(encoding: str, tmp_path: Path) -> None:
    plain = encoding.replace("-sig", "").replace("-be", "")
    head = f'<?xml version="1.0" encoding="{plain}"?>\r\n'
    text = f'{head}<mujoco model="Gr\u00fcn">\r\n  <!-- \u00e9 -->\r\n</mujoco>\r\n'
    path, out = tmp_path / "in.xml", tmp_path / "out.xml"
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path.write_bytes(mark + text.encode(encoding))
    document: Any = pb.read(path)
    pb.write(document, out)
    assert out.read_bytes() == path.read_bytes()
    document.model = "\u00fc\u4e2d"
    pb.write(document, out)
    assert pb.read(out) == document
    document.children.append(pb.mjcf.Option(timestep=0.5))
    assert '-->\r\n  <option timestep="0.5"/>\r\n</mujoco>' in pb.write(document)


def test_a_changed_attribute_is_a_changed_line() -> None:
    document = arm()
    document.option.gravity = (0, 0, -1.62)
    document.worldbody.body[0].joint[0].range = (-1.5, 2)
    assert changed(document) == [
        '-  <option gravity="0 0 -9.810"  timestep="1e-3"/>   <!-- as on earth -->',
        '+  <option gravity="0 0 -1.62"  timestep="1e-3"/>   <!-- as on earth -->',
        '-\t\t\t       range="-1.50 1.50"/>  <!-- of the motor -->',
        '+\t\t\t       range="-1.50 2"/>  <!-- of the motor -->',
    ]


def test_attributes_are_added_and_removed() -> None:
    document = arm()
    body = document.worldbody.body[0]
    body.geom[0].rgba = (1, 0, 0, 1)
    body.joint[0].axis = None
    document.model = 'a "b" & c\'s'
    assert changed(document) == [
        "-<mujoco model='arm'>",
        "+<mujoco model='a \"b\" &amp; c&apos;s'>",
        '-\t\t\t<joint name="shoulder" axis="0 1 0"',
        '+\t\t\t<joint name="shoulder"',
        '-\t\t\t<geom size=".10 .2" type="capsule"/>',
        '+\t\t\t<geom size=".10 .2" type="capsule" rgba="1 0 0 1"/>',
    ]
    assert pb.read("arm.xml", text=pb.write(document)) == document


def test_a_changed_string_is_written_as_it_is() -> None:
    text = '<mujoco model="1.0"><custom><text name="a  b" data="x  y z"/></custom></mujoco>'
    document: Any = pb.read("a.xml", text=text)
    written = document.custom.text[0]
    document.model, written.name, written.data = "1", "a b", "x y  z"
    assert pb.write(document) == text.replace("1.0", "1").replace("a  b", "a b").replace("x  y z", "x y  z")


def test_lists_keep_their_lines() -> None:
    for end in ("\n", "\r\n"):
        mesh = f'<mesh name="m" vertex="0 0 0{end}  1 0 0{end}  0 1 0{end}  0 0 1"/>'
        text = f"<mujoco><asset>{mesh}</asset></mujoco>"
        document: Any = pb.read("a.xml", text=text)
        document.asset.mesh[0].vertex = (*document.asset.mesh[0].vertex[:-1], 2)
        assert pb.write(document) == text.replace('0 0 1"', '0 0 2"')
        text = (
            f"<sdf version='1.9'><model name='m'><pose>0 0 0{end} 0 0 0</pose><link name='l'/></model></sdf>"
        )
        document = pb.read("a.sdf", text=text, policy="lenient")
        document.model.pose.text = (1, 0, 0, 0, 0, 0)
        assert pb.write(document) == text.replace(">0", ">1")


def test_elements_are_added_and_removed() -> None:
    document = arm()
    upper = document.worldbody.body[0]
    upper.body[0].geom.append(pb.mjcf.Geom(size=(0.3,)))
    upper.joint.append(pb.mjcf.Joint(axis=(1, 0, 0)))
    del document.worldbody.light[0]
    document.children.append(_custom())
    assert changed(document) == [
        '-\t\t\t<body name="lower" pos="0 0 .4"><geom size=".1"/><site name="tip"/></body>',
        '+\t\t\t<body name="lower" pos="0 0 .4"><geom size=".1"/><site name="tip"/><geom size="0.3"/></body>',
        '+\t\t\t<joint axis="1 0 0"/>',
        '-\t\t<light pos="0 0 3"/>',
        "+  <custom>",
        '+    <text name="t" data="x"/>',
        "+  </custom>",
    ]
    assert pb.read("arm.xml", text=pb.write(document)) == document


def _custom() -> pb.mjcf.Custom:
    return pb.mjcf.Custom(text=[pb.mjcf.Text(name="t", data="x")])


def test_a_moved_element_keeps_its_text() -> None:
    document = arm()
    world = document.worldbody
    lower = world.body[0].body.pop()
    lower.name = "free"
    world.body.insert(0, pb.mjcf.Body(name="around", body=[lower]))
    assert changed(document) == [
        '+\t\t<body name="around">',
        '+\t\t\t<body name="free" pos="0 0 .4"><geom size=".1"/><site name="tip"/></body>',
        "+\t\t</body>",
        '-\t\t\t<body name="lower" pos="0 0 .4"><geom size=".1"/><site name="tip"/></body>',
    ]


def test_an_element_without_an_end_tag_gets_one() -> None:
    text = '<mujoco>\n  <worldbody>\n    <body name="a" />\n  </worldbody>\n</mujoco>\n'
    document: Any = pb.read("a.xml", text=text, policy="lenient")
    document.worldbody.body[0].children.append(pb.mjcf.Geom(size=(1,)))
    assert changed(document, text) == [
        '-    <body name="a" />',
        '+    <body name="a">',
        '+      <geom size="1"/>',
        "+    </body>",
    ]


def test_texts_between_tags() -> None:
    inner = "<link name='l'>\n  <pose> 0 0  1.0 0 0 0</pose>\n</link>"
    text = f"<sdf version='1.9'><model name='m'>{inner}</model></sdf>"
    document: Any = pb.read("a.sdf", text=text, policy="lenient")
    link = document.model.link[0]
    link.pose.text = (0, 0, 1, 0, 0, 0.5)
    link.kinematic = True
    link.gravity = False
    written = pb.write(document)
    assert "<pose> 0 0  1.0 0 0 0.5</pose>" in written
    assert pb.read("a.sdf", text=written, policy="lenient") == document
    link.gravity, link.pose = True, None
    assert pb.read("a.sdf", text=pb.write(document), policy="lenient") == document


def test_a_section_that_occurs_twice() -> None:
    text = (
        '<mujoco><compiler angle="radian"/><option/>\n<compiler angle="degree" autolimits="false"/></mujoco>'
    )
    document: Any = pb.read("a.xml", text=text, policy="lenient")
    document.children[0].angle = None
    assert pb.read("a.xml", text=pb.write(document), policy="lenient") == document


def test_documents_made_in_python_are_canonical() -> None:
    document = pb.mjcf.Mujoco(model="m")
    assert pb.write(document) == pb.write(document, layout="canonical") == '<mujoco model="m"/>\n'
    with pytest.raises(ValueError, match="layout must be 'kept' or 'canonical', not 'pretty'"):
        pb.write(document, layout="pretty")  # type: ignore[arg-type]


# --- random edits ---------------------------------------------------------------------------------------


def edit(document: Node, chance: random.Random) -> None:
    """An edit, which the element may reject."""
    nodes = list(document.walk())
    node: Any = chance.choice(nodes)
    children = node.children
    kind = chance.randrange(6)
    if kind == 0 and children:
        children.remove(chance.choice(children))
    elif kind == 1 and children:
        children.insert(chance.randrange(len(children) + 1), copy.deepcopy(chance.choice(children)))
    elif kind == 2 and len(children) > 1:
        children.insert(chance.randrange(len(children) - 1), children.pop())
    elif kind == 3 and node.FIELDS and not isinstance(node, Untyped):
        setattr(node, chance.choice(node.FIELDS), None)
    elif kind == 4:
        other = chance.choice([other for other in nodes if type(other) is type(node)])
        for name in node.FIELDS:
            if getattr(node, name) is None:
                setattr(node, name, getattr(other, name))
    elif kind == 5 and children:
        place = chance.randrange(len(children))
        made = copy.copy(children[place])
        made._source = made._position = None
        children[place] = made


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_written_reads_as_the_document(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    document = pb.read(path, policy="lenient")
    for _ in range(chance.randrange(1, 8)):
        try:
            edit(document, chance)
        except (TypeError, ValueError):
            continue  # of a kind that is rejected there
    read = []
    for layout in ("kept", "canonical"):
        try:
            text = pb.write(document, layout=layout)  # type: ignore[arg-type]
            read.append(pb.read(path, text=text, policy="lenient"))
        except pb.ValidationError:
            read.append(None)
    kept, canonical = read
    assert (kept is None) == (canonical is None)
    assert kept == canonical
