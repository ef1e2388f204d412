"""From compiled XSD components to a raw schema model, which the passes of :mod:`.analyse` complete."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from xmlschema.validators import XsdAnyElement, XsdGroup

from .annotations import vocabulary
from .content import constraints, content_model, repeats_sequence
from .keys import of_place, of_type, renamed, shortened
from .lexical_forms import Values, meaning, status
from .model import Attribute, Change, Child, Element, Schema, SchemaError, Status, Wildcard, listed
from .source import XML, XS, Component, Node, Read, Xsd, documentation, place, read_file
from .types import MOST, UNBOUNDED, Form, Kind, Type

MAX_ELEMENTS = 20_000
"""Maximum number of kinds of elements in a schema."""
MAX_PARTS = 100_000
"""Maximum number of groups in content models, counted at each use."""
MAX_FIELDS = 2_000
"""Maximum number of attributes and children of one kind of element."""

MIXED = Type(forms=(Form(Kind.STRING, collapsed=True),))
"""The text of an element that also has children."""


def load_raw(path: Path, root: str = "", read: Read = read_file, leaves: str = "") -> Schema:
    """Load a schema without Python names and without checks across declarations. ``leaves`` stands for a
    ``pb:leaves`` that the schema does not say.

    Raises:
        SchemaError: not valid XSD 1.1, or an unknown annotation.
    """
    xsd = Xsd(path, read)
    for tree in xsd.roots:
        vocabulary().check(tree, path)
    said = vocabulary().values(xsd.root)
    loader = _Loader(xsd, leaves)
    roots = [loader.element(element) for element in _roots(xsd, root)]
    keys = shortened(loader.elements.values(), loader.short)
    return Schema(
        format=said.get("format") or path.stem,
        version=said.get("version", ""),
        doc=documentation(xsd.root),
        place=place(xsd.root, path),
        roots=tuple(keys[key] for key in roots),
        elements=tuple(renamed(element, keys) for element in loader.elements.values()),
        enums=tuple(loader.values.enums.values()),
        annotated="format" in said,
        marked_roots=any(_is_marked(node) for node in xsd.root),
        fold_case=said.get("case") == "fold",
        version_in=said.get("versionIn", ""),
        oldest=said.get("oldest", ""),
        releases=tuple(said.get("releases") or ()),
        ignores_text=said.get("text") == "ignored",
        ignores_namespace=said.get("namespace") == "ignored",
        qualified=loader.qualified,
        namespace=xsd.schema.target_namespace if loader.qualified else "",
        prefix=xsd.prefixes.get(xsd.schema.target_namespace, "") if loader.qualified else "",
        status=status(said),
        every_path=said.get("paths") == "every",
        unread=tuple(loader.values.unread),
        files=_files(xsd),
        prefixes=tuple(loader.prefixes.items()),
        **vocabulary().about(xsd.root),
    )


def _files(xsd: Xsd) -> tuple[str, ...]:
    """The files of a schema, relative to its own folder; its own first."""
    folder = xsd.path.resolve().parent
    paths = (Path(tree.getroottree().docinfo.URL).resolve() for tree in xsd.roots)
    first, *others = (Path(os.path.relpath(path, folder)).as_posix() for path in paths)
    return (first, *sorted(others))


def _roots(xsd: Xsd, tag: str) -> list[Component]:
    """The global element of a tag. Without a tag: those marked as roots, else those that are not used in
    others by name or as substitutes, else all.

    Raises:
        SchemaError: there is none.
    """
    every = list(xsd.schema.elements.values())
    if tag:
        wanted = [element for element in every if element.local_name == tag]
        if not wanted:
            known = listed([element.local_name for element in every]) or "none"
            raise SchemaError(
                place(xsd.root, xsd.path), f"no global xs:element {tag}; expected one of {known}"
            )
        return wanted
    if not every:
        raise SchemaError(
            place(xsd.root, xsd.path), "no global xs:element; declare the root of the documents"
        )
    marked = [element for element in every if _is_marked(xsd.node(element))]
    if marked:
        return marked
    references = (node.get("ref", "") for tree in xsd.roots for node in tree.iter(f"{XS}element"))
    used = {reference.rpartition(":")[2] for reference in references}
    alone = [element for element in every if not (element.abstract or element.substitution_group)]
    return [element for element in alone if element.local_name not in used] or every


def _is_marked(node: Node | None) -> bool:
    """Whether a declaration marks the element as a possible root."""
    return bool(vocabulary().values(node).get("root"))


class _Loader:
    """Walks declarations depth first; a repeated key is the same element, as first loaded."""

    def __init__(self, xsd: Xsd, leaves: str) -> None:
        self._xsd = xsd
        self.path = xsd.path
        self.node = xsd.node
        self.values = Values(xsd)
        self.elements: dict[str, Element] = {}
        self.short: dict[str, str] = {}  # from full keys to shorter ones
        self._own_namespace = xsd.schema.target_namespace
        self._folds = vocabulary().values(xsd.root).get("leaves", leaves) == "fields"
        self._repeats = vocabulary().values(xsd.root).get("repeats") == "last"
        self._parts = 0  # number of groups of content models visited
        self.prefixes: dict[str, str] = {}  # of the names so far: prefix -> namespace
        for warning in xsd.warnings:
            self.values.note_at(xsd.root, warning)
        said = vocabulary().values(xsd.root)
        ignored = said.get("namespace") == "ignored"
        annotated = "format" in said
        self._spaces = not annotated or (bool(self._own_namespace) and not ignored)

    @property
    def qualified(self) -> bool:
        """Whether documents have names in namespaces, with prefixes of their choice."""
        return self._spaces and bool(self._own_namespace or self.prefixes)

    def name(self, declaration: Component) -> str:
        """The name of an element or attribute in documents: with a prefix if it is in another namespace."""
        uri, _, local = str(declaration.name).removeprefix("{").rpartition("}")
        if uri in ("", self._own_namespace):
            return local
        if uri != XML:  # the prefix of XML is declared everywhere
            self.prefixes.setdefault(self._xsd.prefixes[uri], uri)
        return f"{self._xsd.prefixes[uri]}:{local}"

    def _is_qualified(self, declaration: Component) -> bool:
        """Whether a name is in the target namespace, if the schema has one."""
        return self._spaces and bool(self._own_namespace) and _space(declaration) == self._own_namespace

    def _in_own_space(self, declaration: Component) -> bool:
        """The same for an element; always true for a schema without a namespace, or with names by prefix."""
        return not (self._spaces and self._own_namespace) or _space(declaration) != ""

    def element(self, declaration: Component) -> str:
        """The key of an element declaration, which is loaded on first use."""
        kind = declaration.type
        key = self._key(declaration)
        if key in self.elements:
            return key
        if len(self.elements) == MAX_ELEMENTS:
            here = place(self.node(declaration), self.path)
            raise SchemaError(here, f"more than {MAX_ELEMENTS:,} elements, which no reader is made for")
        self.elements[key] = self._shell(declaration, key)  # reserves its position in document order
        self._note_unread(declaration)
        said = self._annotations(declaration)
        complex_type = kind.is_complex()
        attributes = tuple(self._attributes(declaration)) if complex_type else ()
        children, leaves, wild = self._children(declaration)
        if len(attributes) + len(leaves) + len(children) > MAX_FIELDS:
            here = place(self.node(declaration), self.path)
            raise SchemaError(here, f"more than {MAX_FIELDS:,} attributes and children in one element")
        rules = [rule for node in self._nodes(declaration) for rule in vocabulary().rules(node, self.path)]
        self.elements[key] = replace(
            self.elements[key],
            attributes=(*attributes, *leaves),
            children=children,
            text=self._text(declaration, said),
            wild=wild,
            foreign=wild and _is_foreign(declaration.type),
            keeps=complex_type and _keeps(declaration.type),
            untyped=wild and not (children or leaves) and _is_free(declaration.type),
            wild_when=self._wild_when(declaration) if wild else "",
            wildcard=self._wildcard(declaration) if wild else Wildcard(),
            rules=tuple(rules),
            constraints=tuple(constraints(declaration, self._xsd)),
            **self._content(declaration, leaves),
        )
        return key

    def _content(self, declaration: Component, leaves: tuple[Attribute, ...]) -> dict[str, Any]:
        """The fields of an element that describe the order of its children."""
        kind = declaration.type
        if not kind.is_complex() or kind.has_simple_content() or kind.content is None:
            return {}
        content = content_model(kind.content, self.name, _replacing)
        if content is None:
            return {}
        if leaves:
            self.values.note(declaration, "the order of its children is not enforced, as some are fields")
            return {}
        ordered = self.elements[self._key(declaration)].ordered or repeats_sequence(content)
        return {"content": content, "ordered": ordered}

    def _wildcard(self, declaration: Component) -> Wildcard:
        """The namespaces of undeclared elements, if names have namespaces."""
        if not self._spaces:
            return Wildcard()
        content = declaration.type.content
        found = [part for part in content.iter_elements() if isinstance(part, XsdAnyElement)]
        if declaration.type.open_content is not None:
            found.append(declaration.type.open_content.any_element)
        limits = {_limits(part, self._own_namespace) for part in found}
        if len(limits) > 1 and all(limit.only for limit in limits):
            return Wildcard(only=tuple(sorted({uri for limit in limits for uri in limit.only})))
        if len(limits) > 1:
            self.values.note(declaration, "the namespaces of several wildcards are not enforced")
        return limits.pop() if len(limits) == 1 else Wildcard()

    def _wild_when(self, declaration: Component) -> str:
        """The attribute that is required for undeclared elements to occur in an element."""
        parts = declaration.type.content.iter_elements()
        nodes = (self.node(part) for part in parts if isinstance(part, XsdAnyElement))
        return next(filter(None, (vocabulary().values(node).get("when", "") for node in nodes)), "")

    def _key(self, declaration: Component) -> str:
        """The full key of a declaration; the shorter one is stored."""
        tag, kind = self.name(declaration), declaration.type
        named = kind.is_complex() and kind.name is not None and not declaration.identities
        typed = self.node(kind) if named else None
        if typed is None:
            own = self._own(declaration)
            key = of_place(own, tag, self._xsd.space(own))
        else:
            key = of_type(self._xsd.space(typed) + str(kind.local_name), tag)
        self.short[key.full] = key.short
        return key.full

    def _shell(self, declaration: Component, key: str) -> Element:
        said = self._annotations(declaration)
        docs = [documentation(node) for node in self._nodes(declaration)]
        return Element(
            key=key,
            tag=self.name(declaration),
            type_name=declaration.type.local_name or "" if declaration.type.is_complex() else "",
            doc=next((doc for doc in reversed(docs) if doc), ""),
            place=place(self._own(declaration), self.path),
            section=self.values.section(self._home(declaration)),
            status=status(said),
            ordered=said.get("ordered", False),
            fills=tuple(said.get("fills") or ()),
            wraps=said.get("wraps", False),
            include=said.get("include", ""),
            deprecated="" if "until" in said else said.get("deprecated", ""),
            axis=said.get("axis", ""),
            prefix=said.get("prefix", ""),
            count=said.get("count", ""),
            stage=said.get("stage", ""),
            example=tuple(said.get("example") or ()),
            cls=said.get("class", ""),
        )

    def _nodes(self, declaration: Component) -> Iterator[Node | None]:
        """Nodes with annotations of an element, lowest precedence first: its type, its global declaration,
        its own.
        """
        if declaration.type.is_complex():
            yield self.node(declaration.type)
        yield self.node(declaration.ref)
        yield self.node(declaration)

    def _own(self, declaration: Component) -> Node | None:
        """The node that declares an element, not a reference to it."""
        return self.node(declaration if declaration.ref is None else declaration.ref)

    def _annotations(self, declaration: Component) -> dict[str, Any]:
        said: dict[str, Any] = {}
        for node in self._nodes(declaration):
            said.update(vocabulary().values(node))
        return said

    def _home(self, declaration: Component) -> Node:
        """The node that defines an element: its type's, if that is complex and belongs to the schema."""
        own = self.node(declaration.type) if declaration.type.is_complex() else None
        return self._own(declaration) if own is None else own

    def _groups(self, declaration: Component) -> dict[str, str]:
        """The attributes of a complex type that come from an attribute group, with the group's name."""
        node, found = self.node(declaration.type), {}
        for use in () if node is None else node.iter(f"{XS}attributeGroup"):
            name = use.get("ref", "").rpartition(":")[2]
            group = declaration.type.schema.maps.attribute_groups.get(use.get("ref", "")) if name else None
            found.update(dict.fromkeys(group or (), name))
        return found

    def _attributes(self, declaration: Component) -> Iterator[Attribute]:
        groups = self._groups(declaration)
        met: set[str] = set()
        for name, attribute in declaration.type.attributes.items():
            if name is not None:
                loaded = self._attribute(attribute, declaration)
                if loaded.name in met:
                    what = f'two attributes "{loaded.name}" of different namespaces in one element'
                    raise SchemaError(loaded.place, f"{what}; rename one")
                met.add(loaded.name)
                yield replace(loaded, group=groups.get(name, ""))
            elif not _keeps(declaration.type) and (
                len(declaration.type.attributes) > 1 or not _is_open(declaration.type)
            ):
                self.values.note(declaration, "xs:anyAttribute lets nothing through")

    def _attribute(self, attribute: Component, owner: Component) -> Attribute:
        said: dict[str, Any] = {}
        docs = [""]
        for node in (self.node(attribute.ref), self.node(attribute)):
            said.update(vocabulary().values(node))
            docs.append(documentation(node))
        fixed = attribute.fixed
        kind = self.values.type(attribute.type, attribute)
        given = said.get("default", kind.default) if attribute.default is None else attribute.default
        if fixed is not None:
            kind = self.values.fixed(attribute.type, fixed, attribute)
            given = None if attribute.use == "required" else fixed
        return Attribute(
            name=self.name(attribute),
            type=kind,
            changes=tuple(self._changes(attribute, kind, given)),
            doc=next((doc for doc in reversed(docs) if doc), kind.doc),
            place=place(self.node(attribute), self.path),
            required=attribute.use == "required",
            default=given,
            meaning=meaning(kind, said),
            status=status(said) or self._status_of_owner(owner),
            alias_of=said.get("aliasOf", ""),
            mistaken=tuple(said.get("mistaken") or ()),
            since=said.get("since", ""),
            until=said.get("until", ""),
            deprecated=said.get("deprecated", ""),
            stage=said.get("stage", ""),
            read=tuple(said.get("read") or ()),
            field=said.get("field", ""),
            qualified=self._is_qualified(attribute),
        )

    def _changes(self, attribute: Component, kind: Type, default: str | None) -> Iterator[Change]:
        """What an attribute's type and default become in later releases."""
        for node in vocabulary().changes(self.node(attribute)):
            here = place(node, self.path)
            if node.get("type") is not None:
                simple = self._xsd.schema.maps.types.get(node.get("type"))
                if simple is None or simple.is_complex():
                    raise SchemaError(here, f'pb:change type="{node.get("type")}" is no simple type')
                kind = self.values.type(simple, attribute)
            default = node.get("default", default)
            yield Change(node.get("since"), kind, default, here)

    def _status_of_owner(self, owner: Component) -> Status | None:
        """The status that an element implies for its content: if it is not simulated, nothing in it is."""
        found = status(self._annotations(owner))
        return found if found is not None and found.level != "simulated" else None

    def _text(self, declaration: Component, said: dict[str, Any]) -> Attribute | None:
        kind = declaration.type
        if kind.is_complex() and not kind.has_simple_content():
            untyped = _is_open(kind) and None in (kind.attributes or ())
            return self._mixed(declaration) if kind.has_mixed_content() and not untyped else None
        simple = kind.content if kind.is_complex() else kind
        own = {} if kind.is_complex() else said
        held, fixed = self.values.type(simple, declaration), declaration.fixed
        default = said.get("default", held.default) if declaration.default is None else declaration.default
        if fixed is not None:
            held, default = self.values.fixed(simple, fixed, declaration), fixed
        return Attribute(
            name="text",
            type=held,
            doc=documentation(self._own(declaration)) or held.doc,
            place=place(self._own(declaration), self.path),
            required=not simple.is_valid("") and declaration.default is None and fixed is None,
            default=default,
            meaning=meaning(held, own),
            status=status(said) or self._status_of_owner(declaration),
        )

    def _mixed(self, declaration: Component) -> Attribute:
        """The text of an element that also has children: all of it is one string."""
        return Attribute(
            name="text",
            type=MIXED,
            doc="All its text.",
            place=place(self._own(declaration), self.path),
            status=self._status_of_owner(declaration),
        )

    def _children(self, declaration: Component) -> tuple[tuple[Child, ...], tuple[Attribute, ...], bool]:
        """The children of an element, its leaves as fields, and whether it allows undeclared children."""
        kind = declaration.type
        if not kind.is_complex() or kind.has_simple_content() or kind.content is None:
            return (), (), False
        found: dict[str, Child] = {}
        leaves: list[Attribute] = []
        wild = kind.open_content is not None
        particles = list(self._particles(kind.content, 1, 1))
        below = [particle for particle, _, _ in particles if not isinstance(particle, XsdAnyElement)]
        counts = Counter(particle.name for particle in below)
        for particle, low, high in particles:
            if isinstance(particle, XsdAnyElement):
                wild = True
                continue
            if self._folds and high == counts[particle.name] == 1 and _is_leaf(particle.type):
                leaves.append(self._leaf(particle, low, declaration))
                continue
            tag = self.name(particle)
            said = vocabulary().values(self.node(particle))
            high = 1 if said.get("merge") else high
            before = found.get(tag)
            if before is not None and before.qualified != self._in_own_space(particle):
                what = f"<{tag}> of two namespaces in one element"
                raise SchemaError(place(self.node(particle), self.path), f"{what}; rename one")
            if before is not None:
                low, high = before.low + low, _add(before.high, high)
            here = place(self.node(particle), self.path)
            if said.get("mistaken"):
                raise SchemaError(here, f"<{tag}> is no field, so pb:mistaken has no effect on it")
            if low > MOST:
                raise SchemaError(here, f"more than {MOST:,} <{tag}> are more than a document can have")
            found[tag] = Child(
                tag=tag,
                element=self.element(particle),
                place=here,
                low=low,
                high=high,
                merge=said.get("merge", False),
                last=self._repeats and high == 1 and _has_only_text(particle.type),
                since=said.get("since", ""),
                until=said.get("until", ""),
                deprecated=said.get("deprecated", ""),
                home=".." in (said.get("example") or ()),
                field=said.get("field", ""),
                qualified=self._in_own_space(particle),
            )
        return tuple(found.values()), tuple(leaves), wild

    def _leaf(self, declaration: Component, low: int, parent: Component) -> Attribute:
        """A child that has only text, as a field of its parent."""
        said = self._annotations(declaration)
        text = self._text(declaration, said)
        assert text is not None
        return replace(
            text,
            name=self.name(declaration),
            required=low > 0,
            status=status(said) or self._status_of_owner(parent),
            since=said.get("since", ""),
            until=said.get("until", ""),
            deprecated=said.get("deprecated", ""),
            mistaken=tuple(said.get("mistaken") or ()),
            field=said.get("field", ""),
            leaf=True,
            qualified=self._is_qualified(declaration),
            example=tuple(said.get("example") or ()),
        )

    def _particles(self, group: Component, low: int, high: int) -> Iterator[tuple[Any, int, int]]:
        """The elements and wildcards of a content model, with their numbers of occurrences."""
        self._parts += 1
        if self._parts > MAX_PARTS:
            here = place(self.node(group), self.path)
            raise SchemaError(here, f"over {MAX_PARTS:,} groups in content models, with those in groups")
        low *= group.min_occurs
        high = _times(high, UNBOUNDED if group.max_occurs is None else group.max_occurs)
        if group.model == "choice" and len(group) > 1:
            low = 0
        for particle in group:
            if isinstance(particle, XsdGroup):
                yield from self._particles(particle, low, high)
            else:
                most = UNBOUNDED if particle.max_occurs is None else particle.max_occurs
                low_here, high_here = low * particle.min_occurs, _times(high, most)
                yield from self._standing(particle, low_here, high_here, group.model == "all")

    def _standing(
        self, particle: Component, low: int, high: int, unordered: bool
    ) -> Iterator[tuple[Any, int, int]]:
        """An element of a content model, or the elements of its substitution group."""
        elements = [particle] if isinstance(particle, XsdAnyElement) else _replacing(particle)
        if len(elements) == 1 and elements[0] is particle:
            yield particle, low, high
            return
        if low and unordered:
            self.values.note(particle, "that one of a substitution group occurs is not enforced")
        for element in elements:
            yield element, 0, high

    def _note_unread(self, declaration: Component) -> None:
        """Note constraints of this element that the tables cannot represent."""
        note, kind = self.values.note, declaration.type
        if kind.is_complex():
            for assertion in kind.assertions:
                note(assertion, "xs:assert is not enforced; say it as a rule in pb:rules")
        if declaration.alternatives:
            note(declaration, "xs:alternative is not enforced")
        if declaration.nillable:
            note(declaration, "xsi:nil is not read")
        if declaration.fixed is not None and kind.is_complex() and not kind.has_simple_content():
            note(declaration, "a fixed value of mixed content is not enforced")


