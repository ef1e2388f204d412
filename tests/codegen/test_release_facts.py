"""The schema of MJCF beside what nine releases of MuJoCo say of themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from codegen.releases.comparison import printable
from codegen.releases.described import Attribute
from codegen.releases.manual import Manual, declared
from codegen.releases.ours import described
from codegen.schema import SCHEMAS, Schema, at_release, load
from codegen.schema.releases import number

from .release_facts import ELEMENT, added, of_release, stored

RELEASES, MASKS = stored()
IN_THE_MANUAL = {
    *(
        ("mujoco/default/" + tag, "lengthrange")
        for tag in ("motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle")
    ),
    ("mujoco/default/damper", "ctrllimited"),
    ("mujoco/default/muscle", "tausmooth"),
    ("mujoco/actuator/damper", "ctrllimited"),
    ("mujoco/equality/distance", ELEMENT),
}
"""What MuJoCo's manual has and its readers refuse; the schema refuses it as well, with a reason."""


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
        (path, name)
        for path in {*theirs, *here}
        for name in theirs.get(path, set()) ^ here.get(path, set())
        if ELEMENT in (name,) or path in theirs
    }
    assert differing <= IN_THE_MANUAL
    assert RELEASES[place] != "3.2.7" or differing == IN_THE_MANUAL, "an exemption is stale"


def test_a_release_is_added_to_the_facts() -> None:
    masks = {"a": {ELEMENT: "xx", "b": "x."}}
    assert added(["1", "2"], masks, "3", {"a": {"c"}, "d": set()}) == ["1", "2", "3"]
    assert masks == {"a": {ELEMENT: "xxx", "b": "x..", "c": "..x"}, "d": {ELEMENT: "..x"}}


# --- the manual ---------------------------------------------------------------------------------------------

DESCRIBED = json.loads((Path(__file__).parent / "facts" / "mjcf_described.json").read_text(encoding="utf-8"))
"""By the manual's target: from which release on it says what of type, keywords and default."""
READER = "the reader is otherwise than the manual; the schema is as the reader"
RULE = "a rule of the schema says when it is required"
SHORT = "the manual has the full length of what may be shorter"
OTHERWISE = {
    ("rgba", "contactgap", "default"): "the manual has commas",
    ("material", "name", "required"): READER,
    ("attach", "model", "required"): RULE,
    ("attach", "body", "required"): RULE,
    ("site", "type", "keywords"): READER,
    ("composite", "count", "required"): RULE,
    ("composite", "spacing", "required"): RULE,
    ("composite", "initial", "default"): "0 is not one of the keywords",
    ("composite", "initial", "keywords"): READER,
    ("flexcomp", "type", "keywords"): READER,
    ("flexcomp", "dof", "keywords"): "the manual has it a release later than the reader",
    **{("pin", name, "required"): RULE for name in ("id", "range", "grid", "gridrange")},
    ("pair", "geom1", "required"): "a class of defaults may give it",
    ("pair", "geom2", "required"): "a class of defaults may give it",
    **{("general", name, "default"): SHORT for name in ("dynprm", "gainprm", "biasprm", "damping")},
    ("rangefinder", "site", "required"): RULE,
    ("user", "needstage", "keywords"): READER,
    ("spatial", "actuatorfrclimited", "default"): "the reader has another default until 3.13.0",
    ("option", "ccd_iterations", "default"): "the manual has 50 until 3.12.0, the library 35 since 3.3.7",
    **{(tag, name, "default"): SHORT for tag in ("joint", "spatial") for name in ("stiffness", "damping")},
    **{("general", name, "keywords"): READER for name in ("dyntype", "gaintype", "biastype")},
    ("plugin", "dyntype", "keywords"): READER,
    ("flex", "dof", "keywords"): READER,
    ("text", "data", "required"): "4.0 reads the text of the element as well",
}
"""Where the schema differs from a manual, by element, attribute and what differs, and why."""


def manual_of(release: str) -> Manual:
    """The manual of a release."""
    said = {}
    for target, states in DESCRIBED["described"].items():
        texts = [text for since, text in states if number(since) <= number(release)]
        attribute = declared(texts[-1]) if texts and texts[-1] else None
        if attribute is not None:
            said[target] = attribute
    return Manual(said)


def differences(ours: Attribute, theirs: Attribute) -> Iterator[str]:
    if theirs.default is not None and _numbers(ours.default) != _numbers(theirs.default):
        yield "default"
    if theirs.required is not None and bool(ours.required) != theirs.required:
        yield "required"
    if theirs.keywords and set(theirs.keywords) != set(ours.keywords):
        yield "keywords"


def _numbers(text: str | None) -> object:
    try:
        return tuple(map(float, (text or "").split()))
    except ValueError:
        return text


def test_defaults_keywords_and_requirements_are_those_of_the_manuals() -> None:
    met, count = set(), 0
    for release in DESCRIBED["releases"]:
        manual = manual_of(release)
        for path, element in described(at_release(schema(), release)).items():
            for name, ours in element.attributes.items():
                theirs = manual.of(path, name)
                if theirs is not None:
                    count += 1
                    met |= {(path[-1], name, what) for what in differences(ours, theirs)}
    assert count > 25_000
    assert met == set(OTHERWISE)
