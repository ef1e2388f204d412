"""Records of the contract: their layout in memory, and their declarations in C, Cython and NumPy."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..python_source import Expression, Group, call, layout, row
from ..render import literal
from ..schema import Callback, Record, RecordField, SchemaError

NUMBERS = {
    "int": (4, "i4"), "unsigned char": (1, "u1"), "float": (4, "f4"), "real": (8, "f8"),
    "double": (8, "f8"), "int64_t": (8, "i8"), "uint64_t": (8, "u8"), "size_t": (8, "u8"),
}  # fmt: skip
"""Sizes of C types, and NumPy's names of them."""
ADDRESS = 8


@dataclass(frozen=True, slots=True)
class Layout:
    """A record in memory: the offset of each field, its size and alignment in bytes. ``numbers`` is how many
    real numbers it consists of, 0 if it has other fields.
    """

    offsets: tuple[int, ...]
    size: int
    alignment: int
    numbers: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A field, its declarations in C and Cython, and its offset."""

    name: str
    c: str
    cython: str
    doc: str
    offset: int


@dataclass(frozen=True, slots=True)
class RecordContext:
    """A record, or the type of a function, which ``c`` and ``cython`` declare, or a record that is defined
    elsewhere, without fields.
    """

    name: str
    doc: str
    c: str = ""
    cython: str = ""
    fields: tuple[Placed, ...] = ()
    size: int = 0


def records(items: Sequence[Record | Callback]) -> list[RecordContext]:
    """The declarations of records and of types of functions, in their order.

    Raises:
        SchemaError: a field has an unknown type.
    """
    known = layouts(items)
    return [_record(item, known) if isinstance(item, Record) else _callback(item) for item in items]


def layouts(items: Sequence[Record | Callback]) -> dict[str, Layout]:
    """The layout of each record, and of a pointer for each type of functions.

    Raises:
        SchemaError: a field has an unknown type.
    """
    known: dict[str, Layout] = {}
    for item in items:
        if isinstance(item, Callback):
            known[item.name] = Layout((), ADDRESS, ADDRESS, 0)
        elif item.fields:
            known[item.name] = _layout(item, known)
    return known


def _layout(record: Record, known: Mapping[str, Layout]) -> Layout:
    offsets, end, widest, numbers = [], 0, 1, 0
    for field in record.fields:
        size, alignment, own = _extent(field, known)
        end = -(-end // alignment) * alignment
        offsets.append(end)
        end, widest = end + size * (field.length or 1), max(widest, alignment)
        numbers = numbers + own * (field.length or 1) if own and numbers >= 0 else -1
    return Layout(tuple(offsets), -(-end // widest) * widest, widest, max(numbers, 0))


def _extent(field: RecordField, known: Mapping[str, Layout]) -> tuple[int, int, int]:
    """Size, alignment and number of real numbers of one element of a field."""
    if field.returns or "*" in field.type:
        return ADDRESS, ADDRESS, 0
    if field.type in NUMBERS:
        size, kind = NUMBERS[field.type]
        return size, size, int(kind == "f8")
    if field.type in known:
        own = known[field.type]
        return own.size, own.alignment, own.numbers
    raise SchemaError(field.place, f'field "{field.name}" has the unknown type {field.type}')


def _record(record: Record, known: Mapping[str, Layout]) -> RecordContext:
    if not record.fields:
        return RecordContext(record.name, record.doc)
    own = known[record.name]
    placed = [_placed(field, offset) for field, offset in zip(record.fields, own.offsets, strict=True)]
    return RecordContext(record.name, record.doc, fields=tuple(placed), size=own.size)


def _placed(field: RecordField, offset: int) -> Placed:
    named = f'{field.name}_ "{field.name}"' if keyword.iskeyword(field.name) else field.name
    if field.returns:
        c, cython = _function(field.returns, field.name, field.arguments)
        return Placed(field.name, c, cython, field.doc, offset)
    type_ = _c(field.type)
    gap = "" if type_.endswith("*") else " "
    length = f"[{field.length}]" if field.length else ""
    in_cython = f"{type_}{length} {named}" if length and gap else f"{type_}{gap}{named}{length}"
    return Placed(field.name, f"{type_}{gap}{field.name}{length}", in_cython, field.doc, offset)


def _callback(callback: Callback) -> RecordContext:
    c, cython = _function(callback.returns, callback.name, callback.arguments)
    return RecordContext(callback.name, callback.doc, c, cython)


def _function(returns: str, name: str, arguments: str) -> tuple[str, str]:
    """A pointer to a function in C and in Cython, where arguments have no names."""
    given = [_c(argument.strip()) for argument in arguments.split(",")]
    unnamed = ", ".join(re.sub(r"\w+$", "", argument).strip() for argument in given)
    of = _c(returns)
    return f"{of} (*{name})({', '.join(given)})", f"{of} (*{name})({unnamed}) noexcept nogil"


def _c(type_: str) -> str:
    return re.sub(r"\breal\b", "double", type_)


def dtypes(items: Sequence[Record | Callback]) -> list[tuple[str, str]]:
    """The NumPy dtype of each record: its name, and the assignment. Addresses are integers."""
    known = layouts(items)
    return [
        (item.name, layout(_dtype(item, known), f"{constant(item.name)} = "))
        for item in items
        if isinstance(item, Record) and item.fields
    ]


def _dtype(record: Record, known: Mapping[str, Layout]) -> Expression:
    fields = Group("[]", tuple(_of_field(field, known) for field in record.fields))
    return call("np.dtype", fields, align="True")


def _of_field(field: RecordField, known: Mapping[str, Layout]) -> Expression:
    name, length = literal(field.name), field.length or 1
    if field.returns or "*" in field.type:
        kind = literal("u8")
    elif field.type in NUMBERS:
        kind = literal(NUMBERS[field.type][1])
    elif known[field.type].numbers:
        kind, length = literal("f8"), length * known[field.type].numbers
    else:
        kind = literal("u8") if not known[field.type].offsets else constant(field.type)
    return row((name, kind, *([str(length)] if length > 1 else [])))


def constant(name: str) -> str:
    """A class's name as that of a constant: FrictionMixing as FRICTION_MIXING."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
