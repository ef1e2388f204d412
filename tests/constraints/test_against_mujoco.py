"""Rows, forces and accelerations compared with MuJoCo 3.2.7, at states of its own trajectories."""

from __future__ import annotations

from typing import Any

import numpy as np
import polybody as pb
import pytest

from tests.constraints.scenes import GUIDED, STICKY, loaded, mixed

mujoco = pytest.importorskip("mujoco")
INPUTS = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "qacc_warmstart")
NUDGES = 10
"""Allowed difference, as a multiple of the effect of one ulp of qpos."""


class Beside:
    """A model in both engines, at states of MuJoCo's trajectory."""

    def __init__(self, text: str) -> None:
        self.engine: Any = mujoco.MjModel.from_xml_string(text)
        self.theirs, self.nudged = mujoco.MjData(self.engine), [mujoco.MjData(self.engine) for _ in range(3)]
        self.model = loaded(text)
        self.data = pb.Data(self.model)
        self.draw = np.random.default_rng(3)
        self.theirs.qvel[:] = self.draw.normal(size=self.engine.nv)

    def go(self, steps: int) -> None:
        for _ in range(steps):
            mujoco.mj_step(self.engine, self.theirs)

    def compute(self) -> None:
        """forward() of both at MuJoCo's state, which is left unchanged, and of MuJoCo at a perturbed
        state.
        """
        everything = mujoco.mjtState.mjSTATE_INTEGRATION
        state = np.zeros(mujoco.mj_stateSize(self.engine, everything))
        mujoco.mj_getState(self.engine, self.theirs, state, everything)
        for name in INPUTS:
            setattr(self.data, name, np.array(getattr(self.theirs, name)))
        self.data.eq_active = self.theirs.eq_active
        for nudged in self.nudged:
            mujoco.mj_setState(self.engine, nudged, state, everything)
            nudged.qpos[:] = np.nextafter(nudged.qpos, self.draw.choice([-np.inf, np.inf], self.engine.nq))
            mujoco.mj_forward(self.engine, nudged)
        mujoco.mj_forward(self.engine, self.theirs)
        mujoco.mj_rnePostConstraint(self.engine, self.theirs)
        pb.forward(self.model, self.data)
        mujoco.mj_setState(self.engine, self.theirs, state, everything)

    def jacobian(self) -> np.ndarray:
        theirs, shape = self.theirs, (self.theirs.nefc, self.engine.nv)
        if not mujoco.mj_isSparse(self.engine):
            return np.array(theirs.efc_J).reshape(shape)
        dense = np.zeros(shape)
        mujoco.mju_sparse2dense(
            dense, theirs.efc_J.ravel(), theirs.efc_J_rownnz, theirs.efc_J_rowadr, theirs.efc_J_colind.ravel()
        )
        return dense

    def apart(self, name: str) -> float:
        """Difference from MuJoCo's result, relative to its size."""
        given = np.ravel(getattr(self.theirs, name))
        found = np.ravel(getattr(self.data, name))
        return float(np.abs(found - given).max(initial=0) / (1 + np.abs(given).max(initial=0)))

    def allowed(self, name: str, least: float = 1e-9) -> float:
        """The difference allowed."""
        given = np.ravel(getattr(self.theirs, name))
        moved = max(np.abs(np.ravel(getattr(nudged, name)) - given).max() for nudged in self.nudged)
        return max(least, NUDGES * float(moved / (1 + np.abs(given).max())))


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_rows_are_those_of_mujoco(cone: str, jacobian: str) -> None:
    pair = Beside(mixed(cone, impratio=3.0, jacobian=jacobian))
    kinds: set[int] = set()
    for number in range(12):
        pair.theirs.eq_active[2] = number % 2
        pair.theirs.eq_active[4] = number % 3 == 0
        pair.go(15)
        pair.compute()
        theirs, data = pair.theirs, pair.data
        assert (data.ncon, data.nefc, data.ne, data.nf, data.nl) == (
            theirs.ncon, theirs.nefc, theirs.ne, theirs.nf, theirs.nl,
        )  # fmt: skip
        assert data.efc_type.tolist() == theirs.efc_type.tolist()
        assert data.efc_id.tolist() == theirs.efc_id.tolist()
        assert np.abs(data.efc_J - pair.jacobian()).max() < 1e-12
        for name in ("pos", "margin", "frictionloss", "diagApprox", "KBIP", "R", "D", "vel", "aref"):
            assert pair.apart("efc_" + name) < 1e-11, name
        for name in ("mu", "dim", "exclude", "efc_address", "friction", "geom"):
            found, given = data.contact[name], getattr(theirs.contact, name)
            assert np.abs(found - given).max(initial=0) < 1e-15, name
        kinds |= set(data.efc_type.tolist())
    assert kinds == {0, 1, 2, 3, 4, 5, 6 if cone == "pyramidal" else 7}


