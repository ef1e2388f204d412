"""Dynamics of a simulation: what the compiled kernels compute, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import index

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.engine import at_state
from polybody.engine.data import INPUTS, Data, known_after_step
from polybody.engine.divergence import LIMIT, explain
from polybody.engine.own_plugins import OF_PLUGINS, advance_beside, beside_kernels, complete
from polybody.engine.requested import symmetric
from polybody.engine.singular import mark_undetermined, require_determined, undetermined
from polybody.engine.unsimulated import require_simulated
from polybody.errors import ModelError
from polybody.generated.kernels import dynamics
from polybody.generated.kernels.layout import KernelData
from polybody.generated.model import Integrator, Prescription
from polybody.model.flags import ENABLE
from polybody.model.model import Model

Reals = NDArray[np.float64]
UNINTERRUPTED = 1_000_000
"""Degrees of freedom times steps that are taken without interruption: some tenths of a second, so Ctrl-C
works.
"""


def reset(model: Model, data: Data, key: str | int | None = None) -> None:
    """Reset to the initial state, or to a key by name or number; see :meth:`Data.reset`.

    Raises:
        KeyError, IndexError: the Model has no such key.
        ValueError: ``data`` simulates another Model.
    """
    same(model, data)
    data.reset(key)


def forward(model: Model, data: Data) -> None:
    """Compute everything at this instant: poses, velocities, forces, accelerations.

    Computes all results of a Data from the state and the inputs (time, qpos, qvel, act, ctrl, qfrc_applied,
    xfrc_applied, mocap_pos, mocap_quat), except those of :func:`mass_matrix`, :func:`jacobian` and
    :func:`inverse`. ``qacc = (M + regularization)^-1 qfrc_smooth`` is computed with articulated bodies
    (Featherstone, Rigid Body Dynamics Algorithms, ch. 7): linear in the number of bodies, without a mass
    matrix. If the mass matrix is singular by the Model's structure, qacc of that tree, and cacc and cfrc_int
    of its bodies, are NaN.

    Results are not examined: where numbers of the Model, the state or the inputs are so large that sums and
    products of them overflow, they are NaN or infinite, without an error. Steps raise a SimulationError then.

    Raises:
        ModelError: the Model contains elements that would act and are not simulated yet, or constraints that
            need larger arrays than are possible.
        ValueError: ``data`` simulates another Model.
        MemoryError: there is not enough memory for the constraints.

    A signal, such as Ctrl-C, is handled as in :func:`step`.
    """
    kernel = kernel_of(model, data)
    alone = model.once("forward by kernels alone", _alone, model)
    dynamics.forward(kernel.model, kernel)
    require_rows(kernel)
    if alone:
        data.evaluated()
    else:
        _complete(model, data)


def _complete(model: Model, data: Data) -> Reals:
    """What forward() does after the kernel. Returns the joint forces of plugins, (nv,), in qacc included."""
    if int(model.opt_enableflags) & ENABLE["energy"]:
        kernel = data.kernel
        dynamics.energy(kernel.model, kernel)
    data.evaluated()
    forces = complete(model, data) if beside_kernels(model) else np.zeros(model.nv)
    require_rows(data.kernel)
    mark_undetermined(model, data)
    return forces


def _forward(model: Model, data: Data) -> Reals:
    """forward(), and the joint forces of plugins, (nv,)."""
    kernel = kernel_of(model, data)
    dynamics.forward(kernel.model, kernel)
    require_rows(kernel)
    return _complete(model, data)


def _alone(model: Model) -> bool:
    """Whether the kernel computes all that forward() does. Raises like it."""
    require_simulated(model, stepping=False, beside=True)
    others = int(model.opt_enableflags) & ENABLE["energy"] or beside_kernels(model)
    return not (others or undetermined(model).any())


def require_rows(kernel: dynamics.KernelData) -> None:
    """Raise the error for which constraints could not be computed, if there is one.

    Raises:
        ModelError, MemoryError: they need more memory than arrays may have, or than there is.
        BaseException: what the handler of a signal raised, such as KeyboardInterrupt.
    """
    if kernel.solver is not None:
        kernel.solver.require_rows()


def forward_kinematics(model: Model, data: Data) -> None:
    """Compute only body poses: xpos, xquat, xmat from qpos; raises like :func:`forward`."""
    kernel = kernel_of(model, data)
    dynamics.forward_kinematics(kernel.model, kernel)
    data.computed("xpos", "xquat", "xmat")


def step(model: Model, data: Data, n: int = 1) -> None:
    """Take ``n`` steps with the Model's integrator. The kernels run without the GIL.

    Afterwards time, qpos, qvel, act are those of the new instant. qacc, contacts, sensordata and the forces
    of actuators and constraints belong to the evaluation of the last step; for other results see
    :class:`Data`.

    Raises:
        ModelError: the Model has elements that would act and are not simulated yet, or its mass matrix is
            singular.
        TypeError: ``n`` is not an integer.
        ValueError: ``n`` is negative, or ``data`` simulates another Model.
        SimulationError: in a step, qpos, qvel or qacc would become NaN or exceed 1e10 in magnitude; ``data``
            has the state before that step.
        RuntimeError: another thread is using ``data``.
        MemoryError: there is not enough memory for the constraints of a step.

    A signal, such as Ctrl-C, is handled between the iterations of a constraint solver, between pairs of geoms
    in a search for contacts, and between steps. If its handler raises, ``data`` has the state before that
    step.
    """
    kernel = kernel_of(model, data)
    beside = model.once("steps beside kernels", _beside, model)

    def take(count: int) -> int:
        return int(dynamics.step(kernel.model, kernel, count, LIMIT))

    known = _after_step(model)
    if beside:
        forces = partial(_forward, model, data)
        advance(data, n, lambda count: advance_beside(model, data, count, take, forces), known)
    else:
        advance(data, n, take, known)


def _after_step(model: Model) -> frozenset[str]:
    """The columns that are known after a step of the loop kernels."""

    def find() -> frozenset[str]:
        own = OF_PLUGINS if beside_kernels(model) else ()
        return known_after_step(model, ("sensordata", *own))

    return model.once("columns known after a step", find)


def _beside(model: Model) -> bool:
    """Whether a step has parts beside the kernels. Raises like step()."""
    require_simulated(model, beside=True)
    require_determined(model)
    return beside_kernels(model)


def step1(model: Model, data: Data) -> None:
    """The first half of a step: everything at this instant, as :func:`forward` computes it, so that controls
    can be computed from it. Forces of actuators are those of the previous controls.

    Raises the same errors as :func:`step`.
    """
    require_simulated(model, beside=True)
    forward(model, data)


def step2(model: Model, data: Data) -> None:
    """The second half of a step: forces with the current controls, accelerations, and the state of the next
    instant, with the Model's integrator, or semi-implicit Euler instead of RK4.

    With any other integrator, :func:`step1` followed by this equals one :func:`step`. Raises the same errors
    as :func:`step`.
    """
    kernel = kernel_of(model, data)
    require_simulated(model)
    require_determined(model)
    known = known_after_step(model, ("sensordata",))
    if not model.opt_constrained:  # this may be another integrator
        known -= {"qacc"}
    late = 0
    if model.opt_integrator == Integrator.RK4:
        late = model.once("opt_late of Euler", _late_in_euler, model)
    advance(data, 1, lambda count: dynamics.single_step(kernel.model, kernel, LIMIT, late), known)


def _late_in_euler(model: Model) -> int:
    return int(model.replace(opt_integrator=Integrator.Euler)._column("opt_late"))


def most_at_once(model: Model) -> int:
    """How many steps are taken in one go."""
    return max(1, UNINTERRUPTED // ((model.nv + 1) * effort(model)))


def effort(model: Model) -> int:
    """By what factor the limits of iterations allow a step to take longer than with MuJoCo's defaults."""

    def find() -> int:
        line = int(model.opt_iterations) * int(model.opt_ls_iterations) // (100 * 50)
        sdf = int(model.opt_sdf_iterations) * int(model.opt_sdf_initpoints) // (10 * 40)
        return max(1, line, sdf, int(model.opt_noslip_iterations) // 100, int(model.opt_ccd_iterations) // 50)

    return model.once("effort of a step", find)


def advance(
    data: Data, n: int, take: Callable[[int], int], known: frozenset[str], limit: float = LIMIT
) -> None:
    """Take ``n`` steps in pieces, so that Ctrl-C works; raises the same errors as :func:`step`.

    Args:
        data: the simulation.
        n: number of steps.
        take: takes a number of steps and returns how many were completed; ``data`` has the state after those.
        known: the columns of ``data`` that are of the defined instant afterwards.
        limit: the largest magnitude of qpos, qvel and qacc that it accepts.
    """
    n = index(n)
    if n < 0:
        raise ValueError(f"the number of steps must not be negative, got {n}")
    done = 0
    while done < n:
        count = n - done
        if count > 1:
            count = min(count, most_at_once(data.model))
        completed = take(count)
        done += completed
        if completed < count:
            solver = data.kernel.solver
            if solver is not None and solver.refused is not None:
                data.stepped(INPUTS)
                solver.require_rows()
            data.stepped(INPUTS | {"qacc"})  # of the failed step
            raise explain(data.copy(), done, limit)
    if done:
        data.stepped(known)


def inverse(model: Model, data: Data) -> Reals:
    """The external joint forces that produce ``data.qacc``, shape (nv,); also stored in qfrc_inverse.

    ``(M + regularization) qacc + qfrc_bias - qfrc_passive - qfrc_constraint`` by recursive Newton-Euler, with
    the constraint forces at these accelerations. After :func:`forward` the result is qfrc_applied +
    qfrc_actuator plus the joint forces of xfrc_applied. xfrc_applied is not used, and controls only as the
    velocities of servo motors, whose forces are constraint forces. With the flag invdiscrete, ``data.qacc``
    is the change of qvel in a step divided by the time step: the result then includes the terms that the
    Model's integrator evaluates at the end of the step, dampers or all of data.qDeriv.

    Raises like :func:`forward`, except for sensors, and ModelError with invdiscrete and RK4, which has no
    such acceleration.
    """
    kernel = kernel_of(model, data)
    discrete = model.once("inverse of discrete steps", _discrete, model)
    given = data.qacc  # of the defined instant
    if model.once("servo motors", _has_servos, model):
        _command(kernel)
    if not discrete:
        dynamics.inverse_dynamics(kernel.model, kernel)
        require_rows(kernel)
        data.computed("qfrc_inverse", "qfrc_passive", "qfrc_constraint")
        return kernel.array("qfrc_inverse").copy()
    dynamics.passive(kernel.model, kernel)
    late = model.opt_timestep * _late_forces(model, data)
    given = given.copy()
    if model.opt_constrained:  # constraint forces follow from the accelerations of this instant
        data.qacc -= solve_m(model, data, late)
        dynamics.invert(kernel.model, kernel)
        require_rows(kernel)
        data.qacc = given
    dynamics.inverse(kernel.model, kernel)
    data.computed("qfrc_inverse", "qfrc_passive", "qfrc_constraint")
    data.qfrc_inverse -= data.qfrc_passive + late
    if model.opt_constrained:
        data.qfrc_inverse -= data.qfrc_constraint
    return data.qfrc_inverse.copy()


def _has_servos(model: Model) -> bool:
    return bool((model.jnt_prescribed == Prescription.servo).any())


def _command(kernel: KernelData) -> None:
    """Compute dof_drive, the velocities of servo motors, from the controls."""
    for compute in (dynamics.passive, dynamics.jacobian, dynamics.actuation):
        compute(kernel.model, kernel)


def _discrete(model: Model) -> bool:
    """Whether accelerations are changes of velocity in a step. Raises like inverse()."""
    require_simulated(model, stepping=False, measuring=False)
    return bool(int(model.opt_enableflags) & ENABLE["invdiscrete"])


def _late_forces(model: Model, data: Data) -> Reals:
    """Joint forces per time step that the integrator evaluates at the end of the step, from data.qacc."""
    if model.opt_integrator == Integrator.RK4:
        raise ModelError(
            ["the flag invdiscrete has no meaning with the integrator RK4: choose another integrator"]
        )
    if model.opt_integrator == Integrator.Euler:
        slope = model.dof_damping
        if model._column("opt_polynomials"):
            slope = slope + data.kernel.array("dof_polyslope")
        return -(int(model.opt_implicit_damping) * slope * data.qacc)
    derivative = data.qDeriv.copy()
    if model.opt_integrator == Integrator.implicitfast:
        alone = np.flatnonzero((model.dof_simplenum > 0) & (model.dof_gyroscopic == 0))
        derivative[alone] = np.diag(np.diag(derivative))[alone]
    found: Reals = derivative @ data.qacc
    return found


def mass_matrix(model: Model, data: Data) -> Reals:
    """The mass matrix with the armature at qpos, dense, shape (nv, nv), as a new array.

    Uses composite rigid bodies; memory is quadratic in nv. Raises like :func:`forward`.
    """
    kernel = kernel_of(model, data)
    dynamics.mass_matrix(kernel.model, kernel)
    return symmetric(model, kernel.array("qM"))


def mul_m(model: Model, data: Data, vector: ArrayLike) -> Reals:
    """The mass matrix with the armature at qpos times a vector (nv,), or times each row of (n, nv).

    Linear in the entries of the sparse matrix. Raises like :func:`forward`, and ValueError for another shape.
    """
    return at_state.multiply(kernel_of(model, data), _vectors(vector))


def solve_m(model: Model, data: Data, vector: ArrayLike) -> Reals:
    """Solve with the mass matrix at qpos, including armature and regularization, for a vector (nv,) or each
    row of (n, nv): the accelerations that joint forces cause.

    Uses the sparse factors L^T D L (Featherstone, Rigid Body Dynamics Algorithms, ch. 6.5). If the matrix is
    singular, the result is not finite. Raises like :func:`forward`, and ValueError for another shape.
    """
    return at_state.solve(kernel_of(model, data), _vectors(vector))


def _vectors(vector: ArrayLike) -> Reals:
    return np.asarray(vector, np.float64, order="C")


def energy(model: Model, data: Data) -> tuple[float, float]:
    """Potential (gravity, zero at the world's origin, and springs) and kinetic energy, J.

    Raises like :func:`forward`.
    """
    return at_state.energy(kernel_of(model, data))


def same(model: Model, data: Data) -> dynamics.KernelModel:
    """The kernels' copy of the Model that a Data simulates; raises like :func:`kernel_of`."""
    return kernel_of(model, data).model


def kernel_of(model: Model, data: Data) -> dynamics.KernelData:
    """The kernels' memory of a Data that simulates this Model.

    Raises:
        TypeError: these are no Model and no Data.
        ValueError: that is another Model.
    """
    if not isinstance(data, Data):
        raise TypeError(f"expected a Model, then a Data of it, not {model!r:.60} and {data!r:.60}")
    if data.model is not model and data.model != model:
        raise ValueError(f"the data simulate {data.model!r}, not {model!r}")
    kernel: dynamics.KernelData = data._kernel
    if kernel.lacks_solver:
        kernel = data.kernel
    return kernel
