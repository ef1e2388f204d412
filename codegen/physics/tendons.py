"""Tendons: lengths, velocities, Jacobians, springs and dampers.

A fixed tendon is as long as a sum of coordinates. A spatial one leads over sites and around shapes, in
branches that pulleys divide; a tension of 1 pulls at each part of the path along the unit vectors towards its
neighbours, and what that comes to in joint forces is the Jacobian of the length.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import either, hypot, where
from ..staging.value_classes import Scalar
from .jacobian import jacobian
from .spatial import Mat3, Pair, Vec3
from .wrapping import Touch, along_inside, beside, chosen, direction, measured, outside, unit

NEAR = 1e-15
"""Distance from the centre of a shape at which a site counts as being there, m."""


class Part:
    """A part of a path without a length of its own: a pulley."""

    name, code = "pulley", 2

    @classmethod
    def place(kind, m: Machine, t: Any, p: Any) -> None:
        """Leave where it is, or add its length."""


class OfJoint(Part):
    """A joint, whose coordinate counts by a coefficient."""

    name, code = "joint", 1

    @classmethod
    def place(kind, m: Machine, t: Any, p: Any) -> None:
        x = t.qpos[t.link_qposadr[t.wrap_joint[p] + 1]]
        t.ten_length[t.wrap_tendon[p]] += t.wrap_prm[p] * x


class Site(Part):
    """A site that the path goes through."""

    name, code = "site", 3

    @classmethod
    def place(kind, m: Machine, t: Any, p: Any) -> None:
        b = t.wrap_body[p]
        t.wrap_point[p] = t.xpos[b] + t.xmat[b] @ t.site_pos[t.wrap_site[p]]


class Cylinder(Part):
    """A cylinder that the path goes around."""

    name, code = "cylinder", 5

    @classmethod
    def place(kind, m: Machine, t: Any, p: Any) -> None:
        b = t.wrap_body[p]
        t.wrap_point[p] = t.xpos[b] + t.xmat[b] @ t.geom_pos[t.wrap_geom[p]]

    @classmethod
    def plane(kind, x: Vec3, y: Vec3) -> tuple[Vec3, Vec3]:
        """Axes of the plane in which the path goes around a circle, in the shape's; x and y are its ends."""
        return Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)

    @classmethod
    def heights(kind, x: Vec3, y: Vec3, touch: Touch, a: Pair, b: Pair) -> tuple[Scalar, Scalar, Scalar]:
        """How high above the plane it touches first and last, and the length of what is between.

        It is a helix: it rises alike along all of the way as it is seen in the plane.
        """
        before, after = touch.first - a, b - touch.last
        start, end = hypot(before.first, before.second), hypot(after.first, after.second)
        total = start + touch.arc + end
        rise = (y.z - x.z) / where(total > 0.0, total, 1.0)
        return x.z + rise * start, x.z + rise * (start + touch.arc), hypot(touch.arc, rise * touch.arc)


class Sphere(Cylinder):
    """A ball that the path goes around."""

    name, code = "sphere", 4

    @classmethod
    def plane(kind, x: Vec3, y: Vec3) -> tuple[Vec3, Vec3]:
        along = direction(x)
        return along, beside(along, x, y)

    @classmethod
    def heights(kind, x: Vec3, y: Vec3, touch: Touch, a: Pair, b: Pair) -> tuple[Scalar, Scalar, Scalar]:
        return 0.0, 0.0, touch.arc


SHAPES: list[type[Cylinder]] = [Sphere, Cylinder]
PARTS: list[type[Part]] = [Site, *SHAPES]  # what has a place


def apart(t: Any, p: Any, q: Any) -> Any:
    """Whether parts of a path move against each other."""
    return t.body_linkid[t.wrap_body[p]] != t.body_linkid[t.wrap_body[q]]


