"""Columns derived for servos, which are PID controllers, DC motors and orientation servos: their kinds,
controls, forces and states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import tau
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.errors import ModelError
from polybody.generated.model import (
    BiasType,
    DynamicsType,
    GainType,
    JointType,
    Release,
    TransmissionType,
)

Columns = Mapping[str, NDArray[Any]]
PID, MOTOR, CIRCLE = 1, 2, 3
"""Codes in actuator_servo."""
QUAT, TURNS = 2, 3
"""The code in actuator_ctrlspec of orientation servos whose controls are a quaternion; the number of forces
of such servos.
"""
KINDS = {GainType.pid: PID, GainType.dcmotor: MOTOR}
WORDS = ("pos", "vel", "ff", "voltage", "none", "pressure")
"""What is said of controls, in the order of the bits of actuator_ctrlspec."""
SAID = {word: 1 << place for place, word in enumerate(WORDS)} | {"expmap": 1, "quat": QUAT}
CONTROLS = {word: SAID[word] for word in WORDS[:4]}
"""Controls of a servo in their order, and their bits."""
REGULATED = CONTROLS["pos"] | CONTROLS["vel"] | CONTROLS["ff"]
"""Controls of a DC motor's controller."""
STATES = ("slewed", "gathered", "temperature", "bristle", "current")
"""States of servos in their order."""
NAMES = ("servo", "regulated", *(f"ctrl{name}" for name in CONTROLS), *STATES)
"""Columns that servos() derives, without their prefix."""
EXAMINED = {
    "gaintype": (*KINDS, GainType.so3),
    "biastype": (BiasType.so3,),
    "trntype": (TransmissionType.so3,),
}
"""Columns by which wrong() finds what it examines, and the codes there."""
OF_PID = (("dynprm", 1), ("gainprm", 0))
OF_MOTOR = (("dynprm", 7), ("gainprm", 5), ("dynprm", 2), ("dynprm", 5), ("dynprm", 0))
"""The parameters that are positive if there is such a state."""
ANGLED = (DynamicsType.none, DynamicsType.integrator, DynamicsType.filter, DynamicsType.filterexact)
"""Dynamics of servos that turn to the nearest angle."""
TURNED = (TransmissionType.joint, TransmissionType.jointinparent)


def controls(known: Columns) -> dict[str, NDArray[Any]]:
    """The number of controls, and the first one of each actuator."""
    count = known["actuator_ctrlnum"].astype(np.int64)
    first = np.where(count > 0, np.cumsum(count) - count, -1)
    return {"nu": np.array(count.sum(), np.int32), "actuator_ctrladr": first.astype(np.int32)}


def outputs(known: Columns) -> dict[str, NDArray[Any]]:
    """The number of forces, and the first one of each actuator."""
    count = np.where(known["actuator_trntype"] == TransmissionType.so3, TURNS, 1)
    found = {"nout": count.sum(), "actuator_outnum": count, "actuator_outadr": np.cumsum(count) - count}
    return {name: np.asarray(values, np.int32) for name, values in found.items()}


def orientations(known: Columns) -> dict[str, NDArray[Any]]:
    """What the controls of orientation servos are, and where they keep the integral of these."""
    turning = known["actuator_trntype"] == TransmissionType.so3
    kept = turning & (known["actuator_dyntype"] == DynamicsType.integrator)
    return {
        "opt_orientations": np.array(bool(turning.any()), np.uint8),
        "actuator_quatinput": (turning & (known["actuator_ctrlspec"] == QUAT)).astype(np.uint8),
        "actuator_turned": np.where(kept, known["actuator_actadr"], -1).astype(np.int32),
    }


