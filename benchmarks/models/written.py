"""Models defined here: KUKA's LBR iiwa 14 from published data, and chains."""

from __future__ import annotations

import numpy as np
from polybody import Model, ModelBuilder

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
QUARTER = 0.5**0.5
# Per link: place in the one before (m), orientation there, mass (kg), centre of mass (m), moments about it
# along the link's axes (kg m^2). All hinges turn about z. Figures as in Drake's, iiwa_stack's descriptions.
IIWA = (
    ((0, 0, 0.1575), (1, 0, 0, 0), 5.76, (0, -0.03, 0.12), (0.033, 0.0333, 0.0123)),
    ((0, 0, 0.2025), (0, 0, QUARTER, QUARTER), 6.35, (0.0003, 0.059, 0.042), (0.0305, 0.011, 0.0304)),
    ((0, 0.2045, 0), (0, 0, QUARTER, QUARTER), 3.5, (0, 0.03, 0.13), (0.025, 0.0238, 0.0076)),
    ((0, 0, 0.2155), (QUARTER, QUARTER, 0, 0), 3.5, (0, 0.067, 0.034), (0.017, 0.006, 0.0164)),
    ((0, 0.1845, 0), (0, 0, QUARTER, QUARTER), 3.5, (0.0001, 0.021, 0.076), (0.01, 0.0087, 0.00449)),
    ((0, 0, 0.2155), (QUARTER, QUARTER, 0, 0), 1.8, (0, 0.0006, 0.0004), (0.0049, 0.0036, 0.0047)),
    ((0, 0.081, 0), (0, 0, QUARTER, QUARTER), 1.2, (0, 0, 0.02), (0.001, 0.001, 0.001)),
)


def iiwa() -> Model:
    """KUKA's LBR iiwa 14: seven hinges on a fixed base."""
    builder = ModelBuilder("iiwa", timestep=1e-3)
    parent = 0
    for i, (pos, quat, mass, centre, moments) in enumerate(IIWA, 1):
        parent = builder.body(
            parent, name=f"link {i}", pos=pos, quat=quat, mass=mass, ipos=centre, inertia=moments
        )
        builder.joint(parent, "hinge", axis=Z, name=f"joint {i}")
    return builder.build()


def chain(count: int, length: float = 0.1, mass: float = 0.2, skew: float = 0.0) -> Model:
    """A hanging chain of ``count`` slender links, hinged about the axes x, y, z, x... in turn.

    Args:
        length, mass: of a link, m and kg.
        skew: distance of the centres of mass from the links' axis in lengths; 0 for straight rods.
    """
    builder = ModelBuilder(f"chain of {count}", timestep=1e-3)
    moments = mass * length**2 * np.array([1 / 11, 1 / 12, 1 / 100])
    parent = 0
    for i in range(count):
        parent = builder.body(
            parent,
            name=f"link {i}",
            pos=(0.0, 0.0, -length if i else 0.0),
            mass=mass,
            ipos=(2 * skew * length, -skew * length, -length / 2),
            inertia=moments,
        )
        builder.joint(parent, "hinge", axis=(X, Y, Z)[i % 3], armature=0.01)
    return builder.build()
