"""Sensors: a class per sensor of the vocabulary (schemas/physics.xml), except user sensors and users'
plugins.

Sensors at sites, in site axes, are computed in the axes of links, without world poses.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import clip, where
from ..staging.value_classes import Scalar
from .energy import energy
from .frame_sensors import (
    FrameAcceleration,
    FrameAngularAcceleration,
    FrameAngularVelocity,
    FramePosition,
    FrameQuaternion,
    FrameVelocity,
    FrameXAxis,
    FrameYAxis,
    FrameZAxis,
    InsideSite,
    acceleration_at,
)
from .frames import OfSite, place, turn
from .joints import quaternion, rate
from .kinematics import forward_kinematics, link_frames, velocities
from .motions import about, interactions, momenta, subtree_velocity
from .poses import cameras, centres, geoms, sites
from .sensor import BALL, SHAPES, Sensor
from .spatial import Vec3
from .transmissions import AtTendon

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


class TendonActuatorForce(Sensor):
    name, code, dim, object = "tendonactuatorfrc", 43, 1, "tendon"
    stage = "acc"

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        total = m.locals(force=0.0)
        for u in m.rows_of("actuator"):
            for _ in m.cases([AtTendon], t.actuator_trntype[u]):
                for _ in m.when(t.actuator_target[u] == t.sensor_objid[z]):
                    total.force = total.force + t.actuator_force[t.actuator_outadr[u]]
        return [total.force]


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
    """Of each output: an orientation servo has three."""

    name, code, dim, object = "actuatorpos", 13, 1, "actuator"

    @classmethod
    def of(kind, t: Any, o: Any) -> Scalar:
        """The value of an output before applying a cutoff."""
        return t.actuator_length[o]

    @classmethod
    def measure(kind, m: Machine, t: Any, z: Any) -> None:
        u, cutoff = t.sensor_objid[z], t.sensor_cutoff[z]
        first = t.actuator_outadr[u]
        for o in m.rows_of("out", first, t.actuator_outnum[u]):
            x = kind.of(t, o)
            bounded = where(cutoff > 0.0, clip(x, -cutoff, cutoff), x)
            t.sensordata[t.sensor_adr[z] + (o - first)] = bounded


class ActuatorVelocity(ActuatorPosition):
    name, code, stage = "actuatorvel", 14, "vel"

    @classmethod
    def of(kind, t: Any, o: Any) -> Scalar:
        return t.actuator_velocity[o]


class ActuatorForce(ActuatorPosition):
    name, code, stage = "actuatorfrc", 15, "acc"

    @classmethod
    def of(kind, t: Any, o: Any) -> Scalar:
        return t.actuator_force[o]


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
    """What a ray along a site's z axis meets, or one for each pixel of a camera: by default its distance, -1
    if there is nothing.
    """

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
    JointActuatorForce, TendonActuatorForce, BallQuaternion, BallVelocity, JointLimitPosition,
    JointLimitVelocity,
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
        for _ in m.when(t.opt_measures_cameras[0] == 1):
            m.opaque("measure_images")
        for _ in m.when(t.opt_measures_cameras[0] == 0):
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
