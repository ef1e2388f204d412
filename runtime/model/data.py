"""Data: one simulation of a Model."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.errors import ModelError
from polybody.generated.model import TABLES, DataColumns
from polybody.model import npz
from polybody.model.model import Model
from polybody.model.views import BodyData, JointData, assign

_TABLES = {column.name: table for table in TABLES for column in table.columns if table.owner == "data"}
_SHAPES = {column.name: column.shape for table in TABLES for column in table.columns}
STATE: tuple[str, ...] = tuple(
    column.name for table in TABLES for column in table.columns if column.role == "state"
)
KEPT: tuple[str, ...] = tuple(name for name, table in _TABLES.items() if table.axis != "M")


class Data(DataColumns):
    """One simulation: the state, and what was computed from it, by MuJoCo's names.

    Every attribute is a view onto the kernels' memory: writing into ``data.qpos[0]`` sets the state, a view
    kept from before shows the present. ``data.qpos = values`` copies the values in. A Data belongs to one
    thread at a time.

    Args:
        model: what is simulated. It may be shared by any number of Datas and threads.
    """

    __slots__ = ("__weakref__", "_kernel", "_model", "_views")

    def __init__(self, model: Model) -> None:
        from polybody.generated.kernels.dynamics import KernelData

        self._model = model
        self._kernel: Any = KernelData(model.kernel)
        self._views: dict[str, NDArray[Any]] = {}
        self.reset()

    @property
    def model(self) -> Model:
        """What is simulated; for another Model make other Data."""
        return self._model

    @property
    def kernel(self) -> Any:
        """The kernels' memory, for calling them directly."""
        return self._kernel

    # --- state ------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Back to the start: time 0, ``qpos0``, everything else 0."""
        for name in (*KEPT, *(name for name in self._views if name not in KEPT)):
            self._column(name)[...] = 0.0
        self._column("qpos")[...] = self.model.qpos0

    def get_state(self) -> NDArray[np.float64]:
        """All that decides the future, in one array: time, qpos, qvel, qfrc_applied."""
        return np.concatenate([self._column(name).ravel() for name in STATE])

    def set_state(self, state: ArrayLike) -> None:
        """Put back what :meth:`get_state` gave. Results are those of before until forward() or step().

        Raises:
            ValueError: an array of another shape.
        """
        given = np.asarray(state, dtype=np.float64)
        targets = [self._column(name) for name in STATE]
        ends = np.cumsum([target.size for target in targets])
        if given.shape != (ends[-1],):
            raise ValueError(f"a state of this Model has shape ({ends[-1]},), what was given {given.shape}")
        for target, part in zip(targets, np.split(given, ends[:-1]), strict=True):
            target[...] = part.reshape(target.shape)

    # --- rows -------------------------------------------------------------------------------------

    def body(self, key: str | int) -> BodyData:
        """One body by name or number; raises like :meth:`Model.row`."""
        row = self.model.row("body", key)
        return BodyData(self, row, self.model.names["body"][row])

    def joint(self, key: str | int) -> JointData:
        """One joint by name or number; raises like :meth:`Model.row`."""
        row = self.model.row("joint", key)
        return JointData(self, row, self.model.names["joint"][row], self.model)

    # --- copies and files -------------------------------------------------------------------------

    def copy(self) -> Self:
        """Another simulation of the same Model at the same instant."""
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
            raise ModelError([f"{os.fspath(path)} holds more than a Model and its simulation"])
        saved = Model(parts["model"], facts["names"], name=facts["name"])
        if model is not None and model != saved:
            raise ModelError([f"{os.fspath(path)} holds a simulation of another Model"])
        data = cls(saved if model is None else model)
        data._put(parts["data"])
        return data

    def _take(self) -> dict[str, NDArray[Any]]:
        return {name: self._column(name).copy() for name in KEPT}

    def _put(self, arrays: dict[str, NDArray[Any]]) -> None:
        if set(arrays) != set(KEPT):
            raise ModelError([f"a simulation has the columns {', '.join(KEPT)}"])
        for name, array in arrays.items():
            own = self._column(name)
            if (array.shape, array.dtype) != (own.shape, own.dtype):
                raise ModelError([f"{name} is {array.dtype} of shape {array.shape}, not {own.shape}"])
            self._column(name)[...] = array

    # --- columns ----------------------------------------------------------------------------------

    def _column(self, name: str) -> NDArray[Any]:
        view = self._views.get(name)
        if view is None:
            size = _TABLES[name].size
            rows = (getattr(self.model, size),) if size else ()
            view = self._kernel.array(name).reshape((*rows, *_SHAPES[name]))
            self._views[name] = view
        return view

    def _assign(self, name: str, value: ArrayLike) -> None:
        assign(self._column(name), name, value)

    def __repr__(self) -> str:
        return f"<Data of {self.model.name!r} at t = {self.time:.9g} s>"


def _restored(model: Model, arrays: dict[str, NDArray[Any]]) -> Data:
    data = Data(model)
    data._put(arrays)
    return data
