"""What a schema declares as simulated is used: the format's lowering mentions its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from polybody.base import Format, Status
from polybody.document.registry import format_named

LOWERING = Path(__file__).resolve().parents[2] / "runtime" / "lowering"
PLANTS = {"urdf": ("plants",), "sdf": ("plants", "urdf")}
"""Folders that a format's lowering shares with others."""
ELSEWHERE = {
    "urdf": {
        "Robot/version": "validation reports other versions",
        **dict.fromkeys(
            ("Origin/rpy", "Origin/quat_xyzw", "Frame/rpy"),
            "polybody.rotations.turns reads the fields of a pose",
        ),
    },
    "sdf": {
        **dict.fromkeys(
            (
                *("LinearBushingRpy", "BallConstraint", "LinearSpringDamper", "TendonConstraint"),
                "DistanceConstraint",
            ),
            "the names are assembled from the element's name",
        ),
    },
    "skel": {"Skel/version": "validation reports other versions"},
    "openrave": {"Joint": "the names of formulas are assembled from their kind and axis"},
    "mjcf": {
        "Flag": "its attributes are codes of schemas/contract.xml",
        "LengthRange": "all its attributes are values of one record",
        "Option": "all its attributes are columns with the prefix opt_",
        "Size": "nuser_ and the kind of element",
        "CompositeTendon": "solreffix and solimpfix are assembled from solref and solimp",
        "EqualityJoint": "joint1 and joint2 are assembled from the kind",
        "EqualityTendon": "tendon1 and tendon2 are assembled from the kind",
    },
    "x_xy": {},
}
"""Names that the lowering does not spell out, by element or element/attribute, and why."""


def spelt(form: str) -> set[str]:
    """All words of the lowering of a format."""
    folders = [LOWERING / name for name in (form, *PLANTS.get(form, ()))]
    paths = [path for folder in folders for path in folder.glob("*.py*")] + [*LOWERING.glob("*.py*")]
    paths += [*LOWERING.parent.glob("document/*_files.py")]  # where the files of assets are looked for
    return {word for path in paths for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}


def simulated(form: Format) -> Iterator[tuple[str, str, str]]:
    """Element, name and field of what is simulated, where everything around it is."""
    todo, seen = [form.root, *form.roots], set[str]()
    while todo:
        key = todo.pop()
        row = form.elements.get(key)
        if row is None or key in seen or row.status is not Status.SIMULATED:
            continue
        seen.add(key)
        todo.extend(child.element for child in row.children)
        for attribute in row.attributes:
            if attribute.status is Status.SIMULATED and not attribute.name.startswith("xmlns"):
                yield key, attribute.name.rpartition(":")[2], attribute.field


@pytest.mark.parametrize("name", ELSEWHERE)
def test_simulated_attributes_are_used(name: str) -> None:
    words, excused, met = spelt(name), ELSEWHERE[name], set[str]()
    unused = []
    for key, attribute, field in simulated(format_named(name)):
        if not {attribute, field, field.removeprefix("drake_")} & words:
            excuses = {key, key.rpartition(":")[2], f"{key}/{attribute}"} & excused.keys()
            met |= excuses
            unused += [] if excuses else [f"{key}/{attribute}"]
    assert unused == []
    assert met == set(excused)
