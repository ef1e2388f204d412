"""Collision detection: which geoms may touch, the parameters of their contacts, and contact points at given
poses.

collision.h     the data of a Model that detection needs, and the functions that other modules call
shape.h         shapes at their poses, and points where they touch; vector.h: their arithmetic
contact.h       a contact, as in Data
table           builds the data and calls the functions; it alone compiles them
pairs           candidate pairs of a Model
copies          those of a batch's instances that have parameters of their own
hulls, fields   data of meshes, and of shapes given by a distance
manner.h        parameters of a pair's contacts
collide.h       all contacts of geoms
sweep.h         pairs among many geoms whose bounding spheres overlap
groups.h        geoms where bodies overlap, if there are many geoms on few bodies
bounds.h        bounding boxes
narrow.h        the function of each pair of shapes
round.h, box.h, box_box.h, cylinder.h  formulas
convex.h        searches for contacts of convex shapes
support.h       farthest points of a convex shape, with the vertices of its cells (cells.h)
mpr.h           portal refinement, for one pair
lanes.h         numbers, vectors and conditions in lanes
poses.h         farthest points of several shapes
mpr_lanes.h     portal refinement, for several pairs at a time
searches.h      which candidates are searched together
lane_searches.h their contacts; searches_r64.c and searches_r32.c compile them for AVX-512 and AVX2
gjk.h, epa.h    distances and depths with nativeccd
hfield.h        height fields
sdf.h, field.h  shapes given by a distance, and their distances
flex*.h, flex_table, flexes  contacts of flexes
tree.h, trees   triangles of meshes in a tree
ray.h           rays
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
