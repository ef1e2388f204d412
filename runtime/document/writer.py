"""Documents as text that is read back as an equal document."""

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
from polybody.document.parser.value_faults import amount
from polybody.document.registry import format_of
from polybody.document.sources import LIMITS

Known = Callable[[Node], str | None]

_INDENT = "  "
_DEEPEST = 40  # maximum indentation: a deep tree would otherwise consist mostly of spaces
_INLINE = -1  # as a number of indents: no white space is added
_NAME = re.compile(r"[^\s\x00-,\-./0-9;<=>?@\[\\\]^`{|}~\x7f][^\s\x00-,/;<=>?@\[\\\]^`{|}~\x7f]*")
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# White space that a parser would replace by a space.
_ATTRIBUTE_ESCAPES = str.maketrans({**_ESCAPES, '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})
_TEXT_ESCAPES = str.maketrans({**_ESCAPES, "\r": "&#13;"})


def write(document: Node) -> str:
    """Write a document as XML, with children in their order and attributes as they are set, without defaults.

    Numbers are written with the fewest digits that give the same double.

    Raises:
        TypeError: an element does not belong to the document's format.
        ValueError: a string has a character that XML cannot represent, a field has a value of the wrong type,
            a name is not valid in XML, or there are more or deeper elements than can be read; an element may
            contain itself.
    """
    return "".join(_pieces(document, format_of(document))[0])


def write_part(
    node: Node, form: Format, layout: Layout, known: Known, names: Names | None = None, qualified: bool = True
) -> str:
    """An element as a part of a text, without the indentation before it and the line end after it.

    known: returns the text of an element that is already written; None for others.
    names: how names are written in it, if the format's names are qualified.
    qualified: whether the element is in the format's namespace.
    """
    return "".join(_pieces(node, form, layout, known, names, qualified)[0]).strip()


def write_placed(document: Node) -> tuple[str, list[int]]:
    """The text of `write`, and the positions of the elements in it, in document order."""
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
    """The indentation of an element, its increase for each level, and the line end."""

    indent: str = ""
    unit: str = _INDENT
    newline: str = "\n"

    def blanks(self, indents: int) -> str:
        return self.indent + self.unit * min(indents, _DEEPEST)


_PLAIN = Layout()


def _unknown(node: Node) -> str | None:
    return None


class _Waiting(NamedTuple):
    """An element that is waiting to be written."""

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


TOO_DEEP = (
    f"elements nested deeper than {LIMITS.depth:,}, which no reader accepts, or contained in themselves"
)


def _pieces(
    document: Node,
    form: Format,
    layout: Layout = _PLAIN,
    known: Known = _unknown,
    names: Names | None = None,
    qualified: bool = True,
) -> tuple[list[str], list[tuple[int, int]]]:
    """The text in pieces, and for each element the piece in which it begins and the offset there."""
    rows = {row.cls: row for row in (form.whole or form).elements.values()}  # whatever its release lacks
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
            raise ValueError(f"<{node.TAG}>: {TOO_DEEP}")
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
    """An element without a schema. If there is text among its children, no white space is added."""
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
    """Refuse an element without a schema that XML cannot represent.

    Raises:
        ValueError: an invalid name, or a text with a character that XML cannot represent.
    """
    _check_name(node.tag, "of an element")
    check_kept(node, node.attributes)
    for text in (node.text, node.tail):
        if text is not None:
            _text(text, node.tag)


def check_kept(node: Node, attributes: Any) -> None:
    """Refuse attributes without a schema that XML cannot represent, as `check_untyped` does."""
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
    """The content of a start tag, how names are written inside the element, and new prefixes in values."""

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
    """The tag of a child that contains only text."""
    return attribute.name if names is None else names.element(attribute.name, attribute.qualified)


def leaf_text(tag: str, text: str) -> str:
    """A child that contains only text."""
    return f"<{tag}>{escaped(text)}</{tag}>" if text else f"<{tag}/>"


def _leaves(node: Node, row: Element, names: Names | None) -> list[tuple[str, str]]:
    """The children that contain only text: tag and text."""
    return [
        (leaf_name(attribute, names), lexical(value, row, attribute))
        for attribute in row.attributes
        if attribute.leaf and (value := getattr(node, attribute.field)) is not None
    ]


def lexical(value: Any, row: Element, attribute: Attribute | Text) -> str:
    """A value as XML Schema spells it.

    Raises:
        ValueError: it is not a valid value of the attribute, or XML cannot represent it.
    """
    if hasattr(value, "tolist"):  # an array
        value = value.tolist()
    if isinstance(attribute, Text):
        return _lexical(value, row.tag)
    where = f"{row.tag}{'/' if attribute.leaf else '/@'}{attribute.name}"
    later = (form for change in attribute.changes for form in change.forms)
    _check_type(value, (*attribute.forms, *later), where)
    return _lexical(value, where)


def _text(text: Any, where: str) -> str:
    if not isinstance(text, str):
        raise ValueError(f"{where}: {text!r:.60} is not a string")
    return _lexical(text, where)


def _check_type(value: Any, forms: tuple[Value, ...], where: str) -> None:
    """Refuse a string in place of a number and vice versa: their text would be the same.

    A keyword may be a string; validation checks whether the keyword exists.
    """
    one = value[0] if isinstance(value, tuple | list) and value else value
    if isinstance(one, tuple | list):
        fits = not all(form.scalar for form in forms)
    elif isinstance(one, Enum):
        fits = any(isinstance(one, form.enum) for form in forms if form.enum is not None)
    elif isinstance(one, str):
        fits = any(form.kind in (Kind.STRING, Kind.ENUM) for form in forms)
    else:
        fits = any(form.kind not in (Kind.STRING, Kind.ENUM) for form in forms)
    if not fits:
        enum = next((form.enum for form in forms if form.enum is not None), None)
        numbers = " or ".join(dict.fromkeys(amount(form) for form in forms))
        takes = (
            numbers if enum is None else f"a {enum.__name__}, such as {enum.__name__}.{next(iter(enum)).name}"
        )
        raise ValueError(f"{where}: {value!r} is not a value of this attribute; expected {takes}")


def _lexical(value: Any, where: str) -> str:
    """A value as XML Schema spells it."""
    if isinstance(value, Enum):
        return _lexical(value.value, where)
    if isinstance(value, str):
        if wrong := _NOT_XML.search(value):
            raise ValueError(f"{where}: XML cannot represent the character U+{ord(wrong[0]):04X}")
        return value
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
