"""The columns of tables, with one entry per row of an axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .value_classes import Value


@dataclass(frozen=True)
class Axis:
    """A kind of rows; columns of model.xsd name theirs.

    Attributes:
        name: as in model.xsd.
        size: the name of the number of rows in C, pb:count there.
        letter: the name of the index of loops over the rows in C.
        counts: a given column with that many rows, or one that contains their number; "" if it is derived
            from others, see rows().
        type: of the number of rows in C.
    """

    name: str
    size: str
    letter: str = ""
    counts: str = ""
    type: str = "int"


AXES = {
    axis.name: axis
    for axis in (
        Axis("one", "1"),
        Axis("body", "nbody", "b", "body_parentid"),
        Axis("jnt", "njnt", "j", "jnt_type"),
        Axis("link", "nlink", "k"),
        Axis("q", "nq", "a", "qpos_spring"),
        Axis("dof", "nv", "i", "dof_parentid"),
        Axis("M", "nM", type="int64_t"),
        Axis("geom", "ngeom", "g", "geom_bodyid"),
        Axis("site", "nsite", "s", "site_bodyid"),
        Axis("cam", "ncam", "c", "cam_bodyid"),
        Axis("light", "nlight", "l", "light_bodyid"),
        Axis("mocap", "nmocap", counts="nmocap"),
        Axis("tendon", "ntendon", "f", "tendon_rowadr"),
        Axis("wrap", "nwrap", "p", "wrap_type"),
        Axis("ten_J", "nJten", "y", "ten_J_colind"),
        Axis("lever", "nlever", "o", "lever_dof"),
        Axis("flexvert", "nflexvert", "x", "flex_vertbodyid"),
        Axis("flexedge", "nflexedge", "h", "flexedge_first"),
        Axis("flexcouple", "nflexcouple", "r", "flexcouple_edge"),
        Axis("flexbend", "nflexbend", "s", "flexbend_vertex"),
        Axis("flexlever", "nflexlever", "q", "flexlever_dof"),
        Axis("actuator", "nactuator", "u", "actuator_trntype"),
        Axis("out", "nout", "o", "nout"),
        Axis("ctrl", "nu", "c", "nu"),
        Axis("plastic", "nplastic", "p", "nplastic"),
        Axis("adhesion", "nadhesion", counts="nadhesion"),
        Axis("act", "na", "e", "na"),
        Axis("element", "nelement", "w", "element_type"),
        Axis("connection", "nconnection", "e", "connection_body1id"),
        Axis("operation", "noperation", "n", "operation_type"),
        Axis("formula", "nformula", "h", "formula_operationid"),
        Axis("formula_J", "nJformula", "v", "formula_J_operationid"),
        Axis("history", "nhistory", counts="nhistory"),
        Axis("sensor", "nsensor", "z", "sensor_type"),
        Axis("sensordata", "nsensordata", "n", "nsensordata"),
    )
}


def rows(columns: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, int]:
    """The number of rows of each axis, from a model's given columns."""
    counted = {axis.name: count(columns.get(axis.counts)) for axis in AXES.values() if axis.counts}
    entries = int((columns["dof_depth"].astype(np.int64) + 1).sum())
    return counted | {"one": 1, "link": counted["jnt"] + 1, "M": entries}


def count(column: np.ndarray[Any, Any] | None) -> int:
    """The number of rows of a column, or the number that it contains; 0 if there is no such column."""
    if column is None:
        return 0
    return int(column.item()) if column.ndim == 0 else len(column)


@dataclass(frozen=True)
class Column:
    """role: "model" columns are given, "prepared" ones are derived from them once, "data" ones change in a
    simulation.
    """

    name: str
    axis: str
    type: Any  # "int", "long", "real" or a class of values
    role: str
    doc: str = ""

    @property
    def short(self) -> str:
        """Its name without prefixes, used for temporaries in C."""
        return self.name.rpartition("_")[2]

    @property
    def size(self) -> int:
        return self.type.size if isinstance(self.type, type) and issubclass(self.type, Value) else 1

    @property
    def constant(self) -> bool:
        return self.role in ("model", "prepared")

    @property
    def integer(self) -> bool:
        return self.type in ("int", "long")
