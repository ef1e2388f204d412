"""Keyframes: changes by macros, and the columns.

A macro that copies part of a model also makes a new keyframe from each of the model's, with the copy's prefix
and suffix in its name. Joints, mocap bodies and actuators carry their values in it when they are copied.
Values that such a keyframe lacks are the model's initial ones. MuJoCo 3.2.7 adjusts the length of a
document's keyframes whenever a macro is expanded, which cuts values of joints that are read later; this is
reproduced here. As of 3.16, a document's keyframes describe the whole model, only `attach` makes new ones,
and vectors that are too short are completed with the initial values.
"""

from __future__ import annotations

from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from polybody.counts import MAX_OF_KEYS
from polybody.generated.formats.mjcf import DynamicsType, GainType, JointType
from polybody.lowering.mjcf.elements import Element, Spec, Values
from polybody.lowering.mjcf.poses import EPS, MINVAL
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.servo_values import STATES, controls, states
from polybody.lowering.mjcf.values import since
from polybody.model.plasticity import OF_TENDON
from polybody.model.servos import TURNS
from polybody.rotations.poses import UPRIGHT

NQ = {JointType.FREE: 7, JointType.BALL: 4, JointType.SLIDE: 1, JointType.HINGE: 1}
NV = {JointType.FREE: 6, JointType.BALL: 3, JointType.SLIDE: 1, JointType.HINGE: 1}
FIELDS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat", "plastic")
Numbers = tuple[float, ...]


class Pending(NamedTuple):
    """A keyframe created by a macro: its name, its time, and the fields that it has."""

    name: str
    time: float
    fields: tuple[str, ...]
    node: Any


class _Part(NamedTuple):
    """The values of one element in a field of a keyframe."""

    owner: Element
    size: int
    reference: Numbers


def activations(values: Values) -> int:
    """Number of activation variables of an actuator."""
    count: int = values["actdim"]
    if values["dyntype"] in STATES:
        return states(values)
    if values["gaintype"] is GainType.SO3 and values["dyntype"] is DynamicsType.INTEGRATOR:
        return TURNS
    return count if count > 0 else int(values["dyntype"] is not DynamicsType.NONE)


def _layout(spec: Spec) -> dict[str, list[_Part]]:
    """The elements with values in each field, in order, and the values that fill a short keyframe."""
    bodies = list(spec.world.walk())
    joints = [joint for body in bodies for joint in body.joint]
    mocap = [body for body in bodies if body.values["mocap"]]
    actuators = spec.lists["actuator"]
    return {
        "qpos": [_Part(j, NQ[j.values["type"]], _reference(j)) for j in joints],
        "qvel": [_Part(j, NV[j.values["type"]], (0.0,) * 6) for j in joints],
        "act": [_Part(a, activations(a.values), (0.0,) * activations(a.values)) for a in actuators],
        "ctrl": [_Part(a, controls(a.values), (0.0,) * controls(a.values)) for a in actuators],
        "mpos": [_Part(b, 3, b.values["pos"]) for b in mocap],
        "mquat": [_Part(b, 4, b.values["quat"]) for b in mocap],
        "plastic": [_Part(x, n, (nan,) * n) for x, n in yielding(joints, spec.lists["tendon"])],
    }


def yielding(joints: list[Element], tendons: list[Element]) -> list[tuple[Element, int]]:
    """Joints and tendons whose springs yield, and how many numbers their rest has. What it is at the
    beginning is known later.
    """
    found = [(each, NQ[each.values["type"]]) for each in joints]
    found += [(each, OF_TENDON) for each in tendons]
    return [(each, width) for each, width in found if each.values.get("springyield", 0.0) > 0]


def shares(spec: Spec) -> dict[str, list[tuple[Element, int]]]:
    """The elements with values in each field of a keyframe, in order, and how many each has."""
    return {field: [part[:2] for part in parts] for field, parts in _layout(spec).items()}


def _reference(joint: Element) -> Numbers:
    """MuJoCo's fill values for the coordinates of a joint, as if the type were that of its defaults class."""
    kind = joint.values.get("inherited", JointType.HINGE)
    if kind is JointType.BALL:
        return (1.0, *(0.0,) * 6)
    return (joint.values["ref"], *(0.0,) * 6)


def store(source: Spec, target: Spec, prefix: str, suffix: str) -> None:
    """Before part of a model is copied: store its keyframes, and the values of each element in them."""
    keys = source.lists["key"]
    if not keys:
        return
    layout = _layout(source)
    for key in keys:
        values = key.values
        name = prefix + key.name + suffix
        given = tuple(field for field in FIELDS if values.get(field) is not None)
        target.pending.append(Pending(name, values["time"], given, key.node))
        fit(key, layout)
        for field in given:
            at = 0
            for owner, size, _ in layout[field]:
                if size:
                    owner.state = owner.state or {}
                    owner.state[name, field] = values[field][at : at + size]
                at += size


def refit(spec: Spec) -> None:
    """After a macro: adjust the model's own keyframes to the current number of coordinates."""
    if spec.lists["key"]:
        layout = _layout(spec)
        for key in spec.lists["key"]:
            fit(key, layout)


