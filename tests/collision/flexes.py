"""Flexes at deformed states and geoms near them, in both engines.

A state is given by coordinates, so that each engine finds boxes and trees of boxes by itself. Contacts are
compared at the positions of vertices and geoms that MuJoCo has computed.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import polybody as pb
from numpy.typing import NDArray
from polybody.collision import collision_table
from polybody.collision.table import CONTACT

Reals = NDArray[np.float64]
Key = tuple[int, ...]
SAME = 1e-12
TIE = 2.5e-11
"""The difference of depths below which faces of the box are equally near, m."""
RADIUS = 0.02
"""The radius of the flexes, m."""
ULP = np.spacing(0.1)
"""One unit in the last place of numbers as large as the coordinates."""
IDS = ("geom", "flex", "elem", "vert")
NUMBERS = ("dist", "pos", "frame", "includemargin", "friction", "solref", "solimp", "dim", "exclude")
GEOMS = {
    "sphere": 'type="sphere" size=".08"',
    "capsule": 'type="capsule" size=".05 .1"',
    "ellipsoid": 'type="ellipsoid" size=".08 .1 .15"',
    "cylinder": 'type="cylinder" size=".1 .05"',
    "box": 'type="box" size=".1 .1 .05"',
    "wedge": 'type="mesh" mesh="wedge"',
    "cube": 'type="mesh" mesh="cube"',
    "hills": 'type="hfield" hfield="hills" pos="0 0 -.2"',
    "plane": 'type="plane" size="1 1 1"',
}
ASSETS = """<asset><mesh name="wedge" vertex="0 0 0 .3 0 0 0 .3 0 0 0 .3 .2 .2 .1"/>
<mesh name="cube" vertex=".1 .1 .05 -.1 .1 .05 .1 -.1 .05 -.1 -.1 .05 .1 .1 -.05 -.1 .1 -.05
.1 -.1 -.05 -.1 -.1 -.05"/><hfield name="hills" nrow="4" ncol="4" size="1 1 .2 .1"
elevation="0 0 1 0 1 0 0 1 0 1 0 0 1 0 0 1"/></asset>"""
COUNTS = {1: "5 1 1", 2: "4 4 1", 3: "3 3 3"}
APART = 0.1
"""The distance of neighbouring vertices at rest."""
HOW = ("random", "flat", "steps", "few", "turned")
"""Vertices displaced randomly; at rest, with geoms parallel to the flex; displaced by quarters of their
distance, all of them or a few; at rest, but everything turned.
"""


class Scene:
    """Geoms that can touch flexes but not each other, and flexes."""

    def __init__(
        self, geoms: tuple[str, ...], dims: tuple[int, ...], contact: str, option: str = "", margin: float = 0
    ) -> None:
        still = ("hills", "plane")
        bodies = "".join(
            f"<body>{'' if name in still else '<freejoint/>'}"
            f'<geom name="{name}" {GEOMS[name]} conaffinity="0" margin="{margin}" mass="1"/></body>'
            for name in geoms
        )
        flexes = "".join(
            f'<flexcomp name="f{i}" type="grid" count="{COUNTS[dim]}" spacing="{APART} {APART} {APART}" '
            f'dim="{dim}" mass="1" radius=".02"><edge equality="true"/>'
            f'<contact margin="{margin / 2}" {contact}/></flexcomp>'
            for i, dim in enumerate(dims)
        )
        text = f"<mujoco><option>{option}</option>{ASSETS}<worldbody>{bodies}{flexes}</worldbody></mujoco>"
        self.model: Any = mujoco.MjModel.from_xml_string(text)
        self.data: Any = mujoco.MjData(self.model)
        self.table = collision_table(pb.lower(pb.read("m.xml", text=text)))
        self.free = int((self.model.jnt_type == mujoco.mjtJoint.mjJNT_FREE).sum())
        self.place(np.array(self.model.qpos0))
        self.rest = np.array(self.data.flexvert_xpos)

    def place(self, qpos: Reals) -> None:
        self.data.qpos[:] = qpos
        for stage in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_flex):
            stage(self.model, self.data)

    def theirs(self) -> NDArray[Any]:
        mujoco.mj_collision(self.model, self.data)
        rows = np.zeros(self.data.ncon, CONTACT)
        for field in (*IDS, *NUMBERS):
            rows[field] = getattr(self.data.contact, field)
        return rows

    def ours(self) -> NDArray[Any]:
        return self.table.contacts(self.data.geom_xpos, self.data.geom_xmat, self.data.flexvert_xpos)

    def kind(self, key: Key) -> str:
        """What touches: a geom's name or the dimension of a flex's element or vertex, twice."""
        geom, flex, vert = key[0:2], key[2:4], key[6:8]
        names = []
        for side in range(2):
            if geom[side] >= 0:
                names.append(mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_GEOM, geom[side]))
            else:
                part = "vertex" if vert[side] >= 0 else "element"
                names.append(f"{part} {self.model.flex_dim[flex[side]]}")
        return " and ".join(names)


def turned(draw: np.random.Generator) -> Reals:
    quat = draw.normal(size=4)
    return np.asarray(quat / np.linalg.norm(quat))


def matrix(quat: Reals) -> Reals:
    flat = np.zeros(9)
    mujoco.mju_quat2Mat(flat, quat)
    return flat.reshape(3, 3)


RIGHT = np.array([[1.0, 0, 0, 1], [1, 0, 0, -1], [0, 0, 0, 1], [1, 1, 0, 0]])


def upright(draw: np.random.Generator) -> Reals:
    """Not turned, turned by a right angle, or turned about z by any angle."""
    which, half = draw.integers(3), draw.uniform(-np.pi, np.pi) / 2
    right = RIGHT[draw.integers(len(RIGHT))]
    quats = [[1.0, 0, 0, 0], right / np.linalg.norm(right), [np.cos(half), 0, 0, np.sin(half)]]
    return np.array(quats[which])


def vertices(made: Scene, how: str, draw: np.random.Generator) -> Reals:
    """Positions of the vertices. If there are two flexes, the second one lies on the first."""
    model, x = made.model, made.rest.copy()
    if how == "random":
        x += draw.choice([0.003, 0.02, 0.05]) * draw.normal(size=x.shape)
    elif how in ("steps", "few"):
        few = draw.random(x.shape) < (0.1 if how == "few" else 1)
        x += APART / 4 * draw.integers(-1, 2, x.shape) * few
    if model.nflex > 1:
        second = model.flex_vertadr[1]
        layers = draw.choice([-2, -1, 1, 2]) if 3 in model.flex_dim else 0
        up = draw.choice([1, -1]) * (0.04 - draw.choice([0.001, 1e-7, 0.01])) + layers * APART
        across = draw.choice([-0.1, -0.05, -0.025, 0, 0.05, 0.1], 2)
        x[second:] = x[second:] @ matrix(upright(draw)).T + [*across, up]
    return x


def state(made: Scene, how: str, draw: np.random.Generator) -> Reals:
    """Coordinates: each geom is put near a vertex, touching it by a face if shapes are parallel."""
    x, qpos, quat = vertices(made, how, draw), np.zeros(made.model.nq), np.array([1.0, 0, 0, 0])
    if how == "turned":
        quat = turned(draw)
        x = x @ matrix(quat).T
    for i in range(made.free):
        at, own = qpos[7 * i : 7 * i + 3], qpos[7 * i + 3 : 7 * i + 7]
        if how == "random":
            at[:], own[:] = draw.choice(x) + 0.07 * draw.normal(size=3), turned(draw)
            continue
        offset = draw.choice([-0.1, -0.05, -0.025, 0, 0.05, 0.1], 3)
        offset[2] = draw.choice([1, -1]) * (0.05 + 0.02 - draw.choice([0.001, 1e-7, 0.01]))
        at[:] = draw.choice(x) + matrix(quat) @ offset
        mujoco.mju_mulQuat(own, quat, upright(draw))
    qpos[7 * made.free :] = (x - made.rest).ravel()
    return qpos


def keyed(row: Any) -> Key:
    return tuple(int(number) for name in IDS for number in row[name])


def listed(rows: NDArray[Any]) -> dict[Key, list[Any]]:
    """Contacts by what touches, in their order."""
    found: dict[Key, list[Any]] = {}
    for row in rows:
        found.setdefault(keyed(row), []).append(row)
    return found


def apart(one: list[Any], other: list[Any]) -> float:
    """How much two lists of contacts differ; infinite if their lengths do."""
    if len(one) != len(other):
        return np.inf
    pairs = zip(one, other, strict=True)
    return max((float(np.abs(a[name] - b[name]).max()) for a, b in pairs for name in NUMBERS), default=0.0)


def tied(one: list[Any], other: list[Any]) -> bool:
    """Whether contacts with a box differ only in which of the equally near faces around them they have: their
    depths agree, and exceed the radius. MuJoCo leaves this to rounding (docs/collision.md).
    """
    pairs = list(zip(one, other, strict=False))
    return len(one) == len(other) and all(
        abs(a["dist"] - b["dist"]) <= TIE and a["dist"] < -RADIUS for a, b in pairs
    )


def nudged(made: Scene, qpos: Reals, draw: np.random.Generator, times: int) -> list[dict[Key, list[Any]]]:
    """MuJoCo's contacts at states that differ by one unit in the last place."""
    found = []
    for _ in range(times):
        made.place(qpos + ULP * draw.integers(-1, 2, len(qpos)))
        found.append(listed(made.theirs()))
    return found


