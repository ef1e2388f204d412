"""Columns of a Model that the kernels compute, at the coordinates qpos0.

They follow from the given columns as in MuJoCo (its `mj_setConst`): accelerations per force, the size of the
scene, poses of cameras and lights. They are computed on first use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import BiasType, GainType, ShapeType, TransmissionType
from polybody.model import frames
from polybody.model.derived import EDGES, derives
from polybody.model.flexes import ends, ranges
from polybody.model.model import Columns, Model
from polybody.model.topology import put_mocap
from polybody.rotations import conjugate, matrix, product, rotation_vector

Reals = NDArray[np.float64]
LEAST_EXTENT = 1e-5
"""Minimum size of a body and of a scene, m."""
LEAST_INERTIA = 1e-15
"""Inertia used for a degree of freedom of a singular mass matrix, kg m^2."""
LEAST_LENGTH = 1e-15
"""Minimum length of an edge with a direction, m."""
EDGES_AT_ONCE = 256
"""Number of edges of flexes whose Jacobian is computed at a time."""
PLANE_EDGE = 0.1
"""The part of a plane that counts for the size of the scene."""
TREE = (
    *("body_parentid", "body_pos", "body_quat", "body_mass", "body_ipos", "body_iquat", "body_inertia"),
    *("body_mocapid", "jnt_type", "jnt_bodyid", "jnt_pos", "jnt_quat", "jnt_axis", "jnt_pitch"),
    *("dof_armature", "qpos0"),
)
"""Columns that determine poses and the mass matrix at qpos0."""
PATHS = (
    *(*TREE, "tendon_adr", "tendon_num", "wrap_*", "site_bodyid", "site_pos", "site_quat"),
    *("geom_bodyid", "geom_type", "geom_pos", "geom_quat", "geom_size"),
)
"""Further columns that determine the lengths of tendons."""
MOMENTS = (*PATHS, "actuator_trntype", "actuator_trnid", "actuator_gear", "actuator_cranklength")
"""Columns that determine the moments of actuators."""
ALONE = {"meaninertia": 1.0, "meanmass": 1.0, "meansize": 0.2, "extent": 2.0}
"""Statistics of a scene in which there is nothing to measure."""


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
    arrays["xanchor"] = _turned(arrays, model.jnt_bodyid, model.jnt_pos)
    return Reference(arrays)


def _kernels(model: Model) -> Any:
    """Memory of the kernels at qpos0."""
    from polybody.generated.kernels import dynamics, layout

    # The columns that are computed here do not affect the kernels that are used.
    columns = model.columns
    rows = dynamics.KernelModel.rows_of(columns)
    late = {
        name: np.zeros((rows[axis], *shape)) for name, axis, _, shape in layout.GIVEN if name not in columns
    }
    empty = not any(map(len, late.values()))
    kernel = model.kernel if empty else dynamics.KernelModel(dict(columns) | late)
    data = dynamics.KernelData(kernel)
    data.array("qpos")[...] = model.qpos0
    put_mocap(model, data.array("mocap_pos"), data.array("mocap_quat"))
    return data


def _turned(arrays: dict[str, Any], body: NDArray[Any], pos: Reals) -> Reals:
    """Points of bodies in the world, (n, 3)."""
    found: Reals = arrays["xpos"][body] + np.einsum("nij,nj->ni", arrays["xmat"][body], pos)
    return found


def _places(model: Model, at: Reference, kind: str) -> Reals:
    """Positions of geoms or sites, (n, 3). Those whose frames MuJoCo treats as the body's are at it."""
    same, body = getattr(model, f"{kind}_sameframe"), getattr(model, f"{kind}_bodyid")
    offset = np.where((same == frames.BODY)[:, None], 0.0, getattr(model, f"{kind}_pos"))
    found = _turned(at.arrays, body, offset)
    central = same == frames.INERTIA
    found[central] = at["xipos"][body[central]]
    return found


# --- inertia ----------------------------------------------------------------------------------------------


@derives("dof_M0", reads=(*TREE, "M_rowadr"))
def diagonal(model: Model) -> dict[str, Reals]:
    """The diagonal of the mass matrix, armature included."""
    return {"dof_M0": reference(model)["qM"][model.M_rowadr + model.dof_depth]}


