"""Random tendons for the columns of a tree that has sites, shapes, hinges and actuators."""

from __future__ import annotations

import numpy as np
from polybody.generated.kernels import layout
from polybody.generated.model import TransmissionType, WrapType
from polybody.model import tendons

from .trees import CODES, Array

FIXED = ("joint", "joint")
BRANCHED = ("site", "site", "site", "pulley", "site", "site")
ROUND = (
    *("site", "sphere", "site", "cylinder", "site", "pulley"),
    *("site", "sphere", "site", "cylinder", "site", "sphere", "site"),
)
PATHS = (FIXED, BRANCHED, ROUND)


def with_tendons(c: dict[str, Array], rng: np.random.Generator) -> None:
    """A fixed tendon, and spatial ones through sites, with springs and dampers; an actuator at each."""
    rows = [part for path in PATHS for part in path]
    given: dict[str, Array] = {
        "wrap_type": np.array([WrapType[part] for part in rows], np.int32),
        "wrap_objid": np.array([row(c, part, rng) for part in rows], np.int32),
        "wrap_prm": rng.uniform(1.0, 3.0, size=len(rows)),
        "tendon_adr": np.cumsum([0, *map(len, PATHS[:-1])]).astype(np.int32),
        "tendon_num": np.array([len(path) for path in PATHS], np.int32),
    }
    shapes = np.isin(given["wrap_type"], tendons.SHAPES)
    given["wrap_prm"][shapes] = np.resize([-1, 0, -1, 2, 3], shapes.sum())  # side sites
    c["geom_size"][...] = rng.uniform(0.2, 0.8, size=c["geom_size"].shape)
    known = c | given
    for derive in (tendons.objects, tendons.paths, tendons.jacobian):
        known |= derive(known)
    known["wrap_inside"] = np.zeros(len(rows))
    sided = known["wrap_side"] >= 0
    known["wrap_inside"][sided] = np.resize([2, 1], sided.sum())
    count = len(PATHS)
    known |= {
        "tendon_stiffness": rng.uniform(1.0, 5.0, size=count),
        "tendon_damping": rng.uniform(0.0, 1.0, size=count),
        "tendon_lengthspring": np.sort(rng.uniform(0.0, 1.0, size=(count, 2)), axis=1),
        "tendon_armature": np.zeros(count),
        "tendon_springyield": np.zeros(count),
        "tendon_plasticadr": np.full(count, -1, np.int32),
        "tendon_actfrclimited": np.arange(count) % 2,
        "tendon_actfrcrange": np.sort(rng.uniform(-1.0, 1.0, size=(count, 2)), axis=1),
    }
    known |= {f"tendon_{name}poly": rng.uniform(0.0, 1.0, (count, 2)) for name in ("stiffness", "damping")}
    for name, axis, base, _ in layout.GIVEN:
        if axis in ("tendon", "wrap", "ten_J", "lever"):
            c[name] = known[name].astype(layout.DTYPES[base])
    for name in ("tendons", "tendon_poses", "tendon_forces", "polynomials", "tendon_limits"):
        c[f"opt_{name}"][...] = 1
    c["actuator_trntype"][:count] = TransmissionType.tendon
    c["actuator_target"][:count] = np.arange(count)


def row(c: dict[str, Array], part: str, rng: np.random.Generator) -> int:
    """The kind of an element of a path."""
    if part == "joint":
        return int(rng.choice(np.flatnonzero(c["jnt_type"] == CODES["hinge"])))
    if part == "pulley":
        return -1
    return int(rng.integers(len(c["site_bodyid" if part == "site" else "geom_bodyid"])))
