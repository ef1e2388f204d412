"""The rows of contract.xml: what C shares with Cython and Python beyond the columns of model.xsd."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .model import Place, Row, SchemaError
from .source import SCHEMAS, Node, place, validated

CT = "{urn:polybody:contract:1}"


@dataclass(frozen=True, slots=True)
class Codes:
    """An enumeration that is not the type of a column."""

    name: str
    doc: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class RecordField:
    """A field of a record: an array if it has a length; the address of a function if it has ``returns``."""

    name: str
    type: str
    doc: str
    place: Place
    length: int = 0
    returns: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """A struct; without fields it is defined elsewhere."""

    name: str
    doc: str
    fields: tuple[RecordField, ...]


@dataclass(frozen=True, slots=True)
class Callback:
    """A type of functions."""

    name: str
    returns: str
    arguments: str
    doc: str


@dataclass(frozen=True, slots=True)
class Contract:
    """The content of contract.xml; constants are lengths of arrays."""

    codes: tuple[Codes, ...]
    constants: tuple[Row, ...]
    records: tuple[Record | Callback, ...]


def contract(path: Path = SCHEMAS / "contract.xml") -> Contract:
    """Read the contract.

    Raises:
        SchemaError: the file is not valid against the contract.xsd beside it, or beside the shipped one.
    """
    beside = path.with_name("contract.xsd")
    root = validated(path, beside if beside.exists() else SCHEMAS / "contract.xsd")
    constants = tuple(_row(node, path) for node in root.findall(f"{CT}constant"))
    lengths = {row.name: row.code for row in constants}
    return Contract(
        codes=tuple(_codes(node, path) for node in root.findall(f"{CT}codes")),
        constants=constants,
        records=tuple(
            _callback(node) if node.tag == f"{CT}callback" else _record(node, path, lengths)
            for node in root.iterchildren(f"{CT}callback", f"{CT}record")
        ),
    )


def _codes(node: Node, path: Path) -> Codes:
    rows = tuple(_row(row, path) for row in node.findall(f"{CT}code"))
    return Codes(node.attrib["name"], node.attrib["doc"], rows)


def _row(row: Node, path: Path) -> Row:
    return Row(row.attrib["name"], int(row.attrib["value"]), _text(row), place(row, path))


def _callback(node: Node) -> Callback:
    return Callback(node.attrib["name"], node.attrib["returns"], node.attrib["arguments"], _text(node))


def _record(node: Node, path: Path, lengths: dict[str, int]) -> Record:
    fields = tuple(_field(field, path, lengths) for field in node.iterchildren(f"{CT}field", f"{CT}call"))
    return Record(node.attrib["name"], node.attrib["doc"], fields)


def _field(node: Node, path: Path, lengths: dict[str, int]) -> RecordField:
    said, own = node.attrib, place(node, path)
    length = said.get("length", "0")
    if not length.isdecimal() and length not in lengths:
        raise SchemaError(own, f'there is no constant "{length}"')
    return RecordField(
        name=said["name"],
        type=said.get("type", ""),
        doc=_text(node),
        place=own,
        length=int(length) if length.isdecimal() else lengths[length],
        returns=said.get("returns", ""),
        arguments=said.get("arguments", ""),
    )


def _text(row: Node) -> str:
    return " ".join((row.text or "").split())
