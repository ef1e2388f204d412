"""`polybody info` and `polybody sim`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from polybody import load
from polybody.assembly.builder import ModelBuilder
from polybody.cli import app
from polybody.model.model import Model

from tests.runtime.mjcf import ARM
from tests.runtime.models import HOSTILE, chain, everything

PENDULUM = """<x_xy model="inv_pendulum">
    <options gravity="0 0 9.81" dt="0.01"/>
    <defaults>
        <geom color="white"/>
    </defaults>
    <worldbody>
        <body name="cart" joint="px" damping="0.01">
            <geom type="box" mass="1" dim="0.4 0.1 0.1"/>
            <body name="pendulum" joint="ry" euler="0 -90 0" damping="0.01">
                <geom type="box" mass="0.5" pos="0.5 0 0" dim="1 0.1 0.1"/>
            </body>
        </body>
    </worldbody>
</x_xy>
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "pendulum.xml"
    path.write_text(PENDULUM)
    return str(path)


def saved(model: Model, tmp_path: Path) -> str:
    path = tmp_path / "model.npz"
    model.save(path)
    return str(path)


def polybody(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code, result.output
    return result


# --- info --------------------------------------------------------------------------------------------


def test_info_shows_sizes_tree_masses_and_what_is_not_simulated(file: str) -> None:
    lines = polybody("info", file).stdout.splitlines()
    assert lines[0] == f"inv_pendulum {file}"
    assert lines[1] == "  2 bodies, 2 joints, 2 geoms; nq 2, nv 2, 3 entries in the mass matrix"
    assert lines[2] == "  time step 0.01 s, Euler, gravity 0 0 -9.81 m/s^2, total mass 1.5 kg"
    assert lines[4:7] == ["world", "└── cart  slide x  1 kg", "    └── pendulum  hinge y  0.5 kg"]
    (finding,) = lines[8:]
    assert finding.startswith(f"{file}:4:15: PB061 info: `color` of <geom> is read but not simulated")
    assert finding.endswith("colours have no effect on motion")


def test_standard_input_is_a_model_file(file: str) -> None:
    text = Path(file).read_text(encoding="utf-8")
    run = CliRunner().invoke
    assert (
        run(app, ["info", "-"], input=text).stdout.replace("<stdin>", file) == polybody("info", file).stdout
    )
    assert run(app, ["sim", "-", "--steps", "2"], input=text).exit_code == 0
    faulty = run(app, ["info", "-"], input=text.replace("joint=", "jiont="))
    assert (faulty.exit_code, "<stdin>:" in faulty.stderr, "pendulum" in faulty.stdout) == (1, True, True)
    odd = text.replace('joint="', 'strange="1" joint="', 1)
    for more in ([], ["--stdin-filename", "r.xml"]):
        said = run(app, ["info", "-", "--policy", "lenient", *more], input=odd).stderr
        assert f"`polybody {' '.join(['check', '-', *more])}` lists it" in said


def test_info_as_json(file: str) -> None:
    facts = json.loads(polybody("info", file, "--json").stdout)
    assert facts["sizes"] == {
        "nbody": 3, "njnt": 2, "ngeom": 2, "nq": 2, "nv": 2, "nu": 0, "na": 0, "nM": 3, "nsensordata": 0,
        "nkey": 0,
    }  # fmt: skip
    assert facts["total_mass"] == 1.5
    assert facts["options"]["timestep"] == 0.01
    assert [(body["name"], body["parent"]) for body in facts["bodies"]] == [
        ("world", None), ("cart", 0), ("pendulum", 1),
    ]  # fmt: skip
    assert facts["bodies"][2]["joints"][0]["type"] == "hinge"
    assert facts["bodies"][2]["joints"][0]["damping"] == [0.01]
    (finding,) = facts["findings"]
    assert (finding["path"], finding["line"], finding["column"], finding["code"]) == (file, 4, 15, "PB061")


@pytest.fixture
def arm(tmp_path: Path) -> str:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    return str(path)


def test_info_lists_actuators_sensors_and_keys(arm: str, tmp_path: Path) -> None:
    lines = polybody("info", arm).stdout.splitlines()
    listed = lines[lines.index("actuators") :]
    assert "    motor  joint 'hinge'  control -0.5 to 0.5" in listed
    assert "    exact  joint 'hinge'  gain affine, bias affine, dynamics filterexact" in listed
    assert "    actuator 11  site 'tip', 'wrist'  bias affine" in listed
    assert "    crank  slidercrank 'hook', 'rail'  bias affine" in listed
    assert listed[listed.index("sensors") + 1] == "    angle  jointpos, 1 number"
    assert listed[listed.index("keys") + 1 :][:2] == ["    rest", "    home"]
    facts = json.loads(polybody("info", arm, "--json").stdout)
    assert (facts["sizes"]["nu"], facts["sizes"]["na"], facts["sizes"]["nkey"]) == (16, 4, 2)
    assert facts["actuators"][0] == {
        "id": 0, "name": "motor", "acts_on": "joint 'hinge'", "dynamics": "none", "gain": "fixed",
        "bias": "none", "gear": [3, 0, 0, 0, 0, 0], "ctrlrange": [-0.5, 0.5],
    }  # fmt: skip
    assert facts["sensors"] == [{"id": 0, "name": "angle", "type": "jointpos", "numbers": 1}]
    assert facts["keys"] == ["rest", "home"]
    many = tmp_path / "many.xml"
    motors = '<motor joint="hinge"/>' * 50
    many.write_text(ARM.replace("<actuator>", f"<actuator>{motors}").replace("<key ", "<key ", 1))
    refused = polybody("info", str(many), code=1).output
    assert "ctrl" in refused, "keys no longer fit"
    many.write_text(ARM[: ARM.index("<keyframe>")].replace("<actuator>", f"<actuator>{motors}") + "</mujoco>")
    assert "    ... 26 more" in polybody("info", str(many)).stdout.splitlines()


def test_info_as_xml_is_the_model(file: str, tmp_path: Path) -> None:
    text = polybody("info", file, "--xml").stdout
    assert Model.from_xml(text).names["body"] == ("world", "cart", "pendulum")
    assert polybody("info", saved(Model.from_xml(text), tmp_path), "--xml").stdout == text


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("", "0 bodies"),
        ('<geom type="plane" size="1 1 1"/>', "0 bodies, 1 geom"),
        ("<body/>", "1 body"),
        (
            '<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint/></body>',
            "1 body, 1 joint; nq 1, nv 1, 1 entries in the mass matrix",
        ),
    ],
)
def test_info_counts_only_what_there_is(inside: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    assert polybody("info", str(path)).stdout.splitlines()[1] == f"  {said}"


def test_info_of_every_kind_of_joint(tmp_path: Path) -> None:
    lines = polybody("info", saved(everything(), tmp_path)).stdout.splitlines()
    assert [line.split("  ")[-2].strip() for line in lines[5:]] == [
        "free", "ball", "welded", "slide (0.707 0.707 0), hinge z", "screw y", "hinge y",
    ]  # fmt: skip


def test_info_of_names_that_are_no_names(tmp_path: Path) -> None:
    b = ModelBuilder(HOSTILE)
    b.body(name=HOSTILE, mass=1)
    b.body(name="[red]stop[/red]", mass=1)
    output = polybody("info", saved(b.build(), tmp_path)).stdout
    assert "\\nimport os\\r\\n\\tos.system" in output
    assert "[red]stop[/red]  welded" in output
    assert len(output.splitlines()) == 7


def test_info_of_a_deep_tree_counts_what_it_does_not_draw(tmp_path: Path) -> None:
    lines = polybody("info", saved(chain(2000), tmp_path)).stdout.splitlines()
    assert len(lines) < 40
    assert lines[-1].endswith("... 1976 more bodies")


def test_errors_of_a_file(tmp_path: Path, file: str) -> None:
    assert "cannot read" in polybody("info", str(tmp_path / "none.npz"), code=1).output
    np.savez(tmp_path / "motion.npz", qpos=np.zeros(3))
    said = polybody("info", str(tmp_path / "motion.npz"), code=1).output
    assert "not a file that polybody saved: it has other arrays, such as those of a trajectory" in said
    assert "none.xml" in polybody("info", str(tmp_path / "none.xml"), code=1).output
    Path(file).write_text(PENDULUM.replace('dim="1 0.1 0.1"', 'dim="1 0.1"'))
    assert f"{file}:10:" in polybody("sim", file, "--steps", "1", code=1).output
    Path(file).rename(tmp_path / "text.npz")
    said = polybody("info", str(tmp_path / "text.npz"), code=1).output
    assert said.endswith("text.npz is not a file that polybody saved\n")
    (tmp_path / "unweighed.xml").write_text("<mujoco><worldbody><body nmae='b'/></worldbody></mujoco>")
    said = polybody("info", str(tmp_path / "unweighed.xml"), code=1).output
    assert "the document has 1 body without explicit mass" in said


# --- sim ---------------------------------------------------------------------------------------------


def test_sim_reports_records_and_draws(file: str, tmp_path: Path) -> None:
    out, picture = tmp_path / "out.npz", tmp_path / "plot.png"
    result = polybody(
        "sim", file, "--seconds", "2", "--set", "pendulum=0.1", "--out", str(out), "--plot", str(picture)
    )
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines() if line[0] != "w")
    assert lines["kernels"] == "loop (POLYBODY_KERNELS=loop)"
    assert lines["simulated"] == "2 s, 201 instants recorded"
    assert "steps per second" in lines["speed"]
    assert "the dampers' work -" in lines["balance"]
    assert f"wrote {out}\nwrote {picture}\n" in result.stdout
    with np.load(out) as trajectory:
        assert trajectory["qpos"].shape == (201, 2)
        assert trajectory["qpos"][0].tolist() == [0, 0.1]
        assert trajectory["time"][-1] == pytest.approx(2)
    assert picture.stat().st_size > 10_000


