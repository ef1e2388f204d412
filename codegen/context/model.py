"""The canonical model's schema to the context of the template of ``generated/model.py``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from ..physics.sensors import SENSORS
from ..python_source import Expression, call, layout, row
from ..render import literal, render
from ..schema.columns import tables
from ..schema.contract import Codes, Contract
from ..schema.model import Column, Element, Enumeration, Physics, Schema
from ..schema.types import Form, Kind

PUBLIC = ("model", "derived", "computed", "state", "result")
ASSIGNABLE = ("state", "result")
WHOLE = (-(2**31), 2**31 - 1)
"""The bounds of integers of 32 bits."""
LOWEST = -3.4e38
"""A minimum below this only excludes infinity, in single or double precision."""

# Axes whose rows users access by name, with the class of a row; axes along which such a row has entries.
ROW_CLASSES = {
    "body": "Body", "jnt": "Joint", "geom": "Geom", "site": "Site", "cam": "Camera", "light": "Light",
    "flex": "Flex", "mesh": "Mesh", "skin": "Skin", "hfield": "HeightField", "tex": "Texture",
    "mat": "Material", "pair": "Pair", "exclude": "Exclude", "eq": "Equality", "tendon": "Tendon",
    "actuator": "Actuator", "sensor": "Sensor", "numeric": "Numeric", "text": "Text", "tuple": "Tuple",
    "key": "Key", "mocap": "Mocap",
}  # fmt: skip
SLICES = {"jnt": ("dof", "q"), "actuator": ("act", "out"), "sensor": ("sensordata",)}
SHORT = {"sensordata": "data"}  # name of such an entry in its row, if it differs from the column's name
DTYPES = {
    (Kind.REAL, 64): "float64", (Kind.REAL, 32): "float32",
    (Kind.INT, 64): "int64", (Kind.INT, 32): "int32", (Kind.INT, 8): "uint8",
    (Kind.BOOL, 8): "uint8", (Kind.ENUM, 32): "int32",
}  # fmt: skip
ARRAYS = {
    "float64": "Reals", "float32": "Singles", "int64": "Addresses", "int32": "Indices", "uint8": "Bytes",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MemberContext:
    """A member of an IntEnum: ``sizes`` are nq and nv of a joint."""

    name: str
    code: int
    doc: str
    sizes: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class EnumContext:
    """An IntEnum of codes."""

    name: str
    doc: str
    members: tuple[MemberContext, ...]


@dataclass(frozen=True, slots=True)
class ColumnContext:
    """A row of TABLES. ``codes`` names an IntEnum or is "None"; ``values`` are the allowed numbers, () all;
    ``open`` excludes the minimum itself.
    """

    name: str
    attribute: str
    shape: tuple[int | str, ...]
    dtype: str
    role: str
    stage: str
    read: tuple[str, ...]
    unit: str
    refers: str
    first: str
    codes: str
    values: tuple[int, ...]
    flag: bool
    minimum: float | None
    maximum: float | None
    open: bool
    default: float | tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class TableContext:
    """An element of the schema with columns. ``names`` is the kind of names of its rows."""

    owner: str
    tag: str
    axis: str
    count: str
    names: str
    columns: tuple[ColumnContext, ...]


@dataclass(frozen=True, slots=True)
class PropertyContext:
    """A property: ``value`` is the expression that it returns."""

    name: str
    type: str
    column: str
    value: str
    doc: str
    assignable: bool


@dataclass(frozen=True, slots=True)
class ClassContext:
    """A class of properties; ``assignable`` if any of them is."""

    name: str
    doc: str
    properties: tuple[PropertyContext, ...]
    assignable: bool = False


@dataclass(frozen=True, slots=True)
class SizeContext:
    """The number of rows of an axis: that of ``column``, which every Model has."""

    name: str
    column: str
    doc: str


@dataclass(frozen=True, slots=True)
class SensorContext:
    """What a sensor measures: object, reference, dim, data, stage."""

    name: str
    facts: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ModelContext:
    """The content of ``generated/model.py``."""

    version: str
    sensors: tuple[SensorContext, ...]
    enums: tuple[EnumContext, ...]
    tables: tuple[TableContext, ...]
    classes: tuple[ClassContext, ...]
    sizes: tuple[SizeContext, ...]


Described = tuple[tuple[Column, ...], TableContext]


def model(schema: Schema, physics: Physics, contract: Contract) -> dict[str, str]:
    """``generated/model.py``: {path: text}."""
    context = model_context(schema, physics, contract)
    ready = {field.name: getattr(context, field.name) for field in fields(context)}
    ready["tables"] = layout(row(_row(table) for table in context.tables), "TABLES: tuple[Table, ...] = ")
    return {"model.py": render("model.py.jinja", **ready)}


def _row(table: TableContext) -> Expression:
    """The Table expression for the template, with its columns."""
    usual: dict[str, object] = {
        "stage": "kernel", "read": (), "unit": "", "refers": "", "first": "", "values": (), "flag": False,
        "minimum": None, "maximum": None, "open": False, "default": None,
    }  # fmt: skip
    columns = row(
        call(
            "Column",
            *(literal(getattr(column, name)) for name in ("name", "attribute", "shape", "dtype", "role")),
            **{n: literal(getattr(column, n)) for n, value in usual.items() if getattr(column, n) != value},
            **({"codes": column.codes} if column.codes != "None" else {}),
        )
        for column in table.columns
    )
    return call(
        "Table",
        owner=literal(table.owner),
        tag=literal(table.tag),
        axis=literal(table.axis),
        size=literal(table.count),
        names=literal(table.names),
        columns=columns,
    )


def model_context(schema: Schema, physics: Physics, contract: Contract) -> ModelContext:
    """The context of ``generated/model.py`` from model.xsd, physics.xml and contract.xml."""
    described = tuple(_tables(schema))
    return ModelContext(
        version=schema.version,
        sensors=tuple(
            SensorContext(kind.name, (kind.object, kind.reference, kind.dim, kind.data, kind.stage))
            for kind in sorted(SENSORS, key=lambda kind: kind.code)
        ),
        enums=enumerations(schema, physics, contract),
        tables=tuple(table for _, table in described),
        classes=tuple(_classes(described)),
        sizes=tuple(_sizes(described)),
    )


def _sizes(described: Sequence[Described]) -> Iterator[SizeContext]:
    """The sizes of the Model's tables; further sizes of a Data are columns of the Model."""
    seen: set[str] = set()
    for columns, table in described:
        own = [column for column in columns if column.role in ("model", "derived")]
        if table.owner == "model" and table.count and table.count not in seen and own:
            seen.add(table.count)
            yield SizeContext(table.count, own[0].name, f"How many rows the axis {table.axis} has.")


