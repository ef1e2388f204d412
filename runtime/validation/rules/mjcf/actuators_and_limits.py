"""Limits that are neither enabled nor disabled, activations, and paths of spatial tendons."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

from polybody.base import Format, children_of
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.mjcf import Angle, Automatic, GainType, JointType
from polybody.validation.angles import like_degrees, like_radians
from polybody.validation.rules.mjcf.sizes import ACTUATORS, JOINT, TENDONS
from polybody.validation.scene import Scene, names_of

SPATIAL = "Spatial"
NODES = (JOINT, *TENDONS, *ACTUATORS)
LIMITS = {
    "range": "limited",
    "actuatorfrcrange": "actuatorfrclimited",
    "ctrlrange": "ctrllimited",
    "forcerange": "forcelimited",
    "actrange": "actlimited",
}
GENERAL, MUSCLE = "General", "Muscle"
ALWAYS_LIMITED = {"Damper": "ctrlrange", "Adhesion": "ctrlrange", "Intvelocity": "actrange"}
"""Actuators that require a range, and of which attribute; the control must not be negative."""
COUNTED = ("dcmotor", "pid")
"""Dynamics whose number of activations depends on their parameters."""
INHERITED = {"Position": "ctrlrange", "Intvelocity": "actrange", "Pid": "posrange"}
"""Actuators that can inherit the range of the joint or tendon that they act on."""


def check(scene: Scene) -> None:
    """Report limits, activations and tendons that MuJoCo does not compile."""
    settings = scene.root.compiler  # type: ignore[attr-defined]
    automatic = settings is None or settings.autolimits is not False
    for key, name, flag in _limited(scene.format):
        _limits(scene, key, name, flag, automatic)
    for node in scene.select(JOINT, "type", JointType.BALL):
        _from_zero(scene, node, automatic)
    _units(scene, settings is not None and settings.angle is Angle.RADIAN)
    for node in scene.nodes(GENERAL):
        _activation(scene, node)
    for key, name in ALWAYS_LIMITED.items():
        if name == "actrange" and "actlimited" in scene.names(key):
            continue  # a later release, in which the range is optional
        for node in scene.nodes(key):
            _bounded(scene, node, name)
    for key, name in INHERITED.items():
        for node in scene.nodes(key):
            if scene.value(node, "inheritrange") > 0:
                _inherits(scene, node, name)
    for node in scene.nodes(MUSCLE):
        _muscle(scene, node)
    for node in scene.nodes(SPATIAL):
        _path(scene, node)


@cache
def _limited(form: Format) -> tuple[tuple[str, str, str], ...]:
    """The kinds of elements with a limit: the attribute that gives it, and the one that enables it."""
    return tuple(
        (key, name, flag)
        for key in (JOINT, *TENDONS, *ACTUATORS)
        for name, flag in LIMITS.items()
        if flag in names_of(form, key)
    )


def _limits(scene: Scene, key: str, name: str, flag: str, automatic: bool) -> None:
    for node, limited, (low, high) in scene.rules.giving(key, flag, name):
        if limited is not Automatic.TRUE:
            continue
        if _unlimited(scene, node, name):
            if getattr(node, flag) is not None:  # not inherited from the defaults
                message = (
                    f"`{flag}` has no effect: a {scene.value(node, 'type')} joint is not limited by `{name}`"
                )
                scene.report("PB027", node, flag, message, "remove it")
        elif not low < high and not _is_ball(scene, node):
            message = f"`{name}` from {low:g} to {high:g} is empty, and `{flag}` is true"
            scene.report("PB045", node, name, message)
    if automatic:
        return
    for node, (low, high), limited in scene.rules.giving(key, name, flag):
        if limited is Automatic.AUTO and low < high and not _unlimited(scene, node, name):
            message = f"`{name}` without `{flag}`, which is required if `autolimits` is false"
            scene.report("PB023", node, name, message, f'write `{flag}="true"`, or `{flag}="false"`')


def _unlimited(scene: Scene, node: Any, name: str) -> bool:
    """Whether MuJoCo never applies the range: either one of a free joint, the force range of a ball joint."""
    if node.TAG != "joint":
        return False
    kind = scene.value(node, "type")
    return kind is JointType.FREE or (kind is JointType.BALL and name == "actuatorfrcrange")


def _is_ball(scene: Scene, node: Any) -> bool:
    """Whether it is a ball joint, for which MuJoCo also accepts an upper limit of 0."""
    return node.TAG == "joint" and scene.value(node, "type") is JointType.BALL


def _from_zero(scene: Scene, node: Any, automatic: bool) -> None:
    """The range of a ball joint is from 0 to its maximum angle."""
    limited = scene.value(node, "limited")
    low, high = scene.value(node, "range")
    inferred = limited is Automatic.AUTO and automatic and low < high
    if low != 0 and (limited is Automatic.TRUE or inferred):
        scene.report("PB019", node, "range", f"the range of a ball joint must begin at 0, not at {low:g}")


def _units(scene: Scene, radians: bool) -> None:
    """Limits of hinges in degrees that seem to be radians, or the reverse; each value is reported once."""
    here, there, unit = ("rad", "degrees", "radian") if radians else ("degrees", "radians", "degree")
    reported = set()
    for node, bounds, kind in scene.rules.giving(JOINT, "range", "type"):
        wrong = like_degrees(bounds) if radians else like_radians(bounds)
        if wrong is None or kind is not JointType.HINGE or (node.range is None and bounds in reported):
            continue
        reported.add(bounds)
        at = "range" if node.range is not None else None
        given = "`range`" if at else "`range` from the defaults"
        message = f"{given}: {wrong:g} {here} seems to be in {there}"
        scene.report("PB065", node, at, message, f"`angle` of <compiler> is `{unit}` here")


def _bounded(scene: Scene, node: Any, name: str) -> None:
    low, high = scene.value(node, name)
    if name == "ctrlrange" and min(low, high) < 0:
        scene.report("PB019", node, name, f"the control of <{node.TAG}> must not be negative")
    elif not low < high and not (node.TAG == "intvelocity" and scene.value(node, "inheritrange") > 0):
        scene.report(
            "PB023",
            node,
            name,
            f"<{node.TAG}> needs `{name}`, whose first number must be less than the second",
        )


def _inherits(scene: Scene, node: Any, name: str) -> None:
    """The range of a joint or tendon replaces the actuator's own."""
    low, high = scene.value(node, name)
    if low != 0 or high != 0:
        scene.report("PB022", node, name, f"`{name}` and `inheritrange` are mutually exclusive")
        return
    kind = next((kind for kind in ("joint", "tendon") if scene.value(node, kind)), None)
    if kind is None:
        scene.report(
            "PB023",
            node,
            "inheritrange",
            "`inheritrange` is allowed only for actuators of joints and tendons",
        )
        return
    target: Any = scene.declared(kind).get(scene.value(node, kind))
    if target is None:
        return  # reported separately, or generated by the compiler
    low, high = (0, 0) if target.TAG == "freejoint" else scene.value(target, "range")
    if not low < high:
        message = f"`inheritrange`: the {kind} `{clip(target.name)}` has no `range`"
        scene.report("PB023", node, "inheritrange", message)


