"""A search for a number, such as Newton's method: one text, as a loop on every machine.

An Iteration says how it begins, while it runs and what a round does. Machines over tables make a loop of that
(m.repeat); in straight-line code it is a call of a C function with the loop, which iterated.py writes: the
rounds are not unrolled, and it ends when no state of a batch goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .scalars import Expr, where

State = Sequence[Any]
ITERATIONS: dict[str, Iteration] = {}
"""All of them, by name."""


@dataclass(frozen=True, eq=False)
class Iteration:
    """A search, as functions of scalars.

    Attributes:
        name: what C calls it.
        times: how many rounds at most.
        first: the state, a scalar or more, from the arguments.
        running: whether a state goes on.
        step: the next state, from a state that goes on and the arguments.
        result: what is found, from the last state.
        tangent: the result's derivative along a direction, from (result, arguments, their derivatives).
    """

    name: str
    times: int
    first: Callable[..., State]
    running: Callable[[State], Any]
    step: Callable[..., State]
    result: Callable[[State], Any]
    tangent: Callable[[Any, Sequence[Any], Sequence[Any]], Any]

    def __post_init__(self) -> None:
        ITERATIONS[self.name] = self

    def of_numbers(self, *args: float) -> Any:
        """What is found for plain numbers."""
        state = self.first(*args)
        for _ in range(self.times):
            if not self.running(state):
                break
            state = self.step(state, *args)
        return self.result(state)


def looped(m: Any, search: Iteration, *args: Any) -> Any:
    """What is found, by a loop of the machine."""
    state = search.first(*args)
    names = [f"s{k}" for k in range(len(state))]
    own = m.locals(**dict(zip(names, state, strict=True)))
    for _ in m.repeat(search.times):
        now = [getattr(own, name) for name in names]
        for _ in m.saving(search.running(now)):
            for name, x in zip(names, search.step(now, *args), strict=True):
                setattr(own, name, x)
    return search.result([getattr(own, name) for name in names])


def called(search: Iteration, *args: Any) -> Any:
    """What is found, as one node; the number where all arguments are known."""
    graph = next((a.graph for a in args if isinstance(a, Expr)), None)
    known = [a.value if isinstance(a, Expr) else a for a in args]
    if all(isinstance(x, (int, float)) for x in known):
        found = search.of_numbers(*known)
        return found if graph is None else graph.const(float(found))
    return graph.node("iterate", search, *[graph.lift(a) for a in args])  # type: ignore[union-attr]


def kept(going: Any, new: State, old: State) -> list[Any]:
    """The new state where it goes on, else the old one."""
    return [where(going, x, y) for x, y in zip(new, old, strict=True)]
