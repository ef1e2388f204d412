"""Real robots: every kernel of ours gives the same numbers, and they solve the equation of motion."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from polybody import Model

from benchmarks.models import load
from tests.amounts import some
from tests.oracles.robots import (
    LANES,
    RESULTS,
    Columns,
    Kernel,
    Reals,
    error,
    full,
    loops,
    random_states,
    specialised,
)

ROBOTS = (
    "iiwa",
    "panda",
    "ur5",
    "kinova",
    "half-cheetah",
    "anymal",
    "humanoid",
    "romeo",
    "talos",
    "chain of 10",
)
LARGE = ("chain of 100",)  # above the default limit of unrolling
HUGE = ("chain of 400", "chain of 1000")
COUNT = 5 * LANES // 2  # the last block of lanes is not full
IN_LANES = ("acceleration", "step")


def tolerance(model: Model) -> float:
    """Up to 38 degrees of freedom 1e-12 of the largest number, 1e-10 at 100."""
    return 1e-12 if model.nv <= 38 else 1e-10


@cache
def reference(name: str, count: int = COUNT) -> tuple[Columns, dict[str, Columns]]:
    """Random states, and the results of the loop kernels."""
    model = load(name)
    given, call = random_states(model, count), loops(model)
    return given, {kernel: call(kernel, given) for kernel in RESULTS}


def residual(model: Model, given: Columns, expected: dict[str, Columns], qacc: Reals) -> float:
    """The residual M qacc + qfrc_bias - qfrc_passive - qfrc_applied relative to the sum of the terms'
    magnitudes, by rows.
    """
    M = full(model, expected["mass_matrix"]["qM"])
    forces = (expected["bias"]["qfrc_bias"], -expected["passive"]["qfrc_passive"], -given["qfrc_applied"])
    left = np.einsum("nij,nj->ni", M, qacc) + sum(forces)
    terms = np.einsum("nij,nj->ni", abs(M), abs(qacc)) + sum(abs(force) for force in forces)
    return float((abs(left) / terms).max())


def compare(name: str, call: Kernel, kernels: tuple[str, ...]) -> None:
    model = load(name)
    given, expected = reference(name)
    for kernel in kernels:
        found = call(kernel, given)
        for column, values in found.items():
            assert error(values, expected[kernel][column]) < tolerance(model), (kernel, column)
        if kernel == "acceleration":
            assert residual(model, given, expected, found["qacc"]) < 1e-13


@pytest.mark.parametrize("name", some(ROBOTS, 4))
def test_specialised_kernels_compute_what_loops_do(name: str) -> None:
    compare(name, specialised(load(name)), tuple(RESULTS))


@pytest.mark.parametrize("name", LARGE)
def test_large_specialised_kernels_compute_what_loops_do(name: str) -> None:
    kernels = tuple(kernel for kernel in RESULTS if kernel != "mass_matrix")  # thousands of entries
    compare(name, specialised(load(name), kernels=kernels), kernels)


@pytest.mark.parametrize("name", some([*ROBOTS, *LARGE], 4))
def test_every_lane_computes_what_loops_do(name: str) -> None:
    compare(name, specialised(load(name), LANES, IN_LANES), IN_LANES)


@pytest.mark.parametrize("name", [*ROBOTS, *LARGE, *HUGE])
def test_loops_solve_the_equation_of_motion(name: str) -> None:
    model = load(name)
    given, expected = reference(name, COUNT if model.nv <= 100 else 2)
    assert residual(model, given, expected, expected["acceleration"]["qacc"]) < 1e-13
    back = loops(model)("inverse", given | {"qacc": expected["acceleration"]["qacc"]})["qfrc_inverse"]
    forces = given["qfrc_applied"] + expected["passive"]["qfrc_passive"]
    scale = (
        abs(full(model, expected["mass_matrix"]["qM"])) @ abs(expected["acceleration"]["qacc"])[:, :, None]
    )
    assert (abs(back - forces) / (scale[:, :, 0] + abs(forces))).max() < 1e-12
