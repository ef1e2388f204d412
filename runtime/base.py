"""The leaf that generated code stands on: document nodes, source positions, and the rows of reader tables.

It imports nothing of the project. Nodes and whatever walks over them work iteratively: documents may be
thousands of elements deep.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Self

# --- where things stand in a source ------------------------------------------------------------------------

# A node's position is line << 30 | column: two digits of a Python int, the smallest object that holds it.
COLUMN_BITS = 30
COLUMN_MASK = (1 << COLUMN_BITS) - 1
_NEWLINE = re.compile(rb"\r\n|\r|\n")
_TAG_NAME = re.compile(rb"<[^\s/>=]*")
_ATTRIBUTE = re.compile(rb"""[ \t\r\n]*([^ \t\r\n=/>]+)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')""")
_TAG_END = re.compile(rb"[ \t\r\n]*/?>?")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a source: lines and columns count characters from 1, the end is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class Source:
    """A text that nodes come from: its path, its content as UTF-8, and where it was included (outermost
    first).
    """

    __slots__ = ("_ascii", "_last", "_starts", "data", "include_stack", "path")

    def __init__(self, path: str, data: bytes, include_stack: tuple[Span, ...] = ()) -> None:
        self.path = path
        self.data = data
        self.include_stack = include_stack
        self._starts: array[int] | None = None
        self._ascii: bool | None = None
        self._last = (0, 0, 0)  # line, column and offset asked for last: findings come in order of place

    def __repr__(self) -> str:
        return f"Source({self.path!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Source, (self.path, self.data, self.include_stack)

    @property
    def starts(self) -> array[int]:
        """The byte offset at which each line starts, by the line ends that XML knows."""
        if self._starts is None:
            self._starts = array("q", [0])
            self._starts.extend(match.end() for match in _NEWLINE.finditer(self.data))
        return self._starts

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its end."""
        starts = self.starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.data)
        return self.data[starts[number - 1] : end].rstrip(b"\r\n").decode("utf-8", "replace")

    def offset(self, line: int, column: int) -> int:
        """The byte offset of a line counted from 1 and a column counted from 0, in characters."""
        starts = self.starts
        if line > len(starts):
            return len(self.data)
        start = starts[line - 1]
        if self._ascii is None:
            self._ascii = self.data.isascii()
        if self._ascii:
            return min(start + column, len(self.data))
        last_line, last_column, last_offset = self._last
        skip = 0
        if last_line == line and last_column <= column:
            start, skip = last_offset, last_column
        piece = self.data[start : start + 4 * (column - skip)].decode("utf-8", "replace")[: column - skip]
        offset = start + len(piece.encode())
        self._last = (line, column, offset)
        return offset

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both counted from 1, of a byte offset."""
        starts = self.starts
        line = bisect_right(starts, offset)
        start, column = starts[line - 1], 0
        last_line, last_column, last_offset = self._last
        if last_line == line and last_offset <= offset:
            start, column = last_offset, last_column
        return line, column + len(self.data[start:offset].decode("utf-8", "replace")) + 1

    def between(self, start: int, end: int) -> Span:
        """The span from one byte offset to another."""
        line, column = self.place(start)
        end_line, end_column = self.place(end)
        return Span(self.path, line, column, end_line, end_column)

    def tag_span(self, position: int) -> Span:
        """The start tag at a position, from its ``<`` to its end."""
        start = self.offset(position >> COLUMN_BITS, position & COLUMN_MASK)
        end = start
        if match := _TAG_NAME.match(self.data, start):
            end = match.end()
            while match := _ATTRIBUTE.match(self.data, end):
                end = match.end()
            if match := _TAG_END.match(self.data, end):
                end = match.end()
        return self.between(start, end)

    def attribute_span(self, position: int, names: Iterable[str]) -> Span:
        """The first attribute with one of these names in the start tag at a position, else the whole tag."""
        start = self.offset(position >> COLUMN_BITS, position & COLUMN_MASK)
        wanted = {name.encode() for name in names}
        if match := _TAG_NAME.match(self.data, start):
            end = match.end()
            while match := _ATTRIBUTE.match(self.data, end):
                if match[1] in wanted:
                    return self.between(match.start(1), match.end())
                end = match.end()
        return self.tag_span(position)


# --- documents ---------------------------------------------------------------------------------------------


