"""Recording: recorded values, the work of dampers, and the plot."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import polybody as pb
import pytest
from polybody.assembly.builder import ModelBuilder
from polybody.engine.dynamics import energy, forward
from polybody.errors import SimulationError
from polybody.generated.model import ShapeType
from polybody.simulation.plotting import AXES, GROUND, _all_corners, curves, hull, plot
from polybody.simulation.recording import KEPT, Recorder
from polybody.simulation.stepper import Stepper

from tests.runtime import mjcf
from tests.runtime.models import HOSTILE, everything, pendulum
from tests.waiting import PATIENCE


def test_instants_kept() -> None:
    sim = Stepper(everything())
    seen: list[int] = []
    recorder = Recorder(sim, every=4)
    recorder.run(10, seen.append)
    trajectory = recorder.trajectory
    assert seen == [4, 4, 2]
    assert trajectory.time == pytest.approx([0, 0.004, 0.008, 0.010])
    assert trajectory.qpos[0].tolist() == sim.model.qpos0.tolist()
    assert trajectory.qpos[-1].tolist() == sim.data.qpos.tolist()
    assert {name: getattr(trajectory, name).shape[1:] for name in KEPT} == {
        "time": (), "qpos": (15,), "qvel": (13,), "xpos": (7, 3), "xquat": (7, 4), "energy": (2,),
        "damped": (), "medium": (), "driven": (), "constrained": (), "ncon": (), "contact_pos": (3,),
        "contact_force": (3,), "contact_geom": (2,),
    }  # fmt: skip
    assert trajectory.energy[-1].tolist() == list(energy(sim.model, sim.data))
    assert trajectory.xpos[:, 1] == pytest.approx(trajectory.qpos[:, :3])
    with pytest.raises(ValueError, match="every must be at least 1"):
        Recorder(sim, every=0)


SWUNG = """<mujoco><option timestep="1e-3" integrator="RK4"/>
<worldbody><body name="arm" gravcomp=".5"><joint name="hinge" axis="0 1 0" damping=".1"/>
<geom size=".1" pos=".3 0 0"/></body></worldbody>
<actuator><position name="servo" joint="hinge" kp="20"/></actuator></mujoco>"""


def test_work_of_actuators_equals_the_energy_added() -> None:
    """A servo, gravity compensation, forces on joints and bodies; the residual is proportional to h
    squared.
    """
    left = []
    for steps in (500, 1000):
        sim = Stepper(mjcf.model(SWUNG).replace(opt_timestep=1 / steps))
        sim.data.ctrl[0], sim.data.qfrc_applied[0], sim.data.xfrc_applied[1, 2] = 2, 0.5, 3
        recorder = Recorder(sim, every=10)
        recorder.run(steps)
        trajectory = recorder.trajectory
        assert np.abs(trajectory.driven).max() > 5
        work = trajectory.damped + trajectory.driven
        left.append(np.abs(trajectory.energy.sum(axis=1) - trajectory.energy[0].sum() - work).max())
    assert left[1] < 1e-3
    assert 3.5 < left[0] / left[1] < 4.5


CORD = """<mujoco><option timestep="1e-3"/><worldbody><site name="a" pos="0 0 1"/>
<body pos="0 0 .5"><joint type="slide" axis="0 0 1"/><geom size=".05" mass="1"/>
<site name="b"/></body></worldbody>
<tendon><spatial stiffness="30" damping="20"><site site="a"/><site site="b"/></spatial></tendon></mujoco>"""
WATER = """<mujoco><option timestep="1e-3" density="1000" viscosity=".001"/><worldbody>
<body pos="0 0 2"><freejoint/><geom type="box" size=".1 .2 .02" density="2000"/></body>
</worldbody></mujoco>"""
NET = """<mujoco><option timestep="1e-3"/><worldbody>
<flexcomp name="net" type="grid" dim="1" count="5 1 1" spacing=".1 .1 .1" radius=".01" mass="1" pos="0 0 1">
<edge stiffness="40" damping=".5"/><pin id="0 4"/><contact contype="0" conaffinity="0"/></flexcomp>
</worldbody></mujoco>"""
HUNG = """<robot name="hung"><link name="base">
<inertial><mass value="2"/><inertia ixx=".4" iyy=".5" izz=".3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="a"><inertial><mass value="1.5"/>
<inertia ixx=".4" iyy=".5" izz=".3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<drake:linear_spring_damper>
<drake:linear_spring_damper_body_A name="base"/>
<drake:linear_spring_damper_body_B name="a"/><drake:linear_spring_damper_p_AP value=".1 .2 .3"/>
<drake:linear_spring_damper_p_BQ value="-.1 .2 .9"/><drake:linear_spring_damper_free_length value=".3"/>
<drake:linear_spring_damper_stiffness value="120"/><drake:linear_spring_damper_damping value="7"/>
</drake:linear_spring_damper></robot>"""


@pytest.mark.parametrize(
    ("text", "column", "least"),
    [(CORD, "damped", 1.0), (WATER, "medium", 20.0), (NET, "damped", 0.05), (HUNG, "driven", 0.5)],
)
def test_each_sink_of_energy_is_accounted_for(text: str, column: str, least: float) -> None:
    """Dampers of tendons and flexes, the medium, springs and dampers between bodies. The residual is
    proportional to the time step."""
    left = []
    for steps in (500, 1000):
        suffix = "urdf" if "<robot" in text else "xml"
        sim = Stepper(pb.load(f"m.{suffix}", text=text).replace(opt_timestep=0.5 / steps), "loop")
        recorder = Recorder(sim, every=10)
        recorder.run(steps)
        trajectory = recorder.trajectory
        assert getattr(trajectory, column)[-1] < -least
        assert trajectory.balanced
        left.append(abs(trajectory.imbalance))
    assert left[1] < 0.02 * abs(trajectory.change)
    assert 1.8 < left[0] / left[1] < 4.5


def test_the_work_of_a_tendon_damper_and_of_the_medium_in_known_cases() -> None:
    cord = pb.load("m.xml", text=CORD.replace('stiffness="30" ', "").replace("1e-3", "1e-4"))
    recorder = Recorder(Stepper(cord, "loop"), every=100)
    recorder.run(5000)
    speed, c, m = recorder.trajectory.qvel[-1, 0], 20.0, 1.0
    terminal = 9.81 * m / c
    assert speed == pytest.approx(-terminal * (1 - np.exp(-c / m * 0.5)), rel=1e-3)
    fallen = terminal * (0.5 - m / c * (1 - np.exp(-c / m * 0.5)))
    assert recorder.trajectory.damped[-1] == pytest.approx(0.5 * m * speed**2 - m * 9.81 * fallen, rel=1e-3)
    water = Recorder(Stepper(pb.load("m.xml", text=WATER), "loop"), every=10)
    water.run(1000)
    assert water.trajectory.medium[-1] == pytest.approx(water.trajectory.change, rel=1e-3)


BOUNCED = """<mujoco><option timestep="{}" integrator="RK4"/><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 .5"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""


