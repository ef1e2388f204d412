"""Formulas of rows and contacts: C of every kind computes what Python does with plain numbers."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from polybody.codegen.context.formulas import written
from polybody.codegen.physics.rows import FORMULAS
from polybody.codegen.physics.rows.costs import (
    Rise,
    Slide,
    cone_weight,
    mixed_curvature,
    normal_response,
    slide,
    slide_along,
    slide_curvature,
    slip,
    slip_along,
    spring,
    spring_along,
    tangential_response,
)
from polybody.codegen.staging.derivative import differentiate
from polybody.codegen.staging.inline import KINDS, SINGLE, Formula, Kind, Parameter, Trace, members, traced
from polybody.codegen.staging.operations import OPERATIONS
from polybody.codegen.staging.scalars import Expr, Graph, below
from polybody.codegen.staging.value_classes import Value

from tests.amounts import amount
from tests.waiting import PATIENCE

from .trees import Array

ROOT = Path(__file__).resolve().parents[2]
CC = os.environ.get("CC", "cc")
LANES = 4
EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-16, -1e-16, 1e-8, 1e8)
TRIALS, MULTIPLE = 4, 30.0
"""Arguments that differ by the last bits, and the multiple of what these change that rounding may change."""


class Built(NamedTuple):
    """How a kind is compiled here: its kind, and the type of its numbers."""

    kind: Kind
    precision: str


BUILDS = {
    "single": Built(SINGLE, "float64"),
    "lanes": Built(KINDS["lanes"], "float64"),
    "lanes of float32": Built(KINDS["lanes"], "float32"),
    "blocks": Built(KINDS["blocks"], "float64"),
}
CASES = [
    pytest.param(built, formula, id=f"{formula.__name__} {name}")
    for name, built in BUILDS.items()
    for formula in FORMULAS
    if formula.__name__ in written(built.kind)
]


def spread(low: float, high: float) -> Callable[[np.random.Generator, int], Array]:
    return lambda rng, n: rng.uniform(low, high, n)


def mixed(rng: np.random.Generator, n: int) -> Array:
    """Numbers of all sizes, some of them special."""
    found = rng.normal(0, 1, n) * 10 ** rng.uniform(-3, 1, n)
    return np.where(rng.random(n) < 0.2, rng.choice(EDGES, n), found)


def small(rng: np.random.Generator, n: int) -> Array:
    return rng.uniform(-1, 1, n) * rng.choice([1.0, 1.0, 1e-8, 1e-17, 0.0], n)


def positive(rng: np.random.Generator, n: int) -> Array:
    return 10 ** rng.uniform(-3, 3, n)


def chosen(*values: float) -> Callable[[np.random.Generator, int], Array]:
    return lambda rng, n: rng.choice(values, n)


DRAWS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    **{f"{name}.mu": spread(0.05, 3.0) for name in ("cone_weight", "zone", "slide", "slide_along")},
    **{f"{name}.weight": positive for name in ("slide", "slide_along")},
    "slide.square": lambda rng, n: np.abs(mixed(rng, n)),
    "slide_along.square": lambda rng, n: rng.choice([0.0, 1.0, 1.0], n) * rng.uniform(0.1, 10, n),
    "slide_along.product": spread(-1.0, 1.0),
    "slide_along.rates": spread(10.0, 20.0),
    "slip.most": positive,
    "slip.edge": positive,
    "slip_along.most": positive,
    "slip_along.edge": positive,
    "slip_change.most": positive,
    "slip_change.edge": positive,
    **{
        f"{formula}.{name}.{axis}": spread(-2, 2)
        for formula in ("nearest_of_axes", "pairs_of_axes")
        for name in ("a", "half_a", "b", "half_b")
        for axis in "xyz"
    },
    "ball_limit.q.w": spread(-1.0, 1.0),  # where it is 0, the axis changes its sign
    **{f"ball_limit.q.{axis}": small for axis in "xyz"},
    "rate_in_parent.turning": chosen(0.0, 1.0),
    "impedance.s.low": chosen(0.0001, 0.3, 0.9),
    "impedance.s.high": chosen(0.9, 0.9999),
    "impedance.s.width": chosen(0.0, 1e-16, 0.001, 0.5),
    "impedance.s.middle": chosen(0.0001, 0.4, 0.9999),
    "impedance.s.power": chosen(1.0, 2.0, 2.5, 6.0),
    "impedance.violation": lambda rng, n: np.where(rng.random(n) < 0.5, mixed(rng, n), 5e-4 * mixed(rng, n)),
    "regularisation.impedance": spread(1e-4, 0.9999),
    "regularisation.diagonal": lambda rng, n: rng.choice([0.0, 1.0], n) * positive(rng, n),
    "servo_damping.timestep": positive,
    "cone_friction.impratio": chosen(0.0, 0.1, 1.0, 5.0),
    "tangential_regularisation.impratio": chosen(0.0, 0.1, 1.0, 5.0),
    "direction_regularisation.own": positive,
}
"""How arguments are drawn that must be in a domain; others are `mixed`."""


def paths(p: Parameter) -> list[tuple[str, Any]]:
    """The scalars of a parameter as C writes them, and their annotations."""
    if isinstance(p.annotation, type) and issubclass(p.annotation, Value):
        return [(f"{p.name}.{path}", part) for path, part in members(p.annotation)]
    return [(p.name, p.annotation)]


def results(trace: Trace) -> list[tuple[str, Any]]:
    """The scalars of its result, as members of `result`."""
    return paths(Parameter("result", trace.result, False))


def inputs(trace: Trace) -> Array:
    """Arguments, a row for each evaluation; what lanes share is the same in LANES rows after another."""
    rng, columns, count = np.random.default_rng(7), [], amount(4000, 800)
    for p in trace.parameters:
        for path, part in paths(p):
            draw = DRAWS.get(f"{trace.name}.{path}", mixed)
            column = draw(rng, count)
            if part is bool:
                column = (column > 0).astype(float)
            columns.append(np.repeat(column[::LANES], LANES) if p.same else column)
    return np.ascontiguousarray(np.array(columns).T)


def wanted(formula: Formula, trace: Trace, rows: Array) -> Array:
    """What Python computes."""
    with np.errstate(all="ignore"):
        return np.array([_flat(formula(*_arguments(trace, row))) for row in rows], dtype=float)


def _arguments(trace: Trace, row: Array) -> Iterator[Any]:
    scalars = iter(row)  # of NumPy: they divide by zero as C does
    for p in trace.parameters:
        if isinstance(p.annotation, type) and issubclass(p.annotation, Value):
            yield p.annotation.unflat(scalars)
        else:
            x = next(scalars)
            yield x > 0 if p.annotation is bool else x


def _flat(found: Any) -> list[Any]:
    return found.flat() if isinstance(found, Value) else [found]


def caller(kind: Kind, trace: Trace) -> list[str]:
    """A C function that calls a formula with rows of numbers."""
    names = [(path, part, p.same) for p in trace.parameters for path, part in paths(p)]
    lines = [f"void call_{trace.name}(int n, const double *in, double *out)", "{"]
    step = 1 if kind is SINGLE else "WIDTH"
    lines += [f"    for (int i = 0; i < n; i += {step}) {{"]
    lines += [f"        {kind.type_of(p.annotation, p.same)} {p.name};" for p in trace.parameters]
    for k, (path, part, same) in enumerate(names):
        place = f"in[{len(names)} * (i + e) + {k}]"
        yes = "-1" if kind is not SINGLE else "1"
        value = f"{place} > 0 ? {yes} : 0" if part is bool else place
        if kind is SINGLE or same:
            lines.append(f"        {path} = {value.replace('(i + e)', 'i')};")
        else:
            lines.append(f"        for (int e = 0; e < WIDTH; e++) {path}[e] = {value};")
    type_ = kind.type_of(trace.result, False)
    arguments = ", ".join(p.name for p in trace.parameters)
    lines.append(f"        const {type_} result = {kind.function.format(trace.name)}({arguments});")
    found = results(trace)
    for k, (path, part) in enumerate(found):
        place = f"out[{len(found)} * (i + e) + {k}]"
        if kind is SINGLE:
            lines.append(f"        {place.replace('(i + e)', 'i')} = {path};")
        else:
            value = f"{path}[e] ? 1 : 0" if part is bool else f"{path}[e]"
            lines.append(f"        for (int e = 0; e < WIDTH; e++) {place} = {value};")
    return [*lines, "    }", "}"]


@cache
def library(built: Built, folder: Path) -> ctypes.CDLL:
    """All formulas of a kind, compiled."""
    real, whole = ("double", "int64_t") if built.precision == "float64" else ("float", "int32_t")
    head = [f"#define LANE_REAL {real}", f"#define LANE_INT {whole}", f"#define LANES {LANES}"]
    head += [f'#include "formulas/{built.kind.name}.h"']
    head += ["enum { WIDTH = BLOCK };" if built.kind.name == "blocks" else f"enum {{ WIDTH = {LANES} }};"]
    traces = [trace for trace in map(traced, FORMULAS) if trace.name in written(built.kind)]
    lines = [line for trace in traces for line in caller(built.kind, trace)]
    text, made = (
        folder / f"{built.kind.name}_{built.precision}.c",
        folder / f"{built.kind.name}_{built.precision}.so",
    )
    text.write_text("\n".join([*head, *lines, ""]))
    include = (f"-I{ROOT / 'runtime/native'}", f"-I{ROOT / 'generated/kernels'}")
    command = [CC, "-O1", "-w", "-shared", "-fPIC", *include, str(text), "-o", str(made), "-lm"]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)
    return ctypes.CDLL(str(made))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formulas")


@pytest.mark.skipif(shutil.which(CC) is None, reason="there is no C compiler")
@pytest.mark.parametrize(("built", "formula"), CASES)
def test_c_computes_what_the_formula_says(built: Built, formula: Formula, folder: Path) -> None:
    trace = traced(formula)
    rows = inputs(trace)
    if built.precision == "float32":
        rows = rows.astype(np.float32).astype(float)
    out = np.full((len(rows), len(results(trace))), np.nan)
    call = getattr(library(built, folder), f"call_{trace.name}")
    call(len(rows), ctypes.c_void_p(rows.ctypes.data), ctypes.c_void_p(out.ctypes.data))
    right, precision = wanted(formula, trace, rows), np.finfo(built.precision).eps
    nudged = [
        rows * (1 + precision * rng.choice([-1, 0, 1], rows.shape))
        for rng in map(np.random.default_rng, range(TRIALS))
    ]
    changes = np.max([np.abs(wanted(formula, trace, x) - right) for x in nudged], axis=0)
    compare(out, right, changes, rows, MULTIPLE * precision)


def compare(out: Array, right: Array, changes: Array, rows: Array, accuracy: float) -> None:
    """Numbers agree up to rounding: relative to the largest of a row, and to what the last bits of arguments
    change. What is infinite or NaN is so in both.
    """
    finite = np.isfinite(right)
    assert finite.mean() > 0.5
    scale = np.maximum(np.abs(np.where(finite, right, 0)).max(axis=1, keepdims=True), 1e-30)
    changes = np.where(np.isfinite(changes), changes, np.inf)
    with np.errstate(invalid="ignore"):
        wrong = finite & ~(np.abs(out - right) <= accuracy * scale + MULTIPLE * changes)
    assert (changes < 1e-3 * scale).mean() > 0.7
    wrong |= (np.isnan(right) != np.isnan(out)) & np.isfinite(changes)
    bad = wrong.any(axis=1)
    assert not bad.any(), f"{bad.sum()} rows, such as {rows[bad][0]}: {out[bad][0]}, not {right[bad][0]}"


def derivatives(outputs: Sequence[Any], inputs: Sequence[Expr], values: Mapping[int, float]) -> Array:
    """Numbers of the derivatives of some outputs, at values of all parameters by node."""
    table = differentiate(outputs, inputs)
    return np.array([[evaluated(row.get(k, 0.0), values) for k in range(len(inputs))] for row in table])


def evaluated(x: Any, values: Mapping[int, float]) -> float:
    if not isinstance(x, Expr):
        return float(x)
    known: dict[int, Any] = dict(values)
    for n in below([x]):
        if n.id not in known:
            operands = [known[a.id] if isinstance(a, Expr) else a for a in n.args]
            known[n.id] = n.value if n.op == "const" else OPERATIONS[n.op].evaluate(*operands)
    return float(known[x.id])


def test_forces_are_gradients_of_costs() -> None:
    """Also of a sliding contact; slopes and curvatures along lines are derivatives of costs as well."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        graph = Graph()
        x, at = graph.node("param", "x"), graph.node("param", "at")
        D, edge, v, here = rng.uniform(0.5, 2, 4) * rng.choice([-1, 1], 4) ** np.array([2, 2, 1, 1])
        values = {x.id: here, at.id: rng.uniform(-1, 1)}
        most = D * edge
        for force, twice in ((r.force, r.twice) for r in (spring(D, x), slip(D, edge, most, x))):
            (slope,) = derivatives([twice], [x], values)
            assert slope[0] == pytest.approx(-2 * evaluated(force, values), abs=1e-12)
        point = here + at * v
        for along, twice in (
            (spring_along(D, point, v), spring(D, point).twice),
            (slip_along(D, edge, most, point, v), slip(D, edge, most, point).twice),
        ):
            check_along(along, twice, at, values)


