"""Sensors: the objects that they are attached to, and their columns."""

from __future__ import annotations

import numpy as np
from polybody.assembly.columns import DOUBLE, INTEGER, Array, Columns
from polybody.generated.formats.mjcf import (
    ContactChoice,
    ContactData,
    GeomType,
    JointType,
    RayData,
    SensorData,
    SensorStage,
)
from polybody.lowering.mjcf.codes import APART, FRAMED, OBJECTS, SENSORS, UNKNOWN, code
from polybody.lowering.mjcf.columns import Field, gather, users
from polybody.lowering.mjcf.elements import Element
from polybody.lowering.mjcf.histories import history, interval
from polybody.lowering.mjcf.joints import SCALAR
from polybody.lowering.mjcf.numbering import Numbered, of_lists
from polybody.lowering.mjcf.plugin_use import Use
from polybody.lowering.mjcf.plugins import resolve
from polybody.lowering.mjcf.values import form, since
from polybody.model.servos import TURNS
from polybody.plugins import TouchGrid

SENSOR: tuple[Field, ...] = (
    ("sensor_objtype", "objtype", 0, INTEGER),
    ("sensor_objid", "objid", 0, INTEGER),
    ("sensor_reftype", "reftype", 0, INTEGER),
    ("sensor_refid", "refid", 0, INTEGER),
    ("sensor_type", "code", 0, INTEGER),
    ("sensor_datatype", "datatype", 0, INTEGER),
    ("sensor_needstage", "needstage", 0, INTEGER),
    ("sensor_dim", "dim", 0, INTEGER),
    ("sensor_cutoff", "cutoff", 0, DOUBLE),
    ("sensor_noise", "noise", 0, DOUBLE),
)
PAST: tuple[Field, ...] = (
    ("sensor_history", "history", 2, INTEGER),
    ("sensor_delay", "delay", 0, DOUBLE),
    ("sensor_interval", "interval", 2, DOUBLE),
)
"""Of releases with delays."""
SPATIAL = ("body", "xbody", "geom", "site", "camera")
"""Objects with a frame."""
SCALARS = ("jointpos", "jointvel", "jointactuatorfrc")
BALLS = ("ballquat", "ballangvel")
LIMITS = (
    "jointlimitpos",
    "jointlimitvel",
    "jointlimitfrc",
    "tendonlimitpos",
    "tendonlimitvel",
    "tendonlimitfrc",
)
WIDTHS = {SensorData.AXIS: 3, SensorData.QUATERNION: 4}
OF_CONTACTS = dict(zip(ContactData, (1, 3, 3, 1, 3, 3, 3, 3, 3), strict=True))
"""The quantities of a contact, in the order of their bits, with their numbers of values."""
OF_RAYS = dict(zip(RayData, (1, 3, 3, 3, 3, 1), strict=True))
"""The same of a ray."""
MOST = 2**31 - 1
"""Numbers of values of a sensor that are greater are refused as this one."""
TAXEL = 3
"""Number of values of a tactile sensor for each vertex of its mesh."""
FORCES = (ContactData.FORCE, ContactData.TORQUE)
VELOCITIES = (ContactData.LINVEL, ContactData.ANGVEL)


def compile_sensor(numbered: Numbered, sensor: Element) -> None:
    """Resolve the object of a sensor, and its output."""
    values, row = sensor.values, SENSORS[sensor.values["tag"]]
    references = values["references"]
    found = [numbered.resolve(sensor, reference) for reference in references]
    if row.object is not None and len(found) < (2 if row.object == APART else 1):
        numbered.problems.add(sensor.node, f"<{values['tag']}> has no target")
    values["objects"] = found
    kinds = [OBJECTS[reference.kind] for reference in references]
    if values["of_second"]:
        values["objects"], kinds = [None, *found], [UNKNOWN, *kinds]
    values["objtype"], values["reftype"] = (*kinds, UNKNOWN, UNKNOWN)[:2]
    values["code"], values["intprm"] = row.code, (0, 0, 0)
    data = row.data or values.get("datatype") or SensorData.REAL
    stage = row.stage or values.get("needstage") or SENSORS["touch"].stage
    values["dim"] = values.get("dim") or 0 if row.dim is None else row.dim
    if row.object == "actuator" and found and found[0] is not None:
        values["dim"] = TURNS if found[0].values["gaintype"].value == "so3" else 1
    if values["tag"] == "contact":
        stage = _of_contacts(numbered, sensor)
    elif values["tag"] == "rangefinder":
        data = _of_rays(numbered, sensor, data)
    elif values["tag"] == "distance" and form().version != form().releases[0]:
        data = SensorData.REAL  # it may be negative
    elif values.get("enclosed"):
        values["intprm"], data = (1, 0, 0), SensorData.REAL
    if isinstance(values["plugin"], Use):
        values["dim"], stage = _of_plugin(numbered, sensor, values["plugin"])
    values |= {"history": history(values), "interval": interval(values), "delay": values.get("delay", 0.0)}
    values["datatype"], values["needstage"] = code(data), code(stage)  # type: ignore[arg-type]
    _check(numbered, sensor, found)
    if values["tag"] == "user":
        message = (
            "a <user> sensor requires a callback, which is not supported; without one it "
            "measures 0, as in MuJoCo"
        )
        numbered.problems.remark(sensor.node, message)
    if values["cutoff"] > 0 and data in WIDTHS and values["tag"] != "normal":
        numbered.problems.add(
            sensor.node, f"`cutoff` is not allowed for a sensor that measures an {data.value}", "cutoff"
        )
    if row.dim is None and data in WIDTHS and values["dim"] != WIDTHS[data]:
        message = f"`dim` is {values['dim']}; `datatype` `{data.value}` requires {WIDTHS[data]}"
        numbered.problems.add(sensor.node, message, "dim")
    for name in ("noise", "cutoff"):
        if values[name] < 0:
            numbered.problems.add(sensor.node, f"`{name}` must not be negative", name)


