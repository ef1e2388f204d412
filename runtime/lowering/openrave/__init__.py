"""OpenRAVE documents made Models.

parts       what is read: links, joints, manipulators, sensors
poses       poses as OpenRAVE composes them
reading     a body or robot in the order of the document; joints, geoms, masses, robots are its parts
scenes      environments
tree        which joint places which link
mimic       joints that follow others
rows        bodies, joints, motors, equalities; contacts, figures
native      OpenRAVE's coordinates
"""

from polybody.lowering.openrave.lowered import Lowered, lower
from polybody.lowering.openrave.native import Native

__all__ = ["Lowered", "Native", "lower"]
