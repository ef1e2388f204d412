"""The tree of bodies compiled: poses, masses, principal axes; then alignment, discarding and fusing.

Bodies are compiled in the order of their indices, each with its parts.
"""

from __future__ import annotations

from typing import Any

from polybody.generated.formats.mjcf import Automatic, InertiaFromGeom, JointType
from polybody.generated.formats.mjcf.tables import FORMAT
from polybody.geometry import combined, principal_axes
from polybody.lowering.mjcf.cameras import compile_camera, compile_light
from polybody.lowering.mjcf.elements import Body, Element, Spec, Values
from polybody.lowering.mjcf.geoms import compile_geom, compile_site, framed, pose_of
from polybody.lowering.mjcf.joints import compile_joint
from polybody.lowering.mjcf.poses import (
    EPS,
    MINVAL,
    NOWHERE,
    NoDirectionError,
    Pose,
    composed,
    inverse,
    oriented,
    quaternion,
    rotated,
    unit,
    vector,
)
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.shapes import Shapes
from polybody.lowering.mjcf.values import since
from polybody.rotations.poses import ORIGIN, UPRIGHT

ROUNDING = 1e-12
"""Of principal moments, relative to the largest one."""
MAX_DOFS = 6
MAX_BODIES = 65533
DOFS = {kind: FORMAT.joint_size(kind)[1] for kind in JointType}


def compile_tree(spec: Spec, shapes: Shapes, problems: Problems) -> bool:
    """Compile all bodies with their parts; returns whether all of them could be compiled, even with
    faults.
    """
    moving: dict[int, bool] = {}
    bodies = list(spec.world.walk())
    if len(bodies) > MAX_BODIES:
        problems.add(spec.world.node, f"{len(bodies):,} bodies are more than {MAX_BODIES:,}")
    whole = True
    for body in bodies:
        moving[id(body)] = bool(body.joint) or (body.parent is not None and moving[id(body.parent)])
        try:
            _compile_body(body, moving[id(body)], shapes, problems)
        except (ArithmeticError, ValueError) as error:
            problems.add(body.node, f"numbers of the body overflow: {error}")
            whole = False
    return whole


def _compile_body(body: Body, moving: bool, shapes: Shapes, problems: Problems) -> None:
    settings = body.settings.values
    pose = pose_of(body, problems, unit(body.values["quat"]))
    given = body.values.get("inertial")
    if given is not None:
        _given_inertia(body, given, problems)
    wanted = settings["inertiafromgeom"]
    low, high = settings["inertiagrouprange"]
    world = body.parent is None
    for geom in body.geom:
        infers = not world and (given is None or wanted is InertiaFromGeom.TRUE)
        compile_geom(geom, infers and low <= geom.values["group"] <= high, moving, shapes, problems)
    counted = [geom for geom in body.geom if low <= geom.values["group"] <= high]
    if since("3.3.6"):
        counted = [geom for geom in counted if geom.values["weight"] > EPS]
    infers = wanted is InertiaFromGeom.TRUE or (given is None and wanted is InertiaFromGeom.AUTO)
    if infers and not world and counted:
        _inertia_from(body, counted, problems)
    elif given is None:
        body.ipos, body.iquat = pose  # as in MuJoCo; without mass it has no effect
    if not world:
        _bound(body, settings, problems)
    body.pos, body.quat = framed(body, pose, problems)
    back = align(body)
    for joint in body.joint:
        compile_joint(joint, problems)
    _check_joints(body, problems)
    for site in body.site:
        compile_site(site, problems)
    for camera in body.camera:
        compile_camera(camera, problems)
    for light in body.light:
        compile_light(light, problems)
    if back is not None:
        bring_along(body, back)


# --- inertia ----------------------------------------------------------------------------------------------


def _given_inertia(body: Body, given: Values, problems: Problems) -> None:
    """Mass and inertia as given in the document."""
    node = given["node"]
    body.mass, body.ipos = given["mass"] or 0.0, given["pos"] or ORIGIN
    body.iquat = unit(given["quat"])
    if given["fullinertia"] is not None:
        if given["alternative"] is not None or given["diaginertia"] is not None:
            other = "diaginertia" if given["alternative"] is None else given["alternative"][0]
            problems.add(node, f"`fullinertia` and `{other}` are mutually exclusive", "fullinertia")
            return
        xx, yy, zz, xy, xz, yz = given["fullinertia"]
        tensor = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        set_principal(body, *principal_axes(tensor, tolerance()), node, problems)
    else:
        body.inertia = given["diaginertia"] or ORIGIN
    if given["alternative"] is not None:
        try:
            settings = body.settings
            body.iquat = oriented(given["alternative"], settings.degrees, settings.sequence)
        except NoDirectionError as error:
            problems.add(node, f"{error} has zero length", given["alternative"][0])


def _inertia_from(body: Body, geoms: list[Element], problems: Problems) -> None:
    """Total mass and inertia of a body's geoms; those of a single geom are used unchanged."""
    parts = [geom.values for geom in geoms]
    if len(parts) == 1:
        only = parts[0]
        body.ipos, body.iquat = only["pos"], only["quat"]
        body.mass, body.inertia = only["weight"], only["inertia"]
        return
    if sum(part["weight"] for part in parts) < EPS:
        message = "the shapes of the body have no mass, so there is no centre of mass"
        problems.add(body.node, message)
        return
    pieces = [(part["weight"], part["pos"], part["quat"], part["inertia"]) for part in parts]
    whole = combined(pieces, tolerance())
    body.mass, body.ipos = whole.mass, vector(whole.pos)
    set_principal(body, whole.moments, whole.quat, body.node, problems)


