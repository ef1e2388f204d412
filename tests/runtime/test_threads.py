"""One Model, many threads, each with a Data of its own; the kernels run without the GIL."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from polybody import engine
from polybody.model.data import Data

from tests.runtime.models import chain, everything


def test_threads_that_share_a_model_do_not_disturb_each_other() -> None:
    model = everything()

    def run(seed: int) -> list[float]:
        data = Data(model)
        data.qvel = np.random.default_rng(seed).normal(size=model.nv)
        for _ in range(20):
            engine.step(model, data, 50)
            engine.forward(model, data)
            engine.mass_matrix(model, data)
            engine.energy(model, data)
        state: list[float] = data.get_state().tolist()
        return state

    alone = [run(seed) for seed in range(8)]
    fresh = everything()  # its kernel's copy is made by whichever thread comes first
    model = fresh
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(run, range(8)))
    assert together == alone


def test_other_threads_run_while_a_long_step_is_taken() -> None:
    model = chain(300)
    data = Data(model)
    engine.step(model, data)
    start = time.perf_counter()
    engine.step(model, data, 200)
    count = int(200 * max(1.0, 0.5 / (time.perf_counter() - start)))  # about half a second or more
    done = threading.Event()

    def work() -> None:
        engine.step(model, data, count)
        done.set()

    thread = threading.Thread(target=work)
    ticks = 0
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 20, "with the GIL held, this thread would hardly have run"


@pytest.mark.skipif(
    hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled(), reason="there is no GIL to release"
)
def test_the_gil_is_released_not_only_handed_over() -> None:
    """Two threads are in the kernels at once: each sees the other's simulation advance during its call."""
    model = chain(300)
    datas = [Data(model), Data(model)]
    for data in datas:
        engine.step(model, data)
    seen: list[tuple[float, float]] = []
    barrier = threading.Barrier(2)

    def run(own: Data, other: Data) -> None:
        barrier.wait()
        for _ in range(50):
            before = other.time
            engine.step(model, own, 100)
            seen.append((before, other.time))

    threads = [threading.Thread(target=run, args=pair) for pair in (datas, datas[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(after > before for before, after in seen) > len(seen) / 4
