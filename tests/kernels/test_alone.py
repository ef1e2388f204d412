"""Rows of the mass matrix that have only a diagonal: which they are, and that nothing is lost."""

from __future__ import annotations

import numpy as np
import polybody as pb
import pytest

BALL = '<inertial pos="{}" mass="2" diaginertia=".1 .2 .3"/><geom size=".1"/>'
SLIDES = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
BODIES = {
    "free": (f"<freejoint/>{BALL.format('0 0 0')}", True),
    "nearly centred": (f"<freejoint/>{BALL.format('1e-7 0 0')}", False),
    "aside": (f"<freejoint/>{BALL.format('.1 0 0')}", False),
    "slides": (SLIDES + BALL.format(".1 .2 .3"), False),
    "point": (SLIDES + BALL.format("0 0 0"), True),
    "ball": (f'<joint type="ball"/>{BALL.format("0 0 0")}', True),
    "slides and ball": (f'{SLIDES}<joint type="ball"/>{BALL.format("0 0 0")}', True),
    "parent": (f"<freejoint/>{BALL.format('0 0 0')}<body><joint/>{BALL.format('0 .1 0')}</body>", False),
}


def model_of(*names: str) -> pb.Model:
    bodies = "".join(f"<body pos='{3 * k} 0 0'>{BODIES[name][0]}</body>" for k, name in enumerate(names))
    text = f'<mujoco><option gravity="0 0 0"/><worldbody>{bodies}</worldbody></mujoco>'
    return pb.lower(pb.read("m.xml", text=text, format="mjcf"))


def moved(model: pb.Model) -> pb.Data:
    data = pb.Data(model)
    rng = np.random.default_rng(0)
    data.qpos[:] = rng.normal(size=model.nq)
    for joint in np.flatnonzero(np.asarray(model.jnt_type) < 2):
        last = model.jnt_qposadr[joint] + (7 if model.jnt_type[joint] == 0 else 4)
        data.qpos[last - 4 : last] /= np.linalg.norm(data.qpos[last - 4 : last])
    return data


@pytest.mark.parametrize("name", BODIES)
def test_alone_are_those_without_coupling(name: str) -> None:
    model = model_of(name)
    matrix = pb.mass_matrix(model, moved(model))
    coupled = matrix - np.diag(np.diag(matrix))
    alone = model.kernel.arrays["dof_alone"] == 1
    assert alone.all() == BODIES[name][1] == alone.any()
    assert not coupled[alone].any()
    assert coupled.any() or alone.all() or name == "slides"


def test_the_matrix_and_its_factors_are_those_of_the_equation_of_motion() -> None:
    model = model_of(*BODIES)
    data = moved(model)
    matrix = pb.mass_matrix(model, data)
    columns = np.empty_like(matrix)
    for dof in range(model.nv):
        data.qacc[:] = 0
        data.qacc[dof] = 1
        pb.inverse(model, data)
        columns[:, dof] = data.qfrc_inverse
    np.testing.assert_allclose(matrix, columns, rtol=0, atol=1e-14)
    data.qfrc_applied[:] = np.random.default_rng(1).normal(size=model.nv)
    pb.forward(model, data)
    np.testing.assert_allclose(matrix @ data.qacc, data.qfrc_applied, rtol=0, atol=1e-12)


@pytest.mark.parametrize("option", ['integrator="implicit"', 'integrator="implicitfast"', 'density="1"'])
def test_none_is_alone_where_derivatives_couple_them(option: str) -> None:
    text = f"<mujoco><option {option}/><worldbody><body>{BODIES['free'][0]}</body></worldbody></mujoco>"
    model = pb.lower(pb.read("m.xml", text=text, format="mjcf"))
    assert not model.kernel.arrays["dof_alone"].any()
