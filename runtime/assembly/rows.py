"""The parts of an assembly as rows of tables, and the Model made from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.assembly import gather
from polybody.assembly.columns import (
    BYTE,
    DOUBLE,
    INTEGER,
    Columns,
    column,
    numbers,
    places_later,
    repeated,
    starts,
)
from polybody.assembly.customs import custom_columns
from polybody.assembly.mass_properties import principal
from polybody.assembly.meshes import mesh_columns
from polybody.assembly.parts import (
    IDENTITY,
    OPTIONS,
    ORIGIN,
    Assembly,
    Body,
    Equality,
    Exclude,
    Geom,
    Joint,
    Key,
    Material,
    MeshAsset,
    Reals,
    Site,
    Vector,
)
from polybody.base import Node
from polybody.diagnostics import Findings, ValidationError
from polybody.errors import ModelError, Problem
from polybody.generated.model import (
    JOINT_SIZES,
    BiasType,
    EqualityType,
    JointType,
    ObjectType,
    ShapeType,
    TransmissionType,
    WrapType,
)
from polybody.generated.model import OperationType as Kind
from polybody.model.model import Model
from polybody.rotations.arrays import matrix, product

UNLIMITED = 1e10
"""A bound that represents none if the other end has one: rad, m, N or N m."""
NO_BOUNDS = (-UNLIMITED, UNLIMITED)
FREE = JointType.free
PLACED = ("body", "joint", "geom", "actuator", "equality", "element", "tendon")
"""Kinds for which messages about a Model give the place."""
PER_DOF = ("armature", "damping", "stiffness", "frictionloss")
"""Values of a joint that are either one for all its degrees of freedom, or one for each."""
_DOFS = {int(kind): count for kind, (_, count) in JOINT_SIZES.items()}
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
Integers = NDArray[np.int32]


class Rows:
    """The parts of an assembly in the order of their rows."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly
        self.bodies, self.parents = _numbered(assembly)
        for body, own in zip(self.bodies, gather.values(self.bodies, "joints"), strict=True):
            if own and own[0].type is FREE:
                _split_free(body)
        self.joints: list[Joint] = gather.flattened(self.bodies, "joints")
        self.geoms: list[Geom] = gather.flattened(self.bodies, "geoms")
        self.sites: list[Site] = gather.flattened(self.bodies, "sites")
        self.excludes = self._signed(assembly.excludes)
        """By their signatures: bodies may be excluded several times."""
        self.meshes: list[MeshAsset] = _different(gather.values(self.geoms, "mesh"))
        self.materials: list[Material] = _different(gather.values(self.geoms, "material"))

    @cached_property
    def row(self) -> dict[Any, int]:
        """The rows of bodies, joints and sites; None is the world."""
        found: dict[Any, int] = {None: 0}
        for each in (self.bodies, self.joints, self.sites):
            found.update(gather.numbered(each))
        return found

    def made(self) -> Model:
        assembly = self.assembly
        columns: dict[str, Any] = OPTIONS | assembly.options
        for made in (
            *(self._bodies(), self._joints(), self._geoms(), self._sites(), self._assets()),
            *(self._actuators(), self._equalities(), self._elements(), self._tendons(), self._formulas()),
        ):
            columns.update(made)
        columns.update(self._keys(columns))
        columns.update(self._references(columns))
        if assembly.numerics or assembly.texts or assembly.tuples:
            columns |= custom_columns(assembly.numerics, assembly.texts, assembly.tuples, self.row)
        if self.excludes:
            columns["exclude_signature"] = column(sorted(self.excludes), INTEGER)
        rows = self._parts()
        names = {kind: gather.values(parts, "name") for kind, parts in rows.items() if parts}
        places = places_later({kind: gather.values(rows[kind], "node") for kind in PLACED})
        return Model(columns, names, name=assembly.name, places=places)

    def model(self, findings: Findings) -> Model:
        try:
            return self.made()
        except ModelError as error:
            rows = self._parts()
            for problem in error.problems:
                node = self._about(problem, rows)
                span, source = (None, None) if node is None else (node.span, node.source)
                text = str(problem) if node is None else problem.in_document()
                findings.add("PB063", span, text, source=source)
            raise ValidationError(findings.sorted()) from error

    def _parts(self) -> dict[str, Sequence[Any]]:
        assembly = self.assembly
        return {
            "body": self.bodies,
            "joint": self.joints,
            "geom": self.geoms,
            "site": self.sites,
            "mesh": self.meshes,
            "material": self.materials,
            "actuator": assembly.actuators,
            "equality": assembly.equalities,
            "element": assembly.elements,
            "tendon": assembly.tendons,
            "exclude": [self.excludes[signature] for signature in sorted(self.excludes)],
            "key": assembly.keys,
            "numeric": assembly.numerics,
            "text": assembly.texts,
            "tuple": assembly.tuples,
        }

    def _about(self, problem: Problem, rows: Mapping[str, Sequence[Any]]) -> Node | None:
        """The element that a problem of the Model concerns."""
        of_kind = rows.get(problem.kind, ())
        node: Node | None = None
        if problem.row < len(of_kind):
            node = getattr(of_kind[problem.row], "node", None)
        return node or self.assembly.root

    def _signed(self, excludes: Sequence[Exclude]) -> dict[int, Exclude]:
        if not excludes:
            return {}
        row = self.row
        firsts, seconds = gather.values(excludes, "body1"), gather.values(excludes, "body2")
        pairs = zip([row[body] for body in firsts], [row[body] for body in seconds], excludes, strict=True)
        return {(a << 16) + b if a < b else (b << 16) + a: each for a, b, each in pairs}

    # --- columns --------------------------------------------------------------------------------------------

    def _bodies(self) -> Columns:
        bodies = self.bodies
        inertia, moments, frame = gather.inertias(bodies)
        if moments is None or frame is None:
            moments, frame = _principal(inertia)
        turned = gather.values(bodies, "iquat")
        if turned.count(None) != len(turned):
            rows = [row for row, quat in enumerate(turned) if quat is not None]
            moments, frame = moments.copy(), frame.copy()
            moments[rows] = inertia[rows].diagonal(axis1=1, axis2=2)
            frame[rows] = [turned[row] for row in rows]
        return {
            "body_parentid": self.parents,
            "body_pos": gather.reals(bodies, "pos", 3),
            "body_quat": gather.units(bodies, "quat"),
            "body_mass": gather.reals(bodies, "mass"),
            "body_ipos": gather.reals(bodies, "ipos", 3),
            "body_iquat": frame,
            "body_inertia": moments,
            "body_gravcomp": gather.reals(bodies, "gravcomp"),
        }

    def _joints(self) -> Columns:
        joints = self.joints
        kinds = gather.integers(joints, "type")
        columns: Columns = {
            "jnt_type": kinds,
            "jnt_bodyid": gather.owners(self.bodies, "joints"),
            "jnt_pos": gather.reals(joints, "pos", 3),
            "jnt_axis": gather.reals(joints, "axis", 3),
            "jnt_pitch": gather.reals(joints, "pitch"),
            "jnt_quat": gather.units(joints, "quat"),
            "jnt_offset": gather.reals(joints, "offset", 3),
            "jnt_inparent": gather.flags(joints, "inparent"),
            "jnt_vectorspring": gather.flags(joints, "vectorspring"),
            "jnt_prescribed": gather.integers(joints, "prescribed"),
        }
        columns["jnt_limited"], columns["jnt_range"] = gather.ranges(joints, "range", "limited")
        counts = [_DOFS[kind] for kind in kinds.tolist()]
        if gather.values(joints, "servorange").count(None) != len(joints):
            whole = [NO_BOUNDS]
            given = zip(joints, counts, strict=True)
            bounds = [bound for joint, count in given for bound in joint.servorange or whole * count]
            columns["dof_servorange"] = np.clip(np.array(bounds), -UNLIMITED, UNLIMITED)
        for name in (*PER_DOF, "qvel0"):
            columns[f"dof_{name}"] = gather.per_dof(joints, name, counts, _per_dof)
        for name, said in (("qpos0", "qpos0"), ("qpos_spring", "spring")):
            columns[name] = gather.listed(joints, said, lambda joint: _rest(self.owner[joint], joint))
        return columns

    @cached_property
    def owner(self) -> dict[Joint, Body]:
        """The body of each joint."""
        return {joint: body for body in self.bodies for joint in body.joints}

    def _geoms(self) -> Columns:
        geoms = self.geoms
        if not geoms:
            return {}
        columns: Columns = {
            "geom_type": gather.integers(geoms, "type"),
            "geom_bodyid": gather.owners(self.bodies, "geoms"),
            "geom_pos": gather.reals(geoms, "pos", 3),
            "geom_quat": gather.units(geoms, "quat"),
            "geom_rgba": gather.singles(geoms, "rgba", 4),
            "geom_mass": gather.reals(geoms, "mass"),
            "geom_group": gather.integers(geoms, "group"),
            "geom_contype": gather.integers(geoms, "contype"),
            "geom_conaffinity": gather.integers(geoms, "conaffinity"),
            "geom_condim": gather.integers(geoms, "condim"),
            "geom_friction": gather.reals(geoms, "friction", 3),
            "geom_dataid": _shared(gather.values(geoms, "mesh"), self.meshes),
            "geom_matid": _shared(gather.values(geoms, "material"), self.materials),
        }
        columns["geom_size"], columns["geom_aabb"], columns["geom_rbound"] = gather.extents(geoms)
        if self.meshes:
            self._meshed(columns)
        for name in ("stiffness", "damping", "dissipation"):
            values = gather.given(geoms, name)
            if values is not None:
                columns[f"geom_{name}"] = values
        return columns

    def _meshed(self, columns: Columns) -> None:
        """Fill the columns of geoms with what their meshes determine."""
        meshed = np.flatnonzero(columns["geom_dataid"] >= 0)
        for name in ("pos", "quat", "size", "aabb", "rbound"):
            columns[f"geom_{name}"] = columns[f"geom_{name}"].copy()
        pos, quat, size = columns["geom_pos"], columns["geom_quat"], columns["geom_size"]
        held = [mesh.mesh for row in meshed if (mesh := self.geoms[row].mesh) is not None]
        solids = [mesh.solid for mesh in held]
        turn = matrix(quat[meshed])
        pos[meshed] += np.einsum("nij,nj->ni", turn, numbers([each.pos for each in solids], 3, DOUBLE))
        quat[meshed] = product(quat[meshed], numbers([each.quat for each in solids], 4, DOUBLE))
        size[meshed] = numbers([mesh.size for mesh in held], 3, DOUBLE)
        columns["geom_aabb"][meshed] = numbers([mesh.aabb for mesh in held], 6, DOUBLE)
        columns["geom_rbound"][meshed] = np.linalg.norm(size[meshed], axis=1)

    def _sites(self) -> Columns:
        sites = self.sites
        if not sites:
            return {}
        return {
            "site_type": np.full(len(sites), int(ShapeType.sphere), dtype=INTEGER),
            "site_bodyid": gather.owners(self.bodies, "sites"),
            "site_pos": gather.reals(sites, "pos", 3),
            "site_quat": gather.units(sites, "quat"),
        }

    def _assets(self) -> Columns:
        meshes = [asset.mesh for asset in self.meshes]
        columns: Columns = {}
        if meshes:
            offsets = [(mesh.solid.pos, mesh.solid.quat) for mesh in meshes]
            columns = mesh_columns(meshes, [asset.scale for asset in self.meshes], offsets)
        if self.materials:
            columns["mat_rgba"] = gather.singles(self.materials, "rgba", 4)
        return columns

    def _actuators(self) -> Columns:
        actuators = self.assembly.actuators
        if not actuators:
            return {}
        gear, gain, bias = (np.zeros((len(actuators), width)) for width in (6, 10, 10))
        gain[:, 0] = gather.reals(actuators, "gain")
        kinds = []
        for row, actuator in enumerate(actuators):
            if isinstance(actuator.gear, int | float):
                gear[row, 0] = actuator.gear
            else:
                gear[row, : len(actuator.gear)] = actuator.gear
            if actuator.bias is not None:
                bias[row, : len(actuator.bias)] = actuator.bias
            kinds.append(int(BiasType.none if actuator.bias is None else BiasType.affine))
        targets = [(self.row[actuator.joint], -1) for actuator in actuators]
        transmissions = (TransmissionType.joint, TransmissionType.jointinparent)
        columns: Columns = {
            "actuator_trntype": column([transmissions[each.in_parent] for each in actuators], INTEGER),
            "actuator_ctrl0": gather.reals(actuators, "ctrl0"),
            "actuator_trnid": numbers(targets, 2, INTEGER),
            "actuator_gear": gear,
            "actuator_gainprm": gain,
            "actuator_biasprm": bias,
            "actuator_biastype": column(kinds, INTEGER),
        }
        for name in ("ctrl", "force"):
            bounds = gather.ranges(actuators, f"{name}range")
            columns[f"actuator_{name}limited"], columns[f"actuator_{name}range"] = bounds
        return columns

    def _equalities(self) -> Columns:
        equalities = self.assembly.equalities
        if not equalities:
            return {}
        data = np.zeros((len(equalities), 11))
        for row, each in enumerate(equalities):
            if each.type is EqualityType.formula:
                continue
            if each.type is EqualityType.joint:
                shifted = _shifted(each)
                data[row, : len(shifted)] = shifted
            elif each.type is EqualityType.weld:
                data[row, : len(each.data)] = each.data
            else:
                data[row, :3], data[row, 3:6] = each.data, each.other
        by_joint = [each.type in (EqualityType.joint, EqualityType.formula) for each in equalities]
        second = [
            -1 if joint and each.second is None else self.row[each.second]
            for each, joint in zip(equalities, by_joint, strict=True)
        ]
        kinds = [int(ObjectType.UNKNOWN if joint else ObjectType.BODY) for joint in by_joint]
        return {
            "eq_type": np.array([int(each.type) for each in equalities], dtype=INTEGER),
            "eq_obj1id": np.array([self.row[each.first] for each in equalities], dtype=INTEGER),
            "eq_obj2id": np.array(second, dtype=INTEGER),
            "eq_objtype": np.array(kinds, dtype=INTEGER),
            "eq_active0": np.array([each.active for each in equalities], dtype=BYTE),
            "eq_data": data,
        }

    def _formulas(self) -> Columns:
        """Instructions of the residuals of formulas, and of their partial derivatives."""
        if all(each.formula is None for each in self.assembly.equalities):
            return {}
        from polybody.assembly.operations import Operations  # and the functions of formulas

        operations = Operations()
        first: dict[Any, int] = dict(zip(self.joints, self._dofs(), strict=True))
        held: list[tuple[int, int]] = []
        entries: list[tuple[int, int, int]] = []
        for row, each in enumerate(self.assembly.equalities):
            if each.formula is None:
                continue
            formula, drivers, partials, roots = each.formula
            own = operations.coordinate(self.row[each.first])
            known = operations.known(
                {
                    variable: joint if isinstance(joint, float) else self.row[joint]
                    for variable, joint in drivers.items()
                }
            )
            if roots is not None:
                formula = operations.rooted(roots, own, known)
            value = operations.formula(formula, known)
            slopes = {each.first: operations.number(1.0)}
            for joint, partial in partials:
                found = operations.add(Kind.neg, operations.formula(partial, known))
                before = slopes.get(joint)
                slopes[joint] = found if before is None else operations.add(Kind.add, before, found)
            entries += [(len(held), first[joint], found) for joint, found in slopes.items()]
            held.append((row, operations.add(Kind.subtract, own, value)))
        return operations.columns() | {
            "formula_eqid": column([row for row, _ in held], INTEGER),
            "formula_operationid": column([found for _, found in held], INTEGER),
            "formula_J_formula": column([row for row, _, _ in entries], INTEGER),
            "formula_J_colind": column([dof for _, dof, _ in entries], INTEGER),
            "formula_J_operationid": column([found for _, _, found in entries], INTEGER),
        }

    def _references(self, columns: Columns) -> Columns:
        """The solver references of constraints, if the assembly has one for all."""
        every, limit = self.assembly.solref, self.assembly.solref_limit
        rows = {
            "geom_solref": (len(self.geoms), every),
            "jnt_solref": (len(self.joints), limit),
            "dof_solref": (len(columns["dof_armature"]), every),
            "eq_solref": (len(self.assembly.equalities), every),
            "tendon_solref_lim": (len(self.assembly.tendons), limit),
        }
        found = {
            name: gather.repeated(solref, count)
            for name, (count, solref) in rows.items()
            if solref is not None and count
        }
        sticks = self.assembly.impedance_friction
        if sticks is not None and (columns["dof_frictionloss"] > 0).any():
            solimp = (sticks, sticks, 0.001, 0.5, 2.0)
            found["dof_solimp"] = gather.repeated(solimp, len(columns["dof_frictionloss"]))
        return found

    def _dofs(self) -> list[int]:
        """First degree of freedom of each joint."""
        return list(accumulate((_DOFS[joint.type] for joint in self.joints), initial=0))[:-1]

    def _elements(self) -> Columns:
        elements = self.assembly.elements
        if not elements:
            return {}
        columns: Columns = {"element_type": np.array([int(each.type) for each in elements], dtype=INTEGER)}
        for end in ("1", "2"):
            rows = [self.row[getattr(each, f"body{end}")] for each in elements]
            columns[f"element_body{end}id"] = np.array(rows, dtype=INTEGER)
            columns[f"element_pos{end}"] = gather.reals(elements, f"pos{end}", 3)
            columns[f"element_quat{end}"] = gather.units(elements, f"quat{end}")
        for name in ("stiffness", "damping", "torque_stiffness", "torque_damping"):
            columns[f"element_{name}"] = gather.reals(elements, name, 3)
        columns["element_length"] = gather.reals(elements, "length")
        return columns

    def _tendons(self) -> Columns:
        tendons = self.assembly.tendons
        if not tendons:
            return {}
        counts = [len(each.joints) for each in tendons]
        pairs = [pair for each in tendons for pair in each.joints]
        columns: Columns = {
            "tendon_adr": starts(counts),
            "tendon_num": np.array(counts, dtype=INTEGER),
            "wrap_type": np.full(len(pairs), int(WrapType.joint), dtype=INTEGER),
            "wrap_objid": np.array([self.row[joint] for joint, _ in pairs], dtype=INTEGER),
            "wrap_prm": np.array([weight for _, weight in pairs], dtype=DOUBLE),
        }
        columns["tendon_stiffness"] = gather.reals(tendons, "stiffness")
        columns["tendon_damping"] = gather.reals(tendons, "damping")
        rests = numbers([each.rest or (-1.0, -1.0) for each in tendons], 2, DOUBLE)
        rests = rests.clip(-UNLIMITED, UNLIMITED)
        given = np.array([each.rest is not None for each in tendons])  # both -1 means that none is
        columns["tendon_springlength"] = np.where(
            given[:, None] & (rests == -1.0), np.nextafter(-1.0, 0.0), rests
        )
        columns["tendon_limited"], columns["tendon_range"] = gather.ranges(tendons, "range")
        return columns

    def _keys(self, columns: Mapping[str, Any]) -> Columns:
        keys = self.assembly.keys
        if not keys:
            return {}
        still = np.zeros(len(columns["dof_armature"]))
        made: Columns = {
            "key_qpos": np.array([self._pose(key, columns) for key in keys], dtype=DOUBLE),
            "key_qvel": np.array([still if key.qvel is None else key.qvel for key in keys], dtype=DOUBLE),
        }
        if "actuator_ctrl0" in columns:
            made["key_ctrl"] = np.array([self._controls(key, columns) for key in keys], dtype=DOUBLE)
        return made

    def _pose(self, key: Key, columns: Mapping[str, Any]) -> Reals | Vector:
        """The coordinates of a keyframe."""
        if not isinstance(key.qpos, Mapping):
            return key.qpos
        pose: Reals = np.array(columns["qpos0"], dtype=DOUBLE)
        places = starts([JOINT_SIZES[joint.type][0] for joint in self.joints])
        for joint, values in key.qpos.items():
            start = places[self.row[joint]]
            pose[start : start + len(values)] = values
        return pose

    def _controls(self, key: Key, columns: Mapping[str, Any]) -> list[float]:
        """The controls of a keyframe: initial ones, except of servos of its joints."""
        poses = key.qpos if isinstance(key.qpos, Mapping) else {}
        return [
            poses[each.joint][0] if each.bias is not None and each.joint in poses else each.ctrl0
            for each in self.assembly.actuators
        ]


