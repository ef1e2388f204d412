"""The generic kernels: codegen/physics traced over the columns of model.xsd, as texts for the templates."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..physics import aba, crba, energy, integrate, jacobian, kinematics, links, ltl, passive, rnea
from ..physics.joints import JOINTS
from ..physics.spatial import VALUES
from ..render import header, render
from ..schema import Column, JointRow, Kind, Physics, Schema, SchemaError, tables
from ..staging import columns as staging
from ..staging.emit import Emit, Library
from ..staging.render import Renderer, c_type, helper_text
from ..staging.value_classes import Value

Algorithm = Callable[..., None]

INNER: tuple[Algorithm, ...] = (  # what the others call, each after those it calls itself
    kinematics.place, kinematics.carry, passive.stretch, aba.resist, aba.articulated, ltl.decompose,
    integrate.remember, integrate.kick, integrate.drift,
    integrate.forget_slopes, integrate.gather_slopes, integrate.take_slopes,
)  # fmt: skip
PUBLIC: tuple[Algorithm, ...] = (  # what Python and other Cython modules call
    kinematics.forward_kinematics, rnea.bias, rnea.inverse, passive.passive, crba.mass_matrix, ltl.factor,
    ltl.solve, aba.acceleration, energy.energy, jacobian.jacobian,
)  # fmt: skip
STEPS: tuple[Algorithm, ...] = (integrate.euler, integrate.rk4, integrate.restore)  # what step() is made of
ALGORITHMS = INNER + PUBLIC + STEPS

SIZES = {"body": "nbody", "jnt": "njnt", "link": "nlink", "dof": "nv", "q": "nq", "M": "nM", "one": "1"}
RECORDS = ("link",)  # axes whose rows stand together in memory
LAZY = ("M",)  # axes whose columns are made when first asked for
UNTRACED = ("jnt_bodyid", "opt_integrator")  # given columns that the templates' own code reads
FILES = (
    "layout.pxd",
    "layout.pyx",
    "layout.pyi",
    "dynamics.pxd",
    "dynamics.pyx",
    "dynamics.pyi",
    "meson.build",
)
SOURCES = ["codegen/physics", "schemas/model.xsd", "schemas/physics.xml"]
COMMAND = "python -m codegen"


@dataclass(frozen=True)
class Field:
    """A column in the C layout."""

    name: str
    axis: str
    c_type: str
    base: str  # "int", "int64_t" or "double"
    shape: tuple[int, ...]  # of one row, as NumPy sees it
    record: bool
    lazy: bool
    doc: str


@dataclass(frozen=True)
class Function:
    """A kernel's C text, and the columns that it mentions."""

    name: str
    doc: str
    params: tuple[str, ...]
    lines: tuple[str, ...]
    used: frozenset[str]

    @property
    def comment(self) -> list[str]:
        """Its documentation as a C comment."""
        return f"/* {self.doc} */".replace("\n", "\n * ").replace(" * \n", " *\n").split("\n")

    @property
    def matrix(self) -> bool:
        """Whether it touches the mass matrix, which must be made first."""
        return bool(self.used & {"qM", "qLD"})


def kernels(schema: Schema, physics: Physics) -> dict[str, str]:
    """The files of generated/kernels: {path: text}.

    Raises:
        SchemaError: a joint or integrator of the schemas has no counterpart in codegen/physics.
    """
    check_joints(physics.joints)
    columns = [c for c in tables(schema) if c.axis in SIZES]
    traced = [table(c) for c in columns]
    preparing, library = Library(), Library()
    prepare = emit(links.prepare, traced, preparing, preparing=True)
    functions = {f: emit(f, traced, library) for f in ALGORITHMS}
    used = prepare.used.union(UNTRACED, *[f.used for f in functions.values()])
    mine = [c for c in columns if c.name in used or c.owner == "data"]
    context = {
        "values": [(c.__name__, struct(c)) for c in VALUES.values()],
        "joints": physics.joints,
        "integrators": integrators(schema),
        "integrator_codes": [member.code for member in schema.enum("Integrator").members],
        "given": [field(c) for c in mine if c.owner == "model" and c.role != "work"],
        "prepared": [field(c) for c in mine if c.owner == "model" and c.role == "work"],
        "data": [field(c) for c in mine if c.owner == "data"],
        "helpers": [helper_text(h) for h in library.helpers.values()],
        "functions": list(functions.values()),
        "public": [functions[f] for f in PUBLIC],
        "prepare": prepare,
        "preparing": [helper_text(h) for h in preparing.helpers.values()],
    }
    return {f"kernels/{name}": file(name, context) for name in FILES}


