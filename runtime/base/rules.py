"""The rules between values of an element, as rows of its tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from polybody.base.frozen_rows import dataclass

TEXT_OF = "/text()"


class Rule:
    """A rule about an attribute of an element, about a child, given if there is one, or about an attribute or
    the text of a child: `pos`, `limit`, `axis/@xyz`, `mass/text()`.

    What a rule demands, its row says (`fault`). Some frequent kinds have a compiled check in addition, or are
    checked and reported in polybody.validation alone.
    """

    __slots__ = ()
    about: ClassVar[tuple[str, ...]] = ("name",)
    """Its fields with such names."""
    code: ClassVar[str] = ""
    """The code of its findings."""
    partial: ClassVar[bool] = False
    """Whether it is also about elements that lack some of these values."""

    def without(self, absent: Collection[str]) -> Rule | None:
        """What is left of it in a release whose element lacks these names; None if nothing is."""
        names = (name for each in self.about for name in _listed(getattr(self, each)))
        return None if any(name in absent for name in names) else self

    def only_for(self, words: Collection[Any]) -> bool:
        """Whether it applies only with keywords that are among these: with these very members, as equal ones
        of other enumerations are others.
        """
        when = getattr(self, "when", None)
        if when is None or not when.values:
            return False
        return all(any(word is each for each in words) for word in when.values)

    def fault(self, values: Sequence[Any], names: Sequence[str]) -> str | None:
        """What is wrong with the values, or None. Missing values are None; ``names`` are for the message."""
        raise NotImplementedError


def _listed(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return names if isinstance(names, tuple) else (names,)


@dataclass(frozen=True, slots=True)
class Several(Rule):
    """A rule about names of which fewer are a rule as well."""

    about = ("names",)
    names: tuple[str, ...]

    def without(self, absent: Collection[str]) -> Rule | None:
        left = tuple(name for name in self.names if name not in absent)
        return self if left == self.names else replace(self, names=left) if left[1:] else None


@dataclass(frozen=True, slots=True)
class During(Rule):
    """A rule of some releases; the tables of one release have the rule itself."""

    about = ()
    rule: Rule
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class When:
    """True if an attribute's effective value is among some values or, without values, if it is given."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Exclusive(Several):
    """At most one of these attributes, explicit or from defaults; ``written``: on the element itself."""

    written: bool = False


@dataclass(frozen=True, slots=True)
class Together(Several):
    """All of these attributes or none."""


@dataclass(frozen=True, slots=True)
class OneOf(Several):
    """At least one of these attributes."""


@dataclass(frozen=True, slots=True)
class Requires(Rule):
    """If one attribute is given, the others must be given; ``written``: if it is on the element itself."""

    about = ("name", "needs")
    name: str
    needs: tuple[str, ...]
    written: bool = False


@dataclass(frozen=True, slots=True)
class Required(Rule):
    """An attribute must be given, explicitly or from defaults, if ``when`` and not ``unless`` holds.

    If it is only ``advised``, some readers require it and others use the default.
    """

    name: str
    unless: When | None = None
    advised: bool = False
    when: When | None = None


@dataclass(frozen=True, slots=True)
class Length(Rule):
    """Number of values of an attribute, by the effective value of another: member -> (minimum, maximum)."""

    name: str
    by: str
    sizes: Mapping[Any, tuple[int, int]]
    quantity: str = ""  # the format's name of that number


@dataclass(frozen=True, slots=True)
class Default(Rule):
    """The schema's default of an attribute, by the effective value of another: member -> value."""

    name: str
    by: str
    values: Mapping[Any, Any]
    notation: str = ""  # as in the format's specification, such as "0 ..."


@dataclass(frozen=True, slots=True)
class Ascending(Rule):
    """Each component of ``low`` is at most that of ``high``."""

    about = ("low", "high")
    code = "PB044"
    low: str
    high: str

    def fault(self, values: Sequence[Any], names: Sequence[str]) -> str | None:
        lows, highs = (value if isinstance(value, tuple) else (value,) for value in values)
        index = next((i for i, (a, b) in enumerate(zip(lows, highs, strict=False)) if a > b), None)
        if index is None:
            return None
        which = f" (value {index + 1}: {lows[index]:g} > {highs[index]:g})" if len(lows) > 1 else ""
        return f"{names[0]} is greater than {names[1]}{which}"


