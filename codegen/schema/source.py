"""XML files as trees with line numbers, and as XSD 1.1 schemas."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Callable, Iterator, Mapping
from email.message import Message
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias
from urllib.error import URLError
from urllib.parse import unquote, urlsplit
from urllib.request import BaseHandler, OpenerDirector, Request
from urllib.response import addinfourl

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
MAX_FILES = 1_000
"""Maximum number of files of one schema."""
Read: TypeAlias = Callable[[Path], bytes]
"""Reads a file of a schema, up to a byte more than `LONGEST`. It raises an OSError or a ValueError for a file
that cannot be read, and a SchemaError for one that may not be.
"""


def read_file(path: Path) -> bytes:
    """Read any regular file: a `Read` for schemas that are trusted, as those of polybody are.

    Raises:
        SchemaError: it is a pipe, a device or a folder.
        OSError, ValueError: it cannot be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise SchemaError(Place(path), "is not a file; expected an XSD file")
    with path.open("rb") as file:
        return file.read(LONGEST + 1)


def parse(path: Path, data: bytes | None = None) -> etree._ElementTree:
    """Parse a file, or its content, without entities, network or comments.

    Raises:
        SchemaError: it cannot be read, or is not well-formed.
    """
    data = _content(path, read_file) if data is None else data
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        tree = etree.parse(BytesIO(data), parser, base_url=str(path))
    except etree.XMLSyntaxError as error:
        raise SchemaError(Place(path, error.lineno or 0), f"not well-formed XML: {error.msg}") from None
    if tree.docinfo.internalDTD is not None or tree.docinfo.system_url:
        raise SchemaError(Place(path, 1), "a schema has no document type; remove <!DOCTYPE ...>")
    return tree


def _content(path: Path, read: Read) -> bytes:
    """The content of a file.

    Raises:
        SchemaError: it is not a file, cannot be read, or is too long.
    """
    try:
        data = read(path)
    except (OSError, ValueError):
        raise SchemaError(Place(path), "cannot be read; check that the file exists") from None
    if len(data) > LONGEST:
        raise SchemaError(Place(path), f"has more than {LONGEST:,} bytes, more than a schema may")
    return data


class _Part:
    """A file of a schema: its tree and the bytes from which it was parsed."""

    def __init__(self, path: Path, read: Read) -> None:
        self.data = _content(path, read)
        self.tree = parse(path, self.data)


def _parts(path: Path, read: Read) -> dict[str, _Part]:
    """A schema and the files that it includes or imports, directly or indirectly, by their real paths.

    Each is read once, here; xmlschema gets the same bytes.

    Raises:
        SchemaError: a file cannot be parsed, or there are too many.
    """
    found: dict[str, _Part] = {}
    waiting = [path]
    while waiting:
        current = waiting.pop()
        real = _real(current)
        if real in found:
            continue
        if len(found) == MAX_FILES:
            raise SchemaError(Place(current), f"more than {MAX_FILES} files in one schema")
        found[real] = _Part(current, read)
        for location in _locations(found[real].tree.getroot()):
            other = current.parent / location
            if os.path.lexists(other):  # missing files are reported where they are needed
                waiting.append(other)
    return found


def _real(path: Path) -> str:
    """A path with links resolved.

    Raises:
        SchemaError: a link is replaced at the same time.
    """
    try:
        return os.path.realpath(path)
    except OSError:
        raise SchemaError(Place(path), "cannot be read; check that the file exists") from None


class _Held(BaseHandler):
    """Opens URLs of files for xmlschema: those of a schema, which were read, and xmlschema's own."""

    def __init__(self, parts: Mapping[str, _Part]) -> None:
        self._parts = parts

    def file_open(self, request: Request) -> addinfourl:
        path = _real(Path(unquote(urlsplit(request.full_url).path)))
        part = self._parts.get(path)
        if part is None and Path(path).is_relative_to(_XMLSCHEMA):
            return addinfourl(BytesIO(read_file(Path(path))), Message(), request.full_url)
        if part is None:
            raise URLError("there is no such file")
        return addinfourl(BytesIO(part.data), Message(), request.full_url)


_XMLSCHEMA = Path(os.path.realpath(xmlschema.__file__)).parent


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

    def __init__(self, path: Path, read: Read = read_file) -> None:
        """Compile a schema, whose files ``read`` reads.

        Raises:
            SchemaError: it is not a valid XSD 1.1 schema.
        """
        self.path = path
        self._parts = _parts(path, read)
        self.root: Node = next(iter(self._parts.values())).tree.getroot()
        if self.root.tag != XS + "schema":
            raise SchemaError(place(self.root, path), f"the root is <{self.root.tag}>, not xs:schema")
        self.roots = [self.root]
        self._nodes: dict[int, Node] = {}
        opener = OpenerDirector()
        opener.add_handler(_Held(self._parts))
        try:
            source = xmlschema.XMLResource(str(path), allow="local", opener=opener)
            self._pair(source.root, self.root)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.schema: Component = xmlschema.XMLSchema11(source, allow="local", opener=opener)
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
                path = Path(unquote(urlsplit(other.url).path))
                part = self._parts.get(_real(path))
                self.roots.append((parse(path) if part is None else part.tree).getroot())
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
    """The prefix of each namespace, as first declared in several schemas; all are different. Where none is
    declared for the namespace of a file, one is made up.
    """
    found = {XML: "xml"}
    inner = (node for root in roots for node in root.iter(etree.Element))
    for node in (*roots, *inner):
        for prefix, uri in node.nsmap.items():
            if prefix and prefix not in found.values():
                found.setdefault(uri, prefix)
    own, *others = (root.get("targetNamespace", "") for root in roots)
    for uri in others:
        if uri not in ("", own):
            numbers = (f"ns{number}" for number in count(1))
            found.setdefault(uri, next(prefix for prefix in numbers if prefix not in found.values()))
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
