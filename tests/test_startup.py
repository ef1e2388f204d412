"""What commands import: what a file needs, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from polybody.base import Child
from polybody.document.registry import format_named
from polybody.generated.formats import FOLDS_CASE, ROOTS, TAGS

from tests.test_commands import SAMPLES
from tests.waiting import PATIENCE

SAMPLE = Path(__file__).resolve().parent / "samples"
RUN = """
import sys
before = set(sys.modules)
from polybody.cli import run
sys.argv = ["polybody", *sys.argv[1:]]
try:
    run()
except SystemExit as ended:
    print("\\nended", ended.code, *sorted(set(sys.modules) - before))
"""
CHECKING = {
    *("base", "checking", "cli", "diagnostics", "document", "errors", "escaping", "files", "first_use"),
    *("generated", "geometry", "mujoco_names", "reading", "suggest", "validation"),
}
"""The parts of polybody with which every document is checked."""
OF_FORMAT = {"mjcf": {"counts", "plugins"}, "openrave": {"formulas"}, "x_xy": {"css_colours"}}
"""The same for some formats."""
JUDGING = {
    "polybody.engine",
    *(f"polybody.engine.{name}" for name in ("constraint_rows", "data", "islands", "requested")),
    *(f"polybody.engine.{name}" for name in ("singular", "unsimulated")),
}
"""Judging a Model, which includes what the first step refuses, needs these parts of the engine."""
REFERENCE = {"polybody.model.at_reference", "polybody.model.mounted"}
"""MJCF's lowering computes what MuJoCo's compiler does at the reference pose."""


def loaded(*arguments: str | Path, code: int = 0) -> set[str]:
    """The modules that a command imports in a new interpreter."""
    command = [sys.executable, "-c", RUN, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    ended, *modules = done.stdout.rpartition("\nended ")[2].split()
    assert ended in (str(code), "None"), done.stderr
    return set(modules)


def foreign(modules: set[str]) -> set[str]:
    """The packages of others."""
    tops = {name.partition(".")[0] for name in modules} - {"polybody", "cython_runtime"}
    return {name for name in tops - sys.stdlib_module_names if not name.startswith("_")}


def parts(modules: set[str]) -> set[str]:
    """The parts of polybody, by the names of its modules and packages."""
    return {name.split(".")[1] for name in modules if name.startswith("polybody.")}


def formats(modules: set[str]) -> set[str]:
    """The formats whose classes or tables are imported."""
    below = "polybody.generated.formats."
    return {name.removeprefix(below).partition(".")[0] for name in modules if name.startswith(below)}


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("check", "--help"), ("sim", "--help")])
def test_help_imports_the_command_line_alone(arguments: tuple[str, ...]) -> None:
    modules = loaded(*arguments)
    assert foreign(modules) == {"click"}
    assert parts(modules) <= {"cli", "errors", "escaping", "files"}


def test_a_command_imports_no_other_command() -> None:
    modules = loaded("explain", "PB012")
    assert foreign(modules) == {"click"}
    others = ("simulate", "kernels", "mend", "schema", "editor")
    assert not modules & {f"polybody.cli.{name}" for name in others}


@pytest.mark.parametrize("form", SAMPLES)
@pytest.mark.parametrize("judged", [True, False])
def test_a_check_of_a_file_with_errors(form: str, judged: bool, tmp_path: Path) -> None:
    path = tmp_path / SAMPLES[form]
    path.write_text((SAMPLE / SAMPLES[form]).read_text(encoding="utf-8")[:-20], encoding="utf-8")
    modules = loaded("check", path, *([] if judged else ["--no-model"]), code=1)
    assert foreign(modules) == {"click"}
    assert formats(modules) == {form}
    assert parts(modules) - {"lowering", "plausibility"} <= CHECKING | OF_FORMAT.get(form, set())
    assert "polybody.geometry.gmsh" not in modules


@pytest.mark.parametrize("form", SAMPLES)
def test_a_check_without_the_model(form: str) -> None:
    modules = loaded("check", SAMPLE / SAMPLES[form], "--no-model")
    assert foreign(modules) == {"click"}
    assert formats(modules) == {form}
    assert parts(modules) <= CHECKING | OF_FORMAT.get(form, set())
    assert "polybody.geometry.gmsh" not in modules


@pytest.mark.parametrize("form", SAMPLES)
def test_a_check_that_judges_the_model(form: str) -> None:
    modules = loaded("check", SAMPLE / SAMPLES[form])
    assert foreign(modules) == ({"click", "numpy"} if form != "srdf" else {"click"})
    assert formats(modules) == {form}
    allowed = JUDGING | (REFERENCE if form == "mjcf" else set())
    assert {name for name in modules if name.startswith("polybody.engine")} <= allowed
    assert not parts(modules) & {"simulation", "programs", "constraints", "codegen", "editing", "writing"}
    assert not modules & {
        *("polybody.geometry.gmsh", "polybody.geometry.signed_distances", "polybody.geometry.textures"),
        *("polybody.model.xml", "importlib.metadata", "numpy.ma", "statistics", "zipfile"),
    }
    assert form == "x_xy" or "hashlib" not in modules  # numpy.random imports it
    assert ("polybody.formulas" in modules) == (form == "openrave")


@pytest.mark.parametrize("form", sorted(ROOTS))
def test_formats_are_detected_by_all_their_tags(form: str) -> None:
    rows = format_named(form).elements.values()
    children = [each for row in rows for each in (*row.children, *row.absent) if isinstance(each, Child)]
    found = {child.tag for child in children} - {"*"}
    assert set(TAGS[form]) == ({tag.lower() for tag in found} if form in FOLDS_CASE else found)
