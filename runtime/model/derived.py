"""Columns that follow from the given columns of a Model. Each derivation runs when one of its columns is
requested.

A derivation declares the columns that it computes and those that it reads, so :meth:`Model.replace` knows
which derived columns remain valid. Derivations that need the kernels are in `at_reference`.

All loops are iterative, and their memory is linear in the number of bodies; only `columns_of_M` grows with
the number of entries of the sparse mass matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.errors import ModelError
from polybody.generated.model import JOINT_SIZES, TABLES, JointType, Prescription, Release, WrapType
from polybody.model import (
    actuation,
    bending,
    connections,
    delays,
    flexes,
    frames,
    inertias,
    instances,
    measuring,
    plasticity,
    servos,
    tendons,
    topology,
    touching,
)
from polybody.model.flags import DISABLE
from polybody.rotations.arrays import matrix

Columns = Mapping[str, NDArray[Any]]
Reals = NDArray[np.float64]
Indices = NDArray[np.int32]
Make = Callable[[Any], Mapping[str, NDArray[Any]]]

ROLES: dict[str, str] = {c.name: c.role for table in TABLES for c in table.columns if table.owner == "model"}
"""The role of every column of a Model: given ("model"), derived, or computed with kernels."""
MAX_ENTRIES = 2**31 - 1
"""Maximum number of entries of the mass matrix: kernels use indices of 32 bits."""


INERTIAS = "+inertias"
"""In what a derivation reads: the columns that determine inertias of actuators and tendons, which matter only
in a Model with such inertias.
"""
OF_INERTIAS = (
    *("actuator_armature", "actuator_trntype", "actuator_trnid", "actuator_gear", "tendon_armature"),
    *("tendon_adr", "tendon_num", "wrap_*", "site_bodyid", "site_pos", "site_quat"),
)


class Derivation(NamedTuple):
    """How some columns are computed from others."""

    names: tuple[str, ...]
    reads: tuple[str, ...]
    """The columns that they depend on, given or derived; "body_*" stands for every given column with that
    prefix.
    """
    make: Make
    """Function from a Model, as a mapping of columns by name, to the computed columns."""


_BY_COLUMN: dict[str, Derivation] = {}


def derives(*names: str, reads: Iterable[str]) -> Callable[[Make], Make]:
    """Register a function that computes columns of these names from the columns that it reads."""

    def register(make: Make) -> Make:
        derivation = Derivation(names, tuple(reads), make)
        _BY_COLUMN.update(dict.fromkeys(names, derivation))
        return make

    return register


def derivation(name: str) -> Derivation:
    """The derivation of a column that is not given."""
    if name not in _BY_COLUMN and ROLES[name] == "computed":
        from polybody.model import at_reference  # noqa: F401  (registers them; most Models are not asked for any)

    return _BY_COLUMN[name]


def given_or_derived(reads: Iterable[str], inert: bool) -> Iterator[str]:
    """What a derivation reads in a Model in which actuators or tendons have inertia, or not."""
    for read in reads:
        if read != INERTIAS:
            yield read
        elif inert:
            yield from OF_INERTIAS


@cache
def depends_on(name: str) -> frozenset[str]:
    """The given columns on which a column depends."""
    if ROLES[name] == "model":
        return frozenset((name,))
    found: set[str] = set()
    for read in given_or_derived(derivation(name).reads, True):
        if read.endswith("*"):
            found |= {other for other in ROLES if other.startswith(read[:-1]) and ROLES[other] == "model"}
        else:
            found |= depends_on(read)
    return frozenset(found)


_JOINT_SIZES = np.array([JOINT_SIZES[code] for code in sorted(JOINT_SIZES)], dtype=np.int64)
"""Numbers of coordinates and of velocities of each type of joint, by code; codes start at 0."""


def joint_sizes(jnt_type: Indices) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of coordinates and of degrees of freedom of each joint. The codes must be valid."""
    sizes = _JOINT_SIZES[jnt_type]
    return sizes[:, 0], sizes[:, 1]


@derives("jnt_qposadr", "jnt_dofadr", "dof_jntid", "dof_bodyid", reads=("jnt_type", "jnt_bodyid"))
def _of_joints(known: Columns) -> dict[str, NDArray[Any]]:
    nq, nv = joint_sizes(known["jnt_type"])
    return {
        "jnt_qposadr": _starts(nq),
        "jnt_dofadr": _starts(nv),
        "dof_jntid": np.repeat(np.arange(len(nv), dtype=np.int32), nv),
        "dof_bodyid": np.repeat(known["jnt_bodyid"], nv).astype(np.int32),
    }


