"""Positions and velocities of many states at once: every row is what a call with that row alone gives."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.runtime import mjcf

Reals = NDArray[np.float64]
LEADING = [
    ((), (), ()),
    ((4,), (4,), (4,)),
    ((4,), (), ()),
    ((), (4,), (4,)),
    ((2, 1), (3,), ()),
    ((2, 3), (2, 3), (3,)),
    ((), (), (2, 3)),
    ((0,), (0,), ()),
    ((2, 0), (1,), (0,)),
]
"""Leading dimensions of two arrays and of the time, which fit together."""
BOTH = mjcf.both(0)


def drawn(seed: int, *shapes: tuple[int, ...]) -> tuple[Any, Any, Any, Any]:
    """Positions, velocities, positions and times with these leading dimensions."""
    random = np.random.default_rng(seed)
    model = BOTH[0]
    first, second, times = shapes
    sizes = (*first, model.nq), (*second, model.nv), (*second, model.nq)
    qpos, qvel, other = (random.normal(size=size) for size in sizes)
    return qpos, qvel, other, random.uniform(0.1, 2.0, times) * random.choice([-1.0, 1.0])


def near(found: Reals, expected: Reals) -> None:
    """Equal up to rounding, which depends on how many numbers NumPy computes at once."""
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@given(st.integers(0, 2**32 - 1), st.sampled_from(LEADING))
def test_every_row_is_that_of_a_call_alone(seed: int, shapes: Any) -> None:
    model = BOTH[0]
    qpos, qvel, other, dt = drawn(seed, *shapes)
    ahead = pb.integrate_pos(model, qpos, qvel, dt)
    between = pb.differentiate_pos(model, qpos, other, dt)
    lead = np.broadcast_shapes(*shapes)
    assert (ahead.shape, between.shape) == ((*lead, model.nq), (*lead, model.nv))
    qpos, qvel = np.broadcast_to(qpos, (*lead, model.nq)), np.broadcast_to(qvel, (*lead, model.nv))
    other, dt = np.broadcast_to(other, (*lead, model.nq)), np.broadcast_to(dt, lead)
    for row in np.ndindex(lead):
        near(ahead[row], pb.integrate_pos(model, qpos[row], qvel[row], dt[row]))
        near(between[row], pb.differentiate_pos(model, qpos[row], other[row], dt[row]))


@given(st.integers(0, 2**32 - 1), st.sampled_from(LEADING))
def test_differences_lead_back(seed: int, shapes: Any) -> None:
    model = BOTH[0]
    qpos, _, other, dt = drawn(seed, *shapes)
    found = pb.integrate_pos(model, qpos, pb.differentiate_pos(model, qpos, other, dt), dt)
    assert np.allclose(pb.differentiate_pos(model, other, found), 0.0, atol=1e-12)


def test_rows_are_those_of_mujoco() -> None:
    model, theirs = BOTH[0], BOTH[2]
    qpos, qvel, other, _ = drawn(1, (50,), (50,), ())
    ahead, between = pb.integrate_pos(model, qpos, qvel, 0.3), pb.differentiate_pos(model, qpos, other, 0.3)
    for row in range(50):
        expected, rates = qpos[row].copy(), np.zeros(model.nv)
        mujoco.mj_normalizeQuat(theirs, expected)
        start, end = expected.copy(), other[row].copy()
        mujoco.mj_integratePos(theirs, expected, qvel[row], 0.3)
        mujoco.mj_normalizeQuat(theirs, end)
        mujoco.mj_differentiatePos(theirs, rates, 0.3, start, end)
        assert np.allclose(ahead[row], expected, rtol=0, atol=1e-12)
        assert np.allclose(between[row], rates, rtol=0, atol=1e-12)


def test_inputs_do_not_change_and_results_are_new() -> None:
    model = BOTH[0]
    qpos, qvel, other, _ = drawn(2, (3,), (3,), ())
    before = qpos.copy(), qvel.copy(), other.copy()
    pb.integrate_pos(model, qpos, qvel, 0.0)[...] = np.nan
    pb.differentiate_pos(model, qpos, other)[...] = np.nan
    for array, kept in zip((qpos, qvel, other), before, strict=True):
        assert np.array_equal(array, kept)


def test_errors_name_shapes_and_rows() -> None:
    model = BOTH[0]
    qpos, qvel, other, _ = drawn(3, (4,), (4,), ())
    with pytest.raises(ValueError, match=rf"positions .*shape \({model.nq},\) or .*, got \(4, {model.nv}\)"):
        pb.integrate_pos(model, qvel, qvel, 0.1)
    with pytest.raises(ValueError, match=r"velocities .*, got \(\)"):
        pb.integrate_pos(model, qpos, 1.0, 0.1)
    with pytest.raises(
        ValueError, match=rf"shapes \(4, {model.nq}\) and \(3, {model.nv}\), and dt of the shape \(\)"
    ):
        pb.integrate_pos(model, qpos, qvel[:3], 0.1)
    with pytest.raises(ValueError, match=r"dt of the shape \(5,\), do not fit together"):
        pb.differentiate_pos(model, qpos, other, np.ones(5))
    with pytest.raises(ValueError, match="a time of 0 has no velocities"):
        pb.differentiate_pos(model, qpos, other, [1.0, 2.0, 0.0, 1.0])
    other[2, 3:7] = 0.0
    with pytest.raises(
        ValueError, match=r"qpos\[2\]: \[0.0, 0.0, 0.0, 0.0\], the quaternion of joint 0 .*not a rotation"
    ):
        pb.differentiate_pos(model, qpos, other)
    with pytest.raises(ValueError, match=r"^\[0.0, 0.0, 0.0, 0.0\], the quaternion of joint 0"):
        pb.differentiate_pos(model, qpos[0], other[2])


def test_a_model_without_quaternions_and_one_without_joints() -> None:
    text = '<mujoco><worldbody><body><joint type="slide"/><geom size=".1"/></body></worldbody></mujoco>'
    slide, still = mjcf.model(text), mjcf.model("<mujoco/>")
    found = pb.integrate_pos(slide, np.ones((2, 3, 1)), np.ones((3, 1)), [0.5, 1.0, 2.0])
    assert np.array_equal(found[1, :, 0], [1.5, 2.0, 3.0])
    assert pb.differentiate_pos(slide, [1.0], [[2.0], [3.0]], 0.5).tolist() == [[2.0], [4.0]]
    assert pb.integrate_pos(still, np.zeros((5, 0)), np.zeros(0), 1.0).shape == (5, 0)
    assert pb.differentiate_pos(still, np.zeros((5, 0)), np.zeros(0)).shape == (5, 0)
