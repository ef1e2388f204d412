"""All quantities at one instant."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .aba import acceleration, twofold
from .actuators import actuation
from .constrained import accelerate, constrained
from .energy import energy
from .flexes import deform
from .kinematics import forward_kinematics, link_frames, velocities
from .motions import body_accelerations, body_velocities, interactions, momenta, subtree_motions
from .passive import passive, springs_and_dampers
from .poses import poses
from .rnea import bias
from .sensors import measure, sensors


def smooth(m: Machine, t: Any) -> None:
    """qfrc_smooth, qacc_smooth if there are no constraints."""
    for i in m.dofs():
        t.qfrc_constraint[i] = 0.0
        t.qfrc_smooth[i] = t.dof_load[i] - t.qfrc_bias[i]
        t.qacc_smooth[i] = t.qacc[i]


def forces(m: Machine, t: Any) -> None:
    """Joint forces, and the resulting accelerations."""
    for f in (passive, actuation, acceleration):
        m.call(f)


def forward_dynamics(m: Machine, t: Any) -> None:
    """The accelerations due to the state and applied forces, including constraints."""
    for _ in m.when(t.opt_constrained[0] == 1):
        m.call(passive)
        m.call(constrained)
        for i in m.dofs():
            t.qacc[i] = t.qacc[i]  # set by the call; storing it in the kernel makes the call necessary
    for _ in m.when(t.opt_constrained[0] == 0):
        m.call(forces)


def unobserved(m: Machine, t: Any) -> None:
    """Only the state is requested."""


def motions(m: Machine, t: Any) -> None:
    """Poses and velocities of bodies, forces between them, and the sensors of these."""
    for f in (forward_kinematics, link_frames, poses, velocities, momenta, interactions):
        m.call(f)
    for f in (body_velocities, subtree_motions, body_accelerations):
        m.call(f)
    for _ in m.when(t.opt_flexes[0] > 0):
        m.call(deform)
    for _ in m.when(t.opt_measures[0] > 0):
        m.call(sensors)


def observed(m: Machine, t: Any) -> None:
    """All quantities on request, after actuation(). Accelerations are those of the current instant, even if a
    step treats dampers implicitly.
    """
    m.call(bias)
    for _ in m.when(t.opt_measures[0] == 2):
        m.call(twofold)
    for _ in m.when(t.opt_measures[0] != 2):
        m.call(acceleration)
    for f in (smooth, springs_and_dampers, motions, energy):
        m.call(f)


def observe(m: Machine, t: Any) -> None:
    """The results of a step other than the state, at the instant at which it begins; after actuation().

    Only sensors, and here only if they depend on accelerations other than those of the step itself.
    """
    for _ in m.when(t.opt_measures[0] == 2):
        m.call(twofold)
        m.call(measure)
    for _ in m.when(t.opt_measures[0] == 3):
        m.call(acceleration)
        m.call(measure)


def observe_constrained(m: Machine, t: Any) -> None:
    """The results of a step with constraints other than the state, at the instant at which it begins.

    Only sensors.
    """
    for _ in m.when(t.opt_measures[0] > 0):
        m.call(accelerate)
        m.call(measure)


def observed_constrained(m: Machine, t: Any) -> None:
    """All quantities on request, after constrained()."""
    for f in (accelerate, springs_and_dampers, motions, energy):
        m.call(f)


def forward(m: Machine, t: Any) -> None:
    """All quantities that follow from the state and applied forces."""
    for _ in m.when(t.opt_constrained[0] == 1):
        m.call(passive)
        m.call(constrained)
        m.call(accelerate)
    for _ in m.when(t.opt_constrained[0] == 0):
        for f in (bias, forces, smooth):
            m.call(f)
    m.call(springs_and_dampers)
    m.call(motions)
