"""`polybody check` and `polybody explain` as commands."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.cli.streams import content
from polybody.diagnostics.catalogue import CATALOGUE

from tests.waiting import PATIENCE

from .tools import body

BAD = body('dampin="1"')
GOOD = body()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "good.xml").write_text(body())
    (tmp_path / "sub" / "bad.xml").write_text(BAD)
    (tmp_path / "sub" / "notes.txt").write_text("nothing")
    return tmp_path


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


def test_exit_codes(folder: Path) -> None:
    assert run("check", "good.xml") == (0, "1 file checked: no findings\n", "")
    assert run("check", "sub/bad.xml", "--output-format", "concise")[0] == 1
    assert run("check", "sub/bad.xml", "--policy", "lenient")[0] == 0
    assert run("check", "none.xml")[0] == 1
    assert run("check")[0] == 2
    assert run("check", "good.xml", "--policy", "lax")[0] == 2
    assert run("check", "good.xml", "--output-format", "yaml")[0] == 2
    assert run("check", "good.xml", "--format-in", "y_yx")[0] == 2
    assert run("check", "*.nothing")[0] == 2
    assert run("check", "good.xml", "--format-in", "x_xy")[0] == 0


@pytest.mark.parametrize("command", ["check", "info", "sim --steps 1", "compile --json"])
def test_the_format_of_the_input(folder: Path, command: str) -> None:
    """A root of two formats is read in the given one; the name of no format is wrong usage."""
    inertia = (
        '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    )
    (folder / "m.xml").write_text(f'<robot name="r"><link name="a">{inertia}</link></robot>')
    name, *options = command.split()
    if name != "compile":  # which takes long
        assert run(name, "m.xml", *options, "--format-in", "urdf")[0] == 0
    assert run(name, "m.xml", *options, "--format-in", "mjcf")[0] == 1
    code, _, said = run(name, "m.xml", *options, "--format-in", "urfd")
    assert (code, "--format-in: unknown format 'urfd'; did you mean `urdf`?" in said) == (2, True)


def test_files_folders_and_patterns(folder: Path) -> None:
    for arguments in ([str(folder)], [".", "good.xml"], ["good.xml", "sub/*.xml"], ["**/*.xml"]):
        code, out, _ = run("check", *arguments, "--output-format", "json")
        assert code == 1
        assert [d["code"] for d in json.loads(out)] == ["PB012"], arguments
    assert run("check", ".")[1].endswith("2 files checked: 1 error\n")
    (folder / "odd[1].xml").write_text(BAD)
    assert json.loads(run("check", "odd[1].xml", "--output-format", "json")[1])[0]["path"] == "odd[1].xml"


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("full", "sub/bad.xml:4:27: PB012 error: unknown attribute `dampin` on <body>\n   |\n 4 | <body"),
        ("concise", "sub/bad.xml:4:27: PB012 error: unknown attribute"),
        ("json", '[\n {\n  "path": "sub/bad.xml",\n  "line": 4,\n  "column": 27,'),
        ("sarif", '{\n "$schema": "https://'),
        ("github", "::error file=sub/bad.xml,line=4,endLine=4,col=27,endColumn=37,title=PB012::unknown"),
        ("junit", '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="polybody" tests="1"'),
    ],
)
def test_output_formats(folder: Path, form: str, begins: str) -> None:
    code, out, _ = run("check", "sub/bad.xml", "--output-format", form)
    assert code == 1
    assert out.startswith(begins), out


def test_explain() -> None:
    code, out, _ = run("explain", "pb012")
    assert code == 0
    assert out.startswith("PB012: unknown attribute\nstrict: error")
    assert "For example:" in out
    code, out, _ = run("explain")
    assert [line.split()[0] for line in out.splitlines()] == list(CATALOGUE)
    assert run("explain", "PB999")[0] == 2
    for row in CATALOGUE:
        assert run("explain", row)[0] == 0


def test_a_check_of_the_document_alone_imports_nothing_heavy(folder: Path) -> None:
    heavy = "import sys, runpy; sys.argv = ['polybody', 'check', '--no-model', 'good.xml']\n"
    heavy += "try: runpy.run_module('polybody', run_name='__main__')\n"
    heavy += (
        "except SystemExit: print([m for m in ('numpy', 'lxml', 'xmlschema', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", heavy], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.stdout.endswith("[]\n"), done


def test_a_folder_is_looked_through_for_models(tmp_path: Path) -> None:
    for name, text in {
        "package.xml": "<package><name>a</name></package>",
        "arm.launch.xml": "<launch/>",
        "schema.xml": '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>',
        "arm.xml": body(),
        "misspelt.xml": "<mujocoo><worldbody/></mujocoo>",
        "cut.xml": "<mujoco",
    }.items():
        (tmp_path / name).write_text(text)
    code, out, _ = run("check", str(tmp_path), "--output-format", "concise")
    assert code == 1
    assert {Path(line.partition(":")[0]).name for line in out.splitlines()} == {"misspelt.xml", "cut.xml"}
    code, out, _ = run("check", str(tmp_path / "package.xml"), "--output-format", "concise")
    assert code == 1
    assert "PB007" in out


# --- output ---------------------------------------------------------------------------------------------


def codes(*arguments: str, stdin: str | None = None) -> tuple[int, list[str]]:
    result = CliRunner().invoke(app, ["check", *arguments, "--output-format", "json"], input=stdin)
    assert result.exit_code in (0, 1), result.output
    return result.exit_code, [d["code"] for d in json.loads(result.stdout)]


def test_standard_input() -> None:
    assert codes("-", stdin=BAD) == (1, ["PB012"])
    assert (
        "<stdin>:" in CliRunner().invoke(app, ["check", "-", "--output-format", "concise"], input=BAD).stdout
    )


def test_a_process_without_standard_input_reads_an_empty_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert [each.code for each in pb.check("-")] == ["PB005"]
    assert content("-") == ("<stdin>", b"")


def test_standard_input_has_its_lines_shown() -> None:
    shown = CliRunner().invoke(app, ["check", "-"], input=BAD).stdout
    assert next(line for line in BAD.splitlines() if "dampin" in line) in shown


def test_the_faulty_option_or_setting_is_named(folder: Path) -> None:
    assert run("check", "good.xml", "--ignore", "PB999")[2].startswith(
        "polybody: --ignore: unknown code 'PB999'; "
    )
    assert (
        run("check", "good.xml", "--root", "none")[2] == "polybody: --root: the folder none does not exist\n"
    )
    for setting, said in (
        ('ignore = ["PB999"]', "ignore: unknown code 'PB999'; "),
        ('policy = "lax"', "policy must be one of strict, warn, lenient, not 'lax'"),
        ('ignore = "PB012"', "ignore must be a list of strings"),
        ('min-severity = "fatal"', "min-severity must be one of info, warning, error, not 'fatal'"),
    ):
        (folder / "polybody.toml").write_text(setting)
        code, _, shown = run("check", "good.xml")
        assert (code, f"polybody.toml: {said}" in shown) == (2, True)


def test_codes_and_severities_that_are_left_out(folder: Path) -> None:
    assert codes("sub/bad.xml", "--ignore", "pb012") == (0, [])
    assert codes("sub/bad.xml", "--ignore", "PB011", "--ignore", "PB013") == (1, ["PB012"])
    assert codes("sub/bad.xml", "--policy", "lenient", "--min-severity", "error") == (0, [])
    code, _, said = run("check", "sub/bad.xml", "--ignore", "PB999")
    assert (code, "unknown code 'PB999'" in said) == (2, True)


def test_comments_that_leave_findings_out(folder: Path) -> None:
    comment = "<!-- polybody: ignore PB012 -->"
    assert codes("-", stdin=f"<!-- a -->{comment}\n{BAD}") == (0, [])
    line = next(line for line in BAD.split("\n") if "dampin" in line)
    assert codes("-", stdin=BAD.replace(line, f"{comment}\n\n{line}")) == (0, [])
    assert codes("-", stdin=BAD.replace(line, line + comment)) == (0, [])
    assert codes("-", stdin=BAD.replace(line, line + "\n" + comment)) == (1, ["PB012", "PB090"])
    assert codes("-", stdin=BAD.replace(line, f"{comment.replace('12', '11')}\n{line}")) == (
        1,
        ["PB090", "PB012"],
    )
    split = line.replace("dampin", '\n pos="0 0 0"\n dampin')  # also in the other lines of the next tag
    assert codes("-", stdin=BAD.replace(line, split)) == (1, ["PB012"])
    assert codes("-", stdin=BAD.replace(line, f"{comment}\n{split}")) == (0, [])


def suppressing(comment: str, text: str = GOOD) -> list[tuple[str, int, str]]:
    """The findings about a comment in the line of <worldbody>: codes, lines, messages with suggestions."""
    text = text.replace("<worldbody>", f"<worldbody> {comment}")
    result = CliRunner().invoke(app, ["check", "-", "--output-format", "json"], input=text)
    found = json.loads(result.stdout)
    return [(d["code"], d["line"], f"{d['message']}; {d['suggestion']}") for d in found]


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("polybody: ignor PB012", "write `<!-- polybody: ignore PB012 -->`"),
        ("polybdy: ignore PB012, PB031", "write `<!-- polybody: ignore PB012, PB031 -->`"),
        ("polybody ignore PB012", "write `<!-- polybody: ignore PB012 -->`"),
        ("polybody: disable PB012", "write `<!-- polybody: ignore PB012 -->`"),
        ("Polybody: Ignore pb012", "write `<!-- polybody: ignore PB012 -->`"),
        ("polybody: ignore", "it names no code"),
        ("polybody: ignore the mass", "it names no code"),
        ("polybody: ignore PB12", "unknown code `PB12` after `polybody: ignore`; did you mean `PB012`?"),
        ("polybody: ignore PB012: a reason", "there is no PB012 in this line or the next tag"),
    ],
)
def test_comments_that_suppress_nothing_are_reported(comment: str, said: str) -> None:
    ((code, line, shown),) = suppressing(f"<!-- {comment} -->")
    line_of_comment = GOOD[: GOOD.index("<worldbody>")].count("\n") + 1
    assert (code, line) == ("PB090", line_of_comment)
    assert said in shown


@pytest.mark.parametrize(
    "comment",
    [
        "polybody reads this file",
        "polybody: see PB012 in its list of codes",
        "polybody ignores the mass here",
        "made with polybody 0.1; ignore PB012 here",
        "polygons: ignore PX012",
        "ignore: PB012",
    ],
)
def test_other_comments_are_not_reported(comment: str) -> None:
    assert suppressing(f"<!-- {comment} -->") == []


def test_each_code_of_a_comment_must_suppress_something() -> None:
    line = next(line for line in BAD.split("\n") if "dampin" in line)
    for comment, expected in (
        ("PB012 misspelt on purpose: see PB099", []),
        ("PB012, PB031", ["PB090"]),
        ("PB031 and PB012", ["PB090"]),
        ("PB012 PB999", ["PB090"]),
    ):
        text = BAD.replace(line, f"<!-- polybody: ignore {comment} -->\n{line}")
        assert codes("-", stdin=text) == (0, expected), comment
    whole = f"<!-- polybody: ignore PB012, PB031 -->\n{BAD}"
    assert codes("-", stdin=whole) == (0, ["PB090"])
    assert codes("-", "--ignore", "PB090", stdin=whole) == (0, [])
    assert codes("-", "--min-severity", "error", stdin=whole) == (0, [])
    assert codes("-", stdin=whole[:-20]) == (1, ["PB005"])  # the rest of the file is unknown


def test_a_comment_may_suppress_a_finding_of_another_check(folder: Path) -> None:
    """An included part has it only within the document that includes it, which is also checked."""
    named = '<worldbody><body name="a"><geom size="1" name="{}"/></body></worldbody>'
    part = named.replace("<body", "<!-- polybody: ignore PB031 --><body").format("g")
    (folder / "part.xml").write_text(f"<mujoco>{part}</mujoco>")
    (folder / "whole.xml").write_text(f'<mujoco>{named.format("h")}<include file="part.xml"/></mujoco>')
    assert codes("part.xml") == (0, ["PB090"])
    assert codes("whole.xml", "part.xml") == codes("part.xml", "whole.xml") == codes("whole.xml") == (0, [])


def test_settings_of_a_project(folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.polybody]\nignore = ["PB012"]\n')
    assert codes("sub/bad.xml") == (0, [])
    (folder / "polybody.toml").write_text('policy = "lenient"\nmin-severity = "warning"\n')
    assert codes("sub/bad.xml") == (0, ["PB012"])
    assert codes("sub/bad.xml", "--policy", "strict") == (1, ["PB012"])
    for text, said in (
        ('polcy = "warn"', "unknown setting 'polcy'; did you mean `policy`?"),
        ('ignore = "PB012"', "ignore must be a list of strings"),
        ("ignore = [1]", "ignore must be a list of strings"),
        ('min-severity = "bad"', "min-severity must be one of"),
        ("=", "polybody.toml: "),
        ('[packages]\na = "none"', "none"),
    ):
        (folder / "polybody.toml").write_text(text)
        code, _, error = run("check", "sub/bad.xml")
        assert (code, said in error) == (2, True), (text, error)


def test_settings_are_those_of_the_working_directory(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of the folders above it, but not of the folder of a model elsewhere, which is not trusted."""
    (folder / "polybody.toml").write_text('ignore = ["PB012"]\n')
    bad = folder / "sub" / "bad.xml"
    monkeypatch.chdir(folder / "sub")
    assert codes("bad.xml") == (0, [])
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert codes(str(bad)) == (1, ["PB012"])


