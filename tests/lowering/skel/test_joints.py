"""Joints of SKEL: poses of bodies, joint forces, DART's coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.generated.model import JointType, Prescription
from polybody.lowering.skel.coordinates import exponential
from polybody.rotations.arrays import matrix, rotation_vector
from scipy.spatial.transform import Rotation

from .documents import HEAVY, axis, body, joint, made, refused, said

TURNED = "<transformation>0.1 -0.2 0.3 0.4 0.5 -0.6</transformation>"
PLACED = "<transformation>0.3 0.2 0.1 -0.7 0.2 0.5</transformation>" + HEAVY


def turn(a: float, b: float, c: float) -> np.ndarray:
    """R = Rx(a) Ry(b) Rz(c)."""
    return Rotation.from_euler("XYZ", [a, b, c]).as_matrix()


def pose(transformation: tuple[float, ...]) -> np.ndarray:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = turn(*transformation[3:]), transformation[:3]
    return found


def moved(motion: np.ndarray) -> np.ndarray:
    """The pose of a body whose joint has this motion in its frame: X C Q C^-1."""
    x, c = pose((0.3, 0.2, 0.1, -0.7, 0.2, 0.5)), pose((0.1, -0.2, 0.3, 0.4, 0.5, -0.6))
    return x @ c @ motion @ np.linalg.inv(c)


def motion(rotation: np.ndarray | None = None, shift: list[float] | None = None) -> np.ndarray:
    found = np.eye(4)
    if rotation is not None:
        found[:3, :3] = rotation
    if shift is not None:
        found[:3, 3] = shift
    return found


def about(vector: list[float]) -> np.ndarray:
    return Rotation.from_rotvec(vector).as_matrix()


ABC = [0.1, 0.2, 0.3]
ARBITRARY = (
    '<plane type="arbitrary"><translation_axis1><xyz>2 0 0</xyz></translation_axis1>'
    "<translation_axis2><xyz>1 1 0</xyz></translation_axis2></plane>"
)
KINDS = {
    "weld": ("weld", "", [], motion()),
    "revolute": ("revolute", axis(xyz="0 3 4"), [0.5], motion(about([0, 0.3, 0.4]))),
    "prismatic": ("prismatic", axis(xyz="0 3 4"), [0.5], motion(shift=[0, 0.3, 0.4])),
    "screw": ("screw", axis("<pitch>0.2</pitch>"), [np.pi], motion(about([0, 0, np.pi]), [0, 0, 0.1])),
    "universal": (
        "universal",
        axis(xyz="0 0.6 0.8") + axis(xyz="1 0 0", tag="axis2"),
        [0.5, -0.3],
        motion(about([0, 0.3, 0.4]) @ about([-0.3, 0, 0])),
    ),
    "euler xyz": ("euler", "<axis_order>xyz</axis_order>", [0.1, 0.2, 0.3], motion(turn(0.1, 0.2, 0.3))),
    "euler zyx": (
        "euler",
        "<axis_order>zyx</axis_order>",
        [0.1, 0.2, 0.3],
        motion(about([0, 0, 0.1]) @ about([0, 0.2, 0]) @ about([0.3, 0, 0])),
    ),
    "translational": ("translational", "", [0.1, 0.2, 0.3], motion(shift=[0.1, 0.2, 0.3])),
    "planar xy": ("planar", '<plane type="xy"/>', ABC, motion(about([0, 0, 0.3]), [0.1, 0.2, 0])),
    "planar yz": ("planar", '<plane type="yz"/>', ABC, motion(about([0.3, 0, 0]), [0, 0.1, 0.2])),
    "planar zx": ("planar", '<plane type="zx"/>', ABC, motion(about([0, 0.3, 0]), [0.2, 0, 0.1])),
    "planar arbitrary": ("planar", ARBITRARY, ABC, motion(about([0, 0, 0.3]), [0.1, 0.2, 0])),
    "translational2d": ("translational2d", '<plane type="zx"/>', [0.1, 0.2], motion(shift=[0.2, 0, 0.1])),
    "ball": ("ball", "", [0.1, 0.2, 0.3], motion(about([0.1, 0.2, 0.3]))),
    "free": ("free", "", [0.1, 0.2, 0.3, 1, 2, 3], motion(about([0.1, 0.2, 0.3]), [1, 2, 3])),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("mobile", [True, False])
def test_bodies_are_where_joints_put_them(name: str, mobile: bool) -> None:
    """At the initial state, from DART's coordinates; also in an immobile skeleton."""
    kind, inside, start, expected = KINDS[name]
    initial = f"<init_pos>{' '.join(map(str, start))}</init_pos>" if start else ""
    still = "" if mobile else "<mobile>0</mobile>"
    found = made(still + body(inside=PLACED) + joint(kind, TURNED + inside + initial))
    model, native = found.model, found.native
    data = pb.Data(model)
    pb.forward_kinematics(model, data)
    row = model.names["body"].index("b")
    assert np.allclose(data.xmat[row].reshape(3, 3), moved(expected)[:3, :3], atol=1e-14)
    assert np.allclose(data.xpos[row], moved(expected)[:3, 3], atol=1e-14)
    assert np.allclose(native.q(data.qpos), start, atol=1e-14)
    assert native.q_slices == native.v_slices == {"s0::j": slice(0, len(start))}
    assert model.nv == (len(start) if mobile else 0)
    if mobile:
        assert np.allclose(native.qpos(np.array(start)), data.qpos, atol=1e-14)


