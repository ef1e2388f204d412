"""Joints of URDF: the pose of the child, reversed joints, and coordinates."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import polybody
import pytest
from polybody.generated.model import JointType

from .robots import SOLID, joint, link, made, motor, refusal

ORIGIN = 'xyz=".1 .2 .3" rpy=".3 -.4 .5"'
AXIS = '<axis xyz="1 2 -3"/>'
UNIT = np.array([1.0, 2.0, -3.0]) / np.sqrt(14)


def about(axis, angle):
    """Rotation matrix by Rodrigues' formula."""
    k = np.cross(np.eye(3), np.asarray(axis, float))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


X, Y, Z = np.eye(3)
PLACE = np.array([0.1, 0.2, 0.3]), about(Z, 0.5) @ about(Y, -0.4) @ about(X, 0.3)
NORMAL = about(np.cross(Z, UNIT) / np.linalg.norm(np.cross(Z, UNIT)), np.arccos(UNIT[2]))
"""The smallest rotation from z to the axis."""
POSES = {
    ("joint", "revolute"): lambda q: (np.zeros(3), about(UNIT, q[0])),
    ("joint", "continuous"): lambda q: (np.zeros(3), about(UNIT, q[0])),
    ("joint", "prismatic"): lambda q: (q[0] * UNIT, np.eye(3)),
    ("joint", "fixed"): lambda q: (np.zeros(3), np.eye(3)),
    ("joint", "planar"): lambda q: (
        NORMAL @ [q[0], q[1], 0.0],
        NORMAL @ about(Z, q[2]) @ NORMAL.T,
    ),
    ("drake:joint", "ball"): lambda q: (np.zeros(3), about(Z, q[2]) @ about(Y, q[1]) @ about(X, q[0])),
    ("drake:joint", "universal"): lambda q: (np.zeros(3), about(X, q[0]) @ about(Y, q[1])),
    ("drake:joint", "screw"): lambda q: (UNIT * q[0] * 0.7 / (2 * np.pi), about(UNIT, q[0])),
}


@pytest.mark.parametrize(("tag", "kind"), POSES, ids=[kind for _, kind in POSES])
def test_native_coordinates_place_the_child(tag: str, kind: str) -> None:
    pitch = '<drake:screw_thread_pitch value="0.7"/>' if kind == "screw" else ""
    limit = '<limit effort="1" velocity="1"/>' if kind in ("revolute", "prismatic") else ""
    axis = AXIS if tag == "joint" or kind == "screw" else ""
    result = made(
        link("world", ""), link("a"), joint("j", kind, "world", "a", axis + limit + pitch, tag, ORIGIN)
    )
    native, model = result.native, result.model
    data = polybody.Data(model)
    rng = np.random.default_rng(2)
    q, v = rng.uniform(-1, 1, native.nq), rng.uniform(-1, 1, native.nv)
    data.qpos, data.qvel = native.qpos(q), native.qvel(q, v)
    assert native.q(data.qpos) == pytest.approx(q, abs=1e-14)
    assert native.v(data.qpos, data.qvel) == pytest.approx(v, abs=1e-14)
    polybody.forward(model, data)
    pos, turn = POSES[tag, kind](q)
    assert data.xpos[1] == pytest.approx(PLACE[0] + PLACE[1] @ pos, abs=1e-14)
    assert data.xmat[1].reshape(3, 3) == pytest.approx(PLACE[1] @ turn, abs=1e-14)
    if kind != "ball":  # its velocities are not the rates of its coordinates
        step = 1e-6
        ahead, behind = (POSES[tag, kind](q + sign * step * v)[0] for sign in (1, -1))
        speed = polybody.velocity(model, data, "a")[3:]
        assert speed == pytest.approx(PLACE[1] @ (ahead - behind) / (2 * step), abs=1e-8)
    if kind != "fixed":
        assert list(native.q_slices) == ["j"]


