"""URDF and SDFormat against Drake 1.51: masses, poses, mass matrix, forces and accelerations at random states.

Everything is compared in Drake's coordinates, in continuous time, constraints off on our side (Drake has no
acceleration with constraints). Random states follow from the file's `id` in a `manifest.json` above it, else
from its name.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polybody
from polybody.document.uris import declare
from polybody.lowering import lowered
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, FrameIndex, JointActuatorIndex, JointIndex, MultibodyForces

from tests.differential.identity import identity
from tests.differential.report import Comparison, condition

ENGINE = "Drake 1.51.1"
TIMEOUT = 240.0
"""Seconds for one file."""
STATES = 3
POLICY: polybody.Policy = "lenient"
NAMES = "names"
REPLACED = "inertia replaced"
ALONE = 3
"""Model instances of a plant of one model: the world's, one that is always there, and its own."""
TOLERANCES = {
    NAMES: 0.0,
    "mass": 1e-12,
    "centre of mass": 1e-12,
    "inertia": 1e-12,
    "start": 1e-12,
    "frames": 1e-10,
    "position": 1e-10,
    "rotation": 1e-10,
    "velocity": 1e-10,
    "M": 1e-9,
    "bias": 1e-9,
    "gravity": 1e-9,
    "forces": 1e-9,
    "vdot": 1e-9,
    "vdot, driven": 1e-9,
    "vdot, controlled": 1e-9,
}
MOVING = tuple(TOLERANCES)[6:]
SOLVED = tuple(name for name in TOLERANCES if name.startswith("vdot"))
"""What is solved for: accelerations with no control, with random ones, with controllers' desired state."""


def compare_files(
    paths: Sequence[Path],
    *,
    format: str,
    seed: int,
    workers: int,
    packages: dict[str, str],
    policy: polybody.Policy = POLICY,
) -> list[Comparison]:
    """Compare each file in a process of its own: Drake ends the process on some."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.differential.drake"])

    def alone(path: Path) -> Comparison:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_send, args=(path, format, seed, packages, policy, theirs))
        process.start()
        theirs.close()
        try:
            if ours.poll(TIMEOUT):
                found: Comparison = ours.recv()
                return found
            return Comparison(str(path), failure=f"no answer in {TIMEOUT:g} s")
        except EOFError:
            return Comparison(str(path), skipped="Drake: it ends the process")
        finally:
            process.kill()
            process.join(TIMEOUT)

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(alone, paths))


def _send(
    path: Path, format: str, seed: int, packages: dict[str, str], policy: polybody.Policy, pipe: Any
) -> None:
    try:
        pipe.send(compare(path, format, seed=seed, packages=packages, policy=policy))
    except Exception as error:  # of ours: whatever it is, the report goes on
        pipe.send(Comparison(str(path), failure=f"polybody: {type(error).__name__}: {error}"))


def compare(
    path: Path,
    format: str,
    *,
    seed: int = 0,
    packages: dict[str, str] | None = None,
    policy: polybody.Policy = POLICY,
) -> Comparison:
    """What differs between Drake's plant of a file and our Model."""
    result = Comparison(str(path))
    known = packages or {}
    try:
        plant = parsed(path, known)
    except Exception as error:
        result.skipped = "Drake: " + " ".join(str(error).split())[:200]
        return result
    try:
        with declare(known, ()):
            document = polybody.read(path, policy=policy, format=format)
            ours = lowered(document, disable=("constraint", "contact"), policy=policy, checked=True)
    except polybody.ValidationError as error:
        first = next(each for each in error.diagnostics if each.severity == "error")
        result.refused = f"{first.code} {first.message[:200]} (line {first.line})"
        return result
    if any(each.code == "PB047" for each in ours.findings):
        result.notes.append(REPLACED)
    name = identity(path)
    rng = np.random.default_rng([seed, int(hashlib.sha1(name.encode()).hexdigest()[:8], 16)])
    _Pair(plant, ours, result).run(rng)
    return result


