"""Contacts of flexes equal MuJoCo's at random deformed states and at symmetric ones."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.amounts import amount
from tests.collision.flexes import GEOMS, HOW, Scene, differing, state

ALONE = 'internal="false" selfcollide="none"'
FLAGS = {"tree": "", "no midphase": '<flag midphase="disable"/>'}
SELF = {
    "internal": 'internal="true" selfcollide="none"',
    "sap": 'internal="false" selfcollide="sap"',
    "bvh": 'internal="false" selfcollide="bvh"',
    "narrow": 'internal="false" selfcollide="narrow"',
    "auto": 'internal="true" selfcollide="auto"',
    "layer": 'internal="false" selfcollide="auto" activelayers="1"',
}


def compare(made: Scene, how: str, seed: str, rounds: int) -> Counter[str]:
    draw, equal, unstable = np.random.default_rng([*map(ord, seed)]), Counter[str](), 0
    for _ in range(rounds):
        same, changing, wrong = differing(made, state(made, how, draw), draw)
        assert not wrong
        equal.update(same)
        unstable += changing
    assert unstable <= sum(equal.values()) / 200
    return equal


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_geoms_touch_flexes(how: str, dim: int) -> None:
    equal = Counter[str]()
    for margin in (0, 0.01):
        equal += compare(Scene((*GEOMS,), (dim,), ALONE, margin=margin), how, f"{how}{dim}", amount(300, 15))
    part = {name: f"{'vertex' if name == 'plane' else 'element'} {dim}" for name in GEOMS}
    assert {f"{name} and {part[name]}" for name in GEOMS if name != "hills"} <= {*equal}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("dims", [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)])
def test_flexes_touch_each_other(how: str, dims: tuple[int, int]) -> None:
    for margin in (0, 0.01):
        equal = compare(Scene((), dims, ALONE, margin=margin), how, f"{how}{dims}", amount(100, 5))
        assert equal[f"element {dims[0]} and element {dims[1]}"] > 0


@pytest.mark.parametrize("manner", SELF)
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_flexes_touch_themselves(manner: str, dim: int) -> None:
    equal = Counter[str]()
    for flag in ("tree", "no midphase"):
        made = Scene((), (dim,), SELF[manner], FLAGS[flag], margin=0.01)
        for how in HOW:
            equal += compare(made, how, how + manner, amount(50, 3))
    assert dim == 1 or sum(equal.values()) > 0
