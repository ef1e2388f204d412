"""Schema model to the document classes of a format: ``documents.py`` and the package's face."""

from __future__ import annotations

from dataclasses import dataclass

from ..render import literal, render
from ..schema.model import Attribute, Child, Element, Schema
from .layout import Group, import_order, layout, mapping, quoted, row
from .words import facts, python_type, vector_lengths


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
    "elements", "list[Untyped]", "field(default_factory=list)", "Every other element, as it stands."
)


@dataclass(frozen=True, slots=True)
class ClassContext:
    """An element class; ``constants`` are its class variables, laid out."""

    name: str
    doc: str
    constants: tuple[str, ...]
    fields: tuple[FieldContext, ...]


@dataclass(frozen=True, slots=True)
class VectorContext:
    """A named tuple type."""

    name: str
    type: str


def documents(schema: Schema) -> dict[str, str]:
    """The package's face and its document classes: {path inside the package: text}, without header."""
    enums = tuple(_enum(schema, name) for name in (enum.name for enum in schema.enums))
    typed = [element for element in schema.elements if not element.untyped]
    classes = tuple(_class(schema, element) for element in typed)
    lengths = vector_lengths([value for element in schema.elements for value in element.values])
    vectors = tuple(VectorContext(f"Vec{n}", f"tuple[{', '.join(['float'] * n)}]") for n in lengths)
    title = f"{schema.format} {schema.version}".strip()
    names = sorted({*(enum.name for enum in enums), *(cls.name for cls in classes)}, key=import_order)
    has_lists = any(element.wild or any(child.high != 1 for child in element.children) for element in typed)
    has_untyped = any(element.wild for element in schema.elements)
    text = render(
        "documents.py.jinja",
        doc=f"{title}: a class per element, an enumeration per set of keywords.",
        enums=enums,
        vectors=vectors,
        classes=classes,
        has_lists=has_lists,
        base="Node, Untyped" if has_untyped else "Node",
    )
    face = render(
        "format.py.jinja",
        doc=f"The format {title}.\n\n{schema.doc}".strip(),
        names=names,
        exported=layout(
            Group("[]", tuple(literal(name) for name in sorted(("FORMAT", *names), key=import_order))),
            "__all__ = ",
        ),
    )
    return {"documents.py": text, "__init__.py": face}


def _enum(schema: Schema, name: str) -> EnumContext:
    enum = schema.enum(name)
    members = (MemberContext(member.name, literal(member.value), member.doc) for member in enum.members)
    return EnumContext(name, enum.doc or f"Keywords of {name}.", tuple(members))


def _class(schema: Schema, element: Element) -> ClassContext:
    fields = (
        *(_attribute(schema, element, attribute) for attribute in element.values),
        *(_child(schema, child) for child in element.children),
        *((ANYTHING,) if element.wild else ()),
    )
    holders = {
        literal(child.tag): row((literal(child.field), str(child.high != 1))) for child in element.children
    }
    if element.wild:
        holders[literal("*")] = row((literal("elements"), "True"))
    constants = [layout(literal(element.tag), "TAG: ClassVar[str] = ", indent=4)]
    if element.values:
        held = quoted(value.field for value in element.values)
        constants.append(layout(held, "FIELDS: ClassVar[tuple[str, ...]] = ", indent=4))
    if holders:
        before = "CHILDREN: ClassVar[Mapping[str, tuple[str, bool]]] = "
        constants.append(layout(mapping(holders), before, indent=4))
    if element.ordered:
        constants.append("    ORDERED: ClassVar[bool] = True")
    return ClassContext(element.cls, _class_doc(element), tuple(constants), fields)


def _class_doc(element: Element) -> str:
    doc = element.doc or f"The element <{element.tag}>."
    if element.status is not None and element.status.level != "simulated":
        doc += f" Not simulated: {element.status.reason}."
    return doc


def _attribute(schema: Schema, element: Element, attribute: Attribute) -> FieldContext:
    types = list(dict.fromkeys(python_type(form) for form in attribute.forms))
    doc = f"{attribute.doc} {facts(element, attribute, schema)}".strip()
    return FieldContext(attribute.field, " | ".join([*types, "None"]), "None", doc)


def _child(schema: Schema, child: Child) -> FieldContext:
    definition = schema.element(child.element)
    if child.high == 1:
        doc = f"The <{child.tag}>{', which is required' if child.low else ''}."
        return FieldContext(child.field, f"{definition.cls} | None", "None", doc)
    doc = f"Every <{child.tag}>{f', at least {child.low}' if child.low else ''}."
    return FieldContext(child.field, f"list[{definition.cls}]", "field(default_factory=list)", doc)
