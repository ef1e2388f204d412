"""What tables are made of: a column holds one entry per row of its axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .value_classes import Value


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
