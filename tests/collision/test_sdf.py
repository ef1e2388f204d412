"""Shapes defined by a signed distance function: MuJoCo's contacts at the same poses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody import plugins
from polybody.collision import collision_table, contacts
from polybody.errors import ModelError

from tests.amounts import amount, some
from tests.collision import pairs
from tests.collision.compare import compare

ACCURACY = 1e-8
"""MuJoCo's gradients are finite differences with a step of 1e-8. In most poses its own contacts change by as
much if a pose changes by one ulp.
"""
TORUS = """<mujoco><extension><plugin plugin="mujoco.sdf.torus"><instance name="t"/></plugin></extension>
<asset><mesh name="t"><plugin instance="t"/></mesh></asset>
<worldbody><geom type="sdf" mesh="t"><plugin instance="t"/></geom>
<body pos="0 0 .3"><freejoint/><geom size=".2"/></body></worldbody></mujoco>""".replace("\n", " ")


class Ball(plugins.Shape):
    """A sphere whose distance function raises an error far away."""

    name, keys, numeric, otherwise = "tests.ball", ("radius",), ("radius",), (0.3,)

    def distance(self, points: Any, sizes: Sequence[float]) -> Any:
        if np.abs(points).max() > 100:
            raise OverflowError("too far")
        return np.linalg.norm(points, axis=1) - sizes[0]

    def box(self, sizes: Sequence[float]) -> tuple[float, float, float]:
        return (1.1 * sizes[0],) * 3


@pytest.fixture(scope="module")
def ball() -> pb.Model:
    plugins.register(Ball())
    text = TORUS.replace("mujoco.sdf.torus", "tests.ball")
    return pb.lower(pb.read("ball.xml", text=text))


def test_a_shape_of_your_own_touches_as_what_it_is(ball: pb.Model) -> None:
    data = pb.Data(ball)
    data.qpos[:3] = 0.1, 0.2, 0.4
    pb.forward(ball, data)
    deepest = data.contact[data.contact["dist"].argmin()]
    direction = np.array([0.1, 0.2, 0.4]) / np.linalg.norm([0.1, 0.2, 0.4])
    half = (np.linalg.norm([0.1, 0.2, 0.4]) - 0.5) / 2  # half the overlap
    assert half - 1e-6 <= deepest["dist"] < half / 4
    np.testing.assert_allclose(np.abs(deepest["frame"][:3] @ direction), 1, atol=1e-3)
    pb.Stepper(ball).step(10)
    batch = pb.BatchStepper(ball, n=4, threads=2)
    batch.step(5)
    assert np.isfinite(batch.qpos).all()


def test_a_distance_that_fails_is_shown_and_touches_nothing(
    ball: pb.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", shown.append)
    xpos, xmat = np.full((2, 3), 0.1), np.tile(np.eye(3).ravel(), (2, 1))
    wide = ball.replace(geom_aabb=1e6 * ball.geom_aabb)
    assert len(contacts(wide, xpos, xmat)) < 10
    assert {type(each.exc_value) for each in shown} == {OverflowError}


@pytest.mark.parametrize("pair", some(pairs.DISTANT, 6))
def test_contacts_are_those_of_mujoco(pair: str) -> None:
    tally = compare(pair, amount(20_000, 100), seed=1, accuracy=ACCURACY)
    assert len(tally.wrong) <= tally.cases / 200, tally.wrong
    assert tally.touching > tally.cases / 2


@pytest.mark.parametrize("pair", some(pairs.DISTANT, 3))
def test_whatever_the_poses_contacts_are_finite(pair: str) -> None:
    draw = np.random.default_rng(7)
    made = pairs.scene(pair, 5, draw)
    xpos, xmat = pairs.poses(made, draw)
    for place, turn in (
        (0 * xpos, np.tile(np.eye(3).ravel(), (len(xmat), 1))),
        (1e4 * xpos, xmat),
        (xpos + 1e9, xmat),
        (np.nan * xpos, xmat),
        (xpos, np.nan * xmat),
        (xpos, 0 * xmat),
        (1e300 * xpos, xmat),
    ):
        found = contacts(made.ours, place, turn)
        assert all(np.isfinite(found[field]).all() for field in ("dist", "pos", "frame"))


def test_a_ball_in_the_hole_of_a_ring_touches_its_side() -> None:
    model = pb.lower(pb.read("ring.xml", text=TORUS))
    data = pb.Data(model)
    data.qpos[:3] = 0.05, 0, 0  # the hole has radius 0.2, as the sphere has
    pb.forward(model, data)
    deepest = data.contact[data.contact["dist"].argmin()]
    assert deepest["dist"] == pytest.approx(-0.025, abs=0.01)  # nearly half of the overlap
    np.testing.assert_allclose(np.abs(deepest["frame"][:3]), [1, 0, 0], atol=0.1)


def test_a_mesh_whose_faces_lead_outside_is_refused() -> None:
    model = pb.lower(pb.read("ring.xml", text=TORUS))
    faces = model.mesh_face.copy()
    faces[7, 1] = 10**6
    with pytest.raises(ModelError, match="mesh 0"):
        collision_table(model.replace(mesh_face=faces))
