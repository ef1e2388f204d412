"""Rays: distances from points along directions to the shapes of a scene.

The shapes are in runtime/native/collision/ray.h. As in MuJoCo, some geoms are ignored: those of an excluded
body, invisible ones and, on request, static ones and those of some groups.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.collision import ray_table, visible
from polybody.engine.data import Data
from polybody.model.model import Model

Reals = NDArray[np.float64]
LEAST = 1e-15
"""Tolerance below which directions and determinants are treated as zero."""
GROUPS = 6


def ray(
    model: Model,
    data: Data,
    pos: ArrayLike,
    direction: ArrayLike,
    *,
    geomgroup: Sequence[bool] | None = None,
    static: bool = True,
    exclude: int = -1,
) -> tuple[float, int]:
    """The distance to the first shape along a ray, in lengths of the direction, and its geom.

    Args:
        model: the Model.
        data: the simulation, with poses of geoms from :func:`polybody.forward`.
        pos: origin of the ray, (3,), m, in the world.
        direction: direction of the ray, (3,), in the world.
        geomgroup: which of the six groups of geoms are tested; None: all.
        static: whether geoms of bodies that are welded to the world are tested.
        exclude: a body whose geoms are skipped; -1 for none.

    Returns:
        The distance and the row of the geom; -1 and -1 if nothing is hit. A sphere, capsule, cylinder or box
        is also hit from inside; a plane only from above.

    Raises:
        ValueError: the direction has zero length, numbers are not finite, or an array has the wrong shape.
        ModelError: the data of a mesh or height field is incomplete, or a geom refers to one that does not
            exist.
    """
    directed = np.asarray(direction, dtype=np.float64)
    if directed.shape != (3,):
        raise ValueError(f"direction must have the shape (3,), got {directed.shape}")
    lengths, geoms = multi_ray(
        model, data, pos, directed[None], geomgroup=geomgroup, static=static, exclude=exclude
    )
    return float(lengths[0]), int(geoms[0])


def multi_ray(
    model: Model,
    data: Data,
    pos: ArrayLike,
    directions: ArrayLike,
    *,
    geomgroup: Sequence[bool] | None = None,
    static: bool = True,
    exclude: int = -1,
) -> tuple[Reals, NDArray[np.int32]]:
    """`ray` for several rays: distances (n,) and geoms (n,).

    Args:
        model, data, geomgroup, static, exclude: as for :func:`ray`.
        pos: origins of the rays, (3,) for all, or (n, 3).
        directions: (n, 3).
    """
    directed = np.asarray(directions, dtype=np.float64)
    if directed.ndim != 2 or directed.shape[1] != 3:
        raise ValueError(f"directions must have the shape (n, 3), got {directed.shape}")
    start = np.asarray(pos, dtype=np.float64)
    if start.shape not in ((3,), directed.shape):
        raise ValueError(f"pos must have the shape (3,) or {directed.shape}, got {start.shape}")
    start = np.broadcast_to(start, directed.shape)
    if not (np.isfinite(start).all() and np.isfinite(directed).all()):
        raise ValueError("a ray contains NaN or infinity")
    if len(directed) and not (np.linalg.norm(directed, axis=1) >= LEAST).all():
        raise ValueError("the direction of a ray has zero length")
    if geomgroup is not None and len(geomgroup) != GROUPS:
        raise ValueError(f"there are {GROUPS} groups of geoms, but {len(geomgroup)} were given")
    counted = _counted(model, geomgroup, static, exclude)
    return ray_table(model).rays(data.geom_xpos, data.geom_xmat, start, directed, counted)


def _counted(model: Model, groups: Sequence[bool] | None, static: bool, exclude: int) -> NDArray[np.uint8]:
    """Whether each geom is tested."""
    wanted = visible(model) & (model.geom_bodyid != exclude)
    if not static:
        wanted &= model.body_weldid[model.geom_bodyid] != 0
    if groups is not None:
        wanted &= np.asarray(groups, dtype=bool)[model.geom_group.clip(0, GROUPS - 1)]
    counted: NDArray[np.uint8] = wanted.astype(np.uint8)
    return counted
