"""The foundation of generated code: document nodes, source positions, and the rows of reader tables.

It imports nothing else of the project.

annotated       dataclasses whose annotations are texts, made faster than `dataclasses` does
children        the children of document nodes: one list of all of them, in the document's order, and one
                view per field
copies          copies of a C struct that holds the addresses of columns, with memory of their own for some
                of these
fields          fast access to an attribute of many objects that are mostly of one class
frozen_rows     frozen dataclasses with slots that share their methods
kernel_columns  columns for the kernels: aligned memory, private copies, and the checks before a kernel may
                read them
markup          tags in a text, well-formed or not
node            elements of documents
node_classes    classes of nodes: dataclasses whose constructors are compiled when the first instance is made
                by one
releases        one release of a format whose tables describe several
rows            the rows of a format's tables, which its reader, resolver, validator and writer use
rules           the rules between values of an element, as rows of its tables
slotted         classes whose fields are all slots: a fast constructor, and slots that are None until they
                are set
written         the attributes written on an element: its fields that are not None, read from the slots of
                its class
"""

from polybody.base.children import children_of, fields_held, held
from polybody.base.node import Node, Released, Untyped, release_named
from polybody.base.releases import at_release
from polybody.base.rows import (
    ANYTHING,
    FOREIGN,
    UNBOUNDED,
    UNTYPED,
    Attribute,
    Change,
    Child,
    Constraint,
    Defaults,
    Element,
    Format,
    Kind,
    Note,
    One,
    Parts,
    Primitive,
    Status,
    Text,
    Value,
)
from polybody.base.rules import (
    TEXT_OF,
    Ascending,
    Default,
    Deprecated,
    Differ,
    During,
    Exclusive,
    Graph,
    Ignored,
    Increasing,
    Inertia,
    InOrder,
    Length,
    Multiple,
    Nonzero,
    OneOf,
    Required,
    Requires,
    Rule,
    Together,
    UnitQuaternion,
    When,
)
from polybody.base.source import COLUMN_BITS, COLUMN_MASK, Source, Span

__all__ = [
    "ANYTHING",
    "COLUMN_BITS",
    "COLUMN_MASK",
    "FOREIGN",
    "TEXT_OF",
    "UNBOUNDED",
    "UNTYPED",
    "Ascending",
    "Attribute",
    "Change",
    "Child",
    "Constraint",
    "Default",
    "Defaults",
    "Deprecated",
    "Differ",
    "During",
    "Element",
    "Exclusive",
    "Format",
    "Graph",
    "Ignored",
    "InOrder",
    "Increasing",
    "Inertia",
    "Kind",
    "Length",
    "Multiple",
    "Node",
    "Nonzero",
    "Note",
    "One",
    "OneOf",
    "Parts",
    "Primitive",
    "Released",
    "Required",
    "Requires",
    "Rule",
    "Source",
    "Span",
    "Status",
    "Text",
    "Together",
    "UnitQuaternion",
    "Untyped",
    "Value",
    "When",
    "at_release",
    "children_of",
    "fields_held",
    "held",
    "release_named",
]
