"""MJCF: meshes, mesh geoms, and geoms fitted to meshes. Known answers are MuJoCo 3.2.7's."""

from __future__ import annotations

import struct

import numpy as np
import polybody
import pytest
from polybody.lowering.mjcf import compile_document

from tests.lowering.mjcf_models import body, column, document, same, world

TETRAHEDRON = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"'
POINTS = "0 0 0 1 .1 0 .2 2 0 .1 .3 3 1 2 .5 .7 .7 .7 2 .3 .1 1.5 1.2 1.1"
WRITTEN = f'vertex="{POINTS}"'
KINDS = ("sphere", "capsule", "cylinder", "ellipsoid", "box")


def asset(attributes: str, default: str = "") -> str:
    return f'<default><mesh {default}/></default><asset><mesh name="m" {attributes}/></asset>'


# --- geoms ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "attributes",
    [
        "",
        'scale="2 2 2" refpos="1 0 0"',
        'scale="-1 2 3"',
        'refpos="1 2 3" refquat="1 1 2 0"',
        'inertia="exact"',
        'inertia="convex"',
        'smoothnormal="true"',
    ],
)
@pytest.mark.parametrize("shape", [TETRAHEDRON, f'vertex="{POINTS}"'], ids=["tetrahedron", "points"])
def test_meshes(attributes, shape):
    geom = '<geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30" {}/>'
    same(world(body(geom.format("")) + body(geom.format('mass="3"')), asset(f"{shape} {attributes}")))


def test_a_reference_position_is_of_what_the_file_says():
    ours = same(
        world(body('<geom type="mesh" mesh="m"/>'), asset(f'{TETRAHEDRON} scale="2 2 2" refpos="1 0 0"'))
    )
    assert column(ours, "geom_pos") == pytest.approx([-1.5, 0.5, 0.5], abs=1e-7)


def test_a_shell_is_where_mujoco_has_it():
    """Its centre mixes the frames before and after the solid was centred."""
    moved = TETRAHEDRON.replace("0 0 0 1 0 0 0 1 0 0 0 1", "10 0 0 11 0 0 10 1 0 10 0 1")
    ours = same(world(body('<geom type="mesh" mesh="m" shellinertia="true"/>'), asset(moved)))
    assert column(ours, "body_ipos", 1) == pytest.approx([2.58247, 0.06572, 0.06572], abs=5e-6)


def test_the_last_geom_decides_the_pose_of_a_mesh():
    text = world(
        '<geom type="mesh" mesh="m"/>' + body('<geom type="box" mesh="m"/>'),
        f'<compiler fitaabb="true"/>{asset(TETRAHEDRON)}',
    )
    same(text)
    alone = same(world(body(), asset(TETRAHEDRON)))
    assert column(alone, "mesh_pos") == [0, 0, 0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("aabb", ["true", "false"])
@pytest.mark.parametrize("shell", ["true", "false"])
def test_fitted_shapes(kind, aabb, shell):
    geom = f'<geom type="{kind}" mesh="m" fitscale="1.5" shellinertia="{shell}" size="1 2 3" euler="0 0 30"/>'
    ours = same(world(body(geom), f'<compiler fitaabb="{aabb}"/>{asset(WRITTEN)}'))
    assert ours.columns["geom_dataid"].tolist() == [0]


def test_classes_of_meshes_and_names():
    head = f"""<default><mesh scale="2 2 2"/><default class="c"><mesh inertia="exact"/></default></default>
      <asset><mesh name="a" {TETRAHEDRON}/><mesh name="b" class="c" {TETRAHEDRON}/>
      <mesh name="n" {TETRAHEDRON} normal="0 0 1 0 0 1 0 0 1 0 0 1" texcoord="0 0 1 0 0 1 1 1"/></asset>"""
    geoms = "".join(f'<geom type="mesh" mesh="{name}"/>' for name in "abn")
    ours = same(world(body(geoms), head))
    assert ours.names["mesh"] == ("a", "b", "n")
    assert ours.columns["mesh_texcoordadr"].tolist() == [-1, -1, 0]


def test_hulls_are_made_of_what_touches():
    quiet = 'contype="0" conaffinity="0"'
    assets = f'<asset><mesh name="a" {TETRAHEDRON}/><mesh name="b" {TETRAHEDRON}/></asset>'
    ours = same(world(f'<geom type="mesh" mesh="a" {quiet}/><geom type="mesh" mesh="b"/>', assets))
    assert ours.columns["mesh_graphadr"].tolist() == [-1, 0]


def test_visual_meshes_are_discarded():
    quiet = 'contype="0" conaffinity="0"'
    assets = f"""<compiler discardvisual="true"/><asset>
      <mesh name="a" {TETRAHEDRON} texcoord="0 0 1 0 0 1 1 1"/><mesh name="b" {TETRAHEDRON}/>
      <mesh name="c" {TETRAHEDRON}/></asset>"""
    geoms = f'<geom type="mesh" mesh="b" {quiet}/><geom type="mesh" mesh="a"/>'
    ours = same(world(body(geoms), assets))
    assert ours.names["mesh"] == ("a",)
    assert ours.columns["mesh_texcoordnum"].tolist() == [4]


# --- files ------------------------------------------------------------------------------------------------

CORNERS = np.array(POINTS.split(), dtype=float).reshape(-1, 3)
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def stl() -> bytes:
    rows = [struct.pack("<12fH", 0, 0, 0, *CORNERS[list(face)].ravel(), 0) for face in FACES]
    return bytes(80) + struct.pack("<I", len(rows)) + b"".join(rows)


def obj() -> bytes:
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS]
    return "\n".join([*lines, *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES)]).encode()


