"""Programs made for one model compute what the reference machine does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from polybody.codegen.physics import aba, crba, energy, integrate, kinematics, passive, rnea
from polybody.codegen.specialised import Request, specialise

from .machines import Reference, Specialised
from .test_machines import close, columns_of
from .trees import Array, Body, Joint, chain, columns, random_state

Calls = tuple[Callable[..., None], ...]
KERNELS: dict[str, tuple[Calls, tuple[str, ...]]] = {
    "forward_kinematics": ((kinematics.forward_kinematics,), ("xpos", "xquat", "xmat")),
    "mass_matrix": ((crba.mass_matrix,), ("qM",)),
    "bias": ((rnea.bias,), ("qfrc_bias",)),
    "passive": ((passive.passive,), ("qfrc_passive",)),
    "inverse": ((rnea.inverse,), ("qfrc_inverse",)),
    "acceleration": ((passive.passive, aba.acceleration), ("qacc",)),
    "energy": ((energy.energy,), ("energy",)),
    "step": ((integrate.euler,), ("qpos", "qvel", "qacc")),
}


def state_of(c: dict[str, Array], reference: Reference, seed: int) -> dict[str, Array]:
    """A random state in the reference, and a copy of its columns."""
    for column, x in random_state(c, np.random.default_rng(seed)).items():
        reference.data[column][...] = x
    reference.data["qacc"][...] = reference.data["qvel"][::-1]
    return {column: x.copy() for column, x in reference.data.items()}


@pytest.mark.parametrize("seed", range(4))
def test_every_kernel_is_the_reference(seed: int, tmp_path: Path) -> None:
    c = columns_of(seed)
    special, reference = Specialised(c, Request(tuple(KERNELS)), tmp_path), Reference(c)
    for k in range(3):
        for name, (algorithms, results) in KERNELS.items():
            arrays = state_of(c, reference, k)
            for algorithm in algorithms:
                reference.call(algorithm)
            special.call(name, arrays)
            for column in results:
                assert close(arrays[column], reference.data[column]), (name, column)


@pytest.mark.parametrize("seed", range(2))
def test_steps_of_runge_and_kutta(seed: int, tmp_path: Path) -> None:
    c = columns_of(seed, integrator=1)
    special, reference = Specialised(c, Request(("step",)), tmp_path), Reference(c)
    arrays = state_of(c, reference, 0)
    reference.call(integrate.rk4)
    special.call("step", arrays)
    for column in ("qpos", "qvel", "qacc"):
        assert close(arrays[column], reference.data[column]), column


def test_what_the_model_decides_is_folded() -> None:
    """A planar chain is found to be planar: what it takes is a fraction of what a chain in space takes."""
    planar = columns([Body(b, [Joint("hinge")], np.array([1.0, 0, 0])) for b in range(4)])
    counts = [
        specialise(c, Request(("acceleration",))).kernels[0].operations for c in (planar, columns(chain(4)))
    ]
    assert counts[0] < 0.25 * counts[1]


def test_quarter_turns_are_exact(tmp_path: Path) -> None:
    """An arm whose frames are turned by quarter turns specialises as one, and computes the same."""
    half = 0.5**0.5
    bodies = [
        Body(b, [Joint("hinge")], np.array([0, 0.2, 0.1]), np.array([half, half, 0, 0])) for b in range(5)
    ]
    c = columns(bodies)
    special, reference = Specialised(c, Request(("acceleration",)), tmp_path), Reference(c)
    assert special.program.kernels[0].operations < 2000
    arrays = state_of(c, reference, 0)
    reference.call(passive.passive)
    reference.call(aba.acceleration)
    special.call("acceleration", arrays)
    assert close(arrays["qacc"], reference.data["qacc"])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(value: float) -> None:
    c = columns(chain(2))
    c["body_mass"][1] = value
    with pytest.raises(ValueError, match="body_mass has a number that is not finite"):
        specialise(c, Request(("step",)))


def test_requests_for_what_there_is_not() -> None:
    c = columns(chain(2))
    for request, text in (
        (Request(("fly",)), "no kernel 'fly'"),
        (Request(("step",), precision="float16"), "precision"),
        (Request(("step",), lanes=3), "lanes"),
        (Request(("step",), named=("body_colour",)), "body_colour"),
    ):
        with pytest.raises(ValueError, match=text):
            specialise(c, request)
