"""Schema model to the reader's tables: ``tables.py``, rows of the classes of runtime/base."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from elementpath.regex import translate_pattern

from ..render import literal, render
from ..schema import SchemaError
from ..schema.linking import attribute_of, quantities
from ..schema.model import (
    UNBOUNDED,
    Attribute,
    Child,
    Condition,
    Element,
    Enumeration,
    Form,
    Kind,
    Member,
    Rule,
    Schema,
    Status,
)
from ..schema.naming import constant
from .layout import Call, Expression, Group, Pair, call, import_order, layout, mapping, quoted, row
from .words import keyword, parsed, repeated, sized_by

NOT_BLANK = r"[\s\S]*\S[\s\S]*"
"""The pattern by which XSD says that a string is not blank."""

_BLANKS, _CLASSES = re.compile(r"\\[sS]"), re.compile(r"\\[dDwWbB]")

SCOPE = "doc."
"""Before the names of document classes, which may be called like rows."""

AXES = {"x": "(1.0, 0.0, 0.0)", "y": "(0.0, 1.0, 0.0)", "z": "(0.0, 0.0, 1.0)"}


def tables(schema: Schema) -> dict[str, str]:
    """The tables of a format: {path inside the package: text}, without header.

    Raises:
        SchemaError: a rule or value that no row class can carry.
    """
    if len(schema.roots) != 1:
        raise SchemaError(schema.place, "one global xs:element must be the root; give the others a type only")
    shared = Shared(schema)
    names = {element.key: constant(element.cls) for element in schema.elements}
    elements = [(names[element.key], _element(schema, element, shared)) for element in schema.elements]
    fields: dict[str, Expression] = {
        "name": literal(schema.format),
        "version": literal(schema.version),
        "root": literal(schema.roots[0]),
        "elements": mapping({literal(key): name for key, name in names.items()}),
    }
    fields |= _optional(
        defaults=row(_defaults(schema)),
        namespaces=quoted(_namespaces(schema)),
        enums=mapping({literal(enum.name): SCOPE + enum.name for enum in schema.enums}),
        sequences=mapping(dict(_sequences(schema))),
        notes=quoted(schema.unread),
    )
    statements = [*shared.statements.items(), *elements, ("FORMAT", call("Format", **fields))]
    used = set().union(*(_called(expression) for _, expression in statements))
    title = f"{schema.format} {schema.version}".strip()
    text = render(
        "tables.py.jinja",
        doc=f"What the reader, the resolver and the validator know of {title}.",
        base_import=_import("polybody.base", sorted(used, key=import_order)),
        statements=[layout(expression, f"{name} = ") for name, expression in statements],
    )
    return {"tables.py": text}


class Shared:
    """Rows that several elements use, as statements of their own."""

    def __init__(self, schema: Schema) -> None:
        self.statements: dict[str, Expression] = {}
        self._taken = {constant(element.cls) for element in schema.elements} | {"FORMAT"}
        groups = [element.attributes for element in schema.elements]
        self._attributes: dict[tuple[Attribute, ...], str] = {}
        for element in schema.elements:
            if element.attributes and groups.count(element.attributes) > 1 and not element.fills:
                rows = row(_attribute(schema, attribute) for attribute in element.attributes)
                name = self.name(f"{constant(element.cls)}_ATTRIBUTES", rows)
                self._attributes[element.attributes] = name

    def name(self, wanted: str, expression: Expression) -> str:
        """The name of an expression: the wanted one, or with a number if that has another meaning."""
        name, number = wanted, 2
        while name in self._taken and self.statements.get(name) != expression:
            name, number = f"{wanted}_{number}", number + 1
        self._taken.add(name)
        self.statements[name] = expression
        return name

    def attributes(self, schema: Schema, element: Element) -> Expression:
        """The attribute rows of an element, or the name of those it shares."""
        shared = self._attributes.get(element.attributes)
        return shared or row(_attribute(schema, attribute) for attribute in element.attributes)


def _import(module: str, names: Iterable[str]) -> str:
    group = layout(Call("", tuple(names)), f"from {module} import ")
    if "\n" not in group:
        return group.replace("(", "").replace(")", "")
    lines = "".join(f"    {name},\n" for name in names)
    return f"from {module} import (\n{lines})"


def _called(expression: Expression) -> set[str]:
    """The names of base that an expression uses."""
    if isinstance(expression, str):
        return {word for word in ("UNBOUNDED", "Kind", "Status") if expression.split(".")[0] == word}
    if isinstance(expression, Pair):
        return _called(expression.value)
    used = {expression.name} if isinstance(expression, Call) else set()
    return used.union(*(_called(item) for item in expression.items)) if expression.items else used


def _optional(**fields: Expression) -> dict[str, Expression]:
    """Those that differ from the row class's default: not empty, not a no."""
    empty = ("", '""', "None", "False", "0")
    return {
        name: value
        for name, value in fields.items()
        if value not in empty and not (isinstance(value, Group) and not value.items)
    }


