"""What later releases of MuJoCo refuse beyond their schemas.

Each rule has the first release that has it: the releases were asked which files of a corpus they load.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import ceil
from typing import Any

from polybody.base import children_of
from polybody.base.releases import is_in
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.mjcf import Automatic, GainType, JointType
from polybody.validation.rules.mjcf.bodies import GEOM, home_of, parts
from polybody.validation.rules.mjcf.sizes import ACTUATORS, SENSORS
from polybody.validation.scene import Scene

ATTACH, CAMERA, DCMOTOR, FLEX, FLEXCOMP, GENERAL, OPTION, ORIENTATION, PID, SPATIAL = (
    *("Attach", "Camera", "Dcmotor", "Flex", "Flexcomp", "General", "Option", "OrientationServo", "Pid"),
    "Spatial",
)
FIELD, FIXED = "HeightField", "Fixed"
ELASTIC = ("FlexElasticity", "FlexcompElasticity")
NODES = tuple(
    dict.fromkeys(
        (
            *(ATTACH, CAMERA, DCMOTOR, FLEX, FLEXCOMP, GEOM, OPTION, ORIENTATION, PID, SPATIAL, FIELD, FIXED),
            *(*ELASTIC, *ACTUATORS, *SENSORS),
        )
    )
)
SO3, FLAT = "so3", 2
"""Gain and bias of orientations; the dimension of a flex of triangles."""
REFUSED = "PB083"
CONTROLLED = ("pos", "vel", "ff")
"""The inputs of a DC motor that a controller takes."""
SLEW, INTEGRAL = 3, 1
"""Places in `controller` of a DC motor: the limit of the rate of its setpoint, and the integral gain."""


def check(scene: Scene) -> None:
    """Report what the document's release refuses."""
    for rule in _rules_of(scene.format.version):
        rule(scene)


@cache
def _rules_of(release: str) -> tuple[Callable[[Scene], None], ...]:
    return tuple(rule for since, rule in RULES if is_in(release, since, None))


MESHED = ("mesh", "sdf")


def _shells(scene: Scene) -> None:
    for geom in scene.having(GEOM, "shellinertia"):
        if scene.value(geom, "shellinertia") and scene.value(geom, "type").value in MESHED:
            message = "`shellinertia` is not for meshes: whether a mesh is a surface is said where it is made"
            scene.report(REFUSED, geom, "shellinertia", message, 'write inertia="shell" on the <mesh>')


def _cameras(scene: Scene) -> None:
    for camera in scene.having(CAMERA, "sensorsize"):
        if any(count <= 0 for count in scene.value(camera, "resolution")):
            message = "a camera with `sensorsize` needs a positive `resolution`"
            scene.report(REFUSED, camera, "sensorsize", message)


def _pins(scene: Scene) -> None:
    """A flex in a body with joints has pins: that body moves nothing otherwise."""
    for flex in scene.nodes(FLEXCOMP):
        home = home_of(scene, flex)
        if home.TAG == "body" and parts(home, "joint", "freejoint") and not (flex.rigid or flex.pin):
            message = "no point of the flex is pinned to its body, which has joints"
            hint = "write <pin>, or put the flex into a body without joints"
            scene.report(REFUSED, flex, None, message, hint)


def _buffers(scene: Scene) -> None:
    """A delay needs a buffer, and one that is long enough is at least asked for."""
    options = scene.nodes(OPTION)
    step = scene.value(options[-1], "timestep") if options else 0.002
    for node in (each for key in (*ACTUATORS, *SENSORS) for each in scene.having(key, "delay")):
        delay, count = scene.value(node, "delay"), scene.value(node, "nsample")
        if delay > 0 and count <= 0:
            message = f"a `delay` of {delay:g} s needs a buffer"
            scene.report(REFUSED, node, "delay", message, "write `nsample`, the number of samples")
        elif delay > 0 and count > 0:
            interval = getattr(node, "interval", None) or 0.0
            period = max(step, interval[0] if isinstance(interval, tuple) else interval)
            if period > 0 and delay > count * period * (1 + 1e-9):
                needed = ceil(delay / period)
                message = f"a `delay` of {delay:g} s is longer than the buffer: {needed} samples, not {count}"
                scene.report("PB019", node, "delay", message, f'write nsample="{needed}"')


