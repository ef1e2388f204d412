"""Elements of documents. All traversals are iterative, since documents may be thousands of elements deep."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, overload

from polybody.base.children import Kinds, all_children, children_of, grouped, held, place_children
from polybody.base.node_classes import compile_constructor, dataclass
from polybody.base.slotted import OrNone
from polybody.base.source import Source, Span
from polybody.suggest import did_you_mean

if TYPE_CHECKING:
    from polybody.base.rows import Attribute, Text

N = TypeVar("N", bound="Node")


def release_named(what: str, releases: Sequence[str], name: object) -> str:
    """The release that a name stands for: as it is listed, or the newest whose name begins with it.

    Args:
        what: whose releases these are, for the message.
        releases: the releases, oldest first.
        name: such as "3.2.7" or "4.0".

    Raises:
        ValueError: there is none.
    """
    text = name if isinstance(name, str) else ""
    if text in releases:
        return text
    plain = all(part.isdecimal() for part in text.split("."))
    found = [each for each in releases if each.startswith(f"{text}.") or text.startswith(f"{each}.")]
    if not plain or not found:
        raise ValueError(f"{what} has no release {name!r:.60}; its releases are {', '.join(releases)}")
    return found[-1]


class NodeType(type):
    """The type of element classes. Their fields for children use no slots, but are views of one list."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> NodeType:
        inherited = {} if not bases else getattr(bases[0], "CHILDREN", {})
        views = {view for view, _ in namespace.get("CHILDREN", inherited).values()}
        if "__slots__" in namespace:
            namespace["__slots__"] = tuple(slot for slot in namespace["__slots__"] if slot not in views)
        cls: Any = super().__new__(mcls, name, bases, namespace, **options)
        cls._kinds = Kinds(cls)
        if "CHILDREN" in namespace and "__slots__" in namespace:
            for view, descriptor in cls._kinds.descriptors().items():
                setattr(cls, view, descriptor)
        return cls  # type: ignore[no-any-return]

    @property
    def __signature__(cls) -> inspect.Signature:
        compile_constructor(cls)
        made = inspect.signature(cls.__init__)  # type: ignore[misc]
        return made.replace(parameters=list(made.parameters.values())[1:], return_annotation=made.empty)


