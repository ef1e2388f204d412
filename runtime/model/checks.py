"""What the given columns of a Model must satisfy, checked at one gate for every way of making a Model.

Builders, files and pickles all pass here, so the kernels can trust every index and every number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.errors import ModelError
from polybody.generated.model import SCHEMA_VERSION, SIZES, TABLES, Column, EqualityType, JointType
from polybody.model import formulas
from polybody.model.arrays import frozen
from polybody.model.derived import joint_sizes

Array = NDArray[Any]
Names = Mapping[str, Sequence[str]]

GIVEN: dict[str, Column] = {c.name: c for table in TABLES for c in table.columns if c.role == "model"}
AXES: dict[str, str] = {c.name: table.axis for table in TABLES for c in table.columns}
KINDS: dict[str, str] = {"one": "option"} | {table.axis: table.names for table in TABLES if table.names}
"""What a row of an axis is called in messages and in ``Model.names``."""
NAMED: dict[str, str] = {table.names: table.columns[0].name for table in TABLES if table.names}

WIDE = frozenset(name for name, column in GIVEN.items() if any(isinstance(n, str) for n in column.shape))
"""Columns whose width depends on other things."""
WHOLE = ("int64", "int32", "uint8")
"""Types of whole numbers."""
TYPES: dict[str, np.dtype[Any]] = {name: np.dtype(column.dtype) for name, column in GIVEN.items()}
KNOWN: dict[str, frozenset[int]] = {
    name: frozenset(map(int, column.codes)) for name, column in GIVEN.items() if column.codes is not None
}
"""What the numbers of a column with codes can be."""
BOUNDED: dict[tuple[float, bool], list[str]] = {}
"""Columns by what their numbers are not below, and whether they do not equal it either."""
for _column in GIVEN.values():
    if _column.minimum is not None:
        BOUNDED.setdefault((_column.minimum, _column.open), []).append(_column.name)
UNIT = frozenset(
    (
        *("body_quat", "body_iquat", "jnt_axis", "jnt_quat", "geom_quat", "site_quat", "cam_quat"),
        *("light_dir", "mesh_quat"),
    )
)
"""Columns of unit vectors and quaternions."""
_XML_TEXT = re.compile("[\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
UNIT_TOLERANCE = 1e-9
"""How far the length of unit vectors and quaternions may be from 1: rounding, not carelessness."""
TRIANGLE_TOLERANCE = 1e-6
"""How far, of their sum, a moment of inertia may exceed the two others: six digits in a file are no error."""


def _unsaid() -> dict[str, Array]:
    """What a Model has where nothing is given: options by default, tables without rows."""
    found = {}
    for name, column in GIVEN.items():
        single = AXES[name] == "one"
        if name not in WIDE and not (single and column.default is None):
            shape = tuple(part for part in column.shape if isinstance(part, int))
            values = np.full(shape if single else (0, *shape), np.array(column.default or 0), column.dtype)
            found[name] = frozen(values)
    return found


UNSAID = _unsaid()
FEW = 1 << 12
"""How many numbers a column has at most that is looked through together with others."""


def checked(columns: Mapping[str, Any], names: Names, title: str = "") -> dict[str, Array]:
    """The given columns as contiguous arrays that nobody can write, once they are found sound.

    Raises:
        ModelError: a column is missing, unknown or misshapen; an index leads nowhere or backwards; a number
            is not finite; a mass, inertia, axis, quaternion or name cannot be. All of a level are named.
    """
    arrays = _shaped(columns)
    said = {name: array for name, array in arrays.items() if array.size and array is not UNSAID.get(name)}
    _raise(_finite(said, names))
    _raise(_names(arrays, names, title))
    _raise(_indices(arrays, said, names))
    _raise(_rows_pointed_at(said, arrays, names))
    _raise(_coordinates(arrays))
    if len(arrays["operation_type"]) or (arrays["eq_type"] == EqualityType.formula).any():
        _raise(formulas.problems(arrays))
    _raise(_physics(arrays, said, names))
    return arrays


def check_version(what: str, version: object) -> None:
    """Whether something saved is of this version of the model's schema: its columns mean the same here.

    Args:
        what: what was saved, as the sentence begins: "model.npz".
        version: what it says of itself, None if it says nothing.

    Raises:
        ModelError: it is of another version.
    """
    if version != SCHEMA_VERSION:
        found = "does not say its version" if version is None else f"is of version {str(version)[:40]}"
        raise ModelError(
            [
                f"{what} {found} of the model's schema, and this polybody reads version {SCHEMA_VERSION}: "
                "load the model from its own file and save it again, or use the polybody that saved it"
            ]
        )


def has_quaternion(nq: Array, nv: Array) -> Array:
    """Whether a joint's coordinates end in a quaternion: it has one number more than it has velocities."""
    return np.asarray(nq == nv + 1)


