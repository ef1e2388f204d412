from collections.abc import Sequence
from typing import Any

from polybody.assembly.parts import Body, Geom
from polybody.assembly.parts import Joint as Primitive
from polybody.lowering.plants.growth import Mobilized
from polybody.lowering.plants.native import Moved
from polybody.lowering.plants.plant import Joint, Link, Plant

class Bodies:
    """Makes the bodies of a plant.

    Args:
        plant: the plant.
        armature: what actuators add to the inertia of joints.
        friction, gravity: whether the friction of joints counts, and whether links without gravity have none.
    """

    alone: bool
    """Whether there is only one model."""
    shape_names: dict[str, int]
    """How many shapes have a name."""
    bodies: list[Body | None]
    """By the row of a link its body, None if it is not made."""
    moved: dict[Joint, list[Primitive]]
    """The primitives of each joint."""
    places: dict[Joint, int]
    """The indices of joints that move."""
    moving: list[Moved]
    """These, in Drake's order."""

    def __init__(self, plant: Plant, armature: dict[Joint, float], friction: bool, gravity: bool) -> None: ...
    def place(self, planting: Any, placed: list[Mobilized]) -> list[Body]:
        """Make the bodies of links, each of which comes after the one that carries it.

        Args:
            planting: names parts of several models, makes joints with several coordinates, and names shapes.
            placed: the links in their places in a tree.
        """

def touching(links: Sequence[Link]) -> list[Geom]:
    """The shapes of links that can touch others."""
