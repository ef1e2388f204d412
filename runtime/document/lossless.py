"""Documents that were read and edited, written as the original text with the edits applied.

The text is parsed again: differences between its elements and those of the document are the edits. Everything
else keeps its bytes: comments, blank lines, the order of attributes, the spelling of numbers. The value of a
changed attribute is replaced in place; a new element gets the indentation of those around it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from polybody.base import Attribute, Element, Format, Node, Source, Text, Untyped, at_release, children_of
from polybody.diagnostics import Findings
from polybody.document import writer
from polybody.document.layout import Layout, Place, longest_increasing
from polybody.document.namespaces import Names
from polybody.document.parser.parse import Parse
from polybody.document.parser.tables import table_of
from polybody.document.registry import home_of
from polybody.document.sources import LIMITS

_SPACES = re.compile(r"([ \t\r\n]+)")


New = tuple[int, Node | str]
"""An element, or the text of a leaf, and the offset after which it is inserted."""


class Edit(NamedTuple):
    """A range of bytes of the text, and its replacement."""

    start: int
    end: int
    text: bytes


def rewrite(document: Node, form: Format) -> str | None:
    """The text that a document was read from, with the edits made since.

    Returns None if there is no such text: the document was made in Python, or its root is not that of a text.

    Raises:
        TypeError, ValueError: as in `polybody.document.writer.write`.
    """
    source = document.source
    if source is None or document._position is None:
        return None
    form = at_release(form, source.release) if source.release else form
    findings = Findings("lenient", format=home_of(form))
    parse = Parse(table_of(form), source, findings, LIMITS)
    parse.run()
    if (
        parse.root is None
        or parse.root._position != document._position
        or type(parse.root) is not type(document)
    ):
        return None
    return _Rewriting(document, form, source, parse.root).text()


class _Rewriting:
    """One document and the text that it came from."""

    def __init__(self, document: Node, form: Format, source: Source, read: Node) -> None:
        self.document, self.form, self.source = document, form, source
        rows = (form.whole or form).elements.values()  # an edit may be of another release
        self.rows = {row.cls: row for row in rows}
        self.layout = Layout(source)
        self.read = {node._position: node for node in read.walk()}
        self.taken: set[int] = set()  # positions of the text that are in use

    def text(self) -> str:
        whole = self.layout.data
        return self._edited(self.document, 0, len(whole)).decode()

    def _edited(self, node: Node, start: int, end: int) -> bytes:
        """The text in a range, with the edits of an element in it and below."""
        pieces: list[bytes] = []
        for edit in _in_order(self._edits(node)):
            pieces += (self.layout.data[start : edit.start], edit.text)
            start = edit.end
        return b"".join((*pieces, self.layout.data[start:end]))

    def _known(self, node: Node) -> Node | None:
        """The original of a node; None if it is not from this text, or was already written."""
        if node._source is not self.source or node._position in self.taken:
            return None
        read = self.read.get(node._position)
        return read if type(read) is type(node) else None

    def _edits(self, top: Node) -> Iterator[Edit]:
        todo = [top]
        while todo:
            node = todo.pop()
            assert node._position is not None
            self.taken.add(node._position)
            stay, edits = self._of_element(node, self.read[node._position], self._place(node))
            yield from edits
            todo.extend(stay)

    def _place(self, node: Node) -> Place:
        assert node._position is not None
        place = self.layout.place_at(node._position)
        assert place is not None
        return place

    @cached_property
    def _starts(self) -> set[int]:
        """Positions of the elements that correspond to a single place."""
        return {self._place(node).start for node in self.read.values()}

    def _places(self, place: Place) -> list[Place]:
        """All places of an element: elements of some kinds are merged from several."""
        if place.around is None:
            return [place]
        others = [other for other in place.around.children if other.tag == place.tag]
        return [other for other in others if other is place or other.start not in self._starts]

    # --- one element ----------------------------------------------------------------------------------------

    def _of_element(self, node: Node, read: Node, place: Place) -> tuple[list[Node], list[Edit]]:
        """The children that keep their places, and all edits of the element itself."""
        stay, gone, new = list(children_of(node)), list[Edit](), list[New]()
        if not _same_objects(node, read):
            stay, gone, new = self._children(node, read, place)
        if isinstance(node, Untyped):
            return stay, [*self._untyped(node, read, place), *gone, *self._placed(new, place)]
        row = self.rows[type(node)]
        edits = [*self._attributes(node, read, row, place), *gone]
        for attribute in (a for a in row.attributes if a.leaf and _differs(node, read, a)):
            edit = self._leaf(node, read, row, attribute, place)
            if edit is None:
                name = writer.leaf_name(attribute, self._names(place))
                text = writer.leaf_text(name, self._lexical(node, row, attribute))
                new.append((place.opened, text))
            else:
                edits.append(edit)
        if row.text is not None and _differs(node, read, row.text):
            edits.append(self._content(node, read, row, row.text, self._places(place)[-1]))
        return stay, [*edits, *self._placed(new, place)]

    def _attributes(self, node: Node, read: Node, row: Element, place: Place) -> Iterator[Edit]:
        changed = [a for a in row.attributes if not a.leaf and _differs(node, read, a)]
        kept = (getattr(node, "attributes"), getattr(read, "attributes")) if row.keeps else (None, None)  # noqa: B009
        if not changed and kept[0] == kept[1]:
            return
        for attribute in changed:
            names = self._spellings(attribute, place)
            value = None if getattr(node, attribute.field) is None else self._lexical(node, row, attribute)
            every = [
                _spelt(self.layout.attributes(p), names, self.form.folds_case) for p in self._places(place)
            ]
            written = [found for found in every if found is not None]
            values = getattr(node, attribute.field), getattr(read, attribute.field)
            for found in written if value is None else written[-1:]:
                yield from self._attribute(attribute.name, value, found, place, values)
            if not written:
                yield from self._attribute(names[0], value, None, place, values)
        yield from self._strings(kept[0] or {}, kept[1] or {}, self.layout.attributes(place), place)

    def _names(self, place: Place) -> Names | None:
        """The prefixes for names in an element, if the format's names are qualified."""
        if not self.form.qualified:
            return None
        return Names(self.form, self.layout.scope(place))

    def _spellings(self, attribute: Attribute, place: Place) -> tuple[str, ...]:
        """The names of an attribute; the one in the text first."""
        names = self._names(place)
        if names is None or not (attribute.qualified or ":" in attribute.name):
            return attribute.name, *attribute.aliases
        name = names.attribute(attribute)
        local = name.rpartition(":")[2]
        uri = {**names.scope, **names.declared}.get(name.rpartition(":")[0], "")
        others = (f"{prefix}:{local}" for prefix, known in names.scope.items() if known == uri and prefix)
        missing = [f'{key}="{value}" ' for key, value in names.declarations()]
        return "".join((*missing, name)), *others

    def _strings(
        self, now: dict[str, str], then: dict[str, str], written: dict[bytes, Any], place: Place
    ) -> Iterator[Edit]:
        """Attributes without a schema."""
        for name in {**then, **now}:
            if now.get(name) != then.get(name):
                found = _spelt(written, (name,), False)
                values = now.get(name), then.get(name)
                yield from self._attribute(name, now.get(name), found, place, values)

    def _attribute(
        self,
        name: str,
        text: str | None,
        found: tuple[int, int, int] | None,
        place: Place,
        values: tuple[Any, Any],
    ) -> Iterator[Edit]:
        """The edit that sets an attribute to a text; None removes it. The values: the present one and the one
        read.
        """
        if found is None:
            if text is not None:
                end = self.layout.attributes_end(place)
                yield Edit(end, end, b" " + writer.pair(name, text).encode())
            return
        start, quote, end = found
        if text is None:
            yield Edit(start, end, b"")
            return
        data = self.layout.data
        escape = _in_apostrophes if data[quote : quote + 1] == b"'" else _in_quotes
        spelt = _respelt(data[quote + 1 : end - 1].decode(), text, *values, escape)
        yield Edit(quote + 1, end - 1, spelt.encode())

    def _untyped(self, node: Untyped, read: Any, place: Place) -> Iterator[Edit]:
        """An element without a schema. If more than attributes changed, it is rewritten."""
        writer.check_untyped(node)
        if node.attributes != read.attributes:
            written = self.layout.attributes(place)
            yield from self._strings(node.attributes, read.attributes, written, place)
        if node.tag != read.tag:
            tag = node.tag.encode()
            yield Edit(place.start + 1, place.start + 1 + len(place.tag), tag)
            if not place.empty:
                yield Edit(place.closing, place.end, b"</" + tag + b">")
        if node.text != read.text:
            until = place.children[0].start if place.children else place.closing
            yield self._inner(place, until, writer.escaped(node.text or ""))
        if node.tail != read.tail:
            until = self.layout.data.find(b"<", place.end)
            yield Edit(place.end, until, writer.escaped(node.tail or "").encode())

    def _leaf(self, node: Node, read: Node, row: Element, attribute: Attribute, place: Place) -> Edit | None:
        """The edit of a child that contains only text; None if there is no such child yet."""
        names = {name.encode() for name in (attribute.name, *attribute.aliases)}
        every = [child for p in self._places(place) for child in p.children]
        if self.form.qualified:  # with any prefix
            found = [child for child in every if child.tag.rpartition(b":")[2] in names]
        else:
            found = [child for child in every if child.tag in names]
        value = getattr(node, attribute.field)
        if not found:
            return None
        if value is None:
            return Edit(*self.layout.whole(found[-1]), b"")
        before = self.layout.data[found[-1].opened : found[-1].closing].decode()
        then = getattr(read, attribute.field)
        text = _respelt(before, self._lexical(node, row, attribute), value, then, writer.escaped)
        return self._inner(found[-1], found[-1].closing, text)

    def _content(self, node: Node, read: Node, row: Element, text: Text, place: Place) -> Edit:
        value = getattr(node, text.field)
        inner = "" if value is None else self._lexical(node, row, text)
        until = place.children[0].start if place.children else place.closing
        before = self.layout.data[place.opened : until].decode()
        inner = _respelt(before, inner, value, getattr(read, text.field), writer.escaped)
        return self._inner(place, until, inner)

    def _inner(self, place: Place, until: int, text: str) -> Edit:
        """Another text after a start tag."""
        if not place.empty:
            return Edit(place.opened, until, text.encode())
        end = self.layout.data.rfind(b"/", place.start, place.opened)
        return Edit(end, place.opened, b">" + text.encode() + b"</" + place.tag + b">")

    def _lexical(self, node: Node, row: Element, attribute: Attribute | Text) -> str:
        return writer.lexical(getattr(node, attribute.field), row, attribute)

    # --- children -------------------------------------------------------------------------------------------

    def _children(self, node: Node, read: Node, place: Place) -> tuple[list[Node], list[Edit], list[New]]:
        """Children that stay, removed ranges, and new children with the offsets after which they are
        inserted.
        """
        order = {child._position: number for number, child in enumerate(children_of(read))}
        now = children_of(node)
        claimed: dict[
            int, int
        ] = {}  # indices of children that existed before, by their index among the present ones
        for index, child in enumerate(now):
            number = order.get(child._position) if self._known(child) is not None else None
            if number is not None and number not in claimed.values():
                claimed[index] = number
        indices = list(claimed)
        still = {indices[i] for i in longest_increasing(list(claimed.values()))}
        positions = {now[index]._position for index in still}
        stay, gone, new = [], [], []
        behind = place.opened
        for index, child in enumerate(now):
            if index in still:
                stay.append(child)
                behind = self._place(child).end
            else:
                new.append((behind, child))
        for child in children_of(read):
            if child._position not in positions:
                gone += [Edit(*self.layout.whole(where), b"") for where in self._places(self._place(child))]
        return stay, gone, new

    def _placed(self, new: list[New], place: Place) -> list[Edit]:
        """New elements and leaves of an element, with offsets."""
        if not new:
            return []
        layout = self.layout
        inner, unit = layout.inner(place)
        names = self._names(place)
        around = layout.newline + (layout.indent(place.start) or b"")
        lines = writer.Layout(inner.decode(), unit.decode(), layout.newline.decode())
        texts = [item if isinstance(item, str) else self._anew(item, lines, names, place) for _, item in new]
        inline = any(layout.indent(child.start) is None for child in place.children)
        gap = b"" if inline else layout.newline + inner
        if place.empty:
            end = len(layout.data[: place.opened].rstrip(b">").rstrip(b"/").rstrip())
            inside = b"".join(gap + text.encode() for text in texts)
            return [Edit(end, place.opened, b">" + inside + around + b"</" + place.tag + b">")]
        edits = []
        for (behind, _), text in zip(new, texts, strict=True):
            where = behind if place.children else layout.content_end(place)
            where = where if inline else layout.line_end(where)
            edits.append(Edit(where, where, gap + text.encode()))
        if not place.children and b"\n" not in layout.data[place.opened : place.closing]:
            edits.append(Edit(place.closing, place.closing, around))
        return edits

    def _anew(self, node: Node, lines: writer.Layout, names: Names | None, place: Place) -> str:
        """A new element; parts of it from this text keep their bytes."""
        if names is None:
            return writer.write_part(node, self.form, lines, self._moved)
        row = self.rows[type(self._at[place.start])]
        known = self._moved if self._declares_at_root else _nowhere
        return writer.write_part(node, self.form, lines, known, names.inside(), writer.in_space(node, row))

    @cached_property
    def _at(self) -> dict[int, Node]:
        """The elements by the offsets at which they begin."""
        return {self._place(node).start: node for node in self.read.values()}

    @cached_property
    def _declares_at_root(self) -> bool:
        """Whether the text of an element has the same meaning at any place."""
        below = [place for place in self.layout.places.values() if place.around is not None]
        return not any(name.startswith(b"xmlns") for each in below for name in self.layout.attributes(each))

    def _moved(self, node: Node) -> str | None:
        """The text of an element that was at another place of this text."""
        if self._known(node) is None:
            return None
        place = self._place(node)
        return self._edited(node, place.start, place.end).decode()