@pytest.mark.parametrize("solver", ["Newton", "CG", "PGS"])
@pytest.mark.parametrize(
    ("cone", "noslip"), [("pyramidal", 0), ("elliptic", 0), ("pyramidal", 4), ("elliptic", 4)]
)
def test_accelerations_and_forces_are_those_of_mujoco(solver: str, cone: str, noslip: int) -> None:
    pair = Beside(mixed(cone, solver, noslip=noslip))
    different = 0
    for _ in range(12):
        pair.go(15)
        pair.compute()
        assert pair.theirs.nefc > 12
        for name in ("qacc", "qfrc_constraint"):
            assert pair.apart(name) < pair.allowed(name), name
        different += int(pair.theirs.solver_niter[0]) != int(pair.data.solver_niter[0])
    assert different <= 1


@pytest.mark.parametrize("solver", ["Newton", "PGS"])
@pytest.mark.parametrize("dim", [3, 4, 6])
def test_noslip_leaves_friction_whose_matrix_is_singular(solver: str, dim: int) -> None:
    pair = Beside(GUIDED.format(solver=solver, dim=dim))
    pair.theirs.qvel[:] = -1, 2, 1, -1
    pair.compute()
    assert pair.theirs.ncon >= 2
    for name in ("qacc", "efc_force"):
        assert pair.apart(name) < 1e-11, name


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_forces_on_bodies_and_inverse_dynamics_are_those_of_mujoco(cone: str) -> None:
    pair = Beside(mixed(cone))
    for _ in range(6):
        pair.go(20)
        pair.compute()
        for name in ("cfrc_ext", "cfrc_int", "cacc", "sensordata"):
            assert pair.apart(name) < 1e-9, name
        for number in range(pair.data.ncon):
            theirs = np.zeros(6)
            mujoco.mj_contactForce(pair.engine, pair.theirs, number, theirs)
            assert np.abs(pb.contact_force(pair.model, pair.data, number) - theirs).max() < 1e-7
        pair.data.qacc = pair.theirs.qacc[:] = pair.draw.normal(size=pair.engine.nv)
        mujoco.mj_inverse(pair.engine, pair.theirs)
        pb.inverse(pair.model, pair.data)
        assert pair.apart("qfrc_inverse") < 1e-10


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
def test_steps_are_those_of_mujoco(integrator: str) -> None:
    pair = Beside(mixed(integrator=integrator))
    pair.compute()
    pair.data.time = 0.0
    pb.step(pair.model, pair.data, 60)
    pair.go(60)
    assert np.abs(pair.data.qpos - pair.theirs.qpos).max() < 1e-9
    assert np.abs(pair.data.qvel - pair.theirs.qvel).max() < 1e-7
    assert np.abs(pair.data.qacc_warmstart - pair.theirs.qacc_warmstart).max() < 1e-5


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
@pytest.mark.parametrize("damping", [0.0, 0.05])
@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast"])
def test_velocities_follow_from_forces_where_the_solver_has_not_converged(
    integrator: str, damping: float, kernels: str
) -> None:
    """After one iteration accelerations differ greatly from those that its forces cause."""
    text = mixed(solver="CG", integrator=integrator).replace('damping="0.05"', f'damping="{damping}"')
    converging, engine = mujoco.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    engine.opt.iterations = 1
    along, theirs = mujoco.MjData(converging), mujoco.MjData(engine)
    stepper = pb.Stepper(loaded(text).replace(opt_iterations=1), kernels, results=())
    along.qvel[:] = np.random.default_rng(3).normal(size=engine.nv)
    again = np.zeros((1, engine.nv))
    for _ in range(10):
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(theirs, name)[:] = getattr(along, name)
            setattr(stepper.data, name, np.array(getattr(along, name)))
        mujoco.mj_step(engine, theirs)
        stepper.step()
        mujoco.mj_solveM(engine, theirs, again, (theirs.qfrc_smooth + theirs.qfrc_constraint)[None])
        assert np.abs(again - theirs.qacc).max() > 100
        assert np.abs(stepper.data.qvel - theirs.qvel).max() < 1e-9 * (1 + np.abs(theirs.qvel).max())
        mujoco.mj_step(converging, along)


@pytest.mark.parametrize("shape", ["sphere", "capsule", "ellipsoid", "cylinder", "box"])
def test_adhesion_and_touch_are_those_of_mujoco(shape: str) -> None:
    cone = "elliptic" if shape in ("capsule", "box") else "pyramidal"
    pair = Beside(STICKY.format(cone=cone, shape=shape))
    pair.theirs.qvel *= 0.2
    touched = np.zeros(3, dtype=bool)
    for _ in range(15):
        pair.theirs.ctrl[:] = pair.draw.uniform(0, 1, 2)
        pair.go(8)
        pair.compute()
        dense = np.zeros((2, pair.engine.nv))
        parts = (pair.theirs.moment_rownnz, pair.theirs.moment_rowadr, pair.theirs.moment_colind)
        mujoco.mju_sparse2dense(dense, pair.theirs.actuator_moment, *parts)
        assert np.abs(pair.data.actuator_moment - dense).max() < 1e-12
        for name in ("actuator_velocity", "actuator_force", "qfrc_actuator", "qacc", "sensordata"):
            assert pair.apart(name) < pair.allowed(name), name
        touched |= pair.data.sensordata > 0
    assert touched[:2].all()
