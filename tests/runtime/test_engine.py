"""The engine's functions compared with each other, and its integrators with formulas written here."""

from __future__ import annotations

import numpy as np
import pytest
from polybody import engine
from polybody.engine.data import Data
from polybody.model.flags import DISABLE
from polybody.model.model import Model

from tests.runtime.models import chain, everything, pendulum

Reals = np.ndarray


def at_random(model: Model, seed: int) -> Data:
    rng = np.random.default_rng(seed)
    data = Data(model)
    data.qpos = data.qpos + 0.3 * rng.normal(size=model.nq)
    data.qvel = rng.normal(size=model.nv)
    data.qfrc_applied = rng.normal(size=model.nv)
    return data


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("regularization", [0.0, 0.5])
def test_forward_inverse_and_the_mass_matrix_agree(seed: int, regularization: float) -> None:
    model = everything(regularization=regularization)
    data = at_random(model, seed)
    engine.forward(model, data)
    matrix = engine.mass_matrix(model, data) + regularization * np.eye(model.nv)
    force = data.qfrc_applied + data.qfrc_passive - data.qfrc_bias
    assert matrix @ data.qacc == pytest.approx(force, abs=1e-11)
    assert np.array_equal(matrix, matrix.T)
    assert np.linalg.eigvalsh(matrix).min() > 0
    assert engine.inverse(model, data) == pytest.approx(data.qfrc_applied, abs=1e-11)
    _, kinetic = engine.energy(model, data)
    assert kinetic == pytest.approx(data.qvel @ engine.mass_matrix(model, data) @ data.qvel / 2)


def test_forces_are_minus_the_potentials_slope() -> None:
    model = everything()
    scalar = [int(model.joint(name).qposadr) for name in ("reach", "turn", "drill", "door")]
    dofs = [int(model.joint(name).dofadr) for name in ("reach", "turn", "drill", "door")]
    data = at_random(model, 1)
    data.qvel = 0
    engine.forward(model, data)
    force = data.qfrc_passive - data.qfrc_bias
    for coordinate, dof in zip(scalar, dofs, strict=True):
        slope, h = 0.0, 1e-6
        for side in (1, -1):
            other = data.copy()
            other.qpos[coordinate] += side * h
            slope += side * engine.energy(model, other)[0] / (2 * h)
        assert -slope == pytest.approx(force[dof], abs=1e-7)


def test_a_pendulum_accelerates_as_on_paper() -> None:
    model = pendulum(angle=0.7)
    data = Data(model)
    engine.forward(model, data)
    assert data.qacc[0] == pytest.approx(-9.81 * np.sin(0.7) / 1.001)
    assert data.body("bob").xmat.reshape(3, 3) @ [0, 0, -1] == pytest.approx([-np.sin(0.7), 0, -np.cos(0.7)])


# --- integrators -------------------------------------------------------------------------------------


def drift(timestep: float, integrator: str = "RK4", seconds: float = 10.0) -> float:
    """Largest change of the energy of an undamped pendulum with m g l = 9.81 J, released at 3 rad, in units
    of m g l.
    """
    model = pendulum(integrator=integrator, timestep=timestep, angle=3.0)
    data = Data(model)
    start = sum(engine.energy(model, data))
    worst = 0.0
    for _ in range(50):
        engine.step(model, data, round(seconds / timestep / 50))
        worst = max(worst, abs(sum(engine.energy(model, data)) - start))
    assert data.time == pytest.approx(seconds)
    return worst / 9.81


def test_rk4_keeps_a_pendulums_energy() -> None:
    assert drift(1e-3) < 1e-8


def test_halving_the_step_cuts_rk4s_drift_by_sixteen() -> None:
    coarse, fine, finer = drift(8e-3), drift(4e-3), drift(2e-3)
    assert coarse / fine >= 16
    assert fine / finer >= 16
    assert drift(1e-3) <= max(finer / 16, 1e-12)


def exponential(w: Reals) -> Reals:
    """The quaternion of a rotation vector."""
    angle = np.linalg.norm(w)
    return np.concatenate([[np.cos(angle / 2)], np.sinc(angle / 2 / np.pi) / 2 * w])


def product(a: Reals, b: Reals) -> Reals:
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def moved(model: Model, qpos: Reals, qvel: Reals, h: float) -> Reals:
    """Positions after a time at constant velocities, from the definition of every joint's coordinates."""
    result = qpos.copy()
    for row in range(model.njnt):
        joint = model.joint(row)
        q, v = joint.qposadr, joint.dofadr
        straight = {"free": 3, "ball": 0}.get(joint.type.name, 1)
        result[q : q + straight] += h * qvel[v : v + straight]
        if joint.type.name in ("free", "ball"):
            turn = qpos[q + straight : q + straight + 4]
            spin = qvel[v + straight : v + straight + 3]
            result[q + straight : q + straight + 4] = product(
                turn / np.linalg.norm(turn), exponential(h * spin)
            )
    return result


