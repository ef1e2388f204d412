"""Rules about numbers, and defaults that depend on other values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...markdown import code
from ...python_source import Expression, call, optional, quoted
from ...render import literal
from ..linking import attribute_of
from ..model import Element, Schema, SchemaError
from .arguments import (
    Count,
    IsCondition,
    Line,
    MaybeCondition,
    Name,
    Names,
    Number,
    Order,
    Severity,
    TwoNames,
)
from .rule import Rule, Shown, listed


@dataclass(frozen=True, kw_only=True)
class Default(Rule):
    """Another default of ``of`` where the condition holds, which is on the attribute of its shape."""

    of: Name
    when: IsCondition
    value: Line

    def check(self, schema: Schema, element: Element) -> None:
        super().check(schema, element)
        sized = attribute_of(element, self.of, self.place).meaning.shape.quantity
        if sized is None or sized.by != self.when.attribute:
            what = f'pb:default of "{self.of}" can depend on the attribute of its pb:shape only'
            raise SchemaError(self.place, what)

    def default_of(self, name: str, word: str) -> str:
        return self.value if name == self.of and word in self.when.values else ""

    def words(self) -> str:
        return f"{code(self.of)} defaults to {code(self.value)}"


@dataclass(frozen=True, kw_only=True)
class Ascending(Rule):
    """``low`` is at most ``high``, number by number."""

    low: Name
    high: Name

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        yield call("Ascending", literal(self.low), literal(self.high))

    def words(self) -> str:
        return f"{code(self.low)} is at most {code(self.high)}, number by number"

    def complete(self, shown: Shown) -> None:
        """Bounds around zero if that is allowed."""
        low, high = shown.get(self.low), shown.get(self.high)
        if low is None or high is None:
            return
        lows, highs = (list(map(float, (value or "0").split())) for value in (low, high))
        if all(below < above for below, above in zip(lows, highs, strict=True)):
            return
        least = shown.minimum(self.low)
        if least is None or least < 0:
            shown.put(self.low, " ".join(["-1"] * len(lows)))
            lows = [0.0] * len(lows)
        shown.put(self.high, " ".join(f"{below + 1:g}" for below in lows))


@dataclass(frozen=True, kw_only=True)
class Differ(Rule):
    """Two values are not equal."""

    names: TwoNames
    ties = True

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        yield call("Differ", *map(literal, self.names))

    def words(self) -> str:
        return f"{listed(self.names)} differ"


@dataclass(frozen=True, kw_only=True)
class Increasing(Rule):
    """No number of ``of`` is less than the previous one."""

    of: Name

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        yield call("Increasing", literal(self.of))

    def words(self) -> str:
        return f"no number of {code(self.of)} is below the one before it"

    def complete(self, shown: Shown) -> None:
        value = shown.get(self.of)
        if value is not None:
            shown.put(self.of, " ".join(map(str, range(len(value.split())))))


@dataclass(frozen=True, kw_only=True)
class UnitQuaternion(Rule):
    """Four numbers from ``start``, in this ``order``, have length 1 within ``tolerance``. With the severity
    "warning" they are normalised when they are used.
    """

    of: Name
    tolerance: Number
    start: Count = 0
    order: Order = "wxyz"
    when: MaybeCondition = None
    severity: Severity = "error"

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        yield call(
            "UnitQuaternion",
            literal(self.of),
            repr(self.tolerance),
            **optional(start=str(self.start)),
            **({} if self.order == "wxyz" else {"order": literal(self.order)}),
            **({} if self.severity == "warning" else {"normalised": "False"}),
            **self.condition_rows(schema, element),
        )

    def words(self) -> str:
        return f"{code(self.of)} has a quaternion of length 1, within {self.tolerance:g}"


@dataclass(frozen=True, kw_only=True)
class Nonzero(Rule):
    """A vector has a direction."""

    of: Name
    unless: MaybeCondition = None

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        yield call("Nonzero", literal(self.of), **self.condition_rows(schema, element))

    def words(self) -> str:
        return f"{code(self.of)} has a direction"

    def sample(self, name: str) -> str:
        return "0 0 1" if name == self.of else ""


@dataclass(frozen=True, kw_only=True)
class Inertia(Rule):
    """Six names or one vector, xx yy zz xy xz yz: positive definite, triangle inequality."""

    names: Names

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        yield call("Inertia", quoted(self.names))

    def words(self) -> str:
        return f"{listed(self.names)} are the inertia of a real body"

    def complete(self, shown: Shown) -> None:
        """A small body."""
        moments = ["0.01"] * 3 + ["0"] * 3
        if len(self.names) > 1:
            for name, moment in zip(self.names, moments, strict=True):
                shown.put(name, moment)
            return
        whole = len((shown.get(self.names[0]) or "").split()) == 9
        shown.put(self.names[0], "0.01 0 0 0 0.01 0 0 0 0.01" if whole else " ".join(moments))
