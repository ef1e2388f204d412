"""Codes are written in the schemas only: no text in C, Cython or Python repeats their numbers."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from polybody.codegen.context.contract import constants
from polybody.codegen.schema import SCHEMAS, SchemaError, contract, load, physics
from polybody.codegen.staging.calls import STAGES
from polybody.generated.kernels.contract.columns import STAGE_WRITES
from polybody.generated.model import TABLES, Cone, DisableFlag, RowType, SensorType

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ("opt_disableflags", "opt_enableflags")
COLUMNS = {column.name for table in TABLES for column in table.columns if column.codes} | {*FLAGS}
"""Columns that hold codes."""
FIELDS = (
    *("type", "kind", "selfcollide", "friction_mixing", "row_type", "row_state", "old_state"),
    *("part_type", "part_state", "cone", "solver"),
)
"""Fields of records in C and facts that hold codes."""
NUMBER = r"-?(?:0x[0-9a-fA-F]+|\d+)\b(?!\.)"
OPERATOR = r"(?:==|!=|<=|>=|<(?!<)|>(?!>)|&(?!&))"


@cache
def words() -> dict[str, set[tuple[str, int]]]:
    """The words that are codes, in capitals: of each the enumerations that have it, and its number there."""
    vocabulary = physics(SCHEMAS / "physics.xml")
    schema = load(SCHEMAS / "model.xsd", vocabulary)
    found: dict[str, set[tuple[str, int]]] = {}
    for enum in constants(schema, vocabulary, contract(SCHEMAS / "contract.xml")):
        for member in enum.members:
            for each in {member.name, member.word.upper()}:
                found.setdefault(each, set()).add((enum.doc, member.value))
    return found


def repeated(names: Iterable[str], values: Iterable[int]) -> bool:
    """Whether names and numbers repeat codes: one of a single name, else at least two of one enumeration."""
    pairs = list(zip(names, values, strict=False))
    hits = [enum for name, value in pairs for enum, code in words().get(name.upper(), ()) if code == value]
    return any(hits.count(enum) >= min(2, len(pairs)) for enum in hits)


def in_c(text: str) -> Iterator[str]:
    """Places of a C text where codes are repeated, or compared with numbers."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    named = rf"\b(?:{'|'.join(sorted(COLUMNS))}|type|stage)|(?:\.|->|FACT\(c, )(?:{'|'.join(FIELDS)})"
    read = rf"(?:{named})\b\)?(?:\[[^\]]*\])*\)?"
    yield from (match[0] for match in re.finditer(rf"{read}\s*{OPERATOR}\s*{NUMBER}", text))
    yield from (match[0] for match in re.finditer(rf"{NUMBER}\s*(?:==|!=)\s*[\w>.(-]*{read}", text))
    for match in re.finditer(rf"switch \([^{{]*{read}\) {{(.*?)\n    }}", text, re.DOTALL):
        yield from re.findall(rf"case {NUMBER}", match[1])
    for match in re.finditer(r"enum\s*\w*\s*{([^}]*)}", text):
        value = -1
        members: list[tuple[str, int]] = []
        for member in filter(str.strip, match[1].split(",")):
            name, _, given = (part.strip() for part in member.partition("="))
            shift = re.fullmatch(r"1 << (\d+)", given)
            value = 1 << int(shift[1]) if shift else int(given, 0) if given.isdecimal() else value + 1
            members.append((name, value))
        if repeated(*zip(*members, strict=True)):
            yield match[0]
    for name, value in re.findall(rf"#define (\w+) ({NUMBER})\s*$", text, re.MULTILINE):
        if repeated([name], [int(value, 0)]):
            yield f"#define {name} {value}"


def in_cython(text: str) -> Iterator[str]:
    """As :func:`in_c`, in Cython."""
    text = re.sub(r'""".*?"""|#[^\n]*', " ", text, flags=re.DOTALL)
    read = rf"\b(?:{'|'.join(sorted(COLUMNS))}|stage)\b\"?\]?(?:\[[^\]]*\])*\)?"
    yield from (match[0] for match in re.finditer(rf"{read}\s*{OPERATOR}\s*{NUMBER}", text))
    assigned = rf"^\s*(?:cdef (?:enum: ?|int )?)?(\w+(?:, \w+)*) = ({NUMBER}(?:, {NUMBER})*)\s*$"
    for match in re.finditer(assigned, text, re.MULTILINE):
        if match[1].isupper() and repeated(
            match[1].split(", "), [int(number, 0) for number in match[2].split(", ")]
        ):
            yield match[0].strip()


def column_of(node: ast.expr) -> str:
    """The column that an expression reads, if it holds codes; otherwise ""."""
    match node:
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str() as name)):
            return name if name in COLUMNS | {"efc_type", "efc_state"} else ""
        case ast.Subscript(value=inner) | ast.BinOp(left=inner, op=ast.BitAnd()):
            return column_of(inner)
        case ast.Call(func=ast.Attribute(attr="_column"), args=[ast.Constant(value=str() as name)]):
            return name if name in COLUMNS else ""
        case ast.Call(func=ast.Name(id="int") | ast.Attribute(attr="asarray" | "array"), args=[inner, *_]):
            return column_of(inner)
    return ""


