"""Effective values of elements: given ones, then those of the defaults class, then the schema's defaults.

Which elements of defaults classes apply to an element is determined as in validation and `polybody.resolve`.
This module implements how MuJoCo combines them. A vector that is given with fewer values keeps the last
values of the class. An orientation other than `quat` remains in effect until another one replaces it: before
3.16, a class's `euler` takes precedence over an element's `quat`. The shortcuts of actuators change single
parameters of `general`; other parameters are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from polybody.base import Format, Node
from polybody.base.releases import number
from polybody.base.written import written
from polybody.document.defaults import UNNAMED, Filling
from polybody.generated.formats.mjcf import MeshInertia
from polybody.generated.formats.mjcf.tables import FORMAT
from polybody.lowering.mjcf import actuator_values
from polybody.lowering.mjcf.elements import Values, defaults_of
from polybody.lowering.mjcf.nodes import flat

MAIN = "main"
ALTERNATIVES = ("axisangle", "xyaxes", "zaxis", "euler")
POLYNOMIALS = {"joint": ("stiffness", "damping"), "tendon": ("stiffness", "damping")}
"""Values that are one number, or some coefficients of a polynomial of which an element keeps the others."""
_SOLVER = ("solreflimit", "solimplimit", "solreffriction", "solimpfriction")
SHORT: dict[str, tuple[str, ...]] = {
    "joint": _SOLVER,
    "geom": ("size", "friction", "solref", "solimp", "fluidcoef", "surfacevel"),
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
    **{kind: kind.capitalize() for kind in ("flex", "flexcomp", "flag")},
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
"""The schema's element with the defaults of each kind of element."""
_POSE: Values = {"pos": (0.0, 0.0, 0.0), "quat": (1.0, 0.0, 0.0, 0.0)}
OTHERWISE: dict[str, Values] = {
    "body": _POSE,
    "frame": _POSE,
    "inertial": _POSE,
    "compositeskin": {"rgba": (1.0, 1.0, 1.0, 1.0)},
    "mesh": {"inertia": MeshInertia.LEGACY},
}
"""Defaults of the engine where the schema has none or different ones."""
FORMERLY: dict[str, tuple[str, Values]] = {
    "material": ("3.3.1", {"metallic": 1.0}),  # 0 in the documentation, 1 in the engine
}
"""Those of releases before one, which comes first."""


_compiled_as: ContextVar[Format] = ContextVar("polybody_release_that_is_compiled", default=FORMAT)


@contextmanager
def compiled_as(form: Format) -> Iterator[None]:
    """Within this context, the schema's defaults are those of the release of these tables."""
    token = _compiled_as.set(form)
    try:
        yield
    finally:
        _compiled_as.reset(token)


def form() -> Format:
    """The tables of the release that is compiled."""
    return _compiled_as.get()


def since(release: str) -> bool:
    """Whether what is compiled has the changes of a release: it is of this one or a later one."""
    return number(form().version) >= number(release)


def schema_defaults(kind: str) -> Values:
    """The values of an element without attributes and class; must not be modified."""
    return _schema_defaults(kind, form())


@cache
def _schema_defaults(kind: str, form: Format) -> Values:
    if kind == "actuator":
        return actuator_values.defaults(form)
    row = form.elements[ROWS[kind]]
    base = defaults_of(row) | OTHERWISE.get(kind, {})
    if kind in FORMERLY and number(form.version) < number(FORMERLY[kind][0]):
        base |= FORMERLY[kind][1]
    if "euler" in base and kind != "replicate":
        base["alternative"] = None
    return base


def filled(kind: str, base: Values, node: Node) -> Values:
    """The values of an element combined with those of its class."""
    if kind == "actuator":
        return actuator_values.filled(base, node)
    own = written(node)
    for name in SHORT.get(kind, ()):
        if name in own and len(own[name]) < len(base[name]):
            own[name] += base[name][len(own[name]) :]
    for name in POLYNOMIALS.get(kind, ()):
        if name in own:
            own[name] = actuator_values.overlaid(base[name], own[name])
    if "alternative" in base:
        if "quat" in own and since("3.16.0"):  # before, orientations of classes took precedence
            own["alternative"] = None
        for name in ALTERNATIVES:
            if name in own:
                own["alternative"] = (name, own[name])
    elif kind == "tendon" and len(own.get("springlength", (0, 0))) == 1:
        own["springlength"] *= 2
    return base | own


def effective(kind: str, node: Node) -> Values:
    """The values of an element without defaults class."""
    return filled(kind, schema_defaults(kind), node)


TARGETS = {"equality": "Connect", "tendon": "Spatial", "actuator": "General"}
"""For kinds of which the schema has several elements: one of them; their defaults are the same."""


class Defaults:
    """The values in the defaults classes of one document. `polybody.document.defaults` determines which of
    their elements apply, as for validation and `polybody.resolve`.
    """

    def __init__(self, root: Node) -> None:
        self._filling = Filling(form(), root, flat)
        self._bases: dict[tuple[str, str], Values] = {}
        self._taken: list[tuple[str, Defaults]] = []

    def take(self, other: Defaults, prefix: str) -> None:
        """Add the classes of an attached model, which have its prefix here."""
        self._taken.append((prefix, other))
        self._bases.clear()

    def base(self, kind: str, name: str) -> Values:
        """The values that a class gives to elements of a kind; must not be modified."""
        for prefix, other in self._taken:
            if name.startswith(prefix) and other.has(name.removeprefix(prefix)):
                return other.base(kind, name.removeprefix(prefix))
        key = TARGETS.get(kind) or ROWS[kind]
        waiting: list[str] = []  # classes from the inside out, up to the first computed one
        around: str | None = self._filling.known(name)
        while around is not None and (kind, around) not in self._bases:
            waiting.append(around)
            around = self._filling.around(around)
        values = schema_defaults(kind) if around is None else self._bases[kind, around]
        for each in reversed(waiting):
            values = actuator_values.inside(values) if kind == "actuator" else values
            for node in reversed(self._filling.held(key, each)):
                values = filled(kind, values, node)
            self._bases[kind, each] = values
        return values

    def has(self, name: str) -> bool:
        """Whether a class exists, here or in an attached model."""
        if name == MAIN or self._filling.known(name) != UNNAMED:
            return True
        return any(name.startswith(p) and other.has(name.removeprefix(p)) for p, other in self._taken)
