"""Skeletons as DART assembles them: their bodies, the order, and poses at zero coordinates.

DART creates joints in the order of the file, each after those of its ancestors, the root's first. A body that
is the parent of others and the child of none becomes the root of a tree that moves freely.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.skel import Body, Joint, Skeleton
from polybody.rotations.poses import Pose, about_x_y_z

WORLD = "world"
UNNAMED_BODY = "Unknown body"
UNNAMED_JOINT = "default"
UNNAMED_SKELETON = "skeleton"
"""DART's name for elements without a name."""
ROOT = "root"
"""DART's name for a joint that it creates itself."""


@dataclass(slots=True, eq=False)
class Link:
    """A body of a skeleton, with the joint that moves it."""

    body: Body
    joint: Joint | None
    """None: the free joint of a root that no joint names."""
    parent: Link | None
    """None: the world."""
    name: str
    joint_name: str
    pose: Pose
    """Its pose in the world with all joints at zero."""


class Names:
    """Names that are made unique as DART does: ``a``, ``a(1)``, ``a(2)``."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def unique(self, name: str) -> str:
        """The name, or the first variant of it that is unused, which is then used."""
        found, number = name, 0
        while found in self.taken:
            number += 1
            found = f"{name}({number})"
        self.taken.add(found)
        return found


def placed(transformation: tuple[float, ...] | None) -> Pose:
    """The pose that a ``transformation`` gives: a position, m, and angles, rad, R = Rx Ry Rz."""
    if transformation is None:
        return Pose()
    x, y, z, *angles = transformation
    return Pose((x, y, z), about_x_y_z(angles))


def links(skeleton: Skeleton, findings: Findings) -> list[Link]:
    """The bodies of a skeleton that belong to a tree, in the order in which DART creates them.

    Other bodies are reported: DART omits a body that no joint names, or crashes if it has a shape.
    """
    bodies: dict[str, Body] = {}
    for body in skeleton.body:
        bodies.setdefault(body.name or UNNAMED_BODY, body)
    carrying: dict[str, Joint] = {}
    for joint in skeleton.joint:
        assert joint.child is not None  # the document is valid
        carrying.setdefault(joint.child, joint)
    _report_unconnected(skeleton, bodies, findings)
    frame = placed(skeleton.transformation)
    names = Names()
    made: dict[str, Link] = {}
    for name, carrier in _in_order(skeleton, bodies, carrying):
        parent = None if carrier is None else made.get(carrier.parent or WORLD)
        body = bodies[name]
        pose = frame @ placed(body.transformation)
        joint_name = names.unique(ROOT if carrier is None else carrier.name or UNNAMED_JOINT)
        made[name] = Link(body, carrier, parent, name, joint_name, pose)
    return list(made.values())


def _in_order(
    skeleton: Skeleton, bodies: dict[str, Body], carrying: dict[str, Joint]
) -> Iterator[tuple[str, Joint | None]]:
    """Names of bodies and of the joints that move them, in order of creation."""
    done: set[str] = set()
    for joint in skeleton.joint:
        chain: list[str] = []
        name = joint.child
        while name is not None and name in bodies and name not in done and name not in chain:
            chain.append(name)
            above = carrying.get(name)
            name = None if above is None else above.parent
        for each in reversed(chain):
            done.add(each)
            yield each, carrying.get(each)


def _report_unconnected(skeleton: Skeleton, bodies: dict[str, Body], findings: Findings) -> None:
    mentioned = {joint.child for joint in skeleton.joint} | {joint.parent for joint in skeleton.joint}
    for name, body in bodies.items():
        if name in mentioned:
            continue
        shaped = body.visualization_shape or body.collision_shape or body.soft_shape
        does = "which DART crashes on, as it has a shape" if shaped else "and is omitted, as in DART"
        message = f"body `{clip(name)}` belongs to no joint, {does}"
        hint = 'connect it with `world`, by a joint of type "free" if it is to move freely'
        _add(findings, "PB063" if shaped else "PB088", body, message, hint)


def _add(findings: Findings, code: str, node: Node, message: str, hint: str | None = None) -> None:
    findings.add(code, node.attribute_span("name") or node.span, message, hint=hint, source=node.source)
