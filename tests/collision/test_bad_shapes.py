"""Degenerate shapes: each is reported with its position when it is loaded, or moves without NaN."""

from __future__ import annotations

import warnings

import numpy as np
import polybody as pb
import pytest
from polybody.errors import ModelError

STEPS = 20
CAPSULE = '<geom mass="1" type="capsule" size=".1 .1"/>'
FLOOR = '<geom type="plane" size="9 9 1"/>'
CUBE = "0 0 0 1 0 0 0 1 0 0 0 1 1 1 0 1 0 1 0 1 1 1 1 1"


def numbers(values: object) -> str:
    return " ".join(map(repr, np.ravel(np.asarray(values, float)).tolist()))


def document(asset: str, world: str, more: str = "") -> str:
    return f"<mujoco>{more}<asset>{asset}</asset><worldbody>{FLOOR}{world}</worldbody></mujoco>"


def falling(shape: str, count: int = 2) -> str:
    """Bodies with a shape, one just above the floor, the others overlapping it."""
    return "".join(
        f'<body pos=".01 {0.02 * i} {0.05 + 0.1 * i}"><freejoint/><geom mass="1" {shape}/></body>'
        f'<body pos="0 {0.03 * i} {0.1 + 0.1 * i}"><freejoint/>{CAPSULE}</body>'
        for i in range(count)
    )


