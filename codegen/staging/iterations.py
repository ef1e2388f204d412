"""An iterative method, such as Newton's: written once, executed as a loop on every machine.

An Iteration defines the initial state, the condition to continue, and one iteration. Machines over tables
execute it as a loop (m.repeat). In straight-line code it is a call of a C function with the loop, which
iterated.py writes: iterations are not unrolled, and the loop ends when no state of a batch continues.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .scalars import Expr, where

State = Sequence[Any]
ITERATIONS: dict[str, Iteration] = {}
"""All iterations by name."""


@dataclass(frozen=True, eq=False)
class Iteration:
    """An iterative method, as functions of scalars.

    Attributes:
        name: its name in C.
        times: the maximum number of iterations.
        first: the initial state, one or more scalars, from the arguments.
        running: whether a state continues.
        step: the next state, from a state that continues and the arguments.
        result: the result, from the last state.
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
        """The result for plain numbers."""
        state = self.first(*args)
        for _ in range(self.times):
            if not self.running(state):
                break
            state = self.step(state, *args)
        return self.result(state)


def looped(m: Any, search: Iteration, *args: Any) -> Any:
    """The result, by a loop of the machine."""
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
    """The result as one node; a number if all arguments are known."""
    graph = next((a.graph for a in args if isinstance(a, Expr)), None)
    known = [a.value if isinstance(a, Expr) else a for a in args]
    if all(isinstance(x, (int, float)) for x in known):
        found = search.of_numbers(*known)
        return found if graph is None else graph.const(float(found))
    return graph.node("iterate", search, *[graph.lift(a) for a in args])  # type: ignore[union-attr]


def kept(going: Any, new: State, old: State) -> list[Any]:
    """The new state if it continues, else the old one."""
    return [where(going, x, y) for x, y in zip(new, old, strict=True)]
