"""Frames that coincide: of elements attached to a body at its frame, or at its frame of inertia.

MuJoCo then uses the body's pose instead of composing two poses, with a tolerance of 1e-6 for each number.
Columns at qpos0 follow MuJoCo; the kernels compose the poses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = Mapping[str, NDArray[Any]]
TOLERANCE = 1e-6
NEITHER, BODY, INERTIA, BODY_TURN, INERTIA_TURN = range(5)
"""What coincides: nothing, the pose with the body's frame or frame of inertia, only the orientation with
either.
"""


def of_bodies(known: Columns) -> Columns:
    """body_sameframe, (n,)."""
    return {"body_sameframe": same(known["body_ipos"], known["body_iquat"])}


def of_parts(kind: str, known: Columns) -> Columns:
    """geom_sameframe or site_sameframe, (n,)."""
    body = known[f"{kind}_bodyid"]
    inertia = known["body_ipos"][body], known["body_iquat"][body]
    return {f"{kind}_sameframe": same(known[f"{kind}_pos"], known[f"{kind}_quat"], inertia)}


def same(
    pos: NDArray[Any], quat: NDArray[Any], inertia: tuple[NDArray[Any], NDArray[Any]] | None = None
) -> NDArray[np.uint8]:
    """The code of each pose, (n, 3) and (n, 4), in the frame of a body with the given frames of inertia."""
    upright = np.array([1.0, 0.0, 0.0, 0.0])
    at, turned = _near(pos, 0.0), _turned(quat, upright)
    found: NDArray[np.uint8] = np.full(len(pos), NEITHER, dtype=np.uint8)
    if inertia is not None:
        alike = _turned(quat, inertia[1])
        found[alike] = INERTIA_TURN
        found[alike & _near(pos, inertia[0])] = INERTIA
    found[turned] = BODY_TURN
    found[turned & at] = BODY
    return found


def _near(one: NDArray[Any], other: Any) -> NDArray[Any]:
    near: NDArray[Any] = (np.abs(one - other) < TOLERANCE).all(axis=1)
    return near


def _turned(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Whether quaternions represent the same orientation: equal, or opposite."""
    equal = _near(one, other)
    return equal if equal.all() else equal | _near(one, -other)