def _of_contacts(numbered: Numbered, sensor: Element) -> SensorStage:
    """Set what a contact sensor measures; the stage that has to be computed before."""
    values = sensor.values
    data, number = values.get("data") or (ContactData.FOUND,), values.get("num", 1)
    reduce = values.get("reduce") or ContactChoice.NONE
    which = list(ContactChoice).index(reduce)
    values["intprm"] = (sum(1 << list(OF_CONTACTS).index(word) for word in data), which, number)
    values["dim"] = min(number * sum(OF_CONTACTS[word] for word in data), MOST)
    forced = reduce in (ContactChoice.MAXFORCE, ContactChoice.NETFORCE)
    if forced or not set(FORCES).isdisjoint(data):
        return SensorStage.ACC
    return SensorStage.VEL if not set(VELOCITIES).isdisjoint(data) else SensorStage.POS


def _of_rays(numbered: Numbered, sensor: Element, data: SensorData) -> SensorData:
    """Set what a rangefinder measures; the type of its values. As of MuJoCo 3.2.7, they are not negative."""
    values = sensor.values
    asked = values.get("data") or (RayData.DIST,)
    values["dim"], camera = sum(OF_RAYS[word] for word in asked), values["objects"][0]
    if values["objtype"] == OBJECTS["camera"] and camera is not None:  # a ray for each pixel
        width, height = camera.values["resolution"]
        values["dim"] = min(values["dim"] * max(width, 0) * max(height, 0), MOST)
    if form().version == form().releases[0]:
        return data
    values["intprm"] = (sum(1 << list(OF_RAYS).index(word) for word in asked), 0, 0)
    return SensorData.REAL


def _of_plugin(numbered: Numbered, sensor: Element, used: Use) -> tuple[int, SensorStage]:
    """The number of values of a plugin's sensor, and the stage that has to be computed before."""
    found = resolve(numbered, used, "sensor")
    if found is None or any(found[1].problems(found[0].values["config"])):
        return 0, SensorStage.ACC  # reported
    instance, plugin = found
    if isinstance(plugin, TouchGrid) and sensor.values["objtype"] != OBJECTS["site"]:
        numbered.problems.add(sensor.node, f"{plugin.name} must be attached to a site", "objtype")
    return plugin.dim(instance.values["config"]), SensorStage(plugin.stage)


def _check(numbered: Numbered, sensor: Element, found: list[Element | None]) -> None:
    """Check that a sensor is attached to an object that it can measure."""
    tag, references = sensor.values["tag"], sensor.values["references"]
    first = found[0] if found else None
    fault = ""
    if tag != "contact" and (SENSORS[tag].object == FRAMED or len(references) > 1):
        kinds = [reference.kind for reference in references[SENSORS[tag].object != FRAMED :]]
        if any(kind not in SPATIAL for kind in kinds):
            fault = "only bodies, geoms, sites and cameras have frames"
    if first is None or fault:
        pass
    elif tag in SCALARS and first.values["type"] not in SCALAR:
        fault = f"<{tag}> requires a hinge or a slide"
    elif tag in BALLS and first.values["type"] is not JointType.BALL:
        fault = f"<{tag}> requires a ball joint"
    elif tag in LIMITS and not first.values["is_limited"]:
        fault = f"the {first.kind} `{first.name}` is not limited"
    elif tag == "rangefinder" and first.kind == "camera" and _unresolved(first):
        fault = f"the camera `{first.name}` has no resolution"
    elif tag == "camprojection" and found[1] is not None and _unresolved(found[1]):
        fault = f"the camera `{found[1].name}` has no resolution"
    elif SENSORS[tag].object == APART:
        if len(found) > 1 and first is found[1] and references[0].kind == references[1].kind:
            fault = "the two objects are the same"
        elif any(o is not None and o.values.get("type") is GeomType.HFIELD for o in found):
            fault = "distances to height fields are not supported"
    if fault:
        numbered.problems.add(sensor.node, fault)


def _unresolved(camera: Element) -> bool:
    """Whether a camera has no resolution: it is 0, or as of MuJoCo 4.0 negative."""
    return 0 in camera.values["resolution"] or (since("4.0") and min(camera.values["resolution"]) < 0)


@of_lists("sensor")
def sensor_columns(numbered: Numbered, vertices: Array) -> Columns:
    """The columns of sensors, given the numbers of vertices of meshes."""
    sensors = numbered.spec.lists["sensor"]
    for sensor in sensors:
        ids = [-1 if found is None else found.id for found in sensor.values["objects"]]
        sensor.values["objid"], sensor.values["refid"] = (*ids, -1, -1)[:2]
        if sensor.values["tag"] == "tactile" and 0 <= ids[0] < len(vertices):
            sensor.values["dim"] = TAXEL * int(vertices[ids[0]])
    columns = gather(sensors, SENSOR)
    if any(any(sensor.values["intprm"]) for sensor in sensors):
        columns |= gather(sensors, (("sensor_intprm", "intprm", 3, INTEGER),))
    if any(sensor.values["history"][0] or sensor.values["interval"][0] for sensor in sensors):
        columns |= gather(sensors, PAST)
    dim = columns["sensor_dim"]
    columns["sensor_adr"] = (np.cumsum(dim) - dim).astype(INTEGER)
    columns["sensor_user"] = users(sensors, numbered.widths["sensor"])
    return columns
