"""Passes that assign Python names. Names are derived from the schema's own words and are always plain
identifiers.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from .model import Attribute, Element, Enumeration, Physics, Schema, SchemaError
from .types import Type

RESERVED_FIELDS = frozenset(
    {
        "CARRIED",
        "CHILDREN",
        "FIELDS",
        "ORDERED",
        "RELEASES",
        "TAG",
        "attribute_span",
        "child_span",
        "children",
        "find",
        "find_all",
        "parent_of",
        "place",
        "release",
        "source",
        "span",
        "value_span",
        "walk",
    }
)
"""Public names of the node class that generated classes derive from."""

USED = frozenset({"ClassVar", "Mapping", "dict", "field", "list"})
"""Names that the bodies of generated classes use."""

RESERVED_CLASSES = frozenset(
    {"ClassVar", "Enum", "Mapping", "Node", "Untyped", "FORMAT", "SEQUENCES", "None", "True", "False"}
    | {f"Vec{n}" for n in range(1, 33)}
)
"""Names that generated modules use for other things."""


def identifier(text: str) -> str:
    """A plain ASCII identifier from any word; keywords get a trailing underscore.

    No name begins with an underscore and a letter: such names belong to Python or to the node class.
    """
    name = re.sub(r"[^A-Za-z0-9_]", "_", text).lstrip("_")
    if not name or name[0].isdigit():
        name = "_" + name
    return name + "_" if keyword.iskeyword(name) else name


def camel(text: str) -> str:
    """``x_xy`` to ``XXy``, ``freejoint`` to ``Freejoint``, ``GeomType`` unchanged."""
    parts = re.split(r"[^A-Za-z0-9]+", text)
    return identifier("".join(part[:1].upper() + part[1:] for part in parts))


def constant(text: str) -> str:
    """``free_2d`` to ``FREE_2D``, ``DefaultsGeom`` to ``DEFAULTS_GEOM``."""
    return identifier(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)).upper().rstrip("_") or "EMPTY"


def name_sections(schema: Schema, physics: Physics) -> Schema:
    """Convert the names of a schema's parts to names of modules."""

    def module(section: str) -> str:
        name = identifier(section.lower()) if section else ""
        return f"{name}_" if name in ("shared", "__init__") else name

    return replace(
        schema,
        elements=tuple(replace(element, section=module(element.section)) for element in schema.elements),
        enums=tuple(replace(enum, section=module(enum.section)) for enum in schema.enums),
    )


def name_enums(schema: Schema, physics: Physics) -> Schema:
    """Name enumerations after their type or attribute, members after their keyword."""
    taken: set[str] = set(RESERVED_CLASSES)
    shared = _shared_types(schema)
    wanted = {_element_class(element, shared) for element in schema.elements}
    renamed: dict[str, str] = {}
    counts = Counter(camel(enum.label) for enum in schema.enums)
    for enum in sorted(schema.enums, key=lambda enum: enum.name):
        name = camel(enum.label if counts[camel(enum.label)] == 1 else enum.name)
        options = [name] if name not in wanted else []
        renamed[enum.name] = free([*options, name + "Type", name + "Kind"], taken)

    types: dict[int, Type] = {}  # by identity, so that uses still share them

    def named(kind: Type) -> Type:
        if not any(form.enum for form in kind.forms):
            return kind
        if id(kind) not in types:
            forms = (replace(form, enum=renamed.get(form.enum, "")) for form in kind.forms)
            types[id(kind)] = replace(kind, forms=tuple(forms))
        return types[id(kind)]

    def value(old: Attribute) -> Attribute:
        changes = tuple(replace(change, type=named(change.type)) for change in old.changes)
        return replace(old, type=named(old.type), changes=changes)

    def element(old: Element) -> Element:
        text = old.text and value(old.text)
        return replace(old, attributes=tuple(map(value, old.attributes)), text=text)

    return replace(
        schema,
        enums=tuple(replace(_with_members(enum), name=renamed[enum.name]) for enum in schema.enums),
        elements=tuple(element(old) for old in schema.elements),
    )


