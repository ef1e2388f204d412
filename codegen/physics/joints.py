"""The primitive joints: a class per row of the vocabulary (schemas/physics.xml).

The tree that the dynamics see is one of links, one per joint: link k is what joint k - 1 moves (see
links.py). The frame of a hinge's, slide's or screw's link has its origin on the joint's axis and its z
along it; that of a ball's or free joint's link has the body's axes. So the axes of freedom are constants,
most of them unit vectors, and say which zeros they have.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import atan2, cos, sin, sqrt, where
from ..staging.values import Scalar, operation
from .values import Articulated, Force, Inertia, Motion, Quat, Vec3, rates, z_onto


class Unit:
    """Unit motion k of the link's frame: ang.x, ang.y, ang.z, lin.x, lin.y, lin.z."""

    def __init__(self, k: int) -> None:
        self.k = k

    def moves(self, inertia: Inertia | Articulated) -> Force:
        """The force it takes."""
        return inertia.column(self.k)

    def along(self, force: Force) -> Scalar:
        """The force's component along the axis."""
        return (force.ang if self.k < 3 else force.lin)[self.k % 3]

    def add(self, motion: Motion, rate: Scalar) -> Motion:
        """The motion and `rate` times the axis."""
        ang, lin = [motion.ang.x, motion.ang.y, motion.ang.z], [motion.lin.x, motion.lin.y, motion.lin.z]
        (ang if self.k < 3 else lin)[self.k % 3] += rate
        return Motion(Vec3(*ang), Vec3(*lin))


class Line:
    """Motion along a line of any direction."""

    def __init__(self, direction: Vec3) -> None:
        self.direction = direction

    def moves(self, inertia: Inertia | Articulated) -> Force:
        return inertia.pushed(self.direction)

    def along(self, force: Force) -> Scalar:
        return self.direction.dot(force.lin)

    def add(self, motion: Motion, rate: Scalar) -> Motion:
        return Motion(motion.ang, motion.lin + self.direction * rate)


class Thread:
    """A turn about z that advances by `pitch` per radian."""

    turn, push = Unit(2), Unit(5)

    def __init__(self, pitch: Scalar) -> None:
        self.pitch = pitch

    def moves(self, inertia: Inertia | Articulated) -> Force:
        return self.turn.moves(inertia) + self.push.moves(inertia) * self.pitch

    def along(self, force: Force) -> Scalar:
        return force.ang.z + self.pitch * force.lin.z

    def add(self, motion: Motion, rate: Scalar) -> Motion:
        return self.push.add(self.turn.add(motion, rate), self.pitch * rate)


def position(t: Any, a: Any) -> Vec3:
    return Vec3(t.qpos[a], t.qpos[a + 1], t.qpos[a + 2])


def quaternion(t: Any, a: Any) -> Quat:
    return Quat(*[t.qpos[a + n] for n in range(4)])


def rate(t: Any, i: Any) -> Vec3:
    return Vec3(*[t.qvel[i + n] for n in range(3)])


@operation
def exponential(v: Vec3) -> Quat:
    """The quaternion of a rotation vector."""
    r2 = v.dot(v)
    small = r2 < 1e-8
    r = sqrt(where(small, 1.0, r2))
    s = where(small, 0.5 - r2 * (1.0 / 48.0), sin(r * 0.5) / r)
    return Quat(where(small, 1.0 - r2 * 0.125, cos(r * 0.5)), v.x * s, v.y * s, v.z * s)


@operation
def logarithm(q: Quat) -> Vec3:
    """The rotation vector of a unit quaternion, by the shorter way."""
    v = Vec3(q.x, q.y, q.z)
    s2 = v.dot(v)
    small = s2 < 1e-20
    s = sqrt(where(small, 1.0, s2))
    back = q.w < 0.0
    angle = 2.0 * where(back, atan2(-s, -q.w), atan2(s, q.w))
    return v * where(small, where(back, -2.0, 2.0), angle / s)


