"""Tendons: lengths, velocities, Jacobians, springs and dampers.

The length of a fixed tendon is a linear combination of coordinates. A spatial tendon passes through sites and
around geoms, in branches separated by pulleys. A unit tension pulls at each point of the path along the unit
vectors towards its neighbours; the resulting joint forces are the Jacobian of the length.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any, NamedTuple

from ..staging.machines import Machine
from ..staging.scalars import both, either, hypot, maximum, opposite, where
from ..staging.value_classes import Scalar
from .jacobian import jacobian
from .polynomials import speed, square_of_gear, steeper, stiffer
from .releases import newest
from .spatial import Pair, Vec3
from .transmissions import AtTendon
from .wrapping import (
    Ends,
    Touch,
    along_inside,
    chosen,
    in_plane,
    in_space,
    measured,
    outside,
    passing,
    side_by,
    tangents,
    winding_around,
    winding_through,
)

NEAR = 1e-15
"""Distance between the centre of a shape and a site, m, below which the site is treated as being at the
centre.
"""


class Path(NamedTuple):
    """The path from one site to the next around a shape, in world axes.

    length: the total length.
    before, after: its directions at the first and at the second site.
    start, end: from the first site to the shape, and from the shape to the second site.
    """

    length: Scalar
    before: Vec3
    after: Vec3
    start: Scalar
    end: Scalar


class Part:
    """A part of a path without a length: a pulley."""

    name, code = "pulley", 2

    @classmethod
    def place(kind, m: Machine, t: Any, p: Any) -> None:
        """Stores its position, or adds its length."""


class OfJoint(Part):
    """A joint, whose coordinate is multiplied by a coefficient."""

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


def axes_of(t: Any, g: Any) -> Any:
    """The axes of a shape in world coordinates."""
    return t.xmat[t.wrap_body[g]] @ t.geom_quat[t.wrap_geom[g]].matrix()


class Cylinder(Part):
    """A cylinder that the path goes around."""

    name, code = "cylinder", 5

    @classmethod
    def place(kind, m: Machine, t: Any, p: Any) -> None:
        b = t.wrap_body[p]
        t.wrap_point[p] = t.xpos[b] + t.xmat[b] @ t.geom_pos[t.wrap_geom[p]]

    @classmethod
    def axes(kind, t: Any, g: Any) -> Any:
        """Axes of the shape in world coordinates; the path goes around a circle in the plane of x and y."""
        return axes_of(t, g)

    @classmethod
    def ends(kind, m: Machine, t: Any, g: Any, axes: Any, x: Vec3, y: Vec3) -> Ends:
        """The ends of the path projected onto this plane."""
        return in_plane(kind.flat(axes, x), kind.flat(axes, y))

    @classmethod
    def flat(kind, axes: Any, v: Vec3) -> Any:
        """A vector projected onto this plane."""
        return Pair(v.dot(axes.column(0)), v.dot(axes.column(1)))

    @classmethod
    def usual(kind, ends: Ends) -> list[Scalar]:
        """Arguments as of side_by() for a side site without a direction in the plane."""
        return side_by(ends, Pair(1.0, 0.0))

    @classmethod
    def path(kind, axes: Any, span: Vec3, touch: Touch) -> Path:
        """The path is a helix: its slope relative to the plane is constant over the whole length."""
        flat, rise = touch.start + touch.arc + touch.end, span.dot(axes.column(2))
        length = hypot(flat, rise)
        share = 1.0 / maximum(length, NEAR)
        before, after = [
            axes @ Vec3(v.first * (flat * share), v.second * (flat * share), rise * share)
            for v in (touch.before, touch.after)
        ]
        longer = length / maximum(flat, NEAR)
        return Path(length, before, after, touch.start * longer, touch.end * longer)


class Sphere(Cylinder):
    """A sphere that the path goes around."""

    name, code = "sphere", 4

    @classmethod
    def axes(kind, t: Any, g: Any) -> Any:
        """Rarely needed."""

    @classmethod
    def ends(kind, m: Machine, t: Any, g: Any, axes: Any, x: Vec3, y: Vec3) -> Ends:
        return in_space(m, x, y, lambda: axes_of(t, g))

    @classmethod
    def flat(kind, axes: Any, v: Vec3) -> Any:
        return v

    @classmethod
    def usual(kind, ends: Ends) -> list[Scalar]:
        return [ends.squares[0], ends.dot, 0.0, -ends.area]

    @classmethod
    def path(kind, axes: Any, span: Vec3, touch: Touch) -> Path:
        length = touch.start + touch.arc + touch.end
        return Path(length, touch.before, touch.after, touch.start, touch.end)


SHAPES: list[type[Cylinder]] = [Sphere, Cylinder]
PARTS: list[type[Part]] = [Site, *SHAPES]  # what has a place


def apart(t: Any, p: Any, q: Any) -> Any:
    """Whether points of a path move relative to each other."""
    return t.body_linkid[t.wrap_body[p]] != t.body_linkid[t.wrap_body[q]]


def straight(m: Machine, t: Any, p: Any, q: Any) -> None:
    """The straight path from one site to the next."""
    span = t.wrap_point[q] - t.wrap_point[p]
    length, along = measured(span)
    t.ten_length[t.wrap_tendon[p]] += length * t.wrap_scale[p]
    for _ in m.when(apart(t, p, q)):
        pull = along * t.wrap_scale[p]
        t.wrap_pull[p] -= pull
        t.wrap_pull[q] += pull


def touching(m: Machine, t: Any, g: Any, kind: type[Cylinder], axes: Any, ends: Ends) -> Touch:
    """The contact of the path with a shape, in a plane."""
    reach = tangents(ends, t.geom_size[t.wrap_geom[g]].x)
    own = m.locals(winding=1.0, within=0.0, free=where(either(reach.missing, reach.apart), 1.0, 0.0))
    s = t.wrap_side[g]
    for _ in m.when(s >= 0):
        at = t.site_bodyid[s]
        side = t.xpos[at] + t.xmat[at] @ t.site_pos[s] - t.wrap_point[g]
        for _ in m.when(t.wrap_inside[g] == 1):
            own.within = 1.0
        for _ in m.when(t.wrap_inside[g] == 2):
            own.within = where(side.dot(side) < reach.square, 1.0, 0.0)
        for _ in m.saving(own.within <= 0.0):
            found = side_by(ends, kind.flat(axes, side))
            size = (found[0] * found[0] + found[2] * found[2]) * ends.inverses[0]
            seen = size >= NEAR * NEAR
            products = [where(seen, x, y) for x, y in zip(found, kind.usual(ends), strict=True)]
            wound = newest(t)
            own.winding = where(wound, winding_through(products), winding_around(ends, reach, products))
            beside = both(reach.apart, own.winding > 0.0)
            passes = either(both(wound, beside), both(opposite(wound), passing(ends, reach, products)))
            own.free = where(either(reach.missing, passes), 1.0, 0.0)
    none = type(ends.a).zero()
    path = m.locals(start=0.0, end=0.0, before=none, after=none, arc=0.0, free=own.free)
    for _ in m.saving(both(own.within <= 0.0, own.free <= 0.0)):
        path.start, path.end, path.before, path.after, path.arc, _ = outside(ends, reach, own.winding)
    for _ in m.saving(own.within > 0.0):
        other = along_inside(m, ends, reach, newest(t))
        within = own.within > 0.0
        path.start, path.end = where(within, other.start, path.start), where(within, other.end, path.end)
        path.before = chosen(own.within, other.before, path.before)
        path.after = chosen(own.within, other.after, path.after)
        path.arc = where(within, other.arc, path.arc)
        path.free = where(within, other.free, path.free)
    return Touch(path.start, path.end, path.before, path.after, path.arc, path.free)


def directed(length: Scalar, span: Vec3) -> Vec3:
    """The direction of a part of a path; x, as in MuJoCo, if its end is on the shape."""
    none = length < NEAR
    return Vec3(*[where(none, usual, x) for usual, x in zip((1.0, 0.0, 0.0), span.flat(), strict=True)])


def around(m: Machine, t: Any, p: Any, q: Any, g: Any) -> None:
    """The path from one site to the next around a shape, or past it."""
    centre, none = t.wrap_point[g], Vec3.zero()
    x, y = t.wrap_point[p] - centre, t.wrap_point[q] - centre
    central = either(x.dot(x) < NEAR * NEAR, y.dot(y) < NEAR * NEAR)
    own = m.locals(length=0.0, before=none, after=none)
    for kind in m.cases(SHAPES, t.wrap_type[g]):
        axes = kind.axes(t, g)
        touch = touching(m, t, g, kind, axes, kind.ends(m, t, g, axes, x, y))
        t.wrap_free[g] = where(central, 1.0, touch.free)
        for _ in m.saving(t.wrap_free[g] <= 0.0):
            own.length, before, after, start, end = kind.path(axes, y - x, touch)
            own.before, own.after = directed(start, before), directed(end, after)
            t.wrap_first[g] = t.wrap_point[p] + own.before * start
            t.wrap_last[g] = t.wrap_point[q] - own.after * end
    bent(m, t, p, q, g, Path(own.length, own.before, own.after, 0.0, 0.0))


def bent(m: Machine, t: Any, p: Any, q: Any, g: Any, path: Path) -> None:
    """The length and the forces of the path from one site to the next, whether it touches the shape or
    not.
    """
    centre, free, scale, none = t.wrap_point[g], t.wrap_free[g], t.wrap_scale[p], Vec3.zero()
    own = m.locals(length=path.length, first=none, last=none)
    for _ in m.saving(free > 0.0):
        length, straight = measured(t.wrap_point[q] - t.wrap_point[p])
        own.length = where(free > 0.0, length, path.length)
        for _ in m.when(apart(t, p, q)):
            own.first = chosen(free, straight, none)
            own.last = chosen(free, straight, none)
    t.ten_length[t.wrap_tendon[p]] += own.length * scale
    for _ in m.saving(free <= 0.0):
        for _ in m.when(apart(t, p, g)):
            pull = chosen(free, none, path.before * scale)
            own.first = chosen(free, own.first, path.before)
            t.wrap_pull[g] += pull
            t.wrap_twist[g] += (t.wrap_point[p] - centre).cross(pull)
        for _ in m.when(apart(t, g, q)):
            pull = chosen(free, none, path.after * scale)
            own.last = chosen(free, own.last, path.after)
            t.wrap_pull[g] -= pull
            t.wrap_twist[g] -= (t.wrap_point[q] - centre).cross(pull)
    t.wrap_pull[p] -= own.first * scale
    t.wrap_pull[q] += own.last * scale


def paths(m: Machine, t: Any) -> None:
    """ten_length of spatial tendons, and the points and directions of their forces."""
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


def beyond(m: Machine, t: Any, f: Any) -> Scalar:
    """The excess of a tendon's length over the rest range of its spring; negative if shorter."""
    length, p = t.ten_length[f], t.tendon_plasticadr[f]
    rest = m.locals(low=t.tendon_lengthspring[f].first, high=t.tendon_lengthspring[f].second)
    for _ in m.when(t.opt_yields[0] == 1):
        for _ in m.when(p >= 0):
            rest.low, rest.high = t.plastic[p], t.plastic[p + 1]
    below = where(length < rest.low, length - rest.low, 0.0)
    return where(length > rest.high, length - rest.high, below)


