"""What Gazebo means by a URDF or an SDFormat document where Drake means something else, or refuses it.

Gazebo reads a URDF with urdfdom, then libsdformat converts it to SDFormat. Each difference is reported once,
at its first place, with the number of places.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.document.notations import Document
from polybody.document.parser.value_faults import clip
from polybody.document.registry import format_of
from polybody.validation.xpaths import locate

REFUSED, DIFFERS, IGNORED = "PB083", "PB088", "PB067"
YES = ("true", "yes", "1")
APART = "in Gazebo links of one {} touch each other only if <{}> says so; in Drake they do"
LIMITED = ("revolute", "prismatic")


def add_as(document: Any, meaning: str, with_srdf: bool, findings: Findings) -> None:
    """Add the findings of another meaning of a document that was read.

    Args:
        document: None after errors that leave none.
        meaning: "drake" or "gazebo".
        with_srdf: whether an SRDF is given.
        findings: those of reading.

    Raises:
        TypeError: the document is not a URDF and has no SRDF, or has only one meaning.
        ValueError: there is no such meaning.
    """
    if meaning not in ("drake", "gazebo"):
        raise ValueError(f'the meaning must be "drake" or "gazebo", not {meaning!r}')
    if document is None:
        return
    form = document.FORMAT if isinstance(document, Document) else format_of(document).name
    if with_srdf and form != "urdf":
        raise TypeError(f"{form} has no option 'srdf'; only a URDF has an SRDF")
    if meaning == "gazebo":
        if form not in RULES:
            raise TypeError(f"{form} has no option 'meaning'; only URDF and SDFormat have several meanings")
        dropped, rules = RULES[form]
        findings.items = [each for each in findings.items if each.code not in dropped]
        found = _Found(findings)
        with findings.about(form):
            rules(document, found)
            found.tell()
            locate(document, findings)


class _Found:
    """Elements with a finding, by code and message."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.places: dict[tuple[str, str, str | None], list[Node]] = {}

    def add(self, code: str, node: Node, message: str, hint: str | None = None) -> None:
        """An element for which the message holds."""
        self.places.setdefault((code, message, hint), []).append(node)

    def tell(self) -> None:
        for (code, message, hint), nodes in self.places.items():
            more = f" (and at {len(nodes) - 1} other places)" if len(nodes) > 1 else ""
            self.findings.add(code, nodes[0].span, message + more, hint=hint, source=nodes[0].source)


# --- URDF --------------------------------------------------------------------------------------------------


def _urdf(root: Any, found: _Found) -> None:
    for joint in root.joint:
        _joint(joint, found)
    _roots(root, found)
    _massless(root, found)
    settings = [child for node in root.gazebo for child in node.elements]
    touching = any(child.tag in ("selfCollide", "self_collide") and _yes(child) for child in settings)
    if not touching and sum(bool(link.collision) for link in root.link) > 2:
        found.add(IGNORED, root, APART.format("robot", "selfCollide"))
    if root.transmission:
        message = "Gazebo drives no joint by a <transmission>, only by plugins"
        for node in root.transmission:
            found.add(IGNORED, node, message)
    for node in root.children:
        if node.TAG.startswith("drake:"):
            found.add(IGNORED, node, f"Gazebo does not read <{node.TAG}>")


def _joint(joint: Any, found: _Found) -> None:
    kind = None if joint.type is None else joint.type.value
    limit, moving = joint.limit, joint.dynamics
    if kind in LIMITED:
        if limit is None:
            message = f"urdfdom, Gazebo's reader, requires a <limit> of a {kind} joint"
            found.add(REFUSED, joint, message, "write `effort` and `velocity`")
        else:
            for name in ("effort", "velocity"):
                if getattr(limit, name) is None:
                    found.add(REFUSED, limit, f"urdfdom, Gazebo's reader, requires `{name}` of a <limit>")
            for name in ("lower", "upper"):
                if getattr(limit, name) is None:
                    message = f"a missing `{name}` is 0 in Gazebo, as in ROS; in Drake there is no such bound"
                    found.add(DIFFERS, limit, message)
            if None not in (limit.lower, limit.upper) and limit.lower > limit.upper:
                message = "Gazebo exchanges `lower` and `upper` if they are reversed; Drake refuses them"
                found.add(DIFFERS, limit, message)
    elif kind == "continuous" and limit is not None and (limit.lower, limit.upper) != (None, None):
        message = "bounds of a continuous joint have no effect in Gazebo; Drake keeps them"
        found.add(DIFFERS, limit, message, "make the joint revolute, or remove them")
    elif kind in ("planar", "floating"):
        message = f"Gazebo makes no joint of a {kind} one: nothing connects its links"
        found.add(DIFFERS, joint, message, "write the joint in SDFormat")
    if moving is not None and moving.friction:
        message = "Gazebo simulates the `friction` of joints; Drake does not"
        found.add(IGNORED, moving, message)


