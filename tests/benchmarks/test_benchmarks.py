"""The benchmarks measure what they claim: valid documents, the same dynamics in all engines, honest
ratios.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import polybody
import pytest
from lxml import etree

from benchmarks import calls, growth, kernels, loading, peak, rows
from benchmarks.documents import x_xy
from benchmarks.engine import BATCH, FORWARD, INVERSE, MASS, STATES, STEP, Engine, random_states
from benchmarks.kernels import check, fastest
from benchmarks.models import load
from benchmarks.models.pinocchio_models import Coordinates
from benchmarks.ours.batch import Batch
from benchmarks.ours.loops import Loops, NativeLoops
from benchmarks.ours.specialised import ENTRIES, Lanes, Specialised
from benchmarks.peers import drake_peer, pinocchio_peer
from benchmarks.peers.dart_peer import Dart, DartWorker
from benchmarks.peers.mujoco_peer import MuJoCo
from benchmarks.peers.pinocchio_peer import Pinocchio
from benchmarks.peers.python_peer import Worker
from benchmarks.peers.rollout_peer import Rollout
from benchmarks.peers.tree import tree
from benchmarks.rows import Part, Row, compare, means, page, save

ROOT = Path(__file__).resolve().parents[2]
WORKS = (FORWARD, STEP, INVERSE, MASS)
BATCH_WORKS = (
    BATCH,
    f"{BATCH}, every step recorded",
    f"{BATCH}, float32",
    *(f"{BATCH}, {n} threads, {clock}" for clock in ("elapsed", "CPU time") for n in (1, 2)),
)


@pytest.mark.parametrize("elements", [5, 10, 11, 12, 100, 1000])
def test_documents_have_the_size_asked_for_and_no_finding(elements: int, tmp_path: Path) -> None:
    import polybody

    path = tmp_path / "model.xml"
    path.write_text(x_xy(elements), encoding="utf-8")
    assert sum(1 for _ in etree.parse(path).iter()) == elements
    assert polybody.check(path) == []


def test_a_row_is_made_of_paired_rounds(tmp_path: Path) -> None:
    row = compare("step", "loop", "arm", "peer", [1.0, 2.0, 4.0], [3.0, 4.0, 20.0], nv=7)
    assert (row.ours_us, row.peer_us, row.ratio) == (2.0, 4.0, 3.0)
    assert row.spread == pytest.approx((5.0 - 2.0) / 3.0)
    save([row], tmp_path / "rows.json")
    written = json.loads((tmp_path / "rows.json").read_text())[0]
    assert (written["ratio"], written["nv"]) == (3.0, 7)
    assert "| step | loop | arm | 7 | peer | 2 | 4 | 3.00 | 100% |" in page(
        [(Part("title", lambda arguments: [row]), [row])], "command"
    )


TIMED: dict[type[Engine], tuple[str, ...]] = {
    **dict.fromkeys((Loops, NativeLoops, Specialised, Lanes, MuJoCo), WORKS),
    Pinocchio: (*WORKS, *(f"{work}, native" for work in WORKS)),
    **dict.fromkeys((drake_peer.Drake, Dart), (FORWARD,)),
    Batch: BATCH_WORKS,
    Rollout: (BATCH,),
}
"""What each engine times, as described in the tests below and in its program."""


def test_rows_have_the_keys_and_values_that_readers_of_them_rely_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `python -m benchmarks.kernels --native --json OUT` writes, except for times, compared with
    docs/benchmarks.md.
    """

    def take(engine: Engine, model: Any, *others: object) -> None:
        engine.model = model

    def time(engine: Engine) -> dict[str, float]:
        large = isinstance(engine, Specialised) and engine.model.nM > ENTRIES
        return {work: 1.0 for work in TIMED[type(engine)] if not (work == MASS and large)}

    for kind in TIMED:
        monkeypatch.setattr(kind, "__init__", take)
        monkeypatch.setattr(kind, "measure", time)
        monkeypatch.setattr(kind, "accelerations", lambda engine: np.ones(1))
    monkeypatch.setattr(rows, "pin_to_one_core", lambda: None)
    out = tmp_path / "rows.json"
    monkeypatch.setattr(sys, "argv", ["kernels", "--native", "--json", str(out)])
    rows.main(kernels.PART, flags=kernels.FLAGS)
    written = json.loads(out.read_text(encoding="utf-8"))
    keys = ["work", "kernel", "model", "peer", "ours_us", "peer_us", "ratio", "spread", "nv"]
    assert all(list(row) == keys for row in written)
    assert {type(row[key]) for row in written for key in keys[:4]} == {str}
    assert {type(row[key]) for row in written for key in keys[4:8]} == {float}
    section = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8").split("\n## ")[1]
    shown = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    expected = [(work[2:], kernel, model, nv, peer) for work, kernel, model, nv, peer, *_ in shown]
    found = [(row["work"], row["kernel"], row["model"], str(row["nv"] or ""), row["peer"]) for row in written]
    assert found == expected


