"""The keys of model directives, as plain data in the form of `polybody schema FORMAT --json` for XML.

A mapping is an element; keys with single values or lists of numbers are attributes, others are children.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from polybody.document.directives import documents
from polybody.document.directives.reader import REQUIRED

VERSION = "Drake 1.51"


class Key(NamedTuple):
    """A key of a mapping: its type, number of values, and default."""

    type: str = "string"
    size: int | str | None = None
    default: str | None = None


POSE: dict[str, Key] = {
    "base_frame": Key("name"),
    "translation": Key("real", 3, "0 0 0"),
}
"""Keys of a pose, besides its rotation."""
ROTATIONS: dict[str, dict[str, Key]] = {
    "!Rpy": {"deg": Key("real", 3)},
    "!AngleAxis": {"angle_deg": Key("real", 1), "axis": Key("real", 3, "0 0 1")},
    "!Identity": {},
}
NAMES = Key("name", "0..")
KEYS: dict[Any, dict[str, Key]] = {
    documents.AddModel: {"file": Key("uri"), "name": Key("name")},
    documents.AddModelInstance: {"name": Key("name")},
    documents.AddFrame: {"name": Key("name")},
    documents.AddWeld: {"parent": Key("name"), "child": Key("name")},
    documents.AddCollisionFilterGroup: {
        "name": Key("name"),
        "members": NAMES,
        "member_groups": NAMES,
        "ignored_collision_filter_groups": NAMES,
        "model_namespace": Key("name"),
    },
    documents.AddDirectives: {"file": Key("uri"), "model_namespace": Key("name")},
}
POSES: dict[Any, dict[str, tuple[str, ...]]] = {
    documents.AddModel: {"default_free_body_pose": ()},
    documents.AddFrame: {"X_PF": ("base_frame",)},
    documents.AddWeld: {"X_PC": ()},
}
"""Keys with a pose as value, and which keys the pose requires; for `default_free_body_pose` one pose for each
body.
"""


def describe() -> dict[str, Any]:
    """The format as plain data."""
    kinds = list(KEYS)
    elements = [_element("directives", (), [kind.KEY for kind in kinds], documents.Directives)]
    for kind in kinds:
        path = f"directives/{kind.KEY}"
        required = REQUIRED[kind]
        below = list(POSES.get(kind, ()))
        if kind is documents.AddModel:
            below.insert(0, "default_joint_positions")
        attributes = [_attribute(name, key, name in required) for name, key in KEYS[kind].items()]
        elements.append(_element(path, attributes, below, kind))
        if kind is documents.AddModel:
            values = [_attribute("*", Key("real", "1.."), False)]
            elements.append(_element(f"{path}/default_joint_positions", values, [], None))
        for name, needed in POSES.get(kind, {}).items():
            elements += _pose(f"{path}/{name}", needed, each=kind is documents.AddModel)
    return {"format": "directives", "version": VERSION, "elements": elements}


def _pose(path: str, needed: tuple[str, ...], each: bool) -> list[dict[str, Any]]:
    found = []
    if each:
        found.append(_element(path, (), ["*"], None))
        path += "/*"
    known = {name: key for name, key in POSE.items() if not path.endswith("X_PC") or name != "base_frame"}
    attributes = [_attribute(name, key, name in needed) for name, key in known.items()]
    found.append(_element(path, attributes, ["rotation"], documents.Transform))
    found.append(_element(f"{path}/rotation", (), list(ROTATIONS), None))
    for tag, keys in ROTATIONS.items():
        kind = {"!Rpy": documents.Rpy, "!AngleAxis": documents.AngleAxis}.get(tag)
        given = [_attribute(name, key, key.default is None) for name, key in keys.items()]
        found.append(_element(f"{path}/rotation/{tag}", given, [], kind))
    return found


def _element(path: str, attributes: Any, children: list[str], kind: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "path": path,
        "tag": path.rpartition("/")[2],
        "attributes": list(attributes),
        "text": None,
        "children": children,
        "recursive": False,
        "status": "simulated",
    }
    if kind is not None:
        found["doc"] = (inspect.getdoc(kind) or "").split("\n")[0]
    return found


def _attribute(name: str, key: Key, required: bool) -> dict[str, Any]:
    return {
        "name": name,
        "type": key.type,
        "size": key.size,
        "enum": None,
        "default": key.default,
        "required": required,
        "status": "simulated",
    }


def page() -> str:
    """The format as Markdown."""
    lines = [f"# directives, {VERSION}", "", "Drake's model directives: YAML files that combine models."]
    for element in describe()["elements"]:
        lines += ["", f"## `{element['path']}`"]
        if element.get("doc"):
            lines += ["", element["doc"]]
        if element["children"]:
            lines += ["", "Keys: " + ", ".join(f"`{child}`" for child in element["children"])]
        if element["attributes"]:
            lines += ["", "| key | value | default | |", "|---|---|---|---|"]
        for attribute in element["attributes"]:
            size = attribute["size"]
            value = attribute["type"] if size is None else f"{attribute['type']}, {size}"
            needed = "required" if attribute["required"] else ""
            lines.append(f"| `{attribute['name']}` | {value} | {attribute['default'] or ''} | {needed} |")
    return "\n".join(lines)
