"""Batches: threads, processes, memory, interrupts."""

from __future__ import annotations

import gc
import os
import pickle
import threading
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polybody as pb
import pytest
from polybody.assembly.builder import ModelBuilder

from tests.runtime.batches import started
from tests.waiting import PATIENCE, in_a_fork, said, until

pytestmark = pytest.mark.concurrent

# --- threads, processes, memory --------------------------------------------------------------------


def test_threads_of_somebody_else(width: str) -> None:
    expected = started(33)
    expected.step(10)
    with ThreadPoolExecutor(2) as pool:
        batch = started(33, threads=3, executor=pool)
        batch.step(10)
        assert batch.get_state().tobytes() == expected.get_state().tobytes()
        inside = started(33, threads=3, executor=pool)
        gate = threading.Event()
        busy = [pool.submit(gate.wait, PATIENCE) for _ in range(8)]
        inside.step(10)  # no thread of the executor is available: it takes the steps alone
        gate.set()
        assert all(task.result(PATIENCE) for task in busy)
        assert inside.get_state().tobytes() == expected.get_state().tobytes()
        nested = started(33, threads=3, executor=pool)
        assert pool.submit(nested.step, 10).result(PATIENCE) is None
        assert nested.get_state().tobytes() == expected.get_state().tobytes()
        batch.close()
        assert pool.submit(int).result(PATIENCE) == 0, "it is not ours to end"
    with pytest.raises(RuntimeError):
        batch.step()  # the executor was shut down


def test_own_threads_end() -> None:
    before = set(threading.enumerate())

    def own() -> set[threading.Thread]:
        return {t for t in threading.enumerate() if t.name.startswith("polybody")} - before

    with started(33, threads=3, kernels="loop") as batch:
        batch.step(10)
        assert 0 < len(own()) <= 2
    assert not own()
    batch.step()
    del batch
    gc.collect()
    until(lambda: not own())


def test_one_thread_at_a_time(width: str) -> None:
    batch = started(9)
    assert batch._busy.acquire(blocking=False)
    with pytest.raises(RuntimeError, match="belongs to one thread at a time"):
        batch.step()
    batch._busy.release()
    batch.step()


def test_nothing_is_left_behind(width: str) -> None:
    batch = started(64, threads=2)
    watched = [weakref.ref(batch), weakref.ref(batch._memory), weakref.ref(batch._pool)]
    view = batch.qpos
    batch.step(3)
    del batch
    gc.collect()
    assert [seen() for seen in watched] == [None] * 3
    assert np.isfinite(view).all(), "a view keeps its own memory"


def test_steps_allocate_nothing(width: str) -> None:
    batch = started(1000)
    batch.step(10)
    tracemalloc.start()
    batch.step(10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5000, "some small Python objects, nothing that grows with n"


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_copy_by_pickle_goes_on(width: str, precision: str) -> None:
    batch = started(9, precision=precision, threads=2)
    batch.qvel[3] = np.nan
    batch.step(5)
    other = pickle.loads(pickle.dumps(batch))
    assert (other.n, other.threads, other.precision) == (9, 2, precision)
    batch.step(5)
    other.step(5)
    assert other.get_state().tobytes() == batch.get_state().tobytes()
    assert other.failed.tolist() == batch.failed.tolist()
    assert other.qacc.tobytes() == batch.qacc.tobytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_after_steps_with_threads(width: str) -> None:
    batch = started(33, threads=3)
    batch.step(10)

    def child() -> bytes:
        batch.step(10)
        batch.close()
        return batch.get_state().tobytes()

    theirs = in_a_fork(child)
    batch.step(10)
    assert theirs == batch.get_state().tobytes()


INTERRUPTED = """
import os
import numpy as np, polybody as pb
from tests.runtime.models import chain
from tests.waiting import PATIENCE, start, until

batch = pb.BatchStepper(chain(20), 40, threads={threads}, kernels="loop")

def watch():
    until(lambda: len(set(batch.time.tolist())) > 1)  # some blocks have taken their steps, others have not
    os.kill(os.getpid(), signal.SIGINT)

watching = start(watch)
try:
    batch.step(1 << 40)
except KeyboardInterrupt:
    watching.result(PATIENCE)
    print(batch.time.min() > 0, batch.time.min() == batch.time.max(), np.isfinite(batch.qpos).all())
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_other_threads_run_meanwhile_and_ctrl_c_ends_a_long_run_between_two_steps(threads: int) -> None:
    """The watching thread can see what it waits for only if the blocks are moved without the GIL."""
    assert said(INTERRUPTED.format(threads=threads)).split() == ["True"] * 3


def test_a_model_that_does_not_move() -> None:
    b = ModelBuilder("statue")
    b.body(name="stone", mass=1.0)
    batch = pb.BatchStepper(b.build(), 3, kernels="loop")
    out = batch.step(4, every=2)
    assert out is not None
    assert (out["qpos"].shape, out["time"].shape) == ((2, 3, 0), (2, 3))
    assert batch.time == pytest.approx(0.002 * 4)
    assert batch.get_state().shape == (3, 1 + 6 * 2)
    assert not batch.failed.any()
