"""The parts of an assembly as rows of tables, and the Model of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
from polybody.base import Node
from polybody.diagnostics import Findings, ValidationError
from polybody.errors import ModelError
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
from polybody.geometry import bounds
from polybody.lowering.assembly import (
    IDENTITY,
    OPTIONS,
    ORIGIN,
    Assembly,
    Body,
    Equality,
    Exclude,
    Joint,
    Reals,
    Vector,
)
from polybody.lowering.columns import BYTE, DOUBLE, INTEGER, SINGLE, Columns, column, numbers, starts
from polybody.lowering.customs import custom_columns
from polybody.lowering.mass_properties import principal
from polybody.lowering.meshes import mesh_columns
from polybody.lowering.operations import Operations
from polybody.model.model import Model
from polybody.rotations import matrix, product, unit

UNLIMITED = 1e10
"""A bound that stands for none, where the other end has one: rad, m, N or N m."""
PLACED = ("body", "joint", "geom", "actuator", "equality", "element", "tendon")
"""Kinds whose places messages about a Model name."""
PER_DOF = ("armature", "damping", "stiffness", "frictionloss")
"""Numbers of a joint that are one for all its degrees of freedom, or one for each."""
_SINGLE = frozenset(kind for kind, (_, count) in JOINT_SIZES.items() if count == 1)
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_ROW = re.compile(r"(\w+) (\d+)\b")
_NO_INERTIA = ((0.0,) * 3,) * 3
_ENDLESS = (-np.inf, np.inf)


class Rows:
    """The parts of an assembly in the order of their rows."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly
        self.bodies = _depth_first(assembly)
        self.row = {id(body): row for row, body in enumerate(self.bodies)}
        self.row[id(None)] = 0
        for body in self.bodies:
            _split_free(body)
        self.joints = [joint for body in self.bodies for joint in body.joints]
        self.row |= {id(joint): row for row, joint in enumerate(self.joints)}
        self.geoms = [geom for body in self.bodies for geom in body.geoms]
        self.sites = [site for body in self.bodies for site in body.sites]
        self.row |= {id(site): row for row, site in enumerate(self.sites)}
        self.excludes = {self._signature(each): each for each in assembly.excludes}
        """By their signatures: bodies that are excluded twice are excluded."""
        self.meshes = list(
            {id(geom.mesh): geom.mesh for geom in self.geoms if geom.mesh is not None}.values()
        )
        self.materials = list(
            {id(geom.material): geom.material for geom in self.geoms if geom.material is not None}.values()
        )

    def model(self, findings: Findings) -> Model:
        assembly = self.assembly
        columns: dict[str, Any] = OPTIONS | assembly.options
        columns |= self._bodies() | self._joints() | self._geoms() | self._sites() | self._assets()
        columns |= self._actuators() | self._equalities() | self._keys(columns)
        columns |= self._elements() | self._tendons() | self._formulas()
        columns |= self._references(columns)
        columns |= custom_columns(assembly.numerics, assembly.texts, assembly.tuples, self.row)
        columns["exclude_signature"] = np.array(sorted(self.excludes), dtype=INTEGER)
        rows = self._parts()
        names = {kind: tuple([part.name for part in parts]) for kind, parts in rows.items()}
        places = {kind: _places(rows[kind]) for kind in PLACED}
        try:
            return Model(columns, names, name=assembly.name, places=places)
        except ModelError as error:
            for problem in error.problems:
                node = self._about(problem, rows)
                if node is None:
                    findings.add("PB063", None, problem)
                else:
                    findings.add("PB063", node.span, problem, source=node.source)
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

    def _about(self, problem: str, rows: Mapping[str, Sequence[Any]]) -> Node | None:
        """The element that a problem of the Model is about: it begins with its kind and row."""
        found = _ROW.match(problem)
        root = self.assembly.root
        if found is None or found[1] not in rows or int(found[2]) >= len(rows[found[1]]):
            return root
        node: Node | None = getattr(rows[found[1]][int(found[2])], "node", None)
        return node or root

    def _signature(self, exclude: Exclude) -> int:
        one, other = sorted((self.row[id(exclude.body1)], self.row[id(exclude.body2)]))
        return (one << 16) + other

    # --- columns --------------------------------------------------------------------------------------------

    def _bodies(self) -> Columns:
        bodies = self.bodies
        given = [_NO_INERTIA if body.inertia is None else body.inertia for body in bodies]
        flat = [value for each in given for row in each for value in row]
        inertia = column(flat, DOUBLE).reshape(-1, 3, 3)
        finite = np.asarray(np.isfinite(inertia).all(axis=(1, 2)))
        if finite.all():
            moments, frame = principal(inertia)
        else:
            moments, frame = principal(np.where(finite[:, None, None], inertia, 0.0))
            moments[~finite] = np.nan  # the Model refuses them
        negative = moments < 0
        if negative.any():
            with np.errstate(all="ignore"):
                rounding = 32 * np.finfo(float).eps * np.abs(moments).max(axis=1, initial=0.0)[:, None]
                moments[negative & (moments >= -rounding)] = 0.0
        return {
            "body_parentid": column([self.row[id(body.parent)] for body in bodies], INTEGER),
            "body_pos": numbers([body.pos for body in bodies], 3, DOUBLE),
            "body_quat": _units([body.quat for body in bodies]),
            "body_mass": column([body.mass for body in bodies], DOUBLE),
            "body_ipos": numbers([body.ipos for body in bodies], 3, DOUBLE),
            "body_iquat": frame,
            "body_inertia": moments,
            "body_gravcomp": column([body.gravcomp for body in bodies], DOUBLE),
        }

    def _joints(self) -> Columns:
        joints = self.joints
        columns: Columns = {
            "jnt_type": column([joint.type for joint in joints], INTEGER),
            "jnt_bodyid": column([row for row, body in enumerate(self.bodies) for _ in body.joints], INTEGER),
            "jnt_pos": numbers([joint.pos for joint in joints], 3, DOUBLE),
            "jnt_axis": numbers([joint.axis for joint in joints], 3, DOUBLE),
            "jnt_pitch": column([joint.pitch for joint in joints], DOUBLE),
            "jnt_quat": _units([joint.quat for joint in joints]),
            "jnt_inparent": column([joint.inparent for joint in joints], BYTE),
            "jnt_vectorspring": column([joint.vectorspring for joint in joints], BYTE),
            "jnt_prescribed": column([joint.prescribed for joint in joints], INTEGER),
        }
        columns |= _ranges("jnt_limited", "jnt_range", [joint.range for joint in joints])
        columns["jnt_limited"] &= column([joint.limited for joint in joints], BYTE)
        columns |= _ranges("jnt_actfrclimited", "jnt_actfrcrange", [joint.forcerange for joint in joints])
        for name in PER_DOF:
            columns[f"dof_{name}"] = self._per_dof(name)
        columns["dof_qvel0"] = self._per_dof("qvel0")
        owners = [body for body in self.bodies for _ in body.joints]
        for name, given in (("qpos0", "qpos0"), ("qpos_spring", "spring")):
            said = [getattr(joint, given) for joint in joints]
            values: list[float] = []
            for own, body, joint in zip(said, owners, joints, strict=True):
                values.extend(_rest(body, joint) if own is None else own)
            columns[name] = column(values, DOUBLE)
        return columns

    def _per_dof(self, name: str) -> Reals:
        """A column of the joints' numbers per degree of freedom."""
        values: list[float] = []
        for joint in self.joints:
            value = getattr(joint, name)
            if type(value) is float and joint.type in _SINGLE:
                values.append(value)
            else:
                values += _per_dof(joint, name)
        return column(values, DOUBLE)

    def _geoms(self) -> Columns:
        geoms = self.geoms
        pos, quat = numbers([geom.pos for geom in geoms], 3, DOUBLE), _units([geom.quat for geom in geoms])
        size = numbers([(*geom.size, 0.0, 0.0, 0.0)[:3] for geom in geoms], 3, DOUBLE)
        boxes: dict[Any, Any] = {}  # many shapes are alike
        for geom in geoms:
            if (alike := (geom.type, tuple(geom.size))) not in boxes:
                low, high, radius = bounds(geom.type.name, (*map(float, geom.size), 0.0, 0.0, 0.0)[:3])
                boxes[alike] = (*low, *high, radius)
        around = numbers([boxes[geom.type, tuple(geom.size)] for geom in geoms], 7, DOUBLE)
        lowest, highest, reach = around[:, :3], around[:, 3:6], around[:, 6].copy()
        aabb = np.hstack([lowest + highest, highest - lowest]) / 2
        meshed = np.flatnonzero([geom.mesh is not None for geom in geoms])
        if len(meshed):
            pos, quat, size = pos.copy(), quat.copy(), size.copy()
            held = [mesh.mesh for row in meshed if (mesh := geoms[row].mesh) is not None]
            solids = [mesh.solid for mesh in held]
            turn = matrix(quat[meshed])
            pos[meshed] += np.einsum("nij,nj->ni", turn, numbers([each.pos for each in solids], 3, DOUBLE))
            quat[meshed] = product(quat[meshed], numbers([each.quat for each in solids], 4, DOUBLE))
            size[meshed] = numbers([mesh.size for mesh in held], 3, DOUBLE)
            aabb[meshed] = numbers([mesh.aabb for mesh in held], 6, DOUBLE)
            reach[meshed] = np.linalg.norm(size[meshed], axis=1)
        meshes = {id(mesh): row for row, mesh in enumerate(self.meshes)}
        materials = {id(material): row for row, material in enumerate(self.materials)}
        return {
            "geom_type": column([geom.type for geom in geoms], INTEGER),
            "geom_bodyid": column([row for row, body in enumerate(self.bodies) for _ in body.geoms], INTEGER),
            "geom_pos": pos,
            "geom_quat": quat,
            "geom_size": size,
            "geom_aabb": aabb,
            "geom_rbound": reach,
            "geom_rgba": numbers([geom.rgba for geom in geoms], 4, SINGLE),
            "geom_mass": column([geom.mass for geom in geoms], DOUBLE),
            "geom_group": column([geom.group for geom in geoms], INTEGER),
            "geom_contype": column([geom.contype for geom in geoms], INTEGER),
            "geom_conaffinity": column([geom.conaffinity for geom in geoms], INTEGER),
            "geom_friction": numbers([geom.friction for geom in geoms], 3, DOUBLE),
            "geom_dataid": column([meshes.get(id(geom.mesh), -1) for geom in geoms], INTEGER),
            "geom_matid": column([materials.get(id(geom.material), -1) for geom in geoms], INTEGER),
        } | _given("geom_", ("stiffness", "damping", "dissipation"), geoms)

    def _sites(self) -> Columns:
        sites = self.sites
        return {
            "site_type": np.full(len(sites), int(ShapeType.sphere), dtype=INTEGER),
            "site_bodyid": np.array(
                [row for row, body in enumerate(self.bodies) for _ in body.sites], dtype=INTEGER
            ),
            "site_pos": numbers([site.pos for site in sites], 3, DOUBLE),
            "site_quat": _units([site.quat for site in sites]),
        }

    def _assets(self) -> Columns:
        meshes = [asset.mesh for asset in self.meshes]
        columns: Columns = {}
        if meshes:
            offsets = [(mesh.solid.pos, mesh.solid.quat) for mesh in meshes]
            columns = mesh_columns(meshes, [asset.scale for asset in self.meshes], offsets)
        return columns | {"mat_rgba": numbers([material.rgba for material in self.materials], 4, SINGLE)}

    def _actuators(self) -> Columns:
        actuators = self.assembly.actuators
        gear, gain, bias = (np.zeros((len(actuators), width)) for width in (6, 10, 10))
        kinds = []
        for row, actuator in enumerate(actuators):
            force = np.atleast_1d(np.asarray(actuator.gear, dtype=DOUBLE))
            gear[row, : len(force)] = force
            gain[row, 0] = actuator.gain
            if actuator.bias is not None:
                bias[row, : len(actuator.bias)] = actuator.bias
            kinds.append(int(BiasType.none if actuator.bias is None else BiasType.affine))
        targets = [(self.row[id(actuator.joint)], -1) for actuator in actuators]
        transmissions = (TransmissionType.joint, TransmissionType.jointinparent)
        columns: Columns = {
            "actuator_trntype": np.array(
                [int(transmissions[actuator.in_parent]) for actuator in actuators], dtype=INTEGER
            ),
            "actuator_ctrl0": np.array([actuator.ctrl0 for actuator in actuators], dtype=DOUBLE),
            "actuator_trnid": numbers(targets, 2, INTEGER),
            "actuator_gear": gear,
            "actuator_gainprm": gain,
            "actuator_biasprm": bias,
            "actuator_biastype": np.array(kinds, dtype=INTEGER),
        }
        for name in ("ctrl", "force"):
            given = [getattr(actuator, f"{name}range") for actuator in actuators]
            columns |= _ranges(f"actuator_{name}limited", f"actuator_{name}range", given)
        return columns

    def _equalities(self) -> Columns:
        equalities = self.assembly.equalities
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
            -1 if joint and each.second is None else self.row[id(each.second)]
            for each, joint in zip(equalities, by_joint, strict=True)
        ]
        kinds = [int(ObjectType.UNKNOWN if joint else ObjectType.BODY) for joint in by_joint]
        return {
            "eq_type": np.array([int(each.type) for each in equalities], dtype=INTEGER),
            "eq_obj1id": np.array([self.row[id(each.first)] for each in equalities], dtype=INTEGER),
            "eq_obj2id": np.array(second, dtype=INTEGER),
            "eq_objtype": np.array(kinds, dtype=INTEGER),
            "eq_active0": np.array([each.active for each in equalities], dtype=BYTE),
            "eq_data": data,
        }

    def _formulas(self) -> Columns:
        """Instructions of the residuals of formulas, and of their partial derivatives."""
        operations = Operations()
        first = {id(joint): dof for joint, dof in zip(self.joints, self._dofs(), strict=True)}
        held: list[tuple[int, int]] = []
        entries: list[tuple[int, int, int]] = []
        for row, each in enumerate(self.assembly.equalities):
            if each.formula is None:
                continue
            formula, drivers, partials, roots = each.formula
            own = operations.coordinate(self.row[id(each.first)])
            known = operations.known(
                {
                    variable: joint if isinstance(joint, float) else self.row[id(joint)]
                    for variable, joint in drivers.items()
                }
            )
            if roots is not None:
                formula = operations.rooted(roots, own, known)
            value = operations.formula(formula, known)
            slopes = {id(each.first): operations.number(1.0)}
            for joint, partial in partials:
                found = operations.add(Kind.neg, operations.formula(partial, known))
                before = slopes.get(id(joint))
                slopes[id(joint)] = found if before is None else operations.add(Kind.add, before, found)
            entries += [(len(held), first[joint], found) for joint, found in slopes.items()]
            held.append((row, operations.add(Kind.subtract, own, value)))
        if not held:
            return {}
        return operations.columns() | {
            "formula_eqid": column([row for row, _ in held], INTEGER),
            "formula_operationid": column([found for _, found in held], INTEGER),
            "formula_J_formula": column([row for row, _, _ in entries], INTEGER),
            "formula_J_colind": column([dof for _, dof, _ in entries], INTEGER),
            "formula_J_operationid": column([found for _, _, found in entries], INTEGER),
        }

    def _references(self, columns: Columns) -> Columns:
        """The references of constraints, where the assembly has them for all."""
        every, limit = self.assembly.solref, self.assembly.solref_limit
        rows = {
            "geom_solref": (len(self.geoms), every),
            "jnt_solref": (len(self.joints), limit),
            "dof_solref": (len(columns["dof_armature"]), every),
            "eq_solref": (len(self.assembly.equalities), every),
            "tendon_solref_lim": (len(self.assembly.tendons), limit),
        }
        return {
            name: np.full((count, 2), solref) for name, (count, solref) in rows.items() if solref is not None
        }

    def _dofs(self) -> list[int]:
        """Where the degrees of freedom of each joint begin."""
        return list(accumulate((JOINT_SIZES[joint.type][1] for joint in self.joints), initial=0))[:-1]

    def _elements(self) -> Columns:
        elements = self.assembly.elements
        columns: Columns = {"element_type": np.array([int(each.type) for each in elements], dtype=INTEGER)}
        for end in ("1", "2"):
            rows = [self.row[id(getattr(each, f"body{end}"))] for each in elements]
            columns[f"element_body{end}id"] = np.array(rows, dtype=INTEGER)
            columns[f"element_pos{end}"] = numbers([getattr(e, f"pos{end}") for e in elements], 3, DOUBLE)
            columns[f"element_quat{end}"] = _units([getattr(each, f"quat{end}") for each in elements])
        for name in ("stiffness", "damping", "torque_stiffness", "torque_damping"):
            columns[f"element_{name}"] = numbers([getattr(each, name) for each in elements], 3, DOUBLE)
        columns["element_length"] = np.array([each.length for each in elements], dtype=DOUBLE)
        return columns

    def _tendons(self) -> Columns:
        tendons = self.assembly.tendons
        counts = [len(each.joints) for each in tendons]
        pairs = [pair for each in tendons for pair in each.joints]
        columns: Columns = {
            "tendon_adr": starts(counts),
            "tendon_num": np.array(counts, dtype=INTEGER),
            "wrap_type": np.full(len(pairs), int(WrapType.joint), dtype=INTEGER),
            "wrap_objid": np.array([self.row[id(joint)] for joint, _ in pairs], dtype=INTEGER),
            "wrap_prm": np.array([weight for _, weight in pairs], dtype=DOUBLE),
        }
        columns["tendon_stiffness"] = column([each.stiffness for each in tendons], DOUBLE)
        rests = numbers([each.rest for each in tendons], 2, DOUBLE).clip(-UNLIMITED, UNLIMITED)
        # Both -1 means another thing.
        columns["tendon_springlength"] = np.where(rests == -1.0, np.nextafter(-1.0, 0.0), rests)
        return columns | _ranges("tendon_limited", "tendon_range", [each.range for each in tendons])

    def _keys(self, columns: Mapping[str, Any]) -> Columns:
        keys = self.assembly.keys
        if not keys:
            return {}
        still = np.zeros(len(columns["dof_armature"]))
        return {
            "key_qpos": np.array([key.qpos for key in keys], dtype=DOUBLE),
            "key_qvel": np.array([still if key.qvel is None else key.qvel for key in keys], dtype=DOUBLE),
        }