def _muscle(scene: Scene, node: Any) -> None:
    low, high = scene.value(node, "range")
    if not low < high:
        scene.report(
            "PB044", node, "range", f"`range` of a muscle is from {low:g} to {high:g}; it must increase"
        )
    if not scene.value(node, "lmin") < 1 < scene.value(node, "lmax"):
        scene.report(
            "PB019", node, "lmin", "`lmin` of a muscle must be less than 1, and `lmax` greater than 1"
        )


def _activation(scene: Scene, node: Any) -> None:
    kind, count = scene.value(node, "dyntype").value, scene.value(node, "actdim")
    bounds = scene.value(node, "actrange")
    if kind == "none":
        if bounds[0] < bounds[1]:
            scene.report(
                "PB023", node, "actrange", "`actrange` requires an activation, but `dyntype` is `none`"
            )
        if count > 0:
            scene.report(
                "PB019",
                node,
                "actdim",
                f"`actdim` is {count}, but `dyntype` is `none`: there is no activation",
            )
    elif kind in COUNTED or scene.value(node, "gaintype") is GainType.SO3:
        return
    elif count == 0:
        scene.report("PB019", node, "actdim", f"`actdim` is 0, but `dyntype` `{kind}` has an activation")
    elif count > 1 and kind != "user":
        scene.report(
            "PB019", node, "actdim", f"`actdim` is {count}; only `dyntype` `user` allows more than 1"
        )


def _path(scene: Scene, node: Any) -> None:
    """Each branch begins and ends with a site; geoms are between two sites."""
    path = [part for part in children_of(node) if part.TAG in ("site", "geom", "pulley")]
    branches: list[list[Any]] = [[]]
    for part in path:
        if part.TAG == "pulley":
            branches.append([])
        else:
            branches[-1].append(part)
    for number, branch in enumerate(branches):
        if not branch and (number or len(branches) == 1):
            scene.report("PB056", node, None, "a branch of the tendon has no sites")
            continue
        for end in branch[:1] + branch[-1:]:
            if end.TAG != "site":
                scene.report("PB056", end, None, "a branch of the tendon must begin and end with a site")
        if len(branch) == 1 and branch[0].TAG == "site":
            scene.report("PB056", branch[0], None, "a branch of the tendon needs two sites")
        for first, second in pairwise(branch):
            if first.TAG == second.TAG == "geom":
                scene.report("PB056", second, None, "a geom of a tendon must be between two sites")
