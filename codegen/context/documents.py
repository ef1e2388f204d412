"""Schema model to the document classes of a format: ``documents.py`` and the package's ``__init__.py``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..python_source import Group, export_order, import_order, imported, layout, mapping, quoted, row
from ..render import literal, render
from ..schema.content import ranks, repeats_sequence
from ..schema.model import Attribute, Child, Element, Schema
from .words import dates, default_text, facts, python_type, vector_lengths

_WORD = re.compile(r"[A-Za-z_]\w*")


CONTENT = "What the file brings, once read: the children of its root, in an element like the one around this."


@dataclass(frozen=True, slots=True)
class MemberContext:
    """``name = value``."""

    name: str
    value: str
    doc: str


@dataclass(frozen=True, slots=True)
class EnumContext:
    """An enumeration class."""

    name: str
    doc: str
    members: tuple[MemberContext, ...]


@dataclass(frozen=True, slots=True)
class FieldContext:
    """``name: type = value``."""

    name: str
    type: str
    value: str
    doc: str


ANYTHING = FieldContext(
    "elements", "list[Untyped]", "field(default_factory=list)", "Every other element, unchanged."
)


FOREIGN = FieldContext(
    "elements", "list[Untyped]", "field(default_factory=list)", "Elements of other namespaces, unchanged."
)
KEPT = FieldContext(
    "attributes",
    "dict[str, str] | None",
    "None",
    "Attributes of other namespaces, by their names with prefix.",
)


@dataclass(frozen=True, slots=True)
class ClassContext:
    """An element class; ``constants`` are its class variables, formatted."""

    name: str
    base: str
    doc: str
    constants: tuple[str, ...]
    fields: tuple[FieldContext, ...]


@dataclass(frozen=True, slots=True)
class VectorContext:
    """A named tuple type."""

    name: str
    type: str


def documents(schema: Schema) -> dict[str, str]:
    """The package's ``__init__`` and its document classes: {path inside the package: text}, without header.

    The classes are in one module or, if the schema has parts, in a package with a module for each.
    """
    title = f"{schema.format} {schema.version}".strip()
    doc = f"{title}: a class per element, an enumeration per set of keywords"
    homes = {
        **{enum.name: enum.section for enum in schema.enums},
        **{element.cls: element.section for element in schema.elements if not element.untyped},
    }
    names = sorted(homes, key=import_order)
    face = render(
        "format.py.jinja",
        doc=f"The format {title}.\n\n{schema.doc}".strip(),
        names=names,
        exported=_exported(["FORMAT", *names]),
    )
    if not schema.sections:
        return {"documents.py": _module(schema, "", homes, f"{doc}."), "__init__.py": face}
    # The version would change in every module.
    doc = f"{schema.format}: a class per element, an enumeration per set of keywords"
    modules = {section: _module(schema, section, homes, f"{doc}: {section}.") for section in schema.sections}
    modules["__init__"] = render(
        "documents_package.py.jinja",
        doc=f"{doc}.",
        imports=[
            (section, sorted((n for n, home in homes.items() if home == section), key=import_order))
            for section in sorted(schema.sections)
        ],
        exported=_exported(names),
    )
    return {f"documents/{name}.py": text for name, text in modules.items()} | {"__init__.py": face}


def _exported(names: list[str]) -> str:
    return layout(Group("[]", tuple(literal(n) for n in sorted(names, key=export_order))), "__all__ = ")


def _module(schema: Schema, section: str, homes: Mapping[str, str], doc: str) -> str:
    """The classes of one part of a schema; those of other parts are imported only for annotations."""
    elements = [each for each in schema.elements if each.section == section and not each.untyped]
    enums = tuple(_enum(schema, enum.name) for enum in schema.enums if enum.section == section)
    classes = tuple(_class(schema, element) for element in elements)
    lengths = vector_lengths([value for element in elements for value in element.values])
    words = {word for cls in classes for field in cls.fields for word in _WORD.findall(field.type)}
    others: dict[str, list[str]] = {}
    for word in sorted(words, key=import_order):
        home = homes.get(word, section)
        if home != section:
            others.setdefault(home, []).append(word)
    return render(
        "documents.py.jinja",
        doc=doc,
        enums=enums,
        vectors=tuple(VectorContext(f"Vec{n}", f"tuple[{', '.join(['float'] * n)}]") for n in lengths),
        classes=classes,
        has_children=any(element.children or element.wild for element in elements),
        has_lists=any(e.wild or any(child.high != 1 for child in e.children) for e in elements),
        base=", ".join(sorted({cls.base for cls in classes} | ({"Untyped"} & words))),
        others=[imported(f".{home}", names, 4) for home, names in sorted(others.items())],
    )


def _enum(schema: Schema, name: str) -> EnumContext:
    enum = schema.enum(name)
    docs = (" ".join([member.doc, *dates(member, schema)]).strip() for member in enum.members)
    members = (
        MemberContext(member.name, literal(member.value), doc)
        for member, doc in zip(enum.members, docs, strict=True)
    )
    return EnumContext(name, enum.doc or f"Keywords of {name}.", tuple(members))


def _class(schema: Schema, element: Element) -> ClassContext:
    fields = (
        *(_attribute(schema, element, attribute) for attribute in element.values),
        *(_child(schema, child) for child in element.children),
        *((FOREIGN if element.foreign else ANYTHING,) if element.wild else ()),
        *((KEPT,) if element.keeps and not element.untyped else ()),
    )
    holders = {
        literal(child.tag): row((literal(child.field), str(child.high != 1))) for child in element.children
    }
    if element.wild:
        holders[literal("*")] = row((literal("elements"), "True"))
    if element.include:
        fields = (*fields, FieldContext("content", "Node | None", "None", CONTENT))
    constants = [layout(literal(element.tag), "TAG: ClassVar[str] = ", indent=4)]
    if element.values or element.keeps:
        held = quoted(
            [*(value.field for value in element.values), *(["attributes"] if element.keeps else [])]
        )
        constants.append(layout(held, "FIELDS: ClassVar[tuple[str, ...]] = ", indent=4))
    if holders:
        before = "CHILDREN: ClassVar[Mapping[str, tuple[str, bool]]] = "
        constants.append(layout(mapping(holders), before, indent=4))
    if element.include:
        constants.append('    CARRIED: ClassVar[tuple[str, ...]] = ("content",)')
    if element.ordered:
        constants.append("    ORDERED: ClassVar[bool] = True")
    if element.content is not None and repeats_sequence(element.content):
        places = ranks(element.content)
        tags = [*(child.tag for child in element.children), *(["*"] if element.wild else [])]
        value = row(str(places.get(tag, len(places))) for tag in tags)
        constants.append(layout(value, "RANKS: ClassVar[tuple[int, ...]] = ", indent=4))
    base = "Node"
    if schema.releases and element.key in schema.roots:
        base = "Released"
        constants.append(layout(quoted(schema.releases), "RELEASES: ClassVar[tuple[str, ...]] = ", indent=4))
    return ClassContext(element.cls, base, _class_doc(schema, element), tuple(constants), fields)


def _class_doc(schema: Schema, element: Element) -> str:
    doc = element.doc or f"The element <{element.tag}>."
    if element.status not in (None, schema.status) and element.status.level != "simulated":
        doc += f" Not simulated: {element.status.reason}."
    return doc


def _attribute(schema: Schema, element: Element, attribute: Attribute) -> FieldContext:
    types = list(dict.fromkeys(python_type(form) for form in attribute.every_form))
    said = [attribute.doc, facts(element, attribute, default_text(attribute, schema))]
    doc = " ".join(filter(None, [*said, *dates(attribute, schema)]))
    return FieldContext(attribute.field, " | ".join([*types, "None"]), "None", doc)


def _child(schema: Schema, child: Child) -> FieldContext:
    definition = schema.element(child.element)
    if child.high == 1:
        doc = f"The <{child.tag}>{', which is required' if child.low else ''}."
        doc = " ".join([doc, *dates(child, schema)])
        return FieldContext(child.field, f"{definition.cls} | None", "None", doc)
    doc = f"Every <{child.tag}>{f', at least {child.low}' if child.low else ''}."
    doc = " ".join([doc, *dates(child, schema)])
    return FieldContext(child.field, f"list[{definition.cls}]", "field(default_factory=list)", doc)