def parsed(path: Path, packages: dict[str, str]) -> Any:
    """Drake's plant of a file, in continuous time, without geometry."""
    logging.getLogger("drake").setLevel(logging.CRITICAL)
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    parser.SetAutoRenaming(False)  # with it, a model into which a URDF is merged is split in two
    known = parser.package_map()
    for name, folder in packages.items():
        if known.Contains(name):
            known.Remove(name)
        known.Add(name, folder)
    for above in path.absolute().parents:
        if (above / "package.xml").exists():
            with contextlib.suppress(RuntimeError):  # Drake's own package is in another place already
                known.AddPackageXml(str(above / "package.xml"))
            break
    parser.AddModels(str(path.absolute()))
    plant.Finalize()
    return plant


class _Pair:
    """Drake's plant, and what a document was lowered to."""

    def __init__(self, plant: Any, ours: Any, result: Comparison) -> None:
        self.plant, self.ours, self.result = plant, ours, result
        self.model, self.native = ours.model, ours.native
        self.weightless = self.model.replace(opt_gravity=np.zeros(3))
        self.context = plant.CreateDefaultContext()
        self.data = polybody.Data(self.model)
        self.bodies = [plant.get_body(BodyIndex(row)) for row in range(1, plant.num_bodies())]
        self.several = plant.num_model_instances() > ALONE
        self.rows = [self._row(body) for body in self.bodies]

    def named(self, element: Any) -> str:
        """What the Model calls an element: its full name where there are several models."""
        scope = self.plant.GetModelInstanceName(element.model_instance())
        return f"{scope}::{element.name()}" if self.several else str(element.name())

    def _row(self, body: Any) -> int:
        return self.model.names["body"].index(self.named(body))

    def run(self, rng: np.random.Generator) -> None:
        """Add the errors of everything."""
        plant, result = self.plant, self.result
        theirs = (tuple(plant.GetPositionNames()), tuple(plant.GetVelocityNames()))
        same = theirs == (self.native.q_names, self.native.v_names)
        acting = [plant.get_joint_actuator(row) for row in plant.GetJointActuatorIndices()]
        same = same and [self.named(each) for each in acting] == list(self.model.names["actuator"])
        result.add_error(NAMES, float(not same))
        if len(theirs[0]) != self.native.nq or len(self.bodies) != self.model.nbody - 1:
            result.failure = "bodies or coordinates differ in number"
            return
        self.masses()
        self.frames()
        start = plant.GetPositions(self.context)
        result.add("start", self.native.q(self.model.qpos0), start)
        for number in range(STATES):
            q, v = start, np.zeros(plant.num_velocities())
            if number:
                q, v = self.random_state(start, rng)
            self.state(q, v, rng)

    def masses(self) -> None:
        mass, centre, inertia = [], [], []
        for body in self.bodies:
            found = body.CalcSpatialInertiaInBodyFrame(self.context)
            mass.append(found.get_mass())
            centre.append(found.get_com() if found.get_mass() > 0 else np.zeros(3))
            inertia.append(found.CalcRotationalInertia().CopyToFullMatrix3())
        model, rows = self.model, self.rows
        turn = polybody.rotations.matrix(model.body_iquat[rows])
        about_centre = np.einsum("nij,nj,nkj->nik", turn, model.body_inertia[rows], turn)
        at = model.body_ipos[rows]
        square = np.einsum("ni,ni->n", at, at)[:, None, None] * np.eye(3) - np.einsum("ni,nj->nij", at, at)
        about_origin = about_centre + model.body_mass[rows, None, None] * square
        self.result.add("mass", model.body_mass[rows], np.array(mass), scale=1e-300)
        self.result.add("centre of mass", at, np.array(centre).reshape(-1, 3))
        for ours, theirs in zip(about_origin, inertia, strict=True):
            self.result.add("inertia", ours, theirs, scale=1e-15)

    def frames(self) -> None:
        """The frames that the file names are sites; compare where they are in their bodies."""
        model = self.model
        for index in range(self.plant.num_frames()):
            frame = self.plant.get_frame(FrameIndex(index))
            name = self.named(frame) if frame.name() else ""
            if name not in model.names["site"]:
                continue
            row = model.names["site"].index(name)
            pose = frame.GetFixedPoseInBodyFrame()
            self.result.add("frames", model.site_pos[row], pose.translation(), scale=1.0)
            turn = polybody.rotations.matrix(model.site_quat[row])
            self.result.add("frames", turn, pose.rotation().matrix())

    def random_state(self, start: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        plant = self.plant
        q = start.copy()
        low, high = plant.GetPositionLowerLimits(), plant.GetPositionUpperLimits()
        bounded = np.isfinite(low) & np.isfinite(high) & (low < high)
        drawn = rng.uniform(-1.0, 1.0, len(q))
        q = np.where(bounded, low + (high - low) * (drawn + 1) / 2, q + drawn)
        for index in plant.GetJointIndices():
            joint = plant.get_joint(JointIndex(index))
            if joint.type_name() == "quaternion_floating":
                first = joint.position_start()
                turn = rng.normal(size=4)
                q[first : first + 4] = turn / np.linalg.norm(turn)
        return q, rng.uniform(-1.0, 1.0, plant.num_velocities())

    def state(self, q: np.ndarray, v: np.ndarray, rng: np.random.Generator) -> None:
        """Compare at one state."""
        plant, context, result = self.plant, self.context, self.result
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        data, model, native = self.data, self.model, self.native
        data.reset()
        data.qpos = native.qpos(q)
        data.qvel = native.qvel(q, v)
        polybody.forward(model, data)
        self.kinematics()
        if not len(v):
            return
        rates = native.rates(data.qpos)
        back = np.linalg.inv(rates)
        still = polybody.Data(self.weightless)
        still.qpos, still.qvel = data.qpos, data.qvel
        polybody.forward(self.weightless, still)
        mass = plant.CalcMassMatrix(context)
        drift = native.accelerations(data.qpos, data.qvel, np.zeros(len(v)))
        own = polybody.mass_matrix(model, data)
        result.add("M", back.T @ own @ back, mass)
        bias = back.T @ (still.qfrc_bias - own @ back @ drift)
        weight, inertial = self.terms(mass)
        result.add("bias", bias, plant.CalcBiasTerm(context), scale=inertial.max())
        gravity = back.T @ (still.qfrc_bias - data.qfrc_bias)
        result.add("gravity", gravity, plant.CalcGravityGeneralizedForces(context), scale=weight.max())
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        theirs = plant.CalcGeneralizedForces(context, forces)
        result.add("forces", gravity + back.T @ data.qfrc_passive, theirs, scale=weight.max())
        self.accelerations(q, v, mass, weight + inertial, rng)

    def terms(self, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How large weights and inertial forces are along each degree of freedom, of which sums may cancel.

        By the inequality of Cauchy and Schwarz: sum of m g.J is not more than g sqrt(sum m, sum m J^2), and
        the second sum is at most the diagonal of M.
        """
        model = self.model
        carried = np.sqrt(np.diagonal(mass) * model.body_subtreemass[model.dof_bodyid])
        speeds = [self.plant.EvalBodySpatialVelocityInWorld(self.context, body) for body in self.bodies]
        turning = max((np.linalg.norm(speed.rotational()) for speed in speeds), default=0.0)
        moving = max((np.linalg.norm(speed.translational()) for speed in speeds), default=0.0)
        inertial = turning * (turning + moving) * carried + turning * turning * np.diagonal(mass)
        return np.linalg.norm(model.opt_gravity) * carried, inertial

    def kinematics(self) -> None:
        plant, context, data, rows = self.plant, self.context, self.data, self.rows
        if not rows:
            return
        poses = [plant.EvalBodyPoseInWorld(context, body) for body in self.bodies]
        speeds = [plant.EvalBodySpatialVelocityInWorld(context, body) for body in self.bodies]
        self.result.add("position", data.xpos[rows], np.array([pose.translation() for pose in poses]))
        turns = np.array([pose.rotation().matrix() for pose in poses])
        self.result.add("rotation", data.xmat[rows].reshape(-1, 3, 3), turns)
        ours = []
        for row in rows:
            ours.append(polybody.velocity(self.model, data, row))
        theirs = np.array([np.concatenate([s.rotational(), s.translational()]) for s in speeds])
        self.result.add("velocity", np.array(ours), theirs)

    def accelerations(
        self,
        q: np.ndarray,
        v: np.ndarray,
        mass: np.ndarray,
        forces: np.ndarray,
        rng: np.random.Generator,
    ) -> None:
        plant, data, result = self.plant, self.data, self.result
        solved = condition(mass)
        efforts = np.array(
            [
                plant.get_joint_actuator(JointActuatorIndex(index)).effort_limit()
                for index in plant.GetJointActuatorIndices()
            ]
        )
        still = np.zeros(len(efforts))
        control = rng.uniform(-1.5, 1.5, len(efforts)) * np.where(np.isfinite(efforts), efforts, 10.0)
        gains = self.native.gains
        wanted = rng.uniform(-1.0, 1.0, 2 * len(gains))
        for name, given, desired in (
            ("vdot", still, None),
            ("vdot, driven", control, None),
            ("vdot, controlled", control, wanted),
        ):
            if (name != "vdot" and not len(given)) or (desired is not None and not len(desired)):
                continue
            try:
                theirs = self.their_vdot(given, desired)
            except Exception as error:
                result.withheld[name] = "Drake: " + " ".join(str(error).split())[:160]
                continue
            data.ctrl = given
            ours = self.native.vdot(data, self.goal(q, v, desired))
            scale = float((np.abs(np.linalg.inv(mass)) @ forces).max())
            result.add(name, ours, theirs, condition=solved, scale=scale)

    def goal(self, q: np.ndarray, v: np.ndarray, desired: np.ndarray | None) -> Any:
        if desired is None:
            return None
        gains = self.native.gains
        goal_q, goal_v = q.copy(), v.copy()
        for row, each in enumerate(gains):
            goal_q[each.q], goal_v[each.v] = desired[row], desired[len(gains) + row]
        return goal_q, goal_v

    def their_vdot(self, control: np.ndarray, desired: np.ndarray | None) -> np.ndarray:
        plant, context = self.plant, self.context
        if len(control):
            plant.get_actuation_input_port().FixValue(context, control)
        if desired is not None:
            controlled = [row for row in plant.GetJointActuatorIndices() if plant.get_joint_actuator(row).has_controller()]
            instance = plant.get_joint_actuator(JointActuatorIndex(controlled[0])).model_instance()
            plant.get_desired_state_input_port(instance).FixValue(context, desired)
        rates = plant.EvalTimeDerivatives(context).CopyToVector()
        return np.asarray(rates[plant.num_positions() :])


def table(found: Sequence[Comparison]) -> str:
    """How many files were lowered and refused, and why."""
    kinds: Counter[str] = Counter()
    for each in found:
        if each.skipped:
            kinds["not in Drake"] += 1
        elif each.refused:
            kinds[f"refused {each.refused.split()[0]}"] += 1
        else:
            kinds["lowered"] += 1
            for note in each.notes:
                kinds[f"  of these {note}"] += 1
            kinds["  of these with accelerations in Drake"] += "vdot" in each.measured
    return "\n".join(f"{count:>6}  {kind}" for kind, count in sorted(kinds.items()))


Compare = Callable[..., list[Comparison]]
