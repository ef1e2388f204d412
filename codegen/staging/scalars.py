"""Scalars of a trace: a hash-consed graph that folds constants, and functions that also accept plain numbers.

operations.py defines the operations. This module has simplifications of graphs (x + 0, x - x, x (y / x)), and
the functions that algorithms call. These also accept plain numbers, so that the same algorithm can be run.

A node belongs to the region (loop body, branch) that was open when it was created. Known nodes are stored in
a stack with one dictionary per open region, so that an expression is shared only if its first occurrence
dominates the second.

A scalar may be a vector; its *width* is the number of isomorphic parts of a model that are computed together.
Scalars of width 1 are broadcast. join() makes a vector of scalars, lane() extracts one element, pick()
several, total() sums them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from .operations import OPERATIONS

COMMUTING = frozenset(name for name, row in OPERATIONS.items() if row.commutes)


class Several(tuple[Any, ...]):
    """A constant vector whose elements are not all equal."""

    __slots__ = ()

    def __neg__(self) -> Several:
        return Several(-x for x in self)


def fold(op: str, *values: Any) -> Any:
    """The result of an operation on constants."""
    evaluate = OPERATIONS[op].evaluate
    widths = {len(v) for v in values if isinstance(v, Several)}
    if not widths:
        return evaluate(*values)
    (n,) = widths
    return several([evaluate(*[v[k] if isinstance(v, Several) else v for v in values]) for k in range(n)])


def several(values: Sequence[Any]) -> Any:
    """Numbers as a constant vector; a single number if they are equal."""
    return values[0] if all(v == values[0] for v in values) else Several(values)


def negative(value: Any) -> bool:
    return all(x < 0 for x in value) if isinstance(value, Several) else bool(value < 0)


FAINT = 1e-30
"""Limit of constants for which division is replaced by multiplication with the reciprocal, also in single
precision.
"""


class EscapeError(Exception):
    """A value created inside a loop or branch is used after it: store it in a table or in m.locals()."""


class Graph:
    """Nodes in the order of their creation. A *symbolic* graph also has nodes for whole values and calls
    (values.py).
    """

    symbolic = False
    symbolic_ones: ClassVar[int] = 0  # number of symbolic graphs created so far

    def __init__(self) -> None:
        self.count = 0
        self.regions = 1
        self.open = [0]
        self.scopes: list[dict[Any, Any]] = [{}]

    def push(self) -> int:
        """Open a region; returns its number."""
        self.open.append(self.regions)
        self.scopes.append({})
        self.regions += 1
        return self.open[-1]

    def pop(self) -> None:
        self.scopes.pop()
        self.open.pop()

    def tick(self) -> int:
        self.count += 1
        return self.count

    def known(self, key: Any) -> Any:
        for scope in self.scopes:
            if key in scope:
                return scope[key]
        return None

    def check(self, *nodes: Expr) -> None:
        for n in nodes:
            if n.region not in self.open:
                raise EscapeError(f"a value ({n.op}) was made in a loop or branch that is closed")

    def node(self, op: str, *args: Any, type: Any = "real") -> Expr:
        names: list[Any] = []
        for a in args:
            if a.__class__ is Expr:
                if a.region not in self.open:
                    self.check(a)
                names.append(a.id)
            else:
                names.append(("#", a))
        if op in COMMUTING and names[0] > names[1]:
            names.reverse()
        key = (op, type, *names)
        found: Expr | None = self.known(key)
        if found is not None:
            return found
        n = Expr(self, op, args, type)
        if op == "const":
            n.region = 0
        self.scopes[0 if op == "const" else -1][key] = n
        return n

    def const(self, c: float | int | bool | Several) -> Expr:
        if c.__class__ is float:
            return self.node("const", c + 0.0)  # avoids negative zero
        if isinstance(c, Several):
            kind = "bool" if isinstance(c[0], bool) else "real"
            return self.node("const", c if kind == "bool" else Several(float(x) + 0.0 for x in c), type=kind)
        if isinstance(c, bool):
            return self.node("const", c, type="bool")
        if isinstance(c, int):
            return self.node("const", c, type="int")
        return self.node("const", float(c) + 0.0)

    def lift(self, x: Any) -> Expr:
        return x if x.__class__ is Expr else self.const(x)


class Expr:
    """A node; its type is "int", "long", "real", "bool" or, in a symbolic graph, a class of values."""

    __slots__ = ("args", "graph", "id", "op", "operands", "region", "type", "value", "width")

    def __init__(self, graph: Graph, op: str, args: Sequence[Any], type: Any) -> None:
        self.graph, self.op, self.args, self.type = graph, op, tuple(args), type
        self.region = graph.open[-1]
        self.id = graph.tick()
        self.operands = tuple([a for a in args if a.__class__ is Expr])
        self.value: Any = self.args[0] if op == "const" else None  # the value of a constant
        self.width = self.side_by_side()

    def side_by_side(self) -> int:
        if self.op == "join":
            return len(self.args)
        if self.op == "pick":
            return len(self.args[1])
        if self.op in ("lane", "total"):
            return 1
        if self.op == "const":
            return len(self.value) if isinstance(self.value, Several) else 1
        width = 1
        for a in self.operands:
            width = max(width, a.width)
        return width

    def __bool__(self) -> bool:
        raise TypeError("a traced value has no truth: use where(), m.when() or m.cases()")

    def __hash__(self) -> int:
        return self.id

    def __eq__(self, o: Any) -> Any:
        return self is o or compare("==", self, o)

    def __ne__(self, o: Any) -> Any:
        return opposite(self == o)

    def __lt__(self, o: Any) -> Any:
        return compare("<", self, o)

    def __gt__(self, o: Any) -> Any:
        return compare("<", o, self)

    def __le__(self, o: Any) -> Any:
        return compare("<=", self, o)

    def __ge__(self, o: Any) -> Any:
        return compare("<=", o, self)

    def __add__(self, o: Any) -> Any:
        return self if o.__class__ is float and o == 0.0 else add(self, o)

    def __radd__(self, o: Any) -> Any:
        return self if o.__class__ is float and o == 0.0 else add(o, self)

    def __sub__(self, o: Any) -> Any:
        return self if o.__class__ is float and o == 0.0 else sub(self, o)

    def __rsub__(self, o: Any) -> Any:
        return sub(o, self)

    def __mul__(self, o: Any) -> Any:
        if o.__class__ is float and (o == 0.0 or o == 1.0):
            return self if o else self.graph.const(0.0)
        return mul(self, o) if isinstance(o, (Expr, int, float)) else NotImplemented

    def __rmul__(self, o: Any) -> Any:
        return self.__mul__(o)

    def __truediv__(self, o: Any) -> Any:
        return div(self, o)

    def __rtruediv__(self, o: Any) -> Any:
        return div(o, self)

    def __abs__(self) -> Any:
        return function("fabs")(-self if self.op == "neg" else self)

    def __neg__(self) -> Any:
        if self.value is not None:
            return self.graph.const(-self.value)
        if self.op == "neg":
            return self.args[0]
        if self.op == "-":
            return sub(self.args[1], self.args[0])
        return self.graph.node("neg", self, type=self.type)


def below(roots: Iterable[Expr], uses: Callable[[Expr], Iterable[Expr]] = lambda n: n.operands) -> list[Expr]:
    """All nodes that the roots depend on, and the roots, operands first."""
    found: dict[int, Expr] = {}
    stack = list(roots)
    while stack:
        n = stack.pop()
        if n.id not in found:
            found[n.id] = n
            stack += uses(n)
    return [found[k] for k in sorted(found)]


def lift(a: Any, b: Any) -> tuple[Graph, Expr, Expr]:
    graph = a.graph if a.__class__ is Expr else b.graph
    return graph, graph.lift(a), graph.lift(b)


def joint(a: Expr, b: Expr) -> str:
    """The type of the result of an operation on two scalars."""
    if a.type == b.type:
        return str(a.type)
    types = {a.type, b.type}
    return "real" if "real" in types else "long" if "long" in types else "int"


def compare(op: str, a: Any, b: Any) -> Any:
    g, a, b = lift(a, b)
    if a.value is not None and b.value is not None:
        return g.const(fold(op, a.value, b.value))
    if op == "<" and b.op == "+" and b.args[0] is a and b.args[1].value == 1:
        return g.const(True)
    return g.node(op, a, b, type="bool")


def add(a: Any, b: Any) -> Any:
    g, a, b = lift(a, b)
    if a.value is not None and b.value is not None:
        return g.const(fold("+", a.value, b.value))
    if a.value is not None:
        a, b = b, a
    if b.value == 0:
        return a
    if b.op == "neg":
        return sub(a, b.args[0])
    if a.op == "neg":
        return sub(b, a.args[0])
    if b.value is not None and a.op in "+-" and a.args[1].value is not None:
        return add(a.args[0], fold(a.op, b.value, a.args[1].value))
    if b.op == "-" and b.args[1] is a:
        return b.args[0]
    if a.op == "-" and a.args[1] is b:
        return a.args[0]
    if a is b and a.type == "real":
        return mul(a, 2.0)
    return g.node("+", a, b, type=joint(a, b))


def sub(a: Any, b: Any) -> Any:
    g, a, b = lift(a, b)
    if a.value is not None and b.value is not None:
        return g.const(fold("-", a.value, b.value))
    if b.value == 0:
        return a
    if a.value == 0:
        return -b
    if a is b:
        return g.const(0.0 if a.type == "real" else 0)
    if b.op == "neg":
        return add(a, b.args[0])
    if a.op == "neg":
        return -add(a.args[0], b)
    if b.value is not None and a.op in "+-" and a.args[1].value is not None:
        return sub(a.args[0], fold("-" if a.op == "+" else "+", b.value, a.args[1].value))
    if a.op == "+" and (b is a.args[0] or b is a.args[1]):
        return a.args[b is a.args[0]]
    if b.op == "+" and (a is b.args[0] or a is b.args[1]):
        return -b.args[a is b.args[0]]
    if b.op == "-" and b.args[0] is a:
        return b.args[1]
    if a.op == "-" and a.args[0] is b:
        return -a.args[1]
    return g.node("-", a, b, type=joint(a, b))


def mul(a: Any, b: Any) -> Any:
    g, a, b = lift(a, b)
    if a.value is not None and b.value is not None:
        return g.const(fold("*", a.value, b.value))
    c, x = (a, b) if a.value is not None else (b, a)
    if c.value is not None:
        if c.value == 0:
            return g.const(0.0 if joint(a, b) == "real" else 0)
        if c.value == 1:
            return x
        if c.value == -1:
            return -x
        if x.op == "neg":
            return mul(x.args[0], -c.value)
        if negative(c.value):
            return -mul(x, -c.value)
        if x.op == "*" and x.args[1].value is not None:
            return mul(x.args[0], fold("*", x.args[1].value, c.value))
        return g.node("*", x, c, type=joint(a, b))
    if a.op == "neg":
        return -mul(a.args[0], b)
    if b.op == "neg":
        return -mul(a, b.args[0])
    for x, y in ((a, b), (b, a)):
        if y.op == "/" and y.args[1] is x:
            return y.args[0]
        if y.op == "*":
            for p, q in (y.args, y.args[::-1]):
                if q.op == "/" and q.args[1] is x:
                    return mul(p, q.args[0])
    return g.node("*", a, b, type=joint(a, b))


def div(a: Any, b: Any) -> Any:
    g, a, b = lift(a, b)
    if a.value is not None and b.value is not None:
        return g.const(fold("/", a.value, b.value))
    if b.value is not None and not g.symbolic and invertible(b.value):
        return mul(a, fold("/", 1.0, b.value))
    return g.node("/", a, b)


def invertible(value: Any) -> bool:
    """Whether the reciprocal of a constant is accurate: a multiplication takes a fraction of the time of a
    division.
    """
    return all(FAINT < abs(x) < 1.0 / FAINT for x in (value if isinstance(value, Several) else (value,)))


@functools.cache
def function(name: str) -> Callable[..., Any]:
    """The function of real numbers, including traced ones, for a row of the operations."""
    row = OPERATIONS[name]

    def f(*args: Any) -> Any:
        traced = next((a for a in args if isinstance(a, Expr)), None)
        if traced is None:
            return row.evaluate(*args)
        nodes = [traced.graph.lift(a) for a in args]
        if all(n.value is not None for n in nodes):
            return traced.graph.const(fold(name, *[n.value for n in nodes]))
        return traced.graph.node(name, *nodes)

    f.__name__ = name
    return f


sin, cos, sqrt, atan2 = map(function, ("sin", "cos", "sqrt", "atan2"))
exp, log, tanh, floor = map(function, ("exp", "log", "tanh", "floor"))
POWERS = 8  # exponents up to which a power is computed by products


def minimum(a: Any, b: Any) -> Any:
    """The smaller one; b if either is NaN."""
    return a if a is b else function("minimum")(a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger one; b if either is NaN."""
    return a if a is b else function("maximum")(a, b)


