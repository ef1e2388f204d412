"""The schema model: the content of an annotated XSD, immutable, with positions in the schema.

The loader creates it, the passes of :mod:`.analyse` complete it, and contexts are built from it. It is
independent of XML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from .types import NOTHING, UNBOUNDED, Form, Kind, Meaning, Type

if TYPE_CHECKING:
    from .rules import Rule


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a schema; line 0 if it is unknown."""

    path: Path
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else str(self.path)

    def at(self, line: int) -> Place:
        return Place(self.path, line)


class SchemaError(Exception):
    """An error in a schema; its message gives file, line and advice."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place


def listed(names: Sequence[str], most: int = 10) -> str:
    """Names in a message: the first ones, and how many there are besides."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


@dataclass(frozen=True, slots=True)
class Primitive:
    """One joint of a sequence: the row of physics.xml, and its axis ("x", "y", "z") if that is fixed."""

    name: str
    axis: str = ""
    nq: int = 1  # these two are filled by a pass
    nv: int = 1


@dataclass(frozen=True, slots=True)
class Member:
    """One keyword."""

    value: str
    doc: str
    place: Place
    name: str = ""  # of the Python enum member; filled by a pass
    code: int | None = None
    sequence: tuple[Primitive, ...] | None = None
    counted: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # as written: "3", "nq"
    quantities: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))  # filled by a pass
    deprecated: str = ""
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Enumeration:
    """A named set of keywords."""

    name: str
    members: tuple[Member, ...]
    doc: str
    place: Place
    section: str = ""  # the part of the schema that defines it
    label: str = ""  # base of the name of its Python class

    def member(self, value: str) -> Member | None:
        return next((member for member in self.members if member.value == value), None)