@pytest.mark.parametrize("implicit", [True, False])
@pytest.mark.parametrize("regularization", [0.0, 1e-6, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_a_step_of_euler_is_the_formula_on_the_dense_matrix(
    implicit: bool, regularization: float, seed: int
) -> None:
    """v' = v + h (M + h D + r)^-1 (applied + spring - D v - bias), and q' is q moved by v' for h."""
    model = everything(regularization=regularization).replace(
        opt_timestep=0.01, opt_disableflags=0 if implicit else DISABLE["eulerdamp"]
    )
    data = at_random(model, seed)
    engine.forward(model, data)
    h = model.opt.timestep
    matrix = engine.mass_matrix(model, data) + regularization * np.eye(model.nv)
    if implicit:
        matrix += h * np.diag(model.dof_damping)
    qacc = np.linalg.solve(matrix, data.qfrc_applied + data.qfrc_passive - data.qfrc_bias)
    qvel = data.qvel + h * qacc
    qpos = moved(model, data.qpos, qvel, h)
    engine.step(model, data)
    assert data.time == h
    assert data.qvel == pytest.approx(qvel, abs=1e-12)
    assert data.qpos == pytest.approx(qpos, abs=1e-12)


def test_a_step_of_rk4_is_the_classical_formula() -> None:
    model = everything().replace(opt_timestep=0.01, opt_integrator="RK4")
    data = at_random(model, 2)
    h, q0, v0 = 0.01, data.qpos.copy(), data.qvel.copy()
    probe = data.copy()

    def slope(qpos: Reals, qvel: Reals) -> tuple[Reals, Reals]:
        probe.qpos, probe.qvel = qpos, qvel
        engine.forward(model, probe)
        return qvel.copy(), probe.qacc.copy()

    first = slope(q0, v0)
    second = slope(moved(model, q0, first[0], h / 2), v0 + h / 2 * first[1])
    third = slope(moved(model, q0, second[0], h / 2), v0 + h / 2 * second[1])
    fourth = slope(moved(model, q0, third[0], h), v0 + h * third[1])
    speed, force = (
        (a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(first, second, third, fourth, strict=True)
    )
    engine.step(model, data)
    assert data.qpos == pytest.approx(moved(model, q0, speed, h), abs=1e-12)
    assert data.qvel == pytest.approx(v0 + h * force, abs=1e-12)


def test_many_steps_are_steps_one_by_one() -> None:
    model = everything()
    at_once, one_by_one = at_random(model, 3), at_random(model, 3)
    engine.step(model, at_once, 50)
    for _ in range(50):
        engine.step(model, one_by_one)
    assert at_once.get_state().tolist() == one_by_one.get_state().tolist()
    before = at_once.get_state()
    engine.step(model, at_once, 0)
    assert at_once.get_state().tolist() == before.tolist()
    with pytest.raises(TypeError):
        engine.step(model, at_once, 1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the number of steps must not be negative"):
        engine.step(model, at_once, -1)


def test_a_model_that_cannot_move_can_be_stepped() -> None:
    model = Model(*_nothing())
    data = Data(model)
    engine.step(model, data, 10)
    engine.forward(model, data)
    assert data.time == pytest.approx(0.02)
    assert engine.mass_matrix(model, data).shape == (0, 0)
    assert engine.energy(model, data) == (0, 0)
    assert engine.inverse(model, data).shape == (0,)


def _nothing() -> tuple[dict[str, Reals], dict[str, list[str]]]:
    from polybody.assembly.builder import ModelBuilder

    model = ModelBuilder().build()
    return model.given(), {kind: list(names) for kind, names in model.names.items()}


def test_ten_thousand_bodies_are_stepped_without_their_mass_matrix() -> None:
    model = chain(10_000, timestep=1e-4)
    data = Data(model)
    start = sum(engine.energy(model, data))
    engine.step(model, data, 20)
    engine.forward(model, data)
    assert np.isfinite(data.qacc).all()
    force = data.qfrc_applied
    assert engine.inverse(model, data) == pytest.approx(force, abs=1e-6)
    assert sum(engine.energy(model, data)) == pytest.approx(start, abs=1e-3 * abs(start))
    assert "qM" not in data.kernel.arrays or data.kernel.arrays["qM"].size == 0


def test_many_steps_are_taken_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    model = everything()
    whole, pieces = at_random(model, 0), at_random(model, 0)
    engine.step(model, whole, 100)
    monkeypatch.setattr(engine.dynamics, "UNINTERRUPTED", 7 * (model.nv + 1))
    engine.step(model, pieces, np.int64(100))
    assert pieces.get_state().tolist() == whole.get_state().tolist()
