"""Models used by several tests."""

from __future__ import annotations

import numpy as np
from polybody.assembly.builder import ModelBuilder
from polybody.model.model import Model

HOSTILE = '"""\nimport os\r\n\tos.system("echo ha")\u2028é\U0001f600 <&\'"]]>{{ x }} %s \\'


def everything(**options: float) -> Model:
    """A free body that carries a chain of every other joint type, two trees, a weld, geoms, springs,
    dampers.
    """
    rng = np.random.default_rng(7)
    b = ModelBuilder("every joint", timestep=0.001, **options)

    def body(parent: int, name: str) -> int:
        moments = rng.uniform(0.5, 1.0, 3)  # any three within a factor of two satisfy the triangle inequality
        return b.body(
            parent,
            name=name,
            pos=rng.normal(size=3),
            quat=rng.normal(size=4),
            mass=rng.uniform(0.5, 2.0),
            ipos=0.2 * rng.normal(size=3),
            iquat=rng.normal(size=4),
            inertia=moments,
        )

    base = body(0, "base")
    b.joint(base, "free", name="root", qpos0=rng.normal(size=7))
    arm = body(base, "arm")
    b.joint(arm, "ball", name="shoulder", pos=(0.1, 0, 0), damping=0.3, stiffness=(1, 2, 3))
    welded = body(arm, "welded")
    hand = body(welded, "hand")
    b.joint(hand, "slide", axis=(1, 1, 0), name="reach", stiffness=2.0, spring=0.3)
    b.joint(hand, "hinge", axis=(0, 0, 2), pos=(0, 0.2, 0), name="turn", armature=0.01, damping=0.1)
    drill = body(hand, "drill")
    b.joint(drill, "screw", axis=(0, 1, 0), pitch=0.05, name="drill")
    other = body(0, "other")
    b.joint(other, "hinge", axis=(0, 1, 0), name="door", qpos0=0.2)
    b.geom(hand, "box", size=(0.1, 0.2, 0.3), name="palm", rgba=(1, 0, 0, 1), mass=0.5)
    b.geom(0, "plane", size=(1, 1), name="floor")
    b.geom(base, "sphere", size=0.1)
    return b.build()


def pendulum(
    *, integrator: str = "Euler", timestep: float = 1e-3, damping: float = 0.0, angle: float = 3.0
) -> Model:
    """A point-like mass of 1 kg on a massless rod of 1 m, hanging down at angle 0."""
    b = ModelBuilder("pendulum", timestep=timestep, integrator=integrator)
    bob = b.body(name="bob", mass=1.0, ipos=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    b.joint(bob, "hinge", axis=(0, 1, 0), name="pivot", damping=damping, qpos0=angle)
    return b.build()


def chain(n: int, *, timestep: float = 1e-3) -> Model:
    """A chain of n rods, each hinged to the preceding one."""
    b = ModelBuilder("chain", timestep=timestep)
    parent = 0
    for k in range(n):
        parent = b.body(
            parent,
            name=f"link{k}",
            pos=(0, 0, -0.1 if k else 0),
            mass=0.1,
            ipos=(0, 0, -0.05),
            inertia=(1e-4, 1e-4, 1e-5),
        )
        b.joint(parent, "hinge", axis=(0, 1, 0) if k % 2 else (1, 0, 0), damping=0.01, qpos0=0.01)
    return b.build()
