"""Columns of a Model that the kernels compute, at the coordinates qpos0.

They follow from the given columns as in MuJoCo (its `mj_setConst`): accelerations per force, the size of the
scene, poses of cameras and lights. They are computed on first use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import BiasType, GainType, Release, ShapeType, TransmissionType
from polybody.model import frames, mounted
from polybody.model.derived import EDGES, INERTIAS, derives
from polybody.model.flexes import ends, ranges
from polybody.model.model import Columns, Model
from polybody.model.topology import put_mocap
from polybody.rotations.arrays import conjugate, product, rotation_vector

Reals = NDArray[np.float64]
MIN_EXTENT = 1e-5
"""Minimum size of a body and of a scene, m."""
MIN_LENGTH = 1e-15
"""Minimum length of an edge with a direction, m."""
EDGES_AT_ONCE = 256
"""Number of edges of flexes whose Jacobian is computed at a time."""
PLANE_EDGE = 0.1
"""The part of a plane that counts for the size of the scene."""
ENDLESS = {"3.2.7": 1.0, "4.0": 0.01}
"""What counts of a plane without edges, by release (m)."""
LINKS = (
    *("body_parentid", "body_pos", "body_quat", "body_mocapid"),
    *("jnt_type", "jnt_bodyid", "jnt_pos", "jnt_quat", "jnt_axis", "jnt_pitch"),
)
"""Columns that determine the poses of bodies at any coordinates."""
POSES = (*LINKS, "qpos0")
"""Columns that determine the poses of bodies at qpos0."""
TREE = (
    *(*POSES, "body_mass", "body_ipos", "body_iquat", "body_inertia", "dof_armature"),
    INERTIAS,
)
"""Columns that determine poses and the mass matrix at qpos0."""
ROUTES = (
    *("tendon_adr", "tendon_num", "wrap_*", "site_bodyid", "site_pos", "site_quat"),
    *("geom_bodyid", "geom_type", "geom_pos", "geom_quat", "geom_size"),
)
"""Columns that determine the lengths of tendons between given poses."""
PATHS = (*TREE, *ROUTES)
MOMENTS = (*PATHS, "actuator_trntype", "actuator_trnid", "actuator_gear", "actuator_cranklength")
"""Columns that determine the moments of actuators."""
ALONE = {"meaninertia": 1.0, "meanmass": 1.0, "meansize": 0.2, "extent": 2.0}
"""Statistics of a scene in which there is nothing to measure."""
STATISTICS = tuple(ALONE)
"""Those that are one number, in the order of stat_said and of the bits of stat_which."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The kernels' memory at qpos0, with poses, axes and the mass matrix."""

    arrays: dict[str, Any]

    def __getitem__(self, name: str) -> Reals:
        found: Reals = self.arrays[name]
        return found


def reference(model: Model) -> Reference:
    """The Model at qpos0, computed once."""
    return model.once("reference", lambda: _reference(model))


def _reference(model: Model) -> Reference:
    from polybody.generated.kernels import dynamics

    data = _kernels(model)
    kernel = data.model
    dynamics.jacobian(kernel, data)
    dynamics.mass_matrix(kernel, data)
    names = ("xpos", "xquat", "xmat", "dof_xaxis", "dof_xanchor", "qM")
    arrays = {name: data.array(name).copy() for name in names}
    arrays["xmat"] = arrays["xmat"].reshape(-1, 3, 3)
    offset = np.where((model.body_sameframe == frames.BODY)[:, None], 0.0, model.body_ipos)  # as in MuJoCo
    arrays["xipos"] = arrays["xpos"] + np.einsum("nij,nj->ni", arrays["xmat"], offset)
    arrays["xanchor"] = mounted.places(arrays, model.jnt_bodyid, model.jnt_pos)
    return Reference(arrays)


def _kernels(model: Model) -> Any:
    """Memory of the kernels at qpos0."""
    from polybody.generated.kernels.dynamics import KernelData

    data = KernelData(model.kernel_to_complete())
    data.array("qpos")[...] = model.qpos0
    put_mocap(model, data.array("mocap_pos"), data.array("mocap_quat"))
    return data