class Node(metaclass=NodeType):
    """An element of a document. Generated classes, one per row of Element, are dataclasses of
    `node_classes` derived from it, ``@dataclass(slots=True, kw_only=True, eq=False, repr=False)``, with the
    class variables below.

    A field is an attribute (None if the document does not give it), a child (a node or None), or a list of
    repeated children. The order of all children is that of `children`; the other fields of children are views
    of it, and all of them can be edited. Equality compares fields and, where order matters, the order of
    children; never source positions.
    """

    __slots__ = ("_children", "_position", "_source")

    TAG: ClassVar[str] = ""
    CHILDREN: ClassVar[Mapping[str, tuple[str, bool]]] = {}
    """From a child's tag to its field and whether it may repeat, in the schema's order."""
    ORDERED: ClassVar[bool] = False
    """Whether the order between children of different tags matters."""
    FIELDS: ClassVar[tuple[str, ...]] = ()
    """The fields for attributes and text, in the schema's order."""
    CARRIED: ClassVar[tuple[str, ...]] = ()
    """Fields that copies keep but that are not part of the element's content."""

    if not TYPE_CHECKING:

        def __init__(self, *values: object, **fields: object) -> None:
            owner: Any = compile_constructor(type(self)) or object
            owner.__init__(self, *values, **fields)

    _kinds: ClassVar[Kinds]
    _source: Source | None
    _position: int | None
    _children: list[Any] | None

    @property
    def span(self) -> Span | None:
        """The place of the element's start tag, or None if it was not read from a text."""
        if self._source is None or self._position is None:
            return None
        return self._source.tag_span(self._position)

    @property
    def place(self) -> str:
        """The place of the element's start tag as path:line:column; "" if it was not read from a text."""
        if self._source is None or self._position is None:
            return ""
        return self._source.place_of(self._position)

    def attribute_span(self, *names: str) -> Span | None:
        """The place of the first attribute with one of these names, otherwise of the start tag."""
        if self._source is None or self._position is None:
            return None
        return self._source.attribute_span(self._position, names)

    def child_span(self, *tags: str) -> Span | None:
        """The place of the first child with one of these tags, otherwise of the start tag."""
        if self._source is None or self._position is None:
            return None
        return self._source.child_span(self._position, tags)

    def value_span(self, row: Attribute | Text) -> Span | None:
        """The place of the value of a row of the format's tables: of an attribute, a leaf or the text."""
        if row.leaf:
            return self.child_span(row.name, *row.aliases)
        return self.attribute_span(row.name, *row.aliases)

    @property
    def source(self) -> Source | None:
        """The text the element was read from."""
        return self._source

    @property
    def children(self) -> list[Node]:
        """All children in document order; a list that can be edited.

        A new child goes to the end if the order of children is meaningful; otherwise it goes after the last
        child that the schema does not place after it.
        """
        return all_children(self)

    @children.setter
    def children(self, nodes: Iterable[Node]) -> None:
        all_children(self)[:] = nodes

    def walk(self) -> Iterator[Node]:
        """The element and all its descendants, in document order."""
        stack: list[Node] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(children_of(node)))

    @overload
    def find(self, kind: type[N], name: str | None = None) -> N | None: ...
    @overload
    def find(self, kind: str, name: str | None = None) -> Any: ...
    def find(self, kind: str | type[Node], name: str | None = None) -> Any:
        """The first element of a kind, this one or below it, in document order; None if there is none.

            document.find("body", "torso")

        Args:
            kind: the tag, also of elements that are not of the format, such as those in extensions; or the
                class, which type checkers then know.
            name: the value of the attribute ``name``; any by default.

        Raises:
            ValueError: the format has no such element. In a format that allows elements of others, such as
                URDF, this is only raised if the tag resembles one of its own.
        """
        found = next(self._found(kind, name), None)
        if found is None and isinstance(kind, str):
            _check_tag(self, kind)
        return found

    @overload
    def find_all(self, kind: type[N], name: str | None = None) -> list[N]: ...
    @overload
    def find_all(self, kind: str, name: str | None = None) -> list[Any]: ...
    def find_all(self, kind: str | type[Node], name: str | None = None) -> list[Any]:
        """All elements of a kind, this one and below it, in document order; otherwise as `find`."""
        found = list(self._found(kind, name))
        if not found and isinstance(kind, str):
            _check_tag(self, kind)
        return found

    def _found(self, kind: str | type[Node], name: str | None) -> Iterator[Any]:
        for node in self.walk():
            fits = kind == node.TAG if isinstance(kind, str) else isinstance(node, kind)
            if fits and (name is None or getattr(node, "name", None) == name):
                yield node

    def parent_of(self, node: Node) -> Any:
        """The element, this one or below it, that has another as a child; None if there is none.

        Raises:
            TypeError: the argument is not an element.
        """
        if not isinstance(node, Node):
            raise TypeError(f"expected an element, not {node!r:.60}; `find` returns elements by tag and name")
        for around in self.walk():
            if any(child is node for child in children_of(around)):
                return around
        return None

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
            below = children_of if a.ORDERED else grouped
            left, right = below(a), below(b)
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
                children = held(item, name)
                if children:
                    parts.append(f"{comma}{name}={'[' if many else ''}")
                    for index, child in enumerate(children):
                        parts.extend([", ", child] if index else [child])
                    parts.append("]" if many else "")
                    comma = ", "
            parts.append(")")
            todo.extend(reversed(parts))
        return "".join(out)

    def __copy__(self) -> Self:
        """A new element with the same values and the same children, in new lists."""
        other: Self = _shell(self)
        _adopt(other, children_of(self))
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        nodes = _reached(self)
        copies = {id(node): _shell(node) for node in nodes}
        for node in nodes:
            _adopt(copies[id(node)], [copies[id(child)] for child in children_of(node)])
        memo.update(copies)
        copied: Self = copies[id(self)]
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        nodes = _reached(self)
        index = {id(node): i for i, node in enumerate(nodes)}
        rows = []
        for node in nodes:
            values = tuple(getattr(node, name) for name in (*node.FIELDS, *node.CARRIED))
            below = tuple(index[id(child)] for child in children_of(node))
            rows.append((type(node), values, below, node._source, node._position))
        return _restore, (rows,)


