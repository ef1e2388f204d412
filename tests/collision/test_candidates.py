"""Which geoms are tested, which parameters their contacts have, and the order of contacts, all as in
MuJoCo.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest
from polybody.collision import collision_table, contacts, pairs, uncollided
from polybody.generated.model import ShapeType

from tests.amounts import amount
from tests.collision.compare import PARAMETERS
from tests.collision.pairs import apart, contacts_of
from tests.collision.scenes import random_scene

FLAT = """<mujoco><worldbody><geom type="plane" size="0 0 1"/>{bodies}</worldbody></mujoco>"""


def model(text: str, **flags: Any) -> pb.Model:
    return pb.lower(pb.read("scene.xml", text=text), **flags)


@pytest.mark.parametrize("listed", [1024, 0])
@pytest.mark.parametrize("seed", range(amount(200, 8)))
def test_lists_are_those_of_mujoco(seed: int, listed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "LISTED", listed)
    text = random_scene(seed, 12)
    theirs, ours = mujoco.MjModel.from_xml_string(text), model(text)
    table, data = collision_table(ours), mujoco.MjData(theirs)
    assert bool(len(table.swept)) == (listed == 0)
    draw, number = np.random.default_rng(seed), 0
    for _ in range(5):
        data.qpos[:] = theirs.qpos0 + 0.3 * draw.normal(size=theirs.nq)
        mujoco.mj_kinematics(theirs, data)
        mujoco.mj_comPos(theirs, data)
        expected = contacts_of(theirs, data, data.geom_xpos.copy(), data.geom_xmat.copy())
        found = contacts(ours, data.geom_xpos, data.geom_xmat)
        np.testing.assert_array_equal(found["geom"], expected["geom"])
        kinds = theirs.geom_type[expected["geom"]]
        searched = (kinds == ShapeType.cylinder).any(axis=1) & (kinds > ShapeType.sphere).all(axis=1)
        assert apart(found[~searched], expected[~searched]) < 1e-12
        for name in PARAMETERS:
            np.testing.assert_array_equal(found[name], expected[name], name)
        number += len(found)
    assert number > 20


@pytest.mark.parametrize(("count", "size"), [(40, 1.0), (400, 0.3), (800, 0.05), (300, 2.0)])
def test_the_sweep_finds_every_pair(count: int, size: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many spheres of very different sizes, also with more pairs than the initial capacity."""
    draw = np.random.default_rng(count)
    radii = size * draw.uniform(0.1, 1, count) * np.where(draw.integers(0, 50, count) == 0, 5, 1)
    bodies = "".join(f'<body><freejoint/><geom size="{radius}"/></body>' for radius in radii.tolist())
    monkeypatch.setattr(pairs, "LISTED", 0)
    made = model(FLAT.format(bodies=bodies))
    place = np.concatenate([np.zeros((1, 3)), draw.uniform(-1, 1, (count, 3))])
    place[1:, 2] += 50
    turn = np.tile(np.eye(3).ravel(), (count + 1, 1))
    found = contacts(made, place, turn)
    gap = np.linalg.norm(place[1:, None] - place[None, 1:], axis=2) - radii[:, None] - radii
    one, other = np.nonzero(np.triu(gap <= 0, 1))
    np.testing.assert_array_equal(found["geom"], np.stack([one, other], axis=1) + 1)
    np.testing.assert_allclose(found["dist"], gap[one, other], atol=1e-12)
    place[5] = np.nan
    without = contacts(made, place, turn)
    np.testing.assert_array_equal(without["geom"], found["geom"][(found["geom"] != 5).all(axis=1)])


@pytest.mark.parametrize("spread", [0.2, 0.6, 1.0])
def test_the_sweep_finds_every_pair_of_few_bodies(spread: float) -> None:
    """Many spheres on few bodies, most of which are close to no other body."""
    draw = np.random.default_rng(7)
    balls = "".join(f'<geom size="{radius}"/>' for radius in draw.uniform(0.02, 0.2, 80).tolist())
    bodies = f"<body>{balls}</body>" + 4 * f"<body><freejoint/>{balls}</body>"
    made = model(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    body, radii = np.repeat(np.arange(5), 80), np.asarray(made.geom_size)[:, 0]
    place = draw.normal(0, spread, (5, 3))[body] + draw.normal(0, 0.4, (400, 3))
    found = contacts(made, place, np.tile(np.eye(3).ravel(), (400, 1)))
    gap = np.linalg.norm(place[:, None] - place, axis=2) - radii[:, None] - radii
    one, other = np.nonzero(np.triu(gap <= 0, 1) & (body[:, None] != body))
    assert len(one) > 10
    order = np.lexsort((other, one, body[other], body[one]))
    np.testing.assert_array_equal(found["geom"], np.stack([one, other], axis=1)[order])
    place[one[0]] = np.nan
    without = contacts(made, place, np.tile(np.eye(3).ravel(), (400, 1)))
    np.testing.assert_array_equal(without["geom"], found["geom"][(found["geom"] != one[0]).all(axis=1)])


@pytest.mark.parametrize("word", ["contact", "constraint"])
def test_flags_switch_contacts_off(word: str) -> None:
    text = FLAT.format(bodies='<body><freejoint/><geom size=".1"/></body>')
    place, turn = np.zeros((2, 3)), np.tile(np.eye(3).ravel(), (2, 1))
    assert len(contacts(model(text), place, turn)) == 1
    assert len(contacts(model(text, disable=word), place, turn)) == 0


def test_pairs_without_a_function_are_named() -> None:
    body = '<body><freejoint/><geom type="{}" size=".1 .2 .3"/></body>'
    text = FLAT.format(bodies=body.format("ellipsoid") + body.format("box") + body.format("sphere"))
    made = model(text)
    missing = {frozenset(made.geom_type[list(pair)].tolist()) for pair in uncollided(made)}
    functions = np.array(pairs.FUNCTIONS)
    assert missing == {frozenset(p) for p in ((4, 6), (2, 4)) if not functions[min(p), max(p)]}
    assert uncollided(model(text, disable="contact")) == []


def test_lists_grow_with_the_number_of_contacts() -> None:
    """All contacts are found whatever the initial capacity."""
    bodies = '<body><freejoint/><geom type="box" size=".1 .1 .1"/></body>' * 300
    made = model(FLAT.format(bodies=bodies))
    place, turn = np.zeros((301, 3)), np.tile(np.eye(3).ravel(), (301, 1))
    place[1:, 0] = np.arange(300)
    assert len(contacts(made, place, turn)) == 1200
