"""Malicious schemas: each is rejected with a message or gives a working reader, quickly and with little
memory.

They run in processes whose memory and time are limited by the operating system.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.reading import limits

if sys.platform == "win32":
    pytest.skip("no resource limits on Windows", allow_module_level=True)

RUN = """
import contextlib, importlib
import polybody as pb
from polybody.codegen.command import run

sys.path.insert(0, sys.argv[1])
folder = pathlib.Path(sys.argv[1])
for number, (name, document) in enumerate(json.load(sys.stdin)):
    allow_more_time()
    with contextlib.redirect_stdout(sys.stderr):
        refused = run(folder / f"{name}.xsd", folder / f"made{number}")
    codes = []
    if not refused:
        form = importlib.import_module(f"made{number}.tables").FORMAT
        codes = sorted({finding.code for finding in pb.check("d.xml", text=document, format=form)})
        if not codes:
            read = pb.read("d.xml", text=document, format=form)
            again = pb.read("again.xml", text=pb.write(read), format=form)
            assert again == read, (pb.write(read), pb.write(again))
            assert repr(again) == repr(read)
    print(json.dumps([name, refused, codes]), flush=True)
"""
HEAD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">'
MANY = "9" * 400
NAMES = (
    *(
        "_order",
        "_position",
        "_source",
        "_children",
        "_kinds",
        "__slots__",
        "__dict__",
        "__eq__",
        "__module__",
    ),
    *("__class__", "__init__", "__getattr__", "__doc__", "__hash__", "__reduce__", "_", "__", "self", "cls"),
    *(
        "None",
        "class",
        "TAG",
        "tag",
        "children",
        "walk",
        "source",
        "span",
        "FIELDS",
        "CARRIED",
        "mro",
        "text",
    ),
    *(
        "attributes",
        "elements",
        "tail",
        "content",
        "Node",
        "dataclass",
        "field",
        "Any",
        "Enum",
        "list",
        "dict",
    ),
    *("ClassVar", "Mapping", "FORMAT", "format", "UNTYPED", "_value_", "name", "value", "__post_init__"),
)


def schema(body: str) -> str:
    return f"{HEAD}{body}</xs:schema>"


def children(inside: str) -> str:
    body = f"<xs:complexType><xs:sequence>{inside}</xs:sequence></xs:complexType>"
    return schema(f'<xs:element name="a">{body}</xs:element>')


def attributes(inside: str) -> str:
    return schema(f'<xs:element name="a"><xs:complexType>{inside}</xs:complexType></xs:element>')


def restricted(facets: str, base: str = "xs:string") -> str:
    body = f'<xs:simpleType><xs:restriction base="{base}">{facets}</xs:restriction></xs:simpleType>'
    return attributes(f'<xs:attribute name="x">{body}</xs:attribute>')


def pattern(text: str) -> str:
    return restricted(f'<xs:pattern value="{text}"/>')


def each(template: str, names: tuple[str, ...] = NAMES) -> str:
    return "".join(template.format(name) for name in names)


def inside(elements: str) -> str:
    return f"<a>{elements}</a>"


ONE = '<xs:complexType><xs:attribute name="i"/></xs:complexType>'
GROUPS = "".join(
    f'<xs:group name="g{i}"><xs:sequence><xs:group ref="g{i + 1}"/><xs:group ref="g{i + 1}"/></xs:sequence>'
    "</xs:group>"
    for i in range(30)
)
UNIONS = "".join(
    f'<xs:simpleType name="t{i + 1}"><xs:union memberTypes="t{i} t{i}"/></xs:simpleType>' for i in range(25)
)
DERIVED = "".join(
    f'<xs:complexType name="t{i}"><xs:complexContent><xs:extension base="t{i + 1}"/></xs:complexContent>'
    "</xs:complexType>"
    for i in range(1500)
)
INSIDE = '<xs:complexType><xs:sequence><xs:element name="b">'
OUTSIDE = "</xs:element></xs:sequence></xs:complexType>"
LONG = "<a x='" + "a" * 40 + "'/>"

MADE: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "texts": (
        children(each('<xs:element name="{}" type="xs:string" maxOccurs="unbounded"/>')),
        inside(each("<{0}>q</{0}><{0}/>")),
        (),
    ),
    "lists": (
        children(each(f'<xs:element name="{{}}" maxOccurs="unbounded">{ONE}</xs:element>')),
        inside(each('<{0} i="1"/><{0}/>')),
        (),
    ),
    "ones": (
        children(each(f'<xs:element name="{{}}">{ONE}</xs:element>')),
        inside(each('<{0} i="1"/>')),
        (),
    ),
    "attributes": (
        attributes(each('<xs:attribute name="{}" type="xs:double"/>')),
        "<a " + each('{}="1" ') + "/>",
        (),
    ),
    "keywords": (restricted(each('<xs:enumeration value="{}"/>')), "<a x='__dict__'/>", ()),
    "odd keywords": (
        restricted(
            each('<xs:enumeration value="{}"/>', ("&quot;", "\\", "\u00e9", "1", "a b", "MRO", "mro"))
        ),
        "<a x='mro'/>",
        (),
    ),
    "types": (
        schema(
            each('<xs:complexType name="{}"><xs:attribute name="i"/></xs:complexType>')
            + '<xs:element name="a"><xs:complexType><xs:sequence>'
            + each('<xs:element name="x{0}" type="{0}"/>')
            + "</xs:sequence></xs:complexType></xs:element>"
        ),
        inside(each('<x{0} i="1"/>')),
        (),
    ),
    "root": (schema(f'<xs:element name="__dict__">{ONE}</xs:element>'), "<__dict__ i='1'/>", ()),
    "257 kinds": (
        children("".join(f'<xs:element name="e{i}" minOccurs="0">{ONE}</xs:element>' for i in range(257))),
        "<a><e0/><e256/></a>",
        (),
    ),
    "more than 64 bits": (
        children(f'<xs:element name="e" maxOccurs="{10**26}">{ONE}</xs:element>'),
        "<a><e/><e/></a>",
        (),
    ),
    "more than 32 bits": (
        children(f'<xs:element name="e" maxOccurs="{2**32 + 1}">{ONE}</xs:element>'),
        "<a><e/><e/></a>",
        (),
    ),
    "a double of 400 digits": (
        restricted(f'<xs:maxInclusive value="{MANY}"/>', "xs:double"),
        "<a x='1'/>",
        (),
    ),
    "an integer of 400 digits": (
        restricted(f'<xs:maxInclusive value="{MANY}"/>', "xs:integer"),
        "<a x='1'/>",
        (),
    ),
    "a length of 400 digits": (restricted(f'<xs:maxLength value="{MANY}"/>'), "<a x='1'/>", ()),
    "nested repetitions": (pattern("(a+)+b"), LONG, ("PB026",)),
    "overlapping choices": (pattern("(a|aa)+b"), LONG, ("PB026",)),
    "optional parts": (pattern("(a?){40}a{40}"), LONG, ()),
    "repetitions in a row": (pattern("a*a*a*a*a*a*a*b"), "<a x='" + "a" * 20_000 + "'/>", ("PB026",)),
    "a million times": (pattern("a{1000000}"), LONG, ("PB026",)),
}
REFUSED: dict[str, str] = {
    "2,001 children": children(
        "".join(f'<xs:element name="e{i}" minOccurs="0">{ONE}</xs:element>' for i in range(2001))
    ),
    "40,000 attributes": attributes("".join(f'<xs:attribute name="e{i}"/>' for i in range(40_000))),
    "at least 26 digits": children(f'<xs:element name="e" minOccurs="{10**26}" maxOccurs="unbounded"/>'),
    "5,000 digits": restricted(f'<xs:maxInclusive value="{"9" * 5000}"/>', "xs:integer"),
    "a shortest length of 400 digits": restricted(f'<xs:minLength value="{MANY}"/>'),
    "repetitions of repetitions": pattern("(((a{100}b){100}){100}){100}"),
    "a repetition of 20 digits": pattern("a{99999999999999999999}"),
    "3,000 parentheses": pattern("(" * 3000 + "a" + ")" * 3000),
    "no block of Unicode": pattern(r"\p{IsFoo}"),
    "3,000 parentheses in an assert": schema(
        '<xs:element name="a"><xs:complexType><xs:attribute name="x" type="xs:double"/>'
        f'<xs:assert test="{"(" * 3000}@x{")" * 3000} > 1"/></xs:complexType></xs:element>'
    ),
    "groups that double": schema(
        GROUPS + '<xs:group name="g30"><xs:sequence><xs:element name="e"/></xs:sequence></xs:group>'
        '<xs:element name="a"><xs:complexType><xs:group ref="g0"/></xs:complexType></xs:element>'
    ),
    "unions that double": schema(
        '<xs:simpleType name="t0"><xs:restriction base="xs:string"/></xs:simpleType>'
        + UNIONS
        + '<xs:element name="a" type="t25"/>'
    ),
    "1,500 types derived": schema(DERIVED + '<xs:complexType name="t1500"/><xs:element name="a" type="t0"/>'),
    "1,500 deep": schema(
        f'<xs:element name="a">{INSIDE * 1500}<xs:complexType/>{OUTSIDE * 1500}</xs:element>'
    ),
    "a document type": '<!DOCTYPE x [<!ENTITY a "b">]>' + schema('<xs:element name="a"/>'),
    "a part with a document type": schema('<xs:include schemaLocation="entity.xsd"/><xs:element name="a"/>'),
    "a pipe": schema('<xs:include schemaLocation="pipe.xsd"/><xs:element name="a"/>'),
    "an imported pipe": schema(
        '<xs:import namespace="urn:x" schemaLocation="pipe.xsd"/><xs:element name="a"/>'
    ),
    "a device": schema('<xs:include schemaLocation="/dev/zero"/><xs:element name="a"/>'),
    "a link to itself": schema('<xs:include schemaLocation="loop.xsd"/><xs:element name="a"/>'),
    "no URI": schema('<xs:include schemaLocation="http://[::1"/><xs:element name="a"/>'),
    "another machine": schema('<xs:include schemaLocation="http://localhost:9/x"/><xs:element name="a"/>'),
    "nothing": "",
    "no XML": "<a",
    "zeros": "\0" * 100,
}


def run(folder: Path, cases: dict[str, tuple[str, str]]) -> dict[str, tuple[int, list[str]]]:
    """By name: whether a schema was rejected, and the codes of its reader's findings about a document."""
    (folder / "entity.xsd").write_text('<!DOCTYPE x [<!ENTITY a "b">]>' + schema('<xs:element name="b"/>'))
    (folder / "loop.xsd").symlink_to("loop.xsd")
    os.mkfifo(folder / "pipe.xsd")
    for name, (text, _) in cases.items():
        (folder / f"{name}.xsd").write_text(text, encoding="utf-8")
    given = [[name, document] for name, (_, document) in cases.items()]
    rows = limits.run(RUN, folder, given=given)
    return {name: (refused, codes) for name, refused, codes in rows}


def test_schemas_that_are_odd_make_readers(tmp_path: Path) -> None:
    found = run(tmp_path, {name: (text, document) for name, (text, document, _) in MADE.items()})
    assert found == {name: (0, list(codes)) for name, (_, _, codes) in MADE.items()}


def test_schemas_that_mean_harm_are_refused(tmp_path: Path) -> None:
    found = run(tmp_path, {name: (text, "<a/>") for name, text in REFUSED.items()})
    assert found == {name: (2, []) for name in REFUSED}
