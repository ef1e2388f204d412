"""Forces of the medium that bodies move in: drag, lift, added mass, viscosity.

Two models, as in MuJoCo: a body is approximated by the box with its inertia or, instead, some of its geoms by
ellipsoids. Each model is a function from the velocity relative to the medium to a force, in the shape's axes
and about its centre. Its derivative is generated from the same function.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from ..staging.machines import Machine
from ..staging.scalars import maximum, minimum, sqrt, where
from ..staging.slopes import slopes
from ..staging.value_classes import Scalar, operation
from .kinematics import link_frames, place, velocities
from .loads import unload
from .releases import newest
from .rnea import fold
from .spatial import Force, Mat3, Motion, Slope, Vec3

LEAST = 1e-15
"""Minimum of divisors, in their own units: MuJoCo's mjMINVAL."""
TINY = 1e-300
"""Minimum of radicands, so that the derivative exists at rest."""


class Part(NamedTuple):
    """A part of a link on which the medium acts: axes and centre in the link's frame, and the force as a
    function of velocity.
    """

    link: Any
    turn: Mat3
    centre: Vec3
    force: Callable[[Motion], Force]


def root(x: Scalar) -> Scalar:
    """The square root of a nonnegative number."""
    return sqrt(maximum(x, TINY))


def norm(v: Vec3) -> Scalar:
    return root(v.dot(v))


def box(t: Any, b: Any, v: Motion) -> Force:
    """For a body as the box of its inertia: viscosity as for a sphere of the mean width, drag for each pair
    of faces.
    """
    moments, density, viscosity = t.body_inertia[b], t.opt_density[0], t.opt_viscosity[0]
    x, y, z = sides(moments, t.body_mass[b]).flat()
    width = (x + y + z) * (1.0 / 3.0)
    slow = width * (math.pi * viscosity)
    about, along = slow * width * width, slow * 3.0
    turning = [x * (fourth(y) + fourth(z)), y * (fourth(x) + fourth(z)), z * (fourth(x) + fourth(y))]
    area = [y * z, x * z, x * y]
    ang = [
        -(about + density * (1.0 / 64.0) * k * abs(w)) * w for k, w in zip(turning, v.ang.flat(), strict=True)
    ]
    lin = [-(along + density * 0.5 * a * abs(u)) * u for a, u in zip(area, v.lin.flat(), strict=True)]
    return Force(Vec3(*ang), Vec3(*lin))


@operation
def sides(moments: Vec3, mass: Scalar) -> Vec3:
    """Edges of the box with these principal moments of inertia."""
    x, y, z = moments.x, moments.y, moments.z
    scale = 6.0 / mass
    return Vec3(*[sqrt(maximum(LEAST, m) * scale) for m in (y + z - x, x + z - y, x + y - z)])


def fourth(x: Scalar) -> Scalar:
    square = x * x
    return square * square


def ellipsoid(t: Any, g: Any, size: Vec3, v: Motion) -> Force:
    """For a geom as an ellipsoid with half axes `size`.

    Added mass: with the momenta p, L of the entrained medium, the force is p x w and the moment p x v + L x
    w. The Magnus force is proportional to w x v, the Kutta lift to the circulation about the axis normal to
    the velocity and the normal of the projected surface. Drag is Stokes' drag plus a term proportional to the
    projected area; likewise for moments, with the moments of the surface.
    """
    own, density, viscosity = t.geom_fluid[g], t.opt_density[0], t.opt_viscosity[0]
    a, b, c = size.flat()
    w, u = v.ang, v.lin
    p, L = along(own.mass, u) * density, along(own.inertia, w) * density
    largest, least = maximum(maximum(a, b), c), minimum(minimum(a, b), c)
    middle = a + b + c - largest - least
    width = (a + b + c) * (2.0 / 3.0)
    speed = norm(u)

    faces = Vec3((b * c) * (b * c), (c * a) * (c * a), (a * b) * (a * b))
    normal = along(faces, u)
    over, under = normal.dot(normal), normal.dot(u)
    area = math.pi * root(over / maximum(LEAST, under))
    least = where(newest(t), TINY, LEAST)  # before 4.0, bodies below some centimetres have too little lift
    cosine = under / maximum(least, speed * over)
    magnus = w.cross(u) * (own.magnus * density * (4.0 / 3.0 * math.pi) * (a * b * c))
    lift = normal.cross(u).cross(u) * (own.kutta * density * cosine * area)

    shares = own.blunt * area + own.slender * (math.pi * largest * middle - area)
    drag = u * (viscosity * (3.0 * math.pi) * width + density * speed * shares)
    whole = 8.0 / 15.0 * math.pi * middle * fourth(largest)
    each = [8.0 / 15.0 * math.pi * x * fourth(maximum(y, z)) for x, y, z in ((a, b, c), (b, c, a), (c, a, b))]
    weighted = along(Vec3(*[own.angular * x + own.slender * (whole - x) for x in each]), w)
    twist = w * (viscosity * math.pi * width * width * width + density * norm(weighted))
    moment, force = p.cross(u) + L.cross(w) - twist, p.cross(w) + magnus + lift - drag
    return Force(moment * own.acts, force * own.acts)


