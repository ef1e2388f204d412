"""Data: one simulation of a Model."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.engine.constraint_rows import ConstraintRows, asks_solver
from polybody.engine.islands import Islands
from polybody.engine.requested import Requested
from polybody.errors import ModelError
from polybody.generated.model import TABLES, DataColumns, SensorType
from polybody.model import npz
from polybody.model.delays import initial_history, misfit
from polybody.model.flags import ENABLE
from polybody.model.model import Model, required
from polybody.model.plasticity import initial_plastic
from polybody.model.servos import initial_controls
from polybody.model.topology import put_mocap
from polybody.model.views import (
    ActuatorData,
    BodyData,
    CameraData,
    EqualityData,
    GeomData,
    JointData,
    LightData,
    MocapData,
    SensorData,
    SiteData,
    TendonData,
    assign,
    find,
)

Reals = NDArray[np.float64]

_TABLES = {column.name: table for table in TABLES for column in table.columns if table.owner == "data"}
_COLUMNS = {column.name: column for table in TABLES for column in table.columns}
STATE: tuple[str, ...] = (
    *("time", "qpos", "qvel", "act", "history", "qacc_warmstart", "ctrl", "qfrc_applied", "xfrc_applied"),
    *("eq_active", "mocap_pos", "mocap_quat", "userdata", "plugin_state", "plastic"),
)
"""The columns that determine the future, in the order of MuJoCo's mjtState."""
PARTS: dict[str, tuple[str, ...]] = {
    "physics": ("qpos", "qvel", "act", "history", "plastic"),
    "full": ("time", "qpos", "qvel", "act", "history", "plastic"),
    "user": STATE[STATE.index("ctrl") : STATE.index("plastic")],
    "integration": STATE,
}
"""Names of groups of them, as in MuJoCo."""
KEPT: tuple[str, ...] = tuple(name for name, table in _TABLES.items() if table.axis != "M")
LATE = frozenset(("history", "plastic"))
"""Those that simulations lack that were saved before there were such columns: they begin as in a new one."""
APART = tuple(name for name in KEPT if _COLUMNS[name].stage != "kernel")
"""Columns that are not in the kernels' memory."""
KEYS = {
    "time": "time", "qpos": "qpos", "qvel": "qvel", "act": "act", "ctrl": "ctrl", "mpos": "mocap_pos",
    "mquat": "mocap_quat", "plastic": "plastic",
}  # fmt: skip
"""The columns of a keyframe, and the corresponding columns of a simulation."""
MOCAP = ("mocap_pos", "mocap_quat")
"""Poses of mocap bodies."""
INPUTS = frozenset(name for name in _TABLES if _COLUMNS[name].role != "result")
"""Columns that are set, by users or by steps: the state and the inputs."""
OF_STEP = frozenset(("qacc", "qfrc_constraint", "qfrc_actuator", "actuator_force", "act_dot"))
"""Results that each step computes; they belong to its evaluation."""
OF_START = OF_STEP - {"qfrc_constraint"}
"""Those that follow from what a step starts from, in part only without constraints."""
OF_FORWARD = frozenset(
    ("cacc", "cfrc_int", "cfrc_ext", "qfrc_smooth", "qacc_smooth", "qfrc_inverse", "sensordata")
)
"""Results that positions and velocities do not determine, and that steps compute only on request."""
LATER = frozenset(
    (
        *("cinert", "crb", "cdof", "cdof_dot", "dof_xaxis", "dof_xanchor", "energy"),
        *("cacc", "cfrc_int", "cfrc_ext", "subtree_linvel", "subtree_angmom"),
        *("qfrc_spring", "qfrc_damper", "qfrc_fluid", "qfrc_gravcomp", "qfrc_element", "qfrc_adhesion"),
    )
)
"""Results of forward() that are computed when they are read (energy: without its flag; qfrc_adhesion: if
nothing pulls).
"""
PULLED = frozenset(("qfrc_passive", "qfrc_adhesion"))
"""Results that depend on contacts if these pull."""


