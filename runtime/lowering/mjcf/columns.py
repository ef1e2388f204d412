"""Columns from the values of elements: one array for a field of all elements of a kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from polybody.assembly import gather as compiled
from polybody.assembly.columns import BYTE, DOUBLE, INTEGER, SINGLE, Array, Columns, column, numbers
from polybody.counts import OF_ATTRIBUTE
from polybody.lowering.mjcf.codes import code
from polybody.lowering.mjcf.elements import Element, Values
from polybody.lowering.mjcf.problems import Problems

Field = tuple[str, str, int, Any]
"""A column, its value, the number of its elements (0: a scalar), and the type of its numbers."""


def gather(elements: Sequence[Element], fields: tuple[Field, ...]) -> Columns:
    """The columns that hold values unchanged."""
    if not elements:
        return dict(_empty(fields))
    values = [element.values for element in elements]
    return {target: _COLUMN[kind](values, name, width) for target, name, width, kind in fields}


def split(values: Values, *names: str) -> None:
    """Split polynomials into the coefficient of the first power and, as `namepoly`, those of the others."""
    for name in names:
        given = values.get(name)
        if isinstance(given, tuple):
            padded = (*given, 0.0, 0.0)
            values[name], values[f"{name}poly"] = padded[0], padded[1:3]


def polynomials(elements: Sequence[Element], **columns: str) -> Columns:
    """Columns of the coefficients of the other powers, by the name of the value; none that is 0."""
    found = {}
    for name, target in columns.items():
        if any(f"{name}poly" in element.values for element in elements):
            rows = [element.values.get(f"{name}poly", (0.0, 0.0)) for element in elements]
            found[target] = numbers(rows, 2, DOUBLE)
    return found


_COLUMN: dict[Any, Callable[[Sequence[Values], str, int], Array]] = {
    DOUBLE: compiled.reals,
    SINGLE: compiled.singles,
    INTEGER: compiled.integers,
    BYTE: lambda values, name, _: compiled.flags(values, name),
}
"""Functions that create a column, by the type of its numbers."""


@cache
def _empty(fields: tuple[Field, ...]) -> Columns:
    """The columns of a kind without elements."""
    found = {name: numbers((), width, kind) for name, _, width, kind in fields}
    for array in found.values():
        array.flags.writeable = False
    return found


def given(elements: Sequence[Element], fields: tuple[Field, ...]) -> Columns:
    """The same of those values that the release that is compiled has. Others have the Model's defaults."""
    had = [field for field in fields if elements and field[1] in elements[0].values]
    return gather(elements, tuple(had)) if had else {}


def coded(elements: Sequence[Element], name: str) -> Array:
    """A column of MuJoCo's numbers for words."""
    return column([code(element.values[name]) for element in elements], INTEGER)


def flags(elements: Sequence[Element], name: str, kind: Any = BYTE) -> Array:
    """A column of 0 and 1."""
    return np.array([bool(element.values[name]) for element in elements], dtype=kind)


USERS = {
    **dict.fromkeys(("body", "geom", "site", "tendon", "actuator", "sensor")),
    "joint": "jnt",
    "camera": "cam",
}
"""Kinds with user data, and their names in `size` if these differ."""


def user_widths(
    elements: Callable[[str], Sequence[Element]], size: Values, problems: Problems
) -> dict[str, int]:
    """The number of user data of each kind: as given in `size`, or the maximum over its elements."""
    found = {}
    for kind, short in USERS.items():
        what = f"nuser_{short or kind}"
        given = [(element, len(element.values.get("user") or ())) for element in elements(kind)]
        longest = max((length for _, length in given), default=0)
        found[kind] = longest if size[what] < 0 else size[what]
        most = OF_ATTRIBUTE[f"size/{what}"].total
        if most is not None and found[kind] * len(given) > most:
            message = f"{len(given):,} elements with {found[kind]:,} user data each have more than {most:,}"
            problems.add(given[0][0].node, message)
            found[kind] = 0
            continue
        if longest > found[kind]:
            for element, length in given:
                if length > found[kind]:
                    message = f"`user` has {length} numbers; `{what}` of <size> allows {found[kind]}"
                    problems.add(element.node, message, "user")
    return found


def users(elements: Sequence[Element], width: int) -> Array:
    """User data, padded with zeros."""
    found = np.zeros((len(elements), width))
    if not width:
        return found
    for number, element in enumerate(elements):
        row = (element.values.get("user") or ())[:width]
        if row:
            found[number, : len(row)] = row
    return found
