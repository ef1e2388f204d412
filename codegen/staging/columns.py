"""What tables are made of: a column holds one entry per row of its axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .value_classes import Value


@dataclass(frozen=True)
class Axis:
    """What rows are counted along; columns of model.xsd name theirs.

    Attributes:
        name: as in model.xsd.
        size: what C calls the number of rows, there pb:count.
        letter: what C calls the index of loops over the rows.
        counts: a given column with that many rows, or one that has their number; "" where that follows from
            others, see rows().
        type: of the number in C.
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
        Axis("actuator", "nu", "u", "actuator_trntype"),
        Axis("adhesion", "nadhesion", counts="nadhesion"),
        Axis("act", "na", "e", "na"),
        Axis("element", "nelement", "w", "element_type"),
        Axis("operation", "noperation", "n", "operation_type"),
        Axis("formula", "nformula", "h", "formula_operationid"),
        Axis("formula_J", "nJformula", "v", "formula_J_operationid"),
        Axis("sensor", "nsensor", "z", "sensor_type"),
        Axis("sensordata", "nsensordata", "n", "nsensordata"),
    )
}


def rows(columns: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, int]:
    """How many rows each axis has, from a model's given columns."""
    counted = {axis.name: count(columns.get(axis.counts)) for axis in AXES.values() if axis.counts}
    entries = int((columns["dof_depth"].astype(np.int64) + 1).sum())
    return counted | {"one": 1, "link": counted["jnt"] + 1, "M": entries}


def count(column: np.ndarray[Any, Any] | None) -> int:
    """How many rows a column has, or says that others have; none where there is no such column."""
    if column is None:
        return 0
    return int(column.item()) if column.ndim == 0 else len(column)


@dataclass(frozen=True)
class Column:
    """role: "model" is given, "prepared" follows from it once and for all, "data" changes in a simulation."""

    name: str
    axis: str
    type: Any  # "int", "long", "real" or a class of values
    role: str
    doc: str = ""

    @property
    def short(self) -> str:
        """Its name without prefixes; temporaries of C are called so."""
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