def clip(x: Any, low: Any, high: Any) -> Any:
    """The number between low and high that is nearest to x; NaN remains NaN."""
    return minimum(high, maximum(low, x))


def sign(x: Any) -> Any:
    """1, -1 or 0."""
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0))


def hypot(x: Any, y: Any) -> Any:
    """The length of (x, y), both with absolute values below 1e154."""
    return sqrt(x * x + y * y)


def tan(x: Any) -> Any:
    return sin(x) / cos(x)


def asin(x: Any) -> Any:
    """The angle between -pi/2 and pi/2 whose sine is x; NaN if there is none."""
    return atan2(x, sqrt((1.0 - x) * (1.0 + x)))


def acos(x: Any) -> Any:
    """The angle between 0 and pi whose cosine is x; NaN if there is none."""
    return atan2(sqrt((1.0 - x) * (1.0 + x)), x)


def power(x: Any, exponent: Any) -> Any:
    """x to the exponent; by products if the exponent is known to be a small integer."""
    known = exponent.value if isinstance(exponent, Expr) else exponent
    if known == 0.5:
        return sqrt(x)
    if isinstance(known, (int, float)) and abs(known) <= POWERS and float(known).is_integer():
        return product(x, int(known)) if known >= 0 else 1.0 / product(x, -int(known))
    return function("pow")(x, exponent)


