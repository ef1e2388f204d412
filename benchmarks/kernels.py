"""The loop kernels against MuJoCo's smooth part and Pinocchio's ABA, the same trees and states for all.

Every engine runs in a C or C++ loop in a process of its own, round after round in turn, each round with a
fresh copy of each binary. Before a ratio is believed, the accelerations are compared: all engines must have
computed the same thing.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import ours, peers
from benchmarks.rows import Row, compare, main
from benchmarks.trees import TREES

ROUNDS = 7
Times = dict[str, dict[str, float]]  # of one round: microseconds by engine and work
AGREEMENT = 1e-6  # relative, of the largest acceleration; a chain of 1000 loses digits in every engine
FLAGS = (("--native", "compile ours and Pinocchio for this machine too (-march=native)"),)


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
    loop, mujoco = ours.build_loop(), peers.build_mujoco()
    builds = [peers.build_pinocchio(flags) for flags in ((False, True) if native else (False,))]

    def qacc() -> np.ndarray:
        return np.fromfile(files["qacc"]).reshape(peers.STATES, model.nv)

    times: list[Times] = []
    for _ in range(rounds):
        mine = ours.run(kernels, loop, files["model"], files["states"], files["qacc"], copies=folder)
        expected = qacc()
        theirs = peers.run(mujoco, files["mujoco"], files["states"], files["qacc"], copies=folder)
        check(f"{name}, MuJoCo", expected, qacc())
        conventions: dict[str, float] = {}
        for i, build in enumerate(builds):
            measured = peers.run(build, files["tree"], files["pin_states"], files["qacc"], copies=folder)
            check(f"{name}, Pinocchio", expected, peers.from_pinocchio(model, *states[:2], qacc()))
            conventions |= {f"{work}:{i}": value for work, value in measured.items()}
        times.append({"ours": mine, "MuJoCo": theirs, "Pinocchio": conventions})
    return rows_of(name, "loop, native" if native else "loop", times)


def rows_of(name: str, kernel: str, times: list[Times]) -> list[Row]:
    """Acceleration and step against both peers, Pinocchio in whichever convention and build is fastest."""
    rows = []
    for work, mujoco_name, pinocchio_name in (
        ("acceleration", "MuJoCo 3.2.7, smooth part", "Pinocchio 4.1.0, ABA"),
        ("step", "MuJoCo 3.2.7, mj_step", "Pinocchio 4.1.0, ABA and update"),
    ):
        mine, mujoco = ([measured[who][work] for measured in times] for who in ("ours", "MuJoCo"))
        variants = [variant for variant in times[0]["Pinocchio"] if variant.startswith(work)]
        pinocchio = min(([m["Pinocchio"][variant] for m in times] for variant in variants), key=np.median)
        rows.append(compare(work, kernel, name, mujoco_name, mine, mujoco))
        rows.append(compare(work, kernel, name, pinocchio_name, mine, pinocchio))
    return rows


def measure(arguments: argparse.Namespace) -> list[Row]:
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