def _rows(wrong: Any) -> list[int]:
    found: list[int] = np.flatnonzero(wrong).tolist()
    return found


def _raise(problems: Iterator[str]) -> None:
    if found := list(problems):
        raise ModelError(found)


def _shaped(columns: Mapping[str, Any]) -> dict[str, Array]:
    _raise(f"{name!r} is no column that can be given" for name in columns if name not in GIVEN)
    values = {name: np.asarray(columns[name]) for name in GIVEN if name in columns}
    lengths = _lengths(values)
    unsaid = (name for name, column in GIVEN.items() if name not in values and column.default is None)
    _raise(f"column {name} is missing" for name in unsaid if lengths.get(AXES[name], 0))
    sizes = _sizes(values, lengths)
    arrays, problems = dict(UNSAID), []
    for name, column in GIVEN.items():
        rows = () if AXES[name] == "one" else (lengths.get(AXES[name], 0),)
        value = values.get(name)
        if value is None:
            if rows and (rows[0] or name in WIDE):
                shape = (*rows, *(_extent(part, sizes) or 0 for part in column.shape))
                arrays[name] = frozen(np.full(shape, np.array(column.default or 0), column.dtype))
            continue
        fits = value.shape == (*rows, *column.shape)
        if fits and value.dtype == TYPES[name]:
            if value.size or name not in UNSAID:
                arrays[name] = _own(value, TYPES[name])
            continue
        if value.dtype.kind not in ("iub" if column.dtype in WHOLE else "iubf"):
            problems.append(f"{name} has values of type {value.dtype}, not {column.dtype}")
            continue
        if not fits:
            width = [_extent(part, sizes) for part in column.shape]
            known = zip(value.shape[len(rows) :], width, strict=False)
            fits = value.ndim == len(rows) + len(width) and all(n in (None, have) for have, n in known)
            if fits and rows and len(value) != rows[0]:
                problems.append(f"{name} has {len(value)} rows, others of {AXES[name]} have {rows[0]}")
            elif not fits:
                shown = ", ".join(map(str, column.shape))
                rest = f"not {'rows of ' * bool(rows)}shape ({shown})"
                problems.append(f"{name} has shape {value.shape}, {rest}")
        arrays[name] = _own(value, TYPES[name])
        if column.dtype in WHOLE and value.dtype != arrays[name].dtype and (arrays[name] != value).any():
            problems.append(f"{name} has values beyond {column.dtype}")
    _raise(iter(problems))
    return arrays


def _own(value: Array, kind: np.dtype[Any]) -> Array:
    """An array of the Model's own that nobody can write; one that nobody can write is taken as it is."""
    return frozen(value if value.dtype == kind else value.astype(kind))


def _lengths(values: Mapping[str, Array]) -> dict[str, int]:
    """How many rows each axis has: as many as the first of its columns that is given."""
    lengths = {"one": 1}
    for name, value in values.items():
        axis = AXES[name]
        if axis not in lengths:
            lengths[axis] = len(value) if value.ndim else 0
    return lengths


def _sizes(values: Mapping[str, Array], lengths: Mapping[str, int]) -> dict[str, int]:
    """The sizes of a Model that its columns' widths may name."""
    sizes = {size: lengths.get(AXES[column], 0) for size, column in SIZES.items()}
    for size, column in (("na", "actuator_actnum"), ("nmocap", "body_mocapid")):
        if column in values:
            sizes[size] = int(values[column].clip(0).sum() if size == "na" else (values[column] >= 0).sum())
    return sizes


def _extent(part: int | str, sizes: Mapping[str, int]) -> int | None:
    """A part of a row's shape as a number; None where it is whatever is given."""
    if isinstance(part, int):
        return part
    factor, _, size = part.rpartition("*")
    return int(factor or 1) * sizes[size] if size in sizes else None


