"""Environments: their bodies and robots, sensors and gravity."""

from __future__ import annotations

from math import isfinite
from typing import Any

from polybody.base import children_of
from polybody.generated.formats.openrave import Environment, PhysicsEngine, Sensor
from polybody.lowering.openrave.notes import DIFFERS, UNUSED, WITHOUT, Notes
from polybody.lowering.openrave.parts import Scene, SensorPart
from polybody.lowering.openrave.poses import own_pose
from polybody.lowering.openrave.reading import BODIES, Reader
from polybody.lowering.openrave.robots import sensor_type

LOOKS = ("bkgndcolor", "camtrans", "camrotaxis", "camrotationaxis", "camrotmat", "camfocal")
"""Elements that concern only a viewer."""


def scene_of(document: Any, notes: Notes) -> Scene:
    """The content of a document with any root element."""
    scene = Scene()
    if isinstance(document, BODIES):
        scene.kins.append(Reader(notes).read(document))
    elif isinstance(document, Sensor):
        _sensor(scene, document)
    elif isinstance(document, Environment):
        _environment(scene, document, notes)
    else:
        notes.add(
            UNUSED, document, f"a document that contains only a <{document.TAG}> has nothing to simulate"
        )
    _named(scene, notes)
    return scene


def _environment(scene: Scene, document: Environment, notes: Notes) -> None:
    """Read an environment. It may contain others, thousands deep; a file is read before its element's
    children.
    """
    todo: list[Any] = [document]
    while todo:
        node = todo.pop()
        if isinstance(node, Environment):
            inner: list[Any] = list(children_of(node))
            if node.file is not None and isinstance(node.content, Environment):
                inner.insert(0, node.content)
            elif node.file is not None:
                notes.add(WITHOUT, node, f"`{node.file}` contains no environment: its content is missing")
            todo += reversed(inner)
        elif isinstance(node, BODIES):
            scene.kins.append(Reader(notes).read(node))
        elif isinstance(node, Sensor):
            _sensor(scene, node)
        elif isinstance(node, PhysicsEngine):
            _physics(scene, node, notes)
        elif node.TAG == "unit":
            notes.add(DIFFERS, node, "<unit> is only a label: it does not scale lengths, as in OpenRAVE")
        elif node.TAG not in LOOKS:
            notes.counted(UNUSED, node, f"<{node.TAG}> of an environment has no effect on its own")


def _sensor(scene: Scene, node: Any) -> None:
    name = node.name or f"sensor{len(scene.sensors)}"
    scene.sensors.append(SensorPart(node, name, None, own_pose(children_of(node)), sensor_type(node)))


def _physics(scene: Scene, node: Any, notes: Notes) -> None:
    """Read gravity, m/s^2, and friction from <odeproperties> of a physics engine."""
    todo: list[Any] = list(children_of(node))
    while todo:
        child = todo.pop()
        tag = child.TAG.lower()
        if tag in ("gravity", "friction"):
            try:
                numbers = tuple(map(float, (child.text or "").split()))
            except ValueError:
                numbers = ()
            if len(numbers) != (3 if tag == "gravity" else 1) or not all(map(isfinite, numbers)):
                notes.refuse(child, f"<{tag}> is {'three numbers' if tag == 'gravity' else 'a number'}")
            elif tag == "gravity":
                scene.gravity = (numbers[0], numbers[1], numbers[2])
            else:
                scene.friction = numbers[0]
        todo += children_of(child)


def _named(scene: Scene, notes: Notes) -> None:
    """Give all bodies and robots unique names."""
    taken: set[str] = set()
    for number, kin in enumerate(scene.kins):
        given = kin.name
        name = given or f"{kin.node.TAG}{number}"
        while name in taken:
            name += "_"
        if given and name != given:
            notes.differs(kin.node, f"the name `{given}` is already used: the second is called `{name}`")
        taken.add(name)
        kin.name = name
