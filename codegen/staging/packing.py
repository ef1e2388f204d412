"""Isomorphic parts of a model are visited together: their scalars are vectors.

A humanoid's left and right arm take the same operations on different numbers, so one visit of both with
scalars of width 2 (see scalars.py) computes them at the cost of one. Algorithms need no changes. Iterators
yield *rows* for isomorphic subtrees, otherwise numbers. Reading a table by rows joins its entries, and
storing by rows separates them again, so that single subtrees can be read.

A visit of rows is a *round*. In it, whatever the subtrees share, such as a row of the trunk or a variable
from before the round, may only be read and added to: each subtree adds its own contribution. Anything else
raises PackingError.

An algorithm may also traverse the model once for two *cases*, two solutions that differ in a few columns.
Then the scalar of one row is a pair, and that of rows is a sequence of pairs.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from .pairs import Paired
from .scalars import Expr, Several, join, lane, pick, total
from .specialise import Cells, Specialise

CASES = 2
"""Number of solutions computed at the same time."""


class PackingError(Exception):
    """An algorithm is not suited for visiting subtrees together."""


class Rows:
    """Row indices, one for each of the subtrees visited together."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = tuple(numbers)

    def __repr__(self) -> str:
        return f"Rows{self.numbers}"

    def __add__(self, other: Any) -> Any:
        return each(lambda a, b: a + b, self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return each(lambda a, b: a - b, self, other)

    def __lt__(self, other: Any) -> bool:
        return agreed(each(lambda a, b: a < b, self, other))

    def __gt__(self, other: Any) -> bool:
        return agreed(each(lambda a, b: a > b, self, other))

    def __le__(self, other: Any) -> bool:
        return agreed(each(lambda a, b: a <= b, self, other))

    def __ge__(self, other: Any) -> bool:
        return agreed(each(lambda a, b: a >= b, self, other))

    def __eq__(self, other: object) -> bool:
        return agreed(each(lambda a, b: a == b, self, other))

    def __hash__(self) -> int:
        return hash(self.numbers)


def together(numbers: Sequence[int]) -> Any:
    """Rows, or a single index if all are equal."""
    return numbers[0] if all(n == numbers[0] for n in numbers) else Rows(numbers)


def each(f: Callable[[Any, Any], Any], a: Rows, b: Any) -> Any:
    others = b.numbers if isinstance(b, Rows) else (b,) * len(a.numbers)
    return together([f(x, y) for x, y in zip(a.numbers, others, strict=True)])


def agreed(answer: Any) -> bool:
    if isinstance(answer, Rows):
        raise PackingError("limbs visited together would take different branches")
    return bool(answer)


class Packed(Specialise):
    """Specialises with subtrees visited together, after pack() has selected them."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.groups: dict[str, list[Any]] = {}
        self.width = 1  # of the round
        self.solutions = 1
        self.stored: set[str] = set()  # columns stored while there are several cases

    def pack(
        self, limbs: Iterable[Sequence[int]], alike: Mapping[str, Iterable[Sequence[int]]] | None = None
    ) -> None:
        """Visit the links of each sequence together: they have the same joint and are attached to one link or
        to a sequence.

        `alike` has other rows that take the same branches, by axis.
        """
        first = {links[0]: tuple(links) for links in limbs}
        others = {k for links in first.values() for k in links[1:]}
        links = [first.get(k, (k,)) for k in range(1, self.rows["link"]) if k not in others]
        bodies: dict[int, list[int]] = {}
        for b in range(1, self.rows["body"]):
            bodies.setdefault(self.index("body_linkid", b), []).append(b)
        above = {axis: self.model[f"{axis}_parentid"].tolist() for axis in ("link", "dof", "body")}
        self.groups = {
            "link": [together(g) for g in ordered(links, above["link"])],
            "dof": rounds(links, spans(self.model["link_dofadr"], self.rows["dof"]), above["dof"]),
            "q": rounds(links, spans(self.model["link_qposadr"], self.rows["q"])),
            "body": rounds([(0,), *links], bodies, above["body"]),
        }
        for axis, groups in (alike or {}).items():
            begun = {rows[0]: together(rows) for rows in groups}
            later = {row for rows in groups for row in rows[1:]}
            self.groups[axis] = [begun.get(row, row) for row in range(self.rows[axis]) if row not in later]

    def column(self, name: str) -> Cells:
        return PackedCells(self, name)

    def index(self, column: str, row: Any) -> Any:
        if isinstance(row, Rows):
            return together([super(Packed, self).index(column, r) for r in row.numbers])
        return super().index(column, row)

    def visit(self, axis: str, every: Iterable[int], backward: bool = False) -> Iterator[Any]:
        """Rounds over an axis; within a round, one by one."""
        if self.width > 1 or axis not in self.groups:
            yield from every
            return
        rows = self.groups[axis]
        for k in reversed(rows) if backward else rows:
            self.width = len(k.numbers) if isinstance(k, Rows) else 1
            try:
                yield k
            finally:
                self.width = 1

    def links(self, backward: bool = False) -> Iterable[Any]:
        return self.visit("link", super().links(backward), backward)

    def joints(self, b: Any, backward: bool = False) -> Iterable[Any]:
        if isinstance(self.index("body_jntnum", b), Rows):
            raise PackingError("bodies visited together have as many joints")
        return super().joints(b, backward)

    def dofs(self, k: Any = None, backward: bool = False) -> Iterable[Any]:
        every = super().dofs(k, backward)
        return every if k is not None else self.visit("dof", every, backward)

    def rows_of(self, axis: str, first: Any = 0, count: Any = None) -> Iterable[Any]:
        if isinstance(count, Rows):
            raise PackingError("what is visited together has as many rows")
        if isinstance(first, Rows):
            return (first + n for n in range(count))
        return super().rows_of(axis, first, count)

    def chain(self, first: Any, last: Any) -> Iterable[Any]:
        length = last + 1 - first
        if isinstance(length, Rows):
            raise PackingError("chains visited together are as long")
        return (first + n for n in range(length))

    def alike(self, axis: str) -> Iterable[Any]:
        return self.visit(axis, super().alike(axis))

    def coordinates(self) -> Iterable[Any]:
        return self.visit("q", super().coordinates())

    def bodies(self, backward: bool = False) -> Iterable[Any]:
        return self.visit("body", super().bodies(backward), backward)

    def locals(self, **first: Any) -> Any:
        return Locals(self, first)

    def both(self, algorithm: Callable[..., None], paired: Paired) -> None:
        """Call an algorithm for two cases at once."""
        t = self.tables
        for name, other in paired.inputs.items():
            mine, others = getattr(t, name), getattr(t, other)
            for row in mine.rows:
                mine.rows[row] = self.beside([mine.load(row), others.load(row)])
        self.solutions, self.stored = CASES, set(paired.inputs)
        try:
            self.call(algorithm)
        finally:
            self.solutions = 1
        for name in sorted(self.stored):
            rows = getattr(t, name).rows
            second = paired.outputs.get(name)
            for row, x in rows.items():
                if second:
                    getattr(t, second)[row] = self.part(x, (1,))
                rows[row] = self.part(x, (0,))

    def beside(self, items: Sequence[Any]) -> Any:
        """Scalars or values joined."""
        if hasattr(items[0], "beside"):
            return items[0].beside(items, self.beside)
        if any(isinstance(x, Expr) and x.width > 1 for x in items):
            joined = join(*[lane(x, k) for x in items for k in range(self.solutions)])
        else:
            joined = self.part(join(*items), [k for k in range(len(items)) for _ in range(self.solutions)])
        return self.graph.lift(joined) if isinstance(joined, Several) else joined

    def part(self, x: Any, places: Sequence[int]) -> Any:
        """Some elements of a joined scalar or value."""
        if hasattr(x, "mapped"):
            return x.mapped(lambda scalar: self.part(scalar, places))
        return pick(x, tuple(places))

    def apart(self, x: Any, k: int) -> Any:
        """One subtree's elements of a scalar or value."""
        return self.part(x, range(k * self.solutions, (k + 1) * self.solutions))

    def repeated(self, x: Any) -> Any:
        """What the subtrees of a round share, repeated for each of them."""
        return self.part(x, [*range(self.solutions)] * self.width) if self.solutions > 1 else x

    def added(self, old: Any, value: Any) -> Any:
        """The sum of a shared scalar or value `old` and the increments of all subtrees, of which each
        computed `value` from it.
        """
        if hasattr(value, "mapped"):
            scalars = iter([self.added(a, b) for a, b in zip(old.flat(), value.flat(), strict=True)])
            return type(value).unflat(scalars)
        more = increase(self.repeated(old), value)
        if self.solutions == 1 or not isinstance(more, Expr) or more.width == 1:
            return old + total(more, self.width)
        return functools.reduce(operator.add, [self.apart(more, k) for k in range(self.width)], old)


def spans(first: Any, end: int) -> dict[int, list[int]]:
    """The consecutive rows of each link, given their starts; link 0 has none."""
    starts = sorted({int(x) for x in first[1:]})
    length = dict(zip(starts, [*starts[1:], end], strict=True))
    return {k: list(range(int(first[k]), length[int(first[k])])) for k in range(1, len(first))}


def rounds(
    links: Sequence[Sequence[int]], rows: Mapping[int, Sequence[int]], above: Sequence[int] = ()
) -> list[Any]:
    """The rows of links, those of links visited together grouped where they are as many; see ordered()."""
    out: list[tuple[int, ...]] = []
    for group in links:
        lists = [rows.get(k, ()) for k in group]
        if len({len(x) for x in lists}) == 1:
            out += zip(*lists, strict=True)
        else:
            out += [(r,) for x in lists for r in x]
    return [together(g) for g in ordered(out, above)]


def ordered(groups: Iterable[Sequence[int]], above: Sequence[int] = ()) -> list[tuple[int, ...]]:
    """Groups of rows such that every row comes after its parent, and in the reverse order after its children.

    Of these orders, the one that is closest to that of the first row of each. A group is split into its rows
    where there is no such order, or where only some of its rows have the same parent: the round adds up what
    all rows of a group add to one row, or stores one row for each.

    Args:
        groups: each row in one group.
        above: the parent of each row; one that is in no group comes before all rows. None: any order will do.

    Raises:
        PackingError: a row is above itself.
    """
    left: list[tuple[int, ...]] = []
    for group in groups:
        common = len({above[r] for r in group}) if above else 1
        left += [tuple(group)] if common in (1, len(group)) else [(r,) for r in group]
    left.sort()
    if not above:
        return left
    missing = {r for group in left for r in group}
    out: list[tuple[int, ...]] = []
    while left:
        ready = next((g for g in left if missing.isdisjoint(above[r] for r in g)), None)
        if ready is None:
            whole = next((g for g in left if len(g) > 1), None)
            if whole is None:
                raise PackingError(f"rows {left} are above themselves")
            left.remove(whole)
            left = sorted([*left, *((r,) for r in whole)])
        else:
            left.remove(ready)
            missing.difference_update(ready)
            out.append(ready)
    return out


def increase(old: Any, value: Any) -> Any:
    """value - old, for a value computed by adding to or subtracting from old.

    Raises:
        PackingError: it was not.
    """
    if not isinstance(old, Expr) or old.value is not None:
        return value - old
    if value is old:
        return 0.0
    if isinstance(value, Expr) and value.op in ("+", "-"):
        a, b = value.args
        if a is old:
            return b if value.op == "+" else -b
        if b is old and value.op == "+":
            return a
        if (
            b.value is not None
            and old.op in ("+", "-")
            and old.args[0] is a
            and old.args[1].value is not None
        ):
            before = old.args[1] if old.op == "+" else -old.args[1]
            return (b if value.op == "+" else -b) - before
    if old.op == "neg" and isinstance(value, Expr):
        taken = increase(old.args[0], -value)
        return -taken
    raise PackingError("limbs visited together may only add to what they share")


class Locals(SimpleNamespace):
    """Variables of an algorithm; those from before a round may only be added to in it."""

    def __init__(self, machine: Packed, first: dict[str, Any]) -> None:
        self.__dict__.update(first)
        self.__dict__["_machine"], self.__dict__["_width"] = machine, machine.width

    def __setattr__(self, name: str, value: Any) -> None:
        shared = self._machine.width > self._width
        if shared and self._machine.solutions > 1:
            raise PackingError("limbs visited together have variables of their own where there are two cases")
        self.__dict__[name] = self._machine.added(self.__dict__[name], value) if shared else value


class PackedCells(Cells):
    """A column that may be read and stored by rows."""

    machine: Packed

    def __getitem__(self, key: Any) -> Any:
        row = self.row(key)
        if not isinstance(row, Rows):
            return self.machine.repeated(self.load(row))
        items = [self.load(r) for r in row.numbers]
        return together(items) if isinstance(items[0], int) else self.machine.beside(items)

    def __setitem__(self, key: Any, value: Any) -> None:
        row = self.row(key)
        self.machine.stored.add(self.name)
        if isinstance(row, Rows):
            if len(set(row.numbers)) < len(row.numbers):
                raise PackingError(
                    f"limbs visited together would store the rows {row.numbers} of {self.name}"
                )
            for k, r in enumerate(row.numbers):
                self.rows[r] = self.machine.apart(value, k)
        elif self.machine.width == 1:
            self.rows[row] = value
        elif row in self.rows:
            self.rows[row] = self.machine.added(self.rows[row], value)
        else:
            raise PackingError(f"limbs visited together would all store row {row} of {self.name}")
