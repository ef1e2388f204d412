"""Graphs that a document's references form: cycles, two edges to one node, several roots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from polybody.base import Child, Element, Format, Graph, Node, Span, held
from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.validation.checker import Rules
from polybody.validation.report import paths

SHOWN = 5  # names in a message


class Remark(NamedTuple):
    """A finding that is to come: its code, the node, the attribute or leaf if it is about one, the words."""

    code: str
    node: Node
    attribute: str | None
    message: str
    hint: str | None = None
    leaf: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """From one name to another, the element that says so, and where it says the second: an attribute or leaf
    of the holder, or its text.
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


def check_graphs(root: Node, form: Format, rules: Rules, findings: Findings, lost: bool) -> None:
    """Report what keeps the graphs of a document from being what their rows say.

    lost: whether something was not understood, so that edges may be missing.
    """
    for node, row, rule in rules.graphs:
        written, complete = _edges(node, row, rule, form)
        declared = rules.declared[rule.namespace]
        known = declared.keys() | set(form.builtin.get(rule.namespace, ()))
        edges = [edge for edge in written if edge.source in known and edge.target in known]
        complete = complete and len(edges) == len(written)
        closed = list(islice(cycles(edges, rule.namespace), findings.limit))
        second = list(islice(second_edges(edges, rule.namespace), findings.limit)) if rule.tree else []
        whole = rule.tree and complete and not lost and not closed and not second
        tell(root, (closed, second, _roots(edges, declared) if whole else ()), findings)


def tell(root: Node, kinds: Iterable[Iterable[Remark]], findings: Findings) -> None:
    """Make findings of remarks, of each kind as many as are shown."""
    told = [remark for kind in kinds for remark in islice(kind, findings.limit)]
    if not told:
        return
    places = paths(root, [remark.node for remark in told])
    for code, node, attribute, message, hint, leaf in told:
        span = _span(node, attribute, leaf)
        where = places[id(node)] + ("" if attribute is None else f"/{'' if leaf else '@'}{attribute}")
        findings.add(code, span, message, xpath=where, hint=hint, source=node.source)


def _edges(node: Node, row: Element, rule: Graph, form: Format) -> tuple[list[Edge], bool]:
    """The edges that are written in full, and whether these are all."""
    found, complete = [], True
    rows = {child.tag: form.elements[child.element] for child in row.children}
    for tag in rule.edges:
        begin, end = (_way(rows[tag], path, form) for path in (rule.source, rule.target))
        for child in held(node, node.CHILDREN[tag][0]):
            source, _, _ = _end(child, *begin)
            target, holder, attribute = _end(child, *end)
            if source is None or target is None:
                complete = False
            else:
                found.append(Edge(source, target, child, holder, attribute))
    return found, complete


def _way(row: Element, path: str, form: Format) -> tuple[Child | None, str, str]:
    """Where a path leads: by which child, if it is not the element itself, to which field of which name."""
    tag, _, name = path.rpartition("@")
    child = None
    if tag:
        child = next(child for child in row.children if child.tag == tag.rstrip("/"))
        row = form.elements[child.element]
    attribute = next(attribute for attribute in row.attributes if attribute.name == name)
    return child, attribute.field, name


def _end(node: Node, child: Child | None, field: str, name: str) -> tuple[str | None, Node, str]:
    """The name at one end of an edge, the node on which it is written, and the attribute."""
    holder: Any = node
    if child is not None:
        holder = next(iter(held(node, child.field)), None)
        if holder is None:
            return None, node, name
    return getattr(holder, field), holder, name


def cycles(edges: list[Edge], kind: str) -> Iterator[Remark]:
    """Each cycle once, at the edge that closes it."""
    for edge, way, begin in rings(edges):
        yield _cycle(edge, way, begin, kind)


def rings(edges: Iterable[Edge]) -> Iterator[tuple[Edge, list[str], int]]:
    """Each cycle once: the edge that closes it, and a way on which the names on it are, from a place on.

    The way changes when the next one is asked for.
    """
    following: dict[str, list[Edge]] = {}
    for each in edges:
        following.setdefault(each.source, []).append(each)
    done: set[str] = set()
    for start in list(following):
        path: list[str] = []
        on_path: dict[str, int] = {}  # with their places
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


def _cycle(edge: Edge, way: list[str], begin: int, kind: str) -> Remark:
    names = [f"`{clip(name)}`" for name in way[begin : begin + SHOWN]]
    if len(way) - begin == 1:
        message = f"{kind} {names[0]} is connected to itself by this <{edge.node.TAG}>"
    else:
        if len(way) - begin > SHOWN:
            names[-1:] = "...", f"`{clip(way[-1])}`"
        ring = " -> ".join([*names, names[0]])
        message = f"this <{edge.node.TAG}> closes a cycle: {ring}"
    return Remark("PB033", edge.holder, edge.attribute, message, leaf=edge.leaf)


def second_edges(edges: list[Edge], kind: str) -> Iterator[Remark]:
    """Names with two edges to them."""
    first: dict[str, Edge] = {}
    for edge in edges:
        other = first.setdefault(edge.target, edge)
        if other is not edge:
            where = "" if other.span is None else f" by the <{other.node.TAG}> at line {other.span.line}"
            name, source = clip(edge.target), clip(other.source)
            message = f"{kind} `{name}` is connected to `{source}` already{where}"
            yield Remark("PB034", edge.holder, edge.attribute, message, leaf=edge.leaf)


def _roots(edges: list[Edge], declared: dict[str, Node]) -> Iterator[Remark]:
    """That there are several roots, at the second."""
    targets = {edge.target for edge in edges}
    roots = [name for name in declared if name not in targets]
    anchored = [edge.source for edge in edges if edge.source not in declared]
    names = list(dict.fromkeys([*anchored, *roots]))
    if len(names) > 1 and roots:
        node = declared[roots[0] if anchored else roots[1]]
        shown = ", ".join(f"`{clip(name)}`" for name in names[:SHOWN]) + (
            ", ..." if len(names) > SHOWN else ""
        )
        message = (
            f"{len(names)} roots, {shown}: one is usual; what hangs on the others moves freely or is refused"
        )
        yield Remark("PB035", node, None, message)
