"""Sensors: a class per sensor of the vocabulary (schemas/physics.xml), except user sensors and users'
plugins.

Sensors at sites, in site axes, are computed in the axes of links, without world poses.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import both, clip, maximum, where
from ..staging.value_classes import Scalar
from .energy import energy
from .frames import OfInertia, OfSite, Seen, place, turn
from .joints import quaternion, rate
from .kinematics import forward_kinematics, link_frames, velocities
from .motions import about, interactions, momenta, subtree_velocity
from .poses import cameras, centres, geoms, sites
from .spatial import Motion, Vec3

NEAR = 1e-15
"""Minimum depth of a point in front of a camera, m."""
STAGES: dict[str, tuple[Callable[..., None], ...]] = {
    "frames": (link_frames,),
    "poses": (forward_kinematics,),
    "centres": (centres,),
    "cameras": (cameras,),
    "velocities": (velocities,),
    "momenta": (momenta,),
    "forces": (interactions,),
    "geoms": (geoms, sites),
    "energy": (energy,),
}
"""What a step computes only for sensors, in this order, each if its flag is set: that with its name after
FLAG. On which a sensor depends follows from what it reads, see context/plan.py.
"""
FLAG = "opt_measures_"
INSTANT = "link_acc"
"""The accelerations of bodies. What depends on them is measured with those of the instant at which a step
begins, not with those that include forces at its end: the stage "accelerations".
"""
FRAME, BALL, SHAPES = "frame", "ball", "shapes"
"""Kinds of objects: frames given by a type and a row; ball joints; a geom or all geoms of a body, by type."""


class Sensor:
    """Common to all rows.

    Attributes:
        name: the keyword.
        code: its number.
        dim: the number of its values; 0 if a plugin determines it, which also determines data and stage.
        object: the axis of sensor_objid, or FRAME, BALL or SHAPES; "" if none.
        reference: the same for sensor_refid, which is -1 if a FRAME is missing.
        data: the type of its values: "real", "positive", "axis" or "quaternion".
        stage: what they depend on, in MuJoCo's terms: "pos", "vel" or "acc".
        bounds: the types of values that a cutoff limits.
    """

    name: str
    code: int
    dim = 3
    object = ""
    reference = ""
    data = "real"
    stage = "pos"
    bounds: tuple[str, ...] = ("real", "positive")

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        """The values before applying a cutoff."""
        raise NotImplementedError

    @classmethod
    def measure(kind, m: Machine, t: Any, z: Any) -> None:
        """Stores the values in sensordata."""
        first, cutoff = t.sensor_adr[z], t.sensor_cutoff[z]
        for n, x in enumerate(kind.read(m, t, z)):
            bounded = where(cutoff > 0.0, clip(x, -cutoff, cutoff), x) if kind.data in kind.bounds else x
            t.sensordata[first + n] = bounded


# --- one number each --------------------------------------------------------------------------------------


class Touch(Sensor):
    """The normal force of contacts on a site's body; 0 without constraints."""

    name, code, dim, object = "touch", 0, 1, "site"
    data, stage = "positive", "acc"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        own = m.locals(number=0.0)
        for _ in m.when(t.opt_constrained[0] == 1):
            own.number = t.sensor_constraint[z]
        return [own.number]


class Contacts(Sensor):
    """Contacts that match the sensor's objects; 0 without constraints."""

    name, code, dim = "contact", 47, 0  # sensor_gridnum
    data, stage = "real", ""

    @classmethod
    def measure(kind, m: Machine, t: Any, z: Any) -> None:
        for n in m.rows_of("sensordata", t.sensor_adr[z], t.sensor_gridnum[z]):
            own = m.locals(number=0.0)
            for _ in m.when(t.opt_constrained[0] == 1):
                own.number = t.sensor_grids[n]
            t.sensordata[n] = kind.bounded(t, z, own.number)

    @classmethod
    def bounded(kind, t: Any, z: Any, x: Scalar) -> Scalar:
        """A value after a cutoff."""
        return x


class TouchGrid(Contacts):
    """Contacts on a site's body by direction, the only plugin that kernels support; 0 without constraints."""

    name, code = "plugin", 41
    data, stage = "", ""

    @classmethod
    def bounded(kind, t: Any, z: Any, x: Scalar) -> Scalar:
        cutoff = t.sensor_cutoff[z]
        return where(cutoff > 0.0, clip(x, -cutoff, cutoff), x)


class JointPosition(Sensor):
    name, code, dim, object = "jointpos", 9, 1, "jnt"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return [t.qpos[t.link_qposadr[t.sensor_objid[z] + 1]]]


class JointVelocity(Sensor):
    name, code, dim, object = "jointvel", 10, 1, "jnt"
    stage = "vel"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return [t.qvel[t.link_dofadr[t.sensor_objid[z] + 1]]]


class JointActuatorForce(Sensor):
    name, code, dim, object = "jointactuatorfrc", 16, 1, "jnt"
    stage = "acc"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return [t.qfrc_actuator[t.link_dofadr[t.sensor_objid[z] + 1]]]


