"""The demonstration runs, says what it did and writes what it promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]


def test_the_demonstration(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "examples" / "demo.py", tmp_path]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    for word in ("valid", "degrees of freedom", "kernels", "steps a second", "dampers' work"):
        assert word in done.stdout

    with np.load(tmp_path / "inv_pendulum.npz") as trajectory:
        time, qpos = trajectory["time"], trajectory["qpos"]
        energy = trajectory["potential"] + trajectory["kinetic"]
        dissipated = trajectory["dissipated"]
    assert abs(time[-1] - 10.0) < 1e-9
    assert qpos[0].tolist() == [0.0, 0.1]
    assert qpos[:, 1].max() > np.pi  # it fell over and swung through
    assert dissipated[-1] > 1.0
    assert np.abs(energy - energy[0] + dissipated).max() < 1e-4  # of 2 J, by RK4 at 10 ms
    assert (tmp_path / "inv_pendulum.png").read_bytes().startswith(b"\x89PNG")