@dataclass(frozen=True, slots=True)
class Status:
    """Status of an element or attribute: "simulated", "parsed", "later" or "unsupported", and the reason."""

    level: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """Type and default of an attribute from a release on, whichever of them changes."""

    since: str
    type: Type
    default: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute, or an element's text (named "text"). Type and default are those of the first release that
    has it; ``changes`` are in the order of releases.
    """

    name: str
    type: Type
    doc: str
    place: Place
    required: bool = False
    default: str | None = None
    meaning: Meaning = NOTHING
    status: Status | None = None
    aliases: tuple[str, ...] = ()
    alias_of: str = ""
    mistaken: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    changes: tuple[Change, ...] = ()
    deprecated: str = ""
    stage: str = ""
    read: tuple[str, ...] = ()
    group: str = ""  # the attribute group that declares it
    leaf: bool = False  # not an attribute but a child that has only text
    example: tuple[str, ...] = ()  # what the example of a leaf shows in addition
    qualified: bool = False  # its name is in the target namespace, though it has no prefix here
    field: str = ""  # of the Python class; filled by a pass

    @property
    def forms(self) -> tuple[Form, ...]:
        """The lexical forms of its type."""
        return self.type.forms

    @property
    def every_form(self) -> tuple[Form, ...]:
        """The lexical forms of its types in all releases."""
        later = (form for change in self.changes for form in change.type.forms)
        return tuple(dict.fromkeys([*self.type.forms, *later]))

    @property
    def default_varies(self) -> bool:
        """Whether its default has the length of the value, as ``0 ...``."""
        return self.default is not None and "..." in self.default

    @property
    def enum(self) -> str:
        """The enumeration of its keywords, "" if it takes none."""
        return next((form.enum for form in self.forms if form.kind is Kind.ENUM), "")


@dataclass(frozen=True, slots=True)
class Child:
    """A child element: ``element`` is the key of its definition."""

    tag: str
    element: str
    place: Place
    low: int = 0
    high: int = UNBOUNDED
    merge: bool = False  # several elements are merged into one
    last: bool = False  # of several elements, although one is allowed, the last is used
    since: str = ""
    until: str = ""
    deprecated: str = ""
    qualified: bool = True  # its tag is in the target namespace, if there is one and it has no prefix here
    home: bool = False  # examples show the element here, even if it can occur elsewhere
    field: str = ""  # of the Python class; filled by a pass


@dataclass(frozen=True, slots=True)
class Content:
    """A part of a content model: an element with a ``tag``, or ``parts``, one of them in a choice."""

    tag: str = ""
    parts: tuple[Content, ...] = ()
    choice: bool = False
    low: int = 1
    high: int = 1


@dataclass(frozen=True, slots=True)
class Wildcard:
    """Elements without a declaration: of ``only`` these namespaces, if not empty, or of all ``but`` these."""

    only: tuple[str, ...] = ()
    but: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Constraint:
    """An identity constraint: its ``kind`` is "key", "unique" or "keyref"; paths are tuples of steps."""

    name: str
    kind: str
    selector: tuple[tuple[str, ...], ...]
    fields: tuple[tuple[tuple[str, ...], ...], ...]
    refers: str
    place: Place


@dataclass(frozen=True, slots=True)
class Element:
    """An element definition. Its key is its type's name, or a path if the type is anonymous: see
    :mod:`.keys`.
    """

    key: str
    tag: str
    type_name: str
    doc: str
    place: Place
    section: str = ""  # the part of the schema that defines it; "" if the schema has no parts
    attributes: tuple[Attribute, ...] = ()
    children: tuple[Child, ...] = ()
    text: Attribute | None = None
    rules: tuple[Rule, ...] = ()
    status: Status | None = None
    ordered: bool = False
    fills: tuple[str, ...] = ()
    wraps: bool = False
    include: str = ""
    wild: bool = False  # it may contain undeclared children
    foreign: bool = False  # ... only of namespaces that the schema does not use
    keeps: bool = False  # attributes of such namespaces are kept
    wild_when: str = ""  # ... if this attribute is given
    wildcard: Wildcard = Wildcard()  # the namespaces of undeclared children
    content: Content | None = None  # the order of its children, if it is not arbitrary
    constraints: tuple[Constraint, ...] = ()
    untyped: bool = False  # its attributes and text are undeclared as well
    deprecated: str = ""
    axis: str = ""
    prefix: str = ""
    count: str = ""
    stage: str = ""
    example: tuple[str, ...] = ()  # what its example shows in addition to what it requires
    cls: str = ""  # Python class; filled by a pass

    @property
    def values(self) -> tuple[Attribute, ...]:
        """Its attributes, and its text if it has one."""
        return self.attributes if self.text is None else (*self.attributes, self.text)


@dataclass(frozen=True, slots=True)
class Note:
    """A decision and its reason, on paths of elements and attributes."""

    on: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Schema:
    """A whole schema. ``roots`` are keys, the usual one first; ``marked_roots``: the schema marks them.
    ``unread`` are the constraints that the generated reader does not enforce.

    ``files`` are the names of its files. ``prefixes`` are the namespaces of names with a prefix, by prefix.
    ``templates`` are prefixes of template languages, each with advice.
    """

    format: str
    version: str
    doc: str
    place: Place
    roots: tuple[str, ...]
    elements: tuple[Element, ...]
    enums: tuple[Enumeration, ...]
    annotated: bool
    marked_roots: bool = False
    fold_case: bool = False
    version_in: str = ""  # the root's attribute with the version of a document
    oldest: str = ""  # oldest version whose documents are read
    releases: tuple[str, ...] = ()  # of a format whose documents do not state their version, oldest first
    ignores_text: bool = False  # in elements without text
    ignores_namespace: bool = False  # the default one, which a document may declare
    qualified: bool = False  # names are compared by their namespaces
    namespace: str = ""  # the target namespace, if names are qualified
    prefix: str = ""  # of that namespace
    every_path: bool = False
    status: Status | None = None  # of everything without a status
    unread: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    prefixes: tuple[tuple[str, str], ...] = ()
    notes: tuple[Note, ...] = ()
    templates: tuple[tuple[str, str], ...] = ()
    foreign: tuple[tuple[str, str], ...] = ()  # extensions of files that are not read, and their kinds
    elsewhere: str = ""  # the environment variable with further folders for files

    @property
    def sections(self) -> tuple[str, ...]:
        """The parts that define elements or enumerations, in order; empty if the schema is a single file."""
        found = [*(element.section for element in self.elements), *(enum.section for enum in self.enums)]
        return tuple(dict.fromkeys(found)) if any(found) else ()

    def element(self, key: str) -> Element:
        return next(element for element in self.elements if element.key == key)

    def enum(self, name: str) -> Enumeration:
        return next(enum for enum in self.enums if enum.name == name)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the canonical model or of its state.

    ``shape`` is that of one row: () a number, (3,) a vector, (3, 3) a matrix in row-major order; ("nq",) and
    ("3*nmocap",) depend on sizes of the Model, ("nuser_geom",) has the width of the given array. ``value``
    names the value class of the numbers ("": a plain number), ``index`` the axis of row indices, or, with
    ``first``, the axis of as many rows from the one in that column on; ``values`` are the allowed numbers,
    ``vocabulary`` the table of physics.xml or ``enum`` the enumeration of codes. ``read`` says what reads it
    beside the kernels. ``bits`` follow from the maximum of the type: 8, 32 or 64 for an integer, 32 or 64 for
    a real number. Kernels may read what an earlier call has left in a ``kept`` column; a number that
    ``signals`` axes is not 0 if one of them has rows.
    """

    name: str
    axis: str
    kind: Kind
    bits: int
    shape: tuple[int | str, ...]
    value: str
    role: str
    stage: str
    read: tuple[str, ...]
    unit: str
    doc: str
    default: str | None
    index: str
    first: str
    values: tuple[int, ...]
    vocabulary: str
    enum: str
    kept: bool
    signals: tuple[str, ...]
    owner: str  # "model" or "data": the root it is under
    place: Place


@dataclass(frozen=True, slots=True)
class JointRow:
    """A primitive joint. ``dimension`` tells which velocities are a "length" and which an "angle" per
    second.
    """

    name: str
    code: int
    nq: int
    nv: int
    cls: str
    dimension: tuple[str, ...]
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """A shape. ``inertia`` names the function for its volume and inertia; "" if it has no mass."""

    name: str
    code: int
    size: int
    inertia: str
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class Row:
    """A row that has only a name and a code."""

    name: str
    code: int
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class Physics:
    """The physics vocabulary, in the order of the file."""

    joints: tuple[JointRow, ...]
    shapes: tuple[ShapeRow, ...]
    actuators: tuple[Row, ...]
    sensors: tuple[Row, ...]

    def joint(self, name: str) -> JointRow | None:
        return next((row for row in self.joints if row.name == name), None)
