"""Jacobians and velocities of points of bodies, at the positions and velocities of one simulation."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

KINDS: dict[str, int]

def jacobian(
    data: Any, kind: int, row: int, point: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def velocity(data: Any, kind: int, row: int) -> NDArray[np.float64]: ...
def axes(data: Any, body: int) -> NDArray[np.float64]: ...
