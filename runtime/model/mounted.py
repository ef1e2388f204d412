"""Poses of what is mounted on bodies, of one Model or of many: arrays may have leading axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.rotations.arrays import matrix

Reals = NDArray[np.float64]
Arrays = Mapping[str, NDArray[Any]]
MIN_MASS = 1e-15
"""Mass of a subtree above which it has a centre of mass, kg."""


def places(at: Arrays, body: NDArray[Any], pos: Reals) -> Reals:
    """Points of bodies in the world, (..., n, 3)."""
    found: Reals = at["xpos"][..., body, :] + np.einsum("...ij,...j->...i", at["xmat"][..., body, :, :], pos)
    return found


def cameras(known: Arrays, at: Arrays) -> dict[str, Reals]:
    """cam_pos0 and cam_mat0."""
    body = known["cam_bodyid"]
    turns = at["xmat"][..., body, :, :] @ _matrices(known["cam_quat"])
    return {
        "cam_pos0": places(at, body, known["cam_pos"]) - at["xpos"][..., body, :],
        "cam_mat0": turns.reshape(*turns.shape[:-2], 9),
    }


def lights(known: Arrays, at: Arrays) -> dict[str, Reals]:
    """light_pos0 and light_dir0."""
    body = known["light_bodyid"]
    return {
        "light_pos0": places(at, body, known["light_pos"]) - at["xpos"][..., body, :],
        "light_dir0": np.einsum("...ij,...j->...i", at["xmat"][..., body, :, :], known["light_dir"]),
    }


def from_centres(kind: str, known: Arrays, at: Arrays) -> dict[str, Reals]:
    """cam_poscom0 or light_poscom0: positions relative to the centre of mass of a subtree, that of the target
    if there is one, else that of the own body.
    """
    own, target = known[f"{kind}_bodyid"], known[f"{kind}_targetbodyid"]
    centre = _centres(known, at)[..., np.where(target >= 0, target, own), :]
    return {f"{kind}_poscom0": places(at, own, known[f"{kind}_pos"]) - centre}


def _centres(known: Arrays, at: Arrays) -> Reals:
    """Centres of mass of subtrees, (..., nbody, 3)."""
    moment = at["xipos"] * known["body_mass"][..., None]
    parents = known["body_parentid"].tolist()
    for body in range(len(parents) - 1, 0, -1):
        moment[..., parents[body], :] += moment[..., body, :]
    mass = known["body_subtreemass"][..., None]
    heavy = mass > MIN_MASS
    found: Reals = np.where(heavy, moment / np.where(heavy, mass, 1.0), at["xipos"])
    return found


def _matrices(quat: Reals) -> Reals:
    """Rotation matrices, (..., 3, 3)."""
    found: Reals = matrix(quat.reshape(-1, 4)).reshape(*quat.shape[:-1], 3, 3)
    return found