def _intervals(scene: Scene) -> None:
    """A sensor measures once in each interval, in the first step or already before."""
    for node in (each for key in SENSORS for each in scene.having(key, "interval")):
        given = scene.value(node, "interval")
        period, last = (*(given if isinstance(given, tuple) else (given,)), 0.0)[:2]
        if period < 0:
            scene.report("PB019", node, "interval", f"the interval is {period:g} s; it must not be negative")
        elif last > 0:
            message = f"the last measurement before the start is at {last:g} s, after it"
            scene.report("PB019", node, "interval", message)
        elif period > 0 and last <= -period:
            message = f"the last measurement is at {last:g} s; it must be after {-period:g} s"
            scene.report("PB019", node, "interval", message)


def _tendons(scene: Scene) -> None:
    """Inertia of a spatial tendon."""
    for tendon in scene.nodes(SPATIAL):
        armature = scene.value(tendon, "armature")
        name = "armature" if tendon.armature is not None else None
        if armature < 0:
            scene.report("PB019", tendon, name, "`armature` of a tendon must not be negative")
        elif armature > 0 and any(part.TAG == "geom" for part in children_of(tendon)):
            scene.report(REFUSED, tendon, name, "a tendon that wraps around a geom has no `armature`")


def _thin(scene: Scene) -> None:
    """A flex that bends has a thickness."""
    for elastic in _elastic(scene, "bend", "both"):
        if scene.value(scene.parent(elastic), "dim") == FLAT and scene.value(elastic, "thickness") < 0:
            scene.report("PB019", elastic, "elastic2d", "bending needs a `thickness`, which is not negative")


def _flat(scene: Scene) -> None:
    """A flex that is elastic as a shell is one, with a thickness."""
    for elastic in _elastic(scene, "bend", "stretch", "both"):
        if scene.value(elastic, "thickness") <= 0:
            scene.report("PB019", elastic, "elastic2d", "a shell needs a positive `thickness`")
        elif scene.value(scene.parent(elastic), "dim") != FLAT:
            scene.report(REFUSED, elastic, "elastic2d", "only a flex of dimension 2 is a shell")


def _elastic(scene: Scene, *kinds: str) -> list[Any]:
    given = (node for key in ELASTIC for node in scene.having(key, "elastic2d"))
    return [node for node in given if scene.value(node, "elastic2d").value in kinds]


def _cells(scene: Scene) -> None:
    """Points that are interpolated are in cells."""
    for flex in scene.having(FLEXCOMP, "cellcount"):
        kind = scene.value(flex, "dof").value
        if kind in ("trilinear", "quadratic") and 0 in scene.value(flex, "cellcount"):
            scene.report("PB019", flex, "cellcount", f"`{kind}` needs cells along each dimension, not 0")


def _rotations(scene: Scene) -> None:
    """A general actuator of orientations."""
    for node in scene.nodes(GENERAL):
        found = {name: scene.value(node, name).value for name in ("gaintype", "biastype", "dyntype")}
        if SO3 not in (found["gaintype"], found["biastype"]):
            continue
        stiffness = (*(scene.value(node, "gainprm") or ()), 0.0)[0]
        back = (*(scene.value(node, "biasprm") or ()), 0.0, 0.0)[1]
        low, high = scene.value(node, "forcerange")
        limited = scene.value(node, "forcelimited")
        name, message = None, ""
        if found["gaintype"] != found["biastype"]:
            name, message = "gaintype", "`gaintype` and `biastype` are both `so3`, or neither"
        elif stiffness != -back:
            name = "biasprm"
            message = f"`so3` needs {-stiffness:g}, minus the first of `gainprm`, as second of `biasprm`"
        elif found["dyntype"] not in ("none", "integrator"):
            name, message = "dyntype", "`so3` needs the `dyntype` `none` or `integrator`"
        elif low != 0 and (limited is Automatic.TRUE or (limited is Automatic.AUTO and low < high)):
            name, message = "forcerange", f"`so3` limits the norm of the force, from 0, not from {low:g}"
        elif _inputs(scene.value(node, "input")) == ("none",):
            name, message = "input", "`so3` needs the `input` `expmap` or `quat`"
        if name is not None:
            scene.report(REFUSED, node, name if getattr(node, name) is not None else None, message)


def _geared(scene: Scene) -> None:
    """Damping and armature of an actuator are those of a joint or tendon."""
    for key in ACTUATORS:
        for name in ("damping", "armature"):
            for node in scene.having(key, name):
                on = any(getattr(node, each, None) for each in ("joint", "jointinparent", "tendon"))
                if scene.value(node, name) and not on:
                    message = f"`{name}` of an actuator needs a joint or a tendon that it acts on"
                    scene.report(REFUSED, node, name, message)


