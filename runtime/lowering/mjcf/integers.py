"""Finds integers that do not fit into 32 bits, after one was encountered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from polybody.base import children_of
from polybody.base.written import written
from polybody.lowering.mjcf.elements import LISTS, TREE_KINDS
from polybody.lowering.mjcf.numbering import Numbered
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.reading import Reader

LEAST, MOST = -(2**31), 2**31 - 1


def large_integers(numbered: Numbered, reader: Reader, problems: Problems) -> None:
    """Report every integer of the document that is too large."""
    nodes = [element.node for kind in ("body", *TREE_KINDS, *LISTS) for element in numbered.elements(kind)]
    nodes += [section for sections in reader.sections.values() for section in sections]
    met = set()
    while nodes:
        node = nodes.pop()
        if id(node) not in met:
            met.add(id(node))
            nodes += children_of(node)
            for name, value in written(node).items():
                for number in _whole(value):
                    if not LEAST <= number <= MOST:
                        problems.add(node, f"`{name}` is {number}, which does not fit into 32 bits", name)


def _whole(value: Any) -> Iterator[int]:
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, int):
            yield number
