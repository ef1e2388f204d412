"""Attaching the content of one document to a part of another."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from polybody.base import Node
from polybody.document.includes import expand
from polybody.document.references import Mention, References
from polybody.document.registry import format_of
from polybody.editing.arguments import require_element, require_within
from polybody.editing.faults import require_no_new_errors, twin_of
from polybody.editing.included import Included
from polybody.editing.parts import Parts
from polybody.editing.paths import rebase
from polybody.editing.poses import given_pose
from polybody.editing.renaming import prefix_names
from polybody.rotations.poses import Pose

MODULES = {
    "mjcf": "attaching_mjcf",
    "x_xy": "attaching_x_xy",
    **dict.fromkeys(("urdf", "sdf", "skel", "openrave"), "attaching_joined"),
}
"""By format: the module with the function, of the format's name, that says what is added."""
MAX_LISTED = 10
"""Maximum number of names in the message about names that exist in both documents."""


class Graft(NamedTuple):
    """What is attached where.

    Attributes:
        document: the document that is changed, at the end.
        other: a copy of the other one, with all names as they are going to be.
        parent: the element of the document.
        prefix: text before the names of the other one.
        pose: of the other document's origin, in the frame of the parent.
        joint: None, a type, or an element of the document's format, a copy.
        mentions: texts in the copy with old names, which are not changed.
    """

    document: Any
    other: Any
    parent: Any
    prefix: str
    pose: Pose
    joint: Any
    mentions: list[Mention]

    @property
    def ours(self) -> References:
        return References(self.document, format_of(self.document))

    @property
    def whole(self) -> Any:
        """The document with the content of included files in place."""
        return expand(self.document, format_of(self.document))[0]

    @property
    def theirs(self) -> References:
        return References(self.other, format_of(self.other))

    def mentioned(self, node: Node) -> bool:
        """Whether an element contains a text with an old name: it means something else than its equal."""
        inside = {id(each) for each in node.walk()}
        return any(id(mention.node) in inside for mention in self.mentions)


class Attached(list[Node]):
    """The elements that were added, without their descendants.

    Attributes:
        mentions: texts of plugins, and of other elements whose meaning is not known, that contain a name
            which got the prefix. They are not changed, so that they may now name something of this document.
    """

    mentions: list[Mention]


class Addition(NamedTuple):
    """New children of an element, and a change after they were added."""

    to: Any
    nodes: Sequence[Any]


Plan = tuple[list[Addition], Callable[[], None]]
"""The elements to add, and what remains to be done afterwards; nothing in them fails."""


def attach(
    document: Node,
    other: Node,
    parent: Node,
    *,
    prefix: str = "",
    pose: Sequence[float] | None = None,
    joint: str | Node | None = None,
) -> Attached:
    """Attach a copy of another document of the same format to a part of this one.

        pb.attach(arm, gripper, arm.find("link", "flange"), prefix="left_", pose=(0, 0, 0.1, 0, 0, 1.57))

    Copied are all links or bodies with their joints, and everything that refers to them or to which they
    refer: meshes, textures, materials, defaults classes, actuators, sensors, extensions, key frames. Of two
    equal assets one is kept. Paths of files are rewritten relative to this document, and the units of angles
    and sequences of Euler angles as this document has them. Settings of the simulation, such as time step and
    gravity, remain those of this document.

    Args:
        document: its root element, which is changed.
        other: the root element of another document, which is not changed; it may be the same one.
        parent: the link or body to which it is attached; in MJCF and x_xy also the world or a frame, in
            SDFormat also a frame, or a world.
        prefix: text before all names of the other document; in SDFormat, where an attached model is a model
            of its own, before the model's name only.
        pose: the pose of the other document's origin in the frame of the parent: x y z, m, and roll pitch
            yaw, rad, as in URDF; or x y z and a quaternion, w first. By default, both coincide.
        joint: the joint to the parent: a type of the format (``"fixed"``, ``"hinge"``, ...), or an element,
            of which name, axis and limits are taken. Without it, free joints of the other document's roots
            become fixed, unless the parent is the world, and others remain.

    Returns:
        The elements that were added, without their descendants; its ``mentions`` are the texts of plugins
        that contain a name which got the prefix, and which are not changed.

    Raises:
        TypeError: an argument is not an element, or ``joint`` is an element of another kind.
        ValueError: the documents have different formats, names exist in both (they are listed; a prefix
            helps), the other one has something that has no equivalent there, or the document would have an
            error that neither has, such as a joint without the limits that its type needs. Nothing is
            changed.
    """
    form = format_of(document)
    require_element(other)
    require_element(parent)
    theirs = format_of(other)
    if theirs is not form:
        raise ValueError(
            f"a {theirs.name} document cannot be attached to a {form.name} document; "
            "both must have the same format"
        )
    if form.name not in MODULES:
        raise ValueError(f"documents of {form.name} cannot be attached to each other")
    if parent is not document:
        require_within(document, parent)
    trial, (twin,) = twin_of(document, parent)
    _attached(trial, other, twin, prefix, pose, joint)
    what = "with what is attached"
    if isinstance(joint, str):
        what = f"with a joint that has only its type `{joint}` (an element can have what it needs)"
    require_no_new_errors([document, other], trial, what)
    return _attached(document, other, parent, prefix, pose, joint)