class Joint:
    """What the rows share."""

    name: str
    code: int
    nq: int
    nv: int

    @classmethod
    def base(
        kind, t: Any, j: Any, pos: Vec3, quat: Quat, parent_pos: Vec3, parent_quat: Quat
    ) -> tuple[Vec3, Quat]:
        """The frame that the joint starts from, given the body's (joints so far at rest) and its parent's."""
        return pos + quat.turn(t.jnt_pos[j]), quat

    @classmethod
    def offset(kind, t: Any, j: Any) -> tuple[Vec3, Quat]:
        """The body's frame in that of the link."""
        return -t.jnt_pos[j], Quat.identity()

    @classmethod
    def axes(kind, m: Machine, t: Any, k: Any) -> list[Any]:
        """An axis per degree of freedom, in the frame of link k."""
        raise NotImplementedError

    @classmethod
    def quaternion(kind, t: Any, k: Any) -> Quat:
        """What the joint turns its link by."""
        raise NotImplementedError

    @classmethod
    def place(kind, t: Any, k: Any) -> None:
        """Leave the link's pose in its parent's frame in link_rot, link_pos."""
        raise NotImplementedError

    @classmethod
    def velocity(kind, t: Any, k: Any, motion: Motion) -> Motion:
        """The link's velocity, given that of its frame as the parent carries it."""
        for n, axis in enumerate(kind.axes(None, t, k)):  # type: ignore[arg-type]
            motion = axis.add(motion, t.qvel[t.link_dofadr[k] + n])
        return motion

    @classmethod
    def carry(kind, m: Machine, t: Any, k: Any, moved: bool) -> None:
        """place(), then the link's angular velocity and acceleration and its frame's linear acceleration.

        The accelerations are those at qacc = 0, or at qacc where `moved`.
        """
        raise NotImplementedError

    @classmethod
    def eliminate(kind, m: Machine, t: Any, k: Any, own: Any) -> None:
        """Let the link's freedoms give way: own.inertia, own.force become what the parent feels."""
        for n, axis in reversed(list(enumerate(kind.axes(m, t, k)))):
            i = t.link_dofadr[k] + n
            inertia, force = own.inertia, own.force
            U = axis.moves(inertia)
            D = 1.0 / (axis.along(U) + t.dof_resist[i])
            G = U * D
            u = t.qfrc_applied[i] + t.qfrc_passive[i] - axis.along(force)
            own.inertia = inertia.less(U, G)
            own.force = force + G * u
            t.dof_gain[i] = G
            t.dof_push[i] = u * D

    @classmethod
    def accelerate(kind, m: Machine, t: Any, k: Any, own: Any) -> None:
        """The link's qacc; own.acc goes from the parent's acceleration to the link's."""
        for n, axis in enumerate(kind.axes(m, t, k)):
            i = t.link_dofadr[k] + n
            acc = own.acc
            a = t.dof_push[i] - acc.dot(t.dof_gain[i])
            t.qacc[i] = a
            own.acc = axis.add(acc, a)

    @classmethod
    def project(kind, m: Machine, t: Any, k: Any, force: Force) -> list[Scalar]:
        """The joint forces of a force on the link."""
        return [axis.along(force) for axis in kind.axes(m, t, k)]

    @classmethod
    def displace(kind, t: Any, k: Any, h: Scalar) -> None:
        """qpos = start_qpos moved by qvel for a time h."""
        a, i = t.link_qposadr[k], t.link_dofadr[k]
        t.qpos[a] = t.start_qpos[a] + h * t.qvel[i]

    @classmethod
    def stretch(kind, t: Any, k: Any) -> list[Scalar]:
        """How far each spring is from rest, along each degree of freedom."""
        a = t.link_qposadr[k]
        return [t.qpos[a] - t.qpos_spring[a]]


def carried(t: Any, k: Any) -> tuple[Vec3, Vec3, Vec3]:
    """Angular velocity, angular and linear acceleration as the parent carries the link's frame."""
    p = t.link_parentid[k]
    R, r = t.link_rot[k], t.link_pos[k]
    return R.left(t.link_w[p]), R.left(t.link_dw[p]), R.left(t.link_a[p] + t.link_rates[p] @ r)


def move(t: Any, k: Any, w: Vec3, dw: Vec3, a: Vec3) -> None:
    t.link_w[k], t.link_dw[k], t.link_a[k], t.link_rates[k] = w, dw, a, rates(w, dw)


def displaced(start: Quat, w: Vec3, h: Scalar) -> Quat:
    """A quaternion after the body-fixed rate w for a time h."""
    return (start @ exponential(w * h)).normalized()


def between(t: Any, a: Any) -> Vec3:
    """The rotation vector from the spring's rest to the quaternion at qpos[a], in the body's axes."""
    rest = Quat(*[t.qpos_spring[a + n] for n in range(4)])
    return logarithm((rest.conjugate() @ quaternion(t, a)).normalized())


