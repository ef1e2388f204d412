"""From SDFormat documents to Models, as Drake reads them.

values, scopes, building    poses and names; models as scopes of frames, of a document and those it includes
links, joints, shapes       the parts of a Plant for each element
extensions                  Drake's elements between links and joints
filling                     all of it, in Drake's order, to a Plant
lower                       the entry points

gearboxes       gearboxes of SDFormat, which Drake does not have: a relation between the angles of two
                joints of one link
included        documents of other formats that an SDFormat document includes: their parts are added to the
                Plant first
settings        the caller's choices about the meaning of an SDFormat document
surfaces        the <surface> of a collision as in Gazebo with ODE, as far as the Model can represent it
"""

from polybody.lowering.sdf.lower import fill, lower

__all__ = ["fill", "lower"]
