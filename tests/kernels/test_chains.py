"""The mass matrix computed chain by chain: the same numbers as link by link."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from polybody.codegen.physics import crba
from polybody.codegen.physics.links import CHAIN
from polybody.codegen.specialised import Request
from polybody.generated.kernels import dynamics, layout

from benchmarks.ours.reference import Reference

from .machines import Specialised
from .trees import Array, Body, chain, columns, dense, random_body, random_joint, random_state, random_tree


def matrix(c: dict[str, Array], state: dict[str, Array], chains: int) -> Array:
    """The matrix with each row and column divided by the root of its diagonal entry."""
    model = layout.KernelModel({**c, "opt_chains": np.array([chains], np.int32)})
    data = layout.KernelData(model)
    data.array("qM")
    data.array("qpos")[...] = state["qpos"]
    dynamics.mass_matrix(model, data)
    M = dense(c, data.array("qM"))
    root = np.sqrt(np.diag(M))
    return np.asarray(M / np.outer(root, root))


def branching(seed: int) -> list[Body]:
    """A long chain with all kinds of joints, with branches at random links."""
    rng = np.random.default_rng(seed)
    bodies: list[Body] = []
    for b in range(1, 70):
        parent = b - 1 if b == 1 or rng.random() < 0.9 else int(rng.integers(b))
        kind = "free" if b == 1 else str(rng.choice(["hinge", "hinge", "slide", "ball", "screw"]))
        bodies.append(random_body(rng, parent, [random_joint(rng, kind)]))
    return bodies


@pytest.mark.parametrize("seed", range(12))
def test_chains_are_link_by_link(seed: int) -> None:
    bodies = branching(seed) if seed < 4 else random_tree(seed)
    c = columns(bodies, seed, armature=0.2)
    state = random_state(c, np.random.default_rng(seed))
    expected = matrix(c, state, 0)
    assert abs(matrix(c, state, 1) - expected).max() < 1e-12


def test_long_chains_keep_their_digits() -> None:
    """Accuracy does not depend on where the robot is, nor on the distance of its end from its root."""
    c = columns(chain(10 * CHAIN), 0)
    state = random_state(c, np.random.default_rng(0), 0.1)
    expected = matrix(c, state, 0)
    c["body_pos"][1] = 1e6
    assert abs(matrix(c, state, 1) - expected).max() < 1e-12


def test_limbs_that_are_alike_go_along_chains_together(tmp_path: Path) -> None:
    """Two arms of nine links on a trunk of two, in one program."""
    rng = np.random.default_rng(0)
    trunk = [random_body(rng, b, [random_joint(rng, "hinge")]) for b in (0, 1)]
    arms = [[random_body(rng, 2, [random_joint(rng, "hinge")])] for _ in range(2)]
    for n, arm in enumerate(arms):
        arm += [random_body(rng, 3 + 9 * n + k, [random_joint(rng, "hinge")]) for k in range(8)]
    c = columns([*trunk, *arms[0], *arms[1]], 0)
    c["opt_chains"][...] = 1
    state = random_state(c, np.random.default_rng(0))
    program = Specialised(c, Request(("mass_matrix",)), tmp_path)
    found = np.empty(int((c["dof_depth"] + 1).sum()))
    program.call("mass_matrix", {"qpos": state["qpos"], "qM": found})
    M = dense(c, found)
    root = np.sqrt(np.diag(M))
    assert abs(M / np.outer(root, root) - matrix(c, state, 0)).max() < 1e-13
    assert any("real_2" in text for text in program.program.texts)


def test_the_reference_goes_along_chains() -> None:
    c = columns(branching(0)[:30], 0)
    state = random_state(c, np.random.default_rng(0))
    c["opt_chains"][...] = 1
    reference = Reference(c)
    reference.data["qpos"][...] = state["qpos"]
    reference.call(crba.mass_matrix)
    M = dense(c, reference.data["qM"])
    root = np.sqrt(np.diag(M))
    assert abs(M / np.outer(root, root) - matrix(c, state, 1)).max() < 1e-13
