"""Pinocchio in a C++ loop on its headers, compiled with the flags of its releases and for the present
machine.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.engine import Engine, Reals, Times, compiled, fresh, run, write_states
from benchmarks.models.pinocchio_models import Coordinates
from benchmarks.peers.tree import tree

if TYPE_CHECKING:
    from polybody import Model

SOURCE = Path(__file__).parent / "pinocchio.cpp"


class Pinocchio(Engine):
    """``aba``, ``rnea``, ``crba`` in every convention and build, of which kernels.py uses the fastest."""

    label = "Pinocchio 4.1.0"

    def __init__(self, model: Model, states: tuple[Reals, Reals, Reals], folder: Path) -> None:
        super().__init__(model, states, folder)
        (folder / "tree").write_text(text(model), encoding="utf-8")
        q, v, tau = states
        there = Coordinates(model)
        write_states(folder / "states", there.positions(q), there.velocities(q, v), there.forces(q, tau))

    def measure(self) -> Times:
        times: Times = {}
        for native in (False, True):
            program = fresh(build(native), self.folder)
            measured = run(program, *(self.folder / name for name in ("tree", "states", "qacc")))
            suffix = ", native" if native else ""
            times |= {f"{work}{suffix}": value for work, value in measured.items()}
        return times

    def accelerations(self) -> Reals:
        return Coordinates(self.model).accelerations(*self.states[:2], self.result())


def text(model: Model) -> str:
    """Our Model as pinocchio.cpp reads it: one joint per line."""

    def numbers(*values: object) -> str:
        return " ".join(repr(float(number)) for value in values for number in np.ravel(np.asarray(value)))

    joints = tree(model)
    rows = [f"{numbers(model.opt_gravity, model.opt_timestep)} {len(joints)}"]
    for joint in joints:
        place = numbers(joint.axis, joint.rotation, joint.translation)
        rows.append(f"{joint.parent} {joint.kind} {place} {numbers(*joint.load(), joint.armature)}")
    return "\n".join(rows) + "\n"


def build(native: bool) -> Path:
    includes = [folder for path in sys.path for folder in _cmeel_includes(Path(path))]
    limits = ["LIMIT_LIST_SIZE=30", "LIMIT_VECTOR_SIZE=30", "CFG_NO_PREPROCESSED_HEADERS"]
    flags = ["-std=c++17", "-O3", "-DNDEBUG", "-w", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"]
    flags += [f"-DBOOST_MPL_{limit}" for limit in limits] + [f"-I{folder}" for folder in includes]
    flags += ["-march=native"] if native else []
    return compiled(SOURCE, os.environ.get("CXX", "c++"), flags, version("pin"))


def _cmeel_includes(site: Path) -> list[Path]:
    include = site / "cmeel.prefix" / "include"
    return [folder for folder in (include, include / "eigen3") if folder.is_dir()]
