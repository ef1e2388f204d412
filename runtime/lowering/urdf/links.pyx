# cython: language_level=3, boundscheck=False, wraparound=False
"""The links and joints of URDF as those of a plant.

This module is compiled because robots have many of both, each with several elements and attributes. Rare cases, such as
errors, are left to `polybody.lowering.urdf.lower`.
"""

import math
from typing import NamedTuple

from libc.math cimport INFINITY

from polybody.base import children_of
from polybody.base.slotted import positional
from polybody.generated.formats.urdf import DrakeJoint, DrakeJointType, Joint, JointType, Link
from polybody.lowering.plants import plant as drake
from polybody.lowering.plants.inertias import TINY, sound
from polybody.lowering.plants.plant import JointKind
from polybody.rotations.poses import IDENTITY, Pose, z_to

from polybody.base.fields cimport Field, number_in, value_of
from polybody.rotations.turns cimport (
    composed, pose_of_origin, position_of, rotated_tensor, rotation_of, unit_vector,
)
from polybody.lowering.urdf.shapes cimport Shapes
from polybody.validation.moments cimport surely_possible

cdef double SHORTEST = 1e-8, SMALLEST = TINY
"""The norm below which Drake refuses an axis, and the smallest moments of inertia that a Model keeps unchanged."""
cdef tuple ORIGIN = (0.0, 0.0, 0.0), DEFAULT_AXIS = (1.0, 0.0, 0.0), NO_MOMENTS = (0.0,) * 6
cdef object FLOATS = JointType.FLOATING, hypot = math.hypot
cdef object make_link = positional(
    drake.Link, "name", "instance", "mass", "centre", "inertia", "pose", "geoms", "gravity", "touches_own", "floats",
    "node",
)
cdef object make_joint = positional(
    drake.Joint, "name", "instance", "kind", "parent", "child", "in_parent", "in_child", "axis", "pitch", "damping",
    "stiffness", "reference", "armature", "friction", "lumped", "lower", "upper", "start", "node",
)

# Of links and their elements.
cdef str WORLD = drake.WORLD
cdef Field LINK_IGNORED = Field("drake_ignore"), LINK_NAME = Field("name"), INERTIAL = Field("inertial")
cdef Field CENTRE = Field("origin"), MASS = Field("mass"), INERTIA = Field("inertia"), VALUE = Field("value")
cdef Field IXX = Field("ixx"), IYY = Field("iyy"), IZZ = Field("izz")
cdef Field IXY = Field("ixy"), IXZ = Field("ixz"), IYZ = Field("iyz")
# Of joints.
cdef Field IGNORED = Field("drake_ignore"), MIMIC = Field("mimic")
cdef Field NAME = Field("name"), TYPE = Field("type"), PLACE = Field("origin")
cdef Field PARENT = Field("parent"), PARENT_NAME = Field("link"), CHILD = Field("child"), CHILD_NAME = Field("link")
cdef Field AXIS = Field("axis"), XYZ = Field("xyz")
cdef Field DYNAMICS = Field("dynamics"), DAMPING = Field("damping"), FRICTION = Field("friction")
cdef Field LIMIT = Field("limit"), LOWER = Field("lower"), UPPER = Field("upper")
cdef Field VELOCITY = Field("velocity"), ACCELERATION = Field("drake_acceleration")


cdef class Kind:
    """What Drake reads of joints of one type."""

    cdef readonly object type, made
    cdef int velocities
    cdef bint axis, axis_unused, bounded, curved, fixed, planar, screw

    def __init__(self, type, made):
        self.type, self.made = type, made
        self.velocities = len(made.velocities)
        self.curved = made is JointKind.curvilinear
        self.axis_unused = made in (JointKind.ball, JointKind.universal) or self.curved
        self.axis = made not in (JointKind.ball, JointKind.weld)
        self.bounded, self.fixed = made in drake.BOUNDED, made is JointKind.weld
        self.planar, self.screw = made is JointKind.planar, made is JointKind.screw