def check_along(along: Rise, twice: Any, at: Expr, values: Mapping[int, float]) -> None:
    (first,) = differentiate([twice], [at])
    (second,) = differentiate([first.get(0, 0.0)], [at])
    for own, other in (
        (along.twice, twice),
        (2 * along.slope, first.get(0, 0.0)),
        (2 * along.curvature, second.get(0, 0.0)),
    ):
        assert evaluated(own, values) == pytest.approx(evaluated(other, values), abs=1e-10, rel=1e-10)


@pytest.mark.parametrize("dim", [3, 4, 6])
def test_derivatives_of_elliptic_contacts(dim: int) -> None:
    rng, zones = np.random.default_rng(dim), Counter[str]()
    for _ in range(300):
        graph = Graph()
        x = [graph.node("param", str(k)) for k in range(dim)]
        at = graph.node("param", "at")
        friction, numbers, v = rng.uniform(0.3, 2, dim), rng.normal(0, 1, dim), rng.normal(0, 1, dim)
        numbers[0] *= 2 * dim
        values = {n.id: value for n, value in zip(x, numbers, strict=True)} | {at.id: rng.normal(0, 0.1)}
        mu, D = friction[0], rng.uniform(0.5, 2)
        weight, rows = cone_weight(D, mu), [D] + [D * (friction[k] / mu) ** 2 * mu**2 for k in range(1, dim)]
        found, cost, forces = elliptic(x, friction, weight, rows)
        zone_of = (
            "slides"
            if evaluated(found.slides, values)
            else "sticks"
            if evaluated(found.sticks, values)
            else "rests"
        )
        zones[zone_of] += 1
        (slopes,) = derivatives([cost], x, values)
        assert slopes == pytest.approx(
            [-2 * evaluated(force, values) for force in forces], rel=1e-9, abs=1e-9
        )
        if zone_of == "slides":
            curvatures = derivatives([-force for force in forces], x, values)
            assert curvatures == pytest.approx(entries(x, friction, weight, values), rel=1e-9, abs=1e-9)
        moved = [own + at * rate for own, rate in zip(x, v, strict=True)]
        _, twice, _ = elliptic(moved, friction, weight, rows)
        scaled, rates = ([f * y for f, y in zip(friction, of, strict=True)] for of in (moved, v))
        sums = [
            sum(a * b for a, b in zip(p[1:], q[1:], strict=True))
            for p, q in ((scaled, scaled), (scaled, rates), (rates, rates))
        ]
        stuck = Rise(0.0, 0.0, 0.0)
        for k in range(dim):
            stuck = stuck + spring_along(rows[k], moved[k], v[k])
        along = slide_along(mu, weight, scaled[0], rates[0], *sums, stuck)
        check_along(along, twice, at, values)
    assert min(zones.values()) > 20
    assert len(zones) == 3