def test_velocities_of_a_ball_are_angular_in_the_parents_frame() -> None:
    result = made(link("world", ""), link("a"), joint("j", "ball", "world", "a", "", "drake:joint", ORIGIN))
    native, model = result.native, result.model
    data = polybody.Data(model)
    q, v = np.array([0.5, -0.6, 0.7]), np.array([1.0, 2.0, 3.0])
    data.qpos, data.qvel = native.qpos(q), native.qvel(q, v)
    polybody.forward(model, data)
    assert polybody.velocity(model, data, "a")[:3] == pytest.approx(PLACE[1] @ v, abs=1e-14)


def test_a_link_without_a_joint_to_the_world_floats() -> None:
    result = made(link("a"), link("b"), joint("j", "fixed", "a", "b", origin=ORIGIN))
    native, model = result.native, result.model
    assert model.names["body"] == ("world", "a", "b")
    assert model.names["joint"] == ("a",)
    assert native.q_names == tuple(f"r_a_{each}" for each in ("qw", "qx", "qy", "qz", "x", "y", "z"))
    q, v = np.array([0.5, 0.5, -0.5, 0.5, 1, 2, 3]), np.arange(1.0, 7.0)
    data = polybody.Data(model)
    data.qpos, data.qvel = native.qpos(q), native.qvel(q, v)
    assert data.qpos.tolist() == [1, 2, 3, 0.5, 0.5, -0.5, 0.5]
    polybody.forward(model, data)
    assert polybody.velocity(model, data, "a") == pytest.approx(v), "angular and linear, in the world"
    assert native.vdot(data).shape == (6,)


def test_accelerations_are_derivatives_of_native_velocities() -> None:
    """Along a trajectory, by central differences."""
    result = made(
        link("a"), link("b"), joint("j", "ball", "a", "b", "", "drake:joint", ORIGIN), disable=("contact",)
    )
    native, model = result.native, result.model.replace(opt_integrator="RK4", opt_timestep=1e-4)
    data = polybody.Data(model)
    data.qvel = np.random.default_rng(3).uniform(-1, 1, model.nv)
    polybody.step(model, data, 10)
    velocities = []
    for _ in range(3):
        velocities.append(native.v(data.qpos, data.qvel))
        if len(velocities) == 2:
            vdot = native.vdot(data)
        polybody.step(model, data)
    assert vdot == pytest.approx((velocities[2] - velocities[0]) / 2e-4, rel=1e-6, abs=1e-6)


def test_a_joint_that_the_tree_needs_the_other_way_is_turned_round() -> None:
    """Its coordinate keeps its sign: the rotation of the child in the parent."""
    parts = [link("a"), link("b"), link("c"), joint("one", "fixed", "a", "c", origin=ORIGIN)]
    result = made(*parts, joint("two", "continuous", "b", "c", AXIS, origin='xyz="0 0 1"'))
    native, model = result.native, result.model
    assert model.names["body"] == ("world", "a", "c", "b")
    assert list(native.v_slices) == ["a", "two"]
    q = np.array([1.0, 0, 0, 0, 0, 0, 0, 0.4])
    data = polybody.Data(model)
    data.qpos = native.qpos(q)
    polybody.forward(model, data)
    b, c = (data.xmat[model.names["body"].index(name)].reshape(3, 3) for name in "bc")
    assert b.T @ c == pytest.approx(about(UNIT, 0.4), abs=1e-14)
    at = [data.xpos[model.names["body"].index(name)] for name in "bc"]
    assert b.T @ (at[1] - at[0]) == pytest.approx([0, 0, 1], abs=1e-14)


def test_what_cannot_be_turned_round_and_loops_are_refused_with_their_lines() -> None:
    parts = [link("a"), link("b"), link("c"), joint("one", "fixed", "a", "c")]
    ball = joint("two", "ball", "b", "c", "", "drake:joint")
    (found,) = refusal(*parts, ball)
    assert (found.code, found.line) == ("PB063", 6)
    assert "a ball joint cannot be reversed" in found.message
    (found,) = refusal(*parts, joint("two", "fixed", "a", "b"), joint("three", "fixed", "b", "c"))
    assert found.line == 7
    assert "closes a loop" in found.message
    assert "`one` (robot.urdf:5:1)" in found.message


