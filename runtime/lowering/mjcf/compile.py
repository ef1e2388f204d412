"""From a document to the columns of a Model: the order of all steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from polybody.assembly.columns import Columns
from polybody.base import Node
from polybody.diagnostics import Diagnostic, Findings, Policy, ValidationError
from polybody.document.registry import format_of
from polybody.lowering.mjcf import keyframes
from polybody.lowering.mjcf.actuators import actuator_columns, compile_actuator, damping_ratios
from polybody.lowering.mjcf.assets import asset_columns
from polybody.lowering.mjcf.body_columns import tree_columns
from polybody.lowering.mjcf.columns import user_widths
from polybody.lowering.mjcf.constraints import constraint_columns, sort_contacts
from polybody.lowering.mjcf.custom import custom_columns
from polybody.lowering.mjcf.discard import discard_looks, discard_shapes, discard_visual
from polybody.lowering.mjcf.elements import LISTS, TREE_KINDS, Element, Spec, Values, names_of
from polybody.lowering.mjcf.flexes import compile_flexes, flex_columns
from polybody.lowering.mjcf.fusing import fuse_each_static, fuse_static
from polybody.lowering.mjcf.integers import large_integers
from polybody.lowering.mjcf.joints import sizes
from polybody.lowering.mjcf.length_ranges import asked_lengths
from polybody.lowering.mjcf.numbering import Numbered
from polybody.lowering.mjcf.options import option_columns, size_columns, statistic_columns, visual_columns
from polybody.lowering.mjcf.plugins import compile_plugins, plugin_columns
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.reading import Reader
from polybody.lowering.mjcf.scaling import scale_frames
from polybody.lowering.mjcf.sensors import compile_sensor, sensor_columns
from polybody.lowering.mjcf.shapes import Shapes
from polybody.lowering.mjcf.tendons import compile_tendon, tendon_columns
from polybody.lowering.mjcf.tree import check_mass, compile_tree, set_total_mass
from polybody.lowering.mjcf.values import compiled_as, since


class SpringDamper(NamedTuple):
    """Stiffness and damping of a joint that depend on its inertia at qpos0."""

    joint: int
    timeconst: float
    dampratio: float


class DampRatio(NamedTuple):
    """The velocity gain of a servo that depends on the inertia it moves: biasprm[2] contains the ratio."""

    actuator: int
    ratio: float


class LengthRange(NamedTuple):
    """Length ranges of actuators, by index, that are determined by simulation."""

    actuators: tuple[int, ...]
    values: Values
    """The values of `lengthrange` in `compiler`: parameters of the simulation."""


Request = SpringDamper | DampRatio | LengthRange


class Compiled(NamedTuple):
    """The meaning of an MJCF document, before a Model is created."""

    name: str
    columns: Columns
    """Every field that is not computed from others, by MuJoCo's name, shape and type; `opt_*`, `vis_*` and
    `statistic_*` (NaN if not given) with one row, and the sizes `nuserdata`, `njmax`, `nconmax`, `nstack` and
    `memory` (-1 if not given). Anchors of equalities are in `eq_data` as given.
    """
    names: Mapping[str, tuple[str, ...]]
    """The names of the rows of each kind; "" for unnamed rows."""
    nodes: Mapping[str, list[Any]]
    """The elements of the rows of each kind."""
    pending: tuple[Request, ...]
    """Steps that require inertias, in this order."""
    findings: tuple[Diagnostic, ...]
    """Findings about elements without effect; no errors."""


def compile_document(document: Node, policy: Policy = "warn") -> Compiled:
    """Compile an MJCF document.

    Args:
        document: as read by ``polybody.read``, or made in Python.
        policy: what counts as an error among the findings.

    Raises:
        ValidationError: no Model can be created; has every reason that was found, with its location.
    """
    problems = Problems(Findings(policy))
    with compiled_as(format_of(document)), np.errstate(all="ignore"):  # a Model rejects what is not finite
        compiled = _compile(document, problems)
    if compiled is None or problems.failed:
        raise ValidationError(problems.findings.sorted())
    return compiled._replace(findings=tuple(problems.findings.sorted()))


def _compile(document: Node, problems: Problems) -> Compiled | None:
    reader = Reader(document, problems)
    spec = reader.read()
    size = dict(reader.merged("size"))
    for kind, values in (("size", size), ("option", dict(reader.merged("option")))):
        for section in reader.sections.get(kind, [])[-1:]:
            problems.counted(kind, section, values)
    settings = spec.settings.values
    keyframes.asked_for(spec, size["nkey"])
    if problems.failed:
        return None
    numbered = Numbered(spec, problems)
    numbered.check_names()
    numbered.widths = user_widths(numbered.elements, size, problems)
    simplified = since("3.16.0")  # before anything else is compiled
    if settings["discardvisual"] and not simplified:
        discard_looks(spec)
    if simplified:
        scale_frames(spec, problems)
        numbered.number()
    shapes = Shapes(spec, problems)
    if not compile_tree(spec, shapes, problems):
        return None
    if simplified:
        _simplify(numbered, reader)
    compile_flexes(numbered, spec)
    compile_plugins(numbered, spec)
    _compile_lists(numbered, spec)
    lengths, unknown = asked_lengths(numbered, reader)
    if settings["discardvisual"] and not simplified:
        discard_shapes(spec)
        numbered.number()
    if settings["fusestatic"] and not simplified:
        fuse_static(spec, problems)
        numbered.number()
    if not problems.missing:
        check_mass(spec, problems)
    if settings["settotalmass"] > 0:
        set_total_mass(spec, settings["settotalmass"])
    try:
        columns = _columns(numbered, shapes, reader, size)
    except OverflowError:
        large_integers(numbered, reader, problems)
        return None
    pending = _pending(numbered)
    if unknown:
        pending.append(LengthRange(unknown, lengths))
    numbered.release()
    return Compiled(spec.name, columns, _names(numbered), _nodes(numbered), tuple(pending), ())


def _simplify(numbered: Numbered, reader: Reader) -> None:
    """Discard what is only visual, and fuse static bodies, as the compiler's settings ask for."""
    spec, settings = numbered.spec, numbered.spec.settings.values
    if settings["discardvisual"]:
        discard_visual(spec, numbered.problems)
    if settings["fusestatic"]:
        option = reader.merged("option")
        fuse_each_static(spec, numbered.problems, bool(option["density"] or option["viscosity"]))
    if settings["discardvisual"] or settings["fusestatic"]:
        numbered.number()


