"""SKEL: names, which belong to their skeleton; trees of joints; axes and freedoms by kind of joint."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from polybody.base import Length, Node
from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.document.uris import Places
from polybody.files import is_file
from polybody.generated.formats.skel.tables import FORMAT
from polybody.suggest import did_you_mean
from polybody.validation.checker import Rules
from polybody.validation.reference_graphs import Edge, cycles, second_edges, tell

SKELETON, MESH = "Skeleton", "Mesh"
JOINT, BODY = FORMAT.elements["Joint"], FORMAT.elements["Body"]
UNNAMED: str = next(attribute.default for attribute in BODY.attributes if attribute.name == "name")
DOFS = next(rule for rule in JOINT.rules if isinstance(rule, Length) and rule.name == "init_pos").sizes
NODES = (SKELETON, MESH)
WORLD = "world"
VERSION = "1.0"
DIRECTED = {"revolute": 1, "prismatic": 1, "screw": 1, "universal": 2}
"""How many axes a joint turns about or slides along; the axes of others have no direction of their own."""


def check(root: Any, rules: Rules, findings: Findings) -> None:
    """Report what the tables cannot say about a document."""
    _document(root, findings)
    skeletons = rules.nodes[SKELETON]
    _unique([skeleton for skeleton in skeletons if skeleton.name is not None], "skeleton", findings, "PB076")
    for skeleton in skeletons:
        _names(root, skeleton, rules.lost, findings)
        for joint in skeleton.joint:
            if joint.type is not None:
                _axes(joint, findings)
                _dofs(joint, findings)
    _files(root, rules.nodes[MESH], findings)


def _document(root: Any, findings: Findings) -> None:
    if root.version is not None and root.version != VERSION:
        span = root.attribute_span("version")
        message = f"SKEL {clip(root.version)} is not known here; it is read as {VERSION}"
        findings.add("PB073", span, message, xpath="/skel/@version", source=root.source)
    if root.world is None:
        if root.skeleton:
            message = "<skel> needs a <world> around its skeletons"
            findings.add("PB075", root.span, message, xpath="/skel", source=root.source)
        else:
            findings.add("PB015", root.span, "<skel> needs a <world>", xpath="/skel", source=root.source)


# --- names and trees ---------------------------------------------------------------------------------------


def _name(node: Any) -> str:
    """The name of a body, written or not."""
    return UNNAMED if node.name is None else node.name


def _unique(nodes: Iterable[Any], kind: str, findings: Findings, code: str = "PB031") -> dict[str, Any]:
    """The nodes that have names, by these; that one is taken is a finding with both places."""
    found: dict[str, Any] = {}
    for node in nodes:
        name = _name(node) if kind == "body" else node.name
        if name is None or (first := found.setdefault(name, node)) is node or not findings.takes(code):
            continue
        span, before = (each.attribute_span("name") or each.span for each in (node, first))
        at = "" if before is None else f" at line {before.line}"
        message = f"the {kind} name `{clip(name)}` is taken{at}"
        findings.add(code, span, message, source=node.source, related=before)
    return found


def _names(root: Node, skeleton: Any, lost: set[str], findings: Findings) -> None:
    """Bodies and joints have names of their own, and joints make trees of the bodies."""
    bodies = _unique(skeleton.body, "body", findings)
    _unique(skeleton.joint, "joint", findings)
    for body in skeleton.body:
        _unique(body.marker, "marker", findings)
    edges = []
    for joint in skeleton.joint:
        parent, child = (_end(joint, end, bodies, lost, findings) for end in ("parent", "child"))
        if parent is not None and child is not None:
            edges.append(Edge(parent, child, joint, joint, "child", leaf=True))
    tell(root, (cycles(edges, "body"), second_edges(edges, "body")), findings)


def _end(joint: Any, end: str, bodies: dict[str, Any], lost: set[str], findings: Findings) -> str | None:
    """The body that one end of a joint names, or None."""
    name: str | None = getattr(joint, end)
    if name is None:
        return None
    if name in bodies or (name == WORLD and end == "parent"):
        return name
    if not findings.takes("PB032"):
        return None
    span = joint.child_span(end)
    if name == WORLD:
        message = "the world is no body: it cannot be the child of a joint"
        findings.add("PB032", span, message, source=joint.source)
    elif name not in lost:
        message = f"<{end}>: there is no body `{clip(name)}` in this skeleton"
        hint = did_you_mean(name, bodies) or (did_you_mean(name, (WORLD,)) if end == "parent" else None)
        findings.add("PB032", span, message, hint=hint, source=joint.source)
    return None


# --- joints ------------------------------------------------------------------------------------------------


def _axes(joint: Any, findings: Findings) -> None:
    axes = (joint.axis, joint.axis2, joint.axis3)
    for number, axis in enumerate(axes):
        if axis is None:
            continue
        written = axis.xyz is not None or axis.child_span("xyz") != axis.span  # if not understood
        if not written and number < DIRECTED.get(joint.type.value, 0):
            message = f"the <{axis.TAG}> of a {joint.type.value} joint needs its direction, <xyz>"
            findings.add("PB015", axis.span, message, source=axis.source)
        if axis.damping is not None and axis.dynamics is not None and axis.dynamics.damping is not None:
            message = "<damping> and that of <dynamics> exclude each other"
            span = axis.child_span("damping")
            findings.add("PB022", span, message, hint="keep one of them", source=axis.source)
    if joint.axis is not None and joint.axis.pitch is not None and joint.type.value != "screw":
        message = f"<pitch> has no effect on a {joint.type.value} joint"
        span = joint.axis.child_span("pitch")
        findings.add("PB027", span, message, hint="remove it", source=joint.source)


def _dofs(joint: Any, findings: Findings) -> None:
    """Each degree of freedom is described once, by its number, which a joint with one can leave out."""
    count = DOFS[joint.type][0]
    first: dict[int, Any] = {}
    for dof in joint.dof:
        if dof.local_index is None and count > 1:
            message = f"<dof> needs `local_index`: a {joint.type.value} joint has {count} degrees of freedom"
            findings.add("PB021", dof.span, message, source=dof.source)
            continue
        index = dof.local_index or 0
        if index >= count:
            many = f"{count or 'no'} degree{'s' * (count > 1)} of freedom"
            message = f"there is no degree of freedom {index}: a {joint.type.value} joint has {many}"
            findings.add("PB024", dof.attribute_span("local_index") or dof.span, message, source=dof.source)
        elif first.setdefault(index, dof) is not dof:
            at = "" if first[index].span is None else f" at line {first[index].span.line}"
            message = f"degree of freedom {index} is described already{at}"
            findings.add("PB014", dof.span, message, source=dof.source)


# --- files -------------------------------------------------------------------------------------------------


def _files(root: Any, meshes: Iterable[Any], findings: Findings) -> None:
    """Each mesh is where the document says; nothing outside of its folder and the packages is looked at."""
    if root.source is None or not is_file(root.source.path):
        return  # a text without a place of its own
    folder = Path(root.source.path).parent
    places = Places(folder, folder)
    for mesh in meshes:
        if mesh.file_name:
            places.file(mesh.file_name, partial(_tell, findings, mesh))


def _tell(findings: Findings, mesh: Any, code: str, message: str, hint: str | None = None) -> None:
    """A finding about a file. Beside the folder is where DART's own files have their meshes: a warning."""
    if code == "PB010" and ".." in Path(mesh.file_name).parts:
        code, hint = "PB037", "put the file below the document's folder"
    findings.add(code, mesh.child_span("file_name"), message, hint=hint, source=mesh.source)
