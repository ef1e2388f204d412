"""What is added when a document is attached, in formats with joints between links or bodies."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from polybody.base import Node, Untyped, children_of
from polybody.document.parser.tables import version_number
from polybody.document.references import References, put
from polybody.editing.deleting import remove
from polybody.editing.frames import _rave_frame
from polybody.editing.parts import Joint, Parts
from polybody.editing.poses import (
    as_transformation,
    rave_pose,
    sdf_pose,
    set_origin,
    set_rave_pose,
    set_sdf_pose,
    tidy,
    transformation,
)
from polybody.generated.formats import openrave as rave
from polybody.generated.formats import sdf as sdformat
from polybody.generated.formats import skel as dart
from polybody.generated.formats import urdf as ros
from polybody.lowering.openrave.poses import TRANSFORMS
from polybody.rotations.poses import IDENTITY, Pose, pose_of_origin
from polybody.validation.rules.urdf_versions import has_quaternions

if TYPE_CHECKING:
    from polybody.editing.attaching import Graft, Plan


TWO_AXES = (rave.JointType.UNIVERSAL, rave.JointType.HINGE2)
"""Types of joints of OpenRAVE that need two axes."""


def nothing() -> None:
    """Nothing remains to be done."""


def joint_of(graft: Graft, kind: type[Any], fixed: Any, types: type[Any]) -> Any:
    """The joint that the caller wants, an element of the format."""
    if isinstance(graft.joint, kind):
        return graft.joint
    if isinstance(graft.joint, Node) or not isinstance(graft.joint, str | None):
        raise TypeError(f"joint must be a type or a {kind.__name__} element, not {graft.joint!r:.60}")
    if graft.joint is not None and graft.joint not in [each.value for each in types]:
        known = ", ".join(str(each.value) for each in types)
        raise ValueError(f"joint must be one of {known}, not {graft.joint!r}")
    return kind(type=fixed if graft.joint is None else types(graft.joint))


def name_of(graft: Graft, root: Any) -> str:
    """The name of a new joint."""
    return f"{graft.prefix}{graft.parent.name}_to_{str(root.name).removeprefix(graft.prefix)}"


def single(graft: Graft, roots: list[Any]) -> Any:
    """The one root of the other document."""
    if len(roots) > 1:
        names = ", ".join(f"`{root.name}`" for root in roots)
        raise ValueError(f"the other document has {len(roots)} roots, {names}; one can be attached")
    return roots[0]


def require_tag(graft: Graft, *tags: str) -> None:
    if isinstance(graft.parent, Untyped):
        raise ValueError(f"the parent is a <{graft.parent.TAG}> of an extension, to which no joint leads")
    if graft.parent.TAG not in tags:
        what = " or ".join(f"<{tag}>" for tag in tags)
        raise ValueError(f"the parent must be a {what}, not a <{graft.parent.TAG}>")
    if graft.parent.TAG not in ("world", "worldbody"):
        require_name(graft.parent)


def require_name(node: Any) -> None:
    if not node.name:
        raise ValueError(
            f"the <{node.TAG}>{f' at {node.place}' if node.place else ''} needs a name for a joint"
        )


# --- URDF ---------------------------------------------------------------------------------------------------


def urdf(graft: Graft) -> Plan:
    from polybody.editing.attaching import Addition, roots_of

    require_tag(graft, "link")
    _without_quaternions(graft)
    parts, roots = roots_of(graft)
    root = single(graft, roots)
    added: list[Any] = []
    empty = root.name == "world" and not children_of(root)
    own = parts.joints_from(root) if empty else parts.joints_to(root)
    if own:
        if graft.joint is not None:
            raise ValueError(
                "the other document is connected to the world by a joint of its own; give no joint"
            )
        for joint in own:
            joint.node.parent.link = graft.parent.name
            if graft.pose != IDENTITY:
                set_origin(joint.node, graft.pose @ pose_of_origin(joint.node.origin), joint.node.origin)
    elif not empty:
        made = joint_of(graft, ros.Joint, ros.JointType.FIXED, ros.JointType)
        made.name = made.name or name_of(graft, root)
        made.parent, made.child = ros.Parent(link=graft.parent.name), ros.Child(link=root.name)
        if graft.pose != IDENTITY:
            set_origin(made, graft.pose, made.origin)
        added.append(made)
    _equal_materials(graft)
    existing = list(children_of(graft.document))
    for child in list(children_of(graft.other)):
        known = isinstance(child, Untyped) or child.TAG in ("material", "gazebo")
        if (child is root and empty) or child.TAG == "origin":
            continue
        if (
            known
            and not graft.mentioned(child)
            and any(type(each) is type(child) and each == child for each in existing)
        ):
            continue  # one of two equal elements
        added.append(child)
    return [Addition(graft.document, added)], nothing


def _without_quaternions(graft: Graft) -> None:
    """Write the quaternions of the other document as angles if its version reads them and ours does not; omit
    them in the reverse case.
    """
    if has_quaternions(graft.other) != has_quaternions(graft.document):
        for origin in graft.other.find_all("origin"):
            if getattr(origin, "quat_xyzw", None) is not None:
                holder = graft.theirs.parents[id(origin)]
                set_origin(holder, pose_of_origin(origin, has_quaternions(graft.other)), origin)


def _equal_materials(graft: Graft) -> None:
    """Refer to the document's materials in place of equal ones."""
    ours: list[Any] = [node for node in children_of(graft.document) if node.TAG == "material"]
    theirs = graft.theirs
    for node in [child for child in children_of(graft.other) if child.TAG == "material"]:
        same = next((each for each in ours if _equal_but_for_name(each, node)), None)
        if same is None:
            continue
        for use in theirs.uses_of(node, node.name):
            content = list(children_of(use.node))
            if not content or content == list(children_of(same)):  # not one that a link defines differently
                put(use.node, use.row, same.name)
        graft.other.children[:] = [child for child in children_of(graft.other) if child is not node]


