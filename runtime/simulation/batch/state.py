"""The state of a batch, which can be read and written between steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.engine.data import STATE as WHOLE_STATE
from polybody.engine.data import Data
from polybody.model.delays import initial_history, misfit
from polybody.model.model import Model
from polybody.model.observable import OBSERVABLE
from polybody.model.topology import put_mocap
from polybody.simulation.batch.arrays import Arrays, no_result
from polybody.simulation.batch.instances import Indices, Rows, rows
from polybody.simulation.batch.memory import WARM, Memory, fill, shaped
from polybody.suggest import no_attribute

Reals = NDArray[Any]


class BatchState:
    """The columns of a batch's instances: views of the memory that steps work on."""

    __slots__ = ()
    n: int
    _model: Model
    _memory: Memory
    _results: tuple[str, ...]
    _late_rows: NDArray[np.bool_] | None
    """Instances whose qacc has not been computed since their last step; None: steps compute it."""

    @property
    def model(self) -> Model:
        """The Model that is simulated. To simulate another Model, make another batch."""
        return self._model

    def _add_external(self) -> None:
        """Allocate forces on the bodies of every instance."""
        raise NotImplementedError

    def _add_mocap(self) -> None:
        """Allocate mocap poses for every instance, initially those of the Model."""
        pos, quat = np.zeros((self.model.nmocap, 3)), np.zeros((self.model.nmocap, 4))
        put_mocap(self.model, pos, quat)
        for name, start in (("mocap_pos", pos), ("mocap_quat", quat)):
            self._memory.add(name)
            self._memory.columns[name][...] = start.reshape(-1, 1)

    @property
    def qpos(self) -> Reals:
        """Coordinates, (n, nq); a writable view, so that ``batch.qpos[3] = ...`` sets a state."""
        return self._memory.view("qpos")

    @qpos.setter
    def qpos(self, value: ArrayLike) -> None:
        self._put("qpos", value)

    @property
    def qvel(self) -> Reals:
        """Velocities, (n, nv); writable."""
        return self._memory.view("qvel")

    @qvel.setter
    def qvel(self, value: ArrayLike) -> None:
        self._put("qvel", value)

    @property
    def qfrc_applied(self) -> Reals:
        """Applied joint forces, (n, nv); writable, kept from step to step."""
        return self._memory.view("qfrc_applied")

    @qfrc_applied.setter
    def qfrc_applied(self, value: ArrayLike) -> None:
        self._put("qfrc_applied", value)

    @property
    def act(self) -> Reals:
        """Activations of the actuators, (n, na); writable."""
        return self._memory.view("act")

    @act.setter
    def act(self, value: ArrayLike) -> None:
        self._put("act", value)

    @property
    def plastic(self) -> Reals:
        """Rest of springs that yield, (n, nplastic)."""
        return self._memory.view("plastic")

    @plastic.setter
    def plastic(self, value: ArrayLike) -> None:
        self._put("plastic", value)

    @property
    def ctrl(self) -> Reals:
        """Controls, (n, nu); writable, kept from step to step."""
        return self._memory.view("ctrl")

    @ctrl.setter
    def ctrl(self, value: ArrayLike) -> None:
        self._put("ctrl", value)

    @property
    def history(self) -> Reals:
        """Past controls and measurements of actuators and sensors with delays, (n, nhistory); writable,
        float64 in either precision.
        """
        return self._given("history")

    @history.setter
    def history(self, value: ArrayLike) -> None:
        fill(self.history, "history", value)

    @property
    def xfrc_applied(self) -> Reals:
        """Force, then moment, on each body at its centre of mass in world axes, (n, nbody, 6); writable, kept
        from step to step. On first use, another program is compiled for the steps.
        """
        if "xfrc_applied" not in self._memory.columns:
            self._add_external()
        return self._memory.view("xfrc_applied")

    @xfrc_applied.setter
    def xfrc_applied(self, value: ArrayLike) -> None:
        fill(self.xfrc_applied, "xfrc_applied", value)

    @property
    def mocap_pos(self) -> Reals:
        """Positions of the mocap bodies, (n, nmocap, 3); writable. They move what is fixed to them."""
        return self._memory.view("mocap_pos")

    @mocap_pos.setter
    def mocap_pos(self, value: ArrayLike) -> None:
        fill(self.mocap_pos, "mocap_pos", value)

    @property
    def mocap_quat(self) -> Reals:
        """Orientations of the mocap bodies, (n, nmocap, 4); writable."""
        return self._memory.view("mocap_quat")

    @mocap_quat.setter
    def mocap_quat(self, value: ArrayLike) -> None:
        fill(self.mocap_quat, "mocap_quat", value)

    @property
    def eq_active(self) -> NDArray[np.uint8]:
        """Which equalities are active by instance, (n, neq), 0 or 1; writable, kept from step to step."""
        found: NDArray[np.uint8] = self._memory.view("eq_active")
        return found

    @eq_active.setter
    def eq_active(self, value: ArrayLike) -> None:
        fill(self.eq_active, "eq_active", value)

    @property
    def results(self) -> Arrays:
        """Columns that the last step computed besides the state: arrays (n, ...) by name."""
        return Arrays({name: self._memory.view(name) for name in self._results}, no_result)

    if not TYPE_CHECKING:  # to type checkers, an unknown name is an error

        def __getattr__(self, name: str) -> NoReturn:
            text = f"{type(self).__name__!r} object has no attribute {name!r}"
            if name in OBSERVABLE and name in self._results:
                text += f'; it is batch.results["{name}"]'
            elif name in OBSERVABLE:
                text = no_result(name)
            elif not name.startswith("_") and hasattr(Data, name):
                text += "; batch.instance(i) is the Data of one simulation"
            else:
                text = no_attribute(self, name)
            raise AttributeError(text, name=name, obj=self)

        def __setattr__(self, name: str, value: object) -> None:
            try:
                object.__setattr__(self, name, value)
            except AttributeError:
                if hasattr(type(self), name):
                    raise  # it is read-only
                raise AttributeError(no_attribute(self, name), name=name, obj=self) from None

    @property
    def sensordata(self) -> Reals:
        """Measurements of the sensors at the beginning of the last step, (n, nsensordata).

        Raises:
            AttributeError: "sensordata" is not one of the batch's results.
        """
        if "sensordata" not in self._results:
            raise AttributeError(
                'steps do not compute sensordata: BatchStepper(model, n, results=("sensordata",))'
            )
        return self._memory.view("sensordata")

    @property
    def qacc(self) -> Reals:
        """Accelerations at the beginning of the last step (with RK4: of its last stage), or of the last
        :meth:`forward`, (n, nv); 0 after a reset; writable, an input of the kernel "inverse". For a failed
        instance, those of the failed step.

        A step without constraints that treats dampers implicitly computes other accelerations, and these only
        with ``results=("qacc",)``; otherwise they are computed when this is read.
        """
        late = self._late_rows
        if late is not None and late.any():
            self._accelerate(np.flatnonzero(late))
            late[:] = False
        return self._memory.view("qacc")

    def _accelerate(self, chosen: Indices) -> None:
        """Compute qacc of instances at the beginning of their last step."""
        raise NotImplementedError

    @property
    def qacc_warmstart(self) -> Reals:
        """Accelerations from which the solver of constraints starts in the next step, (n, nv); writable.

        Each step with constraints stores those of its last solution here. Without constraints nothing reads
        or writes them.
        """
        return self._memory.view(WARM)

    @qacc_warmstart.setter
    def qacc_warmstart(self, value: ArrayLike) -> None:
        self._put(WARM, value)

    @property
    def time(self) -> NDArray[np.float64]:
        """Times of the instances, (n,), s; writable, float64 in either precision."""
        return self._memory.time[: self.n]

    @time.setter
    def time(self, value: ArrayLike) -> None:
        fill(self.time, "time", value)

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which instances have failed and are no longer stepped, (n,); writable."""
        return self._memory.failed[: self.n].view(np.bool_)

    @failed.setter
    def failed(self, value: ArrayLike) -> None:
        fill(self.failed, "failed", value)

    def _put(self, name: str, value: ArrayLike) -> None:
        fill(self._memory.view(name), name, value)

    def reset(
        self,
        instances: Rows | None = None,
        *,
        key: str | int | None = None,
        qpos: ArrayLike | None = None,
        qvel: ArrayLike | None = None,
        act: ArrayLike | None = None,
        ctrl: ArrayLike | None = None,
        time: ArrayLike | None = None,
    ) -> None:
        """Reset instances: by default to time 0 and the Model's initial state, without applied forces. Its
        qpos0 and the poses of its mocap bodies are an instance's own if they are parameters.

        Parameters are unchanged. Results of these instances are NaN until the next step or :meth:`forward`.

        Args:
            instances: indices, none of them twice, a slice, or a mask of shape (n,); by default all.
            key: a keyframe, by name or number, to start from; the following arguments take precedence.
            qpos, qvel, act, ctrl, time: initial values: one row for all instances, or one row for each.

        Raises:
            IndexError: no such instances, one that is selected twice, or no such keyframe.
            KeyError: no keyframe of that name.
            ValueError: an array of another shape. Nothing is changed in this case.
        """
        chosen = rows(instances, self.n)
        starts = self._starts(key)
        if key is None:
            starts |= self._own_starts(chosen)
        if self.model.nhistory:
            starts["history"] = self._own_history(chosen)
        asked = {"qpos": qpos, "qvel": qvel, "act": act, "ctrl": ctrl, "time": time}
        starts |= {name: value for name, value in asked.items() if value is not None}
        shapes = {name: () if name == "time" else self._memory.view(name).shape[1:] for name in starts}
        fitting = {name: shaped(name, x, (len(chosen), *shapes[name])) for name, x in starts.items()}
        where: Any = slice(None) if instances is None else chosen
        clock = fitting.pop("time")
        for name, values in fitting.items():
            self._memory.view(name)[where] = values
        for name in self._results:
            self._memory.view(name)[where] = np.nan
        for name in ("qfrc_applied", "qacc", WARM):
            self._memory.view(name)[where] = 0.0
        if self._late_rows is not None:
            self._late_rows[where] = False
        if "xfrc_applied" in self._memory.columns:
            self._memory.view("xfrc_applied")[where] = 0.0
        self.eq_active[where] = self.model.eq_active0
        self.time[where] = clock
        self.failed[where] = False

    def _starts(self, key: str | int | None) -> dict[str, Any]:
        """The initial state of instances: that of a keyframe, or the Model's."""
        row = None if key is None else self.model.row("key", key)
        names = ("time", "qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "plastic")
        # history: _own_history

        def find() -> dict[str, Any]:
            start = Data(self.model, row)
            return {name: getattr(start, name) for name in names}

        return dict(self.model.once(f"start of key {row}", find))

    def _own_starts(self, chosen: Indices) -> dict[str, Reals]:
        """The initial values of instances that are their own, because they are parameters."""
        found, memory = {}, self._memory
        if memory.has("qpos0"):
            found["qpos"] = memory.view("qpos0")[chosen]
        moved = np.flatnonzero(self.model.body_mocapid >= 0)
        moved = moved[np.argsort(self.model.body_mocapid[moved])]
        for part in ("pos", "quat"):
            if moved.size and memory.has(f"body_{part}"):
                found[f"mocap_{part}"] = memory.view(f"body_{part}")[chosen[:, None], moved]
        return found

    def _own_history(self, chosen: Indices) -> Reals:
        """The initial history of instances, which depends on their timesteps."""
        if not self._memory.has("opt_timestep"):
            return initial_history(self.model)
        steps = self._memory.view("opt_timestep")[chosen].astype(np.float64).ravel()
        different, which = np.unique(steps, return_inverse=True)
        found = np.array([initial_history(self.model, step) for step in different.tolist()])
        return found.reshape(-1, self.model.nhistory)[which]

    def get_state(self) -> NDArray[np.float64]:
        """Everything that determines the future except parameters, (n, ...); rows as in
        :meth:`Data.get_state`.
        """
        parts = [self._given(name).reshape(self.n, -1) for name in WHOLE_STATE[1:]]
        return np.column_stack([self.time, *parts]).astype(np.float64, copy=False)

    def _given(self, name: str) -> Reals:
        """A column of the state; if instances have no separate values, that of a new simulation."""
        if self._memory.has(name):
            return self._memory.view(name)
        start = self._new_state()[name]
        return np.broadcast_to(start, (self.n, *start.shape))

    def _new_state(self) -> dict[str, Reals]:
        """The state of a new simulation, by column; found once for each Model."""

        def find() -> dict[str, Reals]:
            start = Data(self.model)
            return {name: np.array(getattr(start, name)) for name in WHOLE_STATE[1:]}

        found: dict[str, Reals] = self.model.once("state of a new simulation", find)
        return found

    def set_state(self, state: ArrayLike) -> None:
        """Restore what :meth:`get_state` returned. Marks of failed instances are unchanged; results are NaN
        until the next step or :meth:`forward`.

        Raises:
            ValueError: an array of another shape, or past samples that the Model cannot have.
        """
        given = np.asarray(state, dtype=np.float64)
        shapes = [self._given(name).shape for name in WHOLE_STATE[1:]]
        ends = np.cumsum([1, *(int(np.prod(shape[1:])) for shape in shapes)])
        expected = (self.n, int(ends[-1]))
        if given.shape != expected:
            raise ValueError(f"the state must have shape {expected}, got {given.shape}")
        place = WHOLE_STATE.index("history")
        if why := misfit(self.model, given[:, ends[place - 1] : ends[place]]):
            raise ValueError(why)
        for name in self._results:
            self._memory.view(name)[...] = np.nan
        time, *parts = np.split(given, ends[:-1], axis=1)
        self.time = time[:, 0]
        for name, part, shape in zip(WHOLE_STATE[1:], parts, shapes, strict=True):
            if self._memory.has(name):
                self._put(name, part.reshape(shape))
            elif (part.reshape(shape) != self._given(name)).any():
                setattr(self, name, part.reshape(shape))
