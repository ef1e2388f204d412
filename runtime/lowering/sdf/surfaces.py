"""The <surface> of a collision as in Gazebo with ODE, as far as the Model can represent it.

`friction/ode/mu`, `mu2`: sliding friction, the smaller of both in all directions. `friction/torsional`: of a
contact patch with a given radius; that of Hertz's theory would change with the depth. `contact/ode/kp`, `kd`,
`bounce`: as described in `polybody.lowering.plants.contacts`. `contact/collide_bitmask`, `category_bitmask`:
contact bits; shapes collide if the category of one matches the collide mask of the other. The rest is listed
as not simulated.

Source: the documents of <surface> (sdformat.org, 1.6 to 1.9) and Gazebo's tutorial on torsional friction.
"""

from __future__ import annotations

from typing import Any

from polybody.assembly.parts import Geom
from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.diagnostics.warned import remarks_are_read
from polybody.lowering.plants.contacts import EVERY, TORSIONAL, dissipation, torsion

NEVER = 100.0
"""m/s: an unreachable threshold of bouncing; SDFormat's default is 100,000."""
TAKEN = frozenset(
    (
        *(("bounce", ""), ("torsional", ""), ("ode", "kp"), ("ode", "kd")),
        *(("contact", "collide_bitmask"), ("contact", "category_bitmask")),
    )
)
"""Elements and their children that are used only with Gazebo's meaning."""


class Surfaces:
    """Sets the contact parameters of geoms from their collisions; parameters without effect are reported once
    for each kind.
    """

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.told: set[str] = set()

    def give(self, geom: Geom, surface: Any) -> None:
        """Use a <surface>, which may be None."""
        geom.contype = geom.conaffinity = EVERY
        if surface is None:
            return
        contact, friction = surface.contact, surface.friction
        if contact is not None:
            self._contact(geom, contact)
        if friction is not None:
            self._sliding(geom, friction.ode)
            self._torsional(geom, friction.torsional)
        bounce = surface.bounce
        if bounce is not None:
            threshold = 1000 * NEVER if bounce.threshold is None else bounce.threshold
            if threshold < NEVER:
                geom.dissipation = dissipation(bounce.restitution_coefficient or 0.0)
            if 0 < threshold < NEVER:
                self.later(bounce, "`threshold` of <bounce>", "slower contacts rebound, too")

    def compare(self, surface: Any) -> None:
        """Report Drake's interpretation of ODE's two coefficients, which Drake reads as static and dynamic
        friction.
        """
        friction = None if surface is None else surface.friction
        ode = None if friction is None else friction.ode
        if ode is None or ode.mu is None:
            return
        if ode.mu < (1.0 if ode.mu2 is None else ode.mu2) and "static" not in self.told:
            self.told.add("static")
            message = (
                "Drake reads `mu` as static friction and `mu2`, 1 by default, as dynamic friction, and "
                "refuses a static friction that is less; the Model uses `mu2`"
            )
            hint = 'give both; with meaning="gazebo" they are the frictions in two directions'
            self.findings.add("PB088", ode.span, message, hint=hint, source=ode.source)
        elif ode.mu != ode.mu2:
            self.later(ode, "`mu` of <ode>", "the Model has one coefficient of sliding friction, `mu2`")

    def later(self, node: Node, what: str, why: str) -> None:
        """Report once what has no effect."""
        if what not in self.told and remarks_are_read():
            self.told.add(what)
            message = f"{what} is read but not simulated: {why}"
            self.findings.add("PB061", node.span, message, source=node.source)

    def _contact(self, geom: Geom, contact: Any) -> None:
        if contact.collide_bitmask is not None:
            geom.contype = geom.conaffinity = int(contact.collide_bitmask) & EVERY
        if contact.category_bitmask is not None:
            geom.contype = int(contact.category_bitmask) & EVERY
        if contact.ode is not None:
            geom.stiffness = geom.stiffness if contact.ode.kp is None else contact.ode.kp
            geom.damping = contact.ode.kd

    def _sliding(self, geom: Geom, ode: Any) -> None:
        if ode is None:
            return
        first, second = (1.0 if value is None else float(value) for value in (ode.mu, ode.mu2))
        geom.friction = (min(first, second), *geom.friction[1:])
        if first != second:
            what = "a difference between `mu` and `mu2` (1 by default)"
            self.later(ode, what, "the smaller one is used in all directions")

    def _torsional(self, geom: Geom, given: Any) -> None:
        if given is None:
            return
        if given.use_patch_radius is False:
            self.later(given, "`surface_radius` of <torsional>", "the contact patch grows with the depth")
            return
        coefficient = 1.0 if given.coefficient is None else float(given.coefficient)
        radius = float(given.patch_radius or 0.0)
        if radius:
            geom.condim = TORSIONAL
            geom.friction = (geom.friction[0], torsion(coefficient, radius), geom.friction[2])
        if given.ode is not None and given.ode.slip:
            self.later(given.ode, "`slip` of <torsional>", "the Model has no such parameter")
