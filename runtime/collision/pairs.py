"""The candidate pairs of a Model: geoms that can touch if they are near enough.

As in MuJoCo: geoms whose bit masks match, on bodies of which one moves, that are not welded together, are not
parent and child (unless one of them is welded to the world), and are not excluded; and the explicit pairs,
whatever their bodies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.collision.fields import fields, has_distance
from polybody.collision.flexes import flex_table
from polybody.collision.hulls import check_meshes
from polybody.collision.sides import Sides, sides_of_mesh
from polybody.collision.table import FUNCTIONS, CollisionTable
from polybody.collision.trees import Tree, mesh_trees
from polybody.generated.kernels.contract.records import CANDIDATE, COLLIDER, MANNER
from polybody.generated.model import TABLES, Release, ShapeType
from polybody.model.flags import DISABLE, ENABLE
from polybody.model.model import Columns, Model

Rows = NDArray[Any]
Indices = NDArray[np.int64]

LISTED = 1024
"""Above this number of pairs of bounded geoms, they are found by a sweep and not tested one by one."""
HUGE = 1e100
"""Bounding radii from this on are treated as infinite, m."""
BLOCK = 1 << 18
"""Number of pairs of geoms that are examined at a time."""
EXPLICIT_FIRST = np.uint64(1 << 63)
MIN_FRICTION = 1e-5
NEVER = (
    (ShapeType.plane, ShapeType.plane),
    (ShapeType.plane, ShapeType.hfield),
    (ShapeType.hfield, ShapeType.hfield),
    (ShapeType.hfield, ShapeType.sdf),
)
"""Shapes that never touch each other: both are static, or MuJoCo computes no contacts for them."""
MESHED = (ShapeType.mesh, ShapeType.sdf)
READ = tuple(column.name for table in TABLES for column in table.columns if "collision" in column.read)
"""The columns of a Model from which its table is derived."""


def contacts(model: Model, geom_xpos: ArrayLike, geom_xmat: ArrayLike, flexvert_xpos: ArrayLike = ()) -> Rows:
    """The contacts of a Model's geoms and flexes at given poses.

    Args:
        model: the Model.
        geom_xpos: positions of the geoms in world coordinates, (ngeom, 3), m.
        geom_xmat: their orientations, (ngeom, 9), rotation matrices in row-major order.
        flexvert_xpos: positions of the vertices of flexes in world coordinates, (nflexvert, 3), m.

    Returns:
        A structured array with the fields of MuJoCo's mjContact, in MuJoCo's order; `efc_address` is -1 and
        `mu` is 0. Geoms whose positions are NaN or infinite have no contacts.
    """
    return collision_table(model).contacts(geom_xpos, geom_xmat, flexvert_xpos)


def geom_distance(
    model: Model,
    geom1: str | int,
    geom2: str | int,
    geom_xpos: ArrayLike,
    geom_xmat: ArrayLike,
    cutoff: float,
) -> tuple[float, Rows]:
    """The minimum distance between two geoms at given poses, as MuJoCo's mj_geomDistance.

    Args:
        model: the Model.
        geom1, geom2: the geoms, by name or number.
        geom_xpos, geom_xmat: poses as for :func:`contacts`.
        cutoff: the maximum distance that is measured, m.

    Returns:
        The distance, m, negative in case of penetration, or the cutoff; and the nearest points on the first
        and the second geom in world coordinates, (6,), m, zeros beyond the cutoff.

    Raises:
        KeyError, IndexError: there is no such geom.
    """
    rows = model.row("geom", geom1), model.row("geom", geom2)
    return collision_table(model).distance(*rows, geom_xpos, geom_xmat, cutoff)


def collision_table(model: Model) -> CollisionTable:
    """The candidate pairs of a Model, computed on first use.

    Raises:
        ModelError: the convex hull of a mesh is invalid, or the data of a mesh or height field is incomplete.
    """
    return model.once("collision", lambda: _table(model))


def uncollided(model: Model) -> list[tuple[int, int]]:
    """Pairs of geoms that may touch but whose shapes have no contact function yet; one pair for each two
    shapes.
    """
    if not _enabled(model):
        return []
    missing = ~np.asarray(FUNCTIONS)
    for one, other in NEVER:
        missing[one, other] = False
    kinds = sorted(set(model.geom_type.tolist()))
    unknown = (model.geom_type == ShapeType.sdf) & ~has_distance(model)
    if not unknown.any() and not any(missing[a, b] for a in kinds for b in kinds if a <= b):
        return []
    flat = np.isin(model.geom_type, (ShapeType.plane, ShapeType.hfield))
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for first, second in (_explicit(model), *_blocks(model, np.arange(model.ngeom))):
        types = np.sort(np.stack([model.geom_type[first], model.geom_type[second]]), axis=0)
        distant = (unknown[first] & ~flat[second]) | (unknown[second] & ~flat[first])
        for row in np.flatnonzero(missing[types[0], types[1]] | distant).tolist():
            found.setdefault((int(types[0, row]), int(types[1, row])), (int(first[row]), int(second[row])))
    return list(found.values())


def _enabled(model: Model) -> bool:
    off = int(model.opt_disableflags) & (DISABLE["constraint"] | DISABLE["contact"])
    return not off and int(model.nconmax) != 0 and model.nbody > 1


def _table(model: Model) -> CollisionTable:
    check_meshes(model)
    geoms = _colliders(model)
    flat = geoms["bound"] >= HUGE  # planes and other unbounded shapes
    collides = (model.geom_contype | model.geom_conaffinity) != 0
    bounded = np.flatnonzero(collides & ~flat)
    lists = [_listed(model, geoms, *_explicit(model), explicit=True)]
    lists += [
        _listed(model, geoms, *pair) for pair in _pairs_with_flat(model, np.flatnonzero(collides & flat))
    ]
    swept = bounded
    pairs = _few(model, bounded)
    if pairs is not None:
        lists.append(_listed(model, geoms, *pairs))
        swept = swept[:0]
    listed = np.concatenate(lists)
    listed = listed[np.lexsort((listed["order"], listed["bodies"]))]
    one, other = np.sort(np.stack([model.pair_geom1, model.pair_geom2]).astype(np.uint64), axis=0)
    facts = {
        "enabled": _enabled(model),
        "filterparent": not _off(model, "filterparent"),
        "midphase": not _off(model, "midphase"),
        "friction_mixing": int(model.opt_friction_mixing),
        "timestep": float(model.opt_timestep),
        "override": overrides(model),
        "summed": sums(model),
        "release": int(model._column("opt_release")),
        "o_manner": _overriding(model),
        "tolerance": float(model.opt_ccd_tolerance),
        "iterations": int(model.opt_ccd_iterations),
        "native": _enables(model, "nativeccd"),
        "multi": _enables(model, "multiccd"),
        "newest": sums(model),
        "sdf_points": int(model.opt_sdf_initpoints),
        "sdf_iterations": int(model.opt_sdf_iterations),
    }
    meshes = (model.mesh_vert, model.mesh_graph, model.hfield_data, model.hfield_size, *_shapes(model))
    exclude, paired = np.sort(_excluded(model)), np.sort(one << 32 | other)
    trees = _trees(model) if (model.geom_type == ShapeType.sdf).any() else {}
    manners, distances = _explicit_manners(model), fields(model)
    sides = _sides(model) if facts["newest"] else {}
    table = CollisionTable(
        facts, geoms, manners, listed, swept, exclude, paired, meshes, distances, trees, sides
    )
    if model.nflex:
        table.attach(flex_table(model))
    return table


def _trees(model: Model) -> dict[int, Tree]:
    """The triangles of geoms with a mesh, by geom."""
    found = mesh_trees(model)
    shaped = np.isin(model.geom_type, MESHED) & (model.geom_dataid >= 0)
    return {geom: found[int(model.geom_dataid[geom])] for geom in np.flatnonzero(shaped).tolist()}


def _sides(model: Model) -> dict[int, Sides]:
    """The flat sides of the hulls of geoms with a mesh, by geom."""
    meshed = (model.geom_type == ShapeType.mesh) & (model.geom_dataid >= 0)
    found: dict[int, Sides] = {}
    for mesh in np.unique(model.geom_dataid[meshed]).tolist():
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        graph = int(model.mesh_graphadr[mesh])
        if graph < 0:
            continue
        own = sides_of_mesh(
            model.mesh_vert[first : first + count],
            model.mesh_graph[graph:],
            model.mesh_pos[mesh],
            model.mesh_quat[mesh],
            model.mesh_scale[mesh],
        )
        found |= dict.fromkeys(np.flatnonzero(meshed & (model.geom_dataid == mesh)).tolist(), own)
    return found


def _enables(model: Model, word: str) -> bool:
    return bool(int(model.opt_enableflags) & ENABLE[word])


def _off(model: Model, word: str) -> bool:
    return bool(int(model.opt_disableflags) & DISABLE[word])


def _colliders(model: Model) -> Rows:
    """The data of each geom for collision detection."""
    rows = np.zeros(model.ngeom, COLLIDER)
    weld = model.body_weldid
    rows["body"] = model.geom_bodyid
    rows["weld"] = weld[model.geom_bodyid]
    rows["still"] = (model.body_dofnum[weld] == 0)[model.geom_bodyid]
    rows["parent_weld"] = weld[model.body_parentid[weld]][model.geom_bodyid]
    for name in ("type", "contype", "conaffinity", "condim", "priority", "size", "margin", "gap", "solmix"):
        rows[name] = getattr(model, f"geom_{name}")
    for name in ("solref", "solimp", "friction", "adhesion", "stiffness", "damping", "dissipation"):
        rows[name] = getattr(model, f"geom_{name}")
    rows["weight"] = model.body_invweight0[model.geom_bodyid, 0]
    rows["visible"] = visible(model)
    rows["bound"] = bounds(model.geom_type, model.geom_rbound, model.geom_size)
    return rows


def visible(model: Model) -> NDArray[np.bool_]:
    """Which geoms are not completely transparent."""
    colour, material = model.geom_rgba[:, 3], model.geom_matid
    if len(model.mat_rgba):
        colour = np.where(material >= 0, model.mat_rgba[material.clip(0), 3], colour)
    found: NDArray[np.bool_] = colour != 0
    return found


def ray_table(model: Model) -> CollisionTable:
    """The table with the triangles of all meshes, which rays need.

    Raises:
        ModelError: as in :func:`collision_table`.
    """
    return model.once("ray table", lambda: _with_trees(model))


def _with_trees(model: Model) -> CollisionTable:
    table = collision_table(model)
    table.plant(_trees(model))
    return table


def _shapes(model: Model) -> tuple[tuple[Rows, ...], tuple[Rows, ...]]:
    """For geoms that are meshes or height fields, the location of their data."""
    meshed = np.flatnonzero(np.isin(model.geom_type, MESHED) & (model.geom_dataid >= 0))
    mesh = model.geom_dataid[meshed]
    terrain = np.flatnonzero((model.geom_type == ShapeType.hfield) & (model.geom_dataid >= 0))
    field = model.geom_dataid[terrain]
    hulls = (meshed, model.mesh_vertadr[mesh], model.mesh_vertnum[mesh], model.mesh_graphadr[mesh])
    grids = (terrain, field, model.hfield_adr[field], model.hfield_nrow[field], model.hfield_ncol[field])
    return hulls, grids


def bounds(kind: Rows, radius: Rows, size: Rows) -> Rows:
    """Bounding radii of geoms, (..., ngeom): their geom_rbound, or that of shapes whose size determines it;
    other shapes have none.
    """
    x, y, z = np.moveaxis(size, -1, 0)
    radii = {
        ShapeType.sphere: x,
        ShapeType.capsule: x + y,
        ShapeType.ellipsoid: size.max(axis=-1, initial=0),
        ShapeType.cylinder: np.hypot(x, y),
        ShapeType.box: np.sqrt(x * x + y * y + z * z),
    }
    found = np.full(size.shape[:-1], np.inf)
    for shape, own in radii.items():
        found = np.where(kind == shape, own, found)
    return np.where(radius > 0, radius, found)


def _overriding(model: Model) -> Rows:
    row = np.zeros(1, MANNER)
    override(row, Columns(model))
    return row


def override(rows: Rows, known: Mapping[str, Rows]) -> None:
    """Set the contact parameters that replace those of all pairs, of one Model or of each row's."""
    rows["margin"], rows["friction"] = known["opt_o_margin"], known["opt_o_friction"]
    rows["solref"] = rows["solreffriction"] = known["opt_o_solref"]
    rows["solimp"] = known["opt_o_solimp"]


