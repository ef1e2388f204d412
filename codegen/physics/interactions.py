"""Forces between links, and momenta, in the links' own axes: what sensors ask for of bodies with joints.

The links of a body but the last have no mass, so what acts through the first joint of a body is what acts on
its last link.
"""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .kinematics import forward_kinematics
from .loads import push, unload
from .spatial import Vec3


def yield_to_pushes(m: Machine, t: Any) -> None:
    """Take what acts on bodies from outside off link_between."""
    m.call(forward_kinematics)
    m.call(unload)
    for b in m.bodies():
        push(t, b, t.xfrc_applied[b].lin, t.xfrc_applied[b].ang)
    for k in m.links():
        t.link_between[k] = t.link_between[k] - t.link_load[k]


def relieve(m: Machine, t: Any) -> None:
    """The same where anything acts."""
    for _ in m.when(t.external_acts[0] == 1):
        m.call(yield_to_pushes)


def interactions(m: Machine, t: Any) -> None:
    """link_between, after what leaves link_acc."""
    for k in m.links():
        own = t.link_whole[k]
        t.link_between[k] = own.force(t.link_a[k], t.link_rates[k]) + own @ t.link_acc[k]
    m.call(relieve)
    for k in m.links(backward=True):
        p = t.link_parentid[k]
        for _ in m.when(p > 0):
            t.link_between[p] += t.link_between[k].lifted(t.link_rot[k], t.link_pos[k])


def momenta_of_links(m: Machine, t: Any) -> None:
    """link_momentum, after velocities()."""
    for k in m.links():
        own, v = t.link_whole[k], t.link_vel[k]
        t.link_momentum[k] = v.lin * own.mass + v.ang.cross(own.h)
    for k in m.links(backward=True):
        p = t.link_parentid[k]
        for _ in m.when(p > 0):
            t.link_momentum[p] += t.link_rot[k] @ t.link_momentum[k]


def turned_to_world(m: Machine, t: Any, k: Any, v: Vec3) -> Vec3:
    """A vector of a link in world axes, after place()."""
    own = m.locals(v=t.link_rot[k] @ v)
    for c in m.climb(k):
        own.v = t.link_rot[t.link_parentid[c]] @ own.v
    turned: Vec3 = own.v
    return turned
