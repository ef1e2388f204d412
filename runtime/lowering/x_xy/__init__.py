"""From x_xy documents to Models.

The conventions of the document are converted here, and back by :class:`Native`: gravity is the acceleration
of the base, quaternions are passive, angles of ``euler`` are in degrees, rotations precede translations in q
and qd, cylinders and capsules lie along x, geoms give bodies their mass.
"""

from polybody.lowering.x_xy.joints import Native
from polybody.lowering.x_xy.lower import lower

__all__ = ["Native", "lower"]
