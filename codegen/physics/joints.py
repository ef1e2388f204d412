"""The primitive joints: a class per row of the vocabulary (schemas/physics.xml).

The dynamics algorithms use a tree of links, one per joint: link k is moved by joint k - 1 (see links.py). The
frame of the link of a hinge, slide or screw has its origin on the joint's axis and its z along it; that of a
ball or free joint has the body's axes. So the axes of the degrees of freedom are constants, most of them unit
vectors whose zeros are known.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import atan2, cos, sin, sqrt, where
from ..staging.value_classes import Scalar, operation
from .spatial import Articulated, Force, Inertia, Mat3, Motion, Quat, Vec3, z_onto

UNIT = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))


class Unit:
    """Unit motion k of the link's frame, ang.x .. lin.z, as the axis of a degree of freedom."""

    def __init__(self, k: int) -> None:
        self.k = k

    def moves(self, inertia: Inertia | Articulated) -> Force:
        """The force for a unit acceleration."""
        return inertia.column(self.k)

    def along(self, force: Force) -> Scalar:
        """The force's component along the axis."""
        return (force.ang if self.k < 3 else force.lin)[self.k % 3]

    def add(self, motion: Motion, rate: Scalar) -> Motion:
        """The motion and `rate` times the axis."""
        ang, lin = [motion.ang.x, motion.ang.y, motion.ang.z], [motion.lin.x, motion.lin.y, motion.lin.z]
        (ang if self.k < 3 else lin)[self.k % 3] += rate
        return Motion(Vec3(*ang), Vec3(*lin))

    def turned(self, R: Mat3) -> Motion:
        """The axis in the outer frame of R."""
        along, none = R.column(self.k % 3), Vec3.zero()
        return Motion(along, none) if self.k < 3 else Motion(none, along)


class Axis:
    """An arbitrary motion of the link's frame as the axis of a degree of freedom."""

    def __init__(self, motion: Motion) -> None:
        self.motion = motion

    def moves(self, inertia: Inertia | Articulated) -> Force:
        return inertia @ self.motion

    def along(self, force: Force) -> Scalar:
        return self.motion.dot(force)

    def add(self, motion: Motion, rate: Scalar) -> Motion:
        return motion + self.motion * rate

    def turned(self, R: Mat3) -> Motion:
        return Motion(R @ self.motion.ang, R @ self.motion.lin)


def position(t: Any, a: Any) -> Vec3:
    return Vec3(t.qpos[a], t.qpos[a + 1], t.qpos[a + 2])


def quaternion(t: Any, a: Any) -> Quat:
    return Quat(*[t.qpos[a + n] for n in range(4)])


def vector(column: Any, i: Any) -> Vec3:
    """Three rows of a column of numbers."""
    return Vec3(*[column[i + n] for n in range(3)])


def rate(t: Any, i: Any) -> Vec3:
    return vector(t.qvel, i)


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
    """The rotation vector of a unit quaternion, with an angle of at most pi."""
    v = Vec3(q.x, q.y, q.z)
    s2 = v.dot(v)
    small = s2 < 1e-20
    s = sqrt(where(small, 1.0, s2))
    back = q.w < 0.0
    length = where(small, 2.0, 2.0 * atan2(s, where(back, -q.w, q.w)) / s)
    return v * where(back, -length, length)


