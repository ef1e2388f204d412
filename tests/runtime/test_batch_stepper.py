"""Batches: the same numbers as single simulations, regardless of other instances; views, reset,
parameters.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest

from tests.runtime.batches import COUNTS, rail, started, states
from tests.runtime.models import everything, pendulum

# --- the same numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize("n", COUNTS)
def test_like_single_simulations(width: str, n: int) -> None:
    batch = started(n)
    batch.step(100)
    for i in range(n):
        sim = pb.Stepper(rail(), kernels="loop")
        for name, values in zip(("qpos", "qvel", "qfrc_applied"), states(n), strict=True):
            setattr(sim.data, name, values[i])
        sim.step(100)
        for name in ("qpos", "qvel", "qacc"):
            np.testing.assert_allclose(
                getattr(batch, name)[i], getattr(sim.data, name), rtol=1e-12, atol=1e-14
            )
        assert batch.time[i] == sim.data.time


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_same_bits_for_every_number_place_and_thread(width: str, threads: int) -> None:
    alone = [started(1 + i) for i in range(33)]
    for batch in alone:
        batch.step(50)
    expected = np.array([batch.get_state()[-1] for batch in alone])
    for n in COUNTS:
        batch = started(n, threads=threads)
        batch.step(50)
        assert batch.get_state().tobytes() == expected[:n].tobytes()
        turned = started(n, threads=threads)
        for name, values in zip(("qpos", "qvel", "qfrc_applied"), states(n), strict=True):
            setattr(turned, name, values[::-1])
        for _ in range(25):
            turned.step(2)
        assert turned.get_state()[::-1].tobytes() == expected[:n].tobytes()


def test_every_joint_by_the_loop_kernels() -> None:
    model = everything()
    batch = pb.BatchStepper(model, 5, threads=2, kernels="loop")
    _, qvel, force = states(5, model.nq, model.nv)
    batch.qvel, batch.qfrc_applied = qvel, force
    batch.step(40)
    for i in range(5):
        sim = pb.Stepper(model, kernels="loop")
        sim.data.qvel, sim.data.qfrc_applied = qvel[i], force[i]
        sim.step(40)
        assert batch.get_state()[i].tobytes() == sim.data.get_state().tobytes()
        assert batch.instance(i).get_state().tobytes() == sim.data.get_state().tobytes()


def test_single_precision(width: str) -> None:
    single, double = started(9, precision="float32"), started(9)
    for batch in (single, double):
        batch.step(100)
    assert single.qpos.dtype == single.qvel.dtype == np.float32
    assert single.time.dtype == np.float64
    assert single.time.tobytes() == double.time.tobytes()
    assert 0 < np.abs(single.qpos - double.qpos).max() < 1e-4
    assert single.get_state().dtype == np.float64


@pytest.mark.parametrize("seed", range(5))
def test_whatever_is_done_to_it(width: str, seed: int) -> None:
    """A batch, and its instances in batches of their own, through the same random calls."""
    random = np.random.default_rng(seed)
    n, model = 11, rail(stiffness=400.0, timestep=0.1)  # a step that is too long for some forces
    together = pb.BatchStepper(model, n, threads=2)
    alone = [pb.BatchStepper(model, 1) for _ in range(n)]
    for _ in range(40):
        rows = np.flatnonzero(random.random(n) < 0.3)
        match random.integers(6):
            case 0:
                values = random.normal(size=(n, 1)) * 10.0 ** random.integers(0, 200)
                together.qpos[rows] = values[rows]
                for i in rows:
                    alone[i].qpos = values[i]
            case 1:
                together.qfrc_applied[rows] = np.inf
                for i in rows:
                    alone[i].qfrc_applied = np.inf
            case 2:
                together.reset(rows, qvel=[0.5])
                for i in rows:
                    alone[i].reset(qvel=[0.5])
            case 3:
                together.failed[rows] = False
                for i in rows:
                    alone[i].failed = False
            case _:
                steps, every = int(random.integers(60)), int(random.integers(1, 20))
                out = together.step(steps, every=every)
                for i in range(n):
                    own = alone[i].step(steps, every=every)
                    assert out is not None
                    assert own is not None
                    for name, values in out.items():
                        assert values[:, i : i + 1].tobytes() == own[name].tobytes()
        assert together.get_state().tobytes() == np.concatenate([b.get_state() for b in alone]).tobytes()
        assert together.failed.tolist() == [bool(b.failed[0]) for b in alone]


# --- views -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", COUNTS)
def test_columns_are_views_of_the_usual_shape(width: str, n: int) -> None:
    batch = pb.BatchStepper(rail(), n)
    for name in ("qpos", "qvel", "qacc", "qfrc_applied"):
        view = getattr(batch, name)
        assert isinstance(view, np.ndarray)
        assert view.shape == (n, 1)
        view[n - 1] = 7.0
        assert getattr(batch, name)[n - 1, 0] == 7.0
    assert batch.time.shape == batch.failed.shape == (n,)
    kept = batch.qpos
    batch.qvel[:] = 1.0
    batch.step(3)
    assert kept[0, 0] == batch.qpos[0, 0] != 0.0


def test_writing_whole_columns() -> None:
    batch = pb.BatchStepper(pendulum(), 3, kernels="loop")
    batch.qpos = 0.5
    assert batch.qpos.tolist() == [[0.5]] * 3
    batch.qpos = [0.25]
    assert batch.qpos.tolist() == [[0.25]] * 3
    batch.qpos = [[1], [2], [3]]
    assert batch.qpos.tolist() == [[1.0], [2.0], [3.0]]
    batch.qpos[batch.qpos > 1.5] = 0
    assert batch.qpos.tolist() == [[1.0], [0.0], [0.0]]
    batch.qvel += 2
    assert batch.qvel.tolist() == [[2.0]] * 3
    with pytest.raises(ValueError, match=r"qpos must have shape \(3, 1\), or \(1,\) for all, got \(1, 3\)"):
        batch.qpos = [[1, 2, 3]]
    with pytest.raises(ValueError, match="expected numbers for qvel, got <U3"):
        batch.qvel = "one"  # type: ignore[assignment]
    with pytest.raises(ValueError, match=r"time must have shape \(3,\) got \(2,\)"):
        batch.time = [0, 1]  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        batch.qacc = 0.0  # type: ignore[misc]


def test_states_put_back(width: str) -> None:
    batch = started(9)
    batch.step(10)
    before = batch.get_state()
    size = pb.Data(batch.model).get_state().size
    assert before.shape == (9, size)
    batch.step(10)
    after = batch.get_state()
    batch.set_state(before)
    batch.step(10)
    assert batch.get_state().tobytes() == after.tobytes()
    with pytest.raises(ValueError, match=rf"the state must have shape \(9, {size}\), got \(9, 3\)"):
        batch.set_state(before[:, :3])


# --- reset -----------------------------------------------------------------------------------------

MASK = np.arange(9) % 3 == 1


@pytest.mark.parametrize(
    ("instances", "expected"),
    [
        (None, range(9)),
        (2, [2]),
        (-1, [8]),
        ([1, 4, 7], [1, 4, 7]),
        ((0, -8), [0, 1]),
        (slice(1, None, 3), [1, 4, 7]),
        (MASK, [1, 4, 7]),
        (MASK.tolist(), [1, 4, 7]),
        (np.array([], int), []),
        ([], []),
        (~np.ones(9, bool), []),
    ],
)
def test_some_start_anew(width: str, instances: Any, expected: Any) -> None:
    batch = started(9)
    batch.step(5)
    before = batch.get_state()
    batch.reset(instances)
    after = batch.get_state()
    reset = np.isin(np.arange(9), list(expected))
    assert (after[reset] == 0).all()
    assert after[~reset].tobytes() == before[~reset].tobytes()
    batch.step(5)
    assert batch.time[reset] == pytest.approx(0.05)
    assert batch.time[~reset] == pytest.approx(0.1)


def test_where_they_start() -> None:
    model = everything()
    batch = pb.BatchStepper(model, 4, kernels="loop")
    batch.step(10)
    batch.reset([0, 2], qvel=np.ones(model.nv), time=[1.0, 2.0])
    assert batch.qpos[[0, 2]].tolist() == [model.qpos0.tolist()] * 2
    assert batch.qvel[[0, 2]].tolist() == [[1.0] * model.nv] * 2
    assert batch.time[[0, 2]].tolist() == [1.0, 2.0]
    places = model.qpos0 + np.array([[0.1], [0.2]])
    batch.reset([3, 1], qpos=places)
    assert batch.qpos[[3, 1]].tolist() == places.tolist()
    before = batch.get_state()
    with pytest.raises(ValueError, match="qvel must have shape"):
        batch.reset([3, 1], qpos=places, qvel=[1.0, 2.0])
    with pytest.raises(ValueError, match="time must have shape"):
        batch.reset([3, 1], qpos=places, time=[1.0, 2.0, 3.0])
    assert batch.get_state().tobytes() == before.tobytes()


MOCAP = """<mujoco><worldbody>
  <body><joint type="slide"/><geom size=".1"/></body>
  <body name="b" pos="1 2 3" quat="1 1 0 0" mocap="true"><geom size=".1"/></body>
  <body name="a" pos="4 5 6" mocap="true"><geom size=".1"/></body>
