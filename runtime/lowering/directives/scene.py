"""Model directives, executed one after another on a Plant. Names in a directive must be defined before it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from polybody.diagnostics import Findings
from polybody.document.access import access_of
from polybody.document.directives import (
    AddCollisionFilterGroup,
    AddDirectives,
    AddFrame,
    AddModel,
    AddModelInstance,
    AddWeld,
    AngleAxis,
    Directives,
    Rpy,
    Transform,
)
from polybody.document.left_out import LEFT_OUT
from polybody.document.notations import Part
from polybody.document.parser.value_faults import clip
from polybody.document.registry import format_of
from polybody.lowering.plants.fillers import filler
from polybody.lowering.plants.forest import forest
from polybody.lowering.plants.plant import WORLD, FilterGroup, Frame, Joint, JointKind, Plant
from polybody.lowering.plants.planted import Meaning
from polybody.rotations.poses import IDENTITY, Pose, roll_pitch_yaw, unit_vector
from polybody.suggest import nearest_or_all
from polybody.validation.scene import PartScene

DELIMITER = "::"


class Placed(NamedTuple):
    """A frame: the link to which it is fixed, and its pose there."""

    link: int
    pose: Pose
    name: str
    """Its local name."""


class LostError(Exception):
    """A name that refers to nothing, or to several things."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def pose_of(transform: Transform) -> Pose:
    """The pose that a transform gives, in its base frame."""
    rotation = transform.rotation
    if isinstance(rotation, Rpy):
        roll, pitch, yaw = (math.radians(angle) for angle in rotation.deg)
        return Pose(transform.translation, roll_pitch_yaw((roll, pitch, yaw)))
    if isinstance(rotation, AngleAxis):
        half = math.radians(rotation.angle_deg) / 2
        sine = math.sin(half)
        x, y, z = unit_vector(rotation.axis)
        return Pose(transform.translation, (math.cos(half), sine * x, sine * y, sine * z))
    return Pose(transform.translation)


UNREAD = "`polybody check` says why; packages are declared by `packages=` or --package"


