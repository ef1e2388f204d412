"""The plan of the kernels: what algorithms read has been computed before."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.codegen.context import plan as plans
from polybody.codegen.context.kernels import table
from polybody.codegen.physics import crba, energy, forward, integrate, ltl, sensor, sensors
from polybody.codegen.physics.kernels import INTEGRATORS, OF_INSTANT, RELATIONS, Kernel
from polybody.codegen.schema import SCHEMAS, Column, SchemaError, load, tables
from polybody.codegen.staging.columns import AXES
from polybody.codegen.staging.conditions import Conditions
from polybody.codegen.staging.emit import Library
from polybody.generated.kernels import layout

from tests.amounts import some

COLUMNS = [c for c in tables(load(SCHEMAS / "model.xsd")) if c.axis in AXES]


class Potential(sensor.Sensor):
    """A sensor of the recipe for sensors."""

    name, code, dim = "e_potential", 99, 1

    @classmethod
    def read(kind, m: Any, t: Any, z: Any) -> list[Any]:
        return [t.energy[0].first]


def planned(columns: Sequence[Column] = COLUMNS) -> plans.Plan:
    return plans.plan(columns, [table(c) for c in columns], Library())


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Only the integrator Euler, and no other kernels."""
    monkeypatch.setattr(plans, "KERNELS", ())
    monkeypatch.setattr(plans, "INTEGRATORS", INTEGRATORS[:1])
    return monkeypatch


def with_potential(patch: pytest.MonkeyPatch) -> None:
    every = [*sensors.SENSORS, Potential]
    patch.setattr(sensors, "SENSORS", every)
    patch.setattr(plans, "SENSORS", every)


def test_a_sensor_of_what_no_stage_computes(few: pytest.MonkeyPatch) -> None:
    with_potential(few)
    few.delitem(sensors.STAGES, "energy", raising=False)
    message = (
        r"the sensor e_potential reads energy, which nothing before has computed \(euler > .* > sensors, if "
        r"observes is 0 and .*opt_measures is 1\); only energy\(\) computes it"
    )
    with pytest.raises(SchemaError, match=message) as caught:
        planned()
    assert caught.value.place.path.name == "data.xsd"


def test_the_stages_of_a_sensor_follow_from_what_it_reads(few: pytest.MonkeyPatch) -> None:
    with_potential(few)
    few.setitem(sensors.STAGES, "energy", (energy.energy,))
    flag = next(c for c in COLUMNS if c.name == "opt_measures_poses")
    others = [c for c in COLUMNS if c.name != "opt_measures_energy"]
    columns = [*others, replace(flag, name="opt_measures_energy")]
    few.setattr(plans, "KERNELS", (Kernel(forward.forward),))
    found = planned(columns)
    assert found.sensors[Potential] == ("energy",)
    assert found.before["energy"] == ()
    assert {
        kind.code: stages for kind, stages in found.sensors.items()
    }.items() >= layout.SENSOR_STAGES.items()


def test_the_kernels_before_are_part_of_the_plan(few: pytest.MonkeyPatch) -> None:
    few.setattr(plans, "KERNELS", (Kernel(crba.mass_matrix), Kernel(ltl.factor, after=(crba.mass_matrix,))))
    assert list(planned().traces)[-1] is integrate.restore
    few.setattr(plans, "KERNELS", (Kernel(ltl.factor),))
    with pytest.raises(
        SchemaError, match=r"decompose\(\) reads qM, .*factor > decompose.*mass_matrix_placed"
    ):
        planned()


def test_every_algorithm_comes_after_those_that_it_calls(few: pytest.MonkeyPatch) -> None:
    seen: set[Any] = set()
    for f, machine in planned().traces.items():
        assert seen.issuperset(machine.called), f.__name__
        seen.add(f)
    assert {integrate.euler, integrate.drift, sensors.sensors} <= seen


