"""Key frames of MJCF: their numbers follow the joints, actuators and mocap bodies of the document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan, nan, radians
from typing import Any, NamedTuple

from polybody.base import Node, children_of
from polybody.document.includes import expand
from polybody.document.registry import format_of
from polybody.document.resolver import resolve
from polybody.editing.nested import Compiler, mjcf_pose
from polybody.editing.poses import tidy
from polybody.generated.formats.mjcf import JointType
from polybody.generated.formats.mjcf.tables import FORMAT
from polybody.lowering.mjcf.poses import NoDirectionError
from polybody.rotations.poses import IDENTITY, Pose, product

SIZES = {kind.value: FORMAT.joint_size(kind) for kind in JointType}
FIELDS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat", "plastic")
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

    def move(self, pose: Pose) -> None:
        """Move what is in the world: the numbers of free joints and mocap bodies."""
        for key in self.keys:
            for field in ("qpos", "qvel", "mpos", "mquat"):
                numbers = getattr(key, field)
                if numbers is None or sum(len(share.values) for share in self.before[field]) != len(numbers):
                    continue
                found: list[float] = []
                for share in self.before[field]:
                    found += _moved(field, numbers[len(found) : len(found) + len(share.values)], pose)
                setattr(key, field, tuple(found))

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
        if getattr(key, field, None) is None or owners == [id(share.owner) for share in after]:
            return True
        return self.assign(key, field, after)

    def assign(self, key: Any, field: str, after: list[_Share]) -> bool:
        """Give each element its numbers in one field; returns whether that is possible."""
        numbers, before = getattr(key, field, None), self.before[field]
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
        if any(isnan(number) for number in found):
            return False
        setattr(key, field, tuple(found) or None)
        return True


def layout(document: Any) -> dict[str, list[_Share]]:
    """The elements with numbers in each field of a key, in MuJoCo's order, with their initial values."""
    expanded, twins = expand(document, format_of(document))
    initial = _Initial(expanded)
    found: dict[str, list[_Share]] = {field: [] for field in FIELDS}
    worlds = [node for node in children_of(expanded) if node.TAG == "worldbody"]
    todo: list[Any] = [(world, IDENTITY) for world in worlds[::-1]]
    while todo:
        body, pose = todo.pop()
        if body.TAG == "body" and body.mocap:
            found["mpos"].append(_Share(body, tidy(pose.pos)))
            found["mquat"].append(_Share(body, tidy(pose.quat)))
        parts = list(initial.flat(body))
        for node, _ in parts:
            if node.TAG in ("joint", "freejoint"):
                kind = initial.kind(node)
                found["qpos"].append(_Share(node, initial.position(kind, node, pose)))
                found["qvel"].append(_Share(node, (0.0,) * SIZES[kind][1]))
                if initial.yields(node):
                    found["plastic"].append(_Share(node, initial.rest(kind, node)))
        todo.extend(reversed([(node, frame) for node, frame in parts if node.TAG == "body"]))
    for section in (node for node in children_of(expanded) if node.TAG == "actuator"):
        for node in children_of(section):
            found["ctrl"].append(_Share(node, (0.0,) * _controls(node, initial.resolved)))
            found["act"].append(_Share(node, (0.0,) * _activations(node, initial.resolved)))
    for section in (node for node in children_of(expanded) if node.TAG == "tendon"):
        for node in filter(initial.yields, children_of(section)):
            given = node.springlength or (nan,)
            found["plastic"].append(_Share(node, (nan, nan) if given[0] < 0 else (given[0], given[-1])))
    return _of_the_document(found, document, twins)


def _moved(field: str, numbers: Sequence[float], pose: Pose) -> tuple[float, ...]:
    """The numbers of one element in a field, in a world that is moved."""
    if field == "mpos":
        return tidy(pose.point(numbers))
    if field == "mquat":
        w, x, y, z = numbers
        return tidy(product(pose.quat, (w, x, y, z)))
    if field == "qpos" and len(numbers) == SIZES["free"][0]:
        return (*_moved("mpos", numbers[:3], pose), *_moved("mquat", numbers[3:], pose))
    if field == "qvel" and len(numbers) == SIZES["free"][1]:  # the angular velocity is the body's own
        return (*tidy(pose.vector(numbers[:3])), *numbers[3:])
    return tuple(numbers)


def _of_the_document(
    found: dict[str, list[_Share]], document: Any, twins: dict[int, Node]
) -> dict[str, list[_Share]]:
    """The same with the document's own elements as owners, in place of copies around included content."""
    if not twins:
        return found
    originals = {id(twins[id(node)]): node for node in document.walk() if id(node) in twins}
    return {
        field: [share._replace(owner=originals.get(id(share.owner), share.owner)) for share in shares]
        for field, shares in found.items()
    }