class Joint:
    """Common to all rows. The axes of their degrees of freedom are in dof_axis, unless a row defines them."""

    name: str
    code: int
    nq: int
    nv: int

    @classmethod
    def base(
        kind, t: Any, j: Any, pos: Vec3, quat: Quat, parent_pos: Vec3, parent_quat: Quat
    ) -> tuple[Vec3, Quat]:
        """The frame in which the joint acts, given the body's frame (earlier joints at rest) and its
        parent's.
        """
        return pos + quat.turn(t.jnt_pos[j]), quat

    @classmethod
    def offset(kind, t: Any, j: Any) -> tuple[Vec3, Quat]:
        """The body's frame relative to that of the link."""
        return -t.jnt_pos[j], Quat.identity()

    @classmethod
    def quaternion(kind, t: Any, k: Any) -> Quat:
        """The rotation of the link by the joint."""
        raise NotImplementedError

    @classmethod
    def turned(kind, t: Any, k: Any, quat: Quat) -> Quat:
        """The orientation of its link in the world, from that before the joint turns it."""
        return (quat @ kind.quaternion(t, k)).normalized()

    @classmethod
    def axis(kind, t: Any, k: Any) -> Vec3:
        """The joint's axis in world coordinates: its z before the rotation."""
        turn = t.link_xquat[t.link_parentid[k]] @ t.link_quat[k]
        return turn.matrix().column(2)

    @classmethod
    def place(kind, t: Any, k: Any) -> None:
        """Sets the link's pose in its parent's frame, link_rot and link_pos, and its axes in dof_axis."""
        raise NotImplementedError

    @classmethod
    def dofs(kind, m: Machine, t: Any, k: Any, backward: bool = False) -> Iterator[tuple[Any, Any]]:
        """The link's degrees of freedom, each with its axis in the link's frame."""
        for i in m.dofs(k, backward):
            yield i, Axis(t.dof_axis[i])

    @classmethod
    def principal(kind, m: Machine, t: Any, k: Any) -> Iterator[tuple[Any, Any]]:
        """The same for a link whose mass matrix is diagonal, with axes that have the same inertia."""
        return kind.dofs(m, t, k)

    @classmethod
    def release(kind, m: Machine, t: Any, k: Any, own: Any) -> None:
        """Propagates articulated inertia and bias force across the joint: own.inertia, own.force become those
        on its parent side.

        A joint with prescribed motion transmits the whole inertia, and the force for its acceleration.

        Stores data for the accelerations in dof_push and dof_gain.
        """
        for i, axis in kind.dofs(m, t, k, backward=True):
            inertia, force = own.inertia, own.force
            U = axis.moves(inertia)
            for _ in m.when(t.dof_prescribed[i] < 1):
                D = 1.0 / (axis.along(U) + t.dof_resist[i])
                G = U * D
                u = t.dof_load[i] - axis.along(force)
                own.inertia = inertia.less(U, G)
                own.force = force + G * u
                t.dof_gain[i] = G
                t.dof_push[i] = u * D
            for _ in m.when(t.dof_prescribed[i] > 0):
                own.force = force + U * t.dof_drive[i]
                t.dof_gain[i], t.dof_push[i] = Force.zero(), t.dof_drive[i]

    @classmethod
    def follow(kind, m: Machine, t: Any, k: Any, own: Any) -> None:
        """qacc of the joint, from own.acc and the results of release(); own.acc becomes the acceleration of
        its child side.
        """
        for i, axis in kind.dofs(m, t, k):
            acc = own.acc
            t.qacc[i] = t.dof_push[i] - acc.dot(t.dof_gain[i])
            own.acc = axis.add(acc, t.qacc[i])

    @classmethod
    def spin(kind, m: Machine, t: Any, k: Any, own: Any) -> None:
        """Adds the joint's velocity to own.w and the velocity-dependent accelerations to own.dw, own.a.

        own.w, own.dw, own.a are those of the frame as carried by the parent. Linear axes must be fixed in the
        parent, angular ones in the link.
        """
        rate = m.locals(sum=Motion.zero())
        for i, axis in kind.dofs(m, t, k):
            rate.sum = axis.add(rate.sum, t.qvel[i])
        w, ang, lin = own.w, rate.sum.ang, rate.sum.lin
        own.a = own.a + w.cross(lin) * 2.0
        own.dw = own.dw + w.cross(ang)
        own.w = w + ang

    @classmethod
    def displace(kind, t: Any, k: Any, h: Scalar) -> None:
        """qpos = start_qpos advanced by qvel for a time h."""
        a, i = t.link_qposadr[k], t.link_dofadr[k]
        for n in range(kind.nq):
            t.qpos[a + n] = t.start_qpos[a + n] + h * t.qvel[i + n]

    @classmethod
    def stretch(kind, m: Machine, t: Any, k: Any) -> list[Scalar]:
        """The deflection of each spring, per degree of freedom; 0 for a rotation without springs."""
        a = t.link_qposadr[k]
        return [t.qpos[a + n] - t.qpos_spring[a + n] for n in range(kind.nq)]


def displaced(start: Quat, w: Vec3, h: Scalar) -> Quat:
    """A quaternion after rotation with the body-fixed rate w for a time h."""
    return (start @ exponential(w * h)).normalized()