def control_limits(model: Any) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether each control is limited, (nu,), and its range, (nu, 2)."""
    rows = np.repeat(np.arange(model.nactuator), model.actuator_ctrlnum)
    limited, ranges = model.actuator_ctrllimited[rows] > 0, model.actuator_ctrlrange[rows]
    for name in ("vel", "ff"):
        own = model._column(f"actuator_ctrl{name}")
        at = np.flatnonzero(own >= 0)
        ranges[own[at]] = getattr(model, f"actuator_{name}range")[at]
        limited[own[at]] = ranges[own[at], 0] < ranges[own[at], 1]
    return limited, ranges


def initial_controls(model: Any) -> NDArray[np.float64]:
    """The controls at the beginning, (nu,)."""
    found = np.repeat(model.actuator_ctrl0, model.actuator_ctrlnum)
    found[model.actuator_ctrladr[model._column("actuator_quatinput") > 0]] = 1.0  # the identity
    return found


def states(dyntype: int, dynprm: NDArray[Any], gainprm: NDArray[Any]) -> tuple[str, ...]:
    """The states of a servo with these dynamics, in order."""
    needed = {DynamicsType.pid: OF_PID, DynamicsType.dcmotor: OF_MOTOR}.get(DynamicsType(dyntype), ())
    given = {"dynprm": dynprm, "gainprm": gainprm}
    return tuple(name for name, (which, k) in zip(STATES, needed, strict=False) if given[which][k] > 0)


def periods(known: Columns) -> dict[str, NDArray[np.float64]]:
    """actuator_period: as of MuJoCo 4.0 that of servos of ball joints and of sites relative to others."""
    found = np.zeros(len(known["actuator_trntype"]))
    if known["opt_release"] == Release.v4_0:
        for row in np.flatnonzero(_angled(known)).tolist():
            gear, kind = known["actuator_gear"][row], known["actuator_trntype"][row]
            target, other = known["actuator_trnid"][row].tolist()
            if kind == TransmissionType.site and other >= 0 and not gear[:3].any():
                found[row] = tau * np.linalg.norm(gear[3:])
            elif kind in TURNED and known["jnt_type"][target] == JointType.ball:
                found[row] = tau * np.linalg.norm(gear[:3])
    return {"actuator_period": found}


def _angled(known: Columns) -> NDArray[np.bool_]:
    """Actuators that pull towards a desired length."""
    affine = known["actuator_biastype"] == BiasType.affine
    servo = affine & (known["actuator_gaintype"] == GainType.fixed)
    servo &= known["actuator_gainprm"][:, 0] == -known["actuator_biasprm"][:, 1]
    servo &= np.isin(known["actuator_dyntype"], ANGLED)
    return np.asarray(servo | (known["actuator_gaintype"] == GainType.pid))


def wrong(known: Columns) -> Iterator[tuple[int, str, str]]:
    """Servos that do not have as many controls and activations as their kind and parameters say: row, column
    and a text.
    """
    yield from _wrong_turns(known)
    for row in np.flatnonzero(np.isin(known["actuator_gaintype"], tuple(KINDS))).tolist():
        kinds = (known[f"actuator_{name}"][row] for name in ("dyntype", "dynprm", "gainprm"))
        spec = int(known["actuator_ctrlspec"][row])
        controls, found = sum(spec & bit > 0 for bit in CONTROLS.values()), len(states(*kinds))
        for name, wanted in (("ctrlnum", controls), ("actnum", found)):
            has = int(known[f"actuator_{name}"][row])
            if has != wanted:
                what = f"actuator_{name} is {has}, and a servo with these parameters has {wanted}"
                yield row, f"actuator_{name}", what


def _wrong_turns(known: Columns) -> Iterator[tuple[int, str, str]]:
    """The same of orientation servos, and those of which a type, the object or the meaning of the controls is
    another one.
    """
    three = {"trntype": TransmissionType.so3, "gaintype": GainType.so3, "biastype": BiasType.so3}
    is_one = np.array([known[f"actuator_{name}"] == code for name, code in three.items()])
    for row in np.flatnonzero(is_one.any(axis=0)).tolist():
        for name, found in zip(three, is_one[:, row], strict=True):
            if not found:
                yield row, f"actuator_{name}", f"actuator_{name} of an orientation servo must be so3"
        if not _can_turn(known, *known["actuator_trnid"][row].tolist()):
            what = "actuator_trnid of an orientation servo is neither a ball joint nor two sites"
            yield row, "actuator_trnid", what
        spec, kept = int(known["actuator_ctrlspec"][row]), known["actuator_dyntype"][row]
        if spec not in (1, QUAT):
            yield row, "actuator_ctrlspec", f"actuator_ctrlspec of an orientation servo is {spec}, not 1 or 2"
        if kept not in (DynamicsType.none, DynamicsType.integrator) or (spec == QUAT and kept):
            what = "actuator_dyntype of an orientation servo is neither none nor, with a vector, integrator"
            yield row, "actuator_dyntype", what
        for name, wanted in (("ctrlnum", TURNS + (spec == QUAT)), ("actnum", TURNS if kept else None)):
            has = int(known[f"actuator_{name}"][row])
            if wanted is not None and has != wanted:
                what = f"actuator_{name} is {has}, and an orientation servo with these controls has {wanted}"
                yield row, f"actuator_{name}", what


def _can_turn(known: Columns, target: int, other: int) -> bool:
    """Whether an orientation servo can act on a joint, or on a site relative to another one."""
    if other < 0:
        return 0 <= target < len(known["jnt_type"]) and known["jnt_type"][target] == JointType.ball
    return max(target, other) < len(known["site_bodyid"]) and min(target, other) >= 0


def servos(known: Columns) -> dict[str, NDArray[Any]]:
    """The kind of each servo, its controls and its states."""
    if problems := [f"actuator {row}: {what}" for row, _, what in wrong(known)]:
        raise ModelError(problems)
    count = len(known["actuator_trntype"])
    names = (*(f"ctrl{name}" for name in CONTROLS), *STATES)
    found = {name: np.full(count, -1, np.int32) for name in names}
    servo = np.where(known["actuator_period"] > 0, CIRCLE, 0).astype(np.int32)
    regulated = np.zeros(count, np.uint8)
    for row in np.flatnonzero(np.isin(known["actuator_gaintype"], tuple(KINDS))).tolist():
        servo[row] = KINDS[GainType(int(known["actuator_gaintype"][row]))]
        spec = int(known["actuator_ctrlspec"][row])
        regulated[row] = servo[row] == MOTOR and spec & REGULATED > 0
        at, end = int(known["actuator_ctrladr"][row]), int(known["actuator_ctrlnum"][row])
        said = [name for name, bit in CONTROLS.items() if spec & bit]
        for name, place in zip(said, range(at, at + end), strict=False):
            found[f"ctrl{name}"][row] = place
        own = (known[f"actuator_{name}"][row] for name in ("dyntype", "dynprm", "gainprm"))
        at, end = int(known["actuator_actadr"][row]), int(known["actuator_actnum"][row])
        for name, place in zip(states(*own), range(at, at + end), strict=False):
            found[name][row] = place
    acts = bool(servo.any()) and bool(known["opt_actuation_acts"])
    return {
        **{f"actuator_{name}": rows for name, rows in found.items()},
        "actuator_servo": servo,
        "actuator_regulated": regulated,
        "opt_servos": np.array(acts, np.uint8),
    }
