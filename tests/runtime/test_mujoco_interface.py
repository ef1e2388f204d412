"""Functions used in MuJoCo scripts, each compared with MuJoCo's of the same name at random states."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest
from mujoco import mjtObj, mjtState
from polybody.generated.model import ObjectType

from tests.runtime import mjcf

CLOSE = 1e-11
SEEDS = (0, 1)


def near(ours: Any, theirs: Any) -> None:
    assert np.shape(ours) == np.shape(theirs)
    assert np.abs(np.asarray(ours) - theirs).max() <= CLOSE * max(1.0, np.abs(theirs).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_dense_matrices(seed: int) -> None:
    model, data, theirs, other = mjcf.both(seed)
    mujoco.mj_forward(theirs, other)
    matrix, moment = np.zeros((theirs.nv, theirs.nv)), np.zeros((theirs.nu, theirs.nv))
    mujoco.mj_fullM(theirs, matrix, other.qM)
    rows = (other.moment_rownnz, other.moment_rowadr, other.moment_colind)
    mujoco.mju_sparse2dense(moment, other.actuator_moment, *rows)
    velocity = data.actuator_velocity.copy()
    near(data.qM, matrix)
    near(data.actuator_moment, moment)
    near(data.actuator("crank").moment, moment[theirs.actuator("crank").id])
    assert data.actuator_velocity.tolist() == velocity.tolist(), "a property leaves the results as they are"
    for array in (data.qM, data.actuator_moment, data.ten_J, data.flexedge_J, data.efc_J):
        assert not array.flags.writeable
    assert pb.Data(model.replace(opt_disableflags=1)).efc_J.shape == (0, model.nv)
    with pytest.raises(AttributeError):
        data.qM = matrix  # type: ignore[misc]
    pb.forward(model, data)
    near(data.actuator_moment @ data.qvel, data.actuator_velocity)


@pytest.mark.parametrize("seed", SEEDS)
def test_products_with_the_mass_matrix(seed: int) -> None:
    model, data, theirs, other = mjcf.both(seed)
    mujoco.mj_forward(theirs, other)
    vectors = np.random.default_rng(seed).normal(size=(2, theirs.nv))
    product, solved = np.zeros(theirs.nv), np.zeros_like(vectors)
    mujoco.mj_mulM(theirs, other, product, vectors[0])
    mujoco.mj_solveM(theirs, other, solved, vectors)
    near(pb.mul_m(model, data, vectors[0]), product)
    near(pb.mul_m(model, data, vectors)[0], product)
    near(pb.solve_m(model, data, vectors), solved)
    near(pb.solve_m(model, data, pb.mul_m(model, data, vectors[0])), vectors[0])
    for function in (pb.mul_m, pb.solve_m):
        with pytest.raises(ValueError, match=r"must have the shape \(13,\)"):
            function(model, data, vectors[0, :-1])


PLACES = {
    "body": (mjtObj.mjOBJ_XBODY, mujoco.mj_jacBody),
    "com": (mjtObj.mjOBJ_BODY, mujoco.mj_jacBodyCom),
    "geom": (mjtObj.mjOBJ_GEOM, mujoco.mj_jacGeom),
    "site": (mjtObj.mjOBJ_SITE, mujoco.mj_jacSite),
}


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("seed", SEEDS)
def test_velocities_and_jacobians_of_places(seed: int, kind: str) -> None:
    model, data, theirs, other = mjcf.both(seed)
    mujoco.mj_forward(theirs, other)
    what, jacobian = PLACES[kind]
    for row in range(getattr(model, f"n{'body' if kind == 'com' else kind}")):
        here: dict[str, Any] = {kind: row}
        jacp, jacr = np.zeros((2, 3, theirs.nv))
        jacobian(theirs, other, jacp, jacr, row)
        for mine, given in zip(pb.jacobian(model, data, **here), (jacp, jacr), strict=True):
            near(mine, given)
        for local in (False, True):
            velocity = np.zeros(6)
            mujoco.mj_objectVelocity(theirs, other, what, row, velocity, local)
            near(pb.velocity(model, data, **here, local=local), velocity)


def test_places_are_named_once() -> None:
    model, data, *_ = mjcf.both(0)
    near(pb.velocity(model, data, "hand"), pb.velocity(model, data, body=model.row("body", "hand")))
    for wrong in ({}, {"body": "hand", "site": "tip"}):
        with pytest.raises(TypeError, match="give exactly one of body, com, geom, site"):
            pb.jacobian(model, data, **wrong)
    with pytest.raises(TypeError, match="a point requires a body"):
        pb.jacobian(model, data, site="tip", point=(0, 0, 0))
    with pytest.raises(KeyError, match="did you mean 'tip'"):
        pb.velocity(model, data, site="tips")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_force_at_a_point(seed: int) -> None:
    model, data, theirs, other = mjcf.both(seed)
    mujoco.mj_forward(theirs, other)
    force, torque, point = np.random.default_rng(seed).normal(size=(3, 3))
    given, target = np.zeros(theirs.nv), np.ones(theirs.nv)
    mujoco.mj_applyFT(theirs, other, force, torque, point, theirs.body("hand").id, given)
    near(pb.apply_force(model, data, force, torque, point, "hand", qfrc=target), given)
    near(target, 1 + given)
    before = data.qfrc_applied.copy()
    pb.apply_force(model, data, force, torque, point, "hand")
    near(data.qfrc_applied, before + given)
    with pytest.raises(ValueError, match="a torque must have the shape"):
        pb.apply_force(model, data, force, torque[:2], point, "hand")


@pytest.mark.parametrize("seed", SEEDS)
def test_positions_along_velocities(seed: int) -> None:
    model, data, theirs, other = mjcf.both(seed)
    ahead, between = other.qpos.copy(), np.zeros(theirs.nv)
    mujoco.mj_integratePos(theirs, ahead, other.qvel, 0.4)
    start = data.qpos.copy()
    near(pb.integrate_pos(model, data.qpos, data.qvel, 0.4), ahead)
    assert data.qpos.tolist() == start.tolist()
    mujoco.mj_differentiatePos(theirs, between, 0.4, other.qpos, ahead)
    near(pb.differentiate_pos(model, start, ahead, 0.4), between)
    near(pb.differentiate_pos(model, start, start), np.zeros(theirs.nv))
    with pytest.raises(ValueError, match=r"positions of this Model must have shape \(15,\)"):
        pb.integrate_pos(model, start[1:], data.qvel, 0.4)
    with pytest.raises(ValueError, match="a time of 0 has no velocities"):
        pb.differentiate_pos(model, start, ahead, 0.0)


def test_the_shorter_way_between_quaternions() -> None:
    model = mjcf.model()
    start = pb.Data(model).qpos.copy()
    other = start.copy()
    other[3:7] *= -1
    assert not pb.differentiate_pos(model, start, other).any()


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_half_steps_with_controls_between(integrator: str) -> None:
    model, data, theirs, other = mjcf.both(3)
    model = model.replace(opt_integrator=integrator)
    theirs.opt.integrator = int(model.opt_integrator)
    data = pb.Data(model)
    for name in mjcf.INPUTS:
        setattr(data, name, getattr(other, name))
    alone = data.copy()
    mujoco.mj_step1(theirs, other)
    pb.step1(model, data)
    near(data.site_xpos, other.site_xpos)
    near(data.qfrc_bias, other.qfrc_bias)
    data.ctrl = alone.ctrl = other.ctrl = np.linspace(-1, 1, theirs.nu)
    mujoco.mj_step2(theirs, other)
    pb.step2(model, data)
    for name in ("qpos", "qvel", "act", "time"):
        near(getattr(data, name), getattr(other, name))
    pb.step(model, alone)
    same = alone.get_state().tolist() == data.get_state().tolist()
    assert same == (integrator == "Euler"), "half steps are Euler's, as MuJoCo's are"


@pytest.mark.parametrize("floor", [True, False])
def test_half_steps_of_rk4_have_dampers_at_their_end(floor: bool) -> None:
    own = 'damping=".5" axis="0 1 .3"'
    text = f"""<mujoco><option integrator="RK4" timestep=".004"/><worldbody>
    {"<geom type='plane' size='1 1 1'/>" * floor}
    <body><joint {own}/><geom size=".1" pos=".3 0 0" contype="0"/>
    <body pos=".2 0 0"><joint {own}/><geom size=".1" pos=".3 0 0" contype="0"/>
    <body pos=".2 .1 0"><joint type="ball" damping=".5"/><site name="s" pos=".1 0 0"/>
    <geom type="box" size=".1 .05 .03" pos=".1 0 0" contype="0"/></body></body></body></worldbody>
    <sensor><velocimeter site="s"/></sensor></mujoco>"""
    theirs, model = mujoco.MjModel.from_xml_string(text), pb.lower(pb.read("m.xml", text=text))
    other, data = mujoco.MjData(theirs), pb.Data(model)
    other.qvel[:] = data.qvel[:] = np.arange(theirs.nv)
    for _ in range(3):
        mujoco.mj_step1(theirs, other)
        mujoco.mj_step2(theirs, other)
        pb.step1(model, data)
        pb.step2(model, data)
        for name in ("qvel", "qpos", "sensordata"):
            np.testing.assert_allclose(getattr(data, name), getattr(other, name), rtol=1e-6, atol=1e-6)
    assert bool(data.ncon) == floor


@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_is_what_acts(seed: int) -> None:
    """As in MuJoCo: it excludes controls and xfrc_applied, so the result equals their generalized forces."""
    model, data, theirs, other = mjcf.both(seed)
    mujoco.mj_forward(theirs, other)
    mujoco.mj_inverse(theirs, other)
    pb.forward(model, data)
    near(pb.inverse(model, data), other.qfrc_inverse)
    external = data.qfrc_smooth + data.qfrc_bias - data.qfrc_passive
    near(data.qfrc_inverse, external)
    assert np.abs(external - data.qfrc_applied - data.qfrc_actuator).max() > 0.1, "xfrc_applied acts"


PARTS = {
    "physics": mjtState.mjSTATE_PHYSICS,
    "full": mjtState.mjSTATE_FULLPHYSICS,
    "user": mjtState.mjSTATE_USER,
    "qvel": mjtState.mjSTATE_QVEL,
    "mocap_quat": mjtState.mjSTATE_MOCAP_QUAT,
}


@pytest.mark.parametrize("spec", PARTS)
def test_parts_of_the_state(spec: str) -> None:
    _, data, theirs, other = mjcf.both(0)
    data.time = other.time = 0.25
    given = np.zeros(mujoco.mj_stateSize(theirs, PARTS[spec]))
    mujoco.mj_getState(theirs, other, given, PARTS[spec])
    assert data.get_state(spec).tolist() == given.tolist()
    fresh = pb.Data(data.model)
    fresh.set_state(given, spec)
    assert fresh.get_state(spec).tolist() == given.tolist()


def test_words_for_the_state() -> None:
    _, data, *_ = mjcf.both(0)
    assert data.get_state().tolist() == data.get_state("integration").tolist()
    assert data.get_state(("ctrl", "time")).tolist() == [data.time, *data.ctrl.tolist()]
    with pytest.raises(ValueError, match="'pos' is not a part of the state; parts are physics, full"):
        data.get_state("pos")
    with pytest.raises(ValueError, match="no part of the state is given"):
        data.set_state([], ())


def test_a_simulation_starts_from_a_key() -> None:
    theirs = mujoco.MjModel.from_xml_string(mjcf.ARM)
    model = mjcf.model()
    for key in ("rest", "home"):
        other = mujoco.MjData(theirs)
        mujoco.mj_resetDataKeyframe(theirs, other, theirs.key(key).id)
        used = pb.Data(model)
        used.qfrc_applied = 1
        used.time = 9
        pb.reset(model, used, key=key)
        for data in (used, pb.Data(model, key), pb.Data(model, key=model.row("key", key))):
            for name in (*mjcf.INPUTS, "time"):
                assert np.array_equal(getattr(data, name), getattr(other, name)), name
    before = used.get_state()
    with pytest.raises(KeyError, match="did you mean 'home'"):
        pb.reset(model, used, key="hom")
    assert used.get_state().tolist() == before.tolist()
    pb.reset(model, used)
    assert used.get_state().tolist() == pb.Data(model).get_state().tolist()
    with pytest.raises(ValueError, match="the data simulate"):
        pb.reset(model.replace(opt_timestep=0.1), used)


VIEWS = {
    "body": "hand", "joint": "ball", "geom": "palm", "site": "tip", "camera": "eye", "light": "sun",
    "actuator": "filter", "sensor": "angle",
}  # fmt: skip
LATER = {
    "cinert", "crb", "qacc_warmstart", "qfrc_constraint", "cdof", "cdof_dot", "qLDiagInv", "id", "name",
}  # fmt: skip
"""Attributes of MuJoCo's rows that we lack or that concern its implementation, and the row itself."""


