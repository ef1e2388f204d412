from collections.abc import Iterable
from typing import NamedTuple

from polybody.lowering.plants.plant import Joint, Plant

class Mobilized(NamedTuple):
    """A link in its place in a tree."""

    link: int
    parent: int
    """Its parent link; 0, the world, for a base."""
    joint: Joint
    """The joint between them; a floating base has a joint that is not in the file."""
    reversed: bool
    """Whether the joint's child is the parent in the tree."""

class Growth:
    """Trees that grow along the joints of a plant.

    Args:
        plant: links and joints.
        fixed: whether bases without a joint to the world are welded to it.
        closing: the rows of joints that are not part of a tree.
    """

    bodies: list[Mobilized]
    """All links except the world, depth first."""
    looped: bool
    """Whether a joint connects links that are connected already."""

    def __init__(self, plant: Plant, fixed: bool, closing: Iterable[int]) -> None: ...
