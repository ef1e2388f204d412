"""Tendons: lengths, velocities, Jacobians, springs and dampers.

A fixed tendon is as long as a sum of coordinates. A spatial one leads over sites, in branches that pulleys
divide; a tension of 1 pulls at each site with the sum of the unit vectors towards its neighbours, and what
that comes to in joint forces is the Jacobian of the length.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import sqrt, where
from ..staging.value_classes import Scalar, operation
from .jacobian import jacobian
from .spatial import Vec3

SHORTEST = 1e-15
"""Length below which a part of a path has the direction x, m."""


class Part:
    """A part of a path without a length of its own: a pulley."""

    name, code = "pulley", 2

    @classmethod
    def place(kind, m: Machine, t: Any, p: Any) -> None:
        """Leave where it is, or add its length."""


class OfJoint(Part):
    """A joint, whose coordinate counts by a coefficient."""

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


PARTS: list[type[Part]] = [Part, OfJoint, Site]


@operation
def direction(way: Vec3, length: Scalar) -> Vec3:
    """The unit vector of a way of some length; x where it has none."""
    none = length < SHORTEST
    inverse = where(none, 0.0, 1.0 / where(none, 1.0, length))
    return Vec3(where(none, 1.0, way.x * inverse), way.y * inverse, way.z * inverse)


def apart(t: Any, p: Any, q: Any) -> Any:
    """Whether parts of a path move against each other."""
    return t.body_linkid[t.wrap_body[p]] != t.body_linkid[t.wrap_body[q]]


def straight(m: Machine, t: Any, p: Any, q: Any) -> None:
    """From one site to the next."""
    way = t.wrap_point[q] - t.wrap_point[p]
    length = sqrt(way.dot(way))
    t.ten_length[t.wrap_tendon[p]] += length * t.wrap_scale[p]
    for _ in m.when(apart(t, p, q)):
        pull = direction(way, length) * t.wrap_scale[p]
        t.wrap_pull[p] -= pull
        t.wrap_pull[q] += pull


def paths(m: Machine, t: Any) -> None:
    """ten_length of spatial tendons, and where and how they pull."""
    m.call(jacobian)
    for p in m.rows_of("wrap"):
        t.wrap_pull[p], t.wrap_twist[p] = Vec3.zero(), Vec3.zero()
    for p in m.rows_of("wrap"):
        for kind in m.cases([Site], t.wrap_type[p]):
            kind.place(m, t, p)
    for p in m.rows_of("wrap"):
        for _ in m.when(t.wrap_next[p] >= 0):
            straight(m, t, p, t.wrap_next[p])


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


def beyond(t: Any, f: Any) -> Scalar:
    """How much longer a tendon is than where its spring is at rest; negative if shorter."""
    length, rest = t.ten_length[f], t.tendon_lengthspring[f]
    above = where(length > rest.second, length - rest.second, 0.0)
    return where(length < rest.first, length - rest.first, above)


def tensions(m: Machine, t: Any) -> None:
    """ten_spring, ten_damper, which are added to qfrc_passive; after tendons()."""
    for f in m.rows_of("tendon"):
        t.ten_spring[f] = -(t.tendon_stiffness[f] * beyond(t, f))
        t.ten_damper[f] = -(t.tendon_damping[f] * t.ten_velocity[f])
    for y in m.rows_of("ten_J"):
        f = t.ten_J_tendon[y]
        t.qfrc_passive[t.ten_J_colind[y]] += t.ten_entry[y] * (t.ten_spring[f] + t.ten_damper[f])
