"""From annotated XSD 1.1 to an immutable schema model.

``load(path)`` compiles, loads and analyses a schema; ``tables(schema)`` gives the columns of model.xsd,
``physics()`` the rows of physics.xml and ``contract()`` those of contract.xml. Errors are reported as
:class:`SchemaError` with file and line.
"""

from __future__ import annotations

from pathlib import Path

from .analyse import analyse
from .columns import tables
from .contract import Callback, Codes, Contract, Record, RecordField, contract
from .load import load_raw
from .model import Column, JointRow, Physics, Place, Row, Schema, SchemaError, ShapeRow
from .physics import physics
from .source import LONGEST, SCHEMAS, Read, read_file
from .types import Kind

__all__ = [
    "LONGEST",
    "SCHEMAS",
    "Callback",
    "Codes",
    "Column",
    "Contract",
    "JointRow",
    "Kind",
    "Physics",
    "Place",
    "Read",
    "Record",
    "RecordField",
    "Row",
    "Schema",
    "SchemaError",
    "ShapeRow",
    "contract",
    "load",
    "physics",
    "read_file",
    "tables",
]


def load(
    path: Path | str,
    vocabulary: Physics | None = None,
    root: str = "",
    read: Read = read_file,
    leaves: str = "",
) -> Schema:
    """Load a schema and run every pass on it.

    ``vocabulary`` resolves ``pb:sequence``; by default the physics.xml of polybody. ``root`` is the tag of
    the root element, if several global elements are possible. ``read`` reads the files of a schema that
    is not trusted. ``leaves`` is the value of ``pb:leaves`` for a schema that has none.

    Raises:
        SchemaError: the schema is not valid XSD 1.1, an annotation is unknown, or a pass finds an error.
    """
    try:
        return analyse(load_raw(Path(path), root, read, leaves), vocabulary or physics())
    except RecursionError:
        message = "declarations are nested too deeply; give the inner ones types of their own"
        raise SchemaError(Place(Path(path)), message) from None