def _explicit_manners(model: Model) -> Rows:
    """Contact parameters of explicit pairs."""
    rows = np.zeros(model.npair, MANNER)
    rows["dim"] = model.pair_dim
    explicit_manners(rows, Columns(model), _overriding(model) if overrides(model) else None, sums(model))
    return rows


def explicit_manners(rows: Rows, known: Mapping[str, Rows], instead: Rows | None, summed: bool) -> None:
    """Set the contact parameters of explicit pairs, (..., npair).

    Args:
        rows: of MANNER.
        known: the columns of the pairs.
        instead: rows of MANNER that replace them, (..., 1); None: nothing does.
        summed: whether contacts are found within margin + gap.
    """
    for name in ("margin", "friction", "solref", "solreffriction", "solimp"):
        rows[name] = known[f"pair_{name}"] if instead is None else instead[name]
    rows["friction"] = np.maximum(rows["friction"], MIN_FRICTION)
    rows["adhesion"] = known["pair_adhesion"]
    given = np.array(rows["margin"])
    rows["includemargin"] = given if summed else given - known["pair_gap"]
    rows["margin"] = given + known["pair_gap"] if summed else given


def sums(model: Model) -> bool:
    """Whether margins and gaps of two geoms are added, and contacts are found within margin + gap: as of
    MuJoCo 4.0.
    """
    return int(model._column("opt_release")) == Release.v4_0


