"""Joints that follow others by formulas, along trajectories."""

from __future__ import annotations

import math

import numpy as np
import polybody
import pytest
from polybody.assembly.parts import Assembly, Body, Equality, Follows, Joint
from polybody.diagnostics import Findings
from polybody.formulas import Variable, derivative, parse
from polybody.generated.model import EqualityType, JointType

A, B = Variable("a"), Variable("b")
SOLID = {"mass": 1.0, "ipos": (0.2, 0.0, 0.1), "inertia": np.diag([0.1, 0.2, 0.15])}


def following(text: str, by: dict[Variable, int], data: tuple[float, ...] = ()) -> polybody.Model:
    """Three hinges in series; the last, c, follows a formula of the others, or a polynomial of the first."""
    assembly = Assembly("follows")
    joints, body = [], None
    for name, axis in (("a", (0, 1, 0)), ("b", (1, 0, 0)), ("c", (0, 1, 0))):
        joints.append(Joint(name, JointType.hinge, axis=axis))
        body = assembly.body(Body(name, body, pos=(0, 0, 0.3), joints=[joints[-1]], **SOLID))
    if data:
        held = Equality(EqualityType.joint, joints[2], joints[0], data, name="c_follows")
    else:
        formula = parse(text, ["a", "b"])
        partials = [(joints[k], derivative(formula, variable)) for variable, k in by.items()]
        drivers = {variable: joints[k] for variable, k in by.items()}
        follows = Follows(formula, drivers, partials)
        held = Equality(EqualityType.formula, joints[2], name="c_follows", formula=follows)
    assembly.equalities.append(held)
    return assembly.build(Findings())


def test_the_joint_follows() -> None:
    model = following("sin(a)+0.5*b*b", {A: 0, B: 1})
    sim = polybody.Stepper(model)
    sim.data.qvel[:] = [1.0, -0.8, 1.0]
    for _ in range(20):
        sim.step(25)
        a, b, c = sim.data.qpos
        assert c == pytest.approx(math.sin(a) + 0.5 * b * b, abs=0.02)
    assert abs(a) + abs(b) > 0.3  # it moved
    data = polybody.Data(model)
    data.set_state(sim.data.get_state())
    polybody.forward(model, data)
    assert (data.nefc, data.ne) == (1, 1)
    assert data.efc_J[0] == pytest.approx([-math.cos(data.qpos[0]), -data.qpos[1], 1.0])
    residual = data.qpos[2] - math.sin(data.qpos[0]) - 0.5 * data.qpos[1] ** 2
    assert data.efc_pos == pytest.approx([residual])


def test_a_polynomial_as_a_formula_is_the_equality_of_joints() -> None:
    one = following("0.1+0.7*a-0.2*a*a", {A: 0})
    other = following("", {}, data=(0.1, 0.7, -0.2))
    ends = []
    for model in (one, other):
        data = polybody.Data(model)
        data.qpos[:], data.qvel[:] = [0.4, -0.3, 0.5], [1.0, 2.0, -1.0]
        polybody.step(model, data, 200)
        ends.append(np.concatenate([data.qpos, data.qvel]))
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_it_can_be_switched_off() -> None:
    model = following("sin(a)", {A: 0})
    data = polybody.Data(model)
    data.qpos[:] = [0.4, -0.3, 0.5]
    data.eq_active[:] = 0
    polybody.forward(model, data)
    assert data.nefc == 0
