"""Schema model to the reader's tables: ``tables.py``, rows of the classes of runtime/base."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType

from ..python_source import (
    SCOPE,
    Call,
    Expression,
    Pair,
    Statements,
    call,
    import_order,
    imported,
    layout,
    mapping,
    optional,
    quoted,
    row,
)
from ..render import literal, render
from ..schema.model import Attribute, Change, Child, Constraint, Content, Element, Schema, Status
from ..schema.naming import camel, constant, free
from ..schema.patterns import python_pattern
from ..schema.types import UNBOUNDED, Form, Kind
from .rules import rules
from .supported import check_carried
from .words import number, parsed

AXES = {"x": "(1.0, 0.0, 0.0)", "y": "(0.0, 1.0, 0.0)", "z": "(0.0, 0.0, 1.0)"}


def tables(schema: Schema) -> dict[str, str]:
    """The tables of a format: {path inside the package: text}, without header.

    They are one module or, if the schema has parts, a package with a module for each and ``shared`` for
    common rows.

    Raises:
        SchemaError: a rule or value that no row class can represent.
    """
    check_carried(schema)
    shared = Shared(schema)
    names = _row_names(schema)
    sections: dict[str, list[tuple[str, Expression]]] = {section: [] for section in schema.sections or ("",)}
    for element in schema.elements:
        sections[element.section].append((names[element.key], _element(schema, element, shared)))
    forms = _forms_of(schema, names)
    title = f"{schema.format} {schema.version}".strip()
    doc = f"What the reader, the resolver and the validator know of {title}"
    if not schema.sections:
        return {"tables.py": _module(f"{doc}.", [*shared.items(), *sections[""], *forms], 1)}
    doc = f"What the reader, the resolver and the validator know of {schema.format}"  # for all versions
    written = {name: rows for name, rows in sections.items() if rows}
    modules = {
        name: _module(f"{doc}: {name}.", rows, 2, {"shared": [known for known, _ in shared.items()]})
        for name, rows in written.items()
    }
    modules["shared"] = _module(f"{doc}: what several elements share.", shared.items(), 2)
    homes = {name: [constant for constant, _ in rows] for name, rows in written.items()}
    modules["__init__"] = _module(f"{doc}.", forms, 2, homes)
    return {f"tables/{name}.py": text for name, text in modules.items()}


def _forms_of(schema: Schema, names: Mapping[str, str]) -> list[tuple[str, Expression]]:
    """The format's own row; of one with releases first that of all of them."""
    whole = call("Format", **_format(schema, names))
    if not schema.releases:
        return [("FORMAT", whole)]
    return [("EVERY_RELEASE", whole), ("FORMAT", call("at_release", "EVERY_RELEASE", literal(schema.version)))]


RESERVED = ("FORMAT", "EVERY_RELEASE", "ANYTHING", "FOREIGN", "TEXT_OF", "UNBOUNDED", "UNTYPED")
"""Names in modules of tables other than rows of elements."""


def _format(schema: Schema, names: Mapping[str, str]) -> dict[str, Expression]:
    """The fields of the format's own row."""
    fields: dict[str, Expression] = {
        "name": literal(schema.format),
        "version": literal(schema.version),
        "root": literal(schema.roots[0]),
        "elements": mapping({literal(key): name for key, name in [*names.items(), *_anything(schema)]}),
    }
    return fields | optional(
        roots=quoted(schema.roots[1:]),
        defaults=row(_defaults(schema)),
        namespaces=quoted(_namespaces(schema)),
        builtin=mapping(_builtin(schema)),
        version_in=literal(schema.version_in),
        oldest=literal(schema.oldest),
        releases=quoted(schema.releases),
        keywords=row(_keywords(schema)),
        prefixes=mapping({literal(prefix): literal(uri) for prefix, uri in schema.prefixes}),
        templates=mapping({literal(prefix): literal(text) for prefix, text in schema.templates}),
        foreign=mapping({literal(ending): literal(text) for ending, text in schema.foreign}),
        elsewhere=literal(schema.elsewhere),
        enums=mapping({literal(enum.name): SCOPE + enum.name for enum in schema.enums}),
        sequences=mapping(dict(_sequences(schema))),
        every_path=str(schema.every_path),
        ignores_text=str(schema.ignores_text),
        ignores_namespace=str(schema.ignores_namespace),
        skips_document_type=str(not schema.annotated),
        qualified=str(schema.qualified),
        namespace=literal(schema.namespace),
        prefix=literal(schema.prefix),
        constrained=str(any(element.constraints for element in schema.elements)),
        folds_case=str(schema.fold_case),
        **_status(schema.status),
        notes=row(call("Note", quoted(note.on), literal(note.text)) for note in schema.notes),
        unread=quoted(schema.unread),
    )


