"""MJCF against MuJoCo 3.2.7: every field that the compiler computes, by MuJoCo's name, shape, type and value.

`mjcf_dynamics` compares the dynamics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import polybody
from polybody.generated.model import TABLES
from polybody.lowering.mjcf import Compiled, DampRatio, SpringDamper, compile_document
from polybody.rotations.arrays import matrix

from tests.differential import mjcf_constraints, mjcf_dynamics
from tests.differential.alone import each_alone
from tests.differential.identity import identity
from tests.differential.report import Comparison, relative_error

ENGINE = "MuJoCo 3.2.7"
SUFFIX = ".xml"
NAMES, TENSORS, HULLS = "names", "inertia tensors", "convex hulls"
NOT_FIELDS = (
    *("memory", "nstack", "mesh_graph", "vis_rgba_bv", "vis_rgba_bvactive"),
    *("plugin_type", "plugin_typeadr"),
)
"""Columns that MuJoCo's model does not store, does not expose to Python, or stores in an unspecified
order.
"""
COUNTS = {
    "body": "nbody", "joint": "njnt", "geom": "ngeom", "site": "nsite", "camera": "ncam", "light": "nlight",
    "mesh": "nmesh", "skin": "nskin", "hfield": "nhfield", "texture": "ntex", "material": "nmat",
    "pair": "npair", "exclude": "nexclude", "equality": "neq", "tendon": "ntendon", "actuator": "nu",
    "sensor": "nsensor", "numeric": "nnumeric", "text": "ntext", "tuple": "ntuple", "key": "nkey",
    "flex": "nflex", "plugin": "nplugin",
}  # fmt: skip


def _empty() -> Compiled:
    return compile_document(polybody.read("empty.xml", text="<mujoco/>", policy="warn"))


def _has(name: str) -> bool:
    group, _, rest = name.partition("_")
    owner = {"opt": mujoco.MjOption, "stat": mujoco.MjStatistic}.get(group)
    return hasattr(mujoco.MjModel, name) if owner is None else hasattr(owner, rest)


FOLLOWING = tuple(
    column.name
    for table in TABLES
    for column in table.columns
    if table.owner == "model" and column.role != "model" and column.name not in _empty().columns
)
"""Columns of the Model that follow from those of the compiler; those that MuJoCo has as well are compared."""
TOLERANCES = {
    **{name: 1e-9 for name in _empty().columns if name not in NOT_FIELDS},
    **{name: 1e-9 for name in FOLLOWING if _has(name)},
    NAMES: 0.0,
    HULLS: 0.0,
    TENSORS: 1e-9,
    **mjcf_dynamics.TOLERANCES,
    **mjcf_constraints.TOLERANCES,
}


def compare_files(paths: Sequence[Path], *, seed: int, workers: int, steps: int) -> list[Comparison]:
    """Compile and simulate each file in both engines, each in a process of its own: MuJoCo crashes on
    some.
    """
    return each_alone(paths, workers, "MuJoCo", compare, steps, refuses=mujoco.FatalError)


def compare(path: Path, steps: int) -> Comparison:
    """Differences between MuJoCo's model of a file and our columns, and between the motions of both."""
    result = Comparison(str(path))
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        result.skipped = "MuJoCo: " + " ".join(str(error).split())[:200]
        return result
    try:
        document = polybody.read(path, policy="warn", format="mjcf")
        compiled = compile_document(document)
    except polybody.ValidationError as error:
        result.failure = f"polybody: {error}".replace("\n", "; ")
        return result
    compare_model(compiled, model, result)
    compare_following(document, model, result)
    mjcf_constraints.compare_constraints(document, model, np.random.default_rng(0), result)
    mjcf_dynamics.compare_dynamics(document, model, identity(path), steps, result)
    return result


def compare_model(compiled: Compiled, model: Any, result: Comparison) -> None:
    """Add the error of every field."""
    open_fields = dict(_computed_later(compiled, model))
    for name, ours in compiled.columns.items():
        if name in NOT_FIELDS:
            continue
        theirs = engine_field(model, name)
        if theirs is None:
            result.withheld[name] = "not to be seen in MuJoCo's Python"
            continue
        keep = open_fields.get(name)
        result.add_error(name, field_error(ours, theirs, keep))
    wrong = max(float(names != _names(model, kind)) for kind, names in compiled.names.items())
    result.add_error(NAMES, wrong)
    tensors = [_tensors(columns) for columns in (compiled.columns, _fields(model))]
    result.add_error(HULLS, float(_hulls(compiled.columns) != _hulls(model)))
    result.add_error(TENSORS, relative_error(*tensors))


def compare_following(document: Any, model: Any, result: Comparison) -> None:
    """Add the errors of values derived from the compiler's columns, some of them by solving at qpos0."""
    ours = polybody.lower(document, policy="warn")
    result.add_error(
        "actuator_lengthrange", field_error(ours.actuator_lengthrange, model.actuator_lengthrange)
    )
    solved = mjcf_dynamics.hardness(model, polybody.Data(ours).qM)
    for name in FOLLOWING:
        if name not in TOLERANCES:
            continue
        theirs = engine_field(model, "statistic_" + name[5:] if name.startswith("stat_") else name)
        assert theirs is not None
        found = np.asarray(getattr(ours, name))
        error = field_error(found, theirs.reshape(found.shape))
        if "invweight0" in name or name == "actuator_acc0":
            result.add_solved(name, error, solved)
        else:
            result.add_error(name, error)


