"""MJCF texts for the tests, compiled here and by MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import polybody
from polybody.lowering.mjcf import Compiled, compile_document

from tests.differential.mjcf import TOLERANCES, compare_model
from tests.differential.report import Comparison

BALL = '<geom size=".1"/>'


def document(text: str) -> Any:
    return polybody.read("test.xml", text=text, policy="warn", format="mjcf")


def compiled(text: str) -> Compiled:
    return compile_document(document(text))


def same(inside: str, *, path: Path | None = None) -> Compiled:
    """Our columns after comparing each with MuJoCo's field; ``path``: a file instead of a text."""
    if path is None:
        text = f"<mujoco>{inside}</mujoco>"
        ours, theirs = compiled(text), mujoco.MjModel.from_xml_string(text)
    else:
        read = polybody.read(path, policy="warn", format="mjcf")
        ours, theirs = compile_document(read), mujoco.MjModel.from_xml_path(str(path))
    comparison = Comparison("text")
    compare_model(ours, theirs, comparison)
    wrong = {name: error for name, error in comparison.errors.items() if not error <= TOLERANCES[name]}
    assert not wrong, {name: (ours.columns.get(name), getattr(theirs, name, None)) for name in wrong}
    return ours


def world(inside: str, head: str = "", tail: str = "") -> str:
    return f"{head}<worldbody>{inside}</worldbody>{tail}"


def body(inside: str = BALL, attributes: str = "") -> str:
    return f"<body {attributes}>{inside}</body>"


def column(ours: Compiled, name: str, row: int = 0) -> list[float]:
    """A row of a column, rounded for comparison with the numbers of a document."""
    return np.round(ours.columns[name][row], 9).tolist()


def problems(text: str) -> list[str]:
    """The errors of the compiler, not of the reader: line:column and message of each."""
    try:
        compiled(f"<mujoco>{text}</mujoco>")
    except polybody.ValidationError as error:
        return [f"{d.line}:{d.column} {d.code} {d.message}" for d in error.diagnostics]
    return []
