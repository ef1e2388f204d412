"""Straight-line C from the graph of one model.

A kernel has the signature `void name(void *const *column)`, where column[c] is the memory of the c-th of its
columns. A result is written after the last read of the previous content.

Between statements the solver may be called (calls.py); what it reads is stored before.

A scalar of width w is a C variable of type real_N, with N = w times the lanes of a batch (see vectors.py). A
model is traced with widths above 1 or for a batch, but not both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from .calls import AFTER, CALL, Stage, stages
from .interface import AVX512, CONSTRAINTS, Processor
from .operations import OPERATIONS, ROWS
from .order import deep, early, prompt, waits
from .registers import forgotten
from .scalars import Expr, Several, below
from .vectors import PRECISIONS, Call, Precision

FUNCTIONS = {row.name: row.function for row in ROWS if row.function}  # by operation
NONE: frozenset[Call] = frozenset()
FREE = ("const", "input", "neg", "join", "lane", "pick", AFTER, CALL)  # not counted as operations
SINES = ("sin", "cos")
SINES_FUNCTION = "sines"  # computes both
PIECE = 1000  # statements of a function; compile time grows faster than a function's length
WIDE_PIECE = 1500  # for a batch, in which data that crosses functions is larger by the number of lanes
SOON = 20_000  # maximum number of nodes for which a second order is tried
WIDEST = 8  # elements of a vector of angles of a single state


@dataclass(frozen=True)
class Statement:
    """Lines of C, the nodes that they compute, those that they use, and the functions that they call."""

    lines: tuple[str, ...]
    made: tuple[Expr, ...]
    used: tuple[Expr, ...]
    calls: frozenset[Call] = NONE
    kept: bool = False  # the results are in scratch memory, not in variables
    columns: tuple[str, ...] = ()  # columns that the lines mention
    call: Expr | None = None  # the node of a call


@dataclass(frozen=True)
class Piece:
    """A function of a kernel: its name, the columns that it accesses with their numbers, its lines, and the
    functions of numbers that it calls.
    """

    name: str
    columns: tuple[tuple[int, str], ...]
    lines: tuple[str, ...]
    calls: frozenset[Call]


@dataclass(frozen=True)
class Straight:
    """A kernel: its functions in order, its columns, the size of the scratch memory between functions, its
    operations, and the widths of its types.
    """

    name: str
    columns: tuple[str, ...]
    pieces: tuple[Piece, ...]
    scratch: int
    operations: int
    widths: frozenset[int]

    @property
    def statements(self) -> int:
        return sum(len(p.lines) for p in self.pieces)


def straight(
    name: str,
    outputs: Mapping[str, Mapping[int, Any]],
    precision: str = "float64",
    lanes: int = 1,
    processor: Processor = AVX512,
) -> Straight:
    """The C text that computes the outputs: for each column, scalars by their index in its memory."""
    traced = needed(x for entries in outputs.values() for x in entries.values() if isinstance(x, Expr))
    groups = list(angles(traced))
    needs = together(groups)
    orders = [traced]
    if lanes > 1 and len(traced) < SOON:
        orders.append(deep(traced, needs))
    touched = [c for n in traced if n.op == CALL for c in (*called(n), CONSTRAINTS)]
    read = sorted({n.args[0] for n in traced if n.op in ("input", AFTER)}.union(touched))
    columns = (*read, *(c for c in outputs if c not in read))
    cuts = []
    for order in orders:
        writer = Writer(PRECISIONS[precision], lanes, Scratch(), several(traced))
        if lanes == 1 and waits(order, needs):
            nodes = prompt(order, needs)
        else:
            nodes = early(order, uses, staying=SINES)  # sines are computed together, after all their angles
        at_hand = processor.at_hand(lanes * PRECISIONS[precision].bits // 8)
        cuts.append(Cut(writer, list(writer.statements(nodes, groups)), outputs, at_hand))
    cut = min(cuts, key=lambda cut: len(cut.leaving))
    numbers = {c: k for k, c in enumerate(columns)}
    pieces = [
        Piece(f"{name}_{k}", tuple((numbers[c], c) for c in sorted(touched)), tuple(lines), frozenset(calls))
        for k, (touched, lines, calls) in enumerate(cut.pieces())
    ]
    count = sum(n.op not in FREE for n in traced)
    size, widths = cut.scratch.size, frozenset(cut.writer.widths)
    return Straight(name, columns, tuple(pieces), size, count, widths)


def operations(outputs: Mapping[str, Mapping[int, Any]]) -> int:
    """The number of operations of the outputs."""
    traced = needed(x for entries in outputs.values() for x in entries.values() if isinstance(x, Expr))
    return sum(n.op not in FREE for n in traced)


def called(n: Expr) -> Iterator[str]:
    """The columns that a call reads or writes."""
    for stage in stages(n.args):
        yield from (*stage.reads, *stage.writes)


def needed(roots: Iterable[Expr]) -> list[Expr]:
    """All nodes that the text of the roots mentions, operands first."""
    return below(roots, uses)


def uses(n: Expr) -> tuple[Expr, ...]:
    """The nodes that a node's text mentions: joined angles are written to wider vectors one by one."""
    if n.op in SINES and n.operands[0].op == "join":
        return n.operands[0].operands
    return n.operands


