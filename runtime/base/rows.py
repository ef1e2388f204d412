"""The rows of a format's tables: what its reader, resolver, validator and writer know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any, ClassVar

from polybody.base.node import Node, Untyped

UNBOUNDED = 2**31 - 1


class Kind(IntEnum):
    """What one word of an attribute or a text is."""

    STRING = 0  # the whole text, unchanged, if the value is scalar; otherwise words
    REAL = 1
    INT = 2
    BOOL = 3  # true, false, 1, 0
    ENUM = 4


class Status(Enum):
    """What becomes of an element or attribute after it was read."""

    SIMULATED = "simulated"
    PARSED = "parsed"  # kept in the document; lowering says so where it would matter
    UNSUPPORTED = "unsupported"  # a finding at every occurrence


@dataclass(frozen=True, slots=True)
class Value:
    """One lexical form: ``low`` to ``high`` words of a kind, a single one where ``scalar``, else a tuple."""

    kind: Kind
    low: int = 1
    high: int = 1
    scalar: bool = True
    enum: type[Enum] | None = None
    minimum: float | None = None
    maximum: float | None = None
    open: bool = False  # the bounds themselves are outside
    finite: bool = True
    pattern: str | None = None  # regular expression that a string matches as a whole
    nonempty: bool = False  # a string of at least one character that is not white space
    collapsed: bool = False  # a string whose white space is one blank between words and none around them
    folds_case: bool = False  # words are compared without their case


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an element; ``forms`` are tried in order and its Python type is their union."""

    name: str
    field: str
    forms: tuple[Value, ...]
    required: bool = False  # in the text itself; "required after defaults" is the rule Required
    default: Any = None  # the schema's, as a Python value: the resolver gives it, it is never put into a node
    unit: str = ""
    aliases: tuple[str, ...] = ()  # other names that are accepted and read as this one
    mistaken: tuple[str, ...] = ()  # names often written for this one: errors that suggest it
    declares: str | None = None  # the namespace in which the value is a new, unique name
    refers: tuple[str, ...] = ()  # the namespaces in one of which the value names something
    file: str = ""  # the kind of file that the value is a path to
    status: Status = Status.SIMULATED
    since: str | None = None
    until: str | None = None
    deprecated: str = ""  # what to write instead
    reason: str = ""  # why it is not simulated
    shape: str = ""  # how many numbers, where that is no constant: "3*nvert"
    notation: str = ""  # a default of such a length, as the format's document writes it: "0 ..."
    leaf: bool = False  # not an attribute but a child that is a text alone
    defaults_class: str = ""  # it "declares" a defaults class, or names that of its "own" or of all "below"
    qualified: bool = False  # without a prefix in the tables, its name is in the format's namespace
    prefixed: bool = False  # its values are names whose prefixes the document declares


@dataclass(frozen=True, slots=True)
class Child:
    """A child element: its tag, the key of its Element row, the field that holds it, how often it occurs.

    Of elements that no schema describes, ``only`` lists the namespaces that are allowed ("" is none), where
    it is not empty, and ``but`` those that are not.
    """

    tag: str
    element: str
    field: str
    low: int = 0
    high: int = 1
    merge: bool = False  # several of them are one: children add up, of an attribute the last counts
    since: str | None = None
    until: str | None = None
    deprecated: str = ""  # what to write instead
    foreign: bool = False  # tags with a prefix that is none of the format's
    qualified: bool = True  # without a prefix in the tables, its name is in the format's namespace
    only: tuple[str, ...] = ()
    but: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class One:
    """Part of a content model: an element with this tag ("*": one that no schema describes), repeated."""

    tag: str
    low: int = 1
    high: int = 1


@dataclass(frozen=True, slots=True)
class Parts:
    """Part of a content model: all parts in this order, or one of them where it is a ``choice``, repeated."""

    parts: tuple[One | Parts, ...]
    choice: bool = False
    low: int = 1
    high: int = 1


