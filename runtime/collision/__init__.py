"""Collision detection: which geoms may touch, how their contacts act, and where they touch at given poses.

The texts of the shapes are C headers in this folder; `table.pyx` makes them of a Model and calls them.
"""

from __future__ import annotations

from polybody.collision.fields import has_distance
from polybody.collision.pairs import collision_table, contacts, geom_distance, uncollided

__all__ = ["collision_table", "contacts", "geom_distance", "has_distance", "uncollided"]
