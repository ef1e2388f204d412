"""Rules about what is given together with what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...python_source import Expression, call, quoted
from ...render import literal
from ..model import Element, Schema, SchemaError
from .arguments import Condition, MaybeWhen, Name, Names, Severity, Truth, Version, When
from .rule import Rule, Shown


@dataclass(frozen=True, kw_only=True)
class Several(Rule):
    """A rule about names of which fewer are a rule as well."""

    names: Names

    def without(self, names: set[str]) -> Rule | None:
        left = tuple(name for name in self.names if name not in names)
        return replace(self, names=left) if left[1:] else None


@dataclass(frozen=True, kw_only=True)
class Exclusive(Several):
    """At most one is given; ``written``: on the element itself, whatever its defaults give."""

    written: Truth = False
    ties = True
    says = "at most one of {names}"

    def words(self) -> str:
        return super().words() + (", as written" if self.written else "")

    def blocks(self, name: str, shown: Shown) -> bool:
        return name in self.names and any(shown.get(other) is not None for other in self.names)


@dataclass(frozen=True, kw_only=True)
class Together(Several):
    """All or none are given."""

    ties = True
    says = "all or none of {names}"

    def complete(self, shown: Shown) -> None:
        if any(shown.get(name) is not None for name in self.names):
            shown.provide(self.names)


@dataclass(frozen=True, kw_only=True)
class AnyOf(Several):
    """At least one is given."""

    says = "at least one of {names}"

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        yield call("OneOf", quoted(self.names))

    def complete(self, shown: Shown) -> None:
        if all(shown.get(name) is None for name in self.names):
            shown.provide(self.names[:1])


@dataclass(frozen=True, kw_only=True)
class OneOf(AnyOf):
    """Exactly one is given."""

    ties = True
    says = "exactly one of {names}"

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        yield from super().rows(schema, element)
        yield call("Exclusive", quoted(self.names))


@dataclass(frozen=True, kw_only=True)
class Required(Rule):
    """Each is given, on the element or by its defaults, when (unless) the condition holds."""

    names: Names
    unless: MaybeWhen = None
    when: MaybeWhen = None
    severity: Severity = "error"
    says = "{names} must be given, here or by defaults"

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        asked = {name: condition.row(schema, element) for name, condition in self.conditions.items()}
        advised = {"advised": "True"} if self.severity == "warning" else {}
        for name in self.names:
            yield call("Required", literal(name), **asked, **advised)

    def requirement(self, name: str) -> str:
        if name not in self.names or self.when is not None:
            return ""
        if self.unless is None:
            return "required"
        return f"required unless {self.unless.attribute} is {' or '.join(self.unless.values) or 'given'}"

    def complete(self, shown: Shown) -> None:
        if self.applies(shown):
            shown.provide(self.names)


@dataclass(frozen=True, kw_only=True)
class Requires(Rule):
    """``of`` needs each of ``names``; ``written``: if it is on the element itself."""

    of: Name
    names: Names
    written: Truth = False
    ties = True
    says = "{of} needs {names}"

    def words(self) -> str:
        return super().words() + (", where it is written" if self.written else "")

    def complete(self, shown: Shown) -> None:
        if shown.get(self.of) is not None:
            shown.provide(self.names)


@dataclass(frozen=True, kw_only=True)
class Ignored(Rule):
    """Written on the element itself, they have no effect when the condition holds."""

    names: Names
    when: When
    ties = True
    says = "{names}"

    def words(self) -> str:
        return super().words() + (" have no effect" if self.names[1:] else " has no effect")

    def disabled(self, name: str) -> Condition | None:
        return self.when if name in self.names else None


@dataclass(frozen=True, kw_only=True)
class Newer(Rule):
    """Attributes or children that only versions from ``since`` on have: an error that says so."""

    names: Names
    since: Version
    ties = True
    says = "{names}"

    def check(self, schema: Schema, element: Element) -> None:
        for name in self.names:
            if name in _names(element):
                raise SchemaError(self.place, f'pb:newer: <{element.tag}> has "{name}" in this version')

    def newer(self) -> dict[str, str]:
        return dict.fromkeys(self.names, self.since)

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        return iter(())

    def words(self) -> str:
        be, wrong = ("are", "errors") if self.names[1:] else ("is", "an error")
        return f"{super().words()} {be} new in version {self.since} of the format, and {wrong} here"

    def standing(self, names: set[str]) -> Rule | None:
        left = tuple(name for name in self.names if name not in names)
        return replace(self, names=left) if left else None


def _names(element: Element) -> set[str]:
    return {each.name for each in element.attributes} | {child.tag for child in element.children}