def _depth_first(assembly: Assembly) -> list[Body]:
    """The world and all bodies, each before those that it carries."""
    children: dict[int, list[Body]] = {}
    for body in assembly.bodies:
        parent = assembly.world if body.parent is None else body.parent
        children.setdefault(id(parent), []).append(body)
    found, todo = [], [assembly.world]
    while todo:
        body = todo.pop()
        found.append(body)
        todo += reversed(children.get(id(body), ()))
    if len(found) != len(assembly.bodies) + 1:
        there = {id(body) for body in found}
        lost = ", ".join(body.name for body in assembly.bodies if id(body) not in there)
        raise ValueError(f"these bodies are not carried by the world: {lost}")
    return found


def _split_free(body: Body) -> None:
    """Three slides and a ball instead of a free joint whose numbers per axis are not all equal.

    Their coordinates and velocities are the free joint's.
    """
    joint = body.joints[0] if body.joints else None
    if joint is None or joint.type is not JointType.free or joint.whole:
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
    """A joint's numbers per degree of freedom."""
    value = getattr(joint, name)
    value = 0.0 if value is None else value
    count = JOINT_SIZES[joint.type][1]
    if isinstance(value, (int, float)):
        return [value] * count
    values = [float(each) for each in np.atleast_1d(value)]
    return values * count if len(values) == 1 else values


