"""The differences between a schema of ours and a release, as rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .described import ANY, Attribute, Description, Element, Path, Rule
from .printed import INCLUDE, REPLACED
from .rules import missing

TEXT = "text()"
"""The name under which a row is about the text of an element."""


@dataclass(frozen=True, slots=True)
class Row:
    """A difference: what the schema lacks, has too much, or says otherwise."""

    how: str
    """ "new", "gone" or "changed"."""
    path: Path
    name: str = ""
    """The attribute, or TEXT; "" for the element itself."""
    ours: Attribute | None = None
    theirs: Attribute | None = None
    changes: tuple[str, ...] = ()
    """Of what has changed: "type", "numbers", "default", "required", "keywords", "occurs"."""
    rule: Rule | None = None
    """The rule that is new; what else a row has is its path."""

    def __str__(self) -> str:
        shown = "/".join(self.path)
        if self.rule is not None:
            return f"{shown}: {self.rule.kind} {' '.join(self.rule.names)}"
        return f"{shown}/{'' if self.name == TEXT else '@'}{self.name}" if self.name else shown


def printable(ours: Description) -> Description:
    """The part of a description of MJCF that a library prints: of what <worldbody>, <frame> and <replicate>
    contain, it prints <body> alone.
    """
    return {
        path: element
        for path, element in ours.items()
        if not REPLACED.intersection(path)
        and not (path[1:2] == ("worldbody",) and path[2:3] not in ((), ("body",)))
        and path[-1:] != ("worldbody",)
    }


def without_includes(ours: Description) -> Description:
    """A description of MJCF without what the reader replaces by other files, of which no grammar is."""
    return {path: element for path, element in ours.items() if INCLUDE not in path}


def compare(ours: Description, theirs: Description) -> Iterator[Row]:
    """The differences, in their order. What a release does not state is not compared.

    Of an element that only one has, there is a row; none is about what it contains.
    """
    for path in [*theirs, *(path for path in ours if path not in theirs)]:
        if path in ours and path in theirs:
            yield from _of_element(path, ours[path], theirs[path])
        elif path[:-1] in ours and path[:-1] in theirs:
            yield Row("new" if path in theirs else "gone", path)


def _of_element(path: Path, ours: Element, theirs: Element) -> Iterator[Row]:
    if (theirs.low is not None and ours.low is not None and theirs.low > ours.low) or (
        theirs.high == ANY and ours.high != ANY
    ):
        yield Row("changed", path, changes=("occurs",))
    here, there = dict(ours.attributes), dict(theirs.attributes)
    if theirs.text is not None:
        there[TEXT] = theirs.text
        here |= {TEXT: ours.text} if ours.text is not None else {}
    for name in [*there, *(name for name in here if name not in there)]:
        if name not in here:
            yield Row("new", path, name, theirs=there[name])
        elif name not in there:
            yield Row("gone", path, name, here[name])
        elif found := tuple(changes(here[name], there[name])):
            yield Row("changed", path, name, here[name], there[name], found)
    for rule in missing(theirs.rules, ours.rules):
        yield Row("new", path, rule=rule)


def changes(ours: Attribute, theirs: Attribute) -> Iterator[str]:
    """What of an attribute they state otherwise."""
    allowed = {"int": ("int", "real"), "real": ("real",), "keyword": ("keyword",)}.get(theirs.type or "", ())
    if allowed and ours.type not in allowed and not (theirs.keywords and ours.keywords):
        yield "type"
    elif theirs.keywords and set(theirs.keywords) != set(ours.keywords):
        yield "keywords"
    elif _fewer(ours, theirs):
        yield "numbers"
    if _normal(ours.default) != _normal(theirs.default) and theirs.default is not None:
        yield "default"
    if theirs.required is not None and theirs.required != ours.required:
        yield "required"


def _fewer(ours: Attribute, theirs: Attribute) -> bool:
    """Whether ours does not take as many numbers as theirs does."""
    if theirs.type not in ("int", "real") or ours.low is None or ours.high is None:
        return False
    if theirs.high == ANY:  # a reader's code may limit it
        return ours.high == 1
    return ours.high != ANY and ((theirs.high or 0) > ours.high or (theirs.low or ours.low) < ours.low)


def _normal(value: object) -> object:
    """A value in which different texts of the same numbers are equal; zeros at the end may be left out."""
    if not isinstance(value, str):
        return value
    try:
        numbers = [float(word) for word in value.replace("...", "").split()]
    except ValueError:
        return value
    while numbers[1:] and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def uncompared(theirs: Description) -> tuple[int, int]:
    """Of how many attributes of a release nothing but the name is known, and how many there are."""
    found = [said.type for element in theirs.values() for said in element.attributes.values()]
    return found.count(None), len(found)
