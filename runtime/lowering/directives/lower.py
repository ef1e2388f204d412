"""From a file of model directives to a Model."""

from __future__ import annotations

from polybody.diagnostics import Findings, Policy
from polybody.document.directives import Directives
from polybody.lowering.directives.scene import Scene
from polybody.lowering.plants.forest import Base
from polybody.lowering.plants.native import DrakeNative
from polybody.lowering.plants.plant import Driving, Plant
from polybody.lowering.plants.planted import Meaning, check_options, planted
from polybody.lowering.result import Lowered


def lower(
    document: Directives,
    *,
    meaning: Meaning = "drake",
    base: Base = "free",
    actuators: Driving = "as-is",
    self_collide: bool | None = None,
    policy: Policy = "warn",
    checked: bool = False,
) -> Lowered[DrakeNative]:
    """The Model that model directives define.

    Args:
        document: as read, or made in Python with the documents of its models as their ``content``.
        meaning: of the models, as in their formats.
        base: "free", or "fixed", which welds floating bases to the world at their initial poses.
        actuators, self_collide: as in their formats.
        policy: what counts as an error, as in ``read``.
        checked: whether it was just read; directives are checked in any case.

    Raises:
        ValidationError: the directives have errors, or no valid Model can be made of them.
        ValueError: an option has an invalid value.
    """
    check_options(meaning, base, actuators, self_collide)
    findings = Findings(policy, format="directives")
    plant = Plant(driving=actuators, self_collide=self_collide)
    scene = Scene(plant, findings, meaning)
    scene.run(document)
    findings.raise_errors()
    scene.check()
    made = planted(plant, findings, meaning=meaning, base=base)
    return Lowered(made.model, made.native, tuple(findings.sorted()))
