"""Shapes, whatever format they come from: files of meshes and images, hulls, inertia. No document, no Model.

    from polybody import geometry

    mesh = geometry.load_mesh(path, scale=(1e-3, 1e-3, 1e-3))       # a Mesh, as mjModel has it
    raw = geometry.raw_mesh(vertices, faces)                        # a RawMesh, from numbers
    mesh = geometry.load_mesh(raw, inertia="exact", hull=False)
    solid = mesh.inertia()                  # .measure (volume), .pos, .quat, .moments(mass); may raise
    mesh.solid.pos, mesh.shell.quat         # the frame, for geoms that have no mass of it
    mesh.size, mesh.aabb                    # geom_size, geom_aabb
    mesh.hull.graph()                       # mesh_graph
    size, pos, quat = geometry.fit(mesh, "capsule", aabb=True, scale=fitscale)

    mass = density * geometry.measure("capsule", size, shell=False)
    moments = geometry.moments("capsule", size, mass)
    low, high, radius = geometry.bounds("capsule", size)
    body = geometry.combined([geometry.Part(mass, pos, quat, moments), ...])    # a Part of the whole
    moments, quat = geometry.principal_axes(tensor)

    geometry.height_field(path)             # hfield_data, (rows, columns); or of elevations
    geometry.texture("skybox", builtin="gradient", width=100)       # tex_data, (height, width, channels)
    geometry.load_skin(path), geometry.skin(vertices, texcoords, faces, bones)

Files are given as a Path or as bytes with their kind. What is wrong with a file or with numbers is a
GeometryError: a predicate ("has 3 vertices; ..."), a hint, and the byte or the line where it shows. Arrays
that are handed out may be shared, and are read-only then.

    errors           GeometryError
    mesh_files       files of meshes: STL, OBJ, MSH; VTK (vtk); others by trimesh (scenes)
    triangles        meshes as given, checked
    meshes           meshes made ready for a Model: frame, scale, normals, inertia
    newest_meshes    the same as in MuJoCo 4.0
    hulls            convex hulls and their graphs
    fitting          primitive shapes fitted to meshes
    shapes           volumes, areas and inertia of primitive shapes, solid or hollow
    composition      the mass properties of rigidly joined parts
    images           PNG files, and MuJoCo's own grids
    height_fields, textures, skins
    cache            files, read with care; what was made, by content
    loops, obj, jacobi   compiled: sums over faces and the like; OBJ files; principal axes
    file_heads       whether a file holds what its name says, by its head
    gmsh             Gmsh's meshes
    inertia          whether six numbers can be moments of inertia

Everything is imported when first used: scipy for the first hull, pillow for the first PNG.

flexes            deformable objects of lines, triangles or tetrahedra: their edges, surfaces, layers and
                  stiffness
marching_cubes    triangles of the surface on which a scalar field is zero: marching cubes
signed_distances  shapes given by their signed distance, which is negative inside: those of MuJoCo's
                  plugins, and their meshes
solids            volume, centre of mass and inertia of the solid that triangles enclose, in 64 bits from
                  the file's numbers on
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polybody.first_use import on_first_use

if TYPE_CHECKING:
    from polybody.geometry.composition import Part as Part
    from polybody.geometry.composition import combined as combined
    from polybody.geometry.errors import GeometryError as GeometryError
    from polybody.geometry.fitting import Fit as Fit
    from polybody.geometry.fitting import fit as fit
    from polybody.geometry.height_fields import height_field as height_field
    from polybody.geometry.hulls import Hull as Hull
    from polybody.geometry.hulls import convex_hull as convex_hull
    from polybody.geometry.jacobi import principal_axes as principal_axes
    from polybody.geometry.mesh_files import read_mesh as read_mesh
    from polybody.geometry.meshes import Mesh as Mesh
    from polybody.geometry.meshes import MeshInertia as MeshInertia
    from polybody.geometry.meshes import compile_mesh as compile_mesh
    from polybody.geometry.meshes import load_mesh as load_mesh
    from polybody.geometry.shapes import bounds as bounds
    from polybody.geometry.shapes import measure as measure
    from polybody.geometry.shapes import moments as moments
    from polybody.geometry.skins import Bone as Bone
    from polybody.geometry.skins import Skin as Skin
    from polybody.geometry.skins import load_skin as load_skin
    from polybody.geometry.skins import skin as skin
    from polybody.geometry.textures import texture as texture
    from polybody.geometry.triangles import RawMesh as RawMesh
    from polybody.geometry.triangles import raw_mesh as raw_mesh

_HOMES = {
    "errors": ("GeometryError",),
    "mesh_files": ("read_mesh",),
    "triangles": ("RawMesh", "raw_mesh"),
    "meshes": ("Mesh", "MeshInertia", "compile_mesh", "load_mesh"),
    "hulls": ("Hull", "convex_hull"),
    "fitting": ("Fit", "fit"),
    "shapes": ("bounds", "measure", "moments"),
    "composition": ("Part", "combined"),
    "jacobi": ("principal_axes",),
    "height_fields": ("height_field",),
    "textures": ("texture",),
    "skins": ("Bone", "Skin", "load_skin", "skin"),
}

if not TYPE_CHECKING:  # a misspelt name is an error to type checkers
    __getattr__ = on_first_use(__name__, _HOMES)
