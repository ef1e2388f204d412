"""The values of servos, which are PID controllers, DC motors and orientation servos: those of `general` that
they set.

As in MuJoCo 4.0, a servo inherits its parameters from the innermost class whose last element for actuators is
of the same kind, or `general` with its gain; see actuator_values.py.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from polybody.generated.formats.mjcf import Automatic, BiasType, DynamicsType, GainType, JointType
from polybody.model.servos import CONTROLS, OF_MOTOR, OF_PID, QUAT, REGULATED, SAID, TURNS

Values = dict[str, Any]
Numbers = tuple[float, ...]
WIDTH = 10
"""Number of parameters of each kind."""
SERVOS = {"pid": GainType.PID, "dcmotor": GainType.DCMOTOR}
"""Elements of servos, and their gains."""
USUAL = {GainType.PID: ("pos", "vel"), GainType.DCMOTOR: ("voltage",), GainType.SO3: ("expmap",)}
"""The controls of servos that do not say theirs."""
STATES = {DynamicsType.PID: OF_PID, DynamicsType.DCMOTOR: OF_MOTOR}
"""The parameters that give the states of servos."""


def states(values: Values) -> int:
    """The number of states of a servo."""
    return sum(values[name][place] > 0 for name, place in STATES.get(values["dyntype"], ()))


def words(values: Values) -> tuple[str, ...]:
    """What the controls of an actuator are, as far as that is said."""
    given = values.get("input")
    if given is None:
        return USUAL.get(values["gaintype"], ())
    each = given if isinstance(given, tuple) else (given,)
    return tuple(str(getattr(word, "value", word)) for word in each)


def spec(values: Values) -> int:
    """actuator_ctrlspec."""
    return sum(SAID.get(word, 0) for word in words(values))


def controls(values: Values) -> int:
    """The number of controls of an actuator."""
    if values["gaintype"] not in USUAL:
        return 1
    if values["gaintype"] is GainType.SO3:
        return TURNS + (spec(values) == QUAT)
    return sum(word in CONTROLS for word in words(values))


def begin(values: Values, found: Values | None, tag: str) -> Values:
    """The parameters with which a servo begins, if a class says them or if none does."""
    blank = (0.0,) * WIDTH
    values |= {"dynprm": blank, "gainprm": blank, "biasprm": blank, "input": None}
    if tag == "pid":
        values["biasprm"] = (0.0, -1.0, *blank[2:])
    if found is None:
        return values
    values["input"] = found["input"]
    if tag == "dcmotor":
        return values | {name: found[name] for name in ("dynprm", "gainprm", "biasprm")}
    values["gainprm"] = (found["gainprm"][0], *blank[1:])
    values["dynprm"] = (*found["dynprm"][:2], *blank[2:])
    values["biasprm"] = (0.0, *found["biasprm"][1:3], *blank[3:])
    values["inheritrange"] = found["inheritrange"]
    return values


def pid(values: Values, own: Values) -> None:
    """A PID controller. A positive number instead of -kv is a damping ratio until masses are known."""
    _, stiffness, damping = values["biasprm"][:3]
    stiffness = -own["kp"] if "kp" in own else stiffness
    damping = own.get("dampratio", -own["kv"] if "kv" in own else damping)
    integral = own.get("ki", values["gainprm"][0])
    bound, slew = own.get("imax", values["dynprm"][0]), own.get("slewmax", values["dynprm"][1])
    values["gainprm"] = _padded(integral)
    values["dynprm"] = _padded(bound if integral else 0.0, slew)
    values["biasprm"] = _padded(0.0, stiffness, damping)
    values["ctrlrange"] = own.get("posrange", values["ctrlrange"])
    values["inheritrange"] = own.get("inheritrange", values["inheritrange"])
    values["input"] = own.get("input", values["input"])
    values["dyntype"] = DynamicsType.PID if integral or slew else DynamicsType.NONE
    values["gaintype"], values["biastype"] = GainType.PID, BiasType.AFFINE


def orientation(values: Values, own: Values) -> None:
    """An orientation servo. A positive number instead of -kv is a damping ratio until masses are known."""
    stiffness = own.get("kp", values["gainprm"][0])
    damping = own.get("dampratio", -own["kv"] if "kv" in own else values["biasprm"][2])
    values["gainprm"] = (stiffness, *values["gainprm"][1:])
    values["biasprm"] = (values["biasprm"][0], -stiffness, damping, *values["biasprm"][3:])
    values["input"] = own.get("input", values["input"])
    values["dyntype"] = DynamicsType.NONE
    values["gaintype"], values["biastype"] = GainType.SO3, BiasType.SO3


def motor(values: Values, own: Values) -> None:
    """A DC motor."""
    dyn, gain, bias = values["dynprm"], values["gainprm"], values["biasprm"]
    R, K = _electrical(values, own)
    time = dyn[0]
    if "inductance" in own:
        inductance, constant = _padded(*own["inductance"])[:2]
        time = inductance / R if inductance > 0 and R > 0 else constant
    _saturate(values, own, K)
    rate = (_over(own.get("saturation"), (0.0, 0.0, dyn[1])))[2]
    kp, ki, kd, slew, most, top = _over(own.get("controller"), (*gain[4:7], *dyn[7:9], gain[7]))
    cogging = _over(own.get("cogging"), bias[:3])
    capacity, coefficients = _thermal(dyn, gain, own)
    friction = _over(own.get("lugre"), (*dyn[5:7], *bias[3:6]))
    if friction[0] <= 0:
        friction = (0.0,) * 5
    values["dynprm"] = _padded(time, rate, *capacity, *friction[:2], slew, most)
    values["gainprm"] = _padded(R, K, *coefficients, kp, ki, kd, max(top, 0.0))
    values["biasprm"] = _padded(*cogging, *friction[2:])
    values["input"] = own.get("input", values["input"])
    values["dyntype"], values["gaintype"] = DynamicsType.DCMOTOR, GainType.DCMOTOR
    values["biastype"], values["actearly"] = BiasType.DCMOTOR, True
    values["actlimited"], values["actdim"] = Automatic.FALSE, 0
    values["actdim"] = states(values)


def _electrical(values: Values, own: Values) -> tuple[float, float]:
    """Resistance and motor constant. What is not given follows from the voltage, the stall torque and the
    speed without load, at which the torque balances the actuator's own damping.
    """
    torque, induced = _over(own.get("motorconst"), (values["gainprm"][1], 0.0))
    R = own.get("resistance", values["gainprm"][0])
    volts, stall, speed = _padded(*own.get("nominal", ()))[:3]
    if volts > 0 and induced <= 0 and speed > 0:
        damping = own.get("damping", values.get("damping")) or 0.0
        damping = damping[0] if isinstance(damping, tuple) else damping
        induced = volts / speed
        if damping > 0 and R > 0:
            square = volts * volts - 4 * R * damping * speed * speed
            induced = (volts + sqrt(square)) / (2 * speed) if square > 0 else induced
        elif damping > 0 and stall > 0:
            exact = volts / speed - volts * damping / stall
            induced = exact if exact > 0 else induced
    K = sqrt(torque * induced) if torque > 0 and induced > 0 else torque if torque > 0 else induced
    if R == 0 and volts > 0 and stall > 0 and K > 0:
        R = K * volts / stall
    return R, K


def _saturate(values: Values, own: Values, K: float) -> None:
    """A maximum torque or current takes the place of any range of the force."""
    if "saturation" not in own:
        return
    torque, current, _ = _padded(*own["saturation"])[:3]
    most = torque if torque else K * current
    values["forcerange"], values["forcelimited"] = (0.0, 0.0), Automatic.AUTO
    if torque > 0 or current > 0:
        values["forcerange"], values["forcelimited"] = (-most, most), Automatic.TRUE


def _thermal(dyn: Numbers, gain: Numbers, own: Values) -> tuple[Numbers, Numbers]:
    """Thermal resistance, heat capacity and temperature of the surroundings; coefficient and temperature of
    the electrical resistance.
    """
    resistance, capacity, time, coefficient, reference, ambient = _over(
        own.get("thermal"), (*dyn[2:4], 0.0, *gain[2:4], dyn[4])
    )
    if not (resistance > 0 or capacity > 0 or time > 0):
        return (0.0,) * 3, (0.0,) * 2
    if time > 0 and resistance > 0:
        capacity = time / resistance
    elif time > 0 and capacity > 0:
        resistance = time / capacity
    return (resistance, capacity, ambient), (coefficient, reference)


def _over(given: Numbers | None, base: Numbers) -> Numbers:
    """Numbers of which the first ones are given."""
    given = given or ()
    return (*given, *base[len(given) :])


def _padded(*numbers: float) -> Numbers:
    return (*numbers, *(0.0,) * (WIDTH - len(numbers)))


def problems_of(values: Values) -> list[tuple[str, str | None]]:
    """What is wrong with a servo: messages, and the attribute that each is about."""
    kind, said = values["gaintype"], set(words(values))
    found: list[tuple[str, str | None]] = []
    if kind is GainType.PID:
        if values["biastype"] is not BiasType.AFFINE:
            found.append(("a PID controller needs `biastype` `affine`", "biastype"))
        if values["dyntype"] not in (DynamicsType.NONE, DynamicsType.PID):
            found.append(("a PID controller needs `dyntype` `none` or `pid`", "dyntype"))
        if values["dyntype"] is DynamicsType.NONE and values["gainprm"][0]:
            found.append(("the integral gain of a PID controller needs `dyntype` `pid`", "gainprm"))
        if values["dyntype"] is DynamicsType.PID and min(values["dynprm"][:2]) < 0:
            found.append(("`imax` and `slewmax` of a PID controller must not be negative", "dynprm"))
        if values["dyntype"] is DynamicsType.PID and "pos" not in said:
            found.append(("the states of a PID controller need the control `pos`", "input"))
        if values["transmission"] == "body":
            found.append(("a PID controller cannot act on a body", "body"))
        if said - {"pos", "vel", "ff"}:
            found.append(("the controls of a PID controller are some of `pos`, `vel`, `ff`", "input"))
    elif kind is GainType.DCMOTOR:
        found += _wrong_motor(values, said)
    elif GainType.SO3 is kind or values["biastype"] is BiasType.SO3:
        found += _wrong_turn(values)
    elif values["dyntype"] in STATES or values["biastype"] is BiasType.DCMOTOR:
        found.append(("`dyntype` and `biastype` of a servo need its `gaintype`", "gaintype"))
    elif len(said) > 1 or said - {"pos", "vel", "pressure", "expmap", "quat"}:
        found.append(("the control is one of `pos`, `vel`, `pressure`", "input"))
    return found


def _wrong_turn(values: Values) -> list[tuple[str, str | None]]:
    """What is wrong with an orientation servo, except for what the rules of the format say."""
    found: list[tuple[str, str | None]] = []
    target = values["trnid"][0]
    if values["transmission"] == "joint" and target is not None:
        if target.values["type"] is not JointType.BALL:
            found.append(("an orientation servo needs a joint of type `ball`", "joint"))
    elif values["transmission"] == "site" and values["trnid"][1] is None:
        found.append(("an orientation servo of a site needs `refsite`", "site"))
    elif values["transmission"] not in ("joint", "site"):
        found.append(("an orientation servo acts on a ball joint or a site", values["transmission"]))
    if values["forcelimited"] and values["forcerange"][0] != 0:
        found.append(("the first number of `forcerange` bounds a norm: it must be 0", "forcerange"))
    if spec(values) not in (1, QUAT):
        found.append(("the controls of an orientation servo are `expmap` or `quat`", "input"))
    elif spec(values) == QUAT and values["dyntype"] is DynamicsType.INTEGRATOR:
        found.append(("`input` `quat` of an orientation servo needs `dyntype` `none`", "input"))
    return found


def _wrong_motor(values: Values, said: set[str]) -> list[tuple[str, str | None]]:
    """What is wrong with a DC motor."""
    dyn, gain = values["dynprm"], values["gainprm"]
    found: list[tuple[str, str | None]] = []
    regulated = any(CONTROLS.get(word, 0) & REGULATED for word in said)
    if values["dyntype"] is not DynamicsType.DCMOTOR or values["biastype"] is not BiasType.DCMOTOR:
        found.append(("a DC motor needs `dyntype` and `biastype` `dcmotor`", "dyntype"))
    if not values["actearly"]:
        found.append(("`actearly` of a DC motor must be true", "actearly"))
    if gain[0] <= 0:
        found.append(("the resistance of a DC motor must be positive", None))
    if gain[1] <= 0 and said != {"none"}:
        found.append(("the motor constant of a DC motor must be positive", None))
    if (dyn[2] > 0 or dyn[3] > 0) and min(dyn[2:4]) <= 0:
        found.append(("thermal resistance and capacity of a DC motor must be positive", "thermal"))
    if said - {"none"} - CONTROLS.keys():
        found.append(("the controls of a DC motor are some of `pos`, `vel`, `ff`, `voltage`", "input"))
    if any((*gain[4:7], max(dyn[7], 0.0))) and not regulated:
        found.append(("a controller of a DC motor needs one of the controls `pos`, `vel`, `ff`", "input"))
    if gain[5] > 0 and "pos" not in said:
        found.append(("an integral gain of a DC motor needs the control `pos`", "input"))
    return found
