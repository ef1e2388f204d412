"""Geoms and sites: size, pose, bounds, mass and inertia of each."""

from __future__ import annotations

from math import sqrt

import numpy as np
from polybody.generated.formats.mjcf import FluidShape, GeomType
from polybody.geometry import Mesh, bounds, measure, moments
from polybody.lowering.mjcf.elements import Element, Values
from polybody.lowering.mjcf.fluid import semi_axes, virtual_mass
from polybody.lowering.mjcf.poses import (
    EPS,
    NoDirectionError,
    Pose,
    along,
    composed,
    normalised,
    oriented,
    unit,
    vector,
)
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.shapes import MESHED, Shapes
from polybody.rotations.arrays import matrix
from polybody.rotations.poses import ORIGIN, Quaternion

LONG = ("capsule", "cylinder", "ellipsoid", "box")
"""Shapes with two ends."""
THICK = ("ellipsoid", "box")
"""Those of them whose half length is the third size."""
POSITIVE = {"sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}
"""The number of sizes of a shape that must be positive."""
NOT_FOR_SITES = ("mesh", "hfield", "plane")


def pose_of(element: Element, problems: Problems, quat: Quaternion | None = None) -> Pose:
    """The pose of an element in its frame, from any of the orientation attributes."""
    values = element.values
    quat = values["quat"] if quat is None else quat
    if values["alternative"] is not None:
        try:
            settings = element.settings
            quat = oriented(values["alternative"], settings.degrees, settings.sequence)
        except NoDirectionError as error:
            problems.add(element.node, f"{error} has zero length", values["alternative"][0])
    return values["pos"], quat


def framed(element: Element, pose: Pose, problems: Problems) -> Pose:
    """A pose given in an element's frame, in the body."""
    if element.frame is None:
        return pose
    try:
        return composed(element.frame.pose(), pose)
    except NoDirectionError as error:
        problems.add(element.frame.node, f"{error} has zero length")
        return pose


def between_ends(element: Element, problems: Problems) -> Pose:
    """The pose of a shape given by its two ends; its half length is stored in its sizes."""
    values = element.values
    kind, ends = values["type"].value, values["fromto"]
    if kind not in LONG:
        problems.add(element.node, f"a {kind} cannot have `fromto`; only {', '.join(LONG)} can", "fromto")
    if any(values["pos"]):
        problems.add(element.node, "`pos` and `fromto` are mutually exclusive", "pos")
    vector, length = normalised((ends[0] - ends[3], ends[1] - ends[4], ends[2] - ends[5]))
    if length / 2 < EPS:
        problems.add(element.node, "the two ends in `fromto` are the same point", "fromto")
    a, _, c = values["size"]
    values["size"] = (a, a, length / 2) if kind in THICK else (a, length / 2, c)
    middle = ((ends[0] + ends[3]) / 2, (ends[1] + ends[4]) / 2, (ends[2] + ends[5]) / 2)
    return middle, along(vector)


def check_size(element: Element, problems: Problems) -> bool:
    """Whether the required sizes of a shape are positive; of a plane, the third one, the grid spacing."""
    kind, size = element.values["type"].value, element.values["size"]
    needed = size[2:] if kind == "plane" else size[: POSITIVE.get(kind, 0)]
    if any(not number > 0 for number in needed):
        given = " ".join(f"{number:g}" for number in size)
        problems.add(element.node, f"a {kind} needs positive numbers in `size`; it has {given}", "size")
        return False
    return True


def compile_site(site: Element, problems: Problems) -> None:
    """Compute a site's final pose."""
    values = site.values
    if values["type"].value in NOT_FOR_SITES:
        problems.add(site.node, f"a site cannot be a {values['type'].value}", "type")
    pose = between_ends(site, problems) if values["fromto"] is not None else pose_of(site, problems)
    values["pos"], quat = framed(site, pose, problems)
    values["quat"] = unit(quat)
    check_size(site, problems)


def compile_geom(geom: Element, infers: bool, moving: bool, shapes: Shapes, problems: Problems) -> None:
    """Compute a geom's final size and pose, its bounds, mass and inertia.

    Args:
        geom: the element; its values get "inertia", "weight" (its part of the body's mass), "aabb", "rbound"
            and "fluid".
        infers: whether the body's inertia comes from its geoms, this one among them.
        moving: whether the body moves.
        shapes: the meshes and height fields.
        problems: receives the reasons why it is invalid.
    """
    values = geom.values
    kind = values["type"]
    problems.listed(geom.node, values, "condim")
    if kind is GeomType.PLANE and moving:
        problems.add(geom.node, "a plane cannot move", "type")
    pose = _own_pose(geom, problems)
    mesh = shapes.mesh(geom)
    field = shapes.height_field(geom)
    if mesh is not None:
        pose = _placed(geom, mesh, pose, shapes)
    sound = check_size(geom, problems)
    meshed = mesh if kind in MESHED else None
    if field is not None:
        x, y, top, base = field
        values["size"] = (x, y, 0.25 * top + 0.5 * base)
        low, high = (-x, -y, -base), (x, y, top)
        values["rbound"] = sqrt(x * x + y * y + max(top * top, base * base))
    elif meshed is not None:
        low, high = vector(meshed.low), vector(meshed.high)
        size = [max(abs(a), abs(b)) for a, b in zip(low, high, strict=True)]
        values["size"] = tuple(size)
        values["rbound"] = sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2])
    else:
        low, high, values["rbound"] = bounds(kind.value, values["size"])
    values["aabb"] = (
        *[(b + a) / 2 for a, b in zip(low, high, strict=True)],
        *[(b - a) / 2 for a, b in zip(low, high, strict=True)],
    )
    values["weight"], values["inertia"] = 0.0, ORIGIN
    if infers and sound:
        _weigh(geom, meshed, shapes, problems)
    values["fluid"] = _fluid(values)
    values["pos"], values["quat"] = framed(geom, pose, problems)


