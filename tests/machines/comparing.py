"""Differences between a machine's columns and the reference, relative to the scale of each column.

Most columns are sums, of which much may cancel: the centre of a symmetric robot, the moment about it, the
bias force of a joint without load. Rounding is relative to the terms. So the scale of a column is the largest
number among the columns of its kind at that instant, such as all joint forces, which have its terms' units.
Forces of constraints that press against each other count one by one. The scale has a lower bound, for a robot
at rest: 1 m, 1 mm/s, the acceleration of gravity, the weight of a gram per kilogram.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import polybody as pb
from polybody.generated.model import Stage

from .instants import MOVED, Array, Columns, State, at, compared, evaluated, random_state, reference
from .movers import DOUBLE, KINDS, SINGLE, Kind, Machine, Single

TURNS = (*("xquat", "xmat", "ximat", "geom_xmat", "site_xmat", "cam_xmat"), "xaxis", "light_xdir")
PLACES = (
    *("xpos", "xipos", "subtree_com", "xanchor", "geom_xpos", "site_xpos", "cam_xpos", "light_xpos"),
    *("flexvert_xpos", "flexedge_length", "ten_length", "actuator_length", "qpos"),
)
RATES = ("cvel", "subtree_linvel", "flexedge_velocity", "ten_velocity", "actuator_velocity", "qvel")
ACCELERATIONS = ("cacc", "qacc", "qacc_warmstart")
FORCES = ("cfrc_int", "cfrc_ext")
JOINT_FORCES = (
    *(
        "qfrc_bias",
        "qfrc_passive",
        "qfrc_spring",
        "qfrc_damper",
        "qfrc_fluid",
        "qfrc_gravcomp",
        "qfrc_element",
    ),
    *("qfrc_actuator", "qfrc_smooth", "qfrc_constraint", "actuator_force"),
)
ACTIVATIONS = ("act_dot", "act")
INERTIAS = ("cinert", "crb")
AMPLIFIED = (*ACCELERATIONS, *FORCES, "qfrc_constraint", "qvel", "qpos", "act")
"""Columns that follow from accelerations; qvel, qpos and act are those after a step."""
LIMITS = {DOUBLE: (1e-12, 1e-9), SINGLE: (2e-5, 2e-3)}
"""The largest differences that count as rounding: of most columns, and of those of AMPLIFIED.

