"""One release of a format whose tables describe several.

What a release lacks is in ``absent`` of its elements' rows, and by name with the releases that have it in
``newer`` and ``former``; keywords are in ``others`` of values. A reader of one release therefore can tell
what is of another release from what is of none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from enum import Enum
from operator import is_
from typing import Any

from polybody.base.rows import Attribute, Change, Child, Element, Format, Kind, Period, Value
from polybody.base.rules import During, Rule

Dates = tuple[str, str]
_made: dict[tuple[Format, str], Format] = {}


def number(release: str) -> tuple[int, ...]:
    """A release as numbers that compare, without zeros at its end."""
    numbers = list(map(int, release.split(".")))
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


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
        _made[key] = _projected(whole, release)
    return _made[key]


def _projected(whole: Format, release: str) -> Format:
    absent = [(word, dates) for word, dates in whole.keywords if not is_in(release, *dates)]
    of_enum: dict[type[Enum], dict[Enum, Dates]] = {}
    for word, dates in absent:
        of_enum.setdefault(type(word), {})[word] = dates
    values: dict[int, tuple[tuple[Value, ...], tuple[Value, ...]]] = {}  # by id: what was replaced, and by what
    rows: dict[int, tuple[Attribute, Attribute]] = {}

    def forms_of(forms: tuple[Value, ...]) -> tuple[Value, ...]:
        if not any(value.enum in of_enum for value in forms if value.kind is Kind.ENUM):
            return forms
        if id(forms) not in values:
            made = tuple(
                replace(value, others=of_enum[value.enum]) if value.enum in of_enum else value for value in forms
            )
            values[id(forms)] = forms, made
        return values[id(forms)][1]

    def attribute_of(row: Attribute) -> Attribute:
        if id(row) not in rows:  # elements share rows
            rows[id(row)] = row, _attribute(row, release, whole.releases, forms_of)
        return rows[id(row)][1]

    words = tuple(word for word, _ in absent)
    elements = {key: _element(row, release, attribute_of, words) for key, row in whole.elements.items()}
    return replace(whole, version=release, elements=elements, keywords=(), whole=whole)


def _attribute(row: Attribute, release: str, releases: tuple[str, ...], forms_of: Any) -> Attribute:
    if not row.changes:
        now = forms_of(row.forms)
        return row if now is row.forms else replace(row, forms=now)
    elsewhere: list[Period] = []
    given: Change | None = None
    forms = row.forms  # also of an attribute that the release lacks
    for change, (since, until, kinds) in _periods(row, releases):
        if is_in(release, since, until):
            given, forms = change, kinds
        else:
            elsewhere.append((since, until, forms_of(kinds)))
    if given is None:
        return replace(row, forms=forms_of(forms), elsewhere=tuple(elsewhere))
    return replace(
        row,
        forms=forms_of(forms),
        default=given.default,
        notation=given.notation,
        elsewhere=tuple(elsewhere),
    )


def _periods(row: Attribute, releases: tuple[str, ...]) -> Iterator[tuple[Change | None, Period]]:
    """The states of an attribute, each with what brought it: the first release, the last, the forms."""
    since, forms, brought = row.since or "", row.forms, None
    for change in row.changes:
        yield brought, (since, releases[releases.index(change.since) - 1], forms)
        since, forms, brought = change.since, change.forms, change
    yield brought, (since, row.until or "", forms)


def _element(row: Element, release: str, attribute_of: Any, words: Collection[Enum]) -> Element:
    here: list[Attribute] = []
    absent: list[Attribute | Child] = []
    children: list[Child] = []
    for attribute in row.attributes:
        now = attribute_of(attribute)
        (here if is_in(release, attribute.since, attribute.until) else absent).append(now)
    for child in row.children:
        (children if is_in(release, child.since, child.until) else absent).append(child)
    rules = tuple(_rules(row.rules, release, {_name(each) for each in absent}, words))
    same = all(map(is_, here, row.attributes))  # equal rows can have other keywords
    if not absent and rules == row.rules and same:
        return row
    dated = [(_name(each), each) for each in absent]
    return replace(
        row,
        attributes=tuple(here),
        children=tuple(children),
        rules=rules,
        absent=tuple(absent),
        newer=dict(row.newer)
        | {name: each.since or "" for name, each in dated if not is_in(release, each.since, None)},
        former={name: each.until or "" for name, each in dated if is_in(release, each.since, None)},
    )


def _name(row: Attribute | Child) -> str:
    return row.tag if isinstance(row, Child) else row.name


def _rules(
    rules: Iterable[Rule], release: str, absent: set[str], words: Collection[Enum]
) -> Iterable[Rule]:
    """The rules of a release, without the names that it lacks."""
    for rule in rules:
        if isinstance(rule, During):
            if not is_in(release, rule.since, rule.until):
                continue
            rule = rule.rule
        left = rule.without(absent) if absent else rule
        if left is not None and not left.only_for(words):
            yield left