@derives("dof_prescribed", "opt_prescribed", reads=("jnt_prescribed", "dof_jntid"))
def _prescribed(known: Columns) -> dict[str, NDArray[Any]]:
    given = known["jnt_prescribed"]
    kinds = np.where(given == Prescription.servo, -1, given).astype(np.int32)
    return {
        "dof_prescribed": kinds[known["dof_jntid"]],
        "opt_prescribed": np.array(bool((kinds > 0).any()), np.uint8),
    }


@derives("dof_inparent", "opt_springs_inparent", reads=("jnt_type", "jnt_inparent", "dof_jntid"))
def _inparent(known: Columns) -> dict[str, NDArray[Any]]:
    which = (known["jnt_inparent"] > 0) & (known["jnt_type"] == JointType.free)
    found = which[known["dof_jntid"]].astype(np.uint8)
    return {"dof_inparent": found, "opt_springs_inparent": np.array(bool(which.any()), np.uint8)}


@derives("jnt_stiffness", reads=("dof_stiffness", "jnt_dofadr"))
def _stiffness(known: Columns) -> dict[str, NDArray[Any]]:
    return {"jnt_stiffness": known["dof_stiffness"][known["jnt_dofadr"]]}


@derives(
    *("body_jntnum", "body_jntadr", "body_dofnum", "body_dofadr", "body_geomnum", "body_geomadr"),
    reads=("body_parentid", "jnt_bodyid", "dof_bodyid", "geom_bodyid"),
)
def _of_bodies(known: Columns) -> dict[str, NDArray[Any]]:
    """Numbers of joints, degrees of freedom and geoms of each body, and their first rows, -1 if there are
    none.
    """
    columns = {}
    for axis in ("jnt", "dof", "geom"):
        number = np.bincount(known[f"{axis}_bodyid"], minlength=len(known["body_parentid"]))
        columns[f"body_{axis}num"] = number.astype(np.int32)
        columns[f"body_{axis}adr"] = np.where(number > 0, _starts(number), -1).astype(np.int32)
    return columns


LONG = 24
"""Mean length of the rows of the mass matrix above which they are computed one chain at a time."""
LIGHTEST = 1e-15
"""Minimum mass of a body on which the medium acts, kg."""
FLAGS = {
    "gravity_acts": ("gravity",),
    "springs_act": ("passive", "spring"),
    "dampers_act": ("passive", "damper"),
    "clampctrl": ("clampctrl",),
    "actuation_acts": ("actuation",),
}
"""Columns that the kernels read, and the flags that disable each."""


@derives(
    *(f"opt_{name}" for name in FLAGS),
    *("opt_passive_acts", "opt_implicit_damping"),
    reads=("opt_disableflags", "opt_release"),
)
def _switched(known: Columns) -> dict[str, NDArray[Any]]:
    off = int(known["opt_disableflags"])
    acts = {name: not any(off & DISABLE[word] for word in words) for name, words in FLAGS.items()}
    acts["passive_acts"] = acts["springs_act"] or acts["dampers_act"]
    acts["implicit_damping"] = not off & DISABLE["eulerdamp"]
    if known["opt_release"] == Release.v4_0:  # dampers of 3.2.7 that are disabled still resist changes
        acts["implicit_damping"] &= acts["dampers_act"]
    return {f"opt_{name}": np.array(bool(act), np.uint8) for name, act in acts.items()}


@derives("opt_gravcomp_acts", reads=("opt_gravity_acts", "opt_passive_acts", "opt_gravity", "body_gravcomp"))
def _lifted(known: Columns) -> dict[str, NDArray[Any]]:
    falls = known["opt_gravity_acts"] and known["opt_gravity"].any()
    lifted = falls and known["opt_passive_acts"] and (known["body_gravcomp"] > 0).any()
    return {"opt_gravcomp_acts": np.array(bool(lifted), np.uint8)}


@derives(
    *("body_fluid", "opt_fluid_acts", "opt_wind_acts"),
    reads=(
        *("opt_passive_acts", "opt_density", "opt_viscosity", "opt_wind"),
        *("body_mass", "body_lastdof", "geom_bodyid", "geom_fluid"),
    ),
)
def _swimming(known: Columns) -> dict[str, NDArray[Any]]:
    wet = (known["body_mass"] >= LIGHTEST) & (known["body_lastdof"] >= 0)
    shaped = np.zeros(len(wet), dtype=bool)
    shaped[known["geom_bodyid"][known["geom_fluid"][:, 0] > 0]] = True
    acts = (
        known["opt_passive_acts"] and (known["opt_density"] > 0 or known["opt_viscosity"] > 0) and wet.any()
    )
    return {
        "body_fluid": np.where(wet, 1 + shaped, 0).astype(np.int32),
        "opt_fluid_acts": np.array(bool(acts), np.uint8),
        "opt_wind_acts": np.array(bool(known["opt_wind"].any()), np.uint8),
    }


