"""What later releases of MuJoCo refuse beyond their schemas.

Each rule has the first release that has it: the releases were asked which files of a corpus they load.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import ceil
from typing import Any

from polybody.base.releases import is_in
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.mjcf import JointType
from polybody.validation.rules.mjcf.bodies import GEOM, home_of, parts
from polybody.validation.rules.mjcf.sizes import ACTUATORS, SENSORS
from polybody.validation.scene import Scene

ATTACH, CAMERA, DCMOTOR, FLEXCOMP, OPTION, ORIENTATION, PID = (
    *("Attach", "Camera", "Dcmotor", "Flexcomp", "Option", "OrientationServo", "Pid"),
)
NODES = tuple(
    dict.fromkeys(
        (ATTACH, CAMERA, DCMOTOR, FLEXCOMP, GEOM, OPTION, ORIENTATION, PID, *ACTUATORS, *SENSORS)
    )
)
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


def _shells(scene: Scene) -> None:
    for geom in scene.having(GEOM, "shellinertia"):
        if scene.value(geom, "shellinertia") and scene.value(geom, "mesh") is not None:
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
        if delay > 0 and count == 0:
            message = f"a `delay` of {delay:g} s needs a buffer"
            scene.report(REFUSED, node, "delay", message, "write `nsample`, the number of samples")
        elif delay > 0 and count > 0:
            interval = getattr(node, "interval", None) or 0.0
            period = max(step, interval[0] if isinstance(interval, tuple) else interval)
            if delay > count * period * (1 + 1e-9):
                needed = ceil(delay / period)
                message = f"a `delay` of {delay:g} s is longer than the buffer: {needed} samples, not {count}"
                scene.report("PB019", node, "delay", message, f'write nsample="{needed}"')


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
        if scene.value(servo, "ki") and "pos" not in _inputs(scene.value(servo, "input")):
            scene.report(REFUSED, servo, "ki", "an integral gain needs the input `pos`")


def _inputs(given: Any) -> tuple[str, ...]:
    words = given if isinstance(given, tuple) else (given,)
    return tuple(str(getattr(word, "value", word)) for word in words if word is not None)


def _orientations(scene: Scene) -> None:
    for node in scene.nodes(ORIENTATION):
        joint: Any = scene.declared("joint").get(node.joint)
        kind = None if joint is None or joint.TAG != "joint" else scene.value(joint, "type")
        if kind is not None and kind is not JointType.BALL:
            message = f"`{clip(node.joint)}` is a {kind.value} joint; an orientation needs a ball joint"
            scene.report(REFUSED, node, "joint", message)
        elif node.site is not None and node.refsite is None:
            scene.report(REFUSED, node, "site", "an orientation of a site needs a `refsite`")


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
    ("3.5.0", _cameras),
    ("3.5.0", _buffers),
    ("3.7.0", _geared),
    ("3.11.0", _orientations),
    ("3.11.0", _own_parts),
    ("3.12.0", _motors),
    ("3.12.0", _servos),
    ("4.0", _pins),
)
"""With the first release that refuses it."""
