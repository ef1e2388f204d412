"""What `<gazebo>` adds under ``meaning="gazebo"``, as far as the Model can say it.

Links: `mu1` (sliding friction), `selfCollide`, `turnGravityOff`. Joints: `springStiffness`,
`springReference`. The robot: `static`, `self_collide`. Fixed joints stay joints: a lumped link moves as a
welded one does. The rest (contact stiffness, sensors, plugins, materials) is listed as not simulated.
"""

from __future__ import annotations

from typing import Any

from polybody.base import Untyped
from polybody.diagnostics import Findings
from polybody.generated.formats.urdf import Gazebo, Robot
from polybody.lowering.plants.plant import BOUNDED, Joint, JointKind, Plant
from polybody.lowering.poses import IDENTITY

NO_EFFECT, REFUSED = "PB027", "PB063"
OWN, OTHERS, SELF = 2, 1, 4
"""Bits of contact: of the robot's links, of the world's, of links that touch others of the robot."""
TRUE = frozenset(("true", "1"))


class Extensions:
    """Reads the `<gazebo>` elements of one document into its plant."""

    def __init__(self, plant: Plant, instance: int, findings: Findings) -> None:
        self.plant, self.instance, self.findings = plant, instance, findings
        self.static = self.self_collide = False
        self.touching: set[int] = set()
        """Links that touch others of the robot."""

    def add(self, document: Robot) -> None:
        """Take what all of them say."""
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

    def _robot(self, node: Gazebo) -> None:
        for child in node.elements:
            if child.tag == "static":
                self.static = _flag(child)
            elif child.tag == "self_collide":
                self.self_collide = _flag(child)

    def _link(self, row: int, node: Gazebo) -> None:
        link = self.plant.links[row]
        for child in node.elements:
            if child.tag == "turnGravityOff" and _flag(child):
                link.gravity = False
            elif child.tag == "selfCollide" and _flag(child):
                self.touching.add(row)
            elif child.tag == "mu1":
                mu = self._number(child)
                for geom in link.geoms if mu is not None else ():
                    if geom.contype:
                        geom.friction = (mu, *geom.friction[1:])

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


def _flag(node: Any) -> bool:
    return (node.text or "").strip().lower() in TRUE
