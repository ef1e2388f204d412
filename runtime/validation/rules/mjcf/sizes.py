"""Numbers of values: sizes of shapes, user data, states, arrays that belong together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from polybody.base import Format
from polybody.base.releases import is_in
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.mjcf import GeomType, JointType, SiteType
from polybody.generated.formats.mjcf.tables import FORMAT
from polybody.validation.scene import Scene, names_of

BODY, GEOM, SITE, JOINT, FREEJOINT = "Body", "Geom", "Site", "Joint", "Freejoint"
KEY, NUMERIC, SIZE = "Key", "Numeric", "Size"
UNITS = "KMGTPE"
"""Suffixes of sizes of memory, each 1024 times the one before it."""
LEAST_MEMORY, MOST_MEMORY = 120, 1 << 47
"""Bytes that the smallest document needs in MuJoCo, and the address space of a process."""
BONES = ("Bone",)
MACROS = ("Replicate", "Attach", "Composite", "Flexcomp")
TENDONS = ("Spatial", "Fixed")


WHOLE = FORMAT.whole or FORMAT
"""The tables of all releases."""


def _below(parent: str) -> tuple[str, ...]:
    """The kinds of elements in a section that can have user data."""
    return tuple(
        child.element
        for child in WHOLE.elements[parent].children
        if any(a.name == "user" for a in WHOLE.elements[child.element].attributes)
    )


ACTUATORS = _below("Actuator")
SENSORS = _below("Sensor")
USERS = {
    "nuser_body": (BODY,),
    "nuser_jnt": (JOINT,),
    "nuser_geom": (GEOM,),
    "nuser_site": (SITE,),
    "nuser_cam": ("Camera",),
    "nuser_tendon": TENDONS,
    "nuser_actuator": ACTUATORS,
    "nuser_sensor": SENSORS,
}
NODES = (
    *(key for keys in USERS.values() for key in keys),
    FREEJOINT,
    KEY,
    SIZE,
    NUMERIC,
    *BONES,
    *MACROS,
)

POSITIVE = {
    GeomType.SPHERE: 1,
    GeomType.CAPSULE: 2,
    GeomType.ELLIPSOID: 3,
    GeomType.CYLINDER: 2,
    GeomType.BOX: 3,
}
"""Number of values of `size` that a shape needs, all positive."""
CONTROLS = {"expmap": 3, "quat": 4, "none": 0}
"""Numbers of controls of those inputs that are single words and not one control."""
PADDED = {"qpos": "3.3.7", "qvel": "3.3.7", "ctrl": "3.16.0", "mpos": "3.16.0", "mquat": "3.16.0"}
"""Numbers of keyframes that may be fewer from a release on: the others are those of the initial state."""
OF_SITES = {SiteType(kind.value): need for kind, need in POSITIVE.items()}
SITE_SIZE = 0.005
"""Default of a site's size."""
ENOUGH = {"mesh": 0, "fromto": 1}
"""Number of values that are sufficient if another attribute is given: a mesh has a size, two ends a length.
"""
JOINTS = {kind: FORMAT.joint_size(kind) for kind in JointType}


def check(scene: Scene) -> None:
    """Report too many, too few or invalid values."""
    for geom in scene.rules.lacking(GEOM, "size", "type", POSITIVE, ENOUGH):
        size = scene.value(geom, "size")
        if min(size, default=0.0) >= 0:  # negative values are already reported
            kind = scene.value(geom, "type")
            _shape(scene, geom, kind.value, POSITIVE[kind], size)
    for site in scene.rules.lacking(SITE, "size", "type", OF_SITES, {"fromto": 1}):
        kind = scene.value(site, "type")
        _shape(scene, site, kind.value, OF_SITES[kind], scene.value(site, "size"), SITE_SIZE)
    for plane in scene.rules.lacking(GEOM, "size", "type", {GeomType.PLANE: 3}, {}):
        _plane(scene, plane)
    without = (SiteType.PLANE, SiteType.HFIELD, *(() if "mesh" in scene.names(SITE) else (SiteType.MESH,)))
    for site in scene.select(SITE, "type", *without):
        kind = scene.value(site, "type").value
        name = "type" if site.type is not None else None
        scene.report("PB083", site, name, f"a site cannot be of type `{kind}`")
    _users(scene)
    _memory(scene)
    _keys(scene)
    for node in scene.nodes(NUMERIC):
        if node.size is not None and node.data is not None and len(node.data) > node.size:
            scene.report(
                "PB017", node, "data", f"`data` has {len(node.data)} numbers; `size` allows {node.size}"
            )
        if node.size is None and node.data is None:
            scene.report("PB023", node, None, "<numeric> needs `data` or `size`")
    for bone in scene.nodes(*BONES):
        ids, weights = bone.vertid, bone.vertweight
        if ids is not None and weights is not None and len(ids) != len(weights):
            message = f"`vertid` has {len(ids)} numbers and `vertweight` {len(weights)}"
            scene.report("PB024", bone, "vertweight", message)


def _plane(scene: Scene, plane: Any) -> None:
    """The last value of a plane's size is the spacing of its grid; a side of 0 is infinite."""
    size = scene.value(plane, "size") or ()
    size = (*size, *_inherited(scene, plane)[len(size) :])
    if size[2] <= 0 and (id(plane), "size") not in scene.rules.poisoned:
        message = "a plane needs three numbers in `size`; the last, the spacing of its grid, must be positive"
        scene.report("PB024", plane, "size", message)


