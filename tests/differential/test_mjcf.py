"""MJCF against MuJoCo: files that agree pass, and differences and omissions are reported."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import numpy as np
import polybody
import pytest

from tests.amounts import some
from tests.differential import mjcf, mjcf_dynamics
from tests.differential.__main__ import main
from tests.differential.identity import identity
from tests.differential.report import Comparison, summary, text
from tests.oracles.random_mjcf import write_folder
from tests.runtime.mjcf import ARM

SWING = """<mujoco><worldbody><body pos="0 0 1"><joint axis="0 1 0"{joint}/>
<geom size=".1" pos="0 0 -.5"{geom}/>{inside}</body></worldbody>{after}</mujoco>"""


def swing(joint: str = "", geom: str = "", inside: str = "", after: str = "") -> str:
    return SWING.format(joint=joint, geom=geom, inside=inside, after=after)


def moved(ours: str, theirs: str = "", steps: int = 100) -> Comparison:
    """Compare the dynamics of two texts, by default of the same."""
    result = Comparison("text")
    document = polybody.read("text.xml", text=ours, format="mjcf")
    engine = mujoco.MjModel.from_xml_string(theirs or ours)
    mjcf_dynamics.compare_dynamics(document, engine, "text", steps, result)
    return result


def failed(result: Comparison) -> set[str]:
    report = summary([result], mjcf_dynamics.TOLERANCES, engine=mjcf.ENGINE, seed=0)
    return {row["quantity"] for row in report["quantities"] if row["failures"]}


def test_every_joint_and_actuator_agrees(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    result = mjcf.compare(path, 100)
    report = summary([result], mjcf.TOLERANCES, engine=mjcf.ENGINE, seed=0)
    assert report["ok"], text(report)
    assert set(result.withheld.values()) == {"no constraints"}
    assert set(result.measured) == set(mjcf.TOLERANCES) - set(result.withheld)
    assert len(result.measured["qacc"]) == 3, "states"


def test_random_files_agree(tmp_path: Path) -> None:
    """Shapes whose contacts are formulas: searches among the others stop at a step that rounding decides."""
    every = write_folder(tmp_path, count=30, seed=4, shapes=("sphere", "capsule", "box"))
    found = mjcf.compare_files(some(every, 8), seed=0, workers=2, steps=20)
    report = summary(found, mjcf.TOLERANCES, engine=mjcf.ENGINE, seed=0)
    assert report["ok"], text(report)
    assert not any(each.refused or each.skipped for each in found), text(report)


def test_a_difference_is_found() -> None:
    """MuJoCo gets another text than our reader."""
    right = swing()
    assert not failed(moved(right))
    heavier = failed(moved(right, swing(geom=' mass="4.2"')))
    assert heavier >= {"qM", "qfrc_bias", "qfrc_inverse", "energy"}
    assert not heavier & {"xpos", "geom_xpos", "cvel", "qfrc_damper"}
    slower = failed(moved(right, swing(joint=' damping=".001"')))
    assert slower >= {"qfrc_damper", "qacc", "Euler qvel", "RK4 qpos"}
    assert not slower & {"qM", "qfrc_bias", "xpos"}
    driven = '<actuator><general joint="j" dyntype="filter" dynprm="{}"/></actuator>'
    lagging = (swing(' name="j"', after=driven.format(tau)) for tau in (0.1, 0.1001))
    assert failed(moved(*lagging)) >= {"act_dot", "Euler act", "RK4 qvel"}


def test_what_is_not_simulated_yet_is_gated_with_its_reason() -> None:
    sinew = """<tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>
        <actuator><muscle tendon="t"/></actuator>"""
    unknown = '<compiler><lengthrange mode="none"/></compiler>'
    bodies = '<site name="a" pos="1 0 0"/><body><joint/><geom size=".1"/><site name="b" pos="0 .5 0"/></body>'
    result = moved(f"<mujoco>{unknown}<worldbody>{bodies}</worldbody>{sinew}</mujoco>")
    assert set(result.withheld) == set(mjcf_dynamics.TOLERANCES)
    assert result.withheld["xpos"].startswith("gated: a muscle without `lengthrange`")


def test_sensors_are_compared_each_by_itself() -> None:
    """A sensor that is not implemented yet does not prevent comparing the others."""
    site = '<site name="s" pos="0 0 -1"/>'
    sensors = '<sensor><accelerometer site="s"/><framepos objtype="site" objname="s"/><clock/>{}</sensor>'
    right = swing(inside=site, after=sensors.format(""))
    result = moved(right)
    assert len(result.measured["sensordata"]) == 3 * 3, "sensors at states"
    assert not failed(result)
    lower = swing(inside=site.replace("-1", "-1.0001"), after=sensors.format(""))
    assert "sensordata" in failed(moved(right, lower))
    ray = moved(swing(inside=site, after=sensors.format('<rangefinder site="s"/>')))
    assert len(ray.measured["sensordata"]) == 4 * 3
    assert not failed(ray)
    name = "mujoco.sensor.touch_grid"
    sizes = '<config key="size" value="7 7"/><config key="fov" value="45 45"/><config key="gamma" value="0"/>'
    config = f'<config key="nchannel" value="1"/>{sizes}'
    plugin = f'<plugin plugin="{name}" objtype="site" objname="s">{config}</plugin>'
    extension = f'<extension><plugin plugin="{name}"/></extension>'
    grid = moved(swing(inside=site, after=extension + sensors.format(plugin)))
    assert len(grid.measured["sensordata"]) == 4 * 3
    assert not failed(grid)


def test_frames_that_muJoCo_takes_for_the_same_are_composed() -> None:
    """A site at 9e-7 is there, not at the body's origin."""
    near = swing(inside='<site name="s" pos="0 9e-7 0"/>')
    engine = mujoco.MjModel.from_xml_string(near)
    assert engine.site_sameframe[0] == mujoco.mjtSameFrame.mjSAMEFRAME_BODY
    assert not failed(moved(near))
    mjcf_dynamics.compose(engine)
    assert engine.site_sameframe[0] == mujoco.mjtSameFrame.mjSAMEFRAME_NONE
    exact = mujoco.MjModel.from_xml_string(swing(inside='<site name="s"/>'))
    mjcf_dynamics.compose(exact)
    assert exact.site_sameframe[0] == mujoco.mjtSameFrame.mjSAMEFRAME_BODY


