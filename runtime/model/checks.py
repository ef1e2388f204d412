"""Checks of the given columns of a Model, wherever they come from.

Builders, files and pickles all use these checks, so the kernels can rely on every index and every number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.counts import OF_COLUMN
from polybody.errors import ModelError, Problem, Problems
from polybody.generated.model import (
    JOINT_SIZES,
    SCHEMA_VERSION,
    SIZES,
    TABLES,
    Column,
    EqualityType,
    JointType,
)
from polybody.model import formulas, references
from polybody.model.arrays import frozen
from polybody.model.column_checks import ColumnChecks, Rule, Taken
from polybody.model.derived import joint_sizes
from polybody.model.plasticity import plastic_number
from polybody.model.tree_checks import COORDINATES, PHYSICS, TREE, TreeChecks, rows_by_name

Array = NDArray[Any]
Names = Mapping[str, Sequence[str]]
Suspects = Mapping[str, list[str]]
"""The columns that may be invalid, by check."""

GIVEN: dict[str, Column] = {c.name: c for table in TABLES for c in table.columns if c.role == "model"}
AXES: dict[str, str] = {c.name: table.axis for table in TABLES for c in table.columns}
KINDS: dict[str, str] = {"one": "option"} | {table.axis: table.names for table in TABLES if table.names}
"""The name of an axis's rows in messages and in ``Model.names``."""
NAMED: dict[str, str] = {table.names: table.columns[0].name for table in TABLES if table.names}

FIRST = {axis: name for name, axis in reversed(AXES.items()) if name in GIVEN}
"""One given column of each axis."""
WIDE = frozenset(name for name, column in GIVEN.items() if any(isinstance(n, str) for n in column.shape))
"""Columns whose width depends on other quantities."""
COUNTED = {"na": "actuator_actnum", "nu": "actuator_ctrlnum", "nmocap": "body_mocapid"}
"""Sizes without an axis, and the columns from which they are counted."""
FOUND = (*COUNTED, "nplastic")
"""Sizes that other columns determine."""
WHOLE = ("int64", "int32", "uint8")
"""Integer types."""
INTEGERS = frozenset(name for name, column in GIVEN.items() if column.dtype in WHOLE)
TYPES: dict[str, np.dtype[Any]] = {name: np.dtype(column.dtype) for name, column in GIVEN.items()}
UNIT = frozenset(
    (
        *("body_quat", "body_iquat", "jnt_axis", "jnt_quat", "geom_quat", "site_quat", "cam_quat"),
        *("light_dir", "mesh_quat"),
    )
)
"""Columns of unit vectors and quaternions."""
_NOT_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
UNIT_TOLERANCE = 1e-9
"""Tolerance on the length of unit vectors and quaternions, for rounding."""
TRIANGLE_TOLERANCE = 1e-6
"""By how much, relative to their sum, a moment of inertia may exceed the sum of the others: files have six
digits.
"""


def _rule(column: Column) -> Rule:
    """The check of a column."""
    default = None if column.default is None else b""
    if default is not None and column.name not in WIDE:
        default = np.full(_row(column), column.default, column.dtype).tobytes()
    wide, bound = _wide(column), OF_COLUMN.get(column.name)
    return Rule(
        name=column.name,
        axis=AXES[column.name],
        dtype=np.dtype(column.dtype),
        shape=(0,) if wide else None if column.name in WIDE else _row(column),
        wide=wide,
        default=default,
        unsaid=_unsaid(column),
        codes=_codes(column),
        flag=column.flag,
        least=column.minimum,
        most=column.maximum,
        open=column.open,
        unit=int(column.shape[0]) if column.name in UNIT else 0,
        refers="" if column.first else column.refers,
        tolerance=UNIT_TOLERANCE,
        count=None if bound is None else bound.most,
        total=None if bound is None else bound.total,
    )


def _codes(column: Column) -> tuple[int, ...] | None:
    """The allowed values of an integer; None if there is no list of them."""
    return column.values or (None if column.codes is None else tuple(map(int, column.codes)))


def _wide(column: Column) -> str:
    """The axis whose size is the width of the column's rows; "*" for any width."""
    if column.name not in WIDE or len(column.shape) != 1 or column.shape[0] in FOUND:
        return ""
    size = str(column.shape[0])
    return "" if "*" in size else AXES[SIZES[size]] if size in SIZES else "*"


