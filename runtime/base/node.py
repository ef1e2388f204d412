"""Elements of documents. What walks over them is iterative: documents may be thousands of elements deep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from polybody.base.source import Source, Span

if TYPE_CHECKING:
    from polybody.base.rows import Attribute, Text


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
    CARRIED: ClassVar[tuple[str, ...]] = ()
    """Fields that copies keep and that are no part of what the element says."""

    _source: Source | None
    _position: int | None
    _order: bytes | None  # per child, the index of its tag in CHILDREN; None: grouped, in the schema's order

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Reached for empty slots only: the reader makes no list that would stay empty, and an element
            # made by hand has no source.
            if name in Node.__slots__ or name in self.CARRIED:
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

    def child_span(self, *tags: str) -> Span | None:
        """Where the first child with one of these tags begins, else where the start tag is."""
        if self._source is None or self._position is None:
            return None
        return self._source.child_span(self._position, tags)

    def value_span(self, row: Attribute | Text) -> Span | None:
        """Where the value of a row of the format's tables stands: of an attribute, a leaf or the text."""
        if row.leaf:
            return self.child_span(row.name, *row.aliases)
        return self.attribute_span(row.name, *row.aliases)

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
            tag = node.TAG if node.TAG in self.CHILDREN or not isinstance(node, Untyped) else "*"
            if tag not in self.CHILDREN:
                legal = ", ".join(tags) or "nothing"
                raise ValueError(f"<{self.TAG}> takes no <{node.TAG}>; it takes {legal}")
            name, many = self.CHILDREN[tag]
            if many:
                lists[name].append(node)
            elif single[name] is None:
                single[name] = node
            else:
                raise ValueError(f"<{self.TAG}> takes one <{node.TAG}>, not several")
            order.append(tags.index(tag))
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
            values = tuple(getattr(node, name) for name in (*node.FIELDS, *node.CARRIED))
            below = tuple(
                tuple(index[id(child)] for child in _held(node, name, many))
                for name, many in node.CHILDREN.values()
            )
            rows.append((type(node), values, below, node._source, node._position, node._order))
        return _restore, (rows,)


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Untyped(Node):
    """An element that no schema describes, as it stands: part of a vendor's extension or of a plugin.

    ``text`` is what stands before its first child and ``tail`` what stands behind its end tag, both None
    where that is white space only. In `Node.CHILDREN`, "*" is the entry of such elements.
    """

    CHILDREN: ClassVar[Mapping[str, tuple[str, bool]]] = {"*": ("elements", True)}
    FIELDS: ClassVar[tuple[str, ...]] = ("tag", "attributes", "text", "tail")

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    text: str | None = None
    tail: str | None = None
    elements: list[Untyped] = field(default_factory=list)

    @property
    def TAG(self) -> str:  # type: ignore[override]
        return self.tag


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
    for name in (*node.FIELDS, *node.CARRIED):
        value = getattr(node, name)
        setattr(new, name, value.copy() if type(value) is dict else value)
    new._source, new._position, new._order = node._source, node._position, node._order
    return new


def _restore(rows: list[tuple[Any, ...]]) -> Node:
    """Rebuild a pickled tree from its flat rows."""
    nodes: list[Node] = [object.__new__(row[0]) for row in rows]
    for node, (cls, values, below, source, position, order) in zip(nodes, rows, strict=True):
        for name, value in zip((*cls.FIELDS, *cls.CARRIED), values, strict=True):
            setattr(node, name, value)
        for (name, many), children in zip(cls.CHILDREN.values(), below, strict=True):
            made = [nodes[i] for i in children]
            setattr(node, name, made if many else made[0] if made else None)
        node._source, node._position, node._order = source, position, order
    return nodes[0]
