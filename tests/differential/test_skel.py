"""SKEL against DART: a file of features that public files lack, and random files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody
import pytest
from polybody.lowering import lowered
from polybody.model.flags import ENABLE

from tests.amounts import some
from tests.differential import skel
from tests.differential.__main__ import main
from tests.differential.report import summary, text
from tests.oracles import dart
from tests.oracles.random_skel import SIZES, write_folder

OURS = Path(__file__).parent / "data" / "joints.skel"
FREE = OURS.with_name("free.skel")
"""Springs and dampers of free joints, different along each of DART's axes."""


def compared(paths: list[Path]) -> dict[str, dict]:
    found = skel.compare_files(paths, seed=1, workers=1, steps=100)
    report = summary(found, skel.TOLERANCES, engine=skel.ENGINE, seed=1)
    assert report["ok"], text(report)
    assert report["compared"] == len(paths), text(report)
    return {row["quantity"]: row for row in report["quantities"]}


def test_files_of_all_joints_actuators_springs_and_dampers() -> None:
    rows = compared([OURS, FREE])
    assert set(rows) == set(skel.TOLERANCES)
    assert all(row["files"] == 2 for row in rows.values())


def test_random_files(tmp_path: Path) -> None:
    every = write_folder(tmp_path / "random", count=24, seed=3)
    texts = "".join(path.read_text() for path in every)
    assert all(f'type="{kind}"' in texts for kind in SIZES)
    paths = some(every, 4)
    rows = compared(paths)
    assert all(row["files"] == len(paths) for row in rows.values())


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file on which DART crashes is skipped, and one that polybody reads differently is a failure."""
    bad = OURS.read_text().replace('<body name="base"/>', '<body name="base"/>' + CRASH)
    (tmp_path / "crash.skel").write_text(bad)
    assert main(["skel", str(tmp_path), "--json", str(tmp_path / "report.json")]) == 0
    shown = capsys.readouterr().out
    assert "DART ends its process" in shown
    assert "0 of 0 files agree" in shown


CRASH = (
    '<body name="nowhere"><visualization_shape><geometry><sphere><radius>1</radius></sphere></geometry>'
    "</visualization_shape></body>"
)


def test_another_lowering_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison detects a mass that is wrong by 1e-8 of its value."""
    answer = dart.ask(OURS, seed=0, states=1, steps=1)
    answer.mass[0] *= 1 + 1e-8
    monkeypatch.setattr(dart, "ask", lambda *_, **__: answer)
    (found,) = skel.compare_files([OURS], seed=0, workers=1, steps=1)
    report = summary([found], skel.TOLERANCES, engine=skel.ENGINE, seed=0)
    assert [row["quantity"] for row in report["quantities"] if row["failures"]] == ["inertia"]


MOVING = """<skel version="1.0"><world name="w"><physics><time_step>0.001</time_step>
<gravity>0 0 -9.81</gravity></physics><skeleton name="s">{bodies}{joints}</skeleton></world></skel>"""
LINK = """<body name="{name}"><transformation>{x} 0 0 0 0 0</transformation><inertia><mass>1</mass>
<offset>.3 0 0</offset><moment_of_inertia><ixx>.01</ixx><iyy>.02</iyy><izz>.02</izz><ixy>0</ixy><ixz>0</ixz>
<iyz>0</iyz></moment_of_inertia></inertia></body>"""
HINGE = """<joint type="revolute" name="{name}" actuator="{actuator}"><parent>{parent}</parent>
<child>{child}</child><axis><xyz>0 1 0</xyz>{limit}</axis>{dof}</joint>"""


def two_links(
    tmp_path: Path, actuator: str, limits: tuple[str, str], dofs: tuple[str, str]
) -> tuple[Any, Any]:
    """A chain of two links in DART, and its Model, with active position limits."""
    bodies = LINK.format(name="a", x=0) + LINK.format(name="b", x=0.6)
    ends = (("j", "world", "a"), ("k", "a", "b"))
    joints = "".join(
        HINGE.format(name=name, actuator=actuator, parent=parent, child=child, limit=limit, dof=dof)
        for (name, parent, child), limit, dof in zip(ends, limits, dofs, strict=True)
    )
    path = tmp_path / "links.skel"
    path.write_text(MOVING.format(bodies=bodies, joints=joints))
    import dartpy

    world = dartpy.utils.SkelParser.readWorld(str(path))
    for joint in world.getSkeleton(0).getJoints():
        joint.setLimitEnforcement(True)
    return world, lowered(polybody.read(str(path)), enforce_limits=True).model


