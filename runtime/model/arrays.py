"""Read-only arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.model.column_checks import is_frozen


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in memory that cannot be written: a bytes object, of which no array can be made
    writable.
    """
    if array.flags.c_contiguous and array.flags.aligned and is_frozen(array):
        return array.view()
    if not array.size:  # it has no elements to write
        array = np.empty(array.shape, array.dtype)
        array.flags.writeable = False
        return array
    return np.ndarray(array.shape, array.dtype, array.tobytes())
