"""The plan of the kernels, from the traces of their algorithms: their order, what each of them reads and
writes, and on which stages of a step each sensor depends.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..physics.kernels import INTEGRATORS, KERNELS, OF_INSTANT, RELATIONS, RESTORE
from ..physics.sensor import Sensor
from ..physics.sensors import INSTANT, SENSORS, STAGES, flag, measure
from ..schema import Column, Kind, SchemaError
from ..staging.columns import Column as Table
from ..staging.conditions import Condition
from ..staging.emit import Emit, Library
from ..staging.flow import OPAQUE, Flow, Missing

Algorithm = Callable[..., None]
Trace = Callable[[Algorithm], Emit]
ACCELERATIONS = "accelerations"
"""The stage of sensors that depend on the accelerations of the instant."""


@dataclass(frozen=True)
class Plan:
    """The plan of the kernels.

    Attributes:
        traces: the trace of each algorithm, after those of all that it calls.
        flow: what they read and write.
        sensors: the stages on which each sensor depends.
        before: the other stages on which a stage depends.
    """

    traces: Mapping[Algorithm, Emit]
    flow: Flow
    sensors: Mapping[type[Sensor], tuple[str, ...]]
    before: Mapping[str, tuple[str, ...]]


def plan(columns: Sequence[Column], tables: Sequence[Table], library: Library) -> Plan:
    """The plan of all kernels.

    Raises:
        SchemaError: an algorithm or a sensor reads a column that nothing before it computes; or two
            algorithms have the same name.
    """
    steps = [step.kernel.algorithm for step in INTEGRATORS]
    roots = [*(kernel.algorithm for kernel in KERNELS), *steps, RESTORE.algorithm]
    traces = called(roots, lambda f: traced(f, tables, library))
    named = {f.__name__: f for f in traces}
    for f in traces:
        if named[f.__name__] is not f:
            twice = f"{f.__module__} and {named[f.__name__].__module__}"
            raise SchemaError(columns[0].place, f"two algorithms have the name {f.__name__}: in {twice}")
    flow = flow_of(columns, {f.__name__: machine for f, machine in traces.items()})
    places = {column.name: column for column in columns}
    stages, before = stages_of(flow, [f.__name__ for f in steps])
    sensors = instants(stages, flow)
    for stage, needed in before.items():
        needed = (*needed, ACCELERATIONS) if stage in late(flow) else needed
        flow.assume(flow.conditions.opposite(flow.set(flag(stage))), case(needed, flow))
    for names, holds in RELATIONS:
        if flow.conditions.values.keys() >= {*names}:
            flow.assume(flow.relate(names, holds))
    cases = {kind: case(found, flow) for kind, found in sensors.items()}
    runs = [flow.missing(k.name, [f.__name__ for f in k.after], cases) for k in (*KERNELS, RESTORE)]
    for step in INTEGRATORS:
        known = flow.conditions.is_value("opt_integrator", step.code)
        runs.append(flow.missing(step.kernel.name, (), cases, known))
    for missing in (x for found in runs for x in found):
        raise SchemaError(places[missing.column].place, message(missing, flow))
    return Plan(traces, flow, sensors, before)


def case(stages: Sequence[str], flow: Flow) -> Condition:
    """What is true of a Model with a sensor that depends on some stages."""
    known = flow.set(*(flag(stage) for stage in stages if stage != ACCELERATIONS))
    if ACCELERATIONS in stages:
        known = flow.conditions.both(known, flow.relate(*OF_INSTANT))
    return known


def called(roots: Iterable[Algorithm], trace: Trace) -> dict[Algorithm, Emit]:
    """The traces of algorithms and of all that they call, each after those that it calls itself."""
    found: dict[Algorithm, Emit] = {}

    def add(f: Algorithm) -> None:
        machine = trace(f)
        for g in machine.called:
            if g not in found:
                add(g)
        found[f] = machine

    for f in roots:
        if f not in found:
            add(f)
    return found


def traced(f: Algorithm, tables: Sequence[Table], library: Library) -> Emit:
    machine = Emit(tables, library)
    machine.trace(f, parameters(f))
    return machine


def parameters(f: Algorithm) -> tuple[str, ...]:
    """The names of the scalars that an algorithm gets."""
    return tuple(inspect.signature(f).parameters)[2:]


def flow_of(columns: Sequence[Column], traces: Mapping[str, Emit]) -> Flow:
    signals: dict[str, list[str]] = {}
    values: dict[str, Sequence[int]] = {}
    for column in columns:
        for axis in column.signals:
            signals.setdefault(axis, []).append(column.name)
        if column.axis == "one" and (column.values or column.kind is Kind.BOOL):
            values[column.name] = column.values or (0, 1)
    return Flow(
        {name: machine.top for name, machine in traces.items()},
        {column.name: column.axis for column in columns},
        {column.name for column in columns if column.role == "state" or column.kept},
        signals,
        values,
    )


def stages_of(
    flow: Flow, steps: Sequence[str]
) -> tuple[dict[type[Sensor], tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """For each sensor the stages without which a step would not compute what it reads; and the same for each
    stage, with those that these depend on. Of several, the first one.
    """
    missing = [x for name in steps for x in flow.missing(name)]
    of_sensor: dict[type[Sensor], list[Missing]] = {kind: [] for kind in SENSORS}
    of_stage: dict[str, list[Missing]] = {stage: [] for stage in STAGES}
    homes = {f.__name__: stage for stage, algorithms in STAGES.items() for f in algorithms}
    for x in missing:
        kind = next((kind for kind in x.cases if kind in of_sensor), None)
        if kind is not None:
            of_sensor[kind].append(x)
        elif measure.__name__ in x.path and (stage := homes.get(x.path[x.path.index(measure.__name__) + 1])):
            of_stage[stage].append(x)
    before: dict[str, tuple[str, ...]] = {}
    for stage, found in of_stage.items():
        own = {name for x in found for name in supplying(x, found, flow)}
        before[stage] = ordered(own.union(*(before[name] for name in own)))
    sensors = {
        kind: ordered({name for x in found for name in supplying(x, found, flow)})
        for kind, found in of_sensor.items()
    }
    return sensors, before


def supplying(missing: Missing, others: Sequence[Missing], flow: Flow) -> list[str]:
    """The first stage that computes a missing column wherever it is missing."""
    same = [x for x in others if x.column == missing.column]
    for stage in STAGES:
        known = flow.set(flag(stage))
        if all(flow.conditions.implies(flow.conditions.both(x.read, known), x.computed) for x in same):
            return [stage]
    return []


def ordered(stages: Iterable[str]) -> tuple[str, ...]:
    return tuple(stage for stage in STAGES if stage in stages)


def instants(
    stages: Mapping[type[Sensor], tuple[str, ...]], flow: Flow
) -> dict[type[Sensor], tuple[str, ...]]:
    """The stages of sensors, with that of accelerations."""
    return {
        kind: (*found, ACCELERATIONS)
        if INSTANT in flow.reads_of_case(kind) or not late(flow).isdisjoint(found)
        else found
        for kind, found in stages.items()
    }


def late(flow: Flow) -> set[str]:
    """The stages that depend on the accelerations of the instant."""
    return {
        stage
        for stage, algorithms in STAGES.items()
        if any(INSTANT in flow.reads[f.__name__] for f in algorithms)
    }


def message(missing: Missing, flow: Flow) -> str:
    """What to change."""
    kind = next((kind for kind in missing.cases if isinstance(kind, type) and issubclass(kind, Sensor)), None)
    reader = f"the sensor {kind.name}" if kind else f"{missing.path[-1]}()"
    writers = [name for name, columns in flow.writes.items() if missing.column in columns]
    writers += [name for name, stage in OPAQUE.items() if missing.column in stage.writes]
    who = " or ".join(f"{name}()" for name in writers) or "nothing"
    wrong = flow.conditions.both(missing.read, flow.conditions.opposite(missing.computed))
    known = " and ".join(f"{name} is {n}" for name, n in flow.example(wrong).items())
    where = f"{' > '.join(missing.path)}{f', if {known}' if known else ''}"
    advice = f"only {who} computes it" if writers else "nothing computes it"
    if kind:
        advice += "; a row of STAGES in codegen/physics/sensors.py makes a step call it"
    return f"{reader} reads {missing.column}, which nothing before has computed ({where}); {advice}"
