"""Values that depend on others: poses, joints and their axes, materials, limits."""

from __future__ import annotations

import math
from typing import Any

from polybody.base import Untyped
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.sdf.documents import JointType, MimicAxis, RotationFormat, ShaderType
from polybody.generated.formats.sdf.tables import FORMAT
from polybody.validation.rules.sdf.scopes import Named, Scope
from polybody.validation.scene import Scene

SINGLE = (JointType.CONTINUOUS, JointType.REVOLUTE, JointType.PRISMATIC, JointType.SCREW)
"""Joint types with one degree of freedom."""
OWN_AXES = 6
QUATERNION = 7


def _keys(*tags: str) -> tuple[str, ...]:
    """The kinds of elements with some tags."""
    return tuple(key for key, row in FORMAT.elements.items() if row.tag in tags and row.cls is not Untyped)


POSES = _keys("pose", "drake:pose")
BOUNDS = ("lower", "upper", "effort", "velocity")
LIMITS = tuple(
    key
    for key in _keys("limit")
    if {each.name for each in FORMAT.elements[key].attributes}.issuperset(BOUNDS)
)
"""The limits of an axis; an engine's own <limit> has other values."""
SHADERS, PLANETS = _keys("shader", "drake:shader"), _keys("spherical_coordinates")
SCRIPTS = ("Script",)
"""Scripts of materials; that of an actor has the same tag."""
NO_TEXT = "__default__"
"""In materials libsdformat treats this text as if there were none."""
MIMICS, DRAKE_MIMICS = _keys("mimic"), _keys("drake:mimic")
KEYS = (*POSES, *LIMITS, *SHADERS, *SCRIPTS, *PLANETS, *MIMICS, *DRAKE_MIMICS)


def check(scene: Scene) -> None:
    """Report values that contradict others."""
    for key in POSES:
        asked = [*scene.rules.unsized(key, "text()", OWN_AXES), *scene.having(key, "rotation_format")]
        for node in {id(node): node for node in asked}.values():
            _pose(node, scene)
    for node in scene.nodes(*LIMITS):
        # Only NaN differs from itself.
        low, high, effort, velocity = node.lower, node.upper, node.effort, node.velocity
        if low != low or high != high or effort != effort or velocity != velocity:
            _limit(node, scene)
    for node in scene.nodes(*SHADERS):
        _shader(node, scene)
    for node in scene.nodes(*SCRIPTS):
        _script(node, scene)
    for node in scene.nodes(*PLANETS):
        _coordinates(node, scene)


def _pose(node: Any, scene: Scene) -> None:
    """A pose has the number of values that its rotation format requires; an empty pose must have an
    attribute.
    """
    numbers = node.text
    form = node.rotation_format or RotationFormat.EULER_RPY
    wanted = QUATERNION if form is RotationFormat.QUAT_XYZW else OWN_AXES
    if numbers is not None and len(numbers) != wanted:
        takes = f"with `rotation_format` `{form.value}` it needs {wanted}"
        scene.report("PB024", node, None, f"<{node.TAG}> has {len(numbers)} numbers; {takes}")
    if node.degrees and form is RotationFormat.QUAT_XYZW:
        message = "`degrees` applies to roll, pitch and yaw, not to a quaternion"
        scene.report("PB022", node, "degrees", message)
    if (
        numbers is None
        and (id(node), "text") not in scene.rules.poisoned
        and not any(getattr(node, name) for name in node.FIELDS)
    ):
        scene.report("PB027", node, None, f"an empty <{node.TAG}> has no meaning", "remove it")


def _limit(node: Any, scene: Scene) -> None:
    for name in BOUNDS:
        value = getattr(node, name)
        if value is not None and math.isnan(value):
            scene.report("PB020", node, name, f"<{name}> is NaN; a limit must be a number")


def mimic(joint: Any, node: Any, scope: Scope, scene: Scene) -> None:
    """A joint follows another joint with one degree of freedom."""
    if node.joint is None:
        return
    name = node.joint.strip()
    if name == joint.name:
        scene.report("PB045", node, "joint", f"the joint `{clip(name)}` follows itself")
        return
    other = scope.find(name)
    if not isinstance(other, Named) or other.kind != "joint":
        scene.report("PB032", node, "joint", f"`joint`: there is no joint `{clip(name)}`")
    elif node.TAG == "mimic" and node.axis is MimicAxis.AXIS2 and not _has_second_axis(other.node):
        message = f"`axis`: joint `{clip(name)}` has no <axis2> that could be followed"
        scene.report("PB032", node, "axis", message, "write `axis`")
    elif node.TAG == "drake:mimic" and getattr(other.node, "type", None) not in (*SINGLE, None):
        message = (
            f"joint `{clip(name)}` is {other.node.type.value}; only a joint with one degree of "
            "freedom can be followed"
        )
        scene.report("PB027", node, "joint", message, "Drake ignores it")


def _has_second_axis(joint: Any) -> bool:
    """Whether a joint has an <axis2>; one of another format has none."""
    return getattr(joint, "axis2", None) is not None


def drake_mimic(joint: Any, node: Any, scene: Scene) -> None:
    if joint.type not in (*SINGLE, None):
        message = (
            f"a {joint.type.value} joint cannot follow another: only a joint with one degree of freedom can"
        )
        scene.report("PB027", node, None, message, "remove it")


def _shader(node: Any, scene: Scene) -> None:
    """A normal map shader needs a normal map."""
    kinds = (ShaderType.NORMAL_MAP_OBJECT_SPACE, ShaderType.NORMAL_MAP_TANGENT_SPACE)
    picture = node.TAG.removesuffix("shader") + "normal_map"
    if node.type in kinds and getattr(node, picture.replace(":", "_")) in (None, NO_TEXT):
        message = f"a shader of type `{node.type.value}` needs <{picture}>"
        scene.report("PB023", node, None, message)


def _script(node: Any, scene: Scene) -> None:
    """The first file of a script and its name must be given."""
    advice = "write a file or a name, or remove the <script>"
    message = f"`{NO_TEXT}` means that there is no <{{}}>, which a <script> needs"
    first = next(iter(node.uri), None)
    if first is not None and first.text == NO_TEXT:
        scene.report("PB026", first, None, message.format("uri"), advice)
    if node.name == NO_TEXT:
        scene.report("PB026", node, "name", message.format("name"), advice)


def _coordinates(node: Any, scene: Scene) -> None:
    """A custom planet needs two radii."""
    radii = {"surface_axis_equatorial", "surface_axis_polar"}
    missing = sorted(name for name in radii if getattr(node, name) is None)
    if (node.surface_model or "").strip() == "CUSTOM_SURFACE" and missing:
        named = " and ".join(f"<{name}>" for name in missing)
        scene.report("PB023", node, None, f"a CUSTOM_SURFACE needs {named}")