def test_sim_turns_the_only_servo_of_a_ball_joint(tmp_path: Path) -> None:
    file = tmp_path / "ball.xml"
    file.write_text(
        '<mujoco><worldbody><body><joint name="b" type="ball"/><geom size=".1"/><site name="s"/></body>'
        '<site name="w"/></worldbody><actuator><orientation site="s" refsite="w"/><orientation joint="b"/>'
        "</actuator></mujoco>"
    )
    assert "work of actuators" not in polybody("sim", str(file), "--steps", "5").stdout
    moved = polybody("sim", str(file), "--steps", "5", "--ctrl", "b=1,0,.3").stdout
    assert "of actuators and applied forces +" in moved
    said = polybody("sim", str(file), "--steps", "5", "--ctrl", "b=1", code=2).output
    assert "the controls of 'b' must be 3 numbers, not 1" in said


def recorded(tmp_path: Path, *arguments: str) -> dict[str, np.ndarray]:
    out = tmp_path / "out.npz"
    polybody("sim", *arguments, "--out", str(out))
    with np.load(out) as trajectory:
        return dict(trajectory)


def test_sim_takes_options_instead_of_the_files(file: str, tmp_path: Path) -> None:
    coarse = recorded(tmp_path, file, "--steps", "10", "--dt", "0.1", "--integrator", "RK4", "--every", "5")
    assert coarse["time"] == pytest.approx([0, 0.5, 1])
    placed = recorded(tmp_path, file, "--steps", "0", "--qpos", "0.5, 1", "--qvel=-1 2")
    assert (placed["qpos"].tolist(), placed["qvel"].tolist()) == ([[0.5, 1]], [[-1, 2]])
    long = recorded(tmp_path, file, "--steps", "10000")
    assert len(long["time"]) == 2001


