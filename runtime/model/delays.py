"""Past samples of actuators and sensors with delays: where they are in history, and the first ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.errors import ModelError

Columns = Mapping[str, NDArray[Any]]
MOST = 1 << 27
"""Maximum length of history: 1 GiB."""
HEAD = 2
"""Numbers before the times of samples: when an interval began, and the place of the newest sample."""
ROUNDING = 1e-12
"""Relative, of the number of steps to a sample."""
KINDS = ("zoh", "linear", "cubic")
"""How a value between two samples is found, by code."""
READS = (
    *("actuator_history", "actuator_delay", "actuator_ctrlnum"),
    *("sensor_history", "sensor_delay", "sensor_dim"),
)


def histories(known: Columns) -> dict[str, NDArray[Any]]:
    """The length of history, the part of each actuator and sensor in it, and whether controls may be late."""
    if problems := list(_wrong(known)):
        raise ModelError(problems)
    found, end = {}, 0
    for kind, width in (("actuator", "ctrlnum"), ("sensor", "dim")):
        count = known[f"{kind}_history"][:, 0].astype(np.int64)
        sizes = np.where(count > 0, HEAD + count * (1 + known[f"{kind}_{width}"].astype(np.int64)), 0)
        starts = end + np.cumsum(sizes) - sizes
        found[f"{kind}_historyadr"] = np.where(count > 0, starts, -1)
        end += int(sizes.sum())
    if end > MOST:
        raise ModelError(
            [f"the past samples of actuators and sensors are {end:,} numbers, more than {MOST:,}"]
        )
    delays = (known["actuator_history"][:, 0] > 0) & (known["actuator_delay"] != 0)
    return {
        **{name: rows.astype(np.int32) for name, rows in found.items()},
        "nhistory": np.array(end, np.int32),
        "opt_delays": np.array(delays.any(), np.uint8),
    }


def _wrong(known: Columns) -> Iterator[str]:
    for kind in ("actuator", "sensor"):
        count, code = known[f"{kind}_history"].T
        for row in np.flatnonzero((count < 0) | (code < 0) | (code >= len(KINDS))).tolist():
            yield f"{kind}_history[{row}] is {count[row]} samples and the interpolation {code[row]}"
        for row in np.flatnonzero((known[f"{kind}_delay"] > 0) & (count == 0)).tolist():
            yield f"{kind} {row} has a delay, but no past samples of it are kept: {kind}_history"
    for row in np.flatnonzero(
        (known["actuator_ctrlnum"] == 0) & (known["actuator_history"][:, 0] > 0)
    ).tolist():
        yield f"actuator {row} has no control of which samples could be kept: actuator_history"


def initial_history(model: Any, timestep: float | None = None) -> NDArray[np.float64]:
    """history at the beginning, (nhistory,), as in MuJoCo: samples of steps or intervals before time 0, which
    are 0, of rotations as quaternions the identity.

    Args:
        model: the Model.
        timestep: instead of its own.
    """
    h = float(model.opt_timestep) if timestep is None else timestep
    found = np.zeros(model.nhistory)
    for kind in ("actuator", "sensor") if model.nhistory else ():
        starts = model._column(f"{kind}_historyadr")
        for row in np.flatnonzero(starts >= 0).tolist():
            first, count = int(starts[row]), int(getattr(model, f"{kind}_history")[row, 0])
            behind = np.arange(-count, 0.0)
            times = behind * h
            if kind == "sensor":
                interval, last = model.sensor_interval[row].tolist()
                found[first] = -h
                if interval > 0:
                    apart = max(interval, h)
                    found[first] = last or -interval
                    times = _steps_after(((last or -apart) + (behind + 1) * apart) / h) * h
            found[first + 1] = count - 1
            end = first + HEAD + count
            found[first + HEAD : end] = times
            if kind == "actuator" and model._column("actuator_quatinput")[row] > 0:
                found[end : end + 4 * count : 4] = 1.0  # as initial controls are
    return found


def _steps_after(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Whole numbers that are not less, except for rounding, of which MuJoCo 4.0 has this bound."""
    nearest = np.rint(numbers)
    return np.where(np.abs(numbers - nearest) <= ROUNDING * np.abs(numbers), nearest, np.ceil(numbers))


def misfit(model: Any, histories: NDArray[np.float64]) -> str:
    """Why rows of (n, nhistory) cannot be the past samples of a Model; "" if they can."""
    for kind in ("actuator", "sensor") if model.nhistory else ():
        starts = model._column(f"{kind}_historyadr")
        for row in np.flatnonzero(starts >= 0).tolist():
            first, count = int(starts[row]), int(getattr(model, f"{kind}_history")[row, 0])
            newest, whose = histories[:, first + 1], f"{kind} {row} {model.names[kind][row]!r}"
            if not (np.isin(newest, np.arange(count))).all():
                return (
                    f"history: the newest of the {count} samples of {whose} must be one of 0 to {count - 1}"
                )
            order = (newest.astype(np.int64)[:, None] + 1 + np.arange(count)) % count
            times = np.take_along_axis(histories[:, first + HEAD : first + HEAD + count], order, axis=1)
            if not (np.diff(times, axis=1) > 0).all():
                return f"history: the times of the samples of {whose} must increase"
    return ""
