"""The rows of contract.xml: what C shares with Cython and Python beyond the columns of model.xsd."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .model import Row
from .source import SCHEMAS, Node, place, validated

CT = "{urn:polybody:contract:1}"


@dataclass(frozen=True, slots=True)
class Codes:
    """An enumeration that is not the type of a column."""

    name: str
    doc: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Contract:
    """The content of contract.xml."""

    codes: tuple[Codes, ...]


def contract(path: Path = SCHEMAS / "contract.xml") -> Contract:
    """Read the contract.

    Raises:
        SchemaError: the file is not valid against the contract.xsd beside it, or beside the shipped one.
    """
    beside = path.with_name("contract.xsd")
    root = validated(path, beside if beside.exists() else SCHEMAS / "contract.xsd")
    return Contract(codes=tuple(_codes(node, path) for node in root.findall(f"{CT}codes")))


def _codes(node: Node, path: Path) -> Codes:
    rows = tuple(
        Row(row.attrib["name"], int(row.attrib["value"]), _text(row), place(row, path))
        for row in node.findall(f"{CT}code")
    )
    return Codes(node.attrib["name"], node.attrib["doc"], rows)


def _text(row: Node) -> str:
    return " ".join((row.text or "").split())
