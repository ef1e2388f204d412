"""Textures: from one file, from six files, or of a builtin pattern, as in mjModel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from polybody.geometry import images, loops
from polybody.geometry.cache import STORE, content_of, digest, digest_of_file
from polybody.geometry.errors import GeometryError

Bytes = NDArray[np.uint8]
Reals = NDArray[np.float64]
Image = Path | bytes | tuple[Path | bytes, str]
"""A file or its content, and the kind if the name does not give it: "png" or "texture" (MuJoCo's own)."""

FACES = "RLUDFB"
"""The faces of a cube in the order of their rows: right, left, up, down, front, back."""
BLOCK = 1 << 20
"""Number of pixels of a gradient that are computed at a time."""
SIDES = "LFB"
"""Faces whose gradient is the same as on the first."""
PATTERNS = ("flat", "checker", "gradient")
MARKS = ("none", "edge", "cross", "random")


def texture(
    kind: str,
    *,
    file: Image | None = None,
    faces: Mapping[str, Image] | None = None,
    gridsize: tuple[int, int] = (1, 1),
    gridlayout: str = "",
    builtin: str = "none",
    mark: str = "none",
    rgb1: Sequence[float] = (0.8, 0.8, 0.8),
    rgb2: Sequence[float] = (0.5, 0.5, 0.5),
    markrgb: Sequence[float] = (0.0, 0.0, 0.0),
    random: float = 0.01,
    width: int = 0,
    height: int = 0,
    hflip: bool = False,
    vflip: bool = False,
    nchannel: int = 3,
) -> Bytes:
    """The pixels of a texture, (height, width, nchannel), from the top; a cube's faces one below the other.

    Args:
        kind: "2d", "cube" or "skybox".
        file: an image; for a cube one face for all six, or a grid of faces. Only without a builtin pattern.
        faces: images of single faces by their letters, R, L, U, D, F and B; the others have the colour rgb1.
        gridsize: rows and columns of the grid.
        gridlayout: the face in each cell of the grid, row by row: its letter, or a dot.
        builtin: "none", "flat", "checker" or "gradient".
        mark: "none", "edge", "cross" or "random", on a builtin pattern.
        rgb1, rgb2: colours of the pattern, from 0 to 1.
        markrgb: colour of the mark.
        random: fraction of the pixels that a random mark covers.
        width, height: of a builtin pattern; a cube's faces are square.
        hflip, vflip: whether images from files are mirrored; no effect on patterns.
        nchannel: 3, 4 (with opacity), or 1.

    MuJoCo 3.2.7 fills only the first three quarters of grids and of six files with four channels; here they
    are complete. For builtin patterns it stores three packed channels, followed by zeros, and so does this
    function.

    Raises:
        GeometryError: there is no image, it cannot be read, or its size is wrong.
    """
    if nchannel not in (1, 3, 4):
        raise GeometryError(f"cannot have {nchannel} channels; the number must be 1, 3 or 4")
    if builtin != "none":
        drawn = (kind, builtin, mark, (tuple(rgb1), tuple(rgb2), tuple(markrgb)), random, width, height)
        pixels = STORE.get(("pattern", *drawn), lambda: _builtin(*drawn))
        return pixels if nchannel == 3 else _packed(pixels, nchannel)
    if (hflip or vflip) and nchannel != 3:
        raise GeometryError(f"has {nchannel} channels; only textures with 3 can be flipped")
    image = partial(_flipped, nchannel=nchannel, hflip=hflip, vflip=vflip)
    if file is not None:
        whole = image(file)
        return whole if kind == "2d" else _of_grid(whole, gridsize, gridlayout, rgb1)
    if kind == "2d" or not faces:
        raise GeometryError("has neither a file nor a builtin pattern")
    return _of_faces({letter: image(given) for letter, given in faces.items()}, rgb1)


def _flipped(given: Image, nchannel: int, hflip: bool, vflip: bool) -> Bytes:
    """The pixels of an image, mirrored."""
    return np.ascontiguousarray(_image(given, nchannel)[:: -1 if vflip else 1, :: -1 if hflip else 1])


def _packed(pixels: Bytes, nchannel: int) -> Bytes:
    """Three packed channels in an array for another number of channels."""
    height, width, _ = pixels.shape
    found = np.zeros(height * width * nchannel, dtype=np.uint8)
    kept = min(found.size, pixels.size)
    found[:kept] = pixels.ravel()[:kept]
    return found.reshape(height, width, nchannel)


# --- files -------------------------------------------------------------------------------------------------


def _image(given: Image, channels: int) -> Bytes:
    """The pixels of a file, cached by its content."""
    source, kind = given if isinstance(given, tuple) else (given, "")
    if isinstance(source, Path):
        kind = kind or ("png" if source.suffix.lower() == ".png" else "texture")
        name, data = digest_of_file(source)
    else:
        name, data = digest(source), source

    def read() -> Bytes:
        held = content_of(cast(Path, source), name) if data is None else data
        return images.read_png(held, channels) if kind == "png" else _own(held, channels)

    return STORE.get(("image", name, kind, channels), read)


def _own(data: bytes, channels: int) -> Bytes:
    """MuJoCo's own format: width, height and three channels."""
    if channels != 3:
        hint = "convert it to PNG"
        raise GeometryError(f"is in MuJoCo's own format, which has 3 channels, not {channels}", hint)
    pixels: Bytes = images.read_grid(data, "u1", 3)
    return pixels.reshape(pixels.shape[1], pixels.shape[0], 3)


def _of_grid(image: Bytes, gridsize: tuple[int, int], gridlayout: str, rgb1: Sequence[float]) -> Bytes:
    """Six faces from the cells of an image; a grid of one cell is one face for all."""
    rows, columns = gridsize
    height, width, _ = image.shape
    if rows < 1 or columns < 1 or rows * columns > 12:
        raise GeometryError(f"has a grid of {rows} x {columns}; the limit is 12 cells")
    if height % rows or width % columns or height // rows != width // columns:
        raise GeometryError(
            f"has {width} x {height} pixels, which cannot be divided into {columns} x {rows} squares"
        )
    if rows * columns == 1:
        return image
    edge = height // rows
    found: dict[str, Bytes] = {}
    for cell, letter in enumerate(gridlayout[: rows * columns]):
        if letter in FACES:
            top, left = cell // columns * edge, cell % columns * edge
            found[letter] = image[top : top + edge, left : left + edge]
        elif letter != ".":
            raise GeometryError(f"has {letter!r} in its grid; a cell must be one of {FACES}, or a dot")
    return _stacked(found, edge, image.shape[2], rgb1)


def _of_faces(found: Mapping[str, Bytes], rgb1: Sequence[float]) -> Bytes:
    edges = set()
    for letter, image in found.items():
        height, width, _ = image.shape
        if height != width:
            raise GeometryError(f"has {width} x {height} pixels on face {letter}, which is not a square")
        edges.add(height)
    if len(edges) > 1:
        sizes = ", ".join(map(str, sorted(edges)))
        raise GeometryError(f"has faces of different sizes: {sizes} pixels")
    channels = next(iter(found.values())).shape[2]
    return _stacked(found, edges.pop(), channels, rgb1)


def _stacked(found: Mapping[str, Bytes], edge: int, channels: int, rgb1: Sequence[float]) -> Bytes:
    colour = np.full(channels, 255, dtype=np.uint8)
    colour[:3] = _bytes(np.asarray(rgb1))[:channels]
    made = np.empty((6, edge, edge, channels), dtype=np.uint8)
    for place, letter in enumerate(FACES):
        made[place] = found.get(letter, colour)
    return made.reshape(6 * edge, edge, channels)


# --- builtin patterns -------------------------------------------------------------------------------------


def _builtin(
    kind: str,
    pattern: str,
    mark: str,
    colours: tuple[Sequence[float], Sequence[float], Sequence[float]],
    random: float,
    width: int,
    height: int,
) -> Bytes:
    if pattern not in PATTERNS or mark not in MARKS:
        raise ValueError(
            f"{pattern!r} is not one of {', '.join(PATTERNS)}, or {mark!r} of {', '.join(MARKS)}"
        )
    if width < 1 or (kind == "2d" and height < 1):
        raise GeometryError(f"has a builtin pattern of {width} x {height} pixels")
    count, height = (1, height) if kind == "2d" else (6, width)
    if count * width * height > images.MAX_PIXELS:
        raise GeometryError(f"has a builtin pattern of {width} x {count * height} pixels, which are too many")
    one, two, marked = (np.asarray(colour, dtype=np.float64) for colour in colours)
    if pattern == "gradient":
        pixels = _gradient(kind, width, height, one, two)
    else:
        pixels = _squares(pattern, kind, (count, height, width), _bytes(one), _bytes(two))
    where: list[Any] = []
    if mark == "edge":
        where = [np.s_[:, [0, -1]], np.s_[:, :, [0, -1]]]
    elif mark == "cross":
        where = [np.s_[:, height // 2], np.s_[:, :, width // 2]]
    elif mark == "random":
        few = np.flatnonzero(loops.random_marks(count * height * width, random))
        pixels.reshape(-1, 3)[few] = _bytes(marked)
    for points in where:
        pixels[points] = _bytes(marked)
    return pixels.reshape(count * height, width, 3)


def _squares(pattern: str, kind: str, shape: tuple[int, int, int], one: Bytes, two: Bytes) -> Bytes:
    """One colour, and another on the lower face of a cube; or four squares, exchanged on its front and back.

    Rows are computed once and repeated.
    """
    count, height, width = shape
    pixels = np.empty((*shape, 3), dtype=np.uint8)
    rows = np.empty((2, width, 3), dtype=np.uint8)
    if pattern == "flat":
        rows[0], rows[1] = one, two
        pixels[:] = rows[0]
        if kind != "2d":
            pixels[FACES.index("D")] = rows[1]
        return pixels
    rows[0, : width // 2] = rows[1, width // 2 :] = one
    rows[1, : width // 2] = rows[0, width // 2 :] = two
    for face in range(count):
        upper, lower = rows if face < FACES.index("F") else rows[::-1]
        pixels[face, : height // 2] = upper
        pixels[face, height // 2 :] = lower
    return pixels


def _bytes(colour: Reals) -> Bytes:
    """Colours from 0 to 1 as bytes, truncated."""
    return np.clip(255 * np.nan_to_num(colour), 0, 255).astype(np.uint8)


def _gradient(kind: str, width: int, height: int, one: Reals, two: Reals) -> Bytes:
    """The first colour in the middle of an image, or at the zenith; the second outside, or at the nadir; by
    faces.
    """
    faces = ("2d",) if kind == "2d" else tuple(FACES)
    made = np.empty((len(faces), height, width, 3), dtype=np.uint8)
    rows = max(1, BLOCK // width)
    with np.errstate(divide="ignore", invalid="ignore"):  # the position is undefined for a single pixel
        x = (2 * np.arange(width) / (width - 1) - 1)[None, :]
        y = (1 - 2 * np.arange(height) / (height - 1))[:, None]
        for face, name in enumerate(faces):
            if name in SIDES:
                made[face] = made[0]
                continue
            for top in range(0, height, rows):
                made[face, top : top + rows] = loops.mixed(_place(name, x, y[top : top + rows]), one, two)
    return made


def _place(face: str, x: Reals, y: Reals) -> Reals:
    """Positions of pixels between the second colour, -1, and the first, 1, (rows, columns)."""
    if face == "2d":
        return 1 - 2 * np.sqrt(x * x + y * y)
    far = np.sqrt(1 + x * x + y * y)
    if face in "UD":
        above: Reals = 1 - 2 * np.arccos(1 / far) / np.pi
        return above if face == "U" else -above
    return 2 * np.arcsin(y / far) / np.pi
