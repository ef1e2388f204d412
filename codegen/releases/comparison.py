"""The differences between a schema of ours and a release, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from .described import Attribute, Description, Path
from .printed import UNPRINTED

NO_MANUAL: Mapping[str, Attribute] = MappingProxyType({})


class Row(NamedTuple):
    """A difference: what the schema lacks, has too much, or says otherwise."""

    kind: str
    """ "element", "attribute", "default", "keywords", "type" or "required"."""
    path: str
    """Tags joined by slashes; of an attribute with ``@name``."""
    ours: str
    theirs: str


def comparable(ours: Description) -> Description:
    """The part of our schema that a library prints: of what <worldbody>, <frame> and <replicate> contain, it
    prints <body> alone.
    """
    return {
        path: element
        for path, element in ours.items()
        if not UNPRINTED.intersection(path)
        and not (path[1:2] == ("worldbody",) and path[2:3] not in ((), ("body",)))
        and path[-1:] != ("worldbody",)
    }


def compare(
    ours: Description, printed: Description, manual: Mapping[str, Attribute] = NO_MANUAL
) -> Iterator[Row]:
    """The differences, in the order of the library's table. What neither states is not compared.

    Args:
        ours: the schema.
        printed: the elements and attributes of the release.
        manual: types and defaults of the release, by the manual's targets.
    """
    ours = comparable(ours)
    for path in [*printed, *(path for path in ours if path not in printed)]:
        shown = "/".join(path)
        if path not in printed:
            yield Row("element", shown, "there", "")
        elif path not in ours:
            yield Row("element", shown, "", "there")
        here, there = (side[path].attributes if path in side else {} for side in (ours, printed))
        for name in [*there, *(name for name in here if name not in there)]:
            place = f"{shown}/@{name}"
            said = _looked_up(manual, path, name)
            if name not in here:
                yield Row("attribute", place, "", declaration(name, said))
            elif name not in there:
                if path in printed:
                    yield Row("attribute", place, "there", "")
            elif said is not None:
                yield from _differences(place, here[name], said)


def _looked_up(manual: Mapping[str, Attribute], path: Path, name: str) -> Attribute | None:
    """What the manual says of an attribute. Its targets leave out the root and bodies around an element."""
    for start in range(1, len(path)):
        said = manual.get("-".join((*path[start:], name)))
        if said is not None:
            return said
    return None


def undescribed(printed: Description, manual: Mapping[str, Attribute]) -> tuple[int, int]:
    """How many attributes of a release the manual does not describe, and how many there are."""
    found = [
        _looked_up(manual, path, name) for path, element in printed.items() for name in element.attributes
    ]
    return found.count(None), len(found)


def _differences(place: str, ours: Attribute, theirs: Attribute) -> Iterator[Row]:
    for kind, one, other in (
        ("default", ours.default, theirs.default),
        ("required", ours.required, theirs.required),
    ):
        if other is not None and _normal(one) != _normal(other):
            yield Row(kind, place, str(one), str(other))
    if theirs.keywords and set(theirs.keywords) != set(ours.keywords):
        yield Row("keywords", place, " ".join(ours.keywords), " ".join(theirs.keywords))
    allowed = {"int": ("int", "real"), "real": ("real",)}.get(theirs.type or "", ())
    if allowed and ours.type not in allowed:
        yield Row("type", place, str(ours.type), str(theirs.type))


def _normal(value: object) -> object:
    """A value in which different texts of the same numbers are equal."""
    if not isinstance(value, str):
        return value
    try:
        return tuple(float(word) for word in value.split())
    except ValueError:
        return value


def declaration(name: str, said: Attribute | None) -> str:
    """An attribute as a line for the schema; its type and default are those of the manual."""
    words = [f'<xs:attribute name="{name}"']
    if said is not None and said.type:
        words.append(f'type="{said.type}"')
        words += [f'default="{said.default}"'] if said.default is not None else []
        words += ['use="required"'] if said.required else []
    if said is not None and said.keywords:
        words.append(f"<!-- {' '.join(said.keywords)} -->")
    return " ".join(words)
