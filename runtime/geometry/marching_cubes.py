"""Triangles of the surface on which a scalar field is zero: marching cubes.

Cubes are visited along x, then y, then z. The order of vertices and faces, and the rounding to 32 bits, are
those of MuJoCo 3.2.7, which uses the library MarchingCubeCpp.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]
Rows = NDArray[np.int32]
_ROWS = """
- 048 509 495489 1a4 1801a8 1a4950 51a5a99a8 b15 5b1804 0b109b 14818bb89 a5ba45 05b0b88ba 40949aa9b
8ba89b 286 062046 950628 295256654 41a286 a62a21120 0958621a4 61a621251295 28615b 604620b15
b09b10628 46162916919b 5a45ba286 2a625a5ba052 286a9ba49409 2a629a9ba 927 048792 250275 827874475
1a4279 1801a8792 250275a41 827871175a81 b15279 0485b1279 7b1712210 48242112717b a5ba45279
7928ba80b05b ba7a407a0702 7827b8ba8 879867 904947746 086065567 467475 7867981a4 79661a916901
a41567506086 a51a65675 87986715b 15b746794904 08606bb6710b 17b147467 4ba45b698679 670ba0a605b0790
ba06707b0860a40 67b6ba 36a a36048 36a095 94895436a 341364 680603301 341364950 958836538513 36a5b1
15b48036a 0b109b6a3 6a3b89b18148 b36b65564 8368030b305b 6b360b09b406 6b368b89b 2a328a 4a3430032
a28a32509 34a394954293 841812213 013032 509213281841 529512132 2a328a5b1 b150320434a3 38a32819b109
9b4324294a34b14 5b4428b24b32 b05b30320 3249b4b34094284 32939b 792a36 2796a3048 527502a36
36a475487827 436413927 927301360680 164136075027 138758518278368 36a79215b 0486a379215b a362102717b1
36ab17127142482 2795645b6b36 2798060360535b3 02b64b40b36b27b 6838b387b827 37939aa98 a04a30390379
8a0a370a7075 34a374754 184178798371 937903013 758138378418508 137175 5b1a98a39379 15ba34304370790
8a7107087b17a37 37a74a7147b1 4539838437935b3 9070370b305b 08437b 7b3 73b 0483b7 5093b7 4954893b7
b7341a 81a80173b 1a4b73095 3b79a895a51a 173157 715731804 973930031 148187789317 3a4347745
80aa7307a057 a40a03309397 3973a9a89 286b73 062046b73 2869503b7 b73654625295 3b7a41286 73b1201a2a62
1a48629503b7 3b762a21a291951 173157862 246204357315 628031093973 469319149739629 8627457343a4
57a20a05a62a73a 2867393093a0a40 2969a693a973 3923b9 3923b9480 b50b03302 54b482b42b23 93b92341a
0a801a2b923b 41a3023b0b50 235a858251a53b5 592521123 804123152592 031023 814821231 3a4349945239
a852353a5925805 43a403023 23a2a8 63b6b88b9 63b6b00b9460 86383003b0b5 b63b56546 1a48b986b63b
016b969063b61a6 1a450b03b083863 a616516b563b 985863583531 319469639049159 608630310 314346
983453593a43863 3a6059 6383083403a4 3a6 6b76ab b6ab76048 6b76ab095 854895a76ab7 1b7174476
0680b6b761b0 9504764171b7 891761681b71951 a15a56657 0486576a5a15 7696a1961910 7618919714816a1 476457
068056576 940974764 897876 72878bb8a b7aa0470a720 095b8ab78728 ab25424a2952b72 4284121721b7
71b721201 0954181281b2b72 5191291721b7 872817157a18 20a57a72a15a04a 1078a7a17287097 14a297 872847457
205257 842472497409 972 26a2a99ab 4809ab92a26a 26a2a55ab025 542ab2b526a2482 4166921961b9
b960161b6806926 64b02b26b50b41b 2681b5 6a1612215259 0489252152616a1 a26a12102 a16126182148 259265645
058568526592 026064 268 8ab8b9 4904a9ab9 0b508b8ab ab5a54 1841b8b98 01b0b9 1b4b84b08b50 b51
5a159a98a 4a0a90a59a15 10818a 14a 459498 590 084 -
"""
TRIANGLES = tuple(_ROWS.split())
"""For each cube type, a bit mask of the corners below zero, the edges with the corners of its triangles,
three digits for each triangle; "-" for none. W. E. Lorensen, H. E. Cline, Marching cubes, SIGGRAPH 1987.

