"""Effective values of elements: what is written, over their defaults class, over the schema's defaults.

In each class all settings are read before the classes nested in it, which begin as copies of it. A vector
that may be shorter than it is keeps the class's last numbers. An orientation other than `quat` stays in
effect until another such one replaces it: a class's `euler` beats an element's `quat`. The shortcuts of
actuators change single parameters of what `general` has; what they do not name stays.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from polybody.base import Node
from polybody.base.written import written
from polybody.generated.formats.mjcf import Default, MeshInertia
from polybody.generated.formats.mjcf.tables import FORMAT
from polybody.lowering.mjcf import actuator_values
from polybody.lowering.mjcf.elements import Values
from polybody.lowering.mjcf.nodes import flat

MAIN = "main"
ALTERNATIVES = ("axisangle", "xyaxes", "zaxis", "euler")
_SOLVER = ("solreflimit", "solimplimit", "solreffriction", "solimpfriction")
SHORT: dict[str, tuple[str, ...]] = {
    "joint": _SOLVER,
    "geom": ("size", "friction", "solref", "solimp", "fluidcoef"),
    "site": ("size",),
    "pair": ("solref", "solreffriction", "solimp", "friction"),
    "equality": ("solref", "solimp"),
    "tendon": _SOLVER,
    "option": ("o_solref", "o_solimp", "o_friction"),
    "flexcontact": ("friction", "solref", "solimp"),
    "flexcompedge": ("solref", "solimp"),
}
"""Vectors that may be shorter, by kind of element."""
ROWS = {
    **{kind: kind.capitalize() for kind in ("body", "frame", "inertial", "joint", "geom", "site", "camera")},
    **{kind: kind.capitalize() for kind in ("light", "replicate", "mesh", "material", "texture", "skin")},
    **{kind: kind.capitalize() for kind in ("pair", "exclude", "key", "compiler", "option", "size")},
    **{kind: kind.capitalize() for kind in ("flex", "flexcomp")},
    "composite": "Composite",
    "compositeskin": "CompositeSkin",
    "flexcontact": "FlexContact",
    "flexelasticity": "FlexElasticity",
    "flexedge": "FlexEdge",
    "flexcompedge": "FlexcompEdge",
    "hfield": "HeightField",
    "lengthrange": "LengthRange",
    "equality": "DefaultEquality",
    "tendon": "Spatial",
    "sensor": "SiteSensor(touch)",
}
"""Where the schema has the defaults of each kind of element."""
_POSE: Values = {"pos": (0.0, 0.0, 0.0), "quat": (1.0, 0.0, 0.0, 0.0)}
OTHERWISE: dict[str, Values] = {
    "body": _POSE,
    "frame": _POSE,
    "inertial": _POSE,
    "material": {"metallic": 1.0},  # the document says 0, the engine has 1
    "compositeskin": {"rgba": (1.0, 1.0, 1.0, 1.0)},
    "mesh": {"inertia": MeshInertia.LEGACY},
}
"""Defaults of the engine where the schema has none or others."""


@cache
def schema_defaults(kind: str) -> Values:
    """The values of an element that says nothing and belongs to no class; not to be changed."""
    if kind == "actuator":
        return actuator_values.defaults()
    row = FORMAT.elements[ROWS[kind]]
    base = {attribute.field: attribute.default for attribute in row.attributes} | OTHERWISE.get(kind, {})
    if "euler" in base and kind != "replicate":
        base["alternative"] = None
    return base


def filled(kind: str, base: Values, node: Node) -> Values:
    """What an element means over the values of its class."""
    if kind == "actuator":
        return actuator_values.filled(base, node)
    own = written(node)
    for name in SHORT.get(kind, ()):
        if name in own and len(own[name]) < len(base[name]):
            own[name] += base[name][len(own[name]) :]
    if "alternative" in base:
        for name in ALTERNATIVES:
            if name in own:
                own["alternative"] = (name, own[name])
    elif kind == "tendon" and len(own.get("springlength", (0, 0))) == 1:
        own["springlength"] *= 2
    return base | own


def effective(kind: str, node: Node) -> Values:
    """The values of an element that takes no defaults class."""
    return filled(kind, schema_defaults(kind), node)


KIND_OF_DEFAULT = {
    **{
        tag: tag
        for tag in ("mesh", "material", "joint", "geom", "site", "camera", "light", "pair", "equality")
    },
    "tendon": "tendon",
    **dict.fromkeys(actuator_values.SHORTCUTS, "actuator"),
}
"""By the tag of an element of a class: the kind of element that it sets."""


class Defaults:
    """The defaults classes of one document."""

    def __init__(self, sections: list[Any]) -> None:
        self._classes: dict[str, dict[str, Values]] = {MAIN: {}}
        for section in sections:
            self._add(section)

    def _add(self, section: Default) -> None:
        stack: list[tuple[Default, dict[str, Values]]] = [(section, self._classes[MAIN])]
        while stack:
            node, bases = stack.pop()
            nested = []
            for child in flat(node):
                if isinstance(child, Default):
                    nested.append(child)
                else:
                    kind = KIND_OF_DEFAULT[child.TAG]
                    bases[kind] = filled(kind, bases.get(kind) or schema_defaults(kind), child)
            for child in nested:
                name = child.class_ or ""
                self._classes[name] = dict(bases)
                stack.append((child, self._classes[name]))

    def __contains__(self, name: str) -> bool:
        return name in self._classes

    def take(self, other: Defaults, prefix: str) -> None:
        """The classes of an attached model, which have its prefix here."""
        for name, bases in other._classes.items():
            self._classes[prefix + name] = bases

    def base(self, kind: str, name: str) -> Values:
        """The values that a class gives to elements of a kind; not to be changed."""
        bases = self._classes.get(name) or self._classes[MAIN]
        return bases.get(kind) or schema_defaults(kind)
