"""Leaf links, with their frame on the parent side of the joint.

A leaf has no children, so its own axes are not needed: instead of rotating velocities, accelerations, forces
and an articulated inertia across the joint and back, a step rotates the body's inertia once. Components along
the joint's axis are the same in both frames.
"""

from __future__ import annotations

from typing import Any

from ..physics import kinematics
from ..physics.elementary_rotations import Turns
from ..physics.joints import Hinge, Screw
from ..physics.spatial import Vec3
from ..staging.machines import Machine


def leaf_links(m: Machine, t: Any) -> None:
    """Stores in link_tip which links are leaves, and their inertia in link_still."""
    for k in m.links():
        t.link_tip[k], t.link_still[k] = 1, t.link_spatial[k]
    for k in m.links():
        t.link_tip[t.link_parentid[k]] = 0


def place(m: Machine, t: Any) -> None:
    """The results of kinematics.place, with leaves in these frames."""
    kinematics.place(m, t)
    for k in m.links():
        for _ in m.when(t.link_tip[k] == 1):
            for _ in m.cases([Hinge, Screw], t.link_type[k]):
                rotation = t.link_rot[k]
                if isinstance(rotation, Turns):
                    *fixed, turn = (
                        rotation.turns
                    )  # the last one is that of the joint, merged with a constant one about its axis
                    t.link_rot[k] = Turns(fixed)
                    t.link_spatial[k] = t.link_still[k].lifted(Turns([turn]), Vec3.zero())
