"""Gmsh's meshes, versions 2.2 and 4.1, text and binary: the parts that MuJoCo uses for a flex.

The sections of a file are described in Gmsh's reference manual, "MSH file format". MuJoCo reads one block of
nodes and one of elements, which are lines, triangles or tetrahedra.
"""

from __future__ import annotations

import re
import struct
from itertools import islice
from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.geometry.file_heads import GMSH

VERSIONS = ("4.1", "2.2")
LONGEST = 20
"""Maximum number of digits of counts."""
CORNERS = {1: 2, 2: 3, 4: 4}
"""Number of nodes by Gmsh's number of a kind of element: lines, triangles, tetrahedra."""
OF_DIMENSION = {1: 1, 2: 2, 3: 4}
NODE = struct.Struct("<i3d")
"""A node in version 2.2: its tag and coordinates."""
HEAD = "<4Q3iQ"
"""The header of a section in version 4.1: blocks, entries, minimum and maximum tag; dimension, tag, kind,
entries of the block.
"""


class Wrong(Exception):
    """A fault of a file, as a predicate."""


class Elements(NamedTuple):
    """The content of a file."""

    dimension: int
    """Dimension of the elements: 2 or 3; in version 4.1 also 1."""
    points: NDArray[np.float64]
    """(n, 3)"""
    corners: NDArray[np.int32]
    """(m, dimension + 1): rows of ``points``."""


def load(data: bytes) -> Elements:
    """The points and elements of a file.

    Raises:
        Wrong: it cannot be read.
    """
    version, binary = _format(data)
    nodes, elements = (_section(data, name) for name in ("Nodes", "Elements"))
    if version == "4.1":
        return _new(nodes, elements, binary)
    return _old_binary(nodes, elements) if binary else _old(nodes, elements)


def fault(data: bytes) -> str | None:
    """The fault of a file, as a predicate; None if it can be read."""
    try:
        load(data)
    except Wrong as wrong:
        return str(wrong)
    return None


def _format(data: bytes) -> tuple[str, bool]:
    if not data.startswith(GMSH):
        raise Wrong("does not begin with $MeshFormat, as files of Gmsh do")
    words = data[len(GMSH) : 200].split()[:2]
    version = words[0].decode("ascii", "replace") if words else ""
    if version not in VERSIONS:
        raise Wrong(f"is of version {version[:10]!r} of Gmsh's format; MuJoCo reads {' and '.join(VERSIONS)}")
    return version, len(words) > 1 and words[1] != b"0"


def _section(data: bytes, name: str) -> bytes:
    start, end = data.find(f"${name}".encode()), data.find(f"$End{name}".encode())
    if start < 0 or end < 0:
        raise Wrong(f"has no section ${name} with an end")
    start += len(name) + 2  # the sign, and the end of the line
    if end < start:
        raise Wrong(f"ends the section ${name} before it begins")
    return data[start:end]


def _new(nodes: bytes, elements: bytes, binary: bool) -> Elements:
    count, least, dimension, _, data = _block(nodes, "Nodes", binary)
    tags, rest = _numbers(data, count, "node tags", binary)
    place = next((place for place, tag in enumerate(tags) if tag != least + place), None)
    if place is not None:
        raise Wrong(
            f"has node {tags[place]} where {least + place} is expected: tags of nodes must be sequential"
        )
    points = _reals(rest, 3 * count, "Nodes", binary)
    number, _, inside, kind, data = _block(elements, "Elements", binary)
    if inside != dimension:
        raise Wrong(f"has nodes of dimension {dimension} and elements of dimension {inside}")
    if kind != OF_DIMENSION[dimension]:
        raise Wrong(
            f"has elements of kind {kind}; of dimension {dimension} they are {OF_DIMENSION[dimension]}"
        )
    width = CORNERS[kind] + 1
    found, _ = _numbers(data, number * width, f"{number} elements", binary)
    _corners(found, width, 1, least, count)
    corners = [tag - least for place, tag in enumerate(found) if place % width]
    return _made(dimension, points, corners)


def _made(dimension: int, points: list[float], corners: list[int]) -> Elements:
    return Elements(
        dimension,
        np.array(points, dtype=np.float64).reshape(-1, 3),
        np.array(corners, dtype=np.int32).reshape(-1, dimension + 1),
    )


def _block(data: bytes, name: str, binary: bool) -> tuple[int, int, int, int, bytes]:
    """Of a section: number of entries, minimum tag, dimension, kind, and the bytes that follow."""
    if binary:
        size = struct.calcsize(HEAD)
        if len(data) < size:
            raise Wrong(f"ends within the header of ${name}")
        head, rest = struct.unpack(HEAD, data[:size]), data[size:]
    else:
        words = data.split(None, 8)
        rest = words.pop() if len(words) == 9 else b""
        try:
            head = tuple(map(int, words))
        except ValueError:
            head = ()
        if len(head) != 8:
            raise Wrong(f"has no header of eight integers in ${name}")
    blocks, count, least, _, dimension, _, kind, again = head
    if blocks != 1 or count != again:
        what = f"declares {blocks} of {count} in all, the first of {again}"
        raise Wrong(f"must have ${name} in a single block; its header {what}")
    if dimension not in OF_DIMENSION:
        raise Wrong(f"has ${name} of dimension {dimension}; it must be 1, 2 or 3")
    return count, least, dimension, kind, rest


