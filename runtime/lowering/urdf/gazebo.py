"""The effect of `<gazebo>` under ``meaning="gazebo"``, as far as the Model can represent it.

Links: `mu1`, `mu2` (sliding friction: the smaller of both in all directions), `kp`, `kd`, `selfCollide`,
`self_collide`, `turnGravityOff`, `gravity`, `material`. Joints: `springStiffness`, `springReference`,
`preserveFixedJoint`, `disableFixedJointLumping`. The robot: `static`, `self_collide`. Gazebo merges the links
of a fixed joint unless these say otherwise; here they remain separate bodies that move together and do not
touch what a joint connects to one of them. The rest is listed as not simulated: the softness of limits,
directions of friction (`fdir1`), slip, velocity decay (`dampingFactor`), sensors, plugins.
"""

from __future__ import annotations

from typing import Any

from polybody.assembly.parts import VISUAL
from polybody.base import Untyped
from polybody.diagnostics import Findings
from polybody.diagnostics.warned import remarks_are_read
from polybody.generated.formats.urdf import Gazebo, Robot
from polybody.lowering.plants.contacts import EVERY
from polybody.lowering.plants.plant import BOUNDED, WELD, Joint, Plant
from polybody.rotations.poses import IDENTITY

NO_EFFECT, LATER, REFUSED = "PB027", "PB061", "PB063"
OF_ROBOT = frozenset(("static", "self_collide"))
OF_LINK = frozenset(
    (
        *("self_collide", "selfCollide", "turnGravityOff", "gravity", "material"),
        *("mu1", "mu2", "kp", "kd"),
    )
)
KEEPING = frozenset(("preserveFixedJoint", "disableFixedJointLumping"))
"""Elements that keep the links of a fixed joint separate."""
OF_JOINT = frozenset(("springStiffness", "springReference", *KEEPING))
MU = ("mu1", "mu2")
TRUE, FALSE = frozenset(("true", "yes", "1")), frozenset(("false", "no", "0"))
COLOURS: dict[str, tuple[float, float, float]] = {
    "Black": (0.0, 0.0, 0.0),
    "FlatBlack": (0.1, 0.1, 0.1),
    "DarkGrey": (0.175, 0.175, 0.175),
    "DarkGray": (0.175, 0.175, 0.175),
    "Grey": (0.7, 0.7, 0.7),
    "Gray": (0.7, 0.7, 0.7),
    "White": (1.0, 1.0, 1.0),
    "Red": (1.0, 0.0, 0.0),
    "Green": (0.0, 1.0, 0.0),
    "Blue": (0.0, 0.0, 1.0),
    "SkyBlue": (0.13, 0.44, 0.7),
    "Yellow": (1.0, 1.0, 0.0),
    "DarkYellow": (0.7, 0.7, 0.0),
    "Purple": (1.0, 0.0, 1.0),
    "Turquoise": (0.0, 1.0, 1.0),
    "Orange": (1.0, 0.5088, 0.0468),
    "Indigo": (0.33, 0.0, 0.5),
    "Gold": (0.8, 0.6487, 0.1206),
}
"""Diffuse colours of Gazebo's own materials that have a single colour."""