def _shape(
    scene: Scene, geom: Any, kind: str, need: int, size: tuple[float, ...] | None, otherwise: float = 0.0
) -> None:
    """Missing values may come from a defaults class, or are the engine's defaults."""
    if scene.value(geom, "fromto") is not None:
        need = ENOUGH["fromto"]
    size = size or ()
    fallback = _inherited(scene, geom, otherwise)
    size = (*size, *fallback[len(size) :])
    if (id(geom), "size") in scene.rules.poisoned:  # is already reported
        return
    if any(number <= 0 for number in size[:need]) or len(size) < need:
        given = "has " + (" ".join(f"{number:g}" for number in geom.size) if geom.size else "no size")
        scene.report(
            "PB024", geom, "size", f"a {kind} needs {need} positive numbers in `size`; this one {given}"
        )


def _inherited(scene: Scene, geom: Any, otherwise: float = 0.0) -> tuple[float, ...]:
    """The values that are used if fewer are given: those of the nearest class, then ``otherwise``."""
    chain = scene.rules.chain(geom, scene.rows[type(geom)])
    found = () if chain is None else chain.folded(scene.sizes, (), _together)
    return (*found, *(otherwise,) * (3 - len(found)))


def _together(classes: tuple[Any, ...], around: tuple[float, ...]) -> tuple[float, ...]:
    """The values of the elements of a class, the nearest first, then those of the surrounding class."""
    found: tuple[float, ...] = ()
    for size in (*(filler.size for filler in classes if filler.size is not None), around):
        found = (*found, *size[len(found) :])
    return found


def _memory(scene: Scene) -> None:
    """Sizes of the memory with which MuJoCo makes no simulation of any document."""
    for node in scene.having(SIZE, "memory"):
        text = scene.value(node, "memory").strip().upper()
        if text == "-1":
            continue
        count = int(text.rstrip(UNITS)) << 10 * (UNITS.find(text[-1]) + 1)
        if not LEAST_MEMORY <= count <= MOST_MEMORY:
            message = f"`memory` is {clip(text)}, not between {LEAST_MEMORY} bytes and {MOST_MEMORY >> 40}T"
            scene.report("PB083", node, "memory", message)


def _users(scene: Scene) -> None:
    sizes = scene.root.size  # type: ignore[attr-defined]
    for name, keys in USERS.items():
        most = None if sizes is None else getattr(sizes, name)
        if most is None or most < 0:
            continue
        for node in scene.nodes(*keys):
            if node.user is not None and len(node.user) > most:
                message = f"`user` has {len(node.user)} numbers; `{name}` of <size> allows {most}"
                scene.report("PB024", node, "user", message)


def of_keys(scene: Scene, copies: Mapping[int, int] = MappingProxyType({})) -> dict[str, int]:
    """How many values a keyframe has of each attribute, activations excepted.

    Args:
        scene: the document.
        copies: the number of copies of elements in macros, by id.
    """
    kinds = [(scene.value(joint, "type"), joint) for joint in scene.nodes(JOINT)]
    kinds += [(JointType.FREE, joint) for joint in scene.nodes(FREEJOINT)]
    mocap = sum(copies.get(id(body), 1) for body in scene.nodes(BODY) if body.mocap)
    return {
        "qpos": sum(JOINTS[kind][0] * copies.get(id(joint), 1) for kind, joint in kinds),
        "qvel": sum(JOINTS[kind][1] * copies.get(id(joint), 1) for kind, joint in kinds),
        "ctrl": _controls(scene),
        "mpos": 3 * mocap,
        "mquat": 4 * mocap,
    }


@cache
def _by_input(form: Format) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kinds of actuators with one control, and those whose `input` says how many."""
    several = tuple(key for key in ACTUATORS if "input" in names_of(form, key))
    return tuple(key for key in ACTUATORS if key not in several), several


def _controls(scene: Scene) -> int:
    """The number of controls: one of each actuator, except for those whose `input` says how many."""
    single, several = _by_input(scene.format)
    found = len(scene.nodes(*single))
    for node in scene.nodes(*several):
        given = scene.value(node, "input")
        if isinstance(given, tuple):
            found += len(given)
        elif given is None:  # of a general actuator
            kind = scene.value(node, "gaintype").value
            found += 3 if kind == "so3" else 2 if kind == "pid" else 1
        else:
            found += CONTROLS.get(given.value, 1)
    return found


def _padded(scene: Scene, name: str, more: int) -> bool:
    """Whether the release adds the numbers that a key frame lacks."""
    return more < 0 and name in PADDED and is_in(scene.format.version, PADDED[name], None)


def _keys(scene: Scene) -> None:
    """In a file without macros, keyframes have the same number of values as joints and actuators."""
    keys = scene.nodes(KEY)
    if not keys or any(scene.rules.nodes[macro] for macro in MACROS):
        return
    counts = of_keys(scene)
    for key in keys:
        for name, count in counts.items():
            value = getattr(key, name)
            if value is not None and len(value) != count and not _padded(scene, name, len(value) - count):
                scene.report(
                    "PB024", key, name, f"`{name}` has {len(value)} numbers; the model needs {count}"
                )
