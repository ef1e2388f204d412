"""Documents as text that reads back to an equal document."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from enum import Enum
from itertools import accumulate
from typing import Any, NamedTuple

from polybody.base import (
    COLUMN_BITS,
    Attribute,
    Element,
    Format,
    Kind,
    Node,
    Text,
    Untyped,
    Value,
    children_of,
)
from polybody.document.namespaces import Names, names_of, with_prefixes
from polybody.document.registry import format_of
from polybody.document.sources import LIMITS

Known = Callable[[Node], str | None]

_INDENT = "  "
_DEEPEST = 40  # beyond, lines begin no further right: a deep tree would be all blanks
_INLINE = -1  # as a number of indents: no white space is added
_NAME = re.compile(r"[^\s\x00-,\-./0-9;<=>?@\[\\\]^`{|}~\x7f][^\s\x00-,/;<=>?@\[\\\]^`{|}~\x7f]*")
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# White space that a parser would turn into a blank.
_ATTRIBUTE_ESCAPES = str.maketrans({**_ESCAPES, '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})
_TEXT_ESCAPES = str.maketrans({**_ESCAPES, "\r": "&#13;"})


def write(document: Node) -> str:
    """Write a document as XML, with children in their order and attributes as they are set, without defaults.

    Numbers are written with as few digits as give the same double again.

    Raises:
        TypeError: an element is none of the document's format.
        ValueError: a string has a character that XML cannot hold, a field has a value that is not of its
            type, a name is none of XML, or there are more elements, or deeper ones, than can be read; one may
            be in itself.
    """
    return "".join(_pieces(document, format_of(document))[0])


def write_part(
    node: Node, form: Format, layout: Layout, known: Known, names: Names | None = None, qualified: bool = True
) -> str:
    """An element as a part of a text: without the blanks before it and the line end after it.

    known: the text of an element that is written already; None for others.
    names: how names are written in it, where the format's are qualified.
    qualified: whether the element is in the format's namespace.
    """
    return "".join(_pieces(node, form, layout, known, names, qualified)[0]).strip()


def write_placed(document: Node) -> tuple[str, list[int]]:
    """The text of `write`, and the positions at which the elements begin in it, in the order of the walk."""
    pieces, starts = _pieces(document, format_of(document))
    text = "".join(pieces)
    begins = [0, *accumulate(map(len, pieces))]
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    positions = []
    for piece, offset in starts:
        place = begins[piece] + offset
        line = bisect_right(lines, place)
        positions.append(line << COLUMN_BITS | place - lines[line - 1])
    return text, positions


class Layout(NamedTuple):
    """The blanks before an element and, for each element that is around another, more; and the line end."""

    indent: str = ""
    unit: str = _INDENT
    newline: str = "\n"

    def blanks(self, indents: int) -> str:
        return self.indent + self.unit * min(indents, _DEEPEST)


_PLAIN = Layout()


def _unknown(node: Node) -> str | None:
    return None


class _Waiting(NamedTuple):
    """An element that is to be written."""

    node: Node
    indents: int
    depth: int
    names: Names | None = None
    qualified: bool = True

    def below(self, child: Node, names: Names | None, row: Element) -> _Waiting:
        """A child of it."""
        own, qualified = (None, True) if names is None else (names.inside(), in_space(child, row))
        return _Waiting(child, self.indents + 1, self.depth + 1, own, qualified)


def in_space(child: Node, parent: Element) -> bool:
    """Whether the tag of a child is in the namespace of a qualified format."""
    return next((each.qualified for each in parent.children if each.tag == child.TAG), True)


def _pieces(
    document: Node,
    form: Format,
    layout: Layout = _PLAIN,
    known: Known = _unknown,
    names: Names | None = None,
    qualified: bool = True,
) -> tuple[list[str], list[tuple[int, int]]]:
    """The text in pieces, and for each element the piece in which it begins, and where in that."""
    rows = {row.cls: row for row in form.elements.values()}
    out: list[str] = []
    starts: list[tuple[int, int]] = []
    if names is None and form.qualified:
        names = names_of(document, form)
    todo: list[_Waiting | str] = [_Waiting(document, 0, 1, names, qualified)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        node, indents, depth, names, _ = item
        if depth > LIMITS.depth:
            deep = (
                f"elements nested deeper than {LIMITS.depth:,}, which no reader accepts, or contained in "
                "themselves"
            )
            raise ValueError(f"<{node.TAG}>: {deep}")
        if type(node) is not Untyped and type(node) not in rows:
            raise TypeError(f"a {type(node).__name__} is not an element of {form.name}")
        if len(starts) == LIMITS.elements:
            raise ValueError(f"more than {LIMITS.elements:,} elements, which no reader accepts")
        if (text := known(node)) is not None:
            out.append(f"{layout.blanks(indents)}{text}{layout.newline}")
            continue
        if isinstance(node, Untyped):
            _write_untyped(node, indents, depth, out, starts, todo, layout, names)
            continue
        indent = layout.blanks(indents)
        starts.append((len(out), len(indent)))
        row = rows[type(node)]
        tag, inside, prefixes = _start_tag(node, row, names, item.qualified)
        name = tag.partition(" ")[0]
        children = children_of(node)
        text = None if row.text is None else getattr(node, "text")  # noqa: B009
        if prefixes and row.text is not None and row.text.prefixed:
            text = with_prefixes(text, prefixes)
        leaves = _leaves(node, row, inside)
        if not children and not leaves and text is None:
            out.append(f"{indent}<{tag}/>{layout.newline}")
            continue
        inner = "" if text is None else escaped(_lexical(text, node.TAG))
        out.append(f"{indent}<{tag}>{inner}")
        if not children and not leaves:
            out.append(f"</{name}>{layout.newline}")
            continue
        out.append(layout.newline)
        below = layout.blanks(indents + 1)
        out.extend(f"{below}{leaf_text(tag, text)}{layout.newline}" for tag, text in leaves)
        todo.append(f"{indent}</{name}>{layout.newline}")
        todo.extend(item.below(child, inside, row) for child in reversed(children))
    return out, starts


def _write_untyped(
    node: Untyped,
    indents: int,
    depth: int,
    out: list[str],
    starts: list[tuple[int, int]],
    todo: list[Any],
    layout: Layout,
    names: Names | None = None,
) -> None:
    """An element that no schema describes; where it has text among its children, nothing is added between."""
    check_untyped(node)
    children, inline = children_of(node), indents == _INLINE
    before, after = ("", "") if inline else (layout.blanks(indents), layout.newline)
    starts.append((len(out), len(before)))
    pairs = [*([] if names is None else names.untyped(node)), *node.attributes.items()]
    out.append(before + "<" + " ".join([node.tag, *(pair(*item) for item in pairs)]))
    mixed = inline or node.text is not None or any(child.tail is not None for child in children)
    if not children and node.text is None:
        out.append(f"/>{after}")
        return
    out.append(">" + escaped(node.text or ""))
    if not mixed:
        todo.append(f"{before}</{node.tag}>{after}")
        todo.extend(_Waiting(child, indents + 1, depth + 1) for child in reversed(children))
        out.append(layout.newline)
        return
    todo.append(f"</{node.tag}>{after}")
    for child in reversed(children):
        todo.extend((escaped(child.tail or ""), _Waiting(child, _INLINE, depth + 1)))


def check_untyped(node: Untyped) -> None:
    """Refuse an element that no schema describes where XML cannot hold it.

    Raises:
        ValueError: a name that is none, or a text with a character that XML cannot hold.
    """
    _check_name(node.tag, "of an element")
    check_kept(node, node.attributes)
    for text in (node.text, node.tail):
        if text is not None:
            _text(text, node.tag)


def check_kept(node: Node, attributes: Any) -> None:
    """Refuse attributes that no schema describes where XML cannot hold them, as `check_untyped` does."""
    if not isinstance(attributes, dict):
        raise ValueError(f"{node.TAG}: its attributes are {attributes!r:.60}, not a dict")
    for name, text in attributes.items():
        _check_name(name, f"of an attribute of <{node.TAG}>")
        _text(text, f"{node.TAG}/@{name}")


def _check_name(name: Any, where: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"{name!r:.60} is not a name {where}")


def escaped(text: str) -> str:
    """A text between tags."""
    return text.translate(_TEXT_ESCAPES)


def pair(name: str, text: str) -> str:
    """An attribute."""
    return f'{name}="{text.translate(_ATTRIBUTE_ESCAPES)}"'


class _StartTag(NamedTuple):
    """What is between its brackets, how names are written inside, and other prefixes in values."""

    text: str
    names: Names | None
    prefixes: Mapping[str, str]


def _start_tag(node: Node, row: Element, names: Names | None, qualified: bool) -> _StartTag:
    values = [
        (attribute, value)
        for attribute in row.attributes
        if not attribute.leaf and (value := getattr(node, attribute.field)) is not None
    ]
    prefixes: Mapping[str, str] = {}
    if names is None:
        parts, written = [node.TAG], [attribute.name for attribute, _ in values]
    else:
        read = names.read_with(node, row)
        parts = [names.element(node.TAG, qualified)]
        written = [names.attribute(attribute) for attribute, _ in values]
        prefixes = names.renamed(read, [*parts, *written])
        parts += [pair(*declaration) for declaration in names.declarations()]
        names = names.inside()
    for name, (attribute, value) in zip(written, values, strict=True):
        own = with_prefixes(value, prefixes) if attribute.prefixed and prefixes else value
        parts.append(pair(name, lexical(own, row, attribute)))
    if row.keeps:
        kept: dict[str, str] | None = getattr(node, "attributes")  # noqa: B009
        if kept is not None:
            check_kept(node, kept)
            parts.extend(pair(name, text) for name, text in kept.items())
    return _StartTag(" ".join(parts), names, prefixes)


def leaf_name(attribute: Attribute, names: Names | None) -> str:
    """The tag of a child that is a text alone."""
    return attribute.name if names is None else names.element(attribute.name, attribute.qualified)


def leaf_text(tag: str, text: str) -> str:
    """A child that is a text alone."""
    return f"<{tag}>{escaped(text)}</{tag}>" if text else f"<{tag}/>"


def _leaves(node: Node, row: Element, names: Names | None) -> list[tuple[str, str]]:
    """The children that are a text alone: tag and text."""
    return [
        (leaf_name(attribute, names), lexical(value, row, attribute))
        for attribute in row.attributes
        if attribute.leaf and (value := getattr(node, attribute.field)) is not None
    ]


def lexical(value: Any, row: Element, attribute: Attribute | Text) -> str:
    """A value as XML Schema spells it.

    Raises:
        ValueError: it is no value of the attribute, whatever its text would be, or XML cannot hold it.
    """
    if hasattr(value, "tolist"):  # an array
        value = value.tolist()
    if isinstance(attribute, Text):
        return _lexical(value, row.tag)
    where = f"{row.tag}{'/' if attribute.leaf else '/@'}{attribute.name}"
    _check_type(value, attribute.forms, where)
    return _lexical(value, where)


def _text(text: Any, where: str) -> str:
    if not isinstance(text, str):
        raise ValueError(f"{where}: {text!r:.60} is not a string")
    return _lexical(text, where)


def _check_type(value: Any, forms: tuple[Value, ...], where: str) -> None:
    """Refuse a text where a number belongs, and the other way round: as text they would look alike.

    A keyword may be a text; whether there is such a keyword is for validation to say.
    """
    one = value[0] if isinstance(value, tuple | list) and value else value
    if isinstance(one, tuple | list):
        fits = not all(form.scalar for form in forms)
    elif isinstance(one, str):
        fits = any(form.kind in (Kind.STRING, Kind.ENUM) for form in forms)
    elif isinstance(one, Enum):
        fits = any(isinstance(one, form.enum) for form in forms if form.enum is not None)
    else:
        fits = any(form.kind not in (Kind.STRING, Kind.ENUM) for form in forms)
    if not fits:
        enum = next((form.enum for form in forms if form.enum is not None), None)
        takes = "" if enum is None else f"; expected a {enum.__name__}, such as {next(iter(enum))}"
        raise ValueError(f"{where}: {value!r} is not a value of this attribute{takes}")


def _lexical(value: Any, where: str) -> str:
    """A value as XML Schema spells it."""
    if isinstance(value, str):
        if wrong := _NOT_XML.search(value):
            raise ValueError(f"{where}: XML cannot represent the character U+{ord(wrong[0]):04X}")
        return value
    if isinstance(value, Enum):
        return _lexical(value.value, where)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple | list):
        return " ".join(_lexical(item, where) for item in value)
    try:
        number = float(value)  # numpy's scalars are numbers too
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{where}: {value!r} is not a value of an attribute") from None
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "INF" if number > 0 else "-INF"
    text = repr(number)
    return text.removesuffix(".0")
