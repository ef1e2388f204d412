"""What other programs run: the hooks for pre-commit, the action for GitHub, and the commands of the page."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from polybody.cli import app

from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "tests" / "samples"
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PACKAGE = "<package><name>robots</name></package>\n"
MISSPELT = "<mujoco>\n  <wordlbody/>\n</mujoco>\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the models that we ship, and a file that is no model."""
    shutil.copytree(SAMPLES, tmp_path / "robots")
    for path in (ROOT / "examples").glob("*.xml"):
        shutil.copy(path, tmp_path / "robots")
    (tmp_path / "robots" / "package.xml").write_text(PACKAGE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def polybody(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code, result.output
    return result.output


# --- pre-commit ------------------------------------------------------------------------------------------


def hook(name: str, folder: Path, code: int) -> str:
    """Run a hook as pre-commit does: its entry, with the files whose names it wants."""
    wanted = re.compile(HOOKS[name]["files"])
    program, *arguments = shlex.split(HOOKS[name]["entry"])
    assert program == "polybody"
    return polybody(*arguments, *filter(wanted.search, files(folder)), code=code)


def test_hooks_accept_what_we_ship(folder: Path) -> None:
    assert set(HOOKS) == {"polybody-check", "polybody-fix", "polybody-fmt"}
    assert all(each["language"] == "python" and each["name"] for each in HOOKS.values())
    assert " error: " not in hook("polybody-check", folder, code=0)
    texts = {name: (folder / name).read_bytes() for name in files(folder)}
    assert hook("polybody-fix", folder, code=0) == f"{len(texts) - 1} files unchanged\n"
    hook("polybody-fmt", folder, code=0)
    assert hook("polybody-fmt", folder, code=0) == f"{len(texts) - 1} files unchanged\n"
    assert (folder / "robots" / "package.xml").read_text(encoding="utf-8") == PACKAGE


def test_hooks_find_what_is_wrong(folder: Path) -> None:
    (folder / "robots" / "wrong.xml").write_text(MISSPELT, encoding="utf-8")
    (folder / "robots" / "scene.dmd.yaml").write_text("directives:\n- add_modle: {}\n", encoding="utf-8")
    said = hook("polybody-check", folder, code=1)
    assert "robots/wrong.xml:2:3: PB011 error" in said
    assert "robots/scene.dmd.yaml:2:3: " in said
    assert "fixed: robots/wrong.xml\n" in hook("polybody-fix", folder, code=0)
    assert "robots/wrong.xml" not in hook("polybody-check", folder, code=1)


def test_every_suffix_of_a_model_is_wanted() -> None:
    from polybody.cli.targets import SUFFIXES

    wanted = re.compile(HOOKS["polybody-check"]["files"])
    assert all(wanted.search(f"a/b{suffix}") for suffix in SUFFIXES)
    assert not wanted.search("a.urdf.xacro")
    for name in ("polybody-fix", "polybody-fmt"):  # of XML alone
        rewritten = {s for s in SUFFIXES if re.search(HOOKS[name]["files"], f"a{s}")}
        assert set(SUFFIXES) - rewritten == {".dmd.yaml", ".dmd.yml"}


# --- GitHub ----------------------------------------------------------------------------------------------


def action(step: str, folder: Path, path: str = "", **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action, with an installed program in place of the one it installs."""
    script, environment = next(
        (each["run"], each.get("env", {})) for each in ACTION["runs"]["steps"] if each["name"] == step
    )
    values = {name: row["default"] for name, row in ACTION["inputs"].items()} | inputs
    given = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: values[match[1]], text)
        for name, text in environment.items()
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=os.environ
        | {"RUNNER_TEMP": str(folder / "temp"), "GITHUB_ACTION_PATH": str(ROOT)}
        | ({"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"} if path else {})
        | given,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def program(path: Path, command: str) -> None:
    """Make a program of a shell command."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\n{command} "$@"\n', encoding="utf-8")
    path.chmod(0o755)


def test_the_action_installs_this_checkout(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "python3", "echo python3")
    program(tmp_path / "temp" / "polybody" / "bin" / "pip", "echo pip")
    done = action("Install polybody", tmp_path, str(tmp_path / "bin"))
    assert done.stdout.splitlines() == [
        f"python3 -m venv {tmp_path}/temp/polybody",
        f"pip install --quiet {ROOT}",
    ]
    assert (ROOT / "pyproject.toml").is_file()


def test_the_action_checks_models(folder: Path) -> None:
    program(folder / "temp" / "polybody" / "bin" / "polybody", f"'{sys.executable}' -m polybody")
    done = action("Check models", folder)
    assert (done.returncode, "::error" in done.stdout) == (0, False), done.stdout + done.stderr
    (folder / "robots" / "wrong.xml").write_text(MISSPELT, encoding="utf-8")
    done = action("Check models", folder, files="robots/*.xml", sarif="found.sarif")
    assert done.returncode == 1
    assert "::error file=robots/wrong.xml,line=2," in done.stdout
    assert '"PB011"' in (folder / "found.sarif").read_text(encoding="utf-8")
    arguments = "--exclude wrong.xml --exclude package.xml"
    done = action("Check models", folder, files="robots/*.xml", arguments=arguments)
    assert done.returncode == 0, done.stdout
    assert action("Check models", folder, arguments="--policy lax").returncode == 2
    assert action("Check models", folder, arguments="--policy lax", sarif="found.sarif").returncode == 2
    done = action("Check models", folder, files="$(touch${IFS}made)", sarif="found.sarif")
    assert not (folder / "made").exists()


# --- the page --------------------------------------------------------------------------------------------


def commands() -> list[str]:
    """The commands of the page, in blocks for a shell and in workflows."""
    lines = "\n".join(text for kind, text in BLOCK.findall(PAGE) if kind in ("sh", "yaml")).splitlines()
    return [line.strip().removeprefix("- ") for line in lines if re.match(r"[\s-]*polybody \w+ ", line)]


def test_the_commands_of_the_page_succeed(folder: Path) -> None:
    """On the models that we ship, with the folders that the page names."""
    for name in ("third_party/arm.xml", "generated/arm.xml", "robots/cassie/arm.world"):
        (folder / name).parent.mkdir(parents=True)
        shutil.copy(SAMPLES / "pendulum.mjcf.xml", folder / name)
    polybody("fmt", "robots")
    assert len(commands()) == 7
    for command in commands():
        program, *arguments = shlex.split(command.partition(" > ")[0])
        assert (program, arguments) != ("polybody", [])
        polybody(*arguments)


def test_the_settings_of_the_page_are_valid(folder: Path) -> None:
    (text,) = [text for kind, text in BLOCK.findall(PAGE) if kind == "toml"]
    (folder / "polybody.toml").write_text(text, encoding="utf-8")
    polybody("check", "robots", "--write-baseline", "robots/baseline.json")
    polybody("check", "robots")


def test_the_workflows_of_the_page_are_valid() -> None:
    workflows = [yaml.safe_load(text) for kind, text in BLOCK.findall(PAGE) if kind == "yaml"]
    hooks: list[Any] = [repo["hooks"] for each in workflows for repo in each.get("repos", [])]
    assert [each["id"] for each in hooks[0]] == list(HOOKS)
    steps = next(each["jobs"]["check"]["steps"] for each in workflows if "jobs" in each)
    (used,) = [step["with"] for step in steps if "polybody" in step["uses"]]
    assert used.keys() <= ACTION["inputs"].keys()
    assert used["sarif"] == steps[-1]["with"]["sarif_file"]


def test_the_page_lists_the_formats_of_the_report() -> None:
    from typing import get_args

    from polybody.cli.report import Form

    shown = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert sorted(shown) == sorted(get_args(Form))
