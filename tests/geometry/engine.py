"""MuJoCo's version of a shape, and whether ours is the same."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.testing import assert_array_equal
from polybody.geometry import Mesh

EXACT = 1e-12
"""Relative tolerance of doubles."""
SINGLE = 2.0**-22
"""Relative tolerance of 32-bit numbers: their rounding error."""


def compiled(
    assets: str, bodies: str, files: dict[str, bytes] | None = None, compiler: str = ""
) -> mujoco.MjModel:
    text = f"<mujoco><compiler {compiler}/><asset>{assets}</asset><worldbody>{bodies}</worldbody></mujoco>"
    return mujoco.MjModel.from_xml_string(text, files or {})


def of_mesh(data: bytes, kind: str, mesh: str = "", geom: str = "") -> mujoco.MjModel:
    """A mesh of a file, used by a geom of a body."""
    name = f"m.{kind}"
    return compiled(
        f'<mesh name="m" file="{name}" {mesh}/>',
        f'<body><geom type="mesh" mesh="m" {geom}/></body>',
        {name: data},
    )


def close(ours: object, theirs: object, within: float, scale: float = 0.0) -> None:
    """Equal within a tolerance relative to the largest number."""
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    assert a.shape == b.shape
    if a.size:
        assert np.abs(a - b).max() <= within * max(np.abs(b).max(), scale)


def same_mesh(ours: Mesh, model: mujoco.MjModel, shell: bool = False) -> None:
    """Compare every field derived from a mesh and from the one geom that uses it."""
    close(ours.vertices, model.mesh_vert, SINGLE)
    assert_array_equal(ours.faces, model.mesh_face)
    close(ours.normals, model.mesh_normal, SINGLE)
    assert_array_equal(ours.face_normals, model.mesh_facenormal)
    close(ours.texcoords, model.mesh_texcoord, SINGLE)
    assert_array_equal(ours.face_texcoords, model.mesh_facetexcoord)
    inertia = ours.inertia(shell)
    close(inertia.pos, model.mesh_pos[0], EXACT, 1.0)
    close(inertia.quat, model.mesh_quat[0], EXACT)
    close(1000 * inertia.measure, model.body_mass[1], EXACT)
    close(inertia.moments(1000 * inertia.measure), model.body_inertia[1], EXACT)
    close(ours.size, model.geom_size[0], EXACT)
    close(ours.aabb, model.geom_aabb[0], EXACT)
    if len(model.mesh_graph):
        assert ours.hull is not None
        same_graph(ours.hull.graph(), model.mesh_graph)


def same_graph(ours: np.ndarray, theirs: np.ndarray) -> None:
    """The same facets in the same order, and the same neighbours of each vertex in any order, which only
    Qhull determines.
    """
    vertices, faces = theirs[:2]
    assert_array_equal(ours[:2], theirs[:2])
    assert len(ours) == len(theirs)
    assert_array_equal(ours[-3 * faces :], theirs[-3 * faces :])
    assert _neighbours(ours) == _neighbours(theirs)
    assert ours[2] == theirs[2] == 0
    assert len(_neighbours(theirs)) == vertices


def _neighbours(graph: np.ndarray) -> dict[int, frozenset[int]]:
    vertices = int(graph[0])
    starts, names, rest = (
        graph[2 : 2 + vertices],
        graph[2 + vertices : 2 + 2 * vertices],
        graph[2 + 2 * vertices :],
    )
    found = {}
    for start, name in zip(starts, names, strict=True):
        end = start + int(np.flatnonzero(rest[start:] < 0)[0])
        found[int(name)] = frozenset(names[rest[start:end]].tolist())
    return found
