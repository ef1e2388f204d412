"""From SKEL documents to Models that move as in DART 6.20.

lower          the document: world, skeletons, and the order of the whole
tree           the bodies of a skeleton, in DART's order
joints         joints as primitives, actuators; dofs: properties of each degree of freedom
coordinates    DART's coordinates of ball and free joints; native: those of a whole Model
inertia        masses and moments; shapes: geoms
"""

from polybody.lowering.skel.lower import lower
from polybody.lowering.skel.native import Native

__all__ = ["Native", "lower"]
