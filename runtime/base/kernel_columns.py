"""Columns for the kernels: aligned memory, private copies, and the checks before a kernel may read them.

The generated layout lists the columns. Kernels use indices without checking them, so every index is checked
here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Array = NDArray[Any]
Joints = Mapping[int, tuple[str, int, int]]
"""The primitive joints by code: name, nq, nv."""

Sensors = Mapping[int, tuple[str, int, str, str]]
"""Properties of sensors by code: name, number of values, the axis of the object's row, and that of the
reference. "frame" and "shapes": the object's type determines the axis; "ball": the axis is that of joints.
"""

DTYPES: dict[str, np.dtype[Any]] = {
    "int": np.dtype(np.int32),
    "int64_t": np.dtype(np.int64),
    "double": np.dtype(np.float64),
}
"""NumPy's types for the C types of columns."""
KINDS = {"int": "iub", "int64_t": "iu", "double": "fiu"}
"""The kinds of dtypes in which the numbers of such a column may be given."""
CACHE_LINE = 64

Targets = Iterable[tuple[tuple[int, ...], str, int]]
"""Codes of transmissions, the axis of the rows in actuator_target and actuator_second, and the minimum of the
second.
"""


def memory(rows: int, dtype: DTypeLike, shape: Sequence[int] = ()) -> Array:
    """Zeros in an array (rows, *shape) whose first byte begins a cache line. The array also owns its last
    cache line, so that kernels may compute whole registers of it.
    """
    kind = np.dtype(dtype)
    size = kind.itemsize * rows * math.prod(shape)
    return np.ndarray((rows, *shape), kind, block(-(-size // CACHE_LINE) * CACHE_LINE))


def block(size: int) -> Array:
    """A number of bytes, all 0, of which the first begins a cache line.

    Raises:
        MemoryError: there is not enough memory.
    """
    try:
        raw = np.zeros(size + CACHE_LINE, np.uint8)
    except MemoryError:
        raise MemoryError(f"not enough memory for {size:,} bytes of a simulation's columns") from None
    first = -raw.__array_interface__["data"][0] % CACHE_LINE
    return raw[first : first + size]


class Column(NamedTuple):
    """A column of a block of memory."""

    number: int
    """Its place among the columns."""
    axis: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    """That of one row."""


class Arrangement:
    """Columns in one block of memory, in which each begins a cache line and owns its last one.

    Attributes:
        columns: by name, in the order of their places.

    Args:
        columns: name, axis, type, and shape of a row of each.
    """

    def __init__(self, columns: Iterable[tuple[str, str, DTypeLike, tuple[int, ...]]]) -> None:
        self.columns = {
            name: Column(number, axis, np.dtype(kind), shape)
            for number, (name, axis, kind, shape) in enumerate(columns)
        }
        self._axes = [column.axis for column in self.columns.values()]
        bytes_of_row = [column.dtype.itemsize * math.prod(column.shape) for column in self.columns.values()]
        self._bytes = np.array(bytes_of_row, np.int64)

    def starts(self, rows: Mapping[str, int]) -> NDArray[np.int64]:
        """The first byte of each column, and the end of the last one.

        Args:
            rows: the number of rows of each axis.
        """
        sizes = np.array([rows[axis] for axis in self._axes], np.int64) * self._bytes
        found = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(-(-sizes // CACHE_LINE) * CACHE_LINE, out=found[1:])
        return found

    def view(self, name: str, memory: Any, starts: Sequence[int], rows: Mapping[str, int]) -> Array:
        """A column in a block, (rows, *shape).

        Raises:
            KeyError: no such column.
        """
        number, axis, dtype, shape = self.columns[name]
        return np.ndarray((rows[axis], *shape), dtype, memory, starts[number])


def copy_column(array: Array, columns: Mapping[str, ArrayLike], name: str, base: str) -> None:
    """Copy a column to an array of the type and shape that the kernels read.

    Args:
        array: of shape (rows, *shape of a row).
        columns: all columns by name.
        name: the column.
        base: the C type of its numbers, a key of ``DTYPES``.

    Raises:
        TypeError: its dtype does not fit ``base``.
        ValueError: it is missing, has another shape, or a number that does not fit ``base``.
    """
    try:
        given = np.asarray(columns[name])
    except KeyError:
        raise ValueError(f"column {name} is missing") from None
    if given.dtype.kind not in KINDS[base]:
        raise TypeError(f"column {name} has dtype {given.dtype}, not one for {base}")
    if given.shape != array.shape:
        if given.size != array.size or (len(array) > 1 and given.shape[:1] != array.shape[:1]):
            raise ValueError(f"column {name} has shape {given.shape}, not {array.shape}")
        given = given.reshape(array.shape)
    array[...] = given
    if given.dtype != array.dtype and not np.array_equal(array, given, equal_nan=given.dtype.kind == "f"):
        raise ValueError(f"column {name} does not fit {base}")


def counted(columns: Mapping[str, Sequence[Any] | Array], by: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Number of rows of each axis, from pairs of an axis and a column with that number of rows or with the
    number as its value. The axis "one" has one row.

    Raises:
        ValueError: a column is missing.
    """
    rows = {"one": 1}
    for axis, column in by:
        if column not in columns:
            raise ValueError(f"column {column} is missing")
        found = np.asarray(columns[column])
        rows[axis] = int(found) if found.ndim == 0 else len(found)
    return rows


def check(a: Mapping[str, Array], rows: Mapping[str, int], joints: Joints, integrators: Sequence[int]) -> int:
    """Check that every index that a kernel uses is within its table, and that parents precede children.

    Args:
        a: the columns by name.
        rows: numbers of rows of the axes body, jnt, q and dof.
        joints: the primitive joints.
        integrators: the codes of the integrators.

    Returns:
        Number of entries of the sparse mass matrix.

    Raises:
        ValueError: names the first invalid index or code.
    """
    if a["opt_integrator"][0] not in integrators:
        raise ValueError(f"opt_integrator is {a['opt_integrator'][0]}, not one of {tuple(integrators)}")
    nbody, njnt = rows["body"], rows["jnt"]
    parent, body = a["body_parentid"], a["jnt_bodyid"]
    _check_order(parent, body, nbody, njnt)
    codes = a["jnt_type"].tolist()
    unknown = set(codes) - set(joints)
    if unknown:
        raise ValueError(f"jnt_type has the unknown codes {sorted(unknown)}")
    nq = np.array([joints[code][1] for code in codes], np.int64)
    nv = np.array([joints[code][2] for code in codes], np.int64)
    if nq.sum() != rows["q"] or nv.sum() != rows["dof"]:
        raise ValueError(
            f"the joints have {nq.sum()} coordinates and {nv.sum()} degrees of freedom, "
            f"the columns {rows['q']} and {rows['dof']}"
        )
    number = np.bincount(body, minlength=nbody)
    first = _starts(number)
    _expect("body_jntnum", a["body_jntnum"], number)
    _expect("body_jntadr", np.where(number > 0, a["body_jntadr"], -1), np.where(number > 0, first, -1))
    late = [k for k, code in enumerate(codes) if joints[code][0] == "free" and k != first[body[k]]]
    if late:
        raise ValueError(f"joint {late[0]} is free, so it must be the first of its body")
    _expect("jnt_qposadr", a["jnt_qposadr"], _starts(nq))
    _expect("jnt_dofadr", a["jnt_dofadr"], _starts(nv))
    dofs = np.bincount(np.repeat(body, nv), minlength=nbody)
    above, depth = _dof_tree(parent.tolist(), dofs.tolist(), rows["dof"])
    _expect("dof_parentid", a["dof_parentid"], above)
    _expect("dof_depth", a["dof_depth"], depth)
    lengths = np.asarray(depth, np.int64) + 1
    _expect("M_rowadr", a["M_rowadr"], _starts(lengths))
    return int(lengths.sum())


def check_targets(a: Mapping[str, Array], rows: Mapping[str, int], targets: Targets) -> None:
    """Check that every row on which an actuator acts is within its table.

    Args:
        a: the columns by name.
        rows: number of rows of each axis.
        targets: the tables by transmission.

    Raises:
        ValueError: names the column and the axis.
    """
    if not rows["actuator"]:
        return
    for kinds, axis, second in targets:
        rows_of_kind = np.isin(a["actuator_trntype"], kinds)
        for name, least in (("actuator_target", 0), ("actuator_second", second)):
            column = a[name][rows_of_kind]
            if ((column < least) | (column >= rows[axis])).any():
                raise ValueError(f"{name} has a number that is not a row of {axis}")


def check_sensors(
    a: Mapping[str, Array],
    rows: Mapping[str, int],
    sensors: Sensors,
    frames: Mapping[int, str],
    shapes: Mapping[int, str],
    joints: Joints,
) -> None:
    """Check that every sensor has an object, and its own values in sensordata.

    Args:
        a: the columns by name.
        rows: number of rows of each axis.
        sensors: properties by code; other sensors are not evaluated.
        frames: the axis of objects with a frame, by the code of their type.
        shapes: the axis of objects between which distances are measured.
        joints: the primitive joints.

    Raises:
        ValueError: names the first invalid one.
    """
    for z, code in enumerate(a["sensor_type"].tolist()):
        if code not in sensors:
            continue
        name, dim, what, against = sensors[code]
        dim = max(dim, int(a["sensor_gridnum"][z]), 0 if dim else int(a["sensor_dim"][z]))
        first = int(a["sensor_adr"][z])
        if not 0 <= first <= rows["sensordata"] - dim:
            raise ValueError(f"sensor {z} ({name}) has numbers from {first} on, of {rows['sensordata']}")
        for role, kind in (("obj", what), ("ref", against)):
            row, type_ = int(a[f"sensor_{role}id"][z]), int(a[f"sensor_{role}type"][z])
            if not kind or (role == "ref" and kind == "frame" and row < 0):
                continue
            by_type = {"frame": frames, "shapes": shapes}.get(kind)
            if name == "rangefinder":  # from a site or a camera
                by_type = {code: axis for code, axis in frames.items() if axis in ("site", "cam")}
            axis = "jnt" if kind == "ball" else kind if by_type is None else by_type.get(type_, "")
            if not 0 <= row < rows.get(axis, 0):
                raise ValueError(f"sensor_{role}id[{z}] is {row}, which cannot be measured by {name}")
            if kind == "ball" and joints[int(a["jnt_type"][row])][0] != "ball":
                raise ValueError(f"sensor_{role}id[{z}] is {row}, which is not a ball joint")


def _check_order(parent: Array, body: Array, nbody: int, njnt: int) -> None:
    """Check that parents precede their children, and joints are in the order of their bodies."""
    if nbody < 1 or parent[0] != 0:
        raise ValueError("body 0 must be the world, its own parent")
    bad = np.flatnonzero((parent[1:] < 0) | (parent[1:] >= np.arange(1, nbody)))
    if bad.size:
        raise ValueError(f"body {int(bad[0]) + 1} must come after its parent")
    if njnt and (body.min() < 1 or body.max() >= nbody or (np.diff(body) < 0).any()):
        raise ValueError("joints must be in the order of their bodies, with none on the world")


def _starts(numbers: Array) -> Array:
    """First indices of consecutive runs of some lengths."""
    return np.asarray(np.cumsum(numbers) - numbers)


def _expect(name: str, array: ArrayLike, expected: ArrayLike) -> None:
    """Check indices that follow from others."""
    found = np.asarray(array)
    wrong = np.flatnonzero(found != np.asarray(expected))
    if wrong.size:
        k = int(wrong[0])
        raise ValueError(f"{name}[{k}] is {found[k]}, which is inconsistent with the tree")


def _dof_tree(parent: Sequence[int], dofs: Sequence[int], nv: int) -> tuple[list[int], list[int]]:
    """The parent degree of freedom of each degree of freedom, -1 if there is none, and its depth."""
    above, depth, last, i = [-1] * nv, [0] * nv, [-1] * len(parent), 0
    for b in range(1, len(parent)):
        before = last[parent[b]]
        for _ in range(dofs[b]):
            above[i], depth[i] = before, depth[before] + 1 if before >= 0 else 0
            before, i = i, i + 1
        last[b] = before
    return above, depth
