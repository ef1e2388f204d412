"""The generic kernels: codegen/physics traced over the columns of model.xsd, as texts for the templates."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..physics import aba, actuator_kinds, formulas, frames, links, ltl, sensors
from ..physics.joints import JOINTS, Turning
from ..physics.kernels import INTEGRATORS, KERNELS, results
from ..physics.spatial import VALUES
from ..render import header, render
from ..schema import Column, JointRow, Kind, Physics, Row, Schema, SchemaError, tables
from ..staging import columns as staging
from ..staging import interface
from ..staging.calls import STAGES
from ..staging.columns import AXES
from ..staging.emit import Emit, Library
from ..staging.render import Renderer, c_type, helper_text, operation_texts
from ..staging.value_classes import Value
from .paired import PairedKernel
from .plan import Plan, parameters, plan

Algorithm = Callable[..., None]

WRITTEN: tuple[Algorithm, ...] = (ltl.eliminate, ltl.decompose, ltl.substitute)
"""Algorithms whose loops are written by hand in runtime/native/dynamics/factors.h, several rows at a time."""

RECORDS = ("link",)  # axes whose rows are structs
LAZY = ("M",)  # axes whose columns are allocated on first use
CHAINS = tuple(f"dof_chain_{part}{axis}" for part in "wv" for axis in "xyz")
MADE_WITH_THEM = (
    *("jnt_flow", "jnt_drag", "dof_drift", "dof_row", "dof_column"),
    *("jnt_treepos", "jnt_treemat", *CHAINS),
)
"""Columns that are allocated together with these."""
UNTRACED = (
    *("jnt_bodyid", "opt_integrator", "opt_constrained", "actuator_ctrlnum"),
    *(f"{kind}_{name}" for kind in ("actuator", "sensor") for name in ("history", "historyadr", "delay")),
    "sensor_interval",
)
"""Given columns that the code of the templates, or code written by hand, reads."""
TREE = ("body_parentid", "body_jntadr", "jnt_bodyid", "jnt_qposadr", "jnt_dofadr", "dof_parentid")
MEASURED = (("BODY", "body"), ("XBODY", "body"), ("GEOM", "geom"))
"""The axes of the objects between which sensors measure distances."""
TARGETS = (
    (("joint", "jointinparent"), "jnt", -1),
    (("site",), "site", -1),
    (("slidercrank",), "site", 0),
    (("tendon",), "tendon", -1),
)
"""Transmissions, the axis of their targets, and the minimum of the second target."""
FILES = (
    "layout.h",
    "layout.pxd",
    "layout.pyx",
    "layout.pyi",
    "prepare.h",
    "dynamics.h",
    "dynamics.pxd",
    "dynamics.pyx",
    "dynamics.pyi",
    "interface.py",
    "program.pxd",
    "meson.build",
)
INTERFACE = {  # sources of the files that are independent of schemas
    "interface.py": ["codegen/staging/interface.py", "codegen/physics/kernels.py"],
    "program.pxd": ["codegen/templates/program.h.jinja", "codegen/staging/interface.py"],
}
COMMAND = "python -m codegen"


@dataclass(frozen=True)
class Field:
    """A column in the C layout."""

    name: str
    axis: str
    c_type: str
    base: str  # "int", "int64_t" or "double"
    shape: tuple[int, ...]  # of one row, in NumPy
    record: bool
    lazy: bool
    doc: str


@dataclass(frozen=True)
class Function:
    """A kernel's C text, and the columns and operations that it uses.

    Attributes:
        watches: whether it depends on forces on bodies, which are examined before.
        constrains: whether it solves constraints.
        matrix: whether it or an algorithm that it calls uses the mass matrix, which must be allocated before.
        acts: whether it or such an algorithm reads controls, which may have delays.
        measures: whether it writes sensordata, which may have delays.
    """

    name: str
    doc: str
    params: tuple[str, ...]
    lines: tuple[str, ...]
    used: frozenset[str]
    operations: frozenset[str]
    watches: bool = False
    constrains: bool = False
    matrix: bool = False
    acts: bool = False
    measures: bool = False

    @property
    def comment(self) -> list[str]:
        """Its documentation as a C comment."""
        return f"/* {self.doc} */".replace("\n", "\n * ").replace(" * \n", " *\n").split("\n")


def kernels(schema: Schema, physics: Physics, sources: Sequence[str] = ()) -> dict[str, str]:
    """The files of generated/kernels: {path: text}; their headers list the sources in schemas and physics.

    Raises:
        SchemaError: a joint or a type of actuators of the schemas has no counterpart in codegen/physics, or a
            sensor or an integrator there none in the schemas; or an algorithm reads what nothing has
            computed.
    """
    check_joints(physics.joints)
    check_sensors(physics.sensors)
    check_actuators(schema)
    check_operations(schema)
    check_axes(schema)
    check_integrators(schema)
    columns = [c for c in tables(schema) if c.axis in AXES]
    traced = [table(c) for c in columns]
    preparing, library = Library(), Library()
    planned = plan(columns, traced, library)
    prepare = emit(preparation(traced, preparing), links.prepare_loops, traced, preparing, planned, True)
    functions = functions_of(planned, traced, library)
    places = Places({c.name: c for c in traced}, preparing=False)
    both = PairedKernel(aba.BOTH, aba.released, traced, places.address)
    used = prepare.used.union(UNTRACED, both.used, *[f.used for f in functions.values()])
    used -= {axis.size for axis in AXES.values()}
    mine = [c for c in columns if c.name in used or (c.owner == "data" and c.stage == "kernel")]
    context = {
        "values": [(c.__name__, struct(c)) for c in VALUES.values()],
        "axes": [axis for axis in AXES.values() if axis.size != "1"],
        "joints": physics.joints,
        "turning": [kind.code for kind in JOINTS if issubclass(kind, Turning)],
        "sensors": [(c.code, (c.name, c.dim, c.object, c.reference)) for c in sensors.SENSORS],
        "sensor_stages": [(c.code, planned.sensors[c]) for c in sensors.SENSORS],
        "stages_before": planned.before,
        "frames": [(c.code, c.axis) for c in frames.FRAMES],
        "measured": list(coded(schema, "ObjectType", MEASURED)),
        "targets": list(coded(schema, "TransmissionType", TARGETS)),
        "frame_stages": [(c.code, tuple(map(sensors.stage_of, c.flags))) for c in frames.FRAMES if c.flags],
        "integrators": [(step.kernel.name, step.code) for step in INTEGRATORS],
        "matrix_integrators": tuple(step.code for step in INTEGRATORS if step.matrix),
        "integrator_codes": [member.code for member in schema.enum("Integrator").members],
        "valued": [(c.name, c.value) for c in mine if c.value],
        "given": [field(c) for c in mine if c.owner == "model" and c.role != "work"],
        "indices": [indexed(c) for c in mine if c.owner == "model" and c.index in AXES and free(c)],
        "prepared": [field(c) for c in mine if c.owner == "model" and c.role == "work"],
        "data": [field(c) for c in mine if c.owner == "data"],
        "helpers": helpers(library, functions.values()),
        "functions": list(functions.values()),
        "written": [f.__name__ for f in WRITTEN],
        "constraint_stages": {name: stage.code for name, stage in STAGES.items()},
        "both": both,
        "both_lines": [*places.prologue(both.used), *both.body],
        "public": [functions[kernel.algorithm] for kernel in KERNELS],
        "prepare": prepare,
        "abi": interface.ABI,
        "interface": inspect.getsource(interface).rstrip(),
        "results": results(),
        "preparing": helpers(preparing, [prepare]),
    }
    return {f"kernels/{name}": file(name, context, sources) for name in FILES}


def helpers(library: Library, functions: Iterable[Function]) -> list[list[str]]:
    """The C functions that others call: those of operations, then those of values."""
    operations: set[str] = set().union(*[f.operations for f in functions])
    texts = [helper_text(h, operations) for h in library.helpers.values()]
    return [*operation_texts(operations), *texts]


def file(name: str, context: dict[str, Any], sources: Sequence[str]) -> str:
    own = [f"codegen/templates/kernels/{name}.jinja", "codegen/physics", *sources]
    head = header(INTERFACE.get(name) or own, COMMAND, "//" if name.endswith(".h") else "#")
    return head + render(f"kernels/{name}.jinja", **context)


def check_joints(rows: Sequence[JointRow]) -> None:
    """Checks that every row of the vocabulary has its class, and that they agree."""
    classes = {c.__name__: c for c in JOINTS}
    for row in rows:
        c = classes.pop(row.cls, None)
        if c is None:
            raise SchemaError(
                row.place, f"codegen/physics/joints.py has no class {row.cls} for joint {row.name}"
            )
        if (c.name, c.code, c.nq, c.nv) != (row.name, row.code, row.nq, row.nv):
            raise SchemaError(
                row.place, f"joint {row.name} and its class {row.cls} differ in name, code, nq or nv"
            )
    if classes:
        raise SchemaError(rows[0].place, f"no row for {', '.join(classes)} of codegen/physics/joints.py")


def check_sensors(rows: Sequence[Row]) -> None:
    """Checks that every class of codegen/physics/sensors.py is a row of the vocabulary; some rows have no
    class.
    """
    classes = {c.name: c for c in sensors.SENSORS}
    for row in rows:
        c = classes.pop(row.name, None)
        if c is not None and c.code != row.code:
            raise SchemaError(row.place, f"sensor {row.name} and its class {c.__name__} differ in code")
    if classes:
        where = "codegen/physics/sensors.py"
        raise SchemaError(rows[0].place, f"no row for the sensors {', '.join(classes)} of {where}")


def check_actuators(schema: Schema) -> None:
    """Checks that every type of dynamics, gain and bias has a class, and that they agree; some biases are
    zero.
    """
    for name, classes, others in (
        ("DynamicsType", actuator_kinds.DYNAMICS, {}),
        ("GainType", actuator_kinds.GAINS, {}),
        ("BiasType", actuator_kinds.BIASES, actuator_kinds.NO_BIASES),
    ):
        enum = schema.enum(name)
        known = {(c.name, c.code) for c in classes} | set(others.items())
        differing = sorted({word for word, _ in known ^ {(m.value, m.code) for m in enum.members}})
        if differing:
            where = "codegen/physics/actuator_kinds.py"
            raise SchemaError(enum.place, f"{name} and the classes of {where} differ: {', '.join(differing)}")


def check_operations(schema: Schema) -> None:
    """Checks that the instructions of formulas are those of the schema, by name and code."""
    enum = schema.enum("OperationType")
    known = [(row.name, row.code) for row in formulas.OPERATIONS]
    if [(member.value, member.code) for member in enum.members] != known:
        where = "codegen/physics/formulas.py"
        raise SchemaError(enum.place, f"OperationType and the rows of {where} differ in names or codes")


def check_axes(schema: Schema) -> None:
    """Checks that the axes of the schema that kernels use have the same counts."""
    for element in schema.elements:
        known = AXES.get(element.axis)
        if known and element.count != known.size and (element.count or known.size != "1"):
            where = "codegen/staging/columns.py"
            raise SchemaError(
                element.place, f'axis "{element.axis}" has pb:count="{element.count}", {where} {known.size}'
            )


def coded(schema: Schema, enum: str, rows: Iterable[tuple[Any, ...]]) -> Iterable[tuple[Any, ...]]:
    """Rows whose first entry is a keyword of an enumeration, or several, with the codes instead."""
    codes = {member.value: member.code for member in schema.enum(enum).members}
    for words, *others in rows:
        found = codes[words] if isinstance(words, str) else tuple(codes[word] for word in words)
        yield (found, *others)


def check_integrators(schema: Schema) -> None:
    """Checks that every integrator of codegen/physics/kernels.py is a keyword of the schema with its code."""
    enum = schema.enum("Integrator")
    codes = {member.value: member.code for member in enum.members}
    for step in INTEGRATORS:
        if codes.get(step.name) != step.code:
            what = f"the integrator {step.name} of codegen/physics/kernels.py has the code {step.code}"
            raise SchemaError(enum.place, f"{what}, the schema {codes.get(step.name)}")


def table(column: Column) -> staging.Column:
    """A column with the interface that algorithms use."""
    role = "data" if column.owner == "data" else "prepared" if column.role == "work" else "model"
    return staging.Column(column.name, column.axis, value_type(column), role, column.doc)


def value_type(column: Column) -> Any:
    if column.value:
        return VALUES[column.value]
    if column.kind is Kind.REAL:
        return "real"
    return "long" if column.bits == 64 else "int"


def field(column: Column) -> Field:
    type_ = value_type(column)
    base = c_type(type_) if isinstance(type_, str) else "double"
    record = column.axis in RECORDS
    name = short(column.name) if record else column.name
    shape = tuple(part for part in column.shape if isinstance(part, int))
    if shape != column.shape:
        raise SchemaError(column.place, f'column "{column.name}": what kernels read has a fixed width')
    lazy = column.axis in LAZY or column.name in MADE_WITH_THEM
    return Field(name, column.axis, c_type(type_), base, shape, record, lazy, column.doc)


def free(column: Column) -> bool:
    """Whether a column has indices that are not checked together with the tree, by
    polybody.base.kernel_columns.check().
    """
    return column.role != "work" and column.name not in TREE and not column.first


def indexed(column: Column) -> tuple[str, str, int]:
    """A column of row indices of an axis, that axis, and the minimum: -1 if an index may be missing, else
    0.
    """
    return column.name, column.index, -1 if column.role == "derived" or column.default == "-1" else 0


def short(name: str) -> str:
    return name.partition("_")[2]


def struct(value: type[Value]) -> list[tuple[str, str]]:
    """The C types and names of a value's components."""
    return [(t.__name__ if t else "double", n) for n, t in value.types.items()]


