"""`attach`: a body of another document, and everything that refers to it, with a prefix on names.

As of 3.11, it may also be a frame, or the content of the world, and of the document itself.
"""

from __future__ import annotations

from typing import Any

from polybody.lowering.mjcf.copying import Copier
from polybody.lowering.mjcf.elements import ASSETS, TREE_KINDS, Body, Frame, Spec
from polybody.lowering.mjcf.keyframes import refit, store
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.references import Names, follow, names_of
from polybody.lowering.mjcf.values import since


def attach(spec: Spec, body: Body, frame: Frame, node: Any, problems: Problems) -> None:
    """Put a copy of another document's body into a frame of this document.

    Its assets are copied as well, used or not, and the elements that refer to copied objects. Elements that
    also refer to other objects of the document are not copied.
    """
    prefix = node.prefix or ""
    names = names_of(spec)
    there = names.find("body", prefix + node.body) if node.body else None
    if there is not None and since("3.16.0"):
        problems.add(node, f"there is a body `{prefix + node.body}` already", "prefix")
        return
    if there is not None:
        there.frame = frame  # MuJoCo takes a body of that name for one that was attached earlier
        return
    own = node.model is None and since("3.11.0")
    other = spec if own else spec.models.get(node.model)
    if other is None:
        problems.add(node, f"there is no model `{node.model}`", "model")
        return
    found = _found(other, node, problems)
    if found is None:
        return
    holder, top = found
    count = sum(1 + sum(map(len, each.parts)) for each in holder.walk())
    count += sum(map(len, other.lists.values()))
    if not problems.fits(spec, node, count):
        return
    if not own:
        store(other, spec, prefix, "")
    assets = "" if own else prefix
    if node.body:
        copier = Copier(prefix, "", assets, {} if holder.frame is None else {holder.frame: None})
        twin = copier.body(holder, body)
        twin.frame = frame
        body.bodies.append(twin)
        names.add_tree(twin)
    else:
        _content(holder, top, body, frame, Copier(prefix, "", assets), names)
    if not own:
        spec.defaults.take(other.defaults, prefix)
        _assets(spec, other, prefix, names)
    follow(spec, other.lists, prefix, "", assets if since("3.16.0") else "")
    if not since("3.16.0"):
        refit(spec)


def _found(other: Spec, node: Any, problems: Problems) -> tuple[Body, Frame | None] | None:
    """The body that is attached, or whose content is, and the frame if only its content is attached; None
    after a finding.
    """
    where = "the document" if node.model is None else f"the model `{node.model}`"
    if node.body:
        found = names_of(other).find("body", node.body)
        if isinstance(found, Body):
            return found, None
        problems.add(node, f"{where} has no body `{node.body}`", "body")
        return None
    if not since("3.11.0"):
        problems.add(node, "`body` is required", "body")
        return None
    if not node.frame:
        return other.world, None
    if node.frame not in other.frames:
        problems.add(node, f"{where} has no frame `{node.frame}`", "frame")
        return None
    top, holder = other.frames[node.frame]
    return holder, top


def _content(
    holder: Body, top: Frame | None, body: Body, frame: Frame, copier: Copier, names: Names
) -> None:
    """Append copies of what is in a frame of a body, or of all that is in a body, to another body; frames
    around it do not count.
    """
    if top is not None:
        copier.take(top, frame)
    ends = [len(parts) for parts in body.parts]
    for kind in TREE_KINDS:
        for part in list(getattr(holder, kind)):
            if top is None or _within(part.frame, top):
                if top is None and part.frame is not None:
                    copier.take(_outermost(part.frame), frame)
                twin = copier.part(part)
                twin.frame = twin.frame or frame
                getattr(body, kind).append(twin)
    for parts, end in zip(body.parts, ends, strict=True):
        names.add(parts[end:])
    for child in list(holder.bodies):
        if (top is None or _within(child.frame, top)) and child is not body:
            if top is None and child.frame is not None:
                copier.take(_outermost(child.frame), frame)
            twin_body = copier.body(child, body)
            twin_body.frame = twin_body.frame or frame
            body.bodies.append(twin_body)
            names.add_tree(twin_body)


def _within(frame: Frame | None, top: Frame) -> bool:
    while frame is not None and frame is not top:
        frame = frame.parent
    return frame is top


def _outermost(frame: Frame) -> Frame:
    while frame.parent is not None:
        frame = frame.parent
    return frame


def _assets(spec: Spec, other: Spec, prefix: str, names: Names) -> None:
    """Copy all assets, numeric and text elements."""
    for kind in (*ASSETS, "numeric", "text"):
        for asset in other.lists[kind]:
            twin = asset.copied()
            if kind == "skin":
                # As in MuJoCo 3.2.7, a skin and its material keep their names.
                bones = [bone.renamed(prefix, "") for bone in asset.values["references"]]
                if not all(map(names.known, bones)):
                    continue
                twin.values["references"] = bones
            if asset.name and (kind != "skin" or since("3.16.0")):
                twin.values["name"] = prefix + asset.name
            if kind in ("skin", "mesh") and asset.values.get("material") and since("3.16.0"):
                twin.values["material"] = prefix + asset.values["material"]
            if kind == "material":
                textures = twin.values["textures"]
                twin.values["textures"] = {role: prefix + name for role, name in textures.items()}
            spec.lists[kind].append(twin)
            names.add([twin])
