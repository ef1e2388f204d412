"""What is connected to a link or body that is deleted."""

from __future__ import annotations

from typing import Any

from polybody.base import Node
from polybody.editing.parts import Joint, Parts
from polybody.editing.poses import origin_of, set_origin
from polybody.rotations.poses import pose_of_origin
from polybody.validation.rules.urdf_versions import has_quaternions


def reattach(parts: Parts, node: Node) -> None:
    """Connect what is below a part to the one above it, before the part is deleted.

    Raises:
        ValueError: more than one part would be without a parent, in a format that allows one.
    """
    if not parts.is_part(node):
        if parts.joined is not None and parts.needs_joints:
            _require_other_joint(parts, node)
        return
    above, below = parts.joints_to(node), parts.joints_from(node)
    if not above:
        if parts.is_tree and len(below) > 1:
            names = ", ".join(f"`{joint.child.part.name}`" for joint in below if joint.child.part is not None)
            raise ValueError(
                f"`{_name(node)}` is the root, and {names} are connected to it: without it there would be "
                f"{len(below)} roots; subtree=True deletes them, too"
            )
        return
    for joint in below:
        if joint.child.part is not node:
            _move(parts, joint, above[0])


def _require_other_joint(parts: Parts, node: Node) -> None:
    assert parts.joined is not None
    for joint in parts.joints:
        child = joint.child.part
        if joint.node is node and child is not None and len(parts.joints_to(child)) == 1:
            raise ValueError(
                f"`{_name(child)}` is connected by this <{node.TAG}> only; subtree=True deletes what is "
                f"below, too, and with the type `{parts.joined.fixed}` it does not move"
            )


def _move(parts: Parts, joint: Joint, above: Joint) -> None:
    """Give a joint the parent of another."""
    if parts.references.parents.get(id(joint.node)) is not parts.references.parents.get(id(above.node)):
        return  # names have another meaning there; the joint is deleted with its parent
    for ours, theirs in _ends(joint.node, above.node):
        setattr(ours, theirs[0], theirs[1])
    if parts.references.form.name == "urdf":
        turned = has_quaternions(parts.references.document)
        pose = pose_of_origin(above.node.origin, turned) @ pose_of_origin(joint.node.origin, turned)
        if above.node.origin is not None:
            set_origin(joint.node, pose, origin_of(joint.node))


def _ends(joint: Any, above: Any) -> list[tuple[Any, tuple[str, Any]]]:
    """The element with the name of the parent of a joint, the field, and the name that another joint has."""
    if joint.TAG != above.TAG:
        return []
    if joint.TAG == "drake:joint" and hasattr(joint, "drake_parent"):
        return [(joint, ("drake_parent", above.drake_parent))]
    if hasattr(joint, "body"):
        return [(joint.body[0], ("text", above.body[0].text))]
    if isinstance(joint.parent, Node):
        return [(joint.parent, ("link", above.parent.link))]
    return [(joint, ("parent", above.parent))]


def _name(node: Any) -> str:
    return str(getattr(node, "name", None) or node.TAG)
