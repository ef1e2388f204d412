"""Derivatives of graphs: against finite differences, against the mass matrix, and as compiled code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from polybody.codegen.physics import aba, crba, integrate, passive, rnea
from polybody.codegen.specialised import Request, program
from polybody.codegen.staging import scalars
from polybody.codegen.staging.derivative import along, differentiate
from polybody.codegen.staging.operations import OPERATIONS
from polybody.codegen.staging.scalars import Expr, Graph
from polybody.generated.kernels.layout import VALUES

from .graphs import compiled, values
from .test_machines import columns_of
from .test_packing import TREES
from .trees import Array, columns, dense, random_state

STEP = 1e-6  # of a central difference, whose error is then about 1e-9
DIFFERENTIABLE = [name for name, row in OPERATIONS.items() if row.tangent is not None]


def matrix(rows: list[dict[int, Any]], n: int, given: dict[str, Array]) -> Array:
    """Numeric values of rows of derivatives."""
    places = [(i, k) for i, row in enumerate(rows) for k in row]
    found = np.zeros((len(rows), n))
    for (i, k), x in zip(places, values([rows[i][k] for i, k in places], given), strict=True):
        found[i, k] = x
    return found


def differences(outputs: list[Any], column: str, given: dict[str, Array], step: float = STEP) -> Array:
    """Derivatives of the outputs with respect to the inputs of a column, by central differences."""
    found = []
    for k in range(len(given[column])):
        ends = []
        for offset in (step, -step):
            moved = given[column].copy()
            moved[k] += offset
            ends.append(np.array(values(outputs, given | {column: moved})))
        found.append((ends[0] - ends[1]) / (2 * step))
    return np.array(found).T


def agree(found: Array, outputs: list[Any], column: str, given: dict[str, Array]) -> bool:
    """Agrees with central differences to 1e-6 of the largest plus their error, estimated from twice the
    step.
    """
    wanted = differences(outputs, column, given)
    off = np.abs(wanted - differences(outputs, column, given, 2 * STEP))
    return bool((np.abs(found - wanted) <= off + 1e-6 * (1.0 + np.abs(wanted).max())).all())


def inputs(graph: Graph, n: int) -> list[Expr]:
    return [graph.node("input", "x", k) for k in range(n)]


def close(found: Array, wanted: Array, tolerance: float) -> bool:
    return bool(np.abs(found - wanted).max() <= tolerance * (1.0 + np.abs(wanted).max()))


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_the_tangent_of_each_operation(name: str) -> None:
    """With respect to each operand, at random points; also if both operands are the same."""
    graph, rng = Graph(), np.random.default_rng(3)
    x = inputs(graph, 2)
    operands: list[Any] = [scalars.minimum(x[0], 9.0), x[1] * 1.5 + 0.1, x[0] * x[1]]
    if name == "where":
        operands[0] = x[0] < x[1]
    arity = len(OPERATIONS[name].operands)
    outputs = [graph.node(name, *operands[:arity])]
    if name != "where":
        outputs.append(graph.node(name, *operands[:1] * arity))
    rows = differentiate(outputs, x)
    for _ in range(20):
        given = {"x": rng.uniform(0.2, 2.0, 2)}
        assert close(matrix(rows, 2, given), differences(outputs, "x", given), 1e-7)
    for output, row in zip(outputs, along(outputs, {x[0]: 2.0, x[1]: x[0]}), strict=True):
        (both,) = differentiate([output], x)
        sum_ = both.get(0, 0.0) * 2.0 + both.get(1, 0.0) * x[0]
        assert np.allclose(*values([row, sum_], given), rtol=1e-14)


def grown(graph: Graph, rng: np.random.Generator, size: int) -> list[Any]:
    """Scalars of all operations on operands drawn from the last ones, of moderate size and slope."""
    made: list[Any] = inputs(graph, 4)
    one: list[Callable[[Any], Any]] = [
        scalars.sin, scalars.cos, scalars.tanh, abs, lambda a: -a, lambda a: scalars.sqrt(a * a + 0.3),
        lambda a: scalars.exp(scalars.minimum(a, 1.0)), lambda a: scalars.log(1.5 + a * a),
        lambda a: scalars.power(0.5 + a * a, 1.7), lambda a: scalars.asin(0.9 * scalars.sin(a)),
        lambda a: scalars.clip(a, -0.7, 0.8), lambda a: a - scalars.floor(a), lambda a: a * scalars.sign(a),
        lambda a: scalars.lane(scalars.join(a, a * 2.0), 1), lambda a: scalars.power(scalars.sin(a), 3),
    ]  # fmt: skip
    two: list[Callable[[Any, Any], Any]] = [
        lambda a, b: a + b, lambda a, b: a - b, lambda a, b: scalars.sin(a) * b,
        lambda a, b: a / (1.0 + b * b),
        lambda a, b: scalars.where(a < b, scalars.tan(0.3 * scalars.sin(a)) * b, b),
        lambda a, b: scalars.atan2(a, b) + scalars.acos(0.9 * scalars.cos(b)),
        scalars.minimum, scalars.maximum,
        lambda a, b: scalars.power(0.2 + abs(a), scalars.cos(b)), scalars.hypot,
        lambda a, b: scalars.total(scalars.sin(scalars.join(a, b)), 2),
        lambda a, b: scalars.total(scalars.pick(scalars.sin(scalars.join(a, b)), (1, 0, 1, 1)), 4),
        lambda a, b: scalars.where(scalars.both(a < b, scalars.opposite(b <= 0.1)), a, b * scalars.cos(b)),
    ]  # fmt: skip
    for _ in range(size):
        a, b = (made[-int(rng.integers(1, min(8, len(made) + 1)))] for _ in "ab")
        if rng.random() < 0.5:
            made.append(one[int(rng.integers(len(one)))](a))
        else:
            made.append(two[int(rng.integers(len(two)))](a, b))
    return made[-6:]


@pytest.mark.parametrize("seed", range(12))
def test_random_graphs(seed: int) -> None:
    graph, rng = Graph(), np.random.default_rng(seed)
    outputs = grown(graph, rng, 30)
    x = inputs(graph, 4)
    rows = differentiate(outputs, x)
    rates = rng.normal(size=4)
    slopes = along(outputs, dict(zip(x, rates.tolist(), strict=True)))
    for _ in range(5):
        given = {"x": rng.normal(size=4)}
        found = matrix(rows, 4, given)
        assert agree(found, outputs, "x", given)
        assert close(np.array(values(slopes, given)), found @ rates, 1e-12)


def test_what_is_not_differentiable_is_a_branch_taken() -> None:
    graph = Graph()
    (x,) = inputs(graph, 1)
    safe = scalars.where(x < 1e-3, 1.0, x)
    (row,) = differentiate([scalars.where(x < 1e-3, 2.0 * x, scalars.sqrt(safe) / safe)], [x])
    assert values([row[0]], {"x": np.zeros(1)}) == [2.0]
    assert np.isclose(values([row[0]], {"x": np.full(1, 4.0)})[0], -1 / 16)


def test_inputs_may_be_any_nodes() -> None:
    """The nodes from which they are computed are ignored."""
    graph = Graph()
    x, y = inputs(graph, 2)
    inner = x * y
    rows = differentiate([scalars.sin(inner) * x, 3.0, x + y], [inner, x])
    given = {"x": np.array([0.4, 0.7])}
    assert np.allclose(matrix(rows, 2, given), [[np.cos(0.28) * 0.4, np.sin(0.28)], [0, 0], [0, 1]])


CASES = {f"tree {seed}": columns_of(seed) for seed in range(3)} | {
    name: columns(tree, 3, armature=0.2) for name, tree in TREES.items()
}


@pytest.mark.parametrize("case", CASES)
def test_forces_by_accelerations_are_the_mass_matrix(case: str) -> None:
    c = CASES[case]
    nv = len(c["dof_parentid"])
    machine = program.executed(rnea.inverse, c, VALUES, Request(("inverse",)))
    forces = machine.results("qfrc_inverse")
    rows = differentiate([forces[i] for i in range(nv)], [machine.input("qacc", k) for k in range(nv)])
    composite = program.executed(crba.mass_matrix, c, VALUES, Request(("mass_matrix",))).results("qM")
    for seed in range(2):
        given = random_state(c, np.random.default_rng(seed)) | {"qacc": np.ones(nv)}
        sparse = np.array(values([composite[k] for k in range(len(composite))], given))
        wanted = dense(c, sparse) + c["opt_regularization"][0] * np.eye(nv)
        assert close(matrix(rows, nv, given), wanted, 1e-13)


def accelerated(m: Any, t: Any) -> None:
    m.call(passive.passive)
    m.call(aba.acceleration)


def test_accelerations_by_forces_are_its_inverse() -> None:
    c = columns_of(1)
    nv = len(c["dof_parentid"])
    machine = program.executed(accelerated, c, VALUES, Request(("acceleration",)))
    found = machine.results("qacc")
    rows = differentiate([found[i] for i in range(nv)], [machine.input("qfrc_applied", k) for k in range(nv)])
    composite = program.executed(crba.mass_matrix, c, VALUES, Request(("mass_matrix",))).results("qM")
    given = random_state(c, np.random.default_rng(0))
    sparse = np.array(values([composite[k] for k in range(len(composite))], given))
    mass = dense(c, sparse) + c["opt_regularization"][0] * np.eye(nv)
    assert close(matrix(rows, nv, given) @ mass, np.eye(nv), 1e-11)


@pytest.mark.parametrize("column", ["qpos", "qvel"])
@pytest.mark.parametrize("seed", [1, 2])
def test_steps_by_the_state(seed: int, column: str) -> None:
    c = columns_of(seed)
    machine = program.executed(integrate.euler, c, VALUES, Request(("step",)))
    state = random_state(c, np.random.default_rng(seed), 0.5)
    outputs = [x for name in ("qpos", "qvel") for _, x in sorted(machine.results(name).items())]
    n = len(state[column])
    rows = differentiate(outputs, [machine.input(column, k) for k in range(n)])
    found = matrix(rows, n, state)
    assert np.abs(found).max() > 0.5
    assert agree(found, outputs, column, state)


@pytest.mark.parametrize("lanes", [1, 8])
def test_they_compile(lanes: int, tmp_path: Path) -> None:
    """They compile like any other scalars, and the values in every lane are those of the graph."""
    graph, rng = Graph(), np.random.default_rng(5)
    outputs = [x for seed in range(4) for x in grown(graph, np.random.default_rng(seed), 40)]
    flat = [x for row in differentiate(outputs, inputs(graph, 4)) for x in row.values()]
    assert len(flat) > 40
    flat = [graph.lift(x) for x in (*outputs, *flat)]
    if lanes > 1:
        flat = [x for x in flat if all(n.width == 1 for n in scalars.below([x]))]
        assert len(flat) > 20
    f = compiled({"y": flat}, {"x": 4}, Request(("f",), lanes=lanes), tmp_path)
    for _ in range(5):
        x = rng.normal(size=(4, lanes))
        arrays = {"x": x, "y": np.zeros((len(flat), lanes))}
        f.call("f", arrays)
        for lane in range(lanes):
            wanted = np.array(values(flat, {"x": x[:, lane]}))
            assert np.allclose(arrays["y"][:, lane], wanted, rtol=1e-9, atol=1e-9)
