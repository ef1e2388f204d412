"""Meshes against MuJoCo, which compiles the same files."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from polybody import geometry
from polybody.geometry import GeometryError

from .engine import of_mesh, same_mesh
from .solids import SOLIDS, WRITERS, box, msh, obj, sheet, stl, tetrahedron, text, torus

SCALE, REFPOS, REFQUAT = (0.7, 1.3, 2.1), (0.01, -0.02, 0.033), (0.3, 0.5, -0.2, 0.9)
OPTIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "plain": ("", "", {}),
    "scale": (f'scale="{text(SCALE)}"', "", {"scale": SCALE}),
    "mirrored": ('scale="1 -1 2"', "", {"scale": (1, -1, 2)}),
    "moved": (f'refpos="{text(REFPOS)}"', "", {"refpos": REFPOS}),
    "turned": (f'refquat="{text(REFQUAT)}"', "", {"refquat": REFQUAT}),
    "placed": (
        f'refpos="{text(REFPOS)}" refquat="{text(REFQUAT)}" scale="{text(SCALE)}"',
        "",
        {"refpos": REFPOS, "refquat": REFQUAT, "scale": SCALE},
    ),
    "exact": ('inertia="exact"', "", {"inertia": "exact"}),
    "convex": ('inertia="convex"', "", {"inertia": "convex"}),
    "smooth": ('smoothnormal="true"', "", {"smooth_normals": True}),
    "few corners": ('maxhullvert="12"', "", {"most_hull_vertices": 12}),
    "shell": ("", 'shellinertia="true"', {}),
    "far shell": (
        f'refpos="10 20 3" scale="{text(SCALE)}"',
        'shellinertia="true"',
        {"refpos": (10, 20, 3), "scale": SCALE},
    ),
    "convex shell": ('inertia="convex"', 'shellinertia="true"', {"inertia": "convex"}),
    "no hull": ("", 'contype="0" conaffinity="0"', {"hull": False}),
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("solid", SOLIDS)
def test_a_mesh_is_as_mujoco_has_it(solid: str, options: str) -> None:
    attributes, of_geom, given = OPTIONS[options]
    vertices, faces = SOLIDS[solid]()
    for kind, write in WRITERS.items():
        data = write(vertices, faces)
        model = of_mesh(data, kind, attributes, of_geom)
        same_mesh(geometry.load_mesh(data, kind, **given), model, "shell" in options)


@pytest.mark.parametrize("options", ["plain", "mirrored", "placed", "convex", "shell"])
@pytest.mark.parametrize("with_faces", [True, False])
def test_a_mesh_of_numbers(options: str, with_faces: bool) -> None:
    attributes, of_geom, given = OPTIONS[options]
    vertices, faces = torus(10, 6)
    normals = np.random.default_rng(1).normal(size=vertices.shape)
    normals[3] = 0
    texcoords = normals[:, :2]
    inline = f'vertex="{text(vertices)}" normal="{text(normals)}" texcoord="{text(texcoords)}"'
    if with_faces:
        inline += f' face="{" ".join(map(str, faces.ravel().tolist()))}"'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="m" {inline} {attributes}/></asset><worldbody><body>'
        f'<geom type="mesh" mesh="m" {of_geom}/></body></worldbody></mujoco>'
    )
    raw = geometry.raw_mesh(vertices, faces if with_faces else None, normals, texcoords)
    same_mesh(geometry.load_mesh(raw, **given), model, "shell" in options)


@pytest.mark.parametrize("options", ["plain", "mirrored"])
def test_normals_and_texture_coordinates_of_files(options: str) -> None:
    attributes, of_geom, given = OPTIONS[options]
    vertices, faces = torus(8, 6)
    random = np.random.default_rng(2)
    normals, texcoords = random.normal(size=vertices.shape), random.uniform(size=(len(vertices), 2))
    data = msh(vertices, faces, normals, texcoords)
    same_mesh(geometry.load_mesh(data, "msh", **given), of_mesh(data, "msh", attributes, of_geom))
    lines = [f"v {text(row)}" for row in vertices] + [f"vn {text(row)}" for row in normals[:5]]
    lines += [f"vt {text(row)}" for row in texcoords[:7]] + ["vt 0.5"]
    for number, face in enumerate(faces):
        form = ("{0}", "{0}/{1}", "{0}//{2}", "{0}/{1}/{2}")[number % 4]
        corners = (form.format(corner + 1, corner % 8 + 1, corner % 5 - 5) for corner in face.tolist())
        lines.append("f " + " ".join(corners))
    data = "\r\n".join(lines).encode()
    same_mesh(geometry.load_mesh(data, "obj", **given), of_mesh(data, "obj", attributes, of_geom))


def test_faces_of_many_corners() -> None:
    """Star-shaped, self-crossing, flat and tiny polygons, in all planes."""
    random = np.random.default_rng(3)
    for case in range(150):
        corners = int(random.integers(4, 10))
        angle = np.sort(random.uniform(0, 2 * np.pi, corners))
        radius = random.uniform(0.1, 1, corners)
        points = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * radius], axis=1)
        if case % 5 == 0:
            points = random.normal(size=points.shape)
        points = np.roll(np.round(points, case % 3 + 1), case, axis=1) * 10.0 ** random.integers(-4, 2)
        points = np.concatenate([points, tetrahedron()[0]])
        order = np.roll(np.arange(1, corners + 1), case)[:: 1 if case % 2 else -1]
        data = "\n".join(
            [*(f"v {text(point)}" for point in points), "f " + " ".join(map(str, order.tolist()))]
        ).encode()
        model = mujoco.MjModel.from_xml_string(
            '<mujoco><asset><mesh name="m" file="m.obj"/></asset></mujoco>', {"m.obj": data}
        )
        raw = geometry.read_mesh(data, "obj")
        assert len(raw.faces) == 0 or np.array_equal(raw.faces, model.mesh_face)


def test_an_obj_file_has_one_shape() -> None:
    """MuJoCo uses the vertices of all groups, and the faces of the first group that has any."""
    vertices, faces = tetrahedron()
    shift = np.array([4, 4, 4])
    lines = ["g none", *(f"v {text(row)}" for row in vertices), "o one"]
    lines += [f"f {text(face + 1).replace('.0', '')} # ".rstrip(" #") for face in faces]
    lines += ["o two", *(f"v {text(row + 3)}" for row in vertices)]
    lines += [f"f {text(face + 1 + shift[0]).replace('.0', '')}" for face in faces]
    data = "\n".join(lines).encode()
    same_mesh(geometry.load_mesh(data, "obj"), of_mesh(data, "obj"))
    assert len(geometry.read_mesh(data, "obj").faces) == 4
    assert len(geometry.read_mesh(data, "obj", mujoco=False).faces) == 8


def test_text_in_stl_files() -> None:
    vertices, faces = box()
    facet = "facet normal 0 0 1\nouter loop\n{}\nendloop\nendfacet"
    corners = ["\n".join(f"vertex {text(vertices[at])}" for at in face) for face in faces]
    data = "\n".join(["solid x", *(facet.format(three) for three in corners), "endsolid x"]).encode()
    with pytest.raises(GeometryError, match="ASCII STL file"):
        geometry.read_mesh(data, "stl")
    raw = geometry.read_mesh(data, "stl", mujoco=False)
    binary = geometry.read_mesh(stl(vertices, faces), "stl")
    assert np.array_equal(raw.vertices, binary.vertices)
    assert np.array_equal(raw.faces, binary.faces)


def message(data: bytes, kind: str, mesh: str = "", geom: str = "") -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        of_mesh(data, kind, mesh, geom)
    return str(caught.value)


def test_what_has_no_inertia() -> None:
    """As a solid and as a shell; MuJoCo rejects such a mesh when a geom uses it."""
    vertices, faces = sheet()
    data = msh(vertices, faces)
    mesh = geometry.load_mesh(data, "msh", inertia="exact")
    for made, problem in ((mesh, "inconsistent orientation"), (geometry.load_mesh(data, "msh"), None)):
        if problem is None:
            same_mesh(made, of_mesh(data, "msh"))
            continue
        assert "inconsistent orientation" in message(data, "msh", 'inertia="exact"')
        with pytest.raises(GeometryError, match=problem):
            made.inertia()
    vertices, faces = tetrahedron()
    inside_out = msh(vertices, faces[:, ::-1])
    assert "misoriented" in message(inside_out, "msh", 'inertia="exact"')
    mesh = geometry.load_mesh(inside_out, "msh", inertia="exact")
    with pytest.raises(GeometryError, match="oriented inwards"):
        mesh.inertia()
    same_mesh(mesh, of_mesh(inside_out, "msh", 'inertia="exact"', 'shellinertia="true"'), shell=True)
    tiny = msh(vertices * np.float32(1.8e-5), faces)
    assert "volume is too small" in message(tiny, "msh")
    with pytest.raises(GeometryError, match=r"volume .* too small"):
        geometry.load_mesh(tiny, "msh").inertia()
    none = msh(np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]], dtype=np.float32), faces)
    assert "surface area is too small" in message(
        none, "msh", "", 'contype="0" conaffinity="0" shellinertia="true"'
    )
    with pytest.raises(GeometryError, match=r"surface .* too small"):
        geometry.load_mesh(none, "msh", hull=False).inertia(shell=True)


def test_a_flat_mesh_is_a_shell_without_a_hull() -> None:
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 3, 0]], dtype=np.float32)
    data = msh(vertices, np.array([[0, 1, 2], [1, 3, 2], [2, 3, 4]], dtype=np.int32))
    mesh = geometry.load_mesh(data, "msh", hull=False)
    same_mesh(mesh, of_mesh(data, "msh", "", 'contype="0" conaffinity="0" shellinertia="true"'), shell=True)
    with pytest.raises(GeometryError, match="too small"):
        mesh.inertia()
    with pytest.raises(GeometryError, match="no convex hull"):
        geometry.load_mesh(data, "msh")


def test_what_is_made_once_is_kept() -> None:
    data = obj(*torus(8, 6))
    first = geometry.load_mesh(data, "obj")
    assert geometry.load_mesh(bytes(bytearray(data)), "obj") is first
    assert geometry.load_mesh(data, "obj", scale=(2, 2, 2)) is not first
    assert geometry.load_mesh(data + b"\nv 9 9 9", "obj") is not first
    with pytest.raises(ValueError, match="read-only"):
        first.vertices[0, 0] = 0


def test_which_normals_are_too_short() -> None:
    """Given normals are compared by their square, sums over faces by their length."""
    vertices, faces = tetrahedron()
    for length in (1e-6, 3.2e-8, 3.1e-8, 1e-15, 0):
        normals = np.array([[length, 0, 0]] * 4)
        data = msh(vertices, faces, normals)
        same_mesh(geometry.load_mesh(data, "msh"), of_mesh(data, "msh"))
    vertices, faces = torus(6, 5)
    both_sides = np.concatenate([faces, faces[:, [1, 0, 2]]])  # their sums are rounding errors
    random = np.random.default_rng(5)
    for _ in range(8):
        moved = (
            vertices * np.float32(10 ** random.uniform(-2, 0))
            + random.normal(size=3).astype(np.float32) / 100
        )
        data = msh(moved, both_sides)
        model = of_mesh(data, "msh", 'smoothnormal="true"')
        same_mesh(geometry.load_mesh(data, "msh", smooth_normals=True), model)