@pytest.mark.parametrize("command", [(0.5, -0.3), (-3.0, 3.0), (3.0, -3.0)])
def test_servo_motors_with_unequal_bounds_move_as_in_dart(
    tmp_path: Path, command: tuple[float, float]
) -> None:
    bounds = ('<force lower="-2" upper="9"/>', '<force lower="-6" upper="1"/>')
    dofs = [f'<dof local_index="0">{bound}</dof>' for bound in bounds]
    world, model = two_links(tmp_path, "servo", ("", ""), (dofs[0], dofs[1]))
    skeleton, data = world.getSkeleton(0), polybody.Data(model)
    data.ctrl[:] = command
    for _ in range(300):
        skeleton.setCommands(np.array(command))
        world.step(False)
        polybody.step(model, data)
    assert data.qpos == pytest.approx(skeleton.getPositions(), abs=2e-5)
    assert data.qvel == pytest.approx(skeleton.getVelocities(), abs=1e-4)


@pytest.mark.parametrize("enable", [(), ("invdiscrete",)])
def test_inverse_dynamics_commands_servo_motors(tmp_path: Path, enable: tuple[str, ...]) -> None:
    """The forces for given accelerations follow from the controls of now, not from those of the last step."""
    bounds = ('<force lower="-2" upper="9"/>', '<force lower="-6" upper="1"/>')
    dofs = [f'<dof local_index="0">{bound}</dof>' for bound in bounds]
    _, model = two_links(tmp_path, "servo", ("", ""), (dofs[0], dofs[1]))
    if enable:
        model = model.replace(opt_enableflags=int(model.opt_enableflags) | ENABLE["invdiscrete"])
    fresh, used = polybody.Data(model), polybody.Data(model)
    used.ctrl[:] = 3, -3
    polybody.forward(model, used)
    for data in (fresh, used):
        data.qvel[:], data.ctrl[:] = (0.1, 0.2), (-0.3, 0.4)
    polybody.forward(model, fresh)
    used.qacc[:] = fresh.qacc
    assert (polybody.inverse(model, used) == polybody.inverse(model, fresh)).all()
    fresh.ctrl[0] = 5
    assert polybody.inverse(model, fresh)[0] != used.qfrc_inverse[0]


def test_limits_that_act_stop_as_in_dart(tmp_path: Path) -> None:
    limits = [
        f"<limit><lower>{low}</lower><upper>{high}</upper></limit>"
        for low, high in ((-0.5, 0.6), (-0.4, 0.7))
    ]
    world, model = two_links(tmp_path, "force", (limits[0], limits[1]), ("", ""))
    data = polybody.Data(model)
    far = []
    for _ in range(800):
        world.step()
        polybody.step(model, data)
        far.append(np.abs(data.qpos - world.getSkeleton(0).getPositions()).max())
    assert max(far) < 0.03
    assert data.qpos == pytest.approx([0.6, 0.7], abs=2e-3)


