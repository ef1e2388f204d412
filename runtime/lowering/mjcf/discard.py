"""`discardvisual`: removes purely visual elements."""

from __future__ import annotations

from polybody.generated.formats.mjcf import FluidShape, InertiaFromGeom
from polybody.lowering.mjcf.elements import Element, Spec
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.references import FOLLOWERS, Reference
from polybody.lowering.mjcf.values import since


def discard_looks(spec: Spec) -> None:
    """Remove materials and textures, and all references to them."""
    spec.lists["material"].clear()
    spec.lists["texture"].clear()


def discard_shapes(spec: Spec) -> None:
    """Remove geoms that touch nothing and are not referred to, and meshes that only they use."""
    wanted = _wanted(spec)
    kept: set[str] = set()
    for body in spec.world.walk():
        body.geom = [geom for geom in body.geom if _touches(geom) or id(geom) in wanted]
        kept.update(geom.values["mesh"] for geom in body.geom if geom.values["mesh"])
    spec.lists["mesh"] = [mesh for mesh in spec.lists["mesh"] if mesh.name in kept]


def _touches(geom: Element) -> bool:
    return bool(geom.values["contype"] or geom.values["conaffinity"])


def _wanted(spec: Spec) -> set[int]:
    """The ids of geoms that pairs, tendons, sensors and tuples refer to."""
    found: set[int] = set()
    for pair in spec.lists["pair"]:
        found.update(map(id, pair.values.get("pair", ())))
    for tendon in spec.lists["tendon"]:
        found.update(id(wrap[1]) for wrap in tendon.values["wraps"])
    for sensor in spec.lists["sensor"]:
        found.update(map(id, sensor.values["objects"]))
    names = {r.name for each in spec.lists["tuple"] for r in each.values["references"] if r.kind == "geom"}
    found.update(id(geom) for body in spec.world.walk() for geom in body.geom if geom.name in names)
    return found


# --- as of 3.16 -------------------------------------------------------------------------------------------


def discard_visual(spec: Spec, problems: Problems) -> None:
    """Remove, as of 3.16, what is only visual: materials, textures, geoms, and meshes of no other use, unless
    something refers to them by name. The mass of bodies stays what it was.
    """
    named = _named(spec)
    kept: set[str] = set(named["mesh"])
    for kind in ("material", "texture"):
        spec.lists[kind] = [each for each in spec.lists[kind] if each.name in named[kind]]
    for body in spec.world.walk():
        always = body.settings.values["inertiafromgeom"] is InertiaFromGeom.TRUE
        for geom in [geom for geom in body.geom if _visual(geom, named["geom"])]:
            body.geom.remove(geom)
            if always and geom.values["weight"] > 0:
                message = "`discardvisual` would remove this geom, but its mass counts"
                hint = '`inertiafromgeom` "auto" of <compiler> keeps the inertia of the body'
                problems.add(geom.node, message, None, hint)
        kept.update(part.values["mesh"] for part in (*body.geom, *body.site) if part.values.get("mesh"))
    spec.lists["mesh"] = [mesh for mesh in spec.lists["mesh"] if mesh.name in kept]


def unread(spec: Spec) -> set[str]:
    """The names of meshes that `discardvisual` removes and no inertia needs, so that they are not read."""
    if not spec.settings.values["discardvisual"] or not since("3.16.0"):
        return set()
    named = _named(spec)
    needed = set(named["mesh"])
    for body in spec.world.walk():
        explicit = "inertial" in body.values and body.parent is not None
        for geom in body.geom:
            if not (_visual(geom, named["geom"]) and (explicit or body.parent is None)):
                needed.add(geom.values["mesh"])
        needed.update(site.values.get("mesh") or "" for site in body.site)
    return {mesh.name for mesh in spec.lists["mesh"]} - needed


def _visual(geom: Element, named: set[str]) -> bool:
    flows = geom.values["fluidshape"] is FluidShape.ELLIPSOID
    return not (_touches(geom) or flows or geom.name in named)


def _named(spec: Spec) -> dict[str, set[str]]:
    """The names by kind that list elements refer to."""
    found: dict[str, set[str]] = {kind: set() for kind in ("geom", "mesh", "material", "texture")}
    for kind in FOLLOWERS:
        for element in spec.lists[kind]:
            references = element.values.get("references", ())
            wraps = [Reference(wrap.tag, wrap.name) for wrap in element.values.get("path", ())]
            for each in (*references, *wraps):
                if each.kind in found and each.name:
                    found[each.kind].add(each.name)
    return found
