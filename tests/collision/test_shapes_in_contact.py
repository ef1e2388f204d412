"""Contacts of two shapes: MuJoCo's at the same poses, and properties that every contact must have."""

from __future__ import annotations

import mujoco
import numpy as np
import polybody as pb
import pytest
from polybody.collision import collision_table, contacts

from tests.amounts import amount
from tests.collision import pairs
from tests.collision.compare import compare

CASES = [
    *(
        (pair, scale)
        for pair in pairs.ANALYTIC
        for scale in (1.0, 0.01, 30.0)
        if (pair, scale) != ("capsule-box", 30.0)
    ),
]
"""MuJoCo loses contacts of large capsules and boxes, where a squared distance is compared with a length."""


@pytest.mark.parametrize(("pair", "scale"), CASES)
def test_contacts_are_those_of_mujoco(pair: str, scale: float) -> None:
    tally = compare(pair, amount(100_000, 1_000), seed=1, scale=scale)
    assert tally.wrong == []
    assert tally.touching > tally.cases / 8
    assert tally.unstable < tally.cases / 500


@pytest.mark.parametrize("pair", pairs.ANALYTIC)
def test_frames_are_right_handed_and_normals_lead_to_the_second_geom(pair: str) -> None:
    draw = np.random.default_rng(3)
    made = pairs.scene(pair, 200, draw)
    xpos, xmat = pairs.poses(made, draw)
    found = made.table.contacts(xpos, xmat)
    frames = found["frame"].reshape(-1, 3, 3)
    np.testing.assert_allclose(
        frames @ frames.transpose(0, 2, 1), np.tile(np.eye(3), (len(found), 1, 1)), atol=1e-14
    )
    np.testing.assert_allclose(np.linalg.det(frames), 1)


@pytest.mark.parametrize("pair", [pair for pair in pairs.ANALYTIC if pair not in ("capsule-box", "box-box")])
def test_shapes_moved_apart_by_their_depth_touch_no_more(pair: str) -> None:
    draw = np.random.default_rng(3)
    made = pairs.scene(pair, 200, draw)
    still = made.ours.replace(pair_margin=np.zeros(200), pair_gap=np.zeros(200))
    xpos, xmat = pairs.poses(made, draw)
    found = contacts(still, xpos, xmat)
    deepest = {}
    for contact in found:
        key = int(contact["geom2"])
        deepest[key] = min(deepest.get(key, contact), contact, key=lambda c: float(c["dist"]))
    assert len(deepest) > 50
    for geom, contact in deepest.items():
        xpos[geom] -= (contact["dist"] + np.sign(contact["dist"]) * 1e-9) * contact["frame"][:3]
    assert len(contacts(still, xpos, xmat)) == 0


@pytest.mark.parametrize("shape", ["sphere", "capsule"])
def test_two_equal_shapes_may_be_exchanged(shape: str) -> None:
    draw = np.random.default_rng(5)
    made = pairs.scene(f"{shape}-{shape}", 200, draw)
    size, none = made.ours.geom_size, np.zeros(200)
    same = made.ours.replace(
        geom_size=0 * size + size[0], geom_rbound=0 * size[:, 0], pair_margin=none, pair_gap=none
    )
    table = collision_table(same)
    xpos, xmat = pairs.poses(made, draw)
    first, second = made.model.pair_geom1, made.model.pair_geom2
    swapped, turned = xpos.copy(), xmat.copy()
    swapped[first], swapped[second], turned[first], turned[second] = (
        xpos[second],
        xpos[first],
        xmat[second],
        xmat[first],
    )
    one, other = table.contacts(xpos, xmat), table.contacts(swapped, turned)
    assert len(one) == len(other) > 50
    np.testing.assert_allclose(one["dist"], other["dist"], atol=1e-14)
    np.testing.assert_allclose(one["pos"], other["pos"], atol=1e-13)
    np.testing.assert_allclose(one["frame"][:, :3], -other["frame"][:, :3], atol=1e-12)


