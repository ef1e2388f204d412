"""Joints as given in a document: frames, limits, formulas; their motion and its inverse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import atan2, inf, pi
from typing import TYPE_CHECKING, Any

from polybody.formulas import (
    Chain,
    Expression,
    Formula,
    FormulaError,
    Names,
    Negative,
    Number,
    Variable,
    joints_of,
    parse,
)
from polybody.generated.formats.openrave import JointType
from polybody.lowering.openrave.notes import UNUSED, Notes
from polybody.lowering.openrave.parts import Dof, JointPart, Kin, last
from polybody.lowering.openrave.poses import (
    about,
    added,
    direction,
    dot,
    exponential,
    logarithm,
    scaled,
    twist,
)
from polybody.rotations.poses import (
    IDENTITY,
    ORIGIN,
    UPRIGHT,
    Pose,
    Vector,
    conjugate,
    cross,
    product,
    turned,
)

if TYPE_CHECKING:
    from polybody.lowering.openrave.reading import Reader

UP: Vector = (0.0, 0.0, 1.0)
BOUNDS = {
    JointType.HINGE: (-pi, pi),
    JointType.UNIVERSAL: (-pi, pi),
    JointType.HINGE2: (-pi, pi),
    JointType.SLIDER: (-10.0, 10.0),
    JointType.SPHERICAL: (-inf, inf),
}
"""The default limits, rad or m."""
AXES = {
    JointType.HINGE: ("axis",),
    JointType.SLIDER: ("axis",),
    JointType.UNIVERSAL: ("axis1", "axis2"),
    JointType.HINGE2: ("axis1", "axis2"),
    JointType.SPHERICAL: (),
}


def read(reader: Reader, node: Any, scale: float) -> None:
    """Add the joint of an element. Anchors are multiplied by ``scale``."""
    notes = reader.notes
    if len(node.body) != 2:
        notes.refuse(node, f"a joint connects two bodies; this one names {len(node.body)}")
        return
    first, second = (reader.find(body, fold=True) for body in node.body)
    if first is None or second is None:
        return
    if first is second:
        notes.refuse(node, f"the joint connects the body `{first.name}` with itself")
        return
    frame = IDENTITY
    if node.offsetfrom is not None:
        link = reader.find(node.offsetfrom)
        if link is None:
            return
        frame = link.pose
    into = first.pose.inverse() @ frame
    kind = node.type or JointType.HINGE
    axes = _axes(node, kind, into, notes)
    dofs = _dofs(node, kind, axes, notes)
    anchor = ORIGIN if node.anchor is None or node.anchor.text is None else scaled(scale, node.anchor.text)
    part = JointPart(
        node,
        node.name or f"joint{len(reader.kin.joints)}",
        node.name is not None,
        kind,
        first,
        second,
        first.pose.inverse() @ second.pose,
        ORIGIN if kind is JointType.SLIDER else into.point(anchor),
        dofs,
        bool(node.circular),
        node.enable is not False,
    )
    initial = _numbers(node.initial, len(dofs), notes)
    if initial:
        part.rel = motion(part, initial).inverse() @ part.rel
    known = None if node.name is None else reader.joints.setdefault(part.name, part)
    if known is not None and known is not part and (known.indexed or part.indexed):
        notes.refuse(node, f"the joint name `{node.name}` is already used")
        return
    reader.kin.joints.append(part)
    if part.mimics:
        reader.unbound.append(part)


def _numbers(node: Any, count: int, notes: Notes) -> tuple[float, ...]:
    """The numbers of a child element; empty if there is no such child."""
    if node is None or node.text is None:
        return ()
    if len(node.text) != count:
        notes.refuse(node, f"<{node.TAG}> has {len(node.text)} numbers, not {count}")
        return ()
    found: tuple[float, ...] = node.text
    return found


def _axes(node: Any, kind: JointType, into: Pose, notes: Notes) -> list[Vector]:
    """Unit axes in the frame of the first link. They are zero for the components of a spherical joint, and
    for a slider without an axis, which does not move.
    """
    if kind is JointType.SPHERICAL:
        return [ORIGIN] * 3
    sign = 1.0 if node.lostop is None and node.histop is None else -1.0
    found = []
    for name in AXES[kind]:
        child = getattr(node, name)
        axis = None if child is None or child.text is None else direction(child.text)
        if axis is not None:
            found.append(scaled(sign, turned(into.quat, axis)))
        elif kind is JointType.HINGE:
            found.append(scaled(sign, UP))  # # in the frame of the first link, whatever `offsetfrom` is
        elif kind is JointType.SLIDER:
            notes.differs(node, "a slider without <axis> does not move, as in OpenRAVE")
            found.append(ORIGIN)
        else:
            notes.refuse(node, f"a {kind.value} joint needs <{name}>")
            found.append(UP)
    return found


def _dofs(node: Any, kind: JointType, axes: Sequence[Vector], notes: Notes) -> list[Dof]:
    bounds = _bounds(node, kind, len(axes), notes)
    dofs = []
    for place, (axis, (low, high)) in enumerate(zip(axes, bounds, strict=True)):
        dof = Dof(axis, low, high)
        still = low == high and not node.circular
        dof.fixed = still or (kind is JointType.SLIDER and axis == ORIGIN)
        if node.circular:
            dof.low, dof.high = -inf, inf
        if still and low != 0.0:
            notes.differs(node, f"a joint with equal bounds is rigid at zero, not at {low:g}, as in OpenRAVE")
        dof.text = getattr(node, f"mimic_pos{place}") or (node.mimic_pos if place == 0 else None) or ""
        if place == 0 and not dof.text and node.mimic is not None:
            dof.formula = _former(node, notes)
            dof.text = node.mimic
        dofs.append(dof)
    if kind is JointType.SPHERICAL and not all(dof.fixed for dof in dofs):
        if any(dof.high < inf or dof.low > -inf for dof in dofs):
            notes.add(UNUSED, node, "bounds of a spherical joint's rotation vector have no effect")
        for dof in dofs:
            dof.fixed, dof.low, dof.high = False, -inf, inf
    return dofs


def _bounds(node: Any, kind: JointType, count: int, notes: Notes) -> list[tuple[float, float]]:
    """Lower and upper limits, rad or m, sorted."""
    unit = 1.0 if kind is JointType.SLIDER else pi / 180
    found = [BOUNDS[kind]] * count
    child = last(node, "limits", "limitsrad", "limitsdeg")
    if child is not None and child.text:
        numbers = child.text
        if len(numbers) == 2 * count:
            factor = unit if child.TAG == "limitsdeg" else 1.0
            pairs = zip(numbers[::2], numbers[1::2], strict=True)
            return [(factor * min(pair), factor * max(pair)) for pair in pairs]
        message = f"<{child.TAG}> has {len(numbers)} numbers, not {2 * count}: it is ignored, as in OpenRAVE"
        notes.differs(child, message)
    for child, upper in ((node.lostop, False), (node.histop, True)):
        stops = () if child is None else (child.text or ())[:count]
        for place, stop in enumerate(stops):
            low, high = found[place]
            found[place] = (low, unit * stop) if upper else (unit * stop, high)
    return [(min(pair), max(pair)) for pair in found]


# --- motion -------------------------------------------------------------------------------------------------


def motion(joint: JointPart, values: Sequence[float]) -> Pose:
    """The pose between the first link and ``rel`` at values of the joint, rad or m.

    The values of a spherical joint are a rotation vector in the axes of the first link.
    """
    if joint.type is JointType.SLIDER:
        return Pose(scaled(values[0], joint.dofs[0].axis))
    if joint.type is JointType.SPHERICAL:
        turn = exponential(values)
    else:
        turn = UPRIGHT
        for dof, value in zip(joint.dofs, values, strict=True):
            turn = product(turn, about(dof.axis, value))
    x, y, z = turned(turn, joint.anchor)
    return Pose(added(joint.anchor, (-x, -y, -z)), turn)


def measured(joint: JointPart, first: Pose, second: Pose) -> tuple[float, ...]:
    """The values of a joint, rad or m, whose pose is nearest to given poses of its links."""
    found = first.inverse() @ second @ joint.rel.inverse()
    axes = [dof.axis for dof in joint.dofs]
    if joint.type is JointType.SLIDER:
        return (dot(axes[0], found.pos),)
    if joint.type is JointType.HINGE:
        return (twist(found.quat, axes[0]),)
    if joint.type is JointType.SPHERICAL:
        return logarithm(found.quat)
    return _two_angles(found.quat, axes[0], axes[1])


def _two_angles(turn: Any, one: Vector, two: Vector) -> tuple[float, float]:
    """The angles a and b for which R(one, a) R(two, b) is equal or nearest to a rotation.

    The second rotation leaves its own axis unchanged, so the image of this axis determines the first angle.
    """
    here, there = (_across(one, two), _across(one, turned(turn, two)))
    if here is None or there is None:
        return twist(turn, one), 0.0
    first = atan2(dot(one, cross(here, there)), dot(here, there))
    return first, twist(product(conjugate(about(one, first)), turn), two)


def _across(axis: Vector, vector: Vector) -> Vector | None:
    """The direction of the component of a vector that is orthogonal to a unit axis."""
    rest = added(vector, scaled(-dot(axis, vector), axis))
    return direction(rest) if dot(rest, rest) > 1e-24 else None


# --- formulas -----------------------------------------------------------------------------------------------


def _former(node: Any, notes: Notes) -> Formula | None:
    """The formula of the former syntax: a joint, a factor and an offset."""
    words = node.mimic.split()
    try:
        name, (factor, offset) = words[0], map(float, words[1:])
    except (IndexError, ValueError):
        notes.refuse(node, "`mimic` must be the name of a joint, a factor and an offset")
        return None
    return Formula(Chain(Chain(Variable(name), (("*", _number(factor)),)), (("+", _number(offset)),)))


def _number(value: float) -> Expression:
    return Number(value) if value >= 0 else Negative(Number(-value))


def bind(unbound: list[JointPart], joints: Mapping[str, JointPart], notes: Notes, kin: Kin) -> None:
    """Bind formulas to the joints that have the names in them at this point."""
    names = Names(joints)
    for part in unbound:
        for place, dof in enumerate(part.dofs):
            if dof.text and not dof.drivers:
                if kin.partial and not _is_known(dof, joints):
                    dof.text, dof.formula = "", None
                    kin.left_out += 1
                else:
                    _bind(part, place, dof, names, joints, notes)
    unbound.clear()


def _is_known(dof: Dof, joints: Mapping[str, JointPart]) -> bool:
    """Whether all joints in a formula exist."""
    try:
        formula = dof.formula or parse(dof.text, Names(joints))
    except FormulaError:
        return False
    return all(variable.joint in joints for variable in joints_of(formula))


def _bind(
    part: JointPart,
    place: int,
    dof: Dof,
    names: Names,
    joints: Mapping[str, JointPart],
    notes: Notes,
) -> None:
    if dof.formula is None:
        try:
            dof.formula = parse(dof.text, names)
        except FormulaError as error:
            notes.refuse(part.node, f"`mimic_pos`, column {error.column + 1}: {error.message}", error.hint)
            return
    for variable in joints_of(dof.formula):
        driver = joints.get(variable.joint)
        if driver is None or variable.axis >= len(driver.dofs):
            notes.refuse(part.node, f"the formula of `{part.name}`: there is no joint `{variable.joint}`")
        else:
            dof.drivers[variable] = (driver, variable.axis)
