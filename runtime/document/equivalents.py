"""The same said in another release of a format: attributes that replaced others, with equal meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

Values = Mapping[str, str]
"""Attributes with their values, as documents have them."""


class Equivalent(NamedTuple):
    """Two ways to say one thing on an element: by attributes that older releases have, and by those that
    newer releases have instead.
    """

    tags: tuple[str, ...]
    older: Values
    newer: Values


_CAMERAS = ("camera", "global")

EQUIVALENTS: Mapping[str, tuple[Equivalent, ...]] = {
    "mjcf": (
        Equivalent(_CAMERAS, {"orthographic": "true"}, {"projection": "orthographic"}),
        Equivalent(_CAMERAS, {"orthographic": "false"}, {"projection": "perspective"}),
        Equivalent(("light",), {"directional": "true"}, {"type": "directional"}),
        Equivalent(("light",), {"directional": "false"}, {"type": "spot"}),
        Equivalent(("flag",), {"passive": "disable"}, {"spring": "disable", "damper": "disable"}),
        Equivalent(("flag",), {"passive": "enable"}, {"spring": "enable", "damper": "enable"}),
        Equivalent(("headlight",), {"active": "1"}, {"active": "true"}),
        Equivalent(("headlight",), {"active": "0"}, {"active": "false"}),
    )
}
"""By format; read in MuJoCo's changelog and reader."""


POLYNOMIALS: Mapping[str, frozenset[tuple[str, str]]] = {
    "mjcf": frozenset(
        (tag, name) for tag in ("joint", "fixed", "spatial", "tendon") for name in ("stiffness", "damping")
    )
}
"""By format, attributes of elements whose numbers are coefficients, the lowest order first: zeros at the end
add nothing.
"""


def equivalents(form: str) -> tuple[Equivalent, ...]:
    """The rows of a format."""
    return EQUIVALENTS.get(form, ())
