"""The attributes that state a rule, as types of the fields of its class: each says how its text is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from ...markdown import code
from ...python_source import SCOPE, Expression, call, row
from ...render import literal
from ..linking import attribute_of
from ..model import Element, Schema


@dataclass(frozen=True, slots=True)
class Condition:
    """``attribute=value|value``; without values: the attribute is given."""

    attribute: str
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.attribute}={'|'.join(self.values)}" if self.values else self.attribute

    def sentence(self) -> str:
        """It as the end of a sentence."""
        values = " or ".join(map(code, self.values))
        return f"{code(self.attribute)} is {values or 'given'}"

    def row(self, schema: Schema, element: Element) -> Expression:
        """The row of the class When."""
        if not self.values:
            return call("When", literal(self.attribute), row(()))
        enum = schema.enum(attribute_of(element, self.attribute, element.place).enum)
        members = filter(None, map(enum.member, self.values))
        return call("When", literal(self.attribute), row(f"{SCOPE}{enum.name}.{m.name}" for m in members))


@dataclass(frozen=True, slots=True)
class Argument:
    """How the text of an attribute is read; ``read`` raises ValueError with what it expects. ``subject``: it
    names an attribute or child of the element, or several.
    """

    read: Callable[[str], Any]
    subject: bool = False


def _reads(pattern: str, expected: str, value: Callable[[str], Any] = str) -> Callable[[str], Any]:
    """A function that reads what matches a regular expression, blanks aside."""

    def read(text: str) -> Any:
        line = " ".join(text.split())
        if not re.fullmatch(pattern, line):
            raise ValueError(expected)
        return value(line)

    return read


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _condition(text: str) -> Condition:
    attribute, _, values = text.partition("=")
    return Condition(attribute, tuple(values.split("|")) if values else ())


_ASKED = Argument(
    _reads(
        r"[^=\s|]+(=[^=\s|]+(\|[^=\s|]+)*)?",
        "attribute=value|value, or an attribute that is given",
        _condition,
    )
)

Name = Annotated[str, Argument(_reads(r"\S+", "one word"), subject=True)]
Names = Annotated[tuple[str, ...], Argument(_reads(".+", "at least one name", _names), subject=True)]
TwoNames = Annotated[tuple[str, ...], Argument(_reads(r"\S+ \S+", "two names", _names), subject=True)]
Word = Annotated[str, Argument(_reads(r"\S+", "one word"))]
Line = Annotated[str, Argument(_reads(".+", "a value"))]
Truth = Annotated[bool, Argument(_reads("true|false|1|0", "true or false", ("true", "1").__contains__))]
Count = Annotated[int, Argument(_reads(r"\d+", "a whole number", int))]
Number = Annotated[float, Argument(_reads(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", "a number", float))]
Version = Annotated[str, Argument(_reads(r"\d+(\.\d+)*", "a version such as 1.4"))]
Order = Annotated[str, Argument(_reads("wxyz|xyzw", "wxyz or xyzw"))]
Severity = Annotated[str, Argument(_reads("error|warning", "error or warning"))]
When = Annotated[Condition, _ASKED]
MaybeWhen = Annotated[Condition | None, _ASKED]
