from typing import NamedTuple

from polybody.model.model import Model

class Sizes(NamedTuple):
    """For each body: mass, radius of gyration, reach and volume of its shapes; 0 if it has none."""

    mass: list[float]
    spread: list[float]
    reach: list[float]
    volume: list[float]

def sizes_of(model: Model) -> Sizes:
    """Sizes and masses of the bodies of a Model."""

def distances(model: Model, reach: list[float]) -> dict[int, float]:
    """For each body with one joint, the distance of its frame from its parent's, relative to the reach of
    both bodies' shapes.
    """

def spreads(spread: list[float], reach: list[float], usual: float) -> dict[int, float]:
    """By body with mass and shapes: how far its mass is spread, by what is usual for a body that reaches as
    far.
    """