def _with_members(enum: Enumeration) -> Enumeration:
    names: dict[str, str] = {}
    taken: set[str] = set()
    for member in sorted(enum.members, key=lambda member: (not member.name, member.value)):
        if member.value in names:
            raise SchemaError(member.place, f'keyword "{member.value}" is listed twice')
        names[member.value] = free([member.name or constant(member.value)], taken)
    return replace(enum, members=tuple(replace(member, name=names[member.value]) for member in enum.members))


def _element_class(element: Element, shared: frozenset[str]) -> str:
    """The base of a class's name: the complex type, unless elements with several tags have it."""
    by_tag = not element.type_name or element.type_name in shared
    return element.cls or camel(element.tag if by_tag else element.type_name)


def _shared_types(schema: Schema) -> frozenset[str]:
    """The complex types of elements with different tags."""
    tags: dict[str, set[str]] = {}
    for element in schema.elements:
        tags.setdefault(element.type_name, set()).add(element.tag)
    return frozenset(name for name, found in tags.items() if len(found) > 1)


def name_classes(schema: Schema, physics: Physics) -> Schema:
    """Name classes after their complex type, or their tag where tags share a type.

    If that is ambiguous, the beginning of the key is prepended. Precedence does not depend on the order of
    the schema: names given in the schema come first, then types, then shorter keys.
    """
    taken = set(RESERVED_CLASSES) | {enum.name for enum in schema.enums}
    shared = _shared_types(schema)
    names: dict[str, str] = {}
    for element in sorted(schema.elements, key=lambda element: _precedence(element, shared)):
        if element.untyped:
            names[element.key] = "Untyped"
            continue
        if element.cls and element.cls in taken:
            raise SchemaError(element.place, f'pb:class="{element.cls}" is taken; choose another')
        words = re.split(r"::|[/(]", element.key.rstrip(")"))
        longer = (camel("_".join(words[-count:])) for count in range(2, len(words) + 1))
        options = [_element_class(element, shared), camel(element.tag), *longer]
        names[element.key] = free(options, taken)
    return replace(
        schema, elements=tuple(replace(element, cls=names[element.key]) for element in schema.elements)
    )


def _precedence(element: Element, shared: frozenset[str]) -> tuple[bool, bool, int, str]:
    """The precedence of an element when classes are named: smaller values choose first."""
    by_tag = not element.type_name or element.type_name in shared
    return not element.cls, by_tag, element.key.count("/"), element.key


def name_fields(schema: Schema, physics: Physics) -> Schema:
    """Name fields after attributes, then children after their tags; a clash gets a trailing underscore."""
    return replace(schema, elements=tuple(_with_fields(element) for element in schema.elements))


def _with_fields(element: Element) -> Element:
    taken = (
        set(RESERVED_FIELDS | USED)
        | ({"text"} if element.text else set())
        | ({"elements"} if element.wild else set())
        | ({"attributes"} if element.keeps else set())
    )
    fields: dict[tuple[bool, str], str] = {}
    for a in sorted(element.attributes, key=lambda a: (not a.field, a.leaf, a.name)):
        fields[a.leaf, a.name] = free([a.field or identifier(a.name)], taken, "_")
    tags: dict[str, str] = {}
    for c in sorted(element.children, key=lambda c: (not c.field, c.tag)):
        tags[c.tag] = free([c.field or identifier(c.tag)], taken, "_")
    attributes = tuple(replace(a, field=fields[a.leaf, a.name]) for a in element.attributes)
    children = tuple(replace(c, field=tags[c.tag]) for c in element.children)
    text = element.text and replace(element.text, field="text")
    return replace(element, attributes=attributes, children=children, text=text)


def free(options: Iterable[str], taken: set[str], suffix: str = "") -> str:
    """The first option that is not taken, else the last one with a suffix or a number; it is marked as
    taken.
    """
    name = ""
    for name in options:
        if name not in taken:
            break
    else:
        base, number = name, 2
        while name in taken:
            name = name + suffix if suffix else f"{base}{number}"
            number += 1
    taken.add(name)
    return name
