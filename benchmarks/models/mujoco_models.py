"""A canonical Model from MuJoCo's mjModel with all that smooth dynamics need; rejects models that it would
change.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from polybody import Model, ModelBuilder

SHIFTED = (
    2,
    3,
)  # slides and hinges: their coordinates count from qpos0, to which the bodies' poses belong
JOINTS = ("free", "ball", "slide", "hinge")
INTEGRATORS = {0: "Euler", 1: "RK4"}


def from_mujoco(compiled: Any, name: str = "") -> Model:
    """Bodies and joints of an mjModel with armature, dampers and springs, row by row as MuJoCo has them.

    Geoms, limits, equalities, frictionloss and actuators are not part of smooth, uncontrolled dynamics and
    are omitted; accelerations are MuJoCo's ``qacc_smooth`` at zero controls. Coordinates: :func:`offsets`.

    Raises:
        ValueError: passive forces or actuator biases that a Model cannot represent yet, or an integrator that
            it lacks, by name.
    """
    refused = [what for what, there in _beyond(compiled) if there]
    if refused:
        raise ValueError(f"{name or 'this model'}: {', '.join(refused)}")
    builder = ModelBuilder(
        name,
        timestep=float(compiled.opt.timestep),
        gravity=compiled.opt.gravity,
        integrator=INTEGRATORS[int(compiled.opt.integrator)],
        implicit_damping=not compiled.opt.disableflags & _disabled("EULERDAMP"),
    )
    shift = offsets(compiled)
    for body in range(1, compiled.nbody):
        builder.body(
            int(compiled.body_parentid[body]),
            name=compiled.body(body).name,
            pos=compiled.body_pos[body],
            quat=compiled.body_quat[body],
            mass=float(compiled.body_mass[body]),
            ipos=compiled.body_ipos[body],
            iquat=compiled.body_iquat[body],
            inertia=compiled.body_inertia[body],
        )
        first = int(compiled.body_jntadr[body])
        for joint in range(first, first + int(compiled.body_jntnum[body])):
            kind = JOINTS[int(compiled.jnt_type[joint])]
            nq, nv = {"free": (7, 6), "ball": (4, 3)}.get(kind, (1, 1))
            q = slice(int(compiled.jnt_qposadr[joint]), int(compiled.jnt_qposadr[joint]) + nq)
            v = slice(int(compiled.jnt_dofadr[joint]), int(compiled.jnt_dofadr[joint]) + nv)
            builder.joint(
                body,
                kind,
                name=compiled.joint(joint).name,
                axis=compiled.jnt_axis[joint] if nv == 1 else (0.0, 0.0, 1.0),
                pos=compiled.jnt_pos[joint] if kind != "free" else (0.0, 0.0, 0.0),
                armature=compiled.dof_armature[v],
                damping=compiled.dof_damping[v],
                stiffness=float(compiled.jnt_stiffness[joint]),
                spring=compiled.qpos_spring[q] - shift[q],
                qpos0=compiled.qpos0[q] - shift[q],
            )
    return builder.build()


def offsets(compiled: Any) -> NDArray[np.float64]:
    """MuJoCo's qpos minus ours, shape (nq,): the coordinate of a slide or hinge at rest is qpos0."""
    shift = np.zeros(compiled.nq)
    for joint in range(compiled.njnt):
        if int(compiled.jnt_type[joint]) in SHIFTED:
            address = int(compiled.jnt_qposadr[joint])
            shift[address] = compiled.qpos0[address]
    return shift


def _disabled(flag: str) -> int:
    return int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))


def _beyond(compiled: Any) -> list[tuple[str, bool]]:
    """Parts of MuJoCo's smooth dynamics that the Model cannot represent."""
    return [
        (
            "tendons with springs or dampers",
            bool(np.any(compiled.tendon_stiffness + compiled.tendon_damping)),
        ),
        ("a fluid", bool(compiled.opt.density or compiled.opt.viscosity)),
        ("gravity compensation", bool(np.any(compiled.body_gravcomp))),
        ("actuators with a bias", bool(np.any(compiled.actuator_biastype))),
        ("flexes", bool(compiled.nflex)),
        ("an implicit integrator", int(compiled.opt.integrator) not in INTEGRATORS),
        ("no gravity", bool(compiled.opt.disableflags & _disabled("GRAVITY"))),
        ("no passive forces", bool(compiled.opt.disableflags & _disabled("PASSIVE"))),
    ]
