"""Formulas as instructions: loops, reference and straight-line code give the values of the formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody
import pytest
from polybody.assembly.parts import Assembly, Body, Equality, Follows, Joint
from polybody.codegen.physics import formulas
from polybody.codegen.specialised import Request
from polybody.codegen.staging.specialise import Specialise
from polybody.diagnostics import Findings
from polybody.formulas import Variable, derivative, evaluate, parse
from polybody.formulas.functions import FUNCTIONS
from polybody.generated.kernels import dynamics, layout
from polybody.generated.model import EqualityType, JointType, OperationType

from benchmarks.ours.reference import Reference

from .graphs import compiled
from .test_machines import close

A, B = Variable("a"), Variable("b")
OPERATORS = (
    *("a+b*2-1", "a-b/3", "-a^2", "a^b", "a%b", "(a-2*b)%(0.3)", "!a", "!(a-1)", "a|b-1", "a&b"),
    *("a<b", "b<a", "a<=b", "a<=a", "a>b", "a>=a", "a=a", "a=b", "a!=b", "a!=a"),
    *("x:=a*b; y:=x+sin(x); y*y-x", "if(a>b,sqrt(a-b),sqrt(b-a))", "if(a-1,a,b)", "cos(a)^2+sin(a)^2*b"),
)
ABOVE_ONE = ("acosh",)


def formula(name: str) -> str:
    """A formula of a function; arguments are in (0.2, 0.9), or above 1 if required."""
    arguments = ("a", "b", "0.4+a*b")[: FUNCTIONS[name].arguments]
    return f"{name}({'1+' * (name in ABOVE_ONE)}{','.join(arguments)})"


TEXTS = (*OPERATORS, *(formula(name) for name in FUNCTIONS if not name.startswith("polyroots")))


def model(texts: tuple[str, ...]) -> polybody.Model:
    """Joints a and b, and one joint for each formula that follows them; all are slides of bodies in
    series.
    """
    assembly = Assembly("formulas")
    solid = {"mass": 1.0, "inertia": np.eye(3)}
    joints: list[Joint] = []
    body: Body | None = None
    for name in ("turned", "a", "b", *(f"c{k}" for k in range(len(texts)))):
        kind = JointType.ball if name == "turned" else JointType.slide  # nq and nv differ
        joints.append(Joint(name, kind))
        body = assembly.body(Body(name, body, joints=[joints[-1]], **solid))
    _, a, b, *rest = joints
    for text, joint in zip(texts, rest, strict=True):
        parsed = parse(text, ["a", "b"])
        partials = [(driver, derivative(parsed, by)) for driver, by in ((a, A), (b, B))]
        follows = Follows(parsed, {A: a, B: b}, partials)
        assembly.equalities.append(Equality(EqualityType.formula, joint, name=joint.name, formula=follows))
    return assembly.build(Findings())


def moved(made: polybody.Model, a: float, b: float) -> np.ndarray:
    qpos = made.qpos0.copy()
    qpos[4:6] = a, b
    qpos[6:] = np.linspace(-1, 1, len(qpos) - 6)
    return qpos


def looped(made: polybody.Model, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residuals, and their derivatives as a matrix."""
    data = polybody.Data(made)
    data.qpos[:] = qpos
    dynamics.formulas(made.kernel, data.kernel)
    rows = np.zeros((made.nformula, made.nv))
    rows[made.formula_J_formula, made.formula_J_colind] = data.kernel.array("formula_entry")
    return data.kernel.array("formula_pos").copy(), rows


@pytest.mark.parametrize(("a", "b"), [(0.37, 0.81), (0.81, 0.37), (0.5, 0.25)])
def test_the_loops_have_the_values_of_the_formulas_and_of_their_derivatives(a: float, b: float) -> None:
    made = model(TEXTS)
    qpos = moved(made, a, b)
    found, rows = looped(made, qpos)
    for k, text in enumerate(TEXTS):
        parsed, at = parse(text, ["a", "b"]), {A: a, B: b}
        close_to(qpos[6 + k] - found[k], evaluate(parsed, at), text)
        close_to(-rows[k, 3], evaluate(derivative(parsed, A), at), f"by a: {text}")
        close_to(-rows[k, 4], evaluate(derivative(parsed, B), at), f"by b: {text}")
    assert np.array_equal(rows[:, 5:], np.eye(len(TEXTS)))


