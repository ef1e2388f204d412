"""Regions of statements as C text, at the level of values: structs and calls of helpers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from .emit import Helper, Item, Region, Table
from .operations import ATOM, OPERATIONS, ROWS
from .scalars import Expr

LIMIT = 84  # characters beyond which a subexpression becomes a temporary
WIDTH = 110
WEIGHT = {"load": 10, "part": 2, "make": 8, "call": 14, "index": 1, "param": 4}  # own characters
SIGNS = {  # operators, and their precedence
    sign: 1 + row.level
    for row in ROWS
    if row.loop.startswith("{0} ")
    for sign in row.loop.split()
    if not sign.startswith("{")
}
TEMPORARIES = {"real": "t", "int": "n", "long": "at", "bool": "yes"}
C_TYPES = {"int": "int", "long": "int64_t", "real": "double", "bool": "int"}
RESERVED = frozenset((
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
    "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void",
    "volatile", "while", "m", "d", "y0", "y1", "yn", "j0", "j1", "jn", "main",
    *OPERATIONS,
))  # fmt: skip
Address = Callable[[str, str], str]  # how a row of a column is written


def c_type(type_: Any) -> str:
    return C_TYPES[type_] if isinstance(type_, str) else type_.__name__


class Renderer:
    """The text of one function; `used`: the tables and sizes that it mentions, `operations`: those that it
    uses.
    """

    def __init__(self, address: Address, taken: frozenset[str]) -> None:
        self.address = address
        self.reserved = RESERVED | taken
        self.used: set[Any] = set()
        self.operations: set[str] = set()
        self.lines: list[str] = []

    def function(self, top: Region) -> list[str]:
        plan = Plan(top)
        self.temporaries, self.becomes = plan.temporaries, plan.becomes
        self.texts: dict[int, tuple[str, int]] = {}
        self.region(top, "    ", set(self.reserved))
        return [part for line in self.lines for part in wrapped(line)]

    # differs if numbers are not doubles

    def c_type(self, type_: Any) -> str:
        return c_type(type_)

    def helper(self, helper: Helper) -> str:
        return helper.name

    # statements

    def region(self, region: Region, pad: str, taken: set[str]) -> None:
        """`taken` are the names in the enclosing regions; sibling regions may use the same names."""
        statements: list[tuple[int, Any]] = [(i.at, i) for i in region.items]
        statements += [(n.id, n) for n in self.temporaries.get(region.id, [])]
        for _, x in sorted(statements, key=lambda s: s[0]):
            if isinstance(x, Expr):
                text = self.raw(x)[0]
                name = self.name(x, taken)
                self.lines.append(f"{pad}const {self.c_type(x.type)} {name} = {text};")
                self.texts[x.id] = (name, ATOM)
            else:
                getattr(self, f"{x.op}_statement")(x, pad, taken)

    def store_statement(self, item: Item, pad: str, taken: set[str]) -> None:
        target = self.place(item.fields["table"], item.fields["row"])
        self.lines.append(f"{pad}{target} = {self.text(item.fields['value'])};")

    def declare_statement(self, item: Item, pad: str, taken: set[str]) -> None:
        table, value = item.fields["table"], item.fields["value"]
        text = self.text(value)
        table.c_name = self.unique(table.column.name, taken)
        self.lines.append(f"{pad}{self.c_type(value.type)} {table.c_name} = {text};")

    def call_statement(self, item: Item, pad: str, taken: set[str]) -> None:
        args = ", ".join(["m", "d", *[self.text(s) for s in item.fields["scalars"]]])
        self.lines.append(f"{pad}{item.fields['function']}({args});")

    def return_statement(self, item: Item, pad: str, taken: set[str]) -> None:
        self.lines.append(f"{pad}return {self.text(item.fields['node'])};")

    def loop_statement(self, item: Item, pad: str, taken: set[str]) -> None:
        f = item.fields
        first = self.text(f["first"])
        taken = set(taken)
        v = self.unique(f["index"].args[0], taken)
        self.texts[f["index"].id] = (v, ATOM)
        if f.get("apart"):
            self.lines.append("INDEPENDENT")
        if "step" in f:  # towards the root, along a column
            column = f["step"]
            step = self.column(column, v)
            end = f"{v} >= 0" if "until" not in f else f"{step} > 0"
            head = f"int {v} = {first}; {end}; {v} = {step}"
        else:
            last = self.bound(f["last"])
            head = (
                f"int {v} = {last} - 1; {v} >= {first}; {v}--"
                if f["backward"]
                else f"int {v} = {first}; {v} < {last}; {v}++"
            )
        self.block(f"{pad}for ({head})", item.regions[0], pad, taken)

    def if_statement(self, item: Item, pad: str, taken: set[str]) -> None:
        self.block(f"{pad}if ({self.text(item.fields['on'])})", item.regions[0], pad, taken)

    def switch_statement(self, item: Item, pad: str, taken: set[str]) -> None:
        """One branch per text: rows with the same text share it."""
        self.lines.append(f"{pad}switch ({self.text(item.fields['on'])}) {{")
        branches: dict[tuple[str, ...], list[str]] = {}
        for region in item.regions:
            outer, self.lines = self.lines, []
            self.region(region, pad + "    ", set(taken))
            label = region.label
            branches.setdefault(tuple(self.lines), []).append(f"case {label.code} /* {label.name} */:")
            self.lines = outer
        for lines, labels in branches.items():
            if lines:
                self.lines += [f"{pad}{' '.join(labels)} {{", *lines, f"{pad}    break;", f"{pad}}}"]
        self.lines.append(f"{pad}}}")

    def block(self, head: str, region: Region, pad: str, taken: set[str]) -> None:
        self.lines.append(head + " {")
        self.region(region, pad + "    ", set(taken))
        self.lines.append(pad + "}")

    # names and positions

    def unique(self, name: str, taken: set[str]) -> str:
        free, n = name, 1
        while free in taken:
            n += 1
            free = f"{name}{n}"
        taken.add(free)
        return free

    def name(self, node: Expr, taken: set[str]) -> str:
        """The name of a temporary is that of the column or component that it was or becomes, else of its
        type.
        """
        becomes = self.becomes.get(node.id, set())
        if node.op == "load":
            name = node.args[0].column.short
        elif node.op == "part":
            name = node.args[1]
        elif len(becomes) == 1:
            (name,) = becomes
        elif isinstance(node.type, str):
            name = TEMPORARIES[node.type]
        else:
            name = node.type.__name__.lower().rstrip("3")
        return self.unique(name, taken)

    def bound(self, bound: Expr | str) -> str:
        if isinstance(bound, Expr):
            return self.text(bound)
        self.used.add(bound)
        return bound

    def column(self, name: str, row: str) -> str:
        self.used.add(name)
        return self.address(name, row)

    def place(self, table: Table, row: Expr) -> str:
        if table.column.role == "local":
            return table.c_name
        return self.column(table.column.name, self.text(row))

    # expressions

    def text(self, node: Expr, level: int = 0) -> str:
        text, own = self.texts.get(node.id) or self.raw(node)
        return f"({text})" if own < level else text

    def raw(self, n: Expr) -> tuple[str, int]:
        """The text of a node, and its precedence."""
        a = n.args
        match n.op:
            case "const":
                text = str(int(n.value)) if n.type != "real" else repr(n.value)
                return text, ATOM if n.value >= 0 else OPERATIONS["neg"].level
            case "index" | "param":
                return a[0], ATOM
            case "load":
                return self.place(a[0], a[1]), ATOM
            case "part":
                return f"{self.text(a[0], ATOM)}.{a[1]}", ATOM
            case "make":
                return f"({self.c_type(n.type)}){{{', '.join(self.inner(x) for x in a)}}}", ATOM
            case "call":
                return f"{self.helper(a[0])}({', '.join(self.text(x) for x in a[1:])})", ATOM
        row = OPERATIONS[n.op]
        self.operations.add(n.op)
        return row.loop.format(
            *[self.text(x, level) for x, level in zip(a, row.operands, strict=True)]
        ), row.level

    def inner(self, node: Expr) -> str:
        """A component of a value under construction: nested ones need no type."""
        if node.op == "make" and node.id not in self.texts:
            return "{" + ", ".join(self.inner(x) for x in node.args) + "}"
        return self.text(node)


def wrapped(line: str) -> list[str]:
    """Breaks a long line of C: each time where the fewest brackets are open, after a comma if there is one,
    else before the operator of lowest precedence.
    """
    pad = " " * (len(line) - len(line.lstrip()) + 4)
    lines = []
    while len(line) > WIDTH - 4 and (ways := _breaks(line)):
        *_, at = min(ways)
        lines.append(line[:-at])
        line = pad + line[-at:].lstrip()
    return [*lines, line]


def _breaks(line: str) -> list[tuple[int, int, int]]:
    """Positions where a line can be broken: number of open brackets, rank of the character, minus the
    position.

    Breaks in the first third are excluded: the rest would need more lines.
    """
    found, depth = [], 0
    for at, character in enumerate(line[: WIDTH - 3]):
        depth += (character in "([{") - (character in ")]}")
        if character == " " and at > WIDTH // 3:
            operator = line[at + 1 :].partition(" ")[0]
            rank = 0 if line[at - 1] == "," else SIGNS.get(operator)
            if rank is not None:
                found.append((depth, rank, -at))
    return found


class Plan:
    """Which nodes become temporaries: those used twice or in nested regions, long ones, and loads that a
    store would overtake.
    """

    def __init__(self, top: Region) -> None:
        self.stores: dict[Any, list[int]] = {}
        self.users: dict[int, list[tuple[int, int]]] = {}  # of a node: positions and regions of statements
        self.needed: dict[int, Expr] = {}
        self.consumers: dict[int, list[Expr]] = {}
        self.becomes: dict[int, set[str]] = {}  # of a node: the columns, the components of values
        items = list(self.walk(top))
        for item, region in items:
            if item.op in ("store", "declare"):
                self.stores.setdefault(item.fields["table"], []).append(item.at)
                column = item.fields["table"].column
                if column.short != column.name:
                    self.becomes.setdefault(item.fields["value"].id, set()).add(column.short)
            if item.op == "call":
                self.stores.setdefault("call", []).append(item.at)
            for n in item.operands:
                self.users.setdefault(n.id, []).append((item.at, region))
                self.need(n)
        self.weigh()
        self.decide()

    def walk(self, region: Region) -> Iterator[tuple[Item, int]]:
        for item in region.items:
            yield item, region.id
            for inner in item.regions:
                yield from self.walk(inner)

    def need(self, node: Expr) -> None:
        stack = [node]
        while stack:
            n = stack.pop()
            if n.id in self.needed:
                continue
            self.needed[n.id] = n
            for a in n.operands:
                self.consumers.setdefault(a.id, []).append(n)
                stack.append(a)
            for part, a in zip(n.type.types, n.args, strict=True) if n.op == "make" else ():
                self.becomes.setdefault(a.id, set()).add(part)

    def weigh(self) -> None:
        """Estimates the lengths of texts; `long` collects nodes that must not grow further."""
        self.long: set[int] = set()
        weight: dict[int, int] = {}
        for k in sorted(self.needed):
            n = self.needed[k]
            total = WEIGHT.get(n.op, 3) + sum(weight[a.id] + 2 for a in n.operands)
            if self.count(n) > 1 and not self.simple(n):
                total = 6
            elif total > LIMIT and self.consumers.get(k):
                self.long.add(n.id)
                total = 6
            weight[n.id] = total

    def count(self, n: Expr) -> int:
        return len(self.users.get(n.id, [])) + len(self.consumers.get(n.id, []))

    def simple(self, n: Expr) -> bool:
        """Repeated at each use."""
        if n.op in ("const", "index", "param"):
            return True
        if n.op == "load":
            return bool(n.args[0].column.role == "local")
        if n.op == "neg":
            return self.simple(n.args[0])
        if n.op in ("+", "-") and n.type != "real" and n.args[1].op == "const":  # an index next to another
            return n.args[0].op == "index" or self.count(n.args[0]) > 1
        return n.op == "part" and (
            self.simple(n.args[0]) or (n.args[0].op != "part" and self.count(n.args[0]) > 1)
        )

    def decide(self) -> None:
        """From the last node to the first, because the position of a node depends on that of its users."""
        self.temporaries: dict[int, list[Expr]] = {}
        late: dict[int, list[tuple[int, int]]] = {}
        for k in sorted(self.needed, reverse=True):
            n = self.needed[k]
            places = self.users.get(k, []) + [p for c in self.consumers.get(k, []) for p in late[c.id]]
            if self.temporary(n, places):
                self.temporaries.setdefault(n.region, []).append(n)
                late[k] = [(n.id, n.region)]
            else:
                late[k] = places

    def temporary(self, n: Expr, places: list[tuple[int, int]]) -> bool:
        if n.op in ("const", "index", "param"):
            return False
        if n.id in self.long or (self.count(n) > 1 and not self.simple(n)):
            return True
        if n.op == "load" and not n.args[0].column.constant:
            last = max(p for p, _ in places)
            tables = [n.args[0]] if n.args[0].column.role == "local" else [n.args[0], "call"]
            if any(n.id < at < last for t in tables for at in self.stores.get(t, [])):
                return True
        if n.op != "load" and self.simple(n):
            return False
        return any(region != n.region for _, region in places)


def helper_text(
    helper: Helper, operations: set[str], made: Callable[[Address, frozenset[str]], Renderer] = Renderer
) -> list[str]:
    """A helper as a C function; adds its operations to those given. `made` creates the renderer."""

    def nowhere(column: str, row: str) -> str:
        raise TypeError("an operation reads no table")

    renderer = made(nowhere, frozenset(p.args[0] for p in helper.params))
    body = renderer.function(helper.body)
    operations |= renderer.operations
    params = ", ".join(f"{renderer.c_type(p.type)} {p.args[0]}" for p in helper.params)
    doc = [f"/* {' '.join(helper.doc.split())} */"] if helper.doc else []
    head = f"INLINE {renderer.c_type(helper.type)} {renderer.helper(helper)}({params})"
    return [*doc, head, "{", *body, "}"]


def operation_texts(operations: Collection[str]) -> list[list[str]]:
    """C functions for those operations that the C library does not have."""
    rows = [row for row in ROWS if row.name in operations and row.own]
    params = ("double a", "double b")
    return [
        [
            f"INLINE double {row.name}({', '.join(params[: len(row.operands)])})",
            "{",
            f"    return {row.define};",
            "}",
        ]
        for row in rows
    ]
