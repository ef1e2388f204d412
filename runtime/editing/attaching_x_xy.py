"""What is added when a document of x_xy is attached: bodies and shapes, with their defaults written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polybody.base import Node, children_of
from polybody.document.resolver import Resolved, resolve
from polybody.editing.nested import set_x_xy_pose, x_xy_pose
from polybody.generated.formats.x_xy import Joint
from polybody.rotations.poses import IDENTITY

if TYPE_CHECKING:
    from polybody.editing.attaching import Graft, Plan

OF_JOINT = ("damping", "armature", "spring_stiff", "spring_zero")


def x_xy(graft: Graft) -> Plan:
    """The bodies and geoms of the other document's world."""
    from polybody.editing.attaching import Addition
    from polybody.editing.attaching_joined import nothing, require_tag, single

    require_tag(graft, "body", "worldbody")
    if isinstance(graft.joint, Node):
        raise TypeError("joint must be a type: in x_xy it is an attribute of the body")
    if graft.joint is not None and graft.joint not in [each.value for each in Joint]:
        raise ValueError(
            f"joint must be one of {', '.join(each.value for each in Joint)}, not {graft.joint!r}"
        )
    world, theirs, ours = graft.other.worldbody, resolve(graft.other), resolve(graft.document)
    if world is None or not world.body:
        raise ValueError("the other document has no body")
    if graft.joint is not None:
        single(graft, list(world.body))
    moved = list(children_of(world))
    for node in moved:
        if graft.pose != IDENTITY and (node.TAG != "geom" or _is_placed(node, theirs)):
            set_x_xy_pose(node, graft.pose @ x_xy_pose(node, theirs))
    _write_defaults([each for node in moved for each in node.walk()], theirs, ours)
    for body in (node for node in moved if node.TAG == "body"):
        frees = graft.parent.TAG == "body" and body.joint is Joint.FREE
        if graft.joint is not None or frees:
            body.joint = Joint.FROZEN if graft.joint is None else Joint(graft.joint)
            for name in OF_JOINT:
                setattr(body, name, None)
    return [Addition(graft.parent, moved)], nothing


def _is_placed(geom: Any, resolved: Resolved) -> bool:
    return str(getattr(resolved.get(geom, "type"), "value", "")) != "xyz"


def _write_defaults(nodes: list[Any], theirs: Resolved, ours: Resolved) -> None:
    """Write what the other document's defaults give, and what this one's must not give."""
    lost: list[str] = []
    for node in nodes:
        if node.TAG not in ("body", "geom"):
            continue
        row = theirs.kinds[type(node)]
        given = {name: theirs.given(node, name) for name in row.attributes}
        for name, attribute in row.attributes.items():
            written = getattr(node, attribute.field)
            hidden = any(getattr(node, field) is not None for field in row.hiders[name])
            if written is not None or hidden:
                continue
            fillers = ours._filling.chain(row.row.key, "")
            default = next((v for f in fillers if (v := getattr(f, attribute.field, None)) is not None), None)
            if given[name] is not None:
                setattr(node, attribute.field, given[name])
            elif default is not None and attribute.default is not None:
                setattr(node, attribute.field, attribute.default)
            elif default is not None:
                lost.append(f"`{name}` of <{node.TAG}>")
    if lost:
        raise ValueError(
            f"the document's <defaults> give {', '.join(dict.fromkeys(lost))}, which the other one does not "
            "give; write it in the other document"
        )
