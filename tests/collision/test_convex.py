"""Convex shapes, meshes and height fields: MuJoCo's contacts at the same poses, and rejected input."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest
from polybody.collision import collision_table, contacts, geom_distance
from polybody.errors import ModelError

from tests.amounts import amount
from tests.collision import pairs
from tests.collision.compare import Tally, compare, judge, within

ACCURACY = 1e-12
"""The search takes the same steps as MuJoCo's, though it stops at 1e-6."""
SIZES = {"sphere": ".2", "capsule": ".1 .2", "ellipsoid": ".1 .2 .3", "cylinder": ".2 .1", "box": ".1 .2 .3"}
WITH_MESHES = (("plane", "mesh"), *((shape, "mesh") for shape in SIZES), ("mesh", "mesh"))
ON_TERRAIN = tuple(("hfield", shape) for shape in (*SIZES, "mesh"))
COUNT = 20


@pytest.mark.parametrize("pair", pairs.CONVEX)
def test_contacts_are_those_of_mujoco(pair: str) -> None:
    tally = compare(pair, amount(100_000, 1_000), seed=2, accuracy=ACCURACY)
    assert not tally.wrong, tally.wrong
    assert tally.touching > tally.cases / 4
    assert tally.unstable == 0


def shapes(seed: int, pair: tuple[str, str], flag: str = "") -> str:
    """MJCF of explicit pairs of two shapes, some of them random hulls or a random terrain."""
    draw = np.random.default_rng(seed)

    def numbers(values: Any) -> str:
        return " ".join(map(repr, np.ravel(values).tolist()))

    hulls = [draw.normal(size=(count, 3)) * draw.uniform(0.05, 0.2, 3) for count in (4, 6, 12, 40, 150)]
    assets = "".join(f'<mesh name="m{i}" vertex="{numbers(points)}"/>' for i, points in enumerate(hulls))
    heights = numbers(draw.uniform(0, 1, 63))
    assets += f'<hfield name="h" nrow="7" ncol="9" size="1 1 .4 .2" elevation="{heights}"/>'
    bodies, listed = [], []
    for row in range(COUNT):
        for name, shape in zip("ab", pair, strict=True):
            kind = {
                "mesh": f'type="mesh" mesh="m{(row + 2 * (name == "b")) % 5}"',
                "hfield": 'type="hfield" hfield="h"',
                "plane": 'type="plane" size="1 1 1"',
            }.get(shape) or f'type="{shape}" size="{SIZES[shape]}"'
            still = shape in ("plane", "hfield")
            mass = "" if still else 'mass="1"'
            geom = f'<geom name="{name}{row}" {kind} {mass}/>'
            bodies.append(geom if still else f"<body><freejoint/>{geom}</body>")
        listed.append(f'<pair geom1="a{row}" geom2="b{row}" margin="{draw.choice([0, 0.02, 0.05])}"/>')
    return (
        f'<mujoco><option>{flag}</option><default><geom contype="0" conaffinity="0"/></default>'
        f"<asset>{assets}</asset><worldbody>{''.join(bodies)}</worldbody>"
        f"<contact>{''.join(listed)}</contact></mujoco>"
    )


@pytest.mark.parametrize("flag", ["", "<flag multiccd='enable'/>"])
@pytest.mark.parametrize("pair", [*WITH_MESHES, *ON_TERRAIN])
def test_meshes_and_terrain_are_touched_as_in_mujoco(pair: tuple[str, str], flag: str) -> None:
    text = shapes(len(flag), pair, flag)
    ours, theirs = pb.lower(pb.read("m.xml", text=text)), mujoco.MjModel.from_xml_string(text)
    made = pairs.Scene(ours, collision_table(ours), theirs, mujoco.MjData(theirs), np.ones(COUNT), False)
    draw, tally, rounds = np.random.default_rng(1), Tally(), amount(50, 4)
    for _ in range(rounds):
        xpos, xmat = draw.normal(size=(theirs.ngeom, 3)), pairs.turns(draw, theirs.ngeom)
        away = draw.uniform(-0.2, 0.2, (COUNT, 3))
        if pair[0] == "hfield":
            over = draw.uniform([-0.9, -0.9, 0], [0.9, 0.9, 0.5], (COUNT, 3))
            away = np.einsum("nij,nj->ni", xmat[theirs.pair_geom1], over)
        xpos[theirs.pair_geom2] = xpos[theirs.pair_geom1] + away
        xmat = xmat.reshape(-1, 9)
        found, expected = made.table.contacts(xpos, xmat), pairs.peer(made, xpos, xmat)
        tally.touching += len(np.unique(expected["geom"], axis=0))
        if not within(found, expected, ACCURACY, 1.0, tally):
            judge(made, xpos, xmat, found, expected, ACCURACY, 1.0, draw, tally)
    assert tally.touching > 10 * rounds
    assert not tally.wrong, tally.wrong
    assert tally.unstable == 0


