"""Deleting elements, so that nothing remains that refers to them or has no meaning without them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from polybody.base import Child, Node, OneOf, Required, Text, Together
from polybody.document.references import Kept, Mention, References, Use, put, value_of, words_of
from polybody.document.registry import format_of
from polybody.editing.arguments import require_element, require_within
from polybody.editing.faults import require_no_new_errors, twin_of
from polybody.editing.inherited import Inherited, class_instead, gives
from polybody.editing.keys import Keys
from polybody.editing.parts import Parts


class Deleted(list[Node]):
    """Deleted elements.

    Attributes:
        mentions: texts of plugins, and of other elements whose meaning is not known, that contain the name of
            a deleted element. They are not changed.
    """

    mentions: list[Mention]


def delete(document: Node, node: Node, subtree: bool = False) -> Deleted:
    """Delete an element of a document, with its content and everything that has no meaning without it.

    An optional attribute that refers to a deleted element is removed. An element that requires the reference
    is deleted as well, and so is its parent if that requires the element: a transmission without a joint, a
    tendon without one of its sites, a ``<gazebo reference>``. A pose relative to a deleted frame is expressed
    in another one, and key frames lose the numbers of deleted joints. What a defaults class gives is written
    into the elements that had it from there, which are then of the class around it.

    A link or body that others are connected to by joints leaves them to the link to which it was connected
    itself: in URDF and SKEL, with poses as at the zero position, since initial positions are lost with their
    joints. Without its first link, a URDF's frame is that of the next one. The last link of a model of
    SDFormat whose parts are named ``a::b`` takes what else is in that model along.

    Args:
        document: its root element.
        node: the element.
        subtree: also delete all links or bodies below it, or below a joint.

    Returns:
        The deleted elements, the given one first, without their descendants; its ``mentions`` are the texts
        of plugins that contain the name of one.

    Raises:
        TypeError: ``document`` or ``node`` is not an element.
        ValueError: the element is not in the document, or is its root; or another one needs it, which is
            named: the document would have an error that it did not have, such as a ``<geometry>`` without a
            shape, a moving body without mass, or several links without a parent in a format that allows one;
            or, in OpenRAVE, it adds to the content of a file. Nothing is deleted.
    """
    require_element(node)
    if node is document:
        raise ValueError(f"<{node.TAG}> is the document's root")
    require_within(document, node)
    trial, (twin,) = twin_of(document, node)
    _delete(trial, twin, subtree)
    require_no_new_errors([document], trial, f"without {_shown(node)}")
    return _delete(document, node, subtree)


def _delete(document: Node, node: Node, subtree: bool) -> Deleted:
    form = format_of(document)
    references = References(document, form)
    parts = Parts(references)
    tops: list[Node] = [node]
    if subtree:
        starts = [joint.child.part for joint in parts.joints if joint.node is node]
        tops += parts.below([each for each in starts if each is not None] or [node])
        if parts.is_tree and len(parts.all) == sum(each in map(id, tops) for each in map(id, parts.all)):
            raise ValueError(f"<{node.TAG}> and what is below it is all of the document")
    _require_dispensable(references, node)
    connected = parts.connected if parts.joined is not None and parts.joined.all else []
    if not subtree and parts.joined is not None:
        from polybody.editing.reattaching import reattach

        trial = Removal(references)  # raises before anything is changed
        trial.add(tops)
        trial.frames()
        reattach(parts, node)
        references = References(document, form)
        parts = Parts(references)
    tops += parts.joints_at(each for top in tops for each in top.walk())
    found = remove(references, tops)
    if connected:
        _require_connected(Parts(References(document, form)), connected)
    return found


def _require_dispensable(references: References, node: Node) -> None:
    """Raise a ValueError if the element around one has no meaning without it."""
    around: Any = references.parents[id(node)]
    if Removal(references).whole(node) is not node:
        raise ValueError(f"{_shown(around)} needs this <{node.TAG}>; delete the <{around.TAG}> instead")


def _require_connected(parts: Parts, connected: list[Any]) -> None:
    """Raise a ValueError if parts that were connected by a joint no longer are."""
    remaining, still = set(map(id, parts.all)), set(map(id, parts.connected))
    for part in connected:
        if id(part) in remaining - still:
            raise ValueError(
                f"{_shown(part)} would be left without a joint; subtree=True deletes what is below, too"
            )


def _shown(node: Any) -> str:
    name = getattr(node, "name", None)
    return f"<{node.TAG}>{f' `{name}`' if name else ''}{f' at {node.place}' if node.place else ''}"


def remove(references: References, tops: Iterable[Node], keys: Keys | None = None) -> Deleted:
    """Delete elements with all that has no meaning without them.

    keys: the key frames as they were before earlier changes.
    """
    removal = Removal(references)
    keys = keys or Keys(references.document)
    removal.add(tops)
    found = removal.run()
    lost = keys.refit()
    if lost:
        again = Removal(References(references.document, references.form))
        again.add(lost)
        found += again.run()
    return found


class Removal:
    """Elements of one document that are to be deleted, and what goes with them."""

    def __init__(self, references: References) -> None:
        self.references, self.naming = references, references.naming
        self.gone: set[int] = set()
        self.deleted: list[Node] = []
        self.names: set[str] = set()
        self.cleared: list[tuple[Any, Any]] = []
        self.classes: list[tuple[Any, Any, Node]] = []
        self._uses: dict[int, list[Use]] = {}
        for use in references.uses():
            self._uses.setdefault(id(use.target), []).append(use)

    def add(self, tops: Iterable[Node]) -> None:
        """Add elements, and those that have no meaning without them."""
        todo = list(tops)
        while todo:
            top = todo.pop(0)
            if id(top) in self.gone:
                continue
            self._require_alone(top)
            self.deleted.append(top)
            inside = list(top.walk())
            self.gone.update(map(id, inside))
            around = self.whole(top)
            if around is not top:
                todo.insert(0, around)
            todo += self._flattened(top)
            for each in inside:
                self._name(each)
                todo += [
                    found for use in self._uses.get(id(each), ()) if (found := self._with(use)) is not None
                ]
            todo = todo or self._unused()

    def _flattened(self, node: Node) -> list[Node]:
        """What remains of models that are parts `a::b` of another one, without the last thing they need."""
        parent, delimiter = self.references.parents.get(id(node)), self.naming.delimiter
        needs = () if parent is None else self.naming.needs.get(parent.TAG, ())
        if parent is None or not delimiter or node.TAG not in needs:
            return []
        found, models = [], (self.references.name_of(node) or "").split(delimiter)[:-1]
        for count in range(len(models), 0, -1):
            prefix = "".join(f"{name}{delimiter}" for name in models[:count])
            beside = [each for each in parent.children if id(each) not in self.gone]
            named = [each for each in beside if (self.references.name_of(each) or "").startswith(prefix)]
            found += [] if any(each.TAG in needs for each in named) else named
        return found

    def _unused(self) -> list[Node]:
        """Elements that have no meaning without a reference, and that only deleted ones refer to."""
        found = []
        for uses in self._uses.values() if self.naming.used else ():
            target = uses[0].target
            if target.TAG in self.naming.used and id(target) not in self.gone:
                found += [] if any(id(use.node) not in self.gone for use in uses) else [target]
        return found

    def _require_alone(self, node: Any) -> None:
        """Raise ValueError if an element may be one with an element of a file, which would remain."""
        around: Any = self.references.parents.get(id(node)) if self.naming.joins else None
        name = self.references.name_of(node)
        if name and getattr(around, "file", None) and id(around) not in self.gone:
            raise ValueError(
                f"<{node.TAG}> `{name}` adds to the file of the <{around.TAG}> around it; delete that instead"
            )

    def _name(self, node: Node) -> None:
        declared = self.references.declared(node)
        if declared is not None and isinstance(name := value_of(node, declared[0]), str):
            self.names.add(name)

    def _with(self, use: Use) -> Node | None:
        """What is deleted with the target of a reference; None if only the reference is."""
        if id(use.node) in self.gone or not words_of(value_of(use.node, use.row)):
            return None
        if use.node.TAG in self.naming.contentful and self.references.has_content(use.node, use.row):
            return None  # it is complete without the other element of its name
        if self.needed(use):
            return self.whole(use.node)
        if getattr(use.row, "defaults_class", None):
            self.classes.append((use.node, use.row, use.target))
        else:
            self.cleared.append((use.node, use.row))
        return None

    def run(self) -> Deleted:
        """Delete all."""
        frames, inherited = self.frames(), self._inherited()
        found = Deleted(self.deleted)
        changes: list[tuple[Any, Any, str | None]] = [(node, row, None) for node, row in self.cleared]
        changes += [(n, row, class_instead(self.references, t, n, self.gone)) for n, row, t in self.classes]
        for node, row, value in changes:
            if id(node) not in self.gone:
                put(node, row, value)
        for change in frames:
            change()
        for top in self.deleted:
            parent = self.references.parents.get(id(top))
            if parent is not None and id(parent) not in self.gone:
                parent.children[:] = [child for child in parent.children if child is not top]
        if inherited is not None:
            inherited.keep()
        found.mentions = References(self.references.document, self.references.form).mentions(self.names)
        return found

    def _inherited(self) -> Inherited | None:
        """The values that deleted elements give to others."""
        form = self.references.form
        given = (gives(form, node) for top in self.deleted for node in top.walk())
        return Inherited(self.references) if self.classes or (form.defaults and any(given)) else None

    def frames(self) -> list[Callable[[], None]]:
        """What to do to express in other frames what is given in deleted ones."""
        if self.references.form.name not in ("sdf", "openrave"):
            return []
        from polybody.editing.frames import kept_frames

        return kept_frames(self.references, self.gone, self.cleared)

    def needed(self, use: Use) -> bool:
        """Whether an element has no meaning without the element that it refers to."""
        row = self.references.row_of(use.node)
        if isinstance(use.row, Text | Kept) or row is None or use.row.required:
            return True
        if len(words_of(value_of(use.node, use.row))) > 1:
            return True
        if (use.node.TAG, use.row.name) in self.naming.belongs or use.node.TAG in self.naming.contentful:
            return True
        for rule in row.rules:
            if isinstance(rule, OneOf | Together) and use.row.name in rule.names:
                return True
            strict = isinstance(rule, Required) and (not rule.advised or rule.when is not None)
            if strict and isinstance(rule, Required) and use.row.name == rule.name:
                return True
        return use.row.name in self.naming.chosen

    def whole(self, node: Node) -> Node:
        """An element, or its ancestor that has no meaning without it."""
        while (parent := self.references.parents.get(id(node))) is not None:
            if not self._requires(parent, node):
                break
            if parent is self.references.document:
                raise ValueError(
                    f"without the last <{node.TAG}>, nothing would be left of the <{parent.TAG}>"
                )
            node = parent
        return node

    def _requires(self, parent: Node, node: Node) -> bool:
        if (parent.TAG, node.TAG) in self.naming.every:
            return True
        others = [each.TAG for each in parent.children if each is not node and id(each) not in self.gone]
        needs = self.naming.needs.get(parent.TAG, ())
        if node.TAG in needs and not any(tag in needs for tag in others):
            return True
        row = self.references.row_of(parent)
        child = None if row is None else _child(row.children, node)
        return child is not None and others.count(node.TAG) < child.low


def _child(rows: tuple[Child, ...], node: Node) -> Child | None:
    return next((row for row in rows if row.tag == node.TAG), None)
