"""Pure functions of scalars and values, written as inline functions of C.

A formula of codegen/physics/rows is a function of scalars, conditions and values, as its annotations say. It
is traced on a graph of scalars, and written for a *kind* of C: numbers of one state, of a register of one
state, or of several states, one in each lane. Run on plain numbers it gives what C must give.

An argument that is the same for all states (Same) is a number of C for every kind. What follows from such
arguments alone is computed once, and put in all lanes where it meets other numbers.

Both results of where() are computed; those of branch() only if some state needs them.
"""

from __future__ import annotations

import inspect
import typing
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from .operations import ATOM, OPERATIONS, Operation
from .scalars import Expr, Graph, below, where
from .value_classes import Value

Formula = Callable[..., Any]
SAME = "the same for all states"
Same = Annotated[Any, SAME]
"""A number that is the same for all states."""
LONGEST = 90  # characters of an expression; longer ones have temporaries
WIDTH = 140
BASE = "real"  # the number of C that all lanes share


@dataclass(frozen=True, eq=False)
class Kind:
    """How numbers are written.

    Attributes:
        name: of its header.
        real, condition: C types of a number, and of what a comparison gives.
        function, struct: patterns of names, from the name of a formula or a class of values.
        texts: of operations that are not those of C's numbers.
        spread: puts a number of C in all lanes; "" if numbers are such.
        some: whether a condition is true in some lane; "" if there are no branches for conditions of lanes.
        structs: classes of values that C has already, by name.
    """

    name: str
    real: str
    condition: str
    function: str
    struct: str
    structs: Mapping[str, str]
    texts: Mapping[str, str] = field(default_factory=dict)
    spread: str = ""
    some: str = ""

    def type_of(self, annotation: Any, same: bool) -> str:
        """The C type of a scalar, a condition or a value."""
        kind = SINGLE if same else self
        if annotation is bool:
            return kind.condition if not same else "int"
        if isinstance(annotation, type) and issubclass(annotation, Value):
            return kind.structs.get(annotation.__name__) or kind.struct.format(annotation.__name__)
        return kind.real


def words(prefix: str) -> dict[str, str]:
    """The texts of operations on vectors of C whose functions have a prefix."""
    functions = {"where": 3, "minimum": 2, "maximum": 2, "fabs": 1, "sqrt": 1, "pow": 2, "atan2": 2}
    short = {"where": "select", "minimum": "min", "maximum": "max", "fabs": "abs"}
    texts = {
        name: f"{prefix}{short.get(name, name)}({', '.join(f'{{{k}}}' for k in range(arity))})"
        for name, arity in functions.items()
    }
    masked = {"masked": f"{prefix}masked({{0}}, {{1}})"}
    return {**texts, **masked, "and": "{0} & {1}", "or": "{0} | {1}", "not": "~{0}"}


SINGLE = Kind("single", BASE, "int", "{}", "{}", {"Vec3": "Vec"})
LANES = Kind(
    "lanes", "vreal", "vmask", "{}_in_lanes", "Lane{}", {"Vec3": "Vec3"}, words("v"), "vsplat({})", "vany({})"
)
BLOCKS = Kind(
    *("blocks", "Block", "Bits", "{}_in_blocks", "Block{}", {}, words("block_")),
    "block_splat({})",
)
KINDS = {kind.name: kind for kind in (SINGLE, LANES, BLOCKS)}


class FormulaGraph(Graph):
    """A graph that knows which of its selections are branches."""

    def __init__(self) -> None:
        super().__init__()
        self.branches: set[int] = set()


