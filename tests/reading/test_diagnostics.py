"""Codes with their examples, suggestions, and every way of printing findings."""

from __future__ import annotations

import json
import pickle
import re
from collections import Counter
from pathlib import Path

import jsonschema
import polybody as pb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polybody.diagnostics import Diagnostic, Findings, output
from polybody.diagnostics.catalogue import CATALOGUE, Code
from polybody.diagnostics.catalogue import severity as severity_of
from polybody.diagnostics.catalogue.examples import EXAMPLES
from polybody.diagnostics.chosen import Chosen
from polybody.diagnostics.internal import CODE
from polybody.document.source_lines import source_lines
from polybody.lowering import lowered
from polybody.suggest import closest, did_you_mean, distance

from .tools import body, geom, one

SARIF = json.loads((Path(__file__).parent / "sarif.json").read_text())
NO_REPAIR: dict[str, str] = {}


BESIDE = {"PB089": {"PB063"}, "PB029": {"PB093"}, "PB093": {"PB029"}}
"""Further findings about an example: a part of a robot alone is not a Model; of parts of different releases,
one is newer than the release that is read.
"""
NOT_LOWERED = "PB064"
"""The finding for a valid document of a format without lowering."""


def everything_about(document: Path) -> list[Diagnostic]:
    """The findings of checking a document, about its comments and, if it has no errors, of lowering it."""
    found = pb.check(document, model=True)
    found += Chosen().of([(str(document), [])], lambda path: Path(path).read_bytes())
    if all(d.severity != "error" for d in found):
        try:
            read = pb.read(document)
            options = {"regularization": 0.0} if read.TAG == "x_xy" else {}
            found += lowered(read, **options).findings
        except pb.ValidationError as error:
            found += error.diagnostics
    return found


@pytest.mark.parametrize(("code", "form"), [(code, form) for code in EXAMPLES for form in EXAMPLES[code]])
def test_examples_in_other_formats_have_their_finding_and_no_other(code: str, form: str) -> None:
    example = EXAMPLES[code][form]
    found = {each.code for each in pb.check("example.xml", text=example.bad, format=form)}
    assert found - {"PB061"} == {code}
    assert pb.check("example.xml", text=example.good, format=form) == []


@pytest.mark.parametrize("code", CATALOGUE.values(), ids=lambda code: code.code)
def test_every_code_has_an_example_and_its_repair(code: Code, tmp_path: Path) -> None:
    assert re.fullmatch(r"PB\d{3}", code.code)
    assert code.explanation.endswith(".")
    for name, text in code.beside.items():
        assert name in f"{code.bad!r}{code.good}{code.beside.values()}", f"{name} has no part in it"
        (tmp_path / name).write_text(text, encoding="utf-8")
    document = tmp_path / "example.xml"
    if code.code == CODE:
        return  # a document with this finding shows a defect
    assert code.bad is not None
    document.write_bytes(code.bad if isinstance(code.bad, bytes) else code.bad.encode())
    found = everything_about(document)
    assert code.code in {d.code for d in found}
    severity = severity_of(code.code, "strict", "urdf" if code.code == "PB028" else "")
    others = {d.code for d in found if d.severity == "error"} - {code.code, NOT_LOWERED}
    others -= BESIDE.get(code.code, set())
    assert others == ({"PB011"} if code.code == "PB009" else set())
    assert {d.severity for d in found if d.code == code.code} == {severity}
    assert (code.good is None) == (code.code in NO_REPAIR)
    if code.good is not None:
        document.write_text(code.good, encoding="utf-8")
        repaired = everything_about(document)
        assert code.code not in {d.code for d in repaired}
        assert {d.code for d in repaired if d.severity == "error"} <= {NOT_LOWERED}


def test_every_code_in_the_sources_is_in_the_catalogue() -> None:
    package = Path(pb.__file__).parent
    sources = [p for p in package.rglob("*.py") if p.parent.name != "catalogue"]
    used = {code for p in sources for code in re.findall(r"\bPB\d{3}\b", p.read_text())}
    assert used <= set(CATALOGUE) | {"PB012"}
    assert {c.code for c in CATALOGUE.values()} - used <= {"PB010"}


def test_policies_only_get_milder() -> None:
    order = ["info", "warning", "error"]
    for code in CATALOGUE.values():
        ranks = [order.index(severity) for severity in code.severities]
        assert ranks == sorted(ranks, reverse=True)


# --- suggestions -------------------------------------------------------------------------------------------


