"""Rays and rangefinders compared with MuJoCo, on every shape and with every filter; invalid rays."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest

SCENE = """<mujoco><option gravity="0 0 -9"/><asset>
<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1 .2 .2 -.3" scale=".5 .7 .9"/>
<material name="glass" rgba="1 1 1 0"/>
<hfield name="h" nrow="4" ncol="5" size=".8 .6 .4 .2"
elevation="0 1 2 3 4 1 5 2 0 3 2 2 8 1 0 4 3 1 1 2"/></asset>
<worldbody><geom name="floor" type="plane" size="0 2 .1" pos="0 0 -1"/>
<body name="a" pos="0 0 .2"><joint type="ball"/><geom type="sphere" size=".3" group="1"/>
<geom type="capsule" size=".1 .3" pos="1 0 0" euler="30 40 0" group="2"/>
<geom type="cylinder" size=".2 .3" pos="-1 0 0"
euler="0 60 10"/></body><body name="b" pos="0 1 .3"><joint axis="1 0 1"/>
<geom type="ellipsoid" size=".1 .4 .2" group="3"/>
<geom type="box" size=".2 .1 .3" pos="1 0 0" euler="10 20 30" group="9"/>
<geom type="mesh" mesh="m" pos="-1 0 0"/></body>
<geom name="ground" type="hfield" hfield="h" pos="0 -1.2 -.3" euler="0 0 20"/>
<geom type="sphere" size=".5" pos="0 0 2" material="glass"/>
<geom type="sphere" size=".5" pos="2 0 2" rgba="1 1 1 0"/>
<body pos="1 -1 .4"><joint type="slide"/><geom size=".05"/><site name="s" pos=".2 0 0" euler="100 30 0"/>
<site name="t" euler="180 0 0" pos="0 0 .1"/></body></worldbody><sensor><clock/><rangefinder site="s"/>
<rangefinder site="t" cutoff=".3"/><jointpos joint="j"/></sensor></mujoco>""".replace(
    'type="slide"/>', 'type="slide" name="j"/>'
)
FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"static": False},
    {"exclude": 1},
    {"geomgroup": (1, 0, 1, 0, 0, 1)},
    {"geomgroup": (0, 1, 0, 1, 1, 0), "static": False, "exclude": 2},
)
OFF = ("constraint", "contact")


def _scene() -> tuple[pb.Model, pb.Data, Any, Any]:
    theirs = mujoco.MjModel.from_xml_string(SCENE)
    theirs.opt.disableflags |= int(
        mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    )
    model = pb.lower(pb.read("m.xml", text=SCENE, policy="warn", format="mjcf"), disable=OFF)
    state, data, rng = mujoco.MjData(theirs), pb.Data(model), np.random.default_rng(4)
    mujoco.mj_integratePos(theirs, state.qpos, 0.5 * rng.normal(size=theirs.nv), 1.0)
    state.qvel[:] = rng.normal(size=theirs.nv)
    data.qpos[:], data.qvel[:] = state.qpos, state.qvel
    mujoco.mj_forward(theirs, state)
    pb.forward(model, data)
    return model, data, theirs, state


@pytest.mark.parametrize("which", FILTERS)
def test_distances_and_geoms_are_mujocos(which: dict[str, Any]) -> None:
    model, data, theirs, state = _scene()
    rng = np.random.default_rng(7)
    start = rng.uniform((-2, -2, -1.5), (2, 2, 2), size=(600, 3))
    directed = rng.normal(size=(600, 3))
    directed[::5] = rng.choice(data.geom_xpos, 120) - start[::5] + 0.05 * rng.normal(size=(120, 3))
    lengths, geoms = pb.multi_ray(model, data, start, directed, **which)
    groups = which.get("geomgroup")
    expected, hit = np.zeros(600), np.zeros(600, dtype=int)
    for row in range(600):
        found = np.zeros(1, dtype=np.int32)
        mask = None if groups is None else np.array(groups, dtype=np.uint8)
        expected[row] = mujoco.mj_ray(
            theirs,
            state,
            start[row],
            directed[row],
            mask,
            which.get("static", True),
            which.get("exclude", -1),
            found,
        )
        hit[row] = found[0]
    assert len(set(hit.tolist())) > 1
    np.testing.assert_array_equal(geoms, hit)
    np.testing.assert_allclose(lengths, expected, rtol=1e-9, atol=1e-9)


def test_every_shape_is_met() -> None:
    model, data, _, _ = _scene()
    rng = np.random.default_rng(2)
    start = rng.uniform((-2, -2, -1.5), (2, 2, 2), size=(3000, 3))
    _, geoms = pb.multi_ray(model, data, start, rng.normal(size=(3000, 3)))
    assert {int(model.geom_type[geom]) for geom in geoms[geoms >= 0]} == {0, 1, 2, 3, 4, 5, 6, 7}


def test_one_ray_is_one_of_several() -> None:
    model, data, _, _ = _scene()
    length, geom = pb.ray(model, data, (0, 0, 5), (0, 0, -2))
    lengths, geoms = pb.multi_ray(model, data, (0, 0, 5), [(0, 0, -2), (0, 0, 1)])
    assert (length, geom) == (lengths[0], geoms[0])
    assert (lengths[1], geoms[1]) == (-1, -1)


def test_rangefinders_measure_as_mujocos_do() -> None:
    model, data, theirs, state = _scene()
    np.testing.assert_allclose(data.sensordata, state.sensordata, atol=1e-9)
    assert state.sensordata[2] != state.sensordata[1]
    mujoco.mj_step(theirs, state, 5)
    pb.step(model, data, 5)
    np.testing.assert_allclose(data.sensordata, state.sensordata, atol=1e-9)
    np.testing.assert_allclose(data.qpos, state.qpos, atol=1e-9)


def test_a_part_of_a_height_field_is_met_where_the_whole_is() -> None:
    """Compared with all of its triangles."""
    rng = np.random.default_rng(3)
    heights = rng.uniform(0, 1, (9, 14))
    text = f"""<mujoco><asset><hfield name="h" nrow="9" ncol="14" size="2 1 .5 .1"
    elevation="{" ".join(map(str, heights.ravel()))}"/></asset><worldbody>
    <geom type="hfield" hfield="h"/></worldbody></mujoco>"""
    model, theirs = pb.lower(pb.read("h.xml", text=text)), mujoco.MjModel.from_xml_string(text)
    data, state = pb.Data(model), mujoco.MjData(theirs)
    pb.forward(model, data)
    mujoco.mj_forward(theirs, state)
    met = 0
    for _ in range(400):
        start, directed = rng.uniform([-3, -2, -1], [3, 2, 2]), rng.normal(size=3) * rng.choice([1, 0.01], 3)
        geom = np.zeros(1, np.int32)
        expected = mujoco.mj_ray(theirs, state, start, directed, None, 1, -1, geom)
        assert pb.ray(model, data, start, directed)[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
        met += expected >= 0
    assert met > 50


@pytest.mark.parametrize(
    ("start", "directed", "message"),
    [
        ((0, 0, 0), (0, 0, 0), "direction of a ray has zero length"),
        ((0, 0, np.nan), (0, 0, 1), "contains NaN or infinity"),
        ((0, 0, 0), (0, np.inf, 1), "contains NaN or infinity"),
    ],
)
def test_what_is_no_ray(start: Any, directed: Any, message: str) -> None:
    model, data, _, _ = _scene()
    with pytest.raises(ValueError, match=message):
        pb.ray(model, data, start, directed)


def test_groups_and_shapes_of_arguments() -> None:
    model, data, _, _ = _scene()
    with pytest.raises(ValueError, match="6 groups"):
        pb.ray(model, data, (0, 0, 0), (0, 0, 1), geomgroup=(True,))
    with pytest.raises(ValueError, match=r"have the shape \(n, 3\)"):
        pb.multi_ray(model, data, (0, 0, 0), (0, 0, 1))
