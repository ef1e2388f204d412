"""From an SDFormat document to a Plant, and to a Model."""

from __future__ import annotations

from typing import Any, cast

from polybody.base import Node
from polybody.diagnostics import Findings, Policy
from polybody.generated.formats.sdf import Sdf
from polybody.lowering.plants.forest import Base
from polybody.lowering.plants.native import DrakeNative
from polybody.lowering.plants.plant import Driving, Plant
from polybody.lowering.plants.planted import Meaning, check_options, planted
from polybody.lowering.result import Lowered
from polybody.lowering.sdf import surfaces
from polybody.lowering.sdf.building import scope_of
from polybody.lowering.sdf.filling import Filling
from polybody.lowering.sdf.included import Included
from polybody.lowering.sdf.scopes import LostError
from polybody.lowering.sdf.settings import Settings
from polybody.lowering.unsimulated import report_unsimulated
from polybody.reading import valid

GAZEBO = surfaces.TAKEN | frozenset(
    (
        *(("dynamics", "friction"), ("visual", "transparency"), ("link", "gravity"), ("world", "gravity")),
        *(("link", "self_collide"), ("model", "self_collide")),
    )
)
"""Elements that are used only with Gazebo's meaning."""
WEIGHT = (0.0, 0.0, -9.8)
"""m/s^2, of a world without its own."""


def lower(
    document: Sdf,
    *,
    meaning: Meaning = "drake",
    base: Base = "free",
    actuators: Driving = "as-is",
    self_collide: bool | None = None,
    policy: Policy = "warn",
    checked: bool = False,
) -> Lowered[DrakeNative]:
    """The Model of an SDFormat document.

    Args:
        document: as read, or made in Python.
        meaning: "drake", or "gazebo", which uses elements that Drake ignores: Coulomb friction of joints,
            links without gravity, the world's gravity, Gazebo's friction parameters, static models in static
            models.
        base: "free", or "fixed", which welds the bases of all models without a joint to the world to it, at
            their initial poses.
        actuators: "as-is", one for each joint with one degree of freedom, whose control is a force or torque;
            "motor", the same without joints that follow others, for included URDFs as well; "position", a
            servo for each, whose control is a position (:mod:`polybody.lowering.plants.driving` gives its
            gains); "none". An effort of 0 means that there is none.
        self_collide: whether links of one robot, with its nested models, touch each other; None: as the
            document says.
        policy: what counts as an error in the document, as in ``read``.
        checked: whether it was just read under the same policy, so that validation can be skipped.

    Raises:
        ValidationError: the document has errors, or no valid Model can be made of it.
        ValueError: an option has an invalid value.
    """
    check_options(meaning, base, actuators, self_collide)
    if not checked:
        document = cast(Sdf, valid(document, policy))
    findings = Findings(policy, format="sdf")
    report_unsimulated(document, findings, frozenset() if meaning == "drake" else GAZEBO)
    plant = Plant(driving=actuators, self_collide=self_collide)
    fill(document, plant, findings, meaning=meaning)
    findings.raise_errors()
    name = _title(document)
    made = planted(plant, findings, name=name, meaning=meaning, base=base, root=document)
    model = made.model
    if meaning == "gazebo" and document.world:
        model = model.replace(opt_gravity=document.world[0].gravity or WEIGHT)
    return Lowered(model, made.native, tuple(findings.sorted()))


def fill(
    document: Sdf, plant: Plant, findings: Findings, *, name: str | None = None, meaning: Meaning = "drake"
) -> int:
    """Add the content of a document to a Plant.

    Args:
        document: with one model or one world.
        plant: receives the content.
        findings: receives findings.
        name: the full name of the model, instead of its own name.
        meaning: as in :func:`lower`.

    Returns:
        The row of the model's instance; 0 for a world, and after an error.
    """
    settings = Settings(meaning)
    included = Included(plant, findings, meaning)
    try:
        world = scope_of(document, included.scope, name)
    except LostError as error:
        node: Any = error.node or document
        findings.add("PB063", node.span, str(error), source=node.source)
        return 0
    Filling(plant, settings, findings).run(world)
    included.settle()
    models = [scope.instance for _, scope in world.models()]
    return models[0] if len(models) == 1 else 0


def _title(document: Sdf) -> str:
    node: Node | None = document.model or next(iter(document.world), None)
    return getattr(node, "name", None) or ""