def between(t: Any, a: Any) -> Vec3:
    """The rotation vector from the spring's rest orientation to the quaternion at qpos[a], in the body's
    axes.
    """
    rest = Quat(*[t.qpos_spring[a + n] for n in range(4)])
    return logarithm((rest.conjugate() @ quaternion(t, a)).normalized())


class Free(Joint):
    """Six degrees of freedom: slides along the parent body's axes, then a ball. The body's offset is
    ignored."""

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
    def axis(kind, t: Any, k: Any) -> Vec3:
        return UNIT[2]

    @classmethod
    def quaternion(kind, t: Any, k: Any) -> Quat:
        return quaternion(t, t.link_qposadr[k] + 3).normalized()

    @classmethod
    def principal(kind, m: Machine, t: Any, k: Any) -> Iterator[tuple[Any, Any]]:
        for n in range(6):  # a mass is the same along all axes
            yield t.link_dofadr[k] + n, Unit((n + 3) % 6)

    @classmethod
    def place(kind, t: Any, k: Any) -> None:
        base, turn = t.link_base[k], kind.quaternion(t, k).matrix()
        t.link_rot[k] = base @ turn
        t.link_pos[k] = t.link_origin[k] + base @ position(t, t.link_qposadr[k])
        for n in range(3):
            t.dof_axis[t.link_dofadr[k] + n] = Motion(Vec3.zero(), turn.row[n])
            t.dof_axis[t.link_dofadr[k] + 3 + n] = Motion(UNIT[n], Vec3.zero())

    @classmethod
    def release(kind, m: Machine, t: Any, k: Any, own: Any) -> None:
        p = t.link_parentid[k]
        apart = p + p + t.dof_prescribed[t.link_dofadr[k]]
        aside = kind.aside(t, k)
        for _ in m.when(aside > 0):
            kind.release_aside(m, t, k, own)
        for _ in m.when(apart - aside > 0):
            super().release(m, t, k, own)
        for _ in m.when(apart + aside < 1):  # no descendants: all six at once, in the body's axes
            i = t.link_dofadr[k]
            u = [t.dof_load[i + n] for n in range(6)]
            x, y, z = [t.dof_axis[i + n].lin for n in range(3)]
            force = Force(Vec3(*u[3:]), x * u[0] + y * u[1] + z * u[2]) - own.force
            along, about = vector(t.dof_resist, i), vector(t.dof_resist, i + 3)
            acc = own.inertia.stiffer(about, along, y, z).solve(force)
            components = [x.dot(acc.lin), y.dot(acc.lin), z.dot(acc.lin), *acc.ang.flat()]
            for n in range(6):
                t.dof_gain[i + n], t.dof_push[i + n] = Force.zero(), components[n]

    @classmethod
    def displace(kind, t: Any, k: Any, h: Scalar) -> None:
        a, i = t.link_qposadr[k], t.link_dofadr[k]
        for n in range(3):
            t.qpos[a + n] = t.start_qpos[a + n] + h * t.qvel[i + n]
        start = Quat(*[t.start_qpos[a + 3 + n] for n in range(4)])
        for n, x in enumerate(displaced(start, rate(t, i + 3), h).flat()):
            t.qpos[a + 3 + n] = x

    @classmethod
    def stretch(kind, m: Machine, t: Any, k: Any) -> list[Scalar]:
        a, i = t.link_qposadr[k], t.link_dofadr[k]
        shift = position(t, a) - Vec3(*[t.qpos_spring[a + n] for n in range(3)])
        own = m.locals(shift=shift, turn=twist(m, t, a + 3, i + 3))
        for _ in m.when(t.dof_inparent[i] == 1):
            own.shift, own.turn = kind.apart_in_parent(t, k)
        return [*own.shift.flat(), *own.turn.flat()]

    @classmethod
    def apart_in_parent(kind, t: Any, k: Any) -> tuple[Vec3, Vec3]:
        """The deflection of the frame at jnt_offset and jnt_quat in the body from the rest of its springs:
        differences of positions and of rotation vectors, both along that frame's axes with the body at
        body_quat.
        """
        a, i = t.link_qposadr[k], t.link_dofadr[k]
        here = kind.quaternion(t, k)
        rest = Quat(*[t.qpos_spring[a + 3 + n] for n in range(4)]).normalized()
        offset, axes = t.jnt_offset[t.dof_jntid[i]], t.jnt_quat[t.dof_jntid[i]].normalized()
        back = (t.body_quat[t.dof_bodyid[i]] @ axes).conjugate()
        shift = position(t, a) - Vec3(*[t.qpos_spring[a + n] for n in range(3)])
        shift = shift + here.turn(offset) - rest.turn(offset)
        return back.turn(shift), logarithm(back @ here @ axes) - logarithm(back @ rest @ axes)

    @classmethod
    def parent_axes(kind, t: Any, i: Any) -> Mat3:
        """The axes fixed in the parent (jnt_inparent), as columns, in the parent's frame."""
        axes: Mat3 = t.jnt_quat[t.dof_jntid[i]].matrix()
        return axes

    @classmethod
    def aside(kind, t: Any, k: Any) -> Any:
        """Nonzero, at least twice the parent's number, if the joint yields along these axes; else 0."""
        i = t.link_dofadr[k]
        moves = (1 - t.dof_prescribed[i]) * (2 - t.dof_prescribed[i])  # 0 where its motion is given
        return t.dof_inparent[i] * (t.link_parentid[k] + 1) * moves

    @classmethod
    def axes_aside(kind, t: Any, k: Any) -> tuple[Mat3, Mat3, list[Motion]]:
        """These axes as columns in the parent's frame and as rows in the link's, and the motions of unit
        rates.
        """
        i, still = t.link_dofadr[k], Vec3.zero()
        axes = kind.parent_axes(t, i)
        back = t.jnt_quat[t.dof_jntid[i]].conjugate().matrix()
        turn = Mat3(*[t.dof_axis[i + n].lin for n in range(3)])
        own, arm = back @ turn, turn.left(t.jnt_offset[t.dof_jntid[i]])
        along, about = [Motion(still, x) for x in own.row], [Motion(x, arm.cross(x)) for x in own.row]
        return axes, own, [*along, *about]

    @classmethod
    def release_aside(kind, m: Machine, t: Any, k: Any, own: Any) -> None:
        """release() along the axes of springs and dampers, in which dof_resist is diagonal."""
        i, (axes, within, motions) = t.link_dofadr[k], kind.axes_aside(t, k)
        along, about = vector(t.dof_load, i), within @ vector(t.dof_load, i + 3)
        about = about + axes.left(along.cross(t.jnt_offset[t.dof_jntid[i]]))
        load = [*axes.left(along).flat(), *about.flat()]
        for n in reversed(range(6)):
            inertia, force, motion = own.inertia, own.force, motions[n]
            U = inertia @ motion
            D = 1.0 / (motion.dot(U) + t.dof_resist[i + n])
            G = U * D
            u = load[n] - motion.dot(force)
            own.inertia = inertia.less(U, G)
            own.force = force + G * u
            t.dof_gain[i + n], t.dof_push[i + n] = G, u * D

    @classmethod
    def follow(kind, m: Machine, t: Any, k: Any, own: Any) -> None:
        aside = kind.aside(t, k)
        for _ in m.when(aside > 0):
            i, (axes, within, motions) = t.link_dofadr[k], kind.axes_aside(t, k)
            acc, rates = own.acc, []
            for n, motion in enumerate(motions):
                rates.append(t.dof_push[i + n] - acc.dot(t.dof_gain[i + n]))
                acc = acc + motion * rates[n]
            own.acc = acc
            u, w = Vec3(*rates[:3]), Vec3(*rates[3:])
            along = axes @ u + t.jnt_offset[t.dof_jntid[i]].cross(axes @ w)
            for n, x in enumerate([*along.flat(), *within.left(w).flat()]):
                t.qacc[i + n] = x
        for _ in m.when(aside < 1):
            super().follow(m, t, k, own)

    @classmethod
    def in_parent(
        kind, t: Any, k: Any, stiffness: Sequence[Scalar], damping: Sequence[Scalar]
    ) -> list[Scalar]:
        """Joint forces of springs and dampers along these axes, from the deflections in dof_stretch and the
        velocities; one number per degree of freedom.
        """
        i = t.link_dofadr[k]
        axes, turn = kind.parent_axes(t, i), kind.quaternion(t, k).matrix()
        w = turn @ rate(t, i + 3)
        v = rate(t, i) - t.jnt_offset[t.dof_jntid[i]].cross(w)
        rates = [*axes.left(v).flat(), *axes.left(w).flat()]
        f = [stiffness[n] * t.dof_stretch[i + n] + damping[n] * rates[n] for n in range(6)]
        return kind.from_parent(t, k, f)

    @classmethod
    def from_parent(kind, t: Any, k: Any, f: Sequence[Scalar]) -> list[Scalar]:
        """The joint forces of three forces along these axes and three moments about them."""
        i = t.link_dofadr[k]
        axes, turn = kind.parent_axes(t, i), kind.quaternion(t, k).matrix()
        along, about = axes @ Vec3(*f[:3]), axes @ Vec3(*f[3:])
        about = turn.left(about + t.jnt_offset[t.dof_jntid[i]].cross(along))
        return [*along.flat(), *about.flat()]


