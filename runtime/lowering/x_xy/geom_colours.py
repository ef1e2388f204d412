"""The red, green, blue and opacity of a geom's colour."""

from __future__ import annotations

from collections.abc import Sequence

from polybody.css_colours import COLOURS

Rgba = tuple[float, float, float, float]

RING: dict[str, tuple[float, float, float]] = {
    "dustin_exp_blue": (75 / 255, 93 / 255, 208 / 255),
    "dustin_exp_orange": (227 / 255, 139 / 255, 61 / 255),
    "dustin_exp_white": (241 / 255, 239 / 255, 208 / 255),
    "matplotlib_blue": (0.012, 0.263, 0.8745),
    "matplotlib_green": (0.0, 0.502, 0.0),
    "matplotlib_lightblue": (0.482, 0.784, 0.9647),
    "matplotlib_salmon": (0.98, 0.502, 0.447),
}
"""RING's names in addition to those of CSS."""

DEFAULT = (0.7, 0.5, 0.1)
"""RING's default colour of geoms, here also used for unknown names of colours."""


def rgba(color: str | Sequence[float] | None) -> Rgba:
    """The components of a colour as given: none, a name, three numbers or four."""
    if color is None:
        color = DEFAULT
    elif isinstance(color, str):
        name = color.strip().lower()
        color = COLOURS.get(name) or RING.get(name, DEFAULT)
    red, green, blue, *opacity = color
    return red, green, blue, opacity[0] if opacity else 1.0