def judged(text: str) -> str:
    """The message reported when a document is loaded, or "" if it moves without NaN."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = pb.lower(pb.read("bad.xml", text=text))
            data = pb.Data(model)
            pb.Stepper(model, "loop", data=data, limit=np.inf).step(STEPS)
        except (pb.ValidationError, ModelError) as error:
            return str(error)
    assert np.isfinite(data.qpos).all()
    assert np.isfinite(data.qvel).all()
    contact = data.contact
    assert all(np.isfinite(contact[name]).all() for name in ("dist", "pos", "frame"))
    return ""


MESHES = {
    "one triangle": 'vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"',
    "one triangle, twice": 'vertex="0 0 0 1 0 0 0 1 0" face="0 1 2 0 2 1"',
    "two vertices": 'vertex="0 0 0 1 0 0"',
    "a flat square": 'vertex="0 0 0 1 0 0 0 1 0 1 1 0"',
    "a line": 'vertex="0 0 0 1 0 0 2 0 0 3 0 0"',
    "one place": 'vertex="1 1 1 1 1 1 1 1 1 1 1 1"',
    "almost flat": 'vertex="0 0 0 1 0 0 0 1 0 1 1 1e-9"',
    "tiny": f'scale="1e-9 1e-9 1e-9" vertex="{CUBE}"',
    "huge": f'scale="1e9 1e9 1e9" vertex="{CUBE}"',
    "no number": 'vertex="0 0 0 1 0 0 0 1 0 nan 0 1"',
    "no scale": f'scale="0 1 1" vertex="{CUBE}"',
    "mirrored": f'scale="-.1 .1 .1" vertex="{CUBE}"',
    "a face that does not exist": 'vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 9"',
    "turned inside out": 'vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 2 0 3 1 0 2 3 1 3 2"',
}


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES.keys())
def test_degenerate_meshes(mesh: str) -> None:
    said = judged(document(f'<mesh name="m" {mesh}/>', falling('type="mesh" mesh="m"')))
    assert not said or said.startswith("bad.xml:"), said


SEARCHES = {flag: f'<option><flag {flag}="enable"/></option>' for flag in ("multiccd", "nativeccd")}
GROUND = '<hfield name="ground" nrow="3" ncol="3" size="2 2 .1 .1" elevation="0 1 0 1 0 1 0 1 0"/>'


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES.keys())
@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES.keys())
def test_degenerate_meshes_with_other_searches_and_on_terrain(mesh: str, search: str) -> None:
    bodies = falling('type="mesh" mesh="m"') + falling('type="cylinder" size=".1 .1"', 1)
    terrain = '<geom type="hfield" hfield="ground"/>'
    said = judged(document(f'<mesh name="m" {mesh}/>{GROUND}', terrain + bodies, search))
    assert not said or said.startswith("bad.xml:"), said


def test_a_hull_of_thousands_of_vertices() -> None:
    points = np.random.default_rng(0).normal(size=(3000, 3))
    points *= 0.2 / np.linalg.norm(points, axis=1, keepdims=True)
    asset = f'<mesh name="m" vertex="{numbers(points)}"/>'
    assert judged(document(asset, falling('type="mesh" mesh="m"'))) == ""


def test_thousands_of_pieces() -> None:
    asset = f'<mesh name="m" scale=".01 .01 .01" vertex="{CUBE}"/>'
    pieces = "".join(
        f'<geom type="mesh" mesh="m" mass=".01" pos="{0.01 * (i % 50)} {0.01 * (i // 50)} 0"/>'
        for i in range(2000)
    )
    bodies = f'<body pos="0 0 .05"><freejoint/>{pieces}</body>' + falling('type="box" size=".1 .1 .1"', 1)
    assert judged(document(asset, bodies)) == ""


FIELDS = {
    "one row": 'nrow="1" ncol="4" size="1 1 1 .1"',
    "one column": 'nrow="4" ncol="1" size="1 1 1 .1"',
    "one place": 'nrow="1" ncol="1" size="1 1 1 .1"',
    "no width": 'nrow="2" ncol="2" size="0 1 1 .1"',
    "tiny": 'nrow="3" ncol="3" size="1e-12 1e-12 1e-12 1e-12"',
    "huge": 'nrow="3" ncol="3" size="1e12 1e12 1 1"',
    "no number": 'nrow="2" ncol="2" size="1 1 1 .1" elevation="0 1 nan 1"',
}


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS.keys())
def test_degenerate_height_fields(field: str) -> None:
    terrain = f'<hfield name="h" {field}/>'
    for shape in ('type="sphere" size=".1"', 'type="box" size=".1 .2 .1"'):
        said = judged(document(terrain, '<geom type="hfield" hfield="h"/>' + falling(shape)))
        assert not said or said.startswith("bad.xml:"), said


FLEXES = {
    "a tetrahedron inside out": ("3", "0 0 0 .1 0 0 0 .1 0 0 0 .1", "0 2 1 3"),
    "a tetrahedron": ("3", "0 0 0 .1 0 0 0 .1 0 0 0 .1", "0 1 2 3"),
    "a flat tetrahedron": ("3", "0 0 0 .1 0 0 0 .1 0 .1 .1 0", "0 1 2 3"),
    "a triangle without area": ("2", "0 0 0 .1 0 0 .2 0 0", "0 1 2"),
    "a triangle of one vertex": ("2", "0 0 0 .1 0 0 .2 .1 0", "0 0 0"),
    "a line of no length": ("1", "0 0 0 0 0 0", "0 1"),
    "a vertex that does not exist": ("2", "0 0 0 .1 0 0 .2 .1 0", "0 1 7"),
    "opposite triangles": ("2", "0 0 0 .1 0 0 0 .1 0 .1 .1 0", "0 1 2 1 2 3"),
}


@pytest.mark.parametrize("flex", FLEXES.values(), ids=FLEXES.keys())
def test_degenerate_flexes(flex: tuple[str, str, str]) -> None:
    dim, points, elements = flex
    soft = (
        f'<body name="soft" pos="0 0 .12"><flexcomp name="f" type="direct" dim="{dim}" mass=".1" radius=".01"'
        f' point="{points}" element="{elements}"><edge equality="true"/>'
        '<contact selfcollide="none"/></flexcomp></body>'
    )
    said = judged(document("", soft + falling('type="sphere" size=".1"')))
    assert not said or said.startswith("bad.xml:"), said


@pytest.mark.parametrize("flex", ["a tetrahedron", "a tetrahedron inside out", "opposite triangles"])
def test_elements_that_are_turned_inside_out_as_they_move(flex: str) -> None:
    """Elastic elements whose last corner lies beyond the others from the start."""
    dim, points, elements = FLEXES[flex]
    soft = (
        f'<body name="soft" pos="0 0 .3"><flexcomp name="f" type="direct" dim="{dim}" mass=".1" radius=".01"'
        f' point="{points}" element="{elements}"><elasticity young="10" poisson=".2"/>'
        '<contact selfcollide="none"/></flexcomp></body>'
    )
    model = pb.lower(pb.read("soft.xml", text=document("", soft)))
    data = pb.Data(model)
    for beyond in (-0.2, -1e-9):
        pb.reset(model, data)
        data.qpos[-3:] += beyond
        pb.step(model, data, STEPS)
        assert np.isfinite(data.qpos).all()
        assert np.isfinite(data.qvel).all()


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_shapes_of_plugins_beside_flexes(dim: int) -> None:
    count = ("4 1 1", "3 3 1", "2 2 2")[dim - 1]
    torus = '<config key="radius1" value=".3"/><config key="radius2" value=".1"/>'
    extension = (
        '<extension><plugin plugin="mujoco.sdf.torus">'
        f'<instance name="t">{torus}</instance></plugin></extension>'
    )
    asset = '<mesh name="t"><plugin instance="t"/></mesh>'
    geom = '<geom type="sdf" mesh="t" mass="1"><plugin instance="t"/></geom>'
    ring = f'<body pos="0 0 .1"><freejoint/>{geom}</body>'
    soft = (
        f'<body name="soft" pos="0 0 .3"><flexcomp name="f" type="grid" dim="{dim}" count="{count}"'
        ' spacing=".1 .1 .1" mass=".1" radius=".02"><edge equality="true"/></flexcomp></body>'
    )
    said = judged(document(asset, ring + soft, extension))
    assert not said or said.startswith("bad.xml:"), said
