"""Bodies, joints and what belongs to them, as a format's lowering puts them together, and the Model of them.

    assembly = Assembly("arm", {"opt_timestep": 1e-3, "opt_gravity": (0, 0, -9.81)}, root=document)
    link = assembly.body(Body("link", mass=1.0, inertia=np.eye(3), node=element))
    link.joints.append(Joint("shoulder", JointType.hinge, axis=(0, 1, 0), node=other))
    model = assembly.build(findings)

The parts refer to each other as objects; rows are numbered when the Model is built: bodies depth first,
children in the order in which they were added, a body's joints, geoms and sites in the order of its lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.base import Node
from polybody.diagnostics import Findings, ValidationError
from polybody.errors import ModelError
from polybody.generated.model import (
    JOINT_SIZES,
    BiasType,
    ElementType,
    EqualityType,
    Integrator,
    JointType,
    ObjectType,
    Prescription,
    ShapeType,
    TransmissionType,
    WrapType,
)
from polybody.geometry import Mesh, bounds
from polybody.lowering.columns import BYTE, DOUBLE, INTEGER, SINGLE, Columns, numbers, starts
from polybody.lowering.customs import Numeric, Text, Tuple, custom_columns
from polybody.lowering.mass_properties import principal
from polybody.lowering.meshes import mesh_columns
from polybody.model.model import Model
from polybody.rotations import matrix, product, unit

Reals = NDArray[np.float64]
Vector = Sequence[float] | Reals
ORIGIN = (0.0, 0.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0)
UNLIMITED = 1e10
"""A bound that stands for none, where the other end has one: rad, m, N or N m."""
VISUAL, COLLISION = 1, 0
"""Groups of geoms."""
PLACED = ("body", "joint", "geom", "actuator", "equality", "element", "tendon")
"""Kinds whose places messages about a Model name."""
OPTIONS = {
    "opt_timestep": 1e-3,
    "opt_gravity": (0.0, 0.0, -9.81),
    "opt_integrator": int(Integrator.Euler),
}
"""Where a format says nothing else: s, m/s^2."""
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_ROW = re.compile(r"(\w+) (\d+)\b")


@dataclass(slots=True, eq=False)
class Joint:
    """A primitive joint of a body. Numbers per degree of freedom are one for all, or a sequence."""

    name: str
    type: JointType
    pos: Vector = ORIGIN
    """A point of the axis in the body's frame, m."""
    axis: Vector = (0.0, 0.0, 1.0)
    """In the body's frame, unit length."""
    pitch: float = 0.0
    """m/rad, of a screw."""
    quat: Vector = IDENTITY
    """Axes of a ball in the body's frame, or as ``inparent`` says."""
    inparent: bool = False
    """Whether a free joint's springs and dampers act along those axes, in the parent's frame."""
    vectorspring: bool = False
    """Whether a ball's spring acts on the difference of rotation vectors."""
    range: tuple[float, float] | None = None
    """Bounds of the coordinate, m or rad; infinite ones are none."""
    limited: bool = True
    """Whether these act."""
    armature: float | Vector = 0.0
    damping: float | Vector = 0.0
    stiffness: float | Vector = 0.0
    frictionloss: float | Vector = 0.0
    spring: Vector | None = None
    """Coordinates at which the springs rest; else what leaves the body where its pose puts it."""
    qpos0: Vector | None = None
    """Coordinates at the start; likewise. Those of a free joint are in the parent's frame."""
    qvel0: Vector | None = None
    """Velocities at the start; else 0."""
    prescribed: Prescription = Prescription.nothing
    """What of its motion its actuators give."""
    whole: bool = False
    """Whether a free joint stays one where numbers per degree of freedom differ."""
    forcerange: tuple[float, float] | None = None
    """Bounds of what actuators together exert, N or N m."""
    node: Node | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MeshAsset:
    """A mesh that any number of geoms share."""

    name: str
    mesh: Mesh
    scale: Vector = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """A named look that any number of geoms share."""

    name: str
    rgba: Vector