def straight(m: Machine, t: Any, p: Any, q: Any) -> None:
    """From one site to the next."""
    way = t.wrap_point[q] - t.wrap_point[p]
    length, unit_way = measured(way)
    t.ten_length[t.wrap_tendon[p]] += length * t.wrap_scale[p]
    for _ in m.when(apart(t, p, q)):
        pull = unit_way * t.wrap_scale[p]
        t.wrap_pull[p] -= pull
        t.wrap_pull[q] += pull


def touching(m: Machine, t: Any, g: Any, x: Vec3, y: Vec3, turn: Mat3, axes: tuple[Vec3, Vec3]) -> Touch:
    """How the path from x to y, in a shape's axes, touches it, in a plane of these axes."""
    first, second = axes
    radius = t.geom_size[t.wrap_geom[g]].x
    a, b = Pair(x.dot(first), x.dot(second)), Pair(y.dot(first), y.dot(second))
    none = Pair(0.0, 0.0)
    own = m.locals(side=none, sided=0.0, within=0.0, first=none, last=none, arc=0.0, free=1.0)
    s = t.wrap_side[g]
    for _ in m.when(s >= 0):
        at = t.site_bodyid[s]
        side = turn.left(t.xpos[at] + t.xmat[at] @ t.site_pos[s] - t.wrap_point[g])
        own.side, own.sided = unit(Pair(side.dot(first), side.dot(second))) * radius, 1.0
        for _ in m.when(t.wrap_inside[g] == 1):
            own.within = 1.0
        for _ in m.when(t.wrap_inside[g] == 2):
            own.within = where(side.dot(side) < radius * radius, 1.0, 0.0)
    for _ in m.saving(own.within <= 0.0):
        found = outside(m, a, b, radius, own.side, own.sided)
        own.first, own.last, own.arc, own.free = found
    for _ in m.saving(own.within > 0.0):
        found = along_inside(m, a, b, radius)
        own.first = chosen(own.within, found.first, own.first)
        own.last = chosen(own.within, found.last, own.last)
        own.arc = where(own.within > 0.0, found.arc, own.arc)
        own.free = where(own.within > 0.0, found.free, own.free)
    central = either(x.dot(x) < NEAR * NEAR, y.dot(y) < NEAR * NEAR)
    return Touch(own.first, own.last, own.arc, where(central, 1.0, own.free))


def around(m: Machine, t: Any, p: Any, q: Any, g: Any) -> None:
    """From one site to the next around a shape, or past it."""
    b, centre, from_, to = t.wrap_body[g], t.wrap_point[g], t.wrap_point[p], t.wrap_point[q]
    turn = t.xmat[b] @ t.geom_quat[t.wrap_geom[g]].matrix()
    x, y = turn.left(from_ - centre), turn.left(to - centre)
    for kind in m.cases(SHAPES, t.wrap_type[g]):
        axes = kind.plane(x, y)
        touch = touching(m, t, g, x, y, turn, axes)
        t.wrap_free[g] = touch.free
        for _ in m.saving(touch.free <= 0.0):
            a, c = [Pair(end.dot(axes[0]), end.dot(axes[1])) for end in (x, y)]
            low, high, t.wrap_arc[g] = kind.heights(x, y, touch, a, c)
            ends = ((touch.first, low), (touch.last, high))
            one, other = [axes[0] * at.first + axes[1] * at.second + Vec3(0.0, 0.0, z) for at, z in ends]
            t.wrap_first[g], t.wrap_last[g] = centre + turn @ one, centre + turn @ other
    bent(m, t, p, q, g)


