"""Rows of a Model or a Data by name: ``model.body("link3").mass``, ``data.joint("hip").qpos``."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.generated.model import (
    TABLES,
    BodyColumns,
    BodyDataColumns,
    GeomColumns,
    JointColumns,
    JointDataColumns,
    OptionColumns,
)
from polybody.model.derived import joint_sizes

AXIS: dict[str, str] = {column.name: table.axis for table in TABLES for column in table.columns}


class Columns(Protocol):
    """What has columns: a Model, a Data."""

    def _column(self, name: str) -> NDArray[Any]: ...


def find(names: Sequence[str], index: dict[str, int], kind: str, key: str | int) -> int:
    """The row that a name or a number stands for.

    Raises:
        KeyError: no row of that name; says which names come close.
        IndexError: no row of that number.
        TypeError: neither text nor a number.
    """
    if isinstance(key, str):
        row = index.get(key)
        if row is not None:
            return row
        close = get_close_matches(key, list(index), n=3)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else _listing(list(index), kind)
        raise KeyError(f"no {kind} is called {key!r}; {hint}")
    try:
        row = operator.index(key)
    except TypeError:
        raise TypeError(f"a {kind} is found by name or number, not by {key!r}") from None
    if not -len(names) <= row < len(names):
        raise IndexError(f"{kind} {row} is beyond the {len(names)} that there are")
    return row % len(names)


def _listing(names: list[str], kind: str, most: int = 8) -> str:
    if not names:
        return f"no {kind} has a name"
    return f"there is {', '.join(map(repr, names[:most]))}" + (" ..." if len(names) > most else "")


class Option(OptionColumns):
    """Options of a Model; see :meth:`Model.replace` for a Model with others."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Columns) -> None:
        self._owner = owner

    def _column(self, name: str) -> NDArray[Any]:
        return self._owner._column(name)

    def __repr__(self) -> str:
        names = [column.attribute for table in TABLES if table.tag == "option" for column in table.columns]
        return f"Option({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


class _Row:
    """One row: ``id`` is its number, ``name`` its name."""

    __slots__ = ("_owner", "id", "name")

    def __init__(self, owner: Columns, row: int, name: str) -> None:
        self._owner, self.id, self.name = owner, row, name

    def _column(self, name: str) -> NDArray[Any]:
        row: NDArray[Any] = self._owner._column(name)[self.id]
        return row

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} {self.id} {self.name!r}>"


class Body(_Row, BodyColumns):
    """A body of a Model."""

    __slots__ = ()


class Geom(_Row, GeomColumns):
    """A geom of a Model."""

    __slots__ = ()


class BodyData(_Row, BodyDataColumns):
    """A body of a Data."""

    __slots__ = ()

    def _assign(self, name: str, value: ArrayLike) -> None:
        assign(self._column(name), name, value)


class _JointRow(_Row):
    """A joint's row; of the columns along ``q`` and ``dof`` its own entries."""

    __slots__ = ("_entries",)

    def __init__(self, owner: Columns, row: int, name: str, model: Columns) -> None:
        super().__init__(owner, row, name)
        nq, nv = joint_sizes(model._column("jnt_type")[row : row + 1])
        q, dof = int(model._column("jnt_qposadr")[row]), int(model._column("jnt_dofadr")[row])
        self._entries = {"q": slice(q, q + int(nq[0])), "dof": slice(dof, dof + int(nv[0]))}

    def _column(self, name: str) -> NDArray[Any]:
        rows: NDArray[Any] = self._owner._column(name)[self._entries.get(AXIS[name], self.id)]
        return rows


class Joint(_JointRow, JointColumns):
    """A joint of a Model, with its degrees of freedom and coordinates."""

    __slots__ = ()


class JointData(_JointRow, JointDataColumns):
    """A joint of a Data: its coordinates, velocities and forces."""

    __slots__ = ()

    def _assign(self, name: str, value: ArrayLike) -> None:
        assign(self._column(name), name, value)


def assign(target: NDArray[Any], name: str, value: ArrayLike) -> None:
    """Copy ``value`` into ``target``; a single number fills it, any other shape must be the same.

    Raises:
        ValueError: another shape, or no numbers.
    """
    given = np.asarray(value, dtype=target.dtype)
    if given.ndim and given.shape != target.shape:
        raise ValueError(f"{name} has shape {target.shape}, what was given {given.shape}")
    target[...] = given
