"""What lowering a document gives."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from polybody.diagnostics import Diagnostic

if TYPE_CHECKING:  # numpy is imported for documents of which Models are made
    from polybody.model.model import Model

N = TypeVar("N")


class Lowered(NamedTuple, Generic[N]):
    """The result of lowering a document."""

    model: Model
    native: N
    """The coordinates of the format's home engine."""
    findings: tuple[Diagnostic, ...]
    """Elements that the Model does not have, replaced values, unexpected behaviour; no errors."""
    axes: Mapping[str, Any] = MappingProxyType({})
    """The axes (n, 3), drawn or given, of each rr, rr_imp and rsaddle of x_xy, by the body's name."""
