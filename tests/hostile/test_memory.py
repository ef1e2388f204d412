"""Models that need much memory: as much as documented, and a MemoryError says what did not fit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.reading import limits
from tests.waiting import PATIENCE

if sys.platform == "win32":
    pytest.skip("no resource limits on Windows", allow_module_level=True)

LINK = (
    '<link name="l{0}"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="j{0}" type="revolute"><parent link="l{0}"/><child link="l{1}"/>'
    '<axis xyz="0 0 1"/>{2}</joint>'
)
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
CHAIN = """
import warnings, polybody

warnings.simplefilter("ignore")
path, told = sys.argv[1], {}
print(json.dumps([each.code for each in polybody.check(path)]))
model = polybody.load(path)
print(json.dumps([model.nbody, resident()]))
for use in (polybody.forward, polybody.step, polybody.mass_matrix):
    try:
        use(model, polybody.Data(model))
    except MemoryError as error:
        told[use.__name__] = str(error)
print(json.dumps(told))
"""
LENGTH = 20_000
"""Of a chain whose mass matrix has 200 million entries."""


def chain(folder: Path, limit: str = "") -> Path:
    links = "".join(LINK.format(k) for k in range(LENGTH))
    joints = "".join(JOINT.format(k, k + 1, limit) for k in range(LENGTH - 1))
    joints = joints if limit else joints.replace("revolute", "continuous")
    path = folder / "chain.urdf"
    path.write_text(f'<robot name="chain">{links}{joints}</robot>')
    return path


@pytest.mark.parametrize("limit", ["", LIMIT])
def test_a_chain_whose_mass_matrix_does_not_fit(limit: str, tmp_path: Path) -> None:
    """Documents, checks, Models, and steps without constraints do not need it."""
    codes, (bodies, peak), told = limits.run(CHAIN, chain(tmp_path, limit))
    assert codes == ["PB122"]  # more elements than a check judges
    assert bodies == LENGTH + 1
    assert peak < limits.RESIDENT / 2
    assert set(told) == ({"forward", "step", "mass_matrix"} if limit else {"mass_matrix"})
    assert all("not enough memory for 8," in text for text in told.values()), told


def test_a_command_says_that_memory_is_insufficient(tmp_path: Path) -> None:
    code = limits.PRELUDE + "from polybody.cli import run; run()"
    command = [sys.executable, "-c", code, "sim", str(chain(tmp_path, LIMIT)), "--steps", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2, done.stderr
    assert "not enough memory" in done.stderr
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr


PIXELS = """
import polybody

polybody.load(sys.argv[1])
before = resident()
model = polybody.load(sys.argv[2])
print(json.dumps([model.nhfielddata, resident() - before]))
"""
BYTES = 11
"""Of memory that a pixel of a height field takes, at most."""


def test_an_image_in_grey_of_16_bits_takes_as_much_memory_as_documented(tmp_path: Path) -> None:
    side = 2_500
    for name, pixels in (("small", np.arange(4)[:, None] * np.ones(4)), ("large", np.zeros((side, side)))):
        pixels[0, 0] = 60_000
        Image.fromarray(pixels.astype(np.uint16)).save(tmp_path / f"{name}.png")
        text = f'<hfield name="h" file="{name}.png" size="1 1 1 1"/>'
        (tmp_path / f"{name}.xml").write_text(f"<mujoco><asset>{text}</asset></mujoco>")
    ((count, grown),) = limits.run(PIXELS, tmp_path / "small.xml", tmp_path / "large.xml")
    assert count == side * side
    assert grown < BYTES * count + (16 << 20)
