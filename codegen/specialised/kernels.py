"""Which kernels can be made for one model, what they compute and which columns they have to do with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..physics import aba, crba, energy, integrate, jacobian, kinematics, passive, rnea
from ..staging.machines import Machine

Algorithm = Callable[..., None]
INTEGRATORS = {0: (integrate.euler, 1), 1: (integrate.rk4, 4)}  # by opt_integrator: the step, its stages


def acceleration(m: Machine, t: Any) -> None:
    """qacc, the passive forces included."""
    m.call(passive.passive)
    m.call(aba.acceleration)


@dataclass(frozen=True)
class Plan:
    """An algorithm, the columns that it leaves, roughly its statements per link and entry of qM, and whether
    it is about where bodies stand in the world."""

    algorithm: Algorithm
    results: tuple[str, ...]
    per_link: int
    per_entry: int = 0
    posing: bool = False


def plans(integrator: int) -> Mapping[str, Plan]:
    """The kernels by name, for a model with this integrator."""
    step, stages = INTEGRATORS[integrator]
    return {
        "forward_kinematics": Plan(
            kinematics.forward_kinematics, ("xpos", "xquat", "xmat"), 150, posing=True
        ),
        "mass_matrix": Plan(crba.mass_matrix, ("qM",), 200, 45),
        "bias": Plan(rnea.bias, ("qfrc_bias",), 250),
        "passive": Plan(passive.passive, ("qfrc_passive",), 40),
        "inverse": Plan(rnea.inverse, ("qfrc_inverse",), 300),
        "acceleration": Plan(acceleration, ("qacc",), 600),
        "step": Plan(step, ("qpos", "qvel", "qacc"), 600 * stages),
        "energy": Plan(energy.energy, ("energy",), 300, posing=True),
        "jacobian": Plan(jacobian.jacobian, ("dof_xaxis", "dof_xanchor", "xpos"), 150, posing=True),
    }


FACE: dict[str, tuple[str, int]] = {  # the columns of a simulation: the axis, and scalars per row
    "qpos": ("q", 1),
    "qvel": ("dof", 1),
    "qfrc_applied": ("dof", 1),
    "qacc": ("dof", 1),
    "qfrc_bias": ("dof", 1),
    "qfrc_passive": ("dof", 1),
    "qfrc_inverse": ("dof", 1),
    "xpos": ("body", 3),
    "xquat": ("body", 4),
    "xmat": ("body", 9),
    "qM": ("M", 1),
    "energy": ("one", 2),
    "dof_xaxis": ("dof", 6),
    "dof_xanchor": ("dof", 3),
}