def close_to(found: float, wanted: float, what: str) -> None:
    assert found == pytest.approx(wanted, rel=1e-13, abs=1e-14, nan_ok=True), what


def test_derivatives_are_those_of_the_residuals() -> None:
    """By central differences, away from steps and corners."""
    made = model(tuple(text for text in TEXTS if not set(text) & set("<>=!%&|") or ":=" in text))
    qpos, step = moved(made, 0.37, 0.81), 1e-6
    _, rows = looped(made, qpos)
    for dof in range(3, made.nv):
        ends = []
        for offset in (step, -step):
            other = qpos.copy()
            other[dof + 1] += offset
            ends.append(looped(made, other)[0])
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(rows[:, dof], rel=1e-6, abs=1e-7)


def test_a_branch_that_is_not_taken_may_have_no_value() -> None:
    made = model(("if(a>1,sqrt(a-1),0)", "if(a=0,0,1/a)"))
    found, rows = looped(made, moved(made, 0.0, 0.0))
    assert np.isfinite(found).all()
    assert np.isfinite(rows).all()


def test_every_machine_computes_the_same(tmp_path: Path) -> None:
    texts = tuple(text for text in TEXTS if "log" not in text)
    made = model(texts)
    qpos = moved(made, 0.37, 0.81)
    data = polybody.Data(made)
    data.qpos[:] = qpos
    dynamics.formulas(made.kernel, data.kernel)
    columns: dict[str, Any] = {name: np.array(getattr(made, name)) for name, *_ in layout.GIVEN}
    reference = Reference(columns)
    reference.data["qpos"][...] = qpos
    reference.call(formulas.formulas)
    machine = Specialise(reference.model, {})
    machine.call(formulas.formulas)
    names = ("formula_pos", "formula_entry")
    sizes = {"qpos": made.nq}
    traced = {name: [machine.results(name)[k] for k in range(len(reference.data[name]))] for name in names}
    straight = {name: np.zeros(len(traced[name])) for name in names} | {"qpos": qpos.copy()}
    compiled(traced, sizes, Request(("forward_kinematics",)), tmp_path).call("f", straight)
    for name in names:
        loops = data.kernel.array(name)
        assert close(loops, reference.data[name], 1e-14), name
        assert close(straight[name], loops, 1e-13), name


def test_what_a_formula_says_twice_is_there_once() -> None:
    made = model(("sin(a)*cos(b)+sin(a)", "sin(a)+b"))
    kinds = made.operation_type.tolist()
    assert kinds.count(OperationType.sin) == 2  # of a, and of b in a derivative
    assert kinds.count(OperationType.coordinate) == 4


def test_a_model_of_formulas_survives_its_files(tmp_path: Path) -> None:
    made = model(("a*b+1", "sin(a)"))
    made.save(tmp_path / "made.npz")
    assert polybody.Model.load(tmp_path / "made.npz") == made
    assert polybody.Model.from_xml(made.to_xml()) == made


@pytest.mark.parametrize(
    ("column", "kind", "value", "said"),
    [
        ("operation_first", "multiply", 90, "operation_first 90 is not a row of operation"),
        (
            "operation_first",
            "multiply",
            None,
            "operation {row}: its first operand {row} is not an earlier operation",
        ),
        ("operation_second", "multiply", -1, "operation {row}: operation_second -1 is not at least 0"),
        ("operation_joint", "coordinate", 0, "operation {row}: joint 0 has no single coordinate"),
        ("formula_operationid", None, -1, "formula_operationid -1 is not at least 0"),
        ("formula_J_colind", None, 77, "formula_J_colind 77 is not a row of dof"),
        ("formula_eqid", None, -1, "formula_eqid -1 is not at least 0"),
    ],
)
def test_instructions_lead_nowhere_else(column: str, kind: str | None, value: int | None, said: str) -> None:
    made = model(("a*b+1",))
    row = 0 if kind is None else made.operation_type.tolist().index(OperationType[kind])
    values = made.given()[column].copy()
    values[row] = row if value is None else value
    with pytest.raises(polybody.ModelError, match=said.format(row=row)):
        made.replace(**{column: values})
