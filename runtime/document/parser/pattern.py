"""Patterns of schemas, matched in time linear in the text, whatever the pattern.

Python's own matching backtracks, which can take exponential time. It is used for patterns with almost no
choices. Others become an automaton whose states are created when a text first reaches them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MAX_CHOICES = 64
"""Maximum number of ways in which Python may try to match a text, apart from the length of one repetition."""
MAX_POSITIONS = 20_000
"""Maximum size of a pattern with its repetitions expanded."""
MAX_STATES = 5_000
"""Maximum number of cached states of an automaton."""
_ONE = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)
Fits = Callable[[str], bool]
"""A predicate for characters of a set."""


@cache
def matcher(pattern: str) -> Callable[[str], object]:
    """A predicate for whether a text as a whole matches a pattern.

    Raises:
        ValueError: the pattern has parts that schemas do not have, or is too long.
    """
    tree = parser.parse(pattern)
    if _choices(tree) <= MAX_CHOICES:
        return re.compile(pattern).fullmatch
    return Automaton(tree).matches


def _choices(tree: Any) -> float:
    """Number of ways in which parts of a pattern can be tried; one long repetition does not count."""
    total, repeats = 1.0, 0
    waiting = [tree]
    while waiting:
        for kind, value in waiting.pop():
            if kind is op.SUBPATTERN:
                waiting.append(value[3])
            elif kind is op.BRANCH:
                total *= len(value[1])
                waiting.extend(value[1])
            elif kind in _REPEATS:
                low, high, body = value
                if len(body) != 1 or body[0][0] not in _ONE:
                    return float("inf")
                if high != low:
                    repeats += high > 1
                    total *= 1 if high > 1 else 2
            elif kind not in _ONE:
                return float("inf")
    return total if repeats <= 1 else float("inf")


class Automaton:
    """A pattern as positions, each with a set of characters and its successor, or with other positions."""

    def __init__(self, tree: Any) -> None:
        self._fits: list[Fits | None] = []  # None: it leads on without a character
        self._next: list[tuple[int, ...]] = []
        self._end = self._add(None, ())
        self._start = self._sequence(tree, self._end, tree.state.flags)
        self._states: dict[frozenset[int], dict[str, Any]] = {}

    def matches(self, text: str) -> bool:
        """Whether a text as a whole matches."""
        positions = self._closure([self._start])
        state = self._state(positions)
        for character in text:
            following = state.get(character)
            if following is None:
                fits, after = self._fits, self._next
                reached = [after[p][0] for p in state[""] if (test := fits[p]) and test(character)]
                if not reached:
                    return False
                following = self._state(self._closure(reached))
                state[character] = following
            state = following
        return self._end in state[""]

    def _state(self, positions: frozenset[int]) -> dict[str, Any]:
        """The state for some positions: successors by character, and under "" the positions themselves."""
        found = self._states.get(positions)
        if found is None:
            if len(self._states) >= MAX_STATES:
                for state in self._states.values():
                    state.clear()  # positions refer to each other
                self._states.clear()
            found = self._states[positions] = {"": positions}
        return found

    def _closure(self, positions: Iterable[int]) -> frozenset[int]:
        """Positions with those reachable without a character; of these, the ones that consume one."""
        waiting = list(positions)
        seen = set(waiting)
        while waiting:
            position = waiting.pop()
            if self._fits[position] is None:
                for after in self._next[position]:
                    if after not in seen:
                        seen.add(after)
                        waiting.append(after)
        return frozenset(p for p in seen if self._fits[p] is not None or p == self._end)

    # --- construction ------------------------------------------------------------------------------------

    def _add(self, fits: Fits | None, after: tuple[int, ...]) -> int:
        if len(self._fits) >= MAX_POSITIONS:
            raise ValueError(f"a pattern of more than {MAX_POSITIONS:,} positions")
        self._fits.append(fits)
        self._next.append(after)
        return len(self._fits) - 1

    def _sequence(self, parts: Any, end: int, flags: int) -> int:
        """The first position of some parts that are followed by ``end``."""
        for kind, value in reversed(parts):
            if kind in _ONE:
                end = self._add(_fits(kind, value, flags), (end,))
            elif kind is op.SUBPATTERN:
                _, more, less, body = value
                end = self._sequence(body, end, (flags | more) & ~less)
            elif kind is op.BRANCH:
                end = self._add(None, tuple(self._sequence(body, end, flags) for body in value[1]))
            elif kind in _REPEATS:
                low, high, body = value
                end = self._repeated(low, high, body, end, flags)
            else:
                raise ValueError(f"a pattern with {kind}, which no schema has")
        return end

    def _repeated(self, low: int, high: int, body: Any, end: int, flags: int) -> int:
        """Repeated parts: first the required repetitions, then the optional ones."""
        if high is op.MAXREPEAT:
            loop = self._add(None, ())
            self._next[loop] = (self._sequence(body, loop, flags), end)
            first = loop
        else:
            first = end
            for _ in range(high - low):
                first = self._add(None, (self._sequence(body, first, flags), end))
        for _ in range(low):
            before = first
            first = self._sequence(body, first, flags)
            if first == before:  # an unlimited repetition of an empty part
                break
        return first


def _fits(kind: Any, value: Any, flags: int) -> Fits:
    """A predicate for whether a character is in a set."""
    if kind is op.LITERAL:
        return chr(value).__eq__
    if kind is op.NOT_LITERAL:
        return chr(value).__ne__
    if kind is op.ANY:
        return (lambda _: True) if flags & re.DOTALL else "\n".__ne__
    negated = value[0][0] is op.NEGATE
    ranges, tests = [], []
    for each, what in value[negated:]:
        if each is op.LITERAL:
            ranges.append((what, what))
        elif each is op.RANGE:
            ranges.append(what)
        elif each is op.CATEGORY:
            tests.append(re.compile(_CATEGORIES[what], flags & re.ASCII).match)
        else:
            raise ValueError(f"a pattern with {each}, which no schema has")

    def fits(character: str) -> bool:
        code = ord(character)
        inside = any(low <= code <= high for low, high in ranges) or any(test(character) for test in tests)
        return inside != negated

    return fits


_CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}
