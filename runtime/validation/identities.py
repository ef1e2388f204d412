"""Identity constraints of an XSD: `xs:unique`, `xs:key` and `xs:keyref` (XML Schema 1.1, part 1, 3.11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

from polybody.base import Attribute, Constraint, Node, Text, Untyped, children_of
from polybody.document.namespaces import of_child, parts
from polybody.document.sources import LIMITS
from polybody.validation.scene import Scene

MAX_STEPS = 20 * LIMITS.elements
"""Maximum number of elements that all paths of a document may visit together."""
Values = tuple[Any, ...]
"""The values of a constraint's fields at one element."""


class _TooMany(Exception):
    """The paths visit more elements than the limit."""


def check_identities(scene: Scene, uncertain: bool) -> None:
    """Report values that are not unique, missing, or refer to no key.

    uncertain: whether parts of the document were not understood, so that keys may be missing.
    """
    try:
        _Check(scene, uncertain).run()
    except _TooMany:
        limit = f"identity constraints look at more than {MAX_STEPS:,} elements"
        scene.report("PB002", scene.root, None, f"{limit}, which exceeds the limit of this reader")


class _Check:
    def __init__(self, scene: Scene, uncertain: bool) -> None:
        self.scene, self.form, self.uncertain = scene, scene.format, uncertain
        self.steps = 0
        self.names = {
            row.cls: {child.tag: _expanded(*of_child(self.form, child)) for child in row.children}
            for row in self.form.elements.values()
        }
        self.values: dict[type[Node], dict[str, Attribute]] = {
            row.cls: {
                f"@{_expanded(*parts(self.form, a.name, a.qualified))}": a
                for a in row.attributes
                if not a.leaf
            }
            for row in self.form.elements.values()
        }
        self.leaves = {
            row.cls: {_expanded(*parts(self.form, a.name, a.qualified)): a for a in row.attributes if a.leaf}
            for row in self.form.elements.values()
        }
        self.tables: dict[tuple[int, str], dict[Values, Node | None]] = {}

    def run(self) -> None:
        """Check all constraints; those of inner elements first, because references need their keys."""
        for node in reversed(list(self.scene.root.walk())):
            if isinstance(node, Untyped):
                continue
            constraints = self.scene.rows[type(node)].constraints
            for each in constraints:
                if each.kind != "keyref":
                    self.tables[id(node), each.name] = self._unique(node, each)
            for each in constraints:
                if each.kind == "keyref" and not self.uncertain:
                    self._references(node, each)

    # --- constraints --------------------------------------------------------------------------------------

    def _unique(self, node: Node, constraint: Constraint) -> dict[Values, Node | None]:
        """The elements of a key or unique constraint, by their values."""
        met: dict[Values, Node | None] = {}
        for target in self._select([node], constraint.selector):
            values = self._fields(target, constraint)
            if values is None:
                continue
            first = met.setdefault(values, target)
            if first is not None and first is not target:
                shown = _shown(values)
                what = f"{shown} occurs twice; {_what(constraint)} {constraint.name} requires unique values"
                place = f"; the first is at line {first.span.line}" if first.span is not None else ""
                self.scene.report("PB031", target, self._name(target, constraint), what + place)
        return met

    def _references(self, node: Node, constraint: Constraint) -> None:
        known = self._known(node, constraint.refers)
        for target in self._select([node], constraint.selector):
            values = self._fields(target, constraint)
            if values is not None and values not in known:
                what = f"{_shown(values)} refers to no {constraint.refers}"
                self.scene.report("PB032", target, self._name(target, constraint), what)

    def _known(self, node: Node, name: str) -> set[Values]:
        """The values of a constraint that are visible at an element: its own, and those of exactly one
        descendant.
        """
        found: dict[Values, Node | None] = {}
        for below in self._walk(node):
            for values, target in self.tables.get((id(below), name), {}).items():
                other = found.get(values, target)
                found[values] = target if other is target else None
        own = self.tables.get((id(node), name), {})
        return {values for values, target in found.items() if target is not None or values in own}

    def _fields(self, target: Node, constraint: Constraint) -> Values | None:
        """The values of an element's fields; None if one is missing."""
        values = []
        for paths in constraint.fields:
            found = list(self._evaluate(target, paths))
            if len(found) > 1:
                what = f"{_what(constraint)} {constraint.name} needs one value, but {len(found)} are given"
                self.scene.report("PB014", target, None, what)
                return None
            if not found:
                if constraint.kind == "key" and not self.uncertain:
                    path = " or ".join("/".join(path) or "." for path in paths)
                    what = f"key {constraint.name} requires a value of {path}"
                    self.scene.report("PB021", target, None, what)
                return None
            values.append(found[0])
        return tuple(values)

    def _name(self, target: Node, constraint: Constraint) -> str | None:
        """The attribute that a finding refers to, if the constraint is about a single attribute."""
        first = constraint.fields[0][0] if constraint.fields else ()
        row = self.values[type(target)].get(first[0]) if len(first) == 1 else None
        return None if row is None or getattr(target, row.field) is None else row.name

    # --- paths --------------------------------------------------------------------------------------------

    def _select(self, nodes: Iterable[Node], paths: Iterable[tuple[str, ...]]) -> list[Node]:
        """The elements that some paths select, each once."""
        start = list(nodes)
        found: dict[int, Node] = {}
        for path in paths:
            current = start
            for step in path:
                current = self._step(current, step)
            found.update((id(node), node) for node in current)
        return list(found.values())

    def _step(self, nodes: list[Node], step: str) -> list[Node]:
        if step == "//":
            return [below for node in nodes for below in self._walk(node)]
        found = []
        for node in nodes:
            names = self.names.get(type(node), {})
            for child in children_of(node):
                self._count()
                name = names.get(child.TAG)
                if name is not None and (step in ("*", name) or _in_namespace(step, name)):
                    found.append(child)
        return found

    def _evaluate(self, target: Node, paths: Iterable[tuple[str, ...]]) -> Iterator[Any]:
        """The values that the paths of a field select."""
        for path in paths:
            last = path[-1] if path else ""
            ends = self._select([target], [path[:-1] if last.startswith("@") else path])
            for node in ends:
                row = self.scene.rows.get(type(node))
                if row is None:
                    continue
                if last.startswith("@"):
                    yield from self._attributes(node, last)
                elif row.text is not None:
                    yield from _value(node, row.text)
            if last and not last.startswith("@"):
                for node in self._select([target], [path[:-1]]):
                    leaf = self.leaves.get(type(node), {}).get(last)
                    if leaf is not None:
                        yield from _value(node, leaf)

    def _attributes(self, node: Node, step: str) -> Iterator[Any]:
        for name, row in self.values[type(node)].items():
            if step in ("@*", name) or _in_namespace(step, name):
                yield from _value(node, row)

    def _walk(self, node: Node) -> Iterator[Node]:
        for below in node.walk():
            self._count()
            if not isinstance(below, Untyped):
                yield below

    def _count(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise _TooMany


def _value(node: Node, row: Attribute | Text) -> Iterator[Any]:
    """A value, or its default; normalised so that values that are equal in XML Schema compare equal."""
    value = getattr(node, row.field)
    value = row.default if value is None else value
    if value is not None:
        yield _comparable(value)


def _comparable(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return tuple(map(_comparable, value))
    return value.tolist() if hasattr(value, "tolist") else value


def _expanded(uri: str, local: str) -> str:
    return f"{{{uri}}}{local}" if uri else local


def _in_namespace(step: str, name: str) -> bool:
    """Whether a step is "{namespace}*" and a name belongs to that namespace."""
    return step.endswith("}*") and name.startswith(step[:-1])


def _what(constraint: Constraint) -> str:
    return "key" if constraint.kind == "key" else f"xs:{constraint.kind}"


def _shown(values: Values) -> str:
    return ", ".join(f"`{value}`" if isinstance(value, str) else repr(value) for value in values)
