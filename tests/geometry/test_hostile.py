"""Corrupted or malicious files: each gives an error message or a valid shape, in bounded memory and time."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from polybody import geometry
from polybody.geometry import GeometryError, Mesh, RawMesh, Skin
from polybody.geometry.cache import Store, content

from .solids import msh, obj, stl, tetrahedron, torus
from .test_assets import COLOURS, PALETTE, png, skn

CHUNK = struct.Struct(">I4s")


def sound(made: Any) -> None:
    """All numbers finite and all indices valid."""
    if isinstance(made, RawMesh | Mesh | Skin):
        assert np.isfinite(made.vertices).all()
        assert made.faces.size == 0 or 0 <= made.faces.min() <= made.faces.max() < len(made.vertices)
    if isinstance(made, RawMesh | Mesh):
        for rows, of in ((made.face_normals, made.normals), (made.face_texcoords, made.texcoords)):
            assert not len(of) or rows.size == 0 or -1 <= rows.min() <= rows.max() < len(of)
    if isinstance(made, np.ndarray):
        assert made.size
        assert np.isfinite(made).all()


def harmless(read: Callable[[bytes], Any], data: bytes) -> bool:
    """Whether data is rejected with a message of one line; otherwise it must give a valid shape."""
    try:
        sound(read(data))
    except GeometryError as error:
        return (bool(str(error)) and "\n" not in str(error)) or pytest.fail(repr(error))
    return False


def whole(kind: str) -> Callable[[bytes], Any]:
    def read(data: bytes) -> Any:
        raw = geometry.read_mesh(data, kind)
        sound(raw)
        return geometry.compile_mesh(raw)

    return read


MESH = torus(7, 5)
READERS: dict[str, tuple[bytes, Callable[[bytes], Any]]] = {
    "stl": (stl(*MESH), whole("stl")),
    "obj": (
        b"# a mesh\no x\n"
        + obj(*tetrahedron()).replace(b"f 1", b"vt 0 .5\nvn 0 0 1\nf 1/1/1 2//1 3/1 4\nf 1"),
        whole("obj"),
    ),
    "msh": (msh(MESH[0], MESH[1], MESH[0] + 1, MESH[0][:, :2]), whole("msh")),
    "stl text": (
        b"solid x\n"
        + b"facet\nvertex 0 0 0\nvertex 1e0 0 0\nvertex 0 1 .5\nendfacet\n" * 2
        + b"facet\nvertex 0 0 0\nvertex 1e0 0 0\nvertex 0 1 -.5\nendfacet\n",
        lambda data: geometry.read_mesh(data, "stl", mujoco=False),
    ),
    "png": (png(COLOURS), lambda data: geometry.texture("2d", file=(data, "png"), nchannel=4)),
    "png of a palette": (
        png(PALETTE, transparency=bytes([255, 0, 128])),
        lambda data: geometry.texture("cube", file=(data, "png"), gridsize=(2, 3), gridlayout="RLUDFB"),
    ),
    "png of heights": (png(COLOURS[..., 0]), lambda data: geometry.height_field(data, "png")),
    "hfield": (struct.pack("<2i6f", 2, 3, *range(6)), geometry.height_field),
    "texture": (struct.pack("<2i", 3, 2) + COLOURS.tobytes(), lambda data: geometry.texture("2d", file=data)),
    "skin": (skn(), geometry.load_skin),
}


def signed(data: bytes) -> bytes:
    """A PNG file whose chunks get correct checksums, as far as there are chunks."""
    found, at = data[:8], 8
    while at + 12 <= len(data):
        length, kind = CHUNK.unpack_from(data, at)
        found += chunk(kind, data[at + 8 : at + 8 + min(length, len(data) - at - 12)])
        at += 12 + length
    return found


def chunk(kind: bytes, body: bytes) -> bytes:
    return CHUNK.pack(len(body), kind) + body + struct.pack(">I", zlib.crc32(kind + body))


for name in ("png", "png of a palette", "png of heights"):
    READERS[f"signed {name}"] = (READERS[name][0], lambda data, read=READERS[name][1]: read(signed(data)))
ODD = (0, 1, 0x7F, 0x80, 0xFF, 0x20, 0x2D, 0x2F, 0x39, 0x0A)


@pytest.mark.parametrize("kind", READERS)
def test_any_damage_is_a_sentence_or_does_no_harm(kind: str) -> None:
    data, read = READERS[kind]
    sound(read(data))
    random = np.random.default_rng(len(kind))
    refused = 0
    for case in range(400):
        broken = bytearray(data)
        for _ in range(int(random.integers(1, 4))):
            at = int(random.integers(min(len(broken), 200) if case % 2 else len(broken)))
            broken[at] = ODD[int(random.integers(len(ODD)))] if case % 3 else int(random.integers(256))
        if case % 5 == 0:
            del broken[int(random.integers(len(broken))) :]
        if case % 7 == 0:
            at = int(random.integers(len(broken) + 1))
            broken[at:at] = bytes(random.integers(0, 256, 5, dtype=np.uint8))
        refused += harmless(read, bytes(broken))
    assert refused > 40


def image(width: int, height: int, packed: bytes, *more: bytes) -> bytes:
    head = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [chunk(b"IHDR", head), *more, chunk(b"IDAT", packed), chunk(b"IEND", b"")]
    )


BOMB = zlib.compress(bytes(1 << 24), 9)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "is empty"),
        (b"\xff\xd8\xff\xe0" + b"0" * 100, "not a PNG file"),
        (image(60_000, 60_000, BOMB), "pixels"),
        (image(0, 5, BOMB), "0 x 5"),
        (image(0x7FFFFFFF, 0x7FFFFFFF, BOMB), "pixels"),
        (image(8000, 8000, zlib.compress(b"\0" * 100)), "damaged"),
        (image(2, 2, b"not packed"), "damaged"),
        (image(2, 2, zlib.compress(bytes(14)), chunk(b"ABCD", b"")), "unknown chunk"),
        (png(COLOURS)[:-15], "ends before its last chunk"),
        (png(COLOURS).replace(b"IDAT", b"IDAU"), "unknown chunk"),
        (png(COLOURS).replace(b"IHDR", b"IEND"), "damaged"),
        (image(60_000, 60_000, BOMB)[:33] + png(COLOURS)[8:], "one header"),
        (png(COLOURS)[:33] + image(60_000, 60_000, BOMB)[8:], "one header"),
    ],
)
def test_images_that_are_none(data: bytes, problem: str) -> None:
    for read in (
        lambda: geometry.height_field(data, "png"),
        lambda: geometry.texture("2d", file=(data, "png")),
    ):
        with pytest.raises(GeometryError, match=problem):
            read()


def test_packed_texts_and_profiles_are_not_unpacked() -> None:
    texts = [
        chunk(b"zTXt", b"x\0\0" + BOMB),
        chunk(b"iCCP", b"x\0\0" + BOMB),
        chunk(b"iTXt", b"x\0\1\0\0\0" + BOMB),
    ]
    found = geometry.texture("2d", file=(image(2, 2, zlib.compress(bytes(14)), *texts), "png"))
    assert not found.any()


def head(*counts: int) -> bytes:
    return struct.pack(f"<{len(counts)}i", *counts)


HUGE = 0x7FFFFFFF


@pytest.mark.parametrize(
    ("kind", "data", "problem"),
    [
        ("stl", b"\0" * 80 + struct.pack("<I", 0xFFFFFFFF), "faces"),
        ("stl", b"\0" * 80 + head(0), "has 0 faces"),
        ("stl", b"\0" * 80 + head(200_001) + bytes(50 * 200_001), "has 200001 faces"),
        ("stl", b"\0" * 50, "ends after 50 bytes"),
        ("stl", stl(*MESH)[:-1], "declares "),
        ("stl", stl(MESH[0] * np.float32(2e9), MESH[1]), "coordinates beyond"),
        ("stl", stl(MESH[0] * np.float32(np.nan), MESH[1]), "not finite"),
        ("msh", head(HUGE, HUGE, HUGE, HUGE), "has 16 bytes"),
        ("msh", head(4, -4, 0, 0) + bytes(48), "not a mesh"),
        ("msh", head(4, 3, 0, 0) + bytes(84), "not a mesh"),
        ("msh", head(3, 0, 0, 0) + bytes(36), "not a mesh"),
        ("msh", msh(tetrahedron()[0], tetrahedron()[1] + 1), "there are 4 vertices"),
        ("msh", msh(tetrahedron()[0], tetrahedron()[1] - 1), "there are 4 vertices"),
        ("msh", msh(tetrahedron()[0] + np.float32(np.inf), tetrahedron()[1]), "not finite"),
        ("obj", b"v 1 2 nan\n" * 4, "`nan` where a number is expected in line 1"),
        ("obj", b"v 1 2 3\nv 1e39 2 3\n", "too large, in line 2"),
        ("obj", b"v 1 2 3\nv 1e99999 2 3\n", "too large, in line 2"),
        ("obj", b"v 1 2 " + b"9" * 5000, "too large"),
        ("obj", b"v 1 2\n", "2 coordinates where 3"),
        ("obj", b"v 1 2 3\n" * 4 + b"f 1 2 0\n", "index 0"),
        ("obj", b"v 1 2 3\n" * 4 + b"f 1 2 5\n", "there are 4 vertices"),
        ("obj", b"v 1 2 3\n" * 4 + b"f 1 2 3 5\n", "there are 4 vertices"),
        ("obj", b"v 1 2 3\n" * 4 + b"f 1 2 -5\n", "does not exist"),
        ("obj", b"v 1 2 3\n" * 4 + b"f 1 2 99999999999999999999\n", "does not exist"),
        ("obj", b"v 1 2 3\n" * 4 + b"vt 0 0\nf 1/1 2/2 3/1\n", "texture coordinates"),
        ("obj", b"v 1 2 3\n" * 4 + b"vn 0 0 1\nf 1//1 2//1 3//2\n", "normals"),
        ("obj", b"v 1 2 3\n" * 4 + b"f 1 2 x\n", "`x` where a corner of a face is expected in line 5"),
        ("obj", b"v 1 2 3\n" * 3, "has 3 vertices"),
        ("obj", b"\0" * 1000, "no vertices"),
        ("xyz", b"0", "not a supported mesh format"),
        ("dae", b"<COLLADA/>", "not a supported mesh format"),
    ],
)
def test_meshes_that_are_none(kind: str, data: bytes, problem: str) -> None:
    with pytest.raises(GeometryError, match=problem):
        geometry.load_mesh(data, kind)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (head(HUGE, HUGE, HUGE, HUGE), "less than"),
        (head(1 << 30, 0, 0, 0), "less than"),
        (head(0, 0, 0, HUGE), "less than"),
        (head(-1, 0, 0, 0), "four counts"),
        (b"", "is empty"),
        (skn()[:-3], "ends within"),
        (skn() + b"x", "after its last bone"),
    ],
)
def test_skins_that_are_none(data: bytes, problem: str) -> None:
    with pytest.raises(GeometryError, match=problem):
        geometry.load_skin(data)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (head(HUGE, HUGE), "bytes"),
        (head(-2, -3) + bytes(24), "bytes"),
        (head(2, 2) + struct.pack("<4f", 0, np.nan, 1, 2), "NaN or infinite"),
        (head(1, 2) + struct.pack("<2f", -3e38, 3e38), "too far apart"),
        (png(COLOURS), "PNG file that is not named"),
    ],
)
def test_height_fields_that_are_none(data: bytes, problem: str) -> None:
    with pytest.raises(GeometryError, match=problem):
        geometry.height_field(data)


def test_patterns_have_a_greatest_size() -> None:
    with pytest.raises(GeometryError, match="too many"):
        geometry.texture("cube", builtin="gradient", width=100_000)


def test_a_face_of_very_many_corners_is_given_up() -> None:
    """Every ear is tested against every corner."""
    angle = np.linspace(0, 2 * np.pi, 40_000, endpoint=False)
    lines = [f"v {x:.6f} {y:.6f} 0" for x, y in zip(np.cos(angle), np.sin(angle), strict=True)]
    data = "\n".join([*lines, "f " + " ".join(map(str, range(1, len(lines) + 1)))]).encode()
    with pytest.raises(GeometryError, match=r"corners, which takes too long"):
        geometry.read_mesh(data, "obj")


def test_a_hull_with_round_flat_sides_is_given_up() -> None:
    angle = np.linspace(0, 2 * np.pi, 7_000, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    points = np.concatenate([ring, ring + np.array([0, 0, 1])]).astype(np.float32)
    with pytest.raises(GeometryError, match="takes too long"):
        geometry.convex_hull(points)
    assert len(geometry.convex_hull(points, most_vertices=50).vertices) == 50


def test_a_hull_of_many_vertices_is_made_in_stages() -> None:
    points = np.random.default_rng(0).normal(size=(20_000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    hull = geometry.convex_hull(points.astype(np.float32))
    assert len(hull.vertices) == len(points)
    assert len(hull.faces) == 2 * len(points) - 4


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((10, 3)),
        np.random.default_rng(1).normal(size=(50, 3)) * [1, 1, 0],
        np.random.default_rng(1).normal(size=(50, 1)) * [1, 2, 3],
        np.random.default_rng(1).normal(size=(50, 3)) * [1, 1, 1e-20],
        np.full((10, 3), np.inf),
    ],
)
def test_points_without_a_hull(points: np.ndarray) -> None:
    with pytest.raises(GeometryError, match=r"no convex hull|not finite"):
        geometry.convex_hull(points.astype(np.float32))


def test_numbers_that_are_too_large() -> None:
    vertices, faces = tetrahedron()
    for scale in (1e30, 1e38):
        mesh = geometry.load_mesh(msh(vertices, faces), "msh", scale=(scale, scale, scale), hull=False)
        sound(mesh)
        with pytest.raises(GeometryError, match="principal moment"):
            mesh.inertia()
    with pytest.raises(GeometryError, match="too large"):
        geometry.load_mesh(msh(vertices, faces), "msh", scale=(1e39, 1, 1), hull=False)
    with pytest.raises(GeometryError, match="not finite"):
        geometry.raw_mesh([*vertices.ravel().tolist()[:-1], 1e300])
    with pytest.raises(GeometryError, match="too large"):
        geometry.raw_mesh(vertices, [0, 1, 1 << 40])


def test_files_that_are_none(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent", Path("/dev/zero")):
        with pytest.raises(GeometryError, match=r"regular file|cannot be read"):
            geometry.load_mesh(path, "stl")
        with pytest.raises(GeometryError, match=r"regular file|cannot be read"):
            content(path)


def test_a_file_that_is_written_again_is_read_again(tmp_path: Path) -> None:
    vertices, faces = tetrahedron()
    path = tmp_path / "m.msh"
    for factor in (1.0, 2.0, 3.0):
        path.write_bytes(msh(vertices * np.float32(factor), faces))
        mesh = geometry.load_mesh(path)
        assert mesh.inertia().measure == pytest.approx(factor**3 / 6, rel=1e-6)
        assert geometry.load_mesh(path) is mesh


def test_the_store_has_a_bound() -> None:
    store = Store(bound=1000)
    made = []

    def make(size: int) -> Callable[[], np.ndarray]:
        return lambda: made.append(size) or np.zeros(size, dtype=np.uint8)

    for key, size in ((1, 400), (2, 400), (1, 400), (3, 400), (2, 400), (4, 5000), (4, 5000)):
        assert len(store.get(key, make(size))) == size
        assert store.size <= 1000
    assert made == [400, 400, 400, 400, 5000, 5000]
    store.clear()
    assert store.size == 0


def test_scenes_are_read_by_another_library() -> None:
    trimesh = pytest.importorskip("trimesh")
    solid = trimesh.creation.box((1, 2, 3))
    solid.apply_translation((1, 0, 0))
    for kind in ("glb", "ply", "off"):
        data = solid.export(file_type=kind)
        raw = geometry.read_mesh(data.encode() if isinstance(data, str) else data, kind, mujoco=False)
        mesh = geometry.compile_mesh(raw, inertia="exact")
        assert mesh.inertia().measure == pytest.approx(6)
        assert mesh.inertia().pos == pytest.approx((1, 0, 0))
        broken = bytearray(io.BytesIO(data.encode() if isinstance(data, str) else data).getvalue())
        random = np.random.default_rng(4)
        for _ in range(60):
            copy = bytearray(broken)
            copy[int(random.integers(len(copy)))] = int(random.integers(256))
            harmless(lambda data, kind=kind: geometry.read_mesh(data, kind, mujoco=False), bytes(copy))
    entities = b'<!DOCTYPE c [<!ENTITY a "aaaa">]><COLLADA>&a;</COLLADA>'
    with pytest.raises(GeometryError, match="document type"):
        geometry.read_mesh(entities, "dae", mujoco=False)