def overrides(model: Model) -> bool:
    """Whether opt_o_margin and so on replace the contact parameters of all pairs."""
    return bool(int(model.opt_enableflags) & ENABLE["override"])


def _explicit(model: Model) -> tuple[Indices, Indices]:
    return model.pair_geom1.astype(np.int64), model.pair_geom2.astype(np.int64)


def _excluded(model: Model) -> Rows:
    signature = model.exclude_signature.astype(np.uint64)
    excluded: Rows = signature >> np.uint64(16) << np.uint64(32) | signature & np.uint64(0xFFFF)
    return excluded


def _listed(model: Model, geoms: Rows, first: Indices, second: Indices, explicit: bool = False) -> Rows:
    """Candidates for pairs of geoms: explicit ones, all of them in order, or others."""
    lower, higher = np.minimum(first, second), np.maximum(first, second)
    kind = model.geom_type
    swap = kind[lower] > kind[higher] if not explicit else kind[first] > kind[second]
    one, other = (first, second) if explicit else (lower, higher)
    one, other = np.where(swap, other, one), np.where(swap, one, other)
    rows = np.zeros(len(one), CANDIDATE)
    rows["geom"] = np.stack([one, other], axis=1)
    bodies = np.sort(np.stack([geoms["body"][one], geoms["body"][other]]), axis=0).astype(np.uint64)
    rows["bodies"] = bodies[0] << np.uint64(32) | bodies[1]
    if explicit:
        rows["order"] = rows["manner"] = np.arange(len(one))
    else:
        x, y = (lower, higher) if _off(model, "midphase") else (one, other)
        rows["order"] = EXPLICIT_FIRST | x.astype(np.uint64) << np.uint64(31) | y.astype(np.uint64)
        rows["manner"] = -1
    rows["plane"] = kind[one] == ShapeType.plane
    rows["reach"] = reaches(rows, geoms, Columns(model), overrides(model), sums(model))
    kept: Rows = rows[np.asarray(FUNCTIONS)[kind[one], kind[other]]]
    return kept


