"""Where a simulation left the finite numbers: found afterwards, so that stepping costs nothing for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from polybody.errors import SimulationError
from polybody.generated.kernels import dynamics
from polybody.model.data import Data

LOOSE = "nothing resists this motion: no inertia moves with it, no armature, no regularization"
FAST = 1e60
"""A velocity that cannot be meant, though its square is still finite."""
LARGEST = 4_000_000
"""Entries of a mass matrix (32 MB) up to which its factors are looked at."""


def explain(data: Data, done: int, instance: int | None = None) -> SimulationError:
    """The error for a step from the state in ``data`` that failed after ``done`` others; ``data`` is used up.

    ``instance`` is its number in a batch.

    Asked in this order: is the state itself finite; has something run away long since; has a degree of
    freedom nothing that resists its acceleration, or an infinite one.
    """
    model = data.model
    quantity, dof, reason = _culprit(data)
    joint = int(model.dof_jntid[dof])
    body = int(model.dof_bodyid[dof])
    return SimulationError(
        quantity=quantity,
        reason=reason,
        time=data.time,
        steps=done,
        body=model.names["body"][body],
        body_id=body,
        joint=model.names["joint"][joint],
        joint_id=joint,
        instance=instance,
    )


def _culprit(data: Data) -> tuple[str, int, str]:
    model = data.model
    for name in ("qpos", "qvel", "qfrc_applied"):
        wrong = np.flatnonzero(~np.isfinite(getattr(data, name)))
        if len(wrong):
            dof = int(wrong[0])
            if name == "qpos":
                joint = int(np.searchsorted(model.jnt_qposadr, wrong[0], side="right")) - 1
                dof = int(model.jnt_dofadr[joint])
            return name, dof, f"{name} was not finite before the step"
    speed, stuck = np.abs(data.qvel), np.flatnonzero(~np.isfinite(data.qacc))
    if speed.max() < FAST:
        loose = _without_inertia(data)
        if loose is not None:
            return "qacc", loose, LOOSE
        if len(stuck):
            return "qacc", int(stuck[-1]), "its acceleration was not finite"
    dof = int(np.argmax(speed))
    return "qvel", dof, f"it ran away, at a velocity of {speed[dof]:.3g} (too long a time step?)"


def _without_inertia(data: Data) -> int | None:
    """The first pivot, in the order of elimination, at which the mass matrix has no positive factor."""
    model = data.model
    if model.nM > LARGEST:
        return None
    dynamics.mass_matrix(data.kernel.model, data.kernel)
    dynamics.factor(data.kernel.model, data.kernel)
    pivots: NDArray[np.float64] = data.qLDiagInv
    wrong = np.flatnonzero(~(np.isfinite(pivots) & (pivots > 0)))
    return int(wrong[-1]) if len(wrong) else None