def test_distance_counts_edits() -> None:
    assert distance("damping", "damping", 2) == 0
    assert distance("dampin", "damping", 2) == 1
    assert distance("dapming", "damping", 2) == 1
    assert distance("dxmpnig", "damping", 3) == 2
    assert distance("mass", "armature", 3) == 4


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_distance_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert distance(a, b, 10) == distance(b, a, 10) <= max(len(a), len(b))
    assert (distance(a, b, 10) == 0) == (a == b)
    assert distance(a, b, 1) == min(distance(a, b, 10), 2)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("dampin", "damping"),
        ("Mass", "mass"),
        ("massx", "mass"),
        ("amature", "armature"),
        ("xyzzy", None),
        ("", None),
    ],
)
def test_suggestions(word: str, meant: str | None) -> None:
    assert closest(word, ["armature", "damping", "mass", "pos"]) == meant
    assert did_you_mean(word, ["damping"]) == ("did you mean `damping`?" if meant == "damping" else None)
    assert closest("x" * 100_000, ["x" * 99_999]) is None


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("link_1234", "link_1234"),
        ("LINK_1234", "link_1234"),
        ("lnik_1234", "link_1234"),
        ("link_1234x", "link_1234"),
        ("lin_1234", "link_1234"),
        ("lank_1234", "link_1234"),
        ("bone_1234", None),
    ],
)
def test_of_many_names_those_one_change_away_are_found(word: str, meant: str | None) -> None:
    names = [f"link_{number}" for number in range(1000, 2000)]
    assert closest(word, names) == closest(word, dict.fromkeys(names)) == meant


def test_suggestions_are_what_is_legal_there() -> None:
    assert one(body('dampin="1"')).suggestion == "did you mean `damping`?"
    assert one(geom('typ="sphere" mass="1" dim="1"')).suggestion == "did you mean `type`?"
    assert one(body('joint="frozen"', '<geom type="xyz"/><boddy/>')).suggestion == "did you mean `body`?"
    wrong = one(body('joint="frozen"', "<options/>"))
    assert wrong.message == "<options> is not allowed in <body>"
    assert wrong.suggestion == "it is allowed in <x_xy>"
    assert one(body().replace("x_xy>", "x_xi>")).suggestion == "did you mean `x_xy`?"
    assert one("<scene/>").code == "PB007"
    assert one("<scene/>").suggestion is None
    assert "robots in COLLADA are not read" in str(one("<COLLADA/>").suggestion)
    physics = '<physics name="p" type="ode"><ode><max_vel>1</max_vel></ode></physics>'
    text = f'<sdf version="1.9"><world name="w">{physics}</world></sdf>'
    (wrong,) = (each for each in pb.check("w.sdf", text=text) if each.code == "PB011")
    assert wrong.message == "<max_vel> is not allowed in <ode>"
    assert wrong.suggestion == "it is allowed in <ode> of <contact>"


# --- findings ----------------------------------------------------------------------------------------------

GEOMS = '<geom type="sphere" mass="-1" dim="1" color="dustin"/>\n<geom quat="2 0 0 0"/>'
BAD = body('dampin="1" pos="1 2"', GEOMS)


def test_a_finding_prints_as_one_line() -> None:
    found = one(body('dampin="1"'))
    assert str(found) == (
        "test.xml:4:27: PB012 error: unknown attribute `dampin` on <body> (did you mean `damping`?)"
    )
    assert found.xpath == "/x_xy/worldbody/body[1]/@dampin"
    assert pickle.loads(pickle.dumps(found)) == found


def test_xpaths_name_the_element() -> None:
    bodies = '<body name="b" joint="rx"/><body name="c" joint="rx"><geom foo="1"/></body>'
    text = body(inside='<geom type="xyz"/>\n' + bodies)
    found = [d.xpath for d in pb.check("a.xml", text=text) if d.severity == "error"]
    assert "/x_xy/worldbody/body[1]/body[2]/geom[1]/@foo" in found
    assert "/x_xy/worldbody/body[1]/body[2]/geom[1]" in found


def test_errors_carry_all_findings() -> None:
    with pytest.raises(pb.ValidationError) as error:
        pb.read("a.xml", policy="strict", text=BAD)
    assert error.value.diagnostics == pb.check("a.xml", text=BAD)
    again = pickle.loads(pickle.dumps(error.value))
    assert again.diagnostics == error.value.diagnostics
    assert str(again) == str(error.value)


def test_findings_stop_at_a_limit() -> None:
    text = body(inside="<foo/>" * 5000)
    found = pb.check("a.xml", text=text)
    assert len(found) == 1001
    assert found[-1].code == "PB009"
    findings = Findings(limit=2)
    for i in range(5):
        findings.add("PB005", None, str(i))
    assert [d.code for d in findings.items] == ["PB005", "PB005", "PB009"]


