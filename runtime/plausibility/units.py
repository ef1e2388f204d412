"""Lengths and masses, rotations, bounds and controls that seem to be in another unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import pi, radians
from typing import Any

import numpy as np
from polybody.base import Node
from polybody.base.children import found_below
from polybody.document.registry import format_of
from polybody.generated.model import BiasType, GainType, JointType, TransmissionType
from polybody.lowering.plants.units import doubts
from polybody.plausibility.doubts import Doubt, called
from polybody.plausibility.facts import Facts
from polybody.validation.angles import like_degrees, like_radians

TURN = 2 * pi
SLACK = 1e-3
FARTHEST, NONE = 2 * TURN, 1000.0
"""rad: bounds of hinges between these are not plausible; greater ones stand for none."""
DEGREES = 180 / pi
NEAR = 0.1
"""Tolerance of the ratio of a control's range to the joint's."""
MOST = 5
"""Maximum number of rotations that are reported for a document."""


def doubted(facts: Facts) -> Iterator[Doubt]:
    """Lengths and masses in another unit."""
    for body, message, hint in doubts(facts.model):
        yield Doubt(("body", body), message, hint)


def rotations(facts: Facts) -> Iterator[Doubt]:
    """Rotations in degrees where radians are read, and in MJCF the reverse."""
    find = _ROTATIONS.get(facts.format)
    if find is None or not isinstance(facts.document, Node):
        return
    for number, doubt in enumerate(find(facts.document)):
        if number == MOST:
            return
        yield doubt


def _of_urdf(document: Node) -> Iterator[Doubt]:
    for node in found_below(document, _holding(type(document), "rpy")):
        yield from _degrees(node, "rpy", node.rpy)  # type: ignore[attr-defined]


def _of_sdf(document: Node) -> Iterator[Doubt]:
    for node in found_below(document, _holding(type(document), "degrees")):
        text = getattr(node, "text", None)
        # Beside poses, positions of axes in the state of a world have `degrees`: single numbers.
        if isinstance(text, tuple) and len(text) == 6 and not node.degrees:  # type: ignore[attr-defined]
            yield from _degrees(node, "", text[3:], '; or write degrees="true"')


def _of_mjcf(document: Node) -> Iterator[Doubt]:
    turned = _in_radians(document)
    for node in found_below(document, _holding(type(document), "euler")):
        given: Any = node.euler  # type: ignore[attr-defined]
        if given is None:
            continue
        if turned:
            yield from _degrees(node, "euler", given, '; or write angle="degree" in <compiler>')
        elif (wrong := like_radians(given)) is not None and not any(abs(each) > TURN for each in given):
            message = f"`euler`: {wrong:g} degrees seems to be in radians"
            hint = f'in degrees it is {wrong * DEGREES:.5g}; or write angle="radian" in <compiler>'
            yield Doubt(node, message, hint, "euler")


def _in_radians(document: Any) -> bool:
    """Whether a document of MJCF has angles in radians."""
    settings = getattr(document, "compiler", None)
    return settings is not None and settings.angle is not None and settings.angle.value == "radian"


_ROTATIONS: dict[str, Callable[[Node], Iterator[Doubt]]] = {
    "urdf": _of_urdf,
    "sdf": _of_sdf,
    "mjcf": _of_mjcf,
}


def _degrees(node: Node, name: str, values: Any, otherwise: str = "") -> Iterator[Doubt]:
    """A rotation by more than a turn, which is in degrees unless an angle is a part of pi."""
    wrong = next((each for each in values or () if abs(each) > TURN + SLACK), None)
    if wrong is not None and abs(wrong) <= 720 and not any(map(_is_part_of_pi, values)):
        what = f"`{name}`" if name else f"<{node.TAG}>"
        message = f"{what}: a rotation by {wrong:g} rad is more than a turn and seems to be in degrees"
        yield Doubt(node, message, f"in radians it is {radians(wrong):.5g}{otherwise}", name)


def _is_part_of_pi(angle: float) -> bool:
    """Whether a number is a multiple of three degrees in radians, and not an integer."""
    parts = angle / (pi / 60)
    return abs(parts - round(parts)) < SLACK * 5 and abs(angle - round(angle)) > SLACK


@cache
def _holding(root: type[Node], field: str) -> dict[type, bool]:
    """The classes of a format whose elements have a field, as `found_below` needs them: with all others."""
    form = format_of(root())
    return {row.cls: field in row.cls.FIELDS for row in form.elements.values()}


def bounds(facts: Facts) -> Iterator[Doubt]:
    """Bounds of hinges beyond two turns that are neither whole turns nor so great that they mean none."""
    model = facts.model
    limited = (model.jnt_type == JointType.hinge) & (model.jnt_limited > 0)
    size = np.abs(model.jnt_range)
    odd = np.abs(size / (TURN / 2) - np.rint(size / (TURN / 2))) > SLACK
    beyond = (size > FARTHEST + SLACK) & (size < NONE) & odd
    for row in np.flatnonzero(limited & beyond.any(axis=1)).tolist():
        value = float(model.jnt_range[row][beyond[row]][0])
        if facts.format in _LIMITS_SEEN and like_degrees((value,)) is not None:
            continue  # reported by the rules of the document
        message = f"{called(model, 'joint', row)}: a bound of {value:.5g} rad is more than two turns"
        hint = f"if it is in degrees, it is {radians(value):.5g} rad; a joint without bounds needs none"
        yield Doubt(("joint", row), message, hint)


_LIMITS_SEEN = ("urdf", "mjcf")
"""Formats with rules of their own about bounds in degrees."""


def controls(facts: Facts) -> Iterator[Doubt]:
    """Controls of position servos of hinges in degrees: they are joint positions, so in radians."""
    model = facts.model
    servo = (
        (model.actuator_trntype == TransmissionType.joint)
        & (model.actuator_gaintype == GainType.fixed)
        & (model.actuator_biastype == BiasType.affine)
        & (model.actuator_gainprm[:, 0] > 0)
        & (model.actuator_biasprm[:, 1] == -model.actuator_gainprm[:, 0])
        & (model.actuator_gear[:, 0] == 1)
        & (model.actuator_ctrllimited > 0)
    )
    for row in np.flatnonzero(servo).tolist():
        joint = int(model.actuator_trnid[row, 0])
        if model.jnt_type[joint] != JointType.hinge:
            continue
        low, high = model.actuator_ctrlrange[row].tolist()
        wide, allowed = max(abs(low), abs(high)), float(np.abs(model.jnt_range[joint]).max())
        limited = model.jnt_limited[joint] and allowed > 0
        if wide > FARTHEST if not limited else abs(wide / allowed / DEGREES - 1) < NEAR:
            message = (
                f"{called(model, 'actuator', row)}: `ctrlrange` from {low:g} to {high:g} seems to be in "
            )
            message += "degrees; controls of a position servo are in radians"
            hint = f'write ctrlrange="{radians(low):.5g} {radians(high):.5g}"'
            if limited:
                hint += ', or inheritrange="1" instead'
            if limited and wide <= TURN and not _in_radians(facts.document):  # both may be meant in radians
                message = (
                    f"{called(model, 'actuator', row)}: `ctrlrange` from {low:g} to {high:g} is in radians, "
                    f"the same numbers of its joint's range are in degrees ({allowed:.3g} rad)"
                )
                hint = f'if both are in radians, write angle="radian" in <compiler>; if in degrees, {hint}'
            yield Doubt(("actuator", row), message, hint, "ctrlrange")