def _module(
    doc: str,
    statements: Sequence[tuple[str, Expression]],
    depth: int,
    siblings: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    """One module of tables, ``depth`` packages below the format's, with its imports."""
    used = set().union(*(_names(expression) for _, expression in statements))
    called = set().union(*(_called(expression) for _, expression in statements))
    imports = [
        imported(f".{sibling}", [name for name in sorted(names, key=import_order) if name in used])
        for sibling, names in sorted(siblings.items())
        if used.intersection(names)
    ]
    return render(
        "tables.py.jinja",
        doc=doc,
        base_import=imported("polybody.base", sorted(called, key=import_order)) if called else "",
        documents=f"from {'.' * depth} import documents as doc" if SCOPE[:-1] in used else "",
        imports=imports,
        statements=[layout(expression, f"{name} = ") for name, expression in statements],
    )


class Shared(Statements):
    """The statements before the elements: attribute rows shared by several elements, tables of their
    rules.
    """

    def __init__(self, schema: Schema) -> None:
        super().__init__({*_row_names(schema).values(), *RESERVED})
        runs = [run for element in schema.elements for run in _runs(element)]
        for run in runs:
            if run[0].group and runs.count(run) > 1:
                self.name(_group_name(run), row(_attribute(schema, attribute) for attribute in run))

    def attributes(self, schema: Schema, element: Element) -> Expression:
        """The attribute rows of an element; shared ones by name."""
        items: list[Expression] = []
        for run in _runs(element):
            rows = row(_attribute(schema, attribute) for attribute in run)
            name = self.known(_group_name(run), rows) if run[0].group else ""
            items.extend([f"*{name}"] if name else rows.items)
        alone = items[0] if len(items) == 1 else None
        return alone[1:] if isinstance(alone, str) else row(items)


def _runs(element: Element) -> list[tuple[Attribute, ...]]:
    """The attributes of an element, grouped by attribute groups of the schema."""
    runs: list[tuple[Attribute, ...]] = []
    for group, members in groupby(element.attributes, lambda attribute: attribute.group):
        found = tuple(members)
        runs.extend([found] if group else [(attribute,) for attribute in found])
    return runs


def _group_name(run: tuple[Attribute, ...]) -> str:
    return constant(run[0].group)


def _names(expression: Expression) -> set[str]:
    """The first names of all plain expressions: constants, modules."""
    if isinstance(expression, str):
        return {expression.lstrip("*").split(".")[0]}
    if isinstance(expression, Pair):
        return _names(expression.value) | {expression.key.split(".")[0]}
    return set().union(*(_names(item) for item in expression.items))


def _row_names(schema: Schema) -> dict[str, str]:
    """The name of the row of each element, by the element's key; all are different."""
    taken = set(RESERVED)
    return {element.key: free([constant(_row_name(element))], taken) for element in schema.elements}


def _row_name(element: Element) -> str:
    """The base of the name of an element's row: its class, or its path if it has no class of its own."""
    return camel(element.key) if element.untyped else element.cls


def _anything(schema: Schema) -> list[tuple[str, str]]:
    """The row of elements without a schema, if some can occur."""
    return [("*", "UNTYPED")] if any(element.wild for element in schema.elements) else []


def _called(expression: Expression) -> set[str]:
    """The names of base that an expression uses."""
    if isinstance(expression, str):
        return {
            word
            for word in ("ANYTHING", "FOREIGN", "UNBOUNDED", "UNTYPED", "Kind", "Status", "Untyped")
            if expression.split(".")[0] == word
        }
    if isinstance(expression, Pair):
        return _called(expression.value)
    used = {expression.name} if isinstance(expression, Call) else set()
    return used.union(*(_called(item) for item in expression.items)) if expression.items else used


def _element(schema: Schema, element: Element, shared: Shared) -> Expression:
    status = _status(element.status)
    return call(
        "Element",
        literal(element.key),
        literal(element.tag),
        element.cls if element.untyped else SCOPE + element.cls,
        **optional(
            attributes=shared.attributes(schema, element),
            children=row([*map(_child, element.children), *_others(element)]),
            text=_text(schema, element.text) if element.text is not None else "None",
            ordered=str(element.ordered),
            rules=row(rules(schema, element, shared)),
            **status,
            keeps=str(element.keeps),
            newer=mapping(_newer(element)),
            wild_when=literal(element.wild_when),
            wraps=str(element.wraps),
            include=literal(element.include),
            constraints=row(map(_constraint, element.constraints)),
        ),
        **({} if element.content is None else {"content": _content(element.content)}),
    )


def _others(element: Element) -> list[Expression]:
    """The row of undeclared children."""
    if not element.wild:
        return []
    limits = element.wildcard
    if not (limits.only or limits.but):
        return ["FOREIGN" if element.foreign else "ANYTHING"]
    said = optional(foreign=str(element.foreign), only=quoted(limits.only), but=quoted(limits.but))
    return [call("Child", *map(literal, ("*", "*", "elements")), high="UNBOUNDED", **said)]


def _content(content: Content) -> Expression:
    """A content model."""
    high = "UNBOUNDED" if content.high == UNBOUNDED else str(content.high)
    occurs = {"low": str(content.low)} if content.low != 1 else {}
    occurs |= {"high": high} if content.high != 1 else {}
    if content.tag:
        return call("One", literal(content.tag), **occurs)
    return call("Parts", row(map(_content, content.parts)), **optional(choice=str(content.choice)), **occurs)


def _constraint(said: Constraint) -> Expression:
    return call(
        "Constraint",
        literal(said.name),
        literal(said.kind),
        row(map(quoted, said.selector)),
        row(row(map(quoted, field)) for field in said.fields),
        **optional(refers=literal(said.refers)),
    )


def _newer(element: Element) -> dict[str, Expression]:
    """Names from later versions, with these versions."""
    found = (pair for rule in element.rules for pair in rule.newer().items())
    return {literal(name): literal(version) for name, version in found}


def _status(status: Status | None) -> dict[str, Expression]:
    if status is None or status.level == "simulated":
        return {}
    return {"status": f"Status.{status.level.upper()}", "reason": literal(status.reason)}


def _attribute(schema: Schema, attribute: Attribute) -> Expression:
    return call(
        "Attribute",
        literal(attribute.name),
        literal(attribute.field),
        row(_form(schema, attribute, form) for form in attribute.forms),
        **optional(required=str(attribute.required)),
        **_default(schema, attribute),
        **optional(
            unit=literal(_unit(attribute)),
            aliases=quoted(attribute.aliases),
            mistaken=quoted(attribute.mistaken),
            declares=literal(attribute.meaning.declares),
            refers=quoted(attribute.meaning.refers),
            file=literal(attribute.meaning.file),
            since=literal(attribute.since),
            until=literal(attribute.until),
            changes=row(_change(schema, attribute, change) for change in attribute.changes),
            deprecated=literal(attribute.deprecated if attribute.until else ""),
            **_status(attribute.status),
            shape=literal("" if attribute.meaning.shape.quantity else attribute.meaning.shape.text),
            notation=literal(_notation(attribute)),
            defaults_class=literal(attribute.meaning.defaultsClass),
            leaf=str(attribute.leaf),
            qualified=str(attribute.qualified),
            prefixed=str(attribute.type.prefixed),
        ),
    )


def _change(schema: Schema, attribute: Attribute, change: Change) -> Expression:
    """Forms and default from a release on."""
    now = replace(attribute, type=change.type, default=change.default)
    forms = row(_form(schema, now, form) for form in now.forms)
    return call(
        "Change", literal(change.since), forms, **_default(schema, now), **optional(notation=literal(_notation(now)))
    )


def _keywords(schema: Schema) -> Iterator[Expression]:
    """The keywords that only some releases have, with the first and the last of them."""
    for enum in schema.enums:
        for member in enum.members:
            if schema.releases and (member.since or member.until):
                yield row((f"{SCOPE}{enum.name}.{member.name}", literal(member.since), literal(member.until)))


def _unit(attribute: Attribute) -> str:
    meaning = attribute.meaning
    return "|".join(filter(None, (meaning.unit, meaning.unitBy and f"by {meaning.unitBy}")))


def _default(schema: Schema, attribute: Attribute) -> dict[str, Expression]:
    """A constant default; one of variable length becomes a rule."""
    if attribute.default is None or attribute.default_varies:
        return {}
    return {"default": parsed(attribute.default, attribute, schema, SCOPE)}


def _notation(attribute: Attribute) -> str:
    """A default of variable length that depends on no keyword."""
    alone = attribute.default_varies and attribute.meaning.shape.quantity is None
    return attribute.default or "" if alone else ""


def _form(schema: Schema, value: Attribute, form: Form) -> Expression:
    counts: list[Expression] = []
    if not form.scalar:
        counts = [str(form.low), "UNBOUNDED" if form.high == UNBOUNDED else str(form.high)]
    return call(
        "Value",
        f"Kind.{form.kind.name}",
        *counts,
        **({} if form.scalar else {"scalar": "False"}),
        **optional(
            enum=form.enum and SCOPE + form.enum,
        ),
        **_bounds(form),
        **optional(
            open=str(form.open),
            numbers=row(map(_number(form), form.numbers)),
            bits=str(form.bits),
            spelt_out=str(form.spelt_out),
            pattern=literal(python_pattern(form.pattern)) if form.pattern else "",
            shortest=str(form.shortest) if form.shortest else "",
            longest="" if form.longest == UNBOUNDED else str(form.longest),
            built_in=literal(form.built_in),
            exact=str(form.exact),
            nonempty=str(form.nonempty),
            collapsed=str(form.collapsed),
            folds_case=str(schema.fold_case and form.kind in (Kind.BOOL, Kind.ENUM)),
        ),
        **({"finite": "False"} if form.kind is Kind.REAL and not form.finite else {}),
        **({} if form.fixed is None else {"fixed": parsed(form.fixed, value, schema, SCOPE)}),
    )


def _bounds(form: Form) -> dict[str, Expression]:
    bounds = {"minimum": form.minimum, "maximum": form.maximum}
    return {name: _number(form)(bound) for name, bound in bounds.items() if bound is not None}


def _number(form: Form) -> Callable[[float], str]:
    """How a number of a form is written."""
    return number if form.kind is Kind.REAL else lambda value: str(int(value))


def _child(child: Child) -> Expression:
    high = "UNBOUNDED" if child.high == UNBOUNDED else str(child.high)
    return call(
        "Child",
        literal(child.tag),
        literal(child.element),
        literal(child.field),
        **optional(low=str(child.low)),
        **({} if child.high == 1 else {"high": high}),
        **optional(
            merge=str(child.merge),
            last=str(child.last),
            since=literal(child.since),
            until=literal(child.until),
            deprecated=literal(child.deprecated),
        ),
        **({} if child.qualified else {"qualified": "False"}),
    )


def _text(schema: Schema, text: Attribute) -> Expression:
    return call(
        "Text",
        row(_form(schema, text, form) for form in text.forms),
        **({} if text.required else {"required": "False"}),
        **_default(schema, text),
        **optional(
            unit=literal(_unit(text)),
            shape=literal(str(text.meaning.shape.quantity or text.meaning.shape.text)),
            declares=literal(text.meaning.declares),
            refers=quoted(text.meaning.refers),
            file=literal(text.meaning.file),
            prefixed=str(text.type.prefixed),
        ),
    )


def _defaults(schema: Schema) -> Iterator[Expression]:
    for element in schema.elements:
        for name in element.fills:
            for target in schema.elements:
                if target.type_name == name:
                    yield call("Defaults", literal(element.key), literal(target.key))


def _namespaces(schema: Schema) -> list[str]:
    declared = (value.meaning.declares for element in schema.elements for value in element.values)
    return sorted({name for name in declared if name})


def _builtin(schema: Schema) -> dict[str, Expression]:
    values = [value.meaning for element in schema.elements for value in element.values]
    return {literal(said.declares): quoted(said.builtin) for said in values if said.declares and said.builtin}


def _sequences(schema: Schema) -> Iterator[tuple[str, Expression]]:
    for enum in schema.enums:
        for member in enum.members:
            if member.sequence is not None:
                primitives = (
                    call(
                        "Primitive",
                        literal(p.name),
                        *([AXES[p.axis]] if p.axis else []),
                        **({} if (p.nq, p.nv) == (1, 1) else {"nq": str(p.nq), "nv": str(p.nv)}),
                    )
                    for p in member.sequence
                )
                yield f"{SCOPE}{enum.name}.{member.name}", row(primitives)