def functions_of(
    planned: Plan, columns: Sequence[staging.Column], library: Library
) -> dict[Algorithm, Function]:
    """The kernels, each after those that it calls."""
    emitted = {f: emit(machine, f, columns, library, planned) for f, machine in planned.traces.items()}
    known = {kernel.algorithm: kernel for kernel in KERNELS}
    functions = {}
    reached: dict[Algorithm, frozenset[str]] = {}  # with what is called in it
    for f, own in emitted.items():
        reached[f] = own.used.union(*(reached[g] for g in planned.traces[f].called))
        used = own.used.union(*(emitted[g].used for g in planned.traces[f].called))
        stages = [STAGES[name] for name in planned.flow.opaque(f.__name__) if name in STAGES]
        functions[f] = replace(
            own,
            doc=f"{own.doc}\n\n{known[f].order}".rstrip() if f in known else own.doc,
            watches=f in known and known[f].watches,
            constrains=any("qfrc_constraint" in stage.writes for stage in stages),
            matrix=not used.isdisjoint({"qM", "qLD", "qDeriv", *MADE_WITH_THEM}),
            acts="ctrl" in reached[f],
            measures="sensordata" in reached[f],
        )
    return functions


def preparation(columns: Sequence[staging.Column], library: Library) -> Emit:
    """The trace of what is constant for all other algorithms."""
    variable = [replace(c, role="data") if c.role == "prepared" else c for c in columns]
    machine = Emit(variable, library)
    machine.trace(links.prepare_loops)
    return machine


