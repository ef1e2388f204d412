"""URDF: what depends on the version of the document: quaternions of origins, required limits."""

from __future__ import annotations

from typing import Any

from polybody.document.parser.tables import version_number
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.urdf.documents import JointType
from polybody.validation.scene import Scene

OLDEST = "1.0"
"""The version of a document that states none."""
QUATERNIONS, FREE_LIMITS = version_number("1.1"), version_number("1.2")
"""The first versions with quaternions of origins, and with limits that are infinite by default."""
PARTS = 2
"""Numbers of a version, as ROS reads it."""
ORIGIN, LIMIT = "Origin", "Limit"
BOUNDED = (JointType.REVOLUTE, JointType.PRISMATIC)
QUATERNION = "quat_xyzw"


def version_of(document: Any) -> int:
    """The version of a document as a number; 0 if it is invalid."""
    return version_number(OLDEST if document.version is None else document.version)


def has_quaternions(document: Any) -> bool:
    """Whether `quat_xyzw` counts in a document; an invalid version counts as the newest one."""
    return not 0 < version_of(document) < QUATERNIONS


def check(root: Any, scene: Scene) -> None:
    """Report quaternions that ROS or Drake ignore, and limits that ROS requires."""
    stated = root.version
    if stated is not None and version_of(root) and len(stated.split(".")) != PARTS:
        message = f"ROS refuses the version `{clip(stated)}`, which does not consist of {PARTS} numbers"
        meant = ".".join([*stated.split("."), "0"][:PARTS])
        scene.report("PB073", root, "version", message, f'write version="{meant}"')
    origins = scene.having(ORIGIN, QUATERNION)
    counts = has_quaternions(root)
    if origins and not counts:
        message = f"`{QUATERNION}` has no effect in a document of version {OLDEST}"
        scene.report("PB067", origins[0], QUATERNION, message, 'write version="1.1"')
    elif origins:
        times = "once" if len(origins) == 1 else f"{len(origins)} times"
        message = f"the Model uses `{QUATERNION}`, as ROS does; Drake ignores it (written {times})"
        scene.report("PB088", origins[0], QUATERNION, message, "write `rpy` for both")
        for origin in origins:
            if origin.rpy is not None:
                message = f"`rpy` and `{QUATERNION}` are mutually exclusive"
                scene.report("PB022", origin, QUATERNION, message, "keep one of them")
    newer = not 0 < version_of(root) < FREE_LIMITS
    for limit in scene.nodes(LIMIT):
        names: tuple[str, ...] = ("effort", "velocity")
        if newer:
            names = ("lower", "upper") if scene.parent(limit).type in BOUNDED else ()
        for name in names:
            # A faulty value is None, too, and is reported already.
            if getattr(limit, name) is None and limit.attribute_span(name) == limit.span:
                scene.report("PB028", limit, None, f"<limit> has no `{name}`: some readers require it")
