"""Columns derived from actuators: what they act on, in the form that the kernels use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import BiasType, GainType, JointType, Prescription, TransmissionType
from polybody.model.flags import DISABLE
from polybody.model.inertias import AT_JOINTS, damped_by

Columns = Mapping[str, NDArray[Any]]
GROUPS = 30
"""The last group that can be disabled."""
AT_SITES = (TransmissionType.site, TransmissionType.slidercrank, TransmissionType.so3)
BY_VELOCITY = 2
"""The index of the coefficient of an affine gain or bias that multiplies the velocity."""
STEADY_GAINS = (GainType.fixed, GainType.user, GainType.affine, GainType.pid)
STEADY_BIASES = (BiasType.none, BiasType.muscle, BiasType.user, BiasType.affine)
"""Gains and biases that do not depend on the velocity; affine ones only if that coefficient is zero."""


def columns(known: Columns) -> dict[str, NDArray[Any]]:
    """Targets, whether each actuator acts, and which joints have bounded forces."""
    kind, targets = known["actuator_trntype"], known["actuator_trnid"]
    joint = known["dof_jntid"]
    scalar = known["jnt_type"] >= JointType.slide
    forced = scalar & (known["jnt_prescribed"] != Prescription.servo)  # a servo motor receives a velocity
    return {
        "actuator_target": targets[:, 0].astype(np.int32),
        "actuator_second": targets[:, 1].astype(np.int32),
        "actuator_common": _common(known),
        "actuator_acts": _acting(known),
        **_adhesion(known),
        "opt_transmission_poses": np.array(any(code in AT_SITES for code in kind.tolist()), np.uint8),
        "dof_actfrclimited": (known["jnt_actfrclimited"] & forced)[joint].astype(np.uint8),
    }


def slopes(known: Columns) -> dict[str, NDArray[np.int32]]:
    """opt_slopes: what implicitfast adds to the mass matrix."""
    acts = known["opt_tendon_forces"] * known["opt_dampers_act"]
    dampers = (
        *(known["tendon_damping"] * acts, known["tendon_dampingpoly"] * acts),
        *(damped_by(known)[1] * acts, known["flexedge_damper"]),
    )
    coupled = bool(known["opt_fluid_acts"] or known["opt_gyroscopic"]) or any(map(np.any, dampers))
    gain, bias = known["actuator_gaintype"], known["actuator_biastype"]
    sloped = ~np.isin(gain, STEADY_GAINS) | ~np.isin(bias, STEADY_BIASES)
    sloped |= (gain == GainType.affine) & (known["actuator_gainprm"][:, BY_VELOCITY] != 0)
    sloped |= (bias == BiasType.affine) & (known["actuator_biasprm"][:, BY_VELOCITY] != 0)
    driving = np.flatnonzero(sloped & (known["actuator_acts"] == 1))
    joints = known["actuator_trnid"][driving, 0]
    alone = np.isin(known["actuator_trntype"][driving], AT_JOINTS)
    alone[alone] = known["jnt_type"][joints[alone]] >= JointType.slide
    kind = 2 if coupled or not alone.all() else int(len(driving) > 0)
    return {"opt_slopes": np.array(kind, np.int32)}


def _adhesion(known: Columns) -> dict[str, NDArray[Any]]:
    """Memory for the moments of adhesion actuators, and whether there are any."""
    at_bodies = (known["actuator_trntype"] == TransmissionType.body) & bool(known["opt_constrained"])
    nv = len(known["dof_jntid"])
    first = np.where(at_bodies, nv * (np.cumsum(at_bodies) - 1), -1)
    return {
        "actuator_adhesion": first.astype(np.int32),
        "nadhesion": np.array(nv * at_bodies.sum(), np.int32),
        "opt_adheres": np.array(bool(at_bodies.any()), np.uint8),
    }


def _acting(known: Columns) -> NDArray[np.uint8]:
    """Whether actuation is enabled, and the group of each actuator."""
    group = known["actuator_group"]
    off = (int(known["opt_disableactuator"]) >> group.clip(0, GROUPS)) & 1
    acting = (off == 0) | (group < 0) | (group > GROUPS)
    if int(known["opt_disableflags"]) & DISABLE["actuation"]:
        acting = np.zeros(len(group), dtype=bool)
    found: NDArray[np.uint8] = acting.astype(np.uint8)
    return found


def _common(known: Columns) -> NDArray[np.int32]:
    """The last degree of freedom that moves both a site and its reference; -1 if there is none."""
    found = np.full(len(known["actuator_trntype"]), -1, dtype=np.int32)
    placed = np.isin(known["actuator_trntype"], (TransmissionType.site, TransmissionType.so3))
    rows = placed & (known["actuator_trnid"][:, 1] >= 0)
    above = known["dof_parentid"]
    for row in np.flatnonzero(rows).tolist():
        one, other = (
            int(known["body_lastdof"][known["site_bodyid"][site]]) for site in known["actuator_trnid"][row]
        )
        while one != other:  # the later one cannot move both
            if one > other:
                one = int(above[one])
            else:
                other = int(above[other])
        found[row] = one
    return found
