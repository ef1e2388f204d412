"""Columns derived from inertia and damping of actuators and tendons, and from polynomials of forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import TransmissionType

Columns = Mapping[str, NDArray[Any]]
Flags = NDArray[np.bool_]
TENSE = ("tendon_stiffness", "tendon_damping", "tendon_stiffnesspoly", "tendon_dampingpoly")
"""Springs and dampers of tendons."""
DAMPERS = ("actuator_damping", "actuator_dampingpoly", "actuator_trntype", "actuator_trnid")
"""Dampers of actuators, and where they act."""
AT_JOINTS = (TransmissionType.joint, TransmissionType.jointinparent)


def damped_by(known: Columns) -> tuple[Flags, Flags]:
    """Which actuators add damping to joints, and which to tendons."""
    damped: Flags = (known["actuator_damping"] != 0) | (known["actuator_dampingpoly"] != 0).any(axis=-1)
    kind = known["actuator_trntype"]
    at_tendons: Flags = kind == TransmissionType.tendon
    return damped & np.isin(kind, AT_JOINTS), damped & at_tendons


def tense(known: Columns) -> Flags:
    """Which tendons have springs or dampers, those of actuators included."""
    found: Flags = (known["tendon_stiffness"] != 0) | (known["tendon_damping"] != 0)
    for name in ("tendon_stiffnesspoly", "tendon_dampingpoly"):
        found |= (known[name] != 0).any(axis=-1)
    found[known["actuator_trnid"][damped_by(known)[1], 0]] = True
    return found


def columns(known: Columns) -> dict[str, NDArray[Any]]:
    """Flags of what acts, and which actuators are limited by their own range at once."""
    kind, inert = known["actuator_trntype"], known["actuator_armature"] != 0
    at_tendon = kind == TransmissionType.tendon
    bent = [known[name].any() for name in ("jnt_stiffnesspoly", "dof_dampingpoly", *TENSE[2:])]
    bent += [each.any() for each in damped_by(known)]
    later = np.zeros(len(kind), dtype=bool)
    later[at_tendon] = known["tendon_actfrclimited"][known["actuator_trnid"][at_tendon, 0]] != 0
    flags = {
        "polynomials": known["opt_passive_acts"] and any(bent),
        "reflects": (inert & np.isin(kind, AT_JOINTS)).any(),
        "tendon_inertia": (known["tendon_armature"] != 0).any() or (inert & at_tendon).any(),
        "tendon_limits": later.any(),
    }
    found = {f"opt_{name}": np.array(bool(flag), np.uint8) for name, flag in flags.items()}
    return found | {"actuator_clamped": np.where(later, 0, known["actuator_forcelimited"]).astype(np.uint8)}
