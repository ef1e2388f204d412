"""The dynamics against MuJoCo 3.2.7: poses, forces, accelerations at three states, and trajectories.

Constraints are disabled on both sides. Energies are enabled, and what MuJoCo computes only on request (cacc,
cfrc_int, subtree_linvel...) is requested.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import polybody
from polybody.generated.model import Integrator

from tests.differential.report import ROUNDING, UNDECIDED, Comparison, condition

POSES = (
    "xpos", "xquat", "xmat", "xipos", "ximat", "xanchor", "xaxis", "geom_xpos", "geom_xmat", "site_xpos",
    "site_xmat", "cam_xpos", "cam_xmat", "light_xpos", "light_xdir", "subtree_com",
)  # fmt: skip
ACTUATION = (
    "actuator_length", "actuator_velocity", "actuator_moment", "act_dot", "actuator_force", "qfrc_actuator",
)  # fmt: skip
TENDONS = ("ten_length", "ten_velocity", "ten_J")
FORCES = (
    *("qM", "qfrc_bias", "qfrc_spring", "qfrc_damper", "qfrc_fluid", "qfrc_gravcomp", "qfrc_passive"),
    "qfrc_smooth",
)
MOTIONS = ("cvel", "subtree_linvel", "subtree_angmom", "energy")
SOLVED = ("qacc_smooth", "qacc", "cacc", "cfrc_ext", "cfrc_int")
"""Results derived from accelerations, for which linear equations are solved."""
INVERSE, SENSORS = "qfrc_inverse", "sensordata"
INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast")
TRAJECTORIES = tuple(f"{which} {name}" for which in INTEGRATORS for name in ("qpos", "qvel", "act"))
DERIVATIVES = tuple(f"{which} qDeriv" for which in INTEGRATORS[2:])
TOLERANCES = dict.fromkeys(
    (*POSES, *TENDONS, *FORCES, *ACTUATION, *MOTIONS, *SOLVED, *DERIVATIVES, INVERSE, SENSORS), 1e-9
) | dict.fromkeys(TRAJECTORIES, 1e-7)
LARGE, FEW = 300, 20
"""Number of degrees of freedom from which a model is large, and the number of steps of a large model."""
CHAOS = 1e-9
"""If MuJoCo's own trajectory from a state that differs by NUDGE is further away than this at the end,
rounding decides the result and nothing is compared.
"""
NUDGE = 1e-14
SLOW, LEAST = 0.1, 1e-15
"""A velocity, and the least divisor in MuJoCo's derivatives of drag and lift."""
INERTIAL_TURN = mujoco.mjtSameFrame.mjSAMEFRAME_INERTIAROT
FLAGS, ENERGY = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT), int(mujoco.mjtEnableBit.mjENBL_ENERGY)


@dataclass
class Pair:
    """A model and its simulation in both engines."""

    their_model: Any
    their_data: Any
    model: polybody.Model
    data: polybody.Data


def compare_dynamics(document: Any, engine: Any, ident: str, steps: int, result: Comparison) -> None:
    """Add the errors of the dynamics; ``result.withheld`` lists what cannot be compared.

    Args:
        document: our document.
        engine: MuJoCo's model of the same file; its flags are changed.
        ident: seed of the random states.
        steps: length of the trajectories.
        result: receives the errors.
    """
    model = _lowered(document, "constraint")
    engine.opt.disableflags |= FLAGS
    engine.opt.enableflags |= ENERGY
    compose(engine)
    reason = _gate(model)
    if reason and model.nsensor:
        model = _lowered(document, "constraint", "sensor")
        result.withheld[SENSORS] = reason
        reason = _gate(model)
    if reason:
        _withhold(result, TOLERANCES, reason)
        return
    pair = Pair(engine, mujoco.MjData(engine), model, polybody.Data(model))
    for name, reason in defects(engine):
        result.withheld[name] = reason
    started = None
    rng = np.random.default_rng(int(hashlib.sha1(ident.encode()).hexdigest()[:8], 16))
    for number, state in enumerate(states(engine, rng)):
        start(pair, state)
        if number == 1:
            started = state
        compare_state(pair, rng, result)
    assert started is not None
    for integrator in DERIVATIVES:
        compare_derivative(pair, started, integrator, result)
    for integrator in INTEGRATORS:
        compare_trajectory(pair, started, integrator, steps, result)