def _places(model: Model, at: Reference, kind: str) -> Reals:
    """Positions of geoms or sites, (n, 3). Those whose frames MuJoCo treats as the body's are at it."""
    same, body = getattr(model, f"{kind}_sameframe"), getattr(model, f"{kind}_bodyid")
    offset = np.where((same == frames.BODY)[:, None], 0.0, getattr(model, f"{kind}_pos"))
    found = mounted.places(at.arrays, body, offset)
    central = same == frames.INERTIA
    found[central] = at["xipos"][body[central]]
    return found


# --- inertia ----------------------------------------------------------------------------------------------


@derives("dof_M0", reads=(*TREE, "M_rowadr"))
def diagonal(model: Model) -> dict[str, Reals]:
    """The diagonal of the mass matrix, armature included, but not that of tendons."""
    if model.opt_tendon_inertia:
        return _weighed(model, "dof_M0")
    return {"dof_M0": reference(model)["qM"][model.M_rowadr + model.dof_depth]}


@derives("body_invweight0", "dof_invweight0", reads=TREE)
def inverse_weights(model: Model) -> dict[str, Reals]:
    """Mean acceleration per force: of bodies at their centres of mass, (nbody, 2) translation and rotation;
    of degrees of freedom, (nv,) the mean over those of the joint that translate or rotate.
    """
    return _weighed(model, "body_invweight0", "dof_invweight0")


def _weighed(model: Model, *names: str) -> dict[str, Reals]:
    """What Weights finds of the Model at qpos0."""
    found = _weights(model, *names)[1]
    return {name: found[name][0] for name in names}


def _weights(model: Model, *names: str) -> tuple[Any, dict[str, Reals]]:
    """Weights of the Model at qpos0, and some arrays that it has filled."""
    from polybody.model.weights import Weights

    data = _kernels(model)
    weights = Weights(Columns(model), data)
    shapes = weights.shapes()
    found = {name: np.zeros((1, *shapes[name])) for name in (*names, "xipos")}
    weights.weigh(
        np.array([data.model.address], dtype=np.uint64),
        data.array("qpos").copy(),
        data.array("mocap_pos").copy(),
        data.array("mocap_quat").copy(),
        (model.body_sameframe == frames.BODY).astype(np.uint8),
        (model.body_simple == 2).astype(np.uint8),
        found,
    )
    return weights, found


def moved_by(model: Model, moments: Reals) -> Reals:
    """The accelerations of coordinates with given moments, (n, nv), by unit forces along them: the diagonal
    of J M^-1 J^T at qpos0, (n,).
    """
    found: Reals = _weights(model)[0].of_rows(moments)
    return found


def _above(model: Model, body: int) -> NDArray[np.int64]:
    weld = int(model.body_weldid[body])
    dof = int(model.body_dofadr[weld] + model.body_dofnum[weld]) - 1
    found = []
    while dof >= 0:
        found.append(dof)
        dof = int(model.dof_parentid[dof])
    return np.array(found, dtype=np.int64)


# --- actuators --------------------------------------------------------------------------------------------


@derives("tendon_length0", reads=(*POSES, *ROUTES))
def tendon_lengths(model: Model) -> dict[str, Reals]:
    """Lengths of tendons at qpos0."""
    return _weighed(model, "tendon_length0")


@derives("tendon_invweight0", reads=PATHS)
def tendon_weights(model: Model) -> dict[str, Reals]:
    """Accelerations of the lengths of tendons by unit forces along them."""
    return _weighed(model, "tendon_invweight0")


@derives("tendon_lengthspring", reads=(*LINKS, *ROUTES, "qpos_spring", "tendon_springlength"))
def rests(model: Model) -> dict[str, Reals]:
    """Rest lengths of the springs of tendons: those at qpos_spring, unless the Model gives them."""
    from polybody.generated.kernels import dynamics

    found = model.tendon_springlength.copy()
    asked = (found == -1).all(axis=1)
    if asked.any():
        data = _kernels(model)
        data.array("qpos")[...] = model.qpos_spring
        dynamics.tendons(data.model, data)
        found[asked] = data.array("ten_length")[asked, None]
    return {"tendon_lengthspring": found}


