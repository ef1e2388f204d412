"""The guide to documents in Python: its code runs, its tasks do what they say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polybody as pb
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
MODEL = """<mujoco><asset><material name="red"/><material name="blue"/></asset><worldbody>
<body name="torso"><joint name="knee"/><geom size=".1" mass="1" material="red"/><body name="hand">
<geom size=".1" mass="2"/></body></body></worldbody><contact><exclude body1="torso" body2="hand"/></contact>
</mujoco>"""
ROBOT = """<robot name="r"><link name="base"><visual><geometry><sphere radius="1"/></geometry></visual></link>
<link name="gripper"/><joint name="j" type="fixed"><parent link="base"/><child link="gripper"/></joint>
</robot>"""


def test_the_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "".join(re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL))
    code = code.replace("examples/arm.xml", str(ROOT / "examples" / "arm.xml"))
    (tmp_path / "output").mkdir()
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(code, "docs/documents.md", "exec"), names)
    assert names["findings"] == []
    assert [node.TAG for node in names["removed"]] == ["site", "framepos"]
    assert pb.write(pb.read("output/arm.xml")) == names["text"]
    assert 'joint="first"' in names["text"]


def tasks() -> dict[str, str]:
    return dict(re.findall(r"^\| ([^|]+?) \| `(.+)` \|$", GUIDE, re.MULTILINE))


def after(task: str, text: str) -> tuple[Any, Any]:
    """The document after a task of the guide, and what it gives."""
    document: Any = pb.read("m.xml", text=text)
    code = tasks()[task].replace("\\|", "|")
    names = {"pb": pb, "document": document}
    statement = code.startswith("for ")
    value = exec(code, names) if statement else eval(code, names)
    return document, value


def test_tasks() -> None:
    document, _ = after("rename a body everywhere", MODEL)
    assert document.contact.exclude[0].body1 == "trunk"
    document, _ = after("double all masses", MODEL)
    assert [geom.mass for geom in document.find_all("geom")] == [2, 4]
    document, _ = after("strip visual shapes of a URDF", ROBOT)
    assert "<visual>" not in pb.write(document)
    assert after("find unused materials", MODEL)[1] == {"blue"}
    assert after("all joints with their parents", MODEL)[1] == [("knee", "torso")]
    document, _ = after("add a site to a body", MODEL)
    assert '<site name="tip" pos="0 0 0.1"/>' in pb.write(document)
    document, _ = after("delete a link and its joints", ROBOT)
    assert "gripper" not in pb.write(document)
    assert after("where an element is written", MODEL)[1] == "m.xml:2:20"
    assert len(tasks()) == 8
