"""The amount of test cases: a sample, or everything. It is determined only here.

    pytest                    a sample, the same in every run (`make test`)
    pytest --sample-seed 7    another sample
    pytest --full             everything (`make test-all`)

A sample takes fewer random documents, trees and states, and some of the cases of a list. It reduces amounts,
but never omits a kind of test: every claim is tested in both.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

full = False
"""Whether all cases are tested; `tests/conftest.py` sets it before any test is collected."""
seed = 0
"""The seed of the sample."""


def amount(everything: int, sample: int) -> int:
    """The number of cases."""
    assert 0 < sample <= everything
    return everything if full else sample


def some(cases: Iterable[T], sample: int) -> list[T]:
    """Selected cases in their order: as many as a sample has, drawn with the seed."""
    cases = list(cases)
    if full or sample >= len(cases):
        return cases
    drawn = random.Random(f"{seed} {len(cases)}").sample(range(len(cases)), sample)
    return [cases[place] for place in sorted(drawn)]
