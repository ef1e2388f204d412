"""Motions without inertia in any state: a mass matrix that is singular by the Model's structure.

Examples are a massless body at the end of a chain, and a point mass that rotates about itself. Forces do not
determine the accelerations then.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from polybody.engine.data import Data
from polybody.engine.requested import symmetric
from polybody.errors import ModelError
from polybody.generated.kernels import dynamics
from polybody.generated.kernels.layout import KernelData
from polybody.generated.model import JointType
from polybody.model.model import Model

PIVOT = 1e-13
"""A pivot of the mass matrix that is less than this fraction of its diagonal entry is rounding error."""
LARGEST = 4_000_000
"""Maximum number of entries of a mass matrix (32 MB) that is examined."""
MOST = 5
"""Maximum number of bodies that a message names; the rest is counted."""


def undetermined(model: Model) -> NDArray[np.bool_]:
    """Which degrees of freedom, (nv,), have no inertia, both at qpos0 and in a second configuration.

    Determined from the pivots of M = L^T D L (Featherstone, Rigid Body Dynamics Algorithms, ch. 6.5). A pivot
    is the inertia of a degree of freedom while those farther from the base move freely.
    """
    return model.once("undetermined", lambda: _undetermined(model))


def _undetermined(model: Model) -> NDArray[np.bool_]:
    loose = np.zeros(model.nv, dtype=bool)
    if model.nv == 0 or float(model.opt_regularization) > 0 or model.nM > LARGEST:
        return loose
    if _resisted(model, model.qpos0) or _resisted(model, _elsewhere(model)):
        return loose
    return _loose(model, model.qpos0) & _loose(model, _elsewhere(model))


def _matrix(model: Model, qpos: NDArray[np.float64]) -> KernelData:
    """Memory of the kernels with the mass matrix, which depends on no column that kernels compute."""
    kernel = model.kernel_to_complete()
    data = KernelData(kernel)
    data.array("qpos")[...] = qpos
    dynamics.mass_matrix(kernel, data)
    return data


def _resisted(model: Model, qpos: NDArray[np.float64]) -> bool:
    """Whether all pivots are positive."""
    data = _matrix(model, qpos)
    diagonal = data.array("qM")[model.M_rowadr + model.dof_depth].copy()
    dynamics.factor(data.model, data)
    with np.errstate(all="ignore"):
        pivots = 1 / data.array("qLDiagInv")
    return bool((np.isfinite(pivots) & (pivots > PIVOT * diagonal)).all())


def _loose(model: Model, qpos: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The degrees of freedom with zero pivots, each found after those beyond it were removed."""
    left = symmetric(model, _matrix(model, qpos).array("qM"))
    least = PIVOT * np.diagonal(left)
    loose = np.zeros(model.nv, dtype=bool)
    for row in range(model.nv - 1, -1, -1):
        if not left[row, row] > least[row]:
            loose[row] = True
            continue
        touched = np.flatnonzero(left[row, :row])
        left[np.ix_(touched, touched)] -= np.outer(left[row, touched], left[row, touched]) / left[row, row]
    return loose


def _elsewhere(model: Model) -> NDArray[np.float64]:
    """Another configuration, always the same, in which no two axes are aligned."""
    qpos = model.qpos0 + np.random.default_rng(0).uniform(0.5, 1.0, model.nq)
    for joint in np.flatnonzero(np.isin(model.jnt_type, (JointType.free, JointType.ball))).tolist():
        end = int(model.jnt_qposadr[joint]) + (7 if model.jnt_type[joint] == JointType.free else 4)
        qpos[end - 4 : end] /= np.linalg.norm(qpos[end - 4 : end])
    return np.asarray(qpos)


def require_determined(model: Model) -> None:
    """Refuse a Model in which forces do not determine the accelerations.

    Raises:
        ModelError: its mass matrix is singular. The message names the bodies and their places in the source.
    """
    loose = undetermined(model)
    if not loose.any():
        return
    rows = list(dict.fromkeys(model.dof_bodyid[loose].tolist()))
    names, places = model.names["body"], model.places.get("body", ())
    shown = []
    for row in rows[:MOST]:
        where = f" ({places[row]})" if row < len(places) and places[row] else ""
        shown.append(f"body {row} {names[row]!r}{where}" if names[row] else f"body {row}{where}")
    more = f" and {len(rows) - MOST} more" if len(rows) > MOST else ""
    raise ModelError(
        [
            f"the mass matrix is singular: no inertia resists a motion of {', '.join(shown)}{more}; "
            "give them mass and inertia, or give their joints armature"
        ]
    )


def mark_undetermined(model: Model, data: Data) -> None:
    """Set accelerations, and what depends on them, to NaN in trees with an undetermined acceleration."""
    loose = undetermined(model)
    if not loose.any():
        return
    trees = np.flatnonzero(np.bincount(model.dof_treeid[loose]))
    data.qacc[np.isin(model.dof_treeid, trees)] = np.nan
    bodies = np.isin(model.body_treeid, trees)
    for name in ("cacc", "cfrc_int"):
        getattr(data, name)[bodies] = np.nan