def along(k: Vec3, x: Vec3) -> Vec3:
    """The componentwise product."""
    return Vec3(k.x * x.x, k.y * x.y, k.z * x.z)


class Ellipsoid:
    """A shape whose half axes are its size."""

    name, code = "ellipsoid", 4

    @classmethod
    def axes(kind, size: Vec3) -> Vec3:
        return size


class Sphere(Ellipsoid):
    name, code = "sphere", 2

    @classmethod
    def axes(kind, size: Vec3) -> Vec3:
        return Vec3(size.x, size.x, size.x)


class Capsule(Ellipsoid):
    name, code = "capsule", 3

    @classmethod
    def axes(kind, size: Vec3) -> Vec3:
        return Vec3(size.x, size.x, size.x + size.y)


class Cylinder(Ellipsoid):
    name, code = "cylinder", 5

    @classmethod
    def axes(kind, size: Vec3) -> Vec3:
        return Vec3(size.x, size.x, size.y)


ROUND: list[type[Ellipsoid]] = [Sphere, Capsule, Cylinder]
"""Shapes whose half axes differ from their size; others are ellipsoids with their size as half axes."""


def parts(m: Machine, t: Any) -> Iterator[Part]:
    """The parts on which the medium acts."""
    for b in m.bodies():
        k = t.body_linkid[b]
        for _ in m.when(t.body_fluid[b] == 1):
            turn, centre = held(t, b, t.body_iquat[b], t.body_ipos[b])
            yield Part(k, turn, centre, partial(box, t, b))
        for _ in m.when(t.body_fluid[b] == 2):
            for g in m.rows_of("geom", t.body_geomadr[b], t.body_geomnum[b]):
                for _ in m.saving(t.geom_fluid[g].acts > 0.0):
                    own = m.locals(size=t.geom_size[g])
                    for kind in m.cases(ROUND, t.geom_type[g]):
                        own.size = kind.axes(t.geom_size[g])
                    turn, centre = held(t, b, t.geom_quat[g], t.geom_pos[g])
                    yield Part(k, turn, centre, partial(ellipsoid, t, g, own.size))


def held(t: Any, b: Any, quat: Any, pos: Vec3) -> tuple[Mat3, Vec3]:
    """A frame of a body, in the frame of the body's link."""
    turn = t.body_linkquat[b]
    return (turn @ quat).matrix(), t.body_linkpos[b] + turn.turn(pos)


def against_medium(m: Machine, t: Any, part: Part) -> Motion:
    """The velocity of a part relative to the medium, in the part's axes."""
    k, v = part.link, t.link_vel[part.link]
    own = m.locals(lin=v.lin + v.ang.cross(part.centre))
    for _ in m.when(t.opt_wind_acts[0] == 1):
        own.lin = own.lin - t.link_xmat[k].left(t.opt_wind[0])
    return Motion(part.turn.left(v.ang), part.turn.left(own.lin))


def motion(m: Machine, t: Any) -> None:
    """Prerequisites of fluid() and fluid_slopes()."""
    m.call(place)
    m.call(velocities)
    for _ in m.when(t.opt_wind_acts[0] == 1):
        m.call(link_frames)


def fluid(m: Machine, t: Any) -> None:
    """qfrc_fluid."""
    m.call(motion)
    m.call(unload)
    for part in parts(m, t):
        force = part.force(against_medium(m, t, part))
        t.link_load[part.link] += force.lifted(part.turn, part.centre)
    fold(m, t, t.link_load, t.qfrc_fluid)


def slope(m: Machine, part: Part, v: Motion) -> Slope:
    """The derivative of the force on a part with respect to its velocity, both in the part's axes."""

    def force(scalars: Any) -> list[Scalar]:
        return part.force(Motion(Vec3(*scalars[:3]), Vec3(*scalars[3:]))).flat()

    rows = slopes(m, force, v.flat())
    blocks = [Mat3(*[Vec3(*row[k : k + 3]) for row in rows[n : n + 3]]) for n in (0, 3) for k in (0, 3)]
    return Slope(*blocks)
