"""Single calls from Python compared with MuJoCo's: ``python -m benchmarks.calls``.

Both sides are called in the same way, in the same state: 300 steps of MuJoCo without controls after the
initial one, when humanoids, ants and cheetahs lie on the ground; if nothing touches in the initial state,
also in that. The last rows are the matrices A and B of a step by central differences.
"""

from __future__ import annotations

import argparse
import importlib.util
import timeit
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np
import polybody as pb
from numpy.typing import NDArray

from benchmarks.rows import Part, Row, compare, main, selected
from examples.lqr import SMALL, Differences

ROOT = Path(__file__).parents[1]
LATER = 300
"""Steps of MuJoCo until the second state."""
SECONDS = 0.01
"""Seconds for which a call is repeated on each side in each round."""
ROUNDS = 15
LINKS = 30
STAGES = ("mj_kinematics", "mj_comPos", "mj_crb", "mj_factorM")
"""What MuJoCo computes of other positions before a Jacobian (the first two), and so on."""
PEER = "MuJoCo 3.2.7"
Call = Callable[[], object]


class Sides(NamedTuple):
    """One model on both sides, in the same state."""

    model: pb.Model
    data: pb.Data
    theirs: Any
    other: Any


def chain(links: int) -> str:
    """A hanging chain of capsules on hinges with alternating axes, which touch nothing."""
    shape = '<geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.1"/>'
    link = '<body pos="0 0 -0.1"><joint axis="{} {} 0"/>' + shape
    bodies = "".join(link.format(k % 2, 1 - k % 2) for k in range(links)) + "</body>" * links
    return f'<mujoco><option><flag contact="disable"/></option><worldbody>{bodies}</worldbody></mujoco>'


def texts() -> dict[str, str | Path]:
    """Files, those that anybody can install, or their texts."""
    found: dict[str, str | Path] = {}
    gymnasium = importlib.util.find_spec("gymnasium")
    if gymnasium is not None and gymnasium.origin is not None:
        assets = Path(gymnasium.origin).parent / "envs" / "mujoco" / "assets"
        for name in ("ant", "humanoid", "half_cheetah"):
            found[f"Gymnasium's {name}"] = assets / f"{name}.xml"
    found["humanoid, 12 servos"] = ROOT / "examples" / "humanoid.xml"
    found["arm, 4 servos"] = ROOT / "examples" / "arm.xml"
    found[f"chain of {LINKS}"] = chain(LINKS)
    return found


