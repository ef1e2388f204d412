"""Actuators: transmissions, ranges, activation; their columns."""

from __future__ import annotations

import numpy as np
from polybody.assembly.columns import BYTE, DOUBLE, INTEGER, Columns, numbers
from polybody.generated.formats.mjcf import BiasType, DynamicsType, GainType
from polybody.generated.model import TransmissionType
from polybody.lowering.mjcf.codes import TRANSMISSIONS
from polybody.lowering.mjcf.columns import Field, coded, gather, polynomials, split, users
from polybody.lowering.mjcf.elements import Element, Values
from polybody.lowering.mjcf.histories import history
from polybody.lowering.mjcf.joints import SCALAR, limited, upwards
from polybody.lowering.mjcf.keyframes import activations
from polybody.lowering.mjcf.numbering import Numbered, of_lists
from polybody.lowering.mjcf.plugin_use import Use
from polybody.lowering.mjcf.plugins import resolve
from polybody.lowering.mjcf.servo_values import STATES, controls, problems_of, spec, states
from polybody.model.servos import TURNS
from polybody.plugins import Pid

ACTUATOR: tuple[Field, ...] = (
    ("actuator_group", "group", 0, INTEGER),
    ("actuator_ctrllimited", "ctrllimited", 0, BYTE),
    ("actuator_forcelimited", "forcelimited", 0, BYTE),
    ("actuator_actlimited", "actlimited", 0, BYTE),
    ("actuator_dynprm", "dynprm", 10, DOUBLE),
    ("actuator_gainprm", "gainprm", 10, DOUBLE),
    ("actuator_biasprm", "biasprm", 10, DOUBLE),
    ("actuator_actearly", "actearly", 0, BYTE),
    ("actuator_ctrlrange", "ctrlrange", 2, DOUBLE),
    ("actuator_forcerange", "forcerange", 2, DOUBLE),
    ("actuator_actrange", "actrange", 2, DOUBLE),
    ("actuator_gear", "gear", 6, DOUBLE),
    ("actuator_cranklength", "cranklength", 0, DOUBLE),
    ("actuator_lengthrange", "lengthrange", 2, DOUBLE),
)
REFLECTED: tuple[Field, ...] = (
    ("actuator_armature", "armature", 0, DOUBLE),
    ("actuator_damping", "damping", 0, DOUBLE),
)
"""Columns of releases in which actuators have inertia and damping."""
OF_CONTROLS: tuple[Field, ...] = (
    ("actuator_ctrlnum", "ctrlnum", 0, INTEGER),
    ("actuator_ctrlspec", "ctrlspec", 0, INTEGER),
    ("actuator_velrange", "velrange", 2, DOUBLE),
    ("actuator_ffrange", "ffrange", 2, DOUBLE),
)
"""What only releases say in which a control has a meaning; else each actuator has one."""
PAST: tuple[Field, ...] = (
    ("actuator_history", "history", 2, INTEGER),
    ("actuator_delay", "delay", 0, DOUBLE),
)
"""Of releases with delays."""
RANGES = (("forcerange", "forcelimited"), ("ctrlrange", "ctrllimited"), ("actrange", "actlimited"))
NOT_NEGATIVE = ("damper", "adhesion")
"""Actuators whose control is nonnegative."""
INHERITING = {
    DynamicsType.NONE: "ctrlrange",
    DynamicsType.FILTEREXACT: "ctrlrange",
    DynamicsType.INTEGRATOR: "actrange",
    DynamicsType.PID: "ctrlrange",
}
"""The range that an actuator can inherit from its target, by its dynamics."""

FILTERING = (DynamicsType.FILTER, DynamicsType.FILTEREXACT, DynamicsType.INTEGRATOR)
"""Dynamics with an activation of their own, in addition to that of a controller."""
OWN = (
    ("dyntype", DynamicsType.USER, "activations do not change"),
    ("gaintype", GainType.USER, "the gain is 1"),
    ("biastype", BiasType.USER, "the bias is 0"),
)
"""User-defined types, for which MuJoCo has callbacks, and their behaviour without a callback."""


