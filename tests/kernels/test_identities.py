"""Identities that hold for any tree and any implementation."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from polybody.generated.kernels import dynamics, layout

from .trees import (
    NV,
    Array,
    Body,
    Joint,
    chain,
    columns,
    dense,
    matrix,
    quaternions,
    random_body,
    random_joint,
    random_state,
    random_tree,
    unit,
)

SEEDS = range(6)
KINDS = (*NV, "all")


def simulation(
    c: dict[str, Array], seed: int = 0, scale: float = 1.0
) -> tuple[layout.KernelModel, layout.KernelData]:
    model = layout.KernelModel(c)
    data = layout.KernelData(model)
    for column, x in random_state(c, np.random.default_rng(seed), scale).items():
        data.array(column)[...] = x
    return model, data


def tree(kind: str, seed: int, nbody: int = 10) -> list[Body]:
    return random_tree(seed, nbody, tuple(NV) if kind == "all" else (kind,))


def moving(kind: str, seed: int, **options: float) -> dict[str, Array]:
    """Columns of the first random tree, starting from the seed, that has any degree of freedom."""
    while not any(body.joints for body in tree(kind, seed)):
        seed += 100
    return columns(tree(kind, seed), seed, **options)


def close(a: Array, b: Array, tolerance: float) -> bool:
    return bool(np.abs(a - b).max() <= tolerance * max(1.0, np.abs(b).max()))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_inverse_undoes_acceleration(kind: str, seed: int) -> None:
    c = moving(kind, seed, armature=0.1, regularization=1e-6)
    model, data = simulation(c)
    dynamics.acceleration(model, data)
    dynamics.inverse(model, data)
    assert close(data.array("qfrc_inverse"), data.array("qfrc_applied"), 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_mass_matrix_is_what_inverse_dynamics_multiply_by(kind: str, seed: int) -> None:
    c = moving(kind, seed, armature=0.1)
    model, data = simulation(c)
    dynamics.mass_matrix(model, data)
    dynamics.bias(model, data)
    M, bias = dense(c, data.array("qM")), data.array("qfrc_bias").copy()
    for i in range(model.nv):
        data.array("qacc")[:] = np.eye(model.nv)[i]
        dynamics.inverse(model, data)
        assert close(data.array("qfrc_inverse") - bias, M[i], 1e-11)
    assert np.linalg.eigvalsh(M).min() > 0


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_factors_multiply_to_the_matrix(kind: str, seed: int) -> None:
    c = moving(kind, seed, armature=0.1, regularization=0.5)
    model, data = simulation(c)
    dynamics.mass_matrix(model, data)
    dynamics.factor(model, data)
    L = np.tril(dense(c, data.array("qLD")), -1) + np.eye(model.nv)
    M = dense(c, data.array("qM")) + 0.5 * np.eye(model.nv)
    assert close(L.T @ np.diag(1 / data.array("qLDiagInv")) @ L, M, 1e-12)
    dynamics.bias(model, data)
    dynamics.solve(model, data)
    solved = data.array("qacc").copy()
    dynamics.acceleration(model, data)
    assert close(data.array("qacc"), solved, 1e-9)


def shifted(c: dict[str, Array], qpos: Array, qvel: Array, h: float) -> Array:
    """qpos after moving at qvel for a time h, by the integrator itself at zero acceleration."""
    still = {"dof_damping": 0 * qvel, "dof_stiffness": 0 * qvel, "dof_armature": 0 * qvel + 1}
    c = {**c, **still, "opt_timestep": np.array([abs(h)])}
    model = layout.KernelModel(c)
    data = layout.KernelData(model)
    data.array("qpos")[:], data.array("qvel")[:] = qpos, np.sign(h) * qvel
    dynamics.bias(model, data)
    data.array("qfrc_applied")[:] = data.array("qfrc_bias")
    assert dynamics.step(model, data) == 1
    return data.array("qpos").copy()


@pytest.mark.parametrize("kind", KINDS)
def test_velocities_are_the_rates_of_poses(kind: str) -> None:
    """Finite differences of forward kinematics: the time derivative of every body's pose gives the kinetic
    energy.
    """
    c = moving(kind, 3)
    model, data = simulation(c, 1)
    qpos, qvel = data.array("qpos").copy(), data.array("qvel").copy()
    dynamics.energy(model, data)
    kinetic, h, poses = data.array("energy")[0, 1], 1e-5, []
    R = data.array("xmat").reshape(-1, 3, 3).copy()
    for s in (h, -h):
        data.array("qpos")[:] = shifted(c, qpos, qvel, s)
        dynamics.forward_kinematics(model, data)
        poses.append((data.array("xpos").copy(), data.array("xmat").reshape(-1, 3, 3).copy()))
    v, dR = (poses[0][0] - poses[1][0]) / (2 * h), (poses[0][1] - poses[1][1]) / (2 * h)
    total = 0.0
    for b in range(1, model.nbody):
        W = R[b].T @ dR[b]  # angular velocity in the body's axes, as a skew matrix
        w = np.array([W[2, 1], W[0, 2], W[1, 0]])
        mass, h3, s = c["body_spatial"][b, 0], c["body_spatial"][b, 1:4], c["body_spatial"][b, 4:]
        J = np.array([[s[0], s[1], s[3]], [s[1], s[2], s[4]], [s[3], s[4], s[5]]])
        u = R[b].T @ v[b]
        total += 0.5 * w @ J @ w + 0.5 * mass * u @ u + u @ np.cross(w, h3)
    assert total == pytest.approx(kinetic, rel=1e-6)


def slopes_of_potential_energy(
    c: dict[str, Array], model: layout.KernelModel, data: layout.KernelData
) -> Array:
    """By central differences, for each degree of freedom; changes qpos and the energy."""
    qpos = data.array("qpos").copy()
    found = np.zeros(model.nv)
    for i in range(model.nv):
        ahead = []
        for h in (1e-5, -1e-5):
            data.array("qpos")[:] = shifted(c, qpos, np.eye(model.nv)[i], h)
            dynamics.energy(model, data)
            ahead.append(data.array("energy")[0, 0])
        found[i] = (ahead[0] - ahead[1]) / 2e-5
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_gravity_is_the_slope_of_potential_energy(kind: str) -> None:
    c = moving(kind, 4)
    model, data = simulation(c, 2)
    data.array("qvel")[:] = 0.0
    dynamics.bias(model, data)
    slopes = slopes_of_potential_energy(c, model, data)
    assert slopes == pytest.approx(data.array("qfrc_bias"), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_springs_are_the_slope_of_their_energy(kind: str) -> None:
    """Also for quaternions, which have such an energy if the stiffness is the same in all directions."""
    c = moving(kind, 5, gravity=(0, 0, 0))
    c["dof_stiffness"] = np.full(len(c["dof_parentid"]), 3.0)
    for a in quaternions(c):
        c["qpos_spring"][a : a + 4] = unit(np.array([1.0, 0.3, -0.2, 0.5]))
    model, data = simulation(c, 2)
    data.array("qvel")[:] = 0.0
    dynamics.passive(model, data)
    slopes = slopes_of_potential_energy(c, model, data)
    assert -slopes == pytest.approx(data.array("qfrc_passive"), rel=1e-5, abs=1e-5)


def test_a_balls_springs_act_per_axis_of_the_body() -> None:
    """Force k is minus stiffness k times component k of the rotation vector of q0^-1 q, of the shorter
    rotation.
    """
    c = columns([Body(0, [Joint("ball")])])
    c["dof_stiffness"], c["dof_damping"] = np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3])
    c["qpos_spring"] = unit(np.array([0.5, 0.1, -0.7, 0.2]))
    model, data = simulation(c, 3)
    turn = matrix(c["qpos_spring"]).T @ matrix(data.array("qpos"))
    angle = np.arccos((np.trace(turn) - 1) / 2)
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    vector = angle * axis / np.linalg.norm(axis)
    dynamics.passive(model, data)
    expected = -c["dof_stiffness"] * vector - c["dof_damping"] * data.array("qvel")
    assert close(data.array("qfrc_passive"), expected, 1e-12)
    data.array("qpos")[:] *= -1.0  # the same orientation
    dynamics.passive(model, data)
    assert close(data.array("qfrc_passive"), expected, 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_energy_is_kept(kind: str) -> None:
    """Undamped, under RK4, with springs and gravity; armature except for balls on one body, which share
    axes.
    """
    drifts = []
    for h, n in ((2e-3, 50), (2.5e-4, 400)):
        c = moving(kind, 6, timestep=h, integrator=1, armature=0.5)
        c["dof_stiffness"] = np.full(len(c["dof_parentid"]), 2.0)
        model, data = simulation(c, 4, 0.5)
        data.array("qfrc_applied")[:] = 0.0
        dynamics.energy(model, data)
        start = data.array("energy").sum()
        assert dynamics.step(model, data, n) == n
        dynamics.energy(model, data)
        drifts.append(abs(data.array("energy").sum() - start) / abs(start))
    assert drifts[1] < max(0.2 * drifts[0], 1e-13)
    assert drifts[1] < 1e-5


def test_momentum_is_kept() -> None:
    """A free tree without gravity: linear momentum, and angular momentum about the origin, are conserved."""
    rng = np.random.default_rng(1)
    bodies = [random_body(rng, 0, [Joint("free")])]
    for b in range(1, 6):
        kinds = rng.choice(["hinge", "slide", "ball", "screw"], size=2)
        bodies.append(random_body(rng, b, [random_joint(rng, str(kind)) for kind in kinds]))
    c = columns(bodies, timestep=1e-3, integrator=1, gravity=(0, 0, 0))
    model, data = simulation(c, 5)
    data.array("qfrc_applied")[:] = 0.0

    def momentum() -> Array:
        """Momentum from velocities by central differences of the poses."""
        qpos, qvel = data.array("qpos").copy(), data.array("qvel").copy()
        probe = layout.KernelData(model)
        poses = []
        for h in (0.0, 1e-5, -1e-5):
            probe.array("qpos")[:] = shifted(c, qpos, qvel, h) if h else qpos
            dynamics.forward_kinematics(model, probe)
            poses.append((probe.array("xpos").copy(), probe.array("xmat").reshape(-1, 3, 3).copy()))
        out = np.zeros(6)
        for b, body in enumerate(bodies, 1):
            x, R = poses[0][0][b], poses[0][1][b]
            centre = [p[0][b] + p[1][b] @ body.com for p in poses]
            W = (poses[1][1][b] - poses[2][1][b]) / 2e-5 @ R.T
            w = np.array([W[2, 1], W[0, 2], W[1, 0]])
            p = body.mass * (centre[1] - centre[2]) / 2e-5
            out[:3] += p
            out[3:] += np.cross(x + R @ body.com, p) + R @ body.inertia @ R.T @ w
        return out

    before = momentum()
    assert dynamics.step(model, data, 200) == 200
    assert close(momentum(), before, 1e-6)


def orders(make: Callable[[float], dict[str, Array]], t: float) -> list[float]:
    """Observed orders of convergence of qpos at time t, for halved steps."""
    finals = []
    for k in range(4):
        h = t / 50 / 2**k
        model, data = simulation(make(h), 6, 0.5)
        n = round(t / h)
        assert dynamics.step(model, data, n) == n
        finals.append(data.array("qpos").copy())
    errors = [np.abs(f - finals[-1]).max() for f in finals[:-1]]
    return [float(np.log2(a / b)) for a, b in pairwise(errors)]


@pytest.mark.parametrize(
    ("integrator", "types", "order"),
    [
        (0, ("hinge", "slide", "screw"), 1),
        (1, ("hinge", "slide", "screw"), 4),
        (1, ("ball",), 2),  # a mean of body-fixed rates rotates the quaternion, as in MuJoCo
    ],
)
def test_order_of_the_integrators(integrator: int, types: tuple[str, ...], order: int) -> None:
    rng = np.random.default_rng(8)
    bodies = [random_body(rng, b, [random_joint(rng, types[b % len(types)])]) for b in range(3)]
    options = {"integrator": integrator, "damping": 0.3, "stiffness": 2.0}
    made = orders(lambda h: columns(bodies, timestep=h, **options), 0.2)
    assert all(o > order - 0.3 for o in made), made


def test_a_pendulums_energy_under_rk4() -> None:
    """Released from 3 rad, 10 s at 1 ms: the drift is less than 1e-8 m g l, and 16 times less with half the
    step.
    """
    drifts = []
    for h in (4e-3, 2e-3, 1e-3):
        bob = Body(0, [Joint("hinge", np.array([0.0, 1, 0]))], mass=1.0, com=np.array([0, 0, -1.0]))
        bob.inertia = np.zeros((3, 3))
        c = columns([bob], timestep=h, integrator=1, gravity=(0, 0, -9.81))
        model, data = simulation(c)
        data.array("qpos")[:], data.array("qvel")[:], data.array("qfrc_applied")[:] = 3.0, 0.0, 0.0
        dynamics.energy(model, data)
        start = data.array("energy").sum()
        assert dynamics.step(model, data, round(10 / h)) == round(10 / h)
        dynamics.energy(model, data)
        drifts.append(abs(data.array("energy").sum() - start) / 9.81)
    assert drifts[2] < 1e-8
    assert drifts[0] > 16 * drifts[1] > 16 * 16 * drifts[2]


@pytest.mark.parametrize("joint", ["hinge", "ball"])
def test_a_chain_of_ten_thousand(joint: str) -> None:
    """No recursion, linear memory: the dense mass matrix, over 400 MB, is never built."""
    c = columns(chain(10_000, joint), armature=0.01)
    model, data = simulation(c, scale=0.01)
    dynamics.acceleration(model, data)
    dynamics.inverse(model, data)
    assert close(data.array("qfrc_inverse"), data.array("qfrc_applied"), 1e-6)
    assert dynamics.step(model, data, 3) == 3
    dynamics.energy(model, data)
    assert "qM" not in data.arrays
    assert sum(x.nbytes for x in data.arrays.values()) < 3900 * 10_000  # including columns of constraints


def test_steps_allocate_nothing() -> None:
    c = columns(random_tree(3), damping=0.1, stiffness=1.0)
    for integrator in (0, 1):
        model, data = simulation({**c, "opt_integrator": np.array([integrator])}, scale=0.1)
        dynamics.step(model, data, 10)
        before = resident()
        tracemalloc.start()
        dynamics.step(model, data, 5000)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1000  # Python's own boxing of the argument and result
        assert resident() - before < 1 << 20


def resident() -> int:
    """Bytes of resident memory of this process."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.parametrize("integrator", [0, 1])
