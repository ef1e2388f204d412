"""The parts of an assembly made from one body or robot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, NamedTuple

from polybody.assembly.parts import Actuator, Assembly, Body, Equality, Follows, Geom, Joint, Site
from polybody.generated.formats.openrave import JointType as Kind
from polybody.generated.model import EqualityType, JointType
from polybody.lowering.openrave.geoms import Meshes, geom_of
from polybody.lowering.openrave.mimic import Follower, polynomial
from polybody.lowering.openrave.notes import UNUSED, Notes
from polybody.lowering.openrave.parts import JointPart, Kin, Link, ManipulatorPart, SensorPart
from polybody.lowering.openrave.poses import exponential, scaled
from polybody.lowering.openrave.tree import Root, Tree
from polybody.rotations.poses import ORIGIN, Pose, Vector, turned


class Unique:
    """Unique names of one kind in a Model."""

    def __init__(self, *taken: str) -> None:
        self.taken = set(taken)

    def name(self, wanted: str) -> str:
        """A name that is not used: the wanted one, or the wanted one with a number."""
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}.{number}"
        self.taken.add(name)
        return name


class Rows(NamedTuple):
    """The Model's parts made from a body or robot, by the document's."""

    scope: str
    """The prefix of names."""
    bodies: dict[Link, Body]
    joints: dict[JointPart, list[Joint]]
    """The joints of the Model for each joint that moves a link, in the order of its axes."""
    free: list[tuple[Body, Root]]


class Names(NamedTuple):
    """Names in the Model."""

    body: Unique
    joint: Unique
    geom: Unique
    site: Unique


def add_links(
    assembly: Assembly,
    kin: Kin,
    tree: Tree,
    poses: dict[Link, Pose],
    held: frozenset[Root],
    scope: str,
    names: Names,
    meshes: Meshes,
    friction: float,
) -> Rows:
    """Add the links of a body, each as a child of its parent, with their shapes.

    Args:
        assembly: receives the links.
        kin, tree: the body.
        poses: poses of its links after loading.
        held: kinds of roots that are fixed.
        scope, names: give the names of the links.
        meshes, friction: properties of their shapes.
    """
    rows = Rows(scope, {}, {}, [])
    chosen = {link: names.body.name(scope + link.name) for link in kin.links if link.named}
    for link in tree.links:
        name = chosen.get(link) or names.body.name(scope + link.name)
        joint = tree.placing.get(link)
        if joint is None:
            pose, parent = poses[link], None
            if tree.roots[link] is Root.LOOSE and Root.LOOSE in held:
                base = kin.links[0]
                parent, pose = rows.bodies.get(base), poses[base].inverse() @ pose
        else:
            above = tree.parent(link)
            assert above is not None
            parent = rows.bodies[above]
            pose = joint.rel if joint.second is link else joint.rel.inverse()
        assert link.mass is not None
        body = Body(
            name,
            parent,
            pose.pos,
            pose.quat,
            link.mass.mass,
            link.mass.com,
            link.mass.inertia,
            geoms=[*_geoms(link, names.geom, meshes, friction)],
            node=link.node,
        )
        rows.bodies[link] = assembly.body(body)
        if joint is None and tree.roots[link] not in held:
            rows.free.append((body, tree.roots[link]))
            start = [*pose.pos, *pose.quat]
            body.joints.append(Joint(name, JointType.free, qpos0=start, node=link.node))
    return rows


def _geoms(link: Link, names: Unique, meshes: Meshes, friction: float) -> Iterable[Geom]:
    for shape in link.shapes:
        node = shape.node
        given = node.name or (node.name_.text if node.name_ is not None else None)
        geom = geom_of(shape, given or "", link.collides, meshes)
        if geom is not None:
            geom.name = names.name(given) if given else ""
            geom.friction = (friction, *tuple(geom.friction)[1:])
            yield geom


# --- joints -------------------------------------------------------------------------------------------------


def add_joints(
    rows: Rows, tree: Tree, begins: dict[JointPart, int], values: Sequence[float], names: Unique
) -> list[tuple[JointPart, Joint, int]]:
    """Add the joints that place bodies.

    Returns:
        Each joint of the Model with its joint in the document and the number of its axis, for a ball the
        first of three.
    """
    found = []
    for link in tree.links:
        part = tree.placing.get(link)
        if part is None or part.rigid:
            continue
        forward = part.second is link
        begin = begins[part]
        made = _primitives(part, forward, values[begin : begin + len(part.dofs)], rows.scope, names)
        rows.joints[part] = [joint for _, joint in made]
        in_order = made if forward else made[::-1]
        rows.bodies[link].joints += [joint for _, joint in in_order]
        found += [(part, joint, begin + place) for place, joint in made]
    return found


def _primitives(
    part: JointPart, forward: bool, values: Sequence[float], scope: str, names: Unique
) -> list[tuple[int, Joint]]:
    """The Model's joints for the axes of a joint, in the frame of the link that they move."""
    back = part.rel.inverse()
    pos = back.point(part.anchor) if forward else part.anchor
    if part.type is Kind.SPHERICAL:
        vector = turned(back.quat, values) if forward else scaled(-1.0, values)
        ball = Joint(
            names.name(scope + part.name), JointType.ball, pos, qpos0=exponential(vector), node=part.node
        )
        return [(0, ball)]
    kind = JointType.hinge
    if part.type is Kind.SLIDER:
        kind, pos = JointType.slide, ORIGIN  # # its axis has no position
    found = []
    for place, (dof, value) in enumerate(zip(part.dofs, values, strict=True)):
        if dof.fixed:
            continue
        name = scope + (part.name if place == 0 else f"{part.name}_{place}")
        axis = turned(back.quat, dof.axis) if forward else scaled(-1.0, dof.axis)
        joint = Joint(names.name(name), kind, pos, axis, qpos0=[value], node=part.node)
        if isfinite(dof.low) or isfinite(dof.high):
            joint.range = (dof.low, dof.high)
        found.append((place, joint))
    for _, joint in found:
        _motor(part, joint)
    return found


