"""Every command that ``polybody --help`` lists, with every format: it succeeds or reports why it cannot."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from polybody.cli import app
from polybody.generated.formats import ROOTS

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = {
    "x_xy": "pendulum.x_xy.xml",
    "mjcf": "pendulum.mjcf.xml",
    "urdf": "pendulum.urdf",
    "srdf": "pendulum.srdf",
    "sdf": "pendulum.sdf",
    "openrave": "pendulum.kinbody.xml",
    "skel": "pendulum.skel",
}
"""In tests/samples: the same pendulum in every format, without findings."""
TAKES_A_FORMAT = {"file", "files", "folder", "format", "format_in", "schema"}
"""Parameters by which a command depends on a format."""


def commands() -> dict[str, Any]:
    """The commands of the program, by name."""
    context = click.Context(app)
    return {name: app.get_command(context, name) for name in app.list_commands(context)}


def call(*arguments: str | Path, code: int = 0) -> Result:
    """Run a command in this process; it must end without an exception, with this exit code."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    assert result.exit_code == code, result.output
    return result


# --- one function per command that depends on a format: (format, sample, empty folder) -----------------


def check(form: str, sample: Path, folder: Path) -> None:
    for how in ("full", "concise", "json", "sarif", "github", "junit"):
        call("check", sample, "--format-in", form, "--output-format", how)
    assert json.loads(call("check", sample, "--output-format", "json").stdout) == []
    bad = folder / sample.name
    text = sample.read_text(encoding="utf-8").replace("pendulum", 'p" nonsense="1', 1)
    bad.write_text(text, encoding="utf-8")
    (found,) = json.loads(call("check", bad, "--output-format", "json", code=1).stdout)
    assert (found["code"], found["severity"]) == ("PB012", "error")
    assert "nonsense" in call("check", folder, code=1).stdout


def fmt(form: str, sample: Path, folder: Path) -> None:
    path = folder / sample.name
    path.write_text(sample.read_text(encoding="utf-8").replace("\n", "\n\n\n"), encoding="utf-8")
    assert "would be formatted" in call("fmt", "--check", path, code=1).stdout
    assert call("fmt", "--diff", path, code=1).stdout.startswith(f"--- {path}\n+++ {path}\n@@ ")
    call("fmt", path)
    assert call("fmt", path).stdout == "1 file unchanged\n"
    assert call("check", path, "--format-in", form)


def fix(form: str, sample: Path, folder: Path) -> None:
    path = folder / sample.name
    text = sample.read_text(encoding="utf-8")
    tags = {"urdf": "link", "srdf": "chain", "sdf": "link", "skel": "body", "openrave": "Body"}
    tag = tags.get(form, "geom")
    path.write_text(text.replace(f"<{tag}", f"<{tag}x").replace(f"</{tag}>", f"</{tag}x>"), encoding="utf-8")
    call("fix", path)
    assert path.read_text(encoding="utf-8").lower() == text.lower()


def model_commands(*calls: tuple[str, ...]) -> Callable[[str, Path, Path], None]:
    """Commands that need a Model, to which not every format can be lowered: ``{folder}`` is filled in."""

    def run(form: str, sample: Path, folder: Path) -> None:
        simulated = find_spec(f"polybody.lowering.{form}") is not None
        for command, *options in calls:
            result = call(
                command, sample, *(o.format(folder=folder) for o in options), code=0 if simulated else 1
            )
            if not simulated:
                assert "PB064 error" in result.stderr
                told = command == "info" and "--json" in options  # it lists the bodies of any document
                assert not (json.loads(result.stdout)["bodies"] if told else result.stdout)

    return run


def schema(form: str, sample: Path, folder: Path) -> None:
    page = call("schema", form).stdout
    root = ROOTS[form][0]
    assert page.startswith("# ")
    assert f"`<{root}>`" in page
    described = json.loads(call("schema", form, "--json").stdout)
    assert described["format"] == form
    assert {element["tag"] for element in described["elements"]} >= set(ROOTS[form])
    xsd = ROOT / "schemas" / f"{form}.xsd"
    assert call("schema", "diff", xsd, xsd).stdout == "no changes\n"