def _space(declaration: Component) -> str:
    """The namespace of an element's or attribute's name; "" is none."""
    return str(declaration.name).removeprefix("{").rpartition("}")[0]


def _replacing(particle: Component) -> list[Component]:
    """The elements that a particle allows: itself, and those of its substitution group."""
    head = getattr(particle, "ref", None)
    if head is None:
        return [particle]
    return [*([] if head.abstract else [particle]), *_substitutes(head)]


def _limits(wildcard: Component, target: str) -> Wildcard:
    """The namespaces that an xs:any allows."""
    if wildcard.not_namespace:
        return Wildcard(but=tuple(sorted(wildcard.not_namespace)))
    if "##any" in wildcard.namespace:
        return Wildcard()
    if "##other" in wildcard.namespace:
        return Wildcard(but=tuple(sorted({"", target})))
    return Wildcard(only=tuple(sorted(wildcard.namespace)))


def _substitutes(head: Component) -> Iterator[Component]:
    """The elements that may replace a global one, those of its own group first."""
    waiting, met = [head], {head.name}
    while waiting:
        current = waiting.pop(0)
        if "substitution" in (current.block or ""):
            continue
        group = current.maps.substitution_groups.get(current.name, ())
        for element in sorted(group, key=lambda each: str(each.name)):
            if element.name not in met:
                met.add(element.name)
                waiting.append(element)
                if not element.abstract:
                    yield element