# --- enumerations ---------------------------------------------------------------------------------


def enumerations(schema: Schema, physics: Physics, contract: Contract) -> tuple[EnumContext, ...]:
    """All enumerations of codes."""
    joints = tuple(MemberContext(row.name, row.code, row.doc, (row.nq, row.nv)) for row in physics.joints)
    shapes = tuple(MemberContext(row.name, row.code, row.doc) for row in physics.shapes)
    sensors = tuple(MemberContext(row.name, row.code, row.doc) for row in physics.sensors)
    used = {column.enum for column in tables(schema) if column.enum}
    return (
        EnumContext("JointType", "The primitive joints.", joints),
        EnumContext("ShapeType", "The shapes.", shapes),
        EnumContext("SensorType", "What sensors measure.", sensors),
        *(_enum(enum) for enum in schema.enums if enum.name in used),
        *map(_listed, contract.codes),
    )


def _listed(codes: Codes) -> EnumContext:
    members = tuple(MemberContext(row.name, row.code, row.doc) for row in codes.rows)
    return EnumContext(codes.name, codes.doc, members)


def _enum(enum: Enumeration) -> EnumContext:
    codes = _codes_of(enum)
    members = tuple(MemberContext(m.value, codes[m.value], m.doc) for m in enum.members)
    return EnumContext(enum.name, enum.doc, members)


