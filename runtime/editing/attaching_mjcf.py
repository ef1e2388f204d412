"""What is added when an MJCF document is attached: bodies, and the sections that belong to them."""

from __future__ import annotations

import copy
from math import pi
from typing import TYPE_CHECKING, Any

from polybody.base import Node, children_of
from polybody.document.references import References, put
from polybody.document.resolver import resolve
from polybody.editing.classes import Shield
from polybody.editing.deleting import remove
from polybody.editing.keys import FIELDS, Keys, layout
from polybody.editing.nested import Compiler, class_around, mjcf_pose, pose_in_world, set_mjcf_pose
from polybody.generated.formats import mjcf as tables
from polybody.rotations.poses import IDENTITY

if TYPE_CHECKING:
    from polybody.editing.attaching import Graft, Plan

SECTIONS = (
    "extension",
    "custom",
    "asset",
    "deformable",
    "contact",
    "equality",
    "tendon",
    "actuator",
    "sensor",
)
"""Sections whose content is copied; others are settings of the whole simulation."""
SAME = {
    "autolimits": True,
    "boundmass": 0.0,
    "boundinertia": 0.0,
    "settotalmass": -1.0,
    "balanceinertia": False,
    "coordinate": "local",
    "fitaabb": False,
    "discardvisual": False,
    "fusestatic": False,
    "inertiafromgeom": "auto",
    "inertiagrouprange": (0, 5),
    "alignfree": False,
}
"""Settings of the compiler that concern bodies, with their defaults: both documents must have the same."""
EQUAL = ("texture", "hfield", "mesh", "material", "plugin", "numeric", "text", "tuple", "model")
"""Tags of elements of which one is kept if two are equal, those to which others refer first."""
ANGULAR = ("range", "ref", "springref", "springyield")
OF_BALLS = ("range", "springyield")
"""Those of them that are angles of ball joints, too."""
PLANES = ("plane", "hfield")


def mjcf(graft: Graft) -> Plan:
    """The other document's world in the parent, and its sections in those of this document."""
    from polybody.editing.attaching import Addition

    if graft.parent.TAG not in ("body", "worldbody", "frame"):
        raise ValueError(f"the parent must be a <body>, <frame> or <worldbody>, not a <{graft.parent.TAG}>")
    in_world = _in_world(graft)
    _require_same_settings(graft)
    keys = Keys(graft.document)
    _require_plain_keys(keys, Keys(graft.other))
    if graft.joint is not None or not in_world:
        _unfree(graft)
    other_keys = Keys(graft.other)
    if in_world and graft.joint is None:
        other_keys.move(pose_in_world(graft.ours, graft.parent) @ graft.pose)
    _convert_angles(graft)
    worlds = [node for node in children_of(graft.other) if node.TAG == "worldbody"]
    moved = [child for world in worlds for child in children_of(world)]
    if not any(child.TAG not in ("light", "camera") for child in moved):
        raise ValueError("the other document has no body")
    _require_movable(graft, moved, in_world)
    around = getattr(graft.parent, "childclass", None) or class_around(graft.ours, graft.parent)
    shield = Shield(graft.document, graft.whole, graft.other, graft.prefix, around)
    additions = list(shield.additions())
    sections = _sections(graft, shield)
    shield.apply(moved, [node for nodes in sections.values() for node in nodes])
    additions.append(Addition(graft.parent, _wrapped(graft, moved, shield.name)))
    missing: list[Any] = []
    for tag, nodes in sections.items():
        section = getattr(graft.document, tag)
        if section is None and nodes:
            section = getattr(tables, tag.capitalize())()
            missing.append(section)
        if nodes:
            additions.append(Addition(section, nodes))

    def finish() -> None:
        for section in missing:
            graft.document.children.append(section)
        shield.finish()
        keys.refit()
        _add_keys(graft, other_keys)

    return additions, finish


def _in_world(graft: Graft) -> bool:
    current: Any = graft.parent
    while current is not None:
        if current.TAG == "body":
            return False
        current = graft.ours.parents.get(id(current))
    return True