@derives("body_invweight0", "dof_invweight0", reads=TREE)
def inverse_weights(model: Model) -> dict[str, Reals]:
    """Mean acceleration per force: of bodies at their centres of mass, (nbody, 2) translation and rotation;
    of degrees of freedom, (nv,) the mean over those of the joint that translate or rotate.
    """
    body, dof = np.zeros((model.nbody, 2)), np.zeros(model.nv)
    moving = model.body_weldid != 0
    for tree in range(model.ntree):
        rows = np.flatnonzero(model.dof_treeid == tree)
        factors = _factors(_block(model, rows))
        dof[rows] = _weights(np.eye(len(rows)), factors)
        for row in np.flatnonzero((model.body_treeid == tree) & moving).tolist():
            body[row] = _of_body(model, row, factors, int(rows[0]))
    sliding = model.body_simple == 2
    body[sliding] = np.stack([1 / model.body_mass[sliding], np.zeros(int(sliding.sum()))], axis=1)
    free = sliding[model.dof_bodyid]
    dof[free] = 1 / model.body_mass[model.dof_bodyid[free]]
    for joint in np.flatnonzero(np.bincount(model.dof_jntid, minlength=model.njnt) > 1).tolist():
        first = int(model.jnt_dofadr[joint])
        count = int((model.dof_jntid == joint).sum())
        for start in range(first, first + count, 3):
            dof[start : start + 3] = dof[start : start + 3].mean()
    return {"body_invweight0": body, "dof_invweight0": dof}


Factors = tuple[NDArray[Any], Reals]


def _factors(matrix: Reals) -> Factors:
    """L^-1 and D of M = L^T D L, from the last row upwards. Singular rows have LEAST_INERTIA on D."""
    rows = len(matrix)
    left, lower, diagonal = matrix.copy(), np.eye(rows), np.zeros(rows)
    for row in range(rows - 1, -1, -1):
        diagonal[row] = max(left[row, row], LEAST_INERTIA)
        lower[row, :row] = left[row, :row] / diagonal[row]
        left[:row, :row] -= diagonal[row] * np.outer(lower[row, :row], lower[row, :row])
    return np.linalg.inv(lower), diagonal


def _weights(rows: Reals, factors: Factors) -> Reals:
    """The diagonal of J M^-1 J^T for rows J, (n, nv), as a sum of squares; exact even if M is singular."""
    inverse, diagonal = factors
    found: Reals = np.square(rows @ inverse) @ (1 / diagonal)
    return found


def _block(model: Model, rows: NDArray[Any]) -> Reals:
    """The mass matrix of one tree, whose degrees of freedom are consecutive."""
    dense = np.zeros((len(rows), len(rows)))
    entries, first = reference(model)["qM"], int(rows[0])
    for dof in rows.tolist():
        start = int(model.M_rowadr[dof])
        end = start + int(model.dof_depth[dof]) + 1
        columns = model.M_colind[start:end] - first
        dense[dof - first, columns] = dense[columns, dof - first] = entries[start:end]
    return dense


def _of_body(model: Model, body: int, factors: Factors, first: int) -> tuple[float, float]:
    """The mean diagonal of J M^-1 J^T at a body's centre of mass, for translations and for rotations."""
    at = reference(model)
    above = _above(model, body)
    axes, anchor = at["dof_xaxis"][above], at["dof_xanchor"][above]
    turning = axes[:, :3]
    moving = axes[:, 3:] + np.cross(turning, at["xipos"][body] - anchor)
    rows = np.zeros((6, len(factors[1])))
    rows[:3, above - first], rows[3:, above - first] = moving.T, turning.T
    weights = _weights(rows, factors)
    return float(weights[:3].mean()), float(weights[3:].mean())


def _above(model: Model, body: int) -> NDArray[np.int64]:
    weld = int(model.body_weldid[body])
    dof = int(model.body_dofadr[weld] + model.body_dofnum[weld]) - 1
    found = []
    while dof >= 0:
        found.append(dof)
        dof = int(model.dof_parentid[dof])
    return np.array(found, dtype=np.int64)


# --- actuators --------------------------------------------------------------------------------------------


