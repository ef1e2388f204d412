"""The SRDF of a robot: pairs of links that do not collide, joints that nothing drives, named states."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any

from polybody.lowering.plants.driving import SINGLE
from polybody.lowering.plants.plant import Plant, State

if TYPE_CHECKING:
    from polybody.generated.formats.srdf import Robot as Semantics


def add(plant: Plant, semantics: Semantics, instance: int) -> None:
    """Add what an SRDF says about a robot that is in the plant, the row of its instance given.

    A pair of `disable_collisions` does not collide; otherwise a pair of `enable_collisions` does; otherwise a
    link of `disable_default_collisions` collides with no other link of the robot: as in MoveIt.
    """
    links = plant.links_by_name(instance)
    joints = {joint.name: row for row, joint in enumerate(plant.joints) if joint.instance in (0, instance)}
    disabled = _pairs(semantics.disable_collisions, links)
    enabled = {frozenset((one, other)) for one, other, _ in _pairs(semantics.enable_collisions, links)}
    alone = [(links.get(_name(each.link)), each) for each in semantics.disable_default_collisions]
    others = (
        (row, other, node)
        for (row, node), other in product(alone, links.values())
        if row is not None and row != other and other and frozenset((row, other)) not in enabled
    )
    plant.apart += [*disabled, *others]
    passive = (joints.get(_name(each.name)) for each in semantics.passive_joint)
    plant.passive.update(row for row in passive if row is not None)
    _states(plant, semantics, joints)


def _name(text: str | None) -> str:
    return (text or "").strip()


def _pairs(nodes: Any, links: dict[str, int]) -> list[tuple[int, int, Any]]:
    """The rows of two links and their element, of each pair of known links."""
    rows = ((links.get(_name(each.link1)), links.get(_name(each.link2)), each) for each in nodes)
    return [(one, other, each) for one, other, each in rows if one is not None and other is not None]


def _states(plant: Plant, semantics: Semantics, joints: dict[str, int]) -> None:
    """Named states of groups. States of several groups with one name get the name of their group, too. What
    follows a joint of a state is where the joint makes it.
    """
    names = Counter(_name(each.name) for each in semantics.group_state)
    for state in semantics.group_state:
        values = {}
        for each in state.joint:
            row = joints.get(_name(each.name))
            if row is not None and each.value and plant.joints[row].kind in SINGLE:
                values[row] = tuple(each.value)[:1]
        for _ in plant.couplers:
            led = {
                each.joint: (each.multiplier * values[each.other][0] + each.offset,)
                for each in plant.couplers
                if each.other in values and each.joint not in values
            }
            if not led:
                break
            values |= led
        name = _name(state.name)
        name = f"{_name(state.group)}/{name}" if names[name] > 1 else name
        if values and all(name != known.name for known in plant.states):
            plant.states.append(State(name, values))
