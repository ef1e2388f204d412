"""Whether a Model may have constraints: equalities, dry friction, limits, bodies that can touch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import Prescription, SelfCollide
from polybody.model.flags import DISABLE

Columns = Mapping[str, NDArray[Any]]
BLOCK = 512
"""Number of bodies that are paired with all others at a time."""
READ = (
    *(
        "opt_disableflags",
        "eq_type",
        "dof_frictionloss",
        "tendon_frictionloss",
        "jnt_limited",
        "tendon_limited",
    ),
    *(
        "jnt_prescribed",
        "pair_geom1",
        "body_weldid",
        "body_dofnum",
        "body_contype",
        "body_conaffinity",
        "body_parentid",
        "exclude_signature",
    ),
    "opt_tendon_inertia",
    *("flex_contype", "flex_conaffinity", "flex_rigid", "flex_internal", "flex_selfcollide"),
)


def constrained(known: Columns) -> dict[str, NDArray[Any]]:
    """opt_constrained."""
    return {"opt_constrained": np.array(_constrained(known), np.uint8)}


def sticks(known: Columns) -> dict[str, NDArray[Any]]:
    """opt_sticks."""
    acts = known["opt_constrained"] and known["opt_passive_acts"] and not is_off(known, "contact")
    given = np.any(known["geom_adhesion"]) or np.any(known["pair_adhesion"])
    return {"opt_sticks": np.array(bool(acts and given), np.uint8)}


def _constrained(known: Columns) -> bool:
    if not len(known["dof_frictionloss"]):  # nothing moves: contacts of pairs are found, without forces
        return len(known["pair_geom1"]) > 0 and not (is_off(known, "constraint") or is_off(known, "contact"))
    if known["opt_tendon_inertia"]:
        return True  # of tendons: accelerations are solved for with the mass matrix
    if is_off(known, "constraint"):
        return False
    there = {
        "equality": len(known["eq_type"]) > 0,
        "servo": (known["jnt_prescribed"] == Prescription.servo).any(),
        "frictionloss": (known["dof_frictionloss"] > 0).any() or (known["tendon_frictionloss"] > 0).any(),
        "limit": (known["jnt_limited"] > 0).any() or (known["tendon_limited"] > 0).any(),
    }
    if any(found and not (word in DISABLE and is_off(known, word)) for word, found in there.items()):
        return True
    if is_off(known, "contact"):
        return False
    return len(known["pair_geom1"]) > 0 or first_pair(known) is not None or meeting_flex(known) is not None


def is_off(known: Columns, word: str) -> bool:
    """Whether a flag of the Model disables a part."""
    return bool(int(known["opt_disableflags"]) & DISABLE[word])


def meeting_flex(known: Columns) -> int | None:
    """The first flex that can touch a body, another flex or, with self-contacts, itself, by their bits."""
    seek, accept = known["flex_contype"], known["flex_conaffinity"]
    alone = (known["flex_rigid"] == 0) & (
        (known["flex_internal"] != 0) | (known["flex_selfcollide"] != SelfCollide.none)
    )
    for flex in range(len(seek)):
        meets = [
            (known["body_conaffinity"] & seek[flex]) | (known["body_contype"] & accept[flex]),
            np.delete((accept & seek[flex]) | (seek & accept[flex]), flex),
            np.array([bool(seek[flex] & accept[flex]) and alone[flex]]),
        ]
        if any(each.any() for each in meets):
            return flex
    return None


def first_pair(known: Columns) -> tuple[int, int] | None:
    """The first two bodies whose geoms pass every filter that does not depend on positions."""
    weld, own, seek = known["body_weldid"], known["body_contype"], known["body_conaffinity"]
    above = weld[known["body_parentid"][weld]]
    still = known["body_dofnum"][weld] == 0
    bodies = np.flatnonzero((own | seek) != 0)
    excluded = set(known["exclude_signature"].tolist())
    filtering = not is_off(known, "filterparent")
    for start in range(0, len(bodies), BLOCK):
        first = bodies[start : start + BLOCK, None]
        meet = (own[first] & seek[bodies]) | (own[bodies] & seek[first])
        allowed = (meet != 0) & (weld[first] != weld[bodies]) & (first < bodies)
        allowed &= ~(still[first] & still[bodies])
        if filtering:
            child = (weld[first] != 0) & (above[bodies] == weld[first]) & (weld[bodies] != 0)
            parent = (weld[bodies] != 0) & (above[first] == weld[bodies]) & (weld[first] != 0)
            allowed &= ~(child | parent)
        for row, column in zip(*np.nonzero(allowed), strict=True):
            one, other = int(bodies[start + row]), int(bodies[column])
            if (one << 16) + other not in excluded:
                return one, other
    return None
