"""Constraints without another engine: identities, growing memory, bad input."""

from __future__ import annotations

import pickle

import numpy as np
import polybody as pb
import pytest

from tests.constraints.scenes import loaded, mixed

PILE = """<mujoco><option timestep="0.004"/>
<worldbody><geom type="plane" size="5 5 1"/>{}</worldbody></mujoco>"""
BALL = '<body pos="{} {} {}"><freejoint/><geom size=".1"/></body>'


def pile(width: int, height: int) -> pb.Model:
    """Spheres in a dense block, each overlapping its neighbours slightly."""
    places = np.stack(np.meshgrid(range(width), range(width), range(height)), axis=-1).reshape(-1, 3)
    return loaded(PILE.format("".join(BALL.format(x, y, 0.09 + z) for x, y, z in 0.19 * places)))


def settled(text: str, steps: int = 40) -> tuple[pb.Model, pb.Data]:
    model = loaded(text)
    data = pb.Data(model)
    pb.step(model, data, steps)
    pb.forward(model, data)
    return model, data


def moved_to(model: pb.Model, data: pb.Data) -> pb.Data:
    """The same state of a Model with other options."""
    found = pb.Data(model)
    found.set_state(data.get_state())
    pb.forward(model, found)
    return found


ROUNDED = {"Newton": 1e-12, "CG": 1e-6, "PGS": 1e-12}
"""What is left of the gradient at the solution, relative to the greatest force. Conjugate gradients end where
rounding hides the decrease of the cost, which is quadratic in this.
"""


