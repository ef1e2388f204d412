"""x_xy against imt-ring: files of our own, and random ones. JAX compiles for some seconds for each."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.amounts import some
from tests.differential import x_xy
from tests.differential.__main__ import main
from tests.differential.report import summary, text
from tests.oracles import imt_ring
from tests.oracles.random_x_xy import WIDTHS, write_folder

OURS = Path(__file__).parent / "data"
WORKERS = 1 if "PYTEST_XDIST_WORKER" in os.environ else 2
DYNAMICS = ("mass matrix", "bias", "equation of motion", "acceleration", "step acceleration")


def compared(paths):
    report = summary(
        x_xy.compare_files(paths, seed=1, workers=WORKERS, steps=100),
        x_xy.TOLERANCES,
        engine=x_xy.ENGINE,
        seed=1,
    )
    assert report["ok"], text(report)
    return {row["quantity"]: row for row in report["quantities"]}


def test_files_of_our_own(tmp_path):
    """All joint types among them; also what ring rejects: other white space, the root's `name`, cor."""
    loose = tmp_path / "loose.xml"
    loose.write_text(
        (OURS / "pendulum_on_cart.xml")
        .read_text()
        .replace("0 0 9.81", " 0\t0  9.81 ")
        .replace("<x_xy model", "<x_xy name")
    )
    paths = [*sorted(OURS.glob("*.xml")), loose]
    joints = {
        path: {member for member in WIDTHS if f'joint="{member}"' in path.read_text()} for path in paths
    }
    assert set().union(*joints.values()) >= set(WIDTHS) - {"py", "pz"}
    tried = some(paths, 3)
    stepped = [path for path in tried if joints[path] <= imt_ring.STEPPED]
    assert stepped
    rows = compared(tried)
    for name in ("inertia", "transforms", "passive forces", *DYNAMICS):
        assert rows[name]["files"] == len(tried)
    assert rows["trajectory q"]["files"] == rows["trajectory qd"]["files"] == len(stepped)


def test_random_files_of_joints_that_ring_steps_right(tmp_path):
    paths = some(write_folder(tmp_path, count=8, seed=0, bodies=(2, 4)), 2)
    rows = compared(paths)
    assert {row["files"] for row in rows.values()} == {len(paths)}


def test_random_files_of_the_other_joints(tmp_path):
    joints = sorted(set(WIDTHS) - imt_ring.STEPPED)
    paths = some(write_folder(tmp_path, count=4, seed=1, joints=joints, bodies=(2, 3)), 1)
    rows = compared(paths)
    assert all(rows[name]["files"] == len(paths) for name in DYNAMICS)


def test_all_that_differs_along_a_trajectory_is_rings_guard_against_zero(tmp_path, monkeypatch):
    ball = '<geom type="sphere" mass="1" dim="0.1" pos="0.2 0 0.1"/>'
    path = tmp_path / "top.xml"
    path.write_text(f'<x_xy><worldbody><body name="top" joint="spherical">{ball}</body></worldbody></x_xy>')
    plain = x_xy.compare(path, imt_ring.ask(path))
    from ring.algorithms import dynamics

    monkeypatch.setattr(dynamics, "_strapdown_integration", imt_ring.exact_turns)
    exact = x_xy.compare(path, imt_ring.ask(path))
    for name in ("trajectory q", "trajectory qd"):
        assert exact.errors[name] < 1e-12 < plain.errors[name] < 1e-8


def test_the_command(tmp_path, capsys):
    (tmp_path / "fine.xml").write_text((OURS / "without_mass.xml").read_text())
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "broken.xml").write_text("<x_xy><worldbody/></x_xy>")
    out = tmp_path / "report.json"
    assert main(["x_xy", str(tmp_path), "--json", str(out), "--steps", "3", "--workers", "1"]) == 0
    printed = capsys.readouterr().out
    assert "2 files against imt-ring 1.7.1" in printed
    assert "sub/broken.xml: all: ring: " in printed
    report = json.loads(out.read_text())
    assert [row["files"] for row in report["quantities"]] == [1] * len(x_xy.TOLERANCES)
    assert report["quantities"][0]["not_compared"][0]["file"] == "sub/broken.xml"


def test_a_frame_without_mass_is_judged_by_its_condition_number(tmp_path):
    """A massless free frame that carries two parallel hinges in series turns freely against them.

    Only regularisation keeps the mass matrix from being singular. A wrong length is detected all the same.
    """
    path = tmp_path / "a.xml"
    right = (OURS / "massless_frame.xml").read_text()
    path.write_text(right)
    answer = imt_ring.ask(path, steps=1)
    rows = {
        row["quantity"]: row for row in summary([x_xy.compare(path, answer)], x_xy.TOLERANCES)["quantities"]
    }
    assert 1e8 < rows["acceleration"]["condition"] < 1e9
    assert rows["acceleration"]["failures"] == rows["step acceleration"]["failures"] == []
    assert rows["equation of motion"]["worst"] < 1e-14, "what is solved is solved to rounding"
    path.write_text(right.replace('pos="0 0 -1.5"', 'pos="0 0 -1.50001"'))
    wrong = summary([x_xy.compare(path, answer)], x_xy.TOLERANCES)
    failed = {row["quantity"] for row in wrong["quantities"] if row["failures"]}
    assert {"equation of motion", "acceleration", "step acceleration"} <= failed


@pytest.fixture(scope="module")
def answer():
    return imt_ring.ask(OURS / "without_mass.xml", steps=3)


def test_a_difference_is_found(tmp_path, answer):
    """Ring gets another file than our reader."""
    path = tmp_path / "a.xml"
    path.write_text((OURS / "without_mass.xml").read_text().replace('dim="0.05"', 'dim="0.050001"'))
    report = summary([x_xy.compare(path, answer)], x_xy.TOLERANCES, engine=x_xy.ENGINE, seed=0)
    failed = {row["quantity"] for row in report["quantities"] if row["failures"]}
    assert not report["ok"]
    assert {"inertia", "mass matrix", "acceleration", "trajectory qd"} <= failed
    assert not failed & {"transforms", "passive forces"}


@pytest.mark.parametrize(
    "broken", ["<x_xy/>", "<x_xy><worldbody><body name='b' joint='rx' pos='1 2'/></worldbody></x_xy>"]
)
def test_what_ring_takes_and_we_refuse_is_a_failure(tmp_path, answer, broken):
    path = tmp_path / "a.xml"
    path.write_text(broken)
    comparison = x_xy.compare(path, answer)
    assert comparison.failure.startswith("polybody: ")
    assert not summary([comparison], x_xy.TOLERANCES)["ok"]
