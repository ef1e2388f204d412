"""No column of a Model still has only its fill value if MuJoCo's field does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import polybody as pb
from polybody.generated.model import TABLES, Column

from tests.differential.mjcf import engine_field

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    "tests/lowering/everything.xml",
    "examples/arm.xml",
    "benchmarks/models/humanoid.xml",
    "tests/moving/workshop.xml",
)
COLUMNS = [column for table in TABLES if table.owner == "model" for column in table.columns]


def _theirs(peer: Any, name: str) -> Any:
    """A field of MuJoCo; None if it has no such field."""
    name = name.replace("stat_", "statistic_")
    try:
        return engine_field(peer, name)
    except AttributeError:
        return None


def _filled(values: Any, column: Column) -> bool:
    """Whether all numbers are the fill value of the column."""
    return bool(np.all(np.asarray(values) == (column.default or 0)))


def test_what_is_filled_in_mujoco_is_filled_here() -> None:
    paths = [ROOT / name for name in FILES]
    pairs = [(pb.load(path, policy="warn"), mujoco.MjModel.from_xml_path(str(path))) for path in paths]
    wrong, unused, compared = [], [], 0
    for column in COLUMNS:
        theirs = [_theirs(peer, column.name) for _, peer in pairs]
        if all(values is None for values in theirs):
            continue
        compared += 1
        ours = [model._column(column.name) for model, _ in pairs]
        both = [(a, b) for a, b in zip(ours, theirs, strict=True) if b is not None]
        if all(_filled(b, column) for _, b in both):
            unused.append(column.name)
        elif all(_filled(a, column) for a, _ in both):
            wrong.append(column.name)
    assert wrong == []
    # MuJoCo's own plugins have no state.
    assert unused == ["npluginstate", "plugin_statenum", "plugin_stateadr"]
    assert compared > 280
