"""The files of generated/kernels/contract: what C shares with Cython and Python."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..render import header, literal, render
from ..schema import Column, Contract, Kind, Physics, Schema, tables
from ..staging.calls import STAGES
from .model import EnumContext, enumerations
from .python_source import layout, mapping, quoted
from .records import constant, dtypes, records

COMMAND = "python -m codegen"
SIGNS = {"h": "//", "pxd": "#", "py": "#"}
"""The signs of comments, by the ending of a file."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A code in C: its name, the word that it stands for, and its number."""

    name: str
    word: str
    value: int
    doc: str = ""


@dataclass(frozen=True, slots=True)
class CodesContext:
    """The constants of an enumeration. ``count`` is the name of their number; "" if they are not 0, 1..."""

    doc: str
    members: tuple[Constant, ...]
    count: str


@dataclass(frozen=True, slots=True)
class ColumnContext:
    """A column in C: INT or REAL, its name, and what it is."""

    kind: str
    name: str
    doc: str


def contract_files(
    schema: Schema, physics: Physics, contract: Contract, sources: Sequence[str]
) -> dict[str, str]:
    """The contract: {path below generated/: text}."""
    codes, columns = {"codes": constants(schema, physics, contract)}, _columns(schema)
    structs = {"constants": contract.constants, "records": records(contract.records)}
    made: dict[str, Mapping[str, object]] = {
        "codes.h": codes,
        "codes.pxd": codes,
        "columns.h": columns,
        "columns.py": _written(),
        "records.h": structs,
        "records.pxd": structs,
        "records.py": {"dtypes": dtypes(contract.records)},
    }
    return {f"kernels/contract/{name}": _file(name, context, sources) for name, context in made.items()}


def _file(name: str, context: Mapping[str, object], sources: Sequence[str]) -> str:
    template = f"kernels/contract/{name}.jinja"
    head = header([f"codegen/templates/{template}", *sources], COMMAND, SIGNS[name.rpartition(".")[2]])
    return head + render(template, **context)


def constants(schema: Schema, physics: Physics, contract: Contract) -> list[CodesContext]:
    """All enumerations of codes, with the stages of the constraint solver."""
    return [*map(_codes, enumerations(schema, physics, contract)), _stages()]


def _codes(enum: EnumContext) -> CodesContext:
    prefix = constant(re.sub("(Type|Flag)$", "", enum.name))
    members = tuple(
        Constant(f"{prefix}_{member.name.upper()}", member.name, member.code, member.doc)
        for member in enum.members
    )
    consecutive = [member.value for member in members] == list(range(len(members)))
    return CodesContext(enum.doc, members, f"{prefix}_COUNT" if consecutive else "")


def _stages() -> CodesContext:
    members = tuple(Constant(name.upper(), name, stage.code) for name, stage in STAGES.items())
    return CodesContext("Stages of the constraint solver.", members, "SOLVER_STAGE_COUNT")


def _columns(schema: Schema) -> dict[str, list[ColumnContext]]:
    """The columns that constraints read or write: of a Model those with pb:read, of a simulation those of the
    stages.
    """
    columns = {column.name: column for column in tables(schema)}
    used = [name for stage in STAGES.values() for name in (*stage.reads, *stage.writes)]
    return {
        "model": [_column(column) for column in columns.values() if "constraints" in column.read],
        "data": [_column(columns[name]) for name in dict.fromkeys(used)],
    }


def _column(column: Column) -> ColumnContext:
    unit = f" {column.unit.strip()}" if column.unit else ""
    kind = "REAL" if column.kind is Kind.REAL else "INT"
    return ColumnContext(kind, column.name, f"{column.doc.rstrip('.')},{unit}" if unit else column.doc)


def _written() -> dict[str, str]:
    rows = {literal(stage.code): quoted(stage.writes) for stage in STAGES.values()}
    return {"writes": layout(mapping(rows), "STAGE_WRITES: dict[int, tuple[str, ...]] = ")}
