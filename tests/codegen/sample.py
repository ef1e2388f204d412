"""A document with every element and attribute of a format, with each form of each value, from the tables
alone.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from lxml import etree
from polybody.base import UNBOUNDED, Attribute, Element, Format, Kind, Value

WORDS = ("a", "b1", "c_2")
OTHERS = (*WORDS, "1", "xyz", "R", "A", "0.5", "#ff0000")
"""Texts of which at least one matches each pattern in our schemas."""


def sample(form: Format, seed: int = 1, most: int = 2000) -> bytes:
    """The document; an element that contains its own kind does so once, and rules may be violated."""
    draw = random.Random(seed)
    root = _element(form, form.elements[form.root], draw)
    open_: list[tuple[etree._Element, Element]] = [(root, form.elements[form.root])]
    count = 1
    shown: dict[str, int] = {}
    while open_ and count < most:
        node, row = open_.pop(0)
        for child in row.children:
            below = form.elements.get(child.element)
            if child.tag == "*" or below is None or (shown.get(below.key, 0) > 1 and not child.low):
                continue
            shown[below.key] = shown.get(below.key, 0) + 1
            for _ in range(max(1, child.low)):
                made = _element(form, below, draw)
                node.append(made)
                open_.append((made, below))
                count += 1
    return etree.tostring(root, pretty_print=True)


def _element(form: Format, row: Element, draw: random.Random) -> etree._Element:
    made = etree.Element(_name(form, row.tag), nsmap=dict(form.prefixes) if row.key == form.root else None)
    for attribute in _written(row, draw):
        made.set(_name(form, attribute.name), _text(draw.choice(attribute.forms), draw))
    if row.text is not None:
        made.text = _text(row.text.forms[0], draw)
    return made


def _written(row: Element, draw: random.Random) -> Iterator[Attribute]:
    """All attributes of an element in any order, without declarations of namespaces, which are in the
    root.
    """
    drawn = draw.sample(row.attributes, len(row.attributes))
    yield from (attribute for attribute in drawn if not attribute.name.startswith("xmlns"))


def _name(form: Format, name: str) -> str:
    prefix, _, local = name.rpartition(":")
    return f"{{{form.prefixes[prefix]}}}{local}" if prefix in form.prefixes else name


def _text(value: Value, draw: random.Random) -> str:
    low, high = (1, 1) if value.scalar else (value.low, value.high)
    count = low if high == low else min(low + draw.randrange(3), high, UNBOUNDED)
    return " ".join(_word(value, draw) for _ in range(count))


def _word(value: Value, draw: random.Random) -> str:
    if value.kind == Kind.ENUM:
        assert value.enum is not None
        return str(draw.choice([word for word in value.enum if word not in value.others]).value)
    if value.kind == Kind.BOOL:
        return draw.choice(("true", "false"))
    if value.kind == Kind.STRING:
        if value.pattern is None:
            return draw.choice(WORDS)
        return next(word for word in OTHERS if re.fullmatch(value.pattern, word))
    low = 0.0 if value.minimum is None else value.minimum
    high = low + 2 if value.maximum is None else value.maximum
    if value.kind == Kind.INT:
        return str(int(min(low + 1, high)))
    return repr(low + (high - low) * draw.choice((0.25, 0.5, 0.75)))
