"""Columns derived from plugin instances: the joints of cables, actuators with controllers, touch grids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.errors import ModelError, Problem
from polybody.generated.model import (
    DynamicsType,
    JointType,
    ObjectType,
    SensorType,
    ShapeType,
    TransmissionType,
)
from polybody.model.servos import KINDS
from polybody.plugins import Cable, Pid, Plugin, TouchGrid, find, number, numbers
from polybody.rotations.arrays import rotation_vector

Columns = Mapping[str, NDArray[Any]]
UNBOUNDED = float(np.finfo(np.float32).max)
"""An unreachable bound, which kernels in single precision have, too."""


class Instance(NamedTuple):
    """An instance of a plugin."""

    type: str
    """The plugin's name."""
    plugin: Plugin | None
    """None if there is no plugin of that name here."""
    config: dict[str, str]
    """Its configuration, by the plugin's keys."""


def instances(known: Columns) -> list[Instance]:
    """All instances, in order.

    Raises:
        ModelError: a configuration is invalid for its plugin.
    """
    names, texts = known["plugin_type"].tobytes(), known["plugin_attr"].tobytes()
    found = []
    starts = [*known["plugin_attradr"].tolist(), len(texts)]
    for row, address in enumerate(known["plugin_typeadr"].tolist()):
        name = names[max(address, 0) :].split(b"\0")[0].decode("utf-8", "replace")
        plugin = find(name)
        values = texts[max(starts[row], 0) : starts[row + 1]].split(b"\0")[:-1]
        keys = () if plugin is None else plugin.keys
        if plugin is not None and len(values) != len(keys):
            raise ModelError([Problem(f"{len(values)} texts; {name} has {len(keys)} keys", "plugin", row)])
        config = dict(zip(keys, (value.decode("utf-8", "replace") for value in values), strict=False))
        if plugin is not None and any(plugin.problems(config)):
            raise ModelError([Problem(text, "plugin", row) for text in plugin.problems(config)])
        found.append(Instance(name, plugin, config))
    return found


# --- cables -----------------------------------------------------------------------------------------------


def cables(known: Columns) -> dict[str, NDArray[Any]]:
    """Joints between two bodies of a cable, with its stiffness per length and its rest orientation there."""
    count = len(known["jnt_type"])
    cable = np.zeros(count, dtype=np.uint8)
    stiffness, rest = np.zeros((count, 3)), np.zeros((count, 3))
    for row, instance in enumerate(instances(known)):
        if not isinstance(instance.plugin, Cable):
            continue
        flat = instance.config["flat"] == "true"
        moduli = [number(instance.config, key) for key in ("twist", "bend", "bend")]
        for body, joint in joined(known, row):
            if joint < 0:
                continue
            length = float(np.linalg.norm(known["body_pos"][body]))
            numbers = np.array(moduli) * _section(known, body)
            if numbers.any() and length > 0:
                cable[joint], stiffness[joint] = 1, numbers / length
                rest[joint] = 0.0 if flat else rotation_vector(known["body_quat"][body])
    acts = bool(cable.any()) and bool(known["opt_passive_acts"])
    return {
        "jnt_cable": cable,
        "jnt_cablestiffness": stiffness,
        "jnt_cablerest": rest,
        "opt_cables": np.array(acts, np.uint8),
    }


def joined(known: Columns, instance: int) -> Iterator[tuple[int, int]]:
    """The bodies of a cable except the first, and the ball joint that connects each to the previous body; -1
    if it is connected otherwise.
    """
    bodies = np.flatnonzero(known["body_plugin"] == instance).tolist()
    for before, body in pairwise(bodies):
        joint = int(known["body_jntadr"][body])
        ball = known["body_jntnum"][body] == 1 and known["jnt_type"][joint] == JointType.ball
        yield body, joint if ball and known["body_parentid"][body] == before else -1