def polynomial_tensions(m: Machine, t: Any) -> None:
    """Adds terms of higher order, and forces of dampers of actuators, to ten_spring and ten_damper;
    ten_polyslope.
    """
    springs, dampers = t.opt_springs_act[0], t.opt_dampers_act[0]
    for f in m.rows_of("tendon"):
        x, v = beyond(m, t, f), t.ten_velocity[f]
        t.ten_spring[f] += -(springs * stiffer(t.tendon_stiffnesspoly[f], x) * x)
        t.ten_damper[f] += -(dampers * stiffer(t.tendon_dampingpoly[f], speed(v)) * v)
        t.ten_polyslope[f] = dampers * steeper(t.tendon_dampingpoly[f], speed(v))
    for u in m.rows_of("actuator"):
        for _ in m.cases([AtTendon], t.actuator_trntype[u]):
            f, square, poly = t.actuator_target[u], dampers * square_of_gear(t, u), t.actuator_dampingpoly[u]
            v = t.ten_velocity[f]
            t.ten_damper[f] += -(square * (t.actuator_damping[u] + stiffer(poly, speed(v))) * v)
            t.ten_polyslope[f] += square * (t.actuator_damping[u] + steeper(poly, speed(v)))


def tensions(m: Machine, t: Any) -> None:
    """ten_spring, ten_damper, which are added to qfrc_passive."""
    springs, dampers = t.opt_springs_act[0], t.opt_dampers_act[0]
    for f in m.rows_of("tendon"):
        t.ten_spring[f] = -(springs * t.tendon_stiffness[f] * beyond(m, t, f))
        t.ten_damper[f] = -(dampers * t.tendon_damping[f] * t.ten_velocity[f])
    for _ in m.when(t.opt_polynomials[0] == 1):
        m.call(polynomial_tensions)
    for y in m.rows_of("ten_J"):
        f = t.ten_J_tendon[y]
        t.qfrc_passive[t.ten_J_colind[y]] += t.ten_entry[y] * (t.ten_spring[f] + t.ten_damper[f])
