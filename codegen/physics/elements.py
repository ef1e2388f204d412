"""Springs and dampers between two bodies: a class per keyword of ElementType in schemas/model/types.xsd."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any, NamedTuple

from ..staging.machines import Machine
from ..staging.scalars import atan2, sqrt, where
from ..staging.value_classes import Scalar
from .kinematics import forward_kinematics, velocities
from .loads import at_point, unload
from .rnea import fold
from .spatial import Mat3, Quat, Vec3


class End(NamedTuple):
    """A frame of an element in world coordinates, and its velocity."""

    body: Any
    point: Vec3
    quat: Quat
    lin: Vec3
    ang: Vec3


class Wrench(NamedTuple):
    """The wrench of the first body on the second, in world axes: a moment, and a force at a point."""

    moment: Vec3
    force: Vec3
    point: Vec3


def end(t: Any, body: Any, pos: Vec3, quat: Quat) -> End:
    """A frame of a body."""
    k = t.body_linkid[body]
    turn = t.link_xquat[k].matrix()
    point = t.xpos[body] + t.xmat[body] @ pos
    ang = turn @ t.link_vel[k].ang
    lin = turn @ t.link_vel[k].lin + ang.cross(point - t.link_xpos[k])
    return End(body, point, t.xquat[body] @ quat, lin, ang)


def ends(t: Any, e: Any) -> tuple[End, End]:
    """Both frames of an element."""
    return (
        end(t, t.element_body1id[e], t.element_pos1[e], t.element_quat1[e]),
        end(t, t.element_body2id[e], t.element_pos2[e], t.element_quat2[e]),
    )


def along(k: Vec3, x: Vec3) -> Vec3:
    """The componentwise product."""
    return Vec3(k.x * x.x, k.y * x.y, k.z * x.z)


class Bushing:
    """A bushing with roll, pitch and yaw, as Drake's LinearBushingRollPitchYaw.

    R = Rz(yaw) Ry(pitch) Rx(roll) rotates the second frame C into the first one, A. Torques about the axes of
    these angles are -k angle - d rate; with the matrix N in rates = N w, the moment in A is N^T torque. The
    force on C is -k x - d dx/dt in a frame B halfway between, which is A rotated by half the angle of R; x is
    the vector between the origins, and the force acts at its midpoint. The rate of x in B is computed with
    half of C's angular velocity.
    """

    name, code = "bushing", 0

    @classmethod
    def wrench(kind, t: Any, e: Any) -> Wrench:
        a, c = ends(t, e)
        frame = a.quat.matrix()
        turn = a.quat.conjugate() @ c.quat
        R = turn.matrix()
        spin = frame.left(c.ang - a.ang)
        flat = sqrt(R.x.x * R.x.x + R.y.x * R.y.x)
        angles = Vec3(atan2(R.z.y, R.z.z), atan2(-R.z.x, flat), atan2(R.y.x, R.x.x))
        cy, sy, tp = R.x.x / flat, R.y.x / flat, -R.z.x / flat
        N = Mat3(Vec3(cy / flat, sy / flat, 0.0), Vec3(-sy, cy, 0.0), Vec3(cy * tp, sy * tp, 1.0))
        k, d = t.element_torque_stiffness[e], t.element_torque_damping[e]
        torque = -(along(k, angles) + along(d, N @ spin))
        moment = frame @ N.left(torque)
        sign = where(turn.w < 0.0, -1.0, 1.0)
        half = Quat(turn.w * sign + 1.0, turn.x * sign, turn.y * sign, turn.z * sign).normalized()
        middle = frame @ half.matrix()
        apart = c.point - a.point
        rate = c.lin - a.lin - a.ang.cross(apart) - ((c.ang - a.ang) * 0.5).cross(apart)
        k, d = t.element_stiffness[e], t.element_damping[e]
        force = middle @ -(along(k, middle.left(apart)) + along(d, middle.left(rate)))
        return Wrench(moment, force, (a.point + c.point) * 0.5)

    @classmethod
    def energy(kind, t: Any, e: Any) -> Scalar:
        """0: its forces have no potential."""
        return 0.0


class Spring:
    """A spring and damper along the line between two points; no force if they coincide."""

    name, code = "spring", 1

    @classmethod
    def wrench(kind, t: Any, e: Any) -> Wrench:
        p, q = ends(t, e)
        apart = q.point - p.point
        length = sqrt(apart.dot(apart))
        inverse = where(length > 0.0, 1.0 / where(length > 0.0, length, 1.0), 0.0)
        direction = apart * inverse
        pull = t.element_stiffness[e].x * (length - t.element_length[e])
        pull = pull + t.element_damping[e].x * (q.lin - p.lin).dot(direction)
        return Wrench(Vec3.zero(), direction * -pull, q.point)

    @classmethod
    def energy(kind, t: Any, e: Any) -> Scalar:
        """k (length - rest)^2 / 2"""
        p, q = ends(t, e)
        apart = q.point - p.point
        stretch = sqrt(apart.dot(apart)) - t.element_length[e]
        return 0.5 * t.element_stiffness[e].x * stretch * stretch


ELEMENTS: list[Any] = [Bushing, Spring]


def elements(m: Machine, t: Any) -> None:
    """qfrc_element: joint forces of springs and dampers between bodies."""
    m.call(forward_kinematics)
    m.call(velocities)
    m.call(unload)
    for e in m.rows_of("element"):
        for kind in m.cases(ELEMENTS, t.element_type[e]):
            on = kind.wrench(t, e)
            one, other = t.element_body1id[e], t.element_body2id[e]
            t.link_load[t.body_linkid[other]] += at_point(t, other, on.force, on.moment, on.point)
            t.link_load[t.body_linkid[one]] += at_point(t, one, -on.force, -on.moment, on.point)
    fold(m, t, t.link_load, t.qfrc_element)
