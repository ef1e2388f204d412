"""The passes of a raw schema model, in their order.

Each takes schema and physics vocabulary and returns a schema, or raises SchemaError.
"""

from __future__ import annotations

from collections.abc import Callable

from .linking import (
    check_case,
    check_status,
    declare_prefixes,
    fold_aliases,
    link_names,
    resolve_sequences,
)
from .model import Physics, Schema
from .naming import name_classes, name_enums, name_fields, name_sections

PASSES: tuple[Callable[[Schema, Physics], Schema], ...] = (
    check_status,  # of a format: everything says what polybody does with it, and nothing goes unread
    declare_prefixes,  # the roots can declare the prefixes that names are written with
    check_case,  # where case does not count, names differ in more than that
    fold_aliases,  # pb:aliasOf attributes become other spellings of the attribute they stand for
    resolve_sequences,  # pb:sequence against physics.xml; quantities become numbers
    link_names,  # rules, conditions, shapes, fills and references name things that exist
    name_sections,  # Python names of the schema's parts
    name_enums,  # Python names of enumerations and their members
    name_classes,  # ... of element classes
    name_fields,  # ... of their fields
)


def analyse(schema: Schema, physics: Physics) -> Schema:
    """Run every pass.

    Raises:
        SchemaError: at the first fault, with file, line and what to do.
    """
    for each in PASSES:
        schema = each(schema, physics)
    return schema