@pytest.mark.parametrize("kind", VIEWS)
def test_rows_have_mujocos_attributes(kind: str) -> None:
    model, data, theirs, other = mjcf.both(1)
    mujoco.mj_forward(theirs, other)
    mujoco.mj_subtreeVel(theirs, other)
    mujoco.mj_rnePostConstraint(theirs, other)
    pb.forward(model, data)
    ours, given = getattr(data, kind)(VIEWS[kind]), getattr(other, kind)(VIEWS[kind])
    assert (ours.id, ours.name) == (given.id, given.name)
    names = [name for name in dir(given) if not name.startswith("_") and name not in LATER]
    assert names
    for name in names:
        if (kind, name) not in {("sensor", "data"), ("actuator", "moment"), ("joint", "qfrc_inverse")}:
            theirs_too = getattr(given, name)
            near(np.reshape(getattr(ours, name), theirs_too.shape), theirs_too)


def test_rows_are_written_into() -> None:
    data = pb.Data(mjcf.model())
    data.actuator("servo").ctrl = 0.5
    data.actuator("integrator").act = 0.25
    data.joint("ball").qpos = (0, 1, 0, 0)
    data.body("hand").xfrc_applied[2] = 3
    data.mocap("goal").pos = (1, 1, 1)
    data.mocap(0).quat[:] = (0, 0, 0, 1)
    assert data.ctrl[1] == 0.5
    assert data.act.tolist() == [0, 0, 0.25, 0]
    assert data.qpos[9:13].tolist() == [0, 1, 0, 0]
    assert data.xfrc_applied[data.body("hand").id].tolist() == [0, 0, 3, 0, 0, 0]
    assert (data.mocap_pos.tolist(), data.mocap_quat.tolist()) == ([[1, 1, 1]], [[0, 0, 0, 1]])
    assert data.sensor("angle").data.shape == (1,)
    assert data.actuator("motor").act.shape == (0,)
    with pytest.raises(KeyError, match="no mocap body is called 'hand'"):
        data.mocap("hand")


def test_inverse_dynamics_asks_for_no_sensor() -> None:
    grid = "mujoco.sensor.touch_grid"
    text = f"""<mujoco><extension><plugin plugin="{grid}"/></extension>
      <worldbody><body name="b"><joint/><geom size=".1" pos="1 0 0"/><site name="s"/></body></worldbody>
      <sensor><plugin plugin="{grid}" objtype="site" objname="s">
      <config key="nchannel" value="1"/><config key="size" value="7 7"/>
      <config key="fov" value="45 45"/><config key="gamma" value="0"/></plugin></sensor></mujoco>"""
    model = pb.lower(pb.read("m.xml", text=text, format="mjcf"))
    model = model.replace(sensor_objtype=[ObjectType.BODY])  # which a grid cannot be at
    data = pb.Data(model)
    data.qacc = 2.0
    assert pb.inverse(model, data) == pytest.approx(2.0 * model.dof_M0 + data.qfrc_bias)
    with pytest.raises(pb.ModelError, match="a sensor of a plugin is not simulated yet"):
        pb.forward(model, data)
