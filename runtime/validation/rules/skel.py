"""SKEL: names, which are unique in their skeleton; trees of joints; axes and degrees of freedom by joint
type.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from polybody.base import Length, held
from polybody.document.parser.value_faults import clip
from polybody.document.uris import Places
from polybody.generated.formats.skel.tables import FORMAT
from polybody.suggest import did_you_mean
from polybody.validation.names import Edges
from polybody.validation.reference_graphs import Edge, cycles, second_edges, tell
from polybody.validation.scene import Scene, again

SKELETON, MESH, MARKER, DOF = "Skeleton", "Mesh", "Marker", "Dof"
JOINT, BODY = FORMAT.elements["Joint"], FORMAT.elements["Body"]
UNNAMED: str = next(attribute.default for attribute in BODY.attributes if attribute.name == "name")
DOFS = next(rule for rule in JOINT.rules if isinstance(rule, Length) and rule.name == "init_pos").sizes
AXES = tuple(child.element for child in JOINT.children if child.tag.startswith("axis"))
NODES = (SKELETON, MESH, MARKER, DOF, *AXES)
WORLD = "world"
ENDS = ("parent", "child")
VERSION = "1.0"
DIRECTED = {"revolute": 1, "prismatic": 1, "screw": 1, "universal": 2}
"""Number of axes that a joint rotates about or slides along; the axes of other joints have no separate
direction.
"""


def check(scene: Scene) -> None:
    """Report violations of rules that the tables cannot express."""
    _document(scene)
    skeletons = scene.nodes(SKELETON)
    _unique(skeletons, "skeleton", scene, "PB076")
    for skeleton in skeletons:
        _names(skeleton, scene)
    markers: dict[int, list[Any]] = {}
    for marker, body in zip(scene.nodes(MARKER), scene.rules.parents(MARKER), strict=True):
        markers.setdefault(id(body), []).append(marker)
    for nodes in markers.values():
        _unique(nodes, "marker", scene)
    _axes(scene)
    for joint in {id(joint): joint for joint in scene.rules.parents(DOF)}.values():
        if joint.type is not None:
            _dofs(joint, scene)
    _files(scene)


def _document(scene: Scene) -> None:
    root: Any = scene.root
    if root.version is not None and root.version != VERSION:
        message = f"the version {clip(root.version)} of SKEL is unknown; the document is read as {VERSION}"
        scene.report("PB073", root, "version", message)
    if root.world is None:
        if held(root, "skeleton"):
            scene.report("PB075", root, None, "<skel> needs a <world> around its skeletons")
        else:
            scene.report("PB015", root, None, "<skel> needs a <world>")


# --- names and trees ---------------------------------------------------------------------------------------


def _unique(nodes: list[Any], kind: str, scene: Scene, code: str = "PB031") -> None:
    """Report names that are used twice, with both places; bodies without a name all have the same name."""
    names = [node.name for node in nodes]
    if kind == "body":
        names = _body_names(nodes)
    for node, first in again(nodes, names):
        if scene.takes(code):
            name = UNNAMED if node.name is None else node.name
            before = first.attribute_span("name") or first.span
            at = "" if before is None else f" at line {before.line}"
            scene.report(
                code, node, "name", f"the {kind} name `{clip(name)}` is already used{at}", related=before
            )


def _body_names(bodies: list[Any]) -> list[str]:
    """The names of bodies, given or not."""
    return [UNNAMED if body.name is None else body.name for body in bodies]


def _names(skeleton: Any, scene: Scene) -> None:
    """Bodies and joints have unique names, and joints connect the bodies to trees."""
    bodies, joints = held(skeleton, "body"), held(skeleton, "joint")
    _unique(bodies, "body", scene)
    _unique(joints, "joint", scene)
    names = _body_names(bodies)
    sources, targets = ([getattr(joint, end) for joint in joints] for end in ENDS)
    found = Edges([*names, WORLD], len(names), sources, targets)
    if found.is_forest and found.differ and found.count == len(joints) and WORLD not in targets:
        return
    known = dict.fromkeys(names)
    for joint in joints:
        for end in ENDS:
            _end(joint, end, known, scene)
    if not (found.is_forest and found.differ):
        edges = [
            Edge(joint.parent, joint.child, joint, joint, "child", leaf=True)
            for joint in joints
            if joint.child in known and (joint.parent in known or joint.parent == WORLD)
        ]
        tell(scene, (cycles(edges, "body"), second_edges(edges, "body")))


def _end(joint: Any, end: str, bodies: Collection[str], scene: Scene) -> None:
    """Report an end of a joint that does not name a body."""
    name: str | None = getattr(joint, end)
    if name is None or name in bodies or (name == WORLD and end == "parent") or not scene.takes("PB032"):
        return
    if name == WORLD:
        scene.report("PB032", joint, end, "the world is not a body: it cannot be the child of a joint")
    elif name not in scene.rules.lost:
        message = f"<{end}>: there is no body `{clip(name)}` in this skeleton"
        hint = did_you_mean(name, bodies) or (did_you_mean(name, (WORLD,)) if end == "parent" else None)
        scene.report("PB032", joint, end, message, hint)


# --- joints ------------------------------------------------------------------------------------------------


def _axes(scene: Scene) -> None:
    for number, key in enumerate(AXES):
        for axis in scene.rules.bare(key, "xyz"):
            kind = scene.parent(axis).type
            written = axis.child_span("xyz") != axis.span  # None if it was not understood
            if kind is not None and number < DIRECTED.get(kind.value, 0) and not written:
                message = f"the <{axis.TAG}> of a {kind.value} joint needs its direction, <xyz>"
                scene.report("PB015", axis, None, message)
        for axis in scene.having(key, "damping"):
            joint, dynamics = scene.parent(axis), axis.dynamics
            if joint.type is not None and dynamics is not None and dynamics.damping is not None:
                message = "<damping> and that of <dynamics> are mutually exclusive"
                scene.report("PB022", axis, "damping", message, "keep one of them")
    for axis in scene.having(AXES[0], "pitch"):
        kind = scene.parent(axis).type
        if kind is not None and kind.value != "screw":
            message = f"<pitch> has no effect on a {kind.value} joint"
            scene.report("PB027", axis, "pitch", message, "remove it")


def _dofs(joint: Any, scene: Scene) -> None:
    """Each degree of freedom is described once, by its index, which is optional if a joint has only one."""
    count = DOFS[joint.type][0]
    first: dict[int, Any] = {}
    for dof in held(joint, "dof"):
        if dof.local_index is None and count > 1:
            message = f"<dof> needs `local_index`: a {joint.type.value} joint has {count} degrees of freedom"
            scene.report("PB021", dof, None, message)
            continue
        index = dof.local_index or 0
        if index >= count:
            many = f"{count or 'no'} degree{'s' * (count > 1)} of freedom"
            message = f"there is no degree of freedom {index}: a {joint.type.value} joint has {many}"
            scene.report("PB024", dof, "local_index", message)
        elif first.setdefault(index, dof) is not dof:
            before = first[index].span
            at = "" if before is None else f" at line {before.line}"
            message = f"degree of freedom {index} is already described{at}"
            scene.report("PB014", dof, None, message, related=before)


# --- files -------------------------------------------------------------------------------------------------


def _files(scene: Scene) -> None:
    """Each mesh file exists where it may be opened."""
    places = Places(scene.root.source, scene.root)
    for mesh in scene.nodes(MESH):
        if mesh.file_name:
            places.file(mesh.file_name, scene.teller(mesh, "file_name"))
