"""From annotated XSD 1.1 to an immutable schema model.

``load(path)`` compiles, loads and analyses a schema; ``tables(schema)`` gives the columns of model.xsd and
``physics()`` the rows of physics.xml. Errors are reported as :class:`SchemaError` with file and line.
"""

from __future__ import annotations

from pathlib import Path

from .analyse import analyse
from .columns import tables
from .load import load_raw
from .model import Column, JointRow, Kind, Physics, Place, Row, Schema, SchemaError, ShapeRow
from .physics import physics
from .source import SCHEMAS

__all__ = [
    "SCHEMAS",
    "Column",
    "JointRow",
    "Kind",
    "Physics",
    "Place",
    "Row",
    "Schema",
    "SchemaError",
    "ShapeRow",
    "load",
    "physics",
    "tables",
]


def load(path: Path | str, vocabulary: Physics | None = None, root: str = "") -> Schema:
    """Load a schema and run every pass on it.

    ``vocabulary`` resolves ``pb:sequence``; by default the physics.xml of polybody. ``root`` is the tag of
    the root element, if several global elements are possible.

    Raises:
        SchemaError: the schema is not valid XSD 1.1, an annotation is unknown, or a pass finds an error.
    """
    try:
        return analyse(load_raw(Path(path), root), vocabulary or physics())
    except RecursionError:
        message = "declarations are nested too deeply; give the inner ones types of their own"
        raise SchemaError(Place(Path(path)), message) from None
