"""MJCF: forces of flexes, cables and controllers against MuJoCo; loops and specialised programs."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest

OFF = ("constraint", "contact")
FLAGS = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT)
FLEX = """<mujoco><worldbody><body name="b"><joint axis="1 2 3" damping=".1"/><geom size=".1"/>
<flexcomp name="f" {}>{}</flexcomp></body></worldbody></mujoco>"""
CABLE = """<mujoco><option {}/><extension><plugin plugin="mujoco.elasticity.cable"/></extension><worldbody>
<composite prefix="c" type="cable" count="6 1 1" curve="{}" size="1 .3 1" initial="{}"><joint kind="main"
damping=".05"/><plugin plugin="mujoco.elasticity.cable"><config key="twist" value="1e6"/><config key="bend"
value="5e5"/><config key="flat" value="{}"/></plugin><geom type="{}" size=".02 .02 .03"/></composite>
</worldbody></mujoco>"""
PID = """<mujoco><option timestep=".005" {}/><extension><plugin plugin="mujoco.pid"/></extension>
<worldbody><body><joint name="j" axis="1 0 0"/><geom size=".1" pos="0 0 .3"/>
<body><joint name="k" type="slide"/><geom size=".1"/></body></body></worldbody>
<actuator><plugin joint="j" gear="2" plugin="mujoco.pid" ctrlrange="-1 1" forcerange="-5 5" {}>
<config key="kp" value="9"/><config key="ki" value="{}"/><config key="kd" value=".2"/>
<config key="imax" value="{}"/><config key="slewmax" value="{}"/></plugin><motor joint="k"/></actuator>
</mujoco>"""
MODELS = {
    "line": FLEX.format('dim="1" count="4 1 1"', '<edge stiffness="30" damping=".2"/>'),
    "pinned line": FLEX.format('dim="1" count="4 1 1"', '<edge stiffness="30" damping=".2"/><pin id="0"/>'),
    "sheet": FLEX.format(
        'dim="2" count="3 3 1"', '<elasticity young="1e3" poisson=".2" thickness=".01" damping=".02"/>'
    ),
    "pinned block": FLEX.format(
        'dim="3" count="2 2 3"', '<elasticity young="1e3" poisson=".3"/><pin grid="0 0 0"/>'
    ),
    "cable": CABLE.format("", "s", "ball", "", "capsule"),
    "bent cable": CABLE.format("", "s cos(s)", "free", "", "cylinder"),
    "flattened cable": CABLE.format('integrator="RK4"', "s cos(s)", "none", "true", "box"),
    "proportional": PID.format("", "", "0", "", ""),
    "integral": PID.format("", 'actdim="1"', "4", "2", ""),
    "slow": PID.format("", 'actdim="2"', "4", "", ".7"),
    "filtered": PID.format("", 'actdim="3" dyntype="filter" dynprm=".1" actearly="true"', "4", "1", ".7"),
    "filtered exactly": PID.format("", 'actdim="2" dyntype="filterexact" dynprm=".1"', "4", "", ""),
    "integrated": PID.format('integrator="RK4"', 'actdim="2" dyntype="integrator"', "4", "", ""),
}
COMPILED = ("pinned line", "sheet", "bent cable", "slow")
"""Models for which programs are compiled as well."""
QUANTITIES = (
    "qfrc_passive",
    "qfrc_spring",
    "qfrc_damper",
    "act_dot",
    "actuator_force",
    "qfrc_actuator",
    "qacc",
)


def _pair(name: str) -> tuple[pb.Model, Any, Any]:
    document = pb.read("m.xml", text=MODELS[name], policy="warn", format="mjcf")
    theirs = mujoco.MjModel.from_xml_string(MODELS[name])
    theirs.opt.disableflags |= FLAGS
    return pb.lower(document, disable=OFF), theirs, mujoco.MjData(theirs)


def _state(theirs: Any, seed: int, after: float) -> Any:
    rng, data = np.random.default_rng(seed), mujoco.MjData(theirs)
    mujoco.mj_integratePos(theirs, data.qpos, 0.1 * rng.normal(size=theirs.nv), 1.0)
    data.qvel[:] = 0.1 * rng.normal(size=theirs.nv)
    data.ctrl[:], data.act[:] = rng.normal(size=theirs.nu), rng.normal(size=theirs.na)
    data.time = after
    return data


def _given(model: pb.Model, theirs: Any) -> pb.Data:
    data = pb.Data(model)
    for name in ("qpos", "qvel", "ctrl", "act"):
        getattr(data, name)[:] = getattr(theirs, name)
    data.time = theirs.time
    return data


def _close(ours: Any, theirs: Any, what: str, tolerance: float) -> None:
    scale = max(1.0, float(np.abs(theirs).max(initial=0.0)))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale, err_msg=what)


@pytest.mark.parametrize("after", [0.0, 1.0])
@pytest.mark.parametrize("name", MODELS)
def test_forces_are_mujocos(name: str, after: float) -> None:
    model, theirs, _ = _pair(name)
    state = _state(theirs, 3, after)
    data = _given(model, state)
    mujoco.mj_forward(theirs, state)
    pb.forward(model, data)
    for quantity in QUANTITIES:
        _close(getattr(data, quantity), getattr(state, quantity), quantity, 1e-9)
    if theirs.nflex:
        _close(data.flexvert_xpos, state.flexvert_xpos, "flexvert_xpos", 1e-12)
        _close(data.flexedge_length, state.flexedge_length, "flexedge_length", 1e-12)


@pytest.mark.parametrize(
    ("name", "kernels"),
    [*((name, "loop") for name in MODELS), *((name, "specialized") for name in COMPILED)],
)
def test_trajectories_are_mujocos(name: str, kernels: str) -> None:
    model, theirs, _ = _pair(name)
    state = _state(theirs, 5, 0.0)
    sim = pb.Stepper(model, kernels=kernels)  # type: ignore[arg-type]
    for quantity in ("qpos", "qvel", "ctrl", "act"):
        getattr(sim.data, quantity)[:] = getattr(state, quantity)
    mujoco.mj_step(theirs, state, 40)
    sim.step(40)
    for quantity in ("qpos", "qvel", "act"):
        _close(getattr(sim.data, quantity), getattr(state, quantity), quantity, 1e-9)


@pytest.mark.parametrize("name", ["line", "pinned line", "sheet"])
def test_springs_along_edges_store_energy(name: str) -> None:
    model, theirs, _ = _pair(name)
    theirs.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    state = _state(theirs, 3, 1.0)
    data = _given(model, state)
    mujoco.mj_forward(theirs, state)
    pb.forward(model, data)
    _close(data.energy, state.energy, "energy", 1e-12)


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_sensors_measure_the_energy_of_springs_along_edges(kernels: Any) -> None:
    text = MODELS["pinned line"].replace("</mujoco>", "<sensor><e_potential/><e_kinetic/></sensor></mujoco>")
    model = pb.lower(pb.read("m.xml", text=text, release="4.0"), disable=OFF)
    data, rng = pb.Data(model), np.random.default_rng(0)
    data.qpos[:], data.qvel[:] = rng.normal(size=model.nq), rng.normal(size=model.nv)
    batch = pb.BatchStepper(model, n=2, threads=1, kernels=kernels, results=("sensordata",))
    batch.qpos[...], batch.qvel[...] = data.qpos, data.qvel
    stepper = pb.Stepper(model, data=data.copy(), kernels=kernels)
    pb.forward(model, data)
    stretch = data.flexedge_length - model.flexedge_length0
    assert data.energy[0] == pytest.approx(
        15 * stretch @ stretch + model.body_mass @ data.xipos[:, 2] * 9.81, rel=1e-12
    )
    batch.step(1)
    stepper.step(1)
    for measured in (*batch.results["sensordata"], stepper.data.sensordata):
        _close(measured, data.energy, "sensordata", 1e-12)


def test_what_a_flex_does_not_exert_is_no_force() -> None:
    model = pb.lower(pb.read("m.xml", text=MODELS["sheet"], policy="warn"), disable=(*OFF, "passive"))
    data = pb.Data(model)
    data.qpos[:] = 0.1 * np.arange(model.nq)
    pb.forward(model, data)
    assert not data.qfrc_passive.any()
    assert data.flexedge_length.all()


def test_nothing_moves_vertices_of_a_rigid_flex_relative_to_each_other() -> None:
    """So only flexes with an edge that can change its length have levers."""
    grid = '<flexcomp name="{}" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" rigid="{}"/>'
    kinds = (("a", "true"), ("b", "false"))
    bodies = "".join(
        f'<body name="body {kind[0]}"><freejoint/><geom size=".1"/>{grid.format(*kind)}</body>'
        for kind in kinds
    )
    text = f"<mujoco><worldbody>{bodies}</worldbody></mujoco>"
    model = pb.lower(pb.read("m.xml", text=text, policy="warn"))
    assert not model.flex_levernum[:9].any()
    assert model.flex_levernum[9:].all()
    data = pb.Data(model)
    data.qvel[:] = 1
    pb.forward(model, data)
    assert data.flexedge_length.all()
    assert not data.flexedge_J[: model.flex_edgeadr[1]].any()


def test_a_large_flex_is_left_to_the_loops_which_says_why() -> None:
    below = '<elasticity young="1e3" poisson=".2"/>'
    text = FLEX.format('dim="3" count="8 8 8"', below)
    model = pb.lower(pb.read("m.xml", text=text, policy="warn"), disable=OFF)
    with pytest.raises(pb.CompileError, match="straight-line code is generated for at most"):
        pb.Stepper(model, kernels="specialized")
    pb.Stepper(model, kernels="loop").step(2)


def test_a_cable_that_is_none_is_not_simulated_in_silence() -> None:
    text = CABLE.format("", "s", "ball", "", "capsule").replace(
        "</worldbody>", '<body><joint/><geom size=".1"/></body></worldbody>'
    )
    model = pb.lower(pb.read("m.xml", text=text, policy="warn"), disable=OFF)
    last = model.replace(
        body_plugin=np.where(np.arange(model.nbody) == model.nbody - 1, 0, model.body_plugin)
    )
    with pytest.raises(pb.ModelError, match="the force of a plugin is not simulated yet"):
        pb.forward(last, pb.Data(last))
