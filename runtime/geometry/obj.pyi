"""Wavefront OBJ files."""

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]
Rows = NDArray[np.int32]

def read(
    data: bytes, all_shapes: bool = False, comments: bool = False, shorter: bool = False
) -> tuple[Singles, Singles, Singles, Rows, Rows, Rows]: ...
