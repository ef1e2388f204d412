"""Values of simple types in schemas as written by users: the reader's verdicts are those of xmlschema."""

from __future__ import annotations

import importlib
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import polybody as pb
import pytest
import xmlschema
from polybody.codegen.command import run

NUMBER = count()
XS = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">'
TEXTS = (
    *("2026-01-31", "2026-02-29", "2024-02-29", "1900-02-29", "2000-02-29", "2026-13-01", "2026-1-31"),
    *("26-01-31", "2026-04-31", "2026-01-31Z", "2026-01-31+14:00", "2026-01-31+14:01", "2026-01-31-05:30"),
    *("12026-01-31", "02026-01-31", "-0044-03-15", " 2026-01-31 ", "2026-01-31T12:30:00"),
    *("2026-01-31T24:00:00", "2026-01-31T24:00:01", "2026-01-31T12:30:00.125Z", "2026-01-31T12:30"),
    *("2026-01-31 12:30:00", "12:30:00", "24:00:00", "25:00:00", "12:30:60", "12:30:00Z", "2026-01"),
    *("2026-13", "2026", "26", "--02-29", "--02-30", "--01", "---31", "---32", "P1Y", "P1Y2M3DT4H5M6.5S"),
    *("P", "PT", "P1YT", "-P1D", "PT36H", "P1M1Y", "P1.5D", "PT1.5S", "+P1D", "ff", "FF0a", "f", "fg", "f f"),
    *("", "Cv8=", "Cv8", "C v 8 =", "Cv9=", "AAAA", "AA==", "AB==", "====", "word", "two words", "-x", "1x"),
    *("x-1.y", "a:b", ":a", "a:b:c", "é", "_", "x·y", "·", "en", "en-GB", "e_n", "englishlanguage"),
    *("no passing", " no  passing ", "no", "passing", "0", "1", "1.0", "true", "-1", "3", "4.5", "INF"),
)
BUILT_IN = (
    *("date", "dateTime", "dateTimeStamp", "time", "gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay"),
    *("duration", "yearMonthDuration", "dayTimeDuration", "hexBinary", "base64Binary", "NMTOKEN", "Name"),
    *("NCName", "language", "NMTOKENS", "token", "string", "int", "boolean", "double"),
)


def restricted(base: str, *facets: str) -> str:
    written = "".join("<xs:{} value='{}'/>".format(*facet.split("=", 1)) for facet in facets)
    return f"<xs:simpleType><xs:restriction base='xs:{base}'>{written}</xs:restriction></xs:simpleType>"


RESTRICTED = {
    "octets": restricted("hexBinary", "length=2"),
    "few octets": restricted("hexBinary", "maxLength=1"),
    "octets in 64": restricted("base64Binary", "minLength=2", "maxLength=2"),
    "characters": restricted("string", "length=4"),
    "characters of a pattern": restricted("token", "minLength=2", "maxLength=4", "pattern=[a-z ]*"),
    "names of two": restricted("NCName", "maxLength=2"),
    "words": restricted("NMTOKENS", "minLength=2", "maxLength=2"),
    "a blank in a token": restricted("token", "enumeration=no passing", "enumeration=no"),
    "a blank in a string": restricted("string", "enumeration=no passing", "enumeration=no"),
    "an empty keyword": restricted("string", "enumeration=", "enumeration=word"),
    "whole numbers": restricted("int", "enumeration=1", "enumeration=3", "enumeration=4"),
    "real numbers": restricted("double", "enumeration=4.5", "enumeration=1", "enumeration=INF"),
    "numbers within bounds": restricted("int", "enumeration=-1", "enumeration=3", "enumeration=4"),
}


class Made:
    """The package of a schema, and what xmlschema makes of the schema."""

    def __init__(self, folder: Path, body: str, leaves: str = "") -> None:
        name = f"values_{next(NUMBER)}"
        path = folder / f"{name}.xsd"
        path.write_text(f"{XS}{body}</xs:schema>", encoding="utf-8")
        assert run(path, folder / name, leaves=leaves) == 0
        self.package: ModuleType = importlib.import_module(name)
        self.theirs = xmlschema.XMLSchema11(path)

    def agrees(self, text: str) -> bool:
        """Whether a document is valid. Both must agree, and a valid one must be written as it was."""
        found = pb.check("a.xml", text=text, format=self.package.FORMAT)
        assert self.theirs.is_valid(text) is not bool(found), (text, list(map(str, found)))
        if not found:
            document = pb.read("a.xml", text=text, format=self.package.FORMAT)
            assert pb.write(document) == text
            assert pb.validate(document) == []
            assert self.theirs.is_valid(pb.write(document, layout="canonical")), text
        return not found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def both(simple: str) -> str:
    """An attribute and a text of a simple type, which is its name or a declaration."""
    named, inline = (f" type='xs:{simple}'", "") if simple.isalnum() else ("", simple)
    attribute = f"<xs:attribute name='a'{named}>{inline}</xs:attribute>"
    element = f"<xs:element name='b' minOccurs='0'{named}>{inline}</xs:element>"
    return (
        f"<xs:element name='r'><xs:complexType><xs:sequence>{element}</xs:sequence>{attribute}"
        "</xs:complexType></xs:element>"
    )


