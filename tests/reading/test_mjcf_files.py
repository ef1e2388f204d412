"""Files that an MJCF names: each verdict agrees with MuJoCo's own loader."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import mujoco
import polybody as pb
import pytest

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def stl(count: int = 4, faces: list[tuple[int, ...]] = FACES) -> bytes:
    triangles = b"".join(
        struct.pack("<12fH", 0, 0, 0, *(x for corner in face for x in CORNERS[corner]), 0) for face in faces
    )
    return b"binary".ljust(80) + struct.pack("<I", count) + triangles


def msh(counts: tuple[int, ...] = (4, 0, 0, 4), faces: list[tuple[int, ...]] = FACES) -> bytes:
    points = b"".join(struct.pack("<3f", *corner) for corner in CORNERS)
    return struct.pack("<4i", *counts) + points + b"".join(struct.pack("<3i", *face) for face in faces)


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">2I5B", 2, 2, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0\1\2" * 2)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


TEXT_STL = (
    b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n" + b"endloop\n" * 9
)
NODES = "1 4 1 4\n3 1 0 4\n1 2 3 4\n" + "\n".join(" ".join(map(str, corner)) for corner in CORNERS)
ELEMENTS = "1 1 1 1\n3 1 4 1\n1 1 2 3 4"


def gmsh(nodes: str = NODES, elements: str = ELEMENTS, version: str = "4.1") -> bytes:
    text = f"$MeshFormat\n{version} 0 8\n$EndMeshFormat\n"
    return f"{text}$Nodes\n{nodes}\n$EndNodes\n$Elements\n{elements}\n$EndElements\n".encode()


def gmsh_bytes(tags: tuple[int, ...] = (1, 2, 3, 4), cut: int = 0) -> bytes:
    nodes = struct.pack("<4Q3iQ", 1, 4, 1, 4, 3, 1, 0, 4) + struct.pack("<4Q", *tags)
    nodes += b"".join(struct.pack("<3d", *corner) for corner in CORNERS)
    elements = struct.pack("<4Q3iQ5Q", 1, 1, 1, 1, 3, 1, 4, 1, 1, 1, 2, 3, 4)
    head = b"$MeshFormat\n4.1 1 8\n\1\0\0\0\n$EndMeshFormat\n"
    end = len(elements) - cut
    return head + b"$Nodes\n" + nodes + b"\n$EndNodes\n$Elements\n" + elements[:end] + b"\n$EndElements\n"


OLD_NODES = "4\n" + "\n".join(f"{tag + 1} {x} {y} {z}" for tag, (x, y, z) in enumerate(CORNERS))

MESH = '<asset>\n<mesh name="m" file="{}"/>\n</asset><worldbody><geom type="mesh" mesh="m"/></worldbody>'
FLEX = '<worldbody>\n\n<flexcomp name="f" type="gmsh" dim="3" file="{}"/></worldbody>'
TEXTURE = '<asset>\n<texture name="t" type="2d" file="{}"/>\n</asset>'
HEIGHTS = '<asset>\n<hfield name="h" size="1 1 1 1" file="{}"/>\n</asset>'
SKIN = '<asset>\n<skin name="s" file="{}"/>\n</asset>'

TAKEN = {
    "stl": (MESH, "a.stl", stl()),
    "STL": (MESH, "a.STL", stl()),
    "stl that begins with solid": (MESH, "a.stl", b"solid" + stl()[5:]),
    "msh": (MESH, "a.msh", msh()),
    "gmsh": (FLEX, "a.msh", gmsh()),
    "gmsh as bytes": (FLEX, "a.msh", gmsh_bytes()),
    "gmsh 2.2": (FLEX, "a.msh", gmsh(OLD_NODES, "1\n1 4 0 1 2 3 4", "2.2")),
    "gmsh 2.2 with tags": (FLEX, "a.msh", gmsh(OLD_NODES, "1\n1 4 2 7 8 1 2 3 4", "2.2")),
    "png": (TEXTURE, "a.png", png()),
    "an image of MuJoCo's own": (TEXTURE, "a.img", struct.pack("<2i", 2, 1) + b"\1" * 6),
    "heights as png": (HEIGHTS, "a.png", png()),
    "heights": (HEIGHTS, "a.bin", struct.pack("<2i2f", 2, 1, 0, 1)),
}
REFUSED = {
    "nothing": (MESH, "a.stl", b"", "is empty"),
    "stl as text": (MESH, "a.stl", TEXT_STL, "is an ASCII STL file"),
    "stl cut off": (MESH, "a.stl", stl()[:-7], "declares 4 faces, which need 284 bytes, but has 277"),
    "stl with the largest count": (MESH, "a.stl", stl(2**32 - 1), "declares 4294967295 faces"),
    "stl cut off in the head": (MESH, "a.stl", stl()[:70], "ends after 70 bytes"),
    "stl without faces": (MESH, "a.stl", stl(0, []), "has 0 faces"),
    "stl with too many faces": (MESH, "a.stl", stl(200_001, [FACES[0]] * 200_001), "has 200001 faces"),
    "collada": (MESH, "a.dae", b"<COLLADA/>", "is not a kind of mesh file that MuJoCo reads"),
    "msh cut off": (MESH, "a.msh", msh()[:-1], "has 111 bytes; its header requires 112"),
    "msh without a head": (MESH, "a.msh", b"abc", "ends after 3 bytes"),
    "msh with negative counts": (MESH, "a.msh", msh((4, 0, 0, -4)), "which is not a mesh"),
    "msh with some normals": (MESH, "a.msh", msh((4, 1, 0, 4)), "which is not a mesh"),
    "msh with a lost vertex": (MESH, "a.msh", msh(faces=[*FACES[:3], (0, 1, 9)]), "a face with vertex 9"),
    "msh of gmsh": (MESH, "a.msh", gmsh(), "is a Gmsh file"),
    "gmsh of another kind": (FLEX, "a.msh", msh(), "does not begin with $MeshFormat"),
    "gmsh of version 1": (FLEX, "a.msh", gmsh(version="1"), "is of version '1'"),
    "gmsh without elements": (FLEX, "a.msh", gmsh().replace(b"$Elem", b"$Ele"), "has no section $Elements"),
    "gmsh with two blocks": (FLEX, "a.msh", gmsh("2" + NODES[1:]), "in a single block"),
    "gmsh without tags": (FLEX, "a.msh", gmsh(NODES.replace("1 2 3 4\n", "2 3 4\n")), "has node 2 where 1"),
    "gmsh with a gap": (FLEX, "a.msh", gmsh(NODES.replace("1 2 3 4\n", "1 2 3 5\n")), "has node 5 where 4"),
    "gmsh with a word": (FLEX, "a.msh", gmsh(NODES + "x"), "has `1x` as a coordinate"),
    "gmsh with few nodes": (FLEX, "a.msh", gmsh(NODES[:-2]), "has 11 of the 12 coordinates"),
    "gmsh with few elements": (FLEX, "a.msh", gmsh(elements=ELEMENTS[:-2]), "has 4 of the 5 numbers"),
    "gmsh of triangles in space": (FLEX, "a.msh", gmsh(elements="1 1 1 1\n3 1 2 1\n1 1 2 3"), "of kind 2"),
    "gmsh as bytes, cut off": (FLEX, "a.msh", gmsh_bytes(cut=8), "ends before its 1 elements"),
    "gmsh as bytes, with a gap": (FLEX, "a.msh", gmsh_bytes((1, 2, 4, 5)), "has node 4 where 3"),
    "gmsh 2.2 with few nodes": (
        FLEX, "a.msh", gmsh(OLD_NODES[:-2], "1\n1 4 0 1 2 3 4", "2.2"), "has 15 numbers for 4 nodes"),
    "gmsh 2.2 with a lost node": (
        FLEX, "a.msh", gmsh(OLD_NODES, "1\n1 4 0 1 2 3 7", "2.2"), "an element with node 7"),
    "gmsh 2.2 of points": (FLEX, "a.msh", gmsh(OLD_NODES, "1\n1 15 0 1", "2.2"), "no elements that MuJoCo"),
    "gmsh 2.2 with few elements": (
        FLEX, "a.msh", gmsh(OLD_NODES, "2\n1 4 0 1 2 3 4", "2.2"), "has 1 of its 2"),
    "jpeg": (TEXTURE, "a.jpg", b"\xff\xd8\xff\xe0" + b"\0" * 90, "is a JPEG file"),
    "jpeg called png": (TEXTURE, "a.png", b"\xff\xd8\xff\xe0" + b"\0" * 90, "is not a PNG file"),
    "png called otherwise": (TEXTURE, "a.img", png(), "is a PNG file"),
    "heights cut off": (HEIGHTS, "a.bin", struct.pack("<2if", 2, 1, 0), "is neither named .png nor heights"),
    "skin cut off": (SKIN, "a.skn", struct.pack("<4i", 3, 0, 1, 0), "requires 64 at least"),
}  # fmt: skip


def write(folder: Path, inside: str, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    path = folder / "model.xml"
    path.write_text(f"<mujoco>\n{inside.format(name)}\n</mujoco>\n")
    return path


@pytest.mark.parametrize(("inside", "name", "data"), TAKEN.values(), ids=TAKEN)
def test_what_mujoco_reads_is_taken(tmp_path: Path, inside: str, name: str, data: bytes) -> None:
    path = write(tmp_path, inside, name, data)
    mujoco.MjModel.from_xml_path(str(path))
    assert pb.check(path) == []


@pytest.mark.parametrize(("inside", "name", "data", "said"), REFUSED.values(), ids=REFUSED)
def test_what_mujoco_does_not_read_is_reported(
    tmp_path: Path, inside: str, name: str, data: bytes, said: str
) -> None:
    path = write(tmp_path, inside, name, data)
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_path(str(path))
    (finding,) = pb.check(path)
    assert (finding.code, finding.line) == ("PB084", 4 if inside == FLEX else 3)
    assert said in finding.message


@pytest.mark.parametrize(
    "data", [stl(), msh(), gmsh(), gmsh_bytes(), png()], ids=["stl", "msh", "gmsh", "bytes", "png"]
)
@pytest.mark.parametrize(
    ("inside", "name"), [(MESH, "a.stl"), (MESH, "a.msh"), (FLEX, "a.msh"), (TEXTURE, "a.png")]
)
def test_a_file_cut_anywhere_is_no_crash(tmp_path: Path, inside: str, name: str, data: bytes) -> None:
    for end in range(0, len(data), 7):
        path = write(tmp_path, inside, name, data[:end])
        assert {each.code for each in pb.check(path)} <= {"PB084"}


def test_declared_content_counts_before_the_ending(tmp_path: Path) -> None:
    inside = MESH.replace('name="m"', 'name="m" content_type="model/stl"')
    path = write(tmp_path, inside, "a.bin", stl())
    mujoco.MjModel.from_xml_path(str(path))
    assert pb.check(path) == []
    assert [each.code for each in pb.check(write(tmp_path, inside, "a.bin", msh()))] == ["PB084"]
