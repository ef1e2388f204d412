# cython: language_level=3, boundscheck=False, wraparound=False
"""The bodies of a plant's links, with the primitives of the joints that move them.

This module is compiled because robots have many of both. It makes the joints with one coordinate, which are most of them;
`polybody.lowering.plants.planted` makes the others.
"""

from polybody.base.slotted import positional
from polybody.generated.model import JointType, Prescription
from polybody.assembly import parts
from polybody.lowering.native import Same
from polybody.lowering.plants.growth import Mobilized
from polybody.lowering.plants.native import Moved
from polybody.lowering.plants.plant import BOUNDED, JointKind
from polybody.rotations.poses import IDENTITY

from polybody.base.fields cimport Field, value_of
from polybody.rotations.turns cimport composed, halves, inverted, turned

cdef object make_body = positional(
    parts.Body, "name", "parent", "pos", "quat", "mass", "ipos", "inertia", "iquat", "joints", "geoms", "sites",
    "gravcomp", "node",
)
cdef object make_joint = positional(
    parts.Joint, "name", "type", "pos", "axis", "pitch", "quat", "offset", "inparent", "vectorspring", "range", "limited",
    "armature", "damping", "stiffness", "frictionloss", "spring", "qpos0", "qvel0", "prescribed", "whole", "servorange",
    "node",
)
cdef object make_moved = positional(Moved, "name", "instance", "joint", "kind", "coordinates")
cdef object FIXED = JointKind.weld, SAME = Same(1), NOTHING = Prescription.nothing
cdef object mobilized = positional(Mobilized, "link", "parent", "joint", "reversed"), UPRIGHT = parts.IDENTITY, ORIGIN = parts.ORIGIN
cdef list SINGLE = [
    (JointKind.revolute, JointType.hinge),
    (JointKind.prismatic, JointType.slide),
    (JointKind.screw, JointType.screw),
]
"""Joints with one coordinate, and their primitives."""
cdef tuple WITH_LIMITS = tuple(BOUNDED)

# Of links, and of joints.
cdef Field LINK_NAME = Field("name"), LINK_INSTANCE = Field("instance"), MASS = Field("mass"), CENTRE = Field("centre")
cdef Field INERTIA = Field("inertia"), POSE = Field("pose"), GEOMS = Field("geoms"), GRAVITY = Field("gravity")
cdef Field LINK_NODE = Field("node"), GEOM_NAME = Field("name"), TOUCHES = Field("contype")
cdef Field NAME = Field("name"), INSTANCE = Field("instance"), KIND = Field("kind"), NODE = Field("node")
cdef Field IN_PARENT = Field("in_parent"), IN_CHILD = Field("in_child"), AXIS = Field("axis"), PITCH = Field("pitch")
cdef Field DAMPING = Field("damping"), STIFFNESS = Field("stiffness"), REFERENCE = Field("reference")
cdef Field ARMATURE = Field("armature"), FRICTION = Field("friction"), START = Field("start")
cdef Field LOWER = Field("lower"), UPPER = Field("upper")


