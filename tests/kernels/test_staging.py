"""Errors that the tracing machines detect themselves, and the lint for those that they cannot."""

from __future__ import annotations

import inspect
import pkgutil
import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polybody.codegen.physics
import pytest
from polybody.codegen.context.kernels import check_joints
from polybody.codegen.physics.spatial import Force, Motion
from polybody.codegen.schema import SchemaError, physics
from polybody.codegen.staging.columns import Column
from polybody.codegen.staging.emit import Emit, Library
from polybody.codegen.staging.lint import carried
from polybody.codegen.staging.render import SIGNS, WIDTH, Renderer, wrapped
from polybody.codegen.staging.scalars import EscapeError, Graph, sqrt, where

from benchmarks.ours.reference import kernel_columns
from tests.waiting import PATIENCE

GENERATED = Path(__file__).resolve().parents[2] / "generated"
PHYSICS = [m.name for m in pkgutil.iter_modules(polybody.codegen.physics.__path__)]


def emitted(algorithm: Any, columns: Sequence[Column] = ()) -> str:
    """The C text of an algorithm, over the kernels' columns or others."""
    columns = columns or kernel_columns()
    machine = Emit(columns, Library())
    machine.trace(algorithm)
    taken = frozenset(c.name for c in columns)
    return "\n".join(Renderer(lambda column, row: f"{column}[{row}]", taken).function(machine.top))


def escapes(m: Any, t: Any) -> None:
    total = 0.0
    for i in m.dofs():
        total = total + t.qvel[i]
    t.qacc[0] = total


def branches(m: Any, t: Any) -> None:
    for i in m.dofs():
        if t.qvel[i] > 0.0:
            t.qacc[i] = 0.0


def leaves_a_branch(m: Any, t: Any) -> None:
    for i in m.dofs():
        for _ in m.when(t.dof_depth[i] < 3):
            x = t.qvel[i] * 2.0
        t.qacc[i] = x


CARRIED = """
def carries(m, t):
    last = 0.0
    for i in m.dofs():
        t.qacc[i] = last
        last = t.qvel[i]
"""
KEPT = """
def keeps(m, t):
    last = m.locals(value=0.0)
    for i in m.dofs():
        t.qacc[i] = last.value
        last.value = t.qvel[i]
        x = t.qvel[i]
        y = [x * n for n in range(3)]
"""
COUNTED = """
def counts(m, t):
    n = 0
    for i, axis in kind.dofs(m, t, k):
        n += 1
"""


@pytest.mark.parametrize("algorithm", [escapes, leaves_a_branch])
def test_values_do_not_escape(algorithm: Any) -> None:
    with pytest.raises(EscapeError):
        emitted(algorithm)


def test_traced_values_have_no_truth() -> None:
    with pytest.raises(TypeError, match="where"):
        emitted(branches)


def test_the_lint_finds_what_is_carried_round_a_loop() -> None:
    assert carried(CARRIED) == [(5, "last")]
    assert carried(COUNTED) == [(5, "n")]
    assert carried(KEPT) == []


@pytest.mark.parametrize("module", PHYSICS)
def test_no_algorithm_carries_variables(module: str) -> None:
    source = inspect.getsource(
        getattr(__import__(f"polybody.codegen.physics.{module}").codegen.physics, module)
    )
    assert carried(source) == []


def test_names_that_c_reserves(tmp_path: Path) -> None:
    """Columns may have any name; temporaries are named after columns and variables."""
    names = ["x_register", "x_int", "x_double", "x_d", "x_j1", "x_sqrt", "x_minimum", "x_x"]

    def algorithm(m: Any, t: Any) -> None:
        for i in m.dofs():
            for name in names:
                column = getattr(t, name)
                column[i] = sqrt(column[i] * column[i]) + column[i]
            own = m.locals(double=t.x_x[i])
            own.double = own.double + 1.0
            t.x_x[i] = own.double

    text = emitted(algorithm, [Column(name, "dof", "real", "data") for name in names])
    parameters = ", ".join(f"double *{name}" for name in names)
    head = f"#include <math.h>\nvoid f(int nv, {parameters})\n"
    (tmp_path / "a.c").write_text(head + "{\n" + text + "\n}\n", encoding="utf-8")
    subprocess.run(
        ["cc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only", str(tmp_path / "a.c")],
        check=True,
        timeout=PATIENCE,
    )


