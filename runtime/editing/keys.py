"""Key frames of MJCF: their numbers follow the joints, actuators and mocap bodies of the document."""

from __future__ import annotations

from typing import Any, NamedTuple

from polybody.base import Node, children_of
from polybody.document.registry import format_of
from polybody.document.resolver import resolve

SIZES = {"qpos": {"free": 7, "ball": 4}, "qvel": {"free": 6, "ball": 3}}
"""Numbers of coordinates of types of joints; others have one."""
FIELDS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")
_HOLDERS = ("frame", "include", "worldbody")
_ACTIVE = ("muscle", "intvelocity")


class _Share(NamedTuple):
    """The numbers of one element in a field of a key: the element, and its initial values."""

    owner: Any
    values: tuple[float, ...]


class Keys:
    """The key frames of a document before an edit."""

    def __init__(self, document: Node) -> None:
        self.document = document
        self.keys: list[Any] = []
        if format_of(document).name == "mjcf":
            self.keys = [node for node in document.walk() if node.TAG == "key"]
        self.before = layout(document) if self.keys else {}

    def refit(self) -> list[Node]:
        """After the edit: give each element its numbers, and new ones their initial values.

        Returns:
            keys whose numbers cannot be assigned, because other elements generate joints: the edit changed
            how many there must be, so that these keys must be deleted.
        """
        if not self.keys:
            return []
        after = layout(self.document)
        keys = [node for node in self.document.walk() if node.TAG == "key"]
        return [key for key in keys if not all(self._field(key, field, after[field]) for field in FIELDS)]

    def _field(self, key: Any, field: str, after: list[_Share]) -> bool:
        owners = [id(share.owner) for share in self.before[field]]
        if getattr(key, field) is None or owners == [id(share.owner) for share in after]:
            return True
        return self.assign(key, field, after)

    def assign(self, key: Any, field: str, after: list[_Share]) -> bool:
        """Give each element its numbers in one field; returns whether that is possible."""
        numbers, before = getattr(key, field), self.before[field]
        if numbers is None:
            return True
        if sum(len(share.values) for share in before) != len(numbers):
            return False
        given: dict[int, tuple[float, ...]] = {}
        at = 0
        for share in before:
            given[id(share.owner)] = tuple(numbers[at : at + len(share.values)])
            at += len(share.values)
        found = [number for share in after for number in given.get(id(share.owner), share.values)]
        setattr(key, field, tuple(found) or None)
        return True


def layout(document: Any) -> dict[str, list[_Share]]:
    """The elements with numbers in each field of a key, in MuJoCo's order, with their initial values."""
    resolved = resolve(document)
    found: dict[str, list[_Share]] = {field: [] for field in FIELDS}
    worlds = [node for node in children_of(resolved.expanded) if node.TAG == "worldbody"]
    todo: list[Any] = worlds[::-1]
    while todo:
        body = todo.pop()
        if body.TAG == "body" and body.mocap:
            found["mpos"].append(_Share(body, tuple(body.pos or (0.0, 0.0, 0.0))))
            found["mquat"].append(_Share(body, tuple(body.quat or (1.0, 0.0, 0.0, 0.0))))
        parts = list(_flat(body))
        for node in parts:
            if node.TAG in ("joint", "freejoint"):
                kind = "free" if node.TAG == "freejoint" else _word(resolved.get(node, "type"))
                found["qpos"].append(_Share(node, _initial(kind, node, body, resolved)))
                found["qvel"].append(_Share(node, (0.0,) * SIZES["qvel"].get(kind, 1)))
        todo.extend(reversed([node for node in parts if node.TAG == "body"]))
    for section in (node for node in children_of(resolved.expanded) if node.TAG == "actuator"):
        for node in children_of(section):
            found["ctrl"].append(_Share(node, (0.0,)))
            found["act"].append(_Share(node, (0.0,) * _activations(node, resolved)))
    return found


def _flat(body: Any) -> list[Any]:
    """The content of a body, with that of frames in their place."""
    found, todo = [], list(reversed(children_of(body)))
    while todo:
        node = todo.pop()
        if node.TAG in _HOLDERS:
            todo.extend(reversed(children_of(node)))
        else:
            found.append(node)
    return found


def _word(value: Any) -> str:
    return str(getattr(value, "value", value))


def _initial(kind: str, joint: Any, body: Any, resolved: Any) -> tuple[float, ...]:
    if kind == "free":
        return (*(body.pos or (0.0, 0.0, 0.0)), *(body.quat or (1.0, 0.0, 0.0, 0.0)))
    if kind == "ball":
        return (1.0, 0.0, 0.0, 0.0)
    return (0.0,) if joint.TAG == "freejoint" else (resolved.get(joint, "ref") or 0.0,)


def _activations(node: Any, resolved: Any) -> int:
    """Number of activation variables of an actuator."""
    if node.TAG in _ACTIVE or node.TAG == "cylinder":
        return 1
    if node.TAG == "plugin":
        return 0 if node.actdim is None else max(int(node.actdim), 0)
    if node.TAG == "general":
        actdim = resolved.get(node, "actdim")
        return int(actdim) if actdim and actdim > 0 else int(_word(resolved.get(node, "dyntype")) != "none")
    timeconst = getattr(node, "timeconst", None)
    return int(node.TAG == "position" and bool(timeconst))