def _row(column: Column) -> tuple[int, ...]:
    """The shape of one row of a column of fixed width."""
    return tuple(part for part in column.shape if isinstance(part, int))


def _unsaid(column: Column) -> Array | None:
    """The value of a column that is not given: the default of an option, or a column without rows."""
    single = AXES[column.name] == "one"
    if column.name in WIDE or (single and column.default is None):
        return None
    shape = _row(column) if single else (0, *_row(column))
    return frozen(np.full(shape, np.array(column.default or 0), column.dtype))


COLUMN_CHECKS = ColumnChecks([_rule(column) for column in GIVEN.values()])
TREE_CHECKS = TreeChecks(
    [JOINT_SIZES[code] for code in sorted(JOINT_SIZES)], JointType.free, TRIANGLE_TOLERANCE, UNIT_TOLERANCE
)


class Checked(NamedTuple):
    """Columns and names that form a valid Model."""

    arrays: dict[str, Array]
    """The given columns, contiguous and read-only."""
    by_name: dict[str, dict[str, int]]
    """Rows by kind and name."""


def checked(columns: Mapping[str, Any], names: Names, title: str = "", *, known: bool = False) -> Checked:
    """The given columns and the rows of all names, after all checks.

    Args:
        columns: arrays by name.
        names: of the rows, by kind.
        title: the name of the Model.
        known: whether all integers and all shapes are those of a Model; references are not checked then.

    Raises:
        ModelError: a column is missing, unknown or has the wrong shape; an index is invalid; a number is not
            finite; a mass, inertia, axis, quaternion or name is invalid. All problems of one level are
            listed.
    """
    taken = _taken(columns)
    arrays, suspects = taken.arrays, taken.suspects
    if suspects["finite"]:
        _raise(_finite(suspects["finite"], arrays, names))
    if suspects["counted"]:
        _raise(_counted(suspects["counted"], arrays, names))
    index = _index(arrays, names, title)
    together = TREE_CHECKS.suspects(arrays)
    outside = [name for name in suspects["bounded"] if name in INTEGERS]
    if together & TREE or suspects["codes"] or suspects["flag"] or outside:
        _raise(_indices(suspects, arrays, names))
        _raise(_out_of_bounds(outside, arrays, names))
    if suspects["refers"]:
        _raise(_rows_pointed_at(suspects["refers"], arrays, names))
    if together & COORDINATES:
        _raise(_coordinates(arrays))
    if not known:
        _raise(references.problems(arrays, taken.lengths, partial(about, names)))
        if len(arrays["operation_type"]) or EqualityType.formula in arrays["eq_type"].tolist():
            _raise(formulas.problems(arrays))
    if together & PHYSICS or suspects["bounded"] or suspects["unit"]:
        _raise(_physics(suspects, arrays, names))
    return Checked(arrays, index)


def check_version(what: str, version: object) -> None:
    """Check that saved data has this version of the model's schema, so that its columns have the same
    meaning.

    Args:
        what: the subject of the message, such as "model.npz".
        version: the version in the data, None if there is none.

    Raises:
        ModelError: it is another version.
    """
    if version != SCHEMA_VERSION:
        found = "does not state its version" if version is None else f"is of version {str(version)[:40]}"
        raise ModelError(
            [
                f"{what} {found} of the model's schema, and this polybody reads version {SCHEMA_VERSION}: "
                "load the model from its own file and save it again, or use the polybody that saved it"
            ]
        )


def has_quaternion(nq: Array, nv: Array) -> Array:
    """Whether a joint's coordinates end in a quaternion: there is one more coordinate than velocities."""
    return np.asarray(nq == nv + 1)


def _rows(wrong: Any) -> list[int]:
    found: list[int] = np.flatnonzero(wrong).tolist()
    return found


def _raise(problems: Problems) -> None:
    if found := list(problems):
        raise ModelError(found)