class TendonPosition(Sensor):
    name, code, dim, object = "tendonpos", 11, 1, "tendon"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return [t.ten_length[t.sensor_objid[z]]]


class TendonVelocity(Sensor):
    name, code, dim, object = "tendonvel", 12, 1, "tendon"
    stage = "vel"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return [t.ten_velocity[t.sensor_objid[z]]]


class ActuatorPosition(Sensor):
    name, code, dim, object = "actuatorpos", 13, 1, "actuator"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return [t.actuator_length[t.sensor_objid[z]]]


class ActuatorVelocity(Sensor):
    name, code, dim, object = "actuatorvel", 14, 1, "actuator"
    stage = "vel"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return [t.actuator_velocity[t.sensor_objid[z]]]


class ActuatorForce(Sensor):
    name, code, dim, object = "actuatorfrc", 15, 1, "actuator"
    stage = "acc"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return [t.actuator_force[t.sensor_objid[z]]]


class JointLimitPosition(Touch):
    """Of a joint's limit; 0 if it is inactive."""

    name, code, object = "jointlimitpos", 19, "jnt"
    data, stage = "real", "pos"


class JointLimitVelocity(JointLimitPosition):
    name, code = "jointlimitvel", 20
    stage = "vel"


class JointLimitForce(JointLimitPosition):
    name, code = "jointlimitfrc", 21
    stage = "acc"


class TendonLimitPosition(Touch):
    """Of a tendon's limit; 0 if it is inactive."""

    name, code, object = "tendonlimitpos", 22, "tendon"
    data, stage = "real", "pos"


class TendonLimitVelocity(TendonLimitPosition):
    name, code = "tendonlimitvel", 23
    stage = "vel"


class TendonLimitForce(TendonLimitPosition):
    name, code = "tendonlimitfrc", 24
    stage = "acc"


class Clock(Sensor):
    name, code, dim = "clock", 40, 1

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return [t.time[0]]


class PotentialEnergy(Sensor):
    name, code, dim = "e_potential", 45, 1

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return [t.energy[0].first]


class KineticEnergy(Sensor):
    name, code, dim = "e_kinetic", 46, 1

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return [t.energy[0].second]


# --- of geoms in space, by hand-written functions -----------------------------------------------------------


class OfGeoms(Sensor):
    """Cutoffs are applied where it is measured: they limit only distances."""

    bounds = ()

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        first = t.sensor_adr[z]
        return [t.sensor_geoms[first + n] for n in range(kind.dim)]


class Rangefinder(OfGeoms):
    """What a ray along a site's z axis meets: by default its distance, -1 if there is nothing."""

    name, code, dim, object = "rangefinder", 7, 0, "site"  # sensor_dim
    data = "positive"

    @classmethod
    def measure(kind, m: Machine, t: Any, z: Any) -> None:
        for n in m.rows_of("sensordata", t.sensor_adr[z], t.sensor_dim[z]):
            t.sensordata[n] = t.sensor_geoms[n]


class GeomDistance(OfGeoms):
    name, code, dim = "distance", 37, 1
    data = "positive"
    object = reference = SHAPES


class GeomNormal(OfGeoms):
    name, code = "normal", 38
    data = "axis"
    object = reference = SHAPES


class GeomPoints(OfGeoms):
    object = reference = SHAPES
    name, code, dim = "fromto", 39, 6


# --- balls ------------------------------------------------------------------------------------------------


class BallQuaternion(Sensor):
    name, code, dim, object = "ballquat", 17, 4, BALL
    data = "quaternion"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return quaternion(t, t.link_qposadr[t.sensor_objid[z] + 1]).normalized().flat()


class BallVelocity(Sensor):
    name, code, object = "ballangvel", 18, BALL
    stage = "vel"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return rate(t, t.link_dofadr[t.sensor_objid[z] + 1]).flat()


# --- at sites, in the axes of the site --------------------------------------------------------------------


def acceleration_at(t: Any, k: Any, x: Vec3) -> Vec3:
    """The acceleration of the point x of a link, minus gravity, in the link's axes."""
    by = t.link_acc[k]
    return t.link_a[k] + by.lin + t.link_rates[k] @ x + by.ang.cross(x)


class AtSite(Sensor):
    """A sensor whose axes are those of a site."""

    object = "site"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        s = t.sensor_objid[z]
        b = t.site_bodyid[s]
        return turn(m, t, b, t.site_quat[s]).left(kind.at(t, b, place(m, t, b, t.site_pos[s]))).flat()

    @classmethod
    def at(kind, t: Any, b: Any, x: Vec3) -> Vec3:
        """The quantity at a body's point x, both in the axes of its link."""
        raise NotImplementedError


class Accelerometer(AtSite):
    name, code = "accelerometer", 1
    stage = "acc"

    @classmethod
    def at(kind, t: Any, b: Any, x: Vec3) -> Vec3:
        return acceleration_at(t, t.body_linkid[b], x)


