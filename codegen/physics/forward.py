"""All quantities at one instant."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .aba import acceleration, articulated, released, resist, twofold
from .actuators import actuation
from .composites import composites
from .constrained import accelerate, constrained
from .energy import energy
from .flexes import deform
from .jacobian import jacobian
from .kinematics import bodies_placed, carry_placed, forward_kinematics, link_frames, velocities
from .loads import load
from .motions import body_accelerations, body_velocities, interactions, momenta, subtree_motions
from .passive import passive, springs_and_dampers
from .poses import cameras, centres, geoms, joints, lights, sites
from .releases import newest
from .rnea import bias
from .sensors import STAGES, flag, measure, sensors
from .transmissions import transmission


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


FRAMES = (link_frames, centres, joints)
SHAPES = (geoms, sites)
MOUNTED = (cameras, lights, velocities, body_velocities)
"""Poses and velocities of bodies and of what is attached to them, in this order. Only
those of SHAPES cause forces.
"""


def places(m: Machine, t: Any) -> None:
    """All of them."""
    for f in (forward_kinematics, *FRAMES, *SHAPES, *MOUNTED):
        m.call(f)
    for _ in m.when(t.opt_flexes[0] > 0):
        m.call(deform)


def accelerated(m: Machine, t: Any) -> None:
    """Accelerations of bodies, and the forces between them."""
    m.call(interactions)
    m.call(body_accelerations)


def quantities(m: Machine, t: Any) -> None:
    """What else positions and velocities determine; from accelerations, xfrc_applied and xfrc_constraint,
    those of bodies and the forces between them, if they are requested.
    """
    m.call(momenta)
    for _ in m.when(t.observes[0] != 1):
        m.call(accelerated)
    for f in (subtree_motions, energy, composites):
        m.call(f)


def state(m: Machine, t: Any) -> None:
    """All quantities that positions and velocities determine, and those of bodies that follow from qacc."""
    for f in (passive, jacobian, transmission, bias, accelerate, springs_and_dampers, places, quantities):
        m.call(f)


def results(m: Machine, t: Any) -> None:
    """All results of a step on request, except for accelerations, qfrc_bias and qfrc_smooth."""
    for f in (springs_and_dampers, places, quantities):
        m.call(f)
    for _ in m.when(t.opt_measures[0] > 0):
        m.call(sensors)


def results_of_last(m: Machine, t: Any) -> None:
    """The same for the last stage of a step, except for sensors, motions of subtrees and energy: these belong
    to the first one.
    """
    for f in (springs_and_dampers, places, accelerated, composites):
        m.call(f)


def settled(m: Machine, t: Any) -> None:
    """qfrc_bias and qfrc_smooth of a step without constraints."""
    m.call(bias)
    m.call(smooth)


def observed(m: Machine, t: Any) -> None:
    """All quantities on request. Accelerations are those of the current instant, even if a
    step treats dampers implicitly.
    """
    for _ in m.when(t.observes[0] == 2):
        for _ in m.when(t.opt_late[0] == 1):
            m.call(twofold)
        for _ in m.when(t.opt_late[0] != 1):
            m.call(acceleration)
    for _ in m.when(t.observes[0] == 1):
        m.call(load)
    m.call(settled)
    m.call(results)


def observe(m: Machine, t: Any) -> None:
    """The results of a step other than the state, at the instant at which it begins.

    Only sensors, and here only if they depend on accelerations other than those of the step itself, unless
    all results are requested.
    """
    for _ in m.when(t.observes[0] > 0):
        m.call(observed)
    for _ in m.when(t.observes[0] == 0):
        for _ in m.when(t.opt_measures[0] == 2):
            m.call(twofold)
            m.call(measure)
        for _ in m.when(t.opt_measures[0] == 3):
            m.call(acceleration)
            m.call(measure)


def measure_step(m: Machine, t: Any) -> None:
    """Sensors that depend on no accelerations other than those of the step."""
    for _ in m.when(t.observes[0] == 0):
        for _ in m.when(t.opt_measures[0] == 1):
            m.call(measure)


def observe_constrained(m: Machine, t: Any) -> None:
    """The results of a step with constraints other than the state, at the instant at which it begins.

    Only sensors, unless all results are requested.
    """
    for _ in m.when(t.observes[0] > 0):
        m.call(accelerate)
        m.call(results)
    for _ in m.when(t.observes[0] == 0):
        for _ in m.when(t.opt_measures[0] > 0):
            m.call(accelerate)
            m.call(measure)


def observe_stage(m: Machine, t: Any) -> None:
    """The results of a step of several stages that belong to the first one."""
    for _ in m.when(t.observes[0] > 0):
        m.call(settled)
        m.call(results)
    m.call(measure_step)


def observe_last(m: Machine, t: Any) -> None:
    """The results of a step of several stages that belong to the last one."""
    for _ in m.when(t.observes[0] > 0):
        for _ in m.when(t.opt_constrained[0] == 1):
            m.call(accelerate)
        for _ in m.when(t.opt_constrained[0] == 0):
            m.call(settled)
        m.call(results_of_last)


def again(m: Machine, t: Any) -> None:
    """qacc from qpos, qvel and start_load: the accelerations at the beginning of a step that has computed
    only those with the forces at its end.
    """
    for i in m.dofs():
        t.dof_load[i] = t.start_load[i]
    m.call(resist, 0.0)
    m.call(articulated)


def measured(m: Machine, t: Any) -> None:
    """The sensors, and what only they depend on."""
    for _ in m.when(t.opt_constrained[0] == 1):
        m.call(accelerate)
    for stage, algorithms in STAGES.items():
        for f in algorithms:
            if f not in (forward_kinematics, *FRAMES, *SHAPES, *MOUNTED):
                for _ in m.when(getattr(t, flag(stage))[0] == 1):
                    m.call(f)
    m.call(sensors)


def keep_warm(m: Machine, t: Any) -> None:
    """start_warm, from qacc_warmstart."""
    for i in m.dofs():
        t.start_warm[i] = t.qacc_warmstart[i]


def warm_again(m: Machine, t: Any) -> None:
    """The solver starts from the same accelerations as at the beginning of the step."""
    for i in m.dofs():
        t.qacc_warmstart[i] = t.start_warm[i]


def forward(m: Machine, t: Any) -> None:
    """Forces and accelerations, poses and velocities, and the sensors, from the state and applied forces.

    As of MuJoCo 3.2.7, the solver of the next step starts from the accelerations; as of 4.0, from those of
    the last step.
    """
    for _ in m.when(t.opt_constrained[0] == 1):
        for _ in m.when(newest(t)):
            m.call(keep_warm)
        m.call(passive)
        m.call(constrained)
        m.opaque("weigh_constraints")
        for _ in m.when(newest(t)):
            m.call(warm_again)
    for _ in m.when(t.opt_constrained[0] == 0):
        for f in (bias, passive, actuation, load):
            m.call(f)
        m.call(resist, 0.0)
        for f in (carry_placed, released, smooth, bodies_placed, *SHAPES):
            m.call(f)
        for _ in m.when(t.opt_flexes[0] == 1):
            m.call(deform)
    for f in (*FRAMES, *MOUNTED):
        m.call(f)
    for _ in m.when(t.opt_measures[0] > 0):
        m.call(measured)


def evaluate(m: Machine, t: Any) -> None:
    """All quantities that follow from the state and applied forces."""
    m.call(forward)
    for _ in m.when(t.opt_constrained[0] == 1):
        m.call(accelerate)
    m.call(springs_and_dampers)
    m.call(quantities)