@pytest.mark.parametrize("name", [*BUILT_IN, *RESTRICTED])
def test_the_verdicts_on_texts_are_those_of_xmlschema(folder: Path, name: str) -> None:
    made = Made(folder, both(RESTRICTED.get(name, name)))
    assert made.package.FORMAT.unread == ()
    seen = [0, 0]
    for text in TEXTS:
        seen[made.agrees(f'<r a="{text}"/>')] += 1
        if text.strip():
            seen[made.agrees(f"<r><b>{text}</b></r>")] += 1
    assert min(seen) > 0 or name in ("token", "string")


FIXED = {
    "string": ("1.10", "1.1", " 1.10 ", ""),
    "token": ("a b", " a  b ", "ab"),
    "double": ("1.5", "1.50", "15e-1", "1.6", "x"),
    "int": ("3", "03", "4"),
    "boolean": ("true", "1", "false"),
    "date": ("2026-01-31", "2026-01-30"),
    "NMTOKENS": ("a b", "a  b", "b a", "a"),
}


@pytest.mark.parametrize("name", FIXED)
def test_fixed_values_are_the_only_ones(folder: Path, name: str) -> None:
    fixed, *others = FIXED[name]
    said = f"type='xs:{name}' fixed='{fixed}'"
    made = Made(
        folder,
        f"<xs:element name='r'><xs:complexType><xs:sequence><xs:element name='b' minOccurs='0' {said}/>"
        f"</xs:sequence><xs:attribute name='a' {said}/></xs:complexType></xs:element>",
    )
    assert made.package.FORMAT.unread == ()
    assert made.agrees("<r/>")
    seen = [0, 0]
    for text in (fixed, *others):
        seen[made.agrees(f'<r a="{text}"/>')] += 1
        seen[made.agrees(f"<r><b>{text}</b></r>")] += 1
    assert min(seen) > 0
    form = made.package.FORMAT
    document = pb.read("a.xml", text=f'<r a="{fixed}"/>', format=form)
    assert form.elements["r"].attributes[0].default == document.a
    document.a = other_value(document.a)
    (found,) = pb.validate(document)
    assert (found.code, "it must be" in found.message) == ("PB018", True)


def other_value(value: Any) -> Any:
    """A value of the same type, which is not the only one that is allowed."""
    if isinstance(value, tuple):
        return value[::-1]
    if isinstance(value, str):
        return value.replace("-31", "-30").replace(".1", ".2").replace("a", "b")
    return not value if isinstance(value, bool) else value + 1


def test_numbers_that_are_too_long_are_never_read(folder: Path) -> None:
    """A double cannot hold them."""
    long = "9" * 400
    listed = restricted("integer", f"enumeration={long}", "enumeration=3")
    made = Made(
        folder,
        f"<xs:element name='r'><xs:complexType><xs:attribute name='a'>{listed}</xs:attribute>"
        f"<xs:attribute name='b' type='xs:integer' fixed='{long}'/></xs:complexType></xs:element>",
    )
    assert made.agrees('<r a="3"/>')
    for text in ('<r a="4"/>', f'<r a="{long}"/>', '<r b="4"/>', f'<r b="{long}"/>'):
        found = pb.check("a.xml", text=text, format=made.package.FORMAT)
        assert {each.severity for each in found} == {"error"}, text


KEYS = """<xs:element name='r'><xs:complexType><xs:sequence>
<xs:element name='b' minOccurs='0' maxOccurs='unbounded'><xs:complexType>
  <xs:attribute name='id' type='xs:ID'/><xs:attribute name='to' type='xs:IDREF'/>
  <xs:attribute name='all' type='xs:IDREFS'/></xs:complexType></xs:element>
<xs:element name='c' type='xs:IDREF' minOccurs='0' maxOccurs='unbounded'/></xs:sequence>
<xs:attribute name='key' type='Key'/></xs:complexType></xs:element>
<xs:simpleType name='Key'>
  <xs:restriction base='xs:ID'><xs:maxLength value='3'/></xs:restriction></xs:simpleType>"""


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('<r key="a"><b id="b" to="a"/><b to="c" all="a b"/><b id="c"/><c>a</c></r>', []),
        ('<r key="a"><b id=" a "/></r>', ["PB031"]),
        ('<r><b id="b"/><b id="b"/></r>', ["PB031"]),
        ('<r><b to="none"/></r>', ["PB032"]),
        ('<r key="a"><b all="a none"/></r>', ["PB032"]),
        ('<r key="a"><c>none</c></r>', ["PB032"]),
        ('<r key="1"/>', ["PB026"]),
        ('<r key="abcd"/>', ["PB026"]),
        ('<r><b all=""/></r>', ["PB086"]),
    ],
)
def test_identifiers_are_unique_and_references_lead_to_one(folder: Path, text: str, codes: list[str]) -> None:
    made = Made(folder, KEYS)
    assert made.package.FORMAT.unread == ()
    assert made.agrees(text) is (codes == [])
    assert [each.code for each in pb.check("a.xml", text=text, format=made.package.FORMAT)] == codes


