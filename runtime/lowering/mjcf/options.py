"""Options, statistics, sizes and visual settings: columns with one row."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Any

import numpy as np
from polybody.assembly.columns import DOUBLE, INTEGER, SINGLE, Array, Columns
from polybody.base import Format, Kind, Status
from polybody.base.written import written
from polybody.generated.formats.mjcf import Switch
from polybody.lowering.mjcf.codes import code
from polybody.lowering.mjcf.elements import Values
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.reading import Reader
from polybody.lowering.mjcf.values import form, schema_defaults
from polybody.model.flags import DISABLE, ENABLE

WORDS = ("integrator", "cone", "jacobian", "solver")
NOT_COLUMNS = ("actuatorgroupdisable",)
GROUPS = 31
"""Number of groups of actuators that can be disabled."""
STATISTICS = {"meaninertia": 1, "meanmass": 1, "meansize": 1, "extent": 1, "center": 3}
SIZES = ("nuserdata", "njmax", "nconmax", "nstack")
SUFFIXES = "KMGTPE"
VISUAL = "Visual"


@cache
def _names(form: Format) -> frozenset[str]:
    """The attributes of `option` that are columns: not those of which no Model is made where they act."""
    row = form.elements["Option"]
    here = (each.field for each in row.attributes if each.status is not Status.LATER)
    return frozenset(here).difference(NOT_COLUMNS)


@cache
def _default_options(form: Format) -> Columns:
    values = schema_defaults("option")
    found = {f"opt_{name}": _option(name, values[name]) for name in _names(form)}
    for column in found.values():
        column.flags.writeable = False
    return found


def _option(name: str, value: Any) -> Array:
    if name in WORDS:
        return np.array(code(value), dtype=INTEGER)
    return np.array(value, dtype=INTEGER if isinstance(value, int) else DOUBLE)


def option_columns(reader: Reader, problems: Problems) -> Columns:
    """The columns of `option` and its flags."""
    values, columns = reader.merged("option"), dict(_default_options(form()))
    for section in reader.sections.get("option", []):
        for name in written(section):
            if name in _names(form()):
                columns[f"opt_{name}"] = _option(name, values[name])
    groups = 0
    for group in values["actuatorgroupdisable"] or ():
        if 0 <= group < GROUPS:
            groups |= 1 << group
        else:
            node = reader.sections["option"][-1]
            problems.add(node, f"there is no group {group} of actuators", "actuatorgroupdisable")
    columns["opt_disableactuator"] = np.array(groups, dtype=INTEGER)
    flags: Values = dict(schema_defaults("flag"))
    for child in reader.children("option"):
        flags |= written(child)
    for column, known, wanted in (
        ("opt_disableflags", DISABLE, Switch.DISABLE),
        ("opt_enableflags", ENABLE, Switch.ENABLE),
    ):
        bits = sum(bit for name, bit in known.items() if flags.get(name) is wanted)
        columns[column] = np.array(bits, dtype=INTEGER)
    return columns


def statistic_columns(reader: Reader) -> Columns:
    """The values of `statistic`; NaN for those that are computed from the model."""
    values: Values = {}
    for section in reader.sections.get("statistic", []):
        values |= written(section)
    return {
        f"statistic_{name}": np.array(
            values.get(name, np.nan if width == 1 else (np.nan,) * width), dtype=DOUBLE
        )
        for name, width in STATISTICS.items()
    }


def size_columns(size: Values) -> Columns:
    """The sizes that a document can request; -1 if not given. `memory` is in bytes."""
    columns: Columns = {name: np.array(size[name], dtype=np.int64) for name in SIZES}
    columns["memory"] = np.array(min(_bytes(size["memory"]), np.iinfo(np.int64).max), dtype=np.int64)
    return columns


def _bytes(text: str) -> int:
    text = text.strip()
    if text[-1:].upper() in SUFFIXES and not text[-1:].isdigit():
        return int(text[:-1]) << 10 * (1 + SUFFIXES.index(text[-1].upper()))
    return int(text)


@cache
def _visual_attributes(form: Format) -> dict[tuple[str, str], tuple[str, Any, Array]]:
    """By section and field of `visual`: the column, the type of its numbers, its default."""
    found = {}
    for child in form.elements[VISUAL].children:
        row = form.elements[child.element]
        for attribute in () if row.include else row.attributes:
            whole = attribute.forms[0].enum is not None or attribute.forms[0].kind in (Kind.INT, Kind.BOOL)
            kind = INTEGER if whole else SINGLE
            default = np.array(_number(attribute.default), dtype=kind)
            default.flags.writeable = False
            found[child.tag, attribute.field] = (f"vis_{child.tag}_{attribute.name}", kind, default)
    return found


def visual_columns(reader: Reader) -> Columns:
    """All of `visual`, in single precision as in MuJoCo."""
    attributes = _visual_attributes(form())
    columns = {column: default for column, _, default in attributes.values()}
    for child in reader.children("visual"):
        for field, value in written(child).items():
            column, kind, _ = attributes[child.TAG, field]
            columns[column] = np.array(_number(value), dtype=kind)
    return columns


def _number(value: Any) -> Any:
    """The value itself, or MuJoCo's number for a keyword: its place among those of its attribute."""
    return list(type(value)).index(value) if isinstance(value, StrEnum) else value