def reaches(listed: Rows, geoms: Rows, known: Mapping[str, Rows], overridden: bool, summed: bool) -> Rows:
    """The distances from which on candidates cannot touch, (..., candidates).

    Args:
        listed: the candidates; those of explicit pairs have the pair's row as their manner and order.
        geoms: rows of COLLIDER, (..., ngeom).
        known: the columns pair_margin, pair_gap and opt_o_margin.
        overridden: whether opt_o_margin replaces all margins.
        summed: as for :func:`explicit_manners`.
    """
    one, other = listed["geom"].T
    explicit = np.flatnonzero(listed["order"] < EXPLICIT_FIRST)
    bound, margin, gap = geoms["bound"], geoms["margin"], geoms["gap"]
    pairs = listed["manner"][explicit]
    apart = (np.add if summed else np.maximum)(margin[..., one], margin[..., other])
    apart[..., explicit] = known["pair_margin"][..., pairs]
    if overridden:
        apart[...] = known["opt_o_margin"][..., None]
    if summed:
        between = gap[..., one] + gap[..., other]
        between[..., explicit] = known["pair_gap"][..., pairs]
        apart += between
    found: Rows = np.where(listed["plane"], 0, bound[..., one]) + bound[..., other] + apart
    return found


def _pairs_with_flat(model: Model, flat: Indices) -> Iterator[tuple[Indices, Indices]]:
    """Pairs of an unbounded geom and any other."""
    if len(flat):
        unbounded = np.zeros(model.ngeom, dtype=bool)
        unbounded[flat] = True
        for first, second in _blocks(model, flat):
            once = ~unbounded[second] | (first < second)
            yield first[once], second[once]


