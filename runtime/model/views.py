"""Rows of a Model or a Data by name: ``model.body("link3").mass``, ``data.joint("hip").qpos``."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.generated.model import (
    TABLES,
    ActuatorColumns,
    ActuatorDataColumns,
    BodyColumns,
    BodyDataColumns,
    CameraColumns,
    CameraDataColumns,
    EqualityColumns,
    EqualityDataColumns,
    ExcludeColumns,
    GeomColumns,
    GeomDataColumns,
    HeightFieldColumns,
    JointColumns,
    JointDataColumns,
    KeyColumns,
    LightColumns,
    LightDataColumns,
    MaterialColumns,
    MeshColumns,
    MocapDataColumns,
    NumericColumns,
    OptionColumns,
    PairColumns,
    SensorColumns,
    SensorDataColumns,
    SiteColumns,
    SiteDataColumns,
    SkinColumns,
    TendonColumns,
    TendonDataColumns,
    TextColumns,
    TextureColumns,
    TupleColumns,
)
from polybody.model.derived import joint_sizes

AXIS: dict[str, str] = {column.name: table.axis for table in TABLES for column in table.columns}
_GIVEN = {
    (table.tag, column.attribute): column.name
    for table in TABLES
    for column in table.columns
    if column.role == "model"
}


class Columns(Protocol):
    """An object with columns: a Model or a Data."""

    def _column(self, name: str) -> NDArray[Any]: ...


def find(names: Sequence[str], index: dict[str, int], kind: str, key: str | int) -> int:
    """The row that a name or a number selects.

    Raises:
        KeyError: no row has that name; the message lists similar names.
        IndexError: no row has that number.
        TypeError: the key is neither a string nor a number.
    """
    if isinstance(key, str):
        row = index.get(key)
        if row is not None:
            return row
        close = [name for name in index if name.endswith(f"::{key}")][:3]  # names of models within models
        from difflib import get_close_matches

        close = close or get_close_matches(key, list(index), n=3)
        hint = (
            f"did you mean {' or '.join(map(repr, close))}?"
            if close
            else _listing(list(index), len(names), kind)
        )
        raise KeyError(f"no {kind} is called {key!r}; {hint}")
    try:
        row = operator.index(key)
    except TypeError:
        raise TypeError(f"a {kind} is selected by name or number, not by {key!r}") from None
    if not -len(names) <= row < len(names):
        raise IndexError(f"there is no {kind} {row}: there are {len(names)}")
    return row % len(names)


def _listing(names: list[str], count: int, kind: str, most: int = 8) -> str:
    if not count:
        return f"the model has no {kind}"
    if not names:
        return f"no {kind} has a name"
    return f"names are {', '.join(map(repr, names[:most]))}" + (" ..." if len(names) > most else "")


class _Fixed:
    """Values of a Model, which cannot be changed."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            column = _GIVEN.get((type(self).__name__.lower(), name))
            if column is None:
                raise
            raise AttributeError(f"a Model is immutable; model.replace({column}=...) makes another") from None