def elliptic(
    x: Sequence[Any], friction: Array, weight: float, D: Sequence[float]
) -> tuple[Slide, Any, list[Any]]:
    """Where a contact is, twice its cost, and its forces."""
    square = sum((friction[k] * x[k]) * (friction[k] * x[k]) for k in range(1, len(x)))
    found = slide(friction[0], weight, friction[0] * x[0], square)
    responses = [normal_response(found, D[0], x[0])]
    responses += [tangential_response(found, friction[k], D[k], x[k]) for k in range(1, len(x))]
    return found, found.twice + sum(r.twice for r in responses), [r.force for r in responses]


def entries(x: Sequence[Expr], friction: Array, weight: float, values: Mapping[int, float]) -> Array:
    """The second derivatives of a sliding contact, by the formulas of their entries."""
    u = [f * values[n.id] for f, n in zip(friction, x, strict=True)]
    mu, inverse, found = friction[0], 1 / np.linalg.norm(u[1:]), np.ones((len(x), len(x)))
    for i in range(1, len(x)):
        found[i, 0] = found[0, i] = mixed_curvature(mu, inverse, u[i])
        for j in range(1, len(x)):
            found[i, j] = slide_curvature(mu, u[0], inverse, u[i], u[j], float(i == j))
    return found * weight * np.outer(friction, friction)