def _motors(scene: Scene) -> None:
    for motor in scene.having(DCMOTOR, "controller"):
        given, words = scene.value(motor, "controller"), _inputs(scene.value(motor, "input"))
        controlled = set(words) & set(CONTROLLED)
        if any(given) and not controlled:
            message = f"a `controller` needs one of the inputs {', '.join(CONTROLLED)}"
            scene.report(REFUSED, motor, "controller", message)
        elif len(given) > INTEGRAL and given[INTEGRAL] and "pos" not in words:
            scene.report(REFUSED, motor, "controller", "an integral gain needs the input `pos`")


def _servos(scene: Scene) -> None:
    for servo in scene.having(PID, "ki"):
        gain = scene.value(servo, "ki")
        if gain < 0 and scene.value(servo, "slewmax") <= 0:  # with one, there is a state
            scene.report("PB019", servo, "ki", f"the integral gain is {gain:g}; it must not be negative")
        elif gain and "pos" not in _inputs(scene.value(servo, "input")):
            scene.report(REFUSED, servo, "ki", "an integral gain needs the input `pos`")


def _inputs(given: Any) -> tuple[str, ...]:
    words = given if isinstance(given, tuple) else (given,)
    return tuple(str(getattr(word, "value", word)) for word in words if word is not None)


def _orientations(scene: Scene) -> None:
    for node in (*scene.nodes(ORIENTATION), *scene.select(GENERAL, "gaintype", GainType.SO3)):
        joint: Any = scene.declared("joint").get(node.joint)
        kind = None if joint is None or joint.TAG != "joint" else scene.value(joint, "type")
        if kind is not None and kind is not JointType.BALL:
            message = f"`{clip(node.joint)}` is a {kind.value} joint; an orientation needs a ball joint"
            scene.report(REFUSED, node, "joint", message)
        elif node.TAG == "orientation" and node.site is not None and node.refsite is None:
            scene.report(REFUSED, node, "site", "an orientation of a site needs a `refsite`")


def _sums(scene: Scene) -> None:
    """A fixed tendon adds the positions of hinges and slides, each once."""
    joints = scene.declared("joint")
    for tendon in scene.nodes(FIXED):
        seen = set()
        for part in tendon.joint:
            joint: Any = joints.get(part.joint)
            kind = None if joint is None else "free"
            if kind and joint.TAG == "joint":
                kind = scene.value(joint, "type").value
            if kind in ("ball", "free"):
                message = f"`{clip(part.joint)}` is a {kind} joint; a fixed tendon needs hinges and slides"
                scene.report(REFUSED, part, "joint", message)
            elif part.joint in seen:
                message = f"the joint `{clip(part.joint)}` is already in this tendon"
                scene.report(REFUSED, part, "joint", message, "add the coefficients")
            seen.add(part.joint)


def _fields(scene: Scene) -> None:
    for field in scene.nodes(FIELD):
        for name in ("nrow", "ncol"):
            if getattr(field, name) == 1:
                scene.report("PB019", field, name, f"`{name}` of <hfield> is 1; it must be at least 2")


def _own_parts(scene: Scene) -> None:
    """What is attached again without a model is in the document."""
    for node in scene.nodes(ATTACH):
        for name in ("body", "frame") if node.model is None else ():
            wanted = getattr(node, name)
            if wanted is not None and wanted not in scene.declared(name):
                message = f"there is no {name} `{clip(wanted)}` in this document to attach"
                scene.report("PB032", node, name, message)


RULES: tuple[tuple[str, Callable[[Scene], None]], ...] = (
    ("3.3.0", _shells),
    ("3.3.1", _tendons),
    ("3.3.3", _thin),
    ("3.5.0", _cameras),
    ("3.5.0", _buffers),
    ("3.5.0", _intervals),
    ("3.7.0", _geared),
    ("3.8.0", _cells),
    ("3.8.0", _flat),
    ("3.11.0", _orientations),
    ("3.11.0", _own_parts),
    ("3.11.0", _rotations),
    ("3.12.0", _motors),
    ("3.12.0", _servos),
    ("4.0", _fields),
    ("4.0", _pins),
    ("4.0", _sums),
)
"""With the first release that refuses it."""
