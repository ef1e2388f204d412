"""The facts of MJCF, recorded in the file next to this one, compared with its schema; and decisions between
sources.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from polybody.cli.schema import describe
from polybody.generated.formats.mjcf import FORMAT

from tests.codegen import facts as facts_of
from tests.codegen.facts import Fact

ROOT = Path(__file__).resolve().parents[2]
FACTS = Path(__file__).with_name("mjcf_facts.txt")
OBJECT = (
    "body|xbody|joint|dof|geom|site|camera|light|flex|mesh|skin|hfield|texture|material|pair|exclude|equality"
    "|tendon|actuator|sensor|numeric|text|tuple|key|plugin"
)

NEEDLESS = "required by the reference, not by the reader: defaults, other attributes or later checks stand in"
NEEDED = "required by the reader, not by the reference"
REQUIRED = {
    ("asset/material", "name"): NEEDLESS,
    ("composite", "count"): NEEDLESS,
    ("composite", "spacing"): NEEDLESS,
    ("contact/pair", "geom1"): NEEDLESS,
    ("contact/pair", "geom2"): NEEDLESS,
    **{("flexcomp/pin", name): NEEDLESS for name in ("id", "range", "grid", "gridrange")},
    **{("config", name): NEEDED for name in ("key", "value")},
}
"""Path suffixes and attributes for which one of the two sources has a requirement that the other does not
have.
"""
MORE = {("replicate", "prefix"): "in a model of MuJoCo's own"}
"""Attributes that are neither in the reference nor in the reader's list, but in files."""
MORE_ELEMENTS = {"worldbody/plugin", "frame/plugin", "replicate/plugin"}
"""Elements of this kind, with their configurations."""
MORE_KEYWORDS = {("composite", "initial"): {"fixed"}}
"""Keywords of this kind."""
TYPES = {("camera", "focalpixel"): ("real", "files have fractions of a pixel, and the reader takes them")}
"""Types for which the reader accepts more than the reference says."""
DEFAULTS = {("composite", "initial"): "the reference's 0 is none of its own keywords"}


def fact(spec: str) -> Fact:
    found = facts_of.fact(spec.replace("OBJECT", OBJECT))
    return found._replace(size=None if found.size is None else found.size.replace(" or ", "|"))


def facts() -> Iterator[tuple[str, dict[str, Fact]]]:
    """Every element's path with its attributes."""
    lines = [line for line in FACTS.read_text().splitlines() if line and not line.startswith("#")]
    common = dict(line.split(" ", 1) for line in lines if " : " not in line and not line.endswith(" :"))
    written: dict[str, dict[str, Fact]] = {}
    for line in lines:
        path, colon, rest = line.partition(" :")
        if not colon:
            continue
        rest = rest.strip()
        if rest.startswith("@"):
            written[path] = written[rest[1:]]
        else:
            pairs = (item.partition(":") for item in rest.split("; ") if item)
            written[path] = {name: fact(own or common[name]) for name, _, own in pairs}
    yield from written.items()


DESCRIBED: dict[str, Any] = {element["path"]: element for element in describe(FORMAT)["elements"]}
TABLE = list(facts())


def numbers(text: str | None) -> list[float | str] | None:
    """The words of a default, numbers converted."""
    if text is None:
        return None
    words: list[float | str] = []
    for word in text.split():
        try:
            words.append(float(word))
        except ValueError:
            words.append(word)
    return words


def same_default(ours: str | None, theirs: str | None) -> bool:
    """Whether two defaults are equal; the reference writes `1 0 ... 0` for ten numbers."""
    a, b = numbers(ours), numbers(theirs)
    if a is None or b is None or "..." not in b:
        return a == b
    if "..." in a:
        return a == b
    head = b[: b.index("...")]
    return a[: len(head)] == head and set(a[len(head) :]) <= {b[-1], 0.0}


def decided(table: Mapping[tuple[str, str], object], path: str, name: str) -> bool:
    return any(path.endswith("/" + end) and name == attribute for end, attribute in table)


def test_the_facts_are_all_there() -> None:
    assert len(TABLE) == 170
    assert sum(len(attributes) for _, attributes in TABLE) == 1427
    more = {path.removesuffix("/config") for path in DESCRIBED.keys() - {path for path, _ in TABLE}}
    assert {"/".join(path.split("/")[-2:]) for path in more} == MORE_ELEMENTS


@pytest.mark.parametrize(("path", "attributes"), TABLE, ids=[path for path, _ in TABLE])
def test_an_element_has_the_attributes_of_the_facts(path: str, attributes: dict[str, Fact]) -> None:
    element = DESCRIBED[path]
    ours = {attribute["name"]: attribute for attribute in element["attributes"]}
    assert set(ours) == set(attributes) | {name for name in ours if decided(MORE, path, name)}
    for name, expected in attributes.items():
        found = ours[name]
        size = None if found["size"] in (None, 1) else str(found["size"])
        kind = TYPES.get((path.rpartition("/")[2], name), (expected.kind,))[0]
        assert (found["type"], size) == (kind, expected.size), name
        more = next(
            (words for (end, n), words in MORE_KEYWORDS.items() if path.endswith(end) and n == name), set()
        )
        assert frozenset(found["enum"] or ()) == expected.keywords | more, name
        assert same_default(found["default"], expected.default) != decided(DEFAULTS, path, name), name
        assert (found["required"] == expected.required) != decided(REQUIRED, path, name), name


def test_decisions_are_notes_on_the_page() -> None:
    notes = " ".join((ROOT / "docs" / "mjcf.md").read_text().split())
    for word in (
        "`initial`",
        "`metallic`",
        "`pin`",
        "`bulbradius`",
        "`key` and `value`",
        "`actdim`",
        "`prefix`",
    ):
        assert word in notes


def test_everything_has_a_status() -> None:
    statuses = {element["status"] for element in DESCRIBED.values()}
    assert statuses == {"simulated", "parsed", "unsupported"}


def test_recursion_is_documented() -> None:
    recursive = {path for path, element in DESCRIBED.items() if element["recursive"]}
    tree = "mujoco/worldbody/body"
    assert recursive == {"mujoco/default", tree, f"{tree}/frame", f"{tree}/replicate"}
