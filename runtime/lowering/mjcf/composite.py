"""`composite`: particles, grids and cables, expanded as in MuJoCo 3.2.7."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from polybody.document.removed import removed
from polybody.generated.formats.mjcf import (
    CompositeJointKind,
    CompositeTendonKind,
    CompositeType,
    GeomType,
    JointType,
)
from polybody.lowering.mjcf.cable import make_cable
from polybody.lowering.mjcf.composite_skin import grid_skin
from polybody.lowering.mjcf.elements import Body, Element, Spec, Values
from polybody.lowering.mjcf.nodes import flat
from polybody.lowering.mjcf.poses import MINVAL
from polybody.lowering.mjcf.problems import Problems, Unmade
from polybody.lowering.mjcf.references import Reference, Wrap
from polybody.lowering.mjcf.values import effective, filled, schema_defaults
from polybody.rotations.poses import Vector

HIDDEN, SHOWN = 3, 0
"""Groups of a composite's elements."""
OF_CABLES = "mujoco.elasticity.cable"
ROUND = (GeomType.SPHERE, GeomType.CAPSULE, GeomType.ELLIPSOID)
AXES: tuple[Vector, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
HARD: Values = {"solref": (0.01, 1.0), "solimp": (0.99, 0.99, 0.001, 0.5, 2.0)}
"""Default parameters of the equalities that keep the lengths of a grid's tendons."""


class Composite:
    """A composite as read: its own values, and those of the elements that it creates, by kind.

    Attributes:
        values: of the element, `count` of three numbers, `vertex` of 32 bits.
        geom, site: the values of each geom and site.
        joints: by kind; particles may have several.
        tendons: by kind; the values of a tendon and of its equality.
        skin: the values of its skin, or None.
        plugin: the plugin that the bodies of a cable use, or None.
        named: kinds of joints and tendons given in the document.
    """

    def __init__(self, spec: Spec, body: Body, node: Any, problems: Problems, plugin: Any) -> None:
        self.spec, self.body, self.node, self.problems, self.plugin = spec, body, node, problems, plugin
        values = effective("composite", node)
        self.prefix = values["prefix"] or ""
        count = (*(values["count"] or ()), 1, 1, 1)[:3]
        size = (*(values["size"] or ()), *(1.0, 0.0, 0.0)[len(values["size"] or ()) :])
        vertex = values["vertex"] or ()
        self.values = values | {"size": size, "spacing": values["spacing"] or 0.0}
        self.kind = values["type"]
        children = list(flat(node))
        skins = [child for child in children if child.TAG == "skin"]
        self.skin = effective("compositeskin", skins[0]) if skins else None
        shown = (
            self.skin is None
            or self.kind in (CompositeType.PARTICLE, CompositeType.CABLE)
            or (self.kind is CompositeType.GRID and sum(number > 1 for number in count) == 1)
        )
        self.count = count
        self.vertices = np.array(vertex, dtype=np.float32)
        group = {"group": SHOWN if shown else HIDDEN}
        self.geom = schema_defaults("geom") | group
        self.site = schema_defaults("site") | {"group": HIDDEN}
        if self.kind is CompositeType.PARTICLE:
            self.geom |= {"condim": 1, "priority": 1}
        tendon, equality = schema_defaults("tendon") | group, schema_defaults("equality") | {"type": "tendon"}
        main = equality | HARD if self.kind is CompositeType.GRID else equality
        self.tendons: dict[Any, tuple[Values, Values]] = {
            CompositeTendonKind.MAIN: (tendon, main),
            CompositeTendonKind.SHEAR: (tendon, equality),
        }
        plain = schema_defaults("joint") | {"group": HIDDEN}
        self.joints: dict[Any, list[Values]] = {kind: [plain] for kind in CompositeJointKind}
        self.named: set[Any] = set()
        self._read(children, plain)

    def _read(self, children: list[Any], plain: Values) -> None:
        for child in children:
            if child.TAG == "geom":
                self.geom = filled("geom", self.geom, child)
            elif child.TAG == "site":
                self.site = filled("site", self.site, child)
            elif child.TAG == "joint":
                if child.kind in self.named:
                    if self.kind is not CompositeType.PARTICLE:
                        raise Unmade("only particles can have several joints of the same kind")
                    for joints in self.joints.values():
                        joints.append(plain)
                self.named.add(child.kind)
                values = filled("joint", self.joints[child.kind][-1], child)
                self.joints[child.kind][-1] = self._without(values, plain)
            elif child.TAG == "tendon":
                self.named.add(child.kind)
                tendon, equality = self.tendons[child.kind]
                values = filled("tendon", tendon, child)
                both = {
                    name: (*values[f"{name}fix"], *equality[name][len(values[f"{name}fix"]) :])
                    for name in ("solref", "solimp")
                    if f"{name}fix" in values
                }
                self.tendons[child.kind] = self._without(values, tendon), equality | both

    @staticmethod
    def _without(values: Values, plain: Values) -> Values:
        """The values without those that the created element does not have; MuJoCo does not read `limited`."""
        kept = {name: value for name, value in values.items() if name in plain}
        return kept | {"limited": plain["limited"]}

    # --- created elements -------------------------------------------------------------------------

    def add_body(self, parent: Body, name: str, values: Values) -> Body:
        """A body, appended to the children of another."""
        own = schema_defaults("body") | {"name": self.prefix + name} | values
        made = Body(self.node, own, self.body.settings, None, parent)
        parent.bodies.append(made)
        return made

    def add_part(self, body: Body, kind: str, values: Values, name: str | None = None) -> None:
        """A joint, geom or site of a body."""
        own = values if name is None else values | {"name": self.prefix + name}
        getattr(body, kind).append(Element(kind, self.node, own.copy(), self.body.settings))

    def add_listed(self, kind: str, values: Values) -> None:
        """An element outside the tree."""
        element = Element(kind, self.node, values, self.body.settings)
        self.spec.lists[kind].append(element)
        if self.spec.names is not None:
            self.spec.names.add([element])

    def slides(self, body: Body, number: str = "") -> None:
        """Three slides along a body's axes; if a number is given, they have names."""
        plain = self.joints[CompositeJointKind.MAIN][0]
        for place, axis in enumerate(AXES):
            values = plain | {"type": JointType.SLIDE, "axis": axis}
            self.add_part(body, "joint", values, f"J{place}_{number}" if number else None)


def composite(spec: Spec, body: Body, node: Any, problems: Problems, plugin: Any = None) -> None:
    """Add the elements of a composite to a body; the bodies of a cable may use a plugin."""
    try:
        made = Composite(spec, body, node, problems, plugin)
        _check(made)
        known = len(body.bodies)
        MAKE[made.kind](made)
    except Unmade as reason:
        problems.add(node, str(reason), reason.attribute)
        return
    if spec.names is not None:
        for child in body.bodies[known:]:
            spec.names.add_tree(child)


def _check(made: Composite) -> None:
    values, kind = made.values, made.kind
    if made.body.node.TAG == "replicate":
        raise Unmade(
            "a <composite> directly in a <replicate> has no effect in MuJoCo 3.2.7: put it into a body"
        )
    if kind not in MAKE:
        gone = removed("mjcf", f"composite/@type={kind.value}")
        raise Unmade(
            f"MuJoCo 3.2.7 does not support `{kind.value}`" + (f": {gone.instead}" if gone else ""),
            "type",
        )
    if made.plugin is not None and (kind is not CompositeType.CABLE or made.plugin.plugin != OF_CABLES):
        raise Unmade("only a cable accepts a plugin, mujoco.elasticity.cable")
    if kind is CompositeType.GRID and made.geom["type"] not in ROUND:
        raise Unmade("the geoms of a grid must be spheres, capsules or ellipsoids")
    if min(made.count) < 1:
        raise Unmade("the numbers of `count` must be positive", "count")
    given = len(made.vertices)
    spaced = kind is CompositeType.GRID or (kind is CompositeType.PARTICLE and not given)
    if spaced and values["spacing"] < max(made.geom["size"]):
        raise Unmade("`spacing` is less than the size of the geoms", "spacing")
    if sum(number * number for number in values["size"]) < MINVAL and not given:
        raise Unmade("the composite needs `size` or `vertex`", "size")
    if values["spacing"] and kind is CompositeType.CABLE:
        raise Unmade("a cable does not accept `spacing`", "spacing")
    if given:
        if given % 3:
            raise Unmade(f"`vertex` has {given} numbers; each vertex needs 3", "vertex")
        if made.count[0] > 1:
            raise Unmade("`vertex` and `count` are mutually exclusive", "vertex")
        made.count = (given // 3, 1, made.count[2])
    if [number == 1 for number in made.count] != sorted(number == 1 for number in made.count):
        raise Unmade("in `count`, numbers equal to 1 must come last", "count")
    subgrid = 0 if made.skin is None else made.skin["subgrid"]
    if not 0 <= subgrid <= MAX_LINES:
        raise Unmade(f"`subgrid` is {subgrid}; it must be 0 to {MAX_LINES}")
    if subgrid and kind is not CompositeType.CABLE and min(made.count[:2]) < 3:
        raise Unmade("`subgrid` needs 3 or more elements along both sides")
    total = made.count[0] * made.count[1] * made.count[2]
    if not made.problems.fits(made.spec, made.node, 8 * total, "count"):
        raise Unmade("the composite is too large", "count")


MAX_LINES = 50
"""Maximum number of lines of a skin between two elements."""


# --- particles and grids ----------------------------------------------------------------------------------


def _particles(made: Composite) -> None:
    offset = made.values["offset"]
    if len(made.vertices):
        places = made.vertices.reshape(-1, 3).astype(np.float64).tolist()
        names = [f"B{number}" for number in range(len(places))]
    else:
        spacing, count = made.values["spacing"], made.count
        grid = list(product(*map(range, count)))
        centred = [[spacing * (i - 0.5 * n) for i, n in zip(at, count, strict=True)] for at in grid]
        places = np.array(centred, dtype=np.float32).astype(np.float64).tolist()
        names = ["B" + "_".join(map(str, at)) for at in grid]
    site = made.site
    for number, (name, place) in enumerate(zip(names, places, strict=True)):
        pos = tuple(a + b for a, b in zip(offset, place, strict=True))
        body = made.add_body(made.body, name, {"pos": pos})
        if CompositeJointKind.PARTICLE in made.named:
            for values in made.joints[CompositeJointKind.PARTICLE]:
                made.add_part(body, "joint", values)
        else:
            made.slides(body)
        made.add_part(body, "geom", made.geom)
        made.add_part(body, "site", site, f"S{number}")


def _grid(made: Composite) -> None:
    nx, ny, nz = made.count
    flat_grid = ny > 1
    if nz > 1 or nx == 1:
        raise Unmade("a grid must have one or two dimensions", "count")
    if CompositeTendonKind.SHEAR in made.named and not flat_grid:
        raise Unmade("a grid with tendons of kind `shear` must have two dimensions", "count")
    if made.skin is not None and not flat_grid:
        raise Unmade("a grid with a skin must have two dimensions", "count")
    pinned = {(*child.coord, 0)[:2] for child in flat(made.node) if child.TAG == "pin"}
    (x0, y0, z0), spacing = made.values["offset"], made.values["spacing"]
    for x, y in product(range(nx), range(ny)):
        pos = (x0 + spacing * (x - 0.5 * nx), y0 + spacing * (y - 0.5 * ny), z0)
        body = made.add_body(made.body, f"B{x}_{y}", {"pos": pos})
        made.add_part(body, "geom", made.geom | {"type": GeomType.SPHERE}, f"G{x}_{y}")
        made.add_part(body, "site", made.site, f"S{x}_{y}")
        if (x, y) not in pinned:
            made.slides(body, f"{x}_{y}")
    for kind, name, one, other in _neighbours(made, nx, ny):
        _tied(made, kind, name, one, other)
    if made.skin is not None:
        grid_skin(made, made.skin)


def _neighbours(made: Composite, nx: int, ny: int) -> Iterator[tuple[Any, str, str, str]]:
    """The tendons of a grid: kind, name and the sites at both ends."""
    for along, (a, b) in enumerate(((1, 0), (0, 1))):
        for x, y in product(range(nx - a), range(ny - b)):
            yield CompositeTendonKind.MAIN, f"T{along}_{x}_{y}", f"S{x}_{y}", f"S{x + a}_{y + b}"
    if CompositeTendonKind.SHEAR in made.named:
        for x, y in product(range(nx - 1), range(ny - 1)):
            yield CompositeTendonKind.SHEAR, f"TS{x}_{y}", f"S{x}_{y}", f"S{x + 1}_{y + 1}"


def _tied(made: Composite, kind: Any, name: str, one: str, other: str) -> None:
    """A tendon between two sites, and the equality that fixes its length."""
    tendon, equality = made.tendons[kind]
    path = [Wrap("site", made.prefix + end, "", 0.0, made.node) for end in (one, other)]
    made.add_listed("tendon", tendon | {"name": made.prefix + name, "path": path})
    references = [Reference("tendon", made.prefix + name)]
    made.add_listed("equality", equality | {"name": None, "references": references})


MAKE = {CompositeType.PARTICLE: _particles, CompositeType.GRID: _grid, CompositeType.CABLE: make_cable}
