"""Graphs that a document's references form: cycles, two edges to one node, several roots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from polybody.base import Child, Element, Format, Graph, Node, Span, held
from polybody.document.parser.value_faults import clip
from polybody.validation.checker import Rules
from polybody.validation.names import Edges
from polybody.validation.scene import Scene

SHOWN = 5  # names in a message


class Remark(NamedTuple):
    """A finding before it is reported: its code, the node, the attribute or leaf if it is about one, and the
    message.
    """

    code: str
    node: Node
    attribute: str | None
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two names: the element that defines it, and where the second name is given: an
    attribute or leaf of the holder, or its text.
    """

    source: str
    target: str
    node: Node
    holder: Node
    attribute: str | None = None
    leaf: bool = False

    @property
    def span(self) -> Span | None:
        return _span(self.holder, self.attribute, self.leaf)


def _span(node: Node, name: str | None, leaf: bool) -> Span | None:
    if name is None:
        return node.span
    return node.child_span(name) if leaf else node.attribute_span(name)


def check_graphs(scene: Scene, lost: bool) -> None:
    """Report violations of the properties that the graphs of a document must have.

    lost: whether something was not understood, so that edges may be missing.
    """
    rules, form = scene.rules, scene.format
    for node, row, rule in rules.graphs:
        declared = rules.declared[rule.namespace]
        known = [*declared, *form.builtin.get(rule.namespace, ())]
        sources, targets = _names(node, row, rule, rules)
        found = Edges(known, len(declared), sources, targets)
        if not found.is_forest or (rule.tree and not found.differ):
            names = set(known)
            edges = [each for each in _edges(node, row, rule, form) if {each.source, each.target} <= names]
            closed = list(islice(cycles(edges, rule.namespace), scene.findings.limit))
            second = islice(second_edges(edges, rule.namespace), scene.findings.limit) if rule.tree else ()
            tell(scene, (closed, second))
        elif rule.tree and found.roots > 1 and found.count == len(sources) and not lost:
            tell(scene, [_roots(list(zip(sources, targets, strict=True)), declared)])


def tell(scene: Scene, kinds: Iterable[Iterable[Remark]]) -> None:
    """Report remarks, of each kind up to the limit."""
    for remark in (remark for kind in kinds for remark in islice(kind, scene.findings.limit)):
        scene.report(*remark)


def _names(node: Node, row: Element, rule: Graph, rules: Rules) -> tuple[list[Any], list[Any]]:
    """The names at the beginnings and ends of all edges; None if one is not given."""
    beginnings: list[Any] = []
    ends: list[Any] = []
    rows = {child.tag: child for child in reversed(row.children)}
    for tag in rule.edges:
        child = rows[tag]
        nodes = held(node, child.field)
        for path, found in ((rule.source, beginnings), (rule.target, ends)):
            between, _, name = path.rpartition("@")
            found += rules.along(nodes, child.element, between.rstrip("/"), name)
    return beginnings, ends


def _edges(node: Node, row: Element, rule: Graph, form: Format) -> list[Edge]:
    """The edges with both names."""
    found = []
    rows = {child.tag: form.elements[child.element] for child in row.children}
    for tag in rule.edges:
        begin, end = (_path_of(rows[tag], path, form) for path in (rule.source, rule.target))
        for child in held(node, node.CHILDREN[tag][0]):
            source, _, _ = _end(child, *begin)
            target, holder, attribute = _end(child, *end)
            if source is not None and target is not None:
                found.append(Edge(source, target, child, holder, attribute))
    return found


def _path_of(row: Element, path: str, form: Format) -> tuple[Child | None, str, str]:
    """What a path selects: the child, unless it is the element itself, the field and the name."""
    tag, _, name = path.rpartition("@")
    child = None
    if tag:
        child = next(child for child in row.children if child.tag == tag.rstrip("/"))
        row = form.elements[child.element]
    attribute = next(attribute for attribute in row.attributes if attribute.name == name)
    return child, attribute.field, name


