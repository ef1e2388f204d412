"""Jacobians and velocities of points on bodies, and forces applied there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.engine import at_state
from polybody.engine.at_state import KINDS
from polybody.engine.data import Data
from polybody.engine.dynamics import kernel_of
from polybody.model.model import Model
from polybody.rotations.arrays import matrix

Reals = NDArray[np.float64]
Key = str | int
BODY, COM, GEOM, SITE = (KINDS[kind] for kind in ("body", "com", "geom", "site"))
OFFSETS: dict[int, tuple[str | None, str | None]] = {
    BODY: (None, None),
    COM: ("body_ipos", None),
    GEOM: ("geom_pos", "geom_bodyid"),
    SITE: ("site_pos", "site_bodyid"),
}
"""The columns with the positions of these frames on their bodies, and with their bodies."""
QUATS = {COM: "body_iquat", GEOM: "geom_quat", SITE: "site_quat"}
"""The columns with their orientations."""


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

    ``jacp @ qvel`` is the velocity of the point, ``jacr @ qvel`` the angular velocity of its body, at qpos as
    it is now. ``data`` does not change.

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
    kernel = kernel_of(model, data)
    kind, row = frame_of(model, body, com, geom, site, point)
    if point is None:
        return at_state.jacobian(kernel, kind, row)
    return at_state.jacobian(kernel, kind, row, np.ascontiguousarray(_vector(point, "a point")))


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
    kernel = kernel_of(model, data)
    kind, row = frame_of(model, body, com, geom, site)
    found = at_state.velocity(kernel, kind, row)
    return (found.reshape(2, 3) @ _axes(model, kernel, kind, row)).ravel() if local else found


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


def frame_of(
    model: Model,
    body: Key | None,
    com: Key | None,
    geom: Key | None,
    site: Key | None,
    point: ArrayLike | None = None,
) -> tuple[int, int]:
    """The kind of a frame, a value of KINDS, and its row. Only a body's may be replaced by a point."""
    if point is not None and body is None:
        raise TypeError("a point requires a body: jacobian(..., body, point)")
    if site is not None and body is com is geom is None:
        return SITE, model.row("site", site)
    if body is not None and com is geom is site is None:
        return BODY, model.row("body", body)
    given = {"body": body, "com": com, "geom": geom, "site": site}
    named = [(kind, key) for kind, key in given.items() if key is not None]
    if len(named) != 1:
        raise TypeError(f"give exactly one of {', '.join(given)}, not {len(named)} of them")
    ((kind, key),) = named
    return KINDS[kind], model.row("body" if kind == "com" else kind, key)


def body_of(model: Model, kind: int, row: int) -> int:
    """The body that a frame is attached to."""
    _, bodies = OFFSETS[kind]
    return row if bodies is None else int(getattr(model, bodies)[row])


def _axes(model: Model, kernel: Any, kind: int, row: int) -> Reals:
    """The orientation of a frame, (3, 3)."""
    turn = at_state.axes(kernel, body_of(model, kind, row))
    quats = QUATS.get(kind)
    return turn if quats is None else turn @ matrix(getattr(model, quats)[row])


def _vector(value: ArrayLike, what: str) -> Reals:
    found = np.asarray(value, dtype=np.float64)
    if found.shape != (3,):
        raise ValueError(f"{what} must have the shape (3,), got {found.shape}")
    return found
