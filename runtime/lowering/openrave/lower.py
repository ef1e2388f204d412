"""Lowering of an OpenRAVE document to a Model and its native coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Literal, NamedTuple

from polybody.assembly.parts import Assembly, Body, Joint, Site
from polybody.base import Node
from polybody.diagnostics import Policy
from polybody.errors import OptionError
from polybody.generated.model import FrictionMixing, JointType
from polybody.lowering.contacts import rigid
from polybody.lowering.openrave import figures, rows
from polybody.lowering.openrave.contacts import add_excludes
from polybody.lowering.openrave.geoms import Meshes
from polybody.lowering.openrave.joints import measured, motion
from polybody.lowering.openrave.mimic import Follower, evaluated, exceeds_bounds, followers
from polybody.lowering.openrave.native import Axis, Ball, Free, Loops, Maps, Native
from polybody.lowering.openrave.notes import DECIDED, Notes
from polybody.lowering.openrave.parts import JointPart, Kin
from polybody.lowering.openrave.scenes import scene_of
from polybody.lowering.openrave.tree import Root, Tree, tree_of
from polybody.lowering.result import Lowered
from polybody.model.model import Model
from polybody.reading import valid

WORLD = "world"
SMALL = 1e-9
"""The largest deviation, m or as a quaternion, of a link from its drawn pose that is not reported."""
Held = Literal["free", "fixed"]


def lower(
    document: Node,
    *,
    base: Held = "free",
    unjoined: Held = "free",
    policy: Policy = "warn",
    checked: bool = False,
) -> Lowered[Native]:
    """The Model of an OpenRAVE document.

    Args:
        document: as read by ``polybody.read``, or made in Python.
        base: whether the first link of a body without static links is free or fixed to the world.
        unjoined: whether links not connected with the first link or a static one are free, or fixed to the
            first.
        policy: what counts as an error in the document, as in ``read``.
        checked: whether it was just read under the same policy, so that validation can be skipped.

    Raises:
        ValidationError: the document has errors, or no valid Model can be made of it.
        ValueError: ``base`` or ``unjoined`` is neither "free" nor "fixed".
    """
    for name, held in (("base", base), ("unjoined", unjoined)):
        if held not in ("free", "fixed"):
            raise OptionError(f"{name}={held!r}: expected free or fixed")
    if not checked:
        document = valid(document, policy)
    fixed = {Root.STATIC}
    fixed |= {root for root, how in ((Root.BASE, base), (Root.LOOSE, unjoined)) if how == "fixed"}
    return _Lowering(document, frozenset(fixed), Notes(policy)).run()


class _Kin(NamedTuple):
    """A body with its tree, the values of its joints, and its parts of the Model."""

    kin: Kin
    tree: Tree
    begins: dict[JointPart, int]
    """The number of each joint's first axis."""
    rows: rows.Rows
    made: list[tuple[JointPart, Joint, int]]
    followers: Sequence[Follower]