def test_means_are_geometric_and_of_all_models_or_none() -> None:
    rows = [
        Row("step", "loop", name, "peer", 1.0, ratio, ratio, 0.1, 7) for name, ratio in (("a", 2), ("b", 8))
    ]
    assert [row.ratio for row in means(rows, ("a", "b"))] == [pytest.approx(4.0)]
    assert means(rows, ("a", "b", "c")) == []


def test_of_variants_the_fastest_by_the_median_counts() -> None:
    times = [{"step, local": 3.0, "step, world": 1.0}, {"step, local": 2.0, "step, world": 9.0}]
    times.append({"step, local": 2.5, "step, world": 4.0})
    assert fastest(times, "step") == [3.0, 2.0, 2.5]
    assert fastest(times, "mass matrix") == []


@pytest.mark.parametrize("kind", [Specialised, Lanes, MuJoCo])
@pytest.mark.parametrize("name", ["iiwa", "half-cheetah"])
def test_timed_engines_compute_the_same(kind: type[Engine], name: str, tmp_path: Path) -> None:
    model = load(name)
    states = random_states(model)
    engines = [engine(model, states, tmp_path / engine.__name__) for engine in (Loops, kind)]
    for engine in engines:
        assert set(engine.measure()) == set(WORKS)
    ours, theirs = (engine.accelerations() for engine in engines)
    check(name, ours, theirs)
    with pytest.raises(AssertionError, match="differ"):
        check(name, ours, 1.001 * theirs)


def accelerations(name: str) -> tuple[object, tuple[np.ndarray, ...], np.ndarray]:
    """A model without armature, random states, and our accelerations for them."""
    from polybody import Data, forward

    model = load(name)
    model = model.replace(
        dof_armature=0 * model.dof_armature,
        dof_damping=0 * model.dof_damping,
        dof_stiffness=0 * model.dof_stiffness,
    )
    states = tuple(array[:4] for array in random_states(model))
    data, rows = Data(model), []
    for q, v, force in zip(*states, strict=True):
        data.qpos, data.qvel, data.qfrc_applied = q, v, force
        forward(model, data)
        rows.append(data.qacc.copy())
    return model, states, np.array(rows)


@pytest.mark.parametrize("worker", [drake_peer.DrakeWorker, DartWorker])
@pytest.mark.parametrize("name", ["panda", "half-cheetah", "humanoid", "talos"])
def test_engines_called_from_python_compute_the_same(worker: type[Worker], name: str) -> None:
    model, (qs, vs, forces), expected = accelerations(name)
    engine = worker(model)
    for q, v, force, qacc in zip(qs, vs, forces, expected, strict=True):
        engine.set(engine.put(q, v))
        engine.push(q, force)
        engine.solve()
        np.testing.assert_allclose(engine.acceleration(q, v), qacc, rtol=0, atol=1e-8 * abs(qacc).max())


