"""Products with sparse rows of J in packs: conjugate gradients with many degrees of freedom."""

from __future__ import annotations

import numpy as np
import polybody as pb
import pytest
from polybody.model.model import Model

from tests.constraints.scenes import loaded

LINKS = 11


def scene(islands: bool) -> Model:
    """Chains of hinges and balls that touch the floor, free and sliding bodies, tendons, a weld."""
    shape = '<geom type="capsule" size=".05" fromto="0 0 0 .15 0 0"/>'
    box = '<freejoint/><geom type="box" size=".1 .1 .1"/>'
    flag = "enable" if islands else "disable"

    def chain(k: int, left: int) -> str:
        joint = f'<joint name="j{k}_{left}" axis="0 1 {left % 2}"/>' if left % 4 else '<joint type="ball"/>'
        inner = chain(k, left - 1) if left else ""
        return f'<body pos=".2 0 0">{joint}{shape}{inner}</body>'

    chains = "".join(f'<body pos="0 {0.09 * k} .05">{chain(k, LINKS)}</body>' for k in range(4))
    free = "".join(f'<body name="b{k}" pos="{-0.3 * k - 0.3} 0 .09">{box}</body>' for k in range(4))
    slides = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    points = "".join(
        f'<body pos="{0.1 * k} 1 .04">{slides}<site name="s{k}"/><geom size=".05"/></body>' for k in range(5)
    )
    return loaded(
        f'<mujoco><option solver="CG" iterations="40"><flag island="{flag}"/></option>'
        f'<worldbody><geom type="plane" size="5 5 1"/>{chains}{free}{points}</worldbody><tendon>'
        '<spatial range="0 .3" limited="true"><site site="s0"/><site site="s4"/></spatial>'
        '<fixed range="-.1 .1" limited="true">'
        '<joint joint="j0_1" coef="1"/><joint joint="j2_3" coef="-.5"/></fixed>'
        '</tendon><equality><weld body1="b0" body2="b1"/></equality></mujoco>'
    )


@pytest.mark.parametrize("islands", [False, True])
def test_products_are_those_with_the_whole_matrix(islands: bool) -> None:
    model = scene(islands)
    assert model.nv > 64
    data = pb.Data(model)
    data.qvel[:] = np.random.default_rng(0).normal(0, 0.3, model.nv)
    rows = 0
    for _ in range(8):
        pb.step(model, data)
        pb.forward(model, data)
        J = data.efc_J.reshape(-1, model.nv)
        assert np.abs(J @ data.qvel - data.efc_vel).max() < 1e-12 * (1 + np.abs(data.efc_vel).max())
        force = J.T @ data.efc_force
        assert np.abs(force - data.qfrc_constraint).max() < 1e-12 * (1 + np.abs(force).max())
        rows = max(rows, data.nefc)
    assert rows > 60