def field_error(ours: np.ndarray, theirs: np.ndarray, keep: np.ndarray | None = None) -> float:
    """The relative error of a field; infinite if the shape or type differs.

    keep: which of the numbers are compared; the others depend on values that are computed later.
    """
    if theirs.ndim and (ours.dtype != theirs.dtype or ours.size != theirs.size):
        return float("inf")
    if theirs.ndim > 1 and ours.shape != theirs.shape:
        return float("inf")
    ours, theirs = ours.astype(float).reshape(-1), theirs.astype(float).reshape(-1)
    if keep is not None:
        ours, theirs = ours[keep.reshape(-1)], theirs[keep.reshape(-1)]
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))  # infinities too
    return 0.0 if same.all() else relative_error(ours, theirs)


def engine_field(model: Any, name: str) -> np.ndarray | None:
    """A field of MuJoCo's model by our column's name; None if Python does not expose it."""
    group, _, rest = name.partition("_")
    if group == "opt":
        return np.asarray(getattr(model.opt, rest))
    if group == "statistic":
        return np.asarray(getattr(model.stat, rest))
    if group == "vis":
        part, _, field = rest.partition("_")
        shown = getattr(getattr(model.vis, "global_" if part == "global" else part), field)
        found = np.asarray(shown)
        return None if found.ndim and not found.size else found
    found = getattr(model, name)
    if isinstance(found, bytes):
        return np.frombuffer(found, dtype=np.uint8)
    found = np.asarray(found)
    return found.view(np.uint8) if found.dtype in (np.int8, np.dtype("S1")) else found


def _computed_later(compiled: Compiled, model: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Fields in which some numbers depend on inertias or poses, with the mask of the numbers that do not."""
    columns = compiled.columns
    for name, value in columns.items():
        if name.startswith("statistic_"):
            yield name, ~np.isnan(value)
    stiff = np.ones(len(columns["jnt_type"]), dtype=bool)
    gains = np.ones(columns["actuator_biasprm"].shape, dtype=bool)
    ranges = np.ones(columns["actuator_lengthrange"].shape, dtype=bool)
    for request in compiled.pending:
        if isinstance(request, SpringDamper):
            stiff[request.joint] = False
        elif isinstance(request, DampRatio):
            gains[request.actuator, 2] = False
        else:
            ranges[list(request.actuators)] = False
    yield "jnt_stiffness", stiff
    yield "dof_damping", stiff[model.dof_jntid] if model.nv else np.ones(0, dtype=bool)
    yield "actuator_biasprm", gains
    yield "actuator_lengthrange", ranges
    lengths = columns["tendon_lengthspring"]
    yield "tendon_lengthspring", np.repeat(~(lengths == -1).all(axis=1)[:, None], 2, axis=1)
    data = np.ones(columns["eq_data"].shape, dtype=bool)
    for row, (kind, given) in enumerate(zip(columns["eq_type"], columns["eq_data"], strict=True)):
        if kind == 0 and columns["eq_objtype"][row] == 1:
            data[row, 3:6] = False
        elif kind == 1 and columns["eq_objtype"][row] == 1:
            data[row, 6:10] = False  # normalised as well
            data[row, 3:6] = given[6:10].any()
    yield "eq_data", data


@cache
def _kinds() -> dict[str, int]:
    return {kind: int(getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")) for kind in COUNTS}


def _names(model: Any, kind: str) -> tuple[str, ...]:
    if kind not in COUNTS:
        return ()
    count = getattr(model, COUNTS[kind])
    return tuple(mujoco.mj_id2name(model, _kinds()[kind], row) or "" for row in range(count))


def _hulls(holder: Any) -> list[set[tuple[int, ...]]]:
    """The triangles of each mesh's convex hull, each starting at its lowest vertex."""
    graph, starts = (
        np.asarray(holder[name] if isinstance(holder, dict) else getattr(holder, name))
        for name in ("mesh_graph", "mesh_graphadr")
    )
    found = []
    for start in starts[starts >= 0].tolist():
        vertices, faces = graph[start : start + 2].tolist()
        begin = start + 2 + 3 * vertices + 3 * faces
        rows = graph[begin : begin + 3 * faces].reshape(-1, 3).tolist()
        found.append({(*row[row.index(min(row)) :], *row[: row.index(min(row))]) for row in rows})
    return found


def _fields(model: Any) -> dict[str, np.ndarray]:
    return {name: np.asarray(getattr(model, name)) for name in ("body_iquat", "body_inertia")}


def _tensors(columns: Any) -> np.ndarray:
    """The bodies' moments of inertia in the body axes."""
    turn = matrix(columns["body_iquat"])
    return np.einsum("nij,nj,nkj->nik", turn, columns["body_inertia"], turn)