def twist(m: Machine, t: Any, a: Any, i: Any) -> Vec3:
    """between(), if any of the degrees of freedom from i on has a spring."""
    own = m.locals(v=Vec3.zero())
    square = Vec3(*[t.dof_stiffness[i + n] for n in range(3)])
    for _ in m.saving(square.dot(square) > 0.0):
        own.v = between(t, a)
    return own.v


class Ball(Joint):
    """Three degrees of freedom: rotations about three axes, usually the body's."""

    name, code, nq, nv = "ball", 1, 4, 3

    @classmethod
    def base(
        kind, t: Any, j: Any, pos: Vec3, quat: Quat, parent_pos: Vec3, parent_quat: Quat
    ) -> tuple[Vec3, Quat]:
        return pos + quat.turn(t.jnt_pos[j]), quat @ t.jnt_quat[j].normalized()

    @classmethod
    def offset(kind, t: Any, j: Any) -> tuple[Vec3, Quat]:
        back = t.jnt_quat[j].normalized().conjugate()
        return -back.turn(t.jnt_pos[j]), back

    @classmethod
    def quaternion(kind, t: Any, k: Any) -> Quat:
        return quaternion(t, t.link_qposadr[k]).normalized()

    @classmethod
    def place(kind, t: Any, k: Any) -> None:
        t.link_rot[k] = t.link_base[k] @ kind.quaternion(t, k).matrix()
        t.link_pos[k] = t.link_origin[k]

    @classmethod
    def dofs(kind, m: Machine, t: Any, k: Any, backward: bool = False) -> Iterator[tuple[Any, Any]]:
        for n in reversed(range(3)) if backward else range(3):
            yield t.link_dofadr[k] + n, Unit(n)

    @classmethod
    def spin(kind, m: Machine, t: Any, k: Any, own: Any) -> None:
        w, turning = own.w, rate(t, t.link_dofadr[k])
        own.dw = own.dw + w.cross(turning)
        own.w = w + turning

    @classmethod
    def follow(kind, m: Machine, t: Any, k: Any, own: Any) -> None:
        """The same; the products with the parent's acceleration are independent of each other."""
        i, acc = t.link_dofadr[k], own.acc
        gain = [t.dof_gain[i + n] for n in range(3)]
        x, y, z = [t.dof_push[i + n] - acc.dot(gain[n]) for n in range(3)]
        y = y - gain[1].ang.x * x
        z = z - gain[2].ang.x * x - gain[2].ang.y * y
        t.qacc[i], t.qacc[i + 1], t.qacc[i + 2] = x, y, z
        own.acc = Motion(acc.ang + Vec3(x, y, z), acc.lin)

    @classmethod
    def displace(kind, t: Any, k: Any, h: Scalar) -> None:
        a = t.link_qposadr[k]
        start = Quat(*[t.start_qpos[a + n] for n in range(4)])
        for n, x in enumerate(displaced(start, rate(t, t.link_dofadr[k]), h).flat()):
            t.qpos[a + n] = x

    @classmethod
    def stretch(kind, m: Machine, t: Any, k: Any) -> list[Scalar]:
        a, i = t.link_qposadr[k], t.link_dofadr[k]
        own = m.locals(v=twist(m, t, a, i))
        for _ in m.when(t.jnt_vectorspring[t.dof_jntid[i]] == 1):
            rest = Quat(*[t.qpos_spring[a + n] for n in range(4)])
            own.v = logarithm(quaternion(t, a).normalized()) - logarithm(rest)
        return own.v.flat()


