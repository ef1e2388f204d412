"""List elements in a uniform form: the objects that they refer to as references, for any of the
attributes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polybody.lowering.mjcf.codes import APART, FRAMED, SENSORS
from polybody.lowering.mjcf.elements import Values
from polybody.lowering.mjcf.nodes import flat
from polybody.lowering.mjcf.references import Reference, Wrap

NOTHING = Reference("nothing", "")
"""A missing reference, which is not resolved."""
TARGETS = {"jointinparent": "joint", "cranksite": "site"}
"""Kinds of targets of actuators whose attribute has another name."""


def describe(kind: str, values: Values, node: Any) -> None:
    """Add the uniform part to the values of a list element as read."""
    if kind in _DESCRIBED:
        _DESCRIBED[kind](values, node)


def _named(kind: str, *names: str | None) -> list[Reference]:
    return [Reference(kind, name) for name in names if name]


def _pair(values: Values, node: Any) -> None:
    values["references"] = _named("geom", node.geom1, node.geom2)


def _exclude(values: Values, node: Any) -> None:
    values["references"] = _named("body", node.body1, node.body2)


def _equality(values: Values, node: Any) -> None:
    kind = values["type"] = node.TAG
    if kind in ("connect", "weld"):
        kind = "site" if node.site1 is not None or node.site2 is not None else "body"
        values["objtype"] = kind
    if kind == "flex":
        found = _named(kind, node.flex)
    else:
        found = _named(kind, getattr(node, f"{kind}1", None), getattr(node, f"{kind}2", None))
    values["references"] = found or [NOTHING]


def _tendon(values: Values, node: Any) -> None:
    path = []
    for part in flat(node):
        name = getattr(part, part.TAG, None) or ""
        number = part.divisor if part.TAG == "pulley" else getattr(part, "coef", None)
        path.append(Wrap(part.TAG, name, getattr(part, "sidesite", None) or "", number or 0.0, part))
    values["path"] = path


def _actuator(values: Values, node: Any) -> None:
    by, target = values["transmission"], values["target"]
    if not by or not target:
        values["references"] = [NOTHING]
        return
    kind: str = TARGETS.get(by) or by
    found = _named(kind, target)
    second = values["slidersite"] if by == "cranksite" else values["refsite"] if by == "site" else None
    found += _named("site", second)
    values["references"] = found


def _sensor(values: Values, node: Any) -> None:
    row = SENSORS[node.TAG]
    first: tuple[Any, Any] = (None, None)
    second: tuple[Any, Any] = (None, None)
    if row.object == APART:
        kinds = ["body" if getattr(node, f"body{number}") is not None else "geom" for number in (1, 2)]
        first = (kinds[0], getattr(node, f"{kinds[0]}1"))
        second = (kinds[1], getattr(node, f"{kinds[1]}2"))
    elif row.object == FRAMED or node.TAG in ("user", "plugin"):
        first = (node.objtype and node.objtype.value, node.objname)
        kind = getattr(node, "reftype", None)
        second = (kind and kind.value, getattr(node, "refname", None))
        second = ("site", node.site) if node.TAG == "insidesite" else second
    elif node.TAG == "contact":
        first, second = _sides(node)
    elif row.object is not None:
        first = (row.object, getattr(node, row.object))
        second = ("camera", node.camera) if node.TAG == "camprojection" else second
        second = ("geom", node.geom) if node.TAG == "tactile" else second
        if node.TAG == "rangefinder" and node.site is None:
            first = ("camera", node.camera)
    values["tag"] = node.TAG
    values["references"] = [Reference(*pair) for pair in (first, second) if pair[0] and pair[1]]
    values["of_second"] = node.TAG == "contact" and not first[0]


def _sides(node: Any) -> tuple[tuple[str | None, str | None], ...]:
    """What the two sides of the contacts of a sensor are."""
    kinds = {"site": "site", "body": "body", "subtree": "xbody", "geom": "geom"}
    found = []
    for side in ("1", "2"):
        names = {word: getattr(node, word if word == "site" else word + side, None) for word in kinds}
        names |= {"site": None} if side == "2" else {}
        found.append(next(((kinds[word], name) for word, name in names.items() if name), (None, None)))
    return tuple(found)


def _tuple(values: Values, node: Any) -> None:
    parts = [part for part in flat(node) if part.objtype is not None]
    values["references"] = [Reference(part.objtype.value, part.objname or "") for part in parts] or [NOTHING]
    values["numbers"] = [0.0 if part.prm is None else part.prm for part in parts]


def _skin(values: Values, node: Any) -> None:
    values["bones"] = list(flat(node))
    values["references"] = [Reference("body", bone.body or "") for bone in values["bones"]]


def _flex(values: Values, node: Any) -> None:
    values["references"] = _named("body", *(node.body or ()))


def _material(values: Values, node: Any) -> None:
    found = {"rgb": values["texture"]} if values["texture"] else {}
    for layer in flat(node):
        if layer.role is not None and layer.texture:
            found[layer.role.value] = layer.texture
    values["textures"] = found


_DESCRIBED: dict[str, Callable[[Values, Any], None]] = {
    "pair": _pair,
    "exclude": _exclude,
    "equality": _equality,
    "tendon": _tendon,
    "actuator": _actuator,
    "sensor": _sensor,
    "tuple": _tuple,
    "skin": _skin,
    "flex": _flex,
    "material": _material,
}