def numbers_in(node: ast.expr) -> list[int]:
    """The numbers that an expression writes: itself, or the elements of a tuple, list, set or range."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return [value]
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            found = [numbers_in(element) for element in elements]
            return [number for own in found for number in own] if all(found) else []
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int() as end)]):
            return list(range(end))
    return []


def in_python(text: str) -> Iterator[str]:
    """As :func:`in_c`, in Python."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Compare(left=left, comparators=[right]):
                wrong = any(column_of(a) and numbers_in(b) for a, b in ((left, right), (right, left)))
            case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr(), right=right):
                wrong = bool(column_of(left) and numbers_in(right))
            case ast.Call(func=ast.Attribute(attr="isin"), args=[left, right]):
                wrong = bool(column_of(left) and numbers_in(right))
            case ast.Call(func=ast.Name(id="enumerate"), args=[ast.Tuple() as listed, *_]):
                named = re.findall(r"'(\w+)'", ast.unparse(listed))
                wrong = any(repeated(named, range(first, 99)) for first in (0, 1) if len(named) > 1)
            case ast.Dict(keys=keys, values=values) if values:
                named = [
                    key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)
                ]
                codes = [number for value in values for number in numbers_in(value)]
                wrong = len(named) == len(codes) == len(values) and repeated(named, codes)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as value):
                wrong = name.isupper() and repeated([name], numbers_in(value))
            case ast.Assign(targets=[ast.Tuple(elts=elements)], value=value):
                named = [element.id for element in elements if isinstance(element, ast.Name)]
                wrong = repeated(named, numbers_in(value))
            case _:
                continue
        if wrong:
            yield ast.unparse(node)


READERS = {".h": in_c, ".c": in_c, ".pyx": in_cython, ".pxd": in_cython, ".py": in_python}


def sources() -> list[Path]:
    folders = (ROOT / "runtime", ROOT / "tests" / "collision")
    found = [path for folder in folders for path in folder.rglob("*") if path.suffix in READERS]
    return [path for path in found if path.suffix != ".py" or path.is_relative_to(ROOT / "runtime")]


def test_no_text_repeats_codes() -> None:
    paths = sources()
    assert {path.suffix for path in paths} == set(READERS)
    found = [
        f"{path.relative_to(ROOT)}: {place}"
        for path in paths
        for place in READERS[path.suffix](path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".h", "enum { PLANE, HFIELD, SPHERE };"),
        (".h", "enum { FORMULA = 100 };"),
        (".h", "enum {\n    NO_X = 1 << 0, CONTACT = 1 << 4, EQUALITY = 1 << 1\n};"),
        (".h", "#define SHAPE_BOX 6\n"),
        (".h", "if (c->m.eq_type[e] == 1)"),
        (".h", "if (2 == c->m.opt_solver[0])"),
        (".h", "if (FACT(c, cone) == 1)"),
        (".h", "if (c->m.opt_disableflags[0] & 16)"),
        (".h", "switch (c->a.row_type[i]) {\n    case 3: f(); break;\n    }"),
        (".pyx", "cdef enum: SDF = 8\n"),
        (".pyx", "CONNECT, WELD = 0, 1\n"),
        (".pyx", "    if stage == 1:\n"),
        (".pyx", '    if columns["geom_type"][k] == 5:\n'),
        (".py", "NEWTON = 2"),
        (".py", "CONNECT, WELD = 0, 1"),
        (".py", "FREE, BALL, SLIDE = range(3)"),
        (".py", "found = model.jnt_type == 1"),
        (".py", "found = np.asarray(model.eq_type)[rows] <= 4"),
        (".py", 'found = int(known["opt_solver"]) in (0, 1)'),
        (".py", 'found = np.isin(known["actuator_trntype"], (0, 1))'),
        (".py", 'found = model._column("geom_type") != 0'),
        (".py", "found = int(model.opt_disableflags) & 16"),
        (".py", 'WRAPS = {"joint": 1, "pulley": 2}'),
        (".py", 'CODES = {word: n for n, word in enumerate(("connect", "weld", "joint"))}'),
    ],
)
def test_repeated_codes_are_found(suffix: str, text: str) -> None:
    assert list(READERS[suffix](text))


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".h", "enum { OFF, ON_FACE };\n#define LINE 64\nif (c->m.eq_type[e] == EQUALITY_WELD && n > 1)"),
        (".h", "switch (x->dim) {\n    case 1: f(); break;\n    }"),
        (".pyx", "cdef enum: SDF = 800\nif n == 1:\n"),
        (".py", 'SPARSE = 60\nfound = len(known["eq_type"]) > 0\nwrong = model.jnt_type == JointType.ball'),
        (".py", 'SIZES = {"sphere": 1, "capsule": 2}'),
    ],
)
def test_other_numbers_are_not(suffix: str, text: str) -> None:
    assert not list(READERS[suffix](text))


