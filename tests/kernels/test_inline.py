"""Formulas of rows and contacts: C of every kind computes what Python does with plain numbers."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from polybody.codegen.context.formulas import written
from polybody.codegen.physics.rows import FORMULAS
from polybody.codegen.staging.inline import KINDS, SINGLE, Formula, Kind, Parameter, Trace, members, traced
from polybody.codegen.staging.value_classes import Value

from .trees import Array

ROOT = Path(__file__).resolve().parents[2]
CC = os.environ.get("CC", "cc")
COUNT, LANES = 4000, 4
EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-16, -1e-16, 1e-8, 1e8)
ACCURACY = {"float64": 1e-13, "float32": 2e-5}


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


def positive(rng: np.random.Generator, n: int) -> Array:
    return 10 ** rng.uniform(-3, 3, n)


def chosen(*values: float) -> Callable[[np.random.Generator, int], Array]:
    return lambda rng, n: rng.choice(values, n)


DRAWS: dict[str, Callable[[np.random.Generator, int], Array]] = {
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
    """The scalars of its result, as members of `y`."""
    return paths(Parameter("y", trace.result, False))


def inputs(trace: Trace) -> Array:
    """Arguments, a row for each evaluation; what lanes share is the same in LANES rows after another."""
    rng, columns = np.random.default_rng(7), []
    for p in trace.parameters:
        for path, part in paths(p):
            draw = DRAWS.get(f"{trace.name}.{path}", mixed)
            column = draw(rng, COUNT)
            if part is bool:
                column = (column > 0).astype(float)
            columns.append(np.repeat(column[::LANES], LANES) if p.same else column)
    return np.ascontiguousarray(np.array(columns).T)


def wanted(formula: Formula, trace: Trace, rows: Array) -> Array:
    """What Python computes."""
    return np.array([list(_flat(formula(*_arguments(trace, row)))) for row in rows], dtype=float)


def _arguments(trace: Trace, row: Array) -> Iterator[Any]:
    scalars = iter(row.tolist())
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
    lines.append(f"        const {type_} y = {kind.function.format(trace.name)}({arguments});")
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
    subprocess.run(command, check=True, capture_output=True, text=True)
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
    out = np.full((COUNT, len(results(trace))), np.nan)
    call = getattr(library(built, folder), f"call_{trace.name}")
    call(COUNT, ctypes.c_void_p(rows.ctypes.data), ctypes.c_void_p(out.ctypes.data))
    right = wanted(formula, trace, rows)
    compare(out, right, rows, ACCURACY[built.precision])


def compare(out: Array, right: Array, rows: Array, accuracy: float) -> None:
    """Numbers agree, relative to the largest of a row; what is infinite or NaN does so in both."""
    finite = np.isfinite(right)
    assert finite.mean() > 0.5
    scale = np.maximum(np.abs(np.where(finite, right, 0)).max(axis=1, keepdims=True), 1e-30)
    with np.errstate(invalid="ignore"):
        wrong = finite & ~(np.abs(out - right) <= accuracy * scale)
    wrong |= np.isnan(right) != np.isnan(out)
    bad = wrong.any(axis=1)
    assert not bad.any(), f"{bad.sum()} rows, such as {rows[bad][0]}: {out[bad][0]}, not {right[bad][0]}"
