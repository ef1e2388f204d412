"""XML files as trees that know their lines, and as XSD 1.1 schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import xmlschema
from lxml import etree

from .model import Place, SchemaError

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
"""The folder of polybody's own schemas; the same in a checkout and once installed."""

Component: TypeAlias = Any
"""A component of xmlschema; its stubs say little of what a compiled component has."""

Node: TypeAlias = Any
"""A node of a schema; xmlschema's stubs know ElementTree's only, here all are lxml's."""

XS = "{http://www.w3.org/2001/XMLSchema}"


def parse(path: Path) -> etree._ElementTree:
    """Parse a file, without entities, network or comments.

    Raises:
        SchemaError: it cannot be read, or is not well-formed.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        tree = etree.parse(path, parser)
    except etree.XMLSyntaxError as error:
        raise SchemaError(Place(path, error.lineno or 0), f"not well-formed XML: {error.msg}") from None
    except OSError:
        raise SchemaError(Place(path), "cannot be read; check the path") from None
    if tree.docinfo.internalDTD is not None or tree.docinfo.system_url:
        raise SchemaError(Place(path, 1), "a schema has no document type; remove <!DOCTYPE ...>")
    return tree


def compile_xsd(path: Path) -> Component:
    """Compile a schema over a tree with lines.

    Raises:
        SchemaError: it is not a valid XSD 1.1 schema.
    """
    tree = parse(path)
    root: Node = tree.getroot()
    if root.tag != XS + "schema":
        raise SchemaError(place(root, path), f"the root is <{root.tag}>, not xs:schema")
    try:
        return xmlschema.XMLSchema11(tree, base_url=path.parent.as_uri() if path.is_absolute() else None)
    except xmlschema.XMLSchemaException as error:
        line = getattr(getattr(error, "elem", None), "sourceline", None) or 0
        reason = getattr(error, "message", None) or str(error)
        raise SchemaError(Place(path, line), f"not a valid XSD 1.1 schema: {reason}") from None


def validated(path: Path, xsd: Path) -> Node:
    """The root of an XML file that is valid against ``xsd``.

    Raises:
        SchemaError: at the file's first fault.
    """
    tree = parse(path)
    for error in compile_xsd(xsd).iter_errors(tree):
        raise SchemaError(Place(path, error.sourceline or 0), f"{error.reason} (against {xsd.name})")
    return tree.getroot()


def place(node: Node, path: Path) -> Place:
    """Where a node stands; without a line if it comes from a file that another includes."""
    return Place(path, getattr(node, "sourceline", None) or 0)


def documentation(node: Node) -> str:
    """The text of a node's own ``xs:documentation``, white space collapsed."""
    texts = (part.text or "" for part in node.findall(f"{XS}annotation/{XS}documentation"))
    return " ".join(" ".join(texts).split())
