"""Mistakes of new users and their messages: wrong types, wrong names, wrong shapes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from click.testing import CliRunner
from polybody import lowering
from polybody.cli import app
from polybody.mujoco_names import INSTEAD
from polybody.simulation.recording import Recorder

ROOT = Path(__file__).resolve().parents[2]
ARM = """<mujoco model="arm"><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="hand" pos="0 0 .09"><joint name="hinge" type="slide" axis="0 0 1"/>
<geom name="ball" size=".1"/><site name="tip"/></body></worldbody>
<keyframe><key name="home" qpos="0"/></keyframe></mujoco>"""
ROBOT = """<robot name="r"><link name="world"/><link name="a"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="world"/><child link="a"/><axis xyz="0 0 1"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def model() -> pb.Model:
    return pb.load("arm.xml", text=ARM)


@pytest.fixture
def data(model: pb.Model) -> pb.Data:
    found = pb.Data(model)
    pb.forward(model, found)
    return found


@pytest.mark.parametrize("make", [pb.Data, pb.Stepper, lambda model: pb.BatchStepper(model, 2)])
@pytest.mark.parametrize("thing", ["arm.xml", pb.mjcf.Mujoco()])
def test_what_takes_a_model_says_how_one_is_made(make: Callable[[Any], object], thing: object) -> None:
    with pytest.raises(TypeError, match=r"needs a Model, not (str|Mujoco); polybody.load\(path\) makes one"):
        make(thing)