def test_sim_sets_joints_and_bodies_by_name(tmp_path: Path) -> None:
    path = saved(everything(), tmp_path)
    placed = recorded(tmp_path, path, "--steps", "0", "--set", "turn=0.5", "--set", "root=1,2,3,1,0,0,0")
    assert placed["qpos"][0, :7].tolist() == [1, 2, 3, 1, 0, 0, 0]
    assert placed["qpos"][0, 12] == 0.5
    placed = recorded(tmp_path, path, "--steps", "0", "--set", "hand=0.25 0.75")
    assert placed["qpos"][0, 11:13].tolist() == [0.25, 0.75]


def test_sim_starts_from_a_key_and_lets_controls_act(arm: str, tmp_path: Path) -> None:
    for key in ("home", "1"):
        placed = recorded(tmp_path, arm, "--steps", "0", "--key", key, "--set", "turn=0.25")
        assert placed["qpos"][0].tolist() == [0, 0, 2, 1, 0, 0, 0, 0.1, 0.2, 1, 0, 0, 0, 0.25, 0.4]
        assert placed["time"].tolist() == [1.5]
    driven = recorded(
        tmp_path, arm, *("--steps", "3", "--key", "rest", "--ctrl", "motor=0.25", "--ctrl", "servo=-1"),
        *("--record", "actuator_force", "--record", "ctrl", "--every", "1"),
    )  # fmt: skip
    assert driven["ctrl"][:, :2].tolist() == [[0.25, -1]] * 4
    assert driven["actuator_force"].shape == (4, 16)
    assert driven["actuator_force"][:, :2].tolist() == [[0.25, -1]] * 4
    free = recorded(tmp_path, arm, "--steps", "3", "--ctrl", "motor=0.25", "--disable", "actuation")
    idle = recorded(tmp_path, arm, "--steps", "3", "--disable", "actuation")
    assert free["qpos"].tolist() == idle["qpos"].tolist()


