"""Data of geoms that touch shapes given by their signed distance: boxes, and these distances (field.h)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.kernels.contract.records import FIELD
from polybody.generated.model import DistanceType, ShapeType
from polybody.model.instances import instances
from polybody.model.model import Columns, Model
from polybody.plugins import OfMesh, Shape
from polybody.rotations.arrays import matrix

Rows = NDArray[Any]
KINDS = {
    f"mujoco.sdf.{kind.name}": kind
    for kind in DistanceType
    if kind not in (DistanceType.none, DistanceType.own)
}
"""The distances of MuJoCo's plugins in field.h."""
Distances = Callable[[Rows], Rows]


def has_distance(model: Model) -> Rows:
    """Which geoms have a shape with an implemented signed distance."""
    known = np.array([_kind(each) != DistanceType.none for each in _instances(model)] + [False])
    found: Rows = (model.geom_type == ShapeType.sdf) & (model.geom_dataid >= 0) & known[model.geom_plugin]
    return found


def _instances(model: Model) -> list[Any]:
    return instances(Columns(model)) if model.nplugin else []


def _kind(instance: Any) -> DistanceType:
    """The distance function of an instance."""
    if not isinstance(instance.plugin, Shape) or isinstance(instance.plugin, OfMesh):
        return DistanceType.none
    return KINDS.get(instance.type, DistanceType.own)


def fields(model: Model) -> tuple[Rows, dict[int, Distances]]:
    """Rows of FIELD, one for each geom; for those with a user's shape, the function for the distances of
    points (n, 3).

    Raises:
        ModelError: a configuration is invalid for its plugin.
    """
    rows = np.zeros(model.ngeom, FIELD)
    rows["axes"] = np.eye(3).ravel()
    rows["middle"], rows["half"] = model.geom_aabb[:, :3], model.geom_aabb[:, 3:]
    made, own = _instances(model), dict[int, Distances]()
    for geom in np.flatnonzero(has_distance(model)).tolist():
        instance, mesh = made[int(model.geom_plugin[geom])], int(model.geom_dataid[geom])
        sizes = instance.plugin.sizes(instance.config)
        rows["kind"][geom] = _kind(instance)
        if rows["kind"][geom] == DistanceType.own:
            own[geom] = partial(_distances, instance.plugin, sizes)
        else:
            rows["size"][geom, : len(sizes)] = sizes
        rows["pos"][geom] = model.mesh_pos[mesh]
        rows["axes"][geom] = matrix(model.mesh_quat[mesh]).T.ravel()
    return rows, own


def _distances(plugin: Shape, sizes: list[float], points: Rows) -> Rows:
    return np.asarray(plugin.distance(points, sizes), np.float64).reshape(len(points))
