"""SKEL documents made Models that move as DART 6.20 moves them.

lowering       the document: world, skeletons, and the order of the whole
tree           which bodies a skeleton has, in DART's order
joints         joints as primitives, actuators; dofs: what is said of each degree of freedom
coordinates    DART's coordinates of balls and free joints; native: those of a whole Model
inertia        masses and moments; shapes: geoms
"""

from polybody.lowering.skel.lowering import Lowered, lower
from polybody.lowering.skel.native import Native

__all__ = ["Lowered", "Native", "lower"]
