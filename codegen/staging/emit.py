"""The machine that yields one symbolic index per iterator: loops over tables, to be rendered as C."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from .columns import AXES, Column
from .iterations import Iteration, looped
from .scalars import Expr, Graph
from .value_classes import Value, wrap

PATH = "n"  # the index of loops that follow a column, and of loops over a row of M
VERBS = {"__add__": "add", "__sub__": "sub", "__neg__": "neg", "__mul__": "scale", "__matmul__": "times"}


@dataclass(eq=False)
class Item:
    """A statement: store, declare, call, opaque, return, or one with regions: loop, switch, if."""

    op: str
    at: int  # its index among the nodes
    fields: dict[str, Any]
    regions: list[Region] = field(default_factory=list)

    @property
    def operands(self) -> list[Expr]:
        """The nodes it uses outside its regions."""
        return [
            x
            for v in self.fields.values()
            for x in (v if isinstance(v, list) else [v])
            if isinstance(x, Expr)
        ]


@dataclass(eq=False)
class Region:
    """Statements that are executed together: those of a function, a loop or a branch."""

    id: int
    label: Any = None
    items: list[Item] = field(default_factory=list)
    stored: dict[Any, None] = field(default_factory=dict)  # tables, in order


@dataclass(frozen=True, eq=False)
class Helper:
    """An operation on values as a separate function."""

    name: str
    doc: str
    params: list[Expr]
    body: Region
    type: Any


class Library:
    """The helpers called by the emitted kernels, each after those that it calls itself."""

    def __init__(self) -> None:
        self.helpers: dict[Any, Helper] = {}

    def helper(self, f: Callable[..., Any], types: tuple[Any, ...]) -> Helper:
        key = (f, types)
        if key not in self.helpers:
            tracer = Tracer(self)
            names = list(inspect.signature(f).parameters)
            params = [tracer.graph.param(n, t) for n, t in zip(names, types, strict=True)]
            node = tracer.graph.lift_value(f(*[wrap(p) for p in params]))
            tracer.put("return", node=node)
            self.helpers[key] = Helper(
                self.name(f, types), inspect.getdoc(f) or "", params, tracer.top, node.type
            )
        return self.helpers[key]

    def name(self, f: Callable[..., Any], types: tuple[Any, ...]) -> str:
        owner = f.__qualname__.rpartition(".")[0]
        head = f"{types[0].__name__.lower()}_" if owner else ""
        name = head + VERBS.get(f.__name__, f.__name__.strip("_"))
        same = [h for h in self.helpers.values() if h.name == name]
        return f"{name}_{types[-1].__name__.lower()}" if same else name


class Symbolic(Graph):
    """Whole values and calls of operations are nodes."""

    symbolic = True

    def __init__(self, library: Library) -> None:
        super().__init__()
        Graph.symbolic_ones += 1
        self.library = library

    def param(self, name: str, type: Any) -> Expr:
        return self.node("param", name, type=type)

    def lift_value(self, x: Any) -> Expr:
        """The node of a value or scalar, built from its components if necessary."""
        if not isinstance(x, Value):
            return self.lift(x if isinstance(x, Expr) else float(x))
        known = x.node is not None and x.node.graph is self and x.node.region in self.open
        if x.parts is not None and not known:
            x.node = self.node("make", *[self.lift_value(p) for p in x.parts], type=type(x))
        assert x.node is not None
        return x.node

    def call(self, f: Callable[..., Any], args: Sequence[Any]) -> Any:
        nodes = [self.lift_value(a) for a in args]
        helper = self.library.helper(f, tuple(n.type for n in nodes))
        return wrap(self.node("call", helper, *nodes, type=helper.type))


class Tracer:
    """Collects statements into regions, in order."""

    def __init__(self, library: Library) -> None:
        self.graph = Symbolic(library)
        self.top = Region(0)
        self.stack = [self.top]

    def put(self, op: str, **fields: Any) -> Item:
        item = Item(op, self.graph.tick(), fields)
        self.stack[-1].items.append(item)
        return item

    def enter(self, item: Item, label: Any = None) -> Region:
        region = Region(self.graph.push(), label)
        item.regions.append(region)
        self.stack.append(region)
        return region


class Table:
    """A column; caches stored values until they may have been overwritten."""

    def __init__(self, machine: Emit, column: Column) -> None:
        self.machine, self.column = machine, column
        self.version = 0
        self.c_name = column.name

    def row(self, key: Any) -> Expr:
        if isinstance(key, tuple):
            i, k = key
            t = self.machine.tables
            entry: Expr = t.M_rowadr[i] + (k.depth if isinstance(k, Ancestor) else t.dof_depth[k])
            return entry
        return key.number if isinstance(key, Ancestor) else self.machine.graph.lift(key)

    def __getitem__(self, key: Any) -> Any:
        return wrap(self.load(self.row(key)))

    def load(self, row: Expr) -> Expr:
        graph = self.machine.graph
        kept: Expr | None = graph.known(("kept", self, row.id, self.version))
        return (
            kept if kept is not None else graph.node("load", self, row, self.version, type=self.column.type)
        )

    def __setitem__(self, key: Any, value: Any) -> None:
        self.store(self.row(key), value)

    def store(self, row: Expr, value: Any) -> None:
        graph = self.machine.graph
        node = graph.lift(value) if self.column.integer else graph.lift_value(value)
        graph.check(node, row)
        self.machine.put("store", table=self, row=row, value=node)
        self.machine.touch(self)
        graph.scopes[-1]["kept", self, row.id, self.version] = node

    def __str__(self) -> str:
        return self.column.name


class Ancestor:
    """An entry of a row of the mass matrix: the loop iterates over its depth; its index may be unknown."""

    def __init__(self, depth: Expr, number: Expr | None = None) -> None:
        self.depth, self.known = depth, number

    @property
    def number(self) -> Expr:
        if self.known is None:
            raise TypeError("an ancestor found by its depth has no number: iterate nearest_first")
        return self.known


class Locals:
    """Variables that a loop or branch changes."""

    def __init__(self, machine: Emit, first: dict[str, Any]) -> None:
        self.__dict__["_tables"] = tables = {}
        for name, value in first.items():
            node = machine.graph.lift(value) if isinstance(value, int) else machine.graph.lift_value(value)
            tables[name] = Table(machine, Column(name, "local", node.type, "local"))
            machine.put("declare", table=tables[name], value=node)
            machine.touch(tables[name])

    def __getattr__(self, name: str) -> Any:
        table = self._tables.get(name)
        if table is None:
            raise AttributeError(f"no variable {name!r} was declared")
        return wrap(table.load(table.machine.graph.const(0)))

    def __setattr__(self, name: str, value: Any) -> None:
        table = self._tables[name]
        table.store(table.machine.graph.const(0), value)


class Emit(Tracer):
    """Traces one algorithm; `called` are those that it calls, in order."""

    def __init__(self, columns: Iterable[Column], library: Library) -> None:
        super().__init__(library)
        self.called: dict[Callable[..., None], None] = {}
        self.known: list[Table] = []
        self.tables = SimpleNamespace(**{c.name: Table(self, c) for c in columns})
        self.known += vars(self.tables).values()

    def trace(self, f: Callable[..., None], params: Sequence[str] = ()) -> None:
        f(self, self.tables, *[self.graph.param(p, "real") for p in params])

    # statements

    def touch(self, table: Table) -> None:
        table.version = self.graph.tick()
        if table not in self.known:
            self.known.append(table)
        for region in self.stack:
            region.stored[table] = None

    def leave(self) -> None:
        region = self.stack.pop()
        self.graph.pop()
        for table in region.stored:
            self.touch(table)

    def forget(self) -> None:
        """On entering a loop: earlier iterations may have stored anywhere."""
        for table in self.known:
            if not table.column.constant:
                table.version = self.graph.tick()

    def clobber(self) -> None:
        """A called function may have stored anywhere."""
        for table in self.known:
            if table.column.role == "data":
                self.touch(table)

    # iterators

    def loop(self, letter: str, first: Any, last: Any, **fields: Any) -> Expr:
        lifted = {
            "first": self.graph.lift(first),
            "last": last if isinstance(last, str) else self.graph.lift(last),
        }
        item = self.put("loop", **lifted, **fields)
        self.enter(item)
        item.fields["index"] = index = self.graph.node("index", letter, item.at, type="int")
        self.forget()
        return index

    def along(self, axis: str, first: Any = 0, count: Any = None, backward: bool = False) -> Iterator[Expr]:
        """Rows of an axis: all from `first` on, or `count` of them."""
        last = AXES[axis].size if count is None else first + count
        yield self.loop(AXES[axis].letter, first, last, backward=backward)
        self.leave()

    def bodies(self, backward: bool = False) -> Iterator[Expr]:
        return self.along("body", 1, backward=backward)

    def rows_of(self, axis: str, first: Any = 0, count: Any = None) -> Iterator[Expr]:
        return self.along(axis, first, count)

    def alike(self, axis: str) -> Iterator[Expr]:
        return self.along(axis)

    def joints(self, b: Expr, backward: bool = False) -> Iterator[Expr]:
        return self.along("jnt", self.tables.body_jntadr[b], self.tables.body_jntnum[b], backward)

    def links(self, backward: bool = False) -> Iterator[Expr]:
        return self.along("link", 1, backward=backward)

    def climb(self, k: Expr) -> Iterator[Expr]:
        yield self.loop(PATH, k, 0, step="link_parentid", until=self.tables.link_parentid)
        self.leave()

    def dofs(self, k: Expr | None = None, backward: bool = False) -> Iterator[Expr]:
        if k is None:
            return self.along("dof", backward=backward)
        return self.along("dof", self.tables.link_dofadr[k], self.tables.link_dofnum[k], backward)

    def coordinates(self) -> Iterator[Expr]:
        return self.along("q")

    def repeat(self, times: int) -> Iterator[Expr]:
        yield self.loop(PATH, 0, times, backward=False)
        self.leave()

    def ancestors(self, i: Any, itself: bool = False, nearest_first: bool = False) -> Iterator[Any]:
        depth = i.depth if isinstance(i, Ancestor) else self.tables.dof_depth[i]
        if nearest_first:
            yield self.loop(PATH, i if itself else self.tables.dof_parentid[i], 0, step="dof_parentid")
        else:  # a row of M from the root on: entries are consecutive
            yield Ancestor(self.loop(PATH, 0, depth + 1 if itself else depth, backward=False, apart=True))
        self.leave()

    def chains(self, i: Expr) -> Iterator[Expr]:
        yield self.loop(PATH, i, 0, step="dof_chainparentid")
        self.leave()

    def chain(self, first: Expr, last: Expr) -> Iterator[Ancestor]:
        """Their entries in a row of M are consecutive, so the loop accesses consecutive memory."""
        depth = self.tables.dof_depth[first]
        number = self.loop(AXES["dof"].letter, first, last + 1, backward=False, apart=True)
        yield Ancestor(depth + (number - first), number)
        self.leave()

    def cases(self, rows: Sequence[Any], code: Expr) -> Iterator[Any]:
        item = self.put("switch", on=code)
        for row in rows:
            self.enter(item, row)
            yield row
            self.leave()

    def when(self, condition: Expr) -> Iterator[None]:
        if condition.value is not None:  # constant in this algorithm
            yield from [None] if condition.value else []
            return
        self.enter(self.put("if", on=condition))
        yield None
        self.leave()

    def saving(self, condition: Expr) -> Iterator[None]:
        return self.when(condition)

    def locals(self, **first: Any) -> Locals:
        return Locals(self, first)

    def iterate(self, search: Iteration, *args: Any) -> Any:
        return looped(self, search, *args)

    def call(self, f: Callable[..., None], *scalars: Any) -> None:
        self.called[f] = None
        self.put("call", function=f.__name__, scalars=[self.graph.lift_value(s) for s in scalars])
        self.clobber()

    def opaque(self, name: str) -> None:
        self.put("call", function=name, scalars=[])
        self.clobber()
