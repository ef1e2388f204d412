"""Differences between a machine's columns and the reference, relative to what rounding may change.

Most columns are sums, of which much may cancel: the centre of a symmetric robot, the moment about it, the
bias force of a joint without load. Rounding is relative to the terms. So the scale of a column is the largest
number among the columns of its kind at that instant, such as all joint forces, which have its terms' units.
The scale has a lower bound, for a robot at rest: 1 m, 1 mm/s, gravity, the weight.

Where a difference is larger than ROUNDING of that scale, it must be shown to be rounding. The reference
alone, and the machine alone, compute again from states that differ by the last bits, the reference also with
bodies that do. Each number may differ by MULTIPLE of what it changes there, or of what the last bits of the
forces of constraints and of inertia do. So what is sensitive, such as a light body between heavy ones, or
contacts that press against each other, has limits of its own. A machine must not be much more sensitive than
the reference: in double precision its own changes count up to MAX_ALONE of the scale. Where the matrix that
the solver of constraints inverts is singular to the precision, what follows from accelerations is only
counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polybody as pb
from polybody.generated.model import Stage

from .instants import (
    MOVED,
    STATE,
    Array,
    Columns,
    State,
    at,
    compared,
    evaluated,
    random_state,
    reference,
)
from .movers import DOUBLE, KINDS, SINGLE, Kind, Machine, Single

TURNS = (*("xquat", "xmat", "ximat", "geom_xmat", "site_xmat", "cam_xmat"), "xaxis", "light_xdir")
PLACES = (
    *("xpos", "xipos", "subtree_com", "xanchor", "geom_xpos", "site_xpos", "cam_xpos", "light_xpos"),
    *("flexvert_xpos", "flexedge_length", "ten_length", "actuator_length", "qpos"),
)
RATES = ("cvel", "subtree_linvel", "flexedge_velocity", "ten_velocity", "actuator_velocity", "qvel")
ACCELERATIONS = ("cacc", "qacc", "qacc_warmstart")
FORCES = ("cfrc_int", "cfrc_ext")
JOINT_FORCES = ("qfrc_bias", "qfrc_gravcomp", "qfrc_smooth", "qfrc_constraint")
"""Joint forces that carry weights."""
DRIVING = (
    *("qfrc_passive", "qfrc_spring", "qfrc_damper", "qfrc_fluid", "qfrc_element", "qfrc_adhesion"),
    *("qfrc_actuator", "actuator_force"),
)
"""Other joint forces."""
ACTIVATIONS = ("act_dot", "act")
INERTIAS = ("cinert", "crb")
NEXT = "next "
"""Before names of columns of the state after a step."""
ROUNDING = {DOUBLE: 1e-13, SINGLE: 1e-5}
"""The largest difference, relative to a column's scale, that is not looked into."""
LAST_BITS = {DOUBLE: 2.0**-52, SINGLE: 2.0**-23}
"""The change of a state's numbers, relative to them or to 1 if they are smaller."""
TRIALS = 8
"""Number of states that differ by the last bits."""
NUDGED = ("body_mass", "body_inertia", "body_pos", "body_ipos", "geom_pos", "geom_size")
"""Columns of a Model that differ as well."""
MULTIPLE = 30.0
"""What all roundings of an evaluation may do, as a multiple of what those of its state do."""
NO_DIGITS = 0.01
"""Relative error of a solution from which it is undetermined."""
MAX_ALONE = {DOUBLE: 1e-9, SINGLE: np.inf}


def scales(model: pb.Model, columns: Columns) -> dict[str, Array | float]:
    """The scale of each column at an instant; of sensordata that of each number."""

    def largest(names: Iterable[str], least: float) -> float:
        known = [name for each in names for name in (each, NEXT + each) if name in columns]
        return max([least, *(float(np.abs(columns[name]).max(initial=0.0)) for name in known)])

    mass, gravity = float(model.body_mass.sum()), float(np.abs(model.opt.gravity).max())
    acceleration = largest(ACCELERATIONS, max(gravity, 1.0))
    rate = largest(RATES, max(1e-3, model.opt.timestep * acceleration))
    place = largest(PLACES, max(1.0, model.opt.timestep * rate))
    force = largest(FORCES, mass * acceleration)
    momentum = max(largest(("subtree_angmom",), 0.0), mass * rate * place)
    energy = largest(("energy",), mass * (gravity * place + rate * rate))
    found: dict[str, Array | float] = {"subtree_angmom": momentum, "energy": energy, "time": place}
    found |= {"cdof": max(1.0, place), "cdof_dot": max(1.0, place) * rate}
    for names, scale in (
        *((TURNS, 1.0), (PLACES, place), (RATES, rate), (ACCELERATIONS, acceleration), (FORCES, force)),
        (JOINT_FORCES, largest(JOINT_FORCES, max(1e-3, force))),
        (DRIVING, largest(DRIVING, 1e-3)),
        (ACTIVATIONS, largest(ACTIVATIONS, 1.0)),
        (INERTIAS, largest(INERTIAS, 1e-3)),
    ):
        found |= dict.fromkeys(names, scale)
    found |= {NEXT + name: found[name] for name in MOVED}
    found["sensordata"] = of_sensors(model, columns, found)
    return found


