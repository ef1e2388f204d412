"""Gains, biases and controls of actuators in scaled frames, by what the controls are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat

from polybody.generated.formats.mjcf import BiasType, GainType
from polybody.lowering.mjcf.elements import Element, Values
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.scales import Coordinate, Scale, multiply
from polybody.lowering.mjcf.servo_values import words

PID_RANGES = {"pos": "ctrlrange", "vel": "velrange", "ff": "ffrange"}
"""The ranges of the controls of a PID controller."""


def scale_gains(actuator: Element, along: Coordinate, scale: Scale, problems: Problems) -> None:
    """Change gains and biases by what the control is: a coordinate, a velocity, a pressure, a number."""
    values, tag = actuator.values, actuator.node.TAG
    if tag not in CONTROLLED:
        problems.add(actuator.node, f"a <{tag}> of something scaled cannot be compiled yet")
        return
    first, second = along.force, along.force / along.unit
    if values["gaintype"] is GainType.PID:
        _pid(values, along)
        return
    size, unit = CONTROLLED[tag](along, scale)
    multiply(values, "ctrlrange", size)
    if tag == "intvelocity":
        multiply(values, "actrange", along.size)
    gain = values["gainprm"]
    if values["gaintype"] is GainType.MUSCLE:
        if gain[2] < 0:
            message = "a muscle of something scaled that has no `force` cannot be compiled yet"
            problems.add(actuator.node, message)
        values["gainprm"] = (*gain[:2], gain[2] * first, *gain[3:])
    elif values["gaintype"] is GainType.AFFINE:
        values["gainprm"] = (gain[0] * first, gain[1] * second, gain[2] * second, *gain[3:])
    elif values["gaintype"] is GainType.FIXED:
        values["gainprm"] = (gain[0] * first / unit, *gain[1:])
    elif values["gaintype"] is GainType.SO3:
        values["gainprm"] = (gain[0] * second, *gain[1:])
    _biases(values, along)


def _pid(values: Values, along: Coordinate) -> None:
    """Change a PID controller, with its bounds of the integral and of the slew rate."""
    values["gainprm"] = (values["gainprm"][0] * along.force / along.unit, *values["gainprm"][1:])
    bounds, rest = values["dynprm"][:2], values["dynprm"][2:]
    values["dynprm"] = (*(bound * along.size for bound in bounds), *rest)
    for word, factor in _factors(along).items():
        multiply(values, PID_RANGES[word], factor)
    _biases(values, along)


def control_factors(actuator: Element, scale: Scale) -> Iterable[float]:
    """The factors of the controls of an actuator."""
    tag, along = actuator.node.TAG, actuator.values["along"]
    if actuator.values["gaintype"] is GainType.PID:
        of = _factors(along)
        return [of[word] for word in words(actuator.values) if word in of]
    return repeat(CONTROLLED[tag](along, scale)[0] if tag in CONTROLLED else 1.0)


def activation_factors(actuator: Element, scale: Scale) -> Iterable[float]:
    """The factors of its activations: controls that are filtered, or integrals of them."""
    if actuator.values["gaintype"] is GainType.PID:
        return repeat(float(actuator.values["along"].size))
    return control_factors(actuator, scale)


def _factors(along: Coordinate) -> dict[str, float]:
    """Those of the controls of a PID controller."""
    return {"pos": along.size, "vel": along.size, "ff": along.force}


def _biases(values: Values, along: Coordinate) -> None:
    """Change the parameters of a bias."""
    first, second, bias = along.force, along.force / along.unit, values["biasprm"]
    if values["biastype"] is BiasType.MUSCLE:
        values["biasprm"] = (*bias[:2], bias[2] * first, *bias[3:])
    elif values["biastype"] in (BiasType.AFFINE, BiasType.SO3):
        rate = bias[2] if bias[2] > 0 else bias[2] * second  # a positive number is a ratio
        values["biasprm"] = (bias[0] * first, bias[1] * second, rate, *bias[3:])


def _number(along: Coordinate, scale: Scale) -> tuple[float, float]:
    return 1.0, 1.0


def _of_coordinate(along: Coordinate, scale: Scale) -> tuple[float, float]:
    return along.size, along.unit


def _pressure(along: Coordinate, scale: Scale) -> tuple[float, float]:
    pressure = along.force / scale.unit_length**2
    return pressure, pressure


CONTROLLED: dict[str, Callable[[Coordinate, Scale], tuple[float, float]]] = {
    **dict.fromkeys(("general", "motor", "damper", "muscle", "adhesion", "orientation"), _number),
    **dict.fromkeys(("position", "velocity", "intvelocity", "pid"), _of_coordinate),
    "cylinder": _pressure,
}
"""The factors of controls, as values and as units of gains, by the tag of the actuator."""