@derives("tendon_length0", "tendon_invweight0", reads=PATHS)
def tendons(model: Model) -> dict[str, Reals]:
    """Lengths of tendons at qpos0, and the accelerations of these lengths by unit forces along them."""
    from polybody.generated.kernels import dynamics

    data = _kernels(model)
    dynamics.tendons(data.model, data)
    rows = np.zeros((model.ntendon, model.nv))
    rows[model.ten_J_tendon, model.ten_J_colind] = data.array("ten_entry")
    weight = np.zeros(model.ntendon)
    for tree in range(model.ntree if model.ntendon else 0):
        dofs = np.flatnonzero(model.dof_treeid == tree)
        weight += _weights(rows[:, dofs], _factors(_block(model, dofs)))
    return {"tendon_length0": data.array("ten_length").copy(), "tendon_invweight0": weight}


@derives("tendon_lengthspring", reads=(*PATHS, "qpos_spring", "tendon_springlength"))
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


@derives("actuator_length0", "actuator_acc0", reads=MOMENTS)
def actuators(model: Model) -> dict[str, Reals]:
    """Lengths of transmissions, and their accelerations by unit forces along them.

    MuJoCo multiplies the quaternions of a site with a reference in reversed order. These columns follow it; a
    simulation uses the rotation between both.
    """
    moment, length = transmissions(model)
    length = length.copy()
    measured = (model.actuator_trntype == TransmissionType.site) & (model.actuator_trnid[:, 1] >= 0)
    for row in np.flatnonzero(measured).tolist():
        length[row] += model.actuator_gear[row, 3:] @ _reversed(model, *model.actuator_trnid[row].tolist())
    acceleration = np.zeros((model.nu, model.nv))
    for tree in range(model.ntree if model.nu else 0):
        rows = np.flatnonzero(model.dof_treeid == tree)
        lower, diagonal = _factors(_block(model, rows))
        acceleration[:, rows] = moment[:, rows] @ lower / diagonal @ lower.T
    return {"actuator_length0": length, "actuator_acc0": np.linalg.norm(acceleration, axis=1)}


def transmissions(model: Model) -> tuple[Reals, Reals]:
    """Moments of actuators at qpos0, (nu, nv), and lengths, (nu,); computed once, not to be changed."""
    return model.once("transmissions", lambda: _transmissions(model))


def _transmissions(model: Model) -> tuple[Reals, Reals]:
    from polybody.generated.kernels import dynamics

    data = _kernels(model)
    moment = np.zeros((model.nu, model.nv))
    dynamics.moments(data.model, data, moment)
    dynamics.transmission(data.model, data)
    return moment, data.array("actuator_length").copy()


@derives("actuator_muscleacc", reads=(*MOMENTS, "actuator_gaintype", "actuator_biastype"))
def muscles(model: Model) -> dict[str, Reals]:
    """actuator_acc0 of muscles only; the kernels do not use it for other actuators."""
    rows = model.actuator_gaintype == GainType.muscle
    rows |= model.actuator_biastype == BiasType.muscle
    found = np.where(rows, model.actuator_acc0, 0.0) if rows.any() else np.zeros(model.nu)
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
    return _turned(reference(model).arrays, model.flex_vertbodyid, model.flex_vert)


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
        way = places[pair[1]] - places[pair[0]]
        along = way / max(float(np.linalg.norm(way)), LEAST_LENGTH)
        for sign, vertex in zip((-1.0, 1.0), pair, strict=True):
            above = _above(model, int(model.flex_vertbodyid[vertex]))
            axes, anchor = at["dof_xaxis"][above], at["dof_xanchor"][above]
            moving = axes[:, 3:] + np.cross(axes[:, :3], places[vertex] - anchor)
            jacobian[number, above] += sign * (moving @ along)
    found = np.zeros(len(rows))
    for tree in range(model.ntree):
        dofs = np.flatnonzero(model.dof_treeid == tree)
        if jacobian[:, dofs].any():
            found += _weights(jacobian[:, dofs], _factors(_block(model, dofs)))
    return found


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