@pytest.mark.parametrize("name", [name for name in KINDS if KINDS[name][2]])
def test_velocities_go_there_and_back(name: str) -> None:
    kind, inside, start, _ = KINDS[name]
    found = made(body(inside=PLACED) + joint(kind, TURNED + inside))
    rng = np.random.default_rng(0)
    q, v = np.array(start), rng.normal(size=len(start))
    qpos, qvel = found.native.qpos(q), found.native.qvel(q, v)
    assert np.allclose(found.native.v(qpos, qvel), v, atol=1e-14)
    several = np.stack([q, q])
    assert found.native.qpos(several).shape == (2, found.model.nq)


def test_velocity_of_a_free_joint_is_in_the_parents_axes() -> None:
    """R_C w, and R_C u + p_C x (R_C w) at the body's origin, whatever the orientation of the body."""
    found = made(body(inside=PLACED) + joint("free", TURNED))
    q, v = np.array([0.7, -0.4, 0.9, 1, 2, 3]), np.array([0.3, -0.2, 0.5, 0.1, 0.4, -0.6])
    qpos, qvel = found.native.qpos(q), found.native.qvel(q, v)
    c = pose((0.1, -0.2, 0.3, 0.4, 0.5, -0.6))
    angular, linear = c[:3, :3] @ v[:3], c[:3, :3] @ v[3:]
    assert np.allclose(matrix(qpos[3:]) @ qvel[3:], angular, atol=1e-14)
    assert np.allclose(qvel[:3], linear + np.cross(c[:3, 3], angular), atol=1e-14)


def test_rotation_vectors() -> None:
    vectors = np.random.default_rng(1).normal(size=(20, 3))
    quats = exponential(vectors)
    assert np.allclose(matrix(quats), Rotation.from_rotvec(vectors).as_matrix(), atol=1e-14)
    short = np.linalg.norm(vectors, axis=1) < np.pi
    assert np.allclose(rotation_vector(quats)[short], vectors[short], atol=1e-14)
    assert np.array_equal(exponential(np.zeros(3)), [1, 0, 0, 0])


# --- springs, dampers and friction --------------------------------------------------------------------------


def test_dampers_springs_friction_and_limits() -> None:
    inside = axis(
        "<dynamics><damping>1</damping><friction>2</friction><spring_rest_position>0.3</spring_rest_position>"
        "<spring_stiffness>4</spring_stiffness></dynamics><limit><lower>-1</lower><upper>2</upper></limit>"
    )
    found = made(body() + joint("revolute", inside))
    model = found.model
    assert (model.dof_damping[0], model.dof_stiffness[0], model.qpos_spring[0]) == (1, 4, 0.3)
    assert model.dof_frictionloss[0] == 2
    assert model.jnt_range[0].tolist() == [-1, 2]
    assert not model.jnt_limited[0]
    assert any("position limits have no effect" in message for message in said(found, "PB061"))
    enforced = made(body() + joint("revolute", inside), enforce_limits=True)
    assert enforced.model.jnt_limited[0]
    assert not said(enforced, "PB061")


