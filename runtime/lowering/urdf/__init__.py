"""From URDF documents to Models, as Drake 1.51 reads them.

lowering       a document as a Plant: links, joints, forces between them
shapes         visual and collision geometry, materials, proximity properties
extensions     Drake's bushings, springs, constraints and filter groups
gazebo         the effect of `<gazebo>`, under ``meaning="gazebo"``
"""

from polybody.lowering.urdf.lowering import Lowered, fill, lower

__all__ = ["Lowered", "fill", "lower"]