The latter limits are for a condition up to CONDITION, and grow in proportion to it.
"""
CONDITION = {DOUBLE: 1e6, SINGLE: 1e3}


def terms(data: pb.Data) -> tuple[float, float, float]:
    """Of constraints: the sum of the sizes of their forces, and the largest joint force and acceleration that
    these would cause if they did not cancel.
    """
    sizes = np.abs(data.efc_force)
    joint = np.abs(data.efc_J).T @ sizes if sizes.size else np.zeros(1)
    freely = joint / np.diag(data.qM) if sizes.size else joint
    return float(sizes.sum()), float(joint.max()), float(freely.max())


def scales(model: pb.Model, columns: Columns, data: pb.Data) -> dict[str, float]:
    """The scale of each column, given the simulation at this instant."""

    def largest(names: Iterable[str], least: float) -> float:
        return max([least, *(float(np.abs(columns[n]).max(initial=0.0)) for n in names if n in columns)])

    pressing, _, freely = terms(data)
    mass, gravity = float(model.body_mass.sum()), float(np.abs(model.opt.gravity).max())
    place, rate = largest(PLACES, 1.0), largest(RATES, 1e-3)
    acceleration = largest(ACCELERATIONS, max(gravity, 1.0, freely))
    force = largest(FORCES, max(1e-3 * mass * acceleration, pressing))
    joint = largest(JOINT_FORCES, 1e-3)
    momentum = max(largest(("subtree_angmom",), 0.0), mass * rate * place)
    energy = largest(("energy",), mass * (gravity * place + rate * rate))
    found = {"subtree_angmom": momentum, "energy": energy, "time": place}
    found |= {"cdof": max(1.0, place), "cdof_dot": max(1.0, place) * rate}
    found |= dict.fromkeys(INERTIAS, largest(INERTIAS, 1e-3))
    kinds = ((TURNS, 1.0), (PLACES, place), (RATES, rate), (ACCELERATIONS, acceleration), (FORCES, force))
    for names, scale in (
        *kinds,
        (JOINT_FORCES, max(joint, 1e-3 * force)),
        (ACTIVATIONS, largest(ACTIVATIONS, 1.0)),
    ):
        found |= dict.fromkeys(names, scale)
    return found


def condition(model: pb.Model, data: pb.Data) -> float:
    """The condition of the mass matrix, or of what the solver of constraints inverts where that is larger.

    Degrees of freedom are in units in which the diagonal is 1.
    """
    M = data.qM + np.diag(np.broadcast_to(model.opt_regularization, model.nv))
    matrices = [M, M + data.efc_J.T @ (data.efc_D[:, None] * data.efc_J)] if data.nefc else [M]
    units = [np.sqrt(np.diag(A)) for A in matrices]
    return max(float(np.linalg.cond(A / np.outer(d, d))) for A, d in zip(matrices, units, strict=True))


def limits(model: pb.Model, name: str, precision: str, amplified: float) -> Array:
    """The limit of a column, or of each number of sensordata, for this condition."""
    low, high = LIMITS[precision]
    high *= max(1.0, amplified / CONDITION[precision])
    if name != "sensordata":
        return np.array(high if name in AMPLIFIED else low)
    return np.repeat(np.where(model.sensor_needstage == Stage.acc, high, low), model.sensor_dim)


def of_sensors(model: pb.Model, columns: Columns, scale: dict[str, float]) -> Array:
    """The scale of each number of sensordata: of what its sensor can measure at its stage."""
    stages = {
        Stage.none: 1.0,
        Stage.pos: scale["xpos"],
        Stage.vel: max(scale["cvel"], scale["subtree_angmom"]),
        Stage.acc: max(scale["cacc"], scale["cfrc_int"], scale["qfrc_bias"]),
    }
    found = np.ones(model.nsensordata)
    for first, count, stage in zip(model.sensor_adr, model.sensor_dim, model.sensor_needstage, strict=True):
        own = np.abs(columns["sensordata"][first : first + count]).max(initial=0.0)
        found[first : first + count] = max(float(own), stages[Stage(int(stage))])
    return found


@dataclass
class Answer:
    """What was compared for a Model, and what differs.

    Attributes:
        machines: names of those that ran.
        columns: names of the columns that were compared.
        numbers: of how many numbers.
        worst: by machine, the largest difference relative to its limit, and the column where it is.
        differences: sentences, one for each machine and column.
        left_out: machines that did not run, and why.
    """

    machines: list[str] = field(default_factory=list)
    columns: set[str] = field(default_factory=set)
    numbers: int = 0
    worst: dict[str, tuple[float, str]] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


class Comparison:
    """Compares machines for one Model.

    Args:
        model: the Model.
        states: what every machine starts from.
        steps: after how many steps in one call results are compared.
    """

    def __init__(self, model: pb.Model, states: Sequence[State], steps: Sequence[int]) -> None:
        self.model, self.states, self.steps = model, states, steps
        self.answer = Answer()
        self.loops = Single(model, "loop", ())
        self.condition = max(condition(model, at(model, state)) for state in states)

    def run(self, kinds: Iterable[Kind] = KINDS) -> Answer:
        for kind in kinds:
            try:
                machine = kind.make(self.model, len(self.states))
            except pb.CompileError as error:
                self.unavailable(kind, str(error))
                continue
            self.answer.machines.append(kind.name)
            for n in self.steps:
                self.after(kind, machine, n)
        return self.answer

    def unavailable(self, kind: Kind, why: str) -> None:
        """Note a missing program. It is a fault unless the Model is too large or does not move."""
        self.answer.left_out[kind.name] = why
        if "degrees of freedom" not in why and "unrolled it would be" not in why:
            self.answer.differences.append(f"{kind.name}: {why}")

    def after(self, kind: Kind, machine: Machine, n: int) -> None:
        """Compare the results of n steps, and the state after them.

        The reference starts from the machine's own state before the last step, so that rounding is not
        amplified from step to step.
        """
        machine.start(self.states)
        machine.step(n - 1)
        begun = machine.states()
        machine.start(self.states)
        machine.step(n)
        self.loops.start(begun)
        self.loops.step(1)
        ends, looped = machine.states(), self.loops.states()
        names = compared(self.model, machine.results)
        for before, end, loop, found in zip(begun, ends, looped, machine.found(), strict=True):
            right = reference(self.model, before, kind.stages)
            # All of the scales' columns, whatever the machine computes.
            instant = at(self.model, evaluated(self.model, before, kind.stages))
            scale = scales(self.model, right | {name: loop[name] for name in MOVED}, instant)
            scale["qfrc_constraint"] = max(scale["qfrc_constraint"], terms(instant)[1])
            for name in names:
                by = of_sensors(self.model, right, scale) if name == "sensordata" else scale[name]
                self.note(kind, n, name, found[name], right[name], by)
            for name in MOVED:
                if self.model.opt_constrained or name != "qacc_warmstart":  # otherwise nothing writes it
                    self.note(kind, n, name, end[name], loop[name], scale[name])

    def note(self, kind: Kind, n: int, name: str, found: Array, right: Array, scale: Array | float) -> None:
        """Compare one column."""
        if not right.size:
            return
        self.answer.columns.add(name)
        self.answer.numbers += right.size
        found, flat = found.reshape(-1), right.reshape(-1)
        with np.errstate(invalid="ignore"):
            away = np.abs(found - flat) / scale
        away[(found == flat) | (np.isnan(found) & np.isnan(flat))] = 0.0
        away[np.isnan(away)] = np.inf
        shares = away / limits(self.model, name, kind.precision, self.condition)
        place = int(shares.argmax())
        if shares[place] >= self.answer.worst.get(kind.name, (0.0, ""))[0]:
            self.answer.worst[kind.name] = (float(shares[place]), name)
        if shares[place] > 1:
            at = ", ".join(str(int(x)) for x in np.unravel_index(place, right.shape))
            self.answer.differences.append(
                f"{kind.name}: {name}[{at}] is {found[place]:.9g} for {flat[place]:.9g} "
                f"after {n} steps, {away[place]:.1e} of its scale"
            )


def compare(
    model: pb.Model,
    seed: int = 0,
    kinds: Iterable[Kind] = KINDS,
    *,
    states: int = 2,
    steps: Sequence[int] = (1, 3),
) -> Answer:
    """Compare machines at random states of a Model, after these numbers of steps.

    Raises:
        ModelError: it cannot be stepped.
        SimulationError: a step fails.
    """
    rng = np.random.default_rng(seed)
    return Comparison(model, [random_state(model, rng) for _ in range(states)], steps).run(kinds)
