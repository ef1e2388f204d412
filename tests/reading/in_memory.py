"""Documents in memory, corrupted in many ways, and the findings about the texts to which they are written."""

from __future__ import annotations

import copy
import math
import random
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
from polybody.base import Element, Format, Untyped, children_of
from polybody.diagnostics import Diagnostic, Findings, Policy
from polybody.diagnostics.catalogue import CATALOGUE
from polybody.document.registry import format_named, format_of
from polybody.document.sources import LIMITS, SourceError, make_source
from polybody.document.writer import write
from polybody.reading import read_source

from tests.codegen.sample import sample

SAMPLES = Path(__file__).parents[1] / "samples"
NAME = "<document>"
"""The path of texts without a file, relative to which no file is looked up."""
Finding = tuple[Any, ...]

VALUES: tuple[Any, ...] = (
    *(None, 0, 1, 2, -1, 7, 0.0, -0.0, 0.5, 1.0, -2.5, 1e308, 5e-324, math.nan, math.inf, -math.inf, 10**30),
    *(10**400, 2**31, -(2**31), True, False, np.float64(0.5), np.float32(0.1), np.int64(3), np.bool_(True)),
    *("", " ", "a", "b1", "no such name", " padded ", "two  words", "1", "0.5", "nan", "é中", "a\tb", "true"),
    *("\x00", "\ud800", "\ufffe", "<&>'\"", "x" * 70, b"bytes", object, {}, set(), {"a": "b"}),
    *(
        (),
        (1,),
        (0.0, 0.0, 0.0),
        (1, 2, 3),
        (-1.0, 1.0),
        (1.0, -1.0),
        (1.0, 0.0, 0.0, 0.0),
        (2.0, 0.0, 0.0, 0.0),
    ),
    *([1, 2, 3], ("a", "b"), ("a b",), ("",), (None, 1.0), (math.nan,) * 3, (True, False), ((1.0,), 2.0)),
    *(np.zeros(3), np.array(1.0), range(3), (0.0,) * 50, np.zeros((2, 2))),
)
"""Values that a field may be set to in Python."""
NAMES = ("a", "b", "vendor:part", "gazebo", "body", "x-y", "1a", "a b", "", ":", "a:b:c", "Body", "é")
"""Tags, and attribute names, of elements that no schema describes."""


def in_memory(text: str | bytes) -> Any:
    """The document of a text, whatever its findings; None if there is no document."""
    data = text.encode() if isinstance(text, str) else text
    try:
        return read_source(make_source(NAME, data, LIMITS), None, LIMITS, Findings("lenient"))
    except SourceError:
        return None


def bases(name: str) -> Iterator[Any]:
    """Documents of a format: a small model, one with every element, and the catalogue's faulty ones."""
    texts: list[str | bytes | None] = [path.read_bytes() for path in sorted(SAMPLES.iterdir())]
    texts += [sample(format_named(name), seed, 400) for seed in range(3)]
    texts += [text for code in CATALOGUE.values() for text in (code.bad, code.good)]
    for text in texts:
        root = None if text is None else in_memory(text)
        if root is not None and format_of(root).name == name:
            yield in_memory(write(root))  # with attributes in the order in which they are written


def unplaced(document: Any) -> Any:
    """A document like one made in Python: no element has a position."""
    for node in elements(document):
        node._source = node._position = None
    return document


def elements(root: Any) -> list[Any]:
    """An element and all its descendants, each once even if it occurs at several positions or contains
    itself.
    """
    found, stack = {id(root): root}, [root]
    while stack:
        for child in children_of(stack.pop()):
            if id(child) not in found:
                found[id(child)] = child
                stack.append(child)
    return list(found.values())


# --- findings, to be compared ------------------------------------------------------------------------------


def found_in_place(document: Any, policy: Policy) -> list[Diagnostic] | None:
    """The findings about a document in memory; None if it is rejected for a reason that a text cannot
    have.
    """
    try:
        return without_prefixes(format_of(document), pb.validate(document, policy))
    except (ValueError, TypeError):
        return None


def found_in_text(document: Any, policy: Policy) -> list[Diagnostic] | None:
    """The findings about the text to which a document is written; None if it cannot be written."""
    try:
        text = write(document)
    except (ValueError, TypeError):
        return None
    form = format_of(document)
    release = document.release if form.releases else "auto"
    return without_prefixes(form, pb.check(NAME, policy, text=text, format=form, release=release))


def without_prefixes(form: Format, found: list[Diagnostic]) -> list[Diagnostic]:
    """Findings without those about prefixes of others: a document does not know which of these were
    declared.
    """
    known = tuple(f"the prefix of `{prefix}:" for prefix in form.prefixes)
    return [d for d in found if d.code != "PB071" or d.message.startswith(known)]