def _rest(body: Body, joint: Joint) -> list[float]:
    """Coordinates that leave the body where its pose puts it."""
    if joint.type is JointType.free:
        return [*map(float, body.pos), *unit(body.quat).tolist()]
    return list(IDENTITY) if joint.type is JointType.ball else [0.0] * JOINT_SIZES[joint.type][0]


def _units(quats: Sequence[Vector]) -> Reals:
    rows = numbers(quats, 4, DOUBLE)
    return unit(rows) if len(rows) else rows


def _given(prefix: str, names: Sequence[str], parts: Sequence[Any]) -> Columns:
    """Columns of numbers that few parts have, where one has them."""
    rows = {name: [getattr(part, name) for part in parts] for name in names}
    return {
        prefix + name: column([value or 0.0 for value in values], DOUBLE)
        for name, values in rows.items()
        if any(values)
    }


def _ranges(limited: str, range_: str, given: Sequence[tuple[float, float] | None]) -> Columns:
    """Flags and bounds; a bound that is not finite is none, two of them no range."""
    rows = numbers([_ENDLESS if pair is None else pair for pair in given], 2, DOUBLE)
    flags = np.asarray(np.isfinite(rows).any(axis=1))
    return {
        limited: flags.astype(BYTE),
        range_: np.where(flags[:, None], rows.clip(-UNLIMITED, UNLIMITED), 0.0),
    }


def _shifted(equality: Equality) -> list[float]:
    """The polynomial of displacements from qpos0 that a polynomial of coordinates is.

    ``y = p(x)`` becomes ``y - y0 = p(x0 + d) - y0``, d being the other joint's displacement.
    """
    one, other = equality.first, equality.second
    assert isinstance(one, Joint)
    x0 = other.qpos0[0] if isinstance(other, Joint) and other.qpos0 is not None else 0.0
    y0 = one.qpos0[0] if one.qpos0 is not None else 0.0
    shifted = np.polynomial.Polynomial(equality.data)(np.polynomial.Polynomial([x0, 1.0]))
    coefficients: list[float] = (shifted - y0).coef.tolist()
    return coefficients


def _places(parts: Sequence[Any]) -> tuple[str, ...]:
    return tuple(["" if part.node is None else part.node.place for part in parts])