def differing(made: Scene, qpos: Reals, draw: np.random.Generator) -> tuple[dict[str, int], int, list[str]]:
    """The numbers of equal pairs by their kinds, the number of pairs that differ but change as much in MuJoCo
    by a nudge, and the other pairs that differ, except for ties.
    """
    made.place(qpos)
    theirs, ours = made.theirs(), made.ours()
    expected, found = listed(theirs), listed(ours)
    equal: dict[str, int] = {}
    apart_by = {key: apart(expected.get(key, []), found.get(key, [])) for key in {**expected, **found}}
    different = [key for key, by in apart_by.items() if by > SAME]
    same = apart_by.keys() - {*different}
    ties = [
        key
        for key in different
        if made.kind(key).startswith("box and") and tied(expected.get(key, []), found.get(key, []))
    ]
    different = [key for key in different if key not in ties]
    for key in same:
        equal[made.kind(key)] = equal.get(made.kind(key), 0) + 1
    if not different:
        assert [keyed(row) for row in ours] == [keyed(row) for row in theirs]
        return equal, 0, []
    near = nudged(made, qpos, draw, 30)
    wrong = [
        key
        for key in different
        if max(apart(expected.get(key, []), each.get(key, [])) for each in near) < min(apart_by[key], 1) / 10
    ]
    messages = [f"{made.kind(key)} {key}: {apart_by[key]:.3g}" for key in wrong]
    return equal, len(different) - len(wrong), messages
