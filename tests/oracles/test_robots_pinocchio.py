"""Real robots in Pinocchio, as it reads their URDFs: its results equal ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from benchmarks.models import load, robots
from benchmarks.models.pinocchio_models import Coordinates
from tests.oracles.pinocchio_tree import PinocchioTree
from tests.oracles.robots import Columns, Reals, error, full, loops, random_states, specialised

COUNT = 5
OTHERS = ("iiwa", "half-cheetah", "humanoid", "chain of 10", "chain of 100", "chain of 400")
SPECIALISED = ("panda", "talos", "iiwa", "humanoid", "chain of 100")


def answers(name: str, given: Columns) -> dict[str, Reals]:
    """Pinocchio's results: body positions, M, bias, accelerations without passive forces, in our
    coordinates.
    """
    model = load(name)
    if name in robots.URDF:
        return from_urdf(
            robots.pinocchio_model(name), Coordinates(model, robots.pinocchio_model(name)), given
        )
    tree = PinocchioTree(model.columns)
    states = list(zip(given["qpos"], given["qvel"], given["qfrc_applied"], strict=True))
    return {
        "xpos": np.array([tree.kinematics(q)[0] for q, _, _ in states]),
        "M": np.array([tree.mass_matrix(q) for q, _, _ in states]),
        "bias": np.array([tree.bias(q, v) for q, v, _ in states]),
        "qacc": np.array([tree.acceleration(q, v, f) for q, v, f in states]),
    }


def from_urdf(robot: Any, there: Coordinates, given: Columns) -> dict[str, Reals]:
    """From Pinocchio's own model of the URDF, whose free joint has its velocity in body axes."""
    qpos, qvel = given["qpos"], given["qvel"]
    q, v = there.positions(qpos), there.velocities(qpos, qvel)
    still = there.velocities(qpos, there.accelerations(qpos, qvel, np.zeros_like(qvel)))
    data = robot.createData()
    found: dict[str, list[Reals]] = {"xpos": [], "M": [], "bias": [], "qacc": []}
    for k, force in enumerate(there.forces(qpos, given["qfrc_applied"])):
        pin.forwardKinematics(robot, data, q[k])
        found["xpos"].append(np.array([place.translation for place in data.oMi]))
        M = np.triu(pin.crba(robot, data, q[k]))
        found["M"].append(M + np.triu(M, 1).T)
        found["bias"].append(pin.rnea(robot, data, q[k], v[k], -still[k]))  # where our qacc is 0
        found["qacc"].append(np.array(pin.aba(robot, data, q[k], v[k], force)))
    result = {what: np.array(rows) for what, rows in found.items()}
    return result | {
        "M": there.matrices(qpos, result["M"]),
        "bias": there.covectors(qpos, result["bias"]),
        "qacc": there.accelerations(qpos, qvel, result["qacc"]),
    }


@pytest.mark.parametrize("name", [*robots.URDF, *OTHERS])
def test_loops(name: str) -> None:
    model = load(name)
    model = model.replace(dof_damping=0 * model.dof_damping, dof_stiffness=0 * model.dof_stiffness)
    given, ours = random_states(model, COUNT), loops(model)
    theirs = answers(name, given)
    assert error(ours("forward_kinematics", given)["xpos"], theirs["xpos"]) < 1e-12
    assert error(full(model, ours("mass_matrix", given)["qM"]), theirs["M"]) < 1e-12
    assert error(ours("bias", given)["qfrc_bias"], theirs["bias"]) < 1e-10
    assert error(ours("acceleration", given)["qacc"], theirs["qacc"]) < 1e-10


@pytest.mark.parametrize("name", SPECIALISED)
def test_specialised(name: str) -> None:
    model = load(name)
    model = model.replace(dof_damping=0 * model.dof_damping, dof_stiffness=0 * model.dof_stiffness)
    given = random_states(model, COUNT)
    ours = specialised(model, kernels=("acceleration",))("acceleration", given)
    assert error(ours["qacc"], answers(name, given)["qacc"]) < 1e-10
