"""Releases of MuJoCo as which Models are simulated."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.value_classes import Scalar

NEWEST = 1
"""The code of 4.0."""


def newest(t: Any) -> Scalar:
    """Whether a Model is simulated as 4.0."""
    return t.opt_release[0] == NEWEST
