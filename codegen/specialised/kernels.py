"""How each kernel of staging/interface.py is built for one model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..physics import crba, energy, forward, integrate, jacobian, kinematics, passive, rnea

Algorithm = Callable[..., None]
INTEGRATORS = {  # by opt_integrator: the step, approximate statements per link and per entry of qM
    0: (integrate.euler, 600, 0),
    1: (integrate.rk4, 2400, 0),
    2: (integrate.implicit, 1200, 160),
    3: (integrate.implicitfast, 900, 60),
}


STAGED = (integrate.rk4,)
"""Steps that compute accelerations at intermediate positions."""


@dataclass(frozen=True)
class Plan:
    """An algorithm, approximate statements per link and per entry of qM, and whether world poses of bodies
    are results.
    """

    algorithm: Algorithm
    per_link: int
    per_entry: int = 0
    posing: bool = False


def plans(integrator: int) -> Mapping[str, Plan]:
    """How the kernels of RESULTS are built for a model with this integrator, by name."""
    step, per_link, per_entry = INTEGRATORS[integrator]
    return {
        "forward_kinematics": Plan(kinematics.forward_kinematics, 150, posing=True),
        "mass_matrix": Plan(crba.mass_matrix, 200, 45),
        "bias": Plan(rnea.bias, 250),
        "passive": Plan(passive.passive, 40),
        "inverse": Plan(rnea.inverse, 300),
        "acceleration": Plan(forward.forward_dynamics, 600),
        "step": Plan(step, per_link, per_entry),
        "energy": Plan(energy.energy, 300, posing=True),
        "jacobian": Plan(jacobian.jacobian, 150, posing=True),
    }
