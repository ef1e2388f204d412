"""The operations: the same values with plain numbers, in loops and in lanes, with the stated accuracy."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from polybody.codegen.specialised import Kernel, Request
from polybody.codegen.specialised.program import units
from polybody.codegen.staging import scalars
from polybody.codegen.staging.columns import Column
from polybody.codegen.staging.emit import Emit, Library
from polybody.codegen.staging.operations import OPERATIONS
from polybody.codegen.staging.render import Renderer, operation_texts
from polybody.codegen.staging.scalars import Graph
from polybody.codegen.staging.straight import straight

from .graphs import compiled
from .test_sines import ulps
from .trees import Array

CC = os.environ.get("CC", "cc")
X86 = platform.machine() in ("x86_64", "AMD64")
Operands = Callable[[np.random.Generator, int], tuple[Array, ...]]


class Case(NamedTuple):
    """A function of scalars.py, operands, the expected function, and the tolerance in units of the last
    place.
    """

    function: Callable[..., Any]
    operands: Operands
    wanted: Callable[..., Any]
    ulps: float


def spread(low: float, high: float) -> Operands:
    return lambda rng, n: (rng.uniform(low, high, n),)


def sizes(low: float, high: float, signs: bool = True) -> Operands:
    """Magnitudes of all powers of ten in this range."""
    return lambda rng, n: (10 ** rng.uniform(low, high, n) * np.where(rng.random(n) < 0.5 * signs, -1, 1),)


def pairs(first: Operands, second: Operands) -> Operands:
    return lambda rng, n: (*first(rng, n), *second(rng, n))


def unit(rng: np.random.Generator, n: int) -> tuple[Array, ...]:
    """Numbers between -1 and 1, half of them near an end or near 0."""
    near = 10 ** rng.uniform(-6, 0, n)
    return (
        np.where(rng.random(n) < 0.5, rng.uniform(-1, 1, n), np.where(rng.random(n) < 0.5, near, 1 - near)),
    )


CASES = {
    "exp": Case(scalars.exp, spread(-80, 80), np.exp, 1.0),
    "log": Case(scalars.log, sizes(-30, 30, signs=False), np.log, 1.0),
    "tanh": Case(scalars.tanh, sizes(-6, 1.5), np.tanh, 2.5),
    "tan": Case(scalars.tan, sizes(-3, 3), np.tan, 2.5),
    "asin": Case(scalars.asin, unit, np.arcsin, 3.0),
    "acos": Case(scalars.acos, unit, np.arccos, 3.0),
    "sqrt": Case(scalars.sqrt, sizes(-30, 30, signs=False), np.sqrt, 0.51),
    "hypot": Case(scalars.hypot, pairs(sizes(-3, 3), sizes(-3, 3)), np.hypot, 1.5),
    "pow": Case(scalars.power, pairs(sizes(-3, 3, signs=False), spread(-12, 12)), np.power, 1.0),
    "cube": Case(lambda a: scalars.power(a, 3), sizes(-9, 9), lambda a: a**3, 1.6),
    "inverse square": Case(lambda a: scalars.power(a, -2), sizes(-9, 9), lambda a: 1 / (a * a), 1.6),
    "square root as a power": Case(lambda a: scalars.power(a, 0.5), sizes(-9, 9, signs=False), np.sqrt, 0.51),
    "power of 1.7": Case(lambda a: scalars.power(a, 1.7), sizes(-9, 9, signs=False), None, 1.0),
    "abs": Case(abs, sizes(-30, 30), np.abs, 0.0),
    "floor": Case(scalars.floor, sizes(-3, 5), np.floor, 0.0),
    "sign": Case(scalars.sign, sizes(-9, 9), np.sign, 0.0),
    "minimum": Case(scalars.minimum, pairs(sizes(-1, 1), sizes(-1, 1)), np.minimum, 0.0),
    "maximum": Case(scalars.maximum, pairs(sizes(-1, 1), sizes(-1, 1)), np.maximum, 0.0),
    "clip": Case(lambda a: scalars.clip(a, -0.5, 2.0), sizes(-2, 2), lambda a: np.clip(a, -0.5, 2.0), 0.0),
    "not less": Case(lambda a, b: scalars.where(scalars.opposite(a < b), a, 0.0),
        pairs(spread(-1, 1), spread(-1, 1)), lambda a, b: np.where(a >= b, a, 0), 0.0),
    "either": Case(lambda a, b: scalars.where(scalars.either(a <= b, a >= 0.5), a, b),
        pairs(spread(-1, 1), spread(-1, 1)), lambda a, b: np.where((a <= b) | (a >= 0.5), a, b), 0.0),
    "both": Case(lambda a, b: scalars.where(scalars.both(a > b, b == b), a, 1.0),
        pairs(spread(-1, 1), spread(-1, 1)), lambda a, b: np.where(a > b, a, 1), 0.0),
}  # fmt: skip


def wanted(case: Case, operands: list[Array], precision: str) -> Array:
    """The expected value, in wider numbers."""
    wide = [x.astype(np.longdouble) for x in operands]
    if case.wanted is None:  # a constant exponent is rounded to the precision
        return np.power(wide[0], np.dtype(precision).type(1.7).astype(np.longdouble))
    return case.wanted(*wide)


def drawn(case: Case, n: int, precision: str) -> list[Array]:
    return [x.astype(precision) for x in case.operands(np.random.default_rng(11), n)]


def traced(cases: dict[str, Case]) -> list[Any]:
    """The functions of inputs x[2 k], x[2 k + 1], k being the index of the case."""
    graph = Graph()
    outputs = []
    for k, (case, arity) in enumerate(zip(cases.values(), map(arity_of, cases.values()), strict=True)):
        outputs.append(case.function(*[graph.node("input", "x", 2 * k + n) for n in range(arity)]))
    return outputs


def arity_of(case: Case) -> int:
    return len(case.operands(np.random.default_rng(0), 1))


VARIANTS = [("float64", 1), ("float64", 8), ("float64", 2), ("float32", 16), ("float32", 1)]


@pytest.mark.parametrize(("precision", "lanes"), VARIANTS)
def test_straight_line_code_is_as_accurate_as_stated(precision: str, lanes: int, tmp_path: Path) -> None:
    request = Request(("f",), precision, lanes)
    f = compiled({"y": traced(CASES)}, {"x": 2 * len(CASES)}, request, tmp_path)
    rounds = 4096 // lanes
    given = np.ones((rounds, 2 * len(CASES), lanes), precision)
    for k, case in enumerate(CASES.values()):
        for n, x in enumerate(drawn(case, rounds * lanes, precision)):
            given[:, 2 * k + n] = x.reshape(rounds, lanes)
    found = np.zeros((rounds, len(CASES), lanes), precision)
    for x, y in zip(given, found, strict=True):
        f.call("f", {"x": x, "y": y})
    for k, (name, case) in enumerate(CASES.items()):
        operands = [given[:, 2 * k + n].ravel() for n in range(arity_of(case))]
        off = ulps(found[:, k].ravel(), wanted(case, operands, precision))
        assert off <= case.ulps, (name, off)


def test_plain_numbers_and_loops_are_as_accurate(tmp_path: Path) -> None:
    """Results of the run machine and of the C text of loops."""
    run_loops = loops(tmp_path)
    for k, (name, case) in enumerate(CASES.items()):
        operands = drawn(case, 1024, "float64")
        expected = wanted(case, operands, "float64")
        plain = np.array([case.function(*row) for row in zip(*[x.tolist() for x in operands], strict=True)])
        assert ulps(plain, expected) <= case.ulps, name
        looped = run_loops(k, operands)
        assert ulps(looped, expected) <= case.ulps, name


def loops(folder: Path) -> Callable[[int, list[Array]], Array]:
    """A function that calls the loop of a case, by its index."""
    texts, operations = [], set()
    for k, case in enumerate(CASES.values()):
        columns = [Column(name, "dof", "real", "data") for name in ("a", "b", "y")]
        machine = Emit(columns, Library())

        def algorithm(m: Any, t: Any, case: Case = case) -> None:
            for i in m.dofs():
                t.y[i] = case.function(*[t.a[i], t.b[i]][: arity_of(case)])

        machine.trace(algorithm)
        renderer = Renderer(lambda column, row: f"{column}[{row}]", frozenset("aby"))
        body = "\n".join(renderer.function(machine.top))
        operations |= renderer.operations
        texts.append(f"void f{k}(int nv, const double *a, const double *b, double *y)\n{{\n{body}\n}}\n")
    helpers = "\n".join(line for lines in operation_texts(operations) for line in lines)
    text, library = folder / "loops.c", folder / "loops.so"
    text.write_text(f"#include <math.h>\n#define INLINE static inline\n{helpers}\n{''.join(texts)}")
    flags = [
        "-std=c11",
        "-O2",
        "-ffp-contract=fast",
        "-fno-math-errno",
        "-Wall",
        "-Werror",
        "-fPIC",
        "-shared",
    ]
    subprocess.run([CC, *flags, "-o", library, text, "-lm"], check=True, timeout=60)
    made = ctypes.CDLL(str(library))

    def call(k: int, operands: list[Array]) -> Array:
        a, b = (np.ascontiguousarray(x) for x in (operands * 2)[:2])
        y = np.zeros_like(a)
        getattr(made, f"f{k}")(len(a), *[ctypes.c_void_p(x.ctypes.data) for x in (a, b, y)])
        return y

    return call


SPECIAL = [0.0, -1.0, 1.5, -0.5, 3e3, -3e3, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize(
    "name", ["exp", "log", "tanh", "tan", "asin", "acos", "sqrt", "pow", "clip", "minimum"]
)
def test_numbers_out_of_the_common(name: str, tmp_path: Path) -> None:
    """Infinity and NaN as C specifies, also for plain numbers and constants, without exceptions."""
    case = CASES[name]
    arity = arity_of(case)
    graph = Graph()
    x = [graph.node("input", "x", n) for n in range(arity)]
    f = compiled({"y": [case.function(*x)]}, {"x": arity}, Request(("f",)), tmp_path)
    for a in SPECIAL:
        for b in SPECIAL if arity == 2 else [0.0]:
            operands = [a, b][:arity]
            if name == "pow" and a == 0 and b == -1:
                continue  # a power that is known to be 1 / a divides by zero, which raises an exception
            plain = case.function(*operands)
            constant = graph.lift(case.function(*map(graph.const, operands))).value
            arrays = {"x": np.array(operands), "y": np.zeros(1)}
            f.call("f", arrays)
            assert np.allclose([plain, constant], arrays["y"][0], rtol=1e-15, atol=0, equal_nan=True), (
                operands
            )


def test_nan_stays_nan() -> None:
    """Where it could be hidden: for a force that is clamped."""
    assert np.isnan(scalars.clip(np.nan, -1.0, 1.0))
    assert np.isnan(scalars.asin(1.5))


def test_constants_are_decided() -> None:
    graph = Graph()
    x, yes, no = graph.node("input", "x", 0), graph.const(True), graph.const(False)
    test = x < 2.0
    assert scalars.both(yes, test) is test
    assert scalars.both(test, no).value is False
    assert scalars.either(no, test) is test
    assert scalars.either(test, True).value is True
    assert scalars.opposite(scalars.opposite(test)) is test
    assert scalars.opposite(no).value is True
    assert (x != x) is False
    assert (graph.const(1.0) != graph.const(2.0)).value is True
    assert scalars.opposite(x != 2.0) is (x == 2.0)
    assert scalars.minimum(x, x) is x
    assert abs(-x) is abs(x)
    assert scalars.power(x, 0) == 1.0
    assert scalars.power(x, 1) is x
    assert scalars.power(x, 2) is x * x
    assert scalars.power(x, graph.const(4)) is x * x * (x * x)
    assert scalars.exp(graph.const(0.0)).value == 1.0
    mixed = scalars.join(graph.const(0.5), graph.const(3.0)) < 1.0
    picked = scalars.where(scalars.both(mixed, test), x, 0.0)
    assert picked.width == 2


def test_every_function_of_c_has_a_name_that_is_reserved() -> None:
    """Otherwise an algorithm's variable could shadow it."""
    renderer = Renderer(lambda column, row: column, frozenset())
    assert set(OPERATIONS) <= renderer.reserved


