"""The values of actuators: `general`, and the shortcuts that set some of its parameters.

A shortcut changes what it names in the values that it starts from, and nothing else, as in MuJoCo 3.2.7,
whose document says otherwise: `position` without `kp` has the gain of the class's `general`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

from polybody.base import Node
from polybody.generated.formats.mjcf import Automatic, BiasType, DynamicsType, GainType
from polybody.generated.formats.mjcf.tables import FORMAT

Values = dict[str, Any]
PARAMETERS = ("dynprm", "gainprm", "biasprm")
TRANSMISSIONS = ("joint", "jointinparent", "tendon", "cranksite", "site", "body")
"""Attributes that name what an actuator moves; the last one written counts."""
COMMON = (
    *("name", "class_", "group", "ctrllimited", "forcelimited", "actlimited", "ctrlrange", "forcerange"),
    *("actrange", "lengthrange", "user", "cranklength", "slidersite", "refsite"),
)
_GENERAL = ("dyntype", "gaintype", "biastype", "actearly", "actdim")


def defaults() -> Values:
    """The values of an actuator that says nothing."""
    row = FORMAT.elements["mujoco/actuator/general"]
    base = {attribute.field: attribute.default for attribute in row.attributes}
    for name in TRANSMISSIONS:
        del base[name]
    return base | {"transmission": None, "target": None, "inheritrange": 0.0, "plugin": None}


def filled(base: Values, node: Node) -> Values:
    """What an actuator of any kind means over the values of its class."""
    values = base.copy()
    for name in COMMON:
        given = getattr(node, name, None)
        if given is not None:
            values[name] = given
    _overlay(values, "gear", getattr(node, "gear", None))
    for name in TRANSMISSIONS:
        target = getattr(node, name, None)
        if target is not None:
            values["transmission"], values["target"] = name, target
    SHORTCUTS[node.TAG](values, node)
    return values


def _overlay(values: Values, name: str, given: Any, at: int = 0) -> None:
    """Put given numbers over those of a vector, from a place on; the others stay."""
    if given is not None:
        numbers = given if isinstance(given, tuple) else (given,)
        had = values[name]
        values[name] = (*had[:at], *numbers, *had[at + len(numbers) :])


def _types(values: Values, dyn: DynamicsType | None, gain: GainType, bias: BiasType) -> None:
    values["gaintype"], values["biastype"] = gain, bias
    if dyn is not None:
        values["dyntype"] = dyn


def _general(values: Values, node: Any) -> None:
    for name in _GENERAL:
        given = getattr(node, name, None)
        if given is not None:
            values[name] = given
    for name in PARAMETERS:
        _overlay(values, name, getattr(node, name, None))


def _plugin(values: Values, node: Any) -> None:
    _general(values, node)
    values["plugin"] = node


def _motor(values: Values, node: Any) -> None:
    _overlay(values, "gainprm", 1.0)
    _types(values, DynamicsType.NONE, GainType.FIXED, BiasType.NONE)


def _position(values: Values, node: Any) -> None:
    _overlay(values, "gainprm", node.kp)
    _overlay(values, "biasprm", -values["gainprm"][0], 1)
    if node.kv is not None and node.kv > 0:
        _overlay(values, "biasprm", -node.kv, 2)
    if node.dampratio is not None and node.dampratio > 0:
        _overlay(values, "biasprm", node.dampratio, 2)  # a positive one is a ratio until masses are known
    constant = getattr(node, "timeconst", None)
    if constant is not None:
        _overlay(values, "dynprm", constant)
        values["dyntype"] = DynamicsType.FILTEREXACT if constant else DynamicsType.NONE
    if node.inheritrange is not None:
        values["inheritrange"] = node.inheritrange
    _types(values, None, GainType.FIXED, BiasType.AFFINE)


def _intvelocity(values: Values, node: Any) -> None:
    _position(values, node)
    values["dyntype"], values["actlimited"] = DynamicsType.INTEGRATOR, Automatic.TRUE


def _velocity(values: Values, node: Any) -> None:
    values["biasprm"] = (0.0,) * len(values["biasprm"])
    _overlay(values, "gainprm", node.kv)
    _overlay(values, "biasprm", -values["gainprm"][0], 2)
    _types(values, DynamicsType.NONE, GainType.FIXED, BiasType.AFFINE)


def _damper(values: Values, node: Any) -> None:
    values["gainprm"] = (0.0,) * len(values["gainprm"])
    _overlay(values, "gainprm", None if node.kv is None else -node.kv, 2)
    values["ctrllimited"] = Automatic.TRUE
    _types(values, DynamicsType.NONE, GainType.AFFINE, BiasType.NONE)


def _cylinder(values: Values, node: Any) -> None:
    _overlay(values, "dynprm", node.timeconst)
    _overlay(values, "biasprm", node.bias)
    _overlay(values, "gainprm", node.area)
    if node.diameter is not None:
        _overlay(values, "gainprm", pi / 4 * node.diameter * node.diameter)
    _types(values, DynamicsType.FILTER, GainType.FIXED, BiasType.AFFINE)


MUSCLE_GAIN = ("range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax")
_UNTOUCHED_GAIN = (1.0, *(0.0,) * 8)
_MUSCLE_GAIN = (0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2)


def _muscle(values: Values, node: Any) -> None:
    """What still has the value that a general actuator begins with has that of a muscle instead."""
    dyn, gain = values["dynprm"], values["gainprm"]
    values["dynprm"] = (0.01 if dyn[0] == 1 else dyn[0], 0.04 if dyn[1] == 0 else dyn[1], *dyn[2:])
    own = (m if g == u else g for g, u, m in zip(gain, _UNTOUCHED_GAIN, _MUSCLE_GAIN, strict=False))
    values["gainprm"] = (*own, *gain[9:])
    _overlay(values, "dynprm", node.timeconst)
    _overlay(values, "dynprm", getattr(node, "tausmooth", None), 2)
    place = 0
    for name in MUSCLE_GAIN:
        _overlay(values, "gainprm", getattr(node, name), place)
        place += 2 if name == "range" else 1
    _overlay(values, "biasprm", values["gainprm"][:9])
    _types(values, DynamicsType.MUSCLE, GainType.MUSCLE, BiasType.MUSCLE)


def _adhesion(values: Values, node: Any) -> None:
    _overlay(values, "gainprm", node.gain)
    values["ctrllimited"] = Automatic.TRUE
    _types(values, None, GainType.FIXED, BiasType.NONE)


SHORTCUTS: dict[str, Callable[[Values, Any], None]] = {
    "general": _general,
    "motor": _motor,
    "position": _position,
    "velocity": _velocity,
    "intvelocity": _intvelocity,
    "damper": _damper,
    "cylinder": _cylinder,
    "muscle": _muscle,
    "adhesion": _adhesion,
    "plugin": _plugin,
}
"""What each kind of actuator changes, by its tag."""