POSES = {
    "coincident": lambda xpos, xmat: (0 * xpos, np.tile(np.eye(3).ravel(), (len(xmat), 1))),
    "kilometres deep": lambda xpos, xmat: (1e4 * xpos, xmat),
    "far away together": lambda xpos, xmat: (xpos + 1e9, xmat),
    "no places": lambda xpos, xmat: (np.full_like(xpos, np.nan), xmat),
    "infinite places": lambda xpos, xmat: (np.full_like(xpos, np.inf), xmat),
    "beyond all numbers": lambda xpos, xmat: (xpos * 1e300, xmat),
    "no rotations": lambda xpos, xmat: (xpos, np.full_like(xmat, np.nan)),
    "rotations of zeros": lambda xpos, xmat: (xpos, 0 * xmat),
    "huge rotations": lambda xpos, xmat: (xpos, 1e200 * xmat),
}


@pytest.mark.parametrize("pair", pairs.ANALYTIC)
def test_whatever_the_poses_contacts_are_finite(pair: str) -> None:
    draw = np.random.default_rng(7)
    made = pairs.scene(pair, 20, draw)
    for scale in (1.0, 0.0, 1e4):
        bound = scale * made.ours.geom_rbound
        sized = made.ours.replace(geom_size=scale * made.ours.geom_size, geom_rbound=bound)
        xpos, xmat = pairs.poses(made, draw)
        for name, change in POSES.items():
            found = contacts(sized, *change(xpos, xmat))
            for field in ("dist", "pos", "frame"):
                assert np.isfinite(found[field]).all(), (field, scale, name)
            np.testing.assert_allclose(np.linalg.norm(found["frame"][:, :3], axis=1), 1)


TIED = """<mujoco><option gravity="0 0 0"/><worldbody>
<geom type="box" size=".05 .05 .05" pos="{0}" euler="{1}"/>
<body pos="{0}" euler="{1}"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>
<joint type="slide" axis="0 0 1"/><geom {2} mass="1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("shape", ['size=".02"', 'type="capsule" size=".01" fromto="0 0 0 .5 0 0"'])
@pytest.mark.parametrize(
    ("pos", "euler"), [("0 0 0", "0 0 0"), (".7 .1 1.3", "10 20 30"), ("-9 7 3", "80 5 200")]
)
def test_a_tie_between_the_faces_of_a_box(pos: str, euler: str, shape: str) -> None:
    """All faces are equally near the centre; the choice depends neither on rounding nor on the kernels."""
    model = pb.load("tied.xml", text=TIED.format(pos, euler, shape))
    expected = None
    if pos == "0 0 0" and "capsule" not in shape:  # otherwise rounding decides it in MuJoCo
        theirs = mujoco.MjModel.from_xml_string(TIED.format(pos, euler, shape))
        data = mujoco.MjData(theirs)
        mujoco.mj_forward(theirs, data)
        expected = data.contact.frame[0, :3]
    rng = np.random.default_rng(0)
    starts = [np.zeros(3), *(rng.normal(size=(40, 3)) * 10.0 ** rng.uniform(-19, -14, size=(40, 1)))]
    forces = []
    for qpos in starts:
        one = pb.Data(model)
        one.qpos = qpos
        pb.forward(model, one)
        normal = one.contact["frame"][0].reshape(3, 3)[0]
        assert one.contact["dist"][0] == pytest.approx(-0.05 - model.geom_size[1, 0])
        assert normal == pytest.approx(model_axis(model), abs=1e-9)
        if expected is not None:
            assert normal == pytest.approx(expected, abs=1e-9)
        forces.append(one.qfrc_constraint.copy())
    for kernels in ("loop", "specialized"):
        sim = pb.Stepper(model, kernels, results=("qfrc_constraint",))
        batch = pb.BatchStepper(model, len(starts), kernels=kernels, results=("qfrc_constraint",))
        for k, qpos in enumerate(starts):
            sim.reset()
            sim.data.qpos = batch.qpos[k] = qpos
            sim.step()
            assert sim.data.qfrc_constraint == pytest.approx(forces[k], rel=1e-9, abs=1e-9)
        batch.step()
        assert batch.results["qfrc_constraint"] == pytest.approx(np.array(forces), rel=1e-9, abs=1e-9)


def model_axis(model: pb.Model) -> np.ndarray:
    """The x axis of the box in the world: the first of its faces is towards -x."""
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.geom_quat[0])
    return turn.reshape(3, 3)[:, 0]
