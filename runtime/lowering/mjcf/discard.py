"""`discardvisual`: removes purely visual elements."""

from __future__ import annotations

from polybody.lowering.mjcf.elements import Element, Spec


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
