"""The kernels: the algorithms that Python and other Cython modules call, and those of programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import (
    aba,
    actuators,
    constrained,
    crba,
    damping,
    energy,
    flexes,
    formulas,
    forward,
    integrate,
    jacobian,
    kinematics,
    ltl,
    passive,
    rnea,
    tendons,
    transmissions,
)
from .damping import FAST, IMPLICIT

Algorithm = Callable[..., None]
Relation = tuple[tuple[str, ...], Callable[..., bool]]
"""Flags, and a condition on their values."""


@dataclass(frozen=True)
class Kernel:
    """A kernel, which has the name of its algorithm.

    Attributes:
        algorithm: what its loops compute.
        after: kernels that are called before it, in this order. What they compute, it reads.
        watches: whether xfrc_applied is examined before, for external_acts.
        results: the columns that it writes in a program; () if programs do not have it.
        instead: what a program computes, if not the same.
        per_link, per_entry: the approximate number of statements of a program, per link and per entry of qM.
        posing: whether world poses of bodies are results.
    """

    algorithm: Algorithm
    after: tuple[Algorithm, ...] = ()
    watches: bool = False
    results: tuple[str, ...] = ()
    instead: Algorithm | None = None
    per_link: int = 0
    per_entry: int = 0
    posing: bool = False

    @property
    def name(self) -> str:
        return self.algorithm.__name__

    @property
    def programmed(self) -> Algorithm:
        """What a program computes."""
        return self.instead or self.algorithm

    @property
    def order(self) -> str:
        """A sentence about the kernels before it."""
        *first, last = ["", *(f"{f.__name__}()" for f in self.after)]
        names = f"{', '.join(first[1:])} and {last}" if first[1:] else last
        return f"It uses the results of {names}." if last else ""


@dataclass(frozen=True)
class Integrator:
    """An integrator.

    Attributes:
        name: its keyword.
        code: its code in opt_integrator.
        kernel: a step.
        staged: whether it computes accelerations at intermediate positions.
        matrix: whether its loops use the mass matrix.
    """

    name: str
    code: int
    kernel: Kernel
    staged: bool = False
    matrix: bool = False


FORCES = (passive.passive, actuators.actuation)
POSES = ("xpos", "xquat", "xmat")
KERNELS = (
    Kernel(kinematics.forward_kinematics, results=POSES, per_link=150, posing=True),
    Kernel(rnea.bias, results=("qfrc_bias",), per_link=250),
    Kernel(rnea.inverse, results=("qfrc_inverse",), per_link=300),
    Kernel(passive.passive, results=("qfrc_passive",), per_link=40),
    Kernel(crba.mass_matrix, results=("qM",), per_link=200, per_entry=45),
    Kernel(ltl.factor, after=(crba.mass_matrix,)),
    Kernel(ltl.solve, after=(*FORCES, rnea.bias, crba.mass_matrix, ltl.factor)),
    Kernel(flexes.deform),
    Kernel(
        aba.acceleration,
        after=FORCES,
        watches=True,
        results=("qacc",),
        instead=forward.forward_dynamics,
        per_link=600,
    ),
    Kernel(energy.energy, results=("energy",), per_link=300, posing=True),
    Kernel(
        jacobian.jacobian, results=("dof_xaxis", "dof_xanchor", "xpos", "xmat"), per_link=150, posing=True
    ),
    Kernel(tendons.tendons),
    Kernel(formulas.formulas),
    Kernel(transmissions.transmission, after=(tendons.tendons, jacobian.jacobian)),
    Kernel(actuators.actuation, after=(passive.passive, jacobian.jacobian)),
    Kernel(damping.derivative, after=(*FORCES, crba.mass_matrix, flexes.deform)),
    Kernel(forward.forward, watches=True),
    Kernel(forward.evaluate, watches=True),
    Kernel(forward.state, watches=True),
    Kernel(forward.again, after=(actuators.actuation,)),
    Kernel(constrained.invert, after=FORCES),
    Kernel(constrained.inverse_dynamics, after=FORCES),
)
"""Those that Python and other Cython modules call."""
STEP = ("qpos", "qvel", "act", "qacc", "plastic")
INTEGRATORS = (
    Integrator("Euler", 0, Kernel(integrate.euler, results=STEP, per_link=600)),
    Integrator("RK4", 1, Kernel(integrate.rk4, results=STEP, per_link=2400), staged=True),
    Integrator(
        "implicit",
        IMPLICIT,
        Kernel(integrate.implicit, results=STEP, per_link=1200, per_entry=160),
        matrix=True,
    ),
    Integrator(
        "implicitfast",
        FAST,
        Kernel(integrate.implicitfast, results=STEP, per_link=900, per_entry=60),
        matrix=True,
    ),
)
"""The integrators. With any other one of the schema a Model can be created, and its accelerations computed;
its steps are rejected before kernels are called.
"""
RELATIONS: tuple[Relation, ...] = (
    (
        ("opt_late", "opt_integrator", "opt_slopes"),
        lambda late, integrator, slopes: (
            (late == 2) == (integrator == IMPLICIT or (integrator == FAST and slopes == 2))
        ),
    ),
    (("opt_measures", "opt_late"), lambda measures, late: measures < 2 or measures == 1 + late),
)
"""What is true of the flags of every Model."""
OF_INSTANT: Relation = ("opt_measures", "opt_late"), lambda measures, late: measures == 1 + late
"""What is true of a Model with sensors that depend on the accelerations of the instant."""
RESTORE = Kernel(integrate.restore, after=(integrate.remember,))
"""What is called after a step that failed."""


def results() -> dict[str, tuple[str, ...]]:
    """The columns that each kernel of a program writes, by name."""
    return {kernel.name: kernel.results for kernel in KERNELS if kernel.results} | {"step": STEP}
