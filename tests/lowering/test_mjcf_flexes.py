"""MJCF: flexes and the results of `flexcomp`, compared with MuJoCo; what cannot be a flex."""

from __future__ import annotations

import struct
from pathlib import Path

import mujoco
import numpy as np
import polybody
import pytest

from tests.differential.mjcf import FOLLOWING, TOLERANCES, compare_following
from tests.differential.report import Comparison
from tests.lowering.mjcf_models import document, problems, same

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\nf 5 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
GMSH_HEAD = b"$MeshFormat\n%b %d 8\n"
NODES = [(x, y, z) for x in (0.0, 1.0, 3.0) for y in (0.0, 1.0) for z in (0.0, 2.0)]
SIXTHS = [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)]
TETRAHEDRA = [tuple(1 + first + node for node in sixth) for first in (0, 4) for sixth in SIXTHS]
COMPONENTS = {
    "line": 'dim="1" count="5 1 1" spacing=".1 .1 .1"',
    "circle": 'type="circle" dim="1" count="6 1 1" spacing=".1 .1 .1"',
    "circle of dimension 2": 'type="circle" dim="2" count="3 4 1" spacing=".1 .1 .1"',
    "plane": 'count="3 4 1" spacing=".1 .2 .1" pos="1 2 3" euler="10 20 30"',
    "disc": 'type="disc" count="5 4 1" spacing=".1 .2 .1"',
    "square": 'type="square" dim="1" count="3 3 1" spacing=".1 .1 .1"',
    "grid": 'dim="3" count="3 2 4" spacing=".1 .2 .3" axisangle="1 2 3 40"',
    "box": 'type="box" dim="3" count="4 3 5" spacing=".1 .2 .3" mass="7"',
    "flat box": 'type="box" dim="2" count="2 2 2" spacing=".1 .2 .3" material="m"',
    "cylinder": 'type="cylinder" dim="3" count="4 4 3" spacing=".1 .2 .3" material="m"',
    "ellipsoid": 'type="ellipsoid" dim="3" count="3 4 5" spacing=".1 .2 .3"',
    "points": 'type="direct" dim="2" point="0 0 0 1 0 0 0 1 0 9 9 9 1 1 0" element="0 1 2 1 4 2" '
    'scale="2 3 4" pos="1 0 0" quat="2 1 0 0"',
    "rigid points": 'type="direct" dim="2" rigid="true" point="0 0 0 1 0 0 0 1 0" element="0 1 2" '
    'texcoord="0 0 1 0 0 1"',
    "mesh": 'type="mesh" dim="2" file="a.obj" scale=".5 .5 .5"',
    "filled mesh": 'type="mesh" dim="3" file="a.obj" origin=".1 .2 .3"',
    "Gmsh": 'type="gmsh" dim="3" file="new.msh"',
    "Gmsh as bytes": 'type="gmsh" dim="3" file="new bytes.msh"',
    "old Gmsh": 'type="gmsh" dim="3" file="old.msh"',
    "old Gmsh as bytes": 'type="gmsh" dim="3" file="old bytes.msh"',
    "old Gmsh by fTetWild": 'type="gmsh" dim="3" file="old wild.msh"',
}
BELOW = {
    "pins": '<pin id="0 2"/><pin range="1 3"/>',
    "pins of a grid": '<pin grid="0 1"/><pin gridrange="1 1 2 3"/>',
    "pins of a cube": '<pin grid="0 1 1"/><pin gridrange="1 0 0 2 1 1"/>',
    "equality": '<edge equality="true" solref=".01" solimp=".8 .9"/>',
    "elasticity": '<elasticity young="1e4" poisson=".2" damping=".1" thickness=".01"/>',
    "default thickness": '<elasticity young="1e4"/>',
    "springs": '<edge stiffness="3" damping="4"/>',
    "contacts": '<contact contype="2" conaffinity="4" condim="4" priority="1" friction=".5" solmix="2" '
    'solref=".01" solimp=".8" margin=".01" gap=".02" internal="false" selfcollide="sap" activelayers="2"/>',
}
MADE = [
    *((name, "") for name in COMPONENTS),
    *((name, "pins") for name in ("line", "plane", "grid", "box", "mesh", "old Gmsh")),
    *(("plane", name) for name in ("pins of a grid", "equality", "elasticity", "default thickness")),
    *(("grid", name) for name in ("pins of a cube", "elasticity", "contacts")),
    *(("line", name) for name in ("springs", "contacts")),
    ("cylinder", "elasticity"),
    ("flat box", "contacts"),
]
WORLD = """<mujoco><asset><material name="m"/></asset><worldbody>
<body name="b" pos="1 2 3" euler="30 0 0">{joint}<geom size=".1"/>
<flexcomp name="f" radius=".01" {made}>{below}</flexcomp></body>
<flexcomp name="g" dim="1" count="3 1 1"/></worldbody></mujoco>"""