def _numbered(assembly: Assembly) -> tuple[list[Body], Integers]:
    """The world and all bodies, parents before children, and the rows of their parents."""
    if not assembly.depth_first:
        bodies = [assembly.world, *assembly.bodies]
        row: dict[Body | None, int] = {None: 0, **gather.numbered(bodies)}
        return bodies, np.array([row[body.parent] for body in bodies], dtype=INTEGER)
    found, parents = gather.depth_first(assembly.bodies, assembly.world)
    if len(found) != len(assembly.bodies) + 1:
        there = set(found)
        lost = ", ".join(body.name for body in assembly.bodies if body not in there)
        raise ValueError(f"these bodies are not connected to the world: {lost}")
    return found, parents


def _split_free(body: Body) -> None:
    """Three slides and a ball in place of a body's free joint whose values per axis are not all equal.

    Their coordinates and velocities are those of the free joint.
    """
    joint = body.joints[0]
    if joint.whole or all(type(getattr(joint, name)) is float for name in PER_DOF):
        return
    given = {name: _per_dof(joint, name) for name in PER_DOF}
    if all(len(set(values)) == 1 for values in given.values()):
        return
    start = _rest(body, joint) if joint.qpos0 is None else joint.qpos0
    spring = _rest(body, joint) if joint.spring is None else joint.spring
    body.pos, body.quat = ORIGIN, IDENTITY
    slides = [
        replace(
            joint,
            name=f"{joint.name}.{place}",
            type=JointType.slide,
            axis=axis,
            spring=[spring[place]],
            qpos0=[start[place]],
        )
        for place, axis in enumerate(_AXES)
    ]
    ball = replace(joint, name=f"{joint.name}.3", type=JointType.ball, spring=spring[3:], qpos0=start[3:])
    for name, values in given.items():
        for place, slide in enumerate(slides):
            setattr(slide, name, values[place])
        setattr(ball, name, values[3:])
    body.joints[:1] = [*slides, ball]


