"""x_xy: gravity that points upwards, moving parts without mass, unknown colours."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from polybody.base import children_of
from polybody.css_colours import COLOURS
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.x_xy.documents import Body, Geom, GeomType, Joint
from polybody.suggest import did_you_mean
from polybody.validation.checker import Rules
from polybody.validation.reference_graphs import Remark, tell
from polybody.validation.scene import Scene

BODY, GEOM, DEFAULTS_GEOM = "Body", "Geom", "DefaultsGeom"
NODES = (BODY, GEOM, DEFAULTS_GEOM)
COLOUR_FIELDS = ("color", "edge_color")


def check(scene: Scene) -> None:
    """Report violations of rules that the tables cannot express."""
    tell(scene, (_gravity(scene.root), _massless(scene.rules), _colours(scene.rules)))


def _gravity(root: Any) -> Iterator[Remark]:
    options = root.options
    if options is not None and options.gravity is not None and options.gravity[2] < 0:
        message = (
            f"gravity has z = {options.gravity[2]:g}; it is the acceleration of the base, "
            "so bodies fall upwards"
        )
        numbers = " ".join(f"{-x or 0:g}" for x in options.gravity)
        yield Remark("PB051", options, "gravity", message, f"write `{numbers}`")


def _massless(rules: Rules) -> Iterator[Remark]:
    """Moving bodies for which neither they nor their descendants have mass."""
    body_filler: Any = rules.filler(BODY)
    default_joint = None if body_filler is None else body_filler.joint
    geom_filler: Any = rules.filler(GEOM)
    default_mass = None if geom_filler is None else geom_filler.mass
    default_type = None if geom_filler is None else geom_filler.type

    drawing = GeomType.XYZ

    def has_mass(body: Any, heavy: Container[int] | None) -> bool:
        """heavy: the ids of child bodies with mass in their subtree; None: all of them are assumed to have
        mass.
        """
        for child in children_of(body):
            if type(child) is Geom:
                mass = default_mass if child.mass is None else child.mass
                # A missing or negative mass is reported elsewhere.
                if mass != 0 and (child.type or default_type) is not drawing:
                    return True
            elif type(child) is Body and (heavy is None or id(child) in heavy):
                return True
        return False

    bodies = rules.nodes[BODY]
    # A massless moving subtree has a leaf without mass; most documents have no such leaf.
    plain = 0.0 not in rules.column(GEOM, "mass") and not rules.select(GEOM, "type", (drawing,))
    ends = rules.bare(BODY, "geom", "body") if plain else bodies
    if all(has_mass(body, None) for body in ends):
        return
    heavy: set[int] = set()
    for body in reversed(bodies):  # descendants come after a body
        if has_mass(body, heavy):
            heavy.add(id(body))
            continue
        joint = body.joint or default_joint
        if joint is not None and joint is not Joint.FROZEN:
            message = f"body `{clip(str(body.name))}` moves and has no mass, nor does it carry any"
            yield Remark("PB052", body, None, message)


def _colours(rules: Rules) -> Iterator[Remark]:
    """Unknown colour names, each at its first occurrence."""
    names = {
        name for key in (DEFAULTS_GEOM, GEOM) for field in COLOUR_FIELDS for name in rules.words(key, field)
    }
    if all(name.lower() in COLOURS for name in names):
        return
    seen: set[str] = set()
    for key in (DEFAULTS_GEOM, GEOM):
        for geom in rules.nodes[key]:
            for attribute in COLOUR_FIELDS:
                name = getattr(geom, attribute)
                if type(name) is not str or name in seen:
                    continue
                seen.add(name)
                if name.lower() not in COLOURS:
                    message = f"unknown colour name `{clip(name)}`; it is kept unchanged"
                    yield Remark("PB053", geom, attribute, message, did_you_mean(name, COLOURS))