cdef list KINDS = [
    Kind(JointType.REVOLUTE, JointKind.revolute),
    Kind(JointType.CONTINUOUS, JointKind.revolute),
    Kind(JointType.PRISMATIC, JointKind.prismatic),
    Kind(JointType.FIXED, JointKind.weld),
    Kind(JointType.PLANAR, JointKind.planar),
    Kind(DrakeJointType.BALL, JointKind.ball),
    Kind(DrakeJointType.UNIVERSAL, JointKind.universal),
    Kind(DrakeJointType.SCREW, JointKind.screw),
    Kind(DrakeJointType.PLANAR, JointKind.planar),
    Kind(DrakeJointType.CURVILINEAR, JointKind.curvilinear),
]


cdef object link_class = Link, joint_class = Joint, drake_joint = DrakeJoint


class Joints(NamedTuple):
    """The joints of a document that Drake reads, in the document's order."""

    made: list
    followers: list
    """The elements of those with a <mimic>."""


def links(reading, document, int instance):
    """The links of a document that are not to be ignored, with their inertia and shapes.

    Args:
        reading: receives findings and the world's element, and makes the shapes.
        document: as read.
        instance: the row of its model instance.
    """
    cdef list found = []
    cdef Shapes shapes = reading.shapes
    for node in children_of(document):
        if type(node) is not link_class or value_of(LINK_IGNORED, node):
            continue
        name = value_of(LINK_NAME, node)
        if name == WORLD:
            reading.world(node)
            continue
        name = name or ""
        mass, centre, moments = inertia(reading, name, value_of(INERTIAL, node))
        geoms = shapes.of(node)
        found.append(make_link(name, instance, mass, centre, moments, IDENTITY, geoms, True, True, False, node))
    return found


def joints(reading, document, dict rows, int instance):
    """The joints of a document that are not to be ignored, except those that float and, after a finding, those
    without a parent or child.

    Args:
        reading: receives findings, and what floats.
        document: as read.
        rows: the rows of links by name, the world's included.
        instance: the row of the model instance.
    """
    cdef list found = [], followers = []
    for node in children_of(document):
        if (type(node) is joint_class or type(node) is drake_joint) and not value_of(IGNORED, node):
            made = joint(reading, node, rows, instance)
            if made is not None:
                found.append(made)
            if value_of(MIMIC, node) is not None:
                followers.append(node)
    return Joints(found, followers)


cdef tuple inertia(reading, name, node):
    """Mass, centre of mass, and inertia about it in the link's axes."""
    cdef double mass = 0, xx, yy, zz, xy, xz, yz
    if node is None:
        return 0.0, ORIGIN, NO_MOMENTS
    origin = value_of(CENTRE, node)
    centre, turn = position_of(origin), rotation_of(origin, reading.quaternions)
    weight, given = value_of(MASS, node), value_of(INERTIA, node)
    moments = NO_MOMENTS
    if weight is not None:
        mass = number_in(VALUE, weight, 0)
    if given is not None:
        xx, yy, zz = number_in(IXX, given, 0), number_in(IYY, given, 0), number_in(IZZ, given, 0)
        xy, xz, yz = number_in(IXY, given, 0), number_in(IXZ, given, 0), number_in(IYZ, given, 0)
        # adding 0.0 makes -0.0 positive
        moments = rotated_tensor(turn, (xx + 0.0, yy + 0.0, zz + 0.0, xy + 0.0, xz + 0.0, yz + 0.0))
    xx, yy, zz, xy, xz, yz = moments
    if 0 < mass < INFINITY and SMALLEST < (xx + yy + zz) / 2 < INFINITY and surely_possible(xx, yy, zz, xy, xz, yz):
        return mass, centre, moments
    return sound(name, mass, centre, moments, node, reading.findings)


