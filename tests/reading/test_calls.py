"""Python calls of reading: compiled code traverses documents, and rules visit only the elements that they
concern.

Calls of Python functions are counted; no time is measured.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import polybody as pb
import pytest
from polybody.base import Node
from polybody.diagnostics import Findings

from benchmarks.documents import mjcf, x_xy
from benchmarks.robots import openrave, sdf, skel, urdf

FORMATS: dict[str, Callable[[int], str]] = {
    "x_xy": x_xy,
    "mjcf": mjcf,
    "urdf": urdf,
    "sdf": sdf,
    "skel": skel,
    "openrave": openrave,
}
MOST = {"x_xy": 1.2, "mjcf": 0.5, "urdf": 0.2, "sdf": 0.6, "skel": 0.1, "openrave": 1.2}
"""Limits of calls per element, a third above the present numbers; every rule that visits every element adds
some.
"""


def calls(name: str, elements: int) -> int:
    """The number of calls of Python functions while a document is checked."""
    text = FORMATS[name](elements)
    count = 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        found = pb.check(f"m.{name}", format=name, text=text)
    finally:
        sys.setprofile(before)
    assert not found
    return count


@pytest.mark.parametrize("name", FORMATS)
def test_few_functions_are_called_for_an_element(name: str) -> None:
    calls(name, 500)  # objects created on first use
    few, many = calls(name, 500), calls(name, 2500)
    assert (many - few) / 2000 < MOST[name]


@pytest.mark.parametrize("name", FORMATS)
def test_a_check_frees_the_document(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Findings outlive the document, which the garbage collector would traverse completely."""
    sort = Findings.sorted
    alive: list[int] = []

    def nodes() -> int:
        return sum(isinstance(each, Node) for each in gc.get_objects())

    def counted(findings: Findings) -> list[pb.Diagnostic]:
        alive.append(nodes())
        return sort(findings)

    monkeypatch.setattr(Findings, "sorted", counted)
    text = FORMATS[name](100)
    gc.collect()
    gc.disable()
    try:
        before = nodes()
        pb.check("a.xml", text=text)
    finally:
        gc.enable()
    assert alive == [before]
