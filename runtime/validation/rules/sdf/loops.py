"""Loops of joints: a joint between links that other joints already connect, which Drake refuses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from polybody.base import held
from polybody.document.parser.value_faults import clip
from polybody.validation.names import is_forest
from polybody.validation.rules.sdf.frames import body
from polybody.validation.rules.sdf.scopes import WORLD, Place, Scope, merged
from polybody.validation.scene import Scene

CODE = "PB083"
OPEN = "remove it, and close the loop with <drake:ball_constraint> or <drake:linear_bushing_rpy>"
End = tuple[Any, ...] | str
"""An end of a joint: the world; a link, by its model and name; or a link of a file, by the model that
includes it, the name there, and the link's end in the file.
"""


class Connected:
    """The links that the joints of one document's model or world connect: a forest with a tree for each
    connected set.

    A file is examined once. Each model that includes it has its own links from it, connected as in the file.
    """

    def __init__(self, files: dict[int, Connected]) -> None:
        """``files``: the results for models in files, by the id of their scope."""
        self.files = files
        self._parents: dict[End, End] = {}
        self._sizes: dict[End, float] = {WORLD: float("inf")}
        self._direct: dict[frozenset[End], Any] = {}  # the first joint between two links

    def take(self, scope: Scope) -> Iterator[tuple[Any, Any]]:
        """Add the joints of a model or world, in order. Yields those that close a loop, each with the first
        joint between the same links, or None.
        """
        scopes = list(within(scope))
        for each in scopes:
            for model in merged(each.node):
                for joint in joints(model):
                    self._take(each, joint)  # reported where the file was read
        own = [(each, joint) for each in scopes for joint in joints(each.node)]
        own.sort(key=lambda pair: pair[1]._position or 0)
        for each, joint in own:
            closes, first = self._take(each, joint)
            if closes:
                yield joint, first

    def _take(self, scope: Scope, joint: Any) -> tuple[bool, Any]:
        """Add a joint; returns whether it closes a loop, and the first joint between the same links."""
        a, b = (_link(scope, name) for name in ends(joint))
        if a is None or b is None or _end(a) == _end(b):
            return False, None
        first = self.first(a, b)
        self._direct.setdefault(frozenset((_end(a), _end(b))), joint)
        return not self._connect(self.top(a), self.top(b)), first

    def top(self, link: Place | str) -> End:
        """The representative of the links to which a link is connected."""
        end: End = WORLD
        if isinstance(link, Place):
            end = _end(link)
            if link.steps:
                include = link.steps[0]
                inner = self.of_file(include.scope).top(link.inside())
                end = WORLD if inner == WORLD else (id(link.base), include.name, inner)
        while end in self._parents:
            end = self._parents[end]
        return end

    def first(self, a: Place | str, b: Place | str) -> Any:
        """The first joint between two links, or None; it may be in a file that contains both."""
        found = self._direct.get(frozenset((_end(a), _end(b))))
        if found is not None or not (isinstance(a, Place) and isinstance(b, Place) and a.steps and b.steps):
            return found
        if a.base is not b.base or a.steps[0] is not b.steps[0]:
            return None
        return self.of_file(a.steps[0].scope).first(a.inside(), b.inside())

    def of_file(self, scope: Any) -> Connected:
        """The connections by the joints of a file's model."""
        known = self.files.get(id(scope))
        if known is None:
            known = self.files[id(scope)] = Connected(self.files)
            for _ in known.take(scope):
                pass  # reported where the file was read
        return known

    def _connect(self, a: End, b: End) -> bool:
        """Join two trees; False if they are the same."""
        if a == b:
            return False
        # The smaller tree is attached to the larger, so that paths to a root remain short.
        small, large = sorted((a, b), key=lambda end: self._sizes.get(end, 1))
        self._sizes[large] = self._sizes.get(small, 1) + self._sizes.get(large, 1)
        self._parents[small] = large
        return True


def check(scopes: Iterable[Scope], scene: Scene) -> None:
    """Report joints that close loops in models and worlds of a document; those in files were reported with
    them.
    """
    files = scene.findings.shared.setdefault("loops of SDFormat", {})
    for scope in scopes:
        if _is_plain(scope):
            continue
        connected = files[id(scope)] = Connected(files)
        for joint, first in connected.take(scope):
            _report(joint, first, scene)


def _is_plain(scope: Scope) -> bool:
    """Whether joints connect only links of their model, or the world, and close no loop; the usual case."""
    sources: list[str] = []
    targets: list[str] = []
    for each in within(scope):
        plain = held(each.node, "joint")
        if held(each.node, "drake_joint") or any(merged(each.node)) or each.other_joints():
            return False
        own = "" if each is scope else f"{id(each)}/"
        sources += [WORLD if joint.parent == WORLD else own + joint.parent for joint in plain]
        targets += [own + joint.child for joint in plain]
    return is_forest(sources, targets)


def within(scope: Scope) -> Iterator[Scope]:
    """A scope and those of the models nested in it."""
    waiting = [scope]
    while waiting:
        current = waiting.pop()
        yield current
        inner = [each.scope for each in current.names.values() if each.node.TAG == "model"]
        waiting.extend(each for each in reversed(inner) if each is not None)


def _report(joint: Any, first: Any, scene: Scene) -> None:
    name = clip(joint.name or "")  # a missing one is reported separately
    if first is None:
        message = f"the joint `{name}` closes a loop of joints, which Drake refuses"
        scene.report(CODE, joint, None, message, OPEN)
        return
    before = first.span
    place = f" at line {before.line}" if first.source is joint.source and before is not None else ""
    message = f"joint `{name}` connects the same links as joint `{clip(first.name or '')}`{place}"
    scene.report(
        CODE, joint, None, f"{message}; Drake accepts only one joint between two links", related=before
    )


def joints(node: Any) -> Iterable[Any]:
    """The joints of a model or world; an included file may contain a robot of URDF."""
    return (*held(node, "joint"), *held(node, "drake_joint"))


def ends(joint: Any) -> tuple[str, str]:
    """The names of parent and child."""
    prefix = "drake_" if hasattr(joint, "drake_parent") else ""
    given = (getattr(joint, prefix + name) for name in ("parent", "child"))
    first, second = (getattr(end, "link", end) for end in given)  # URDF names links in child elements
    return (first or "").strip(), (second or "").strip()


def _link(scope: Scope, name: str) -> Place | str | None:
    """The link that a joint's end is fixed to, or the world; None if it is unknown."""
    return WORLD if name == WORLD else body(scope, name) if name else None


def _end(link: Place | str) -> End:
    if not isinstance(link, Place):
        return link
    return (id(link.base), *(step.name for step in link.steps), link.name)
