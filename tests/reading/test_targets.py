"""What `check`, `fmt` and `fix` are about: patterns to exclude, settings for some paths, other settings
files, and the number of warnings that is allowed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.cli.patterns import Pattern

from .tools import body

BAD = body('dampin="1"')
WARNED = body(inside='<geom type="sphere" mass="1" dim="1" quat="2 0 0 0"/>')
"""With one warning, PB042."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "good.xml": body(),
        "robots/bad.xml": BAD,
        "robots/warned.xml": WARNED,
        "robots/old/bad.xml": BAD,
        "robots/package.xml": "<package/>",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(*arguments: str, code: int) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code, result.output
    return result.output


def found(*arguments: str, code: int) -> list[tuple[str, str]]:
    """The paths and codes of the findings."""
    result = CliRunner().invoke(app, ["check", *arguments, "--output-format", "json"])
    assert result.exit_code == code, result.output
    return [(row["path"], row["code"]) for row in json.loads(result.stdout)]


ALL = [("robots/bad.xml", "PB012"), ("robots/old/bad.xml", "PB012"), ("robots/warned.xml", "PB042")]


# --- links -----------------------------------------------------------------------------------------------


@pytest.fixture
def linked(folder: Path) -> Path:
    """A folder with links out of it, which looks like one that was unpacked."""
    (folder / "secret").mkdir()
    (folder / "secret" / "s.xml").write_text(BAD)
    unpacked = folder / "unpacked"
    (unpacked / "below").mkdir(parents=True)
    (unpacked / "own.xml").write_text(BAD)
    (unpacked / "a.xml").symlink_to("../secret/s.xml")
    (unpacked / "within.xml").symlink_to("own.xml")
    (unpacked / "below" / "b.xml").symlink_to(folder / "secret" / "s.xml")
    (unpacked / "sub").symlink_to("../secret")
    return folder


LEFT = "links out of it, left out unless named itself"
ONE = LEFT.replace("links", "link")
OWN = [("unpacked/own.xml", "PB012"), ("unpacked/within.xml", "PB012")]


@pytest.mark.parametrize(
    ("entry", "rest", "outside"),
    [
        ("unpacked", OWN, f"2 files are {LEFT}: unpacked/a.xml, unpacked/below/b.xml"),
        ("unpacked/*.xml", OWN, f"one file is a {ONE}: unpacked/a.xml"),
        ("unpac*/*.xml", [*OWN, ("unpacked/a.xml", "PB012")], None),
        ("unpacked/*/*.xml", None, f"2 files are {LEFT}: unpacked/below/b.xml, unpacked/sub/s.xml"),
        ("unpacked/sub/*.xml", [("unpacked/sub/s.xml", "PB012")], None),
        ("unpacked/a.xml", [("unpacked/a.xml", "PB012")], None),
    ],
)
def test_links_out_of_a_folder_are_named_and_left_out(
    linked: Path, entry: str, rest: list[tuple[str, str]] | None, outside: str | None
) -> None:
    result = CliRunner().invoke(app, ["check", entry, "--output-format", "json"])
    assert (f"polybody: {entry}: {outside}\n" in result.stderr) == (outside is not None)
    assert ("out of it" in result.stderr) == (outside is not None)
    if rest is None:
        assert result.exit_code == 2
    else:
        assert sorted((row["path"], row["code"]) for row in json.loads(result.stdout)) == sorted(rest)


def test_a_link_that_stays_in_the_project_is_followed(linked: Path) -> None:
    (linked / "package.xml").write_text("<package/>")
    assert len(found("unpacked", code=1)) == 4


@pytest.mark.parametrize("command", ["fmt", "fix"])
def test_what_a_link_leads_to_is_not_copied_into_the_folder(linked: Path, command: str) -> None:
    run(command, "unpacked", code=0)
    assert (linked / "unpacked" / "a.xml").is_symlink()
    assert (linked / "unpacked" / "below" / "b.xml").is_symlink()


def test_an_editors_settings_do_not_depend_on_files_elsewhere(linked: Path) -> None:
    shown = run("editor", "unpacked", "--print", code=0)
    assert "own.xml" in shown
    assert "a.xml" not in shown
    assert "b.xml" not in shown


def test_a_link_is_named_unless_it_is_excluded(linked: Path) -> None:
    done = CliRunner().invoke(app, ["check", "unpacked", "--exclude", "a.xml", "--exclude", "below"])
    assert "out of it" not in done.stderr