class Node:
    """An element of a document. Generated classes, one per row of Element, are dataclasses derived from it:
    ``@dataclass(slots=True, kw_only=True, eq=False, repr=False)`` with the class variables below.

    A field is an attribute (None where the document does not write it), a child (a node or None), or a list
    of repeated children. Equality looks at fields and, where order means something, at the children's order;
    never at source positions.
    """

    __slots__ = ("_order", "_position", "_source")

    TAG: ClassVar[str] = ""
    CHILDREN: ClassVar[Mapping[str, tuple[str, bool]]] = {}
    """From a child's tag to the field that holds it and whether it may repeat, in the schema's order."""
    ORDERED: ClassVar[bool] = False
    """Whether the order between children of different tags means something."""
    FIELDS: ClassVar[tuple[str, ...]] = ()
    """The fields that hold no children, attributes and text, in the schema's order."""

    _source: Source | None
    _position: int | None
    _order: bytes | None  # per child, the index of its tag in CHILDREN; None: grouped, in the schema's order

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Reached for empty slots only: the reader makes no list that would stay empty, and an element
            # made by hand has no source.
            if name in Node.__slots__:
                return None
            for child, many in self.CHILDREN.values():
                if child == name and many:
                    made: list[Node] = []
                    setattr(self, name, made)
                    return made
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}", name=name, obj=self)

    @property
    def span(self) -> Span | None:
        """Where the element's start tag stands, or None for one that was not read."""
        if self._source is None or self._position is None:
            return None
        return self._source.tag_span(self._position)

    def attribute_span(self, *names: str) -> Span | None:
        """Where the first attribute with one of these names is written, else where the start tag is."""
        if self._source is None or self._position is None:
            return None
        return self._source.attribute_span(self._position, names)

    @property
    def source(self) -> Source | None:
        """The text the element was read from."""
        return self._source

    @property
    def children(self) -> tuple[Node, ...]:
        """All children in the document's order; assigning nodes distributes them to the fields."""
        groups = [_held(self, name, many) for name, many in self.CHILDREN.values()]
        if self._order is None:
            return tuple(child for group in groups for child in group)
        left = [iter(group) for group in groups]
        taken = [next(left[index], None) for index in self._order]
        # Fields may have been edited since: what is gone is skipped, what is new comes last.
        return tuple(child for child in taken if child is not None) + tuple(
            child for rest in left for child in rest
        )

    @children.setter
    def children(self, nodes: Iterable[Node]) -> None:
        tags = list(self.CHILDREN)
        order = bytearray()
        single: dict[str, Node | None] = {f: None for f, many in self.CHILDREN.values() if not many}
        lists: dict[str, list[Node]] = {f: [] for f, many in self.CHILDREN.values() if many}
        for node in nodes:
            if node.TAG not in self.CHILDREN:
                legal = ", ".join(tags) or "nothing"
                raise ValueError(f"<{self.TAG}> takes no <{node.TAG}>; it takes {legal}")
            name, many = self.CHILDREN[node.TAG]
            if many:
                lists[name].append(node)
            elif single[name] is None:
                single[name] = node
            else:
                raise ValueError(f"<{self.TAG}> takes one <{node.TAG}>, not several")
            order.append(tags.index(node.TAG))
        for name, value in (single | lists).items():
            setattr(self, name, value)
        self._order = None if sorted(order) == list(order) else bytes(order)

    def walk(self) -> Iterator[Node]:
        """The element and everything below it, in the document's order."""
        stack: list[Node] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        pairs: list[tuple[Node, Node]] = [(self, other)]
        while pairs:
            a, b = pairs.pop()
            if a is b:
                continue
            if type(a) is not type(b) or any(getattr(a, name) != getattr(b, name) for name in a.FIELDS):
                return False
            groups = (
                [(a.children, b.children)]
                if a.ORDERED
                else [(_held(a, name, many), _held(b, name, many)) for name, many in a.CHILDREN.values()]
            )
            for left, right in groups:
                if len(left) != len(right):
                    return False
                pairs.extend(zip(left, right, strict=True))
        return True

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        out: list[str] = []
        todo: list[Node | str] = [self]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                out.append(item)
                continue
            parts: list[Node | str] = [f"{type(item).__name__}("]
            given = [(name, getattr(item, name)) for name in item.FIELDS]
            written = [f"{name}={value!r}" for name, value in given if value is not None]
            parts.append(", ".join(written))
            comma = ", " if written else ""
            for name, many in item.CHILDREN.values():
                held = _held(item, name, many)
                if held:
                    parts.append(f"{comma}{name}={'[' if many else ''}")
                    for index, child in enumerate(held):
                        parts.extend([", ", child] if index else [child])
                    parts.append("]" if many else "")
                    comma = ", "
            parts.append(")")
            todo.extend(reversed(parts))
        return "".join(out)

    def __copy__(self) -> Self:
        """A new element with the same values and the same children; its lists are its own."""
        other: Self = _shell(self)
        for name, many in self.CHILDREN.values():
            held = _held(self, name, many)
            setattr(other, name, list(held) if many else held[0] if held else None)
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        nodes = list(self.walk())
        copies = {id(node): _shell(node) for node in nodes}
        for node in nodes:
            copy = copies[id(node)]
            for name, many in node.CHILDREN.values():
                made = [copies[id(child)] for child in _held(node, name, many)]
                setattr(copy, name, made if many else made[0] if made else None)
        memo.update(copies)
        copied: Self = copies[id(self)]
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        nodes = list(self.walk())
        index = {id(node): i for i, node in enumerate(nodes)}
        rows = []
        for node in nodes:
            values = tuple(getattr(node, name) for name in node.FIELDS)
            below = tuple(
                tuple(index[id(child)] for child in _held(node, name, many))
                for name, many in node.CHILDREN.values()
            )
            rows.append((type(node), values, below, node._source, node._position, node._order))
        return _restore, (rows,)