def several(nodes: Iterable[Expr]) -> frozenset[int]:
    """Products that are used more than once, by index."""
    count = Counter(a.id for n in nodes for a in n.operands if a.op == "*")
    return frozenset(number for number, times in count.items() if times > 1)


def angles(nodes: Iterable[Expr]) -> Iterator[list[Expr]]:
    """Nodes whose sine or cosine is needed, grouped such that all of a group are known before the first is
    used.
    """
    group: dict[int, Expr] = {}
    done: set[int] = set()
    first = 0
    for n in nodes:
        if n.op in SINES and n.operands[0].id not in done:
            angle = n.operands[0]
            if group and angle.id >= first:  # it is that sine itself, or comes after it
                yield list(group.values())
                group = {}
            first = first if group else n.id
            group[angle.id] = angle
            done.add(angle.id)
    if group:
        yield list(group.values())


def together(groups: Iterable[list[Expr]]) -> Callable[[Expr], Sequence[Expr]]:
    """What a node needs before it: a sine needs all angles whose sines are computed together."""
    needs: dict[int, list[Expr]] = {}
    for group in groups:
        used = [x for a in group for x in (a.operands if a.op == "join" else (a,))]
        needs |= {a.id: used for a in group}
    return lambda n: needs[n.operands[0].id] if n.op in SINES else n.operands


def called_text(stage: Stage) -> str:
    return f"call_constraints({CONSTRAINTS}, {stage.code});"