def _nowhere(node: Node) -> str | None:
    """No element has a text yet."""
    return None


def _same_objects(node: Node, read: Node) -> bool:
    """Whether the children of two elements come from the same places, one by one."""
    now, then = children_of(node), children_of(read)
    if len(now) != len(then):
        return False
    pairs = zip(now, then, strict=True)
    return all(a.source is b.source and a._position == b._position and type(a) is type(b) for a, b in pairs)


def _differs(node: Node, read: Node, attribute: Attribute | Text) -> bool:
    now, then = getattr(node, attribute.field), getattr(read, attribute.field)
    if now is None or then is None:
        return now is not then
    if type(now) is type(then) and type(now) is not float and isinstance(now, str | int | float):
        return bool(now != then)
    return bool(_plain(now) != _plain(then))


def _plain(value: Any) -> Any:
    """A value that compares like its text."""
    if isinstance(value, str | bool | int):
        return value
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    return repr(value) if not hasattr(value, "__float__") else repr(float(value))


def _spelt(
    written: dict[bytes, tuple[int, int, int]], names: Iterable[str], folds_case: bool
) -> tuple[int, int, int] | None:
    for name in names:
        if (found := written.get(name.encode())) is not None:
            return found
    if folds_case:
        lower = {name.lower().encode() for name in names}
        return next((found for name, found in written.items() if name.lower() in lower), None)
    return None


