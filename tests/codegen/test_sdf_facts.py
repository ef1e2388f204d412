"""The facts of SDFormat and Drake, restated beside this file, against its schema; and where that decides."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from polybody.cli.schema import describe
from polybody.generated.formats.sdf import FORMAT

FACTS = Path(__file__).with_name("sdf_facts.txt")
SPEC = re.compile(r"(?P<kind>[^\[=!]+)(\[(?P<size>[^\]]*)\])?(=(?P<default>.*?))?(?P<required>!)?")
PLAIN = ("string", "real", "int", "bool")
MORE_WORDS = {
    "sensor/@type": {"air_speed", "wide_angle_camera", "wideanglecamera"},
    "drake:joint/@type": {"curvilinear"},
    "camera/noise/type": {"none", "gaussian_quantized"},
    "lidar/noise/type": {"none", "gaussian_quantized"},
    "ray/noise/type": {"none", "gaussian_quantized"},
    "spherical_coordinates/world_frame_orientation": {"NED", "NWU"},
}
"""Keywords that only an engine knows."""
OTHER_SIZE = {"drake:joint/drake:damping": "1 or 3"}
NOT_OPTIONAL = "joint/screw_thread_pitch"
"""A text whose number the facts do not demand."""


class Fact(NamedTuple):
    kind: str
    size: str | None
    default: str | None
    required: bool
    keywords: frozenset[str]


def fact(spec: str) -> Fact:
    found = SPEC.fullmatch(spec)
    assert found is not None, spec
    kind = found["kind"]
    keywords = frozenset() if kind in PLAIN else frozenset(kind.split("|"))
    return Fact(
        "enum" if keywords else kind, found["size"], found["default"], found["required"] is not None, keywords
    )


def facts() -> dict[str, dict[str, Fact]]:
    """Every element's path with its values; that of its text has no name."""
    table = {}
    for line in FACTS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            path, _, rest = line.partition(" :")
            specs = [part.strip() for part in rest.split(" ; ") if part.strip()]
            named = (spec[1:].split(" ", 1) if spec.startswith("@") else ("", spec) for spec in specs)
            table[path.replace("~", "sdf/model/link")] = {name: fact(spec) for name, spec in named}
    return table


TABLE = facts()
DESCRIBED: dict[str, Any] = {element["path"]: element for element in describe(FORMAT)["elements"]}
NOTED = {place for note in FORMAT.notes for place in note.on}


def same(ours: str | None, theirs: str | None) -> bool:
    """Whether two defaults are one value; an empty text is none."""
    if (ours or "") == (theirs or ""):
        return True
    try:
        words = [[float(word) for word in (text or "x").split()] for text in (ours, theirs)]
    except ValueError:
        return False
    return words[0] == words[1]


def decided(path: str, table: Any) -> Any:
    """What a table says of a path, by how that ends."""
    return next((end for end in table if path == end or path.endswith("/" + end)), None)


def test_the_facts_are_all_there() -> None:
    assert len(TABLE) == 763
    assert sum(len(values.keys() - {""}) for values in TABLE.values()) == 84
    assert sum("" in values for values in TABLE.values()) == 540


@pytest.mark.parametrize(("path", "values"), TABLE.items(), ids=list(TABLE))
def test_an_element_has_the_values_of_the_facts(path: str, values: dict[str, Fact]) -> None:
    element = DESCRIBED[path]
    ours = {attribute["name"]: attribute for attribute in element["attributes"]}
    if element["text"] is not None:
        ours[""] = element["text"]
    assert ("" in values) == ("" in ours)
    for name, expected in values.items():
        found, place = ours[name], f"{path}/@{name}" if name else path
        size = None if found["size"] in (None, 1) else str(found["size"])
        other = decided(place, OTHER_SIZE)
        assert (found["type"], size) == (expected.kind, OTHER_SIZE.get(other, expected.size)), name
        more = MORE_WORDS.get(decided(place, MORE_WORDS), set())
        assert frozenset(found["enum"] or ()) == expected.keywords | more, name
        assert same(found["default"], expected.default), name
        if found["required"] != expected.required:
            assert decided(place, NOTED) is not None, name


def test_decisions_are_notes_of_the_schema() -> None:
    for place in (*MORE_WORDS, *OTHER_SIZE, NOT_OPTIONAL):
        assert place in NOTED, place
    for place in NOTED:
        element, _, attribute = place.partition("/@")
        found = [path for path in DESCRIBED if path == element or path.endswith("/" + element)]
        assert found, place
        if attribute:
            rows = [row["name"] for path in found for row in DESCRIBED[path]["attributes"]]
            assert attribute in rows, place
