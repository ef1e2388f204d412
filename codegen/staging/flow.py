"""Which columns of a simulation traced algorithms read and write, and whether what they read has been
computed.

A column counts as computed even if an algorithm stores only some of its rows, or only rows of a certain kind.
Branches on flags of the Model count exactly: what is stored only if a flag is set, nothing may read unless it
is set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .calls import SINES, STAGES
from .conditions import Condition, Conditions
from .emit import Item, Region
from .operations import OPERATIONS
from .scalars import Expr, below

OPAQUE = {**STAGES, "sines": SINES}
CONSTRAINED = "opt_constrained"
"""The flag without which stages of the solver do nothing."""


@dataclass(frozen=True)
class Missing:
    """A column that is read before it is computed.

    Attributes:
        column: its name.
        path: the kernel, and algorithms, each called by the one before; the last one reads the column.
        cases: the classes of the cases in which it does.
        read: where it is read.
        computed: where it has been computed.
    """

    column: str
    path: tuple[str, ...]
    cases: tuple[Any, ...]
    read: Condition
    computed: Condition


@dataclass
class Visit:
    """What is known at a place of a trace; `carried` are the rows that enclosing loops store, by column."""

    path: tuple[str, ...]
    where: Condition
    cases: tuple[Any, ...] = ()
    carried: tuple[Mapping[str, Collection[Expr]], ...] = ()


class Flow:
    """The flow of columns through algorithms.

    Attributes:
        reads, writes: the columns that each algorithm itself reads or writes, and not others that it calls.

    Args:
        traces: the statements of each algorithm, by name.
        axes: the axis of each column.
        kept: columns that may be read before they are computed.
        signals: flags that are not 0 if an axis has rows, by axis.
        values: the possible values of flags; of others, all numbers up to those with which they are compared.
    """

    def __init__(
        self,
        traces: Mapping[str, Region],
        axes: Mapping[str, str],
        kept: Collection[str] = (),
        signals: Mapping[str, Sequence[str]] | None = None,
        values: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        self.axes, self.kept, self.signals, values = axes, kept, signals or {}, values or {}
        self.traces, self.calls = traces, {name: called(top) for name, top in traces.items()}
        self.steps = {name: steps(top) for name, top in traces.items()}
        self.writes = {name: frozenset(written(top)) for name, top in traces.items()}
        self.reads = {name: frozenset(read(found)) for name, found in self.steps.items()}
        ends = dict.fromkeys(values, 1)
        for condition in (item.fields["on"] for top in traces.values() for item in branches(top)):
            if self.is_flagged(condition):
                most = max([int(n.value) for n in below([condition]) if n.op == "const"], default=0)
                ends |= {flag: max(ends.get(flag, 1), most) for flag in flags(condition)}
        ends |= {flag: max(known) for flag, known in values.items()}
        signalling = (flag for found in self.signals.values() for flag in found)
        ends = dict.fromkeys((*signalling, CONSTRAINED), 1) | ends
        self.conditions = Conditions({flag: ends[flag] + 1 for flag in sorted(ends)})
        self.possible: Condition = True
        for flag, known in values.items():
            self.assume(*(self.conditions.is_value(flag, n) for n in known))

    def assume(self, *alternatives: Condition) -> None:
        """One of these conditions always holds."""
        found: Condition = False
        for condition in alternatives:
            found = self.conditions.either(found, condition)
        self.possible = self.conditions.both(self.possible, found)

    def relate(self, names: Sequence[str], holds: Callable[..., bool]) -> Condition:
        """A condition given as a function of the values of some flags."""
        return self.conditions.where(frozenset(names), lambda known: holds(*(known[name] for name in names)))

    def set(self, *names: str) -> Condition:
        """All of these flags are set: their number is not 0."""
        found: Condition = True
        for flag in names:
            unset = self.conditions.is_value(flag, 0)
            found = self.conditions.both(found, self.conditions.opposite(unset))
        return found

    def example(self, condition: Condition) -> dict[str, int]:
        """Values of a few flags for which a condition is true."""
        found = self.conditions.example(condition)
        for name in tuple(found):
            others = {other: n for other, n in found.items() if other != name}
            known = self.possible
            for other, n in others.items():
                known = self.conditions.both(known, self.conditions.is_value(other, n))
            if self.conditions.implies(known, condition):
                found = others
        return found

    def is_flagged(self, condition: Expr) -> bool:
        """Whether a condition depends on flags only: numbers of the Model, or of a caller."""
        every = below([condition])
        loads = [n for n in every if n.op == "load"]
        return (
            bool(loads)
            and all(n.op in ("load", "const") or n.op in OPERATIONS for n in every)
            and all(n.args[0].column.axis == "one" and n.args[0].column.integer for n in loads)
        )

    def reads_of_case(self, kind: Any) -> frozenset[str]:
        """The columns that algorithms read in the cases of a class."""
        inside = (
            (name, inner.id)
            for name, top in self.traces.items()
            for region in regions(top)
            if region.label is kind
            for inner in regions(region)
        )
        return frozenset(column for name, n in inside for column in read({n: self.steps[name][n]}))

    def opaque(self, name: str) -> frozenset[str]:
        """The hand-written functions that an algorithm and all that it calls call."""
        calls = self.calls[name]
        own = frozenset(inner for inner in calls if inner in OPAQUE)
        return own.union(*(self.opaque(inner) for inner in calls if inner not in OPAQUE))

    def missing(
        self,
        kernel: str,
        before: Sequence[str] = (),
        cases: Mapping[Any, Condition] | None = None,
        where: Condition = True,
    ) -> list[Missing]:
        """What a kernel reads that has not been computed.

        Args:
            kernel: its name.
            before: kernels that run before it.
            cases: what is true if a Model has a row of a case, by the class of the case. Other classes may
                state flags that are set then, as `flags`.
            where: what is true of Models for which the kernel runs.
        """
        run = Run(self, cases or {})
        known = self.conditions.both(self.possible, where)
        for name in before:
            run.algorithm(name, Visit((name,), known))
        run.found.clear()
        run.algorithm(kernel, Visit((kernel,), known))
        return run.found


class Run:
    """One kernel: where each column has been computed so far, and what was missing."""

    def __init__(self, flow: Flow, cases: Mapping[Any, Condition]) -> None:
        self.flow, self.cases = flow, cases
        self.computed: dict[str, Condition] = {}
        self.found: list[Missing] = []

    def algorithm(self, name: str, visit: Visit) -> None:
        self.region(self.flow.steps[name], 0, visit)

    def region(self, found: Mapping[int, Sequence[Expr | Item]], region: int, visit: Visit) -> None:
        for step in found[region]:
            if isinstance(step, Expr):
                self.load(step.args[0].column.name, visit, step.args[1])
            elif step.op == "store":
                self.store(step.fields["table"].column.name, visit)
            elif step.op == "call":
                self.call(step.fields["function"], visit)
            else:
                self.branch(found, step, visit)

    def branch(self, found: Mapping[int, Sequence[Expr | Item]], item: Item, visit: Visit) -> None:
        """The statements in a loop, or in the cases of a branch."""
        conditions = self.flow.conditions
        for inner in item.regions:
            where, cases, carried = visit.where, visit.cases, visit.carried
            on: Any = item.fields.get("on")
            if item.op == "if" and self.flow.is_flagged(on):
                where = conditions.both(where, conditions.where(flags(on), truth(on)))
            elif item.op == "switch":
                known = self.cases.get(inner.label, self.flow.set(*getattr(inner.label, "flags", ())))
                where = conditions.both(where, known)
                cases = (*cases, inner.label)
            elif item.op == "loop":
                carried = (*carried, stored_rows(inner))
            if where is not False:
                self.region(found, inner.id, Visit(visit.path, where, cases, carried))

    def call(self, name: str, visit: Visit) -> None:
        path = (*visit.path, name)
        if name not in OPAQUE:
            self.algorithm(name, Visit(path, visit.where, visit.cases))
            return
        stage = OPAQUE[name]
        where = visit.where
        if stage.constrained:
            where = self.flow.conditions.both(where, self.flow.set(CONSTRAINED))
        for column in stage.reads:
            self.load(column, Visit(path, where, visit.cases))
        for column in stage.writes:
            self.store(column, visit)

    def store(self, column: str, visit: Visit) -> None:
        self.computed[column] = self.flow.conditions.either(self.computed.get(column, False), visit.where)

    def load(self, column: str, visit: Visit, row: Expr | None = None) -> None:
        """A read; it may be of a row that an earlier iteration of a loop has stored."""
        if column in self.flow.kept:
            return
        for rows in visit.carried:
            if column in rows and not any(row is stored for stored in rows[column]):
                return
        conditions, computed = self.flow.conditions, self.computed.get(column, False)
        rows_exist = self.flow.set(*self.flow.signals.get(self.flow.axes[column], ()))
        where = conditions.both(visit.where, rows_exist)
        if not conditions.implies(where, computed):
            self.found.append(Missing(column, visit.path, visit.cases, where, computed))


def steps(top: Region) -> dict[int, list[Expr | Item]]:
    """The statements of each region, by its number, and what they read of a simulation, in order."""
    every = list(regions(top))
    found: dict[int, list[Expr | Item]] = {region.id: list(region.items) for region in every}
    for n in below([n for region in every for item in region.items for n in item.operands]):
        if n.op == "load" and n.args[0].column.role == "data":
            found[n.region].append(n)
    for region in found.values():
        region.sort(key=lambda x: x.id if isinstance(x, Expr) else x.at)
    return found


def regions(top: Region) -> Iterator[Region]:
    """A region and all within it."""
    yield top
    for item in top.items:
        for inner in item.regions:
            yield from regions(inner)


def branches(top: Region) -> Iterator[Item]:
    return (item for region in regions(top) for item in region.items if item.op == "if")


def stores(top: Region) -> Iterator[Item]:
    """The statements that store in a simulation."""
    for region in regions(top):
        for item in region.items:
            if item.op == "store" and item.fields["table"].column.role == "data":
                yield item


def written(top: Region) -> Iterator[str]:
    """The columns that an algorithm itself writes, and not others that it calls."""
    return (item.fields["table"].column.name for item in stores(top))


def read(found: Mapping[int, Sequence[Expr | Item]]) -> Iterator[str]:
    """The columns that an algorithm itself reads."""
    return (
        step.args[0].column.name for region in found.values() for step in region if isinstance(step, Expr)
    )


def called(top: Region) -> list[str]:
    """The algorithms and hand-written functions that an algorithm calls."""
    calls = (item for region in regions(top) for item in region.items if item.op == "call")
    return list(dict.fromkeys(item.fields["function"] for item in calls))


def stored_rows(loop: Region) -> dict[str, list[Expr]]:
    """The rows that a loop stores, by column."""
    found: dict[str, list[Expr]] = {}
    for item in stores(loop):
        found.setdefault(item.fields["table"].column.name, []).append(item.fields["row"])
    return found


def flags(condition: Expr) -> frozenset[str]:
    """The flags on which a condition depends."""
    return frozenset(n.args[0].column.name for n in below([condition]) if n.op == "load")


def truth(condition: Expr) -> Any:
    """A condition as a function of the values of its flags."""

    def value(n: Expr, known: Mapping[str, int]) -> Any:
        if n.op == "load":
            return known[n.args[0].column.name]
        if n.op == "const":
            return n.value
        return OPERATIONS[n.op].evaluate(*[value(a, known) for a in n.operands])

    return lambda known: bool(value(condition, known))
