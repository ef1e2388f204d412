"""Python expressions formatted as by ruff, so that generated files look like hand-written ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .render import WIDTH, literal


@dataclass(frozen=True, slots=True)
class Call:
    """``name(items)``; an item may be a :class:`Pair` with ``=``."""

    name: str
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A tuple, list or dict: items between brackets."""

    brackets: str
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """``key=value`` in a call or ``key: value`` in a dict, by its separator."""

    key: str
    separator: str
    value: Expression


SCOPE = "doc."
"""Prefix of the names of document classes in tables, since rows may have the same names."""
Expression = str | Call | Group | Pair


def call(name: str, /, *items: Expression, **named: Expression) -> Call:
    """A call with positional and named arguments."""
    return Call(name, (*items, *(Pair(key, "=", value) for key, value in named.items())))


def row(items: Iterable[Expression]) -> Group:
    """A tuple."""
    return Group("()", tuple(items))


def mapping(items: Mapping[str, Expression]) -> Group:
    """A dict; keys are expressions."""
    return Group("{}", tuple(Pair(key, ": ", value) for key, value in items.items()))


def quoted(items: Iterable[str]) -> Group:
    """A tuple of string literals."""
    return row(literal(item) for item in items)


def flat(expression: Expression) -> str:
    """The expression in one line."""
    if isinstance(expression, str):
        return expression
    if isinstance(expression, Pair):
        return f"{expression.key}{expression.separator}{flat(expression.value)}"
    inner = ", ".join(flat(item) for item in expression.items)
    if isinstance(expression, Call):
        return f"{expression.name}({inner})"
    comma = "," if expression.brackets == "()" and len(expression.items) == 1 else ""
    return f"{expression.brackets[0]}{inner}{comma}{expression.brackets[1]}"


def layout(expression: Expression, before: str = "", after: str = "", indent: int = 0) -> str:
    """``before`` + expression + ``after``, broken as by ruff if one line is too long."""
    pad = " " * indent
    line = f"{pad}{before}{flat(expression)}{after}"
    if len(line) <= WIDTH or isinstance(expression, str):
        return line
    if isinstance(expression, Pair):
        return layout(expression.value, f"{before}{expression.key}{expression.separator}", after, indent)
    if not expression.items:
        return line
    inner = " " * (indent + 4)
    if isinstance(expression, Call):
        opening, closing = f"{expression.name}(", ")"
        body = inner + ", ".join(flat(item) for item in expression.items)
        if len(body) <= WIDTH:
            return f"{pad}{before}{opening}\n{body}\n{pad}{closing}{after}"
    else:
        opening, closing = expression.brackets[0], expression.brackets[1]
    lines = "\n".join(layout(item, "", ",", indent + 4) for item in expression.items)
    return f"{pad}{before}{opening}\n{lines}\n{pad}{closing}{after}"


def imported(module: str, names: Iterable[str], indent: int = 0) -> str:
    """A statement that imports names, in the order given."""
    pad, found = " " * indent, tuple(names)
    line = f"{pad}from {module} import {', '.join(found)}"
    if len(line) <= WIDTH:
        return line
    lines = "".join(f"{pad}    {name},\n" for name in found)
    return f"{pad}from {module} import (\n{lines}{pad})"


def import_order(name: str) -> tuple[int, str, str]:
    """Constants first, then classes regardless of case, then functions, as import sorters do."""
    constant = name.isupper() and len(name) > 1
    return 0 if constant else 1 if name[:1].isupper() else 2, name.casefold(), name


def export_order(name: str) -> tuple[bool, str]:
    """Constants first, then classes, as sorters of ``__all__`` do."""
    return not (name.isupper() and len(name) > 1), name


def optional(**fields: Expression) -> dict[str, Expression]:
    """The fields of a row that differ from its class's defaults: neither empty nor false."""
    empty = ("", '""', "None", "False", "0")
    return {
        name: value
        for name, value in fields.items()
        if value not in empty and not (isinstance(value, Group) and not value.items)
    }


class Statements:
    """Assignments in order, each to a different name; equal expressions share one."""

    def __init__(self, taken: set[str]) -> None:
        self._statements: dict[str, Expression] = {}
        self._taken = taken

    def name(self, wanted: str, expression: Expression) -> str:
        """The name of an expression: the wanted one, or with a number if that name has another value."""
        name, number = wanted, 2
        while name in self._taken and self._statements.get(name) != expression:
            name, number = f"{wanted}_{number}", number + 1
        self._taken.add(name)
        self._statements[name] = expression
        return name

    def known(self, wanted: str, expression: Expression) -> str:
        """The name of an equal expression whose wanted name was the same, or ""."""
        same = (n for n, e in self._statements.items() if e == expression and n.startswith(wanted))
        return next(same, "")

    def items(self) -> list[tuple[str, Expression]]:
        """Names and expressions in order."""
        return list(self._statements.items())