def fit(key: Element, layout: dict[str, list[_Part]]) -> None:
    """Truncate or pad the fields of a keyframe."""
    for field in FIELDS:
        given = key.values.get(field)
        if given is not None:
            whole = [number for part in layout[field] for number in part.reference[: part.size]]
            key.values[field] = (*given[: len(whole)], *whole[len(given) :])


# --- columns ----------------------------------------------------------------------------------------------


def complete(spec: Spec, problems: Problems, qpos0: list[float], counts: dict[str, int]) -> dict[str, Any]:
    """The columns of the keyframes.

    Args:
        spec: all elements, numbered; with the keyframes that `size` requests.
        problems: for fields of the wrong length.
        qpos0: the initial coordinates.
        counts: number of values of each field.
    """
    keys = spec.lists["key"]
    if (len(keys) + len(spec.pending)) * sum(counts.values()) > MAX_OF_KEYS:
        node = keys[0].node if keys else spec.pending[0].node
        problems.add(node, f"the key frames have more than {MAX_OF_KEYS:,} values together")
        return {}
    bodies = [body for body in spec.world.walk() if body.values["mocap"]]
    rest: dict[str, list[float]] = {
        "qpos": qpos0,
        "mpos": [number for body in bodies for number in body.pos],
        "mquat": [number for body in bodies for number in body.quat],
        "plastic": [nan] * counts["plastic"],
    }
    made = [_made(pending, spec, rest, counts) for pending in spec.pending]
    columns: dict[str, Any] = {}
    rows = [key.values | {"node": key.node} for key in keys] + made
    columns["key_time"] = np.array([row["time"] for row in rows], dtype=np.float64)
    for field in FIELDS:
        default = rest.get(field) or [0.0] * counts[field]
        numbers = np.empty((len(rows), counts[field]))
        for place, row in enumerate(rows):
            given = row.get(field)
            if given is not None and since("3.16.0"):
                given = (*given, *default[len(given) :])
            if given is not None and len(given) != counts[field]:
                message = f"`{field}` has {len(given)} numbers; the model needs {counts[field]}"
                problems.add(row["node"], message, field)
                given = None
            numbers[place] = default if given is None else given
        if counts[field] or field != "plastic":  # only later releases have it
            columns[f"key_{field}"] = numbers
    _normalise(columns, spec)
    return columns


def _made(pending: Pending, spec: Spec, rest: dict[str, list[float]], counts: dict[str, int]) -> Values:
    """A keyframe created by macros, from the values stored in elements."""
    row: Values = {"name": pending.name, "time": pending.time, "node": pending.node}
    for field, parts in _layout(spec).items():
        if field not in pending.fields:
            row[field] = None
            continue
        numbers = list(rest.get(field) or [0.0] * counts[field])
        at = 0
        for owner, size, _ in parts:
            saved = owner.state and owner.state.get((pending.name, field))
            if saved:
                numbers[at : at + size] = saved
            at += size
        row[field] = numbers
    return row


def _normalise(columns: dict[str, Any], spec: Spec) -> None:
    """Normalise the quaternions of keyframes; those of joints with length zero become the identity."""
    if not len(columns["key_time"]):
        return
    at, places = 0, []
    for body in spec.world.walk():
        for joint in body.joint:
            kind = joint.values["type"]
            if kind in (JointType.FREE, JointType.BALL):
                places.append(at + NQ[kind] - 4)
            at += NQ[kind]
    for start in places:
        quats = columns["key_qpos"][:, start : start + 4]
        length = np.linalg.norm(quats, axis=1)
        quats[length < MINVAL] = UPRIGHT
        _divide(quats, length, MINVAL)
    at = 0
    for _, width in yielding(
        [joint for body in spec.world.walk() for joint in body.joint], spec.lists["tendon"]
    ):
        if width == NQ[JointType.BALL]:
            quats = columns["key_plastic"][:, at : at + width]
            _divide(quats, np.linalg.norm(quats, axis=1), MINVAL)
        at += width
    for start in range(0, columns["key_mquat"].shape[1], 4):
        quats = columns["key_mquat"][:, start : start + 4]
        length = np.linalg.norm(quats, axis=1)
        _divide(quats, length, sqrt(EPS))


def _divide(quats: Any, length: Any, least: float) -> None:
    """Normalise the quaternions that are not too short and not already of length 1."""
    other = (length >= least) & (np.abs(length - 1) > MINVAL)
    quats[other] /= length[other, None]


def names(spec: Spec) -> tuple[str, ...]:
    """The names of the keyframes."""
    return (*(key.name for key in spec.lists["key"]), *(pending.name for pending in spec.pending))


def asked_for(spec: Spec, number: int) -> None:
    """Add empty keyframes up to the number that `size` requests."""
    from polybody.lowering.mjcf.values import schema_defaults

    keys = spec.lists["key"]
    while len(keys) < number:
        keys.append(Element("key", spec.world.node, schema_defaults("key").copy(), spec.settings))