def test_arguments_in_the_wrong_order(model: pb.Model, data: pb.Data) -> None:
    with pytest.raises(TypeError, match="expected a Model, then a Data of it"):
        pb.forward(data, model)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"polcy": "warn"}, "mjcf has no option 'polcy'; did you mean `policy`"),
        ({"seed": 1}, "mjcf has no option 'seed'; its options are policy"),
        ({"timestep": 1e-3}, r"no option 'timestep'; load\(path\)\.replace\(opt_timestep=...\) makes"),
        ({"packages": "robot"}, "packages must map names to folders"),
    ],
)
def test_arguments_of_load(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        pb.load("arm.xml", text=ARM, **options)


def test_an_argument_of_load_given_to_lower() -> None:
    with pytest.raises(TypeError, match=r"'packages' is an argument of polybody.read and polybody.load"):
        pb.lower(pb.read("arm.xml", text=ARM), packages={})


def test_what_is_loaded() -> None:
    with pytest.raises(TypeError, match=r"not a document; polybody.lower makes a Model of a document"):
        pb.load(pb.mjcf.Mujoco())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected the path of a file, not its content"):
        pb.load(ARM)
    with pytest.raises(ValueError, match="unknown format 'mjfc'; did you mean `mjcf`"):
        pb.load("arm.xml", text=ARM, format="mjfc")
    with pytest.raises(pb.ValidationError, match="the file seems to be mjcf"):
        pb.read_urdf("arm.xml", text=ARM)


def test_a_saved_model_is_no_document(tmp_path: Path, model: pb.Model) -> None:
    model.save(tmp_path / "arm.npz")
    with pytest.raises(pb.ValidationError, match=r"polybody.Model.load reads Models"):
        pb.load(tmp_path / "arm.npz")


def test_folders_as_one_string(tmp_path: Path) -> None:
    """Such as the value of ROS_PACKAGE_PATH."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for folders in (f"{tmp_path / 'a'}:{tmp_path / 'b'}", str(tmp_path), tmp_path, [tmp_path]):
        assert pb.load("arm.xml", text=ARM, package_path=folders, roots=folders).nbody == 2
    with pytest.raises(ValueError, match="the folder missing of a package"):
        pb.load("arm.xml", text=ARM, package_path=f"{tmp_path}:missing")


def test_changes_of_a_model_name_replace(model: pb.Model) -> None:
    for view, name, column in (
        (model.opt, "timestep", "opt_timestep"),
        (model.body("hand"), "mass", "body_mass"),
        (model.joint("hinge"), "range", "jnt_range"),
    ):
        with pytest.raises(AttributeError, match=rf"model.replace\({column}=...\) makes another"):
            setattr(view, name, 1.0)
    with pytest.raises(TypeError, match="did you mean `body_mass`"):
        model.replace(body_mas=[0, 1])
    with pytest.raises(pb.ModelError, match=r"body_mass has shape \(\); expected \(2,\)"):
        model.replace(body_mass=3)


def test_arguments_of_rays_and_jacobians(model: pb.Model, data: pb.Data) -> None:
    with pytest.raises(ValueError, match=r"pos must have the shape"):
        pb.ray(model, data, [0, 0], [0, 0, 1])
    with pytest.raises(ValueError, match=r"direction must have the shape \(3,\), got \(2,\)"):
        pb.ray(model, data, [0, 0, 1], [0, 1])
    with pytest.raises(TypeError, match="give exactly one of body, com, geom, site, not 0"):
        pb.jacobian(model, data)


def test_contacts_as_in_mujoco(data: pb.Data) -> None:
    contact = data.contact
    assert contact.dist.tolist() == contact["dist"].tolist() == [contact[0].dist]
    assert contact[0].geom.tolist() == [contact.geom1[0], contact.geom2[0]] == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        contact.dist[0] = 1


def test_where_the_state_of_a_stepper_is(model: pb.Model) -> None:
    with pytest.raises(AttributeError, match=r"it is in `data`: stepper.data.qpos"):
        pb.Stepper(model, "loop").qpos  # type: ignore[attr-defined]  # noqa: B018
    batch = pb.BatchStepper(model, 2, kernels="loop", results=("xpos",))
    for name, said in (
        ("site_xpos", 'BatchStepper(model, n, results=("site_xpos",))'),
        ("xpos", 'it is batch.results["xpos"]'),
        ("contact", "batch.instance(i) is the Data of one simulation"),
    ):
        with pytest.raises(AttributeError) as caught:
            getattr(batch, name)
        assert said in str(caught.value)


def test_contacts_are_recorded(model: pb.Model) -> None:
    recorder = Recorder(pb.Stepper(model, "loop"), columns=("ncon", "xpos"))
    recorder.run(3)
    motion = recorder.trajectory
    assert motion.ncon.sum() == len(motion.contact_geom) > 0
    assert {tuple(pair) for pair in motion.contact_geom.tolist()} == {(0, 1)}
    for name in ("contact", "efc_force"):
        with pytest.raises(ValueError, match="its size may change in each step"):
            Recorder(pb.Stepper(model, "loop"), columns=(name,))


def test_elements_that_are_none() -> None:
    document = pb.read("arm.xml", text=ARM)
    for thing, said in (("hand", "see document.find"), (None, "returns None if there is none")):
        for edit in (lambda node: pb.rename(document, node, "x"), lambda node: pb.delete(document, node)):
            with pytest.raises(TypeError, match=said):
                edit(thing)
    with pytest.raises(KeyError, match="<joint> has no attribute 'dampin'; did you mean `damping`"):
        pb.resolve(document).get(document.find("joint", "hinge"), "dampin")


def test_values_of_a_wrong_type() -> None:
    joint, geom = pb.mjcf.Joint(damping="a"), pb.mjcf.Geom(rgba="1 0 0 1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"joint/@damping: 'a' .*; expected 1 number"):
        pb.write(joint)
    with pytest.raises(ValueError, match=r"geom/@rgba: '1 0 0 1' .*; expected 4 numbers"):
        pb.write(geom)
    with pytest.raises(ValueError, match=r"expected a JointType, such as JointType.FREE"):
        pb.write(pb.mjcf.Joint(type=3))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`parent` of <joint> must be a <parent> element, not 'a'"):
        pb.urdf.Joint(parent="a")  # type: ignore[arg-type]


def test_keywords_are_strings() -> None:
    robot = pb.read_urdf("robot.urdf", text=ROBOT)
    joint = robot.find(pb.urdf.Joint)
    assert joint is not None
    assert joint.type == "continuous"
    assert f"{joint.type}" == "continuous"
    joint.type = "continuous"  # type: ignore[assignment]
    assert robot == pb.read_urdf("robot.urdf", text=ROBOT)
    assert pb.urdf.DrakeJoint(type=pb.urdf.DrakeJointType.PLANAR).type == pb.urdf.JointType.PLANAR
    with pytest.raises(ValueError, match="is not a value of this attribute"):
        pb.write(pb.mjcf.Geom(type=pb.mjcf.JointType.HINGE))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [ARM, ROBOT])
def test_native_coordinates_have_a_length(text: str) -> None:
    native = lowering.lowered(pb.read("x.xml", text=text)).native
    assert "nq 1, nv 1" in repr(native)
    for convert in (native.q, native.qpos):
        assert convert([0.1]).shape == (1,)
        with pytest.raises(ValueError, match=r"must have the shape \(1,\) or \(..., 1\), got \(2,\)"):
            convert([0.1, 0.2])
    with pytest.raises(ValueError, match="qvel must have the shape"):
        native.v([0.1], np.zeros(3))


def test_names_of_the_package() -> None:
    names = dir(pb)
    assert {"load", "Model", "mjcf", "urdf", "__version__"} <= set(names)
    assert not {"Any", "import_module", "TYPE_CHECKING"} & set(names)
    assert len(repr(pb.mjcf.FORMAT)) < 80


def test_the_last_part_of_a_name_is_recognised() -> None:
    parts = '<body name="cart"/><joint name="j" type="free"><parent>world</parent><child>cart</child></joint>'
    skeletons = "".join(f'<skeleton name="{name}">{parts}</skeleton>' for name in "ab")
    model = pb.load("x.skel", text=f'<skel version="1.0"><world name="w">{skeletons}</world></skel>')
    with pytest.raises(KeyError, match="did you mean 'a::cart' or 'b::cart'"):
        model.body("cart")


def test_arrays_of_a_batch_are_assigned_and_missing_ones_explained() -> None:
    model = pb.load("p.xml", text=PENDULUM_OF_BATCH)
    batch = pb.BatchStepper(model, 3, kernels="loop", parameters=("body_mass",), results=("xpos",))
    batch.parameters["body_mass"] = 2 * model.body_mass
    batch.parameters["body_mass"] *= np.array([[1.0], [2.0], [3.0]])
    assert batch.instance_model(2).body_mass.tolist() == (6 * model.body_mass).tolist()
    assert list(batch.parameters) == ["body_mass"]
    assert repr(batch.results) == "<xpos (3, 2, 3)>"
    with pytest.raises(KeyError, match=r"no 'xpso'; did you mean `xpos`\?"):
        batch.results["xpso"]
    with pytest.raises(KeyError, match=r"steps do not compute cvel: BatchStepper\(model, n, results="):
        batch.results["cvel"]
    with pytest.raises(KeyError, match="dof_damping is not a parameter of this batch"):
        batch.parameters["dof_damping"]
    with pytest.raises(ValueError, match=r"body_mass must have shape \(3, 2\)"):
        batch.parameters["body_mass"] = np.ones(5)


PENDULUM_OF_BATCH = (
    """<mujoco><worldbody><body><joint/><geom size="0.1" pos="0 0 -1"/></body></worldbody></mujoco>"""
)


def test_sim_says_how_faster_kernels_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And that they are being compiled, or that it waits for the compiler."""
    monkeypatch.setenv("POLYBODY_CACHE", str(tmp_path / "empty"))
    monkeypatch.setattr(pb.Stepper, "progress", property(lambda stepper: "compiling"))
    path = tmp_path / "p.xml"
    path.write_text(PENDULUM_OF_BATCH)
    for wanted, said in (("auto", True), ("loop", False)):
        shown = CliRunner().invoke(app, ["sim", str(path), "--steps", "1", "--kernels", wanted]).stdout
        assert ("`polybody compile`, or --kernels specialized" in shown) == said, shown
    waited = "compiling kernels for 'MuJoCo Model' (some seconds, once)"
    for count in (1, 0):  # the second time it is in the cache
        result = CliRunner().invoke(app, ["sim", str(path), "--steps", "1", "--kernels", "specialized"])
        assert result.stderr.count(waited) == count, result.stderr


def test_attributes_that_do_not_exist(model: pb.Model) -> None:
    sim, batch = pb.Stepper(model, "loop"), pb.BatchStepper(model, 2, kernels="loop")
    with pytest.raises(AttributeError, match=r"has no attribute 'qpso'; did you mean `qpos`\?"):
        _ = batch.qpso  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"no attribute 'stpe'; did you mean `step`\?"):
        sim.stpe()  # type: ignore[attr-defined]
    with pytest.raises(
        AttributeError, match=r"'BatchStepper' object has no attribute 'crtl'; did you mean `ctrl`\?"
    ):
        batch.crtl = 1
    for owner in (sim, sim.data):
        with pytest.raises(AttributeError, match="no attribute 'crtl'"):
            owner.crtl = 1  # type: ignore[union-attr]
    with pytest.raises(AttributeError, match="qacc"):
        batch.qacc = 1  # type: ignore[misc]


