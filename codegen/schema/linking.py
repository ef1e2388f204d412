"""Passes that resolve names in a schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from .model import (
    Attribute,
    Child,
    Element,
    Member,
    Physics,
    Place,
    Primitive,
    Schema,
    SchemaError,
    Status,
)
from .types import Form, Kind, Type


def check_status(schema: Schema, physics: Physics) -> Schema:
    """Check that everything in a format's schema has a status, and that tables can represent everything."""
    if not schema.annotated:
        return schema
    if schema.unread:
        raise SchemaError(schema.place, "a format's schema is read in full, but " + "; ".join(schema.unread))
    for element in schema.elements:
        _demand_status(element.status or schema.status, element.place, f"<{element.tag}>")
        for value in element.values:
            _demand_status(value.status or schema.status, value.place, f'"{value.name}"')
    return schema


def check_texts(schema: Schema, physics: Physics) -> Schema:
    """Check that everything in a format's schema has a text: its own, or that of its type."""
    for element in schema.elements if schema.annotated else ():
        said = element.doc or (element.text.doc if element.text is not None else "")
        if not element.untyped:
            _demand_text(said, element.place, f"<{element.tag}>")
        for value in element.attributes:
            _demand_text(value.doc, value.place, f'"{value.name}"')
    return schema


def _demand_status(status: Status | None, place: Place, label: str) -> None:
    if status is None:
        raise SchemaError(place, f"{label} has no pb:status; give it one")
    if status.level != "simulated" and not status.reason:
        raise SchemaError(place, f"{label} is {status.level} without a pb:reason; say why")


def _demand_text(doc: str, place: Place, label: str) -> None:
    if not doc:
        raise SchemaError(place, f"{label} has no text; write an xs:documentation, which its users will read")


def check_case(schema: Schema, physics: Physics) -> Schema:
    """Check that names differ in more than letter case, if the format ignores case."""
    if schema.fold_case:
        for element in schema.elements:
            _check_folded(element.attributes, [attribute.name for attribute in element.attributes])
            _check_folded(element.children, [child.tag for child in element.children])
        for enum in schema.enums:
            _check_folded(enum.members, [member.value for member in enum.members])
    return schema


def _check_folded(things: Sequence[Attribute | Child | Member], names: Sequence[str]) -> None:
    met: dict[str, str] = {}
    for thing, name in zip(things, names, strict=True):
        other = met.setdefault(name.lower(), name)
        if other != name:
            raise SchemaError(thing.place, f'"{name}" and "{other}" are one name, as case does not count')


def declare_prefixes(schema: Schema, physics: Physics) -> Schema:
    """Add declarations of the prefixes in use to the roots; XSD cannot declare these."""
    if schema.qualified or not schema.prefixes:
        return schema
    rows = tuple(
        Attribute(
            name=f"xmlns:{prefix}",
            type=Type(forms=(Form(Kind.STRING),)),
            doc=f"Declares the prefix `{prefix}`.",
            place=schema.place,
            default=uri,
            status=None if schema.status is not None else Status("parsed", "it only names a namespace"),
        )
        for prefix, uri in schema.prefixes
    )

    def declaring(element: Element) -> Element:
        at_root = element.key in schema.roots
        return replace(element, attributes=element.attributes + rows) if at_root else element

    return replace(schema, elements=tuple(map(declaring, schema.elements)))


def fold_aliases(schema: Schema, physics: Physics) -> Schema:
    """Make ``pb:aliasOf`` attributes aliases of the attributes they refer to."""
    return replace(schema, elements=tuple(_folded(element) for element in schema.elements))


def _folded(element: Element) -> Element:
    names = {attribute.name for attribute in element.attributes if not attribute.alias_of}
    spellings: dict[str, list[str]] = {}
    for attribute in element.attributes:
        if attribute.alias_of:
            if attribute.alias_of not in names:
                raise SchemaError(
                    attribute.place,
                    f'pb:aliasOf="{attribute.alias_of}" is not an attribute of <{element.tag}>',
                )
            spellings.setdefault(attribute.alias_of, []).append(attribute.name)
    kept = tuple(
        replace(attribute, aliases=tuple(spellings.get(attribute.name, ())))
        for attribute in element.attributes
        if not attribute.alias_of
    )
    return replace(element, attributes=kept)


