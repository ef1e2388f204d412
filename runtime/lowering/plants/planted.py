"""From a Plant to a Model: Drake's trees as bodies and primitive joints, and Drake's coordinates.

The frame of a body is its link's frame. A joint of the plant becomes a sequence of primitive joints of the
body that it moves. A joint that Drake reverses moves the link that the file calls its parent. Its axis is
then negated, so that its coordinate keeps its sign.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from polybody.assembly import gather, parts
from polybody.base import Node
from polybody.diagnostics import Findings, ValidationError
from polybody.diagnostics.catalogue import severity
from polybody.engine.singular import undetermined
from polybody.errors import OptionError
from polybody.generated.model import ElementType, EqualityType, FrictionMixing, JointType
from polybody.lowering.contacts import rigid
from polybody.lowering.native import Coordinates, Same
from polybody.lowering.plants import driving
from polybody.lowering.plants.bodies import Bodies, touching
from polybody.lowering.plants.contacts import as_drake, as_gazebo
from polybody.lowering.plants.filters import TooManyPairsError, excluded
from polybody.lowering.plants.forest import Base, Loop, forest
from polybody.lowering.plants.growth import Mobilized
from polybody.lowering.plants.native import FREE, BallRpy, Controlled, DrakeNative, OffsetFree, Scaled
from polybody.lowering.plants.plant import (
    BALL,
    CLOSABLE,
    FLOATING,
    WELD,
    Driving,
    Joint,
    JointKind,
    Link,
    Plant,
)
from polybody.lowering.plants.units import doubts
from polybody.model.flags import DISABLE
from polybody.model.model import Model
from polybody.rotations.poses import IDENTITY, ORIGIN, Pose, columns_of

Reals = NDArray[np.float64]
Meaning = Literal["drake", "gazebo"]
REFUSED, WEIGHTLESS, DOUBTFUL, ENGINE, UNUSED = "PB063", "PB052", "PB068", "PB083", "PB061"
_SAME: dict[int, Coordinates] = {count: Same(count) for count in (2, 3)}


class Planted(NamedTuple):
    """The result of lowering a plant."""

    model: Model
    native: DrakeNative


def planted(
    plant: Plant,
    findings: Findings,
    *,
    name: str = "",
    meaning: Meaning = "drake",
    base: Base = "free",
    root: Node | None = None,
) -> Planted:
    """The Model of a plant, with Drake's coordinates.

    Args:
        plant: filled by a format's lowering.
        findings: receives errors.
        name: name of the Model.
        meaning: "gazebo" also applies what Drake ignores: Coulomb friction, and links without gravity.
        base: "fixed" welds each base that no joint connects to the world to it, at its initial pose.
        root: the document, for findings that belong to no element.

    Raises:
        ValidationError: the plant cannot be a Model; the findings say why.
    """
    work = _Planting(plant, findings, meaning, base, root)
    work.grow()
    work.act()
    findings.raise_errors()
    work.assembly.name = name
    model = work.assembly.build(findings)
    if plant.driving == "position":
        model = driving.tuned(model)
    work.doubt(model)
    work.weigh(model)
    return Planted(model, work.native(model))


def check_options(
    meaning: str, base: str, actuators: str = "as-is", self_collide: bool | None = None
) -> None:
    """Refuse invalid values of options.

    Raises:
        OptionError: names the option.
    """
    if meaning not in ("drake", "gazebo"):
        raise OptionError(f'the meaning must be "drake" or "gazebo", not {meaning!r}')
    if base not in ("free", "fixed"):
        raise OptionError(f'the base must be "free" or "fixed", not {base!r}')
    if actuators not in get_args(Driving):
        known = ", ".join(f'"{each}"' for each in get_args(Driving))
        raise OptionError(f"actuators must be one of {known}, not {actuators!r}")
    if self_collide not in (None, True, False):
        raise OptionError(f"self_collide must be True, False or None, not {self_collide!r}")


class _Planting:
    def __init__(
        self, plant: Plant, findings: Findings, meaning: Meaning, base: Base, root: Node | None
    ) -> None:
        self.plant, self.findings, self.meaning, self.base = plant, findings, meaning, base
        self.assembly = parts.Assembly(root=root)
        self.closing: list[Joint] = []
        """The joints that become constraints."""
        self.armature: dict[Joint, float] = {
            plant.joints[actuator.joint]: actuator.reflected_inertia for actuator in plant.actuators
        }  # if there are several actuators on one joint, the last one is used
        plant.actuators = driving.chosen(plant, findings)
        gazebo = meaning == "gazebo"
        made = Bodies(plant, self.armature, friction=gazebo, gravity=gazebo)
        self.made, self.bodies, self.moved, self.alone = made, made.bodies, made.moved, made.alone
        self.shape_names = made.shape_names

    def named(self, instance: int, name: str) -> str:
        """The full name if the plant has several models."""
        return name if self.alone else self.plant.scoped(instance, name)

    def refuse(self, node: Node | None, message: str, hint: str | None = None) -> None:
        """An error at an element."""
        node = node or self.assembly.root
        source = None if node is None else node.source
        self.findings.add(REFUSED, None if node is None else node.span, message, hint=hint, source=source)

    # --- the tree -----------------------------------------------------------------------------------------

    def grow(self) -> None:
        """Bodies, their joints and shapes."""
        trees = forest(self.plant, self.base)
        for loop in trees.loops:
            if loop.joint.parent == loop.joint.child:
                self.refuse(loop.joint.node, f"joint `{loop.joint.name}` connects a link with itself")
            else:
                self._cut(loop)
        for joint in trees.irreversible:
            message = (
                f"joint `{joint.name}` would have to move its parent link relative to its child: a "
                f"{joint.kind.name} joint cannot be reversed"
            )
            self.refuse(joint.node, message, "exchange its links")
        if self.findings.failed:
            raise ValidationError(self.findings.sorted())
        self.bodies[0] = self.assembly.world
        self.assembly.world.geoms = self.shapes(self.plant.links[0])
        self.assembly.bodies += self.made.place(self, trees.bodies)
        names = Counter(self.named(frame.instance, frame.name) for frame in self.plant.frames)
        for frame in self.plant.frames:
            body = self.bodies[frame.link]
            assert body is not None
            name = self.named(frame.instance, frame.name)
            if frame.instance and names[name] > 1:  # # a frame of the world may have the same name
                name = self.plant.scoped(frame.instance, frame.name)
            site = parts.Site(name, *frame.pose, node=frame.node)
            body.sites.append(site)

    def _cut(self, loop: Loop) -> None:
        """Close a loop with a constraint instead of a joint, if the policy accepts what Drake refuses."""
        joint = loop.joint
        ways = ", ".join(f"`{each.name}`" + _at(each.node) for each in loop.others)
        message = f"joint `{joint.name}` closes a loop: its links are already connected"
        message += f", by {ways}" if ways else ""
        if joint.kind not in CLOSABLE:
            what = f"{message}; a {joint.kind.name} joint cannot be made a constraint"
            self.refuse(joint.node, what, "close the loop with a ball constraint")
            return
        if self.plant.joints.index(joint) in self.plant.related():
            what = f"{message}; as a constraint it can neither follow nor be followed"
            self.refuse(joint.node, what, "close the loop with a ball constraint")
            return
        source = None if joint.node is None else joint.node.source
        span = None if joint.node is None else joint.node.span
        hint = 'close the loop with a ball constraint; the policy "lenient" makes this joint a constraint'
        if self.findings.policy != "lenient" and severity(ENGINE, "warn", self.findings.format) != "error":
            self.refuse(joint.node, message, hint)  # for a format without a row for this, such as directives
            return
        if not self.findings.add(ENGINE, span, message, hint=hint, source=source):
            return
        driven = any(self.plant.joints[each.joint] is joint for each in self.plant.actuators)
        if driven or joint.acts:
            what = (
                f"joint `{joint.name}` becomes a constraint: its actuator, limits, springs "
                "and dampers have no effect"
            )
            self.findings.add(UNUSED, span, what, source=source)
        self.closing.append(joint)
        self.plant.release({joint})

    def _close(self, joint: Joint) -> None:
        """Replace the joint at which a loop is cut by constraints: one point for a ball, two for an axis, and
        a weld for a fixed joint.
        """
        first, second = self.bodies[joint.parent], self.bodies[joint.child]
        name = self.named(joint.instance, joint.name)
        if joint.kind is WELD:
            rest = joint.in_parent @ joint.in_child.inverse()
            data = (*ORIGIN, *rest.pos, *rest.quat, 1.0)
            weld = parts.Equality(EqualityType.weld, first, second, data, name=name, node=joint.node)
            self.assembly.equalities.append(weld)
            return
        points = (ORIGIN,) if joint.kind is BALL else (ORIGIN, joint.axis)
        for number, point in enumerate(points):
            inner, outer = joint.in_parent.point(point), joint.in_child.point(point)
            label = f"{name}_{number}" if number else name
            self.assembly.equalities.append(
                parts.Equality(EqualityType.connect, first, second, inner, outer, label, node=joint.node)
            )

    def shapes(self, link: Link) -> list[parts.Geom]:
        """The shapes of a link. A name that is also used elsewhere is prefixed with the link's name, and
        numbered if that is not unique either.
        """
        for geom in link.geoms:
            if geom.name and self.shape_names[geom.name] > 1:
                first = f"{self.named(link.instance, link.name)}::{geom.name}"
                geom.name, count = first, 1
                while geom.name in self.shape_names:
                    geom.name, count = f"{first}_{count}", count + 1
                self.shape_names[geom.name] = 1
        return list(link.geoms)

    def primitives(
        self, placed: Mobilized, name: str, outer: Pose, pose: Pose
    ) -> tuple[list[parts.Joint], Coordinates]:
        """The primitives of a joint with several coordinates, and how they map to Drake's coordinates.

        Args:
            placed: the link in its tree.
            name: the joint's full name.
            outer: the joint's frame in the parent link.
            pose: the initial pose of the link if it floats.
        """
        joint, kind = placed.joint, placed.joint.kind
        if kind is FLOATING:
            return self._floating(placed, name, outer, pose)
        if kind is JointKind.curvilinear:
            return self._curvilinear(joint, name, outer)
        damping, friction = joint.damping or (0.0,) * len(kind.velocities), self._friction(joint)
        if kind is BALL:
            coordinates: Coordinates = BallRpy(outer.quat)
            ball = parts.Joint(name, JointType.ball, outer.pos, damping=damping, node=joint.node)
            ball.frictionloss = friction
            if joint.start:
                ball.qpos0 = coordinates.qpos(np.array(joint.start)).tolist()
            return [ball], coordinates
        axes, start = columns_of(outer.quat), joint.start or (0.0,) * len(kind.coordinates)
        made = [
            parts.Joint(
                f"{name}.{suffix}", type_, outer.pos, axes[axis], damping=each, qpos0=[value], node=joint.node
            )
            for suffix, (type_, axis), each, value in zip(
                kind.coordinates, _SEQUENCES[kind], damping, start, strict=True
            )
        ]
        for primitive, dry in zip(made, friction, strict=True):
            primitive.frictionloss = dry
        return made, _SAME[len(made)]

    def _curvilinear(
        self, joint: Joint, name: str, outer: Pose
    ) -> tuple[list[parts.Joint], Coordinates]:
        """A slide along x, or a hinge about z, whose angle is the length on the circle times the rate."""
        rate = joint.turning
        factor = rate or 1.0
        lower, upper = sorted((joint.lower * factor, joint.upper * factor))
        made = parts.Joint(
            name,
            JointType.hinge if rate else JointType.slide,
            outer.pos,
            columns_of(outer.quat)[2 if rate else 0],
            range=(lower, upper),
            armature=self.armature.get(joint, 0.0) / factor**2,
            damping=joint.damping[0] / factor**2 if joint.damping else 0.0,
            node=joint.node,
        )
        made.frictionloss = self._friction(joint)[0] / abs(factor)
        return [made], Scaled(1 / factor)

    def _friction(self, joint: Joint) -> tuple[float, ...]:
        """Coulomb friction for each velocity of a joint; zero in Drake, which ignores it."""
        given = joint.friction if self.meaning == "gazebo" else ()
        return given or (0.0,) * len(joint.kind.velocities)

    def _floating(
        self, placed: Mobilized, name: str, outer: Pose, pose: Pose
    ) -> tuple[list[parts.Joint], Coordinates]:
        joint = placed.joint
        w, x, y, z = pose.quat
        quat = (w, x, y, z) if w >= 0 else (-w, -x, -y, -z)  # as in Drake
        start = joint.start or (*quat, *pose.pos)
        if placed.parent == 0 and joint.in_parent == IDENTITY and joint.in_child == IDENTITY:
            qpos = [*start[4:], *start[:4]]  # as in FREE
            rest = (*IDENTITY.pos, *IDENTITY.quat)
            return [parts.Joint(name, JointType.free, qpos0=qpos, spring=rest, node=joint.node)], FREE
        coordinates = OffsetFree(outer.quat)
        qpos = coordinates.qpos(np.array(start)).tolist()
        slides = [
            parts.Joint(f"{name}.{suffix}", JointType.slide, axis=axis, qpos0=[value], node=joint.node)
            for suffix, axis, value in zip("xyz", columns_of(outer.quat), qpos[:3], strict=True)
        ]
        ball = parts.Joint(f"{name}.q", JointType.ball, pos=outer.pos, qpos0=qpos[3:], node=joint.node)
        return [*slides, ball], coordinates

    # --- forces and constraints -----------------------------------------------------------------------------

    def act(self) -> None:
        """Actuators, constraints, and contact filters."""
        joints, added = self.plant.joints, self.assembly
        for actuator in self.plant.actuators:
            joint = joints[actuator.joint]
            made = parts.Actuator(
                self.named(joint.instance, actuator.name),
                self.moved[joint][0],
                gear=1 / (joint.turning or 1.0),
                forcerange=(-actuator.effort, actuator.effort),
                node=actuator.node,
            )
            if self.plant.driving == "position":
                driving.servo(made)
            added.actuators.append(made)
        for coupler in self.plant.couplers:
            one, other = (self.moved[joints[row]][0] for row in (coupler.joint, coupler.other))
            data = (coupler.offset, coupler.multiplier)
            added.equalities.append(parts.Equality(EqualityType.joint, one, other, data, node=coupler.node))
        for ball in self.plant.balls:
            a, b = self.bodies[ball.link_a], self.bodies[ball.link_b]
            added.equalities.append(
                parts.Equality(EqualityType.connect, a, b, ball.point_a, ball.point_b, node=ball.node)
            )
        for joint in self.closing:
            self._close(joint)
        self._states()
        self._springs()
        self._touch()
        self._filter()

    def _states(self) -> None:
        """The named states of joints as keyframes; servos hold them."""
        for state in self.plant.states:
            joints = {self.plant.joints[row]: values for row, values in state.values.items()}
            there = {
                self.moved[joint][0]: values for joint, values in joints.items() if self.moved.get(joint)
            }
            self.assembly.keys.append(parts.Key(state.name, there))

    def _springs(self) -> None:
        """Bushings, springs between points, and limits on weighted sums of coordinates."""
        for each in self.plant.bushings:
            self.assembly.elements.append(
                parts.Element(
                    ElementType.bushing,
                    self.bodies[each.link_a],
                    self.bodies[each.link_c],
                    *each.pose_a,
                    *each.pose_c,
                    each.force_stiffness,
                    each.force_damping,
                    each.torque_stiffness,
                    each.torque_damping,
                    name=each.name,
                    node=each.node,
                )
            )
        for spring in self.plant.springs:
            if math.isinf(spring.stiffness):
                self.refuse(spring.node, "the Model has no rigid rod: the stiffness must be finite")
                continue
            self.assembly.elements.append(
                parts.Element(
                    ElementType.spring,
                    self.bodies[spring.link_a],
                    self.bodies[spring.link_b],
                    pos1=spring.point_a,
                    pos2=spring.point_b,
                    stiffness=(spring.stiffness, 0.0, 0.0),
                    damping=(spring.damping, 0.0, 0.0),
                    length=spring.free_length,
                    node=spring.node,
                )
            )
        for tendon in self.plant.tendons:
            weighted = []
            for row, weight in tendon.joints:
                joint = self.plant.joints[row]
                if len(joint.kind.velocities) != 1:
                    what = f"joint `{joint.name}` has {len(joint.kind.velocities)} degrees of freedom"
                    self.refuse(
                        tendon.node,
                        f"a tendon constraint allows only joints with one degree of freedom: {what}",
                    )
                    continue
                weighted.append((self.moved[joint][0], weight / (joint.turning or 1.0)))
            bounds = (tendon.lower - tendon.offset, tendon.upper - tendon.offset)
            if math.isfinite(tendon.stiffness):
                made = parts.Tendon(weighted, stiffness=tendon.stiffness, rest=bounds, node=tendon.node)
            else:
                made = parts.Tendon(weighted, bounds, node=tendon.node)
            self.assembly.tendons.append(made)
            if tendon.damping > 0:
                message = "`damping` of its bounds has no effect"
                node = tendon.node
                source = None if node is None else node.source
                self.findings.add("PB061", None if node is None else node.span, message, source=source)

    def _touch(self) -> None:
        """Contact parameters of shapes, and the stiffness of limits and other constraints."""
        geoms = touching(self.plant.links)
        for geom in geoms:
            if geom.friction[0] < 0:
                self.refuse(
                    geom.node, f"the friction of a shape is {geom.friction[0]:g}; it must not be negative"
                )
        if self.meaning == "gazebo":
            as_gazebo(geoms)
        else:
            as_drake(geoms)
        rigid(self.assembly, FrictionMixing.least if self.meaning == "gazebo" else FrictionMixing.harmonic)

    def _filter(self) -> None:
        """Exclude contacts between pairs of links that do not collide.

        The Model's own parent filter is disabled: it also excludes links welded to the two links of a joint,
        which Drake does not.
        """
        if not touching(self.plant.links):
            return
        self.assembly.options["opt_disableflags"] = DISABLE["filterparent"]
        try:
            pairs = excluded(self.plant)
        except TooManyPairsError as error:
            self.refuse(error.node, str(error), "use fewer links, or filter groups with fewer members")
            return
        for (one, other), node in pairs.items():
            self.assembly.excludes.append(parts.Exclude(self.bodies[one], self.bodies[other], node=node))

    # --- coordinates ----------------------------------------------------------------------------------

    def doubt(self, model: Model) -> None:
        """Report lengths and masses that seem to be in another unit."""
        for body, message, hint in doubts(model):
            self.about(model, body, DOUBTFUL, message, hint)

    def about(self, model: Model, body: int, code: str, message: str, hint: str) -> None:
        """Report a finding at the link that became a body of the Model."""
        name = model.names["body"][body]
        node = next(
            (
                link.node
                for link, made in zip(self.plant.links, self.bodies, strict=True)
                if made is not None and made.name == name and link.node is not None
            ),
            self.assembly.root,
        )
        source = None if node is None else node.source
        self.findings.add(code, None if node is None else node.span, message, hint=hint, source=source)

    def weigh(self, model: Model) -> None:
        """Report each floating base without mass for which forces do not determine the motion."""
        bodies = self.assembly.bodies
        if all(gather.values(bodies, "mass")) or all(
            body.mass or not body.joints or body.joints[0].type is not JointType.free for body in bodies
        ):
            return
        free = np.flatnonzero(model.jnt_type == JointType.free)
        owners = model.jnt_bodyid[free]
        welded = np.bincount(model.body_weldid, weights=model.body_mass, minlength=model.nbody)
        loose = undetermined(model)
        for joint, body in zip(free.tolist(), owners.tolist(), strict=True):
            start = int(model.jnt_dofadr[joint])
            if welded[body] == 0 and loose[start : start + 6].any():
                name = model.names["body"][body]
                message = f"link `{name}` floats and has no mass: its motion is undetermined"
                hint = (
                    'give it mass and inertia, or fix it to the world: by a joint, or with base="fixed" of '
                    "`load`, --base fixed of `info`, `sim` and `compile`"
                )
                self.about(model, body, WEIGHTLESS, message, hint)

    def native(self, model: Model) -> DrakeNative:
        """Drake's coordinates, in the order of its trees, depth first."""
        controlled = [
            Controlled(row, self.made.places[self.plant.joints[each.joint]], *each.gains)
            for row, each in enumerate(self.plant.actuators)
            if each.gains is not None
        ]
        return DrakeNative(model, self.made.moving, controlled)


_SEQUENCES = {
    JointKind.universal: ((JointType.hinge, 0), (JointType.hinge, 1)),
    JointKind.planar: ((JointType.slide, 0), (JointType.slide, 1), (JointType.hinge, 2)),
}
"""The primitives of a joint; each with the index of its axis in the joint's frame."""


def _at(node: Node | None) -> str:
    """The place of an element, in parentheses, for a message about another element."""
    place = "" if node is None else node.place
    return f" ({place})" if place else ""
