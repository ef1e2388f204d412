"""Slow reference for the penetration depth of convex shapes: the least overlap along a dense set of
directions; for polytopes along the normals of all faces and the cross products of all edges, which include
the direction of least overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polybody as pb
from numpy.typing import NDArray
from polybody.generated.model import ShapeType
from scipy.spatial import ConvexHull

Reals = NDArray[np.float64]
POLYTOPES = (ShapeType.box, ShapeType.mesh)


def net(count: int) -> Reals:
    """Directions distributed evenly, (count, 3)."""
    turn = np.arange(count) * np.pi * (3 - np.sqrt(5))
    z = 1 - (2 * np.arange(count) + 1) / count
    across = np.sqrt(1 - z * z)
    return np.stack([across * np.cos(turn), across * np.sin(turn), z], axis=1)


class Solid:
    """A convex geom at a pose, given by its vertices or its size."""

    def __init__(self, model: pb.Model, geom: int, pos: Reals, turn: Reals) -> None:
        self.kind, self.size = ShapeType(int(model.geom_type[geom])), model.geom_size[geom]
        self.pos, self.turn = pos, turn.reshape(3, 3)
        self.vertices = np.zeros((0, 3))
        if self.kind is ShapeType.box:
            signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, 8).T
            self.vertices = signs * self.size
        elif self.kind is ShapeType.mesh:
            mesh = int(model.geom_dataid[geom])
            first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
            self.vertices = model.mesh_vert[first : first + count].astype(np.float64)

    def reach(self, directions: Reals) -> Reals:
        """Support function: how far the shape reaches along directions of the world, (n,)."""
        along = directions @ self.turn
        x, y, _ = self.size
        across = np.hypot(along[:, 0], along[:, 1])
        if self.kind in POLYTOPES:
            far = (along @ self.vertices.T).max(axis=1)
        elif self.kind is ShapeType.sphere:
            far = np.full(len(along), x)
        elif self.kind is ShapeType.capsule:
            far = x + y * np.abs(along[:, 2])
        elif self.kind is ShapeType.ellipsoid:
            far = np.linalg.norm(along * self.size, axis=1)
        else:
            far = x * across + y * np.abs(along[:, 2])
        found: Reals = far + directions @ self.pos
        return found

    def normals(self) -> Reals:
        """Face normals of a polytope in the world."""
        if self.kind is ShapeType.box:
            return np.concatenate([self.turn.T, -self.turn.T])
        return ConvexHull(self.vertices).equations[:, :3] @ self.turn.T

    def edges(self) -> Reals:
        """Edges of a polytope in the world; some occur more than once, and some are diagonals of its
        faces.
        """
        hull = ConvexHull(self.vertices)
        corners = self.vertices[hull.simplices]
        return (corners - np.roll(corners, 1, axis=1)).reshape(-1, 3) @ self.turn.T


def overlaps(one: Solid, other: Solid, directions: Reals) -> Reals:
    """How far two shapes overlap along unit directions from the first to the second; negative for a gap."""
    found: Reals = one.reach(directions) + other.reach(-directions)
    return found


def depth(one: Solid, other: Solid, directions: Any) -> tuple[float, bool]:
    """The least overlap along the directions, and whether it is exact, as it is for overlapping polytopes."""
    least = float(overlaps(one, other, directions).min())
    if one.kind not in POLYTOPES or other.kind not in POLYTOPES:
        return least, False
    across = np.cross(one.edges()[:, None], other.edges()).reshape(-1, 3)
    length = np.linalg.norm(across, axis=1)
    across = across[length > 1e-9] / length[length > 1e-9, None]
    candidates = np.concatenate([one.normals(), -other.normals(), across, -across])
    least = min(least, float(overlaps(one, other, candidates).min()))
    return least, least > 0
