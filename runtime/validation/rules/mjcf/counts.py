"""Counts beyond their bounds, with which no Model is made; as far as macros do not add to them."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

from polybody.base import Format, Node, children_of
from polybody.counts import MAX_OF_KEYS, OF_ATTRIBUTE, Count, steps_fault
from polybody.generated.formats.mjcf import FlexcompType
from polybody.validation.rules.mjcf.sizes import ACTUATORS, BODY, FREEJOINT, JOINT, KEY, USERS, WHOLE, of_keys
from polybody.validation.scene import Scene, names_of

CODE = "PB063"
SECTIONS = {"actuator": "Actuator", "sensor": "Sensor"}
"""Counts of all elements of a section."""
RADIAL = (FlexcompType.BOX, FlexcompType.CYLINDER, FlexcompType.ELLIPSOID)
"""Types whose points are in a volume, whatever `dim` is."""
GIVEN = (FlexcompType.DIRECT, FlexcompType.MESH, FlexcompType.GMSH)
"""Types that do not use `count`."""


def _keys(element: str, name: str) -> tuple[str, ...]:
    """The kinds of elements that have a count."""
    section = SECTIONS.get(element)
    if section is None:
        found = [key for key, row in WHOLE.elements.items() if row.tag == element]
    else:
        found = [child.element for child in WHOLE.elements[section].children]
    return tuple(key for key in found if any(a.name == name for a in WHOLE.elements[key].attributes))


def _by_kind() -> dict[str, tuple[tuple[str, Count], ...]]:
    """The counts of each kind of elements, and their bounds."""
    found: dict[str, tuple[tuple[str, Count], ...]] = {}
    for path, bound in OF_ATTRIBUTE.items():
        element, name = path.split("/")
        for key in _keys(element, name):
            found[key] = (*found.get(key, ()), (name, bound))
    return found


BY_KIND = _by_kind()


@cache
def _of_release(form: Format) -> tuple[tuple[str, tuple[tuple[str, Count], ...]], ...]:
    """The counts that the kinds of elements of a release have."""
    return tuple(
        (key, tuple((name, bound) for name, bound in counts if name in names_of(form, key)))
        for key, counts in BY_KIND.items()
    )


RANGES = "LengthRange"
MAX_OF_ONE = 13
"""The most values that a key frame has of one element: a free joint's."""
NODES = (*BY_KIND, RANGES)


def check(scene: Scene) -> None:
    """Report counts that are too large, or too small to have a meaning."""
    totals: dict[str, int] = {}
    for key, counts in _of_release(scene.format):
        for node in scene.rules.nodes[key]:
            for name, bound in counts:
                value = _value(scene, node, name)
                if value is not None:
                    total = totals[bound.what] = totals.get(bound.what, 0) + max(value, 0)
                    _count(scene, node, name, value, total, bound)
    _users(scene)
    _key_frames(scene)
    _ranges(scene)


def _value(scene: Scene, node: Any, name: str) -> int | None:
    """The value of a count, or the product of several."""
    value = scene.value(node, name)
    if value is None or (id(node), name) in scene.rules.poisoned:
        return None
    if not isinstance(value, tuple):
        return int(value)
    if node.TAG == "flexcomp":
        kind = scene.value(node, "type")
        if kind in GIVEN:
            return None
        value = value if kind in RADIAL else value[: scene.value(node, "dim")]
    return prod(value)


def _count(scene: Scene, node: Node, name: str, value: int, total: int, bound: Count) -> None:
    if value > bound.most:
        fault = f"`{name}` is {value:,}, more than {bound.most:,}"
    elif bound.least is not None and value < bound.least:
        fault = f"`{name}` is {value:,}, less than {bound.least:,}"
    elif bound.total is not None and total > bound.total:
        fault = f"`{name}` of all elements together is more than {bound.total:,}"
    else:
        return
    scene.report(CODE, node, name, fault)


def _users(scene: Scene) -> None:
    """All elements of a kind have as many user data as `size` says, or as many as the one with the most."""
    sizes = scene.root.size  # type: ignore[attr-defined]
    for name, keys in USERS.items():
        most = OF_ATTRIBUTE[f"size/{name}"].total
        asked = None if sizes is None else getattr(sizes, name)
        width = asked if asked is not None and asked >= 0 else None
        if width is None:
            given = (node for key in keys if scene.rules.nodes[key] for node in scene.having(key, "user"))
            width = max((len(node.user) for node in given), default=0)
        if width and most is not None and width * len(nodes := scene.nodes(*keys)) > most:
            message = f"{len(nodes):,} elements with {width:,} user data each have more than {most:,}"
            scene.report(CODE, nodes[0], None, message)


def _copies(scene: Scene) -> dict[int, int]:
    """The number of copies of the elements within replicates, by id."""
    found: dict[int, int] = {}
    stack: list[tuple[Any, int]] = [(scene.root, 1)] if scene.nodes("Replicate") else []
    while stack:
        node, copies = stack.pop()
        if node.TAG == "replicate":
            copies *= max(node.count or 0, 0)
        found[id(node)] = copies
        stack += [(child, copies) for child in children_of(node)]
    return found


def _key_frames(scene: Scene) -> None:
    sizes = scene.root.size  # type: ignore[attr-defined]
    asked = 0 if sizes is None else sizes.nkey or 0
    keys = scene.nodes(KEY)
    frames = max(asked, len(keys))
    if not frames:
        return
    owners = len(scene.nodes(JOINT, FREEJOINT, BODY, *ACTUATORS))
    if frames * MAX_OF_ONE * owners <= MAX_OF_KEYS and not scene.nodes("Replicate"):
        return
    if frames * sum(of_keys(scene, _copies(scene)).values()) > MAX_OF_KEYS:
        node = keys[0] if keys else sizes
        message = f"the key frames have more than {MAX_OF_KEYS:,} values together"
        scene.report(CODE, node, None if keys else "nkey", message)


def _ranges(scene: Scene) -> None:
    """Simulations that find ranges of lengths; of several elements, the last one with an attribute counts."""
    values: dict[str, Any] = {}
    for node in scene.nodes(RANGES):
        values = {
            name: scene.value(node, name) if getattr(node, name) is not None or not values else values[name]
            for name in ("inttotal", "timestep")
        }
        duration, step = values["inttotal"], values["timestep"]
        fault = None if duration is None or step is None or step <= 0 else steps_fault(duration, step)
        if fault is not None:
            scene.report(CODE, node, "timestep" if node.inttotal is None else "inttotal", fault)