def test_what_a_dof_says_counts_before_the_axis() -> None:
    inside = (
        axis("<damping>1</damping>")
        + axis(
            "<dynamics><damping>2</damping><spring_stiffness>3</spring_stiffness></dynamics>",
            "1 0 0",
            "axis2",
        )
        + "<init_pos>0.1 0.2</init_pos><init_vel>0.3 0.4</init_vel>"
        + '<dof local_index="1" name="bend"><damping>5</damping><position initial="0.6" upper="1"/>'
        + '<velocity initial="0.7"/><force initial="0.8" lower="-9" upper="9"/></dof>'
    )
    model = made(body() + joint("universal", inside)).model
    assert model.names["joint"] == ("s0::j_1", "s0::bend")
    assert model.dof_damping.tolist() == [1, 5]
    assert model.dof_stiffness.tolist() == [0, 3]
    assert model.qpos0.tolist() == [0.1, 0.6]
    assert model.dof_qvel0.tolist() == [0.3, 0.7]
    assert model.actuator_ctrl0.tolist() == [0, 0.8]
    assert model.actuator_ctrlrange[1].tolist() == [-9, 9]
    data = pb.Data(model)
    assert (data.qvel.tolist(), data.ctrl.tolist()) == ([0.3, 0.7], [0, 0.8])


def test_springs_and_dampers_act_at_the_end_of_the_step() -> None:
    """(M + dt D + dt^2 K) a = -D v - K (q + dt v - rest), by hand."""
    inside = axis(
        "<dynamics><damping>3</damping><spring_rest_position>0.5</spring_rest_position>"
        "<spring_stiffness>40</spring_stiffness></dynamics>"
    )
    start = "<init_pos>0.2</init_pos><init_vel>0.7</init_vel>"
    found = made(body(inside="<gravity>0</gravity>") + joint("prismatic", inside + start))
    data, h = pb.Data(found.model), 0.002
    expected = (-3 * 0.7 - 40 * (0.2 + h * 0.7 - 0.5)) / (1 + h * 3 + h * h * 40)
    assert found.native.vdot(data) == pytest.approx(expected, rel=1e-14)
    pb.step(found.model, data)
    assert data.qvel[0] == pytest.approx(0.7 + h * expected, rel=1e-14)
    assert data.qpos[0] == pytest.approx(0.2 + h * data.qvel[0], rel=1e-14)


RESTING = "<spring_rest_position>4</spring_rest_position><spring_stiffness>1</spring_stiffness>"
STARTING = '<spring_stiffness>1</spring_stiffness><position initial="4"/>'


@pytest.mark.parametrize("kind", ["ball", "free"])
@pytest.mark.parametrize(("inside", "why"), [(RESTING, "rest position"), (STARTING, "initial position")])
def test_what_the_model_has_no_law_for_is_refused(kind: str, inside: str, why: str) -> None:
    found = refused(body() + joint(kind, f'<dof local_index="0">{inside}</dof>'))
    assert {(line, code) for line, code, _ in found} == {(3, "PB064")}
    assert any(why in message for *_, message in found)


def test_a_ball_has_the_axes_of_its_joint() -> None:
    """DART's springs of rotation vectors and dampers, entry by entry, in the joint's frame."""
    numbers = "<damping>{}</damping><spring_stiffness>{}</spring_stiffness>"
    resting = "<spring_rest_position>{}</spring_rest_position>"
    inside = "".join(
        f'<dof local_index="{n}">{numbers.format(d, k)}{resting.format(r)}</dof>'
        for n, (d, k, r) in enumerate([(1, 2, 0.3), (3, 4, -0.2), (5, 6, 0.1)])
    )
    found = made(body() + joint("ball", TURNED + inside))
    model, native, data = found.model, found.native, pb.Data(found.model)
    q, v = np.array([0.4, -0.5, 0.6]), np.array([0.1, 0.2, -0.3])
    data.qpos[:], data.qvel[:] = native.qpos(q), native.qvel(q, v)
    pb.forward(model, data)
    expected = -np.array([1, 3, 5]) * v - np.array([2, 4, 6]) * (q - [0.3, -0.2, 0.1])
    assert np.allclose(data.qfrc_passive, expected, atol=1e-14)
    assert np.allclose(data.qvel, v)
    assert np.allclose(model.jnt_quat[0] @ model.jnt_quat[0], 1)