def test_no_number_of_remarks_makes_a_document_invalid() -> None:
    geoms = "".join(
        f'<geom type="sphere" mass="1" dim="1" quat="2 0 0 0" color="nobody{i}"/>\n' for i in range(1500)
    )
    found = pb.check("a.xml", text=body(inside=geoms))
    counts = Counter((d.code, d.severity) for d in found)
    assert counts == {
        ("PB042", "warning"): 1000, ("PB009", "warning"): 1,
        ("PB053", "info"): 1000, ("PB009", "info"): 1,
    }  # fmt: skip
    assert pb.read("a.xml", text=body(inside=geoms)).worldbody.body[0].geom[1499].color == "nobody1499"


def test_a_colour_that_nobody_knows_is_named_once() -> None:
    found = pb.check("a.xml", text=body(inside='<geom type="sphere" mass="1" dim="1" color="nobody"/>\n' * 3))
    assert [d.code for d in found] == ["PB053"]


# --- output ------------------------------------------------------------------------------------------------


def test_json_has_the_keys_of_the_design() -> None:
    found = pb.check("a.xml", text=BAD)
    rows = json.loads(output.as_json(found, ["f"] * len(found)))
    assert len(rows) >= 6
    for row in rows:
        assert list(row) == [
            "path", "line", "column", "end_line", "end_column", "code", "severity", "message", "xpath",
            "suggestion", "include_stack", "related", "about", "fingerprint",
        ]  # fmt: skip
        assert isinstance(row["include_stack"], list)
        assert isinstance(row["related"], list)


def test_sarif_is_valid() -> None:
    found = pb.check("dir with space/é.xml", text=BAD) + pb.check("/abs/a.xml", text=BAD)
    found.append(Diagnostic("b.xml", 1, 1, 1, 1, "PB001", "error", "m", include_stack=("a.xml:3", "c.xml:4")))
    log = json.loads(output.sarif(found, [str(number) for number in range(len(found))]))
    jsonschema.validate(log, SARIF)
    run = log["runs"][0]
    assert len(run["results"]) == len(found)
    for result, diagnostic in zip(run["results"], found, strict=True):
        assert (
            run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == diagnostic.code
        )
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["startLine"], region["startColumn"]) == (diagnostic.line, diagnostic.column)
    assert {r["level"] for r in run["results"]} == {"error", "warning", "note"}
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]}
    assert uris == {"dir%20with%20space/%C3%A9.xml", "file:///abs/a.xml", "b.xml"}
    jsonschema.validate(json.loads(output.sarif([], [])), SARIF)
    tool = run["tool"]
    for broken in ({"version": "2.0"}, {"runs": [{"tool": {}}]}, {"runs": [{"tool": tool, "results": [{}]}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(log | broken, SARIF)


def test_github_escapes() -> None:
    d = Diagnostic("a,b:c.xml", 3, 2, 3, 5, "PB012", "warning", "50% of\nall", suggestion="x")
    assert output.github([d]) == (
        "::warning file=a%2Cb%3Ac.xml,line=3,endLine=3,col=2,endColumn=5,title=PB012::50%25 of\\nall (x)\n"
    )
    assert ",col=" not in output.github([Diagnostic("a", 3, 2, 4, 5, "PB012", "info", "m")])


def test_full_shows_the_line_with_a_caret() -> None:
    text = body('dampin="1"')
    found = pb.check("a.xml", text=text)
    lines = source_lines({"a.xml": text.encode()})
    assert output.full(found, lines, colour=False) == (
        "a.xml:4:27: PB012 error: unknown attribute `dampin` on <body>\n"
        "   |\n"
        ' 4 | <body name="a" joint="rx" dampin="1">\n'
        "   |                           ^^^^^^^^^^\n"
        "   = in body `a`\n"
        "   = help: did you mean `damping`?\n"
    )
    coloured = output.full(found, lines, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == output.full(found, lines, colour=False)


def test_full_keeps_control_characters_and_long_lines_off_the_terminal() -> None:
    text = body(f'pos="{"0 " * 3000}\x85" foo="1"')
    found = pb.check("a.xml", text=text)
    shown = output.full(found, source_lines({"a.xml": text.encode()}), colour=False)
    assert max(map(len, shown.splitlines())) < 250
    assert "\x85" not in shown
    unread = [Diagnostic("none", 1, 1, 1, 1, "PB001", "error", "m")]
    assert output.full(unread, lambda d: None, colour=False) == "none:1:1: PB001 error: m\n"