def _taken(columns: Mapping[str, Any]) -> Taken:
    """The columns as arrays of the schema's types and shapes, and those that may be invalid."""
    if not all(map(GIVEN.__contains__, columns)):
        _raise(f"{name!r} is not a column that can be given" for name in columns if name not in GIVEN)
    taken = COLUMN_CHECKS.take(columns if type(columns) is dict else dict(columns))
    if taken.missing:
        _raise(f"column {name} is missing" for name in taken.missing)
    for name in taken.others:
        if name not in columns:
            _default(columns, name, taken)
    _raise(problem for name in taken.others if name in columns for problem in _convert(columns, name, taken))
    return taken


def _default(columns: Mapping[str, Any], name: str, taken: Taken) -> None:
    """Fill in the default of a column whose shape depends on others."""
    rows = () if AXES[name] == "one" else (taken.lengths.get(AXES[name], 0),)
    width = [_extent(part, columns, taken.lengths) or 0 for part in GIVEN[name].shape]
    filled = _filled(name, (*rows, *width))
    if filled.size:
        COLUMN_CHECKS.add(taken, name, filled)
    else:
        taken.arrays[name] = filled


def _convert(columns: Mapping[str, Any], name: str, taken: Taken) -> Iterator[str]:
    """Convert a given column of another type or shape, or whose shape depends on others; or say why this
    fails.
    """
    column, rows = GIVEN[name], () if AXES[name] == "one" else (taken.lengths.get(AXES[name], 0),)
    width = [_extent(part, columns, taken.lengths) for part in column.shape]
    value = np.asarray(columns[name])
    if value.dtype.kind not in ("iub" if column.dtype in WHOLE else "iubf"):
        yield f"{name} has values of type {value.dtype}, not {column.dtype}"
        return
    known = zip(value.shape[len(rows) :], width, strict=False)
    fits = value.ndim == len(rows) + len(width) and all(n in (None, have) for have, n in known)
    if fits and rows and len(value) != rows[0]:
        yield f"{name} has {len(value)} rows, others of {AXES[name]} have {rows[0]}"
    elif not fits:
        parts = [*(each or "n" for each in rows), *column.shape]
        shown = ", ".join(map(str, parts)) + "," * (len(parts) == 1)
        yield f"{name} has shape {value.shape}; expected ({shown})"
    own = frozen(value if value.dtype == TYPES[name] else value.astype(TYPES[name]))
    if column.dtype in WHOLE and value.dtype != own.dtype and (own != value).any():
        yield f"{name} has values that do not fit {column.dtype}"
    COLUMN_CHECKS.add(taken, name, own)


@lru_cache(maxsize=256)
def _filled(name: str, shape: tuple[int, ...]) -> Array:
    """A column of a shape, filled with the value for what is not given."""
    return frozen(np.full(shape, np.array(GIVEN[name].default or 0), TYPES[name]))


def _extent(part: int | str, columns: Mapping[str, Any], lengths: Mapping[str, int]) -> int | None:
    """A dimension of a row's shape as a number; None if any size is allowed."""
    if isinstance(part, int):
        return part
    factor, _, size = part.rpartition("*")
    if size in SIZES:
        number = lengths.get(AXES[SIZES[size]], 0)
    elif size == "nplastic":
        number = plastic_number(columns)
    elif size in COUNTED:
        if COUNTED[size] not in columns:
            return lengths.get("actuator", 0) if size == "nu" else 0
        values = np.asarray(columns[COUNTED[size]])
        number = int((values >= 0).sum() if size == "nmocap" else values.clip(0).sum())
    else:
        return None
    return int(factor or 1) * number


def _rows_pointed_at(suspects: list[str], arrays: Mapping[str, Array], names: Names) -> Problems:
    """Check that row numbers refer to existing rows, or are -1."""
    for name in suspects:
        axis, array = GIVEN[name].refers, arrays[name]
        rows = len(arrays[FIRST[axis]])
        for problem, value in _of_rows(arrays, names, name, (array < -1) | (array >= rows)):
            yield problem(f"{name} {value} is not a row of {axis}, of which there are {rows}")


def _out_of_bounds(suspects: list[str], arrays: Mapping[str, Array], names: Names) -> Problems:
    """Check the bounds of integers."""
    for name in suspects:
        low, high = GIVEN[name].minimum, GIVEN[name].maximum
        least, most = -math.inf if low is None else low, math.inf if high is None else high
        allowed = f"at least {least:.0f}" if high is None else f"from {least:.0f} to {most:.0f}"
        for problem, value in _of_rows(arrays, names, name, (arrays[name] < least) | (arrays[name] > most)):
            yield problem(f"{name} {value} is not {allowed}")


