"""From the compiled fields to a Model, its native coordinates, and steps that need inertias."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.assembly.columns import places_later
from polybody.base import Node
from polybody.base.releases import number
from polybody.diagnostics import Diagnostic, Findings, Policy, ValidationError, warned
from polybody.document.registry import format_of
from polybody.errors import ModelError, Problem
from polybody.generated.model import EqualityType, JointType, ObjectType, Release
from polybody.lowering.mjcf.compile import (
    Compiled,
    DampRatio,
    LengthRange,
    SpringDamper,
    compile_document,
)
from polybody.lowering.native import sized
from polybody.lowering.result import Lowered
from polybody.model.at_reference import Reference, moved_by, reference, transmissions
from polybody.model.checks import GIVEN, NAMED
from polybody.model.derived import joint_sizes
from polybody.model.model import RELEASES, SIMULATED, Model
from polybody.model.plasticity import initial_plastic
from polybody.reading import valid
from polybody.rotations.arrays import conjugate, product, unit

Reals = NDArray[np.float64]
STATISTICS = ("meaninertia", "meanmass", "meansize", "extent", "center")
SIZES = ("nuserdata", "njmax", "nconmax")
PLACED = ("body", "joint", "geom", "flex", "pair", "tendon", "equality", "actuator", "sensor", "key")
"""Kinds for which messages about a Model give the location."""
SHORTEST = 1e-15
"""Square of a moment below which an actuator is considered not to move a degree of freedom."""


class Native:
    """MuJoCo's coordinates, which are the Model's own."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @cached_property
    def q_slices(self) -> dict[str, slice]:
        """The entries of each joint in qpos, by its name."""
        model = self._model
        return _slices(model.names["joint"], model.jnt_qposadr, joint_sizes(model.jnt_type)[0])

    @cached_property
    def v_slices(self) -> dict[str, slice]:
        """The entries of each joint in qvel, by its name."""
        model = self._model
        return _slices(model.names["joint"], model.jnt_dofadr, joint_sizes(model.jnt_type)[1])

    def __repr__(self) -> str:
        return f"<Native of {self._model.name!r}: nq {self._model.nq}, nv {self._model.nv}>"

    def q(self, qpos: ArrayLike) -> Reals:
        """The coordinates qpos, (..., nq)."""
        return sized(qpos, self._model.nq, "qpos").copy()

    def qpos(self, q: ArrayLike) -> Reals:
        """The inverse, (..., nq)."""
        return sized(q, self._model.nq, "q").copy()

    def v(self, qpos: ArrayLike, qvel: ArrayLike) -> Reals:
        """The velocities qvel, (..., nv)."""
        return sized(qvel, self._model.nv, "qvel").copy()

    def qvel(self, q: ArrayLike, v: ArrayLike) -> Reals:
        """The inverse, (..., nv)."""
        return sized(v, self._model.nv, "v").copy()

    def vdot(self, data: Any) -> Reals:
        """The acceleration that MuJoCo reports in this state: qacc, (nv,)."""
        return np.array(data.qacc, dtype=np.float64)


def _slices(names: tuple[str, ...], first: NDArray[Any], count: NDArray[Any]) -> dict[str, slice]:
    return {
        name: slice(start, start + number)
        for name, start, number in zip(names, first.tolist(), count.tolist(), strict=True)
        if name
    }


def lower(document: Any, *, policy: Policy = "warn", checked: bool = False) -> Lowered[Native]:
    """The Model of an MJCF document.

    Args:
        document: as read by ``polybody.read``, or made in Python.
        policy: what counts as an error in the document, as in ``read``.
        checked: whether it was just read under the same policy, so that validation can be skipped.

    Raises:
        ValidationError: the document has errors, or no valid Model can be made of it.
    """
    if not checked:
        document = valid(document, policy)
    said = () if document.release == SIMULATED[0] else _as_later(document)
    compiled = compile_document(document, policy)
    names = {kind: rows for kind, rows in compiled.names.items() if kind in NAMED}
    try:
        places = places_later({kind: compiled.nodes.get(kind, ()) for kind in PLACED})
        columns = model_columns(compiled) | {"opt_release": _simulated_as(document.release)}
        model = Model(columns, names, name=compiled.name, places=places)
    except ModelError as error:
        raise _refused(document, compiled, error.problems) from None
    model = _completed(model, compiled)
    for request in compiled.pending:
        if isinstance(request, LengthRange):
            model = _with_ranges(model, request, document, compiled.nodes["actuator"])
    return Lowered(model, Native(model), (*said, *compiled.findings))