class Velocimeter(AtSite):
    name, code = "velocimeter", 2
    stage = "vel"

    @classmethod
    def at(kind, t: Any, b: Any, x: Vec3) -> Vec3:
        velocity = t.link_vel[t.body_linkid[b]]
        return velocity.lin + velocity.ang.cross(x)


class Gyro(AtSite):
    name, code = "gyro", 3
    stage = "vel"

    @classmethod
    def at(kind, t: Any, b: Any, x: Vec3) -> Vec3:
        return t.link_w[t.body_linkid[b]]


class InteractionForce(AtSite):
    """The force between a body and its parent."""

    name, code = "force", 4
    stage = "acc"

    @classmethod
    def at(kind, t: Any, b: Any, x: Vec3) -> Vec3:
        return t.body_force[b].lin


class InteractionTorque(AtSite):
    """The moment of the same force about the site."""

    name, code = "torque", 5
    stage = "acc"

    @classmethod
    def at(kind, t: Any, b: Any, x: Vec3) -> Vec3:
        return t.body_force[b].ang - x.cross(t.body_force[b].lin)


class Magnetometer(Sensor):
    name, code, object = "magnetometer", 6, "site"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return OfSite.turn(m, t, t.sensor_objid[z]).left(t.opt_magnetic[0]).flat()


class CameraProjection(Sensor):
    """The pixel coordinates of a site in a camera's image, from its upper left corner; also for sites behind
    the camera.
    """

    name, code, dim, object, reference = "camprojection", 8, 2, "site", "cam"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        c = t.sensor_refid[z]
        x = t.cam_xmat[c].left(OfSite.place(m, t, t.sensor_objid[z]) - t.cam_xpos[c])
        depth = where(abs(x.z) < NEAR, where(x.z < 0.0, -NEAR, NEAR), x.z)
        focal, centre = t.cam_focal[c], t.cam_centre[c]
        return [centre.first - focal.first * x.x / depth, centre.second + focal.second * x.y / depth]


# --- of frames, in the world or in another frame ----------------------------------------------------------


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
            empty = both(t.body_mass[b] < NEAR, t.body_subtreemass[b] >= NEAR)
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


# --- of subtrees ------------------------------------------------------------------------------------------


class SubtreeCentre(Sensor):
    name, code, object = "subtreecom", 34, "body"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        return t.subtree_com[t.sensor_objid[z]].flat()


class SubtreeVelocity(Sensor):
    name, code, object = "subtreelinvel", 35, "body"
    stage = "vel"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        b = t.sensor_objid[z]
        return subtree_velocity(t, b, t.link_xmat[t.body_linkid[b]] @ t.body_momentum[b].lin).flat()


class SubtreeMomentum(Sensor):
    name, code, object = "subtreeangmom", 36, "body"
    stage = "vel"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        b = t.sensor_objid[z]
        return about(t, b, t.body_momentum[b], t.subtree_com[b]).ang.flat()


SENSORS: list[type[Sensor]] = [
    Touch, TouchGrid, Accelerometer, Velocimeter, Gyro, InteractionForce, InteractionTorque, Magnetometer,
    CameraProjection, JointPosition, JointVelocity, TendonPosition, TendonVelocity,
    ActuatorPosition, ActuatorVelocity, ActuatorForce,
    JointActuatorForce, BallQuaternion, BallVelocity, JointLimitPosition, JointLimitVelocity,
    JointLimitForce, TendonLimitPosition, TendonLimitVelocity, TendonLimitForce, Rangefinder,
    GeomDistance, GeomNormal, GeomPoints, FramePosition,
    FrameQuaternion, FrameXAxis, FrameYAxis, FrameZAxis, FrameVelocity, FrameAngularVelocity,
    FrameAcceleration, FrameAngularAcceleration, SubtreeCentre, SubtreeVelocity, SubtreeMomentum, Clock,
    InsideSite, PotentialEnergy, KineticEnergy, Contacts,
]  # fmt: skip


def sensors(m: Machine, t: Any) -> None:
    """sensordata, from the results of forward(); values of sensors without a class are not changed."""
    for _ in m.when(t.opt_constrained[0] == 1):
        m.opaque("measure_constraints")
    for _ in m.when(t.opt_measures_geoms[0] == 1):
        m.opaque("measure_geoms")
    for z in m.rows_of("sensor"):
        for kind in m.cases(SENSORS, t.sensor_type[z]):
            kind.measure(m, t, z)


def flag(stage: str) -> str:
    """The flag of a stage."""
    return FLAG + stage


def stage_of(flag: str) -> str:
    return flag.removeprefix(FLAG)


def measure(m: Machine, t: Any) -> None:
    """sensordata in a step: first the stages that the Model's sensors depend on."""
    for stage, algorithms in STAGES.items():
        for f in algorithms:
            for _ in m.when(getattr(t, flag(stage))[0] == 1):
                m.call(f)
    m.call(sensors)