def test_a_balance_that_is_not_reliable(tmp_path: Path) -> None:
    """An impact that the time step does not resolve; the picture leaves the work of constraints out."""
    found = []
    for timestep in ("1e-2", "1e-4"):
        sim = Stepper(pb.load("m.xml", text=BOUNCED.format(timestep)), "loop")
        recorder = Recorder(sim, every=10)
        recorder.run(round(1 / float(timestep)))
        trajectory = recorder.trajectory
        assert trajectory.constrained.any()
        found.append(trajectory.balanced)
        plot(tmp_path / "p.svg", trajectory, sim.model)
        legend = "work of constraints" in (tmp_path / "p.svg").read_text()
        assert legend == trajectory.balanced
    assert found == [False, True]


def test_other_columns_are_of_the_instant_kept(tmp_path: Path) -> None:
    sim = Stepper(mjcf.model())
    recorder = Recorder(sim, every=2, columns=("actuator_force", "site_xpos", "qM", "time"))
    recorder.run(4)
    trajectory = recorder.trajectory
    assert set(trajectory.columns) == {"actuator_force", "site_xpos", "qM"}, "time is kept anyway"
    forward(sim.model, sim.data)
    for name, values in trajectory.columns.items():
        assert values.shape == (3, *getattr(sim.data, name).shape)
        assert np.array_equal(values[-1], getattr(sim.data, name))
    trajectory.save(tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as written:
        assert set(written) == {*KEPT, *trajectory.columns}
    for wrong in ("forces", "reset", "model"):
        with pytest.raises(ValueError, match=f"no column '{wrong}' that can be recorded"):
            Recorder(sim, columns=(wrong,))


def test_recording_steps_as_stepping_does() -> None:
    sim, plain = Stepper(everything()), Stepper(everything())
    Recorder(sim, every=3).run(100)
    plain.step(100)
    assert sim.data.get_state().tolist() == plain.data.get_state().tolist()


@pytest.mark.parametrize("every", [1, 7, 1000])
def test_the_dampers_account_for_the_energy_that_goes(every: int) -> None:
    sim = Stepper(pendulum(integrator="RK4", timestep=1e-3, damping=0.5))
    recorder = Recorder(sim, every)
    recorder.run(3000)
    trajectory = recorder.trajectory
    assert trajectory.change < -5
    assert abs(trajectory.imbalance) < 1e-5 * abs(trajectory.change)
    assert (np.diff(trajectory.damped) <= 0).all()


def test_what_was_kept_before_a_failure_remains() -> None:
    b = ModelBuilder(timestep=1.0)
    b.joint(b.body(mass=1, inertia=(1, 1, 1)), "slide", stiffness=1e6, qpos0=0.1)
    recorder = Recorder(Stepper(b.build()))
    with pytest.raises(SimulationError) as caught:
        recorder.run(1000)
    assert len(recorder.trajectory.time) == caught.value.time + 1


def test_a_trajectory_file_is_plain_arrays(tmp_path: Path) -> None:
    recorder = Recorder(Stepper(everything()))
    recorder.run(3)
    recorder.trajectory.save(tmp_path / "some.dat")
    with np.load(tmp_path / "some.dat", allow_pickle=False) as file:
        assert sorted(file.files) == sorted(KEPT)
        assert np.array_equal(file["xquat"], recorder.trajectory.xquat)


# --- the plot ----------------------------------------------------------------------------------------


def test_hull() -> None:
    rng = np.random.default_rng(1)
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]])
    inside = np.concatenate([rng.uniform(0.1, 0.9, (50, 2)), square, square, [[0.5, 0.0]]])
    assert hull(inside).tolist() == square.tolist()


