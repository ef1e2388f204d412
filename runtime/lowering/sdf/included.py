"""Documents of other formats that an SDFormat document includes: their parts are added to the Plant first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.lowering.plants.fillers import filler
from polybody.lowering.plants.plant import WORLD, Joint, JointKind, Plant
from polybody.lowering.plants.planted import Meaning
from polybody.lowering.sdf.scopes import LostError, Named, Scope
from polybody.rotations.poses import IDENTITY, Pose


class Included:
    """The models of other formats in a Plant."""

    def __init__(self, plant: Plant, findings: Findings, meaning: Meaning) -> None:
        self.plant, self.findings, self.meaning = plant, findings, meaning
        self.scopes: list[Scope] = []

    def scope(self, document: Node, name: str, include: Any) -> Scope:
        """The scope of a document, whose links, frames and joints are added to the Plant.

        Its frame is that of its first link. Poses in it are those with all coordinates at zero.

        Raises:
            LostError: a model of such a document cannot be included.
        """
        plant = self.plant
        fill = filler(document)
        if fill is None:
            raise LostError("a model of this format cannot be included", include)
        links, frames = len(plant.links), len(plant.frames)
        joints = len(plant.joints)
        instance = fill(document, plant, self.findings, name=name, meaning=self.meaning)
        scope = Scope(name, document, document, foreign=True, instance=instance)
        self.scopes.append(scope)
        poses = dict(_poses(plant, links))
        for row in range(links, len(plant.links)):
            link = plant.links[row]
            scope.add(Named("link", link.name, include, poses[row], row=row))
        for frame in plant.frames[frames:]:
            if frame.link in poses:
                pose = poses[frame.link] @ frame.pose
                holder = plant.links[frame.link].name
                scope.add(Named("frame", frame.name, include, pose, attached=holder))
        for joint in plant.joints[joints:]:
            if joint.child in poses:
                pose = poses[joint.child] @ joint.in_child
                holder = plant.links[joint.child].name
                scope.add(Named("joint", joint.name, include, pose, attached=holder))
        return scope

    def settle(self) -> None:
        """Move the models to the poses of their scopes, which affects floating links."""
        for scope in self.scopes:
            for part in scope.parts:
                if part.kind == "link":
                    self.plant.links[part.row].pose = scope.in_world @ part.pose
            if scope.static:
                self.anchor(scope)

    def anchor(self, scope: Scope) -> None:
        """Weld a model to the world at its pose."""
        plant, links = self.plant, {part.row: part.node for part in scope.parts if part.kind == "link"}
        include = next(iter(links.values()))
        if self.meaning == "drake":
            message = "Drake cannot make an included model of another format static"
            self.findings.add("PB083", include.span, message, source=include.source)
        inside = [joint for joint in plant.joints if joint.child in links]
        plant.fix(inside)
        for row in links.keys() - {joint.child for joint in inside}:
            link = plant.links[row]
            name = f"{WORLD}_welds_to_{link.name}"
            plant.add_joint(Joint(name, link.instance, JointKind.weld, 0, row, link.pose, node=include))


def _poses(plant: Plant, first: int) -> Iterator[tuple[int, Pose]]:
    """Poses of the links from a row on, in the frame of the first, with all coordinates at zero."""
    near: dict[int, list[tuple[int, Pose]]] = {}
    for joint in plant.joints:
        if min(joint.parent, joint.child) >= first:
            pose = joint.in_parent @ joint.in_child.inverse()
            near.setdefault(joint.parent, []).append((joint.child, pose))
            near.setdefault(joint.child, []).append((joint.parent, pose.inverse()))
    met: set[int] = set()
    for row in range(first, len(plant.links)):
        waiting = [(row, IDENTITY if row == first else plant.links[row].pose)]
        while waiting:
            link, pose = waiting.pop()
            if link in met:
                continue
            met.add(link)
            yield link, pose
            waiting += [(other, pose @ between) for other, between in near.get(link, ())]
