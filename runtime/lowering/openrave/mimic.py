"""Mimic joints: their values, velocities and accelerations by formulas."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from math import factorial, inf, isfinite, nan
from typing import NamedTuple

from polybody.formulas import (
    ROOT,
    Call,
    Chain,
    Expression,
    Formula,
    Local,
    NoDerivative,
    Not,
    NoValue,
    Rooted,
    Variable,
    Work,
    derivative,
    evaluate,
    joints_of,
    rooted,
)
from polybody.formulas.expressions import walk
from polybody.lowering.openrave.notes import Notes
from polybody.lowering.openrave.parts import Dof, JointPart

HIGHEST = 4
"""The largest degree of a polynomial in an equality of a Model."""
SMOOTH = frozenset("+-*/")
Key = tuple[JointPart, int]
"""An axis: its joint, and its index in the joint."""


class Follower(NamedTuple):
    """An axis whose value is given by a formula.

    Axes are numbered over all joints: ``axis`` and ``drivers`` are such numbers.
    """

    axis: int
    formula: Formula
    drivers: Mapping[Variable, int]
    low: float
    high: float
    first: tuple[tuple[int, Formula], ...]
    """Partial derivatives, each with the axis of the derivative."""
    second: tuple[tuple[int, int, Formula], ...]
    roots: Rooted | None = None
    """The formula, if it has roots of a polynomial; then the derivatives are those of one root."""

    def value(self, values: Sequence[float]) -> float:
        """Its value, clamped to its limits, at values of all axes; NaN if the formula has no value.

        If there are several values, the first within the limits counts; if none is, the first one, clamped.
        """
        found = self.all_values(self._drivers(values))
        within = (value for value in found if self.low <= value <= self.high)
        value = next(within, found[0] if found else nan)
        return value if value != value else min(max(value, self.low), self.high)

    def rate(self, values: Sequence[float], rates: Sequence[float]) -> float:
        """Its velocity, f_i v_i."""
        at = self._of(values)
        return sum(evaluate(slope, at) * rates[axis] for axis, slope in self.first)

    def acceleration(
        self, values: Sequence[float], rates: Sequence[float], accelerations: Sequence[float]
    ) -> float:
        """Its acceleration, f_i a_i + f_ij v_i v_j."""
        at = self._of(values)
        bent = sum(evaluate(second, at) * rates[one] * rates[other] for one, other, second in self.second)
        return bent + sum(evaluate(slope, at) * accelerations[axis] for axis, slope in self.first)

    def slopes(self, values: Sequence[float]) -> tuple[float, ...]:
        """Its partial derivatives, NaN or infinite where undefined."""
        at = self._of(values)
        return tuple(evaluate(slope, at) for _, slope in self.first)

    def all_values(self, drivers: Mapping[Variable, float]) -> list[float]:
        """The values of the formula: one, or as many as there are roots."""
        if self.roots is None:
            return [evaluate(self.formula, drivers)]
        return [value for _, value in self.roots.values(drivers)]

    def _drivers(self, values: Sequence[float]) -> dict[Variable, float]:
        return {variable: values[axis] for variable, axis in self.drivers.items()}

    def _of(self, values: Sequence[float]) -> dict[Variable, float]:
        """Values of the derivatives' variables; of several roots, the one nearest to the axis's value."""
        at = self._drivers(values)
        if self.roots is not None:
            own = values[self.axis]
            found = self.roots.values(at)
            at[ROOT] = min(found, key=lambda each: abs(each[1] - own))[0] if found else nan
        return at


def followers(joints: Sequence[JointPart], axes: Mapping[Key, int], notes: Notes) -> tuple[Follower, ...]:
    """The mimic axes, each after all axes that it follows.

    Args:
        joints: the joints of one body.
        axes: the number of each axis, by the joint and its index in the joint.
        notes: receives errors about cycles, and about formulas without derivatives.
    """
    dofs = {
        (joint, place): (joint, dof)
        for joint in joints
        for place, dof in enumerate(joint.dofs)
        if dof.formula is not None and not dof.fixed
    }
    work = Work()
    found: list[Follower] = []
    for key in _ordered(dofs, notes):
        joint, dof = dofs[key]
        follower = _follower(joint, dof, axes[key], axes, work, notes)
        if follower is not None:
            found.append(follower)
    return tuple(found)


def _ordered(dofs: Mapping[Key, tuple[JointPart, Dof]], notes: Notes) -> list[Key]:
    """The keys of mimic axes, each after those it depends on."""
    done: dict[Key, bool] = {}
    found = []
    for start in dofs:
        todo = [(start, False)]
        while todo:
            key, closed = todo.pop()
            if closed:
                done[key] = True
                found.append(key)
            elif key not in done:
                done[key] = False
                todo.append((key, True))
                for driver, place in dofs[key][1].drivers.values():
                    below = (driver, place)
                    if below in dofs and done.get(below) is False:
                        joint = dofs[key][0]
                        notes.refuse(joint.node, f"the joint `{joint.name}` follows itself")
                    elif below in dofs:
                        todo.append((below, False))
    return found


def _follower(
    joint: JointPart,
    dof: Dof,
    axis: int,
    axes: Mapping[Key, int],
    work: Work,
    notes: Notes,
) -> Follower | None:
    formula = dof.formula
    assert formula is not None
    drivers = {
        variable: axes[driver, place]
        for variable, (driver, place) in dof.drivers.items()
        if not driver.dofs[place].fixed
    }
    still = {variable: axes[driver, place] for variable, (driver, place) in dof.drivers.items()}
    try:
        roots = rooted(formula)
        if roots is None:
            evaluate(formula, dict.fromkeys(still, 0.5))
        else:
            roots.root()
        moving = formula if roots is None else roots.value

        def slope_of(what: Formula, by: Variable) -> Formula:
            return derivative(what, by, work) if roots is None else roots.slope(what, by, work)

        first = [(variable, slope_of(moving, variable)) for variable in drivers]
        second = tuple(
            (drivers[one], drivers[other], second)
            for one, slope in first
            for other in drivers
            if joints_of(second := slope_of(slope, other)) or evaluate(second, {}) != 0
        )
    except (NoValue, NoDerivative) as error:
        notes.refuse(joint.node, f"the formula of `{joint.name}`: {error}")
        return None
    except KeyError:
        return None  # # an unknown joint; reported elsewhere
    return Follower(
        axis,
        formula,
        still,
        dof.low,
        dof.high,
        tuple((drivers[variable], slope) for variable, slope in first),
        second,
        roots,
    )


def evaluated(rows: Sequence[Follower], values: MutableSequence[float]) -> None:
    """Compute the values of all mimic axes from the other values, in place."""
    for row in rows:
        values[row.axis] = row.value(values)


def polynomial(formula: Formula, work: Work | None = None) -> list[float] | None:
    """The coefficients of a formula that is a polynomial of one joint, the constant first.

    None for other formulas: of several joints, of too high a degree, with steps or functions.
    """
    used = joints_of(formula)
    if len(used) > 1 or not _is_smooth(formula):
        return None
    variable = next(iter(used), None)
    coefficients = []
    slope = formula
    work = work or Work()
    for degree in range(HIGHEST + 2):
        at = evaluate(slope, {} if variable is None else {variable: 0.0})
        if not isfinite(at):
            return None
        coefficients.append(at / factorial(degree))
        if variable is None or not joints_of(slope):
            return coefficients if len(coefficients) <= HIGHEST + 1 else None
        try:
            slope = derivative(slope, variable, work)
        except NoDerivative:
            return None
    return None


def _is_smooth(formula: Formula) -> bool:
    """Whether a formula has no steps: it consists of sums, products and powers only."""
    return all(
        _is_arithmetic(node)
        for part in (formula.value, *(value for _, value in formula.definitions))
        for node in walk(part)
    )


def _is_arithmetic(node: Expression) -> bool:
    if isinstance(node, Chain):
        return all(operator in SMOOTH for operator, _ in node.rest)
    return not isinstance(node, (Call, Not, Local))


def exceeds_bounds(row: Follower, ranges: Mapping[int, tuple[float, float]]) -> bool:
    """Whether a formula is outside its axis's limits at a corner of the ranges of axes that it follows."""
    corners: list[dict[Variable, float]] = [{}]
    for variable, axis in list(row.drivers.items())[:8]:
        low, high = ranges.get(axis, (-inf, inf))
        ends = {end for end in (low, high) if isfinite(end)}
        if not ends:
            return False
        corners = [corner | {variable: end} for corner in corners for end in ends]
    if len(row.drivers) > 8:
        return False
    near = 1e-9
    for corner in corners:
        values = row.all_values(corner)
        if values and not any(row.low - near <= value <= row.high + near for value in values):
            return True
    return False
