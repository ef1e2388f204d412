"""Selection of instances of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = int | slice | Sequence[int] | Sequence[bool] | NDArray[Any]
Indices = NDArray[np.intp]


def _has_bool(instances: Sequence[object]) -> bool:
    return any(isinstance(each, bool | np.bool_) for each in instances)


def rows(instances: Rows | None, n: int) -> Indices:
    """Indices of selected instances out of n: from indices (negative: from the end), a slice or a mask; None:
    all.

    Raises:
        IndexError: there are no such instances, or one is selected twice.
    """
    if instances is None:
        return np.arange(n)
    if isinstance(instances, slice):
        return np.arange(n)[instances]
    given = np.atleast_1d(np.asarray(instances))
    if given.dtype != np.bool_ and isinstance(instances, Sequence) and _has_bool(instances):
        raise IndexError("instances must be whole numbers or a mask, not both")
    if given.dtype == np.bool_:
        if given.shape != (n,):
            raise IndexError(f"a mask of instances must have shape ({n},), not {given.shape}")
        return np.flatnonzero(given)
    if given.size == 0:
        return np.empty(0, np.intp)
    if given.dtype.kind not in "iu" or given.ndim != 1:
        raise IndexError(
            f"instances must be whole numbers or a mask, not {given.dtype} of shape {given.shape}"
        )
    if given.min() < -n or given.max() >= n:
        raise IndexError(f"instances must be from 0 to {n - 1}, not {given.min()} to {given.max()}")
    found: Indices = given.astype(np.intp) % n
    chosen, times = np.unique(found, return_counts=True)
    if len(chosen) < len(found):
        first, zeros_and_ones = int(chosen[times > 1][0]), given.min() >= 0 and given.max() <= 1
        mask = "; a mask consists of True and False: mask.astype(bool)" if zeros_and_ones else ""
        raise IndexError(f"instance {first} is selected {int(times[times > 1][0])} times{mask}")
    return found