def compile_actuator(numbered: Numbered, actuator: Element) -> None:
    """Resolve an actuator's transmission, its ranges and its activation."""
    values, problems = actuator.values, numbered.problems
    values["trnid"] = _targets(numbered, actuator)
    split(values, "damping")
    if values["inheritrange"] > 0:
        _inherit(numbered, actuator)
    if actuator.node.TAG in NOT_NEGATIVE and min(values["ctrlrange"]) < 0:
        problems.add(actuator.node, f"the control of <{actuator.node.TAG}> must not be negative", "ctrlrange")
    for name, flag in RANGES:
        on = limited(actuator, name, flag, problems)
        if on:
            upwards(actuator, name, problems)
        values[flag] = on
    dynamics, count = values["dyntype"], values["actdim"]
    if values["actlimited"] and dynamics is DynamicsType.NONE:
        problems.add(actuator.node, "`actrange` requires an activation, but `dyntype` is `none`", "actrange")
    stateless = dynamics is DynamicsType.NONE
    for message, wrong in problems_of(values):
        problems.add(actuator.node, message, wrong)
    if isinstance(values["plugin"], Use):
        _check_plugin(numbered, actuator, values["plugin"])
    elif dynamics in STATES:
        if count > 0 and count != states(values):
            message = f"`actdim` is {count}; with these parameters it must be {states(values)}"
            problems.add(actuator.node, message, "actdim")
    elif values["gaintype"] is GainType.SO3 and dynamics is DynamicsType.INTEGRATOR:
        if count >= 0 and count != TURNS:
            message = f"`actdim` is {count}; an orientation servo with activations has {TURNS}"
            problems.add(actuator.node, message, "actdim")
    elif count > (0 if stateless else 1) and dynamics is not DynamicsType.USER:
        problems.add(
            actuator.node, f"`actdim` is {count}; only `dyntype` `user` allows more than 1", "actdim"
        )
    elif count == 0 and not stateless:
        problems.add(
            actuator.node, f"`actdim` is 0, but `dyntype` `{dynamics.value}` has an activation", "actdim"
        )
    values["actdim"] = activations(values) if count < 0 or dynamics in STATES else count
    _controls(actuator)
    values["history"] = history(values)
    if values["history"][0] and not values["ctrlnum"]:
        problems.add(actuator.node, "past controls cannot be kept: the actuator has none", "nsample")
    for name, kind, without in OWN:
        if values[name] is kind:
            message = (
                f"`{name}` `user` requires a callback, which is not supported; without it "
                f"{without}, as in MuJoCo"
            )
            problems.remark(actuator.node, message, name)
    if values["gaintype"] is GainType.MUSCLE:
        _check_muscle(numbered, actuator, values["gainprm"])
    if values["biastype"] is BiasType.MUSCLE:
        _check_muscle(numbered, actuator, values["biasprm"])


def _controls(actuator: Element) -> None:
    """Number and meaning of the controls, and the ranges of those that have none of their own."""
    values = actuator.values
    values["ctrlnum"], values["ctrlspec"] = controls(values), spec(values)
    if values["gaintype"] is GainType.DCMOTOR:
        values["velrange"] = values["ffrange"] = values["ctrlrange"] if values["ctrllimited"] else (0.0, 0.0)


def _check_plugin(numbered: Numbered, actuator: Element, used: Use) -> None:
    """Check that an actuator has as many activations as its plugin and its own dynamics need."""
    values = actuator.values
    found = resolve(numbered, used, "actuator")
    if found is None or not isinstance(found[1], Pid) or any(found[1].problems(found[0].values["config"])):
        return
    needed = found[1].activations(found[0].values["config"]) + (values["dyntype"] in FILTERING)
    if activations(values) != needed:
        message = (
            f"`actdim` is {activations(values)}; with this configuration of mujoco.pid it must be {needed}"
        )
        numbered.problems.add(actuator.node, message, "actdim")


def _targets(numbered: Numbered, actuator: Element) -> tuple[Element | None, Element | None]:
    """The target of an actuator, and the site to which it refers in addition."""
    values, by = actuator.values, actuator.values["transmission"]
    references = values["references"]
    if by is None or references[0].kind == "nothing":
        numbered.problems.add(actuator.node, "the actuator has no transmission target")
        return None, None
    found = [numbered.resolve(actuator, reference) for reference in references]
    if by == "cranksite":
        if len(found) < 2:
            numbered.problems.add(actuator.node, "a slider-crank needs `slidersite`")
        if not values["cranklength"] > 0:
            numbered.problems.add(actuator.node, "`cranklength` must be positive", "cranklength")
    return found[0], found[1] if len(found) > 1 else None


