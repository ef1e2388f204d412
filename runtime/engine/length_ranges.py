"""Ranges of the lengths of actuators, found by simulation.

The actuator pulls, then pushes, with a force that gives the degrees of freedom an acceleration of a set
magnitude, until limits and equalities stop it (MuJoCo, Modeling, "Muscle actuators: length range").
"""

from __future__ import annotations

from math import exp, inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.engine.data import Data
from polybody.engine.dynamics import step
from polybody.errors import ModelError, SimulationError
from polybody.generated.kernels import dynamics
from polybody.generated.model import Integrator
from polybody.model.flags import DISABLE
from polybody.model.model import Model

Reals = NDArray[np.float64]

OFF = ("frictionloss", "contact", "passive", "gravity", "actuation")
"""Flags that are set during the simulation; all others are cleared."""
LEAST = 1e-15
"""A norm below which nothing moves."""
SHORTEST = 0.01
"""Minimum time constant of the decay of velocities, s."""


class Search(NamedTuple):
    """Parameters of the search: the attributes of `lengthrange` in `compiler`, by MuJoCo's names."""

    accel: float
    """Norm of the accelerations that the force alone would cause."""
    maxforce: float
    """Maximum norm of the joint forces; 0: no maximum."""
    timeconst: float
    """Time constant of the decay of velocities, s."""
    timestep: float
    """Time step of the simulation, s; 0: the Model's."""
    inttotal: float
    """Duration of the simulation of each end, s."""
    interval: float
    """Duration at the end of the simulation in which the length is observed, s."""
    tolrange: float
    """Maximum variation of the length in that time, as a fraction of the range."""


def length_range(model: Model, actuator: int, search: Search) -> tuple[float, float]:
    """The minimum and maximum length of an actuator, in the unit of its transmission.

    Args:
        model: the Model; friction loss, contacts, passive forces, gravity and other actuators are disabled.
        actuator: its row.
        search: the parameters.

    Raises:
        ModelError: the simulation fails, the length does not settle, or it does not vary.
    """
    moving = _simulated(model, search)
    name = f"actuator {actuator} {model.names['actuator'][actuator]!r}"
    try:
        pulled, pushed = (_observed(moving, actuator, sign, search) for sign in (-1.0, 1.0))
    except SimulationError as error:
        raise ModelError([f"the simulation that finds `lengthrange` of {name} fails: {error}"]) from None
    low, high = pulled[0], pushed[1]
    if not low < high:
        raise ModelError(
            [
                f"the lengths of {name} range from {low:g} to {high:g}, which does not "
                "increase: give `lengthrange`"
            ]
        )
    for least, most in (pulled, pushed):
        if most - least > search.tolrange * (high - low):
            problem = (
                f"the length of {name} does not settle: it varies from {least:g} to {most:g} in the last"
            )
            hint = (
                "give `lengthrange`, limit what it moves, or raise `inttotal` of `lengthrange` in `compiler`"
            )
            raise ModelError(
                [f"{problem} {search.interval:g} s, of a range from {low:g} to {high:g}; {hint}"]
            )
    return low, high


def _simulated(model: Model, search: Search) -> Model:
    changes: dict[str, Any] = {"opt_disableflags": sum(DISABLE[word] for word in OFF)}
    if search.timestep > 0:
        changes["opt_timestep"] = search.timestep
    if model.opt_integrator == Integrator.RK4:
        changes["opt_integrator"] = Integrator.Euler
    return model.replace(**changes)


def _observed(model: Model, actuator: int, sign: float, search: Search) -> tuple[float, float]:
    """Minimum and maximum length at the end of a simulation in which the actuator pulls or pushes."""
    data, moment = Data(model), np.zeros((model.nout, model.nv))
    least, most = inf, -inf
    decay = exp(-float(model.opt_timestep) / max(SHORTEST, search.timeconst))
    while data.time < search.inttotal:
        data.qvel *= decay
        data.qfrc_applied = _force(data, moment, actuator, search) * sign
        if data.time + float(model.opt_timestep) > search.inttotal - search.interval:
            place = int(model.actuator_outadr[actuator])
            length = float(data.actuator_length[place])  # where the step begins, as in MuJoCo
            least, most = min(least, length), max(most, length)
        step(model, data)
    return least, most


def _force(data: Data, moment: Reals, actuator: int, search: Search) -> Reals:
    """Joint forces along the moment of an actuator, (nv,).

    Args:
        moment: memory for the moments of all actuators, (nout, nv).
    """
    memory = data.scratch()
    dynamics.moments(memory.model, memory, moment)
    force = moment[data.model.actuator_outadr[actuator]]
    memory.array("qfrc_applied")[...] = force
    for kernel in (dynamics.mass_matrix, dynamics.factor, dynamics.solve):
        kernel(memory.model, memory)
    force = force * (search.accel / max(LEAST, float(np.linalg.norm(memory.array("qacc")))))
    norm = float(np.linalg.norm(force))
    if norm > search.maxforce > 0:
        force = force * (search.maxforce / norm)
    found: Reals = force
    return found