Corners are numbered along x, then y, then z. Edges 0 to 3 are along x, 4 to 7 along y, 8 to b along z.
"""
EDGES = (
    *((0, 0, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 1, 1)),
    *((1, 0, 0, 0), (1, 1, 0, 0), (1, 0, 0, 1), (1, 1, 0, 1)),
    *((2, 0, 0, 0), (2, 1, 0, 0), (2, 0, 1, 0), (2, 1, 1, 0)),
)
"""The edges of a cube: the axis along which they run, and their beginnings, x, y and z."""


def marching_cubes(field: Singles) -> tuple[Singles, Rows, Singles]:
    """Vertices, (n, 3) in steps of the grid, faces, (m, 3), and normals at the vertices, (n, 3).

    Args:
        field: (nz, ny, nx).
    """
    below = field < 0
    numbers, vertices = _vertices(field, below)
    nz, ny, nx = (size - 1 for size in field.shape)
    kinds = np.zeros((nz, ny, nx), dtype=np.int64)
    for corner in range(8):
        x, y, z = corner & 1, corner >> 1 & 1, corner >> 2
        kinds |= below[z : z + nz, y : y + ny, x : x + nx].astype(np.int64) << corner
    cubes = np.flatnonzero((kinds > 0) & (kinds < 255))
    faces = _faces(kinds.ravel()[cubes], np.stack(np.unravel_index(cubes, kinds.shape)), numbers)
    return vertices, faces, _normals(vertices, faces)


def _vertices(field: Singles, below: NDArray[np.bool_]) -> tuple[list[Rows], Singles]:
    """The indices of the vertices on edges along each axis, -1 if there is none, and their positions.

    A vertex belongs to the first cube with its edge; in a cube, they are ordered as in EDGES.
    """
    shape = field.shape
    keys, places, found = [], [], []
    for axis in range(3):
        along = 2 - axis  # of the array
        low = tuple(slice(0, shape[k] - (k == along)) for k in range(3))
        high = tuple(slice(k == along, shape[k]) for k in range(3))
        crossed = np.nonzero(below[low] != below[high])
        z, y, x = crossed
        start, end = field[low][crossed], field[high][crossed]
        cube = [x, y, z]
        second = []
        for other in range(3):
            if other == axis:
                continue
            second.append(cube[other] > 0)  # otherwise the edge is at the beginning of its cube
            cube[other] = np.maximum(cube[other] - 1, 0)
        slot = 4 * axis + second[0] + 2 * second[1].astype(np.int64)
        key = ((cube[2] * (shape[1] - 1) + cube[1]) * (shape[2] - 1) + cube[0]) * 12 + slot
        place = np.stack([x, y, z], axis=1).astype(np.float32)
        place[:, axis] += start / (start - end)
        keys.append(key)
        places.append(place)
        found.append((np.full(tuple(s.stop for s in low), -1, dtype=np.int32), crossed))
    order = np.argsort(np.concatenate(keys), kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    first, numbers = 0, []
    for (grid, crossed), key in zip(found, keys, strict=True):
        grid[crossed] = rank[first : first + len(key)]
        numbers.append(grid)
        first += len(key)
    return numbers, np.concatenate(places)[order]


def _faces(kinds: NDArray[np.int64], cubes: NDArray[np.int64], numbers: list[Rows]) -> Rows:
    """The triangles of cubes, one cube after another."""
    z, y, x = cubes
    ends = np.stack([numbers[axis][z + c, y + b, x + a] for axis, a, b, c in EDGES], axis=1)
    lengths = np.array([0 if row == "-" else len(row) // 3 for row in TRIANGLES])
    table = np.zeros((256, 15), dtype=np.int64)
    for kind, row in enumerate(TRIANGLES):
        if row != "-":
            table[kind, : len(row)] = [int(digit, 16) for digit in row]
    corners = np.take_along_axis(ends, table[kinds], axis=1).reshape(len(kinds), 5, 3)
    wanted = np.arange(5)[None] < lengths[kinds][:, None]
    return np.ascontiguousarray(corners[wanted].astype(np.int32))


def _normals(vertices: Singles, faces: Rows) -> Singles:
    """Normalised sums of the area-weighted normals of the faces at each vertex."""
    a, b, c = vertices[faces[:, 0]], vertices[faces[:, 1]], vertices[faces[:, 2]]
    one, other = c - b, a - b
    normal = np.stack(
        [
            one[:, 1] * other[:, 2] - one[:, 2] * other[:, 1],
            one[:, 2] * other[:, 0] - one[:, 0] * other[:, 2],
            one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0],
        ],
        axis=1,
    )
    found = np.zeros_like(vertices)
    np.add.at(found, faces.ravel(), np.repeat(normal, 3, axis=0))
    x, y, z = found.T
    length = np.sqrt(x * x + y * y + z * z)[:, None]
    found /= np.where(length > 0, length, np.float32(1))
    return found