class Extensions:
    """Reads the `<gazebo>` elements of one document into its plant."""

    def __init__(self, plant: Plant, instance: int, findings: Findings) -> None:
        self.plant, self.instance, self.findings = plant, instance, findings
        self.static = self.self_collide = False
        self.touching: dict[int, bool] = {}
        """By link: whether it touches other links of the robot."""
        self.frictions: dict[int, dict[str, Untyped]] = {}
        """By link: `mu1` and `mu2`."""
        self.kept: set[int] = set()
        """Fixed joints whose links stay separate, by their rows."""
        self.others: dict[str, list[Untyped]] = {}
        """Elements that are not used, by tag."""

    def add(self, document: Robot) -> None:
        """Use the content of all of them."""
        for node in document.gazebo:
            taken = self._taken(node)
            for child in node.elements:
                if child.tag not in taken:
                    self.others.setdefault(child.tag, []).append(child)
        for tag, nodes in self.others.items():
            self._later(f"<{tag}> of <gazebo> is read but not simulated", nodes)
        self._sliding()
        self._contact()
        self._lump()
        if self.static:
            self._weld()

    def _later(self, message: str, nodes: list[Untyped]) -> None:
        """A finding about all elements of a kind, at the first one."""
        if not remarks_are_read():
            return
        times = "once" if len(nodes) == 1 else f"{len(nodes)} times"
        self.findings.add(LATER, nodes[0].span, f"{message} (written {times})", source=nodes[0].source)

    def _taken(self, node: Gazebo) -> frozenset[str]:
        """Use the content of one of them; returns which children are used."""
        if node.reference is None:
            self._robot(node)
            return OF_ROBOT
        link = self.plant.link(self.instance, node.reference)
        joint = self.plant.joint(self.instance, node.reference)
        taken: frozenset[str] = frozenset()
        if link is not None:
            self._link(link, node)
            taken |= OF_LINK
        if joint is not None:
            self._joint(joint, node)
            taken |= OF_JOINT
        return taken

    def _robot(self, node: Gazebo) -> None:
        for child in node.elements:
            if child.tag == "static":
                self.static = _flag(child)
            elif child.tag == "self_collide":
                self.self_collide = _flag(child)

    def _link(self, row: int, node: Gazebo) -> None:
        link = self.plant.links[row]
        for child in node.elements:
            if (child.tag == "turnGravityOff" and not _unset(child)) or (
                child.tag == "gravity" and _unset(child)
            ):
                link.gravity = False
            elif child.tag in ("selfCollide", "self_collide"):
                self.touching[row] = _flag(child)
            elif child.tag == "material":
                self._look(row, child)
            elif child.tag in (*MU, "kp", "kd"):
                self._surface(row, child)

    def _surface(self, row: int, child: Untyped) -> None:
        """A value of a link's surface."""
        value = self._number(child)
        if value is None:
            return
        if value < 0:
            message = f"<{child.tag}> is {value:g}: it must not be negative"
            self.findings.add(REFUSED, child.span, message, source=child.source)
        elif child.tag.startswith("mu"):
            self.frictions.setdefault(row, {})[child.tag] = child
        else:
            for geom in self.plant.links[row].geoms:
                if geom.contype and child.tag == "kp":
                    geom.stiffness = value
                elif geom.contype:
                    geom.damping = value

    def _sliding(self) -> None:
        """The friction of links: the smaller of the two directions, which the Model does not distinguish."""
        differing = []
        for row, given in self.frictions.items():
            first, second = (float(said(given[tag])) if tag in given else 1.0 for tag in MU)
            if first != second:
                differing.append(next(iter(given.values())))
            for geom in self.plant.links[row].geoms:
                if geom.contype:
                    geom.friction = (min(first, second), *geom.friction[1:])
        if differing:
            message = "`mu1` and `mu2` (1 by default) differ: the smaller one is used in all"
            self._later(f"{message} directions", differing)

    def _look(self, row: int, material: Untyped) -> None:
        """Gazebo renders all visuals of a link with its material, whatever their own."""
        colour = COLOURS.get(said(material).removeprefix("Gazebo/"))
        if colour is None:
            self.others.setdefault(material.tag, []).append(material)
            return
        for geom in self.plant.links[row].geoms:
            if geom.group == VISUAL:
                geom.rgba, geom.material = (*colour, 1.0), None

    def _joint(self, row: int, node: Gazebo) -> None:
        joint = self.plant.joints[row]
        for child in node.elements:
            if child.tag in KEEPING and _flag(child):
                self.kept.add(row)
            value = self._number(child) if child.tag in ("springStiffness", "springReference") else None
            if value is None:
                continue
            if joint.kind not in BOUNDED:
                message = f"<{child.tag}> has no effect on a {joint.kind.name} joint, as `{joint.name}` is"
                self.findings.add(NO_EFFECT, child.span, message, source=child.source)
            elif child.tag == "springReference":
                joint.reference = value
            elif value < 0:
                message = f"the spring of joint `{joint.name}` has the negative stiffness {value:g}"
                self.findings.add(REFUSED, child.span, message, source=child.source)
            else:
                joint.stiffness = value

    def _number(self, node: Untyped) -> float | None:
        text = said(node)
        try:
            return float(text)
        except ValueError:
            message = f"<{node.tag}> is `{text[:40]}`, which is not a number"
            self.findings.add(NO_EFFECT, node.span, message, source=node.source)
            return None

    def _contact(self) -> None:
        """Links of one model do not touch each other, unless the model or either of them enables it."""
        for row, link in enumerate(self.plant.links):
            if row == 0 or link.instance == self.instance:
                link.touches_own = self.touching.get(row, self.self_collide)
                for geom in link.geoms:
                    if geom.contype:
                        geom.contype = geom.conaffinity = EVERY

    def _lump(self) -> None:
        """Determine which links Gazebo merges: those of fixed joints, except those fixed to the world."""
        for row, joint in enumerate(self.plant.joints):
            fixed = joint.kind is WELD and joint.instance == self.instance
            joint.lumped |= fixed and row not in self.kept and min(joint.parent, joint.child) > 0

    def _weld(self) -> None:
        """Fix a static robot to the world at its initial pose."""
        moved = {joint.child for joint in self.plant.joints}
        for row, link in enumerate(self.plant.links):
            if row and link.instance == self.instance and row not in moved:
                name = f"{link.name}_static"
                self.plant.add_joint(
                    Joint(name, self.instance, WELD, 0, row, IDENTITY, IDENTITY, node=link.node)
                )
        self.plant.fix(
            [
                joint
                for joint in self.plant.joints
                if self.instance in {self.plant.links[row].instance for row in (joint.parent, joint.child)}
            ]
        )


def said(node: Any) -> str:
    """The value of a setting, which Gazebo's conversion takes from `value` or else from the text."""
    text: str = node.attributes.get("value", node.text or "")
    return text.strip()


def _unset(node: Any) -> bool:
    return said(node).lower() in FALSE


def _flag(node: Any) -> bool:
    return said(node).lower() in TRUE
