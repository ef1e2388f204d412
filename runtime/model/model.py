"""Model: an immutable tree of rigid bodies, shared by any number of simulations and threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from polybody.errors import ModelError
from polybody.generated.model import (
    JOINT_SIZES,
    SCHEMA_VERSION,
    TABLES,
    JointType,
    ModelColumns,
    Release,
)
from polybody.model import npz, views
from polybody.model.arrays import frozen
from polybody.model.checks import AXES, FIRST, GIVEN, INTEGERS, NAMED, check_version, checked
from polybody.model.derived import ROLES, depends_on, derivation
from polybody.suggest import did_you_mean

V = TypeVar("V")
KINDS = {table.axis: table.names for table in TABLES if table.names}
"""The kind of names that the rows of an axis have."""
COMPUTED = {c.name: c for table in TABLES for c in table.columns if c.role == "computed"}
Names = Mapping[str, tuple[str, ...]]
Places = Mapping[str, Sequence[str]] | Callable[[], Mapping[str, Sequence[str]]]
Reduced = tuple[Any, ...]


RELEASES = {Release.v3_2_7: "3.2.7", Release.v4_0: "4.0"}
"""The releases of MuJoCo that a Model can have."""
SIMULATED = tuple(RELEASES.values())
"""Their numbers."""


class Model(ModelColumns):
    """A compiled tree of rigid bodies with joints: columns by MuJoCo's names, all of them read-only.

    Made by ``polybody.load``, a :class:`ModelBuilder`, or from the given columns, which are checked. A Model
    is immutable; :meth:`replace` makes a changed copy. Two Models are equal if their names and given columns
    are equal.

    Args:
        columns: columns of role "model" by name; those left out have the schema's defaults. They are copied,
            except for read-only arrays that no kernel reads.
        names: the names of the rows of each kind, "body", "joint", "sensor"...; "" for rows without a name;
            kinds that are omitted have no names.
        name: name of the Model.
        places: where the rows of a kind are written, as ``file:line:column``, for messages; or a function
            that determines this on request. Not part of the Model's identity.

    Raises:
        ModelError: the columns do not make a valid Model.
    """

    __slots__ = (
        "__weakref__",
        "_columns",
        "_facts",
        "_index",
        "_kernel",
        "_late",
        "_places",
        "name",
        "names",
    )

    name: str
    names: Names
    _places: Places
    _columns: dict[str, NDArray[Any]]
    _late: dict[str, NDArray[Any]]
    _facts: dict[str, Any]
    _index: dict[str, dict[str, int]]
    _kernel: Any

    def __init__(
        self,
        columns: Mapping[str, Any],
        names: Mapping[str, Sequence[str]],
        *,
        name: str = "",
        places: Places = MappingProxyType({}),
        _known: bool = False,
    ) -> None:
        given, index = checked(columns, names, name, known=_known)
        kept = {
            kind: tuple(names[kind]) if kind in names else ("",) * len(given[column])
            for kind, column in NAMED.items()
        }
        fields = {
            "name": name,
            "names": MappingProxyType(kept),
            "_columns": given,
            "_late": {},
            "_facts": {},
            "_places": places if callable(places) else _unwritable(places),
            "_index": index,
            "_kernel": None,
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    # --- sizes ------------------------------------------------------------------------------------

    @property
    def nM(self) -> int:
        """Number of entries of the sparse mass matrix."""
        return int(self.M_rowadr[-1] + self.dof_depth[-1] + 1) if self.nv else 0

    @property
    def nJten(self) -> int:
        """Number of entries of the sparse ten_J."""
        return len(self.ten_J_colind)

    # --- rows -------------------------------------------------------------------------------------

    @property
    def places(self) -> Names:
        """Where the rows of a kind are written, as "file:line:column", of kinds where that is known."""
        if callable(self._places):
            object.__setattr__(self, "_places", _unwritable(self._places()))
        found: Any = self._places
        return cast(Names, found)

    @property
    def opt(self) -> views.Option:
        """The options, such as ``model.opt.timestep``."""
        return views.Option(self)

    @property
    def opt_release(self) -> str:  # type: ignore[override]
        """The release of MuJoCo as which the Model is simulated, "3.2.7" or "4.0"."""
        return RELEASES[Release(int(self._columns["opt_release"]))]

    def row(self, kind: str, key: str | int) -> int:
        """The row of a kind ("body", "joint", "sensor"...) by name or number (negative: from the end).

        Raises:
            KeyError: no row of that name; the message lists similar names.
            IndexError: no row of that number.
        """
        return views.find(self.names[kind], self._index[kind], kind, key)

    def _view(self, view: Callable[[Model, int, str], V], kind: str, key: str | int) -> V:
        row = self.row(kind, key)
        return view(self, row, self.names[kind][row])

    def body(self, key: str | int) -> views.Body:
        """One body by name or number; raises like :meth:`row`."""
        return self._view(views.Body, "body", key)

    def joint(self, key: str | int) -> views.Joint:
        """One joint by name or number; raises like :meth:`row`."""
        row = self.row("joint", key)
        return views.Joint(self, row, self.names["joint"][row], self)

    def geom(self, key: str | int) -> views.Geom:
        """One geom by name or number; raises like :meth:`row`."""
        return self._view(views.Geom, "geom", key)

    def site(self, key: str | int) -> views.Site:
        """One site by name or number; raises like :meth:`row`."""
        return self._view(views.Site, "site", key)

    def camera(self, key: str | int) -> views.Camera:
        """One camera by name or number; raises like :meth:`row`."""
        return self._view(views.Camera, "camera", key)

    def light(self, key: str | int) -> views.Light:
        """One light by name or number; raises like :meth:`row`."""
        return self._view(views.Light, "light", key)

    def mesh(self, key: str | int) -> views.Mesh:
        """One mesh by name or number; raises like :meth:`row`."""
        return self._view(views.Mesh, "mesh", key)

    def skin(self, key: str | int) -> views.Skin:
        """One skin by name or number; raises like :meth:`row`."""
        return self._view(views.Skin, "skin", key)

    def hfield(self, key: str | int) -> views.HeightField:
        """One height field by name or number; raises like :meth:`row`."""
        return self._view(views.HeightField, "hfield", key)

    def texture(self, key: str | int) -> views.Texture:
        """One texture by name or number; raises like :meth:`row`."""
        return self._view(views.Texture, "texture", key)

    def material(self, key: str | int) -> views.Material:
        """One material by name or number; raises like :meth:`row`."""
        return self._view(views.Material, "material", key)

    def pair(self, key: str | int) -> views.Pair:
        """One pair by name or number; raises like :meth:`row`."""
        return self._view(views.Pair, "pair", key)

    def exclude(self, key: str | int) -> views.Exclude:
        """One exclude by name or number; raises like :meth:`row`."""
        return self._view(views.Exclude, "exclude", key)

    def equality(self, key: str | int) -> views.Equality:
        """One equality by name or number; raises like :meth:`row`."""
        return self._view(views.Equality, "equality", key)

    def tendon(self, key: str | int) -> views.Tendon:
        """One tendon by name or number; raises like :meth:`row`."""
        return self._view(views.Tendon, "tendon", key)

    def actuator(self, key: str | int) -> views.Actuator:
        """One actuator by name or number; raises like :meth:`row`."""
        row = self.row("actuator", key)
        return views.Actuator(self, row, self.names["actuator"][row], self)

    def sensor(self, key: str | int) -> views.Sensor:
        """One sensor by name or number; raises like :meth:`row`."""
        return self._view(views.Sensor, "sensor", key)

    def numeric(self, key: str | int) -> views.Numeric:
        """One numeric by name or number; raises like :meth:`row`."""
        return self._view(views.Numeric, "numeric", key)

    def text(self, key: str | int) -> views.Text:
        """One text by name or number; raises like :meth:`row`."""
        return self._view(views.Text, "text", key)

    def tuple(self, key: str | int) -> views.Tuple:
        """One tuple by name or number; raises like :meth:`row`."""
        return self._view(views.Tuple, "tuple", key)

    def key(self, key: str | int) -> views.Key:
        """One key by name or number; raises like :meth:`row`."""
        return self._view(views.Key, "key", key)

    # --- other Models -----------------------------------------------------------------------------

    def given(self) -> dict[str, NDArray[Any]]:
        """The given columns, from which everything else follows."""
        return {name: self._columns[name] for name in GIVEN}

    def replace(self, *, name: str | None = None, **columns: Any) -> Self:
        """A Model with other values of given columns: ``model.replace(opt_timestep=1e-3,
        opt_integrator="RK4")``.

        A dictionary changes the rows with these names or numbers only: ``model.replace(body_mass={"forearm":
        2}, dof_damping={"elbow": 0.1})``; of ``dof_*``, those of the joint. No other column changes: with a
        mass, also give the ``body_inertia``, kg m^2, if it should change with it.

        Raises:
            TypeError: no given column has that name, or its rows have no names.
            KeyError, IndexError: there is no such row.
            ModelError: the columns do not make a valid Model.
        """
        for column, value in columns.items():
            if column not in GIVEN:
                hint = did_you_mean(column, GIVEN)
                raise TypeError(f"{column!r} is not a column that can be given{f'; {hint}' if hint else ''}")
            if isinstance(value, Mapping):
                columns[column] = self._with_rows(column, value)
                continue
            codes = GIVEN[column].codes
            if codes is Release:
                columns[column] = _release(value)
            elif codes is not None and isinstance(value, str):
                if value not in codes.__members__:
                    raise TypeError(f"{column} must be one of {', '.join(codes.__members__)}, not {value!r}")
                columns[column] = codes[value]
        name = self.name if name is None else name
        known = not any(
            column in INTEGERS or np.shape(value) != self._columns[column].shape
            for column, value in columns.items()
        )
        every = self.given() | columns
        found = type(self)(every, self.names, name=name, places=self._places, _known=known)
        found._keep(self._late, {key for key in columns if not self._has(key, found._columns[key])})
        return found

    def _with_rows(self, column: str, rows: Mapping[str | int, Any]) -> NDArray[Any]:
        """A given column with other values of some rows."""
        axis = AXES[column]
        kind = "joint" if axis == "dof" else KINDS.get(axis)
        if kind is None:
            raise TypeError(f"the rows of {column} have no names; give all values")
        values = np.array(self._columns[column])
        for key, value in rows.items():
            row = self.row(kind, key)
            if axis == "dof":
                start = int(self.jnt_dofadr[row])
                values[start : start + JOINT_SIZES[JointType(int(self.jnt_type[row]))][1]] = value
            else:
                values[row] = value
        return values

    def _has(self, name: str, values: NDArray[Any]) -> bool:
        """Whether a given column has these values, compared bit by bit."""
        own = self._columns[name]
        return own is values or (own.shape == values.shape and own.tobytes() == values.tobytes())

    def _keep(self, late: Mapping[str, NDArray[Any]], changed: set[str]) -> None:
        """Copy the derived columns that do not depend on changed columns."""
        still = {name: array for name, array in late.items() if changed.isdisjoint(depends_on(name))}
        self._late.update(still)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        if self is other:
            return True
        return (self.name, self.names) == (other.name, other.names) and all(
            np.array_equal(self._columns[column], other._columns[column]) for column in GIVEN
        )

    def __hash__(self) -> int:
        return hash(
            (self.name, self.names["body"], self.names["joint"], self._columns["body_mass"].tobytes())
        )

    # --- files ------------------------------------------------------------------------------------

    def __reduce__(self) -> Reduced:
        facts = (dict(self.names), self.name, dict(self.places), SCHEMA_VERSION)
        return _restored, (self.given(), *facts, self._computed())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the Model to one file (a NumPy .npz without Python objects), with the derived columns that
        were computed."""
        facts = {"name": self.name, "names": dict(self.names)}
        npz.write(path, "model", self.given() | self._computed(), facts)

    def _computed(self) -> dict[str, NDArray[Any]]:
        """The columns that were computed with kernels so far."""
        return {name: array for name, array in self._late.items() if ROLES[name] == "computed"}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what :meth:`save` wrote.

        Raises:
            OSError: the file cannot be read.
            ModelError: it contains no Model, an invalid one, or one of another version of the schema.
        """
        columns, facts = npz.read(path, "model")
        late = {key: columns.pop(key) for key in tuple(columns) if ROLES.get(key) == "computed"}
        found = cls(columns, facts["names"], name=facts["name"])
        found._take(late)
        return found

    def _take(self, late: Mapping[str, NDArray[Any]]) -> None:
        """Copy columns that were computed elsewhere, after checking their shapes.

        Raises:
            ModelError: a shape is wrong.
        """
        for name, array in late.items():
            column = COMPUTED[name]
            shape = (*self._rows(AXES[name]), *column.shape)
            if array.shape != shape or array.dtype != column.dtype or np.isinf(array).any():
                raise ModelError(
                    [f"{name} is infinite, or does not have shape {shape} and type {column.dtype}"]
                )
        self._late.update({name: frozen(array) for name, array in late.items()})

    def _rows(self, axis: str) -> Sequence[int]:
        """The number of rows of an axis; no number where there is only one row."""
        if axis == "one":
            return ()
        return (len(self._columns[FIRST[axis]]) if axis in FIRST else int(self._column(f"n{axis}")),)

    def to_xml(self) -> str:
        """The Model as XML that validates against model.xsd: readable, and exact to the last digit."""
        from polybody.model import xml

        return xml.to_xml(self, self.names, self.name)

    @classmethod
    def from_xml(cls, text: str | bytes) -> Self:
        """The Model that :meth:`to_xml` wrote.

        Raises:
            ModelError: the text is not such XML (with the line), of another version of the schema, or an
                invalid Model.
        """
        from polybody.model import xml

        columns, names, name = xml.from_xml(text)
        return cls(columns, names, name=name)

    # --- caches ---------------------------------------------------------------------------------

    def _column(self, name: str) -> NDArray[Any]:
        if name in self._columns:
            return self._columns[name]
        if name not in self._late and name in EMPTY and not len(self._columns[PRESENT[AXES[name]]]):
            self._late[name] = EMPTY[name]
        elif name not in self._late:
            make = derivation(name).make
            found = make(self if ROLES[name] == "computed" else Columns(self))
            self._late.update({column: frozen(array) for column, array in found.items()})
        return self._late[name]

    def once(self, fact: str, find: Callable[..., V], *arguments: Any) -> V:
        """The result of ``find`` on the Model, computed on the first request under that name."""
        try:
            found: V = self._facts[fact]
        except KeyError:
            found = self._facts[fact] = find(*arguments)
        return found

    @property
    def columns(self) -> Mapping[str, NDArray[Any]]:
        """All columns by name that need no kernels, except those along the axis M; derived ones are computed
        on request.
        """
        return Columns(self)

    @property
    def kernel(self) -> Any:
        """The kernels' own copy of the columns, made on first use and shared by all simulations."""
        if self._kernel is None:
            kernel = self.kernel_to_complete()
            computed = [name for name in OF_KERNELS & kernel.arrays.keys() if kernel.rows[AXES[name]]]
            kernel.complete({name: self._column(name) for name in computed})
            object.__setattr__(self, "_kernel", kernel)
        return self._kernel

    def kernel_to_complete(self) -> Any:
        """The same. Columns that are computed with kernels may still be zeros; the kernels that compute them
        read none of these.
        """
        return self.once("kernel to complete", self._copied_for_kernels)

    def _copied_for_kernels(self) -> Any:
        from polybody.generated.kernels.dynamics import KernelModel
        from polybody.generated.kernels.layout import COUNTED, GIVEN

        names = {name for _, name in COUNTED}.union(name for name, *_ in GIVEN)
        return KernelModel({name: self._column(name) for name in names - OF_KERNELS}, OF_KERNELS)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Model is immutable; model.replace({name}=...) makes another")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a Model is immutable")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {self.nbody} bodies, {self.njnt} joints, nq {self.nq}, nv {self.nv}>"


