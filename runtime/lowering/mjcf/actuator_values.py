"""The values of actuators: `general`, and the shortcuts that set some of its parameters.

As in MuJoCo 3.2.7, a shortcut changes only the parameters that it sets, starting from the inherited values.
(Its documentation differs: `position` without `kp` has the gain of the class's `general`.)

As in MuJoCo from 3.16.0 on, a shortcut sets all parameters of `general`. Its own ones are inherited from the
innermost class whose last element for actuators is the same shortcut, or `general` with the shortcut's type
of gain; else they have their documented defaults. What is not a parameter of forces, such as ctrlrange, is
inherited from any element.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

from polybody.base import Format, Node
from polybody.base.releases import number
from polybody.base.written import written
from polybody.generated.formats.mjcf import Automatic, BiasType, DynamicsType, GainType
from polybody.lowering.mjcf.elements import defaults_of
from polybody.lowering.mjcf.servo_values import SERVOS, begin, motor, orientation, pid

Values = dict[str, Any]
PARAMETERS = ("dynprm", "gainprm", "biasprm")
TRANSMISSIONS = ("joint", "jointinparent", "tendon", "cranksite", "site", "body")
"""Attributes that name the object that an actuator acts on; the last one is used."""
COMMON = (
    *("name", "class_", "group", "ctrllimited", "forcelimited", "actlimited", "ctrlrange", "forcerange"),
    *("velrange", "ffrange", "actrange", "lengthrange", "user", "armature"),
    *("cranklength", "slidersite", "refsite", "nsample", "interp", "delay"),
)
APART = number("3.16.0")
"""The release from which on shortcuts inherit parameters only from the same shortcut or `general`."""
DAMPED = number("3.11.0")
"""The release from which on a damper inherits its gain."""
GAINS = {
    **dict.fromkeys(("motor", "position", "velocity", "intvelocity", "cylinder"), GainType.FIXED),
    "adhesion": GainType.FIXED,
    "damper": GainType.AFFINE,
    "muscle": GainType.MUSCLE,
    "orientation": GainType.SO3,
    **SERVOS,
}
"""The type of gain of each shortcut."""
_FIRST, _BIAS = slice(0, 1), ("biasprm", slice(2, 3))
INHERITED: dict[str, tuple[tuple[str, slice], ...]] = {
    "position": (("gainprm", _FIRST), _BIAS),
    "intvelocity": (("gainprm", _FIRST), _BIAS),
    "velocity": (("gainprm", _FIRST),),
    "damper": (("gainprm", slice(2, 3)),),
    "cylinder": (("dynprm", _FIRST), ("gainprm", _FIRST), ("biasprm", slice(0, 3))),
    "muscle": (("dynprm", slice(0, 3)), ("gainprm", slice(0, 9))),
    "adhesion": (("gainprm", _FIRST),),
    "orientation": (("gainprm", _FIRST), _BIAS),
}
"""The parameters of `general` in which each shortcut has its own."""
_FORCES: Values = {
    "dyntype": DynamicsType.NONE,
    "gaintype": GainType.FIXED,
    "biastype": BiasType.NONE,
    "actearly": False,
    "actdim": -1,
    "inheritrange": 0.0,
    "input": None,
}
_LATER: Values = {"input": None, "velrange": (0.0, 0.0), "ffrange": (0.0, 0.0)}
"""Values that `general` has in some releases."""
_GENERAL = ("dyntype", "gaintype", "biastype", "actearly", "actdim", "input")


def defaults(form: Format) -> Values:
    """The values of an actuator without attributes, in the release of these tables."""
    row = form.elements["General"]
    base = _LATER | defaults_of(row)
    for name in TRANSMISSIONS:
        del base[name]
    given = {"transmission": None, "target": None, "inheritrange": 0.0, "plugin": None}
    dates = {"apart": number(form.version) >= APART, "damped": number(form.version) >= DAMPED}
    return base | given | {"tag": None, "around": None} | dates


def inside(base: Values) -> Values:
    """The values with which a class begins that is inside another one."""
    return base | {"around": base}


def filled(base: Values, node: Node) -> Values:
    """The values of an actuator of any kind, combined with those of its class."""
    own = written(node)
    if base["apart"]:
        base = _apart(base, node.TAG)
    values = base | {name: own[name] for name in COMMON if name in own}
    if "damping" in own:
        values["damping"] = overlaid(base["damping"], own["damping"])
    _overlay(values, "gear", own.get("gear"))
    for name in TRANSMISSIONS:
        if name in own:
            values["transmission"], values["target"] = name, own[name]
    SHORTCUTS[node.TAG](values, own)
    return values


def _apart(base: Values, tag: str) -> Values:
    """The values that a class gives to an element with a tag. Parameters of forces come only from elements
    with the same tag, or from `general`.
    """
    if tag not in GAINS:
        return base | {"tag": tag}
    found: Values | None = base
    while found is not None and found["tag"] != tag:
        if found["tag"] == "general" and found["gaintype"] == GAINS[tag]:
            break
        found = found["around"]
    begun = base | _FORCES | {"tag": tag}
    if tag in SERVOS:
        return begin(begun, found, tag)
    for name in PARAMETERS:
        first = 0.0 if name == "biasprm" else 1.0
        begun[name] = (first, *(0.0,) * (len(base[name]) - 1))
    if found is None:
        return begun
    for name, place in INHERITED.get(tag, ()):
        _overlay(begun, name, found[name][place], place.start)
    if tag == "orientation":
        begun["input"] = found["input"]
    if tag in ("position", "intvelocity"):
        begun["inheritrange"] = found["inheritrange"]
        if found["dyntype"] is DynamicsType.FILTEREXACT:
            begun["dyntype"] = DynamicsType.FILTEREXACT
            _overlay(begun, "dynprm", found["dynprm"][0])
    return begun


def overlaid(had: Any, given: Any) -> Any:
    """Coefficients of a polynomial, the first of which are given; a number is the first one alone."""
    if not isinstance(had, tuple):
        return given
    numbers = given if isinstance(given, tuple) else (given,)
    return (*numbers, *had[len(numbers) :])


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


def _declare(values: Values, control: str) -> None:
    """Say what the control is, in releases in which this is said."""
    if values["apart"]:
        values["input"] = (control,)


def _general(values: Values, own: Values) -> None:
    if "inheritrange" in own:
        values["inheritrange"] = own["inheritrange"]
    if own.get("gaintype", values["gaintype"]) is not values["gaintype"]:
        values["input"] = None
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
    if gain > 0 or (values["apart"] and "kv" in own):
        _overlay(values, "biasprm", -gain, 2)
    if ratio > 0:
        _overlay(values, "biasprm", ratio, 2)  # a positive number is a ratio until masses are known
    constant = own.get("timeconst")
    if constant is not None:
        _overlay(values, "dynprm", constant)
        values["dyntype"] = DynamicsType.FILTEREXACT if constant else DynamicsType.NONE
    values["inheritrange"] = own.get("inheritrange", values["inheritrange"])
    _declare(values, "pos")
    _types(values, None, GainType.FIXED, BiasType.AFFINE)


def _intvelocity(values: Values, own: Values) -> None:
    _position(values, own)
    values["dyntype"] = DynamicsType.INTEGRATOR
    _declare(values, "vel")
    if not values["apart"]:
        values["actlimited"] = Automatic.TRUE


def _velocity(values: Values, own: Values) -> None:
    values["biasprm"] = (0.0,) * len(values["biasprm"])
    _overlay(values, "gainprm", own.get("kv"))
    _overlay(values, "biasprm", -values["gainprm"][0], 2)
    _declare(values, "vel")
    _types(values, DynamicsType.NONE, GainType.FIXED, BiasType.AFFINE)


def _damper(values: Values, own: Values) -> None:
    kept = values["gainprm"][2] if values["damped"] else 0.0
    values["gainprm"] = (0.0, 0.0, kept, *(0.0,) * (len(values["gainprm"]) - 3))
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
    _declare(values, "pressure")
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
    "orientation": orientation,
    "pid": pid,
    "dcmotor": motor,
    "plugin": _plugin,
}
"""The parameters that each kind of actuator changes, by its tag."""
