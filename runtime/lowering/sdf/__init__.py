"""From SDFormat documents to Models, as Drake reads them.

values, scopes, building    poses and names; models as scopes of frames, of a document and those it includes
links, joints, shapes       the parts of a Plant for each element
extensions                  Drake's elements between links and joints
filling                     all of it, in Drake's order, to a Plant
lower                       the entry points
"""

from polybody.lowering.sdf.lower import fill, lower

__all__ = ["fill", "lower"]