def test_a_step_that_becomes_nan_or_infinite_is_not_taken(integrator: int) -> None:
    c = columns([Body(0, [Joint("slide")])], integrator=integrator, timestep=1.0, gravity=(0, 0, 0))
    model, data = simulation(c)
    data.array("qpos")[:], data.array("qvel")[:], data.array("qfrc_applied")[:] = 0.0, 1.0, 0.0
    assert dynamics.step(model, data, 3) == 3
    data.array("qfrc_applied")[:] = np.inf
    assert dynamics.step(model, data, 3) == 0
    kept = [data.array(column)[0] for column in ("time", "qpos", "qvel")]
    assert kept == pytest.approx([3.0, 3.0, 1.0])
    assert not np.isfinite(data.array("qacc")).all()
    data.array("qfrc_applied")[:] = 1e308
    assert dynamics.step(model, data, 5) == 1


@pytest.mark.parametrize("far", [1.0, 1e3, 99_999.9, 1e5, 1e7, 1e15])
def test_sines_far_from_zero(far: float) -> None:
    """After many turns of an axis its sine is that of the C library."""
    bodies = [Body(0, [Joint("hinge")]) for _ in range(9)]
    model, data = simulation(columns(bodies))
    data.array("qpos")[:] = far * np.linspace(-1.0, 1.0, 9)
    dynamics.bias(model, data)
    for column, f in (("qsin", np.sin), ("qcos", np.cos)):
        assert np.abs(data.array(column) - f(data.array("qpos"))).max() < 3e-16