@dataclass(frozen=True, slots=True)
class Differ(Rule):
    """Two attributes must not be equal."""

    about = ("a", "b")
    code = "PB045"
    a: str
    b: str

    def fault(self, values: Sequence[Any], names: Sequence[str]) -> str | None:
        return f"{names[0]} and {names[1]} are equal; they must differ" if values[0] == values[1] else None


@dataclass(frozen=True, slots=True)
class Increasing(Rule):
    """The numbers of an attribute must not decrease."""

    code = "PB044"
    name: str

    def fault(self, values: Sequence[Any], names: Sequence[str]) -> str | None:
        falls = ((a, b) for a, b in pairwise(values[0]) if a > b)
        return next((f"{names[0]} must not decrease: {a:g} is followed by {b:g}" for a, b in falls), None)


@dataclass(frozen=True, slots=True)
class InOrder(Rule):
    """The keywords of an attribute are in the order of their enumeration, and differ; a single one is."""

    code = "PB018"
    name: str

    def fault(self, values: Sequence[Any], names: Sequence[str]) -> str | None:
        words = values[0]
        if not isinstance(words, tuple) or not words:
            return None
        order = list(words[0].__class__)
        right = sorted(dict.fromkeys(words), key=order.index)
        if list(words) == right:
            return None
        shown = " ".join(str(word.value) for word in right)
        return f"{names[0]} must have its keywords in this order, each once: `{shown}`"


@dataclass(frozen=True, slots=True)
class Multiple(Rule):
    """The number of values of an attribute is a multiple of a factor."""

    code = "PB017"
    name: str
    factor: int

    def fault(self, values: Sequence[Any], names: Sequence[str]) -> str | None:
        count = len(values[0])
        if count % self.factor == 0:
            return None
        return f"{names[0]} has {count} numbers, which is not a multiple of {self.factor}"


@dataclass(frozen=True, slots=True)
class UnitQuaternion(Rule):
    """Four components of an attribute, from ``start`` in this ``order``, have norm 1 within a tolerance.

    A norm of zero is always an error. Another norm is a warning if the value is ``normalised`` before use,
    otherwise an error.
    """

    name: str
    tolerance: float
    start: int = 0
    order: str = "wxyz"
    normalised: bool = True
    when: When | None = None


@dataclass(frozen=True, slots=True)
class Ignored(Rule):
    """These attributes, if given on the element itself, have no effect while ``when`` holds."""

    about = ("names",)
    names: tuple[str, ...]
    when: When


@dataclass(frozen=True, slots=True)
class Nonzero(Rule):
    """A vector has a direction, except where ``unless`` holds."""

    code = "PB046"
    name: str
    unless: When | None = None

    def fault(self, values: Sequence[Any], names: Sequence[str]) -> str | None:
        numbers = values[0] if isinstance(values[0], tuple) else (values[0],)
        return None if any(numbers) else f"{names[0]} is zero and has no direction"


@dataclass(frozen=True, slots=True)
class Inertia(Rule):
    """Six moments xx yy zz xy xz yz are those of a body: positive, none greater than the sum of the other
    two.
    """

    about = ("names",)
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deprecated(Rule):
    """An attribute or child, or some ``values`` of one, that not every reader of the format supports, and
    what to write instead.
    """

    name: str
    instead: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Graph(Rule):
    """The children with the tags ``edges`` connect names of a namespace and form no cycle.

    ``source`` and ``target`` say where in a child its two names are: `parent/@link`, `@name`. In a ``tree``,
    no name has two incoming edges, and there is one root.
    """

    about = ()
    namespace: str
    edges: tuple[str, ...]
    source: str
    target: str
    tree: bool = False