@dataclass(slots=True, eq=False)
class Geom:
    """A shape of a body; its pose is in the body's frame, for a mesh the pose of the file's frame."""

    name: str
    type: ShapeType
    size: Vector = ORIGIN
    """Half lengths, m; of a mesh nothing."""
    pos: Vector = ORIGIN
    quat: Vector = IDENTITY
    rgba: Vector = (0.5, 0.5, 0.5, 1.0)
    mesh: MeshAsset | None = None
    material: Material | None = None
    mass: float = 0.0
    """kg: its part of the body's mass, which the body has anyway."""
    group: int = COLLISION
    contype: int = 0
    conaffinity: int = 0
    friction: Vector = (1.0, 0.005, 0.0001)
    """Sliding, torsional (m), rolling (m)."""
    node: Node | None = None


@dataclass(slots=True, eq=False)
class Site:
    """A named frame of a body."""

    name: str
    pos: Vector = ORIGIN
    quat: Vector = IDENTITY
    node: Node | None = None


@dataclass(slots=True, eq=False)
class Body:
    """A rigid body."""

    name: str
    parent: Body | None = None
    """None: the world."""
    pos: Vector = ORIGIN
    quat: Vector = IDENTITY
    """Its frame in its parent's where its joints' coordinates are zero, m."""
    mass: float = 0.0
    ipos: Vector = ORIGIN
    inertia: ArrayLike | None = None
    """(3, 3), kg m^2: about the centre of mass, in the body's axes; None: zero."""
    joints: list[Joint] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    gravcomp: float = 0.0
    node: Node | None = None


@dataclass(slots=True, eq=False)
class Actuator:
    """A force on a joint: gain times control, plus bias, clipped, times gear."""

    name: str
    joint: Joint
    gear: float | Vector = 1.0
    gain: float = 1.0
    bias: Vector | None = None
    """Constant, factors of length and of velocity."""
    ctrlrange: tuple[float, float] | None = None
    forcerange: tuple[float, float] | None = None
    """N or N m."""
    ctrl0: float = 0.0
    """The control at the start."""
    in_parent: bool = False
    """Whether the gear of a ball or free joint has the parent's axes instead of the child's."""
    node: Node | None = None


@dataclass(slots=True, eq=False)
class Equality:
    """What is to stay equal.

    joint: the first joint's coordinate is a polynomial, ``data``, of the second's, or a constant.
    connect: a point, ``data``, of the first body and one, ``other``, of the second, each in its frame, m.
    """

    type: EqualityType
    first: Body | Joint | None
    second: Body | Joint | None = None
    data: Vector = ()
    other: Vector = ORIGIN
    name: str = ""
    active: bool = True
    node: Node | None = None


@dataclass(slots=True, eq=False)
class Element:
    """A spring and damper between two frames of bodies; see the Model's ElementType. None is the world."""

    type: ElementType
    body1: Body | None
    body2: Body | None
    pos1: Vector = ORIGIN
    quat1: Vector = IDENTITY
    pos2: Vector = ORIGIN
    quat2: Vector = IDENTITY
    stiffness: Vector = ORIGIN
    damping: Vector = ORIGIN
    torque_stiffness: Vector = ORIGIN
    torque_damping: Vector = ORIGIN
    length: float = 0.0
    """m, of a spring at rest."""
    name: str = ""
    node: Node | None = None


@dataclass(slots=True, eq=False)
class Tendon:
    """Bounds of a weighted sum of joint coordinates."""

    joints: Sequence[tuple[Joint, float]]
    """Joints of one coordinate, and their weights."""
    range: tuple[float, float] | None = None
    name: str = ""
    node: Node | None = None


@dataclass(slots=True, eq=False)
class Exclude:
    """Two bodies that do not touch; None is the world."""

    body1: Body | None
    body2: Body | None
    name: str = ""
    node: Node | None = None


