"""Random pairs of shapes at random poses in both engines.

A scene is a Model with many explicit pairs, each of two geoms of its own. The poses of the geoms are drawn
repeatedly and injected into both engines, so that one scene gives many cases.
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
SOLIDS = tuple(shape for shape in NUMBERS if shape != "plane")
WITH_MESHES = ("plane-mesh", *(f"{shape}-mesh" for shape in SOLIDS), "mesh-mesh")
ON_TERRAIN = tuple(f"hfield-{shape}" for shape in (*SOLIDS, "mesh"))
FIELDS_OF_PLUGINS = {
    "bolt": {"radius": 0.26},
    "bowl": {"height": 0.2, "radius": 0.4, "thickness": 0.03},
    "gear": {"alpha": 0.1, "diameter": 0.8, "teeth": 12, "thickness": 0.2, "innerdiameter": 0.3},
    "nut": {"radius": 0.3},
    "torus": {"radius1": 0.35, "radius2": 0.15},
}
"""Shapes of MuJoCo's plugins with the configurations that are tested."""
DISTANT = (
    *("plane-gear", *(f"{shape}-torus" for shape in SOLIDS), "mesh-torus", "torus-torus", "nut-bolt"),
    *("mesh-bolt", "sphere-bowl", "box-nut", "mesh-gear", "gear-gear", "capsule-gear", "mesh-bowl"),
)
"""Pairs with shapes defined by a signed distance function."""
VERTICES = (4, 6, 12, 40, 150)
"""Numbers of vertices of the meshes that are tested."""
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
    """Pairs of geoms in both engines: geoms 2i and 2i + 1 in the scene's order."""

    ours: pb.Model
    table: CollisionTable
    model: Any
    data: Any
    reach: Reals
    """How far apart the geoms of each pair are drawn."""
    planes: bool
    terrain: bool = False


class Drawn(NamedTuple):
    """A shape in MJCF: attributes of its geom, further elements of its document, and a bounding radius."""

    words: str
    inside: str
    radius: float


def _numbers(values: Any) -> str:
    return " ".join(map(repr, np.ravel(values).tolist()))


def assets(shapes: tuple[str, ...], draw: np.random.Generator, scale: float) -> str:
    """What a document has to declare for shapes: random hulls, a random terrain, plugins."""
    found, extension = "", ""
    if "mesh" in shapes:
        for i, count in enumerate(VERTICES):
            points = draw.normal(size=(count, 3)) * draw.uniform(0.05, 0.2, 3) * scale
            found += f'<mesh name="m{i}" vertex="{_numbers(points)}"/>'
    if "hfield" in shapes:
        size = _numbers(scale * np.array([1, 1, 0.4, 0.2]))
        heights = _numbers(draw.uniform(0, 1, 63))
        found += f'<hfield name="h" nrow="7" ncol="9" size="{size}" elevation="{heights}"/>'
    for shape in sorted({*shapes} & {*FIELDS_OF_PLUGINS}):
        config = "".join(f'<config key="{k}" value="{v}"/>' for k, v in FIELDS_OF_PLUGINS[shape].items())
        instance = f'<instance name="{shape}">{config}</instance>'
        extension += f'<plugin plugin="mujoco.sdf.{shape}">{instance}</plugin>'
        found += f'<mesh name="{shape}"><plugin instance="{shape}"/></mesh>'
    return f"<extension>{extension}</extension><asset>{found}</asset>"


def drawn(shape: str, draw: np.random.Generator, scale: float) -> Drawn:
    """A shape of random size."""
    if shape == "mesh":
        return Drawn(f'type="mesh" mesh="m{draw.integers(len(VERTICES))}" mass="1"', "", 0.4 * scale)
    if shape == "hfield":
        return Drawn('type="hfield" hfield="h"', "", scale)
    if shape in FIELDS_OF_PLUGINS:
        return Drawn(f'type="sdf" mesh="{shape}" mass="1"', f'<plugin instance="{shape}"/>', 0.5)
    size = scale * draw.uniform(0.05, 0.5, NUMBERS[shape])
    words = f'type="{shape}" size="{_numbers(size)}" mass="1"'
    return Drawn(words, "", 0 if shape == "plane" else float(size.sum()))