@pytest.mark.parametrize(
    "text", ["tool = 1", "[tool]\nother = 1", f"a = {'9' * 5000}", f"a = {'[' * 50_000}", "a = '\xff'", "="]
)
def test_settings_that_are_none(folder: Path, text: str) -> None:
    """A settings file shared with other tools is ignored if it is unreadable; our own is rejected."""
    (folder / "pyproject.toml").write_bytes(text.encode("latin-1"))
    assert codes("sub/bad.xml") == (1, ["PB012"])
    (folder / "polybody.toml").write_bytes(text.encode("latin-1"))
    code, _, error = run("check", "sub/bad.xml")
    assert (code, "polybody.toml: " in error) == (2, True), error


def test_a_breaking_change_of_a_schema(tmp_path: Path) -> None:
    old = Path(__file__).parents[2] / "schemas" / "x_xy.xsd"
    new = tmp_path / "x_xy.xsd"
    text = old.read_text(encoding="utf-8")
    new.write_text(text.replace('name="gravity"', 'name="gravitation"', 1), encoding="utf-8")
    assert run("schema", "diff", str(old), str(new))[0] == 0
    assert run("schema", "diff", str(old), str(new), "--exit-code")[0] == 1
    assert run("schema", "diff", str(old), str(old), "--exit-code")[:2] == (0, "no changes\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["check", "x.xml", "--format-in", "mjfc"],
            "--format-in: unknown format 'mjfc'; did you mean `mjcf`?",
        ),
        (["check", "."], "no model files in ."),
        (["check", "*.urdf"], "no file matches *.urdf"),
        (["schema", "urfd"], "unknown format 'urfd'; did you mean `urdf`?"),
        (["schema", "format"], "expected one of directives, mjcf, openrave, sdf, skel, srdf, urdf, x_xy"),
        (["schema", "diff"], "diff needs two schemas"),
        (["schema", "diff", "a.xsd", "b.xsd"], "polybody: a.xsd: cannot be read"),
        (["generate", "--schema", ".", "--out", "p"], "expected an XSD file"),
    ],
)
def test_wrong_usage_names_the_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, shown = run(*arguments)
    assert code == 2
    assert said in " ".join(shown.replace("│", " ").split())