def tolerance() -> float | None:
    """That of principal axes: as of 3.3.7, they are as good as rounding allows."""
    return 0.0 if since("3.3.7") else None


def set_principal(body: Body, moments: Any, quat: Any, node: Any, problems: Problems) -> None:
    """Set principal moments and axes, if there is an inertia; as of 4.0, or if it is none up to rounding and
    there is a minimum.
    """
    body.inertia, body.iquat = vector(moments), quaternion(quat)
    bounded = since("4.0") and body.settings.values["boundinertia"] > 0
    if not body.inertia[2] >= (-ROUNDING * body.inertia[0] if bounded else EPS):
        problems.add(node, f"the inertia is not positive definite: a principal moment is {body.inertia[2]:g}")


def _bound(body: Body, settings: Values, problems: Problems) -> None:
    """Apply the compiler's minimum mass and inertia, and check that the result is possible."""
    least, had = settings["boundinertia"], (body.mass, body.inertia)
    body.mass = max(body.mass, settings["boundmass"])
    a, b, c = body.inertia = tuple([max(moment, least) for moment in body.inertia])
    if body.mass < 0 or a < 0 or b < 0 or c < 0:
        problems.add(body.node, "mass and moments of inertia must not be negative")
    if a + b < c or a + c < b or b + c < a:
        if settings["balanceinertia"]:
            body.inertia = ((a + b + c) / 3.0,) * 3
        else:
            message = (
                f"impossible moments of inertia {a:g}, {b:g}, {c:g}: the sum of two is less than the third"
            )
            problems.add(body.node, message, None, "`balanceinertia` of <compiler> makes them equal")
    body.bounded = had != (body.mass, body.inertia)


# --- joints and alignment ---------------------------------------------------------------------------------


def align(body: Body) -> Pose | None:
    """Align a free body without children with its principal axes; returns the inverse pose if that was
    done.
    """
    if len(body.joint) != 1 or body.bodies or body.joint[0].values["type"] is not JointType.FREE:
        return None
    wanted = body.joint[0].values.get("align", Automatic.AUTO)
    aligned = body.settings.values["alignfree"] if wanted is Automatic.AUTO else wanted is Automatic.TRUE
    if not aligned:
        return None
    inertial = (body.ipos, body.iquat)
    body.pos, body.quat = composed((body.pos, body.quat), inertial)
    body.ipos, body.iquat = NOWHERE
    back = inverse(inertial)
    for geom in body.geom:
        move(geom, back)
    return back


def move(part: Element, by: Pose) -> None:
    part.values["pos"], part.values["quat"] = composed(by, (part.values["pos"], part.values["quat"]))


def bring_along(body: Body, back: Pose) -> None:
    """Keep the positions of sites, cameras and lights of a body that was aligned with its principal axes."""
    for part in (*body.site, *body.camera):
        move(part, back)
    for light in body.light:
        light.values["pos"] = composed(back, (light.values["pos"], UPRIGHT))[0]
        light.values["dir"] = rotated(light.values["dir"], back[1])


def _check_joints(body: Body, problems: Problems) -> None:
    kinds = [joint.values["type"] for joint in body.joint]
    if body.values["mocap"] and (kinds or body.parent is None or body.parent.parent is not None):
        problems.add(body.node, "a mocap body must be a child of the world without joints", "mocap")
    if not kinds:
        return
    if body.parent is None:
        problems.add(body.joint[0].node, "the world has no joints")
    elif JointType.FREE in kinds and (len(kinds) > 1 or body.parent.parent is not None):
        free = body.joint[kinds.index(JointType.FREE)]
        problems.add(
            free.node, "a free joint must be the only joint of its body, and the body a child of the world"
        )
    if sum(DOFS[kind] for kind in kinds) > MAX_DOFS:
        problems.add(body.node, f"the body has more than {MAX_DOFS} degrees of freedom")
    if JointType.BALL in kinds:
        later = kinds[kinds.index(JointType.BALL) + 1 :]
        if JointType.BALL in later or JointType.HINGE in later:
            problems.add(body.node, "a ball joint must not be followed by a rotation in the same body")


# --- after compiling --------------------------------------------------------------------------------------


def set_total_mass(spec: Spec, total: float) -> None:
    """Scale all masses and moments such that the total mass has a given value."""
    bodies = list(spec.world.walk())[1:]
    factor = max(MINVAL, total / max(MINVAL, sum(body.mass for body in bodies)))
    for body in bodies:
        body.mass *= factor
        a, b, c = body.inertia
        body.inertia = (a * factor, b * factor, c * factor)


def check_mass(spec: Spec, problems: Problems) -> None:
    """Check that moving bodies have mass and inertia, their own or that of a child fixed to them."""

    deep = since("3.3.0")  # fixed to a body fixed to it, and so on

    def heavy(body: Body) -> bool:
        return body.mass >= MINVAL and min(body.inertia) >= MINVAL

    bodies = list(spec.world.walk())
    carrying: set[int] = set()
    for body in reversed(bodies):
        if not body.joint and body.parent is not None and (heavy(body) or (deep and id(body) in carrying)):
            carrying.add(id(body.parent))
    for body in bodies:
        if body.joint and not heavy(body) and id(body) not in carrying:
            name = f"body `{body.name}`" if body.name else "the body"
            message = (
                f"{name} moves, and neither it nor a body fixed to it has mass and inertia above {MINVAL:g}"
            )
            problems.add(body.node, message)
