"""Stepper: a simulation and the kernels that move it."""

from __future__ import annotations

from polybody import engine
from polybody.data import Data
from polybody.model import Model

KERNELS = ("auto", "loop", "specialized")


class Stepper:
    """A simulation under way.

        sim = Stepper(model)
        sim.step(1000)
        sim.data.qpos

    Args:
        model: what is simulated.
        kernels: "loop" are the compiled kernels for any Model; "auto" chooses. What was chosen and why stands
            in ``kernels`` and ``reason``.
        data: a simulation to go on with; by default a new one.

    Raises:
        ValueError: no such kernels, or ``data`` simulates another Model.
        NotImplementedError: "specialized": this version has no kernels made for one Model.
    """

    __slots__ = ("data", "kernels", "model", "reason")

    def __init__(self, model: Model, kernels: str = "auto", *, data: Data | None = None) -> None:
        if data is not None and data.model is not model and data.model != model:
            raise ValueError(f"the data simulate {data.model!r}, not {model!r}")
        self.kernels, self.reason = choose(kernels)
        self.model = model
        self.data = Data(model) if data is None else data

    def step(self, n: int = 1) -> None:
        """Take ``n`` steps; raises :class:`SimulationError` like :func:`polybody.step`."""
        engine.step(self.model, self.data, n)

    def reset(self) -> None:
        """Back to the start: time 0, qpos0."""
        self.data.reset()

    def __repr__(self) -> str:
        return f"<Stepper of {self.model.name!r} at t = {self.data.time:.9g} s, kernels {self.kernels!r}>"


def choose(kernels: str) -> tuple[str, str]:
    """Which kernels a request comes to, and why."""
    if kernels not in KERNELS:
        raise ValueError(f"kernels are one of {', '.join(KERNELS)}, not {kernels!r}")
    if kernels == "specialized":
        raise NotImplementedError(
            'this version of polybody has no kernels specialized for one Model; use "loop" or "auto"'
        )
    if kernels == "auto":
        return "loop", "this version has no specialized kernels"
    return "loop", "asked for"
