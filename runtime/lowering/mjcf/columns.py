"""Columns from the values of elements: one array for a field of all elements of a kind."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.lowering.mjcf.codes import CODES
from polybody.lowering.mjcf.elements import Element
from polybody.lowering.mjcf.problems import Problems

Array = NDArray[Any]
Columns = dict[str, Array]
DOUBLE, SINGLE, INTEGER, BYTE = np.float64, np.float32, np.int32, np.uint8
Field = tuple[str, str, int, Any]
"""A column, the value it holds, how many numbers that is (0: a scalar), and the type of its numbers."""


def numbers(rows: Sequence[Any], width: int, kind: Any) -> Array:
    """An array of a row per element; without elements an empty one of the right width."""
    array = np.array(rows, dtype=kind)
    return array.reshape(-1, width) if width else array.reshape(-1)


def gather(elements: Sequence[Element], fields: Sequence[Field]) -> Columns:
    """The columns that hold values as they are."""
    if not elements:
        return {column: numbers((), width, kind) for column, _, width, kind in fields}
    get = itemgetter(*[name for _, name, _, _ in fields])
    rows = zip(*[get(element.values) for element in elements], strict=True)
    return {
        column: numbers(row, width, kind) for (column, _, width, kind), row in zip(fields, rows, strict=True)
    }


def coded(elements: Sequence[Element], name: str) -> Array:
    """A column of MuJoCo's numbers for words."""
    return np.array([CODES[element.values[name]] for element in elements], dtype=INTEGER)


def flags(elements: Sequence[Element], name: str, kind: Any = BYTE) -> Array:
    """A column of 0 and 1."""
    return np.array([bool(element.values[name]) for element in elements], dtype=kind)


def users(elements: Sequence[Element], most: int, what: str, problems: Problems) -> Array:
    """Numbers of the user's own, filled with zeros to as many as the longest has, or `size` says.

    Args:
        elements: all of a kind.
        most: how many `size` says; -1 where it leaves that open.
        what: the attribute of `size`.
        problems: for elements with more.
    """
    given = [element.values.get("user") or () for element in elements]
    width = max(map(len, given), default=0) if most < 0 else most
    array = np.zeros((len(given), width))
    for number, row in enumerate(given):
        if len(row) > width:
            message = f"`user` has {len(row)} numbers; `{what}` of <size> is {width}"
            problems.add(elements[number].node, message, "user")
        elif row:
            array[number, : len(row)] = row
    return array