@pytest.mark.parametrize("solver", ["Newton", "CG", "PGS"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_forces_are_the_gradient_at_the_solution(cone: str, solver: str) -> None:
    """M qacc = qfrc_smooth + J^T f, with forces in the admissible set of each row (Karush, Kuhn, Tucker)."""
    model, data = settled(mixed(cone, solver))
    model = model.replace(opt_tolerance=1e-18, opt_iterations=3000)
    data = moved_to(model, data)
    assert data.nefc > 12
    assert np.abs(data.efc_J.T @ data.efc_force - data.qfrc_constraint).max() < 1e-10
    left = data.qM @ data.qacc - data.qfrc_smooth - data.qfrc_constraint
    assert np.abs(left).max() < ROUNDED[solver] * np.abs(data.qfrc_constraint).max()
    one_sided = data.efc_type[data.ne + data.nf :] < 7
    assert (data.efc_force[data.ne + data.nf :][one_sided] >= 0).all()
    friction = slice(data.ne, data.ne + data.nf)
    assert (np.abs(data.efc_force[friction]) <= data.efc_frictionloss[friction] + 1e-12).all()
    for number in np.flatnonzero((data.contact["dim"] > 1) & (data.contact["efc_address"] >= 0)).tolist():
        force, contact = pb.contact_force(model, data, number), data.contact[number]
        slip = force[1 : contact["dim"]] / contact["friction"][: contact["dim"] - 1]
        inside = np.abs(slip).sum() if cone == "pyramidal" else np.linalg.norm(slip)
        assert inside <= force[0] * (1 + 1e-9) + 1e-9


def test_inverse_dynamics_give_back_what_acts() -> None:
    for cone in ("pyramidal", "elliptic"):
        model, data = settled(mixed(cone))
        data.qfrc_applied = np.random.default_rng(0).normal(size=model.nv)
        pb.forward(model, data)
        assert np.abs(pb.inverse(model, data) - data.qfrc_applied).max() < 1e-6


def test_contacts_keep_the_momentum_of_a_closed_system() -> None:
    text = PILE.replace('<geom type="plane" size="5 5 1"/>', "").replace("<option", '<option gravity="0 0 0"')
    bodies = "".join(BALL.format(0.19 * x, 0.02 * x, 0.01 * x * x) for x in range(4))
    model = loaded(text.format(bodies))
    data = pb.Data(model)
    data.qvel = np.random.default_rng(1).normal(size=model.nv)
    pb.forward(model, data)
    assert data.ncon == 3
    wrenches = data.cfrc_ext[1:, 3:].sum(axis=0)
    assert np.abs(data.cfrc_ext).max() > 1
    assert np.abs(wrenches).max() < 1e-10
    before = data.qvel.reshape(4, 6)[:, :3].sum(axis=0)
    pb.step(model, data, 50)
    assert np.abs(data.qvel.reshape(4, 6)[:, :3].sum(axis=0) - before).max() < 1e-10


def test_memory_grows_with_what_touches_and_old_views_live_on() -> None:
    model = pile(6, 4)
    data = pb.Data(model)
    data.qpos[2::7] += 10 * np.arange(model.nbody - 1)  # apart: only the lowest touches anything
    pb.forward(model, data)
    few, old, old_force = data.ncon, data.contact, data.efc_force
    assert few < 32
    kept = old.copy()
    pb.reset(model, data)
    pb.forward(model, data)
    assert data.ncon > 300
    assert data.nefc == 4 * data.ncon
    assert (len(old), len(old_force)) == (few, 4 * few)
    assert (data.efc_J.shape, data.efc_J.flags.writeable) == ((data.nefc, model.nv), False)
    assert kept["dist"].shape == old["dist"].shape
    with pytest.raises(ValueError, match="read-only"):
        data.efc_force[0] = 1.0
    step, whole = data.copy(), pb.Data(model)
    pb.forward(model, whole)
    assert np.array_equal(data.qacc, whole.qacc)
    pb.step(model, step, 5)
    assert np.isfinite(step.qpos).all()


def test_the_warm_start_is_part_of_the_state() -> None:
    model, data = settled(mixed())
    other, third = data.copy(), pickle.loads(pickle.dumps(data))
    fourth = pb.Data(model)
    fourth.set_state(data.get_state())
    batch = pb.BatchStepper(model, 3, kernels="loop")
    batch.set_state(np.tile(data.get_state(), (3, 1)))
    for each in (data, other, third, fourth):
        pb.step(model, each, 30)
    batch.step(30)
    for each in (other, third, fourth):
        assert np.array_equal(each.qpos, data.qpos)
    assert np.array_equal(batch.qpos[1], data.qpos)


def test_a_failed_step_leaves_the_state_before_it() -> None:
    model, data = settled(mixed())
    data.qvel[0] = 1e200
    state = data.get_state()
    with pytest.raises(pb.SimulationError):
        pb.step(model, data, 3)
    assert np.array_equal(data.get_state(), state)
    data.qvel[0] = np.nan
    with pytest.raises(pb.SimulationError, match="NaN or infinite"):
        pb.step(model, data)


@pytest.mark.parametrize("solver", ["Newton", "CG", "PGS"])
@pytest.mark.parametrize("change", ["deep", "same place", "no iterations", "contradiction"])
def test_bad_states_end_in_finite_numbers_or_an_error(change: str, solver: str) -> None:
    text = mixed("elliptic", solver, noslip=3)
    if change == "contradiction":
        pin = '<connect body1="hung" body2="world" anchor="0 0 .1"/>'
        text = text.replace(
            "<equality>", f"<equality>{pin}<connect body1='box' body2='world' anchor='1e3 0 9'/>"
        )
    model = loaded(text)
    if change == "no iterations":
        model = model.replace(opt_iterations=0, opt_ls_iterations=0, opt_noslip_iterations=0)
    data = pb.Data(model)
    if change == "deep":
        data.qpos[2] = -5000.0
    elif change == "same place":
        data.qpos[7:10] = data.qpos[:3]
    try:
        pb.step(model, data, 5)
    except pb.SimulationError:
        return
    assert np.isfinite(data.qpos).all()
    assert np.isfinite(data.qacc).all()
    assert int(data.solver_niter[0]) <= model.opt_iterations + model.opt_noslip_iterations


def test_flags_switch_rows_off() -> None:
    document = pb.read("scene.xml", text=mixed(), policy="warn")
    every = pb.Data(pb.lower(document))
    pb.forward(every.model, every)
    kinds = {"equality": {0}, "frictionloss": {1, 2}, "limit": {3, 4}, "contact": {5, 6}}
    for word, types in kinds.items():
        data = pb.Data(pb.lower(document, disable=(word,)))
        pb.forward(data.model, data)
        assert set(data.efc_type.tolist()) == set(every.efc_type.tolist()) - types
    free = pb.lower(document, disable=("constraint",))
    assert not free.opt_constrained
    data = pb.Data(free)
    pb.forward(free, data)
    assert (data.nefc, data.ncon, len(data.contact), len(data.efc_force)) == (0, 0, 0, 0)
    with pytest.raises(IndexError, match="there is no contact 0: there are 0"):
        pb.contact_force(free, data, 0)


@pytest.mark.parametrize("solver", ["Newton", "CG", "PGS"])
def test_motion_that_is_given_stays_whatever_constraints_do(solver: str) -> None:
    """A crank with prescribed motion, against limits, friction and a sphere on the floor."""
    model = loaded(mixed(solver=solver))
    kinds = model.jnt_prescribed.copy()
    turn = model.row("joint", "turn")
    kinds[turn] = 2
    given = model.replace(jnt_prescribed=kinds, opt_tolerance=1e-18, opt_iterations=3000)
    data = pb.Data(given)
    dof = int(model.jnt_dofadr[turn])
    data.qvel[dof] = 0.7
    for _ in range(20):
        pb.forward(given, data)
        assert data.qacc[dof] == pytest.approx(-data.qvel[dof] / given.opt_timestep)
        left = data.qM @ data.qacc - data.qfrc_smooth - data.qfrc_constraint
        most = np.abs(np.delete(data.qfrc_constraint, dof)).max()
        assert np.abs(np.delete(left, dof)).max() < ROUNDED[solver] * most
        pb.step(given, data)
        assert abs(data.qvel[dof]) < 1e-12
    assert np.abs(data.qfrc_constraint[dof]) > 1e-6
