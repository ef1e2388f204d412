"""The pb: vocabulary: which annotations are allowed where, and their decoding; attributes are declared in
annotations.xsd, rules in :mod:`.rules`.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lxml import etree

from .model import Note, SchemaError
from .rules import KINDS, Rule
from .shapes import parsed as parsed_shape
from .source import SCHEMAS, XS, Node, Xsd, place

NAMESPACE = "urn:polybody:annotations:1"
PB = "{" + NAMESPACE + "}"


class Vocabulary:
    """The declarations of annotations.xsd: attributes by the XSD elements that may have them, and rules."""

    def __init__(self, path: Path) -> None:
        schema = Xsd(path).schema
        self._hosts = {
            name.removeprefix(PB): {key.removeprefix(PB): attribute.type for key, attribute in group.items()}
            for name, group in schema.attribute_groups.items()
        }
        self._elements = {element.local_name: element for element in schema.elements.values()}
        self._blocks = {
            name: tuple(part.local_name for part in element.type.content.iter_elements())
            for name, element in self._elements.items()
        } | {"rules": tuple(KINDS)}
        self._decoded: dict[tuple[str, str, str], Any] = {}

    def words(self) -> tuple[str, ...]:
        """Every name of the vocabulary, attributes then rules."""
        attributes = {name: None for names in self._hosts.values() for name in names}
        return (*attributes, *(name for names in self._blocks.values() for name in names))

    def check(self, root: Node, path: Path) -> None:
        """Reject annotations that are not in the vocabulary, with their line.

        Raises:
            SchemaError: an unknown name, a name on the wrong kind of node, or an invalid value.
        """
        for node in root.iter(etree.Element):
            if node.tag.startswith(PB):
                self._check_element(node, path)
                continue
            host = node.tag.removeprefix(XS)
            for name, value in node.attrib.items():
                if name.startswith(PB):
                    self._check_attribute(node, host, name.removeprefix(PB), value, path)

    def _check_attribute(self, node: Node, host: str, name: str, value: str, path: Path) -> None:
        allowed = self._hosts.get(host, {}) if host != "value" else {}
        if name not in allowed:
            homes = sorted(home for home, names in self._hosts.items() if name in names and home != "value")
            if homes:
                hint = "it belongs on " + " or ".join("xs:" + home for home in homes)
            else:
                hint = _hint(name, sorted({known for names in self._hosts.values() for known in names}))
            raise SchemaError(place(node, path), f"pb:{name} is not known on xs:{host}; {hint}")
        if (host, name, value) in self._decoded:
            return
        for error in allowed[name].iter_errors(value):
            raise SchemaError(place(node, path), f'pb:{name}="{value}": {error.reason}')
        try:
            self._decode(host, name, value)
        except ValueError as error:
            raise SchemaError(place(node, path), f'pb:{name}="{value}": {error}') from None

    def _check_element(self, node: Node, path: Path) -> None:
        """A ``pb:rules`` or ``pb:about`` with its content, which is allowed only there."""
        parent = node.getparent()
        name = node.tag.removeprefix(PB)
        if name not in self._blocks:
            if parent is None or parent.tag.removeprefix(PB) not in self._blocks:
                homes = " or ".join(f"pb:{block}" for block in self._blocks)
                raise SchemaError(place(node, path), f"<pb:{name}> is allowed in {homes} only")
            return
        if parent is None or parent.tag != XS + "appinfo":
            raise SchemaError(place(node, path), f"<pb:{name}> is allowed in xs:appinfo only")
        known = self._blocks[name]
        for part in node:
            kind = part.tag.removeprefix(PB)
            if kind not in known:
                what = "rule" if name == "rules" else f"part of pb:{name}"
                raise SchemaError(place(part, path), f"pb:{kind} is not a {what}; {_hint(kind, known)}")
        if name == "rules":
            for part in node:
                _rule(part, path)
            return
        for error in self._elements[name].iter_errors(node):
            line = getattr(error.elem, "sourceline", None) or node.sourceline
            raise SchemaError(place(node, path).at(line), f"in pb:{name}: {error.reason}")

    def values(self, node: Node | None) -> dict[str, Any]:
        """The annotations of a node, decoded."""
        if node is None:
            return {}
        host = node.tag.removeprefix(XS)
        return {
            name.removeprefix(PB): self._decode(host, name.removeprefix(PB), text)
            for name, text in node.attrib.items()
            if name.startswith(PB)
        }

    def _decode(self, host: str, name: str, text: str) -> Any:
        """An annotation's value: a schema has few different ones, each at many nodes."""
        key = host, name, text
        if key not in self._decoded:
            value = self._hosts[host][name].decode(text)
            value = parsed_shape(value) if name == "shape" else value
            self._decoded[key] = tuple(value) if isinstance(value, list) else value
        return self._decoded[key]

    def about(self, root: Node) -> dict[str, Any]:
        """A schema's annotations about the whole format, by the fields of the schema model."""
        notes: list[Note] = []
        templates: list[tuple[str, str]] = []
        foreign: list[tuple[str, str]] = []
        elsewhere = ""
        for part in root.findall(f"{XS}annotation/{XS}appinfo/{PB}about/*"):
            text = " ".join("".join(part.itertext()).split())
            if part.tag == PB + "note":
                notes.append(Note(tuple(part.get("on").split()), text))
            elif part.tag == PB + "template":
                templates.append((part.get("prefix"), text))
            elif part.tag == PB + "foreign":
                foreign.extend((ending, text) for ending in part.get("endings").split())
            else:
                elsewhere = part.get("variable")
        return {
            "notes": tuple(notes),
            "templates": tuple(templates),
            "foreign": tuple(foreign),
            "elsewhere": elsewhere,
        }

    def changes(self, node: Node | None) -> list[Node]:
        """The ``pb:change`` elements in a node's own ``xs:appinfo``, in order."""
        return [] if node is None else node.findall(f"{XS}annotation/{XS}appinfo/{PB}change")

    def rules(self, node: Node | None, path: Path) -> tuple[Rule, ...]:
        """The rules in a node's own ``xs:appinfo``, in order."""
        found = [] if node is None else node.findall(f"{XS}annotation/{XS}appinfo/{PB}rules/*")
        return tuple(_rule(rule, path) for rule in found)


def _hint(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"did you mean pb:{near[0]}?" if near else "annotations.xsd lists what there is"


def _rule(node: Node, path: Path) -> Rule:
    doc = " ".join("".join(node.itertext()).split())
    return KINDS[node.tag.removeprefix(PB)].parsed(node.attrib, doc, place(node, path))


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary of polybody's annotations.xsd."""
    return Vocabulary(SCHEMAS / "annotations.xsd")
