"""The program as a whole: whatever its output is, it ends with an exit code and a message, not a
traceback.
"""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.reading.tools import body
from tests.waiting import PATIENCE, process, python, until

COMMANDS = [
    ("check", "good.xml"), ("check", "bad.xml", "--output-format", "json"), ("explain",),
    ("info", "good.xml"), ("info", "good.xml", "--json"), ("sim", "good.xml", "--steps", "2"),
    ("schema", "x_xy"), ("schema", "x_xy", "--json"), ("--version",),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.xml").write_text(body('joint="ry"', '<geom type="sphere" mass="1" dim="1"/>'))
    (tmp_path / "bad.xml").write_text(body('dampin="1"'))
    return tmp_path


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "polybody", *arguments]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_output_that_cannot_be_written(folder: Path, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            program(*arguments),
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1] == "polybody: cannot write: No space left on device"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_output_at_all(folder: Path, arguments: tuple[str, ...]) -> None:
    line = f'"{sys.executable}" -m polybody {" ".join(arguments)} <&- >&-'
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, stderr=subprocess.PIPE, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == (1 if "bad.xml" in arguments else 0), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.concurrent
def test_a_pipe_that_closes(folder: Path) -> None:
    (folder / "bad.xml").write_text(body("\n".join(f'a{number}=""' for number in range(900))))
    with process(program("check", "bad.xml"), cwd=folder) as child:
        assert child.stdout is not None
        child.stdout.close()
        assert child.communicate(timeout=PATIENCE)[1] == b""
        assert child.returncode == 1


def test_encodings_that_cannot_say_it(folder: Path) -> None:
    odd = folder / os.fsdecode(b"od\xe9\x1b[31m\n.xml")
    (folder / "bad.xml").rename(odd)
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for command, code in (("check", 1), ("info", 1), ("schema", 0)):
        argument = "x_xy" if command == "schema" else odd.name
        done = subprocess.run(
            program(command, argument),
            cwd=folder,
            env=environment,
            capture_output=True,
            check=False,
            timeout=PATIENCE,
        )
        assert (done.returncode, b"Traceback" in done.stderr) == (code, False), done.stderr
        assert b"\x1b" not in done.stdout + done.stderr
        if code:
            assert rb"od\udce9\u001b[31m\n.xml:4:27: PB012 error" in done.stdout + done.stderr


@pytest.mark.parametrize("form", ["full", "concise", "json", "sarif", "github"])
def test_a_file_name_that_is_no_text(folder: Path, form: str) -> None:
    odd = os.fsdecode(b"od\xe9.xml")
    (folder / "bad.xml").rename(folder / odd)
    for name in (odd, str(folder / odd)):
        command = program("check", name, "--output-format", form)
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=PATIENCE)
        assert (done.returncode, done.stderr) == (1, b"")
        text = done.stdout.decode()
        if form == "json":
            assert json.loads(text)[0]["path"] == name
        elif form == "sarif":
            (result,) = json.loads(text)["runs"][0]["results"]
            uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            assert uri.endswith("od%E9.xml")


@pytest.mark.parametrize("setting", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_colours_where_they_are_wanted(folder: Path, setting: dict[str, str]) -> None:
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | setting
    subprocess.run(
        program("check", "bad.xml"), cwd=folder, env=environment, stdout=theirs, check=False, timeout=PATIENCE
    )
    os.close(theirs)
    assert (b"\x1b[" in os.read(ours, 10_000)) is not bool(setting)
    os.close(ours)


@pytest.mark.concurrent
def test_an_endless_simulation_can_be_interrupted(folder: Path) -> None:
    """Interrupted when the progress shown in a terminal indicates that steps were taken."""
    run = "import runpy; runpy.run_module('polybody', run_name='__main__', alter_sys=True)"
    command = [*python(run), "sim", "good.xml", "--steps", str(10**15)]
    ours, theirs = pty.openpty()
    shown = b""

    def seen(pattern: bytes) -> bool:
        nonlocal shown
        with suppress(OSError):  # a terminal that has been closed
            while select.select([ours], [], [], 0)[0]:
                shown += os.read(ours, 1 << 16)
        return re.search(pattern, shown) is not None

    with process(
        command, cwd=folder, stderr=theirs, env=os.environ | {"TERM": "xterm", "COLUMNS": "120"}
    ) as child:
        os.close(theirs)
        until(lambda: seen(rb"[1-9]\d*/1000"))
        child.send_signal(signal.SIGINT)
        until(lambda: seen(b"") and child.poll() is not None)
    assert not seen(b"Traceback")
    os.close(ours)


def test_a_folder_that_cannot_be_written(folder: Path) -> None:
    schema = Path(__file__).resolve().parents[1] / "schemas" / "x_xy.xsd"
    (folder / "taken").write_text("")
    arguments = program("generate", "--schema", str(schema), "--out", "taken/inside")
    done = subprocess.run(
        arguments, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (done.returncode, done.stderr) == (2, "error: cannot write taken/inside: Not a directory\n")


def test_a_file_that_cannot_be_used_is_named(folder: Path) -> None:
    (folder / ".vscode").write_text("a file in the way of a folder")
    done = subprocess.run(
        program("editor"), cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (done.returncode, done.stderr) == (2, "polybody: cannot use .vscode: File exists\n")