Path = tuple[str, ...]
"""Steps of an XPath: "//" first for any depth, then names such as "{namespace}tag", "*" or "@attribute"."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """An identity constraint of an element: "unique", "key" or "keyref".

    ``selector`` gives alternative paths to the elements that it is about, ``fields`` for each of their values
    alternative paths. A "keyref" ``refers`` to a "key" or "unique" by its name.
    """

    name: str
    kind: str
    selector: tuple[Path, ...]
    fields: tuple[tuple[Path, ...], ...]
    refers: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """The text of an element, kept in the field ``text``; ``forms`` and names as those of an attribute."""

    name: ClassVar[str] = "text()"
    field: ClassVar[str] = "text"
    aliases: ClassVar[tuple[str, ...]] = ()
    leaf: ClassVar[bool] = False
    defaults_class: ClassVar[str] = ""

    forms: tuple[Value, ...]
    required: bool = True
    default: Any = None
    unit: str = ""
    shape: str = (
        ""  # how many values, where that is no constant: "9*n", or the quantity of the element around
    )
    declares: str | None = None
    refers: tuple[str, ...] = ()
    file: str = ""
    prefixed: bool = False


# Rules name what they are about: an attribute of the element, a child by its tag (given where there is one),
# or an attribute or the text of a child: `pos`, `limit`, `axis/@xyz`, `mass/text()`.

TEXT_OF = "/text()"


@dataclass(frozen=True, slots=True)
class When:
    """True where an attribute's effective value is among some; without values, where it is given at all."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Exclusive:
    """At most one of these attributes, written or from defaults; ``written``: on the element itself."""

    names: tuple[str, ...]
    written: bool = False


@dataclass(frozen=True, slots=True)
class Together:
    """All of these attributes or none."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """At least one of these attributes."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Requires:
    """Where one attribute is given, the others must be."""

    name: str
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Required:
    """An attribute must be given, written or from defaults, where ``when`` and not ``unless`` holds.

    Where it is only ``advised``, some readers demand it and others take the default.
    """

    name: str
    unless: When | None = None
    advised: bool = False
    when: When | None = None


@dataclass(frozen=True, slots=True)
class Length:
    """How many values an attribute has, by the effective value of another: member -> (least, most)."""

    name: str
    by: str
    sizes: Mapping[Any, tuple[int, int]]
    quantity: str = ""  # what the format calls that number


@dataclass(frozen=True, slots=True)
class Default:
    """The schema's default of an attribute, by the effective value of another: member -> value."""

    name: str
    by: str
    values: Mapping[Any, Any]
    notation: str = ""  # how the format's document writes it, as in "0 ..."


@dataclass(frozen=True, slots=True)
class Ascending:
    """Each component of ``low`` is at most that of ``high``."""

    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Differ:
    """Two attributes must not be equal."""

    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Increasing:
    """No number of an attribute is below the one before it."""

    name: str


@dataclass(frozen=True, slots=True)
class Multiple:
    """How many numbers an attribute has is a multiple of a factor."""

    name: str
    factor: int


@dataclass(frozen=True, slots=True)
class UnitQuaternion:
    """Four components of an attribute, from ``start`` in this ``order``, have norm 1 within a tolerance.

    A norm of zero is an error always; another norm is a warning where the value is ``normalised`` when used,
    else an error.
    """

    name: str
    tolerance: float
    start: int = 0
    order: str = "wxyz"
    normalised: bool = True
    when: When | None = None


@dataclass(frozen=True, slots=True)
class Ignored:
    """These attributes, where written on the element itself, have no effect while ``when`` holds."""

    names: tuple[str, ...]
    when: When


@dataclass(frozen=True, slots=True)
class Nonzero:
    """A vector has a direction, except where ``unless`` holds."""

    name: str
    unless: When | None = None