class Writer:
    """Writes nodes as C; records the types used.

    Products in `whole` are computed once; compilers would recompute them in every sum.
    """

    def __init__(self, precision: Precision, lanes: int, scratch: Scratch, whole: frozenset[int]) -> None:
        self.precision, self.lanes, self.scratch, self.whole = precision, lanes, scratch, whole
        self.widths: set[int] = {lanes}

    def statements(self, nodes: list[Expr], groups: Iterable[list[Expr]]) -> Iterator[Statement]:
        """One statement per node; sines and cosines of a group of angles are one."""
        together = {a.id: group for group in groups for a in group}
        asked: dict[int, list[Expr]] = {}
        for n in nodes:
            if n.op in SINES:
                asked.setdefault(together[n.operands[0].id][0].id, []).append(n)
        for n in nodes:
            if n.op in SINES:
                group = together[n.operands[0].id]
                if asked[group[0].id][0] is n:
                    yield self.sines_of(group, asked[group[0].id])
            elif n.op == CALL:
                lines = tuple(map(called_text, stages(n.args)))
                yield Statement(lines, (), (), columns=(CONSTRAINTS,), call=n)
            elif n.op == AFTER:
                column, place = n.args[:2]
                yield Statement((self.definition(n, f"{column}[{place}]"),), (n,), (), columns=(column,))
            elif n.op not in ("const", "input"):
                yield Statement((self.definition(n, self.expression(n)),), (n,), n.operands, self.calls(n))

    def sines_of(self, group: list[Expr], nodes: list[Expr]) -> Statement:
        """Sines and cosines of angles; for a single state they are combined to wide vectors."""
        tag = nodes[0].id
        numbers = [self.part(a, k) for a in group for k in range(a.width)]
        if self.lanes > 1:
            wide, vectors = self.lanes, numbers
        else:
            wide = next(n for n in (1, 2, 4, WIDEST) if n in (len(numbers), WIDEST) or n > len(numbers))
            numbers += ["0"] * (-len(numbers) % wide)
            rows = [", ".join(numbers[k : k + wide]) for k in range(0, len(numbers), wide)]
            vectors = [f"{{{row}}}" if wide > 1 else row for row in rows]
        self.widths.add(wide)
        count = len(vectors)
        places = {"sin": self.scratch.allocate(count * wide), "cos": self.scratch.allocate(count * wide)}
        sine, cosine = (f"(stored_{wide} *)(scratch + {places[op]})" for op in SINES)
        lines = (
            f"const real_{wide} angle{tag}[{count}] = {{{', '.join(vectors)}}};",
            f"sines_{wide}({count}, angle{tag}, {sine}, {cosine});",
        )
        ends = accumulate(a.width for a in group)
        first = {a.id: end - a.width for a, end in zip(group, ends, strict=True)}
        for n in nodes:
            self.scratch.place[n.id] = places[n.op] + first[n.operands[0].id] * self.lanes
        used = {x.id: x for n in nodes for x in uses(n)}
        calls = frozenset([(SINES_FUNCTION, wide)])
        return Statement(lines, tuple(nodes), tuple(used.values()), calls, kept=True)

    def calls(self, n: Expr) -> frozenset[Call]:
        """The functions that a node's text calls."""
        if n.op == "iterate":
            return frozenset([(n.args[0].name, self.width(n))])
        name = FUNCTIONS.get(n.op)
        return frozenset([(name, max(a.width for a in n.operands) * self.lanes)]) if name else NONE

    def width(self, n: Expr) -> int:
        """The number of elements of a node's C variable."""
        self.widths.add(n.width * self.lanes)
        return n.width * self.lanes

    def definition(self, n: Expr, text: str) -> str:
        return f"{'bits' if n.type == 'bool' else 'real'}_{self.width(n)} v{n.id} = {text};"

    def operand(self, x: Any) -> str:
        if isinstance(x, Expr) and x.value is None:
            return f"v{x.id}"
        value = x.value if isinstance(x, Expr) else x
        if isinstance(value, Several):
            self.widths.add(len(value))
            kind = "bits" if isinstance(value[0], bool) else "real"
            return f"({kind}_{len(value)}){{{', '.join(map(self.constant, value))}}}"
        return self.constant(value)

    def constant(self, value: Any) -> str:
        """A number, or a known condition: all its bits."""
        if isinstance(value, bool):
            return "~(bits_1)0" if value else "(bits_1)0"
        return self.precision.literal(float(value))

    def wide(self, x: Any, width: int) -> str:
        """An operand, widened if C does not do so itself."""
        n = width * self.lanes
        own = x.width if isinstance(x, Expr) else 1
        plain = not isinstance(x, Expr) or x.value is not None
        if n == 1 or own > 1 or (own == width and not plain):
            return self.operand(x)
        kind = "bits" if isinstance(x, Expr) and x.type == "bool" else "real"
        return f"(({kind}_{n}){{0}} + {self.operand(x)})"

    def part(self, x: Expr, k: int) -> str:
        """One element of a node."""
        if x.op == "join":
            return self.operand(x.args[k])
        return self.operand(x) + (f"[{k}]" if x.width > 1 else "")

    def expression(self, n: Expr) -> str:
        if n.op == "input":
            return f"{n.args[0]}[{n.args[1]}]"
        args, width = n.operands, max(a.width for a in n.operands)
        if n.op == "join":
            return f"{{{', '.join(map(self.operand, args))}}}"
        if n.op == "lane":
            return self.part(args[0], n.args[1])
        if n.op == "pick":
            return f"pick_{self.width(n)}({self.operand(args[0])}, {', '.join(map(str, n.args[1]))})"
        if n.op == "total":
            return " + ".join(self.part(args[0], k) for k in range(width))
        if n.op == "iterate":
            return f"{n.args[0].name}_{self.width(n)}({', '.join(self.wide(a, width) for a in args)})"
        row = OPERATIONS[n.op]
        if n.op in FUNCTIONS:
            return row.lanes.replace("_N(", f"_{width * self.lanes}(").format(
                *[self.wide(a, width) for a in args]
            )
        text = row.lanes.format(*map(self.operand, args))
        return f"whole_{self.width(n)}({text})" if n.id in self.whole else text


