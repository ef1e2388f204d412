"""`fmt --diff` and `fix --diff`: what would change, as `patch` and `git apply` take it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.cli.differences import difference

from tests.waiting import PATIENCE

MISSPELT = "<mujoco>\n  <wordlbody/>\n</mujoco>\n"
TOOLS = {"patch": ["patch", "-s", "-p0"], "git": ["git", "apply", "-p0"]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, code: int, stdin: str | None = None) -> tuple[bytes, str]:
    result = CliRunner().invoke(app, arguments, input=stdin)
    assert result.exit_code == code, result.output
    return result.stdout_bytes, result.stderr


def test_a_diff_is_printed_and_nothing_written(folder: Path) -> None:
    path = folder / "m.xml"
    path.write_text(MISSPELT, encoding="utf-8")
    shown, said = run("fix", "m.xml", "--diff", code=1)
    assert shown == (
        b"--- m.xml\n+++ m.xml\n@@ -1,3 +1,3 @@\n <mujoco>\n-  <wordlbody/>\n+  <worldbody/>\n </mujoco>\n"
    )
    assert said == "would be fixed: m.xml\n"
    assert path.read_text(encoding="utf-8") == MISSPELT
    assert run("fmt", "m.xml", "--diff", code=0) == (b"", "1 file unchanged\n")
    assert run("fix", "m.xml", "--diff", "--check", code=1) == (shown, said)
    path.write_text("<mujoco>", encoding="utf-8")
    assert run("fmt", "m.xml", "--diff", code=2)[0] == b""


def test_a_diff_of_standard_input() -> None:
    shown, _ = run("fix", "-", "--diff", code=1, stdin=MISSPELT)
    assert shown.startswith(b"--- <stdin>\n+++ <stdin>\n@@")
    good = MISSPELT.replace("wordlbody", "worldbody")
    assert run("fix", "-", "--diff", code=0, stdin=good) == (b"", "1 file unchanged\n")


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "text",
    [
        b"<mujoco  ><option/></mujoco>\n",
        b"<mujoco  ><option/></mujoco>",
        b"<mujoco  >\r\n<option/></mujoco>\r\n",
        b"<mujoco>\n<!-- a\rb -->\n  <option   timestep='1'/>\n</mujoco>",
        '<?xml version="1.0" encoding="latin-1"?>\n<mujoco  model="\xe9\x85"/>\n'.encode("latin-1"),
        b"\xef\xbb\xbf<mujoco  />\n",
    ],
    ids=["one line", "without line end", "crlf", "cr", "latin-1", "mark"],
)
def test_a_diff_can_be_applied(folder: Path, tool: str, text: bytes) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool}")
    path = folder / "m.xml"
    path.write_bytes(text)
    shown, _ = run("fmt", "m.xml", "--diff", code=1)
    command = [*TOOLS[tool], *(["--binary"] if tool == "patch" else [])]
    subprocess.run(command, input=shown, check=True, timeout=PATIENCE, cwd=folder)
    applied = path.read_bytes()
    path.write_bytes(text)
    run("fmt", "m.xml", code=0)
    assert applied == path.read_bytes() != text


def test_names_are_escaped() -> None:
    assert difference("a\x1b\n.xml", b"a\n", b"b\n").startswith(b"--- a\\u001b\\n.xml\n+++ ")
