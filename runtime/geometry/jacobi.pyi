"""Principal axes of inertia, in MuJoCo's order and with its signs."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Reals = NDArray[np.float64]

def principal_axes(inertia: ArrayLike, tolerance: float | None = None) -> tuple[Reals, Reals]: ...
