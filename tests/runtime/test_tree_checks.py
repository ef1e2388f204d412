"""The combined check of tree, coordinates and inertias suspects everything invalid, and nothing valid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from polybody.errors import ModelError
from polybody.model import checks
from polybody.model.checks import COLUMN_CHECKS, TREE_CHECKS
from polybody.model.model import Model
from polybody.model.tree_checks import COORDINATES, PHYSICS, TREE, rows_by_name

from tests.runtime.models import everything

TOGETHER = (
    *("body_parentid", "jnt_bodyid", "geom_bodyid", "jnt_type", "qpos0", "qpos_spring", "body_inertia"),
    *("body_ipos", "body_mass", "body_pos", "body_quat"),
)
"""Columns that are checked together."""
VALUES = (-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 7.0, 1e200, np.inf)


def problems(arrays: Mapping[str, NDArray[Any]]) -> list[str]:
    """The errors of the readable checks for columns, from the first level that reports any."""
    nothing: dict[str, list[str]] = {check: [] for check in ("codes", "flag", "bounded", "unit")}
    for level in (
        lambda: checks._indices(nothing, arrays, {}),
        lambda: checks._coordinates(arrays),
        lambda: checks._physics(nothing, arrays, {}),
    ):
        with np.errstate(all="ignore"):
            found = list(level())
        if found:
            return found
    return []


def test_a_sound_model_is_not_suspected() -> None:
    assert TREE_CHECKS.suspects(COLUMN_CHECKS.take(everything().given()).arrays) == 0


@pytest.mark.parametrize("name", TOGETHER)
def test_nothing_is_overlooked(name: str) -> None:
    given = COLUMN_CHECKS.take(everything().given()).arrays
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(150):
        values = given[name].copy()
        place = rng.integers(values.size)
        number = rng.choice(VALUES)
        if name == "jnt_type":
            number = rng.integers(5)
        values.reshape(-1)[place] = np.int32(min(number, 100)) if values.dtype == np.int32 else number
        arrays = given | {name: values}
        if problems(arrays):
            wrong += 1
            assert TREE_CHECKS.suspects(arrays), (name, place, number)
    assert wrong > 5


def test_what_is_suspected_is_named() -> None:
    model = everything()
    given = model.given()
    parent = given["body_parentid"].copy()
    parent[-1] = len(parent)
    assert TREE_CHECKS.suspects(given | {"body_parentid": parent}) & TREE
    assert TREE_CHECKS.suspects(given | {"qpos0": np.append(given["qpos0"], 0.0)}) & COORDINATES
    moments = given["body_inertia"].copy()
    moments[-1] = 1.0, 1.0, 9.0
    assert TREE_CHECKS.suspects(given | {"body_inertia": moments}) == PHYSICS
    with pytest.raises(ModelError, match="one exceeds the sum of the others"):
        Model(given | {"body_inertia": moments}, model.names)


def test_rows_by_name() -> None:
    assert rows_by_name(["a", "", "b"]) == {"a": 0, "b": 2}
    assert rows_by_name(()) == {}
    for names in (["a", "a"], ["a\x01"], ["é"], [1], [None]):
        assert rows_by_name(names) is None  # the readable check then decides
    assert Model(everything().given(), {"body": _renamed("é")}).body("é").name == "é"
    with pytest.raises(ModelError, match="is already used by"):
        Model(everything().given(), {"body": _renamed("world")})


def _renamed(last: str) -> list[str]:
    names = list(everything().names["body"])
    return [*("world",), *names[1:-1], last]