cdef object joint(reading, node, dict rows, int instance):
    """The joint of an element; None if the joint is floating, or after a finding."""
    cdef Kind kind = kind_of(value_of(TYPE, node))
    name = value_of(NAME, node) or ""
    if kind is None:
        reading.unmoved(node, name)
        return None
    parent = end(reading, value_of(PARENT, node), PARENT_NAME, rows)
    child = end(reading, value_of(CHILD, node), CHILD_NAME, rows)
    if parent is None or child is None:
        return None
    in_parent, in_child = pose_of_origin(value_of(PLACE, node), reading.quaternions), IDENTITY
    direction, bounds = value_of(AXIS, node), value_of(LIMIT, node)
    axis = axis_along(reading, direction) if kind.axis else DEFAULT_AXIS
    if kind.axis_unused and direction is not None:
        reading.without_effect(direction, f"<axis> of a {kind.made.name} joint has no effect, as in Drake")
    if bounds is not None and not kind.fixed and not kind.bounded:
        reading.without_effect(bounds, f"<limit> of a {kind.made.name} joint has no effect, as in Drake")
    if kind.planar:
        in_child = Pose(quat=z_to(axis))
        in_parent, axis = composed(in_parent, in_child), (0.0, 0.0, 1.0)
    damping, friction = dynamics(reading, name, value_of(DYNAMICS, node), kind)
    lower, upper = limits(reading, name, bounds) if kind.bounded and bounds is not None else (-INFINITY, INFINITY)
    pitch = screw_pitch(node) if kind.screw else 0.0
    made = make_joint(
        name, 0 if child == 0 else instance, kind.made, parent, child, in_parent, in_child, axis, pitch, damping,
        0.0, 0.0, 0.0, friction, False, lower, upper, (), node,
    )
    return reading.curved(node, made) if kind.curved else made


cdef Kind kind_of(type):
    """What Drake reads of a joint type; None if joints of this type are not made here."""
    cdef Kind kind
    for kind in KINDS:
        if kind.type is type:
            return kind
    return None


cdef object end(reading, node, Field named, dict rows):
    """The row of a joint's parent or child; None after a finding."""
    if node is None:
        return None
    name = value_of(named, node)
    row = rows.get(name or "")
    return reading.link_row(name, node) if row is None else row


cdef object axis_along(reading, node):
    """The unit vector of a joint's axis."""
    given = None if node is None else value_of(XYZ, node)
    if given is None:
        return DEFAULT_AXIS
    if <double> hypot(*given) < SHORTEST:
        reading.refuse(node, f"the axis {list(given)} has zero length", attribute="xyz")
        return DEFAULT_AXIS
    return unit_vector(given)


cdef tuple dynamics(reading, name, node, Kind kind):
    """Damping and friction, each per velocity."""
    if node is None or kind.fixed:
        return (), ()
    damping = value_of(DAMPING, node)
    if isinstance(damping, tuple):
        each, least = damping, min(damping)
    else:
        least = 0.0 if damping is None else damping
        each = (least,) * kind.velocities
    if least < 0:
        reading.refuse(node, f"the damping of joint `{name}` is negative", attribute="damping")
    return each, (value_of(FRICTION, node) or 0.0,) * kind.velocities


cdef tuple limits(reading, name, node):
    """Position limits; infinite if not given."""
    lower, upper = value_of(LOWER, node), value_of(UPPER, node)
    lower, upper = -INFINITY if lower is None else lower, INFINITY if upper is None else upper
    if lower > upper:
        message = f"the limits of joint `{name}` are reversed: {lower:g} to {upper:g}"
        reading.refuse(node, message, "exchange them", attribute="lower")
    # These have no effect, but Drake refuses negative values.
    if number_in(VELOCITY, node, 0) < 0:
        reading.refuse(node, f"`velocity` of joint `{name}` is negative", attribute="velocity")
    if number_in(ACCELERATION, node, 0) < 0:
        named = "drake:acceleration"
        reading.refuse(node, f"`{named}` of joint `{name}` is negative", attribute=named)
    return lower, upper


cdef object screw_pitch(node):
    """The pitch of a screw, m/rad."""
    given = node.drake_screw_thread_pitch if isinstance(node, DrakeJoint) else None
    return (0.0 if given is None or given.value is None else given.value) / (2 * math.pi)
