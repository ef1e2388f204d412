"""Skins: meshes whose vertices follow bones."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.geometry.cache import STORE, content_of, digest, digest_of_file
from polybody.geometry.errors import GeometryError

Singles = NDArray[np.float32]
Rows = NDArray[np.int32]

NAME = 40
"""Length of a bone's name in a file in bytes, the last one zero."""
SMALL = 1e-15
"""A weight, or the length of a quaternion, up to this is treated as zero."""


@dataclass(frozen=True, slots=True, eq=False)
class Bone:
    """A body that moves vertices of a skin."""

    body: str
    """Its name."""
    bindpos: Singles
    """(3,): position of the body in the bind pose, m."""
    bindquat: Singles
    """(4,), of unit length"""
    vertices: Rows
    """(n,): the vertices that it moves."""
    weights: Singles
    """(n,): weights; for each vertex, those of all bones sum to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """A skin as in mjModel. Its arrays must not be written to."""

    vertices: Singles
    """(n, 3), m, in the world's frame"""
    texcoords: Singles
    """(n, 2), or none"""
    faces: Rows
    """(m, 3): rows of ``vertices``."""
    bones: tuple[Bone, ...]


BoneGiven = tuple[str, ArrayLike, ArrayLike, ArrayLike, ArrayLike]
"""Body, bindpos, bindquat, vertices and weights of a bone, as documents give them."""


def load_skin(given: Path | bytes) -> Skin:
    """The skin of a file in MuJoCo's format.

    Raises:
        GeometryError: it cannot be read, or does not define a skin.
    """
    if isinstance(given, Path):
        name, data = digest_of_file(given)
        return STORE.get(("skin", name), lambda: _read(content_of(given, name) if data is None else data))
    return STORE.get(("skin", digest(given)), lambda: _read(given))


def skin(vertices: ArrayLike, texcoords: ArrayLike, faces: ArrayLike, bones: Sequence[BoneGiven]) -> Skin:
    """A skin from numbers, flat or in rows.

    Raises:
        GeometryError: the numbers do not define a skin.
    """
    points = _floats(vertices, 3, "vertex coordinates")
    coordinates = _floats(texcoords, 2, "texture coordinates")
    triangles = np.asarray(faces, dtype=np.int32)
    if triangles.size % 3:
        raise GeometryError(f"has {triangles.size} indices of faces, which is not a multiple of 3")
    if not len(points) or not triangles.size or not bones:
        raise GeometryError(f"has {len(points)} vertices, {triangles.size // 3} faces and {len(bones)} bones")
    if len(coordinates) not in (0, len(points)):
        raise GeometryError(f"has {len(coordinates)} texture coordinates for {len(points)} vertices")
    if triangles.min() < 0 or triangles.max() >= len(points):
        wrong = triangles[(triangles < 0) | (triangles >= len(points))][0]
        raise GeometryError(f"has a face with vertex {wrong}; there are {len(points)}")
    made = [_bone(bone, len(points)) for bone in bones]
    total = np.zeros(len(points), dtype=np.float32)
    for bone in made:
        np.add.at(total, bone.vertices, bone.weights)
    if not (total > SMALL).all():
        place = int(np.flatnonzero(~(total > SMALL))[0])
        raise GeometryError(f"has vertex {place} without a positive weight in all bones together")
    weighed = (
        Bone(bone.body, bone.bindpos, bone.bindquat, bone.vertices, bone.weights / total[bone.vertices])
        for bone in made
    )
    return Skin(points, coordinates, triangles.reshape(-1, 3), tuple(weighed))


def _floats(given: ArrayLike, width: int, what: str) -> Singles:
    with np.errstate(over="ignore"):
        array = np.asarray(given, dtype=np.float32)
    if array.size % width:
        raise GeometryError(f"has {array.size} {what}, which is not a multiple of {width}")
    if not np.isfinite(array).all():
        raise GeometryError(f"has {what} that are not finite")
    return array.reshape(-1, width)


def _bone(given: BoneGiven, count: int) -> Bone:
    body, bindpos, bindquat, vertices, weights = given
    at = np.asarray(vertices, dtype=np.int32).ravel()
    of = _floats(weights, 1, "weights").ravel()
    if not at.size or at.size != of.size:
        raise GeometryError(f"has a bone {body!r} with {at.size} vertices and {of.size} weights")
    if at.min() < 0 or at.max() >= count:
        wrong = at[(at < 0) | (at >= count)][0]
        raise GeometryError(f"has a bone {body!r} with vertex {wrong}; there are {count}")
    pos = _floats(bindpos, 3, "coordinates of bindpos")
    quat = _floats(bindquat, 4, "components of bindquat")
    if len(pos) != 1 or len(quat) != 1:
        raise GeometryError(
            f"has a bone {body!r} with {pos.size} numbers in bindpos and {quat.size} in bindquat"
        )
    exact = quat[0].astype(np.float64)
    length = float(np.sqrt(exact @ exact))
    if length > SMALL:
        exact = exact / length
    return Bone(body, pos[0], exact.astype(np.float32), at, of)


def _read(data: bytes) -> Skin:
    if not data:
        raise GeometryError("is empty")
    if len(data) < 16:
        raise GeometryError(f"ends after {len(data)} bytes; the header of a skin has 16")
    counts = struct.unpack_from("<4i", data)
    if min(counts) < 0:
        raise GeometryError("does not begin with the four counts of a skin", offset=0)
    vertices, texcoords, faces, bones = counts
    at = 16 + 12 * vertices + 8 * texcoords + 12 * faces
    if at + bones * (NAME + 4 * 8) > len(data):
        raise GeometryError(f"has {len(data)} bytes, which is less than its header requires", offset=0)
    points = np.frombuffer(data, "<f4", 3 * vertices, 16)
    coordinates = np.frombuffer(data, "<f4", 2 * texcoords, 16 + 12 * vertices)
    triangles = np.frombuffer(data, "<i4", 3 * faces, 16 + 12 * vertices + 8 * texcoords)
    given: list[BoneGiven] = []
    for bone in range(bones):
        if at + NAME + 32 > len(data):
            raise GeometryError(f"ends before bone {bone}", offset=at)
        name = data[at : at + NAME - 1].split(b"\0")[0].decode("utf-8", "replace")
        pose = np.frombuffer(data, "<f4", 7, at + NAME)
        (size,) = struct.unpack_from("<i", data, at + NAME + 28)
        at += NAME + 32
        if size < 1:
            raise GeometryError(f"has bone {bone} with {size} vertices", offset=at - 4)
        if at + 8 * size > len(data):
            raise GeometryError(f"ends within the vertices of bone {bone}", offset=at)
        moved, weights = np.frombuffer(data, "<i4", size, at), np.frombuffer(data, "<f4", size, at + 4 * size)
        given.append((name, pose[:3], pose[3:], moved, weights))
        at += 8 * size
    if at != len(data):
        raise GeometryError(f"has {len(data) - at} bytes after its last bone", offset=at)
    return skin(points, coordinates, triangles, given)
