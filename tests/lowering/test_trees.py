"""Every joint type, alone and in random trees with random offsets, from text to forces and accelerations.

Against Pinocchio, and against finite differences of our own kinematics and energies.
"""

from __future__ import annotations

import numpy as np
import polybody
import pytest

from tests.lowering.models import body, lowered, world
from tests.oracles.differences import Differences, first, lagrange
from tests.oracles.pinocchio_tree import BALL, FREE, NV, PinocchioTree
from tests.oracles.random_x_xy import QUATERNION, WIDTHS, random_x_xy

JOINTS = sorted(WIDTHS)
MOVING = [joint for joint in JOINTS if joint != "frozen"]
LAGRANGIAN = [joint for joint in MOVING if joint not in QUATERNION]
SOLID = (
    '<geom type="box" mass="2" pos="0.1 -0.2 0.3" euler="10 20 30" dim="0.2 0.3 0.5"/>'
    '<geom type="capsule" mass="0.5" pos="0 0.3 0" quat="0.5 0.5 -0.5 0.5" dim="0.1 0.4"/>'
)


def alone(joint, seed):
    """The joint on a rotated, shifted base, with a body attached to it."""
    rng = np.random.default_rng(seed)

    def place():
        return {
            "pos": " ".join(f"{x:.3f}" for x in rng.uniform(-1, 1, 3)),
            "euler": " ".join(f"{x:.3f}" for x in rng.uniform(-180, 180, 3)),
        }

    armature = {"armature": " ".join(["0.1"] * WIDTHS[joint][1])} if joint == "cor" else {}
    hanging = body("ry", SOLID, name="hanging", **place())
    return lowered(
        world(
            body("rz", SOLID + body(joint, SOLID + hanging, **place(), **armature), name="base", **place())
        ),
        seed=seed,
    )


def tree(seed, joints=MOVING):
    return lowered(random_x_xy(np.random.default_rng(seed), joints, (6, 12)), seed=seed)


def random_state(result, seed, rate=1.0):
    """qpos with quaternions of any length near 1, qvel and qacc."""
    model, rng = result.model, np.random.default_rng(seed)
    qpos = rng.normal(size=model.nq)
    return qpos, rate * rng.normal(size=model.nv), rng.normal(size=model.nv)


def error(ours, theirs):
    return np.abs(ours - theirs).max(initial=0) / max(np.abs(theirs).max(initial=0), 1e-6)


def evaluated(result, qpos, qvel):
    data = polybody.Data(result.model)
    data.qpos, data.qvel = qpos, qvel
    polybody.forward(result.model, data)
    return data


def inverse(result, data, qacc):
    """M qacc + bias: our inverse dynamics without passive forces and regularization."""
    data.qacc = qacc
    polybody.inverse(result.model, data)
    return data.qfrc_inverse + data.qfrc_passive - float(result.model.opt_regularization) * qacc


def assert_agrees_with_pinocchio(result, seed, tolerance=1e-10):
    model, pinocchio = result.model, PinocchioTree(result.model.columns)
    qpos, qvel, qacc = random_state(result, seed)
    data = evaluated(result, qpos, qvel)
    pos, mat = pinocchio.kinematics(qpos)
    bias = pinocchio.bias(qpos, qvel)
    acceleration = pinocchio.acceleration(qpos, qvel, data.qfrc_passive, float(model.opt_regularization))
    found = {
        "xpos": error(data.xpos, pos),
        "xmat": error(data.xmat.reshape(-1, 3, 3), mat),
        "bias": error(data.qfrc_bias, bias),
        "M": error(polybody.mass_matrix(model, data), pinocchio.mass_matrix(qpos)),
        "qacc": error(data.qacc, acceleration),
    }
    found["inverse"] = error(inverse(result, data, qacc), pinocchio.inverse(qpos, qvel, qacc))
    assert max(found.values()) < tolerance, found


@pytest.mark.parametrize("joint", JOINTS)
@pytest.mark.parametrize("seed", range(3))
def test_each_joint_against_pinocchio(joint, seed):
    assert_agrees_with_pinocchio(alone(joint, seed), seed)


@pytest.mark.parametrize("seed", range(40))
def test_random_trees_against_pinocchio(seed):
    assert_agrees_with_pinocchio(tree(seed), seed)


def assert_agrees_with_differences(result, seed, tolerance=1e-9):
    model = result.model
    qpos, qvel, qacc = random_state(result, seed, rate=0.5)
    scratch = polybody.Data(model)

    def place(q):
        scratch.qpos = q
        polybody.forward_kinematics(model, scratch)
        return scratch.xpos.copy(), scratch.xmat.reshape(-1, 3, 3).copy()

    differences = Differences(model.columns, place)
    data = evaluated(result, qpos, qvel)
    found = {"M": error(polybody.mass_matrix(model, data), differences.mass_matrix(qpos))}
    found["inverse"] = error(inverse(result, data, qacc), differences.inverse(qpos, qvel, qacc))
    assert max(found.values()) < tolerance, found


@pytest.mark.parametrize("joint", JOINTS)
def test_each_joint_against_differences_of_kinematics(joint):
    assert_agrees_with_differences(alone(joint, 5), 5)


@pytest.mark.parametrize("seed", range(5))
def test_random_trees_against_differences_of_kinematics(seed):
    assert_agrees_with_differences(tree(100 + seed), seed)


@pytest.mark.parametrize("seed", range(5))
def test_lagranges_equations(seed):
    """Forces from the energies alone, including springs, without armature."""
    result = tree(200 + seed, LAGRANGIAN)
    model, scratch = result.model, polybody.Data(result.model)
    qpos, qvel, qacc = random_state(result, seed, rate=0.5)

    def energy(q, v):
        scratch.qpos, scratch.qvel = q, v
        polybody.forward(model, scratch)
        polybody.energy(model, scratch)
        return scratch.energy.copy()

    forces = lagrange(lambda q, v: energy(q, v)[1], lambda q: energy(q, 0 * qvel)[0], qpos, qvel, qacc)
    data = evaluated(result, qpos, qvel)
    springs = data.qfrc_passive + model.dof_damping * qvel
    assert error(inverse(result, data, qacc) - springs, forces) < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_forces_of_springs_are_the_slope_of_their_energy(seed):
    """With one stiffness for all axes of a rotation; otherwise the components times k_i have no potential."""
    result = tree(300 + seed)
    stiffness = result.model.dof_stiffness.copy()
    for joint, start in zip(result.model.jnt_type, result.model.jnt_dofadr, strict=True):
        if joint in (BALL, FREE):
            turn = slice(start + NV[joint] - 3, start + NV[joint])
            stiffness[turn] = stiffness[turn][0]
    model = result.model.replace(
        opt_gravity=np.zeros(3), dof_damping=np.zeros(result.model.nv), dof_stiffness=stiffness
    )
    result = result._replace(model=model)
    qpos, qvel, _ = random_state(result, seed)
    move = Differences(model.columns, lambda q: None).move

    def potential(q):
        data = evaluated(result, q, 0 * qvel)
        return np.array(polybody.energy(model, data)[0])

    slope = [first(lambda t, u=u: potential(move(qpos, t * u)), 1e-3) for u in np.eye(model.nv)]
    assert error(evaluated(result, qpos, 0 * qvel).qfrc_passive, -np.array(slope)) < 1e-9
