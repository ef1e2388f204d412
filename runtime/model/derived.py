"""The derived columns of a Model: what follows from the given ones.

All loops are iterative and their memory linear in the number of bodies; only `columns_of_M` grows with the
number of entries of the sparse mass matrix, and it is made when first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import JOINT_SIZES
from polybody.model import actuation, frames, measuring, topology
from polybody.model.flags import DISABLE
from polybody.rotations import matrix

Columns = Mapping[str, NDArray[Any]]
Reals = NDArray[np.float64]
Indices = NDArray[np.int32]


Computation = Callable[[Any], Mapping[str, NDArray[Any]]]
_COMPUTED: dict[str, Computation] = {}
PROVIDER = "polybody.engine.at_reference"
"""The module that says how columns of the role "computed" come about. It is named and not imported: a Model
that nobody asks for such a column needs no engine.
"""


def computes(*names: str) -> Callable[[Computation], Computation]:
    """Register a function of a Model that gives columns of the role "computed", all of these names."""

    def register(function: Computation) -> Computation:
        _COMPUTED.update(dict.fromkeys(names, function))
        return function

    return register


def computed(name: str) -> Computation:
    """The function that gives a column."""
    if name not in _COMPUTED:
        import_module(PROVIDER)
    return _COMPUTED[name]


def joint_sizes(jnt_type: Indices) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many coordinates and how many degrees of freedom each joint has; codes must be known."""
    sizes = np.array([JOINT_SIZES[code] for code in jnt_type.tolist()], dtype=np.int64).reshape(-1, 2)
    return sizes[:, 0], sizes[:, 1]


def derived(given: Columns) -> dict[str, NDArray[Any]]:
    """Every derived column that is not lazy, from valid given columns."""
    nbody = len(given["body_parentid"])
    nq, nv = joint_sizes(given["jnt_type"])
    columns: dict[str, NDArray[Any]] = {
        "jnt_qposadr": _starts(nq),
        "jnt_dofadr": _starts(nv),
        "dof_jntid": np.repeat(np.arange(len(nv), dtype=np.int32), nv),
        "dof_bodyid": np.repeat(given["jnt_bodyid"], nv).astype(np.int32),
        "body_spatial": _spatial(given),
    }
    for axis, owners in (
        ("jnt", given["jnt_bodyid"]),
        ("dof", columns["dof_bodyid"]),
        ("geom", given["geom_bodyid"]),
    ):
        number = np.bincount(owners, minlength=nbody)
        columns[f"body_{axis}num"] = number.astype(np.int32)
        columns[f"body_{axis}adr"] = np.where(number > 0, _starts(number), -1).astype(np.int32)
    columns |= _along_bodies(given, columns) | _along_dofs(given, columns)
    columns |= topology.columns(given, columns) | frames.columns(given) | _sizes(given)
    columns["ntree"] = np.array(1 + columns["dof_treeid"].max(initial=-1), dtype=np.int32)
    columns |= _switched(given)
    columns["jnt_stiffness"] = given["dof_stiffness"][columns["jnt_dofadr"]]
    columns |= topology.simple(given, columns)
    return columns | actuation.columns(given, columns) | measuring.columns(given, columns)


def _switched(given: Columns) -> dict[str, NDArray[Any]]:
    """What the flags leave on, of what the kernels ask for."""
    off = int(given["opt_disableflags"])
    words = {
        "implicit_damping": "eulerdamp",
        "gravity_acts": "gravity",
        "passive_acts": "passive",
        "clampctrl": "clampctrl",
        "actuation_acts": "actuation",
    }
    found = {f"opt_{name}": np.array(not off & DISABLE[word], np.uint8) for name, word in words.items()}
    falls = found["opt_gravity_acts"] and given["opt_gravity"].any()
    lifted = falls and found["opt_passive_acts"] and (given["body_gravcomp"] > 0).any()
    return found | {"opt_gravcomp_acts": np.array(bool(lifted), np.uint8)}


def _sizes(given: Columns) -> dict[str, NDArray[Any]]:
    """Sizes that no table has."""
    sizes = {
        "na": given["actuator_actnum"].sum(),
        "nmocap": (given["body_mocapid"] >= 0).sum(),
        "ngravcomp": (given["body_gravcomp"] > 0).sum(),
        "nsensordata": given["sensor_dim"].sum(),
    }
    return {name: np.array(size, dtype=np.int32) for name, size in sizes.items()}


def _starts(numbers: NDArray[np.int64]) -> Indices:
    """Where each of consecutive runs of the given lengths begins."""
    return (np.cumsum(numbers) - numbers).astype(np.int32)


def _spatial(given: Columns) -> Reals:
    """Mass, first moment and second moment about the bodies' origins (parallel axes), in body axes."""
    mass, centre = given["body_mass"], given["body_ipos"]
    turn = matrix(given["body_iquat"])
    moment = np.einsum("nij,nj,nkj->nik", turn, given["body_inertia"], turn)
    square = np.einsum("ni,ni->n", centre, centre)
    moment += mass[:, None, None] * (
        square[:, None, None] * np.eye(3) - centre[:, :, None] * centre[:, None, :]
    )
    lower = np.tril_indices(3)
    return np.column_stack([mass, mass[:, None] * centre, moment[:, lower[0], lower[1]]])


def _along_bodies(given: Columns, columns: Columns) -> dict[str, NDArray[Any]]:
    parents = given["body_parentid"].tolist()
    root = list(range(len(parents)))
    mass = given["body_mass"].tolist()
    for body in range(1, len(parents)):
        if parents[body]:
            root[body] = root[parents[body]]
    for body in range(len(parents) - 1, 0, -1):
        mass[parents[body]] += mass[body]
    return {
        "body_rootid": np.array(root, dtype=np.int32),
        "body_subtreemass": np.array(mass, dtype=np.float64),
    }


def _along_dofs(given: Columns, columns: Columns) -> dict[str, NDArray[Any]]:
    parents = given["body_parentid"].tolist()
    first, number = columns["body_dofadr"].tolist(), columns["body_dofnum"].tolist()
    last = [-1] * len(parents)  # the last degree of freedom on the way from the world to the body
    dof_parent: list[int] = []
    depth: list[int] = []
    for body in range(1, len(parents)):
        above = last[parents[body]]
        for dof in range(first[body], first[body] + number[body]):
            dof_parent.append(above)
            depth.append(depth[above] + 1 if above >= 0 else 0)
            above = dof
        last[body] = above
    length = np.array(depth, dtype=np.int64) + 1
    return {
        "body_lastdof": np.array(last, dtype=np.int32),
        "dof_parentid": np.array(dof_parent, dtype=np.int32),
        "dof_depth": np.array(depth, dtype=np.int32),
        "M_rowadr": np.cumsum(length) - length,
    }


def columns_of_M(rowadr: NDArray[np.int64], depth: Indices, parent: Indices) -> Indices:
    """The column of every entry of the sparse mass matrix: a row is its parent's row and its own diagonal."""
    length = depth.astype(np.int64) + 1
    result = np.empty(int(length.sum()), dtype=np.int32)
    for dof, (start, above) in enumerate(zip(rowadr.tolist(), parent.tolist(), strict=True)):
        shared = int(length[above]) if above >= 0 else 0
        if shared:
            result[start : start + shared] = result[rowadr[above] : rowadr[above] + shared]
        result[start + shared] = dof
    return result
