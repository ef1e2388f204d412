"""Names must be unique in their scope and must not be reserved."""

from __future__ import annotations

import re
from typing import Any

from polybody.base import Node, Untyped, children_of, held
from polybody.document.parser.tables import version_number
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.sdf.tables import FORMAT
from polybody.validation.rules.sdf.scopes import DELIMITER, IN_WORLDS, KINDS, WORLD, Named, Scope
from polybody.validation.scene import Scene, again

SHARED_SINCE = version_number("1.7")
"""The version from which links, joints, frames and models of a scope share a namespace."""
PLAIN_SINCE = version_number("1.8")
"""The version from which names must not contain `::`."""
_RESERVED = re.compile(r"__.*__", re.DOTALL)
TAGS_APART = {
    "link": (
        *("collision", "visual", "drake:visual", "sensor"),
        *("light", "projector", "particle_emitter", "battery"),
    ),
    "joint": ("sensor",),
    "world": ("physics", "road", "population"),
    "actor": ("animation",),
}
"""By the tag of an element: the tags of children with unique names, each tag separately."""


def _apart() -> dict[str, set[type[Node]]]:
    """By kind of such elements: the classes of their parents."""
    found: dict[str, set[type[Node]]] = {}
    for row in FORMAT.elements.values():
        for child in row.children:
            # A state's <joint> has the tag, but not these children.
            if child.tag in TAGS_APART.get(row.tag, ()) and row.cls is not Untyped:
                found.setdefault(child.element, set()).add(row.cls)
    return found


APART = _apart()
RESERVED_IN = ("collision", "visual", "sensor", "light", "projector", "particle_emitter", "physics")
"""Tags outside of scopes whose names libsdformat reserves; that of worlds and of the outermost model, too."""
NAMED = tuple(
    key
    for key, row in FORMAT.elements.items()
    if row.tag not in ("plugin", "include", "actor", *KINDS)
    and not key.startswith("drake:")
    and not key.endswith("State")  # refers to an element of the world
    and any(each.name == "name" and not each.leaf for each in row.attributes)
)
"""Kinds of elements with a name that is in no scope, except that of a light in a world."""
OWN_NAMES = {"plugin", *(kind.replace("_", ":") for kind in (*KINDS, *IN_WORLDS))}
"""Tags in a model or world that do not share the namespace of links, or are of that kind."""


def check_scope(scope: Scope, version: int, scene: Scene) -> None:
    for later, earlier in scope.again:
        second, first = later, earlier
        if second.node.source is first.node.source:  # names were collected one kind after another
            first, second = sorted((second, first), key=lambda each: each.node._position or 0)
        _twice(second, first, version, scene)
    odd = [
        each for name, each in scope.names.items() if name == WORLD or name[:2] == "__" or DELIMITER in name
    ]
    for named in odd:
        if named.node.source is scope.node.source:
            _reserved(named.name, named.node, version, scene)
    for child in children_of(scope.node):
        if child.TAG not in OWN_NAMES:
            name = getattr(child, "name", None)
            if name in scope.names:
                _refused(child, scope.names[name], scene)


def check_apart(scene: Scene) -> None:
    """Report children of one kind with the same name in an element."""
    for key, kinds in APART.items():
        nodes, homes = scene.nodes(key), map(id, scene.rules.parents(key))
        names = [None if n.name is None else (home, n.name) for n, home in zip(nodes, homes, strict=True)]
        for node, first in again(nodes, names):
            if type(scene.parent(node)) in kinds:
                name = clip(node.name)
                _report(scene, "PB031", node, first, f"the {node.TAG} name `{name}` is already used")


def check_names(version: int, scene: Scene) -> None:
    """Names of elements that are in no scope: those of worlds and of what is inside links."""
    root: Any = scene.root
    top = () if root.model is None else (root.model,)
    for node in (*top, *held(root, "world")):
        _odd_name(node, True, version, scene)
    for node in scene.nodes(*NAMED):
        if node.TAG != "world" and not (node.TAG in IN_WORLDS and scene.parent(node).TAG == "world"):
            _odd_name(node, node.TAG in RESERVED_IN, version, scene)


def _odd_name(node: Any, reserves: bool, version: int, scene: Scene) -> None:
    name = node.name
    if name and (DELIMITER in name or (reserves and (name == WORLD or name[:2] == "__"))):
        _reserved(name, node, version, scene)


def _twice(second: Named, first: Named, version: int, scene: Scene) -> None:
    if version and version < SHARED_SINCE and second.kind != first.kind:
        _refused(second.node, first, scene)
    else:
        name = clip(second.name)
        what = f"the name `{name}` is that of a <{first.node.TAG}>"
        _report(scene, "PB031", second.node, first.node, what)


def _refused(node: Any, first: Named, scene: Scene) -> None:
    """A name that the document's version allows twice, but Drake's parser does not."""
    what = (
        f"the name `{clip(first.name)}` of <{node.TAG}> is also that of a "
        f"<{first.node.TAG}>, which Drake refuses"
    )
    _report(scene, "PB083", node, first.node, what)


def _report(scene: Scene, code: str, node: Any, first: Any, message: str) -> None:
    """A finding about a name that two elements have."""
    if not scene.takes(code):
        return
    place = first.span
    where = "" if place is None or first.source is not node.source else f" at line {place.line}"
    scene.report(code, node, "name", message + where, related=_span(first))


def _reserved(name: str, node: Any, version: int, scene: Scene) -> None:
    if name == WORLD or _RESERVED.fullmatch(name):
        message = f"the name `{clip(name)}` of <{node.TAG}> is reserved"
    elif DELIMITER in name and not 0 < version < PLAIN_SINCE:
        message = (
            f"`{clip(name)}`: `::` separates the names of models from names inside them and is not "
            "allowed in a name"
        )
    else:
        return
    scene.report("PB026", node, "name", message)


def _span(node: Any) -> Any:
    return node.child_span("name") if node.TAG == "include" else node.attribute_span("name")
