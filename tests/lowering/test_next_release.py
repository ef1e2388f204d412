"""A release that is not there yet, which removes, adds and changes: the tables are made of those of today."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from polybody.base import Attribute, Change, Format, Status, at_release
from polybody.diagnostics import Findings
from polybody.document import differences
from polybody.document.differences import Difference, differing
from polybody.document.registry import format_named
from polybody.document.translation import translated
from polybody.generated.formats.mjcf import ConflictPolicy, Mujoco
from polybody.lowering.acting import report_acting
from polybody.lowering.mjcf.codes import NEEDS, lacks
from polybody.lowering.mjcf.options import _default_options
from polybody.lowering.mjcf.values import ROWS, compiled_as, schema_defaults

NEXT = "99.0"
FORMAT = format_named("mjcf")
WHOLE = FORMAT.whole or FORMAT
NEWEST = WHOLE.releases[-1]


def whole(change: Callable[[str, Attribute], Attribute]) -> Format:
    """The tables of all releases and the next one, with changed attributes."""
    rows = {
        key: replace(row, attributes=tuple([change(key, each) for each in row.attributes]))
        for key, row in WHOLE.elements.items()
    }
    return replace(WHOLE, releases=(*WHOLE.releases, NEXT), elements=rows)


def values(form: Format, kind: str) -> dict[str, Any]:
    with compiled_as(form):
        return schema_defaults(kind)


@pytest.mark.parametrize("kind", [*ROWS, "actuator"])
def test_what_is_removed_has_its_last_default(kind: str) -> None:
    every = whole(lambda _, each: replace(each, until=each.until or NEWEST))
    before, after = (values(at_release(every, release), kind) for release in (NEWEST, NEXT))
    assert {name: after[name] for name in before} | {"apart": True} == before | {"apart": True}


def test_an_option_that_is_not_simulated_is_no_column() -> None:
    form = at_release(
        whole(lambda key, each: replace(each, status=Status.LATER) if each.name == "solver" else each), NEXT
    )
    with compiled_as(form):
        assert "opt_solver" not in _default_options(form)
        assert "opt_cone" in _default_options(form)


MERGED = whole(
    lambda key, each: (
        replace(each, changes=(Change(NEXT, each.forms, ConflictPolicy.MERGE, "merge"),))
        if (key, each.name) == ("Compiler", "conflict")
        else each
    )
)
MODEL = '<mujoco>\n{}<asset>{}</asset>\n<worldbody><geom size="1"/></worldbody></mujoco>'
ATTACHED = '<model name="m" file="part.xml"/>'


def acting(folder: Path, compiler: str, asset: str, release: str) -> list[str]:
    (folder / "part.xml").write_text("<mujoco/>")
    (folder / "m.xml").write_text(MODEL.format(compiler, asset))
    document = pb.read(folder / "m.xml", release=NEWEST)
    findings = Findings(format="mjcf")
    report_acting(document, at_release(MERGED, release), findings, lacks, NEEDS)
    return [f"{each.line}: {each.message.partition(':')[0]}" for each in findings.items]


DEFAULT = f"the default of `conflict` of <compiler> is not simulated in mjcf {NEXT}"


@pytest.mark.parametrize(
    ("compiler", "before", "after"),
    [
        ("", [], [f"1: {DEFAULT}"]),
        ("<compiler/>", [], [f"2: {DEFAULT}"]),
        ('<compiler conflict="warning"/>', [], []),
        ('<compiler conflict="merge"/>', *[["2: `conflict` of <compiler> is not simulated"]] * 2),
    ],
)
def test_a_default_acts_that_is_another(
    compiler: str, before: list[str], after: list[str], tmp_path: Path
) -> None:
    assert acting(tmp_path, compiler, ATTACHED, NEWEST) == before
    assert acting(tmp_path, compiler, ATTACHED, NEXT) == after
    assert acting(tmp_path, compiler, "", NEXT) == []  # nothing is attached


def test_what_a_release_did_before_it_had_an_attribute_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mujoco, "RELEASES", MERGED.releases)
    document = pb.read("m.xml", text=MODEL.format("", ""), release="3.2.7")
    twin: Any = translated(document, at_release(MERGED, "3.2.7"), at_release(MERGED, NEXT))
    assert twin.compiler.conflict is ConflictPolicy.WARNING
    twin = translated(document, at_release(MERGED, "3.2.7"), at_release(MERGED, NEWEST))
    assert twin.compiler is None


def test_a_row_can_name_the_element_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Difference(NEXT, "equality/tendon", "changed")
    monkeypatch.setattr(differences, "DIFFERENCES", {"mjcf": (row,)})
    tendon = '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'
    body = '<worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>'
    for equality, count in (("", 0), ('<equality><tendon tendon1="t"/></equality>', 1)):
        document = pb.read("m.xml", text=f"<mujoco>{body}{tendon}{equality}</mujoco>", release="3.2.7")
        found = [each for each in differing(document, FORMAT) if each.since == NEXT]
        assert len(found) == count


def test_a_default_that_changed_twice_is_said_once() -> None:
    document = pb.read("m.xml", text="<mujoco><option/></mujoco>", release="3.2.7")
    (changes,) = (
        each.changes for each in WHOLE.elements["Option"].attributes if each.name == "ccd_iterations"
    )
    changed = whole(
        lambda key, each: (
            replace(each, changes=(*changes, Change(NEXT, each.forms, 7, "7")))
            if (key, each.name) == ("Option", "ccd_iterations")
            else each
        )
    )
    form = at_release(changed, NEXT)
    for to, now in ((NEXT, 7), (NEWEST, changes[-1].default)):
        found = [str(each) for each in differing(document, form, "3.2.7", to) if "ccd" in each.what]
        assert found == [f"`ccd_iterations` of <option> (line 1): the default is `{now}`; before, `50`"]
    assert len([each for each in differing(document, form) if "ccd" in each.what]) == len(changes) + 1
