"""Columns derived from the tree alone: welds, trees, simple bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import Integrator, JointType, Release
from polybody.model.frames import BODY

Columns = Mapping[str, NDArray[Any]]
CENTRED = 1e-6
"""Tolerance on the distance of a joint's anchor from the origin of a simple body."""
FREE = 6
"""Degrees of freedom of a free joint."""
ALIGNED = 1e-14
"""Tolerance on the components of a simple body's axis perpendicular to its coordinate axis."""


def columns(known: Columns) -> dict[str, NDArray[Any]]:
    """Welds and trees. As of MuJoCo 4.0, a mocap body is welded to nothing."""
    parent, joints = known["body_parentid"].tolist(), known["body_jntnum"].tolist()
    weld, own = [0] * len(parent), joints
    if known["opt_release"] == Release.v4_0:
        mocap = known["body_mocapid"].tolist()
        own = [moves or place >= 0 for moves, place in zip(joints, mocap, strict=True)]
    for body in range(1, len(parent)):
        weld[body] = body if own[body] else weld[parent[body]]
    roots = known["dof_parentid"] < 0
    dof_tree = (np.cumsum(roots) - 1).astype(np.int32) if len(roots) else np.zeros(0, np.int32)
    _join(dof_tree, known["dof_parentid"])
    first = known["body_dofadr"][weld]
    tree = np.where(first >= 0, dof_tree[np.maximum(first, 0)] if len(dof_tree) else -1, -1)
    length = known["dof_depth"].astype(np.int64) + 1
    return {
        "body_weldid": np.array(weld, dtype=np.int32),
        "body_mocaprootid": _mocap_roots(known, parent, joints),
        "body_treeid": tree.astype(np.int32),
        "dof_treeid": dof_tree,
        "dof_Madr": (np.cumsum(length) - length).astype(np.int32),
    }


def _mocap_roots(known: Columns, parent: list[int], joints: list[int]) -> NDArray[np.int32]:
    """The row of mocap_pos that moves each body, -1 if there is none."""
    root = known["body_mocapid"].tolist()
    for body in range(1, len(parent)):
        if root[body] < 0 and not joints[body]:
            root[body] = root[parent[body]]
    return np.array(root, dtype=np.int32)


def put_mocap(model: Any, pos: NDArray[Any], quat: NDArray[Any]) -> None:
    """Set mocap_pos and mocap_quat to the poses that the bodies have in the Model."""
    moved = np.flatnonzero(model.body_mocapid >= 0)
    rows = model.body_mocapid[moved]
    pos[rows], quat[rows] = model.body_pos[moved], model.body_quat[moved]


def _join(tree: NDArray[np.int32], parent: NDArray[np.int32]) -> None:
    """Give each degree of freedom the number of the tree of its parent degree of freedom, in place."""
    number = tree.tolist()
    for dof, above in enumerate(parent.tolist()):
        if above >= 0:
            number[dof] = number[above]
    tree[...] = number


def margins(known: Columns) -> dict[str, NDArray[Any]]:
    """body_margin: the largest margin of a body's geoms; as of MuJoCo 4.0, of margin + gap."""
    margin, own = np.zeros(len(known["body_parentid"])), known["geom_margin"]
    if known["opt_release"] == Release.v4_0:
        own = own + known["geom_gap"]
    np.maximum.at(margin, known["geom_bodyid"], own)
    return {"body_margin": margin}


def of_geoms(known: Columns) -> dict[str, NDArray[Any]]:
    """body_contype, body_conaffinity: of all geoms of a body together."""
    nbody, owner = len(known["body_parentid"]), known["geom_bodyid"]
    bits = {}
    for name in ("contype", "conaffinity"):
        bits[name] = np.zeros(nbody, dtype=np.int32)
        np.bitwise_or.at(bits[name], owner, known[f"geom_{name}"])
    return {f"body_{name}": values for name, values in bits.items()}


def simple(known: Columns) -> dict[str, NDArray[Any]]:
    """body_simple and dof_simplenum: rows of the mass matrix that are diagonal at any configuration."""
    parent, joints = known["body_parentid"], known["body_jntnum"]
    nbody = len(parent)
    at_world = (parent == 0) | ((parent[parent] == 0) & (joints[parent] == 0))
    childless = np.ones(nbody, dtype=bool)
    childless[parent[1:]] = False
    childless[0] = True  # the world, in any case
    found = (known["body_sameframe"] == BODY) & at_world & childless
    owner, kind = known["jnt_bodyid"], known["jnt_type"]
    turns, moves = kind != JointType.slide, kind >= JointType.slide
    across = np.sort(np.abs(known["jnt_axis"]), axis=1)[:, 1]
    bad = np.any(np.abs(known["jnt_pos"]) > CENTRED, axis=1) | (moves & (across > ALIGNED))
    later = np.zeros(len(owner), dtype=bool)  # it follows a rotation of the same body
    later[1:] = (owner[1:] == owner[:-1]) & turns[:-1]
    bad |= later | (kind == JointType.screw)
    found[owner[bad]] = False
    inert = known["tendon_armature"] != 0
    found[known["wrap_body"][inert[known["wrap_tendon"]]]] = False
    found[known["body_notsimple"] != 0] = False
    slides = np.zeros(nbody, dtype=bool)
    slides[owner] = True
    slides[owner[kind != JointType.slide]] = False
    result = np.where(found & slides, 2, found).astype(np.uint8)
    return {"body_simple": result, "dof_simplenum": _runs(result[known["dof_bodyid"]] > 0)}


def gyroscopic(lightest: float, known: Columns) -> dict[str, NDArray[Any]]:
    """dof_gyroscopic and opt_gyroscopic; bodies below the lightest mass count as having none."""
    kind, owner, tree = known["jnt_type"], known["jnt_bodyid"], known["dof_treeid"]
    own, heavy = tree[known["jnt_dofadr"]], known["body_mass"] >= lightest
    moving = known["body_treeid"][heavy]
    heavies = np.bincount(moving[moving >= 0], minlength=len(tree) + 1)
    lone = (kind == JointType.free) & (known["body_jntnum"][owner] == 1)
    lone &= (np.bincount(tree, minlength=len(tree) + 1)[own] == FREE) & (heavies[own] == heavy[owner])
    asked = known["opt_release"] == Release.v4_0 and known["opt_integrator"] == Integrator.implicitfast
    found = (lone & bool(asked))[known["dof_jntid"]].astype(np.int32)
    return {"dof_gyroscopic": found, "opt_gyroscopic": np.array(bool(found.any()), np.uint8)}


def _runs(flags: NDArray[Any]) -> NDArray[np.int32]:
    """Number of consecutive set flags from each position on."""
    counts = [0] * len(flags)
    run = 0
    for place in range(len(flags) - 1, -1, -1):
        run = run + 1 if flags[place] else 0
        counts[place] = run
    return np.array(counts, dtype=np.int32)
