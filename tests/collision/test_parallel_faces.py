"""Of parallel faces and edges many points are equally far: the search takes those that MuJoCo takes."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest
from polybody.collision import collision_table

from tests.amounts import amount
from tests.collision import pairs

COUNT = 24
"""Pairs of a scene."""
SAME = 1e-12
"""Places differ by centimetres where another of the points was chosen."""


def block(counts: tuple[int, int, int]) -> Any:
    """Vertices all over the faces of a box."""
    lines = [np.linspace(-half, half, count) for half, count in zip((0.2, 0.15, 0.1), counts, strict=True)]
    grid = np.stack(np.meshgrid(*lines), axis=-1).reshape(-1, 3)
    outside = np.any(np.abs(np.abs(grid) - [0.2, 0.15, 0.1]) < 1e-12, axis=1)
    return grid[outside]


def prism(sides: int) -> Any:
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.stack([0.2 * np.cos(angle), 0.2 * np.sin(angle)], axis=1)
    return np.vstack([np.column_stack([ring, np.full(sides, z)]) for z in (-0.1, 0.1)])


MESHES = {"cube": block((2, 2, 2)), "brick": block((4, 3, 3)), "six": prism(6), "round": prism(40)}
SHAPES = {
    "box": 'type="box" size=".2 .15 .1"',
    "cylinder": 'type="cylinder" size=".2 .1"',
    "capsule": 'type="capsule" size=".1 .15"',
    "mesh": "",
}
LYING = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
"""How capsules are, so that they touch along their length."""
PAIRS = ("box-mesh", "mesh-mesh", "cylinder-mesh", "capsule-mesh", "cylinder-box", "cylinder-cylinder")


def scene(pair: str, draw: np.random.Generator, flag: str) -> pairs.Scene:
    assets = "".join(
        f'<mesh name="{name}" vertex="{" ".join(map(repr, points.ravel().tolist()))}"/>'
        for name, points in MESHES.items()
    )
    bodies, listed = "", ""
    for row in range(COUNT):
        for name, shape in zip("ab", pair.split("-"), strict=True):
            kind = SHAPES[shape] or f'type="mesh" mesh="{draw.choice([*MESHES])}"'
            bodies += f'<body><freejoint/><geom name="{name}{row}" {kind} mass="1"/></body>'
        listed += f'<pair geom1="a{row}" geom2="b{row}" margin="{draw.choice([0, 0.02])}"/>'
    text = (
        f'<mujoco><option>{flag}</option><default><geom contype="0" conaffinity="0"/></default>'
        f"<asset>{assets}</asset><worldbody>{bodies}</worldbody><contact>{listed}</contact></mujoco>"
    )
    ours, theirs = pb.lower(pb.read("m.xml", text=text)), mujoco.MjModel.from_xml_string(text)
    return pairs.Scene(ours, collision_table(ours), theirs, mujoco.MjData(theirs), np.ones(COUNT), False)


def yawed(angles: Any) -> Any:
    """Rotations about z, (n, 3, 3); exact where the angle is a multiple of a right angle."""
    sine, cosine = np.sin(angles), np.cos(angles)
    sine, cosine = (np.where(np.abs(part) < 1e-15, 0, part) for part in (sine, cosine))
    turned = np.zeros((len(angles), 3, 3))
    turned[:, 0, 0], turned[:, 0, 1], turned[:, 1, 0], turned[:, 1, 1] = cosine, -sine, sine, cosine
    turned[:, 2, 2] = 1
    return turned


def poses(made: pairs.Scene, draw: np.random.Generator, how: str) -> tuple[Any, Any]:
    """The second geom of each pair a little in the first: aligned, turned about the normal, both turned."""
    first, second = made.model.pair_geom1, made.model.pair_geom2
    xmat = np.tile(np.eye(3), (made.model.ngeom, 1, 1))
    for geoms in (first, second):
        angles = np.pi / 2 * draw.integers(0, 4, COUNT)
        xmat[geoms] = yawed(angles if how == "aligned" else draw.uniform(-np.pi, np.pi, COUNT))
    if how == "somehow":
        xmat[second] = xmat[first]
        xmat = np.einsum("ij,njk->nik", pairs.turns(draw, 9)[8], xmat)
    up = xmat[first, :, 2]
    across = draw.choice([-0.1, 0, 0.05, 0.1], (COUNT, 2))
    xpos = np.zeros((made.model.ngeom, 3))
    deep = draw.choice([0.001, 1e-7, 0.02], COUNT)
    xpos[second] = (
        (0.2 - deep)[:, None] * up + across[:, :1] * xmat[first, :, 0] + across[:, 1:] * xmat[first, :, 1]
    )
    capsules = made.model.geom_type == mujoco.mjtGeom.mjGEOM_CAPSULE
    xmat[capsules] = xmat[capsules] @ LYING
    return xpos, xmat.reshape(-1, 9)


@pytest.mark.parametrize("flag", ["", "<flag multiccd='enable'/>"], ids=["one", "multi"])
@pytest.mark.parametrize("how", ["aligned", "yawed", "somehow"])
@pytest.mark.parametrize("pair", PAIRS)
def test_parallel_faces_touch_where_they_do_in_mujoco(pair: str, how: str, flag: str) -> None:
    draw = np.random.default_rng([*map(ord, pair + how)])
    made, touching = scene(pair, draw, flag), 0
    rounds = amount(500, 10)
    for _ in range(rounds):
        xpos, xmat = poses(made, draw, how)
        found, expected = made.table.contacts(xpos, xmat), pairs.peer(made, xpos, xmat)
        assert pairs.apart(found, expected) <= SAME
        touching += len(expected)
    assert touching > COUNT * rounds / 2
