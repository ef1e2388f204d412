"""Names of links and joints, in the order in which elements are read; elements in each other are one body.

A prefix is put before what an element has brought once it ends. What a file brings that is not read is not
known: then no name is missing, of those that begin with the file's prefixes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from polybody.base import Node, Span, children_of
from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.openrave.documents import (
    Adjacent,
    AttachedSensor,
    Body,
    Controller,
    Environment,
    Joint,
    JointValues,
    KinBody,
    Manipulator,
    Robot,
    RobotJointValues,
)
from polybody.suggest import did_you_mean
from polybody.validation.reference_graphs import Edge, rings
from polybody.validation.rules.openrave import mimic

BODIES = (KinBody, Robot)
RINGS = 100
"""Circles of joints that are looked at; each joint is told about once."""
WAY = 20
"""Joints on a way that a message names."""


class Scope:
    """What one body has so far."""

    def __init__(self) -> None:
        self.links: dict[str, Any] = {}
        self.joints: dict[str, Any] = {}
        self.manipulators: dict[str, Any] = {}
        self.unread: set[str] = set()  # prefixes of names in files that are not read
        self.formulas: list[Any] = []  # joints with formulas that are still to be read
        self.follows: list[tuple[Any, str, Any]] = []  # a joint, which of its attributes, whom it follows

    def tables(self) -> tuple[dict[str, Any], ...]:
        return self.links, self.joints, self.manipulators

    def may_have(self, name: str) -> bool:
        """Whether a file that is not read may hold a name."""
        return any(name.startswith(prefix) for prefix in self.unread)


def check(root: Any, lost: set[str], findings: Findings) -> None:
    """Report names that refer to nothing or are taken, and formulas, in a document and its files."""
    names = _Names(lost, findings)
    if type(root) in BODIES:
        names.whole(root)
    elif type(root) is Environment:
        names.environment(root)


class _Names:
    def __init__(self, lost: set[str], findings: Findings) -> None:
        self.lost, self.findings = lost, findings
        self.told: set[tuple[int, str]] = set()  # a file that is named twice is told about once

    def environment(self, node: Any) -> None:
        robots: dict[str, Any] = {}
        unread = False
        stack = [node]
        controllers = []
        while stack:
            scene = stack.pop()
            unread |= scene.file is not None and scene.content is None
            if scene.content is not None and type(scene.content) is Environment:
                stack.append(scene.content)
            for child in children_of(scene):
                if type(child) in BODIES:
                    self.whole(child)
                    self.named(child, robots)
                    unread |= child.name is None and child.file is not None
                elif type(child) is Environment:
                    stack.append(child)
                elif type(child) is Controller and child.robot is not None:
                    controllers.append(child)
        for controller in controllers:
            if not unread and controller.robot not in robots and controller.robot not in self.lost:
                hint = did_you_mean(controller.robot, robots)
                self.add("PB032", controller, f"there is no robot `{clip(controller.robot)}`", hint)

    def named(self, node: Any, names: dict[str, Any]) -> None:
        name = node.name or getattr(node.content, "name", None)
        if name is None:
            return
        if name in names:
            first = names[name].span
            at = "" if first is None else f" at line {first.line}"
            self.add("PB031", node, f"the name `{clip(name)}` is taken in this environment{at}")
        names.setdefault(name, node)

    def whole(self, node: Any) -> None:
        """A body or robot that stands alone."""
        scope = Scope()
        self.body(node, scope)
        self.formulas(scope, 0)
        self.rings(scope)

    def body(self, node: Any, scope: Scope) -> None:
        """One element of it, and what is in that; elements in each other are few."""
        before = [set(table) for table in scope.tables()], set(scope.unread), len(scope.formulas)
        if node.file is not None:
            if node.content is None:
                scope.unread.add("")
            elif type(node.content) is type(node):
                self.body(node.content, scope)
            else:
                held = node.content.TAG
                self.add("PB008", node, f"`{clip(node.file)}` holds a <{held}>; a <{node.TAG}> is needed")
                scope.unread.add("")
            self.prefix(node, scope, *before)
            before = [set(table) for table in scope.tables()], set(scope.unread), len(scope.formulas)
        for child in children_of(node):
            if type(child) in BODIES:
                self.body(child, scope)
            elif type(child) in LOOKS:
                LOOKS[type(child)](self, child, scope)
        self.prefix(node, scope, *before)

    def prefix(
        self, node: Any, scope: Scope, before: list[set[str]], unread: set[str], formulas: int
    ) -> None:
        """Put an element's prefix before the names that it has brought."""
        if not node.prefix:
            return
        self.formulas(scope, formulas)
        for table, old in zip(scope.tables(), before, strict=True):
            for name in [name for name in table if name not in old]:
                table[node.prefix + name] = table.pop(name)
        scope.unread = unread | {node.prefix + prefix for prefix in scope.unread - unread}

    def formulas(self, scope: Scope, start: int) -> None:
        if len(scope.formulas) == start:
            return
        joints = mimic.Joints(scope.joints, scope.may_have, self.lost)
        for joint in scope.formulas[start:]:
            if (id(joint), "formula") not in self.told:
                self.told.add((id(joint), "formula"))
                followed = mimic.check(joint, joints, self.findings)
                known = ((attribute, scope.joints.get(name)) for attribute, name in followed)
                scope.follows += [
                    (joint, attribute, other) for attribute, other in known if other is not None
                ]
        del scope.formulas[start:]

    def rings(self, scope: Scope) -> None:
        """Joints that follow each other in a circle: told at each of them."""
        names = {id(joint): name for name, joint in scope.joints.items()}
        edges = {
            (id(joint), id(other)): Edge(str(id(joint)), str(id(other)), joint, joint, attribute)
            for joint, attribute, other in scope.follows
        }
        told: set[str] = set()
        for _, members in islice(rings(edges.values()), RINGS):
            shown = [clip(names.get(int(each), "")) for each in members]
            for place, each in enumerate(members):
                if each not in told:
                    told.add(each)
                    edge = edges[int(each), int(members[(place + 1) % len(members)])]
                    message = f"the joint follows itself{_way(shown, place)}"
                    self.add("PB033", edge.node, message, span=edge.span)

    # --- children ---------------------------------------------------------------------------------------

    def _body(self, node: Any, scope: Scope) -> None:
        if node.name is not None and node.name in scope.links:
            first = scope.links[node.name].span
            at = "" if first is None else f" of line {first.line}"
            self.add("PB059", node, f"the body `{clip(node.name)}`{at} is opened again: this is added to it")
        self.refer(node.offsetfrom, scope.links, scope, "body")
        if node.name is not None:
            scope.links.setdefault(node.name, node)

    def _joint(self, node: Any, scope: Scope) -> None:
        for body in node.body:
            self.refer(body, scope.links, scope, "body")
        self.refer(node.offsetfrom, scope.links, scope, "body")
        self.declare(node, scope.joints, "joint")
        if any(getattr(node, name) is not None for name in mimic.ATTRIBUTES):
            scope.formulas.append(node)

    def _adjacent(self, node: Any, scope: Scope) -> None:
        self.refer(node, scope.links, scope, "body")

    def _manipulator(self, node: Any, scope: Scope) -> None:
        for link in (node.base, node.effector):
            self.refer(link, scope.links, scope, "body")
        for joints in (node.joints, node.gripperjoints):
            self.refer(joints, scope.joints, scope, "joint")
        self.declare(node, scope.manipulators, "manipulator")

    def _attachedsensor(self, node: Any, scope: Scope) -> None:
        self.refer(node.link, scope.links, scope, "body")

    def _jointvalues(self, node: Any, scope: Scope) -> None:
        if scope.unread or not node.text:
            return
        free = [joint for joint in scope.joints.values() if joint.enable is not False]
        wanted = sum(mimic.freedoms(joint) for joint in free if not mimic.follows(joint))
        if len(node.text) != wanted:
            message = f"<jointvalues> has {len(node.text)} values; the joints so far have {wanted} freedoms"
            self.add("PB024", node, message)

    # --- names ------------------------------------------------------------------------------------------

    def declare(self, node: Any, table: dict[str, Any], kind: str) -> None:
        if node.name is None:
            return
        first = table.setdefault(node.name, node)
        if first is not node:
            at = "" if first.span is None else f" at line {first.span.line}"
            self.add("PB031", node, f"the {kind} name `{clip(node.name)}` is taken{at}")

    def refer(self, node: Any, table: dict[str, Any], scope: Scope, kind: str) -> None:
        for name in _words(node):
            if name in table or name in self.lost or scope.may_have(name):
                continue
            other = next((known for known in table if known.lower() == name.lower()), None)
            if other is not None:
                message = f"<{node.TAG}>: not every reader takes `{clip(name)}` for `{clip(other)}`"
                self.add("PB074", node, message, f"write `{clip(other)}`")
                continue
            message = f"<{node.TAG}>: there is no {kind} `{clip(name)}` so far"
            self.add("PB032", node, message, did_you_mean(name, table))

    def add(
        self, code: str, node: Any, message: str, hint: str | None = None, span: Span | None = None
    ) -> None:
        if (id(node), message) not in self.told:
            self.told.add((id(node), message))
            self.findings.add(code, span or node.span, message, hint=hint, source=node.source)


LOOKS: Mapping[type[Node], Callable[[_Names, Any, Scope], None]] = {
    Body: _Names._body,
    Joint: _Names._joint,
    Adjacent: _Names._adjacent,
    Manipulator: _Names._manipulator,
    AttachedSensor: _Names._attachedsensor,
    JointValues: _Names._jointvalues,
    RobotJointValues: _Names._jointvalues,
}
"""What is looked at in a body or robot, by the class of an element: a tag may be any word of a document's."""


def _way(names: list[str], place: int) -> str:
    """The way round from one of several to itself."""
    if len(names) == 1:
        return ""
    way = [f"`{names[(place + step) % len(names)]}`" for step in range(min(len(names), WAY))]
    return ": " + " -> ".join([*way, *["..."] * (len(names) > WAY), way[0]])


def _words(node: Any) -> Iterator[str]:
    """The names in the text of an element."""
    if node is not None and node.text is not None:
        yield from node.text if isinstance(node.text, tuple) else (node.text,)
