"""Numbers, texts and tuples of objects that a format stores in a Model by name: their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from polybody.assembly.columns import DOUBLE, INTEGER, Columns, starts
from polybody.generated.model import ObjectType


@dataclass(frozen=True, slots=True, eq=False)
class Numeric:
    """Numbers with a name."""

    name: str
    data: Sequence[float]


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A text with a name."""

    name: str
    data: str


@dataclass(frozen=True, slots=True, eq=False)
class Tuple:
    """Parts of an assembly with a name, and a number for each."""

    name: str
    objects: Sequence[tuple[ObjectType, Any, float]]


def custom_columns(
    numerics: Sequence[Numeric], texts: Sequence[Text], tuples: Sequence[Tuple], rows: Mapping[Any, int]
) -> Columns:
    """The columns of all three; ``rows`` gives the row of each object."""
    written = [text.data.encode() + b"\0" for text in texts]
    objects = [each for row in tuples for each in row.objects]
    columns: Columns = {
        "numeric_data": np.array([number for row in numerics for number in row.data], dtype=DOUBLE),
        "text_data": np.frombuffer(b"".join(written), dtype=np.uint8).copy(),
        "tuple_objtype": np.array([int(kind) for kind, _, _ in objects], dtype=INTEGER),
        "tuple_objid": np.array([rows[part] for _, part, _ in objects], dtype=INTEGER),
        "tuple_objprm": np.array([number for _, _, number in objects], dtype=DOUBLE),
    }
    sizes = {
        "numeric": [len(row.data) for row in numerics],
        "text": [len(text) for text in written],
        "tuple": [len(row.objects) for row in tuples],
    }
    for kind, counts in sizes.items():
        columns[f"{kind}_adr"] = starts(counts)
        columns[f"{kind}_size"] = np.array(counts, dtype=INTEGER)
    return columns