def _motor(part: JointPart, joint: Joint) -> None:
    """Add the effects of a joint's motor to a joint of the Model."""
    motor = part.node.actuator
    if motor is None:
        return
    gear = _number(motor.gear_ratio, 1.0)
    joint.armature = _number(motor.rotor_inertia, 0.0) * gear**2
    joint.damping = _number(motor.viscous_friction, 0.0)
    joint.frictionloss = _number(motor.coloumb_friction, 0.0)


def _number(node: Any, otherwise: float) -> float:
    return otherwise if node is None or node.text is None else float(node.text)


def add_motors(
    assembly: Assembly,
    made: Iterable[tuple[JointPart, Joint, int]],
    begins: dict[JointPart, int],
    notes: Notes,
) -> None:
    """Add a motor for every moving axis that has an index, with the force limit that the document gives."""
    for part, joint, axis in made:
        if not part.indexed:
            continue
        if joint.type is JointType.ball:
            notes.counted(UNUSED, part.node, "torques on a spherical joint: the Model has no such actuator")
            continue
        greatest = _greatest(part, axis - begins[part])
        bounds = None if greatest <= 0 else (-greatest, greatest)
        assembly.actuators.append(Actuator(joint.name, joint, forcerange=bounds, node=part.node))


def _greatest(part: JointPart, place: int) -> float:
    """The largest torque of an axis; 0 if unknown."""
    node = part.node
    given = () if node.maxtorque is None else node.maxtorque.text or ()
    if place < len(given) and given[place] > 0:
        return float(given[place])
    motor = node.actuator
    if motor is None:
        return 0.0
    return _number(motor.max_instantaneous_torque, 0.0) * _number(motor.gear_ratio, 1.0)


