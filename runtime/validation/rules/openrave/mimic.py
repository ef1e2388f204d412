"""Formulas of joints that follow others, and the given derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any

from polybody.base import Span
from polybody.base.written import writes
from polybody.document.parser.value_faults import clip
from polybody.formulas import (
    Formula,
    FormulaError,
    Names,
    NoDerivative,
    NoValue,
    Partials,
    Variable,
    Work,
    derivative,
    evaluate,
    joints_of,
    parse,
    parse_partials,
    show,
)
from polybody.generated.formats.openrave.tables import FORMAT
from polybody.suggest import did_you_mean
from polybody.validation.rules.openrave.bodies import is_number
from polybody.validation.scene import At, Scene

AXES = ("", "0", "1", "2")
ATTRIBUTES = frozenset(
    ("mimic", *(f"mimic_{kind}{axis}" for kind in ("pos", "vel", "accel") for axis in AXES))
)
"""The attributes that make a joint follow others."""
POINTS = (0.31, -0.47, 0.83, 1.29, -1.13)
MANY = 32
"""Maximum number of joints in a formula for which derivatives are formed: each takes the time of the whole
formula.
"""
LONGEST_HINT = 500
"""Maximum number of characters of a derivative that is shown."""
NEAR = 2e-3
"""Tolerance of a given derivative: files contain numbers such as `0.33333`."""


class Joints(Names):
    """The names that formulas can use: the known ones, and any that an unread file may contain."""

    def __init__(self, may_have: Callable[[str], bool], lost: set[str]) -> None:
        super().__init__(())
        self.may_have, self.lost = may_have, lost

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.known or name in self.lost or self.may_have(name))


DOFS = {kind: FORMAT.joint_size(kind)[1] for kind in FORMAT.sequences}
SEVERAL = tuple(kind for kind, count in DOFS.items() if count != 1)
POSITIONS = frozenset(("mimic", *(f"mimic_pos{axis}" for axis in AXES)))


def dofs(joint: Any) -> int:
    """Number of velocities of a joint."""
    return DOFS[joint.type] if joint.type in SEVERAL else 1


def follows(joint: Any) -> bool:
    """Whether a joint's values depend on those of others."""
    return writes(joint, POSITIONS)


def has_formulas(joint: Any) -> bool:
    """Whether a joint has attributes of formulas."""
    return writes(joint, ATTRIBUTES)


def free(joint: Any) -> int:
    """Number of independent velocities of a joint."""
    return 0 if joint.enable is False or follows(joint) else dofs(joint)


def check(joint: Any, names: Joints, work: Work, scene: Scene) -> list[tuple[str, str]]:
    """Report faults of the formulas of one joint; returns pairs of an attribute and the joint that it makes
    this one follow.
    """
    followed = _former(joint, names, scene)
    for axis in AXES:
        position = _read(joint, f"mimic_pos{axis}", names, scene, parse)
        velocity = _read(joint, f"mimic_vel{axis}", names, scene, parse_partials)
        acceleration = _read(joint, f"mimic_accel{axis}", names, scene, parse_partials)
        if axis and int(axis) >= dofs(joint) and (position or velocity or acceleration):
            message = f"the joint has no degree of freedom {axis}; they are counted from 0"
            _add(scene, "PB027", joint, (f"mimic_pos{axis}", f"mimic_vel{axis}"), message)
        if position is None:
            continue
        used = joints_of(position)
        followed += [(f"mimic_pos{axis}", variable.joint) for variable in used]
        if velocity is None and getattr(joint, f"mimic_vel{axis}") is None and used:
            message = f"`mimic_pos{axis}` without `mimic_vel{axis}`: readers use a velocity of 0"
            text = " ".join(f"|{variable.joint} {slope}" for variable, slope in _slopes(position, used, work))
            short = 0 < len(text) <= LONGEST_HINT
            _add(scene, "PB028", joint, (f"mimic_pos{axis}",), message, f"`{text}`" if short else None)
        if velocity is not None:
            _compare(joint, f"mimic_vel{axis}", velocity, position, used, work, scene)
        if acceleration is not None:
            _compare(joint, f"mimic_accel{axis}", acceleration, position, used, work, scene, order=2)
    return followed


