"""Joints that follow a root of a polynomial."""

from __future__ import annotations

from math import cos, hypot, sin
from pathlib import Path

import numpy as np
import polybody as pb
import pytest

from tests.lowering.openrave.documents import kinbody, low, said

GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.35, 0.9, 0.7
HALF = (
    f"d := 2*{ROCKER}*({GROUND}-{CRANK}*cos(crank)); e := -2*{CRANK}*{ROCKER}*sin(crank); "
    f"k := {GROUND}^2+{ROCKER}^2+{CRANK}^2-{COUPLER}^2-2*{GROUND}*{CRANK}*cos(crank); "
    "2*atan(polyroots2(k-d, 2*e, k+d))"
)
"""The angle of a four-bar linkage's rocker, by Freudenstein's equation in the tangent of half the angle."""


def four_bar(bounds: str, formula: str = HALF) -> str:
    bar = (
        '<body name="{}"><translation>{} 0 0</translation><mass type="custom"><total>1</total></mass></body>'
    )
    turn = (
        '<joint name="{0}" type="hinge" {2}><body>ground</body><body>{0}</body><offsetfrom>{0}</offsetfrom>'
    )
    turn += "<axis>0 0 1</axis><limits>{1}</limits></joint>"
    return kinbody(
        '<body name="ground" type="static"/>'
        + bar.format("crank", 0)
        + bar.format("rocker", GROUND)
        + turn.format("crank", "-20 20", "")
        + turn.format("rocker", bounds, f'mimic_pos="{formula}"')
    )


def gap(crank: float, rocker: float) -> float:
    """The distance between the ends of crank and rocker, minus the length of the coupler."""
    x = GROUND + ROCKER * cos(rocker) - CRANK * cos(crank)
    return hypot(x, ROCKER * sin(rocker) - CRANK * sin(crank)) - COUPLER


@pytest.mark.parametrize(("bounds", "side"), [("0 3.1", 1), ("-3.1 0", -1)])
def test_the_root_within_the_bounds_counts(tmp_path: Path, bounds: str, side: int) -> None:
    native = low(tmp_path, four_bar(bounds)).native
    for crank in np.linspace(-3, 3, 13):
        _, rocker = native.qpos([crank])
        assert rocker * side > 0
        assert gap(crank, rocker) == pytest.approx(0, abs=1e-12)


def test_rates_and_accelerations_are_those_of_the_root(tmp_path: Path) -> None:
    native = low(tmp_path, four_bar("0 3.1")).native
    q, v, step = 0.8, 1.3, 1e-4
    before, here, after = (native.qpos([q + offset * v])[1] for offset in (-step, 0.0, step))
    assert native.qvel([q], [v])[1] == pytest.approx((after - before) / 2 / step, abs=1e-7)
    assert native.qacc([q], [v], [0.0])[1] == pytest.approx((after - 2 * here + before) / step**2, abs=1e-6)


@pytest.mark.parametrize("bounds", ["0 3.1", "-3.1 0"])
def test_a_linkage_stays_closed_while_it_turns(tmp_path: Path, bounds: str) -> None:
    made = low(tmp_path, four_bar(bounds))
    model, data = made.model, pb.Data(made.model)
    data.qpos[:], data.qvel[:] = made.native.qpos([0.3]), made.native.qvel([0.3], [4.0])
    begins, farthest = data.qpos[1], 0.0
    for _ in range(100):
        pb.step(model, data, 15)
        farthest = max(farthest, abs(data.qpos[0] - 0.3))
        assert gap(data.qpos[0], data.qpos[1]) == pytest.approx(0, abs=5e-5), "m; (v h)^2 is 2e-5"
        assert data.qpos[1] * begins > 0, "it stays on its side"
    assert farthest > 1


def test_kernels_agree(tmp_path: Path) -> None:
    """Loops and straight-line code specialised to one Model."""
    made = low(tmp_path, four_bar("0 3.1"))
    ends = []
    for kernels in ("loop", "specialized"):
        stepper = pb.Stepper(made.model, kernels)
        stepper.data.qvel[:] = made.native.qvel(made.native.q(made.model.qpos0), [2.0])
        stepper.step(200)
        ends.append(stepper.data.qpos.copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)


@pytest.mark.parametrize("degree", [3, 4, 8])
def test_roots_of_any_degree(tmp_path: Path, degree: int) -> None:
    """x^n = crank + 2, whose positive root is known."""
    zeros = ", 0" * (degree - 1)
    made = low(tmp_path, four_bar("0 3.1", f"polyroots{degree}(1{zeros}, -crank-2)"))
    root = 2.5 ** (1 / degree)
    assert made.native.qpos([0.5])[1] == pytest.approx(root, abs=1e-12)
    assert made.native.qvel([0.5], [1.0])[1] == pytest.approx(root / 2.5 / degree, abs=1e-12)
    data = pb.Data(made.model)
    data.qpos[:], data.qvel[:] = made.native.qpos([0.5]), made.native.qvel([0.5], [1.0])
    pb.step(made.model, data, 300)
    assert data.qpos[0] > 0.6
    assert data.qpos[1] == pytest.approx((data.qpos[0] + 2) ** (1 / degree), abs=1e-6)


def test_without_a_root_within_the_bounds_the_first_is_clamped(tmp_path: Path) -> None:
    made = low(tmp_path, four_bar("0.5 1", "polyroots2(1, 0, -4-crank)"))
    assert made.native.qpos([0.0])[1] == 1.0
    assert said(made, "leaves the joint's bounds")


@pytest.mark.parametrize(
    ("formula", "word"),
    [
        ("sin(polyroots2(1, 0, -4-crank))", "`sin`"),
        ("polyroots2(1, 0, -4-crank)*polyroots2(1, 0, -5-crank)", "several polynomials"),
        ("polyroots2(1, 0, 4)", "no value at the start"),
    ],
)
def test_what_says_no_root_is_refused_with_its_line(tmp_path: Path, formula: str, word: str) -> None:
    with pytest.raises(pb.ValidationError) as error:
        low(tmp_path, four_bar("0 3.1", formula))
    (found,) = [each for each in error.value.diagnostics if each.severity == "error"]
    assert word in found.message
    assert found.line