def _element(schema: Schema, element: Element, shared: Shared) -> Expression:
    status = _status(element.status)
    return call(
        "Element",
        literal(element.key),
        literal(element.tag),
        SCOPE + element.cls,
        **_optional(
            attributes=shared.attributes(schema, element),
            children=row(_child(child) for child in element.children),
            text=_text(schema, element.text) if element.text is not None else "None",
            ordered=str(element.ordered),
            rules=row(_rules(schema, element, shared)),
            **status,
        ),
    )


def _status(status: Status | None) -> dict[str, Expression]:
    if status is None or status.level == "simulated":
        return {}
    return {"status": f"Status.{status.level.upper()}", "reason": literal(status.reason)}


def _attribute(schema: Schema, attribute: Attribute) -> Expression:
    refers = attribute.meaning.refers
    return call(
        "Attribute",
        literal(attribute.name),
        literal(attribute.field),
        row(_form(form) for form in attribute.forms),
        **_optional(
            required=str(attribute.required),
            default=_default(schema, attribute),
            unit=literal(attribute.meaning.unit),
            aliases=quoted(attribute.aliases),
            mistaken=quoted(attribute.mistaken),
            declares=literal(attribute.meaning.declares),
            refers=literal(refers[0]) if refers else "None",
            since=literal(attribute.since),
            until=literal(attribute.until),
            **_status(attribute.status),
        ),
    )


def _default(schema: Schema, attribute: Attribute) -> Expression:
    """A default that is constant; one whose length depends becomes a rule."""
    if attribute.default is None or attribute.default.endswith("..."):
        return "None"
    return parsed(attribute.default, attribute, schema, SCOPE)


def _form(form: Form) -> Expression:
    counts: list[Expression] = []
    if not form.scalar:
        counts = [str(form.low), "UNBOUNDED" if form.high == UNBOUNDED else str(form.high)]
    blank = form.pattern == NOT_BLANK
    pattern = "" if blank else form.pattern
    return call(
        "Value",
        f"Kind.{form.kind.name}",
        *counts,
        **({} if form.scalar else {"scalar": "False"}),
        **_optional(
            enum=form.enum and SCOPE + form.enum,
            minimum=_number(form, form.minimum),
            maximum=_number(form, form.maximum),
            open=str(form.open),
            pattern=literal(_python_pattern(pattern)) if pattern else "",
            nonempty=str(blank),
        ),
        **({"finite": "False"} if form.kind is Kind.REAL and not form.finite else {}),
    )


def _number(form: Form, bound: float | None) -> str:
    if bound is None:
        return ""
    return f"{bound!r}" if form.kind is Kind.REAL else f"{int(bound)}"


def _python_pattern(pattern: str) -> str:
    """An XSD regular expression, which matches as a whole, as one of Python."""
    translated = translate_pattern(pattern, back_references=False, lazy_quantifiers=False, anchors=False)
    body = translated.removeprefix("^(?:").removesuffix(r")$(?!\n\Z)")
    # XSD's \s is XML's four blanks, of which Python's ASCII blanks are the only ones that XML lets through.
    return f"(?a:{body})" if _BLANKS.search(body) and not _CLASSES.search(body) else body


def _child(child: Child) -> Expression:
    high = "UNBOUNDED" if child.high == UNBOUNDED else str(child.high)
    return call(
        "Child",
        literal(child.tag),
        literal(child.element),
        literal(child.field),
        **_optional(low=str(child.low)),
        **({} if child.high == 1 else {"high": high}),
    )


def _text(schema: Schema, text: Attribute) -> Expression:
    return call(
        "Text",
        _form(text.forms[-1]),
        **({} if text.required else {"required": "False"}),
        **_optional(default=_default(schema, text), unit=literal(text.meaning.unit)),
    )


# --- rules ------------------------------------------------------------------------------------------------


def _rules(schema: Schema, element: Element, shared: Shared) -> Iterator[Expression]:
    for rule in element.rules:
        make = _RULES.get(rule.kind)
        if make is None:
            raise SchemaError(rule.place, f"pb:{rule.kind} has no row class in runtime/base.py yet")
        yield from make(schema, element, rule)
    if not element.fills:  # a defaults element does not know whom it fills
        for attribute in element.attributes:
            yield from _length(schema, element, attribute, shared)
            yield from _dependent_default(schema, element, attribute, shared)


