"""From annotated XSD 1.1 to an immutable schema model.

``load(path)`` compiles, loads and analyses a schema; ``tables(schema)`` gives the columns of model.xsd,
``physics()`` the rows of physics.xml and ``contract()`` those of contract.xml. Errors are reported as
:class:`SchemaError` with file and line.

analyse         the passes of a raw schema model, in their order
annotations     the pb: vocabulary: which annotations are allowed where, and their decoding; attributes are
                declared in annotations.xsd, rules in rules
content         order of children and unique values in XSD: content models, identity constraints
diff            changes in meaning from one schema to another, and which of them break users of the
                generated code
keys            keys of elements
lexical_forms   simple types as lexical forms of attributes and texts
linking         passes that resolve names in a schema
naming          passes that assign Python names
patterns        converts regular expressions of XSD to those of Python
places          where elements can occur in documents
releases        one release of a format whose schema describes several
renames         renamed parts of a schema: declared by the new schema, or equal except for the name
rules           the rules between values: a class for each kind of rule, which is all that the generator knows
                of it
shapes          how many numbers a value has, where its type alone does not say it: ``pb:shape``, parsed once
slots           the names in rules: what of an element a rule is about
source          XML files as trees with line numbers, and as XSD 1.1 schemas
types           simple types: what a value may look like and what it means
"""

from __future__ import annotations

from pathlib import Path

from .analyse import analyse
from .columns import tables
from .contract import Callback, Codes, Contract, Record, RecordField, contract
from .load import load_raw
from .model import Column, JointRow, Physics, Place, Row, Schema, SchemaError, ShapeRow
from .physics import physics
from .releases import at_release
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
    "at_release",
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