class Scene:
    """Executes directives on a Plant."""

    def __init__(self, plant: Plant, findings: Findings, meaning: Meaning) -> None:
        self.plant, self.findings, self.meaning = plant, findings, meaning
        self.scene = PartScene(findings)
        self.models: set[int] = set()  # instances that directives have added
        self.unread = False  # whether a file was not read, which is reported
        self.omitted = False  # whether the caller leaves a file out
        self.posed: dict[int, tuple[AddModel, Any]] = {}  # by link: default poses, and where they are given

    def run(self, document: Directives) -> None:
        """Execute all directives of a file and of those that it names."""
        waiting: list[Iterator[tuple[str, Any]]] = [self._within(document, "")]
        while waiting:
            following = next(waiting[-1], None)
            if following is None:
                waiting.pop()
                continue
            space, directive = following
            if isinstance(directive, AddDirectives):
                inner = self.add_directives(space, directive)
                if inner is not None and directive.content is not None:
                    waiting.append(self._within(directive.content, inner))
                continue
            try:
                DOING[type(directive)](self, space, directive)
            except LostError as error:
                if self.unread:  # the name may be in that file
                    continue
                if self.omitted:
                    message = f"{error}; it may be in a file that is left out, so this is left out, too"
                    self.report(LEFT_OUT, directive, message)
                    continue
                self.report("PB032", directive, str(error), hint=error.hint)

    @staticmethod
    def _within(document: Directives, space: str) -> Iterator[tuple[str, Any]]:
        return ((space, directive) for directive in document.directives)

    def report(
        self,
        code: str,
        part: Part,
        message: str,
        *,
        hint: str | None = None,
        at: str | tuple[str, ...] | None = None,
    ) -> None:
        """A finding at a part of a document, or at a value in it."""
        self.scene.report(code, part, at, message, hint)

    def not_read(self, directive: AddModel | AddDirectives) -> None:
        """Report that the file of a directive was not read, unless the caller leaves it out."""
        if access_of(directive.source).declared.left_out(directive.file) is not None:
            self.omitted = True
            return
        self.unread = True
        message = f"the file `{clip(directive.file)}` was not read"
        self.report("PB063", directive, message, hint=UNREAD)

    # --- names -------------------------------------------------------------------------------------------

    def full(self, space: str, name: str) -> str:
        """A name with its namespace; the world has none."""
        return f"{space}{DELIMITER}{name}" if space and name != WORLD else name

    def frame(self, name: str) -> Placed:
        """The frame with a full name, or with a local name that only one model has.

        Raises:
            LostError: there is none, or there are several.
        """
        plant = self.plant
        if name == WORLD:
            return Placed(0, IDENTITY, WORLD)
        scope, mark, local = name.rpartition(DELIMITER)
        if mark:
            if scope not in plant.instances:
                raise LostError(
                    f"there is no model `{clip(scope)}` yet", nearest_or_all(scope, plant.instances)
                )
            found = [plant.instances.index(scope)]
        else:
            found = list(range(len(plant.instances)))
        places = [place for row in found if (place := plant.frame(row, local)) is not None]
        if not places:
            before = f"{scope}{DELIMITER}" if mark else ""
            known = [before + link.name for link in plant.links if link.instance in found]
            known += [before + frame.name for frame in plant.frames if frame.instance in found]
            raise LostError(f"there is no frame `{clip(name)}` yet", nearest_or_all(name, known))
        if len(places) > 1:
            message = f"`{clip(name)}` is a frame of {len(places)} models"
            raise LostError(message, f"write `MODEL::{clip(name)}`")
        link, pose = places[0]
        return Placed(link, pose, local)

    # --- directives --------------------------------------------------------------------------------------

    def add_model(self, space: str, directive: AddModel) -> None:
        """Add the model of a file, and set its positions and poses."""
        plant, name = self.plant, self.full(space, directive.name)
        if name in plant.instances:
            self.report(
                "PB031", directive, f"the model `{clip(name)}` already exists", hint="choose another name"
            )
            return
        content = directive.content
        if content is None:
            self.not_read(directive)
            return
        fill = filler(content)
        if fill is None:
            self.report("PB063", directive, f"`{clip(directive.file)}` contains no model that can be added")
            return
        with self.findings.about(format_of(content).name):
            instance = fill(content, plant, self.findings, name=name, meaning=self.meaning)
        if not instance:
            return  # a finding says why
        self.models |= {
            row
            for row, each in enumerate(plant.instances)
            if each == name or each.startswith(f"{name}{DELIMITER}")
        }
        for joint, values in directive.default_joint_positions.items():
            self._start(directive, instance, joint, values)
        for link, transform in directive.default_free_body_pose.items():
            self._pose(space, directive, instance, link, transform)

    def _start(self, directive: AddModel, instance: int, name: str, values: tuple[float, ...]) -> None:
        at = "default_joint_positions", name
        row = self.plant.joint(instance, name)
        if row is None:
            known = [joint.name for joint in self.plant.joints if joint.instance == instance]
            message = f"model `{directive.name}` has no joint `{clip(name)}`"
            self.report("PB032", directive, message, hint=nearest_or_all(name, known), at=at)
            return
        joint = self.plant.joints[row]
        count = len(joint.kind.coordinates)
        if len(values) != count:
            message = f"joint `{clip(name)}` has {count} coordinates, not {len(values)}"
            self.report("PB017", directive, message, at=at)
            return
        joint.start = values

    def _pose(self, space: str, directive: AddModel, instance: int, name: str, transform: Transform) -> None:
        """The pose of a floating link; a joint for other frames, or if not relative to the world."""
        plant, keys = self.plant, ("default_free_body_pose", name)
        try:
            found = plant.frame(instance, name or self._only_link(directive, instance))
            if found is None:
                known = [plant.links[row].name for row in plant.links_of(instance)]
                message = f"model `{directive.name}` has no link or frame `{clip(name)}`"
                raise LostError(message, nearest_or_all(name, known))
            base = self.frame(self.full(space, transform.base_frame or WORLD))
        except LostError as error:
            self.report("PB032", directive, str(error), hint=error.hint, at=keys)
            return
        link, pose = found
        at = pose_of(transform)
        if (base.link, base.pose, pose) == (0, IDENTITY, IDENTITY):
            plant.links[link].pose = at
            self.posed[link] = directive, keys
            return
        body = plant.links[link]
        if plant.joint(body.instance, body.name) is not None:
            self.report("PB031", directive, f"the joint `{clip(body.name)}` already exists", at=keys)
            return
        joint = Joint(body.name, body.instance, JointKind.floating, base.link, link, base.pose, pose)
        joint.start = (*at.quat, *at.pos)
        joint.node = directive
        plant.add_joint(joint)

    def _only_link(self, directive: AddModel, instance: int) -> str:
        links = list(self.plant.links_of(instance))
        if len(links) != 1:
            message = f"model `{directive.name}` has {len(links)} links: name one of them"
            raise LostError(message)
        return self.plant.links[links[0]].name

    def add_model_instance(self, space: str, directive: AddModelInstance) -> None:
        """Add an empty model."""
        name = self.full(space, directive.name)
        if name in self.plant.instances:
            self.report(
                "PB031", directive, f"the model `{clip(name)}` already exists", hint="choose another name"
            )
            return
        self.models.add(self.plant.add_instance(name))

    def add_frame(self, space: str, directive: AddFrame) -> None:
        """Add a frame, to the model of its base frame or the one in its name."""
        plant = self.plant
        base = self.frame(self.full(space, directive.X_PF.base_frame or ""))
        scope, mark, local = directive.name.rpartition(DELIMITER)
        instance = plant.links[base.link].instance
        if mark:
            full = self.full(space, scope)
            if full not in plant.instances:
                raise LostError(f"there is no model `{clip(full)}` yet", "add it with add_model_instance")
            instance = plant.instances.index(full)
        if plant.frame(instance, local) is not None:
            message = f"the frame `{clip(local)}` already exists in `{plant.instances[instance]}`"
            self.report("PB031", directive, message)
            return
        plant.add_frame(Frame(local, instance, base.link, base.pose @ pose_of(directive.X_PF), directive))

    def add_weld(self, space: str, directive: AddWeld) -> None:
        """Weld a frame of a model to another frame."""
        plant = self.plant
        parent = self.frame(self.full(space, directive.parent))
        child = self.frame(self.full(space, directive.child))
        instance = plant.links[child.link].instance
        if instance not in self.models:
            hint = "only models added by directives can be the child of a weld"
            self.report(
                "PB048", directive, f"`{clip(directive.child)}` cannot be the child of a weld", hint=hint
            )
            return
        name = f"{parent.name}_welds_to_{child.name}"
        if plant.joint(instance, name) is not None:
            self.report("PB031", directive, f"the joint `{clip(name)}` already exists")
            return
        joint = Joint(name, instance, JointKind.weld, parent.link, child.link)
        joint.in_parent, joint.in_child = parent.pose @ pose_of(directive.X_PC), child.pose
        joint.node = directive
        plant.add_joint(joint)

    def add_directives(self, space: str, directive: AddDirectives) -> str | None:
        """The namespace of the directives of another file; None after a finding."""
        if directive.content is None:
            self.not_read(directive)
            return None
        if directive.model_namespace is None:
            return space
        inner = self.full(space, directive.model_namespace)
        if inner not in self.plant.instances:
            message = f"there is no model `{clip(inner)}` yet, which `model_namespace` names"
            self.report("PB032", directive, message, hint="add it with an add_model_instance before this")
            return None
        return inner

    def add_group(self, space: str, directive: AddCollisionFilterGroup) -> None:
        """Add a group of links that do not collide with those of other groups."""
        inner = self.full(space, directive.model_namespace) if directive.model_namespace else space
        made = FilterGroup(self.full(inner, directive.name), node=directive)
        for member in directive.members:
            found = self.frame(self.full(inner, member))
            if found.pose != IDENTITY or self.plant.links[found.link].name != found.name:
                raise LostError(f"`{clip(member)}` is not a link")
            made.links.append(found.link)
        made.groups = [self.full(inner, name) for name in directive.member_groups]
        made.ignored = [self.full(inner, name) for name in directive.ignored_collision_filter_groups]
        self.plant.groups.append(made)

    # --- the whole ---------------------------------------------------------------------------------------

    def check(self) -> None:
        """Report poses without effect, and groups that do not exist."""
        plant = self.plant
        floating = {
            body.link
            for body in forest(plant).bodies
            if body.parent == 0 and body.joint.kind is JointKind.floating
        }
        for link, (directive, keys) in self.posed.items():
            if link not in floating:
                message = f"link `{plant.links[link].name}` does not float: its pose has no effect"
                hint = "Drake ignores it; place the link that is the base, or weld it"
                self.report("PB027", directive, message, hint=hint, at=keys)
        groups = {group.name for group in plant.groups}
        for group in plant.groups:
            for name in (*group.groups, *group.ignored):
                if name not in groups and isinstance(group.node, AddCollisionFilterGroup):
                    message = f"there is no collision filter group `{clip(name)}`"
                    self.report("PB032", group.node, message, hint=nearest_or_all(name, groups))
        self.findings.raise_errors()


DOING: dict[type, Any] = {
    AddModel: Scene.add_model,
    AddModelInstance: Scene.add_model_instance,
    AddFrame: Scene.add_frame,
    AddWeld: Scene.add_weld,
    AddCollisionFilterGroup: Scene.add_group,
}