def test_curves_show_lengths_and_angles() -> None:
    recorder = Recorder(Stepper(everything()))
    recorder.run(5)
    shown = curves(recorder.trajectory, everything())
    assert [(curve.label, curve.angle) for curve in shown] == [
        ("root x", False), ("root y", False), ("root z", False), ("rotation of root", True),
        ("rotation of shoulder", True), ("reach", False), ("turn", True), ("drill", True), ("door", True),
    ]  # fmt: skip
    assert shown[3].values[0] == pytest.approx(0, abs=1e-5)
    assert shown[8].values[0] == pytest.approx(np.degrees(0.2))


def shapes() -> ModelBuilder:
    """A body with every shape, with names that a plotting library might interpret."""
    b = ModelBuilder(HOSTILE + "$x_$")
    for shape in ShapeType:
        body = b.body(name=f"$\\frac{{{shape.name}$", mass=1, inertia=(1, 1, 1))
        b.joint(body, "hinge", axis=(0, 1, 0), name=f"${shape.name}_^{{")
        b.geom(body, shape, size=(0.1, 0.2, 0.3))
    return b


@pytest.mark.parametrize("which", ["everything", "pendulum", "shapes", "nothing"])
@pytest.mark.parametrize("steps", [0, 1, 50])
def test_any_model_can_be_drawn(which: str, steps: int, tmp_path: Path) -> None:
    model = {
        "everything": everything,
        "pendulum": pendulum,
        "shapes": shapes().build,
        "nothing": ModelBuilder().build,
    }[which]()
    recorder = Recorder(Stepper(model))
    recorder.run(steps)
    plot(tmp_path / "a.png", recorder.trajectory, model)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def drawn(model: pb.Model, path: Path, view: str) -> str:
    recorder = Recorder(Stepper(model, "loop"))
    recorder.run(2)
    plot(path, recorder.trajectory, model, view=view)
    return path.read_text()


def test_the_ground_is_drawn_where_it_is_seen_from_the_edge(tmp_path: Path) -> None:
    for fixed, views in ((True, ("front", "side", "auto")), (False, ())):
        b = ModelBuilder()
        body = b.body(mass=1, inertia=(1, 1, 1))
        b.joint(body, "free")
        b.geom(body, "sphere", size=(0.1, 0, 0))
        b.geom(0 if fixed else body, "plane", size=(1, 1, 1), pos=(0, 0, -0.3))
        for view in ("front", "side", "top", "auto"):
            text = drawn(b.build(), tmp_path / f"{view}.svg", view)
            assert (GROUND in text) == (view in views), (fixed, view)


def test_a_view_shows_its_axes(tmp_path: Path) -> None:
    model = pendulum()
    for view, axes in AXES.items():
        assert [f"<!-- {'xyz'[axis]}, m -->" in drawn(model, tmp_path / "a.svg", view) for axis in axes] == [
            True,
            True,
        ]


def test_the_silhouette_of_a_mesh_reaches_its_farthest_vertices(tmp_path: Path) -> None:
    corners = [(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)]
    faces = "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
    (tmp_path / "box.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + faces)
    path = tmp_path / "m.xml"
    path.write_text(
        '<mujoco><asset><mesh name="m" file="box.obj"/></asset>'
        '<worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    (found,) = _all_corners(pb.load(path))
    assert sorted(np.ptp(found, axis=0).tolist()) == pytest.approx([1, 2, 3])


def test_the_picture_says_where_the_potential_energy_is_zero(tmp_path: Path) -> None:
    model = pendulum()
    recorder = Recorder(Stepper(model))
    recorder.run(10)
    plot(tmp_path / "a.svg", recorder.trajectory, model)
    assert "energy, J (potential from its minimum)" in (tmp_path / "a.svg").read_text()


def test_drawing_without_matplotlib_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from polybody.simulation.plotting import plot\n"
        "try: plot('a.png', None, None)\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert done.stdout == "plots need matplotlib: pip install 'polybody[plot]'\n"