def resolve_sequences(schema: Schema, physics: Physics) -> Schema:
    """Look primitives up in the vocabulary and turn each keyword's quantities into numbers."""
    return replace(
        schema,
        enums=tuple(
            replace(enum, members=tuple(_counted(member, physics) for member in enum.members))
            for enum in schema.enums
        ),
    )


def _counted(member: Member, physics: Physics) -> Member:
    totals: dict[str, int] = {}
    if member.sequence is not None:
        sequence = tuple(_sized(primitive, physics, member.place) for primitive in member.sequence)
        member = replace(member, sequence=sequence)
        totals = {"nq": sum(each.nq for each in sequence), "nv": sum(each.nv for each in sequence)}
    counts: dict[str, int] = {}
    for name, text in member.counted.items():
        if text.isdecimal():
            counts[name] = int(text)
        elif text in totals:
            counts[name] = totals[text]
        else:
            raise SchemaError(
                member.place, f'"{member.value}" needs a pb:sequence, since {name} is counted from it'
            )
    return replace(member, quantities=counts)


def _sized(primitive: Primitive, physics: Physics, place: Place) -> Primitive:
    row = physics.joint(primitive.name)
    if row is None:
        known = ", ".join(row.name for row in physics.joints)
        raise SchemaError(place, f'pb:sequence names "{primitive.name}"; physics.xml has {known}')
    return replace(primitive, nq=row.nq, nv=row.nv)


def link_names(schema: Schema, physics: Physics) -> Schema:
    """Check that rules, conditions, shapes, fills and references refer to existing names."""
    types = {element.type_name for element in schema.elements if element.type_name}
    namespaces = {
        value.meaning.declares
        for element in schema.elements
        for value in element.values
        if value.meaning.declares
    }
    for element in schema.elements:
        for name in element.fills:
            if name not in types:
                raise SchemaError(element.place, f'pb:fills names "{name}", which is no type of an element')
        for attribute in element.values:
            for name in attribute.meaning.refers:
                if name not in namespaces:
                    raise SchemaError(attribute.place, f'pb:refers names "{name}", which nothing declares')
            _check_shape(schema, element, attribute)
        for child in element.children:
            text = schema.element(child.element).text
            if text is not None:
                _check_shape(schema, element, text, of_parent=True)
        for rule in element.rules:
            rule.check(schema, element)
        if element.wild_when:
            attribute_of(element, element.wild_when, element.place)
    return schema


def _check_shape(schema: Schema, element: Element, value: Attribute, of_parent: bool = False) -> None:
    """Checks that the quantity in a shape is one of every keyword of its attribute; ``of_parent``: the value
    is the text of a child of the element.
    """
    quantity = value.meaning.shape.quantity
    if quantity is None or quantity.of_parent != of_parent:
        return
    for member, counts in quantities(schema, element, quantity.by, value.place):
        if quantity.name not in counts:
            what = f'"{member.value}" gives no {quantity.name}, which sizes "{value.name}"'
            raise SchemaError(member.place, what)


def attribute_of(element: Element, name: str, place: Place) -> Attribute:
    """An element's attribute by name.

    Raises:
        SchemaError: there is no such attribute.
    """
    for attribute in element.attributes:
        if attribute.name == name:
            return attribute
    raise SchemaError(place, f'"{name}" is not an attribute of <{element.tag}>')


def quantities(
    schema: Schema, element: Element, by: str, place: Place
) -> Iterator[tuple[Member, Mapping[str, int]]]:
    """The keywords that an attribute takes, each with its quantities."""
    attribute = attribute_of(element, by, place)
    if not attribute.enum:
        raise SchemaError(place, f'"{by}" has no keywords that could give quantities')
    for member in schema.enum(attribute.enum).members:
        yield member, member.quantities
