"""From scopes to a Plant, in the order in which Drake creates the parts: nested models first, then links,
joints and frames, then forces and constraints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.sdf.documents import JointType
from polybody.lowering.plants.mesh_files import MeshFiles
from polybody.lowering.plants.plant import Frame, Joint, JointKind, Plant
from polybody.lowering.sdf import extensions, gearboxes
from polybody.lowering.sdf.joints import Ends, drake_joint, joint
from polybody.lowering.sdf.links import link
from polybody.lowering.sdf.scopes import MODEL, WORLD, LostError, Named, Scope
from polybody.lowering.sdf.settings import Settings
from polybody.lowering.sdf.shapes import Shapes
from polybody.lowering.sdf.values import said

PACKAGE = "write `package://NAME/...` or `model://NAME/...`"


class Filling:
    """Adds the content of a world's scope to a Plant; omissions are reported as findings."""

    def __init__(self, plant: Plant, settings: Settings, findings: Findings) -> None:
        self.plant, self.settings, self.findings = plant, settings, findings
        self.shapes = Shapes(settings, MeshFiles.of(plant, findings), findings)
        self.joints: dict[int, int] = {}  # rows by the id of their elements
        self.elsewhere = False  # whether Drake does not find some file

    def run(self, world: Scope) -> None:
        """Add all of it."""
        scopes = list(_before(world))
        for scope in reversed(scopes):  # a frame in a model may define its pose
            self.guarded(getattr, scope, "placed")
        for scope in scopes:
            self.place(scope)
        for scope in _after(world):
            self.guarded(self.model, scope)
        for scope in scopes:
            for around, part in scope.within():
                if part.kind == "joint":
                    self.guarded(self.mimic, around, part)

    def place(self, scope: Scope) -> None:
        """Set the world poses and the instances of the models in a scope."""
        for part, inner in scope.models():
            try:
                inner.in_world = scope.in_world @ scope.place(part)
            except LostError as error:
                self.lost(error)
            inner.owner = inner.node
            if inner.merged and not inner.foreign:
                # Its parts belong to the model around it; its own <static> and <self_collide> are not merged.
                inner.static, inner.owner = scope.static, scope.owner or scope.node
            else:
                inner.static |= self.settings.gazebo and scope.static
            if not inner.foreign:
                inner.instance = scope.instance if inner.merged else self.plant.add_instance(inner.name)
            if part.node.TAG == "include" and not self.settings.gazebo:
                self.beside(part.node)

    def beside(self, include: Any) -> None:
        """Report the first file named by a bare path, which Drake looks up elsewhere."""
        uri = said(include, "uri").strip()
        if "://" not in uri and not uri.startswith("/") and not self.elsewhere:
            self.elsewhere = True
            message = (
                f"`{clip(uri)}` is in the folder of this file; Drake looks for it in the working directory"
            )
            self.findings.add("PB088", include.span, message, hint=PACKAGE, source=include.source)

    def guarded(self, do: Any, *arguments: Any) -> None:
        try:
            do(*arguments)
        except LostError as error:
            self.lost(error)

    def lost(self, error: LostError) -> None:
        node = error.node
        span, source = (None, None) if node is None else (node.span, node.source)
        self.findings.add("PB032", span, str(error), source=source)

    # --- a model -----------------------------------------------------------------------------------------

    def model(self, scope: Scope) -> None:
        """Add the parts of a model, or of a world, except those of nested models."""
        parts = [(around, part) for around, part in scope.within() if not around.foreign]
        for around, part in parts:
            if part.kind == "link":
                self.guarded(self.link, around, part)
        if not scope.is_world:
            self.guarded(self.own_frame, scope)
        for wanted in ("joint", "drake:joint"):
            for around, part in parts:
                if part.kind == "joint" and wanted == part.node.TAG:
                    self.guarded(self.joint, around, part)
            if wanted == "joint":
                for around, part in parts:
                    self.guarded(self.frame, scope, around, part)
        for around, owner in self.owners(scope):
            extensions.add(self.plant, owner, around, self.joints, self.findings)
        static = [part for around, part in parts if part.kind == "link" and around.static and part.row >= 0]
        if static:
            self.anchor(static)

    def owners(self, scope: Scope) -> Iterator[tuple[Scope, Any]]:
        """The model and those merged into it: scope and element of each."""
        yield scope, scope.node
        for _, part in scope.within():
            if part.scope is not None and part.scope.merged and not part.scope.foreign:
                yield part.scope, part.scope.node

    def link(self, scope: Scope, part: Named) -> None:
        if part.node.drake_deformable_properties is not None:
            where = part.node.drake_deformable_properties
            message = f"link `{part.name}` is deformable; only rigid bodies are simulated"
            self.findings.add("PB063", where.span, message, source=where.source)
            return
        pose = scope.place(part)
        made = link(part.node, scope, pose, self.shapes, self.findings)
        made.name = part.name
        made.instance, made.pose = scope.instance, scope.in_world @ pose
        if self.settings.gazebo:
            own = part.node.self_collide
            around = getattr(scope.owner or scope.node, "self_collide", None)
            made.touches_own = bool(around if own is None else own)
        part.row = self.plant.add_link(made)

    def own_frame(self, scope: Scope) -> None:
        """The frame of a model, which is fixed to its first link or to the one that it names."""
        for around, node in self.owners(scope):
            fixed = around.fixed(MODEL)
            name = MODEL if around is scope else f"_merged__{node.name}__model__"
            row = 0 if fixed.link is None else fixed.link.row
            self.plant.add_frame(Frame(name, scope.instance, row, fixed.pose.inverse(), node))

    def frame(self, scope: Scope, around: Scope, part: Named) -> None:
        if part.kind != "frame":
            return
        fixed = around.fixed(part.name, part.node)
        pose = fixed.pose.inverse() @ around.place(part)
        row = 0 if fixed.link is None else fixed.link.row
        own = not part.attached or not row  # otherwise Drake puts it into the link's model
        instance = scope.instance if own else self.plant.links[row].instance
        self.plant.add_frame(Frame(part.name, instance, row, pose, part.node))

    def anchor(self, links: list[Named]) -> None:
        """Weld links of a static model to the world at their poses, unless they are welded to it already."""
        near: dict[int, list[int]] = {}
        for each in self.plant.joints:
            if each.kind is JointKind.weld:
                near.setdefault(each.parent, []).append(each.child)
                near.setdefault(each.child, []).append(each.parent)
        anchored: set[int] = set()
        for row in (0, *(part.row for part in links)):
            if row in anchored:
                continue
            if row:
                made = self.plant.links[row]
                name = f"{WORLD}_welds_to_{made.name}"
                weld = Joint(name, made.instance, JointKind.weld, 0, row, made.pose, node=made.node)
                self.plant.add_joint(weld)
            waiting = [row]
            while waiting:
                link = waiting.pop()
                if link not in anchored:
                    anchored.add(link)
                    waiting += near.get(link, ())

    # --- joints ------------------------------------------------------------------------------------------

    def joint(self, scope: Scope, part: Named) -> None:
        node = part.node
        if node.TAG == "drake:joint":
            names = (node.drake_parent or "", node.drake_child or "")
            poses = [scope.pose(name.strip(), node) for name in names]
            ends = [scope.fixed(name.strip(), node) for name in names]
            made = drake_joint(node, self.findings)
        else:
            names = (node.parent or "", node.child or "")
            poses = [scope.place(part)] * 2
            ends = [scope.fixed(name.strip(), node) for name in names]
            made = joint(node, Ends(scope, poses[0]), self.settings, self.findings)
        if made is None:
            return
        rows = [0 if end.link is None else end.link.row for end in ends]
        if -1 in rows:
            return  # the link was not created, which another finding reports
        own, turn = made.joint, made.frame
        own.name = part.name
        own.parent, own.child = rows
        own.in_parent = ends[0].pose.inverse() @ poses[0] @ turn
        own.in_child = ends[1].pose.inverse() @ poses[1] @ (turn if made.moving is None else made.moving)
        own.instance = self.plant.links[own.child].instance
        row = self.plant.add_joint(own)
        self.joints[id(part)] = row
        if scope.static and own.kind is not JointKind.weld:
            if not self.settings.gazebo:
                message = f"joint `{part.name}` moves in a static model: Drake accepts only fixed ones there"
                self.findings.add("PB083", node.span, message, source=node.source)
            own.kind = JointKind.weld
        if made.actuator is not None and own.kind is not JointKind.weld:
            made.actuator.name, made.actuator.joint = part.name, row
            self.plant.actuators.append(made.actuator)

    def mimic(self, scope: Scope, part: Named) -> None:
        if part.node.TAG == "joint" and part.node.type is JointType.GEARBOX:
            gearboxes.add(self.plant, scope, part, self.findings)
            return
        extensions.mimic(self.plant, scope, part, self.joints, self.settings, self.findings)


def _before(world: Scope) -> Iterator[Scope]:
    """A world and all models in it, each before its nested models."""
    waiting = [world]
    while waiting:
        scope = waiting.pop()
        yield scope
        waiting += [inner for _, inner in scope.models()][::-1]


def _after(world: Scope) -> list[Scope]:
    """The models of a world and the world itself, each after its nested models; merged ones are omitted."""
    found = []
    waiting = [world]
    while waiting:
        scope = waiting.pop()
        if not scope.merged and not scope.foreign:
            found.append(scope)
        waiting += [inner for _, inner in scope.models()]
    return found[::-1]