@derives("opt_elements_act", reads=("opt_passive_acts", "element_type"))
def _pulled(known: Columns) -> dict[str, NDArray[Any]]:
    acts = known["opt_passive_acts"] and len(known["element_type"])
    return {"opt_elements_act": np.array(bool(acts), np.uint8)}


@derives(
    *("opt_tendons", "opt_tendon_poses", "opt_tendon_forces"),
    reads=("opt_passive_acts", *inertias.TENSE, *inertias.DAMPERS, "wrap_type"),
)
def _tense(known: Columns) -> dict[str, NDArray[Any]]:
    tense = inertias.tense(known)
    facts = {
        "tendons": len(tense) > 0,
        "tendon_poses": (known["wrap_type"] == WrapType.site).any(),
        "tendon_forces": known["opt_passive_acts"] and tense.any(),
    }
    return {f"opt_{name}": np.array(bool(fact), np.uint8) for name, fact in facts.items()}


@derives("opt_chains", reads=("dof_depth",))
def _long_rows(known: Columns) -> dict[str, NDArray[Any]]:
    depth = known["dof_depth"]
    return {"opt_chains": np.array(len(depth) > 0 and depth.mean() >= LONG, np.uint8)}


@derives("opt_mocap_joints", reads=("jnt_bodyid", "body_parentid", "body_mocaprootid"))
def _on_mocap(known: Columns) -> dict[str, NDArray[Any]]:
    above = known["body_mocaprootid"][known["body_parentid"][known["jnt_bodyid"]]]
    return {"opt_mocap_joints": np.array(bool((above >= 0).any()), np.uint8)}


@derives(
    *("na", "nmocap", "ngravcomp", "nsensordata", "npluginstate", "ntree"),
    reads=("plugin_statenum", "actuator_actnum", "body_mocapid", "body_gravcomp", "sensor_dim", "dof_treeid"),
)
def _sizes(known: Columns) -> dict[str, NDArray[Any]]:
    """Sizes that no table has."""
    sizes = {
        "na": known["actuator_actnum"].sum(),
        "nmocap": (known["body_mocapid"] >= 0).sum(),
        "ngravcomp": (known["body_gravcomp"] > 0).sum(),
        "nsensordata": known["sensor_dim"].sum(),
        "npluginstate": known["plugin_statenum"].sum(),
        "ntree": 1 + known["dof_treeid"].max(initial=-1),
    }
    return {name: np.array(size, dtype=np.int32) for name, size in sizes.items()}


def _starts(numbers: NDArray[np.int64]) -> Indices:
    """First indices of consecutive runs of the given lengths."""
    return (np.cumsum(numbers) - numbers).astype(np.int32)


LOWER = np.tril_indices(3)
"""Places of the entries of a symmetric matrix that are stored."""


@derives("body_spatial", reads=("body_mass", "body_ipos", "body_iquat", "body_inertia"))
def _spatial(known: Columns) -> dict[str, Reals]:
    """Mass, first moment and second moment about body origins (parallel axis theorem), in body axes."""
    mass, centre = known["body_mass"], known["body_ipos"]
    turn = matrix(known["body_iquat"])
    moment = np.einsum("nij,nj,nkj->nik", turn, known["body_inertia"], turn)
    square = np.einsum("ni,ni->n", centre, centre)
    moment += mass[:, None, None] * (
        square[:, None, None] * np.eye(3) - centre[:, :, None] * centre[:, None, :]
    )
    columns = [mass, mass[:, None] * centre, moment[:, LOWER[0], LOWER[1]]]
    return {"body_spatial": np.column_stack(columns)}


@derives("body_rootid", reads=("body_parentid",))
def _roots(known: Columns) -> dict[str, Indices]:
    parents = known["body_parentid"].tolist()
    root = list(range(len(parents)))
    for body in range(1, len(parents)):
        if parents[body]:
            root[body] = root[parents[body]]
    return {"body_rootid": np.array(root, dtype=np.int32)}


