"""Random states of a Model, and all columns at the evaluation that a step's results belong to.

The reference is `polybody.forward`, which is independent of the kernels that take steps: it evaluates one
instant. It is called at the state to which the step's results belong.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polybody as pb
from polybody.generated.model import Integrator
from polybody.model.observable import OBSERVABLE

Array = np.ndarray[Any, Any]
State = dict[str, Array]
Columns = dict[str, Array]
STATE = ("time", "qpos", "qvel", "act", "qacc_warmstart", "ctrl", "qfrc_applied", "mocap_pos", "mocap_quat")
"""What a step starts from."""
MOVED = ("time", "qpos", "qvel", "act", "qacc", "qacc_warmstart")
"""What a step computes besides its results."""
FIRST = ("sensordata", "subtree_linvel", "subtree_angmom", "energy")
"""Columns that belong to RK4's first stage whatever the others belong to."""


def random_state(model: pb.Model, rng: np.random.Generator, spread: float = 0.2) -> State:
    """A state near the initial one, and random inputs; `spread` of every degree of freedom is in rad or m."""
    start = pb.Data(model)
    turned = rng.normal(size=(model.nmocap, 4))
    state = {
        "time": np.array(float(rng.uniform(0, 2))),
        "qpos": pb.integrate_pos(model, start.qpos, spread * rng.normal(size=model.nv), 1.0),
        "qvel": start.qvel + spread * rng.normal(size=model.nv),
        "act": rng.uniform(0, 1, model.na),
        "qacc_warmstart": rng.normal(size=model.nv),
        "ctrl": rng.uniform(-1, 1, model.nu),
        "qfrc_applied": rng.normal(size=model.nv),
        "mocap_pos": start.mocap_pos + spread * rng.normal(size=(model.nmocap, 3)),
        "mocap_quat": turned / np.linalg.norm(turned, axis=1, keepdims=True),
    }
    return {name: np.array(x, dtype=np.float64) for name, x in state.items()}


def put(data: pb.Data, state: State) -> None:
    for name, x in state.items():
        if name in STATE:
            setattr(data, name, float(x) if name == "time" else x)


def results(data: pb.Data, names: tuple[str, ...] = OBSERVABLE) -> Columns:
    return {name: np.array(getattr(data, name), dtype=np.float64) for name in names}


def at(model: pb.Model, state: State) -> pb.Data:
    """A new simulation, evaluated at a state."""
    data = pb.Data(model)
    put(data, state)
    pb.forward(model, data)
    pb.energy(model, data)
    return data


def last_stage(model: pb.Model, state: State) -> State:
    """The state at which RK4 evaluates its last stage.

    Each stage's solver starts from the solution of the preceding one.
    """
    h, here = float(model.opt.timestep), dict(state)
    for ahead in (0.5, 0.5, 1.0):
        data = at(model, here)
        here |= {
            "qpos": pb.integrate_pos(model, state["qpos"], here["qvel"], ahead * h),
            "qvel": state["qvel"] + ahead * h * data.qacc,
            "qacc_warmstart": data.qacc_warmstart.copy(),
        }
        if model.opt_actuation_acts:
            here["act"] = state["act"] + ahead * h * data.act_dot
    return here


def staged(model: pb.Model) -> bool:
    """Whether steps evaluate several instants."""
    return bool(model.opt_integrator == Integrator.RK4)


def evaluated(model: pb.Model, state: State, stages: bool = True) -> State:
    """The state that a step from a state evaluates for its results other than FIRST; without stages, as
    forward() does, the state itself.
    """
    return last_stage(model, state) if stages and staged(model) else state


def compared(model: pb.Model, names: tuple[str, ...] = OBSERVABLE) -> tuple[str, ...]:
    """Those of some results that have any values."""
    return tuple(name for name in names if np.size(getattr(pb.Data(model), name)))


def reference(model: pb.Model, state: State, stages: bool = True) -> Columns:
    """All results of a step that starts from a state, or of forward()."""
    first = results(at(model, state), FIRST)
    return results(at(model, evaluated(model, state, stages))) | first
