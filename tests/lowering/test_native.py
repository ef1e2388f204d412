"""The document's own coordinates: the meaning of q and qd for each joint type, and conversions both ways."""

from __future__ import annotations

import numpy as np
import polybody
import pytest
from polybody.lowering.x_xy import Native, joints

from tests.lowering.models import body, lowered, one, world
from tests.oracles.random_x_xy import QUATERNION, WIDTHS, random_x_xy

AXES = {"rr": [0, 0.6, 0.8], "rr_imp": [[1, 0, 0], [0, 0.6, 0.8]], "rsaddle": [[0, 1, 0], [0.6, 0.8, 0]]}


def about(axis, angle):
    """Rotation matrix by Rodrigues' formula."""
    k = np.cross(np.eye(3), np.asarray(axis, float))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def active(quat):
    """The rotation that a passive quaternion of the document represents."""
    w, v = quat[0], -np.asarray(quat[1:])
    k = np.cross(np.eye(3), v)
    return np.eye(3) + 2 * w * k + 2 * k @ k


X, Y, Z = np.eye(3)
NONE = np.zeros(3)
# joint -> function of native q: position and rotation of the body in its parent's frame
POSES = {
    "frozen": lambda q: (NONE, np.eye(3)),
    "px": lambda q: (q[0] * X, np.eye(3)),
    "py": lambda q: (q[0] * Y, np.eye(3)),
    "pz": lambda q: (q[0] * Z, np.eye(3)),
    "rx": lambda q: (NONE, about(X, q[0])),
    "ry": lambda q: (NONE, about(Y, q[0])),
    "rz": lambda q: (NONE, about(Z, q[0])),
    "p3d": lambda q: (q, np.eye(3)),
    "spherical": lambda q: (NONE, active(q)),
    "free": lambda q: (q[4:], active(q[:4])),
    "cor": lambda q: (q[4:7] + active(q[:4]) @ q[7:], active(q[:4])),
    "free_2d": lambda q: (np.array([0, q[1], q[2]]), about(X, q[0])),
    "saddle": lambda q: (NONE, about(Y, q[0]) @ about(Z, q[1])),
    "rr": lambda q: (NONE, about(AXES["rr"], q[0])),
    "rr_imp": lambda q: (NONE, about(AXES["rr_imp"][0], q[0]) @ about(AXES["rr_imp"][1], q[1])),
    "rsaddle": lambda q: (NONE, about(AXES["rsaddle"][0], q[0]) @ about(AXES["rsaddle"][1], q[1])),
}


def state(joint, rng):
    nq, nv = WIDTHS[joint]
    q = rng.uniform(-1, 1, nq)
    if joint in QUATERNION:
        q[:4] /= np.linalg.norm(q[:4])
    return q, rng.uniform(-1, 1, nv)


def options(joint):
    return {"axes": {"b": AXES[joint]}} if joint in AXES else {}


def test_every_joint_is_here():
    assert set(POSES) == set(WIDTHS) == {member.value for member in polybody.x_xy.Joint}


@pytest.mark.parametrize("joint", sorted(POSES))
@pytest.mark.parametrize(
    "offset", [{}, {"pos": "1 -2 0.5", "euler": "30 40 -50"}], ids=["at parent", "offset"]
)
def test_native_coordinates_place_the_body(joint, offset):
    rng = np.random.default_rng(1)
    result = one(joint, options=options(joint), **offset)
    at = np.array([float(x) for x in offset.get("pos", "0 0 0").split()])
    x, y, z = np.deg2rad([float(v) for v in offset.get("euler", "0 0 0").split()])
    turned = about(Z, z) @ about(Y, y) @ about(X, x)
    data = polybody.Data(result.model)
    for _ in range(3):
        q, _ = state(joint, rng)
        pos, mat = POSES[joint](q)
        data.qpos = result.native.qpos(q)
        polybody.forward(result.model, data)
        np.testing.assert_allclose(data.xpos[1], at + turned @ pos, atol=1e-14)
        np.testing.assert_allclose(data.xmat[1].reshape(3, 3), turned @ mat, atol=1e-14)


