"""Sensors of frames, in the world, in another frame or in the volume of a site."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import both, clip, maximum, where
from ..staging.value_classes import Scalar
from .frames import OfInertia, OfSite, Seen
from .sensor import FRAME, Sensor
from .spatial import Motion, Vec3

LIGHT = 1e-15
"""Masses below this are treated as zero, kg."""


def acceleration_at(t: Any, k: Any, x: Vec3) -> Vec3:
    """The acceleration of the point x of a link, minus gravity, in the link's axes."""
    by = t.link_acc[k]
    return t.link_a[k] + by.lin + t.link_rates[k] @ x + by.ang.cross(x)


def frames(m: Machine, t: Any, z: Any) -> tuple[Seen, Seen]:
    """The frame that a sensor measures, and its optional reference frame."""
    return (
        Seen(m, t, t.sensor_objtype[z], t.sensor_objid[z]),
        Seen(m, t, t.sensor_reftype[z], t.sensor_refid[z]),
    )


def motion(t: Any, b: Any, x: Vec3) -> Motion:
    """The motion of a body and its point at world position x, in world axes."""
    k = t.body_linkid[b]
    w, v = t.link_xmat[k] @ t.link_vel[k].ang, t.link_xmat[k] @ t.link_vel[k].lin
    return Motion(w, v + w.cross(x - t.link_xpos[k]))


class OfFrame(Sensor):
    object = reference = FRAME


class FramePosition(OfFrame):
    name, code = "framepos", 25

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        frame, other = frames(m, t, z)
        own = m.locals(place=frame.place)
        for _ in m.when(t.sensor_refid[z] >= 0):
            own.place = other.turn.left(own.place - other.place)
        return own.place.flat()


class FrameQuaternion(OfFrame):
    name, code, dim = "framequat", 26, 4
    data = "quaternion"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        frame, other = frames(m, t, z)
        own = m.locals(quat=frame.quaternion)
        for _ in m.when(t.sensor_refid[z] >= 0):
            own.quat = other.quaternion.conjugate() @ own.quat
        return own.quat.flat()


class FrameXAxis(OfFrame):
    name, code = "framexaxis", 27
    data = "axis"
    column = 0

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        frame, other = frames(m, t, z)
        own = m.locals(axis=frame.turn.column(kind.column))
        for _ in m.when(t.sensor_refid[z] >= 0):
            own.axis = other.turn.left(own.axis)
        return own.axis.flat()


class FrameYAxis(FrameXAxis):
    name, code, column = "frameyaxis", 28, 1


class FrameZAxis(FrameXAxis):
    name, code, column = "framezaxis", 29, 2


class FrameVelocity(OfFrame):
    """The derivative of the result of FramePosition."""

    name, code = "framelinvel", 30
    stage = "vel"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        frame, other = frames(m, t, z)
        x = frame.place
        own = m.locals(rate=motion(t, frame.body, x).lin)
        for _ in m.when(t.sensor_refid[z] >= 0):
            at = other.place
            against = motion(t, other.body, at)
            own.rate = other.turn.left(own.rate - against.lin + (x - at).cross(against.ang))
        return own.rate.flat()


class FrameAngularVelocity(OfFrame):
    name, code = "frameangvel", 31
    stage = "vel"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        frame, other = frames(m, t, z)
        own = m.locals(rate=kind.of_body(t, frame.body))
        for _ in m.when(t.sensor_refid[z] >= 0):
            own.rate = other.turn.left(own.rate - kind.of_body(t, other.body))
        return own.rate.flat()

    @classmethod
    def of_body(kind, t: Any, b: Any) -> Vec3:
        k = t.body_linkid[b]
        return t.link_xmat[k] @ t.link_w[k]


class FrameAcceleration(Sensor):
    name, code, object = "framelinacc", 32, FRAME
    stage = "acc"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        frame, _ = frames(m, t, z)
        k = t.body_linkid[frame.body]
        axes = t.link_xmat[k]
        return (axes @ acceleration_at(t, k, axes.left(frame.place - t.link_xpos[k]))).flat()


class FrameAngularAcceleration(Sensor):
    name, code, object = "frameangacc", 33, FRAME
    stage = "acc"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        frame, _ = frames(m, t, z)
        k = t.body_linkid[frame.body]
        return (t.link_xmat[k] @ (t.link_dw[k] + t.link_acc[k].ang)).flat()


class InsideSite(Sensor):
    """1 if the origin of a frame is inside a site, else 0. For a body without mass it is the centre of mass
    of its subtree that counts, if this has any.
    """

    name, code, dim, object, reference = "insidesite", 44, 1, FRAME, "site"
    data = "positive"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        frame, site = Seen(m, t, t.sensor_objtype[z], t.sensor_objid[z]), t.sensor_refid[z]
        own = m.locals(place=frame.place, inside=0.0)
        for _ in m.cases([OfInertia], t.sensor_objtype[z]):
            b = t.sensor_objid[z]
            empty = both(t.body_mass[b] < LIGHT, t.body_subtreemass[b] >= LIGHT)
            for _ in m.when(both(empty, b > 0)):
                own.place = t.subtree_com[b]
        x = OfSite.turn(m, t, site).left(own.place - OfSite.place(m, t, site))
        for shape in m.cases(VOLUMES, t.site_type[site]):
            own.inside = where(shape.depth(x, t.site_size[site]) < 0.0, 1.0, 0.0)
        return [own.inside]


class Sphere:
    """A shape of sites, with a function that is negative inside it."""

    name, code = "sphere", 2

    @classmethod
    def depth(kind, x: Vec3, size: Vec3) -> Scalar:
        return x.dot(x) - size.x * size.x


class Capsule(Sphere):
    name, code = "capsule", 3

    @classmethod
    def depth(kind, x: Vec3, size: Vec3) -> Scalar:
        z = x.z - clip(x.z, -size.y, size.y)
        return x.x * x.x + x.y * x.y + z * z - size.x * size.x


class Ellipsoid(Sphere):
    name, code = "ellipsoid", 4

    @classmethod
    def depth(kind, x: Vec3, size: Vec3) -> Scalar:
        a, b, c = x.x / size.x, x.y / size.y, x.z / size.z
        return a * a + b * b + c * c - 1.0


class Cylinder(Sphere):
    name, code = "cylinder", 5

    @classmethod
    def depth(kind, x: Vec3, size: Vec3) -> Scalar:
        return maximum(abs(x.z) - size.y, x.x * x.x + x.y * x.y - size.x * size.x)


class Box(Sphere):
    name, code = "box", 6

    @classmethod
    def depth(kind, x: Vec3, size: Vec3) -> Scalar:
        return maximum(abs(x.x) - size.x, maximum(abs(x.y) - size.y, abs(x.z) - size.z))


VOLUMES: list[type[Sphere]] = [Sphere, Capsule, Ellipsoid, Cylinder, Box]
"""Shapes that sites have, by the codes of ShapeType."""
