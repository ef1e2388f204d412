"""The rules of an element as rows of the classes of runtime/base."""

from __future__ import annotations

from collections.abc import Iterator

from ..python_source import SCOPE, Expression, Statements, call, mapping, optional, row
from ..render import literal
from ..schema.linking import attribute_of, quantities
from ..schema.model import Attribute, Element, Schema
from ..schema.naming import constant
from ..schema.slots import TEXT_OF
from ..schema.types import Kind
from .words import keyword, repeated


def rules(schema: Schema, element: Element, shared: Statements) -> Iterator[Expression]:
    """The rows of an element's rules, then those of its sizes and defaults; their tables become separate
    statements.
    """
    for rule in element.rules:
        dates = optional(since=literal(rule.since), until=literal(rule.until)) if schema.releases else {}
        for made in rule.rows(schema, element):
            yield call("During", made, **dates) if dates else made
    for attribute in element.attributes:
        if attribute.meaning.shape.factor > 1:
            yield call("Multiple", literal(attribute.name), str(attribute.meaning.shape.factor))
    yield from _deprecated(schema, element)
    if not element.fills:  # a defaults element does not know which elements it applies to
        for child in element.children:
            text = schema.element(child.element).text
            if text is not None:
                yield from _length(schema, element, text, shared, child.tag + TEXT_OF)
        for attribute in element.attributes:
            yield from _length(schema, element, attribute, shared, attribute.name)
            yield from _dependent_default(schema, element, attribute, shared)


def _deprecated(schema: Schema, element: Element) -> Iterator[Expression]:
    """What not every reader supports: attributes, children, and keywords."""
    for attribute in element.attributes:
        if attribute.deprecated and not attribute.until:
            yield call("Deprecated", literal(attribute.name), literal(attribute.deprecated))
        for form in attribute.forms:
            for member in schema.enum(form.enum).members if form.kind is Kind.ENUM else ():
                if member.deprecated:
                    word = row((f"{SCOPE}{keyword(schema, form.enum, member.value)}",))
                    yield call("Deprecated", literal(attribute.name), literal(member.deprecated), word)
    for child in element.children:
        instead = schema.element(child.element).deprecated
        if instead:
            yield call("Deprecated", literal(child.tag), literal(instead))


def _length(
    schema: Schema, element: Element, attribute: Attribute, shared: Statements, name: str
) -> Iterator[Expression]:
    """The sizes of one of the element's attributes or, if the shape says so, of a child's text."""
    sized = attribute.meaning.shape.quantity
    if sized is None or sized.of_parent != name.endswith(TEXT_OF):
        return
    enum = schema.enum(attribute_of(element, sized.by, attribute.place).enum)
    sizes: dict[str, Expression] = {}
    for member, counts in quantities(schema, element, sized.by, attribute.place):
        count = str(sized.count(counts))
        sizes[f"{SCOPE}{enum.name}.{member.name}"] = row((count, count))
    table = shared.name(constant(str(sized)), mapping(sizes))
    yield call("Length", literal(name), literal(sized.by), table, quantity=literal(str(sized)))


def _dependent_default(
    schema: Schema, element: Element, attribute: Attribute, shared: Statements
) -> Iterator[Expression]:
    """The defaults of an attribute of variable length, one value per keyword."""
    sized = attribute.meaning.shape.quantity
    if sized is None:
        return
    enum = schema.enum(attribute_of(element, sized.by, attribute.place).enum)
    values: dict[str, Expression] = {}
    for member, counts in quantities(schema, element, sized.by, attribute.place):
        own = filter(None, (rule.default_of(attribute.name, member.value) for rule in element.rules))
        notation = next(own, attribute.default)
        if notation:
            values[f"{SCOPE}{enum.name}.{member.name}"] = repeated(
                notation, sized.count(counts), attribute.place
            )
    if values:
        fields = optional(notation=literal(attribute.default or ""))
        name = shared.name(f"{constant(str(sized))}_DEFAULTS", mapping(values))
        yield call("Default", literal(attribute.name), literal(sized.by), name, **fields)