# --- patterns --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "matched", "others"),
    [
        ("bad.xml", ["bad.xml", "a/b/bad.xml"], ["bad.xml.xml", "a/bad_xml"]),
        ("*.xml", ["a.xml", "a/b.xml"], ["a.urdf"]),
        ("./*.xml", ["a.xml"], ["a/b.xml"]),
        ("old", ["old/a.xml", "a/old/b/c.xml", "old"], ["older/a.xml"]),
        ("old/", ["a/old/b.xml"], ["a/b.xml"]),
        ("a/b", ["a/b", "a/b/c/d.xml"], ["x/a/b", "a/c"]),
        ("a/*/c.xml", ["a/b/c.xml"], ["a/c.xml", "a/b/b/c.xml"]),
        ("a/**/c.xml", ["a/c.xml", "a/b/c.xml", "a/b/b/c.xml"], ["c.xml", "a/b/d.xml"]),
        ("**/c.xml", ["c.xml", "a/b/c.xml"], ["a/bc.xml"]),
        ("a/**", ["a/b", "a/b/c"], ["b/a/c"]),
        ("**", ["a", "a/b"], []),
        ("arm[12].xml", ["arm1.xml"], ["arm3.xml", "arm[12].xml"]),
        ("a?.xml", ["ab.xml"], ["a.xml", "a/.xml"]),
        ("**/a/**/a/**/a/**/b", ["a/a/a/b"], ["a/" * 200 + "c"]),
    ],
)
def test_patterns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, matched: list[str], others: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rule = Pattern.below(Path(), pattern)
    assert [path for path in [*matched, *others] if rule.matches(path)] == matched
    assert all(rule.matches(str(tmp_path / path)) for path in matched)
    assert not any(rule.matches(str(tmp_path / path)) for path in others)


def test_patterns_that_are_absolute_or_lead_upwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inner").mkdir()
    assert Pattern.below(Path(), f"{tmp_path}/a*").matches("ab/c.xml")
    assert Pattern.below(Path("inner"), "../a").matches("a/b.xml")
    (tmp_path / "link").symlink_to("inner")
    assert Pattern.below(Path("link"), "b.xml").matches("inner/b.xml")
    assert Pattern.below(Path(), "inner").matches("link/b.xml")


# --- hidden folders ---------------------------------------------------------------------------------------


def test_hidden_folders_are_not_searched_unless_they_are_named(folder: Path) -> None:
    (folder / "robots" / ".venv" / "lib").mkdir(parents=True)
    (folder / "robots" / ".venv" / "lib" / "bad.xml").write_text(BAD)
    assert found("robots", code=1) == ALL
    assert found("robots/.venv", code=1) == [("robots/.venv/lib/bad.xml", "PB012")]


# --- excluded files --------------------------------------------------------------------------------------


def test_excluded_files_are_not_checked(folder: Path) -> None:
    assert found("robots", code=1) == ALL
    assert found("robots", "--exclude", "old", code=1) == [ALL[0], ALL[2]]
    assert found("robots", "--exclude", "robots/*.xml", code=1) == [ALL[1]]
    assert found("robots", "--exclude", "old", "--exclude", "bad.xml", code=0) == [ALL[2]]
    assert found("robots/bad.xml", "good.xml", "--exclude", "bad.xml", code=0) == []
    assert run("check", "robots", "--exclude", "robots", code=0) == "0 files checked: no findings\n"


def test_a_pattern_that_matches_nothing_is_an_error(folder: Path) -> None:
    said = run("check", "robots", "--exclude", "olt", code=2)
    assert said == "polybody: --exclude olt: it matches none of the files\n"
    assert "--exclude a\\u001bb: it matches" in run("check", "robots", "--exclude", "a\x1bb", code=2)
    assert "--exclude: invalid pattern ''" in run("fmt", "robots", "--exclude", "", code=2)


def test_settings_exclude_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "polybody.toml").write_text('exclude = ["robots/old", "bad.xml"]', encoding="utf-8")
    assert found(".", code=0) == [ALL[2]]
    monkeypatch.chdir(folder / "robots")
    assert found(".", code=0) == [("warned.xml", "PB042")]
    assert found("old/bad.xml", code=0) == []
    for command in ("fmt", "fix"):
        before = (folder / "robots" / "bad.xml").read_bytes()
        run(command, "bad.xml", code=0)
        assert (folder / "robots" / "bad.xml").read_bytes() == before


def test_settings_that_match_nothing_are_mentioned_if_all_files_are_checked(folder: Path) -> None:
    path = folder / "polybody.toml"
    path.write_text('exclude = ["nothing"]\n[per-path."nowhere/**"]\npolicy = "warn"', encoding="utf-8")
    said = run("check", ".", code=1)
    assert f"polybody: {path}: exclude: no file matches 'nothing'\n" in said
    assert f"polybody: {path}: per-path: no file matches 'nowhere/**'\n" in said
    assert "no file matches" not in run("check", "robots", code=1)


