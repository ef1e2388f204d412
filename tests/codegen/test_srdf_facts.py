"""The facts of SRDF, recorded from its reader in the file next to this one, compared with its schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from polybody.cli.schema import describe
from polybody.generated.formats.srdf import FORMAT

from tests.codegen.facts import Fact, named_facts, values_in

FACTS = Path(__file__).with_name("srdf_facts.txt")
OTHERS = {f"robot/{name}" for name in ("gripper", "rotor_params", "state", "specificities")}
"""Elements that other programs read."""


def facts() -> dict[str, dict[str, Fact]]:
    """Every element's path with its values."""
    lines = [line for line in FACTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {path: named_facts(rest, " ; ") for path, _, rest in (line.partition(" :") for line in lines)}


TABLE = facts()
DESCRIBED: dict[str, Any] = {element["path"]: element for element in describe(FORMAT)["elements"]}


def test_the_facts_are_all_there() -> None:
    assert len(TABLE) == 17
    assert sum(map(len, TABLE.values())) == 33
    assert DESCRIBED.keys() - TABLE.keys() == OTHERS


@pytest.mark.parametrize(("path", "values"), TABLE.items(), ids=list(TABLE))
def test_an_element_has_the_values_of_the_facts(path: str, values: dict[str, Fact]) -> None:
    ours = values_in(DESCRIBED[path])
    assert ours.keys() - values.keys() == ({"version"} if path == "robot" else set())
    for name, expected in values.items():
        found = ours[name]
        size = None if found["size"] in (None, 1) else str(found["size"])
        assert (found["type"], size) == (expected.kind, expected.size), name
        assert frozenset(found["enum"] or ()) == expected.keywords, name
        assert found["default"] is None, name
        assert found["required"] == expected.required, name
