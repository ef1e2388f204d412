"""Compiled XSD components to a raw schema model; the passes of :mod:`.analyse` complete it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from xmlschema.validators import XsdAnyElement, XsdGroup

from .annotations import PB, vocabulary
from .model import UNBOUNDED, Attribute, Child, Element, Form, Kind, Schema, SchemaError
from .source import XS, Component, Node, compile_xsd, documentation, place
from .values import Values, status


def load_raw(path: Path) -> Schema:
    """Load a schema as it is written: no names of Python yet, nothing checked across declarations.

    Raises:
        SchemaError: not valid XSD 1.1, or an annotation that the vocabulary does not know.
    """
    xsd = compile_xsd(path)
    root = xsd.root
    vocabulary().check(root, path)
    said = vocabulary().values(root)
    loader = _Loader(xsd, path)
    roots = tuple(loader.element(element, "") for element in _roots(xsd))
    if not roots:
        raise SchemaError(place(root, path), "no global xs:element; declare the root of the documents")
    return Schema(
        format=said.get("format") or path.stem,
        version=said.get("version", ""),
        doc=documentation(root),
        place=place(root, path),
        roots=roots,
        elements=tuple(loader.elements.values()),
        enums=tuple(loader.values.enums.values()),
        annotated="format" in said,
        fold_case=said.get("case") == "fold",
        unread=tuple(loader.values.unread),
    )


def _roots(xsd: Component) -> list[Component]:
    """Global elements that no other declaration refers to; all of them if each is referred to."""
    every = list(xsd.elements.values())
    used = {node.get("ref", "").rpartition(":")[2] for node in xsd.root.iter(f"{XS}element")}
    return [element for element in every if element.local_name not in used] or every


class _Loader:
    """Walks declarations depth first; a type met again under the same tag is the element met first."""

    def __init__(self, xsd: Component, path: Path) -> None:
        self.path = path
        self.values = Values(path)
        self.elements: dict[str, Element] = {}
        self._keys: dict[tuple[str, int], str] = {}
        for tag in ("key", "unique", "keyref"):
            for node in xsd.root.iter(XS + tag):
                self.values.note(node, f"xs:{tag} is not enforced; pb:declares and pb:refers are")

    def element(self, declaration: Component, parent: str) -> str:
        """The key of an element declaration, loaded at its first meeting."""
        tag = declaration.local_name
        kind = declaration.type
        identity = (tag, id(kind) if kind.is_complex() else id(_own(declaration)))
        if identity in self._keys:
            return self._keys[identity]
        key = f"{parent}/{tag}" if parent else tag
        self._keys[identity] = key
        self.elements[key] = self._shell(declaration, key)  # reserves the place in document order
        self._note_unread(declaration)
        said = self._annotations(declaration)
        complex_type = kind.is_complex()
        attributes = tuple(self._attributes(declaration)) if complex_type else ()
        children, vendor = self._children(declaration, key)
        rules = [rule for node in self._nodes(declaration) for rule in vocabulary().rules(node, self.path)]
        self.elements[key] = replace(
            self.elements[key],
            attributes=attributes,
            children=children,
            text=self._text(declaration, said),
            vendor=vendor,
            rules=tuple(rules),
        )
        return key

    def _shell(self, declaration: Component, key: str) -> Element:
        said = self._annotations(declaration)
        docs = [documentation(node) for node in self._nodes(declaration)]
        return Element(
            key=key,
            tag=declaration.local_name,
            type_name=declaration.type.local_name or "" if declaration.type.is_complex() else "",
            doc=next((doc for doc in reversed(docs) if doc), ""),
            place=place(_own(declaration), self.path),
            status=status(said),
            ordered=said.get("ordered", False),
            fills=tuple(said.get("fills") or ()),
            wraps=said.get("wraps", False),
            include=said.get("include", ""),
            since=said.get("since", ""),
            until=said.get("until", ""),
            deprecated=said.get("deprecated", ""),
            axis=said.get("axis", ""),
            prefix=said.get("prefix", ""),
            count=said.get("count", ""),
            cls=said.get("class", ""),
        )

    def _nodes(self, declaration: Component) -> Iterator[Node]:
        """Nodes that speak of an element, the weakest first: its type, its global declaration, its own."""
        if declaration.type.is_complex() and declaration.type.elem is not None:
            yield declaration.type.elem
        if declaration.ref is not None and declaration.ref.elem is not None:
            yield declaration.ref.elem
        yield declaration.elem

    def _annotations(self, declaration: Component) -> dict[str, Any]:
        said: dict[str, Any] = {}
        for node in self._nodes(declaration):
            said.update(vocabulary().values(node))
        return said

    def _attributes(self, declaration: Component) -> Iterator[Attribute]:
        for name, attribute in declaration.type.attributes.items():
            if name is None:
                self.values.note(declaration.elem, "xs:anyAttribute lets nothing through")
            else:
                yield self._attribute(attribute, f"{declaration.local_name}_{name}")

    def _attribute(self, attribute: Component, label: str) -> Attribute:
        said: dict[str, Any] = {}
        docs = [""]
        for node in (attribute.ref.elem if attribute.ref is not None else None, attribute.elem):
            if node is not None:
                said.update(vocabulary().values(node))
                docs.append(documentation(node))
        meaning, default, type_doc = self.values.meaning(attribute.type, said)
        if attribute.fixed is not None:
            self.values.note(attribute.elem, "a fixed value is not enforced")
        return Attribute(
            name=attribute.local_name,
            forms=self.values.forms(attribute.type, label),
            doc=next((doc for doc in reversed(docs) if doc), type_doc),
            place=place(attribute.elem, self.path),
            required=attribute.use == "required",
            default=default if attribute.default is None else attribute.default,
            meaning=meaning,
            status=status(said),
            alias_of=said.get("aliasOf", ""),
            mistaken=tuple(said.get("mistaken") or ()),
            since=said.get("since", ""),
            until=said.get("until", ""),
            deprecated=said.get("deprecated", ""),
            field=said.get("field", ""),
        )

    def _text(self, declaration: Component, said: dict[str, Any]) -> Attribute | None:
        kind = declaration.type
        if kind.is_complex() and not kind.has_simple_content():
            if kind.has_mixed_content():
                self.values.note(declaration.elem, "mixed content: text between children is an error")
            return None
        simple = kind.content if kind.is_complex() else kind
        own = {} if kind.is_complex() else said
        forms = self.values.forms(simple, declaration.local_name)
        if len(forms) > 1:
            self.values.note(declaration.elem, "text of a union type is read as a string")
            forms = (Form(Kind.STRING),)
        meaning, default, doc = self.values.meaning(simple, own)
        return Attribute(
            name="text",
            forms=forms,
            doc=documentation(_own(declaration)) or doc,
            place=place(_own(declaration), self.path),
            required=not simple.is_valid(""),
            default=default if declaration.default is None else declaration.default,
            meaning=meaning,
            status=status(said),
        )

    def _children(self, declaration: Component, key: str) -> tuple[tuple[Child, ...], tuple[str, ...] | None]:
        kind = declaration.type
        if not kind.is_complex() or kind.has_simple_content() or kind.content is None:
            return (), None
        found: dict[str, Child] = {}
        vendor: tuple[str, ...] | None = None
        for particle, low, high in self._particles(kind.content, 1, 1):
            if isinstance(particle, XsdAnyElement):
                if PB + "vendor" not in particle.elem.attrib:
                    self.values.note(particle.elem, "xs:any lets nothing through")
                vendor = tuple(vocabulary().values(particle.elem).get("vendor") or ())
                continue
            tag = particle.local_name
            before = found.get(tag)
            if before is not None:
                low, high = before.low + low, _add(before.high, high)
            found[tag] = Child(
                tag=tag,
                element=self.element(particle, key),
                place=place(particle.elem, self.path),
                low=low,
                high=high,
                aliases=tuple(vocabulary().values(particle.elem).get("alias") or ()),
                field=vocabulary().values(particle.elem).get("field", ""),
            )
        return tuple(found.values()), vendor

    def _particles(self, group: Component, low: int, high: int) -> Iterator[tuple[Any, int, int]]:
        """The elements and wildcards of a content model with how often each may stand there."""
        low *= group.min_occurs
        high = _times(high, UNBOUNDED if group.max_occurs is None else group.max_occurs)
        if group.model == "choice" and len(group) > 1:
            if low:
                self.values.note(group.elem, "that a choice is made is not enforced")
            low = 0
        elif group.model == "sequence" and len(group) > 1 and high != UNBOUNDED:
            self.values.note(group.elem, "the order of an xs:sequence is not enforced")
        for particle in group:
            if isinstance(particle, XsdGroup):
                yield from self._particles(particle, low, high)
            else:
                most = UNBOUNDED if particle.max_occurs is None else particle.max_occurs
                yield particle, low * particle.min_occurs, _times(high, most)

    def _note_unread(self, declaration: Component) -> None:
        """What XSD says of this element and no table does."""
        note, kind = self.values.note, declaration.type
        if kind.is_complex():
            for assertion in kind.assertions:
                note(assertion.elem, "xs:assert is not enforced; say it as a rule in pb:rules")
        if declaration.alternatives:
            note(declaration.elem, "xs:alternative is not enforced")
        if declaration.nillable:
            note(declaration.elem, "xsi:nil is not read")
        if declaration.fixed is not None:
            note(declaration.elem, "a fixed value is not enforced")
        if declaration.substitution_group:
            note(declaration.elem, "substitution groups are not followed")


def _own(declaration: Component) -> Node:
    """The node that declares an element, not one that refers to it."""
    return declaration.ref.elem if declaration.ref is not None else declaration.elem


def _times(first: int, second: int) -> int:
    return 0 if 0 in (first, second) else UNBOUNDED if UNBOUNDED in (first, second) else first * second


def _add(first: int, second: int) -> int:
    return UNBOUNDED if UNBOUNDED in (first, second) else first + second
