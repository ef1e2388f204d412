"""The steps of docs/own-schema.md, executed: an external XSD, and a dialect of URDF."""

from __future__ import annotations

import importlib
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import elementpath
import polybody as pb
import pytest
import xmlschema
from lxml import etree
from polybody.codegen.command import run
from polybody.codegen.schema import SCHEMAS

from .mutations import Mutator

PAGE = (Path(__file__).parents[2] / "docs" / "own-schema.md").read_text(encoding="utf-8")
LINK, INERTIAL = '      <xs:element name="link"', '      <xs:element name="inertial"'
JSON_XSD = Path(elementpath.__file__).parent / "validators" / "schema-for-json.xsd"


def shown(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@contextmanager
def generated(schema: Path, folder: Path, name: str, root: str = "") -> Iterator[Any]:
    assert run(schema, folder / name, root=root) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield importlib.import_module(name)


@pytest.fixture(scope="module")
def json_xml(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with generated(JSON_XSD, tmp_path_factory.mktemp("json"), "json_xml", "map") as package:
        yield package


@pytest.fixture(scope="module")
def lab_urdf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The dialect, made by the lines on the page."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(SCHEMAS, folder / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    in_robot, in_link = (block.split("\n\n") for block in shown("xml")[1:])
    _edit(folder / "lab/urdf.xsd", 'pb:format="urdf"', 'pb:format="lab_urdf"')
    _edit(
        folder / "lab/urdf.xsd",
        '      <xs:element name="link"',
        f'{in_robot[1]}\n      <xs:element name="link"',
    )
    _edit(folder / "lab/urdf.xsd", "</xs:schema>", f"{in_robot[2]}</xs:schema>")
    _edit(folder / "lab/urdf/link.xsd", INERTIAL, f"{in_link[0]}\n{INERTIAL}")
    _edit(folder / "lab/urdf/link.xsd", "</xs:schema>", f"{in_link[1]}</xs:schema>")
    with generated(folder / "lab/urdf.xsd", folder, "lab_urdf") as package:
        yield package


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_program_on_the_page(
    json_xml: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names: dict[str, Any] = {}
    exec(shown("python")[0], names)
    assert capsys.readouterr().out == shown("text")[1]
    document = names["document"]
    assert document.string[0].text == "arm"
    assert [number.text for number in document.array[0].number] == [1.5, 2.0]
    assert pb.read("again.xml", text=pb.write(document), format=json_xml.FORMAT) == document


def test_the_crane_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "crane.xsd").write_text(shown("xml")[0], encoding="utf-8")
    with generated(tmp_path / "crane.xsd", tmp_path, "crane"):
        capsys.readouterr()
        names: dict[str, Any] = {}
        for block, said in ((1, 2), (2, 3)):
            exec(shown("python")[block], names)
            assert capsys.readouterr().out == shown("text")[said]
        jib = names["document"].jib[0]
        with pytest.raises(ValueError, match="the schema declares no name of <jib>"):
            pb.rename(names["document"], jib, "rear")
    xsd = etree.XMLSchema(etree.parse(str(tmp_path / "crane.xsd")))
    assert xsd.validate(etree.fromstring(pb.write(names["made"]).encode()))


def test_what_is_not_enforced_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(JSON_XSD, tmp_path / "json_xml", root="map") == 0
    said = capsys.readouterr()
    assert [*said.err.splitlines(), *said.out.splitlines()] == shown("text")[0].splitlines()


def test_its_verdict_is_that_of_a_validator(json_xml: Any) -> None:
    """Order, choices, keys and namespaces included."""
    text = b"""<map xmlns="http://www.w3.org/2005/xpath-functions">
    <string key="a" escaped-key="true">x</string><number key="b">1</number>
    <map key="c"><null key="d"/><boolean key="e">true</boolean></map>
    <array key="f"><number>1</number><array><string escaped="true">y</string></array></array></map>"""
    xsd = xmlschema.XMLSchema11(str(JSON_XSD))
    mutator = Mutator(text, 5)
    empty = ("map", "array", "null")
    valid = differing = 0
    for _ in range(400):
        tree = etree.fromstring(mutator.document(), etree.XMLParser(remove_comments=True, remove_pis=True))
        findings = pb.check("a.xml", text=etree.tostring(tree), format=json_xml.FORMAT)
        found = [finding for finding in findings if finding.severity == "error"]
        for node in tree.iter():
            if etree.QName(node).localname in empty and not (node.text or "").strip(" \t\r\n"):
                node.text = None
        errors = list(xsd.iter_errors(tree))
        valid += not errors
        differing += bool(errors) != bool(found)
    assert differing == 0
    assert 50 < valid < 350


ROBOT = """<robot name="r">
  <link name="a"><battery capacity="1e6"/></link>
  <link name="b"/>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
  <cable from="a" to="b" length="0.4"/>
</robot>"""


def test_a_dialect_is_read_and_written(lab_urdf: Any) -> None:
    document = pb.read("r.urdf", text=ROBOT, format=lab_urdf.FORMAT)
    assert document.link[0].battery.capacity == 1e6
    assert pb.resolve(document).get(document.link[0].battery, "voltage") == 24
    assert (document.cable[0].from_, document.cable[0].to, document.cable[0].length) == ("a", "b", 0.4)
    assert pb.read("r.urdf", text=pb.write(document), format=lab_urdf.FORMAT) == document
    assert (
        "in V; default 24.0"
        in (lab_urdf.FORMAT and Path(lab_urdf.__file__).parent / "documents" / "link.py").read_text()
    )


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ('capacity="1e6"', 'capcity="1e6"', "PB012", 2),
        ('capacity="1e6"', 'capacity="-1"', "PB019", 2),
        ('to="b"', 'to="c"', "PB032", 5),
        ('to="b"', 'to="a"', "PB045", 5),
        ('<child link="b"/>', '<child link="c"/>', "PB032", 4),
    ],
)
def test_a_dialect_is_strict(lab_urdf: Any, old: str, new: str, code: str, line: int) -> None:
    found = pb.check("r.urdf", text=ROBOT.replace(old, new), format=lab_urdf.FORMAT)
    assert (code, line) in {(finding.code, finding.line) for finding in found}


def test_ours_knows_nothing_of_it() -> None:
    assert {d.code for d in pb.check("r.urdf", text=ROBOT) if d.severity == "error"} == {"PB011"}