def generate(form: str, sample: Path, folder: Path) -> None:
    call("generate", "--schema", ROOT / "schemas" / f"{form}.xsd", "--out", folder / "made")
    assert (folder / "made" / "reference.md").is_file()


def editor(form: str, sample: Path, folder: Path) -> None:
    shutil.copy(sample, folder)
    shown = json.loads(call("editor", folder, "--print").stdout)
    call("editor", folder)
    written = json.loads((folder / ".vscode" / "settings.json").read_text(encoding="utf-8"))
    assert written == shown
    patterns = {
        row["pattern"]
        for row in written["xml.fileAssociations"]
        if Path(row["systemId"]).name == f"{form}.xsd"
    }
    assert patterns & {sample.name, f"**/*{sample.suffix}"}


PER_FORMAT: dict[str, Callable[[str, Path, Path], None]] = {
    "check": check,
    "fmt": fmt,
    "fix": fix,
    "info": model_commands(("info",), ("info", "--json"), ("info", "--xml")),
    "sim": model_commands(("sim", "--steps", "3", "--out", "{folder}/t.npz", "--plot", "{folder}/t.png")),
    "compile": model_commands(("compile", "--no-batch", "--json")),
    "schema": schema,
    "generate": generate,
    "editor": editor,
}
ONCE = {
    "explain": [("explain",), ("explain", "PB012")],
    "cache": [("cache", action) for action in ("list", "size", "path", "clear")],
}
"""Commands that do not depend on a format."""


def test_every_command_is_tried_on_every_format_it_meets() -> None:
    assert set(SAMPLES) == set(ROOTS)
    assert set(commands()) == {*PER_FORMAT, *ONCE}, "a command without a case"
    meeting = {
        name
        for name, command in commands().items()
        if TAKES_A_FORMAT & {str(parameter.name) for parameter in command.params}
    }
    assert meeting - {"explain"} == set(PER_FORMAT)  # of which only the examples depend on it


@pytest.mark.parametrize("form", SAMPLES)
@pytest.mark.parametrize("command", PER_FORMAT)
def test_a_command_on_a_format(command: str, form: str, tmp_path: Path) -> None:
    PER_FORMAT[command](form, ROOT / "tests" / "samples" / SAMPLES[form], tmp_path)


@pytest.mark.parametrize("arguments", [row for rows in ONCE.values() for row in rows], ids=" ".join)
def test_a_command_that_meets_no_format(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYBODY_CACHE", str(tmp_path / "cache"))
    assert call(*arguments).stdout


@pytest.mark.parametrize("command", [*PER_FORMAT, *ONCE])
def test_help_of_a_command(command: str) -> None:
    shown = call("--help").stdout
    assert f"\n  {command} " in shown
    assert "Usage: " in call(command, "--help").stdout


# --- rejected arguments ---------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [(), ("--check",)])
def test_generate_outside_of_a_checkout_says_what_it_is_for(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = call("generate", *options, code=2).stderr
    assert f"rewrites polybody's own generated/, in a checkout of polybody, {ROOT};" in said
    assert said.endswith("from a schema of your own: polybody generate --schema XSD --out DIR\n")
    monkeypatch.setattr("polybody.codegen.command.checkout", lambda: None)
    monkeypatch.chdir(ROOT)
    assert "in a checkout of polybody; to make" in call("generate", *options, code=2).stderr


def test_without_arguments_the_help_is_shown_in_lines() -> None:
    assert call(code=2).stderr == call("--help").stdout


@pytest.mark.parametrize("arguments", [("a\nb",), ("--a\nb",), ("check", "x.xml", "--policy", "a\nb")])
def test_messages_about_usage_quote_in_one_line(arguments: tuple[str, ...]) -> None:
    said = call(*arguments, code=2).stderr
    assert said.rpartition("\nError: ")[2].count("\n") == 1
    assert "a\\nb" in said


def test_an_interrupted_command_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("polybody.checking.check", interrupted)
    result = call("check", ROOT / "tests" / "samples" / SAMPLES["urdf"], code=130)
    assert (result.stdout, result.stderr) == ("", "")