def _gmsh(version: bytes, nodes: bytes, elements: bytes, binary: int = 0) -> bytes:
    head = GMSH_HEAD % (version, binary) + (struct.pack("<i", 1) + b"\n" if binary else b"")
    parts = (head + b"$EndMeshFormat\n$Nodes\n", nodes, b"\n$EndNodes\n$Elements\n", elements)
    return b"".join(parts) + b"\n$EndElements\n"


def _text(rows: list[tuple[float, ...]]) -> bytes:
    return "\n".join(" ".join(map(str, row)) for row in rows).encode()


def files(folder: Path) -> None:
    """The files that COMPONENTS name."""
    (folder / "a.obj").write_text(OBJ)
    count, number = len(NODES), len(TETRAHEDRA)
    tags, corners = range(1, count + 1), [(9, *corners) for corners in TETRAHEDRA]
    new = _text([(1, count, 1, count), (3, 1, 0, count), *((tag,) for tag in tags), *NODES])
    elements = _text([(1, number, 1, number), (3, 1, 4, number), *corners])
    (folder / "new.msh").write_bytes(_gmsh(b"4.1", new, elements))
    new = struct.pack(f"<4Q3iQ{count}Q", 1, count, 1, count, 3, 1, 0, count, *tags)
    new += struct.pack(f"<{3 * count}d", *(x for node in NODES for x in node))
    elements = struct.pack("<4Q3iQ", 1, number, 1, number, 3, 1, 4, number)
    elements += b"".join(struct.pack("<5Q", *row) for row in corners)
    (folder / "new bytes.msh").write_bytes(_gmsh(b"4.1", new, elements, 1))
    old = _text([(count,), *((tag, *node) for tag, node in zip(tags, NODES, strict=True))])
    tagged = _text([(number,), *((row, 4, 2, 7, 8, *c) for row, c in enumerate(TETRAHEDRA, 1))])
    (folder / "old.msh").write_bytes(_gmsh(b"2.2", old, tagged))
    nodes = b"".join(struct.pack("<i3d", tag, *node) for tag, node in zip(tags, NODES, strict=True))
    nodes, head = b"%d\n" % count + nodes, b"%d\n" % number
    rows = [struct.pack("<10i", 4, 1, 2, row, 7, 8, *c) for row, c in enumerate(TETRAHEDRA, 1)]
    (folder / "old bytes.msh").write_bytes(_gmsh(b"2.2", nodes, head + b"".join(rows), 1))
    rows = [struct.pack("<5i", row, *c) for row, c in enumerate(TETRAHEDRA, 1)]
    wild = head + struct.pack("<3i", 4, number, 0) + b"".join(rows) + b"\n"
    (folder / "old wild.msh").write_bytes(_gmsh(b"2.2", nodes, wild, 1))


@pytest.mark.parametrize("joint", ["", "<joint/>"], ids=["fixed", "moving"])
@pytest.mark.parametrize(("made", "below"), MADE)
def test_a_flexcomp_is_mujocos(tmp_path: Path, made: str, below: str, joint: str) -> None:
    files(tmp_path)
    path = tmp_path / "m.xml"
    path.write_text(WORLD.format(made=COMPONENTS[made], below=BELOW.get(below, ""), joint=joint))
    ours = same("", path=path)
    assert len(ours.names["flex"]) == 2
    comparison = Comparison("text")
    read, theirs = polybody.read(path, policy="warn", format="mjcf"), mujoco.MjModel.from_xml_path(str(path))
    compare_following(read, theirs, comparison)
    compared = set(comparison.errors) - {"actuator_lengthrange"}
    assert {"flexedge_length0", "flexedge_invweight0"} <= compared <= set(FOLLOWING)
    errors = {name: error for name, error in comparison.errors.items() if name != "flex_vert0"}
    wrong = {name: error for name, error in errors.items() if not error <= TOLERANCES[name]}
    assert not wrong
    boxed = np.abs(theirs.flex_vert0) < 1.5  # along sides of zero length MuJoCo's values are noise or absent
    np.testing.assert_allclose(polybody.lower(read).flex_vert0[boxed], theirs.flex_vert0[boxed], atol=1e-9)


FLEX = """<worldbody><body name="a"><freejoint/><geom size=".1"/></body>
<body name="b" pos="1 0 0"><joint/><geom size=".1"/></body><body name="c" pos="0 1 0"/></worldbody>
<deformable><flex name="f" dim="{dim}" {rest}>{below}</flex></deformable>"""


