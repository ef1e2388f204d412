# cython: language_level=3, boundscheck=False, wraparound=False
"""Collisions and visuals of URDF as geoms, with materials, meshes and friction.

This module is compiled because robots have many of both.
"""

from polybody.base import children_of
from polybody.base.slotted import positional
from polybody.generated.formats.urdf import (
    Box, Capsule, Collision, Cylinder, DrakeCapsule, DrakeEllipsoid, Mesh, Sphere, Visual,
)
from polybody.generated.model import ShapeType
from polybody.assembly.parts import COLLISION, VISUAL, Geom, Material

from polybody.base.fields cimport Field, number_in, value_of
from polybody.rotations.turns cimport position_of, rotation_of

cdef tuple GREY = (0.5, 0.5, 0.5, 1.0)
"""The colour of a visual without one."""
cdef dict KINDS = {
    Box: ShapeType.box,
    Sphere: ShapeType.sphere,
    Cylinder: ShapeType.cylinder,
    Capsule: ShapeType.capsule,
    DrakeCapsule: ShapeType.capsule,
    Mesh: ShapeType.mesh,
    DrakeEllipsoid: ShapeType.ellipsoid,
}
"""The shapes, in the order in which Drake looks for them."""
cdef object BOX = ShapeType.box, SPHERE = ShapeType.sphere, ELLIPSOID = ShapeType.ellipsoid, MESH = ShapeType.mesh
cdef dict RANKS = {cls: rank for rank, cls in enumerate(KINDS)}
cdef tuple ROLLING = (0.005, 0.0001)
"""Torsional and rolling friction, m: the Model's defaults, because URDF has neither."""
cdef tuple SLIDING = (1.0, *ROLLING)
"""Friction of a collision that gives none."""
cdef tuple NO_SIZE = (0.0, 0.0, 0.0)
cdef object visuals = VISUAL, collisions = COLLISION, make_material = positional(Material, "name", "rgba")
cdef object make_geom = positional(
    Geom, "name", "type", "size", "pos", "quat", "rgba", "mesh", "material", "mass", "group", "contype", "conaffinity",
    "condim", "friction", "stiffness", "damping", "dissipation", "node",
)

cdef Field TOUCHED_NAME = Field("name"), TOUCHED_PLACE = Field("origin"), TOUCHED_GEOMETRY = Field("geometry")
cdef Field PROPERTIES = Field("drake_proximity_properties"), COMPLIANCE = Field("drake_compliance")
cdef Field SEEN_NAME = Field("name"), SEEN_PLACE = Field("origin"), SEEN_GEOMETRY = Field("geometry")
cdef Field MATERIAL = Field("material"), MATERIAL_NAME = Field("name"), COLOUR = Field("color"), RGBA = Field("rgba")
cdef Field ILLUSTRATED = Field("drake_illustration_properties"), PERCEIVED = Field("drake_perception_properties")
cdef Field SIZE = Field("size"), BALL_RADIUS = Field("radius"), RADIUS = Field("radius"), LENGTH = Field("length")