@pytest.mark.parametrize("pair", [*WITH_MESHES, *ON_TERRAIN])
def test_whatever_the_poses_contacts_are_finite(pair: tuple[str, str]) -> None:
    made = pb.lower(pb.read("m.xml", text=shapes(3, pair)))
    draw = np.random.default_rng(2)
    xpos, xmat = 0.1 * draw.normal(size=(made.ngeom, 3)), pairs.turns(draw, made.ngeom).reshape(-1, 9)
    still = np.tile(np.eye(3).ravel(), (made.ngeom, 1))
    for place, turn in (
        (0 * xpos, still),
        (1e4 * xpos, xmat),
        (xpos + 1e9, xmat),
        (np.nan * xpos, xmat),
        (xpos, np.nan * xmat),
        (xpos, 0 * xmat),
        (xpos, 1e200 * xmat),
        (1e300 * xpos, xmat),
    ):
        found = contacts(made, place, turn)
        assert all(np.isfinite(found[field]).all() for field in ("dist", "pos", "frame"))


@pytest.mark.parametrize("pair", [*pairs.ANALYTIC, *pairs.CONVEX])
def test_distances_are_those_of_mujoco(pair: str) -> None:
    draw = np.random.default_rng(9)
    made, near = pairs.scene(pair, 20, draw), 0
    for cutoff in (0.0, 0.3):
        xpos, xmat = pairs.poses(made, draw)
        made.data.geom_xpos[:], made.data.geom_xmat[:] = xpos, xmat
        for one, other in zip(made.model.pair_geom1, made.model.pair_geom2, strict=True):
            for geoms in ((int(one), int(other)), (int(other), int(one))):
                points = np.zeros(6)
                expected = mujoco.mj_geomDistance(made.model, made.data, *geoms, cutoff, points)
                dist, fromto = geom_distance(made.ours, *geoms, xpos, xmat, cutoff)
                accuracy = 5e-3 if pair.endswith("cylinder") or pair == "cylinder-box" else 1e-6
                assert dist == pytest.approx(expected, abs=accuracy)
                np.testing.assert_allclose(fromto, points, atol=accuracy)
                near += dist < cutoff
    assert near > 20


def test_a_search_leads_nowhere_outside_of_a_mesh() -> None:
    made = pb.lower(pb.read("m.xml", text=shapes(4, ("mesh", "mesh"))))
    graph = made.mesh_graph.copy()
    for place, value in (
        (0, 10**6),
        (0, -1),
        (2, 10**6),
        (2 + int(graph[0]), 10**6),
        (2 + 2 * int(graph[0]), 99),
    ):
        broken = graph.copy()
        broken[place] = value
        with pytest.raises(ModelError, match="mesh 0"):
            collision_table(made.replace(mesh_graph=broken))
    with pytest.raises(ModelError, match=r"are not within the .* rows of meshvert"):
        collision_table(made.replace(mesh_vertnum=made.mesh_vertnum + 1000))
    field = pb.lower(pb.read("m.xml", text=shapes(4, ("hfield", "sphere"))))
    with pytest.raises(ModelError, match="hfield 0"):
        collision_table(field.replace(hfield_nrow=field.hfield_nrow + 1))
    empty = field.replace(hfield_nrow=0 * field.hfield_nrow)
    assert len(contacts(empty, field.geom_pos, np.zeros((field.ngeom, 9)))) == 0