def _equal_but_for_name(a: Any, b: Any) -> bool:
    twin = copy.copy(a)
    twin.name = b.name
    return bool(twin == b)


# --- SDFormat -----------------------------------------------------------------------------------------------


def sdf(graft: Graft) -> Plan:
    from polybody.editing.attaching import Addition, roots_of

    require_tag(graft, "link", "frame", "world")
    for root in (graft.document, graft.other):
        if version_number(root.version or "") < version_number("1.7"):
            message = "poses relative to another model's link exist from version 1.7 on"
            raise ValueError(f"{message}, and one of the documents has the version {root.version}")
    in_world = graft.parent.TAG == "world"
    models = list(graft.other.find_all("model"))
    models = [each for each in models if graft.theirs.parents[id(each)].TAG in ("sdf", "world")]
    parts, roots = roots_of(graft)
    _unfix(graft, parts, models, in_world)
    additions = []
    container = graft.parent if in_world else graft.ours.parents[id(graft.parent)]
    added: list[Any] = []
    for model in models:
        relative = getattr(model.pose, "relative_to", None) if model.pose is not None else None
        flat = next((node.name for node in model.walk() if "::" in (getattr(node, "name", None) or "")), None)
        if relative or model.static or flat:
            what = "is static" if model.static else f"is placed relative to `{relative}`"
            what = what if not flat else f"has names with `::`, such as `{flat}`"
            raise ValueError(f"the model `{model.name}` {what}, which has no meaning where it is attached")
        model.name = graft.prefix + (model.name or "")
        pose = graft.pose @ sdf_pose(model)
        if pose != IDENTITY or not in_world:
            set_sdf_pose(model, pose, None if in_world else graft.parent.name)
        added.append(model)
        inside = {id(node) for node in model.walk()}
        own = [root for root in roots if id(root) in inside]
        if graft.joint is not None:
            own = [single(graft, own)]
        if in_world and graft.joint is None:
            continue
        for root in own:
            made = copy.deepcopy(
                joint_of(graft, sdformat.Joint, sdformat.JointType.FIXED, sdformat.JointType)
            )
            path = _path(graft.theirs, root, model)
            made.name = made.name or f"{model.name}_to_{'world' if in_world else graft.parent.name}"
            if len(own) > 1:
                made.name += "_" + path.replace("::", "_")
            made.parent, made.child = "world" if in_world else graft.parent.name, path
            added.append(made)
    additions.append(Addition(container, added))
    return additions, nothing


def _unfix(graft: Graft, parts: Parts, models: list[Any], in_world: bool) -> None:
    """Remove joints to the world, and refuse what would lose its meaning in a model."""
    if not models:
        raise ValueError("the other document has no model")
    fixed = [
        joint.node for joint in parts.joints if joint.parent.part is None and joint.child.part is not None
    ]
    for world in (each for each in children_of(graft.other) if each.TAG == "world"):
        lost = [
            each.TAG
            for each in children_of(world)
            if each.TAG in ("joint", "frame", "include", "actor", "population")
        ]
        if lost:
            raise ValueError(f"the other document's world has a <{lost[0]}>; only models can be attached")
    if fixed and not in_world:
        remove(References(graft.other, graft.theirs.form), fixed)


def _path(references: References, node: Any, top: Any) -> str:
    """The scoped name of a link, in the scope around a model."""
    names = [node.name]
    current: Any = references.parents[id(node)]
    while current is not top:
        names.append(current.name)
        current = references.parents[id(current)]
    return "::".join([top.name, *reversed(names)])


# --- SKEL ---------------------------------------------------------------------------------------------------