@dataclass(slots=True, eq=False)
class Key:
    """A named state."""

    name: str
    qpos: Vector
    qvel: Vector | None = None


@dataclass(slots=True, eq=False)
class Assembly:
    """What a document means, before a Model is made of it."""

    name: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    """Columns ``opt_*``; what is left out is as in ``OPTIONS``."""
    bodies: list[Body] = field(default_factory=list)
    actuators: list[Actuator] = field(default_factory=list)
    equalities: list[Equality] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    tendons: list[Tendon] = field(default_factory=list)
    excludes: list[Exclude] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    numerics: list[Numeric] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    tuples: list[Tuple] = field(default_factory=list)
    """Of bodies, joints and sites."""
    world: Body = field(default_factory=lambda: Body("world"))
    """Carries geoms and sites alone."""
    root: Node | None = None
    """Where what belongs to no element is reported."""

    def body(self, body: Body) -> Body:
        """Add a body and return it."""
        self.bodies.append(body)
        return body

    def build(self, findings: Findings) -> Model:
        """The Model.

        Args:
            findings: where errors go, at the elements that they are about.

        Raises:
            ValidationError: there is no such Model: it carries all findings.
            ValueError: the parents of bodies make a loop: the caller's fault.
        """
        return _Rows(self).model(findings)


# --- rows ----------------------------------------------------------------------------------------