class Axial(Joint):
    """One degree of freedom, along or about the link's z axis."""

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
    def base(
        kind, t: Any, j: Any, pos: Vec3, quat: Quat, parent_pos: Vec3, parent_quat: Quat
    ) -> tuple[Vec3, Quat]:
        at, turn = super().base(t, j, pos, quat, parent_pos, parent_quat)
        return at - turn.matrix().column(2) * t.qpos_ref[t.jnt_qposadr[j]], turn

    @classmethod
    def dofs(kind, m: Machine, t: Any, k: Any, backward: bool = False) -> Iterator[tuple[Any, Any]]:
        yield t.link_dofadr[k], Unit(5)

    @classmethod
    def spin(kind, m: Machine, t: Any, k: Any, own: Any) -> None:
        w, a, v = own.w, own.a, t.qvel[t.link_dofadr[k]] * 2.0
        own.a = Vec3(a.x + w.y * v, a.y - w.x * v, a.z)

    @classmethod
    def quaternion(kind, t: Any, k: Any) -> Quat:
        return Quat.identity()

    @classmethod
    def turned(kind, t: Any, k: Any, quat: Quat) -> Quat:
        return quat

    @classmethod
    def place(kind, t: Any, k: Any) -> None:
        base = t.link_base[k]
        t.link_rot[k] = base
        t.link_pos[k] = t.link_origin[k] + base.column(2) * t.qpos[t.link_qposadr[k]]


