"""Height fields."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.geometry import images
from polybody.geometry.cache import STORE, content_of, digest, digest_of_file
from polybody.geometry.errors import GeometryError

Singles = NDArray[np.float32]

SMALL = 1e-14
"""A range of heights up to this is treated as zero."""


def height_field(given: Path | bytes | ArrayLike, kind: str = "", rows: int = 0, columns: int = 0) -> Singles:
    """Heights from 0 to 1, (rows, columns), with the first row at the minimum y; hfield_data of mjModel.

    Args:
        given: a file, a file's content, or elevations, rows x columns, with the first row at the maximum y.
        kind: of a file, "png" or "hfield" (MuJoCo's own); if empty, png if the file has that extension.
        rows: of elevations.
        columns: of elevations. If none are given, all heights are 0.

    Raises:
        GeometryError: the file cannot be read, or the numbers are not finite or of another count.
    """
    if isinstance(given, Path):
        kind = kind or ("png" if given.suffix.lower() == ".png" else "hfield")
        name, data = digest_of_file(given)
        return STORE.get(
            ("hfield", name, kind), lambda: _of_file(content_of(given, name) if data is None else data, kind)
        )
    if isinstance(given, bytes):
        return STORE.get(("hfield", digest(given), kind), lambda: _of_file(given, kind))
    if rows < 1 or columns < 1:
        raise GeometryError(f"has {rows} rows and {columns} columns; each must be 1 or more")
    heights = np.asarray(given, dtype=np.float32)
    if not heights.size:
        return np.zeros((rows, columns), dtype=np.float32)
    if heights.size != rows * columns:
        raise GeometryError(f"has {heights.size} elevations; {rows} rows of {columns} are {rows * columns}")
    return _normalised(heights.reshape(rows, columns)[::-1].copy())


def _of_file(data: bytes, kind: str) -> Singles:
    if kind == "png":
        return _normalised(np.ascontiguousarray(images.read_png(data, 1)[::-1, :, 0], dtype=np.float32))
    return _normalised(images.read_grid(data, "<f4", 1)[..., 0])


def _normalised(heights: Singles) -> Singles:
    """Shifted and scaled to the range from 0 to 1, unless all are equal, in 32 bits; in place if the memory
    is writable.
    """
    if not np.isfinite(heights).all():
        raise GeometryError("contains NaN or infinite heights")
    low, high = heights.min(), heights.max()
    with np.errstate(over="ignore"):
        span = high - low
    if not np.isfinite(span):
        raise GeometryError(f"has heights from {low} to {high}, which are too far apart")
    shifted = np.subtract(heights, low, out=heights if heights.flags.writeable else None)
    if span > SMALL:
        shifted /= span
    return np.ascontiguousarray(shifted, dtype=np.float32)