def _per_dof(joint: Joint, name: str) -> list[float]:
    """A joint's values per degree of freedom."""
    value = getattr(joint, name)
    value = 0.0 if value is None else value
    count = JOINT_SIZES[joint.type][1]
    if isinstance(value, (int, float)):
        return [value] * count
    values = [float(each) for each in np.atleast_1d(value)]
    return values * count if len(values) == 1 else values


def _rest(body: Body, joint: Joint) -> list[float]:
    """Coordinates with which the body has its given pose."""
    if joint.type is JointType.free:
        return [*map(float, body.pos), *gather.units([body], "quat")[0].tolist()]
    return list(IDENTITY) if joint.type is JointType.ball else [0.0] * JOINT_SIZES[joint.type][0]


def _principal(inertia: Reals) -> tuple[Reals, Reals]:
    """Principal moments and axes of inertias, (n, 3, 3).

    Moments that are negative only by rounding become 0; inertias that are not finite give NaN.
    """
    finite = np.asarray(np.isfinite(inertia).all(axis=(1, 2)))
    if finite.all():
        moments, frame = principal(inertia)
    else:
        moments, frame = principal(np.where(finite[:, None, None], inertia, 0.0))
        moments[~finite] = np.nan  # the Model rejects them
    negative = moments < 0
    if negative.any():
        with np.errstate(all="ignore"):
            rounding = 32 * np.finfo(float).eps * np.abs(moments).max(axis=1, initial=0.0)[:, None]
            moments[negative & (moments >= -rounding)] = 0.0
    return moments, frame


def _different(parts: Sequence[Any]) -> list[Any]:
    """The parts that several elements share, each once; None is omitted."""
    return [part for part in dict.fromkeys(parts) if part is not None]


def _shared(parts: Sequence[Any], rows: Sequence[Any]) -> Integers:
    """The rows of parts that several elements share, -1 for None."""
    if not rows:
        return repeated((-1,), len(parts), INTEGER)
    known = gather.numbered(rows)
    return column([known.get(part, -1) for part in parts], INTEGER)


def _shifted(equality: Equality) -> list[float]:
    """A polynomial of coordinates as a polynomial of displacements from qpos0.

    ``y = p(x)`` becomes ``y - y0 = p(x0 + d) - y0``, where d is the other joint's displacement.
    """
    one, other = equality.first, equality.second
    assert isinstance(one, Joint)
    x0 = other.qpos0[0] if isinstance(other, Joint) and other.qpos0 is not None else 0.0
    y0 = one.qpos0[0] if one.qpos0 is not None else 0.0
    shifted = np.polynomial.Polynomial(equality.data)(np.polynomial.Polynomial([x0, 1.0]))
    coefficients: list[float] = (shifted - y0).coef.tolist()
    return coefficients
