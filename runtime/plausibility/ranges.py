"""Keys and initial poses outside ranges, and ranges that allow nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from polybody.model.servos import control_limits
from polybody.plausibility.doubts import Doubt, called, listed
from polybody.plausibility.facts import Facts

SLACK = 0.01
"""Tolerance relative to the width of a range: limits are soft, and files have few digits."""


def keys(facts: Facts) -> Iterator[Doubt]:
    """Keys whose coordinates or controls are outside their ranges."""
    model = facts.model
    joints, adr = facts.scalar, model.jnt_qposadr[facts.scalar]
    poses = _outside(model.key_qpos[:, adr], model.jnt_range[joints], model.jnt_limited[joints])
    limited, ranges = control_limits(model)
    inputs = _outside(model.key_ctrl, ranges, limited)
    owners = np.repeat(np.arange(model.nactuator), model.actuator_ctrlnum)
    for key in np.flatnonzero(poses.any(axis=1) | inputs.any(axis=1)).tolist():
        qpos, ctrl = model.key_qpos[key], model.key_ctrl[key]
        said = [_said(model, "joint", int(joints[row]), qpos[adr[row]]) for row in np.flatnonzero(poses[key])]
        said += [
            _said(model, "actuator", int(owners[row]), ctrl[row], ranges[row])
            for row in np.flatnonzero(inputs[key])
        ]
        message = f"{called(model, 'key', key)} is outside ranges: {listed(said)}"
        yield Doubt(("key", key), message, "give values within the ranges, or wider ranges")


def initial(facts: Facts) -> Iterator[Doubt]:
    """An initial pose outside the ranges of joints; once for all joints.

    A pose of zeros is not what a document gives, except in MJCF without keys, which has no other.
    """
    model = facts.model
    joints, adr = facts.scalar, model.jnt_qposadr[facts.scalar]
    given = (model.qpos0[adr] != 0) | (facts.format == "mjcf" and model.nkey == 0)
    limited = (model.jnt_limited[joints] > 0) & given
    outside = np.flatnonzero(_outside(model.qpos0[adr], model.jnt_range[joints], limited)).tolist()
    if outside:
        said = [_said(model, "joint", int(joints[row]), model.qpos0[adr[row]]) for row in outside]
        message = f"the initial pose is outside the ranges of joints: {listed(said)}"
        yield Doubt(("joint", int(joints[outside[0]])), message, _START.get(facts.format, _START[""]))


_START = {
    "mjcf": "add a <key> within the ranges to start from, or set `ref`",
    "sdf": "give <initial_position> of the axis, or set a state within the ranges before the first step",
    "": "set a state within the ranges before the first step",
}


def _outside(values: Any, ranges: Any, limited: Any) -> Any:
    """Which values, (..., n), are outside their ranges."""
    low, high = ranges[:, 0], ranges[:, 1]
    slack = SLACK * np.maximum(high - low, 0.0)
    return (limited > 0) & ((values < low - slack) | (values > high + slack))


def _said(model: Any, kind: str, row: int, value: float, bounds: Any = None) -> str:
    """A joint at a coordinate, or the control of an actuator, with its range."""
    low, high = model.jnt_range[row] if bounds is None else bounds
    what = called(model, kind, row) if kind == "joint" else f"the control of {called(model, kind, row)}"
    return f"{what} at {value:.4g} (range {low:.4g} to {high:.4g})"


def nothing_allowed(facts: Facts) -> Iterator[Doubt]:
    """Ranges of forces and controls that contain only zero."""
    model = facts.model
    for kind, limited, ranges, name in (
        ("actuator", model.actuator_forcelimited, model.actuator_forcerange, "forcerange"),
        ("actuator", model.actuator_ctrllimited, model.actuator_ctrlrange, "ctrlrange"),
        ("joint", model.jnt_actfrclimited, model.jnt_actfrcrange, "actuatorfrcrange"),
    ):
        what = "force" if name != "ctrlrange" else "control"
        for row in np.flatnonzero((limited > 0) & (ranges == 0).all(axis=1)).tolist():
            message = f"{called(model, kind, row)}: its {what} is limited to 0, so it does nothing"
            yield Doubt((kind, row), message, "give the intended range", name)
