"""Simple types: what a value may look like and what it means. All uses of a type share one object."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .shapes import NO_SHAPE, Shape

UNBOUNDED = -1
"""No upper limit of a number of occurrences."""
MOST = 2**28
"""More elements, words or characters than a document can have: larger bounds are ignored."""


class Kind(Enum):
    """The type of a number or word of a value."""

    STRING = "string"
    REAL = "real"
    INT = "int"
    BOOL = "bool"
    ENUM = "enum"


@dataclass(frozen=True, slots=True)
class Form:
    """One lexical form of a value: a word, a number, or a list of them."""

    kind: Kind
    scalar: bool = True
    low: int = 1
    high: int = 1
    enum: str = ""
    minimum: float | None = None
    maximum: float | None = None
    implied: tuple[bool, bool] = (False, False)  # minimum and maximum are those of a machine's integers
    open: bool = False  # the bounds themselves are excluded
    finite: bool = False
    numbers: tuple[float, ...] = ()  # the only ones that are allowed, if there are any
    bits: bool = (
        False  # an integer whose 32 bits may be flags: readers of robot formats take hexadecimal ones
    )
    spelt_out: bool = False  # a boolean is `true` or `false`, neither 1 nor 0
    nonempty: bool = False  # a text of more than white space
    pattern: str = ""  # an XSD regular expression
    shortest: int = 0  # length of a text in characters, of binary data in octets
    longest: int = UNBOUNDED
    built_in: str = ""  # the type of XSD whose rules a text follows: "date"
    exact: bool = False  # white space around keywords and in them counts
    collapsed: bool = False  # white space around words is collapsed
    fixed: str | None = None  # the only value that is allowed


@dataclass(frozen=True, slots=True)
class Meaning:
    """The annotations of a value, of an attribute or of an element's text."""

    unit: str = ""
    unitBy: str = ""  # what determines the unit
    rotation: str = ""
    shape: Shape = NO_SHAPE
    declares: str = ""
    refers: tuple[str, ...] = ()
    builtin: tuple[str, ...] = ()
    defaultsClass: str = ""
    file: str = ""
    sample: str = ""  # a value for examples
    role: str = ""
    value: str = ""
    index: str = ""
    first: str = ""
    values: tuple[int, ...] = ()
    kind: str = ""
    kept: bool = False
    signals: tuple[str, ...] = ()


NOTHING = Meaning()
"""No annotation."""


@dataclass(frozen=True, slots=True)
class Type:
    """A simple type of the schema. Its ``name`` is empty where the type is declared at its use.

    ``meaning`` and ``default`` are those that the annotations of the type give; a use may state others.
    """

    name: str = ""
    doc: str = ""
    forms: tuple[Form, ...] = ()
    meaning: Meaning = NOTHING
    default: str | None = None
    prefixed: bool = False  # its values are names whose prefixes the document declares: xs:QName
