"""The rows of a format's tables, which its reader, resolver, validator and writer use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

from polybody.base.node import Node, Untyped
from polybody.base.rules import Rule

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from polybody.base.frozen_rows import dataclass

UNBOUNDED = 2**31 - 1


class Kind(IntEnum):
    """The kind of a word of an attribute or text."""

    STRING = 0  # the whole text, unchanged, if the value is scalar; otherwise words
    REAL = 1
    INT = 2
    BOOL = 3  # true, false, 1, 0
    ENUM = 4


class Status(Enum):
    """What happens to an element or attribute after it was read."""

    SIMULATED = "simulated"
    PARSED = "parsed"  # kept in the document; the lowering reports it where it would matter
    LATER = "later"  # kept in the document; the lowering refuses it where it acts
    UNSUPPORTED = "unsupported"  # reported at every occurrence


@dataclass(frozen=True, slots=True)
class Value:
    """One lexical form: ``low`` to ``high`` words of a kind; a single one if ``scalar``, else a tuple."""

    kind: Kind
    low: int = 1
    high: int = 1
    scalar: bool = True
    enum: type[Enum] | None = None
    minimum: float | None = None
    maximum: float | None = None
    open: bool = False  # the bounds are exclusive
    finite: bool = True
    numbers: tuple[float, ...] = ()  # the only numbers that are allowed, if there are any
    bits: bool = False  # an integer that some readers also take in hexadecimal digits
    spelt_out: bool = False  # a boolean is `true` or `false`, neither 1 nor 0
    pattern: str | None = None  # regular expression that a string matches as a whole
    shortest: int = 0  # length of a string in characters, of binary data in octets
    longest: int = UNBOUNDED
    built_in: str = ""  # type of XML Schema whose rules a string follows: "date", "NMTOKEN"
    exact: bool = False  # keywords are compared with the whole text, white space included
    fixed: Any = None  # the only value that is allowed
    nonempty: bool = False  # a string of at least one character that is not white space
    collapsed: bool = False  # a string whose white space is one blank between words and none around them
    folds_case: bool = False  # words are compared without letter case
    others: Mapping[Enum, tuple[str, str]] = field(
        default_factory=dict, compare=False
    )  # keywords that only other releases have, with the first and the last of these


Period = tuple[str, str, tuple[Value, ...]]
"""The first and the last release in which an attribute has some forms, and these."""


@dataclass(frozen=True, slots=True)
class Change:
    """The forms and the default of an attribute from a release on."""

    since: str
    forms: tuple[Value, ...]
    default: Any = None
    notation: str = ""


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an element; ``forms`` are tried in order and its Python type is their union."""

    name: str
    field: str
    forms: tuple[Value, ...]
    required: bool = False  # in the text itself; "required after defaults" is the rule Required
    default: Any = None  # the schema's, as a Python value: given by the resolver, never stored in a node
    unit: str = ""
    aliases: tuple[str, ...] = ()  # other names that are accepted
    mistaken: tuple[str, ...] = ()  # common misspellings: errors that suggest this name
    declares: str | None = None  # the namespace in which the value is a new, unique name
    refers: tuple[str, ...] = ()  # the namespaces in which the value refers to a name
    file: str = ""  # the kind of file to which the value is a path
    status: Status = Status.SIMULATED
    since: str | None = None
    until: str | None = None
    changes: tuple[Change, ...] = ()  # in later releases, in their order
    elsewhere: tuple[Period, ...] = ()  # forms in other releases
    deprecated: str = ""  # what to write instead
    reason: str = ""  # why it is not simulated
    shape: str = ""  # number of values, if it is not constant: "3*nvert"
    notation: str = ""  # a default of such a length, as in the format's specification: "0 ..."
    leaf: bool = False  # not an attribute but a child that contains only text
    defaults_class: str = (
        ""  # it "declares" a defaults class, or gives the class of its "own" element or of all "below"
    )
    qualified: bool = False  # without a prefix in the tables, its name is in the format's namespace
    prefixed: bool = False  # its values are names whose prefixes the document declares


@dataclass(frozen=True, slots=True)
class Child:
    """A child element: its tag, the key of its Element row, the field that contains it, its number of
    occurrences.

    For elements without a schema, ``only`` lists the allowed namespaces ("" is none) if it is not empty, and
    ``but`` those that are not allowed.
    """

    tag: str
    element: str
    field: str
    low: int = 0
    high: int = 1
    merge: bool = False  # several form one: children are added, the last value of an attribute is used
    last: bool = False  # if the policy accepts several although one is allowed, the last one is used
    since: str | None = None
    until: str | None = None
    deprecated: str = ""  # what to write instead
    foreign: bool = False  # tags with a prefix that is not one of the format's
    qualified: bool = True  # without a prefix in the tables, its name is in the format's namespace
    only: tuple[str, ...] = ()
    but: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class One:
    """Part of a content model: an element with this tag ("*": any element without a schema), repeated."""

    tag: str
    low: int = 1
    high: int = 1


@dataclass(frozen=True, slots=True)
class Parts:
    """Part of a content model: all parts in this order, or one of them if it is a ``choice``, repeated."""

    parts: tuple[One | Parts, ...]
    choice: bool = False
    low: int = 1
    high: int = 1