class Free(Joint):
    """Six freedoms: slides along the parent body's axes, then a ball. The body's offset does not count."""

    name, code, nq, nv = "free", 0, 7, 6

    @classmethod
    def base(
        kind, t: Any, j: Any, pos: Vec3, quat: Quat, parent_pos: Vec3, parent_quat: Quat
    ) -> tuple[Vec3, Quat]:
        return parent_pos, parent_quat

    @classmethod
    def offset(kind, t: Any, j: Any) -> tuple[Vec3, Quat]:
        return Vec3.zero(), Quat.identity()

    @classmethod
    def axes(kind, m: Machine, t: Any, k: Any) -> list[Any]:
        turn = kind.quaternion(t, k).matrix()
        return [*[Line(r) for r in turn.row], Unit(0), Unit(1), Unit(2)]

    @classmethod
    def quaternion(kind, t: Any, k: Any) -> Quat:
        return quaternion(t, t.link_qposadr[k] + 3).normalized()

    @classmethod
    def place(kind, t: Any, k: Any) -> None:
        base = t.link_base[k]
        t.link_rot[k] = base @ kind.quaternion(t, k).matrix()
        t.link_pos[k] = t.link_origin[k] + base @ position(t, t.link_qposadr[k])

    @classmethod
    def carry(kind, m: Machine, t: Any, k: Any, moved: bool) -> None:
        i, p = t.link_dofadr[k], t.link_parentid[k]
        kind.place(t, k)
        base, R = t.link_base[k], t.link_rot[k]
        w, dw, a = carried(t, k)
        lin, ang = base @ rate(t, i), rate(t, i + 3)
        a = a + R.left(t.link_w[p].cross(lin) * 2.0)
        dw = dw + w.cross(ang)
        if moved:
            a = a + R.left(base @ Vec3(*[t.qacc[i + n] for n in range(3)]))
            dw = dw + Vec3(*[t.qacc[i + 3 + n] for n in range(3)])
        move(t, k, w + ang, dw, a)

    @classmethod
    def displace(kind, t: Any, k: Any, h: Scalar) -> None:
        a, i = t.link_qposadr[k], t.link_dofadr[k]
        for n in range(3):
            t.qpos[a + n] = t.start_qpos[a + n] + h * t.qvel[i + n]
        start = Quat(*[t.start_qpos[a + 3 + n] for n in range(4)])
        for n, x in enumerate(displaced(start, rate(t, i + 3), h).flat()):
            t.qpos[a + 3 + n] = x

    @classmethod
    def stretch(kind, t: Any, k: Any) -> list[Scalar]:
        a = t.link_qposadr[k]
        v = between(t, a + 3)
        return [*[t.qpos[a + n] - t.qpos_spring[a + n] for n in range(3)], v.x, v.y, v.z]


class Ball(Joint):
    """Three freedoms of rotation about the body's axes."""

    name, code, nq, nv = "ball", 1, 4, 3

    @classmethod
    def axes(kind, m: Machine, t: Any, k: Any) -> list[Any]:
        return [Unit(0), Unit(1), Unit(2)]

    @classmethod
    def quaternion(kind, t: Any, k: Any) -> Quat:
        return quaternion(t, t.link_qposadr[k]).normalized()

    @classmethod
    def place(kind, t: Any, k: Any) -> None:
        t.link_rot[k] = t.link_base[k] @ kind.quaternion(t, k).matrix()
        t.link_pos[k] = t.link_origin[k]

    @classmethod
    def carry(kind, m: Machine, t: Any, k: Any, moved: bool) -> None:
        i = t.link_dofadr[k]
        kind.place(t, k)
        w, dw, a = carried(t, k)
        ang = rate(t, i)
        dw = dw + w.cross(ang)
        if moved:
            dw = dw + Vec3(*[t.qacc[i + n] for n in range(3)])
        move(t, k, w + ang, dw, a)

    @classmethod
    def displace(kind, t: Any, k: Any, h: Scalar) -> None:
        a = t.link_qposadr[k]
        start = Quat(*[t.start_qpos[a + n] for n in range(4)])
        for n, x in enumerate(displaced(start, rate(t, t.link_dofadr[k]), h).flat()):
            t.qpos[a + n] = x

    @classmethod
    def stretch(kind, t: Any, k: Any) -> list[Scalar]:
        v = between(t, t.link_qposadr[k])
        return [v.x, v.y, v.z]