class Data(ConstraintRows, Islands, Requested, DataColumns):
    """One simulation: the state and the results computed from it, by MuJoCo's names.

    Every attribute is a view of the kernels' memory: assigning to ``data.qpos[0]`` sets the state.
    ``data.qpos = values`` copies the values. A Data belongs to one thread at a time.

    Every result belongs to a defined instant; docs/mujoco.md has the table. After forward() it is that of the
    call. After a step, qacc, the contacts and the forces of actuators and constraints belong to the step's
    evaluation, and so do results that a Stepper was asked for. What positions and velocities determine, such
    as xpos, is computed from the current state when the attribute is read. All other results are NaN until
    forward(). An array that was read before a step is NaN after it, until its attribute is read again.

    Args:
        model: what is simulated. It may be shared by any number of Datas and threads.
        key: the key, by name or number, that the simulation starts from; see :meth:`reset`.

    Raises:
        KeyError, IndexError: the Model has no such key.
    """

    __slots__ = (
        *("__weakref__", "_always", "_asks_solver", "_evaluation", "_evaluation_done", "_forwarded"),
        *("_kernel", "_known", "_later", "_model", "_read", "_scratch", "_scratch_follows", "_views"),
        *("_from_start", "_mocap", "_start", "_start_done"),
    )

    def __init__(self, model: Model, key: str | int | None = None) -> None:
        from polybody.generated.kernels.dynamics import KernelData

        required(model, "Data")
        self._model = model
        self._kernel: Any = KernelData(model.kernel)
        self._views: dict[str, NDArray[Any]] = {}
        self._evaluation: Any = None  # the last forward(): its inputs, and the results computed later
        self._evaluation_done = False
        self._scratch: Any = None
        self._scratch_follows = False  # whether the results there are those of the state there
        self._start: Any = None  # what the last step of a program started from, and what follows from it
        self._from_start = self._start_done = False
        late = model.nmocap and model.opt_late and not model.opt_constrained
        self._mocap: dict[str, Any] | None = {} if late else None  # in the last step, if qacc follows later
        known = model.once("columns by instant", lambda: _instants(model))
        self._asks_solver, self._always, self._later = known
        self._forwarded = False  # whether the memory has the results of forward()
        self._known: frozenset[str] = self._always  # columns whose memory is of the defined instant
        self._read: set[str] = set()  # others that were read and have numbers
        self.reset(key)

    @property
    def model(self) -> Model:
        """The Model that is simulated."""
        return self._model

    @property
    def plugin(self) -> NDArray[np.int32]:
        """The row of the plugin of each plugin instance, (nplugin,), as in ``model.plugin``."""
        return self._model.plugin

    @property
    def kernel(self) -> Any:
        """The memory of the kernels, for direct calls; with a constraint solver if the Model needs one."""
        if self._asks_solver and self._kernel.solver is None:
            from polybody.constraints.attach import attach  # only a simulation that is moved needs a solver

            attach(self._model, self._kernel, self._view("eq_active"))
        return self._kernel

    # --- instants ---------------------------------------------------------------------------------

    def evaluated(self) -> None:
        """The kernels have computed all results of forward()."""
        if self._evaluation is None:
            self._evaluation = type(self._kernel)(self._kernel.model)
        self._kernel.keep(self._evaluation)
        self._evaluation_done = False
        if self._read:
            for name in self._read & self._later:
                self._view(name).fill(np.nan)
            self._read.clear()
        self._known, self._forwarded = self._always, True

    def computed(self, *names: str) -> None:
        """A kernel has computed these columns, from the current state."""
        if not self._known.issuperset(names):
            self._known |= frozenset(names)
        self._read.update(names)

    def start(self) -> Any:
        """Memory of the kernels for what the last step of a program starts from."""
        if self._start is None:
            self._start = type(self._kernel)(self._kernel.model)
        return self._start

    def stepped(self, results: frozenset[str], from_start: bool = False) -> None:
        """Steps were taken, or the state was reset: the memory of these columns is of the defined instant.
        Other columns that have numbers become NaN. With ``from_start``, other results of the step follow from
        what :meth:`start` has.
        """
        self._forwarded, self._from_start, self._start_done = False, from_start, False
        if self._mocap is not None:
            self._mocap = {name: self._view(name).copy() for name in MOCAP}
        if self._read or results is not self._known:
            for name in (self._read | self._known) - results:
                self._forget(name)
            self._read.clear()
            self._known = results

    def _forget(self, name: str) -> None:
        """A column has no numbers; user sensors have 0."""
        view = self._view(name)
        view.fill(np.nan)
        if name == "sensordata":
            view[self._model.once("values of user sensors", _of_users, self._model)] = 0.0

    def _column(self, name: str) -> NDArray[Any]:
        """A column of the defined instant."""
        view = self._view(name)
        if name in self._known:
            return view
        self._read.add(name)
        if self._forwarded and name not in self._later:
            return view
        if self._forwarded and name in LATER:
            view[...] = self._at_forward().array(name).reshape(view.shape)
            self._known |= {name}
        elif self._from_start and name in OF_START:
            view[...] = self._at_start().array(name).reshape(view.shape)
            self._known |= {name}
        elif name == "qacc":
            view[...] = self._accelerations()
            self._known |= {name}
        elif name in OF_STEP or name in OF_FORWARD or (name in PULLED and self._model.opt_sticks):
            self._forget(name)
        else:
            view[...] = self.at_state().array(name).reshape(view.shape)
        return view

    def _at_forward(self) -> Any:
        """Memory of the kernels with all quantities at the instant of the last forward()."""
        if not self._evaluation_done:
            from polybody.generated.kernels import dynamics

            dynamics.state(self._kernel.model, self._evaluation)
            self._evaluation_done = True
        return self._evaluation

    def _at_start(self) -> Any:
        """Memory of the kernels with the forces and accelerations of the last step of a program."""
        from polybody.generated.kernels import dynamics

        model, start = self._kernel.model, self.start()
        if not self._start_done:
            dynamics.passive(model, start)
            dynamics.actuation(model, start)
            if not self._model.opt_constrained:
                dynamics.acceleration(model, start)
            self._start_done = True
        return start

    def at_state(self) -> Any:
        """Memory of the kernels with all that positions and velocities determine, at the current state."""
        from polybody.generated.kernels import dynamics

        scratch, followed = self._memory(), self._scratch_follows
        if self._follow(scratch) or not followed:
            dynamics.state(self._kernel.model, scratch)
            self._scratch_follows = True
        return scratch

    def _accelerations(self) -> Reals:
        """The accelerations at the beginning of a step that has computed those with forces at its end."""
        from polybody.generated.kernels import dynamics

        scratch, kernel = self.scratch(), self._kernel
        for name in ("qpos", "qvel"):
            scratch.array(name)[...] = kernel.array(f"start_{name}")
        for name in ("start_load", "dof_drive"):
            scratch.array(name)[...] = kernel.array(name)
        for name, poses in (self._mocap or {}).items():
            scratch.array(name)[...] = poses.reshape(scratch.array(name).shape)
        dynamics.again(kernel.model, scratch)
        found: Reals = scratch.array("qacc")
        return found

    # --- state ------------------------------------------------------------------------------------

    def reset(self, key: str | int | None = None) -> None:
        """Reset to the initial state: time 0, ``qpos0``, ``dof_qvel0``, ``actuator_ctrl0``, mocap bodies
        where the Model has them, equality constraints as ``eq_active0`` says, other inputs 0, and qacc, which
        inverse() reads. Then the values of a key of the Model, if given: time, qpos, qvel, act, ctrl,
        mocap_pos, mocap_quat, plastic. Results are as after a step, without any contacts and forces.

        Args:
            key: the key, by name or number.

        Raises:
            KeyError, IndexError: the Model has no such key; the state is unchanged.
            RuntimeError: another thread is using the simulation.
        """
        row = None if key is None else self._model.row("key", key)
        self._kernel.hold()
        try:
            self._initial(row)
        finally:
            self._kernel.release()

    def _initial(self, row: int | None) -> None:
        """Set the initial state, or that of a row of keys."""
        model = self._model
        self._kernel.clear()
        for name in APART:
            self._view(name).fill(0)
        self._view("qpos")[...] = model.qpos0
        self._view("qvel")[...] = model.dof_qvel0
        self._view("ctrl")[...] = initial_controls(model)
        self._view("plastic")[...] = initial_plastic(model)
        self._view("eq_active")[...] = model.eq_active0
        if model.nmocap:
            put_mocap(model, self._view("mocap_pos"), self._view("mocap_quat"))
        if model.nhistory:
            self._view("history")[...] = model.once("initial history", initial_history, model)
            self._kernel.array("recalls").fill(1)
        if row is not None:
            for part, name in KEYS.items():
                own = self._view(name)
                own[...] = model._column(f"key_{part}")[row].reshape(own.shape)
        self.stepped(self._always | {"qacc"})

    def get_state(self, spec: str | Iterable[str] = "integration") -> Reals:
        """A part of the state in one array.

        Args:
            spec: one or several names: state columns, or "physics" (qpos, qvel, act, history, plastic),
                "full" (time, too), "user" (what the user sets: ctrl, qfrc_applied, xfrc_applied, eq_active,
                mocap_pos, mocap_quat, userdata), "integration" (everything that determines the future).
                Columns are in the order of MuJoCo's mj_getState, whatever the order of the names.

        Raises:
            ValueError: an unknown name.
        """
        return np.concatenate([self._view(name).ravel() for name in _columns_of(spec)])

    def set_state(self, state: ArrayLike, spec: str | Iterable[str] = "integration") -> None:
        """Restore what :meth:`get_state` returned. Results are not updated until forward() or step().

        Raises:
            ValueError: an array of another shape, impossible past samples, or an unknown name.
        """
        given, names = np.asarray(state, dtype=np.float64), _columns_of(spec)
        targets = [self._view(name) for name in names]
        ends = np.cumsum([target.size for target in targets])
        if given.shape != (ends[-1],):
            past = f" with {self._model.nhistory} numbers of past samples" if "history" in names else ""
            past = past if self._model.nhistory else ""
            raise ValueError(f"a state of this Model must have shape ({ends[-1]},){past}, got {given.shape}")
        parts = dict(zip(names, np.split(given, ends[:-1]), strict=True))
        if "history" in parts and (why := misfit(self._model, parts["history"][None])):
            raise ValueError(why)
        for target, part in zip(targets, parts.values(), strict=True):
            target[...] = part.reshape(target.shape)

    # --- memory for intermediate results ----------------------------------------------------------

    def scratch(self) -> Any:
        """Memory of the kernels at the same state, for intermediate results that are computed on request.

        A Data has one, allocated on first use. qpos, qvel, mocap_pos, mocap_quat and adhesion_moment are
        those of the Data; all other columns are 0, except those of the mass matrix.
        """
        scratch = self._memory()
        scratch.clear()
        self._follow(scratch)
        self._scratch_follows = False
        return scratch

    def _follow(self, scratch: Any) -> bool:
        """Copy what determines positions and velocities; returns whether anything differed.

        Raises:
            RuntimeError: another thread is using the simulation.
        """
        from polybody.generated.kernels import dynamics

        return bool(dynamics.follow(self._kernel.model, self._kernel, scratch))

    def _memory(self) -> Any:
        from polybody.generated.kernels.dynamics import KernelData

        if self._scratch is None:
            self._scratch = KernelData(self._kernel.model)
        return self._scratch

    # --- rows -------------------------------------------------------------------------------------

    def body(self, key: str | int) -> BodyData:
        """One body by name or number; raises like :meth:`Model.row`."""
        row = self.model.row("body", key)
        return BodyData(self, row, self.model.names["body"][row])

    def joint(self, key: str | int) -> JointData:
        """One joint by name or number: its coordinates, velocities, forces; raises like :meth:`Model.row`."""
        row = self.model.row("joint", key)
        return JointData(self, row, self.model.names["joint"][row], self.model)

    def geom(self, key: str | int) -> GeomData:
        """One geom by name or number; raises like :meth:`Model.row`."""
        row = self.model.row("geom", key)
        return GeomData(self, row, self.model.names["geom"][row])

    def site(self, key: str | int) -> SiteData:
        """One site by name or number; raises like :meth:`Model.row`."""
        row = self.model.row("site", key)
        return SiteData(self, row, self.model.names["site"][row])

    def camera(self, key: str | int) -> CameraData:
        """One camera by name or number; raises like :meth:`Model.row`."""
        row = self.model.row("camera", key)
        return CameraData(self, row, self.model.names["camera"][row])

    def light(self, key: str | int) -> LightData:
        """One light by name or number; raises like :meth:`Model.row`."""
        row = self.model.row("light", key)
        return LightData(self, row, self.model.names["light"][row])

    def actuator(self, key: str | int) -> ActuatorData:
        """One actuator by name or number: its control, length, force; raises like :meth:`Model.row`."""
        row = self.model.row("actuator", key)
        return ActuatorData(self, row, self.model.names["actuator"][row], self.model)

    def sensor(self, key: str | int) -> SensorData:
        """One sensor by name or number: ``data`` is what it measures; raises like :meth:`Model.row`."""
        row = self.model.row("sensor", key)
        return SensorData(self, row, self.model.names["sensor"][row], self.model)

    def tendon(self, key: str | int) -> TendonData:
        """One tendon by name or number: its length and velocity; raises like :meth:`Model.row`."""
        row = self.model.row("tendon", key)
        return TendonData(self, row, self.model.names["tendon"][row])

    def equality(self, key: str | int) -> EqualityData:
        """One equality by name or number; raises like :meth:`Model.row`."""
        row = self.model.row("equality", key)
        return EqualityData(self, row, self.model.names["equality"][row])

    def mocap(self, key: str | int) -> MocapData:
        """The pose given to a mocap body: the body by name, or the row of mocap_pos by number.

        Raises:
            KeyError: no body of that name, or none that mocap_pos moves.
            IndexError: no row of that number.
        """
        model = self.model
        moved = [model.names["body"][body] for body in np.flatnonzero(model.body_mocapid >= 0)]
        rows = model.body_mocapid[model.body_mocapid >= 0].tolist()
        index = {name: row for name, row in zip(moved, rows, strict=True) if name}
        row = find(moved, index, "mocap body", key)
        return MocapData(self, row, moved[rows.index(row)])

    # --- copies and files -------------------------------------------------------------------------

    def copy(self) -> Self:
        """A copy of the simulation, with the same Model. It has all columns, but no contacts and constraint
        rows: forward() or a step computes these.
        """
        other = type(self)(self.model)
        other._put(self._take())
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.model, self._take())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the simulation, its Model included, to one file (a NumPy .npz without Python objects)."""
        arrays = {f"model.{name}": array for name, array in self.model.given().items()}
        arrays |= {f"data.{name}": array for name, array in self._take().items()}
        npz.write(path, "data", arrays, {"name": self.model.name, "names": dict(self.model.names)})

    @classmethod
    def load(cls, path: str | os.PathLike[str], model: Model | None = None) -> Self:
        """Read what :meth:`save` wrote; with a Model, the simulation uses it instead of one of its own.

        Raises:
            OSError: the file cannot be read.
            ModelError: it holds no simulation, one of another Model, or of another version of the schema.
        """
        arrays, facts = npz.read(path, "data")
        parts: dict[str, dict[str, NDArray[Any]]] = {"model": {}, "data": {}}
        for key, array in arrays.items():
            owner, _, name = key.partition(".")
            parts.setdefault(owner, {})[name] = array
        if len(parts) != 2:
            raise ModelError([f"{os.fspath(path)} contains more than a Model and its simulation"])
        saved = Model(parts["model"], facts["names"], name=facts["name"])
        if model is not None and model != saved:
            raise ModelError([f"{os.fspath(path)} contains a simulation of another Model"])
        data = cls(saved if model is None else model)
        data._put(parts["data"])
        return data

    def _take(self) -> dict[str, NDArray[Any]]:
        """Copies of all columns; results that are not known are NaN."""
        found = {}
        for name in KEPT:
            if name in OF_START or (self._forwarded and name in LATER):
                self._column(name)
            found[name] = self._view(name).copy()
            if name not in self._known and not (self._forwarded and name not in self._later):
                found[name].fill(np.nan)
        return found

    def _put(self, arrays: dict[str, NDArray[Any]]) -> None:
        missing = set(KEPT).difference(arrays)
        if not set(arrays).issubset(KEPT) or missing - LATE or any(self._view(name).size for name in missing):
            raise ModelError([f"a simulation has the columns {', '.join(KEPT)}"])
        for name, array in arrays.items():
            own = self._view(name)
            if (array.shape, array.dtype) != (own.shape, own.dtype):
                raise ModelError([f"{name} is {array.dtype} of shape {array.shape}, not {own.shape}"])
            own[...] = array
        known = {name for name, array in arrays.items() if not np.isnan(array).all()}
        self._known = self._always | known
        self._read, self._forwarded = known - self._always, False

    # --- columns ----------------------------------------------------------------------------------

    def _view(self, name: str) -> NDArray[Any]:
        """The memory of a column, whatever its instant."""
        view = self._views.get(name)
        if view is None:
            size, column = _TABLES[name].size, _COLUMNS[name]
            rows = (int(getattr(self.model, size)),) if size else ()
            if column.stage == "kernel":
                view = self._kernel.array(name).reshape((*rows, *column.shape))
            else:
                view = np.zeros((*rows, *column.shape), column.dtype)
            self._views[name] = view
        return view

    def _assign(self, name: str, value: ArrayLike) -> None:
        assign(self._view(name), name, value)
        if name not in self._known:
            self.computed(name)

    def __repr__(self) -> str:
        return f"<Data of {self.model.name!r} at t = {self.time:.9g} s>"


def _instants(model: Model) -> tuple[bool, frozenset[str], frozenset[str]]:
    """Whether simulations need a solver, which columns are always up to date, and which results forward()
    does not compute.
    """
    always, later = INPUTS, LATER | {"qfrc_inverse"}
    if not model.opt_constrained:
        always |= {"qfrc_constraint"}  # 0
    if int(model.opt_enableflags) & ENABLE["energy"]:
        later -= {"energy"}
    if model.opt_sticks:
        later -= {"qfrc_adhesion"}
    return asks_solver(model), always, later


def _of_users(model: Model) -> NDArray[np.int64]:
    """The places of user sensors in sensordata. These are 0 unless users write them."""
    rows = np.flatnonzero(model.sensor_type == SensorType.user).tolist()
    parts = [model.sensor_adr[row] + np.arange(model.sensor_dim[row]) for row in rows]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def known_after_step(model: Model, results: Iterable[str]) -> frozenset[str]:
    """The columns whose memory is of the defined instant after a step that computes these results."""
    asked = frozenset(results)
    of_step = OF_STEP - {"qacc"} if model.opt_late and not model.opt_constrained else OF_STEP
    return _instants(model)[1] | of_step | asked


def _restored(model: Model, arrays: dict[str, NDArray[Any]]) -> Data:
    data = Data(model)
    data._put(arrays)
    return data


def _columns_of(spec: str | Iterable[str]) -> list[str]:
    """The columns that the names stand for, in the order of STATE."""
    words = [spec] if isinstance(spec, str) else list(spec)
    chosen: set[str] = set()
    for word in words:
        if word not in PARTS and word not in STATE:
            raise ValueError(f"{word!r} is not a part of the state; parts are {', '.join((*PARTS, *STATE))}")
        chosen.update(PARTS.get(word, (word,)))
    if not chosen:
        raise ValueError("no part of the state is given")
    return [name for name in STATE if name in chosen]
