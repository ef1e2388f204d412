"""Collision detection: which geoms may touch, how their contacts act, and where they touch at given poses.

The texts of the shapes are C headers in this folder; `table.pyx` makes them of a Model and calls them.
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
