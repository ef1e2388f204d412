"""Documents as text that reads back to an equal document."""

from __future__ import annotations

import math
from enum import Enum
from typing import Any

from polybody.base import Element, Kind, Node, Untyped, Value, children_of, held

_INDENT = "  "
_DEEPEST = 40  # beyond, lines begin no further right: a deep tree would be all blanks
_INLINE = -1  # as a depth: no white space is added
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# White space that a parser would turn into a blank.
_ATTRIBUTE_ESCAPES = {**_ESCAPES, '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_TEXT_ESCAPES = {**_ESCAPES, "\r": "&#13;"}


def write(document: Node) -> str:
    """The document as XML, with its children in their order; attributes as they are set, no defaults.

    Numbers are written with as few digits as give the same double again.

    Raises:
        ValueError: a string has a character that XML cannot hold, or a field a value that is not of its type.
    """
    from polybody.document.registry import format_of

    rows = {row.cls: row for row in format_of(document).elements.values()}
    out: list[str] = []
    todo: list[tuple[Node, int] | str] = [(document, 0)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        node, depth = item
        if isinstance(node, Untyped):
            _write_untyped(node, depth, out, todo)
            continue
        indent = _INDENT * min(depth, _DEEPEST)
        tag = _start_tag(node, rows[type(node)])
        children = children_of(node)
        text = None if rows[type(node)].text is None else getattr(node, "text")  # noqa: B009
        leaves = _leaves(node, rows[type(node)])
        if not children and not leaves and text is None:
            out.append(f"{indent}<{tag}/>\n")
            continue
        inner = "" if text is None else _escaped(_lexical(text, tag), tag)
        out.append(f"{indent}<{tag}>{inner}")
        if not children and not leaves:
            out.append(f"</{node.TAG}>\n")
            continue
        out.append("\n")
        below = _INDENT * min(depth + 1, _DEEPEST)
        out.extend(
            f"{below}<{tag}>{text}</{tag}>\n" if text else f"{below}<{tag}/>\n" for tag, text in leaves
        )
        todo.append(f"{indent}</{node.TAG}>\n")
        todo.extend((child, depth + 1) for child in reversed(children))
    return "".join(out)


def _write_untyped(node: Untyped, depth: int, out: list[str], todo: list[Any]) -> None:
    """An element that no schema describes; where it has text among its children, nothing is added between."""
    children, inline = held(node, "elements"), depth == _INLINE
    before, after = ("", "") if inline else (_INDENT * min(depth, _DEEPEST), "\n")
    out.append(
        before + "<" + " ".join([node.tag, *(_pair(*item, node.tag) for item in node.attributes.items())])
    )
    mixed = inline or node.text is not None or any(child.tail is not None for child in children)
    if not children and node.text is None:
        out.append(f"/>{after}")
        return
    out.append(">" + _escaped(node.text or "", node.tag))
    if not mixed:
        todo.append(f"{before}</{node.tag}>{after}")
        todo.extend((child, depth + 1) for child in reversed(children))
        out.append("\n")
        return
    todo.append(f"</{node.tag}>{after}")
    for child in reversed(children):
        todo.extend((_escaped(child.tail or "", node.tag), (child, _INLINE)))


def _escaped(text: str, where: str) -> str:
    return "".join(_TEXT_ESCAPES.get(c, c) for c in _lexical(text, where))


def _pair(name: str, text: str, where: str) -> str:
    text = _lexical(text, f"{where}/@{name}")
    return f'{name}="{"".join(_ATTRIBUTE_ESCAPES.get(c, c) for c in text)}"'


def _start_tag(node: Node, row: Element) -> str:
    parts = [node.TAG]
    for attribute in row.attributes:
        value = None if attribute.leaf else getattr(node, attribute.field)
        if value is not None:
            where = f"{row.tag}/@{attribute.name}"
            _check_type(value, attribute.forms, where)
            parts.append(_pair(attribute.name, _lexical(value, where), row.tag))
    if row.keeps:
        kept: dict[str, str] = getattr(node, "attributes") or {}  # noqa: B009
        parts.extend(_pair(name, text, row.tag) for name, text in kept.items())
    return " ".join(parts)


def _leaves(node: Node, row: Element) -> list[tuple[str, str]]:
    """The children that are a text alone: tag and text."""
    found = []
    for attribute in row.attributes:
        value = getattr(node, attribute.field) if attribute.leaf else None
        if value is not None:
            where = f"{row.tag}/{attribute.name}"
            _check_type(value, attribute.forms, where)
            found.append((attribute.name, _escaped(_lexical(value, where), where)))
    return found


def _check_type(value: Any, forms: tuple[Value, ...], where: str) -> None:
    """Refuse a text where a number or a keyword's member belongs, and the other way round: as text they would
    look alike.
    """
    one = value[0] if isinstance(value, tuple | list) and value else value
    if isinstance(one, str):
        fits = any(form.kind is Kind.STRING for form in forms)
    elif isinstance(one, Enum):
        fits = any(isinstance(one, form.enum) for form in forms if form.enum is not None)
    else:
        fits = any(form.kind not in (Kind.STRING, Kind.ENUM) for form in forms)
    if not fits:
        enum = next((form.enum for form in forms if form.enum is not None), None)
        takes = "" if enum is None else f"; it takes a {enum.__name__}, such as {next(iter(enum))}"
        raise ValueError(f"{where}: {value!r} is no value of this attribute{takes}")


def _lexical(value: Any, where: str) -> str:
    """A value as XML Schema spells it."""
    if isinstance(value, str):
        for character in value:
            if not _is_xml(character):
                raise ValueError(f"{where}: XML cannot hold the character U+{ord(character):04X}")
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
    except (TypeError, ValueError):
        raise ValueError(f"{where}: {value!r} is no value of an attribute") from None
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "INF" if number > 0 else "-INF"
    text = repr(number)
    return text.removesuffix(".0")


def _is_xml(character: str) -> bool:
    code = ord(character)
    return code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