def test_the_base_is_the_link_that_is_child_least_and_parent_most() -> None:
    """Whatever the order of links."""
    links = [link("a"), link("b"), link("c"), link("d")]
    joints = [
        joint("ac", "continuous", "a", "c"),
        joint("bc", "continuous", "b", "c"),
        joint("bd", "continuous", "b", "d"),
    ]
    for order in permutations(links):
        model = made(*order, *joints).model
        assert model.names["body"] == ("world", "b", "c", "a", "d")
        assert model.names["joint"] == ("b", "bc", "ac", "bd")


def test_trees_on_the_world_come_first_then_islands_then_single_bodies() -> None:
    model = made(
        link("single"),
        link("base"),
        link("tip"),
        link("arm"),
        link("world", ""),
        joint("j", "continuous", "base", "tip"),
        joint("k", "continuous", "world", "arm"),
    ).model
    assert model.names["body"] == ("world", "arm", "base", "tip", "single")


def test_limits_are_kept_and_missing_ones_are_none() -> None:
    parts = [link("world", ""), *(link(name) for name in "abcd")]
    limits = {
        "a": '<limit lower="-1" upper="2" effort="1" velocity="1"/>',
        "b": '<limit upper="2" effort="1" velocity="1"/>',
        "c": '<limit effort="1" velocity="1"/>',
    }
    joints = [joint(f"j{n}", "revolute", "world", n, limit) for n, limit in limits.items()]
    model = made(*parts, *joints, joint("jd", "continuous", "world", "d")).model
    assert model.jnt_limited.tolist() == [1, 1, 0, 0]
    assert model.jnt_range[0].tolist() == [-1, 2]
    assert model.jnt_range[1].tolist() == [-1e10, 2]
    assert (model.jnt_type == JointType.hinge).all()


def test_faults_of_joints_are_refused_with_their_lines() -> None:
    parts = [link("world", ""), link("a")]
    for inside, words in (
        ('<axis xyz="0 0 1e-9"/>', "zero length"),
        ('<limit lower="1" upper="-1" effort="1" velocity="1"/>', ""),
        ('<limit lower="-1" upper="1" effort="1" velocity="-1"/>', ""),
    ):
        found = refusal(*parts, joint("j", "revolute", "world", "a", inside))
        assert {each.line for each in found} == {4}
        assert any(words in each.message for each in found)


def test_ignored_links_and_joints_are_not_there() -> None:
    ignored = link("b").replace("<link", '<link drake_ignore="true"')
    model = made(
        link("a"), ignored, joint("j", "fixed", "a", "b").replace("<joint", '<joint drake_ignore="true"')
    ).model
    assert model.names["body"] == ("world", "a")


def test_a_floating_joint_leaves_its_child_free() -> None:
    model = made(link("a"), link("b", SOLID), joint("j", "floating", "a", "b", origin=ORIGIN)).model
    assert model.names["joint"] == ("a", "b")
    assert model.qpos0.tolist() == [0, 0, 0, 1, 0, 0, 0] * 2


def test_lenient_closes_a_loop_by_a_constraint_on_its_last_plain_joint() -> None:
    """If another joint can be cut, one with a damper is not; the only parent joint of a link never is."""
    parts = [link("a"), link("b"), link("c"), joint("one", "continuous", "a", "b", AXIS)]
    damped = '<dynamics damping="1"/>'
    parts += [joint("two", "continuous", "b", "c", AXIS), joint("three", "ball", "a", "c", "", "drake:joint")]
    (found,) = refusal(*parts)
    assert (found.code, found.line) == ("PB083", 7)
    assert '"lenient"' in (found.suggestion or "")
    for inside, kept, cut in (("", "two", ["three"]), (damped, "three", ["two", "two_1"])):
        parts[-1] = joint("three", "ball", "a", "c", inside, "drake:joint")
        result = made(*parts, policy="lenient")
        assert list(result.native.v_slices) == ["a", "one", kept]
        assert list(result.model.names["equality"]) == cut
        assert "PB083" in [each.code for each in result.findings]
    parts[-1] = joint("three", "fixed", "a", "c", "", origin='xyz="0.1 0.2 0.3" rpy="0.4 0 0"')
    model = made(*parts, policy="lenient").model
    assert model.eq_type.tolist() == [1]
    np.testing.assert_allclose(model.eq_data[0][3:6], [0.1, 0.2, 0.3])
    np.testing.assert_allclose(model.eq_data[0][6:10], [np.cos(0.2), np.sin(0.2), 0, 0])


