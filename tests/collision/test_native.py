"""The algorithm of the flag nativeccd: nearest points and depths, compared with a slow reference and
MuJoCo.
"""

from __future__ import annotations

import mujoco
import numpy as np
import polybody as pb
import pytest
from polybody.collision import geom_distance

from tests.amounts import amount
from tests.collision import pairs
from tests.collision.compare import by_pair
from tests.collision.reference import Solid, depth, net, overlaps

FLAG = "<flag nativeccd='enable'/>"
PAIRS = (*pairs.CONVEX, *pairs.WITH_MESHES[1:])
COUNT = 20
DIRECTIONS = net(2000)
ACCURACY = 2e-6
"""The search stops at a tolerance of 1e-6 or after 50 iterations."""
OF_POLYTOPES = 1e-7
"""The search for a depth stops when the polytope grows by less than a tenth of the tolerance. The depth of
polytopes is then exact up to rounding, unless their difference has faces that are flatter than that.
"""


@pytest.mark.parametrize("pair", PAIRS)
def test_distances_and_depths_are_least(pair: str) -> None:
    """Points of both shapes bound the distance from above, separating directions bound it from below."""
    draw, apart, exact, rounded = np.random.default_rng(4), 0, 0, 0
    for _ in range(amount(200, 1)):
        made = pairs.scene(pair, COUNT, draw, option=FLAG)
        xpos, xmat = pairs.poses(made, draw)
        xpos[made.model.pair_geom2] += 0.3 * (xpos[made.model.pair_geom2] - xpos[made.model.pair_geom1])
        for one, other in zip(made.model.pair_geom1, made.model.pair_geom2, strict=True):
            far, points = geom_distance(made.ours, int(one), int(other), xpos, xmat, 100.0)
            first = Solid(made.ours, one, xpos[one], xmat[one])
            second = Solid(made.ours, other, xpos[other], xmat[other])
            difference = points[3:] - points[:3]
            assert np.linalg.norm(difference) == pytest.approx(abs(far), abs=1e-9)
            if abs(far) < 1e-9:
                continue
            normal = (difference / far)[None]
            slack = ACCURACY if far > 0 else 20 * ACCURACY  # polytopes inside are flatter
            assert overlaps(first, second, normal)[0] == pytest.approx(-far, abs=max(slack, 3e-3 * -far))
            for solid, point in ((first, points[:3]), (second, points[3:])):
                assert (solid.reach(DIRECTIONS) - DIRECTIONS @ point).min() > -1e-6  # it is inside the shape
            if far < 0:
                least, is_exact = depth(first, second, DIRECTIONS)
                assert -far <= least + 1e-9
                assert not is_exact or -far == pytest.approx(least, rel=0, abs=OF_POLYTOPES)
                exact += is_exact
                rounded += is_exact and abs(far + least) < 1e-14
            apart += far > 0
    assert apart > 0
    assert exact > 0 or not {*pair.split("-")} <= {"box", "mesh"}
    assert rounded >= 0.98 * exact


@pytest.mark.parametrize("pair", [*PAIRS, *pairs.ON_TERRAIN])
def test_contacts_are_those_of_mujoco(pair: str) -> None:
    """The number of contacts agrees; the depth agrees or is larger where MuJoCo has not converged in 50
    iterations.
    """
    draw, near, deeper, touching = np.random.default_rng(5), 0, 0, 0
    for _ in range(amount(100, 2)):
        made = pairs.scene(pair, 50, draw, option=FLAG)
        xpos, xmat = pairs.poses(made, draw)
        first = made.table.listed["geom"][:, 0]
        ours, theirs = made.table.contacts(xpos, xmat), pairs.peer(made, xpos, xmat)
        for own, other in zip(by_pair(ours, 50, first), by_pair(theirs, 50, first), strict=True):
            assert len(own) == len(other)
            # deep inside a sphere or capsule, MuJoCo 3.2.7 uses the rounding error of a distance as its
            # direction
            lost = np.abs(other["frame"][:, 0]) > 1 - 1e-12
            lost &= pair.startswith(("sphere", "capsule", "hfield"))
            change = (own["dist"] - other["dist"])[~lost]
            touching += len(change)
            near += int((np.abs(change) < ACCURACY).sum())
            deeper += int((change <= -ACCURACY).sum())
    assert touching > 20
    assert near + deeper >= 0.98 * touching
    assert near > 0.8 * touching


def test_sensors_and_many_contacts_use_it() -> None:
    text = """<mujoco><option><flag nativeccd="enable" multiccd="enable"/></option><worldbody>
    <geom name="a" type="box" size=".5 .5 .1"/><body name="b" pos="0 0 .199"><freejoint/>
    <geom name="c" type="cylinder" size=".2 .1"/></body></worldbody>
    <sensor><distance geom1="a" geom2="c" cutoff="1"/><fromto geom1="c" geom2="a" cutoff="1"/></sensor>
    </mujoco>"""
    model, theirs = pb.lower(pb.read("m.xml", text=text)), mujoco.MjModel.from_xml_string(text)
    data, state = pb.Data(model), mujoco.MjData(theirs)
    pb.forward(model, data)
    mujoco.mj_forward(theirs, state)
    assert len(data.contact) == state.ncon > 1
    np.testing.assert_allclose(data.contact["dist"], state.contact.dist, atol=1e-6)
    assert data.sensordata[0] == pytest.approx(-0.001, abs=1e-9)
    data.qpos[2] = 0.5
    pb.forward(model, data)
    assert data.sensordata[0] == pytest.approx(0.3, abs=1e-9)
    assert data.sensordata[3] == pytest.approx(0.4, abs=1e-9)  # from the cylinder, geom1, to the box
    assert data.sensordata[6] == pytest.approx(0.1, abs=1e-9)


@pytest.mark.parametrize("pair", ["cylinder-cylinder", "cylinder-box"])
def test_nearly_parallel_shapes_that_overlap_touch(pair: str) -> None:
    """Such shapes have flat simplexes through the origin, and faces with normals of rounding errors."""
    draw, count, rounds = np.random.default_rng(6), 50, amount(1000, 20)
    made = pairs.scene(pair, count, draw, option=FLAG)
    for _ in range(rounds):
        xpos, xmat = pairs.poses(made, draw)
        nearly = np.array([[1, 0, 0], [0, -1, 0], [0, 0, -1]]) + 1e-9 * draw.normal(size=(2 * count, 3, 3))
        xmat[:] = np.linalg.qr(nearly)[0].reshape(xmat.shape)
        xpos[made.model.pair_geom2] = xpos[made.model.pair_geom1] + draw.uniform(-1e-3, 1e-3, (count, 3))
        found = made.table.contacts(xpos, xmat)["geom"]
        assert {tuple(sorted(pair)) for pair in found.tolist()} == {(2 * i, 2 * i + 1) for i in range(count)}
