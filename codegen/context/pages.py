"""Schema model to the reference as a site: a page for each element, with its example, in Markdown.

Children that are fields of their parent have sections on its page. Pages are linked from the format's page,
from each other and from the search. They are not in the table of contents, which would have hundreds of
entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..examples import Example, examples
from ..markdown import code, text
from ..render import render
from ..schema.model import Attribute, Child, Element, Schema, Status
from ..schema.places import first_paths
from ..schema.types import Form, Kind
from .reference import Section, decisions, keywords, occurs
from .words import PYTHON, amount, dates, required_text

LEVELS = {
    "simulated": "Simulated.",
    "parsed": "Read and checked, not simulated",
    "later": "Read and checked; where it acts, no Model can be made yet",
    "unsupported": "Not supported: using it is an error",
}
FEW = 8
"""Maximum number of keywords listed at a value; more are on the page of keywords."""
KEYWORDS = "keywords"


@dataclass(frozen=True, slots=True)
class Shown:
    """An example: its title, the document, the lines that show the element, and files next to it."""

    document: str
    first: int
    last: int
    beside: tuple[str, ...]
    refused: str


@dataclass(frozen=True, slots=True)
class Field:
    """A section on a child that is a field of its parent."""

    heading: str
    paragraphs: tuple[str, ...]
    facts: tuple[str, ...]
    example: Shown


@dataclass(frozen=True, slots=True)
class Page:
    """An element's page."""

    title: str
    trail: str
    paragraphs: tuple[str, ...]
    around: tuple[str, ...]
    tables: tuple[Section, ...]
    rules: tuple[str, ...]
    decisions: tuple[str, ...]
    example: Shown
    fields: tuple[Field, ...]


def format_site(schema: Schema, title: str) -> dict[str, str]:
    """The pages of a format by their file names; ``index.md`` is the first.

    Raises:
        SchemaError: the schema has an error.
    """
    shown = {example.key: _shown(example) for example in examples(schema)}
    site = _Site(schema, title, first_paths(schema))
    pages = {
        f"{address(element.key)}.md": render("page.md.jinja", page=site.page(element, shown))
        for element in schema.elements
    }
    words = render(
        "reference.md.jinja", title=f"Keywords of {text(title)}", doc="", sections=list(keywords(schema))
    )
    pages[f"{KEYWORDS}.md"] = f"---\norphan: true\n---\n{words}"
    pages["index.md"] = render("format.md.jinja", site=site, schema=schema, doc=text(schema.doc))
    return pages


def address(key: str) -> str:
    """The file name of an element's page, without its extension."""
    return key.replace("/", ".").replace(":", "-").replace("(", "-").rstrip(")")


