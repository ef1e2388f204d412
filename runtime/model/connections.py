"""Columns of connections: frames of equalities connect and weld whose Jacobian's rate of change counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import EqualityType, ObjectType, Release

Columns = Mapping[str, NDArray[Any]]
NAMES = ("body1id", "body2id", "pos1", "quat1", "pos2", "quat2", "scale")
KINDS = (EqualityType.connect, EqualityType.weld)


def rows(known: Columns) -> dict[str, NDArray[Any]]:
    """connection_eqid, opt_drifts."""
    found = np.isin(known["eq_type"], KINDS) & (known["opt_release"] == Release.v4_0)
    return {
        "connection_eqid": np.flatnonzero(found).astype(np.int32),
        "opt_drifts": np.array(bool(found.any()), np.uint8),
    }


def columns(known: Columns) -> dict[str, NDArray[Any]]:
    """The columns of NAMES."""
    rows = known["connection_eqid"]
    data, welded = known["eq_data"][rows], known["eq_type"][rows] == EqualityType.weld
    at_sites = known["eq_objtype"][rows] == ObjectType.SITE
    found = {"scale": np.where(welded, data[:, 10], 0.0)}
    for side in (1, 2):
        objects = known[f"eq_obj{side}id"][rows]
        sites = np.where(at_sites, objects, 0)
        first = welded == (side == 1)  # a weld has the anchor of the second body first
        pos = np.where(first[:, None], data[:, 3:6], data[:, :3])
        quat = np.tile((1.0, 0.0, 0.0, 0.0), (len(rows), 1))
        if side == 1:
            quat[welded] = data[welded, 6:10]
        if at_sites.any():
            pos = np.where(at_sites[:, None], known["site_pos"][sites], pos)
            quat = np.where(at_sites[:, None], known["site_quat"][sites], quat)
            objects = np.where(at_sites, known["site_bodyid"][sites], objects)
        found |= {f"body{side}id": objects.astype(np.int32), f"pos{side}": pos, f"quat{side}": quat}
    return {f"connection_{name}": found[name] for name in NAMES}