def _roots(root: Any, found: _Found) -> None:
    """Gazebo's reader wants exactly one link that is no child; it does not see Drake's joints."""
    held = {_link(joint.child) for joint in root.joint}
    tops = [link for link in root.link if link.name not in held]
    if len(tops) > 1:
        names = ", ".join(f"`{clip(link.name or '')}`" for link in tops[:4])
        more = f" and {len(tops) - 4} others" if len(tops) > 4 else ""
        message = f"urdfdom, Gazebo's reader, refuses a robot with several roots: {names}{more}"
        found.add(REFUSED, tops[1], message)
    declared = {link.name for link in root.link}
    for end in (end for joint in root.joint for end in (joint.parent, joint.child)):
        if end is not None and end.link == "world" and "world" not in declared:
            message = "urdfdom, Gazebo's reader, requires a <link> for the world, too"
            found.add(REFUSED, end, message, 'write <link name="world"/>')


def _massless(root: Any, found: _Found) -> None:
    """Links that Gazebo drops with all links below them: without mass, and not merged with a link that has
    one.
    """
    kept = {
        node.reference
        for node in root.gazebo
        for child in node.elements
        if child.tag in ("preserveFixedJoint", "disableFixedJointLumping") and _yes(child)
    }
    above: dict[str | None, Any] = {}
    below: dict[str | None, list[Any]] = {}
    for joint in root.joint:
        above[_link(joint.child)] = joint
        below.setdefault(_link(joint.parent), []).append(joint)
    merged = {
        joint.name
        for joint in root.joint
        if joint.type is not None
        and joint.type.value == "fixed"
        and joint.name not in kept
        and _link(joint.parent) != "world"
    }
    mass = {link.name: _mass(link) for link in root.link}

    def weight(name: str | None) -> float:
        """The mass of a link with all that is merged into it."""
        total, waiting, met = 0.0, [name], set()
        while waiting:
            here = waiting.pop()
            if here not in met:
                met.add(here)
                total += mass.get(here, 0.0)
                waiting += [_link(joint.child) for joint in below.get(here, ()) if joint.name in merged]
        return total

    for link in root.link:
        joint = above.get(link.name)
        if link.name == "world" or (joint is not None and joint.name in merged) or weight(link.name) > 0:
            continue
        lost, waiting = {link.name}, [link.name]
        while waiting:
            inner = {_link(each.child) for each in below.get(waiting.pop(), ())} - lost
            lost |= inner
            waiting += inner
        more = f" and the {len(lost) - 1} below it" if len(lost) > 1 else ""
        message = (
            f"Gazebo drops link `{clip(link.name or '')}`{more}: it has no mass, and no fixed joint merges "
            "it with a link that has"
        )
        found.add(DIFFERS, link, message, "give it a mass and moments of inertia")


def _mass(link: Any) -> float:
    mass = None if link.inertial is None else link.inertial.mass
    return 0.0 if mass is None or mass.value is None else float(mass.value)


def _link(end: Any) -> str | None:
    return None if end is None else end.link


def _yes(node: Any) -> bool:
    return str(node.attributes.get("value", node.text or "")).strip().lower() in YES


# --- SDFormat ----------------------------------------------------------------------------------------------


def _sdf(root: Any, found: _Found) -> None:
    rules: dict[str, Callable[[Any, _Found], None]] = {
        "link": _sdf_link,
        "ode": _friction,
        "dynamics": _dry,
        "world": _gravity,
    }
    for node in root.walk():
        if node.TAG.startswith("drake:"):
            found.add(IGNORED, node, "Gazebo does not read elements of Drake")
            continue
        rule = rules.get(node.TAG)
        if rule is not None:
            rule(node, found)
    models = ([] if root.model is None else [root.model]) + [m for world in root.world for m in world.model]
    for model in models:
        links = sum(bool(link.collision) for link in model.link)
        touching = model.self_collide or any(link.self_collide for link in model.link)
        if links > 2 and not touching:
            found.add(IGNORED, model, APART.format("model", "self_collide"))


def _sdf_link(link: Any, found: _Found) -> None:
    if link.gravity is False:
        found.add(IGNORED, link, "Gazebo exempts this link from <gravity>; Drake does not")


def _friction(ode: Any, found: _Found) -> None:
    mu, mu2 = (getattr(ode, name, None) for name in ("mu", "mu2"))
    if mu != mu2 and hasattr(ode, "mu2"):
        message = "`mu` and `mu2` are friction along two directions in Gazebo, static and dynamic in Drake"
        found.add(DIFFERS, ode, message)


def _dry(dynamics: Any, found: _Found) -> None:
    if getattr(dynamics, "friction", None):
        found.add(IGNORED, dynamics, "Gazebo simulates the <friction> of joints; Drake does not")


def _gravity(world: Any, found: _Found) -> None:
    if getattr(world, "gravity", None) is not None:
        found.add(IGNORED, world, "Gazebo uses the <gravity> of a world; Drake's is 9.81 m/s^2 along -z")


RULES: dict[str, tuple[tuple[str, ...], Callable[[Any, _Found], None]]] = {
    "urdf": ((REFUSED, "PB035", "PB044"), _urdf),
    "sdf": ((REFUSED, IGNORED), _sdf),
}
"""By format: codes of findings that are about Drake, or that the rules report for Gazebo; and the rules."""