def _in_quotes(text: str) -> str:
    return writer.pair("", text)[2:-1]  # without the name, the sign and quotes


def _in_apostrophes(text: str) -> str:
    return _in_quotes(text).replace("&quot;", '"').replace("'", "&apos;")


def _respelt(before: str, after: str, value: Any, read: Any, escape: Callable[[str], str]) -> str:
    """The text of a value, escaped, with as much of the original text as is still valid.

    In a list, unchanged values and all white space between values are kept. For a string, only surrounding
    white space is kept, and only if it is not part of its value.

    Args:
        before: the text of the value that was read, as spelt in the file.
        after: the text of the value, not escaped.
        value, read: the present value, and the value that was read.
    """
    if isinstance(value, str):
        if not isinstance(read, str) or read != read.strip() or not before.strip():
            return escape(after)
        inner = before.strip()
        start = before.index(inner)
        return before[:start] + escape(after) + before[start + len(inner) :]
    old, new = _SPACES.split(before), after.split()
    values = [n for n in range(0, len(old), 2) if old[n]]
    if len(values) != len(new) or "&" in before or "<" in before:
        return escape(after)
    strings = isinstance(value, tuple) and any(isinstance(item, str) for item in value)
    equal = operator.eq if strings else _equal
    for n, word in zip(values, new, strict=True):
        if not equal(old[n], word):
            old[n] = escape(word)
    return "".join(old)


def _equal(old: str, new: str) -> bool:
    try:
        return float(old) == float(new)
    except ValueError:
        return old == new


def _in_order(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Edits sorted by position. Edits within a removed range are dropped, and insertions at one place keep
    their order.
    """
    end = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.start != edit.end)):
        if edit.start >= end:
            yield edit
            end = max(end, edit.end)
