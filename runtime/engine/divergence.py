"""Why a step failed; determined afterwards, so that steps are not slowed down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.engine.data import Data
from polybody.errors import SimulationError
from polybody.generated.kernels import dynamics
from polybody.generated.model import JointType, RowType
from polybody.model.model import Model
from polybody.model.servos import control_limits

LOOSE = "no inertia, armature or regularization resists this motion"
TURNLESS = "its quaternion has a length of 0, or one whose square is infinite"
LIMIT = 1e10
"""The largest magnitude of qpos, qvel and qacc with which a step succeeds, as in MuJoCo (mjMAXVAL)."""
FAST = 1e60
"""A velocity that must be the result of divergence, although its square is still finite."""
DRIVEN = 1e-3
"""The share of the limit above which an activation must be the result of divergence."""
ROWS = {
    "efc_pos": "the violation of a constraint",
    "efc_D": "the stiffness of a constraint",
    "efc_aref": "the reference acceleration of a constraint",
    "efc_force": "the force of a constraint",
}
"""Columns of constraint rows, in the order in which they follow from each other."""
GROWN = {"qacc": "an acceleration", "qvel": "a velocity", "qpos": "a coordinate"}
"""Columns whose magnitude is limited, and what they hold."""
LARGEST = 4_000_000
"""Maximum number of entries of a mass matrix (32 MB) that is factorised for the explanation."""


def check_limit(limit: float) -> float:
    """A limit of magnitudes.

    Raises:
        TypeError: it is not a number, but a bool, for example.
        ValueError: it is not positive.
    """
    if isinstance(limit, bool | np.bool_):
        raise TypeError(f"limit must be a number, not {limit}")
    number = float(limit)
    if not number > 0:
        raise ValueError(f"limit must be positive, not {limit}; inf accepts every finite number")
    return number


def explain(data: Data, done: int, limit: float = LIMIT, instance: int | None = None) -> SimulationError:
    """The error for a step from the state in ``data`` that failed after ``done`` others. ``data`` is changed.

    ``limit`` is the largest magnitude of qpos, qvel and qacc with which a step succeeds, ``instance`` the
    index in a batch.

    The causes are examined in this order: the state or an input is not finite, or the state exceeds the
    limit; an activation or a joint has diverged; the force of an actuator is not finite; a degree of freedom
    has no inertia; a row of constraints or an acceleration is not finite; the step exceeds the limit.

    Raises:
        ModelError, MemoryError: the constraints need more memory than arrays may have, or than there is.
    """
    names = data.model.names
    data.evaluated()  # the kernels are called directly, and all of their memory is read
    quantity, kind, row, reason = _culprit(data, limit)
    if data.kernel.solver is not None:
        data.kernel.solver.require_rows()  # what the kernels have found without rows is no cause
    where: dict[str, Any] = {}
    if kind == "dof":
        joint, body = int(data.model.dof_jntid[row]), int(data.model.dof_bodyid[row])
        where = {"joint": names["joint"][joint], "joint_id": joint}
        where |= {"body": names["body"][body], "body_id": body}
    elif kind == "efc":
        where = _of_row(data, row)
    else:
        where = {kind: names[kind][row], f"{kind}_id": row}
    return SimulationError(
        quantity=quantity, reason=reason, time=data.time, steps=done, instance=instance, **where
    )


Culprit = tuple[str, str, int, str]
"""The column concerned, the kind of its rows (dof, body, actuator, efc), the row and the reason."""


def _culprit(data: Data, limit: float) -> Culprit:
    found = _given(data, limit)
    if found is not None:
        return found
    driven = _actuator(data, min(FAST, DRIVEN * limit))
    if driven is not None:
        return driven
    speed, stuck = np.abs(data.qvel), np.flatnonzero(~np.isfinite(data.qacc))
    if speed.max() < FAST:
        loose = _without_inertia(data)
        if loose is not None:
            return "qacc", "dof", loose, LOOSE
        constraint = _constraint(data)
        if constraint is not None:
            return constraint
        if len(stuck):
            return "qacc", "dof", int(stuck[-1]), "its acceleration became NaN or infinite"
        grown = _grown(data, limit)
        if grown is not None:
            return grown
    dof = int(np.argmax(speed))
    if speed[dof] < FAST:  # an implicit integrator has found no solution
        return "qvel", "dof", dof, "it became NaN or infinite (too long a time step?)"
    return "qvel", "dof", dof, f"it diverged, with a velocity of {speed[dof]:.3g} (too long a time step?)"


def _grown(data: Data, limit: float) -> Culprit | None:
    """The largest number of the failed step that exceeds the limit."""
    kernel = data.kernel
    for name in ("qacc", "step", *GROWN):  # data of a batch have no accelerations before the step is repeated
        if name == "step":
            dynamics.step(kernel.model, kernel, 1)
            continue
        size = np.abs(getattr(data, name))
        at = int(np.argmax(size))
        if size[at] > limit:
            row = _dof_of(data.model, at) if name == "qpos" else at
            value = f"{GROWN[name]} of {getattr(data, name)[at]:.3g}"
            return name, "dof", row, f"it diverged, with {value}, beyond {limit:g} (too long a time step?)"
    return None


def _dof_of(model: Model, at: int) -> int:
    """The first degree of freedom of the joint to which a coordinate belongs."""
    return int(model.jnt_dofadr[_owner(model.jnt_qposadr, at)])


def _given(data: Data, limit: float) -> Culprit | None:
    """The first number of the state or the inputs that is not finite, or of the state that exceeds the
    limit.
    """
    model = data.model
    rows: dict[str, tuple[str, Callable[[int], int]]] = {
        "qpos": ("dof", lambda at: _dof_of(model, at)),
        "qvel": ("dof", int),
        "act": ("actuator", lambda at: _of_activation(model, at)),
        "ctrl": ("actuator", lambda at: _of_control(model, at)),
        "qfrc_applied": ("dof", int),
        "xfrc_applied": ("body", lambda at: at // 6),
        "mocap_pos": ("body", lambda at: int(np.flatnonzero(model.body_mocapid == at // 3)[0])),
        "mocap_quat": ("body", lambda at: int(np.flatnonzero(model.body_mocapid == at // 4)[0])),
    }
    for name, (kind, row) in rows.items():
        values = _clamped(data) if name == "ctrl" else getattr(data, name)
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            return name, kind, row(int(wrong[0])), f"{name} was NaN or infinite before the step"
        beyond = np.flatnonzero(np.abs(values) > limit)
        if len(beyond) and name in ("qpos", "qvel"):
            at = int(beyond[0])
            return name, kind, row(at), f"{name} was {values[at]:.3g} before the step, beyond {limit:g}"
    for joint in np.flatnonzero(np.isin(model.jnt_type, (JointType.free, JointType.ball))).tolist():
        first = int(model.jnt_qposadr[joint]) + 3 * int(model.jnt_type[joint] == JointType.free)
        with np.errstate(over="ignore"):
            square = float(np.square(data.qpos[first : first + 4]).sum())
        if not 0 < square < np.inf:
            return "qpos", "dof", int(model.jnt_dofadr[joint]), TURNLESS
    return None


def _clamped(data: Data) -> NDArray[np.float64]:
    """Controls clamped to their ranges: an infinite one with a range does no harm."""
    model = data.model
    limited, ranges = control_limits(model)
    limited &= bool(model.opt_clampctrl)
    low, high = ranges.T
    return np.where(limited, np.clip(data.ctrl, low, high), data.ctrl)


def _owner(starts: NDArray[np.int32], at: int) -> int:
    """The row to which an entry belongs, if rows begin at ``starts``."""
    return int(np.searchsorted(starts, at, side="right")) - 1


def _of_activation(model: Model, at: int) -> int:
    first, count = model.actuator_actadr, model.actuator_actnum
    return int(np.flatnonzero((first <= at) & (at < first + count))[0])


def _of_control(model: Model, at: int) -> int:
    return int(np.repeat(np.arange(model.nactuator), model.actuator_ctrlnum)[at])


def _of_output(model: Model, at: int) -> int:
    """The actuator that a force belongs to."""
    return int(np.repeat(np.arange(model.nactuator), model.actuator_outnum)[at])


def _actuator(data: Data, most: float) -> Culprit | None:
    """An actuator whose activation diverged, to more than ``most``, or whose force at the state before the
    step is not finite.
    """
    grown = np.flatnonzero(np.abs(data.act) > most)
    if len(grown):
        at = int(grown[np.argmax(np.abs(data.act[grown]))])
        reason = f"it diverged, to {data.act[at]:.3g} (too long a time step?)"
        return "act", "actuator", _of_activation(data.model, at), reason
    if np.abs(data.qvel).max(initial=0) > FAST:  # sensors are not the cause
        return None
    kernel = data.kernel
    dynamics.passive(kernel.model, kernel)
    dynamics.actuation(kernel.model, kernel)
    wrong = np.flatnonzero(~np.isfinite(data.act_dot))
    if len(wrong):
        row = _of_activation(data.model, int(wrong[0]))
        return "act_dot", "actuator", row, "the rate of its activation became NaN or infinite"
    with np.errstate(over="ignore", invalid="ignore"):
        parts = np.isfinite(data.actuator_moment * data.actuator_force[:, None]).all(axis=1)
    wrong = np.flatnonzero(~(parts & np.isfinite(data.actuator_force)))
    return (
        (
            "actuator_force",
            "actuator",
            _of_output(data.model, int(wrong[0])),
            "its force became NaN or infinite",
        )
        if len(wrong)
        else None
    )


def _constraint(data: Data) -> Culprit | None:
    """The first row of constraints with a number that is not finite at the state before the step."""
    if not data.model.opt_constrained:
        return None
    stuck = data.qacc.copy()
    dynamics.forward(data.kernel.model, data.kernel)
    found: Culprit | None = None
    for name, what in ROWS.items():
        wrong = np.flatnonzero(~np.isfinite(getattr(data, name)))
        if found is None and len(wrong):
            found = name, "efc", int(wrong[0]), f"{what} became NaN or infinite"
    if found is None:
        data.qacc = stuck
    return found


def _of_row(data: Data, row: int) -> dict[str, Any]:
    """What a row of constraints is about: the geoms of its contact and the body of the second, or a joint."""
    names, touching = data.model.names, data.contact
    where: dict[str, Any] = {"efc_id": row}
    number = int(data.efc_id[row])
    if int(data.efc_type[row]) >= RowType.CONTACT_FRICTIONLESS and min(touching[number]["geom"]) >= 0:
        geoms = tuple(touching[number]["geom"].tolist())
        body = int(data.model.geom_bodyid[geoms[1]] or data.model.geom_bodyid[geoms[0]])
        where |= {"geoms": tuple(names["geom"][geom] for geom in geoms), "geom_ids": geoms}
        return where | {"body": names["body"][body], "body_id": body}
    dofs = np.flatnonzero(data.efc_J[row])
    if len(dofs) == 0:
        return where
    joint, body = int(data.model.dof_jntid[dofs[-1]]), int(data.model.dof_bodyid[dofs[-1]])
    where |= {"joint": names["joint"][joint], "joint_id": joint}
    return where | {"body": names["body"][body], "body_id": body}


def _without_inertia(data: Data) -> int | None:
    """The first pivot, in the order of elimination, at which the mass matrix is not positive definite."""
    model = data.model
    if model.nM > LARGEST:
        return None
    dynamics.mass_matrix(data.kernel.model, data.kernel)
    dynamics.factor(data.kernel.model, data.kernel)
    pivots: NDArray[np.float64] = data.qLDiagInv
    wrong = np.flatnonzero(~(np.isfinite(pivots) & (pivots > 0)))
    return int(wrong[-1]) if len(wrong) else None
