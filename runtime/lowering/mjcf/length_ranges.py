"""Ranges of the lengths of actuators that are found by simulation: which ones, and whether they can be."""

from __future__ import annotations

from typing import Any

from polybody.base.written import written
from polybody.counts import MAX_BODIES_OF_STEPS, MAX_STEPS_OF_ALL, steps, steps_fault
from polybody.generated.formats.mjcf import GainType, LengthRangeMode
from polybody.lowering.mjcf.elements import Values
from polybody.lowering.mjcf.numbering import Numbered
from polybody.lowering.mjcf.reading import Reader
from polybody.lowering.mjcf.values import filled, schema_defaults

LIMITED = {"joint": "joint", "jointinparent": "joint", "tendon": "tendon"}
"""Targets of actuators that can have limits, and their kinds."""
LENGTHS = {
    LengthRangeMode.NONE: (),
    LengthRangeMode.MUSCLE: ("muscle",),
    LengthRangeMode.MUSCLEUSER: ("muscle", "user"),
    LengthRangeMode.ALL: tuple(kind.value for kind in GainType),
}
"""Kinds of gains or biases of the actuators whose length range is computed."""


def asked_lengths(numbered: Numbered, reader: Reader) -> tuple[Values, tuple[int, ...]]:
    """The parameters of the simulations, and the indices of the actuators.

    Simulations that would take too long are reported, and not asked for.
    """
    values, nodes = schema_defaults("lengthrange"), []
    for child in reader.children("compiler"):
        if child.TAG == "lengthrange":
            values = filled("lengthrange", values, child)
            nodes.append(child)
    unknown = _unknown(numbered, values)
    if unknown and not _bounded(numbered, reader, values, nodes, unknown):
        unknown = ()
    return values, unknown


def _bounded(
    numbered: Numbered, reader: Reader, values: Values, nodes: list[Any], unknown: tuple[int, ...]
) -> bool:
    """Whether the simulations have a bounded number of steps, of Models of bounded size."""
    step = values["timestep"] if values["timestep"] > 0 else reader.merged("option")["timestep"]
    if not step > 0:
        return True  # the Model is invalid
    fault = steps_fault(values["inttotal"], step)
    total = 2 * len(unknown) * steps(values["inttotal"], step)
    if fault is None and total > MAX_STEPS_OF_ALL:
        fault = f"the ranges of lengths of {len(unknown):,} actuators take {total:,} steps of simulations"
        fault += f", more than {MAX_STEPS_OF_ALL:,}"
    elif fault is None and total * len(numbered.elements("body")) > MAX_BODIES_OF_STEPS:
        fault = f"the ranges of lengths of {len(unknown):,} actuators take {total:,} steps of simulations"
        fault += f" of {len(numbered.elements('body')):,} bodies, more than {MAX_BODIES_OF_STEPS:,} together"
    if fault is None:
        return True
    said = [(node, name) for node in nodes for name in ("timestep", "inttotal") if name in written(node)]
    node, name = said[-1] if said else (numbered.spec.lists["actuator"][unknown[0]].node, None)
    reader.problems.add(node, fault, name, "give `lengthrange`, or a longer `timestep` of `lengthrange`")
    return False


def _unknown(numbered: Numbered, asked: Values) -> tuple[int, ...]:
    """The indices of actuators whose length range has to be determined by simulation.

    Others inherit the range of their target's limits, without their gear. MuJoCo 3.2.7 does not check the
    limits of actuator i's target, but those of entry i in the flat list of the two targets of all actuators.
    This is reproduced here.

    Args:
        asked: `lengthrange` of `compiler`.
    """
    actuators = numbered.spec.lists["actuator"]
    targets = [target for actuator in actuators for target in actuator.values["trnid"]]
    found = []
    for number, actuator in enumerate(actuators):
        values, target = actuator.values, targets[number]
        kinds = {values["gaintype"].value, values["biastype"].value}
        low, high = values["lengthrange"]
        if kinds.isdisjoint(LENGTHS[asked["mode"]]) or (asked["useexisting"] and low < high):
            continue
        elements = numbered.elements(LIMITED.get(values["transmission"], ""))
        limits = None if target is None or target.id >= len(elements) else elements[target.id]
        if asked["uselimit"] and limits is not None and limits.values["is_limited"]:
            values["lengthrange"] = limits.values["range"]
        else:
            found.append(number)
    return tuple(found)