def add_followers(
    assembly: Assembly,
    followers: Iterable[Follower],
    by_axis: dict[int, tuple[JointPart, Joint]],
    fixed: frozenset[int],
    notes: Notes,
) -> None:
    """Add an equality for every mimic axis: a polynomial of one joint, or the formula itself."""
    for row in followers:
        if row.axis not in by_axis:
            continue  # # it is rigid, or places no link
        part, joint = by_axis[row.axis]
        drivers = {axis for axis in row.drivers.values() if axis not in fixed}
        lost = drivers - by_axis.keys()
        if lost or joint.type is JointType.ball:
            what = "follows a joint that places no link" if lost else "is spherical and follows others"
            notes.refuse(part.node, f"`{part.name}` {what}: a Model has no such constraint")
            continue
        coefficients = polynomial(row.formula)
        name = f"{joint.name}_follows"
        if coefficients is not None:
            other = next((by_axis[axis][1] for axis in drivers), None)
            data = coefficients if other is not None else coefficients[:1]
            assembly.equalities.append(
                Equality(EqualityType.joint, joint, other, data, name=name, node=part.node)
            )
            continue
        follows = Follows(
            row.formula,
            {v: 0.0 if axis in fixed else by_axis[axis][1] for v, axis in row.drivers.items()},
            [(by_axis[axis][1], slope) for axis, slope in row.first if axis not in fixed],
            row.roots,
        )
        assembly.equalities.append(
            Equality(EqualityType.formula, joint, formula=follows, name=name, node=part.node)
        )


def add_loops(assembly: Assembly, rows: Rows, tree: Tree, notes: Notes) -> None:
    """Add equalities for joints that close loops, unless formulas close them."""
    for part in tree.closing:
        first, second = rows.bodies[part.first], rows.bodies[part.second]
        path = tree.path(part.first, part.second)
        if part.mimics or any(joint.mimics for joint in path or ()):
            notes.differs(
                part.node, f"the loop that `{part.name}` closes is closed by formulas: it needs no constraint"
            )
            continue
        if part.first.static and part.second.static:
            continue
        if part.rigid:
            pose = (*part.rel.pos, *part.rel.quat)
            data = (0.0, 0.0, 0.0, *pose, 1.0)
            assembly.equalities.append(
                Equality(EqualityType.weld, first, second, data, name=part.name, node=part.node)
            )
        elif part.type is Kind.SLIDER:
            notes.differs(
                part.node, f"no constraint closes the loop of the slider `{part.name}`, as in OpenRAVE"
            )
            continue
        else:
            points: list[Vector] = [part.anchor]
            if part.type is Kind.HINGE:
                points.append(_beside(part))
            elif part.type is not Kind.SPHERICAL:
                notes.differs(part.node, f"the loop of `{part.name}` is closed at its anchor alone")
            for number, point in enumerate(points):
                other = part.rel.inverse().point(point)
                name = part.name if number == 0 else f"{part.name}_{number}"
                assembly.equalities.append(
                    Equality(EqualityType.connect, first, second, point, other, name, node=part.node)
                )
        notes.differs(
            part.node,
            f"`{part.name}` closes a loop: a constraint closes it, which OpenRAVE's kinematics do not have",
        )


def _beside(part: JointPart) -> Vector:
    """A second point on a hinge's axis."""
    x, y, z = part.dofs[0].axis
    a, b, c = part.anchor
    return (a + x, b + y, c + z)


def add_sites(rows: Rows, kin: Kin, names: Unique) -> dict[Any, Site]:
    """Add a site for each manipulator's tool frame and each sensor."""
    found = {}
    manipulators = [(part, part.effector) for part in kin.manipulators]
    sensors = [(part, part.link) for part in kin.sensors]
    placed: list[tuple[ManipulatorPart | SensorPart, Link | None]] = [*manipulators, *sensors]
    for part, link in placed:
        if link is None:
            continue
        name = names.name(rows.scope + part.name)
        site = Site(name, part.pose.pos, part.pose.quat, node=part.node)
        rows.bodies[link].sites.append(site)
        found[part] = site
    return found