def _simulated_as(release: str) -> Release:
    """The release of MuJoCo as which documents of a release are simulated: every later one as the newest."""
    return next((code for code, name in RELEASES.items() if name == release), Release.v4_0)


def report_not_simulated(document: Any, findings: Findings, **how: Any) -> None:
    """Add findings about parts of a document that act and are not simulated yet, as in `report_acting`; the
    first release has none.
    """
    if document.release != SIMULATED[0]:
        from polybody.lowering.acting import report_acting  # for later releases alone
        from polybody.lowering.mjcf.codes import NEEDS, lacks

        report_acting(document, format_of(document), findings, lacks, NEEDS, **how)


def _as_later(document: Any) -> tuple[Diagnostic, ...]:
    """What there is to say of the Model of a document of a later release; refuses parts that are not
    simulated.
    """
    findings = Findings(format="mjcf")
    report_not_simulated(document, findings)
    if findings.items:
        raise ValidationError(findings.sorted())
    if document.release not in SIMULATED:
        from polybody.document.differences import unsayable

        older, newer = sorted((document.release, SIMULATED[-1]), key=number)
        message = f"mjcf {document.release} is simulated as MuJoCo {SIMULATED[-1]}"
        if changed := unsayable(document, format_of(document), older, newer):
            message += f"; from {older} to {newer} this changed: {', '.join(map(str, changed))}"
        findings.add("PB094", document.span, message, source=document.source)
        warned.say(findings.items[-1])
    return tuple(findings.items)


def model_columns(compiled: Compiled) -> dict[str, Any]:
    """The given columns of a Model, from the compiled fields."""
    fields = compiled.columns
    columns: dict[str, Any] = {name: values for name, values in fields.items() if name in GIVEN}
    _, nv = joint_sizes(fields["jnt_type"])
    columns["tendon_springlength"] = fields["tendon_lengthspring"]
    if "key_plastic" in columns:
        columns["key_plastic"] = np.nan_to_num(columns["key_plastic"])  # of what is not given, see _begun()
    columns["dof_stiffness"] = np.repeat(fields["jnt_stiffness"], nv)
    scalar = np.repeat(fields["jnt_type"] >= JointType.slide, joint_sizes(fields["jnt_type"])[0])
    columns["qpos_ref"] = np.where(scalar, fields["qpos0"], 0.0)
    for name in SIZES:
        columns[name] = fields[name].astype(np.int32)
    said = [np.atleast_1d(fields[f"statistic_{name}"]) for name in STATISTICS]
    which = sum(1 << bit for bit, values in enumerate(said) if not np.isnan(values).any())
    columns["stat_which"] = np.array(which, dtype=np.uint8)
    columns["stat_said"] = np.nan_to_num(np.concatenate(said))
    return columns


def _at_joints(compiled: Compiled, problems: Sequence[Problem]) -> list[Problem]:
    """Problems of degrees of freedom as those of their joints, each once."""
    types, names = compiled.columns["jnt_type"], compiled.names["joint"]
    owners = np.repeat(np.arange(len(types)), joint_sizes(types)[1]).tolist()
    found = []
    for each in problems:
        if each.kind == "dof":
            joint = owners[each.row]
            each = each._replace(kind="joint", row=joint, name=names[joint])
        found.append(each)
    return list(dict.fromkeys(found))


def _refused(document: Node, compiled: Compiled, problems: Sequence[Problem]) -> ValidationError:
    """The problems of a Model as findings, each at the element concerned, else at the document."""
    findings, options, nodes = Findings(), getattr(document, "option", None), compiled.nodes
    for problem in _at_joints(compiled, problems):
        node, span = document, document.span
        if problem.kind == "option" and options is not None:
            node, attribute = options, GIVEN[problem.column].attribute
            span = node.attribute_span(attribute) if hasattr(node, attribute) else node.span
        elif any(found := nodes.get(problem.kind, [])[problem.row : problem.row + 1]):
            node, span = found[0], found[0].attribute_span(problem.column.partition("_")[2])
        findings.add("PB063", span, str(problem), source=node.source)
    return ValidationError(findings.items)