def _attached(
    document: Any,
    other: Any,
    parent: Any,
    prefix: str,
    pose: Sequence[float] | None,
    joint: str | Node | None,
) -> Attached:
    form = format_of(document)
    _require_part(References(document, form), parent)
    copied = _copied(document, other)
    mentions = _prefixed(References(copied, form), prefix) if prefix else []
    graft = Graft(document, copied, parent, prefix, given_pose(pose), copy.deepcopy(joint), mentions)
    rebase(graft.other, document, other)
    module = import_module(f"polybody.editing.{MODULES[form.name]}")
    additions, finish = getattr(module, form.name)(graft)
    _require_allowed(graft, additions)
    _require_unique(graft, additions)
    for to, nodes in additions:
        for node in nodes:
            to.children.append(node)
    finish()
    made = Attached(node for _, nodes in additions for node in nodes)
    inside = {id(each) for node in made for each in node.walk()}
    made.mentions = [mention for mention in mentions if id(mention.node) in inside]
    return made


def _prefixed(theirs: References, prefix: str) -> list[Mention]:
    """Put the prefix before names; returns the texts with old ones."""
    if theirs.form.name != "sdf":
        return prefix_names(theirs, prefix).mentions
    models = [node for node in theirs.document.walk() if node.TAG == "model"]  # which get it later
    outer = [node for node in models if theirs.parents[id(node)].TAG in ("sdf", "world")]
    return theirs.mentions(getattr(node, "name", None) or "" for node in outer)


def _require_part(references: References, parent: Node) -> None:
    """Raise a ValueError if an element only names a link or body, or is a part of one."""
    parts = Parts(references)
    if parent.TAG in parts.tags and not parts.is_part(parent):
        around = references.parents[id(parent)]
        raise ValueError(
            f"this <{parent.TAG}> in a <{around.TAG}> is not a {parent.TAG} that others can be connected to"
        )


def _copied(document: Node, other: Node) -> Any:
    """A copy with the content of included files in place, whose elements are not taken for the document's."""
    copied = copy.deepcopy(expand(other, format_of(other))[0])
    for node in copied.walk():
        if node._source is not None and node._source is document.source:
            node._source = node._position = None
    return copied


def _require_allowed(graft: Graft, additions: Sequence[Addition]) -> None:
    """Raise if elements cannot be added where they belong."""
    rows = graft.ours.rows
    for to, nodes in additions:
        present = [child.TAG for child in to.children]
        for child in rows[type(to)].children:
            count = present.count(child.tag) + sum(child.tag == node.TAG for node in nodes)
            if child.high == 1 and count > 1 and any(child.tag == node.TAG for node in nodes):
                raise ValueError(f"<{to.TAG}> allows only one <{child.tag}>, and both documents have one")


def _require_unique(graft: Graft, additions: Sequence[Addition]) -> None:
    """Raise if elements to add have names that exist already."""
    ours, theirs = graft.ours, graft.theirs
    included = Included(ours)
    clashes: dict[str, None] = {}
    for to, nodes in additions:
        scope = _scope_at(ours, to)
        nested = bool(ours.naming.delimiter)  # elements in a model have names of its own
        for node in nodes if nested else (each for root in nodes for each in root.walk()):
            declared, name = theirs.declared(node), theirs.name_of(node)
            if declared is not None and name and not ours.is_fixed(declared[1], name):
                kinds = (declared[1],)
                there = ours.find(scope, kinds, name) or included.find(kinds, name)
                same = node.TAG in ours.naming.contentful and _same_content(there, node)
                if there is not None and declared[1] not in ours.naming.shared and not same:
                    clashes[f"{node.TAG} `{name}`"] = None
    if clashes:
        listed = list(clashes)
        more = f" and {len(listed) - MAX_LISTED} more" if len(listed) > MAX_LISTED else ""
        raise ValueError(
            f"names exist in both documents: {', '.join(listed[:MAX_LISTED])}{more}; choose another `prefix`"
        )


def _same_content(a: Node | None, b: Node) -> bool:
    return a is not None and list(a.children) == list(b.children)


def _scope_at(references: References, node: Node) -> Any:
    """The scope in which names of an element's children are."""
    current: Node | None = node
    while current is not None:
        for scope in references.scopes:
            if id(current) in scope.inner:
                return scope.inner[id(current)]
        current = references.parents.get(id(current))
    return references.root


def roots_of(graft: Graft) -> tuple[Parts, list[Any]]:
    """The parts of the other document that are connected to no other one."""
    parts = Parts(graft.theirs)
    roots = [
        part
        for part in parts.all
        if not any(joint.parent.part is not None for joint in parts.joints_to(part))
    ]
    if not roots:
        raise ValueError("the other document has no link or body")
    return parts, roots
