"""Each row of the table of differences: that it is reported of a document, and that its numbers differ by it.

A row without a document fails, and so does a document without a row.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.cli.releases import facts
from polybody.document.differences import DIFFERENCES, redefaulted
from polybody.document.registry import format_named

from tests.differences.documents import DOCUMENTS, Case

Key = tuple[str, str]
OLD, NEW = "3.2.7", "4.0"
LATER = '<mujoco><compiler saveinertial="false"/>'
"""The beginning of a document that 3.2.7 cannot read."""
FACTS = dict(np.load(Path(__file__).with_name("facts.npz")))
SOLVED = {"opt_tolerance": 0.0, "opt_iterations": 200, "opt_ls_tolerance": 1e-10}


TABLE = {(row.since, row.of): row.text for row in DIFFERENCES["mjcf"]}


def rows() -> dict[Key, str]:
    """The texts of all rows; of a default that several elements have, under the first of them."""
    found = dict(TABLE)
    form = format_named("mjcf")
    whole = form.whole or form
    lenders = {each.source for each in whole.defaults}
    met = set()
    for key, row in whole.elements.items():
        for attribute in () if key in lenders else row.attributes:
            for since, text in redefaulted(attribute):
                if (since, attribute.name, text) not in met:
                    found[since, f"{row.tag}/@{attribute.name}"] = text
                met.add((since, attribute.name, text))
    return found


ROWS = rows()
NUMBERS = [key for key, case in DOCUMENTS.items() if not case.reason]


def read(text: str, release: str = "auto") -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.ModelWarning)
        return pb.read("m.xml", text=text, release=release)


def test_every_row_has_a_document() -> None:
    assert {key: text for key, text in ROWS.items() if key not in DOCUMENTS} == {}, "rows without a document"
    assert [key for key in DOCUMENTS if key not in ROWS] == [], "documents without a row"
    assert max(Counter((row.since, row.of) for row in DIFFERENCES["mjcf"]).values()) == 1


@pytest.mark.parametrize("key", DOCUMENTS, ids=str)
def test_differences_of_a_document_are_reported(key: Key) -> None:
    """By `info`; and by a warning, if the document is read as a later release than the first."""
    case, row = DOCUMENTS[key], (key[0], ROWS[key])
    said, unsaid = (reported(document) for document in (case.concerned, case.other))
    mine = said[row] - unsaid.get(row, set())
    assert mine, f"{row} is reported of neither document, or of both"
    text = re.escape(row[1])
    if key not in TABLE:  # the warning has the whole change of a default, which may be several
        text = "the default is `[^`]*`; before, `[^`]*`"
    warning = "|".join(rf"{re.escape(what)}( \(line [^)]*\))?: {text}" for what in mine)
    for document, concerned in ((case.concerned, True), (case.other, False)):
        with pytest.warns(pb.ModelWarning, match="read as mjcf") as caught:
            pb.read("m.xml", text=document.replace("<mujoco>", LATER, 1))
        warned = re.search(warning, str(caught[0].message)) is not None
        assert warned == (concerned and not case.lacked)


def reported(text: str) -> dict[tuple[str, str], set[str]]:
    """What `info` says of a document: the elements of each row."""
    found: dict[tuple[str, str], set[str]] = {}
    for each in facts(read(text))["differs"]:
        found.setdefault((each["since"], each["text"]), set()).add(each["what"])
    return found


def numbers(text: str, release: str, case: Case) -> dict[str, Any]:
    """The columns that a row is about, in the state after its steps; as in asked.py."""
    model = pb.lower(read(text, release))
    if case.solved:
        model = model.replace(**SOLVED)
    data, rng = pb.Data(model), np.random.default_rng(0)
    for field, count in (("qvel", model.nv), ("ctrl", model.nu), ("act", model.na)):
        getattr(data, field)[...] = rng.normal(size=count)
    stepper = pb.Stepper(model, data=data, kernels="loop")
    if case.steps:
        stepper.step(case.steps)
    pb.forward(model, data)
    return {field: np.ravel(column(model, data, field)).astype(float) for field in case.fields}


def column(model: pb.Model, data: Any, field: str) -> Any:
    if field == "contact.dist":
        return np.sort(data.contact["dist"])
    return getattr(model, field) if hasattr(model, field) else getattr(data, field)


@pytest.mark.parametrize("key", NUMBERS, ids=str)
def test_numbers_differ_by_it(key: Key) -> None:
    """In each of its columns, between both releases that are simulated."""
    case = DOCUMENTS[key]
    old, new = (numbers(case.concerned, release, case) for release in (OLD, NEW))
    for field in case.fields:
        a, b = old[field], new[field]
        assert a.shape != b.shape or np.abs(a - b).max() > 1e-10 * (1e-9 + np.abs(b).max()), field


@pytest.mark.parametrize("key", [key for key in NUMBERS if not DOCUMENTS[key].apart], ids=str)
def test_numbers_are_those_of_mujoco(key: Key) -> None:
    case = DOCUMENTS[key]
    for field, ours in numbers(case.concerned, NEW, case).items():
        theirs = FACTS[f"{key[0]} {key[1]} {field}"]
        scale = np.abs(theirs).max(initial=0)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * (1 + scale), err_msg=field)


def test_a_release_in_between_has_the_gain_of_a_damper() -> None:
    """Which is a default from 3.11.0 on, in MuJoCo, and in 3.16.0 still is one."""
    text = DOCUMENTS["3.11.0", "damper"].concerned
    for release, gain in (("3.2.7", 0.0), ("3.10", 0.0), ("3.11", -5.0), ("3.15", -5.0), ("3.16", -5.0)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pb.ModelWarning)
            assert pb.lower(read(text, release)).actuator_gainprm[0, 2] == gain


def test_facts_are_of_these_documents() -> None:
    known = {
        f"{since} {of} {field}"
        for since, of in NUMBERS
        for field in DOCUMENTS[since, of].fields
        if not DOCUMENTS[since, of].apart
    }
    assert known == set(FACTS)


CABLE = "<composite prefix='c' type='cable' count='4 1 1' curve='s' size='1'>"


@pytest.mark.parametrize(
    ("joint", "concerned"),
    [
        ("<freejoint/><geom size='1'/>", True),
        ("<joint type='free'/><geom size='1'/>", True),
        ("<joint class='b'/><geom size='1'/>", True),
        (f"{CABLE}<geom size='.1'/></composite>", True),
        ("<joint/><geom size='1'/>", False),
        ("<joint type='slide'/><geom size='1'/>", False),
        ("<geom size='1'/>", False),
    ],
)
def test_fourth_order_concerns_joints_that_turn_about_any_axis(joint: str, concerned: bool) -> None:
    ball = "<default><default class='b'><joint type='ball'/></default></default>"
    world = f"<worldbody><body>{joint}</body></worldbody>"
    said = reported(f"<mujoco><option integrator='RK4'/>{ball}{world}</mujoco>")
    assert (("4.0", ROWS["4.0", "option/@integrator=RK4"]) in said) is concerned
