"""Sensors: one text gives the same numbers when run, in loops and in straight-line code, for one state and
for several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from polybody.codegen.context.kernels import check_sensors
from polybody.codegen.physics import forward, integrate, sensor, sensors
from polybody.codegen.physics.frames import FRAMES
from polybody.codegen.schema import SCHEMAS, SchemaError, load, physics
from polybody.codegen.schema.releases import at_release
from polybody.codegen.specialised import Request
from polybody.codegen.specialised.program import executed
from polybody.generated.kernels import dynamics, layout
from polybody.model.measuring import needed

from benchmarks.ours.reference import Reference
from tests.amounts import some

from .graphs import compiled
from .tendons import PATHS, with_tendons
from .test_machines import close
from .trees import CODES, Array, Body, columns, random_state, random_tree, unit, with_controls

NSITE, NGEOM, NCAM, NU = 6, 4, 5, 3
OPTIONS = {"armature": 0.2, "damping": 0.5, "stiffness": 4.0, "timestep": 0.01}
STAGES = [name for name, *_ in layout.GIVEN if name.startswith("opt_measures_")]
STAGES.remove("opt_measures_geoms")
MEASURED = [kind for kind in sensors.SENSORS if not issubclass(kind, sensors.OfGeoms)]
"""Sensors except those of hand-written functions."""
KINDS = {kind.name: kind for kind in MEASURED}


def model(
    seed: int, integrator: int = 0, measures: int = 1, kinds: Sequence[type[sensor.Sensor]] = MEASURED
) -> dict[str, Array]:
    """The columns of a random tree with a ball, a hinge, a mocap body, and sensors."""
    rng = np.random.default_rng(seed)
    trees = (random_tree(s, 8) for s in range(100 * seed, 100 * seed + 1000))
    wanted = {"ball", "hinge"}
    tree = next(b for b in trees if wanted <= {j.type for body in b for j in body.joints})
    c = columns([*tree, Body(0)], seed, integrator=integrator, **OPTIONS)
    c["body_mocapid"][-1] = c["body_mocaprootid"][-1] = 0
    c["nmocap"] = np.array(1, np.int32)
    c["opt_magnetic"] = rng.normal(size=(1, 3))
    nbody = len(tree) + 2
    for axis, count in (("site", NSITE), ("geom", NGEOM), ("cam", NCAM)):
        grow(c, axis, count)
        c[f"{axis}_bodyid"][...] = rng.permutation(np.resize(np.arange(nbody), max(count, nbody)))[:count]
        c[f"{axis}_pos"][...] = rng.normal(size=(count, 3))
        c[f"{axis}_quat"][...] = [unit(q) for q in rng.normal(size=(count, 4))]
    c["site_bodyid"][0] = nbody - 1  # the mocap body
    c["site_type"][...], c["site_size"][...] = 2 + np.arange(NSITE) % 5, rng.uniform(2, 9, (NSITE, 3))
    c["cam_mode"][...] = np.arange(NCAM)
    c["cam_targetbodyid"][...] = 1
    c["cam_mat0"][...] = np.eye(3).reshape(-1)
    for name in ("cam_pos0", "cam_poscom0"):
        c[name][...] = rng.normal(size=(NCAM, 3))
    for name in ("cam_focal", "cam_centre"):
        c[name][...] = 100 + rng.random((NCAM, 2))
    with_actuators(c, rng)
    with_tendons(c, rng)
    with_sensors(c, rng, kinds)
    c["opt_measures"][...] = measures
    for name in STAGES:
        c[name][...] = 1
    return c


def grow(c: dict[str, Array], axis: str, count: int) -> None:
    """Extend an axis to a number of rows, filled with zeros."""
    for name, own, base, shape in layout.GIVEN:
        if own == axis:
            c[name] = np.zeros((count, *shape), layout.DTYPES[base])


def with_actuators(c: dict[str, Array], rng: np.random.Generator) -> None:
    """Servos of joints."""
    grow(c, "actuator", NU)
    c["actuator_target"][...] = rng.integers(len(c["jnt_type"]), size=NU)
    c["actuator_gear"][...] = rng.normal(size=(NU, 6))
    c["actuator_acts"][...] = 1
    for name in ("act", "adhesion", "integral", "previous"):  # it has none
        c[f"actuator_{name}"][...] = -1
    with_controls(c)
    c["actuator_gainprm"][:, 0], c["actuator_biasprm"][:, :3] = 3.0, rng.normal(size=(NU, 3))
    c["actuator_biastype"][...] = 1


def with_sensors(
    c: dict[str, Array], rng: np.random.Generator, kinds: Sequence[type[sensor.Sensor]]
) -> None:
    """Sensors of some kinds; frame sensors of every object with a frame, relative to every such object."""
    counts = {"site": NSITE, "geom": NGEOM, "cam": NCAM, "body": len(c["body_parentid"]), "actuator": NU}
    counts["tendon"] = len(PATHS)
    joints = {name: np.flatnonzero(c["jnt_type"] == CODES[name]) for name in ("ball", "hinge")}
    rows: list[tuple[int, int, int, int, int]] = []
    for kind in kinds:
        for frame, other in pairs(kind):
            row = -1
            if kind.object in ("jnt", "ball"):
                row = int(rng.choice(joints["ball" if kind.object == "ball" else "hinge"]))
            elif kind.object:
                row = int(rng.integers(counts[frame.axis if kind.object == "frame" else kind.object]))
            against = -1
            if other is not None:
                against = int(rng.integers(counts[other.axis]))
            elif kind.reference in ("cam", "site"):
                against = int(rng.integers(counts[kind.reference]))
            rows.append((kind.code, frame.code, row, other.code if other else 0, against))
    grow(c, "sensor", len(rows))
    table = np.array(rows, np.int32)
    for n, name in enumerate(("type", "objtype", "objid", "reftype", "refid")):
        c[f"sensor_{name}"][...] = table[:, n]
    dim = np.array([next(k.dim for k in MEASURED if k.code == code) for code in table[:, 0]])
    c["sensor_adr"][...] = np.cumsum(dim) - dim
    c["sensor_cutoff"][...] = np.where(rng.random(len(rows)) < 0.3, 0.2, 0.0)
    c["nsensordata"] = np.array(dim.sum(), np.int32)


def pairs(kind: type[sensor.Sensor]) -> list[tuple[Any, Any]]:
    """Frames with which a sensor is tested: the measured one and the reference."""
    if kind.object != "frame":
        return [(FRAMES[0], None)]
    if kind.reference != "frame":
        return [(frame, None) for frame in FRAMES]
    return [(frame, other) for n, frame in enumerate(FRAMES) for other in (None, FRAMES[n - 2])]


def state(c: dict[str, Array], seed: int) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    return random_state(c, rng, 0.3) | {
        "time": np.array([0.7]),
        "ctrl": rng.normal(size=NU),
        "mocap_pos": rng.normal(size=(1, 3)),
        "mocap_quat": rng.normal(size=(1, 4)),
        "xfrc_applied": rng.normal(size=(len(c["body_parentid"]), 6)),
    }


def measured(c: dict[str, Array], given: dict[str, Array], algorithm: Any) -> Array:
    """Results of the reference machine."""
    reference = Reference(c)
    for column, x in given.items():
        reference.data[column][...] = x
    reference.data["external_acts"][...] = 1
    reference.call(algorithm)
    found: Array = reference.data["sensordata"]
    return found


@pytest.mark.parametrize("seed", some(range(6), 2))
def test_the_loops_are_the_reference(seed: int) -> None:
    c = model(seed)
    kernel, given = layout.KernelModel(c), state(c, seed)
    data = layout.KernelData(kernel)
    for column, x in given.items():
        data.array(column)[...] = x
    dynamics.forward(kernel, data)
    expected = measured(c, given, forward.forward)
    assert close(data.array("sensordata"), expected)
    assert np.count_nonzero(expected) > 0.8 * len(expected)


@pytest.mark.parametrize(("integrator", "measures"), [(0, 1), (0, 2), (1, 1)])
@pytest.mark.parametrize("seed", some(range(6), 2))
def test_steps_measure_before_they_move(seed: int, integrator: int, measures: int) -> None:
    """A step measures what forward() does: with its own accelerations, or with explicit ones."""
    c = model(seed, integrator, measures)
    kernel, given = layout.KernelModel(c), state(c, seed)
    data = layout.KernelData(kernel)
    for column, x in given.items():
        data.array(column)[...] = x
    assert dynamics.step(kernel, data, 1) == 1
    stepped = data.array("sensordata").copy()
    assert close(stepped, measured(c, given, integrate.rk4 if integrator else integrate.euler))
    for column, x in given.items():
        data.array(column)[...] = x
    dynamics.forward(kernel, data)
    same = np.isclose(stepped, data.array("sensordata"), rtol=1e-10, atol=1e-10)
    explicit = integrator == 1 or measures == 2
    assert same.all() == explicit
    if not explicit:
        kinds = {int(c["sensor_type"][z]) for z in apart(c, ~same)}
        names = ("accelerometer", "force", "torque", "framelinacc", "frameangacc")
        assert kinds <= {KINDS[name].code for name in names}


@pytest.mark.parametrize("kind", MEASURED, ids=lambda kind: kind.name)
def test_a_step_computes_what_a_sensor_depends_on(kind: type[sensor.Sensor]) -> None:
    """With only the stages that the class of a sensor names, it measures the same as with all stages."""
    c = model(0, measures=2, kinds=[kind])
    given, objects = state(c, 0), [*c["sensor_objtype"], *c["sensor_reftype"]]
    expected = measured(c, given, integrate.euler)
    stages = needed([kind.code], objects)
    for name in STAGES:
        c[name][...] = name.removeprefix("opt_measures_") in stages
    c["opt_measures"][...] = 2 if "accelerations" in stages else 1
    data = layout.KernelData(layout.KernelModel(c))
    for column, x in given.items():
        data.array(column)[...] = x
    assert dynamics.step(data.model, data, 1) == 1
    assert close(data.array("sensordata"), expected)


def apart(c: dict[str, Array], numbers: Array) -> set[int]:
    """The sensors to which some numbers belong."""
    return {int(np.searchsorted(c["sensor_adr"], n, side="right")) - 1 for n in np.flatnonzero(numbers)}


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("seed", some(range(3), 1))
def test_straight_line_code_is_the_reference(seed: int, lanes: int, tmp_path: Path) -> None:
    c = model(seed, measures=2)
    kernel = layout.KernelModel(c)
    request = Request(("step",), lanes=lanes, results=("sensordata",), external=True)
    found = executed(integrate.euler, c, layout.VALUES, request).results("sensordata")
    outputs = {"sensordata": [found[n] for n in range(len(found))]}
    program = compiled(outputs, kernel.sizes, request, tmp_path)
    entry, _ = program.kernels["f"]
    states = [state(c, 10 * seed + k) for k in range(lanes)]
    block = {
        column: np.stack([np.reshape(s.get(column, np.zeros(size)), -1) for s in states], axis=1).copy()
        for column, size in zip(entry.columns, entry.sizes, strict=True)
    }
    program.call("f", block)
    for lane, given in enumerate(states):
        assert close(block["sensordata"][:, lane], measured(c, given, integrate.euler), 1e-10)


BAD = {
    "a row beyond the last": ("sensor_objid", "gyro", NSITE, "which cannot be measured by gyro"),
    "no row": ("sensor_objid", "framepos", -1, "which cannot be measured by framepos"),
    "a type without frames": ("sensor_objtype", "framepos", 3, "which cannot be measured by framepos"),
    "a reference beyond the last": (
        "sensor_refid",
        "camprojection",
        NCAM,
        "cannot be measured by camprojection",
    ),
    "no camera": ("sensor_refid", "camprojection", -1, "cannot be measured by camprojection"),
    "another joint": ("sensor_objid", "ballquat", "hinge", "not a ball joint"),
    "numbers before the first": ("sensor_adr", "clock", -1, "has numbers from -1 on"),
    "numbers beyond the last": ("sensor_adr", "force", "last", "has numbers from"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_columns(name: str) -> None:
    column, word, value, message = BAD[name]
    c = model(0)
    if value == "hinge":
        value = int(np.flatnonzero(c["jnt_type"] == CODES["hinge"])[0])
    elif value == "last":
        value = int(c["nsensordata"]) - 2
    c[column][np.flatnonzero(c["sensor_type"] == KINDS[word].code)[0]] = value
    with pytest.raises(ValueError, match=message):
        layout.KernelModel(c)


@pytest.mark.parametrize(("name", "code", "message"), [("gyro", 99, "differ in code"), ("yaw", 3, "no row")])
def test_classes_are_rows_of_the_vocabulary(name: str, code: int, message: str) -> None:
    rows = [replace(r, name=name, code=code) if r.name == "gyro" else r for r in physics().sensors]
    with pytest.raises(SchemaError, match=message):
        check_sensors(rows)


NAMES = {"jnt": "joint", "ball": "joint", "cam": "camera"}


def test_classes_agree_with_the_elements_of_mjcf() -> None:
    """Their objects are those to which the elements of the format refer."""
    schema = at_release(load(SCHEMAS / "mjcf.xsd"), "4.0")
    elements = {element.key: element for element in schema.elements}
    parent = next(e for e in schema.elements if e.tag == "sensor" and e.children)
    known = {kind.name: kind for kind in sensors.SENSORS}
    seen = {child.tag for child in parent.children}
    assert seen >= {*known, "user", "include"}
    assert seen - {*known} <= {"user", "include", "tactile"}
    for child in parent.children:
        kind = known.get(child.tag)
        if kind is None or not kind.dim:
            continue
        attributes = {a.name: a for a in elements[child.element].attributes}
        refers = {word for a in attributes.values() for word in a.meaning.refers}
        if kind.object == sensor.FRAME:
            assert "objtype" in attributes
            assert ("reftype" in attributes) == (kind.reference == sensor.FRAME)
        elif kind.object == sensor.SHAPES:
            assert kind.reference == sensor.SHAPES
            assert {"geom1", "body1", "geom2", "body2"} <= attributes.keys()
        else:
            assert refers == {NAMES.get(x, x) for x in (kind.object, kind.reference) if x}, child.tag
