"""Output shows the names of files without control characters: no colours, line breaks or changes of
direction.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import polybody as pb
import pytest
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
