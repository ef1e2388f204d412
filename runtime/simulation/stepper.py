"""Stepper: a simulation and the kernels that move it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polybody import engine
from polybody.engine.unsimulated import require_simulated
from polybody.generated.kernels import dynamics
from polybody.model.data import Data
from polybody.model.model import Model
from polybody.programs.choosing import Choice, choose, settle

if TYPE_CHECKING:
    from polybody.programs.load import Bound


class Stepper:
    """A simulation under way.

        sim = Stepper(model)
        sim.step(1000)
        sim.data.qpos

    Two sorts of kernels give the same numbers to rounding: the loop kernels, which come with the package and
    take any Model, and specialized ones, compiled for this Model alone and kept in a cache, several times as
    fast. ``kernels`` and ``reason`` say which are in use and why. Of the results a specialized step leaves
    qacc; the others are those of the last :func:`forward`.

    Args:
        model: what is simulated.
        kernels: "auto": specialized kernels if they are in the cache; else the loop kernels, while the others
            are compiled in the background for the next :meth:`reset` or Stepper. "switch": like that, but
            they are taken between two steps as soon as they are ready. "specialized": wait for them. "loop":
            no others. The environment variable POLYBODY_KERNELS says what "auto" means.
        data: a simulation to go on with; by default a new one.

    Raises:
        ModelError: the Model holds what would act and is not simulated yet.
        ValueError: no such kernels, or ``data`` simulates another Model.
        CompileError: "specialized": they cannot be made (no compiler, too large a Model...).
    """

    __slots__ = ("_asked", "_choice", "_model", "_program", "data")

    _program: _Bound | None

    def __init__(self, model: Model, kernels: str = "auto", *, data: Data | None = None) -> None:
        if data is not None:
            _check(model, data)
        require_simulated(model)
        self._model = model
        self.data = Data(model) if data is None else data
        self._asked = kernels
        self._take(choose(model, kernels))

    @property
    def model(self) -> Model:
        """What is simulated; for another Model make another Stepper."""
        return self._model

    @property
    def kernels(self) -> str:
        """Which are in use: "loop" or "specialized"."""
        return self._choice.kernels

    @property
    def reason(self) -> str:
        """Why."""
        return self._choice.reason

    @property
    def progress(self) -> str:
        """How far the kernels are that are being compiled; "" if none are."""
        build = self._choice.build
        return str(build.progress) if build is not None and not build.over else ""

    def step(self, n: int = 1) -> None:
        """Take ``n`` steps; raises :class:`SimulationError` like :func:`polybody.step`."""
        if self._choice.switches and self._choice.build is not None and self._choice.build.over:
            self._take(settle(self._choice.build))
        if self._program is None:
            engine.step(self.model, self.data, n)
        else:
            if self._program.data is not self.data:  # which its user may exchange
                _check(self._program.data.model, self.data)
                self._program = _Bound(self.data, self._choice)
            engine.advance(self.data, n, self._program.step)

    def reset(self) -> None:
        """Back to the start: time 0, qpos0; kernels that were being compiled are taken if they are ready."""
        self.data.reset()
        if self._choice.kernels == "loop" and self._choice.build is not None:
            self._take(choose(self.model, self._asked))

    def _take(self, choice: Choice) -> None:
        self._choice = choice
        self._program = _Bound(self.data, choice) if choice.kernels == "specialized" else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.model, self._asked, self.data)

    def __repr__(self) -> str:
        return f"<Stepper of {self.model.name!r} at t = {self.data.time:.9g} s, kernels {self.kernels!r}>"


class _Bound:
    """A program bound to the memory of one simulation."""

    __slots__ = ("bound", "data")

    def __init__(self, data: Data, choice: Choice) -> None:
        self.data = data
        assert choice.build is not None
        assert choice.build.program is not None
        memory = data.kernel
        clock = {"opt_timestep": memory.model.arrays["opt_timestep"]}
        self.bound: Bound = choice.build.program.bind("step", memory.arrays | clock)

    def step(self, n: int) -> int:
        """Take n steps, return how many were completed.

        Whether one really leaves the finite numbers, and what it leaves then, is up to the loop kernel, so
        that errors do not depend on the kernels.
        """
        done: int = self.bound.step(n)
        while done < n and dynamics.step(self.data.kernel.model, self.data.kernel, 1):
            done += 1
            done += self.bound.step(n - done)
        return done


def _check(model: Model, data: Data) -> None:
    if data.model is not model and data.model != model:
        raise ValueError(f"the data simulate {data.model!r}, not {model!r}")


def _restored(model: Model, kernels: str, data: Data) -> Stepper:
    return Stepper(model, kernels, data=data)
