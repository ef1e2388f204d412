"""From a model's columns and a request to the text of a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..passes import PASSES, Purpose
from ..passes.alike_rows import alike_rows
from ..passes.alike_subtrees import alike_subtrees
from ..passes.hoist import hoist
from ..passes.inertias import SOURCES
from ..passes.leaf_links import place as place_leaves
from ..physics import aba, forward, jacobian, kinematics, loads, ltl, motions
from ..physics.kernels import Algorithm
from ..physics.spatial import VALUES
from ..render import render
from ..staging.columns import count, rows
from ..staging.interface import (
    ABI,
    AVX512,
    CALLED,
    CONSTRAINTS,
    LANES,
    PRECISIONS,
    PREPARE,
    PREPARED,
    Processor,
    Request,
)
from ..staging.iterated import iterated
from ..staging.packing import Packed, PackingError
from ..staging.specialise import Specialise
from ..staging.straight import Straight, operations, straight
from ..staging.vectors import prelude
from .kernels import integrator, kernels

Array = np.ndarray[Any, Any]
UNIT = 4000  # statements of a translation unit, so that several processors can compile
MOST = 400_000  # estimated statements of a program: a step of a chain of about 600 hinges
ACTING = ("opt_gravcomp_acts", "opt_elements_act", "opt_fluid_acts", "opt_flexes", "opt_constrained")
DAMPERS = {"tendon_dampingpoly", "actuator_damping", "actuator_dampingpoly"}
TENSE = DAMPERS | {"tendon_stiffness", "tendon_damping", "tendon_stiffnesspoly"}
"""Columns that determine whether tendons exert forces."""
POLYNOMIALS = DAMPERS | {"jnt_stiffnesspoly", "dof_dampingpoly", "tendon_stiffnesspoly"}
SLOPES = {
    *("opt_density", "opt_viscosity", "tendon_damping", "actuator_gainprm", "actuator_biasprm"),
    *DAMPERS,
}
"""Columns that determine whether and which forces depend on velocities."""
LATE = {"dof_damping", "dof_stiffness", "dof_dampingpoly", "actuator_damping", "actuator_dampingpoly"}
"""Columns that determine whether a step has forces at its end."""
FIRST = {"sensordata", "subtree_linvel", "subtree_angmom", "energy"}
"""Results that belong to the first of several stages; all others belong to the last one."""
ACCELERATIONS = {"qacc", "cacc", "cfrc_int"}
"""Results that depend on the accelerations of the instant at which a step begins."""
LOAD = "start_load"
"""The column that, with the state at its beginning, determines these accelerations if a step computes only
those with forces at its end.
"""
FORCES = ("actuator_force", "qfrc_actuator", "act_dot")
"""Results that steps of a single simulation compute in any case, or that follow from what a step starts from:
its caller keeps that. To store them, and LOAD, in each step would take 10 % of a humanoid's.
"""
POSITION = ("qpos", "qvel")  # the state at which the solver is called
WARM = "qacc_warmstart"  # where it starts
PER_FLEX = {
    "flex_vertbodyid": 60,
    "flexedge_first": 90,
    "flexcouple_edge": 3,
    "flexbend_vertex": 9,
    "flexlever_dof": 60,
}
"""Estimated statements per row of the parts of flexes."""
Results = Mapping[str, Mapping[int, Any]]
Values = Mapping[str, str]
Places = Mapping[str, frozenset[int]]
COMPOSITE = 10  # degrees of freedom up to which the mass matrix is computed and factored


class ModelTooLarge(ValueError):
    """A model that is too large to be unrolled."""


@dataclass(frozen=True)
class Kernel:
    """A kernel of a program: its columns in the order of its arguments, with their numbers of scalars per
    state.
    """

    name: str
    columns: tuple[str, ...]
    sizes: tuple[int, ...]
    operations: int


@dataclass(frozen=True)
class Program:
    """C translation units, to be compiled and linked together."""

    texts: tuple[str, ...]
    kernels: tuple[Kernel, ...]


def specialise(
    columns: Mapping[str, Array],
    sizes: Mapping[str, int],
    values: Values,
    request: Request,
    processor: Processor = AVX512,
    unread: Places | None = None,
) -> Program:
    """The program of a model for a request.

    Args:
        columns: the model's columns, given and derived, by name.
        sizes: the number of elements of each column of a simulation, by name.
        values: the class of physics/spatial.py that a row of a column is, by the column's name; a row of any
            other column is a number.
        request: the requested kernels.
        processor: the target processor.
        unread: indices of elements that the constraint solver does not read, by column.

    Raises:
        ModelTooLarge: the unrolled program would not compile in reasonable time.
        ValueError: a number of the model is NaN or infinite, or the request contains something that does not
            exist.
    """
    refuse(columns, request)
    columns = {**columns, **acting(columns, request)}
    statements = estimate(columns, request)
    if statements > MOST:
        raise ModelTooLarge(f"unrolled it would be some {statements} statements, which is more than {MOST}")
    made: list[tuple[Kernel, Straight]] = []
    try:
        for name, results, prepared in traced(columns, values, request, processor, unread or {}):
            lines = straight(name, results, request.precision, request.lanes, processor)
            known = {name: x.size for name, x in columns.items()} | dict(sizes)
            known |= {PREPARED: prepared, CONSTRAINTS: CALLED}
            widths = tuple(known[column] for column in lines.columns)
            made.append((Kernel(name, lines.columns, widths, lines.operations), lines))
    except ArithmeticError as error:
        raise ValueError(f"the model's numbers cannot be computed with: {error}") from error
    return Program(units(made, request), tuple(kernel for kernel, _ in made))


def traced(
    columns: Mapping[str, Array], values: Values, request: Request, processor: Processor, unread: Places
) -> Iterator[tuple[str, Results, int]]:
    """For each kernel its name, its results, and the size of the column `prepared`."""
    known = kernels(columns)
    for name in request.kernels:
        if name.startswith(PREPARE):
            continue
        wanted = dict.fromkeys(of_step(columns, request) if name == "step" else known[name].results)
        found: list[Results] = []
        for matrix in (False, True) if few(columns) and observed(columns, request) else (False,):
            kernel = known[name]
            machine = executed(
                kernel.programmed, columns, values, request, kernel.posing, processor, unread, matrix
            )
            left = {c: machine.results(c) for c in wanted}
            found.append({c: entries for c, entries in left.items() if entries})
        results = min(found, key=operations) if len(found) > 1 else found[0]
        count = 0
        if PREPARE + name in request.kernels:
            first, results = hoist(results, request.named)
            count = len(first[PREPARED])
            yield PREPARE + name, first, count
        yield name, results, count


def units(made: Sequence[tuple[Kernel, Straight]], request: Request) -> tuple[str, ...]:
    """The kernels' functions as translation units of similar length; the first one has their table."""
    written = [lines for _, lines in made]
    pieces = [p for lines in written for p in lines.pieces]
    count = min(max(1, len(pieces)), max(2, round(sum(lines.statements for lines in written) / UNIT)))
    solves = any(CONSTRAINTS in lines.columns for lines in written)
    context = {"abi": ABI, "request": request, "kernels": made, "several": count > 1, "solves": solves}
    widths = {n for lines in written for n in lines.widths}
    texts = []
    for k in range(count):
        share = pieces[k * len(pieces) // count : (k + 1) * len(pieces) // count]
        calls = {call for p in share for call in p.calls}
        loops, inner = iterated(calls, request.precision)
        types = prelude(request.precision, widths, calls | inner, loops)
        texts.append(render("specialised.c.jinja", pieces=share, first=k == 0, prelude=types, **context))
    return tuple(texts)


def refuse(columns: Mapping[str, Array], request: Request) -> None:
    """Raise if the request cannot be satisfied."""
    known = kernels(columns)
    for name in request.kernels:
        if name.removeprefix(PREPARE) not in known:
            raise ValueError(f"there is no kernel {name!r}, but {', '.join(known)}")
        if name.startswith(PREPARE) and (
            request.lanes < 2 or name.removeprefix(PREPARE) not in request.kernels
        ):
            raise ValueError(f"{name} goes before the kernel {name.removeprefix(PREPARE)} of a batch")
    if request.precision not in PRECISIONS:
        raise ValueError(f"precision is {' or '.join(PRECISIONS)}, not {request.precision!r}")
    if request.lanes not in LANES:
        raise ValueError(f"lanes are one of {', '.join(map(str, LANES))}, not {request.lanes!r}")
    for name in request.named:
        if name not in columns or columns[name].dtype.kind != "f":
            raise ValueError(f"the model has no numbers {name!r}")
    if SOURCES.intersection(request.named) and (missing := SOURCES.difference(columns)):
        raise ValueError(
            f"{', '.join(request.named)} as inputs: {', '.join(sorted(missing))} must be known, too"
        )
    for name, x in columns.items():
        if x.dtype.kind == "f" and not np.isfinite(x).all():
            raise ValueError(f"{name} has a number that is not finite")


def executed(
    algorithm: Algorithm,
    columns: Mapping[str, Array],
    values: Values,
    request: Request,
    posing: bool = False,
    processor: Processor = AVX512,
    unread: Places | None = None,
    matrix: bool = False,
) -> Specialise:
    """The machine after an algorithm; isomorphic subtrees are computed together if the algorithm permits.

    With `matrix`, accelerations are computed from the mass matrix regardless of algorithms().
    """
    unread = unread or {}
    machine = linked(columns, values, request, posing, unread)
    machine.instead |= {aba.released: composite} if matrix else {}
    machine.unread = unread
    try:
        if request.lanes == 1:  # the lanes of a batch already fill vector registers
            kinds, parents = (machine.model[c].tolist() for c in ("link_type", "link_parentid"))
            machine.pack(
                alike_subtrees(kinds, parents, processor.limbs), alike_rows(machine.model, processor.limbs)
            )
        machine.call(algorithm)
    except PackingError:
        machine = linked(columns, values, request, posing, unread)
        machine.instead |= {aba.released: composite} if matrix else {}
        machine.unread = unread
        machine.call(algorithm)
    return machine


def linked(
    columns: Mapping[str, Array],
    values: Values,
    request: Request,
    posing: bool = False,
    unread: Places | None = None,
) -> Packed:
    """The machine after the passes; with `posing`, links have the frames of their bodies."""
    columns = {**columns, "observes": np.array([observes(columns, request)])}
    if "sensordata" not in request.results:
        columns["opt_measures"] = np.zeros_like(columns["opt_measures"])
    instead = algorithms(columns, posing, request, unread or {})
    classes = {name: VALUES[value] for name, value in values.items()}
    machine = Packed(columns, classes, request.named, instead, overwritten(columns))
    if not request.external:
        for b in machine.rows_of("body"):
            machine.tables.xfrc_applied[b] = VALUES["Wrench"].zero()
    prepared = any(name.startswith(PREPARE) for name in request.kernels)
    posed = observed(columns, request) or by_matrices(columns, posing, request, unread or {})
    purpose = Purpose(frozenset(request.named), posing, prepared, posed)
    for one in PASSES:
        if one.when(purpose):
            one.apply(machine, machine.tables)
            machine.settle(*one.decides)
    return machine


def acting(columns: Mapping[str, Array], request: Request) -> dict[str, Array]:
    """Flags of features that may be active in some simulation of a batch, even if not in the model itself."""
    found = {}
    passive = np.maximum(columns["opt_springs_act"], columns["opt_dampers_act"])
    if {"opt_density", "opt_viscosity"}.intersection(request.named):
        found["opt_fluid_acts"] = passive * columns["body_fluid"].any()
    if "opt_wind" in request.named:
        found["opt_wind_acts"] = np.ones_like(columns["opt_wind_acts"])
    lifted = columns["body_gravcomp"].any() or "body_gravcomp" in request.named
    if lifted and {"body_gravcomp", "opt_gravity"}.intersection(request.named):
        found["opt_gravcomp_acts"] = passive * columns["opt_gravity_acts"]
    if TENSE.intersection(request.named):
        found["opt_tendon_forces"] = passive * columns["opt_tendons"]
    if POLYNOMIALS.intersection(request.named):
        found["opt_polynomials"] = passive
    if SLOPES.intersection(request.named):
        found["opt_slopes"] = np.full_like(columns["opt_slopes"], 2)
    if LATE.intersection(request.named) and not integrator(columns).staged:
        found["opt_late"] = np.maximum(columns["opt_late"], 1)
    return found


def observes(columns: Mapping[str, Array], request: Request) -> int:
    """The column `observes` of a step: 0 if it computes only the state and sensors. Only accelerations of a
    step with forces at its end are costly.
    """
    if {"sensordata"}.issuperset(request.results):
        return 0
    late = columns["opt_late"].any() and not columns["opt_constrained"].any()
    asked = ACCELERATIONS.intersection(request.results)
    measured = "sensordata" in request.results and columns["opt_measures"][0] > 1
    return 2 if not late or asked or measured else 1


def stores_late(columns: Mapping[str, Array], request: Request) -> bool:
    """Whether a step leaves in qacc the accelerations that include forces at its end."""
    late = columns["opt_late"].any() and not columns["opt_constrained"].any()
    return bool(late) and "qacc" not in request.results


def overwritten(columns: Mapping[str, Array]) -> tuple[str, ...]:
    """The inputs of a step that it overwrites for its stages and reads again afterwards. As of MuJoCo 4.0 the
    solver starts in each stage as in the first one.
    """
    if not (integrator(columns).staged and columns["opt_constrained"].any()):
        return ()
    return (*POSITION, WARM) if columns["opt_release"].any() else POSITION


def of_step(columns: Mapping[str, Array], request: Request) -> tuple[str, ...]:
    """The columns that a step writes. Unless it is asked for qacc, a step with forces at its end leaves there
    the accelerations that include these, and in batches writes what determines, with the state then, those at
    its beginning.
    """
    names = list(kernels(columns)["step"].results)
    if request.lanes > 1 and stores_late(columns, request):
        names.append(LOAD)
        names += ["dof_drive"] if columns["opt_prescribed"].any() else []
    # Those of the last stage, and of adhesion, follow from more than what a step starts from.
    stored = integrator(columns).staged or columns["opt_adheres"].any()
    return (*names, *(FORCES if request.lanes == 1 and stored else ()), *request.results)


def observed(columns: Mapping[str, Array], request: Request) -> bool:
    """Whether a step computes poses of bodies: results are requested, or forces act on bodies."""
    acts = any(columns[name].any() for name in ACTING)
    return bool(request.results) or request.external or acts


def algorithms(
    columns: Mapping[str, Array], posing: bool, request: Request, unread: Places
) -> dict[Algorithm, Algorithm]:
    """Algorithms to trace instead of others: with few degrees of freedom, solving with the mass matrix takes
    fewer operations if accelerations of links are not requested.
    """
    instead: dict[Algorithm, Algorithm] = {loads.external: loads.apply if request.external else loads.none}
    if integrator(columns).staged:
        if FIRST.isdisjoint(request.results):
            instead[forward.observe_stage] = instead[forward.observe_constrained] = forward.unobserved
        if FIRST.issuperset(request.results):
            instead[forward.observe_last] = forward.unobserved
    instead[motions.outside] = motions.applied if request.external else forward.unobserved
    if request.lanes == 1:
        instead[aba.both] = side_by_side
    matrices = by_matrices(columns, posing, request, unread)
    if matrices:
        instead[jacobian.jacobian] = jacobian.jacobian_by_matrices
    if observed(columns, request):
        return instead
    if few(columns):
        instead[aba.released] = ltl.composite
    if posing or matrices:
        return instead
    return {kinematics.place: place_leaves, **instead}


def few(columns: Mapping[str, Array]) -> bool:
    """Whether the mass matrix may take fewer operations than the articulated-body algorithm."""
    released = (columns["dof_prescribed"] > 0).any() or columns["dof_inparent"].any()
    return len(columns["dof_parentid"]) <= COMPOSITE and not released


def composite(m: Packed, t: Any) -> None:
    """ltl.composite(), and accelerations of links, which are omitted if not requested."""
    m.call(ltl.composite)
    m.call(kinematics.accelerations)


def side_by_side(m: Packed, t: Any) -> None:
    """aba.both() in the two halves of vector registers, which the lanes of a batch already fill."""
    m.both(aba.released, aba.BOTH)


def by_matrices(columns: Mapping[str, Array], posing: bool, request: Request, unread: Places) -> bool:
    """Whether poses of bodies are needed only for tendons or constraints, which do not read quaternions."""
    if posing or request.results:
        return False
    if columns["opt_constrained"].any():
        return "xquat" in unread and not request.external
    return bool(columns["opt_tendon_poses"].any()) and not observed(columns, request)


def estimate(columns: Mapping[str, Array], request: Request) -> int:
    """Estimated number of statements of the kernels; rarely too small, as zeros are not considered."""
    links, entries = len(columns["jnt_type"]), rows(columns)["M"]
    steps = [name for name in request.kernels if not name.startswith(PREPARE)]
    chosen = [kernels(columns)[name] for name in steps]
    flexed = sum(each * count(columns.get(name)) for name, each in PER_FLEX.items())
    return sum(p.per_link * links + p.per_entry * entries + flexed for p in chosen)
