"""Random pairs of shapes at random poses, in both engines.

A scene is a Model of many explicit pairs, each of two geoms of its own; the poses of the geoms are drawn
again and again and injected into both engines, so that a scene gives many cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import mujoco
import numpy as np
import polybody as pb
from numpy.typing import NDArray
from polybody.collision import collision_table
from polybody.collision.table import CONTACT, CollisionTable

Reals = NDArray[np.float64]
ANALYTIC = (
    *("plane-sphere", "plane-capsule", "plane-ellipsoid", "plane-cylinder", "plane-box"),
    *("sphere-sphere", "sphere-capsule", "sphere-cylinder", "sphere-box"),
    *("capsule-capsule", "capsule-box", "box-box"),
)
CONVEX = (
    *("sphere-ellipsoid", "capsule-ellipsoid", "capsule-cylinder", "ellipsoid-ellipsoid"),
    *("ellipsoid-cylinder", "ellipsoid-box", "cylinder-cylinder", "cylinder-box"),
)
NUMBERS = {"plane": 3, "sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
FIELDS = (
    "dist",
    "pos",
    "frame",
    "includemargin",
    "friction",
    "solref",
    "solreffriction",
    "solimp",
    "dim",
    "geom",
    "exclude",
)


class Scene(NamedTuple):
    """Pairs of geoms, geom 2i and 2i + 1 of the scene's order, in both engines."""

    ours: pb.Model
    table: CollisionTable
    model: Any
    data: Any
    reach: Reals
    """How far apart the geoms of each pair are drawn."""
    planes: bool


def scene(pair: str, count: int, draw: np.random.Generator, scale: float = 1.0) -> Scene:
    """Pairs of two shapes of random sizes and margins."""
    first, second = pair.split("-")
    bodies, pairs, reach = [], [], []
    for row in range(count):
        both = [(shape, scale * draw.uniform(0.05, 0.5, NUMBERS[shape])) for shape in (first, second)]
        margin = scale * float(draw.choice([0.0, 0.0, 0.02, 0.1]))
        gap = margin * float(draw.choice([0.0, 0.5]))
        for (shape, size), name in zip(both, "ab", strict=True):
            numbers = " ".join(map(repr, size.tolist()))
            inside = f'<geom name="{name}{row}" type="{shape}" size="{numbers}" mass="1"/>'
            joint = "" if shape == "plane" else "<freejoint/>"
            bodies.append(inside if shape == "plane" else f"<body>{joint}{inside}</body>")
        pairs.append(f'<pair geom1="a{row}" geom2="b{row}" margin="{margin!r}" gap="{gap!r}"/>')
        radii = [0 if shape == "plane" else float(size.sum()) for shape, size in both]
        reach.append(margin + sum(radii))
    xml = (
        '<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody>'
        f"{''.join(bodies)}</worldbody><contact>{''.join(pairs)}</contact></mujoco>"
    )
    model = mujoco.MjModel.from_xml_string(xml)
    ours = pb.lower(pb.read("pairs.xml", text=xml))
    return Scene(ours, collision_table(ours), model, mujoco.MjData(model), np.array(reach), first == "plane")


def turns(draw: np.random.Generator, count: int) -> Reals:
    """Random rotations (count, 3, 3); some are right angles, some nearly so."""
    quat = draw.normal(size=(count, 4))
    kind = draw.integers(0, 10, count)
    quat[kind == 0] = np.round(quat[kind == 0] / np.abs(quat[kind == 0]).max(axis=1, keepdims=True))
    quat /= np.linalg.norm(quat, axis=1, keepdims=True)
    w, x, y, z = quat.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def poses(made: Scene, draw: np.random.Generator) -> tuple[Reals, Reals]:
    """Poses of all geoms at which most pairs touch."""
    model, count = made.model, len(made.reach)
    xpos, xmat = np.zeros((model.ngeom, 3)), turns(draw, model.ngeom)
    first, second = model.pair_geom1, model.pair_geom2
    apart = draw.normal(size=(count, 3))
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)
    apart *= (made.reach * draw.uniform(0, 0.8, count))[:, None]
    xpos[first] = draw.normal(size=(count, 3)) * made.reach.mean()
    if made.planes:
        across = apart - (apart * xmat[first, :, 2]).sum(axis=1, keepdims=True) * xmat[first, :, 2]
        height = draw.uniform(-0.3, 1, count)[:, None] * made.reach[:, None]
        apart = across + height * xmat[first, :, 2]
    xpos[second] = xpos[first] + apart
    return xpos, xmat.reshape(-1, 9)


def peer(made: Scene, xpos: Reals, xmat: Reals) -> NDArray[Any]:
    """MuJoCo's contacts at these poses, as our rows."""
    return contacts_of(made.model, made.data, xpos, xmat)


def contacts_of(model: Any, data: Any, xpos: Reals, xmat: Reals) -> NDArray[Any]:
    """MuJoCo's contacts of any model at given poses of its geoms, as our rows."""
    data.geom_xpos[:], data.geom_xmat[:] = xpos, xmat
    mujoco.mj_collision(model, data)
    rows = np.zeros(data.ncon, CONTACT)
    for field in FIELDS:
        rows[field] = getattr(data.contact, field)
    return rows


def apart(ours: NDArray[Any], theirs: NDArray[Any], scale: float = 1.0) -> float:
    """How much two lists of contacts differ in dist and pos, as parts of ``scale``, and in frame; infinite if
    they are not of the same contacts.
    """
    if len(ours) != len(theirs) or not np.array_equal(ours["geom"], theirs["geom"]):
        return float("inf")
    if not len(ours):
        return 0.0
    units = {"dist": scale, "pos": scale, "frame": 1.0}
    return max(float(np.abs(ours[field] - theirs[field]).max()) / unit for field, unit in units.items())


def nudges(xpos: Reals, xmat: Reals, draw: np.random.Generator, number: int) -> Iterator[tuple[Reals, Reals]]:
    """The poses with each number up or down by one ulp."""
    for _ in range(number):
        yield tuple(
            np.nextafter(a, np.where(draw.integers(0, 2, a.shape) == 1, np.inf, -np.inf))
            for a in (xpos, xmat)
        )
