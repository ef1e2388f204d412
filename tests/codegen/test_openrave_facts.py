"""The facts of OpenRAVE XML, recorded in the file next to this one, compared with its schema; and its
decisions.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from polybody.cli.schema import describe
from polybody.document.registry import format_named

FACTS = Path(__file__).with_name("openrave_facts.txt")
SPEC = re.compile(r"(?P<name>\S+) (?P<kind>[^\[=]+)(\[(?P<size>[^\]]*)\])?(=(?P<default>.*))?")
PLAIN = ("string", "real", "int", "bool")
LINES = [line for line in FACTS.read_text().splitlines() if line and not line.startswith("#")]
DESCRIBED: dict[str, Any] = {e["path"]: e for e in describe(format_named("openrave"))["elements"]}
DECIDED = {
    ("environment/kinbody", "makejoinedlinksadjacent", "default"): "1, which is told as the word",
    ("environment/controller", "joints", "size"): "as many names as there are",
    ("environment/kinbody/joint/weight", "text", "default"): "1 for each freedom, as a note says",
    (
        "environment/kinbody/joint/resolution",
        "text",
        "default",
    ): "0.02 rad or m, while what is written is deg",
}


def numbers(text: str | None) -> list[float] | str | None:
    try:
        return None if text is None else [float(word) for word in text.split()]
    except ValueError:
        return text


def test_the_facts_are_all_there() -> None:
    facts = [fact for line in LINES for fact in line.partition(" : ")[2].split("; ") if fact.strip()]
    texts = [fact for fact in facts if fact.startswith("text ")]
    assert (len(LINES), len(facts) - len(texts), len(texts)) == (196, 83, 171)


@pytest.mark.parametrize("line", LINES, ids=[line.partition(" :")[0] for line in LINES])
def test_an_element_is_as_the_facts_say(line: str) -> None:
    path, _, rest = line.partition(" :")
    element = DESCRIBED[path]
    ours = {attribute["name"]: attribute for attribute in element["attributes"]}
    if element["text"] is not None:
        ours["text"] = element["text"]
    for fact in rest.strip().split("; ") if rest.strip() else ():
        found = SPEC.fullmatch(fact)
        assert found is not None, fact
        name, kind, size = found["name"], found["kind"], found["size"]
        mine = ours[name]
        plain = kind in PLAIN
        assert mine["type"] == (kind if plain else "enum"), name
        if not plain:
            assert set(mine["enum"]) == set(kind.split("|")), name
        same = {
            "size": (None if mine["size"] in (None, 1) else str(mine["size"])) == size,
            "default": numbers(mine["default"]) == numbers(found["default"]),
        }
        for what, equal in same.items():
            assert equal != ((path, name, what) in DECIDED), (name, what, mine)
