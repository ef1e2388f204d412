"""Constraints against MuJoCo 3.2.7: contacts, rows, forces and accelerations at states of its own trajectory.

If MuJoCo's own results change when positions change by one ulp, ours may differ by ten times that change.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import polybody

from tests.differential import mjcf_dynamics
from tests.differential.report import ROUNDING, UNDECIDED, Comparison, relative_error

ROWS = (
    "efc_pos",
    "efc_margin",
    "efc_frictionloss",
    "efc_KBIP",
    "efc_R",
    "efc_D",
    "efc_vel",
    "efc_aref",
    "efc_J",
)
LISTS = "constraint rows"
SOLVED = ("qacc", "qfrc_constraint", "cfrc_ext", "sensordata")
SOLVED_NAMES = tuple(f"constrained {name}" for name in SOLVED)
TOLERANCES = {LISTS: 0.0} | dict.fromkeys((*ROWS, *SOLVED_NAMES), 1e-9)
INPUTS = ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "qacc_warmstart")
INSTANTS = (0, 20, 60)
"""Steps after which results are compared."""
NUDGES = 4
FACTOR = 10
EVERYTHING = mujoco.mjtState.mjSTATE_INTEGRATION


def compare_constraints(document: Any, engine: Any, rng: np.random.Generator, result: Comparison) -> None:
    """Add the errors of all results of constraints; ``result.withheld`` lists what cannot be compared.

    Args:
        document: our document.
        engine: MuJoCo's model of the same file.
        rng: source of controls and perturbations.
        result: receives the errors.
    """
    mjcf_dynamics.compose(engine)
    model = polybody.lower(document, policy="warn")
    try:
        polybody.forward(model, polybody.Data(model))
    except polybody.ModelError as error:
        reason = "gated: " + " ".join(str(error).split())[:200]
        result.withheld |= dict.fromkeys(TOLERANCES, reason)
        return
    if not model.opt_constrained:
        result.withheld |= dict.fromkeys(TOLERANCES, "no constraints")
        return
    for name, reason in mjcf_dynamics.defects(engine):
        if name in SOLVED:
            result.withheld |= dict.fromkeys(SOLVED_NAMES, reason)
    theirs, data = mujoco.MjData(engine), polybody.Data(model)
    if engine.nkey:
        mujoco.mj_resetDataKeyframe(engine, theirs, 0)
    for step in range(INSTANTS[-1] + 1):
        if step in INSTANTS:
            _compare(engine, theirs, model, data, rng, result)
        low, high = np.where(
            engine.actuator_ctrllimited[:, None] > 0, engine.actuator_ctrlrange, [[-1.0, 1.0]]
        ).T
        theirs.ctrl[:] = 0.15 * (high - low) * rng.uniform(-1, 1, engine.nu)
        mujoco.mj_step(engine, theirs)


def _compare(
    engine: Any, theirs: Any, model: polybody.Model, data: polybody.Data, rng: Any, result: Comparison
) -> None:
    """One state; MuJoCo's data is left unchanged."""
    state = np.zeros(mujoco.mj_stateSize(engine, EVERYTHING))
    mujoco.mj_getState(engine, theirs, state, EVERYTHING)
    for name in INPUTS:
        setattr(data, name, np.array(getattr(theirs, name)))
    data.eq_active = theirs.eq_active
    data.time = theirs.time
    nudged = [_nudged(engine, state, rng) for _ in range(NUDGES)]
    mujoco.mj_forward(engine, theirs)
    mujoco.mj_rnePostConstraint(engine, theirs)
    polybody.forward(model, data)
    stable = all(_rows(each) == _rows(theirs) for each in nudged)
    if stable:
        result.add_error(LISTS, float(_rows(data) != _rows(theirs)))
    if stable and _rows(data) == _rows(theirs):
        for name in ROWS:
            _add(result, name, name, engine, theirs, data, nudged)
    for name, called in zip(SOLVED, SOLVED_NAMES, strict=True):
        if name != "sensordata" or engine.nsensor:
            _add(result, called, name, engine, theirs, data, nudged)
    mujoco.mj_setState(engine, theirs, state, EVERYTHING)


def _nudged(engine: Any, state: np.ndarray, rng: Any) -> Any:
    """MuJoCo's results at a state whose positions differ by one ulp each, those below 1 by one ulp of 1."""
    found = mujoco.MjData(engine)
    mujoco.mj_setState(engine, found, state, EVERYTHING)
    found.qpos += np.spacing(np.maximum(np.abs(found.qpos), 1.0)) * rng.choice([-1.0, 1.0], engine.nq)
    mujoco.mj_forward(engine, found)
    mujoco.mj_rnePostConstraint(engine, found)
    return found


def _rows(data: Any) -> tuple[list[int], ...]:
    """Compare the kinds of rows."""
    return np.ravel(data.efc_type).tolist(), np.ravel(data.efc_id).tolist()


def _add(
    result: Comparison, called: str, name: str, engine: Any, theirs: Any, data: polybody.Data, nudged: Any
) -> None:
    if called in result.withheld:
        return
    given, terms = _of(engine, theirs, name), _terms(engine, theirs, name)
    moved = max(relative_error(_of(engine, each, name), given, terms) for each in nudged)
    if not moved * FACTOR <= UNDECIDED:
        result.withheld[called] = f"an ulp of positions changes it by {moved:.1e} in MuJoCo itself"
        return
    found = np.ravel(getattr(data, name))
    result.add_error(called, relative_error(found, given, terms), max(1.0, FACTOR * moved / ROUNDING))


def _terms(engine: Any, data: Any, name: str) -> float:
    """Magnitudes of the terms of a result, which may cancel; at least 1."""
    if not data.nefc or name not in ("efc_vel", "efc_aref", "qfrc_constraint", "cfrc_ext", "qacc"):
        return 1.0
    jacobian, force = np.abs(_of(engine, data, "efc_J")).reshape(data.nefc, engine.nv), np.abs(data.efc_force)
    if name in ("qfrc_constraint", "qacc"):
        effect = force @ jacobian
        if name == "qacc":
            effect = _inverse(engine, data) @ effect
        return max(1.0, float(effect.max(initial=0)))
    if name == "cfrc_ext":
        return max(1.0, float(force.sum()))
    velocity = jacobian @ np.abs(data.qvel)
    if name == "efc_vel":
        return max(1.0, float(velocity.max()))
    stiffness, damping, impedance = data.efc_KBIP.reshape(-1, 4)[:, :3].T
    away = np.abs(data.efc_pos - data.efc_margin)
    return max(1.0, float((damping * velocity + stiffness * impedance * away).max()))


def _inverse(engine: Any, data: Any) -> np.ndarray:
    """The magnitudes of the entries of the inverse mass matrix, (nv, nv)."""
    found = np.eye(engine.nv)
    mujoco.mj_solveM(engine, data, found, np.eye(engine.nv))
    return np.abs(found)


def _of(engine: Any, data: Any, name: str) -> np.ndarray:
    if name != "efc_J":
        return np.ravel(getattr(data, name))
    if not mujoco.mj_isSparse(engine):  # it has space for rows that were dropped
        return np.ravel(data.efc_J)[: data.nefc * engine.nv]
    dense = np.zeros((data.nefc, engine.nv))
    if data.nefc:
        columns = data.efc_J_colind.ravel()
        mujoco.mju_sparse2dense(dense, data.efc_J.ravel(), data.efc_J_rownnz, data.efc_J_rowadr, columns)
    return dense.ravel()