NAMELESS = """<mujoco><worldbody><body><joint name="lift" axis="0 1 0"/><geom size=".1"/>
<body pos="1 0 0"><joint name="turn" axis="0 1 0"/><geom size=".1"/></body></body></worldbody>
<actuator><motor joint="turn"/><motor joint="lift"/></actuator></mujoco>"""


def test_actuators_without_a_name_are_selected_by_number_or_joint(tmp_path: Path) -> None:
    path = tmp_path / "nameless.xml"
    path.write_text(NAMELESS)
    for options in (("0=0.5", "1=-2"), ("turn=0.5", "lift=-2"), ("turn=0.5", "1=-2")):
        given = [word for option in options for word in ("--ctrl", option)]
        driven = recorded(tmp_path, str(path), "--steps", "1", "--record", "ctrl", *given)
        assert driven["ctrl"][-1].tolist() == [0.5, -2]


MUSCLE = """<mujoco><compiler><lengthrange mode="none"/></compiler>
<worldbody><site name="a" pos="1 0 0"/><body><joint/><geom size=".1" pos="0 .2 0"/>
<site name="b" pos="0 .5 0"/></body></worldbody>
<tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>
<actuator><muscle tendon="t"/></actuator></mujoco>"""


def test_sim_switches_parts_off(tmp_path: Path) -> None:
    path = tmp_path / "muscle.xml"
    path.write_text(MUSCLE)
    refused = polybody("sim", str(path), "--steps", "1", code=2).output
    assert "a muscle without `lengthrange`" in " ".join(refused.split())
    polybody("sim", str(path), "--steps", "1", "--disable", "actuation")
    path = tmp_path / "falling.xml"
    path.write_text("""<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .05"><freejoint/>
    <geom type="ellipsoid" size=".1 .1 .2"/></body></worldbody></mujoco>""")
    assert recorded(tmp_path, str(path), "--steps", "10")["qpos"][-1, 2] > 0.05
    fallen = recorded(tmp_path, str(path), "--steps", "10", "--disable", "contact")
    assert fallen["qpos"][-1, 2] < 0.05
    model = saved(load(str(path)), tmp_path)
    floating = recorded(tmp_path, model, "--steps", "10", "--disable", "contact", "--disable", "gravity")
    assert floating["qpos"][-1, 2] == 0.05


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--key", "hom"], "--key: no key is called 'hom'; did you mean 'home'?"),
        (["--key", "2"], "there is no key 2: there are 2"),
        (["--ctrl", "motor"], "--ctrl motor: expected NAME=VALUE"),
        (["--ctrl", "moter=1"], "--ctrl moter=1: no actuator is called 'moter'; did you mean 'motor'"),
        (["--ctrl", "motor=1,2"], "the control of 'motor' must be one number, not 2"),
        (["--ctrl", "motor=fast"], "--ctrl motor=fast: expected numbers, not 'fast'"),
        (["--record", "forces"], "--record: a simulation has no column 'forces' that can be recorded"),
        (["--record", "sensrdata"], "can be recorded; did you mean `sensordata`?"),
        (["--disable", "contacts"], "--disable: 'contacts' is not a flag; did you mean `contact`"),
    ],
)
def test_wrong_words_of_mjcf_end_with_two(arm: str, arguments: list[str], said: str) -> None:
    assert said in polybody("sim", arm, "--steps", "1", *arguments, code=2).output