def _rows_pointed_at(said: Mapping[str, Array], arrays: Mapping[str, Array], names: Names) -> Iterator[str]:
    """Numbers of rows lead to rows that there are; -1 leads nowhere."""
    rows = {AXES[column]: len(arrays[column]) for column in SIZES.values() if column in arrays}
    for name, array in said.items():
        axis = GIVEN[name].refers
        if axis in rows and not -1 <= array.min() <= array.max() < rows[axis]:
            for what, value in _of_rows(arrays, names, name, (array < -1) | (array >= rows[axis])):
                yield f"{what}: {name} {value} is no row of {axis}, of which there are {rows[axis]}"


def _finite(arrays: Mapping[str, Array], names: Names) -> Iterator[str]:
    reals = {name: array for name, array in arrays.items() if array.dtype.kind == "f"}
    for name in _suspects(reals, lambda numbers: bool(np.isfinite(numbers).all())):
        for what, value in _of_rows(arrays, names, name, ~np.isfinite(reals[name])):
            yield f"{what}: {GIVEN[name].attribute} is not finite: {value}"


def _suspects(arrays: Mapping[str, Array], sound: Callable[[Array], bool]) -> list[str]:
    """The columns in which something may be wrong: none of the small ones, if at one look all are sound."""
    few = [array.ravel() for array in arrays.values() if array.size <= FEW]
    together = not few or sound(np.concatenate(few))
    return [name for name, array in arrays.items() if not ((together and array.size <= FEW) or sound(array))]


def _of_rows(arrays: Mapping[str, Array], names: Names, name: str, wrong: Array) -> Iterator[tuple[str, Any]]:
    """What a message calls each row of a column in which anything is wrong, and its value."""
    if AXES[name] == "one":
        if np.any(wrong):
            yield "option", arrays[name].tolist()
        return
    if not np.any(wrong):
        return
    for row in _rows(wrong.any(axis=tuple(range(1, wrong.ndim)))):
        yield called(names, AXES[name], row), arrays[name][row].tolist()


def called(names: Names, axis: str, row: int) -> str:
    """A row as a message names it: what it is, its number, its name."""
    kind = KINDS.get(axis, axis)
    if axis == "one":
        return kind
    known = names.get(kind, ())
    return f"{kind} {row} {known[row]!r}" if row < len(known) and known[row] else f"{kind} {row}"


def _names(arrays: Mapping[str, Array], names: Names, title: str) -> Iterator[str]:
    unknown = [kind for kind in names if kind not in NAMED]
    if unknown:
        yield f"names are of {', '.join(NAMED)}; nothing is called {', '.join(unknown)}"
        return
    for kind, column in NAMED.items():
        if kind not in names:
            continue
        if len(names[kind]) != len(arrays[column]):
            yield f"there are {len(names[kind])} names for {len(arrays[column])} {kind} rows"
        if _are_names(names[kind]):
            continue
        first: dict[str, int] = {}
        for row, name in enumerate(names[kind]):
            if not _is_xml_text(name):
                yield f"{kind} {row}: {name!r} is no name: XML cannot hold it"
            elif name and first.setdefault(name, row) != row:
                yield f"{kind} {row}: the name {name!r} is taken by {kind} {first[name]}"
    if not _is_xml_text(title):
        yield f"{title!r} is no name of a Model: XML cannot hold it"


def _are_names(names: Sequence[Any]) -> bool:
    """Whether all are names that can be, and none is there twice: at one look, for there are many."""
    given = [name for name in names if name]
    return (
        all(isinstance(name, str) for name in names)
        and _is_xml_text("".join(given))
        and len(set(given)) == len(given)
    )


def _is_xml_text(text: Any) -> bool:
    """Whether it is text of XML 1.0's characters alone: a Model's names must survive its readable form."""
    return isinstance(text, str) and _XML_TEXT.fullmatch(text) is not None


