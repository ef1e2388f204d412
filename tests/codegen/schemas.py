"""Schemas for the tests: those of the checkout, loaded once, and small ones of their own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from polybody.codegen.generate import format_schemas, generate
from polybody.codegen.schema import SCHEMAS, Schema, load

NAMESPACES = 'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:pb="urn:polybody:annotations:1"'


FORMATS = [path.stem for path in format_schemas(SCHEMAS)]
"""The names of the formats with a schema in the checkout."""


@cache
def schema_of(name: str) -> Schema:
    """The schema of a format of the checkout, or of the canonical model."""
    return load(SCHEMAS / f"{name}.xsd")


@cache
def generated() -> dict[str, str]:
    """The result of the checkout's schemas, as returned by :func:`polybody.codegen.generate.generate`."""
    return generate()


def write_schema(folder: Path, body: str, attributes: str = "", name: str = "small.xsd") -> Path:
    """Write a schema whose declarations begin on line 2."""
    path = folder / name
    path.write_text(f"<xs:schema {NAMESPACES}{attributes}>\n{body}\n</xs:schema>\n", encoding="utf-8")
    return path


def load_schema(folder: Path, body: str, attributes: str = "") -> Schema:
    return load(write_schema(folder, body, attributes))


def attribute(declaration: str) -> str:
    """A root element with one attribute, which is declared on line 3."""
    return f'<xs:element name="root"><xs:complexType>\n{declaration}\n</xs:complexType></xs:element>'
