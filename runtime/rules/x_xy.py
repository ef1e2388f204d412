"""x_xy: gravity that points upwards, moving parts without mass, colours that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from polybody.colours import COLOURS
from polybody.diagnostics import Findings
from polybody.diagnostics.suggest import did_you_mean
from polybody.generated.formats.x_xy.documents import Body, GeomType, Joint
from polybody.reader.rules import Rules
from polybody.reader.tables import peek
from polybody.reader.values import clip
from polybody.validator import paths

BODY = "x_xy/worldbody/body"
GEOM = "x_xy/worldbody/body/geom"
DEFAULTS_GEOM = "x_xy/defaults/geom"
NODES = (BODY, GEOM, DEFAULTS_GEOM)
COLOUR_FIELDS = ("color", "edge_color")
# Asking through the slots makes no lists where there are no children.
_BODIES, _GEOMS = Body.__dict__["body"], Body.__dict__["geom"]


class Remark(NamedTuple):
    """A finding that is to come: the node, the attribute if it is about one, and the words."""

    node: Any
    attribute: str | None
    code: str
    message: str
    hint: str | None = None


def check(root: Any, rules: Rules, findings: Findings) -> None:
    """Report what the tables cannot say about a document."""
    remarks = [*_gravity(root), *_massless(rules), *_colours(rules)]
    if not remarks:
        return
    places = paths(root, [remark.node for remark in remarks])
    for node, attribute, code, message, hint in remarks:
        span = node.span if attribute is None else node.attribute_span(attribute)
        where = places[id(node)] + ("" if attribute is None else f"/@{attribute}")
        findings.add(code, span, message, xpath=where, hint=hint, source=node.source)


def _gravity(root: Any) -> Iterator[Remark]:
    options = root.options
    if options is not None and options.gravity is not None and options.gravity[2] < 0:
        message = f"gravity's z is {options.gravity[2]:g}: the base's acceleration, so that things fall up"
        numbers = " ".join(f"{-x or 0:g}" for x in options.gravity)
        yield Remark(options, "gravity", "PB051", message, f"write `{numbers}`")


def _massless(rules: Rules) -> Iterator[Remark]:
    """Bodies that move, carry no other body and have no mass."""
    body_filler: Any = rules.fillers.get(BODY)
    default_joint = None if body_filler is None else body_filler.joint
    geom_filler: Any = rules.fillers.get(GEOM)
    default_mass = None if geom_filler is None else geom_filler.mass
    default_type = None if geom_filler is None else geom_filler.type
    for body in rules.nodes[BODY]:
        joint = body.joint or default_joint
        if joint is None or joint is Joint.FROZEN or peek(_BODIES, body):
            continue
        for geom in peek(_GEOMS, body) or ():
            mass = default_mass if geom.mass is None else geom.mass
            # A mass that is missing or negative is reported elsewhere.
            if mass != 0 and (geom.type or default_type) is not GeomType.XYZ:
                break
        else:
            yield Remark(body, None, "PB052", f"body `{body.name}` moves, ends its chain and has no mass")


def _colours(rules: Rules) -> Iterator[Remark]:
    known: dict[str, bool] = {}
    for key in (DEFAULTS_GEOM, GEOM):
        for geom in rules.nodes[key]:
            for attribute in COLOUR_FIELDS:
                name = getattr(geom, attribute)
                if type(name) is not str or known.get(name):
                    continue
                known[name] = name.lower() in COLOURS
                if not known[name]:
                    message = f"unknown colour name `{clip(name)}`; it is kept as it is"
                    yield Remark(geom, attribute, "PB053", message, did_you_mean(name, COLOURS))
