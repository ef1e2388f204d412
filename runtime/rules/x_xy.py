"""x_xy: gravity that points upwards, moving parts without mass, colours that nobody knows."""

from __future__ import annotations

from typing import Any

from polybody.base import Node, Span
from polybody.colours import COLOURS
from polybody.diagnostics import Findings
from polybody.diagnostics.suggest import did_you_mean
from polybody.reader.rules import Rules

BODY = "x_xy/worldbody/body"
GEOM = "x_xy/worldbody/body/geom"
FILLERS = ("x_xy/defaults/geom", "x_xy/defaults/body")
NODES = (BODY, GEOM, *FILLERS)
COLOUR_FIELDS = ("color", "edge_color")


def check(root: Any, rules: Rules, findings: Findings) -> None:
    """Report what the tables cannot say about a document."""
    _gravity(root, findings)
    _massless(rules, findings)
    _colours(rules, findings)


def _gravity(root: Any, findings: Findings) -> None:
    options = root.options
    if options is not None and options.gravity is not None and options.gravity[2] < 0:
        message = f"gravity's z is {options.gravity[2]:g}: the base's acceleration, so that things fall up"
        numbers = " ".join(f"{-x or 0:g}" for x in options.gravity)
        span = options.attribute_span("gravity")
        where = "/x_xy/options/@gravity"
        findings.add("PB051", span, message, xpath=where, hint=f"write `{numbers}`", source=options.source)


def _massless(rules: Rules, findings: Findings) -> None:
    """Bodies that move, carry no other body and have no mass."""
    filler: Any = rules.fillers.get(GEOM)
    default_mass = None if filler is None else filler.mass
    default_type = None if filler is None else filler.type
    body_filler: Any = rules.fillers.get(BODY)
    for body in rules.nodes[BODY]:
        joint = body.joint or (body_filler and body_filler.joint)
        if joint is None or joint.value == "frozen" or _has(body, "body"):
            continue
        for geom in body.geom if _has(body, "geom") else ():
            kind = geom.type or default_type
            mass = geom.mass if geom.mass is not None else default_mass
            if kind is None or (kind.value != "xyz" and (mass is None or mass > 0)):
                break
        else:
            message = f"body `{body.name}` moves, ends its chain and has no mass"
            findings.add("PB052", body.span, message, source=body.source)


def _has(node: Node, field: str) -> bool:
    """Whether there are children in a field, without making its list."""
    try:
        return bool(getattr(type(node), field).__get__(node))
    except AttributeError:
        return False


def _colours(rules: Rules, findings: Findings) -> None:
    for key in (GEOM, FILLERS[0]):
        for geom in rules.nodes[key]:
            for field in COLOUR_FIELDS:
                name = getattr(geom, field)
                if type(name) is str and name.strip().lower() not in COLOURS:
                    _unknown_colour(geom, field, name, findings)


def _unknown_colour(geom: Node, field: str, name: str, findings: Findings) -> None:
    span: Span | None = geom.attribute_span(field)
    message = f"unknown colour name `{name}`; it is kept as it is"
    findings.add("PB053", span, message, hint=did_you_mean(name, COLOURS), source=geom.source)
