"""Joints: limits, axes and references, and the columns per degree of freedom and per coordinate."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from polybody.assembly.columns import DOUBLE, INTEGER, numbers
from polybody.generated.formats.mjcf import Automatic, JointType
from polybody.lowering.mjcf.columns import polynomials, split
from polybody.lowering.mjcf.elements import Body, Element
from polybody.lowering.mjcf.keyframes import NQ, NV
from polybody.lowering.mjcf.poses import EPS, NoDirectionError, composed, normalised, rotated
from polybody.lowering.mjcf.problems import Problems
from polybody.rotations.poses import ORIGIN, Vector

SCALAR = (JointType.HINGE, JointType.SLIDE)
Z: Vector = (0.0, 0.0, 1.0)


def limited(element: Element, name: str, flag: str, problems: Problems) -> bool:
    """Whether a range is active: as given by the flag or, if that is automatic, if it is ascending."""
    wanted, (low, high) = element.values[flag], element.values[name]
    if wanted is Automatic.AUTO:
        if not element.settings.autolimits and (low or high):
            message = f"`{name}` without `{flag}`, which is required if `autolimits` is false"
            problems.add(element.node, message, name)
        return bool(low < high)
    return wanted is Automatic.TRUE


def upwards(element: Element, name: str, problems: Problems) -> None:
    """Check that an active range is ascending."""
    low, high = element.values[name]
    if low >= high:
        problems.add(element.node, f"`{name}` from {low:g} to {high:g} is empty", name)


def compile_joint(joint: Element, problems: Problems) -> None:
    """Convert a joint to radians and into its body's frame."""
    values = joint.values
    kind, degrees = values["type"], joint.settings.degrees
    split(values, "stiffness", "damping")
    if any(values["springdamper"]) and min(values["springdamper"]) <= 0:
        problems.add(joint.node, "both numbers of `springdamper` must be positive", "springdamper")
    _yields(joint, kind, degrees, problems)
    if kind is JointType.FREE:
        values["is_limited"] = False
    else:
        values["is_limited"] = limited(joint, "range", "limited", problems)
    if values["is_limited"]:
        _limits(joint, kind, degrees, problems)
    values["force_limited"] = False
    if kind in SCALAR:
        values["force_limited"] = limited(joint, "actuatorfrcrange", "actuatorfrclimited", problems)
        if values["force_limited"]:
            upwards(joint, "actuatorfrcrange", problems)
    if kind is JointType.FREE:
        values["pos"], values["axis"] = ORIGIN, Z
        return
    try:
        place, turn = joint.place()
    except NoDirectionError as error:
        problems.add(joint.node, f"{error} of the surrounding frame has zero length")
        return
    values["pos"] = composed((place, turn), (values["pos"], (1.0, 0.0, 0.0, 0.0)))[0]
    if kind is JointType.BALL:
        values["axis"] = Z
    else:
        values["axis"], length = normalised(rotated(values["axis"], turn))
        if length < EPS:
            problems.add(joint.node, "`axis` has zero length", "axis")
    if kind is JointType.HINGE and degrees:
        values["ref"] *= pi / 180
        values["springref"] *= pi / 180


def _yields(joint: Element, kind: JointType, degrees: bool, problems: Problems) -> None:
    """Convert the threshold of a spring that yields to radians."""
    threshold = joint.values.get("springyield", 0.0)
    if threshold > 0 and kind is JointType.FREE:
        problems.add(joint.node, "the spring of a free joint cannot have a `springyield`", "springyield")
    if threshold > 0 and degrees and kind in (JointType.HINGE, JointType.BALL):
        joint.values["springyield"] = threshold * (pi / 180)


def _limits(joint: Element, kind: JointType, degrees: bool, problems: Problems) -> None:
    low, high = joint.values["range"]
    if kind is JointType.BALL:
        if low != 0:
            problems.add(joint.node, f"the range of a ball joint must begin at 0, not at {low:g}", "range")
    else:
        upwards(joint, "range", problems)
    if degrees and kind is not JointType.SLIDE:
        joint.values["range"] = (low * (pi / 180), high * (pi / 180))


def reference(body: Body, joint: Element) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The initial coordinates of a joint, and the rest position of its springs."""
    kind = joint.values["type"]
    if kind is JointType.FREE:
        start: tuple[float, ...] = (*body.pos, *body.quat)
        return start, start
    if kind is JointType.BALL:
        return (1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    return (joint.values["ref"],), (joint.values["springref"],)


def along_dofs(joints: list[Element]) -> dict[str, Any]:
    """The columns with one row per degree of freedom."""
    owners = [row for row, joint in enumerate(joints) for _ in range(NV[joint.values["type"]])]
    rows = np.array(owners, dtype=INTEGER)
    columns: dict[str, Any] = {}
    for column, name, width in (
        ("dof_solref", "solreffriction", 2),
        ("dof_solimp", "solimpfriction", 5),
        ("dof_frictionloss", "frictionloss", 0),
        ("dof_armature", "armature", 0),
        ("dof_damping", "damping", 0),
    ):
        columns[column] = numbers([joint.values[name] for joint in joints], width, DOUBLE)[rows]
    for column, values in polynomials(joints, damping="dof_dampingpoly").items():
        columns[column] = values[rows]
    return columns


def sizes(joints: list[Element]) -> tuple[int, int]:
    """The numbers of coordinates and degrees of freedom."""
    kinds: list[Any] = [joint.values["type"] for joint in joints]
    return sum(NQ[kind] for kind in kinds), sum(NV[kind] for kind in kinds)
