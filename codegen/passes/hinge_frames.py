"""The orientation of a hinge's link: its frame may be rotated about its own axis.

The frame is rotated such that its inertia and the attached links are cheapest: an inclined axis is inclined
along x or y, an offset or a moment has a zero component. This adds a constant to the hinge's angle. Poses do
not change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..physics.elementary_rotations import Turns, elementary, quarter
from ..physics.joints import Hinge, Screw
from ..physics.spatial import Quat, Vec3
from ..staging.machines import Machine
from .snap_zeros import inertia, vector

Direction = tuple[float, float]  # cosine and sine
AHEAD: Direction = (1.0, 0.0)
# Approximate operations per step: of a rotation, one merged with the hinge's, a component of an offset, of a
# moment.
TURN, JOINED, OFFSET, MOMENT = 45, 4, 20, 5
NONE = Vec3.zero()


def hinge_frames(m: Machine, t: Any) -> None:
    """Rotates the frames: changes link_base, link_origin, link_spatial, link_quat, body_linkpos,
    body_linkquat, body_linkspatial.
    """
    children: dict[int, list[int]] = {}
    for k in m.links():
        children.setdefault(t.link_parentid[k], []).append(k)
    ways: dict[int, Direction] = {}
    for k in m.links():
        for _ in m.cases([Hinge, Screw], t.link_type[k]):
            below = children.get(k, [])
            if all(constant(t, c) for c in (k, *below)):
                best = min(candidates(t, k, below), key=lambda heading: cost(m, t, k, below, heading))
                if best is not AHEAD:
                    turn(t, k, below, best)
                    ways[k] = best
    for b in m.bodies():
        k = t.body_linkid[b]
        if k in ways:
            t.body_linkpos[b] = vector(back(ways[k]) @ t.body_linkpos[b])
            t.body_linkquat[b] = quaternion(ways[k]).conjugate() @ t.body_linkquat[b]
            t.body_linkspatial[b] = inertia(t.body_linkspatial[b].lifted(back(ways[k]), NONE))


def constant(t: Any, k: int) -> bool:
    """Whether the position of a link's frame is constant."""
    return isinstance(t.link_base[k], Turns) and all(isinstance(x, float) for x in t.link_origin[k].flat())


def candidates(t: Any, k: int, children: list[int]) -> Iterator[Direction]:
    """Candidate orientations of the frame; first the current one."""
    yield AHEAD
    for axis, c, s in t.link_base[k].turns[-1:]:
        if axis == 2:
            yield c, -s
    across = [(v.x, v.y) for c in children for v in (t.link_base[c].column(2), t.link_origin[c])]
    for x, y in ((t.link_spatial[k].h.x, t.link_spatial[k].h.y), *across):
        if isinstance(x, float) and isinstance(y, float) and 1e-9 < (length := math.hypot(x, y)) < math.inf:
            yield x / length, y / length


def cost(m: Machine, t: Any, k: int, children: list[int], heading: Direction) -> int:
    """The approximate number of operations."""
    back_again = back(heading)
    held = inertia(t.link_spatial[k].lifted(back_again, NONE))
    total = of_turns(t.link_base[k].about_z(*heading), True) + MOMENT * parts(held)
    for c in children:
        hinge = bool(list(m.cases([Hinge, Screw], t.link_type[c])))
        total += of_turns(joined(back_again, t.link_base[c]), hinge)
        total += OFFSET * parts(vector(back_again @ t.link_origin[c]))
    return total


def parts(value: Any) -> int:
    """The number of nonzero scalars of a value."""
    return sum(not (isinstance(x, float) and x == 0.0) for x in value.flat())


def of_turns(R: Turns, hinge: bool) -> int:
    """Operations for a link with this rotation relative to its parent."""
    turns = R.turns
    joins = hinge and bool(turns) and turns[-1][0] == 2
    each = [0 if quarter(c, s) else TURN for _, c, s in turns]
    return sum(each[:-1]) + min(JOINED, each[-1]) if joins else sum(each)


def back(heading: Direction) -> Turns:
    return Turns([(2, heading[0], -heading[1])])


def joined(first: Turns, then: Turns) -> Turns:
    """A product of constant rotations, with the fewest factors."""
    return Turns(elementary(np.reshape(Turns((*first.turns, *then.turns)).flat(), (3, 3))))


def quaternion(heading: Direction) -> Quat:
    half = 0.5 * math.atan2(heading[1], heading[0])
    return Quat(math.cos(half), 0.0, 0.0, math.sin(half))


def turn(t: Any, k: int, children: list[int], heading: Direction) -> None:
    """Rotates the frame of link k about its axis."""
    ahead, q = quaternion(heading), back(heading)
    t.link_base[k], t.link_quat[k] = joined(t.link_base[k], Turns([(2, *heading)])), t.link_quat[k] @ ahead
    t.link_spatial[k] = inertia(t.link_spatial[k].lifted(q, NONE))
    for c in children:
        t.link_base[c], t.link_quat[c] = joined(q, t.link_base[c]), ahead.conjugate() @ t.link_quat[c]
        t.link_origin[c] = vector(q @ t.link_origin[c])