def _inherit(numbered: Numbered, actuator: Element) -> None:
    """Inherit the range of a joint or tendon, scaled about its centre."""
    values = actuator.values
    gain, bias = values["gainprm"], values["biasprm"]
    servo = values["gaintype"] is GainType.FIXED and values["biastype"] is BiasType.AFFINE
    if values["gaintype"] is not GainType.PID and (not servo or gain[0] != -bias[1]):
        return
    name, target = INHERITING.get(values["dyntype"]), values["trnid"][0]
    by = values["transmission"]
    fit = by in ("joint", "tendon")
    if (
        name is None
        or not fit
        or (target is not None and by == "joint" and target.values["type"] not in SCALAR)
    ):
        message = "`inheritrange` is allowed only for servos of hinges, slides and tendons"
        numbered.problems.add(actuator.node, message, "inheritrange")
        return
    if target is None:
        return
    low, high = target.values["range"]
    if low == high:
        message = f"`inheritrange`: the {by} `{target.name}` has no `range`"
        numbered.problems.add(actuator.node, message, "inheritrange")
        return
    middle, half = 0.5 * (high + low), 0.5 * (high - low) * values["inheritrange"]
    values[name] = (middle - half, middle + half)


def _check_muscle(numbered: Numbered, actuator: Element, numbers: tuple[float, ...]) -> None:
    low, high, _, scale, shortest, longest, *rest = numbers[:9]
    problems = numbered.problems
    if low >= high:
        problems.add(actuator.node, f"`range` of a muscle is from {low:g} to {high:g}, not up", "range")
    if not shortest < 1 < longest:
        problems.add(
            actuator.node, "`lmin` of a muscle must be less than 1, and `lmax` greater than 1", "lmin"
        )
    if min(scale, *rest) <= 0:
        problems.add(actuator.node, "`scale`, `vmax`, `fpmax` and `fvmax` of a muscle must be positive")


@of_lists("actuator")
def actuator_columns(numbered: Numbered) -> Columns:
    """The columns of actuators."""
    actuators = numbered.spec.lists["actuator"]
    columns = gather(actuators, ACTUATOR)
    if actuators and "armature" in actuators[0].values:
        columns |= gather(actuators, REFLECTED)
    columns |= polynomials(actuators, damping="actuator_dampingpoly")
    if any(actuator.values["ctrlspec"] for actuator in actuators):
        columns |= gather(actuators, OF_CONTROLS)
    if actuators and "delay" in actuators[0].values:
        columns |= gather(actuators, PAST)
    for name in ("dyntype", "gaintype", "biastype"):
        columns[f"actuator_{name}"] = coded(actuators, name)
    kinds = [_transmission(actuator.values) for actuator in actuators]
    columns["actuator_trntype"] = np.array(kinds, dtype=INTEGER)
    ids = [[-1 if t is None else t.id for t in actuator.values["trnid"]] for actuator in actuators]
    columns["actuator_trnid"] = numbers(ids, 2, INTEGER)
    counts = np.array([actuator.values["actdim"] for actuator in actuators], dtype=INTEGER)
    columns["actuator_actnum"] = counts
    columns["actuator_actadr"] = np.where(counts > 0, np.cumsum(counts) - counts, -1).astype(INTEGER)
    columns["actuator_user"] = users(actuators, numbered.widths["actuator"])
    return columns


def _transmission(values: Values) -> int:
    """actuator_trntype."""
    if values["gaintype"] is GainType.SO3:
        return int(TransmissionType.so3)
    return TRANSMISSIONS.get(values["transmission"], 0)


def damping_ratios(actuators: list[Element]) -> list[tuple[int, float]]:
    """Servos whose velocity gain is a damping ratio until the masses are known: index and ratio."""
    found = []
    for actuator in actuators:
        gain, bias = actuator.values["gainprm"], actuator.values["biasprm"]
        of_servo = actuator.values["gaintype"] is not GainType.DCMOTOR and gain[0] == -bias[1]
        if (of_servo or actuator.values["gaintype"] is GainType.PID) and bias[2] > 0:
            found.append((actuator.id, bias[2]))
    return found