def sides(source: str | Path, steps: int, **options: str) -> Sides:
    """Both sides after a number of MuJoCo's steps, with options by name.

    Raises a ValueError if their accelerations differ.
    """
    if isinstance(source, Path):
        theirs, model = mujoco.MjModel.from_xml_path(str(source)), pb.load(source)
    else:
        theirs = mujoco.MjModel.from_xml_string(source)
        model = pb.lower(pb.read("chain.xml", text=source))
    model = model.replace(**{f"opt_{name}": value for name, value in options.items()})
    for name in options:
        setattr(theirs.opt, name, int(getattr(model, f"opt_{name}")))
    other, data = mujoco.MjData(theirs), pb.Data(model)
    mujoco.mj_step(theirs, other, steps)
    state = np.empty(mujoco.mj_stateSize(theirs, mujoco.mjtState.mjSTATE_INTEGRATION))
    mujoco.mj_getState(theirs, other, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    data.set_state(state)
    mujoco.mj_forward(theirs, other)
    pb.forward(model, data)
    error = np.abs(data.qacc - other.qacc).max() / (1 + np.abs(other.qacc).max())
    if error > 1e-6:
        raise ValueError(f"accelerations differ by {error:.1e}")
    return Sides(model, data, theirs, other)


def elsewhere(data: pb.Data, call: Call) -> Call:
    """A call after a change of positions."""
    place = data.qpos

    def both() -> None:
        place[-1] += 1e-9
        call()

    return both


def after(stages: Sequence[Callable[[Any, Any], None]], model: Any, data: Any, call: Call) -> Call:
    """A call after stages of MuJoCo's."""

    def all_of_them() -> None:
        for stage in stages:
            stage(model, data)
        call()

    return all_of_them


def calls(both: Sides) -> Iterator[tuple[str, str, Call, Call]]:
    """Work, the function of MuJoCo, and the call on each side."""
    model, data, theirs, other = both
    body = max(
        range(model.nbody), key=lambda row: int(model.dof_depth[model.body_lastdof[row]]) if row else -1
    )
    name, shape = model.names["body"][body] or body, (3, model.nv)

    vector = np.arange(1.0, model.nv + 1)

    def jacobian() -> None:
        mujoco.mj_jacBody(theirs, other, np.zeros(shape), np.zeros(shape), body)

    def energies() -> None:
        mujoco.mj_energyPos(theirs, other)
        mujoco.mj_energyVel(theirs, other)

    def product() -> None:
        mujoco.mj_mulM(theirs, other, np.zeros(model.nv), vector)

    def solution() -> None:
        mujoco.mj_solveM(theirs, other, np.zeros((1, model.nv)), vector[None])

    yield "forward", "mj_forward", lambda: pb.forward(model, data), lambda: mujoco.mj_forward(theirs, other)
    yield "inverse", "mj_inverse", lambda: pb.inverse(model, data), lambda: mujoco.mj_inverse(theirs, other)
    for work, own, peer, call, stages in (
        ("jacobian of a body", lambda: pb.jacobian(model, data, name), "mj_jacBody", jacobian, 2),
        ("mul_m", lambda: pb.mul_m(model, data, vector), "mj_mulM", product, 3),
        ("solve_m", lambda: pb.solve_m(model, data, vector), "mj_solveM", solution, 4),
        ("energy", lambda: pb.energy(model, data), "mj_energyPos, mj_energyVel", energies, 3),
    ):
        yield work, peer, own, call
        before = STAGES[:stages]
        yield (
            f"{work}, at other positions",
            ", ".join((*before, peer)),
            elsewhere(data, own),
            after([getattr(mujoco, stage) for stage in before], theirs, other, call),
        )
    yield "a simulation", "MjData", lambda: pb.Data(model), lambda: mujoco.MjData(theirs)
    yield "reset", "mj_resetData", lambda: pb.reset(model, data), lambda: mujoco.mj_resetData(theirs, other)


def microseconds(call: Call) -> float:
    """Microseconds of a call, which is repeated for SECONDS."""
    timer = timeit.Timer(call)
    count = 1
    while (seconds := timer.timeit(count)) < SECONDS / 4:
        count = max(2 * count, int(count * SECONDS / 4 / max(seconds, 1e-9)))
    count = max(1, round(count * SECONDS / seconds))
    return timer.timeit(count) / count * 1e6


def measured(
    work: str, kernel: str, model: str, peer: str, both: Sides, pair: tuple[Call, Call], rounds: int
) -> Row:
    pairs = [(microseconds(pair[0]), microseconds(pair[1])) for _ in range(rounds)]
    ours, theirs = zip(*pairs, strict=True)
    return compare(work, kernel, model, f"{PEER}, {peer}", ours, theirs, nv=both.model.nv)


def measure_model(name: str, source: str | Path, rounds: int) -> list[Row]:
    rows = []
    for state, steps in (("", LATER), (", initial state", 0)):
        both = sides(source, steps)
        for work, peer, own, other in calls(both):
            if steps or (
                work in ("forward", "inverse") and both.model.opt_constrained and not both.data.ncon
            ):
                rows.append(measured(work, "loop", name + state, peer, both, (own, other), rounds))
    return rows


def their_matrices(both: Sides) -> tuple[Call, NDArray[np.float64], NDArray[np.float64]]:
    """The call for A and B, and the arrays into which it writes them."""
    size = 2 * both.model.nv
    a, b = np.zeros((size, size)), np.zeros((size, both.model.nu))
    return lambda: mujoco.mjd_transitionFD(both.theirs, both.other, SMALL, True, a, b, None, None), a, b


def measure_differences(name: str, source: str | Path, rounds: int) -> list[Row]:
    """The matrices of a step, by Euler's method.

    Raises a ValueError if they differ from MuJoCo's by more than the rounding errors of differences.
    """
    both = sides(source, LATER, integrator="Euler")
    differences = Differences(both.model)
    theirs, *expected = their_matrices(both)
    theirs()
    for found, matrix in zip(differences.matrices(both.data), expected, strict=True):
        error = np.abs(found - matrix).max() / np.abs(matrix).max()
        if error > 1e-5:
            raise ValueError(f"the matrices of {name} differ by {error:.1e}")
    pair: tuple[Call, Call] = (lambda: differences.matrices(both.data), theirs)
    work = f"A and B, {differences.batch.n} steps"
    return [measured(work, "batch", name, "mjd_transitionFD", both, pair, rounds)]


def measure(options: argparse.Namespace) -> list[Row]:
    rounds = 3 if getattr(options, "quick", False) else ROUNDS
    models = [(name, source) for name, source in texts().items() if selected(options, name)]
    rows = [row for name, source in models for row in measure_model(name, source, rounds)]
    for name, source in models:
        if "humanoid" in name:
            rows += measure_differences(name, source, rounds)
    return rows


PART = Part(
    "Single calls",
    measure,
    "Calls from Python, in a state with contacts if the model has any. MuJoCo's read what `mj_forward` has\n"
    "computed, and polybody's what an earlier one has; after a change of positions both compute it. A and B\n"
    "are those of `examples/lqr.py`.",
    selects=True,
)

if __name__ == "__main__":
    main(PART)