def flow(algorithm: Any) -> list[str]:
    """The columns that an algorithm reads before they are computed."""
    machine = plans.traced(algorithm, [table(c) for c in COLUMNS], Library())
    found = plans.flow_of(COLUMNS, {algorithm.__name__: machine})
    return [x.column for x in found.missing(algorithm.__name__)]


def too_early(m: Any, t: Any) -> None:
    for i in m.dofs():
        t.qfrc_bias[i] = t.dof_load[i]
        t.dof_load[i] = t.qvel[i]


def from_another_row(m: Any, t: Any) -> None:
    for k in m.links():
        t.link_w[k] = t.link_w[t.link_parentid[k]]


def to_what_is_there(m: Any, t: Any) -> None:
    for i in m.dofs():
        t.qfrc_bias[i] += 1.0


def under_a_flag(m: Any, t: Any) -> None:
    for _ in m.when(t.opt_slopes[0] == 2):
        for i in m.dofs():
            t.qfrc_bias[i] = 1.0
    for _ in m.when(t.opt_slopes[0] > 1):
        for i in m.dofs():
            t.qfrc_passive[i] = t.qfrc_bias[i]
    for _ in m.when(t.opt_slopes[0] > 0):
        for i in m.dofs():
            t.qfrc_spring[i] = t.qfrc_bias[i]


def of_rows(m: Any, t: Any) -> None:
    for _ in m.when(t.opt_tendons[0] == 1):
        for f in m.rows_of("tendon"):
            t.ten_length[f] = 1.0
            t.dof_load[0] = 1.0
    for f in m.rows_of("tendon"):
        t.ten_velocity[f] = t.ten_length[f] + t.dof_load[0]


@pytest.mark.parametrize(
    ("algorithm", "columns"),
    [
        (too_early, ["dof_load"]),
        (from_another_row, []),
        (to_what_is_there, ["qfrc_bias"]),
        (under_a_flag, ["qfrc_bias"]),
        (of_rows, ["dof_load"]),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_is_read_before_it_is_computed(algorithm: Any, columns: list[str]) -> None:
    assert flow(algorithm) == columns


@pytest.mark.parametrize("seed", some(range(20), 5))
def test_conditions_are_those_of_logic(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = {"a": 2, "b": 3, "c": 2}
    c = Conditions(values)
    cases = [
        dict(zip(values, known, strict=True)) for known in itertools.product(*map(range, values.values()))
    ]

    def random() -> tuple[Any, list[bool]]:
        truth = rng.random(len(cases)) < rng.random()
        return c.where(frozenset(values), lambda known: bool(truth[cases.index(dict(known))])), truth.tolist()

    (x, p), (y, q) = random(), random()
    assert c.opposite(c.opposite(x)) is x
    assert c.either(x, y) is c.where(
        frozenset(values), lambda known: p[cases.index(dict(known))] or q[cases.index(dict(known))]
    )
    assert c.implies(x, y) == all(b or not a for a, b in zip(p, q, strict=True))
    if any(p):
        example = c.example(x)
        assert all(a for case, a in zip(cases, p, strict=True) if case.items() >= example.items())
    else:
        assert x is False


@pytest.mark.parametrize("integrator", [step.name for step in INTEGRATORS])
@pytest.mark.parametrize("sensor", ["gyro", "accelerometer", "force"])
def test_the_relations_hold_for_models(integrator: str, sensor: str, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(
        f"""<mujoco><option integrator="{integrator}"/><worldbody><body><joint/><geom size=".1"/>
        <site name="s"/></body></worldbody><sensor><{sensor} site="s"/></sensor></mujoco>""",
        encoding="utf-8",
    )
    model = pb.load(path)
    for each in (model, model.replace(dof_damping=np.ones(1)), model.replace(opt_density=1.0)):
        for names, holds in RELATIONS:
            assert holds(*(int(each.columns[name]) for name in names)), names
        instant = holds_of_instant(each)
        assert instant if sensor != "gyro" else int(each.columns["opt_measures"]) == 1


def holds_of_instant(model: pb.Model) -> bool:
    names, holds = OF_INSTANT
    return holds(*(int(model.columns[name]) for name in names))
