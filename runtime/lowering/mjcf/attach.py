"""`attach`: a body of another document, and everything that refers to it, with a prefix on names."""

from __future__ import annotations

from typing import Any

from polybody.lowering.mjcf.copying import Copier
from polybody.lowering.mjcf.elements import ASSETS, Body, Frame, Spec
from polybody.lowering.mjcf.keyframes import refit, store
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.references import Names, follow, names_of


def attach(spec: Spec, body: Body, frame: Frame, node: Any, problems: Problems) -> None:
    """Put a copy of another document's body into a frame of this document.

    Its assets are copied as well, used or not, and the elements that refer to copied objects. Elements that
    also refer to other objects of the document are not copied.
    """
    prefix = node.prefix or ""
    names = names_of(spec)
    there = names.find("body", prefix + node.body)
    if there is not None:
        there.frame = frame  # MuJoCo takes a body of that name for one that was attached earlier
        return
    other = spec.models.get(node.model)
    if other is None:
        problems.add(node, f"there is no model `{node.model}`", "model")
        return
    found = names_of(other).find("body", node.body)
    if not isinstance(found, Body):
        problems.add(node, f"the model `{node.model}` has no body `{node.body}`", "body")
        return
    count = sum(1 + sum(map(len, each.parts)) for each in found.walk())
    count += sum(map(len, other.lists.values()))
    if not problems.fits(spec, node, count):
        return
    store(other, spec, prefix, "")
    copier = Copier(prefix, "", prefix, {} if found.frame is None else {found.frame: None})
    twin = copier.body(found, body)
    twin.frame = frame
    body.bodies.append(twin)
    spec.defaults.take(other.defaults, prefix)
    names.add_tree(twin)
    _assets(spec, other, prefix, names)
    follow(spec, other.lists, prefix, "")
    refit(spec)


def _assets(spec: Spec, other: Spec, prefix: str, names: Names) -> None:
    """Copy all assets, numeric and text elements."""
    for kind in (*ASSETS, "numeric", "text"):
        for asset in other.lists[kind]:
            twin = asset.copied()
            if kind == "skin":
                # As in MuJoCo, a skin and its material keep their names.
                bones = [bone.renamed(prefix, "") for bone in asset.values["references"]]
                if not all(map(names.known, bones)):
                    continue
                twin.values["references"] = bones
            elif asset.name:
                twin.values["name"] = prefix + asset.name
            if kind == "material":
                textures = twin.values["textures"]
                twin.values["textures"] = {role: prefix + name for role, name in textures.items()}
            spec.lists[kind].append(twin)
            names.add([twin])