# --- columns --------------------------------------------------------------------------------------


def _tables(schema: Schema) -> list[Described]:
    by_place = {column.place: column for column in tables(schema)}
    enums = {enum.name: enum for enum in schema.enums}
    found = []
    for element in schema.elements:
        if not element.axis:
            continue
        columns = tuple(
            by_place[attribute.place]
            for attribute in element.attributes
            if attribute.place in by_place and by_place[attribute.place].role in PUBLIC
        )
        if columns:
            found.append((columns, _table(element, columns, enums)))
    return found


def _table(element: Element, columns: tuple[Column, ...], enums: Mapping[str, Enumeration]) -> TableContext:
    names = next((a.meaning.declares for a in element.attributes if a.name == "name"), "")
    return TableContext(
        owner=columns[0].owner,
        tag=element.tag,
        axis=element.axis,
        count=element.count,
        names=names,
        columns=tuple(_column(column, element, enums) for column in columns),
    )


def _column(column: Column, element: Element, enums: Mapping[str, Enumeration]) -> ColumnContext:
    attribute = next(a for a in element.attributes if a.place == column.place)
    form = attribute.forms[0]
    low, high = _bounds(column, form)
    return ColumnContext(
        name=column.name,
        attribute=attribute.name,
        shape=column.shape,
        dtype=_dtype(column),
        role=column.role,
        stage=column.stage,
        read=column.read,
        unit=column.unit,
        refers=column.index,
        first=column.first,
        codes=_codes(column) or "None",
        values=column.values,
        flag=column.kind is Kind.BOOL,
        minimum=low,
        maximum=high,
        open=form.open if low is not None else False,
        default=_default(column, enums),
    )


def _bounds(column: Column, form: Form) -> tuple[float | None, float | None]:
    """The bounds of a column's numbers that are narrower than its type; a real number has no upper one."""
    low, high = form.minimum, form.maximum
    if column.kind is Kind.INT and column.bits == 32:
        least, most = WHOLE
        return (low if low is not None and low > least else None), (
            high if high is not None and high < most else None
        )
    return (low if column.kind is Kind.REAL and low is not None and low > LOWEST else None), None


def _dtype(column: Column) -> str:
    return DTYPES[column.kind, column.bits]


def _default(column: Column, enums: Mapping[str, Enumeration]) -> float | tuple[float, ...] | None:
    """The default of a row; None if there is none."""
    if column.default is None:
        return None
    words = column.default.split()
    if column.enum:
        codes = _codes_of(enums[column.enum])
        return codes[words[0]]
    number = float if column.kind is Kind.REAL else int
    if column.kind is Kind.BOOL:
        words = [str(int(word == "true")) for word in words]
    values = tuple(number(word) for word in words)
    return values if column.shape else values[0]


def _codes_of(enum: Enumeration) -> dict[str, int]:
    return {m.value: n if m.code is None else m.code for n, m in enumerate(enum.members)}


def _codes(column: Column) -> str:
    return f"{column.vocabulary.capitalize()}Type" if column.vocabulary else column.enum


# --- classes --------------------------------------------------------------------------------------


