"""Unexpected exceptions become findings that name the element, and every test run fails on them."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import polybody as pb
import pytest
from polybody.diagnostics.internal import NOTED_IN
from polybody.validation.rules.x_xy import check as rules_of_x_xy
from polybody.validation.scene import Scene

from tests.waiting import PATIENCE

TEXT = """<x_xy>
  <worldbody>
    <body name="a" joint="rx"><geom type="sphere" mass="1" dim="0.1"/></body>
    <body name="b" joint="ry"><geom type="sphere" mass="1" dim="0.1"/></body>
  </worldbody>
</x_xy>
"""
BROKEN = """
import sys
import polybody.validation.rules.x_xy as rules

def check(scene):
    body = scene.root.worldbody.body[1]
    raise KeyError("\x1b[31m" + body.name)

rules.check = check
"""


def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(scene: Scene) -> None:
        assert rules_of_x_xy is not None
        assert isinstance(scene.root, pb.x_xy.XXy)
        world = scene.root.worldbody
        assert world is not None
        body = world.body[1]
        raise KeyError(body.name)

    monkeypatch.setattr("polybody.validation.rules.x_xy.check", check)


@pytest.mark.internal_error
def test_an_exception_in_a_rule_is_a_finding_at_the_element(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)
    (found,) = pb.check("m.xml", text=TEXT)
    assert (found.code, found.severity, found.line) == ("PB099", "error", 4)
    assert found.message.startswith("internal error at <body>: KeyError: 'b' (test_internal_errors.py:")
    assert "report" in (found.suggestion or "")
    for policy in ("strict", "warn", "lenient"):
        with pytest.raises(pb.ValidationError, match="PB099") as caught:
            pb.read("m.xml", text=TEXT, policy=policy)  # type: ignore[arg-type]
        assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.internal_error
def test_it_is_said_beside_any_number_of_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)
    text = TEXT.replace("</worldbody>", '<body name="a" joint="rx"/>' * 2000 + "</worldbody>")
    assert "PB099" in {d.code for d in pb.check("m.xml", text=text)}


@pytest.mark.internal_error
def test_an_exception_in_a_lowering_is_one_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def add_body(self: object, body: object, parent: int) -> int:
        raise ZeroDivisionError

    module = import_module("polybody.lowering.x_xy.lower")  # not the package's attribute
    monkeypatch.setattr(module._Lowering, "add_body", add_body)
    path = tmp_path / "m.xml"
    path.write_text(TEXT)
    with pytest.raises(pb.ValidationError, match=r"m.xml:3:5: PB099 error: internal error at <body>: Zero"):
        pb.load(path)
    with pytest.raises(pb.ValidationError, match="PB099"):
        pb.lower(pb.read(path))


def test_what_callers_do_wrong_is_no_internal_error(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(TEXT)
    for wrong, error in (
        ({"seed": -1}, ValueError),
        ({"axes": {"nobody": [[1, 0, 0]]}}, ValueError),
        ({"nonsense": 1}, TypeError),
        ({"disable": "nonsense"}, ValueError),
    ):
        with pytest.raises(error) as caught:
            pb.load(path, **wrong)  # type: ignore[arg-type]
        assert not isinstance(caught.value, pb.ValidationError)
    with pytest.raises(TypeError, match="text must be str or bytes"):
        pb.check("m.xml", text=5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown format"):
        pb.check("m.xml", text="<x/>", format="nonsense")


@pytest.mark.internal_error
def test_the_command_line_says_it_and_notes_the_traceback(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(TEXT)
    run = BROKEN + "from polybody.cli import run\nsys.argv = ['polybody', 'check', sys.argv[1]]\nrun()\n"
    done = subprocess.run(
        [sys.executable, "-c", run, path], capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 1
    assert b"m.xml:4:5: PB099 error: internal error at <body>: KeyError: " in done.stdout
    assert b"\x1b" not in done.stdout
    assert "Traceback" in Path(os.environ[NOTED_IN]).read_text()


@pytest.mark.internal_error
def test_writing_has_no_findings_and_says_it_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    def written(document: pb.x_xy.XXy) -> str:
        world = document.worldbody
        assert world is not None
        raise KeyError(world.body[0].name)

    document = pb.read("m.xml", text=TEXT)
    monkeypatch.setattr("polybody.writing.written", written)
    with pytest.raises(pb.InternalError, match=r"at <worldbody>: KeyError: 'a'.* please report it"):
        pb.write(document, layout="canonical")
