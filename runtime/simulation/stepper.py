"""Stepper: a simulation and its kernels."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from polybody import engine
from polybody.engine.data import OF_START, STATE, Data, known_after_step
from polybody.engine.divergence import LIMIT, check_limit
from polybody.engine.dynamics import most_at_once
from polybody.engine.singular import require_determined
from polybody.engine.unsimulated import require_simulated
from polybody.generated.kernels import dynamics
from polybody.generated.kernels.interface import CONSTRAINTS, Request
from polybody.model.model import Model, required
from polybody.model.observable import ALWAYS, OBSERVABLE, USUAL, check_results, present, with_past
from polybody.programs.choosing import Choice, choose, settle
from polybody.suggest import no_attribute

if TYPE_CHECKING:
    from polybody.programs.load import Bound


RECORDED = tuple(dict.fromkeys((*STATE, *ALWAYS, *OBSERVABLE)))
"""Columns of a simulation that can be recorded."""
Control = Callable[[Model, Data], object]


class Stepper:
    """A simulation with its kernels.

        sim = Stepper(model)
        sim.step(1000)
        sim.data.qpos

    Two kinds of kernels give the same numbers up to rounding: the loop kernels of the package, which work for
    any Model, and specialized kernels, which are compiled for one Model, cached, and several times as fast.
    ``kernels`` and ``reason`` say which are in use and why. A Stepper belongs to one thread at a time. A step
    computes the state, and the columns of ``results`` in its evaluation; :class:`Data` says of which instant
    other columns are.

    Args:
        model: what is simulated.
        kernels: "auto": specialized kernels if they are in the cache; else the loop kernels, while the others
            are compiled in the background for the next :meth:`reset` or Stepper. "switch": the same, but they
            are used from the next step as soon as they are ready. "specialized": wait for them. "loop":
            always the loop kernels. The environment variable POLYBODY_KERNELS says what "auto" means.
        data: a simulation to continue; by default a new one.
        results: columns of a Data that steps compute, such as "sensordata" or "xpos"; by default those of the
            sensors.
        limit: a step diverges if qpos, qvel or qacc exceeds this magnitude, as in MuJoCo; inf: if they become
            NaN or infinite.

    Raises:
        ModelError: the Model contains elements that would act and are not simulated yet.
        ValueError: no such kernels or results, a limit that is not positive, or ``data`` simulates another
            Model.
        CompileError: "specialized": they cannot be made (no compiler, too large a Model...).
    """

    __slots__ = (
        *("_asked", "_choice", "_known", "_limit", "_lock", "_model", "_observed", "_program", "_request"),
        *("data", "results"),
    )

    _program: _Bound | None

    def __init__(
        self,
        model: Model,
        kernels: str = "auto",
        *,
        data: Data | None = None,
        results: Sequence[str] = USUAL,
        limit: float = LIMIT,
    ) -> None:
        required(model, "Stepper")
        if data is not None:
            _check(model, data)
        require_simulated(model)
        require_determined(model)
        self._model = model
        self.results = check_results(results)
        self._limit = check_limit(limit)
        self._lock = threading.Lock()
        self.data = Data(model) if data is None else data
        self._observed = bool(set(self.results) - {"sensordata"})
        self._known = known_after_step(model, self.results)
        self._asked = kernels
        self._request = Request(("step",), results=present(model, with_past(model, self.results)))
        self._take(choose(model, kernels, self._request))

    @property
    def model(self) -> Model:
        """The Model that is simulated."""
        return self._model

    @property
    def limit(self) -> float:
        """The largest magnitude of qpos, qvel and qacc with which a step succeeds."""
        return self._limit

    if not TYPE_CHECKING:  # to type checkers, an unknown name is an error

        def __getattr__(self, name: str) -> NoReturn:
            text = no_attribute(self, name)
            if not name.startswith("_") and hasattr(Data, name):
                text = f"'Stepper' object has no attribute {name!r}; it is in `data`: stepper.data.{name}"
            raise AttributeError(text, name=name, obj=self)

    @property
    def kernels(self) -> str:
        """The kernels in use, "loop" or "specialized"."""
        return self._choice.kernels

    @property
    def reason(self) -> str:
        """Why these kernels are in use."""
        return self._choice.reason

    @property
    def progress(self) -> str:
        """Progress of the compilation; "" if there is none."""
        build = self._choice.build
        return str(build.progress) if build is not None and not build.over else ""

    def step(
        self,
        n: int = 1,
        *,
        control: Control | None = None,
        every: int | None = None,
        out: Mapping[str, NDArray[Any]] | None = None,
    ) -> Mapping[str, NDArray[Any]] | None:
        """Take ``n`` steps; raises :class:`SimulationError` like :func:`polybody.step`.

        Args:
            n: number of steps.
            control: called with the Model and the Data before each step, after :func:`forward`, so that all
                results are current; values that it writes to ``data.ctrl`` act in that step.
            every: record after every ``every`` steps; ``n // every`` frames in total.
            out: arrays of float64 to record into, by the names of columns, of shape (n // every, ...). By
                default new ones of time, qpos, qvel, act and the results.

        Returns:
            ``out``, or the new arrays; None without ``every``.

        Raises:
            TypeError, ValueError: a number that is not an integer or is negative, or an array of another
                shape.
            RuntimeError: another thread is stepping it.
        """
        program = self._program  # the usual call is worth being short
        usual = control is None and every is None and out is None
        usual = usual and type(n) is int and not self._lock.locked()
        if usual and program is not None and program.data is self.data and program.advance(n):
            return None
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("a Stepper belongs to one thread at a time; another one is using it")
        try:
            return self._take_steps(n, control, every, out)
        finally:
            self._lock.release()

    def _take_steps(
        self, n: int, control: Control | None, every: int | None, out: Mapping[str, NDArray[Any]] | None
    ) -> Mapping[str, NDArray[Any]] | None:
        if every is None:
            if out is not None:
                raise ValueError("`out` is written after every n-th step: give `every`")
            self._advance(n, control)
            return None
        if operator.index(every) < 1:
            raise ValueError(f"every must be at least 1, not {every}")
        frames = Frames(self.data, operator.index(n) // every, out, self.results)
        for frame in range(frames.count):
            self._advance(every, control)
            frames.take(frame)
        self._advance(n - frames.count * every, control)
        return frames.arrays

    def _advance(self, n: int, control: Control | None) -> None:
        if self._choice.switches and self._choice.build is not None and self._choice.build.over:
            self._take(settle(self._choice.build))
        if control is None:
            self._move(n)
            return
        for _ in range(operator.index(n)):
            engine.forward(self.model, self.data)
            control(self.model, self.data)
            self._move(1)

    def _move(self, n: int) -> None:
        program = self._program
        if program is not None and program.data is not self.data:  # the user may replace it
            _check(program.data.model, self.data)
            self._program = program = _Bound(self.data, self._choice, self._limit, self._known)
        if program is None or program.bound.pushed:
            _check(self.model, self.data)
            engine.advance(self.data, n, self._loop, self._known, self._limit)
        elif type(n) is not int or not program.advance(n):
            engine.advance(self.data, n, program.step, self._known, self._limit)
            if operator.index(n):
                program.stepped()

    def _loop(self, n: int) -> int:
        """Take n steps with the loop kernels; returns how many were completed."""
        kernel = self.data.kernel
        return dynamics.step(kernel.model, kernel, n, self._limit, self._observed)

    def reset(self, key: str | int | None = None) -> None:
        """Reset to the initial state, or to a keyframe. Kernels that were compiled in the meantime are used
        if they are ready.

        Raises:
            KeyError, IndexError: no such keyframe.
        """
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("a Stepper belongs to one thread at a time; another one is using it")
        try:
            self.data.reset(key)
        finally:
            self._lock.release()
        if self._choice.kernels == "loop" and self._choice.build is not None:
            self._take(choose(self.model, self._asked, self._request))

    def _take(self, choice: Choice) -> None:
        self._choice = choice
        bound = choice.kernels == "specialized"
        self._program = _Bound(self.data, choice, self._limit, self._known) if bound else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.model, self._asked, self.data, self.results, self._limit)

    def __repr__(self) -> str:
        return f"<Stepper of {self.model.name!r} at t = {self.data.time:.9g} s, kernels {self.kernels!r}>"


class Frames:
    """Columns of a simulation, recorded at several instants.

    Args:
        data: the simulation.
        count: number of instants.
        out: arrays to write to, by the names of columns; None: new ones.
        results: columns that new arrays are made for, in addition to the state.

    Raises:
        TypeError, ValueError: an array that cannot be written to, or an unknown name.
    """

    def __init__(
        self, data: Data, count: int, out: Mapping[str, NDArray[Any]] | None, results: Sequence[str]
    ) -> None:
        self.data, self.count = data, count
        if out is None:
            usual = ("time", "qpos", "qvel", "act", *results)
            out = {name: np.empty((count, *np.shape(getattr(data, name)))) for name in usual}
        self.arrays = out
        for name, array in out.items():
            if name not in RECORDED:
                raise ValueError(f"recorded columns must be among {', '.join(RECORDED)}, not {name!r}")
            kind = getattr(array, "dtype", None)
            if kind != np.float64:
                raise TypeError(
                    f"out[{name!r}] must be an array of float64, not {kind or type(array).__name__}"
                )
            expected = (count, *np.shape(getattr(data, name)))
            if array.shape != expected or not array.flags.writeable:
                raise ValueError(
                    f"out[{name!r}] must be a writable array of shape {expected}, not {array.shape}"
                )

    def take(self, frame: int) -> None:
        """Record the present instant as a frame."""
        for name, array in self.arrays.items():
            array[frame] = getattr(self.data, name)


class _Bound:
    """A program bound to the memory of one simulation.

    Attributes:
        known: the columns of the simulation that are of the defined instant after its steps.
        known_to_loops: the same after steps of loop kernels.
        follows: whether others follow from what the last step starts from, which is kept.
    """

    __slots__ = ("bound", "data", "follows", "known", "known_to_loops", "last", "limit", "most")

    def __init__(self, data: Data, choice: Choice, limit: float, known: frozenset[str]) -> None:
        self.data, self.most, self.limit = data, most_at_once(data.model), limit
        assert choice.build is not None
        program = choice.build.program
        assert program is not None
        memory = data.kernel
        clock = {"opt_timestep": memory.model.arrays["opt_timestep"]}
        columns = memory.arrays | clock | {CONSTRAINTS: memory.solver}
        forces = OF_START.difference(program.kernels["step"]) if data.model.nactuator else frozenset()
        self.known, self.known_to_loops = known - forces, known
        self.follows = bool(OF_START - known or forces)
        self.last = False  # whether the program has taken the last step, not a loop kernel
        start = data.start() if self.follows else None
        self.bound: Bound = program.bind("step", columns, limit=limit, owner=memory, start=start)

    def advance(self, n: int) -> bool:
        """Take n steps, if they can be taken at once and without forces on bodies; returns whether they can.
        Raises like :func:`engine.advance`.
        """
        if not 0 < n <= self.most or self.bound.pushed:
            return False
        done = self.bound.step(n)
        self.last = done == n
        if not self.last:
            engine.advance(self.data, n, partial(self.finish, done), self.known_to_loops, self.limit)
        self.stepped()
        return True

    def step(self, n: int) -> int:
        """Take n steps and return how many were completed.

        The loop kernel determines whether a step fails, and the state after that, so that errors do not
        depend on the kernels.
        """
        return self.finish(self.bound.step(n), n)

    def finish(self, done: int, n: int) -> int:
        """The same where ``done`` of them were completed, and the next one was not."""
        memory = self.data.kernel
        self.last = done == n
        if memory.solver is not None and memory.solver.refused is not None:  # for another reason than numbers
            return done
        while done < n and dynamics.step(memory.model, memory, 1, self.limit):
            more = self.bound.step(n - done - 1)
            self.last = more > 0
            done += 1 + more
        return done

    def stepped(self) -> None:
        """Tell the simulation what its columns have, if the program has taken the last step."""
        if self.last:
            self.data.stepped(self.known, self.follows)


def _check(model: Model, data: Data) -> None:
    if data.model is not model and data.model != model:
        raise ValueError(f"the data simulate {data.model!r}, not {model!r}")


def _restored(model: Model, kernels: str, data: Data, results: tuple[str, ...], limit: float) -> Stepper:
    return Stepper(model, kernels, data=data, results=results, limit=limit)