class Released(Node):
    """The root of a document of a format with releases, as one of which it is read.

    Copies keep the release. Equality does not compare it.
    """

    __slots__ = ("_release",)

    CARRIED: ClassVar[tuple[str, ...]] = ("_release",)
    RELEASES: ClassVar[tuple[str, ...]] = ()
    """The releases of the format, oldest first; of the first are documents that were not read."""

    _release: str | None

    @property
    def release(self) -> str:
        """The release as which the document is checked and compiled. It can be set to one of `RELEASES`."""
        return self._release or self.RELEASES[0]

    @release.setter
    def release(self, name: str) -> None:
        self._release = release_named(self.TAG, self.RELEASES, name)


for _cls in (Node, Released):  # an element made by hand has no source
    for _slot in _cls.__slots__:
        setattr(_cls, _slot, OrNone(_cls, _slot))
place_children(Node)


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Untyped(Node):
    """An element without a schema, kept unchanged: part of a vendor's extension or of a plugin.

    ``text`` is the text before its first child and ``tail`` the text after its end tag, both None if they are
    only white space. In `Node.CHILDREN`, "*" is the entry of such elements.
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


class _Tags:
    """The tags of a format's elements, and the elements that contain those stored as fields."""

    def __init__(self, form: Any) -> None:
        rows = form.elements.values()
        self.format: str = form.name
        self.known = {row.tag for row in rows} | {child.tag for row in rows for child in row.children} - {"*"}
        self.open = any(child.tag == "*" for row in rows for child in row.children)
        self.fields = {leaf.name: row.tag for row in rows for leaf in row.attributes if leaf.leaf}


@cache
def _tags_of(package: str) -> _Tags | None:
    """The tags of the format whose classes were generated in a package; None if it has no tables."""
    if find_spec(f"{package}.tables") is None:
        return None
    return _Tags(import_module(f"{package}.tables").FORMAT)


def _check_tag(node: Node, tag: str) -> None:
    """Raise a ValueError if the format of a node has no such element."""
    package, documents, _ = type(node).__module__.partition(".documents")
    tags = _tags_of(package) if documents else None
    if tags is None or tag in tags.known:
        return
    if tag in tags.fields:
        raise ValueError(f"<{tag}> contains only text: it is a field of <{tags.fields[tag]}>, not an element")
    hint = did_you_mean(tag, sorted(tags.known))
    if hint is not None or not tags.open:
        raise ValueError(f"{tags.format} has no element <{tag}>" + (f"; {hint}" if hint else ""))


def _reached(root: Node) -> list[Node]:
    """An element and everything below it, each once, even if it occurs several times."""
    found = {id(root): root}
    stack = [root]
    while stack:
        for child in children_of(stack.pop()):
            if id(child) not in found:
                found[id(child)] = child
                stack.append(child)
    return list(found.values())


def _adopt(node: Node, children: Sequence[Node]) -> None:
    if children:
        node.children = children


def _shell(node: Node) -> Any:
    """A node with the values of another and without children."""
    new = object.__new__(type(node))
    for name in (*node.FIELDS, *node.CARRIED):
        value = getattr(node, name)
        setattr(new, name, value.copy() if type(value) is dict else value)
    new._source, new._position = node._source, node._position
    return new


def _restore(rows: list[tuple[Any, ...]]) -> Node:
    """Rebuild a pickled tree from its flat rows."""
    nodes: list[Node] = [object.__new__(row[0]) for row in rows]
    for node, (cls, values, _, source, position) in zip(nodes, rows, strict=True):
        for name, value in zip((*cls.FIELDS, *cls.CARRIED), values, strict=True):
            setattr(node, name, value)
        node._source, node._position = source, position
    for node, row in zip(nodes, rows, strict=True):
        _adopt(node, [nodes[i] for i in row[2]])
    return nodes[0]
