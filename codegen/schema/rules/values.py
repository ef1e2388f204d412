"""Rules about numbers, and defaults that depend on other values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...python_source import Expression, call, optional
from ...render import literal
from ..linking import attribute_of
from ..model import Element, Schema, SchemaError
from .arguments import Count, Line, MaybeWhen, Name, Names, Number, Order, Severity, TwoNames, When
from .rule import Rule, Shown


@dataclass(frozen=True, kw_only=True)
class Default(Rule):
    """Another default of ``of`` where the condition holds, which is on the attribute of its shape."""

    of: Name
    when: When
    value: Line
    says = "{of} defaults to {value}"

    def check(self, schema: Schema, element: Element) -> None:
        super().check(schema, element)
        sized = attribute_of(element, self.of, self.place).meaning.shape.quantity
        if sized is None or sized.by != self.when.attribute:
            what = f'pb:default of "{self.of}" can depend on the attribute of its pb:shape only'
            raise SchemaError(self.place, what)

    def default_of(self, name: str, word: str) -> str:
        return self.value if name == self.of and word in self.when.values else ""

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        return iter(())


@dataclass(frozen=True, kw_only=True)
class Ascending(Rule):
    """``low`` is at most ``high``, number by number."""

    low: Name
    high: Name
    says = "{low} is at most {high}, number by number"

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
    says = "{names} differ"

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        yield call("Differ", *map(literal, self.names))


@dataclass(frozen=True, kw_only=True)
class Increasing(Rule):
    """No number of ``of`` is less than the previous one."""

    of: Name
    says = "no number of {of} is below the one before it"

    def complete(self, shown: Shown) -> None:
        value = shown.get(self.of)
        if value is not None:
            shown.put(self.of, " ".join(map(str, range(len(value.split())))))


@dataclass(frozen=True, kw_only=True)
class InOrder(Rule):
    """The keywords of ``of`` are in the order in which its type has them, and none is given twice."""

    of: Name
    says = "the keywords of {of} are in the order of their list, each at most once"

    def check(self, schema: Schema, element: Element) -> None:
        super().check(schema, element)
        attribute = attribute_of(element, self.of, self.place)
        if not any(form.enum and not form.scalar for form in attribute.every_form):
            raise SchemaError(self.place, f'pb:inOrder: "{self.of}" is no list of keywords')


@dataclass(frozen=True, kw_only=True)
class UnitQuaternion(Rule):
    """Four numbers from ``start``, in this ``order``, have length 1 within ``tolerance``. With the severity
    "warning" they are normalised when they are used.
    """

    of: Name
    tolerance: Number
    start: Count = 0
    order: Order = "wxyz"
    when: MaybeWhen = None
    severity: Severity = "error"
    says = "{of} has a quaternion of length 1, within "

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        yield call(
            "UnitQuaternion",
            literal(self.of),
            literal(self.tolerance),
            **optional(
                start=literal(self.start),
                order=literal("" if self.order == "wxyz" else self.order),
            ),
            **({} if self.severity == "warning" else {"normalised": "False"}),
            **optional(when="" if self.when is None else self.when.row(schema, element)),
        )

    def words(self) -> str:
        return f"{super().words()}{self.tolerance:g}"


@dataclass(frozen=True, kw_only=True)
class Nonzero(Rule):
    """A vector has a direction."""

    of: Name
    unless: MaybeWhen = None
    says = "{of} has a direction"

    def sample(self, name: str) -> str:
        return "0 0 1" if name == self.of else ""


@dataclass(frozen=True, kw_only=True)
class Inertia(Rule):
    """Six names or one vector, xx yy zz xy xz yz: positive definite, triangle inequality."""

    names: Names
    says = "{names} are the inertia of a real body"

    def complete(self, shown: Shown) -> None:
        """A small body."""
        moments = ["0.01"] * 3 + ["0"] * 3
        if len(self.names) > 1:
            for name, moment in zip(self.names, moments, strict=True):
                shown.put(name, moment)
            return
        whole = len((shown.get(self.names[0]) or "").split()) == 9
        shown.put(self.names[0], "0.01 0 0 0 0.01 0 0 0 0.01" if whole else " ".join(moments))
