"""What prevents steps: degrees of freedom without inertia, and parts that are not simulated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from polybody.engine import singular
from polybody.engine.unsimulated import unsimulated as parts_not_simulated
from polybody.plausibility.doubts import Doubt, called, listed
from polybody.plausibility.facts import Facts


def _loose(facts: Facts) -> NDArray[np.bool_]:
    """Which degrees of freedom have no inertia, (nv,).

    A body with one joint, mass and moments moves with inertia, whatever is attached to it; only other bodies
    need the mass matrix.
    """
    model = facts.model
    weld = model.body_weldid
    heavy = np.bincount(weld, (model.body_mass > 0) & (model.body_inertia > 0).all(axis=1), model.nbody) > 0
    moved = model.body_jntnum > 0
    if (heavy & (model.body_jntnum <= 1))[moved].all():
        return np.zeros(model.nv, bool)
    return singular.undetermined(model)


def massless(facts: Facts) -> Iterator[Doubt]:
    """Bodies that move, with all that is attached to them, without mass."""
    model = facts.model
    loose = _loose(facts)
    bodies = np.flatnonzero(np.bincount(model.dof_bodyid[loose]))
    bodies = bodies[model.body_subtreemass[bodies] <= 0]
    inner = np.isin(model.body_parentid[bodies], bodies)
    for body in bodies[~inner].tolist():
        yield _without_inertia(facts, body, "moves without mass: no step is possible")


def undetermined(facts: Facts) -> Iterator[Doubt]:
    """Bodies with mass that move without inertia, such as a point mass that rotates about itself."""
    model = facts.model
    loose = _loose(facts)
    bodies = np.flatnonzero(np.bincount(model.dof_bodyid[loose]))
    for body in bodies[model.body_subtreemass[bodies] > 0].tolist():
        why = "has a motion that no inertia resists: no step is possible"
        yield _without_inertia(facts, body, why)


def _without_inertia(facts: Facts, body: int, why: str) -> Doubt:
    model = facts.model
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    joints = [called(model, "joint", row) for row in range(first, first + count)] if first >= 0 else []
    by = f" ({listed(joints)})" if joints else ""
    armature = ", or its joint armature" if facts.format in ("mjcf", "x_xy") else ""
    fixed = "" if facts.format == "mjcf" else ", or make the joint fixed"
    hint = f"give it mass and inertia{armature}{fixed}"
    return Doubt(("body", body), f"{called(model, 'body', body)}{by} {why}", hint)


def unsimulated(facts: Facts) -> Iterator[Doubt]:
    """Parts that would act and are not simulated, so that a step is refused."""
    for part in parts_not_simulated(facts.model):
        at = (part.kind, part.row) if part.kind else None
        yield Doubt(at, part.text, "steps are refused until it is removed or disabled")