def _numbers(data: bytes, count: int, what: str, binary: bool) -> tuple[list[int], bytes]:
    """A number of integers, and the bytes after them."""
    if count < 0:
        raise Wrong(f"declares {count} of its {what}")
    if binary:
        if len(data) < 8 * count:
            raise Wrong(f"ends before its {what}")
        return list(struct.unpack(f"<{count}Q", data[: 8 * count])), data[8 * count :]
    if count > len(data):
        raise Wrong(f"ends before its {what}")
    matches = list(islice(re.finditer(rb"\S+", data), count))
    wrong = next((match[0] for match in matches if not match[0].isdigit() or len(match[0]) > LONGEST), None)
    if wrong is not None:
        raise Wrong(f"has `{wrong[:20].decode('utf-8', 'replace')}` among its {what}")
    found = [int(match[0]) for match in matches]
    if len(found) < count:
        raise Wrong(f"has {len(found)} of the {count} numbers of its {what}")
    return found, data[matches[-1].end() :] if matches else data


def _reals(data: bytes, count: int, name: str, binary: bool) -> list[float]:
    """A number of finite reals."""
    if binary:
        if len(data) < 8 * count:
            raise Wrong(f"ends within the coordinates of ${name}")
        return _finite(list(struct.unpack(f"<{count}d", data[: 8 * count])))
    words, found = data.split()[:count], []
    for word in words:
        try:
            found.append(float(word))
        except ValueError:
            raise Wrong(f"has `{word[:20].decode('utf-8', 'replace')}` as a coordinate") from None
    if len(words) < count:
        raise Wrong(f"has {len(words)} of the {count} coordinates of ${name}")
    return _finite(found)


def _finite(numbers: list[float]) -> list[float]:
    wrong = next((number for number in numbers if not isfinite(number)), None)
    if wrong is not None:
        raise Wrong(f"has the coordinate {wrong:g}; coordinates must be finite")
    return numbers


def _corners(found: list[int], width: int, skip: int, least: int, count: int) -> None:
    """Check that the nodes of elements exist."""
    for place, tag in enumerate(found):
        if place % width >= skip and not least <= tag < least + count:
            raise Wrong(f"has an element with node {tag}; they are {least} to {least + count - 1}")


def _old(nodes: bytes, elements: bytes) -> Elements:
    """Version 2.2 as text: a count on a line, then numbers."""
    count, words = _counted(nodes, "Nodes")
    if len(words) < 4 * count:
        raise Wrong(f"has {len(words)} numbers for {count} nodes; each is a tag and three coordinates")
    points = _reals(b" ".join(words[: 4 * count]), 4 * count, "Nodes", False)
    number, words = _counted(elements, "Elements")
    try:
        numbers = list(map(int, words))
    except ValueError:
        raise Wrong("has elements that are not integers") from None
    corners = _triangles_or_tetrahedra(numbers[1] if len(numbers) > 1 else 0, number)
    start, found = 0, []
    for place in range(number):
        if start + 3 > len(numbers):
            raise Wrong(f"has {place} of its {number} elements")
        start += 5 if numbers[start + 2] > 0 else 3  # a tag, the kind, number of tags: two, if any
        given = numbers[start : start + corners]
        if len(given) < corners:
            raise Wrong(f"has {place} of its {number} elements")
        _corners(given, corners, 0, 1, count)
        found += [tag - 1 for tag in given]
        start += corners
    return _made(corners - 1, [x for place, x in enumerate(points) if place % 4], found)


def _triangles_or_tetrahedra(kind: int, number: int) -> int:
    """Number of corners of elements of a kind."""
    corners = CORNERS.get(kind, 0)
    if number and corners < 3:
        raise Wrong("has no elements that MuJoCo accepts, which are triangles (2) and tetrahedra (4)")
    return max(corners, 3)


def _counted(data: bytes, name: str) -> tuple[int, list[bytes]]:
    """The count on the first line of a section, and the words after it."""
    head, _, rest = data.partition(b"\n")
    head = head.strip()
    if not head.isdigit() or len(head) > LONGEST:
        raise Wrong(f"does not give the number of ${name}")
    return int(head), rest.split()


def _old_binary(nodes: bytes, elements: bytes) -> Elements:
    """Version 2.2, binary.

    After the count, a node consists of its tag in 32 bits and three coordinates. Elements have a header of
    three integers: their kind, the number of elements that follow, and the number of tags of each. Gmsh
    writes a header before each element, and two tags in it; fTetWild writes one header before all of them,
    and no tags.
    """
    count, data = _behind_count(nodes, "Nodes", NODE.size)
    rows = [NODE.unpack_from(data, place * NODE.size) for place in range(count)]
    number, data = _behind_count(elements, "Elements", 4 * 4)
    words = list(struct.unpack(f"<{len(data) // 4}i", data[: len(data) // 4 * 4]))
    corners = _triangles_or_tetrahedra(words[0] if words else 0, number)
    tags = 2 if len(words) > 2 and words[2] > 0 else 0
    head, width = (0, 3 + 1 + tags + corners) if tags else (3, 1 + corners)
    if len(words) < head + number * width:
        raise Wrong(f"ends before its {number} $Elements")
    found = []
    for place in range(number):
        end = head + (place + 1) * width
        given = words[end - corners : end]
        _corners(given, corners, 0, 1, count)
        found += [tag - 1 for tag in given]
    return _made(corners - 1, _finite([x for row in rows for x in row[1:]]), found)


def _behind_count(data: bytes, name: str, least: int) -> tuple[int, bytes]:
    """The count on the first line of a section, and the bytes after it; checks that there are enough."""
    line = data[:LONGEST].split(b"\n")[0]
    count = line.strip()
    if not count.isdigit():
        raise Wrong(f"does not give the number of ${name}")
    rest = data[len(line) + 1 :]
    if len(rest) < int(count) * least:
        raise Wrong(f"ends before its {int(count)} ${name}")
    return int(count), rest
