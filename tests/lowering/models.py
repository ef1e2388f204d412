"""x_xy texts for the tests, and Models built from them."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import quoteattr

import polybody
from polybody.lowering import x_xy
from polybody.lowering.result import Lowered

SPHERE = '<geom type="sphere" mass="1" dim="0.1"/>'


def document(text: str) -> Any:
    return polybody.read("test.xml", text=text)


def lowered(text: str, **options: Any) -> Lowered[x_xy.Native]:
    return x_xy.lower(document(text), **options)


def body(joint: str, inside: str = SPHERE, name: str = "b", **attributes: str) -> str:
    written = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    return f'<body name={quoteattr(name)} joint="{joint}"{written}>{inside}</body>'


def world(inside: str, head: str = "") -> str:
    return f"<x_xy>{head}<worldbody>{inside}</worldbody></x_xy>"


def one(
    joint: str, inside: str = SPHERE, head: str = "", options: dict[str, Any] | None = None, **attributes: str
) -> Lowered[x_xy.Native]:
    """A world with one body called b."""
    return lowered(world(body(joint, inside, **attributes), head), **(options or {}))