def anchor(heading: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _shown(example: Example) -> Shown:
    beside = tuple(
        f"{code(name)} is next to it"
        + (f", for instance {code(' '.join(content.split()))}" if content else "")
        for name, content in example.files.items()
    )
    return Shown(example.document, *example.lines, beside, text(example.refused))


@dataclass(frozen=True)
class _Site:
    """The input of pages: the schema, the paths by which elements are shown, and the parents of elements."""

    schema: Schema
    title: str
    paths: Mapping[str, str]

    def link(self, key: str, label: str = "") -> str:
        return f"[{code(label or self.paths[key])}]({address(key)}.md)"

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """(link, first sentence, status) of each element and field, in the schema's order."""
        for element in self.schema.elements:
            yield self.link(element.key), _brief(element.doc), self._level(element.status)
            for value in element.attributes:
                if value.leaf:
                    link = self._field(element, value, f"{self.paths[element.key]}/{value.name}")
                    yield link, _brief(value.doc), self._level(value.status)

    def decisions(self) -> list[Section]:
        return list(decisions(self.schema))

    def page(self, element: Element, shown: dict[str, Shown]) -> Page:
        """The page of an element."""
        path = self.paths[element.key]
        names = path.split("/")
        above = ["/".join(names[:count]) for count in range(1, len(names))]
        found = {path: key for key, path in self.paths.items()}
        trail = [self.link(found[at], name) for at, name in zip(above, names, strict=False)]
        attributes = [value for value in element.attributes if not value.leaf]
        leaves = [value for value in element.attributes if value.leaf]
        return Page(
            title=f"{code(f'<{element.tag}>')} ({text(path)})",
            trail=" › ".join([f"[{text(self.title)}](index.md)", *trail, code(element.tag)]),
            paragraphs=tuple(filter(None, (text(element.doc), *self._standing(element)))),
            around=tuple(self._around(element)),
            tables=tuple(
                filter(_filled, (self._values(element, attributes), self._children(element, leaves)))
            ),
            rules=tuple(rule.sentence() for rule in element.rules),
            decisions=tuple(self._decided(element)),
            example=shown[element.key],
            fields=tuple(
                self._leaf(element, value, shown[f"{element.key}/{value.name}"]) for value in leaves
            ),
        )

    def _standing(self, thing: Element | Attribute | Child) -> Iterator[str]:
        """Status, versions and replacements."""
        if not isinstance(thing, Child):
            yield self._level(thing.status)
        if not isinstance(thing, Element):
            yield from self._dates(thing)
        if thing.deprecated:
            yield f"Not known to every reader: {text(thing.deprecated)}."

    def _dates(self, thing: Attribute | Child) -> Iterator[str]:
        if self.schema.releases:
            yield from map(text, dates(thing, self.schema))
            return
        if thing.since:
            yield f"Since version {text(thing.since)} of the format."
        if thing.until:
            yield f"Up to version {text(thing.until)} of the format."

    def _level(self, status: Status | None) -> str:
        status = status or self.schema.status or Status("simulated")
        words = LEVELS[status.level]
        return f"{words}: {text(status.reason)}." if status.level != "simulated" else words

    def _around(self, element: Element) -> Iterator[str]:
        """The possible parents."""
        if element.key in self.schema.roots:
            yield "a document begins with it"
        for other in self.schema.elements:
            for child in other.children:
                if child.element == element.key:
                    notes = [occurs(child), *self._standing(child)]
                    yield f"{self.link(other.key)} {'; '.join(note.rstrip('.') for note in notes)}"

    def _decided(self, element: Element) -> Iterator[str]:
        """Decisions about the element, its attributes and its fields."""
        own = self.paths[element.key]
        shown = [own, *(f"{own}/{value.name}" for value in element.attributes if value.leaf)]
        for note in self.schema.notes:
            paths = [path.partition("/@")[0] for path in note.on]
            if any(f"/{here}".endswith(f"/{path}") for here in shown for path in paths):
                yield f"{', '.join(map(code, note.on))}: {text(note.text)}"

    def _values(self, element: Element, attributes: list[Attribute]) -> Section:
        values = [*attributes, *([element.text] if element.text is not None else [])]
        rows = [
            (
                "its text" if value is element.text else code(value.name),
                self._kind(value),
                self._default(element, value),
                " ".join(self._notes(element, value)),
            )
            for value in values
        ]
        return Section(
            "Attributes and text", columns=("attribute", "value", "default", "meaning"), rows=tuple(rows)
        )

    def _children(self, element: Element, leaves: list[Attribute]) -> Section:
        rows = [
            (
                self._field(element, value, f"<{value.name}>"),
                "once" if value.required else "at most once",
                self._kind(value),
                _brief(value.doc),
            )
            for value in leaves
        ]
        for child in element.children:
            inner = self.schema.element(child.element)
            kind = self._kind(inner.text) if inner.text is not None else ""
            rows.append((self.link(child.element, f"<{child.tag}>"), occurs(child), kind, _brief(inner.doc)))
        wild = "anything else, kept unchanged" if element.wild and not element.foreign else ""
        return Section(
            "Elements in it",
            paragraphs=(f"And {wild}.",) if wild else (),
            columns=("element", "how often", "value", "meaning"),
            rows=tuple(rows),
        )

    def _leaf(self, element: Element, value: Attribute, example: Shown) -> Field:
        facts = [f"Value: {self._kind(value)}", f"Default: {self._default(element, value) or 'none'}"]
        facts += [f"Occurs {'once' if value.required else 'at most once'} in {self.link(element.key)}"]
        notes = list(self._notes(element, value))
        return Field(code(f"<{value.name}>"), tuple(notes), tuple(facts), example)

    def _field(self, element: Element, value: Attribute, label: str) -> str:
        return f"[{code(label)}]({address(element.key)}.md#{anchor(value.name)})"

    def _kind(self, value: Attribute) -> str:
        """Type, unit and shape."""
        kinds = list(dict.fromkeys(self._form(form, value) for form in value.every_form))
        shape = value.meaning.shape
        counted = "" if shape.constant else f", as many as {code(shape.text)}"
        return " or ".join(kinds) + counted

    def _form(self, form: Form, value: Attribute) -> str:
        if form.kind is Kind.ENUM:
            members = self.schema.enum(form.enum).members
            if len(members) <= FEW:
                return ", ".join(code(member.value) for member in members)
            return f"one of [{len(members)} keywords]({KEYWORDS}.md#keywords-of-{anchor(form.enum)})"
        return text(amount(value, form)) or {"str": "text", "bool": "true or false"}[PYTHON[form.kind]]

    def _default(self, element: Element, value: Attribute) -> str:
        needed = required_text(element, value)
        if value.default is not None and not needed:
            return code(value.default) or "empty"
        if needed == "required" and not value.required:
            needed = "required, here or by defaults"
        return text(needed)

    def _notes(self, element: Element, value: Attribute) -> Iterator[str]:
        if value.doc:
            yield text(value.doc)
        meaning = value.meaning
        if meaning.declares:
            yield f"Declares a name of the kind {code(meaning.declares)}, which must be unique."
        if meaning.refers:
            names = [self._declaring(namespace) for namespace in meaning.refers]
            yield f"Refers to a {' or '.join(names)} by its name."
        if meaning.builtin:
            yield f"{', '.join(map(code, meaning.builtin))} can be named without being declared."
        if meaning.file:
            yield f"A path to a file: {'of any kind' if meaning.file == 'any' else text(meaning.file)}."
        if meaning.rotation:
            yield f"A rotation, {code(meaning.rotation)}."
        if value.aliases:
            yield f"Also read as {', '.join(map(code, value.aliases))}."
        if (value.status or self.schema.status) != (element.status or self.schema.status) or value.leaf:
            yield self._level(value.status)
        yield from list(self._standing(value))[1:]

    def _declaring(self, namespace: str) -> str:
        for element in self.schema.elements:
            if not element.fills and any(value.meaning.declares == namespace for value in element.attributes):
                return self.link(element.key, namespace)
        return code(namespace)


def _filled(section: Section) -> bool:
    return bool(section.rows or section.paragraphs)


def _brief(doc: str) -> str:
    """The first sentence."""
    return text(re.split(r"(?<=\.)\s", " ".join(doc.split()), maxsplit=1)[0])
