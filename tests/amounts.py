"""How much the tests try: a sample, or everything. Decided here and nowhere else.

    pytest                    a sample, the same in every run (`make test`)
    pytest --sample-seed 7    another sample
    pytest --full             everything (`make test-all`)

A sample takes fewer random documents, trees and states, and some of the cases of a list. It leaves out
amounts, never a kind of test: what a test claims is tried in both.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

full = False
"""Whether everything is tried; `tests/conftest.py` sets it before any test is read."""
seed = 0
"""What draws the sample."""


def amount(everything: int, sample: int) -> int:
    """How many to try."""
    assert 0 < sample <= everything
    return everything if full else sample


def some(cases: Iterable[T], sample: int) -> list[T]:
    """Which of the cases to try, in their order: as many as a sample takes, drawn by the seed."""
    cases = list(cases)
    if full or sample >= len(cases):
        return cases
    drawn = random.Random(f"{seed} {len(cases)}").sample(range(len(cases)), sample)
    return [cases[place] for place in sorted(drawn)]