def with_places(found: list[Diagnostic] | None) -> list[Finding] | None:
    """Findings with their positions, in any order."""
    return None if found is None else sorted(map(repr, found))


def without_places(found: list[Diagnostic] | None) -> set[Finding] | None:
    """Findings without their positions in the text."""
    if found is None:
        return None
    places = re.compile(r"(at |line |:)[0-9][0-9:]*")
    return {
        (d.code, d.severity, places.sub("", d.message), places.sub("", d.suggestion or "")) for d in found
    }


# --- changes ------------------------------------------------------------------------------------------------


class Spoiler:
    """Changes documents as a program could; changes that the lists of children reject have no effect."""

    def __init__(self, form: Format, seed: int) -> None:
        self.draw = random.Random(seed)
        self.rows: dict[Any, Element] = {row.cls: row for row in form.elements.values()}
        self.changes: tuple[Callable[[Any, Any], None], ...] = (
            *(self.set_value,) * 6, self.unset, self.take_name, self.copy_here, self.share, self.remove,
            self.move, self.add_foreign, self.add_new, self.add_attribute, self.close_circle,
        )  # fmt: skip

    def spoil(self, root: Any, times: int) -> None:
        for _ in range(times):
            with suppress(ValueError, TypeError):  # the element rejects such a child
                self.draw.choice(self.changes)(root, self.draw.choice(elements(root)))

    def value(self, node: Any, field: str) -> Any:
        """A value for a field, half of the time of the kind that the field accepts."""
        row = self.rows.get(type(node))
        attributes = [] if row is None else [a for a in (*row.attributes, row.text) if a and a.field == field]
        if not attributes or self.draw.random() < 0.6:
            return self.draw.choice(VALUES)
        form = self.draw.choice(attributes[0].forms)
        if form.enum is not None:
            one: Callable[[], Any] = lambda: self.draw.choice(list(form.enum))  # noqa: E731
        else:
            one = lambda: self.draw.choice((0, 1, -1, 0.5, 1e9, "a", "b1", True, math.nan))  # noqa: E731
        if form.scalar:
            return one()
        return tuple(one() for _ in range(min(max(0, form.low + self.draw.choice((-1, 0, 0, 1))), 60)))

    def set_value(self, root: Any, node: Any) -> None:
        if node.FIELDS:
            field = self.draw.choice(node.FIELDS)
            setattr(node, field, self.value(node, field))

    def unset(self, root: Any, node: Any) -> None:
        if node.FIELDS:
            setattr(node, self.draw.choice(node.FIELDS), None)

    def take_name(self, root: Any, node: Any) -> None:
        """Assign a text of another element, which may be its name or one that it refers to."""
        texts = [
            value for other in elements(root) for value in (getattr(other, f) for f in other.FIELDS)
            if isinstance(value, str | Enum)
        ]  # fmt: skip
        fields = [f for f in node.FIELDS if isinstance(getattr(node, f), str)] or list(node.FIELDS)
        if texts and fields:
            setattr(node, self.draw.choice(fields), self.draw.choice(texts))

    def copy_here(self, root: Any, node: Any) -> None:
        self.put(node, copy.deepcopy(self.draw.choice(elements(root))))

    def share(self, root: Any, node: Any) -> None:
        self.put(node, self.draw.choice(self.draw.choice(elements(root)).children or [node]))

    def close_circle(self, root: Any, node: Any) -> None:
        if self.draw.random() < 0.1:
            self.put(self.draw.choice(elements(node)), node)

    def put(self, parent: Any, child: Any) -> None:
        parent.children.insert(self.draw.randint(0, len(parent.children)), child)

    def remove(self, root: Any, node: Any) -> None:
        if node.children:
            node.children.pop(self.draw.randrange(len(node.children)))

    def move(self, root: Any, node: Any) -> None:
        if node.children:
            self.put(self.draw.choice(elements(root)), node.children.pop())

    def add_foreign(self, root: Any, node: Any) -> None:
        child = Untyped(tag=self.draw.choice(NAMES), text=self.draw.choice((None, "t", "\x01", 1)))
        self.put(node, child)

    def add_new(self, root: Any, node: Any) -> None:
        """Add a child without attributes."""
        row = self.rows.get(type(node))
        kinds = [other for other in self.rows.values() if row and other.tag in node.CHILDREN]
        if kinds:
            self.put(node, self.draw.choice(kinds).cls())

    def add_attribute(self, root: Any, node: Any) -> None:
        """Add an attribute of another namespace, if the element stores those."""
        if "attributes" in node.FIELDS:
            node.attributes = {
                **(node.attributes or {}),
                self.draw.choice(NAMES): self.draw.choice(("a", "\x02", 3)),
            }
