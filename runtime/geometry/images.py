"""Images: PNG files, and MuJoCo's own."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.geometry.errors import GeometryError

Bytes = NDArray[np.uint8]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_PIXELS = 1 << 26
"""Maximum number of pixels: 256 MiB with four channels."""
AT_ONCE = 1 << 20
"""Number of pixels of 16 bits that are converted at a time."""
NEEDED = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}
"""The chunks that define the pixels; others, which may be compressed texts or profiles, are ignored."""
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
"""Bits of a sample, by colour type."""


def read_png(data: bytes, channels: int) -> Bytes:
    """The pixels of a PNG file, (height, width, channels), the first row at the top.

    Args:
        data: the file's content.
        channels: 1 for the red channel (grey for grey images), 3 for colours, 4 with opacity.

    Of 16-bit samples the high byte is used. Opacity is dropped if it is not requested. Colours are not
    corrected for gamma and profiles.

    Raises:
        GeometryError: it is not a PNG file, is damaged, or is too large, which is checked before it is
            decompressed.
    """
    if not data:
        raise GeometryError("is empty")
    if not data.startswith(SIGNATURE):
        raise GeometryError("is not a PNG file", "convert it")
    kept, head = [SIGNATURE], b""
    for kind, body, chunk in _chunks(data):
        if (kind == b"IHDR") != (head == b""):
            raise GeometryError("is a damaged PNG file: it does not start with exactly one header")
        head = head or body
        if kind in NEEDED:
            kept.append(chunk)
    width, height = _size(head)
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(b"".join(kept)), formats=("PNG",)) as image:
            image.load()
            pixels = _expanded(image)
    except (OSError, SyntaxError, ValueError, UnidentifiedImageError, struct.error, zlib.error) as error:
        raise GeometryError(f"is a damaged PNG file: {str(error)[:100]}") from None
    if pixels.shape[:2] != (height, width):
        raise GeometryError("is a damaged PNG file")
    return _channels(pixels, channels)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Kind, body and whole bytes of each chunk up to the last."""
    at = len(SIGNATURE)
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, end = data[at + 4 : at + 8], at + 12 + length
        if end > len(data):
            break
        body = data[at + 8 : end - 4]
        (checksum,) = struct.unpack_from(">I", data, end - 4)
        if kind in NEEDED and zlib.crc32(body, zlib.crc32(kind)) != checksum:
            raise GeometryError("is a damaged PNG file: a checksum is wrong", offset=at)
        if kind not in NEEDED and kind[:1].isupper():
            name = kind.decode("ascii", "replace")
            raise GeometryError(f"is a PNG file with an unknown chunk {name!r}", offset=at)
        yield kind, body, data[at:end]
        if kind == b"IEND":
            return
        at = end
    raise GeometryError("ends before its last chunk", offset=at)


def _size(head: bytes) -> tuple[int, int]:
    if len(head) != 13:
        raise GeometryError(f"is a damaged PNG file: its header has {len(head)} bytes")
    width, height, depth, colour, *_ = struct.unpack(">2I5B", head)
    if depth not in DEPTHS.get(colour, ()):
        raise GeometryError(f"is a damaged PNG file: {depth} bits per sample, colour type {colour}")
    if not width or not height:
        raise GeometryError(f"has {width} x {height} pixels")
    if width * height > MAX_PIXELS:
        raise GeometryError(f"has {width} x {height} pixels; the limit is {MAX_PIXELS}", "reduce the image")
    return width, height


def _expanded(image: Any) -> Bytes:
    """The pixels with 1 (grey), 3 or 4 channels of 8 bits; with opacity if the file has it."""
    see_through = "transparency" in image.info
    if image.mode in ("P", "1", "L", "LA", "RGB") and (see_through or image.mode in ("P", "1", "LA")):
        image = image.convert("RGBA" if see_through or image.mode == "LA" else "RGB")
    if image.mode.startswith("I"):  # 16-bit grey
        return _high_bytes(image, image.info.get("transparency"))
    samples = np.asarray(image)
    return samples if samples.ndim == 3 else samples[..., None]


def _high_bytes(image: Any, hidden: int | None) -> Bytes:
    """The pixels of an image in grey of 16 bits; with opacity if one value is transparent. Few rows at a
    time, since samples and their copies take several times as much memory as the result.
    """
    width, height = image.size
    pixels = np.empty((height, width, 1 if hidden is None else 4), dtype=np.uint8)
    rows = max(1, AT_ONCE // width)
    for top in range(0, height, rows):
        grey = np.asarray(image.crop((0, top, width, min(top + rows, height))))
        pixels[top : top + rows] = (grey >> 8)[..., None]
        if hidden is not None:
            pixels[top : top + rows, :, 3] = np.where(grey == hidden, 0, 255)
    return pixels


def _channels(pixels: Bytes, channels: int) -> Bytes:
    have = pixels.shape[2]
    if channels == 1:
        return np.ascontiguousarray(pixels[..., :1])
    colours = pixels[..., :3] if have >= 3 else np.repeat(pixels[..., :1], 3, axis=2)
    if channels == 3:
        return np.ascontiguousarray(colours)
    if channels != 4:
        raise GeometryError(f"cannot be given {channels} channels; the number must be 1, 3 or 4")
    opacity = pixels[..., 3:] if have == 4 else np.full((*pixels.shape[:2], 1), 255, dtype=np.uint8)
    return np.concatenate([colours, opacity], axis=2)


def read_grid(data: bytes, form: str, width: int) -> NDArray[Any]:
    """MuJoCo's own format: two counts, then points of several numbers each, (second, first, width) or
    reversed.

    Args:
        data: the file's content.
        form: type of a number, "<f4" or "u1".
        width: numbers per point.

    Returns:
        (first count, second count, width)

    Raises:
        GeometryError: its size does not match its counts.
    """
    if len(data) < 8:
        raise GeometryError(f"ends after {len(data)} bytes; its header has 8")
    first, second = struct.unpack_from("<2i", data)
    size = 8 + max(first, 0) * max(second, 0) * width * np.dtype(form).itemsize
    if min(first, second) < 1 or size != len(data):
        known = "PNG" if data.startswith(SIGNATURE) else "JPEG" if data.startswith(b"\xff\xd8\xff") else None
        if known is not None:
            hint = "name it .png" if known == "PNG" else "convert it to PNG"
            raise GeometryError(f"is a {known} file that is not named .png", hint)
        raise GeometryError(f"declares {first} x {second} points, but has {len(data)} bytes", offset=0)
    return np.frombuffer(data, form, offset=8).reshape(first, second, width)