def _end(node: Node, child: Child | None, field: str, name: str) -> tuple[str | None, Node, str]:
    """The name at one end of an edge, the node that gives it, and the attribute."""
    holder: Any = node
    if child is not None:
        holder = next(iter(held(node, child.field)), None)
        if holder is None:
            return None, node, name
    return getattr(holder, field), holder, name


def cycles(edges: list[Edge], kind: str) -> Iterator[Remark]:
    """Each cycle once, at the edge that closes it."""
    for edge, path, begin in rings(edges):
        yield _cycle(edge, path, begin, kind)


def rings(edges: Iterable[Edge]) -> Iterator[tuple[Edge, list[str], int]]:
    """Each cycle once: the edge that closes it, and a path whose names from some index on form the cycle.

    The path is changed when the next cycle is requested.
    """
    following: dict[str, list[Edge]] = {}
    for each in edges:
        following.setdefault(each.source, []).append(each)
    done: set[str] = set()
    for start in list(following):
        path: list[str] = []
        on_path: dict[str, int] = {}  # names with their indices in the path
        stack: list[tuple[str, Iterator[Edge]]] = []
        if start not in done:
            _push(start, following, path, on_path, stack)
        while stack:
            name, left = stack[-1]
            edge: Edge | None = next(left, None)
            if edge is None:
                stack.pop()
                path.pop()
                del on_path[name]
                done.add(name)
            elif edge.target in on_path:
                yield edge, path, on_path[edge.target]
            elif edge.target not in done:
                _push(edge.target, following, path, on_path, stack)


def _push(
    name: str, following: dict[str, list[Edge]], path: list[str], on_path: dict[str, int],
    stack: list[tuple[str, Iterator[Edge]]],
) -> None:  # fmt: skip
    on_path[name] = len(path)
    path.append(name)
    stack.append((name, iter(following.get(name, ()))))


def _cycle(edge: Edge, path: list[str], begin: int, kind: str) -> Remark:
    names = [f"`{clip(name)}`" for name in path[begin : begin + SHOWN]]
    if len(path) - begin == 1:
        message = f"both ends of this <{edge.node.TAG}> are the {kind} {names[0]}"
    else:
        if len(path) - begin > SHOWN:
            names[-1:] = "...", f"`{clip(path[-1])}`"
        ring = " -> ".join([*names, names[0]])
        message = f"this <{edge.node.TAG}> closes a cycle: {ring}"
    return Remark("PB033", edge.holder, edge.attribute, message)


def second_edges(edges: list[Edge], kind: str) -> Iterator[Remark]:
    """Names with two incoming edges."""
    first: dict[str, Edge] = {}
    for edge in edges:
        other = first.setdefault(edge.target, edge)
        if other is not edge:
            where = "" if other.span is None else f" by the <{other.node.TAG}> at line {other.span.line}"
            name, source = clip(edge.target), clip(other.source)
            message = f"{kind} `{name}` is already connected to `{source}`{where}"
            yield Remark("PB034", edge.holder, edge.attribute, message)


def _roots(pairs: list[tuple[str, str]], declared: dict[str, Node]) -> Iterator[Remark]:
    """A remark if there are several roots, at the second root."""
    targets = {target for _, target in pairs}
    roots = [name for name in declared if name not in targets]
    anchored = [source for source, _ in pairs if source not in declared]
    names = list(dict.fromkeys([*anchored, *roots]))
    if len(names) > 1 and roots:
        node = declared[roots[0] if anchored else roots[1]]
        shown = ", ".join(f"`{clip(name)}`" for name in names[:SHOWN]) + (
            ", ..." if len(names) > SHOWN else ""
        )
        message = (
            f"{len(names)} parts have no parent: {shown}. Most readers expect one; some refuse the others, "
            "some let them move freely"
        )
        yield Remark("PB035", node, None, message)