def _finite(suspects: list[str], arrays: Mapping[str, Array], names: Names) -> Problems:
    for name in suspects:
        for problem, value in _of_rows(arrays, names, name, ~np.isfinite(arrays[name])):
            yield problem(f"{GIVEN[name].attribute} is not finite: {value}")


def _of_rows(
    arrays: Mapping[str, Array], names: Names, name: str, wrong: Array
) -> Iterator[tuple[Callable[[str], Problem], Any]]:
    """For each row of a column with an error: a function that makes a problem of a text, and its value."""
    if not np.any(wrong):
        return
    if AXES[name] == "one":
        yield partial(about, names, "one", 0, column=name), arrays[name].tolist()
        return
    for row in _rows(wrong.any(axis=tuple(range(1, wrong.ndim)))):
        yield partial(about, names, AXES[name], row, column=name), arrays[name][row].tolist()


def about(names: Names, axis: str, row: int, text: str, column: str = "") -> Problem:
    """A problem of a row."""
    kind = KINDS.get(axis, axis)
    known = names.get(kind, ())
    return Problem(text, kind, row, known[row] if row < len(known) else "", column)


def _index(arrays: Mapping[str, Array], names: Names, title: str) -> dict[str, dict[str, int]]:
    """The rows of each kind by name.

    Raises:
        ModelError: a name is invalid or used twice, or the number of names is not that of the rows.
    """
    found: dict[str, dict[str, int]] = {}
    sound = _is_xml_text(title)
    for kind, column in NAMED.items():
        rows = names.get(kind)
        if rows is None:
            found[kind] = {}
            continue
        known = rows_by_name(rows) if rows else {}
        sound &= known is not None and len(rows) == len(arrays[column])
        found[kind] = {} if known is None else known
    if sound and all(map(found.__contains__, names)):
        return found
    _raise(_names(arrays, names, title))
    return {kind: {name: row for row, name in enumerate(names.get(kind, ())) if name} for kind in NAMED}


def _names(arrays: Mapping[str, Array], names: Names, title: str) -> Problems:
    unknown = [kind for kind in names if kind not in NAMED]
    if unknown:
        yield f"names belong to {', '.join(NAMED)}, not to {', '.join(unknown)}"
        return
    for kind, column in NAMED.items():
        if kind not in names:
            continue
        if len(names[kind]) != len(arrays[column]):
            yield f"there are {len(names[kind])} names for {len(arrays[column])} {kind} rows"
        first: dict[str, int] = {}
        for row, name in enumerate(names[kind]):
            if not _is_xml_text(name):
                yield Problem(f"{name!r} is not a name: XML cannot represent it", kind, row)
            elif name and first.setdefault(name, row) != row:
                yield Problem(f"the name {name!r} is already used by {kind} {first[name]}", kind, row)
    if not _is_xml_text(title):
        yield f"{title!r} is not a name of a Model: XML cannot represent it"


def _is_xml_text(text: Any) -> bool:
    """Whether a text has only characters of XML 1.0, so that it survives in a Model's XML form."""
    return isinstance(text, str) and _NOT_XML.search(text) is None


def _indices(suspects: Suspects, arrays: Mapping[str, Array], names: Names) -> Problems:
    parent = arrays["body_parentid"]
    if len(parent) == 0 or parent[0] != 0:
        yield "body 0 must be the world, its own parent"
        return
    for body in _rows((parent < 0) | (parent >= np.maximum(np.arange(len(parent)), 1))):
        yield about(names, "body", body, f"its parent {parent[body]} must come before it", "body_parentid")
    for axis, first in (("jnt", 1), ("geom", 0)):
        owner = arrays[f"{axis}_bodyid"]
        for row in _rows((owner < first) | (owner >= len(parent))):
            fault = "never moves" if owner[row] == 0 else "does not exist"
            yield about(names, axis, row, f"body {owner[row]} {fault}", f"{axis}_bodyid")
        if (np.diff(owner) < 0).any():
            yield f"{axis} rows are not in the order of their bodies"
    for name in suspects["codes"]:
        values, codes = np.atleast_1d(arrays[name]), list(_codes(GIVEN[name]) or ())
        for row in _rows(~np.isin(values, codes)):
            yield about(names, AXES[name], row, f"{name} {values[row]} is not one of {codes}", name)
    for name in suspects["flag"]:
        yield f"{name} is neither 0 nor 1"


