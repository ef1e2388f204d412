"""The passes of a raw schema model, in their order.

Each takes schema and physics vocabulary and returns a schema, or raises SchemaError.
"""

from __future__ import annotations

from collections.abc import Callable

from .linking import (
    check_case,
    check_status,
    check_texts,
    declare_prefixes,
    fold_aliases,
    link_names,
    resolve_sequences,
)
from .model import Physics, Schema
from .naming import name_classes, name_enums, name_fields, name_sections
from .releases import check_releases

PASSES: tuple[Callable[[Schema, Physics], Schema], ...] = (
    check_status,  # in a format, everything has a status, and the tables can represent everything
    check_texts,  # ... and a text
    declare_prefixes,  # the roots can declare the prefixes of names
    check_case,  # without letter case, names must still differ
    fold_aliases,  # pb:aliasOf attributes become aliases of other attributes
    resolve_sequences,  # pb:sequence against physics.xml; quantities become numbers
    check_releases,  # what is dated names releases
    link_names,  # rules, conditions, shapes, fills and references refer to existing names
    name_sections,  # Python names of the schema's parts
    name_enums,  # Python names of enumerations and their members
    name_classes,  # ... of element classes
    name_fields,  # ... of their fields
)


def analyse(schema: Schema, physics: Physics) -> Schema:
    """Run every pass.

    Raises:
        SchemaError: at the first error, with file, line and advice.
    """
    for each in PASSES:
        schema = each(schema, physics)
    return schema