cdef class Shapes:
    """Makes geoms of the links of one document.

    Args:
        document: the document as read.
        meshes: the meshes of its plant.
        quaternions: whether quaternions of origins count.
    """

    def __init__(self, document, meshes, bint quaternions):
        self.document, self.meshes, self.colours, self.materials = document, meshes, {}, {}
        self.quaternions = quaternions
        for material in document.material:
            if material.name and material.color is not None and material.color.rgba is not None:
                self.colours.setdefault(material.name, material.color.rgba)

    def geoms(self, link):
        """The geoms of a link: collisions, then visuals. A shape with a faulty mesh is omitted."""
        return self.of(link)

    cdef list of(self, link):
        """The same for compiled callers."""
        cdef list found = [], seen = []
        for child in children_of(link):
            if type(child) is Collision:
                geom = self.touching(child)
                if geom is not None:
                    found.append(geom)
            elif type(child) is Visual:
                seen.append(child)
        for child in seen:
            geom = self.seen(child)
            if geom is not None:
                found.append(geom)
        return found

    cdef object touching(self, node):
        """The geom of a collision, with its friction, and the stiffness and dissipation of its point contact."""
        shape = first_shape(value_of(TOUCHED_GEOMETRY, node))
        if shape is None:
            return None
        own, legacy = value_of(PROPERTIES, node), value_of(COMPLIANCE, node)
        slides = SLIDING if own is None and legacy is None else (friction(own, legacy), *ROLLING)
        stiffness = dissipation = None
        if own is not None:
            stiffness, dissipation = own.drake_point_contact_stiffness, own.drake_hunt_crossley_dissipation
            stiffness = None if stiffness is None else stiffness.value
            dissipation = None if dissipation is None else dissipation.value
        kind = KINDS[type(shape)]
        mesh = self.mesh(shape, True) if kind is MESH else None
        if kind is MESH and mesh is None:
            return None
        place = value_of(TOUCHED_PLACE, node)
        return make_geom(
            value_of(TOUCHED_NAME, node) or "", kind, size_of(kind, shape), position_of(place),
            rotation_of(place, self.quaternions), GREY,
            mesh, None, 0.0, collisions, 1, 1, 3, slides, stiffness, None, dissipation, node,
        )

    cdef object seen(self, node):
        """The geom of a visual."""
        colour, material = self.look(value_of(MATERIAL, node))
        if is_off(value_of(ILLUSTRATED, node)) and is_off(value_of(PERCEIVED, node)):
            return None  # never rendered: both of Drake's visual roles are disabled
        shape = first_shape(value_of(SEEN_GEOMETRY, node))
        if shape is None:
            return None
        kind = KINDS[type(shape)]
        mesh = self.mesh(shape, False) if kind is MESH else None
        if kind is MESH and mesh is None:
            return None
        place = value_of(SEEN_PLACE, node)
        return make_geom(
            value_of(SEEN_NAME, node) or "", kind, size_of(kind, shape), position_of(place),
            rotation_of(place, self.quaternions), colour,
            mesh, material, 0.0, visuals, 0, 0, 3, SLIDING, None, None, None, node,
        )

    cdef object mesh(self, shape, bint touching):
        """The mesh of a shape; None after a finding."""
        scale = 1.0 if shape.scale is None else shape.scale
        factors = scale if isinstance(scale, tuple) else (scale,) * 3
        return self.meshes.asset(shape, "filename", self.document, factors, touching=touching)

    cdef tuple look(self, own):
        """Colour and material. A named material with a colour defines that colour for later elements."""
        if own is None:
            return GREY, None
        name, color = value_of(MATERIAL_NAME, own) or "", value_of(COLOUR, own)
        colour = None if color is None else value_of(RGBA, color)
        if colour is None:
            colour = self.colours.get(name)
        elif name:
            self.colours.setdefault(name, colour)
        if colour is None:
            return GREY, None
        if not name or self.colours.get(name) != colour:
            return colour, None
        known = self.materials.get(name)
        if known is None:
            known = self.materials[name] = make_material(name, colour)
        return colour, known


cdef object first_shape(geometry):
    """The first shape of a geometry, in the order in which Drake looks for them."""
    shapes = () if geometry is None else children_of(geometry)
    if not shapes:
        return None
    return shapes[0] if len(shapes) == 1 else min(shapes, key=lambda each: RANKS[type(each)])


cdef tuple size_of(kind, shape):
    """The size of a shape, as the Model's geoms have it."""
    if kind is BOX:
        x, y, z = value_of(SIZE, shape) or NO_SIZE
        return x / 2, y / 2, z / 2
    if kind is SPHERE:
        return (value_of(BALL_RADIUS, shape) or 0.0,)
    if kind is ELLIPSOID:
        return shape.a or 0.0, shape.b or 0.0, shape.c or 0.0
    if kind is MESH:
        return NO_SIZE
    return value_of(RADIUS, shape) or 0.0, (number_in(LENGTH, shape, 0) + 0.0) / 2


cdef object friction(own, legacy):
    """The coefficient of sliding friction: Drake's dynamic one, or the static one if only that is given."""
    if own is not None:
        for found in (own.drake_mu_dynamic, own.drake_mu_static):
            if found is not None and found.value is not None:
                return float(found.value)
    if legacy is not None and legacy.dynamic_friction is not None and legacy.dynamic_friction.text is not None:
        return float(legacy.dynamic_friction.text)
    return 1.0


cdef bint is_off(role) except -1:
    """Whether a role is disabled."""
    return role is not None and role.enabled is not None and role.enabled.value == "false"
