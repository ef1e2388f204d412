"""The loop kernels against MuJoCo's smooth part and Pinocchio's ABA, the same trees and states for all.

Every engine runs in a C or C++ loop in a process of its own, round after round in turn, each round with a
fresh copy of each binary. Before a ratio is believed, the accelerations are compared: all engines must have
computed the same thing.
"""

from __future__ import annotations

import argparse
import os
import pickle
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import ours, peers
from benchmarks.rows import Row, compare, main
from benchmarks.trees import TREES

ROUNDS = 7
AGREEMENT = 1e-6  # relative, of the largest acceleration; a chain of 1000 loses digits in every engine
FLAGS = (("--native", "compile ours and Pinocchio for this machine too (-march=native)"),)


def pin_to_one_core() -> None:
    """Keep this process and all that it starts on one core, the last it may use."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def check(name: str, ours_qacc: np.ndarray, theirs: np.ndarray) -> None:
    worst = float(abs(ours_qacc - theirs).max() / abs(theirs).max())
    if not worst < AGREEMENT:
        raise AssertionError(f"{name}: accelerations differ by {worst:.2e} of the largest")


def measure_tree(name: str, folder: Path, rounds: int, native: bool) -> list[Row]:
    """All rows of one tree."""
    model = TREES[name]()
    states = peers.states(model)
    files = {key: folder / key for key in ("model", "states", "mujoco", "tree", "pin_states", "qacc")}
    files["model"].write_bytes(pickle.dumps(model))
    peers.write_states(files["states"], *states)
    peers.write_mujoco(model, files["mujoco"])
    peers.write_pinocchio(model, files["tree"])
    peers.write_states(files["pin_states"], *peers.pinocchio_states(model, *states))

    kernels = ours.build_native() if native else ours.shipped()
    loop, mujoco, pinocchio = ours.build_loop(), peers.build_mujoco(), peers.build_pinocchio(native)

    def qacc() -> np.ndarray:
        return np.fromfile(files["qacc"]).reshape(peers.STATES, model.nv)

    times: dict[str, list[dict[str, float]]] = {"ours": [], "MuJoCo": [], "Pinocchio": []}
    for _ in range(rounds):
        times["ours"].append(
            ours.run(kernels, loop, files["model"], files["states"], files["qacc"], copies=folder)
        )
        mine = qacc()
        times["MuJoCo"].append(
            peers.run(mujoco, files["mujoco"], files["states"], files["qacc"], copies=folder)
        )
        check(f"{name}, MuJoCo", mine, qacc())
        times["Pinocchio"].append(
            peers.run(pinocchio, files["tree"], files["pin_states"], files["qacc"], copies=folder)
        )
        check(f"{name}, Pinocchio", mine, peers.from_pinocchio(model, *states[:2], qacc()))
    return rows_of(name, "loop, native" if native else "loop", times)


def rows_of(name: str, kernel: str, times: dict[str, list[dict[str, float]]]) -> list[Row]:
    """Acceleration and step against both peers; Pinocchio in whichever of its conventions is faster there."""
    rows = []
    for work in ("acceleration", "step"):
        mine = [measured[work] for measured in times["ours"]]
        mujoco = [measured[work] for measured in times["MuJoCo"]]
        conventions = [
            [measured[f"{work}:{c}"] for measured in times["Pinocchio"]] for c in ("local", "world")
        ]
        pinocchio = min(conventions, key=np.median)
        names = {
            "acceleration": ("MuJoCo 3.2.7, smooth part", "Pinocchio 4.1.0, ABA"),
            "step": ("MuJoCo 3.2.7, mj_step", "Pinocchio 4.1.0, ABA and update"),
        }[work]
        rows += [
            compare(work, kernel, name, peer, mine, t)
            for peer, t in zip(names, (mujoco, pinocchio), strict=True)
        ]
    return rows


def measure(arguments: argparse.Namespace) -> list[Row]:
    pin_to_one_core()
    rows: list[Row] = []
    for native in (False, True) if arguments.native else (False,):
        for name in TREES:
            if arguments.quick and name.endswith("1000"):
                continue
            with tempfile.TemporaryDirectory() as folder:
                rows += measure_tree(name, Path(folder), 3 if arguments.quick else ROUNDS, native)
    return rows


if __name__ == "__main__":
    main(measure, "Kernels (microseconds a call)", *FLAGS)