def test_named_files_that_are_no_models(folder: Path) -> None:
    assert found("robots/package.xml", "good.xml", code=1) == [("robots/package.xml", "PB007")]
    assert found("robots/package.xml", "good.xml", "--only-models", code=0) == []
    assert found("robots/bad.xml", "none.xml", "--only-models", code=1) == [
        ("robots/bad.xml", "PB012"), ("none.xml", "PB001"),
    ]  # fmt: skip
    assert run("fmt", "robots/package.xml", "--only-models", code=0) == ""
    assert (folder / "robots" / "package.xml").read_text(encoding="utf-8") == "<package/>"


NO_MODELS = {
    "layout.xml": '<root><tabbed_widget name="a"><Tab><plot mode="p"/></Tab></tabbed_widget></root>',
    "tree.xml": '<root main_tree_to_execute="A"><BehaviorTree ID="A"><Sequence/></BehaviorTree></root>',
    "robots.xml": "<robots/>",
    "every.xml": '<robots><robot name="a"/><robot name="b"/></robots>',
    "part.xml": '<mujocoinclude><geom size=".1"/></mujocoinclude>',
}
MISSPELT = {
    "a.xml": '<rbot name="r"><link name="a"/></rbot>',
    "b.urdf": "<root/>",
    "c.sdf": "<sfd/>",
    "d.xml": '<mujco><worldbody><geom size=".1"/></worldbody></mujco>',
}


def test_a_misspelt_root_is_a_model_by_its_content_or_the_name_of_its_file(folder: Path) -> None:
    for name, text in {**NO_MODELS, **MISSPELT}.items():
        (folder / "robots" / name).write_text(text, encoding="utf-8")
    checked = {path for path, code in found("robots", code=1) if code == "PB008"}
    assert checked == {f"robots/{name}" for name in MISSPELT}
    every = [f"robots/{name}" for name in (*NO_MODELS, *MISSPELT)]
    assert {path for path, _ in found(*every, "--only-models", code=1)} == checked
    assert run("fmt", *every, "--only-models", "--check", code=1).count("robots/") == len(MISSPELT)


def test_a_part_that_is_named_is_said_to_be_one(folder: Path) -> None:
    (folder / "part.xml").write_text(NO_MODELS["part.xml"], encoding="utf-8")
    assert "check that document" in run("check", "part.xml", code=1)


# --- settings for some paths -----------------------------------------------------------------------------


def test_settings_of_paths(folder: Path) -> None:
    path = folder / "polybody.toml"
    path.write_text('[per-path."robots/old/**"]\nignore = ["PB012"]', encoding="utf-8")
    assert found("robots", code=1) == [ALL[0], ALL[2]]
    assert found("robots", "--ignore", "PB042", code=1) == [ALL[0]]
    path.write_text('[per-path."bad.xml"]\npolicy = "lenient"\nignore = ["pb042"]', encoding="utf-8")
    assert found("robots", code=0) == ALL
    assert found("robots", "--policy", "strict", code=1) == ALL
    path.write_text(
        'policy = "lenient"\n[per-path."robots"]\npolicy = "strict"\n[per-path."old"]\npolicy = "lenient"',
        encoding="utf-8",
    )
    assert found("robots", code=1) == ALL
    assert found("robots/old", code=0) == ALL[1:2]


def test_ignored_codes_are_those_of_the_file_with_the_finding(folder: Path) -> None:
    (folder / "part.xml").write_text("<mujoco><worldbody><gem/></worldbody></mujoco>", encoding="utf-8")
    (folder / "whole.xml").write_text('<mujoco><gem/><include file="part.xml"/></mujoco>', encoding="utf-8")
    settings = folder / "polybody.toml"
    for name in ("part.xml", "whole.xml"):
        settings.write_text(f'[per-path."{name}"]\nignore = ["PB011"]', encoding="utf-8")
        assert {path for path, _ in found("whole.xml", code=1)} == {"part.xml", "whole.xml"} - {name}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('per-path = ["a"]', 'per-path must contain tables such as [per-path."third_party/**"]'),
        ('[per-path]\na = "b"', 'per-path must contain tables such as [per-path."third_party/**"]'),
        ('[per-path."a"]\npolcy = "warn"', "per-path.'a': unknown setting 'polcy'; did you mean `policy`?"),
        ('[per-path."a"]\nroots = []', "per-path.'a': unknown setting 'roots'; one of policy, ignore"),
        ('[per-path."a"]\npolicy = "lax"', "per-path.'a': policy must be one of strict, warn, lenient"),
        ('[per-path."a"]\nignore = ["PB999"]', "per-path.'a': ignore: unknown code 'PB999'; did you mean"),
        ('[per-path.""]\nignore = []', "per-path: invalid pattern ''"),
        ('exclude = [""]', "exclude: invalid pattern ''"),
        ('exclude = "a"', "exclude must be a list of strings"),
        ("max-warnings = -1", "max-warnings must be a number that is not negative"),
        ("max-warnings = true", "max-warnings must be a number that is not negative"),
        ("baseline = []", "baseline must be a string"),
    ],
)
def test_invalid_settings_are_named(folder: Path, text: str, said: str) -> None:
    (folder / "polybody.toml").write_text(text, encoding="utf-8")
    assert f"polybody.toml: {said}" in run("check", "robots", code=2)