class _Lowering:
    def __init__(self, document: Node, held: frozenset[Root], notes: Notes) -> None:
        self.document, self.held, self.notes = document, held, notes
        self.maps = Maps()
        self.parts: list[_Kin] = []

    def run(self) -> Lowered[Native]:
        notes = self.notes
        scene = scene_of(self.document, notes)
        notes.settle()
        options: dict[str, Any] = {"opt_gravity": scene.gravity or (0.0, 0.0, 0.0), "opt_anyinertia": 1}
        if scene.gravity is None:
            message = "no <physicsengine> gives a gravity: it is zero, as in OpenRAVE"
            notes.add(DECIDED, self.document, message, "model.replace(opt_gravity=(0, 0, -9.81)) sets it")
        title = scene.kins[0].name if len(scene.kins) == 1 else ""
        assembly = Assembly(title, options, root=self.document)
        names = rows.Names(rows.Unique(WORLD), rows.Unique(), rows.Unique(), rows.Unique())
        scoped = len(scene.kins) > 1 or any(link.name == WORLD for kin in scene.kins for link in kin.links)
        meshes = Meshes(notes, self.document)
        for kin in scene.kins:
            self._add(assembly, kin, f"{kin.name}::" if scoped else "", names, meshes, scene.friction)
        for part in scene.sensors:
            site = Site(names.site.name(part.name), part.pose.pos, part.pose.quat, node=part.node)
            assembly.world.sites.append(site)
            figures.add_sensor(assembly, part, site)
        notes.settle()
        rigid(assembly, FrictionMixing.least)
        model = assembly.build(notes.findings)
        self._number(model)
        return Lowered(model, Native(model, self.maps), tuple(notes.findings.sorted()))

    # --- one body -----------------------------------------------------------------------------------------

    def _add(
        self, assembly: Assembly, kin: Kin, scope: str, names: rows.Names, meshes: Meshes, friction: float
    ) -> None:
        notes = self.notes
        if not kin.links:
            if not kin.partial:
                notes.differs(kin.node, f"`{kin.name}` has no links: it is missing from the Model")
            return
        tree = tree_of(kin)
        begins = self._axes(kin)
        following = self._followers(kin, begins)
        notes.settle()
        self._load(kin, tree, begins, following)
        notes.settle()
        values = [axis.value for axis in self.maps.axes]
        poses = tree.poses(_by_joint(kin, begins, values))
        made = rows.add_links(assembly, kin, tree, poses, self.held, scope, names, meshes, friction)
        joints = rows.add_joints(made, tree, begins, values, names.joint)
        part = _Kin(kin, tree, begins, made, joints, following)
        self.parts.append(part)
        self._about_roots(part)
        rows.add_motors(assembly, joints, begins, notes)
        by_axis = {axis: (joint, row) for joint, row, axis in joints}
        still = frozenset(
            begins[joint] + place for joint in kin.joints for place, dof in enumerate(joint.dofs) if dof.fixed
        )
        rows.add_followers(assembly, following, by_axis, still, notes)
        rows.add_loops(assembly, made, tree, notes)
        sites = rows.add_sites(made, kin, names.site)
        figures.add_figures(assembly, kin, scope)
        figures.add_manipulators(assembly, kin, tree, made, sites, notes)
        for sensor in kin.sensors:
            if sensor in sites:
                figures.add_sensor(assembly, sensor, sites[sensor])
        add_excludes(assembly, kin, tree, made, notes)
        figures.check_masses(kin, tree, self.held, notes)

    def _axes(self, kin: Kin) -> dict[JointPart, int]:
        """Number the axes of all joints."""
        begins = {}
        for joint in kin.joints:
            begins[joint] = len(self.maps.axes)
            for dof in joint.dofs:
                low, high = (0.0, 0.0) if dof.fixed else (dof.low, dof.high)
                self.maps.axes.append(Axis(0.0, low, high))
        return begins

    def _followers(self, kin: Kin, begins: Mapping[JointPart, int]) -> tuple[Follower, ...]:
        numbers = {
            (joint, place): begins[joint] + place for joint in kin.joints for place in range(len(joint.dofs))
        }
        found = followers(kin.joints, numbers, self.notes)
        ranges = {number: (axis.low, axis.high) for number, axis in enumerate(self.maps.axes)}
        by_axis = {begins[joint]: joint for joint in kin.joints}
        for row in found:
            joint = by_axis.get(row.axis)
            if joint is not None and exceeds_bounds(row, ranges):
                self.notes.differs(
                    joint.node,
                    f"the formula of `{joint.name}` leaves the joint's bounds, where its value is clamped",
                )
        self.maps.followers += found
        return found

    def _load(
        self, kin: Kin, tree: Tree, begins: Mapping[JointPart, int], following: Sequence[Follower]
    ) -> None:
        """The values of joints after loading: as drawn and clamped, or as given; then of mimic joints."""
        axes = self.maps.axes
        placed = set(tree.placing.values())
        for joint in kin.joints:
            found = measured(joint, joint.first.pose, joint.second.pose)
            begin = begins[joint]
            for place, value in enumerate(found):
                axis = axes[begin + place]
                axis.value = min(max(value, axis.low), axis.high)
            if not joint.mimics and joint in placed:
                self._about_drawing(joint, [axis.value for axis in axes[begin : begin + len(found)]])
        self._given_values(kin, begins)
        values = [axis.value for axis in axes]
        evaluated(following, values)
        for number, value in enumerate(values):
            if not isfinite(value):
                joint = next(j for j in kin.joints if begins[j] <= number < begins[j] + len(j.dofs))
                self.notes.refuse(joint.node, f"the formula of `{joint.name}` has no value at the start")
            axes[number].value = value
        for row in following:
            if isfinite(values[row.axis]) and not all(map(isfinite, row.slopes(values))):
                joint = next(j for j in kin.joints if begins[j] <= row.axis < begins[j] + len(j.dofs))
                self.notes.refuse(joint.node, f"the formula of `{joint.name}` has no derivative at the start")

    def _about_drawing(self, joint: JointPart, values: Sequence[float]) -> None:
        drawn = joint.first.pose.inverse() @ joint.second.pose
        placed = motion(joint, values) @ joint.rel
        apart = max(abs(a - b) for a, b in zip(drawn.pos, placed.pos, strict=True))
        alike = abs(sum(a * b for a, b in zip(drawn.quat, placed.quat, strict=True)))
        if apart > SMALL or alike < 1 - SMALL:
            self.notes.differs(
                joint.node,
                f"`{joint.second.name}` does not start where it is drawn relative to `{joint.first.name}`:"
                f" `{joint.name}` starts at {', '.join(f'{value:.6g}' for value in values)}, as in OpenRAVE",
            )

    def _given_values(self, kin: Kin, begins: Mapping[JointPart, int]) -> None:
        """The values of <jointvalues>, in the order of the joint indices."""
        if kin.values is None or not kin.values.text:
            return
        numbers = [
            begins[joint] + place for joint in kin.joints if joint.indexed for place in range(len(joint.dofs))
        ]
        given = kin.values.text
        if len(given) != len(numbers) and kin.partial:
            return
        if len(given) != len(numbers):
            self.notes.differs(
                kin.values,
                f"{len(given)} values for {len(numbers)} degrees of freedom are ignored, as in OpenRAVE",
            )
            return
        for number, value in zip(numbers, given, strict=True):
            axis = self.maps.axes[number]
            axis.value = min(max(value, axis.low), axis.high)
            if axis.value != value and axis.low < axis.high:
                self.notes.differs(kin.values, f"{value:g} is beyond a joint's bounds: it is {axis.value:g}")

    def _about_roots(self, part: _Kin) -> None:
        notes = self.notes
        for body, root in part.rows.free:
            if root is Root.BASE:
                message = f"`{body.name}` is dynamic and not attached to anything: it is free"
                notes.add(DECIDED, body.node, message, "base='fixed', or --base fixed, fixes it")
            elif not part.kin.partial:
                message = f"no joint connects `{body.name}` with the first or a static link: it is free"
                notes.differs(body.node, message, "lower(..., unjoined='fixed') fixes it to the first link")

    # --- native coordinates -------------------------------------------------------------------------------

    def _number(self, model: Model) -> None:
        """Set the positions of native coordinates in the Model's coordinates."""
        maps = self.maps
        row = {name: number for number, name in enumerate(model.names["joint"])}
        for part in self.parts:
            for joint, made, axis in part.made:
                number = row[made.name]
                qpos, qvel = int(model.jnt_qposadr[number]), int(model.jnt_dofadr[number])
                if made.type is JointType.ball:
                    frame = joint.rel.quat if _moves_second(part.tree, joint) else None
                    maps.balls.append(Ball(axis, qpos, qvel, frame))
                else:
                    maps.axes[axis].qpos, maps.axes[axis].qvel = qpos, qvel
            self._indices(part)
            for body, root in part.rows.free:
                self._free(part, body, root, model, row[body.joints[0].name])
            begins = [(joint, part.begins[joint]) for joint in part.kin.joints]
            closing = [j for j in part.tree.closing if j.indexed and not j.rigid]
            if closing:
                loops = [(joint, part.begins[joint]) for joint in closing]
                maps.loops.append(Loops(part.tree, loops, begins))

    def _indices(self, part: _Kin) -> None:
        maps = self.maps
        for joint in part.kin.joints:
            if not joint.indexed:
                continue
            begin, count = part.begins[joint], len(joint.dofs)
            name = part.rows.scope + joint.name
            maps.q_slices[name] = slice(maps.nq, maps.nq + count)
            maps.v_slices[name] = slice(maps.nv, maps.nv + count)
            for place in range(count):
                maps.dofs.append((maps.nq, maps.nv, begin + place))
                maps.nq += 1
                maps.nv += 1

    def _free(self, part: _Kin, body: Body, root: Root, model: Model, number: int) -> None:
        maps = self.maps
        qpos, qvel = int(model.jnt_qposadr[number]), int(model.jnt_dofadr[number])
        found = Free(qpos, qvel, start=tuple(model.qpos0[qpos : qpos + 7].tolist()))
        if root is Root.BASE:
            found.q, found.v = maps.nq, maps.nv
            name = body.name if body.name not in maps.q_slices else f"{part.kin.name}::{body.name}"
            maps.q_slices[name] = slice(maps.nq, maps.nq + 7)
            maps.v_slices[name] = slice(maps.nv, maps.nv + 6)
            maps.nq, maps.nv = maps.nq + 7, maps.nv + 6
        maps.free.append(found)


def _moves_second(tree: Tree, joint: JointPart) -> bool:
    """Whether a joint of the tree places its second link."""
    return tree.placing.get(joint.second) is joint


def _by_joint(
    kin: Kin, begins: Mapping[JointPart, int], values: Sequence[float]
) -> dict[JointPart, tuple[float, ...]]:
    return {joint: tuple(values[begins[joint] : begins[joint] + len(joint.dofs)]) for joint in kin.joints}
