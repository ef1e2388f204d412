"""Names of links and joints, in the order in which elements are read. Nested elements form one body.

At the end of an element, its prefix is added to the names that it has defined. The names in a file that is
not read are unknown; then no name with the file's prefix is reported as missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

from polybody.base import Node, Span, children_of, held
from polybody.document.parser.tables import table_of
from polybody.document.parser.value_faults import clip
from polybody.document.sources import LIMITS
from polybody.formulas import Work
from polybody.generated.formats.openrave.documents import (
    Adjacent,
    AttachedSensor,
    Base,
    Body,
    BodyOffsetfrom,
    Controller,
    Effector,
    Environment,
    GripperJoints,
    Joint,
    JointBody,
    JointOffsetfrom,
    Joints,
    JointValues,
    KinBody,
    Link,
    Manipulator,
    Robot,
    RobotJointValues,
)
from polybody.generated.formats.openrave.tables import FORMAT
from polybody.suggest import did_you_mean
from polybody.validation.plain_names import PlainNames
from polybody.validation.reference_graphs import Edge, rings
from polybody.validation.rules.openrave import mimic
from polybody.validation.scene import Scene

BODIES = (KinBody, Robot)
KEYS = {row.cls: key for key, row in FORMAT.elements.items()}
LINK, JOINT, MANIPULATOR = range(3)
"""Kinds of names."""
OF_LINKS: tuple[type[Node], ...] = (
    *(JointBody, JointOffsetfrom, BodyOffsetfrom),
    *(Adjacent, Base, Effector, Link),
)
OF_JOINTS: tuple[type[Node], ...] = (Joints, GripperJoints)
"""Elements whose text names links or joints."""
VALUES = (JointValues, RobotJointValues)
RINGS = 100
"""Maximum number of cycles of joints that are examined; each joint is reported once."""
MAX_PATH = 20
"""Maximum number of joints that a message names."""


class Names:
    """The elements of one kind by name, in order of definition."""

    def __init__(self) -> None:
        self.nodes: dict[str, Any] = {}
        self._cases: dict[str, str] = {}  # name in lower case -> the first name with this spelling
        self._counted = 0  # how many of the nodes are included here

    def add(self, name: str, node: Any) -> Any:
        """The first node with a name, which is this node if there is no other."""
        return self.nodes.setdefault(name, node)

    def from_place(self, place: int) -> list[str]:
        """The names from an index on."""
        return list(islice(reversed(self.nodes), max(0, len(self.nodes) - place)))[::-1]

    def in_another_case(self, name: str) -> str | None:
        """A name that differs from one only in letter case."""
        for known in self.from_place(self._counted):
            self._cases.setdefault(known.lower(), known)
        self._counted = len(self.nodes)
        return self._cases.get(name.lower())

    def rename(self, old: str, new: str) -> None:
        """Rename a node, which becomes the last one, unless it replaces another."""
        if self._cases.get(old.lower()) == old:
            del self._cases[old.lower()]
        self.nodes[new] = self.nodes.pop(old)

    def put_before(self, prefix: str, place: int) -> int:
        """Put a prefix before the names from an index on; returns their total number of characters."""
        names = self.from_place(place)
        self._counted = min(self._counted, place)
        for name in names:
            self.rename(name, prefix + name)
        return sum(map(len, names)) + len(names) * len(prefix)


class JointNames(Names):
    """The joints, whose names formulas use, and the number of their independent degrees of freedom.

    Most files need neither, so joints are examined on request.
    """

    def __init__(self, formulas: mimic.Joints) -> None:
        super().__init__()
        self._formulas = formulas
        formulas.known = self.nodes
        self._dofs = 0
        self._looked = 0  # how many of the nodes are included in these two

    def _look(self) -> None:
        if self._looked < len(self.nodes):
            for name in self.from_place(self._looked):
                self._formulas.add(name)
                self._dofs += mimic.free(self.nodes[name])
            self._looked = len(self.nodes)

    @property
    def formulas(self) -> mimic.Joints:
        """The names that formulas can use."""
        self._look()
        return self._formulas

    @property
    def dofs(self) -> int:
        """Number of independent degrees of freedom."""
        self._look()
        return self._dofs

    def rename(self, old: str, new: str) -> None:
        self._look()
        replaced = self.nodes.get(new)
        self._dofs -= 0 if replaced is None else mimic.free(replaced)
        self._formulas.discard(old)
        super().rename(old, new)
        self._formulas.add(new)
        self._looked = len(self.nodes)


class Prefixes(Names):
    """Prefixes of unknown names."""

    def __init__(self) -> None:
        super().__init__()
        self.lengths: Counter[int] = Counter()

    def add(self, name: str, node: Any = None) -> Any:
        if name not in self.nodes:
            self.lengths[len(name)] += 1
        return super().add(name, node)

    def rename(self, old: str, new: str) -> None:
        self.lengths[len(old)] -= 1
        self.lengths[len(new)] += new not in self.nodes
        super().rename(old, new)

    def of(self, name: str) -> bool:
        """Whether a name begins with one of them."""
        return any(count and name[:length] in self.nodes for length, count in self.lengths.items())


class Scope:
    """The content of one body so far."""

    def __init__(self, lost: set[str]) -> None:
        self.unread = Prefixes()  # prefixes of names in unread files
        self.links, self.manipulators = Names(), Names()
        self.joints = JointNames(mimic.Joints(self.unread.of, lost))
        self.formulas: list[Any] = []  # joints with formulas that are not read yet
        self.follows: list[tuple[Any, str, Any]] = []  # a joint, its attribute, the joint that it follows
        self.made = 0  # number of characters of names with prefixes

    def tables(self) -> tuple[Names, ...]:
        return self.links, self.joints, self.manipulators, self.unread

    def marks(self) -> list[int]:
        """Current numbers of entries: of each table, and of formulas."""
        return [*(len(table.nodes) for table in self.tables()), len(self.formulas)]


def check(scene: Scene) -> None:
    """Report missing or duplicate names, and faults of formulas, in a document and its files."""
    root = scene.root
    names = _Names(scene, type(root) is KinBody)
    if type(root) in BODIES:
        names.whole(root)
    elif type(root) is Environment:
        names.environment(root)


@cache
def _plain() -> PlainNames:
    """How elements affect names; the plain cases need no report."""
    return PlainNames(
        table_of(FORMAT),
        kinds=3,
        holders=(KEYS[KinBody], KEYS[Robot], KEYS[AttachedSensor]),
        named={KEYS[Body]: LINK, KEYS[Joint]: JOINT, KEYS[Manipulator]: MANIPULATOR},
        referring={
            KEYS[each]: kind for kind, some in ((LINK, OF_LINKS), (JOINT, OF_JOINTS)) for each in some
        },
        unknown=(KEYS[JointValues], KEYS[RobotJointValues]),
        bars={
            KEYS[KinBody]: ("file", "prefix"),
            KEYS[Robot]: ("file", "prefix"),
            KEYS[Joint]: tuple(mimic.ATTRIBUTES),
        },
    )


class _Names:
    def __init__(self, scene: Scene, is_part: bool) -> None:
        """is_part: whether the document is a body, which files of robots and environments include."""
        self.scene, self.lost, self.is_part = scene, scene.rules.lost, is_part
        self.reported: set[int] = set()  # joints whose formulas were examined, by id
        self.work = Work()

    def environment(self, node: Any) -> None:
        robots: dict[str, Any] = {}
        unread = False
        stack = [node]
        controllers: list[Any] = []
        met: Counter[int] = Counter()
        while stack:
            each = stack.pop()
            met[id(each)] += 1
            if met[id(each)] > 2:
                continue  # a file that is included again: its names were already used
            unread |= each.file is not None and each.content is None
            if type(each.content) is Environment:
                stack.append(each.content)
            for child in children_of(each):
                if type(child) in BODIES:
                    if met[id(each)] == 1:
                        self.whole(child)
                    self.named(child, robots)
                    unread |= child.name is None and child.file is not None
                elif type(child) is Environment:
                    stack.append(child)
                elif type(child) is Controller and child.robot is not None:
                    controllers.append(child)
        for controller in controllers:
            name = controller.robot or ""
            if not unread and name not in robots and name not in self.lost and self.scene.takes("PB032"):
                hint = did_you_mean(name, robots)
                self.add("PB032", controller, f"there is no robot `{clip(name)}`", hint)

    def named(self, node: Any, names: dict[str, Any]) -> None:
        name = node.name or getattr(node.content, "name", None)
        if name is None:
            return
        if name in names:
            first = names[name].span
            at = "" if first is None else f" at line {first.line}"
            self.add(
                "PB031",
                node,
                f"the name `{clip(name)}` is already used in this environment{at}",
                related=first,
            )
        names.setdefault(name, node)

    def whole(self, node: Any) -> None:
        """A body or robot that is the root."""
        if _plain().hold(KEYS[type(node)], node):
            return
        scope = Scope(self.lost)
        # Bodies may be nested thousands deep.
        open_bodies = [self.body(node, scope)]
        while open_bodies:
            inner = next(open_bodies[-1], None)
            if inner is None:
                open_bodies.pop()
            else:
                open_bodies.append(self.body(inner, scope))
        self.formulas(scope, 0)
        self.rings(scope)
        self.values(node, scope)

    def values(self, node: Any, scope: Scope) -> None:
        """The last values of joints on the outermost element, or on a body directly in it."""
        inner = [child for child in children_of(node) if type(child) in BODIES]
        given = [each for body in (*inner, node) for each in children_of(body) if type(each) in VALUES]
        if not given or not given[-1].text or scope.unread.nodes:
            return
        count, wanted = len(given[-1].text), scope.joints.dofs
        if count != wanted:
            message = f"<jointvalues> has {count} values; the joints have {wanted} degrees of freedom"
            self.add("PB024", given[-1], message)

    def body(self, node: Any, scope: Scope) -> Iterator[Any]:
        """Examine one element of a body; yields nested elements, to be examined before it continues."""
        before = scope.marks() if node.prefix else []
        if node.file is not None:
            if node.content is None:
                scope.unread.add("")
            elif (
                type(node.content) is type(node) or type(node.content) is KinBody
            ):  # a robot may contain another
                yield node.content
            else:
                held = node.content.TAG
                self.add("PB008", node, f"`{clip(node.file)}` contains a <{held}>; expected a <{node.TAG}>")
                scope.unread.add("")
            self.prefix(node, scope, before)
            before = scope.marks() if node.prefix else []
        for child in children_of(node):
            look = LOOKS.get(type(child))
            if look is not None:
                look(self, child, scope)
            elif type(child) in BODIES:
                yield child
        self.prefix(node, scope, before)

    def prefix(self, node: Any, scope: Scope, before: list[int]) -> None:
        """Put an element's prefix before the names that it has defined."""
        if not node.prefix or scope.made > LIMITS.names:
            return
        *places, formulas = before
        self.formulas(scope, formulas)
        brought = sum(len(table.nodes) - place for table, place in zip(scope.tables(), places, strict=True))
        scope.made += brought * len(node.prefix)
        if scope.made > LIMITS.names:
            message = f"with their prefixes, names have more than {LIMITS.names:,} characters"
            self.add("PB002", node, f"{message}, which exceeds the limit of this reader")
            scope.unread.add("")  # no name is reported as missing from here on
            return
        for table, place in zip(scope.tables(), places, strict=True):
            scope.made += table.put_before(node.prefix, place)

    def formulas(self, scope: Scope, start: int) -> None:
        for joint in scope.formulas[start:]:
            if id(joint) not in self.reported:  # a file that is named twice is reported once
                self.reported.add(id(joint))
                followed = mimic.check(joint, scope.joints.formulas, self.work, self.scene)
                known = ((attribute, scope.joints.nodes.get(name)) for attribute, name in followed)
                scope.follows += [
                    (joint, attribute, other) for attribute, other in known if other is not None
                ]
        del scope.formulas[start:]

    def rings(self, scope: Scope) -> None:
        """Report joints that follow each other in a cycle, at each of them."""
        if not scope.follows:
            return
        names = {id(joint): name for name, joint in scope.joints.nodes.items()}
        edges = {
            (id(joint), id(other)): Edge(str(id(joint)), str(id(other)), joint, joint, attribute)
            for joint, attribute, other in scope.follows
        }
        reported: set[str] = set()
        for _, path, begin in islice(rings(edges.values()), RINGS):
            members = path[begin:]
            for place, each in enumerate(members):
                if each not in reported:
                    reported.add(each)
                    edge = edges[int(each), int(members[(place + 1) % len(members)])]
                    message = f"the joint follows itself{_ring(members, place, names)}"
                    self.scene.report("PB033", edge.node, edge.attribute, message)

    # --- children ---------------------------------------------------------------------------------------

    def _body(self, node: Any, scope: Scope) -> None:
        name = node.name
        if name is not None and name in scope.links.nodes:
            first = scope.links.nodes[name].span
            at = "" if first is None else f" of line {first.line}"
            self.add(
                "PB059",
                node,
                f"the body `{clip(name)}`{at} already exists: the content of this element is added to it",
            )
        self.refer(node.offsetfrom, scope.links, scope, "body", own=name)
        if name is not None:
            scope.links.add(name, node)

    def _joint(self, node: Any, scope: Scope) -> None:
        for each in held(node, "body"):
            self.refer(each, scope.links, scope, "body", folds=True)
        self.refer(node.offsetfrom, scope.links, scope, "body")
        self.declare(node, scope.joints, "joint")
        if mimic.has_formulas(node):
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

    # --- names ------------------------------------------------------------------------------------------

    def declare(self, node: Any, table: Names, kind: str) -> None:
        if node.name is None:
            return
        first = table.add(node.name, node)
        if first is not node:
            at = "" if first.span is None else f" at line {first.span.line}"
            # # Only a joint with a degree of freedom of its own needs a name that no other joint has.
            twice = kind == "joint" and any(mimic.free(each) for each in (first, node))
            self.add(
                "PB031" if twice else "PB076",
                node,
                f"the {kind} name `{clip(node.name)}` is already used{at}",
                related=first.span,
            )

    def refer(
        self, node: Any, table: Names, scope: Scope, kind: str, own: str | None = None, folds: bool = False
    ) -> None:
        """Look up the names in an element; ``own`` is the name of the enclosing element, which cannot be
        meant. ``folds``: OpenRAVE ignores letter case here.
        """
        text = None if node is None else node.text
        if text is None:
            return
        known = table.nodes
        for name in text if type(text) is tuple else (text,):
            if name in known or name in self.lost or scope.unread.of(name):
                continue
            other = table.in_another_case(name) if folds else None
            if other is not None:
                message = f"<{node.TAG}>: OpenRAVE accepts `{clip(name)}` for `{clip(other)}` only here"
                self.add("PB074", node, message, f"write `{clip(other)}`")
                continue
            message = f"<{node.TAG}>: there is no {kind} `{clip(name)}` so far"
            hint = did_you_mean(name, table.nodes) if self.scene.takes("PB032") else None
            if self.is_part and hint is None and name != own:
                self.add("PB089", node, f"{message}; a file that includes this one may define it")
            elif self.scene.takes("PB032"):
                self.add("PB032", node, message, hint)

    def add(
        self, code: str, node: Any, message: str, hint: str | None = None, related: Span | None = None
    ) -> None:
        self.scene.report(code, node, None, message, hint, related)


LOOKS: Mapping[type[Node], Callable[[_Names, Any, Scope], None]] = {
    Body: _Names._body,
    Joint: _Names._joint,
    Adjacent: _Names._adjacent,
    Manipulator: _Names._manipulator,
    AttachedSensor: _Names._attachedsensor,
}
"""Methods for elements in a body or robot, by class: tags can be arbitrary."""


def _ring(members: list[str], place: int, names: dict[int, str]) -> str:
    """The cycle from one of several joints back to itself, in words."""
    count = len(members)
    if count == 1:
        return ""
    met = (names.get(int(members[(place + step) % count]), "") for step in range(min(count, MAX_PATH)))
    path = [f"`{clip(name)}`" for name in met]
    return ": " + " -> ".join([*path, *["..."] * (count > MAX_PATH), path[0]])
