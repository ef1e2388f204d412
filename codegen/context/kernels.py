"""The generic kernels: codegen/physics traced over the columns of model.xsd, as texts for the templates."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..physics import aba, crba, energy, integrate, kinematics, links, ltl, passive, rnea
from ..physics.joints import JOINTS
from ..physics.values import VALUES
from ..render import header, render
from ..schema import Column, JointRow, Kind, Physics, SchemaError
from ..staging import columns as staging
from ..staging.emit import Emit, Library
from ..staging.render import Renderer, c_type, helper_text
from ..staging.values import Value

SOURCES = ["codegen/physics", "schemas/model.xsd", "schemas/physics.xml"]
KERNELS: dict[str, tuple[Callable[..., None], ...]] = {
    # in the order of the generated file; first what the public ones call
    "": (kinematics.place, kinematics.carry, aba.resist, aba.articulated, *(
        integrate.remember, integrate.kick, integrate.drift,
        integrate.forget_slopes, integrate.gather_slopes, integrate.take_slopes,
    )),
    "public": (
        kinematics.forward_kinematics, rnea.bias, rnea.inverse, passive.passive, crba.mass_matrix,
        ltl.factor, ltl.solve, aba.acceleration, energy.energy, integrate.euler, integrate.rk4,
        integrate.restore,
    ),
}  # fmt: skip
RECORDS = ("link",)  # axes whose rows stand together in memory
LAZY = ("M",)  # axes whose columns are made when first asked for
SIZES = {"body": "nbody", "jnt": "njnt", "link": "nlink", "dof": "nv", "q": "nq", "M": "nM", "one": "1"}


@dataclass(frozen=True)
class Field:
    """A column in the C layout."""

    name: str
    axis: str
    size: str  # C expression of the number of rows
    c_type: str
    base: str  # "int", "int64_t" or "double"
    shape: tuple[int, ...]  # of one row, as NumPy sees it
    lazy: bool
    doc: str


@dataclass(frozen=True)
class Function:
    """A kernel's C text."""

    name: str
    doc: str
    params: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def comment(self) -> list[str]:
        """Its documentation as a C comment."""
        return f"/* {self.doc} */".replace("\n", "\n * ").replace(" * \n", " *\n").split("\n")


def kernels(columns: Iterable[Column], physics: Physics) -> dict[str, str]:
    """The files of generated/kernels: {path: text}.

    Raises:
        SchemaError: a joint of physics.xml and its class disagree.
    """
    check_joints(physics.joints)
    used = [c for c in columns if known(c)]
    tables = [table(c) for c in used]
    preparing, library = Library(), Library()
    prepare = emit(links.prepare, tables, preparing, preparing=True)
    functions = {section: [emit(f, tables, library) for f in fs] for section, fs in KERNELS.items()}
    context = {
        "values": [(c.__name__, struct(c)) for c in VALUES.values()],
        "helpers": [helper_text(h) for h in library.helpers.values()],
        "preparing": [helper_text(h) for h in preparing.helpers.values()],
        "joints": physics.joints,
        "given": [field(c) for c in used if c.owner == "model" and c.role != "work"],
        "prepared": [field(c) for c in used if c.owner == "model" and c.role == "work"],
        "data": [field(c) for c in used if c.owner == "data"],
        "records": RECORDS,
        "prepare": prepare,
        "helping": functions[""],
        "public": functions["public"],
    }
    files = {}
    for name in (
        "layout.pxd",
        "layout.pyx",
        "layout.pyi",
        "dynamics.pxd",
        "dynamics.pyx",
        "dynamics.pyi",
        "meson.build",
    ):
        head = header([f"codegen/templates/kernels/{name}.jinja", *SOURCES], "python -m codegen")
        files[f"kernels/{name}"] = head + render(f"kernels/{name}.jinja", **context)
    return files


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


def known(column: Column) -> bool:
    """Whether the kernels have to do with a column."""
    return column.axis in SIZES and column.name not in UNUSED


UNUSED = frozenset(
    [
        "body_dofadr",
        "body_dofnum",
        "body_geomadr",
        "body_geomnum",
        "body_rootid",
        "body_subtreemass",
        "body_iquat",
        "body_inertia",
        "dof_bodyid",
        "dof_jntid",
        "M_colind",
        "qpos0",
    ]
)


def table(column: Column) -> staging.Column:
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
    base = {"int": "int", "long": "int64_t"}.get(type_, "double") if isinstance(type_, str) else "double"
    name = short(column.name) if column.axis in RECORDS else column.name
    size = SIZES[column.axis]
    return Field(name, column.axis, size, c_type(type_), base, column.shape, column.axis in LAZY, column.doc)


def short(name: str) -> str:
    return name.partition("_")[2]


def struct(value: type[Value]) -> list[tuple[str, str]]:
    return [(t.__name__ if t else "double", n) for n, t in value.types.items()]


def emit(
    f: Callable[..., None], tables: Sequence[staging.Column], library: Library, preparing: bool = False
) -> Function:
    """Trace one algorithm and render it; `preparing` kernels write what is constant for the others."""
    names = {g: g.__name__ for section in KERNELS.values() for g in section}
    variable = [replace(t, role="data") if preparing and t.role == "prepared" else t for t in tables]
    machine = Emit(variable, library, names)
    params = tuple(inspect.signature(f).parameters)[2:]
    machine.trace(f, params)
    places = Places({t.name: t for t in tables}, preparing)
    renderer = Renderer(
        places.address, frozenset({*places.columns, *SIZES.values(), *RECORDS, "linkd", *params})
    )
    body = renderer.function(machine.top)
    return Function(f.__name__, inspect.getdoc(f) or "", params, (*places.prologue(renderer.used), *body))


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