@derives("actuator_length0", "actuator_acc0", reads=(*MOMENTS, "opt_release"))
def actuators(model: Model) -> dict[str, Reals]:
    """Lengths of transmissions, and their accelerations by unit forces along them.

    MuJoCo 3.2.7 multiplies the quaternions of a site with a reference in reversed order. These columns follow
    it; a simulation uses the rotation between both.
    """
    length = transmissions(model)[1].copy()
    measured = (model.actuator_trntype == TransmissionType.site) & (model.actuator_trnid[:, 1] >= 0)
    if model._column("opt_release") == Release.v4_0:
        measured[:] = False
    for row in np.flatnonzero(measured).tolist():
        turn = _reversed(model, *model.actuator_trnid[row].tolist())
        length[model.actuator_outadr[row]] += model.actuator_gear[row, 3:] @ turn
    return {"actuator_length0": length, **_weighed(model, "actuator_acc0")}


def transmissions(model: Model) -> tuple[Reals, Reals]:
    """Moments of actuators at qpos0, (nout, nv), and lengths; computed once, not to be changed."""
    return model.once("transmissions", lambda: _transmissions(model))


def _transmissions(model: Model) -> tuple[Reals, Reals]:
    from polybody.generated.kernels import dynamics

    data = _kernels(model)
    moment = np.zeros((model.nout, model.nv))
    dynamics.moments(data.model, data, moment)
    dynamics.transmission(data.model, data)
    return moment, data.array("actuator_length").copy()


@derives("actuator_muscleacc", reads=(*MOMENTS, "actuator_gaintype", "actuator_biastype"))
def muscles(model: Model) -> dict[str, Reals]:
    """actuator_acc0 of muscles only; the kernels do not use it for other actuators."""
    rows = model.actuator_gaintype == GainType.muscle
    rows |= model.actuator_biastype == BiasType.muscle
    found = np.zeros(model.nactuator)
    if rows.any():
        found[rows] = model.actuator_acc0[model.actuator_outadr[rows]]
    return {"actuator_muscleacc": found}


def _reversed(model: Model, site: int, other: int) -> Reals:
    """The change of the rotation vector between two sites due to MuJoCo's order of factors."""
    found = []
    for order in (1, -1):
        quats = []
        for row in (other, site):
            pair = (reference(model)["xquat"][model.site_bodyid[row]], model.site_quat[row])
            quats.append(product(*pair[::order]))
        found.append(rotation_vector(product(conjugate(quats[0]), quats[1])))
    return found[1] - found[0]


# --- flexes -----------------------------------------------------------------------------------------------


def _vertices(model: Model) -> Reals:
    """Positions of the vertices of flexes, (nflexvert, 3)."""
    return mounted.places(reference(model).arrays, model.flex_vertbodyid, model.flex_vert)


@derives("flexedge_length0", reads=(*TREE, *EDGES, "flex_vert"))
def edge_lengths(model: Model) -> dict[str, Reals]:
    """Lengths of edges of flexes."""
    rows, _ = ends(Columns(model))
    places = _vertices(model)[rows]
    return {"flexedge_length0": np.linalg.norm(places[:, 1] - places[:, 0], axis=1)}


@derives(
    "flexedge_invweight0",
    reads=(
        *(*TREE, *EDGES, "flex_vert", "flexedge_rigid", "flex_edgeequality"),
        *("flex_edgedamping", "flex_edgestiffness", "flex_damping"),
    ),
)
def edge_weights(model: Model) -> dict[str, Reals]:
    """Accelerations of the lengths of edges of flexes by unit forces along them; 0 for rigid edges.

    As in MuJoCo, edges of a flex without edge constraints, edge damping and edge springs have weights only if
    both ends slide freely.
    """
    rows, owner = ends(Columns(model))
    found = np.zeros(len(rows))
    bodies = model.flex_vertbodyid[rows]
    moving = model.flexedge_rigid == 0
    sliding = moving & (model.body_simple[bodies] == 2).all(axis=1)
    found[sliding] = (1 / model.body_mass[bodies[sliding]]).mean(axis=1)  # those that slide in any direction
    used = model.flex_edgeequality != 0
    for column in (model.flex_edgedamping, model.flex_edgestiffness, model.flex_damping):
        used |= column != 0
    others = np.flatnonzero(moving & ~sliding & used[owner])
    for start in range(0, len(others), EDGES_AT_ONCE):
        some = others[start : start + EDGES_AT_ONCE]
        found[some] = _edge_weights(model, rows[some])
    return {"flexedge_invweight0": found}