</worldbody><keyframe><key name="away" mpos="7 7 7 8 8 8"/></keyframe></mujoco>"""


@pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
def test_mocap_bodies_start_where_instances_have_them() -> None:
    """As mj_resetData places them after a change of body_pos, and mj_resetDataKeyframe where the key says."""
    model = pb.lower(pb.read("mocap.xml", text=MOCAP))
    batch = pb.BatchStepper(model, 3, kernels="loop", parameters=("body_pos", "body_quat"))
    batch.parameters["body_pos"][1:, 2:] += [0.5, 0, 0]
    batch.parameters["body_quat"][2, 3] = (0, 0, 1, 0)
    batch.mocap_pos = batch.mocap_quat = 9.0
    batch.reset([1, 2])
    assert (batch.mocap_pos[0] == 9).all()
    theirs = mujoco.MjModel.from_xml_string(MOCAP)
    data = mujoco.MjData(theirs)
    for row in (1, 2):
        theirs.body_pos[:] = batch.parameters["body_pos"][row]
        theirs.body_quat[:] = batch.parameters["body_quat"][row]
        mujoco.mj_resetData(theirs, data)
        for found in (batch, batch.instance(row), pb.Data(batch.instance_model(row))):
            pos, quat = (x[row] if found is batch else x for x in (found.mocap_pos, found.mocap_quat))
            assert pos.tolist() == data.mocap_pos.tolist()
            np.testing.assert_allclose(quat, data.mocap_quat, atol=1e-15)
    batch.reset(1, key="away")
    mujoco.mj_resetDataKeyframe(theirs, data, 0)
    assert batch.mocap_pos[1].tolist() == data.mocap_pos.tolist() == [[7] * 3, [8] * 3]


@pytest.mark.parametrize(
    ("instances", "words"),
    [
        (9, "instances must be from 0 to 8, not 9 to 9"),
        ([0, -10], "not -10 to 0"),
        ([True, False], r"a mask of instances must have shape \(9,\), not \(2,\)"),
        ([0.5], "whole numbers or a mask, not float64"),
        ([[1]], r"of shape \(1, 1\)"),
        ("all", "whole numbers or a mask, not <U3"),
        ([0, 1, 0, 0, 0, 0, 0, 0, 0], r"0 is selected 8 times; a mask consists of True and False"),
        (np.array([3, 8, -1]), "instance 8 is selected 2 times$"),
        ([True, 2], "whole numbers or a mask, not both"),
    ],
)
def test_no_such_instances(instances: Any, words: str) -> None:
    batch = pb.BatchStepper(rail(), 9, kernels="loop")
    with pytest.raises(IndexError, match=words):
        batch.reset(instances)


# --- parameters ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names", [("body_mass", "dof_damping"), ("opt_gravity",), ("opt_timestep",), ("body_inertia", "body_pos")]
)
def test_parameters_by_the_loop_kernels(names: tuple[str, ...]) -> None:
    model = everything()
    batch = pb.BatchStepper(model, 5, threads=2, kernels="loop", parameters=names)
    assert tuple(batch.parameters) == names
    random = np.random.default_rng(1)
    for name, values in batch.parameters.items():
        assert values.shape == (5, *model.columns[name].shape)
        assert (values == model.columns[name]).all()
        values *= random.uniform(0.9, 1.1, (5,) + (1,) * (values.ndim - 1))
    batch.step(10)
    batch.parameters[names[0]][3] *= 1.05
    batch.step(10)
    for i in range(5):
        own = {name: values[i].copy() for name, values in batch.parameters.items()}
        earlier = own | ({names[0]: own[names[0]] / 1.05} if i == 3 else {})
        sim = pb.Stepper(model.replace(**earlier), kernels="loop")
        sim.step(10)
        onward = pb.Stepper(model.replace(**own), kernels="loop")
        onward.data.set_state(sim.data.get_state())
        onward.step(10)
        np.testing.assert_allclose(batch.get_state()[i], onward.data.get_state(), rtol=1e-9, atol=1e-12)
        assert batch.instance_model(i) == model.replace(**own)


def test_parameters_that_cannot_be() -> None:
    batch = pb.BatchStepper(pendulum(), 4, kernels="loop", parameters=("body_mass",))
    batch.parameters["body_mass"][1, 1] = -2.0
    batch.parameters["body_mass"][2, 1] = np.nan
    batch.step(5)
    assert batch.failed.tolist() == [False, True, True, False]
    assert batch.time[:2].tolist() == [pytest.approx(0.005), 0.0]
    assert str(batch.failure(1)) == "instance 1: body 1 'bob': mass -2.0 is below 0"
    assert "instance 2: body 1 'bob': mass is not finite" in str(batch.failure(2))
    batch.reset(1)
    batch.step()
    assert batch.failed[1]
    batch.parameters["body_mass"][1, 1] = 2.0
    batch.reset(1)
    batch.step()
    assert batch.failed.tolist() == [False, False, True, False]
    strict = pb.BatchStepper(pendulum(), 2, kernels="loop", parameters=("body_mass",), on_failure="raise")
    strict.parameters["body_mass"][0] = -1
    with pytest.raises(pb.ModelError, match="instance 0: body 0 'world': mass"):
        strict.step()


# --- invalid arguments -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n": 0}, ValueError, "a batch's n must be at least 1"),
        ({"n": -5}, ValueError, "at least 1 .* not -5"),
        ({"n": 1 << 40}, ValueError, "at most 67108864"),
        ({"n": 2.5}, TypeError, "a batch's n must be a whole number, not 2.5"),
        ({"n": "many"}, TypeError, "whole number, not 'many'"),
        ({"threads": 0}, ValueError, "threads must be at least 1"),
        ({"threads": 10**9}, ValueError, "threads must be at least 1 and at most"),
        ({"threads": None}, TypeError, "threads must be a whole number"),
        ({"precision": "float16"}, ValueError, "precision must be one of float64, float32, not 'float16'"),
        ({"on_failure": "ignore"}, ValueError, "on_failure must be one of mark, raise, not 'ignore'"),
        ({"parameters": "body_mass"}, TypeError, r"a sequence of names: \('body_mass',\)"),
        (
            {"parameters": ("mass",)},
            ValueError,
            "'mass' is not a parameter of a batch; parameters are opt_timestep, ",
        ),
        ({"parameters": ("geom_rgba",)}, ValueError, "'geom_rgba' is not a parameter"),
        ({"parameters": ("jnt_type",)}, ValueError, "'jnt_type' is not a parameter"),
        ({"parameters": ("body_mass",) * 2}, ValueError, "given twice"),
        ({"executor": 4}, TypeError, "expected an executor of concurrent.futures, not int"),
    ],
)
def test_arguments_that_cannot_be(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        pb.BatchStepper(**{"model": rail(), "n": 8, "kernels": "loop"} | options)


def test_other_arguments_that_cannot_be() -> None:
    with pytest.raises(TypeError, match="a BatchStepper needs a Model, not str"):
        pb.BatchStepper("arm.xml", 8)  # type: ignore[arg-type]
    with ProcessPoolExecutor(1) as pool, pytest.raises(TypeError, match="threads must share memory"):
        pb.BatchStepper(rail(), 8, executor=pool, kernels="loop")
    batch = pb.BatchStepper(rail(), 8, kernels="loop")
    with pytest.raises(ValueError, match=r"steps must be at least 0 .* not -1"):
        batch.step(-1)
    with pytest.raises(TypeError, match=r"steps must be a whole number, not 1.5"):
        batch.step(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="every must be at least 1"):
        batch.step(10, every=0)
    with pytest.raises(ValueError, match="give `every`"):
        batch.step(10, out={})
    with pytest.raises(TypeError):
        batch.instance("first")  # type: ignore[arg-type]
    with pytest.raises(IndexError):
        batch.instance(8)
    batch.step(0)
    assert (batch.time == 0).all()


ROD = """
<mujoco><option solver="CG" iterations="2"/><worldbody>
  <geom type="plane" size="1 1 1"/>
  <body pos="0 0 .19"><freejoint/><geom type="box" size=".3 .2 .2"/></body>