def _former(joint: Any, names: Joints, scene: Scene) -> list[tuple[str, str]]:
    """The joint of the former notation: a joint, a factor and an offset."""
    if joint.mimic is None:
        return []
    name, *numbers = joint.mimic.split() or [""]
    if len(numbers) != 2 or not all(map(is_number, numbers)):
        message = "`mimic` must be the name of a joint, a factor and an offset"
        _add(scene, "PB057", joint, ("mimic",), message, "write `mimic_pos` and `mimic_vel`")
    if name not in names:
        message = f"`mimic`: there is no joint `{clip(name)}`"
        _add(scene, "PB057", joint, ("mimic",), message, did_you_mean(name, names.known))
    return [("mimic", name)]


def _slopes(position: Formula, used: Collection[Variable], work: Work) -> list[tuple[Variable, str]]:
    if len(used) > MANY:
        return []
    try:
        return [(variable, show(derivative(position, variable, work))) for variable in used]
    except NoDerivative:
        return []


def _read(joint: Any, name: str, names: Joints, scene: Scene, how: Any) -> Any:
    text = getattr(joint, name)
    if text is None:
        return None
    try:
        return how(text, names)
    except FormulaError as error:
        message = f"`{name}`, column {error.column + 1}: {error.message}"
        at = At(_inside(joint, name, error.column), f"/@{name}")
        scene.report("PB057", joint, None, message, error.hint, at=at)
        return None


def _inside(joint: Any, name: str, column: int) -> Span | None:
    """The position of a column of an attribute's value."""
    span: Span | None = joint.attribute_span(name)
    if span is None or joint.source is None or span.line != span.end_line:
        return span
    written = joint.source.line(span.line)[span.column - 1 : span.end_column - 1]
    quote = min((place for place in map(written.find, "\"'") if place >= 0), default=-1)
    if quote < 0 or "&" in written:
        return span
    start = span.column + quote + 1 + column
    return Span(span.path, span.line, start, span.line, start + 1)


def _compare(
    joint: Any,
    name: str,
    given: Partials,
    position: Formula,
    used: Collection[Variable],
    work: Work,
    scene: Scene,
    order: int = 1,
) -> None:
    """Compare given partial derivatives with those of the formula, by value at some points."""
    listed = dict(given.partials)
    for variable in listed:
        if variable not in used:
            message = (
                f"`{name}` has a derivative with respect to `{variable.joint}`, on which "
                "the position does not depend"
            )
            _add(scene, "PB058", joint, (name,), message)
    for variable in used:
        if variable not in listed:
            message = f"`{name}` has no derivative with respect to `{variable.joint}`; readers use 0"
            _add(scene, "PB058", joint, (name,), message)
            continue
        if len(used) > MANY:
            continue
        try:
            slopes = [derivative(position, variable, work)]
            for _ in range(order - 1):
                slopes.append(derivative(slopes[-1], variable, work))
            # OpenRAVE's reader uses the values for accelerations as their factors, which are first
            # derivatives; its documentation describes second derivatives. Files have either.
            slope = slopes[-1]
            if all(_differ(Formula(listed[variable], given.definitions), each, used) for each in slopes):
                message = f"`{name}` of `{variable.joint}` is not the derivative of the position"
                text = show(slope)
                short = len(text) <= LONGEST_HINT
                _add(
                    scene, "PB058", joint, (name,), message, f"the derivative is `{text}`" if short else None
                )
        except (NoDerivative, NoValue):
            continue


def _differ(given: Formula, exact: Formula, used: Collection[Variable]) -> bool:
    variables = {**joints_of(given), **joints_of(exact), **dict.fromkeys(used)}
    for shift in range(len(POINTS)):
        at = {v: POINTS[(place + shift) % len(POINTS)] for place, v in enumerate(variables)}
        a, b = evaluate(given, at), evaluate(exact, at)
        if math.isfinite(a) and math.isfinite(b) and abs(a - b) > NEAR * max(1.0, abs(b)):
            return True
    return False


def _add(
    scene: Scene, code: str, joint: Any, names: tuple[str, ...], message: str, hint: str | None = None
) -> None:
    """A finding at the first of some attributes that is given."""
    name = next((name for name in names if getattr(joint, name) is not None), names[0])
    scene.report(code, joint, name, message, hint)