@pytest.mark.parametrize(
    ("dim", "rest", "below"),
    [
        (1, 'body="a b c" element="0 1 1 2"', '<edge stiffness="1" damping="2"/>'),
        (2, 'body="a b c" element="2 1 0" vertex="0 0 0 .1 0 0 0 .2 0" group="3"', ""),
        (2, 'body="b" element="0 1 2 1 2 3" vertex="0 0 0 1 0 0 0 1 0 1 1 0"', ""),
        (3, 'body="a" element="0 1 2 3 3 2 1 4" vertex="0 0 0 1 0 0 0 1 0 0 0 1 1 1 1" rgba="1 0 0 1"', ""),
        (3, 'body="c c c c" element="0 2 1 3" vertex="0 0 0 1 0 0 0 1 0 0 0 1" flatskin="true"', ""),
    ],
)
def test_a_flex_of_ones_own_is_mujocos(dim: int, rest: str, below: str) -> None:
    same(FLEX.format(dim=dim, rest=rest, below=below))


def test_flexes_of_an_attached_model_come_along(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(
        '<mujoco><worldbody><body name="b"><flexcomp name="f" count="2 2 1"/></body></worldbody></mujoco>'
    )
    path = tmp_path / "m.xml"
    path.write_text(
        '<mujoco><asset><model name="part" file="part.xml"/></asset><worldbody><frame pos="1 0 0">'
        '<attach model="part" body="b" prefix="p_"/></frame></worldbody></mujoco>'
    )
    assert same("", path=path).names["flex"] == ("f",)


def test_discarded_visuals_leave_places_in_textures() -> None:
    made = 'type="direct" dim="2" point="0 0 0 1 0 0 0 1 0" element="0 1 2" texcoord="0 0 1 0 0 1"'
    same(f'<compiler discardvisual="true"/><worldbody><flexcomp name="f" {made}/></worldbody>')


SHEET = '\n<flexcomp name="f" count="3 3 1"/>'
REFUSED = {
    'count="3 3 1" texcoord="0 0"': "MuJoCo 3.2.7 does not accept `texcoord` for this type",
    'type="direct" point="0 0 0 1 0 0 0 1 0" element="0 1 7"': "`element` refers to point 7; there are 3",
    'type="direct" point="0 0 0 1 0 0 0 1 0" element="0 1 2 0 2 2"': "element 1 contains a vertex twice",
    'type="direct" point="0 0 0 1 0 0 0 1 0" element="0 1 2" texcoord="1"': "3 vertices need 2 each",
    'type="direct" dim="2" point="0 0 0 1 0" element="0 1 2"': "`point` has 5 numbers",
    'type="mesh" dim="3" file="a.obj"': "of dimension 3 needs `origin`",
    'type="mesh" dim="1" file="a.obj"': "must be 2 or 3",
    'count="3 3 1"><edge stiffness="1"/': "only flexes of dimension 1 have a stiffness of edges",
    'count="3 3 1"><pin id="9"/': "<pin> refers to point 9; there are 9",
    'count="3 3 1"><pin grid="3 0"/': "<pin> refers to a point outside the grid",
    'dim="1" count="3 1 1"><pin grid="0"/': "require a grid of two or three dimensions",
    'count="3 3 1"><edge equality="true"/><elasticity young="1"/': "not both",
    'count="3 3 1"><contact condim="2"/': "`condim` is 2; it must be 1, 3, 4 or 6",
    'dim="3" count="100 1000 1000"': "more than 1,000,000",
    'type="direct" dim="2" point="0 0 0 1 0 0 2 0 0" element="0 1 2"><elasticity young="1"/': "is flat",
}


@pytest.mark.parametrize("made", REFUSED)
def test_what_no_flex_can_be_made_of_has_a_line(made: str) -> None:
    end = "></flexcomp>" if "><" in made else "/>"
    inside = f'<worldbody>\n\n<flexcomp name="f" {made}{end}</worldbody>'
    checked = polybody.check("m.xml", text=f"<mujoco>{inside}</mujoco>")
    found = [problem for problem in problems(inside) if REFUSED[made] in problem]
    assert [problem.startswith("3:") for problem in found] == [True] or "error" in [
        d.severity for d in checked if d.line == 3
    ]


def test_a_flexcomp_is_not_replicated() -> None:
    flex = '\n<flexcomp name="f" count="2 2 1"/>'
    inside = f'<worldbody><replicate count="2"><body name="b">{flex}</body></replicate></worldbody>'
    message = "a <flexcomp> cannot be replicated: all copies of the flex would have one name"
    assert problems(inside) == [f"2:1 PB063 {message}"]
    message = "the body around a <flexcomp> needs a name: vertices refer to it"
    assert problems(f"<worldbody><body>{flex}</body></worldbody>") == [f"2:1 PB063 {message}"]


def test_lengths_of_edges_follow_replaced_poses() -> None:
    model = polybody.lower(document(f"<mujoco><worldbody>{SHEET}</worldbody></mujoco>"))
    moved = model.replace(body_pos=model.body_pos * 3)
    np.testing.assert_allclose(moved.flexedge_length0, 3 * model.flexedge_length0)