</worldbody></mujoco>
"""


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_where_the_solver_starts(kernels: str) -> None:
    """A solver that stops early shows its start: the same as in a Stepper, whether set, restored or kept."""
    model = pb.load("rod.xml", text=ROD)
    start = 0.1 * np.random.default_rng(0).normal(size=(3, model.nv))  # near the solution, at rest
    batch = pb.BatchStepper(model, 3, kernels=kernels)
    assert not batch.qacc_warmstart.any()
    begun = batch.get_state()
    batch.qacc_warmstart = start
    assert (batch.qacc_warmstart == start).all()
    given = batch.get_state()
    batch.step(4)
    for row in range(3):
        single = pb.Stepper(model, "loop")
        single.data.qacc_warmstart = start[row]
        assert (single.data.get_state() == given[row]).all()
        single.step(4)
        np.testing.assert_allclose(batch.qvel[row], single.data.qvel, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            batch.qacc_warmstart[row], single.data.qacc_warmstart, rtol=1e-7, atol=1e-9
        )
    ended = batch.get_state()
    batch.set_state(begun)
    batch.step(4)
    assert (batch.get_state() != ended).any(axis=1).all()
    batch.set_state(given)
    batch.step(4)
    assert batch.get_state().tobytes() == ended.tobytes()
    batch.reset(1)
    assert not batch.qacc_warmstart[1].any()
    assert batch.qacc_warmstart[0].any()


def test_a_start_that_no_solver_reads() -> None:
    """As in a Data, it is kept without effect."""
    batch = started(3)
    batch.qacc_warmstart = [[1.0], [2.0], [3.0]]
    batch.step(5)
    assert batch.qacc_warmstart.ravel().tolist() == [1.0, 2.0, 3.0]
    other = started(3)
    other.set_state(batch.get_state())
    assert (other.qacc_warmstart == batch.qacc_warmstart).all()
    with pytest.raises(ValueError, match=r"qacc_warmstart must have shape \(3, 1\)"):
        batch.qacc_warmstart = np.zeros((2, 1))
