"""Jacobians and velocities of points on bodies, and forces applied there."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.engine.dynamics import same
from polybody.generated.kernels import dynamics
from polybody.model.data import Data
from polybody.model.model import Model
from polybody.rotations import matrix

Reals = NDArray[np.float64]
Key = str | int


def jacobian(
    model: Model,
    data: Data,
    body: Key | None = None,
    point: ArrayLike | None = None,
    *,
    com: Key | None = None,
    geom: Key | None = None,
    site: Key | None = None,
) -> tuple[Reals, Reals]:
    """The Jacobian of a point: two arrays of shape (3, nv), in world axes.

    ``jacp @ qvel`` is the velocity of the point, ``jacr @ qvel`` the angular velocity of its body. Also
    updates the poses of all bodies in xpos, xquat, xmat, and the axes of all degrees of freedom in dof_xaxis,
    dof_xanchor.

    Args:
        model: the Model.
        data: the simulation; qpos, mocap_pos and mocap_quat are used.
        body: the origin of a body, by name or number.
        point: a point of the body instead of its origin, by its current position in the world, shape (3,).
        com: the centre of mass of a body.
        geom: the centre of a geom.
        site: the origin of a site.

    Raises:
        KeyError, IndexError: no such body, geom or site.
        TypeError: not exactly one of body, com, geom and site is given.
        ValueError: ``point`` has another shape than (3,), or ``data`` simulates another Model.
    """
    dynamics.jacobian(same(model, data), data.kernel)
    row, where, _ = _place(model, data, body=body, com=com, geom=geom, site=site)
    if point is not None:
        if body is None:
            raise TypeError("a point requires a body: jacobian(model, data, body, point)")
        where = _vector(point, "a point")
    above = _above(model, row)
    axes = data.dof_xaxis[above]
    jacp, jacr = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    jacr[:, above] = axes[:, :3].T
    jacp[:, above] = (axes[:, 3:] + np.cross(axes[:, :3], where - data.dof_xanchor[above])).T
    return jacp, jacr


def velocity(
    model: Model,
    data: Data,
    body: Key | None = None,
    *,
    com: Key | None = None,
    geom: Key | None = None,
    site: Key | None = None,
    local: bool = False,
) -> Reals:
    """The velocity of a frame at qpos and qvel: angular, then linear, shape (6,), rad/s and m/s.

    In world axes, or with ``local`` in those of the body, of its principal axes of inertia (``com``), of the
    geom or of the site. Arguments and errors are those of :func:`jacobian`.
    """
    jacp, jacr = jacobian(model, data, body, com=com, geom=geom, site=site)
    angular, linear = jacr @ data.qvel, jacp @ data.qvel
    if local:
        turn = _place(model, data, body=body, com=com, geom=geom, site=site)[2]
        angular, linear = turn.T @ angular, turn.T @ linear
    return np.concatenate([angular, linear])


def apply_force(
    model: Model,
    data: Data,
    force: ArrayLike,
    torque: ArrayLike,
    point: ArrayLike,
    body: Key,
    *,
    qfrc: Reals | None = None,
) -> Reals:
    """Apply a force and a torque to a body; returns the equivalent joint forces, shape (nv,).

    Args:
        model: the Model.
        data: the simulation; qpos is used.
        force: N, in world axes, shape (3,).
        torque: N m, in world axes, shape (3,).
        point: point of application in the world, shape (3,).
        body: the body, by name or number.
        qfrc: an array of shape (nv,) that the joint forces are added to; by default data.qfrc_applied, which
            acts in every step until it is changed.

    Raises:
        KeyError, IndexError: no such body.
        ValueError: an array of another shape, or ``data`` simulates another Model.
    """
    jacp, jacr = jacobian(model, data, body, point)
    found: Reals = _vector(force, "a force") @ jacp + _vector(torque, "a torque") @ jacr
    target = data.qfrc_applied if qfrc is None else qfrc
    if target.shape != found.shape:
        raise ValueError(f"joint forces must have the shape {found.shape}, got {target.shape}")
    target += found
    return found


def _place(model: Model, data: Data, **where: Key | None) -> tuple[int, Reals, Reals]:
    """The body of a point, the point in the world, and its axes; uses the current poses of bodies."""
    named = [(kind, key) for kind, key in where.items() if key is not None]
    if len(named) != 1:
        raise TypeError(f"give exactly one of {', '.join(where)}, not {len(named)} of them")
    ((kind, key),) = named
    row = model.row("body" if kind == "com" else kind, key)
    if kind in ("body", "com"):
        body = row
    else:
        body = int(getattr(model, f"{kind}_bodyid")[row])
    turn = data.xmat[body].reshape(3, 3)
    if kind == "body":
        return body, data.xpos[body], turn
    prefix = "body_i" if kind == "com" else f"{kind}_"
    pos, quat = getattr(model, prefix + "pos")[row], getattr(model, prefix + "quat")[row]
    return body, data.xpos[body] + turn @ pos, turn @ matrix(quat)


def _vector(value: ArrayLike, what: str) -> Reals:
    found = np.asarray(value, dtype=np.float64)
    if found.shape != (3,):
        raise ValueError(f"{what} must have the shape (3,), got {found.shape}")
    return found


def _above(model: Model, body: int) -> list[int]:
    """The degrees of freedom between a body and the world."""
    dof = int(model.body_lastdof[body])
    found = []
    while dof >= 0:
        found.append(dof)
        dof = int(model.dof_parentid[dof])
    return found