def _held(node: Node, name: str, many: bool) -> list[Node] | tuple[()] | tuple[Node]:
    """The children in one field, without making a list where there are none."""
    try:
        value = getattr(type(node), name).__get__(node)  # past __getattr__, which would make the list
    except AttributeError:
        return ()
    if many:
        return value or ()
    return () if value is None else (value,)


def _shell(node: Node) -> Any:
    """A node with another's values and none of its children."""
    new = object.__new__(type(node))
    for name in node.FIELDS:
        setattr(new, name, getattr(node, name))
    new._source, new._position, new._order = node._source, node._position, node._order
    return new


def _restore(rows: list[tuple[Any, ...]]) -> Node:
    """Rebuild a pickled tree from its flat rows."""
    nodes: list[Node] = [object.__new__(row[0]) for row in rows]
    for node, (cls, values, below, source, position, order) in zip(nodes, rows, strict=True):
        for name, value in zip(cls.FIELDS, values, strict=True):
            setattr(node, name, value)
        for (name, many), children in zip(cls.CHILDREN.values(), below, strict=True):
            made = [nodes[i] for i in children]
            setattr(node, name, made if many else made[0] if made else None)
        node._source, node._position, node._order = source, position, order
    return nodes[0]


# --- the rows of a format's tables -------------------------------------------------------------------------

UNBOUNDED = 2**31 - 1


class Kind(IntEnum):
    """What one word of an attribute or a text is."""

    STRING = 0  # the whole text as it stands when the value is scalar, else words
    REAL = 1
    INT = 2
    BOOL = 3  # true, false, 1, 0
    ENUM = 4


class Status(Enum):
    """What becomes of an element or attribute after it was read."""

    SIMULATED = "simulated"
    PARSED = "parsed"  # kept in the document; lowering says so where it would matter
    UNSUPPORTED = "unsupported"  # a finding wherever it stands


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
    refers: str | None = None  # the namespace in which the value names something
    status: Status = Status.SIMULATED
    since: str | None = None
    until: str | None = None
    reason: str = ""  # why it is not simulated


@dataclass(frozen=True, slots=True)
class Child:
    """A child element: its tag, the key of its Element row, the field that holds it, how often it stands."""

    tag: str
    element: str
    field: str
    low: int = 0
    high: int = 1


@dataclass(frozen=True, slots=True)
class Text:
    """The text of an element, kept in the field ``text``."""

    value: Value
    required: bool = True
    default: Any = None
    unit: str = ""
    refers: str | None = None


@dataclass(frozen=True, slots=True)
class When:
    """True where an attribute's effective value is among some."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Exclusive:
    """At most one of these attributes, written or from defaults."""

    names: tuple[str, ...]


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
    """An attribute must be given, written or from defaults, except where ``unless`` holds."""

    name: str
    unless: When | None = None


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
class UnitQuaternion:
    """Four components of an attribute, from ``start``, have norm 1 within a tolerance.

    A norm of zero is an error always; another norm is a warning where the value is ``normalised`` when used,
    else an error.
    """

    name: str
    tolerance: float
    start: int = 0
    normalised: bool = True
    when: When | None = None


@dataclass(frozen=True, slots=True)
class Ignored:
    """These attributes, where written on the element itself, have no effect while ``when`` holds."""

    names: tuple[str, ...]
    when: When


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
    | UnitQuaternion
    | Ignored
)


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a format. ``key`` is its canonical path, with a recursive element standing once."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """Everything the reader, resolver, validator and writer know of a format."""

    name: str
    version: str
    root: str  # key of the root's Element
    elements: Mapping[str, Element]
    defaults: tuple[Defaults, ...] = ()
    namespaces: tuple[str, ...] = ()
    enums: Mapping[str, type[Enum]] = field(default_factory=dict)
    sequences: Mapping[Enum, tuple[Primitive, ...]] = field(default_factory=dict)  # of joint types
    notes: tuple[str, ...] = ()