@derives("body_subtreemass", reads=("body_parentid", "body_mass"))
def _subtree_masses(known: Columns) -> dict[str, Reals]:
    parents = known["body_parentid"].tolist()
    mass = known["body_mass"].tolist()
    for body in range(len(parents) - 1, 0, -1):
        mass[parents[body]] += mass[body]
    return {"body_subtreemass": np.array(mass, dtype=np.float64)}


@derives(
    *("body_lastdof", "dof_parentid", "dof_depth", "M_rowadr"),
    reads=("body_parentid", "body_dofadr", "body_dofnum"),
)
def _along_dofs(known: Columns) -> dict[str, NDArray[Any]]:
    parents = known["body_parentid"].tolist()
    first, number = known["body_dofadr"].tolist(), known["body_dofnum"].tolist()
    last = [-1] * len(parents)  # the last degree of freedom on the path from the world to the body
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
    if length.sum() > MAX_ENTRIES:
        raise ModelError(
            [f"the mass matrix of {len(depth):,} degrees of freedom has {length.sum():,} entries; "
             f"the limit is {MAX_ENTRIES:,}: a chain can have at most 65,535"]
        )  # fmt: skip
    return {
        "body_lastdof": np.array(last, dtype=np.int32),
        "dof_parentid": np.array(dof_parent, dtype=np.int32),
        "dof_depth": np.array(depth, dtype=np.int32),
        "M_rowadr": np.cumsum(length) - length,
    }


@derives("M_colind", reads=("M_rowadr", "dof_depth", "dof_parentid"))
def columns_of_M(known: Columns) -> dict[str, Indices]:
    """The column of every entry of the sparse mass matrix: a row has the entries of its parent's row and its
    diagonal.
    """
    rowadr, parent = known["M_rowadr"], known["dof_parentid"]
    length = known["dof_depth"].astype(np.int64) + 1
    result = np.empty(int(length.sum()), dtype=np.int32)
    for dof, (start, above) in enumerate(zip(rowadr.tolist(), parent.tolist(), strict=True)):
        shared = int(length[above]) if above >= 0 else 0
        if shared:
            result[start : start + shared] = result[rowadr[above] : rowadr[above] + shared]
        result[start + shared] = dof
    return {"M_colind": result}


derives(
    *("body_weldid", "body_mocaprootid", "body_treeid", "dof_treeid", "dof_Madr"),
    reads=(
        *("body_parentid", "body_mocapid", "body_jntnum", "body_dofadr", "dof_parentid", "dof_depth"),
        "opt_release",
    ),
)(topology.columns)
derives("connection_eqid", "opt_drifts", reads=("opt_release", "eq_type"))(connections.rows)
derives(
    *(f"connection_{name}" for name in connections.NAMES),
    reads=(
        *("connection_eqid", "eq_type", "eq_objtype", "eq_obj1id", "eq_obj2id", "eq_data"),
        *("site_bodyid", "site_pos", "site_quat"),
    ),
)(connections.columns)
derives(
    "body_margin", reads=("body_parentid", "geom_bodyid", "geom_margin", "geom_gap", "opt_release")
)(topology.margins)
derives(
    *("body_contype", "body_conaffinity"),
    reads=("body_parentid", "geom_bodyid", "geom_contype", "geom_conaffinity"),
)(topology.of_geoms)
derives(
    *("body_simple", "dof_simplenum"),
    reads=(
        *("body_parentid", "body_jntnum", "body_sameframe", "body_notsimple"),
        *("jnt_bodyid", "jnt_type", "jnt_axis", "jnt_pos", "dof_bodyid"),
        *("tendon_armature", "wrap_tendon", "wrap_body"),
    ),
)(topology.simple)
derives(
    *("dof_gyroscopic", "opt_gyroscopic"),
    reads=(
        *("opt_release", "opt_integrator", "jnt_type", "jnt_bodyid", "jnt_dofadr", "dof_jntid", "dof_treeid"),
        *("body_jntnum", "body_treeid", "body_mass"),
    ),
)(partial(topology.gyroscopic, LIGHTEST))
derives("body_sameframe", reads=("body_ipos", "body_iquat"))(frames.of_bodies)
for _kind in ("geom", "site"):
    derives(
        f"{_kind}_sameframe",
        reads=("body_ipos", "body_iquat", *(f"{_kind}_{part}" for part in ("bodyid", "pos", "quat"))),
    )(partial(frames.of_parts, _kind))