def test_a_control_that_is_no_number_names_its_actuator(arm: str) -> None:
    said = polybody("sim", arm, "--steps", "1", "--ctrl", "servo=nan", code=1).output
    assert "ctrl of actuator 1 'servo'; ctrl was NaN or infinite before the step" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give either --steps or --seconds"),
        (["--steps", "1", "--seconds", "1"], "give either --steps or --seconds"),
        (["--steps", "-1"], "--steps"),
        (["--seconds", "inf"], "--seconds inf"),
        (["--seconds", "nan"], "--seconds"),
        (["--steps", "1", "--dt", "-1"], "--dt -1: expected a positive number"),
        (["--steps", "1", "--dt", "nan"], "--dt nan: expected a positive number"),
        (["--steps", "1", "--integrator", "euler"], "RK4"),
        (["--steps", "1", "--qpos", "1"], "qpos must have shape (2,)"),
        (["--steps", "1", "--qpos", "a b"], "--qpos: expected numbers, not 'a b'"),
        (["--steps", "1", "--set", "pendulum"], "--set pendulum: expected NAME=VALUE"),
        (["--steps", "1", "--set", "pendlum=1"], "no joint is called 'pendlum'"),
        (["--steps", "1", "--set", "pendulum=1,2"], "have 1 coordinates, not 2"),
        (["--steps", "1", "--kernels", "fast"], "specialized"),
        (["--steps", "1", "--every", "0"], "--every"),
        (["--steps", "1", "--seed", "-1"], "--seed"),
        (
            ["--steps", "1", "--out", "/nowhere/at/all.npz"],
            "--out /nowhere/at/all.npz: the folder does not exist",
        ),
        (["--steps", "1", "--plot", "plot.doc"], "doc"),
    ],
)
def test_wrong_usage_ends_with_two(file: str, arguments: list[str], said: str) -> None:
    assert said in polybody("sim", file, *arguments, code=2).output


def test_a_simulation_that_fails_says_where_and_ends_with_one(tmp_path: Path) -> None:
    b = ModelBuilder(timestep=1.0)
    b.joint(b.body(name="wild", mass=1, inertia=(1, 1, 1)), "slide", name="spring", stiffness=1e6, qpos0=0.1)
    out = tmp_path / "out.npz"
    result = polybody("sim", saved(b.build(), tmp_path), "--steps", "1000", "--out", str(out), code=1)
    assert "s failed: qacc of body 1" in result.output
    assert "body 1 'wild', joint 0 'spring'" in result.output
    with np.load(out) as trajectory:
        assert np.isfinite(trajectory["qpos"]).all()


UNNAMED = """<mujoco><worldbody><body><joint name="hip"/>
<joint name="knee" axis="0 1 0"/><joint name="toe" axis="1 0 0"/>
<geom size=".1" pos=".2 0 0"/></body></worldbody><actuator><motor joint="knee"/><motor joint="hip"/>
<position joint="knee" kp="2"/></actuator></mujoco>"""


def test_actuators_without_names(tmp_path: Path) -> None:
    path = tmp_path / "unnamed.xml"
    path.write_text(UNNAMED)
    out = str(tmp_path / "out.npz")
    given = ("--ctrl", "0=0.5", "--ctrl", "hip=0.25", "--record", "ctrl")
    polybody("sim", str(path), "--steps", "2", *given, "--out", out)
    with np.load(out) as found:
        assert found["ctrl"][-1].tolist() == [0.5, 0.25, 0]
    for setting, said in (
        ("knee=1", "2 actuators drive the joint 'knee': give one of the numbers 0, 2"),
        ("toe=1", "no actuators drive the joint 'toe'"),
        ("3=1", "--ctrl 3=1: "),
        ("ankle=1", "no actuator is called 'ankle'"),
    ):
        assert said in " ".join(
            polybody("sim", str(path), "--steps", "1", "--ctrl", setting, code=2).output.split()
        )


