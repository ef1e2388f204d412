"""Small schemas for the tests: a body of declarations becomes a file."""

from __future__ import annotations

from pathlib import Path

from polybody.codegen.schema import Schema, load

NAMESPACES = 'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:pb="urn:polybody:annotations:1"'


def write_schema(folder: Path, body: str, attributes: str = "", name: str = "small.xsd") -> Path:
    """Write a schema whose declarations begin on line 2."""
    path = folder / name
    path.write_text(f"<xs:schema {NAMESPACES}{attributes}>\n{body}\n</xs:schema>\n", encoding="utf-8")
    return path


def load_schema(folder: Path, body: str, attributes: str = "") -> Schema:
    return load(write_schema(folder, body, attributes))


def attribute(declaration: str) -> str:
    """A root element with one attribute, whose declaration stands on line 3."""
    return f'<xs:element name="root"><xs:complexType>\n{declaration}\n</xs:complexType></xs:element>'
