"""Functions that add a document of a format to a Plant, found by the document's class."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.document.registry import format_of, is_built_in
from polybody.lowering.plants.plant import Plant
from polybody.lowering.plants.planted import Meaning


class Fill(Protocol):
    """The function ``fill`` of a format's lowering."""

    def __call__(
        self,
        document: Any,
        plant: Plant,
        findings: Findings,
        *,
        name: str | None = None,
        meaning: Meaning = "drake",
    ) -> int:
        """Add a document's model with the full name ``name`` to a Plant; returns the row of its instance."""


def filler(document: Node) -> Fill | None:
    """The function that adds a document to a Plant; None if its format has none."""
    form = format_of(document)
    module = f"polybody.lowering.{form.name}"
    if not is_built_in(form) or find_spec(module) is None:
        return None
    found: Fill | None = getattr(import_module(module), "fill", None)
    return found