def _is_foreign(kind: Component) -> bool:
    """Whether undeclared children of a type are in namespaces that the schema does not use."""
    return kind.open_content is not None and not any(isinstance(part, XsdAnyElement) for part in kind.content)


def _is_free(kind: Component) -> bool:
    """Whether a type allows any attributes, including those of its own namespace."""
    return None in (kind.attributes or ()) and not _keeps(kind)


def _keeps(kind: Component) -> bool:
    """Whether elements of a type may have attributes of other namespaces."""
    wildcard = kind.attributes.get(None)
    return wildcard is not None and "" in _limits(wildcard, wildcard.target_namespace).but


def _is_leaf(kind: Component) -> bool:
    """Whether elements of a type have only text."""
    return not kind.is_complex() or (kind.has_simple_content() and not kind.attributes)


def _has_only_text(kind: Component) -> bool:
    """Whether elements of a type have text, perhaps attributes, and no children."""
    return not kind.is_complex() or kind.has_simple_content()


def _is_open(kind: Component) -> bool:
    """Whether a type declares nothing: any children, any attributes."""
    content = kind.content
    return isinstance(content, XsdGroup) and len(content) == 1 and isinstance(content[0], XsdAnyElement)


def _times(first: int, second: int) -> int:
    return 0 if 0 in (first, second) else UNBOUNDED if UNBOUNDED in (first, second) else _most(first * second)


def _add(first: int, second: int) -> int:
    return UNBOUNDED if UNBOUNDED in (first, second) else _most(first + second)


def _most(number: int) -> int:
    return UNBOUNDED if number > MOST else number
