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

_CONDITION = re.compile(r"([^=\s|]+)(?:=([^=\s|]+(?:\|[^=\s|]+)*))?")
_VERSION = re.compile(r"\d+(\.\d+)*")


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


def _line(text: str) -> str:
    return " ".join(text.split())


def _names(text: str) -> tuple[str, ...]:
    if not text.split():
        raise ValueError("at least one name")
    return tuple(text.split())


def _two_names(text: str) -> tuple[str, ...]:
    if len(text.split()) != 2:
        raise ValueError("two names")
    return tuple(text.split())


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("a number") from None


def _count(text: str) -> int:
    if not text.strip().isdecimal():
        raise ValueError("a whole number")
    return int(text)


def _word(text: str) -> str:
    if len(text.split()) != 1:
        raise ValueError("one word")
    return text.strip()


def _version(text: str) -> str:
    if not _VERSION.fullmatch(text.strip()):
        raise ValueError("a version such as 1.4")
    return text.strip()


def _condition(text: str) -> Condition:
    found = _CONDITION.fullmatch(text.strip())
    if found is None:
        raise ValueError("attribute=value|value, or an attribute that is given")
    return Condition(found[1], tuple(found[2].split("|")) if found[2] else ())


def _one_of(**known: Any) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        if text.strip() not in known:
            raise ValueError(" or ".join(known))
        return known[text.strip()]

    return read


Name = Annotated[str, Argument(_word, subject=True)]
Names = Annotated[tuple[str, ...], Argument(_names, subject=True)]
TwoNames = Annotated[tuple[str, ...], Argument(_two_names, subject=True)]
Word = Annotated[str, Argument(_word)]
Line = Annotated[str, Argument(_line)]
Truth = Annotated[bool, Argument(_one_of(**{"true": True, "false": False, "1": True, "0": False}))]
Count = Annotated[int, Argument(_count)]
Number = Annotated[float, Argument(_number)]
Version = Annotated[str, Argument(_version)]
Order = Annotated[str, Argument(_one_of(wxyz="wxyz", xyzw="xyzw"))]
Severity = Annotated[str, Argument(_one_of(error="error", warning="warning"))]
IsCondition = Annotated[Condition, Argument(_condition)]
MaybeCondition = Annotated[Condition | None, Argument(_condition)]