def scene(pair: str, count: int, draw: np.random.Generator, scale: float = 1.0, option: str = "") -> Scene:
    """Pairs of two shapes of random sizes and margins; ``option`` is the content of <option>."""
    first, second = pair.split("-")
    declared = assets((first, second), draw, scale)
    bodies, pairs, reach = [], [], []
    for row in range(count):
        both = [drawn(shape, draw, scale) for shape in (first, second)]
        margin = scale * float(draw.choice([0.0, 0.0, 0.02, 0.1]))
        gap = margin * float(draw.choice([0.0, 0.5]))
        for shape, each, name in zip((first, second), both, "ab", strict=True):
            inside = f'<geom name="{name}{row}" {each.words}>{each.inside}</geom>'
            still = shape in ("plane", "hfield")
            bodies.append(inside if still else f"<body><freejoint/>{inside}</body>")
        pairs.append(f'<pair geom1="a{row}" geom2="b{row}" margin="{margin!r}" gap="{gap!r}"/>')
        reach.append(margin + sum(each.radius for each in both))
    xml = (
        f"<mujoco><option>{option}</option>{declared}"
        '<default><geom contype="0" conaffinity="0"/></default><worldbody>'
        f"{''.join(bodies)}</worldbody><contact>{''.join(pairs)}</contact></mujoco>"
    )
    model = mujoco.MjModel.from_xml_string(xml)
    ours = pb.lower(pb.read("pairs.xml", text=xml))
    table, data = collision_table(ours), mujoco.MjData(model)
    return Scene(ours, table, model, data, np.array(reach), first == "plane", first == "hfield")


def turns(draw: np.random.Generator, count: int) -> Reals:
    """Random rotations (count, 3, 3), some of them by right angles or nearly so."""
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
    if made.terrain:
        low, high = np.array([-0.9, -0.9, 0]), np.array([0.9, 0.9, 0.5])
        over = made.model.hfield_size[0, 0] * draw.uniform(low, high, (count, 3))
        apart = np.einsum("nij,nj->ni", xmat[first], over)
    xpos[second] = xpos[first] + apart
    return xpos, xmat.reshape(-1, 9)


def peer(made: Scene, xpos: Reals, xmat: Reals) -> NDArray[Any]:
    """MuJoCo's contacts at these poses, as rows of ours."""
    return contacts_of(made.model, made.data, xpos, xmat)


def contacts_of(model: Any, data: Any, xpos: Reals, xmat: Reals) -> NDArray[Any]:
    """MuJoCo's contacts of any Model at given poses of its geoms, as rows of ours."""
    data.geom_xpos[:], data.geom_xmat[:] = xpos, xmat
    mujoco.mj_collision(model, data)
    rows = np.zeros(data.ncon, CONTACT)
    for field in FIELDS:
        rows[field] = getattr(data.contact, field)
    return rows


def apart(ours: NDArray[Any], theirs: NDArray[Any], scale: float = 1.0) -> float:
    """Differences of two lists of contacts: in dist and pos, relative to ``scale``, and in frame; infinite if
    they are not lists of the same contacts.
    """
    if len(ours) != len(theirs) or not np.array_equal(ours["geom"], theirs["geom"]):
        return float("inf")
    if not len(ours):
        return 0.0
    units = {"dist": scale, "pos": scale, "frame": 1.0}
    return max(float(np.abs(ours[field] - theirs[field]).max()) / unit for field, unit in units.items())


def nudges(xpos: Reals, xmat: Reals, draw: np.random.Generator, number: int) -> Iterator[tuple[Reals, Reals]]:
    """The poses with every number changed by one ulp up or down."""
    for _ in range(number):
        near = [
            np.nextafter(a, np.where(draw.integers(0, 2, a.shape) == 1, np.inf, -np.inf))
            for a in (xpos, xmat)
        ]
        yield near[0], near[1]