def _lowered(document: Any, *disable: str) -> polybody.Model:
    return polybody.lower(document, policy="warn", disable=disable, enable=("energy",))


def _gate(model: polybody.Model) -> str:
    """Why nothing of the model is simulated yet."""
    try:
        polybody.forward(model, polybody.Data(model))
    except polybody.ModelError as error:
        return "gated: " + " ".join(str(error).split())[:200]
    return ""


def _withhold(result: Comparison, names: Any, reason: str) -> None:
    result.withheld |= dict.fromkeys(names, reason)


def compose(engine: Any) -> None:
    """Make MuJoCo compose poses even if it treats frames as identical because they differ by at most 1e-6."""
    for kind, own, frame in (
        ("body", ("body_ipos", "body_iquat"), None),
        ("geom", ("geom_pos", "geom_quat"), engine.geom_bodyid),
        ("site", ("site_pos", "site_quat"), engine.site_bodyid),
    ):
        same = getattr(engine, f"{kind}_sameframe")
        pos, quat = (np.asarray(getattr(engine, name)) for name in own)
        at, turn = np.zeros_like(pos), np.tile([1.0, 0, 0, 0], (len(pos), 1))
        if frame is not None:
            inertial = np.isin(same, (mujoco.mjtSameFrame.mjSAMEFRAME_INERTIA, INERTIAL_TURN))
            at[inertial], turn[inertial] = (
                engine.body_ipos[frame[inertial]],
                engine.body_iquat[frame[inertial]],
            )
        turned = np.minimum(np.abs(quat - turn).max(axis=1), np.abs(quat + turn).max(axis=1))
        rotation = np.isin(same, (mujoco.mjtSameFrame.mjSAMEFRAME_BODYROT, INERTIAL_TURN))
        moved = np.where(rotation, 0.0, np.abs(pos - at).max(axis=1))
        same[np.maximum(turned, moved) > ROUNDING] = mujoco.mjtSameFrame.mjSAMEFRAME_NONE


