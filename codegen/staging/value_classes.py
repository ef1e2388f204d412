"""Values: small named tuples of scalars (a vector, an inertia), in terms of which kernels are written.

A value has components (numbers, traced scalars or smaller values) or, in a symbolic graph, is a single node.
Then accessing a component creates a node, and calling an @operation creates a call, which the emitter writes
as a C function.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Self, TypeVar

from .scalars import Expr, Graph

Scalar = Any  # a float, or a traced scalar
F = TypeVar("F", bound=Callable[..., Any])


class Value:
    """A value of several components, in the order of the class's annotations.

    A component's annotation is a class of values, or any other type for a scalar.
    """

    types: ClassVar[dict[str, type[Value] | None]] = {}
    size: ClassVar[int] = 0

    def __init_subclass__(cls) -> None:
        hints = typing.get_type_hints(cls)
        own = list(inspect.get_annotations(cls))
        cls.types = {n: h if isinstance(h := hints[n], type) and issubclass(h, Value) else None for n in own}
        cls.size = sum(t.size if t else 1 for t in cls.types.values())
        for k, n in enumerate(own):
            setattr(cls, n, property(functools.partial(_part, k, n)))

    def __init__(self, *parts: Any) -> None:
        if len(parts) != len(self.types):
            raise TypeError(f"{type(self).__name__} has {len(self.types)} parts, not {len(parts)}")
        self.parts: tuple[Any, ...] | None = parts
        self.node: Expr | None = None

    @classmethod
    def of_node(cls, node: Expr) -> Self:
        value = cls.__new__(cls)
        value.parts, value.node = None, node
        return value

    @classmethod
    def zero(cls) -> Self:
        return cls.unflat(iter([0.0] * cls.size))

    @classmethod
    def unflat(cls, scalars: Iterator[Any]) -> Self:
        return cls(*[t.unflat(scalars) if t else next(scalars) for t in cls.types.values()])

    def flat(self) -> list[Any]:
        """Its scalars."""
        out: list[Any] = []
        for n in self.types:
            part = getattr(self, n)
            out += part.flat() if isinstance(part, Value) else [part]
        return out

    def mapped(self, f: Callable[[Any], Any]) -> Self:
        """The value with f applied to its scalars."""
        return self.unflat(iter([f(x) for x in self.flat()]))

    @classmethod
    def beside(cls, values: Sequence[Self], join: Callable[[Sequence[Any]], Any]) -> Self:
        """Values joined: their scalars joined."""
        return cls.unflat(iter([join(scalars) for scalars in zip(*[v.flat() for v in values], strict=True)]))

    def graph(self) -> Graph | None:
        """The graph to which it belongs; None for numbers, even if they once were components of a node."""
        if self.parts is None:
            assert self.node is not None
            return self.node.graph
        return next((g for g in map(graph_of, self.parts) if g is not None), None)

    def __repr__(self) -> str:
        return f"{type(self).__name__}{tuple(self.flat())}"


def _part(k: int, name: str, value: Value) -> Any:
    return value.parts[k] if value.parts is not None else part(value.node, name)


def part(node: Expr | None, name: str) -> Any:
    assert node is not None
    types = node.type.types
    if node.op == "make":
        return wrap(node.args[list(types).index(name)])
    return wrap(node.graph.node("part", node, name, type=types[name] or "real"))


def wrap(node: Expr) -> Any:
    """A node with the interface that algorithms use: a value if its type is a class of values, else the
    scalar.
    """
    return node if isinstance(node.type, str) else node.type.of_node(node)


def graph_of(x: Any) -> Graph | None:
    if isinstance(x, Expr):
        return x.graph
    return x.graph() if isinstance(x, Value) else None


def operation(f: F) -> F:
    """A function of values that is a call in a symbolic graph."""

    @functools.wraps(f)
    def call(*args: Any) -> Any:
        if not Graph.symbolic_ones:
            return f(*args)
        graph = next((g for g in map(graph_of, args) if g is not None), None)
        if graph is None or not graph.symbolic:
            return f(*args)
        return graph.call(f, args)  # type: ignore[attr-defined]

    return call  # type: ignore[return-value]


class Linear(Value):
    """Values that are added and scaled componentwise."""

    @operation
    def __add__(a, b: Self) -> Self:
        return type(a)(*[x + y for x, y in _pairs(a, b)])

    @operation
    def __sub__(a, b: Self) -> Self:
        return type(a)(*[x - y for x, y in _pairs(a, b)])

    @operation
    def __neg__(a) -> Self:
        return type(a)(*[-getattr(a, n) for n in a.types])

    @operation
    def __mul__(a, s: Scalar) -> Self:
        return type(a)(*[getattr(a, n) * s for n in a.types])


def _pairs(a: Value, b: Value) -> list[tuple[Any, Any]]:
    return [(getattr(a, n), getattr(b, n)) for n in a.types]
