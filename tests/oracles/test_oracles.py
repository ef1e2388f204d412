"""The oracles compared with each other, so that an error in one of them is detected."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.differences import Differences
from tests.oracles.pinocchio_tree import NQ, NV, PinocchioTree
from tests.oracles.random_x_xy import WIDTHS, random_x_xy


def random_columns(rng, kinds):
    """A chain with some branches; body k + 1 has the joints kinds[k]."""
    n = len(kinds) + 1

    def quats(count):
        q = rng.normal(size=(count, 4))
        return q / np.linalg.norm(q, axis=1, keepdims=True)

    types = [t for group in kinds for t in group]
    axis = rng.normal(size=(len(types), 3))
    moments = rng.uniform(1, 1.9, (n, 3))
    return {
        "opt_gravity": rng.normal(size=3),
        "body_parentid": np.array([0] + [max(0, k - int(rng.integers(1, 3))) for k in range(1, n)]),
        "body_pos": rng.normal(size=(n, 3)),
        "body_quat": quats(n),
        "body_ipos": rng.normal(size=(n, 3)),
        "body_iquat": quats(n),
        "body_mass": rng.uniform(0.5, 2, n),
        "body_inertia": moments,
        "jnt_type": np.array(types),
        "jnt_bodyid": np.array([k + 1 for k, group in enumerate(kinds) for _ in group]),
        "jnt_pos": rng.normal(size=(len(types), 3)) * np.array([[t != 0] for t in types]),
        "jnt_axis": axis / np.linalg.norm(axis, axis=1, keepdims=True),
        "jnt_pitch": np.where(np.array(types) == 4, rng.normal(size=len(types)), 0),
        "dof_armature": rng.uniform(0, 1, sum(NV[t] for t in types)),
    }


@pytest.mark.parametrize(
    "kinds", [[[0], [1]], [[3], [2, 3], [4]], [[0, 2, 2], [1, 3], [2, 1, 4], [3]]], ids=str
)
def test_pinocchio_and_finite_differences_agree(kinds):
    rng = np.random.default_rng(0)
    columns = random_columns(rng, kinds)
    pinocchio = PinocchioTree(columns)
    differences = Differences(columns, pinocchio.kinematics)
    nq, nv = (sum(table[t] for t in columns["jnt_type"]) for table in (NQ, NV))
    qpos, qvel, qacc = rng.normal(size=nq), 0.5 * rng.normal(size=nv), rng.normal(size=nv)
    mass_matrix, force = pinocchio.mass_matrix(qpos), pinocchio.inverse(qpos, qvel, qacc)
    np.testing.assert_allclose(differences.mass_matrix(qpos), mass_matrix, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(differences.inverse(qpos, qvel, qacc), force, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(pinocchio.acceleration(qpos, qvel, force), qacc, rtol=1e-9, atol=1e-9)


def test_random_files_depend_on_the_seed_only():
    texts = [random_x_xy(np.random.default_rng([3, 4]), sorted(WIDTHS)) for _ in range(2)]
    assert texts[0] == texts[1] != random_x_xy(np.random.default_rng([3, 5]), sorted(WIDTHS))


def test_random_files_have_everything():
    text = "".join(random_x_xy(np.random.default_rng(k), sorted(WIDTHS), (2, 8)) for k in range(60))
    words = [f'joint="{joint}"' for joint in WIDTHS]
    words += [f'type="{kind}"' for kind in ("box", "sphere", "cylinder", "capsule", "xyz")]
    words += [
        "<defaults>",
        "euler=",
        "quat=",
        "pos=",
        "damping=",
        "armature=",
        "spring_stiff=",
        "spring_zero=",
        "<omc",
    ]
    assert [word for word in words if word not in text] == []
