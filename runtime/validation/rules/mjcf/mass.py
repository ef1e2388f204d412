"""Moving bodies need mass and inertia, of their own or of a body that is fixed to them."""

from __future__ import annotations

from typing import Any

from polybody.base.releases import is_in
from polybody.generated.formats.mjcf import Automatic, GeomType
from polybody.validation.rules.mjcf.assets import MESH
from polybody.validation.rules.mjcf.bodies import (
    BODY,
    GEOM,
    INERTIAL,
    WRAPPING,
    direct,
    joined,
    joint_counts,
    parts,
    wraps,
)
from polybody.validation.rules.mjcf.extents import most_inertia
from polybody.validation.scene import Scene

NODES = (BODY, GEOM, INERTIAL, MESH)
LEAST = 1e-15
"""Minimum value that MuJoCo accepts as positive, in kg and kg m^2."""
SMALL, LIGHT = 1e-2, 1e-6
"""Shapes larger than this, in m, and heavier, in kg, exceed the minimum."""
MASSLESS = (GeomType.PLANE, GeomType.HFIELD)
MAKERS = ("composite", "flexcomp", "attach")
"""Children that generate bodies, whose mass is unknown here."""
HOLDERS = ("inertial", "geom", "frame", "replicate", *MAKERS)


def check(scene: Scene) -> None:
    """Report moving bodies without mass, if no body fixed to them has mass either."""
    settings = scene.root.compiler  # type: ignore[attr-defined]
    if settings is not None and (settings.boundmass or settings.boundinertia):
        return
    suspects = _suspects(scene, settings)
    for body in suspects:
        _centre(scene, settings, body)
    moving = joint_counts(scene) if suspects else {}
    spoilt = {node for node, _ in scene.rules.poisoned}
    for body in suspects:
        if id(body) not in moving or _has_mass(scene, settings, body):
            continue
        fixed = [child for child in parts(body, "body") if not joined(child)]
        welded = list(_welded(scene, settings, fixed))
        if _is_unknown(spoilt, (body, *welded)) or parts(body, *MAKERS):
            continue
        if not any(_has_mass(scene, settings, child) for child in welded):
            name = f"body `{body.name}`" if body.name else "the body"
            message = (
                f"{name} moves, and neither it nor a body fixed to it has mass and inertia above {LEAST:g}"
            )
            scene.report("PB050", body, None, message)


def _is_unknown(spoilt: set[int], bodies: tuple[Any, ...]) -> bool:
    """Whether a reported fault of a shape or an inertia leaves the mass of bodies unknown."""
    return bool(spoilt) and any(
        id(part) in spoilt for body in bodies for part in (body, *parts(body, "geom", "inertial"))
    )


def _centre(scene: Scene, settings: Any, body: Any) -> None:
    """Several shapes that determine an inertia must have a centre of mass. Later releases ignore those
    without mass.
    """
    if is_in(scene.format.version, "3.3.6", None):
        return
    mode = _mode(settings)
    if mode is Automatic.FALSE or (mode is Automatic.AUTO and _inertial(body) is not None):
        return
    groups = settings.inertiagrouprange if settings is not None else None
    shapes = parts(body, "geom")
    if len(shapes) < 2:
        return
    low, high = groups or (0, 5)
    shapes = [shape for shape in shapes if low <= scene.value(shape, "group") <= high]
    if len(shapes) > 1 and not any(_weighs(scene, shape, groups) for shape in shapes):
        message = "the shapes of the body have no mass, so there is no centre of mass"
        scene.report("PB050", body, None, message, "give one of them mass, or the body an <inertial>")


def _suspects(scene: Scene, settings: Any) -> list[Any]:
    """Bodies with a part without mass, or without parts with mass; all others have mass."""
    rules = scene.rules
    found = {id(body): body for body in rules.bare(BODY, *HOLDERS)}
    parts = rules.below(INERTIAL, "mass", LEAST)
    parts += rules.below(INERTIAL, "diaginertia", LEAST)
    parts += rules.bare(INERTIAL, "diaginertia")
    homes = rules.homes(parts, WRAPPING)
    parts = rules.below(GEOM, "density", LEAST)
    parts += scene.select(GEOM, "type", *MASSLESS)
    parts += _small(scene)
    if settings is not None and (
        settings.inertiafromgeom is not None or settings.inertiagrouprange is not None
    ):
        parts += scene.nodes(GEOM)
    if parts:
        settled: set[int] = set()
        if _mode(settings) is not Automatic.TRUE:  # if the inertia is given, shapes do not matter
            settled = set(map(id, rules.homes(scene.nodes(INERTIAL), WRAPPING)))
        homes += [home for home in rules.homes(parts, WRAPPING) if id(home) not in settled]
    found.update({id(body): body for body in homes if body.TAG == "body"})
    # The content of a frame is not visible from the body.
    found.update({id(body): body for body in rules.bare(BODY, "inertial", "geom", *MAKERS)})
    return list(found.values())


def _small(scene: Scene) -> list[Any]:
    """Shapes so small or light that their inertia may be below the minimum."""
    found = scene.rules.below(GEOM, "size", SMALL) + scene.rules.below(GEOM, "mass", LIGHT)
    if any(mesh.vertex is not None for mesh in scene.nodes(MESH)):
        found += scene.select(GEOM, "type", GeomType.MESH)
    return found


def _welded(scene: Scene, settings: Any, bodies: list[Any]) -> list[Any]:
    """Bodies fixed to a moving body: its children and, from 3.3.0 on or if MuJoCo fuses static bodies, their
    descendants.
    """
    every = is_in(scene.format.version, "3.3.0", None)
    if not every and (settings is None or not settings.fusestatic):
        return bodies
    found = []
    while bodies:
        body = bodies.pop()
        found.append(body)
        bodies.extend(child for child in parts(body, "body") if not joined(child))
    return found


def _mode(settings: Any) -> Automatic:
    """Whether inertia is computed from shapes: always, never, or if it is not given."""
    return Automatic.AUTO if settings is None else settings.inertiafromgeom or Automatic.AUTO


def _has_mass(scene: Scene, settings: Any, body: Any) -> bool:
    mode = _mode(settings)
    if mode is not Automatic.TRUE:
        inertial = _inertial(body)
        if inertial is not None:
            return _is_inertia(inertial)
        if mode is Automatic.FALSE:
            return False
    groups = settings.inertiagrouprange if settings is not None else None
    weighing = [shape for shape in parts(body, "geom") if _weighs(scene, shape, groups)]
    if len(weighing) != 1:
        return bool(weighing)
    most = most_inertia(scene, weighing[0])
    return most is None or min(most) >= LEAST


def _inertial(body: Any) -> Any:
    """The first inertia of a body; None if it has none."""
    if not wraps(body):
        return body.inertial
    return next((part for part in direct(body) if part.TAG == "inertial"), None)


def _is_inertia(node: Any) -> bool:
    given = node.fullinertia if node.diaginertia is None else node.diaginertia
    return (node.mass is None or node.mass >= LEAST) and given is not None and min(given[:3]) >= LEAST


def _weighs(scene: Scene, geom: Any, groups: tuple[int, int] | None) -> bool:
    if scene.value(geom, "type") in MASSLESS:
        return False
    if groups is not None and not groups[0] <= scene.value(geom, "group") <= groups[1]:
        return False
    mass = scene.value(geom, "mass")
    weight = scene.value(geom, "density") if mass is None else mass
    return bool(weight is None or weight >= LEAST)
