"""Transmissions of actuators: a class per keyword of TransmissionType in schemas/model/types.xsd.

A transmission has a length and a moment. The moment is the derivative of the length with respect to the
degrees of freedom; it also is the joint force of a unit force along the transmission.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import maximum, sqrt, where
from ..staging.value_classes import Scalar
from .jacobian import jacobian
from .joints import JOINTS, Axial, Ball, Free, logarithm, quaternion
from .poses import sites
from .spatial import Mat3, Vec3

Moment = Iterator[tuple[Any, Scalar]]


class Transmission:
    """An unknown transmission, which has no effect.

    Attributes:
        name: the keyword.
        code: its code.
        flags: flags that are set if an actuator has one.
    """

    name: str
    code: int
    flags: tuple[str, ...] = ()

    @classmethod
    def length(kind, m: Machine, t: Any, u: Any) -> None:
        """Stores actuator_length if it is not 0."""

    @classmethod
    def moment(kind, m: Machine, t: Any, u: Any) -> Moment:
        """Degrees of freedom with their moments; moments of repeated ones are added."""
        return iter(())


class AtJoint(Transmission):
    """A joint; its gear is in the axes of the child."""

    name, code = "joint", 0

    @classmethod
    def length(kind, m: Machine, t: Any, u: Any) -> None:
        k, gear = t.actuator_target[u] + 1, t.actuator_gear[u]
        a = t.link_qposadr[k]
        for joint in m.cases(JOINTS, t.link_type[k]):
            if joint is Ball:
                turn = quaternion(t, a).normalized()
                about = kind.of_child(turn.matrix(), gear.lin)
                t.actuator_length[t.actuator_outadr[u]] = logarithm(turn).dot(about)
            elif issubclass(joint, Axial):
                t.actuator_length[t.actuator_outadr[u]] = gear.lin.x * t.qpos[a]

    @classmethod
    def moment(kind, m: Machine, t: Any, u: Any) -> Moment:
        k, gear = t.actuator_target[u] + 1, t.actuator_gear[u]
        i = t.link_dofadr[k]
        for joint in m.cases(JOINTS, t.link_type[k]):
            if issubclass(joint, Axial):
                yield i, gear.lin.x
            else:
                turn = joint.quaternion(t, k).matrix()
                about = kind.of_child(turn, gear.ang if joint is Free else gear.lin)
                parts = [*gear.lin.flat(), *about.flat()] if joint is Free else about.flat()
                for n, part in enumerate(parts):
                    yield i + n, part

    @classmethod
    def of_child(kind, turn: Mat3, axis: Vec3) -> Vec3:
        """An axis of rotation in the child's axes; `turn` is the joint's rotation."""
        return axis


class AtJointInParent(AtJoint):
    """A joint; its gear is in the axes of the parent."""

    name, code = "jointinparent", 1

    @classmethod
    def of_child(kind, turn: Mat3, axis: Vec3) -> Vec3:
        return turn.left(axis)


def columns(m: Machine, t: Any, body: Any, point: Vec3, above: Any) -> Iterator[tuple[Any, Vec3, Vec3]]:
    """The Jacobian of a body's point: for each degree of freedom beyond `above` its linear and angular
    velocity at unit rate, in world axes.
    """
    for _ in m.when(t.body_lastdof[body] >= 0):
        for i in m.ancestors(t.body_lastdof[body], itself=True, nearest_first=True):
            for _ in m.when(i > above):
                axis = t.dof_xaxis[i]
                yield i, axis.lin + axis.ang.cross(point - t.dof_xanchor[i]), axis.ang


class AtSite(Transmission):
    """A site: a force and a moment in the axes of the site, or of a reference site.

    Degrees of freedom that move both sites have no effect.
    """

    name, code = "site", 4
    flags = ("opt_transmission_poses",)

    @classmethod
    def length(kind, m: Machine, t: Any, u: Any) -> None:
        s, r, gear = t.actuator_target[u], t.actuator_second[u], t.actuator_gear[u]
        for _ in m.when(r >= 0):
            apart = t.site_xmat[r].left(t.site_xpos[s] - t.site_xpos[r])
            own, other = [t.xquat[t.site_bodyid[n]] @ t.site_quat[n] for n in (s, r)]
            turn = logarithm((other.conjugate() @ own).normalized())
            t.actuator_length[t.actuator_outadr[u]] = apart.dot(gear.lin) + turn.dot(gear.ang)

    @classmethod
    def moment(kind, m: Machine, t: Any, u: Any) -> Moment:
        s, r, gear, common = (
            t.actuator_target[u],
            t.actuator_second[u],
            t.actuator_gear[u],
            t.actuator_common[u],
        )
        for _ in m.when(r < 0):
            turn = t.site_xmat[s]
            force, about = turn @ gear.lin, turn @ gear.ang
            for i, lin, ang in columns(m, t, t.site_bodyid[s], t.site_xpos[s], common):
                yield i, lin.dot(force) + ang.dot(about)
        for _ in m.when(r >= 0):
            turn = t.site_xmat[r]
            force, about = turn @ gear.lin, turn @ gear.ang
            for i, lin, ang in columns(m, t, t.site_bodyid[s], t.site_xpos[s], common):
                yield i, lin.dot(force) + ang.dot(about)
            for i, lin, ang in columns(m, t, t.site_bodyid[r], t.site_xpos[r], common):
                yield i, -(lin.dot(force) + ang.dot(about))


class AtSliderCrank(Transmission):
    """A slider-crank: the site of the crank, and a site along whose z axis the slider moves.

    The length is the slider's position along that axis; a rod that is too short is ignored.
    """

    name, code = "slidercrank", 2
    flags = ("opt_transmission_poses",)

    @classmethod
    def parts(kind, t: Any, u: Any) -> tuple[Vec3, Vec3, Scalar, Scalar]:
        """The vector from slider to crank, the slider's axis, their product, and the squared contribution of
        the rod.
        """
        crank, slider, rod = t.actuator_target[u], t.actuator_second[u], t.actuator_cranklength[u]
        offset, axis = t.site_xpos[crank] - t.site_xpos[slider], t.site_xmat[slider].column(2)
        along = offset.dot(axis)
        return offset, axis, along, along * along + rod * rod - offset.dot(offset)

    @classmethod
    def length(kind, m: Machine, t: Any, u: Any) -> None:
        _, _, along, square = kind.parts(t, u)
        root = where(square <= 0.0, 0.0, sqrt(maximum(square, 0.0)))
        t.actuator_length[t.actuator_outadr[u]] = (along - root) * t.actuator_gear[u].lin.x

    @classmethod
    def moment(kind, m: Machine, t: Any, u: Any) -> Moment:
        offset, axis, along, square = kind.parts(t, u)
        broken = square <= 0.0
        root = 1.0 / sqrt(where(broken, 1.0, square))
        share, rest = where(broken, 1.0, 1.0 - along * root), where(broken, 0.0, root)
        gear = t.actuator_gear[u].lin.x
        by_offset, by_axis = (axis * share + offset * rest) * gear, offset * (share * gear)
        crank, slider = t.actuator_target[u], t.actuator_second[u]
        about = axis.cross(by_axis)
        for i, lin, _ in columns(m, t, t.site_bodyid[crank], t.site_xpos[crank], -1):
            yield i, lin.dot(by_offset)
        for i, lin, ang in columns(m, t, t.site_bodyid[slider], t.site_xpos[slider], -1):
            yield i, ang.dot(about) - lin.dot(by_offset)


class AtTendon(Transmission):
    """A tendon."""

    name, code = "tendon", 3

    @classmethod
    def length(kind, m: Machine, t: Any, u: Any) -> None:
        length = t.ten_length[t.actuator_target[u]]
        t.actuator_length[t.actuator_outadr[u]] = t.actuator_gear[u].lin.x * length

    @classmethod
    def moment(kind, m: Machine, t: Any, u: Any) -> Moment:
        f, gear = t.actuator_target[u], t.actuator_gear[u].lin.x
        for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
            yield t.ten_J_colind[y], gear * t.ten_entry[y]


class AtBody(Transmission):
    """The contacts of a body: the mean of their normal Jacobians. It has no length."""

    name, code = "body", 5

    @classmethod
    def moment(kind, m: Machine, t: Any, u: Any) -> Moment:
        first = t.actuator_adhesion[u]
        for _ in m.when(first >= 0):
            for i in m.dofs():
                yield i, t.adhesion_moment[first + i]


class Towards(Transmission):
    """The orientation of a ball joint or a site; it has three lengths, see orientations.py."""

    name, code = "so3", 6
    flags = ("opt_transmission_poses", "opt_orientations")


TRANSMISSIONS: list[type[Transmission]] = [
    AtJoint, AtJointInParent, AtSliderCrank, AtTendon, AtSite, AtBody, Towards,
]  # fmt: skip


AXES = range(3)


def turning(m: Machine, t: Any) -> Iterator[Any]:
    """The actuators that turn to an orientation."""
    for u in m.rows_of("actuator"):
        for _ in m.cases([Towards], t.actuator_trntype[u]):
            yield u


def arms(m: Machine, t: Any, u: Any, n: int) -> Moment:
    """Degrees of freedom with their moments about an axis of the child; those of repeated ones are added."""
    s, r, common = t.actuator_target[u], t.actuator_second[u], t.actuator_common[u]
    for _ in m.when(r < 0):
        yield t.link_dofadr[s + 1] + n, 1.0
    for _ in m.when(r >= 0):
        about = t.site_xmat[s].column(n)
        for i, _, ang in columns(m, t, t.site_bodyid[s], t.site_xpos[s], common):
            yield i, ang.dot(about)
        for i, _, ang in columns(m, t, t.site_bodyid[r], t.site_xpos[r], common):
            yield i, -ang.dot(about)


def turns(m: Machine, t: Any) -> None:
    """actuator_length and actuator_velocity of these actuators."""
    for u in turning(m, t):
        o, s, r = t.actuator_outadr[u], t.actuator_target[u], t.actuator_second[u]
        own = m.locals(turn=Vec3.zero())
        for _ in m.when(r < 0):
            own.turn = logarithm(quaternion(t, t.link_qposadr[s + 1]).normalized())
        for _ in m.when(r >= 0):
            child, other = [t.xquat[t.site_bodyid[x]] @ t.site_quat[x] for x in (s, r)]
            own.turn = logarithm((other.conjugate() @ child).normalized())
        for n, x in enumerate(own.turn.flat()):
            rate = m.locals(velocity=0.0)
            for i, part in arms(m, t, u, n):
                rate.velocity = rate.velocity + part * t.qvel[i]
            t.actuator_length[o + n], t.actuator_velocity[o + n] = x, rate.velocity


def site_frames(m: Machine, t: Any) -> None:
    """Prerequisites of transmissions at sites."""
    m.call(jacobian)
    m.call(sites)


def transmission(m: Machine, t: Any) -> None:
    """actuator_length, actuator_velocity. Moments of adhesion follow from the rows of constraints."""
    for _ in m.when(t.opt_adheres[0] == 1):
        m.opaque("find_adhesion")
    for _ in m.when(t.opt_transmission_poses[0] == 1):
        m.call(site_frames)
    for u in m.rows_of("actuator"):
        own = m.locals(velocity=0.0)
        t.actuator_length[t.actuator_outadr[u]] = 0.0
        for kind in m.cases(TRANSMISSIONS, t.actuator_trntype[u]):
            kind.length(m, t, u)
            for i, part in kind.moment(m, t, u):
                own.velocity = own.velocity + part * t.qvel[i]
        t.actuator_velocity[t.actuator_outadr[u]] = own.velocity
    for _ in m.when(t.opt_orientations[0] == 1):
        m.call(turns)