derives(
    *("actuator_target", "actuator_second", "actuator_common", "actuator_acts"),
    *("opt_transmission_poses", "dof_actfrclimited", "actuator_adhesion", "nadhesion", "opt_adheres"),
    reads=(
        "opt_constrained",
        *("actuator_trntype", "actuator_trnid", "actuator_actnum", "actuator_actadr", "actuator_group"),
        *("opt_disableactuator", "opt_disableflags", "jnt_type", "jnt_actfrclimited", "site_bodyid"),
        *("jnt_prescribed", "body_lastdof", "dof_jntid", "dof_parentid"),
    ),
)(actuation.columns)
derives(
    "opt_slopes",
    reads=(
        *("opt_fluid_acts", "opt_tendon_forces", "tendon_damping", "flexedge_damper"),
        *("opt_dampers_act", "tendon_dampingpoly", *inertias.DAMPERS),
        *("actuator_acts", "actuator_gaintype", "actuator_gainprm", "actuator_biastype", "actuator_biasprm"),
        *("actuator_trntype", "actuator_trnid", "jnt_type", "opt_gyroscopic"),
    ),
)(actuation.slopes)
derives(
    *("opt_polynomials", "opt_reflects", "opt_tendon_inertia", "opt_tendon_limits", "actuator_clamped"),
    reads=(
        *("opt_passive_acts", "jnt_stiffnesspoly", "dof_dampingpoly", *inertias.TENSE, *inertias.DAMPERS),
        *("tendon_armature", "actuator_armature", "tendon_actfrclimited", "actuator_forcelimited"),
    ),
)(inertias.columns)
derives("opt_constrained", reads=touching.READ)(touching.constrained)
derives(
    "opt_sticks",
    reads=("opt_constrained", "opt_disableflags", "opt_passive_acts", "geom_adhesion", "pair_adhesion"),
)(touching.sticks)
derives(
    *("opt_late", "opt_measures", *(f"opt_measures_{stage}" for stage in measuring.STAGES)),
    reads=(
        *("sensor_type", "sensor_objtype", "sensor_reftype", "opt_disableflags", "opt_implicit_damping"),
        *("opt_integrator", "dof_damping", "opt_implicit_stiffness", "dof_stiffness"),
        *("opt_dampers_act", "opt_slopes", "dof_dampingpoly", *inertias.DAMPERS),
    ),
)(measuring.columns)
derives(
    *("cam_focal", "cam_centre", "cam_lens"),
    reads=("cam_resolution", "cam_sensorsize", "cam_fovy", "cam_intrinsic", "cam_orthographic"),
)(measuring.pictures)
derives(
    *("wrap_joint", "wrap_site", "wrap_geom", "wrap_side", "wrap_body"),
    reads=("wrap_type", "wrap_objid", "wrap_prm", "jnt_bodyid", "site_bodyid", "geom_bodyid"),
)(tendons.objects)
derives(
    *("wrap_tendon", "wrap_next", "wrap_over", "wrap_scale"),
    reads=("wrap_type", "wrap_prm", "tendon_adr", "tendon_num"),
)(tendons.paths)
derives(
    "wrap_inside",
    reads=(
        *(
            "wrap_type",
            "wrap_side",
            "wrap_geom",
            "site_bodyid",
            "site_pos",
            "jnt_type",
            "jnt_bodyid",
            "jnt_pos",
        ),
        *("body_parentid", "body_mocapid", "body_pos", "body_quat"),
        *("geom_bodyid", "geom_pos", "geom_quat", "geom_size"),
    ),
)(tendons.inside)
derives(
    *("tendon_rowadr", "tendon_rownnz", "ten_J_tendon", "ten_J_colind", "ten_J_coef"),
    *("lever_wrap", "lever_dof", "lever_entry"),
    reads=(
        *("tendon_adr", "wrap_tendon", "wrap_next", "wrap_over", "wrap_joint", "wrap_body", "wrap_prm"),
        *("jnt_dofadr", "dof_parentid", "body_lastdof"),
    ),
)(tendons.jacobian)
derives(
    *("flex_rigid", "flex_centered", "flex_edgeequality"),
    reads=("flex_vertadr", "flex_vertnum", "flex_vertbodyid", "flex_vert", "eq_type", "eq_obj1id"),
)(flexes.of_flexes)
EDGES = ("flex_vertadr", "flex_vertnum", "flex_edgeadr", "flex_edgenum", "flex_vertbodyid", "flex_edge")
derives("flexedge_rigid", reads=(*EDGES, "body_weldid"))(flexes.of_edges)
derives(
    *("flexedge_first", "flexedge_second", "flexedge_spring", "flexedge_damper", "flexedge_delay"),
    *("flexcouple_edge", "flexcouple_other", "flexcouple_stiffness", "opt_flexes"),
    reads=(
        *(*EDGES, "flexedge_rigid", "flex_rigid", "flex_edgestiffness", "flex_edgedamping"),
        *("flex_damping", "flex_dim", "flex_elemadr", "flex_elemnum", "flex_elemedgeadr"),
        *("flex_elemedge", "flex_stiffness", "flexbend_stiffness"),
        *("opt_passive_acts", "opt_springs_act", "opt_dampers_act"),
    ),
)(flexes.forces)
derives(
    *("flexlever_vertex", "flexlever_dof", "flex_leveradr", "flex_levernum"),
    reads=(*EDGES, "body_weldid", "body_lastdof", "dof_parentid"),
)(flexes.levers)
PLUGGED = ("plugin_typeadr", "plugin_type", "plugin_attradr", "plugin_attr")
derives(
    *("flexbend_vertex", "flexbend_other", "flexbend_stiffness"),
    reads=(
        *(*PLUGGED, "body_plugin", "body_pos", "flex_vertadr", "flex_vertnum", "flex_vertbodyid"),
        *("flex_vert", "flex_dim", "flex_elemadr", "flex_elemnum", "flex_elemdataadr", "flex_elem"),
        "flex_elemedgeadr",
        *("flex_elemedge", "flex_stiffness"),
    ),
)(bending.bending)
derives(
    *("jnt_cable", "jnt_cablestiffness", "jnt_cablerest", "opt_cables"),
    reads=(
        *(*PLUGGED, "body_plugin", "body_parentid", "body_jntnum", "body_jntadr", "body_quat"),
        *("body_pos", "body_geomnum", "body_geomadr", "geom_type", "geom_size", "jnt_type"),
        "opt_passive_acts",
    ),
)(instances.cables)
derives(
    *("actuator_controller", "actuator_controlprm", "actuator_integral", "actuator_previous"),
    *("opt_controllers", "actuator_act", "actuator_input"),
    reads=(
        *(*PLUGGED, "actuator_plugin", "actuator_actadr", "actuator_actnum", "actuator_dyntype"),
        *("actuator_gaintype", "actuator_trntype", "actuator_ctrladr", "opt_actuation_acts"),
    ),
)(instances.controllers)
derives(
    *("nhistory", "opt_delays", "actuator_historyadr", "sensor_historyadr"), reads=delays.READS
)(delays.histories)
derives("nu", "actuator_ctrladr", reads=("actuator_ctrlnum",))(servos.controls)
derives(
    *("jnt_plasticadr", "tendon_plasticadr", "nplastic", "opt_yields"),
    reads=("jnt_type", "jnt_springyield", "tendon_springyield"),
)(plasticity.columns)
derives("nout", "actuator_outadr", "actuator_outnum", reads=("actuator_trntype",))(servos.outputs)
derives(
    *("opt_orientations", "actuator_quatinput", "actuator_turned"),
    reads=("actuator_trntype", "actuator_dyntype", "actuator_ctrlspec", "actuator_actadr"),
)(servos.orientations)
derives(
    "actuator_period",
    reads=(
        *("opt_release", "actuator_trntype", "actuator_trnid", "jnt_type", "actuator_gear"),
        *("actuator_dyntype", "actuator_gaintype", "actuator_gainprm"),
        *("actuator_biastype", "actuator_biasprm"),
    ),
)(servos.periods)
derives(
    *("actuator_servo", "actuator_regulated", "opt_servos", *(f"actuator_{name}" for name in servos.STATES)),
    *(f"actuator_ctrl{name}" for name in servos.CONTROLS),
    reads=(
        *("actuator_gaintype", "actuator_gainprm", "actuator_dyntype", "actuator_dynprm", "actuator_period"),
        *("actuator_ctrlspec", "actuator_ctrlnum", "actuator_ctrladr", "actuator_actadr", "actuator_actnum"),
        *("actuator_trntype", "actuator_trnid", "actuator_biastype", "jnt_type", "site_bodyid"),
        "opt_actuation_acts",
    ),
)(servos.servos)
derives(
    *("sensor_gridnum", "sensor_grid"),
    reads=(
        *(*PLUGGED, "sensor_plugin", "sensor_type", "sensor_objtype", "sensor_objid", "sensor_dim"),
        "site_bodyid",
    ),
)(instances.grids)