@derives(
    *("stat_meaninertia", "stat_meanmass", "stat_meansize", "stat_extent", "stat_center"),
    reads=(
        *(*TREE, "geom_bodyid", "geom_type", "geom_size", "geom_rbound", "geom_pos", "geom_sameframe"),
        *("site_bodyid", "site_pos", "site_sameframe", "stat_said", "stat_which"),
        "flexedge_length0",
    ),
)
def statistics(model: Model) -> dict[str, Any]:
    """Size and mass of the scene; values that the Model gives take precedence."""
    found: dict[str, Any] = {f"stat_{name}": value for name, value in ALONE.items()}
    found["stat_center"] = np.zeros(3)
    if model.nv:
        found["stat_meaninertia"] = float(model.dof_M0.mean())
    if model.nbody > 1:
        found["stat_meanmass"] = float(model.body_mass[1:].mean())
        found["stat_meansize"] = float(_sizes(model)[1:].mean())
    points = _points(model)
    if len(points):
        low, high = points.min(axis=0), points.max(axis=0)
        found["stat_center"] = (low + high) / 2
        edge = float((high - low).max())
        if high[0] > low[0]:  # MuJoCo checks x only
            found["stat_extent"] = max(LEAST_EXTENT, edge, 2 * found["stat_meansize"])
    given, which = model.stat_said.tolist(), model.stat_which
    for bit, name in enumerate(ALONE):
        if which >> bit & 1:
            found[f"stat_{name}"] = given[bit]
    if which >> len(ALONE) & 1:
        found["stat_center"] = given[len(ALONE) :]
    return {name: np.array(value, dtype=np.float64) for name, value in found.items()}


def _sizes(model: Model) -> Reals:
    """Maximum distance of each body's joints and shapes from its centre of mass, (nbody,)."""
    at = reference(model)
    size = np.full(model.nbody, LEAST_EXTENT)
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
    edge = model.geom_size[planes, :2].max(axis=1) if planes.any() else np.zeros(0)
    unbounded = (model.geom_size[planes, :2] <= 0).any(axis=1)
    radius[planes] = np.where(unbounded, 1.0, PLANE_EDGE * edge)
    sites = _places(model, at, "site")
    reach = radius[:, None]
    parts = [at["xpos"][1:], at["xipos"][1:], at["xanchor"], sites, places - reach, places + reach]
    return np.concatenate(parts)


# --- cameras and lights -----------------------------------------------------------------------------------


@derives("cam_pos0", "cam_poscom0", "cam_mat0", reads=(*TREE, "cam_*"))
def cameras(model: Model) -> dict[str, Reals]:
    """Positions of cameras relative to their body and to a centre of mass, and their orientations, in the
    world.
    """
    at = reference(model)
    places = _turned(at.arrays, model.cam_bodyid, model.cam_pos)
    turns = at["xmat"][model.cam_bodyid] @ matrix(model.cam_quat).reshape(-1, 3, 3)
    return {
        "cam_pos0": places - at["xpos"][model.cam_bodyid],
        "cam_poscom0": places - _centres(model, model.cam_bodyid, model.cam_targetbodyid),
        "cam_mat0": turns.reshape(-1, 9),
    }


@derives("light_pos0", "light_poscom0", "light_dir0", reads=(*TREE, "light_*"))
def lights(model: Model) -> dict[str, Reals]:
    """Positions and directions of lights, as for cameras."""
    at = reference(model)
    places = _turned(at.arrays, model.light_bodyid, model.light_pos)
    return {
        "light_pos0": places - at["xpos"][model.light_bodyid],
        "light_poscom0": places - _centres(model, model.light_bodyid, model.light_targetbodyid),
        "light_dir0": np.einsum("nij,nj->ni", at["xmat"][model.light_bodyid], model.light_dir),
    }


def _centres(model: Model, own: NDArray[Any], target: NDArray[Any]) -> Reals:
    """Centres of mass of subtrees: of the target body if there is one, else of the own body."""
    at = reference(model)
    moment = at["xipos"] * model.body_mass[:, None]
    for body in range(model.nbody - 1, 0, -1):
        moment[model.body_parentid[body]] += moment[body]
    mass = model.body_subtreemass
    heavy = mass > 1e-15
    centre = np.where(heavy[:, None], moment / np.where(heavy, mass, 1.0)[:, None], at["xipos"])
    found: Reals = centre[np.where(target >= 0, target, own)]
    return found