class _Rows:
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
        columns |= self._elements() | self._tendons()
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
        inertia = np.zeros((len(bodies), 3, 3))
        for row, body in enumerate(bodies):
            if body.inertia is not None:
                inertia[row] = body.inertia
        with np.errstate(all="ignore"):
            finite = np.asarray(np.isfinite(inertia).all(axis=(1, 2)))
            moments, frame = principal(np.where(finite[:, None, None], inertia, 0.0))
        moments[~finite] = np.nan  # the Model refuses them
        rounding = 32 * np.finfo(float).eps * np.abs(moments).max(axis=1, initial=0.0)[:, None]
        moments[(moments < 0) & (moments >= -rounding)] = 0.0
        quat = _units([body.quat for body in bodies])
        return {
            "body_parentid": np.array([self.row[id(body.parent)] for body in bodies], dtype=INTEGER),
            "body_pos": numbers([body.pos for body in bodies], 3, DOUBLE),
            "body_quat": quat,
            "body_mass": np.array([body.mass for body in bodies], dtype=DOUBLE),
            "body_ipos": numbers([body.ipos for body in bodies], 3, DOUBLE),
            "body_iquat": frame,
            "body_inertia": moments,
            "body_gravcomp": np.array([body.gravcomp for body in bodies], dtype=DOUBLE),
        }

    def _joints(self) -> Columns:
        joints = self.joints
        columns: Columns = {
            "jnt_type": np.array([int(joint.type) for joint in joints], dtype=INTEGER),
            "jnt_bodyid": np.array(
                [row for row, body in enumerate(self.bodies) for _ in body.joints], dtype=INTEGER
            ),
            "jnt_pos": numbers([joint.pos for joint in joints], 3, DOUBLE),
            "jnt_axis": numbers([joint.axis for joint in joints], 3, DOUBLE),
            "jnt_pitch": np.array([joint.pitch for joint in joints], dtype=DOUBLE),
            "jnt_quat": _units([joint.quat for joint in joints]),
            "jnt_inparent": np.array([joint.inparent for joint in joints], dtype=BYTE),
            "jnt_vectorspring": np.array([joint.vectorspring for joint in joints], dtype=BYTE),
            "jnt_prescribed": np.array([int(joint.prescribed) for joint in joints], dtype=INTEGER),
        }
        columns |= _ranges("jnt_limited", "jnt_range", [joint.range for joint in joints])
        columns["jnt_limited"] &= np.array([joint.limited for joint in joints], dtype=BYTE)
        columns |= _ranges("jnt_actfrclimited", "jnt_actfrcrange", [joint.forcerange for joint in joints])
        for name in ("armature", "damping", "stiffness", "frictionloss"):
            columns[f"dof_{name}"] = np.array(
                [value for joint in joints for value in _per_dof(joint, name)], dtype=DOUBLE
            )
        columns["dof_qvel0"] = np.array(
            [value for joint in joints for value in _per_dof(joint, "qvel0")], dtype=DOUBLE
        )
        rest = [_rest(body, joint) for body in self.bodies for joint in body.joints]
        for column, given in (("qpos0", "qpos0"), ("qpos_spring", "spring")):
            said = [getattr(joint, given) for joint in joints]
            values = [
                value
                for own, start in zip(said, rest, strict=True)
                for value in (start if own is None else own)
            ]
            columns[column] = np.array(values, dtype=DOUBLE)
        return columns

    def _geoms(self) -> Columns:
        geoms = self.geoms
        pos, quat = (
            np.array([geom.pos for geom in geoms]).reshape(-1, 3),
            _units([geom.quat for geom in geoms]),
        )
        size, aabb, radius = np.zeros((len(geoms), 3)), np.zeros((len(geoms), 6)), np.zeros(len(geoms))
        meshed = {id(mesh): row for row, mesh in enumerate(self.meshes)}
        for row, geom in enumerate(geoms):
            if geom.mesh is not None:
                mesh = geom.mesh.mesh
                size[row], aabb[row] = mesh.size, mesh.aabb
                radius[row] = np.linalg.norm(mesh.size)
                pos[row] += matrix(quat[row]) @ mesh.solid.pos
                quat[row] = product(quat[row], mesh.solid.quat)
            else:
                size[row, : len(geom.size)] = geom.size
                low, high, radius[row] = bounds(geom.type.name, tuple(size[row].tolist()))
                aabb[row] = [*np.add(low, high) / 2, *np.subtract(high, low) / 2]
        return {
            "geom_type": np.array([int(geom.type) for geom in geoms], dtype=INTEGER),
            "geom_bodyid": np.array(
                [row for row, body in enumerate(self.bodies) for _ in body.geoms], dtype=INTEGER
            ),
            "geom_pos": pos,
            "geom_quat": quat,
            "geom_size": size,
            "geom_aabb": aabb,
            "geom_rbound": radius,
            "geom_rgba": numbers([geom.rgba for geom in geoms], 4, SINGLE),
            "geom_mass": np.array([geom.mass for geom in geoms], dtype=DOUBLE),
            "geom_group": np.array([geom.group for geom in geoms], dtype=INTEGER),
            "geom_contype": np.array([geom.contype for geom in geoms], dtype=INTEGER),
            "geom_conaffinity": np.array([geom.conaffinity for geom in geoms], dtype=INTEGER),
            "geom_friction": numbers([geom.friction for geom in geoms], 3, DOUBLE),
            "geom_dataid": np.array([meshed.get(id(geom.mesh), -1) for geom in geoms], dtype=INTEGER),
            "geom_matid": np.array([self._material(geom) for geom in geoms], dtype=INTEGER),
        }

    def _material(self, geom: Geom) -> int:
        return -1 if geom.material is None else self.materials.index(geom.material)

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
    names = ("armature", "damping", "stiffness", "frictionloss")
    given = {name: _per_dof(joint, name) for name in names}
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


def _ranges(limited: str, column: str, given: Sequence[tuple[float, float] | None]) -> Columns:
    """Flags and bounds; a bound that is not finite is none, two of them no range."""
    rows = np.zeros((len(given), 2))
    flags = np.zeros(len(given), dtype=BYTE)
    for row, pair in enumerate(given):
        if pair is not None and (np.isfinite(pair[0]) or np.isfinite(pair[1])):
            flags[row] = 1
            rows[row] = np.clip(pair, -UNLIMITED, UNLIMITED)
    return {limited: flags, column: rows}


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