def test_dampers_of_a_free_joint_keep_the_parents_axes() -> None:
    inside = "".join(f'<dof local_index="{n}"><damping>{n + 1}</damping></dof>' for n in range(6))
    turned = "<transformation>0 0 0 0.4 0.5 -0.6</transformation>"
    found = made(body(inside=PLACED) + joint("free", turned + inside))
    model, native, data = found.model, found.native, pb.Data(found.model)
    assert model.njnt == 1
    q, v = np.array([0.4, -0.5, 0.6, 1, 2, 3]), np.array([0.1, 0.2, -0.3, 0.4, -0.5, 0.6])
    data.qpos[:], data.qvel[:] = native.qpos(q), native.qvel(q, v)
    pb.forward(model, data)
    T = native.rates(data.qpos)
    assert np.allclose(data.qfrc_passive, -T.T @ (np.arange(1, 7) * v), atol=1e-14)


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
@pytest.mark.parametrize("constrained", [False, True])
def test_dampers_and_springs_of_a_free_joint_of_a_moving_body(constrained: bool, kernels: Any) -> None:
    """(M + h D + h^2 K) a = forces - bias - K (q + h v) - D v, along DART's velocities, in the Model's."""
    numbers = "<damping>{}</damping><spring_stiffness>{}</spring_stiffness>"
    inside = "".join(
        f'<dof local_index="{n}">{numbers.format(n + 1, 20 * (n + 1) * (n > 2))}</dof>' for n in range(6)
    )
    parts = body("a") + body() + joint("revolute", axis(), child="a", name="k")
    found = made(parts + joint("free", inside, "a"))
    model, native = found.model, found.native
    if constrained:  # the same with negligible friction, so that constraints are solved
        model = model.replace(opt_disableflags=0, dof_frictionloss=[1e-9, *[0.0] * 6])
    stepper = pb.Stepper(model, kernels)
    data, h = stepper.data, float(model.opt.timestep)
    q, v = np.array([0.7, 0, 0, 0, 1, 2, 3]), np.array([0.5, 0.1, 0.2, -0.3, 0.4, -0.5, 0.6])
    data.qpos[:], data.qvel[:] = native.qpos(q), native.qvel(q, v)
    still = pb.Data(model)
    still.qpos[:], still.qvel[:] = data.qpos, data.qvel
    pb.forward(model, still)
    T, before = native.rates(still.qpos), still.qvel.copy()
    D, K = np.arange(7.0), np.array([0, 0, 0, 0, 80, 100, 120.0])
    left = pb.mass_matrix(model, still) + T.T @ np.diag(h * D + h * h * K) @ T
    right = -still.qfrc_bias - T.T @ (K * (q + h * v) + D * v)
    stepper.step()
    assert (data.qvel - before) / h == pytest.approx(np.linalg.solve(left, right), abs=1e-6)


# --- actuators ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actuator", "prescribed", "motors"),
    [
        ("", Prescription.nothing, 1),
        ("force", Prescription.nothing, 1),
        ("torque", Prescription.nothing, 1),
        ("passive", Prescription.nothing, 0),
        ("acceleration", Prescription.acceleration, 1),
        ("velocity", Prescription.velocity, 1),
        ("locked", Prescription.velocity, 0),
        ("servo", Prescription.servo, 1),
    ],
)
def test_actuators(actuator: str, prescribed: Prescription, motors: int) -> None:
    model = made(body() + joint("revolute", axis(), actuator=actuator)).model
    assert (model.jnt_prescribed[0], model.nu) == (prescribed, motors)
    if motors:
        assert model.names["actuator"] == ("s0::j",)


def test_given_motion_is_followed_until_the_command_changes() -> None:
    bodies = body("a") + body("b") + body("c")
    joints = [
        joint("revolute", axis() + "<init_vel>0.4</init_vel>", child="a", name="v", actuator="velocity"),
        joint("ball", "", "a", "b", "w", "velocity"),
        joint("free", TURNED, "b", "c", "x", "acceleration"),
    ]
    found = made(bodies + "".join(joints))
    model, native, data = found.model, found.native, pb.Data(found.model)
    pb.step(model, data, 5)
    assert native.v(data.qpos, data.qvel)[:4] == pytest.approx([0.4, 0, 0, 0], abs=1e-12)
    data.ctrl[:] = command = np.array([0.1, 0.2, -0.3, 0.4, 1, 2, 3, 4, 5, 6])
    before = native.v(data.qpos, data.qvel)
    pb.step(model, data, 3)
    after = native.v(data.qpos, data.qvel)
    assert after[:4] == pytest.approx(command[:4], abs=1e-12)
    assert after[4:] == pytest.approx(before[4:] + 3 * 0.002 * command[4:], abs=1e-12)


def test_a_locked_joint_stays_and_its_velocity_is_a_warning() -> None:
    found = made(body() + joint("revolute", axis() + "<init_vel>1</init_vel>", actuator="locked"))
    assert any("locked" in message for message in said(found, "PB088"))
    data = pb.Data(found.model)
    pb.step(found.model, data, 10)
    assert (data.qpos[0], data.qvel[0]) == (0, 0)


