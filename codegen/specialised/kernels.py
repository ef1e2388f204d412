"""How each kernel of staging/interface.py is made for one model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..physics import crba, energy, forward, integrate, jacobian, kinematics, passive, rnea

Algorithm = Callable[..., None]
INTEGRATORS = {0: (integrate.euler, 1), 1: (integrate.rk4, 4)}  # by opt_integrator: the step, its stages


@dataclass(frozen=True)
class Plan:
    """An algorithm, roughly its statements per link and entry of qM, and whether it is about where bodies are
    in the world."""

    algorithm: Algorithm
    per_link: int
    per_entry: int = 0
    posing: bool = False


def plans(integrator: int) -> Mapping[str, Plan]:
    """How the kernels of RESULTS are made for a model with this integrator, by name."""
    step, stages = INTEGRATORS[integrator]
    return {
        "forward_kinematics": Plan(kinematics.forward_kinematics, 150, posing=True),
        "mass_matrix": Plan(crba.mass_matrix, 200, 45),
        "bias": Plan(rnea.bias, 250),
        "passive": Plan(passive.passive, 40),
        "inverse": Plan(rnea.inverse, 300),
        "acceleration": Plan(forward.forces, 600),
        "step": Plan(step, 600 * stages),
        "energy": Plan(energy.energy, 300, posing=True),
        "jacobian": Plan(jacobian.jacobian, 150, posing=True),
    }
