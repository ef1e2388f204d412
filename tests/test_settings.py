"""Settings of a project: those of other users are ignored, and access to other folders is announced."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from polybody.cli import app, models
from polybody.cli.settings import settings

if sys.platform == "win32":
    pytest.skip("files have no owner there that Python could ask for", allow_module_level=True)

OTHER = 54321
FILES = {"polybody.toml": "{}", "pyproject.toml": "[tool.polybody]\n{}"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a faulty document."""
    inner = tmp_path / "project"
    inner.mkdir()
    monkeypatch.chdir(inner)
    monkeypatch.setattr(models, "_TOLD", set())
    (inner / "m.xml").write_text('<mujoco><include file="../elsewhere/a.xml"/></mujoco>')
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.xml").write_text("<mujoco><worldbody/></mujoco>")
    return inner


def check(*arguments: str) -> tuple[int, str]:
    """The exit code, and what is printed on standard error."""
    done = CliRunner().invoke(app, ["check", "m.xml", *arguments])
    return done.exit_code, done.stderr


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a file one of another user: by its owner if this process may change it, else by who we are."""
    if os.geteuid() == 0:
        os.chown(path, OTHER, OTHER, follow_symlinks=False)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: OTHER)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("link", [False, True])
def test_settings_of_another_user_are_ignored(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, link: bool
) -> None:
    (folder.parent / "polybody.toml").write_text('min-severity = "error"')
    path = folder / name
    text = FILES[name].format('roots = ["/"]')
    if link:
        (folder / "real.toml").write_text(text)
        path.symlink_to("real.toml")
    else:
        path.write_text(text)
    assert settings(folder).get("roots", None) == ["/"]
    give_away(path, monkeypatch)
    if os.geteuid() == 0:  # the one above is still ours
        assert settings(folder).path == folder.parent / "polybody.toml"
    code, said = check()
    assert code == 1
    assert f"polybody: {path} is ignored, because it belongs to another user" in said


def test_a_file_of_another_user_without_settings_is_not_mentioned(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "pyproject.toml").write_text("[tool.other]\n")
    give_away(folder / "pyproject.toml", monkeypatch)
    assert check() == (1, "")


@pytest.mark.parametrize(
    "setting", ['roots = ["../elsewhere"]', 'package-path = ["/"]', '[packages]\na = "../elsewhere"']
)
def test_folders_elsewhere_are_announced_once(folder: Path, setting: str) -> None:
    (folder / "polybody.toml").write_text(setting)
    _, said = check()
    assert said.count("allows files of other folders to be opened") == said.count("\n") == 1
    assert str(folder / "polybody.toml") in said
    assert check()[1] == ""


def test_folders_of_the_project_are_not_announced(folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "polybody.toml").write_text('roots = ["parts", "."]\n[packages]\na = "parts"')
    assert check() == (1, "")


def test_a_root_elsewhere_is_used(folder: Path) -> None:
    (folder / "polybody.toml").write_text('min-severity = "error"')
    assert check()[0] == 1
    (folder / "polybody.toml").write_text('roots = ["../elsewhere"]\nmin-severity = "error"')
    assert check()[0] == 0


def test_confined(folder: Path) -> None:
    settings = folder.parent / "pyproject.toml"
    settings.write_text('[tool.polybody]\nmin-severity = "error"\n')
    assert (check()[0], check("--confined")[0]) == (0, 1)
    settings.write_text('[tool.polybody]\nmin-severity = "error"\nconfined = true\n')
    assert check()[0] == 1
    settings.write_text('[tool.polybody]\nconfined = "yes"\n')
    assert check()[0] == 2