def _columns(numbered: Numbered, shapes: Shapes, reader: Reader, size: Values) -> Columns:
    spec, problems = numbered.spec, numbered.problems
    columns = option_columns(reader, problems) | statistic_columns(reader) | size_columns(size)
    columns |= visual_columns(reader)
    columns |= tree_columns(numbered, float(columns["vis_map_znear"]), shapes)
    columns |= asset_columns(numbered, shapes)
    columns |= constraint_columns(numbered) | tendon_columns(numbered) | actuator_columns(numbered)
    columns |= sensor_columns(numbered, columns["mesh_vertnum"])
    columns |= custom_columns(numbered) | flex_columns(numbered) | plugin_columns(numbered)
    columns |= keyframes.complete(spec, problems, columns["qpos0"].tolist(), _counts(numbered, columns))
    return columns


def _compile_lists(numbered: Numbered, spec: Spec) -> None:
    sort_contacts(numbered)
    for tendon in spec.lists["tendon"]:
        compile_tendon(numbered, tendon)
    for actuator in spec.lists["actuator"]:
        compile_actuator(numbered, actuator)
    for sensor in spec.lists["sensor"]:
        compile_sensor(numbered, sensor)


def _counts(numbered: Numbered, columns: Columns) -> dict[str, int]:
    """The number of elements of each field of a keyframe."""
    nq, nv = sizes(numbered.parts["joint"])
    nmocap = int(np.count_nonzero(columns["body_mocapid"] >= 0))
    na = int(columns["actuator_actnum"].sum())
    nu = sum(actuator.values["ctrlnum"] for actuator in numbered.spec.lists["actuator"])
    yielding = keyframes.yielding(numbered.parts["joint"], numbered.spec.lists["tendon"])
    found = {"qpos": nq, "qvel": nv, "act": na, "ctrl": nu, "mpos": 3 * nmocap, "mquat": 4 * nmocap}
    return found | {"plastic": sum(width for _, width in yielding)}


def _names(numbered: Numbered) -> dict[str, tuple[str, ...]]:
    found = {kind: tuple(names_of(numbered.elements(kind))) for kind in ("body", *TREE_KINDS, *LISTS)}
    return found | {"key": keyframes.names(numbered.spec)}


def _nodes(numbered: Numbered) -> dict[str, list[Any]]:
    return {kind: [e.node for e in numbered.elements(kind)] for kind in ("body", *TREE_KINDS, *LISTS)}


def _pending(numbered: Numbered) -> list[Request]:
    found: list[Request] = []
    for joint in numbered.parts["joint"]:
        constant, ratio = joint.values["springdamper"]
        if constant > 0 and ratio > 0:
            found.append(SpringDamper(joint.id, constant, ratio))
    actuators: list[Element] = numbered.spec.lists["actuator"]
    found += [DampRatio(*each) for each in damping_ratios(actuators)]
    return found
