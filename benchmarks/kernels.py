"""Our kernels compared with the reference engines, with the same models and states for all.

Engines run in processes of their own, alternating round by round, each round with fresh copies of the
binaries. The accelerations are compared before a ratio is accepted: all engines must compute the same.
docs/kernels.md describes what is timed on each side.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.engine import BATCH, FORWARD, INVERSE, MASS, STEP, Engine, Reals, Times, random_states
from benchmarks.models import load
from benchmarks.ours.batch import Batch
from benchmarks.ours.loops import Loops, NativeLoops
from benchmarks.ours.specialised import Lanes, Specialised
from benchmarks.peers.dart_peer import Dart
from benchmarks.peers.drake_peer import Drake
from benchmarks.peers.mujoco_peer import MuJoCo
from benchmarks.peers.pinocchio_peer import Pinocchio
from benchmarks.peers.rollout_peer import Rollout
from benchmarks.rows import Part, Row, compare, main, means

ROUNDS = 5
MODELS = ("iiwa", "panda", "ur5", "half-cheetah", "humanoid", "talos", "chain of 10", "chain of 100")
LARGE = ("chain of 1000",)  # loops only
AGREEMENT = 1e-6  # relative to the largest acceleration; a chain of 1000 loses digits in every engine
PARTS = {FORWARD: "smooth part", STEP: "mj_step", INVERSE: "mj_rne", MASS: "mj_crb"}
ALGORITHMS = {FORWARD: "ABA", STEP: "ABA, integrate", INVERSE: "RNEA", MASS: "CRBA"}
FLAGS = (("--native", "time the loop kernels compiled for this machine, too"),)


def check(name: str, ours: Reals, theirs: Reals) -> None:
    worst = float(abs(ours - theirs).max() / abs(theirs).max())
    if not worst < AGREEMENT:
        raise AssertionError(f"{name}: accelerations differ by {worst:.2e} of the largest")


def measure_model(name: str, ours: tuple[type[Engine], ...], rounds: int) -> list[Row]:
    """All rows of one model."""
    model = load(name)
    states = random_states(model)
    bare = model.replace(dof_armature=0 * model.dof_armature)  # for DART, which has no armature
    peers: tuple[type[Engine], ...] = (MuJoCo, Pinocchio)
    if name not in LARGE:
        peers += (Drake, Dart)
    times: dict[str, list[Times]] = {}
    with tempfile.TemporaryDirectory() as folder:
        engines: list[Engine] = []
        for kind in (*ours, *peers):
            given = bare if kind is Dart else model
            engines.append(kind(given, states, Path(folder) / kind.__name__))
        judge = Loops(bare, states, Path(folder) / "judge")
        judge.measure()
        for _ in range(rounds):
            for engine in engines:
                times.setdefault(engine.label, []).append(engine.measure())
        expected = engines[0].accelerations()
        for engine in engines[1:]:
            right = judge.accelerations() if isinstance(engine, Dart) else expected
            check(f"{name}, {engine.label}", right, engine.accelerations())
    passive = bool(np.any(model.dof_damping) or np.any(model.dof_stiffness))
    rows = []
    for kind in ours:
        for peer in peers:
            for work in (FORWARD, STEP, INVERSE, MASS):
                if passive and work == STEP and peer is Pinocchio:
                    continue
                pair = fastest(times[kind.label], work), fastest(times[peer.label], work)
                if pair[0] and pair[1]:
                    said = f"{peer.label}{says(peer, work)}"
                    rows.append(compare(work, kind.label, name, said, *pair, nv=model.nv))
    return rows


def says(peer: type[Engine], work: str) -> str:
    """Which of a peer's functions it is."""
    parts = {MuJoCo: PARTS, Pinocchio: ALGORITHMS}.get(peer, {})
    return f", {parts[work]}" if work in parts else ""


def fastest(times: list[Times], work: str) -> list[float]:
    """The times of one work in every round, for the variant (convention, build) with the shortest median."""
    variants = [variant for variant in times[0] if variant == work or variant.startswith(f"{work}, ")]
    series = [[measured[variant] for measured in times] for variant in variants]
    return min(series, key=np.median) if series else []


def measure_batch(name: str, rounds: int) -> list[Row]:
    """Steps of a batch compared with MuJoCo's rollout on one core, and two threads compared with one."""
    model = load(name)
    states = random_states(model)
    times: dict[str, list[Times]] = {}
    with tempfile.TemporaryDirectory() as folder:
        engines = [kind(model, states, Path(folder) / kind.__name__) for kind in (Batch, Rollout)]
        for _ in range(rounds):
            for engine in engines:
                times.setdefault(engine.label, []).append(engine.measure())
        check(f"{name}, rollout", engines[0].accelerations(), engines[1].accelerations())
    (ours, theirs) = (times[kind.label] for kind in (Batch, Rollout))
    rows = [
        compare(work, "batch", name, Rollout.label, column(ours, work), column(theirs, BATCH), nv=model.nv)
        for work in ours[0]
        if work.startswith(BATCH) and "threads" not in work
    ]
    for way in ("elapsed", "CPU time"):
        two, one = (column(ours, f"{BATCH}, {threads} threads, {way}") for threads in (2, 1))
        work = f"{BATCH}, 2 threads, {way}"
        rows.append(compare(work, "batch", name, "the same, 1 thread", two, one, nv=model.nv))
    return rows


def column(times: list[Times], work: str) -> list[float]:
    return [measured[work] for measured in times]


def measure(arguments: argparse.Namespace) -> list[Row]:
    loops: tuple[type[Engine], ...] = (Loops, NativeLoops) if arguments.native else (Loops,)
    rounds = 3 if arguments.quick else ROUNDS
    rows: list[Row] = []
    for name in MODELS:
        print(name, file=sys.stderr, flush=True)
        rows += measure_model(name, (*loops, Specialised, Lanes), rounds)
        rows += measure_batch(name, rounds)
    for name in () if arguments.quick else LARGE:
        rows += measure_model(name, loops, rounds)
    return rows + means(rows, MODELS)


PART = Part("Kernels", measure)

if __name__ == "__main__":
    main(PART, flags=FLAGS)
