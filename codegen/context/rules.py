"""The rules of an element as rows of the classes of runtime/base."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..render import literal
from ..schema import SchemaError
from ..schema.linking import attribute_of, quantities
from ..schema.model import Attribute, Condition, Element, Enumeration, Member, Rule, Schema
from ..schema.naming import constant
from ..schema.slots import TEXT_OF
from ..schema.types import Kind
from .python_source import Expression, Statements, call, mapping, optional, quoted, row
from .words import SCOPE, keyword, repeated


def rules(schema: Schema, element: Element, shared: Statements) -> Iterator[Expression]:
    """The rows of an element's rules, then those of its sizes and defaults; their tables become separate
    statements.

    Raises:
        SchemaError: a rule that no row class can represent.
    """
    for rule in element.rules:
        make = _RULES.get(rule.kind)
        if make is None:
            raise SchemaError(rule.place, f"pb:{rule.kind} has no row class in runtime/base/rows.py yet")
        yield from make(schema, element, rule)
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


def _names(name: str) -> Callable[[Schema, Element, Rule], Iterator[Expression]]:
    def rows(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
        yield call(name, quoted(rule.names))

    return rows


def _exclusive(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    yield call("Exclusive", quoted(rule.names), **optional(written=str(rule.written)))


def _of(name: str) -> Callable[[Schema, Element, Rule], Iterator[Expression]]:
    def rows(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
        yield call(name, literal(rule.names[0]))

    return rows


def _one_of(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    yield call("OneOf", quoted(rule.names))
    yield call("Exclusive", quoted(rule.names))


def _required(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    for name in rule.names:
        unless, when = (_when(schema, element, condition) for condition in (rule.unless, rule.when))
        advised = str(rule.severity == "warning")
        yield call("Required", literal(name), **optional(unless=unless, when=when, advised=advised))


def _requires(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    yield call("Requires", literal(rule.names[0]), quoted(rule.names[1:]))


def _pair(name: str) -> Callable[[Schema, Element, Rule], Iterator[Expression]]:
    def rows(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
        if len(rule.names) != 2:
            raise SchemaError(rule.place, f"pb:{rule.kind} takes two names")
        yield call(name, *map(literal, rule.names))

    return rows


def _unit_quaternion(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    yield call(
        "UnitQuaternion",
        literal(rule.names[0]),
        repr(rule.tolerance),
        **optional(start=str(rule.start)),
        **({} if rule.order == "wxyz" else {"order": literal(rule.order)}),
        **({} if rule.severity == "warning" else {"normalised": "False"}),
        **optional(when=_when(schema, element, rule.when)),
    )


def _ignored(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    yield call("Ignored", quoted(rule.names), _when(schema, element, rule.when))


def _nonzero(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    unless = _when(schema, element, rule.unless)
    yield call("Nonzero", literal(rule.names[0]), **optional(unless=unless))


def _graph(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    namespace, *edges = rule.names
    ends = map(literal, rule.ends)
    yield call("Graph", literal(namespace), quoted(edges), *ends, **optional(tree=str(rule.tree)))


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


def _nothing(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    """A pb:default or pb:newer, which is part of the row of its attribute or element."""
    return iter(())


_RULES: dict[str, Callable[[Schema, Element, Rule], Iterator[Expression]]] = {
    "exclusive": _exclusive,
    "together": _names("Together"),
    "oneOf": _one_of,
    "anyOf": _names("OneOf"),
    "required": _required,
    "requires": _requires,
    "ascending": _pair("Ascending"),
    "differ": _pair("Differ"),
    "unitQuaternion": _unit_quaternion,
    "ignored": _ignored,
    "increasing": _of("Increasing"),
    "nonzero": _nonzero,
    "inertia": _names("Inertia"),
    "graph": _graph,
    "default": _nothing,
    "newer": _nothing,
}


def _when(schema: Schema, element: Element, condition: Condition | None) -> Expression:
    if condition is None:
        return ""
    if not condition.values:
        return call("When", literal(condition.attribute), row(()))
    enum = _keywords(schema, element, condition.attribute, element)
    values = (f"{SCOPE}{keyword(schema, enum.name, value)}" for value in condition.values)
    return call("When", literal(condition.attribute), row(values))


def _keywords(schema: Schema, element: Element, name: str, at: Element | Attribute) -> Enumeration:
    attribute = attribute_of(element, name, at.place)
    return schema.enum(next(form.enum for form in attribute.forms if form.kind is Kind.ENUM))


def _length(
    schema: Schema, element: Element, attribute: Attribute, shared: Statements, name: str
) -> Iterator[Expression]:
    """The sizes of one of the element's attributes or, if the shape says so, of a child's text."""
    sized = attribute.meaning.shape.quantity
    if sized is None or sized.of_parent != name.endswith(TEXT_OF):
        return
    enum = _keywords(schema, element, sized.by, attribute)
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
    enum = _keywords(schema, element, sized.by, attribute)
    values: dict[str, Expression] = {}
    for member, counts in quantities(schema, element, sized.by, attribute.place):
        notation = _notation(element, attribute, sized.by, member)
        if notation:
            values[f"{SCOPE}{enum.name}.{member.name}"] = repeated(
                notation, sized.count(counts), attribute.place
            )
    if values:
        fields = optional(notation=literal(attribute.default or ""))
        name = shared.name(f"{constant(str(sized))}_DEFAULTS", mapping(values))
        yield call("Default", literal(attribute.name), literal(sized.by), name, **fields)


def _notation(element: Element, attribute: Attribute, by: str, member: Member) -> str:
    for rule in element.rules:
        if rule.kind == "default" and rule.names == (attribute.name,) and rule.when is not None:
            if rule.when.attribute != by:
                raise SchemaError(rule.place, f'pb:default of "{attribute.name}" can depend on "{by}" only')
            if member.value in rule.when.values:
                return rule.value
    return attribute.default or ""
