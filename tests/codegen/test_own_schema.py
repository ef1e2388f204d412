"""A user's schema gives a package: typed documents and a strict reader, tested by reading with it."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from polybody.base import Format
from polybody.checking import check, validate
from polybody.codegen.command import run
from polybody.document.writer import write
from polybody.lowering import lower
from polybody.reading import read

from tests.waiting import PATIENCE

from .schemas import write_schema

SHOP = """
<xs:simpleType name="Grade"><xs:restriction base="xs:token">
  <xs:enumeration value="low"/><xs:enumeration value="3d"/><xs:enumeration value="a-b"/>
  </xs:restriction></xs:simpleType>
<xs:simpleType name="Size"><xs:restriction><xs:simpleType><xs:list itemType="xs:int"/></xs:simpleType>
  <xs:minLength value="1"/><xs:maxLength value="2"/></xs:restriction></xs:simpleType>
<xs:simpleType name="Rest"><xs:union memberTypes="Size Grade"/></xs:simpleType>
<xs:complexType name="Item">
  <xs:sequence><xs:element name="item" type="Item" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
  <xs:attribute name="class" type="xs:string" use="required"/><xs:attribute name="size" type="Size"/>
  <xs:attribute name="grade" type="Grade" default="low"/></xs:complexType>
<xs:element name="shop"><xs:complexType><xs:all>
  <xs:element name="item" type="Item" maxOccurs="unbounded"/>
  <xs:element name="price" minOccurs="0"><xs:simpleType><xs:restriction base="xs:double">
    <xs:minExclusive value="0"/></xs:restriction></xs:simpleType></xs:element>
  <xs:element name="note" minOccurs="0"><xs:complexType><xs:simpleContent><xs:extension base="xs:string">
    <xs:attribute name="lang" type="xs:string"/></xs:extension></xs:simpleContent></xs:complexType>
  </xs:element><xs:element name="rest" type="Rest" minOccurs="0" maxOccurs="unbounded"/></xs:all>
  <xs:attribute name="open" type="xs:boolean"/></xs:complexType></xs:element>
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("own")
    assert run(write_schema(folder, SHOP, name="shop.xsd"), folder / "corner_shop") == 0
    sys.path.insert(0, str(folder))
    yield importlib.import_module("corner_shop")
    sys.path.remove(str(folder))


def test_documents_are_read_written_and_typed(shop: ModuleType) -> None:
    text = """<shop open="1"><price> 2.5 </price>
      <item class="x" size="1 2" grade="a-b"><item class="y"/></item><note lang="en">Fresh.</note>
      <rest>3 4</rest><rest>3d</rest></shop>"""
    document = read("shop.xml", format=shop.FORMAT, text=text)
    assert isinstance(document, shop.Shop)
    assert document == shop.Shop(
        open=True,
        price=shop.Price(text=2.5),
        item=[shop.Item(class_="x", size=(1, 2), grade=shop.Grade.A_B, item=[shop.Item(class_="y")])],
        note=shop.Note(lang="en", text="Fresh."),
        rest=[shop.Rest(text=(3, 4)), shop.Rest(text=shop.Grade._3D)],
    )
    assert read("again.xml", format=shop.FORMAT, text=write(document)) == document


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<shop>\n</shop>", 1),
        ("<shop>\n<item/></shop>", 2),
        ("<shop>\n<item class='a' size='1 2 3'/></shop>", 2),
        ("<shop>\n<item class='a' size='1.5'/></shop>", 2),
        ("<shop>\n<item class='a' grade='high'/></shop>", 2),
        ("<shop>\n<item class='a' colour='red'/></shop>", 2),
        ("<shop>\n<item class='a'/><price>0</price></shop>", 2),
        ("<shop>\n<item class='a'/><price/></shop>", 2),
        ("<shop>\n<item class='a'/><rest>1 2 3</rest></shop>", 2),
        ("<shop>\n<item class='a'/><rest>high</rest></shop>", 2),
        ("<shop>\n<item class='a'/><price>1</price><price>1</price></shop>", 2),
        ("<shop>\n<item class='a'/>stray</shop>", 2),
        ("<shop>\n<item class='a'/>\n<cart/></shop>", 3),
        ("<shop open='yes'>\n<item class='a'/></shop>", 1),
    ],
)
def test_faults_are_found_at_their_line(shop: ModuleType, text: str, line: int) -> None:
    findings = [f for f in check("shop.xml", format=shop.FORMAT, text=text) if f.severity == "error"]
    assert [finding.line for finding in findings] == [line]


