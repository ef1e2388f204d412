"""Conditions on flags: decision diagrams. Two that are true in the same cases are the same object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

Condition = Any
"""True, False, or a Branch."""


class Branch:
    """A condition that depends on a flag: one for each of its values."""

    __slots__ = ("flag", "outcomes")

    def __init__(self, flag: str, outcomes: tuple[Condition, ...]) -> None:
        self.flag, self.outcomes = flag, outcomes


class Conditions:
    """Conditions on some flags.

    Args:
        values: the number of values of each flag, which are 0, 1, 2...
    """

    def __init__(self, values: Mapping[str, int]) -> None:
        self.values = values
        self.rank = {flag: n for n, flag in enumerate(values)}
        self.branch = cache(self._branch)
        self.both = cache(self._both)
        self.opposite = cache(self._opposite)

    def where(
        self, flags: frozenset[str], holds: Callable[[Mapping[str, int]], bool], **known: int
    ) -> Condition:
        """A condition given as a function of the values of some flags."""
        open_flags = sorted(flags.difference(known), key=self.rank.__getitem__)
        if not open_flags:
            return bool(holds(known))
        flag = open_flags[0]
        outcomes = (self.where(flags, holds, **known, **{flag: n}) for n in range(self.values[flag]))
        return self.branch(flag, tuple(outcomes))

    def is_value(self, flag: str, value: int) -> Condition:
        return self.where(frozenset((flag,)), lambda known: known[flag] == value)

    def either(self, a: Condition, b: Condition) -> Condition:
        return self.opposite(self.both(self.opposite(a), self.opposite(b)))

    def implies(self, a: Condition, b: Condition) -> bool:
        """Whether b is true wherever a is."""
        return self.both(a, self.opposite(b)) is False

    def example(self, condition: Condition) -> dict[str, int]:
        """Values of flags for which a condition is true; none of the others matters."""
        found: dict[str, int] = {}
        while condition is not True:
            n = next(n for n, outcome in enumerate(condition.outcomes) if outcome is not False)
            found[condition.flag], condition = n, condition.outcomes[n]
        return found

    def _branch(self, flag: str, outcomes: tuple[Condition, ...]) -> Condition:
        return outcomes[0] if all(x is outcomes[0] for x in outcomes) else Branch(flag, outcomes)

    def _both(self, a: Condition, b: Condition) -> Condition:
        if a is False or b is False:
            return False
        if a is True or a is b:
            return b
        if b is True:
            return a
        flag = min(a.flag, b.flag, key=self.rank.__getitem__)
        parts = [x.outcomes if x.flag == flag else (x,) * self.values[flag] for x in (a, b)]
        return self.branch(flag, tuple(self.both(x, y) for x, y in zip(*parts, strict=True)))

    def _opposite(self, a: Condition) -> Condition:
        if isinstance(a, bool):
            return not a
        return self.branch(a.flag, tuple(self.opposite(x) for x in a.outcomes))