def test_files_of_meshes(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "one.STL").write_bytes(stl())
    (tmp_path / "meshes" / "two.obj").write_bytes(obj())
    path = tmp_path / "model.xml"
    geoms = "".join(f'<geom type="mesh" mesh="{name}"/>' for name in ("one", "2", "three"))
    for compiler, folder in (('meshdir="meshes"', ""), ('assetdir="meshes/"', "x/"), ("", "meshes/")):
        strip = 'strippath="true"' if folder == "x/" else ""
        path.write_text(
            f"""<mujoco><compiler {compiler} {strip}/><asset><mesh file="{folder}one.STL"/>
            <mesh name="2" file="{folder}two.obj" scale="-1 1 1"/>
            <mesh name="three" file="{folder}two.obj" content_type="model/obj"/></asset>
            <worldbody><body>{geoms}</body></worldbody></mujoco>"""
        )
        ours = same("", path=path)
        assert ours.names["mesh"] == ("one", "2", "three")


def test_meshes_of_attached_models(tmp_path):
    (tmp_path / "child").mkdir()
    (tmp_path / "child" / "one.stl").write_bytes(stl())
    (tmp_path / "child" / "child.xml").write_text(
        "<mujoco model='c'><asset><mesh file='one.stl'/></asset><worldbody><body name='b'>"
        "<geom type='mesh' mesh='one'/></body></worldbody></mujoco>"
    )
    path = tmp_path / "model.xml"
    path.write_text(
        "<mujoco><asset><model name='c' file='child/child.xml'/></asset><worldbody>"
        "<attach model='c' body='b' prefix='p_'/>"
        "<attach model='c' body='b' prefix='q_'/></worldbody></mujoco>"
    )
    assert same("", path=path).names["mesh"] == ("p_one", "q_one")


def refused(path) -> list[str]:
    root = polybody.read(path, policy="lenient", format="mjcf")
    with pytest.raises(polybody.ValidationError) as raised:
        compile_document(root)
    return [f"{d.code} {d.message}" for d in raised.value.diagnostics]


def test_what_no_mesh_can_be(tmp_path):
    """Wrong numbers in the document are reported when it is read; here files are faulty."""
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n")
    (tmp_path / "good.obj").write_bytes(obj())
    path = tmp_path / "model.xml"
    geom = '<worldbody><body><geom type="mesh" mesh="m"/></body></worldbody>'
    quiet = geom.replace("/></body>", ' contype="0" conaffinity="0"/></body>')
    for mesh, geoms, what in (
        ('file="flat.obj"', quiet, "volume"),
        ('file="flat.obj"', geom, "convex hull"),
        ('file="good.obj" inertia="convex"', quiet, "MuJoCo crashes"),
        ('file="none.stl"', geom, "there is no file `none.stl`"),
    ):
        path.write_text(f'<mujoco><asset><mesh name="m" {mesh}/></asset>{geoms}</mujoco>')
        found = refused(path)
        assert any(what in message for message in found), (what, found)


def test_a_flat_mesh_may_be_looked_at():
    flat = 'vertex="0 0 0 1 0 0 0 1 0 1 1 0" face="0 1 2 1 3 2"'
    geom = '<geom type="mesh" mesh="m" contype="0" conaffinity="0" mass="0" {}/>'
    head = f"<asset><mesh name='m' {flat}/></asset>"
    same(world(geom.format(""), head))
    same(world(geom.format('shellinertia="true"'), head))
    assert document(f"<mujoco>{world(geom.format(''), head)}</mujoco>") is not None