def defects(engine: Any) -> Iterator[tuple[str, str]]:
    """Results of MuJoCo that are affected by its defects: the name, and a description of the defect."""
    snapped = (engine.body_simple > 0) & (engine.body_sameframe != mujoco.mjtSameFrame.mjSAMEFRAME_BODY)
    if snapped[engine.dof_bodyid].any():
        for name in ("qM", "energy", INVERSE, SENSORS, *SOLVED, *TRAJECTORIES):
            yield name, "MuJoCo holds M constant though a centre of mass is up to 1e-6 from the body's origin"
    sites = engine.actuator_trntype == mujoco.mjtTrn.mjTRN_SITE
    turned = sites & (engine.actuator_trnid[:, 1] >= 0) & engine.actuator_gear[:, 3:].any(axis=1)
    if turned.any():
        reason = "MuJoCo multiplies a rotated site's and its refsite's quaternions in reversed order"
        yield "actuator_length", reason
        if _measuring(engine)[turned].any():
            for name in ("actuator_force", "qfrc_actuator", "qfrc_smooth", SENSORS, *SOLVED, *TRAJECTORIES):
                yield name, reason
    for row in range(engine.ntendon):
        first, count = int(engine.tendon_adr[row]), int(engine.tendon_num[row])
        over = engine.wrap_objid[first : first + count]
        if engine.wrap_type[first] == mujoco.mjtWrap.mjWRAP_JOINT and len(set(over.tolist())) < count:
            for name in (
                *(*TENDONS[1:], *ACTUATION, *FORCES, SENSORS, INVERSE),
                *(*SOLVED, *DERIVATIVES, *TRAJECTORIES),
            ):
                yield name, "MuJoCo's dense Jacobian has one of a joint's two coefficients in a fixed tendon"
    if engine.geom_fluid[:, 0].any() and _smallest_face(engine) ** 2.5 * SLOW**4 < LEAST:
        for name in (*DERIVATIVES, *[name for name in TRAJECTORIES if name.startswith("implicit")]):
            yield name, "MuJoCo's derivatives of drag and lift are cut off where shapes are small"
    free = engine.jnt_stiffness[engine.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
    if free.any():
        yield "energy", "MuJoCo normalises a free joint's position before it takes the energy of its spring"
    if _slewing(engine):
        for name in TRAJECTORIES:
            if name.startswith("RK4"):
                yield name, "MuJoCo's pid takes the later stages of the first step for steps that follow it"
    if not engine.nu and engine.jnt_actgravcomp.any() and engine.ngravcomp:
        for name in ("qfrc_actuator", "qfrc_smooth", SENSORS, *SOLVED, *TRAJECTORIES):
            yield name, "MuJoCo loses gravity compensation by actuators where there is no actuator"


def _slewing(engine: Any) -> bool:
    """Whether a controller limits the rate of its input: the last attribute of `mujoco.pid`."""
    used = engine.actuator_plugin[engine.actuator_plugin >= 0]
    attributes = np.asarray(engine.plugin_attr, dtype=np.uint8)
    return any(bytes(attributes[int(engine.plugin_attradr[row]) :]).split(b"\0")[4:5] > [b""] for row in used)


def _smallest_face(engine: Any) -> float:
    """The least squared product of two half axes among the ellipsoids that a medium acts on, m^4."""
    sizes = np.where(engine.geom_size > 0, engine.geom_size, np.inf)[engine.geom_fluid[:, 0] > 0]
    smallest = np.sort(np.where(np.isinf(sizes), sizes[:, :1], sizes), axis=1)
    return float(np.square(smallest[:, 0] * smallest[:, 1]).min())


def _measuring(engine: Any) -> np.ndarray:
    """Actuators whose force depends on their length."""
    affine = int(mujoco.mjtGain.mjGAIN_AFFINE), int(mujoco.mjtBias.mjBIAS_AFFINE)
    gain = (engine.actuator_gaintype == affine[0]) & (engine.actuator_gainprm[:, 1] != 0)
    found: np.ndarray = gain | (engine.actuator_biastype == affine[1]) & (engine.actuator_biasprm[:, 1] != 0)
    return found


# --- states -----------------------------------------------------------------------------------------------

State = dict[str, np.ndarray]
INPUTS = ("qpos", "qvel", "ctrl", "act", "mocap_pos", "mocap_quat", "qfrc_applied", "xfrc_applied")


def states(engine: Any, rng: np.random.Generator) -> Iterator[State]:
    """The first keyframe, or the initial state without one; then two random states, the second further
    away.
    """
    for scale in (0.0, 0.3, 1.0):
        data = mujoco.MjData(engine)
        if not scale:
            if engine.nkey:
                mujoco.mj_resetDataKeyframe(engine, data, 0)
        else:
            put_random(engine, data, rng, scale)
        yield {name: np.array(getattr(data, name)) for name in INPUTS}


def put_random(engine: Any, data: Any, rng: np.random.Generator, scale: float) -> None:
    """Random positions around the initial ones, within the limits of joints; velocities, controls,
    activations.
    """
    for joint, kind in enumerate(engine.jnt_type.tolist()):
        first = int(engine.jnt_qposadr[joint])
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            data.qpos[first : first + 3] += rng.uniform(-scale, scale, 3)
            data.qpos[first + 3 : first + 7] = rng.normal(size=4)
        elif kind == mujoco.mjtJoint.mjJNT_BALL:
            data.qpos[first : first + 4] += 0.5 * rng.normal(size=4)
        elif engine.jnt_limited[joint]:
            low, high = engine.jnt_range[joint]
            data.qpos[first] = low + (high - low) * rng.uniform(0.1, 0.9)
        else:
            wide = scale if kind == mujoco.mjtJoint.mjJNT_HINGE else scale / 2
            data.qpos[first] += rng.uniform(-wide, wide)
    data.qvel[:] = rng.uniform(-0.5, 0.5, engine.nv)
    data.ctrl[:] = rng.uniform(*_bounds(engine, "ctrl", -1.0))
    low, high = _bounds(engine, "act", 0.0)
    for row in np.flatnonzero(engine.actuator_actadr >= 0).tolist():
        first, count = int(engine.actuator_actadr[row]), int(engine.actuator_actnum[row])
        data.act[first : first + count] = rng.uniform(low[row], high[row], count)
    mujoco.mj_normalizeQuat(engine, data.qpos)


def _bounds(engine: Any, kind: str, least: float) -> tuple[np.ndarray, np.ndarray]:
    """The ranges of controls or activations; from `least` to 1 for those without."""
    limited = getattr(engine, f"actuator_{kind}limited").astype(bool)[:, None]
    ranges = np.where(limited, getattr(engine, f"actuator_{kind}range"), [[least, 1.0]])
    return ranges[:, 0], ranges[:, 1]


def start(pair: Pair, state: State) -> None:
    """Let both simulations start at a state."""
    mujoco.mj_resetData(pair.their_model, pair.their_data)
    pair.data.reset()
    for name, values in state.items():
        getattr(pair.their_data, name)[...] = values
        setattr(pair.data, name, values)


# --- one instant ------------------------------------------------------------------------------------------


def compare_state(pair: Pair, rng: np.random.Generator, result: Comparison) -> None:
    """Compare everything at this state, then inverse dynamics for random accelerations."""
    engine, theirs, model, data = pair.their_model, pair.their_data, pair.model, pair.data
    mujoco.mj_forward(engine, theirs)
    mujoco.mj_subtreeVel(engine, theirs)
    mujoco.mj_rnePostConstraint(engine, theirs)
    polybody.forward(model, data)
    matrix = np.zeros((engine.nv, engine.nv))
    if engine.nv:
        mujoco.mj_fullM(engine, matrix, theirs.qM)
    solved, sizes = hardness(engine, matrix), scales(engine, theirs)
    for name in (*POSES, *TENDONS, *FORCES, *ACTUATION, *MOTIONS, *SOLVED):
        if name in result.withheld and name not in result.measured:
            continue
        found, given = np.asarray(getattr(data, name)), _theirs(engine, theirs, name, matrix)
        result.add(name, found, given, solved if name in SOLVED else 1.0, sizes.get(name, 0.0))
    if SENSORS not in result.withheld:
        compare_sensors(pair, solved, sizes, result)
    data.qacc = theirs.qacc[:] = rng.uniform(-1, 1, engine.nv)
    mujoco.mj_inverse(engine, theirs)
    polybody.inverse(model, data)
    if INVERSE not in result.withheld:
        result.add(INVERSE, data.qfrc_inverse, theirs.qfrc_inverse, scale=sizes["qfrc_bias"])


def compare_sensors(pair: Pair, solved: float, sizes: dict[str, float], result: Comparison) -> None:
    """Compare each sensor separately: their units differ."""
    engine = pair.their_model
    for row in range(engine.nsensor):
        if _misses_mode(engine, row):
            continue
        own = slice(int(engine.sensor_adr[row]), int(engine.sensor_adr[row] + engine.sensor_dim[row]))
        late = engine.sensor_needstage[row] == mujoco.mjtStage.mjSTAGE_ACC
        found, given = pair.data.sensordata[own], pair.their_data.sensordata[own]
        result.add(SENSORS, found, given, solved if late else 1.0, _sensor_scale(engine, row, sizes))


def _sensor_scale(engine: Any, row: int, sizes: dict[str, float]) -> float:
    """Magnitudes of the terms of a sensor's result, which may cancel."""
    kind, sensors = engine.sensor_type[row], mujoco.mjtSensor
    if kind in (sensors.mjSENS_FORCE, sensors.mjSENS_TORQUE):
        return sizes["cfrc_int"]
    if kind == sensors.mjSENS_CAMPROJECTION:
        return float(engine.cam_resolution[engine.sensor_refid[row]].max())
    if engine.sensor_needstage[row] == mujoco.mjtStage.mjSTAGE_ACC:
        return max(sizes["qacc"], sizes["qfrc_actuator"])
    return 0.0


def _misses_mode(engine: Any, row: int) -> bool:
    """MuJoCo treats a camera's quaternion as that of a fixed camera, whatever its mode."""
    if engine.sensor_type[row] != mujoco.mjtSensor.mjSENS_FRAMEQUAT:
        return False
    places = (
        (engine.sensor_objtype[row], engine.sensor_objid[row]),
        (engine.sensor_reftype[row], engine.sensor_refid[row]),
    )
    return any(
        kind == mujoco.mjtObj.mjOBJ_CAMERA and which >= 0 and engine.cam_mode[which] for kind, which in places
    )


def hardness(engine: Any, matrix: np.ndarray) -> float:
    """The largest condition number of the blocks of the mass matrix: each tree is solved separately."""
    trees = [np.flatnonzero(engine.dof_treeid == tree) for tree in range(engine.ntree)]
    return max((condition(matrix[np.ix_(rows, rows)]) for rows in trees), default=1.0)


def scales(engine: Any, data: Any) -> dict[str, float]:
    """Magnitudes of the terms of a field, which may cancel: weights and inertial forces."""
    fall, heaviest = float(np.linalg.norm(engine.opt.gravity)), float(engine.body_mass.max(initial=0))
    reach = np.abs(data.xipos - data.subtree_com[engine.body_rootid]).max(initial=1.0)
    weight, thrown = heaviest * fall * reach, heaviest * np.abs(data.cacc).max(initial=0) * reach
    forces = dict.fromkeys(("qfrc_bias", "qfrc_smooth", "qfrc_gravcomp", "qfrc_passive"), weight)
    accelerations = dict.fromkeys(("qacc_smooth", "qacc", "cacc"), fall)
    gains = max(np.abs(prm).max(initial=0) for prm in (engine.actuator_gainprm, engine.actuator_biasprm))
    driven = dict.fromkeys(("actuator_force", "qfrc_actuator"), float(gains))
    return forces | accelerations | driven | {"cfrc_int": max(weight, thrown), "energy": weight}


def _theirs(engine: Any, data: Any, name: str, matrix: np.ndarray) -> np.ndarray:
    if name == "qM":
        return matrix
    if name == "ten_J":
        return _tendon_jacobian(engine, data)
    if name == "actuator_moment":
        dense = np.zeros((engine.nu, engine.nv))
        mujoco.mju_sparse2dense(
            dense, data.actuator_moment, data.moment_rownnz, data.moment_rowadr, data.moment_colind
        )
        return dense
    return np.asarray(getattr(data, name))


def _tendon_jacobian(engine: Any, data: Any) -> np.ndarray:
    """ten_J, which is sparse in large models."""
    if not mujoco.mj_isSparse(engine):
        return np.asarray(data.ten_J).reshape(engine.ntendon, engine.nv)
    dense = np.zeros((engine.ntendon, engine.nv))
    if engine.ntendon:
        flat = np.asarray(data.ten_J).reshape(-1)
        columns = np.asarray(data.ten_J_colind).reshape(-1)
        mujoco.mju_sparse2dense(dense, flat, data.ten_J_rownnz, data.ten_J_rowadr, columns)
    return dense


# --- trajectories -----------------------------------------------------------------------------------------


def compare_derivative(pair: Pair, state: State, name: str, result: Comparison) -> None:
    """Compare qDeriv of an integrator at a state: MuJoCo computes it in a step."""
    if name in result.withheld:
        return
    engine, integrator = pair.their_model, name.partition(" ")[0]
    engine.opt.integrator = Integrator[integrator]
    model = pair.model.replace(opt_integrator=integrator)
    start(pair, state)
    mujoco.mj_step(engine, pair.their_data)
    if reason := _diverged(pair.their_data):
        result.withheld[name] = reason
        return
    data, dense = polybody.Data(model), np.zeros((engine.nv, engine.nv))
    for column, values in state.items():
        setattr(data, column, values)
    for row in range(engine.nv):
        first = int(pair.their_data.D_rowadr[row])
        entries = slice(first, first + int(pair.their_data.D_rownnz[row]))
        dense[row, pair.their_data.D_colind[entries]] = pair.their_data.qDeriv[entries]
    matrix = np.abs(polybody.mass_matrix(model, data)).max(initial=0)  # gyroscopic terms may cancel
    result.add(name, data.qDeriv, dense, scale=float(matrix * np.abs(data.qvel).max(initial=0)))


def compare_trajectory(pair: Pair, state: State, integrator: str, steps: int, result: Comparison) -> None:
    """Compare the state after a number of steps, unless MuJoCo diverges or rounding decides the result."""
    engine, names = pair.their_model, ("qpos", "qvel", "act")
    count = steps if engine.nv <= LARGE else min(steps, FEW)
    keys = [f"{integrator} {name}" for name in names]
    engine.opt.integrator = Integrator[integrator]
    reason = "" if engine.nv else "it has no degrees of freedom"
    if not reason:
        matrix = np.zeros((engine.nv, engine.nv))
        start(pair, state)
        mujoco.mj_forward(engine, pair.their_data)
        mujoco.mj_fullM(engine, matrix, pair.their_data.qM)
        if ROUNDING * hardness(engine, matrix) > UNDECIDED:
            reason = f"the mass matrix has condition number {hardness(engine, matrix):.1e}"
    if not reason:
        there = _there(pair, state, count)
        reason = _diverged(pair.their_data)
    if not reason:
        nudged = state | {"qvel": state["qvel"] * (1 + NUDGE) + NUDGE}
        apart = max(_error(a, b) for a, b in zip(_there(pair, nudged, count), there, strict=True))
        if apart > CHAOS:
            reason = f"rounding decides: {NUDGE} of velocity at the start is {apart:.1e} after {count} steps"
    if reason:
        _withhold(result, keys, reason)
        return
    if any(key in result.withheld for key in keys):
        return
    model = pair.model.replace(opt_integrator=integrator)
    data = polybody.Data(model)
    for name, values in state.items():
        setattr(data, name, values)
    polybody.step(model, data, count)
    for key, name, value in zip(keys, names, there, strict=True):
        result.add(key, getattr(data, name), value)


def _there(pair: Pair, state: State, count: int) -> list[np.ndarray]:
    start(pair, state)
    for _ in range(count):
        mujoco.mj_step(pair.their_model, pair.their_data)
    return [np.array(getattr(pair.their_data, name)) for name in ("qpos", "qvel", "act")]


def _error(one: np.ndarray, other: np.ndarray) -> float:
    scale = max(np.abs(other).max(initial=0), 1e-6)
    return float(np.abs(one - other).max(initial=0) / scale)


def _diverged(data: Any) -> str:
    warnings = mujoco.mjtWarning
    for kind in (warnings.mjWARN_BADQPOS, warnings.mjWARN_BADQVEL, warnings.mjWARN_BADQACC):
        if data.warning[int(kind)].number:
            return f"MuJoCo's simulation diverges ({kind.name[7:]})"
    return ""