@dataclass(frozen=True, slots=True)
class Inertia:
    """Six moments xx yy zz xy xz yz are a body's: positive, none greater than the other two together."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deprecated:
    """An attribute or child, or some ``values`` of one, that not every reader of the format knows, and what
    to write instead.
    """

    name: str
    instead: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Graph:
    """The children with the tags ``edges`` connect names of a namespace and form no cycle.

    ``source`` and ``target`` tell where in a child its two names are: `parent/@link`, `@name`. Where it is
    a ``tree``, no name has two edges to it, and there is one root.
    """

    namespace: str
    edges: tuple[str, ...]
    source: str
    target: str
    tree: bool = False


Rule = (
    Exclusive
    | Together
    | OneOf
    | Requires
    | Required
    | Length
    | Default
    | Ascending
    | Differ
    | Increasing
    | Multiple
    | UnitQuaternion
    | Ignored
    | Nonzero
    | Inertia
    | Deprecated
    | Graph
)


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a format. ``key`` is its canonical path, with a recursive element occurring once."""

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
    keeps: bool = False  # attributes with a prefix that is none of the format's, in the field `attributes`
    newer: Mapping[str, str] = field(default_factory=dict)  # names that later versions have here: since when
    wild_when: str = ""  # the attribute without which it does not hold what no schema describes
    wraps: bool = False  # it takes what its surroundings take, and is gone once read
    include: str = ""  # it stands for another file: "splice", for the children of its root; "load", for that
    content: Parts | One | None = None  # the order of its children, where counts alone do not give it
    constraints: tuple[Constraint, ...] = ()


@dataclass(frozen=True, slots=True)
class Primitive:
    """One primitive joint of a joint type; ``axis`` is None where the document or a draw gives it."""

    joint: str  # its name in the physics vocabulary
    axis: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Defaults:
    """Attributes written on the element ``source`` fill every element ``target`` that leaves them out."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Note:
    """A decision about the format and its reason, on some paths."""

    on: tuple[str, ...]
    text: str


ANYTHING = Child("*", "*", "elements", high=UNBOUNDED)
"""The child row of an element that holds what no schema describes."""

FOREIGN = Child("*", "*", "elements", high=UNBOUNDED, foreign=True)
"""The child row of an element that holds what is of other namespaces."""

UNTYPED = Element("*", "*", Untyped, children=(ANYTHING,))
"""The row of elements that no schema describes."""


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """Everything the reader, resolver, validator and writer know of a format.

    ``builtin`` are names that exist without being declared, ``prefixes`` those that names are written with
    and their namespaces, ``templates`` the prefixes of template languages with what to do about them,
    ``every_path`` whether listings show an element at every place where it can occur, ``notes`` the decisions
    behind the schema, and ``unread`` what it says that the reader does not enforce.
    """

    name: str
    version: str
    root: str  # key of the root's Element; with several, of the usual one
    elements: Mapping[str, Element]
    roots: tuple[str, ...] = ()  # the others with which a document can begin
    defaults: tuple[Defaults, ...] = ()
    namespaces: tuple[str, ...] = ()
    enums: Mapping[str, type[Enum]] = field(default_factory=dict)
    sequences: Mapping[Enum, tuple[Primitive, ...]] = field(default_factory=dict)  # of joint types
    builtin: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    version_in: str = ""  # the attribute of the root that says of which version a document is
    oldest: str = ""  # the oldest version that is read
    prefixes: Mapping[str, str] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)
    foreign: Mapping[str, str] = field(
        default_factory=dict
    )  # endings of files that are not read: what those are
    elsewhere: str = ""  # an environment variable that names other folders in which files may be
    every_path: bool = False
    ignores_text: bool = False  # in elements that take none
    ignores_namespace: bool = False  # the default one, which a document may declare
    qualified: bool = False  # names are compared by their namespaces, not by the prefixes as written
    namespace: str = ""  # of names without a prefix in the tables
    prefix: str = ""  # usual prefix of that namespace, for names that need one
    constrained: bool = False  # some elements have identity constraints
    folds_case: bool = False  # tags and names of attributes are compared without their case
    status: Status = Status.SIMULATED  # of all that says nothing else, and why it is no more
    reason: str = ""
    notes: tuple[Note, ...] = ()
    unread: tuple[str, ...] = ()