def _indices(arrays: Mapping[str, Array], said: Mapping[str, Array], names: Names) -> Iterator[str]:
    parent = arrays["body_parentid"]
    if len(parent) == 0 or parent[0] != 0:
        yield "body 0 must be the world, its own parent"
        return
    for body in _rows((parent < 0) | (parent >= np.maximum(np.arange(len(parent)), 1))):
        yield f"{called(names, 'body', body)}: its parent {parent[body]} does not stand before it"
    for axis, first in (("jnt", 1), ("geom", 0)):
        owner = arrays[f"{axis}_bodyid"]
        for row in _rows((owner < first) | (owner >= len(parent))):
            yield f"{called(names, axis, row)}: body {owner[row]} " + (
                "never moves" if owner[row] == 0 else "does not exist"
            )
        if (np.diff(owner) < 0).any():
            yield f"{axis} rows do not stand in the order of their bodies"
    for name, array in said.items():
        column = GIVEN[name]
        known = KNOWN.get(name)
        if known is not None:
            values = np.atleast_1d(array).tolist()
            for row in () if known.issuperset(values) else _rows(~np.isin(values, list(known))):
                listed = [int(code) for code in column.codes or ()]
                yield f"{called(names, AXES[name], row)}: {name} {values[row]} is none of {listed}"
    flags = {name: array for name, array in said.items() if GIVEN[name].flag}
    for name in _suspects(flags, lambda numbers: bool(numbers.max() <= 1)):
        yield f"{name} is neither 0 nor 1"


def _coordinates(arrays: Mapping[str, Array]) -> Iterator[str]:
    nq, nv = joint_sizes(arrays["jnt_type"])
    for name, total in (("qpos0", nq.sum()), ("qpos_spring", nq.sum()), ("dof_armature", nv.sum())):
        if len(arrays[name]) != total:
            yield f"{name} has {len(arrays[name])} rows, the joints have {total}"


def _physics(arrays: Mapping[str, Array], said: Mapping[str, Array], names: Names) -> Iterator[str]:
    for (least, above), bounded in BOUNDED.items():
        compare, fault = (np.less_equal, "not above") if above else (np.less, "below")
        alike = {name: said[name] for name in bounded if name in said}
        for name in _suspects(alike, lambda numbers: not compare(numbers, least).any()):  # noqa: B023
            for what, value in _of_rows(arrays, names, name, compare(said[name], least)):
                yield f"{what}: {GIVEN[name].attribute} {value} is {fault} {least:g}"
    inertia, ipos = arrays["body_inertia"], arrays["body_ipos"]
    with np.errstate(over="ignore", invalid="ignore"):
        total = inertia.sum(axis=1)
        excess = 2 * inertia.max(axis=1) - total > TRIANGLE_TOLERANCE * total
        about_origin = total + arrays["body_mass"] * np.square(ipos).sum(axis=1)
    for what, value in _of_rows(arrays, names, "body_ipos", ~np.isfinite(about_origin)):
        yield f"{what}: with its centre of mass at {value}, the inertia about its origin is beyond numbers"
    for what, value in _of_rows(arrays, names, "body_inertia", excess):
        yield f"{what}: no body has principal moments {value}: one exceeds the sum of the others"
    for width in (3, 4):
        alike = {name: said[name] for name in UNIT & said.keys() if said[name].shape[1] == width}
        for name in _suspects(alike, lambda numbers: not _not_unit(numbers.reshape(-1, width)).any()):  # noqa: B023
            for what, value in _of_rows(arrays, names, name, _not_unit(said[name])):
                yield f"{what}: {GIVEN[name].attribute} {value} has not length 1"
    yield from _joints(arrays, names)
    if np.any(arrays["body_pos"][0]) or not np.array_equal(arrays["body_quat"][0], [1, 0, 0, 0]):
        yield "body 0, the world, stands at the origin, upright"


def _not_unit(rows: Array) -> Array:
    """Which rows have not length 1."""
    return np.asarray(np.abs(np.linalg.norm(rows, axis=1) - 1) > UNIT_TOLERANCE)


def _joints(arrays: Mapping[str, Array], names: Names) -> Iterator[str]:
    nq, nv = joint_sizes(arrays["jnt_type"])
    turning = np.flatnonzero(has_quaternion(nq, nv))
    parts = np.cumsum(nq)[turning, None] + np.arange(-4, 0)
    for name in ("qpos0", "qpos_spring"):
        length = np.linalg.norm(arrays[name][parts], axis=1)
        for row in _rows(np.abs(length - 1) > UNIT_TOLERANCE):
            what = called(names, "jnt", int(turning[row]))
            yield f"{what}: the quaternion in {name} has length {length[row]:.9g}, not 1"
    owner = arrays["jnt_bodyid"]
    late = (arrays["jnt_type"] == JointType.free) & (owner == np.roll(owner, 1)) & (np.arange(len(owner)) > 0)
    for joint in _rows(late):
        yield f"{called(names, 'jnt', joint)}: a free joint is the first of its body"
