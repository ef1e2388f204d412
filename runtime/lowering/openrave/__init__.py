"""Lowering of OpenRAVE documents to Models.

parts       the parts that are read: links, joints, manipulators, sensors
poses       composition of poses as in OpenRAVE
lower       the whole document
reading     reads a body or robot in document order; joints, geoms, masses and robots read its parts
scenes      environments
tree        the kinematic tree: which joint places which link
mimic       mimic joints
rows        bodies, joints, motors, equalities; also contacts and figures
native      OpenRAVE's coordinates

notes           findings of the lowering: errors, decisions and elements without effect, each at its element
"""

from polybody.lowering.openrave.lower import lower
from polybody.lowering.openrave.native import Native

__all__ = ["Native", "lower"]
