"""Output shows the names of files without control characters: no colours, line breaks or changes of
direction.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.escaping import printable, printable_lines

from tests.waiting import PATIENCE

if sys.platform == "win32":
    pytest.skip("such names cannot be there on Windows", allow_module_level=True)

NASTY = "a\x1b[31m\x07\x7f\x9b31m\u202e\u2066\u2028b"
"""Characters that a terminal interprets: escapes, DEL, C1, direction overrides, a line separator."""
FORGED = "x\n::error file=y::forged\n.xml"
REFUSED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
MEAN = "a\x7f\x9b31m\u202e\u2066\u2028b"
"""The same, as far as XML allows them."""

DOCUMENTS = {
    "x_xy": f'<x_xy><worldbody><body name="{MEAN}" joint="{MEAN}" {MEAN[:1]}="1"/></worldbody></x_xy>',
    "mjcf": f'<mujoco><actuator><motor joint="{MEAN}"/></actuator><include file="{MEAN}"/></mujoco>',
    "urdf": f'<robot name="r"><link name="{MEAN}"/><link name="{MEAN}"/><joint type="{MEAN}"/></robot>',
    "sdf": f'<sdf version="1.9"><model name="{MEAN}"><link name="a"/><frame name="f" attached_to="{MEAN}"/>'
    f"<include><uri>{MEAN}</uri></include></model></sdf>",
    "skel": f'<skel version="{MEAN}"><world name="w"><skeleton name="s"><body name="{MEAN}"/>'
    f'<joint type="{MEAN}"><parent>{MEAN}</parent></joint></skeleton></world></skel>',
    "openrave": f'<kinbody file="{MEAN}"><body name="{MEAN}"/><joint><body>{MEAN}</body></joint></kinbody>',
    "encoding": f'<?xml version="1.0" encoding="{MEAN}"?><x_xy/>',
    "malformed": f"<x_xy><{MEAN} a='</x_xy>",
    "root": f"<q{MEAN}/>",
    "entity": f"<x_xy model='&{MEAN};'/>",
    "end tag": f"<x_xy><worldbody></worldbody\x9b{MEAN}></x_xy>",
}


def polybody(folder: Path, *arguments: object) -> str:
    """The standard output and standard error of a command."""
    done = subprocess.run(
        [sys.executable, "-m", "polybody", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    text = (done.stdout + done.stderr).decode()
    assert "Traceback" not in text, text
    return text


@pytest.mark.parametrize("form", ["full", "concise", "json", "sarif", "github", "junit"])
def test_findings(form: str, tmp_path: Path) -> None:
    names = {kind: os.fsdecode((NASTY + f"\n{kind}.xml").encode()) for kind in DOCUMENTS}
    for kind, name in names.items():
        (tmp_path / name).write_text(DOCUMENTS[kind], encoding="utf-8")
    text = polybody(tmp_path, "check", "--output-format", form, *names.values())
    assert not REFUSED.search(text)
    for kind in DOCUMENTS:
        assert kind in text.replace("%20", " ")
    if form == "json":
        assert {row["path"] for row in json.loads(text)} == set(names.values())
    elif form == "concise":
        assert all(re.match(r"a\\u001b.*:\d+:\d+: PB\d{3} \w+: ", line) for line in text.splitlines())
    elif form == "github":
        assert all(re.match(r"::(error|warning|notice) ", line) for line in text.splitlines())
    elif form == "sarif":
        json.loads(text)


@pytest.mark.parametrize("form", ["full", "concise", "github"])
def test_a_file_name_forges_no_line(form: str, tmp_path: Path) -> None:
    (tmp_path / FORGED).write_text(DOCUMENTS["urdf"], encoding="utf-8")
    (tmp_path / "all.xml").write_text(f'<mujoco><include file="{FORGED}"/></mujoco>')
    text = polybody(tmp_path, "check", "--output-format", form, FORGED, "all.xml")
    assert not any(line.startswith("::error file=y") for line in text.splitlines())


def test_other_commands(tmp_path: Path) -> None:
    body = f'<body name="{MEAN}" joint="rx"><geom type="sphere" mass="1" dim="0.1"/></body>'
    name = os.fsdecode((NASTY + ".xml").encode())
    (tmp_path / name).write_text(f"<x_xy><worldbody>{body}</worldbody></x_xy>", encoding="utf-8")
    (tmp_path / "broken.xml").write_text(f"<x_xy><worldbody>{body[:-9]}</worldbody></x_xy>", encoding="utf-8")
    schema = f"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
      <xs:element name="a" type="{MEAN}"/></xs:schema>"""
    (tmp_path / "s.xsd").write_text(schema, encoding="utf-8")
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode" / "settings.json").write_text(f"{{{MEAN}", encoding="utf-8")
    for arguments in (
        ("info", name),
        ("info", "broken.xml"),
        ("info", "--json", name),
        ("sim", name, "--steps", 5),
        ("sim", name, "--steps", 5, "--set", f"{NASTY}=1"),
        ("check", "missing" + NASTY),
        ("check", "--format-in", NASTY, name),
        ("check", "--package", f"a={NASTY}", name),
        ("explain", NASTY),
        ("schema", NASTY),
        ("schema", "diff", "s.xsd", "s.xsd"),
        ("generate", "--schema", "s.xsd", "--out", NASTY),
        ("editor", NASTY),
        ("editor", "."),
        ("check", name, "--exclude", NASTY),
        ("check", name, "--baseline", NASTY),
        ("check", name, "--config", NASTY),
        ("check", name, "--write-baseline", NASTY),
        ("check", name, "--baseline", NASTY),
    ):
        text = polybody(tmp_path, *arguments)
        assert not REFUSED.search(text), (arguments, text)
        assert text


FORGERY = "\x1b[31mR\n::error::forged"


def called(folder: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """What a command prints, without the streams that escape what is left."""
    monkeypatch.chdir(folder)
    return str(CliRunner().invoke(app, arguments).output)


def forged(text: str) -> bool:
    return bool(REFUSED.search(text)) or any(line.startswith("::error") for line in text.splitlines())


@pytest.mark.parametrize(
    "arguments",
    [
        *(("check", "i.xml", f"--{o}", FORGERY) for o in ("root", "map", "package", "exclude", "select")),
        *(("check", "i.xml", f"--{o}", FORGERY) for o in ("baseline", "config", "package-path", "format-in")),
        ("check", "i.xml", "--map", f"a://b={FORGERY}"),
        ("check", "i.xml", "--package", f"a={FORGERY}"),
        ("check", "i.xml", "--policy", FORGERY),
        ("check", "i.xml", f"--{FORGERY}"),
        ("check", FORGERY),
        ("info", FORGERY),
        ("fmt", f"broken{FORGERY}.xml"),
        (FORGERY,),
        ("explain", FORGERY),
        *(("sim", "i.xml", "--steps", "1", f"--{o}", FORGERY) for o in ("set", "srdf", "key", "ctrl")),
        *(("sim", "i.xml", "--steps", "1", f"--{o}", f"{FORGERY}/a") for o in ("out", "plot")),
        ("sim", "i.xml", "--steps", "1", "--out", f"{FORGERY}.npz"),
        ("sim", "i.xml", "--steps", "1", "--record", FORGERY),
        ("sim", "i.xml", "--steps", FORGERY),
        ("generate", "--schema", "i.xml", "--out", f"{FORGERY}/a"),
        ("generate", "--schema", f"{FORGERY}.xsd", "--out", "a"),
        ("schema", "diff", FORGERY, FORGERY),
        ("editor", f"{FORGERY}/a"),
        ("compile", "i.xml", "--batch", FORGERY),
    ],
)
def test_an_argument_forges_no_line(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "i.xml").write_text("<mujoco/>")
    (tmp_path / f"broken{FORGERY.replace('/', '')}.xml").write_text("<mujoco>")
    text = called(tmp_path, monkeypatch, *arguments)
    assert text
    assert not forged(text), text


@pytest.mark.parametrize(
    "setting",
    [
        *("roots=[{}]", "package-path=[{}]", "packages={{a={}}}", "packages={{{}='.'}}", "exclude=[{}]"),
        *("baseline={}", "ignore=[{}]", "policy={}", "{}=1", "per-path={{{}={{policy='warn'}}}}"),
    ],
)
@pytest.mark.parametrize("there", [True, False])
def test_settings_forge_no_line(
    setting: str, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    name = f"../{FORGERY}"
    if there:
        (folder / name).mkdir()
    (folder / "i.xml").write_text("<mujoco/>")
    (folder / "polybody.toml").write_text(setting.format(json.dumps(name)))
    assert not forged(called(folder, monkeypatch, "check", "i.xml", "."))


def test_messages_on_standard_error_have_one_place() -> None:
    """`streams.tell` escapes them."""
    commands = Path(__file__).resolve().parents[1] / "runtime" / "cli"
    for path in commands.rglob("*.py"):
        calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
        told = [call.lineno for call in calls if any(word.arg == "err" for word in call.keywords)]
        assert len(told) == (path.name == "streams.py"), (path.name, told)


def test_an_internal_error_forges_no_line() -> None:
    code = (
        "import sys; from polybody import cli\n"
        "def fail(*_, **__): raise RuntimeError(sys.argv[1])\n"
        "cli.app = fail; cli.run()"
    )
    command = [sys.executable, "-c", code, FORGERY]
    hidden = {name: value for name, value in os.environ.items() if name != "POLYBODY_INTERNAL_ERRORS"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=hidden)
    assert done.returncode == 70
    assert "RuntimeError" in done.stderr
    assert not forged(done.stderr), done.stderr


def test_messages_in_python() -> None:
    for finding in pb.check(NASTY, text=DOCUMENTS["urdf"]):
        assert not REFUSED.search(str(finding))
        assert finding.path == NASTY
    with pytest.raises(pb.ValidationError) as caught:
        pb.read(NASTY, text=DOCUMENTS["urdf"])
    assert not REFUSED.search(str(caught.value).replace("\n", ""))


def test_what_is_escaped() -> None:
    assert printable("plain text, \u00e9\u6f22") == "plain text, \u00e9\u6f22"
    assert printable("a\nb\t\x9b\udce9") == r"a\nb\t\u009b\udce9"
    assert printable_lines("a\nb\t\x9b\r") == "a\nb\t" + r"\u009b\r"
    every = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    assert printable(every).isprintable()
    assert json.loads(f'"{printable(NASTY)}"') == NASTY
