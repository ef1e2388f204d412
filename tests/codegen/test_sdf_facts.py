"""The facts of SDFormat and Drake, recorded in the file next to this one, compared with its schema; and its
decisions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from polybody.cli.schema import describe
from polybody.generated.formats.sdf import FORMAT

from tests.codegen.facts import Fact, named_facts, same_default, values_in

FACTS = Path(__file__).with_name("sdf_facts.txt")
MORE_WORDS = {
    "sensor/@type": {"wide_angle_camera", "wideanglecamera"},
    "drake:joint/@type": {"curvilinear"},
    "camera/image/format": {
        *("L_INT8", "L_INT16", "RGB_INT8", "RGBA_INT8", "BGRA_INT8", "RGB_INT16", "RGB_INT32", "BGR_INT8"),
        *("BGR_INT16", "BGR_INT32", "RGB_FLOAT16", "RGB_FLOAT32"),
    },
    "camera/noise/type": {"none", "gaussian_quantized"},
    "lidar/noise/type": {"none", "gaussian_quantized"},
    "ray/noise/type": {"none", "gaussian_quantized"},
    "spherical_coordinates/world_frame_orientation": {"NED", "NWU"},
    "world/physics/@type": {"ignored"},
}
"""Keywords that only an engine knows."""
OTHER_SIZE = {"drake:joint/drake:damping": "1 or 3"}
NOT_OPTIONAL = "joint/screw_thread_pitch"
"""A text whose number is not required by the facts."""


def facts() -> dict[str, dict[str, Fact]]:
    """Every element's path with its values; the name of its text is empty."""
    table = {}
    for line in FACTS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            path, _, rest = line.partition(" :")
            table[path.replace("~", "sdf/model/link")] = named_facts(rest, " ; ")
    return table


TABLE = facts()
DESCRIBED: dict[str, Any] = {element["path"]: element for element in describe(FORMAT)["elements"]}
NOTED = {place for note in FORMAT.notes for place in note.on}


def decided(path: str, table: Any) -> Any:
    """The entry of a table for a path, by the path's suffix."""
    return next((end for end in table if path == end or path.endswith("/" + end)), None)


def test_the_facts_are_all_there() -> None:
    assert len(TABLE) == 844
    assert sum(len(values.keys() - {""}) for values in TABLE.values()) == 118
    assert sum("" in values for values in TABLE.values()) == 598


@pytest.mark.parametrize(("path", "values"), TABLE.items(), ids=list(TABLE))
def test_an_element_has_the_values_of_the_facts(path: str, values: dict[str, Fact]) -> None:
    ours = values_in(DESCRIBED[path])
    assert ("" in values) == ("" in ours)
    for name, expected in values.items():
        found, place = ours[name], f"{path}/@{name}" if name else path
        size = None if found["size"] in (None, 1) else str(found["size"])
        other = decided(place, OTHER_SIZE)
        assert (found["type"], size) == (expected.kind, OTHER_SIZE.get(other, expected.size)), name
        more = MORE_WORDS.get(decided(place, MORE_WORDS), set())
        assert frozenset(found["enum"] or ()) == expected.keywords | more, name
        assert same_default(found["default"], expected.default), name
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
