"""The fuzzer finds planted faults, minimises and stores them; its cases depend on the seed alone."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pytest

if sys.platform == "win32":
    pytest.skip("no resource limits on Windows", allow_module_level=True)

from .fuzz import __main__ as fuzzing
from .fuzz.cases import FORMATS, KINDS, Case, make, seeds
from .fuzz.minimise import minimised
from .fuzz.verdict import verdict

JUNK = b'<x_xy>\n  <worldbody>\n    <body name="arm" joint="rx" damping="1"/>\n  </worldbody>\n</x_xy>\n'


def test_cases_depend_on_the_seed_alone() -> None:
    for name in FORMATS:
        assert len(seeds(name)) > 5, name
        one, other = (make(name, random.Random("7")) for _ in range(2))
        assert one == other
    made = {make(name, random.Random(f"{name} {n}")).made for name in FORMATS for n in range(40)}
    assert made == set(KINDS)


@pytest.mark.parametrize("name", FORMATS)
def test_documents_of_the_grammar_are_mostly_well_formed(name: str) -> None:
    from .fuzz import grammar

    for number in range(30):
        text = grammar.document(name, random.Random(number))
        if b"\0" not in text:
            expat.ParserCreate().Parse(text, True)


def test_a_sound_document_has_no_verdict() -> None:
    assert verdict(Case({"m.xml": JUNK})) == ""


@pytest.mark.internal_error
def test_a_planted_defect_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def check(scene: Any) -> None:
        body = scene.root.worldbody.body
        if body and body[0].damping:
            raise KeyError("planted")

    monkeypatch.setattr("polybody.validation.rules.x_xy.check", check)
    case = Case({"m.xml": JUNK, "other.xml": JUNK})
    signature = verdict(case)
    assert signature.startswith("internal KeyError: 'planted'")
    small = minimised(case, signature, verdict)
    assert list(small.files) == ["m.xml"]
    assert len(small.files["m.xml"]) < len(JUNK)
    place = fuzzing.keep(small, signature, tmp_path, "a test")
    assert verdict(fuzzing.kept(place)) == signature


def test_what_ends_the_process_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from .fuzz.child import Child

    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))
    child = Child()
    assert child.verdict(Case({"m.xml": JUNK})) == ""
    assert child.process is not None
    child.process.kill()
    assert child.verdict(Case({"m.xml": JUNK})) == "ended with -9"
    assert child.verdict(Case({"m.xml": JUNK})) == ""
    child.close()


def test_a_wrong_verdict_is_found() -> None:
    from .fuzz import verdict as verdicts

    assert verdicts._differs(b"<a>", set()) == "accepted, and expat says no element found"
    assert verdicts._differs(b"<a/>", {"PB005"}) == "refused, and expat takes it"
    assert verdicts._differs(b"<a>", {"PB006"}) == verdicts._differs(b"<a/>", {"PB012"}) == ""


def test_some_cases_of_every_format(tmp_path: Path) -> None:
    tried, found = fuzzing.fuzz(FORMATS, 0, 3600, 60, tmp_path)
    assert (tried, found) == (60, {})
