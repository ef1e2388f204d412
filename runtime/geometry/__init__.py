"""Shapes, whatever format they come from: files of meshes and images, hulls, inertia. No document, no Model.

    from polybody import geometry

    mesh = geometry.load_mesh(path.read_bytes(), "stl", scale=(1e-3, 1e-3, 1e-3))     # a Mesh, as mjModel has
    it raw = geometry.raw_mesh(vertices, faces)                                          # a RawMesh, from
    numbers mesh = geometry.load_mesh(raw, inertia="exact")
    solid = mesh.inertia()                      # .measure (volume), .pos, .quat, .box, .moments(mass)
    size, pos, quat = geometry.fit(mesh, "capsule", aabb=True)
    mesh.hull.graph()                           # mesh_graph

    mass = density * geometry.measure("capsule", size, shell=False)
    moments = geometry.moments("capsule", size, mass)
    body = geometry.combined([geometry.Part(mass, pos, quat, moments), ...])          # a Part: mass, pos,
    quat, moments

What is wrong with a file or with numbers is a GeometryError: a predicate ("has 3 vertices; ..."), a hint, and
the byte or the line where it shows. Arrays that are handed out are shared and read-only.

    errors           GeometryError
    mesh_files       files of meshes: STL, OBJ, MSH; others by trimesh
    triangles        meshes as given, checked
    meshes           meshes made ready for a Model: frame, scale, normals, inertia
    hulls            convex hulls and their graphs
    fitting          primitive shapes fitted to meshes
    shapes           volumes, areas and inertia of primitive shapes, solid or hollow
    composition      the mass properties of rigidly joined parts
    jacobi           compiled: principal axes of inertia
    cache            what was made, by content
    loops, obj       compiled: sums over faces; OBJ files
    file_heads       whether a file holds what its name says, by its head
    gmsh             Gmsh's meshes
    inertia          whether six numbers can be moments of inertia

Everything is imported when first used: numpy with it, scipy for the first hull.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polybody.geometry.composition import Part as Part
    from polybody.geometry.composition import combined as combined
    from polybody.geometry.errors import GeometryError as GeometryError
    from polybody.geometry.fitting import Fit as Fit
    from polybody.geometry.fitting import fit as fit
    from polybody.geometry.hulls import Hull as Hull
    from polybody.geometry.hulls import convex_hull as convex_hull
    from polybody.geometry.jacobi import principal_axes as principal_axes
    from polybody.geometry.mesh_files import read_mesh as read_mesh
    from polybody.geometry.meshes import Mesh as Mesh
    from polybody.geometry.meshes import MeshInertia as MeshInertia
    from polybody.geometry.meshes import compile_mesh as compile_mesh
    from polybody.geometry.meshes import load_mesh as load_mesh
    from polybody.geometry.shapes import measure as measure
    from polybody.geometry.shapes import moments as moments
    from polybody.geometry.triangles import RawMesh as RawMesh
    from polybody.geometry.triangles import raw_mesh as raw_mesh

_HOMES = {
    "errors": ("GeometryError",),
    "mesh_files": ("read_mesh",),
    "triangles": ("RawMesh", "raw_mesh"),
    "meshes": ("Mesh", "MeshInertia", "compile_mesh", "load_mesh"),
    "hulls": ("Hull", "convex_hull"),
    "fitting": ("Fit", "fit"),
    "shapes": ("measure", "moments"),
    "composition": ("Part", "combined"),
    "jacobi": ("principal_axes",),
}
_FACE = {name: home for home, names in _HOMES.items() for name in names}


def _get(name: str) -> Any:
    if name not in _FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_FACE[name]}"), name)
    globals()[name] = value
    return value


if not TYPE_CHECKING:  # to type checkers a misspelt name is an error
    __getattr__ = _get