cdef class Bodies:
    """Makes the bodies of a plant.

    Args:
        plant: the plant.
        armature: the inertia that actuators add to joints, kg m^2 or kg.
        friction, gravity: whether friction of joints applies, and whether links can be exempt from gravity.

    Attributes:
        alone: whether there is only one model.
        shape_names: the number of shapes with each name.
        bodies: the body of each link, by its row; None if not made yet.
        moved: the primitives of each joint.
        places: the index in `moving` of each joint that has coordinates.
        moving: the joints that have coordinates, in Drake's order.
    """

    cdef readonly list bodies, moving
    cdef readonly dict moved, places, shape_names
    cdef readonly bint alone
    cdef list links, instances
    cdef dict armature
    cdef bint friction, gravity

    def __cinit__(self, plant, dict armature, bint friction, bint gravity):
        self.armature, self.friction, self.gravity = armature, friction, gravity
        self.links, self.instances = plant.links, plant.instances
        self.bodies, self.moving, self.moved, self.places = [None] * len(self.links), [], {}, {}
        self.shape_names, self.alone = {}, len(self.instances) < 3
        first = None
        for link in self.links:
            for geom in value_of(GEOMS, link):
                name = value_of(GEOM_NAME, geom)
                self.shape_names[name] = self.shape_names.get(name, 0) + 1
        for link in self.links[1:]:
            owner = value_of(LINK_INSTANCE, link)
            first = owner if first is None else first
            self.alone &= owner == first

    def place(self, planting, list placed):
        """Make the bodies of links; the body of a link's parent in the tree must be made before or come earlier.

        Args:
            planting: gives full names, makes joints with several coordinates, and gives shapes unique names.
            placed: the links in their places in a tree, each a `Mobilized`.
        """
        return [self.placed(planting, each) for each in placed]

    cdef object placed(self, planting, placed):
        """The body of a link."""
        if type(placed) is not mobilized:
            raise TypeError(f"a {type(placed).__name__} is no link in its place")
        cdef tuple spot = <tuple> placed
        cdef Py_ssize_t row = spot[0], parent = spot[1]
        joint, reverse, link = spot[2], spot[3], self.links[row]
        name, inner, outer = self.named(planting, NAME, INSTANCE, joint), value_of(IN_PARENT, joint), value_of(IN_CHILD, joint)
        if reverse:
            inner, outer = outer, inner
        made, coordinates = self.primitives(planting, placed, joint, name, outer, link)
        pos, quat = halves(composed(inner, inverted(outer)))
        geoms = value_of(GEOMS, link)
        body = make_body(
            self.named(planting, LINK_NAME, LINK_INSTANCE, link), self.bodies[parent], pos, quat, value_of(MASS, link),
            value_of(CENTRE, link), value_of(INERTIA, link), None, made,
            shapes(planting, link, geoms) if geoms else [], [], 1.0 if self.gravity and not value_of(GRAVITY, link) else 0.0, value_of(LINK_NODE, link),
        )
        self.bodies[row] = body
        self.moved[joint] = made
        if coordinates is not None:
            self.places[joint] = len(self.moving)
            instance = self.instances[<Py_ssize_t> value_of(INSTANCE, joint)]
            self.moving.append(make_moved(name, instance, value_of(NAME, joint), value_of(KIND, joint), coordinates))
        return body

    cdef object named(self, planting, Field name, Field instance, part):
        """The full name of a link or joint if the plant has several models."""
        own = value_of(name, part)
        return own if self.alone else planting.named(value_of(instance, part), own)

    cdef tuple primitives(self, planting, placed, joint, name, outer, link):
        """The primitives of the joint that moves a link, and how they map to Drake's coordinates."""
        kind = value_of(KIND, joint)
        if kind is FIXED:
            return [], None
        for each, type in SINGLE:
            if each is kind:
                return [self.single(joint, type, kind, name, outer, (<tuple> placed)[3])], SAME
        return planting.primitives(placed, name, outer, value_of(POSE, link))

    cdef object single(self, joint, type, kind, name, outer, reverse):
        """The primitive of a joint with one coordinate."""
        pos, quat = halves(outer)
        axis, damping, friction = value_of(AXIS, joint), value_of(DAMPING, joint), value_of(FRICTION, joint)
        armature, start = value_of(ARMATURE, joint), value_of(START, joint)
        if outer is not IDENTITY:
            axis = turned(quat, axis)
        if reverse:
            x, y, z = axis
            axis = (-x, -y, -z)
        if self.armature:
            armature = armature + self.armature.get(joint, 0.0)
        return make_joint(
            name, type, pos, axis, value_of(PITCH, joint), UPRIGHT, ORIGIN, False, False,
            (value_of(LOWER, joint), value_of(UPPER, joint)) if kind in WITH_LIMITS else None, True, armature,
            damping[0] if damping else 0.0, value_of(STIFFNESS, joint),
            friction[0] if friction and self.friction else 0.0, (value_of(REFERENCE, joint),),
            (start[0] if start else 0.0,), None, NOTHING, False, None, value_of(NODE, joint),
        )


cdef list shapes(planting, link, list geoms):
    """The shapes of a link."""
    for geom in geoms:
        if value_of(GEOM_NAME, geom):
            return planting.shapes(link)
    return geoms[:]


def touching(list links):
    """The shapes of links that can collide."""
    return [geom for link in links for geom in value_of(GEOMS, link) if value_of(TOUCHES, geom)]