# --- other settings files, and numbers of warnings -------------------------------------------------------


def test_a_settings_file_that_is_named(folder: Path) -> None:
    (folder / "polybody.toml").write_text('ignore = ["PB042"]', encoding="utf-8")
    (folder / "ci").mkdir()
    (folder / "ci" / "own.toml").write_text(
        'ignore = ["PB012"]\nexclude = ["../robots/old"]', encoding="utf-8"
    )
    assert found("robots", code=1) == ALL[:2]
    assert found("robots", "--config", "ci/own.toml", code=0) == ALL[2:]
    (folder / "ci" / "pyproject.toml").write_text('[tool.polybody]\npolicy = "lenient"', encoding="utf-8")
    assert found("robots", "--config", "ci/pyproject.toml", code=0) == ALL
    said = run("fmt", "robots/old", "good.xml", "--config", "ci/own.toml", "--check", code=1)
    assert said == "would be formatted: good.xml\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("none.toml", None, "none.toml: cannot be read; expected a file such as polybody.toml"),
        ("robots", None, "robots: cannot be read"),
        ("own.toml", "=", "own.toml: not valid TOML: "),
        ("own.toml", "polcy = 1", "own.toml: unknown setting 'polcy'; did you mean `policy`?"),
        ("pyproject.toml", "[tool.other]", "pyproject.toml: there is no table [tool.polybody]"),
        ("pyproject.toml", "=", "pyproject.toml: not valid TOML: "),
    ],
)
def test_a_settings_file_that_is_none(folder: Path, name: str, text: str | None, said: str) -> None:
    if text is not None:
        (folder / name).write_text(text, encoding="utf-8")
    shown = run("check", "robots", "--config", name, code=2)
    assert shown.startswith(f"polybody: {folder}")
    assert said in shown


def test_numbers_of_warnings(folder: Path) -> None:
    (folder / "robots" / "more.xml").write_text(WARNED, encoding="utf-8")
    names = ["robots/warned.xml", "robots/more.xml"]
    assert "2 warnings" in run("check", *names, code=0)
    assert "allows" not in run("check", *names, "--max-warnings", "2", code=0)
    said = run("check", *names, "--max-warnings", "1", code=1)
    assert said.endswith("polybody: there are more warnings than --max-warnings allows: 1\n")
    run("check", *names, "--max-warnings", "0", "--min-severity", "error", code=0)
    run("check", *names, "--max-warnings", "0", "--ignore", "PB042", code=0)
    run("check", *names, "--write-baseline", "known.json", code=0)
    run("check", *names, "--max-warnings", "0", "--baseline", "known.json", code=0)
    run("check", *names, "--max-warnings", "-1", code=2)
    (folder / "polybody.toml").write_text("max-warnings = 0", encoding="utf-8")
    run("check", *names, code=1)
    run("check", *names, "--max-warnings", "5", code=0)


@pytest.mark.parametrize("command", [["info"], ["sim", "--steps", "1"]], ids=" ".join)
def test_other_commands_take_a_settings_file(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, command: list[str]
) -> None:
    parts = tmp_path_factory.mktemp("elsewhere")
    (parts / "a.xml").write_text("<mujoco><worldbody/></mujoco>", encoding="utf-8")
    (folder / "inner").mkdir()
    text = f'<mujoco><include file="{os.path.relpath(parts, folder / "inner")}/a.xml"/></mujoco>'
    (folder / "inner" / "m.xml").write_text(text, encoding="utf-8")
    (folder / "own.toml").write_text(f'roots = ["{parts}"]', encoding="utf-8")
    name, *options = command
    assert "PB010 error" in run(name, "inner/m.xml", *options, code=1)
    run(name, "inner/m.xml", *options, "--config", "own.toml", code=0)
    (folder / "own.toml").write_text("roots = 1", encoding="utf-8")
    assert "roots must be a list" in run(name, "inner/m.xml", *options, "--config", "own.toml", code=2)
