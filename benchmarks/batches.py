"""Shared by both sides of the batch benchmark: the number of states and steps, and how a call is timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np

from benchmarks.engine import STATES, Reals

INSTANCES, STEPS = 8 * STATES, 100
BLOCKS, BLOCK_SECONDS = 5, 0.02


def instances(states: tuple[Reals, Reals, Reals]) -> tuple[Reals, Reals]:
    """Positions and velocities of INSTANCES states: the given ones repeatedly, each time with smaller
    velocities.
    """
    q, v, _ = states
    copies = INSTANCES // STATES
    return np.tile(q, (copies, 1)), np.concatenate([v / (1 + k) for k in range(copies)])


def seconds_of(call: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """The median over blocks of one call's time on ``clock``; the first call is not counted."""
    call()
    calls = 1
    while True:
        start = clock()
        for _ in range(calls):
            call()
        if clock() - start > BLOCK_SECONDS:
            break
        calls *= 2
    blocks = []
    for _ in range(BLOCKS):
        start = clock()
        for _ in range(calls):
            call()
        blocks.append((clock() - start) / calls)
    return median(blocks)