def skel(graft: Graft) -> Plan:
    from polybody.editing.attaching import Addition, roots_of

    require_tag(graft, "body")
    parts, roots = roots_of(graft)
    skeleton, count = graft.ours.parents[id(graft.parent)], len(graft.other.find_all("skeleton"))
    if count > 1:
        raise ValueError(
            f"the other document has {count} skeletons; one can be attached, such as that of polybody.subtree"
        )
    made: list[Any] = []
    if graft.joint is not None:
        single(graft, roots)
    for root in roots:
        require_name(root)
        above = next(iter(parts.joints_to(root)), None)
        made += _to_parent(graft, root, above)
    base = transformation(graft.parent.transformation) @ graft.pose
    added: list[Any] = []
    for other in graft.other.find_all("skeleton"):
        frame = transformation(other.transformation)
        for body in other.body:
            body.transformation = as_transformation(base @ frame @ transformation(body.transformation))
        added += [*other.body, *other.joint]
    return [Addition(skeleton, [*added, *made])], nothing


def _to_parent(graft: Graft, root: Any, above: Joint | None) -> list[Any]:
    """Connect a body to the parent: with its joint to the world, or a new one."""
    free = above is not None and above.node.type is dart.JointType.FREE
    if above is not None and not free and graft.joint is None:
        above.node.parent = graft.parent.name
        return []
    if above is not None:
        remove(graft.theirs, [above.node])
    made = joint_of(graft, dart.Joint, dart.JointType.WELD, dart.JointType)
    made.name = made.name or name_of(graft, root)
    made.parent, made.child = graft.parent.name, root.name
    return [made]


# --- OpenRAVE -----------------------------------------------------------------------------------------------


def openrave(graft: Graft) -> Plan:
    from polybody.editing.attaching import Addition, roots_of

    require_tag(graft, "body")
    parts, roots = roots_of(graft)
    root = single(graft, roots)
    require_name(root)
    kinbody = graft.ours.parents[id(graft.parent)]
    home = graft.theirs.parents[id(root)]
    _require_plain(graft, kinbody, home, parts)
    offsets = {id(use.node): use.target for use in graft.ours.uses() if use.node.TAG == "offsetfrom"}
    base = _rave_frame(graft.parent, offsets) @ graft.pose @ rave_pose(home)
    moved = [child for child in children_of(home) if not isinstance(child, TRANSFORMS)]
    for child in moved:
        if child.TAG == "body" and child.offsetfrom is None:
            set_rave_pose(child, base @ rave_pose(child))
        elif child.TAG == "joint" and child.offsetfrom is None:
            _move_joint(child, base)
    made = joint_of(graft, rave.Joint, rave.JointType.HINGE, rave.JointType)
    if made.type in TWO_AXES and (made.axis1 is None or made.axis2 is None):
        raise ValueError(f"a {made.type.value} joint needs <axis1> and <axis2>; give an element as `joint`")
    if graft.joint is None:
        made.enable, made.limits = False, rave.Limits(text=(0.0, 0.0))
    made.name = made.name or name_of(graft, root)
    made.body = [rave.JointBody(text=(graft.parent.name,)), rave.JointBody(text=(root.name,))]
    if made.offsetfrom is None:
        made.offsetfrom = rave.JointOffsetfrom(text=(root.name,))
    return [Addition(kinbody, [*moved, made])], nothing


def _require_plain(graft: Graft, kinbody: Any, home: Any, parts: Parts) -> None:
    """Refuse what has another meaning in another body."""
    allowed = {child.tag for child in graft.ours.rows[type(kinbody)].children} - {
        "*",
        "jointvalues",
        "modelsdir",
    }
    lost = [c.TAG for c in children_of(home) if c.TAG not in allowed and not isinstance(c, TRANSFORMS)]
    lost += ["jointvalues" for c in children_of(kinbody) if c.TAG == "jointvalues"]
    outside = [part for part in parts.all if graft.theirs.parents[id(part)] is not home]
    around = home is not graft.other and len(children_of(graft.other)) > 1
    given = [
        name for name in ("file", "prefix", "type", "scalegeometry") if getattr(home, name, None) is not None
    ]
    if lost or outside or around or given:
        what = [f"<{tag}>" for tag in lost] + [f"`{name}`" for name in given]
        what += ["bodies in other elements"] if outside or around else []
        raise ValueError(f"{', '.join(dict.fromkeys(what))} cannot be attached to a <{kinbody.TAG}>")


def _move_joint(joint: Any, frame: Pose) -> None:
    for each in (joint.axis, joint.axis1, joint.axis2):
        if each is not None and each.text is not None:
            each.text = tidy(frame.vector(each.text))
    anchor = joint.anchor
    if anchor is not None:
        anchor.text = tidy(frame.point(anchor.text or (0.0, 0.0, 0.0)))
    elif frame.pos != (0.0, 0.0, 0.0):
        where: Any = tidy(frame.pos)
        joint.anchor = rave.Anchor(text=where)
