"""Loops over the vertices and faces of meshes whose result depends on the order of the operations."""

import numpy as np
from numpy.typing import NDArray

SIGNED: int
ABSOLUTE: int
AREA: int

Reals = NDArray[np.float64]
Singles = NDArray[np.float32]
Rows = NDArray[np.int32]

def merge_vertices(corners: Singles) -> tuple[Rows, Rows]: ...
def centroid(vertices: Singles, faces: Rows) -> tuple[Reals, float]: ...
def weight_and_centre(vertices: Singles, faces: Rows, apex: Reals, kind: int) -> tuple[float, Reals]: ...
def weight_and_products(vertices: Singles, faces: Rows, density: float, kind: int) -> tuple[float, Reals]: ...
def vertex_normals(vertices: Singles, faces: Rows, smooth: bool) -> Singles: ...