def _require_same_settings(graft: Graft) -> None:
    ours, theirs = Compiler(graft.document), Compiler(graft.other)
    different = [
        name for name, default in SAME.items() if ours.get(name, default) != theirs.get(name, default)
    ]
    if different:
        names = ", ".join(f"`{name}`" for name in different)
        raise ValueError(
            f"the documents differ in {names} of <compiler>, which concerns all bodies; make them equal"
        )


def _require_plain_keys(ours: Keys, theirs: Keys) -> None:
    """Refuse key frames that cannot follow, because other elements generate joints."""
    for keys in (ours, theirs):
        for key in keys.keys:
            for field in FIELDS:
                numbers = getattr(key, field)
                count = sum(len(share.values) for share in keys.before[field])
                if numbers is not None and len(numbers) != count:
                    raise ValueError(
                        f"the key `{key.name or ''}` has {len(numbers)} numbers in `{field}`, but the "
                        f"document's elements have {count}; delete the key, or what generates joints"
                    )


def _unfree(graft: Graft) -> None:
    """Remove the free joints of the other document's outermost bodies."""
    resolved = resolve(graft.other)
    free = [
        node
        for node in graft.other.walk()
        if node.TAG == "freejoint"
        or (node.TAG == "joint" and hasattr(node, "axis") and _word(resolved, node) == "free")
    ]
    if free:
        remove(References(graft.other, graft.theirs.form), free)


def _word(resolved: Any, node: Any) -> str:
    value = resolved.get(node, "type")
    return str(getattr(value, "value", value))


def _require_movable(graft: Graft, moved: list[Any], in_world: bool) -> None:
    """Refuse what can only be in the world."""
    if in_world and graft.joint is None:
        return
    resolved = resolve(graft.other)
    for node in (each for root in moved for each in root.walk()):
        if node.TAG == "body" and node.mocap:
            raise ValueError(f"the mocap body{_named(node)} can only be in the world; delete it first")
        if node.TAG == "geom" and _word(resolved, node) in PLANES:
            raise ValueError(
                f"the {_word(resolved, node)}{_named(node)} of the other document can only be in the world; "
                "delete it first"
            )


def _named(node: Any) -> str:
    return f" `{node.name}`" if node.name else ""


def _convert_angles(graft: Graft) -> None:
    """Write angles in the unit, and orientations with the sequence, of this document's compiler."""
    ours, theirs = Compiler(graft.document), Compiler(graft.other)
    same_unit = ours.degrees == theirs.degrees
    if same_unit and ours.sequence == theirs.sequence:
        return
    factor = 1.0 if same_unit else 180 / pi if ours.degrees else pi / 180
    resolved = resolve(graft.other)
    joints = [] if same_unit else [(node, _angles(node, resolved, factor)) for node in graft.other.walk()]
    for node, values in joints:
        for name, value in values.items():
            setattr(node, name, value)
        if type(node) is tables.DefaultJoint and all(getattr(node, name) is None for name in node.FIELDS):
            parent = graft.theirs.parents[id(node)]
            parent.children[:] = [child for child in children_of(parent) if child is not node]
    for node in list(graft.other.walk()):
        if getattr(node, "euler", None) is not None and node.TAG == "replicate":
            raise ValueError(
                "the `euler` of a <replicate> cannot be expressed with this document's <compiler>"
            )
        if getattr(node, "euler", None) is not None:
            quat = mjcf_pose(node, theirs).quat
            node.euler, node.quat = None, quat
        if getattr(node, "axisangle", None) is not None and not same_unit:
            node.axisangle = (*node.axisangle[:3], node.axisangle[3] * factor)
        if (
            node.TAG == "joint"
            and getattr(node, "range", None)
            and not hasattr(node, "springref")
            and not same_unit
        ):
            raise ValueError(
                f"the `range` of a <{node.TAG}> of a composite is in the unit of the other document"
            )


def _angles(node: Any, resolved: Any, factor: float) -> dict[str, Any]:
    """The angles of a joint, also those that its class gives, in another unit; a class gives none then."""
    if node.TAG != "joint" or not hasattr(node, "springref"):
        return {}
    if type(node) is not tables.Joint:  # of a defaults class
        return dict.fromkeys(ANGULAR)
    kind, found = _word(resolved, node), {}
    for name in resolved.kinds[type(node)].attributes.keys() & ANGULAR:  # earlier releases lack one
        value = resolved.given(node, name)
        if value is not None:
            scale = factor if kind == "hinge" or (kind == "ball" and name in OF_BALLS) else 1.0
            found[name] = tuple(scale * each for each in value) if isinstance(value, tuple) else scale * value
    return found


