"""Drake 1.51 with a scene graph: which bodies may collide, and with what friction and stiffness."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple


class Contacts(NamedTuple):
    """Drake's results for the collision shapes of a file."""

    pairs: set[frozenset[str]]
    """Names of two bodies of which some shapes may collide, qualified if there are several models."""
    friction: list[tuple[float, float]]
    """Static and dynamic friction of each shape."""
    stiffness: list[float | None]
    """N/m, if given."""
    dissipation: list[float | None]
    """s/m, if given."""


def ask(path: Path, packages: Mapping[str, str] | None = None) -> Contacts:
    """Load a file with its geometry.

    Raises:
        RuntimeError: Drake does not load it.
    """
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.multibody.tree import BodyIndex
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.0)
    parser = Parser(plant)
    parser.SetAutoRenaming(False)
    for name, folder in (packages or {}).items():
        parser.package_map().Add(name, folder)
    parser.AddModels(str(path))
    plant.Finalize()
    seen: Any = graph.model_inspector()
    bodies = [plant.get_body(BodyIndex(row)) for row in range(plant.num_bodies())]
    several = len({body.model_instance() for body in bodies[1:]}) > 1
    names = [
        f"{plant.GetModelInstanceName(body.model_instance())}::{body.name()}" if several else body.name()
        for body in bodies
    ]
    shapes = [
        (name, each)
        for name, body in zip(names, bodies, strict=True)
        for each in plant.GetCollisionGeometriesForBody(body)
    ]
    pairs = {
        frozenset((first, second))
        for (first, one), (second, other) in combinations(shapes, 2)
        if first != second and not seen.CollisionFiltered(one, other)
    }
    held = [seen.GetProximityProperties(each) for _, each in shapes]
    return Contacts(
        pairs,
        [_friction(each) for each in held],
        *([_number(each, name) for each in held] for name in (STIFFNESS, DISSIPATION)),
    )


STIFFNESS, DISSIPATION = "point_contact_stiffness", "hunt_crossley_dissipation"


def _friction(properties: Any) -> tuple[float, float]:
    found = properties.GetProperty("material", "coulomb_friction")
    return found.static_friction(), found.dynamic_friction()


def _number(properties: Any, name: str) -> float | None:
    if not properties.HasProperty("material", name):
        return None
    return float(properties.GetProperty("material", name))