TOKENS = """<xs:element name='r'><xs:complexType><xs:sequence>
<xs:element name='k' type='Named' maxOccurs='unbounded'/><xs:element name='u' type='Named' minOccurs='0'/>
</xs:sequence></xs:complexType><xs:key name='key'><xs:selector xpath='k'/><xs:field xpath='@n'/></xs:key>
<xs:keyref name='use' refer='key'><xs:selector xpath='u'/><xs:field xpath='@n'/></xs:keyref></xs:element>
<xs:complexType name='Named'><xs:attribute name='n' type='xs:token'/></xs:complexType>"""


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('<r><k n=" a "/><u n="a"/></r>', []),
        ('<r><k n="a  b"/><u n="a&#10;b"/></r>', []),
        ('<r><k n="a"/><k n=" a"/></r>', ["PB031"]),
        ('<r><k n="ab"/><u n="a b"/></r>', ["PB032"]),
    ],
)
def test_blanks_around_tokens_are_no_part_of_keys(folder: Path, text: str, codes: list[str]) -> None:
    made = Made(folder, TOKENS)
    assert made.agrees(text) is (codes == [])
    assert [each.code for each in pb.check("a.xml", text=text, format=made.package.FORMAT)] == codes


def test_numbers_of_digits_are_named(folder: Path) -> None:
    for base, facet in (("integer", "totalDigits=3"), ("decimal", "fractionDigits=2")):
        made = Made(folder, f"<xs:element name='r'>{restricted(base, facet)}</xs:element>")
        assert any("numbers of digits are not enforced" in each for each in made.package.FORMAT.unread)


ORDER = """<xs:element name='trip'><xs:complexType><xs:sequence>
<xs:element name='day' type='xs:date'/><xs:element name='stop' maxOccurs='3' type='xs:string'/>
<xs:element name='cost' type='xs:double' minOccurs='0'/></xs:sequence></xs:complexType></xs:element>"""


def test_leaves_can_be_fields(folder: Path) -> None:
    text = "<trip><day>2026-01-31</day><stop>A</stop><stop>B</stop><cost>3</cost></trip>"
    for leaves, day, cost in (("", "text", 3.0), ("fields", "", 3.0)):
        made = Made(folder, ORDER, leaves)
        trip = pb.read("a.xml", text=text, format=made.package.FORMAT)
        assert (trip.day.text if day else trip.day) == "2026-01-31"
        assert (trip.cost.text if day else trip.cost) == cost
        assert [stop.text for stop in trip.stop] == ["A", "B"]
        assert pb.write(trip) == text
        assert bool(made.package.FORMAT.unread) is (leaves == "fields")  # the order


def test_a_document_type_without_content_is_skipped(folder: Path) -> None:
    made = Made(folder, both("token"))
    kinds = ('SYSTEM "http://127.0.0.1:9/r.dtd"', "PUBLIC '-//X//R 1//EN' '/etc/passwd'", "")
    for kind in kinds:
        text = f'<?xml version="1.0"?>\n<!-- a --><!DOCTYPE r {kind}>\n<r a="x"><b>c</b></r>\n'
        (found,) = pb.check("a.xml", text=text, format=made.package.FORMAT)
        assert (found.code, found.severity, found.line, found.column) == ("PB027", "warning", 2, 11)
        document = pb.read("a.xml", text=text, format=made.package.FORMAT)
        assert pb.write(document) == text
        document.a = "y"
        assert pb.write(document) == text.replace('"x"', '"y"')
        wrong = pb.check("a.xml", text=text.replace("<b>", "<d>"), format=made.package.FORMAT)
        assert [each.line for each in wrong if each.severity == "error"][:1] == [3]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('<!DOCTYPE r [<!ENTITY e "x">]><r a="&e;"/>', "PB004"),
        ('<!DOCTYPE r SYSTEM "r.dtd" []><r/>', "PB004"),
        ('<!DOCTYPE r SYSTEM "r.dtd"><!DOCTYPE r><r/>', "PB004"),
        ('<!DOCTYPE r SYSTEM "r.dtd"><r a="&nbsp;"/>', "PB091"),
        ('<!DOCTYPE r SYSTEM "r.dtd"><r><b>&e;</b></r>', "PB091"),
        ("<!doctype r><r/>", "PB004"),
    ],
)
def test_other_document_types_are_refused(folder: Path, text: str, code: str) -> None:
    made = Made(folder, both("token"))
    found = pb.check("a.xml", text=text, format=made.package.FORMAT)
    assert code in [each.code for each in found if each.severity == "error"]


def test_messages_list_ten_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "many.xsd"
    body = "".join(f"<xs:element name='e{number}'/>" for number in range(40))
    path.write_text(f"{XS}{body}</xs:schema>", encoding="utf-8")
    assert run(path, folder / "many") == 2
    assert "e8, e9 and 30 more; choose with --root" in capsys.readouterr().err
    assert run(path, folder / "many", root="f") == 2
    assert "expected one of e0, e1" in (told := capsys.readouterr().err)
    assert "e9 and 30 more" in told
