"""The actuators of joints, if the caller chooses them instead of the document.

A motor exerts its control as force or torque. A position servo exerts

    kp (ctrl - q) - kv dq/dt,    kv = 2 sqrt(kp m)

where m is the inertia of the joint while all others are held, with armature: the greatest of those at the
initial pose and at the keyframes. There the servo alone is critically damped: the formula of a damping ratio
of 1 in MJCF's `position`. kp is the least of

- the effort limit, divided by 0.1 rad or 0.01 m: a greater deviation saturates the actuator;
- without an effort limit, m (100/s)^2;
- m (0.5/dt)^2, with the least of these inertias: at least twelve time steps are in a period.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from polybody.assembly import parts
from polybody.diagnostics import Findings
from polybody.engine.data import Data
from polybody.generated.model import JointType
from polybody.lowering.plants.plant import WELD, Actuator, Joint, JointKind, Plant
from polybody.model.model import Model

Reals = NDArray[np.float64]
SINGLE = frozenset((JointKind.revolute, JointKind.prismatic, JointKind.screw))
"""Joints with one degree of freedom."""
DEVIATION = {JointType.hinge: 0.1, JointType.screw: 0.1, JointType.slide: 0.01}
"""Deviation, in rad or m, at which a servo exerts its effort limit."""
UNLIMITED = 100.0
"""1/s, natural frequency of a servo without an effort limit."""
FASTEST = 0.5
"""Greatest product of the natural frequency of a servo (1/s) and the time step (s)."""
NO_EFFECT, UNUSED = "PB027", "PB061"


def chosen(plant: Plant, findings: Findings) -> list[Actuator]:
    """The actuators of the plant: those of its documents, or one for each joint with one degree of freedom
    that nothing else determines.
    """
    if plant.driving == "as-is":
        return plant.actuators
    if plant.driving == "none":
        return []
    follows = {each.joint for each in plant.couplers} | plant.passive
    made, weak, wide = [], [], []
    for row, joint in enumerate(plant.joints):
        if joint.kind not in SINGLE:
            wide += [joint] if joint.kind is not WELD else []
        elif row in follows:
            continue
        elif joint.effort == 0:
            weak.append(joint)
        else:
            made.append(Actuator(joint.name, row, joint.effort, node=joint.node))
    _tell(findings, NO_EFFECT, weak, "the effort limit of joint `{}` is 0: it has no actuator")
    _tell(findings, UNUSED, wide, "joint `{}` has several degrees of freedom: it has no actuator")
    return made


def _tell(findings: Findings, code: str, joints: list[Joint], message: str) -> None:
    """A finding about all these joints, at the first one."""
    if joints:
        first = joints[0]
        more = f" (and {len(joints) - 1} others)" if len(joints) > 1 else ""
        span, source = (None, None) if first.node is None else (first.node.span, first.node.source)
        findings.add(code, span, message.format(first.name) + more, source=source)


def servo(made: parts.Actuator) -> None:
    """Make an actuator a servo that holds the initial position of its joint; `tuned` gives it gains. Its
    control is limited like the joint.
    """
    joint = made.joint
    bounds, start = joint.range, 0.0 if joint.qpos0 is None else float(joint.qpos0[0])
    made.bias, made.ctrl0 = (0.0, -1.0, 0.0), start
    if bounds is not None and all(map(math.isfinite, bounds)):
        made.ctrlrange = bounds
        made.ctrl0 = min(max(start, bounds[0]), bounds[1])


def tuned(model: Model) -> Model:
    """The Model whose actuators are all servos, with the gains of this module's formulas. Its integrator
    takes their damping implicitly.
    """
    if not model.nactuator:
        return model
    joints = model.actuator_trnid[:, 0]
    least, most = (each[model.jnt_dofadr[joints]] for each in _inertia(model))
    span = np.array([DEVIATION[JointType(kind)] for kind in model.jnt_type[joints].tolist()])
    effort = np.where(model.actuator_forcelimited, model.actuator_forcerange[:, 1], np.inf)
    kp, kv = gains(least, most, effort, span, float(model.opt_timestep))
    gain, bias = np.array(model.actuator_gainprm), np.array(model.actuator_biasprm)
    gain[:, 0], bias[:, 1], bias[:, 2] = kp, -kp, -kv
    return model.replace(actuator_gainprm=gain, actuator_biasprm=bias, opt_integrator="implicitfast")


def _inertia(model: Model) -> tuple[Reals, Reals]:
    """The least and greatest diagonal entries of the mass matrix at the initial pose and the keyframes, (nv,)
    each.
    """
    from polybody.engine.dynamics import mass_matrix

    poses, data = [np.array(model.dof_M0, dtype=np.float64)], Data(model)
    for key in range(model.nkey):
        data.reset(key)
        poses.append(np.diagonal(mass_matrix(model, data)))
    return np.min(poses, axis=0), np.max(poses, axis=0)


def gains(least: Reals, most: Reals, effort: Reals, span: Reals, dt: float) -> tuple[Reals, Reals]:
    """The gains kp and kv of servos (n,): N m/rad and N m s/rad, or N/m and N s/m.

    Args:
        least, most: the least and greatest inertia of their joints, kg m^2 or kg (n,).
        effort: limits of force, N m or N; may be infinite (n,).
        span: deviation at which that force is exerted, rad or m (n,).
        dt: time step, s.
    """
    wanted = np.where(np.isfinite(effort), effort / span, most * UNLIMITED**2)
    kp = np.minimum(wanted, least * (FASTEST / dt) ** 2)
    return kp, 2.0 * np.sqrt(kp * most)