def test_the_package_is_one_of_its_own(shop: ModuleType) -> None:
    assert isinstance(shop.FORMAT, Format)
    assert shop.FORMAT.name == "shop"
    assert sorted(shop.__all__) == ["FORMAT", "Grade", "Item", "Note", "Price", "Rest", "Shop"]
    folder = Path(shop.__file__ or "").parent
    assert "## `<price>` (`shop/price`)" in (folder / "reference.md").read_text()
    result = subprocess.run(
        [
            sys.executable,
            "-m",
            "ruff",
            "format",
            "--check",
            "--isolated",
            "--line-length",
            "110",
            str(folder),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert result.returncode == 0, result.stdout


def test_a_dialect_of_a_format_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its classes are separate: neither our rules nor our lowering apply to them."""
    ours = (Path(__file__).parents[2] / "schemas" / "x_xy.xsd").read_text()
    schema = tmp_path / "dialect.xsd"
    schema.write_text(ours.replace('value="xyz"', 'value="axes"').replace("type=xyz", "type=axes"))
    assert run(schema, tmp_path / "dialect") == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    dialect = importlib.import_module("dialect")
    text = '<x_xy><worldbody><body name="a" joint="rx"><geom type="axes"/></body></worldbody></x_xy>'
    assert check("d.xml", format=dialect.FORMAT, text=text) == []
    wrong = text.replace("axes", "xyz")
    assert [f.code for f in check("d.xml", format=dialect.FORMAT, text=wrong)] == ["PB018"]
    document = read("d.xml", format=dialect.FORMAT, text=text)
    assert validate(document) == []
    assert read("d.xml", format=dialect.FORMAT, text=write(document)) == document
    with pytest.raises(TypeError, match="XXy of dialect cannot be compiled into a Model"):
        lower(document)


def test_annotations_of_anyone_work_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = write_schema(
        tmp_path,
        """<xs:element name="lamp"><xs:complexType><xs:annotation><xs:appinfo><pb:rules>
          <pb:exclusive names="watt lumen"/></pb:rules></xs:appinfo></xs:annotation>
        <xs:attribute name="watt" type="xs:double" pb:unit="W"/><xs:attribute name="lumen" type="xs:double"/>
        </xs:complexType></xs:element>""",
    )
    assert run(schema, tmp_path / "lamps") == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    lamps = importlib.import_module("lamps")
    assert [f.code for f in check("l.xml", format=lamps.FORMAT, text="<lamp watt='1' lumen='2'/>")] == [
        "PB022"
    ]
    assert read("l.xml", format=lamps.FORMAT, text="<lamp watt='1'/>").watt == 1.0


def test_an_entry_point_registers_the_package(
    shop: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package's metadata suffice for ``--format-in``, ``schema`` and for recognising it by its root."""
    package = Path(shop.__file__ or "").parent
    metadata = package.parent / "corner_shop-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: corner-shop\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[polybody.formats]\nshop = corner_shop\n")
    document = tmp_path / "a.xml"
    document.write_text("<shop open='1'><item class='a'/></shop>")
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}

    def polybody(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "polybody", *arguments]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
        )

    for options in (["--format-in", "shop"], []):
        result = polybody("check", *options, str(document))
        assert result.returncode == 0, result.stdout + result.stderr
    assert json.loads(polybody("schema", "shop", "--json").stdout)["format"] == "shop"
    document.write_text("<shop open='1'><item/></shop>")
    assert polybody("check", str(document)).returncode == 1
