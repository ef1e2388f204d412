"""Which kernels can be made for one model, what they compute and which columns they have to do with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..physics import aba, crba, energy, integrate, kinematics, passive, rnea
from ..staging.machines import Machine

Algorithm = Callable[..., None]
INTEGRATORS: dict[int, Algorithm] = {0: integrate.euler, 1: integrate.rk4}  # by opt_integrator


def acceleration(m: Machine, t: Any) -> None:
    """qacc, the passive forces included."""
    m.call(passive.passive)
    m.call(aba.acceleration)


@dataclass(frozen=True)
class Plan:
    """An algorithm and the columns that it leaves."""

    algorithm: Algorithm
    results: tuple[str, ...]


def plans(integrator: int) -> Mapping[str, Plan]:
    """The kernels by name, for a model with this integrator."""
    return {
        "forward_kinematics": Plan(kinematics.forward_kinematics, ("xpos", "xquat", "xmat")),
        "mass_matrix": Plan(crba.mass_matrix, ("qM",)),
        "bias": Plan(rnea.bias, ("qfrc_bias",)),
        "passive": Plan(passive.passive, ("qfrc_passive",)),
        "inverse": Plan(rnea.inverse, ("qfrc_inverse",)),
        "acceleration": Plan(acceleration, ("qacc",)),
        "step": Plan(INTEGRATORS[integrator], ("qpos", "qvel", "qacc")),
        "energy": Plan(energy.energy, ("energy",)),
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
}
