"""The report for Jenkins and GitLab: valid, with one test per finding whose name has no position."""

from __future__ import annotations

import io
from pathlib import Path

import polybody as pb
import pytest
from click.testing import CliRunner
from lxml import etree
from polybody.cli import app
from polybody.diagnostics import Diagnostic
from polybody.diagnostics.junit import junit

from .tools import body

SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:element name="testsuites"><xs:complexType>
    <xs:sequence><xs:element name="testsuite" type="suite" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:attribute name="name"/><xs:attributeGroup ref="counts"/>
  </xs:complexType></xs:element>
  <xs:complexType name="suite">
    <xs:sequence><xs:element name="testcase" type="case" maxOccurs="unbounded"/></xs:sequence>
    <xs:attribute name="name" use="required"/><xs:attribute name="skipped" type="xs:nonNegativeInteger"/>
    <xs:attributeGroup ref="counts"/>
  </xs:complexType>
  <xs:complexType name="case">
    <xs:choice minOccurs="0">
      <xs:element name="failure"><xs:complexType><xs:simpleContent><xs:extension base="xs:string">
        <xs:attribute name="type"/><xs:attribute name="message"/>
      </xs:extension></xs:simpleContent></xs:complexType></xs:element>
      <xs:element name="system-out" type="xs:string"/>
    </xs:choice>
    <xs:attribute name="name" use="required"/><xs:attribute name="classname" use="required"/>
  </xs:complexType>
  <xs:attributeGroup name="counts">
    <xs:attribute name="tests" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="failures" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="errors" type="xs:nonNegativeInteger" use="required"/>
  </xs:attributeGroup>
</xs:schema>"""
"""The part of the schema of Jenkins' plugin xunit (junit-10) that polybody writes; attributes that are
optional there and identify a test in GitLab are required here.
"""
WRONG = body('dampin="1"', '<geom type="sphere" mass="1" dim="1" quat="2 0 0 0"/>\n<gem/><gem/>')


def report(text: str) -> etree._Element:
    """A report after validation: counts are correct and names unique, as consumers require."""
    root = etree.fromstring(text.encode())
    schema = etree.XMLSchema(etree.parse(io.StringIO(SCHEMA)))
    assert schema.validate(root), schema.error_log
    cases = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(cases)) == len(cases)
    for suite in [root, *root]:
        assert int(suite.get("tests", "")) == len(list(suite.iter("testcase")))
        assert int(suite.get("failures", "")) == len(list(suite.iter("failure")))
    return root


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.xml").write_text(WRONG, encoding="utf-8")
    (tmp_path / "good.xml").write_text(body(), encoding="utf-8")
    return tmp_path


def check(*arguments: str, code: int) -> etree._Element:
    result = CliRunner().invoke(app, ["check", *arguments, "--output-format", "junit"])
    assert result.exit_code == code
    return report(result.stdout)


def test_each_finding_is_a_test(folder: Path) -> None:
    root = check("good.xml", "wrong.xml", code=1)
    assert [(suite.get("name"), suite.get("failures")) for suite in root] == [
        ("good.xml", "0"), ("wrong.xml", "3"),
    ]  # fmt: skip
    names = [case.get("name") for case in root.iter("testcase")]
    assert names == [
        "no findings",
        "PB012: unknown attribute `dampin` on <body> (in body `a`)",
        "PB042: the quaternion `quat` has norm 2; it is normalised when used (in body `a`)",
        "PB011: unknown element <gem> in <body> (in body `a`)",
        "PB011: unknown element <gem> in <body> (in body `a`) (2)",
    ]
    (shown, *_) = root.iter("failure")
    assert shown.get("message") == "unknown attribute `dampin` on <body>"
    assert (shown.text or "").startswith("wrong.xml:4:27: PB012 error: unknown attribute")


def test_what_fails_the_check_fails_in_the_report(folder: Path) -> None:
    def failing(*arguments: str) -> set[str]:
        root = check("wrong.xml", *arguments, code=1)
        return {str(case.get("name"))[:5] for case in root.iter("testcase") if len(case.xpath("failure"))}

    assert failing() == {"PB011", "PB012"}
    assert failing("--max-warnings", "0") == {"PB011", "PB012", "PB042"}


def test_names_of_tests_have_no_positions(folder: Path) -> None:
    before = {case.get("name") for case in check("wrong.xml", code=1).iter("testcase")}
    (folder / "wrong.xml").write_text("<!-- a -->\n\n" + WRONG, encoding="utf-8")
    assert {case.get("name") for case in check("wrong.xml", code=1).iter("testcase")} == before


def test_texts_are_escaped() -> None:
    odd = 'a"<b>&\x1b\ufffe\udce9.xml'
    found = [Diagnostic(odd, 1, 1, 1, 2, "PB012", "error", 'x < "y" & z\x00]]>')]
    root = report(junit([(odd, found), ("a.xml", pb.check("a.xml", text="<mujoco/>"))], {"error"}))
    assert r'a"<b>&\u001b\ufffe\udce9.xml' in {suite.get("name") for suite in root}