def _edge_weights(model: Model, rows: NDArray[np.int64]) -> Reals:
    """The diagonal of J M^-1 J^T of edges between vertices, (n,)."""
    at, places = reference(model), _vertices(model)
    jacobian = np.zeros((len(rows), model.nv))
    for number, pair in enumerate(rows.tolist()):
        edge = places[pair[1]] - places[pair[0]]
        along = edge / max(float(np.linalg.norm(edge)), MIN_LENGTH)
        for sign, vertex in zip((-1.0, 1.0), pair, strict=True):
            above = _above(model, int(model.flex_vertbodyid[vertex]))
            axes, anchor = at["dof_xaxis"][above], at["dof_xanchor"][above]
            moving = axes[:, 3:] + np.cross(axes[:, :3], places[vertex] - anchor)
            jacobian[number, above] += sign * (moving @ along)
    return moved_by(model, jacobian)


@derives("flex_vert0", reads=(*TREE, "flex_*"))
def boxed_vertices(model: Model) -> dict[str, Reals]:
    """Positions of vertices of flexes in the box around the elements that can touch others, 0 to 1 along each
    side.

    NaN along sides of length zero, and all NaN if no element can touch anything, as in MuJoCo.
    """
    found, places = np.zeros((model.nflexvert, 3)), _vertices(model)
    for flex, rows in enumerate(ranges(Columns(model), "vert", model.nflexvert)):
        width, radius = int(model.flex_dim[flex]) + 1, float(model.flex_radius[flex])
        first, count = int(model.flex_elemdataadr[flex]), int(model.flex_elemnum[flex])
        elements = model.flex_elem[first : first + count * width].reshape(-1, width)
        if width == 4:
            start = int(model.flex_elemadr[flex])
            elements = elements[model.flex_elemlayer[start : start + count] < model.flex_activelayers[flex]]
        if not len(elements) or not (model.flex_contype[flex] or model.flex_conaffinity[flex]):
            found[rows] = np.nan
            continue
        corners = places[rows][elements]
        low, high = corners.min(axis=1), corners.max(axis=1)
        centre, half = (high + low) / 2, (high - low) / 2 + radius
        below, above = (centre - half).min(axis=0), (centre + half).max(axis=0)
        with np.errstate(all="ignore"):
            side = 2 * ((above - below) / 2 - radius)
            found[rows] = (places[rows] - (above + below) / 2) / side + 0.5
    return {"flex_vert0": found}


# --- the scene --------------------------------------------------------------------------------------------


derives("stat_meaninertia", reads=("dof_M0", "stat_said", "stat_which"))(
    lambda model: mean_inertia({name: model._column(name) for name in ("dof_M0", "stat_said", "stat_which")})
)


def mean_inertia(known: Mapping[str, Any]) -> dict[str, Reals]:
    """The mean of the diagonal of the mass matrix, unless the Model gives it; columns may have leading
    axes.
    """
    if known["stat_which"] >> STATISTICS.index("meaninertia") & 1:
        found = known["stat_said"][..., STATISTICS.index("meaninertia")]
    else:
        diagonal, alone = known["dof_M0"], ALONE["meaninertia"]
        found = diagonal.mean(axis=-1) if diagonal.shape[-1] else np.full(diagonal.shape[:-1], alone)
    return {"stat_meaninertia": np.array(found, dtype=np.float64)}


