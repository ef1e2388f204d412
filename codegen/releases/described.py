"""A format as paths of elements with their attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

Path = tuple[str, ...]
"""Tags, from the root's on."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """What is known of an attribute; None if nothing is."""

    type: str | None = None
    """As in the manual: "int", "real(3)", "string"; "keyword" if there are keywords."""
    keywords: tuple[str, ...] = ()
    default: str | None = None
    required: bool | None = None


@dataclass(frozen=True, slots=True)
class Element:
    """An element at a path; ``attributes`` by name."""

    attributes: Mapping[str, Attribute] = field(default_factory=lambda: MappingProxyType({}))


Description = Mapping[Path, Element]
