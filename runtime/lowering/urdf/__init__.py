"""From URDF documents to Models, as Drake 1.51 reads them.

lower          a document as a Plant: links, joints, forces between them
shapes         visual and collision geometry, materials, proximity properties
extensions     Drake's bushings, springs, constraints and filter groups
gazebo         the effect of `<gazebo>`, under ``meaning="gazebo"``

semantics       the SRDF of a robot: pairs of links that do not collide, joints that nothing drives, named
                states
"""

from polybody.lowering.urdf.lower import fill, lower

__all__ = ["fill", "lower"]