def bent(m: Machine, t: Any, p: Any, q: Any, g: Any) -> None:
    """How long the path from one site to the next is and how it pulls, touching the shape or not."""
    centre, first, last = t.wrap_point[g], t.wrap_first[g], t.wrap_last[g]
    free, scale, none = t.wrap_free[g], t.wrap_scale[p], Vec3.zero()
    start, before = measured(chosen(free, t.wrap_point[q], first) - t.wrap_point[p])
    before = before * scale
    own = m.locals(rest=0.0, after=none)
    for _ in m.saving(free <= 0.0):
        end, after = measured(t.wrap_point[q] - last)
        own.rest = where(free > 0.0, 0.0, t.wrap_arc[g] + end)
        own.after = chosen(free, none, after * scale)
    t.ten_length[t.wrap_tendon[p]] += (start + own.rest) * scale
    for _ in m.when(apart(t, p, q)):
        pull = chosen(free, before, none)
        t.wrap_pull[p] -= pull
        t.wrap_pull[q] += pull
    for _ in m.saving(free <= 0.0):
        for _ in m.when(apart(t, p, g)):
            pull = chosen(free, none, before)
            t.wrap_pull[p] -= pull
            t.wrap_pull[g] += pull
            t.wrap_twist[g] += (first - centre).cross(pull)
        for _ in m.when(apart(t, g, q)):
            t.wrap_pull[g] -= own.after
            t.wrap_twist[g] -= (last - centre).cross(own.after)
            t.wrap_pull[q] += own.after


def paths(m: Machine, t: Any) -> None:
    """ten_length of spatial tendons, and where and how they pull."""
    m.call(jacobian)
    for p in m.rows_of("wrap"):
        t.wrap_pull[p], t.wrap_twist[p] = Vec3.zero(), Vec3.zero()
    for p in m.alike("wrap"):
        for kind in m.cases(PARTS, t.wrap_type[p]):
            kind.place(m, t, p)
    for p in m.alike("wrap"):
        for _ in m.when(t.wrap_next[p] >= 0):
            for _ in m.when(t.wrap_over[p] < 0):
                straight(m, t, p, t.wrap_next[p])
            for _ in m.when(t.wrap_over[p] >= 0):
                around(m, t, p, t.wrap_next[p], t.wrap_over[p])


def tendons(m: Machine, t: Any) -> None:
    """ten_length, ten_velocity, and ten_J by its entries."""
    for f in m.rows_of("tendon"):
        t.ten_length[f], t.ten_velocity[f] = 0.0, 0.0
    for p in m.rows_of("wrap"):
        for kind in m.cases([OfJoint], t.wrap_type[p]):
            kind.place(m, t, p)
    for y in m.rows_of("ten_J"):
        t.ten_entry[y] = t.ten_J_coef[y]
    for _ in m.when(t.opt_tendon_poses[0] == 1):
        m.call(paths)
        for o in m.rows_of("lever"):
            p, i = t.lever_wrap[o], t.lever_dof[o]
            axis, pull = t.dof_xaxis[i], t.wrap_pull[p]
            moment = t.wrap_twist[p] + (t.wrap_point[p] - t.dof_xanchor[i]).cross(pull)
            t.ten_entry[t.lever_entry[o]] += axis.lin.dot(pull) + axis.ang.dot(moment)
    for y in m.rows_of("ten_J"):
        t.ten_velocity[t.ten_J_tendon[y]] += t.ten_entry[y] * t.qvel[t.ten_J_colind[y]]


def beyond(t: Any, f: Any) -> Scalar:
    """How much longer a tendon is than where its spring is at rest; negative if shorter."""
    length, rest = t.ten_length[f], t.tendon_lengthspring[f]
    above = where(length > rest.second, length - rest.second, 0.0)
    return where(length < rest.first, length - rest.first, above)


def tensions(m: Machine, t: Any) -> None:
    """ten_spring, ten_damper, which are added to qfrc_passive; after tendons()."""
    for f in m.rows_of("tendon"):
        t.ten_spring[f] = -(t.tendon_stiffness[f] * beyond(t, f))
        t.ten_damper[f] = -(t.tendon_damping[f] * t.ten_velocity[f])
    for y in m.rows_of("ten_J"):
        f = t.ten_J_tendon[y]
        t.qfrc_passive[t.ten_J_colind[y]] += t.ten_entry[y] * (t.ten_spring[f] + t.ten_damper[f])