def test_only_what_diverges_ends_with_one(tmp_path: Path) -> None:
    """The speed is that of the steps that were asked for, whatever happens later."""
    b = ModelBuilder(timestep=0.0078125)
    b.joint(b.body(name="wild", mass=1, inertia=(1, 1, 1)), "slide", name="spring", stiffness=1e6, qpos0=0.1)
    model = saved(b.build(), tmp_path)
    said = polybody("sim", model, "--steps", "3").output
    assert "the simulation diverges" not in said
    assert "steps per second" in said
    assert "not measured: the simulation diverges" in polybody("sim", model, "--steps", "100", code=1).output
    assert "not measured\n" in polybody("sim", model, "--steps", "0").output


def test_a_balance_says_what_it_does_not_explain(tmp_path: Path) -> None:
    ball = tmp_path / "ball.xml"
    ball.write_text(
        "<mujoco><option timestep='.01' integrator='RK4' density='1.2' viscosity='1e-5'/><worldbody>"
        "<geom type='plane' size='1 1 1'/><body pos='0 0 .5'><freejoint/><geom size='.1'/></body>"
        "</worldbody></mujoco>"
    )
    coarse = polybody("sim", str(ball), "--seconds", "1").stdout
    assert ", not reliable: impacts are not resolved by this time step\n" in coarse
    assert "J, of the medium -" in coarse
    assert "not reliable" not in polybody("sim", str(ball), "--seconds", "1", "--integrator", "Euler").stdout


BROKEN = {
    "mjcf": '<mujoco><worldbody><body name="a"><joint type="free"/><joint/><geom size="1" mass="2"/>'
    '<body name="b"><inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/></body></body></worldbody></mujoco>',
    "x_xy": '<x_xy><worldbody><body name="a" joint="none"><geom type="sphere" mass="2" dim="1"/>'
    '<body name="b" joint="rx"><geom type="sphere" mass="3" dim="1"/></body></body></worldbody></x_xy>',
    "urdf": '<robot name="r"><link name="a"><inertial><mass value="2"/><inertia ixx="0" ixy="0" ixz="0" '
    'iyy="1" iyz="0" izz="1"/></inertial></link><link name="b"><inertial><mass value="3"/><inertia ixx="9" '
    'ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><joint name="j" type="none">'
    '<parent link="a"/><child link="b"/></joint></robot>',
    "sdf": '<sdf version="1.9"><model name="m"><link name="a"><inertial><mass>2</mass></inertial></link>'
    '<link name="b"><inertial><mass>3</mass></inertial></link><joint name="j" type="none"><parent>a</parent>'
    "<child>b</child></joint></model></sdf>",
    "skel": '<skel version="1.0"><world name="w"><physics/><skeleton name="s"><body name="a"><inertia>'
    '<mass>2</mass></inertia></body><body name="b"><inertia><mass>3</mass></inertia></body>'
    '<joint name="j" type="none"><parent>a</parent><child>b</child></joint></skeleton></world></skel>',
    "openrave": '<KinBody name="k"><Body name="a"><Mass type="custom"><total>2</total></Mass></Body>'
    '<Body name="b"><Mass type="custom"><total>3</total><inertia>-9 0 0 0 1 0 0 0 1</inertia></Mass></Body>'
    '<Joint name="j" type="hinge">'
    "<Body>a</Body><Body>b</Body></Joint></KinBody>",
}


@pytest.mark.parametrize("name", BROKEN)
def test_info_of_a_document_without_a_model_shows_its_bodies(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"broken.{'xml' if name != 'skel' else name}"
    path.write_text(BROKEN[name], encoding="utf-8")
    said = polybody("info", str(path), code=1)
    assert "2 bodies with 5 kg" in said.output
    lines = said.output.splitlines()
    assert "    a  2 kg" in lines
    assert "        b  3 kg" in lines
    found = json.loads(polybody("info", str(path), "--json", code=1).stdout)
    assert found["bodies"] == [
        {"name": "a", "parent": None, "mass": 2.0},
        {"name": "b", "parent": "a", "mass": 3.0},
    ]
    assert found["findings"]
