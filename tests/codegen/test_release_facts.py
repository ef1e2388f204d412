"""The schema of MJCF beside what releases of MuJoCo say of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from codegen.releases.accepted import ACCEPTED
from codegen.releases.comparison import printable
from codegen.releases.described import Attribute
from codegen.releases.manual import Manual, declared
from codegen.releases.ours import described
from codegen.schema import SCHEMAS, Schema, at_release, load
from codegen.schema.releases import number

from . import release_facts
from .release_facts import ELEMENT, added, added_manual, of_release, stored

RELEASES, MASKS = stored()


@cache
def schema() -> Schema:
    return load(SCHEMAS / "mjcf.xsd")


@pytest.mark.parametrize("place", range(len(RELEASES)), ids=RELEASES)
def test_elements_and_attributes_are_those_that_the_library_prints(place: int) -> None:
    theirs = of_release(MASKS, place)
    ours = printable(described(at_release(schema(), RELEASES[place])))
    here = {"/".join(path): {ELEMENT, *element.attributes} for path, element in ours.items()}
    assert len(theirs) > 150
    differing = {
        path if name == ELEMENT else f"{path}/@{name}"
        for path in {*theirs, *here}
        for name in theirs.get(path, set()) ^ here.get(path, set())
        if ELEMENT in (name,) or path in theirs
    }
    accepted = {each.at for each in ACCEPTED if each.how == "gone"}
    met = {at for at in accepted if any(path.endswith(f"/{at}") for path in differing)}
    assert all(any(path.endswith(f"/{at}") for at in accepted) for path in differing)
    assert RELEASES[place] != "3.2.7" or met == accepted, "what is accepted is no difference"


def test_a_release_is_added_to_the_facts() -> None:
    masks = {"a": {ELEMENT: "xx", "b": "x."}}
    assert added(["1", "2"], masks, "3", {"a": {"c"}, "d": set()}) == ["1", "2", "3"]
    assert masks == {"a": {ELEMENT: "xxx", "b": "x..", "c": "..x"}, "d": {ELEMENT: "..x"}}


# --- the manual ---------------------------------------------------------------------------------------------

MANUALS, SAID = release_facts.described()


def test_a_manual_is_added_to_the_facts() -> None:
    said = {"a-b": [["1", "int"]], "a-c": [["1", "real"]], "T|d": [["1", "int"]]}
    assert added_manual(["1"], said, "2", {"a-b": "int", "e-f": "bool"}) == ["1", "2"]
    expected = {
        "a-b": [["1", "int"]],
        "a-c": [["1", "real"], ["2", ""]],
        "T|d": [["1", "int"]],
        "e-f": [["2", "bool"]],
    }
    assert said == expected
    assert added_manual(["1", "2"], said, "2", {"a-b": "int", "e-f": "bool"}) == ["1", "2"]
    assert said == expected


def manual_of(release: str) -> Manual:
    """The manual of a release."""
    said = {}
    for target, states in SAID.items():
        texts = [text for since, text in states if number(since) <= number(release)]
        attribute = declared(texts[-1]) if texts and texts[-1] else None
        if attribute is not None:
            said[target] = attribute
    return Manual(said)


def differences(ours: Attribute, theirs: Attribute) -> Iterator[tuple[str, str]]:
    """What differs, and what the manual says: the default, or the keywords that one of both has."""
    if theirs.default is not None and _numbers(ours.default) != _numbers(theirs.default):
        yield "default", theirs.default
    if theirs.required is not None and bool(ours.required) != theirs.required:
        yield "required", ""
    for word in {*theirs.keywords} ^ {*ours.keywords} if theirs.keywords else ():
        yield "keywords", word


def _numbers(text: str | None) -> object:
    try:
        return tuple(map(float, (text or "").split()))
    except ValueError:
        return text


def test_defaults_keywords_and_requirements_are_those_of_the_manuals() -> None:
    met, count = set(), 0
    for release in MANUALS:
        manual = manual_of(release)
        for path, element in described(at_release(schema(), release)).items():
            for name, ours in element.attributes.items():
                theirs = manual.of(path, name)
                if theirs is not None:
                    count += 1
                    met |= {(f"{path[-1]}/@{name}", *what) for what in differences(ours, theirs)}
    assert count > 25_000
    kinds = ("default", "required", "keywords")
    assert met == {
        (each.at, each.how, word)
        for each in ACCEPTED
        if each.how in kinds
        for word in (each.says.split() if each.how == "keywords" else [each.says])
    }
