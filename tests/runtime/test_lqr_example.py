"""The example that keeps a humanoid on its feet, and the matrices that it computes in one batch."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import polybody as pb
import pytest

from examples import lqr
from tests.runtime import mjcf
from tests.waiting import PATIENCE

EXAMPLE = Path(lqr.__file__)


def test_the_example() -> None:
    said = subprocess.run(
        [sys.executable, EXAMPLE], check=True, capture_output=True, text=True, timeout=PATIENCE
    ).stdout
    assert "A (46, 46) and B (46, 12) of 116 steps" in said
    stood = re.findall(r"pushed by (\S+) m/s: stands (\S+) s, with the regulator 5.00 s", said)
    assert [float(push) for push, _ in stood] == list(lqr.PUSHES)
    assert all(float(alone) < 3.0 for push, alone in stood if float(push))


@pytest.mark.parametrize("steps", [0, 100, 200])
def test_the_matrices_are_those_of_mujoco(steps: int) -> None:
    """Before, while and after it falls: equal up to the rounding error of differences of 1e-6."""
    theirs = mujoco.MjModel.from_xml_path(str(lqr.MODEL))
    model, other = pb.load(lqr.MODEL), mujoco.MjData(theirs)
    mujoco.mj_step(theirs, other, steps)
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    state = np.empty(mujoco.mj_stateSize(theirs, kind))
    mujoco.mj_getState(theirs, other, state, kind)
    data = pb.Data(model)
    data.set_state(state)
    a, b = lqr.Differences(model).matrices(data)
    expected_a, expected_b = np.zeros(a.shape), np.zeros(b.shape)
    mujoco.mjd_transitionFD(theirs, other, lqr.SMALL, True, expected_a, expected_b, None, None)
    np.testing.assert_allclose(a, expected_a, rtol=0, atol=1e-6 * np.abs(expected_a).max())
    np.testing.assert_allclose(b, expected_b, rtol=0, atol=1e-6 * np.abs(expected_b).max())
    assert np.array_equal(data.get_state(), state)


def test_the_regulator_solves_the_riccati_equation() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(size=(6, 6)), random.normal(size=(6, 2))
    q, r = np.diag(random.uniform(0.5, 2.0, 6)), np.diag(random.uniform(0.5, 2.0, 2))
    k = lqr.gains(a, b, q, r)
    closed, cost = a - b @ k, np.zeros((6, 6))
    for _ in range(2000):  # the cost of this control
        cost = q + k.T @ r @ k + closed.T @ cost @ closed
    assert lqr.radius(closed) < 1.0
    np.testing.assert_allclose(k, np.linalg.solve(r + b.T @ cost @ b, b.T @ cost @ a), rtol=1e-9, atol=1e-9)


def test_newtons_method_finds_an_equilibrium() -> None:
    model = mjcf.model(lqr.MODEL.read_text())
    data = lqr.stand(model, lqr.Differences(model))
    before = data.qpos.copy()
    pb.step(model, data)
    assert np.abs(data.qvel).max() < lqr.STILL
    assert np.abs(pb.differentiate_pos(model, before, data.qpos)).max() < lqr.STILL
