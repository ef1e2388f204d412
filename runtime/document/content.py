"""Children of an element against its content model, by derivatives of regular expressions.

The derivative of a model by a tag is the model of what may follow that tag (Brzozowski, Derivatives of
regular expressions, J. ACM 11, 1964). Derivatives are cached, so that a child costs one table lookup.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from polybody.base import UNBOUNDED, Node, One, Parts, Untyped

MAX_STATES = 20_000
"""Maximum number of cached derivatives of one model."""
MAX_BRANCHES = 200
"""Maximum number of alternatives of one derivative."""


class Misplaced(NamedTuple):
    """The first child that is not allowed in its place, or the number of children if one is missing at the
    end.

    Attributes:
        place: index of the child among all children.
        expected: the tags that are allowed there.
        complete: whether the element may also end there.
    """

    place: int
    expected: tuple[str, ...]
    complete: bool


class TooComplex(Exception):
    """A content model is so ambiguous that it cannot be checked."""


def misplaced(content: Parts | One, children: Iterable[Node]) -> Misplaced | None:
    """The place where children do not match a content model; None if they do.

    Raises:
        TooComplex: the model is too ambiguous.
    """
    machine = _machine(content)
    state, index = machine.start, -1
    for index, child in enumerate(children):
        tag = "*" if isinstance(child, Untyped) else child.TAG
        if tag == "*" and "*" not in machine.tags:
            continue  # allowed anywhere, by an open content model
        following = machine.after(state, tag)
        if following is None:
            return Misplaced(index, machine.first(state), machine.complete(state))
        state = following
    if machine.complete(state):
        return None
    return Misplaced(index + 1, machine.first(state), False)


# Expressions are tuples: ("tag", name), ("then", a, b), ("or", frozenset), ("times", a, low, high).
_Expression = tuple[Any, ...]
_EMPTY: _Expression = ("then",)
_NOTHING: _Expression = ("or", frozenset())


class _Machine:
    """The states of one content model, created when they are reached."""

    def __init__(self, content: Parts | One) -> None:
        self.tags = _tags(content)
        self._states: dict[_Expression, int] = {}
        self._expressions: list[_Expression] = []
        self._next: dict[tuple[int, str], int | None] = {}
        self._model = _expression(content)
        self.start = self._state(self._model)

    def _state(self, expression: _Expression) -> int:
        number = self._states.get(expression)
        if number is None:
            number = self._states[expression] = len(self._expressions)
            self._expressions.append(expression)
        return number

    def after(self, state: int, tag: str) -> int | None:
        """The state after a tag; None if the tag is not allowed."""
        key = state, tag
        if key not in self._next:
            derived = _derivative(self._expressions[state], tag)
            if len(self._expressions) > MAX_STATES:
                self._forget(self._expressions[state])
                key = self._state(self._expressions[-1]), tag
            self._next[key] = None if derived == _NOTHING else self._state(derived)
        return self._next[key]

    def _forget(self, current: _Expression) -> None:
        """Clear the cache, except the initial state and the current one."""
        self._states, self._expressions, self._next = {}, [], {}
        self._state(self._model)
        self._state(current)

    def first(self, state: int) -> tuple[str, ...]:
        """The tags that are allowed in a state, in the order of the model."""
        return tuple(tag for tag in self.tags if self.after(state, tag) is not None)

    def complete(self, state: int) -> bool:
        """Whether the element may end in a state."""
        return _nullable(self._expressions[state])


@cache
def _machine(content: Parts | One) -> _Machine:
    return _Machine(content)


def _tags(content: Parts | One) -> dict[str, None]:
    found: dict[str, None] = {}
    waiting = [content]
    while waiting:
        part = waiting.pop()
        if isinstance(part, One):
            found[part.tag] = None
        else:
            waiting += reversed(part.parts)
    return found


def _expression(content: Parts | One) -> _Expression:
    if isinstance(content, One):
        return _times(("tag", content.tag), content.low, content.high)
    parts = [_expression(part) for part in content.parts]
    if content.choice:
        return _times(_or(parts), content.low, content.high)
    whole = _EMPTY
    for part in reversed(parts):
        whole = _then(part, whole)
    return _times(whole, content.low, content.high)


def _then(a: _Expression, b: _Expression) -> _Expression:
    if _NOTHING in (a, b):
        return _NOTHING
    if a == _EMPTY:
        return b
    return a if b == _EMPTY else ("then", a, b)


def _or(parts: Iterable[_Expression]) -> _Expression:
    found: set[_Expression] = set()
    for part in parts:
        found |= part[1] if part[0] == "or" else {part}
    if len(found) > MAX_BRANCHES:
        raise TooComplex
    return next(iter(found)) if len(found) == 1 else ("or", frozenset(found))


def _times(part: _Expression, low: int, high: int) -> _Expression:
    if high == 0 or part == _EMPTY:
        return _EMPTY
    if part == _NOTHING:
        return _EMPTY if low == 0 else _NOTHING
    if _nullable(part):
        low = 0
    if part[0] == "times" and part[2] <= 1:  # every number between the two products is possible
        _, part, inner_low, inner_high = part
        low, high = low * inner_low, UNBOUNDED if UNBOUNDED in (high, inner_high) else high * inner_high
    return part if low == high == 1 else ("times", part, low, min(high, UNBOUNDED))


def _nullable(expression: _Expression) -> bool:
    if expression[0] == "tag":
        return False
    if expression[0] == "or":
        return any(map(_nullable, expression[1]))
    if expression[0] == "times":
        return bool(expression[2] == 0)
    return all(map(_nullable, expression[1:]))


def _derivative(expression: _Expression, tag: str) -> _Expression:
    kind = expression[0]
    if kind == "tag":
        return _EMPTY if expression[1] == tag else _NOTHING
    if kind == "or":
        return _or(_derivative(part, tag) for part in expression[1])
    if kind == "times":
        _, part, low, high = expression
        fewer = high if high == UNBOUNDED else high - 1
        return _then(_derivative(part, tag), _times(part, max(low - 1, 0), fewer))
    if expression == _EMPTY:
        return _NOTHING
    _, first, rest = expression
    begun = _then(_derivative(first, tag), rest)
    return _or((begun, _derivative(rest, tag))) if _nullable(first) else begun