class _Initial:
    """The initial coordinates of the joints of a document with the content of included files in place."""

    def __init__(self, expanded: Any) -> None:
        self.resolved, self.compiler = resolve(expanded), Compiler(expanded)

    def flat(self, body: Any) -> Iterator[tuple[Any, Pose]]:
        """The content of a body, with that of frames in their place; of a body, with its pose in that."""
        todo = [(node, IDENTITY) for node in reversed(children_of(body))]
        while todo:
            node, frame = todo.pop()
            if node.TAG in _HOLDERS:
                inner = frame @ self._pose(node) if node.TAG == "frame" else frame
                todo.extend((child, inner) for child in reversed(children_of(node)))
            elif node.TAG == "body":
                yield node, frame @ self._pose(node)
            else:
                yield node, frame

    def _pose(self, node: Any) -> Pose:
        try:
            return mjcf_pose(node, self.compiler)
        except NoDirectionError:
            return IDENTITY  # validation reports it

    def kind(self, joint: Any) -> str:
        return "free" if joint.TAG == "freejoint" else _word(self.resolved.get(joint, "type"))

    def position(self, kind: str, joint: Any, body: Pose) -> tuple[float, ...]:
        """The coordinates in MuJoCo's `qpos0`: angles are in rad, whatever the unit of the document."""
        if kind == "free":
            return tidy((*body.pos, *body.quat))
        if kind == "ball":
            return (1.0, 0.0, 0.0, 0.0)
        ref = self.resolved.get(joint, "ref") or 0.0
        return (radians(ref) if kind == "hinge" and self.compiler.degrees else ref,)

    def yields(self, node: Any) -> bool:
        """Whether the spring of a joint or tendon yields."""
        known = self.resolved.kinds[type(node)].attributes  # of its release
        return "springyield" in known and (self.resolved.get(node, "springyield") or 0.0) > 0

    def rest(self, kind: str, joint: Any) -> tuple[float, ...]:
        """The rest of a joint's spring; angles are in rad."""
        if kind == "ball":
            return (1.0, 0.0, 0.0, 0.0)
        rest = self.resolved.get(joint, "springref") or 0.0
        return (radians(rest) if kind == "hinge" and self.compiler.degrees else rest,)


def _word(value: Any) -> str:
    return str(getattr(value, "value", value))


def _controls(node: Any, resolved: Any) -> int:
    """Number of controls of an actuator."""
    if node.TAG == "orientation" or _turns(node, resolved):
        return 4 if _word(resolved.get(node, "input")) == "quat" else 3
    if node.TAG not in ("pid", "dcmotor"):
        return 1
    given = resolved.get(node, "input")
    words = [_word(word) for word in (given if isinstance(given, tuple) else (given,))]
    return len([word for word in words if word != "none"])


def _turns(node: Any, resolved: Any) -> bool:
    """Whether an actuator is an orientation servo written as `general`."""
    return node.TAG == "general" and _word(resolved.get(node, "gaintype")) == "so3"


def _activations(node: Any, resolved: Any) -> int:
    """Number of activation variables of an actuator."""
    if node.TAG == "pid":
        return sum((resolved.get(node, name) or 0.0) > 0 for name in ("slewmax", "ki"))
    if node.TAG == "dcmotor":
        return _of_motor(node, resolved)
    if node.TAG in _ACTIVE or node.TAG == "cylinder":
        return 1
    if node.TAG == "plugin":
        return 0 if node.actdim is None else max(int(node.actdim), 0)
    if _turns(node, resolved):
        return 3 * (_word(resolved.get(node, "dyntype")) == "integrator")
    if node.TAG == "general":
        actdim = resolved.get(node, "actdim")
        return int(actdim) if actdim and actdim > 0 else int(_word(resolved.get(node, "dyntype")) != "none")
    timeconst = getattr(node, "timeconst", None)
    return int(node.TAG == "position" and bool(timeconst))


def _of_motor(node: Any, resolved: Any) -> int:
    """Number of states of a DC motor: see `servos` of the Model."""
    names = ("controller", "thermal", "lugre", "inductance")
    given = {name: resolved.get(node, name) or () for name in names}
    integral, slew = (*given["controller"][1:2], 0.0)[0], (*given["controller"][3:4], 0.0)[0]
    parts = (integral, slew, max(given["thermal"][:3], default=0.0), *given["lugre"][:1])
    return sum(part > 0 for part in (*parts, max(given["inductance"], default=0.0)))
