"""Dynamics of a simulation: what the compiled kernels compute, by name."""

from __future__ import annotations

from collections.abc import Callable
from operator import index

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.engine.divergence import explain
from polybody.engine.unsimulated import require_simulated
from polybody.errors import SimulationError
from polybody.generated.kernels import dynamics
from polybody.model.data import Data, symmetric
from polybody.model.flags import ENABLE
from polybody.model.model import Model

Reals = NDArray[np.float64]
UNINTERRUPTED = 1_000_000
"""Degrees of freedom times steps that are taken in one go: some tenths of a second, so that Ctrl-C works."""


def forward(model: Model, data: Data) -> None:
    """Everything at this instant: poses, velocities, forces, accelerations.

    From the state and what acts (time, qpos, qvel, act, ctrl, qfrc_applied, xfrc_applied, mocap_pos,
    mocap_quat) to every result of a Data but those of :func:`mass_matrix`, :func:`jacobian` and
    :func:`inverse`. ``qacc = (M + regularization)^-1 qfrc_smooth`` comes by articulated bodies (Featherstone,
    Rigid Body Dynamics Algorithms, ch. 7): linear in the bodies, without a mass matrix.

    Raises:
        ModelError: the Model holds what would act and is not simulated yet.
        ValueError: ``data`` simulates another Model.
    """
    kernel = _same(model, data)
    require_simulated(model, stepping=False)
    dynamics.forward(kernel, data.kernel)
    if int(model.opt_enableflags) & ENABLE["energy"]:
        dynamics.energy(kernel, data.kernel)


def forward_kinematics(model: Model, data: Data) -> None:
    """Body poses alone: xpos, xquat, xmat from qpos; raises like :func:`forward`."""
    dynamics.forward_kinematics(_same(model, data), data.kernel)


def step(model: Model, data: Data, n: int = 1) -> None:
    """Take ``n`` steps with the Model's integrator. The kernels run without the GIL.

    Afterwards time, qpos, qvel are those of the new instant; what depends on them (poses, forces) is that of
    the last evaluation before it until :func:`forward` is called.

    Raises:
        ModelError: the Model holds what would act and is not simulated yet.
        TypeError: ``n`` is no whole number.
        ValueError: ``n`` is negative, or ``data`` simulates another Model.
        SimulationError: a step would have left the finite numbers; ``data`` holds the state before that step.
    """
    kernel = _same(model, data)
    require_simulated(model)
    advance(data, n, lambda count: dynamics.step(kernel, data.kernel, count))


def advance(data: Data, n: int, take: Callable[[int], int]) -> None:
    """Take ``n`` steps in pieces, so that Ctrl-C works; raises like :func:`step`.

    Args:
        data: the simulation.
        n: how many steps.
        take: takes so many steps and returns how many were completed; ``data`` holds the state after those.
    """
    n = index(n)
    if n < 0:
        raise ValueError(f"{n} steps cannot be taken")
    piece = max(1, UNINTERRUPTED // (data.model.nv + 1))
    done = 0
    while done < n:
        count = min(piece, n - done)
        completed = take(count)
        done += completed
        if completed < count:
            raise _failure(data, done)


def inverse(model: Model, data: Data) -> Reals:
    """The joint forces from outside that bring about ``data.qacc``, shape (nv,); also left in qfrc_inverse.

    ``(M + regularization) qacc + qfrc_bias - qfrc_passive`` by recursive Newton-Euler, so that after
    :func:`forward` it gives back qfrc_applied. Raises like :func:`forward`.
    """
    kernel = _same(model, data)
    require_simulated(model, stepping=False)
    dynamics.passive(kernel, data.kernel)
    dynamics.inverse(kernel, data.kernel)
    data.qfrc_inverse -= data.qfrc_passive
    return data.qfrc_inverse.copy()


def mass_matrix(model: Model, data: Data) -> Reals:
    """The mass matrix with the armature at qpos, dense, shape (nv, nv), which is the caller's to change.

    By composite rigid bodies; memory grows with nv squared. Raises like :func:`forward`.
    """
    dynamics.mass_matrix(_same(model, data), data.kernel)
    return symmetric(model, data.kernel.array("qM"))


def energy(model: Model, data: Data) -> tuple[float, float]:
    """Potential (gravity, zero at the world's origin, and springs) and kinetic energy, J.

    Raises like :func:`forward`.
    """
    dynamics.energy(_same(model, data), data.kernel)
    potential, kinetic = data.energy.tolist()
    return potential, kinetic


def jacobian(
    model: Model, data: Data, body: str | int, point: ArrayLike | None = None
) -> tuple[Reals, Reals]:
    """How a body moves with the degrees of freedom: two arrays of shape (3, nv), in world axes.

    ``jacp @ qvel`` is the velocity of the body's origin, or of the body's point that is at ``point`` in the
    world just now; ``jacr @ qvel`` its angular velocity. Also leaves the poses of all bodies in xpos, xquat,
    xmat, and the axes of all degrees of freedom in dof_xaxis, dof_xanchor. Raises like :func:`forward`, and:

    Raises:
        KeyError, IndexError: no such body.
        ValueError: ``point`` has another shape than (3,).
    """
    dynamics.jacobian(_same(model, data), data.kernel)
    row = model.row("body", body)
    where = data.xpos[row] if point is None else np.asarray(point, dtype=np.float64)
    if where.shape != (3,):
        raise ValueError(f"a point has the shape (3,), what was given {where.shape}")
    above = _above(model, row)
    axes = data.dof_xaxis[above]
    jacp, jacr = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    jacr[:, above] = axes[:, :3].T
    jacp[:, above] = (axes[:, 3:] + np.cross(axes[:, :3], where - data.dof_xanchor[above])).T
    return jacp, jacr


def _above(model: Model, body: int) -> list[int]:
    """The degrees of freedom between a body and the world."""
    while body and not model.body_dofnum[body]:
        body = int(model.body_parentid[body])
    dof = int(model.body_dofadr[body] + model.body_dofnum[body]) - 1 if body else -1
    found = []
    while dof >= 0:
        found.append(dof)
        dof = int(model.dof_parentid[dof])
    return found


def _same(model: Model, data: Data) -> dynamics.KernelModel:
    if data.model is not model and data.model != model:
        raise ValueError(f"the data simulate {data.model!r}, not {model!r}")
    kernel: dynamics.KernelModel = data.kernel.model
    return kernel


def _failure(data: Data, done: int) -> SimulationError:
    """What to say of a step that failed after ``done`` others; ``data`` is looked at, not changed."""
    return explain(data.copy(), done)