def test_a_servo_motor_reaches_its_velocity_as_far_as_its_force_does() -> None:
    found = made(body() + joint("revolute", axis(), actuator="servo"), enforce_limits=True)
    model = found.model.replace(opt_disableflags=0)
    data = pb.Data(model)
    data.ctrl[:] = 0.5
    pb.step(model, data)
    assert data.qvel[0] == pytest.approx(0.5, rel=1e-3)
    force = 1e-3
    weak = model.replace(dof_servorange=[[-force, force]])
    data = pb.Data(weak)
    data.ctrl[:] = 1e3
    pb.step(weak, data)
    assert data.qfrc_constraint[0] == pytest.approx(force)
    assert data.efc_state.tolist() == [2]
    for command, most in ((1e3, 2 * force), (-1e3, -force)):
        lopsided = weak.replace(dof_servorange=[[-force, 2 * force]])
        data = pb.Data(lopsided)
        data.ctrl[:] = command
        pb.step(lopsided, data)
        assert data.qfrc_constraint[0] + data.qfrc_actuator[0] == pytest.approx(most)
    reached = model.replace(dof_servorange=[[-100.0, 2e3]])
    data = pb.Data(reached)
    data.ctrl[:] = 0.5
    pb.step(reached, data)
    assert data.qvel[0] == pytest.approx(0.5, rel=1e-3)


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
@pytest.mark.parametrize("bound", [-0.2, 0.3])
def test_a_servo_motor_may_have_a_bound_on_one_side_alone(bound: float, kernels: Any) -> None:
    """In the other direction any force is allowed: v' = command if the force required is within the bound."""
    end = "upper" if bound > 0 else "lower"
    dof = f'<dof local_index="0"><force {end}="{bound}"/></dof>'
    found = made(body() + joint("revolute", axis() + dof, actuator="servo"), enforce_limits=True)
    model = found.model.replace(opt_disableflags=0, opt_gravity=(0, 0, 0))
    assert model.dof_servorange.tolist() == [[bound, 1e10] if bound < 0 else [-1e10, bound]]
    stepper = pb.Stepper(model, kernels)
    data, speed, most = stepper.data, 0.0, 0.0
    inertia = float(pb.mass_matrix(model, pb.Data(model))[0, 0])
    for command in (0.5, -0.5, 0.4, 3.0, -3.0, -3.0):
        data.ctrl[:] = command
        stepper.step()
        needed = (command - speed) * inertia / model.opt.timestep
        within = needed > bound if bound < 0 else needed < bound
        force = needed if within else bound
        assert data.qfrc_constraint[0] + bound == pytest.approx(force, rel=1e-3, abs=1e-9)
        speed += force * model.opt.timestep / inertia
        assert data.qvel[0] == pytest.approx(speed, rel=1e-3)
        speed, most = data.qvel[0], max(most, abs(force))
    assert most > 100, "far beyond the bound, on the other side"
    assert data.nl == 1


@pytest.mark.parametrize(
    ("kind", "bounds"),
    [
        *((kind, ()) for kind in ("ball", "free", "revolute")),
        *(
            (kind, pair)
            for kind in ("free", "revolute")
            for pair in ((-5.0, 7.0), (-1e10, 7.0), (-5.0, 1e10))
        ),
    ],
)
def test_servo_motors_are_alike_in_loops_programs_and_batches(kind: str, bounds: tuple[float, ...]) -> None:
    inside = axis() if kind == "revolute" else ""
    if bounds:
        dof = f'<force lower="{bounds[0]}" upper="{bounds[1]}"/><friction>.1</friction>'
        count = {"free": 6, "revolute": 1}[kind]
        inside += "".join(f'<dof local_index="{n}">{dof}</dof>' for n in range(count))
    found = made(body() + joint(kind, TURNED + inside, actuator="servo"), enforce_limits=True)
    model = found.model.replace(opt_disableflags=0)
    steppers = [pb.Stepper(model, kernels) for kernels in ("loop", "specialized")]
    batch = pb.BatchStepper(model, n=3)
    for command in (0.5, -0.2, 0.3):
        for stepper in steppers:
            stepper.data.ctrl[:] = command
            stepper.step(5)
        batch.ctrl[:] = command
        batch.step(5)
    loop, program = (np.concatenate([s.data.qpos, s.data.qvel]) for s in steppers)
    assert np.abs(loop[-1]) > 1e-3
    np.testing.assert_allclose(program, loop, atol=1e-12)
    np.testing.assert_allclose(np.concatenate([batch.qpos[1], batch.qvel[1]]), loop, atol=1e-12)


def test_joint_types_of_the_model() -> None:
    model = made(body() + joint("planar", '<plane type="yz"/>')).model
    assert model.jnt_type.tolist() == [JointType.slide, JointType.slide, JointType.hinge]
    assert model.names["joint"] == ("s0::j_y", "s0::j_z", "s0::j_x")
