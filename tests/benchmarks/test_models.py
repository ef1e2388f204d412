"""The benchmarks' models are the robots that other engines read, with everything that smooth dynamics
needs.
"""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from polybody.codegen.physics.forward import forces
from polybody.generated.model import JointType

from benchmarks.engine import random_states
from benchmarks.models import MODELS, load, robots
from benchmarks.models.mujoco_models import from_mujoco, offsets
from benchmarks.models.pinocchio_models import Coordinates, from_pinocchio
from benchmarks.ours import reference

DOFS = {
    "iiwa": 7, "panda": 7, "ur5": 6, "kinova": 6, "anymal": 18, "g1": 35, "talos": 38, "romeo": 37,
    "humanoid": 27, "half-cheetah": 9, "chain of 10": 10, "chain of 100": 100, "chain of 400": 400,
    "chain of 1000": 1000,
}  # fmt: skip


def test_every_model_has_its_degrees_of_freedom() -> None:
    assert {name: load(name).nv for name in MODELS} == DOFS


@pytest.mark.parametrize("name", robots.URDF)
def test_a_urdf_keeps_its_mass_and_its_joints(name: str) -> None:
    robot, model = robots.pinocchio_model(name), load(name)
    hanging = sum(load.mass for load in robot.inertias[1:])
    assert model.body_mass.sum() == pytest.approx(hanging, rel=1e-15)
    assert model.names["joint"] == tuple(robot.names[1:])


def test_coordinates_place_every_body_where_pinocchio_does() -> None:
    from polybody import Data, forward_kinematics

    model, robot = load("kinova"), robots.pinocchio_model("kinova")
    qpos = np.random.default_rng(0).uniform(-3, 3, (4, model.nq))
    data, theirs = Data(model), robot.createData()
    for ours, q in zip(qpos, Coordinates(model, robot).positions(qpos), strict=True):
        data.qpos = ours
        forward_kinematics(model, data)
        pin.forwardKinematics(robot, theirs, q)
        expected = np.array([place.translation for place in theirs.oMi])
        np.testing.assert_allclose(data.xpos, expected, rtol=0, atol=1e-14)


def test_every_joint_of_a_model_is_known() -> None:
    robot = pin.Model()
    parent = 0
    axis = np.array([0.6, 0.0, 0.8])
    for joint in (
        *(pin.JointModelFreeFlyer(), pin.JointModelSpherical(), pin.JointModelTranslation()),
        *(pin.JointModelRY(), pin.JointModelPX(), pin.JointModelRUBX(), pin.JointModelHZ(0.2)),
        *(pin.JointModelRevoluteUnaligned(axis), pin.JointModelPrismaticUnaligned(axis)),
        pin.JointModelHelicalUnaligned(axis, -0.3),
    ):
        parent = robot.addJoint(parent, joint, pin.SE3.Random(), joint.shortname() + str(parent))
        robot.appendBodyToJoint(parent, pin.Inertia(1.0, np.ones(3), np.eye(3)), pin.SE3.Identity())
    model = from_pinocchio(robot)
    kinds = [JointType(code).name for code in model.jnt_type]
    assert " ".join(kinds) == "free ball slide slide slide hinge slide hinge screw hinge slide screw"
    np.testing.assert_allclose(model.jnt_pitch[[8, 11]], [0.2, -0.3])
    np.testing.assert_allclose(model.jnt_axis[[9, 10, 11]], [axis] * 3)
    assert Coordinates(model, robot).positions(np.zeros((1, model.nq))).shape == (1, robot.nq)
    robot.addJoint(parent, pin.JointModelPlanar(), pin.SE3.Identity(), "table")
    with pytest.raises(ValueError, match="'table' is Planar, which a Model has not"):
        from_pinocchio(robot)


MJCF = """
<mujoco><option {option}/><worldbody><body>
  <joint name="a" type="slide" ref="0.3" springref="0.5" stiffness="2"/>
  <joint name="b" type="hinge" axis="0 1 0" pos="0.1 0 0" ref="20" damping="0.4" armature="0.1"/>
  <geom size="0.1" mass="1" pos="0.2 0 0"/>{body}
</body></worldbody>{rest}</mujoco>"""


def test_coordinates_of_mjcf_count_from_its_references() -> None:
    compiled = mujoco.MjModel.from_xml_string(MJCF.format(option="", body="", rest=""))
    np.testing.assert_allclose(offsets(compiled), [0.3, np.pi / 9])
    model = from_mujoco(compiled)
    np.testing.assert_array_equal(model.qpos0, [0, 0])
    np.testing.assert_allclose(model.qpos_spring, [0.2, -np.pi / 9])
    np.testing.assert_array_equal(model.dof_stiffness, [2, 0])


TENDON = '<tendon><fixed stiffness="{}"><joint joint="b" coef="1"/></fixed></tendon>'


@pytest.mark.parametrize(
    ("what", "parts"),
    [
        ("a fluid", {"option": 'density="1.2"'}),
        ("an implicit integrator", {"option": 'integrator="implicitfast"'}),
        ("no gravity", {"option": ">" + '<flag gravity="disable"/></option><option'}),
        ("gravity compensation", {"body": '<body gravcomp="1"><geom size="0.1"/></body>'}),
        ("tendons with springs or dampers", {"rest": TENDON.format(1)}),
        ("actuators with a bias", {"rest": '<actuator><position joint="b" kp="1"/></actuator>'}),
    ],
)
def test_what_a_model_cannot_hold_is_refused_by_name(what: str, parts: dict[str, str]) -> None:
    text = MJCF.format(**{"option": "", "body": "", "rest": "", **parts})
    with pytest.raises(ValueError, match=f"robot: {what}"):
        from_mujoco(mujoco.MjModel.from_xml_string(text), "robot")


def test_what_acts_on_nothing_is_not_refused() -> None:
    text = MJCF.format(option="", body="", rest=TENDON.format(0))
    assert from_mujoco(mujoco.MjModel.from_xml_string(text)).nv == 2


def test_operations_are_counted_on_numbers_that_compute_the_same() -> None:
    model = load("chain of 10")
    q, v, _ = random_states(model)
    columns = {**model.columns, **model.kernel.arrays}
    plain, counting = reference.Reference(columns), reference.CountingReference(columns)
    for name, values in (("qpos", q[0]), ("qvel", v[0])):
        plain.data[name][:] = values
        counting.data[name][:] = [reference.Counted(x) for x in values]
    reference.Counted.done = 0
    for machine in (plain, counting):
        machine.call(forces)
    assert counting.data["qacc"].tolist() == plain.data["qacc"].tolist()
    assert reference.Counted.done == reference.operations(columns, (q[0], v[0]), forces)
    assert 10 * 300 < reference.Counted.done < 10 * 1000
