"""URDF against Pinocchio: mass matrices and accelerations without springs and dampers.

Pinocchio fixes the root by default; here it floats unless it is the world, as in Drake.
Joints that follow others, planar and floating joints are skipped: Pinocchio defines them differently.
Impossible inertias are replaced as in Drake before Pinocchio reads them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import polybody
from polybody.diagnostics import Policy
from polybody.lowering import lowered
from polybody.rotations.arrays import matrix

from tests.differential.identity import identity
from tests.differential.report import Comparison, condition

ENGINE = "Pinocchio 4"
SUFFIX = ".urdf"
TOLERANCES = {"mass matrix": 1e-10, "acceleration": 1e-10}
STATES = 3


def compare_files(
    paths: Sequence[Path], *, seed: int, workers: int, steps: int, policy: Policy = "warn"
) -> list[Comparison]:
    """Compare each file at random states."""
    del workers, steps
    folder = Path(os.path.commonpath([path.parent for path in paths]))
    packages = [str(folder), str(folder.parent)]
    return [compare(path, seed=seed, packages=packages, policy=policy) for path in paths]


def compare(
    path: Path, *, seed: int = 0, packages: Sequence[str] = (), policy: Policy = "warn"
) -> Comparison:
    """Differences between Pinocchio's model of a file and ours."""
    result = Comparison(str(path))
    try:
        document = polybody.read(path, policy=policy, package_path=packages)
        made = lowered(document, policy=policy, disable=("constraint", "passive"))
    except polybody.ValidationError as error:
        first = next(each for each in error.diagnostics if each.severity == "error")
        result.refused = f"{first.code}: {first.message}"
        return result
    replace_inertias(document, made.findings)
    text, free = polybody.write(document), pinocchio.JointModelFreeFlyer()
    try:
        theirs = pinocchio.buildModelFromXML(text)
        floats = theirs.frames[1].name != "world"
        if floats:
            theirs = pinocchio.buildModelFromXML(text, free)
    except ValueError as error:
        result.skipped = f"Pinocchio: {' '.join(str(error).split())[:150]}"
        return result
    model = made.model.replace(dof_armature=np.zeros(made.model.nv))
    names = list(theirs.names)[1:]
    own = dict(made.native.v_slices)
    root = next((name for name in own if name not in names), None) if floats else None
    if root is None and floats:
        result.skipped = "the root has another place"
        return result
    if set(names) - {"root_joint"} != set(own) - {root}:
        result.skipped = "joints differ: planar, floating, or of another root"
        return result
    pair = _Pair(theirs, made, model, root, result)
    rng = np.random.default_rng([seed, len(identity(path))])
    for _ in range(STATES):
        pair.compare(rng)
    return result


def replace_inertias(document: Any, findings: Sequence[Any]) -> None:
    """Replace impossible inertias of links by Drake's spheres of water: Pinocchio accepts any inertia.

    A link keeps its mass, or gets 1 kg if it has none. The moments are those of density 1000 kg/m^3.
    """
    lines = {(each.line, each.column) for each in findings if each.code == "PB047"}
    for link in document.link:
        own = link.inertial
        if own is None or own.span is None or (own.span.line, own.span.column) not in lines:
            continue
        mass = own.mass.value if own.mass.value > 0 else 1.0
        moment = 0.4 * mass * (3 * mass / (4000 * math.pi)) ** (2 / 3)
        own.mass.value = mass
        for name in ("ixx", "iyy", "izz"):
            setattr(own.inertia, name, moment)
        for name in ("ixy", "ixz", "iyz"):
            setattr(own.inertia, name, 0.0)


class _Pair:
    """Pinocchio's model and ours."""

    def __init__(self, theirs: Any, made: Any, model: Any, root: str | None, result: Comparison) -> None:
        self.theirs, self.made, self.model, self.root, self.result = theirs, made, model, root, result
        self.store = theirs.createData()

    def compare(self, rng: np.random.Generator) -> None:
        """Compare at one random state."""
        native, theirs = self.made.native, self.theirs
        q, v = np.zeros(native.nq), rng.uniform(-1, 1, native.nv)
        their_q, their_v = pinocchio.neutral(theirs), np.zeros(theirs.nv)
        turn = np.zeros((theirs.nv, native.nv))  # from our velocities to theirs
        spin = np.zeros(theirs.nv)  # their accelerations if ours are zero
        for index, name in enumerate(list(theirs.names)[1:], 1):
            joint = theirs.joints[index]
            at, to = joint.idx_q, slice(joint.idx_v, joint.idx_v + joint.nv)
            key = self.root if name == "root_joint" else name
            place, moving = native.q_slices[key], native.v_slices[key]
            if name == "root_joint":
                quat = rng.normal(size=4)
                quat /= np.linalg.norm(quat)
                position = rng.uniform(-1, 1, 3)
                q[place] = [*quat, *position]
                their_q[at : at + 7] = [*position, *quat[1:], quat[0]]
                R = matrix(quat)
                turn[joint.idx_v : joint.idx_v + 3, moving.start + 3 : moving.stop] = R.T
                turn[joint.idx_v + 3 : joint.idx_v + 6, moving.start : moving.start + 3] = R.T
                angular, linear = v[moving][:3], v[moving][3:]
                spin[joint.idx_v : joint.idx_v + 3] = -np.cross(R.T @ angular, R.T @ linear)
            else:
                angle = rng.uniform(-1, 1)
                q[place] = angle
                their_q[at : at + joint.nq] = [np.cos(angle), np.sin(angle)] if joint.nq == 2 else angle
                turn[to, moving] = 1.0
        their_v = turn @ v
        data = polybody.Data(self.model)
        data.qpos, data.qvel = native.qpos(q), native.qvel(q, v)
        rates = native.rates(data.qpos)
        back = np.linalg.inv(rates)
        ours = back.T @ polybody.mass_matrix(self.model, data) @ back
        matrix_ = pinocchio.crba(theirs, self.store, their_q)
        matrix_ = np.triu(matrix_) + np.triu(matrix_, 1).T
        mass = turn.T @ matrix_ @ turn
        self.result.add("mass matrix", ours, mass)
        solved = condition(mass)
        polybody.forward(self.model, data)
        if not np.isfinite(data.qacc).all():
            self.result.withheld["acceleration"] = "the mass matrix is singular"
            return
        acceleration = native.accelerations(data.qpos, data.qvel, data.qacc)
        found = pinocchio.aba(theirs, self.store, their_q, their_v, np.zeros(theirs.nv))
        self.result.add("acceleration", turn @ acceleration + spin, found, solved)
