"""Collision detection: which geoms may touch, the parameters of their contacts, and contact points at given
poses.

The C texts are in runtime/native/collision/ (runtime/native/README.md lists them).

table           builds the data and calls the functions; it alone compiles them
pairs           candidate pairs of a Model
copies          those of a batch's instances that have parameters of their own
hulls, fields   data of meshes, and of shapes given by a distance
flex_table, flexes  contacts of flexes
sides           flat sides of convex hulls, as of MuJoCo 4.0
trees           triangles of meshes in a tree
"""

from __future__ import annotations

from polybody.collision.fields import has_distance
from polybody.collision.pairs import (
    READ,
    collision_table,
    contacts,
    geom_distance,
    ray_table,
    uncollided,
    visible,
)

__all__ = [
    "READ",
    "collision_table",
    "contacts",
    "geom_distance",
    "has_distance",
    "ray_table",
    "uncollided",
    "visible",
]
