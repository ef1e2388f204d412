"""``make demo``: its own commands, run with this Python, print what they did and write the promised files."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polybody
import pytest

from benchmarks.models.robots import installed
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
ROBOTS = installed("example-robot-data", "cmeel.prefix/share/example-robot-data")


def commands(*words: str) -> list[list[str]]:
    """The arguments that a recipe passes to ``polybody``, one list per command."""
    make = ["make", "--dry-run", "--always-make", "--no-print-directory", *words]
    text = subprocess.run(make, cwd=ROOT, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    lines = [shlex.split(line) for line in text.replace("\\\n", " ").splitlines()]
    return [line[1:] for line in lines if Path(line[0]).name == "polybody"]


def printed(folder: Path, *words: str) -> str:
    """What the commands of a recipe print, run in a folder with the examples."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "output").mkdir()
    said = ""
    for arguments in commands(*words):
        done = subprocess.run(
            [sys.executable, "-m", "polybody", *arguments],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        said += done.stdout
    return said


def test_the_demonstration(tmp_path: Path) -> None:
    said = printed(tmp_path, "demo", "ROBOTS=")
    for word in ("2 bodies", "steps per second", "the dampers' work"):
        assert word in said
    made = r"^kernels +specialized \(compiled for this model in [\d.]+ s by .+\)$"
    assert len(re.findall(made, said, re.MULTILINE)) == 3
    assert len(re.findall(r"^faster +[\d.]+ times the loop kernels$", said, re.MULTILINE)) == 3

    with np.load(tmp_path / "output" / "inv_pendulum.npz") as trajectory:
        time, qpos = trajectory["time"], trajectory["qpos"]
        energy, damped = trajectory["energy"].sum(axis=1), trajectory["damped"]
    assert abs(time[-1] - 10.0) < 1e-9
    assert qpos[0].tolist() == [0.0, 0.1]
    assert qpos[:, 1].max() > np.pi  # it fell over and swung through
    assert damped[-1] < -1.0
    assert np.abs(energy - energy[0] - damped).max() < 1e-4  # of 2 J
    assert (tmp_path / "output" / "inv_pendulum.png").read_bytes().startswith(b"\x89PNG")

    with np.load(tmp_path / "output" / "arm.npz") as trajectory:
        qpos, qvel = trajectory["qpos"], trajectory["qvel"]
        energy, work = trajectory["energy"].sum(axis=1), trajectory["damped"] + trajectory["driven"]
        forces = trajectory["actuator_force"]
    assert qpos[0].tolist() == [0, -1, 0.8, 1, 0, 0, 0]
    assert np.abs(qpos[-1, :3] - [1.5, -0.5, 1]).max() < 0.15  # servos yield under the weight
    assert abs(qpos[-1, 0] - 1.5) < 1e-3  # there is no weight about the vertical
    assert np.abs(qvel[-1]).max() < 0.01
    assert forces[:, 3].max() <= 0.12 + 1e-12  # 0.3 N m times the activation, which converges to 0.4
    assert np.abs(energy - energy[0] - work).max() < 0.02  # of 20 J
    assert (tmp_path / "output" / "arm.png").read_bytes().startswith(b"\x89PNG")

    with np.load(tmp_path / "output" / "humanoid.npz") as trajectory:
        lowest = trajectory["xpos"][:, 1:, 2].min()
        last, forces = trajectory["ncon"][-1], trajectory["contact_force"]
        speed, taken = trajectory["qvel"][-1], trajectory["constrained"][-1]
    assert lowest > 0  # nothing fell through the floor
    assert np.abs(speed).max() < 0.2  # it is at rest
    assert forces[-last:, 2].sum() == pytest.approx(weight() * 9.81, rel=0.1)
    assert taken < -300  # J, of 780
    assert (tmp_path / "output" / "humanoid.png").read_bytes().startswith(b"\x89PNG")


def weight() -> float:
    """The mass of the humanoid, kg."""
    return float(polybody.load(ROOT / "examples" / "humanoid.xml").body_mass.sum())


@pytest.mark.parametrize("key", [(), ("stumble",)])
def test_the_factor_to_mujoco_is_printed(key: tuple[str, ...]) -> None:
    path = ROOT / "examples" / "against_mujoco.py"
    done = subprocess.run(
        [sys.executable, str(path), str(ROOT / "examples" / "humanoid.xml"), *key],
        check=True,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert re.search(r"^factor +\d+\.\d$", done.stdout, re.MULTILINE)


def test_the_robot_at_its_end(tmp_path: Path) -> None:
    said = printed(tmp_path, "demo-robot", f"ROBOTS={ROBOTS}")
    assert "panda_link7  hinge z" in said
    with np.load(tmp_path / "output" / "panda.npz") as trajectory:
        qpos, qvel, xpos = trajectory["qpos"], trajectory["qvel"], trajectory["xpos"]
        energy, contacts = trajectory["energy"].sum(axis=1), trajectory["ncon"]
        work = sum(trajectory[name] for name in ("damped", "driven", "constrained"))
    assert np.abs(qpos[-1, :7] - [1.2, 0.3, 0, -1.5, 0, 1.8, 0.785]).max() < 0.06  # they yield to the weight
    assert np.abs(qpos[-1, 7:] - 0.04).max() < 1e-3  # the second finger follows the first
    assert np.abs(qvel[-1]).max() < 1e-3
    assert np.abs(xpos).max() < 1  # nothing is farther away than the arm reaches
    assert not contacts.any()  # the pairs that overlap are in the SRDF
    assert np.abs(energy - energy[0] - work).max() < 0.2  # of 50 J


def test_without_its_package_the_demonstration_says_so() -> None:
    make = ["make", "--no-print-directory", "demo-robot", "ROBOTS="]
    done = subprocess.run(make, cwd=ROOT, check=True, capture_output=True, text=True, timeout=PATIENCE)
    assert "the package example-robot-data is not installed" in done.stdout
    assert "pip install --no-deps example-robot-data; make demo-robot" in done.stdout