def _classes(described: Sequence[Described]) -> list[ClassContext]:
    classes = []
    for owner, title, suffix in (("model", "Model", "Columns"), ("data", "Data", "DataColumns")):
        own = [
            (column, context, table)
            for columns, table in described
            if table.owner == owner
            for column, context in zip(columns, table.columns, strict=True)
        ]
        whole = [_whole(column, context, table.count) for column, context, table in own]
        sizes = [*map(_size, _sizes(described)), *_widths(described)] if owner == "model" else []
        classes.append(_class(f"{title}Columns", f"The columns of a {title}.", [*sizes, *whole]))
        once = dict.fromkeys(table.tag for *_, table in own if table.axis == "one" and table.tag != owner)
        for tag in once:
            single = [_single(column, context) for column, context, table in own if table.tag == tag]
            classes.append(_class(f"{tag.capitalize()}Columns", f"What a {title} says once: {tag}.", single))
        for axis, name in ROW_CLASSES.items():
            rows = [_single(column, context) for column, context, table in own if table.axis == axis]
            taken = {row.name for row in rows}
            rows += [
                _slice(column, context)
                for column, context, table in own
                if table.axis in SLICES.get(axis, ())
                and context.role != "derived"
                and context.attribute not in taken
            ]
            if rows:
                classes.append(_class(name + suffix, f"What a {title} says of one {name.lower()}.", rows))
    return classes


def _class(name: str, doc: str, properties: list[PropertyContext]) -> ClassContext:
    return ClassContext(name, doc, tuple(properties), any(p.assignable for p in properties))


def _size(size: SizeContext) -> PropertyContext:
    return PropertyContext(
        name=size.name,
        type="int",
        column=size.column,
        value=f'len(self._column("{size.column}"))',
        doc=size.doc,
        assignable=False,
    )


def _widths(described: Sequence[Described]) -> Iterator[PropertyContext]:
    """The widths of columns whose width has its own name."""
    named = {table.count for _, table in described}
    named |= {column.name for _, table in described for column in table.columns}
    for _, table in described:
        for column in table.columns:
            width = column.shape[0] if column.shape else 0
            if isinstance(width, str) and width.isidentifier() and width not in named:
                named.add(width)
                value = f'int(self._column("{column.name}").shape[1])'
                doc = f"How many numbers a row of {column.name} has."
                yield PropertyContext(width, "int", column.name, value, doc, assignable=False)


def _whole(column: Column, context: ColumnContext, count: str) -> PropertyContext:
    """All rows of a column; the single row if the axis has only one."""
    if not count:
        return _single(column, context, name=column.name)
    return _array(column.name, column, context, (count, *map(str, column.shape)))


def _slice(column: Column, context: ColumnContext) -> PropertyContext:
    """The k entries of a column that belong to one row of another axis."""
    name = SHORT.get(context.attribute, context.attribute)
    return _array(name, column, context, ("k", *map(str, column.shape)))


def _array(name: str, column: Column, context: ColumnContext, shape: tuple[str, ...]) -> PropertyContext:
    return PropertyContext(
        name=name,
        type=ARRAYS[context.dtype],
        column=column.name,
        value=f'self._column("{column.name}")',
        doc=_doc(column, shape),
        assignable=column.role in ASSIGNABLE,
    )


def _single(column: Column, context: ColumnContext, name: str = "") -> PropertyContext:
    """One row of a column: a number, a member of an enumeration or a vector."""
    name = name or context.attribute
    if column.shape:
        return _array(name, column, context, tuple(map(str, column.shape)))
    kind = {Kind.REAL: "float", Kind.BOOL: "bool"}.get(column.kind, _codes(column) or "int")
    inner = f'self._column("{column.name}")'
    number = f"int({inner})" if kind not in ("float", "int", "bool") else inner
    return PropertyContext(
        name=name,
        type=kind,
        column=column.name,
        value=f"{kind}({number})",
        doc=_doc(column, ()),
        assignable=column.role in ASSIGNABLE,
    )


def _doc(column: Column, shape: tuple[str, ...]) -> str:
    """The meaning, shape and unit."""
    facts = []
    if shape:
        facts.append(f"Shape ({', '.join(shape)}{',' if len(shape) == 1 else ''})")
    if column.unit:
        facts.append(column.unit.replace("|", " or "))
    return column.doc if not facts else f"{column.doc} {', '.join(facts)}."
