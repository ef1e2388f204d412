"""The facts of SKEL, recorded in the file next to this one, compared with its schema; and its decisions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from polybody.cli.schema import describe
from polybody.generated.formats.skel import FORMAT

from tests.codegen.facts import Fact, named_facts, values_in

FACTS = Path(__file__).with_name("skel_facts.txt")
DEMANDED_SIZE = "a soft shape's sizes are demanded by the reader: no default"
NO_DEFAULT = {
    f"soft_shape/geometry/{name}": DEMANDED_SIZE
    for name in ("box/size", "ellipsoid/size", "cylinder/radius", "cylinder/height")
}
NO_TEXT = {"joint/plane": "a copy in the document of what axis_order has"}


def facts() -> dict[str, dict[str, Fact]]:
    """Every element's path with its values; the name of its text is empty."""
    table = {}
    for line in FACTS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            head, _, rest = line.partition(" :")
            path = head.rpartition(" ")[0].replace("~", "skel/world/skeleton")
            table[path] = named_facts(rest)
    return table


TABLE = facts()
DESCRIBED: dict[str, Any] = {element["path"]: element for element in describe(FORMAT)["elements"]}


def same(ours: str | None, theirs: str | None, kind: str) -> bool:
    """Whether two defaults are the same value."""
    if ours is None or theirs is None or kind in ("string", "enum"):
        return ours == theirs
    if kind == "bool":
        return ours in ({"0": "false", "1": "true"}[theirs], theirs)
    return [float(word) for word in ours.split()] == [float(word) for word in theirs.split()]


def ends(path: str, table: dict[str, str]) -> bool:
    return any(path.endswith("/" + end) for end in table)


def test_the_facts_are_all_there() -> None:
    assert len(TABLE) == 180
    assert sum(len(values.keys() - {""}) for values in TABLE.values()) == 23
    assert sum("" in values for values in TABLE.values()) == 125


@pytest.mark.parametrize(("path", "values"), TABLE.items(), ids=list(TABLE))
def test_an_element_has_the_values_of_the_facts(path: str, values: dict[str, Fact]) -> None:
    ours = values_in(DESCRIBED[path])
    assert ends(path, NO_TEXT) == (set(values) != set(ours))
    for name in values.keys() & ours.keys():
        expected, found = values[name], ours[name]
        size = None if found["size"] in (None, 1) else str(found["size"])
        assert (found["type"], size) == (expected.kind, expected.size), name
        assert frozenset(found["enum"] or ()) == expected.keywords, name
        assert same(found["default"], expected.default, expected.kind) != ends(path, NO_DEFAULT), name
        if name and (path.rpartition("/")[2], name) not in (("body", "name"), ("joint", "name")):
            assert found["required"] == expected.required, name


def test_the_root_allows_the_elements_of_a_world() -> None:
    below = {path.removeprefix("skel/") for path in DESCRIBED if path.startswith("skel/skeleton")}
    world = "skel/world/"
    inside = {path.removeprefix(world) for path in DESCRIBED if path.startswith(f"{world}skeleton")}
    assert below == inside


def test_decisions_are_notes_of_the_schema() -> None:
    on = {place for note in FORMAT.notes for place in note.on}
    decided = ("skel/world", "skeleton/immobile", "joint/axis_order", "joint/@name")
    for place in (*NO_DEFAULT, *NO_TEXT, *decided):
        assert place in on, place
    for place in on - {"text()"}:
        element, _, attribute = place.partition("/@")
        found = [path for path in DESCRIBED if path == element or path.endswith("/" + element)]
        assert found, place
        if attribute:
            rows = [row["name"] for path in found for row in DESCRIBED[path]["attributes"]]
            assert attribute in rows, place
