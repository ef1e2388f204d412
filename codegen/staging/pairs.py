"""A function of the generic kernels for two cases at the same time, in the two halves of vector registers.

The text is that of one case, with pairs of numbers instead of numbers. Values that both cases share are
broadcast to both halves when read. So a second solution that differs in a few columns costs little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .emit import Helper
from .operations import ATOM
from .render import Address, Renderer, c_type, helper_text
from .scalars import Expr
from .value_classes import Value

PREFIX = "Twin"
PLAIN = frozenset(("+", "-", "*", "/", "neg", "const", "index", "param", "load", "part", "make", "call"))


def pair_type(type_: Any) -> str:
    """The name of a pair of a type in C; integers and conditions are not paired."""
    if isinstance(type_, str):
        return PREFIX if type_ == "real" else c_type(type_)
    return f"{PREFIX}{type_.__name__}"


def spread(type_: Any) -> str:
    """The C function that broadcasts a value to a pair."""
    return "both_real" if isinstance(type_, str) else f"both_{type_.__name__.lower()}"


def first(type_: Any) -> str:
    """The C function that extracts the first element of a pair."""
    return "first_real" if isinstance(type_, str) else f"first_{type_.__name__.lower()}"


@dataclass(frozen=True)
class Paired:
    """A function to convert to pairs, and its columns.

    Args:
        name: of the resulting function.
        inputs: columns that differ, and the corresponding columns of the second case.
        outputs: columns that it writes, and those of the second case; "" if none.
        shared: columns that both cases start with and change.
    """

    name: str
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    shared: tuple[str, ...]


class PairRenderer(Renderer):
    """Renders with pairs of numbers; `pairs` are the columns of pairs, `types` the types to broadcast."""

    def __init__(self, address: Address, taken: frozenset[str], pairs: frozenset[str]) -> None:
        super().__init__(address, taken)
        self.pairs = pairs
        self.types: dict[Any, None] = {}
        self.helpers: dict[str, Helper] = {}

    def c_type(self, type_: Any) -> str:
        return pair_type(type_)

    def helper(self, helper: Helper) -> str:
        self.helpers[helper.name] = helper
        return f"pair_{helper.name}"

    def raw(self, n: Expr) -> tuple[str, int]:
        text, level = super().raw(n)
        number = n.type == "real" or not isinstance(n.type, str)
        if not number:
            return text, level
        if n.op not in PLAIN:
            raise TypeError(f"the operation {n.op} is not made for pairs")
        own = n.op == "load" and (n.args[0].column.role == "local" or n.args[0].column.name in self.pairs)
        if n.op == "const" or (n.op == "load" and not own):
            self.types[n.type] = None
            return f"{spread(n.type)}({text})", ATOM
        return text, level


def pair_helpers(needed: Mapping[str, Helper]) -> tuple[list[list[str]], dict[Any, None]]:
    """Helpers for pairs as C functions, each after those that it calls itself, and the types that they
    broadcast.
    """
    texts: dict[str, list[str]] = {}
    types: dict[Any, None] = {}

    def add(helper: Helper) -> None:
        made: list[PairRenderer] = []

        def renderer(address: Address, taken: frozenset[str]) -> Renderer:
            made.append(PairRenderer(address, taken, frozenset()))
            return made[0]

        lines = helper_text(helper, set(), renderer)
        for name, inner in made[0].helpers.items():
            if name != helper.name and name not in texts:
                add(inner)
        types.update(made[0].types)
        texts[helper.name] = lines

    for name, helper in needed.items():
        if name not in texts:
            add(helper)
    return list(texts.values()), types


def pair_struct(value: type[Value]) -> list[str]:
    """The C struct of pairs of a class of values, and functions that broadcast a value and extract one."""
    parts = [(n, t) for n, t in value.types.items()]
    fields = " ".join(f"{pair_type(t or 'real')} {n};" for n, t in parts)
    own = pair_type(value)
    spreads = ", ".join(f"{spread(t or 'real')}(x.{n})" for n, t in parts)
    firsts = ", ".join(f"{first(t or 'real')}(x.{n})" for n, t in parts)
    return [
        f"typedef struct {{ {fields} }} {own};",
        f"INLINE {own} {spread(value)}({value.__name__} x) {{ return ({own}){{{spreads}}}; }}",
        f"INLINE {value.__name__} {first(value)}({own} x) {{ return ({value.__name__}){{{firsts}}}; }}",
    ]


def within(types: Mapping[Any, None]) -> list[type[Value]]:
    """Classes of values and of their components, each after those of its own components."""
    found: dict[type[Value], None] = {}

    def add(type_: Any) -> None:
        if isinstance(type_, str) or type_ in found:
            return
        for part in type_.types.values():
            if part:
                add(part)
        found[type_] = None

    for type_ in types:
        add(type_)
    return list(found)