def _unwritable(rows: Mapping[str, Sequence[str]]) -> Names:
    return MappingProxyType({kind: tuple(values) for kind, values in rows.items()})


class Columns(Mapping[str, NDArray[Any]]):
    """A Model's columns by name, except those that need kernels. Derived columns are computed on request."""

    __slots__ = ("_model",)

    def __init__(self, model: Model) -> None:
        self._model = model

    def __getitem__(self, name: str) -> NDArray[Any]:
        if ROLES.get(name, "computed") == "computed":
            raise KeyError(name)
        return self._model._column(name)

    def __iter__(self) -> Iterator[str]:
        return iter(EVERY)

    def __len__(self) -> int:
        return len(EVERY)


EVERY = tuple(name for name, role in ROLES.items() if role != "computed" and AXES[name] != "M")


PRESENT = {axis: NAMED[kind] for axis, kind in KINDS.items()} | {
    **dict.fromkeys(("wrap", "lever", "ten_J"), "wrap_type"),
    **dict.fromkeys(("flexvert", "flexcouple", "flexbend", "flexlever"), "flex_vert"),
    "flexedge": "flex_edge",
    "connection": "eq_type",
}
"""For axes that have no rows unless a given column has some, that column."""
EMPTY = {
    column.name: frozen(np.zeros((0, *map(int, column.shape)), column.dtype))
    for table in TABLES
    for column in table.columns
    if ROLES.get(column.name, "model") != "model" and table.axis in PRESENT
}
"""Columns along these axes that are not given, of Models in which they have no rows."""
OF_KERNELS = frozenset(name for name, role in ROLES.items() if role == "computed" and AXES[name] != "M")
"""Columns that kernels compute, some of which others read."""


def required(thing: object, user: str) -> None:
    """Check that what was passed is a Model.

    Raises:
        TypeError: it is something else; the message says how a Model is made.
    """
    if not isinstance(thing, Model):
        how = "polybody.load(path) makes one of a file, polybody.lower(document) of a document"
        raise TypeError(f"a {user} needs a Model, not {type(thing).__name__}; {how}")


def _release(value: Any) -> Any:
    """The code of a release as which Models are simulated; other numbers are examined with the columns."""
    if not isinstance(value, str):
        return value
    if value not in SIMULATED:
        known = " or ".join(SIMULATED)
        raise TypeError(f"opt_release must be {known}, which is simulated, not {value!r:.60}")
    return next(code for code, name in RELEASES.items() if name == value)


def _restored(
    columns: dict[str, NDArray[Any]],
    names: Names,
    name: str,
    places: Names,
    version: str | None = None,
    late: Mapping[str, NDArray[Any]] = MappingProxyType({}),
) -> Model:
    check_version("the pickled Model", version)
    found = Model(columns, names, name=name, places=places)
    found._take(late)
    return found