def of_sensors(model: pb.Model, columns: Columns, scale: Mapping[str, Any]) -> Array:
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
        rounding: differences that were shown to be rounding, by machine and column: the difference, and what
            the last bits of the state change, both relative to the column's scale.
        undetermined: the machines and columns that were not compared at some instants.
        differences: sentences, one for each machine and column.
        left_out: machines that did not run, and why.
    """

    machines: list[str] = field(default_factory=list)
    columns: set[str] = field(default_factory=set)
    numbers: int = 0
    worst: dict[str, tuple[float, str]] = field(default_factory=dict)
    rounding: dict[str, tuple[float, float]] = field(default_factory=dict)
    undetermined: set[str] = field(default_factory=set)
    differences: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


class Instant:
    """What is right for a step from a state, by the loops and `forward` alone: `right`, its results, and the
    columns of the state after it, whose names begin with NEXT; and their scales, `scale`.

    Args:
        model: the Model.
        begun: the state from which the step starts.
        stages: whether results belong to the stages of a step.
    """

    def __init__(self, model: pb.Model, begun: State, stages: bool) -> None:
        self.model, self.begun, self.stages = model, begun, stages
        self.right = self._after(model, begun)
        self.scale = scales(model, self.right)
        self._changes: dict[float, Columns] = {}
        self._condition = 1.0

    def _after(self, model: pb.Model, state: State) -> Columns:
        loops = Single(model, "loop", ())
        loops.start([state])
        loops.step(1)
        return reference(model, state, self.stages) | moved(model, loops.states()[0])

    def changes(self, amount: float) -> Columns:
        """The largest change of each number if those of the state and of bodies change by an amount."""
        if amount not in self._changes:
            cases = zip(alike(self.model, amount), besides(self.begun, amount), strict=True)
            trials = [self._after(model, state) for model, state in cases]
            changes, adding = largest_changes(self.right, trials), self._adding()
            changes |= {name: np.fmax(changes[name], amount * x) for name, x in adding.items()}
            if amount * self._condition > NO_DIGITS:
                changes |= {name: np.full_like(changes[name], np.inf) for name in (*adding, "sensordata")}
            self._changes[amount] = changes
        return self._changes[amount]

    def _adding(self) -> dict[str, Array | float]:
        """What forces of constraints and of inertia cause if each acts where it adds to the others."""
        data, h = at(self.model, evaluated(self.model, self.begun, self.stages)), self.model.opt.timestep
        M = data.qM + np.diag(np.broadcast_to(self.model.opt_regularization, self.model.nv))
        sizes = np.abs(data.efc_force)
        pressing = np.abs(data.efc_J).T @ sizes if data.nefc else np.zeros(self.model.nv)
        if data.nefc:
            H = M + data.efc_J.T @ (data.efc_D[:, None] * data.efc_J)
            unit = np.sqrt(np.diag(H))
            self._condition = float(np.linalg.cond(H / np.outer(unit, unit)))
        accelerations = np.abs(np.linalg.pinv(M)) @ (pressing + np.abs(M) @ np.abs(data.qacc))
        found = dict.fromkeys(("cfrc_int", "cfrc_ext"), sizes.sum())
        found |= {"qfrc_constraint": pressing, "cacc": accelerations.max()}
        found |= {NEXT + name: accelerations for name in ("qacc", "qacc_warmstart")}
        found |= {NEXT + "qvel": h * accelerations, NEXT + "qpos": h * h * accelerations.max()}
        return {name: x for name, x in found.items() if name in self.right}


def largest_changes(own: Columns, trials: Sequence[Columns]) -> Columns:
    with np.errstate(invalid="ignore"):
        return {
            name: np.max([np.abs(trial[name] - x) for trial in trials], axis=0) for name, x in own.items()
        }


def moved(model: pb.Model, state: State) -> Columns:
    """The columns of a state that steps change, with the names that they have in an Instant."""
    written = MOVED if model.opt_constrained else [name for name in MOVED if name != "qacc_warmstart"]
    return {NEXT + name: np.asarray(state[name], np.float64) for name in written}


def besides(state: State, amount: float) -> list[State]:
    """States whose numbers differ by up to an amount, relative to them or to 1."""
    rng = np.random.default_rng(0)

    def near(x: Array) -> Array:
        return x + amount * np.maximum(np.abs(x), 1.0) * rng.uniform(-1, 1, x.shape)

    return [{name: x if name == "time" else near(x) for name, x in state.items()} for _ in range(TRIALS)]


def alike(model: pb.Model, amount: float) -> list[pb.Model]:
    """Models whose bodies and geoms differ by up to an amount, relative to each number; positions relative to
    the largest one: where all lie in one plane, rounding moves them out of it, too.
    """
    rng = np.random.default_rng(1)

    def size(name: str, x: Array) -> Array:
        found = np.full_like(x, np.abs(x).max(initial=0.0)) if name.endswith("pos") else np.array(x)
        found[: name.startswith("body")] = 0.0  # the world stays
        return found

    def near() -> dict[str, Any]:
        known = {name: model.columns[name] for name in NUDGED}
        return {name: x + size(name, x) * amount * rng.uniform(-1, 1, x.shape) for name, x in known.items()}

    def find() -> list[pb.Model]:
        return [model.replace(**near()) for _ in range(TRIALS)]

    try:
        return model.once(f"Models that differ by {amount}", find)
    except pb.ModelError:  # moments of inertia on the verge of the possible
        return [model] * TRIALS


class Run:
    """The last of n steps of a machine, which begins from some states."""

    def __init__(self, model: pb.Model, kind: Kind, machine: Machine, n: int, begun: Sequence[State]) -> None:
        self.model, self.kind, self.machine, self.n, self.begun = model, kind, machine, n, begun
        self._names = compared(model, machine.results)
        self._changes: list[Columns] = []

    def found(self) -> list[Columns]:
        """The results of the machine's last step, and the columns of the state after it, as in an Instant."""
        ends = zip(self.machine.found(), self.machine.states(), strict=True)
        return [{name: x[name] for name in self._names} | moved(self.model, end) for x, end in ends]

    def _again(self, states: Sequence[State]) -> list[Columns]:
        self.machine.start(states)
        self.machine.step(1)
        return self.found()

    def changes(self, row: int) -> Columns:
        """The largest change of each number of a simulation if those of its state change by the last bits."""
        if not self._changes:
            own, amount = self._again(self.begun), LAST_BITS[self.kind.precision]
            trials = zip(*(besides(state, amount) for state in self.begun), strict=True)
            others = zip(*(self._again(states) for states in trials), strict=True)
            self._changes = [largest_changes(x, other) for x, other in zip(own, others, strict=True)]
        return self._changes[row]


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
        self._instants: dict[tuple[bool, bytes], Instant] = {}

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
        run = Run(self.model, kind, machine, n, begun)
        for row, (before, found) in enumerate(zip(begun, run.found(), strict=True)):
            instant = self.instant(before, kind.stages)
            for name, x in found.items():
                self.note(run, row, name, x, instant)

    def instant(self, before: State, stages: bool) -> Instant:
        key = stages, b"".join(before[name].tobytes() for name in STATE)
        if key not in self._instants:
            self._instants[key] = Instant(self.model, before, stages)
        return self._instants[key]

    def note(self, run: Run, row: int, name: str, found: Array, instant: Instant) -> None:
        """Compare one column of a simulation."""
        right, scale, precision = np.atleast_1d(instant.right[name]), instant.scale[name], run.kind.precision
        found = found.reshape(right.shape)
        if not right.size:
            return
        self.answer.columns.add(name)
        self.answer.numbers += right.size
        with np.errstate(invalid="ignore"):
            away = np.abs(found - right)
        away[(found == right) | (np.isnan(found) & np.isnan(right))] = 0.0
        away[np.isnan(away)] = np.inf
        changes, limit = np.zeros(right.shape), np.broadcast_to(ROUNDING[precision] * scale, right.shape)
        amplified = bool((away > limit).any())
        if amplified:
            own = np.minimum(run.changes(row)[name], MAX_ALONE[precision] * scale)
            changes = np.fmax(instant.changes(LAST_BITS[precision])[name], own).reshape(right.shape)
            changes = np.nan_to_num(changes, posinf=np.inf)
            if np.isinf(changes).any():
                self.answer.undetermined.add(f"{run.kind.name}: {name}")
                return
            limit = limit + MULTIPLE * changes
        shares = away / limit
        place = np.unravel_index(int(shares.argmax()), right.shape)
        share, label = float(shares[place]), f"{run.kind.name}: {name}"
        if share >= self.answer.worst.get(run.kind.name, (0.0, ""))[0]:
            self.answer.worst[run.kind.name] = (share, name)
        off, alone = (float(np.broadcast_to(x / scale, right.shape)[place]) for x in (away, changes))
        if share > 1:
            at = ", ".join(map(str, place))
            self.answer.differences.append(
                f"{label}[{at}] is {found[place]:.9g} for {right[place]:.9g} after {run.n} steps, {off:.1e} "
                f"of its scale; the last bits of the state change it by {alone:.1e}"
            )
        elif amplified:
            self.answer.rounding[label] = max(self.answer.rounding.get(label, (0.0, 0.0)), (off, alone))


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
