"""DART's generalized coordinates of a Model, skeletons one after the other in the order of the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.engine.data import Data
from polybody.generated.kernels import dynamics
from polybody.generated.model import Integrator
from polybody.lowering import native
from polybody.lowering.native import Part
from polybody.model.flags import DISABLE
from polybody.model.model import Model

Reals = NDArray[np.float64]


class Held(NamedTuple):
    """A joint of an immobile skeleton: its coordinates are part of DART's, but do not change."""

    name: str
    q: int
    v: int
    coordinates: Reals
    """Its coordinates: (n,), as many as velocities."""


class Native(native.Native):
    """DART's coordinates: skeletons in the order of the file, joints in the order in which DART creates them.

    A rotation vector for a ball joint; a rotation vector and a position for a free joint; angles and lengths
    otherwise. The coordinates of immobile skeletons are part of q, constant, and their velocities are 0.

    Args:
        model: the Model.
        parts: joints that move.
        held: joints of immobile skeletons.
        driven: actuators of joints with prescribed velocity, each with the index of that velocity in v.
    """

    def __init__(
        self,
        model: Model,
        parts: Sequence[Part],
        held: Sequence[Held] = (),
        driven: Sequence[tuple[int, int]] = (),
    ) -> None:
        super().__init__(model, parts)
        self.driven = np.array(driven, dtype=np.intp).reshape(-1, 2)
        own = self.q_slices, self.v_slices
        self.held = tuple(held)
        for slices, start in zip(own, ("q", "v"), strict=True):
            for each in held:
                first = getattr(each, start)
                slices[each.name] = slice(first, first + len(each.coordinates))
        self.q_slices, self.v_slices = (
            dict(sorted(slices.items(), key=lambda item: (item[1].start, item[1].stop))) for slices in own
        )
        fixed = sum(len(each.coordinates) for each in held)
        self.nq, self.nv = self.nq + fixed, self.nv + fixed

    def q(self, qpos: ArrayLike) -> Reals:
        """DART's coordinates (..., nq) from qpos."""
        found = super().q(qpos)
        for each in self.held:
            found[..., each.q : each.q + len(each.coordinates)] = each.coordinates
        return found

    def vdot(self, data: Any) -> Reals:
        """DART's forward dynamics (nv,) in the state of a Data: dampers and springs act at the end of the
        step.

        ``(M + dt D + dt^2 K) vdot = forces - bias - K (q + dt v - rest) - D v``, except for joints whose
        acceleration or velocity is prescribed. Limits, friction, servo motors and contacts are not included.
        Setting a velocity in DART also sets the command of a joint with prescribed velocity; the same holds
        here while its control is the initial one: its acceleration is 0.

        Raises:
            ModelError: the Model contains elements that would act and are not simulated yet.
            SimulationError: the accelerations are not finite.
        """
        from polybody.engine.divergence import LIMIT, explain
        from polybody.engine.unsimulated import require_simulated

        model = data.model.once("unconstrained", lambda: _unconstrained(data.model))
        scratch = Data(model)
        scratch.set_state(data.get_state())
        actuators, velocities = self.driven.T
        own = self.v(data.qpos, data.qvel)[velocities]
        untouched = data.ctrl[actuators] == model.actuator_ctrl0[actuators]
        scratch.ctrl[actuators] = np.where(untouched, own, data.ctrl[actuators])
        require_simulated(model)
        kernel = scratch.kernel
        if not dynamics.single_step(kernel.model, kernel, LIMIT):
            raise explain(scratch, 0)
        late = kernel.array("qacc")  # of the step, not of the state at which it begins
        return self.accelerations(data.qpos, data.qvel, late)


def _unconstrained(model: Model) -> Model:
    off = int(model.opt_disableflags) | DISABLE["constraint"]
    return model.replace(opt_disableflags=off, opt_integrator=Integrator.Euler)