def test_a_binary_file_is_no_xml(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    for data in (b"\x7fELF\x02\x01\x01\0\0", b"MODEL\0\0\1"):
        path.write_bytes(data)
        assert "this is not an XML file: it contains binary data" in run("check", str(path))[1]
    path.write_text("hello")
    assert "text before the root element" in run("check", str(path))[1]


def test_explain_tells_what_an_engine_changes_under_each_policy() -> None:
    assert "<mujoco>" in run("explain", "PB012")[1]
    assert "<robot " in run("explain", "PB012", "--format-in", "urdf")[1]
    only = run("explain", "PB014", "--format-in", "urdf")[1]
    assert "in urdf: warning" in only
    assert "in skel" not in only
    assert run("explain", "PB012", "--format-in", "urd")[0] == 2
    shown = run("explain", "PB028")[1]
    assert "\nstrict, in urdf: error\n" in shown
    assert "\nwarn, in skel at `geometry/*`: error (DART terminates" in shown
    shown = run("explain", "PB048")[1]
    assert "\nlenient, in urdf: warning (a joint with a different number" in shown


@pytest.mark.parametrize("form", ["urdf", "sdf", "mjcf", "x_xy", "skel", "openrave", "srdf"])
def test_explain_says_if_the_example_is_in_another_format(form: str) -> None:
    roots = {"mjcf": "mujoco", "urdf": "robot", "srdf": "robot", "openrave": "kinbody"}
    here, said = 0, 0
    for code in CATALOGUE:
        shown = run("explain", code, "--format-in", form)[1]
        other = re.search(r"For example in (\w+), as there is none in (\w+):", shown)
        said += other is not None
        assert other is None or (other[2] == form and other[1] != form), code
        repaired = shown.partition("Repaired:")[2] or shown
        root = re.search(r"^ {4}<([\w]+)", repaired, re.MULTILINE)
        if other is not None and root is not None and {form, other[1]} != {"urdf", "srdf"}:
            assert root[1] != roots.get(form, form), code
        here += other is None
    assert said > 40
    assert here > 3


def test_the_list_of_commands_shows_whole_sentences() -> None:
    shown = run("--help")[1]
    assert "..." not in shown.partition("Commands:")[2]
    assert "70 internal" in shown


def test_short_help() -> None:
    assert run("check", "-h")[1] == run("check", "--help")[1]


# --- fixes ----------------------------------------------------------------------------------------------


def mended(command: str, text: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, [command, "-"], input=text)
    assert result.exit_code == code, result.output
    return result.stdout


def test_misspelt_words_are_corrected() -> None:
    text = """<mujoco> <!-- wordlbody -->
  <worldbdy><body nme="a"><geom  tpye='box' type="shpere"/><jiont tpye="hinge"></jiont></body></worldbdy>
</mujoco>"""
    assert mended("fix", text) == (
        text.replace("worldbdy", "worldbody")
        .replace("nme=", "name=")
        .replace("shpere", "sphere")
        .replace("jiont tpye", "joint type")
        .replace("jiont", "joint")
    )


def test_what_is_ambiguous_is_not_changed() -> None:
    text = '<mujoco><worldbody><geom type="sphere" size="1" material="none" foo="1"/></worldbody></mujoco>'
    assert mended("fix", text) == text
    broken = CliRunner().invoke(app, ["fix", "-"], input="<mujoco>")
    assert (broken.exit_code, broken.stdout) == (2, "")
    assert broken.stderr.startswith("<stdin>:1:9: PB006 error: the file ends without </mujoco>")
    assert mended("fmt", "<mujoco><a></mujoco>", code=2) == ""


def test_canonical_layout() -> None:
    text = """<?xml version="1.0"?><!-- a
  b --><mujoco model='m'   >


  <option
     gravity="0  0 -9.810"/> <!-- earth --><worldbody><!-- one --><body   name='a "b"'/>
  <!-- two -->
</worldbody><asset></asset>
</mujoco  >"""
    assert (
        mended("fmt", text)
        == """<?xml version="1.0"?>
<!-- a
  b -->
<mujoco model="m">

  <option gravity="0  0 -9.810"/> <!-- earth -->
  <worldbody> <!-- one -->
    <body name='a "b"'/>
    <!-- two -->
  </worldbody>
  <asset></asset>
</mujoco  >
"""
    )
    long = (
        '<mujoco><worldbody><geom name="'
        + "a" * 60
        + '" size="1" material="'
        + "b" * 60
        + '"/></worldbody></mujoco>'
    )
    assert mended("fmt", long).split("\n")[2:4] == [
        '    <geom name="' + "a" * 60 + '"',
        '          size="1"',
    ]
    sdf = "<sdf version='1.9'><model name='m'><link name='l'><pose>1 2\n 3 0 0 0</pose></link></model></sdf>"
    assert "<pose>1 2\n 3 0 0 0</pose>\n" in mended("fmt", sdf)


def test_files_that_are_not_xml_are_left_alone(tmp_path: Path) -> None:
    """Model directives are YAML: a layout of XML would delete them."""
    scene, model = tmp_path / "scene.dmd.yaml", tmp_path / "model.xml"
    scene.write_text("directives: []\n", encoding="utf-8")
    model.write_text("<mujoco  />", encoding="utf-8")
    for command in ("fmt", "fix"):
        result = CliRunner().invoke(app, [command, str(scene)])
        assert (result.exit_code, "only XML files can be" in result.stderr) == (2, True)
        assert CliRunner().invoke(app, [command, str(tmp_path)]).exit_code == 0
        assert scene.read_text(encoding="utf-8") == "directives: []\n"
    assert model.read_text(encoding="utf-8") == "<mujoco/>\n"
    assert run("check", str(tmp_path))[1] == "2 files checked: no findings\n"


def test_permissions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text("<mujoco  />", encoding="utf-8")
    path.chmod(0o640)
    CliRunner().invoke(app, ["fmt", str(path)])
    assert path.read_text(encoding="utf-8") == "<mujoco/>\n"
    assert path.stat().st_mode & 0o777 == 0o640


def test_line_ends_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_bytes(b"<mujoco>\r\n<!-- a\r\n b --><worldbody/></mujoco>\r\n")
    CliRunner().invoke(app, ["fmt", str(path)])
    text = path.read_bytes()
    assert text == b"<mujoco>\r\n  <!-- a\r\n b -->\r\n  <worldbody/>\r\n</mujoco>\r\n"
    CliRunner().invoke(app, ["fmt", str(path)])
    assert path.read_bytes() == text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["simulate"], "did you mean `polybody sim`?"),
        (["validate", "a.xml"], "did you mean `polybody check`?"),
        (["version"], "did you mean `polybody --version`?"),
        (["plan"], "commands are check, explain, fmt"),
        (["sim", "a.xml", "--steps", "ten"], "'--steps': expected an integer"),
        (["sim", "a.xml", "--steps", "-1"], "'--steps': must be at least 0"),
        (["check", "a.xml", "--policy", "stict"], "'--policy': 'stict' is not one of 'strict'"),
        (["generate", "--schema", "a.xsd", "--out", "my-pkg"], "`my-pkg` is not a valid name"),
        (["generate", "--schema", "a.xsd", "--out", "json"], "standard library"),
    ],
)
def test_messages_about_usage(arguments: list[str], said: str) -> None:
    """Whatever the library of the command line calls the same faults."""
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