DEFECTS = {
    "reversed order": (
        """<mujoco><worldbody><site name="base" euler="10 20 30"/><body><joint type="ball"/><geom size=".1"/>
        <site name="tip" euler="40 50 60"/></body></worldbody>
        <actuator><general site="tip" refsite="base" gear="0 0 0 1 2 3"/></actuator></mujoco>""",
        {"actuator_length"},
    ),
    "a free joint's position": (
        """<mujoco><worldbody><body pos="0 0 1"><joint type="free" stiffness="2"/><geom size=".1"/></body>
        </worldbody></mujoco>""",
        {"energy"},
    ),
    "are cut off where shapes are small": (
        """<mujoco><option density="1.2"/><worldbody><body><freejoint/>
        <geom type="ellipsoid" size=".02 .01 .002" fluidshape="ellipsoid"/></body></worldbody></mujoco>""",
        {*mjcf_dynamics.DERIVATIVES, *(n for n in mjcf_dynamics.TRAJECTORIES if n.startswith("implicit"))},
    ),
    "where there is no actuator": (
        swing(joint=' actuatorgravcomp="true"').replace("<body ", '<body gravcomp="1" '),
        {"qfrc_actuator", "qfrc_smooth", "sensordata", *mjcf_dynamics.SOLVED, *mjcf_dynamics.TRAJECTORIES},
    ),
    "holds M constant": (
        """<mujoco><worldbody><body><freejoint/><geom size=".001" pos="5e-7 0 0"/></body>
        </worldbody></mujoco>""",
        {"qM", "energy", "qfrc_inverse", "sensordata", *mjcf_dynamics.SOLVED, *mjcf_dynamics.TRAJECTORIES},
    ),
}


@pytest.mark.parametrize("reason", DEFECTS)
def test_defects_of_muJoCo_are_left_out_by_name(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything else agrees; without the rule the difference is reported."""
    model, names = DEFECTS[reason]
    result = moved(model, steps=20)
    assert set(result.withheld) == names
    assert all(reason in said for said in result.withheld.values())
    assert not failed(result)
    monkeypatch.setattr(mjcf_dynamics, "defects", lambda engine: ())
    assert failed(moved(model, steps=20)) & names


def test_trajectories_that_rounding_decides_are_left_out() -> None:
    """Two tumbling links are chaotic; an unstable servo diverges."""
    link = '<body pos="0 0 -.5"><joint axis="0 1 0" range="150 200"/><geom size=".1" pos="0 0 -.5"/></body>'
    double = swing(joint=' range="150 200"', inside=link, after='<option timestep=".01"/>')
    result = moved(double, steps=3000)
    assert "rounding decides" in result.withheld["Euler qpos"]
    servo = '<actuator><position joint="j" kp="1e9"/></actuator>'
    wild = moved(swing(' name="j"', after=servo))
    assert "MuJoCo's simulation diverges" in wild.withheld["Euler qvel"]
    assert not failed(wild)


def test_the_states_are_those_of_the_files_id(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / "a.xml"
    assert identity(path) == "a"
    (tmp_path / "manifest.json").write_text(json.dumps({"files": [{"file": "sub/a.xml", "id": "known"}]}))
    assert identity(path) == "known"
    engine = mujoco.MjModel.from_xml_string(ARM)
    first, one, two = mjcf_dynamics.states(engine, np.random.default_rng(0))
    assert first["qpos"].tolist() == engine.key_qpos[0].tolist()
    assert not np.array_equal(one["qpos"], two["qpos"])
    assert np.abs(one["act"]).max() > 0


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fine.xml").write_text(swing())
    (tmp_path / "refused.xml").write_text("<mujoco><worldbody><geom/></worldbody></mujoco>")
    out = tmp_path / "report.json"
    assert main(["mjcf", str(tmp_path), "--json", str(out), "--steps", "5", "--workers", "1"]) == 0
    printed = capsys.readouterr().out
    assert "2 files against MuJoCo 3.2.7" in printed
    assert "1 of 1 files agree in everything that was compared: 100.0 %" in printed
    assert "refused.xml: all: MuJoCo: " in printed
    report = json.loads(out.read_text())
    assert {row["quantity"] for row in report["quantities"]} == set(mjcf.TOLERANCES)
    endless = '<custom><numeric name="n" data="inf"/></custom>'
    (tmp_path / "name.xml").write_text(swing(after=endless))
    assert main(["mjcf", str(tmp_path), "--steps", "5", "--workers", "1"]) == 1
    assert "name.xml: all: polybody: " in capsys.readouterr().out