def _section(known: Columns, body: int) -> NDArray[np.float64]:
    """Second moments of area of a body's first shape, for torsion and for bending in both directions, m^4."""
    if not known["body_geomnum"][body]:
        return np.zeros(3)
    geom = int(known["body_geomadr"][body])
    kind, size = int(known["geom_type"][geom]), known["geom_size"][geom].tolist()
    if kind in (ShapeType.capsule, ShapeType.cylinder):
        round_ = pi * size[0] ** 4 / 4
        return np.array([2 * round_, round_, round_])
    if kind != ShapeType.box:
        return np.zeros(3)
    h, w = size[1:]
    a, b = max(h, w), min(h, w)
    twist = a * b**3 * (16 / 3 - 3.36 * b / a * (1 - b**4 / a**4 / 12))
    return np.array([twist, (2 * w) ** 3 * 2 * h / 12, (2 * h) ** 3 * 2 * w / 12])


# --- controllers ------------------------------------------------------------------------------------------


def controllers(known: Columns) -> dict[str, NDArray[Any]]:
    """Actuators with a controller, its parameters, its activations, and those of the actuators' dynamics."""
    count = len(known["actuator_dyntype"])
    first, number_of = known["actuator_actadr"].tolist(), known["actuator_actnum"].tolist()
    controller = np.zeros(count, dtype=np.uint8)
    prm = np.zeros((count, 10))
    memory = {name: np.full(count, -1, dtype=np.int32) for name in ("integral", "previous")}
    own = np.array([a + n - 1 if n else -1 for a, n in zip(first, number_of, strict=True)], dtype=np.int32)
    made = instances(known) if (known["actuator_plugin"] >= 0).any() else []
    for row, plugin in enumerate(known["actuator_plugin"].tolist()):
        if plugin < 0 or not isinstance(made[plugin].plugin, Pid):
            continue
        config = made[plugin].config
        gains = [number(config, key) for key in ("kp", "ki", "kd")]
        most = number(config, "imax") / gains[1] if config["imax"].strip() and gains[1] else UNBOUNDED
        slew = number(config, "slewmax") if config["slewmax"].strip() else UNBOUNDED
        controller[row], prm[row, :5] = 1, (*gains, most, slew)
        at = first[row]
        for name, wanted in (("integral", gains[1] != 0), ("previous", bool(config["slewmax"].strip()))):
            if wanted and at < first[row] + number_of[row]:
                memory[name][row], at = at, at + 1
        if known["actuator_dyntype"][row] == DynamicsType.none:
            own[row] = -1
    servos = np.isin(known["actuator_gaintype"], tuple(KINDS))
    servos |= known["actuator_trntype"] == TransmissionType.so3
    own[servos] = -1
    acts = bool(controller.any()) and bool(known["opt_actuation_acts"])
    return {
        "actuator_controller": controller,
        "actuator_controlprm": prm,
        **{f"actuator_{name}": rows for name, rows in memory.items()},
        "opt_controllers": np.array(acts, np.uint8),
        "actuator_act": own,
        "actuator_input": np.where(servos | (own >= 0), -1, known["actuator_ctrladr"]).astype(np.int32),
    }


# --- touch grids ------------------------------------------------------------------------------------------


def grids(known: Columns) -> dict[str, NDArray[Any]]:
    """Sensors of contacts: their numbers of values, and how touch grids at sites divide directions."""
    plugin, site = known["sensor_plugin"], known["sensor_objid"]
    at_site = (known["sensor_objtype"] == ObjectType.SITE) & (site >= 0) & (site < len(known["site_bodyid"]))
    count, grid = np.zeros(len(plugin), dtype=np.int32), np.zeros((len(plugin), 5))
    for row, instance in enumerate(instances(known)):
        if isinstance(instance.plugin, TouchGrid):
            mine = (plugin == row) & at_site
            cells = [int(x) for x in numbers(instance.config, "size")]
            views = [angle * pi / 180 for angle in numbers(instance.config, "fov")]
            count[mine] = instance.plugin.dim(instance.config)
            grid[mine] = [*cells, *views, number(instance.config, "gamma")]
    count[count != known["sensor_dim"]] = 0
    of_contacts = known["sensor_type"] == SensorType.contact
    count[of_contacts] = known["sensor_dim"][of_contacts]
    return {"sensor_gridnum": count, "sensor_grid": grid}
