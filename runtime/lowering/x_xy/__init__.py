"""From x_xy documents to Models.

The conventions of the document are converted here, and back by :class:`Native`: gravity is the acceleration
of the base, quaternions are passive, angles of ``euler`` are in degrees, rotations precede translations in q
and qd, cylinders and capsules lie along x, geoms give bodies their mass.

geom_colours    the red, green, blue and opacity of a geom's colour
joints          the joint types of x_xy: their primitive joints, random axes, the document's own coordinates
lower           from an x_xy document to a Model: the content body by body, then its parts
parts           the parts of a Model from the bodies and geoms of an x_xy document; poses and masses all at
                once
"""

from polybody.lowering.x_xy.joints import Native
from polybody.lowering.x_xy.lower import lower

__all__ = ["Native", "lower"]
