"""The same trees in Pinocchio, whose free joints have their linear velocity in body axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

from .trees import NQ, NV, Array, Body, Joint, matrix


def pinocchio_model(bodies: list[Body], gravity: Array, armature: Array) -> tuple[Any, list[int]]:
    """The model, and the frame of every body."""
    model = pin.Model()
    model.gravity.linear = gravity
    at: list[tuple[int, Any]] = [
        (0, pin.SE3.Identity())
    ]  # of every body: the joint it moves with, its placement in that joint
    frames = [0]
    for b, body in enumerate(bodies, 1):
        parent, offset = at[body.parent]
        place = offset * pin.SE3(matrix(body.quat), body.pos)
        for j in body.joints:
            shift = pin.SE3(np.eye(3), j.pos)
            base = offset if j.type == "free" else place * shift
            parent = model.addJoint(parent, pinocchio_joint(j), base, f"j{model.njoints}")
            place = pin.SE3.Identity() if j.type == "free" else shift.inverse()
        at.append((parent, place))
        model.appendBodyToJoint(parent, pin.Inertia(body.mass, body.com, body.inertia), place)
        frames.append(model.addFrame(pin.Frame(f"b{b}", parent, place, pin.FrameType.OP_FRAME)))
    model.armature = armature
    return model, frames


def pinocchio_joint(j: Joint) -> Any:
    return JOINTS[j.type](j)


JOINTS: dict[str, Callable[[Joint], Any]] = {
    "free": lambda j: pin.JointModelFreeFlyer(),
    "ball": lambda j: pin.JointModelSpherical(),
    "slide": lambda j: pin.JointModelPrismaticUnaligned(j.axis),
    "hinge": lambda j: pin.JointModelRevoluteUnaligned(j.axis),
    "screw": lambda j: pin.JointModelHelicalUnaligned(j.axis, j.pitch),
}


def reference(bodies: list[Body], c: dict[str, Array], state: dict[str, Array]) -> dict[str, Array]:
    """qacc, bias, M and poses of a state, in our conventions: v_theirs = B v_ours, a_theirs = B a_ours +
    dB.
    """
    model, frames = pinocchio_model(bodies, c["opt_gravity"][0], c["dof_armature"])
    data = model.createData()
    q, v, f = state["qpos"].copy(), state["qvel"], state["qfrc_applied"]
    B, dB = np.eye(model.nv), np.zeros(model.nv)
    a = i = 0
    for j in [j for body in bodies for j in body.joints]:
        if j.type in ("free", "ball"):
            k = a + (3 if j.type == "free" else 0)
            q[k : k + 4] = q[[k + 1, k + 2, k + 3, k]]
        if j.type == "free":
            R = pin.Quaternion(q[a + 3 : a + 7]).matrix()
            B[i : i + 3, i : i + 3] = R.T
            dB[i : i + 3] = -np.cross(v[i + 3 : i + 6], R.T @ v[i : i + 3])
        a, i = a + NQ[j.type], i + NV[j.type]
    w = B @ v
    M = pin.crba(model, data, q).copy()
    M = np.triu(M) + np.triu(M, 1).T
    bias = pin.rnea(model, data, q, w, dB)
    out = {"M": B.T @ M @ B, "qfrc_bias": B.T @ (bias - model.armature * dB)}
    out["qacc"] = B.T @ (pin.aba(model, data, q, w, np.linalg.solve(B.T, f)) - dB)
    pin.framesForwardKinematics(model, data, q)
    out["xpos"] = np.array([np.zeros(3), *[data.oMf[k].translation for k in frames[1:]]])
    out["xmat"] = np.array([np.eye(3), *[data.oMf[k].rotation for k in frames[1:]]])
    out["potential"] = np.array(pin.computePotentialEnergy(model, data, q))
    return out
