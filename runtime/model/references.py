"""Checks that rows of a Model refer to rows that exist, where the axis depends on another column.

Kernels use every index without checking it. References along one axis are in the schema, and checked with
their columns; here are those along an axis that a type determines, and sizes that several columns determine.
`polybody.model.reference_checks` examines most of them first, and only what may be wrong is examined here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.errors import Problem, Problems
from polybody.generated.model import (
    TABLES,
    EqualityType,
    JointType,
    ObjectType,
    SensorType,
    ShapeType,
    TransmissionType,
    WrapType,
)
from polybody.model import servos
from polybody.model.reference_checks import NOWHERE, ReferenceChecks

Array = NDArray[Any]
Columns = Mapping[str, Array]
Sizes = Mapping[str, int]
"""The number of rows of each axis that has rows."""
About = Callable[[str, int, str, str], Problem]
"""Makes a problem of the axis and the row concerned, a text and the column."""

OBJECTS: dict[int, str] = {
    ObjectType.BODY: "body",
    ObjectType.XBODY: "body",
    ObjectType.JOINT: "jnt",
    ObjectType.DOF: "dof",
    ObjectType.GEOM: "geom",
    ObjectType.SITE: "site",
    ObjectType.CAMERA: "cam",
    ObjectType.LIGHT: "light",
    ObjectType.FLEX: "flex",
    ObjectType.MESH: "mesh",
    ObjectType.SKIN: "skin",
    ObjectType.HFIELD: "hfield",
    ObjectType.TEXTURE: "tex",
    ObjectType.MATERIAL: "mat",
    ObjectType.PAIR: "pair",
    ObjectType.EXCLUDE: "exclude",
    ObjectType.EQUALITY: "eq",
    ObjectType.TENDON: "tendon",
    ObjectType.ACTUATOR: "actuator",
    ObjectType.SENSOR: "sensor",
    ObjectType.NUMERIC: "numeric",
    ObjectType.TEXT: "text",
    ObjectType.TUPLE: "tuple",
    ObjectType.KEY: "key",
    ObjectType.PLUGIN: "plugin",
}
"""The axis of the rows of each kind of objects."""
ANCHORS: dict[int, str] = {
    code: OBJECTS[code] for code in (ObjectType.BODY, ObjectType.XBODY, ObjectType.SITE)
}
"""What connections and welds join."""
SHAPES: dict[int, str] = {
    code: OBJECTS[code] for code in (ObjectType.BODY, ObjectType.XBODY, ObjectType.GEOM)
}
"""Between what distances are measured."""
SEEING: dict[int, str] = {code: OBJECTS[code] for code in (ObjectType.SITE, ObjectType.CAMERA)}
"""From where rangefinders measure."""
LENGTHS: dict[int, str] = {
    EqualityType.joint: "jnt",
    EqualityType.tendon: "tendon",
    EqualityType.formula: "jnt",
    EqualityType.flex: "flex",
    EqualityType.distance: "geom",
}
"""What the other equalities hold."""
TARGETS: dict[int, str] = {
    TransmissionType.joint: "jnt",
    TransmissionType.jointinparent: "jnt",
    TransmissionType.slidercrank: "site",
    TransmissionType.tendon: "tendon",
    TransmissionType.site: "site",
    TransmissionType.body: "body",
}
"""What actuators act on."""


class Reference(NamedTuple):
    """A column of rows whose axis depends on a code."""

    column: str
    codes: str
    """The column with the codes."""
    axes: Mapping[int, str]
    """The axis by code; with other codes the number is not used."""
    optional: frozenset[int] = frozenset()
    """Codes with which -1 means none."""
    place: int = 0
    """The place of the number in a row of the column."""


REFERENCES = (
    Reference(
        "geom_dataid",
        "geom_type",
        {ShapeType.mesh: "mesh", ShapeType.sdf: "mesh", ShapeType.hfield: "hfield"},
        frozenset((ShapeType.mesh, ShapeType.sdf, ShapeType.hfield)),
    ),
    Reference(
        "wrap_objid",
        "wrap_type",
        {WrapType.joint: "jnt", WrapType.site: "site", WrapType.sphere: "geom", WrapType.cylinder: "geom"},
    ),
    Reference("actuator_trnid", "actuator_trntype", TARGETS),
    Reference(
        "actuator_trnid", "actuator_trntype", TARGETS, frozenset(TARGETS) - {TransmissionType.slidercrank}, 1
    ),
    Reference("eq_obj1id", "eq_type", LENGTHS),
    Reference("eq_obj2id", "eq_type", LENGTHS, frozenset(LENGTHS)),
    Reference("sensor_objid", "sensor_objtype", OBJECTS, frozenset(OBJECTS)),
    Reference("sensor_refid", "sensor_reftype", OBJECTS, frozenset(OBJECTS)),
    Reference("tuple_objid", "tuple_objtype", OBJECTS, frozenset(OBJECTS)),
)
RUNS = tuple(
    (table.axis, column.name, column.first, column.refers)
    for table in TABLES
    for column in table.columns
    if column.first
)
"""Axes, numbers of consecutive rows of another axis, the columns of the first of them, and that axis."""
IMAGES = (
    ("hfield", ("nrow", "ncol"), "hfielddata"),
    ("tex", ("height", "width", "nchannel"), "texdata"),
)
"""Axes, the extents of their arrays, and the axis in which these are."""
EDGES = np.array((0, 1, 3, 6))
"""Number of edges of an element of a flex, by its dimension."""
BODIES = 1 << 15
"""Models with more bodies have signatures that do not fit 32 bits."""


def problems(arrays: dict[str, Array], sizes: dict[str, int], about: About) -> Problems:
    """The references of a Model to rows that do not exist; those along one axis are valid already.

    Args:
        arrays: the given columns.
        sizes: the number of rows of each axis that has rows.
        about: makes a problem of a row, see `About`.
    """
    for report in _examined().suspects(arrays, sizes):
        yield from report(arrays, sizes, about)
    if sizes.get("flex"):
        yield from _flexes(arrays, sizes, about)


@cache
def _examined() -> ReferenceChecks:
    """What is examined in one pass, each with the function that reports what is wrong."""
    from polybody.generated.kernels.layout import SENSORS

    found = ReferenceChecks()
    for axis, count, first, of in RUNS:
        found.run(partial(_run, axis=axis, count=count, first=first, of=of), axis, count, first, of)
    for each in REFERENCES:
        axis = each.column.partition("_")[0]
        axis = "tupledata" if axis == "tuple" else axis
        cells = {int(code): (of, code in each.optional) for code, of in each.axes.items()}
        report = partial(_missing, axis=axis, of=each)
        found.pointers(report, axis, each.column, each.codes, cells, each.place)
    joined = {
        (int(code), int(kind)): (ANCHORS.get(kind, NOWHERE), False)
        for code in (EqualityType.connect, EqualityType.weld)
        for kind in ObjectType
    }
    for column in ("eq_obj1id", "eq_obj2id"):
        found.pointers(_joined, "eq", column, "eq_type", joined, kinds="eq_objtype")
    for role in ("obj", "ref"):
        cells_of = _measurable(role)
        found.pointers(
            _measured, "sensor", f"sensor_{role}id", "sensor_type", cells_of, kinds=f"sensor_{role}type"
        )
    widths = {
        code: -2 if measured == "actuator" else width  # whatever they have
        for code, (_, width, measured, _) in SENSORS.items()
        if width
    }
    found.widths(_measured, "sensor", "sensor_dim", "sensor_type", widths)
    found.run(_measured, "sensor", "sensor_dim", "sensor_adr")
    found.run(_activated, "actuator", "actuator_actnum", "actuator_actadr")
    for name, codes in servos.EXAMINED.items():
        examined = dict.fromkeys(map(int, codes), -2)  # whatever they have
        found.widths(_stateful, "actuator", "actuator_ctrlnum", f"actuator_{name}", examined)
    for axis, extents, of in IMAGES:
        report = partial(_images, axis=axis, extents=extents, of=of)
        found.arrays(report, axis, f"{axis}_adr", [f"{axis}_{name}" for name in extents], of)
    for axis in ("pair", "exclude"):
        report = partial(_signed, axis=axis)
        found.signatures(report, axis, f"{axis}_signature", "body", BODIES)
    found.absent(_moved_by_mocap, "body", "body_mocapid")
    return found


def _measurable(role: str) -> dict[tuple[int, int], tuple[str, bool]]:
    """The axis of the objects or the references of sensors, and whether there may be none, by type of sensor
    and of object. What only `_measured` can tell is NOWHERE, so that it is asked.
    """
    from polybody.generated.kernels.layout import SENSORS

    found: dict[tuple[int, int], tuple[str, bool]] = {}
    for code, (_, _, measured, against) in SENSORS.items():
        axes = _axes(measured if role == "obj" else against, code)
        for kind in ObjectType if axes else ():
            if isinstance(axes, str):
                cell = NOWHERE if axes == "ball" else axes, False
            else:
                cell = axes.get(kind, NOWHERE), role == "ref" and axes is not SHAPES
            found[code, int(kind)] = cell
    return found


def _axes(kind: str, code: int) -> Mapping[int, str] | str:
    """The axes by type of what sensors of a type measure, or the one axis, or "" for nothing."""
    from polybody.generated.kernels.layout import FRAMES

    if code == SensorType.rangefinder and kind:
        return SEEING
    return FRAMES if kind == "frame" else SHAPES if kind == "shapes" else kind


def _run(
    arrays: Columns, sizes: Sizes, about: About, axis: str, count: str, first: str, of: str
) -> Problems:
    """Check that consecutive rows exist."""
    start, number, rows = arrays[first], arrays[count].astype(np.int64), sizes.get(of, 0)
    for row in np.flatnonzero((number > 0) & ((start < 0) | (start + number > rows))).tolist():
        what = f"{first} {start[row]} and {count} {number[row]}"
        yield about(axis, row, f"{what} are not within the {rows} rows of {of}", first)


def _missing(arrays: Columns, sizes: Sizes, about: About, axis: str, of: Reference) -> Problems:
    """Check that rows of an axis that depends on a code exist."""
    rows = arrays[of.column]
    yield from _outside(
        rows if rows.ndim == 1 else rows[:, of.place], arrays[of.codes], sizes, about, axis, of
    )


def _outside(
    rows: Array, codes: Array, sizes: Sizes, about: About, axis: str, of: Reference
) -> Problems:
    """The same of numbers and codes that are given."""
    size = max(int(codes.max(initial=0)), *of.axes) + 1
    least, end = np.full(size, -(2**31)), np.full(size, 2**31)
    for code, target in of.axes.items():
        least[code], end[code] = -1 if code in of.optional else 0, sizes.get(target, 0)
    for row in np.flatnonzero((rows < least[codes]) | (rows >= end[codes])).tolist():
        target = of.axes[int(codes[row])]
        more = " or -1" if int(codes[row]) in of.optional else ""
        what = f"{of.column} {rows[row]} is not a row of {target}{more}"
        yield about(axis, row, f"{what}, of which there are {sizes.get(target, 0)}", of.column)


# --- equalities -------------------------------------------------------------------------------------------


def _joined(arrays: Columns, sizes: Sizes, about: About) -> Problems:
    """Check the bodies or sites of connections and welds."""
    joined = np.isin(arrays["eq_type"], (EqualityType.connect, EqualityType.weld))
    kinds = arrays["eq_objtype"]
    for row in np.flatnonzero(joined & ~np.isin(kinds, list(ANCHORS))).tolist():
        text = f"eq_objtype {kinds[row]} is neither body nor site, which it joins"
        yield about("eq", row, text, "eq_objtype")
    codes = np.where(joined, kinds, ObjectType.UNKNOWN)
    for name in ("eq_obj1id", "eq_obj2id"):
        of = Reference(name, "eq_objtype", ANCHORS)
        yield from _outside(arrays[name], codes, sizes, about, "eq", of)


# --- sensors ----------------------------------------------------------------------------------------------


def _outputs(arrays: Columns, sensor: int) -> int:
    """The number of forces of the actuator that a sensor measures; 1 if it does not exist."""
    kinds, actuator = arrays["actuator_trntype"], int(arrays["sensor_objid"][sensor])
    several = 0 <= actuator < len(kinds) and kinds[actuator] == TransmissionType.so3
    return servos.TURNS if several else 1


def _measured(arrays: Columns, sizes: Sizes, about: About) -> Problems:
    """Check that each sensor has an object that it can measure, and its own values in sensordata."""
    from polybody.generated.kernels.layout import SENSORS

    types, dim, total = arrays["sensor_type"], arrays["sensor_dim"], int(arrays["sensor_dim"].sum())
    if total >= 2**31:
        yield f"sensor_dim: {total} values are more than {2**31 - 1}"
    for row in np.flatnonzero(arrays["sensor_adr"].astype(np.int64) + dim > total).tolist():
        what = f"sensor_adr {arrays['sensor_adr'][row]} and sensor_dim {dim[row]}"
        yield about("sensor", row, f"{what} are not within the {total} values", "sensor_adr")
    for code in sorted(set(types.tolist())):
        if code not in SENSORS:
            continue
        _, width, measured, against = SENSORS[code]
        rows = np.flatnonzero(types == code)
        for row in rows.tolist() if width else ():
            wanted = _outputs(arrays, row) if measured == "actuator" else width
            if dim[row] != wanted:
                yield about("sensor", row, f"sensor_dim {dim[row]} is not {wanted}", "sensor_dim")
        for role, kind in (("obj", measured), ("ref", against)):
            if kind:
                yield from _objects(arrays, sizes, about, rows, role, _axes(kind, code))


def _objects(
    arrays: Columns, sizes: Sizes, about: About, rows: Array, role: str, axes: Mapping[int, str] | str
) -> Problems:
    """Check the objects or the references of sensors of one type: of one axis, of ball joints, or of axes by
    type.
    """
    name, kinds = f"sensor_{role}id", arrays[f"sensor_{role}type"]
    for row in rows.tolist():
        found, kind = int(arrays[name][row]), int(kinds[row])
        if isinstance(axes, str):
            axis = "jnt" if axes == "ball" else axes
        else:
            if role == "ref" and found < 0 and axes is not SHAPES:
                continue
            axis = axes.get(kind, "")
        if not axis:
            column = f"sensor_{role}type"
            yield about("sensor", row, f"{column} {kind} is not one of {sorted(map(int, axes))}", column)
        elif not 0 <= found < sizes.get(axis, 0):
            what = f"{name} {found} is not a row of {axis}"
            yield about("sensor", row, f"{what}, of which there are {sizes.get(axis, 0)}", name)
        elif axes == "ball" and arrays["jnt_type"][found] != JointType.ball:
            yield about("sensor", row, f"{name} {found} is not a ball joint", name)


# --- sizes that several columns determine -----------------------------------------------------------------


def _stateful(arrays: Columns, sizes: Sizes, about: About) -> Problems:
    """Check that servos have as many controls and activations as their kind and parameters say."""
    for row, name, what in servos.wrong(arrays):
        yield about("actuator", row, what, name)


def _activated(arrays: Columns, sizes: Sizes, about: About) -> Problems:
    """Check that each actuator has its own activations."""
    first, number = arrays["actuator_actadr"], arrays["actuator_actnum"].astype(np.int64)
    total = int(number.sum())
    if total >= 2**31:
        yield f"actuator_actnum: {total} activations are more than {2**31 - 1}"
    for row in np.flatnonzero((number > 0) & ((first < 0) | (first + number > total))).tolist():
        what = f"actuator_actadr {first[row]} and actuator_actnum {number[row]}"
        yield about("actuator", row, f"{what} are not within the {total} activations", "actuator_actadr")


def _moved_by_mocap(arrays: Columns, sizes: Sizes, about: About) -> Problems:
    """Check that the mocap bodies are numbered."""
    found = arrays["body_mocapid"]
    given = np.flatnonzero(found >= 0)
    if len(given) and not np.array_equal(np.sort(found[given]), np.arange(len(given))):
        last = len(given) - 1
        yield f"body_mocapid: {found[given].tolist()[:9]} are not the numbers from 0 to {last}, each once"


def _images(
    arrays: Columns, sizes: Sizes, about: About, axis: str, extents: tuple[str, ...], of: str
) -> Problems:
    """Check that arrays with these extents are within the rows of an axis: each height field has its heights,
    and each texture its pixels.
    """
    first, rows = arrays[f"{axis}_adr"].tolist(), sizes.get(of, 0)  # products may exceed 64 bits
    extent = zip(*(arrays[f"{axis}_{name}"].tolist() for name in extents), strict=True)
    for row, (start, numbers) in enumerate(zip(first, extent, strict=True)):
        if start + prod(numbers) > rows:
            what = f"{axis}_adr {start} and {' '.join(extents)} {' '.join(map(str, numbers))}"
            yield about(axis, row, f"{what} are not within the {rows} rows of {of}", f"{axis}_adr")


def _signed(arrays: Columns, sizes: Sizes, about: About, axis: str) -> Problems:
    """Check that signatures contain bodies."""
    found, bodies = arrays[f"{axis}_signature"], sizes["body"]
    if bodies <= BODIES:
        wrong = (found < 0) | (found >> 16 >= bodies) | (found & 0xFFFF >= bodies)
        for row in np.flatnonzero(wrong).tolist():
            what = f"{axis}_signature {found[row]} has bodies {found[row] >> 16} and {found[row] & 0xFFFF}"
            yield about(axis, row, f"{what}, and there are {bodies}", f"{axis}_signature")


# --- flexes -----------------------------------------------------------------------------------------------


def _flexes(arrays: Columns, sizes: Sizes, about: About) -> Problems:
    """Check that edges, elements, the shell and pairs of each flex refer to its own vertices, edges and
    elements.
    """
    dim = arrays["flex_dim"].astype(np.int64)
    number = {
        name: arrays[f"flex_{name}num"].astype(np.int64)
        for name in ("vert", "edge", "elem", "shell", "evpair")
    }
    parts: tuple[tuple[str, str, Any, tuple[str, ...]], ...] = (
        ("edge", "edgeadr", number["edge"], ("vert", "vert")),
        ("elem", "elemdataadr", number["elem"] * (dim + 1), ("vert",)),
        ("elemedge", "elemedgeadr", number["elem"] * EDGES[dim], ("edge",)),
        ("shell", "shelldataadr", number["shell"] * dim, ("vert",)),
        ("evpair", "evpairadr", number["evpair"], ("elem", "vert")),
    )
    for name, address, counts, bounds in parts:
        found = arrays[f"flex_{name}"].reshape(-1, len(bounds))
        for flex, (first, count) in enumerate(
            zip(arrays[f"flex_{address}"].tolist(), counts.tolist(), strict=True)
        ):
            rows = found[max(first, 0) : max(first, 0) + count]
            most = [int(number[bound][flex]) for bound in bounds]
            if len(rows) < count or (count and first < 0):
                what = f"flex_{address} {first} and {count} rows are not within flex_{name}"
                yield about("flex", flex, what, f"flex_{address}")
            elif count and ((rows < 0) | (rows >= most)).any():
                what = f"flex_{name} refers to more than its {most[0]} {bounds[0]} rows"
                more = "" if len(set(bounds)) == 1 else f" and {most[-1]} {bounds[-1]} rows"
                yield about("flex", flex, what + more, f"flex_{name}")