def test_controls_of_a_batch_as_the_second_argument(model: pb.Model) -> None:
    driven = pb.load(
        "arm.xml", text=ARM.replace("<keyframe>", '<actuator><motor joint="hinge"/></actuator><keyframe>')
    )
    one, other = (pb.BatchStepper(driven, 3, kernels="loop") for _ in range(2))
    ctrl = np.arange(3.0)[:, None]
    one.step(5, ctrl)
    other.step(5, ctrl=ctrl)
    assert one.get_state().tolist() == other.get_state().tolist()
    assert one.ctrl.tolist() == ctrl.tolist()


def test_names_of_mujoco_in_the_module() -> None:
    """Each name in the table of docs/mujoco.md has an answer, which is in that table."""
    page = (ROOT / "docs" / "mujoco.md").read_text()
    rows = [line.split(" | ", 1) for line in page.splitlines() if line.startswith("| `") and " | " in line]
    named = {name for left, _ in rows for name in re.findall(r"\b(?:mj_\w+|Mj[A-Z]\w+)", left)}
    assert named == {name for name in INSTEAD if re.match("mj_|Mj", name)}
    for name, written in INSTEAD.items():
        with pytest.raises(AttributeError, match=r"docs/mujoco\.md") as caught:
            getattr(pb, name)
        assert written in str(caught.value)
        call = written.partition("(")[0].rpartition(" ")[2]
        assert call in page, written
    for name in ("mju_mat2Quat", "mjtJoint", "MjvScene", "mj_crb"):
        with pytest.raises(AttributeError, match=f"'{name}'; docs/mujoco.md shows"):
            getattr(pb, name)
    with pytest.raises(AttributeError, match=r"no attribute 'lod'; did you mean `load`\?"):
        _ = pb.lod
    assert not hasattr(pb, "rerun")
