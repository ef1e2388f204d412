"""Links at the tip, with the frame in front of their joint instead of behind it.

No link is attached to such a link, so its own axes are not needed: instead of turning velocities,
accelerations, forces and an articulated inertia from the axes before the joint to those behind it and back, a
step turns the body's inertia once. What turns about an axis looks the same along it in both frames.
"""

from __future__ import annotations

from typing import Any

from ..physics import kinematics
from ..physics.elementary_rotations import Turns
from ..physics.joints import Hinge, Screw
from ..physics.spatial import Vec3
from ..staging.machines import Machine


def tips(m: Machine, t: Any) -> None:
    """Store in link_tip which links have no children, and in link_still their inertia."""
    for k in m.links():
        t.link_tip[k], t.link_still[k] = 1, t.link_spatial[k]
    for k in m.links():
        t.link_tip[t.link_parentid[k]] = 0


def place(m: Machine, t: Any) -> None:
    """What kinematics.place leaves, tips in their frames."""
    kinematics.place(m, t)
    for k in m.links():
        for _ in m.when(t.link_tip[k] == 1):
            for _ in m.cases([Hinge, Screw], t.link_type[k]):
                rotation = t.link_rot[k]
                if isinstance(rotation, Turns):
                    *fixed, turn = (
                        rotation.turns
                    )  # the last is the joint's, with a constant one about its axis
                    t.link_rot[k] = Turns(fixed)
                    t.link_spatial[k] = t.link_still[k].lifted(Turns([turn]), Vec3.zero())