def test_a_store_is_not_overtaken() -> None:
    """A value read before a store keeps its old content, even if it is used once and later."""

    def swap(m: Any, t: Any) -> None:
        for i in m.dofs():
            old = t.qvel[i]
            t.qvel[i] = t.qacc[i]
            t.qacc[i] = old

    lines = [line.strip() for line in emitted(swap).splitlines()]
    assert lines[1:4] == ["const double qvel2 = qvel[i];", "qvel[i] = qacc[i];", "qacc[i] = qvel2;"]


def test_temporaries_are_called_by_what_they_become() -> None:
    """Named after the column that is loaded or stored, or the field that is read or set, otherwise after the
    type.
    """

    def algorithm(m: Any, t: Any) -> None:
        for k in m.links():
            moved = t.link_vel[k] + t.link_acc[k]
            t.link_vel[k] = moved
            turn = t.link_pos[k] + t.link_w[k]
            t.link_acc[k] = Motion(turn, moved.lin)
            t.link_force[k] = Force(turn, turn)

    names = re.findall(r"const \w+ (\w+) =", emitted(algorithm))
    assert names == ["vel", "vec"]


def test_the_vocabulary_and_its_classes_agree() -> None:
    rows = physics().joints
    check_joints(rows)
    with pytest.raises(SchemaError, match=r"physics\.xml:\d+: .* no class Planar"):
        check_joints((*rows, replace(rows[0], name="planar", cls="Planar", code=9)))
    with pytest.raises(SchemaError, match="differ in name, code, nq or nv"):
        check_joints((replace(rows[0], nv=5), *rows[1:]))
    with pytest.raises(SchemaError, match="no row for Screw"):
        check_joints([row for row in rows if row.cls != "Screw"])


def test_constants_fold() -> None:
    g = Graph()
    x = g.node("input", "x", 0)
    assert (x * 0.0).value == 0.0
    assert x * 1.0 is x
    assert x + 0.0 is x
    assert (x - x).value == 0.0
    assert (-x).__neg__() is x
    assert x * -1.0 is -x
    assert (x * 2.0 + 1.0) is (x * 2.0 + 1.0)
    assert x + g.node("input", "y", 0) is g.node("input", "y", 0) + x
    assert where(g.const(2.0) < 3.0, x, 0.0) is x
    assert np.isclose((g.const(2.0) / 4.0).value, 0.5)


def test_lines_are_broken_between_operands_and_not_inside_of_them() -> None:
    names = [f"length{k}[address + {k}]" for k in range(6)]
    ball = "    const Quat quat = (Quat){" + ", ".join(names) + "};"
    assert wrapped(ball) == [
        "    const Quat quat = (Quat){length0[address + 0], length1[address + 1], length2[address + 2],",
        "        length3[address + 3], length4[address + 4], length5[address + 5]};",
    ]
    sums = "    const double t = " + " + ".join(f"{name} * ({name} - 1.0)" for name in names[:3]) + ";"
    assert wrapped(sums) == [
        "    const double t = length0[address + 0] * (length0[address + 0] - 1.0)",
        "        + length1[address + 1] * (length1[address + 1] - 1.0)",
        "        + length2[address + 2] * (length2[address + 2] - 1.0);",
    ]
    assert wrapped("    short;") == ["    short;"]
    assert wrapped(word := "    " + "x" * 2 * WIDTH) == [word]


def test_no_line_of_the_kernels_ends_with_an_operator() -> None:
    lines = (GENERATED / "kernels" / "dynamics.h").read_text(encoding="utf-8").splitlines()
    inside = [line for line in lines if line.startswith("    ") and not line.lstrip().startswith(("/*", "*"))]
    assert len(inside) > 1000
    assert [
        line for line in inside if line.endswith(tuple(f" {sign}" for sign in SIGNS if sign != ":"))
    ] == []


def test_every_column_of_the_kernels_is_documented() -> None:
    assert [c.name for c in kernel_columns() if not c.doc] == []
    assert isinstance(kernel_columns()[0], Column)