class Axial(Joint):
    """One freedom, along or about the link's z."""

    nq = nv = 1

    @classmethod
    def base(
        kind, t: Any, j: Any, pos: Vec3, quat: Quat, parent_pos: Vec3, parent_quat: Quat
    ) -> tuple[Vec3, Quat]:
        return pos + quat.turn(t.jnt_pos[j]), quat @ z_onto(t.jnt_axis[j].normalized())

    @classmethod
    def offset(kind, t: Any, j: Any) -> tuple[Vec3, Quat]:
        back = z_onto(t.jnt_axis[j].normalized()).conjugate()
        return -back.turn(t.jnt_pos[j]), back


class Slide(Axial):
    """Along the axis."""

    name, code = "slide", 2

    @classmethod
    def axes(kind, m: Machine, t: Any, k: Any) -> list[Any]:
        return [Unit(5)]

    @classmethod
    def quaternion(kind, t: Any, k: Any) -> Quat:
        return Quat.identity()

    @classmethod
    def place(kind, t: Any, k: Any) -> None:
        base = t.link_base[k]
        t.link_rot[k] = base
        t.link_pos[k] = t.link_origin[k] + base.column(2) * t.qpos[t.link_qposadr[k]]

    @classmethod
    def carry(kind, m: Machine, t: Any, k: Any, moved: bool) -> None:
        i = t.link_dofadr[k]
        kind.place(t, k)
        w, dw, a = carried(t, k)
        v = t.qvel[i] * 2.0
        lift = a.z + t.qacc[i] if moved else a.z
        move(t, k, w, dw, Vec3(a.x + w.y * v, a.y - w.x * v, lift))


class Turning(Axial):
    """About the axis."""

    @classmethod
    def quaternion(kind, t: Any, k: Any) -> Quat:
        half = t.qpos[t.link_qposadr[k]] * 0.5
        return Quat(cos(half), 0.0, 0.0, sin(half))

    @classmethod
    def spin(kind, t: Any, k: Any, moved: bool) -> tuple[Vec3, Vec3, Vec3]:
        """carried() and the turn about z."""
        i = t.link_dofadr[k]
        w, dw, a = carried(t, k)
        v = t.qvel[i]
        spin = dw.z + t.qacc[i] if moved else dw.z
        return Vec3(w.x, w.y, w.z + v), Vec3(dw.x + w.y * v, dw.y - w.x * v, spin), a


class Hinge(Turning):
    """About the axis."""

    name, code = "hinge", 3

    @classmethod
    def axes(kind, m: Machine, t: Any, k: Any) -> list[Any]:
        return [Unit(2)]

    @classmethod
    def place(kind, t: Any, k: Any) -> None:
        a = t.link_qposadr[k]
        t.link_rot[k] = t.link_base[k].about_z(t.qcos[a], t.qsin[a])
        t.link_pos[k] = t.link_origin[k]

    @classmethod
    def carry(kind, m: Machine, t: Any, k: Any, moved: bool) -> None:
        kind.place(t, k)
        w, dw, a = kind.spin(t, k, moved)
        move(t, k, w, dw, a)


class Screw(Turning):
    """About the axis, and along it by the pitch per radian."""

    name, code = "screw", 4

    @classmethod
    def axes(kind, m: Machine, t: Any, k: Any) -> list[Any]:
        return [Thread(t.link_pitch[k])]

    @classmethod
    def place(kind, t: Any, k: Any) -> None:
        a, base = t.link_qposadr[k], t.link_base[k]
        advance = t.link_pitch[k] * t.qpos[a]
        t.link_rot[k] = base.about_z(t.qcos[a], t.qsin[a])
        t.link_pos[k] = t.link_origin[k] + base.column(2) * advance

    @classmethod
    def carry(kind, m: Machine, t: Any, k: Any, moved: bool) -> None:
        i = t.link_dofadr[k]
        kind.place(t, k)
        w, dw, a = kind.spin(t, k, moved)
        v = t.link_pitch[k] * t.qvel[i] * 2.0
        lift = a.z + t.link_pitch[k] * t.qacc[i] if moved else a.z
        move(t, k, w, dw, Vec3(a.x + w.y * v, a.y - w.x * v, lift))


JOINTS: list[type[Joint]] = [Free, Ball, Slide, Hinge, Screw]