def _completed(model: Model, compiled: Compiled) -> Model:
    """The Model with values that depend on inertias at qpos0: springs given by time constants, servos by
    damping ratios.
    """
    model = _begun(_anchored(model), compiled)
    if not compiled.pending:
        return model
    stiffness, damping = model.dof_stiffness.copy(), model.dof_damping.copy()
    bias = model.actuator_biasprm.copy()
    for request in compiled.pending:
        if isinstance(request, SpringDamper):
            rows = np.flatnonzero(model.dof_jntid == request.joint)
            inertia = len(rows) / float(model.dof_invweight0[rows].sum())
            stiffness[rows] = inertia / (request.timeconst**2 * request.dampratio**2)
            damping[rows] = 2 * inertia / request.timeconst
        elif isinstance(request, DampRatio):
            mass = _moved(model, request.actuator)
            bias[request.actuator, 2] = -2 * request.ratio * np.sqrt(-bias[request.actuator, 1] * mass)
    return model.replace(dof_stiffness=stiffness, dof_damping=damping, actuator_biasprm=bias)


def _with_ranges(model: Model, request: LengthRange, document: Node, nodes: list[Any]) -> Model:
    """The Model with the length ranges that are determined by simulation."""
    from polybody.engine.length_ranges import Search, length_range  # by simulation

    search = Search(*[float(request.values[name]) for name in Search._fields])
    found, findings = model.actuator_lengthrange.copy(), Findings()
    for actuator in request.actuators:
        try:
            found[actuator] = length_range(model, actuator, search)
        except ModelError as error:
            span = nodes[actuator].span if nodes[actuator] is not None else document.span
            findings.add("PB063", span, str(error.problems[0]), source=document.source)
    if findings.items:
        raise ValidationError(findings.items)
    return model.replace(actuator_lengthrange=found)


def _begun(model: Model, compiled: Compiled) -> Model:
    """The Model with the rest of springs at the beginning, where keyframes do not give another one."""
    missing = np.isnan(compiled.columns.get("key_plastic", np.zeros((0, 0))))
    if not missing.any():
        return model
    return model.replace(key_plastic=np.where(missing, initial_plastic(model), model.key_plastic))


def _anchored(model: Model) -> Model:
    """The Model with the data of equality constraints between bodies that depend on poses at qpos0.

    The anchor of a connect constraint in the second body follows from that in the first. A weld without
    explicit relative pose keeps that of qpos0; its anchor is in the second body.
    """
    data = model.eq_data.copy()
    bodies = model.eq_objtype == ObjectType.BODY
    at = reference(model) if bodies.any() else None
    for row in np.flatnonzero(bodies).tolist():
        assert at is not None
        one, other = int(model.eq_obj1id[row]), int(model.eq_obj2id[row])
        if model.eq_type[row] == EqualityType.connect:
            data[row, 3:6] = _within(at, other, _outside(at, one, data[row, :3]))
        elif model.eq_type[row] == EqualityType.weld and data[row, 6:10].any():
            data[row, 6:10] = unit(data[row, 6:10])
        elif model.eq_type[row] == EqualityType.weld:
            data[row, 3:6] = _within(at, one, _outside(at, other, data[row, :3]))
            data[row, 6:10] = product(conjugate(at["xquat"][one]), at["xquat"][other])
    return model if np.array_equal(data, model.eq_data) else model.replace(eq_data=data)


def _outside(at: Reference, body: int, point: Reals) -> Reals:
    """World coordinates (3,) of a point of a body."""
    found: Reals = at["xpos"][body] + at["xmat"][body] @ point
    return found


def _within(at: Reference, body: int, point: Reals) -> Reals:
    """Coordinates (3,) in a body's frame of a point in the world."""
    found: Reals = at["xmat"][body].T @ (point - at["xpos"][body])
    return found


def _moved(model: Model, actuator: int) -> float:
    """The inertia that an actuator moves, at its transmission, at qpos0. As of MuJoCo 3.2.7, the sum over
    degrees of freedom of M0 over the squared moment; as of 4.0, that of the mechanism, or 0 if it does not
    move. That of an orientation servo follows from the mean of the accelerations about three axes.
    """
    first, count = int(model.actuator_outadr[actuator]), int(model.actuator_outnum[actuator])
    moment = transmissions(model)[0][first]
    if model.opt_release == RELEASES[Release.v4_0]:
        acceleration = float(moved_by(model, transmissions(model)[0][first : first + count]).mean())
        return 1 / acceleration if acceleration > SHORTEST else 0.0
    square = np.square(moment)
    moved = square > SHORTEST
    return float((model.dof_M0[moved] / square[moved]).sum())