@pytest.mark.parametrize("joint", sorted(POSES))
def test_native_velocities_are_rates(joint):
    """Linear velocities of the position, angular velocities in the body's axes; both from a tiny undamped
    step.
    """
    result = one(joint, head='<options gravity="0 0 0" dt="1e-7"/>', options=options(joint))
    rng = np.random.default_rng(2)
    q, qd = state(joint, rng)
    data = polybody.Data(result.model)
    data.qpos, data.qvel = result.native.qpos(q), result.native.qvel(q, qd)
    polybody.step(result.model, data)
    after = result.native.q(data.qpos)
    rate = (after - q) / 1e-7
    if joint in QUATERNION:
        spin = qd[:3]
        passive = (active(q[:4]).T @ active(after[:4]) - np.eye(3)) / 1e-7
        np.testing.assert_allclose(passive, np.cross(np.eye(3), spin), atol=1e-5)
        rate, qd = rate[4:], qd[3:]
    np.testing.assert_allclose(rate, qd, atol=1e-5)


def test_there_and_back():
    rng = np.random.default_rng(3)
    result = lowered(random_x_xy(rng, sorted(WIDTHS), (30, 30)))
    native, model = result.native, result.model
    q, qd = rng.normal(size=(5, model.nq)), rng.normal(size=(5, model.nv))
    np.testing.assert_array_equal(native.q(native.qpos(q)), q)
    np.testing.assert_array_equal(native.v(native.qpos(q), native.qvel(q, qd)), qd)
    np.testing.assert_array_equal(native.qpos(q)[2], native.qpos(q[2]))
    assert sorted(native.q_index) == list(range(model.nq))
    assert sorted(native.qd_index) == list(range(model.nv))


def test_slices_follow_the_document():
    text = world(
        body("free", body("frozen", name="f") + body("saddle", name="s"), name="a") + body("cor", name="c")
    )
    native = lowered(text).native
    assert native.q_slices == {"a": slice(0, 7), "f": slice(7, 7), "s": slice(7, 9), "c": slice(9, 19)}
    assert native.v_slices == {"a": slice(0, 6), "f": slice(6, 6), "s": slice(6, 8), "c": slice(8, 17)}


def test_native_needs_the_model_only():
    """Any Model made from the document is accepted, including one loaded from a file."""
    result = one("free_2d")
    again = Native(polybody.Model.from_xml(result.model.to_xml()))
    np.testing.assert_array_equal(again.q_index, result.native.q_index)


def test_no_two_joint_types_share_their_primitives_but_not_their_order():
    """Native distinguishes joint types only by their primitive joints."""
    orders = {}
    for joint, pieces in joints.PIECES.items():
        order = tuple(joints.native_order(joint))
        assert orders.setdefault(tuple(piece.type for piece in pieces), order) == order, joint


def test_native_refuses_other_joints():
    builder = polybody.ModelBuilder()
    arm = builder.body(name="arm")
    builder.joint(arm, "screw", pitch=0.1)
    with pytest.raises(ValueError, match=r"'arm'.*screw"):
        Native(builder.build())


def test_the_acceleration_is_what_a_step_makes_of_the_velocity():
    """As in ring: dampers act at the end of the step, and the Data is unchanged."""
    result = one("rx", damping="3", armature="0.5")
    data = polybody.Data(result.model)
    data.qpos, data.qvel = [0.3], [2.0]
    polybody.forward(result.model, data)
    explicit = data.qacc.copy()
    vdot = result.native.vdot(data)
    assert data.qvel.tolist() == [2.0]
    inertia = polybody.mass_matrix(result.model, data)[0, 0] + 1e-6
    dt = float(result.model.opt_timestep)
    np.testing.assert_allclose(vdot, explicit * inertia / (inertia + dt * 3), rtol=1e-10)