def _counted(suspects: list[str], arrays: Mapping[str, Array], names: Names) -> Problems:
    """Counts beyond their bounds."""
    for name in suspects:
        bound, values = OF_COLUMN[name], np.atleast_1d(arrays[name])
        if len(values) and values.max() > bound.most:
            row = int(values.argmax())
            fault = f"{GIVEN[name].attribute} {values[row]:,} is more than {bound.most:,}"
            yield about(names, AXES[name], row, fault, name)
        elif bound.total is not None and values.clip(0).sum(dtype=np.int64) > bound.total:
            yield f"{name}: the rows together are more than {bound.total:,}"


def _coordinates(arrays: Mapping[str, Array]) -> Iterator[str]:
    nq, nv = joint_sizes(arrays["jnt_type"])
    for name, total in (("qpos0", nq.sum()), ("qpos_spring", nq.sum()), ("dof_armature", nv.sum())):
        if len(arrays[name]) != total:
            yield f"{name} has {len(arrays[name])} rows, the joints have {total}"


def _physics(suspects: Suspects, arrays: Mapping[str, Array], names: Names) -> Problems:
    for name in (name for name in suspects["bounded"] if name not in INTEGERS):
        least = GIVEN[name].minimum or 0.0
        compare, fault = (np.less_equal, "not above") if GIVEN[name].open else (np.less, "below")
        for problem, value in _of_rows(arrays, names, name, compare(arrays[name], least)):
            yield problem(f"{GIVEN[name].attribute} {value} is {fault} {least:g}")
    inertia, ipos = arrays["body_inertia"], arrays["body_ipos"]
    with np.errstate(over="ignore", invalid="ignore"):
        total = inertia.sum(axis=1)
        excess = 2 * inertia.max(axis=1) - total > TRIANGLE_TOLERANCE * total
        about_origin = total + arrays["body_mass"] * np.square(ipos).sum(axis=1)
    for problem, value in _of_rows(arrays, names, "body_ipos", ~np.isfinite(about_origin)):
        yield problem(f"with its centre of mass at {value}, the inertia about its origin overflows")
    excess &= ~np.bool_(arrays["opt_anyinertia"])
    for problem, value in _of_rows(arrays, names, "body_inertia", excess):
        yield problem(f"impossible principal moments {value}: one exceeds the sum of the others")
    for name in suspects["unit"]:
        for problem, value in _of_rows(arrays, names, name, _not_unit(arrays[name])):
            yield problem(f"{GIVEN[name].attribute} {value} does not have length 1")
    yield from _joints(arrays, names)
    if np.any(arrays["body_pos"][0]) or not np.array_equal(arrays["body_quat"][0], [1, 0, 0, 0]):
        yield "body 0, the world, must have an identity pose"


def _not_unit(rows: Array) -> Array:
    """Rows whose length is not 1."""
    return np.asarray(np.abs(np.sqrt(np.square(rows).sum(axis=1)) - 1) > UNIT_TOLERANCE)


def _joints(arrays: Mapping[str, Array], names: Names) -> Problems:
    nq, nv = joint_sizes(arrays["jnt_type"])
    turning = np.flatnonzero(has_quaternion(nq, nv))
    parts = np.cumsum(nq)[turning, None] + np.arange(-4, 0)
    for name in ("qpos0", "qpos_spring") if len(turning) else ():
        numbers = arrays[name][parts]
        for row in _rows(_not_unit(numbers)):
            fault = f"the quaternion in {name} has length {np.linalg.norm(numbers[row]):.9g}, not 1"
            yield about(names, "jnt", int(turning[row]), fault)
    owner = arrays["jnt_bodyid"]
    late = (arrays["jnt_type"][1:] == JointType.free) & (owner[1:] == owner[:-1])
    for before in _rows(late):
        yield about(names, "jnt", before + 1, "a free joint must be the first of its body", "jnt_type")
