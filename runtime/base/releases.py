"""One release of a format whose tables describe several.

What a release lacks is in ``absent`` of its elements' rows, and by name with the releases that have it in
``newer`` and ``former``; keywords are in ``others`` of values, types in ``elsewhere`` of attributes. A reader
of one release can therefore tell what another release has from what none has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from functools import cache
from operator import is_
from typing import TypeVar

from polybody.base.rows import Attribute, Change, Child, Element, Format, Kind, Period, Value
from polybody.base.rules import During, Rule

Dates = tuple[str, str]
R = TypeVar("R", Attribute, Child)
_made: dict[tuple[Format, str], Format] = {}


@cache
def number(release: str) -> tuple[int, ...]:
    """A release as numbers that compare, without zeros at its end."""
    numbers = list(map(int, release.split(".")))
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


@cache
def is_in(release: str, since: str | None, until: str | None) -> bool:
    """Whether something with these first and last releases is in a release."""
    if not (since or until):
        return True
    here = number(release)
    return (not since or number(since) <= here) and (not until or here <= number(until))


def at_release(form: Format, release: str) -> Format:
    """The tables of one release.

    form: the tables of any release, or of all; release: as it is listed in ``form.releases``.
    """
    whole = form.whole or form
    key = whole, release
    if key not in _made:
        _made[key] = _Projection(whole, release).format()
    return _made[key]


class _Projection:
    """Makes the rows of one release. Rows that elements share are shared again."""

    def __init__(self, whole: Format, release: str) -> None:
        self.whole, self.release = whole, release
        absent = [(word, dates) for word, dates in whole.keywords if not is_in(release, *dates)]
        self.words = tuple([word for word, _ in absent])
        self.of_enum: dict[type[Enum], dict[Enum, Dates]] = {}
        for word, dates in absent:
            self.of_enum.setdefault(type(word), {})[word] = dates
        self._rows: dict[int, Attribute] = {}  # by the id of a row of the whole

    def format(self) -> Format:
        elements = {key: self.element(row) for key, row in self.whole.elements.items()}
        return replace(self.whole, version=self.release, elements=elements, keywords=(), whole=self.whole)

    def there(self, rows: Iterable[R]) -> list[R]:
        """The rows that the release has."""
        release = self.release
        return [
            row
            for row in rows
            if (row.since is None and row.until is None) or is_in(release, row.since, row.until)
        ]

    def element(self, row: Element) -> Element:
        attributes = [self.attribute(each) for each in row.attributes]
        here, children = self.there(attributes), self.there(row.children)
        same = len(here) == len(attributes) and all(map(is_, here, row.attributes))
        if same and len(children) == len(row.children):
            rules = tuple(self.rules(row.rules, set()))
            return row if rules == row.rules else replace(row, rules=rules)
        present = {*map(id, here), *map(id, children)}
        every: list[Attribute | Child] = [*attributes, *row.children]
        absent = [each for each in every if id(each) not in present]
        dates = {_name(each): (each.since or "", each.until or "") for each in absent}
        newer = {name: since for name, (since, _) in dates.items() if not is_in(self.release, since, None)}
        return replace(
            row,
            attributes=tuple(here),
            children=tuple(children),
            rules=tuple(self.rules(row.rules, set(dates))),
            absent=tuple(absent),
            newer=dict(row.newer) | newer,
            former={name: until for name, (_, until) in dates.items() if name not in newer},
        )

    def attribute(self, row: Attribute) -> Attribute:
        if not row.changes and row.forms[0].enum is None and len(row.forms) == 1:
            return row
        if id(row) not in self._rows:
            self._rows[id(row)] = self._changed(row) if row.changes else self._worded(row)
        return self._rows[id(row)]

    def _worded(self, row: Attribute) -> Attribute:
        now = self.forms(row.forms)
        return row if now is row.forms else replace(row, forms=now)

    def _changed(self, row: Attribute) -> Attribute:
        """An attribute as the last change before the release left it."""
        given: Change | None = None
        forms, elsewhere = row.forms, []
        for change, period in _periods(row, self.whole.releases):
            if is_in(self.release, *period[:2]):
                given, forms = change, period[2]
            else:
                elsewhere.append(period)
        now = replace(row, forms=self.forms(forms), elsewhere=tuple(elsewhere))
        return now if given is None else replace(now, default=given.default, notation=given.notation)

    def forms(self, forms: tuple[Value, ...]) -> tuple[Value, ...]:
        """Forms without the keywords of other releases."""
        if not any(form.kind is Kind.ENUM and form.enum in self.of_enum for form in forms):
            return forms
        return tuple(
            replace(form, others=self.of_enum[form.enum]) if form.enum in self.of_enum else form
            for form in forms
        )

    def rules(self, rules: Iterable[Rule], absent: set[str]) -> Iterator[Rule]:
        """The rules of the release, without the names that it lacks."""
        for rule in rules:
            if isinstance(rule, During):
                if not is_in(self.release, rule.since, rule.until):
                    continue
                rule = rule.rule
            left = rule.without(absent) if absent else rule
            if left is not None and not left.only_for(self.words):
                yield left


def _periods(row: Attribute, releases: tuple[str, ...]) -> Iterator[tuple[Change | None, Period]]:
    """The states of an attribute, each with what brought it: the first release, the last, the forms."""
    since, forms, brought = row.since or "", row.forms, None
    for change in row.changes:
        yield brought, (since, releases[releases.index(change.since) - 1], forms)
        since, forms, brought = change.since, change.forms, change
    yield brought, (since, row.until or "", forms)


def _name(row: Attribute | Child) -> str:
    return row.tag if isinstance(row, Child) else row.name
