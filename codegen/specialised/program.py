"""From a model's columns and a request to the text of a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..passes import leaf_links
from ..passes.alike_subtrees import limbs
from ..passes.base_parameters import regroup
from ..passes.factor_rotations import elementary_turns
from ..passes.hinge_frames import facing
from ..passes.hoist import COLUMN, apart
from ..passes.inertias import SOURCES, inertias
from ..passes.snap_zeros import exact_zeros
from ..physics import aba, kinematics, ltl
from ..physics.links import prepare
from ..physics.spatial import VALUES
from ..render import render
from ..staging.packing import Packed, PackingError
from ..staging.specialise import Specialise
from ..staging.straight import Straight, straight
from ..staging.vectors import prelude
from .kernels import FACE, Algorithm, plans

ABI = 2
Array = np.ndarray[Any, Any]
CLASSES = {VALUES[name].size: VALUES[name] for name in ("Vec3", "Quat", "Mat3", "Inertia")}
UNIT = 4000  # statements of a translation unit, so that several processors compile
GEOMETRIC = SOURCES | {
    "body_spatial",
    "body_pos",
    "body_quat",
    "jnt_pos",
    "jnt_axis",
}  # regrouping reads them
MOST = 400_000  # statements of a program, as estimated: a step of a chain of some 600 hinges
Results = Mapping[str, Mapping[int, Any]]
PREPARE = "prepare_"  # before a kernel's name: what it makes of the named columns
COMPOSITE = 10  # degrees of freedom up to which the mass matrix is made and factored
INDICES = ("link_type", "link_parentid", "link_qposadr", "link_dofadr", "link_dofnum", "body_linkid")


class ModelTooLarge(ValueError):
    """A model that would not be unrolled."""


@dataclass(frozen=True)
class Request:
    """What is wanted.

    Args:
        kernels: their names (see docs/specialised.md).
        precision: "float64" or "float32".
        lanes: states per call; 1 is a single state in the memory of a simulation.
        named: columns of the model that stay inputs instead of constants. What `step` makes of these alone
            is left to a kernel of its own if that, `prepare_step`, is asked for, too; so with every kernel of
            a batch. It need not be called again before they change.
    """

    kernels: tuple[str, ...]
    precision: str = "float64"
    lanes: int = 1
    named: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kernel:
    """A kernel of a program: the columns it is given in this order, scalars per state of each."""

    name: str
    columns: tuple[str, ...]
    sizes: tuple[int, ...]
    operations: int


@dataclass(frozen=True)
class Program:
    """C translation units, to be compiled and linked together."""

    texts: tuple[str, ...]
    kernels: tuple[Kernel, ...]


def specialise(columns: Mapping[str, Array], request: Request) -> Program:
    """The program of a model for a request.

    Args:
        columns: the model's columns, given and derived, by name.

    Raises:
        ModelTooLarge: unrolled, it would not compile in reasonable time.
        ValueError: a number of the model is not finite, or the request asks for what there is not.
    """
    refuse(columns, request)
    statements = estimate(columns, request)
    if statements > MOST:
        raise ModelTooLarge(f"unrolled it would be some {statements} statements, which is more than {MOST}")
    sizes = axes(columns)
    made: list[tuple[Kernel, Straight]] = []
    try:
        for name, results, prepared in traced(columns, request):
            lines = straight(name, results, request.precision, request.lanes)
            widths = tuple(prepared if c == COLUMN else size(c, sizes, columns) for c in lines.columns)
            made.append((Kernel(name, lines.columns, widths, lines.operations), lines))
    except ArithmeticError as error:
        raise ValueError(f"the model's numbers cannot be computed with: {error}") from error
    return Program(units(made, request), tuple(kernel for kernel, _ in made))


def traced(columns: Mapping[str, Array], request: Request) -> Iterator[tuple[str, Results, int]]:
    """Per kernel its name, what it leaves, and how many numbers there are in the column `prepared`."""
    known = plans(int(columns["opt_integrator"][0]))
    for name in request.kernels:
        if name.startswith(PREPARE):
            continue
        machine = executed(known[name].algorithm, columns, request, known[name].posing)
        results: Results = {c: machine.results(c) for c in known[name].results}
        count = 0
        if PREPARE + name in request.kernels:
            first, results = apart(results, request.named)
            count = len(first[COLUMN])
            yield PREPARE + name, first, count
        yield name, results, count


def units(made: Sequence[tuple[Kernel, Straight]], request: Request) -> tuple[str, ...]:
    """The kernels' functions as translation units of about the same length; the first has the door."""
    written = [lines for _, lines in made]
    pieces = [p for lines in written for p in lines.pieces]
    count = min(max(1, len(pieces)), max(2, round(sum(lines.statements for lines in written) / UNIT)))
    context = {"abi": ABI, "request": request, "kernels": made, "several": count > 1}
    widths = {n for lines in written for n in lines.widths}
    texts = []
    for k in range(count):
        share = pieces[k * len(pieces) // count : (k + 1) * len(pieces) // count]
        types = prelude(request.precision, widths, {call for p in share for call in p.calls})
        texts.append(render("specialised.c.jinja", pieces=share, first=k == 0, prelude=types, **context))
    return tuple(texts)


def refuse(columns: Mapping[str, Array], request: Request) -> None:
    """Raise for what cannot be made."""
    known = plans(int(columns["opt_integrator"][0]))
    for name in request.kernels:
        if name.removeprefix(PREPARE) not in known:
            raise ValueError(f"there is no kernel {name!r}, but {', '.join(known)}")
        if name.startswith(PREPARE) and (
            request.lanes < 2 or name.removeprefix(PREPARE) not in request.kernels
        ):
            raise ValueError(f"{name} goes before the kernel {name.removeprefix(PREPARE)} of a batch")
    if request.precision not in ("float64", "float32"):
        raise ValueError(f"precision is float64 or float32, not {request.precision!r}")
    if request.lanes not in (1, 2, 4, 8, 16):
        raise ValueError(f"lanes are 1, 2, 4, 8 or 16, not {request.lanes!r}")
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
    algorithm: Algorithm, columns: Mapping[str, Array], request: Request, posing: bool = False
) -> Specialise:
    """The machine after an algorithm; limbs that are alike went through it together, if it lets them."""
    machine = linked(columns, request, posing)
    if request.lanes == 1:  # the lanes of a batch are full already
        kinds, parents = (machine.model[c].tolist() for c in ("link_type", "link_parentid"))
        machine.pack(limbs(kinds, parents))
    try:
        machine.call(algorithm)
    except PackingError:
        machine = linked(columns, request, posing)
        machine.call(algorithm)
    return machine