def _names(name: str) -> Callable[[Schema, Element, Rule], Iterator[Expression]]:
    def rows(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
        yield call(name, quoted(rule.names))

    return rows


def _one_of(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    yield call("OneOf", quoted(rule.names))
    yield call("Exclusive", quoted(rule.names))


def _required(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    if rule.when is not None:
        raise SchemaError(rule.place, 'pb:required takes "unless" only; turn the condition round')
    for name in rule.names:
        yield call("Required", literal(name), **_optional(unless=_when(schema, element, rule.unless)))


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
        **_optional(start=str(rule.start)),
        **({} if rule.severity == "warning" else {"normalised": "False"}),
        **_optional(when=_when(schema, element, rule.when)),
    )


def _ignored(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    if rule.when is None:
        raise SchemaError(rule.place, 'pb:ignored takes a "when"')
    yield call("Ignored", quoted(rule.names), _when(schema, element, rule.when))


def _nothing(schema: Schema, element: Element, rule: Rule) -> Iterator[Expression]:
    """A pb:default: part of the row that its attribute gets."""
    return iter(())


_RULES: dict[str, Callable[[Schema, Element, Rule], Iterator[Expression]]] = {
    "exclusive": _names("Exclusive"),
    "together": _names("Together"),
    "oneOf": _one_of,
    "required": _required,
    "requires": _requires,
    "ascending": _pair("Ascending"),
    "differ": _pair("Differ"),
    "unitQuaternion": _unit_quaternion,
    "ignored": _ignored,
    "default": _nothing,
}


def _when(schema: Schema, element: Element, condition: Condition | None) -> Expression:
    if condition is None:
        return ""
    enum = _keywords(schema, element, condition.attribute, element)
    values = (f"{SCOPE}{keyword(schema, enum.name, value)}" for value in condition.values)
    return call("When", literal(condition.attribute), row(values))


def _keywords(schema: Schema, element: Element, name: str, at: Element | Attribute) -> Enumeration:
    attribute = attribute_of(element, name, at.place)
    return schema.enum(next(form.enum for form in attribute.forms if form.kind is Kind.ENUM))


def _length(schema: Schema, element: Element, attribute: Attribute, shared: Shared) -> Iterator[Expression]:
    sized = sized_by(attribute)
    if sized is None:
        return
    quantity, by = sized
    enum = _keywords(schema, element, by, attribute)
    sizes: dict[str, Expression] = {}
    for member, counts in quantities(schema, element, by, attribute.place):
        count = str(counts[quantity])
        sizes[f"{SCOPE}{enum.name}.{member.name}"] = row((count, count))
    name = shared.name(constant(quantity), mapping(sizes))
    yield call("Length", literal(attribute.name), literal(by), name, quantity=literal(quantity))


def _dependent_default(
    schema: Schema, element: Element, attribute: Attribute, shared: Shared
) -> Iterator[Expression]:
    """The defaults of an attribute whose length depends, one value per keyword."""
    sized = sized_by(attribute)
    if sized is None:
        return
    quantity, by = sized
    enum = _keywords(schema, element, by, attribute)
    values: dict[str, Expression] = {}
    for member, counts in quantities(schema, element, by, attribute.place):
        notation = _notation(element, attribute, by, member)
        if notation:
            values[f"{SCOPE}{enum.name}.{member.name}"] = repeated(
                notation, counts[quantity], attribute.place
            )
    if values:
        fields = _optional(notation=literal(attribute.default or ""))
        name = shared.name(f"{constant(quantity)}_DEFAULTS", mapping(values))
        yield call("Default", literal(attribute.name), literal(by), name, **fields)


def _notation(element: Element, attribute: Attribute, by: str, member: Member) -> str:
    for rule in element.rules:
        if rule.kind == "default" and rule.names == (attribute.name,) and rule.when is not None:
            if rule.when.attribute != by:
                raise SchemaError(rule.place, f'pb:default of "{attribute.name}" can depend on "{by}" only')
            if member.value in rule.when.values:
                return rule.value
    return attribute.default or ""


# --- the format's own rows --------------------------------------------------------------------------------


def _defaults(schema: Schema) -> Iterator[Expression]:
    for element in schema.elements:
        for name in element.fills:
            for target in schema.elements:
                if target.type_name == name:
                    yield call("Defaults", literal(element.key), literal(target.key))


def _namespaces(schema: Schema) -> list[str]:
    declared = (value.meaning.declares for element in schema.elements for value in element.values)
    return sorted({name for name in declared if name})


def _sequences(schema: Schema) -> Iterator[tuple[str, Expression]]:
    for enum in schema.enums:
        for member in enum.members:
            if member.sequence is not None:
                primitives = (
                    call("Primitive", literal(p.name), *([AXES[p.axis]] if p.axis else []))
                    for p in member.sequence
                )
                yield f"{SCOPE}{enum.name}.{member.name}", row(primitives)
