"""XML files as trees with line numbers, and as XSD 1.1 schemas."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote, urlsplit

import xmlschema
from lxml import etree

from .model import Place, SchemaError

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
"""The folder of polybody's own schemas, in a checkout or an installation."""

Component: TypeAlias = Any
"""A component of xmlschema, whose type stubs are incomplete."""

Node: TypeAlias = Any
"""A node of a schema in lxml."""

XS = "{http://www.w3.org/2001/XMLSchema}"
XML = "http://www.w3.org/XML/1998/namespace"
XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
OTHERS = ("include", "import", "redefine", "override")
"""The elements by which a schema refers to other files."""
LONGEST = 16 << 20
"""Maximum size of a file of a schema in bytes."""
MOST_FILES = 1_000
"""Maximum number of files of one schema."""


def parse(path: Path) -> etree._ElementTree:
    """Parse a file, without entities, network or comments.

    Raises:
        SchemaError: it cannot be read, or is not well-formed.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        tree = etree.parse(BytesIO(_content(path)), parser, base_url=str(path))
    except etree.XMLSyntaxError as error:
        raise SchemaError(Place(path, error.lineno or 0), f"not well-formed XML: {error.msg}") from None
    if tree.docinfo.internalDTD is not None or tree.docinfo.system_url:
        raise SchemaError(Place(path, 1), "a schema has no document type; remove <!DOCTYPE ...>")
    return tree


def _content(path: Path) -> bytes:
    """The content of a regular file; a pipe or a device is not opened.

    Raises:
        SchemaError: it is not a file, cannot be read, or is too long.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SchemaError(Place(path), "is not a file; expected an XSD file")
        with path.open("rb") as file:
            data = file.read(LONGEST + 1)
    except (OSError, ValueError):
        raise SchemaError(Place(path), "cannot be read; check that the file exists") from None
    if len(data) > LONGEST:
        raise SchemaError(Place(path), f"has more than {LONGEST:,} bytes, more than a schema may")
    return data


def _parts(path: Path) -> dict[str, etree._ElementTree]:
    """A schema and the files that it includes or imports, directly or indirectly, by their real paths.

    All of them are checked here before anything else opens them.

    Raises:
        SchemaError: a file cannot be parsed, or there are too many.
    """
    found: dict[str, etree._ElementTree] = {}
    waiting = [path]
    while waiting:
        current = waiting.pop()
        real = os.path.realpath(current)
        if real in found:
            continue
        if len(found) == MOST_FILES:
            raise SchemaError(Place(current), f"more than {MOST_FILES} files in one schema")
        found[real] = parse(current)
        for location in _locations(found[real].getroot()):
            other = current.parent / location
            if os.path.lexists(other):  # missing files are reported where they are needed
                waiting.append(other)
    return found


def _locations(root: Node) -> Iterator[str]:
    """The paths of other files that a schema refers to."""
    named = [node.get("schemaLocation") for tag in OTHERS for node in root.iter(XS + tag)]
    named += (root.get(XSI + "schemaLocation") or "").split()[1::2]
    for location in filter(None, named):
        try:
            parts = urlsplit(location.strip())
        except ValueError:
            continue
        if parts.scheme in ("", "file") and "\0" not in parts.path:
            yield unquote(parts.path)


class Xsd:
    """A compiled schema with the lines of its nodes.

    xmlschema compiles trees of ElementTree, which have no lines; with lxml's trees it fails at extensions of
    content. Therefore it compiles its own tree, and each of its nodes is paired with lxml's node at the same
    position.
    """

    def __init__(self, path: Path) -> None:
        """Compile a schema.

        Raises:
            SchemaError: it is not a valid XSD 1.1 schema.
        """
        self.path = path
        self._parts = _parts(path)
        self.root: Node = self._parts[os.path.realpath(path)].getroot()
        if self.root.tag != XS + "schema":
            raise SchemaError(place(self.root, path), f"the root is <{self.root.tag}>, not xs:schema")
        self.roots = [self.root]
        self._nodes: dict[int, Node] = {}
        source = xmlschema.XMLResource(str(path), allow="local")
        self._pair(source.root, self.root)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.schema: Component = xmlschema.XMLSchema11(source, allow="local")
        except xmlschema.XMLSchemaException as error:
            node = self._nodes.get(id(getattr(error, "elem", None)))
            reason = getattr(error, "message", None) or str(error)
            raise SchemaError(place(node, path), f"not a valid XSD 1.1 schema: {reason}") from None
        except RecursionError:
            raise SchemaError(Place(path), "it is nested or derived too deeply") from None
        except Exception as error:  # any error of xmlschema and elementpath for an invalid schema
            raise SchemaError(Place(path), f"not a valid XSD 1.1 schema: {error}") from None
        self.warnings = tuple(str(warning.message) for warning in caught)
        self._pair_others(self.schema)
        self.prefixes = _prefixes(self.roots)

    def _pair_others(self, schema: Component) -> None:
        """The same for the files that a schema includes or imports."""
        seen, queue = {id(schema)}, [schema]
        while queue:
            current = queue.pop()
            for other in (*current.includes.values(), *current.imports.values()):
                if other is None or id(other) in seen:
                    continue
                seen.add(id(other))
                queue.append(other)
                part = self._parts.get(os.path.realpath(unquote(urlsplit(other.url).path)))
                self.roots.append((part or parse(Path(unquote(urlsplit(other.url).path)))).getroot())
                self._pair(other.source.root, self.roots[-1])

    def _pair(self, compiled: Node, numbered: Node) -> None:
        for one, other in zip(compiled.iter(), numbered.iter(), strict=True):
            self._nodes[id(one)] = other

    def space(self, node: Node) -> str:
        """The prefix of keys for names of a node's file, if it is of another namespace."""
        uri = node.getroottree().getroot().get("targetNamespace", "")
        return "" if uri in ("", self.schema.target_namespace) else f"{self.prefixes.get(uri, uri)}:"

    def node(self, component: Component) -> Node | None:
        """The node that declares a component; None for built-in ones."""
        return None if component is None else self._nodes.get(id(component.elem))


def _prefixes(roots: list[Node]) -> dict[str, str]:
    """The prefix of each namespace, as first declared in several schemas; all are different."""
    found = {XML: "xml"}
    for root in roots:
        for prefix, uri in root.nsmap.items():
            if prefix and prefix not in found.values():
                found.setdefault(uri, prefix)
    return found


def validated(path: Path, xsd: Path) -> Node:
    """The root of an XML file that is valid against ``xsd``.

    Raises:
        SchemaError: at the file's first error.
    """
    tree = parse(path)
    for error in Xsd(xsd).schema.iter_errors(tree):
        raise SchemaError(Place(path, error.sourceline or 0), f"{error.reason} (against {xsd.name})")
    return tree.getroot()


def place(node: Node | None, path: Path) -> Place:
    """The position of a node: in the file it was parsed from; without a line if there is no node."""
    if node is None:
        return Place(path)
    return Place(Path(node.getroottree().docinfo.URL or path), node.sourceline or 0)


def documentation(node: Node | None) -> str:
    """The text of a node's own ``xs:documentation``, white space collapsed."""
    parts = [] if node is None else node.findall(f"{XS}annotation/{XS}documentation")
    return " ".join(" ".join(part.text or "" for part in parts).split())