Path = tuple[str, ...]
"""Steps of an XPath: "//" first for any depth, then names such as "{namespace}tag", "*" or "@attribute"."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """An identity constraint of an element: "unique", "key" or "keyref".

    ``selector`` gives alternative paths to the elements concerned; ``fields`` gives alternative paths for
    each of their values. A "keyref" ``refers`` to a "key" or "unique" by its name.
    """

    name: str
    kind: str
    selector: tuple[Path, ...]
    fields: tuple[tuple[Path, ...], ...]
    refers: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """The text of an element, stored in the field ``text``; ``forms`` and names are as for an attribute."""

    name: ClassVar[str] = "text()"
    field: ClassVar[str] = "text"
    aliases: ClassVar[tuple[str, ...]] = ()
    leaf: ClassVar[bool] = False
    defaults_class: ClassVar[str] = ""

    forms: tuple[Value, ...]
    required: bool = True
    default: Any = None
    unit: str = ""
    shape: str = ""  # number of values, if it is not constant: "9*n", or a quantity of the parent element
    declares: str | None = None
    refers: tuple[str, ...] = ()
    file: str = ""
    prefixed: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a format. ``key`` is its canonical path, in which a recursive element occurs once."""

    key: str
    tag: str
    cls: type[Node]
    attributes: tuple[Attribute, ...] = ()
    children: tuple[Child, ...] = ()
    text: Text | None = None
    ordered: bool = False
    rules: tuple[Rule, ...] = ()
    status: Status = Status.SIMULATED
    reason: str = ""  # why it is not simulated
    keeps: bool = False  # attributes with a prefix that is not one of the format's, in the field `attributes`
    newer: Mapping[str, str] = field(
        default_factory=dict
    )  # names that later versions have here, with these versions
    former: Mapping[str, str] = field(
        default_factory=dict
    )  # names that only earlier releases have here, with the last of these
    absent: tuple[Attribute | Child, ...] = ()  # the rows of names that only other releases have
    wild_when: str = ""  # the attribute without which elements without a schema are not allowed
    wraps: bool = False  # it allows the children of its parent, and is replaced by them when read
    include: str = ""  # it includes another file: "splice", its root's children; "load", the document
    content: Parts | One | None = (
        None  # the order of its children, if numbers of occurrences alone do not define it
    )
    constraints: tuple[Constraint, ...] = ()


@dataclass(frozen=True, slots=True)
class Primitive:
    """One primitive joint of a joint type; ``axis`` is None if the document or a random draw gives it."""

    joint: str  # its name in the physics vocabulary
    axis: tuple[float, float, float] | None = None
    nq: int = 1
    nv: int = 1


@dataclass(frozen=True, slots=True)
class Defaults:
    """Attributes on the element ``source`` are defaults of every element ``target``."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Note:
    """A decision about the format and its reason, for some paths."""

    on: tuple[str, ...]
    text: str


ANYTHING = Child("*", "*", "elements", high=UNBOUNDED)
"""The child row of an element for elements without a schema."""

FOREIGN = Child("*", "*", "elements", high=UNBOUNDED, foreign=True)
"""The child row of an element for elements of other namespaces."""

UNTYPED = Element("*", "*", Untyped, children=(ANYTHING,))
"""The row of elements without a schema."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Format:
    """Everything the reader, resolver, validator and writer know of a format.

    ``builtin`` are names that exist without being declared; ``prefixes`` those used in names, with their
    namespaces; ``templates`` the prefixes of template languages, with advice about them; ``every_path``
    whether listings show an element at every place where it can occur; ``notes`` the decisions behind the
    schema; and ``unread`` content of the schema that the reader does not enforce.
    """

    name: str
    version: str
    root: str  # key of the root's Element; if there are several, of the usual one
    elements: Mapping[str, Element]
    roots: tuple[str, ...] = ()  # the others with which a document can begin
    defaults: tuple[Defaults, ...] = ()
    namespaces: tuple[str, ...] = ()
    enums: Mapping[str, type[Enum]] = field(default_factory=dict)
    sequences: Mapping[Enum, tuple[Primitive, ...]] = field(default_factory=dict)  # of joint types
    builtin: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    version_in: str = ""  # the attribute of the root that gives the version of a document
    oldest: str = ""  # the oldest version that is read
    releases: tuple[str, ...] = ()  # those as one of which a document is read, oldest first
    keywords: tuple[tuple[Enum, tuple[str, str]], ...] = ()  # of some releases: the first and the last
    whole: Format | None = None  # the tables of all releases, of which these are one
    prefixes: Mapping[str, str] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)
    foreign: Mapping[str, str] = field(
        default_factory=dict
    )  # extensions of files that are not read, with what those are
    elsewhere: str = ""  # an environment variable with further folders for files
    every_path: bool = False
    ignores_text: bool = False  # in elements that do not allow it
    skips_document_type: bool = False  # that of a document, if it has no content, is not read
    ignores_namespace: bool = False  # the default one, which a document may declare
    qualified: bool = False  # names are compared by their namespaces, not by their prefixes
    namespace: str = ""  # of names without a prefix in the tables
    prefix: str = ""  # usual prefix of that namespace, for names that need one
    constrained: bool = False  # some elements have identity constraints
    folds_case: bool = False  # tags and names of attributes are compared without letter case
    status: Status = Status.SIMULATED  # default status, and the reason why it is not simulated
    reason: str = ""
    notes: tuple[Note, ...] = ()
    unread: tuple[str, ...] = ()

    def joint_size(self, kind: Enum) -> tuple[int, int]:
        """The numbers of coordinates and of velocities of a joint type, nq and nv."""
        sequence = self.sequences[kind]
        return sum(primitive.nq for primitive in sequence), sum(primitive.nv for primitive in sequence)

    def __repr__(self) -> str:
        version = f" {self.version}" if self.version else ""
        return f"<Format {self.name}{version}: {len(self.elements)} kinds of elements>"