class _Once(_Fixed):
    """The values that a Model has once, such as ``model.opt.timestep``."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Columns) -> None:
        self._owner = owner

    def _column(self, name: str) -> NDArray[Any]:
        return self._owner._column(name)

    def __repr__(self) -> str:
        tag = type(self).__name__.lower()
        names = [column.attribute for table in TABLES if table.tag == tag for column in table.columns]
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({values})"


class Option(_Once, OptionColumns):
    """Options of a Model; see :meth:`Model.replace` for a Model with others."""

    __slots__ = ()


class _Row:
    """A row; ``id`` is its number, ``name`` its name."""

    __slots__ = ("_owner", "id", "name")

    def __init__(self, owner: Columns, row: int, name: str) -> None:
        self._owner, self.id, self.name = owner, row, name

    def _column(self, name: str) -> NDArray[Any]:
        row: NDArray[Any] = self._owner._column(name)[self.id, ...]  # a view, even of a single number
        return row

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} {self.id} {self.name!r}>"


class Body(_Fixed, _Row, BodyColumns):
    """A body of a Model."""

    __slots__ = ()


class Geom(_Fixed, _Row, GeomColumns):
    """A geom of a Model."""

    __slots__ = ()


class Site(_Fixed, _Row, SiteColumns):
    """A site of a Model."""

    __slots__ = ()


class Camera(_Fixed, _Row, CameraColumns):
    """A camera of a Model."""

    __slots__ = ()


class Light(_Fixed, _Row, LightColumns):
    """A light of a Model."""

    __slots__ = ()


class Mesh(_Fixed, _Row, MeshColumns):
    """A mesh of a Model."""

    __slots__ = ()


class Skin(_Fixed, _Row, SkinColumns):
    """A skin of a Model."""

    __slots__ = ()


class HeightField(_Fixed, _Row, HeightFieldColumns):
    """A height field of a Model."""

    __slots__ = ()


class Texture(_Fixed, _Row, TextureColumns):
    """A texture of a Model."""

    __slots__ = ()


class Material(_Fixed, _Row, MaterialColumns):
    """A material of a Model."""

    __slots__ = ()


class Pair(_Fixed, _Row, PairColumns):
    """A pair of a Model."""

    __slots__ = ()


class Exclude(_Fixed, _Row, ExcludeColumns):
    """An exclude of a Model."""

    __slots__ = ()


class Equality(_Fixed, _Row, EqualityColumns):
    """An equality of a Model."""

    __slots__ = ()


class Tendon(_Fixed, _Row, TendonColumns):
    """A tendon of a Model."""

    __slots__ = ()


class Numeric(_Fixed, _Row, NumericColumns):
    """A numeric of a Model."""

    __slots__ = ()


class Text(_Fixed, _Row, TextColumns):
    """A text of a Model."""

    __slots__ = ()


class Tuple(_Fixed, _Row, TupleColumns):
    """A tuple of a Model."""

    __slots__ = ()


class Key(_Fixed, _Row, KeyColumns):
    """A key of a Model."""

    __slots__ = ()


class Sensor(_Fixed, _Row, SensorColumns):
    """A sensor of a Model."""

    __slots__ = ()


class _DataRow(_Row):
    """A row of a Data, whose columns can be written."""

    __slots__ = ()

    def _assign(self, name: str, value: ArrayLike) -> None:
        assign(self._column(name), name, value)


class BodyData(_DataRow, BodyDataColumns):
    """A body of a Data."""

    __slots__ = ()


class GeomData(_DataRow, GeomDataColumns):
    """A geom of a Data."""

    __slots__ = ()


class SiteData(_DataRow, SiteDataColumns):
    """A site of a Data."""

    __slots__ = ()


class CameraData(_DataRow, CameraDataColumns):
    """A camera of a Data."""

    __slots__ = ()


class LightData(_DataRow, LightDataColumns):
    """A light of a Data."""

    __slots__ = ()


class EqualityData(_DataRow, EqualityDataColumns):
    """An equality constraint of a Data."""

    __slots__ = ()


class TendonData(_DataRow, TendonDataColumns):
    """A tendon of a Data."""

    __slots__ = ()


class MocapData(_DataRow, MocapDataColumns):
    """The pose that a mocap body of a Data is moved to."""

    __slots__ = ()


class _Entries(_Row):
    """A row with several entries in columns along other axes."""

    __slots__ = ("_entries",)

    def __init__(self, owner: Columns, row: int, name: str, model: Columns) -> None:
        super().__init__(owner, row, name)
        self._entries = self._found(model, row)

    @staticmethod
    def _found(model: Columns, row: int) -> dict[str, slice]:
        """Its entries, by axis."""
        raise NotImplementedError

    def _column(self, name: str) -> NDArray[Any]:
        rows: NDArray[Any] = self._owner._column(name)[self._entries.get(AXIS[name], self.id), ...]
        return rows


def _run(first: Any, count: Any) -> slice:
    return slice(max(int(first), 0), max(int(first), 0) + int(count))


class _JointRow(_Entries):
    """A row of a joint, with its entries in columns along ``q`` and ``dof``."""

    __slots__ = ()

    @staticmethod
    def _found(model: Columns, row: int) -> dict[str, slice]:
        nq, nv = joint_sizes(model._column("jnt_type")[row : row + 1])
        q, dof = model._column("jnt_qposadr")[row], model._column("jnt_dofadr")[row]
        return {"q": _run(q, nq[0]), "dof": _run(dof, nv[0])}

    @property
    def dofs(self) -> slice:
        """Its entries in columns along the degrees of freedom, such as ``qvel``."""
        return self._entries["dof"]


class Joint(_Fixed, _JointRow, JointColumns):
    """A joint of a Model, with its degrees of freedom and coordinates."""

    __slots__ = ()


class JointData(_JointRow, JointDataColumns):
    """A joint of a Data: its coordinates, velocities and forces."""

    __slots__ = ()

    def _assign(self, name: str, value: ArrayLike) -> None:
        assign(self._column(name), name, value)


class _ActuatorRow(_Entries):
    """A row of an actuator, with its entries in columns along ``act``, ``ctrl`` and ``out``."""

    __slots__ = ()

    @staticmethod
    def _found(model: Columns, row: int) -> dict[str, slice]:
        names = ("actadr", "actnum", "ctrladr", "ctrlnum", "outadr", "outnum")
        act, acts, ctrl, ctrls, out, outs = (model._column(f"actuator_{name}")[row] for name in names)
        return {"act": _run(act, acts), "ctrl": _run(ctrl, ctrls), "out": _run(out, outs)}

    def _output(self, name: str) -> float | NDArray[np.float64]:
        """Its number in a column along ``out``; an orientation servo has three, as an array."""
        own: NDArray[np.float64] = self._column(name)
        return float(own[0]) if len(own) == 1 else own


class Actuator(_Fixed, _ActuatorRow, ActuatorColumns):
    """An actuator of a Model."""

    __slots__ = ()

    @property
    def length0(self) -> float | NDArray[np.float64]:  # type: ignore[override]
        """Length of the transmission at qpos0; those of an orientation servo as an array."""
        return self._output("actuator_length0")

    @property
    def acc0(self) -> float | NDArray[np.float64]:  # type: ignore[override]
        """Norm of the acceleration due to a unit force at qpos0; an orientation servo has three."""
        return self._output("actuator_acc0")


class ActuatorData(_ActuatorRow, ActuatorDataColumns):
    """An actuator of a Data, with its controls and activations."""

    __slots__ = ()

    @property
    def ctrl(self) -> float | NDArray[np.float64]:
        """Its control, kept between steps until changed; all of them as an array if it does not have one."""
        own = self._column("ctrl")
        return float(own[0]) if len(own) == 1 else own

    @ctrl.setter
    def ctrl(self, value: ArrayLike) -> None:
        self._assign("ctrl", value)

    @property  # type: ignore[override]
    def length(self) -> float | NDArray[np.float64]:
        """Length of its transmission; those of an orientation servo as an array."""
        return self._output("actuator_length")

    @length.setter
    def length(self, value: ArrayLike) -> None:
        self._assign("actuator_length", value)

    @property  # type: ignore[override]
    def velocity(self) -> float | NDArray[np.float64]:
        """Its rate of change."""
        return self._output("actuator_velocity")

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._assign("actuator_velocity", value)

    @property  # type: ignore[override]
    def force(self) -> float | NDArray[np.float64]:
        """Its force; those of an orientation servo as an array."""
        return self._output("actuator_force")

    @force.setter
    def force(self, value: ArrayLike) -> None:
        self._assign("actuator_force", value)

    @property
    def moment(self) -> NDArray[np.float64]:
        """Its row of ``actuator_moment``. Shape (nv,), read-only, computed on request; (3, nv) of an
        orientation servo.
        """
        rows: NDArray[np.float64] = getattr(self._owner, "actuator_moment")[self._entries["out"]]  # noqa: B009
        return rows[0] if len(rows) == 1 else rows

    def _assign(self, name: str, value: ArrayLike) -> None:
        assign(self._column(name), name, value)


class SensorData(_Entries, SensorDataColumns):
    """A sensor of a Data."""

    __slots__ = ()

    @staticmethod
    def _found(model: Columns, row: int) -> dict[str, slice]:
        first, count = (model._column(f"sensor_{name}")[row] for name in ("adr", "dim"))
        return {"sensordata": _run(first, count)}

    def _assign(self, name: str, value: ArrayLike) -> None:
        assign(self._column(name), name, value)


def assign(target: NDArray[Any], name: str, value: ArrayLike) -> None:
    """Copy ``value`` into ``target``. A single number fills it; any other shape must be equal.

    Raises:
        ValueError: the shape differs, or the values are not numbers.
    """
    given = np.asarray(value, dtype=target.dtype)
    if given.ndim and given.shape != target.shape:
        raise ValueError(f"{name} must have shape {target.shape}, got {given.shape}")
    target[...] = given