def test_constants_have_different_names() -> None:
    vocabulary = physics(SCHEMAS / "physics.xml")
    schema = load(SCHEMAS / "model.xsd", vocabulary)
    codes = constants(schema, vocabulary, contract(SCHEMAS / "contract.xml"))
    names = [name for enum in codes for name in (*(m.name for m in enum.members), enum.count) if name]
    assert len(names) > 200
    assert len(names) == len(set(names))


def test_codes_in_c_are_those_in_python() -> None:
    text = (ROOT / "generated/kernels/contract/codes.h").read_text(encoding="utf-8")
    written = {name: int(value) for name, value in re.findall(r"^    (\w+) = (-?\d+),", text, re.MULTILINE)}
    for kinds, prefix in ((SensorType, "SENSOR"), (RowType, "ROW"), (DisableFlag, "DISABLE"), (Cone, "CONE")):
        for kind in kinds:
            assert written[f"{prefix}_{kind.name.upper()}"] == kind, kind


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name="limit" value="8"', 'name="limit" value="4"', "duplicated|unique"),
        ('name="limit" value="8"', 'name="equality" value="8"', "duplicated|unique"),
        ('name="limit" value="8"', 'name="limit" value="eight"', "eight"),
        ('name="limit" value="8"', 'name="limit"', "value"),
        ("<codes ", "<code ", "code"),
    ],
)
def test_errors_of_the_contract_have_their_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (SCHEMAS / "contract.xml").read_text(encoding="utf-8")
    path = tmp_path / "contract.xml"
    path.write_text(text.replace(old, new, 1).replace("</codes>", "</code>", new.count("<code ")))
    with pytest.raises(SchemaError, match=message) as raised:
        contract(path)
    assert raised.value.place.line > 0


# --- columns -----------------------------------------------------------------------------------------


def texts_of(*places: str) -> str:
    paths = [path for place in places for path in sorted((ROOT / "runtime").glob(place))]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


READERS_OF_COLUMNS = {
    "constraints": ("native/**/*.h", "constraints/*.py"),
    "collision": ("collision/*.py", "model/flexes.py", "model/instances.py"),
}


@pytest.mark.parametrize("reader", READERS_OF_COLUMNS)
def test_columns_are_read_as_the_schema_says(reader: str) -> None:
    names = [column.name for table in TABLES for column in table.columns if reader in column.read]
    text = texts_of(*READERS_OF_COLUMNS[reader])
    words = set(re.findall(r"\w+", text))
    # Names can be composed: f"geom_{name}", and f"flex_{kind}adr" with the kinds of rows of a flex.
    rows = {f"flex_{kind}{what}" for kind in ("edge", "elem", "vert") for what in ("adr", "num")}
    unread = [name for name in names if not words & {name, name.partition("_")[2]} and name not in rows]
    assert len(names) > 70
    assert not unread


def test_constraints_read_no_other_columns() -> None:
    listed = {column.name for table in TABLES for column in table.columns if "constraints" in column.read}
    text = (ROOT / "generated/kernels/contract/columns.h").read_text(encoding="utf-8")
    model, data = text.split("#define DATA_COLUMNS")
    assert set(re.findall(r"^    (?:INT|REAL)\((\w+)\)", model, re.MULTILINE)) == listed
    used = {name for stage in STAGES.values() for name in (*stage.reads, *stage.writes)}
    assert set(re.findall(r"^    REAL\((\w+)\)", data, re.MULTILINE)) == used
    assert {stage.code: stage.writes for stage in STAGES.values()} == STAGE_WRITES


def test_an_unknown_reader_is_an_error(tmp_path: Path) -> None:
    shutil.copytree(SCHEMAS, tmp_path / "schemas")
    part = tmp_path / "schemas" / "model" / "geom.xsd"
    text = part.read_text(encoding="utf-8")
    part.write_text(text.replace('pb:read="collision"', 'pb:read="rendering"', 1), encoding="utf-8")
    with pytest.raises(SchemaError, match="rendering"):
        load(tmp_path / "schemas" / "model.xsd")
