"""The memory of a batch: equal scalars of all instances side by side, viewed by NumPy in the usual shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.base.kernel_columns import memory
from polybody.constraints.attach import reads
from polybody.generated.kernels.layout import GIVEN as READ
from polybody.generated.model import TABLES
from polybody.model.checks import GIVEN
from polybody.model.model import Model
from polybody.model.plasticity import THRESHOLDS, initial_plastic
from polybody.model.servos import initial_controls
from polybody.suggest import did_you_mean

Array = NDArray[Any]

OF_KERNELS = frozenset(name for name, *_ in READ) | {"body_iquat", "body_inertia"}
"""Columns that kernels read, or from which such columns are derived."""
AT_START = {"start_qpos": "nq", "start_qvel": "nv", "start_load": "nv", "dof_drive": "nv"}
"""Columns from which accelerations at the beginning of a step follow, and their sizes."""
WARM = "qacc_warmstart"
"""Where the solver of constraints starts from; without constraints nothing reads it."""
STATE = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "qacc", WARM, "plastic")
"""Columns that every instance has. Others are allocated on first use."""
INPUTS = ("ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")
"""Columns that steps read and do not change."""
_TABLES = {column.name: (table, column) for table in TABLES for column in table.columns}
USUALLY = ("time", "qpos", "qvel")


class Memory:
    """State and parameters of ``n`` instances.

    Attributes:
        columns: arrays of shape (scalars, padded) by name, as the kernels see them.
        given: those of them that steps do not change, with their minimum valid values.
        time, failed: per instance, padded.
        history: past samples, (padded * nhistory,), in double precision like the time.
        eq_active: which equalities are active, (padded, neq).

    Args:
        model: gives the initial values of parameters and of the padding.
        n: number of instances.
        lanes: n is padded to a multiple of it.
        dtype: of all columns except the time.
        parameters: names of the Model's columns.
        derived: names of columns that follow from them and that a program reads.
        results: names of columns that steps compute besides the state.
    """

    def __init__(
        self,
        model: Model,
        n: int,
        lanes: int,
        dtype: np.dtype[Any],
        parameters: Sequence[str],
        results: Sequence[str] = (),
        derived: Sequence[str] = (),
    ) -> None:
        self.n, self.dtype = n, dtype
        self._model, self._lanes, self._blocks = model, lanes, -(-n // lanes)
        self._shapes: dict[str, tuple[int, ...]] = {}
        self.columns: dict[str, Array] = {}
        self._views: dict[str, Array] = {}
        self.parameters, self.results, self.derived = tuple(parameters), tuple(results), tuple(derived)
        for name in (*STATE, *parameters, *derived, *results):
            self.add(name)
        for name in results:
            if name not in STATE:
                self.columns[name].fill(np.nan)
        initial = {"qpos": model.qpos0, "qvel": model.dof_qvel0, "ctrl": initial_controls(model)}
        initial["plastic"] = initial_plastic(model)
        for name, first in initial.items():
            self.columns[name][...] = first[:, None]
        for name in (*parameters, *derived):
            self.columns[name][...] = model._column(name).reshape(-1, 1)
        self.given: dict[str, float | None] = dict.fromkeys((*INPUTS, *derived))
        self.given |= {name: _least(name) for name in parameters}
        self.time: NDArray[np.float64] = memory(self._blocks * lanes, np.float64)
        self.failed: NDArray[np.uint8] = memory(self._blocks * lanes, np.uint8)
        self.eq_active = np.tile(model.eq_active0.astype(np.uint8), (self._blocks * lanes, 1))
        self._views["eq_active"] = self.eq_active[:n]
        self.history: NDArray[np.float64] = memory(self._blocks * lanes * model.nhistory, np.float64)
        if model.nhistory:
            self._views["history"] = self.history.reshape(-1, model.nhistory)[:n]

    def add(self, name: str) -> None:
        """Allocate a column of the Model or of a Data, if it does not exist yet."""
        if name in self.columns:
            return
        shape = self._shape(name)
        scalars = int(np.prod(shape, dtype=np.int64))
        whole = _rows(scalars, self._blocks, self._lanes, self.dtype)
        self._shapes[name], self.columns[name] = shape, whole
        self._views[name] = whole.T[: self.n].reshape(self.n, *shape)

    def _shape(self, name: str) -> tuple[int, ...]:
        """Shape of a column for one instance. The mass matrix is the kernels' sparse one."""
        if name == "qM":
            return (self._model.nM,)
        if name in AT_START:
            return (getattr(self._model, AT_START[name]),)
        table, column = _TABLES[name]
        rows = (getattr(self._model, table.size),) if table.size else ()
        return (*rows, *column.shape)

    def has(self, name: str) -> bool:
        """Whether instances have separate values of a column."""
        return name in self._views

    def view(self, name: str) -> Array:
        """A column as (n, ...): a writable view of the same memory."""
        return self._views[name]

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of a recorded column for one instance."""
        return () if name == "time" else self._shapes[name]

    def recorded(
        self, frames: int, out: Mapping[str, Array] | None
    ) -> tuple[Mapping[str, Array], list[tuple[str, Array]]]:
        """Arrays to record into, and the same as arrays of shape (frames, n, scalars).

        Raises:
            TypeError, ValueError: an array that cannot be written to.
        """
        if out is None:
            usual = (*USUALLY, *self.results)
            out = {name: np.empty((frames, self.n, *self.shape(name)), self._type(name)) for name in usual}
        if not isinstance(out, Mapping):
            raise TypeError(f"out must be a mapping of names to arrays, not {type(out).__name__}")
        targets = [(name, self._target(name, array, frames)) for name, array in out.items()]
        return out, [(name, target) for name, target in targets if target.shape[-1]]

    def _type(self, name: str) -> np.dtype[Any]:
        return np.dtype(np.float64) if name == "time" else self.dtype

    def _target(self, name: str, array: Any, frames: int) -> Array:
        known = ("time", *STATE, *self.results)
        if name not in known:
            raise ValueError(f"recorded columns must be among {', '.join(known)}, not {name!r}")
        expected = (frames, self.n, *self.shape(name))
        if not isinstance(array, np.ndarray) or array.dtype != self._type(name):
            kind = getattr(array, "dtype", type(array).__name__)
            raise TypeError(f"out[{name!r}] must be an array of {self._type(name)}, not {kind}")
        if array.shape != expected:
            raise ValueError(f"out[{name!r}] has shape {array.shape}, but the recorded column has {expected}")
        if not array.flags.writeable:
            raise ValueError(f"out[{name!r}] cannot be written to")
        target: Array = array[..., None] if name == "time" else array
        return _scalars_last(name, target) if target.ndim > 3 else target


def _scalars_last(name: str, array: Array) -> Array:
    """An array (frames, n, rows, numbers) as a view (frames, n, scalars)."""
    seen = array.view()
    try:
        seen.shape = (*array.shape[:2], int(np.prod(array.shape[2:])))
    except AttributeError:
        raise ValueError(f"out[{name!r}]: the rows of an instance must be contiguous") from None
    return seen


SHARED = frozenset(("actuator_delay", "sensor_delay", "sensor_interval", "cam_fovy", *THRESHOLDS))
"""Columns that all instances share, although the motion or rays of sensors depend on them."""


@cache
def parameters() -> tuple[str, ...]:
    """Columns that may differ between instances: the numbers that affect the motion."""
    known = (OF_KERNELS | reads()) - SHARED
    return tuple(name for name, column in GIVEN.items() if column.dtype == "float64" and name in known)


def check_parameters(names: Sequence[str]) -> tuple[str, ...]:
    """Check names of columns that differ between instances.

    Raises:
        TypeError: a single string instead of a sequence.
        ValueError: no such column, or one that does not affect the motion.
    """
    if isinstance(names, str):
        raise TypeError(f"parameters must be a sequence of names: ({names!r},)")
    for name in names:
        if name not in parameters():
            hint = did_you_mean(name, parameters()) or f"parameters are {', '.join(parameters())}"
            raise ValueError(f"{name!r} is not a parameter of a batch; {hint}")
    if len(set(names)) < len(names):
        raise ValueError(f"a parameter is given twice: {', '.join(names)}")
    return tuple(names)


def fill(target: Array, name: str, value: ArrayLike) -> None:
    """Copy ``value`` into ``target``. A number, or a row for all instances, fills it.

    Raises:
        ValueError: the shape differs, or the values are not numbers.
    """
    target[...] = shaped(name, value, target.shape)


def shaped(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """``value`` as numbers of a shape.

    Raises:
        ValueError: the shape differs.
    """
    given = np.asarray(value)
    if given.dtype.kind not in "fiub":
        raise ValueError(f"expected numbers for {name}, got {given.dtype}")
    if given.shape not in (shape, shape[1:], ()):
        row = f", or {shape[1:]} for all," if shape[1:] else ""
        raise ValueError(f"{name} must have shape {shape}{row} got {given.shape}")
    fitting: Array = np.broadcast_to(given, shape)
    return fitting


def _rows(scalars: int, blocks: int, lanes: int, dtype: np.dtype[Any]) -> Array:
    """Zeros of shape (scalars, padded). The distance between rows is an odd number of blocks: with a power of
    two of bytes, all rows of a block would compete for the same cache lines.
    """
    whole = memory(scalars, dtype, ((blocks | 1) * lanes,))
    return whole[:, : blocks * lanes]


def _least(name: str) -> float:
    column = GIVEN[name]
    if column.minimum is None:
        return -np.inf
    return float(np.nextafter(column.minimum, np.inf) if column.open else column.minimum)