def product(x: Any, n: int) -> Any:
    """x to the n, by squaring."""
    if n < 2:
        return x if n else 1.0
    half = product(x, n // 2)
    return half * half * x if n % 2 else half * half


def both(a: Any, b: Any) -> Any:
    """Whether two conditions are true; Python's `and` would need the truth value of a traced one."""
    return combine("and", a, b, decided=False)


def either(a: Any, b: Any) -> Any:
    """Whether at least one of two conditions is true."""
    return combine("or", a, b, decided=True)


def opposite(condition: Any) -> Any:
    """Whether a condition is false."""
    if not isinstance(condition, Expr):
        return not condition
    if condition.value is not None:
        return condition.graph.const(fold("not", condition.value))
    if condition.op == "not":
        return condition.args[0]
    return condition.graph.node("not", condition, type="bool")


def combine(op: str, a: Any, b: Any, decided: bool) -> Any:
    """The node of two conditions; if one is known to be `decided`, it is the result, if it is known
    otherwise, the other one.
    """
    if not isinstance(a, Expr) and not isinstance(b, Expr):
        return fold(op, bool(a), bool(b))
    g, a, b = lift(a, b)
    for known, other in ((a, b), (b, a)):
        if isinstance(known.value, Several):
            each = [combine(op, lane(a, k), lane(b, k), decided) for k in range(known.width)]
            return join(*each)
        if known.value is not None:
            return known if known.value == decided else other
    return a if a is b else g.node(op, a, b, type="bool")


def where(condition: Any, a: Any, b: Any) -> Any:
    """a if the condition is true, else b; both are computed."""
    if not isinstance(condition, Expr):
        return a if condition else b
    if isinstance(condition.value, Several):
        return condition.graph.lift(
            join(*[lane(a if yes else b, k) for k, yes in enumerate(condition.value)])
        )
    if condition.value is not None:
        return a if condition.value else b
    x, y = condition.graph.lift(a), condition.graph.lift(b)
    return x if x is y else condition.graph.node("where", condition, x, y, type=joint(x, y))


def join(*scalars: Any) -> Any:
    """A vector of scalars."""
    first = next((x for x in scalars if isinstance(x, Expr)), None)
    if first is None:
        return several(scalars)
    nodes = [first.graph.lift(x) for x in scalars]
    if all(n is first for n in nodes):
        return first
    if all(n.value is not None for n in nodes):
        return first.graph.const(several([n.value for n in nodes]))
    if all(n.op == "lane" and n.args[0] is nodes[0].args[0] for n in nodes):
        return pick(nodes[0].args[0], tuple([n.args[1] for n in nodes]))
    if all(n.op == "neg" for n in nodes):
        return -join(*[n.args[0] for n in nodes])
    return first.graph.node("join", *nodes, type=first.type)


def lane(x: Any, k: int) -> Any:
    """The k-th element of a vector."""
    if isinstance(x, Several):
        return x[k]
    if not isinstance(x, Expr) or x.width == 1:
        return x
    if isinstance(x.value, Several):
        return x.graph.const(x.value[k])
    if x.op == "join":
        return x.args[k]
    if x.op == "pick":
        return lane(x.args[0], x.args[1][k])
    return -lane(x.args[0], k) if x.op == "neg" else x.graph.node("lane", x, k, type=x.type)


def pick(x: Any, places: tuple[int, ...]) -> Any:
    """Elements of a vector in any order, repeated or omitted."""
    if isinstance(x, Several):
        return several([x[k] for k in places])
    if not isinstance(x, Expr) or x.width == 1:
        return x
    if len(places) == 1:
        return lane(x, places[0])
    if isinstance(x.value, Several):
        return x.graph.const(several([x.value[k] for k in places]))
    if places == tuple(range(x.width)):
        return x
    if x.op == "pick":
        return pick(x.args[0], tuple([x.args[1][k] for k in places]))
    if x.op == "neg":
        return -pick(x.args[0], places)
    if x.op == "join" and len(set(places)) == 1:
        return x.args[places[0]]
    return x.graph.node("pick", x, places, type=x.type)


def total(x: Any, n: int) -> Any:
    """The sum of the n elements of a vector."""
    if isinstance(x, Several):
        return sum(x)
    if not isinstance(x, Expr) or x.width == 1:
        return x * float(n)
    if isinstance(x.value, Several):
        return x.graph.const(sum(x.value))
    if x.op == "join":
        return functools.reduce(add, x.args)
    return -total(x.args[0], n) if x.op == "neg" else x.graph.node("total", x)
