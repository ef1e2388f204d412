"""The values of actuators: `general`, and the shortcuts that set some of its parameters.

A shortcut changes only the parameters that it sets, starting from the inherited values, as in MuJoCo 3.2.7.
(Its documentation differs: `position` without `kp` has the gain of the class's `general`.)
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

from polybody.base import Format, Node
from polybody.base.written import written
from polybody.generated.formats.mjcf import Automatic, BiasType, DynamicsType, GainType

Values = dict[str, Any]
PARAMETERS = ("dynprm", "gainprm", "biasprm")
TRANSMISSIONS = ("joint", "jointinparent", "tendon", "cranksite", "site", "body")
"""Attributes that name the object that an actuator acts on; the last one is used."""
COMMON = (
    *("name", "class_", "group", "ctrllimited", "forcelimited", "actlimited", "ctrlrange", "forcerange"),
    *("actrange", "lengthrange", "user", "cranklength", "slidersite", "refsite"),
)
_GENERAL = ("dyntype", "gaintype", "biastype", "actearly", "actdim")


def defaults(form: Format) -> Values:
    """The values of an actuator without attributes, in the release of these tables."""
    row = form.elements["General"]
    base = {attribute.field: attribute.default for attribute in row.attributes}
    for name in TRANSMISSIONS:
        del base[name]
    return base | {"transmission": None, "target": None, "inheritrange": 0.0, "plugin": None}


def filled(base: Values, node: Node) -> Values:
    """The values of an actuator of any kind, combined with those of its class."""
    own = written(node)
    values = base | {name: own[name] for name in COMMON if name in own}
    _overlay(values, "gear", own.get("gear"))
    for name in TRANSMISSIONS:
        if name in own:
            values["transmission"], values["target"] = name, own[name]
    SHORTCUTS[node.TAG](values, own)
    return values


def _overlay(values: Values, name: str, given: Any, at: int = 0) -> None:
    """Replace values of a vector from an index on by given ones; the others are kept."""
    if given is not None:
        numbers = given if isinstance(given, tuple) else (given,)
        had = values[name]
        values[name] = (*had[:at], *numbers, *had[at + len(numbers) :])


def _types(values: Values, dyn: DynamicsType | None, gain: GainType, bias: BiasType) -> None:
    values["gaintype"], values["biastype"] = gain, bias
    if dyn is not None:
        values["dyntype"] = dyn


def _general(values: Values, own: Values) -> None:
    for name in _GENERAL:
        given = own.get(name)
        if given is not None:
            values[name] = given
    for name in PARAMETERS:
        _overlay(values, name, own.get(name))


def _plugin(values: Values, own: Values) -> None:
    _general(values, own)


def _motor(values: Values, own: Values) -> None:
    _overlay(values, "gainprm", 1.0)
    _types(values, DynamicsType.NONE, GainType.FIXED, BiasType.NONE)


def _position(values: Values, own: Values) -> None:
    _overlay(values, "gainprm", own.get("kp"))
    _overlay(values, "biasprm", -values["gainprm"][0], 1)
    gain, ratio = own.get("kv", 0.0), own.get("dampratio", 0.0)
    if gain > 0:
        _overlay(values, "biasprm", -gain, 2)
    if ratio > 0:
        _overlay(values, "biasprm", ratio, 2)  # a positive number is a ratio until masses are known
    constant = own.get("timeconst")
    if constant is not None:
        _overlay(values, "dynprm", constant)
        values["dyntype"] = DynamicsType.FILTEREXACT if constant else DynamicsType.NONE
    values["inheritrange"] = own.get("inheritrange", values["inheritrange"])
    _types(values, None, GainType.FIXED, BiasType.AFFINE)


def _intvelocity(values: Values, own: Values) -> None:
    _position(values, own)
    values["dyntype"], values["actlimited"] = DynamicsType.INTEGRATOR, Automatic.TRUE


def _velocity(values: Values, own: Values) -> None:
    values["biasprm"] = (0.0,) * len(values["biasprm"])
    _overlay(values, "gainprm", own.get("kv"))
    _overlay(values, "biasprm", -values["gainprm"][0], 2)
    _types(values, DynamicsType.NONE, GainType.FIXED, BiasType.AFFINE)


def _damper(values: Values, own: Values) -> None:
    values["gainprm"] = (0.0,) * len(values["gainprm"])
    if "kv" in own:
        _overlay(values, "gainprm", -own["kv"], 2)
    values["ctrllimited"] = Automatic.TRUE
    _types(values, DynamicsType.NONE, GainType.AFFINE, BiasType.NONE)


def _cylinder(values: Values, own: Values) -> None:
    _overlay(values, "dynprm", own.get("timeconst"))
    _overlay(values, "biasprm", own.get("bias"))
    _overlay(values, "gainprm", own.get("area"))
    if "diameter" in own:
        _overlay(values, "gainprm", pi / 4 * own["diameter"] * own["diameter"])
    _types(values, DynamicsType.FILTER, GainType.FIXED, BiasType.AFFINE)


MUSCLE_GAIN = ("range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax")
_UNTOUCHED_GAIN = (1.0, *(0.0,) * 8)
_MUSCLE_GAIN = (0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2)


def _muscle(values: Values, own: Values) -> None:
    """Replace values that are still the defaults of a general actuator by those of a muscle."""
    dyn, gain = values["dynprm"], values["gainprm"]
    values["dynprm"] = (0.01 if dyn[0] == 1 else dyn[0], 0.04 if dyn[1] == 0 else dyn[1], *dyn[2:])
    begun = (m if g == u else g for g, u, m in zip(gain, _UNTOUCHED_GAIN, _MUSCLE_GAIN, strict=False))
    values["gainprm"] = (*begun, *gain[9:])
    _overlay(values, "dynprm", own.get("timeconst"))
    _overlay(values, "dynprm", own.get("tausmooth"), 2)
    place = 0
    for name in MUSCLE_GAIN:
        _overlay(values, "gainprm", own.get(name), place)
        place += 2 if name == "range" else 1
    _overlay(values, "biasprm", values["gainprm"][:9])
    _types(values, DynamicsType.MUSCLE, GainType.MUSCLE, BiasType.MUSCLE)


def _adhesion(values: Values, own: Values) -> None:
    _overlay(values, "gainprm", own.get("gain"))
    values["ctrllimited"] = Automatic.TRUE
    _types(values, None, GainType.FIXED, BiasType.NONE)


SHORTCUTS: dict[str, Callable[[Values, Values], None]] = {
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
"""The parameters that each kind of actuator changes, by its tag."""
