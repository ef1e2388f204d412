"""`fusestatic`: merges bodies without joints into their parents.

As of 3.2.7, this is done only if nothing could refer to elements whose indices would change. As of 3.16, each
body is merged unless something refers to it, or forces would change.
"""

from __future__ import annotations

from polybody.generated.formats.mjcf import AutomaticOrOff, FluidShape, InertiaFromGeom, SleepPolicy
from polybody.geometry import principal_axes
from polybody.geometry.composition import inertia_tensor
from polybody.lowering.mjcf.elements import Body, Spec
from polybody.lowering.mjcf.poses import MINVAL, composed, rotated, vector
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.tree import align, bring_along, move, set_principal, tolerance
from polybody.rotations.poses import ORIGIN, UPRIGHT

REFERRING = ("skin", "pair", "exclude", "equality", "tendon", "actuator", "sensor", "tuple")
"""Kinds of lists whose elements refer to bodies or their parts."""
LOADED = ("force", "torque")
"""Sensors of the interaction of a body with its parent."""


def fuse_static(spec: Spec, problems: Problems) -> None:
    """Merge bodies without joints into their parents, as of 3.2.7, if nothing refers to anything."""
    bodies = list(spec.world.walk())
    if any(spec.lists[kind] for kind in REFERRING) or any(body.camera or body.light for body in bodies):
        return
    for body in bodies[1:]:
        if _static(body):
            _fuse(body, problems)


def fuse_each_static(spec: Spec, problems: Problems, fluid: bool) -> None:
    """Merge each static body into its parent, as of 3.16.

    fluid: whether the medium has density or viscosity, so that forces depend on the inertia of each body.
    """
    wanted = _referred(spec)
    loaded = _loaded(spec)
    for body in list(spec.world.walk())[1:]:
        kept = body.name in wanted or any(site.name in loaded for site in body.site)
        if kept or not _static(body) or _matters(body, fluid):
            continue
        parent = body.parent
        assert parent is not None
        _fuse(body, problems)
        back = align(parent)
        if back is not None:
            bring_along(parent, back)


def _static(body: Body) -> bool:
    return not body.joint and not body.values["mocap"] and body.parent is not None


def _referred(spec: Spec) -> set[str]:
    """The names of bodies that other elements refer to."""
    found: set[str] = set()
    for kind in (*REFERRING, "flex"):
        for element in spec.lists[kind]:
            references = element.values.get("references", ())
            found.update(each.name for each in references if each.kind in ("body", "xbody"))
    for body in spec.world.walk():
        for part in (*body.camera, *body.light):
            if part.values.get("target"):
                found.add(part.values["target"])
    return found - {""}


def _loaded(spec: Spec) -> set[str]:
    """The names of sites of sensors of forces between a body and its parent."""
    sensors = [sensor.values for sensor in spec.lists["sensor"] if sensor.values["tag"] in LOADED]
    return {each.name for values in sensors for each in values["references"]} - {""}


def _matters(body: Body, fluid: bool) -> bool:
    """Whether a body must be kept: it is asked for, or its forces differ from those of its parent."""
    values, parent = body.values, body.parent
    assert parent is not None
    if values["fuse"] is not AutomaticOrOff.AUTO or values["sleep"] is not SleepPolicy.AUTO:
        return True
    if values.get("plugin") is not None:
        return True
    if parent.parent is None:  # forces on the world have no effect
        return False
    if body.mass >= MINVAL and (fluid or values["gravcomp"] != parent.values["gravcomp"]):
        return True
    if fluid and any(geom.values["fluidshape"] is FluidShape.ELLIPSOID for geom in body.geom):
        return True
    always = body.settings.values["inertiafromgeom"] is InertiaFromGeom.TRUE
    return always and (body.bounded or parent.bounded)


def _fuse(body: Body, problems: Problems) -> None:
    """Append a body's parts to those of its parent, and its mass, unless the parent is the world."""
    parent = body.parent
    assert parent is not None
    pose = (body.pos, body.quat)
    if parent.parent is not None and body.mass >= MINVAL:
        body.ipos, body.iquat = composed(pose, (body.ipos, body.iquat))
        _merge(parent, body, problems)
    for child in body.bodies:
        child.pos, child.quat = composed(pose, (child.pos, child.quat))
        child.parent = parent
    place = next(number for number, child in enumerate(parent.bodies) if child is body)
    parent.bodies[place : place + 1] = body.bodies
    for part in (*body.geom, *body.site, *body.camera):
        move(part, pose)
    for light in body.light:
        light.values["pos"] = composed(pose, (light.values["pos"], UPRIGHT))[0]
        light.values["dir"] = rotated(light.values["dir"], pose[1])
    for mine, its in zip(parent.parts, body.parts, strict=True):
        mine.extend(its)


def _merge(parent: Body, body: Body, problems: Problems) -> None:
    """Add a body's mass and inertia to those of its parent, in the parent's frame."""
    parts = [(each.mass, each.ipos, each.iquat, each.inertia) for each in (parent, body)]
    mass, centre, tensor = inertia_tensor(parts)
    if mass < MINVAL:
        parent.mass, parent.inertia, parent.ipos, parent.iquat = 0.0, ORIGIN, ORIGIN, UPRIGHT
        return
    parent.mass, parent.ipos = mass, vector(centre)
    set_principal(parent, *principal_axes(tensor, tolerance()), body.node, problems)