@dataclass
class Scratch:
    """Memory for values that cross functions; locations are reused."""

    size: int = 0
    free: dict[int, list[int]] = field(default_factory=dict)  # by width
    place: dict[int, int] = field(default_factory=dict)  # by node

    def allocate(self, width: int) -> int:
        """A new location."""
        self.size += width
        return self.size - width

    def take(self, n: Expr, width: int) -> None:
        free = self.free.setdefault(width, [])
        self.place[n.id] = free.pop() if free else self.allocate(width)

    def give(self, n: Expr, width: int) -> None:
        self.free[width].append(self.place[n.id])


FIRST = -1
"""Index of a virtual statement before the first one."""


class Cut:
    """Statements, and the stores of results after them, split into functions.

    A function reads inputs when it first needs them, and values of earlier functions from scratch memory. A
    store that overwrites an input is placed after the input's last use. In a batch, values that were dropped
    from registers are reloaded (registers.py).
    """

    def __init__(
        self,
        writer: Writer,
        statements: list[Statement],
        outputs: Mapping[str, Mapping[int, Any]],
        at_hand: int,
    ) -> None:
        self.writer, self.statements, self.at_hand = writer, statements, at_hand
        count = max(1, round(len(statements) / (WIDE_PIECE if writer.lanes > 1 else PIECE)))
        self.length = max(1, -(-len(statements) // count))
        self.count = max(1, -(-len(statements) // self.length))
        self.made = {n.id: k for k, s in enumerate(statements) for n in s.made}
        self.stores = self.placed(outputs)
        self.used = [self.needs(k) for k in range(len(statements))]
        self.last = {n.id: k for k, nodes in enumerate(self.used) for n in nodes}
        self.forgotten = self.beyond_registers()
        self.leaving = self.wanted_again()
        self.scratch = writer.scratch

    def piece(self, statement: int) -> int:
        return statement // self.length

    def placed(self, outputs: Mapping[str, Mapping[int, Any]]) -> dict[int, list[tuple[str, int, Any]]]:
        """The stores after each statement: operands of calls, and results. Operands that are numbers or
        inputs are stored before the first statement. Copies of inputs come last, and before these are
        overwritten.
        """
        reads: dict[tuple[str, int], list[int]] = {}
        for k, s in enumerate(self.statements):
            for n in (*s.used, *s.made):
                if n.op in ("input", AFTER):
                    reads.setdefault(n.args[:2], []).append(k)
        end = max(0, len(self.statements) - 1)
        results = [(c, place, x) for c, entries in outputs.items() for place, x in sorted(entries.items())]
        copies = [result for result in results if isinstance(result[2], Expr) and result[2].op == "input"]
        for _, _, x in copies:
            reads.setdefault(x.args, []).append(end)
        stores: dict[int, list[tuple[str, int, Any]]] = {end: list(copies)} if copies else {}
        calls = [(k, s.call) for k, s in enumerate(self.statements) if s.call is not None]
        last: dict[str, int] = {}  # last call that uses a column
        for k, call in calls:
            touched = set(called(call))
            for (column, place), x in zip(call.args[1], call.args[2:], strict=False):
                before = [at for at in reads.get((column, place), ()) if at < k]
                at = max((self.made.get(x.id, FIRST), last.get(column, FIRST), *before))
                stores.setdefault(at, []).append((column, place, x))
            last.update(dict.fromkeys(touched, k))
        for column, place, x in results:
            if isinstance(x, Expr) and (x.op == "input" or (x.op == AFTER and x.args[:2] == (column, place))):
                continue
            known = self.made.get(x.id, 0) if isinstance(x, Expr) else 0
            at = max((known, last.get(column, 0), *reads.get((column, place), ())))
            stores.setdefault(at, []).append((column, place, x))
        return stores

    def needs(self, k: int) -> list[Expr]:
        """The nodes that a statement, and the stores after it, use."""
        results = [x for *_, x in self.stores.get(k, ()) if isinstance(x, Expr)]
        return [n for n in (*self.statements[k].used, *results) if n.op != "const"]

    def beyond_registers(self) -> dict[int, list[Expr]]:
        """The nodes that are dropped from registers after each statement of a batch."""
        if self.writer.lanes == 1:
            return {}
        made = [() if s.kept else s.made for s in self.statements]
        return forgotten(self.used, made, self.at_hand, self.piece)

    def wanted_again(self) -> set[int]:
        """Nodes that are stored in scratch memory: for a later function, or because they will be dropped."""
        again = {n.id for nodes in self.forgotten.values() for n in nodes}
        return again | {i for i, k in self.made.items() if self.piece(self.last.get(i, k)) != self.piece(k)}

    def pieces(self) -> Iterator[tuple[set[str], list[str], set[Call]]]:
        """The accessed columns, the lines and the calls of each function."""
        free: dict[int, list[Expr]] = {}  # by the statement after which a location is free
        for k in range(self.count):
            first = k * self.length
            known: set[int] = set()
            named: set[int] = set()
            touched: set[str] = set()
            lines: list[str] = []
            calls: set[Call] = set()
            if k == 0:
                lines += self.stored(FIRST, known, named, touched)
            for number, s in enumerate(self.statements[first : first + self.length], first):
                lines += self.fetched(s.used, known, named, touched)
                lines += s.lines
                calls |= s.calls
                touched.update(s.columns)
                for n in () if s.kept else s.made:
                    known.add(n.id)
                    named.add(n.id)
                    if n.id in self.leaving:
                        free.setdefault(self.last[n.id], []).append(n)
                        lines.append(self.left(n))
                lines += self.stored(number, known, named, touched)
                known.difference_update(n.id for n in self.forgotten.get(number, ()))
                for n in free.pop(number, ()):
                    self.scratch.give(n, self.writer.width(n))
            if not self.statements:
                lines += self.stored(0, known, named, touched)
            yield touched, lines, calls

    def fetched(
        self, used: Iterable[Expr], known: set[int], named: set[int], touched: set[str]
    ) -> Iterator[str]:
        """Definitions of values that a function does not have yet, or has dropped."""
        for n in used:
            if n.op == "const" or n.id in known:
                continue
            known.add(n.id)
            if n.op == "input":
                touched.add(n.args[0])
                text = self.writer.expression(n)
            else:
                width = self.writer.width(n)
                text = f"*(const stored_{width} *)(left + {self.scratch.place[n.id]})"
                text = f"bits_of_{width}({text})" if n.type == "bool" else text
            yield f"v{n.id} = {text};" if n.id in named else self.writer.definition(n, text)
            named.add(n.id)

    def left(self, n: Expr) -> str:
        width = self.writer.width(n)
        self.scratch.take(n, width)
        text = f"real_of_{width}(v{n.id})" if n.type == "bool" else f"v{n.id}"
        return f"*(stored_{width} *)(scratch + {self.scratch.place[n.id]}) = {text};"

    def stored(self, number: int, known: set[int], named: set[int], touched: set[str]) -> Iterator[str]:
        """Stores of results; what they copy is read before."""
        results = self.stores.get(number, ())
        yield from self.fetched([x for *_, x in results if isinstance(x, Expr)], known, named, touched)
        for column, place, x in results:
            touched.add(column)
            yield f"{column}[{place}] = {self.writer.wide(x, 1)};"