def branch(condition: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """The result of `yes` if the condition is true, else that of `no`: a scalar, or a tuple of them. In C the
    other one is not computed; for lanes `yes` is computed unless the condition is false in all of them, and
    `no` always.
    """
    known = condition.value if isinstance(condition, Expr) else condition
    if known is not None:
        return yes() if known else no()
    a, b = yes(), no()
    if isinstance(a, tuple):
        return tuple(_selected(condition, x, y) for x, y in zip(a, b, strict=True))
    return _selected(condition, a, b)


def _selected(condition: Expr, a: Any, b: Any) -> Any:
    found = where(condition, a, b)
    if isinstance(found, Expr) and found.op == "where" and isinstance(found.graph, FormulaGraph):
        found.graph.branches.add(found.id)
    return found


@dataclass(frozen=True)
class Parameter:
    """A parameter of a formula: its name, its annotation, and whether it is the same for all states."""

    name: str
    annotation: Any
    same: bool


@dataclass(frozen=True)
class Trace:
    """A formula as a graph: its parameters, the annotation of its result, and the result's scalars."""

    name: str
    doc: str
    parameters: tuple[Parameter, ...]
    result: Any
    scalars: tuple[Expr, ...]
    branches: frozenset[int]

    def classes(self) -> Iterator[tuple[Any, bool]]:
        """The annotations of what it takes and gives, and whether that is the same for all states."""
        yield from ((p.annotation, p.same) for p in self.parameters)
        yield self.result, False


def traced(formula: Formula) -> Trace:
    """The graph of a formula."""
    hints = typing.get_type_hints(formula, include_extras=True)
    parameters, arguments, graph = [], [], FormulaGraph()
    for name in inspect.signature(formula).parameters:
        hint, same = hints[name], False
        if typing.get_origin(hint) is Annotated:
            hint, same = typing.get_args(hint)[0], SAME in typing.get_args(hint)
        parameters.append(Parameter(name, hint, same))
        arguments.append(_argument(graph, parameters[-1]))
    found = formula(*arguments)
    flat = found.flat() if isinstance(found, Value) else [found]
    scalars = tuple(graph.lift(x) for x in flat)
    doc = inspect.getdoc(formula) or ""
    return Trace(
        formula.__name__, doc, tuple(parameters), hints["return"], scalars, frozenset(graph.branches)
    )


def _argument(graph: Graph, p: Parameter) -> Any:
    """Nodes for a parameter; their texts are how C writes them."""
    if isinstance(p.annotation, type) and issubclass(p.annotation, Value):
        paths = [(f"{p.name}.{path}", part) for path, part in members(p.annotation)]
        nodes = [
            graph.node("param", path, p.same, type="bool" if part is bool else "real") for path, part in paths
        ]
        return p.annotation.unflat(iter(nodes))
    return graph.node("param", p.name, p.same, type="bool" if p.annotation is bool else "real")


def members(value: type[Value]) -> Iterator[tuple[str, Any]]:
    """The paths of a value's scalars in its C struct, and their annotations."""
    hints = typing.get_type_hints(value)
    for name, part in value.types.items():
        if part is None:
            yield name, hints[name]
        else:
            yield from ((f"{name}.{path}", hint) for path, hint in members(part))


def struct(kind: Kind, value: type[Value]) -> str:
    """The definition of a class of values in C."""
    hints = typing.get_type_hints(value)
    fields: dict[str, list[str]] = {}
    for name in value.types:
        fields.setdefault(kind.type_of(hints[name], False), []).append(name)
    text = " ".join(f"{type_} {', '.join(names)};" for type_, names in fields.items())
    return f"typedef struct {{ {text} }} {kind.type_of(value, False)};"


def structs(kind: Kind, traces: Iterable[Trace]) -> list[type[Value]]:
    """The classes that C does not have yet, each after those of its components."""
    found: dict[type[Value], None] = {}

    def add(annotation: Any) -> None:
        if not (isinstance(annotation, type) and issubclass(annotation, Value)) or annotation in found:
            return
        for part in annotation.types.values():
            add(part)
        if annotation.__name__ not in kind.structs:
            found[annotation] = None

    for trace in traces:
        for annotation, same in trace.classes():
            if kind is SINGLE or not same:
                add(annotation)
    return list(found)


def levels(row: Operation) -> Sequence[int]:
    """The precedence that operands need: sums and products are in the order of the formula."""
    return (row.operands[0], row.operands[0] + 1) if row.name in ("+", "*") else row.operands


class Writer:
    """The text of one formula for one kind of C."""

    def __init__(self, kind: Kind, trace: Trace) -> None:
        self.kind, self.trace = kind, trace
        self.texts: dict[int, tuple[str, int]] = {}
        self.same: dict[int, bool] = {}
        self.branches: set[int] = set()
        for n in below(trace.scalars):
            own = n.args[1] if n.op == "param" else all(self.same[a.id] for a in n.operands)
            self.same[n.id] = own or not kind.spread
            if n.id in trace.branches and (kind.some or self.same[n.operands[0].id]):
                self.branches.add(n.id)
        self.temporaries = 0

    def function(self) -> list[str]:
        """Its lines."""
        t, kind = self.trace, self.kind
        parameters = ", ".join(f"{kind.type_of(p.annotation, p.same)} {p.name}" for p in t.parameters)
        result = kind.type_of(t.result, False)
        lines = [f"INLINE {result} {kind.function.format(t.name)}({parameters})", "{"]
        lines += self.block(list(t.scalars), "    ")
        if isinstance(t.result, type) and issubclass(t.result, Value):
            values = iter([self.widened(x) for x in t.scalars])
            lines.append(f"    return ({result}){self.braced(t.result, values)};")
        else:
            lines.append(f"    return {self.widened(t.scalars[0])};")
        return [*lines, "}"]

    def braced(self, value: type[Value], texts: Iterator[str]) -> str:
        parts = [self.braced(part, texts) if part else next(texts) for part in value.types.values()]
        return f"{{{', '.join(parts)}}}"

    # statements

    def block(self, wanted: Sequence[Expr], pad: str) -> list[str]:
        """The lines that compute some nodes, as far as they have no text yet."""
        needs = self.needs(wanted)
        inside = [m for n in needs if n.id in self.branches for m in below(n.operands[1:])]
        conditions = [n.operands[0] for n in needs if n.id in self.branches]
        count = Counter(
            n.id for n in (*[a for n in needs for a in self.uses(n)], *wanted, *inside, *conditions)
        )
        lines: list[str] = []
        for n in needs:
            if n.id in self.texts:
                continue
            if n.id in self.branches:
                lines += self.branch([m for m in needs if self.is_beside(n, m)], pad)
                continue
            text, level = self.raw(n)
            if n.op in ("const", "param") or (count[n.id] == 1 and len(text) < LONGEST):
                self.texts[n.id] = text, level
            else:
                lines.append(f"{pad}const {self.type_of(n)} {self.temporary(n)} = {text};")
        return lines

    def is_beside(self, n: Expr, m: Expr) -> bool:
        """Whether one condition selects both, and what m needs was known before n."""
        alike = m.id in self.branches and m.args[0] is n.args[0]
        return alike and m.id not in self.texts and all(a.id < n.id for a in m.operands)

    def uses(self, n: Expr) -> tuple[Expr, ...]:
        """The nodes that the text of a node mentions in its own block."""
        if n.id not in self.branches:
            return n.operands
        return n.operands[:1] if self.same[n.operands[0].id] else (n.operands[0], n.operands[2])

    def needs(self, wanted: Sequence[Expr]) -> list[Expr]:
        """The nodes of a block in order. What both results of a branch need is computed before it."""
        roots = [n for n in wanted if n.id not in self.texts]
        while True:
            found = below(roots, lambda n: () if n.id in self.texts else self.uses(n))
            known = {n.id for n in found}
            shared = [n for n in self.shared(found) if n.id not in known]
            if not shared:
                return [n for n in found if n.id not in self.texts]
            roots += shared

    def shared(self, found: Iterable[Expr]) -> Iterator[Expr]:
        """Nodes that several branches of a block need, or both sides of one."""
        sides: dict[tuple[int, int], list[Expr]] = {}
        for n in found:
            if n.id in self.branches:
                for k in (1, 2) if self.same[n.operands[0].id] else (1,):
                    sides.setdefault((n.args[0].id, k), []).append(n.operands[k])
        seen: set[int] = set()
        for nodes in sides.values():
            own = {m.id: m for m in below(nodes) if m.op != "const" and m.id not in self.texts}
            yield from (m for i, m in own.items() if i in seen)
            seen |= own.keys()

    def branch(self, nodes: Sequence[Expr], pad: str) -> list[str]:
        """Selections with one condition: their types and names, then each side in a block of its own."""
        condition = nodes[0].operands[0]
        text, before = self.text(condition), dict(self.texts)
        names = {n.id: f"{'yes' if n.type == 'bool' else 't'}{self.number()}" for n in nodes}
        if self.same[condition.id]:
            lines = [f"{pad}{self.type_of(n)} {names[n.id]};" for n in nodes]
            for k, head in ((1, f"if ({text}) {{"), (2, "} else {")):
                lines.append(pad + head)
                lines += self.block([n.operands[k] for n in nodes], pad + "    ")
                lines += [f"{pad}    {names[n.id]} = {self.fitting(n, n.operands[k])};" for n in nodes]
                self.texts = dict(before)
            lines.append(pad + "}")
        else:
            lines = [
                f"{pad}{self.type_of(n)} {names[n.id]} = {self.fitting(n, n.operands[2])};" for n in nodes
            ]
            lines.append(f"{pad}if ({self.kind.some.format(text)}) {{")
            lines += self.block([n.operands[1] for n in nodes], pad + "    ")
            for n in nodes:
                chosen = self.kind.texts["where"].format(text, self.fitting(n, n.operands[1]), names[n.id])
                lines.append(f"{pad}    {names[n.id]} = {chosen};")
            lines.append(pad + "}")
            self.texts = before
        self.texts |= {i: (name, ATOM) for i, name in names.items()}
        return lines

    def number(self) -> int:
        self.temporaries += 1
        return self.temporaries

    def temporary(self, n: Expr) -> str:
        name = f"{'yes' if n.type == 'bool' else 't'}{self.number()}"
        self.texts[n.id] = name, ATOM
        return name

    # expressions

    def type_of(self, n: Expr) -> str:
        kind = SINGLE if self.same[n.id] else self.kind
        return kind.condition if n.type == "bool" else kind.real

    def text(self, n: Expr, level: int = 0) -> str:
        text, own = self.texts.get(n.id) or self.raw(n)
        return f"({text})" if own < level else text

    def fitting(self, n: Expr, operand: Expr) -> str:
        """An operand as a number of the same type as a node."""
        return self.text(operand) if self.same[n.id] else self.widened(operand)

    def widened(self, n: Expr) -> str:
        """A result: a number of this kind."""
        if not self.same[n.id] or not self.kind.spread or n.type == "bool":
            return self.text(n)
        return self.kind.spread.format(self.text(n))

    def raw(self, n: Expr) -> tuple[str, int]:
        """The text of a node, and its precedence."""
        if n.op == "const":
            text = str(int(n.value)) if n.type == "bool" else repr(n.value)
            return text, ATOM if n.value >= 0 else OPERATIONS["neg"].level
        if n.op == "param":
            return n.args[0], ATOM
        row, args = OPERATIONS[n.op], n.args
        if self.same[n.id] or (n.op == "where" and self.same[args[0].id]):
            texts = [self.operand(n, x, level) for x, level in zip(args, levels(row), strict=True)]
            return row.loop.format(*texts), row.level
        if n.op == "where" and 0.0 in (args[1].value, args[2].value):
            chosen = 2 if args[1].value == 0.0 else 1
            condition = self.text(args[0], 3) if chosen == 1 else "~" + self.text(args[0], 3)
            return self.kind.texts["masked"].format(condition, self.widened(args[chosen])), ATOM
        pattern = self.kind.texts.get(n.op, row.loop)
        called = pattern.endswith(")")
        texts = [
            self.widened(x) if called else self.operand(n, x, level)
            for x, level in zip(args, levels(row), strict=True)
        ]
        return pattern.format(*texts), ATOM if called else row.level

    def operand(self, n: Expr, x: Expr, level: int) -> str:
        """An operand of an operator; those of C's numbers need no change."""
        if x.type == "bool" or self.same[x.id] == self.same[n.id] or not self.kind.spread:
            own = self.same[x.id] and x.type == "bool" and n.op == "where"
            return self.text(x, max(level, 1) if own else level)
        return self.kind.spread.format(self.text(x))
