"""Accelerations per force at a reference configuration."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.kernels.layout import KernelData

Reals = NDArray[np.float64]
MIN_INERTIA: float

class Weights:
    """The factors of the mass matrix at a reference; used by one thread at a time."""

    def __init__(self, columns: Mapping[str, NDArray[Any]], data: KernelData) -> None: ...
    def shapes(self) -> dict[str, tuple[int, ...]]: ...
    def weigh(
        self,
        models: NDArray[np.uint64],
        start: Reals,
        mocap_pos: Reals,
        mocap_quat: Reals,
        central: NDArray[np.uint8],
        sliding: NDArray[np.uint8],
        found: Mapping[str, Reals],
        spring: Reals | None = None,
    ) -> None: ...
    def of_rows(self, rows: Reals) -> Reals: ...
