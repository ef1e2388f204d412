"""From a file of model directives to a Model."""

from __future__ import annotations

from typing import NamedTuple

from polybody.diagnostics import Diagnostic, Findings, Policy
from polybody.document.directives import Directives
from polybody.lowering.directives.scene import Scene
from polybody.lowering.plants.forest import Base
from polybody.lowering.plants.native import DrakeNative
from polybody.lowering.plants.plant import Plant
from polybody.lowering.plants.planted import Meaning, check_options, planted
from polybody.model.model import Model


class Lowered(NamedTuple):
    """The result of lowering model directives."""

    model: Model
    native: DrakeNative
    """Drake's coordinates."""
    findings: tuple[Diagnostic, ...]
    """What was ignored; not errors."""


def lower(
    document: Directives,
    *,
    meaning: Meaning = "drake",
    base: Base = "free",
    policy: Policy = "warn",
    checked: bool = False,
) -> Lowered:
    """The Model that model directives define.

    Args:
        document: as read, or made in Python with the documents of its models as their ``content``.
        meaning: of the models, as in their formats.
        base: "free", or "fixed", which welds floating bases to the world at their initial poses.
        policy: what counts as an error, as in ``read``.
        checked: whether it was just read; directives are checked in any case.

    Raises:
        ValidationError: the directives have errors, or no valid Model can be made of them.
        ValueError: no such meaning or base.
    """
    check_options(meaning, base)
    findings = Findings(policy, format="directives")
    plant = Plant()
    scene = Scene(plant, findings, meaning)
    scene.run(document)
    findings.raise_errors()
    scene.check()
    made = planted(plant, findings, meaning=meaning, base=base)
    return Lowered(made.model, made.native, tuple(findings.sorted()))
