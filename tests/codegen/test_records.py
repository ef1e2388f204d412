"""Records of the contract: the same layout in C, Cython, NumPy and ctypes, and declared nowhere else."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest
from polybody.codegen.context.records import constant, layouts
from polybody.codegen.schema import SCHEMAS, Callback, Record, SchemaError, contract
from polybody.generated.kernels.contract import records as dtypes

ROOT = Path(__file__).resolve().parents[2]
CTYPES = {
    "int": ctypes.c_int,
    "unsigned char": ctypes.c_ubyte,
    "float": ctypes.c_float,
    "real": ctypes.c_double,
    "double": ctypes.c_double,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t,
}
RECORDS = contract(SCHEMAS / "contract.xml").records


def structures() -> dict[str, type[ctypes.Structure]]:
    """The records as ctypes lays them out."""
    found: dict[str, type[ctypes.Structure]] = {}
    addresses = {item.name for item in RECORDS if isinstance(item, Callback)}
    for record in RECORDS:
        if isinstance(record, Callback) or not record.fields:
            continue
        own = []
        for field in record.fields:
            address = field.returns or "*" in field.type or field.type in addresses
            kind = ctypes.c_void_p if address else CTYPES.get(field.type) or found[field.type]
            own.append((field.name, kind * field.length if field.length else kind))
        found[record.name] = type(record.name, (ctypes.Structure,), {"_fields_": own})
    return found


def test_layouts_are_those_of_c_and_of_numpy() -> None:
    text = (ROOT / "generated/kernels/contract/records.h").read_text(encoding="utf-8")
    expected = structures()
    assert len(expected) > 25
    for name, structure in expected.items():
        dtype = getattr(dtypes, constant(name))
        size = ctypes.sizeof(structure)
        assert dtype.itemsize == size, name
        assert f'_Static_assert(sizeof({name}) == {size}, "{name}");' in text
        for field, *_ in structure._fields_:
            offset = getattr(structure, field).offset
            assert dtype.fields[field][1] == offset, (name, field)
            assert f"_Static_assert(offsetof({name}, {field}) == {offset}," in text


def test_nested_records() -> None:
    assert dtypes.FLEX["collider"] == dtypes.COLLIDER
    assert dtypes.TOUCH["normal"] == np.dtype(("f8", 3))
    assert dtypes.FIELD["axes"] == np.dtype(("f8", 9))


def declared(suffix: str, text: str) -> set[str]:
    """Records of the contract that a text declares."""
    found = (
        re.findall(r"ctypedef struct (\w+)(?: \"[^\"]*\")?:", text)
        if suffix in (".pyx", ".pxd")
        else [name for pair in re.findall(r"struct (\w+) {|^} (\w+);", text, re.MULTILINE) for name in pair]
    )
    return set(found) & {item.name for item in RECORDS if isinstance(item, Record) and item.fields}


def test_records_are_declared_nowhere_else() -> None:
    paths = [path for path in (ROOT / "runtime").rglob("*") if path.suffix in (".h", ".c", ".pyx", ".pxd")]
    assert len(paths) > 100
    found = {str(path): declared(path.suffix, path.read_text(encoding="utf-8")) for path in paths}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".h", "typedef struct {\n    int count;\n} Hull;"),
        (".h", "struct Tree {\n    int count;\n};"),
        (".pxd", "    ctypedef struct Contact:\n        int dim\n"),
        (".pyx", '    ctypedef struct Field "struct Field":\n        int kind\n'),
    ],
)
def test_other_declarations_are_found(suffix: str, text: str) -> None:
    assert declared(suffix, text)
    assert not declared(
        suffix,
        text.replace("Contact", "Own").replace("Field", "Own").replace("Hull", "Own").replace("Tree", "Own"),
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('type="Search"', 'type="Looking"', "unknown type Looking"),
        ('length="FIELD_SIZES"', 'length="SIZES"', 'no constant "SIZES"'),
        ('name="mu" type="double"', 'name="dist" type="double"', "duplicated|unique"),
        ('name="mu" type="double"', 'name="mu" type="double 3"', "pattern"),
        ('name="mu" type="double"', 'name="mu"', "type"),
        ('<record name="Grid"', '<record name="Hull"', "duplicated|unique"),
    ],
)
def test_errors_have_their_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (SCHEMAS / "contract.xml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "contract.xml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SchemaError, match=message) as raised:
        layouts(contract(path).records)
    assert raised.value.place.line > 0