@pytest.mark.parametrize("name", ["humanoid", "talos"])
def test_the_tree_for_pinocchio_computes_the_same(name: str) -> None:
    import pinocchio as pin

    model, (q, v, force), expected = accelerations(name)
    joints, robot = tree(model), pin.Model()
    robot.gravity.linear = model.opt_gravity
    kinds = {"free": lambda axis: pin.JointModelFreeFlyer(), "hinge": pin.JointModelRevoluteUnaligned}
    for i, joint in enumerate(joints):
        place = pin.SE3(joint.rotation, joint.translation)
        made = robot.addJoint(joint.parent, kinds[joint.kind](joint.axis), place, str(i))
        robot.appendBodyToJoint(made, pin.Inertia(*joint.load()), pin.SE3.Identity())
    there, data = Coordinates(model), robot.createData()
    states = zip(there.positions(q), there.velocities(q, v), there.forces(q, force), strict=True)
    theirs = np.array([pin.aba(robot, data, *state) for state in states])
    found = there.accelerations(q, v, theirs)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * abs(expected).max())
    assert len(pinocchio_peer.text(model).splitlines()) == 1 + len(joints)
    assert STATES == 64


def test_a_batch_and_rollout_take_the_same_steps(tmp_path: Path) -> None:
    model = load("half-cheetah")  # with springs and dampers
    states = random_states(model)
    engines = [kind(model, states, tmp_path / kind.__name__) for kind in (Batch, Rollout)]
    works = [list(engine.measure()) for engine in engines]
    assert works == [list(BATCH_WORKS), [BATCH]]
    ours, theirs = (engine.accelerations() for engine in engines)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * abs(theirs).max())


def test_growth_is_a_power_and_a_plot(tmp_path: Path) -> None:
    rows = [
        Row(STEP, kernel, f"chain of {n}", "peer", us * n**power, 1.0, 1.0, 0.0, n)
        for kernel, us, power in (("loop", 2.0, 1.0), ("specialized", 1.0, 1.5)) for n in (1, 100, 200, 1000)
    ]  # fmt: skip
    assert growth.exponent(rows) == pytest.approx(1.0)
    for name in ("a.svg", "b.svg"):
        growth.plot(rows, tmp_path / name)
    first, second = ((tmp_path / name).read_text() for name in ("a.svg", "b.svg"))
    assert first == second
    assert "polybody, specialized" in first
    assert len(first) < 100_000


def test_a_peak_is_measured_of_one_number_and_of_a_register(tmp_path: Path) -> None:
    rates = peak.peaks(tmp_path)
    assert set(rates) == {"scalar", "vector"}
    assert min(rates.values()) > 0


def test_a_page_has_a_section_a_part(tmp_path: Path) -> None:
    row = Row("step", "loop", "arm", "peer", 1.0, 2.0, 2.0, 0.1)
    parts = [
        (Part(title, lambda arguments: [row], note), [row]) for title, note in (("A", ""), ("B", "said"))
    ]
    text = page(parts, "python -m benchmarks")
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Benchmark results", "## A", "## B",
    ]  # fmt: skip
    assert "\nsaid\n" in text
    assert "| step | loop | arm |  | peer | 1 | 2 | 2.00 | 10% |" in text


@pytest.mark.parametrize("case", loading.CASES, ids=[case.model for case in loading.CASES])
def test_files_of_the_benchmark_of_loading_are_models(case: loading.Case, tmp_path: Path) -> None:
    model = polybody.load(case.write(tmp_path, 1))
    assert model.nbody > 15
    assert model.ngeom > 15 or "without shapes" in case.model


def test_single_calls_have_a_row_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sides are in the same state, which `sides` checks, and every call works."""
    called: list[object] = []

    def once(call: Any) -> float:
        called.append(call())
        return 1.0

    monkeypatch.setattr(calls, "microseconds", once)
    found = calls.measure(Namespace(quick=True, only=""))
    works = ["forward", "inverse"]
    for work in ("jacobian of a body", "mul_m", "solve_m", "energy"):
        works += [work, f"{work}, at other positions"]
    works += ["a simulation", "reset"]
    for model in calls.texts():
        assert [row.work for row in found if row.model == model and row.kernel == "loop"] == works
    assert [row.model for row in found if row.kernel == "batch"] == [
        model for model in calls.texts() if "humanoid" in model
    ]
    assert len(called) == 2 * 3 * len(found)


def test_calls_refuse_sides_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls.pb.Data, "set_state", lambda data, state: None)
    with pytest.raises(ValueError, match="accelerations differ by"):
        calls.sides(ROOT / "examples" / "humanoid.xml", calls.LATER)