class Turning(Axial):
    """About the axis."""

    @classmethod
    def base(
        kind, t: Any, j: Any, pos: Vec3, quat: Quat, parent_pos: Vec3, parent_quat: Quat
    ) -> tuple[Vec3, Quat]:
        at, turn = super().base(t, j, pos, quat, parent_pos, parent_quat)
        half = t.qpos_ref[t.jnt_qposadr[j]] * -0.5
        return at, turn @ Quat(cos(half), 0.0, 0.0, sin(half))

    @classmethod
    def quaternion(kind, t: Any, k: Any) -> Quat:
        half = t.qpos[t.link_qposadr[k]] * 0.5
        return Quat(cos(half), 0.0, 0.0, sin(half))


class Hinge(Turning):
    """About the axis."""

    name, code = "hinge", 3

    @classmethod
    def dofs(kind, m: Machine, t: Any, k: Any, backward: bool = False) -> Iterator[tuple[Any, Any]]:
        yield t.link_dofadr[k], Unit(2)

    @classmethod
    def spin(kind, m: Machine, t: Any, k: Any, own: Any) -> None:
        w, dw, v = own.w, own.dw, t.qvel[t.link_dofadr[k]]
        own.dw = Vec3(dw.x + w.y * v, dw.y - w.x * v, dw.z)
        own.w = Vec3(w.x, w.y, w.z + v)

    @classmethod
    def place(kind, t: Any, k: Any) -> None:
        a = t.link_qposadr[k]
        t.link_rot[k] = t.link_base[k].about_z(t.qcos[a], t.qsin[a])
        t.link_pos[k] = t.link_origin[k]


class Screw(Turning):
    """About the axis, and along it by the pitch per radian."""

    name, code = "screw", 4

    @classmethod
    def base(
        kind, t: Any, j: Any, pos: Vec3, quat: Quat, parent_pos: Vec3, parent_quat: Quat
    ) -> tuple[Vec3, Quat]:
        at, turn = super().base(t, j, pos, quat, parent_pos, parent_quat)
        back = t.jnt_pitch[j] * t.qpos_ref[t.jnt_qposadr[j]]
        return at - turn.matrix().column(2) * back, turn

    @classmethod
    def place(kind, t: Any, k: Any) -> None:
        a, base, pitch = t.link_qposadr[k], t.link_base[k], t.link_pitch[k]
        t.link_rot[k] = base.about_z(t.qcos[a], t.qsin[a])
        t.link_pos[k] = t.link_origin[k] + base.column(2) * (pitch * t.qpos[a])
        t.dof_axis[t.link_dofadr[k]] = Motion(UNIT[2], Vec3(0.0, 0.0, pitch))


JOINTS: list[type[Joint]] = [Free, Ball, Slide, Hinge, Screw]