@derives(
    *("stat_meanmass", "stat_meansize", "stat_extent", "stat_center"),
    reads=(
        *(*TREE, "geom_bodyid", "geom_type", "geom_size", "geom_rbound", "geom_pos", "geom_sameframe"),
        *("site_bodyid", "site_pos", "site_sameframe", "stat_said", "stat_which"),
        *("flexedge_length0", "opt_release"),
    ),
)
def statistics(model: Model) -> dict[str, Any]:
    """Size and mass of the scene; values that the Model gives take precedence."""
    found: dict[str, Any] = {f"stat_{name}": ALONE[name] for name in STATISTICS[1:]}
    found["stat_center"] = np.zeros(3)
    if model.nbody > 1:
        found["stat_meanmass"] = float(model.body_mass[1:].mean())
        found["stat_meansize"] = float(_sizes(model)[1:].mean())
    points = _points(model)
    if len(points):
        low, high = points.min(axis=0), points.max(axis=0)
        found["stat_center"] = (low + high) / 2
        edge = float((high - low).max())
        if high[0] > low[0]:  # MuJoCo checks x only
            found["stat_extent"] = max(MIN_EXTENT, edge, 2 * found["stat_meansize"])
    given, which = model.stat_said.tolist(), model.stat_which
    for bit, name in enumerate(STATISTICS):
        if bit and which >> bit & 1:
            found[f"stat_{name}"] = given[bit]
    if which >> len(ALONE) & 1:
        found["stat_center"] = given[len(ALONE) :]
    return {name: np.array(value, dtype=np.float64) for name, value in found.items()}


def _sizes(model: Model) -> Reals:
    """Maximum distance of each body's joints and shapes from its centre of mass, (nbody,)."""
    at = reference(model)
    size = np.full(model.nbody, MIN_EXTENT)
    for bodies in (model.jnt_bodyid, model.body_parentid[model.jnt_bodyid]):
        np.maximum.at(size, bodies, np.linalg.norm(at["xanchor"] - at["xipos"][bodies], axis=1))
    places = _places(model, at, "geom")
    away = np.linalg.norm(places - at["xipos"][model.geom_bodyid], axis=1)
    bounded = model.geom_rbound > 0
    np.maximum.at(size, model.geom_bodyid[bounded], (away + model.geom_rbound)[bounded])
    if model.nflexedge:
        rows, _ = ends(Columns(model))
        for end in model.flex_vertbodyid[rows].T:
            np.maximum.at(size, end, model.flexedge_length0)
    return size


def _points(model: Model) -> Reals:
    """Points in the scene, (n, 3)."""
    at = reference(model)
    places = _places(model, at, "geom")
    radius = model.geom_rbound.copy()
    planes = model.geom_type == ShapeType.plane
    edge = model.geom_size[planes, :2].max(axis=1, initial=0.0)
    without = ENDLESS[model.opt_release]
    radius[planes] = np.where(edge > 0, PLANE_EDGE * edge, without)
    sites = _places(model, at, "site")
    reach = radius[:, None]
    parts = [at["xpos"][1:], at["xipos"][1:], at["xanchor"], sites, places - reach, places + reach]
    return np.concatenate(parts)


# --- cameras and lights -----------------------------------------------------------------------------------


@derives("cam_pos0", "cam_mat0", reads=(*POSES, "cam_*"))
def cameras(model: Model) -> dict[str, Reals]:
    """Positions of cameras relative to their body, and their orientations, in the world."""
    return mounted.cameras(Columns(model), reference(model).arrays)


@derives("light_pos0", "light_dir0", reads=(*POSES, "light_*"))
def lights(model: Model) -> dict[str, Reals]:
    """Positions and directions of lights, as for cameras."""
    return mounted.lights(Columns(model), reference(model).arrays)


def _from_centres(kind: str, model: Model) -> dict[str, Reals]:
    return mounted.from_centres(kind, Columns(model), reference(model).arrays)


for _kind in ("cam", "light"):
    derives(f"{_kind}_poscom0", reads=(*TREE, f"{_kind}_*"))(partial(_from_centres, _kind))