def linked(columns: Mapping[str, Array], request: Request, posing: bool = False) -> Packed:
    """The machine with the columns of the links, simplified; for `posing`, links stand like their bodies."""
    machine = Packed(columns, CLASSES, request.named, algorithms(columns, posing))
    t = machine.tables
    for k in range(len(columns["jnt_type"]) + 1):
        t.link_spatial[k] = VALUES["Inertia"].zero()
    if SOURCES.intersection(request.named):
        inertias(machine, t)
    prepare(machine, t)
    machine.settle(*INDICES)
    exact_zeros(machine, t)
    elementary_turns(machine, t)
    settled = any(name.startswith(PREPARE) for name in request.kernels)  # what it costs is not in the step
    regrouping = settled or not GEOMETRIC & set(request.named)
    if regrouping:
        regroup(machine, t)
    if not posing:
        facing(machine, t)
        if regrouping:
            regroup(machine, t)  # of the inertias in their new axes there is a little more
        leaf_links.tips(machine, t)
        machine.settle("link_tip")
    return machine


def algorithms(columns: Mapping[str, Array], posing: bool) -> dict[Algorithm, Algorithm]:
    """What is traced instead: the mass matrix solves for few degrees of freedom with fewer operations."""
    few = {aba.articulated: ltl.composite} if len(columns["dof_parentid"]) <= COMPOSITE else {}
    return few if posing else {kinematics.place: leaf_links.place, **few}


def estimate(columns: Mapping[str, Array], request: Request) -> int:
    """About how many statements the kernels come to; seldom too few, as nothing is said of zeros."""
    sizes = axes(columns)
    links, entries = len(columns["jnt_type"]), sizes["M"]
    steps = [name for name in request.kernels if not name.startswith(PREPARE)]
    chosen = [plans(int(columns["opt_integrator"][0]))[name] for name in steps]
    return sum(p.per_link * links + p.per_entry * entries for p in chosen)


def axes(columns: Mapping[str, Array]) -> dict[str, int]:
    """Rows along each axis of the simulation's columns."""
    return {
        "one": 1,
        "q": len(columns["qpos_spring"]),
        "dof": len(columns["dof_parentid"]),
        "body": len(columns["body_parentid"]),
        "M": int((columns["dof_depth"].astype(np.int64) + 1).sum()),
    }


def size(column: str, sizes: Mapping[str, int], columns: Mapping[str, Array]) -> int:
    if column in columns:
        return int(columns[column].size)
    axis, scalars = FACE[column]
    return sizes[axis] * scalars
