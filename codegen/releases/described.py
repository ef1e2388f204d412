"""A format as paths of elements with their attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

Path = tuple[str, ...]
"""Tags, from the root's on."""
ANY = -1
"""No upper limit of a number of words or elements."""
TRUTH = ("false", "true")
"""The keywords of a truth value."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """What is known of an attribute, or of the text of an element; None if nothing is."""

    type: str | None = None
    """ "int", "real", "string"; "keyword" if there are keywords."""
    keywords: tuple[str, ...] = ()
    default: str | None = None
    required: bool | None = None
    low: int | None = None
    """The fewest numbers or words."""
    high: int | None = None
    """The most; ANY if there is no limit."""
    declares: str = ""
    """What it is the name of."""
    refers: str = ""
    """What it refers to by name."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element at a path; ``attributes`` by name."""

    attributes: Mapping[str, Attribute] = field(default_factory=lambda: MappingProxyType({}))
    text: Attribute | None = None
    """Its text, if it has one."""
    low: int | None = None
    """How often it must occur at least; None if nothing is known."""
    high: int | None = None
    """How often it may occur; ANY if there is no limit."""
    rules: tuple[Rule, ...] = ()
    kind: str = ""
    """The name of its declaration, which elements at other paths may share."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule about attributes that are given. Its ``kind`` is "exclusive" (at most one of two), "together"
    (both of two or none), "requires" (the first needs the second) or "anyOf" (at least one).
    """

    kind: str
    names: tuple[str, ...]


Description = Mapping[Path, Element]
Source = Callable[[Path, str], Attribute | None]
"""What says of an attribute, by the path of its element and its name, or nothing."""


def filled(printed: Description, source: Source) -> Description:
    """A description with what a source says of attributes, where nothing is known yet."""
    return {
        path: replace(
            element,
            attributes={name: _merged(said, source(path, name)) for name, said in element.attributes.items()},
        )
        for path, element in printed.items()
    }


def _merged(said: Attribute, other: Attribute | None) -> Attribute:
    if other is None:
        return said
    if said.type is None:
        return other
    required = other.required if said.required is None else said.required
    return replace(said, default=said.default or other.default, required=required)