def emit(
    machine: Emit,
    f: Algorithm,
    columns: Sequence[staging.Column],
    library: Library,
    planned: Plan,
    preparing: bool = False,
) -> Function:
    """Render the trace of an algorithm; a `preparing` one writes what is constant for the others."""
    params = parameters(f)
    places = Places({c.name: c for c in columns}, preparing)
    memory = {*places.columns, *(axis.size for axis in AXES.values()), *RECORDS, *(f"{r}d" for r in RECORDS)}
    called = (g.__name__ for g in planned.traces)
    taken = {*memory, *params, *called, *(h.name for h in library.helpers.values())}
    renderer = Renderer(places.address, frozenset(taken))
    body = renderer.function(machine.top)
    lines = (*places.prologue(renderer.used), *body)
    used, operations = frozenset(renderer.used), frozenset(renderer.operations)
    return Function(f.__name__, inspect.getdoc(f) or "", params, lines, used, operations)


class Places:
    """Locations of columns: a model's structs in link[k], a simulation's in linkd[k], other columns in
    arrays.
    """

    def __init__(self, columns: dict[str, staging.Column], preparing: bool) -> None:
        self.columns, self.preparing = columns, preparing

    def address(self, name: str, row: str) -> str:
        column = self.columns[name]
        if column.axis in RECORDS:
            return f"{self.record(column)}[{row}].{short(name)}"
        return f"{name}[{row}]"

    def record(self, column: staging.Column) -> str:
        return column.axis if column.constant else f"{column.axis}d"

    def prologue(self, used: Iterable[str]) -> list[str]:
        """Local names for the memory that a kernel uses."""
        used = set(used)
        lines: dict[str, str] = {
            axis.size: f"    const {axis.type} {axis.size} = m->{axis.size};"
            for axis in AXES.values()
            if axis.size in used
        }
        for name, column in self.columns.items():
            if name not in used or name in lines:  # a size, not a column
                continue
            owner = "m" if column.constant else "d"
            const = "const " if column.constant and not (self.preparing and column.role == "prepared") else ""
            if column.axis in RECORDS:
                record, type_ = self.record(column), "Link" if column.constant else "LinkData"
                lines[record] = f"    {const}{type_} *restrict {record} = {owner}->link;"
            else:
                lines[name] = f"    {const}{c_type(column.type)} *restrict {name} = {owner}->{name};"
        return list(lines.values())
