"""MuJoCo in a C loop on libmujoco: its smooth part and its step."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from benchmarks.engine import Engine, Reals, Times, compiled, fresh, run, write_states

if TYPE_CHECKING:
    from polybody import Model

SOURCE = Path(__file__).parent / "mujoco.c"


class MuJoCo(Engine):
    """``mj_kinematics`` to ``mj_solveM`` and ``mj_step``, with constraints and contacts disabled."""

    label = "MuJoCo 3.2.7"

    def __init__(self, model: Model, states: tuple[Reals, Reals, Reals], folder: Path) -> None:
        super().__init__(model, states, folder)
        mujoco.mj_saveModel(compile_model(model), str(folder / "model.mjb"), None)
        write_states(folder / "states", *states)

    def measure(self) -> Times:
        program = fresh(build(), self.folder)
        return run(program, *(self.folder / name for name in ("model.mjb", "states", "qacc")))

    def accelerations(self) -> Reals:
        return self.result()


def compile_model(model: Model) -> Any:
    """Our Model as a compiled mjModel, through MjSpec (files cannot nest 1000 deep).

    Raises:
        ValueError: bodies that MuJoCo would renumber.
    """
    spec = mujoco.MjSpec()
    spec.option.timestep = model.opt_timestep
    spec.option.gravity = model.opt_gravity
    spec.option.integrator = int(model.opt_integrator)  # Euler and RK4 have the same codes
    bodies = [spec.worldbody]
    for i in range(1, model.nbody):
        body = bodies[model.body_parentid[i]].add_body(
            name=f"b{i}",
            pos=model.body_pos[i],
            quat=model.body_quat[i],
            mass=model.body_mass[i],
            ipos=model.body_ipos[i],
            iquat=model.body_iquat[i],
            inertia=model.body_inertia[i],
            explicitinertial=True,
        )
        bodies.append(body)
        for joint in np.flatnonzero(model.jnt_bodyid == i):
            dof = model.jnt_dofadr[joint]
            body.add_joint(
                type=mujoco.mjtJoint(int(model.jnt_type[joint])),
                axis=model.jnt_axis[joint],
                pos=model.jnt_pos[joint],
                armature=model.dof_armature[dof],
                damping=model.dof_damping[dof],
                stiffness=model.dof_stiffness[dof],
                springref=model.qpos_spring[model.jnt_qposadr[joint]],
            )
    made = spec.compile()
    if not np.array_equal(made.body_parentid, model.body_parentid):
        raise ValueError(
            "MuJoCo renumbers these bodies; list a body's children right after it, subtree by subtree"
        )
    off = mujoco.mjtDisableBit
    made.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_CONSTRAINT
    if not model.opt_implicit_damping:
        made.opt.disableflags |= off.mjDSBL_EULERDAMP
    return made


def build() -> Path:
    """The timing program linked to the wheel's own library."""
    package = Path(mujoco.__file__).parent
    library = next(package.glob("libmujoco.so.*"))
    flags = ["-O2", f"-I{package / 'include'}", str(library), f"-Wl,-rpath,{package}"]
    return compiled(SOURCE, os.environ.get("CC", "cc"), flags, version("mujoco"))
