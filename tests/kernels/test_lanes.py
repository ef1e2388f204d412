"""Programs for batches: several states side by side, each computed as if it were alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from polybody.codegen.specialised import Request

from tests.amounts import some

from .machines import Specialised
from .test_machines import close, columns_of
from .trees import Array, chain, columns, random_state

KERNELS = (
    "forward_kinematics", "mass_matrix", "bias", "passive", "inverse", "acceleration", "energy", "step",
)  # fmt: skip


def states(c: dict[str, Array], n: int) -> list[dict[str, Array]]:
    """n random states with accelerations."""
    made = [random_state(c, np.random.default_rng(k)) for k in range(n)]
    for state in made:
        state["qacc"] = state["qvel"][::-1].copy()
    return made


def call(
    special: Specialised, name: str, given: list[dict[str, Array]], precision: str
) -> list[dict[str, Array]]:
    """The columns that a kernel stores, for each of the states that the program computes at once."""
    kernel, _ = special.kernels[name]
    block = {}
    for column, size in zip(kernel.columns, kernel.sizes, strict=True):
        block[column] = np.zeros((size, len(given)), precision)
        for lane, state in enumerate(given):
            if column in state:
                block[column][:, lane] = state[column]
    special.call(name, block)
    return [{c: x[:, lane].copy() for c, x in block.items()} for lane in range(len(given))]


@pytest.mark.parametrize(("lanes", "seed"), some([(2, 0), (4, 1), (8, 2), (8, 3)], 2))
def test_every_lane_is_a_single_state(lanes: int, seed: int, tmp_path: Path) -> None:
    c = columns_of(seed)
    (tmp_path / "one").mkdir()
    single = Specialised(c, Request(KERNELS), tmp_path / "one")
    batch = Specialised(c, Request(KERNELS, lanes=lanes), tmp_path)
    given = states(c, lanes)
    for name in KERNELS:
        for state, many in zip(given, call(batch, name, given, "float64"), strict=True):
            (alone,) = call(single, name, [state], "float64")
            for column, x in alone.items():
                if column in many or column not in ("actuator_force", "qfrc_actuator", "act_dot"):
                    assert close(many[column], x, 1e-12), (name, column)


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_bits_do_not_depend_on_the_lane(precision: str, tmp_path: Path) -> None:
    c, lanes = columns_of(3), 8 if precision == "float64" else 16
    batch = Specialised(c, Request(KERNELS, precision, lanes), tmp_path)
    given = states(c, lanes)
    given[5]["qpos"][-1] = 3e7  # one that the library computes
    for name in KERNELS:
        straight = call(batch, name, given, precision)
        turned = call(batch, name, given[3:] + given[:3], precision)
        for lane, state in enumerate(turned):
            for column, x in state.items():
                assert x.tobytes() == straight[(lane + 3) % lanes][column].tobytes(), (name, column)


def test_single_precision(tmp_path: Path) -> None:
    """Accelerations of a chain of 10 in single precision: the error stated in docs/specialised.md."""
    c = columns(chain(10), 0, armature=0.1)
    (tmp_path / "one").mkdir()
    single = Specialised(c, Request(("acceleration",)), tmp_path / "one")
    batch = Specialised(c, Request(("acceleration",), "float32", 16), tmp_path)
    errors = []
    given = states(c, 16)
    for state, many in zip(given, call(batch, "acceleration", given, "float32"), strict=True):
        exact = call(single, "acceleration", [state], "float64")[0]["qacc"]
        errors.append(np.abs(many["qacc"] - exact).max() / np.abs(exact).max())
    assert 1e-8 < np.median(errors) < 8e-6
