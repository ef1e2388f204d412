"""Meshes of files read with trimesh and of VTK files: units, axes, and files beside the main file."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path

import numpy as np
import pytest
from polybody.geometry import GeometryError, load_mesh, read_mesh
from polybody.geometry.scenes import _metres

CENTRE = (10.0, 20.0, 30.0)
CUBE = """# vtk DataFile Version 3.0
a cube of five tetrahedra
ASCII

DATASET UNSTRUCTURED_GRID
POINTS 8 double
0 0 0  1 0 0  1 1 0  0 1 0
0 0 1  1 0 1  1 1 1  0 1 1
CELLS 5 25
4 0 1 3 4
4 1 2 3 6
4 1 4 5 6
4 3 4 6 7
4 1 3 4 6
CELL_TYPES 5
10 10 10 10 10
"""


def split(folder: Path) -> Path:
    """A glTF file of a box whose numbers are in separate files."""
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box((1, 2, 3))
    box.apply_translation(CENTRE)
    for name, data in trimesh.Scene(box).export(file_type="gltf").items():
        (folder / name).write_bytes(data)
    return folder / "model.gltf"


def test_buffers_beside_a_gltf_file_are_read_and_its_y_axis_is_up(tmp_path: Path) -> None:
    mesh = load_mesh(split(tmp_path), mujoco=False, inertia="exact")
    assert mesh.inertia().measure == pytest.approx(6)
    assert mesh.inertia().pos == pytest.approx((10, -30, 20))  # as in Drake 1.51


def test_a_buffer_that_changes_makes_another_mesh(tmp_path: Path) -> None:
    file = split(tmp_path)
    load_mesh(file, mujoco=False, inertia="exact")
    for buffer in tmp_path.glob("*.bin"):
        buffer.write_bytes(buffer.read_bytes()[:-4])
    with pytest.raises(GeometryError):
        load_mesh(file, mujoco=False, inertia="exact")


@pytest.mark.parametrize(
    "name", ["../box.bin", "/etc/passwd", "%2e%2e/box.bin", "file:///etc/passwd", "a\\b"]
)
def test_buffers_elsewhere_are_not_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "box.bin").write_bytes(bytes(64))
    folder = tmp_path / "inner"
    folder.mkdir()
    file = split(folder)
    content = json.loads(file.read_bytes())
    content["buffers"][0]["uri"] = name
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(GeometryError, match="not in its folder"):
        load_mesh(file, mujoco=False)


def test_a_buffer_behind_a_link_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    file = split(folder)
    buffer = next(folder.glob("*.bin"))
    buffer.rename(tmp_path / "moved.bin")
    buffer.symlink_to(tmp_path / "moved.bin")
    with pytest.raises(GeometryError, match="not in its folder"):
        load_mesh(file, mujoco=False)


def test_a_buffer_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = split(tmp_path)
    buffer = next(tmp_path.glob("*.bin"))
    buffer.unlink()
    with pytest.raises(GeometryError, match=rf"`{buffer.name}`, which cannot be read"):
        load_mesh(file, mujoco=False)


@pytest.mark.parametrize(
    ("written", "metres"),
    [
        (b'<asset><unit name="millimeter" meter="0.001"/></asset>', 0.001),
        (b"<unit meter='2.54e-2' name='inch'/>", 0.0254),
        (b"<asset/>", 1.0),
        (b'<unit meter="none"/>', 1.0),
        (b'<unit meter="-1"/>', 1.0),
    ],
)
def test_the_unit_of_a_dae_file(written: bytes, metres: float) -> None:
    assert _metres(written) == metres


def test_the_surface_of_a_grid_of_tetrahedra() -> None:
    raw = read_mesh(CUBE.encode(), "vtk", mujoco=False)
    assert len(raw.faces) == 12
    mesh = load_mesh(CUBE.encode(), "vtk", mujoco=False, inertia="exact")
    assert mesh.inertia().measure == pytest.approx(1)
    assert mesh.inertia().pos == pytest.approx((0.5, 0.5, 0.5))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("# vtk", "# tvk", "does not begin with"),
        ("ASCII", "BINARY", "is a binary VTK file"),
        ("UNSTRUCTURED_GRID", "POLYDATA", "is not an unstructured VTK grid"),
        ("POINTS 8", "POINTS -8", "has -8 POINTS"),
        ("POINTS 8", "POINTS 99999999999", "has 99999999999 POINTS"),
        ("POINTS 8 double", "POINTS x double", "has no POINTS"),
        ("0 0 0  1 0 0", "0 0 0  1 zero 0", "text in place of numbers"),
        ("4 0 1 3 4", "4 0 1 3 8", "corner that does not exist"),
        ("4 0 1 3 4", "4 0 1 3 -1", "corner that does not exist"),
        ("4 0 1 3 4", "3 0 1 3 4", "without four corners"),
        ("10 10 10 10 10", "10 10 10 10 12", "not tetrahedra"),
        ("10 10 10 10 10", "10 10 10 10", "1 numbers are missing"),
        ("CELL_TYPES 5", "CELL_TYPES 4", "5 cells and 4 types"),
    ],
)
def test_files_of_vtk_that_are_not_read(old: str, new: str, said: str) -> None:
    with pytest.raises(GeometryError, match=said):
        read_mesh(CUBE.replace(old, new, 1).encode(), "vtk", mujoco=False)


def bumpy() -> bytes:
    """A COLLADA tetrahedron whose material has a bump map in a file that does not exist."""
    import collada
    from collada import geometry, material, scene, source

    whole = collada.Collada()
    image = material.CImage("picture", "missing.png", whole)
    surface = material.Surface("surface", image)
    sampler = material.Sampler2D("sampler", surface)
    effect = material.Effect("effect", [surface, sampler], "phong", diffuse=(1, 0, 0, 1))
    steel = material.Material("steel", "steel", effect)
    whole.images.append(image)
    whole.effects.append(effect)
    whole.materials.append(steel)
    corners = source.FloatSource("corners", np.eye(4)[:, :3].ravel(), ("X", "Y", "Z"))
    inputs = source.InputList()
    inputs.addInput(0, "VERTEX", "#corners")
    shape = geometry.Geometry(whole, "shape", "shape", [corners])
    shape.primitives.append(
        shape.createTriangleSet(np.array([3, 1, 0, 3, 0, 2, 3, 2, 1, 0, 1, 2]), inputs, "steel")
    )
    whole.geometries.append(shape)
    node = scene.Node("node", [scene.GeometryNode(shape, [scene.MaterialNode("steel", steel, inputs=[])])])
    whole.scenes.append(scene.Scene("scene", [node]))
    whole.scene = whole.scenes[0]
    text = io.BytesIO()
    whole.write(text)
    texture = b'<bump><texture texture="sampler" texcoord="UV0"/></bump>'
    bump = b'<extra><technique profile="FCOLLADA">' + texture + b"</technique></extra>"
    return text.getvalue().replace(b"</phong>", b"</phong>" + bump)


def test_trimesh_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its logger has no handler, so Python would print its warnings, with tracebacks."""
    printed = io.StringIO()
    last = logging.StreamHandler(printed)
    monkeypatch.setattr(logging, "lastResort", last)
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    text = bumpy()
    logging.getLogger("trimesh").warning("without a handler")
    assert printed.getvalue() == "without a handler\n"
    seen: list[logging.LogRecord] = []
    monkeypatch.setattr(logging.NullHandler, "handle", lambda self, record: seen.append(record))
    mesh = read_mesh(text, "dae", mujoco=False)
    assert len(mesh.faces) == 4
    assert any("bumpmap" in record.getMessage() for record in seen)
    assert printed.getvalue() == "without a handler\n"
    logging.getLogger("trimesh").warning("again without")
    assert printed.getvalue().endswith("again without\n")
