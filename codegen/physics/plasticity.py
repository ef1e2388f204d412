"""Springs that yield: as soon as one is displaced by more than its threshold, its rest follows.

As in MuJoCo 4.0, this happens at the end of a step. The length of a tendon there is that at its beginning
plus the time times the rate at the velocities with which positions were integrated.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import both, maximum, minimum, sqrt, where
from .joints import JOINTS, Axial, Ball, exponential, logarithm, quaternion
from .spatial import Quat


def rest(t: Any, p: Any) -> Quat:
    """The rest of a ball joint's spring."""
    return Quat(*[t.plastic[p + n] for n in range(4)]).normalized()


def displaced_from_rest(m: Machine, t: Any) -> None:
    """dof_stretch of joints whose springs yield."""
    for k in m.links():
        p, a, i = t.jnt_plasticadr[k - 1], t.link_qposadr[k], t.link_dofadr[k]
        for _ in m.when(p >= 0):
            for kind in m.cases(JOINTS, t.link_type[k]):
                if kind is Ball:
                    turn = logarithm((rest(t, p).conjugate() @ quaternion(t, a)).normalized())
                    for n, x in enumerate(turn.flat()):
                        t.dof_stretch[i + n] = x
                elif issubclass(kind, Axial):
                    t.dof_stretch[i] = t.qpos[a] - t.plastic[p]


def past(x: Any, most: Any) -> Any:
    """By how much a number is outside -most..most."""
    return maximum(x - most, 0.0) + minimum(x + most, 0.0)


def yield_springs(m: Machine, t: Any, h: Any) -> None:
    """plastic at the end of a step, from qpos there and the velocities with which it was integrated for a
    time h.
    """
    for _ in m.when(t.opt_springs_act[0] == 1):
        m.call(yield_joints)
        for _ in m.when(t.opt_tendons[0] == 1):
            m.call(yield_tendons, h)


def yield_joints(m: Machine, t: Any) -> None:
    """The rest of joints' springs."""
    for k in m.links():
        p, a, most = t.jnt_plasticadr[k - 1], t.link_qposadr[k], t.jnt_springyield[k - 1]
        for _ in m.when(p >= 0):
            for kind in m.cases(JOINTS, t.link_type[k]):
                if kind is Ball:
                    before = rest(t, p)
                    turn = logarithm((before.conjugate() @ quaternion(t, a)).normalized())
                    angle = sqrt(turn.dot(turn))
                    beyond = angle > most
                    share = where(beyond, 1.0 - most / where(beyond, angle, 1.0), 0.0)
                    after = before @ exponential(turn * share)
                    for n, x in enumerate((after.w, after.x, after.y, after.z)):
                        t.plastic[p + n] = where(beyond, x, t.plastic[p + n])
                elif issubclass(kind, Axial):
                    t.plastic[p] = t.plastic[p] + past(t.qpos[a] - t.plastic[p], most)


def yield_tendons(m: Machine, t: Any, h: Any) -> None:
    """The rest of tendons' springs: both lengths, but only the upper one if the lower one is 0 and the tendon
    is pulled.
    """
    for f in m.rows_of("tendon"):
        p, most = t.tendon_plasticadr[f], t.tendon_springyield[f]
        for _ in m.when(p >= 0):
            own = m.locals(length=t.ten_length[f])
            for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
                own.length = own.length + h * t.ten_entry[y] * t.qvel[t.ten_J_colind[y]]
            low, high = t.plastic[p], t.plastic[p + 1]
            below = where(own.length < low, own.length - low, 0.0)
            shift = past(where(own.length > high, own.length - high, below), most)
            slack = both(both(low == 0.0, high > 0.0), shift > 0.0)
            t.plastic[p] = low + where(slack, 0.0, shift)
            t.plastic[p + 1] = high + shift


def keep_tendons(m: Machine, t: Any) -> None:
    """Stores lengths of tendons and their derivatives at the beginning of a step with several stages."""
    for f in m.rows_of("tendon"):
        t.ten_start_length[f] = t.ten_length[f]
    for y in m.rows_of("ten_J"):
        t.ten_start_entry[y] = t.ten_entry[y]


def exchange_tendons(m: Machine, t: Any) -> None:
    """Exchanges them and the present ones."""
    for f in m.rows_of("tendon"):
        own = m.locals(length=t.ten_length[f])
        t.ten_length[f] = t.ten_start_length[f]
        t.ten_start_length[f] = own.length
    for y in m.rows_of("ten_J"):
        own = m.locals(entry=t.ten_entry[y])
        t.ten_entry[y] = t.ten_start_entry[y]
        t.ten_start_entry[y] = own.entry
