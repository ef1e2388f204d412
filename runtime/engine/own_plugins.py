"""User plugins, which are computed in Python in addition to the kernels.

Instances of plugins are computed after a first evaluation by the kernels. Their joint forces act like
qfrc_applied in a second evaluation, so that they belong to the instant at which a step begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from polybody.engine.data import Data
from polybody.errors import ModelError
from polybody.generated.kernels import dynamics
from polybody.generated.model import Integrator, SensorType
from polybody.model.flags import DISABLE
from polybody.model.instances import instances
from polybody.model.model import Columns, Model
from polybody.plugins import FIRST_PARTY, Plugin

Reals = NDArray[np.float64]
FLAGS = {"passive": "passive", "actuator": "actuation", "sensor": "sensor"}
"""The flag that disables plugins of each capability."""

OF_PLUGINS = ("qfrc_passive", "qfrc_actuator", "actuator_force")
"""Columns that plugins change, but that the kernels recompute in a step without them."""


def own(model: Model) -> tuple[tuple[int, Plugin], ...]:
    """The instances of plugins that are computed here and are not disabled: their rows and plugins."""
    return model.once("own plugins", lambda: tuple(_own(model)))


def _own(model: Model) -> Iterator[tuple[int, Plugin]]:
    off = int(model.opt_disableflags)
    built_in = {plugin.name for plugin in FIRST_PARTY}
    for row, instance in enumerate(instances(Columns(model)) if model.nplugin else ()):
        plugin = instance.plugin
        if plugin is None or plugin.name in built_in or plugin.capability not in FLAGS:
            continue
        if not off & DISABLE[FLAGS[plugin.capability]]:
            yield row, plugin


def beside_kernels(model: Model) -> bool:
    """Whether anything is computed here."""
    return bool(own(model))


def complete(model: Model, data: Data) -> Reals:
    """Complete the kernels' forward: compute all instances, and evaluate again if any of them exerts forces.

    Returns:
        The joint forces of plugins, (nv,), which are already included.
    """
    passive, drives = data.qfrc_passive.copy(), data.actuator_force.copy()
    for row, plugin in own(model):
        if plugin.capability != "sensor":
            plugin.compute(model, data, row)
    rows = np.repeat(np.arange(model.nactuator), model.actuator_outnum)
    limited = (model.actuator_forcelimited[rows] > 0) & (model.actuator_outnum[rows] == 1)
    low, high = model.actuator_forcerange[rows].T
    drives_now = np.where(limited, np.clip(data.actuator_force, low, high), data.actuator_force)
    pushed = data.qfrc_passive - passive
    driven = data.actuator_moment.T @ (drives_now - drives)
    forces = np.asarray(pushed + driven, dtype=np.float64)
    if not np.isfinite(forces).all():
        names = sorted({plugin.name for _, plugin in own(model)})
        raise ModelError([f"the force of a plugin is NaN or infinite: {', '.join(names)}"])
    if forces.any():
        with _applied(data, forces):
            dynamics.forward(data.kernel.model, data.kernel)
        data.qfrc_passive += pushed
        data.qfrc_actuator += driven
        data.actuator_force[:] = drives_now
    for row, plugin in own(model):
        if plugin.capability == "sensor":
            plugin.compute(model, data, row)
    return forces


class _applied:
    """Forces that act like qfrc_applied within a context."""

    def __init__(self, data: Data, forces: Reals) -> None:
        self.data, self.forces = data, forces

    def __enter__(self) -> None:
        self.before = self.data.qfrc_applied.copy()
        self.data.qfrc_applied += self.forces

    def __exit__(self, *_: object) -> None:
        self.data.qfrc_applied[:] = self.before


def advance_beside(
    model: Model, data: Data, n: int, take: Callable[[int], int], forward: Callable[[], Reals]
) -> int:
    """Take steps of a Model with user plugins; returns how many were completed.

    Args:
        model, data: the simulation.
        n: number of steps.
        take: takes steps with the kernels, and returns how many were completed.
        forward: evaluates everything, and returns the joint forces of plugins.

    Raises:
        ModelError: plugins exert forces, and the integrator evaluates forces more than once per step.
    """
    if model.opt_integrator == Integrator.RK4:
        raise ModelError(["user plugins are evaluated once per step, and RK4 needs four evaluations"])
    for done in range(n):
        forces = forward()
        kept = {name: getattr(data, name).copy() for name in OF_PLUGINS}
        measured = data.sensordata.copy()
        with _applied(data, forces):
            if not take(1):
                return done
        for name, values in kept.items():
            getattr(data, name)[:] = values
        for row in np.flatnonzero(model.sensor_type == SensorType.plugin).tolist():
            part = slice(model.sensor_adr[row], model.sensor_adr[row] + model.sensor_dim[row])
            data.sensordata[part] = measured[part]
        for row, plugin in own(model):
            plugin.advance(model, data, row)
    return n
