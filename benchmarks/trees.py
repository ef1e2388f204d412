"""The trees that all engines are timed on, built through the public API."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polybody import Model, ModelBuilder

Vector = tuple[float, float, float]
Axes = tuple[Vector, ...]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
QUARTER = 0.5**0.5


def _builder() -> ModelBuilder:
    from polybody import ModelBuilder

    return ModelBuilder(timestep=1e-3, gravity=(0.0, 0.0, -9.81))


def _link(
    builder: ModelBuilder,
    parent: int,
    name: str,
    length: float,
    mass: float,
    pos: Vector,
    quat: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0),
) -> int:
    """A slender body that reaches ``length`` along -z, slightly off its axis as real links are."""
    inertia = mass * np.array([length**2 / 11, length**2 / 12, length**2 / 100])
    centre = (0.02 * length, -0.01 * length, -0.5 * length)
    return builder.body(parent, name=name, pos=pos, quat=quat, mass=mass, ipos=centre, inertia=inertia)


def arm() -> Model:
    """A fixed 7-joint arm: every axis z, the frames turned by quarter turns, as arms are often described."""
    builder = _builder()
    turns = [(1.0, 0.0, 0.0, 0.0)]
    turns += [(QUARTER, side * QUARTER, 0.0, 0.0) for side in (1.0, -1.0, -1.0, 1.0, 1.0, -1.0)]
    parent = 0
    for i, quat in enumerate(turns):
        pos = (0.0, 0.0, 0.2) if i % 2 == 0 else (0.0, 0.18, 0.0)
        parent = _link(builder, parent, f"link{i}", 0.25, 4.0 - 0.5 * i, pos, quat)
        builder.joint(parent, "hinge", axis=Z, armature=0.01)
    return builder.build()


# Per limb: name, the trunk's part it hangs on, where, and its segments: hinge axes, length, mass.
_LIMBS = [
    (f"{side} {limb}", part, (0.0, sign * offset, height), segments)
    for limb, part, offset, height, segments in (
        ("leg", "pelvis", 0.1, -0.1, [((X, Z, Y), 0.4, 5.0), ((Y,), 0.4, 3.0), ((Y, X), 0.1, 1.0)]),
        ("arm", "torso", 0.2, 0.1, [((X, Y), 0.3, 2.0), ((Y,), 0.3, 1.2)]),
    )
    for sign, side in ((1.0, "left"), (-1.0, "right"))
]


def humanoid(one_joint_a_body: bool) -> Model:
    """A floating tree of 27 degrees of freedom: a trunk of three parts, legs of six hinges, arms of three.

    Several hinges at one place stand on one body, as MJCF files have them, or each on a body of its own
    (light ones before the limb's own), as URDF files have to.
    """
    builder = _builder()

    def segment(parent: int, name: str, axes: Axes, length: float, mass: float, pos: Vector) -> int:
        if one_joint_a_body:
            for i, axis in enumerate(axes[:-1]):
                parent = _link(builder, parent, f"{name} {i}", 0.05, 0.2, pos)
                builder.joint(parent, "hinge", axis=axis, armature=0.01)
                pos = (0.0, 0.0, 0.0)
            axes = axes[-1:]
        body = _link(builder, parent, name, length, mass, pos)
        for axis in axes:
            builder.joint(body, "hinge", axis=axis, armature=0.01)
        return body

    torso = _link(builder, 0, "torso", 0.4, 10.0, (0.0, 0.0, 0.0))
    builder.joint(torso, "free")
    waist = segment(torso, "waist", (Z, Y), 0.15, 2.0, (0.0, 0.0, -0.26))
    pelvis = segment(waist, "pelvis", (X,), 0.15, 6.0, (0.0, 0.0, -0.17))
    for name, part, pos, segments in _LIMBS:
        parent = {"torso": torso, "pelvis": pelvis}[part]
        for i, (axes, length, mass) in enumerate(segments):
            parent = segment(parent, f"{name} {i}", axes, length, mass, pos)
            pos = (0.0, 0.0, -length)
    return builder.build()


def chain(count: int) -> Model:
    """A hanging chain of ``count`` hinges whose axes take turns."""
    builder = _builder()
    parent = 0
    for i in range(count):
        parent = _link(builder, parent, f"link{i}", 0.1, 0.2, (0.0, 0.0, -0.1 if i else 0.0))
        builder.joint(parent, "hinge", axis=(X, Y, Z)[i % 3], armature=0.01)
    return builder.build()


TREES: dict[str, Callable[[], Model]] = {
    "arm, 7 dofs": arm,
    "floating tree, 27 dofs": lambda: humanoid(one_joint_a_body=True),
    "the same, several joints a body": lambda: humanoid(one_joint_a_body=False),
    "chain of 10": lambda: chain(10),
    "chain of 100": lambda: chain(100),
    "chain of 1000": lambda: chain(1000),
}