def file(name: str, context: dict[str, Any]) -> str:
    head = header([f"codegen/templates/kernels/{name}.jinja", *SOURCES], COMMAND)
    return head + render(f"kernels/{name}.jinja", **context)


def check_joints(rows: Sequence[JointRow]) -> None:
    """Every row of the vocabulary has the class it names, and they agree."""
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


def integrators(schema: Schema) -> list[tuple[str, int]]:
    """The step of each integrator that has one, called as it is in small letters, and its code.

    Of the others a Model can be made and its accelerations computed; steps are refused before they come here.
    """
    names = {f.__name__ for f in STEPS}
    enum = schema.enum("Integrator")
    for member in enum.members:
        if member.code is None:
            raise SchemaError(member.place, f"the integrator {member.value} has no pb:code")
    return [(m.value.lower(), m.code or 0) for m in enum.members if m.value.lower() in names]


def table(column: Column) -> staging.Column:
    """A column as algorithms see it."""
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
    return Field(name, column.axis, c_type(type_), base, shape, record, column.axis in LAZY, column.doc)


def short(name: str) -> str:
    return name.partition("_")[2]


def struct(value: type[Value]) -> list[tuple[str, str]]:
    """The C types and names of a value's parts."""
    return [(t.__name__ if t else "double", n) for n, t in value.types.items()]


def emit(
    f: Algorithm, columns: Sequence[staging.Column], library: Library, preparing: bool = False
) -> Function:
    """Trace one algorithm and render it; a `preparing` one writes what is constant for the others."""
    variable = [replace(c, role="data") if preparing and c.role == "prepared" else c for c in columns]
    machine = Emit(variable, library, {g: g.__name__ for g in ALGORITHMS})
    params = tuple(inspect.signature(f).parameters)[2:]
    machine.trace(f, params)
    places = Places({c.name: c for c in columns}, preparing)
    memory = {*places.columns, *SIZES.values(), *RECORDS, *(f"{r}d" for r in RECORDS)}
    taken = {*memory, *params, *machine.functions.values(), *(h.name for h in library.helpers.values())}
    renderer = Renderer(places.address, frozenset(taken))
    body = renderer.function(machine.top)
    lines = (*places.prologue(renderer.used), *body)
    return Function(f.__name__, inspect.getdoc(f) or "", params, lines, frozenset(renderer.used))


class Places:
    """Where columns are: a model's records in link[k], a simulation's in linkd[k], others in arrays."""

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
        """Local names for the memory that a kernel mentions."""
        used = set(used)
        lines: dict[str, str] = {
            n: f"    const int {n} = m->{n};" for n in ("nbody", "nlink", "nq", "nv") if n in used
        }
        for name, column in self.columns.items():
            if name not in used:
                continue
            owner = "m" if column.constant else "d"
            const = "const " if column.constant and not (self.preparing and column.role == "prepared") else ""
            if column.axis in RECORDS:
                record, type_ = self.record(column), "Link" if column.constant else "LinkData"
                lines[record] = f"    {const}{type_} *restrict {record} = {owner}->link;"
            else:
                lines[name] = f"    {const}{c_type(column.type)} *restrict {name} = {owner}->{name};"
        return list(lines.values())