def _few(model: Model, geoms: Indices) -> tuple[Indices, Indices] | None:
    """The pairs among some geoms; None if there are more than LISTED."""
    found, number = [], 0
    for first, second in _blocks(model, geoms, geoms):
        once = first < second
        found.append((first[once], second[once]))
        number += int(once.sum())
        if number > LISTED:
            return None
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate([one for one, _ in found]), np.concatenate([other for _, other in found])


def _blocks(model: Model, geoms: Indices, others: Indices | None = None) -> Iterator[tuple[Indices, Indices]]:
    """Pairs of one of ``geoms`` and one of ``others`` (by default all) that pass all filters, in blocks."""
    body, seek, accept = model.geom_bodyid, model.geom_contype, model.geom_conaffinity
    weld = model.body_weldid[body]
    above = model.body_weldid[model.body_parentid[model.body_weldid]][body]
    still = model.body_dofnum[weld] == 0
    others = np.arange(model.ngeom) if others is None else others
    excluded, paired = (
        set(_excluded(model).tolist()),
        {tuple(sorted(pair)) for pair in zip(*_tolist(model), strict=True)},
    )
    step = max(1, BLOCK // max(1, len(others)))
    for start in range(0, len(geoms), step):
        one = geoms[start : start + step, None]
        allowed = ((seek[one] & accept[others]) | (seek[others] & accept[one])) != 0
        allowed &= (weld[one] != weld[others]) & ~(still[one] & still[others])
        if not _off(model, "filterparent"):
            related = (weld[one] == above[others]) | (weld[others] == above[one])
            allowed &= ~(related & (weld[one] != 0) & (weld[others] != 0))
        row, column = np.nonzero(allowed)
        first, second = geoms[start + row], others[column]
        if excluded:
            low, high = np.minimum(body[first], body[second]), np.maximum(body[first], body[second])
            key = low.astype(np.int64) << 32 | high
            kept = ~np.isin(key, list(excluded))
            first, second = first[kept], second[kept]
        if paired:
            named = np.array([low << 32 | high for low, high in paired], dtype=np.int64)
            key = np.minimum(first, second) << 32 | np.maximum(first, second)
            kept = ~np.isin(key, named)
            first, second = first[kept], second[kept]
        yield first, second


def _tolist(model: Model) -> tuple[list[int], list[int]]:
    return model.pair_geom1.tolist(), model.pair_geom2.tolist()
