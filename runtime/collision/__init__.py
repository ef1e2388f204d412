"""Collision detection: which geoms may touch, the parameters of their contacts, and contact points at given
poses.

The functions for the shapes are in C headers in this folder; `table.pyx` builds their data from a Model and
calls them.
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
