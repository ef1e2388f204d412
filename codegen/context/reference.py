"""Schema model to reference pages: a Markdown page per format, and one of the canonical model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..markdown import code, text
from ..render import render
from ..schema.columns import tables
from ..schema.model import Attribute, Child, Column, Element, Member, Schema
from ..schema.types import UNBOUNDED, Form, Kind
from .words import PYTHON, amount, dates, required_text

ROLES = {
    "model": "given",
    "computed": "computed at qpos0",
    "derived": "computed when the Model is built",
    "state": "state of a simulation",
    "result": "result",
    "work": "the kernels' own",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: a heading, paragraphs, list items, and a table of rows with column heads."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def format_page(schema: Schema) -> str:
    """The reference page of a format: its elements, then its keywords."""
    sections = [
        *(_element(schema, element) for element in schema.elements),
        *keywords(schema),
        *decisions(schema),
    ]
    return _page(f"{schema.format} {schema.version}".strip(), schema.doc, sections)


def model_page(schema: Schema) -> str:
    """The reference page of the canonical model: its tables and columns."""
    columns = {column.place: column for column in tables(schema)}
    sections = [
        _table(element, [columns[value.place] for value in element.attributes if value.place in columns])
        for element in schema.elements
        if element.axis
    ]
    return _page("The canonical model", schema.doc, sections)


def _page(title: str, doc: str, sections: Iterable[Section]) -> str:
    return render("reference.md.jinja", title=text(title), doc=text(doc), sections=list(sections))


def _element(schema: Schema, element: Element) -> Section:
    paragraphs = [text(element.doc)]
    if element.status not in (None, schema.status) and element.status.level != "simulated":
        paragraphs.append(f"*{element.status.level}*: {text(element.status.reason)}.")
    return Section(
        heading=_heading(element),
        paragraphs=tuple(paragraph for paragraph in paragraphs if paragraph),
        items=(
            *(_child(schema, child) for child in element.children),
            *(["anything else, kept unchanged"] if element.wild and not element.foreign else []),
            *(rule.sentence() for rule in element.rules),
        ),
        columns=("attribute", "value", "default", "meaning") if element.values else (),
        rows=tuple(_attribute(schema, element, value) for value in element.values),
    )


def _heading(element: Element) -> str:
    """Its tag, and the key by which other elements refer to it."""
    return f"{code(f'<{element.tag}>')} ({code(element.key)})"


def _child(schema: Schema, child: Child) -> str:
    said = f"{code(f'<{child.tag}>')} {occurs(child)}: see {code(child.element)}"
    return ". ".join([said, *dates(child, schema)]).rstrip(".")


def occurs(child: Child) -> str:
    """How often a child may occur in its parent."""
    if child.merge:
        return "any number, which are one: of an attribute the last counts"
    if child.high == 1:
        return "once" if child.low else "at most once"
    least = f"at least {child.low}" if child.low else "any number"
    return least if child.high == UNBOUNDED else f"{least}, at most {child.high}"


def _attribute(schema: Schema, element: Element, value: Attribute) -> tuple[str, ...]:
    kinds = " or ".join(dict.fromkeys(_form(form, value) for form in value.every_form))
    notes = [text(value.doc), *map(text, dates(value, schema))]
    if value.aliases:
        notes.append(f"Also read as {', '.join(map(code, value.aliases))}.")
    if value.status is not None and value.status.level != "simulated":
        notes.append(f"*{value.status.level}*: {text(value.status.reason)}.")
    needed = required_text(element, value)
    default = code(value.default) if value.default is not None else text(needed)
    return (
        code(f"<{value.name}>" if value.leaf else value.name),
        kinds,
        default,
        " ".join(note for note in notes if note),
    )


def _form(form: Form, value: Attribute) -> str:
    if form.kind is Kind.ENUM:
        return f"a keyword of {code(form.enum)}"
    return text(amount(value, form)) or {"str": "text", "bool": "true or false"}[PYTHON[form.kind]]


def decisions(schema: Schema) -> Iterator[Section]:
    """Decisions where documentation and parsers differ, with the reasons."""
    if schema.notes:
        items = (f"{', '.join(map(code, note.on))}: {text(note.text)}" for note in schema.notes)
        yield Section(heading="Decisions", items=tuple(items))


def keywords(schema: Schema) -> Iterator[Section]:
    """A section for each set of keywords."""
    for enum in schema.enums:
        counted = list(dict.fromkeys(name for member in enum.members for name in member.quantities))
        jointed = any(member.sequence is not None for member in enum.members)
        yield Section(
            heading=f"Keywords of {code(enum.name)}",
            paragraphs=(text(enum.doc),) if enum.doc else (),
            columns=("keyword", *(["joints"] if jointed else []), *map(code, counted), "meaning"),
            rows=tuple(
                (
                    code(member.value),
                    *([code(_sequence(member)) or "none"] if jointed else []),
                    *(str(member.quantities.get(name, "")) for name in counted),
                    " ".join([text(member.doc), *map(text, dates(member, schema))]).strip(),
                )
                for member in enum.members
            ),
        )


def _sequence(member: Member) -> str:
    return " ".join(f"{p.name}:{p.axis}" if p.axis else p.name for p in member.sequence or ())


def _table(element: Element, columns: list[Column]) -> Section:
    owner = code(columns[0].owner)
    rows = f"One row, of {owner}."
    if element.count:
        rows = f"{code(element.count)} rows of {owner}, one per {text(element.axis)}."
    return Section(
        heading=_heading(element),
        paragraphs=tuple(paragraph for paragraph in (text(element.doc), rows) if paragraph),
        columns=("column", "value", "unit", "role", "meaning"),
        rows=tuple(_column(column) for column in columns),
    )


def _column(column: Column) -> tuple[str, ...]:
    unit = text(column.unit.replace("|", " or "))
    return code(column.name), _content(column), unit, ROLES[column.role], text(column.doc)


def _content(column: Column) -> str:
    if column.index:
        return f"row of {code(column.index)}"
    if column.vocabulary or column.enum:
        return f"code: {text(column.vocabulary or column.enum)}"
    shape = "x".join(map(str, column.shape))
    return f"{column.kind.value} {shape}".strip()
