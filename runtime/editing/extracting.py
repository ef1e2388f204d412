"""New documents of a part of a document: what is below a link or body, or the chain between two."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, TypeVar

from polybody.base import Node
from polybody.document.includes import expand
from polybody.document.references import References
from polybody.document.registry import format_of
from polybody.editing.arguments import require_element, require_within
from polybody.editing.deleting import remove
from polybody.editing.faults import require_no_new_errors
from polybody.editing.keys import Keys
from polybody.editing.nested import hoist
from polybody.editing.parts import Parts

D = TypeVar("D", bound=Node)
SHARED = {"mjcf": ("mesh", "hfield", "texture", "material", "model"), "urdf": ("material",)}
"""By format: the tags of elements that others share, and that have no meaning if nothing refers to them."""
SEVERAL = ("replicate",)


def subtree(document: D, node: Node) -> D:
    """A new document of a link or body and everything below it, with what that refers to.

        hand = pb.subtree(robot, robot.find("link", "palm"))

    Of a joint, it begins with the joint's child. What refers to other parts is left out, and so are meshes,
    textures and materials that only other parts use. The joint above the first part is not in the new
    document; in MJCF and x_xy, where joints are inside bodies, the body keeps its own. A body or link keeps
    its place in the world at the initial configuration, except in URDF, where the first link's frame is the
    robot's, and in SKEL, where it is the place at the zero position. Included content is in place of the
    elements that include it.

    Args:
        document: its root element, which is not changed.
        node: a link, body, joint or model.

    Returns:
        The root element of the new document. Written, it keeps the text of what it contains.

    Raises:
        TypeError: ``document`` or ``node`` is not an element.
        ValueError: the element is not in the document, is and contains no link or body, or the new document
            would have an error that the document does not have.
    """
    twin, twins = _copied(document, node)
    parts = Parts(References(twin, format_of(twin)))
    start = twins[0]
    child = next((joint.child.part for joint in parts.joints if joint.node is start), None)
    kept = parts.below([child or start])
    if not kept:
        raise ValueError(f"<{node.TAG}> is not a link or body, and has none below it")
    return _checked(document, _only(twin, parts, kept, child or start))


def chain(document: D, base: Node, tip: Node) -> D:
    """A new document of the links or bodies from one to another below it, and the joints between them.

        arm = pb.chain(robot, robot.find("link", "shoulder"), robot.find("link", "wrist"))

    As of `subtree`, without the branches.

    Args:
        document: its root element, which is not changed.
        base, tip: the first and the last link or body; they may be the same.

    Raises:
        TypeError: an argument is not an element.
        ValueError: one of the two is not a link or body of the document, ``tip`` is not below ``base``, or
            the new document would have an error that the document does not have: a moving body of MJCF
            without mass, whose mass was that of a branch.
    """
    twin, (first, last) = _copied(document, base, tip)
    parts = Parts(References(twin, format_of(twin)))
    for node in (first, last):
        if not parts.is_part(node):
            raise ValueError(f"<{node.TAG}> is not a link or body")
    kept: list[Any] = []
    for part in parts.above(last):
        kept.append(part)
        if part is first:
            return _checked(document, _only(twin, parts, kept, first))
    names = getattr(last, "name", None), getattr(first, "name", None)
    raise ValueError(f"`{names[0]}` is not below `{names[1]}`: it is on another branch, or above")


def _copied(document: D, *nodes: Node) -> tuple[D, list[Any]]:
    """A copy of a document with the content of included files in place, and the copies of some elements."""
    for node in nodes:
        require_element(node)
    expanded, twins = expand(document, format_of(document))
    wanted = [twins.get(id(node), node) for node in nodes]
    for node, original in zip(wanted, nodes, strict=True):
        if node is original:
            require_within(expanded, node)
    copied = copy.deepcopy(expanded)
    pairs = {id(old): new for old, new in zip(expanded.walk(), copied.walk(), strict=True)}
    return copied, [pairs[id(node)] for node in wanted]  # type: ignore[return-value]


def _checked(document: Node, part: D) -> D:
    """The new document, which has no error that the whole one did not have."""
    require_no_new_errors([document], part, "without the rest")
    return part


def _only(document: D, parts: Parts, kept: Iterable[Any], top: Any) -> D:
    """The document without the parts that are not kept."""
    keys = Keys(document)
    references = parts.references
    keep = {id(part) for part in kept}
    around = {id(each) for part in kept for each in _ancestors(references, part)}
    inside = {id(each) for part in kept for each in part.walk()} if parts.joined is not None else set()
    before = _used(references)
    if parts.nested:
        unwanted = [part for part in parts.all if id(part) not in keep]
        unwanted = [part for part in unwanted if id(part) not in around]
        unwanted += hoist(references, top, SEVERAL) if top.TAG in parts.nested else []
    else:
        unwanted = [part for part in parts.all if id(part) not in keep]
        unwanted += [
            node
            for node in document.walk()
            if node.TAG in ("model", "include", "skeleton", "kinbody", "robot")
            and node is not document
            and not (references.naming.joins and getattr(node, "file", None))
            and id(node) not in around | inside
            and not _within_kept(references, node, top)
        ]
    unwanted += parts.joints_at(each for part in unwanted for each in part.walk())
    references = References(document, references.form)
    remove(references, unwanted, keys)
    if references.form.name == "skel":
        _free(document, top)
    _prune(document, before)
    return document


def _free(document: Any, top: Any) -> None:
    """Give the first body of a SKEL document a free joint, if it has none: DART requires one."""
    from polybody.generated.formats.skel import Joint, JointType

    parts = Parts(References(document, format_of(document)))
    if top.TAG == "body" and top.name and not parts.joints_to(top):
        joint = Joint(name=f"{top.name}_root", type=JointType.FREE, parent="world", child=top.name)
        parts.references.parents[id(top)].children.append(joint)


def _within_kept(references: References, node: Node, top: Node) -> bool:
    """Whether an element is inside the model to which the first kept part belongs, or in that part."""
    home = references.parents.get(id(top)) if top.TAG != "model" else top
    return any(each is home for each in _ancestors(references, node))


def _ancestors(references: References, node: Node) -> list[Node]:
    found = []
    current = references.parents.get(id(node))
    while current is not None:
        found.append(current)
        current = references.parents.get(id(current))
    return found


def _used(references: References) -> set[int]:
    return {id(use.target) for use in references.uses()}


def _prune(document: Node, before: set[int]) -> None:
    """Delete shared elements that were in use and no longer are."""
    form = format_of(document)
    tags = SHARED.get(form.name, ())
    while True:
        references = References(document, form)
        now = _used(references)
        unused = [
            node
            for node in document.walk()
            if node.TAG in tags and id(node) in before and id(node) not in now
        ]
        if not unused:
            return
        for node in unused:
            parent = references.parents[id(node)]
            parent.children[:] = [child for child in parent.children if child is not node]
