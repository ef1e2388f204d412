"""The page of twenty tasks: every example has at most five lines, runs, and does what its heading says."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest

from tools import snippets

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
START, TASKS = snippets.tasks()
SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="battery"><xs:complexType>
<xs:attribute name="volts" type="xs:double" use="required"/></xs:complexType></xs:element></xs:schema>"""
Check = Callable[[dict[str, Any]], bool]


def attribute_values(document: Any, path: str) -> list[str]:
    return [str(value) for value in pb.xpath(document, path)]


def renamed(names: dict[str, Any]) -> bool:
    return attribute_values(names["arm"], "//exclude/@body2") == ["palm"] and not names["arm"].find(
        "body", "hand"
    )


def deleted(names: dict[str, Any]) -> bool:
    gone = {(node.TAG, node.name) for node in names["deleted"]}
    return gone == {("link", "tool"), ("joint", "wrist")} and "tool" not in pb.write(names["robot"])


def copied(names: dict[str, Any]) -> bool:
    bodies = pb.lower(names["arm"]).names["body"]
    return bodies == ("world", "upper", "fore", "hand", "second")


def site(names: dict[str, Any]) -> bool:
    return '<site name="tip" pos="0 0 0.1"/>' in pb.write(names["arm"])


def gripper(names: dict[str, Any]) -> bool:
    return names["model"].names["body"][-2:] == ("left_palm", "left_finger")


def merged(names: dict[str, Any]) -> bool:
    model = pb.lower(names["robot"])
    return model.nv == 3 and {"tool", "left_palm", "left_finger"} <= set(model.names["body"])


def stripped(names: dict[str, Any]) -> bool:
    text = pb.write(names["robot"])
    return "visual" not in text and "collision" in text


def unused(names: dict[str, Any]) -> bool:
    return attribute_values(names["arm"], "//material/@name") == ["steel"]


def meshes(names: dict[str, Any]) -> bool:
    return attribute_values(names["robot"], "//mesh/@filename") == ["package://lab_robot/meshes/tool.stl"]


def doubled(names: dict[str, Any]) -> bool:
    before, after = pb.load("examples/robot.urdf"), pb.lower(names["robot"])
    same = np.allclose(after.body_inertia, 2 * before.body_inertia)
    return same and bool(np.allclose(after.body_mass, 2 * before.body_mass))


def servos(names: dict[str, Any]) -> bool:
    model = pb.lower(names["arm"])
    return model.names["actuator"] == ("shoulder", "elbow") and model.actuator("elbow").gainprm[0] == 50


def frozen(names: dict[str, Any]) -> bool:
    return pb.lower(names["robot"]).names["joint"] == ("shoulder",) and not errors(names["robot"])


def limits(names: dict[str, Any]) -> bool:
    return names["limits"].tolist() == [[-1, 2], [-2, 2]]


def pose(names: dict[str, Any]) -> bool:
    place = 0.5 * np.cos(0.1), 0, -0.5 * np.sin(0.1)
    return bool(np.allclose(names["position"], place)) and names["rotation"].shape == (9,)


def built(names: dict[str, Any]) -> bool:
    height = names["simulation"].data.qpos[2]
    return bool(np.isclose(height, -9.81 * 0.002**2 * 100 * 101 / 2))


def checked(names: dict[str, Any]) -> bool:
    codes = [finding.code for finding in names["findings"]]
    return codes == ["PB032"] and "<!-- two links and a hand -->" in names["text"]


def classes(names: dict[str, Any]) -> bool:
    return names["status"] == 0 and "class Battery" in "".join(
        path.read_text(encoding="utf-8") for path in Path("battery").rglob("*.py")
    )


def errors(document: Any) -> list[pb.Diagnostic]:
    return [finding for finding in pb.validate(document) if finding.severity == "error"]


CHECKS: dict[str, Check] = {
    "Rename a body everywhere": renamed,
    "Delete a link with its joints": deleted,
    "List all joints with their parents": lambda names: (
        names["pairs"] == [("shoulder", "upper"), ("elbow", "fore")]
    ),
    "Find where an element is written": lambda names: names["place"] == "examples/hand.xml:18:9",
    "Copy a body": copied,
    "Add a site to a body": site,
    "Add a gripper": gripper,
    "Merge two robots": merged,
    "Strip visual shapes": stripped,
    "Delete unused materials": unused,
    "Point meshes to another package": meshes,
    "Double all masses": doubled,
    "Add a servo to every joint": servos,
    "Freeze a joint": frozen,
    "Read the value that is in effect": lambda names: names["values"] == {"shoulder": 2, "elbow": 0.5},
    "Get the limits of all joints as an array": limits,
    "Get the pose of a link at a configuration": pose,
    "Build a model and simulate it": built,
    "Check what was built before it is written": checked,
    "Make classes for a format of your own": classes,
}


def test_there_are_twenty() -> None:
    assert list(TASKS) == list(CHECKS)
    assert len(TASKS) == 20
    long = {title for title, code in TASKS.items() if sum(map(bool, code.splitlines())) > 5}
    assert long == set()


@pytest.mark.parametrize("title", CHECKS)
def test_tasks(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "battery.xsd").write_text(SCHEMA, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(START + TASKS[title], f"docs/tasks.md: {title}", "exec"), names)
    assert CHECKS[title](names)