ROUND = """<body name="a"><transformation>.1 .2 .3 .4 -.3 .2</transformation>{inertia}</body>
<body name="b"><transformation>.4 .1 .5 -.6 .3 .9</transformation>{inertia}</body>
<joint type="revolute" name="j" actuator="passive"><parent>world</parent><child>a</child>
<transformation>.1 0 .2 .3 .2 .1</transformation><axis><xyz>0 .6 .8</xyz></axis>
<init_vel>.7</init_vel></joint>
<joint type="{kind}" name="k" actuator="{actuator}"><parent>a</parent><child>b</child>
<transformation>.2 -.1 .3 .5 -.4 .7</transformation>{axes}{dofs}</joint>"""
AXES = "<axis><xyz>0 .6 .8</xyz></axis>", "<axis2><xyz>1 0 0</xyz></axis2>"
JOINTS = {
    "revolute": (1, AXES[0]),
    "prismatic": (1, AXES[0]),
    "universal": (2, "".join(AXES)),
    "euler": (3, "<axis_order>zyx</axis_order>"),
    "translational": (3, ""),
    "planar": (3, '<plane type="yz"/>'),
    "ball": (3, ""),
    "free": (6, ""),
}
"""The number of degrees of freedom, and the elements that describe them."""
SOLID = """<inertia><mass>2</mass><offset>.05 .1 -.05</offset><moment_of_inertia><ixx>.3</ixx><iyy>.4</iyy>
<izz>.5</izz><ixy>.01</ixy><ixz>-.02</ixz><iyz>.03</iyz></moment_of_inertia></inertia>"""
FORCES = [(-1.5, 1.0), (-0.4, 0.3), (-2.0, 2.5), (-3.0, 2.0), (-1.0, 4.0), (-2.5, 2.0)]
COMMANDS = np.array([1.5, -2.0, 0.8, 1.0, -1.2, 2.0])


@pytest.mark.parametrize("what", ["friction", "servo"])
@pytest.mark.parametrize(
    ("kind", "kernels"),
    [*((kind, "loop") for kind in JOINTS), ("ball", "specialized"), ("free", "specialized")],
)
def test_friction_and_bounded_servos_move_as_in_dart(
    tmp_path: Path, kind: str, what: str, kernels: Any
) -> None:
    """To rounding while friction slides and motors are saturated, and approximately while they stick."""
    count, axes = JOINTS[kind]
    inside = {
        "friction": [
            f'<velocity initial="{v}"/><friction>{f}</friction>'
            for v, (_, f) in zip(COMMANDS, FORCES, strict=True)
        ],
        "servo": [f'<force lower="{low}" upper="{high}"/>' for low, high in FORCES],
    }[what]
    dofs = "".join(f'<dof local_index="{n}">{inside[n]}</dof>' for n in range(count))
    actuator = {"friction": "passive", "servo": "servo"}[what]
    text = ROUND.format(inertia=SOLID, kind=kind, actuator=actuator, axes=axes, dofs=dofs)
    path = tmp_path / "round.skel"
    path.write_text(MOVING.format(bodies=text, joints=""))
    import dartpy

    world = dartpy.utils.SkelParser.readWorld(str(path))
    skeleton = world.getSkeleton(0)
    found = lowered(polybody.read(str(path)))
    stepper = polybody.Stepper(found.model, kernels)
    data = stepper.data
    if what == "servo":
        data.ctrl[:] = COMMANDS[:count]
    for steps, apart in ((40, 1e-9), (360, 5e-6)):
        for _ in range(steps):
            if what == "servo":
                skeleton.setCommands(np.concatenate([[0.0], COMMANDS[:count]]))
            world.step(False)
            stepper.step()
        v = found.native.v(data.qpos, data.qvel)
        assert v == pytest.approx(skeleton.getVelocities(), abs=apart)
    assert found.native.q(data.qpos) == pytest.approx(skeleton.getPositions(), abs=5e-6)
    assert data.nefc == count


@pytest.mark.parametrize("kind", ["ball", "free"])
def test_servos_of_balls_and_free_joints_reach_their_velocities(tmp_path: Path, kind: str) -> None:
    count = {"ball": 3, "free": 6}[kind]
    wide = '<force lower="-9000" upper="8000"/>'
    dofs = "".join(f'<dof local_index="{n}">{wide}</dof>' for n in range(count))
    text = ROUND.format(inertia=SOLID, kind=kind, actuator="servo", axes="", dofs=dofs)
    path = tmp_path / "round.skel"
    path.write_text(MOVING.format(bodies=text, joints=""))
    found = lowered(polybody.read(str(path)))
    data = polybody.Data(found.model)
    for sign in (1, -1, 1):
        data.ctrl[:] = sign * COMMANDS[:count]
        polybody.step(found.model, data, 3)
        v = found.native.v(data.qpos, data.qvel)
        assert v[1:] == pytest.approx(sign * COMMANDS[:count], abs=2e-3)
