"""What `<gazebo>` adds under ``meaning="gazebo"``, as far as the Model can say it.

Links: `mu1`, `mu2` (sliding friction: the smaller of both in all directions), `kp`, `kd`, `selfCollide`,
`self_collide`, `turnGravityOff`, `gravity`, `material`. Joints: `springStiffness`, `springReference`. The
robot: `static`, `self_collide`. Fixed joints stay joints: a lumped link moves as a welded one does. The
rest is listed as not simulated: the softness of limits, directions of friction (`fdir1`), slip, sensors,
plugins.
"""

from __future__ import annotations

from typing import Any

from polybody.base import Untyped
from polybody.diagnostics import Findings
from polybody.generated.formats.urdf import Gazebo, Robot
from polybody.lowering.assembly import VISUAL
from polybody.lowering.plants.plant import BOUNDED, Joint, JointKind, Plant
from polybody.lowering.poses import IDENTITY

NO_EFFECT, LATER, REFUSED = "PB027", "PB061", "PB063"
TAKEN = frozenset(
    (
        *("static", "self_collide", "selfCollide", "turnGravityOff", "gravity", "material", "mu1", "mu2"),
        *("kp", "kd"),
        *("springStiffness", "springReference", "preserveFixedJoint", "disableFixedJointLumping"),
    )
)
"""Children that are simulated, or need not be: fixed joints are kept in any case."""
OWN, OTHERS, SELF = 2, 1, 4
"""Bits of contact: of the robot's links, of the world's, of links that touch others of the robot."""
TRUE, FALSE = frozenset(("true", "1")), frozenset(("false", "0"))
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
"""Diffuse colours of the materials of Gazebo's own that are one colour."""


class Extensions:
    """Reads the `<gazebo>` elements of one document into its plant."""

    def __init__(self, plant: Plant, instance: int, findings: Findings) -> None:
        self.plant, self.instance, self.findings = plant, instance, findings
        self.static = self.self_collide = False
        self.touching: set[int] = set()
        """Links that touch others of the robot."""

    def add(self, document: Robot) -> None:
        """Take what all of them say."""
        self._list_others(document)
        for node in document.gazebo:
            if node.reference is None:
                self._robot(node)
                continue
            link = self.plant.link(self.instance, node.reference)
            joint = self.plant.joint(self.instance, node.reference)
            if link is not None:
                self._link(link, node)
            if joint is not None:
                self._joint(self.plant.joints[joint], node)
        self._contact()
        if self.static:
            self._weld()

    def _list_others(self, document: Robot) -> None:
        """A finding for each kind of element that is not taken, where it is first."""
        others: dict[str, list[Untyped]] = {}
        for node in document.gazebo:
            for child in node.elements:
                if child.tag not in TAKEN:
                    others.setdefault(child.tag, []).append(child)
        for tag, nodes in others.items():
            times = "once" if len(nodes) == 1 else f"{len(nodes)} times"
            message = f"<{tag}> of <gazebo> is read but not simulated (written {times})"
            self.findings.add(LATER, nodes[0].span, message, source=nodes[0].source)

    def _robot(self, node: Gazebo) -> None:
        for child in node.elements:
            if child.tag == "static":
                self.static = _flag(child)
            elif child.tag == "self_collide":
                self.self_collide = _flag(child)

    def _link(self, row: int, node: Gazebo) -> None:
        link = self.plant.links[row]
        frictions: list[float] = []
        for child in node.elements:
            if (child.tag == "turnGravityOff" and _flag(child)) or (child.tag == "gravity" and _unset(child)):
                link.gravity = False
            elif child.tag in ("selfCollide", "self_collide") and _flag(child):
                self.touching.add(row)
            elif child.tag == "material":
                self._look(row, (child.text or "").strip())
            elif child.tag in ("mu1", "mu2", "kp", "kd"):
                self._surface(row, child, frictions)

    def _surface(self, row: int, child: Untyped, frictions: list[float]) -> None:
        """A number of a link's surface; ``frictions`` are those of both directions so far."""
        value = self._number(child)
        if value is None:
            return
        if value < 0:
            message = f"<{child.tag}> is {value:g}: it must not be negative"
            self.findings.add(REFUSED, child.span, message, source=child.source)
            return
        if child.tag.startswith("mu"):
            frictions.append(value)
        for geom in self.plant.links[row].geoms:
            if geom.contype and child.tag == "kp":
                geom.stiffness = value
            elif geom.contype and child.tag == "kd":
                geom.damping = value
            elif geom.contype:
                geom.friction = (min(frictions), *geom.friction[1:])

    def _look(self, row: int, material: str) -> None:
        """Gazebo shows all visuals of a link in its material, whatever they say."""
        colour = COLOURS.get(material.removeprefix("Gazebo/"))
        if colour is None:
            return
        for geom in self.plant.links[row].geoms:
            if geom.group == VISUAL:
                geom.rgba, geom.material = (*colour, 1.0), None

    def _joint(self, joint: Joint, node: Gazebo) -> None:
        for child in node.elements:
            value = self._number(child) if child.tag in ("springStiffness", "springReference") else None
            if value is None or joint.kind not in BOUNDED:
                continue
            if child.tag == "springReference":
                joint.reference = value
            elif value < 0:
                message = f"the spring of joint `{joint.name}` has the negative stiffness {value:g}"
                self.findings.add(REFUSED, child.span, message, source=child.source)
            else:
                joint.stiffness = value

    def _number(self, node: Untyped) -> float | None:
        text = (node.text or "").strip()
        try:
            return float(text)
        except ValueError:
            message = f"<{node.tag}> is `{text[:40]}`, which is not a number"
            self.findings.add(NO_EFFECT, node.span, message, source=node.source)
            return None

    def _contact(self) -> None:
        """Links of one model do not touch each other, unless either says that it does."""
        if self.self_collide:
            return
        for row, link in enumerate(self.plant.links):
            for geom in link.geoms:
                if geom.contype and row == 0:
                    geom.contype, geom.conaffinity = OTHERS, OTHERS | OWN
                elif geom.contype:
                    geom.contype = OWN
                    geom.conaffinity = OTHERS | (OWN if row in self.touching else 0)

    def _weld(self) -> None:
        """Fix a static robot to the world where it is."""
        moved = {joint.child for joint in self.plant.joints}
        for row, link in enumerate(self.plant.links):
            if row and row not in moved:
                name = f"{link.name}_static"
                self.plant.add_joint(
                    Joint(name, self.instance, JointKind.weld, 0, row, IDENTITY, IDENTITY, node=link.node)
                )
        for joint in self.plant.joints:
            joint.kind = JointKind.weld


def _unset(node: Any) -> bool:
    return (node.text or "").strip().lower() in FALSE


def _flag(node: Any) -> bool:
    return (node.text or "").strip().lower() in TRUE