def _sections(graft: Graft, shield: Shield) -> dict[str, list[Any]]:
    """The content of the other document's sections that this document does not have, by their tags."""
    ours = {
        tag: [each for node in graft.whole.walk() if tag == node.TAG for each in children_of(node)]
        for tag in SECTIONS
    }
    found: dict[str, list[Any]] = {}
    for tag in SECTIONS:
        theirs = [each for node in children_of(graft.other) if tag == node.TAG for each in children_of(node)]
        found[tag] = theirs
    for tag in EQUAL:
        for section, nodes in found.items():
            for node in [each for each in nodes if tag == each.TAG]:
                kept = shield.changes(node) or graft.mentioned(node)
                if kept or section not in ("asset", "custom", "extension"):
                    continue
                same = next((each for each in ours[section] if _equal(each, node, graft)), None)
                if same is not None:
                    _refer(graft, node, same)
                    nodes[:] = [each for each in nodes if each is not node]
    return found


def _equal(ours: Any, theirs: Any, graft: Graft) -> bool:
    """Whether two elements differ at most in their names."""
    if type(ours) is not type(theirs):
        return False
    first, second = copy.copy(ours), copy.copy(theirs)
    if hasattr(first, "name") and ours.TAG not in ("numeric", "text", "tuple"):
        first.name = second.name = None
    return bool(first == second)


def _refer(graft: Graft, node: Any, same: Any) -> None:
    """Refer to an equal element of this document."""
    theirs, ours = graft.theirs, graft.ours
    declared, other = theirs.declared(node), ours.declared(same)
    if declared is None or other is None:
        return
    old, new = theirs.name_in(node, declared[0]), ours.name_in(same, other[0])
    if old is None or new is None or old == new:
        return
    for use in theirs.uses_of(node, old):
        put(use.node, use.row, theirs.renamed(use, new))


def _wrapped(graft: Graft, moved: list[Any], name: str | None) -> list[Any]:
    """The content of the other document's world, in a frame or body with the pose and the defaults class."""
    shapes = [each for each in moved if each.TAG == "geom"]
    if graft.joint is None and not (shapes and graft.parent.TAG != "worldbody"):
        if graft.pose == IDENTITY and name is None:
            return moved
        around: Any = tables.Frame()
    else:
        around = tables.Body(name=f"{graft.prefix}{graft.other.model or 'attached'}")
    around.childclass = name
    if graft.pose != IDENTITY:
        set_mjcf_pose(around, graft.pose)
    if graft.joint is not None:
        around.children.append(_joint(graft, _in_world(graft)))
    for node in moved:
        around.children.append(node)
    return [around]


def _joint(graft: Graft, in_world: bool) -> Any:
    joint = graft.joint
    if isinstance(joint, Node):
        if not isinstance(joint, tables.Joint | tables.Freejoint):
            raise TypeError(f"joint must be a type or a Joint or Freejoint element, not a <{joint.TAG}>")
        free = isinstance(joint, tables.Freejoint) or joint.type is tables.JointType.FREE
    else:
        known = [each.value for each in tables.JointType]
        if joint not in known:
            raise ValueError(f"joint must be one of {', '.join(known)}, not {joint!r:.60}")
        free = joint == "free"
        joint = tables.Freejoint() if free else tables.Joint(type=tables.JointType(joint))
        joint.name = f"{graft.prefix}{graft.other.model or 'attached'}"
    if free and not in_world:
        raise ValueError("a free joint can only connect to the world")
    return joint


def _add_keys(graft: Graft, theirs: Keys) -> None:
    """Copy key frames: the other document's numbers, and the initial ones of this document."""
    if not theirs.keys:
        return
    after = layout(graft.document)
    if graft.document.keyframe is None:
        graft.document.keyframe = tables.Keyframe()
    for key in theirs.keys:
        for field in FIELDS:
            theirs.assign(key, field, after[field])
        graft.document.keyframe.children.append(key)
