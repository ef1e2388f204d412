"""Springs that yield: where their rest is kept, and where it begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import JointType

Columns = Mapping[str, NDArray[Any]]
WIDTHS = {JointType.ball: 4}
"""Numbers of coordinates of joints, if they have several."""
OF_TENDON = 2
THRESHOLDS = ("jnt_springyield", "tendon_springyield")
"""Columns that determine which springs yield: they are the same in all instances of a batch."""


def columns(known: Columns) -> dict[str, NDArray[Any]]:
    """The first entry of each joint and tendon, and the number of all."""
    wide = np.where(known["jnt_type"] == JointType.ball, WIDTHS[JointType.ball], 1)
    joints = wide * ((known["jnt_springyield"] > 0) & (known["jnt_type"] != JointType.free))
    tendons = OF_TENDON * (known["tendon_springyield"] > 0)
    ends = np.cumsum([*joints, *tendons], dtype=np.int64)
    count = np.array([*joints, *tendons], dtype=np.int64)
    first = np.where(count > 0, ends - count, -1).astype(np.int32)
    total = int(count.sum())
    return {
        "jnt_plasticadr": first[: len(joints)],
        "tendon_plasticadr": first[len(joints) :],
        "nplastic": np.array(total, np.int32),
        "opt_yields": np.array(total > 0, np.uint8),
    }


def plastic_number(given: Mapping[str, Any]) -> int:
    """The number of entries, as given columns say as far as there are any."""
    kinds = np.asarray(given.get("jnt_type", ()), dtype=np.int32).ravel()
    known: dict[str, NDArray[Any]] = {"jnt_type": kinds}
    for name, count in (("jnt_springyield", len(kinds)), ("tendon_springyield", 0)):
        own = np.asarray(given.get(name, np.zeros(count)), dtype=np.float64).ravel()
        known[name] = own if count == 0 or len(own) == count else np.zeros(count)
    return int(columns(known)["nplastic"])


def initial_plastic(model: Any) -> NDArray[np.float64]:
    """The rest of springs at the beginning, (nplastic,)."""
    found = np.zeros(model.nplastic)
    if model.nplastic:
        for joint in np.flatnonzero(model.jnt_plasticadr >= 0).tolist():
            at, q = int(model.jnt_plasticadr[joint]), int(model.jnt_qposadr[joint])
            width = WIDTHS.get(JointType(int(model.jnt_type[joint])), 1)
            found[at : at + width] = model.qpos_spring[q : q + width]
        for tendon in np.flatnonzero(model.tendon_plasticadr >= 0).tolist():
            at = int(model.tendon_plasticadr[tendon])
            found[at : at + OF_TENDON] = model.tendon_lengthspring[tendon]
    return found