def test_what_no_constraint_replaces_is_refused_by_lenient_too() -> None:
    parts = [link("a"), link("b"), joint("one", "prismatic", "a", "b"), joint("two", "prismatic", "a", "b")]
    (found,) = refusal(*parts, policy="lenient")
    assert (found.code, found.line) == ("PB063", 5)
    assert "a prismatic joint cannot be made a constraint" in found.message
    follower = joint("two", "continuous", "a", "b", '<mimic joint="three"/>')
    parts = [link("a"), link("b"), link("c"), joint("three", "continuous", "b", "c")]
    first = joint("one", "continuous", "a", "b", '<mimic joint="three"/>')
    (found,) = refusal(*parts, first, follower, policy="lenient")
    assert "it can neither follow nor be followed" in found.message
    (found,) = refusal(link("a"), joint("one", "fixed", "a", "a"), policy="lenient")


@pytest.mark.parametrize("base", ["free", "fixed"])
def test_a_four_bar_linkage_moves_as_its_loop_says(base: Any) -> None:
    """A parallelogram: the coupler keeps its direction, and both cranks rotate equally."""
    bars = [joint("crank", "continuous", "ground", "a", '<axis xyz="0 0 1"/>')]
    bars.append(joint("rocker", "continuous", "ground", "b", '<axis xyz="0 0 1"/>', origin='xyz="2 0 0"'))
    bars.append(joint("coupler", "continuous", "a", "c", '<axis xyz="0 0 1"/>', origin='xyz="0 1 0"'))
    bars.append(joint("tip", "fixed", "b", "d", origin='xyz="0 1 0"'))
    bars.append(joint("closing", "continuous", "c", "d", '<axis xyz="0 0 1"/>', origin='xyz="2 0 0"'))
    links = [link(name) for name in ("ground", "a", "b", "c", "d")]
    result = made(*links, *bars, policy="lenient", base=base, disable=())
    model = result.model
    assert "closing" in model.names["equality"]
    data = polybody.Data(model)
    for name, rate in (("crank", 2.0), ("rocker", 2.0), ("coupler", -2.0)):
        data.qvel[model.jnt_dofadr[model.names["joint"].index(name)]] = rate
    polybody.step(model, data, 400)
    q = result.native.q(data.qpos)
    angles = [float(q[result.native.q_slices[name]][0]) for name in ("crank", "rocker", "coupler")]
    assert angles[0] > 0.3
    assert angles[1] == pytest.approx(angles[0], abs=2e-3)
    assert angles[2] == pytest.approx(-angles[0], abs=2e-3)


def test_lenient_leaves_out_what_names_no_joint() -> None:
    parts = [link("a"), link("b"), link("c"), joint("turn", "continuous", "a", "b", '<mimic joint="none"/>')]
    parts += [motor("nothing"), joint("still", "fixed", "b", "c", '<mimic joint="turn"/>')]
    refused = refusal(*parts)
    assert [(each.code, each.line) for each in refused] == [("PB032", 5), ("PB032", 6), ("PB048", 7)]
    result = made(*parts, policy="lenient")
    assert (result.model.neq, result.model.nu, result.model.nv) == (0, 0, 7)
    said = [(each.code, each.severity, each.line) for each in result.findings if each.code == "PB083"]
    assert said == [("PB083", "warning", 5), ("PB083", "warning", 6), ("PB083", "warning", 7)]


def test_a_robot_without_a_name_is_called_robot_under_lenient() -> None:
    text = '<robot><link name="a"/></robot>'
    with pytest.raises(polybody.ValidationError, match=r'with policy="lenient" \(--policy lenient\)'):
        polybody.load("r.urdf", text=text)
    with pytest.warns(polybody.ModelWarning):
        assert polybody.load("r.urdf", text=text, policy="lenient").name == "robot"
