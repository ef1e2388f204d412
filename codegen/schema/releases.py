"""One release of a format whose schema describes several: ``pb:releases``, ``pb:since``, ``pb:until``,
``pb:change``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol, TypeVar

from .model import Attribute, Child, Element, Enumeration, Physics, Place, Schema, SchemaError
from .rules import Rule


class Dated(Protocol):
    """What has a first and a last release; "" if it is in all."""

    @property
    def since(self) -> str: ...
    @property
    def until(self) -> str: ...


D = TypeVar("D", bound=Dated)


def number(version: str) -> tuple[int, ...]:
    """A version as numbers that compare, without zeros at its end."""
    numbers = list(map(int, version.split(".")))
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def named(schema: Schema, text: str) -> str:
    """The release of a schema that a text names: as it is listed, or the newest whose name begins with it.

    Raises:
        ValueError: there is none.
    """
    if text in schema.releases:
        return text
    found = [each for each in schema.releases if each.startswith(f"{text}.") or text.startswith(f"{each}.")]
    if not found or not all(part.isdecimal() for part in text.split(".")):
        known = ", ".join(schema.releases) or "none, as its documents state their version or have none"
        raise ValueError(f"{schema.format} has no release {text!r}; its releases are {known}")
    return found[-1]


def at_release(schema: Schema, release: str) -> Schema:
    """What a schema describes of one release.

    Args:
        schema: a schema, analysed.
        release: the release, as `named` takes it.

    Raises:
        ValueError: the schema has no such release.
    """
    release = named(schema, release)
    enums = tuple(replace(enum, members=tuple(_there(enum.members, release))) for enum in schema.enums)
    elements = {element.key: _element(element, release, enums) for element in schema.elements}
    reached = set(_reached(elements, schema.roots))
    return replace(
        schema,
        version=release,
        releases=(),
        enums=enums,
        elements=tuple(element for element in elements.values() if element.key in reached),
    )


def _there(things: Iterable[D], release: str) -> Iterator[D]:
    return (thing for thing in things if is_in(thing, release))


def is_in(thing: Dated, release: str) -> bool:
    """Whether a release has something."""
    here = number(release)
    return (not thing.since or number(thing.since) <= here) and (
        not thing.until or here <= number(thing.until)
    )


def _element(element: Element, release: str, enums: tuple[Enumeration, ...]) -> Element:
    attributes = tuple(_attribute(each, release) for each in _there(element.attributes, release))
    children = tuple(replace(child, since="", until="") for child in _there(element.children, release))
    gone = {each.name for each in element.attributes} - {each.name for each in attributes}
    gone |= {each.tag for each in element.children} - {each.tag for each in children}
    words = {enum.name: {member.value for member in enum.members} for enum in enums}
    kept = (rule.without(gone) for rule in _there(element.rules, release))
    rules = tuple(rule for rule in kept if rule is not None and _can_hold(rule, attributes, words))
    return replace(element, attributes=attributes, children=children, rules=rules)


def _can_hold(rule: Rule, attributes: tuple[Attribute, ...], words: dict[str, set[str]]) -> bool:
    """Whether the condition of a rule has a keyword of the release."""
    enums = {each.name: each.enum for each in attributes}
    return all(
        not condition.values or words.get(enums.get(condition.attribute, ""), set()) & set(condition.values)
        for name, condition in rule.conditions.items()
        if name == "when"
    )


def _attribute(attribute: Attribute, release: str) -> Attribute:
    """An attribute with the type and the default that it has in a release."""
    now = attribute
    for change in attribute.changes:
        if number(change.since) <= number(release):
            now = replace(now, type=change.type, default=change.default)
    return replace(now, since="", until="", changes=())


def _reached(elements: dict[str, Element], roots: Iterable[str]) -> Iterator[str]:
    """The keys of elements that can occur in a document."""
    waiting, met = list(roots), set(roots)
    while waiting:
        key = waiting.pop()
        yield key
        for child in elements[key].children:
            if child.element not in met:
                met.add(child.element)
                waiting.append(child.element)


def check_releases(schema: Schema, physics: Physics) -> Schema:
    """Check that what is dated names a release, and that a change has an earlier state."""
    if schema.releases and schema.version_in:
        raise SchemaError(schema.place, "pb:releases is for documents that do not state their version")
    if schema.releases and schema.releases[0] != schema.version:
        raise SchemaError(schema.place, f"the first of pb:releases must be pb:version, {schema.version}")
    if sorted({*schema.releases}, key=number) != list(schema.releases):
        raise SchemaError(schema.place, "pb:releases must list every release once, the oldest first")
    if not schema.releases:
        return schema
    for element in schema.elements:
        things: list[Attribute | Child | Rule] = [*element.attributes, *element.children, *element.rules]
        for thing in things:
            _check_dates(schema, thing, thing.place)
        for attribute in element.attributes:
            for change in attribute.changes:
                _check(schema, change.since, change.place)
    for enum in schema.enums:
        for member in enum.members:
            _check_dates(schema, member, member.place)
    return schema


def _check_dates(schema: Schema, thing: Dated, place: Place) -> None:
    if thing.since:
        _check(schema, thing.since, place)
    if thing.until and thing.until not in schema.releases:
        raise SchemaError(place, f'pb:until="{thing.until}" is none of pb:releases')
    if thing.since and thing.until and number(thing.since) > number(thing.until):
        raise SchemaError(place, f'no release has it: pb:since="{thing.since}" pb:until="{thing.until}"')


def _check(schema: Schema, since: str, place: Place) -> None:
    if since not in schema.releases[1:]:
        raise SchemaError(place, f'pb:since="{since}" is none of pb:releases after the first')
