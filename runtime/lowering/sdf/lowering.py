"""From an SDFormat document to a Plant, and to a Model."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from polybody.base import Node
from polybody.diagnostics import Diagnostic, Findings, Policy
from polybody.generated.formats.sdf import Sdf
from polybody.lowering.plants.forest import Base
from polybody.lowering.plants.native import DrakeNative
from polybody.lowering.plants.plant import Plant
from polybody.lowering.plants.planted import Meaning, check_options, planted
from polybody.lowering.sdf import surfaces
from polybody.lowering.sdf.building import scope_of
from polybody.lowering.sdf.filling import Filling
from polybody.lowering.sdf.included import Included
from polybody.lowering.sdf.scopes import LostError
from polybody.lowering.sdf.settings import Settings
from polybody.lowering.unsimulated import report_unsimulated
from polybody.model.model import Model
from polybody.validation.validate import valid


class Lowered(NamedTuple):
    """What an SDFormat document becomes."""

    model: Model
    native: DrakeNative
    """The way back to Drake's coordinates."""
    findings: tuple[Diagnostic, ...]
    """What the Model does not have, and what it will not do as one might think; no errors."""


GAZEBO = surfaces.TAKEN | frozenset(
    (
        *(("dynamics", "friction"), ("visual", "transparency"), ("link", "gravity"), ("world", "gravity")),
        *(("link", "self_collide"), ("model", "self_collide")),
    )
)
"""What is taken where it means what Gazebo means."""
WEIGHT = (0.0, 0.0, -9.8)
"""m/s^2, of a world that does not say its own."""


def lower(
    document: Sdf,
    *,
    meaning: Meaning = "drake",
    base: Base = "free",
    policy: Policy = "warn",
    checked: bool = False,
) -> Lowered:
    """The Model that an SDFormat document means.

    Args:
        document: as read, or made in Python.
        meaning: "drake", or "gazebo", which uses what Drake ignores: Coulomb friction of joints, links
            without gravity, the world's gravity, friction as Gazebo has it, static models in static models.
        base: "free", or "fixed", which welds the bases of all models that no joint connects with the world
            to it, where they start.
        policy: what counts as an error in the document, as in ``read``.
        checked: it was read just now under the same policy, so that it need not be validated once more.

    Raises:
        ValidationError: the document has errors, or makes no Model that can be.
        ValueError: no such meaning or base.
    """
    check_options(meaning, base)
    if not checked:
        document = cast(Sdf, valid(document, policy))
    findings = Findings(policy, format="sdf")
    report_unsimulated(document, findings, frozenset() if meaning == "drake" else GAZEBO)
    plant = Plant()
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
    """Add what a document holds to a Plant.

    Args:
        document: of one model or one world.
        plant: what is added to.
        findings: where what is wrong goes.
        name: what the model is called instead of its own name, with the names of what it is in.
        meaning: as of :func:`lower`.

    Returns:
        The row of the model's instance; 0 of a world, and after an error.
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