def _placed(geom: Element, mesh: Mesh, pose: Pose, shapes: Shapes) -> Pose:
    """The pose of a geom with a mesh. The velocity of its surface is given in the frame of the file."""
    found = shapes.placed(geom, mesh, pose)
    given = geom.values.get("surfacevel")
    if given and any(given):
        pos, quat = shapes.offset
        axes = matrix(np.array(quat))
        turning = np.array(given[3:])
        sliding = np.array(given[:3]) + np.cross(turning, pos)
        geom.values["surfacevel"] = (*(sliding @ axes).tolist(), *(turning @ axes).tolist())
    return found


def _own_pose(geom: Element, problems: Problems) -> Pose:
    if geom.values["fromto"] is None:
        return pose_of(geom, problems, unit(geom.values["quat"]))
    if geom.values["mesh"]:
        problems.add(geom.node, "`mesh` and `fromto` are mutually exclusive", "fromto")
    return between_ends(geom, problems)


def _weigh(geom: Element, mesh: Mesh | None, shapes: Shapes, problems: Problems) -> None:
    """The mass of a geom, given or from its density, and its moments."""
    values = geom.values
    mass, density = values["mass"], values["density"]
    if (mass is not None and mass < 0) or (mass is None and density < 0):
        problems.add(
            geom.node, "mass and density must not be negative", "density" if mass is None else "mass"
        )
        return
    if mass == 0 or (mass is None and density == 0):
        return
    kind, size, shell = values["type"].value, values["size"], bool(values["shellinertia"])
    if kind == "hfield":
        kind = "box"  # with the height given by its size
    if mesh is not None:
        weighed = shapes.weighed(geom, mesh)
        if weighed is None:
            return
        whole, (a, b, c) = weighed
    elif kind in POSITIVE:
        whole = measure(kind, size, shell)
    else:
        return  # a plane, or a mesh with a finding
    if mass is None:
        mass = density * whole
    elif whole <= EPS:
        return  # too small to have a density
    values["weight"] = mass
    values["inertia"] = moments(kind, size, mass, shell) if mesh is None else (mass * a, mass * b, mass * c)


_STILL = (0.0,) * 12


def _fluid(values: Values) -> tuple[float, ...]:
    """Flag, drag and lift, virtual mass and inertia of a geom with ellipsoid fluid forces."""
    if values["fluidshape"] is not FluidShape.ELLIPSOID:
        return _STILL
    axes = semi_axes(values["type"], values["size"])
    if not all(axes):  # an infinite plane; it is static, and no fluid acts on it
        return (1.0, *values["fluidcoef"], *_STILL[6:])
    mass, inertia = virtual_mass(axes, EPS)
    return (1.0, *values["fluidcoef"], *mass, *inertia)