BRANCHLESS = [name for name, case in CASES.items() if case.ulps == 0.0]
MACHINES = [("x86-64-v4", 8), ("x86-64-v3", 4)] if X86 else [("native", 2)]


@pytest.mark.parametrize(("machine", "lanes"), MACHINES)
def test_lanes_do_not_branch(machine: str, lanes: int, tmp_path: Path) -> None:
    """Comparisons and selections: the machine code has no jump except the return at the end."""
    cases = {name: CASES[name] for name in BRANCHLESS}
    lines = straight("f", {"y": dict(enumerate(traced(cases)))}, "float64", lanes)
    kernel = Kernel("f", lines.columns, (2 * len(cases), len(cases)), lines.operations)
    (text,) = units([(kernel, lines)], Request(("f",), "float64", lanes))
    (tmp_path / "f.c").write_text(text)
    flags = ["-O2", f"-march={machine}", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"]
    subprocess.run([CC, *flags, "-w", "-S", "-o", tmp_path / "f.s", tmp_path / "f.c"], check=True, timeout=60)
    body = (tmp_path / "f.s").read_text().partition("f_0:")[2].partition("ret\n")[0]
    assert len(body) > 1000
    jumps = re.findall(r"^\s+(j[a-z]+|b\.?[a-z]{2}|cbn?z|tbn?z|loop\w*)\s", body, re.MULTILINE)
    assert jumps == []
