"""Graphs that a document's references form: cycles, two edges to one node, several roots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from polybody.base import Element, Format, Graph, Node
from polybody.diagnostics import Findings
from polybody.reader.rules import Rules
from polybody.reader.values import clip

SHOWN = 5  # names in a message


@dataclass(frozen=True, slots=True)
class Edge:
    """From one name to another, the element that says so, and where it says the second."""

    source: str
    target: str
    node: Node
    holder: Node
    attribute: str


def check_graphs(form: Format, rules: Rules, findings: Findings, lost: bool) -> None:
    """Report what keeps the graphs of a document from being what their rows say.

    lost: whether something was not understood, so that edges may be missing.
    """
    for node, row, rule in rules.graphs:
        written, complete = _edges(node, row, rule, form)
        declared = rules.declared[rule.namespace]
        known = declared.keys() | set(form.builtin.get(rule.namespace, ()))
        edges = [edge for edge in written if edge.source in known and edge.target in known]
        complete = complete and len(edges) == len(written)
        cyclic = _cycles(edges, rule, findings)
        if rule.tree:
            single = _second_edges(edges, rule, findings)
            if complete and single and not cyclic and not lost:
                _roots(edges, declared, rule, findings)


def _edges(node: Node, row: Element, rule: Graph, form: Format) -> tuple[list[Edge], bool]:
    """The edges that are written in full, and whether these are all."""
    found, complete = [], True
    rows = {child.tag: form.elements[child.element] for child in row.children}
    for tag in rule.edges:
        name, many = node.CHILDREN[tag]
        held: Any = getattr(node, name)
        for child in held if many else (held,) if held is not None else ():
            ends = [_end(child, rows[tag], path, form) for path in (rule.source, rule.target)]
            (source, _, _), (target, holder, attribute) = ends
            if source is None or target is None:
                complete = False
            else:
                found.append(Edge(source, target, child, holder, attribute))
    return found, complete


def _end(node: Node, row: Element, path: str, form: Format) -> tuple[str | None, Node, str]:
    """The name at one end of an edge, the node on which it is written, and the attribute."""
    tag, _, name = path.rpartition("@")
    holder: Any = node
    if tag:
        child = next(child for child in row.children if child.tag == tag.rstrip("/"))
        held: Any = getattr(node, child.field)
        holder = (held[0] if held else None) if child.high > 1 else held
        row = form.elements[child.element]
        if holder is None:
            return None, node, name
    attribute = next(attribute for attribute in row.attributes if attribute.name == name)
    return getattr(holder, attribute.field), holder, name


def _cycles(edges: list[Edge], rule: Graph, findings: Findings) -> bool:
    """Report each cycle once, at the edge that closes it."""
    following: dict[str, list[Edge]] = {}
    for each in edges:
        following.setdefault(each.source, []).append(each)
    done: set[str] = set()
    found = False
    for start in list(following):
        path: list[str] = []
        on_path: set[str] = set()
        stack: list[tuple[str, Iterator[Edge]]] = []
        if start not in done:
            _push(start, following, path, on_path, stack)
        while stack:
            name, left = stack[-1]
            edge: Edge | None = next(left, None)
            if edge is None:
                stack.pop()
                path.pop()
                on_path.discard(name)
                done.add(name)
            elif edge.target in on_path:
                found = True
                _report_cycle(edge, path[path.index(edge.target) :], rule, findings)
            elif edge.target not in done:
                _push(edge.target, following, path, on_path, stack)
    return found


def _push(
    name: str, following: dict[str, list[Edge]], path: list[str], on_path: set[str],
    stack: list[tuple[str, Iterator[Edge]]],
) -> None:  # fmt: skip
    path.append(name)
    on_path.add(name)
    stack.append((name, iter(following.get(name, ()))))


def _report_cycle(edge: Edge, names: list[str], rule: Graph, findings: Findings) -> None:
    if len(names) == 1:
        message = f"{rule.namespace} `{clip(names[0])}` is connected to itself by this <{edge.node.TAG}>"
    else:
        shown = names if len(names) <= SHOWN else [*names[: SHOWN - 1], "...", names[-1]]
        ring = " -> ".join(f"`{clip(name)}`" if name != "..." else name for name in [*shown, names[0]])
        message = f"this <{edge.node.TAG}> closes a cycle: {ring}"
    _add("PB033", edge, message, findings)


def _second_edges(edges: list[Edge], rule: Graph, findings: Findings) -> bool:
    """Report names with two edges to them; whether there are none."""
    first: dict[str, Edge] = {}
    single = True
    for edge in edges:
        other = first.setdefault(edge.target, edge)
        if other is not edge:
            single = False
            span = other.holder.attribute_span(other.attribute)
            where = "" if span is None else f" by the <{other.node.TAG}> at line {span.line}"
            name, source = clip(edge.target), clip(other.source)
            message = f"{rule.namespace} `{name}` is connected to `{source}` already{where}"
            _add("PB034", edge, message, findings)
    return single


def _roots(edges: list[Edge], declared: dict[str, Node], rule: Graph, findings: Findings) -> None:
    """Report, at the second, that there are several roots."""
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
        findings.add("PB035", node.span, message, source=node.source)


def _add(code: str, edge: Edge, message: str, findings: Findings) -> None:
    span = edge.holder.attribute_span(edge.attribute)
    findings.add(code, span, message, source=edge.holder.source)
